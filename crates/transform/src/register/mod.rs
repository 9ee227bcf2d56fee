//! Register tiles with packed operands.
//!
//! A nest that sums products up, such as a matrix product, is bound by loads and stores unless its sums stay in registers and
//! its operands come from caches in the order of their use. [`register_tiles`] gives such nests the loops of Goto's algorithm, from
//! their accesses alone. One that sums up along its only loop in the order of memory, such as the product of a matrix and a
//! vector, is bound by the latency of an addition: its register tiles have rows alone, whose sums do not wait for one another.
//! One that sums up across the order of memory, such as the product of a matrix and a vector from the left, loads and stores its
//! sums once for several rows.
//!
//! - `plan`: which loops of a nest make its register tile; `operands`: what is packed; `sizes`: how large tiles and blocks are.
//! - `mapped`: steps for a GPU, `gpu_sizes`: how large tiles are there; `warps`: both where tensor cores compute products.
//! - `packed`: steps for tiles with packed operands, `rows`: for those without columns, `jam`: for those without rows, `fused`: where
//!   several nests share strips of rows, `cells`: where rows sum up in variables; `nest`: how they name loops.
//! - `split`: which sums stand in a nest of their own.
//!
//! Nothing here proves that the result is legal: the check does.

mod cells;
mod fused;
mod gpu_sizes;
mod jam;
mod mapped;
mod nest;
mod operands;
mod packed;
mod plan;
mod rows;
mod sizes;
mod split;
mod warps;

use crate::plan::Draft;
use crate::view::{Plans, Proposal, Setting, View};
use crate::{Remark, Result, stmt_names};
use farkas_analysis::StrideModel;
use farkas_base::NameGenerator;
use farkas_deps::Dependences;
use farkas_machine::Gpu;
use farkas_poly::{MultiUnionPwAff, UnionPwAff, UnionSet};
use farkas_scop::{BodyStmt, NoHalfProduct, Scop, StmtId};
use farkas_steps::{Distribute, LoopAddress, MAX_BUFFERS, Step};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use gpu_sizes::{Asked, Product, sizes_on_gpu};
pub use jam::JamInTiles;
use jam::Site;
use nest::{Steps, Tiled};
use operands::Side;
use plan::{Nest, Plan, iterations, member_rows};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sizes::{Registers, Sizes};
pub use split::SplitSums;
use std::num::NonZero;

/// Register tiles for nests that sum up products, with packed operands where it pays.
///
/// **Steps**: loops `i, j, k` around `C[i][j] += A[i][k] * B[k][j]` become loops over blocks of `j` and `k` that first copy their
/// part of `B` into panels; in them loops over blocks of `i` that copy theirs of `A`; in them loops over register tiles of `i` and
/// `j`, which load `C` into a small array, run through `k`, and store it (`tile`, `interchange`, `stage`). Loops `i, k` around
/// `y[i] += A[i][k] * x[k]` become loops over register tiles of `i` alone, and nothing is packed. One of the loops of a nest is on
/// threads where no loop around them may be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterTiles {}

impl Plans for RegisterTiles {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let keeps_all = view.setting.keeps_all;
        let mut tiling = Tiling { keeps_all, ..Tiling::of(view, view.all_deps()?, remarks)? };
        let Node::Domain { domain, .. } = view.tree().node() else { return Ok(Proposal::Nothing) };
        tiling.below(view.tree(), &Cursor::root(), domain)?;
        Ok(Proposal::Steps(tiling.draft.plan(view.tree())))
    }
}

