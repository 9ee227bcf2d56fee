//! Recurrences side by side: strips of a parallel loop inside of the loops that carry dependences.

mod chain;
mod private;

pub use private::PrivateStrips;

use crate::plan::{Draft, interchange, mark};
use crate::view::{Plans, Proposal, Setting, View};
use crate::{Plan, Remark, Result, stmt_names};
use chain::Chain;
use farkas_analysis::{StrideModel, is_long};
use farkas_deps::Dependences;
use farkas_machine::Machine;
use farkas_poly::{DimType, MultiUnionPwAff, UnionPwAff, UnionSet};
use farkas_scop::{Scop, Stride};
use farkas_steps::{ArrayAddress, Expand, LoopAddress, LoopKind, Past, Sink, Step, Tile};
use farkas_tree::{Band, Cursor, Mark, Member, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop with fewer iterations leaves threads without strips.
const LONG: i64 = 32;

/// The lines of memory that a strip takes of each array whose rows lie along it: so many that fetching them ahead pays.
const N_LINES: i64 = 8;

/// What strips are made from.
pub(crate) struct Context<'a> {
    /// The scop.
    pub(crate) scop: &'a Scop,
    /// Its dependences.
    pub(crate) deps: &'a Dependences,
    /// The linear parts of accesses.
    pub(crate) strides: &'a StrideModel,
    /// What it runs on.
    pub(crate) machine: &'a Machine,
}

/// Recurrences side by side: [`lay_side_by_side`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Strips {}

impl Plans for Strips {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Setting { scop, machine, .. } = view.setting;
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        let context = Context { scop, deps, strides: view.strides()?, machine };
        Ok(Proposal::Steps(lay_side_by_side(view.program, &context, remarks)?))
    }
}

/// Lays the recurrences in innermost loops side by side where a loop around them is coincident.
///
/// **Steps**: of `band [f]; sequence [A, band [g] of B, band [h] of C]`, of which `f` is coincident and `g` or `h` is a recurrence, `f` is
/// cut into strips (`tile`), and the loop over a strip goes inside (`sink`):
/// `mark tile; band [s floor(f / s)]; mark point; sequence [band [f] of A, band [g]; band [f] of B, band [h]; band [f] of C]`.
/// The processor works at the `s` recurrences of a strip at the same time, for none waits for another. The
/// innermost loop is written out (`mark`) where an access jumps along it, and `s` is as large as it takes to keep the processor busy
/// ([`Chain::n_lanes`]), no larger, so that what the recurrences touch stays near. Where none jumps, compilers have vector
/// lanes for the loop, and `s` is a few lines of memory.
///
/// Loops that are tiled stay as they are, and so do those whose recurrences are of different lengths ([`is_even`]). Legal because
/// a coincident loop carries nothing that the loops around it leave, so that its iterations may run in any order, and in turns.
///
/// # Errors
/// When isl refuses.
fn lay_side_by_side(
    program: &Program,
    context: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<Plan> {
    let tree = &program.tree;
    let Node::Domain { domain, .. } = tree.node() else { return Ok(Plan::none(tree)) };
    let draft = Draft::new(program, None);
    let mut laying = Laying { context, draft, outer: Vec::new(), remarks };
    laying.below(tree, domain, &Cursor::root(), 0)?;
    Ok(laying.draft.plan(tree))
}

/// The state of laying recurrences side by side.
struct Laying<'a> {
    context: &'a Context<'a>,
    draft: Draft<'a>,
    /// The members around the place.
    outer: Vec<Member>,
    remarks: &'a mut Vec<Remark>,
}

