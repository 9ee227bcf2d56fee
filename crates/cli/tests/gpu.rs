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
    let text = format!(
        "#include <math.h>\n#include <stdio.h>\n{function}\nint main(void) {{\n{main}\n}}\n"
    );
    let (run, code, _) = opt(&text, &["--target", "opencl"]);
    run.expect(0);
    assert!(code.contains("farkas_run("), "{code}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, program) = (folder.path().join("f.c"), folder.path().join("f"));
    fs::write(&file, code).expect("a file");
    let flags = ["-ffp-contract=off", "-DFARKAS_FP_CONTRACT=0"];
    let mut compiler = Command::new("cc");
    compiler.args(flags).arg(&file).arg("-o").arg(&program).arg("-lm");
    assert!(compiler.status().expect("a compiler").success());
    let output = Command::new(&program).output().expect("it runs");
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
