//! Kernels with numbers of types that devices need not have, half precision, `__bf16` and truth values, and with names that their languages have.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use farkas_run::{Compiler, compiler_with_bf16};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::farkas_in;

/// The programs.
const PROGRAMS: [&str; 4] = ["halves.c", "bfloats.c", "truths.c", "words.c"];

/// A compiler that rounds after each operation of half precision, as kernels do; none that has the type here.
fn compiler_of(program: &str) -> Option<Compiler> {
    let flags = ["-O1", "-ffp-contract=off", "-DFARKAS_FP_CONTRACT=0"];
    if program == "bfloats.c" {
        return compiler_with_bf16(&flags, &beside("../../run/src/bf16.c"));
    }
    let flags = flags.into_iter().chain(["-fexcess-precision=16"]).map(str::to_owned).collect();
    Some(Compiler { command: "gcc".to_owned(), flags })
}

/// A file beside this one.
fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// What a command prints to both streams; it succeeds.
fn told(command: &mut Command) -> [String; 2] {
    let output = command.output().expect("it runs");
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{command:?}: {out}{err}");
    [out, err]
}

/// What a file prints that a compiler compiles.
fn printed(folder: &Path, compiler: &Compiler, file: &str) -> [String; 2] {
    let program = folder.join("program");
    let mut command = Command::new(&compiler.command);
    command.current_dir(folder).args(&compiler.flags);
    told(command.arg(file).arg("-o").arg(&program).arg("-lm"));
    told(Command::new(&program).env("FARKAS_VERBOSE", "1"))
}

/// What `farkas opt` makes of a program in a folder, as `out.c` with kernels in `kernels`: all of it runs on the device.
fn transformed(folder: &Path, program: &str, kernels: &str, more: &[&str]) {
    fs::copy(beside("gpu_types").join(program), folder.join(program)).expect("a file");
    let args = ["opt", program, "-o", "out.c", "--kernels", kernels];
    let run = farkas_in(folder, &[&args, more].concat()).expect(0);
    assert!(!run.err.contains("on the host"), "{}", run.err);
}

#[test]
fn devices_compute_what_the_host_does() {
    let is_gate = std::env::var_os("FARKAS_TEST_OPENCL").is_some();
    for program in PROGRAMS {
        let Some(compiler) = compiler_of(program) else {
            eprintln!("{program} is skipped: neither gcc nor clang computes with `__bf16` here");
            continue;
        };
        for strategy in ["locality-gpu", "pluto"] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let more = ["--target", "opencl", "--sums", "2,2", "--strategy", strategy];
            transformed(folder.path(), program, "out.cl", &more);
            let [expected, _] = printed(folder.path(), &compiler, program);
            let [out, err] = printed(folder.path(), &compiler, "out.c");
            assert_eq!(out, expected, "{program} under {strategy}");
            let has_device = !err.contains("no device");
            assert!(has_device || !is_gate, "{err}");
            assert!(!has_device || err.lines().all(|line| line.contains("copied in")), "{err}");
        }
    }
}

#[test]
fn kernels_are_to_be_read() {
    for (target, name) in [("opencl", "halves.cl"), ("cuda", "halves.cu")] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        transformed(folder.path(), "halves.c", name, &["--target", target, "--sums", "2,2"]);
        let kernels = fs::read_to_string(folder.path().join(name)).expect("kernels");
        insta::assert_snapshot!(name, kernels);
    }
    for (program, name) in [("truths.c", "truths.cl"), ("bfloats.c", "bfloats.cl")] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        transformed(folder.path(), program, name, &["--target", "opencl"]);
        let kernels = fs::read_to_string(folder.path().join(name)).expect("kernels");
        insta::assert_snapshot!(name, kernels);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    transformed(folder.path(), "bfloats.c", "bfloats.cu", &["--target", "cuda"]);
    let kernels = fs::read_to_string(folder.path().join("bfloats.cu")).expect("kernels");
    // Functions, and the kernels that convert.
    let (functions, kernels) = kernels.split_once("\n\n").expect("kernels");
    let parts = kernels.split("\n\n").filter(|kernel| kernel.contains("farkas_converted_"));
    let parts = [functions].into_iter().chain(parts).collect::<Vec<_>>().join("\n\n");
    insta::assert_snapshot!("bfloats.cu", parts);
}

/// NVRTC and nvcc compile the CUDA text without a warning, where they are.
#[test]
fn compilers_of_cuda_take_kernels() {
    let architectures = ["sm_80", "sm_90"];
    for program in PROGRAMS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        transformed(folder.path(), program, "out.cu", &["--target", "cuda"]);
        let at = |name: &str| folder.path().join(name);
        if let Some(library) = std::env::var_os("FARKAS_TEST_NVRTC") {
            let driver = beside("../../farkas/tests/nvrtc.c");
            told(Command::new("cc").arg(driver).arg("-o").arg(at("nvrtc")).arg("-ldl"));
            let mut nvrtc = Command::new(at("nvrtc"));
            let text = told(nvrtc.arg(library).arg(at("out.cu")).args(architectures)).concat();
            assert!(!text.contains("warning"), "{text}");
        }
        let Some(nvcc) = std::env::var_os("FARKAS_TEST_NVCC") else { continue };
        for architecture in architectures {
            let mut nvcc = Command::new(&nvcc);
            nvcc.args(["-cubin", "-Werror", "all-warnings", "-arch", architecture]);
            told(nvcc.arg(at("out.cu")).arg("-o").arg(at("cubin")));
        }
    }
}

/// A host that knows nothing but the plan has the types of what it hands over.
#[test]
fn plans_have_the_types_of_the_host() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let more = ["--target", "opencl", "--host", "none"];
    transformed(folder.path(), "halves.c", "out.cl", &more);
    let plan = fs::read_to_string(folder.path().join("out.c")).expect("a plan");
    let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
    let axpy = &plan["regions"][0];
    let arguments = axpy["kernels"][0]["arguments"].as_array().expect("arguments");
    let alpha = arguments.iter().find(|argument| argument["name"] == "alpha").expect("alpha");
    assert_eq!([&alpha["type"], &alpha["declaration"]], ["half", "const unsigned short alpha"]);
    assert_eq!(alpha["bytes"], 2);
    assert_eq!(axpy["memory"][0]["type"], "half");
}

/// What has no form in kernels stays on the host, which says why.
#[test]
fn what_has_no_form_stays_on_the_host() {
    let long =
        "typedef long double wide; void f(int n, wide t, _Float16 *restrict x, wide *restrict y) {
#pragma scop
  for (int i = 0; i < n; i++) x[i] = VALUE;
#pragma endscop
}";
    let cases = [
        ("y[i]", "elements of type `wide`"),
        ("(__float128)2", "computes with type `__float128`"),
        ("x[i] + (__bf16)2", "an operation on `_Float16` and `__bf16`"),
        ("1e39bf16", "a number that devices do not have"),
        ("(wide)2", "computes with type `wide`"),
        // The `double` nearest to it lies in the middle of two halves, and it does not.
        ("1.00048828125000000000000000001f16", "a number that devices do not have"),
        ("1e9f16", "a number that devices do not have"),
        ("0x1p-3f16", "a number that devices do not have"),
    ];
    for (value, reason) in cases {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("f.c"), long.replace("VALUE", value)).expect("a file");
        let args = ["opt", "f.c", "-o", "out.c", "--target", "opencl"];
        let run = farkas_in(folder.path(), &args).expect(0);
        assert!(run.err.contains(reason), "{value}: {}", run.err);
    }
}
