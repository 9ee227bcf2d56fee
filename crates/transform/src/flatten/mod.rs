//! Reductions in a canonical form: one loop over what they reduce, one over what they keep apart.

mod pattern;

use crate::plan::{Draft, interchange_of};
use crate::view::{Plans, Proposal, View};
use crate::{Error, Remark, Result, stmt_names};
use farkas_analysis::StrideModel;
use farkas_deps::{Dependences, ReductionForm, carried};
use farkas_scop::StmtId;
use farkas_steps::{Coalesce, LoopAddress, Step, reaching};
use farkas_tree::{Band, Cursor, Member, Node, ScheduleTree};
use pattern::{Pattern, patterns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the pass in remarks.
const PASS: &str = "flatten";

/// Reductions whose order is free in one of three canonical forms: all loops reduced, as one (all-reduce); a loop over all elements of the result around
/// one over what is reduced to each (x-reduce); or the other way round (y-reduce), where the result's dimensions are innermost in memory.
///
/// Loops right inside each other are told apart by the statements that update; others in them go along, and those that compute what is reduced, or use
/// the result, in loops of their own, are treated alike, so that they can still share loops. Where reduced loops and others are interleaved, or stand
/// in another order than memory, they are interchanged first, if the dependences let them. Then each kind becomes one by the step `coalesce`; at most
/// the outermost of each may have a number of iterations that parameters decide. It is for processors with more threads than any one loop has
/// iterations: elsewhere the divisions cost more than they give.
///
/// **Paper** PANAMERA (Zhao et al., *Parallelizing Neural Network Models Effectively on GPU by Implementing Reductions Atomically*, PACT 2022),
/// *Dimension Flattening*. There it is done before scheduling, so that fusion must be made possible again by propagation; here on the scheduled
/// tree, in which what is fused stays so.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flatten {
    /// Whether the loop over the result's elements is outermost also where they are innermost in memory, so that there is outer parallelism: a
    /// y-reduce becomes an x-reduce, whose inner loop goes through memory with a stride.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outer_parallel: bool,
}

impl Plans for Flatten {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let patterns = patterns(&view.program.scop, remarks)?;
        if patterns.is_empty() {
            return Ok(Proposal::Nothing);
        }
        let deps = view.deps()?;
        let mut walk = Walk {
            outer_parallel: self.outer_parallel,
            patterns,
            strides: view.strides()?,
            deps,
            draft: Draft::new(view.program, deps),
            remarks,
        };
        walk.below(&Cursor::root())?;
        Ok(Proposal::Steps(walk.draft.plan(view.tree())))
    }
}

/// What a loop does for a reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Its iterations update different elements.
    Parallel,
    /// Its iterations update the same elements.
    Reduced,
}

/// A walk down a tree.
struct Walk<'a> {
    outer_parallel: bool,
    patterns: BTreeMap<StmtId, Pattern>,
    strides: &'a StrideModel,
    deps: Option<&'a Dependences>,
    draft: Draft<'a>,
    remarks: &'a mut Vec<Remark>,
}

/// Loops right inside each other.
struct Chain {
    /// The outermost band.
    top: Cursor,
    /// What is inside of the innermost one.
    inside: Cursor,
    /// The loops, outermost first, each with its band and its position there.
    loops: Vec<(Cursor, usize, Member)>,
    /// Whether they may be in any order.
    permutable: bool,
}

impl Chain {
    /// The loops of a band and of those right inside it.
    fn of(tree: &ScheduleTree, top: &Cursor) -> Result<Self> {
        let (mut inside, mut loops, mut permutable) = (top.clone(), Vec::new(), false);
        while let Node::Band { band, .. } = tree.at(&inside)?.node() {
            permutable = inside == *top && band.permutable;
            let own = band.members.iter().cloned().enumerate();
            loops.extend(own.map(|(at, member)| (inside.clone(), at, member)));
            inside = inside.child(0);
        }
        Ok(Self { top: top.clone(), inside, loops, permutable })
    }

