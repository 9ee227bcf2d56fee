//! What a library sees, and that all it may ask for has its effect.

mod support;

use farkas_run::{Build, Executable};
use farkas_schedule::Scheduled;
use farkas_scop::StmtId;
use std::path::PathBuf;
use support::{build, outcome, region, scheduled, strategy};

/// The rows of one statement as text.
fn rows(scheduled: &Scheduled, name: &str) -> Vec<String> {
    let is_it = |stmt: &StmtId| stmt.to_string() == name;
    let row = |row: &farkas_schedule::RowReport| {
        let at = row.stmts.iter().position(is_it)?;
        Some(row.rows[at].to_string())
    };
    scheduled.report.rows.iter().filter_map(row).collect()
}

/// The schedule of the library with these functions.
fn asked(create: &str, plan: &str) -> Scheduled {
    outcome(Some(create), plan).unwrap_or_else(|message| panic!("{plan}: {message}"))
}

/// What the library of `spy.c` wrote down.
fn seen(library: &Executable) -> String {
    // SAFETY: the library is ours, the function has this type, and the text is static.
    unsafe {
        let library = libloading::Library::new(library.path()).expect("it loads");
        let seen = library.get::<unsafe extern "C" fn() -> *const std::ffi::c_char>("seen");
        let text = seen.expect("the function")();
        std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}

#[test]
fn a_library_sees_the_program_and_the_schedule_so_far() {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/spy.c");
    let library = build("cc -std=c99", Build::file(source));
    let region = region(
        "#pragma scop
for (int i = 1; i < n; i++)
  for (int j = 1; j < n - 1; j++)
    here: A[i][j] = A[i - 1][j + 1] + B[j / 2][i];
#pragma endscop",
    );
    let mut strategy = strategy(&library, &region).expect("a strategy");
    scheduled(&region.1, &mut strategy).expect("a schedule");
    insta::assert_snapshot!(seen(&library));
}

#[test]
fn without_a_wish_the_distance_is_least() {
    let scheduled = asked("", "");
    assert_eq!(rows(&scheduled, "S1"), ["(0 1 | 0 | 0)", "(1 0 | 0 | 0)"]);
    let names = scheduled.report.rows[0].cost.iter().map(|(name, _)| name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["u_n", "w", "sum_it"]);
}

#[test]
fn costs_come_in_their_order() {
    let scheduled = asked(
        "setup->add_variable(setup, \"x\", 0);",
        "plan->add_cost(plan, \"contiguity\"); plan->add_cost(plan, \"coefficient-sums\");
         plan->add_cost(plan, \"x\");",
    );
    let names = scheduled.report.rows[0].cost.iter().map(|(name, _)| name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["contiguity", "sum_it", "x"]);
    assert_eq!(rows(&scheduled, "S0"), ["(1 0 | 0 | 0)", "(0 1 | 0 | 0)"]);
}

#[test]
fn constraints_and_variables_choose_rows() {
    // x bounds the constant of S0 from below, and x + 3 is that of S1.
    let scheduled = asked(
        "setup->add_variable(setup, \"x\", 1); uint32_t stmts[] = { 0, 1 }; setup->add_link(setup, stmts, 2);",
        "if (state->n_group == 2 && state->n_members == 0) {
           farkas_term low[] = { { FARKAS_CONSTANT, 0, 0, 1 }, { FARKAS_VARIABLE, 0, 0, -1 } };
           farkas_term sum[] = { { FARKAS_CONSTANT, 1, 0, 1 }, { FARKAS_VARIABLE, 0, 0, -1 } };
           farkas_term skew[] = { { FARKAS_ITERATOR, 0, 1, 1 }, { FARKAS_ITERATOR, 0, 0, -1 } };
           farkas_term some = { FARKAS_VARIABLE, 0, 0, 1 };
           plan->add_constraint(plan, FARKAS_NOT_NEGATIVE, low, 2, 0);
           plan->add_constraint(plan, FARKAS_ZERO, sum, 2, -3);
           plan->add_constraint(plan, FARKAS_ZERO, skew, 2, 0);
           plan->add_constraint(plan, FARKAS_NOT_NEGATIVE, &some, 1, -2);
           plan->add_cost(plan, \"x\");
         }
         plan->fusion = FARKAS_FUSE_MAX;",
    );
    assert_eq!(rows(&scheduled, "S0")[0], "(1 1 | 0 | 2)", "{}", scheduled.report);
    assert_eq!(rows(&scheduled, "S1")[0], "(1 1 | 0 | 5)", "{}", scheduled.report);
}

#[test]
fn parameters_can_be_used_and_bounded() {
    let plan = |switches: &str| {
        format!(
            "farkas_term term = {{ FARKAS_PARAM, state->group[0].statement, 0, 1 }};
             plan->add_constraint(plan, FARKAS_NOT_NEGATIVE, &term, 1, -2); {switches}
             plan->set_fallbacks(plan, NULL, 0);"
        )
    };
    let shifted = asked("", &plan("plan->parametric_shift = 1;"));
    assert_eq!(rows(&shifted, "S0")[0], "(0 1 | 2 | 0)", "{}", shifted.report);
    for switches in ["", "plan->parametric_shift = 1; plan->max_coefficient = 1;"] {
        let refused = asked("", &plan(switches));
        assert!(rows(&refused, "S0").is_empty(), "{}", refused.report);
    }
}

#[test]
fn coefficients_may_be_negative() {
    let plan = "plan->negative_coefficients = SWITCH; plan->set_fallbacks(plan, NULL, 0);
        for (size_t i = 0; i < state->n_group && state->n_members == 0; i++) {
          farkas_term term = { FARKAS_ITERATOR, state->group[i].statement, 1, -1 };
          plan->add_constraint(plan, FARKAS_NOT_NEGATIVE, &term, 1, -1);
        }";
    let reversed = asked("", &plan.replace("SWITCH", "1"));
    assert_eq!(rows(&reversed, "S1")[0], "(0 -1 | 0 | 0)", "{}", reversed.report);
    assert!(rows(&asked("", &plan.replace("SWITCH", "0")), "S1").is_empty());
}

#[test]
fn fusion_is_the_library_s() {
    let n_sequences = |plan: &str| asked("", plan).tree.to_string().matches("sequence").count();
    let n_bands = |plan: &str| asked("", plan).tree.to_string().matches("schedule:").count();
    assert_eq!(
        (
            n_sequences("plan->fusion = FARKAS_FUSE_MAX;"),
            n_bands("plan->fusion = FARKAS_FUSE_MAX;")
        ),
        (1, 1)
    );
    assert_eq!(n_bands("plan->fusion = FARKAS_FUSE_NO;"), 2);
    assert_eq!(n_bands("plan->fusion = FARKAS_FUSE_CLUSTER;"), 1);
    assert_eq!(n_bands("plan->total_distribution = 1; plan->fusion = FARKAS_FUSE_MAX;"), 2);
    let together = "uint32_t stmts[] = { 1, 0 }; plan->add_group(plan, stmts, 2); plan->fusion = FARKAS_FUSE_NO;";
    assert_eq!(n_bands(together), 1);
    let apart = "uint32_t stmts[] = { 0, 1 }; plan->add_group(plan, stmts, 1); plan->add_group(plan, stmts + 1, 1);
        plan->fusion = FARKAS_FUSE_MAX;";
    assert_eq!(n_bands(apart), 2);
    // Distribution at the second dimension alone.
    let inside = "plan->fusion = state->dimension == 0 ? FARKAS_FUSE_MAX : FARKAS_FUSE_NO;
        plan->total_distribution = plan->distributes = state->dimension == 1;";
    assert_eq!(n_bands(inside), 3);
}

#[test]
fn bands_end_where_the_library_says() {
    let members = |plan: &str| {
        let scheduled = asked("", plan);
        scheduled.report.rows.iter().map(|row| row.member).collect::<Vec<_>>()
    };
    assert_eq!(members("plan->fusion = FARKAS_FUSE_MAX;"), [0, 1]);
    assert_eq!(members("plan->fusion = FARKAS_FUSE_MAX; plan->ends_band = 1;")[..2], [0, 0]);
}

#[test]
fn rows_can_be_demanded_parallel_and_found_again() {
    let refused = asked("", "plan->demands_parallel = 1; plan->set_fallbacks(plan, NULL, 0);");
    assert_eq!(rows(&refused, "S1"), ["(0 1 | 0 | 0)"], "{}", refused.report);
    // Another plan where there is no parallel row.
    let again = asked(
        "",
        "const char *names[] = { \"replan\", \"new-band\", \"separate-components\" };
         plan->demands_parallel = state->attempt == 0; plan->set_fallbacks(plan, names, 3);",
    );
    assert_eq!(rows(&again, "S1"), ["(0 1 | 0 | 0)", "(1 0 | 0 | 0)"], "{}", again.report);
    assert!(again.report.rows.iter().any(|row| row.fallback.is_some()), "{}", again.report);
    // The other loop first, at the second try.
    let turned = asked(
        "",
        "if (state->n_members == 1 && !state->was_recomputed) {
           plan->recompute_last = 1;
           for (size_t i = 0; i < state->n_group; i++) {
             farkas_term term = { FARKAS_ITERATOR, state->group[i].statement, 0, 1 };
             plan->add_constraint(plan, FARKAS_NOT_NEGATIVE, &term, 1, -1);
           }
         }",
    );
    assert_eq!(rows(&turned, "S1"), ["(1 0 | 0 | 0)", "(0 1 | 0 | 0)"], "{}", turned.report);
}

#[test]
fn proximity_looks_at_the_kinds_of_the_library_s() {
    // Without a bound on flow, the outer loop is as good as any.
    let library = support::library_of_kinds(None, "", "FARKAS_OUTPUT");
    let scheduled = support::outcome_of(&library).expect("a schedule");
    assert_eq!(rows(&scheduled, "S1"), ["(1 0 | 0 | 0)", "(0 1 | 0 | 0)"]);
    assert!(!support::load(&library).expect("a strategy").needs_input());
    let library = support::library_of_kinds(None, "", "FARKAS_FLOW | FARKAS_INPUT");
    assert!(support::load(&library).expect("a strategy").needs_input());
}

#[test]
fn the_user_s_heuristic_counts_more() {
    use farkas_schedule::FusionHeuristic;
    let library = support::library(None, "plan->fusion = FARKAS_FUSE_MAX;");
    let region = region(support::CHAIN);
    for (heuristic, n_bands) in [(None, 1), (Some(FusionHeuristic::No), 2)] {
        let mut strategy = strategy(&library, &region).expect("a strategy").with_fusion(heuristic);
        let tree = scheduled(&region.1, &mut strategy).expect("a schedule").tree.to_string();
        assert_eq!(tree.matches("schedule:").count(), n_bands, "{tree}");
    }
}
