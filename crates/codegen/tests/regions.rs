//! Whole regions: printed, compared with goldens, compiled without warnings, and run against the original where that is
//! easy.

#![allow(missing_docs, reason = "tests")]

mod support;

use farkas_astgen::{Memory, generate, generate_again};
use farkas_codegen::{MacroGuard, Options, Target, print_region};
use farkas_scop::{AccessKind, AssignOp, BinaryOp, BodyStmt, Expr, Scop, TextPiece};
use farkas_tree::{ScheduleTree, original_tree};
use support::{Kernel, Stmt, bin, check_warnings, compile_and_run, double, gemm, it, param};

fn print_with(scop: &Scop, tree: &ScheduleTree, options: &Options) -> String {
    let ast = generate(scop, tree, &farkas_astgen::Options::default()).unwrap();
    print_region(scop, &ast, options)
}

fn print(scop: &Scop, tree: &ScheduleTree) -> String {
    print_with(scop, tree, &Options::default())
}

/// The region in a function with these parameters compiles without warnings, as C and as OpenMP.
fn compiles(scop: &Scop, tree: &ScheduleTree, parameters: &str) {
    for (target, flag) in [(Target::C, "-O2"), (Target::OpenMp, "-fopenmp")] {
        let region = print_with(scop, tree, &Options { target, ..Options::default() });
        check_warnings(
            &format!(
                "#include <stddef.h>\nvoid f({parameters});\nvoid f({parameters})\n{{\n{region}}}\n"
            ),
            flag,
        );
    }
}

/// The region computes what `original` does: both run on arrays `X` and `Y` of 4096 numbers for several `n`.
fn agrees(original: &str, region: &str) {
    let program = format!(
        "#include <stdio.h>
#include <string.h>
static double x[4096], y[4096], xx[4096], yy[4096];
static void original(int n, double *X, double *Y)
{{
{original}
(void)Y;
}}
static void transformed(int n, double *X, double *Y)
{{
{region}
(void)Y;
}}
int main(void)
{{
  for (int n = 1; n < 200; n = n * 2 + 1) {{
    for (int i = 0; i < 4096; i++) {{
      x[i] = xx[i] = i % 37;
      y[i] = yy[i] = i % 23;
    }}
    original(n, x, y);
    transformed(n, xx, yy);
    printf(\"%d\", memcmp(x, xx, sizeof x) != 0 || memcmp(y, yy, sizeof y) != 0);
  }}
  return 0;
}}
"
    );
    assert_eq!(
        compile_and_run(&program, &["-fopenmp", "-ffp-contract=off"]),
        "0000000",
        "{region}"
    );
}

const GEMM_PARAMETERS: &str = "int ni, int nj, int nk, double alpha, double beta, double C[ni][nj], double A[ni][nk], double B[nk][nj]";

#[test]
fn gemm_original() {
    let scop = gemm();
    let tree = original_tree(&scop).unwrap();
    compiles(&scop, &tree, GEMM_PARAMETERS);
    insta::assert_snapshot!(print(&scop, &tree));
}

fn tiled_gemm(marks: &str) -> ScheduleTree {
    format!(
        r#"
domain: "[ni, nj, nk] -> {{ S0[i, j] : 0 <= i < ni and 0 <= j < nj; S1[i, k, j] : 0 <= i < ni and 0 <= j < nj and 0 <= k < nk }}"
child:
  sequence:
  - filter: "{{ S0[i, j] }}"
    child:
      schedule: "[{{ S0[i, j] -> [(i)] }}, {{ S0[i, j] -> [(j)] }}]"
  - filter: "{{ S1[i, k, j] }}"
    child:
      mark: "{marks}"
      child:
       mark: "tile 32,32,32"
       child:
        mark: "parallel"
        child:
          schedule: "[{{ S1[i, k, j] -> [(32*floor((i)/32))] }}]"
          permutable: 1
          coincident: [ 1 ]
          child:
            schedule: "[{{ S1[i, k, j] -> [(32*floor((k)/32))] }}, {{ S1[i, k, j] -> [(32*floor((j)/32))] }}]"
            permutable: 1
            child:
              mark: "point"
              child:
                schedule: "[{{ S1[i, k, j] -> [(i)] }}, {{ S1[i, k, j] -> [(k)] }}]"
                permutable: 1
                child:
                  mark: "vector"
                  child:
                    schedule: "[{{ S1[i, k, j] -> [(j)] }}]"
                    coincident: [ 1 ]
"#
    )
    .parse()
    .unwrap()
}

#[test]
fn gemm_tiled() {
    let (scop, tree) = (gemm(), tiled_gemm("tile 32,32,32"));
    compiles(&scop, &tree, GEMM_PARAMETERS);
    insta::assert_snapshot!(print(&scop, &tree));
}

#[test]
fn gemm_full_tiles() {
    let (scop, tree) = (gemm(), tiled_gemm("separate-full-tiles"));
    compiles(&scop, &tree, GEMM_PARAMETERS);
    insta::assert_snapshot!(print(&scop, &tree));
}

/// `X[i] = Y[i - 1] + Y[i + 1]`, then the same with `X` and `Y` exchanged, in a time loop of `n` steps.
fn stencil() -> Scop {
    let mut k = Kernel::new(&[("n", "int")], "[n] -> { : n >= 1 }");
    let (x, y) = (k.array("X", 1), k.array("Y", 1));
    for (name, to, from, place) in [("S0", x, y, 0), ("S1", y, x, 1)] {
        let mut s = Stmt::new(
            &format!("[n] -> {{ {name}[t, i] : 0 <= t < n and 1 <= i < n }}"),
            &["t", "i"],
            &format!("{{ {name}[t, i] -> [t, {place}, i] }}"),
        );
        let left = s.read(&k, from, vec![bin(BinaryOp::Sub, it(1), Expr::int(1))]);
        let right = s.read(&k, from, vec![bin(BinaryOp::Add, it(1), Expr::int(1))]);
        let value = bin(BinaryOp::Mul, Expr::Float("0.5".into()), bin(BinaryOp::Add, left, right));
        s.assign(&k, to, vec![it(1)], AssignOp::Set, value);
        k.push(s);
    }
    k.build()
}

const STENCIL: &str = "for (int t = 0; t < n; t++) {
  for (int i = 1; i < n; i++) X[i] = 0.5 * (Y[i - 1] + Y[i + 1]);
  for (int i = 1; i < n; i++) Y[i] = 0.5 * (X[i - 1] + X[i + 1]);
}";

