//! `farkas tune` as a user runs it.

mod support;

use std::fs;
use std::path::Path;
use support::{farkas_in, piped};
use tempfile::TempDir;

/// A program whose nest is walked across its memory.
const TINY: &str = "\
#include <stdio.h>
double A[40][40], x[40];
int main(void) {
#pragma scop
  for (int j = 0; j < 40; j++)
    for (int i = 0; i < 40; i++)
      A[i][j] = 3 * i - j;
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      x[i] += A[i][j];
#pragma endscop
  for (int i = 0; i < 40; i++)
    printf(\"%g\\n\", x[i]);
  return 0;
}
";

/// An evaluator that makes times up from the text of candidates, and misbehaves as it is told; it notes what it was asked.
const EVALUATOR: &str = r#"
import json, os, sys, zlib
mode, log = sys.argv[1], sys.argv[2]
is_first = not os.path.exists(log)
def say(message):
    print(json.dumps(message), flush=True)
def answer(job, id):
    ns = lambda text: [1000 + zlib.crc32(text.encode()) % 1000] * job["rounds"]
    results = [{"ns": ns(text)} for text in job["candidates"]]
    if mode == "failures" and len(results) == 1 and zlib.crc32(job["candidates"][0].encode()) % 2:
        results = [{"failure": "time-out", "text": "slow"}]
    return {"message": "answer", "id": id, "machine": "toy", "compiler": "none 1",
            "original_ns": [5000] * job["rounds"], "candidates": results}
n = 0
for line in sys.stdin:
    job = json.loads(line)
    if job["message"] == "hello":
        say({"message": "ready", "protocol": 2 if mode == "newer" else 1, "slots": 2})
        continue
    n += 1
    with open(log, "a") as file:
        file.write(json.dumps(job) + "\n")
    is_turn = is_first and n == 3
    if mode == "dies" or mode == "dies-once" and is_turn:
        os._exit(9)
    if mode == "garbage" and is_turn:
        print('{"message": "answer", "id": ', flush=True)
    if mode == "misfit" and is_turn:
        say({**answer(job, job["id"]), "original_ns": []})
    if mode == "error" or mode == "error-once" and is_turn:
        say({"message": "error", "id": job["id"], "text": "no compiler here"})
        continue
    if mode == "unknown":
        say(answer(job, "x"))
    say(answer(job, job["id"]))
    if mode == "double":
        say(answer(job, job["id"]))
"#;

/// Few candidates, quickly.
const QUICK: [&str; 14] = [
    "tune",
    "tiny.c",
    "-o",
    "best.json",
    "--candidates",
    "8",
    "--population",
    "3",
    "--runs",
    "2",
    "--threads",
    "1",
    "--baseline",
    "gcc -O1",
];

fn tiny() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("tiny.c"), TINY).expect("a file");
    fs::write(folder.path().join("evaluator.py"), EVALUATOR).expect("a file");
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a file that was written")
}

/// A search with the evaluator in a mode: its messages, where it has this status.
fn searched(folder: &Path, mode: &str, status: i32) -> String {
    let evaluator = format!("python3 evaluator.py {mode} log.jsonl");
    farkas_in(folder, &[&QUICK[..], &["--evaluator", &evaluator]].concat()).expect(status).err
}

/// The texts of all candidates that the evaluator was asked about, one list a job.
fn asked(folder: &Path) -> Vec<serde_json::Value> {
    let log = read(folder, "log.jsonl");
    log.lines().map(|line| serde_json::from_str(line).expect("a job")).collect()
}

/// The recipe gives a program that the evaluator ran.
fn gives_what_was_measured(folder: &Path) {
    let code = farkas_in(folder, &["opt", "tiny.c", "--recipe", "best.json"]).expect(0).out;
    let jobs = asked(folder);
    let mut texts = jobs.iter().flat_map(|job| job["candidates"].as_array().expect("a list"));
    assert!(texts.any(|text| *text == code), "nobody measured this:\n{code}");
}

