//! Everyday programs through the tool, under the sanitizers and with four threads.

use super::model::Everyday;
use crate::check::limited_gcc;
use crate::{Flags, Transformed, Verdict};
use farkas_run::{Build, Compiler, Exit, RunOptions, Tolerance};
use std::time::Duration;

/// The tool that is tried, and how programs are run.
pub struct EverydayChecker<'a> {
    transform: &'a dyn Fn(&str, &Flags) -> Transformed,
    sanitized: Compiler,
    plain: Compiler,
    options: RunOptions,
}

/// How a program ends and what it prints, or the verdict on one that does not get so far.
type Ran = Result<String, Verdict>;

impl<'a> EverydayChecker<'a> {
    /// A checker with `gcc`, four threads, and twenty seconds a run.
    pub fn new(transform: &'a dyn Fn(&str, &Flags) -> Transformed) -> Self {
        // gcc 12 drops `for (i = 0; i < n; i += 2) x[n - i - 1] = x[i + 1];`, which is the work of its pass ivopts.
        let common = ["-ffp-contract=off", "-w", "-fno-ivopts"];
        let sanitizers = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        let options = RunOptions {
            time_limit: Duration::from_secs(20),
            output_limit_bytes: 1 << 20,
            ..RunOptions::default()
        };
        Self {
            transform,
            sanitized: limited_gcc(&[&common[..], &sanitizers].concat()),
            plain: limited_gcc(&[&common[..], &["-O2"]].concat()),
            options: options.threads(4),
        }
    }

    /// The verdict on a program under flags, and whether the tool changed anything.
    pub fn check(&self, program: &Everyday, flags: &Flags) -> (Verdict, bool) {
        let text = program.text();
        let result = match (self.transform)(&text, flags) {
            Transformed::Text(result) | Transformed::OnHost(result, _) => result,
            Transformed::Rejected(message) => return (Verdict::Rejected(message), false),
            Transformed::Crashed(message) => return (Verdict::Crashed(message), false),
            Transformed::TimedOut => return (Verdict::TimedOut, false),
        };
        if result == text {
            return (Verdict::Same, false);
        }
        (self.compare(&text, &result, flags).err().unwrap_or(Verdict::Same), true)
    }

    /// Compares what both print: under the sanitizers, and where the result has threads, without them.
    fn compare(&self, text: &str, result: &str, flags: &Flags) -> Result<(), Verdict> {
        let expected = self.output(&self.sanitized, text, flags);
        let expected = expected.map_err(|verdict| Verdict::BadProgram(verdict.told()))?;
        same(&expected, &self.output(&self.sanitized, result, flags)?)?;
        if flags.openmp && result.contains("#pragma omp") {
            same(&expected, &self.output(&self.plain, result, flags)?)?;
        }
        Ok(())
    }

    /// The verdict on a program itself: it compiles and runs clean under the sanitizers.
    pub fn check_original(&self, program: &Everyday) -> Verdict {
        match self.output(&self.sanitized, &program.text(), &Flags::of_seed(program.seed)) {
            Ok(_) => Verdict::Same,
            Err(verdict) => Verdict::BadProgram(verdict.told()),
        }
    }

    /// What a text's program prints.
    fn output(&self, compiler: &Compiler, text: &str, flags: &Flags) -> Ran {
        let openmp = flags.openmp.then_some("-fopenmp");
        let compiled = compiler.compile(&Build::text("program.c", text).flags(openmp));
        let executable = compiled.map_err(|error| {
            Verdict::DoesNotCompile(error.note().map_or_else(|| error.to_string(), str::to_owned))
        })?;
        let output = executable.run(&self.options);
        let output = output.map_err(|error| Verdict::Wrong(error.to_string()))?;
        let report = output.stderr.lines().find_map(|line| {
            let at = line.find("runtime error: ").or_else(|| line.find("ERROR: "))?;
            line.get(at..)
        });
        match (output.exit, report) {
            (_, Some(report)) => Err(Verdict::Reported(report.to_owned())),
            (Exit::Code(0), None) => Ok(output.stdout),
            (exit, None) => Err(Verdict::Wrong(exit.to_string())),
        }
    }
}

/// Whether both print the same, byte by byte: no two texts are alike for being the same number.
fn same(expected: &str, found: &str) -> Result<(), Verdict> {
    if expected == found {
        return Ok(());
    }
    let difference = farkas_run::first_difference(expected, found, Tolerance::EXACT);
    let told = difference.map_or_else(|| "the outputs differ".to_owned(), |d| d.to_string());
    Err(Verdict::Wrong(told))
}
