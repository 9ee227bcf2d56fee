//! Tiles of whole rows: time tiling of stencils whose innermost loop stays contiguous.

mod footprint;
mod fusion;
pub(crate) mod residual;
mod sizes;

use crate::plan::{interchange, mark};
use crate::tile::check_sizes;
use crate::view::{Plans, Proposal, Setting, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::StrideModel;
use farkas_deps::Dependences;
use farkas_machine::Machine;
use farkas_poly::UnionSet;
use farkas_scop::{Scop, StmtId};
use farkas_steps::{Distribute, LoopAddress, LoopKind, Skew, Step, Tile};
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};
use footprint::Footprint;
use fusion::fused;
use residual::Residual;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What row tiles are made from.
pub(crate) struct Context<'a> {
    /// The scop.
    pub(crate) scop: &'a Scop,
    /// Its dependences; no schedule may have ignored one of them.
    pub(crate) deps: &'a Dependences,
    /// The linear parts of its accesses.
    pub(crate) strides: &'a StrideModel,
    /// What it runs on.
    pub(crate) machine: &'a Machine,
    /// Sizes that the user asked for, one a tile loop; the last one is repeated.
    pub(crate) sizes: Option<&'a [i64]>,
}

/// What runs inside of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Rows, one after another.
    Rows,
    /// Rows side by side, for the last loop of a tile walks from row to row.
    Lanes,
}

/// Tiles of whole rows for bands in which every loop carries dependences: [`plan_rows`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowTiles {
    /// A size a tile loop; the last one is repeated. Without any the machine decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<i64>,
}

impl Plans for RowTiles {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Setting { scop, machine, .. } = view.setting;
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        check_sizes(&self.sizes)?;
        let sizes = (!self.sizes.is_empty()).then_some(self.sizes.as_slice());
        let context = Context { scop, deps, strides: view.strides()?, machine, sizes };
        Ok(Proposal::Steps(plan_rows(view.tree(), context, remarks)?))
    }
}

/// Tiles the permutable bands in which every loop, but perhaps the rows, carries dependences, by rows.
///
/// **Steps**: of `band [f, g, r]; sequence [A, B]`, in which `r` moves every access of what is written by one element, the row
/// becomes the last loop (`interchange`), the band is tiled along the others (`tile`), and the row is distributed over the statements
/// (`distribute`): `mark tile; band [s floor(f / s), u floor(g / u)]; mark point; band [f, g]; sequence [band [r] of A, band [r] of B]`.
/// Statements share a loop where it carries nothing between them and they run at the same dates.
/// The rows of a statement then run whole, one after another, where no dependence between instances of equal `f` and
/// `g` runs against the sequence, so that the loop over a row carries nothing, is contiguous and has no condition inside:
/// compilers vectorise it. Bands of two members have tiles along `r`, too, or nothing would be tiled.
///
/// Where a row carries dependences, a tile walks several rows side by side instead, in wavefronts: the loop within tiles over the row is
/// skewed by the one before it (`skew`), and both change places (`interchange`): `[f, g, r]` becomes `[f, g + r, g]`. Every dependence that
/// `f` leaves goes forward, or stays, along `g` and along `r`: it goes forward along their sum, or both ends are at the same
/// place. The innermost loop carries nothing, so that the processor overlaps its iterations.
///
/// Legal because any tiles of a permutable band are, because the sequence keeps what the members outside of it leave, and
/// because each of its rows runs in the order of `r`.
///
/// **Paper** rectangular tiles of the skewed band are Pluto's (Bondhugula et al., PLDI 2008); ours differ in what runs
/// inside of a tile: rows as a whole, a loop for each statement, or for several that nothing keeps apart.
///
/// # Errors
/// When isl refuses.
fn plan_rows(tree: &ScheduleTree, context: Context<'_>, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let mut plan = Plan { is_decided: true, ..Plan::none(tree) };
    let Node::Domain { domain, .. } = tree.node() else { return Ok(plan) };
    let steps = &mut plan.steps;
    let mut tiling = Tiling { context, outer: Vec::new(), steps, remarks };
    tiling.below(tree, domain, &Cursor::root(), 0)?;
    Ok(plan)
}

/// The state of tiling a tree.
struct Tiling<'a> {
    context: Context<'a>,
    /// The members around the place.
    outer: Vec<Member>,
    steps: &'a mut Vec<Step>,
    remarks: &'a mut Vec<Remark>,
}

