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
//! - `packed`: steps for tiles with packed operands, `rows`: for those without columns, `jam`: for those without rows, `fused`: where
//!   several nests share strips of rows; `nest`: how they name loops.
//! - `split`: which sums stand in a nest of their own.
//!
//! Nothing here proves that the result is legal: the check does.

mod fused;
mod jam;
mod nest;
mod operands;
mod packed;
mod plan;
mod rows;
mod sizes;
mod split;

use crate::plan::Draft;
use crate::view::{Plans, Proposal, Setting, View};
use crate::{Remark, Result};
use farkas_analysis::StrideModel;
use farkas_base::NameGenerator;
use farkas_deps::Dependences;
use farkas_poly::UnionSet;
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
pub use jam::JamInTiles;
use jam::Site;
use nest::Tiled;
use plan::{Nest, Plan, member_rows};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sizes::Registers;
pub use split::SplitSums;

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
        let Setting { machine, has_threads, .. } = view.setting;
        let Some(deps) = view.deps()? else { return Ok(Proposal::Nothing) };
        let scop = &view.program.scop;
        let Node::Domain { domain, .. } = view.tree().node() else { return Ok(Proposal::Nothing) };
        let mut tiling = Tiling {
            scop,
            deps,
            strides: view.strides()?,
            registers: Registers::of(machine),
            parallel: has_threads,
            names: NameGenerator::new(scop.names()),
            draft: Draft::new(view.program, Some(deps)),
            outer: Vec::new(),
            remarks,
        };
        tiling.below(view.tree(), &Cursor::root(), domain)?;
        Ok(Proposal::Steps(tiling.draft.plan(view.tree())))
    }
}

/// The state of tiling a tree.
struct Tiling<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    strides: &'a StrideModel,
    registers: Registers,
    parallel: bool,
    names: NameGenerator,
    draft: Draft<'a>,
    /// The members around the place.
    outer: Vec<Member>,
    remarks: &'a mut Vec<Remark>,
}

impl Tiling<'_> {
    /// Plans the steps for the nests of a subtree, which these instances reach.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, instances: &UnionSet) -> Result<()> {
        if matches!(tree.node(), Node::Mark { mark: Mark::Shaped, .. })
            || self.nest(tree, instances)?
            || self.fused(tree, instances)?
            || self.jammed(tree, here, instances)?
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
        let Some(members) = chain(tree) else { return Ok(false) };
        let [set] = &instances.sets()?[..] else { return Ok(false) };
        let name = set.tuple_name().unwrap_or_default();
        let Some(stmt) = self.scop.stmt_by_name(&name) else { return Ok(false) };
        if !self.scop.domain_of(stmt)?.is_subset(set)? {
            return Ok(false);
        }
        let nest = Nest {
            scop: self.scop,
            stmt,
            instances: instances.clone(),
            outer: &self.outer,
            members,
        };
        let Some(plan) = Plan::of(&nest, &self.registers)? else {
            if let Some(misfit) = Plan::misfit(&nest, &self.registers)? {
                let (text, stmts) = (misfit.told(self.scop, stmt), vec![name]);
                self.remarks.push(Remark { pass: "register", stmts, text });
            }
            return Ok(false);
        };
        let Some(rows) = member_rows(&nest, &nest.members)? else { return Ok(false) };
        if rows.len() != nest.members.len() || !plan.is_free(&nest)? {
            return Ok(false);
        }
        let parallel = self.is_outermost_parallel();
        let (scop, n_outer) = (self.scop, self.outer.len());
        let tiled = Tiled { scop, stmt, plan: &plan, rows: &rows, n_outer, parallel };
        let Some(steps) = tiled.steps(&mut self.names) else { return Ok(false) };
        let is_done =
            self.draft.attempt(|draft| steps.into_iter().try_for_each(|step| draft.apply(step)))?;
        if is_done {
            self.remarks.push(remark(&plan, self.scop, stmt));
        }
        Ok(is_done)
    }

    /// Tiles the nests in the loop at `tree` in strips that they share, where that fits them, and says whether it does.
    fn fused(&mut self, tree: &ScheduleTree, instances: &UnionSet) -> Result<bool> {
        let Some(strips) = self.strips(tree, instances)? else { return Ok(false) };
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
