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
