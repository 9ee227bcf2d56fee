//! What regions take of memory: their results run on small stacks, where allocations fail the original does, and arrays for the
//! values of temporaries are no larger than the user allows.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use farkas::report::region_report;
use farkas::{Input, Options, ReadOptions, Strategy, read, show, splice};
use farkas::{Optimized, Template, optimize};
use farkas_machine::Machine;
use farkas_run::{Build, Compiler, Exit, RunOptions};
use farkas_scop::{AssumptionKind, MemoryLimit, Outcome};

/// A program with one region.
fn input(text: &str) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{:?}", input.diagnostics);
    input
}

/// A program with its region replaced, and what came of that.
fn transformed(text: &str, options: &Options) -> (String, Optimized) {
    let input = input(text);
    let region = &input.regions[0];
    let result = optimize(region, options).expect("a result");
    (splice(&input.source, &[(region.span, result.code.clone())]), result)
}

/// What a program prints, and what as messages, that is compiled with some flags, with 4 threads where it has some.
fn outputs(text: &str, flags: &str) -> (String, String) {
    let flags = format!(
        "gcc -std=gnu99 -Wall -Wextra -Werror -O1 -ffp-contract=off -Wno-unknown-pragmas {flags}"
    );
    let compiler: Compiler = flags.parse().expect("a command line");
    let program = match compiler.compile(&Build::text("program.c", text)) {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{}\n{text}", error.note().unwrap_or_default()),
    };
    let run = program.run(&RunOptions::default().threads(4)).expect("it starts");
    assert_eq!(run.exit, Exit::Code(0), "{flags}\n{}\n{text}", run.stderr);
    (run.stdout, run.stderr)
}

/// What a program prints.
fn output(text: &str, flags: &str) -> String {
    outputs(text, flags).0
}

/// The flags of all ways to compile a result.
const WAYS: [&str; 2] = ["-fopenmp", ""];

/// A matrix product.
const PRODUCT: &str = "
enum { N = 150 };
static double A[N][N], B[N][N], C[N][N];
static void product(int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
static void fill(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * j % 7) / 7.0;
      B[i][j] = (i + j) % 5 / 5.0;
      C[i][j] = 0;
    }
}
static void show(void)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += C[i][j] * (1 + (i * 31 + j) % 17);
  printf(\"%a\\n\", sum);
}
";

/// Runs the product in a thread with a stack of 128 KiB, and in a process with one of 1 MiB whose threads have 256 KiB.
fn on_small_stacks() -> String {
    format!(
        "#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
{PRODUCT}
static void *in_thread(void *nothing)
{{
  fill();
  product(N);
  show();
  return nothing;
}}
int main(int argc, char **argv)
{{
  (void)argc;
  if (!getenv(\"OMP_STACKSIZE\")) {{
    struct rlimit stack = {{ 1 << 20, 1 << 20 }};
    if (setrlimit(RLIMIT_STACK, &stack) || setenv(\"OMP_STACKSIZE\", \"256K\", 1))
      return 2;
    execv(\"/proc/self/exe\", argv);
    return 3;
  }}
  in_thread(NULL);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, 128 << 10))
    return 4;
  if (pthread_create(&thread, &attributes, in_thread, NULL) || pthread_join(thread, NULL))
    return 5;
  return 0;
}}
"
    )
}

/// A function and calls of it; `left` allocations succeed, and those that did are counted.
fn with_allocations(function: &str, calls: &[&str]) -> String {
    let calls: String = calls.iter().map(|call| format!("  {call}\n")).collect();
    format!(
        "#include <stdio.h>
#include <stdlib.h>
/* Compilers take it that allocations change no variable. */
static volatile int left = 1000, allocated, held;
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{{
  if (left == 0)
    return NULL;
  left--;
  allocated++;
  held++;
  return __real_malloc(bytes);
}}
void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block)
{{
  held -= block != NULL;
  __real_free(block);
}}
{function}
int main(void)
{{
{calls}  return 0;
}}
"
    )
}

/// The flags under which a program's own allocations are counted.
const COUNTED: &str = "-Wl,--wrap=malloc,--wrap=free";

/// The options for register tiles, on a machine where panels take 2 MB and 256 KiB.
fn in_registers() -> Options {
    let machine = farkas::machine_named("amd-zen4").expect("a machine").machine;
    Options { machine, template: Template::default().with_register_tiles(), ..Options::default() }
}

#[test]
fn packed_operands_need_no_large_stack() {
    let program = on_small_stacks();
    let (text, result) = transformed(&program, &in_registers());
    assert!(result.code.contains("_panel"), "{}", result.code);
    for flags in WAYS {
        let flags = format!("{flags} -pthread");
        assert_eq!(output(&text, &flags), output(&program, &flags));
    }
}

