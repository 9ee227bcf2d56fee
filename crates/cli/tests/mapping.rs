//! `farkas show --mapping`, and machines for kernels.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Run, farkas_in};

/// Two products, of which the second has its loops exchanged.
const PRODUCTS: &str = "
void f(int n, const double A[restrict n][n], const double B[restrict n][n], double T[restrict n][n], const double C[restrict n][n], double D[restrict n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                T[i][j] += A[i][k] * B[k][j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            D[i][j] *= 2.0;
            for (int k = 0; k < n; k++)
                D[i][j] += T[i][k] * C[k][j];
        }
#pragma endscop
}
";

/// The folder of the kernels.
fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels")
}

/// The kernels of a mapping.
fn mapping(run: Run) -> Vec<Value> {
    let document: Value = serde_json::from_str(&run.expect(0).out).expect("JSON");
    let found = document["regions"][0]["mapping"]["kernels"].as_array().cloned();
    found.expect("kernels")
}

/// The kernels of a C text in the mapping that `show` prints with these flags.
fn shown(text: &str, flags: &[&str]) -> (Run, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("f.c"), text).expect("a file");
    let args = [&["show", "f.c", "--mapping", "--target", "cuda"], flags].concat();
    let run = farkas_in(folder.path(), &args);
    let out = run.out.clone();
    (run, out)
}

#[test]
fn the_mapping_is_a_table() {
    let (run, out) = shown(PRODUCTS, &["--sizes", "n=2000"]);
    run.expect(0);
    insta::assert_snapshot!("table", out);
}

/// Section 6 of the paper on the locality model: the loops over rows and columns on the axes y and x, in whatever order the source has them.
#[test]
fn exchanged_loops_have_the_same_mapping() {
    let [i, j] = ["i", "j"].map(|it| format!("for (int {it} = 0; {it} < n; {it}++)"));
    let exchanged = PRODUCTS.replace(&format!("{i}\n        {j}"), &format!("{j}\n        {i}"));
    assert_ne!(exchanged, PRODUCTS);
    let [one, other] = [PRODUCTS, &exchanged].map(|text| {
        let (run, out) = shown(text, &["--sizes", "n=2000"]);
        run.expect(0);
        out
    });
    assert_eq!(one, other);
}

/// The schedules of section 6.
///
/// - 2mm: rows and columns outermost and parallel, in the fusion of the source, as in the paper. Columns come first, for they were made to walk along lines,
///   and get the axis x. Afterwards `gpu-tiles` gives what sets sums to zero or scales them a kernel of its own, and so four in the place of two.
/// - lu: `S1(i, j, k) -> (k, 1, j, i)`, `S2(i, j) -> (j, 0, j, i)`, `S3(i, j, k) -> (k, 1, j, i)`: both updates share a kernel, after the division.
#[test]
fn schedules_are_those_of_section_6() {
    for name in ["2mm", "lu"] {
        let file = format!("{name}.c");
        let args = ["show", &file, "--schedule", "--target", "cuda", "--strategy", "locality-gpu"];
        insta::assert_snapshot!(name, farkas_in(&kernels(), &args).expect(0).out);
    }
}

/// Operands that threads of a warp read from shared memory are in different banks, and what they bring is along lines.
#[test]
fn banks_of_shared_memory_do_not_conflict() {
    let (run, _) = shown(PRODUCTS, &["--sizes", "n=2000", "--format", "json"]);
    let kernels = mapping(run);
    let references = kernels.iter().flat_map(|k| k["references"].as_array().expect("a list"));
    let shared: Vec<&Value> =
        references.filter(|r| r["place"] == "shared" && r["kind"] == "read").collect();
    assert_eq!(shared.len(), 4, "{shared:?}");
    assert!(shared.iter().all(|r| r["bank_conflicts"] == 0 && r["threads"] == 32), "{shared:?}");
}