impl Laying<'_> {
    /// The strips in a subtree, which these instances reach, and right above which there are `n_marks` marks; whether there are some.
    fn below(
        &mut self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        here: &Cursor,
        n_marks: usize,
    ) -> Result<bool> {
        let (inside, n_inside) = match tree.node() {
            Node::Mark { mark: Mark::Shaped | Mark::Tile(_), .. } => return Ok(false),
            Node::Mark { .. } => (instances.clone(), n_marks + 1),
            Node::Filter { filter, .. } => (instances.intersect(filter)?, 0),
            _ => (instances.clone(), 0),
        };
        let depth = self.outer.len();
        if let Node::Band { band, .. } = tree.node() {
            self.outer.extend(band.members.iter().cloned());
        }
        let mut has_strips = false;
        for (at, child) in tree.children().iter().enumerate() {
            has_strips |= self.below(child, &inside, &here.child(at), n_inside)?;
        }
        self.outer.truncate(depth);
        // The innermost parallel loop comes first; strips in strips would be too much.
        if let Node::Band { band, child } = tree.node()
            && !has_strips
            && self.context.strides.are_of(self.context.scop, &inside)?
            && let Some(nest) = Nest::of(band, child, &inside, &self.outer, self.context)?
        {
            self.remarks.push(nest.remark()?);
            let lanes_as = nest.jumps.then_some(LoopKind::Unroll);
            let strips = in_strips(&mut self.draft, &nest, (here, n_marks), &[], lanes_as)?;
            self.draft.apply(mark(&strips, 0, LoopKind::FullTilesApart))?;
            has_strips = true;
        }
        Ok(has_strips)
    }
}

/// Lays a nest, which begins at `here` below some marks, in strips, whose loops have cells for the iterations of a strip in the place of
/// these scalars, and marks the loops along recurrences, if it does, as some kind: where the loop over the strips is then.
fn in_strips(
    draft: &mut Draft<'_>,
    nest: &Nest<'_>,
    (here, n_marks): (&Cursor, usize),
    scalars: &[String],
    lanes_as: Option<LoopKind>,
) -> Result<Cursor> {
    let lane = nest.outside.len();
    let others = (lane..nest.n_members).filter(|at| *at != nest.position);
    let order: Vec<usize> = (0..lane).chain([nest.position]).chain(others).collect();
    if let Some(step) = interchange(here, &order) {
        draft.apply(step)?;
    }
    let first = LoopAddress::member(here.clone(), lane);
    draft.apply(Step::Tile(Tile { first, sizes: vec![nest.size] }))?;
    // A band without loops outside of the strips is gone, with the marks above it.
    let strips = if lane == 0 { here.ancestor(n_marks) } else { here.child(0) };
    let strips = strips.child(0);
    let points = strips.child(0).child(0);
    let at = LoopAddress::member(points.clone(), 0);
    for scalar in scalars {
        let (array, at) = (ArrayAddress::Name(scalar.clone()), Some(at.clone()));
        draft.apply(Step::Expand(Expand { array, into: None, at }))?;
    }
    draft.apply(Step::Sink(Sink { at, past: Past::Sequential }))?;
    if let Some(kind) = lanes_as {
        let below = draft.tree().at(&points)?.clone();
        for lane in lanes(&below, &points) {
            draft.apply(mark(&lane, 0, kind))?;
        }
    }
    Ok(strips)
}

/// The bands right inside of innermost loops whose iterations wait for one another, below a node: what has become of a strip's loop
/// there, after it went inside of the strip's loops.
fn lanes(tree: &ScheduleTree, here: &Cursor) -> Vec<Cursor> {
    let mut found = Vec::new();
    if let Node::Band { band, child } = tree.node()
        && let Node::Band { child: inside, .. } = child.node()
        && !inside.contains_band()
        && band.members.last().is_some_and(|member| !member.coincident)
    {
        found.push(here.child(0));
    }
    for (at, child) in tree.children().iter().enumerate() {
        found.extend(lanes(child, &here.child(at)));
    }
    found
}

/// A parallel loop with recurrences in it.
struct Nest<'a> {
    /// Members of the band that stay outside of it.
    outside: &'a [Member],
    lane: Member,
    /// Its position in the band, of so many members.
    position: usize,
    n_members: usize,
    /// What is inside of it.
    inside: ScheduleTree,
    /// Whether an access of the recurrence jumps along the parallel loop.
    jumps: bool,
    /// How many iterations of the parallel loop a strip has.
    size: i64,
}

