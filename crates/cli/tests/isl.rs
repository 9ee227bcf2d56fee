//! isl's text in and out of the program.

mod support;

use std::fs;
use support::{farkas_in, piped};
use tempfile::TempDir;

/// A time loop of two statements, of which the second may not be moved before the first.
const CHAIN: &str = "\
# two statements
domain: [n] -> { S[t, i] : 0 <= t, i < n; T[t, i] : 0 <= t, i < n }
context: [n] -> { : n >= 1 }
validity: { S[t, i] -> T[t, i]; T[t, i] -> S[t + 1, i']: i - 1 <= i' <= i + 1 }
proximity: { S[t, i] -> T[t, i] }
coincidence: { S[t, i] -> T[t, i]; T[t, i] -> S[t + 1, i']: i - 1 <= i' <= i + 1 }
";

/// The product of two matrices as sets and maps.
const PRODUCT: &str = "\
context: [n] -> { : n >= 1 }
domain: [n] -> { I[i, j] : 0 <= i, j < n; P[i, j, k] : 0 <= i, j, k < n }
schedule: { I[i, j] -> [i, j, 0, 0]; P[i, j, k] -> [i, j, 1, k] }
reads: { P[i, j, k] -> C[i, j]; P[i, j, k] -> A[i, k]; P[i, j, k] -> B[k, j] }
must_writes: { I[i, j] -> C[i, j]; P[i, j, k] -> C[i, j] }
elements:
  C: double
  A: double
  B: double
";

/// A folder with `chain.sc` and `product.isl`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("chain.sc"), CHAIN).expect("a file");
    fs::write(folder.path().join("product.isl"), PRODUCT).expect("a file");
    folder
}

#[test]
fn constraints_become_a_tree() {
    let folder = folder();
    let run = farkas_in(folder.path(), &["opt", "chain.sc", "--report"]).expect(0);
    insta::assert_snapshot!("constraints_become_a_tree", run.out);
    assert!(run.err.contains("every constraint is kept"), "{}", run.err);
    for args in [["opt", "--from", "isl", "-"].as_slice(), &["opt", "--from", "isl", "--to", "isl"]]
    {
        assert_eq!(piped(folder.path(), args, CHAIN).expect(0).out, run.out);
    }
    farkas_in(folder.path(), &["opt", "chain.sc", "-o", "out.st"]).expect(0);
    assert_eq!(fs::read_to_string(folder.path().join("out.st")).expect("the output"), run.out);
}

/// Two producers of a consumer: the producers may run in any order.
#[test]
fn what_no_constraint_orders_is_a_set() {
    let folder = folder();
    let text = "domain: { A[]; B[]; C[] }\nvalidity: { A[] -> C[]; B[] -> C[] }\n";
    fs::write(folder.path().join("fork.sc"), text).expect("a file");
    let run = farkas_in(folder.path(), &["opt", "fork.sc", "--strategy", "isl"]).expect(0);
    insta::assert_snapshot!("what_no_constraint_orders_is_a_set", run.out);
}

/// Sets in C: legal, shown, and code like any other.
#[test]
fn loops_that_nothing_orders_are_a_set() {
    let folder = folder();
    let text = "void f(int n, double a[n], double b[n]) {\n#pragma scop\n  for (int i = 0; i < n; i++) a[i] = 1;\n  \
                for (int i = 0; i < n; i++) b[i] = 2;\n#pragma endscop\n}\n";
    fs::write(folder.path().join("two.c"), text).expect("a file");
    let show = |more: &[&str]| {
        let args = [&["show", "two.c", "--strategy", "isl", "--tree"], more].concat();
        farkas_in(folder.path(), &args).expect(0).out
    };
    assert!(show(&[]).contains("set:"), "{}", show(&[]));
    assert!(show(&["--format", "json"]).contains("\"set\""));
    assert!(show(&["--format", "dot"]).contains("label=\"set\""), "{}", show(&["--format", "dot"]));
    let code = farkas_in(folder.path(), &["opt", "two.c", "--strategy", "isl"]).expect(0).out;
    assert_eq!(code.matches("#pragma omp parallel for").count(), 2, "{code}");
}

#[test]
fn loops_run_downward_where_they_must() {
    let folder = folder();
    let text = "domain: { S[i] : 0 <= i < 9 }\nvalidity: { S[i] -> S[i - 1] }\n";
    let run = piped(folder.path(), &["opt", "--from", "isl"], text).expect(0);
    assert!(run.out.contains("S[i] -> [(-i)]"), "{}", run.out);
    assert!(run.err.contains("isl takes over"), "{}", run.err);
}

#[test]
fn live_ranges_within_iterations_leave_a_loop_parallel() {
    let folder = folder();
    let live = "\
domain: { W[i] : 0 <= i < 9; R[i] : 0 <= i < 9 }
validity: { W[i] -> R[i] }
proximity: { W[i] -> R[i] }
coincidence: { W[i] -> R[i] }
condition: { [W[i] -> a[]] -> [R[i] -> b[]] }
conditional_validity: { [R[i] -> b[]] -> [W[i'] -> a[]] : i' > i }
";
    let run = piped(folder.path(), &["opt", "--from", "isl"], live).expect(0);
    assert!(run.out.contains("coincident: [ 1 ]"), "{}", run.out);
    // Where they are divided, the orders are kept.
    let divided = live.replace("-> [R[i] -> b[]]", "-> [R[i + 1] -> b[]]");
    let run = piped(folder.path(), &["opt", "--from", "isl", "--fuse", "max"], &divided).expect(0);
    assert!(run.out.contains("W[i] -> [(i)]"), "{}", run.out);
}

#[test]
fn a_strategy_that_has_no_row_says_which_constraint_it_drops() {
    let folder = TempDir::new().expect("a folder");
    // No loop may be outermost by itself; `i + j` may.
    let text = "domain: [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }\n\
                validity: { S[i, j] -> S[i + 1, j - 1]; S[i, j] -> S[i - 1, j + 2] }\n";
    fs::write(folder.path().join("skewed.sc"), text).expect("a file");
    let run = farkas_in(folder.path(), &["opt", "skewed.sc", "--strategy", "tensor"]).expect(0);
    assert!(run.out.contains("S[i, j] -> [(i + j)]"), "{}", run.out);
    assert!(run.err.contains("warning[constraint-dropped]"), "{}", run.err);
    assert!(run.err.contains("no-skewing"), "{}", run.err);
}

#[test]
fn constraints_that_cannot_be_kept_are_refused() {
    let folder = folder();
    let circle = "domain: { S[]; T[] }\nvalidity: { S[] -> T[]; T[] -> S[] }\n";
    let run = piped(folder.path(), &["opt", "--from", "isl"], circle).expect(1);
    insta::assert_snapshot!("constraints_that_cannot_be_kept_are_refused", run.err);
    let original = ["opt", "--from", "isl", "--strategy", "original"];
    let run = piped(folder.path(), &original, "domain: { S[]; T[] }\nvalidity: { T[] -> S[] }\n");
    assert!(run.expect(1).err.contains("unsatisfied-constraints"));
    let run = piped(folder.path(), &["opt", "--from", "isl"], "domain: { S[i : i = 0 }").expect(1);
    assert!(run.err.contains("standard input:1:23"), "{}", run.err);
}

#[test]
fn a_scop_as_sets_and_maps_becomes_trees_and_calls() {
    let folder = folder();
    let run = farkas_in(folder.path(), &["opt", "product.isl", "--no-tile"]).expect(0);
    insta::assert_snapshot!("a_scop_as_sets_and_maps_becomes_trees", run.out);
    let code = farkas_in(folder.path(), &["opt", "product.isl", "--to", "openmp"]).expect(0);
    assert!(code.out.contains("P(i, j, k);") && code.out.contains("omp parallel"), "{}", code.out);
    let shown = farkas_in(folder.path(), &["show", "product.isl", "--deps"]).expect(0);
    assert!(shown.out.contains("flow"), "{}", shown.out);
    let document = farkas_in(folder.path(), &["opt", "product.isl", "--to", "openscop"]).expect(0);
    assert!(document.out.contains("<OpenScop>"), "{}", document.out);
    // The tree that comes out is legal for the scop.
    fs::write(folder.path().join("tree.st"), &run.out).expect("a file");
    farkas_in(folder.path(), &["check", "product.isl", "--schedule", "tree.st"]).expect(0);
}

#[test]
fn c_becomes_trees() {
    let folder = folder();
    let loops = |name: &str| {
        format!(
            "void {name}(int n, double A[100]) {{\n#pragma scop\n  for (int i = 1; i < n; i++)\n    A[i] = A[i - 1];\n#pragma endscop\n}}\n"
        )
    };
    fs::write(folder.path().join("one.c"), loops("one")).expect("a file");
    let run = farkas_in(folder.path(), &["opt", "one.c", "--to", "isl"]).expect(0);
    assert!(run.out.starts_with("domain:"), "{}", run.out);
    fs::write(folder.path().join("two.c"), loops("one") + &loops("two")).expect("a file");
    let run = farkas_in(folder.path(), &["opt", "two.c", "--to", "isl"]).expect(0);
    assert!(
        run.out.contains("# one\ndomain:") && run.out.contains("# two\ndomain:"),
        "{}",
        run.out
    );
}

#[test]
fn a_senseless_command_line_is_misuse() {
    let folder = folder();
    let run = farkas_in(folder.path(), &["opt", "chain.sc", "--to", "c"]).expect(2);
    assert!(run.err.contains("--to isl"), "{}", run.err);
    let run = farkas_in(folder.path(), &["opt", "chain.sc", "--from", "c"]).expect(2);
    assert!(run.err.contains("leave --from out"), "{}", run.err);
    let run = farkas_in(folder.path(), &["opt", "chain.sc", "--auto"]).expect(2);
    assert!(run.err.contains("--auto"), "{}", run.err);
}
