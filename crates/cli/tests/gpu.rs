//! Kernels of GPUs on the command line: their text, and what is refused.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::process::Command;
use support::{Run, farkas_in};

/// A product, then steps over time in which all elements are computed at once.
const PROGRAM: &str = "
void f(int n, int steps, double alpha, const double A[restrict n][n], const double B[restrict n][n], double C[restrict n][n], double u[restrict 2][n])
{
#pragma scop
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            C[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            u[(t + 1) % 2][i] = 0.5 * (u[t % 2][i - 1] + u[t % 2][i + 1]);
#pragma endscop
}
";

/// What `farkas opt` does to a program, with the files that it writes: the code and the kernels.
fn opt(program: &str, more: &[&str]) -> (Run, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), program).expect("a file");
    let args = [&["opt", "f.c", "-o", "out.c", "--kernels", "out.cl"], more].concat();
    let run = farkas_in(folder.path(), &args);
    let written = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let (code, kernels) = (written("out.c"), written("out.cl"));
    (run, code, kernels)
}

#[test]
fn kernels_are_to_be_read() {
    for (target, name) in [("cuda", "kernels.cu"), ("opencl", "kernels.cl")] {
        let (run, code, kernels) = opt(PROGRAM, &["--target", target]);
        run.expect(0);
        insta::assert_snapshot!(name, kernels);
        let first = kernels.lines().last().expect("a line");
        assert!(code.contains(&format!("\"{first}\\n\"")), "the file has the kernels: {code}");
    }
}

