//! `farkas db`: what goes in, comes out, is forgotten, and what is refused.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use support::{Run, command, farkas_in};
use tempfile::TempDir;

/// A sweep whose inner loop carries, and a scaling that carries nothing.
const PROGRAM: &str = "\
void f(int n, double A[n][n], double B[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            A[i][j] = A[i][j - 1] + 1.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[i][j] = 2.0 * B[i][j];
#pragma endscop
}
";

/// A recipe of steps.
fn recipe(steps: &str) -> String {
    format!("{{ \"recipe\": {{ \"steps\": [\n{steps}\n] }} }}\n")
}

/// A recipe that does for the program.
fn tiles() -> String {
    recipe(r#"{ "step": "tile", "loop": "S1.1", "sizes": [16, 64] }"#)
}

/// An entry as exports have it.
fn entry(nest: &str, machine: &str, recipe: &str) -> Value {
    json!({
        "format": 1,
        "nest": nest,
        "normal_form": 1,
        "elements": "double",
        "size_class": "large",
        "machine": machine,
        "compiler": { "name": "gcc", "version": "14.2.0" },
        "origins": ["tune"],
        "measurements": [{
            "at": "2026-11-27T18:55:50Z",
            "environment": "-O3 -march=native",
            "baseline": { "threads": 1, "ns": [8_000_000, 8_100_000, 7_900_000] },
            "recipe": { "threads": 2, "ns": [3_200_000, 3_150_000] },
        }],
        "failures": [],
        "recipe": recipe,
        "program": PROGRAM,
    })
}

/// A failure.
fn crash() -> Value {
    json!({ "at": "2020-01-01T00:00:00Z", "kind": "crash", "threads": 2, "text": "signal 11" })
}

/// A folder with entries in `entries.jsonl`.
fn folder(entries: &[Value]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_lines(folder.path(), "entries.jsonl", entries);
    folder
}

/// Writes entries as lines.
fn write_lines(folder: &Path, name: &str, entries: &[Value]) {
    let lines: Vec<String> = entries.iter().map(|entry| format!("{entry}\n")).collect();
    fs::write(folder.join(name), lines.concat()).expect("a file");
}

/// Runs `farkas db` in a folder, with the database `a.db`.
fn db(folder: &Path, args: &[&str]) -> Run {
    farkas_in(folder, &[&["db"], args, &["--db", "a.db"]].concat())
}

/// A folder with a database of entries.
fn with_database(entries: &[Value]) -> TempDir {
    let folder = folder(entries);
    db(folder.path(), &["import", "entries.jsonl"]).expect(0);
    folder
}

#[test]
fn entries_are_listed_and_shown() {
    let mut slow = entry("5f0c21aa77bb00", "amd-zen4", &recipe(""));
    slow["measurements"][0]["recipe"]["ns"] = json!([9_000_000]);
    slow["failures"] = json!([crash()]);
    slow["embedding"] = json!({ "version": 1, "values": [0.5, 2.0] });
    let mut predicted = entry("5f0c21aa77bb00", "apple-m1", &tiles());
    predicted["measurements"] = json!([]);
    predicted["origins"] = json!(["transfer", "auto"]);
    let entries = [entry("5f0c21aa77bb00", "amd-zen4", &tiles()), slow, predicted];
    let folder = with_database(&entries);
    insta::assert_snapshot!("list", db(folder.path(), &["list"]).expect(0).out);
    insta::assert_snapshot!("list_json", db(folder.path(), &["list", "--json"]).expect(0).out);
    insta::assert_snapshot!("show", db(folder.path(), &["show", "5f0c"]).expect(0).out);
    let n_rows = |args: &[&str]| {
        let run = db(folder.path(), &[&["list"], args].concat()).expect(0);
        run.out.lines().count() - 2
    };
    assert_eq!(n_rows(&["--machine", "amd-zen4"]), 1);
    assert_eq!(n_rows(&["--machine", "z80"]), 0);
    assert_eq!(n_rows(&["--origin", "auto"]), 1);
    assert_eq!(n_rows(&["--compiler", "gcc"]), 2);
    assert_eq!(n_rows(&["--compiler", "gcc 14.2.0"]), 2);
    assert_eq!(n_rows(&["--compiler", "gcc 13"]), 0);
    assert_eq!(n_rows(&["--nest", "5f", "--size-class", "large"]), 2);
}

#[test]
fn a_prefix_names_one_nest() {
    let entries = ["ab01", "ab02", "ab", "cd"].map(|nest| entry(nest, "amd-zen4", &tiles()));
    let folder = with_database(&entries);
    let err = db(folder.path(), &["show", "a"]).expect(2).err;
    insta::assert_snapshot!("ambiguous", err);
    assert!(db(folder.path(), &["show", "ab"]).expect(0).out.starts_with("nest ab, "));
    assert!(db(folder.path(), &["show", "c"]).expect(0).out.starts_with("nest cd, "));
    let err = db(folder.path(), &["show", "ef"]).expect(2).err;
    assert!(err.contains("no nest in the database has a hash that begins with `ef`"), "{err}");
    let err = db(folder.path(), &["show", "gemm"]).expect(2).err;
    assert!(err.contains("`gemm` begins no hash"), "{err}");
}

#[test]
fn exports_are_the_same_whatever_the_history() {
    let entries = [
        entry("aa", "amd-zen4", &tiles()),
        entry("aa", "amd-zen4", &recipe("")),
        entry("bb", "apple-m1", &tiles()),
    ];
    let folder = with_database(&entries);
    let path = folder.path();
    let whole = db(path, &["export"]).expect(0).out;
    assert_eq!(whole.lines().count(), 3);
    assert!(whole.lines().is_sorted_by_key(|line| line.split("\"recipe\":\"").next()));
    for (name, part) in [("x", &entries[1..]), ("y", &entries[..2])] {
        write_lines(path, name, part);
        let import = ["db", "import", name, "--db"];
        farkas_in(path, &[&import[..], &[&format!("{name}.db")]].concat()).expect(0);
    }
    for (target, parts) in [("xy.db", ["x.db", "y.db"]), ("yx.db", ["y.db", "x.db"])] {
        let run = farkas_in(path, &["db", "merge", parts[0], parts[1], "-o", target]).expect(0);
        assert_eq!(run.out, "new: 3 recipes, 3 measurements, 0 failures\n");
        assert_eq!(farkas_in(path, &["db", "export", "--db", target]).expect(0).out, whole);
    }
    let again = farkas_in(path, &["db", "merge", "x.db", "--into", "xy.db"]).expect(0).out;
    assert_eq!(again, "new: 0 recipes, 0 measurements, 0 failures\n");
    db(path, &["export", "-o", "out.jsonl"]).expect(0);
    assert_eq!(fs::read_to_string(path.join("out.jsonl")).expect("a file"), whole);
    let shown = db(path, &["show", "bb", "--json"]).expect(0).out;
    assert_eq!(shown, db(path, &["export", "--machine", "apple-m1"]).expect(0).out);
}

#[test]
fn a_line_that_is_no_entry_keeps_all_out() {
    let good = entry("aa", "amd-zen4", &tiles());
    let mut misspelt = good.clone();
    misspelt["machin"] = json!("amd-zen4");
    let no_recipe = entry("aa", "amd-zen4", &recipe(r#"{ "step": "tile", "loop": "S0" }"#));
    let folder = folder(&[good, misspelt, no_recipe]);
    let path = folder.path();
    let err = db(path, &["import", "entries.jsonl", "--message-format", "concise"]).expect(1).err;
    insta::assert_snapshot!("bad_lines", err);
    assert!(!path.join("a.db").exists(), "nothing is written");
    fs::write(path.join("half.jsonl"), "\n{\"format\": 1, \"nest\"").expect("a file");
    insta::assert_snapshot!("half_a_line", db(path, &["import", "half.jsonl"]).expect(1).err);
    let err = db(path, &["import", "missing.jsonl"]).expect(1).err;
    assert!(err.contains("cannot read `missing.jsonl`"), "{err}");
}

#[test]
fn what_is_forgotten_is_told_first() {
    let mut old = entry("aa", "amd-zen4", &recipe(""));
    old["measurements"][0]["at"] = json!("2020-01-01T00:00:00Z");
    old["measurements"][0]["recipe"]["ns"] = json!([9_000_000]);
    old["failures"] = json!([crash()]);
    let mut new = entry("aa", "amd-zen4", &tiles());
    new["measurements"][0]["at"] = json!("9000-01-01T00:00:00Z");
    let folder = with_database(&[old, new]);
    let path = folder.path();
    let before = db(path, &["export"]).expect(0).out;
    let trial = db(path, &["prune", "--older-than", "300d", "--dry-run"]).expect(0).out;
    assert!(trial.ends_with("would go: 1 recipe, 1 measurement, 1 failure\n"), "{trial}");
    assert_eq!(db(path, &["export"]).expect(0).out, before);
    let gone = db(path, &["prune", "--keep", "1"]).expect(0).out;
    insta::assert_snapshot!("pruned", gone);
    assert_eq!(db(path, &["export"]).expect(0).out.lines().count(), 1);
    let gone = db(path, &["prune", "--machine", "amd-zen4"]).expect(0).out;
    assert!(gone.ends_with("gone: 1 recipe, 1 measurement, 0 failures\n"), "{gone}");
    let err = db(path, &["prune"]).expect(2).err;
    assert!(err.contains("nothing says what to forget"), "{err}");
    let err = db(path, &["prune", "--older-than", "soon"]).expect(2).err;
    assert!(err.contains("expected an age"), "{err}");
}

#[test]
fn recipes_that_do_not_do_are_found_and_taken_out() {
    let reversed = recipe(r#"{ "step": "reverse", "loop": "S0.2" }"#);
    let missing = recipe(r#"{ "step": "tile", "loop": "S9.1", "sizes": [8] }"#);
    let library = recipe(r#"{ "step": "schedule", "strategy": "./mine.so" }"#);
    let mut broken = entry("dd", "amd-zen4", &tiles());
    broken["program"] = json!(PROGRAM.replace("#pragma endscop", ""));
    let mut known = entry("ee", "amd-zen4", &reversed);
    known["measurements"] = json!([]);
    known["failures"] = json!([crash()]);
    let folder = with_database(&[
        entry("aa", "amd-zen4", &tiles()),
        entry("bb", "amd-zen4", &reversed),
        entry("bc", "amd-zen4", &missing),
        entry("cc", "amd-zen4", &library),
        broken,
        known,
    ]);
    let path = folder.path();
    let run = db(path, &["verify"]).expect(1);
    insta::assert_snapshot!("verify", format!("{}{}", run.err, run.out));
    assert_eq!(db(path, &["export"]).expect(0).out.lines().count(), 6, "nothing is taken out");
    db(path, &["verify", "--remove"]).expect(1);
    let run = db(path, &["verify"]).expect(0);
    assert_eq!(
        (run.out.as_str(), run.err.as_str()),
        ("1 recipe replayed, 1 known to fail left alone; 0 cannot be used, 0 damaged\n", "")
    );
    assert_eq!(db(path, &["export"]).expect(0).out.lines().count(), 2);
}

#[test]
fn files_that_are_no_database_are_refused() {
    let folder = with_database(&[entry("aa", "amd-zen4", &tiles())]);
    let path = folder.path();
    let whole = fs::read(path.join("a.db")).expect("a file");
    let mut newer = whole.clone();
    newer[63] = 99;
    let mut foreign = whole.clone();
    foreign[68..72].copy_from_slice(b"cook");
    let cases = [
        ("missing", None),
        ("empty", Some(vec![])),
        ("text", Some(b"Dear reader, ".repeat(20))),
        ("cut off", Some(whole[..whole.len() / 2].to_vec())),
        ("newer", Some(newer)),
        ("another program's", Some(foreign)),
    ];
    let mut said = String::new();
    for (what, bytes) in cases {
        match bytes {
            Some(bytes) => fs::write(path.join("a.db"), bytes).expect("written"),
            None => fs::remove_file(path.join("a.db")).expect("removed"),
        }
        for command in [&["list"][..], &["export"], &["verify"], &["prune", "--failures"]] {
            let run = db(path, command).expect(1);
            assert_eq!(run.out, "", "{what}");
            if command == ["list"] {
                said.push_str(&run.err);
            }
        }
    }
    insta::assert_snapshot!("no_database", said);
}

#[test]
fn the_users_own_database_is_in_a_folder_of_its_own() {
    let folder = folder(&[entry("aa", "amd-zen4", &tiles())]);
    let run = |args: &[&str]| {
        let mut command = command(folder.path(), &[&["db"], args].concat());
        command.env("FARKAS_DATA_DIR", folder.path().join("new/data")).output().expect("it starts")
    };
    assert_eq!(run(&["list"]).status.code(), Some(1), "there is none yet");
    assert_eq!(run(&["import", "entries.jsonl"]).status.code(), Some(0));
    assert!(folder.path().join("new/data/recipes.db").exists());
    assert_eq!(run(&["list"]).status.code(), Some(0));
}

/// The program of the tests, spelled in another way.
const AGAIN: &str = "\
void g(int rows, double X[rows][rows], double Y[rows][rows])
{
#pragma scop
    for (int c = 0; c < rows; c++)
        for (int r = 1; r <= rows; r++)
            X[r - 1][c] = X[r - 1][c] * 2.0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows - 1; c++)
            Y[r][c + 1] = 1.0 + Y[r][c];
#pragma endscop
}
";

#[test]
fn recipes_that_were_added_serve_other_spellings() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("f.c"), PROGRAM).expect("written");
    fs::write(folder.join("g.c"), AGAIN).expect("written");
    fs::write(folder.join("r.json"), tiles()).expect("written");
    let machine = ["--machine", "amd-zen4"];
    let run = |args: &[&str]| farkas_in(folder, &[args, &machine].concat());
    let add =
        ["db", "add", "f.c", "--recipe", "r.json", "--compiler", "gcc 14.2.0", "--db", "m.db"];
    let added = run(&add).expect(0);
    assert_eq!(added.out, "new: 1 recipe, 0 measurements, 0 failures\n");
    assert_eq!(run(&add).expect(0).out, "new: 0 recipes, 0 measurements, 0 failures\n");
    let own = ["db", "add", "f.c", "--compiler", "gcc 14.2.0", "--db", "m.db"];
    assert_eq!(run(&own).expect(0).out, "new: 1 recipe, 0 measurements, 0 failures\n");
    farkas_in(folder, &["db", "verify", "--db", "m.db"]).expect(0);

    let before = fs::read(folder.join("m.db")).expect("a database");
    let opt = ["opt", "g.c", "--db", "m.db", "--report", "--verbose"];
    let first = run(&opt).expect(0);
    let line = "  taken from f because its normal form is the same\n";
    assert_eq!(first.err.matches(line).count(), 2, "{}", first.err);
    let again = run(&opt).expect(0);
    let short = run(&["opt", "g.c", "--db", "m.db", "--report"]).expect(0);
    assert_eq!(short.err.matches("  taken from f\n").count(), 2, "{}", short.err);
    assert_eq!((first.out, first.err), (again.out, again.err));
    assert_eq!(fs::read(folder.join("m.db")).expect("a database"), before);
    let without = run(&["opt", "g.c", "--report"]).expect(0);
    assert!(!without.err.contains("taken from"), "{}", without.err);

    // A project says so.
    fs::write(folder.join("farkas.json"), r#"{ "project": { "db": "m.db" } }"#).expect("written");
    let project = run(&["opt", "g.c", "--report", "--verbose"]).expect(0);
    assert!(project.err.contains("farkas.json: recipes of "), "{}", project.err);
    assert_eq!(project.err.matches(line).count(), 2, "{}", project.err);
    assert_eq!(project.out, run(&opt).expect(0).out);
    let left_alone = run(&["opt", "g.c", "--report", "--no-project"]).expect(0);
    assert_eq!((left_alone.out, left_alone.err), (without.out, without.err));
    for command in [&["explain", "g.c"][..], &["show", "--ast", "g.c"]] {
        let of_project = run(command).expect(0).out;
        assert_eq!(of_project, run(&[command, &["--db", "m.db"]].concat()).expect(0).out);
    }
    run(&["opt", "g.c", "--strategy", "pluto"]).expect(0);
    farkas_in(folder, &["opt", "g.c", "--target", "cuda"]).expect(0);
    fs::write(folder.join("farkas.json"), r#"{ "project": { "base": 1 } }"#).expect("written");
    let refused = run(&["opt", "g.c"]).expect(1);
    assert!(refused.err.contains("farkas.json"), "{}", refused.err);
}

/// A complete program around a function.
fn complete(function: &str, before: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n{function}\nint main(void)\n{{\n{before}\n    int n = 300;\n    \
         double (*A)[n] = calloc(n, sizeof *A), (*B)[n] = calloc(n, sizeof *B);\n    f(n, A, B);\n    \
         printf(\"%g\\n\", A[n - 1][n - 1] + B[0][n - 1]);\n    free(A);\n    free(B);\n    return 0;\n}}\n"
    )
}

#[test]
fn recipes_are_measured_when_they_are_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("good.c"), complete(PROGRAM, "")).expect("written");
    // What recipes make is compiled with OpenMP.
    let crash = "#ifdef _OPENMP\n    abort();\n#endif";
    fs::write(folder.join("bad.c"), complete(PROGRAM, crash)).expect("written");
    fs::write(folder.join("ends.c"), complete(PROGRAM, "    abort();")).expect("written");
    fs::write(folder.join("r.json"), tiles()).expect("written");
    let add = |file: &str, database: &str| {
        let flags = ["--measure", "--runs", "2", "--threads", "1", "--recipe", "r.json"];
        farkas_in(folder, &[&["db", "add", file, "--db", database], &flags[..]].concat())
    };
    let good = add("good.c", "m.db").expect(0);
    assert_eq!(good.out, "new: 1 recipe, 1 measurement, 0 failures\n");
    let shown = farkas_in(folder, &["db", "export", "--db", "m.db"]).expect(0).out;
    let entry: Value = serde_json::from_str(&shown).expect("one line");
    let measured = &entry["measurements"][0];
    for of in ["baseline", "recipe"] {
        assert_eq!(measured[of]["threads"], 1);
        assert_eq!(measured[of]["ns"].as_array().map(Vec::len), Some(2));
    }
    assert!(measured["environment"].as_str().is_some_and(|said| said.contains("-fopenmp")));
    // The same nest, which fails: one entry, of which both is known.
    let bad = add("bad.c", "m.db").expect(0);
    assert_eq!(bad.out, "new: 0 recipes, 0 measurements, 1 failure\n");
    let shown = farkas_in(folder, &["db", "export", "--db", "m.db"]).expect(0).out;
    let entry: Value = serde_json::from_str(&shown).expect("one line");
    assert_eq!(entry["failures"][0]["kind"], "crash");
    // An original that fails is nothing to compare with.
    let ends = add("ends.c", "m.db").expect(1);
    assert!(ends.err.contains("the original program fails"), "{}", ends.err);
    assert_eq!(ends.out, "new: 0 recipes, 0 measurements, 0 failures\n");
    let both = ["db", "add", "good.c", "--measure", "--machine", "amd-zen4", "--db", "m.db"];
    farkas_in(folder, &both).expect(2);
}

#[test]
fn the_shipped_database_is_only_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("f.c"), PROGRAM).expect("written");
    let listed = farkas_in(folder, &["db", "list", "--db", "seed"]).expect(0).out;
    assert!(listed.lines().count() > 2, "{listed}");
    farkas_in(folder, &["opt", "f.c", "--db", "seed"]).expect(0);
    let add = ["db", "add", "f.c", "--compiler", "gcc 14.2.0", "--db", "seed"];
    let refused = farkas_in(folder, &add).expect(1);
    assert!(refused.err.contains("`seed` is the shipped database"), "{}", refused.err);
    farkas_in(folder, &["db", "merge", "seed", "-o", "mine.db"]).expect(0);
    let of = |db: &str| farkas_in(folder, &["db", "export", "--db", db]).expect(0).out;
    assert_eq!(of("seed"), of("mine.db"));
    // A file of that name is another thing.
    fs::copy(folder.join("mine.db"), folder.join("seed")).expect("copied");
    farkas_in(folder, &["db", "prune", "--machine", "amd-zen4", "--db", "./seed"]).expect(0);
    assert_ne!(of("seed"), of("./seed"));
}

#[test]
fn what_cannot_be_kept_alone_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let text = PROGRAM.replace("2.0 * B", "FACTOR * B");
    fs::write(folder.join("f.c"), format!("#define FACTOR 3.0\n{text}")).expect("written");
    fs::write(folder.join("g.c"), AGAIN).expect("written");
    let add = ["db", "add", "f.c", "g.c", "--compiler", "gcc 14.2.0", "--db", "m.db"];
    let refused = farkas_in(folder, &add).expect(1);
    let message = "the region of `f` cannot be kept in a database without the rest of its file";
    assert!(refused.err.contains(message), "{}", refused.err);
    assert!(refused.out.starts_with("new: 1 recipe,"), "{}", refused.out);
    let flags = ["opt", "g.c", "--strategy", "pluto", "--db", "m.db"];
    let misuse = farkas_in(folder, &flags).expect(2);
    assert!(
        misuse.err.contains("only strategy auto takes recipes of a database"),
        "{}",
        misuse.err
    );
    farkas_in(folder, &["opt", "g.c", "--db", "none.db"]).expect(1);
    assert!(!folder.join("none.db").exists());
}
