//! Clustering: components move as wholes, and only where that brings something together.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::kernels;
use farkas_base::Id;
use farkas_schedule::{
    Coefficient, Config, ConfigConstraint, ConfigTerm, Configured, Dimension, FusionHeuristic,
    FusionRule, Isl, IslOptions, KeptParallelism, Pluto, ScheduleOptions, Scheduled, Strategy,
};
use farkas_scop::StmtId;
use farkas_solve::RowKind;
use support::check;

/// The checked schedule of `text`.
fn by(strategy: &mut dyn Strategy, text: &str) -> Scheduled {
    check(&common::scop(text), strategy, &ScheduleOptions::default())
}

fn pluto(text: &str) -> Scheduled {
    by(&mut Pluto::new(FusionHeuristic::Cluster), text)
}

fn isl(text: &str) -> Scheduled {
    by(&mut Isl::default(), text)
}

/// The rows of each band member with its statements, outermost first.
fn rows(scheduled: &Scheduled) -> Vec<String> {
    let row = |(stmt, row): (&StmtId, &farkas_schedule::StmtRow)| format!("{stmt} {row}");
    let rows = scheduled.report.rows.iter();
    rows.map(|r| r.stmts.iter().zip(&r.rows).map(row).collect::<Vec<_>>().join(", ")).collect()
}

/// The decisions on fusion.
fn decisions(scheduled: &Scheduled) -> Vec<String> {
    scheduled.report.fusion.iter().map(ToString::to_string).collect()
}

/// Two pairs of statements, each a recurrence; the second reads ahead in what the first makes.
const TWO_RECURRENCES: &str = "
    params n : n >= 3
    S[i] : 1 <= i < n @ 0, i, 0 : r B[i - 1], w A[i]
    T[i] : 1 <= i < n @ 0, i, 1 : r A[i], w B[i]
    U[i] : 1 <= i < n - 2 @ 1, i, 0 : r D[i - 1], r B[i + 2], w C[i]
    V[i] : 1 <= i < n - 2 @ 1, i, 1 : r C[i], w D[i]";

#[test]
fn a_component_of_several_statements_is_shifted() {
    let scheduled = pluto(TWO_RECURRENCES);
    assert_eq!(
        rows(&scheduled),
        ["S0 (1 | 0 | 0), S1 (1 | 0 | 0), S2 (1 | 0 | 2), S3 (1 | 0 | 2)"]
    );
    assert_eq!(
        decisions(&scheduled)[0],
        "fused: S0, S1 and S2, S3: a relation between them becomes short"
    );
}

/// A producer with a copy of its values, and a consumer of them from the other end with a copy, too.
const FROM_THE_OTHER_END: &str = "
    params n : n >= 1
    S[i] : 0 <= i < n @ 0, i : r X[i], w A[i]
    T[i] : 0 <= i < n @ 1, i : r A[i], w B[i]
    U[i] : 0 <= i < n @ 2, i : r B[n - 1 - i], w C[i]
    V[i] : 0 <= i < n @ 3, i : r C[i], w D[i]";

#[test]
fn a_cluster_is_reversed() {
    let rows = rows(&isl(FROM_THE_OTHER_END));
    let (up, down) = ("S0 (1 | 0 | 1), S1 (1 | 0 | 1)", "S2 (-1 | 1 | 0), S3 (-1 | 1 | 0)");
    assert_eq!(rows, [format!("{up}, {down}")]);
    // Without negative coefficients it stays where it is.
    let apart = "apart: S0, S1 and S2, S3: they have no legal row in common";
    assert_eq!(decisions(&pluto(FROM_THE_OTHER_END)).last().map(String::as_str), Some(apart));
}

#[test]
fn a_cluster_is_interchanged() {
    let text = "
        params n, m : n >= 1 and m >= 1
        S[i, j] : 0 <= i < n and 0 <= j < m @ 0, i, j : r X[i, j], w A[i, j]
        T[i, j] : 0 <= i < n and 0 <= j < m @ 1, i, j : r A[i, j], w B[i, j]
        U[j, i] : 0 <= i < n and 0 <= j < m @ 2, j, i : r B[i, j], w C[i, j]
        V[j, i] : 0 <= i < n and 0 <= j < m @ 3, j, i : r C[i, j], w D[i, j]";
    for scheduled in [pluto(text), isl(text)] {
        let report = &scheduled.report;
        assert_eq!(report.rows.len(), 2, "{report}");
        assert!(report.rows.iter().all(|row| row.stmts.len() == 4 && row.coincident), "{report}");
        let [outer, inner] = [0, 1].map(|at| report.rows[at].rows.clone());
        assert_eq!(outer[0].iterators, inner[2].iterators, "{report}");
    }
}

