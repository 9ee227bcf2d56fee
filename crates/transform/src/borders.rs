//! Borders: loops cut where the windows inside them become whole.

use crate::index_sets::written;
use crate::plan::Draft;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::{Affine, Bounds};
use farkas_poly::{DimType, MultiUnionPwAff, Set, UnionSet};
use farkas_steps::{Cut, Dates, LoopAddress, Step, loops_around, reaching};
use farkas_tree::{Cursor, MAX_WRITTEN_OUT, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops cut before and after the iterations that run through whole windows: [`plan_cuts`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CutBorders {}

impl Plans for CutBorders {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Ok(Proposal::Steps(plan_cuts(view, remarks)?))
    }
}

/// The most loops around one another that are cut: each makes three of all that is in it.
const MAX_CUT: usize = 3;

/// Cuts loops before and after the iterations in which the windows inside are whole.
///
/// A window is a nest of short innermost loops: `for k in max(0, 1 - x)..min(3, n + 1 - x)` is cut off where `x` is near an end of a
/// picture, and all of `0..3` elsewhere. Between the borders compilers write it out, and a condition on `x` that lets it run there
/// alone is gone.
///
/// **Rewrite**: `band [x]` becomes `sequence` of `band [x]` for `x < l`, `l <= x < u` and `u <= x`, by step [`Cut`]. In the second one
/// the bounds of windows that are a number apart are the tightest ones, and all statements with windows run. Where `l` or `u` is no
/// border, there is no such part. The loop that goes on threads stays whole. Always legal: the order of instances stays.
///
/// # Errors
/// When isl refuses.
fn plan_cuts(view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let tree = view.tree();
    if !matches!(tree.node(), Node::Domain { .. }) {
        return Ok(Plan::none(tree));
    }
    let draft = Draft::new(view.program, None);
    let mut borders = Borders { draft, has_threads: view.setting.has_threads, remarks };
    borders.below(&Cursor::root().child(0), Around::default())?;
    Ok(borders.draft.plan(tree))
}

/// The state of a walk.
struct Borders<'a> {
    draft: Draft<'a>,
    has_threads: bool,
    remarks: &'a mut Vec<Remark>,
}

/// What is around a place.
#[derive(Clone, Copy, Default)]
struct Around {
    /// Whether a loop has iterations that threads can share.
    is_concurrent: bool,
    /// How many loops are cut.
    n_cut: usize,
}

impl Borders<'_> {
    /// Cuts loops of the subtree at `here`. What has marks is as it is to be.
    fn below(&mut self, here: &Cursor, around: Around) -> Result<()> {
        let node = self.draft.tree().at(here)?.clone();
        match node.node() {
            Node::Mark { .. } => Ok(()),
            Node::Band { .. } => self.loops(here, 0, around),
            _ => (0..node.children().len())
                .try_for_each(|number| self.below(&here.child(number), around)),
        }
    }

    /// Cuts loops of a band from one on, and those inside.
    fn loops(&mut self, band: &Cursor, at: usize, mut around: Around) -> Result<()> {
        let tree = self.draft.tree().clone();
        let Node::Band { band: loops, .. } = tree.at(band)?.node() else { return Ok(()) };
        let Some(member) = loops.members.get(at) else {
            return self.below(&band.child(0), around);
        };
        let is_for_threads = self.has_threads && member.coincident && !around.is_concurrent;
        around.is_concurrent |= member.coincident;
        if !is_for_threads
            && around.n_cut < MAX_CUT
            && let Some(core) = (Place { tree: &tree, band, at }).core()?
        {
            let place = LoopAddress::member(band.clone(), at);
            let dates: Vec<String> = core.first.iter().chain(&core.end).cloned().collect();
            let cut = Step::Cut(Cut { place, at: Dates(dates) });
            // Steps have no words for sizes that are members of structs.
            if self.draft.attempt(|draft| draft.apply(cut))? {
                around.n_cut += 1;
                let stmts = stmt_names(&reaching(&tree, band)?)?;
                let text = "a loop is cut where windows inside it become whole, and where they cease to be";
                self.remarks.push(Remark { pass: "borders", stmts, text: text.to_owned() });
                // Loops around it keep their band.
                let parts = if at == 0 { band.clone() } else { band.child(0) };
                let part = parts.child(usize::from(core.first.is_some())).child(0);
                return self.loops(&part, 1, around);
            }
        }
        self.loops(band, at + 1, around)
    }
}

