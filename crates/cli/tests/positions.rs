//! `--auto` and marked regions wherever a loop may stand in a file: behind pragmas, in parallel regions, without braces, behind
//! labels, in the middle of lines. Each result is compiled with and without OpenMP, runs, and prints what the original prints.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Run, farkas_in};
use tempfile::TempDir;

/// What all programs begin with: arrays, and a sum that shows their elements, by loops that are no regions.
const HEAD: &str = "\
#include <stdio.h>
#define N 40
double a[N][N], b[N][N], x[N], y[N];
static void show(void) {
  double s = 0;
  int i = 0;
  do {
    int weight = i % 7 + 1;
    s += weight * (x[i] + 3 * y[i]);
    int j = 0;
    do { s += (i * j % 5 + 1) * (a[i][j] - 2 * b[i][j]); j++; } while (j < N);
    i++;
  } while (i < N);
  printf(\"%.6f\\n\", s);
}
static void fill(void) {
  int i = 0;
  do {
    x[i] = i; y[i] = 2 * i % 9;
    int j = 0;
    do { a[i][j] = i + j % 3; b[i][j] = i * j % 11; j++; } while (j < N);
    i++;
  } while (i < N);
}
";

/// A program and what came of it.
struct Case {
    folder: TempDir,
    run: Run,
}

impl Case {
    /// The program with `body` behind the common head, through `farkas opt` with `options`.
    fn new(body: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("in.c"), format!("{HEAD}{body}")).expect("a file");
        let mut args = vec!["opt", "in.c", "-o", "out.c"];
        args.extend(options);
        let run = farkas_in(folder.path(), &args);
        Self { folder, run }
    }

    /// The transformed file.
    fn text(&self) -> String {
        fs::read_to_string(self.folder.path().join("out.c")).expect("a result")
    }

    /// The result computes what the original computes, under both readings of pragmas.
    fn computes_the_same(self) -> Self {
        assert_eq!(self.run.status, 0, "{}", self.run.err);
        let expected = run(self.folder.path(), "in.c", &[]);
        for flags in [&[][..], &["-fopenmp"], &["-O2", "-fopenmp"]] {
            let found = run(self.folder.path(), "out.c", flags);
            assert_eq!(found, expected, "{flags:?}\n{}", self.text());
        }
        self
    }

    /// A message says so.
    fn says(self, words: &str) -> Self {
        assert!(self.run.err.contains(words), "no `{words}` in\n{}", self.run.err);
        self
    }

    /// The result holds this.
    fn holds(self, words: &str) -> Self {
        assert!(self.text().contains(words), "no `{words}` in\n{}", self.text());
        self
    }

    /// The result holds nothing of this.
    fn lacks(self, words: &str) -> Self {
        assert!(!self.text().contains(words), "`{words}` in\n{}", self.text());
        self
    }
}

/// What the program in `folder` prints, compiled with `flags`.
fn run(folder: &Path, file: &str, flags: &[&str]) -> String {
    let compiled = Command::new("cc")
        .args(flags)
        .args([file, "-lm", "-o", "program"])
        .current_dir(folder)
        .output()
        .expect("the compiler starts");
    let messages = String::from_utf8_lossy(&compiled.stderr).into_owned();
    let text = fs::read_to_string(folder.join(file)).expect("a file");
    assert!(compiled.status.success(), "{messages}\n{text}");
    let ran = Command::new(folder.join("program"))
        .env("OMP_NUM_THREADS", "4")
        .output()
        .expect("the program starts");
    assert!(ran.status.success(), "{text}");
    String::from_utf8(ran.stdout).expect("text")
}

/// A program under `--auto`.
fn auto(body: &str) -> Case {
    Case::new(body, &["--auto", "--strategy", "pluto", "--report"])
}

/// What fused loops, which must not be under the user's `parallel for`, do.
const FUSED: &str = "\
int main(void) {
  int i, j;
  fill();
PRAGMA
  for (i = 1; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 2 * b[i][j];
  for (i = 1; i < N; i++)
    for (j = 0; j < N; j++)
      b[i][j] = b[i - 1][j] + a[i][j];
  show();
  return 0;
}
";

#[test]
fn pragmas_of_a_loop_go_with_it() {
    for pragma in [
        "omp parallel for private(j)",
        "omp parallel for private(j) schedule(static)",
        "omp simd",
        "GCC ivdep",
        "GCC unroll 4",
    ] {
        let case = auto(&FUSED.replace("PRAGMA", &format!("#pragma {pragma}")));
        case.computes_the_same()
            .says(&format!("`#pragma {pragma}` of the region is dropped"))
            .holds("farkas:");
    }
    let case = auto(&FUSED.replace("PRAGMA", "  _Pragma(\"omp parallel for private(j)\")"));
    case.computes_the_same().says("is dropped").holds("farkas:");
    let pragmas = "#pragma GCC diagnostic push\n#pragma omp parallel for private(j)";
    let case = auto(&FUSED.replace("PRAGMA", pragmas));
    case.computes_the_same().holds("#pragma GCC diagnostic push\n");
}