#[test]
fn stencil_wavefront() {
    let scop = stencil();
    let tree: ScheduleTree = r#"
domain: "[n] -> { S0[t, i] : 0 <= t < n and 1 <= i < n; S1[t, i] : 0 <= t < n and 1 <= i < n }"
child:
  mark: "tile 8,8"
  child:
    mark: "wavefront"
    child:
      schedule: "[{ S0[t, i] -> [(floor((t)/8) + floor((2t + i)/8))]; S1[t, i] -> [(floor((t)/8) + floor((1 + 2t + i)/8))] }]"
      permutable: 1
      child:
        mark: "parallel"
        child:
          schedule: "[{ S0[t, i] -> [(floor((2t + i)/8))]; S1[t, i] -> [(floor((1 + 2t + i)/8))] }]"
          permutable: 1
          coincident: [ 1 ]
          child:
            mark: "point"
            child:
              schedule: "[{ S0[t, i] -> [(t)]; S1[t, i] -> [(t)] }, { S0[t, i] -> [(2t + i)]; S1[t, i] -> [(1 + 2t + i)] }]"
              permutable: 1
              child:
                sequence:
                - filter: "{ S0[t, i] }"
                - filter: "{ S1[t, i] }"
"#
    .parse()
    .unwrap();
    let region = print(&scop, &tree);
    agrees(STENCIL, &region);
    insta::assert_snapshot!(region);
}

