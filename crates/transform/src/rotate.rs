//! Loops rotated: what an iteration begins with runs at the end of the one before, in the loops of what ends it.

use crate::descent::{Descent, Place, nest};
use crate::index_sets::{divided, one};
use crate::planner::{Plans, Proposal, View};
use crate::{Remark, Result, stmt_names};
use farkas_poly::{Map, MultiUnionPwAff, PwAff, UnionPwAff, UnionSet};
use farkas_tree::{Band, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops whose iterations begin at the end of the ones before: [`rotate_loops`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotate {}

impl Plans for Rotate {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        let descent = Descent { scop: view.setting.scop, deps, strides: view.strides()? };
        Ok(Proposal::Order(rotate_loops(descent, view.tree(), remarks)?))
    }
}

/// Rotates sequential loops whose last nest computes what the first nest of the next iteration needs, element by element, and lets
/// these two nests share their loops.
///
/// **Rewrite**: `band [t]; sequence` of nests `Y`, `M`, `X` becomes `sequence` of `band [t]; Y` for the first `t`, of `band [t]` around
/// `M` and the loops of `X(t)` and `Y(t + 1)` in one, and of `band [t]; M, X` for the last `t`. A step of an
/// orthogonalisation takes a column's part off all others and multiplies the next column with them: both pass
/// through memory, in which they share a pass now.
///
/// A rotation alone is always legal: with `Y` one iteration earlier, what comes before stays before. Shared loops are taken
/// where no dependence from `X(t)` to `Y(t + 1)` runs against them and at least one stays within an iteration of all of
/// them. Loops for threads stay as they are.
///
/// # Errors
/// When isl refuses.
pub(crate) fn rotate_loops(
    descent: Descent<'_>,
    tree: &ScheduleTree,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    descent.rewritten(tree, &mut |tree, place| {
        let Node::Band { band, child } = tree.node() else { return Ok(None) };
        let [member] = &band.members[..] else { return Ok(None) };
        rotated(member, child, place, remarks)
    })
}

/// A nest of loops one inside the other.
struct Nest<'a> {
    instances: UnionSet,
    members: Vec<&'a Member>,
    /// What is in them, without loops.
    body: &'a ScheduleTree,
}

/// The instances of a rotated loop: of iterations in which only the first nest runs, in which all run, in which all others run.
struct Phases {
    first: UnionSet,
    all: UnionSet,
    last: UnionSet,
}

/// The loop around `child`, rotated; `None` where its first and its last nest cannot share their loops, or need not.
fn rotated(
    member: &Member,
    child: &ScheduleTree,
    place: &Place,
    remarks: &mut Vec<Remark>,
) -> Result<Option<ScheduleTree>> {
    let Place { instances, pairs, .. } = place;
    let Node::Sequence(nests) = child.node() else { return Ok(None) };
    let [first, middle @ .., last] = &nests[..] else { return Ok(None) };
    let (Some(first), Some(last)) = (nest_of(first, instances)?, nest_of(last, instances)?) else {
        return Ok(None);
    };
    if member.coincident || first.members.len() != last.members.len() {
        return Ok(None);
    }
    let schedule = earlier(&member.schedule.intersect_domain(instances)?, &first.instances)?;
    let member = Member { schedule, coincident: false, ..member.clone() };
    let same = divided(pairs, &member.schedule)?.0;
    let Some(shared) = shared(&last, &first, &same, place.is_in_threads())? else {
        return Ok(None);
    };
    if !is_same_rectangle(&last, &first, &shared, &place.outer)? {
        return Ok(None);
    }
    let Some(phases) = phases(&member, &first, place)? else { return Ok(None) };

    let stmts = stmt_names(&last.instances.union(&first.instances)?)?;
    let text = "a loop is rotated, so that two of its nests pass through memory at once";
    remarks.push(Remark { pass: "rotate", stmts, text: text.to_owned() });
    let body = both(middle, &last, &first, shared)?;
    let mut children = Vec::new();
    for (phase, body) in [(phases.first, child), (phases.all, &body), (phases.last, child)] {
        if !phase.is_empty()? {
            let tree = one(member.clone(), body.clone()).restricted_to(&phase)?;
            children.push((phase, tree));
        }
    }
    Ok(Some(ScheduleTree::sequence(children)))
}

