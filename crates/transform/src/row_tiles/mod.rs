//! Tiles of whole rows: time tiling of stencils whose innermost loop stays contiguous.

mod footprint;
pub(crate) mod residual;
mod sizes;

use crate::planner::Setting;
use crate::planner::{Plans, Proposal, View};
use crate::tile::check_sizes;
use crate::{Remark, Result, stmt_names};
use farkas_analysis::StrideModel;
use farkas_deps::Dependences;
use farkas_machine::Machine;
use farkas_poly::UnionSet;
use farkas_scop::{Scop, StmtId};
use farkas_steps::tile_member;
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};
use footprint::Footprint;
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

/// Tiles of whole rows for bands in which every loop carries dependences: [`tile_rows`].
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
        Ok(Proposal::Order(tile_rows(view.tree(), &context, remarks)?))
    }
}

/// Tiles the permutable bands in which every loop, but perhaps the rows, carries dependences, by rows.
///
/// **Rewrite**: `band [f, g, r]; sequence [A, B]`, in which `r` moves every access of what is written by one element, becomes
/// `mark tile; band [s floor(f / s), u floor(g / u)]; mark point; band [f, g]; sequence [band [r] of A, band [r] of B]`.
/// The rows of a statement then run whole, one after another, where no dependence between instances of equal `f` and
/// `g` runs against the sequence, so that the loop over a row carries nothing, is contiguous and has no condition inside:
/// compilers vectorise it. Bands of two members have tiles along `r`, too, or nothing would be tiled.
///
/// Where a row carries dependences, a tile walks several rows side by side instead, in wavefronts: see [`lanes`].
///
/// As steps: an interchange that makes the row the last loop, a tile, and then a distribution of the point loop over the row; or,
/// for rows side by side, a skew of that loop by the point loop before it, and an interchange of both.
///
/// Legal because any tiles of a permutable band are, because the sequence keeps what the members outside of it leave, and
/// because each of its rows runs in the order of `r`.
///
/// **Paper** rectangular tiles of the skewed band are Pluto's (Bondhugula et al., PLDI 2008); ours differ in what runs
/// inside of a tile: rows as a whole, a loop for each statement.
///
/// # Errors
/// When isl refuses.
pub(crate) fn tile_rows(
    tree: &ScheduleTree,
    context: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let Node::Domain { domain, .. } = tree.node() else { return Ok(tree.clone()) };
    below(tree, domain, &mut Vec::new(), context, remarks)
}

/// As [`tile_rows`], with the instances that reach `tree` and the members around it.
fn below(
    tree: &ScheduleTree,
    instances: &UnionSet,
    outer: &mut Vec<Member>,
    context: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    if matches!(tree.node(), Node::Mark { mark: Mark::Shaped, .. }) {
        return Ok(tree.clone());
    }
    let depth = outer.len();
    let inside = match tree.node() {
        Node::Filter { filter, .. } => instances.intersect(filter)?,
        _ => instances.clone(),
    };
    if let Node::Band { band, child } = tree.node() {
        let is_known = context.strides.are_of(context.scop, &inside)?;
        if is_known && let Some(tiled) = tiled(band, child, &inside, outer, context, remarks)? {
            return Ok(tiled);
        }
        outer.extend(band.members.iter().cloned());
    }
    let mut children = Vec::new();
    for child in tree.children() {
        children.push(below(child, &inside, outer, context, remarks)?);
    }
    outer.truncate(depth);
    Ok(tree.with_children(children))
}

/// The band in row tiles; `None` where it is not one for them.
fn tiled(
    band: &Band,
    child: &ScheduleTree,
    instances: &UnionSet,
    outer: &[Member],
    context: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<Option<ScheduleTree>> {
    if !band.permutable || child.contains_band() {
        return Ok(None);
    }
    // The innermost loop is the first choice for the row.
    for at in (0..band.members.len()).rev() {
        let mut members = band.members.clone();
        let row = members.remove(at);
        let carries_all = members.iter().all(|m| !m.coincident);
        let is_over_time = members.len() >= 2 || members.len() == 1 && !row.coincident;
        if !carries_all || !is_over_time {
            continue;
        }
        members.push(row);
        let loops: Vec<Member> = outer.iter().chain(&members).cloned().collect();
        if let Some(footprint) = Footprint::of(context, instances, &loops, members.len())? {
            let nest = Nest { members, loops, footprint, child, instances };
            return nest.tiled(context, remarks);
        }
    }
    Ok(None)
}

/// A band whose rows line up.
struct Nest<'a> {
    /// Its members, the row last.
    members: Vec<Member>,
    /// The same with all members around them.
    loops: Vec<Member>,
    footprint: Footprint,
    child: &'a ScheduleTree,
    instances: &'a UnionSet,
}

