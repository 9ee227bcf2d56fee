//! Loops rotated: what an iteration begins with runs at the end of the one before, in the loops of what ends it.

use crate::descent::{Descent, Place, n_marks_above, nest};
use crate::index_sets::{self, divided};
use crate::plan::Draft;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_poly::{Map, MultiUnionPwAff, PwAff, UnionPwAff, UnionSet};
use farkas_steps::{Cut, Dates, Distribute, Fuse, LoopAddress, Shift, Step, decided};
use farkas_tree::{Cursor, Member, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Loops whose iterations begin at the end of the ones before: [`rotate_loops`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotate {}

impl Plans for Rotate {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        let descent = Descent { scop: view.setting.scop, deps, strides: view.strides()? };
        Ok(Proposal::Steps(rotate_loops(descent, view.program, remarks)?))
    }
}

/// Rotates sequential loops whose last nest computes what the first nest of the next iteration needs, element by element, and lets
/// these two nests share their loops.
///
/// **Steps**: of `band [t]; sequence` of nests `Y`, `M`, `X`, the first nest comes one iteration earlier (`shift`), the loop is cut (`cut`)
/// into the iterations in which only `Y` runs, those in which all run, and those in which only the others do; where all run, `Y`
/// goes behind `X` (`distribute`, `fuse`), and both share their loops (`fuse`). A step of an
/// orthogonalisation takes a column's part off all others and multiplies the next column with them: both pass
/// through memory, in which they share a pass now.
///
/// A rotation alone is always legal: with `Y` one iteration earlier, what comes before stays before. Shared loops are taken
/// where no dependence from `X(t)` to `Y(t + 1)` runs against them and at least one stays within an iteration of all of
/// them. Loops for threads stay as they are.
///
/// # Errors
/// When isl refuses.
fn rotate_loops(
    descent: Descent<'_>,
    program: &Program,
    remarks: &mut Vec<Remark>,
) -> Result<Plan> {
    let sites = descent.sites(&program.tree, &mut |tree, place| {
        let Node::Band { band, child } = tree.node() else { return Ok(None) };
        let [member] = &band.members[..] else { return Ok(None) };
        rotation(member, child, place)
    })?;
    let mut draft = Draft::new(program, None);
    for rotation in sites {
        let is_done = draft.attempt(|draft| {
            let top = rotation.rotate(draft)?;
            // Loops that were fused may carry less.
            let tree = decided(draft.tree(), Some(descent.deps), &top)?;
            draft.note(tree);
            Ok(())
        })?;
        if is_done {
            let text = "a loop is rotated, so that two of its nests pass through memory at once";
            let stmts = [rotation.last, rotation.first].concat();
            remarks.push(Remark { pass: "rotate", stmts, text: text.to_owned() });
        }
    }
    Ok(draft.plan_with_notes(&program.tree))
}

/// A loop to rotate.
struct Rotation {
    /// Its band.
    here: Cursor,
    /// The statements of its first nest, of those between, and of its last nest.
    first: Vec<String>,
    middle: Vec<String>,
    last: Vec<String>,
    /// How many loops the two nests share.
    n_shared: usize,
    /// Where the loop is cut.
    dates: Vec<String>,
    /// Whether it begins with iterations in which only the first nest runs.
    has_first: bool,
}

impl Rotation {
    /// The steps; gives the place below which something changed.
    fn rotate(&self, draft: &mut Draft<'_>) -> Result<Cursor> {
        let Self { here, .. } = self;
        let n_marks = n_marks_above(draft.tree(), here);
        let top = here.ancestor(n_marks);
        for stmt in &self.first {
            let at = LoopAddress::of_stmt(stmt, here.clone(), 0);
            draft.apply(Step::Shift(Shift { at, by: "-1".to_owned() }))?;
        }
        let mut all = here.clone();
        if !self.dates.is_empty() {
            let (place, at) = (LoopAddress::member(here.clone(), 0), Dates(self.dates.clone()));
            draft.apply(Step::Cut(Cut { place, at }))?;
            let part = top.child(usize::from(self.has_first));
            all = (0..=n_marks).fold(part, |here, _| here.child(0));
        }
        self.share(draft, &all)?;
        Ok(top)
    }

    /// The steps after which the first nest of the loop at `all` runs last, in the loops of the last one.
    fn share(&self, draft: &mut Draft<'_>, all: &Cursor) -> Result<()> {
        let groups = [&self.middle, &self.last, &self.first].map(Clone::clone);
        let groups: Vec<_> = groups.into_iter().filter(|group| !group.is_empty()).collect();
        let n_groups = groups.len();
        let at = LoopAddress::member(all.clone(), 0);
        draft.apply(Step::Distribute(Distribute { at, groups }))?;
        draft.apply(fuse(all, 0..n_groups))?;
        let mut nests = all.child(0);
        draft.apply(fuse(&nests, n_groups - 2..n_groups))?;
        if n_groups > 2 {
            nests = nests.child(n_groups - 2).child(0);
        }
        for _ in 1..self.n_shared {
            nests = nests.child(0);
            draft.apply(fuse(&nests, 0..2))?;
        }
        Ok(())
    }
}

/// The step that fuses the outermost loops of some children of a sequence.
fn fuse(sequence: &Cursor, children: Range<usize>) -> Step {
    let first = |at| LoopAddress::member(sequence.child(at).child(0), 0);
    Step::Fuse(Fuse { loops: children.map(first).collect() })
}

/// A nest of loops one inside the other.
struct Nest<'a> {
    instances: UnionSet,
    members: Vec<&'a Member>,
}

