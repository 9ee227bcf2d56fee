//! The command line as clap sees it. Help texts are the manual.

use clap::{Args, Parser, Subcommand, ValueEnum};
use farkas::Growth;
use farkas_codegen::Language;
use farkas_scop::{Grant, MemoryLimit, Size};
use std::ffi::OsString;
use std::num::{NonZero, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

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

/// How to read C.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reading C")]
pub(crate) struct InputArgs {
    /// Add a directory to the include path.
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include_dirs: Vec<String>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) defines: Vec<String>,
    /// Undefine a macro.
    #[arg(short = 'U', value_name = "NAME")]
    pub(crate) undefines: Vec<String>,
    /// Include a file before the source.
    #[arg(long = "include", value_name = "FILE")]
    pub(crate) includes: Vec<String>,
    /// The C compiler whose preprocessor is used [default: $FARKAS_CPP, else cc or gcc].
    #[arg(long, value_name = "COMMAND")]
    pub(crate) cpp: Option<String>,
    /// Find regions in code without pragmas.
    #[arg(long)]
    pub(crate) auto: bool,
    /// Take calls of this function to be free of side effects.
    #[arg(long = "pure", value_name = "FUNCTION")]
    pub(crate) pure_functions: Vec<String>,
    /// What may be assumed of the parameters, for instance 'N >= 4 and M = 2 N'.
    #[arg(long, value_name = "CONDITION")]
    pub(crate) context: Option<String>,
    /// With which sizes the program runs, as n=2000,k=3: what the machine model takes parameters to be that it knows nothing of.
    /// Results are right for all other sizes, too. In the source: #pragma farkas sizes(n=2000, k=3).
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub(crate) sizes: Vec<Size>,
    /// Grant what is else tested at run time in front of a region, or refused: no-overlap, separate-rows, no-wrap,
    /// positive-extents, in-row, index-fits, memory, unread-iterators; of some arrays alone with their names:
    /// no-overlap=a,b. Where it does not hold, results may be wrong. In the source: #pragma farkas assume no-overlap(a, b).
    #[arg(long, value_name = "KIND[=NAMES]")]
    pub(crate) assume: Vec<Grant>,
    /// Take nothing for granted because of types: a store through a pointer to double may change an int or a pointer. For
    /// programs that are compiled with -fno-strict-aliasing.
    #[arg(long)]
    pub(crate) no_strict_aliasing: bool,
    /// Let sums, products, least and greatest values of floating-point numbers be found in another order than the program's: results may
    /// differ in the last bits. Those of integers may be anyway.
    #[arg(long, value_enum, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "anywhere")]
    pub(crate) reassociate: Option<Reassociate>,
    /// The same, but with the same bits in every run and for any number of threads: what threads gather is combined in a fixed order.
    #[arg(long, conflicts_with = "reassociate")]
    pub(crate) deterministic: bool,
}

/// Where the order of floating-point numbers may be another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Reassociate {
    /// On threads, in the order in which they end, and in vector lanes.
    Anywhere,
    /// In vector lanes: results do not depend on the number of threads.
    Lanes,
}

