//! One program through the tool: is the result the same program?

use crate::{Flags, Program};
use farkas_run::{Build, Compiler, Error, Executable, Exit, Output, RunOptions, Tolerance};
use std::time::Duration;

/// What the tool made of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transformed {
    /// Another program.
    Text(String),
    /// Another program, some of whose regions stay on the host in the place of a device, and why.
    OnHost(String, String),
    /// It refused the program; the text is its message.
    Rejected(String),
    /// It crashed, or found a fault of its own.
    Crashed(String),
    /// It did not end in time.
    TimedOut,
}

/// What came of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Both versions print the same.
    Same,
    /// So they do, and some regions stay on the host in the place of a device, for this reason.
    OnHost(String),
    /// Kernels do not compile or do not run: this is what the program says of them.
    NotRun(String),
    /// Both versions print the same where kernels run on another device, and not on the first one, in this way.
    OneDevice(String),
    /// The tool refused it with this message.
    Rejected(String),
    /// The versions print different things, or the result does not end as the original does.
    Wrong(String),
    /// A sanitizer reports undefined behaviour of the result.
    Reported(String),
    /// The result does not compile.
    DoesNotCompile(String),
    /// The tool crashed, or found a fault of its own.
    Crashed(String),
    /// The tool did not end in time.
    TimedOut,
    /// The original does not compile or run: a fault of the generator.
    BadProgram(String),
}

/// The tool and the compiler that are tried.
pub struct Checker<'a> {
    /// Transforms a text under flags.
    pub transform: &'a dyn Fn(&str, &Flags) -> Transformed,
    /// Compiles both versions; `-fopenmp` is added where the result has pragmas.
    pub compiler: Compiler,
    /// The same for programs with `__bf16`, which that one need not have.
    pub with_bf16: Option<Compiler>,
    /// Runs both versions.
    pub options: RunOptions,
    /// Runs a result once more, on another device, that is wrong on the first.
    pub elsewhere: Option<RunOptions>,
}

impl Verdict {
    /// A word for the kind of verdict.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::OnHost(_) => "on the host",
            Self::OneDevice(_) => "wrong on one device alone",
            Self::NotRun(_) => "kernels do not run",
            Self::Rejected(_) => "rejected",
            Self::Wrong(_) => "wrong",
            Self::Reported(_) => "sanitizer report",
            Self::DoesNotCompile(_) => "does not compile",
            Self::Crashed(_) => "crashed",
            Self::TimedOut => "timed out",
            Self::BadProgram(_) => "bad program",
        }
    }

    /// The message, if there is one.
    pub fn message(&self) -> &str {
        match self {
            Self::Same | Self::TimedOut => "",
            Self::OnHost(text)
            | Self::OneDevice(text)
            | Self::NotRun(text)
            | Self::Rejected(text)
            | Self::Wrong(text)
            | Self::Reported(text)
            | Self::DoesNotCompile(text)
            | Self::Crashed(text)
            | Self::BadProgram(text) => text,
        }
    }

    /// Its kind and message in one line.
    pub(crate) fn told(&self) -> String {
        format!("{}: {}", self.kind(), self.message())
    }

    /// Whether it shows a fault of the tool.
    pub fn is_fault(&self) -> bool {
        let is_none = matches!(self, Self::Same | Self::OnHost(_) | Self::OneDevice(_));
        !is_none && !matches!(self, Self::Rejected(_) | Self::BadProgram(_))
    }

    /// What verdicts for the same reason have in common: numbers and quoted names may differ.
    pub fn class(&self) -> String {
        let reason = match self {
            Self::Rejected(message) => diagnostic_id(message),
            Self::Reported(message) | Self::OnHost(message) => general(message),
            Self::NotRun(message) => {
                let (_, error) = message.split_once("error: ").unwrap_or(("", message));
                general(error.lines().next().unwrap_or(""))
            }
            Self::Crashed(message) => general(message.lines().next().unwrap_or("")),
            Self::DoesNotCompile(message) => {
                let error = message.lines().find_map(|line| line.split_once("error: "));
                general(error.map_or("", |(_, reason)| reason))
            }
            _ => return self.kind().to_owned(),
        };
        format!("{}: {reason}", self.kind())
    }
}

