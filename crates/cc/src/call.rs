//! Calls of the compiler.

use crate::arguments::{Argument, CommandLine};
use crate::plan::{DEPENDENCIES_OUTPUT, SUNPRO_DEPENDENCIES};
use crate::response::joined;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_run::Running;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};

/// A failed call: the compiler could not be started.
pub(crate) type NotStarted = Box<Diagnostic>;

/// Turns this process into the one that `words` are the command of: its streams, signals and status are the compiler's own.
///
/// # Errors
/// When there is no such program.
pub(crate) fn become_it(words: &[OsString]) -> Result<u8, NotStarted> {
    let error = command(words).exec();
    Err(not_started(words, &error))
}

/// Runs a command with the streams of this process; its exit status, as a shell has it.
///
/// # Errors
/// When there is no such program.
pub(crate) fn run(words: &[OsString]) -> Result<u8, NotStarted> {
    let not_started = |error| not_started(words, &error);
    let mut running = Running::spawn_here(&mut command(words)).map_err(not_started)?;
    Ok(code(running.wait().map_err(not_started)?))
}

/// Runs a command that writes no dependency files and keeps what it prints.
///
/// # Errors
/// When there is no such program.
pub(crate) fn captured(words: &[OsString], folder: &Path) -> Result<Output, NotStarted> {
    let words = within_limits(words, folder);
    let mut command = command(&words);
    command.env_remove(DEPENDENCIES_OUTPUT).env_remove(SUNPRO_DEPENDENCIES);
    Running::output_here(command.stdin(Stdio::null())).map_err(|error| not_started(&words, &error))
}

/// Runs a command that looks at sources, and keeps what it prints, in colours if they are for a terminal.
///
/// # Errors
/// When there is no such program.
pub(crate) fn looked(words: &[OsString], line: &CommandLine) -> Result<Output, NotStarted> {
    let mut command = command(words);
    let is_chosen =
        line.has_prefix("-fdiagnostics-color") || line.has_prefix("-fno-diagnostics-color");
    if std::io::stderr().is_terminal() && !is_chosen {
        command.arg("-fdiagnostics-color=always");
    }
    Running::output_here(command.stdin(Stdio::null())).map_err(|error| not_started(words, &error))
}

/// Prints what a command printed.
pub(crate) fn print(output: &Output) {
    // Nobody is left to tell when a stream is closed.
    let _ = std::io::stdout().lock().write_all(&output.stdout);
    let _ = std::io::stderr().lock().write_all(&output.stderr);
}

/// The exit status of a process, as a shell has it: 128 and the signal for one that a signal ended.
pub(crate) fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// The words of a compiler's call with other arguments.
pub(crate) fn with_arguments(line: &CommandLine, arguments: &[Argument]) -> Vec<OsString> {
    let compiler = line.launchers.iter().chain([&line.compiler]).cloned();
    compiler.chain(arguments.iter().flat_map(|argument| argument.words.clone())).collect()
}

/// A command.
fn command(words: &[OsString]) -> Command {
    let mut command = Command::new(words.first().map_or_else(|| "cc".into(), OsString::clone));
    command.args(words.get(1..).unwrap_or_default());
    command
}

/// How many bytes of arguments every system takes.
const MAX_BYTES: usize = 100_000;

/// A call whose arguments stand in a file in `folder`, where they are too long for a call.
fn within_limits(words: &[OsString], folder: &Path) -> Vec<OsString> {
    let (program, arguments) = words.split_at(words.len().min(1));
    if arguments.iter().map(|word| word.len() + 1).sum::<usize>() <= MAX_BYTES {
        return words.to_vec();
    }
    let file = folder.join("arguments");
    let mut at = OsString::from("@");
    at.push(&file);
    match std::fs::write(&file, joined(arguments)) {
        Ok(()) => program.iter().cloned().chain([at]).collect(),
        Err(_) => words.to_vec(),
    }
}

/// The message on a program that is not there.
fn not_started(words: &[OsString], error: &std::io::Error) -> NotStarted {
    let program =
        words.first().map_or_else(String::new, |word| word.to_string_lossy().into_owned());
    let message = format!("cannot run the compiler `{program}`: {error}");
    Box::new(
        Diagnostic::new(DiagnosticId::ToolchainFailed, message)
            .help("the compiler comes first, as in `farkas cc gcc -O2 -c main.c`"),
    )
}
