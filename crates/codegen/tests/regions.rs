//! Whole regions, printed, compiled and run.

mod support;

use farkas_astgen::generate;
use farkas_codegen::{Options, print_region};
use farkas_scop::Scop;
use farkas_tree::{ScheduleTree, original_tree};

fn print(scop: &Scop, tree: &ScheduleTree) -> String {
    let ast = generate(scop, tree, &farkas_astgen::Options::default()).unwrap();
    print_region(scop, &ast, &Options::default())
}

#[test]
fn gemm_original() {
    let scop = support::gemm();
    insta::assert_snapshot!(print(&scop, &original_tree(&scop).unwrap()));
}

#[test]
fn gemm_tiled() {
    let scop = support::gemm();
    let tree: ScheduleTree = r#"
domain: "[ni, nj, nk] -> { S0[i, j] : 0 <= i < ni and 0 <= j < nj; S1[i, k, j] : 0 <= i < ni and 0 <= j < nj and 0 <= k < nk }"
child:
  sequence:
  - filter: "{ S0[i, j] }"
    child:
      schedule: "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
  - filter: "{ S1[i, k, j] }"
    child:
      mark: "tile 32,32,32"
      child:
        mark: "parallel"
        child:
          schedule: "[{ S1[i, k, j] -> [(32*floor((i)/32))] }]"
          permutable: 1
          coincident: [ 1 ]
          child:
            schedule: "[{ S1[i, k, j] -> [(32*floor((k)/32))] }, { S1[i, k, j] -> [(32*floor((j)/32))] }]"
            permutable: 1
            child:
              mark: "point"
              child:
                schedule: "[{ S1[i, k, j] -> [(i)] }, { S1[i, k, j] -> [(k)] }]"
                permutable: 1
                child:
                  mark: "vector"
                  child:
                    schedule: "[{ S1[i, k, j] -> [(j)] }]"
                    coincident: [ 1 ]
"#
    .parse()
    .unwrap();
    insta::assert_snapshot!(print(&scop, &tree));
}
