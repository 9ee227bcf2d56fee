//! Benchmark results: what was measured, as a versioned file format.

use crate::{
    Build, Compiler, Error, Executable, Failure, Measure, Speedup, Summary, geometric_mean, measure,
};
use serde::{Deserialize, Serialize};

/// The version of [`Report`]'s JSON form.
pub const SCHEMA: u32 = 1;

/// The results of one run of the benchmark.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The version of this format: [`SCHEMA`].
    pub schema: u32,
    /// How the baseline was compiled: `gcc -O3 -march=native`.
    pub baseline: String,
    /// Rounds that counted.
    pub rounds: usize,
    /// `OMP_NUM_THREADS`, where it was set.
    #[serde(default)]
    pub threads: Option<usize>,
    /// The relative tolerance that outputs were compared with; zero means equal texts.
    pub tolerance: f64,
    /// One entry a program, in the order given.
    pub programs: Vec<Program>,
}

/// The results of one program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The file as the user named it.
    pub name: String,
    /// The original under the baseline compiler.
    pub baseline: Outcome,
    /// The variants, in the order given.
    pub variants: Vec<Variant>,
}

/// The result of one variant of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Variant {
    /// What it is: the strategy and its options.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Against the baseline, where both have times.
    #[serde(default)]
    pub speedup: Option<Speedup>,
    /// How long the tool took to make it, in seconds.
    #[serde(default)]
    pub tool_s: Option<f64>,
}

/// What came of a version. Only [`Outcome::Measured`] is a score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Outcome {
    /// It ran, and its output was right in every round.
    Measured {
        /// Seconds, one a round.
        seconds: Vec<f64>,
        /// Their summary.
        summary: Summary,
        /// Whether the program timed itself.
        reported: bool,
    },
    /// The tool did not produce it.
    NotTransformed {
        /// Why.
        reason: String,
    },
    /// The compiler refused it.
    NotCompiled {
        /// The compiler's message.
        reason: String,
    },
    /// It crashed, ran out of time, or failed.
    Failed {
        /// How.
        reason: String,
    },
    /// Its output was wrong.
    Wrong {
        /// The first difference.
        reason: String,
    },
}

/// A version of a program that is to be measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// What it is.
    pub name: String,
    /// How it is compiled, or why there is nothing to compile.
    pub build: Result<(Compiler, Build), String>,
    /// How long the tool took to make it, in seconds.
    pub tool_s: Option<f64>,
}

impl Outcome {
    /// The times, when there are any.
    pub fn seconds(&self) -> Option<&[f64]> {
        match self {
            Self::Measured { seconds, .. } => Some(seconds),
            _ => None,
        }
    }

    /// The median time in seconds, when there are times.
    pub fn median_s(&self) -> Option<f64> {
        match self {
            Self::Measured { summary, .. } => Some(summary.median_s),
            _ => None,
        }
    }

    /// Why there are no times, when there are none.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Measured { .. } => None,
            Self::NotTransformed { reason }
            | Self::NotCompiled { reason }
            | Self::Failed { reason }
            | Self::Wrong { reason } => Some(reason),
        }
    }

    /// A word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Measured { .. } => "measured",
            Self::NotTransformed { .. } => "not transformed",
            Self::NotCompiled { .. } => "not compiled",
            Self::Failed { .. } => "failed",
            Self::Wrong { .. } => "wrong output",
        }
    }

    /// The outcome of a failure.
    pub fn of_failure(failure: &Failure) -> Self {
        let reason = failure.to_string();
        match failure {
            Failure::Differs(_) => Self::Wrong { reason },
            Failure::Ended { .. } => Self::Failed { reason },
        }
    }
}

impl Report {
    /// The report as JSON, indented.
    pub fn to_json(&self) -> String {
        // Numbers and strings always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The names of all variants, in order of first appearance.
    pub fn variant_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for variant in self.programs.iter().flat_map(|p| &p.variants) {
            if !names.contains(&variant.name.as_str()) {
                names.push(&variant.name);
            }
        }
        names
    }

    /// The geometric mean of the median speed-ups of the variant called `name`, and over how many programs.
    pub fn geometric_mean(&self, name: &str) -> Option<(f64, usize)> {
        let variants = self.programs.iter().flat_map(|p| &p.variants).filter(|v| v.name == name);
        let speedups: Vec<f64> = variants.filter_map(|v| Some(v.speedup?.median)).collect();
        Some((geometric_mean(speedups.iter().copied())?, speedups.len()))
    }
}