/// Whether a result has updates in another order than the program's: in threads or lanes that combine what they gathered, or in places
/// for partial results.
pub fn has_free_order(result: &str) -> bool {
    ["reduction(", "farkas_held", "farkas_lanes", "_part["].iter().any(|mark| result.contains(mark))
}

/// Whether a result has partial results in places of their own: of parts, or of blocks that select.
pub fn has_parts(result: &str) -> bool {
    result.contains("_part[")
}

/// Whether a result has cells for the lanes of a loop around recurrences; `farkas_lanes` gather sums of one.
pub fn has_cells_for_lanes(result: &str) -> bool {
    result.replace("farkas_lanes", "").contains("_lanes[")
}

/// A message without numbers and without what is quoted.
fn general(message: &str) -> String {
    let mut quoted = false;
    let mut text = String::new();
    for c in message.chars() {
        let is_quote = matches!(c, '`' | '\'' | '"' | '\u{2018}' | '\u{2019}');
        quoted ^= is_quote;
        if !quoted && !is_quote && !c.is_ascii_digit() {
            text.push(c);
        }
    }
    text
}

/// The id in the brackets of `error[id]: ..`, else the first line.
pub fn diagnostic_id(message: &str) -> String {
    let inside = message.split_once("error[").and_then(|(_, rest)| rest.split_once(']'));
    match inside {
        Some((id, _)) => id.to_owned(),
        None => message.lines().next().unwrap_or("").chars().take(100).collect(),
    }
}

/// A compiler that takes at most a minute of processor time and 4 GiB of memory for each of its processes: some texts
/// are dear to compile, and a machine that swaps says nothing about the tool.
pub(crate) fn limited(compiler: Compiler) -> Compiler {
    let script = "ulimit -t 60; ulimit -v 4194304; exec \"$@\"";
    let words = ["-c", script, "sh", &compiler.command].map(str::to_owned);
    Compiler { command: "sh".into(), flags: words.into_iter().chain(compiler.flags).collect() }
}

/// `gcc` with these flags, and as little.
pub(crate) fn limited_gcc(flags: &[&str]) -> Compiler {
    let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    limited(Compiler { command: "gcc".into(), flags })
}

/// The flags of both versions.
pub(crate) const PLAIN: [&str; 4] = ["-O1", "-ffp-contract=off", "-fwrapv", "-w"];

impl<'a> Checker<'a> {
    /// A checker with `gcc`, two threads, and ten seconds a run.
    pub fn new(transform: &'a dyn Fn(&str, &Flags) -> Transformed) -> Self {
        let options = RunOptions {
            time_limit: Duration::from_secs(10),
            output_limit_bytes: 1 << 20,
            ..RunOptions::default()
        };
        Self {
            transform,
            compiler: limited_gcc(&PLAIN),
            with_bf16: None,
            options: options.threads(2),
            elsewhere: None,
        }
    }

    /// The same with so many threads, which sleep while they wait: there may be more of them than cores.
    pub fn on_threads(mut self, threads: usize) -> Self {
        self.options = self.options.threads(threads);
        self.options.environment.push(("OMP_WAIT_POLICY".into(), "passive".into()));
        self
    }

    /// The same under the sanitizers.
    pub fn under_sanitizers(mut self) -> Self {
        let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        self.compiler.flags.extend(flags.map(str::to_owned));
        self.options.environment.push(("ASAN_OPTIONS".into(), "detect_leaks=0".into()));
        self
    }

