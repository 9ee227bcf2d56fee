//! What all commands that read C and transform regions take.

use clap::{Args, ValueEnum};
use farkas::Growth;
use farkas_codegen::Language;
use farkas_scop::{Grant, MemoryLimit, Size};
use std::num::NonZero;
use std::path::PathBuf;

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
        "register_tiles", "strips", "flatten", "time_tiles", "point_order", "without", "rank", "influence", "block", "sums", "tensor"])]
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
    /// Let tensor cores compute sums of products of numbers of 16 bits, which are converted to float before they are multiplied, in kernels of CUDA: on GPUs that have
    /// some, where --reassociate lets sums be found in another order. --report says where, or why not.
    #[arg(long)]
    pub(crate) tensor: bool,
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
