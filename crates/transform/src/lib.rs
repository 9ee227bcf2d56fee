//! Shaping a schedule tree for the machine: loops without gaps, point-loop order, tiling, wavefronts, parallel, vector
//! and private marks.
//!
//! Each transformation is a function from trees to trees in a file of its own, which says when it is legal. None of
//! them proves legality: the facade runs the verifier of `farkas-deps` on what comes out (DESIGN.md, invariant 1).
//! What was done and why is told in [`Remark`]s.

mod affine;
mod compact;
mod descent;
mod expansion;
mod extent;
mod far;
mod footprint;
mod index_sets;
mod latency;
mod lift;
mod operations;
mod options;
mod parallel;
mod partial_sums;
mod plan;
mod point_loops;
mod point_order;
mod private;
mod register;
mod residue;
mod reuse;
mod rotate;
mod row_tiles;
mod split_tiles;
mod stride;
mod strips;
mod threads;
mod tile;
mod tile_choice;
mod tile_cost;
mod vector;
mod wavefront;

pub use compact::plan_compact;
pub use expansion::{contract, copies_back, expand_storage, limits};
pub use far::separate_far;
pub use footprint::{Footprint, Group, Nest, NestLoop, Reference};
pub use index_sets::split_index_sets;
pub use latency::chain_cycles;
pub use operations::Operations;
pub use options::{Options, PointOrder, TileSizes, TimeTiles};
pub use parallel::plan_parallel;
pub use partial_sums::plan_partial_sums;
pub use plan::Plan;
pub use point_loops::plan_order_within_tiles;
pub use point_order::plan_point_order;
pub use private::{LoopCopies, mark_private};
pub use register::register_tiles;
pub use residue::plan_residues;
pub use stride::{StmtRows, StrideModel};
pub use strips::expand_private;
pub use threads::without_threads;
pub use tile::{TileBy, plan_tiles};
pub use tile_choice::{TileChoice, choose_tile_sizes};
pub use vector::{WantedVectors, plan_vectors, plan_wanted_vectors, without_vector_loop};
pub use wavefront::plan_wavefronts;

use crate::descent::Descent;
use crate::register::jam_in_tiles;
use crate::rotate::rotate_loops;
use crate::row_tiles::RowTiles;
use crate::split_tiles::split_tiles;
use crate::strips::Strips;
use farkas_deps::Dependences;
use farkas_scop::Scop;
use farkas_steps::Step;
use farkas_tree::{Program, ScheduleTree};

/// What a transformation did or did not do, and why, in a sentence without capital and full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The transformation.
    pub pass: &'static str,
    /// The statements concerned, by name.
    pub stmts: Vec<String>,
    /// What and why.
    pub text: String,
}

