//! Random small scops and trees: what isl says against what enumeration says.

mod common;

use common::brute::{Concrete, concrete};
use common::random::{Random, scop_text, shared_tree, temporaries_text, tree};
use farkas_deps::{
    DependenceKind, DependenceOptions, Dependences, FlowBy, carried, dependences, legality,
};
use farkas_poly::{UnionAccessInfo, UnionMap};
use farkas_scop::{AccessKind, Scop};
use farkas_tree::ScheduleTree;

/// Number of random cases of each test.
const CASES: u64 = 300;

#[test]
fn dependences_are_those_of_the_definition() {
    for seed in 0..CASES {
        let text = scop_text(&mut Random::new(seed));
        let scop = common::scop(&text);
        let memory = DependenceOptions { flow: FlowBy::Memory, input: true };
        let memory = dependences(&scop, memory).unwrap();
        let value = dependences(&scop, DependenceOptions::default()).unwrap();
        for n in [2, 3, 5] {
            let expected = Concrete::new(&scop, &[n]);
            let found = concrete(&memory, &[n], |_| true);
            assert_eq!(found, expected.by_memory(), "seed {seed}, n = {n}:\n{text}\n{memory}");
            let found = concrete(&value, &[n], |k| k == DependenceKind::Flow);
            assert_eq!(found, expected.by_value(), "seed {seed}, n = {n}:\n{text}\n{value}");
        }
        for deps in [memory, value] {
            check_invariants(&scop, &deps);
        }
    }
}

/// What [`farkas_deps::Dependence`] promises.
fn check_invariants(scop: &Scop, deps: &Dependences) {
    let again: Dependences = deps.to_string().parse().unwrap();
    for (dep, read) in deps.deps.iter().zip(&again.deps) {
        assert!(read.relation.is_equal(&dep.relation).unwrap(), "{dep}\n{read}");
        let relation = dep.relation.clone();
        assert_eq!(*dep, farkas_deps::Dependence { relation, ..read.clone() });
        assert!(!dep.relation.is_empty().unwrap(), "{dep}");
        let names = dep.relation.space().unwrap().param_names().unwrap();
        assert!(names.iter().eq(scop.params().iter().map(|p| &p.name)), "{dep}");
        assert!(dep.is_loop_independent || !dep.carried.is_empty(), "{dep}");
    }
}

#[test]
fn flow_by_value_is_that_of_isl() {
    for seed in 0..CASES {
        let text = scop_text(&mut Random::new(seed));
        let scop = common::scop(&text);
        let value = dependences(&scop, DependenceOptions::default()).unwrap();
        let flow = value.deps.iter().filter(|d| d.kind == DependenceKind::Flow);
        let ours = UnionMap::union_all(flow.map(|d| d.relation.clone())).unwrap();
        let theirs = flow_of_isl(&scop);
        // A kill of the same instance as a write hides it from isl, whatever their order in the body.
        if !text.contains("k ") {
            assert!(ours.is_equal(&theirs).unwrap(), "seed {seed}:\n{text}\n{ours}\n{theirs}");
        }
    }
}

/// isl's own dataflow analysis.
fn flow_of_isl(scop: &Scop) -> UnionMap {
    let accesses = |kind: AccessKind| {
        let mut maps = Vec::new();
        for (id, stmt) in scop.stmts().iter_enumerated() {
            let domain = scop.domain_of(id).unwrap();
            for access in stmt.accesses.iter().filter(|a| a.kind == kind) {
                maps.push(access.relation.intersect_domain(&domain).unwrap());
            }
        }
        UnionMap::union_all(maps).unwrap()
    };
    let info = UnionAccessInfo::from_sink(&accesses(AccessKind::Read)).unwrap();
    let info = info.set_must_source(&accesses(AccessKind::MustWrite)).unwrap();
    let info = info.set_may_source(&accesses(AccessKind::MayWrite)).unwrap();
    let info = info.set_schedule_map(&scop.order().unwrap()).unwrap();
    info.compute_flow().unwrap().may_dependence().unwrap()
}