/// A product with two buffers for each operand: what comes next is loaded before the sums are computed, and shared after them, behind one barrier.
#[test]
fn operands_have_two_buffers_where_a_recipe_asks_for_them() {
    let product = |buffers: u8| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let recipe = folder.path().join("two.json");
        let text = format!(
            "{{ \"recipe\": {{ \"name\": \"two\", \"steps\": [ {{ \"step\": \"schedule\", \"strategy\": \"locality-gpu\" }},
{{ \"plan\": \"gpu-tiles\", \"threads\": [4, 4], \"sums\": [2, 2], \"depth\": 4, \"buffers\": {buffers} }},
{{ \"plan\": \"kernels\" }}, {{ \"plan\": \"barriers\" }}] }} }}"
        );
        fs::write(&recipe, text).expect("a file");
        let recipe = recipe.to_str().expect("a name");
        let (run, _, kernels) = opt(PROGRAM, &["--target", "opencl", "--recipe", recipe]);
        assert_eq!(run.expect(0).err, "");
        let begin = kernels.find("void farkas_f_1(").expect("the product");
        let end = kernels[begin..].find("\n}\n").expect("its end");
        kernels[begin..begin + end].to_owned()
    };
    let in_loop = |kernel: &str| {
        let steps = kernel.find("for (int kt = 0;").expect("the loop over steps of the sum");
        kernel[steps..].matches("barrier(").count()
    };
    let two = product(2);
    insta::assert_snapshot!("buffers.cl", two);
    assert_eq!((in_loop(&product(1)), in_loop(&two)), (2, 1));
    assert_eq!(in_loop(&product(3)), 1);
}

/// What a sum of products is, whatever its sizes are: none, one tile, less than one, one more.
#[test]
fn buffers_in_turn_hold_the_right_tiles() {
    let function = "static void f(int n, int m, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < m; k++)
                c[i * n + j] += a[i * m + k] * b[k * n + j];
#pragma endscop
}";
    let main = "static float a[400], b[400], c[400];
    static const int sizes[] = {0, 1, 3, 4, 5, 8, 9, 13, 16, 20};
    for (int s = 0; s < 10; s++)
        for (int n = 1; n <= 20; n += 6) {
            for (int i = 0; i < 400; i++) { a[i] = i % 7; b[i] = i % 11; c[i] = i % 5; }
            f(n, sizes[s], a, b, c);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    float sum = (i * n + j) % 5;
                    for (int k = 0; k < sizes[s]; k++) sum += a[i * sizes[s] + k] * b[k * n + j];
                    if (sum != c[i * n + j]) printf(\"%d %d: %d %d\\n\", n, sizes[s], i, j);
                }
        }
    printf(\"done\");";
    for buffers in 1..=4 {
        let steps = format!(
            "{{ \"step\": \"schedule\", \"strategy\": \"locality-gpu\" }},
{{ \"plan\": \"gpu-tiles\", \"threads\": [4, 2], \"sums\": [2, 2], \"depth\": 4, \"buffers\": {buffers} }},
{{ \"plan\": \"kernels\" }}, {{ \"plan\": \"barriers\" }}"
        );
        assert_eq!(printed_by(function, main, Some(&steps)), "done", "{buffers} buffers");
    }
}

/// Loops that hand values on within a block alone.
const CHAIN: &str = "static void f(int n, double *restrict a, double *restrict b, double *restrict c, double *restrict d) {
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] += 1.0;
    for (int i = 0; i < n; i++)
        b[i] = 2.0 * a[i];
    for (int i = 0; i < n; i++)
        c[i] = b[n - 1 - i] + a[i];
    for (int i = 0; i < n; i++)
        d[i] = 3.0;
#pragma endscop
}";

#[test]
fn bands_between_whose_blocks_nothing_goes_are_one_launch() {
    let kernels = |more: &[&str]| {
        let flags = [&["--target", "opencl", "--strategy", "original"], more].concat();
        let (run, _, kernels) = opt(CHAIN, &flags);
        assert_eq!(run.expect(0).err, "");
        kernels
    };
    let joined = kernels(&[]);
    insta::assert_snapshot!("joined.cl", joined);
    assert_eq!(joined.matches("__kernel").count(), 2);
    assert_eq!(kernels(&["--without", "join-kernels"]).matches("__kernel").count(), 4);
    let main = "static double a[700], b[700], c[700], d[700]; double sum = 0;
    for (int i = 0; i < 700; i++) a[i] = i;
    f(700, a, b, c, d);
    for (int i = 0; i < 700; i++) sum += i * a[i] + 2 * i * b[i] + 3 * i * c[i] + 4 * i * d[i];
    printf(\"%.0f\", sum);";
    let steps = r#"{ "plan": "kernels", "threads": [16, 1, 1] }, { "plan": "join-kernels" }, { "plan": "barriers" }"#;
    let mut sum = 0.0;
    for i in 0..700 {
        let i = f64::from(i);
        let (a, b) = (i + 1.0, 2.0 * (i + 1.0));
        sum += i * a + 2.0 * i * b + 3.0 * i * (2.0 * (700.0 - i) + a) + 4.0 * i * 3.0;
    }
    assert_eq!(printed_by(CHAIN, main, Some(steps)), format!("{sum:.0}"));
}

/// A thread needs what another one of its block computed: one launch, with a barrier.
#[test]
fn threads_of_joined_kernels_wait_for_one_another() {
    let function = "static void f(int n, double a[restrict n][32], double b[restrict n][32]) {
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 32; j++)
            a[i][j] = i + j;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 32; j++)
            b[i][j] = a[i][31 - j];
#pragma endscop
}";
    let mapped = |stmt: &str| {
        format!(
            "{{ \"step\": \"map\", \"loop\": \"{stmt}.2\", \"to\": \"threads\", \"axes\": [\"x\"] }},
{{ \"step\": \"map\", \"loop\": \"{stmt}.1\", \"to\": \"blocks\", \"axes\": [\"x\"] }},
{{ \"step\": \"kernel\", \"loop\": \"{stmt}.1\", \"threads\": [32, 1, 1] }},\n"
        )
    };
    let steps =
        mapped("S0") + &mapped("S1") + "{ \"plan\": \"join-kernels\" }, { \"plan\": \"barriers\" }";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recipe = folder.path().join("joined.json");
    let text = format!("{{ \"recipe\": {{ \"name\": \"joined\", \"steps\": [{steps}] }} }}");
    fs::write(&recipe, text).expect("a file");
    let recipe = recipe.to_str().expect("a name");
    let (run, _, kernels) = opt(function, &["--target", "opencl", "--recipe", recipe]);
    assert_eq!(run.expect(0).err, "");
    assert_eq!((kernels.matches("__kernel").count(), kernels.matches("barrier(").count()), (1, 1));
    let main = "static double a[9][32], b[9][32]; double sum = 0; f(9, a, b);
    for (int i = 0; i < 9; i++) for (int j = 0; j < 32; j++) sum += (i * 32 + j) * b[i][j];
    printf(\"%.0f\", sum);";
    let sum: i32 = (0..9).flat_map(|i| (0..32).map(move |j| (i * 32 + j) * (i + 31 - j))).sum();
    assert_eq!(printed_by(function, main, Some(&steps)), sum.to_string());
}

#[test]
fn the_host_starts_kernels_and_keeps_the_original() {
    let (run, code, _) = opt(PROGRAM, &["--target", "opencl"]);
    run.expect(0);
    let region = code.find("farkas_ran = 0").expect("the region");
    insta::assert_snapshot!("host", &code[region..]);
}

#[test]
fn the_loop_along_lines_is_on_the_axis_x() {
    // The order in which the source has its loops does not matter.
    let exchanged = PROGRAM.replace(
        "for (int j = 0; j < n; j++)\n        for (int i = 0; i < n; i++) {",
        "for (int i = 0; i < n; i++)\n        for (int j = 0; j < n; j++) {",
    );
    assert_ne!(exchanged, PROGRAM);
    let [one, other] = [PROGRAM, &exchanged].map(|program| {
        let (run, _, kernels) = opt(program, &["--target", "cuda"]);
        run.expect(0);
        kernels
    });
    assert_eq!(one, other);
}

#[test]
fn buffers_have_types_that_kernels_know() {
    let named = PROGRAM.replace("double", "real");
    let (run, _, kernels) = opt(&format!("typedef float real;{named}"), &["--target", "opencl"]);
    run.expect(0);
    assert!(kernels.contains("__local float A_panel"), "{kernels}");
    assert!(!kernels.contains("real"), "{kernels}");
}

/// A program with this function and this body of `main`, after what `farkas opt` does to it for OpenCL: what it prints. Where there is no device,
/// the original runs.
fn printed(function: &str, main: &str) -> String {
    printed_by(function, main, None)
}

/// The same by the steps of a recipe. A device, where there is one, runs the kernels: the original does not take their place.
fn printed_by(function: &str, main: &str, steps: Option<&str>) -> String {
    let text = format!(
        "#include <math.h>\n#include <stdio.h>\n{function}\nint main(void) {{\n{main}\n}}\n"
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recipe = folder.path().join("mine.json");
    let recipe = recipe.to_str().expect("a name");
    let mut flags = vec!["--target", "opencl"];
    if let Some(steps) = steps {
        let file =
            format!("{{ \"recipe\": {{ \"name\": \"mine\", \"steps\": [\n{steps}\n] }} }}\n");
        fs::write(recipe, file).expect("a file");
        flags.extend(["--recipe", recipe]);
    }
    let (run, code, _) = opt(&text, &flags);
    let run = run.expect(0);
    assert!(!run.err.contains("a bug of Farkas"), "{}", run.err);
    assert!(code.contains("farkas_run("), "{code}\n{}", run.err);
    let (file, program) = (folder.path().join("f.c"), folder.path().join("f"));
    fs::write(&file, code).expect("a file");
    let flags = ["-ffp-contract=off", "-DFARKAS_FP_CONTRACT=0"];
    let mut compiler = Command::new("cc");
    compiler.args(flags).arg(&file).arg("-o").arg(&program).arg("-lm");
    assert!(compiler.status().expect("a compiler").success());
    let output = Command::new(&program).env("FARKAS_VERBOSE", "1").output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    let has_device = !told.contains("no device");
    assert!(has_device || std::env::var_os("FARKAS_TEST_OPENCL").is_none(), "{told}");
    assert!(!has_device || told.lines().all(|line| line.contains("OpenCL: copied in")), "{told}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn numbers_of_blocks_are_estimates() {
    // Counts down, with fewer iterations than a block has threads.
    let function = "static void f(int n, double a[n + 1][n + 1]) {
#pragma scop
    for (int i = n; i > 0; i--)
        a[i][i] += 1.0;
#pragma endscop
}";
    let main = "double a[8][8] = {{0}}, sum = 0; f(7, a);
    for (int i = 0; i < 8; i++) sum += a[i][i];
    printf(\"%g\", sum);";
    assert_eq!(printed(function, main), "7");
}

#[test]
fn functions_of_doubles_get_doubles() {
    let function = "static void f(int n, float x[n], double y[n]) {
#pragma scop
    for (int i = 0; i < n; i++)
        y[i] = sqrt(x[i]) + fmax(x[i], y[i]);
#pragma endscop
}";
    let main = "float x[5] = {2, 3, 5, 7, 11}; double y[5] = {0}; int wrong = 0; f(5, x, y);
    for (int i = 0; i < 5; i++) wrong += y[i] != sqrt((double)x[i]) + x[i];
    printf(\"%d\", wrong);";
    assert_eq!(printed(function, main), "0");
}

#[test]
fn what_lies_between_elements_of_others_is_not_overwritten() {
    let function = "static void f(int n, double *restrict a, double *restrict b) {
#pragma scop
    for (int i = 0; i < n; i++) {
        a[2 * i] += 1.0;
        b[2 * i] += 2.0;
    }
#pragma endscop
}";
    let main = "double x[16] = {0}, sum = 0; f(8, x, x + 1);
    for (int i = 0; i < 16; i++) sum += x[i];
    printf(\"%g\", sum);";
    assert_eq!(printed(function, main), "24");
}

#[test]
fn what_devices_cannot_do_stays_on_the_host() {
    let long = PROGRAM.replace("double u", "long double u");
    let call = PROGRAM.replace("0.5 * (", "rand48() * (");
    for (program, words) in [(long, "`u` has elements of type `long double`"), (call, "rand48")] {
        let (run, code, _) = opt(&program, &["--target", "opencl"]);
        let run = run.expect(i32::from(words == "rand48"));
        assert!(run.err.contains(words), "{}", run.err);
        assert!(!code.contains("farkas_run("), "{code}");
    }
}

/// Memory on the device begins where the pointer points: what lies in front of it would be read beyond that.
#[test]
fn elements_in_front_of_a_pointer_stay_on_the_host() {
    let always = "void f(int n, double *restrict p, double *restrict q)
{
#pragma scop
    for (int i = 0; i < n; i++)
        p[i - 1] = 2 * q[i];
#pragma endscop
}
";
    let (run, code, _) = opt(always, &["--target", "opencl"]);
    let run = run.expect(0);
    assert!(run.err.contains("elements in front of where `p` points"), "{}", run.err);
    assert!(!code.contains("farkas_run("), "{code}");
    let some = "static void f(int n, int k, double *restrict p, double *restrict q)
{
#pragma scop
    for (int i = 0; i < n; i++)
        p[i] = 2 * q[i - k];
#pragma endscop
}
";
    let (run, code, _) = opt(some, &["--target", "opencl"]);
    assert_eq!(run.expect(0).err, "");
    assert!(code.contains("&& !(n >= 1 && k >= 1)"), "{code}");
    let main = "double p[8], q[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0; f(6, 1, p, q + 1);
    for (int i = 0; i < 6; i++) sum = 10 * sum + p[i] / 2;
    f(6, -1, p, q);
    for (int i = 0; i < 6; i++) sum = 10 * sum + p[i] / 2;
    printf(\"%.0f\", sum);";
    assert_eq!(printed(some, main), "123456234567");
}

#[test]
fn what_never_runs_stays_on_the_host() {
    let never = "void f(int n, double a[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        if (n < 0)
            a[i] = 0.0;
#pragma endscop
}
";
    for strategy in ["locality-gpu", "pluto"] {
        let (run, code, _) = opt(never, &["--target", "opencl", "--strategy", strategy]);
        let run = run.expect(0);
        assert!(run.err.contains("none of its statements ever runs"), "{}", run.err);
        assert!(!code.contains("farkas_ran"), "{code}");
    }
}

/// Found by `farkas-fuzz --opencl` as seed 960235: isl prints the last iteration of the loop around the kernels by itself, so that one kernel has two
/// launches, each with buffers of its own.
#[test]
fn each_launch_has_the_buffers_of_its_kernel() {
    let text = "float B[1][9][11], C[11][12];
void f(void)
{
#pragma scop
    for (int i = 1; i <= 7 && i <= 6; i++) {
        for (int k2 = 0; k2 < 12; k2++)
            for (int m2 = 0; m2 < 4; m2++)
                C[1][k2] = 1;
        for (int k = 0; k < 11; k++)
            for (int k2 = 0; k2 < 5; k2++)
                for (int j3 = 0; j3 < 9; j3++)
                    B[0][j3][k] += C[j3][k2] * C[k][k2];
    }
#pragma endscop
}
";
    let (run, code, kernels) = opt(text, &["--target", "opencl", "--strategy", "locality-gpu"]);
    assert_eq!(run.expect(0).err, "");
    assert!(kernels.contains("B_panel") && code.contains("farkas_ran"), "{kernels}");
}

/// Weights of filters are in constant memory: of a pointer's elements only those that are touched, and only where some are.
#[test]
fn what_all_threads_read_at_once_is_in_constant_memory() {
    let text = "static const double w[3] = {1, 2, 1};
void f(int n, const float taps[4], const int at[4], const float perhaps[4], float x[n + 4], float y[n], double z[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < 4; k++)
            y[i] += taps[k] * x[i + k];
        z[i] = w[0] * x[i] + w[1] * x[i + 1] + w[2] * x[i + 2] + at[i % 4];
        if (x[i] > 0)
            z[i] += perhaps[2];
    }
#pragma endscop
}
";
    let (run, code, kernels) = opt(text, &["--target", "cuda"]);
    assert_eq!(run.expect(0).err, "");
    for part in [
        "typedef struct { double at[3]; } farkas_double_3;",
        "const farkas_float_4 taps",
        "taps.at[k]",
        "w.at[1]",
        "const int *__restrict__ at",
        "const float *__restrict__ perhaps",
    ] {
        assert!(kernels.contains(part), "{part}: {kernels}");
    }
    assert!(code.contains("&& !(n <= 0)") && code.contains("(void *)taps"), "{code}");
    assert!(!code.contains("gpu_taps") && code.contains("gpu_at"), "{code}");
    let (run, code, kernels) = opt(text, &["--target", "opencl"]);
    assert_eq!(run.expect(0).err, "");
    assert!(kernels.contains("__constant const float *restrict taps"), "{kernels}");
    assert!(code.contains("gpu_taps"), "copied where some are touched: {code}");
}

/// Found by `farkas-fuzz --opencl` as seed 990011: isl has no loop for the only value 3 of the second statement, which is the second thread's as the
/// first statement's instance of that value is; the first thread ran it, and nothing made it wait.
#[test]
fn what_has_no_loop_runs_on_the_thread_of_its_value() {
    let text = "void f(int n, double B[n + 1])
{
#pragma scop
    for (int l = 0; l < n; l++)
        B[l + 1] = 1;
    B[4] += 0.1;
#pragma endscop
}
";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recipe = r#"{ "recipe": { "name": "two", "steps": [
        { "step": "schedule", "strategy": "locality-gpu" }, { "plan": "gpu-tiles" },
        { "plan": "kernels", "threads": [2, 1, 1] }, { "plan": "barriers" }] } }"#;
    let recipe_file = folder.path().join("two.json");
    fs::write(&recipe_file, recipe).expect("a file");
    let recipe_file = recipe_file.to_str().expect("a name in UTF-8");
    let (run, _, kernels) = opt(text, &["--target", "opencl", "--recipe", recipe_file]);
    assert_eq!(run.expect(0).err, "");
    let own = kernels.find("if (tx == 1) {").expect("its thread");
    assert!(kernels[own..].contains("B[4] += 0.1;"), "{kernels}");
}

/// Found by `farkas-fuzz --opencl` as seed 1001584: a domain in pieces hides that each thread has its own sums, and a block has no room for all of
/// them. Then none are staged.
#[test]
fn what_has_no_room_in_a_block_is_not_staged() {
    let text = "void f(int n, double A[n][n + 1], double C[n + 1][n], double D[n + 1][n])
{
#pragma scop
    if (n != 2)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                for (int j = 0; j < n; j++)
                    A[k][i + 1] += C[j + 1][k] * D[i + 1][j];
#pragma endscop
}
";
    let (run, code, kernels) = opt(text, &["--target", "opencl"]);
    let told = run.expect(0).err;
    assert!(
        told.contains("and has at most 49152") && told.contains("kernels stage nothing"),
        "{told}"
    );
    assert!(!kernels.contains("__local") && code.contains("farkas_run("), "{kernels}");
}

/// Found by `farkas-fuzz --opencl` as seed 960154: a statement that never runs had a kernel of its own, without statements.
#[test]
fn what_never_runs_has_no_kernel() {
    let text = "double C[2];
void f(int n)
{
#pragma scop
    C[0] = n;
    if (n < 0 && n > 0)
        C[1] = n;
#pragma endscop
}
";
    for strategy in ["original", "locality-gpu"] {
        let run = opt(text, &["--target", "opencl", "--strategy", strategy]).0.expect(0);
        assert_eq!(run.err, "");
    }
}

/// Found by `farkas-fuzz --opencl` as seed 910025: writes of `s` that nothing reads may be in any order, as isl's scheduler has them, but threads
/// have no copies of `s`. The loop over `t` carries one once it is outside of `m - t`, which a planner brings about.
#[test]
fn loops_that_need_copies_of_temporaries_are_not_on_threads() {
    let text = "double C[3][4];
void f(int m)
{
    double s = 0;
#pragma scop
    for (int t = 0; t < 3; t++)
        for (int l = 0; l < m; l++)
            C[t][l] = 1;
    for (int t = 0; t < 2; t++)
        s = C[m - t][t];
#pragma endscop
}
";
    let recipe = r#"{ "recipe": { "name": "r", "steps": [{ "step": "schedule", "strategy": "isl" }, { "plan": "kernels" }] } }"#;
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("r.json"), recipe).expect("a file");
    let recipe = folder.path().join("r.json");
    let recipe = recipe.to_string_lossy();
    for order in [["--strategy", "isl"], ["--recipe", &recipe]] {
        let args = [&["--target", "opencl", "--deps", "memory"], &order[..]].concat();
        let run = opt(text, &args).0.expect(0);
        assert!(!run.err.contains("illegal-form"), "{}", run.err);
    }
}

#[test]
fn flags_that_make_no_sense_are_misuse() {
    let (run, code, _) = opt(PROGRAM, &["--target", "c"]);
    assert!(run.expect(2).err.contains("--kernels goes with --target cuda or opencl"));
    assert_eq!(code, "");
    let (run, ..) = opt(PROGRAM, &["--target", "cuda", "--strategy", "auto"]);
    assert!(run.expect(2).err.contains("name another one, as locality-gpu"));
}

#[test]
fn recipes_make_kernels() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), PROGRAM).expect("a file");
    let with = |steps: &str| {
        let recipe =
            format!("{{ \"recipe\": {{ \"name\": \"mine\", \"steps\": [\n{steps}\n] }} }}\n");
        fs::write(folder.path().join("mine.json"), recipe).expect("a file");
        let args = ["opt", "f.c", "--target", "cuda", "--recipe", "mine.json", "-o", "out.c"];
        farkas_in(folder.path(), &args)
    };
    let product = r#"{ "step": "distribute", "loop": "S0.1" },
{ "step": "tile", "loop": "S1.1", "sizes": [16, 16] },
{ "step": "map", "loop": "S1.tile.1", "to": "blocks", "axes": ["x", "y"] },
{ "step": "map", "loop": "S1.point.1", "to": "threads", "axes": ["x", "y"] },
{ "step": "kernel", "loop": "S1.tile.1", "threads": [16, 16, 1] },
{ "plan": "kernels" }"#;
    with(product).expect(0);
    // A loop that carries is not divided.
    let along = r#"{ "step": "map", "loop": "S2.1", "to": "threads", "axes": ["x"] }"#;
    assert!(with(along).expect(1).err.contains("the loop carries dependences"));
    let nested = r#"{ "step": "kernel", "loop": "S2.1", "threads": [1, 1, 1] },
{ "step": "kernel", "loop": "S2.2", "threads": [1, 1, 1] }"#;
    assert!(with(nested).expect(1).err.contains("there is a kernel around it"));
}

/// Adds one to each element of rows of two.
const ROWS: &str = "static void f(int n, signed char a[restrict n][2]) {
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2; j++)
            a[i][j] += 1;
#pragma endscop
}";

#[test]
fn more_blocks_than_devices_have_run_in_rounds() {
    // One thread a block: 70,000 blocks along y, of which there are 65,535.
    let main = "static signed char a[70000][2]; int wrong = 0; f(70000, a);
    for (int i = 0; i < 70000; i++) wrong += a[i][0] != 1 || a[i][1] != 1;
    printf(\"%d\", wrong);";
    let steps = r#"{ "step": "schedule", "strategy": "locality-gpu" }, { "plan": "kernels", "threads": [1, 1, 1] }"#;
    assert_eq!(printed_by(ROWS, main, Some(steps)), "0");
}

#[test]
fn loops_may_be_empty_or_shorter_than_blocks() {
    let main = "int wrong = 0;
    for (int n = 0; n < 70; n += n < 4 ? 1 : 13) {
        signed char a[80][2] = {{0}};
        f(n, a);
        for (int i = 0; i < 80; i++) wrong += a[i][0] != (i < n) || a[i][1] != (i < n);
    }
    printf(\"%d\", wrong);";
    assert_eq!(printed(ROWS, main), "0");
    let one = ROWS.replace("j < 2", "j < 1");
    let main = main.replace("|| a[i][1] != (i < n)", "|| a[i][1]");
    assert_eq!(printed(&one, &main), "0");
}

#[test]
fn blocks_that_devices_do_not_have_are_refused() {
    let by = |threads: &str| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("f.c"), ROWS).expect("a file");
        let file = format!(
            "{{ \"recipe\": {{ \"name\": \"mine\", \"steps\": [{{ \"step\": \"kernel\", \"loop\": \"S0.1\", \"threads\": {threads} }}] }} }}"
        );
        fs::write(folder.path().join("mine.json"), file).expect("a file");
        let args = ["opt", "f.c", "--target", "opencl", "--recipe", "mine.json", "-o", "out.c"];
        farkas_in(folder.path(), &args)
    };
    by("[32, 32, 1]").expect(0);
    for (threads, words) in [
        ("[32, 33, 1]", "a block has at most 1024 threads: choose fewer along an axis"),
        ("[1, 1, 65]", "a block has at most 64 threads along z"),
        ("[0, 1, 1]", "a block has at least 1 thread along each axis"),
        ("[4294967296, 4294967296, 1]", "a block has at most 1024 threads"),
    ] {
        let run = by(threads).expect(1);
        assert!(run.err.contains(words), "{}", run.err);
    }
}

/// The steps that stage tiles of `sizes` of the right operand of the product of [`PROGRAM`].
fn staged(size: usize) -> String {
    format!(
        r#"{{ "step": "distribute", "loop": "S0.1" }},
{{ "step": "tile", "loop": "S1.1", "sizes": [16, 16, {size}] }},
{{ "step": "stage", "loop": "S1.3", "stmt": "S1", "array": "B", "layout": ["S1.6", "S1.4"] }},
{{ "step": "map", "loop": "S1.4", "to": "threads", "axes": ["x", "y"] }},
{{ "step": "map", "loop": "S1.1", "to": "blocks", "axes": ["x", "y"] }},
{{ "step": "kernel", "loop": "S1.1", "threads": [16, 16, 1] }},
{{ "plan": "kernels" }}, {{ "plan": "barriers" }}"#
    )
}

#[test]
fn blocks_do_not_share_more_than_they_have() {
    let with = |size: usize| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let recipe = folder.path().join("mine.json");
        let steps = staged(size);
        let text =
            format!("{{ \"recipe\": {{ \"name\": \"mine\", \"steps\": [\n{steps}\n] }} }}\n");
        fs::write(&recipe, text).expect("a file");
        let recipe = recipe.to_str().expect("a name");
        opt(PROGRAM, &["--target", "opencl", "--recipe", recipe])
    };
    let (run, code, kernels) = with(384);
    assert_eq!(run.expect(0).err, "");
    assert!(code.contains("farkas_run(") && kernels.contains("__local double B_tile[384][16]"));
    let (run, code, _) = with(385);
    let told = "stays on the host: a block of a kernel shares 49280 bytes, and has at most 49152: smaller tiles need less";
    assert!(run.expect(0).err.contains(told));
    assert!(!code.contains("farkas_run("));
}

#[test]
fn blocks_count_what_they_run_from_where_it_begins() {
    // The second loop begins where the first one does not: equal values are those of one block.
    let function = "static void f(int n, double *restrict a, double *restrict b) {
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] += 1.0;
    for (int i = 3; i < n; i++)
        b[i] = a[i];
#pragma endscop
}";
    let main = "double a[40] = {0}, b[40] = {0}, sum = 0; f(40, a, b);
    for (int i = 0; i < 40; i++) sum += 100 * a[i] + b[i];
    printf(\"%g\", sum);";
    let steps = r#"{ "step": "map", "loop": "S0.1", "to": "blocks", "axes": ["x"] },
{ "step": "map", "loop": "S1.1", "to": "blocks", "axes": ["x"] },
{ "step": "kernel", "stmts": ["S0", "S1"], "threads": [1, 1, 1] }"#;
    assert_eq!(printed_by(function, main, Some(steps)), "4037");
}

#[test]
fn loops_that_count_down_are_divided_among_blocks() {
    let function = "static void f(int n, double *restrict a) {
#pragma scop
    for (int i = n - 1; i >= 0; i -= 2)
        a[i] += 1.0;
#pragma endscop
}";
    let main = "double a[40] = {0}, sum = 0; f(40, a);
    for (int i = 0; i < 40; i++) sum += (i + 1) * a[i];
    printf(\"%g\", sum);";
    let steps = r#"{ "step": "map", "loop": "S0.1", "to": "blocks", "axes": ["x"] },
{ "step": "kernel", "loop": "S0.1", "threads": [1, 1, 1] }"#;
    assert_eq!(printed_by(function, main, Some(steps)), "420");
}

#[test]
fn sums_of_products_of_one_tile_are_in_registers() {
    // A tile in all has no loop over tiles that could declare the buffers.
    let function =
        "static void f(double A[restrict 5][6], double B[restrict 6][7], double C[restrict 5][7]) {
#pragma scop
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++)
            for (int k = 0; k < 6; k++)
                C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}";
    let main = "double A[5][6], B[6][7], C[5][7] = {{0}}, sum = 0;
    for (int i = 0; i < 42; i++) (&B[0][0])[i] = i % 5 + 1;
    for (int i = 0; i < 30; i++) (&A[0][0])[i] = i % 7 + 1;
    f(A, B, C);
    for (int i = 0; i < 35; i++) sum += (i % 3 + 1) * (&C[0][0])[i];
    printf(\"%g\", sum);";
    assert_eq!(printed(function, main), "4603");
    let (_, _, kernels) = opt(function, &["--target", "opencl"]);
    assert!(kernels.contains("  double C_panel[4][4];"), "{kernels}");
    assert!(kernels.contains("  __local double A_panel["), "{kernels}");
    assert!(!kernels.contains("restrict C_panel"), "{kernels}");
}

#[test]
fn loops_that_write_a_temporary_in_order_stay_whole() {
    // Nothing reads `u`, which all iterations write.
    let function = "static void f(int n, double a[restrict n]) {
#pragma scop
    for (int i = 0; i < n; i++) {
        double u = 2.0 * a[i];
    }
    for (int i = 0; i < n; i++)
        a[i] += 1.0;
#pragma endscop
}";
    let main = "double a[70], sum = 0;
    for (int i = 0; i < 70; i++) a[i] = i;
    f(70, a);
    for (int i = 0; i < 70; i++) sum += a[i];
    printf(\"%g\", sum);";
    assert_eq!(printed(function, main), "2485");
}
