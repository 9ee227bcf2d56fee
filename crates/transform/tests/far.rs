//! Which fused loops get a piece for each statement: those whose statements may run far apart, and no others.

use farkas_base::SourceFile;
use farkas_poly::AstLoopType;
use farkas_scop::Scop;
use farkas_transform::plan_pieces;
use farkas_tree::{Node, Program, ScheduleTree};
use std::sync::Arc;

/// The scop of a function with such parameters and such a region.
fn scop(params: &str, region: &str) -> Scop {
    let text = format!("void f({params})\n{{\n#pragma scop\n{region}\n#pragma endscop\n}}\n");
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let source = Arc::new(SourceFile::new("f.c", text));
    let (regions, found) =
        farkas_front_c::parse(source, &preprocessed, &farkas_front_c::Options::default());
    regions.into_iter().next().unwrap_or_else(|| panic!("{found:?}")).scop
}

/// Whether one loop over dates such as `S0[i] -> [(i)]` gets pieces.
fn has_pieces(scop: &Scop, dates: &[&str]) -> bool {
    let dates = dates.join("; ");
    let domain = scop.domain().expect("a domain");
    let text = format!(
        "{{ domain: \"{domain}\", child: {{ schedule: \"[m, first] -> [{{ {dates} }}]\" }} }}"
    );
    let tree: ScheduleTree = text.parse().expect("a tree");
    let plan = plan_pieces(scop, &tree).expect("a plan");
    let tree = plan.done(&Program::new(scop, tree)).expect("a program").tree;
    let Node::Domain { child, .. } = tree.node() else { panic!("no domain: {tree}") };
    let Node::Band { band, .. } = child.node() else { panic!("no band: {tree}") };
    band.members[0].loop_type == AstLoopType::Separate
}

const ARRAYS: &str = "int n, int m, int first, double *restrict A, double *restrict B";

#[test]
fn a_loop_that_begins_elsewhere_may_be_far_away() {
    let scop = scop(
        ARRAYS,
        "for (int i = first; i < first + n; i++) A[i] *= 2.0;
         for (int j = 0; j < n; j++) B[j] += 1.0;",
    );
    assert!(has_pieces(&scop, &["S0[i] -> [(i)]", "S1[j] -> [(j)]"]));
    assert!(!has_pieces(&scop, &["S0[i] -> [(i - first)]", "S1[j] -> [(j)]"]), "side by side");
    assert!(!has_pieces(&scop, &["S0[i] -> [(i)]", "S1[j] -> [(first + j + 1)]"]), "side by side");
    assert!(has_pieces(&scop, &["S0[i] -> [(i - m)]", "S1[j] -> [(j)]"]));
}

#[test]
fn loops_that_grow_from_the_same_place_are_together() {
    let scop = scop(
        ARRAYS,
        "for (int i = 1; i < n; i++) A[i] *= 2.0;
         for (int j = 0; j < m; j++) B[j] += 1.0;",
    );
    // One of the two is longer, however far: that is work, not a gap.
    assert!(!has_pieces(&scop, &["S0[i] -> [(i)]", "S1[j] -> [(j + 2)]"]));
}

#[test]
fn the_first_statement_is_not_the_only_one_that_counts() {
    let scop = scop(
        ARRAYS,
        "for (int k = 0; k < n; k++) A[k] += 1.0;
         for (int i = first; i < first + 8; i++) A[i] *= 2.0;
         for (int j = m; j < m + 8; j++) B[j] += 1.0;",
    );
    assert!(has_pieces(&scop, &["S0[k] -> [(k)]", "S1[i] -> [(i)]", "S2[j] -> [(j)]"]));
}

#[test]
fn sizes_at_the_end_of_a_type_have_loops_of_their_own() {
    let scop = scop(
        "unsigned n, unsigned m, double *restrict x, double *restrict y, double *restrict z",
        "for (unsigned i = 0; i < m; i++) {
           x[i] *= 2.0;
           if (i - n == 1)
             for (unsigned j = 0; j < n; j++)
               z[j] += y[i];
         }",
    );
    // With n the greatest unsigned and i = 0 the loop over j is there, and longer than any other.
    assert!(has_pieces(&scop, &["S0[i] -> [(i)]", "S1[i, j] -> [(j)]"]));
}
