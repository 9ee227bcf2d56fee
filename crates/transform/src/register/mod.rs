//! Register tiles with packed operands.
//!
//! A nest that sums products up, such as a matrix product, is bound by loads and stores unless its sums stay in registers and
//! its operands come from caches in the order of their use. [`register_tiles`] gives such nests the loops of Goto's algorithm, from
//! their accesses alone. One that sums up along its only loop in the order of memory, such as the product of a matrix and a
//! vector, is bound by the latency of an addition: its register tiles have rows alone, whose sums do not wait for one another.
//! One that sums up across the order of memory, such as the product of a matrix and a vector from the left, loads and stores its
//! sums once for several rows.
//!
//! - `plan`: which loops of a nest make its register tile, `rows`: where it has no columns, `jam`: where it has
//!   no rows, `fused`: where several nests share strips of rows; `operands`: what is packed; `sizes`: how
//!   large tiles and blocks are.
//! - `parts`: the statements of the new nest and their instances; `statements`: their bodies, accesses and buffers.
//! - `split`: which sums stand in a nest of their own. `nest`: the loops.
//!
//! Nothing here proves that the result is legal: the check of programs with buffers does.

mod fused;
mod jam;
mod nest;
mod operands;
mod packed;
mod parts;
mod plan;
mod rows;
mod sizes;
mod split;
mod statements;

use crate::planner::Setting;
use crate::planner::{Plans, Proposal, View};
use crate::{Error, Remark, Result};
use farkas_analysis::{Affine, StrideModel};
use farkas_base::NameGenerator;
use farkas_deps::Dependences;
use farkas_machine::Machine;
use farkas_poly::{Space, UnionPwAff, UnionSet};
use farkas_scop::{BodyStmt, Scop, ScopBuilder, StmtId};
use farkas_steps::Step;
use farkas_tree::{Band, Mark, Member, Node, Program, ScheduleTree};
pub use jam::JamInTiles;
use nest::{Loops, Parts, dated};
use operands::Side;
use packed::Packed;
use parts::{Coordinate, Part, Strip};
use plan::{Nest, Plan, member_rows};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sizes::Registers;
use split::split_sums;
use statements::Writer;

/// Register tiles and packed operands for nests that sum up products: [`register_tiles`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterTiles {}

impl Plans for RegisterTiles {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Setting { scop, machine, has_threads, .. } = view.setting;
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        register_tiles(scop, deps, view.tree(), machine, has_threads, remarks)
    }
}

/// Gives nests of one statement that sums up products register tiles and packed operands, where they fit; with `parallel`,
/// one of their loops is marked where no loop around them may be.
///
/// **Rewrite**: loops `i, j, k` around `C[i][j] += A[i][k] * B[k][j]` become loops over blocks of `j` and `k` that first copy their
/// part of `B` into panels; in them loops over blocks of `i` that copy theirs of `A`; in them loops over register tiles of `i` and
/// `j`, which load `C` into a small array, run through `k`, and store it. Loops `i, k` around `y[i] += A[i][k] * x[k]` become loops
/// over register tiles of `i` alone, and nothing is packed.
///
/// # Errors
/// When isl refuses.
fn register_tiles(
    scop: &Scop,
    deps: &Dependences,
    tree: &ScheduleTree,
    machine: &Machine,
    parallel: bool,
    remarks: &mut Vec<Remark>,
) -> Result<Proposal> {
    let registers = Registers::of(machine);
    let split = split_sums(scop, deps, tree, registers, remarks)?;
    let is_whole = split.origins.is_empty() && split.scop == *scop;
    let site = Site { deps, is_whole, registers, parallel };
    if is_whole {
        let mut told = Vec::new();
        let (changed, steps) = tiled(&split, &site, Some(Vec::new()), &mut told)?;
        match (changed, steps) {
            (None, Some(steps)) if !steps.is_empty() => {
                remarks.extend(told);
                let tree = split.tree;
                return Ok(Proposal::Steps(crate::Plan {
                    tree,
                    steps,
                    is_decided: true,
                    noted: None,
                }));
            }
            (changed, Some(steps)) if steps.is_empty() => {
                remarks.extend(told);
                return Ok(Proposal::Program(Box::new(changed.unwrap_or(split))));
            }
            _ => {}
        }
    }
    let (changed, _) = tiled(&split, &site, None, remarks)?;
    Ok(Proposal::Program(Box::new(changed.unwrap_or(split))))
}

/// What nests are tiled for.
struct Site<'a> {
    deps: &'a Dependences,
    is_whole: bool,
    registers: Registers,
    parallel: bool,
}

