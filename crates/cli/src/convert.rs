//! From flags to the library's options.

use crate::args::{
    AnyTarget, Deps, Fuse, InputArgs, MeasureArgs, Order, Reassociate, Solver, Time, TransformArgs,
};
use crate::messages::Stop;
use farkas::database::Recipes;
use farkas::{
    Options, ReadOptions, Strategy, machine_named, machines_for, read_influence, read_recipe,
};
use farkas::{PointOrder, Template, TileSizes};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::{Language, Target as CodeTarget};
use farkas_config::BlockSizes;
use farkas_deps::FlowBy;
use farkas_machine::{Gpu, Machine};
use farkas_run::{Compiler, Error, RunOptions, Tolerance, shell_words};
use farkas_schedule::{FusionHeuristic, SolverChoice};
use farkas_scop::{Grant, Reassociation};
use farkas_transform::{Flatten, Planner, SplitIndexSets};
use farkas_tree::NoThreads;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

/// How to read the file, where a strategy grants what `grants` says, too.
pub(crate) fn read_options(args: &InputArgs, grants: &[Grant]) -> ReadOptions {
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
        grants: args.assume.iter().chain(grants).cloned().collect(),
        no_strict_aliasing: args.no_strict_aliasing,
        reassociation: reassociation(args),
        sizes: args.sizes.clone(),
        ..farkas_front_c::Options::default()
    };
    ReadOptions { cpp: args.cpp.clone(), cpp_args, front }
}

/// Which updates may run in another order.
fn reassociation(args: &InputArgs) -> Reassociation {
    match args.reassociate {
        _ if args.deterministic => Reassociation::Fixed,
        Some(Reassociate::Anywhere) => Reassociation::Rounded,
        Some(Reassociate::Lanes) => Reassociation::Lanes,
        None => Reassociation::Exact,
    }
}

/// The flags of the compiler where none is named.
const USUAL_FLAGS: [&str; 2] = ["-O3", "-march=native"];

/// The compiler of original and results.
///
/// # Errors
/// The message on a command that is none, or that no compiler is there.
pub(crate) fn compiler(args: &MeasureArgs) -> Result<Compiler, Stop> {
    match &args.baseline {
        Some(command) => Ok(command.parse().map_err(|e: Error| bad(e.to_string()))?),
        None => Compiler::usual(&USUAL_FLAGS).map_err(|e| Stop::refused(Box::new(failure(&e)))),
    }
}

/// The toolchain's failure as a message.
pub(crate) fn failure(error: &Error) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(DiagnosticId::ToolchainFailed, error.to_string());
    if let Some(text) = error.note() {
        diagnostic = diagnostic.note(text);
    }
    match error.help() {
        Some(text) => diagnostic.help(text),
        None => diagnostic,
    }
}

/// How programs run.
///
/// # Errors
/// The message on arguments that no shell would take.
pub(crate) fn run_options(args: &MeasureArgs) -> Result<RunOptions, Stop> {
    let arguments = shell_words(&args.args).map_err(|e| bad(e.to_string()))?;
    let time_limit = Duration::from_secs(args.timeout);
    Ok(RunOptions { arguments, time_limit, ..RunOptions::default() })
}

/// Threads of the results: as asked for, as the environment says, or all cores.
pub(crate) fn threads(args: &MeasureArgs) -> usize {
    let from_environment = || std::env::var("OMP_NUM_THREADS").ok()?.trim().parse().ok();
    let asked = args.threads.map(|n| n as usize).or_else(from_environment);
    asked.unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get))
}

/// How far outputs may differ.
pub(crate) fn tolerance(args: &MeasureArgs) -> Tolerance {
    Tolerance { relative: args.tolerance, ..Tolerance::EXACT }
}

