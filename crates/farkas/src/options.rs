//! What the user may choose.

use farkas_deps::FlowBy;
use farkas_transform::TileSizes;

/// How a region is transformed.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Who decides the order.
    pub strategy: Strategy,
    /// What to fuse.
    pub fusion: farkas_schedule::FusionHeuristic,
    /// What a flow dependence is.
    pub flow: FlowBy,
    /// The integer solver of the scheduler.
    pub solver: farkas_schedule::SolverChoice,
    /// Tiles of permutable bands.
    pub tile: TileSizes,
    /// What code to write.
    pub target: farkas_codegen::Target,
}

/// A scheduling strategy by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// Pluto's: least dependence distance, permutable bands.
    #[default]
    Pluto,
    /// The order of the original program.
    Original,
}

impl Strategy {
    /// Every strategy with its name.
    pub const ALL: [(&'static str, Self); 2] =
        [("pluto", Self::Pluto), ("original", Self::Original)];

    /// The strategy called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, s)| *s)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pluto => "pluto",
            Self::Original => "original",
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strategy: Strategy::Pluto,
            fusion: farkas_schedule::FusionHeuristic::Smart,
            flow: FlowBy::Value,
            solver: farkas_schedule::SolverChoice::Ours,
            tile: TileSizes::default_single(),
            target: farkas_codegen::Target::OpenMp,
        }
    }
}