/// Where windows are whole: dates as steps have them.
struct Core {
    /// The first iteration, where it is not the loop's own.
    first: Option<String>,
    /// The one behind the last, where that is not the loop's own.
    end: Option<String>,
}

/// A loop: a member of a band.
#[derive(Clone, Copy)]
struct Place<'t> {
    tree: &'t ScheduleTree,
    band: &'t Cursor,
    at: usize,
}

impl Place<'_> {
    /// The iterations in which windows are whole; `None` where all are such, or where these are no range.
    fn core(&self) -> Result<Option<Core>> {
        let Node::Band { band, child } = self.tree.at(self.band)?.node() else { return Ok(None) };
        let around = loops_around(self.tree, self.band, self.at + 1)?;
        let mut between: Vec<Member> = band.members[self.at + 1..].to_vec();
        let instances = reaching(self.tree, self.band)?;
        let mut windows = Windows { around: &around, conditions: Vec::new() };
        windows.collect(child, &mut between, &instances)?;
        if windows.conditions.is_empty() {
            return Ok(None);
        }
        let dates: Vec<_> = around.iter().map(|member| member.schedule.clone()).collect();
        let dates = MultiUnionPwAff::from_members(&dates)?.to_union_map()?;
        let dates = dates.intersect_domain(&instances)?.range()?.sets()?;
        let Some(dates) = Set::union_all(dates)? else { return Ok(None) };
        range(&dates, windows.conditions)
    }
}

/// The windows inside a loop.
struct Windows<'a> {
    /// The loops around, the loop itself last.
    around: &'a [Member],
    /// What makes windows whole, and lets them run at all: affine functions of the dates of these loops that are not negative then.
    conditions: Vec<Affine>,
}

impl Windows<'_> {
    /// Those of a subtree, of which these instances run, with the loops between.
    fn collect(
        &mut self,
        tree: &ScheduleTree,
        between: &mut Vec<Member>,
        instances: &UnionSet,
    ) -> Result<()> {
        let n_between = between.len();
        let filtered = match tree.node() {
            Node::Leaf if between.is_empty() => return Ok(()),
            Node::Leaf => {
                let loops = [self.around, between.as_slice()].concat();
                return instances.sets()?.iter().try_for_each(|set| self.of_stmt(&loops, set));
            }
            Node::Filter { filter, .. } => Some(instances.intersect(filter)?),
            Node::Band { band, .. } => {
                between.extend(band.members.iter().cloned());
                None
            }
            _ => None,
        };
        for child in tree.children() {
            self.collect(child, between, filtered.as_ref().unwrap_or(instances))?;
        }
        between.truncate(n_between);
        Ok(())
    }

    /// The window of a statement in these loops: those innermost ones that are short.
    fn of_stmt(&mut self, loops: &[Member], instances: &Set) -> Result<()> {
        let Some(bounds) = Bounds::of(instances, loops)? else { return Ok(()) };
        let n = self.around.len();
        let is_short = |at: &usize| {
            bounds.nearest(*at).is_some_and(|(.., distance)| distance < MAX_WRITTEN_OUT)
        };
        let window: Vec<usize> = (n..loops.len()).rev().take_while(is_short).collect();
        let mut found: Vec<Affine> = Vec::new();
        for at in window {
            let Some((low, high, _)) = bounds.nearest(at) else { continue };
            // No other bound is the tighter one.
            for other in bounds.of_loop(at).filter(|other| matches!(other.dims[at], 1 | -1)) {
                let own = if other.dims[at] > 0 { low } else { high };
                found.extend(other.minus(own));
            }
            found.extend(bounds.around(n).cloned());
        }
        for mut condition in found {
            // Loops between have their own.
            if condition.involves(n - 1) && condition.dims[n..].iter().all(|c| *c == 0) {
                condition.dims.truncate(n);
                self.conditions.push(condition);
            }
        }
        Ok(())
    }
}

