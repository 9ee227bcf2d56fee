//! The list of planners.

use crate::borders::CutBorders;
use crate::compact::Gaps;
use crate::expansion::{Contract, Divide, ExpandStorage, PartStrips};
use crate::far::FarApart;
use crate::flatten::Flatten;
use crate::gpu::{Barriers, Kernels};
use crate::index_sets::SplitIndexSets;
use crate::join_kernels::JoinKernels;
use crate::keep::Keep;
use crate::normal::{Fission, FuseProducers, MinimizeStrides, Normalize, ShareParallel};
use crate::outer_lanes::OuterLanes;
use crate::pad::Pad;
use crate::parallel::Parallel;
use crate::partials::Partials;
use crate::point_loops::InnermostPoints;
use crate::point_order::Innermost;
use crate::private::PrivateCopies;
use crate::rare::Rare;
use crate::reductions::Reductions;
use crate::register::{GpuTiles, JamInTiles, RegisterTiles, SplitSums};
use crate::residue::Residues;
use crate::rotate::Rotate;
use crate::row_tiles::RowTiles;
use crate::split_tiles::SplitTiles;
use crate::strips::{PrivateStrips, Strips};
use crate::tile::Tiles;
use crate::vector::{Vectors, WantedVectors};
use crate::view::{Plans, Proposal, View};
use crate::wavefront::Wavefronts;
use crate::{Remark, Result};
use farkas_steps::{ReadError, read, schema};
use serde::Serialize;
use serde_json::Value;

/// Declares [`Planner`] with a variant and a word for each kind.
macro_rules! planners {
    ($($kind:ident $word:literal,)*) => {
        /// A planner with its parameters: one of the kinds in this crate.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize)]
        #[serde(tag = "plan")]
        #[allow(missing_docs, reason = "each variant is the type of its name")]
        pub enum Planner {
            $(#[serde(rename = $word)] $kind($kind),)*
        }

        impl Planner {
            /// The words for all kinds, as the key `plan` has them.
            pub const WORDS: &[&str] = &[$($word),*];

            /// The word for its kind.
            pub fn word(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => $word,)*
                }
            }

            /// The planner that a word and an object of its parameters stand for; none where no kind has this word.
            ///
            /// # Errors
            /// What is wrong with the parameters.
            pub fn read(word: &str, parameters: Value) -> Option<std::result::Result<Self, ReadError>> {
                match word {
                    $($word => Some(read::<$kind>(parameters).map(Self::$kind)),)*
                    _ => None,
                }
            }

            /// The JSON Schemas of all kinds, each with the key `plan`, which says which it is.
            pub fn schemas() -> Vec<Value> {
                vec![$(schema::<$kind>("plan", $word)),*]
            }

            /// The parameters with what they plan.
            fn kind(&self) -> &dyn Plans {
                match self {
                    $(Self::$kind(planner) => planner,)*
                }
            }
        }

        $(impl From<$kind> for Planner {
            fn from(planner: $kind) -> Self {
                Self::$kind(planner)
            }
        })*
    };
}

planners! {
    Barriers "barriers",
    Contract "contract",
    CutBorders "cut-borders",
    Divide "divide",
    ExpandStorage "expand",
    FarApart "far-apart",
    Fission "fission",
    Flatten "flatten",
    FuseProducers "fuse-producers",
    Gaps "gaps",
    GpuTiles "gpu-tiles",
    Innermost "innermost",
    InnermostPoints "innermost-points",
    JamInTiles "jam-in-tiles",
    JoinKernels "join-kernels",
    Keep "keep",
    Kernels "kernels",
    MinimizeStrides "minimize-strides",
    Normalize "normalize",
    OuterLanes "outer-lanes",
    Pad "pad",
    Parallel "parallel",
    PartStrips "part-strips",
    Partials "partials",
    PrivateCopies "private-copies",
    PrivateStrips "private-strips",
    Rare "rare",
    Reductions "reductions",
    RegisterTiles "register-tiles",
    Residues "residues",
    Rotate "rotate",
    RowTiles "row-tiles",
    ShareParallel "share-parallel",
    SplitIndexSets "split-index-sets",
    SplitSums "split-sums",
    SplitTiles "split-tiles",
    Strips "strips",
    Tiles "tiles",
    Vectors "vectors",
    WantedVectors "wanted-vectors",
    Wavefronts "wavefronts",
}

impl Planner {
    /// The words for those that are for a program in its own order alone.
    pub const BEFORE_SCHEDULE: &[&str] = &["divide", "expand"];

    /// What to do to a program.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        self.kind().plan(view, remarks)
    }

    /// Whether it is for a program in its own order alone, before `schedule`.
    pub fn is_before_schedule(&self) -> bool {
        Self::BEFORE_SCHEDULE.contains(&self.word())
    }

    /// The statements that it names.
    pub fn stmts(&mut self) -> Vec<&mut String> {
        match self {
            Self::WantedVectors(wanted) => wanted.loops.iter_mut().map(|at| &mut at.stmt).collect(),
            _ => Vec::new(),
        }
    }
}