impl Tiling<'_> {
    /// The tiles of the bands of a subtree, which these instances reach, and right above which there are `n_marks` marks.
    fn below(
        &mut self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        here: &Cursor,
        n_marks: usize,
    ) -> Result<()> {
        let (inside, n_inside) = match tree.node() {
            Node::Mark { mark: Mark::Shaped, .. } => return Ok(()),
            Node::Mark { .. } => (instances.clone(), n_marks + 1),
            Node::Filter { filter, .. } => (instances.intersect(filter)?, 0),
            _ => (instances.clone(), 0),
        };
        let depth = self.outer.len();
        if let Node::Band { band, child } = tree.node() {
            let is_known = self.context.strides.are_of(self.context.scop, &inside)?;
            if is_known && let Some(nest) = self.nest(band, child, &inside)? {
                // What is below marks and tiles.
                let points = here.ancestor(n_marks).child(0).child(0).child(0);
                return self.tiled(&nest, here, points);
            }
            self.outer.extend(band.members.iter().cloned());
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &inside, &here.child(at), n_inside)?;
        }
        self.outer.truncate(depth);
        Ok(())
    }

    /// The band with the row that it has; `None` where it has none.
    fn nest(
        &self,
        band: &Band,
        child: &ScheduleTree,
        instances: &UnionSet,
    ) -> Result<Option<Nest>> {
        if !band.permutable || child.contains_band() {
            return Ok(None);
        }
        // The innermost loop is the first choice for the row.
        for at in (0..band.members.len()).rev() {
            let mut order: Vec<usize> = (0..band.members.len()).filter(|m| *m != at).collect();
            let steps = order.iter().map(|m| &band.members[*m]);
            let carries_all = steps.clone().all(|m| !m.coincident);
            let is_over_time = order.len() >= 2 || order.len() == 1 && !band.members[at].coincident;
            if !carries_all || !is_over_time {
                continue;
            }
            order.push(at);
            let members: Vec<Member> = order.iter().map(|m| band.members[*m].clone()).collect();
            let loops: Vec<Member> = self.outer.iter().chain(&members).cloned().collect();
            if let Some(footprint) = Footprint::of(&self.context, instances, &loops, members.len())?
            {
                let instances = instances.clone();
                return Ok(Some(Nest { order, members, loops, footprint, instances }));
            }
        }
        Ok(None)
    }

    /// The steps that tile a band at `here` by rows, whose loops within tiles are then at `points`, where one of the forms fits.
    fn tiled(&mut self, nest: &Nest, here: &Cursor, points: Cursor) -> Result<()> {
        let (Some(row), Some((_, fixed))) = (nest.members.last(), nest.loops.split_last()) else {
            return Ok(());
        };
        let (context, stmts) = (&self.context, nest.footprint.stmts());
        let residual = Residual::new(context.deps, &nest.instances, &stmts, fixed, row)?;
        let last = nest.members.len() - 1;
        let form = match residual.groups().iter().any(|group| residual.moves_between(group, group))
        {
            false => Form::Rows,
            true if last >= 2 => Form::Lanes,
            true => return Ok(()),
        };
        let sizes = sizes::choose(&nest.footprint, form, context);
        self.steps.extend(interchange(here, &nest.order));
        let first = LoopAddress::member(here.clone(), 0);
        self.steps.push(Step::Tile(Tile { first, sizes: sizes.clone() }));
        let at = |member| LoopAddress::member(points.clone(), member);
        let inside = match form {
            Form::Rows => {
                let groups = fused(context, &nest.instances, &nest.loops, &residual)?;
                let inside = told(&groups, sizes.len() < nest.members.len());
                let name = |stmt: &StmtId| context.scop.stmts()[*stmt].name.clone();
                let groups = groups.iter().map(|group| group.iter().map(name).collect()).collect();
                self.steps.push(Step::Distribute(Distribute { at: at(last), groups }));
                inside
            }
            Form::Lanes => {
                let (at, by) = (at(last), at(last - 1));
                self.steps.push(Step::Skew(Skew { at, by, factor: 1 }));
                let mut order: Vec<usize> = (0..=last).collect();
                order.swap(last - 1, last);
                self.steps.extend(interchange(&points, &order));
                "rows, walked side by side: the innermost loop goes from row to row".to_owned()
            }
        };
        self.remarks.push(remark(&nest.members, &inside, &sizes)?);
        self.steps.push(mark(&points, 0, LoopKind::Ordered));
        Ok(())
    }
}

/// A band whose rows line up.
struct Nest {
    /// Its members as positions in the band, the row last.
    order: Vec<usize>,
    /// The members themselves.
    members: Vec<Member>,
    /// The same with all members around them.
    loops: Vec<Member>,
    footprint: Footprint,
    instances: UnionSet,
}

/// The loops over rows, in words.
fn told(groups: &[BTreeSet<StmtId>], are_whole: bool) -> String {
    let rows = if are_whole { "whole rows" } else { "pieces of rows" };
    let n_stmts: usize = groups.iter().map(BTreeSet::len).sum();
    match groups.len() {
        n if n == n_stmts => format!("{rows}, a loop for each statement"),
        1 => format!("{rows}, a loop for all {n_stmts} statements"),
        n => format!("{rows}, {n} loops for {n_stmts} statements"),
    }
}

/// What was done.
fn remark(members: &[Member], inside: &str, sizes: &[i64]) -> Result<Remark> {
    let numbers: Vec<String> = sizes.iter().map(i64::to_string).collect();
    let text = format!("tiles {} of {inside}", numbers.join(" x "));
    let stmts = match members.first() {
        Some(first) => stmt_names(&first.schedule.domain()?)?,
        None => Vec::new(),
    };
    Ok(Remark { pass: "row-tiles", stmts, text })
}