    /// The same for programs with kernels, which say what became of them, and at most `time_limit` a run: devices compile kernels first.
    pub fn with_kernels(mut self, time_limit: Duration) -> Self {
        self.options.time_limit = time_limit;
        let no_cache = ("POCL_KERNEL_CACHE", "0");
        let told = [VERBOSE, no_cache].map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.options.environment.extend(told);
        if let Some(device) = oclgrind() {
            let mut other = self.options.clone();
            other.environment.push(("OCL_ICD_VENDORS".to_owned(), device));
            self.elsewhere = Some(other);
        }
        self
    }

    /// The same with a compiler for programs with `__bf16`.
    pub fn with_bf16(self, compiler: Option<Compiler>) -> Self {
        Self { with_bf16: compiler, ..self }
    }

    /// The verdict on a program under flags.
    pub fn check(&self, program: &Program, flags: &Flags) -> Verdict {
        match program.text() {
            Some(text) => self.check_text(&text, flags),
            None => Verdict::BadProgram("it has no meaning".into()),
        }
    }

    /// The verdict on a program's text under flags.
    pub fn check_text(&self, text: &str, flags: &Flags) -> Verdict {
        let (result, on_host) = match (self.transform)(text, flags) {
            Transformed::Text(result) => (result, None),
            Transformed::OnHost(result, reason) => (result, Some(reason)),
            Transformed::Rejected(message) => return Verdict::Rejected(message),
            Transformed::Crashed(message) => return Verdict::Crashed(message),
            Transformed::TimedOut => return Verdict::TimedOut,
        };
        let expected = match self.output(text, flags, &self.options) {
            Ok(Output { exit: Exit::Code(0), stdout, .. }) => stdout,
            Ok(output) => return Verdict::BadProgram(output.exit.to_string()),
            Err(message) => return Verdict::BadProgram(message),
        };
        let verdict = |options: &RunOptions| match self.output(&result, flags, options) {
            Err(message) => Verdict::DoesNotCompile(message),
            Ok(output) => judged(&result, &expected, output, on_host.clone()),
        };
        match (verdict(&self.options), &self.elsewhere) {
            (Verdict::Wrong(message), Some(other)) => match verdict(other) {
                Verdict::Same | Verdict::OnHost(_) => Verdict::OneDevice(message),
                _ => Verdict::Wrong(message),
            },
            (verdict, _) => verdict,
        }
    }

    /// How a text's program ends and what it prints, or why it does not compile.
    fn output(&self, text: &str, flags: &Flags, options: &RunOptions) -> Result<Output, String> {
        let mut extra = match (flags.opencl, flags.openmp) {
            (true, _) => vec!["-DFARKAS_FP_CONTRACT=0"],
            (false, true) => vec!["-fopenmp"],
            (false, false) => Vec::new(),
        };
        // Each operation is rounded, as on devices, and each number.
        let other = self.with_bf16.as_ref().filter(|_| text.contains("__bf16"));
        if text.contains("f16") || text.contains("_Float16") {
            extra.push("-fno-strict-aliasing");
            extra.extend(other.is_none().then_some("-fexcess-precision=16"));
        }
        let compiler = other.unwrap_or(&self.compiler);
        let compiled: Result<Executable, Error> =
            compiler.compile(&Build::text("program.c", text).flags(extra));
        let executable = compiled.map_err(|error| match error.note() {
            Some(note) => note.to_owned(),
            None => error.to_string(),
        })?;
        executable.run(options).map_err(|error| error.to_string())
    }
}

/// The verdict on a result by what its program does.
fn judged(result: &str, expected: &str, output: Output, on_host: Option<String>) -> Verdict {
    let Output { exit: Exit::Code(0), stdout, stderr, .. } = output else {
        return Verdict::Wrong(output.exit.to_string());
    };
    match farkas_run::first_difference(expected, &stdout, Tolerance::EXACT) {
        None => match (not_run(result, &stderr), on_host) {
            (Some(told), _) => Verdict::NotRun(told),
            (None, Some(reason)) => Verdict::OnHost(reason),
            (None, None) => Verdict::Same,
        },
        Some(difference) => Verdict::Wrong(difference.to_string()),
    }
}

