//! What `farkas normalize` writes is its own normal form: read again it has the hash that it had, and it computes the same, bit for bit.

mod common;

use common::normal::{kernel, kernels, region_of, reread};
use common::{repository, side_by_side};
use farkas::show::{Stage, StageResult, show};
use farkas::{Input, Options, normalizing, optimize, splice, whole_region};
use farkas_run::{Build, Compiler, Exit, RunOptions};
use farkas_scop::Region;
use std::collections::BTreeSet;

/// Kernels whose normal form has another hash when it is read again, and why.
const KERNELS: [(&str, &str); 4] = [
    ("advection", "of the sides of a square that are printed none is in loops for both dimensions"),
    ("deriche", "scalars in front of its loops are not in a region that is found by itself"),
    ("ludcmp", "its sums are pieces of one only once the scalar that they share is gone"),
    ("gramschmidt", "a diagonal becomes a piece of a triangle once both have loops of their own"),
];

/// Programs of `everyday/` of which some region has another hash when it is read again, or is left out, and why.
const EVERYDAY: [(&str, &str); 11] = [
    ("attention-heads", "refused: its normal form takes too much work"),
    (
        "biquad",
        "arrays of its states have their dimensions in the order that loops had before they were sorted",
    ),
    (
        "kmeans-ternary",
        "parts of its outer loop begin with another iteration when they are read again",
    ),
    ("layernorm-backward", "refused: its normal form takes too much work"),
    (
        "maxpool",
        "the domain of its innermost statement is written otherwise, of numbers modulo two",
    ),
    (
        "life-torus",
        "of the sides of a square that are printed none is in loops for both dimensions",
    ),
    ("median3", "unsigned subscripts are written with other conversions"),
    ("pipeline3", "of the sides of an image that are printed none is in loops for both dimensions"),
    (
        "prefix-sum",
        "beside its loops stand those for sizes beyond 2^62, which count in another type",
    ),
    (
        "shortest-paths",
        "beside its loops stand those for sizes beyond 2^62, which count in another type",
    ),
    ("smith-waterman", "a first iteration that does not always run stands for itself"),
];

/// The text with each region in its normal form.
fn normalized(input: &Input) -> String {
    let options = normalizing(Options::default()).expect("options");
    let code = |region: &Region| {
        let whole = whole_region(region).expect("a region");
        let region = whole.as_ref().unwrap_or(region);
        (region.span, optimize(region, &options).expect("code").code)
    };
    splice(&input.source, &input.regions.iter().map(code).collect::<Vec<_>>())
}

/// The hash of a region with the parts of statements in their place, which `farkas normalize` writes.
fn hash(region: &Region) -> String {
    let options = Options { divide: true, ..Options::default() };
    let shown = show(region, Stage::NormalForm, &options).expect("a normal form");
    let StageResult::NormalForm(form) = shown.result else { panic!("a normal form") };
    form.whole.hash
}

/// What a program prints.
fn printed(name: &str, text: &str) -> String {
    let compiler: Compiler = "gcc -O2 -ffp-contract=off -w".parse().expect("a command line");
    let folder = repository().join("kernels");
    let flags = ["-iquote".to_owned(), folder.display().to_string()];
    let build = Build::text(format!("{name}.c"), text).flags(flags);
    let program = compiler.compile(&build).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let output = program.run(&RunOptions::default()).expect("a run");
    assert_eq!(output.exit, Exit::Code(0), "{name}: {}", output.stderr);
    output.stdout
}

/// What is wrong with the normal form of a program and with that of its normal form, as far as its regions of these numbers are concerned: of a
/// region that needs memory another one is left, for want of that.
fn check(name: &str, input: &Input, own: &dyn Fn(&Input) -> Vec<usize>) -> Option<String> {
    let hashes = |input: &Input, regions: &[usize]| -> BTreeSet<String> {
        regions.iter().map(|at| hash(&input.regions[*at])).collect()
    };
    let mut all = hashes(input, &own(input));
    let expected = printed(name, input.source.text());
    let mut text = input.source.text().to_owned();
    for _ in 0..2 {
        let before = reread(&text);
        text = normalized(&before);
        if printed(name, &text) != expected {
            return Some(format!("{name} prints something else:\n{text}"));
        }
        let again = reread(&text);
        let found = hashes(&again, &(0..again.regions.len()).collect::<Vec<_>>());
        all.retain(|hash| !found.contains(hash));
        if !all.is_empty() {
            return Some(format!("{name} has another hash:\n{text}"));
        }
        all = hashes(&again, &own(&again));
    }
    None
}

