//! Every command on good input, and what each makes of a senseless command line.

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Run, farkas_in};
use tempfile::TempDir;

/// The root of the repository, so that messages name `kernels/...`.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the program in the repository.
fn farkas(args: &[&str]) -> Run {
    farkas_in(&root(), args)
}

/// Two functions, the first with two regions.
const SEVERAL: &str = "\
void f(int n, double A[100][100], double x[100]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = 0;
#pragma endscop
#pragma scop
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1];
#pragma endscop
}
void g(int n, double x[100]) {
#pragma scop
  for (int i = 0; i < n; i++)
    x[i] = 1;
#pragma endscop
}
";

/// A folder with the file `several.c`.
fn several() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("several.c"), SEVERAL).expect("a file");
    folder
}

/// Whether brackets and quotes of a graph match, and it is a graph.
fn check_dot(text: &str) {
    assert!(text.starts_with("digraph farkas {\n") && text.ends_with("}\n"), "{text}");
    let (mut depth, mut quoted, mut escaped) = (0i32, false, false);
    for c in text.chars() {
        match c {
            '"' if !escaped => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            _ => {}
        }
        assert!(depth >= 0, "{text}");
        escaped = c == '\\' && !escaped;
    }
    assert!(depth == 0 && !quoted, "{text}");
}

#[test]
fn every_stage_in_every_format() {
    let stages = [
        ("--scop", "scop"),
        ("--deps", "dependences"),
        ("--locality", "locality"),
        ("--schedule", "tree"),
        ("--tree", "tree"),
        ("--ast", "ast"),
    ];
    for kernel in ["kernels/gemm.c", "kernels/jacobi-2d.c", "kernels/trisolv.c"] {
        for (flag, key) in stages {
            let text = farkas(&["show", kernel, flag]).expect(0).out;
            assert!(text.contains("S0"), "{text}");
            let json = ["show", kernel, flag, "--format", "json"];
            let text = farkas(&json).expect(0).out;
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(value["schema"], "farkas-show/2");
            assert!(!value["regions"][0][key].is_null(), "{text}");
            assert_eq!(farkas(&json).out, text, "two runs differ");
            check_dot(&farkas(&["show", kernel, flag, "--format", "dot"]).expect(0).out);
        }
    }
}

#[test]
fn shown_trees_are_legal_schedules() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for kernel in ["kernels/gemm.c", "kernels/jacobi-2d.c"] {
        for flag in ["--schedule", "--tree"] {
            let tree = folder.path().join("tree.yaml");
            fs::write(&tree, farkas(&["show", kernel, flag, "--strategy", "pluto"]).expect(0).out)
                .expect("a file");
            let tree = tree.to_str().expect("a path in UTF-8");
            let run = farkas(&["check", kernel, "--schedule", tree]).expect(0);
            assert!(run.out.contains("legal"), "{}", run.out);
        }
    }
}

#[test]
fn regions_are_selected_by_name() {
    let folder = several();
    let show = |region: &str| {
        farkas_in(folder.path(), &["show", "several.c", "--scop", "--region", region])
    };
    let all = farkas_in(folder.path(), &["show", "several.c", "--scop"]).expect(0).out;
    assert_eq!(all.matches("scop ").count(), 3, "{all}");
    assert_eq!(show("f").expect(0).out.matches("scop ").count(), 2);
    assert!(show("f:2").expect(0).out.contains("x[i - 1]"));
    assert!(show("g").expect(0).out.starts_with("scop g"));
    for unknown in ["h", "f:3", "f:0", "f:x", "g:2"] {
        let err = show(unknown).expect(2).err;
        assert!(err.contains("error[unknown-region]"), "{err}");
        assert!(err.contains("f:1 (line 2), f:2 (line 7), g:1 (line 13)"), "{err}");
    }
}

/// Writes a schedule of gemm and checks it.
fn check_gemm(schedule: &str) -> Run {
    check("kernels/gemm.c", schedule)
}