#[test]
fn the_original_runs_where_allocations_fail() {
    let counts = "printf(\"%d %d\\n\", allocated > 0, held);";
    let once = |left: &str| format!("{left} allocated = 0; fill(); product(N); show(); {counts}");
    let calls = [once("left = 1000;"), once("left = 1;"), once("left = 0;")];
    let program = with_allocations(PRODUCT, &calls.each_ref().map(String::as_str));
    for target in [farkas_codegen::Target::OpenMp, farkas_codegen::Target::C] {
        let (text, result) = transformed(&program, &Options { target, ..in_registers() });
        let original = "C[i][j] += A[i][k] * B[k][j];";
        assert_eq!(result.code.matches(original).count(), 1, "{}", result.code);
        for flags in WAYS {
            let flags = format!("{flags} {COUNTED}");
            let sum = output(&program, &flags).lines().next().expect("a sum").to_owned();
            let expected = format!("{sum}\n1 0\n{sum}\n1 0\n{sum}\n0 0\n");
            assert_eq!(output(&text, &flags), expected, "{text}");
        }
    }
}

#[test]
fn a_machine_says_what_stacks_hold() {
    let machine = Machine { stack_bytes: 64 << 20, ..in_registers().machine };
    let (_, large) = transformed(&on_small_stacks(), &Options { machine, ..in_registers() });
    assert!(!large.code.contains("malloc"), "{}", large.code);
    let (_, small) = transformed(&on_small_stacks(), &in_registers());
    assert!(small.code.contains("malloc"), "{}", small.code);
}

/// A program that calls a region for several sizes of matrices.
const SIZES: &str = "#include <stdio.h>
enum { N = 410 };
double A[N][N], B[N][N], C[N][N];
static void f(int n, int m)
{
#pragma scop
  REGION
#pragma endscop
}
static void call(int n, int m)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * j % 7) / 700.0;
      B[i][j] = (i + j) % 5 / 5.0;
      C[i][j] = (i * 3 + j) % 11 / 11.0;
    }
  f(n, m);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += (B[i][j] + C[i][j]) * (1 + (i * 31 + j) % 17);
  printf(\"%.17g\\n\", sum);
}
int main(void)
{
  call(0, 0), call(-3, -50), call(1, 1), call(7, 24), call(25, 25), call(100, 1);
  call(49, 150), call(400, 97), call(350, 410);
  return 0;
}
";

/// Buffers have the rows that sizes need, whatever these are: the sanitizer watches all accesses.
#[test]
fn buffers_have_the_rows_that_sizes_need() {
    let all = "for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < n; k++)";
    let before = all.replace("k < n", "k < i");
    let regions = [
        format!("{all} C[i][j] += A[i][k] * B[k][j];"),
        format!("{before} C[i][j] += A[i][k] * B[k][j];"),
        format!("{all} C[i][j] += A[i][k] * B[k][j];\n  {all} B[i][j] += A[k][i] * C[k][j];"),
    ];
    for region in regions {
        let text = SIZES.replace("REGION", &region);
        let (new, result) = transformed(&text, &in_registers());
        let allocated = "_panel_ = __builtin_malloc(sizeof(double[(__SIZE_TYPE__)(";
        assert!(result.code.contains(allocated), "{}", result.code);
        let flags = "-fopenmp -fsanitize=address,vla-bound -fno-sanitize-recover=all";
        assert_eq!(output(&new, flags), output(&text, flags), "{new}");
    }
}

