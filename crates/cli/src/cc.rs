//! `farkas cc`.

use crate::Status;
use crate::args::CcArgs;
use crate::convert::machine;
use crate::messages::Messages;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_cc::{Cache, EFFORT, Log, Settings, answer, cache_folder, log_file, program_stamp, run};
use std::ffi::OsString;
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
    let settings = Settings {
        machine: args.machine.clone(),
        threads: args.threads,
        deterministic: args.deterministic,
        is_verbose: args.verbose,
        is_strict: std::env::var_os(STRICT).is_some_and(|value| value == "1"),
        effort: args.effort.map_or(EFFORT, |thousands| thousands.saturating_mul(1000)),
        cache: Cache::new(if args.no_cache { None } else { cache_folder() }),
        log,
        worker: worker(),
        program: format!("{} {machine:?}", program_stamp()),
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
