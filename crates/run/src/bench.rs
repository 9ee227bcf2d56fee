//! Benchmark results: what was measured, as a versioned file format.

use crate::{
    Agreement, Build, Compiler, Error, Executable, Failure, Measure, Speedup, Summary,
    geometric_mean, measure,
};
use serde::{Deserialize, Serialize};

/// The version of [`Report`]'s JSON form. The second says where the numbers are from, and how outputs compared.
pub const SCHEMA: u32 = 2;

/// The results of one run of the benchmark.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The version of this format: [`SCHEMA`].
    pub schema: u32,
    /// How the baseline was compiled: `gcc -O3 -march=native`.
    pub baseline: String,
    /// Rounds that counted.
    pub rounds: usize,
    /// What the numbers are from.
    pub environment: Environment,
    /// The relative tolerance that outputs were compared with; zero means equal texts.
    pub tolerance: f64,
    /// One entry a program, in the order given.
    pub programs: Vec<Program>,
}

/// What numbers are from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Environment {
    /// What the compiler calls itself: the first line of `--version`, where it has one.
    pub compiler: Option<String>,
    /// Threads of the results.
    pub threads: usize,
    /// The machine.
    pub machine: Host,
}

/// The machine that numbers are from, as far as the system tells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Host {
    /// The processor as the system calls it, where it does.
    pub processor: Option<String>,
    /// The machine file that is its own, else the processor again.
    pub name: String,
    /// Cores that a program may use.
    pub cores: u32,
    /// Hardware threads a core.
    pub threads_per_core: u32,
    /// The caches, innermost first.
    pub caches: Vec<CacheSize>,
}

