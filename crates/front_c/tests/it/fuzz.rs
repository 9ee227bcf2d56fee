//! Mutated programs: whatever the input, the front end answers, and quickly.

use crate::common::{cases, describe, front_end, messages};
use farkas_front_c::Options;

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % n.max(1)
    }
}

/// What mutations insert.
const WORDS: [&str; 60] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "i",
    "j",
    "n",
    "A",
    "B",
    "0",
    "1",
    "-1",
    "2",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<",
    "<=",
    "!=",
    "==",
    "&&",
    "||",
    "!",
    "?",
    ":",
    "=",
    "+=",
    "++",
    "--",
    "&",
    "|",
    "<<",
    ">>",
    "for (",
    "if (",
    "else",
    "int",
    "unsigned",
    "double",
    "char",
    "while (",
    "break;",
    "return",
    "A[i]",
    "A[n - 1]",
    "i++",
    "i -= 3",
    "9223372036854775807",
    "99999999999999999999",
    "0x7fffffff",
    "1e30",
    "(int)",
    "sizeof(int)",
    "*",
];

/// The words and blanks of a program.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for c in text.chars() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        match pieces.last_mut() {
            Some(last) if word(c) && last.chars().all(word) => last.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

/// The program with some words removed, repeated, exchanged or inserted between its pragmas.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut pieces = pieces(text);
    for _ in 0..=random.below(4) {
        let start = pieces.iter().position(|p| p == "scop").unwrap_or(0);
        let end = pieces.iter().rposition(|p| p == "endscop").unwrap_or(pieces.len());
        let at = start + random.below(end.saturating_sub(start));
        let other = start + random.below(end.saturating_sub(start));
        match random.below(5) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other].clone()),
            2 => pieces.swap(at, other),
            _ => pieces.insert(at, format!(" {} ", WORDS[random.below(WORDS.len())])),
        }
    }
    pieces.concat()
}

#[test]
fn mutated_programs_are_answered() {
    let programs: Vec<(String, String)> =
        cases("accept").into_iter().chain(cases("reject")).collect();
    let rounds: usize = std::env::var("FARKAS_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut accepted = 0;
    for _ in 0..rounds {
        for (name, text) in &programs {
            let text = mutated(text, &mut random);
            let options = Options { auto: random.below(8) == 0, ..Options::default() };
            let start = std::time::Instant::now();
            let (scops, diagnostics) = front_end(&format!("{name}.c"), &text, &options);
            let elapsed = start.elapsed();
            assert!(elapsed.as_secs() < 20, "{elapsed:?} for\n{text}");
            for diagnostic in &diagnostics {
                assert_ne!(
                    diagnostic.id.name(),
                    "internal-error",
                    "{}\n{text}",
                    diagnostic.message
                );
            }
            assert!(diagnostics.is_empty() || !messages(&diagnostics).is_empty());
            for scop in &scops {
                assert!(!describe(scop).is_empty());
                accepted += 1;
            }
        }
    }
    assert!(accepted > 0);
}

#[test]
fn deep_and_long_programs_are_answered() {
    let deep = 20_000;
    let programs = [
        format!("A[0] = {}1{};", "(".repeat(deep), ")".repeat(deep)),
        format!("A[0] = {}1;", "-".repeat(deep).replace("--", "- -")),
        format!("A[0] = 1{};", " + 1".repeat(deep)),
        format!("A[0] = 1{};", " + n".repeat(1500)),
        format!("A[0] = {}0{};", "A[".repeat(deep), "]".repeat(deep)),
        format!("A[0]{} = 1;", "[0]".repeat(deep)),
        format!("{}A[0] = 1;{}", "{".repeat(deep), "}".repeat(deep)),
        format!("{}A[0] = 1;", "if (n) ".repeat(deep)),
        format!("{}A[0] = 1;", "for (int i = 0; i < n; i++) ".repeat(deep)),
        format!("{}1;", "A[0] = ".repeat(deep)),
        format!("A[0] = 1{};", ", A[0] = 1".repeat(2000)),
        format!("A[0] = {}1;", "n ? 1 : ".repeat(deep)),
        format!("A[{}0] = 1;", "*".repeat(deep)),
        format!("for (int i = 0; i < n{}; i++) A[i] = 1;", " && i < n".repeat(300)),
        format!("for (int i = 0; i < n; i++) A[i{}] = 1;", " % 7 / 3 + i".repeat(60)),
        format!(
            "for (int i = 0; i < n; i++) if (i % 2{}) A[i] = 1;",
            " || i % 3 != n % 5".repeat(40)
        ),
    ];
    for program in programs {
        let text =
            format!("void f(int n, double *A)\n{{\n#pragma scop\n{program}\n#pragma endscop\n}}\n");
        let head: String = program.chars().take(60).collect();
        let start = std::time::Instant::now();
        let (_, diagnostics) = front_end("deep.c", &text, &Options::default());
        let elapsed = start.elapsed();
        assert!(elapsed.as_secs() < 60, "{elapsed:?} for {head}");
        assert!(diagnostics.iter().all(|d| d.id.name() != "internal-error"), "{head}");
    }
}