impl Nest<'_> {
    /// The nest in row tiles; `None` where neither form fits.
    fn tiled(
        &self,
        context: &Context<'_>,
        remarks: &mut Vec<Remark>,
    ) -> Result<Option<ScheduleTree>> {
        let (Some((row, steps)), Some((_, fixed))) =
            (self.members.split_last(), self.loops.split_last())
        else {
            return Ok(None);
        };
        let stmts = self.footprint.stmts();
        let residual = Residual::new(context.deps, self.instances, &stmts, fixed, row)?;
        let groups = residual.groups();
        let form = match groups.iter().any(|group| residual.moves_along_row(group)) {
            false => Form::Rows,
            true if self.members.len() >= 3 => Form::Lanes,
            true => return Ok(None),
        };
        let sizes = sizes::choose(&self.footprint, form, context);
        remarks.push(remark(&self.members, form, &sizes)?);
        let points = match form {
            Form::Rows => {
                let rows = rows(row, self.child, self.instances, &groups, context.scop)?;
                points(steps.to_vec(), rows)
            }
            Form::Lanes => points(lanes(&self.members)?, self.child.clone()),
        };
        let tiles = self.members.iter().zip(&sizes);
        let tiles =
            tiles.map(|(m, &size)| tile_member(m, size)).collect::<farkas_poly::Result<_>>()?;
        let tiles = Band { members: tiles, permutable: true };
        Ok(Some(ScheduleTree::mark(Mark::Tile(sizes), ScheduleTree::band(tiles, points))))
    }
}

/// What was done.
fn remark(members: &[Member], form: Form, sizes: &[i64]) -> Result<Remark> {
    let numbers: Vec<String> = sizes.iter().map(i64::to_string).collect();
    let what = match form {
        Form::Lanes => "rows, walked side by side: the innermost loop goes from row to row",
        Form::Rows if sizes.len() < members.len() => "whole rows, a loop for each statement",
        Form::Rows => "pieces of rows, a loop for each statement",
    };
    let text = format!("tiles {} of {what}", numbers.join(" x "));
    let stmts = match members.first() {
        Some(first) => stmt_names(&first.schedule.domain()?)?,
        None => Vec::new(),
    };
    Ok(Remark { pass: "row-tiles", stmts, text })
}

/// The loops over rows, one for each group of statements, in their order.
fn rows(
    row: &Member,
    child: &ScheduleTree,
    instances: &UnionSet,
    groups: &[BTreeSet<StmtId>],
    scop: &Scop,
) -> Result<ScheduleTree> {
    let mut children = Vec::new();
    for group in groups {
        let mut part = UnionSet::none()?;
        for stmt in group {
            let space = scop.stmts()[*stmt].domain.space()?;
            part = part.union(&farkas_poly::Set::universe(&space)?.to_union_set()?)?;
        }
        let schedule = row.schedule.intersect_domain(&part)?;
        let band = Band { members: vec![Member::new(schedule, true)], permutable: true };
        let inside = child.restricted_to(&instances.intersect(&part)?)?;
        children.push((part, ScheduleTree::band(band, inside)));
    }
    Ok(ScheduleTree::sequence(children))
}

/// The loops inside a tile of which the last two walk rows side by side: `[f, g, r]` becomes `[f, g + r, g]`.
///
/// Every dependence that `f` leaves goes forward, or stays, along `g` and along `r`: it goes forward along their sum, or
/// both ends are at the same place. The innermost loop carries nothing, so that the processor overlaps its iterations.
fn lanes(members: &[Member]) -> Result<Vec<Member>> {
    let [outer @ .., lane, row] = members else { return Ok(members.to_vec()) };
    let sum = lane.schedule.add(&row.schedule)?;
    let inner = [Member::new(sum, false), Member::new(lane.schedule.clone(), true)];
    Ok(outer.iter().cloned().chain(inner).collect())
}

/// The loops inside a tile. Their band is not called permutable: nothing is to be tiled or interchanged in it any more.
fn points(members: Vec<Member>, child: ScheduleTree) -> ScheduleTree {
    let band = Band { members, permutable: false };
    ScheduleTree::mark(Mark::Point, ScheduleTree::band(band, child))
}
