//! Strategies as data: the figures of PolyTOPS, and what each part of a configuration does.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::kernels;
use farkas_base::Id;
use farkas_deps::{DependenceOptions, dependences};
use farkas_schedule::{
    Coefficient, Config, ConfigConstraint, ConfigTerm, Configured, CostChoice, Dimension,
    Directive, DirectiveKind, Error, Fallback, FusionHeuristic, FusionRule, Isl, IslListing2,
    IslOptions, Origin, RankedIterators, ScheduleOptions, Scheduled, UserVariable, Warning,
    schedule,
};
use farkas_scop::StmtId;
use farkas_solve::RowKind;
use support::{check, outline};

/// The checked schedule of `text`.
fn configured(text: &str, config: Config) -> Scheduled {
    let scop = common::scop(text);
    let mut strategy = Configured::new(config, &scop).unwrap();
    check(&scop, &mut strategy, &ScheduleOptions::default())
}

/// The error of scheduling `text`.
fn refused(text: &str, config: Config) -> Error {
    let scop = common::scop(text);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let mut strategy = Configured::new(config, &scop).unwrap();
    schedule(&scop, &deps, &mut strategy, &ScheduleOptions::default()).unwrap_err()
}

fn stmt(number: usize) -> StmtId {
    StmtId::from_index(number)
}

/// The rows of one statement as text.
fn rows(scheduled: &Scheduled, number: usize) -> Vec<String> {
    let rows = scheduled.report.rows.iter().filter_map(|row| {
        let at = row.stmts.binary_search(&stmt(number)).ok()?;
        Some(row.rows[at].to_string())
    });
    rows.collect()
}

fn directive(kind: DirectiveKind, stmts: &[usize], iterator: usize) -> Directive {
    let stmts = stmts.iter().map(|&s| stmt(s)).collect();
    Directive { kind, stmts, iterator, origin: 0 }
}

fn costs(costs: &[CostChoice]) -> Vec<(Dimension, Vec<CostChoice>)> {
    vec![(Dimension::Default, costs.to_vec())]
}

/// A term: an iterator's coefficient of a statement.
fn it(number: usize, iterator: usize) -> ConfigTerm {
    ConfigTerm::Coefficient(stmt(number), Coefficient::Iterator(iterator))
}

fn at_least(
    dimension: Dimension,
    terms: &[(ConfigTerm, i64)],
    constant: i64,
    origin: usize,
) -> ConfigConstraint {
    ConfigConstraint {
        dimension,
        kind: RowKind::Inequality,
        terms: terms.to_vec(),
        constant,
        origin,
    }
}

/// PolyTOPS, Fig. 1.
const TRANSPOSED: &str = "
    S0[i, j] : 0 <= i < 100 and 0 <= j < 10 @ i, j, 0 : r a[j, i], r b[], w c[j, i]
    S1[i, j] : 0 <= i < 100 and 0 <= j < 10 @ i, j, 1 : r e[i, j], r x[], w d[i, j]";

/// PolyTOPS, Fig. 3(a).
const TRSML: &str = "
    params row, col16 : row >= 1 and col16 >= 1
    S0[i, j, l, k] : 0 <= i < row and 0 <= j < i and 0 <= l < col16 and 0 <= k < 16 @ i, j, l, k, 0 : r a[i, j], r b[j, 16l + k], w inv[i, 16l + k]
    S1[i, j, l, k] : 0 <= i < row and 0 <= j < i and 0 <= l < col16 and 0 <= k < 16 @ i, j, l, k, 1 : r b[i, 16l + k], r inv[i, 16l + k], w b[i, 16l + k]";

/// `npu-vectorize`: section IV-A's one configuration.
fn npu_vectorize() -> Config {
    Config { auto_vectorization: true, ..Config::default() }
}

#[test]
fn figure_1() {
    insta::assert_snapshot!(outline(&configured(TRANSPOSED, npu_vectorize())));
}

#[test]
fn figure_3_with_its_directives() {
    let directives = vec![
        directive(DirectiveKind::Parallel, &[0, 1], 2),
        directive(DirectiveKind::Vectorize, &[0, 1], 3),
    ];
    let config = Config { directives, ..Config::default() };
    insta::assert_snapshot!("figure_3", outline(&configured(TRSML, config)));
}