/// How to transform.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Transforming")]
pub(crate) struct TransformArgs {
    /// The scheduling strategy: auto, which tries several with and without tiles and takes the form that the machine model
    /// finds fastest (--report shows them all), pluto, pluto-deep, pluto-plus, tensor, feautrier, npu-vectorize, isl-listing-2,
    /// isl, libisl for isl's own scheduler, original for the program's own order, a strategy file that ends in .json, or a
    /// dynamic library (./libmine.so); bench takes several, with commas.
    /// [default: what the recipe says, the program's own order under a recipe that says nothing, else auto]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) strategy: Option<String>,
    /// Steps that are applied to the strategy's order, in the place of all that is else done to it, as a JSON file: tiles,
    /// interchange, fusion, cuts, marks and more, each with the loops that it is for. A step that does not apply, or after which the
    /// program would compute something else, is an error. `farkas schema recipe` describes such files.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tile", "no_tile", "tile_sizes", "split_index_sets", "split_tiles",
        "register_tiles", "strips", "flatten", "time_tiles", "point_order", "without", "rank", "influence", "block", "sums"])]
    pub(crate) recipe: Option<PathBuf>,
    /// An influence tree, or AKG's soft constraints, as a JSON file: scenarios that the scheduler follows where they are
    /// feasible.
    #[arg(long, value_name = "FILE")]
    pub(crate) influence: Option<PathBuf>,
    /// What to fuse [default: the strategy's; smart for most].
    #[arg(long, value_enum)]
    pub(crate) fuse: Option<Fuse>,
    /// The integer solver of the scheduler.
    #[arg(long, value_enum, default_value_t = Solver::Farkas)]
    pub(crate) solver: Solver,
    /// The kind of code to write.
    #[arg(long, value_enum, default_value_t = AnyTarget::Openmp)]
    pub(crate) target: AnyTarget,
    /// Tile permutable bands (the default).
    #[arg(long, overrides_with = "no_tile")]
    pub(crate) tile: bool,
    /// Do not tile.
    #[arg(long, conflicts_with = "tile_sizes")]
    pub(crate) no_tile: bool,
    /// Tile sizes, one a loop; the last is repeated. Levels are separated by colons, outermost first: 256:32,32,64. With
    /// auto, each band has those for which it costs least on the machine, by what tiles touch.
    #[arg(long, value_name = "SIZES")]
    pub(crate) tile_sizes: Option<String>,
    /// Split loops whose iterations all wait for the same one before and after it.
    #[arg(long)]
    pub(crate) split_index_sets: bool,
    /// Split loops over tiles at the tile that all others wait for, instead of running tiles in wavefronts; in them, parallel
    /// loops go inside of others, and steps share passes through memory with those before them, where that suits.
    #[arg(long)]
    pub(crate) split_tiles: bool,
    /// Keep the sums of matrix products and the like in registers, and pack their operands.
    #[arg(long)]
    pub(crate) register_tiles: bool,
    /// Run recurrences side by side: strips of a parallel loop inside of the loops that carry them.
    #[arg(long)]
    pub(crate) strips: bool,
    /// Make reductions whose order is free one loop over what they reduce and one over the elements of the result, with divisions
    /// for subscripts: for processors with more threads than any one loop has iterations.
    #[arg(long)]
    pub(crate) flatten: bool,
    /// Leave planners out that are asked by default, or that a strategy file or a flag asks for, with commas: wavefronts,
    /// parallel, vectors and others (`farkas schema recipe` describes them all).
    #[arg(long, value_name = "PLANNERS", value_delimiter = ',')]
    pub(crate) without: Vec<String>,
    /// Give the values of temporaries places of their own, so that loops that share a temporary may run in another order;
    /// strategy auto tries it by itself.
    #[arg(long)]
    pub(crate) expand: bool,
    /// Make several statements of those that set several elements by way of temporaries of an iteration, so that loops may come apart
    /// between them; with --expand, which gives these temporaries places of their own. Strategy auto tries loops for the parts in strips.
    #[arg(long)]
    pub(crate) divide: bool,
    /// Let strategy auto try what the normal form makes of the loops, too, as `farkas normalize` has it, with and without loops shared by
    /// what is written and its only reader: how the loops are written matters less then.
    #[arg(long)]
    pub(crate) normalize: bool,
    /// Let calls of BLAS routines take the place of statements that compute the same, however their loops are written: gemm, symm, syrk,
    /// syr2k, trmm, trsm, and those of vectors. That is asked of the normal form and proved. The routines add in an order of their
    /// own, and read nothing that they multiply by zero; sizes that `int` does not hold are left to the original. The result includes
    /// cblas.h and is to be linked with such a library.
    #[arg(long)]
    pub(crate) blas: bool,
    /// Let strategy auto try recipes of this database, too: those that were found for the same nest, however it was written, else for
    /// the nests that are most alike. Each is proved anew; the machine model decides among all forms. --report says what was taken
    /// from where.
    #[arg(long, value_name = "FILE", conflicts_with = "recipe")]
    pub(crate) db: Option<PathBuf>,
    /// Read no farkas.json: that of the project which the file belongs to, in its folder or the nearest one around that has any, may name
    /// the database of --db, for strategy auto.
    #[arg(long)]
    pub(crate) no_project: bool,
    /// What the arrays may take that hold them, whatever the system would lend: bytes, as 512M or 2G, or a multiple of what
    /// the region touches of its own arrays, 4x where nothing is said. Tested in front of the region where sizes are not known.
    #[arg(long, value_name = "LIMIT")]
    pub(crate) memory: Option<MemoryLimit>,
    /// How bands in which every loop carries dependences, as stencils over time, are tiled.
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Time::Plain)]
    pub(crate) time_tiles: Time,
    /// The machine that sizes are chosen for: host for this one, the name of a shipped one (`farkas machine` describes
    /// them), or a machine file that ends in .json. With --target cuda or opencl a GPU; host then means h100, or any device of OpenCL.
    #[arg(long, default_value = "host", value_name = "NAME|FILE")]
    pub(crate) machine: String,
    /// The threads of a block along x, y and z, as 32,8: for kernels, in the place of those that suit the GPU.
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) block: Vec<NonZero<u16>>,
    /// The rows and columns of sums of a product that each thread of a kernel has, in the place of those that suit the GPU.
    #[arg(long, value_name = "ROWS,COLUMNS", value_delimiter = ',')]
    pub(crate) sums: Vec<NonZero<u16>>,
    /// Write the form at this place of strategy auto's ranking, which --report shows, to compare the model with the machine.
    #[arg(long, value_name = "PLACE")]
    pub(crate) rank: Option<usize>,
    /// Run no loops on several threads.
    #[arg(long)]
    pub(crate) serial: bool,
    /// How much work, in thousands of isl operations, strategy auto may spend on comparing forms of a region; a million of
    /// them take half a second or less. Beside it, all regions of a run share a fixed amount of work, by their size, whatever
    /// is done to them; one that uses its share up keeps its order.
    #[arg(long, default_value_t = 4000, value_name = "THOUSANDS")]
    pub(crate) budget: u64,
    /// How many times as large as before strategy auto may make the code of a file, as 3x, or any: loops with register tiles and full tiles
    /// apart are much code beside the original. Of the forms that it chooses, those stay that gain most for what they add; sizes are estimated,
    /// and a few KiB are never too much.
    #[arg(long, value_name = "TIMES", default_value_t = Growth::default())]
    pub(crate) growth: Growth,
    /// Which loops are put in the order that suits memory; the strategy decides where nothing is said.
    #[arg(long, value_enum, value_name = "LOOPS")]
    pub(crate) point_order: Option<Order>,
}