/// Why a tree could not be transformed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// The tree is not what the transformation expects.
    #[error(transparent)]
    Tree(#[from] farkas_tree::Error),
    /// The scop with buffers contradicts itself.
    #[error("the statements of buffers do not fit: {0}")]
    Scop(farkas_scop::Violation),
    /// Dependences, or what the legality check says of a scop, could not be had.
    #[error(transparent)]
    Deps(#[from] farkas_deps::Error),
    /// A step of a planner does not apply: a bug of ours.
    #[error("a planned step does not apply: {0}")]
    Step(Box<farkas_steps::NotApplicable>),
    /// A step failed for a reason that this crate does not know.
    #[error("a planned step failed: {0}")]
    Other(String),
}

impl From<farkas_steps::Error> for Error {
    fn from(error: farkas_steps::Error) -> Self {
        use farkas_steps::Error as Steps;
        match error {
            Steps::Poly(error) => Self::Poly(error),
            Steps::Tree(error) => Self::Tree(error),
            Steps::Deps(error) => Self::Deps(error),
            Steps::NotApplicable(reason) => Self::Step(reason),
            other => Self::Other(other.to_string()),
        }
    }
}

/// The result of transformations.
pub type Result<T> = std::result::Result<T, Error>;

/// Shapes a scheduler's tree for a CPU: loops without gaps, loops split where they wait for one iteration, register tiles,
/// point-loop order (before or after tiling), tiles of rows, strips of recurrences, other tiles, split tiles with rotated loops in
/// them, wavefronts, parallel loops, vector loops, partial sums, in this order, each where `options` ask for it.
///
/// Split loops and tiles, tiles of rows, strips and register tiles need `deps`, the dependences of the scop, all of which the tree
/// must keep.
///
/// # Errors
/// When isl refuses.
pub fn shape(
    scop: &Scop,
    deps: Option<&Dependences>,
    tree: &ScheduleTree,
    options: &Options,
) -> Result<(Program, Vec<Remark>)> {
    Prepared::of(scop, deps, tree, options)?.shape(scop, deps, options)
}

/// A tree whose nests have no gaps and, where they fit, register tiles: what [`shape`] does first, and does alike for all
/// options that have the same machine, threads, and choice of split loops and register tiles.
#[derive(Clone, Debug)]
pub struct Prepared {
    shaping: Shaping,
    remarks: Vec<Remark>,
}

impl Prepared {
    /// That of a scheduler's tree, under some options.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn of(
        scop: &Scop,
        deps: Option<&Dependences>,
        tree: &ScheduleTree,
        options: &Options,
    ) -> Result<Self> {
        Self::noted(scop, deps, tree, options, None)
    }

    /// The same, with what was done where there is a record of it.
    fn noted(
        scop: &Scop,
        deps: Option<&Dependences>,
        tree: &ScheduleTree,
        options: &Options,
        record: Option<Record>,
    ) -> Result<Self> {
        let mut remarks = Vec::new();
        let mut shaping = Shaping { program: Program::new(scop, without_threads(tree)), record };
        shaping.take(plan_residues(shaping.tree(), &mut remarks)?)?;
        shaping.take(plan_compact(shaping.tree(), &mut remarks)?)?;
        if let Some(deps) = deps
            && options.index_sets
        {
            shaping.coarse("split loops", |tree| split_index_sets(deps, tree, &mut remarks))?;
        }
        if let Some(deps) = deps
            && options.register
        {
            let (machine, parallel) = (&options.machine, options.parallel);
            let tree = shaping.tree();
            let tiled = register_tiles(scop, deps, tree, machine, parallel, &mut remarks)?;
            let is_same = tiled.scop == *scop && tiled.tree == *tree;
            if let Some(record) = shaping.record.as_mut().filter(|_| !is_same) {
                record.coarse.push("register tiles");
            }
            shaping.program = tiled;
        }
        Ok(Self { shaping, remarks })
    }

    /// The rest of [`shape`], for the same scop and dependences.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn shape(
        self,
        scop: &Scop,
        deps: Option<&Dependences>,
        options: &Options,
    ) -> Result<(Program, Vec<Remark>)> {
        let (program, remarks, _) = self.shaped(scop, deps, options)?;
        Ok((program, remarks))
    }

    /// The same, with what was done where there is a record of it.
    fn shaped(
        self,
        scop: &Scop,
        deps: Option<&Dependences>,
        options: &Options,
    ) -> Result<(Program, Vec<Remark>, Option<Record>)> {
        let Self { mut shaping, mut remarks } = self;
        let emitted = shaping.program.scop.clone();
        let strides = StrideModel::new(&emitted)?;
        if options.point_order == PointOrder::Bands {
            shaping.take(plan_point_order(shaping.tree(), &strides, &mut remarks)?)?;
        }
        if options.time_tiles == TimeTiles::Rows
            && let Some(deps) = deps
            && (options.tile.is_auto() || !options.tile.levels().is_empty())
        {
            let (strides, machine) = (&strides, &options.machine);
            let sizes = row_tiles::asked(&options.tile).filter(|_| !options.tile_for_reuse);
            let rows = RowTiles { scop, deps, strides, machine, sizes };
            shaping
                .coarse("tiles of rows", |tree| row_tiles::tile_rows(tree, &rows, &mut remarks))?;
        }
        if let Some(deps) = deps.filter(|_| options.strips) {
            let (strides, machine) = (&strides, &options.machine);
            let strips = Strips { scop, deps, strides, machine };
            shaping.coarse("strips of recurrences", |tree| {
                strips::lay_side_by_side(tree, &strips, &mut remarks)
            })?;
        }
        let only_for = options.tile_for_reuse.then_some(&strides);
        for sizes in options.tile.levels() {
            let by = TileBy::Sizes(sizes);
            shaping.take(plan_tiles(shaping.tree(), by, only_for, &mut remarks)?)?;
        }
        if options.tile.is_auto() {
            let by = TileBy::Machine { scop: &emitted, machine: &options.machine };
            shaping.take(plan_tiles(shaping.tree(), by, only_for, &mut remarks)?)?;
        }
        if options.point_order == PointOrder::Points {
            shaping.take(plan_order_within_tiles(shaping.tree(), &strides, &mut remarks)?)?;
        }
        if let Some(deps) = deps.filter(|_| options.split_tiles) {
            let descent = Descent { scop, deps, strides: &strides };
            shaping.coarse("split tiles", |tree| {
                let tree = split_tiles(descent, tree, &mut remarks)?;
                let tree = rotate_loops(descent, &tree, &mut remarks)?;
                jam_in_tiles(descent, &tree, &options.machine, &mut remarks)
            })?;
        }
        if options.parallel {
            if options.wavefront {
                shaping.take(plan_wavefronts(shaping.tree(), &mut remarks)?)?;
            }
            shaping.take(plan_parallel(shaping.tree(), &mut remarks)?)?;
        }
        if options.vector {
            shaping.take(plan_vectors(shaping.tree(), &strides)?)?;
            if options.reassociate {
                shaping.take(plan_partial_sums(&emitted, shaping.tree(), &strides)?)?;
            }
        }
        Ok((shaping.program, remarks, shaping.record))
    }
}

