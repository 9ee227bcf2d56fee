//! Updates of elements that data chooses, and updates under conditions: programs on threads, in lanes and in parts print what the original
//! prints.

use farkas::{Input, Options, ReadOptions, Strategy, optimize, read, splice};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_run::{Build, Compiler, Exit, RunOptions};
use std::sync::Arc;

/// A function with a region, and what it works on: integers, of which sums are exact.
fn program(parameters: &str, body: &str, arguments: &str) -> String {
    format!(
        "#include <stdio.h>
enum {{ N = 40000, M = 16 }};
static int g[N], k[N], s[M], total[M][3], e, x[N][3];
static short narrow[M];
static unsigned char bits[M], octets[N];
static long bins[M];
static void update(int n, {parameters})
{{
#pragma scop
  {body}
#pragma endscop
}}
int main(void)
{{
  int sizes[] = {{ 0, 1, 5, 1000, N }};
  for (int i = 0; i < N; i++) {{
    g[i] = (i * 37) % 101;
    k[i] = (i * 7919) % 211 - 100;
    octets[i] = (i * 13) % 251;
    for (int j = 0; j < 3; j++)
      x[i][j] = k[i] * (j + 1);
  }}
  for (int run = 0; run < 5; run++) {{
    e = 9;
    for (int j = 0; j < M; j++) {{
      s[j] = bins[j] = narrow[j] = bits[j] = j + run;
      total[j][0] = total[j][1] = total[j][2] = -j;
    }}
    update(sizes[run], {arguments});
    printf(\"%d\", e);
    for (int j = 0; j < M; j++)
      printf(\" %d %ld %d %d %d %d %d\", s[j], bins[j], narrow[j], bits[j], total[j][0], total[j][1], total[j][2]);
    printf(\"\\n\");
  }}
  return 0;
}}
"
    )
}

/// A program, read.
fn input(text: &str) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("a readable program");
    assert!(input.diagnostics.is_empty() && input.regions.len() == 1, "{:?}", input.diagnostics);
    input
}

/// The program with its region replaced.
fn transformed(text: &str, options: &Options) -> String {
    let input = input(text);
    let optimized =
        optimize(&input.regions[0], options).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    splice(&input.source, &[(input.regions[0].span, optimized.code)])
}

/// The options that deal loops out to three parts.
fn in_parts() -> Options {
    follow(r#"{ "plan": "partials", "parts": 3 }, { "plan": "reductions" }"#)
}

/// The options for a recipe of these steps on the original order.
fn follow(steps: &str) -> Options {
    let steps = format!(r#"{{ "step": "schedule", "strategy": "original" }}, {steps}"#);
    let recipe = format!(r#"{{ "recipe": {{ "name": "parts", "steps": [{steps}] }} }}"#);
    let source = Arc::new(SourceFile::new("parts.json", recipe));
    let recipe = Arc::new(RecipeFile::parse(source).expect("a recipe"));
    Options::default().with_recipe(recipe).expect("a strategy")
}

/// What a program prints on some threads.
fn output(text: &str, threads: usize) -> String {
    let compiler: Compiler = "gcc -O2 -w -fopenmp".parse().expect("words");
    let program = compiler.compile(&Build::text("scattered.c", text)).expect("it compiles");
    let output = program.run(&RunOptions::default().threads(threads)).expect("it runs");
    assert_eq!(output.exit, Exit::Code(0), "{}", output.stderr);
    output.stdout
}

/// Parameters, the body, arguments, and what the code in parts has.
const CASES: [(&str, &str, &str, &str); 10] = [
    ("int v", "for (int i = 0; i < n; i++) s[g[i] & 15]++;", "0", "s_part[part][g[i] & 15]"),
    (
        "const int at[n], int c[16]",
        "for (int i = 0; i < n; i++) c[at[i] & 7] = c[at[i] & 7] + k[i];",
        "g, s",
        "if (c_part[part][cell] != 0)",
    ),
    (
        "int v",
        "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) total[octets[i] % M][j] -= x[i][j];",
        "0",
        "total_part[part][cell][j]",
    ),
    ("int v", "for (int i = 0; i < n; i++) bits[g[i] % M] ^= octets[i];", "0", "bits_part"),
    ("int v", "for (int i = 0; i < n; i++) bits[g[i] % M] &= octets[i] | 1;", "0", "bits_part"),
    (
        "unsigned char b[16]",
        "for (int i = 0; i < n; i++) b[g[i] & 15] &= octets[i] | 3;",
        "bits",
        "(unsigned char)-1",
    ),
    (
        "short b[16]",
        "for (int i = 0; i < n; i++) if (octets[i] > b[g[i] & 15]) b[g[i] & 15] = octets[i];",
        "narrow",
        "b_part",
    ),
    ("int v", "for (int i = 0; i < n; i++) if (k[i] > 12) e ^= k[i];", "0", "e_part"),
    ("int v", "for (int i = 0; i < n; i++) if (k[i] > 12) e += k[i] * 9999999;", "0", "e_part"),
    (
        "long b[16]",
        "for (int i = 0; i < n; i++) if (k[i] > 12) b[1] += k[i];",
        "bins",
        "if (b_part[part] != 0)",
    ),
];

#[test]
fn programs_print_what_the_original_prints() {
    for (parameters, body, arguments, has) in CASES {
        let text = program(parameters, body, arguments);
        let expected = output(&text, 1);
        let parts = transformed(&text, &in_parts());
        assert!(parts.contains(has) && parts.contains("omp parallel for"), "{parts}");
        let plain = transformed(&text, &Options { strategy: Strategy::Auto, ..Options::default() });
        for threads in [1, 2, 4] {
            assert_eq!(output(&parts, threads), expected, "{threads} threads: {body}\n{parts}");
            assert_eq!(output(&plain, threads), expected, "{threads} threads: {body}\n{plain}");
        }
    }
}

/// Where data chooses the element, a cell may stay as it began, with what is below all values: it is not greater than an element, but may be equal.
#[test]
fn cells_of_selections_may_stay_as_they_began() {
    let body = |op: &str| {
        format!(
            "for (int i = 0; i < n; i++)
               if (k[i] {op} s[g[i] & 15]) {{ s[g[i] & 15] = k[i]; narrow[g[i] & 15] = 5; }}"
        )
    };
    let of = |op: &str| program("int v", &body(op), "0");
    let strict = transformed(&of(">"), &in_parts());
    assert!(strict.contains("s_part["), "{strict}");
    assert_eq!(output(&strict, 3), output(&of(">"), 1));
    let other = transformed(&of(">="), &in_parts());
    assert!(!other.contains("s_part["), "{other}");
}

/// What planners want is legal: found by the fuzzer.
#[test]
fn plans_are_legal() {
    let steps = r#"{ "plan": "partials", "parts": 2, "block": 1 }, { "plan": "vectors" }, { "plan": "reductions" }"#;
    for body in [
        // What the first loop leaves is combined with the parts of the second one: it has no copies.
        "float s = 3; for (int i = 0; i < n; i++) s = 1; for (int i = 0; i < 2; i++) s += 1; v[0] = s;",
        // What is asked first may leave an element alone that is not there.
        "for (int i = 0; i < n; i++) if (k[i] && x[i][0] > v[1]) { v[1] = x[i][0]; v2[1] = i; }",
        // The element is the second operand, which is evaluated where the first is not true.
        "for (int i = 0; i < n; i++) v[g[i] & 1] = 1 || v[g[i] & 1];",
        // An element becomes one though what it is combined with is neutral.
        "for (int i = 0; i < n; i++) v[g[i] & 1] = 1 && v[g[i] & 1];",
        "for (int i = 0; i < n; i++) s[4 + (g[i] & 3)] = s[4 + (g[i] & 3)] || 0;",
    ] {
        let text = program("int v[2], int v2[2]", body, "s, s + 2");
        let parts = transformed(&text, &follow(steps));
        assert_eq!(output(&parts, 3), output(&text, 1), "{body}\n{parts}");
    }
}