/// A file that names Oclgrind, an OpenCL device that interprets kernels, where there is one: devices have faults of their own.
fn oclgrind() -> Option<String> {
    let library = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
    std::fs::exists(library).ok()?.then_some(())?;
    let file = std::env::temp_dir().join("farkas-fuzz-oclgrind.icd");
    std::fs::write(&file, library).ok()?;
    file.to_str().map(str::to_owned)
}

/// What a program says of its kernels but that they ran: where one does not compile, the original runs in its place, and prints the same.
fn not_run(text: &str, stderr: &str) -> Option<String> {
    let starts = |line: &&str| line.starts_with("farkas: OpenCL: ");
    if let Some(at) = stderr.lines().position(|line| starts(&line) && !line.contains(RAN)) {
        return Some(stderr.lines().skip(at).collect::<Vec<_>>().join("\n"));
    }
    let is_silent = text.contains("farkas_run(") && !stderr.contains(RAN);
    is_silent.then(|| "no kernel ran".to_owned())
}

/// What a program says of the kernels of a region that ran, where it is asked by [`VERBOSE`].
const RAN: &str = "OpenCL: copied in ";

/// The variable of the environment by which a program says what became of its kernels.
const VERBOSE: (&str, &str) = ("FARKAS_VERBOSE", "1");

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "#include <stdio.h>\nint main(void) { int x = 1; x += 2; printf(\"%d\\n\", x); }\n";

    /// The verdict on what `transform` makes of the text.
    fn check(transform: &dyn Fn(&str) -> Transformed, expect: &str) {
        let transform = |text: &str, _: &Flags| transform(text);
        let verdict = Checker::new(&transform).check_text(TEXT, &Flags::of_seed(1));
        assert_eq!(format!("{}: {}", verdict.class(), verdict.message()), expect);
    }

    #[test]
    fn each_fault_has_its_verdict() {
        let replaced = |from: &'static str, to: &'static str| {
            move |text: &str| Transformed::Text(text.replace(from, to))
        };
        check(&replaced("x += 2", "x = x + 2"), "same: ");
        check(
            &replaced("x += 2", "x = 2"),
            "wrong: line 1, column 1: 3 against 2 (relative error 3.3e-1)",
        );
        check(&replaced("x += 2", "__builtin_trap()"), "wrong: signal 4");
        check(&|_| Transformed::Rejected("error[a-b]: no".into()), "rejected: a-b: error[a-b]: no");
        check(&|_| Transformed::Crashed("signal 11".into()), "crashed: signal : signal 11");
        check(&|_| Transformed::TimedOut, "timed out: ");
        // The original may have taken the place of kernels.
        check(
            &replaced(
                "x += 2;",
                "x += 2; fputs(\"farkas: OpenCL: error: no `t`\\n(-11)\\n\", stderr);",
            ),
            "kernels do not run: no : farkas: OpenCL: error: no `t`\n(-11)",
        );
        check(
            &replaced("x += 2;", "x += 2; /* farkas_run( */"),
            "kernels do not run: no kernel ran: no kernel ran",
        );
        check(
            &replaced(
                "x += 2;",
                "x += 2; /* farkas_run( */ fputs(\"farkas: OpenCL: copied in 0 s\", stderr);",
            ),
            "same: ",
        );
        check(
            &|text| Transformed::OnHost(text.to_owned(), "it computes with `_Bool`".to_owned()),
            "on the host: it computes with : it computes with `_Bool`",
        );
        let transform =
            |_: &str, _: &Flags| Transformed::Text("int main(void) { return y; }".into());
        let verdict = Checker::new(&transform).check_text(TEXT, &Flags::of_seed(1));
        assert!(
            verdict.class().starts_with("does not compile:  undeclared"),
            "{}",
            verdict.class()
        );
    }
}