#[test]
fn statements_of_smaller_dimension_have_slack() {
    // The scaling has a row that is zero where the product has its third loop.
    for scheduled in [pluto(kernels::GEMM), isl(kernels::GEMM)] {
        let report = &scheduled.report;
        assert_eq!(report.rows.len(), 3, "{report}");
        let flat = report.rows.iter().filter(|row| row.rows[0].iterators == [0, 0]).count();
        assert_eq!(flat, 1, "{report}");
    }
}

#[test]
fn a_scalar_joins_the_loop_that_uses_it_last_of_all() {
    let text = "
        params n : n >= 1
        S[] : true @ 0, 0 : w s[]
        T[i] : 0 <= i < n @ 1, i : r s[], w A[i]
        U[i] : 0 <= i < n @ 2, i : r A[i], w B[i]";
    let expected = [
        "fused: S1 and S2: a relation between them becomes short",
        "fused: S0 and S1, S2: a relation between them becomes short but where it begins or ends at one iteration",
    ];
    assert_eq!(decisions(&isl(text))[..2], expected);
}

#[test]
fn what_must_run_between_comes_along() {
    // U needs what S makes; M, which reads nothing of theirs, is in between by what it overwrites.
    let text = "
        params n : n >= 1
        S[i] : 0 <= i < n @ 0, i : r X[i], w A[i]
        M[i] : 0 <= i < n @ 1, i : w X[i]
        U[i] : 0 <= i < n @ 2, i : r A[i], w X[i]";
    let scheduled = pluto(text);
    assert_eq!(rows(&scheduled), ["S0 (1 | 0 | 0), S1 (1 | 0 | 0), S2 (1 | 0 | 0)"]);
    assert_eq!(
        decisions(&scheduled)[0],
        "fused: S0 and S1, S2: a relation between them becomes short"
    );
}

#[test]
fn nothing_comes_together_for_a_long_distance() {
    // T may begin when all of S is done.
    let text = "
        params n : n >= 1
        S[i] : 0 <= i < n @ 0, i : r X[i], w A[i]
        T[i] : 0 <= i < n @ 1, i : r A[i], r A[n - 1 - i], w B[i]";
    let expected = ["apart: S0 and S1: no relation between them becomes short"];
    assert_eq!(decisions(&isl(text)), expected);
}