/// Register tiles on a GPU for nests that sum up products of operands, each of which is used along two loops: see [`RegisterTiles`].
///
/// **Steps**: loops over blocks of `i` and `j` on the blocks of a grid, over register tiles of these on the threads of a block, each of which keeps its part
/// of `C` from the beginning to the end; with each few `k`, threads bring what the block needs of `A` and `B` into shared memory (`tile`, `interchange`,
/// `stage`, `map`, `kernel`). The planner `barriers` says where threads wait.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpuTiles {
    /// The threads of a block along x and y, in the place of those that suit the GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<[NonZero<u16>; 2]>,
    /// The rows and columns of sums of a thread, in the place of those that suit the GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sums: Option<[NonZero<u16>; 2]>,
    /// The steps of the sum for which a block brings its operands into shared memory at once, in the place of 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<NonZero<u16>>,
    /// How many buffers each operand has in shared memory: with two, threads bring what comes next while they compute, and wait for one another
    /// once for each few steps in the place of twice; one where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 8))]
    pub buffers: Option<NonZero<u16>>,
    /// Whether the tensor cores of the GPU compute products of numbers of 16 bits that are added to a `float`, where it has some, the order of sums is free, and kernels are
    /// in CUDA C++: then a block has 4 threads along x, 8 along y, and its warps along z, and `threads` says how many those are, as 4 by 8 times as many.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tensor: bool,
}

impl Plans for GpuTiles {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let number = |n: NonZero<u16>| i64::from(n.get());
        let asked = Asked {
            threads: self.threads.map(|sizes| sizes.map(number)),
            sums: self.sums.map(|sizes| sizes.map(number)),
            depth: self.depth.map(number),
            buffers: self.buffers.map_or(1, |n| n.get().min(MAX_BUFFERS)),
            tensor: self.tensor,
        };
        let on_gpu = Some((view.setting.gpu, asked));
        let tiling = Tiling::of(view, view.all_deps()?, remarks)?;
        let registers = tiling.registers.with_halves();
        let mut tiling = Tiling { on_gpu, registers, ..tiling };
        let Node::Domain { domain, .. } = view.tree().node() else { return Ok(Proposal::Nothing) };
        tiling.below(view.tree(), &Cursor::root(), domain)?;
        Ok(Proposal::Steps(tiling.draft.plan(view.tree())))
    }
}

/// The state of tiling a tree.
struct Tiling<'a> {
    view: &'a View<'a>,
    scop: &'a Scop,
    deps: &'a Dependences,
    strides: &'a StrideModel,
    registers: Registers,
    parallel: bool,
    /// Whether the order keeps all dependences: else loops may stand in it that variables of their iterations keep in order.
    keeps_all: bool,
    /// The GPU that nests run on, if so, with the sizes that were asked for.
    on_gpu: Option<(&'a Gpu, Asked)>,
    names: NameGenerator,
    draft: Draft<'a>,
    /// The members around the place.
    outer: Vec<Member>,
    remarks: &'a mut Vec<Remark>,
}

impl<'a> Tiling<'a> {
    /// Nothing tiled yet.
    fn of(view: &'a View<'a>, deps: &'a Dependences, remarks: &'a mut Vec<Remark>) -> Result<Self> {
        let Setting { machine, has_threads, .. } = view.setting;
        let scop = &view.program.scop;
        Ok(Self {
            view,
            scop,
            deps,
            strides: view.strides()?,
            registers: Registers::of(machine),
            parallel: has_threads,
            keeps_all: true,
            on_gpu: None,
            names: NameGenerator::new(scop.names()),
            draft: Draft::new(view.program, Some(deps)),
            outer: Vec::new(),
            remarks,
        })
    }