impl<'a> Nest<'a> {
    /// The best nest of a band; `None` where it has none.
    fn of(
        band: &'a Band,
        child: &ScheduleTree,
        instances: &UnionSet,
        outer: &[Member],
        context: &Context<'_>,
    ) -> Result<Option<Self>> {
        let mut best: Option<(usize, Self)> = None;
        for (at, lane) in band.members.iter().enumerate() {
            if !lane.coincident || !is_long(lane, instances, LONG)? {
                continue;
            }
            let first = if band.permutable { 0 } else { at };
            let (outside, rest) = band.members.split_at(first);
            let rest = rest.iter().enumerate().filter(|(k, _)| first + k != at);
            let members: Vec<Member> = rest.map(|(_, member)| member.clone()).collect();
            let inside =
                ScheduleTree::band(Band { members, permutable: band.permutable }, child.clone());
            let mut loops: Vec<Member> = outer.iter().chain(outside).cloned().collect();
            loops.push(lane.clone());
            let Some(chain) = Chain::slowest(context, &inside, instances, &mut loops)? else {
                continue;
            };
            if !is_even(&chain.loops, loops.len() - 1, instances)? {
                continue;
            }
            let n_jumps = n_jumps(context, &chain, loops.len() - 1)?;
            if n_jumps == 0 && at + 1 == band.members.len() && !child.contains_band() {
                // Its iterations run in vector lanes as it is.
                return Ok(None);
            }
            if best.as_ref().is_none_or(|(least, _)| n_jumps <= *least) {
                let (lane, jumps) = (lane.clone(), n_jumps > 0);
                let size = if jumps { chain.n_lanes() } else { of_lines(context, &chain)? };
                let (position, n_members) = (at, band.members.len());
                best = Some((
                    n_jumps,
                    Self { outside, lane, position, n_members, inside, jumps, size },
                ));
            }
        }
        Ok(best.map(|(_, nest)| nest))
    }

    /// What is done.
    fn remark(&self) -> Result<Remark> {
        let text = format!("strips of {} recurrences side by side", self.size);
        Ok(Remark { pass: "strips", stmts: stmt_names(&self.lane.schedule.domain()?)?, text })
    }
}

/// Whether the iterations of a loop, which is one of those around instances, have the same iterations of the loops in it: lanes of which some have none any more,
/// as in triangles, cost a condition each and leave the processor waiting.
pub(crate) fn is_even(loops: &[Member], lane: usize, instances: &UnionSet) -> Result<bool> {
    let members: Vec<UnionPwAff> = loops.iter().map(|m| m.schedule.clone()).collect();
    let dates = MultiUnionPwAff::from_members(&members)?.to_union_map()?;
    let n = u32::try_from(members.len().saturating_sub(lane + 1)).unwrap_or(u32::MAX);
    let lane = u32::try_from(lane).unwrap_or(u32::MAX);
    for dates in dates.intersect_domain(instances)?.range()?.sets()? {
        let lanes = dates.project_out(DimType::SET, lane + 1, n)?;
        let all = lanes.insert_dims(DimType::SET, lane + 1, n)?;
        let iterations = dates.project_out(DimType::SET, lane, 1)?;
        let each = iterations.insert_dims(DimType::SET, lane, 1)?;
        if !all.intersect(&each)?.is_subset(&dates)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The elements of [`N_LINES`] lines of memory, of the largest that a recurrence touches.
fn of_lines(context: &Context<'_>, chain: &Chain) -> Result<i64> {
    let mut bytes = 1;
    for (stmt, _) in context.strides.rows_of(&chain.loops)?.unwrap_or_default() {
        for access in &context.scop.stmts()[stmt].accesses {
            let kind = &context.scop.arrays()[access.array].element.kind;
            bytes = bytes.max(kind.size_bytes().unwrap_or(8));
        }
    }
    Ok(i64::from(context.machine.line_bytes() / bytes).max(1) * N_LINES)
}

/// The accesses of a recurrence that jump along one of its loops.
fn n_jumps(context: &Context<'_>, chain: &Chain, lane: usize) -> Result<usize> {
    let mut n = 0;
    for (stmt, rows) in context.strides.rows_of(&chain.loops)?.unwrap_or_default() {
        let along = context.strides.strides(stmt, &rows, lane);
        n += match along.filter(|_| rows.len() == chain.loops.len()) {
            Some(strides) => strides.iter().filter(|s| **s == Stride::Strided).count(),
            None => 1,
        };
    }
    Ok(n)
}
