//! `farkas bench`.

use crate::Status;
use crate::args::{AnyTarget, BenchArgs, TransformArgs};
use crate::convert::{
    bad, compiler, failure, options, read_options, run_options, threads, tolerance,
};
use crate::messages::{Messages, Stop, folders_exist, output};
use crate::project::with_project;
use farkas::bench::{Variant, bench_program, host};
use farkas::write_atomically;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_run::bench::{Environment, Outcome, Program, Report, SCHEMA};
use farkas_run::{Compiler, Measure, RunOptions, render_report};
use farkas_scop::Grant;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::time::Duration;

/// Measures every program and prints the table; refused when a result is wrong or there is none.
pub(crate) fn run(args: &BenchArgs, messages: &Messages) -> Status {
    let (compiler, variants, measure) = match plan(args) {
        Ok(plan) => plan,
        Err(stop) => return messages.stop(stop),
    };
    if let Some(path) = args.inputs.iter().find(|p| p.extension().is_some_and(|e| e == "scop")) {
        let message = format!("`{}` is no program: bench runs C files", path.display());
        return messages.misuse(&bad(message));
    }
    let progress = progress(args.inputs.len(), "{bar:20} {pos}/{len} {wide_msg}");
    let mut programs = Vec::new();
    for path in &args.inputs {
        progress.set_message(path.display().to_string());
        let variants = match of_project(&variants, &args.transform, path) {
            Ok(variants) => variants,
            Err(stop) => {
                progress.finish_and_clear();
                return messages.stop(stop);
            }
        };
        let mut said = Vec::new();
        let result = bench_program(
            path,
            &read_options(&args.read, grants_of(&variants)),
            &compiler,
            &variants,
            &measure,
            &mut said,
        );
        progress.suspend(|| messages.tell_important(&said));
        match result {
            Ok(program) => programs.push(program),
            Err(error) => {
                progress.finish_and_clear();
                return messages.refuse(&failure(&error));
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    let report = Report {
        schema: SCHEMA,
        baseline: compiler.to_string(),
        rounds: measure.rounds,
        environment: Environment {
            compiler: compiler.version(),
            threads: if is_serial(args) { 1 } else { threads(&args.measure) },
            machine: host(),
        },
        tolerance: args.measure.tolerance,
        programs,
    };
    print(args, &report, messages)
}

/// Whether no result has threads.
fn is_serial(args: &BenchArgs) -> bool {
    args.transform.serial || args.transform.target == AnyTarget::C
}

/// What the strategies grant, all of them alike.
fn grants_of(variants: &[Variant]) -> &[Grant] {
    variants.first().map_or(&[], |variant| &variant.options.grants)
}

/// The variants of a program, with the recipes of its project.
fn of_project(
    variants: &[Variant],
    args: &TransformArgs,
    path: &Path,
) -> Result<Vec<Variant>, Stop> {
    let with_recipes = |variant: &Variant| {
        let (options, _) = with_project(variant.options.clone(), args, Some(path))?;
        Ok(Variant { options, ..variant.clone() })
    };
    variants.iter().map(with_recipes).collect()
}

/// What the flags ask for.
fn plan(args: &BenchArgs) -> Result<(Compiler, Vec<Variant>, Measure), Stop> {
    folders_exist(&[&args.json])?;
    let compiler = compiler(&args.measure)?;
    let mut variants = Vec::new();
    let names = args.transform.strategy.as_deref().map(|names| names.split(',').map(str::trim));
    match names {
        None => {
            let options = options(&args.transform, None, args.deps.deps)?;
            variants.push(Variant { name: options.deciding(), options });
        }
        Some(names) => {
            for name in names {
                let options = options(&args.transform, Some(name), args.deps.deps)?;
                variants.push(Variant { name: name.into(), options });
            }
        }
    }
    if variants.iter().any(|variant| variant.options.grants != *grants_of(&variants)) {
        let message = "a program is read once for all strategies: those that `assume` different things are measured one by one";
        return Err(bad(message.into()).into());
    }
    let environment = args
        .measure
        .threads
        .iter()
        .map(|n| ("OMP_NUM_THREADS".to_owned(), n.to_string()))
        .collect();
    let run = RunOptions { environment, ..run_options(&args.measure)? };
    let measure = Measure {
        rounds: args.runs.max(1) as usize,
        warmup: 1,
        options: run,
        tolerance: tolerance(&args.measure),
        allows_no_output: args.measure.allow_no_output,
    };
    Ok((compiler, variants, measure))
}

/// A bar of this form on a terminal; nothing elsewhere.
pub(crate) fn progress(n: usize, form: &str) -> ProgressBar {
    let bar = ProgressBar::new(n as u64);
    if let Ok(style) = ProgressStyle::with_template(form) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The table on standard output, the samples where `--json` says.
fn print(args: &BenchArgs, report: &Report, messages: &Messages) -> Status {
    if let Some(path) = &args.json {
        let text = report.to_json() + "\n";
        let status = messages.written(write_atomically(path, &text), Some(path));
        if !matches!(status, Status::Success) {
            return status;
        }
    }
    let printed = output(&render_report(report));
    report.programs.iter().for_each(|program| tell_faults(program, messages));
    let measured = |outcome: &Outcome| matches!(outcome, Outcome::Measured { .. });
    let good =
        |p: &Program| measured(&p.baseline) && p.variants.iter().all(|v| measured(&v.outcome));
    if printed.is_ok() && report.programs.iter().all(good) {
        Status::Success
    } else {
        Status::Refused
    }
}

/// Tells what is wrong with what a program and its results print, if it is nothing that a result is to blame for.
fn tell_faults(program: &Program, messages: &Messages) {
    if let Some(fault) = fault(&program.name, &program.baseline) {
        messages.tell(&fault);
        return;
    }
    for variant in &program.variants {
        let name = format!("{}, {}", program.name, variant.name);
        fault(&name, &variant.outcome).iter().for_each(|fault| messages.tell(fault));
    }
}

/// The message on outputs that cannot be compared, or on ones that compilers make differ; none on other outcomes.
pub(crate) fn fault(name: &str, outcome: &Outcome) -> Option<Diagnostic> {
    let (id, message, help) = match outcome {
        Outcome::Contracted { .. } => (
            DiagnosticId::ContractedOutput,
            "the outputs differ only by contraction of products and sums into fused multiply-adds",
            "compile with -ffp-contract=off in --baseline to compare bits, or allow for the difference with --tolerance",
        ),
        Outcome::Varying { .. } => (
            DiagnosticId::VaryingOutput,
            "the program prints something else from run to run",
            "print nothing that depends on the clock, on chance or on addresses; times may go to the error stream, as `time_s X`",
        ),
        Outcome::Silent => (
            DiagnosticId::NoOutput,
            "the program prints nothing: nothing would show whether results are right",
            "print what is computed, or a sum of it, to standard output; or measure all the same with --allow-no-output",
        ),
        _ => return None,
    };
    let diagnostic = Diagnostic::new(id, format!("{name}: {message}")).help(help);
    Some(match outcome.reason() {
        Some(reason) if *outcome != Outcome::Silent => diagnostic.note(reason),
        _ => diagnostic,
    })
}
