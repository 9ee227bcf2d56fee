//! Strategy `auto` takes the form that the machine model finds fastest, among them the original, and does as it is told.

mod common;

use common::repository;
use farkas::{Optimized, TileSizes, optimize};
use farkas::{Options, Ranking, ReadOptions, Strategy, Work, machine_named, read, splice};
use farkas_machine::Machine;
use farkas_run::{Build, Compiler, RunOptions};
use farkas_scop::ArrayScope;
use farkas_tree::NoThreads;

/// The options of `farkas opt` on a machine that is always the same.
fn auto() -> Options {
    Options { strategy: Strategy::Auto, machine: Machine::generic(), ..Options::default() }
}

/// The first region of a program of `kernels/`, optimised.
fn kernel(name: &str, options: &Options) -> Optimized {
    let path = repository().join("kernels").join(format!("{name}.c"));
    let input = read(&path, &ReadOptions::default()).expect("a readable file");
    optimize(&input.regions[0], options).expect("code")
}

/// The first region of a text, optimised.
fn text(text: &str, options: &Options) -> Optimized {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.c");
    std::fs::write(&path, text).expect("a file");
    let input = read(&path, &ReadOptions::default()).expect("a readable file");
    optimize(&input.regions[0], options).expect("code")
}

fn ranking(optimized: &Optimized) -> &Ranking {
    optimized.ranking.as_ref().expect("a ranking")
}

/// The form that is emitted.
fn chosen(optimized: &Optimized) -> &str {
    let chosen: Vec<&str> =
        ranking(optimized).forms.iter().filter(|f| f.is_chosen).map(|f| f.name.as_str()).collect();
    assert_eq!(chosen.len(), 1, "{chosen:?}");
    chosen[0]
}

#[test]
fn the_cheapest_form_is_emitted_and_the_original_is_one_of_them() {
    for name in ["gemm", "jacobi-2d", "atax", "lu", "trisolv", "floyd-warshall"] {
        let optimized = kernel(name, &auto());
        let forms = &ranking(&optimized).forms;
        let cycles: Vec<f64> = forms.iter().map(|form| form.estimate.cycles()).collect();
        assert!(cycles.is_sorted() && forms.len() > 2, "{name}: {cycles:?}");
        // Of what costs the same, as far as samples tell, the form is taken that was found first.
        let chosen = forms.iter().position(|form| form.is_chosen);
        let is_cheap = chosen.is_some_and(|at| cycles[at] <= 1.1 * cycles[0]);
        assert!(is_cheap, "{name}: {}", ranking(&optimized));
        assert!(forms.iter().any(|form| form.name == "original"), "{name}");
        let again = kernel(name, &auto());
        assert_eq!(ranking(&again).forms, *forms, "{name}: another time");
    }
}

#[test]
fn bounds_that_fit_no_machine_word_are_no_obstacle() {
    // The greatest `2 * n + 1` of a `size_t` needs 64 bits without a sign: as a loop's bound, and in a subscript's domain once
    // sizes are numbers.
    let region = "#pragma scop\n  for (size_t i = 0; i <= 2 * n + 1; i++)\n    s[i] = i;\n\
                  out[k] = 1;\n#pragma endscop\n";
    for start in ["out + n + 1", "out + 3 * k + n"] {
        let wide = format!(
            "#include <stddef.h>\nvoid f(size_t k, size_t n, double *out) {{\n  \
             double *s = {start};\n{region}}}\n"
        );
        assert!(!ranking(&text(&wide, &auto())).forms.is_empty(), "{start}");
    }
}

#[test]
fn loops_without_arrays_have_forms() {
    let loops = "double s;\nvoid f(int n) {\n#pragma scop\n  for (int i = 0; i < 8; i++)\n    \
                 for (int j = 0; j < 3; j++)\n      s /= 2;\n#pragma endscop\n}\n";
    let fusion = Some(farkas_schedule::FusionHeuristic::Cluster);
    assert!(!ranking(&text(loops, &Options { fusion, ..auto() })).forms.is_empty());
}

#[test]
fn temporaries_do_not_stand_in_the_way_of_products() {
    for name in ["ludcmp", "symm", "doitgen"] {
        let optimized = kernel(name, &auto());
        assert!(chosen(&optimized).contains("expanded"), "{}", ranking(&optimized));
        assert!(optimized.scop.arrays().iter().any(|a| a.scope == ArrayScope::Buffer), "{name}");
    }
}

