//! What is taken for granted holds where it is used: programs are compiled with the tests that are emitted in front of their
//! regions, called as they may be and as they should not, and print what the original prints. Which branch runs is counted.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use farkas::TileSizes;
use farkas::{Input, Options, ReadOptions, Strategy, read, splice};
use farkas::{Template, optimize};
use farkas_run::{Build, Compiler, Exit, RunOptions};
use farkas_scop::{AssumptionKind, Outcome};

/// What counts branches, and prints arrays.
const HEAD: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int fast, slow;
static double mem[400];
static void fill(void) { for (int i = 0; i < 400; i++) mem[i] = 1.0 / (i + 1); }
static void show(const char *what)
{
  unsigned long long hash = 0, bits;
  for (int i = 0; i < 400; i++) memcpy(&bits, mem + i, sizeof bits), hash = hash * 31 + bits;
  printf(\"%s %llx\\n\", what, hash);
  fprintf(stderr, \"%s\", fast ? slow ? \"?\" : \"+\" : slow ? \"-\" : \"\");
  fast = slow = 0;
  fill();
}
";

/// A function with a region, and calls of it; each call says in a comment whether the fast branch runs.
struct Case<'a> {
    function: &'a str,
    calls: &'a [(&'a str, Branch)],
}

/// The branch that a call takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Branch {
    Fast,
    Slow,
}
use Branch::{Fast, Slow};

/// The program of a case, read, with what the user grants.
fn program(case: &Case<'_>, grants: &[&str]) -> Input {
    let calls = case.calls.iter().map(|(call, _)| format!("  {call} show(\"{call}\");\n"));
    let calls: String = calls.collect();
    let text =
        format!("{HEAD}{}\nint main(void)\n{{\n  fill();\n{calls}  return 0;\n}}\n", case.function);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("written");
    let mut options = ReadOptions::default();
    options.front.grants = grants.iter().map(|text| text.parse().expect("a grant")).collect();
    let input = read(&path, &options).expect("a readable program");
    assert!(!input.has_errors() && !input.regions.is_empty(), "{:?}", input.diagnostics);
    input
}

/// What a program prints, and which branches it took; what the sanitizer finds is a failure.
fn output(text: &str) -> (String, String) {
    let flags = "gcc -std=gnu99 -Wall -Wextra -Werror -O1 -fopenmp -ffp-contract=off \
                 -Wno-unknown-pragmas -fsanitize=undefined -fno-sanitize-recover=undefined";
    let compiler: Compiler = flags.parse().expect("a command line");
    let program = match compiler.compile(&Build::text("program.c", text)) {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{}\n{text}", error.note().unwrap_or_default()),
    };
    let run = program.run(&RunOptions::default().threads(3)).expect("it starts");
    assert_eq!(run.exit, Exit::Code(0), "{}\n{text}", run.stderr);
    (run.stdout, run.stderr)
}

/// The program with its regions replaced, and branches counted.
fn transformed(input: &Input, options: &Options) -> String {
    let counted = input.regions.iter().map(|region| {
        let code = optimize(region, options).expect("a result").code;
        // What is allocated or read before the region stands in a block of its own.
        let has_own = code.contains("__builtin_malloc") || !region.host.taken.is_empty();
        let block = if has_own { "  " } else { "" };
        let otherwise = format!("\n{}{block}}} else {{\n", region.host.indent);
        assert_eq!(
            code.matches(&otherwise).count(),
            usize::from(code.contains("tested:")),
            "{code}"
        );
        let code = code.replace(&otherwise, &format!("{otherwise}slow++;\n"));
        (region.span, code.replacen("/* farkas: strategy", "fast++; /* farkas: strategy", 1))
    });
    splice(&input.source, &counted.collect::<Vec<_>>())
}

/// Ways to transform a region.
fn ways() -> Vec<Options> {
    let untiled =
        Options { template: Template::default().tiled(TileSizes::none()), ..Options::default() };
    let tile = TileSizes::new(vec![vec![4, 8]]).expect("sizes");
    let tiled = Options {
        template: Template::default().tiled(tile).tiled_for_reuse(false),
        ..Options::default()
    };
    let local = Strategy::from_name("locality-cpu").expect("a strategy");
    let Strategy::File(file) = &local else { panic!("a file") };
    let local = Options {
        strategy: local.clone(),
        template: Template::default().with_register_tiles(),
        ..Options::default()
    }
    .with_file(file);
    vec![untiled, tiled, local]
}