/// The loops of a nest that another tree has, too, are the same when they are remembered, and isl is not asked for them.
#[test]
fn nests_are_remembered() {
    let scop = stencil();
    let nest = |stmt: &str, size: i64| {
        format!(
            r#"
    - filter: "{{ {stmt}[t, i] }}"
      child:
        mark: "tile {size},{size}"
        child:
          schedule: "[{{ {stmt}[t, i] -> [(floor((t)/{size}))] }}, {{ {stmt}[t, i] -> [(floor((t + i)/{size}))] }}]"
          child:
            mark: "point"
            child:
              schedule: "[{{ {stmt}[t, i] -> [(t)] }}, {{ {stmt}[t, i] -> [(t + i)] }}]""#
        )
    };
    let tree = |nests: [String; 2]| {
        let domain =
            "[n] -> { S0[t, i] : 0 <= t < n and 1 <= i < n; S1[t, i] : 0 <= t < n and 1 <= i < n }";
        let text = format!("domain: \"{domain}\"\nchild:\n  sequence:{}", nests.concat());
        text.parse::<ScheduleTree>().unwrap()
    };
    let first = tree([nest("S0", 8), nest("S1", 8)]);
    let second = tree([nest("S1", 8), nest("S0", 16)]);
    let options = farkas_astgen::Options::default();
    let mut memory = Memory::default();
    for tree in [&first, &second] {
        let (remembered, less) = farkas_poly::counted(1_000_000, || {
            generate_again(&scop, tree, &options, &mut memory).unwrap()
        });
        let (alone, work) =
            farkas_poly::counted(1_000_000, || generate(&scop, tree, &options).unwrap());
        assert_eq!(remembered, alone);
        assert_eq!(less < work, tree == &second, "{less} operations instead of {work}");
    }
}

#[test]
fn stencil_cores() {
    let scop = stencil();
    let tree: ScheduleTree = r#"
domain: "[n] -> { S0[t, i] : 0 <= t < n and 1 <= i < n; S1[t, i] : 0 <= t < n and 1 <= i < n }"
child:
  schedule: "[{ S0[t, i] -> [(t)]; S1[t, i] -> [(t)] }, { S0[t, i] -> [(2t + i)]; S1[t, i] -> [(1 + 2t + i)] }]"
  permutable: 1
  child:
    sequence:
    - filter: "{ S0[t, i] }"
    - filter: "{ S1[t, i] }"
"#
    .parse()
    .unwrap();
    for cutting in [
        farkas_astgen::Cutting::Separate,
        farkas_astgen::Cutting::Core,
        farkas_astgen::Cutting::Atomic,
    ] {
        let options =
            farkas_astgen::Options { cuttings: vec![cutting], ..farkas_astgen::Options::default() };
        let ast = generate(&scop, &tree, &options).unwrap();
        let region = print_region(&scop, &ast, &Options::default());
        agrees(STENCIL, &region);
        insta::assert_snapshot!(format!("stencil_{cutting:?}"), region);
    }
}

/// Loops that count down and in strides: dimensions are `-i` and counts.
fn reversed() -> Scop {
    let mut k = Kernel::new(&[("n", "int")], "[n] -> { : n >= 1 }");
    let (x, y) = (k.array("X", 1), k.array("Y", 1));
    let mut s0 = Stmt::new("[n] -> { S0[i] : 0 <= -i < n }", &["i"], "{ S0[i] -> [0, i] }")
        .iterator(0, "int", "{ S0[i] -> [(-i)] }");
    let next = s0.read(&k, x, vec![bin(BinaryOp::Add, it(0), Expr::int(1))]);
    s0.assign(&k, x, vec![it(0)], AssignOp::Compound(BinaryOp::Add), next);
    k.push(s0);
    let mut s1 =
        Stmt::new("[n] -> { S1[i] : 0 <= i and 3i + 1 < n }", &["i"], "{ S1[i] -> [1, i] }")
            .iterator(0, "int", "{ S1[i] -> [(3i + 1)] }");
    let before = s1.read(&k, y, vec![bin(BinaryOp::Sub, it(0), Expr::int(1))]);
    let value = bin(BinaryOp::Mul, before, it(0));
    s1.assign(&k, y, vec![it(0)], AssignOp::Set, value);
    k.push(s1);
    let mut s2 = Stmt::new("[n] -> { S2[i] : 0 <= i and 2i < n }", &["i"], "{ S2[i] -> [2, i] }")
        .iterator(0, "int", "[n] -> { S2[i] -> [(n - 2i)] }");
    let value = s2.read(&k, y, vec![it(0)]);
    s2.assign(&k, x, vec![it(0)], AssignOp::Set, bin(BinaryOp::Add, value, it(0)));
    k.push(s2);
    k.build()
}

