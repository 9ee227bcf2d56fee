//! `farkas cc`.

use crate::Status;
use crate::args::CcArgs;
use crate::convert::machine;
use crate::messages::{Messages, Stop};
use farkas::database::{Recipes, is_seed};
use farkas::project_of;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_cc::{
    Cache, CommandLine, EFFORT, Log, Settings, answer, cache_folder, file_stamp, log_file,
    program_stamp, run,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The word that stands for the process that transforms a file.
const WORKER: &str = "cc-worker";

/// The variable that makes a bug of ours an error.
const STRICT: &str = "FARKAS_CC_STRICT";

/// Runs the compiler on what its files become, or prints the log. The exit status is the compiler's.
pub(crate) fn wrap(args: &CcArgs, messages: &Messages) -> ExitCode {
    let log = Log::new(log_file());
    if args.log {
        return print_log(&log, messages).into();
    }
    let machine = match machine(&args.machine) {
        Ok(machine) => machine,
        Err(stop) => return messages.stop(stop).into(),
    };
    let db = match database(args) {
        Ok(db) => db,
        Err(stop) => return messages.stop(stop).into(),
    };
    let (db, stamp) = db.unzip();
    let settings = Settings {
        machine: args.machine.clone(),
        threads: args.threads,
        deterministic: args.deterministic,
        is_verbose: args.verbose,
        is_strict: std::env::var_os(STRICT).is_some_and(|value| value == "1"),
        effort: args.effort.map_or(EFFORT, |thousands| thousands.saturating_mul(1000)),
        growth: args.growth,
        cache: Cache::new(if args.no_cache { None } else { cache_folder() }),
        log,
        worker: worker(),
        program: format!("{} {machine:?} {stamp:?}", program_stamp()),
        db,
    };
    match run(&settings, &args.command) {
        Ok(status) => ExitCode::from(status),
        Err(diagnostic) if diagnostic.id == DiagnosticId::BadOption => {
            messages.misuse(&diagnostic).into()
        }
        // What shells say of a program that is not there.
        Err(diagnostic) if diagnostic.id == DiagnosticId::ToolchainFailed => {
            messages.tell(&diagnostic);
            ExitCode::from(127)
        }
        Err(diagnostic) => messages.refuse(&diagnostic).into(),
    }
}

/// The database that is asked for, by a flag or by the project of the first file.
fn database(args: &CcArgs) -> Result<Option<(PathBuf, String)>, Stop> {
    let of_project = || -> Result<Option<PathBuf>, Stop> {
        let line = CommandLine::parse(&args.command);
        let first = line.as_ref().and_then(|line| line.sources().next());
        let Some(first) = first.filter(|_| !args.no_project) else { return Ok(None) };
        Ok(project_of(first).map_err(Stop::Refused)?.and_then(|project| project.db))
    };
    let path = match &args.db {
        Some(path) => Some(path.clone()),
        None => of_project()?,
    };
    path.as_deref().map(stamped).transpose().map_err(Stop::refused)
}

/// A database, by a path that holds in any folder, and what tells what it knows from what it may know later.
fn stamped(path: &Path) -> Result<(PathBuf, String), Box<Diagnostic>> {
    Recipes::open(path)?;
    if is_seed(path) {
        // What it knows is a matter of this program.
        return Ok((path.to_owned(), String::new()));
    }
    let absolute = path.canonicalize();
    let found = absolute.and_then(|path| file_stamp(&path).map(|stamp| (path, stamp)));
    found.map_err(|error| {
        let message = format!("cannot read {}: {error}", path.display());
        Box::new(Diagnostic::new(DiagnosticId::UnreadableFile, message))
    })
}

/// Answers a job.
pub(crate) fn work(messages: &Messages) -> Status {
    farkas_run::end_with_parent();
    match answer(&mut std::io::stdin().lock(), &mut std::io::stdout().lock()) {
        Ok(()) => Status::Success,
        Err(what) => {
            messages.tell(&Diagnostic::new(DiagnosticId::InternalError, what));
            Status::Refused
        }
    }
}

/// The command of the process that transforms a file: this program.
fn worker() -> Vec<OsString> {
    let program = std::env::current_exe().unwrap_or_else(|_| "farkas".into());
    vec![program.into_os_string(), WORKER.into()]
}

/// Prints the log.
fn print_log(log: &Log, messages: &Messages) -> Status {
    match log.text() {
        Ok(text) => messages.write(&text, None),
        Err(error) => messages.refuse(&Diagnostic::new(
            DiagnosticId::UnreadableFile,
            format!("cannot read the log: {error}"),
        )),
    }
}