/// Rows that are computed beside the array that they take the place of: `row` becomes an array of n rows of k. `COLUMNS` is for
/// the columns of `a`.
const ROWS: &str = "
static void rows(long n, long m, long k, double a[n][COLUMNS], double b[COLUMNS][k], double z[n], double row[k])
{
#pragma scop
  if (m > 0)
    for (long r = 0; r < n; r++) {
      for (long p = 0; p < k; p++) {
        row[p] = 0;
        for (long s = 0; s < COLUMNS; s++)
          row[p] += a[r][s] * b[s][p];
      }
      for (long p = 0; p < k; p++)
        z[r] += row[p] * row[p];
    }
#pragma endscop
}
static double mem[4][40000];
static void call(long n, long m, long k)
{
  for (int x = 0; x < 4; x++)
    for (int i = 0; i < 40000; i++)
      mem[x][i] = (i * (x + 3) % 11) / 11.0;
  rows(n, m, k, (void *)mem[0], (void *)mem[1], mem[2], mem[3]);
  double sum = 0;
  for (int x = 0; x < 4; x++)
    for (int i = 0; i < 40000; i++)
      sum += mem[x][i] * (1 + (x * 7 + i) % 17);
  printf(\"%a\\n\", sum);
  fprintf(stderr, \"%d\", allocated);
  allocated = 0;
}
";

/// What the rows print, the region replaced; and how many blocks each call takes.
fn rows(columns: &str, memory: MemoryLimit, calls: &[&str]) -> (Optimized, String) {
    rows_of(&ROWS.replace("COLUMNS", columns), memory, calls)
}

/// The options under which the rows get an array with places for all values.
fn expanding(memory: MemoryLimit) -> Options {
    Options { expand: true, memory, strategy: Strategy::Pluto, ..Options::default() }
}

/// The same of a function.
fn rows_of(function: &str, memory: MemoryLimit, calls: &[&str]) -> (Optimized, String) {
    let program = with_allocations(function, calls);
    let (text, result) = transformed(&program, &expanding(memory));
    let (found, blocks) = outputs(&text, COUNTED);
    assert_eq!(found, output(&program, COUNTED), "{text}");
    (result, blocks)
}

#[test]
fn arrays_for_temporaries_have_a_limit() {
    let calls = [
        // 10,000 elements beside 20,000; beside 400; 900 beside 1,860; none.
        "call(100, 100, 100);",
        "call(100, 1, 100);",
        "call(30, 30, 30);",
        "call(0, 0, 0);",
        // The size is 2^67, in 64 bits zero.
        "call(1L << 33, 0, 1L << 31);",
    ];
    let (result, blocks) = rows("m", MemoryLimit::default(), &calls);
    assert_eq!(blocks, "10100", "{}", result.code);
    let (result, blocks) = rows("m", MemoryLimit::Bytes(1 << 60), &calls);
    assert_eq!(blocks, "11110", "{}", result.code);
}

/// How the one assumption on memory ended.
fn outcome(result: &Optimized) -> &Outcome {
    let [assumption] = result.assumptions.as_slice() else { panic!("{:?}", result.assumptions) };
    assert_eq!(assumption.kind, AssumptionKind::Memory);
    &assumption.outcome
}

#[test]
fn the_limit_is_tested_and_told() {
    let program = with_allocations(&ROWS.replace("COLUMNS", "m"), &[]);
    let (input, options) = (input(&program), expanding(MemoryLimit::default()));
    let region = &input.regions[0];
    let result = optimize(region, &options).expect("a result");
    assert_eq!(outcome(&result), &Outcome::Tested);
    let what = "row_r takes at most 4 times what is touched of the other arrays";
    assert!(result.code.contains(&format!("tested: {what}; no overlap")), "{}", result.code);
    let told = format!("{what} (memory: tested)");
    let explained = farkas::explain::explain(&input, region, &options, &result).expect("a text");
    assert!(explained.contains(&told), "{explained}");
    let basis = (result.basis(region), &result.deps);
    let decided = (result.assumptions.as_slice(), result.remarks.as_slice());
    let report = region_report(&input.source, region, basis, result.scheduled.as_ref(), decided);
    assert!(report.contains(&told), "{report}");
    let shown = show::show(region, show::Stage::Ast, &options).expect("loops");
    let json = show::to_json(&input, &[shown]);
    assert!(json.contains(what) && json.contains("\"outcome\": \"tested\""), "{json}");
}

/// Nothing tests a limit that is granted, but allocations fail as ever, and sizes that are none are not asked for.
#[test]
fn the_limit_is_granted() {
    let calls = [
        "call(100, 100, 100);",
        "call(100, 1, 100);",
        "call(0, 0, 0);",
        "call(1L << 33, 0, 1L << 31);",
        "left = 0; call(100, 100, 100);",
    ];
    let granted = ROWS
        .replace("COLUMNS", "m")
        .replace("#pragma scop", "#pragma farkas assume memory\n#pragma scop");
    let (result, blocks) = rows_of(&granted, MemoryLimit::default(), &calls);
    assert_eq!((outcome(&result), blocks.as_str()), (&Outcome::Granted, "11100"));
    assert!(result.code.contains("granted: row_r takes at most 4 times"), "{}", result.code);
    assert!(!result.code.contains("<= 4 *"), "{}", result.code);
}

#[test]
fn the_limit_is_proved_of_numbers() {
    let numbers = [
        ("COLUMNS", "m"),
        ("r < n", "r < 100"),
        ("p < k", "p < 100"),
        ("[k]", "[100]"),
        ("[n]", "[100]"),
        ("#pragma scop", "(void)n; (void)k;\n#pragma scop"),
    ];
    let of_numbers =
        numbers.iter().fold(ROWS.to_owned(), |text, (from, to)| text.replace(from, to));
    let calls = ["call(100, 1, 100);"];
    let (result, blocks) = rows_of(&of_numbers, MemoryLimit::Bytes(80_000), &calls);
    assert_eq!(blocks, "1", "{}", result.code);
    assert!(matches!(outcome(&result), Outcome::Proved(_)), "{:?}", result.assumptions);
    assert!(!result.code.contains("row_r takes at most"), "{}", result.code);
}

#[test]
fn what_is_too_large_is_not_expanded() {
    let calls = ["call(100, 2, 100);"];
    let (result, blocks) = rows("2", MemoryLimit::default(), &calls);
    assert_eq!((blocks.as_str(), result.code.contains("malloc")), ("0", false), "{}", result.code);
    let told =
        result.session.warnings.iter().any(|w| w.starts_with("temporaries stay where they are"));
    assert!(told, "{:?}", result.session.warnings);
    let (result, blocks) = rows("2", MemoryLimit::Times(1000), &calls);
    assert_eq!(blocks, "1", "{}", result.code);
}

#[test]
fn limits_are_read_and_written() {
    for text in ["512M", "2G", "64K", "100", "4x", "0"] {
        let limit: MemoryLimit = text.parse().expect("a limit");
        assert_eq!(limit.to_string(), text);
    }
    for text in ["", "x", "4 x", "-1", "1T", "99999999999G", "1.5x", "MM", "1KK"] {
        assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
    }
}