#[test]
fn reversed_and_strided() {
    let scop = reversed();
    let region = print(&scop, &original_tree(&scop).unwrap());
    agrees(
        "for (int i = n - 1; i >= 0; i--) X[i] += X[i + 1];
for (int i = 1; i < n; i += 3) Y[i] = Y[i - 1] * i;
for (int i = n; i > 0; i -= 2) X[i] = Y[i] + i;",
        &region.replace("S0", ""),
    );
    insta::assert_snapshot!(region);
}

#[test]
fn fused_where_iterators_differ() {
    // Both run upward in one loop: neither form fits both, so subscripts carry the difference.
    let scop = reversed();
    let tree: ScheduleTree = r#"
domain: "[n] -> { S1[i] : 0 <= i and 3i + 1 < n; S2[i] : 0 <= i and 2i < n; S0[i] : 0 <= -i < n }"
child:
  sequence:
  - filter: "{ S0[i] }"
    child:
      schedule: "[{ S0[i] -> [(i)] }]"
  - filter: "{ S1[i]; S2[i] }"
    child:
      schedule: "[{ S1[i] -> [(i)]; S2[i] -> [(i)] }]"
      child:
        sequence:
        - filter: "{ S1[i] }"
        - filter: "{ S2[i] }"
"#
    .parse()
    .unwrap();
    compiles(&scop, &tree, "int n, double *X, double *Y");
    insta::assert_snapshot!(print(&scop, &tree));
}

#[test]
fn guards_locals_and_macros() {
    let mut k = Kernel::new(&[("n", "int")], "[n] -> { : n >= 8 }");
    let (x, y, sum) = (k.array("X", 1), k.array("Y", 1), k.local_scalar("sum"));
    let mut s0 =
        Stmt::new("[n] -> { S0[i] : 0 <= i < n }", &["i"], "{ S0[i] -> [i, 0] }").label("again");
    s0.assign(&k, sum, vec![], AssignOp::Set, Expr::Float("0.0".into()));
    k.push(s0);
    let mut s1 = Stmt::new(
        "[n] -> { S1[i] : 0 <= i < n and (i mod 2 = 0 or i >= 7) }",
        &["i"],
        "{ S1[i] -> [i, 1] }",
    );
    let read = s1.read(&k, x, vec![it(0)]);
    let target = s1.access(&k, y, AccessKind::MayWrite, vec![it(0)]);
    s1.body(BodyStmt::Local { name: "v".into(), ty: double(), value: Some(read) });
    s1.body(BodyStmt::If {
        condition: bin(BinaryOp::Gt, Expr::Local("v".into()), Expr::int(0)),
        then: vec![BodyStmt::Assign {
            target,
            op: AssignOp::Set,
            read: None,
            value: Expr::Local("v".into()),
        }],
        otherwise: vec![],
    });
    k.push(s1);
    let mut s2 = Stmt::new("[n] -> { S2[i] : 0 <= i < n }", &["i"], "{ S2[i] -> [i, 2] }");
    let value = s2.read(&k, sum, vec![]);
    s2.assign(&k, x, vec![it(0)], AssignOp::Set, value);
    k.push(s2);
    let scop = k.build();
    let tree = original_tree(&scop).unwrap();
    compiles(&scop, &tree, "int n, double *X, double *Y");
    let options = Options {
        margin: "    ".into(),
        macro_guards: vec![MacroGuard { name: "N".into(), value: "1000".into() }],
        unused: vec!["i".into()],
        nest_comments: vec![vec!["strategy pluto, 3 statements".into(), "a second */ line".into()]],
        ..Options::default()
    };
    insta::assert_snapshot!(print_with(&scop, &tree, &options));
}

