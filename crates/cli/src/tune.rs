//! `farkas tune` and `farkas evaluate`.

use crate::Status;
use crate::args::{InputArgs, MeasureArgs, Target, TuneArgs};
use crate::bench::{fault, progress};
use crate::convert::{bad, compiler, failure, machine, read_options, threads};
use crate::messages::{Messages, Stop, folders_exist, note};
use crate::regions::{read_regions, select_one};
use farkas::tune::{Listener, Setup, TuneError, TuneOptions, Tuned, describe, serve, setup, tune};
use farkas::{Input, Options, database};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::Target as CodeTarget;
use farkas_db::{Access, Database};
use farkas_run::shell_words;
use farkas_tune::evolve::{Progress, Settings};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

/// Searches, says what was found, and writes the best recipe.
pub(crate) fn run(args: &TuneArgs, messages: &Messages) -> Status {
    match tuned(args, messages) {
        Ok(tuned) => write(args, &tuned, messages),
        Err(stop) => messages.stop(stop),
    }
}

/// The search.
fn tuned(args: &TuneArgs, messages: &Messages) -> Result<Tuned, Stop> {
    if args.input.extension().is_some_and(|e| e == "scop") {
        let message = format!("`{}` is no program: tune runs C files", args.input.display());
        return Err(bad(message).into());
    }
    folders_exist(&[&args.output, &args.journal])?;
    let target = target(args);
    let plain = Options { target, machine: machine(&args.machine)?, ..Options::default() };
    let Some(input) = read_regions(&args.input, &args.read, &[], messages) else {
        return Err(Stop::Told);
    };
    let region = select_one(&input, args.region.as_deref())?;
    let mut database = opened(args)?;
    let options = TuneOptions {
        options: plain,
        settings: settings(args),
        setup: how(&args.input, &input, &args.measure, &args.read, target)?,
        evaluator: args.evaluator.clone(),
        journal: journal(args),
        database: database.as_mut(),
    };
    let bar = progress(settings(args).candidates, "{bar:20} {pos}/{len} {elapsed} {wide_msg}");
    let warn = |text: &str| {
        let warning = Diagnostic::new(DiagnosticId::EvaluatorTrouble, text);
        bar.suspend(|| messages.tell(&warning));
    };
    let listener = Listener { tell: &mut |progress| show(&bar, progress), warn: &warn };
    let found = tune(&input, region, options, listener);
    bar.finish_and_clear();
    found.map_err(|error| stop(&args.input, error, messages))
}

/// What the code is.
fn target(args: &TuneArgs) -> CodeTarget {
    match args.target {
        Target::Openmp => CodeTarget::OpenMp,
        Target::C => CodeTarget::C,
    }
}

/// How far the search goes.
fn settings(args: &TuneArgs) -> Settings {
    Settings {
        epochs: args.epochs.max(1) as usize,
        iterations: args.iterations as usize,
        population: args.population.max(1) as usize,
        candidates: args.candidates.max(1) as usize,
        time: args.time,
        rounds: args.runs.max(1) as usize,
        seed: args.seed,
    }
}

/// How the program of a file is compiled and run.
///
/// # Errors
/// The message on flags that make no sense, or that no compiler is there.
pub(crate) fn how(
    path: &Path,
    input: &Input,
    measure: &MeasureArgs,
    read: &InputArgs,
    target: CodeTarget,
) -> Result<Setup, Stop> {
    let n_threads = match target {
        CodeTarget::OpenMp => threads(measure),
        _ => 1,
    };
    // What no shell would take is noticed here, not where programs are run.
    shell_words(&measure.args).map_err(|error| bad(error.to_string()))?;
    Ok(Setup {
        compiler: compiler(measure)?.to_string(),
        arguments: measure.args.clone(),
        threads: u32::try_from(n_threads).unwrap_or(u32::MAX),
        time_limit_ms: measure.timeout.saturating_mul(1000),
        tolerance: measure.tolerance,
        allows_no_output: measure.allow_no_output,
        ..setup(path, input, &read_options(read, &[]), target)
    })
}

/// The file of the journal.
fn journal(args: &TuneArgs) -> Option<PathBuf> {
    let beside = || {
        let output = args.output.as_ref().filter(|path| path.as_os_str() != "-")?;
        let mut name = output.clone().into_os_string();
        name.push(".journal");
        Some(PathBuf::from(name))
    };
    args.journal.clone().or_else(beside)
}

/// The database, where there is to be one.
fn opened(args: &TuneArgs) -> Result<Option<Database>, Stop> {
    let Some(path) = &args.db else { return Ok(None) };
    database::open(Some(path), Access::Write).map(Some).map_err(Stop::refused)
}

/// Where the search is.
fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_position(progress.candidates as u64);
    let best = progress.best.map_or_else(String::new, |best| format!(", best {best:.2}x"));
    bar.set_message(format!("{}{best}", progress.stage));
}

/// Why there is no result, for people.
pub(crate) fn stop(path: &Path, error: TuneError, messages: &Messages) -> Stop {
    let told = |diagnostic: Diagnostic| Stop::refused(Box::new(diagnostic));
    match error {
        TuneError::Refused(diagnostics) => Stop::Refused(diagnostics),
        TuneError::Run(error) => told(failure(&error)),
        TuneError::Uncomparable(outcome) => {
            let name = path.display().to_string();
            fault(&name, &outcome).iter().for_each(|fault| messages.tell(fault));
            Stop::Told
        }
        TuneError::Journal { .. } => {
            let diagnostic = Diagnostic::new(DiagnosticId::BadJournal, error.to_string());
            told(diagnostic.help("name another one with --journal, or remove it to begin anew"))
        }
        TuneError::Evaluator { .. } => {
            let diagnostic = Diagnostic::new(DiagnosticId::ToolchainFailed, error.to_string());
            told(diagnostic.note(
                "what was answered is in the journal: started again, the search goes on there",
            ))
        }
        error => {
            let diagnostic = Diagnostic::new(DiagnosticId::ToolchainFailed, error.to_string());
            told(diagnostic.help("give the program what it needs to run with --args and -D"))
        }
    }
}

/// The table on standard error, the recipe where `-o` says.
fn write(args: &TuneArgs, tuned: &Tuned, messages: &Messages) -> Status {
    messages.tell_all(&tuned.diagnostics);
    note(&describe(tuned));
    let Some(recipe) = &tuned.recipe else { return Status::Refused };
    messages.write(recipe, args.output.as_deref())
}

/// Does jobs until there are none.
pub(crate) fn evaluate(messages: &Messages) -> Status {
    match serve(std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => Status::Success,
        Err(error) => {
            let message = format!("this is no job for an evaluator: {error}");
            messages.refuse(&Diagnostic::new(DiagnosticId::ToolchainFailed, message))
        }
    }
}
