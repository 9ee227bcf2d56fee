//! Live-range reordering: what may change its order, and that every value still reaches its reads.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::brute::Concrete;
use common::random::{Random, nests_text, scop_text};
use farkas_deps::{DependenceKind, DependenceOptions, Dependences, FlowBy, dependences};
use farkas_schedule::{
    Config, Configured, CostChoice, Dimension, Fallback, FusionHeuristic, Isl, IslOptions,
    LocalityGpu, Parallelism, ScheduleOptions, Scheduled, SolverChoice, Strategy, schedule,
};
use farkas_scop::Scop;
use farkas_tree::{Cursor, Node, ScheduleTree};
use support::{outline, with_bands_turned, with_loops_reversed};

/// The scop of `text` with arrays that nothing outside of the region touches.
fn local(arrays: &str, text: &str) -> Scop {
    common::scop(&format!("local {arrays}\n{text}"))
}

/// The schedule with the loops that run apart from one another, with live ranges reordered.
fn reordered(scop: &Scop) -> Scheduled {
    let config = Config {
        live_range_reordering: true,
        parallelism: Some(Parallelism::default()),
        ..Config::default()
    };
    scheduled(scop, &mut Configured::new(config, scop).unwrap(), FlowBy::Value, "")
}

/// The schedule under a strategy: every value reaches its reads, whatever the order of the members of a band, with the
/// coincident ones running downward; and what is shared by the iterations of a coincident member is private to them.
fn scheduled(scop: &Scop, strategy: &mut dyn Strategy, flow: FlowBy, of: &str) -> Scheduled {
    let deps = dependences(scop, DependenceOptions { flow, input: false }).unwrap();
    let scheduled = schedule(scop, &deps, strategy, &ScheduleOptions::default()).unwrap();
    let tree = &scheduled.tree;
    let concrete = Concrete::new(scop, &vec![4; scop.params().len()]);
    for (what, tree) in [
        ("the schedule", tree.clone()),
        ("the schedule with its bands turned", with_bands_turned(tree)),
        ("the schedule with its parallel loops reversed", with_loops_reversed(tree)),
    ] {
        let lost = concrete.lost_value(scop, &tree);
        assert!(lost.is_none(), "{of}\n{what}: {}\n{}", lost.unwrap(), outline(&scheduled));
    }
    check_parallel(scop, &deps, &concrete, tree, Cursor::root(), of);
    scheduled
}

/// No coincident member below `at` divides what is not private.
fn check_parallel(
    scop: &Scop,
    deps: &Dependences,
    concrete: &Concrete,
    tree: &ScheduleTree,
    at: Cursor,
    of: &str,
) {
    let here = tree.at(&at).unwrap();
    if let Node::Band { band, .. } = here.node() {
        for (member, _) in band.members.iter().enumerate().filter(|(_, m)| m.coincident) {
            for dep in deps.deps.iter().filter(|dep| dep.kind.is_validity()) {
                let array = scop.stmts()[dep.source].accesses[dep.source_access].array;
                let is_private = scop.arrays()[array].may_be_private();
                if is_private && dep.kind != DependenceKind::Flow {
                    continue;
                }
                let [_, divides] = concrete.is_carried(scop, tree, dep, &at, member);
                assert!(!divides, "member {member} at {at} divides {dep}\n{tree}\n{of}");
            }
        }
    }
    for child in 0..here.children().len() {
        check_parallel(scop, deps, concrete, tree, at.child(child), of);
    }
}

/// `for i: for j: { t = A[i, j]; B[i, j] = t; }`
const COPY: &str = "
    params n : n >= 1
    S[i, j] : 0 <= i < n and 0 <= j < n @ i, j, 0 : r A[i, j], w t[]
    T[i, j] : 0 <= i < n and 0 <= j < n @ i, j, 1 : r t[], w B[i, j]";

#[test]
fn iterations_have_copies_of_a_temporary() {
    let text = outline(&reordered(&local("t", COPY)));
    assert_eq!(
        text,
        "band, permutable
  S[i, j] -> [(i)]; T[i, j] -> [(i)], parallel
  S[i, j] -> [(j)]; T[i, j] -> [(j)], parallel
  sequence
    S:
    T:
"
    );
}

#[test]
fn a_value_that_is_read_later_stays_the_last() {
    let scheduled = reordered(&common::scop(COPY));
    let text = outline(&scheduled);
    assert!(text.contains("S[i, j] -> [(j)]") && !text.contains("parallel"), "{text}");
    assert_eq!(text.matches("band, permutable").count(), 1, "{text}");
}

/// PolyBench's doitgen, where `sum` may be read later.
const DOITGEN: &str = "
    params n : n >= 2
    I[r, q, p] : 0 <= r < n and 0 <= q < n and 0 <= p < n @ r, q, 0, p, 0, 0 : w sum[p]
    U[r, q, p, s] : 0 <= r < n and 0 <= q < n and 0 <= p < n and 0 <= s < n @ r, q, 0, p, 1, s : r sum[p], r A[r, q, s], r C[s, p], w sum[p]
    C[r, q, p] : 0 <= r < n and 0 <= q < n and 0 <= p < n @ r, q, 1, p, 0, 0 : r sum[p], w A[r, q, p]";