/// `t = A[i]` where `condition` holds, with `A[i] += t` where `is_used`, and `A[i] *= 2` always.
fn with_variable(condition: &str, is_used: bool) -> String {
    let mut k = Kernel::new(&[("n", "int")], "[n] -> { : n >= 1 }");
    let (a, t) = (k.array("A", 1), k.variable("t"));
    let domain = |name: &str, and: &str| format!("[n] -> {{ {name}[i] : 0 <= i < n{and} }}");
    let mut set = Stmt::new(&domain("S", condition), &["i"], "{ S[i] -> [i, 0] }");
    let value = set.read(&k, a, vec![it(0)]);
    set.assign(&k, t, vec![], AssignOp::Set, value);
    k.push(set);
    if is_used {
        let mut user = Stmt::new(&domain("T", condition), &["i"], "{ T[i] -> [i, 1] }");
        let value = user.read(&k, t, vec![]);
        user.assign(&k, a, vec![it(0)], AssignOp::Compound(BinaryOp::Add), value);
        k.push(user);
        let mut other = Stmt::new(&domain("U", ""), &["i"], "{ U[i] -> [i, 2] }");
        other.assign(&k, a, vec![it(0)], AssignOp::Compound(BinaryOp::Mul), Expr::int(2));
        k.push(other);
    }
    let scop = k.build();
    print(&scop, &original_tree(&scop).unwrap())
}

/// A variable is declared where it is set, also where nothing else is in the loop, and before it where a condition is between.
#[test]
fn variables_are_declared_where_they_are_set() {
    assert!(with_variable("", false).contains("double t = A[i];"));
    for (condition, declaration) in [("", "double t = A[i];"), (" and i mod 2 = 0", "double t;")] {
        let region = with_variable(condition, true);
        assert!(region.contains(declaration), "{region}");
        let guard = if condition.is_empty() { "" } else { "if (i % 2 == 0) " };
        let original = format!("for (int i = 0; i < n; i++) {{ {guard}X[i] += X[i]; X[i] *= 2; }}");
        agrees(&original, &region.replace("A[", "X["));
    }
}

#[test]
fn bodies_that_came_as_text() {
    let text = |text: &str| TextPiece::Text(text.into());
    let mut k = Kernel::new(&[("n", "int")], "[n] -> { : n >= 8 }");
    let (x, y) = (k.array("X", 1), k.array("Y", 1));
    let mut s0 = Stmt::new("[n] -> { S0[i] : 0 <= i < n }", &["i"], "{ S0[i] -> [i, 0] }");
    s0.access(&k, x, AccessKind::MustWrite, vec![]);
    let assignment = [text("X["), TextPiece::Iterator(0), text("] = -"), TextPiece::Iterator(0)];
    s0.body(BodyStmt::Text([&assignment[..], &[text("/2;")]].concat()));
    k.push(s0);
    let mut s1 = Stmt::new("[n] -> { S1[i] : 0 <= i < n }", &["i"], "{ S1[i] -> [i, 1] }");
    s1.access(&k, y, AccessKind::MayWrite, vec![]);
    s1.body(BodyStmt::Text(vec![
        text("if (X["),
        TextPiece::Iterator(0),
        text("] > 0) Y["),
        TextPiece::Iterator(0),
        text("] = 1;"),
    ]));
    k.push(s1);
    let scop = k.build();
    let shifted = r#"
domain: "[n] -> { S0[i] : 0 <= i < n; S1[i] : 0 <= i < n }"
child:
  schedule: "[{ S0[i] -> [(i)]; S1[i] -> [(i + 1)] }]"
  child:
    sequence:
    - filter: "{ S0[i] }"
    - filter: "{ S1[i] }"
"#;
    let tree = shifted.parse().unwrap();
    compiles(&scop, &tree, "int n, double *X, double *Y");
    insta::assert_snapshot!(print_with(&scop, &tree, &Options::default()));
}

#[test]
fn wide_and_unsigned_types() {
    let mut k = Kernel::new(&[("n", "size_t"), ("m", "int")], "[n, m] -> { : n >= 0 and m >= 1 }");
    let x = k.array("X", 1);
    let mut s = Stmt::new(
        "[n, m] -> { S0[i, j] : 0 <= i < n and 0 <= j < m }",
        &["i", "j"],
        "{ S0[i, j] -> [i, j] }",
    )
    .iterator(0, "size_t", "{ S0[i, j] -> [(i)] }");
    let value = bin(BinaryOp::Add, bin(BinaryOp::Mul, it(0), it(1)), param(0));
    let subscript = bin(BinaryOp::Sub, bin(BinaryOp::Sub, param(0), it(0)), Expr::int(1));
    s.assign(&k, x, vec![subscript], AssignOp::Set, value);
    k.push(s);
    let scop = k.build();
    let tree: ScheduleTree = r#"
domain: "[n, m] -> { S0[i, j] : 0 <= i < n and 0 <= j < m }"
child:
  schedule: "[{ S0[i, j] -> [(i + j)] }, { S0[i, j] -> [(j)] }]"
"#
    .parse()
    .unwrap();
    compiles(&scop, &tree, "size_t n, int m, double *X");
    insta::assert_snapshot!(print(&scop, &tree));
}