#[test]
fn sizes_are_those_of_the_machine_or_of_flags() {
    let threads = |flags: &[&str]| {
        let (run, _) = shown(PRODUCTS, &[&["--format", "json"], flags].concat());
        mapping(run)[0]["threads"].to_string()
    };
    assert_eq!(threads(&[]), "[32,8,1]");
    assert_eq!(threads(&["--machine", "pocl-cpu"]), "[32,8,1]");
    assert_eq!(threads(&["--block", "8,4,2"]), "[8,4,2]");
    let (run, _) = shown(PRODUCTS, &["--format", "json", "--sums", "2,3"]);
    let registers = mapping(run)[1]["registers"][0]["bytes"].clone();
    assert_eq!(registers, 2 * 3 * 8);
    // Few threads: smaller blocks.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let h100 = farkas_in(folder.path(), &["machine", "h100", "--json"]).expect(0).out.clone();
    let few = h100.replace("\"threads_per_block\": 1024", "\"threads_per_block\": 64");
    assert_ne!(few, h100);
    let file = folder.path().join("few.json");
    fs::write(&file, few).expect("a file");
    assert_eq!(threads(&["--machine", file.to_str().expect("a path")]), "[32,2,1]");
}

#[test]
fn flags_for_kernels_go_with_kernels() {
    let refused = |flags: &[&str]| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("f.c"), PRODUCTS).expect("a file");
        let run = farkas_in(folder.path(), &[&["show", "f.c"], flags].concat());
        run.expect(2).err.clone()
    };
    assert!(refused(&["--mapping"]).contains("--mapping goes with --target cuda or opencl"));
    assert!(refused(&["--ast", "--block", "32"]).contains("--block and --sums go with"));
    let cuda = ["--mapping", "--target", "cuda"];
    let with = |flags: &[&str]| refused(&[&cuda, flags].concat());
    assert!(with(&["--machine", "amd-zen4"]).contains("is a processor"));
    assert!(with(&["--block", "1,2,3,4"]).contains("three axes at most"));
    assert!(with(&["--block", "64,32"]).contains("too large for h100: expected 1024 at most"));
    assert!(with(&["--sums", "4"]).contains("rows and columns of sums"));
    assert!(refused(&["--ast", "--machine", "h100"]).contains("is a GPU"));
}

/// Kernels, and how often they start, of what Figure 5 of the paper on the locality model lists at its sizes: what it has for `ppcg spatial`, and
/// ours, with a launch for each band, and where those are joined between whose blocks nothing goes.
///
/// - adi: six kernels are four, since the sweeps along rows, forward and backward, share one with what begins them.
/// - gramschmidt: as many kernels; two of them, which set sums to zero, run once before all columns.
/// - joined: the sweeps of adi, each with what begins it, and the roots of gramschmidt with the sums that they are of.
/// - symm: the two loops that update a column and sum up share a kernel, for its temporary has places of its own.
/// - trisolv: as many launches; the first division and the sums before it have kernels of their own.
#[test]
fn launches_are_those_of_figure_5() {
    for (name, sizes, published, ours, joined) in [
        ("adi", "tsteps=512,n=512", (6, 3072), (4, 2048), (2, 1024)),
        ("gramschmidt", "m=2048,n=2048", (7, 12_287), (7, 10_240), (6, 8192)),
        ("lu", "n=4096", (2, 8190), (2, 8190), (2, 8190)),
        ("seidel-2d", "tsteps=1024,n=4096", (1, 16_372), (1, 16_372), (1, 16_372)),
        ("symm", "m=2048,n=2048", (2, 2), (1, 1), (1, 1)),
        ("trisolv", "n=4096", (3, 8192), (4, 8192), (4, 8192)),
    ] {
        let file = format!("{name}.c");
        let of = |more: &[&str]| {
            let args = ["show", &file, "--mapping", "--target", "cuda", "--sizes", sizes];
            let args = [&args[..], &["--format", "json"], more].concat();
            let kernels = mapping(farkas_in(&kernels(), &args));
            let launches = kernels.iter().map(|k| k["launches"].as_u64().expect("a number"));
            (kernels.len(), launches.sum::<u64>())
        };
        assert_eq!(of(&["--without", "join-kernels"]), ours, "{name}");
        assert_eq!(of(&[]), joined, "{name}");
        assert!(ours.1 <= published.1, "{name} has more launches than the paper");
    }
}