#[test]
fn the_best_is_written_and_the_database_hears_of_all() {
    let folder = tiny();
    let flags = [&QUICK[..], &["--db", "recipes.db"]].concat();
    let run = farkas_in(folder.path(), &flags).expect(0);
    assert_eq!(run.out, "");
    assert!(run.err.contains("last runs") && run.err.contains("best: "), "{}", run.err);
    let best = read(folder.path(), "best.json");
    farkas_in(folder.path(), &["opt", "tiny.c", "--recipe", "best.json"]).expect(0);
    let export = ["db", "export", "--db", "recipes.db"];
    let entries = farkas_in(folder.path(), &export).expect(0).out;
    assert!(entries.lines().count() >= 3, "{entries}");
    assert!(entries.lines().all(|line| line.contains("\"origins\":[\"tune\"]")), "{entries}");
    farkas_in(folder.path(), &["db", "verify", "--db", "recipes.db"]).expect(0);

    // What was measured is not measured again, and the database hears nothing new.
    let journal = read(folder.path(), "best.json.journal");
    let again = farkas_in(folder.path(), &flags).expect(0);
    assert!(again.err.contains("are from the journal"), "{}", again.err);
    assert_eq!(read(folder.path(), "best.json"), best);
    assert_eq!(read(folder.path(), "best.json.journal"), journal);
    assert_eq!(farkas_in(folder.path(), &export).expect(0).out, entries);
}

/// A nest like that of the tiny program, with other names, loops and operations.
const ALIKE: &str = "\
void alike(double B[50][50], double y[50]) {
#pragma scop
  for (int p = 0; p < 50; p++)
    for (int q = 0; q < 50; q++)
      B[q][p] = p * q - 2;
  for (int p = 0; p < 50; p++)
    for (int q = 0; q < 50; q++)
      y[p] -= B[p][q];
#pragma endscop
}
";

#[test]
fn recipes_of_nests_that_are_near_are_tried() {
    let folder = tiny();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect(name);
    write("alike.c", ALIKE);
    write(
        "r.json",
        r#"{"recipe": {"steps": [{"step": "interchange", "loops": ["S0.2", "S0.1"]}]}}"#,
    );
    let add = ["db", "add", "alike.c", "--recipe", "r.json", "--db", "recipes.db"];
    farkas_in(folder.path(), &add).expect(0);
    farkas_in(folder.path(), &[&QUICK[..], &["--db", "recipes.db"]].concat()).expect(0);
    let journal = read(folder.path(), "best.json.journal");
    let header: serde_json::Value =
        serde_json::from_str(journal.lines().next().expect("a line")).expect("JSON");
    let neighbour = &header["neighbours"][0];
    let origin = neighbour["origin"].as_str().expect("a text");
    assert!(origin.starts_with("database, alike (distance "), "{origin}");
    write("near.json", neighbour["recipe"].as_str().expect("a text"));
    let code = farkas_in(folder.path(), &["opt", "tiny.c", "--recipe", "near.json"]).expect(0).out;
    let by_rows = code.find("A[i][j] = ").expect("a statement");
    assert!(code[..by_rows].contains("for (int i = 0; i < 40; i++)\n    for (int j = 0"), "{code}");
}

#[test]
fn commands_evaluate() {
    let folder = tiny();
    let err = searched(folder.path(), "good", 0);
    assert!(!err.contains("warning"), "{err}");
    gives_what_was_measured(folder.path());
    let jobs = asked(folder.path());
    assert_eq!(jobs[0]["setup"]["compiler"], "gcc -O1");
    assert_eq!(jobs[0]["setup"]["original"], TINY);
}

#[test]
fn nothing_is_lost_when_the_command_misbehaves() {
    let folder = tiny();
    searched(folder.path(), "good", 0);
    let best = read(folder.path(), "best.json");
    let trouble = [
        ("dies-once", "it ended before it had answered"),
        ("garbage", "a line is no message"),
        ("misfit", "does not fit it"),
        ("error-once", "a job is handed out again: no compiler here"),
        ("unknown", "answers job x, which it does not have"),
        ("double", "which it does not have"),
    ];
    for (mode, told) in trouble {
        let folder = tiny();
        let err = searched(folder.path(), mode, 0);
        assert!(err.contains(told), "{mode}: {err}");
        assert_eq!(read(folder.path(), "best.json"), best, "{mode}");
        gives_what_was_measured(folder.path());
    }
}