/// A cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CacheSize {
    /// 1 for the one next to the core.
    pub level: u32,
    /// All of it.
    pub bytes: u64,
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
        /// How far its outputs agreed with those of the original; none where that prints nothing.
        outputs: Option<Agreement>,
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
    /// Its output was wrong, and is right where neither it nor the original is compiled with fused multiply-adds.
    Contracted {
        /// The first difference.
        reason: String,
    },
    /// The original prints something else from run to run.
    Varying {
        /// The first difference.
        reason: String,
    },
    /// The original prints nothing that could be compared.
    Silent,
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
            Self::Silent => Some("the program prints nothing: its results cannot be compared"),
            Self::NotTransformed { reason }
            | Self::NotCompiled { reason }
            | Self::Failed { reason }
            | Self::Wrong { reason }
            | Self::Contracted { reason }
            | Self::Varying { reason } => Some(reason),
        }
    }

    /// A word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Measured { .. } => "measured",
            Self::NotTransformed { .. } => "not transformed",
            Self::NotCompiled { .. } => "not compiled",
            Self::Failed { .. } => "failed",
            Self::Wrong { .. } | Self::Contracted { .. } => "wrong output",
            Self::Varying { .. } => "varying output",
            Self::Silent => "no output",
        }
    }

    /// The outcome of a failure.
    pub fn of_failure(failure: &Failure) -> Self {
        let reason = failure.to_string();
        match failure {
            Failure::Differs(_) => Self::Wrong { reason },
            Failure::Varies(_) => Self::Varying { reason },
            Failure::Silent => Self::Silent,
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

/// Compiles `baseline` and `variants` and times them in interleaved rounds; outputs are compared with the baseline's. Where one
/// differs, both are compiled and run once more without contraction.
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
    let mut outcomes = Vec::new();
    for (built, candidate) in built.iter().zip(&candidates) {
        let found = match built {
            Err(outcome) => outcome.clone(),
            Ok(_) => times.next().map_or_else(unmeasured, |times| outcome(&times)),
        };
        outcomes.push(match found {
            Outcome::Wrong { reason } if agrees_uncontracted(baseline, candidate, options)? => {
                Outcome::Contracted { reason }
            }
            found => found,
        });
    }
    let mut outcomes = outcomes.into_iter();
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

/// The flag under which compilers make no fused multiply-adds of products and sums.
const UNCONTRACTED: &str = "-ffp-contract=off";

/// Whether a candidate prints what the baseline prints where both are compiled without contraction; not where the compiler takes no
/// such flag.
fn agrees_uncontracted(
    baseline: &Candidate,
    candidate: &Candidate,
    options: &Measure,
) -> Result<bool, Error> {
    let uncontracted = |candidate: &Candidate| {
        let build = candidate.build.clone();
        let build = build.map(|(compiler, build)| (compiler, build.flags([UNCONTRACTED])));
        self::build(&Candidate { build, ..candidate.clone() })
    };
    let (Ok(baseline), Ok(candidate)) = (uncontracted(baseline)?, uncontracted(candidate)?) else {
        return Ok(false);
    };
    let once = Measure { rounds: 1, warmup: 0, ..options.clone() };
    Ok(measure(&[&baseline, &candidate], &once)?.iter().all(Result::is_ok))
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
                outputs: times.outputs,
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
            allows_no_output: false,
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
            environment: Environment {
                compiler: Some("gcc 14".into()),
                threads: 2,
                machine: Host {
                    processor: Some("A Processor".into()),
                    name: "amd-zen4".into(),
                    cores: 2,
                    threads_per_core: 1,
                    caches: vec![
                        CacheSize { level: 1, bytes: 32 << 10 },
                        CacheSize { level: 2, bytes: 1 << 20 },
                    ],
                },
            },
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
            ["program", "baseline", "variant", "time", "spread", "speed-up", "range", "outputs"]
        );
        assert_eq!(
            words(2),
            ["gemm.c", "1.00", "s", "pluto", "0.250", "s", "0%", "4.00x", "4.00-4.00", "equal"]
        );
        assert!(table.contains("wrong: wrong output: line 1, column 1: 1 against 2"), "{table}");
        assert!(table.contains("geometric mean of pluto over 1 program: 4.00x"), "{table}");
        let from = "compiler: gcc -O1 (gcc 14)\nthreads:  2\n\
            machine:  A Processor (amd-zen4), 2 cores, L1 32 KiB, L2 1 MiB\n";
        assert!(table.ends_with(from), "{table}");
    }

    /// Whether the processor has fused multiply-adds, and the flag with which compilers use them.
    fn fused() -> Option<&'static str> {
        #[cfg(target_arch = "x86_64")]
        return std::arch::is_x86_feature_detected!("fma").then_some("-mfma");
        #[cfg(not(target_arch = "x86_64"))]
        return cfg!(target_arch = "aarch64").then_some("-O1");
    }

    #[test]
    fn contraction_is_told_from_other_differences() {
        let Some(flag) = fused() else {
            eprintln!("skipped: the processor has no fused multiply-adds");
            return;
        };
        let rounded = |sum: &str| {
            let main = format!(
                r#"volatile double a = 0x1.00000004p0, b = -0x1.00000008p0; double x = a, y = b, s;
                {sum} printf("%a\n", s); return 0;"#
            );
            let Candidate { build, .. } = candidate("sum", &main);
            let build = build.map(|(compiler, build)| (compiler, build.flags(["-O2", flag])));
            Candidate { name: sum.into(), build, tool_s: None }
        };
        let options = Measure {
            rounds: 1,
            warmup: 0,
            options: RunOptions::default(),
            tolerance: Tolerance::EXACT,
            allows_no_output: false,
        };
        let baseline = rounded("volatile double p = x * x; s = p + y;");
        let variants = [rounded("s = x * x + y;"), rounded("s = x * x + y + 1;")];
        let program = bench("sum.c", &baseline, &variants, &options).expect("gcc is there");
        let [fused, wrong] = program.variants.as_slice() else { panic!("two variants") };
        assert!(matches!(fused.outcome, Outcome::Contracted { .. }), "{fused:?}");
        assert!(matches!(wrong.outcome, Outcome::Wrong { .. }), "{wrong:?}");
    }
}