/// Writes a schedule of a program and checks it.
fn check(program: &str, schedule: &str) -> Run {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("schedule.map");
    fs::write(&path, schedule).expect("a file");
    farkas(&["check", program, "--schedule", path.to_str().expect("UTF-8")])
}

/// The sums of a scalar temporary may be computed in any order, apart from the last, which is returned; but one after another.
#[test]
fn live_ranges_of_a_scalar() {
    let program = "tests/cases/scalar-temporary.c";
    let rows = |i: &str| {
        format!("{{ S0[i] -> [{i}, 0, 0]; S1[i, j] -> [{i}, 1, j]; S2[i] -> [{i}, 2, 0] }}")
    };
    check(program, &rows("i")).expect(0);
    let last = check(program, &rows("-i")).expect(1).err;
    assert!(last.contains("(output of `t`)"), "{last}");
    let together = "{ S0[i] -> [0, i, 0]; S1[i, j] -> [1, i, j]; S2[i] -> [2, i, 0] }";
    insta::assert_snapshot!("check_cut", check(program, together).expect(1).err);
}

#[test]
fn legal_schedules() {
    let run = check_gemm("{ S0[i, j] -> [0, i, j]; S1[i, k, j] -> [1, k, i, j] } # interchanged");
    insta::assert_snapshot!("check_legal", run.expect(0).out);
    // Parameters of the region need not be declared.
    check_gemm("{ S0[i, j] -> [i, j]; S1[i, k, j] -> [ni + i, k, j] }").expect(0);
}

#[test]
fn illegal_schedules_come_with_an_example() {
    let run = check_gemm("{ S0[i, j] -> [1, i, j]; S1[i, k, j] -> [0, i, k, j] }");
    insta::assert_snapshot!("check_illegal", run.expect(1).err);
    let says = |schedule: &str, what: &str| {
        let run = check_gemm(schedule).expect(1);
        assert!(run.out.is_empty(), "{}", run.out);
        assert!(run.err.contains(what), "expected `{what}` in\n{}", run.err);
    };
    says("{ S0[i, j] -> [0, i, j]; S1[i, k, j] -> [1, i, j] }", "both have the same date");
    says(
        "{ S0[i, j] -> [0] : i > 0; S1[i, k, j] -> [1, i, k, j] }",
        "no date for S0(i = 0, j = 0)",
    );
    says("{ S0[i, j] -> [0, i, j] }", "no date for statement `S1`");
    says("{ S0[i, j] -> [0]; S1[i, k] -> [1] }", "`S1` has 3 dimensions, the schedule gives it 2");
    says("{ S0[i, j] -> [0]; S7[i] -> [1] }", "the region has no statement `S7`");
    says("[q] -> { S0[i, j] -> [q]; S1[i, k, j] -> [1] }", "the region has no parameter `q`");
    says("{ S0[i, j] -> [t] : t > 0; S1[i, k, j] -> [1] }", "several dates");
    says("{ S0[i, j -> [0] }", "does not close");
    says("{ S0[i, j] -> [0]; S1[i, k, j] -> [i +] }", ":1:20");
    says("", "is empty");
    says("hello", "neither an isl union map nor a schedule tree");
    says("domain: \"{ S0[i, j] }\"\nchidl: 1\n", "no key `chidl`");
    says("domain: \"{ S0[i, j] \"\n", "`{` is not closed");
}