#[test]
fn products_are_packed() {
    let optimized = kernel("gemm", &auto());
    assert!(optimized.scop.arrays().iter().any(|a| a.scope == ArrayScope::Buffer));
}

#[test]
fn what_uses_most_of_the_machine_ends_the_search() {
    let machine = machine_named("amd-zen4").expect("a shipped machine").machine;
    let optimized = kernel("gemm", &Options { machine, ..auto() });
    let forms = &ranking(&optimized).forms;
    assert!(forms[0].estimate.part_of_peak() >= 0.5, "{}", ranking(&optimized));
    assert!(forms.iter().all(|form| !form.name.contains("locality")), "{}", ranking(&optimized));
}

#[test]
fn threads_that_cost_much_are_tried_without() {
    let optimized = text(SOLVER, &auto());
    let forms = &ranking(&optimized).forms;
    let alone = forms.iter().find(|form| form.name.ends_with(", one core")).expect("a form");
    assert!(alone.estimate.threads == 0.0, "{}", ranking(&optimized));
    let name = alone.name.trim_end_matches(", one core");
    let threads = forms.iter().find(|form| form.name == name).expect("a form");
    assert!(threads.estimate.threads > 0.2 * threads.estimate.cycles(), "{}", ranking(&optimized));
    let serial = text(SOLVER, &Options { no_threads: Some(NoThreads::Dear), ..auto() });
    assert!(!serial.code.contains("#pragma omp parallel"), "{}", serial.code);
}

#[test]
fn each_form_of_the_ranking_can_be_had() {
    let best = kernel("jacobi-2d", &auto());
    let n_forms = ranking(&best).forms.len();
    assert!(n_forms > 2);
    for rank in [1, 2, n_forms, n_forms + 7] {
        let optimized = kernel("jacobi-2d", &Options { rank: Some(rank), ..auto() });
        let forms = &ranking(&optimized).forms;
        let place = forms.iter().position(|form| form.is_chosen).expect("a form");
        assert_eq!(place + 1, rank.min(n_forms), "{}", ranking(&optimized));
    }
}

#[test]
fn work_is_counted_and_bounded() {
    for name in ["trmm", "jacobi-2d"] {
        let optimized = kernel(name, &auto());
        let Work { operations, limit } = ranking(&optimized).work;
        assert!(operations > 1000 && operations <= limit, "{name}: {operations} of {limit}");
        let passes = optimized.session.times.passes().iter();
        let most: u64 = passes.map(|pass| pass.operations).sum();
        assert!(operations <= most, "{name}: {operations} of {most} in passes");
    }
}

#[test]
fn whatever_the_budget_there_is_code() {
    for budget in [0, 1, 500, 3000, 10_000, 50_000, 200_000] {
        let optimized = kernel("trmm", &Options { budget, ..auto() });
        assert!(optimized.code.contains("B[i][j]"), "{budget}: {}", optimized.code);
        if let Some(ranking) = &optimized.ranking {
            assert!(ranking.work.operations <= budget, "{budget}: {ranking}");
        }
    }
}

#[test]
fn a_matrix_that_two_nests_read_comes_in_once_on_one_core() {
    let machine = Machine { cores: 1, ..Machine::generic() };
    for name in ["atax", "bicg"] {
        let optimized = kernel(name, &Options { machine: machine.clone(), ..auto() });
        assert_eq!(chosen(&optimized), "original, register tiles", "{name}");
        assert!(optimized.code.contains("unroll 8"), "{}", optimized.code);
    }
}

#[test]
fn loops_that_wait_for_one_iteration_are_split() {
    let optimized = kernel("floyd-warshall", &auto());
    assert_eq!(chosen(&optimized), "original, parallel", "{}", ranking(&optimized));
    assert!(optimized.code.contains("#pragma omp simd"), "{}", optimized.code);
}

