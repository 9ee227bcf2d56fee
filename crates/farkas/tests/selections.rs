//! The first of the greatest or least values, and what comes with it: programs that keep it in blocks of iterations, on threads, print what
//! the original prints, whatever values there are; what may not be kept so is refused with the reason.

use farkas::{Error, Input, Options, ReadOptions, optimize, read, splice};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_run::{Build, Compiler, Exit, RunOptions};
use std::sync::Arc;

/// Numbers of iterations that make blocks of eight.
const SIZES: &str = "0, 1, 2, 7, 8, 9, 64, 70";

/// A function with a region of one loop, for values of a type.
fn program(ty: &str, begin: &str, body: &str, sizes: &str) -> String {
    format!(
        "#include <math.h>
#include <stdio.h>
static {ty} x[5000], m, A[70][70];
static int at, c[5000], row, column;
static void keep(int n)
{{
#pragma scop
  {body}
#pragma endscop
}}
static void run(int n)
{{
  m = {begin}, at = row = column = -7;
  keep(n);
  printf(\"%.17g %d %d %d %d\\n\", (double)m, signbit((double)m) != 0, at, row, column);
}}
int main(void)
{{
  for (int fill = 0; fill < 9; fill++) {{
    for (int i = 0; i < 5000; i++) {{
      double values[] = {{ (i * 37) % 91 - 45, i, -i, 3, 0.0 * (i % 2 ? 1 : -1), i % 3 ? NAN : i % 7,
                          i == 4999 ? 1 : -INFINITY, -INFINITY, NAN }};
      double value = values[fill];
      x[i] = ({ty})1 / 2 != 0 ? value : isfinite(value) ? value : -2147483647;
      c[i] = i % 5;
    }}
    for (int i = 0; i < 70; i++)
      for (int j = 0; j < 70; j++)
        A[i][j] = x[70 * i + j];
    int sizes[] = {{ {sizes} }};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
      run(sizes[i]);
  }}
  return 0;
}}
"
    )
}

/// Blocks of eight iterations, on threads.
const BLOCKS: &str = r#"{ "step": "schedule", "strategy": "original" },
    { "step": "tile", "loop": "S0.1", "sizes": [8] },
    { "step": "privatise", "loop": "S0.1", "stmt": "S0" },
    { "step": "mark", "loop": "S0.1", "as": "parallel" }"#;

/// A program, read.
fn input(text: &str) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("a readable program");
    assert!(input.diagnostics.is_empty() && input.regions.len() == 1, "{:?}", input.diagnostics);
    input
}

/// The program with its region in blocks, or the messages.
fn in_blocks(text: &str) -> Result<String, String> {
    by_steps(text, BLOCKS)
}