/// Both are parallel in two loops; together, in one.
const LESS_PARALLEL: &str = "
    params n : n >= 1
    S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n @ 0, i, j, k : r A[i, j], w A[i, j], w B[i, j, k]
    T[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n @ 1, i, j, k : r C[i, j], w C[i, j], r B[i, k, j]";

/// Stencils one after another: together they need shifts, and are not parallel.
const STENCILS: &str = "
    params n : n >= 7
    S[i] : 0 <= i < n @ 0, i : r A[i], w B[i]
    T[i] : 1 <= i < n - 1 @ 1, i : r B[i - 1], r B[i], r B[i + 1], w C[i]
    U[i] : 2 <= i < n - 2 @ 2, i : r C[i - 1], r C[i], r C[i + 1], w D[i]
    V[i] : 3 <= i < n - 3 @ 3, i : r D[i - 1], r D[i], r D[i + 1], w E[i]";

#[test]
fn parallelism_may_be_lost_down_to_one_member() {
    let is_fused = |scheduled: &Scheduled| scheduled.report.fusion[0].fused;
    assert!(is_fused(&pluto(LESS_PARALLEL)));
    let kept = |maximize_coincidence| IslOptions { maximize_coincidence, ..IslOptions::default() };
    assert!(is_fused(&by(&mut Isl::new(kept(false)), LESS_PARALLEL)));
    let apart = by(&mut Isl::new(kept(true)), LESS_PARALLEL);
    assert_eq!(decisions(&apart)[0], "apart: S0 and S1: fewer outer loops would be parallel");
    // Here none would be left: isl's rule, left alone, gives it up all the same.
    let lost = "apart: S2 and S3: the outermost loop would no longer be parallel";
    assert_eq!(decisions(&pluto(STENCILS))[0], lost);
    assert!(is_fused(&isl(STENCILS)));
}

/// The strategy of `config` with clustering.
fn configured(text: &str, config: Config) -> Scheduled {
    let scop = common::scop(text);
    let config = Config { heuristic: FusionHeuristic::Cluster, ..config };
    let mut strategy = Configured::new(config, &scop).unwrap();
    check(&scop, &mut strategy, &ScheduleOptions::default())
}

#[test]
fn a_file_says_what_fusion_keeps() {
    let decision = |text, heuristic, kept_parallelism| {
        let scop = common::scop(text);
        let config = Config { heuristic, kept_parallelism, ..Config::default() };
        let mut strategy = Configured::new(config, &scop).unwrap();
        decisions(&check(&scop, &mut strategy, &ScheduleOptions::default())).remove(0)
    };
    use KeptParallelism::{All, None, Outermost};
    let apart = "apart: S0 and S1: fewer outer loops would be parallel";
    let none_left = |decision: String| {
        assert!(decision.ends_with("the outermost loop would no longer be parallel"), "{decision}");
    };
    for heuristic in [FusionHeuristic::Smart, FusionHeuristic::Cluster] {
        for kept in [None, Outermost] {
            let together = decision(LESS_PARALLEL, heuristic, kept);
            assert!(together.starts_with("fused: "), "{heuristic:?} {kept:?}: {together}");
        }
        assert_eq!(decision(LESS_PARALLEL, heuristic, All), apart, "{heuristic:?}");
        let together = decision(STENCILS, heuristic, None);
        assert!(together.starts_with("fused: "), "{heuristic:?}: {together}");
        none_left(decision(STENCILS, heuristic, Outermost));
    }
}

/// `factor * coefficient` for each, in sum not negative (or zero), in one row.
fn constraint(
    dimension: usize,
    kind: RowKind,
    terms: &[(usize, usize, i64)],
    constant: i64,
) -> ConfigConstraint {
    let term = |&(stmt, iterator, factor): &(usize, usize, i64)| {
        let which = Coefficient::Iterator(iterator);
        (ConfigTerm::Coefficient(StmtId::from_index(stmt), which), factor)
    };
    let terms = terms.iter().map(term).collect();
    ConfigConstraint { dimension: Dimension::At(dimension), kind, terms, constant, origin: 0 }
}

#[test]
fn constraints_speak_of_statements_in_clusters() {
    // The outermost row of T, which moves with S, is over its second iterator.
    let wish = |dimension| Config {
        constraints: vec![constraint(dimension, RowKind::Inequality, &[(1, 1, 1)], -1)],
        ..Config::default()
    };
    let text = "
        params n, m : n >= 1 and m >= 1
        S[i, j] : 0 <= i < n and 0 <= j < m @ 0, i, j : r A[i, j], w B[i, j]
        T[i, j] : 0 <= i < n and 0 <= j < m @ 1, i, j : r B[i, j], w C[i, j]";
    let scheduled = configured(text, wish(0));
    let expected =
        ["S0 (0 1 | 0 0 | 0), S1 (0 1 | 0 0 | 0)", "S0 (1 0 | 0 0 | 0), S1 (1 0 | 0 0 | 0)"];
    assert_eq!(rows(&scheduled), expected);
}

#[test]
fn groups_are_clusters_from_the_start() {
    let together = |groups: &[&[usize]]| {
        let group = |group: &&[usize]| group.iter().map(|&s| StmtId::from_index(s)).collect();
        let groups = groups.iter().map(group).collect();
        let rule = FusionRule { dimension: Dimension::Default, total_distribution: false, groups };
        let scheduled = configured(STENCILS, Config { fusion: vec![rule], ..Config::default() });
        let parts = scheduled.report.rows.iter().map(|row| row.stmts.clone());
        parts.map(|stmts| stmts.iter().map(|s| s.index()).collect()).collect::<Vec<Vec<usize>>>()
    };
    assert_eq!(together(&[]), [[0], [1], [2], [3]]);
    assert_eq!(together(&[&[1, 2]]), [&[0][..], &[1, 2], &[3]]);
}

#[test]
fn a_component_that_only_carries_has_no_band_to_share() {
    let text = "
        params n : n >= 2
        S[i] : 0 <= i < n @ 0, i : w a[]
        T[i] : 0 <= i < n @ 1, i : r a[], r X[i], w X[(n - 1 - i)], w a[]
        U[i] : 0 <= i < n @ 2, i : r X[i], w Y[i]";
    let options = IslOptions { outer_coincidence: true, ..IslOptions::default() };
    let decisions = decisions(&by(&mut Isl::new(options), text));
    assert!(
        decisions
            .contains(&"apart: S1 and S2: one of them has no permutable band to share".to_owned())
    );
}
