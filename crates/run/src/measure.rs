//! Timing several versions of a program against each other.

use crate::judge::{Judge, Mismatch};
use crate::{Agreement, Error, Executable, Exit, RunOptions, Tolerance};

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
    /// Whether a first version that prints nothing is timed, too: then nothing shows that the others are right.
    pub allows_no_output: bool,
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
    Differs(Mismatch),
    /// The first version itself prints something else in another run.
    #[error("the program prints something else from run to run: {0}")]
    Varies(Mismatch),
    /// The first version prints nothing, so that there is nothing to compare.
    #[error("the program prints nothing: its results cannot be compared")]
    Silent,
}

/// The times of one version, one a round.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    /// Seconds, in the order of the rounds.
    pub seconds: Vec<f64>,
    /// Whether the program reported them (`time_s X` on its error stream) or they are those of the whole process.
    pub reported: bool,
    /// How far its outputs agree with the first output of the first version; none where that prints nothing.
    pub outputs: Option<Agreement>,
}

/// The first line of an error stream, to append to a message.
fn first_line(stderr: &str) -> String {
    stderr.lines().next().map(|line| format!(": {line}")).unwrap_or_default()
}

/// Times `versions` in interleaved rounds, the odd ones in reverse order so that slow drifts hit all alike, OpenMP's threads
/// bound to cores (see [`RunOptions::bound`]). The output
/// of every run is compared with the first output of the first version: what it writes to standard output, and to the error stream
/// where that is the same in each of its runs, but for lines `time_s X`. A version that fails once has no time, and is
/// not run again; when the first version fails, so do all. When the output of a version differs, the first version is run once more:
/// one that differs from itself is told of, and nobody else is accused.
///
/// # Errors
/// When a program cannot be started.
pub fn measure(
    versions: &[&Executable],
    measure: &Measure,
) -> Result<Vec<Result<Times, Failure>>, Error> {
    let none = || Ok(Times { seconds: Vec::new(), reported: true, outputs: None });
    let mut states: Vec<Result<Times, Failure>> = versions.iter().map(|_| none()).collect();
    let Some(first) = versions.first() else { return Ok(states) };
    let mut judge = Judge::new(first, measure);
    for round in 0..measure.warmup + measure.rounds {
        let forward = round % 2 == 0;
        for step in 0..versions.len() {
            let at = if forward { step } else { versions.len() - 1 - step };
            let Ok(times) = &mut states[at] else { continue };
            let output = versions[at].run(judge.options())?;
            match judge.judge(&output, at == 0)? {
                Err(failure) if at == 0 || failure.is_of_first() => {
                    return Ok(states.into_iter().map(|s| s.and(Err(failure.clone()))).collect());
                }
                Err(failure) => {
                    states[at] = Err(failure);
                    continue;
                }
                Ok(agreement) => times.agree(agreement),
            }
            if round >= measure.warmup {
                let reported = output.reported_seconds();
                times.reported &= reported.is_some();
                times.seconds.push(reported.unwrap_or(output.wall.as_secs_f64()));
            }
        }
    }
    Ok(states)
}

impl Times {
    /// Notes how far one more output agrees.
    fn agree(&mut self, agreement: Option<Agreement>) {
        self.outputs = match (self.outputs, agreement) {
            (Some(known), Some(new)) => Some(known.and(new)),
            (known, new) => known.or(new),
        };
    }
}

impl Failure {
    /// Whether it says something of the first version, whichever was run.
    fn is_of_first(&self) -> bool {
        matches!(self, Self::Varies(_) | Self::Silent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Build, Compiler};
    use std::time::Duration;

    fn program(main: &str) -> Executable {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(void) {{ {main} return 0; }}\n"
        );
        let compiler: Compiler = "gcc -O1".parse().expect("a command");
        compiler.compile(&Build::text("a.c", text)).expect("it compiles")
    }

    const MEASURE: Measure = Measure {
        rounds: 2,
        warmup: 0,
        options: RunOptions {
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: None,
            time_limit: Duration::from_secs(60),
            output_limit_bytes: 1 << 20,
        },
        tolerance: Tolerance { relative: 1e-6, ..Tolerance::EXACT },
        allows_no_output: false,
    };

    /// What comes of some programs: how far the output of each agrees, or what is wrong.
    fn outputs(mains: &[&str], options: &Measure) -> Vec<String> {
        let programs: Vec<Executable> = mains.iter().map(|main| program(main)).collect();
        let results = measure(&programs.iter().collect::<Vec<_>>(), options).expect("all start");
        let word = |result: Result<Times, Failure>| match result {
            Ok(Times { outputs: None, .. }) => "nothing".to_owned(),
            Ok(Times { outputs: Some(agreement), .. }) => format!("{agreement:?}"),
            Err(failure) => failure.to_string(),
        };
        results.into_iter().map(word).collect()
    }

    #[test]
    fn it_is_said_how_far_outputs_agree() {
        let found = outputs(
            &["puts(\"4 2\");", "puts(\"4 2\");", "puts(\"4.000002  2\");"],
            &Measure { rounds: 1, ..MEASURE },
        );
        assert_eq!(found[..2], ["Equal", "Equal"]);
        assert!(found[2].starts_with("Within { largest_relative: 4.99"), "{found:?}");
    }

    #[test]
    fn nothing_is_no_output() {
        let time = "fprintf(stderr, \"time_s 1\\n\");";
        let silent = Failure::Silent.to_string();
        assert_eq!(outputs(&[time, time], &MEASURE), [silent.as_str(); 2]);
        let allowed = Measure { allows_no_output: true, ..MEASURE };
        let found = outputs(&[time, time, "puts(\"1\");"], &allowed);
        assert_eq!(found[..2], ["nothing"; 2]);
        assert_eq!(found[2], "wrong output: line 1, column 1: the second output goes on");
    }

    #[test]
    fn the_error_stream_is_compared_where_it_is_the_same_each_time() {
        let dump = |n| format!("puts(\"a\"); fprintf(stderr, \"%d\\ntime_s 1\\n\", {n});");
        let found = outputs(&[&dump("1"), &dump("2")], &MEASURE);
        let wrong =
            "wrong output: error stream, line 1, column 1: 1 against 2 (relative error 5.0e-1)";
        assert_eq!(found, ["Equal", wrong]);
        let time = |more: &str| format!("{more} fprintf(stderr, \"p%d\\n\", (int)getpid());");
        assert_eq!(
            outputs(&[&time("puts(\"a\");"), &time("puts(\"a\");")], &MEASURE),
            ["Equal"; 2]
        );
        let found = outputs(&[&time(""), &time("")], &MEASURE);
        assert!(found.iter().all(|what| what.contains("run to run: error stream")), "{found:?}");
    }

    #[test]
    fn a_program_that_differs_from_itself_is_told_of() {
        let number = "printf(\"p%d\\n\", (int)getpid());";
        for rounds in [1, 3] {
            let found = outputs(&[number, number], &Measure { rounds, ..MEASURE });
            let told = |what: &String| what.contains("something else from run to run: line 1");
            assert!(found.iter().all(told), "{found:?}");
        }
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
        let rounds = Measure { rounds: 3, warmup: 1, options, ..MEASURE };
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
