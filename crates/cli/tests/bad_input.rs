//! Every kind of bad input: exit status 1, a message with its place, no output file, the input as it was, no panic.

mod support;

use std::fs;
use std::path::Path;
use support::{Run, command, farkas_in};

/// A region that must be refused: name, body between the pragmas, id of the message, line of the body that it points at.
type Case = (&'static str, &'static str, &'static str, usize);

const REGIONS: &[Case] = &[
    (
        "product",
        "for (i = 0; i < n; i++)\nA[i] = 0;\nA[n * n - n * n * n] = 0;",
        "non-affine-subscript",
        3,
    ),
    ("indirect", "A[B[0]] = 0;\nfor (i = 0; i < n; i++)\nB[i] = 0;", "indirect-subscript", 1),
    ("while", "while (n > 0)\nA[0] = 0;", "while-loop", 1),
    ("do", "do {\nA[0] = 1;\n} while (A[0] > 2);", "while-loop", 1),
    ("break", "for (i = 0; i < n; i++) {\nif (A[i] > 0)\nbreak;\nA[i] = 0;\n}", "jump", 3),
    ("goto", "for (i = 0; i < n; i++) {\nif (A[i] > 0)\ngoto end;\n}\nend:;", "jump", 3),
    ("return", "for (i = 0; i < n; i++) {\nif (A[i] > 0)\nreturn;\n}", "jump", 3),
    ("data-bound", "for (j = B[n]; j < B[n + 1]; j++)\nB[j] = 0;", "data-dependent-bound", 1),
    (
        "product-bound",
        "for (j = 0; j < n; j++)\nfor (i = 0; i < j * n; i++)\nA[i] = 0;",
        "non-affine-bound",
        2,
    ),
    (
        "data-branch",
        "if (A[0] > 0)\nfor (j = 0; j < n; j++)\nM[0][j] = 0;",
        "data-dependent-branch",
        1,
    ),
    ("pointer", "p = A;\nfor (i = 0; i < n; i++)\np[i] = 0;", "pointer-assigned", 1),
    ("unknown-call", "for (i = 0; i < n; i++)\nA[i] = rand();", "unknown-call", 2),
    ("iterator", "for (i = 0; i < n; i++) {\nA[i] = 0;\ni += 2;\n}", "modified-iterator", 3),
    ("parameter", "for (i = 0; i < n; i++)\nn = n - 1;", "modified-parameter", 1),
    (
        "huge-bound",
        "for (i = 0; i < 99999999999999999999999; i++)\nA[i] = 0;",
        "literal-too-large",
        1,
    ),
    ("step", "for (i = 1; i < n; i *= 2)\nA[i] = 0;", "loop-step", 1),
    ("endless", "for (i = 0; ; i++)\nA[i] = 0;", "endless-loop", 1),
    (
        "switch",
        "for (i = 0; i < n; i++)\nswitch (B[i]) { case 0: A[i] = 0; }",
        "switch-statement",
        2,
    ),
    ("assembly", "for (i = 0; i < n; i++)\n__asm__(\"nop\");", "inline-assembly", 2),
    ("side-effect", "for (i = 0; i < n; i++)\nA[i] = B[j = 2];", "side-effect", 2),
    ("undeclared", "for (i = 0; i < n; i++)\nA[i] = nowhere;", "undeclared-name", 2),
    ("row", "for (i = 0; i < n; i++)\nA[i] = M[i];", "partial-subscript", 2),
    ("nested", "for (i = 0; i < n; i++)\nA[i] = 0;\n#pragma scop", "nested-scop", 3),
    ("garbage", "for (i = 0; i < n; i++)\nA[i] = @ 3;", "syntax-error", 2),
];

/// Lines before the first one of a region's body.
const LINES_BEFORE: usize = 4;

/// A function around a region.
fn around(body: &str) -> String {
    format!(
        "int rand(void);\n\
         void f(int n, double A[100], int B[100], double M[100][100], double *p) {{\n  \
         int i, j = 0;\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    )
}

/// Whole files that must be refused: name, text, id, line.
const FILES: &[Case] = &[
    (
        "unbalanced.c",
        "void f(int n, double *A) {\n#pragma scop\n  for (int i = 0; i < n; i++) {\n    A[i] = 0;\n#pragma endscop\n}\n",
        "syntax-error",
        1,
    ),
    (
        "never-closed.c",
        "void f(int n, double *A) {\n#pragma scop\n  for (int i = 0; i < n; i++) A[i] = 0;\n}\n",
        "scop-without-endscop",
        2,
    ),
    (
        "never-opened.c",
        "void f(int n, double *A) {\n  for (int i = 0; i < n; i++) A[i] = 0;\n#pragma endscop\n}\n",
        "endscop-without-scop",
        3,
    ),
    ("file-scope.c", "#pragma scop\nint x;\n#pragma endscop\n", "scop-outside-function", 1),
    (
        "across.c",
        "void f(int n, double *A) {\n#pragma scop\n  for (int i = 0; i < n; i++) {\n    A[i] = 0;\n#pragma endscop\n  }\n}\n",
        "scop-across-blocks",
        2,
    ),
    (
        "shared.c",
        "void f(int n, double A[n]) {\n  double s = 0, *p = &s;\n#pragma scop\n  for (int i = 0; i < n; i++) { p[0] = A[i]; A[i] = s; }\n#pragma endscop\n}\n",
        "overlapping-arrays",
        2,
    ),
    ("include.c", "#include \"nowhere.h\"\nvoid f(void) {\n}\n", "preprocessing-failed", 1),
    (
        "header.c",
        "#include \"region.h\"\nint main(void) { return 0; }\n",
        "scop-in-included-file",
        1,
    ),
];

/// Runs `opt` on a file with this text; everything that holds of a refusal but its message is checked.
fn refuse(folder: &Path, name: &str, text: &[u8]) -> Run {
    let input = folder.join(name);
    fs::write(&input, text).expect("a file in the temporary folder");
    let run = farkas_in(folder, &["opt", name, "-o", "out.c"]).expect(1);
    assert!(run.out.is_empty(), "{name}: {}", run.out);
    assert!(!folder.join("out.c").exists(), "{name}: an output was written");
    assert_eq!(fs::read(&input).expect("the input is still there"), text, "{name}");
    run
}

/// The message has this id, place and caret.
fn check_message(run: &Run, name: &str, id: &str, line: usize) {
    let err = &run.err;
    let starts = err.find(&format!("error[{id}]: "));
    let message = starts.and_then(|at| err.get(at..)).unwrap_or_else(|| panic!("{name}:\n{err}"));
    let place = format!("--> {name}:{line}:");
    assert!(message.contains(&place), "{name}: expected `{place}` in\n{err}");
    assert!(message.contains('^'), "{name}: no caret in\n{err}");
}

#[test]
fn regions_that_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, body, id, line) in REGIONS {
        let name = format!("{name}.c");
        let run = refuse(folder.path(), &name, around(body).as_bytes());
        check_message(&run, &name, id, line + LINES_BEFORE);
    }
}