#[test]
fn verdicts_are_those_of_the_definition() {
    let found = check_verdicts(4 * CASES, scop_text, tree);
    assert!(found.legal > CASES / 4, "{found:?}");
}

#[test]
fn verdicts_on_local_arrays_are_those_of_the_definition() {
    let local = |r: &mut Random| {
        let text = scop_text(r).replace("m ", "w ");
        text.replacen('\n', "\nlocal t, A[9], B[9][9]\n", 1)
    };
    let found = check_verdicts(CASES, local, tree);
    assert!(found.legal > CASES / 4, "{found:?}");
}

#[test]
fn verdicts_on_temporaries_are_those_of_the_definition() {
    let found = check_verdicts(CASES, temporaries_text, shared_tree);
    assert!(found.legal > CASES / 8 && found.private > CASES / 16, "{found:?}");
    assert!(found.reordered > CASES / 16, "{found:?}");
}

/// How many of the random trees are legal, with private arrays, and although not all conflicting pairs are in order.
#[derive(Default, Debug)]
struct Legal {
    legal: u64,
    private: u64,
    reordered: u64,
}

/// Compares the verdicts on random trees of random scops.
fn check_verdicts(
    cases: u64,
    scop_text: fn(&mut Random) -> String,
    tree: fn(&mut Random, &Scop) -> ScheduleTree,
) -> Legal {
    let mut count = Legal::default();
    for seed in 0..cases {
        let mut random = Random::new(seed);
        let text = scop_text(&mut random);
        let scop = common::scop(&text);
        let tree = tree(&mut random, &scop);
        let verdict = legality::check(&scop, &tree).unwrap();
        // A fault that needs larger parameters is believed.
        let concrete = [2, 3, 5].map(|n| Concrete::new(&scop, &[n]));
        let expected = concrete.iter().all(|c| c.is_legal(&scop, &tree));
        match verdict {
            legality::Verdict::Legal => {
                assert!(expected, "seed {seed}:\n{text}\n{tree}");
                let alike = concrete.iter().all(|c| c.runs_alike(&scop, &tree, &mut random));
                assert!(alike, "seed {seed}:\n{text}\n{tree}");
                count.legal += 1;
                count.private += u64::from(tree.to_string().contains("private"));
                count.reordered += u64::from(!concrete[2].keeps_order(&scop, &tree));
            }
            legality::Verdict::Illegal(found) => {
                let n = found.params.first().map_or(2, |p| p.1);
                let there = Concrete::new(&scop, &[n]).is_legal(&scop, &tree);
                assert!(!there, "seed {seed}: {found}\n{text}\n{tree}");
            }
        }
    }
    count
}

#[test]
fn carried_dependences_are_those_of_the_definition() {
    for seed in 0..CASES / 3 {
        let mut random = Random::new(seed);
        let text = scop_text(&mut random);
        let scop = common::scop(&text);
        let tree = tree(&mut random, &scop);
        let deps = dependences(&scop, DependenceOptions::default()).unwrap();
        let reports = carried::coincidence(&deps, &tree).unwrap();
        for report in &reports {
            let again = carried::report(&deps, &tree, &report.cursor, report.member).unwrap();
            assert_eq!(again, *report, "seed {seed}:\n{text}\n{tree}");
        }
        let concrete = (2..14).map(|n| (n, Concrete::new(&scop, &[n]))).collect::<Vec<_>>();
        for report in &reports {
            for (id, dep) in deps.validity() {
                let reported =
                    [report.blocked_by.contains(&id), report.blocked_in_band.contains(&id)];
                // Some pairs need large parameters to lie in different iterations.
                let mut seen = [false; 2];
                for (n, concrete) in &concrete {
                    if *n > 5 && seen == reported {
                        break;
                    }
                    let here =
                        concrete.is_carried(&scop, &tree, dep, &report.cursor, report.member);
                    seen = [seen[0] | here[0], seen[1] | here[1]];
                }
                assert_eq!(seen, reported, "seed {seed}, {id}: {report:?}\n{text}\n{tree}");
            }
        }
    }
}