/// The case computes what it did before, by the branches that it names.
fn check(case: &Case<'_>) {
    let input = program(case, &[]);
    let (expected, _) = output(input.source.text());
    let branches: String =
        case.calls.iter().map(|(_, branch)| if *branch == Fast { "+" } else { "-" }).collect();
    for options in ways() {
        let text = transformed(&input, &options);
        let (found, taken) = output(&text);
        assert_eq!(found, expected, "{text}");
        assert_eq!(taken, branches, "{}\n{text}", case.function);
    }
}

const SHIFT: Case<'_> = Case {
    function: "static void shift(int n, double *o, double *x)
{
#pragma scop
  for (int i = 1; i < n; i++)
    o[i] = 2 * x[i - 1] + 1;
#pragma endscop
}",
    calls: &[
        ("shift(100, mem, mem + 200);", Fast),
        ("shift(100, mem, mem);", Slow),
        ("shift(100, mem + 1, mem);", Slow),
        ("shift(100, mem, mem + 1);", Slow),
        // o[1] to o[99] and x[0] to x[98] lie next to each other.
        ("shift(100, mem, mem + 100);", Fast),
        ("shift(100, mem + 98, mem);", Fast),
        ("shift(100, mem + 97, mem);", Slow),
        ("shift(0, mem, mem);", Fast),
        ("shift(1, NULL, NULL);", Fast),
        ("shift(-7, mem, mem);", Fast),
    ],
};

#[test]
fn pointers_may_overlap() {
    check(&SHIFT);
}

#[test]
fn negative_strides_and_ranks() {
    check(&Case {
        function: "static void back(int n, int m, double o[n][m], double *x)
{
#pragma scop
  for (int i = n - 1; i >= 0; i -= 2)
    for (int j = m - 1; j >= 0; j--)
      o[i][j] += x[m - 1 - j] * 3;
#pragma endscop
}",
        calls: &[
            ("back(10, 10, (double (*)[10])mem, mem + 200);", Fast),
            ("back(10, 10, (double (*)[10])mem, mem + 100);", Fast),
            ("back(10, 10, (double (*)[10])mem, mem + 99);", Slow),
            ("back(10, 10, (double (*)[10])(mem + 20), mem);", Fast),
            // The last row that runs is the second.
            ("back(10, 10, (double (*)[10])(mem + 20), mem + 20);", Fast),
            ("back(10, 10, (double (*)[10])(mem + 20), mem + 21);", Slow),
            ("back(0, 10, (double (*)[10])mem, mem);", Fast),
        ],
    });
}

#[test]
fn sizes_of_elements_differ() {
    check(&Case {
        function: "static void mixed(int n, double *o, char *x)
{
#pragma scop
  for (int i = 0; i < n; i++)
    o[i] = o[i] / 2 + (x[i] & 1);
#pragma endscop
}",
        calls: &[
            ("mixed(64, mem, (char *)(mem + 64));", Fast),
            ("mixed(64, mem + 8, (char *)mem);", Fast),
            ("mixed(65, mem + 8, (char *)mem);", Slow),
            ("mixed(64, mem, (char *)mem + 511);", Slow),
        ],
    });
}

#[test]
fn equal_addresses_where_the_order_allows() {
    check(&Case {
        function: "static void rmsnorm(int n, double *o, double *x, double *w)
{
  double ss = 0;
#pragma scop
  for (int j = 0; j < n; j++)
    ss += x[j] * x[j];
  for (int j = 0; j < n; j++)
    o[j] = w[j] * (x[j] / (1 + ss));
#pragma endscop
}",
        calls: &[
            ("rmsnorm(100, mem, mem + 100, mem + 200);", Fast),
            ("rmsnorm(100, mem, mem, mem + 200);", Fast),
            ("rmsnorm(100, mem, mem, mem);", Fast),
            ("rmsnorm(100, mem + 1, mem, mem + 200);", Slow),
        ],
    });
}