/// The transformation for one strategy. What flags say counts more than what a strategy file says.
///
/// # Errors
/// The messages on flags that make no sense, or on a strategy or influence file.
pub(crate) fn options(
    args: &TransformArgs,
    strategy: Option<&str>,
    deps: Deps,
) -> Result<Options, Stop> {
    let recipe = match &args.recipe {
        Some(path) => Some(read_recipe(path).map_err(Stop::Refused)?),
        None => None,
    };
    let strategy = match (strategy, &recipe) {
        (Some(word), _) => strategy_named(word)?,
        (None, None) if args.target.language().is_some() => Strategy::LocalityGpu,
        (None, None) => Strategy::Auto,
        (None, Some(recipe)) => Strategy::of_recipe(recipe).map_err(Stop::Refused)?,
    };
    if recipe.is_some() && matches!(strategy, Strategy::Auto) {
        let message = "strategy auto chooses steps of its own: name another one beside a recipe";
        return Err(bad(message.into()).into());
    }
    if args.target.language().is_some() && matches!(strategy, Strategy::Auto) {
        let message =
            "strategy auto compares forms for processors: name another one, as locality-gpu";
        return Err(bad(message.into()).into());
    }
    let recipes = match &args.db {
        Some(_) if !matches!(strategy, Strategy::Auto) => {
            let message = "only strategy auto takes recipes of a database".to_owned();
            return Err(bad(message).into());
        }
        Some(path) => Some(Arc::new(Recipes::open(path).map_err(Stop::refused)?)),
        None => None,
    };
    let influence = match &args.influence {
        Some(_) if matches!(strategy, Strategy::Original | Strategy::Libisl) => {
            return Err(
                bad(format!("strategy {} follows no influence tree", strategy.name())).into()
            );
        }
        Some(path) => Some(read_influence(path).map_err(Stop::Refused)?),
        None => None,
    };
    let defaults = match &strategy {
        Strategy::File(file) => Options::default().with_file(file),
        _ => Options::default(),
    };
    let template = edited(defaults.template.clone(), args, influence.is_some())?;
    if defaults.recipe.is_some()
        && recipe.is_none()
        && (influence.is_some() || template != defaults.template)
    {
        let message = format!(
            "the recipe in strategy {} says what is done to its order: leave out flags that say it, too",
            strategy.name()
        );
        return Err(bad(message).into());
    }
    let language = args.target.language();
    let (machine, gpu) = machines(&args.machine, language)?;
    let block_sizes = block_sizes(args, defaults.block_sizes)?;
    let options = Options {
        strategy,
        influence,
        fusion: args
            .fuse
            .map(|fuse| match fuse {
                Fuse::Smart => FusionHeuristic::Smart,
                Fuse::Max => FusionHeuristic::Max,
                Fuse::No => FusionHeuristic::No,
                Fuse::Cluster => FusionHeuristic::Cluster,
            })
            .or(recipe.as_ref().and_then(|recipe| recipe.fusion())),
        recipe: recipe.or(defaults.recipe.clone()),
        flow: match deps {
            Deps::Value => FlowBy::Value,
            Deps::Memory => FlowBy::Memory,
        },
        solver: match args.solver {
            Solver::Farkas => SolverChoice::Ours,
            Solver::Isl => SolverChoice::Isl,
        },
        template,
        expand: defaults.expand || args.expand,
        divide: defaults.divide || args.divide,
        normalize: args.normalize,
        blas: args.blas,
        recipes,
        memory: args.memory.unwrap_or(defaults.memory),
        growth: args.growth,
        machine,
        block_sizes,
        rank: args.rank,
        no_threads: args.serial.then_some(NoThreads::Asked),
        budget: args.budget.saturating_mul(1000),
        target: match args.target {
            AnyTarget::C => CodeTarget::C,
            _ => CodeTarget::OpenMp,
        },
        ..defaults
    };
    Ok(match (language, gpu) {
        (Some(language), Some(gpu)) => {
            fits(&options.block_sizes, &gpu)?;
            options
                .on_device(language, gpu)
                .with_template(|t| args.without.iter().fold(t, |t, word| t.without(word)))
        }
        _ => options,
    })
}

/// The processor that a word names, with the GPU of kernels in a language.
fn machines(word: &str, language: Option<Language>) -> Result<(Machine, Option<Gpu>), Stop> {
    let (detected, gpu) = machines_for(word, language).map_err(misuse_or_refusal)?;
    Ok((detected.machine, gpu))
}

/// Whether a GPU has blocks of the sizes that somebody asked for.
fn fits(sizes: &BlockSizes, gpu: &Gpu) -> Result<(), Box<Diagnostic>> {
    let [x, y, z] = sizes.block.map_or([1; 3], |block| block.map(|n| u64::from(n.get())));
    let most = u64::from(gpu.limits.threads_per_block.min(1024));
    if x * y * z > most || z > 64 {
        return Err(bad(format!(
            "blocks of {x} x {y} x {z} threads are too large for {}: expected {most} at most, and 64 along z",
            gpu.name
        )));
    }
    Ok(())
}

