//! Scops of C: as text and read again they have the same parameters, order and dependences.

use crate::common::scop;
use farkas::{ReadOptions, read};
use farkas_deps::{DependenceKind, DependenceOptions, FlowBy, dependences};
use farkas_front_isl::print_scop;
use farkas_poly::UnionMap;
use farkas_scop::Scop;
use std::path::{Path, PathBuf};

/// The memory dependences of one kind, as one relation.
fn relation(scop: &Scop, kind: DependenceKind) -> UnionMap {
    let options = DependenceOptions { flow: FlowBy::Memory, input: false };
    let deps = dependences(scop, options).expect("dependences").deps;
    let own = deps.iter().filter(|dep| dep.kind == kind).map(|dep| dep.relation.clone());
    UnionMap::union_all(own).expect("a union")
}

/// Asserts that `scop` as text is the same.
fn round_trips(original: &Scop) {
    let printed = print_scop(original).expect("a text");
    let read = scop(&printed);
    assert!(read.warnings.is_empty(), "{printed}");
    let again = read.scop;
    let names =
        |scop: &Scop| -> Vec<String> { scop.stmts().iter().map(|s| s.name.clone()).collect() };
    assert_eq!(names(&again), names(original));
    assert_eq!(again.domain().and_then(|a| a.is_equal(&original.domain()?)), Ok(true), "{printed}");
    let before = |scop: &Scop| scop.order().and_then(|order| order.lex_lt_union_map(&order));
    assert_eq!(before(&again).and_then(|a| a.is_equal(&before(original)?)), Ok(true), "{printed}");
    for kind in [DependenceKind::Flow, DependenceKind::Anti, DependenceKind::Output] {
        let (ours, theirs) = (relation(&again, kind), relation(original, kind));
        assert_eq!(ours.is_equal(&theirs), Ok(true), "{kind:?} of {}:\n{printed}", original.name());
    }
}

/// The scops of the C files in a folder of the repository, at least `least` of them, round trip.
fn check(folder: &str, least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    paths.sort();
    let mut n_scops = 0;
    for path in paths {
        let input = read(&path, &ReadOptions::default()).expect("the file");
        n_scops += input.regions.len();
        input.regions.iter().for_each(|region| round_trips(&region.scop));
    }
    assert!(n_scops >= least, "only {n_scops} scops");
}

#[test]
fn kernels_round_trip() {
    check("kernels", 40);
}

#[test]
fn cases_round_trip() {
    check("tests/cases", 20);
}
