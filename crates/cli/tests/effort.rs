//! How much work the program does, and that nothing but the file decides what comes of it.

mod support;

use std::fmt::Write;
use std::fs;
use support::{Run, farkas_in};
use tempfile::TempDir;

/// A folder with a C file.
fn folder(text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("file.c"), text).expect("a file");
    folder
}

/// `farkas opt file.c` with these arguments.
fn opt(folder: &TempDir, args: &[&str]) -> Run {
    farkas_in(folder.path(), &[&["opt", "file.c"], args].concat())
}

/// Functions with one or two loops each, some of which no region holds.
fn small_functions(n: usize) -> String {
    let mut text = "void use(double *);\n".to_owned();
    for k in 0..n {
        let body = ["a[i] = b[i] + 1;", "a[i] = a[i - 1] + b[i];", "a[i] = b[n - i];"][k % 3];
        let _ = writeln!(
            text,
            "void f{k}(int n, double a[n + 1], double b[n + 1], double c[n][n]) {{
  for (int t = 0; t < 10; t++) {{
    for (int i = 1; i < n; i++) {body}
    use(a);
  }}
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) c[i][j] += c[j][i] * {k};
}}"
        );
    }
    text
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = folder(&small_functions(6));
    let run = |jobs: &str| opt(&folder, &["--auto", "--report", "--jobs", jobs]);
    let one = run("1").expect(0);
    assert_eq!(one.err.matches("region-found").count(), 12, "{}", one.err);
    for jobs in ["2", "5", "40"] {
        let several = run(jobs);
        assert_eq!((several.out, several.err), (one.out.clone(), one.err.clone()));
    }
}

/// A stencil of a dozen loops.
fn deep() -> String {
    let depth = 12;
    let subscripts = |offset: &dyn Fn(usize) -> String| -> String {
        (1..depth).map(|k| format!("[i{k}{}]", offset(k))).collect()
    };
    let extents = "[n]".repeat(depth - 1);
    let mut deep = format!("void f(int n, int T, double A{extents}) {{\n#pragma scop\n");
    let _ = writeln!(deep, "for (int i0 = 0; i0 < T; i0++)");
    for k in 1..depth {
        let _ = writeln!(deep, "for (int i{k} = 1; i{k} < n - 1; i{k}++)");
    }
    let here = subscripts(&|_| String::new());
    let _ = write!(deep, "A{here} = A{here}");
    for at in 1..depth {
        for sign in ["-", "+"] {
            let there = |k: usize| if k == at { format!(" {sign} 1") } else { String::new() };
            let _ = write!(deep, " + A{}", subscripts(&there));
        }
    }
    deep.push_str(";\n#pragma endscop\n}\n");
    deep
}

/// Statements that share two arrays.
fn dense() -> String {
    let mut dense = "void f(int n, double a[n][n], double b[n][n]) {\n#pragma scop\n".to_owned();
    dense.push_str("for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) {\n");
    for k in 0..140 {
        let (x, y) = if k % 2 == 0 { ("a", "b") } else { ("b", "a") };
        let _ = writeln!(dense, "{x}[i][j] += {y}[i - {}][j + {}] * {k};", k % 2, k % 3);
    }
    dense.push_str("}\n#pragma endscop\n}\n");
    dense
}

/// A stencil of a dozen loops ends, and so does what shares two arrays among many statements.
#[test]
fn deep_and_dense_regions_are_transformed() {
    for text in [deep(), dense()] {
        let run = opt(&folder(&text), &[]).expect(0);
        assert!(run.out.contains("for (int i"), "{}", run.out);
    }
}

/// What explains and shows draws on the same effort.
#[test]
fn deep_and_dense_regions_are_explained_and_shown() {
    let stages = [(deep(), &["--deps", "--tree", "--ast"][..]), (dense(), &["--deps"])];
    for (text, stages) in stages {
        let folder = folder(&text);
        let explained = farkas_in(folder.path(), &["explain", "file.c"]).expect(0);
        assert!(explained.out.contains("loops of the result"), "{}", explained.out);
        for stage in stages {
            let shown = farkas_in(folder.path(), &["show", stage, "file.c"]).expect(0);
            assert!(!shown.out.is_empty());
        }
    }
}

/// What isl's own scheduler may do has an end, after which the region is left in its own order, and that is said.
#[test]
fn isls_scheduler_ends() {
    let run = opt(&folder(&dense()), &["--strategy", "libisl"]).expect(0);
    let message = "operation quota reached; the region is generated in the original order";
    assert!(run.err.contains(message), "{}", run.err);
}

/// What takes more memory than allowed ends with a message, and without output; what compilers take does not count.
#[test]
fn the_memory_of_the_program_has_a_limit() {
    let large = folder(&dense());
    let before = "as it was";
    fs::write(large.path().join("out.c"), before).expect("a file");
    let run = opt(&large, &["--tool-memory", "40M", "-o", "out.c"]).expect(1);
    assert!(run.err.contains("error[out-of-memory]"), "{}", run.err);
    assert!(run.err.contains("more memory than 40M"), "{}", run.err);
    assert_eq!(run.out, "");
    assert_eq!(fs::read_to_string(large.path().join("out.c")).expect("a file"), before);
    let small = "void f(int n, double a[n]) {\n#pragma scop\n  for (int i = 0; i < n; i++) a[i] = 2 * a[i];\n#pragma endscop\n}\n";
    let run = opt(&folder(small), &["--tool-memory", "40M"]).expect(0);
    assert!(run.out.contains("parallel") && run.err.is_empty(), "{}", run.err);
    opt(&folder(small), &["--tool-memory", "4x"]).expect(2);
}

/// How much code may be added decides between regions: what is left out is told by `opt`, and `explain` says the same.
#[test]
fn regions_that_find_no_room_are_told() {
    let product = |n: usize| {
        format!(
            "void product{n}(double a[500][500], double b[500][500], double c[500][500]) {{
  for (int i = 0; i < 500; i++)
    for (int j = 0; j < 500; j++)
      for (int k = 0; k < {}; k++)
        c[i][j] += a[i][k] * b[k][j];
}}
",
            100 + 20 * n
        )
    };
    let folder = folder(&(0..8).map(product).collect::<String>());
    let with = |growth: &[&str]| {
        opt(&folder, &[&["--auto", "--assume", "no-overlap"], growth].concat()).expect(0)
    };
    let limited = with(&[]);
    assert!(limited.err.contains("warning[no-room]"), "{}", limited.err);
    assert!(limited.err.contains("regions stay as they are"), "{}", limited.err);
    assert!(limited.err.contains("help: `--growth any` sets no limit"), "{}", limited.err);
    let all = with(&["--growth", "any"]);
    assert!(!all.err.contains("no-room"), "{}", all.err);
    let n_changed = |run: &Run| run.out.matches("farkas: strategy auto").count();
    assert_eq!(n_changed(&all), 8);
    assert!((1..8).contains(&n_changed(&limited)), "{}", limited.out);
    let explained =
        farkas_in(folder.path(), &["explain", "--auto", "--assume", "no-overlap", "file.c"])
            .expect(0);
    let n_told = explained.out.matches("other regions gain more").count();
    // The three loops of a region are told of together.
    assert_eq!(n_told, 8 - n_changed(&limited), "{}", explained.out);
}