#[test]
fn what_keeps_its_order_asks_of_data_in_its_order() {
    let case = Case {
        function: "static void mask(int n, int m, double *o, double *x)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (x[i * m] > 0.01)
        o[i * m + j] = 0.001 * j;
#pragma endscop
}",
        calls: &[
            ("mask(9, 7, mem, mem + 100);", Fast),
            ("mask(9, 7, mem, mem);", Fast),
            ("mask(9, 7, mem, mem + 3);", Fast),
        ],
    };
    let input = program(&case, &[]);
    let template = Template::default().tiled(TileSizes::none());
    let options = Options { strategy: Strategy::Original, template, ..Options::default() };
    let text = transformed(&input, &options);
    assert!(!text.contains("farkas_apart"), "{text}");
    let ((expected, _), (found, taken)) = (output(input.source.text()), output(&text));
    assert_eq!((found, taken.as_str()), (expected, "+++"), "{text}");
}

#[test]
fn globals_and_bounds_behind_pointers() {
    check(&Case {
        function: "static double g[50];
static int n = 50;
static void set(double *p, int *q)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    p[i] = g[49 - i] + 1;
    q[2 * i] += i;
  }
#pragma endscop
}
static int counts[200];",
        calls: &[
            ("set(mem, counts);", Fast),
            ("set(g, counts);", Slow),
            ("n = 4; set(mem, &n - 0); n = 50;", Slow),
        ],
    });
}

#[test]
fn pointers_that_characters_may_change() {
    check(&Case {
        function: "static double *g = mem;
static void set(int n, char *c)
{
#pragma scop
  for (int i = 0; i < n; i++)
    c[i] = (char)(g[i] * 16);
#pragma endscop
}
static char bytes[50];",
        calls: &[
            ("set(50, bytes); mem[399] = bytes[7];", Fast),
            ("set(1, (char *)&g); g = mem;", Slow),
            ("set(0, (char *)&g);", Fast),
        ],
    });
}

#[test]
fn rows_behind_pointers() {
    check(&Case {
        function: "static double *rows[8];
static void up(int k) { for (int i = 0; i < 8; i++) rows[i] = mem + 20 * i + 20 * k; }
static void down(void) { for (int i = 0; i < 8; i++) rows[i] = mem + 20 * (8 - i); }
static void add(int n, int m, double **a, double *x)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] += x[j] + i;
#pragma endscop
}",
        calls: &[
            ("up(0); add(8, 20, rows, mem + 160);", Fast),
            ("up(0); add(8, 20, rows, mem + 159);", Slow),
            ("up(1); add(8, 20, rows, mem);", Fast),
            ("up(1); add(8, 21, rows, mem + 300);", Slow),
            ("down(); add(8, 20, rows, mem + 300);", Slow),
            ("add(0, 20, NULL, NULL);", Fast),
        ],
    });
}

/// Rows of pages: behind one another over all pages where they are written, apart from what is written where they are only read. No page is
/// read that the region does not read.
#[test]
fn pages_of_rows() {
    check(&Case {
        function: "static double *rows[4][5], **pages[4];
static void up(int k)
{
  for (int p = 0; p < 4; p++)
    for (int i = 0; i < 5; i++) {
      pages[p] = rows[p];
      rows[p][i] = mem + 15 * (5 * p + i) + k;
    }
}
static void down(void)
{
  for (int p = 0; p < 4; p++)
    pages[p] = rows[3 - p];
}
static void add(int n, double ***a, double *x)
{
#pragma scop
  for (int p = 0; p < n; p++)
    for (int i = 0; i < 5; i++)
      for (int j = 1; j < 15; j++)
        a[p][i][j] += x[j] * a[p][i][j - 1];
#pragma endscop
}
static void sum(int n, double ***a, double *x)
{
#pragma scop
  for (int p = 0; p < n; p++)
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 15; j++)
        x[j] += a[p][i][j];
#pragma endscop
}",
        calls: &[
            ("up(0); add(4, pages, mem + 300);", Fast),
            ("pages[3] = NULL; add(3, pages, mem + 300);", Fast),
            ("up(0); add(4, pages, mem + 298);", Slow),
            ("up(0); rows[2][1]--; add(4, pages, mem + 300);", Slow),
            ("up(0); rows[2][0]--; add(4, pages, mem + 300);", Slow),
            ("up(0); down(); add(4, pages, mem + 301);", Slow),
            ("up(0); down(); sum(4, pages, mem + 301);", Fast),
            ("up(0); down(); sum(4, pages, mem + 7);", Slow),
            ("pages[3] = NULL; sum(3, pages, mem);", Fast),
        ],
    });
}