/// The range of the last of these dates in which all conditions hold; `None` where that is all of them, where it is no range with one
/// bound on each side, or where it is as short as a window.
fn range(dates: &Set, conditions: Vec<Affine>) -> Result<Option<Core>> {
    let mut left: Vec<(Affine, Set)> = Vec::new();
    for condition in conditions {
        if left.iter().all(|(known, _)| *known != condition) {
            let holds = condition.to_aff(&dates.space()?)?.to_pw_aff()?.nonneg_set()?;
            left.push((condition, holds));
        }
    }
    // What all iterations satisfy, or those that satisfy the others, is no border.
    let mut at = 0;
    while at < left.len() {
        let mut others = dates.clone();
        for (_, holds) in left.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, other)| other)
        {
            others = others.intersect(holds)?;
        }
        if others.is_subset(&left[at].1)? {
            left.remove(at);
        } else {
            at += 1;
        }
    }
    let mut core = dates.clone();
    for (_, holds) in &left {
        core = core.intersect(holds)?;
    }
    if most_of_last(&core)?.is_some_and(|most| most <= MAX_WRITTEN_OUT) {
        return Ok(None);
    }
    let (lower, upper): (Vec<&Affine>, Vec<&Affine>) = left
        .iter()
        .map(|(condition, _)| condition)
        .partition(|condition| condition.dims.last().is_some_and(|c| *c > 0));
    if left.is_empty() || lower.len() > 1 || upper.len() > 1 {
        return Ok(None);
    }
    let first: Option<Vec<String>> = lower.iter().map(|condition| bound(condition, 0)).collect();
    let end: Option<Vec<String>> = upper.iter().map(|condition| bound(condition, 1)).collect();
    let (Some(mut first), Some(mut end)) = (first, end) else { return Ok(None) };
    Ok(Some(Core { first: first.pop(), end: end.pop() }))
}

/// The most values that the last dimension has for the same others; `None` where parameters decide.
fn most_of_last(dates: &Set) -> Result<Option<i64>> {
    let last = dates.dim(DimType::SET)?.saturating_sub(1) as i32;
    let mut pairs = dates.product(dates)?.unwrap()?;
    for at in 0..last {
        pairs = pairs.equate(DimType::In, at, DimType::Out, at)?;
    }
    let differences = pairs.deltas()?;
    if differences.is_empty()? {
        return Ok(Some(0));
    }
    Ok(differences.dim_max_val(last)?.to_small_int()?.map(|most| most + 1))
}

/// The least value of the last dimension that makes a function not negative, or the greatest one, plus `offset`; `None` where a number does
/// not fit.
fn bound(condition: &Affine, offset: i64) -> Option<String> {
    let (factor, dims) = condition.dims.split_last()?;
    let sign = if *factor > 0 { -1 } else { 1 };
    let (factor, scaled) = (factor.checked_abs()?, |c: &i64| c.checked_mul(sign));
    // -rest / factor rounded up, or rest / factor rounded down.
    let rounding = if sign < 0 { factor - 1 } else { 0 };
    let rounding = rounding.checked_add(offset.checked_mul(factor)?)?;
    let params = condition.params.iter().map(|(name, c)| Some((name.clone(), scaled(c)?)));
    let value = Affine {
        dims: dims.iter().map(scaled).collect::<Option<_>>()?,
        params: params.collect::<Option<_>>()?,
        constant: scaled(&condition.constant)?.checked_add(rounding)?,
    };
    Some(match factor {
        1 => written(&value),
        _ => format!("floor(({})/{factor})", written(&value)),
    })
}
