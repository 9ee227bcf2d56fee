//! Timing several versions of a program against each other.

use crate::{Difference, Error, Executable, Exit, Output, RunOptions, Tolerance, first_difference};

/// How versions are timed.
#[derive(Clone, PartialEq, Debug)]
pub struct Measure {
    /// Rounds that count; each runs every version once.
    pub rounds: usize,
    /// Rounds before them that do not count.
    pub warmup: usize,
    /// How the programs are run.
    pub options: RunOptions,
    /// How far their outputs may be from that of the first version.
    pub tolerance: Tolerance,
}

/// Why a version has no time.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// It ended with another status than 0, by a signal, or at the time limit.
    #[error("{exit}{}", first_line(.stderr))]
    Ended {
        /// How it ended.
        exit: Exit,
        /// What it wrote to the error stream.
        stderr: String,
    },
    /// Its output is not that of the first version.
    #[error("wrong output: {0}")]
    Differs(Difference),
}

/// The times of one version, one a round.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    /// Seconds, in the order of the rounds.
    pub seconds: Vec<f64>,
    /// Whether the program reported them (`time_s X` on its error stream) or they are those of the whole process.
    pub reported: bool,
}

/// The first line of an error stream, to append to a message.
fn first_line(stderr: &str) -> String {
    stderr.lines().next().map(|line| format!(": {line}")).unwrap_or_default()
}

/// Times `versions` in interleaved rounds, the odd ones in reverse order so that slow drifts hit all alike, OpenMP's threads
/// bound to cores (see [`RunOptions::bound`]). The output
/// of every run is compared with the first output of the first version. A version that fails once has no time, and is
/// not run again; when the first version fails, so do all.
///
/// # Errors
/// When a program cannot be started.
pub fn measure(
    versions: &[&Executable],
    measure: &Measure,
) -> Result<Vec<Result<Times, Failure>>, Error> {
    let mut states: Vec<Result<Times, Failure>> =
        versions.iter().map(|_| Ok(Times { seconds: Vec::new(), reported: true })).collect();
    let mut reference: Option<String> = None;
    let options = measure.options.clone().bound();
    for round in 0..measure.warmup + measure.rounds {
        let forward = round % 2 == 0;
        for step in 0..versions.len() {
            let at = if forward { step } else { versions.len() - 1 - step };
            let Ok(times) = &mut states[at] else { continue };
            let output = versions[at].run(&options)?;
            if let Some(failure) = judge(&output, reference.as_deref(), measure.tolerance) {
                states[at] = Err(failure.clone());
                if at == 0 {
                    return Ok(states.into_iter().map(|s| s.and(Err(failure.clone()))).collect());
                }
                continue;
            }
            if round >= measure.warmup {
                let reported = output.reported_seconds();
                times.reported &= reported.is_some();
                times.seconds.push(reported.unwrap_or(output.wall.as_secs_f64()));
            }
            reference.get_or_insert(output.stdout);
        }
    }
    Ok(states)
}

/// What is wrong with a run, if anything.
fn judge(output: &Output, reference: Option<&str>, tolerance: Tolerance) -> Option<Failure> {
    if output.exit != Exit::Code(0) {
        return Some(Failure::Ended { exit: output.exit, stderr: output.stderr.clone() });
    }
    let difference = first_difference(reference?, &output.stdout, tolerance)?;
    Some(Failure::Differs(difference))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Build, Compiler};
    use std::time::Duration;

    fn program(main: &str) -> Executable {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ {main} return 0; }}\n"
        );
        let compiler: Compiler = "gcc -O1".parse().expect("a command");
        compiler.compile(&Build::text("a.c", text)).expect("it compiles")
    }

    #[test]
    fn failing_versions_have_no_time() {
        let versions = [
            program("printf(\"x 1.0\\n\"); fprintf(stderr, \"time_s 0.5\\n\");"),
            program("printf(\"x 1.00000001\\n\"); fprintf(stderr, \"time_s 0.25\\n\");"),
            program("printf(\"x 2\\n\");"),
            program("fprintf(stderr, \"help\\n\"); abort();"),
            program("for (volatile int i = 0;;) i++;"),
        ];
        let options =
            RunOptions { time_limit: Duration::from_millis(400), ..RunOptions::default() };
        let rounds =
            Measure { rounds: 3, warmup: 1, options, tolerance: Tolerance::relative(1e-6) };
        let all: Vec<&Executable> = versions.iter().collect();
        let results = measure(&all, &rounds).expect("all start");
        let texts: Vec<String> = results
            .iter()
            .map(|r| match r {
                Ok(times) => format!("{:?} {}", times.seconds, times.reported),
                Err(failure) => failure.to_string(),
            })
            .collect();
        assert_eq!(
            texts,
            [
                "[0.5, 0.5, 0.5] true",
                "[0.25, 0.25, 0.25] true",
                "wrong output: line 1, column 3: 1.0 against 2 (relative error 5.0e-1)",
                "signal 6: help",
                "time limit",
            ]
        );
        let results = measure(&[&versions[3], &versions[0]], &rounds).expect("all start");
        assert!(results.iter().all(Result::is_err));
    }
}
