//! Partial results in cells of their own: the same bits from run to run and for any number of threads.

use crate::common::transformed;
use crate::{options, program};
use farkas::{Options, Strategy, optimize, splice};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_run::{Build, Compiler, Exit, RunOptions};
use farkas_scop::Reassociation;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Sums, products, least and greatest values, of which rounding shows the order in which they are combined.
const PROGRAM: &str = r#"#include <stdio.h>
enum { N = 20011, M = 7 };
static double x[N], y[N], A[N][M], c[M], s, p, least;
static float z[N], total[M];
static int k[N], sum;

static void part_s(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
#pragma endscop
}

static void part_p(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    p = (1 + x[i] / 1000) * p;
#pragma endscop
}

static void part_c(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++)
      c[j] -= A[i][j];
#pragma endscop
}

static void part_total(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    total[3] = total[3] + z[i];
#pragma endscop
}

static void part_least(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    least = x[i] < least ? x[i] : least;
#pragma endscop
}

static void part_sum(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    sum += k[i];
#pragma endscop
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = (i * 7919l % 10007) / 10007.0 - 0.5;
    y[i] = (i * 104729l % 9973) / 9973.0;
    z[i] = (i * 1299709l % 8191) / 8191.0f;
    k[i] = (i % 2 ? -1 : 1) * (1073741824 - i);
    for (int j = 0; j < M; j++)
      A[i][j] = x[i] * (j + 1) / 3;
  }
  for (int run = 0; run < 100; run++) {
    s = sum = least = 0;
    p = 1;
    for (int j = 0; j < M; j++)
      c[j] = total[j] = 0;
    part_s(N), part_p(N), part_c(N), part_total(N), part_least(N), part_sum(N);
    printf("%a %a %a %a %d", s, p, least, (double)total[3], sum);
    for (int j = 0; j < M; j++)
      printf(" %a", c[j]);
    printf("\n");
  }
  return 0;
}
"#;

/// Tiles of 64 with a partial result each, on threads.
const RECIPE: &str = r#"{ "recipe": { "name": "partials", "steps": [
    { "step": "tile", "loop": "S0.1", "sizes": [64] },
    { "step": "privatise", "loop": "S0.1", "stmt": "S0" },
    { "step": "mark", "loop": "S0.1", "as": "parallel" }
] } }"#;

/// The program as strategies make it where results are to be the same always.
fn deterministic(strategy: Strategy) -> String {
    let input = program(PROGRAM, Reassociation::Fixed);
    let text = transformed(&input, &options(strategy)).expect("a result");
    assert!(text.contains("_part[") && text.contains("#pragma omp parallel for"), "{text}");
    assert!(text.contains("farkas_held += farkas_lanes[farkas_lane];"), "{text}");
    text
}

/// The program with partial results.
fn with_partial_results() -> String {
    let input = program(PROGRAM, Reassociation::Rounded);
    assert_eq!(input.regions.len(), 6);
    let recipe = RecipeFile::parse(Arc::new(SourceFile::new("partials.json", RECIPE)));
    let options = Options::default().with_recipe(Arc::new(recipe.expect("a recipe")));
    let options = options.expect("a strategy");
    let mut replacements = Vec::new();
    for region in &input.regions {
        let code = optimize(region, &options).unwrap_or_else(|e| panic!("{e:?}")).code;
        assert!(code.contains("_part[") && code.contains("#pragma omp parallel for"), "{code}");
        replacements.push((region.span, code));
    }
    splice(&input.source, &replacements)
}

/// What a text prints with so many threads, each line once.
fn lines(text: &str, threads: usize) -> BTreeSet<String> {
    let compiler: Compiler = "gcc -O2 -w -ffp-contract=off -fopenmp".parse().expect("words");
    let program = compiler.compile(&Build::text("partials.c", text)).expect("it compiles");
    let output = program.run(&RunOptions::default().threads(threads)).expect("it runs");
    assert_eq!(output.exit, Exit::Code(0), "{}", output.stderr);
    assert_eq!(output.stdout.lines().count(), 100);
    output.stdout.lines().map(str::to_owned).collect()
}

/// One result over 100 runs and for one to four threads, which is not that of the original's order.
fn check_same_bits(text: &str) {
    let expected = lines(text, 1);
    assert_eq!(expected.len(), 1, "{expected:?}");
    assert_ne!(lines(PROGRAM, 1), expected, "nothing shows the order");
    for threads in 2..=4 {
        assert_eq!(lines(text, threads), expected, "{threads} threads");
    }
}

#[test]
fn partial_results_have_the_same_bits_always() {
    check_same_bits(&with_partial_results());
}

#[test]
fn deterministic_results_have_the_same_bits_always() {
    check_same_bits(&deterministic(Strategy::Pluto));
    check_same_bits(&deterministic(Strategy::Auto));
}