    /// Plans the steps for the nests of a subtree, which these instances reach.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, instances: &UnionSet) -> Result<()> {
        if matches!(tree.node(), Node::Mark { mark: Mark::Shaped, .. })
            || self.keeps_all && self.nest(tree, instances)?
            || self.on_gpu.is_some() && self.apart(tree, here, instances)?
            || self.on_gpu.is_none()
                && (self.fused(tree, here, instances)?
                    || self.keeps_all && self.jammed(tree, here, instances)?)
        {
            return Ok(());
        }
        let n_outer = self.outer.len();
        let inside = match tree.node() {
            Node::Filter { filter, .. } => instances.intersect(filter)?,
            _ => instances.clone(),
        };
        if let Node::Band { band, .. } = tree.node() {
            self.outer.extend(band.members.iter().cloned());
        }
        for (at, child) in tree.children().iter().enumerate() {
            if let Node::Filter { filter, .. } = child.node()
                && inside.is_disjoint(filter)?
            {
                // Beside new statements nothing is left of it.
                continue;
            }
            self.below(child, &here.child(at), &inside)?;
        }
        self.outer.truncate(n_outer);
        Ok(())
    }

    /// Tiles the nest at `tree`, where register tiles fit it, and says whether they do.
    fn nest(&mut self, tree: &ScheduleTree, instances: &UnionSet) -> Result<bool> {
        let Some(nest) = self.alone(tree, instances)? else { return Ok(false) };
        let Some(plan) = self.planned(&nest)? else {
            let (stmt, misfit) = (nest.stmt, self.misfit(&nest)?);
            if let Some(text) = misfit {
                self.told(stmt, text);
            }
            return Ok(false);
        };
        if !self.is_free(&nest, &plan)? {
            return Ok(false);
        }
        let Some(rows) = member_rows(&nest, &nest.members)? else { return Ok(false) };
        let (scop, n_outer, stmt) = (self.scop, nest.outer.len(), nest.stmt);
        let in_warps = match self.on_gpu {
            Some((_, asked)) if asked.tensor => Some(self.in_warps(&nest, &plan)?),
            _ => None,
        };
        drop(nest);
        let parallel = self.is_outermost_parallel();
        let tiled = Tiled { scop, stmt, plan: &plan, rows: &rows, n_outer, parallel };
        match in_warps {
            Some(Ok(sizes)) if self.tiled_in_warps(&tiled, sizes)? => return Ok(true),
            Some(Err(why)) => self.told(stmt, format!("no tensor cores: {why}")),
            _ => {}
        }
        let mut names = self.names.clone();
        let steps = match (self.on_gpu, plan.loops.column) {
            (Some((gpu, asked)), Some(column)) => {
                tiled.mapped(column, (gpu, asked.buffers), &mut names).map(Steps::all)
            }
            _ => tiled.steps(&mut names),
        };
        let is_done = self.attempt(steps, names)?;
        if is_done {
            self.told(stmt, remark(&plan, scop, stmt));
        }
        Ok(is_done)
    }

    /// What is told of a nest that register tiles do not fit, if that is worth it.
    fn misfit(&self, nest: &Nest<'_>) -> Result<Option<String>> {
        let Some((_, asked)) = self.on_gpu else {
            let misfit = Plan::misfit(nest, &self.registers)?;
            return Ok(misfit.map(|misfit| misfit.told(self.scop, nest.stmt)));
        };
        let why = self.scop.stmts()[nest.stmt].half_product(self.scop).err();
        let is_near =
            |why: &NoHalfProduct| matches!(why, NoHalfProduct::Rounded | NoHalfProduct::Sum);
        let why = why.filter(|why| asked.tensor && is_near(why));
        Ok(why.map(|why| format!("no tensor cores: {why}")))
    }

    /// Tiles a nest so that tensor cores compute its products, in tiles of these sizes; whether all steps apply.
    fn tiled_in_warps(&mut self, tiled: &Tiled<'_>, sizes: Sizes) -> Result<bool> {
        let (Some((gpu, asked)), Some(column)) = (self.on_gpu, tiled.plan.loops.column) else {
            return Ok(false);
        };
        let plan = Plan { sizes, ..tiled.plan.clone() };
        let tiled = Tiled { plan: &plan, ..*tiled };
        let mut names = self.names.clone();
        let steps = tiled.mapped_in_warps(column, (gpu, asked.buffers), &mut names);
        let is_done = self.attempt(steps.map(Steps::all), names)?;
        if is_done {
            let text = remark(&plan, self.scop, tiled.stmt);
            self.told(tiled.stmt, format!("{text}, products of tensor cores"));
        }
        Ok(is_done)
    }

    /// Adds a remark on a statement.
    fn told(&mut self, stmt: StmtId, text: String) {
        let stmts = vec![self.scop.stmts()[stmt].name.clone()];
        self.remarks.push(Remark { pass: "register", stmts, text });
    }

    /// Applies steps, if there are some, with names that they made; whether all apply.
    fn attempt(&mut self, steps: Option<Vec<Step>>, names: NameGenerator) -> Result<bool> {
        let Some(steps) = steps else { return Ok(false) };
        self.names = names;
        self.draft.attempt(|draft| steps.into_iter().try_for_each(|step| draft.apply(step)))
    }

    /// The nest at `tree`; `None` where it is not the loops of all of one statement.
    fn alone(&self, tree: &ScheduleTree, instances: &UnionSet) -> Result<Option<Nest<'_>>> {
        let Some(members) = chain(tree) else { return Ok(None) };
        let [set] = &instances.sets()?[..] else { return Ok(None) };
        let name = set.tuple_name().unwrap_or_default();
        let Some(stmt) = self.scop.stmt_by_name(&name) else { return Ok(None) };
        if !self.scop.domain_of(stmt)?.is_subset(set)? {
            return Ok(None);
        }
        let (scop, instances) = (self.scop, instances.clone());
        Ok(Some(Nest { scop, stmt, instances, outer: &self.outer, members }))
    }

    /// What becomes of a nest; `None` where register tiles do not fit it.
    fn planned(&self, nest: &Nest<'_>) -> Result<Option<Plan>> {
        let Some((gpu, asked)) = self.on_gpu else {
            return Plan::of(nest, &self.registers);
        };
        let stmt = &self.scop.stmts()[nest.stmt];
        let [BodyStmt::Assign { target, .. }] = stmt.body.as_slice() else { return Ok(None) };
        let array = &self.scop.arrays()[stmt.accesses[*target].array];
        let element_bytes = array.element.kind.size_bytes().unwrap_or(8);
        let Some(plan) = Plan::packed(nest, &self.registers)? else { return Ok(None) };
        let Some(column) = plan.loops.column else { return Ok(Some(plan)) };
        let extents = [iterations(nest, plan.loops.row)?, iterations(nest, column)?];
        let operands = [Side::Rows, Side::Columns].map(|side| {
            let n = plan.operands.iter().filter(|operand| operand.side == side).count();
            i64::try_from(n).unwrap_or(i64::MAX)
        });
        let sizes = sizes_on_gpu(Product { element_bytes, operands, extents }, gpu, asked);
        Ok(Some(Plan { sizes, ..plan }))
    }

    /// Whether register tiles fit the nest at `tree`.
    fn fits(&self, tree: &ScheduleTree, instances: &UnionSet) -> Result<bool> {
        let Some(nest) = self.alone(tree, instances)? else { return Ok(false) };
        let Some(plan) = self.planned(&nest)? else { return Ok(false) };
        self.is_free(&nest, &plan)
    }

    /// Whether the loops of a nest may be put in every order.
    fn is_free(&self, nest: &Nest<'_>, plan: &Plan) -> Result<bool> {
        let Some(rows) = member_rows(nest, &nest.members)? else { return Ok(false) };
        Ok(rows.len() == nest.members.len() && plan.is_free(nest)?)
    }

    /// Divides loops around several bodies, some of which register tiles would fit if they had these loops to themselves, and goes on with each, where
    /// that is legal; whether it is.
    fn apart(&mut self, tree: &ScheduleTree, here: &Cursor, instances: &UnionSet) -> Result<bool> {
        let Node::Band { band, child } = tree.node() else { return Ok(false) };
        let Node::Sequence(bodies) = child.node() else { return Ok(false) };
        let (mut parts, mut fits) = (Vec::new(), false);
        for body in bodies {
            let Node::Filter { filter, child } = body.node() else { return Ok(false) };
            let part = ScheduleTree::band(band.clone(), child.clone());
            let inside = instances.intersect(filter)?;
            fits |= self.fits(&part, &inside)?;
            parts.push((part, inside));
        }
        let Some(first) = stmt_names(instances)?.first().cloned().filter(|_| fits) else {
            return Ok(false);
        };
        if !self.waits_forward(&parts)? {
            return Ok(false);
        }
        let at = LoopAddress::new(first, i64::try_from(self.outer.len() + 1).unwrap_or(i64::MAX));
        let distribute = Step::Distribute(Distribute { at, groups: Vec::new() });
        if !self.draft.attempt(|draft| draft.apply(distribute))? {
            return Ok(false);
        }
        for (part, inside) in parts {
            self.below(&part, here, &inside)?;
        }
        Ok(true)
    }

    /// Whether, within one iteration of the loops around, what a part has to wait for is in parts before it, or in itself.
    fn waits_forward(&self, parts: &[(ScheduleTree, UnionSet)]) -> Result<bool> {
        let around: Vec<UnionPwAff> = self.outer.iter().map(|m| m.schedule.clone()).collect();
        let around = MultiUnionPwAff::from_members(&around)?;
        for dep in &self.deps.deps {
            let mut pairs = dep.relation.to_union_map()?;
            if !self.outer.is_empty() {
                pairs = pairs.eq_at_multi_union_pw_aff(&around)?;
            }
            for (at, (_, later)) in parts.iter().enumerate() {
                let from_later = pairs.intersect_domain(later)?;
                for (_, before) in &parts[..at] {
                    if !from_later.intersect_range(before)?.is_empty()? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Tiles the nests in the loop at `tree` in strips that they share, where that fits them, and says whether it does.
    fn fused(&mut self, tree: &ScheduleTree, here: &Cursor, instances: &UnionSet) -> Result<bool> {
        let Some(strips) = self.strips(tree, here, instances)? else { return Ok(false) };
        let Self { scop, names, .. } = self;
        let is_done = self.draft.attempt(|draft| strips.steps(scop, names, draft))?;
        if is_done {
            self.remarks.push(strips.remark(instances)?);
        }
        Ok(is_done)
    }

    /// Tiles the nest at `tree` without rows, where that fits it, and says whether it does.
    fn jammed(&mut self, tree: &ScheduleTree, here: &Cursor, instances: &UnionSet) -> Result<bool> {
        let Node::Band { band, child } = tree.node() else { return Ok(false) };
        let Some(jam) = self.site().jam(band, child, instances)? else { return Ok(false) };
        let parallel = self.is_outermost_parallel();
        let is_done = self.draft.attempt(|draft| jam.steps(here, parallel, draft))?;
        if is_done {
            self.remarks.push(jam.remark(instances)?);
        }
        Ok(is_done)
    }

    /// Where sums across the order of memory are looked for.
    fn site(&self) -> Site<'_> {
        let Self { scop, strides, registers, outer, .. } = self;
        Site { scop, strides, registers: *registers, outer: outer.clone() }
    }

    /// Whether a loop at the place is to run on threads where it may: none around it does.
    fn is_outermost_parallel(&self) -> bool {
        self.parallel && !self.outer.iter().any(|member| member.coincident)
    }
}

/// What was done to a nest.
fn remark(plan: &Plan, scop: &Scop, stmt: StmtId) -> String {
    let stmt = &scop.stmts()[stmt];
    let name = |at: usize| stmt.iterators.get(at).map_or("?", |i| i.name.as_str());
    let (sizes, loops) = (&plan.sizes, plan.loops);
    let Some(column) = loops.column else {
        return format!("register tiles of {} {}", sizes.rows, name(loops.row));
    };
    format!(
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
    )
}

/// The members of bands that stand one inside the other with nothing between them, down to a leaf.
fn chain(tree: &ScheduleTree) -> Option<Vec<Member>> {
    let (mut here, mut members) = (tree, Vec::new());
    while let Node::Band { band, child } = here.node() {
        members.extend(band.members.iter().cloned());
        here = child;
    }
    let is_nest = matches!(here.node(), Node::Leaf) && !members.is_empty();
    is_nest.then_some(members)
}