#[test]
fn failures_are_no_scores() {
    let folder = tiny();
    let err = searched(folder.path(), "failures", 0);
    assert!(!err.contains(" 0 of which failed"), "{err}");
}

#[test]
fn commands_that_never_answer_end_the_search() {
    for (mode, told) in [
        ("dies", "failed 3 times without an answer: it ended before it had answered"),
        ("error", "a job failed 3 times: no compiler here"),
        ("newer", "it speaks protocol 2, and not 1"),
    ] {
        let folder = tiny();
        let err = searched(folder.path(), mode, 1);
        assert!(err.contains(told), "{mode}: {err}");
        assert!(!folder.path().join("best.json").exists());
        // The journal is as good as ever.
        searched(folder.path(), "good", 0);
    }
    let folder = tiny();
    let none = [&QUICK[..], &["--evaluator", "./no-such-command"]].concat();
    let err = farkas_in(folder.path(), &none).expect(1).err;
    assert!(err.contains("`./no-such-command` cannot be started"), "{err}");
}

#[test]
fn searches_go_on_from_journals_that_were_cut_off() {
    let folder = tiny();
    searched(folder.path(), "good", 0);
    let (best, journal) =
        (read(folder.path(), "best.json"), read(folder.path(), "best.json.journal"));
    let n_jobs = asked(folder.path()).len();
    // In the middle of the first line, of the third, and behind the fourth.
    let ends: Vec<usize> = journal.match_indices('\n').map(|(at, _)| at).collect();
    for cut in [10, ends[1] + 20, ends[3] + 1] {
        fs::write(folder.path().join("best.json.journal"), &journal[..cut]).expect("a file");
        fs::remove_file(folder.path().join("log.jsonl")).expect("it is there");
        searched(folder.path(), "good", 0);
        assert_eq!(read(folder.path(), "best.json"), best);
        let n_known = journal[..cut].matches('\n').count().saturating_sub(1);
        assert_eq!(asked(folder.path()).len(), n_jobs - n_known);
    }
}

#[test]
fn journals_of_others_are_refused() {
    let folder = tiny();
    searched(folder.path(), "good", 0);
    fs::write(folder.path().join("tiny.c"), TINY.replace("3 * i", "4 * i")).expect("a file");
    let err = searched(folder.path(), "good", 1);
    assert!(err.contains("it is of another program"), "{err}");
    fs::write(folder.path().join("best.json.journal"), "a poem\n").expect("a file");
    let err = searched(folder.path(), "good", 1);
    assert!(err.contains("it is no journal"), "{err}");
    assert_eq!(read(folder.path(), "best.json.journal"), "a poem\n");
}

#[test]
fn this_program_is_an_evaluator() {
    let folder = tiny();
    let program = env!("CARGO_BIN_EXE_farkas");
    let evaluator = format!("'{program}' evaluate");
    let flags = ["tune", "tiny.c", "-o", "best.json", "--candidates", "2", "--runs", "1"];
    let more = ["--baseline", "gcc -O1", "--threads", "1", "--evaluator", &evaluator];
    farkas_in(folder.path(), &[&flags[..], &more].concat()).expect(0);
    assert!(read(folder.path(), "best.json.journal").contains("\"compiler\":\"gcc"));

    let run =
        piped(folder.path(), &["evaluate"], "{\"message\":\"hello\",\"protocol\":1}\n").expect(0);
    assert_eq!(run.out, "{\"message\":\"ready\",\"protocol\":1,\"slots\":1}\n");
    for line in ["{\"message\":\"hello\",\"protocol\":9}\n", "no job\n", "{\"message\":\"job\"}\n"]
    {
        piped(folder.path(), &["evaluate"], line).expect(1);
    }
}

#[test]
fn misuse_is_told() {
    let folder = tiny();
    farkas_in(folder.path(), &["tune", "tiny.scop"]).expect(2);
    farkas_in(folder.path(), &["tune", "tiny.c", "--region", "other"]).expect(2);
    farkas_in(folder.path(), &["tune", "tiny.c", "--time", "soon"]).expect(2);
    let one = ["opt", "tiny.c", "--region", "main:1"];
    assert!(farkas_in(folder.path(), &one).expect(0).out.contains("farkas: "));
    farkas_in(folder.path(), &["opt", "tiny.c", "--region", "main:2"]).expect(2);
}