#[test]
fn what_is_small_stays_as_it_is() {
    let small = "double A[6][6]; void f(void) {\n#pragma scop\nfor (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) A[i][j] = 2 * A[i][j];\n#pragma endscop\n}\n";
    let optimized = text(small, &auto());
    assert_eq!(chosen(&optimized), "original");
    assert!(!optimized.code.contains("#pragma omp"), "{}", optimized.code);
    let large = small.replace('6', "3000");
    assert!(text(&large, &auto()).code.contains("#pragma omp parallel for"));
}

/// What a triangular solver does, with a recurrence in the place of its sums, which have register tiles and lanes: threads pay where it is
/// large.
const SOLVER: &str = r#"#include <stdio.h>
#include <stdlib.h>
void solve(int n, unsigned L[n][n], unsigned *x, unsigned *b)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] = 3 * x[i] - L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
#pragma endscop
}
int main(int argc, char **argv)
{
  int n = atoi(argv[1]);
  unsigned (*L)[n] = malloc(sizeof(unsigned[n][n]));
  unsigned *x = malloc(n * sizeof *x), *b = malloc(n * sizeof *b), sum = 0u;
  for (int i = 0; i < n; i++) {
    b[i] = 1 + i % 7;
    for (int j = 0; j < n; j++)
      L[i][j] = i == j ? 3 : (i * 5 + j * 3) % 11;
  }
  solve(n, L, x, b);
  for (int i = 0; i < n; i++)
    sum += x[i] * (i % 5 + 1);
  printf("%u\n", sum);
  return 0;
}
"#;

/// What a program prints.
fn output(source: &str, size: i64) -> String {
    let compiler: Compiler = "gcc -O2 -fopenmp -ffp-contract=off".parse().expect("a command");
    let program = compiler.compile(&Build::text("solver.c", source)).expect("it compiles");
    assert_eq!(program.messages(), "");
    let options = RunOptions { arguments: vec![size.to_string()], ..RunOptions::default() };
    program.run(&options.threads(3)).expect("it runs").stdout
}

#[test]
fn where_sizes_decide_both_versions_are_emitted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("solver.c");
    std::fs::write(&path, SOLVER).expect("a file");
    let input = read(&path, &ReadOptions::default()).expect("a readable file");
    let optimized = optimize(&input.regions[0], &auto()).expect("code");
    let works = &ranking(&optimized).works;
    let is_enough = |n: i64| works.iter().any(|work| work.holds(&|_| Some(n)) == Some(true));
    let most = (0..10_000).find(|n| is_enough(n + 1)).expect("threads pay for large sizes");
    assert!(optimized.code.contains("if ((double)n * n > "), "{}", optimized.code);
    let both = splice(&input.source, &[(input.regions[0].span, optimized.code.clone())]);
    for size in [0, 100, most, most + 1, most + most / 2] {
        assert_eq!(output(&both, size), output(SOLVER, size), "n = {size}");
    }
}

#[test]
fn what_the_user_says_counts() {
    let untiled = Options { template: auto().template.tiled(TileSizes::none()), ..auto() };
    let sizes = TileSizes::new(vec![vec![7, 9, 11]]).expect("positive sizes");
    let sized = Options { template: auto().template.tiled(sizes).tiled_for_reuse(false), ..auto() };
    let optimized = kernel("lu", &untiled);
    assert!(ranking(&optimized).forms.iter().all(|form| !form.name.contains("of 32")));
    assert!(!optimized.code.contains("it +="), "{}", optimized.code);
    let code = kernel("lu", &sized).code;
    assert!(["+= 7)", "+= 9)", "+= 11)"].iter().any(|step| code.contains(step)), "{code}");
}

/// Loops that never run are in the way of no form of the normal form.
#[test]
fn loops_may_never_run() {
    let program = "void f(int n, double A[20][20], double B[20], double s)
{
#pragma scop
  for (int t = 0; t < 8; t++) {
    for (int i = t + 2; i < 8; i++) {
      for (int l = i + 2; l < t + 3; l++)
        B[t + 2] = B[t] * B[l + 1];
      if (3 * i != 10)
        for (int k = i; k < t; k += 2)
          A[t][k + 2] = s;
    }
    A[t][t + 1] = 0.5 * s;
  }
#pragma endscop
}
";
    for normalize in [false, true] {
        let found = text(program, &Options { normalize, ..auto() });
        assert!(!ranking(&found).forms.is_empty());
    }
}
