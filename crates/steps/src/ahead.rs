//! Statements that run ahead of the others in a loop.

use crate::flags::{decided, reaching};
use crate::tree::{Loop, beneath, marks_above, members_around, part, refuse_marked, with_marks};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::{Map, MultiUnionPwAff, PwAff, UnionPwAff, UnionSet};
use farkas_tree::{Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Statements that run some iterations ahead of the others in a loop: what fills buffers for the next iteration while this one computes.
///
/// **Rewrite**: `band [f]` becomes `sequence [before: band [f'], others: band [f']]`, where `f'` is `f - by` for the statements (of loops over tiles, as many tiles)
/// and `f` for the others, and `before` is what comes before the first iteration of the others, in each iteration of the loops around. What is
/// filled ahead stands in a loop of its own so that both it and what uses it have the buffer in common. Nothing runs in the last iterations that is not
/// needed: instances stay what they are.
///
/// **Paper** M. Lam, *Software Pipelining*, PLDI 1988, of two stages; the prologue is her own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ahead {
    /// The loop, as one around a statement that stays.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// The statements that run ahead.
    pub stmts: Vec<String>,
    /// By how many iterations of the loop, or tiles where it runs over these; one where nothing is said.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 1))]
    pub by: u16,
    /// Which of them run after the others in an iteration: with what a thread has brought from memory ahead, it fills what is shared when the others are through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last: Vec<String>,
}

/// How far statements run ahead where nothing is said.
fn one() -> u16 {
    1
}

/// Whether there is nothing to say of how far they do.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_one(by: &u16) -> bool {
    *by == 1
}

impl Reorder for Ahead {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = self.named(subject)?;
        refuse_marked(tree, &at)?;
        if self.by == 0 {
            return Err(
                NotApplicable::BadNumber("statements run at least 1 iteration ahead").into()
            );
        }
        let (mut band, child) = at.band_in(tree)?;
        let all = reaching(tree, &at.band)?;
        let early = instances(subject, &self.stmts, &all)?;
        let late = all.subtract(&early)?;
        if late.is_empty()? {
            return Err(NotApplicable::NoneBehind(self.at.clone()).into());
        }
        let child = match self.last.is_empty() {
            true => child,
            false => behind(&child, &all, &instances(subject, &self.last, &early)?)?,
        };
        let by = i64::from(self.by) * at.size.unwrap_or(1);
        let member = &mut band.members[at.member];
        *member = Member { schedule: moved(&member.schedule, &early, by)?, ..member.clone() };
        let marks = marks_above(tree, &at.band);
        let is_kept = |mark: &Mark| at.member == 0 || matches!(mark, Mark::Tile(_));
        let kept: Vec<&Mark> = marks.iter().filter(|mark| is_kept(mark)).copied().collect();
        let mut dates = vec![band.members[at.member].schedule.clone()];
        dates.extend(members_around(tree, &at)?);
        let mut parts = Vec::new();
        for instances in in_parts(&dates, &late)? {
            let own = instances.intersect(&all)?;
            if own.is_empty()? {
                continue;
            }
            let loops = part(&band.members[at.member..], band.permutable, child.pruned_to(&own)?);
            parts.push((own, with_marks(&kept, at.member.., loops)));
        }
        let new = beneath(tree, &at, &marks, ScheduleTree::sequence(parts))?;
        let top = if at.member == 0 { at.band.ancestor(marks.len()) } else { at.band };
        decided(&new, subject.deps, &top)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        self.stmts.iter_mut().chain(&mut self.last).collect()
    }
}

impl Ahead {
    /// The loop, with the size of its tiles.
    fn named(&self, subject: &Subject<'_>) -> Result<Loop> {
        let named = self.at.named(subject.scop(), subject.tree())?;
        subject.find(&named)
    }
}

/// The instances of statements among `all`.
fn instances(subject: &Subject<'_>, stmts: &[String], all: &UnionSet) -> Result<UnionSet> {
    let (scop, mut sets) = (subject.scop(), Vec::new());
    for name in stmts {
        let missing = || NotApplicable::NoStatement(name.clone());
        let own = scop.domain_of(scop.stmt_by_name(name).ok_or_else(missing)?)?;
        if own.to_union_set()?.intersect(all)?.is_empty()? {
            return Err(NotApplicable::NotInside(name.clone()).into());
        }
        sets.push(own);
    }
    match sets.is_empty() {
        true => Err(NotApplicable::NoPlace.into()),
        false => Ok(UnionSet::union_all(sets)?.intersect(all)?),
    }
}

/// What is in an iteration, with those parts at the end that run nothing but some instances.
fn behind(tree: &ScheduleTree, all: &UnionSet, last: &UnionSet) -> Result<ScheduleTree> {
    match tree.node() {
        Node::Mark { mark, child } => {
            Ok(ScheduleTree::mark(mark.clone(), behind(child, all, last)?))
        }
        Node::Sequence(children) => {
            let (mut first, mut rest) = (Vec::new(), Vec::new());
            for child in children {
                let is_last = match child.node() {
                    Node::Filter { filter, .. } => filter.intersect(all)?.is_subset(last)?,
                    _ => false,
                };
                if is_last { &mut rest } else { &mut first }.push(child.clone());
            }
            first.extend(rest);
            Ok(Node::Sequence(first).into())
        }
        _ => Err(NotApplicable::OneBody.into()),
    }
}

/// Dates that are earlier for some instances.
fn moved(dates: &UnionPwAff, early: &UnionSet, by: i64) -> Result<UnionPwAff> {
    let mut all = Vec::new();
    for date in dates.pw_affs()? {
        let own = date.domain()?;
        let is_early = !own.to_union_set()?.is_disjoint(early)?;
        all.push(if is_early { date.sub(&PwAff::constant_on(&own, by)?)? } else { date });
    }
    Ok(UnionPwAff::union_all(all)?)
}

/// The instances before the first of `late` in a loop, and the others: by the dates in the loop, then those in the loops around it.
fn in_parts(dates: &[UnionPwAff], late: &UnionSet) -> Result<[UnionSet; 2]> {
    let all = MultiUnionPwAff::from_members(dates)?.to_union_map()?;
    let begun = all.intersect_domain(late)?.range()?;
    let around: String = (1..dates.len()).map(|at| format!(", o{at}")).collect();
    let later = format!("{{ [first{around}] -> [date{around}] : date >= first }}");
    let later: Map = later.parse()?;
    let begun = begun.apply(&later.to_union_map()?)?;
    let after = all.intersect_range(&begun)?.domain()?;
    let all = all.domain()?;
    Ok([all.subtract(&after)?, all.intersect(&after)?])
}
