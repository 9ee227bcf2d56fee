//! What a strategy may ask of the driver: every part of a plan has its effect.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::kernels;
use farkas_base::Id;
use farkas_schedule::{
    Coefficient, Constraint, CostContext, CostFunction, CostVariables, Fallback, FusionHeuristic,
    IlpLayout, Plan, Pluto, RowSink, ScheduleOptions, Scheduled, State, Strategy, Term, Warning,
    ZeroDistance,
};
use farkas_scop::StmtId;
use farkas_solve::{Row, RowKind};
use std::rc::Rc;
use support::check;

/// `pluto` with its plan changed by a function.
struct Changed<F>(Pluto, F);

impl<F: FnMut(&State<'_>, &mut Plan)> Strategy for Changed<F> {
    fn name(&self) -> &str {
        "changed"
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        let mut plan = self.0.plan(state);
        (self.1)(state, &mut plan);
        plan
    }
}

/// The checked schedule of `text` under `pluto` without fusion and with a changed plan.
fn changed(text: &str, change: impl FnMut(&State<'_>, &mut Plan)) -> Scheduled {
    let mut strategy = Changed(Pluto::new(FusionHeuristic::No), change);
    check(&common::scop(text), &mut strategy, &ScheduleOptions::default())
}

/// The rows of one statement as text.
fn rows(scheduled: &Scheduled, stmt: usize) -> Vec<String> {
    let stmt = StmtId::from_index(stmt);
    let of_row = |row: &farkas_schedule::RowReport| {
        let at = row.stmts.binary_search(&stmt).ok()?;
        Some(row.rows[at].to_string())
    };
    scheduled.report.rows.iter().filter_map(of_row).collect()
}

/// The coefficient of an iterator of a statement, at least one.
fn at_least_one(stmt: usize, iterator: usize) -> Constraint {
    let term = Term::Coefficient(StmtId::from_index(stmt), Coefficient::Iterator(iterator));
    Constraint {
        kind: RowKind::Inequality,
        terms: vec![(term, 1)],
        constant: -1,
        origin: None,
        in_sequences: false,
    }
}

const COPY: &str = "
    params n, m : n >= 1 and m >= 1
    S[i, j] : 0 <= i < n and 0 <= j < m @ i, j : r A[i, j], w B[i, j]";

#[test]
fn constraints_choose_rows() {
    let scheduled = changed(COPY, |state, plan| {
        if state.n_members == 0 {
            plan.constraints.push(at_least_one(0, 1));
        }
    });
    assert_eq!(rows(&scheduled, 0), ["(0 1 | 0 0 | 0)", "(1 0 | 0 0 | 0)"]);
}

#[test]
fn without_a_solution_the_strategy_is_asked_again() {
    let mut attempts = Vec::new();
    let scheduled = changed(kernels::SEIDEL_2D, |state, plan| {
        attempts.push(state.attempt);
        plan.fallbacks.insert(0, Fallback::Replan);
        match state.attempt {
            0 => plan.costs.insert(0, Rc::new(ZeroDistance)),
            1 => plan.constraints.push(Constraint {
                kind: RowKind::Inequality,
                terms: Vec::new(),
                constant: -1,
                origin: None,
                in_sequences: false,
            }),
            _ => {}
        }
    });
    assert_eq!(rows(&scheduled, 0).len(), 3);
    assert!(scheduled.report.rows.iter().all(|r| r.fallback == Some(Fallback::Replan)));
    assert_eq!(attempts.iter().filter(|&&a| a == 2).count(), 3);
}

#[test]
fn a_strategy_that_never_has_a_solution_gets_the_original_order() {
    let scheduled = changed(kernels::SEIDEL_2D, |_, plan| {
        plan.fallbacks = vec![Fallback::Replan];
        plan.costs.insert(0, Rc::new(ZeroDistance));
    });
    assert!(matches!(scheduled.report.warnings[..], [Warning::OriginalOrder { .. }]));
}

#[test]
fn the_last_row_can_be_found_again() {
    // In the manner of PolyTOPS, listing 2: another plan where the row is not parallel.
    let mut was_asked = false;
    let scheduled = changed(kernels::SEIDEL_2D, |state, plan| {
        let is_first_again = state.n_members == 1 && !was_asked;
        if is_first_again && state.last.is_some_and(|row| !row.coincident) {
            was_asked = true;
            plan.recompute_last = true;
        }
        if plan.recompute_last || state.was_recomputed && state.n_members == 0 {
            plan.constraints.push(at_least_one(0, 1));
        }
    });
    assert!(was_asked);
    assert_eq!(rows(&scheduled, 0)[0], "(1 1 0 | 0 0 | 0)");
}

#[test]
fn bands_end_where_the_plan_says() {
    let scheduled = changed(COPY, |state, plan| plan.ends_band = state.n_members == 1);
    let members: Vec<usize> = scheduled.report.rows.iter().map(|row| row.member).collect();
    assert_eq!(members, [0, 0]);
}

#[test]
fn more_rows_than_needed() {
    let scheduled = changed(COPY, |state, plan| plan.extra_row = state.dimension < 3);
    assert_eq!(rows(&scheduled, 0).len(), 3);
}

#[test]
fn an_endless_wish_for_rows_ends() {
    let scheduled = changed(COPY, |_, plan| plan.extra_row = true);
    assert_eq!(rows(&scheduled, 0).len(), ScheduleOptions::default().max_trials);
}

/// Outer loops with the smallest weighted sum of coefficients: the last iterator is cheapest.
struct Contiguity;

impl CostFunction for Contiguity {
    fn name(&self) -> &str {
        "contiguity"
    }

    fn variables(&self, _: &CostContext<'_>) -> CostVariables {
        CostVariables { leading: vec!["contiguity".into()], trailing: Vec::new() }
    }

    fn rows(&self, _: &CostContext<'_>, layout: &IlpLayout, own: usize, sink: &mut RowSink<'_>) {
        let mut row = Row::new().with(layout.own(own)[0], 1);
        for stmt in layout.stmts() {
            let n = layout.n_iterators(stmt);
            for i in 0..n {
                let weight = i64::try_from(n - i).unwrap();
                layout.add(&mut row, stmt, Coefficient::Iterator(i), -weight);
            }
        }
        sink(RowKind::Equality, row);
    }
}

#[test]
fn cost_functions_come_in_the_order_of_the_plan() {
    let first = changed(COPY, |_, plan| plan.costs.insert(0, Rc::new(Contiguity)));
    assert_eq!(rows(&first, 0), ["(0 1 | 0 0 | 0)", "(1 0 | 0 0 | 0)"]);
    assert_eq!(first.report.rows[0].cost[0], ("contiguity".to_owned(), 1));
    let text = kernels::GEMM;
    let after = changed(text, |_, plan| plan.costs.insert(1, Rc::new(Contiguity)));
    // Iterators are i, k, j; proximity leaves i and j, contiguity prefers j.
    assert_eq!(rows(&after, 1)[0], "(0 0 1 | 0 0 0 | 0)");
}

#[test]
fn constraints_over_cost_variables() {
    // The bound on flow distances must be zero: the plan fails for gemm's reduction, which then ends the band.
    let scheduled = changed(kernels::GEMM, |state, plan| {
        if state.group.stmts.len() == 1 && state.group.deps.iter().any(|d| d.ids.len() > 1) {
            let w = Term::Cost { function: 0, variable: 1 };
            plan.constraints.push(Constraint {
                kind: RowKind::Equality,
                terms: vec![(w, 1)],
                constant: 0,
                origin: None,
                in_sequences: false,
            });
        }
    });
    assert!(scheduled.report.rows.iter().any(|row| row.stmts == [StmtId::from_index(1)]));
}

#[test]
fn coefficients_can_be_bounded() {
    let scheduled = changed(kernels::SEIDEL_2D, |_, plan| plan.max_coefficient = Some(1));
    let all = rows(&scheduled, 0);
    assert_eq!(all[..2], ["(1 0 0 | 0 0 | 0)", "(1 1 0 | 0 0 | 0)"]);
    assert!(all.iter().all(|row| !row.contains('2')));
}

#[test]
fn loops_of_known_size_are_not_coalesced() {
    let all_in_order = |n: i64| {
        let text = format!("S[i, j] : 0 <= i < {n} and 0 <= j < {n} @ i, j : r A[0], w A[0]");
        let scheduled = changed(&text, |_, _| {});
        (rows(&scheduled, 0), scheduled.tree.to_string().matches("permutable").count())
    };
    assert_eq!(all_in_order(2), (vec!["(1 0 |  | 0)".into(), "(1 1 |  | 0)".into()], 1));
    for n in [3, 10, 40] {
        assert_eq!(all_in_order(n), (vec!["(1 0 |  | 0)".into(), "(0 1 |  | 0)".into()], 2));
    }
}

#[test]
fn parametric_shifts_fuse_what_nothing_else_does() {
    let text = "
        params n : n >= 1
        S[i] : 0 <= i < n @ 0, i : w A[i]
        T[i] : n <= i < 2 * n @ 1, i : r A[2 * n - 1 - i], w B[i]";
    let mut strategy =
        Changed(Pluto::new(FusionHeuristic::Max), |_: &State<'_>, plan: &mut Plan| {
            plan.fallbacks = vec![Fallback::ParametricShift, Fallback::SeparateComponents];
        });
    let scheduled = check(&common::scop(text), &mut strategy, &ScheduleOptions::default());
    assert_eq!(scheduled.report.rows.len(), 1);
}