#[test]
fn figure_3_by_itself() {
    insta::assert_snapshot!("figure_3", outline(&configured(TRSML, npu_vectorize())));
}

#[test]
fn prices_of_figure_1() {
    let scop = common::scop(TRANSPOSED);
    let contiguity = RankedIterators::contiguity(&scop).unwrap();
    assert_eq!([contiguity.prices(stmt(0)), contiguity.prices(stmt(1))], [[10, 1], [1, 10]]);
    let big = RankedIterators::big_loops_first(&scop).unwrap();
    assert_eq!([big.prices(stmt(0)), big.prices(stmt(1))], [[1, 10], [1, 10]]);
}

#[test]
fn parametric_extents_are_compared_under_the_context() {
    let text = |context: &str| {
        format!(
            "params n, m : {context}
             S[i, j] : 0 <= i < n and 0 <= j < m @ i, j : w A[i, j]"
        )
    };
    let prices = |context: &str| {
        let scop = common::scop(&text(context));
        RankedIterators::big_loops_first(&scop).unwrap().prices(stmt(0)).to_vec()
    };
    assert_eq!(prices("n >= 1 and m >= 1"), [1, 1]);
    assert_eq!(prices("1 <= n <= 10 and m >= 1"), [10, 1]);
    assert_eq!(prices("n >= 1 and m >= 5000"), [10, 1]);
    assert_eq!(prices("n >= 1 and m = 2 n"), [10, 1]);
}

#[test]
fn costs_choose_rows() {
    let copy = "
        S[i, j] : 0 <= i < 10 and 0 <= j < 200 @ i, j : r A[j, i], w B[j, i]";
    let first = |choices: &[CostChoice]| {
        let config = Config { costs: costs(choices), ..Config::default() };
        rows(&configured(copy, config), 0)[0].clone()
    };
    assert_eq!(first(&[CostChoice::Proximity]), "(1 0 |  | 0)");
    assert_eq!(first(&[CostChoice::Contiguity, CostChoice::Proximity]), "(0 1 |  | 0)");
    assert_eq!(first(&[CostChoice::BigLoopsFirst]), "(0 1 |  | 0)");
}

#[test]
fn costs_of_one_dimension() {
    let config = Config {
        costs: vec![
            (Dimension::Default, vec![CostChoice::Proximity]),
            (Dimension::At(0), vec![CostChoice::Feautrier]),
        ],
        ..Config::default()
    };
    let scheduled = configured(kernels::SEIDEL_2D, config);
    let is_carrying = |at: usize| scheduled.report.rows[at].cost[0].0 == "uncarried";
    assert!(is_carrying(0) && !is_carrying(1) && !is_carrying(2), "{}", scheduled.report);
    // What Feautrier's row carries does not skew the rows inside: the band ends behind it.
    assert!(scheduled.report.rows[1].coincident, "{}", scheduled.report);
}

#[test]
fn feautrier_carries_outermost() {
    let text = "
        params t, n : t >= 1 and n >= 3
        S[t, i] : 0 <= t < t and 1 <= i < n @ t, i : r A[i - 1], r A[i], w A[i]";
    let text = text
        .replace("S[t, i]", "S[s, i]")
        .replace("0 <= t < t", "0 <= s < t")
        .replace("@ t,", "@ s,");
    let config = Config { costs: costs(&[CostChoice::Feautrier]), ..Config::default() };
    let scheduled = configured(&text, config);
    assert!(!scheduled.report.rows[0].coincident);
    assert!(scheduled.report.rows[1].coincident, "{}", scheduled.report);
}

/// Types limit parameters: where all `j` are below 2147483647, `2147483647 i + j` is a legal row.
#[test]
fn limits_of_parameters_change_no_row() {
    let nest = |limit: &str| {
        format!(
            "params n : n >= 0{limit}
             S[i, j] : 0 <= 2 i < n and 0 <= j < n - 2 @ i, j, 0 : r A[2 i, 2 j], w A[2 i, 2 j]
             T[i, j] : 0 <= 2 i < n and 0 <= j < n - 2 @ i, j, 1 : r A[n - 2 i - 1, j + 2], w B[2 i]"
        )
    };
    let outlined = |limit: &str| {
        let config = Config { costs: costs(&[CostChoice::Feautrier]), ..Config::default() };
        outline(&configured(&nest(limit), config))
    };
    assert_eq!(outlined(" and n + 3 * floor((n - 1) / 3) <= 4294967296"), outlined(""));
}

