//! One program through the tool: is the result the same program?

use crate::{Flags, Program};
use farkas_run::{Build, Compiler, Error, Executable, Exit, RunOptions, Tolerance};
use std::time::Duration;

/// What the tool made of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transformed {
    /// Another program.
    Text(String),
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
    /// Runs both versions.
    pub options: RunOptions,
}

impl Verdict {
    /// A word for the kind of verdict.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Same => "same",
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
            Self::Rejected(text)
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
        !matches!(self, Self::Same | Self::Rejected(_) | Self::BadProgram(_))
    }

    /// What verdicts for the same reason have in common: numbers and quoted names may differ.
    pub fn class(&self) -> String {
        let reason = match self {
            Self::Rejected(message) => diagnostic_id(message),
            Self::Reported(message) => general(message),
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

/// `gcc` with these flags, at most a minute of processor time and 4 GiB of memory for each of its processes: some texts
/// are dear to compile, and a machine that swaps says nothing about the tool.
pub(crate) fn limited(flags: &[&str]) -> Compiler {
    let script = "ulimit -t 60; ulimit -v 4194304; exec \"$@\"";
    let words = ["-c", script, "sh", "gcc"].into_iter().chain(flags.iter().copied());
    Compiler { command: "sh".into(), flags: words.map(str::to_owned).collect() }
}

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
            compiler: limited(&["-O1", "-ffp-contract=off", "-fwrapv", "-w"]),
            options: options.threads(2),
        }
    }

    /// The same with so many threads, which sleep while they wait: there may be more of them than cores.
    pub fn on_threads(mut self, threads: usize) -> Self {
        self.options = self.options.threads(threads);
        self.options.environment.push(("OMP_WAIT_POLICY".into(), "passive".into()));
        self
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
        let result = match (self.transform)(text, flags) {
            Transformed::Text(result) => result,
            Transformed::Rejected(message) => return Verdict::Rejected(message),
            Transformed::Crashed(message) => return Verdict::Crashed(message),
            Transformed::TimedOut => return Verdict::TimedOut,
        };
        let expected = match self.output(text, flags) {
            Ok((Exit::Code(0), expected)) => expected,
            Ok((exit, _)) => return Verdict::BadProgram(exit.to_string()),
            Err(message) => return Verdict::BadProgram(message),
        };
        match self.output(&result, flags) {
            Err(message) => Verdict::DoesNotCompile(message),
            Ok((Exit::Code(0), found)) => {
                match farkas_run::first_difference(&expected, &found, Tolerance::EXACT) {
                    None => Verdict::Same,
                    Some(difference) => Verdict::Wrong(difference.to_string()),
                }
            }
            Ok((exit, _)) => Verdict::Wrong(exit.to_string()),
        }
    }

    /// How a text's program ends and what it prints, or why it does not compile.
    fn output(&self, text: &str, flags: &Flags) -> Result<(Exit, String), String> {
        let extra = if flags.openmp { vec!["-fopenmp"] } else { Vec::new() };
        let compiled: Result<Executable, Error> =
            self.compiler.compile(&Build::text("program.c", text).flags(extra));
        let executable = compiled.map_err(|error| match error.note() {
            Some(note) => note.to_owned(),
            None => error.to_string(),
        })?;
        let output = executable.run(&self.options).map_err(|error| error.to_string())?;
        Ok((output.exit, output.stdout))
    }
}

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