#[test]
fn trees_are_judged_with_their_marks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tree.yaml");
    let shown = ["show", "kernels/gemm.c", "--schedule", "--no-tile"];
    let tree = farkas(&shown).expect(0).out;
    let check = |text: &str| {
        fs::write(&path, text).expect("a file");
        farkas(&["check", "kernels/gemm.c", "--schedule", path.to_str().expect("UTF-8")])
    };
    check(&tree).expect(0);
    let err = check(&tree.replace("sequence:", "sequense:")).expect(1).err;
    assert!(err.contains("no key `sequense`") && err.contains("tree.yaml:"), "{err}");
    let err = check(&tree.replace("sequence:", "set:")).expect(1).err;
    assert!(err.contains("error[illegal-schedule]") && err.contains("does not order"), "{err}");
    let err = check(&tree.replacen("[(k)]", "[(-k)]", 1)).expect(1).err;
    assert!(err.contains("reverses them: dates 0 and -1"), "{err}");
    let err = check(&tree.replacen("[(k)]", "[(k +)]", 1)).expect(1).err;
    assert!(err.contains("the schedule of this node is not in isl notation"), "{err}");
    let domain = "domain: \"[ni, nj, nk] -> { S0[i, j]; S1[i, k, j] }\"\n";
    let err = check(domain).expect(1).err;
    assert!(err.contains("which the region does not run"), "{err}");
    let err = check("domain: \"{ S0[i]; S1[i, k, j] }\"\n").expect(1).err;
    assert!(err.contains("`S0` has 2 dimensions, the schedule gives it 1"), "{err}");
}

#[test]
fn a_check_needs_one_region() {
    let folder = several();
    fs::write(folder.path().join("s.map"), "{ S0[i] -> [-i] }").expect("a file");
    let check = |region: &[&str]| {
        let args = [&["check", "several.c", "--schedule", "s.map"], region].concat();
        farkas_in(folder.path(), &args)
    };
    assert!(check(&[]).expect(2).err.contains("has 3 regions"));
    assert!(check(&["--region", "f"]).expect(2).err.contains("has 2 regions"));
    assert!(check(&["--region", "g"]).expect(0).out.contains("may run in parallel"));
    assert!(check(&["--region", "f:2"]).expect(1).err.contains("dimension 0 reverses them"));
}

#[test]
fn explanations() {
    for kernel in ["gemm", "jacobi-2d"] {
        let kernel_file = format!("kernels/{kernel}.c");
        let out = farkas(&["explain", &kernel_file, "--strategy", "pluto"]).expect(0).out;
        insta::assert_snapshot!(format!("explain_{kernel}"), out);
    }
    let out = farkas(&["explain", "kernels/gemm.c", "--strategy", "original"]).expect(0).out;
    assert!(out.contains("in the program's own order"), "{out}");
    for (args, why) in [
        (["--strategy", "original"], "the program keeps its own order"),
        (["--target", "c"], "code of this target starts no threads"),
        (["--serial", "--no-tile"], "one thread was asked for"),
    ] {
        let out =
            farkas(&[&["explain", "kernels/gemm.c"] as &[&str], &args].concat()).expect(0).out;
        let told = format!("carries no dependence; runs on one thread, {why}");
        assert!(out.contains(&told), "{out}");
        assert!(!out.contains(": parallel"), "{out}");
    }
    let folder = several();
    let out = farkas_in(folder.path(), &["explain", "several.c"]).expect(0).out;
    assert!(out.contains("flow of x: line 9 writes, line 9 reads, distance (1)"), "{out}");
}

#[test]
fn diagnostics_are_documented() {
    let out = farkas(&["explain", "non-affine-subscript"]).expect(0).out;
    assert!(out.starts_with("error[non-affine-subscript]\n\n"), "{out}");
    assert!(out.contains("not an affine expression"), "{out}");
    let err = farkas(&["explain", "non-afine-subscrip"]).expect(2).err;
    assert!(err.contains("`non-affine-subscript`"), "{err}");
    let err = farkas(&["explain", "no/such/file.c"]).expect(1).err;
    assert!(err.contains("error[unreadable-file]"), "{err}");
}

#[test]
fn a_file_without_a_region_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("plain.c"), "int main(void) { return 0; }\n").expect("a file");
    for auto in [&[] as &[&str], &["--auto"]] {
        let args = [&["opt", "plain.c", "-o", "out.c"], auto].concat();
        let err = farkas_in(folder.path(), &args).expect(1).err;
        assert!(err.contains("error[no-region]: `plain.c` has no region"), "{err}");
        assert!(!folder.path().join("out.c").exists());
    }
}

