//! Parallel loops that stand outermost, shared by neighbours.

use super::chain::Chain;
use super::fusion::{Neighbours, Part};
use super::signs::Signs;
use super::{begins_chain, loop_at, reorder};
use crate::plan::Draft;
use crate::updates::together;
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result};
use farkas_deps::Dependences;
use farkas_poly::{MultiUnionPwAff, UnionPwAff, UnionSet};
use farkas_scop::StmtId;
use farkas_steps::{Fuse, LoopAddress, Step, dates_around};
use farkas_tree::{Cursor, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parallel loops come outermost, and neighbouring nests share one whose iterations need nothing but what the same ones of the other computed. So
/// threads begin once, and values stay in their caches.
///
/// **Paper**: K. Kennedy, K. McKinley, *Maximizing loop parallelism and improving data locality via loop fusion and distribution*, LCPC
/// 1993. Ours chooses which parallel loop stands outermost by what neighbours can share, and fuses loops of the same iterations alone.
///
/// **Steps**: `interchange` and `fuse`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareParallel {}

/// The name of the pass in remarks.
const PASS: &str = "share-parallel";

impl Plans for ShareParallel {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let mut draft = Draft::new(view.program, Some(deps));
        // What was looked at comes before the rest of the tree, and stays as it is.
        let mut n_done = 0;
        while let Some(here) = draft.tree().cursors().get(n_done).cloned() {
            if !share(&mut draft, deps, &here, remarks)? {
                n_done += 1;
            }
        }
        bring_out(&mut draft, deps, remarks)?;
        Ok(Proposal::Steps(draft.plan(view.tree())))
    }
}

/// Lets the first two neighbours of a sequence share a loop that can; whether there were two.
fn share(
    draft: &mut Draft<'_>,
    deps: &Dependences,
    sequence: &Cursor,
    remarks: &mut Vec<Remark>,
) -> Result<bool> {
    let (Node::Sequence(children) | Node::Set(children)) = draft.tree().at(sequence)?.node() else {
        return Ok(false);
    };
    let n = children.len();
    let mut before: Option<Nest> = None;
    for child in 0..n {
        let nest = Nest::of(draft, deps, &sequence.child(child))?;
        if let (Some(first), Some(second)) = (&before, &nest)
            && let Some(loops) = shared(draft, deps, sequence, [first, second])?
            && draft.attempt(|draft| fuse(draft, [first, second], loops))?
        {
            let stmts = first.part.stmts.iter().chain(&second.part.stmts);
            let name = |stmt: &StmtId| draft.scop().stmts()[*stmt].name.clone();
            let text = "neighbours share a parallel loop".to_owned();
            remarks.push(Remark { pass: PASS, stmts: stmts.map(name).collect(), text });
            return Ok(true);
        }
        before = nest;
    }
    Ok(false)
}

/// A child of a sequence that is a nest of loops.
struct Nest {
    part: Part,
    chain: Chain,
    /// The loops that carry nothing, outermost first.
    free: Vec<usize>,
}

impl Nest {
    /// The nest that a child of a sequence is, if it is one.
    fn of(draft: &Draft<'_>, deps: &Dependences, child: &Cursor) -> Result<Option<Self>> {
        let (scop, tree) = (draft.scop(), draft.tree());
        let Some(part) = Part::of(scop, tree, child)? else { return Ok(None) };
        // What never runs shares nothing.
        if part.stmts.is_empty() {
            return Ok(None);
        }
        let chain = Chain::from(scop, tree, (&part.at, 0))?;
        let free = free(tree, deps, &chain)?;
        Ok(Some(Self { part, chain, free }))
    }

    /// The nest as a part whose outermost loop is another one.
    fn with_outermost(&self, at: usize) -> Part {
        Part { member: self.chain.loops[at].clone(), ..self.part.clone() }
    }
}

/// The loops of a chain that carry nothing: each may come outermost.
fn free(tree: &ScheduleTree, deps: &Dependences, chain: &Chain) -> Result<Vec<usize>> {
    let signs = Signs::of(tree, deps, chain)?;
    Ok((0..chain.loops.len()).filter(|at| signs.leave_free(*at)).collect())
}

/// The loops that two nests may share, by their positions: parallel, of the same iterations, and of which each needs nothing of others.
fn shared(
    draft: &Draft<'_>,
    deps: &Dependences,
    sequence: &Cursor,
    [first, second]: [&Nest; 2],
) -> Result<Option<[usize; 2]>> {
    let (scop, tree) = (draft.scop(), draft.tree());
    let neighbours = Neighbours { scop, tree, deps, sequence, shared_reads: false };
    let together = together(tree, sequence, 0)?;
    let mut others = Vec::new();
    for other in &second.free {
        let part = second.with_outermost(*other);
        others.push((*other, iterations(tree, sequence, &part)?, part));
    }
    for own in &first.free {
        let part = first.with_outermost(*own);
        let dates = iterations(tree, sequence, &part)?;
        for (other, other_dates, other_part) in &others {
            if dates.is_equal(other_dates)?
                && neighbours.keep_in_step(&together, &part, other_part)?
            {
                return Ok(Some([*own, *other]));
            }
        }
    }
    Ok(None)
}

/// The dates of a loop with those of the loops around it.
fn iterations(tree: &ScheduleTree, sequence: &Cursor, part: &Part) -> Result<UnionSet> {
    let mut dates: Vec<UnionPwAff> = dates_around(tree, sequence, 0)?;
    dates.push(part.member.schedule.clone());
    let dates = MultiUnionPwAff::from_members(&dates)?.to_union_map()?;
    Ok(dates.intersect_domain(&part.instances)?.range()?)
}

/// Brings a loop of each of two nests outermost and makes them one.
fn fuse(draft: &mut Draft<'_>, nests: [&Nest; 2], loops: [usize; 2]) -> Result<()> {
    for (nest, at) in nests.into_iter().zip(loops) {
        outermost(draft, &nest.chain, at)?;
    }
    let loops = nests.map(|nest| LoopAddress::member(nest.part.at.clone(), 0));
    draft.apply(Step::Fuse(Fuse { loops: loops.into() }))
}

/// Brings a loop of a chain outermost.
fn outermost(draft: &mut Draft<'_>, chain: &Chain, at: usize) -> Result<()> {
    let others = (0..chain.loops.len()).filter(|other| *other != at);
    let order = std::iter::once(at).chain(others).map(|at| (at, false)).collect();
    reorder(draft, chain, &order)
}

/// Brings a parallel loop outermost in each nest that has one inside alone.
fn bring_out(draft: &mut Draft<'_>, deps: &Dependences, remarks: &mut Vec<Remark>) -> Result<()> {
    let mut n_done = 0;
    while let Some(at) = loop_at(draft.tree(), n_done)? {
        n_done += 1;
        if !begins_chain(draft.tree(), &at)? {
            continue;
        }
        let chain = Chain::from(draft.scop(), draft.tree(), (&at.0, at.1))?;
        if chain.stmts.is_empty() {
            continue;
        }
        let Some(first) = free(draft.tree(), deps, &chain)?.first().copied() else { continue };
        if first != 0 && draft.attempt(|draft| outermost(draft, &chain, first))? {
            let name = |(stmt, _): &(StmtId, _)| draft.scop().stmts()[*stmt].name.clone();
            let stmts = chain.stmts.iter().map(name).collect();
            let text = "a parallel loop comes outermost".to_owned();
            remarks.push(Remark { pass: PASS, stmts, text });
        }
    }
    Ok(())
}