/// A program with its nests tiled; none where there are none. With a list of steps, nests with packed operands stay, and what steps tile them
/// is added to the list; no list comes back where steps cannot.
fn tiled(
    split: &Program,
    site: &Site<'_>,
    steps: Option<Vec<Step>>,
    remarks: &mut Vec<Remark>,
) -> Result<(Option<Program>, Option<Vec<Step>>)> {
    let scop = &split.scop;
    let Node::Domain { domain, .. } = split.tree.node() else { return Ok((None, steps)) };
    let by_steps = steps.is_some();
    let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
    let mut tiling = Tiling {
        scop,
        deps: site.deps,
        is_whole: site.is_whole,
        by_steps,
        steps,
        strides: StrideModel::new(&split.scop)?,
        params: Space::params_named(&names)?,
        registers: site.registers,
        parallel: site.parallel,
        names: NameGenerator::new(split.scop.names()),
        builder: split.scop.to_builder(),
        outer: Vec::new(),
        remarks,
    };
    let Some(tree) = tiling.below(&split.tree, domain)? else { return Ok((None, tiling.steps)) };
    let scop = tiling.builder.build().map_err(Error::Scop)?;
    let program = Program { origins: split.origins.clone(), ..Program::new(&scop, tree.tree) };
    Ok((Some(program), tiling.steps))
}

/// A subtree in which statements got other instances.
struct Changed {
    tree: ScheduleTree,
    replaced: Vec<Replaced>,
}

/// What was found of a nest.
enum Found {
    /// None, or register tiles do not fit it.
    Nothing,
    /// It is left to steps.
    Steps,
    /// It was tiled.
    Changed(Box<Changed>),
}

/// The statements that take the place of one.
struct Replaced {
    stmt: StmtId,
    parts: Vec<Part>,
}

/// The state of tiling a tree.
struct Tiling<'a> {
    scop: &'a Scop,
    /// The dependences of the program before its sums were split.
    deps: &'a Dependences,
    /// Whether none were.
    is_whole: bool,
    /// Whether nests with packed operands are left to steps.
    by_steps: bool,
    /// These; none where steps cannot tile one of them.
    steps: Option<Vec<Step>>,
    strides: StrideModel,
    params: Space,
    registers: Registers,
    parallel: bool,
    names: NameGenerator,
    builder: ScopBuilder,
    /// The members around the place.
    outer: Vec<Member>,
    remarks: &'a mut Vec<Remark>,
}