#[test]
fn rows_behind_members_of_structs() {
    check(&Case {
        function: "typedef struct { int m, n; double **rows; } matrix;
typedef struct { matrix *of; } scaled;
static double *rows[8];
static matrix all = {8, 20, rows}, *now = &all;
static scaled own = {&all};
static void up(int k) { for (int i = 0; i < 8; i++) rows[i] = mem + 20 * i + 20 * k; }
static void down(void) { for (int i = 0; i < 8; i++) rows[i] = mem + 20 * (8 - i); }
static void add(scaled *s, double *x)
{
#pragma scop
  for (int i = 0; i < s->of->m; i++)
    for (int j = 0; j < now->n; j++)
      now->rows[i][j] += x[j] + i;
#pragma endscop
}",
        calls: &[
            ("up(0); add(&own, mem + 160);", Fast),
            ("up(0); add(&own, mem + 159);", Slow),
            ("all.n = 21; up(1); add(&own, mem + 300); all.n = 20;", Slow),
            ("down(); add(&own, mem + 300);", Slow),
            ("all.m = 0; now = NULL; add(&own, NULL); now = &all; all.m = 8;", Fast),
        ],
    });
}

/// Rows that are only read may lie anywhere but where something is written: in another order, one in another, or in gaps of it.
#[test]
fn rows_that_are_only_read() {
    check(&Case {
        function: "static double *rows[8];
static void up(int k) { for (int i = 0; i < 8; i++) rows[i] = mem + 20 * i + 20 * k; }
static void down(void) { for (int i = 0; i < 8; i++) rows[i] = mem + 20 * (8 - i); }
static void apart(void) { for (int i = 0; i < 8; i++) rows[i] = mem + 40 * (i % 4); }
static void add(int n, int m, double **a, double *x)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[j] += a[i][j] * i;
#pragma endscop
}",
        calls: &[
            ("up(0); add(8, 20, rows, mem + 160);", Fast),
            ("up(0); add(8, 20, rows, mem + 159);", Slow),
            ("down(); add(8, 20, rows, mem + 300);", Fast),
            ("down(); add(8, 20, rows, mem);", Fast),
            ("down(); add(8, 20, rows, mem + 1);", Slow),
            ("apart(); add(8, 20, rows, mem + 20);", Fast),
            ("apart(); add(8, 20, rows, mem + 21);", Slow),
            ("apart(); rows[7] = mem + 200; add(8, 20, rows, mem + 185);", Slow),
            ("up(0); rows[3] = rows[2] + 7; add(8, 20, rows, mem + 300);", Fast),
            ("add(0, 20, NULL, NULL);", Fast),
        ],
    });
}

#[test]
fn unsigned_differences() {
    check(&Case {
        function: "static void pairs(unsigned n, int m)
{
#pragma scop
  for (unsigned i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      if (i - k == 1)
        mem[0] += 1;
#pragma endscop
}
static void five(unsigned n)
{
#pragma scop
  if (n - 5 > 0)
    mem[1] += 1;
#pragma endscop
}
static void most(unsigned char n, unsigned m)
{
#pragma scop
  for (unsigned i = 0; i + 3 < m + n; i++)
    mem[i] += 1;
#pragma endscop
}",
        calls: &[
            ("pairs(8, 8);", Fast),
            ("five(0);", Slow),
            ("five(4);", Slow),
            ("five(5);", Fast),
            ("five(6);", Fast),
            ("most(1, 2);", Fast),
            ("most(9, 4);", Fast),
            ("most(9, 4294967290u);", Slow),
        ],
    });
}

#[test]
fn arrays_without_elements() {
    check(&Case {
        function:
            "static void product(int n, int k, double C[n][n], double A[k][n], double B[k][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= 0.5;
      for (int l = 0; l < k; l++)
        C[i][j] += A[l][i] * B[l][j];
    }
#pragma endscop
}
static double (*at(int i, int n))[] { return (double (*)[])(mem + i * n); }",
        calls: &[
            ("product(10, 10, at(0, 0), at(1, 100), at(2, 100));", Fast),
            ("product(10, 0, at(0, 0), at(1, 100), at(2, 100));", Fast),
            ("product(10, 0, at(0, 0), at(0, 0), at(0, 0));", Fast),
            ("product(10, 10, at(0, 0), at(1, 99), at(2, 100));", Slow),
        ],
    });
}

