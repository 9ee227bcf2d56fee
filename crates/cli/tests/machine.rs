//! `farkas machine`, and `--machine` where sizes are chosen.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{Run, farkas_in};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the program in the repository.
fn farkas(args: &[&str]) -> Run {
    farkas_in(&root(), args)
}

#[test]
fn machines_are_described() {
    let run = farkas(&["machine", "apple-m1"]).expect(0);
    assert_eq!(run.err, "");
    assert!(run.out.contains("128 KiB in lines of 128"), "{}", run.out);
    // Whatever this machine is, and whatever it hides.
    let host = farkas(&["machine"]);
    assert_eq!((host.status, host.err.as_str()), (0, ""));
    assert!(host.out.starts_with("machine "), "{}", host.out);
}

#[test]
fn a_printed_machine_can_be_given_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mine.json");
    for name in ["host", "aws-graviton3"] {
        let printed = farkas(&["machine", name, "--json"]).out;
        fs::write(&file, &printed).expect("a file");
        let path = file.to_str().expect("a path");
        assert_eq!(farkas(&["machine", path, "--json"]).out, printed);
    }
}

#[test]
fn sizes_are_chosen_for_the_machine() {
    let opt = |machine: &str| {
        let sizes = ["--tile-sizes", "auto", "--machine", machine, "--report"];
        let opt =
            [&["opt", "kernels/gemm.c", "--strategy", "pluto", "-o", "/dev/null"], &sizes[..]]
                .concat();
        let run = farkas(&opt).expect(0);
        let lines = run.err.lines().filter(|line| line.contains("tile: tiles"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (small, large) = (opt("x86-64-v3"), opt("apple-m1"));
    assert_eq!((small.len(), large.len()), (1, 1));
    assert!(small[0].contains("for x86-64-v3") && large[0].contains("for apple-m1"));
    assert_ne!(small[0].split("for").next(), large[0].split("for").next());
}

#[test]
fn unknown_machines_are_misuse_and_bad_files_are_refused() {
    let run = farkas(&["machine", "z80"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("unknown machine `z80`: expected one of host,"), "{}", run.err);
    let run = farkas(&["opt", "kernels/gemm.c", "--machine", "z80"]);
    assert_eq!(run.status, 2, "{}", run.err);
    let run = farkas(&["machine", "missing.json"]);
    assert_eq!(run.status, 1, "{}", run.err);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bad.json");
    fs::write(&file, "{ \"machine\": { \"core\": 1 } }").expect("a file");
    let run = farkas(&["opt", "kernels/gemm.c", "--machine", file.to_str().expect("a path")]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("did you mean `cores`?"), "{}", run.err);
    let run = farkas(&["opt", "kernels/gemm.c", "--tile-sizes", "automatic"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("expected auto, or positive integers"), "{}", run.err);
}