/// What [`shape`] does, as steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// The steps, with names for their loops that hold of other sizes, too.
    pub steps: Vec<Step>,
    /// What changed the tree beside them: transformations that are no steps yet.
    pub coarse: Vec<&'static str>,
}

/// [`shape`] with a record of it.
///
/// # Errors
/// As for [`shape`].
pub fn recorded(
    scop: &Scop,
    deps: Option<&Dependences>,
    tree: &ScheduleTree,
    options: &Options,
) -> Result<(Program, Record)> {
    let record = Some(Record::default());
    let prepared = Prepared::noted(scop, deps, tree, options, record)?;
    let (program, _, record) = prepared.shaped(scop, deps, options)?;
    Ok((program, record.unwrap_or_default()))
}

/// A program on its way.
#[derive(Clone, Debug)]
struct Shaping {
    program: Program,
    record: Option<Record>,
}

impl Shaping {
    /// Its order.
    fn tree(&self) -> &ScheduleTree {
        &self.program.tree
    }

    /// Does what a planner says.
    fn take(&mut self, plan: Plan) -> Result<()> {
        let steps = self.record.as_mut().map(|record| &mut record.steps);
        self.program = plan.recorded(&self.program, None, steps)?;
        Ok(())
    }

    /// Does what is no step.
    fn coarse(
        &mut self,
        name: &'static str,
        change: impl FnOnce(&ScheduleTree) -> Result<ScheduleTree>,
    ) -> Result<()> {
        let tree = change(&self.program.tree)?;
        if let Some(record) = self.record.as_mut().filter(|_| tree != self.program.tree) {
            record.coarse.push(name);
        }
        self.program.tree = tree;
        Ok(())
    }
}

/// The names of the statements that occur in `domain`, sorted.
pub(crate) fn stmt_names(domain: &farkas_poly::UnionSet) -> Result<Vec<String>> {
    let mut names: Vec<String> =
        domain.sets()?.iter().filter_map(farkas_poly::Set::tuple_name).collect();
    names.sort();
    names.dedup();
    Ok(names)
}