#[test]
fn opt_writes_the_transformed_file() {
    let folder = several();
    let run = farkas_in(folder.path(), &["opt", "several.c", "-o", "out.c", "--report"]).expect(0);
    assert!(run.out.is_empty());
    let text = fs::read_to_string(folder.path().join("out.c")).expect("the output");
    assert!(text.contains("#pragma omp parallel for"), "{text}");
    assert!(text.starts_with("void f(int n"), "{text}");
    let printed = farkas_in(folder.path(), &["opt", "several.c"]).expect(0).out;
    assert_eq!(printed, text);
    let serial = farkas_in(folder.path(), &["opt", "several.c", "--target", "c"]).expect(0).out;
    assert!(!serial.contains("omp"), "{serial}");
}

/// A marked region's normal form is marked, too: read again it has the same nests, and is its own normal form.
#[test]
fn a_normal_form_is_read_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "void f(int n, double A[n][n], double x[n], double y[n]) {
#pragma scop
  for (int j = n - 1; j >= 0; j--) {
    x[j] = 0;
    for (int i = 0; i < n; i++)
      x[j] += A[i][j] * y[i];
  }
#pragma endscop
}
";
    fs::write(folder.path().join("f.c"), text).expect("a file");
    let nests = |file: &str| -> Vec<String> {
        let shown = farkas_in(folder.path(), &["show", "--normal-form", file]).expect(0).out;
        shown.lines().filter(|line| line.starts_with("nest ")).map(str::to_owned).collect()
    };
    let loops = |text: &str| -> Vec<String> {
        let (_, from) = text.split_once("#pragma scop\n").expect("a mark");
        let (loops, rest) = from.split_once("#pragma endscop\n").expect("its end");
        assert!(!rest.contains("#pragma scop"), "the original stays unmarked: {text}");
        let lines = loops.lines().map(|line| line.trim().to_owned());
        lines.filter(|line| line.starts_with("for") || line.ends_with(';')).collect()
    };
    farkas_in(folder.path(), &["normalize", "f.c", "-o", "once.c"]).expect(0);
    farkas_in(folder.path(), &["normalize", "once.c", "-o", "twice.c"]).expect(0);
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).expect("the output");
    assert_eq!(nests("once.c"), nests("f.c"));
    assert_eq!(loops(&read("twice.c")), loops(&read("once.c")));
    assert_eq!(loops(&read("once.c")).len(), 5, "{}", read("once.c"));
}

#[test]
fn messages_have_three_forms_and_colours() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text =
        "void f(int n, double *A) {\n#pragma scop\n  while (n) A[0] = 0;\n#pragma endscop\n}\n";
    fs::write(folder.path().join("bad.c"), text).expect("a file");
    let opt = |args: &[&str]| farkas_in(folder.path(), &[&["opt", "bad.c"], args].concat());
    let json = opt(&["--message-format", "json"]).expect(1).err;
    for line in json.lines() {
        let value: Value = serde_json::from_str(line).expect("one JSON object a line");
        assert_eq!((&value["id"], &value["primary"]["line"]), (&"while-loop".into(), &3.into()));
    }
    let concise = opt(&["--message-format", "concise"]).expect(1).err;
    assert!(concise.starts_with("bad.c:3:3: error[while-loop]: "), "{concise}");
    assert!(opt(&["--color", "always"]).expect(1).err.contains('\u{1b}'));
    assert!(!opt(&["--color", "never"]).expect(1).err.contains('\u{1b}'));
    let err = opt(&["--message-format", "json", "--strategy", "magic"]).expect(2).err;
    let value: Value = serde_json::from_str(err.trim()).expect("flags are judged in JSON, too");
    assert_eq!(value["id"], "bad-option");
}

#[test]
fn senseless_command_lines() {
    let commands: [&[&str]; 8] = [
        &[],
        &["optimize", "kernels/gemm.c"],
        &["opt"],
        &["opt", "kernels/gemm.c", "--strategy", "magic"],
        &["opt", "kernels/gemm.c", "--tile-sizes", "0"],
        &["show", "kernels/gemm.c"],
        &["show", "kernels/gemm.c", "--scop", "--deps"],
        &["check", "kernels/gemm.c"],
    ];
    for args in commands {
        let run = farkas(args).expect(2);
        assert!(run.out.is_empty() && !run.err.is_empty(), "{args:?}");
    }
    for args in [&["--help"] as &[&str], &["--version"], &["explain", "--help"]] {
        assert!(!farkas(args).expect(0).out.is_empty(), "{args:?}");
    }
}

