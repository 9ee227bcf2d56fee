//! `farkas db`.

use super::{InputArgs, MeasureArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

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