/// The kind of flow dependences; `show` has the name `--deps` for something else.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Transforming")]
pub(crate) struct DepsArg {
    /// Flow dependences by value (exact dataflow) or by memory.
    #[arg(long, value_enum, default_value_t = Deps::Value)]
    pub(crate) deps: Deps,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Fuse {
    /// Fuse statements of equal dimensionality that share data.
    Smart,
    /// Fuse whatever may be fused.
    Max,
    /// Fuse nothing that can be apart.
    No,
    /// Schedule components apart, then move them as wholes to where they share data (isl's clustering).
    Cluster,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Time {
    /// As other bands.
    Plain,
    /// In tiles of whole rows where rows carry nothing, with a loop for each statement.
    Rows,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Order {
    /// None: the schedule's order stays.
    Scheduled,
    /// Those of whole bands, tile loops included.
    Bands,
    /// Those within tiles alone.
    Points,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Deps {
    /// From the last write.
    Value,
    /// From every earlier write.
    Memory,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Solver {
    /// Our own.
    Farkas,
    /// isl's.
    Isl,
}

/// What code is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AnyTarget {
    /// C with OpenMP pragmas.
    Openmp,
    /// Plain sequential C.
    C,
    /// C that starts kernels in CUDA C++, compiled by NVRTC when the program runs.
    Cuda,
    /// C that starts kernels in OpenCL C, on whatever device there is when the program runs.
    Opencl,
}

impl AnyTarget {
    /// The language of kernels, where there are some.
    pub(crate) fn language(self) -> Option<Language> {
        match self {
            Self::Cuda => Some(Language::Cuda),
            Self::Opencl => Some(Language::OpenCl),
            Self::Openmp | Self::C => None,
        }
    }
}

/// What code for processors is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Target {
    /// C with OpenMP pragmas.
    Openmp,
    /// Plain sequential C.
    C,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// C.
    C,
    /// OpenSCoP, as clan writes it.
    Openscop,
    /// isl's schedule constraints, or a scop as sets and maps.
    Isl,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum OutputFormat {
    /// C with OpenMP pragmas; the loops alone where the input is no C.
    Openmp,
    /// Plain sequential C; the loops alone where the input is no C.
    C,
    /// OpenSCoP with the new order as scatterings, for CLooG.
    Openscop,
    /// The new order as a schedule tree in isl's YAML.
    Isl,
}

#[derive(Args, Debug)]
pub(crate) struct OptArgs {
    /// The C, OpenSCoP or isl file; `-`, or none, for OpenSCoP or isl from standard input.
    #[arg(required_unless_present = "from")]
    pub(crate) input: Option<PathBuf>,
    /// What the input is [default: openscop for files called *.scop, isl for *.sc and *.isl, else c].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,
    /// What to write [default: a tree for isl, else code, as --target says].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<OutputFormat>,
    /// Where to write the result; - is standard output, as where nothing is said.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Of a C file, transform this region alone: FUNCTION for all of a function, FUNCTION:N for its N-th.
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<String>,
    /// Where to write the kernels, too, in their language, for --target cuda or opencl.
    #[arg(long, value_name = "FILE")]
    pub(crate) kernels: Option<PathBuf>,
    /// Say on standard error what was done to each region, with the assumptions made.
    #[arg(long)]
    pub(crate) report: bool,
    /// With --report, say of each recipe of a database why it was taken, which of its steps do not apply, and why.
    #[arg(short, long, requires = "report")]
    pub(crate) verbose: bool,
    /// Say on standard error how long each pass took.
    #[arg(long)]
    pub(crate) time_passes: bool,
    /// How many regions of a C file are worked on at a time, which changes nothing of the result [default: as many as there
    /// are processors].
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}

#[derive(Args, Debug)]
#[group(id = "what", required = true, multiple = false)]
pub(crate) struct What {
    /// Statements, domains, accesses, order.
    #[arg(long, group = "what")]
    pub(crate) scop: bool,
    /// Dependences.
    #[arg(long, group = "what")]
    pub(crate) deps: bool,
    /// Updates of the same elements by one operator: which form they have, whether their order is free, and why.
    #[arg(long, group = "what")]
    pub(crate) reductions: bool,
    /// Reuse of elements and cache lines.
    #[arg(long, group = "what")]
    pub(crate) locality: bool,
    /// The loop nests as a text, and a hash of each, that do not depend on how they are written: on names, on the order of loops and of
    /// independent statements, on what shares loops, on where they begin to count.
    #[arg(long, group = "what")]
    pub(crate) normal_form: bool,
    /// The schedule tree as the scheduler returned it.
    #[arg(long, group = "what")]
    pub(crate) schedule: bool,
    /// The schedule tree after tiling and marking.
    #[arg(long, group = "what")]
    pub(crate) tree: bool,
    /// The loops that will be printed.
    #[arg(long, group = "what")]
    pub(crate) ast: bool,
    /// How loops are on a GPU (--target cuda or opencl): for each kernel launches, blocks, threads, barriers, staged arrays, occupancy, and
    /// for each access how many sectors of memory a warp touches at once, or how many banks of shared memory conflict.
    #[arg(long, group = "what")]
    pub(crate) mapping: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ShowFormat {
    /// For people; isl notation and YAML.
    Text,
    /// For programs.
    Json,
    /// A graph for Graphviz.
    Dot,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The C file.
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) what: What,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
    /// The region to show: a function, or FUNCTION:N for its N-th region from 1 [default: all].
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    /// Flow dependences by value (exact dataflow) or by memory.
    #[arg(long, value_enum, default_value_t = Deps::Value, help_heading = "Transforming")]
    pub(crate) flow: Deps,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// The C file.
    pub(crate) input: PathBuf,
    /// The schedule: an isl union map, or a schedule tree in YAML.
    #[arg(long, value_name = "FILE")]
    pub(crate) schedule: PathBuf,
    /// The region that it is for: a function, or FUNCTION:N for its N-th region from 1.
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
}

/// How programs are built, run and compared.
#[derive(Args, Debug)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct MeasureArgs {
    /// The compiler and flags for original and results [default: gcc -O3 -march=native, or cc with these flags where there is
    /// no gcc].
    #[arg(long, value_name = "COMMAND")]
    pub(crate) baseline: Option<String>,
    /// Arguments of the programs, separated by blanks.
    #[arg(long, default_value = "", value_name = "ARGS", allow_hyphen_values = true)]
    pub(crate) args: String,
    /// Largest relative difference of numbers in the outputs; 0 compares byte for byte. Standard output is compared, and the error
    /// stream where it is the same in each run of the original, but for lines `time_s X`.
    #[arg(long, default_value_t = 1e-9, value_name = "X")]
    pub(crate) tolerance: f64,
    /// Measure programs that print nothing, too: nothing shows then that results are right.
    #[arg(long)]
    pub(crate) allow_no_output: bool,
    /// Threads of the transformed programs [default: all cores].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u32>,
    /// Seconds after which a run is given up; what `explore` tries is also given up five seconds after ten
    /// times the original's time.
    #[arg(long, default_value_t = 120, value_name = "S")]
    pub(crate) timeout: u64,
}

#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// The C files: complete programs.
    #[arg(required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Rounds; the programs of a file take turns in each.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) runs: u32,
    /// Also write every sample to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    #[command(flatten)]
    pub(crate) read: InputArgs,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}

#[derive(Args, Debug)]
pub(crate) struct ExploreArgs {
    /// The C file: a complete program.
    pub(crate) input: PathBuf,
    /// Where to write the strategy [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The most candidates to compile and measure.
    #[arg(long, default_value_t = 60, value_name = "N")]
    pub(crate) budget: u32,
    /// Seconds after which no candidate is begun.
    #[arg(long, default_value_t = 600, value_name = "S")]
    pub(crate) time: u64,
    /// Rounds of the last runs, in which the best take turns with the shipped strategies.
    #[arg(long, default_value_t = 9, value_name = "N")]
    pub(crate) runs: u32,
    /// The kind of code that the candidates are; give `farkas opt` the same.
    #[arg(long, value_enum, default_value_t = Target::Openmp)]
    pub(crate) target: Target,
    /// The machine that sizes are chosen for, as `opt` has it; give `farkas opt` the same.
    #[arg(long, default_value = "host", value_name = "NAME|FILE")]
    pub(crate) machine: String,
    /// Also write every candidate with its samples to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    #[command(flatten)]
    pub(crate) read: InputArgs,
}

#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    /// The C file: a complete program.
    pub(crate) input: PathBuf,
    /// Where to write the recipe [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The region, where there are several: FUNCTION, or FUNCTION:N for the N-th of a function. Give `farkas opt` the same.
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<String>,
    /// No candidate is begun after this time, as 90s or 10m; the time before an interruption counts, too.
    #[arg(long, default_value = "10m", value_parser = farkas::database::age, value_name = "TIME")]
    pub(crate) time: Duration,
    /// The most candidates to compile and measure.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub(crate) candidates: u32,
    /// Epochs of the evolution, each of which begins with recipes that are known.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) epochs: u32,
    /// Iterations of an epoch.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) iterations: u32,
    /// Recipes that live at a time, and children an iteration.
    #[arg(long, default_value_t = 12, value_name = "N")]
    pub(crate) population: u32,
    /// Rounds of the last runs, in which the best take turns with what auto makes.
    #[arg(long, default_value_t = 9, value_name = "N")]
    pub(crate) runs: u32,
    /// The seed of the random numbers.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
    /// Where to keep what was evaluated [default: the output's name with .journal behind it; nowhere without an output].
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// A database of recipes: those that it has for this nest are tried, and it is told all that is measured.
    #[arg(long, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// A command that runs programs in the place of this machine, as docs/evaluators.md describes: `ssh HOST farkas evaluate`, or a script
    /// for an engine that spreads jobs over many machines.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) evaluator: Option<String>,
    /// The kind of code that the candidates are; give `farkas opt` the same.
    #[arg(long, value_enum, default_value_t = Target::Openmp)]
    pub(crate) target: Target,
    /// The machine that sizes are chosen for, as `opt` has it; give `farkas opt` the same.
    #[arg(long, default_value = "host", value_name = "NAME|FILE")]
    pub(crate) machine: String,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    #[command(flatten)]
    pub(crate) read: InputArgs,
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

#[derive(Subcommand, Debug)]
pub(crate) enum RecipeCommand {
    /// Write the recipe of what is made of a region: `opt --recipe` then makes the same code, byte for byte.
    ///
    /// It was tried before it is written. Where parts of the result are no steps yet, as register tiles, there is none.
    Extract(ExtractArgs),
    /// Print the loops of a region before and after each step of a recipe.
    Explain(ExplainRecipeArgs),
    /// Print the recipe that the flags stand for: its planners look for steps in whatever program they are given.
    Template(TemplateArgs),
}

#[derive(Subcommand, Debug)]
pub(crate) enum DbCommand {
    /// Print the nests that there are recipes for, each with the best of them.
    List(DbListArgs),
    /// Print all that is known of one nest: recipes, programs, every sample, and what went wrong.
    Show(DbShowArgs),
    /// Add recipes for the regions of C files: that of a file, or those that strategy auto finds.
    ///
    /// Each is kept with the function around its region, which must declare all that it uses as its parameters. A region that cannot be
    /// kept, or measured, is told, and the exit status is 1; the others are added, file by file.
    Add(Box<DbAddArgs>),
    /// Write entries as lines of JSON, sorted: the same entries are the same bytes.
    Export(DbExportArgs),
    /// Add the entries of files that `db export` wrote: all of them or, where a line is none, nothing.
    Import(DbImportArgs),
    /// Add all that databases know to one of them, or to a new one.
    ///
    /// The result is the same in whatever order they come, and however often.
    Merge(DbMergeArgs),
    /// Forget what is old, slow, failed, or of a machine.
    ///
    /// --older-than, --keep and --failures each say what goes, of one machine with --machine. --machine alone means all of its
    /// entries. What was forgotten comes back where a database is merged that still knows it.
    Prune(DbPruneArgs),
    /// Apply every recipe to its program, prove the result, and look for damage.
    ///
    /// The exit status is 1 where an entry cannot be used, also where --remove has taken it out.
    Verify(DbVerifyArgs),
}

/// Which database.
#[derive(Args, Clone, Debug)]
pub(crate) struct DbArg {
    /// The database [default: $FARKAS_DATA_DIR/recipes.db, else in the user's folder for data].
    #[arg(long, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
}

/// Which entries.
#[derive(Args, Clone, Debug)]
pub(crate) struct DbFilterArgs {
    /// Only nests whose hash begins so.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) nest: Option<String>,
    /// Only entries of this machine.
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Option<String>,
    /// Only entries of this compiler, in all versions or one: gcc, or "gcc 14.2.0".
    #[arg(long, value_name = "NAME")]
    pub(crate) compiler: Option<String>,
    /// Only entries for sizes of this class.
    #[arg(long, value_name = "CLASS")]
    pub(crate) size_class: Option<String>,
    /// Only recipes that were found so.
    #[arg(long, value_enum, value_name = "WHO")]
    pub(crate) origin: Option<DbOrigin>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DbOrigin {
    /// By strategy auto.
    Auto,
    /// By hand.
    Hand,
    /// Taken from another nest.
    Transfer,
    /// By the search.
    Tune,
}

#[derive(Args, Debug)]
pub(crate) struct DbListArgs {
    #[command(flatten)]
    pub(crate) db: DbArg,
    #[command(flatten)]
    pub(crate) filter: DbFilterArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DbShowArgs {
    /// What the hash of the nest begins with, as `db list` prints it.
    pub(crate) nest: String,
    #[command(flatten)]
    pub(crate) db: DbArg,
    /// Print the entries as `db export` writes them.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DbAddArgs {
    /// The C files.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The recipe, for the one region of the one file, or for that of --region [default: for each region the one of strategy auto].
    #[arg(long, value_name = "FILE")]
    pub(crate) recipe: Option<PathBuf>,
    /// The region: a function, or FUNCTION:N for its N-th region from 1 [default: all].
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    /// The machine that the recipes are for: host, a name, or a file.
    #[arg(long, default_value = "host", value_name = "NAME|FILE")]
    pub(crate) machine: String,
    /// The compiler that the recipes are for, with its version: "gcc 14.2.0" [default: gcc or cc, as it calls itself].
    #[arg(long, value_name = "NAME VERSION")]
    pub(crate) compiler: Option<String>,
    /// Run what each recipe makes in turns with the original, on this machine and on one thread, and keep the times; a crash, a time-out or
    /// another output is kept as a failure. The files are complete programs then. Where --threads says nothing, what recipes make runs on one
    /// thread, and then on all cores.
    #[arg(long, conflicts_with_all = ["machine", "compiler"])]
    pub(crate) measure: bool,
    /// Rounds of --measure.
    #[arg(long, default_value_t = 5, requires = "measure", value_name = "N")]
    pub(crate) runs: u32,
    /// How much work, in thousands of isl operations, strategy auto may spend on comparing forms of a region, as `opt` has it.
    #[arg(long, default_value_t = 4000, value_name = "THOUSANDS")]
    pub(crate) budget: u64,
    #[command(flatten)]
    pub(crate) how: MeasureArgs,
    #[command(flatten)]
    pub(crate) db: DbArg,
    #[command(flatten)]
    pub(crate) read: InputArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DbExportArgs {
    /// Where to write them [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) db: DbArg,
    #[command(flatten)]
    pub(crate) filter: DbFilterArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DbImportArgs {
    /// The files.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) db: DbArg,
}

#[derive(Args, Debug)]
pub(crate) struct DbMergeArgs {
    /// The databases to add.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The database that they are added to, which is made where there is none [default: that of --db].
    #[arg(short = 'o', long, visible_alias = "output", value_name = "FILE", conflicts_with = "db")]
    pub(crate) into: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) db: DbArg,
}

#[derive(Args, Debug)]
pub(crate) struct DbPruneArgs {
    /// Forget what was seen longer ago: 90d, 6months, 1y.
    #[arg(long, value_name = "AGE", value_parser = farkas::database::age)]
    pub(crate) older_than: Option<Duration>,
    /// Forget all but so many of the recipes of a key that were measured, the fastest.
    #[arg(long, value_name = "COUNT")]
    pub(crate) keep: Option<usize>,
    /// Forget failures.
    #[arg(long)]
    pub(crate) failures: bool,
    /// Only of this machine; alone: all of it.
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Option<String>,
    /// Say what would go, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) db: DbArg,
}

#[derive(Args, Debug)]
pub(crate) struct DbVerifyArgs {
    /// Take out what cannot be used.
    #[arg(long)]
    pub(crate) remove: bool,
    #[command(flatten)]
    pub(crate) db: DbArg,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainRecipeArgs {
    /// The recipe.
    pub(crate) recipe_file: PathBuf,
    /// The C file.
    pub(crate) input: PathBuf,
    /// The region: a function, or FUNCTION:N for its N-th region from 1.
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}

#[derive(Args, Debug)]
pub(crate) struct TemplateArgs {
    /// Where to write it [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}

#[derive(Args, Debug)]
pub(crate) struct ExtractArgs {
    /// The C file.
    pub(crate) input: PathBuf,
    /// Where to write the recipe [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The region that it is for: a function, or FUNCTION:N for its N-th region from 1.
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}

#[derive(Args, Debug)]
pub(crate) struct NormalizeArgs {
    /// The C file.
    pub(crate) input: PathBuf,
    /// Where to write the program; - is standard output, as where nothing is said.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Where to write the steps that lead there, as a recipe for `opt --recipe`; of one region.
    #[arg(long, value_name = "FILE")]
    pub(crate) recipe: Option<PathBuf>,
    /// The regions: a function, or FUNCTION:N for its N-th region from 1 [default: all].
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
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

#[derive(Args, Debug)]
pub(crate) struct CcArgs {
    /// Say on standard error what becomes of each file.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Make threads where the command line has no -fopenmp, and add that: also to commands that link.
    #[arg(long)]
    pub(crate) threads: bool,
    /// Where -ffast-math lets the order of sums be another one, the same bits in every run and for any number of threads.
    #[arg(long)]
    pub(crate) deterministic: bool,
    /// The machine that the code is for, as in `farkas opt`; vector registers are those that the command line allows.
    #[arg(long, default_value = "host", value_name = "NAME|FILE")]
    pub(crate) machine: String,
    /// Try recipes of this database, too, as `farkas opt` does, and not of the one that the farkas.json of the first file's project names.
    #[arg(long, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Read no farkas.json.
    #[arg(long)]
    pub(crate) no_project: bool,
    /// Keep no results, and use none.
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// How many times as large as before the code of a file may become, as `farkas opt` has it: 3x, or any.
    #[arg(long, value_name = "TIMES", default_value_t = Growth::default())]
    pub(crate) growth: Growth,
    /// How much work a file may take, in thousands of isl operations.
    #[arg(long, value_name = "THOUSANDS")]
    pub(crate) effort: Option<u64>,
    /// Print what went wrong on the side of Farkas so far, and end.
    #[arg(long)]
    pub(crate) log: bool,
    /// The compiler and its arguments.
    #[arg(
        required_unless_present = "log",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMPILER"
    )]
    pub(crate) command: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct MachineArgs {
    /// The machine: host for this one, the name of a shipped one, also of a GPU, or a file that ends in .json.
    #[arg(default_value = "host", value_name = "NAME|FILE")]
    pub(crate) machine: String,
    /// Print a machine file.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The C file, or the id of a diagnostic.
    pub(crate) input: String,
    /// The region to explain: a function, or FUNCTION:N for its N-th region from 1 [default: all].
    #[arg(long, value_name = "FUNCTION[:N]")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) read: InputArgs,
    #[command(flatten)]
    pub(crate) transform: TransformArgs,
    #[command(flatten)]
    pub(crate) deps: DepsArg,
}