/// The program with its region after some steps, or the messages.
fn by_steps(text: &str, steps: &str) -> Result<String, String> {
    let recipe = format!(r#"{{ "recipe": {{ "name": "r", "steps": [{steps}] }} }}"#);
    let source = Arc::new(SourceFile::new("r.json", recipe));
    let recipe = Arc::new(RecipeFile::parse(source).expect("a recipe"));
    let options = Options::default().with_recipe(recipe).expect("a strategy");
    let input = input(text);
    match optimize(&input.regions[0], &options) {
        Ok(optimized) => Ok(splice(&input.source, &[(input.regions[0].span, optimized.code)])),
        Err(Error::Refused(found)) => Err(found.iter().map(|d| d.message.clone()).collect()),
        Err(other) => Err(other.to_string()),
    }
}

/// What a program prints on some threads.
fn output(text: &str, threads: usize) -> String {
    let compiler: Compiler = "gcc -O2 -w -fopenmp".parse().expect("words");
    let program = compiler.compile(&Build::text("selections.c", text)).expect("it compiles");
    let linked = RunOptions::default().threads(threads);
    let output = program.run(&linked).expect("it runs");
    assert_eq!(output.exit, Exit::Code(0), "{}", output.stderr);
    output.stdout
}

#[test]
fn blocks_keep_what_the_original_keeps() {
    let cases = [
        ("double", "-1", "for (int i = 0; i < n; i++) if (x[i] > m) { m = x[i]; at = i; }"),
        ("float", "-INFINITY", "for (int i = 0; i < n; i++) if (m < x[i]) { at = i; m = x[i]; }"),
        ("double", "1", "for (int i = 0; i < n; i++) if (x[i] < m) { m = x[i]; at = i; row = 1; }"),
        ("double", "NAN", "for (int i = 0; i < n; i++) if (x[i] < m) { m = x[i]; at = i; }"),
        ("double", "0.0", "for (int i = 0; i < n; i++) if (x[i] > m) { m = x[i]; at = i; }"),
        ("int", "-5", "for (int i = 0; i < n; i++) if (x[i] >= m) { m = x[i]; at = i; }"),
        ("long", "5", "for (int i = 0; i < n; i++) if (m >= x[i]) { m = x[i]; at = i; }"),
        ("signed char", "-128", "for (int i = 0; i < n; i++) if (x[i] > m) { m = x[i]; at = i; }"),
        (
            "double",
            "-9",
            "for (int i = 0; i < n; i++) if (c[i] > 1 && x[i] > m) { m = x[i]; at = i; }",
        ),
        (
            "float",
            "-9",
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
               if (A[i][j] > m) { m = A[i][j]; row = i; column = j; }",
        ),
        (
            "int",
            "9",
            "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++)
               if (A[i][j] <= m) { m = A[i][j]; row = i; column = j; }",
        ),
    ];
    for (ty, begin, body) in cases {
        let text = program(ty, begin, body, SIZES);
        let blocks = in_blocks(&text).unwrap_or_else(|e| panic!("{body}: {e}"));
        assert!(blocks.contains("m_part[") && blocks.contains("omp parallel for"), "{blocks}");
        let expected = output(&text, 1);
        for threads in [1, 2, 4] {
            assert_eq!(output(&blocks, threads), expected, "{ty}, {threads} threads: {body}");
        }
    }
}

/// The innermost loop, asked whether anything changes.
const ASKED: &str = r#"{ "step": "schedule", "strategy": "original" },
    { "step": "mark", "loop": "S0.-1", "as": "rare" }"#;

#[test]
fn what_rarely_changes_is_what_the_original_leaves() {
    let cases = [
        ("double", "-1", "for (int i = 0; i < n; i++) if (x[i] > m) { m = x[i]; at = i; }"),
        ("double", "NAN", "for (int i = 0; i < n; i++) if (x[i] < m) { m = x[i]; at = i; }"),
        ("double", "-9", "for (int i = 0; i < n; i++) if (x[i] >= m) { m = x[i]; at = i; }"),
        ("int", "-5", "for (int i = 0; i < n; i++) if (x[i] >= m) { m = x[i]; at = i; }"),
        ("signed char", "-128", "for (int i = 0; i < n; i++) if (x[i] > m) { m = x[i]; at = i; }"),
        ("double", "0.0", "for (int i = 0; i < n; i++) if (x[i] > m) m = x[i];"),
        ("double", "-0.0", "for (int i = 0; i < n; i++) if (x[i] <= m) m = x[i];"),
        ("float", "NAN", "for (int i = 0; i < n; i++) m = x[i] > m ? x[i] : m;"),
        ("float", "3", "for (int i = 0; i < n; i++) m = x[i] > m ? m : x[i];"),
        ("double", "-9", "for (int i = 0; i < n; i++) m = m > x[i] ? m : x[i];"),
        ("double", "-9", "for (int i = 0; i < n; i++) if (fabs(x[i]) > m) m = fabs(x[i]);"),
        (
            "double",
            "-9",
            "for (int i = 3; i <= n; i++) if (c[i] > 1 && x[i] > m) { m = x[i]; at = i; }",
        ),
        (
            "float",
            "-9",
            "for (int i = 0; i < n % 71; i++) for (int j = 0; j < n % 71; j++)
               if (A[i][j] > m) { m = A[i][j]; row = i; column = j; }",
        ),
    ];
    for (ty, begin, body) in cases {
        let text = program(ty, begin, body, "0, 1, 63, 64, 65, 70, 127, 128, 129, 1000, 4999");
        let asked = by_steps(&text, ASKED).unwrap_or_else(|e| panic!("{body}: {e}"));
        assert!(asked.contains("farkas_any |= "), "{asked}");
        assert_eq!(output(&asked, 1), output(&text, 1), "{ty}: {body}");
    }
}

#[test]
fn what_changes_often_is_not_asked() {
    for body in ["m += x[i];", "if (c[i]) m = x[i];", "if (x[i] > m) c[i] = 1;"] {
        let text = program("double", "0", &format!("for (int i = 0; i < n; i++) {body}"), SIZES);
        let refused = by_steps(&text, ASKED).expect_err(body);
        assert!(
            refused.contains("its statements do more than to keep the least or greatest"),
            "{refused}"
        );
    }
}

#[test]
fn what_may_not_be_kept_in_blocks_is_refused() {
    let cases = [
        // Of equal values the last one is kept: a block without any would be taken for one with the least of all.
        ("double", "if (x[i] >= m) { m = x[i]; at = i; }"),
        ("int", "if (c[i] > 1 && x[i] >= m) { m = x[i]; at = i; }"),
        // What is kept is rounded, and compared before that.
        ("float", "if (x[i] * 2.0 > m) { m = x[i] * 2.0; at = i; }"),
        // Another value than the one that is compared.
        ("double", "if (x[i] > m) { m = c[i]; at = i; }"),
        // What comes with it is read, computed from what is kept, or counted.
        ("double", "if (x[i] > m) { m = x[i]; at = c[i]; }"),
        ("double", "if (x[i] > m) { m = x[i]; at = row; row = i; }"),
        ("double", "if (x[i] > m) { m = x[i]; at++; }"),
        // What is asked first depends on what is kept.
        ("double", "if (at < 9 && x[i] > m) { m = x[i]; at = i; }"),
        // Nothing is kept where it does not compare so, but for this.
        ("double", "if (x[i] > m) { m = x[i]; at = i; } else at = 0;"),
    ];
    for (ty, body) in cases {
        let text = program(ty, "0", &format!("for (int i = 0; i < n; i++) {body}"), SIZES);
        let refused = in_blocks(&text).expect_err(body);
        assert!(refused.contains("does not apply"), "{body}: {refused}");
    }
}
