//! PolyTOPS' Listing 2 in C and in Rust: the same schedules for every program of `kernels/`.

mod support;

use farkas::{ReadOptions, read};
use farkas_base::DiagnosticId;
use farkas_capi::{StrategyLibrary, load_strategy};
use farkas_run::{Build, Executable};
use farkas_schedule::{FusionHeuristic, IslListing2};
use std::path::{Path, PathBuf};
use support::{build, repository, scheduled};

/// The library of the example, built by `compiler`.
fn listing2(compiler: &str, flags: &[&str]) -> Executable {
    let source = repository().join("examples/strategies/listing2.c");
    let library = build(compiler, Build::file(source).flags(flags.iter().copied()));
    assert_eq!(library.messages(), "");
    library
}

/// Schedules every region of a program both ways and compares trees and reports; the number of regions.
fn compare(path: &Path, library: &StrategyLibrary) -> usize {
    let input = read(path, &ReadOptions::default()).expect("a program");
    assert!(!input.has_errors(), "{}", path.display());
    for region in &input.regions {
        let mut in_c = library.strategy(&region.scop, Some(&input.source)).expect("a strategy");
        let in_c = scheduled(region, &mut in_c).expect("a schedule");
        let mut in_rust = IslListing2::new(FusionHeuristic::Smart);
        let in_rust = scheduled(region, &mut in_rust).expect("a schedule");
        assert_eq!(in_c.tree.to_string(), in_rust.tree.to_string(), "{}", path.display());
        assert_eq!(in_c.report, in_rust.report, "{}", path.display());
    }
    input.regions.len()
}

#[test]
fn c_and_rust_agree_on_every_kernel() {
    let executable = listing2("cc -std=c99", &[]);
    let library = load_strategy(executable.path()).expect("a strategy");
    assert_eq!(library.name(), "isl-listing-2");
    let folder = std::fs::read_dir(repository().join("kernels")).expect("the kernels");
    let paths = folder.map(|entry| entry.expect("an entry").path());
    let mut kernels: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    kernels.sort();
    // Two threads, which share the library.
    let n_regions: usize = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let (kernels, library) = (&kernels, &library);
            scope.spawn(move || {
                let mine = kernels.iter().skip(half).step_by(2);
                mine.map(|path| compare(path, library)).sum::<usize>()
            })
        });
        halves.into_iter().map(|half| half.join().expect("no panic")).sum()
    });
    assert!(kernels.len() >= 46 && n_regions >= kernels.len(), "{n_regions} regions");
}

#[test]
fn listing_2_recomputes_what_is_not_parallel() {
    let executable = listing2("cc -std=c99", &[]);
    let library = load_strategy(executable.path()).expect("a strategy");
    let input = read(&repository().join("kernels/jacobi-2d.c"), &ReadOptions::default());
    let input = input.expect("a program");
    let mut strategy = library.strategy(&input.regions[0].scop, None).expect("a strategy");
    let scheduled = scheduled(&input.regions[0], &mut strategy).expect("a schedule");
    let is_feautrier = |name: &String| name == "uncarried";
    let costs = scheduled.report.rows.iter().flat_map(|row| &row.cost);
    assert!(costs.clone().any(|(name, _)| is_feautrier(name)), "{}", scheduled.report);
}

#[test]
fn the_example_of_the_manual_works() {
    let manual = include_str!("../../../docs/strategies-in-c.md");
    let example = manual.split("```c\n").nth(1).and_then(|rest| rest.split("```").next());
    let text = example.expect("a block of C");
    let executable = build("cc -std=c99", Build::text("parallel-first.c", text));
    let library = load_strategy(executable.path()).expect("a strategy");
    let input = read(&repository().join("kernels/jacobi-1d.c"), &ReadOptions::default());
    let input = input.expect("a program");
    let mut strategy = library.strategy(&input.regions[0].scop, None).expect("a strategy");
    let report = scheduled(&input.regions[0], &mut strategy).expect("a schedule").report;
    let rows = report.rows.iter().flat_map(|row| &row.rows);
    assert!(rows.clone().count() > 0);
    assert!(rows.clone().all(|row| row.iterators.iter().sum::<i64>() <= 1), "{report}");
}

#[test]
fn the_header_is_one_of_cpp_too() {
    let executable = listing2("c++ -std=c++11", &["-x", "c++"]);
    assert_eq!(load_strategy(executable.path()).expect("a strategy").name(), "isl-listing-2");
}

#[test]
fn paths_of_libraries_are_told_from_names() {
    use farkas_capi::names_a_library;
    for path in ["./libmine.so", "libmine.so", "x/libmine.dylib", "mine.dll", "folder/libmine"] {
        assert!(names_a_library(path), "{path}");
    }
    for name in ["pluto", "isl-listing-2", "mine.json", "./folder/mine.json", ""] {
        assert!(!names_a_library(name), "{name}");
    }
    let id = load_strategy(Path::new("./libmine.so")).expect_err("no such file").id;
    assert_eq!(id, DiagnosticId::UnloadableStrategy);
}