#[test]
fn no_skewing() {
    let pluto = configured(kernels::SEIDEL_2D, Config::default());
    assert!(rows(&pluto, 0).iter().any(|row| row.contains("(1 1")));
    let constraint =
        at_least(Dimension::Default, &[(it(0, 0), -1), (it(0, 1), -1), (it(0, 2), -1)], 1, 0);
    let config = Config { constraints: vec![constraint], ..Config::default() };
    let straight = configured(kernels::SEIDEL_2D, config);
    for row in rows(&straight, 0) {
        assert!(["(1 0 0", "(0 1 0", "(0 0 1"].iter().any(|r| row.starts_with(r)), "{row}");
    }
}

#[test]
fn variables_are_minimised_where_they_stand() {
    let copy = "
        params n, m : n >= 1 and m >= 1
        S[i, j] : 0 <= i < n and 0 <= j < m @ i, j : r A[i, j], w B[i, j]";
    for is_signed in [false, true] {
        let config = Config {
            variables: vec![UserVariable { name: "x".into(), is_signed }],
            costs: costs(&[CostChoice::Variable(0), CostChoice::Proximity]),
            constraints: vec![at_least(
                Dimension::Default,
                &[(ConfigTerm::Variable(0), 1), (it(0, 0), -1)],
                0,
                0,
            )],
            ..Config::default()
        };
        assert_eq!(rows(&configured(copy, config), 0)[0], "(0 1 | 0 0 | 0)");
    }
}

#[test]
fn a_conflict_is_irreducible() {
    let constraints = vec![
        at_least(Dimension::Default, &[(it(0, 0), -1)], 0, 0),
        at_least(Dimension::At(7), &[(it(0, 1), 1)], -3, 1),
        at_least(Dimension::Default, &[(it(0, 1), -1)], 5, 2),
        at_least(Dimension::Default, &[(it(0, 2), -1)], 0, 3),
    ];
    let config = Config { constraints, ..Config::default() };
    // The loop t carries everything: without it in the first row nothing is legal but the skewed inner ones.
    let Error::Conflict { dimension, origins, deps, .. } = refused(kernels::SEIDEL_2D, config)
    else {
        panic!("no conflict")
    };
    assert_eq!(dimension, 0);
    assert_eq!(origins, [Origin::Constraint(0)]);
    assert!(!deps.is_empty());
}

