//! From flags to the library's options.

use crate::args::{Deps, Fuse, InputArgs, Solver, Target, TransformArgs};
use crate::messages::note;
use farkas::{Options, ReadOptions, Strategy};
use farkas_codegen::Target as CodeTarget;
use farkas_deps::FlowBy;
use farkas_schedule::{FusionHeuristic, SolverChoice};
use farkas_transform::TileSizes;

/// How to read the file.
pub(crate) fn read_options(args: &InputArgs) -> ReadOptions {
    let flags = [("-I", &args.include_dirs), ("-D", &args.defines), ("-U", &args.undefines)];
    let mut cpp_args: Vec<String> = flags
        .iter()
        .flat_map(|(flag, values)| values.iter().map(move |v| format!("{flag}{v}")))
        .collect();
    cpp_args.extend(args.includes.iter().flat_map(|file| ["-include".to_owned(), file.clone()]));
    let front = farkas_front_c::Options {
        auto: args.auto,
        pure_functions: args.pure_functions.clone(),
        context: args.context.clone(),
    };
    ReadOptions { cpp: args.cpp.clone(), cpp_args, front }
}

/// The transformation for one strategy; a message on standard error and `None` when the flags make no sense.
pub(crate) fn options(args: &TransformArgs, strategy: &str, deps: Deps) -> Option<Options> {
    let Some(strategy) = Strategy::from_name(strategy) else {
        let names: Vec<&str> = Strategy::ALL.iter().map(|(name, _)| *name).collect();
        note(&format!(
            "error: unknown strategy `{strategy}`: expected one of {}\n",
            names.join(", ")
        ));
        return None;
    };
    let tile = match (&args.tile_sizes, args.no_tile) {
        (Some(sizes), _) => tile_sizes(sizes)?,
        (None, true) => TileSizes::none(),
        (None, false) => TileSizes::default_single(),
    };
    Some(Options {
        strategy,
        fusion: match args.fuse {
            Fuse::Smart => FusionHeuristic::Smart,
            Fuse::Max => FusionHeuristic::Max,
            Fuse::No => FusionHeuristic::No,
        },
        flow: match deps {
            Deps::Value => FlowBy::Value,
            Deps::Memory => FlowBy::Memory,
        },
        solver: match args.solver {
            Solver::Farkas => SolverChoice::Ours,
            Solver::Isl => SolverChoice::Isl,
        },
        tile,
        target: match args.target {
            Target::Openmp => CodeTarget::OpenMp,
            Target::C => CodeTarget::C,
        },
    })
}

/// `256:32,32,64` as levels of sizes.
fn tile_sizes(text: &str) -> Option<TileSizes> {
    let levels: Result<Vec<Vec<i64>>, _> = text
        .split(':')
        .map(|level| level.split(',').map(|size| size.trim().parse()).collect())
        .collect();
    let sizes = levels.ok().and_then(TileSizes::new);
    if sizes.is_none() {
        note(&format!(
            "error: `{text}` are no tile sizes: expected positive integers as in 32,32,64 or 256:32,32,64\n"
        ));
    }
    sizes
}
