//! Known sizes: a kernel whose sizes are told has the rows that it has where they are parameters.

mod common;

use common::repository;
use farkas::pipeline::{analyze, decide};
use farkas::{Input, Options, PassTimes, ReadOptions, Strategy, read};
use std::collections::BTreeMap;
use std::path::Path;

/// Kernels and strategies for which known sizes make a difference, and why.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    ("gray", STRATEGIES, "no image is wider than a row of the array, so that rows do not overlap"),
    ("conv2d", &["locality-cpu"], "clusters are fused by a shift of six, which is not long"),
    (
        "interpolate",
        &["pluto", "pluto-plus", "pluto-deep"],
        "levels of the pyramid are multiples of two sizes, which bound distances in other ways",
    ),
];

/// The strategies that are compared: all but those that do as isl does, for which sizes are numbers.
const STRATEGIES: &[&str] = &[
    "pluto",
    "pluto-plus",
    "pluto-deep",
    "tensor",
    "feautrier",
    "isl-listing-2",
    "locality-cpu",
    "locality-gpu",
    "npu-vectorize",
];

/// The sizes that `main` of a kernel has by default, by the parameter.
fn sizes_of(text: &str) -> BTreeMap<String, String> {
    let define = |line: &str| -> Option<(String, String)> {
        let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
        Some((name.to_owned(), value.trim().to_owned()))
    };
    let defines: BTreeMap<String, String> = text.lines().filter_map(define).collect();
    let (_, main) = text.split_once("int main").expect("a function main");
    let line = main.lines().find_map(|line| line.strip_prefix("    int ")).expect("sizes");
    let size = |part: &str| -> Option<(String, String)> {
        let (param, name) = part.trim_end_matches(';').split_once(" = ")?;
        Some((param.to_owned(), defines.get(name)?.clone()))
    };
    line.split(", ").filter_map(size).collect()
}

/// The rows of all regions under a strategy, and which of them are parallel.
fn rows(input: &Input, strategy: &str) -> String {
    let strategy = Strategy::from_name(strategy).expect("a strategy");
    let options = Options { strategy, ..Options::default() };
    let mut text = String::new();
    for region in &input.regions {
        let (mut times, mut warnings) = (PassTimes::default(), Vec::new());
        let deps = analyze(&region.scop, &options, &mut times, &mut warnings).expect("relations");
        let decided = decide(&region.scop, &deps, &options, &mut times).expect("a schedule");
        for row in decided.1.expect("a report").report.rows {
            let rows: Vec<String> = row.rows.iter().map(ToString::to_string).collect();
            let place = (row.dimension, row.member, row.coincident);
            text.push_str(&format!("{place:?} {:?} {}\n", row.stmts, rows.join(" ")));
        }
    }
    text
}

/// A kernel, with its sizes told or not.
fn kernel(path: &Path, are_told: bool) -> Input {
    let mut options = ReadOptions::default();
    let input = read(path, &options).expect("a kernel");
    if !are_told {
        return input;
    }
    let sizes = sizes_of(&std::fs::read_to_string(path).expect("a text"));
    let params = input.regions.iter().flat_map(|region| region.scop.params().iter());
    let told =
        params.filter_map(|param| Some(format!("{} = {}", param.name, sizes.get(&param.name)?)));
    options.front.context = Some(told.collect::<Vec<_>>().join(" and "));
    read(path, &options).expect("a kernel")
}

#[test]
fn known_sizes_change_no_row() {
    let folder = std::fs::read_dir(repository().join("kernels")).expect("kernels");
    let mut paths: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    paths.sort();
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for path in paths {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (free, told) = (kernel(&path, false), kernel(&path, true));
        let differ = |strategy: &&&str| rows(&free, strategy) != rows(&told, strategy);
        let different: Vec<&str> = STRATEGIES.iter().filter(differ).copied().collect();
        if !different.is_empty() {
            found.insert(name, different);
        }
    }
    let expected =
        EXCEPTIONS.iter().map(|(name, strategies, _)| ((*name).to_owned(), strategies.to_vec()));
    assert_eq!(found, expected.collect());
}
