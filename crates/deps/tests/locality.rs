//! Locality of random small scops against enumeration.

mod common;

use common::adjacent::{Adjacent, Key, Pairs, adjacent, key};
use common::brute::pairs;
use common::random::{Random, scop_text, stencil_text};
use farkas_deps::{DependenceOptions, Locality, LocalityOptions, Reuse, ReuseRelation};
use farkas_deps::{dependences, locality};
use farkas_scop::Scop;
use std::collections::BTreeMap;

/// The pairs of a relation for one choice of parameters.
fn concrete(relation: &ReuseRelation, params: &[i64]) -> Pairs {
    let instances = |(x, y)| ((relation.source, x), (relation.sink, y));
    pairs(&relation.pairs, params).into_iter().map(instances).collect()
}

/// Whether a relation is between accesses that read.
fn is_input(scop: &Scop, r: &ReuseRelation) -> bool {
    let is_read = !scop.stmts()[r.source].accesses[r.source_access].kind.is_write();
    r.reuse == Reuse::Temporal && is_read
}

/// The pairs of the relations that `is_meant`, by class.
fn by_class(
    scop: &Scop,
    found: &Locality,
    params: &[i64],
    separates: bool,
    is_meant: impl Fn(&ReuseRelation) -> bool,
) -> BTreeMap<Key, Pairs> {
    let mut all: BTreeMap<Key, Pairs> = BTreeMap::new();
    for r in found.relations.iter().filter(|r| is_meant(r)) {
        let class = if separates {
            let of_lines = r.reuse == Reuse::Spatial;
            let class = key(scop, r.source, r.source_access, of_lines).unwrap();
            assert_eq!(Some(&class), key(scop, r.sink, r.sink_access, of_lines).as_ref());
            class
        } else {
            (r.array, 0, Vec::new())
        };
        all.entry(class).or_default().extend(concrete(r, params));
    }
    all
}

/// Asserts that what was found is adjacent, and that all is found that is adjacent whatever the bounds; if `exact`, all
/// between different statements, and of one statement what is uniform, which depends on how isl cuts it into pieces.
fn check(
    found: &BTreeMap<Key, Pairs>,
    expected: &BTreeMap<Key, Adjacent>,
    exact: bool,
    context: &str,
) {
    for (class, pairs) in found {
        let wrong: Vec<_> = pairs.difference(&expected[class].exact).collect();
        assert!(wrong.is_empty(), "{class:?}: not adjacent: {wrong:?}\n{context}");
    }
    for (class, adjacent) in expected {
        let none = Pairs::new();
        let found = found.get(class).unwrap_or(&none);
        let between = adjacent.exact.iter().filter(|(x, y)| x.0 != y.0);
        let missing: Vec<_> = match exact {
            true => between.filter(|pair| !found.contains(pair)).collect(),
            false => adjacent.unbounded.difference(found).collect(),
        };
        assert!(missing.is_empty(), "{class:?}: missing {missing:?}\n{context}");
    }
}

/// What [`ReuseRelation`] and [`Locality`] promise.
fn check_invariants(scop: &Scop, found: &Locality) {
    let place =
        |r: &ReuseRelation| (r.reuse, r.array, r.source, r.sink, r.source_access, r.sink_access);
    assert!(found.relations.is_sorted_by(|a, b| place(a) < place(b)), "{found}");
    for r in &found.relations {
        assert!(!r.pairs.is_empty().unwrap(), "{r}");
        let names = r.pairs.space().unwrap().param_names().unwrap();
        assert!(names.iter().eq(scop.params().iter().map(|p| &p.name)), "{r}");
        let array = |stmt, access| scop.stmts()[stmt].accesses[access].array;
        assert_eq!(array(r.source, r.source_access), r.array);
        assert_eq!(array(r.sink, r.sink_access), r.array);
    }
    let again: Locality = found.to_string().parse().unwrap();
    assert_eq!(again.references, found.references);
    for (read, relation) in again.relations.iter().zip(&found.relations) {
        assert!(read.pairs.is_equal(&relation.pairs).unwrap(), "{relation}");
        assert_eq!(place(read), place(relation));
    }
}

/// Checks the locality of random scops, whose texts `random` makes.
fn check_random(
    cases: u64,
    random: fn(&mut Random) -> String,
    sizes: &[i64],
    options: LocalityOptions,
) {
    let (mut n, mut n_skipped) = ([0, 0], 0);
    for seed in 0..cases {
        let text = random(&mut Random::new(seed));
        let scop = common::scop(&text);
        let deps = dependences(&scop, DependenceOptions::default()).unwrap();
        let found = locality(&scop, &deps, &options).unwrap();
        if found.n_skipped > 0 {
            n_skipped += 1;
            continue;
        }
        check_invariants(&scop, &found);
        for params in sizes.iter().map(|&n| [n]) {
            let context = format!("seed {seed}, {params:?}\n{text}\n{found}");
            let separates = options.separates;
            let lines = by_class(&scop, &found, &params, separates, |r| r.reuse == Reuse::Spatial);
            n[0] += lines.values().map(Pairs::len).sum::<usize>();
            let expected = adjacent(&scop, &params, Some(4), separates);
            let exact = options.exact || !separates;
            check(&lines, &expected, exact, &context);
            let reads = by_class(&scop, &found, &params, true, |r| is_input(&scop, r));
            n[1] += reads.values().map(Pairs::len).sum::<usize>();
            check(&reads, &adjacent(&scop, &params, None, true), options.exact, &context);
        }
    }
    assert!(n.iter().all(|&n| n > 3 * cases as usize), "{n:?}");
    assert!(n_skipped <= cases / 10, "{n_skipped} take too much work");
}

#[test]
fn adjacent_instances_are_those_of_the_definition() {
    check_random(300, scop_text, &[3, 6], LocalityOptions::default());
}

#[test]
fn adjacent_instances_of_stencils_are_those_of_the_definition() {
    check_random(60, stencil_text, &[4], LocalityOptions::default());
}

#[test]
fn exact_adjacent_instances_are_those_of_the_definition() {
    let exact = LocalityOptions { exact: true, ..LocalityOptions::default() };
    check_random(100, scop_text, &[3, 6], exact);
    check_random(40, stencil_text, &[4], exact);
}

#[test]
fn adjacent_instances_of_all_references_are_those_of_the_definition() {
    let all = LocalityOptions { separates: false, completes: false, ..LocalityOptions::default() };
    check_random(100, scop_text, &[3, 6], all);
}
