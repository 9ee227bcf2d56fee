//! Influence trees: which scenario is followed, and every fallback on the way.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use farkas_base::Id;
use farkas_schedule::{
    Coefficient, Fallback, FusionHeuristic, InfluenceConstraint, InfluenceEvent, InfluenceNode,
    InfluenceStep, InfluenceTerm, InfluenceTree, Plan, Pluto, ScheduleOptions, Scheduled, State,
    Strategy, UserVariable,
};
use farkas_scop::StmtId;
use farkas_solve::RowKind;
use support::{check, outline};

/// `pluto` under an influence tree.
struct Influenced(Pluto, InfluenceTree);

impl Strategy for Influenced {
    fn name(&self) -> &str {
        "influenced"
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        self.0.plan(state)
    }

    fn influence(&self) -> Option<InfluenceTree> {
        Some(self.1.clone())
    }
}

/// The checked schedule of `text` under a tree.
fn influenced(text: &str, tree: InfluenceTree) -> Scheduled {
    let mut strategy = Influenced(Pluto::new(FusionHeuristic::Smart), tree);
    let options = ScheduleOptions { explains_influence: true, ..ScheduleOptions::default() };
    check(&common::scop(text), &mut strategy, &options)
}

/// The way through the tree, then the schedule.
fn golden(text: &str, tree: InfluenceTree) -> String {
    let scheduled = influenced(text, tree);
    let steps: Vec<String> = scheduled.report.influence.iter().map(ToString::to_string).collect();
    format!("{}\n{}", steps.join("\n"), outline(&scheduled))
}

/// `c = value` for the coefficient of an iterator of a statement at a depth.
fn fixed(stmt: usize, depth: usize, iterator: usize, value: i64) -> InfluenceConstraint {
    constraint(&[(stmt, depth, iterator, 1)], -value)
}

/// The same coefficient for two statements.
fn equal(depth: usize, (s, i): (usize, usize), (t, j): (usize, usize)) -> InfluenceConstraint {
    constraint(&[(s, depth, i, 1), (t, depth, j, -1)], 0)
}

/// A sum of coefficients (statement, depth, iterator, factor) and a constant is zero.
fn constraint(terms: &[(usize, usize, usize, i64)], constant: i64) -> InfluenceConstraint {
    let text: Vec<String> =
        terms.iter().map(|(s, d, i, f)| format!("{f} S{s}_it_{i}@{d}")).collect();
    let term = |&(stmt, depth, iterator, factor): &(usize, usize, usize, i64)| {
        let (stmt, which) = (StmtId::from_index(stmt), Coefficient::Iterator(iterator));
        (InfluenceTerm::Coefficient { stmt, depth, which }, factor)
    };
    InfluenceConstraint {
        kind: RowKind::Equality,
        terms: terms.iter().map(term).collect(),
        constant,
        text: format!("{} = {}", text.join(" + "), -constant),
    }
}

/// A node.
fn node(constraints: Vec<InfluenceConstraint>, children: Vec<InfluenceNode>) -> InfluenceNode {
    InfluenceNode { constraints, children, ..InfluenceNode::default() }
}

