//! Files whose lines end in other ways, or whose bytes are not all UTF-8: outside of regions every byte stays.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use support::farkas_in;

/// Before the region: comments and a string in Latin-1, one with UTF-8 beside it.
const BEFORE: &[u8] = b"/* caf\xe9 \xc3\xa9 */\n#include <stdio.h>\n#define SUM(a, b) \\\n  ((a) + (b)) // \xfc\nstatic double A[500][500], x[500]; /* \x93quoted\x94 */\nstatic void f(int n) {\n";

/// The region.
const REGION: &[u8] = b"#pragma scop // gr\xfc\xdfe\n  for (int j = 0; j < n; j++) /* \xe4 */\n    for (int i = 0; i < n; i++)\n      A[i][j] = SUM(x[i], \\\n        x[j]) + 1; // \xe9\n#pragma endscop\n";

/// After the region.
const AFTER: &[u8] = b"}\n\nint main(void) {\n  f(500); /* \xee\xbe\x80 \xee */\n  printf(\"caf\xe9 %g\\n\", A[1][2]);\n  return 0;\n}";

/// The bytes with other ends of lines.
fn with_endings(bytes: &[u8], ending: &[u8]) -> Vec<u8> {
    bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(ending)
}

/// What the program that gcc makes of a file prints.
fn printed(folder: &Path, file: &str) -> Vec<u8> {
    let gcc = Command::new("gcc").current_dir(folder).args(["-w", file, "-o", "program"]).status();
    assert!(gcc.expect("gcc").success(), "{file}");
    Command::new(folder.join("program")).output().expect("a program that runs").stdout
}

#[test]
fn what_is_outside_of_regions_stays_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let endings: [&[u8]; 2] = [b"\n", b"\r\n"];
    for (inside, outside) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
        for mark in ["", "\u{feff}"] {
            let before = [mark.as_bytes(), &with_endings(BEFORE, endings[outside])].concat();
            let region = with_endings(REGION, endings[inside]);
            let after = with_endings(AFTER, endings[outside]);
            let whole = [&*before, &*region, &*after].concat();
            fs::write(folder.path().join("in.c"), whole).expect("a file");
            for flags in [&[][..], &["--auto"], &["--cpp", "clang"]] {
                let args = [&["opt", "--strategy", "pluto", "in.c", "-o", "out.c"], flags].concat();
                let run = farkas_in(folder.path(), &args).expect(0);
                let out = fs::read(folder.path().join("out.c")).expect("a result");
                let case = format!("{inside} {outside} {flags:?} {}", run.err);
                assert!(out.starts_with(&before), "{case}");
                let new = out[before.len()..].strip_suffix(&*after);
                let new = String::from_utf8_lossy(new.unwrap_or_else(|| panic!("{case}")));
                assert!(new.contains("#pragma omp parallel for"), "{case}: {new}");
                let n_crlf = if inside == 1 { new.matches('\n').count() } else { 0 };
                assert_eq!(new.matches('\r').count(), n_crlf, "{case}: {new:?}");
                assert_eq!(new.matches("\r\n").count(), n_crlf, "{case}: {new:?}");
            }
            assert_eq!(printed(folder.path(), "out.c"), printed(folder.path(), "in.c"));
            let args = ["opt", "--auto", "--strategy", "pluto", "in.c", "-o", "-"];
            let streamed = command_output(folder.path(), &args);
            assert_eq!(streamed, fs::read(folder.path().join("out.c")).expect("a result"));
        }
    }
}

/// The bytes that a run of the program prints.
fn command_output(folder: &Path, args: &[&str]) -> Vec<u8> {
    support::command(folder, args).output().expect("the program runs").stdout
}

#[test]
fn the_compiler_gets_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let whole = [b"\xef\xbb\xbf", BEFORE, REGION, AFTER].concat();
    fs::write(folder.path().join("in.c"), with_endings(&whole, b"\r\n")).expect("a file");
    let cache = folder.path().join("cache");
    let args = ["cc", "-v", "gcc", "-O2", "-w", "in.c", "-o", "program"];
    for _ in ["made", "found again"] {
        let mut command = support::command(folder.path(), &args);
        let output = command.env("FARKAS_CACHE_DIR", &cache).output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("1 of 1 regions"), "{said}");
        let run = Command::new(folder.path().join("program")).output().expect("it runs");
        assert!(run.stdout.starts_with(b"caf\xe9 "), "{:?}", run.stdout);
    }
}

#[test]
fn places_count_characters_and_bytes_of_the_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = b"\xef\xbb\xbfvoid f(int n, double A[n]) {\r\n#pragma scop\r\n  /* \xe9\xe9 */ for (int i = 0; i < n; i++) /* \xfc */ A[i] = nowhere;\r\n#pragma endscop\r\n}\r\n";
    fs::write(folder.path().join("a.c"), text).expect("a file");
    let first =
        b"\xef\xbb\xbfvoid f(double *A) { _Pragma(\"scop\") A[0] = no; _Pragma(\"endscop\") }\r\n";
    fs::write(folder.path().join("b.c"), first).expect("a file");
    let run = farkas_in(folder.path(), &["opt", "b.c", "-o", "out.c"]).expect(1);
    assert!(run.err.contains("--> b.c:1:44\n"), "{}", run.err);
    let run = farkas_in(folder.path(), &["opt", "a.c", "-o", "out.c"]).expect(1);
    assert!(run.err.contains("--> a.c:3:55\n"), "{}", run.err);
    let line = "/* éé */ for (int i = 0; i < n; i++) /* ü */ A[i] = nowhere;\n";
    assert!(run.err.contains(line), "{}", run.err);
    let args = ["--message-format", "json", "opt", "a.c", "-o", "out.c"];
    let run = farkas_in(folder.path(), &args).expect(1);
    let start = text.windows(7).position(|word| word == b"nowhere").expect("the name");
    let message = run.err.lines().find(|line| line.contains("nowhere")).unwrap_or_default();
    let message: serde_json::Value = serde_json::from_str(message).expect("JSON");
    assert_eq!(message["primary"]["start"], start);
    assert_eq!(message["primary"]["column"], 55);
}