#[test]
fn a_marked_region_takes_the_pragmas_before_it() {
    let marked = FUSED
        .replace("PRAGMA", "#pragma omp parallel for private(j)\n#pragma scop")
        .replace("  show();", "#pragma endscop\n  show();");
    let case = Case::new(&marked, &["--strategy", "pluto"]);
    case.computes_the_same().says("is dropped").holds("farkas:");
    let shared = marked.replace("omp parallel for private(j)", "omp for private(j)");
    Case::new(&shared, &[]).run.expect(1);
}

#[test]
fn unknown_and_shared_loops_are_left_alone() {
    for (pragma, reason) in [
        ("acc kernels", "what it says is not known"),
        ("omp for private(j)", "threads would compute something else"),
        ("omp target", "another processor"),
    ] {
        let case = auto(&FUSED.replace("PRAGMA", &format!("#pragma {pragma}")));
        assert_eq!(case.run.status, 0, "{}", case.run.err);
        case.says("left alone").says(reason).holds(&format!("#pragma {pragma}\n"));
    }
}

#[test]
fn sums_of_parallel_loops_stay_sums() {
    let body = "\
int main(void) {
  double s = 0, t = 0;
  fill();
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < N; i++)
    s += x[i] * y[i];
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    x[i] = 2 * y[i];
#pragma omp atomic
    t += x[i];
#pragma omp critical
    y[0] += x[i];
  }
  printf(\"%f %f\\n\", s, t);
  show();
  return 0;
}
";
    auto(body).computes_the_same().says("`#pragma omp atomic`").lacks("atomic\n");
}

#[test]
fn a_private_variable_that_is_read_later_keeps_its_value() {
    let body = "\
int main(void) {
  double t = 5;
  fill();
#pragma omp parallel for private(t)
  for (int i = 0; i < N; i++) {
    t = 2 * y[i];
    x[i] = t * t;
  }
  printf(\"%f\\n\", t * 0);
  for (int i = 0; i < N; i++)
    y[i] = y[i] + 3;
  show();
  return 0;
}
";
    let case = auto(body).computes_the_same();
    case.says("`t` may be read after the region").holds("#pragma omp parallel for private(t)\n");
}

#[test]
fn regions_in_parallel_regions_start_no_threads() {
    let body = "\
static void inner(int k) {
  for (int i = 0; i < N; i++)
    a[k][i] = a[k][i] + x[i] * k;
}
int main(void) {
  fill();
#pragma omp parallel for
  for (int k = 0; k < N; k++) {
    if (x[k] > 1e9) break_it();
    inner(k);
    for (int i = 0; i < N; i++)
      b[k][i] = 2 * b[k][i] + y[i];
  }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++)
      x[i] = x[i] + 1;
#pragma omp single
    for (int i = 1; i < N; i++)
      y[i] = y[i] + x[i];
  }
  show();
  return 0;
}
";
    let body = body.replace("if (x[k] > 1e9) break_it();", "if (x[k] > 1e9) printf(\"no\");");
    let case = auto(&body).computes_the_same().says("starts no threads");
    let case = case.says("its function runs in a parallel region").holds("#pragma omp for\n");
    let ours = case.text().matches("#pragma omp parallel for").count();
    assert_eq!(ours, 1, "{}", case.text());
    case.says("`#pragma omp for` stands before the loop");
}

#[test]
fn collapsed_loops_stay_together() {
    let body = "\
int main(void) {
  fill();
#pragma omp parallel for collapse(2)
  for (int k = 0; k < N; k += 1 + (k > 1000))
    for (int i = 0; i < N; i++)
      b[k][i] = 2 * b[k][i] + y[i];
  show();
  return 0;
}
";
    auto(body).run.expect(1);
    let both = format!(
        "static void other(void) {{\n  for (int i = 0; i < N; i++)\n    x[i] = 3 * y[i];\n}}\n{}",
        body.replace("fill();", "fill();\n  other();").replace("1 + (k > 1000)", "(x[0] > 9) + 1")
    );
    auto(&both).computes_the_same().holds("collapse(2)\n").holds("farkas:");
}

