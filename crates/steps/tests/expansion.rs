//! Places of their own for the values of temporaries, whatever order the dimensions of statements are in.

use farkas_base::SourceFile;
use farkas_deps::legality::check_storage;
use farkas_deps::{DependenceOptions, dependences};
use farkas_scop::{Dim, Scop};
use farkas_steps::Expansion;
use std::sync::Arc;

/// A product whose sums are in a variable: statements `S0` (i, j), `S1` (i, j, k) and `S2` (i, j).
fn product() -> Scop {
    let text = "void f(int n, double A[n][n], double B[n][n], double C[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum / n;
    }
#pragma endscop
}
";
    let source = Arc::new(SourceFile::new("f.c", text));
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let options = farkas_front_c::Options::default();
    let (regions, found) = farkas_front_c::parse(source, &preprocessed, &options);
    regions.into_iter().next().unwrap_or_else(|| panic!("{found:?}")).scop
}

/// The program with the dimensions of each statement in another order: the positions that they had, and those that fall.
fn permuted(scop: &Scop, orders: &[&[(usize, bool)]]) -> Scop {
    let mut parts = scop.to_builder();
    for (stmt, order) in parts.stmts.iter_mut().zip(orders) {
        let order: Vec<Dim> = order.iter().map(|&(at, falls)| Dim { at, falls }).collect();
        *stmt = stmt.permuted(&order).expect("isl answers");
    }
    parts.build().expect("a program")
}

/// Loops around all statements count other dimensions of each, some of them downwards.
#[test]
fn dimensions_stand_anywhere() {
    let orders: [&[(usize, bool)]; 3] = [
        &[(0, false), (1, false)],
        &[(0, false), (2, false), (1, false)],
        &[(1, true), (0, false)],
    ];
    let scop = permuted(&product(), &orders);
    let deps = dependences(&scop, DependenceOptions::default()).expect("dependences");
    let mut expansion = Expansion::new(&scop);
    let webs = expansion.webs(&deps).expect("isl answers");
    let [web] = webs.as_slice() else { panic!("{webs:?}") };
    assert_eq!(web.separate, [0, 1]);
    let dims = |stmt: &str| {
        let dims = web.separating(scop.stmt_by_name(stmt).expect("a statement"));
        dims.iter().map(|dim| (dim.at, dim.falls)).collect::<Vec<_>>()
    };
    assert_eq!(dims("S1"), [(0, false), (2, false)]);
    assert_eq!(dims("S2"), [(1, false), (0, true)]);

    let homes = expansion.homes(web).expect("isl answers");
    let found = expansion.into_elements(web, &homes).expect("isl answers");
    assert_eq!(found.map(|(text, _)| text).as_deref(), Some("sum lives in C"));
    let new = expansion.done().expect("isl answers").expect("another program");
    assert!(check_storage(&scop, &new).expect("isl answers").is_legal());
    let sum = &new.stmts()[new.stmt_by_name("S1").expect("a statement")];
    let target = sum.accesses.iter().find(|access| access.kind.is_write()).expect("a target");
    assert_eq!(format!("{:?}", target.subscripts), "[Iterator(0), Iterator(2)]");

    let mut expansion = Expansion::new(&scop);
    let text = expansion.into_array(web, None).expect("isl answers");
    assert_eq!(text.as_deref(), Some("sum gets a place for each value: sum_i_j"));
    let new = expansion.done().expect("isl answers").expect("another program");
    assert!(check_storage(&scop, &new).expect("isl answers").is_legal());
}
