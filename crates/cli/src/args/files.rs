//! The commands that read a file and write or say what comes of it.

use super::{Deps, DepsArg, InputArgs, TransformArgs};
use clap::{Args, ValueEnum};
use farkas::Growth;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

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

/// What starts kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum HostCode {
    /// C in the place of the regions.
    C,
    /// Nothing: what a host has to do is written as JSON.
    None,
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
    /// What starts kernels: C in the place of the regions, or nothing, for those who bring a runtime of their own; then the result says as JSON
    /// what it has to do, and --kernels where the kernels are.
    #[arg(long, value_enum, default_value_t = HostCode::C)]
    pub(crate) host: HostCode,
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