impl std::str::FromStr for Report {
    type Err = serde_json::Error;
    fn from_str(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// Compiles `baseline` and `variants` and times them in interleaved rounds; outputs are compared with the baseline's.
///
/// # Errors
/// When the compiler or a program cannot be started. A version that does not compile or fails is an [`Outcome`].
pub fn bench(
    name: impl Into<String>,
    baseline: &Candidate,
    variants: &[Candidate],
    options: &Measure,
) -> Result<Program, Error> {
    let candidates: Vec<&Candidate> = std::iter::once(baseline).chain(variants).collect();
    let built: Vec<Result<Executable, Outcome>> =
        candidates.iter().map(|c| build(c)).collect::<Result<_, Error>>()?;
    let mut times = match &built[0] {
        Ok(_) => {
            let runnable: Vec<&Executable> = built.iter().flatten().collect();
            measure(&runnable, options)?.into_iter()
        }
        Err(_) => Vec::new().into_iter(),
    };
    let unmeasured = || Outcome::Failed { reason: "the baseline was not compiled".into() };
    let mut outcomes = built.iter().map(|built| match built {
        Err(outcome) => outcome.clone(),
        Ok(_) => times.next().map_or_else(unmeasured, |times| outcome(&times)),
    });
    let baseline = outcomes.next().unwrap_or_else(unmeasured);
    let variants = outcomes
        .zip(variants)
        .map(|(outcome, candidate)| Variant {
            name: candidate.name.clone(),
            speedup: baseline
                .seconds()
                .zip(outcome.seconds())
                .and_then(|(before, after)| Speedup::of(before, after)),
            outcome,
            tool_s: candidate.tool_s,
        })
        .collect();
    Ok(Program { name: name.into(), baseline, variants })
}

/// The executable of a candidate, or why there is none.
fn build(candidate: &Candidate) -> Result<Result<Executable, Outcome>, Error> {
    let (compiler, build) = match &candidate.build {
        Ok(build) => build,
        Err(reason) => return Ok(Err(Outcome::NotTransformed { reason: reason.clone() })),
    };
    match compiler.compile(build) {
        Ok(executable) => Ok(Ok(executable)),
        Err(Error::CompilationFailed { message, .. }) => {
            Ok(Err(Outcome::NotCompiled { reason: message }))
        }
        Err(error) => Err(error),
    }
}

/// The outcome of a measurement.
fn outcome(times: &Result<crate::Times, Failure>) -> Outcome {
    match times {
        Err(failure) => Outcome::of_failure(failure),
        Ok(times) => match Summary::of(&times.seconds) {
            None => Outcome::Failed { reason: "no round was run".into() },
            Some(summary) => Outcome::Measured {
                seconds: times.seconds.clone(),
                summary,
                reported: times.reported,
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunOptions, Tolerance};

    fn candidate(name: &str, main: &str) -> Candidate {
        let text = format!("#include <stdio.h>\nint main(void) {{ {main} }}\n");
        let compiler: Compiler = "gcc -O1".parse().expect("a command");
        let build = Ok((compiler, Build::text("a.c", text)));
        Candidate { name: name.into(), build, tool_s: None }
    }

    fn print(value: &str, seconds: &str) -> String {
        format!(r#"puts("{value}"); fputs("time_s {seconds}\n", stderr); return 0;"#)
    }

    /// A report of one program with a variant of each outcome.
    pub(crate) fn report() -> Report {
        let options = Measure {
            rounds: 2,
            warmup: 0,
            options: RunOptions::default(),
            tolerance: Tolerance::relative(1e-9),
        };
        let untransformed =
            Candidate { name: "none".into(), build: Err("not affine".into()), tool_s: None };
        let variants = [
            candidate("pluto", &print("1", "0.25")),
            candidate("wrong", &print("2", "0.1")),
            candidate("crash", "return 3;"),
            candidate("bad", "retur 3;"),
            untransformed,
        ];
        let baseline = candidate("baseline", &print("1", "1"));
        let program = bench("gemm.c", &baseline, &variants, &options).expect("gcc is there");
        Report {
            schema: SCHEMA,
            baseline: "gcc -O1".into(),
            rounds: 2,
            threads: None,
            tolerance: 1e-9,
            programs: vec![program],
        }
    }

    #[test]
    fn only_right_results_are_scores() {
        let report = report();
        let outcomes: Vec<&str> =
            report.programs[0].variants.iter().map(|v| v.outcome.name()).collect();
        assert_eq!(
            outcomes,
            ["measured", "wrong output", "failed", "not compiled", "not transformed"]
        );
        assert_eq!(report.geometric_mean("pluto"), Some((4.0, 1)));
        assert_eq!(report.geometric_mean("wrong"), None);
        assert_eq!(report.to_json().parse::<Report>().ok(), Some(report));
    }

    #[test]
    fn a_table_for_people() {
        let table = crate::render_report(&report());
        let words = |line: usize| -> Vec<&str> {
            table.lines().nth(line).unwrap_or("").split_whitespace().collect()
        };
        assert_eq!(
            words(0),
            ["program", "baseline", "variant", "time", "spread", "speed-up", "range"]
        );
        assert_eq!(
            words(2),
            ["gemm.c", "1.00", "s", "pluto", "0.250", "s", "0%", "4.00x", "4.00-4.00"]
        );
        assert!(table.contains("wrong: wrong output: line 1, column 1: 1 against 2"), "{table}");
        assert!(table.contains("geometric mean of pluto over 1 program: 4.00x"), "{table}");
    }
}