#[test]
fn bodies_keep_their_meaning() {
    use BinaryOp::{Add, And, BitAnd, Div, Eq, Lt, Mul, Or, Rem, Shl, Sub};
    let mut k = Kernel::new(&[("n", "int")], "[n] -> { : n >= 1 }");
    let x = k.array("X", 1);
    let i = || it(0);
    let neg = |e| Expr::Unary(farkas_scop::UnaryOp::Minus, Box::new(e));
    let choose = |c, a, b| Expr::Ternary(Box::new(c), Box::new(a), Box::new(b));
    let cast = |e| Expr::Cast(double(), Box::new(e));
    let x_at = |s: &mut Stmt, e| s.read(&k, x, vec![e]);
    type Value<'a> = Box<dyn Fn(&mut Stmt) -> Expr + 'a>;
    let values: Vec<Value<'_>> = vec![
        Box::new(|s| bin(Sub, x_at(s, i()), bin(Sub, x_at(s, Expr::int(0)), x_at(s, i())))),
        Box::new(|_| bin(Div, bin(Sub, i(), Expr::int(7)), Expr::int(2))),
        Box::new(|_| bin(Rem, i(), Expr::int(3))),
        Box::new(|_| bin(Mul, Expr::int(3), bin(Div, i(), Expr::int(2)))),
        Box::new(|_| neg(neg(i()))),
        Box::new(|s| neg(bin(Mul, x_at(s, i()), Expr::int(2)))),
        Box::new(|_| bin(Div, cast(i()), cast(bin(Add, i(), Expr::int(1))))),
        Box::new(|_| bin(Or, bin(And, bin(Lt, i(), param(0)), i()), bin(Eq, i(), Expr::int(3)))),
        Box::new(|_| bin(Eq, bin(BitAnd, i(), Expr::int(1)), Expr::int(0))),
        Box::new(|_| bin(Shl, bin(Add, i(), Expr::int(1)), Expr::int(2))),
        Box::new(|_| {
            choose(choose(i(), Expr::int(1), Expr::int(0)), i(), choose(i(), Expr::int(2), i()))
        }),
        Box::new(|s| Expr::Call("fabs".into(), vec![bin(Sub, x_at(s, i()), i())])),
        Box::new(|s| x_at(s, bin(Add, bin(Div, i(), Expr::int(2)), Expr::int(1)))),
        Box::new(|s| x_at(s, bin(Sub, bin(Mul, Expr::int(2), i()), i()))),
    ];
    let mut s = Stmt::new("[n] -> { S0[i] : 0 <= i < n }", &["i"], "{ S0[i] -> [i] }");
    for value in &values {
        let value = value(&mut s);
        s.assign(&k, x, vec![bin(Add, i(), Expr::int(5))], AssignOp::Compound(Add), value);
    }
    drop(values);
    k.push(s);
    let scop = k.build();
    let original = print(&scop, &original_tree(&scop).unwrap());
    let shifted: ScheduleTree = r#"
domain: "[n] -> { S0[i] : 0 <= i < n }"
child:
  schedule: "[{ S0[i] -> [(i + 2*floor((i)/2))] }]"
"#
    .parse()
    .unwrap();
    let shifted = print(&scop, &shifted);
    let with_math = |text: &str| text.replace("fabs(", "__builtin_fabs(");
    agrees(&with_math(&original), &with_math(&original));
    agrees(&with_math(&original), &with_math(&shifted));
    insta::assert_snapshot!("bodies_original", original);
    insta::assert_snapshot!("bodies_shifted", shifted);
}