/// Fig. 2(a) of constraint injection.
const FUSED_MUL_SUB: &str = "
    params n : n >= 1
    X[i, k] : 0 <= i < n and 0 <= k < n @ 0, i, k, 0 : r A[i, k], w B[i, k]
    Y[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n @ 1, i, j, k : r C[i, j], r B[i, k], r D[k, i, j], w C[i, j]";

/// Fig. 3(b), from its description: X and Y alike in the two outer rows, which leave j alone; the third row has j once.
/// The second scenario leaves the first rows free but for j.
fn vectorize_j() -> InfluenceTree {
    let without_j = |depth| fixed(1, depth, 1, 0);
    let alike =
        |depth| vec![equal(depth, (0, 0), (1, 0)), equal(depth, (0, 1), (1, 2)), without_j(depth)];
    let j_alone = || vec![fixed(1, 2, 1, 1), fixed(1, 2, 0, 0), fixed(1, 2, 2, 0)];
    let scenario = |first, second| node(first, vec![node(second, vec![node(j_alone(), vec![])])]);
    InfluenceTree::new(vec![
        scenario(alike(0), alike(1)),
        scenario(vec![without_j(0)], vec![without_j(1)]),
    ])
}

#[test]
fn figure_2_takes_the_first_scenario() {
    insta::assert_snapshot!(golden(FUSED_MUL_SUB, vectorize_j()));
}

/// What it takes to say why a node has no row is not missing where rows are looked for.
#[test]
fn explanations_change_no_schedule() {
    let text = FUSED_MUL_SUB.replace("r B[i, k]", "r B[n - 1 - i, k]");
    let scop = common::scop(&text);
    for max_solver_work in (0..30_000).step_by(250) {
        let scheduled = |explains_influence| {
            let mut strategy = Influenced(Pluto::new(FusionHeuristic::Smart), vectorize_j());
            let options =
                ScheduleOptions { explains_influence, max_solver_work, ..Default::default() };
            check(&scop, &mut strategy, &options)
        };
        assert_eq!(scheduled(true).tree, scheduled(false).tree, "{max_solver_work}");
    }
}

#[test]
fn without_common_rows_the_second_scenario_is_taken() {
    // Y reads what X makes in a later iteration of the loop over i, of any loop that both share.
    let text = FUSED_MUL_SUB.replace("r B[i, k]", "r B[n - 1 - i, k]");
    insta::assert_snapshot!(golden(&text, vectorize_j()));
}

#[test]
fn without_a_scenario_the_plain_schedule_comes_out() {
    // Each Y[i, j, k] needs that of all smaller k of the next smaller j: j cannot be innermost.
    let text = FUSED_MUL_SUB.replace("r D[k, i, j]", "r E[i, j - 1], w E[i, j]");
    insta::assert_snapshot!(golden(&text, vectorize_j()));
    let mut plain = Pluto::new(FusionHeuristic::Smart);
    let plain = check(&common::scop(&text), &mut plain, &ScheduleOptions::default());
    let influenced = influenced(&text, vectorize_j());
    assert_eq!(influenced.tree, plain.tree);
}

/// One statement with a dependence of distance (1, -1).
const ANTI_DIAGONAL: &str = "
    params n : n >= 3
    S[i, j] : 1 <= i < n and 0 <= j < n - 1 @ i, j : r A[i - 1, j + 1], w A[i, j]";

/// The same elements in two loops without dependences.
const COPY: &str = "
    params n, m : n >= 1 and m >= 1
    S[i, j] : 0 <= i < n and 0 <= j < m @ i, j : r A[i, j], w B[i, j]";

/// A chain of nodes, each with constraints.
fn chain(rows: Vec<Vec<InfluenceConstraint>>) -> Vec<InfluenceNode> {
    let mut children = Vec::new();
    for constraints in rows.into_iter().rev() {
        children = vec![node(constraints, children)];
    }
    children
}

/// The first event of the trace that names `word`.
fn has_event(scheduled: &Scheduled, word: &str) -> bool {
    scheduled.report.influence.iter().any(|step| step.to_string().contains(word))
}

/// The rows of the first statement as text.
fn rows(scheduled: &Scheduled) -> Vec<String> {
    scheduled.report.rows.iter().map(|row| row.rows[0].to_string()).collect()
}

#[test]
fn a_supplementary_dimension_needs_no_progress() {
    let tree = InfluenceTree::new(chain(vec![vec![fixed(0, 0, 0, 0), fixed(0, 0, 1, 0)]]));
    let scheduled = influenced(COPY, tree);
    assert!(has_event(&scheduled, "fallback drop-progression"));
    assert_eq!(rows(&scheduled), ["(0 0 | 0 0 | 0)", "(1 0 | 0 0 | 0)", "(0 1 | 0 0 | 0)"]);
}

#[test]
fn the_next_sibling_takes_over() {
    let first = node(vec![fixed(0, 0, 0, 0)], vec![]);
    let second = node(vec![fixed(0, 0, 0, 2)], vec![]);
    let scheduled = influenced(ANTI_DIAGONAL, InfluenceTree::new(vec![first, second]));
    assert!(has_event(&scheduled, "node 0: no row under 1 S0_it_0@0 = 0 with d0"));
    assert!(has_event(&scheduled, "node 1: fallback next-sibling"));
    assert_eq!(rows(&scheduled)[0], "(2 2 | 0 | 0)");
}

#[test]
fn permutability_is_given_up_for_a_row() {
    let wanted = || vec![vec![fixed(0, 0, 1, 0)], vec![fixed(0, 1, 0, 0), fixed(0, 1, 1, 1)]];
    let scheduled = influenced(ANTI_DIAGONAL, InfluenceTree::new(chain(wanted())));
    assert!(has_event(&scheduled, "fallback new-band"));
    assert_eq!(rows(&scheduled), ["(1 0 | 0 | 0)", "(0 1 | 0 | 0)"]);

    let mut permutable = chain(wanted());
    permutable[0].children[0].requires_permutable = true;
    let scheduled = influenced(ANTI_DIAGONAL, InfluenceTree::new(permutable));
    assert!(has_event(&scheduled, "no scenario is left"));
    assert_eq!(rows(&scheduled), ["(1 1 | 0 | 0)", "(1 0 | 0 | 0)"]);
}

#[test]
fn an_ancestor_has_another_way() {
    // In the band of the row i no row leaves i out; in that of i + j the row i is left.
    let j_alone =
        InfluenceNode { requires_permutable: true, ..node(vec![fixed(0, 1, 0, 0)], vec![]) };
    let first = node(vec![fixed(0, 0, 1, 0)], vec![j_alone]);
    let second = InfluenceNode {
        requires_parallel: true,
        ..node(vec![], vec![node(vec![fixed(0, 1, 1, 0)], vec![])])
    };
    let scheduled = influenced(ANTI_DIAGONAL, InfluenceTree::new(vec![first, second]));
    assert!(has_event(&scheduled, "node 1: fallback ancestor-sibling"));
    assert!(!has_event(&scheduled, "no scenario is left"));
    assert_eq!(rows(&scheduled), ["(1 1 | 0 | 0)", "(1 0 | 0 | 0)"]);
}

#[test]
fn a_row_that_must_be_parallel_is_found_or_not() {
    let parallel =
        |constraints| InfluenceNode { requires_parallel: true, ..node(constraints, vec![]) };
    let tree = InfluenceTree::new(vec![parallel(vec![fixed(0, 0, 1, 0)]), parallel(vec![])]);
    let scheduled = influenced(ANTI_DIAGONAL, tree);
    assert!(has_event(&scheduled, "node 0: no row under 1 S0_it_1@0 = 0 and parallel with d0"));
    assert!(has_event(&scheduled, "node 1: row found"));
}

#[test]
fn a_variable_is_an_objective() {
    let variables = vec![UserVariable { name: "x".into(), is_signed: false }];
    let tie = InfluenceConstraint {
        kind: RowKind::Inequality,
        terms: vec![
            (InfluenceTerm::Variable(0), 1),
            (
                InfluenceTerm::Coefficient {
                    stmt: StmtId::from_index(0),
                    depth: 0,
                    which: Coefficient::Iterator(0),
                },
                -1,
            ),
        ],
        constant: 0,
        text: "x >= S0_it_0".into(),
    };
    let node = InfluenceNode { variables, objectives: vec![0], ..node(vec![tie], vec![]) };
    let scheduled = influenced(COPY, InfluenceTree::new(vec![node]));
    assert_eq!(rows(&scheduled), ["(0 1 | 0 0 | 0)", "(1 0 | 0 0 | 0)"]);
}

#[test]
fn the_order_of_fallbacks_is_the_trees() {
    let mut tree = InfluenceTree::new(chain(vec![
        vec![fixed(0, 0, 1, 0)],
        vec![fixed(0, 1, 0, 0), fixed(0, 1, 1, 1)],
    ]));
    tree.fallbacks.retain(|fallback| *fallback != Fallback::NewBand);
    let scheduled = influenced(ANTI_DIAGONAL, tree);
    assert!(has_event(&scheduled, "no scenario is left"));
}

#[test]
fn an_empty_tree_says_nothing() {
    let scheduled = influenced(COPY, InfluenceTree::new(vec![]));
    assert!(scheduled.report.influence.is_empty());
    assert_eq!(rows(&scheduled), ["(1 0 | 0 0 | 0)", "(0 1 | 0 0 | 0)"]);
}

/// What leaves the first node without a row.
fn reasons(text: &str, tree: InfluenceTree) -> Vec<Vec<String>> {
    let report = influenced(text, tree).report;
    let of = |step: InfluenceStep| match step.event {
        InfluenceEvent::NoRow { constraints, .. } => Some(constraints),
        _ => None,
    };
    report.influence.into_iter().filter_map(of).collect()
}

/// A requirement of the node's without which there is a row has a part in the conflict; one that does no harm has none.
#[test]
fn requirements_are_part_of_conflicts() {
    let text = "
        params n : n >= 1
        S[i, j] : 0 <= i < n and 1 <= j < n @ i, j : r A[i, j - 1], w A[i, j]";
    let over_j = || vec![fixed(0, 0, 0, 0)];
    let parallel = InfluenceNode { requires_parallel: true, ..node(over_j(), vec![]) };
    let found = reasons(text, InfluenceTree::new(vec![parallel]));
    assert_eq!(found, [["1 S0_it_0@0 = 0", "parallel"]]);
    let impossible = vec![fixed(0, 0, 0, -1)];
    let parallel = InfluenceNode { requires_parallel: true, ..node(impossible, vec![]) };
    let found = reasons(text, InfluenceTree::new(vec![parallel]));
    assert_eq!(found, [["1 S0_it_0@0 = -1"]]);
}

#[test]
fn a_band_that_must_go_on_is_part_of_a_conflict() {
    let second = |requires_permutable| {
        let alone = vec![fixed(0, 1, 0, 0)];
        InfluenceNode { requires_permutable, ..node(alone, vec![]) }
    };
    let tree = |is_permutable| {
        let first = node(vec![fixed(0, 0, 1, 0)], vec![second(is_permutable)]);
        InfluenceTree::new(vec![first])
    };
    let found = reasons(ANTI_DIAGONAL, tree(true));
    assert!(found[0].contains(&"permutable".to_owned()), "{found:?}");
    let found = reasons(ANTI_DIAGONAL, tree(false));
    assert!(!found[0].contains(&"permutable".to_owned()), "{found:?}");
}