#[test]
fn rows_of_live_ranges_are_a_band() {
    let text = outline(&reordered(&common::scop(DOITGEN)));
    let band: Vec<&str> = text.lines().take(4).collect();
    assert!(band[0] == "band, permutable" && band[1].contains("I[r, q, p] -> [("), "{text}");
    assert!(band[2].contains("I[r, q, p] -> [(") && band[3].trim() == "sequence", "{text}");
}

/// `for i: { B[i] = t; t = A[i]; }`: each value lives until the next iteration.
const LATE: &str = "
    params n : n >= 1
    S[i] : 0 <= i < n @ i, 0 : r t[], w B[i]
    T[i] : 0 <= i < n @ i, 1 : r A[i], w t[]";

#[test]
fn live_ranges_over_several_iterations_keep_their_order() {
    let with = outline(&reordered(&local("t", LATE)));
    assert!(!with.contains("parallel"), "{with}");
}

/// `for i: { for j: Y[i, j] = X[j]; for j: X[n - 1 - j] = Z[i, j]; }`: the live ranges of `X` reach into the next iteration of
/// `i`, so that inside of it each read stays before the write of the same element.
const TORN: &str = "
    params n : n >= 2
    R[i, j] : 0 <= i < n and 0 <= j < n @ i, 0, j : r X[j], w Y[i, j]
    W[i, j] : 0 <= i < n and 0 <= j < n @ i, 1, j : r Z[i, j], w X[n - 1 - j]";

#[test]
fn what_an_outer_loop_tears_is_kept_inside() {
    let scop = local("X[9]", TORN);
    for (number, mut strategy) in strategies(&scop).into_iter().enumerate() {
        let of = format!("strategy {number}");
        scheduled(&scop, strategy.as_mut(), FlowBy::Value, &of);
    }
}

/// Strategies of all kinds that reorder live ranges.
fn strategies(scop: &Scop) -> Vec<Box<dyn Strategy>> {
    let base = || Config { live_range_reordering: true, ..Config::default() };
    let costs = |choices: &[CostChoice]| vec![(Dimension::Default, choices.to_vec())];
    let free = [CostChoice::TemporalSpatial, CostChoice::CoefficientSums];
    let configs = [
        base(),
        Config { heuristic: FusionHeuristic::Max, ..base() },
        Config {
            heuristic: FusionHeuristic::Cluster,
            parallelism: Some(Parallelism::default()),
            negative_coefficients: true,
            parametric_shift: true,
            ..base()
        },
        Config { costs: costs(&[CostChoice::Feautrier]), ..base() },
        Config {
            costs: costs(&free),
            parallelism: Some(Parallelism { max_pressure: Some(0), ..Parallelism::default() }),
            heuristic: FusionHeuristic::Cluster,
            ..base()
        },
        Config {
            costs: costs(&[CostChoice::Contiguity]),
            fallbacks: vec![Fallback::OtherSigns, Fallback::NewBand],
            heuristic: FusionHeuristic::No,
            ..base()
        },
    ];
    let isl = IslOptions { live_range_reordering: true, ..IslOptions::default() };
    let feautrier = IslOptions { feautrier: true, ..isl.clone() };
    let mut all: Vec<Box<dyn Strategy>> = Vec::new();
    for config in configs {
        all.push(Box::new(Configured::new(config, scop).unwrap()));
    }
    let line = farkas_deps::LocalityOptions::default().line_elems;
    all.push(Box::new(Isl::new(isl)));
    all.push(Box::new(Isl::new(feautrier)));
    all.push(Box::new(LocalityGpu::new(scop, FusionHeuristic::Cluster, line).unwrap()));
    all
}

#[test]
fn random_scops_keep_their_values() {
    for seed in 0..400 {
        let r = &mut Random::new(seed);
        let text = if seed % 4 == 0 { scop_text(r) } else { nests_text(r) };
        if text.contains(" k ") {
            continue;
        }
        let locals = r.pick(&["t, u, T[9]", "t, u", "t", "none"]);
        let scop = local(locals, &text);
        let flow = if r.below(4) == 0 { FlowBy::Memory } else { FlowBy::Value };
        for (number, mut strategy) in strategies(&scop).into_iter().enumerate() {
            let what = format!("seed {seed}, strategy {number}, {locals}, {flow:?}:\n{text}");
            scheduled(&scop, strategy.as_mut(), flow, &what);
        }
    }
}

#[test]
fn both_solvers_reorder_alike() {
    for text in [COPY, LATE, TORN] {
        let scop = local("t, X[9]", text);
        let deps = dependences(&scop, DependenceOptions::default()).unwrap();
        for number in 0..strategies(&scop).len() {
            let [ours, isl] = [SolverChoice::Ours, SolverChoice::Isl].map(|solver| {
                let options = ScheduleOptions { solver, ..ScheduleOptions::default() };
                let strategy = &mut strategies(&scop)[number];
                schedule(&scop, &deps, strategy.as_mut(), &options).unwrap().tree
            });
            assert_eq!(ours, isl, "strategy {number}:\n{text}");
        }
    }
}
