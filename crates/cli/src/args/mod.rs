//! The command line as clap sees it. Help texts are the manual.

mod database;
mod files;
mod measure;
mod recipes;
mod transform;

pub(crate) use database::{
    DbAddArgs, DbArg, DbCommand, DbExportArgs, DbFilterArgs, DbImportArgs, DbListArgs, DbMergeArgs,
    DbOrigin, DbPruneArgs, DbShowArgs, DbVerifyArgs,
};
pub(crate) use files::{
    CcArgs, CheckArgs, ExplainArgs, Format, HostCode, MachineArgs, NormalizeArgs, OptArgs,
    OutputFormat, ShowArgs, ShowFormat, What,
};
pub(crate) use measure::{BenchArgs, ExploreArgs, MeasureArgs, TuneArgs};
pub(crate) use recipes::{ExplainRecipeArgs, ExtractArgs, RecipeCommand, TemplateArgs};
pub(crate) use transform::{
    AnyTarget, Deps, DepsArg, Fuse, InputArgs, Order, Reassociate, Solver, Target, Time,
    TransformArgs,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Farkas, a polyhedral optimizing compiler: C in, verified and faster C out.
#[derive(Parser, Debug)]
#[command(
    name = "farkas",
    version,
    propagate_version = true,
    after_help = "Examples:\n  \
        farkas opt kernel.c -o kernel.opt.c        transform the regions between #pragma scop and #pragma endscop\n  \
        farkas opt kernel.c --auto --report        find regions, say what was done\n  \
        farkas bench kernel.c                      compile and run original and result, compare, print speed-ups\n  \
        farkas explore kernel.c -o best.json       search for the strategy that makes this program fastest\n  \
        farkas tune kernel.c -o best.json          search for the recipe that makes this region fastest\n  \
        farkas explain kernel.c                    why is each loop parallel, or not\n  \
        make CC=\"farkas cc gcc\"                   a whole project\n  \
        clan k.c | farkas opt --from openscop --to openscop | cloog -openscop stdin\n  \
        farkas opt constraints.sc                  schedule constraints in, a schedule tree out, both as isl writes them\n\n\
        Exit status: 0 success, 1 the input is refused or the outputs differ, 2 misuse of the command line."
)]
pub(crate) struct Cli {
    /// When to colour messages.
    #[arg(long, value_enum, default_value_t = Colour::Auto, global = true, value_name = "WHEN")]
    pub(crate) color: Colour,
    /// How to print diagnostics.
    #[arg(long, value_enum, default_value_t = MessageFormat::Human, global = true, value_name = "FORMAT")]
    pub(crate) message_format: MessageFormat,
    /// The most memory that the program itself may take, as 512M or 2G: beyond it, it ends with a message and status 1. Compilers
    /// and compiled programs have no such limit.
    #[arg(long, value_parser = crate::memory::bytes, default_value = "2G", global = true, value_name = "SIZE")]
    pub(crate) tool_memory: u64,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal only.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum MessageFormat {
    /// Source excerpts with carets.
    Human,
    /// One line a message.
    Concise,
    /// One JSON object a line.
    Json,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Transform a C file.
    ///
    /// Every region between `#pragma scop` and `#pragma endscop` is replaced by equivalent, faster code; everything else
    /// comes out byte for byte. The result is verified before it is written. On any error nothing is written; a file
    /// without a region is an error.
    ///
    /// OpenSCoP files are read and written, too: then the new order stands in the scatterings, loops to run in parallel
    /// or in vector lanes in the extension `<loop>`, and everything else in the file stays.
    ///
    /// isl's schedule constraints (`domain`, `context`, `validity`, `coincidence`, `condition`, `conditional_validity`,
    /// `proximity`) and scops as sets and maps (`domain`, `context`, `schedule`, `reads`, `must_writes`, `may_writes`,
    /// `kills`, `extents`, `elements`, `live_in`, `live_out`) become schedule trees in isl's YAML.
    Opt(OptArgs),
    /// Print an intermediate result: scop, dependences, schedule, tree or loop AST.
    ///
    /// Only the passes needed are run. The loop AST is the one that is emitted, verified and with its fallbacks.
    Show(ShowArgs),
    /// Verify a schedule that someone else made.
    ///
    /// The schedule is an isl union map (`{ S0[i, j] -> [j, i]; ... }`) or an isl schedule tree in YAML. Statement names
    /// are those that `farkas show --scop` prints. Shorter dates of a union map are filled up with zeros, and the
    /// region's parameters need not be declared. The exit status is 0 when the schedule is legal, else 1 with an example
    /// of what goes wrong.
    Check(CheckArgs),
    /// Compile and run original and result, compare their outputs, and print a table of times and speed-ups.
    ///
    /// OpenMP's threads are bound to cores (OMP_PROC_BIND=true), unless that variable is set.
    Bench(BenchArgs),
    /// Search for the strategy that makes one program fastest, by measuring, and write it as a strategy file.
    ///
    /// Cost functions and their order, fusion, skewing, loops to vectorize, negative coefficients, tile sizes and what
    /// else is done to a schedule are tried; equal schedules and equal loops once. Each candidate is verified,
    /// compiled, run in turns with the original, and its output compared; one that fails has no score. The file that is
    /// written must beat the shipped strategies, `auto` among them, by more than the spread of the last runs, else it names the best of those.
    /// `farkas opt --strategy FILE` then gives exactly the code that was measured.
    ///
    /// The table of results goes to standard error. Run it on an idle machine; OpenMP's
    /// threads are bound to cores (OMP_PROC_BIND=true), unless that variable is set.
    Explore(ExploreArgs),
    /// Search for the recipe that makes one region fastest, by measuring, and write it as a file for `opt --recipe`.
    ///
    /// Recipes evolve: the forms that strategy auto ranks, planners, and what a database knows of this nest are parents; children
    /// have parts of two, and changes of their own. Each is verified, compiled, run in turns with the original, and its output compared; one
    /// that fails has no score, one that is slow is given up early. The recipe that is written must beat what auto makes by more than the
    /// spread of the last runs, else it is auto's. `farkas opt --recipe FILE` then gives exactly the code that was measured.
    ///
    /// What was evaluated is kept in a journal beside the output. A search that was interrupted goes on there when it is started again with
    /// the same options, and one that is at its end goes further with a larger budget.
    ///
    /// The table of results goes to standard error. Run it on an idle machine.
    #[command(after_help = "Examples:\n  \
        farkas tune gemm.c -o best.json --time 10m\n  \
        farkas opt gemm.c --recipe best.json -o gemm.opt.c\n  \
        farkas tune gemm.c -o best.json --db recipes.db      start from what is known, and add to it\n  \
        farkas tune gemm.c -o best.json --evaluator 'ssh node7 farkas evaluate'")]
    Tune(TuneArgs),
    /// Run programs for `farkas tune`: jobs come from standard input, answers go to standard output, each a line of JSON.
    ///
    /// It is what `tune --evaluator` starts on another machine, by ssh or a scheduler of jobs; docs/evaluators.md describes the lines.
    Evaluate,
    /// Say for each loop of the result whether it is parallel or what stops it, and what was fused and why.
    ///
    /// Dependences are given with their lines and their distance in the loops that both lines share, outermost first: a
    /// number where it is always the same, + where it is positive, 0+ where it is not negative, * where it may be
    /// anything.
    ///
    /// With the id of a diagnostic (`farkas explain non-affine-subscript`), print its documentation.
    Explain(ExplainArgs),
    /// Bring loops into their normal form: each divided as far as dependences allow, and those inside one another in the order of least
    /// strides.
    ///
    /// Two programs that compute the same are often one program then; `show --normal-form` prints a text and a hash of each nest, from which
    /// names and what else is a matter of writing are gone.
    Normalize(NormalizeArgs),
    /// Recipes: lists of steps that make one order of another, as `opt --recipe` follows them.
    #[command(subcommand)]
    Recipe(RecipeCommand),
    /// Print what the processor has that loops are made for: caches, vector registers, cores.
    ///
    /// What the system does not show is assumed, and a note says so. `--json` prints a machine file, to be changed and
    /// given to `--machine`.
    Machine(MachineArgs),
    /// The database of recipes: what was measured to make which nests faster, on which machine.
    ///
    /// An entry is a recipe for the normal form of a nest, with the program that it was found for, all that was measured, and what
    /// went wrong. What is known only grows, so that databases merge in any order. A recipe is never taken as it is: it is
    /// applied to its program anew, and the result proved.
    ///
    /// The database is $FARKAS_DATA_DIR/recipes.db, else recipes.db in the user's folder for data, unless --db names another.
    #[command(subcommand)]
    Db(DbCommand),
    /// Stand before a C compiler in a build: CC="farkas cc gcc".
    ///
    /// Everything that compiles no C for speed is handed on. Each file of C goes through `opt --auto`, with the options of
    /// the compiler's own command line, and the compiler gets the result in its place; where nothing can be done, the file as it is.
    /// Warnings, exit status and dependency files are those of the call as it is written, and lines stay what they are for
    /// debuggers. There are threads only where the command line has -fopenmp, or with --threads. No option is added
    /// that changes the ABI or rounding.
    ///
    /// A bug of Farkas does not stop a build: the file is compiled as it is, and --log tells of it. FARKAS_CC_STRICT=1
    /// makes it an error. Results are kept in the user's folder for caches, or in $FARKAS_CACHE_DIR.
    #[command(after_help = "Examples:\n  \
        make CC=\"farkas cc gcc\"\n  \
        cmake -DCMAKE_C_COMPILER_LAUNCHER=\"farkas;cc\" ..\n  \
        farkas cc -v gcc -O3 -c main.c              say what becomes of each file")]
    Cc(CcArgs),
    /// Print a script that completes commands and options in a shell.
    #[command(
        after_help = "Example: farkas completions bash > ~/.local/share/bash-completion/completions/farkas"
    )]
    Completions(CompletionsArgs),
    /// Write the pages of the manual, one a command.
    #[command(after_help = "Example: farkas man ~/.local/share/man/man1")]
    Man(ManArgs),
    /// Transform the file that standard input describes, for `farkas cc`.
    #[command(hide = true)]
    CcWorker,
    /// Print the JSON Schema of strategy, influence, recipe or machine files, from which editors complete.
    ///
    /// A file may say where its schema is under the key `$schema`.
    Schema(SchemaArgs),
}

/// The kinds of files that have a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum SchemaKind {
    /// How to schedule: cost functions, constraints, fusion, directives.
    Strategy,
    /// Scenarios that a schedule should follow where it can.
    Influence,
    /// What is done to an order, step by step.
    Recipe,
    /// What a processor has.
    Machine,
    /// What a GPU has.
    Gpu,
    /// What the programs of a folder are transformed with: farkas.json.
    Project,
}

#[derive(Args, Debug)]
pub(crate) struct SchemaArgs {
    /// The kind of file.
    pub(crate) kind: SchemaKind,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Where to write them.
    pub(crate) folder: PathBuf,
}