#[test]
fn constraints_are_dropped_where_no_row_keeps_them() {
    let constraints = vec![
        at_least(Dimension::Default, &[(it(0, 0), -1)], 0, 0),
        at_least(Dimension::Default, &[(it(0, 1), -1)], 5, 1),
    ];
    let fallbacks = Fallback::USUAL.into_iter().chain([Fallback::DropConstraints]).collect();
    let config = Config { constraints, fallbacks, ..Config::default() };
    let scheduled = configured(kernels::SEIDEL_2D, config);
    // The loop t comes first all the same. It does not break the second constraint, which the message leaves out.
    let first = &scheduled.report.rows[0];
    assert_eq!(first.fallback, Some(Fallback::DropConstraints));
    assert_eq!(first.rows[0].coefficient(Coefficient::Iterator(0)), 1);
    let dropped: Vec<_> = scheduled
        .report
        .warnings
        .iter()
        .map(|warning| match warning {
            Warning::ConstraintsDropped { dimension, origins, .. } => (*dimension, origins.clone()),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(dropped, [(0, vec![0])]);
    let others = scheduled.report.rows.iter().skip(1).flat_map(|row| &row.rows);
    assert!(others.into_iter().all(|row| row.coefficient(Coefficient::Iterator(0)) == 0));
}

/// However early the work ends, no constraint is called harmless that was not shown to be.
#[test]
fn a_conflict_names_its_constraints_with_little_work() {
    let text = "
        params n : n >= 1
        S[i, j] : 0 <= i < n and 1 <= j < n @ i, j : r A[i, j - 1], w A[i, j]";
    let constraints = vec![
        at_least(Dimension::Default, &[(it(0, 0), 1)], -2, 0),
        at_least(Dimension::Default, &[(it(0, 1), 1)], 0, 1),
        at_least(Dimension::Default, &[(it(0, 0), -1)], 1, 2),
    ];
    let config = Config { constraints, ..Config::default() };
    let scop = common::scop(text);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let mut n_conflicts = 0;
    for work in (0..4000).step_by(20) {
        let mut strategy = Configured::new(config.clone(), &scop).unwrap();
        let options = ScheduleOptions { max_solver_work: work, ..ScheduleOptions::default() };
        match schedule(&scop, &deps, &mut strategy, &options) {
            Ok(scheduled) => assert!(!scheduled.report.warnings.is_empty()),
            Err(Error::Conflict { origins, .. }) => {
                n_conflicts += 1;
                for needed in [0, 2] {
                    assert!(origins.contains(&Origin::Constraint(needed)), "{work}: {origins:?}");
                }
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!((1..200).contains(&n_conflicts), "{n_conflicts}");
}

#[test]
fn linked_statements_have_their_rows_together() {
    let text = "
        params n : n >= 1
        S0[i, j] : 0 <= i < n and 0 <= j < n @ 0, i, j : w A[i, j]
        S1[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j : w B[i, j]";
    // Not both may have i in their first row.
    let tie = at_least(Dimension::At(1), &[(it(0, 0), -1), (it(1, 0), -1)], 1, 0);
    let config =
        Config { constraints: vec![tie], heuristic: FusionHeuristic::No, ..Config::default() };
    let scheduled = configured(text, config);
    assert_eq!(scheduled.report.rows[0].stmts.len(), 2);
    assert_ne!(rows(&scheduled, 0)[0], rows(&scheduled, 1)[0]);
}

const PRODUCER_CONSUMER: &str = "
    params n : n >= 1
    S0[i] : 0 <= i < n @ 0, i : w A[i]
    S1[i] : 0 <= i < n @ 1, i : r A[i], w B[i]
    S2[i] : 0 <= i < n @ 2, i : r B[i], w C[i]";

/// A rule of distribution for the outermost dimension.
fn rule(total_distribution: bool, groups: &[&[usize]]) -> Vec<FusionRule> {
    let groups = groups.iter().map(|g| g.iter().map(|&s| stmt(s)).collect()).collect();
    vec![FusionRule { dimension: Dimension::At(0), total_distribution, groups }]
}

#[test]
fn groups_share_loops() {
    let config = Config { fusion: rule(false, &[&[0, 1], &[2]]), ..Config::default() };
    let scheduled = configured(PRODUCER_CONSUMER, config);
    let stmts: Vec<usize> = scheduled.report.rows.iter().map(|row| row.stmts.len()).collect();
    assert_eq!(stmts, [2, 1]);
    assert_eq!(scheduled.report.rows[0].dimension, 1, "the sequence is a row, too");
    let config = Config { fusion: rule(true, &[]), ..Config::default() };
    let scheduled = configured(PRODUCER_CONSUMER, config);
    assert_eq!(scheduled.report.rows.len(), 3);
}

#[test]
fn impossible_groups_are_named_with_their_dependence() {
    // S1 must run between S0 and S2.
    let fusion = rule(false, &[&[0, 2], &[1]]);
    let config = Config { fusion, ..Config::default() };
    let Error::ImpossibleFusion { together, deps, .. } = refused(PRODUCER_CONSUMER, config) else {
        panic!("possible")
    };
    assert!(!together);
    assert!(!deps.is_empty());
    // Two statements of one cycle cannot be apart.
    let text = "
        params n : n >= 1
        S0[i] : 1 <= i < n @ i, 0 : r B[i - 1], w A[i]
        S1[i] : 1 <= i < n @ i, 1 : r A[i], w B[i]";
    let config = Config { fusion: rule(false, &[&[0], &[1]]), ..Config::default() };
    assert!(matches!(refused(text, config), Error::ImpossibleFusion { together: false, .. }));
}

/// Whether a group may be parallel is asked without its costs, but not without the variables of its constraints.
#[test]
fn constraints_on_variables_hold_where_fusion_is_judged() {
    let bounded = |constant| Config {
        variables: vec![UserVariable { name: "x".into(), is_signed: false }],
        costs: costs(&[CostChoice::Proximity, CostChoice::Variable(0)]),
        constraints: vec![
            at_least(Dimension::Default, &[(ConfigTerm::Variable(0), 1), (it(0, 0), -1)], 0, 0),
            at_least(Dimension::Default, &[(ConfigTerm::Variable(0), -1)], constant, 1),
        ],
        ..Config::default()
    };
    let scheduled = configured(PRODUCER_CONSUMER, bounded(1));
    assert_eq!(rows(&scheduled, 0), ["(1 | 0 | 0)"]);
    assert!(matches!(refused(PRODUCER_CONSUMER, bounded(0)), Error::Conflict { .. }));
}

/// The last run that the budget allows goes without directives instead of failing for them.
#[test]
fn directives_are_dropped_when_runs_are_used_up() {
    let text = "
        params n : n >= 1
        S[i, j] : 1 <= i < n and 0 <= j < n - 1 @ i, j : r A[i - 1, j + 1], w A[i, j]";
    let config = Config {
        directives: vec![directive(DirectiveKind::Vectorize, &[0], 0)],
        ..Config::default()
    };
    let scop = common::scop(text);
    for max_trials in [1, 2, 64] {
        let mut strategy = Configured::new(config.clone(), &scop).unwrap();
        let options = ScheduleOptions { max_trials, ..ScheduleOptions::default() };
        let scheduled = check(&scop, &mut strategy, &options);
        let warnings = &scheduled.report.warnings;
        assert!(matches!(warnings.as_slice(), [Warning::DirectiveDropped { .. }]), "{warnings:?}");
    }
}

#[test]
fn what_forbids_a_directive_is_no_pair_of_reads() {
    let text = "
        params n : n >= 1
        S[i] : 0 <= i < n @ i : r A[], w A[]";
    let scop = common::scop(text);
    let options = DependenceOptions { input: true, ..DependenceOptions::default() };
    let deps = dependences(&scop, options).unwrap();
    assert!(deps.deps.iter().any(|dep| !dep.kind.is_validity()), "pairs of reads");
    let config = Config {
        directives: vec![directive(DirectiveKind::Parallel, &[0], 0)],
        ..Config::default()
    };
    let mut strategy = Configured::new(config, &scop).unwrap();
    let scheduled = schedule(&scop, &deps, &mut strategy, &ScheduleOptions::default()).unwrap();
    let [Warning::DirectiveDropped { dep: Some(dep), .. }] = scheduled.report.warnings.as_slice()
    else {
        panic!("{:?}", scheduled.report.warnings)
    };
    assert!(deps.deps[*dep].kind.is_validity());
    let carried = scheduled.report.rows.iter().flat_map(|row| &row.carried);
    assert!(carried.copied().all(|dep| deps.deps[dep].kind.is_validity()));
}

#[test]
fn directives_that_break_legality_are_dropped() {
    let text = "
        params n : n >= 1
        S[i, j] : 1 <= i < n and 1 <= j < n @ i, j : r A[i, j - 1], w A[i, j]";
    let config = Config {
        directives: vec![directive(DirectiveKind::Vectorize, &[0], 1)],
        ..Config::default()
    };
    let scheduled = configured(text, config);
    let warnings: Vec<String> = scheduled.report.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["S0: directive vectorize of iterator 1 dropped: d0 forbids it"]);
    let config = Config {
        directives: vec![directive(DirectiveKind::Vectorize, &[0], 0)],
        ..Config::default()
    };
    let scheduled = configured(text, config);
    assert!(scheduled.report.warnings.is_empty());
    assert_eq!(rows(&scheduled, 0), ["(0 1 | 0 | 0)", "(1 0 | 0 | 0)"]);
}

#[test]
fn parallel_and_sequential_loops() {
    let text = "
        params n : n >= 1
        S[i, j] : 0 <= i < n and 0 <= j < n @ i, j : w A[i, j]";
    let with = |directives| Config { directives, ..Config::default() };
    let scheduled = configured(text, with(vec![directive(DirectiveKind::Parallel, &[0], 1)]));
    assert_eq!(rows(&scheduled, 0), ["(0 1 | 0 | 0)", "(1 0 | 0 | 0)"]);
    let scheduled = configured(text, with(vec![directive(DirectiveKind::Sequential, &[0], 0)]));
    assert!(outline(&scheduled).contains("[(i)]\n"));
    assert!(outline(&scheduled).contains("[(j)], parallel\n"));
}

#[test]
fn negative_coefficients_fuse_a_reversal() {
    let text = "
        params n : n >= 1
        S0[i] : 0 <= i < n @ 0, i : w A[i]
        S1[i] : 0 <= i < n @ 1, i : r A[n - 1 - i], w B[i]";
    let config = |negative_coefficients| Config {
        negative_coefficients,
        parametric_shift: true,
        heuristic: FusionHeuristic::Max,
        ..Config::default()
    };
    let scheduled = configured(text, config(true));
    assert!(scheduled.report.rows[0].coincident, "{}", scheduled.report);
    assert_eq!(scheduled.report.rows[0].stmts.len(), 2);
    let scheduled = configured(text, config(false));
    assert!(!scheduled.report.rows[0].coincident, "{}", scheduled.report);
}

/// `i - j` and `j - i` cost the same; in the latter the inner loop ascends in memory.
#[test]
fn of_opposite_rows_the_innermost_iterator_ascends() {
    let text = "
        params n : n >= 1
        S0[i, j] : 0 <= i < n and i <= j < n @ 0, i, j : r X[i], r X[j], r A[j - i], w A[j - i]";
    let config = Config { negative_coefficients: true, ..Config::default() };
    assert_eq!(rows(&configured(text, config), 0), ["(-1 1 | 0 | 0)", "(1 0 | 0 | 0)"]);
}

#[test]
fn listing_2_finds_inner_parallelism() {
    for text in [kernels::SEIDEL_2D, TRSML, PRODUCER_CONSUMER, kernels::GEMM] {
        let scop = common::scop(text);
        let mut strategy = IslListing2::new(FusionHeuristic::Smart);
        let scheduled = check(&scop, &mut strategy, &ScheduleOptions::default());
        let report = scheduled.report;
        assert!(report.rows.iter().any(|row| row.coincident), "{report}");
    }
}

#[test]
fn isl_carries_only_where_a_band_would_be_empty() {
    let scop = common::scop(kernels::SEIDEL_2D);
    let options = ScheduleOptions::default();
    let is_carrying = |scheduled: &Scheduled| scheduled.report.to_string().contains("uncarried");
    let scheduled = check(&scop, &mut Isl::default(), &options);
    assert_eq!(scheduled.report.rows.len(), 3);
    assert!(!is_carrying(&scheduled), "{}", scheduled.report);
    // Where the outermost row has to be parallel, Feautrier's cost takes over, and the inner rows are parallel.
    let outer = IslOptions { outer_coincidence: true, ..IslOptions::default() };
    let scheduled = check(&scop, &mut Isl::new(outer), &options);
    assert!(is_carrying(&scheduled), "{}", scheduled.report);
    assert!(scheduled.report.rows[1].coincident, "{}", scheduled.report);
}

#[test]
fn constraints_leave_other_statements_alone() {
    let text = "
        params n : n >= 1
        S[i, j] : 0 <= i < n and 0 <= j < n @ 0, i, j : r A[i, j], w B[i, j]
        T[i, j] : 0 <= i < n and 0 <= j < n @ 1, i, j : r C[i, j], w D[i, j]";
    let constraints = vec![at_least(Dimension::At(1), &[(it(1, 1), 1)], -1, 0)];
    let scheduled = configured(text, Config { constraints, ..Config::default() });
    assert_eq!(rows(&scheduled, 0), ["(1 0 | 0 | 0)", "(0 1 | 0 | 0)"]);
    assert_eq!(rows(&scheduled, 1), ["(0 1 | 0 | 0)", "(1 0 | 0 | 0)"]);
}
