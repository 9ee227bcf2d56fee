//! Planners: they look at a program and say what to do to it, as steps, for the machine that it is to run on.
//!
//! Each planner is a file of its own, which says when what it wants is legal; [`Planner`] lists them. In which order they are asked is
//! not decided here: [`Shaping`] follows whatever list it is given. None of them proves legality: the facade runs the verifier of
//! `farkas-deps` on what comes out. What was done and why is told in [`Remark`]s.

mod action;
mod blas;
mod block_size;
mod borders;
mod compact;
mod descent;
mod expansion;
mod far;
mod flatten;
mod followed;
mod gpu;
mod index_sets;
mod join_kernels;
mod keep;
mod normal;
mod outer_lanes;
mod pad;
mod parallel;
mod partials;
mod plan;
mod planner;
mod point_loops;
mod point_order;
mod private;
mod rare;
mod reductions;
mod register;
mod residue;
mod reuse;
mod rotate;
mod row_tiles;
mod shaping;
mod split_tiles;
mod strips;
mod threads;
mod tile;
mod tile_choice;
mod updates;
mod values;
mod vector;
mod view;
mod wavefront;

pub(crate) use farkas_analysis::stmt_names;

pub use action::Action;
pub use blas::{Called, find_call, in_order_of, sizes_that_fit};
pub use borders::CutBorders;
pub use compact::Gaps;
pub use expansion::{Contract, Divide, ExpandStorage, Expanded, PartStrips, expand_storage};
pub use far::{FarApart, plan_pieces};
pub use flatten::Flatten;
pub use followed::Followed;
pub use gpu::{Barriers, Kernels};
pub use index_sets::SplitIndexSets;
pub use join_kernels::JoinKernels;
pub use keep::Keep;
pub use normal::{Fission, FuseProducers, MinimizeStrides, Normalize, ShareParallel, without_gaps};
pub use outer_lanes::OuterLanes;
pub use pad::Pad;
pub use parallel::{Parallel, plan_parallel};
pub use partials::Partials;
pub use plan::Plan;
pub use planner::Planner;
pub use point_loops::InnermostPoints;
pub use point_order::Innermost;
pub use private::PrivateCopies;
pub use rare::Rare;
pub use reductions::Reductions;
pub use register::{GpuTiles, JamInTiles, RegisterTiles, SplitSums};
pub use residue::Residues;
pub use rotate::Rotate;
pub use row_tiles::RowTiles;
pub use shaping::Shaping;
pub use split_tiles::SplitTiles;
pub use strips::{PrivateStrips, Strips};
pub use tile::{TileBy, Tiles, plan_tiles};
pub use tile_choice::{TileChoice, choose_tile_sizes};
pub use vector::{
    Vectors, WantedLoop, WantedLoops, WantedVectors, plan_vectors, without_vector_loop,
};
pub use view::{Plans, Proposal, Setting, View};
pub use wavefront::Wavefronts;

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

impl From<farkas_normalize::Error> for Error {
    fn from(error: farkas_normalize::Error) -> Self {
        use farkas_normalize::Error as Normal;
        match error {
            Normal::Poly(error) => Self::Poly(error),
            Normal::Tree(error) => Self::Tree(error),
            Normal::Deps(error) => Self::Deps(error),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<farkas_steps::Error> for Error {
    fn from(error: farkas_steps::Error) -> Self {
        use farkas_steps::Error as Steps;
        match error {
            Steps::Poly(error) => Self::Poly(error),
            Steps::Tree(error) => Self::Tree(error),
            Steps::Deps(error) => Self::Deps(error),
            Steps::Scop(violation) => Self::Scop(violation),
            Steps::NotApplicable(reason) => Self::Step(reason),
            other => Self::Other(other.to_string()),
        }
    }
}

/// The result of transformations.
pub type Result<T> = std::result::Result<T, Error>;
