//! `farkas explore`.

use crate::Status;
use crate::args::{ExploreArgs, Target};
use crate::bench::{fault, progress};
use crate::convert::{
    bad, compiler, failure, machine, read_options, run_options, threads, tolerance,
};
use crate::messages::{Messages, Stop, folders_exist, note};
use farkas::explore::{ExploreError, ExploreOptions, Explored, explore};
use farkas::write_atomically;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::Target as CodeTarget;
use farkas_tune::{Progress, Report, Settings, render};
use indicatif::ProgressBar;
use std::time::Duration;

/// Searches, says what was found, and writes the best strategy.
pub(crate) fn run(args: &ExploreArgs, messages: &Messages) -> Status {
    let options = match plan(args) {
        Ok(options) => options,
        Err(stop) => return messages.stop(stop),
    };
    let bar = progress(options.settings.budget, "{bar:20} {pos}/{len} {elapsed} {wide_msg}");
    let mut tell = |progress: Progress| show(&bar, progress);
    let explored = explore(&args.input, &read_options(&args.read, &[]), &options, &mut tell);
    bar.finish_and_clear();
    match explored {
        Ok(explored) => write(args, &explored, messages),
        Err(ExploreError::Refused(diagnostics)) => messages.refuse_all(&diagnostics),
        Err(ExploreError::Run(error)) => messages.refuse(&failure(&error)),
        Err(ExploreError::Uncomparable(outcome)) => {
            let name = args.input.display().to_string();
            fault(&name, &outcome).iter().for_each(|fault| messages.tell(fault));
            Status::Refused
        }
        Err(error) => {
            let diagnostic = Diagnostic::new(DiagnosticId::ToolchainFailed, error.to_string())
                .help("give the program what it needs to run with --args and -D");
            messages.refuse(&diagnostic)
        }
    }
}

/// What the flags ask for.
fn plan(args: &ExploreArgs) -> Result<ExploreOptions, Stop> {
    if args.input.extension().is_some_and(|e| e == "scop") {
        let message = format!("`{}` is no program: explore runs C files", args.input.display());
        return Err(bad(message).into());
    }
    folders_exist(&[&args.output, &args.json])?;
    let target = match args.target {
        Target::Openmp => CodeTarget::OpenMp,
        Target::C => CodeTarget::C,
    };
    let threads = match target {
        CodeTarget::OpenMp => threads(&args.measure),
        _ => 1,
    };
    Ok(ExploreOptions {
        compiler: compiler(&args.measure)?,
        target,
        machine: machine(&args.machine)?,
        settings: Settings {
            budget: args.budget.max(1) as usize,
            rounds: args.runs.max(1) as usize,
        },
        run: run_options(&args.measure)?,
        threads,
        tolerance: tolerance(&args.measure),
        allows_no_output: args.measure.allow_no_output,
        time: Duration::from_secs(args.time),
    })
}

/// Where the search is.
fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_position(progress.built as u64);
    let best = progress.best.map_or_else(String::new, |best| format!(", best {best:.2}x"));
    bar.set_message(format!("{}{best}", progress.phase.name()));
}

/// The table on standard error, the samples where `--json` says, the strategy where `-o` says.
fn write(args: &ExploreArgs, explored: &Explored, messages: &Messages) -> Status {
    let Explored { exploration, setting, strategy, diagnostics } = explored;
    messages.tell_important(diagnostics);
    note(&render(exploration, setting));
    if let Some(path) = &args.json {
        let text = Report::of(exploration, setting).to_json() + "\n";
        let status = messages.written(write_atomically(path, &text), Some(path));
        if !matches!(status, Status::Success) {
            return status;
        }
    }
    // The table has said why there is none.
    let Some(strategy) = strategy else { return Status::Refused };
    messages.write(strategy, args.output.as_deref())
}
