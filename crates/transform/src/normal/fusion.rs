//! Producers that share loops with the only reader of what they write.

use crate::plan::Draft;
use crate::updates::together;
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result};
use farkas_deps::{DependenceKind, Dependences};
use farkas_poly::{MultiUnionPwAff, UnionMap, UnionSet};
use farkas_scop::{Scop, StmtId};
use farkas_steps::{Fuse, LoopAddress, Shift, Step};
use farkas_tree::{Cursor, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Neighbouring loops of which the second alone reads what the first writes, as one loop, where each iteration of the second may follow that
/// of the first: from outside in, until there are none. Values are used soon then, and small buffers may take the place of arrays.
///
/// **Paper**: *A priori loop nest normalization*, section 5.1: the fusion of one-to-one relations of producers and consumers behind the
/// normal form.
///
/// **Steps**: `shift` and `fuse`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FuseProducers {}

impl Plans for FuseProducers {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let mut draft = Draft::new(view.program, Some(deps));
        // What was looked at comes before the rest of the tree, and stays as it is.
        let mut n_done = 0;
        while let Some(here) = draft.tree().cursors().get(n_done).cloned() {
            let fusion = fusion(draft.scop(), draft.tree(), deps, &here)?;
            let Some(Fusion { steps, stmts }) = fusion else {
                n_done += 1;
                continue;
            };
            if draft.attempt(|draft| steps.into_iter().try_for_each(|step| draft.apply(step)))? {
                let text = "loops are shared by what is written and its only reader".to_owned();
                remarks.push(Remark { pass: "fuse-producers", stmts, text });
            } else {
                n_done += 1;
            }
        }
        Ok(Proposal::Steps(draft.plan(view.tree())))
    }
}

/// What makes one loop of two.
struct Fusion {
    steps: Vec<Step>,
    stmts: Vec<String>,
}

/// A loop of a sequence.
struct Part {
    /// Its band, whose first member it is.
    at: Cursor,
    member: Member,
    instances: UnionSet,
    stmts: BTreeSet<StmtId>,
}

/// The first two neighbours of a sequence that may share a loop.
fn fusion(
    scop: &Scop,
    tree: &ScheduleTree,
    deps: &Dependences,
    sequence: &Cursor,
) -> Result<Option<Fusion>> {
    let (Node::Sequence(children) | Node::Set(children)) = tree.at(sequence)?.node() else {
        return Ok(None);
    };
    let mut parts = Vec::new();
    for child in 0..children.len() {
        parts.push(part(scop, tree, &sequence.child(child))?);
    }
    for pair in parts.windows(2) {
        if let [Some(first), Some(second)] = pair
            && let Some(fusion) = fused(scop, tree, deps, (sequence, first, second))?
        {
            return Ok(Some(fusion));
        }
    }
    Ok(None)
}

/// The loop that a child of a sequence is.
fn part(scop: &Scop, tree: &ScheduleTree, child: &Cursor) -> Result<Option<Part>> {
    let Node::Filter { filter, child: inside } = tree.at(child)?.node() else { return Ok(None) };
    let Node::Band { band, .. } = inside.node() else { return Ok(None) };
    let Some(member) = band.members.first().cloned() else { return Ok(None) };
    let mut stmts = BTreeSet::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        if !filter.extract_set(&stmt.domain.space()?)?.is_empty()? {
            stmts.insert(id);
        }
    }
    Ok(Some(Part { at: child.child(0), member, instances: filter.clone(), stmts }))
}

/// What makes one loop of two neighbours, where the second alone reads what the first writes and each of its iterations can be such that
/// none must wait for a later one of the first.
fn fused(
    scop: &Scop,
    tree: &ScheduleTree,
    deps: &Dependences,
    (sequence, first, second): (&Cursor, &Part, &Part),
) -> Result<Option<Fusion>> {
    let flows = |source: StmtId, sink: StmtId| {
        first.stmts.contains(&source) && !first.stmts.contains(&sink)
    };
    let mut readers = deps.deps.iter().filter(|dep| dep.kind == DependenceKind::Flow);
    let mut is_read = false;
    let is_only_reader = readers.all(|dep| {
        let leaves = flows(dep.source, dep.sink);
        is_read |= leaves;
        !leaves || second.stmts.contains(&dep.sink)
    });
    if !is_read || !is_only_reader {
        return Ok(None);
    }
    let Some(least) = least_distance(tree, deps, (sequence, first, second))? else {
        return Ok(None);
    };
    let name = |stmt: &StmtId| scop.stmts()[*stmt].name.clone();
    let mut steps = Vec::new();
    if least != 0 {
        for stmt in &second.stmts {
            let at = LoopAddress::of_stmt(name(stmt), second.at.clone(), 0);
            steps.push(Step::Shift(Shift { at, by: (-least).to_string() }));
        }
    }
    let loops = [first, second].map(|part| LoopAddress::member(part.at.clone(), 0));
    steps.push(Step::Fuse(Fuse { loops: loops.into() }));
    Ok(Some(Fusion { steps, stmts: first.stmts.iter().chain(&second.stmts).map(name).collect() }))
}

/// By how many iterations the second of two loops is at least behind the first where it must come later, within one iteration of the loops
/// around; none where no number says.
fn least_distance(
    tree: &ScheduleTree,
    deps: &Dependences,
    (sequence, first, second): (&Cursor, &Part, &Part),
) -> Result<Option<i64>> {
    let together = together(tree, sequence, 0)?;
    let [sources, sinks] = [dates(first)?, dates(second)?];
    let mut least: Option<i64> = None;
    for dep in deps.deps.iter().filter(|dep| dep.is_order() && dep.relaxed.is_none()) {
        if !first.stmts.contains(&dep.source) || !second.stmts.contains(&dep.sink) {
            continue;
        }
        let pairs = together.intersect(&dep.relation.to_union_map()?)?;
        for distances in pairs.apply_domain(&sources)?.apply_range(&sinks)?.deltas()?.sets()? {
            if distances.is_empty()? {
                continue;
            }
            let Some(own) = distances.dim_min_val(0)?.to_small_int()? else { return Ok(None) };
            least = Some(least.map_or(own, |least| least.min(own)));
        }
    }
    Ok(least)
}

/// The dates of the instances of a loop.
fn dates(part: &Part) -> Result<UnionMap> {
    let dates = MultiUnionPwAff::from_members(std::slice::from_ref(&part.member.schedule))?;
    Ok(dates.to_union_map()?.intersect_domain(&part.instances)?)
}