    /// The name of a loop in the tree as it is.
    fn address(&self, at: usize) -> LoopAddress {
        let (band, member, _) = &self.loops[at];
        LoopAddress::member(band.clone(), *member)
    }
}

/// What loops are to become.
struct Wanted {
    /// What each does, in their order.
    kinds: Vec<Kind>,
    /// Their new order.
    order: Vec<usize>,
}

impl Walk<'_> {
    /// Flattens the loops below a node, inner ones first: what is done to loops leaves the places of those around.
    fn below(&mut self, here: &Cursor) -> Result<()> {
        let tree = self.draft.tree().at(here)?.clone();
        match tree.node() {
            // What is tiled, or marked for somebody else, is as it is to be.
            Node::Mark { .. } => Ok(()),
            Node::Band { .. } => {
                let chain = Chain::of(self.draft.tree(), here)?;
                self.below(&chain.inside)?;
                self.flatten(&chain)
            }
            _ => (0..tree.children().len()).try_for_each(|at| self.below(&here.child(at))),
        }
    }

    /// Flattens loops right inside each other.
    fn flatten(&mut self, chain: &Chain) -> Result<()> {
        let names = stmt_names(&reaching(self.draft.tree(), &chain.top)?)?;
        let stmts: Vec<StmtId> = names.iter().filter_map(|name| self.strides.stmt(name)).collect();
        if chain.loops.len() < 2 {
            return Ok(());
        }
        let wanted = match self.wanted(chain, &stmts)? {
            Ok(Some(wanted)) => wanted,
            Ok(None) => return Ok(()),
            Err(why) => {
                self.tell(names, format!("loops stay as they are: {why}"));
                return Ok(());
            }
        };
        let mut kinds: Vec<Kind> = wanted.order.iter().map(|at| wanted.kinds[*at]).collect();
        let loops: Vec<LoopAddress> = (0..wanted.order.len()).map(|at| chain.address(at)).collect();
        if let Some(step) = interchange_of(&loops, &wanted.order) {
            if self.is_permutable(chain)? {
                self.draft.apply(step)?;
            } else {
                kinds = wanted.kinds;
                let text = "loops stay in their order: dependences keep them in it";
                self.tell(names.clone(), text.to_owned());
            }
        }
        let (done, why) = self.coalesce(chain, &kinds)?;
        if let Some(why) = why {
            self.tell(names.clone(), why);
        }
        let n_loops = kinds.len() - done;
        if done > 0 {
            let text = format!("{}: {} loops as {n_loops}", form(&kinds), kinds.len());
            self.tell(names, text);
        }
        Ok(())
    }

    /// Coalesces neighbours of one kind, inner ones first; how many loops fewer there are then, and why some stay apart, where they do.
    fn coalesce(&mut self, chain: &Chain, kinds: &[Kind]) -> Result<(usize, Option<String>)> {
        let (mut end, mut fewer, mut why) = (kinds.len(), 0, None);
        for group in kinds.chunk_by(|one, next| one == next).rev() {
            let first = end - group.len();
            end = first;
            if group.len() < 2 {
                continue;
            }
            let step = Coalesce { first: chain.address(first), count: group.len() };
            match self.draft.apply(Step::Coalesce(step)) {
                Ok(()) => fewer += group.len() - 1,
                Err(Error::Step(reason)) => {
                    let word = if group[0] == Kind::Reduced { "reduced" } else { "parallel" };
                    why = Some(format!("{word} loops stay apart: {reason}"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok((fewer, why))
    }

    /// What is to become of loops that run these statements; nothing where no reduction is among them, and why not, where they cannot be told apart.
    fn wanted(
        &self,
        chain: &Chain,
        stmts: &[StmtId],
    ) -> Result<std::result::Result<Option<Wanted>, &'static str>> {
        let known = stmts.iter().filter_map(|stmt| Some((*stmt, self.patterns.get(stmt)?)));
        let known: Vec<(StmtId, &Pattern)> = known.collect();
        let has_update = known.iter().any(|(_, pattern)| pattern.is_update);
        let mut leading = known.iter().filter(|(_, pattern)| pattern.is_update == has_update);
        let Some(first) = leading.next() else { return Ok(Ok(None)) };
        let Some((kinds, places)) = self.told_apart(chain, *first)? else {
            return Ok(Err(MIXED));
        };
        for other in leading {
            match self.told_apart(chain, *other)? {
                Some((same, _)) if same == kinds => {}
                Some(_) => return Ok(Err(DIFFERENT)),
                None => return Ok(Err(MIXED)),
            }
        }
        let last = (0..kinds.len()).max_by_key(|at| places[*at]);
        let is_x = self.outer_parallel || last.is_some_and(|at| kinds[at] == Kind::Reduced);
        let mut order: Vec<usize> = (0..kinds.len()).collect();
        order.sort_by_key(|at| ((kinds[*at] == Kind::Reduced) == is_x, places[*at]));
        Ok(Ok(Some(Wanted { kinds, order })))
    }

    /// What loops do for a statement, and their places in the memory that it goes through; `None` where one goes through elements and contributions
    /// at once, or it is none of the statement's.
    fn told_apart(
        &self,
        chain: &Chain,
        (stmt, pattern): (StmtId, &Pattern),
    ) -> Result<Option<(Vec<Kind>, Vec<usize>)>> {
        let (mut kinds, mut places) = (Vec::new(), Vec::new());
        for (_, _, member) in &chain.loops {
            let Some(row) = self.strides.member_row(stmt, member)? else { return Ok(None) };
            let involved: Vec<usize> = (0..row.len()).filter(|at| row[*at] != 0).collect();
            let mut is_reduced = involved.iter().map(|at| pattern.is_reduced[*at]);
            let Some(first) = is_reduced.next() else { return Ok(None) };
            if is_reduced.any(|other| other != first) {
                return Ok(None);
            }
            kinds.push(if first { Kind::Reduced } else { Kind::Parallel });
            let of_loops = pattern.in_memory.iter().rposition(|at| involved.contains(at));
            places.push(of_loops.unwrap_or_default());
        }
        Ok(Some((kinds, places)))
    }

    /// Whether loops may be in any order: as updates whose order is free may.
    fn is_permutable(&self, chain: &Chain) -> Result<bool> {
        let Some(deps) = self.deps.filter(|_| !chain.permutable) else {
            return Ok(chain.permutable);
        };
        let tree = self.draft.tree();
        let members = chain.loops.iter().map(|(_, _, member)| member.clone()).collect();
        let band = Band { members, permutable: false };
        let joined = ScheduleTree::band(band, tree.at(&chain.inside)?.clone());
        let reports = carried::directions(deps, &tree.replace(&chain.top, joined)?, &chain.top)?;
        let mut own = reports.iter().filter(|report| report.cursor == chain.top);
        Ok(own.all(|report| report.reversed.iter().all(|id| !deps[*id].is_order())))
    }

    /// Notes what was done, or why nothing was.
    fn tell(&mut self, stmts: Vec<String>, text: String) {
        self.remarks.push(Remark { pass: PASS, stmts, text });
    }
}

/// Why loops are not told apart.
const MIXED: &str = "one goes through elements of the result and through what is reduced at once";

/// Why loops are left alone that several reductions share.
const DIFFERENT: &str = "reductions in them do not reduce the same loops";

/// The form that loops of these kinds have.
fn form(kinds: &[Kind]) -> &'static str {
    let runs: Vec<Kind> = kinds.chunk_by(|one, next| one == next).map(|run| run[0]).collect();
    match runs.as_slice() {
        [Kind::Parallel] => "elements of a reduction",
        [Kind::Reduced] => ReductionForm::All.name(),
        [Kind::Parallel, Kind::Reduced] => ReductionForm::X.name(),
        [Kind::Reduced, Kind::Parallel] => ReductionForm::Y.name(),
        _ => ReductionForm::Interleaved.name(),
    }
}