#[test]
fn bodies_without_braces_and_labels() {
    let body = "\
int main(int argc, char **argv) {
  (void)argv;
  fill();
  if (argc > 5)
    printf(\"many\\n\");
  else
    for (int i = 0; i < N; i++)
      x[i] = 3 * y[i];
  if (argc < 5)
    for (int i = 0; i < N; i++)
      y[i] = 3 * x[i] + 1;
  else
    printf(\"many\\n\");
  while (x[0] < 3)
    for (int i = 0; i < N; i++)
      x[i] = x[i] + 1;
  int again = 0;
again:
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = a[i][j] + b[j][i];
  if (again++ < 2)
    goto again;
  switch (argc) {
  case 1:
    for (int i = 0; i < N; i++)
      y[i] = y[i] * 2;
    break;
  default:
    break;
  }
  do
    for (int i = 0; i < N; i++)
      x[i] = x[i] + 1;
  while (x[0] < 9);
  show();
  return 0;
}
";
    let case = auto(body).computes_the_same();
    assert_eq!(case.text().matches("farkas: strategy").count(), 6, "{}", case.text());
}

#[test]
fn regions_in_the_middle_of_lines() {
    let body = "\
#define EACH(i) for (int i = 0; i < N; i++)
#define TWICE EACH(i) x[i] = 2 * x[i] + y[i];
#define PARALLEL _Pragma(\"omp parallel for\") EACH(i)
static void one(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[j][i]; }
static void two(int n) { /* before */ int k = n; for (int i = 0; i < k; i++) x[i] = y[i] + i; /* after */ }
static void three(void) { TWICE }
static void four(void) { PARALLEL y[i] = x[i] + 1; show(); }
static void five(int n) { if (n > 1) \\
  for (int i = 0; i < n; i++) x[i] = y[i] + i; }
int main(void) {
  fill();
  one(N); two(N); three(); four(); five(N); show(); return 0; }
";
    let case = Case::new(body, &["--auto", "--strategy", "pluto", "--tile"]).computes_the_same();
    case.holds("/* before */").holds("/* after */");
}

#[test]
fn what_depends_on_the_preprocessor_is_left_alone() {
    let body = "\
int main(void) {
  fill();
#ifdef _OPENMP
#pragma omp parallel for
#endif
  for (int i = 0; i < N; i++)
    x[i] = 2 * y[i];
  for (int i = 0; i < N; i++) {
#ifdef _OPENMP
    y[i] = 2 * y[i];
#else
    y[i] = y[i] + y[i];
#endif
  }
  for (int i = 0; i < N; i++)
    x[i] = x[i] + 3;
  show();
  return 0;
}
";
    let case = auto(body).computes_the_same().says("a condition of the preprocessor");
    case.says("the loop's text depends on the preprocessor").holds("farkas:");
}

#[test]
fn variables_of_threads() {
    for declaration in [
        "__thread double t[N]; static _Thread_local int n = N;",
        "static double t[N]; static int n = N;\n#pragma omp threadprivate(t, n)",
    ] {
        let body = "\
DECLARATION
int main(void) {
  fill();
  for (int i = 0; i < n; i++)
    t[i] = 2 * y[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = t[j] + b[i][j];
  show();
  return 0;
}
";
        let case = auto(&body.replace("DECLARATION", declaration)).computes_the_same();
        case.says("of its own").holds("farkas:").lacks("#pragma omp parallel");
    }
}

#[test]
fn atomic_and_volatile_variables_are_refused_for_what_they_are() {
    for declaration in ["_Atomic(int) t;", "_Atomic int t;", "volatile int t;"] {
        let body = format!(
            "{declaration}\nint main(void) {{\n#pragma scop\n  for (int i = 0; i < N; i++)\n    t += 1;\n\
             #pragma endscop\n  return 0;\n}}\n"
        );
        let case = Case::new(&body, &[]);
        assert_eq!(case.run.status, 1);
        case.says("volatile or atomic");
    }
}

#[test]
fn the_users_macros_stay() {
    let body = "\
#define farkas_min(a, b) ((a) < (b) ? 1000 : (b))
#define farkas_max 7
#define farkas_floord(n, d) 3
int main(void) {
  int n = N - 3;
  fill();
  for (int t = 0; t < n; t++)
    for (int i = 1; i < n; i++)
      x[i] = 0.5 * (x[i - 1] + x[i]);
  printf(\"%d %d %d\\n\", farkas_min(1, 2), farkas_max, farkas_floord(1, 2));
  show();
  return 0;
}
";
    let options = ["--auto", "--strategy", "pluto", "--tile-sizes", "8"];
    Case::new(body, &options)
        .computes_the_same()
        .holds("farkas_min_1")
        .lacks("#undef farkas_min\n");
}
