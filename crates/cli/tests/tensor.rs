//! Tensor cores: the text of kernels that use them, what it computes, by an emulation of warps, and what is refused.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Run, farkas_in};

/// A product with these declarations of the operands, and this statement.
fn program(ty: &str, [a, b]: [&str; 2], stmt: &str) -> String {
    format!(
        "void f(int n, int m, int p, const {ty} a[restrict]{a}, const {ty} b[restrict]{b}, float c[restrict][m])
{{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < p; k++)
                {stmt}
#pragma endscop
}}
"
    )
}

/// The usual one.
fn plain(ty: &str) -> String {
    program(ty, ["[p]", "[m]"], "c[i][j] += (float)a[i][k] * (float)b[k][j];")
}

/// What `farkas opt --report` does to a program, with the kernels that it writes.
fn opt(program: &str, more: &[&str]) -> (Run, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), program).expect("a file");
    let args = ["opt", "f.c", "-o", "out.c", "--kernels", "out.cu", "--report"];
    let run = farkas_in(folder.path(), &[&args, more].concat());
    let kernels = fs::read_to_string(folder.path().join("out.cu")).unwrap_or_default();
    (run, kernels)
}

/// The flags that ask for tensor cores.
const ASKED: [&str; 4] = ["--target", "cuda", "--reassociate", "--tensor"];

/// The kernels of a program where tensor cores are asked for.
fn kernels(program: &str, more: &[&str]) -> String {
    let (run, kernels) = opt(program, &[&ASKED, more].concat());
    let run = run.expect(0);
    assert!(run.err.contains("products of tensor cores"), "{}", run.err);
    kernels
}

/// A file beside this one.
fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tensor").join(name)
}

#[test]
fn kernels_are_to_be_read() {
    insta::assert_snapshot!("tensor.cu", kernels(&plain("_Float16"), &[]));
    let bf16 = kernels(&plain("__bf16"), &[]);
    assert!(bf16.contains("m16n8k16.row.col.f32.bf16.bf16.f32"), "{bf16}");
}

/// Sizes that are known: all tiles are full, and nothing is asked.
#[test]
fn full_tiles_have_no_conditions() {
    let text = plain("_Float16").replace("int n, int m, int p, ", "");
    let text = format!("#define n 1024\n#define m 512\n#define p 2048\n{text}");
    let kernels = kernels(&text, &[]);
    assert!(kernels.contains("farkas_mma_half(c_panel"), "{kernels}");
    assert!(!kernels.contains("__all_sync") && !kernels.contains("(float)"), "{kernels}");
}

/// What the kernel of a program prints, with an emulation of warps: where the elements of a row and a column lie, and how many warps a block has.
fn emulated(kernels: &str, is_bf16: bool, [a, b]: [&str; 2], n_warps: u32) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The functions with instructions of the device are the emulation's.
    let own: Vec<&str> = kernels.lines().filter(|line| !line.contains("asm")).collect();
    let text = format!(
        "#include \"{}\"\n{}\n#include \"{}\"\n",
        beside("warps.h").display(),
        own.join("\n"),
        beside("main.cpp").display()
    );
    let (source, program) = (folder.path().join("f.cpp"), folder.path().join("f"));
    fs::write(&source, text).expect("a file");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O1", "-ffp-contract=off", "-w"]);
    compiler.arg(format!("-DBF16={}", u8::from(is_bf16))).arg(format!("-DWARPS={n_warps}"));
    compiler.arg(format!("-DA={a}")).arg(format!("-DB={b}"));
    // Arrays are arguments in the order in which the statement has them.
    let mut memory = ["a", "b", "c"];
    memory.sort_by_key(|name| kernels.find(&format!("__restrict__ {name},")));
    compiler.arg(format!("-DMEMORY={}", memory.map(|name| format!("{name}.data()")).join(",")));
    let output = compiler.arg(&source).arg("-o").arg(&program).output().expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&program).output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}");
    printed
}

/// Where elements lie: the rows of the operand of rows along the sum or across, and those of columns.
const ALONG_ROWS: &str = "i*p+k";
const ACROSS_ROWS: &str = "k*n+i";
const ALONG_COLUMNS: &str = "j*p+k";
const ACROSS_COLUMNS: &str = "k*m+j";

#[test]
fn warps_compute_what_the_loops_do() {
    let products = emulated(
        &kernels(&plain("_Float16"), &["--block", "4,64", "--sums", "4,16"]),
        false,
        [ALONG_ROWS, ACROSS_COLUMNS],
        8,
    );
    // Of full sizes each product of 16 x 8 x 16 is an instruction; of others those of full tiles of warps.
    assert_eq!(
        products,
        "256 x 128 x 64: 1024 products
257 x 67 x 97: 768 products
83 x 109 x 37: 64 products
31 x 7 x 13: 0 products
1 x 1 x 1: 0 products
64 x 64 x 32: 64 products
128 x 64 x 0: 0 products
"
    );
}

#[test]
fn operands_lie_as_they_may() {
    let transposed =
        program("__bf16", ["[n]", "[p]"], "c[i][j] = (float)b[j][k] * a[k][i] + c[i][j];");
    for sums in ["8,8", "4,16", "2,8", "6,10"] {
        for n_warps in [1, 2, 4] {
            let block = format!("4,{}", 8 * n_warps);
            let more = ["--block", &block, "--sums", sums];
            let layout = [ACROSS_ROWS, ALONG_COLUMNS];
            let printed = emulated(&kernels(&transposed, &more), true, layout, n_warps);
            assert!(
                printed.contains("256 x 128 x 64: 1024 products") || sums == "6,10",
                "{printed}"
            );
        }
    }
}

