//! The commands that compile, run and compare.

use super::{DepsArg, InputArgs, Target, TransformArgs};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

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