#[test]
fn files_that_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let header = "static void g(int n, double *A) {\n#pragma scop\n  for (int i = 0; i < n; i++) A[i] = 0;\n#pragma endscop\n}\n";
    fs::write(folder.path().join("region.h"), header).expect("a header");
    for (name, text, id, line) in FILES {
        let run = refuse(folder.path(), name, text.as_bytes());
        check_message(&run, name, id, *line);
    }
}

#[test]
fn files_that_are_no_c() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let noise: Vec<u8> =
        (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let cases: [(&str, &[u8], &str); 3] = [
        ("empty.c", b"", "empty-file"),
        ("binary.c", &noise, "not-text"),
        ("zero.c", b"int x\0;\n", "not-text"),
    ];
    for (name, text, id) in cases {
        let run = refuse(folder.path(), name, text);
        assert!(run.err.contains(&format!("error[{id}]: `{name}`")), "{name}:\n{}", run.err);
    }
    for name in ["missing.c", "."] {
        let run = farkas_in(folder.path(), &["opt", name, "-o", "out.c"]).expect(1);
        assert!(run.err.contains("error[unreadable-file]"), "{name}:\n{}", run.err);
    }
}

#[test]
fn numbers_near_the_end_of_the_machine_word_end_in_a_message() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let body = "for (i = 0; i < n; i++)\nA[i + 9223372036854775807] = A[i - 9223372036854775807];";
    let run = refuse(folder.path(), "edge.c", around(body).as_bytes());
    assert!(!run.err.contains("internal-error"), "{}", run.err);
    assert!(run.err.contains("--> edge.c:"), "{}", run.err);
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = around("for (i = 0; i < n; i++)\nA[i] = 0;");
    fs::write(folder.path().join("good.c"), &good).expect("a file");
    fs::create_dir(folder.path().join("folder")).expect("a folder");
    for output in ["no/such/folder.c", "folder"] {
        let run = farkas_in(folder.path(), &["opt", "good.c", "-o", output]).expect(1);
        let message = format!("error[unwritable-output]: cannot write `{output}`");
        assert!(run.err.contains(&message), "{}", run.err);
    }
    let run = farkas_in(folder.path(), &["opt", "good.c", "-o", "./good.c"]).expect(2);
    assert!(run.err.contains("the output is the input file"), "{}", run.err);
    assert_eq!(fs::read_to_string(folder.path().join("good.c")).expect("the input"), good);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("the folder").collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = around("for (i = 0; i < n; i++)\nA[i] = 0;");
    fs::write(folder.path().join("good.c"), good).expect("a file");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = command(folder.path(), &["opt", "good.c"]).stdout(full).output().expect("a run");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error[unwritable-output]"));
}

#[test]
fn other_commands_refuse_as_well() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("bad.c"), around("while (n > 0)\nA[0] = 0;")).expect("a file");
    fs::write(folder.path().join("s.map"), "{ S0[] -> [0] }").expect("a file");
    let commands: [&[&str]; 3] = [
        &["show", "bad.c", "--scop"],
        &["explain", "bad.c"],
        &["check", "bad.c", "--schedule", "s.map"],
    ];
    for args in commands {
        let run = farkas_in(folder.path(), args).expect(1);
        assert!(run.out.is_empty());
        check_message(&run, "bad.c", "while-loop", 1 + LINES_BEFORE);
    }
}