/// The loops that two nests, `one` before `next`, may share; `None` where a pair runs against them, no pair stays within an
/// iteration of all of them, or threads would lose a loop.
fn shared(
    one: &Nest<'_>,
    next: &Nest<'_>,
    pairs: &[Map],
    is_in_threads: bool,
) -> Result<Option<Vec<Member>>> {
    let mut left = Vec::new();
    for pairs in pairs {
        let space = pairs.space()?;
        let sources = one.instances.extract_set(&space.domain()?)?;
        let sinks = next.instances.extract_set(&space.range()?)?;
        left.push(pairs.intersect_domain(&sources)?.intersect_range(&sinks)?);
    }
    let (between, mut members) = (left.clone(), Vec::new());
    for (a, b) in one.members.iter().zip(&next.members) {
        let dates = a.schedule.intersect_domain(&one.instances)?;
        let schedule = dates.union_add(&b.schedule.intersect_domain(&next.instances)?)?;
        let (same, carried) = divided(&left, &schedule)?;
        let date = MultiUnionPwAff::from_members(std::slice::from_ref(&schedule))?;
        for pairs in &carried {
            let against = pairs.to_union_map()?.lex_gt_at_multi_union_pw_aff(&date)?;
            if !against.is_empty()? {
                return Ok(None);
            }
        }
        // Of all pairs, also those that loops around it carry: it may go anywhere among the loops.
        let carries_none = divided(&between, &schedule)?.1.is_empty();
        let coincident = a.coincident && b.coincident && carries_none;
        if (a.coincident || b.coincident) && !coincident && !is_in_threads {
            return Ok(None);
        }
        members.push(Member { schedule, coincident, ..(*a).clone() });
        left = same;
    }
    Ok((!left.is_empty()).then_some(members))
}

/// Whether two nests have the same iterations of shared loops, whatever the iterations of the loop around them are.
fn is_same_rectangle(
    a: &Nest<'_>,
    b: &Nest<'_>,
    shared: &[Member],
    outer: &[Member],
) -> Result<bool> {
    let members: Vec<_> = outer.iter().chain(shared).map(|m| m.schedule.clone()).collect();
    let dates = MultiUnionPwAff::from_members(&members)?.to_union_map()?;
    let of = |nest: &Nest<'_>| dates.intersect_domain(&nest.instances)?.range();
    Ok(of(a)?.is_equal(&of(b)?)?)
}

/// The phases of a rotated loop; `None` where they are not in this order, or its nests never run together.
fn phases(member: &Member, first: &Nest<'_>, place: &Place) -> Result<Option<Phases>> {
    let Place { outer, instances, pairs } = place;
    let mut members: Vec<_> = outer.iter().map(|m| m.schedule.clone()).collect();
    members.push(member.schedule.clone());
    let dates = MultiUnionPwAff::from_members(&members)?.to_union_map()?;
    let dates = dates.intersect_domain(instances)?;
    let others = instances.subtract(&first.instances)?;
    let of_first = dates.intersect_domain(&first.instances)?.range()?;
    let of_others = dates.intersect_domain(&others)?.range()?;
    let at = |wanted: UnionSet| dates.intersect_range(&wanted)?.domain();
    // What both have in common would be cut into pieces.
    let phases = Phases {
        first: at(of_first.subtract(&of_others.gist(&of_first)?)?)?,
        all: at(of_first.intersect(&of_others)?)?,
        last: at(of_others.subtract(&of_first.gist(&of_others)?)?)?,
    };
    let after_first = phases.all.union(&phases.last)?;
    let is_in_order = !any_between(pairs, &after_first, &phases.first)?
        && !any_between(pairs, &phases.last, &phases.all)?;
    Ok((is_in_order && !phases.all.is_empty()?).then_some(phases))
}

/// Whether a pair leads from one set to another.
fn any_between(pairs: &[Map], from: &UnionSet, to: &UnionSet) -> Result<bool> {
    for pairs in pairs {
        let pairs = pairs.to_union_map()?.intersect_domain(from)?.intersect_range(to)?;
        if !pairs.is_empty()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The dates with those of some instances one earlier.
fn earlier(schedule: &UnionPwAff, some: &UnionSet) -> Result<UnionPwAff> {
    let others = schedule.intersect_domain(&schedule.domain()?.subtract(some)?)?;
    let mut dates = others.pw_affs()?;
    for date in schedule.intersect_domain(some)?.pw_affs()? {
        dates.push(date.sub(&PwAff::constant_on(&date.domain()?, 1)?)?);
    }
    Ok(UnionPwAff::union_all(dates)?)
}

/// What a rotated loop does where all of its nests run: `one` and `next` share loops after what is between `next` and `one`.
fn both(
    middle: &[ScheduleTree],
    one: &Nest<'_>,
    next: &Nest<'_>,
    shared: Vec<Member>,
) -> Result<ScheduleTree> {
    let mut children = Vec::new();
    for child in middle {
        if let Node::Filter { filter, child } = child.node() {
            children.push((filter.clone(), child.clone()));
        }
    }
    let body = [one, next].map(|nest| (nest.instances.clone(), nest.body.clone()));
    let band = Band { members: shared, permutable: false };
    let loops = ScheduleTree::band(band, ScheduleTree::sequence(body.into()));
    children.push((one.instances.union(&next.instances)?, loops));
    Ok(ScheduleTree::sequence(children))
}

/// The nest of a child of a sequence; `None` where it is none.
fn nest_of<'a>(child: &'a ScheduleTree, instances: &UnionSet) -> Result<Option<Nest<'a>>> {
    let Node::Filter { filter, child } = child.node() else { return Ok(None) };
    let Some((members, body)) = nest(child) else { return Ok(None) };
    Ok(Some(Nest { instances: instances.intersect(filter)?, members, body }))
}
