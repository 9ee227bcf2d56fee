//! Tiles split where all wait for one, loops rotated in them, and sums of several rows: what is done, that it is legal, and where
//! it must not be done.

use farkas_base::SourceFile;
use farkas_deps::legality::check_program;
use farkas_deps::{DependenceOptions, dependences};
use farkas_machine::{Gpu, Machine};
use farkas_scop::Scop;
use farkas_transform::{
    JamInTiles, Parallel, Planner, Remark, Rotate, Setting, Shaping, SplitTiles, Tiles, Vectors,
};
use farkas_tree::{Mark, Node, Program, ScheduleTree};
use std::sync::Arc;

/// The scop of a loop over `k`, in whose step the column `k` of `a` comes first, then two nests over `j` and `i`.
fn scop(sums: &str, update: &str) -> Scop {
    let text = format!(
        "void f(int n, int m, double a[m + 1][n], double q[m][n], double r[n + 1][n])
{{
#pragma scop
  for (int k = 0; k < n; k++) {{
    for (int i = 0; i < m; i++)
      q[i][k] = a[i][k] * 0.5;
    for (int j = k + 1; j < n; j++)
      for (int i = 0; i < m; i++)
        {sums};
    for (int j = k + 1; j < n; j++)
      {update};
  }}
#pragma endscop
}}
"
    );
    let source = Arc::new(SourceFile::new("f.c", text.clone()));
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let (regions, found) =
        farkas_front_c::parse(source, &preprocessed, &farkas_front_c::Options::default());
    regions.into_iter().next().unwrap_or_else(|| panic!("{found:?}")).scop
}

/// Loops over `k` and `j` around nests over `i`.
const TREE: &str = r#"
child:
  schedule: "[{ S0[k, i] -> [(k)]; S1[k, j, i] -> [(k)]; S2[k, j, i] -> [(k)] }, { S0[k, i] -> [(k)]; S1[k, j, i] -> [(j)]; S2[k, j, i] -> [(j)] }]"
  permutable: 1
  child:
    sequence:
    - filter: "{ S0[k, i] }"
      child: { schedule: "[{ S0[k, i] -> [(i)] }]", coincident: [ 1 ] }
    - filter: "{ S1[k, j, i] }"
      child: { schedule: "[{ S1[k, j, i] -> [(i)] }]" }
    - filter: "{ S2[k, j, i] }"
      child: { schedule: "[{ S2[k, j, i] -> [(i)] }]", coincident: [ 1 ] }
"#;

/// What becomes of the tree with split tiles of four, which is legal.
fn split(scop: &Scop) -> (Program, Vec<Remark>) {
    let domain = scop.domain().expect("a domain");
    let tree: ScheduleTree = format!("domain: \"{domain}\"{TREE}").parse().expect("a tree");
    let deps = dependences(scop, DependenceOptions::default()).expect("dependences");
    let setting = Setting {
        scop,
        deps: &deps,
        keeps_all: true,
        machine: &Machine::generic(),
        gpu: &Gpu::generic(),
        has_threads: true,
        has_lanes: true,
        has_tensor_cores: false,
    };
    let planners: [Planner; 6] = [
        Tiles { sizes: vec![4], only_for_reuse: false }.into(),
        SplitTiles {}.into(),
        Rotate {}.into(),
        JamInTiles {}.into(),
        Parallel {}.into(),
        Vectors {}.into(),
    ];
    let mut shaping = Shaping::new(scop, &tree);
    for planner in &planners {
        shaping.follow(planner, setting).expect("a tree");
    }
    let (program, remarks, _) = shaping.done();
    assert!(check_program(scop, &program).expect("a verdict").is_legal(), "{}", program.tree);
    (program, remarks)
}

/// The passes that say that they did something.
fn passes(remarks: &[Remark]) -> Vec<&str> {
    let mut passes: Vec<&str> = remarks.iter().map(|remark| remark.pass).collect();
    passes.dedup();
    passes
}

/// How many nodes with a mark there are.
fn n_marked(tree: &ScheduleTree, mark: &Mark) -> usize {
    let here = usize::from(matches!(tree.node(), Node::Mark { mark: m, .. } if m == mark));
    here + tree.children().iter().map(|child| n_marked(child, mark)).sum::<usize>()
}

const SUMS: &str = "r[k][j] += q[i][k] * a[i][j]";

#[test]
fn a_projection_is_split_rotated_and_summed_up_by_rows() {
    let scop = scop(SUMS, "for (int i = 0; i < m; i++) a[i][j] -= q[i][k] * r[k][j]");
    let (program, remarks) = split(&scop);
    assert_eq!(passes(&remarks), ["tile", "split-tiles", "rotate", "register", "parallel"]);
    // The first sums, and those that share loops with the updates.
    assert_eq!(n_marked(&program.tree, &Mark::Unroll), 2, "{}", program.tree);
    // Lanes of strips run as far as they want to.
    assert_eq!(n_marked(&program.tree, &Mark::SeparateFullTiles), 2, "{}", program.tree);
}

/// The sums of the next step read what the updates of this one write only later: they cannot share loops.
#[test]
fn no_rotation_against_a_dependence() {
    let sums = "r[k][j] += q[i][k] * a[i + 1][j]";
    let scop = scop(sums, "for (int i = 0; i < m; i++) a[i][j] -= q[i][k] * r[k][j]");
    let (_, remarks) = split(&scop);
    assert_eq!(passes(&remarks), ["tile", "split-tiles", "register", "parallel"]);
}

/// The updates have other iterations than the sums.
#[test]
fn no_rotation_of_nests_of_different_shapes() {
    let scop = scop(SUMS, "for (int i = 0; i < m - 1; i++) a[i][j] -= q[i][k] * r[k][j]");
    let (_, remarks) = split(&scop);
    assert_eq!(passes(&remarks), ["tile", "split-tiles", "register", "parallel"]);
}

/// The updates and the sums of the next step have nothing in common.
#[test]
fn no_rotation_without_reuse() {
    let scop = scop(
        "r[k][j] += q[i][k] * 2.0",
        "for (int i = 0; i < m; i++) a[i][j] -= q[i][k] * r[k][j]",
    );
    let (_, remarks) = split(&scop);
    assert_eq!(passes(&remarks), ["tile", "split-tiles", "register", "parallel"]);
}

/// Every tile waits for the one before it: there is no tile to split at.
#[test]
fn tiles_that_wait_for_each_other_stay() {
    let scop = scop(SUMS, "for (int i = 0; i < m; i++) a[i][j] -= q[i][k] * r[k][j - 1]");
    let (_, remarks) = split(&scop);
    assert!(!passes(&remarks).contains(&"split-tiles"), "{remarks:?}");
}
