//! The program `farkas` as a transformation of texts.

use crate::{Flags, Transformed};
use farkas_run::{Exit, RunOptions, run_command};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The machine that programs are made for: it has several tiles and blocks for each of them.
const MACHINE: &str = include_str!("machine.json");

/// How the message begins on a planner whose result is not what the program computes.
const OF_PLANNER: &str = "error[illegal-step]: plan `";

/// Runs `tool opt` on a text with these flags, at most `time_limit`.
pub fn run_tool(tool: &Path, text: &str, flags: &Flags, time_limit: Duration) -> Transformed {
    match try_tool(tool, text, flags, time_limit) {
        Ok(transformed) => transformed,
        Err(error) => Transformed::Crashed(error),
    }
}

/// The same, with the system's own errors.
fn try_tool(
    tool: &Path,
    text: &str,
    flags: &Flags,
    time_limit: Duration,
) -> Result<Transformed, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (input, output) = (folder.path().join("in.c"), folder.path().join("out.c"));
    std::fs::write(&input, text).map_err(|error| error.to_string())?;
    let mut command = Command::new(tool);
    command.arg("opt").arg(&input).arg("-o").arg(&output).args(flags.words());
    // Kernels are made for the usual device.
    if !flags.opencl {
        let machine = folder.path().join("machine.json");
        std::fs::write(&machine, machine_text(flags)?).map_err(|error| error.to_string())?;
        command.arg("--machine").arg(&machine);
    }
    if let Some(recipe) = &flags.recipe {
        let path = folder.path().join("recipe.json");
        std::fs::write(&path, recipe).map_err(|error| error.to_string())?;
        command.arg("--recipe").arg(&path);
    }
    ended(command, (&input, &output), time_limit)
}

/// Runs `tool normalize` on a text, at most `time_limit`.
pub fn run_normalizer(tool: &Path, text: &str, time_limit: Duration) -> Transformed {
    let run = || {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (input, output) = (folder.path().join("in.c"), folder.path().join("out.c"));
        std::fs::write(&input, text).map_err(|error| error.to_string())?;
        let mut command = Command::new(tool);
        command.arg("normalize").arg(&input).arg("-o").arg(&output);
        ended(command, (&input, &output), time_limit)
    };
    run().unwrap_or_else(Transformed::Crashed)
}

/// What came of a command that reads one file and writes another.
fn ended(
    command: Command,
    (input, output): (&Path, &Path),
    time_limit: Duration,
) -> Result<Transformed, String> {
    let options = RunOptions { time_limit, ..RunOptions::default() };
    let run = run_command(command, &options).map_err(|error| error.to_string())?;
    let message = run.stderr.replace(&*input.to_string_lossy(), "in.c");
    Ok(match run.exit {
        Exit::Code(0) if message.contains("illegal-form") => Transformed::Crashed(message),
        Exit::Code(0) => match (std::fs::read_to_string(output), on_host(&message)) {
            (Ok(text), None) => Transformed::Text(text),
            (Ok(text), Some(reason)) if is_true_refusal(&reason) || is_spent(&message) => {
                Transformed::OnHost(text, reason)
            }
            (Ok(_), Some(reason)) => Transformed::Crashed(format!("stays on the host: {reason}")),
            (Err(error), _) => Transformed::Crashed(format!("no output: {error}")),
        },
        Exit::Code(1) if output.exists() => {
            Transformed::Crashed(format!("an output file in spite of an error: {message}"))
        }
        // Users err in steps; what a planner proposes is ours.
        Exit::Code(1) if message.contains(OF_PLANNER) => {
            Transformed::Crashed(format!("the check refuses what a planner does: {message}"))
        }
        Exit::Code(1) if !message.contains("internal-error") => Transformed::Rejected(message),
        Exit::TimedOut => Transformed::TimedOut,
        exit => Transformed::Crashed(format!("{exit}: {message}")),
    })
}

/// Why a region stays on the host, as messages say.
fn on_host(message: &str) -> Option<String> {
    let (_, reason) = message.split_once(" stays on the host: ")?;
    Some(reason.lines().next().unwrap_or("").to_owned())
}

/// Whether a region stays on the host for what `docs/gpu.md` says that devices do not have.
fn is_true_refusal(reason: &str) -> bool {
    let refusals =
        ["subscripts of `", "none of its statements ever runs", "elements in front of where `"];
    refusals.iter().any(|refusal| reason.contains(refusal))
}

/// Whether messages say that the work that may be done on a region was used up, or that isl's generator failed, as it does on some trees, also
/// without tiles: what is left to do then has no kernels.
fn is_spent(message: &str) -> bool {
    let told = ["operation quota reached", "is generated in the original order"];
    told.iter().any(|why| message.contains(why))
}

/// The machine that the flags ask for, as a file.
///
/// # Errors
/// When the file of this crate is none.
pub fn machine_text(flags: &Flags) -> Result<String, String> {
    if !flags.eager_threads {
        return Ok(MACHINE.to_owned());
    }
    let mut file: serde_json::Value =
        serde_json::from_str(MACHINE).map_err(|error| error.to_string())?;
    let machine = &mut file["machine"];
    machine["threads"] = serde_json::json!({ "start_cycles": 1, "wake_cycles": 1 });
    // What threads hand over to one another costs nothing, either.
    for cache in machine["caches"].as_array_mut().into_iter().flatten() {
        cache["fill_cycles"] = 1.into();
        cache["miss_cycles"] = 1.into();
    }
    Ok(file.to_string())
}