#[test]
fn rows_of_linearised_arrays() {
    check(&Case {
        function: "static void add(int n, int m, int ld, double *a, double *restrict x)
{
#pragma scop
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * ld + j] += a[(i - 1) * ld + j] * x[j];
#pragma endscop
}",
        calls: &[
            ("add(10, 10, 10, mem, mem + 200);", Fast),
            ("add(10, 9, 10, mem, mem + 200);", Fast),
            ("add(10, 12, 10, mem, mem + 200);", Slow),
            ("add(10, 12, 0, mem, mem + 200);", Slow),
        ],
    });
}

#[test]
fn what_is_granted_is_not_tested() {
    for grants in [["no-overlap"], ["no-overlap=o"]] {
        let input = program(&SHIFT, &grants);
        let scop = &input.regions[0].scop;
        let [assumption] = scop.assumptions() else { panic!("{scop}") };
        assert_eq!(assumption.kind, AssumptionKind::NoOverlap);
        assert_eq!(assumption.outcome, Outcome::Granted);
        let text = transformed(&input, &Options::default());
        assert!(
            !text.contains("farkas_apart") && text.contains("granted: no overlap of o and x."),
            "{text}"
        );
    }
    let input = program(&SHIFT, &["no-overlap=y"]);
    assert!(transformed(&input, &Options::default()).contains("farkas_apart"));
}

#[test]
fn iterators_that_others_read() {
    check(&Case {
        function: "int i, j, k;
static void fill_up(int n, int m, double *p)
{
#pragma scop
  for (i = 0; i < n; i++)
    for (j = i; j < n; j++)
      for (k = m; k > 0; k--)
        p[20 * i + j] = p[20 * i + j] * 0.5 + k;
#pragma endscop
}
static void iterators(int n, int m)
{
  i = j = k = 100;
  fill_up(n, m, mem);
  mem[399] = i + 1000 * j + 1000000 * k;
}",
        calls: &[
            ("iterators(9, 3);", Fast),
            ("iterators(0, 3);", Fast),
            ("iterators(3, 0);", Fast),
            ("iterators(3, -4);", Fast),
        ],
    });
}

/// What is known of a loop that would not end is known where it runs, and of no other case.
#[test]
fn loops_that_end_where_they_run() {
    check(&Case {
        function: "static void set(int n, int m, double *p)
{
#pragma scop
  if (n == 1)
    ;
  else
    for (int i = 0; i != m; i++)
      p[i] = n;
#pragma endscop
}",
        calls: &[
            ("set(2, 5, mem);", Fast),
            ("set(1, 5, mem);", Fast),
            ("set(1, -5, mem);", Fast),
            ("set(0, 5, mem);", Fast),
            ("set(-3, 0, mem);", Fast),
        ],
    });
}

/// An update of a matrix, and sums of its columns in the same loops.
const RANK_ONE: &str =
    "static void rank_one(int n, int m, double A[n][m], double *u, double *v, double *y)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      A[i][j] = A[i][j] + u[i] * v[j];
      y[j] = y[j] + A[i][j] * u[i];
    }
#pragma endscop
}";

#[test]
fn rows_that_keep_elements_in_variables() {
    check(&Case {
        function: RANK_ONE,
        calls: &[
            ("rank_one(9, 17, (double (*)[17])mem, mem + 200, mem + 250, mem + 300);", Fast),
            ("rank_one(9, 17, (double (*)[17])mem, mem + 200, mem + 250, mem + 251);", Slow),
        ],
    });
    // Where y is v, rows after the first get what those before stored in it. Either branch will do.
    let same = "rank_one(9, 17, (double (*)[17])mem, mem + 200, mem + 250, mem + 250);";
    let input = program(&Case { function: RANK_ONE, calls: &[(same, Fast)] }, &[]);
    let (expected, _) = output(input.source.text());
    for options in ways() {
        let text = transformed(&input, &options);
        assert_eq!(output(&text).0, expected, "{text}");
    }
}