impl Tiling<'_> {
    /// The subtree, which these instances reach, with its nests tiled; `None` where there are none to tile.
    fn below(&mut self, tree: &ScheduleTree, instances: &UnionSet) -> Result<Option<Changed>> {
        match self.nest(tree, instances)? {
            Found::Changed(changed) => return Ok(Some(*changed)),
            Found::Steps => return Ok(None),
            Found::Nothing => {}
        }
        if let Some(changed) = self.fused(tree, instances)? {
            return Ok(Some(changed));
        }
        if let Some(tree) = self.jammed(tree, instances)? {
            return Ok(Some(Changed { tree, replaced: Vec::new() }));
        }
        let n_outer = self.outer.len();
        let inside = match tree.node() {
            Node::Filter { filter, .. } => instances.intersect(filter)?,
            _ => instances.clone(),
        };
        if let Node::Band { band, .. } = tree.node() {
            self.outer.extend(band.members.iter().cloned());
        }
        let (mut children, mut replaced, mut is_changed) = (Vec::new(), Vec::new(), false);
        for child in tree.children() {
            if let Node::Filter { filter, .. } = child.node()
                && inside.is_disjoint(filter)?
            {
                // Beside new statements nothing is left of it.
                continue;
            }
            match self.below(child, &inside)? {
                Some(changed) => {
                    is_changed = true;
                    children.push(changed.tree);
                    replaced.extend(changed.replaced);
                }
                None => children.push(child.clone()),
            }
        }
        self.outer.truncate(n_outer);
        if !is_changed {
            return Ok(None);
        }
        let tree = self.with_replaced(tree, children, &replaced)?;
        Ok(Some(Changed { tree, replaced }))
    }

    /// The node over other children, with the instances of new statements in the place of others.
    fn with_replaced(
        &self,
        tree: &ScheduleTree,
        mut children: Vec<ScheduleTree>,
        replaced: &[Replaced],
    ) -> Result<ScheduleTree> {
        let child =
            |children: &mut Vec<ScheduleTree>| children.pop().unwrap_or_else(ScheduleTree::leaf);
        Ok(match tree.node() {
            Node::Domain { domain, .. } => {
                ScheduleTree::domain(self.exchanged(domain, replaced)?, child(&mut children))
            }
            Node::Filter { filter, .. } => {
                ScheduleTree::filter(self.exchanged(filter, replaced)?, child(&mut children))
            }
            Node::Band { band, .. } => {
                let mut members = Vec::new();
                for member in &band.members {
                    let schedule = self.redated(&member.schedule, replaced)?;
                    members.push(Member { schedule, ..member.clone() });
                }
                let band = Band { members, permutable: band.permutable };
                ScheduleTree::band(band, child(&mut children))
            }
            _ => tree.with_children(children),
        })
    }

    /// The instances with those of new statements in the place of others.
    fn exchanged(&self, instances: &UnionSet, replaced: &[Replaced]) -> Result<UnionSet> {
        let mut sets = Vec::new();
        for set in instances.sets()? {
            let name = set.tuple_name();
            let is_of = |r: &&Replaced| name.as_deref() == Some(&self.scop.stmts()[r.stmt].name);
            match replaced.iter().find(is_of) {
                Some(r) => sets.extend(r.parts.iter().map(|part| part.domain.clone())),
                None => sets.push(set),
            }
        }
        Ok(UnionSet::union_all(sets)?)
    }

    /// The dates with those of new statements in the place of others.
    fn redated(&self, schedule: &UnionPwAff, replaced: &[Replaced]) -> Result<UnionPwAff> {
        let mut dates = Vec::new();
        for date in schedule.pw_affs()? {
            let name = date.domain_space()?.tuple_name(farkas_poly::DimType::SET);
            let is_of = |r: &&Replaced| name.as_deref() == Some(&self.scop.stmts()[r.stmt].name);
            let Some(r) = replaced.iter().find(is_of) else {
                dates.push(date);
                continue;
            };
            if let Some(row) = Affine::of(&date)? {
                let depth = self.scop.stmts()[r.stmt].depth();
                for part in &r.parts {
                    dates.push(dated(part, &row, depth)?);
                }
            }
        }
        Ok(UnionPwAff::union_all(dates)?)
    }

    /// The nest at `tree`, where register tiles fit it.
    fn nest(&mut self, tree: &ScheduleTree, instances: &UnionSet) -> Result<Found> {
        let Some(members) = chain(tree) else { return Ok(Found::Nothing) };
        let [set] = &instances.sets()?[..] else { return Ok(Found::Nothing) };
        let name = set.tuple_name().unwrap_or_default();
        let Some(stmt) = self.scop.stmt_by_name(&name) else { return Ok(Found::Nothing) };
        let all = self.scop.domain_of(stmt)?;
        if !all.is_subset(set)? {
            return Ok(Found::Nothing);
        }
        let outer = self.outer.clone();
        let nest =
            Nest { scop: self.scop, stmt, instances: instances.clone(), outer: &outer, members };
        let Some(plan) = Plan::of(&nest, &self.registers)? else { return Ok(Found::Nothing) };
        if !plan.is_free(&nest)? {
            return Ok(Found::Nothing);
        }
        if self.by_steps && plan.loops.column.is_some() {
            self.steps_of(tree, &nest, &plan)?;
            return Ok(Found::Steps);
        }
        let changed = self.tiled(stmt, &plan)?;
        Ok(changed.map_or(Found::Nothing, |changed| Found::Changed(Box::new(changed))))
    }

    /// Adds the steps of a plan.
    fn steps_of(&mut self, tree: &ScheduleTree, nest: &Nest<'_>, plan: &Plan) -> Result<()> {
        let Some(mut steps) = self.steps.take() else { return Ok(()) };
        let Some(rows) = member_rows(nest, &nest.members)? else { return Ok(()) };
        let packed = Packed {
            scop: self.scop,
            stmt: nest.stmt,
            plan,
            rows: &rows,
            n_outer: nest.outer.len(),
            parallel: self.parallel && !nest.outer.iter().any(|member| member.coincident),
        };
        let own = packed.steps(&mut self.names);
        let fits = rows.len() == nest.members.len() && has_no_marks(tree);
        if let Some(own) = own.filter(|_| fits) {
            self.remarks.push(remark(plan, self.scop, nest.stmt));
            steps.extend(own);
            self.steps = Some(steps);
        }
        Ok(())
    }

    /// The nest of a plan.
    fn tiled(&mut self, stmt: StmtId, plan: &Plan) -> Result<Option<Changed>> {
        let depth = self.scop.stmts()[stmt].depth();
        let Some(parts) = self.parts(stmt, plan)? else { return Ok(None) };
        let parallel = self.parallel && !self.outer.iter().any(|member| member.coincident);
        let tree = Loops { plan, parts: &parts, depth, parallel }.tree()?;
        self.remarks.push(remark(plan, self.scop, stmt));
        let parts = parts.all().cloned().collect();
        Ok(Some(Changed { tree, replaced: vec![Replaced { stmt, parts }] }))
    }

    /// The statements of a plan, which take the place of one; `None` where they cannot.
    fn parts(&mut self, stmt: StmtId, plan: &Plan) -> Result<Option<Parts>> {
        let before = self.builder.clone();
        let original = self.scop.stmts()[stmt].clone();
        let name = original.name.clone();
        let domain = self.scop.domain_of(stmt)?.align_params(&self.params)?;
        let dates = original.date.space()?.range()?.align_params(&self.params)?;
        let Some(BodyStmt::Assign { target, .. }) = original.body.first().cloned() else {
            return Ok(None);
        };
        let sums_of = original.accesses[target].array;
        let tiled = Part::tiled(plan, &name, &domain)?;
        let mut writer = Writer {
            builder: &mut self.builder,
            names: &mut self.names,
            params: &self.params,
            plan,
            original,
            dates,
        };
        let (mut fills, mut panels, mut fits) = (Vec::new(), Vec::new(), true);
        for operand in &plan.operands {
            let part = tiled.projected(&writer.names.fresh(&format!("{name}_pack")), |c| {
                is_of_side(c, operand.side, plan)
            })?;
            let panel = writer.panel(operand)?;
            fits &= writer.fill(&part, &panel, &operand.expr)?;
            fills.push((operand.side, part));
            panels.push((operand, panel));
        }
        let sums = writer.accumulators(sums_of)?;
        let is_sum = |c| c != Coordinate::Iterator(plan.loops.depth);
        let load = tiled.projected(&writer.names.fresh(&format!("{name}_load")), is_sum)?;
        fits &= writer.fill(&load, &sums, &farkas_scop::Expr::Access(target))?;
        let store = tiled.projected(&writer.names.fresh(&format!("{name}_store")), is_sum)?;
        fits &= writer.empty(&store, &sums, target)?;
        fits &= writer.compute(stmt, &tiled, &sums, &panels)?;
        if !fits {
            self.builder = before;
            return Ok(None);
        }
        Ok(Some(Parts { tiled, fills, load, store }))
    }
}

