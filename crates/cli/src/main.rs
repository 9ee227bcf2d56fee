//! The program `farkas`: flags, messages and exit statuses around the library of the same name.

mod args;
mod bench;
mod cc;
mod check;
mod convert;
mod db;
mod explain;
mod explore;
mod formats;
mod machine;
mod manual;
mod memory;
mod messages;
mod normalize;
mod opt;
mod project;
mod recipe;
mod regions;
mod schema;
mod show;
mod tune;

use args::{Cli, Command};
use clap::Parser;
use farkas_run::clean_up_on_signals;
use messages::Messages;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// What a command came to.
pub(crate) enum Status {
    /// All is well.
    Success,
    /// The input is refused, or something that was asked for does not hold; messages have told.
    Refused,
    /// The command line makes no sense; messages have told.
    Misuse,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Success => Self::SUCCESS,
            Status::Refused => Self::from(1),
            Status::Misuse => Self::from(2),
        }
    }
}

/// The words of the command line. A program called `farkas-cc` is `farkas cc`: where one word must name the compiler's wrapper.
fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let name = words.first().and_then(|word| Path::new(word).file_name());
    if name.is_some_and(|name| name == "farkas-cc") {
        words.insert(1, "cc".into());
    }
    words
}

fn main() -> ExitCode {
    let cli = Cli::parse_from(words());
    let messages = Messages::new(cli.color, cli.message_format);
    clean_up_on_signals();
    memory::watch(cli.tool_memory, messages.clone());
    let status = match &cli.command {
        Command::Opt(args) => opt::run(args, &messages),
        Command::Show(args) => show::run(args, &messages),
        Command::Check(args) => check::run(args, &messages),
        Command::Bench(args) => bench::run(args, &messages),
        Command::Explore(args) => explore::run(args, &messages),
        Command::Tune(args) => tune::run(args, &messages),
        Command::Evaluate => tune::evaluate(&messages),
        Command::Explain(args) => explain::run(args, &messages),
        Command::Normalize(args) => normalize::run(args, &messages),
        Command::Recipe(command) => recipe::run(command, &messages),
        Command::Db(command) => db::run(command, &messages),
        Command::Machine(args) => machine::run(args, &messages),
        Command::Schema(args) => schema::run(args, &messages),
        Command::Cc(args) => return cc::wrap(args, &messages),
        Command::Completions(args) => manual::completions(args, &messages),
        Command::Man(args) => manual::man(args, &messages),
        Command::CcWorker => cc::work(&messages),
    };
    status.into()
}
