//! Elements that stay in variables while rows are written out: which ones, and that the region means the same.

#![allow(missing_docs, reason = "tests")]

mod support;

use farkas_astgen::generate;
use farkas_codegen::{Options, print_region};
use farkas_scop::{AssignOp, BinaryOp, Expr};
use farkas_tree::ScheduleTree;
use support::{Kernel, Stmt, bin, compile_and_run, it};

/// Eight rows `i` in lanes `j`: `A[i][j] -= R[k][j]`, then `R[at][j] += A[i][j]`, or the sums alone.
fn region(at: &Expr, updates: bool) -> String {
    let mut k = Kernel::new(&[("n", "int")], "[n] -> { : n >= 1 }");
    let (a, r) = (k.array("A", 2), k.array("R", 2));
    let dims = ["k", "i", "j"];
    let domain = |name: &str| {
        format!("[n] -> {{ {name}[k, i, j] : 0 <= k < n and 0 <= i < 8 and 0 <= j < n }}")
    };
    let mut s0 = Stmt::new(&domain("S0"), &dims, "{ S0[k, i, j] -> [k, i, j, 0] }");
    let value = s0.read(&k, r, vec![it(0), it(2)]);
    s0.assign(&k, a, vec![it(1), it(2)], AssignOp::Compound(BinaryOp::Sub), value);
    let mut s1 = Stmt::new(&domain("S1"), &dims, "{ S1[k, i, j] -> [k, i, j, 1] }");
    let value = s1.read(&k, a, vec![it(1), it(2)]);
    s1.assign(&k, r, vec![at.clone(), it(2)], AssignOp::Compound(BinaryOp::Add), value);
    let names: &[&str] = if updates { &["S0", "S1"] } else { &["S1"] };
    if updates {
        k.push(s0);
    }
    k.push(s1);
    let all = |of: &dyn Fn(&str) -> String| {
        names.iter().map(|name| of(name)).collect::<Vec<_>>().join("; ")
    };
    let band = |dim: &str| all(&|name| format!("{name}[k, i, j] -> [({dim})]"));
    let domain = all(&|name| format!("{name}[k, i, j] : 0 <= k < n and 0 <= i < 8 and 0 <= j < n"));
    let body = match names {
        [_, _] => {
            "child: { sequence: [ { filter: \"{ S0[k, i, j] }\" }, { filter: \"{ S1[k, i, j] }\" } ] }"
        }
        _ => "",
    };
    let tree = format!(
        "domain: \"[n] -> {{ {domain} }}\"
child:
  schedule: \"[{{ {} }}]\"
  child:
    mark: \"vector\"
    child:
      schedule: \"[{{ {} }}]\"
      child:
        mark: \"unroll\"
        child:
          schedule: \"[{{ {} }}]\"
          {body}",
        band("k"),
        band("j"),
        band("i")
    );
    let tree: ScheduleTree = tree.parse().unwrap();
    let scop = k.build();
    let ast = generate(&scop, &tree, &farkas_astgen::Options::default()).unwrap();
    print_region(&scop, &ast, &Options::default())
}

/// The region computes what the loops do that are written plainly.
fn agrees(at: &str, region: &str) {
    let program = format!(
        "#include <stdio.h>
#include <string.h>
static double A[8][20], R[21][20], AA[8][20], RR[21][20];
static void original(int n)
{{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < n; j++) {{
        AA[i][j] -= RR[k][j];
        RR[{at}][j] += AA[i][j];
      }}
}}
static void transformed(int n)
{{
{region}
}}
int main(void)
{{
  for (int n = 1; n <= 20; n += 3) {{
    for (int i = 0; i < 21; i++)
      for (int j = 0; j < 20; j++) {{
        R[i][j] = RR[i][j] = (i * j) % 7;
        if (i < 8) A[i][j] = AA[i][j] = (i + j) % 5;
      }}
    original(n);
    transformed(n);
    printf(\"%d\", memcmp(A, AA, sizeof A) != 0 || memcmp(R, RR, sizeof R) != 0);
  }}
  return 0;
}}
"
    );
    let flags = ["-fopenmp", "-ffp-contract=off"];
    assert_eq!(compile_and_run(&program, &flags), "0000000", "{region}");
}

#[test]
fn rows_of_different_numbers_are_kept() {
    let region = region(&bin(BinaryOp::Add, it(0), Expr::int(1)), true);
    agrees("k + 1", &region);
    insta::assert_snapshot!(region);
}

/// Row 3 may be row `k`: what is stored in one has to be seen in the other.
#[test]
fn rows_that_may_be_the_same_are_not_kept() {
    let region = region(&Expr::int(3), true);
    agrees("3", &region);
    assert!(!region.contains("farkas_R"), "{region}");
}

/// The same row twice is one variable.
#[test]
fn a_row_that_is_read_and_written_is_one_variable() {
    let region = region(&it(0), true);
    agrees("k", &region);
    assert!(region.contains("farkas_R_0") && !region.contains("farkas_R_1"), "{region}");
}

/// What moves from row to row stays in memory.
#[test]
fn rows_that_move_are_not_kept() {
    let region = region(&it(1), true);
    agrees("i", &region);
    assert!(!region.contains("farkas_R"), "{region}");
}

/// Compilers see the sum themselves where nothing else is stored.
#[test]
fn sums_alone_need_no_variable() {
    assert!(!region(&it(0), false).contains("farkas_R"));
}
