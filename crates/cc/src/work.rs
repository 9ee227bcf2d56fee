//! Transforming a file: what the process behind a call does.

use crate::job::{Answer, Job};
use farkas::database::Recipes;
use farkas::{
    Error, Options, Piece, Strategy, leave_out, machine_named, parse, pieces, shares,
    splice_with_lines,
};
use farkas_base::{Diagnostic, SourceFile, Span};
use farkas_machine::Machine;
use farkas_poly::counted;
use farkas_scop::Reassociation;
use farkas_tree::NoThreads;
use std::sync::Arc;

/// What the forms of one region may take, in isl operations.
const BUDGET: u64 = 1_000_000;

/// Which updates may run in another order: under `-ffast-math`, as the compiler's macros say, the user does not mind how sums are rounded.
fn reassociation(job: &Job) -> Reassociation {
    let is_permitted = |name| is_defined(&job.preprocessed, name);
    match is_permitted("__FAST_MATH__") || is_permitted("__ASSOCIATIVE_MATH__") {
        true if job.deterministic => Reassociation::Fixed,
        true => Reassociation::Rounded,
        false => Reassociation::Exact,
    }
}

/// Transforms a file. What cannot be transformed stays, with the reason.
pub(crate) fn work(job: &Job) -> Answer {
    if let Some(reason) = unknown_types(&job.preprocessed) {
        return stays(reason);
    }
    let machine = match machine_named(&job.machine) {
        Ok(detected) => narrowed(detected.machine, &job.preprocessed),
        Err(diagnostics) => return stays(first(&diagnostics)),
    };
    let recipes = match job.db.as_deref().map(Recipes::open).transpose() {
        Ok(recipes) => recipes.map(Arc::new),
        Err(diagnostic) => return stays(&diagnostic.message),
    };
    let source = Arc::new(SourceFile::new(job.name.clone(), job.text.clone()));
    let front = farkas_front_c::Options {
        auto: true,
        no_strict_aliasing: !job.strict_aliasing,
        reassociation: reassociation(job),
        effort: job.effort / 2,
        ..farkas_front_c::Options::default()
    };
    let read = || parse(Arc::clone(&source), &job.preprocessed, &front);
    let (input, taken) = counted(job.effort, read);
    if let Some(error) = input.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        return stays(&error.message);
    }
    if input.regions.is_empty() {
        return stays(
            "no loop is one that can be transformed (`farkas explain --auto` lists them)",
        );
    }
    let options = Options {
        strategy: Strategy::Auto,
        machine,
        last_effort: 0,
        budget: BUDGET,
        growth: job.growth.parse().unwrap_or_default(),
        no_threads: (!job.threads).then_some(NoThreads::Asked),
        keeps_lines: true,
        recipes,
        ..Options::default()
    };
    let options = options.of_file(&source);
    // Builds run several compilers at a time: each has one thread.
    let shares = shares(&input.regions, job.effort.saturating_sub(taken));
    let mut all = Vec::new();
    for (region, effort) in input.regions.iter().zip(shares) {
        let options = Options { effort, ..options.clone() };
        all.extend(pieces(input.reading.as_ref(), region, &options));
    }
    leave_out(&mut all, &options);
    let mut done = Done::default();
    all.into_iter().for_each(|piece| done.add(piece));
    let Done { replacements, bugs } = done;
    let n = replacements.len();
    let summary = format!("{n} of {} regions written anew", n.max(input.regions.len()));
    let text = (n > 0).then(|| splice_with_lines(&source, &replacements));
    Answer { text, summary, bugs }
}

/// What became of the regions and their parts.
#[derive(Default)]
struct Done {
    replacements: Vec<(Span, String)>,
    bugs: Vec<String>,
}

impl Done {
    /// Adds what became of one.
    fn add(&mut self, piece: Piece) {
        if let Ok(optimized) = &piece.result {
            self.bugs.extend(optimized.session.diagnostics.iter().map(|d| d.message.clone()));
        }
        match piece.replacement() {
            Ok(replacement) => self.replacements.extend(replacement),
            Err(error) if is_limit(&error) => {}
            Err(error) => self.bugs.push(error.to_string()),
        }
    }
}

/// A file that stays.
fn stays(reason: &str) -> Answer {
    Answer { text: None, summary: reason.to_owned(), bugs: Vec::new() }
}

