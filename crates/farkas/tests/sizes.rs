//! Known sizes: a kernel whose sizes are told has the rows that it has where they are parameters.

mod common;

use common::{repository, with_sizes_told};
use farkas::{Input, Options, ReadOptions, Session, Strategy, analyze, decide, read};
use std::collections::BTreeMap;

/// Kernels and strategies for which known sizes make a difference, and why.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    ("gray", STRATEGIES, "no image is wider than a row of the array, so that rows do not overlap"),
    ("conv2d", &["locality-cpu"], "clusters are fused by a shift of six, which is not long"),
    (
        "interpolate",
        &["pluto", "pluto-plus", "pluto-deep"],
        "levels of the pyramid are multiples of two sizes, which bound distances in other ways",
    ),
    ("2mm", &["pluto-plus"], MAY_BE_ZERO),
    ("3mm", &["pluto-plus"], MAY_BE_ZERO),
    ("correlation", &["locality-gpu"], MAY_BE_ZERO),
    ("covariance", &["locality-gpu"], MAY_BE_ZERO),
    ("gated-unit", &["locality-gpu"], MAY_BE_ZERO),
    ("pyramid-blending", &["pluto-plus"], MAY_BE_ZERO),
];

/// Sizes that are not told may be zero, since the extents of array parameters say nothing of them: then some loops do not run, and
/// what orders them against others costs something else.
const MAY_BE_ZERO: &str = "sizes that are not told may be zero";

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

/// The rows of all regions under a strategy, and which of them are parallel.
fn rows(input: &Input, strategy: &str) -> String {
    let strategy = Strategy::from_name(strategy).expect("a strategy");
    let options = Options { strategy, ..Options::default() };
    let mut text = String::new();
    for region in &input.regions {
        let mut session = Session::default();
        let deps = analyze(&region.scop, &options, &mut session).expect("relations");
        let decided = decide(&region.scop, &deps, &options, &mut session).expect("a schedule");
        for row in decided.scheduled.expect("a report").report.rows {
            let rows: Vec<String> = row.rows.iter().map(ToString::to_string).collect();
            let place = (row.dimension, row.member, row.coincident);
            text.push_str(&format!("{place:?} {:?} {}\n", row.stmts, rows.join(" ")));
        }
    }
    text
}

#[test]
#[ignore = "long"]
fn known_sizes_change_no_row() {
    let folder = std::fs::read_dir(repository().join("kernels")).expect("kernels");
    let mut paths: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    paths.sort();
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for path in paths {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let free = read(&path, &ReadOptions::default()).expect("a kernel");
        let told = with_sizes_told(&path, None);
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