/// The instances of a rotated loop: of iterations in which only the first nest runs, in which all run, in which all others run.
struct Phases {
    first: UnionSet,
    all: UnionSet,
    last: UnionSet,
}

/// The rotation of the loop around `child`; `None` where its first and its last nest cannot share their loops, or need not.
fn rotation(member: &Member, child: &ScheduleTree, place: &Place) -> Result<Option<Rotation>> {
    let Place { here, instances, pairs, .. } = place;
    let Node::Sequence(nests) = child.node() else { return Ok(None) };
    let [first, .., last] = &nests[..] else { return Ok(None) };
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
    let Some(dates) = phases.dates(&member, place)? else { return Ok(None) };
    let others = instances.subtract(&first.instances)?.subtract(&last.instances)?;
    let (n_shared, has_first) = (shared.len(), !phases.first.is_empty()?);
    let [first, middle, last] = [&first.instances, &others, &last.instances].map(stmt_names);
    let (first, middle, last) = (first?, middle?, last?);
    // Steps name statements, whose instances go together.
    let is_one_place = |name: &String| !first.contains(name) && !last.contains(name);
    if !middle.iter().all(is_one_place) || first.iter().any(|name| last.contains(name)) {
        return Ok(None);
    }
    let here = here.clone();
    Ok(Some(Rotation { here, first, middle, last, n_shared, dates, has_first }))
}

impl Phases {
    /// The first dates of the second and of the third phase, of those that there are, where these follow the one before; `None` where
    /// the loop cannot be cut there.
    fn dates(&self, member: &Member, place: &Place) -> Result<Option<Vec<String>>> {
        let outer = place.outer.iter().map(|member| member.schedule.clone()).collect();
        let around = index_sets::Dates { outer };
        let (mut dates, mut before) = (Vec::new(), self.first.clone());
        for phase in [&self.all, &self.last] {
            if !before.is_empty()? && !phase.is_empty()? {
                let Some(date) = around.first_of(phase, &member.schedule)? else {
                    return Ok(None);
                };
                let [earlier, ..] = around.parts(&member.schedule, &date)?;
                if !earlier.intersect(&place.instances)?.is_equal(&before)? {
                    return Ok(None);
                }
                dates.push(index_sets::written(&date));
            }
            before = before.union(phase)?;
        }
        Ok(Some(dates))
    }
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
    let Place { outer, instances, pairs, .. } = place;
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

/// The nest of a child of a sequence; `None` where it is none.
fn nest_of<'a>(child: &'a ScheduleTree, instances: &UnionSet) -> Result<Option<Nest<'a>>> {
    let Node::Filter { filter, child } = child.node() else { return Ok(None) };
    let Some((members, _)) = nest(child) else { return Ok(None) };
    Ok(Some(Nest { instances: instances.intersect(filter)?, members }))
}