#[test]
fn asking_for_a_row_again_and_again_ends() {
    let mut n_plans = 0;
    let scheduled = changed(kernels::SEIDEL_2D, |_, plan| {
        n_plans += 1;
        plan.recompute_last = true;
    });
    assert_eq!(rows(&scheduled, 0).len(), 3);
    assert!(matches!(scheduled.report.warnings[..], [Warning::RecomputedTooOften { .. }]));
    let limit = ScheduleOptions::default().max_trials;
    assert!((limit..limit + 10).contains(&n_plans), "{n_plans}");
}

#[test]
fn a_strategy_sees_what_its_band_has_carried() {
    let mut seen = Vec::new();
    changed(kernels::SEIDEL_2D, |state, _| {
        assert_eq!(state.carried.len(), state.group.deps.len());
        seen.push((state.n_members, state.carried.iter().filter(|&&c| c).count()));
    });
    let at_most = |n_members| seen.iter().filter(|s| s.0 == n_members).map(|s| s.1).max();
    assert_eq!(at_most(0), Some(0));
    assert!(at_most(1) > Some(0) && at_most(1) < at_most(2), "{seen:?}");
}

#[test]
fn a_strategy_that_failed_makes_no_schedule() {
    struct Failing(Pluto);
    impl Strategy for Failing {
        fn name(&self) -> &str {
            "failing"
        }
        fn plan(&mut self, state: &State<'_>) -> Plan {
            self.0.plan(state)
        }
        fn failure(&self) -> Option<String> {
            Some("no idea".into())
        }
    }
    let scop = common::scop(COPY);
    let deps = farkas_deps::dependences(&scop, farkas_deps::DependenceOptions::default()).unwrap();
    let mut strategy = Failing(Pluto::default());
    let options = ScheduleOptions::default();
    let error = farkas_schedule::schedule(&scop, &deps, &mut strategy, &options).unwrap_err();
    assert_eq!(error.to_string(), "strategy failing failed: no idea");
}