/// The sizes of blocks that the flags ask for, or else those of a strategy file.
fn block_sizes(args: &TransformArgs, said: BlockSizes) -> Result<BlockSizes, Box<Diagnostic>> {
    let (block, sums) = (&args.block, &args.sums);
    if !(block.is_empty() && sums.is_empty()) && args.target.language().is_none() {
        return Err(bad("--block and --sums go with --target cuda or opencl".into()));
    }
    if args.tensor && args.target.language() != Some(Language::Cuda) {
        return Err(bad("--tensor goes with --target cuda".into()));
    }
    let block = match block.as_slice() {
        [] => said.block,
        [x] => Some([*x, NonZero::<u16>::MIN, NonZero::<u16>::MIN]),
        [x, y] => Some([*x, *y, NonZero::<u16>::MIN]),
        [x, y, z] => Some([*x, *y, *z]),
        _ => {
            return Err(bad(
                "a block has three axes at most: expected --block X, X,Y or X,Y,Z".into()
            ));
        }
    };
    let sums = match sums.as_slice() {
        [] => said.sums,
        [rows, columns] => Some([*rows, *columns]),
        _ => {
            return Err(bad(
                "a thread has rows and columns of sums: expected --sums ROWS,COLUMNS".into()
            ));
        }
    };
    Ok(BlockSizes { block, sums, tensor: args.tensor || said.tensor })
}

/// What is done to the strategy's order: `template` is the default's, with what a strategy file says of it, and flags count more than
/// both.
fn edited(
    mut template: Template,
    args: &TransformArgs,
    is_influenced: bool,
) -> Result<Template, Box<Diagnostic>> {
    template = match (&args.tile_sizes, args.no_tile, args.tile) {
        (Some(sizes), ..) if sizes == "auto" => template.tiled(TileSizes::auto()),
        (Some(sizes), ..) => template.tiled(tile_sizes(sizes)?).tiled_for_reuse(false),
        (None, true, _) => template.tiled(TileSizes::none()),
        (None, false, true) => template.tiled(TileSizes::default_single()).tiled_for_reuse(false),
        (None, false, false) => template,
    };
    if args.tile {
        template = template.tiled_for_reuse(false);
    }
    template = match args.point_order {
        Some(Order::Scheduled) => template.ordered(PointOrder::Scheduled),
        Some(Order::Bands) => template.ordered(PointOrder::Bands),
        Some(Order::Points) => template.ordered(PointOrder::Points),
        None if is_influenced => template.ordered(PointOrder::Scheduled),
        None => template,
    };
    if args.time_tiles == Time::Rows {
        template = template.with_row_tiles();
    }
    if args.split_tiles {
        template = template.with_split_tiles();
    }
    if args.split_index_sets {
        template = template.with(SplitIndexSets {});
    }
    if args.register_tiles {
        template = template.with_register_tiles();
    }
    if args.strips {
        template = template.with_strips();
    }
    if args.flatten {
        template = template.with(Flatten::default());
    }
    for word in &args.without {
        if !Planner::WORDS.contains(&word.as_str()) {
            let known = Planner::WORDS.join(", ");
            return Err(bad(format!("there is no planner `{word}`: expected one of {known}")));
        }
        template = template.without(word);
    }
    Ok(template)
}

/// The strategy that a word names.
fn strategy_named(word: &str) -> Result<Strategy, Stop> {
    Strategy::named(word).map_err(misuse_or_refusal)
}

/// The machine that a word names.
///
/// # Errors
/// The messages on a word that names none, or on a machine file.
pub(crate) fn machine(word: &str) -> Result<Machine, Stop> {
    Ok(machine_named(word).map_err(misuse_or_refusal)?.machine)
}

/// An unknown name is misuse, a bad file is bad input.
pub(crate) fn misuse_or_refusal(mut diagnostics: Vec<Diagnostic>) -> Stop {
    match diagnostics.pop() {
        Some(only) if only.id == DiagnosticId::BadOption => Stop::Misuse(Box::new(only)),
        Some(last) => Stop::Refused(diagnostics.into_iter().chain([last]).collect()),
        None => Stop::Told,
    }
}

/// `256:32,32,64` as levels of sizes.
fn tile_sizes(text: &str) -> Result<TileSizes, Box<Diagnostic>> {
    let levels: Result<Vec<Vec<i64>>, _> = text
        .split(':')
        .map(|level| level.split(',').map(|size| size.trim().parse()).collect())
        .collect();
    levels.ok().and_then(TileSizes::new).ok_or_else(|| {
        bad(format!(
            "`{text}` are no tile sizes: expected auto, or positive integers as in 32,32,64 or 256:32,32,64"
        ))
    })
}

/// The message on a flag.
pub(crate) fn bad(message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(DiagnosticId::BadOption, message))
}
