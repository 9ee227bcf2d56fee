//! What isl's options do, and the set nodes of its trees.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use farkas_schedule::{FusionHeuristic, Isl, IslOptions, ScheduleOptions, Scheduled};
use farkas_tree::ScheduleTree;
use support::check;

/// The checked schedule of `text` under these options.
fn isl(text: &str, options: IslOptions) -> Scheduled {
    check(&common::scop(text), &mut Isl::new(options), &ScheduleOptions::default())
}

/// The rows of each band member, statement by statement, outermost first.
fn rows(scheduled: &Scheduled) -> Vec<String> {
    let rows = scheduled.report.rows.iter();
    rows.map(|row| row.rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")).collect()
}

/// The kinds of the nodes, children in brackets, without domain, filters and leaves.
fn shape(tree: &ScheduleTree) -> String {
    let children: Vec<String> =
        tree.children().iter().map(shape).filter(|s| !s.is_empty()).collect();
    let children = children.join(" ");
    match tree.kind() {
        "domain" | "filter" => children,
        "leaf" => String::new(),
        kind if children.is_empty() => kind.to_owned(),
        kind => format!("{kind}[{children}]"),
    }
}

/// Two producers of a consumer, and a statement that has nothing to do with them.
const FORK: &str = "
    params n : n >= 1
    S[i] : 0 <= i < n @ 0, i, 0, 0 : w A[i]
    T[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j, 0 : w B[i, j]
    U[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n @ 2, i, j, k : r A[k], r B[j, i], w C[i, j, k]
    V[i] : 0 <= i < n @ 3, i, 0, 0 : w D[i]";

#[test]
fn independent_parts_are_children_of_a_set() {
    let tree = |fusion| isl(FORK, IslOptions { fusion, ..IslOptions::default() }).tree;
    // U after S and T, V at any time.
    let smart = tree(FusionHeuristic::Smart);
    assert_eq!(shape(&smart), "set[sequence[set[band band] band] band]");
    assert_eq!(shape(&smart.to_string().parse().unwrap()), shape(&smart));
    assert_eq!(shape(&tree(FusionHeuristic::No)), "sequence[band band band band]");
    // What a dependence joins shares its loops; then S and T run before U, by isl's topological sort.
    assert_eq!(shape(&tree(FusionHeuristic::Max)), "set[band[sequence] band]");
}

#[test]
fn nothing_is_said_of_statements_that_nothing_orders() {
    let text = "
        params n : n >= 1
        S[i] : 0 <= i < n @ i, 0 : r X[i], w A[i]
        T[i] : 0 <= i < n @ i, 1 : r X[i], w B[i]";
    let scheduled = isl(text, IslOptions::default());
    assert_eq!(shape(&scheduled.tree), "set[band band]");
    let scalars = "
        S[] : @ 0 : w A[]
        T[] : @ 1 : w B[]";
    assert_eq!(shape(&isl(scalars, IslOptions::default()).tree), "");
}

/// Carries everything in one loop, if it may coalesce two.
const ROLLING: &str = "
    S[i, j] : 0 <= i < 40 and 0 <= j < 6 @ i, j : r a[], w a[]";

#[test]
fn loops_are_not_coalesced_unless_asked() {
    let options = IslOptions { feautrier: true, ..IslOptions::default() };
    let apart = isl(ROLLING, options.clone());
    assert_eq!(rows(&apart), ["(1 0 |  | 0)", "(0 1 |  | 0)"]);
    let together = isl(ROLLING, IslOptions { treat_coalescing: false, ..options });
    assert_eq!(rows(&together)[0], "(6 1 |  | 0)");
}

#[test]
fn iterators_that_the_others_determine_are_not_used() {
    let tiled = "
        params n : n >= 1
        S[t, i] : 0 <= i < n and 32 * t <= i <= 32 * t + 31 @ t, i : r A[i - 1], w A[i]";
    assert_eq!(rows(&isl(tiled, IslOptions::default())), ["(0 1 | 0 | 0)"]);
    let plain = IslOptions { treat_coalescing: false, ..IslOptions::default() };
    assert_eq!(isl(tiled, plain).report.rows.len(), 2);
}

#[test]
fn constants_are_bounded() {
    let shifted = "
        params n : n >= 1
        S[i] : 0 <= i < n @ 0, i : w A[i]
        T[i] : 0 <= i < n @ 1, i : r A[i + 7], w B[i]";
    let options = |max_constant_term| IslOptions {
        fusion: FusionHeuristic::Max,
        max_constant_term,
        ..IslOptions::default()
    };
    assert_eq!(rows(&isl(shifted, options(None))), ["(1 | 0 | 0) (1 | 0 | 7)"]);
    assert_eq!(rows(&isl(shifted, options(Some(7)))), ["(1 | 0 | 0) (1 | 0 | 7)"]);
    let bounded = isl(shifted, options(Some(6)));
    assert!(!rows(&bounded).iter().any(|row| row.contains('7')), "{}", bounded.report);
}

#[test]
fn coincidence_may_be_more_than_fusion() {
    // Together, only one loop is parallel.
    let text = "
        params n : n >= 1
        S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n @ 0, i, j, k : r A[i, j], w A[i, j], w B[i, j, k]
        T[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n @ 1, i, j, k : r C[i, j], w C[i, j], r B[i, k, j]";
    let tree = |maximize_coincidence| {
        isl(text, IslOptions { maximize_coincidence, ..IslOptions::default() }).tree
    };
    assert_eq!(shape(&tree(false)), "band[sequence]");
    assert_eq!(shape(&tree(true)), "sequence[band band]");
}

#[test]
fn rows_that_carry_are_not_called_permutable() {
    let options = IslOptions { outer_coincidence: true, ..IslOptions::default() };
    let text = isl(common::kernels::SEIDEL_2D, options).tree.to_string();
    let (carrying, inner) = text.split_once("child:\n    schedule").unwrap();
    assert!(!carrying.contains("permutable") && inner.contains("permutable: 1"), "{text}");
}
