//! What stays on the device between the regions of a function, and what does not.
//!
//! Programs run through OpenCL where there is a device, with a layer between them and the device that counts copies and memory, and lets a launch or
//! an allocation fail: whichever fails, results are the original's, and no memory is left.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use support::farkas_in;

/// Three regions, and nothing between them that touches arrays. Nobody reads `sums` at the end.
const CHAIN: &str = "#include <stdio.h>
#define N 1000
void smooth(int n, double x[n], double y[n], double z[n])
{
    double sums[N];
    int passes = 0;
#pragma scop
    for (int i = 1; i < n - 1; i++) {
        sums[i] = x[i - 1] + x[i + 1];
        y[i] = 0.5 * x[i];
    }
#pragma endscop
    passes++;
    printf(\"%d of %d\\n\", passes, N);
#pragma scop
    for (int i = 1; i < n - 1; i++)
        z[i] = y[i] + 0.25 * sums[i];
#pragma endscop
    if (passes > 1)
        passes = 1;
#pragma scop
    for (int i = 1; i < n - 1; i++)
        y[i] += z[i];
#pragma endscop
}
";

/// Calls it, and prints what comes out.
const CHAIN_MAIN: &str = "
int main(void)
{
    static double x[N], y[N], z[N];
    double sum = 0;
    for (int i = 0; i < N; i++)
        x[i] = i % 7, y[i] = 1, z[i] = 2;
    smooth(N, x, y, z);
    for (int i = 0; i < N; i++)
        sum += (i % 5) * (x[i] + 3 * y[i] + 5 * z[i]);
    printf(\"%g\\n\", sum);
    return 0;
}
";

/// What counts and fails, in C: it stands before all code that uses memory on the device.
const LAYER: &str = "
static int t_in, t_out, t_live, t_runs, t_memories, t_run_fails, t_memory_fails;
static void *t_memory(__SIZE_TYPE__ bytes)
{
  if (++t_memories == t_memory_fails) return farkas_say(\"made to fail\", 1), (void *)0;
  void *there = farkas_memory(bytes);
  t_live += there != 0;
  return there;
}
static void t_copy_in(void *there, __SIZE_TYPE__ at, const void *here, __SIZE_TYPE__ bytes)
{
  t_in += bytes > 0;
  farkas_in(there, at, here, bytes);
}
static void t_copy_out(void *here, void *there, __SIZE_TYPE__ at, __SIZE_TYPE__ bytes)
{
  t_out += bytes > 0;
  farkas_out(here, there, at, bytes);
}
static void t_release(void *there)
{
  t_live -= there != 0;
  farkas_release(there);
}
static void t_run(int which, const long grid[3], void *const *args)
{
  if (++t_runs == t_run_fails) farkas_say(\"made to fail\", 1);
  else farkas_run(which, grid, args);
}
__attribute__((constructor)) static void t_begin(void)
{
  extern char *getenv(const char *);
  extern int atoi(const char *);
  if (getenv(\"RUN_FAILS\")) t_run_fails = atoi(getenv(\"RUN_FAILS\"));
  if (getenv(\"MEMORY_FAILS\")) t_memory_fails = atoi(getenv(\"MEMORY_FAILS\"));
}
__attribute__((destructor)) static void t_end(void)
{
  extern int dprintf(int, const char *, ...);
  dprintf(2, \"in %d out %d left %d runs %d memories %d state %d\\n\", t_in, t_out, t_live, t_runs, t_memories, farkas_state + 1);
}
#define farkas_memory t_memory
#define farkas_in t_copy_in
#define farkas_out t_copy_out
#define farkas_release t_release
#define farkas_run t_run
";

/// The same for copies within the device.
const TWIN: &str = "
static void *t_twin(void *there, __SIZE_TYPE__ bytes)
{
  extern char *getenv(const char *);
  void *twin = getenv(\"NO_TWINS\") ? 0 : farkas_twin(there, bytes);
  t_live += twin != 0;
  return twin;
}
#define farkas_twin t_twin
";

/// Where memory that stays begins in a file.
const KEPT: &str = "/* farkas: memory that stays on the device";

/// What `farkas opt` makes of a program.
fn opt(folder: &Path, program: &str, more: &[&str]) -> String {
    fs::write(folder.join("f.c"), program).expect("a file");
    let args = [&["opt", "f.c", "-o", "out.c"], more].concat();
    let run = farkas_in(folder, &args).expect(0);
    assert!(!run.err.contains("a bug of Farkas"), "{}", run.err);
    fs::read_to_string(folder.join("out.c")).expect("a file")
}

/// The same for OpenCL, without what stands before the program's first line.
fn kept(program: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let code = opt(folder.path(), program, &["--target", "opencl"]);
    let first = program.lines().next().expect("a line");
    let at = code.find(&format!("\n{first}\n")).expect("the program");
    code[at + 1..].to_owned()
}

/// A program that was compiled, original and result.
struct Built {
    folder: tempfile::TempDir,
}

/// What a run printed and counted.
#[derive(PartialEq, Eq, Debug)]
struct Ran {
    printed: String,
    counts: String,
}

impl Built {
    /// Compiles a program as it is, and for OpenCL with the layer.
    fn new(program: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let code = opt(folder.path(), program, &["--target", "opencl"]);
        let first = program.lines().next().expect("a line");
        let at = match code.find(KEPT) {
            Some(at) => at,
            None => code.find(&format!("\n{first}\n")).expect("the program"),
        };
        let twin = if code.contains(KEPT) { TWIN } else { "" };
        let code = format!("{}{LAYER}{twin}{}", &code[..at], &code[at..]);
        fs::write(folder.path().join("layered.c"), code).expect("a file");
        for (file, name) in [("f.c", "original"), ("layered.c", "result")] {
            let mut compiler = Command::new("cc");
            compiler.args(["-O1", "-ffp-contract=off", "-DFARKAS_FP_CONTRACT=0"]);
            compiler.args([file, "-o", name, "-lm"]).current_dir(folder.path());
            let output = compiler.output().expect("a compiler");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && !told.contains("farkas"), "{told}");
        }
        Self { folder }
    }

    /// What the original prints.
    fn original(&self) -> String {
        let output = Command::new(self.folder.path().join("original")).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What the result prints in an environment, and the counts.
    fn run(&self, environment: &[(&str, &str)]) -> Ran {
        let mut program = Command::new(self.folder.path().join("result"));
        let Output { status, stdout, stderr } =
            program.envs(environment.iter().copied()).output().expect("it runs");
        let counts = String::from_utf8_lossy(&stderr).into_owned();
        assert!(status.success(), "{status}: {counts}");
        Ran { printed: String::from_utf8_lossy(&stdout).into_owned(), counts }
    }

    /// A number of the counts.
    fn count(ran: &Ran, word: &str) -> usize {
        let mut words = ran.counts.split_whitespace().skip_while(|w| *w != word);
        words.nth(1).and_then(|n| n.parse().ok()).expect("a number")
    }

    /// Compares results with the original's, whatever fails; how often it copies when nothing does, unless there is no device.
    fn copies(&self) -> Option<(usize, usize)> {
        let original = self.original();
        let all = self.run(&[]);
        assert_eq!(all.printed, original);
        let has_device = Self::count(&all, "state") > 0;
        assert!(has_device || std::env::var_os("FARKAS_TEST_OPENCL").is_none(), "{}", all.counts);
        if !has_device {
            return None;
        }
        let check = |ran: &Ran| {
            assert_eq!((&ran.printed, Self::count(ran, "left")), (&original, 0), "{}", ran.counts);
        };
        check(&all);
        check(&self.run(&[("NO_TWINS", "1")]));
        for (name, of) in [("RUN_FAILS", "runs"), ("MEMORY_FAILS", "memories")] {
            for at in 1..=Self::count(&all, of).min(12) {
                check(&self.run(&[(name, &at.to_string())]));
                check(&self.run(&[(name, &at.to_string()), ("NO_TWINS", "1")]));
            }
        }
        Some((Self::count(&all, "in"), Self::count(&all, "out")))
    }
}

#[test]
fn what_regions_hand_on_stays() {
    insta::assert_snapshot!(kept(CHAIN));
}

#[test]
fn whatever_fails_results_are_right() {
    // Without anything that stays: 3, 4 and 2 copies in, 2, 1 and 1 out.
    let copies = Built::new(&format!("{CHAIN}{CHAIN_MAIN}")).copies();
    assert!(copies.is_none_or(|copies| copies == (4, 2)), "{copies:?}");
}

/// A function with two regions, in which something stands between, before and behind.
fn between(declared: &str, between: &str) -> String {
    format!(
        "#include <stdio.h>
{declared}
void f(int n, double *x, double *y, double *other, struct grid *g)
{{
    int t = n;
    struct grid own = {{0, {{0}}}};
    while (t-- > 0)
        if (t == 3 && n < 1000)
            break;
    {{
#pragma scop
        for (int i = 0; i < n; i++)
            y[i] = 2.0 * x[i];
#pragma endscop
        {between}
#pragma scop
        for (int i = 0; i < n; i++)
            x[i] += y[i];
#pragma endscop
    }}
    own.n = t;
    if (own.n > n)
        printf(\"%d\", own.n);
}}
"
    )
}

/// Declarations of what stands between the two.
const DECLARED: &str = "struct grid { int n; double cells[5]; };
static int counter;
int visible;
void unknown(void);
double of_numbers(double);
double table[10];
static int plus(int y) { counter++; return y + 1; }
static int next(int t)
{
    if (t > 5)
        return 5;
    for (int y = 0; y < 2; y++)
        t = plus(t);
    return t;
}
static void reads(double *a) { visible = a[0] > 1; }
static int again(int t) { return t > 0 ? again(t - 1) : t; }
static int looks(int t)
{
#ifdef LATER
    printf(\"%g\", table[t]);
#endif
    return t;
}
#define LIMIT 100
#define HALF 0.5
#define NOTHING(a)
#define SHOW(a) printf(\"%g\", (a)[0])
";

#[test]
fn harmless_code_stands_between() {
    let all = [
        "",
        "t++;",
        "t = t > 3 ? t - 1 : LIMIT; own.n += t * (HALF > 0);",
        "printf(\"%d %s\\n\", t, \"done\"); fflush(stdout);",
        "counter++; visible += counter;",
        "for (int k = 0; k < 3; k++) { if (k == t) break; else continue; }",
        "switch (t) { case 1: t = 2; break; default: t = 3; }",
        "do t--; while (t > 0);",
        "t = next(next(t));",
        "double s = sizeof(x[0]); int m[3] = {1, t, 3}; m[t % 3] = (int)s;",
    ];
    for code in all {
        let text = kept(&between(DECLARED, code));
        assert!(text.contains("struct farkas_kept kept_y = "), "{code}: {text}");
        assert!(text.contains("`x` stays on the device for the regions in lines"), "{text}");
    }
}

#[test]
fn what_may_touch_an_array_ends_its_stay() {
    let all = [
        ("y[0] = 1;", "`y` is used on the host"),
        ("t = y[1] > 0;", "`y` is used on the host"),
        ("y = other;", "`y` is used on the host"),
        ("other[0] = 1;", "`other[0]` may be a part of it"),
        ("t = *other;", "`*other` may be a part of it"),
        ("t = g->n;", "`g->n` may be a part of it"),
        ("t = table[0];", "`table` may be a part of it"),
        ("unknown();", "`unknown` is called, which may touch it"),
        ("t = of_numbers(t);", "`of_numbers` is called, which may touch it"),
        ("printf(\"%g\", *other);", "`*other` may be a part of it"),
        ("printf(\"%s\", (char *)other);", "`printf` may touch what it is given"),
        ("if (t) return;", "`return` may leave before results are back"),
        ("if (t) { t = 2; goto out; } out:;", "the function has a `goto`"),
        ("__asm__ volatile(\"nop\");", "is not looked into"),
        ("\n#ifdef LATER\n y[0]++;\n#endif\n", "`#ifdef` may make other statements of them"),
        ("NOTHING(y);", "what `NOTHING` stands for may differ"),
        ("SHOW(y);", "what `SHOW` stands for may differ"),
        ("\n#pragma omp barrier\n", "`#pragma omp barrier` may have its own view of memory"),
        ("({ t = 1; });", "is not looked into"),
        ("t = looks(t);", "`looks` is called, where `#ifdef` may make other statements of them"),
        ("reads(other);", "`reads` is called, where `a[0]` may be a part of it"),
        ("again(t);", "nobody looked into it"),
    ];
    for (code, reason) in all {
        let text = kept(&between(DECLARED, code));
        assert!(!text.contains("struct farkas_kept kept_y"), "{code}: {text}");
        let why = "`y` does not stay on the device for the next region that has it: ";
        let told = text.lines().find(|line| line.contains(why));
        assert!(told.is_some_and(|told| told.contains(reason)), "{code}: {told:?}\n{text}");
        assert!(text.contains("farkas_out(y,"), "{code}: {text}");
    }
}

/// Steps until little changes; what decides that is not what stays.
const LOOP: &str = "#include <stdio.h>
#define N 500
static int relax(int n, double *x, double *y, double tolerance)
{
    double change = 1.0;
    int steps = 0;
    while (change > tolerance) {
        if (++steps > 9)
            break;
#pragma scop
        for (int i = 1; i < n - 1; i++)
            y[i] = 0.5 * (x[i - 1] + x[i + 1]);
#pragma endscop
        if (steps % 2) {
#pragma scop
            for (int i = 1; i < n - 1; i++)
                x[i] = y[i];
#pragma endscop
        } else {
            change *= 0.5;
        }
    }
    return steps;
}
int main(void)
{
    static double x[N], y[N];
    double sum = 0;
    for (int i = 0; i < N; i++)
        x[i] = i % 7, y[i] = i % 3;
    int steps = relax(N, x, y, 0.01);
    for (int i = 0; i < N; i++)
        sum += (i % 5) * (x[i] + 3 * y[i]);
    printf(\"%d %g\\n\", steps, sum);
    return 0;
}
";

#[test]
fn arrays_stay_while_loops_run() {
    let text = kept(LOOP);
    let end = text.find("int main").expect("a function");
    insta::assert_snapshot!(&text[..end]);
    let copies = Built::new(LOOP).copies();
    assert!(copies.is_none_or(|copies| copies == (2, 2)), "{copies:?}");
}

#[test]
fn what_a_loop_declares_stays_no_longer_than_it_lives() {
    let program = "#include <stdio.h>
int main(void)
{
    double x[40], sum = 0;
    for (int i = 0; i < 40; i++)
        x[i] = i;
    for (int t = 0; t < 3; t++) {
        double part[40];
#pragma scop
        for (int i = 0; i < 40; i++)
            part[i] = 0.5 * x[i];
#pragma endscop
#pragma scop
        for (int i = 0; i < 40; i++)
            x[i] += part[i];
#pragma endscop
    }
    for (int i = 0; i < 40; i++)
        sum += x[i];
    printf(\"%g\\n\", sum);
    return 0;
}
";
    let text = kept(program);
    let (of_x, around) = (text.find("struct farkas_kept kept_x"), text.find("for (int t"));
    let of_part = text.find("struct farkas_kept kept_part = {&kept_x};");
    assert!(of_x < around && around < of_part && of_x.is_some(), "{text}");
    let copies = Built::new(program).copies();
    assert!(copies.is_none_or(|(_, n_out)| n_out == 1), "{copies:?}");
}

/// Parts of an array that differ from one region to the next, and pointers into one another.
fn parts(first: &str, second: &str, third: &str, call: &str) -> String {
    format!(
        "#include <stdio.h>
#define N 64
static void f(int n, int m, int k, double *x, double *y)
{{
#pragma scop
    for (int i = k; i < n; i++)
        {first}
#pragma endscop
    m++;
#pragma scop
    for (int i = 0; i < m; i++)
        {second}
#pragma endscop
    m--;
#pragma scop
    for (int i = 0; i < n; i++)
        {third}
#pragma endscop
}}
int main(void)
{{
    static double x[4 * N], y[4 * N];
    double sum = 0;
    for (int i = 0; i < 4 * N; i++)
        x[i] = i % 7, y[i] = i % 3;
    {call};
    for (int i = 0; i < 4 * N; i++)
        sum += (i % 5) * (x[i] + 3 * y[i]);
    printf(\"%.17g\\n\", sum);
    return 0;
}}
"
    )
}

#[test]
fn parts_that_differ_are_copied() {
    let [one, two, three] = ["x[i] += 1;", "x[i] *= 2;", "x[i] -= i;"];
    // Less and more than what is there, a part that overlaps with it, one that does not; nothing at all.
    for (call, copies) in [
        ("f(N, N / 2 - 1, 0, x, y)", (1, 1)),
        ("f(N, 2 * N, 0, x, y)", (2, 2)),
        ("f(N, N / 2, N / 4, x, y)", (2, 2)),
        ("f(N, N / 4, N / 2, x, y)", (3, 3)),
        ("f(0, N, 0, x, y)", (1, 1)),
        ("f(N, -1, N, x, y)", (1, 1)),
    ] {
        let found = Built::new(&parts(one, two, three, call)).copies();
        assert!(found.is_none_or(|found| found == copies), "{call}: {found:?}");
    }
}

#[test]
fn pointers_into_one_another_share_what_stays() {
    // The second region is given what the first one left on the device, by another name.
    let regions = [
        ["x[i] += 1;", "y[i] *= 2;", "x[i] -= i;"],
        ["x[i] += y[i];", "y[i] *= 2;", "x[i] -= y[i];"],
        ["x[i] = y[i];", "y[i] = 2 * x[i];", "x[i] -= y[i];"],
        ["x[2 * i] += 1;", "y[2 * i] *= 2;", "x[2 * i] -= i;"],
    ];
    let calls = [
        "f(N, N, 0, x, x)",
        "f(N, N, 0, x, x + 5)",
        "f(N, N, 0, x + 5, x)",
        "f(N, N / 2, 0, x, x + 3 * N / 2)",
        "f(N, 3, 0, x, x + N / 2)",
        "f(N, N, 0, x, x + 2 * N)",
    ];
    for (at, [one, two, three]) in regions.into_iter().enumerate() {
        for call in calls.iter().skip(at % 2).step_by(2) {
            Built::new(&parts(one, two, three, call)).copies();
        }
    }
}

/// A bound is read on the host, in front of the region, whose kernels read the same array.
#[test]
fn what_the_host_computes_for_kernels_is_read_there() {
    let program = "#include <stdio.h>
int main(void)
{
    int a[40], sum = 0, bounds[2] = {3, 9};
    for (int i = 0; i < 40; i++)
        a[i] = i;
#pragma scop
    for (int i = 0; i < 2; i++)
        bounds[i] += 20;
#pragma endscop
#pragma scop
    for (int i = 0; i < bounds[1]; i++)
        a[i] += bounds[0] + bounds[1];
#pragma endscop
    for (int i = 0; i < 40; i++)
        sum += (i % 5) * a[i];
    printf(\"%d\\n\", sum);
    return 0;
}
";
    Built::new(program).copies();
}

#[test]
fn pointers_that_change_are_seen() {
    // Nothing between the regions names `x`, but the address of `x` is known.
    let program = "#include <stdio.h>
int main(void)
{
    double a[40], b[40], sum = 0, *x = a, **at = &x;
    for (int i = 0; i < 40; i++)
        a[i] = i, b[i] = 3 * i;
#pragma scop
    for (int i = 0; i < 40; i++)
        x[i] += 1;
#pragma endscop
    *at = b;
#pragma scop
    for (int i = 0; i < 40; i++)
        x[i] += 2;
#pragma endscop
    for (int i = 0; i < 40; i++)
        sum += a[i] + 5 * b[i];
    printf(\"%g\\n\", sum);
    return 0;
}
";
    Built::new(program).copies();
}

#[test]
fn other_hosts_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flags = ["--target", "cuda", "--host", "none", "--kernels", "k.cu"];
    let plan: serde_json::Value =
        serde_json::from_str(&opt(folder.path(), CHAIN, &flags)).expect("JSON");
    let text = serde_json::to_string_pretty(&plan["may_stay"]).expect("JSON");
    insta::assert_snapshot!(text);
}

#[test]
fn cuda_keeps_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let code = opt(folder.path(), CHAIN, &["--target", "cuda"]);
    assert!(code.contains("cuMemcpyDtoD_v2") && code.contains("kept_sums"), "{code}");
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Werror", "-fsyntax-only", "out.c"]).current_dir(folder.path());
    assert!(compiler.status().expect("a compiler").success());
}