/// What is wrong with kernels.
fn check_kernels(names: &[String]) -> Vec<String> {
    let check = |_: usize, name: &String| {
        let input = kernel(name);
        check(name, &input, &|input| vec![region_of(input, name)])
    };
    side_by_side(names, check).into_iter().flatten().collect()
}

#[test]
fn kernels_are_their_own_normal_forms() {
    // Loops that count apart, temporaries that get arrays, pieces that are one.
    let names = ["gemm", "red-black", "doitgen", "trisolv"].map(str::to_owned);
    assert_eq!(check_kernels(&names), Vec::<String>::new());
}

#[test]
#[ignore = "long"]
fn all_kernels_are_their_own_normal_forms() {
    let is_left = |name: &String| KERNELS.iter().any(|(other, _)| other == name);
    let names: Vec<String> = kernels().into_iter().filter(|name| !is_left(name)).collect();
    assert_eq!(check_kernels(&names), Vec::<String>::new());
}

#[test]
#[ignore = "long"]
fn everyday_programs_are_their_own_normal_forms() {
    let folder = repository().join("kernels/everyday");
    let files =
        std::fs::read_dir(folder).expect("programs").map(|file| file.expect("a file").path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect();
    files.sort();
    let check = |_: usize, path: &std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if EVERYDAY.iter().any(|(other, _)| *other == name) {
            return None;
        }
        let text = std::fs::read_to_string(path).expect("a program");
        let input = reread(&text);
        check(&name, &input, &|input| (0..input.regions.len()).collect())
    };
    let told: Vec<String> = side_by_side(&files, check).into_iter().flatten().collect();
    assert_eq!(told, Vec::<String>::new());
}

/// Programs, each the least that once had another normal form when its own was read again.
const SMALL: [(&str, &str, &str); 6] = [
    (
        "a buffer of what was one before keeps its name",
        "int n, double A[n]",
        "double s; for (int i = 0; i < n; i++) { s = A[i] * 2; for (int j = 0; j < n; j++) {
         s = s * 0.5 + A[j]; for (int k = 0; k < n; k++) A[k] += s; } }",
    ),
    (
        "bounds of multiples are multiples",
        "double A[9], double B[9][5]",
        "for (int i = 0; i < 8; i++) if ((i + 1) % 4 != 0) A[i] = B[i][0];",
    ),
    (
        "an iteration in which more runs is none of its own",
        "int n, int m, double A[10], double B[10][m]",
        "for (int i = 0; i < 10; i++) { A[i] *= A[0]; if (i == n) for (int j = 0; j < m; j++)
         B[n][j] = A[n] * A[0] + B[n][j]; A[0] += 1; }",
    ),
    (
        "conversions of iterators hide no condition",
        "int n, double A[9], double D[9][n]",
        "for (int t = 1; t < 6; t++) for (int j = t + 2; j <= n; j++)
         A[t - 1] += t == 5 && D[t][j - 1] < A[t] ? A[t + 1] : A[t + 2];",
    ),
    (
        "loops in strides count, whichever way they run",
        "int n, double A[n], double B[n]",
        "for (int i = n; i >= 0; i -= 3) A[i] = A[i + 1] * B[i];",
    ),
    (
        "each third iteration is one of a loop of its own",
        "int n, double A[n], double B[n]",
        "for (int k = 0; k < n; k++) if (k % 3 == 0) A[k] = B[k];",
    ),
];

/// The loops of a region's normal form, without what stands around them and numbers that tell macros apart.
fn loops(input: &Input) -> String {
    let options = normalizing(Options::default()).expect("options");
    let region = &input.regions[0];
    let whole = whole_region(region).expect("a region");
    let code = optimize(whole.as_ref().unwrap_or(region), &options).expect("code").code;
    let (_, own) = code.split_once("*/").expect("a comment");
    let own = own.rsplit_once("} else {").map_or(own, |(own, _)| own).replace("_1(", "(");
    let lines = own.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
}

#[test]
fn a_normal_form_of_one_is_the_same() {
    for (what, parameters, body) in SMALL {
        let text = format!("void f({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n");
        let input = reread(&text);
        let once = normalized(&input);
        let again = reread(&once);
        assert_eq!(loops(&input), loops(&again), "{what}");
        let hashes = [&input, &again].map(|input| hash(&input.regions[0]));
        assert_eq!(hashes[0], hashes[1], "{what}: {once}");
    }
}