/// The message of the first of some diagnostics.
fn first(diagnostics: &[Diagnostic]) -> &str {
    diagnostics.first().map_or("there is no such machine", |diagnostic| &diagnostic.message)
}

/// Whether an error is a limit of ours, and no bug.
fn is_limit(error: &Error) -> bool {
    use farkas_base::DiagnosticId as Id;
    match error {
        Error::Refused(_) => true,
        other => other.to_diagnostic().id == Id::TooComplex,
    }
}

/// Why the types of the compiler's target are not those that the tool knows, if so.
fn unknown_types(preprocessed: &str) -> Option<&'static str> {
    if !is_defined(preprocessed, "__GNUC__") {
        return Some("the compiler does not take the extensions of gcc");
    }
    if !is_defined(preprocessed, "__LP64__") {
        return Some("types of the target have other sizes than those of 64-bit Unix systems");
    }
    None
}

/// A machine with the vector registers that the compiler may use for its target, where it may use fewer than the machine has.
fn narrowed(machine: Machine, preprocessed: &str) -> Machine {
    if !is_defined(preprocessed, "__x86_64__") {
        return machine;
    }
    let (width_bytes, registers) = if is_defined(preprocessed, "__AVX512F__") {
        (64, 32)
    } else if is_defined(preprocessed, "__AVX__") {
        (32, 16)
    } else {
        (16, 16)
    };
    let mut narrowed = machine;
    narrowed.vector.width_bytes = narrowed.vector.width_bytes.min(width_bytes);
    narrowed.vector.registers = narrowed.vector.registers.min(registers);
    narrowed
}

/// Whether a macro of the compiler's is defined.
fn is_defined(preprocessed: &str, name: &str) -> bool {
    preprocessed.lines().any(|line| {
        line.strip_prefix("#define ")
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: &str =
        "# 1 \"a.c\"\n#define __GNUC__ 12\n#define __LP64__ 1\n#define __x86_64__ 1\n";

    const SUM: &str = "void f(int n, double a[n][n], double b[n][n]) {\n  for (int j = 0; j < n; j++)\n    for (int i = 0; i < n; i++)\n      a[i][j] = 2 * b[i][j];\n}\n";

    fn job(macros: &str, text: &str) -> Job {
        Job {
            name: "a.c".into(),
            text: text.into(),
            preprocessed: format!("{macros}# 1 \"a.c\"\n{text}"),
            machine: "amd-zen4".into(),
            threads: false,
            deterministic: false,
            strict_aliasing: true,
            effort: 10_000_000,
            growth: "3x".into(),
            db: None,
        }
    }

    #[test]
    fn code_has_the_places_of_the_users() {
        let answer = work(&job(TYPES, SUM));
        let text = answer.text.expect("a better order");
        assert!(text.starts_with("#line 1 \"a.c\"\nvoid f("), "{text}");
        let statement = text.lines().position(|line| line.trim_start().starts_with("a[i][j] = 2"));
        let before = text.lines().nth(statement.expect("the statement") - 1);
        assert_eq!(before, Some("#line 4 \"a.c\""), "{text}");
        assert!(text.ends_with("#line 5 \"a.c\"\n}\n"), "{text}");
        assert!(!text.contains("omp parallel"), "{text}");
        assert!(answer.bugs.is_empty());
    }

    #[test]
    fn what_cannot_be_transformed_stays_with_a_reason() {
        let plain = work(&job(TYPES, "int f(void) { return 1; }\n"));
        assert_eq!(plain.text, None);
        let other = work(&job("# 1 \"a.c\"\n#define __GNUC__ 12\n", SUM));
        assert!(other.text.is_none() && other.summary.contains("64-bit"), "{}", other.summary);
    }

    #[test]
    fn the_target_says_how_wide_vectors_are() {
        let machine = machine_named("amd-zen4").expect("a machine").machine;
        let width = |macros: &str| narrowed(machine.clone(), macros).vector.width_bytes;
        assert_eq!(width("#define __x86_64__ 1\n"), 16);
        assert_eq!(width("#define __x86_64__ 1\n#define __AVX__ 1\n"), 32);
        assert_eq!(width("#define __aarch64__ 1\n"), machine.vector.width_bytes);
    }
}