/// Two buffers for each operand, by a recipe.
#[test]
fn operands_of_warps_have_two_buffers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recipe = folder.path().join("two.json");
    let text = "{ \"recipe\": { \"name\": \"two\", \"steps\": [ { \"step\": \"schedule\", \"strategy\": \"locality-gpu\" },
{ \"plan\": \"gpu-tiles\", \"threads\": [4, 16], \"sums\": [4, 16], \"buffers\": 2, \"tensor\": true },
{ \"plan\": \"kernels\" }, { \"plan\": \"barriers\" }] } }";
    fs::write(&recipe, text).expect("a file");
    let recipe = recipe.to_str().expect("a name");
    let (run, kernels) =
        opt(&plain("_Float16"), &["--target", "cuda", "--reassociate", "--recipe", recipe]);
    run.expect(0);
    let printed = emulated(&kernels, false, [ALONG_ROWS, ACROSS_COLUMNS], 2);
    assert!(printed.starts_with("256 x 128 x 64: 1024 products\n"), "{printed}");
    // OpenCL has no words for it: the same recipe gives loops.
    let (run, kernels) =
        opt(&plain("_Float16"), &["--target", "opencl", "--reassociate", "--recipe", recipe]);
    let run = run.expect(0);
    assert!(run.err.contains("no tensor cores: kernels in OpenCL C have no words"), "{}", run.err);
    assert!(kernels.contains("__kernel") && !kernels.contains("mma"), "{kernels}");
}

/// Each reason for which there are none.
#[test]
fn what_tensor_cores_do_not_compute_is_told() {
    let stmt = |stmt| program("_Float16", ["[p]", "[m]"], stmt);
    let cuda = ["--target", "cuda", "--reassociate", "--tensor"];
    let half_sums = plain("_Float16").replace("float c[", "_Float16 c[");
    let mixed = plain("_Float16").replace("const _Float16 b[", "const float b[");
    let short = plain("_Float16").replace("int n, int m", "int m").replace("i < n", "i < 8");
    let cases: [(String, Vec<&str>, &str); 9] = [
        (
            plain("_Float16"),
            vec!["--target", "cuda", "--tensor"],
            "the order of the sum is not free (--reassociate)",
        ),
        (half_sums, cuda.to_vec(), "the sum is no `float`"),
        (mixed, cuda.to_vec(), "the operands are not both `_Float16`, or both `__bf16`"),
        (
            stmt("c[i][j] += a[i][k] * b[k][j];"),
            cuda.to_vec(),
            "each product is rounded to 16 bits: operands are to be converted to `float` before",
        ),
        (
            stmt("c[i][j] += 2.0f * (float)a[i][k] * (float)b[k][j];"),
            cuda.to_vec(),
            "more is computed than the product of two elements, which is added to a sum",
        ),
        (
            plain("__bf16"),
            [&cuda[..], &["--machine", "mi300x"]].concat(),
            "mi300x has none for `__bf16`",
        ),
        (
            short,
            cuda.to_vec(),
            "a warp has 16 rows, 32 columns and 32 steps of the sum at once at least, and there are fewer",
        ),
        (
            plain("_Float16"),
            [&cuda[..], &["--sums", "3,4"]].concat(),
            "blocks are to have 4 threads along x",
        ),
        (
            plain("_Float16"),
            [&cuda[..], &["--block", "16,16"]].concat(),
            "blocks are to have 4 threads along x",
        ),
    ];
    for (program, flags, why) in cases {
        let (run, kernels) = opt(&program, &flags);
        let run = run.expect(0);
        assert!(run.err.contains(&format!("no tensor cores: {why}")), "{why}: {}", run.err);
        assert!(kernels.contains("__global__") && !kernels.contains("mma"), "{why}: {kernels}");
    }
}

#[test]
fn tensor_cores_go_with_cuda() {
    for target in ["opencl", "openmp"] {
        let (run, _) = opt(&plain("_Float16"), &["--target", target, "--tensor"]);
        let run = run.expect(2);
        assert!(run.err.contains("--tensor goes with --target cuda"), "{}", run.err);
    }
}

/// What a command prints to both streams; it succeeds.
fn told(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

/// NVIDIA's compilers, where they are: no warning, and nothing spills.
#[test]
fn compilers_of_cuda_take_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    for ty in ["_Float16", "__bf16"] {
        fs::write(at("f.cu"), kernels(&plain(ty), &[])).expect("a file");
        if let Some(library) = std::env::var_os("FARKAS_TEST_NVRTC") {
            let driver = beside("../../../farkas/tests/nvrtc.c");
            told(Command::new("cc").arg(driver).arg("-o").arg(at("nvrtc")).arg("-ldl"));
            let mut nvrtc = Command::new(at("nvrtc"));
            let text = told(nvrtc.arg(library).arg(at("f.cu")).args(["sm_80", "sm_90"]));
            assert!(!text.contains("warning"), "{text}");
        }
        let Some(nvcc) = std::env::var_os("FARKAS_TEST_NVCC") else { continue };
        for arch in ["sm_80", "sm_90"] {
            let mut compiler = Command::new(&nvcc);
            compiler.current_dir(folder.path());
            compiler.args(["-arch", arch, "-cubin", "-Xptxas", "-v", "-o", "f.cubin", "f.cu"]);
            let text = told(&mut compiler);
            assert!(!text.contains("warning"), "{text}");
            assert!(text.contains("0 bytes spill stores, 0 bytes spill loads"), "{text}");
        }
    }
}