/// Whether an instance that packs an operand of a side has this coordinate.
fn is_of_side(coordinate: Coordinate, side: Side, plan: &Plan) -> bool {
    match (coordinate, side) {
        (Coordinate::Strip(tile), Side::Rows) => tile != Strip::Columns,
        (Coordinate::Strip(tile), Side::Columns) => !matches!(tile, Strip::RowBlock | Strip::Rows),
        (Coordinate::Iterator(at), Side::Rows) => Some(at) != plan.loops.column,
        (Coordinate::Iterator(at), Side::Columns) => at != plan.loops.row,
    }
}

/// What was done to a nest.
fn remark(plan: &Plan, scop: &Scop, stmt: StmtId) -> Remark {
    let stmt = &scop.stmts()[stmt];
    let name = |at: usize| stmt.iterators.get(at).map_or("?", |i| i.name.as_str());
    let (sizes, loops) = (&plan.sizes, plan.loops);
    let Some(column) = loops.column else {
        let text = format!("register tiles of {} {}", sizes.rows, name(loops.row));
        return Remark { pass: "register", stmts: vec![stmt.name.clone()], text };
    };
    let text = format!(
        "register tiles of {} {} by {} {}, blocks of {} {}, {} {} and {} {}, {} operands packed",
        sizes.rows,
        name(loops.row),
        sizes.columns,
        name(column),
        sizes.column_block,
        name(column),
        sizes.depth_block,
        name(loops.depth),
        sizes.row_block,
        name(loops.row),
        plan.operands.len(),
    );
    Remark { pass: "register", stmts: vec![stmt.name.clone()], text }
}

/// The members of bands that stand one inside the other with nothing but marks between them, down to a leaf.
fn chain(tree: &ScheduleTree) -> Option<Vec<Member>> {
    let (mut here, mut members) = (tree, Vec::new());
    loop {
        here = match here.node() {
            Node::Leaf => return (!members.is_empty()).then_some(members),
            Node::Band { band, child } => {
                members.extend(band.members.iter().cloned());
                child
            }
            Node::Mark { mark, child } if *mark != Mark::Shaped => child,
            _ => return None,
        };
    }
}

/// Whether nothing but bands stands above the leaf of a nest.
fn has_no_marks(tree: &ScheduleTree) -> bool {
    match tree.node() {
        Node::Leaf => true,
        Node::Band { child, .. } => has_no_marks(child),
        _ => false,
    }
}