#[test]
fn schemas_are_printed() {
    for (kind, key) in [
        ("strategy", "scheduling_strategy"),
        ("influence", "influence_tree"),
        ("machine", "caches"),
        ("project", "db"),
    ] {
        let run = farkas(&["schema", kind]);
        assert_eq!((run.status, run.err.as_str()), (0, ""));
        let schema: Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(run.out.contains(&format!("\"{key}\"")));
    }
    let run = farkas(&["schema", "strategies"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("'strategy'"), "{}", run.err);
}

#[test]
fn a_lone_hyphen_is_standard_output() {
    let folder = several();
    let [plain, hyphen] = [&[][..], &["-o", "-"]].map(|more| {
        let args: Vec<&str> =
            ["opt", "several.c", "--strategy", "original"].iter().chain(more).copied().collect();
        farkas_in(folder.path(), &args).expect(0)
    });
    assert_eq!(plain.out, hyphen.out);
    assert!(!folder.path().join("-").exists());
}

#[test]
fn what_is_installed_beside_the_program() {
    let script = farkas(&["completions", "bash"]).expect(0).out;
    assert!(script.contains("_farkas()") && script.contains("--strategy"));
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man1");
    farkas(&["man", &pages.to_string_lossy()]).expect(0);
    let page = std::fs::read_to_string(pages.join("farkas-opt.1")).expect("a page");
    assert!(page.contains(".TH") && page.contains("tile\\-sizes"), "{page}");
    assert!(pages.join("farkas.1").exists() && pages.join("farkas-cc.1").exists());
    let run = farkas(&["man", &pages.join("farkas.1").to_string_lossy()]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("unwritable-output"), "{}", run.err);
}

/// What is the same for several loops, or costs the same, is told once; what is proved is counted; a sum says what would free its order.
#[test]
fn explanations_tell_what_to_do_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "\
#include <stdio.h>
void show(int n, double x[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      printf(\"%g\\n\", x[i][j]);
}
double norm(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum;
}
void scale(int n, double a, double *x, const double *y) {
  for (int i = 0; i < n; i++)
    x[i] = a * y[i];
}
";
    fs::write(folder.path().join("a.c"), text).expect("a file");
    let machine = root().join("machines/x86-64-v3.json");
    let args = ["explain", "--auto", "--machine", &machine.to_string_lossy(), "a.c"];
    insta::assert_snapshot!(farkas_in(folder.path(), &args).expect(0).out);
}

#[test]
fn types_prove_nothing_where_that_is_asked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "double *x;\nint m;\nvoid f(double *y) {\n#pragma scop\n  for (int i = 0; i < m; i++)\n    x[i] = y[i];\n#pragma endscop\n}\n";
    fs::write(folder.path().join("a.c"), text).expect("a file");
    let opt = |flags: &[&str]| {
        let args = [&["opt", "--strategy", "pluto", "a.c", "-o", "-"], flags].concat();
        farkas_in(folder.path(), &args).expect(0).out
    };
    let tested = "tested: writing x does not change the pointer x; writing x does not change m; no overlap of x and y.";
    assert!(opt(&[]).contains("tested: no overlap of x and y."));
    let text = opt(&["--no-strict-aliasing"]);
    assert!(text.contains(tested) && text.contains("&m, &m)"), "{text}");
    let report = ["opt", "--strategy", "pluto", "--report", "a.c", "-o", "a.out.c"];
    let report = farkas_in(folder.path(), &report).expect(0).err;
    let told = "writing `x` does not change the pointer `x` (no-overlap: proved: `x` has another type than pointers)";
    assert!(report.contains(told), "{report}");
}
