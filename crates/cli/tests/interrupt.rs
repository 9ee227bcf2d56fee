//! Signals end the program with all that it started, and nothing of it stays.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::command;
use tempfile::TempDir;

/// A program that tells where it is, by a file, and runs on.
const ENDLESS: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
double x[8];
int main(void) {
#pragma scop
  for (int i = 0; i < 8; i++)
    x[i] += i;
#pragma endscop
  FILE *file = fopen(getenv(\"PID_FILE\"), \"w\");
  fprintf(file, \"%d\\n\", (int)getpid());
  fclose(file);
  for (;;)
    sleep(1);
}
";

/// What is transformed on its way to the compiler.
const SUMS: &str = "\
void sums(int rows, int cols, double A[rows][cols], double *restrict x) {
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      x[j] += A[i][j];
}
";

/// A compiler that tells of itself in the same way, and waits in a process of its own.
const COMPILER: &str = "#!/bin/sh
case \" $* \" in *\" -E \"*|*\" --version \"*) exec cc \"$@\" ;; esac
sleep 1000 &
echo $! > \"$PID_FILE.new\" && mv \"$PID_FILE.new\" \"$PID_FILE\"
wait
";

/// A compiler of one process.
const LONE_COMPILER: &str = "#!/bin/sh
case \" $* \" in *\" -E \"*|*\" --version \"*) exec cc \"$@\" ;; esac
echo $$ > \"$PID_FILE.new\" && mv \"$PID_FILE.new\" \"$PID_FILE\"
exec sleep 1000
";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("tmp")).expect("a folder");
    fs::write(folder.path().join("endless.c"), ENDLESS).expect("a file");
    fs::write(folder.path().join("sums.c"), SUMS).expect("a file");
    for (name, script) in [("compiler", COMPILER), ("lone-compiler", LONE_COMPILER)] {
        let compiler = folder.path().join(name);
        fs::write(&compiler, script).expect("a script");
        let is_executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&compiler, is_executable).expect("executable");
    }
    folder
}

/// Asks until something is there; that nothing ever comes is told after a minute.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(Instant::now() < end, "there is no {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process is there, and no mere entry for who waits for it.
fn is_running(number: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.starts_with(" Z"))
}

/// The program, by `env`, so that it does not ignore what a test run in the background of a shell does.
fn started(folder: &Path, args: &[&str]) -> (Child, u32) {
    let own = command(folder, args);
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,TERM,HUP").arg(own.get_program()).args(own.get_args());
    command
        .current_dir(folder)
        .env("TMPDIR", folder.join("tmp"))
        .env("PID_FILE", folder.join("pid"))
        .env("FARKAS_CACHE_DIR", folder.join("cache"));
    let errors = fs::File::create(folder.join("errors")).expect("a file");
    let mut child = command.stdout(Stdio::null()).stderr(errors).spawn().expect("it starts");
    let number = wait_for("process", || {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            let errors = fs::read_to_string(folder.join("errors")).unwrap_or_default();
            panic!("{args:?} ended before it was told to, with {status}:\n{errors}");
        }
        fs::read_to_string(folder.join("pid")).ok()?.trim().parse().ok()
    });
    (child, number)
}

/// Sends a signal while what `args` start is running: it ends, with the program, and no file stays.
fn ends(args: &[&str], signal: &str, status: i32) {
    use std::os::unix::process::ExitStatusExt;
    let folder = folder();
    let (mut child, inner) = started(folder.path(), args);
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let ended = wait_for("end of the program", || child.try_wait().expect("it can be asked"));
    assert_eq!(ended.signal(), Some(status), "{args:?}");
    wait_for("end of what was started", || (!is_running(inner)).then_some(()));
    let left: Vec<_> = fs::read_dir(folder.path().join("tmp")).expect("a folder").collect();
    assert!(left.is_empty(), "{args:?}: {left:?}");
}

const BENCH: [&str; 6] = ["bench", "endless.c", "--strategy", "original", "--baseline", "cc -O1"];

#[test]
fn programs_that_are_measured_are_ended() {
    ends(&BENCH, "-TERM", 15);
    ends(&BENCH, "-INT", 2);
    ends(&["explore", "endless.c", "--baseline", "cc -O1"], "-HUP", 1);
    ends(&["tune", "endless.c", "--baseline", "cc -O1"], "-INT", 2);
}

#[test]
fn compilers_are_ended() {
    ends(&["bench", "endless.c", "--baseline", "./compiler"], "-TERM", 15);
    ends(&["opt", "endless.c", "--cpp", "./compiler"], "-INT", 2);
}

#[test]
fn wrapped_compilers_are_ended() {
    // The compiler is told to end; what it started is its own affair, as where nothing stands before it.
    let args = ["cc", "./lone-compiler", "-O2", "-fopenmp", "-c", "sums.c", "-o", "sums.o"];
    ends(&args, "-TERM", 15);
}

#[test]
fn what_is_ignored_stays_ignored() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_farkas");
    let script = format!(
        "trap '' INT; exec '{program}' bench endless.c --strategy original --baseline 'cc -O1' --timeout 3 --runs 1"
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder.path());
    shell.env("TMPDIR", folder.path().join("tmp")).env("PID_FILE", folder.path().join("pid"));
    let mut child = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_for("process", || fs::read_to_string(folder.path().join("pid")).ok());
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "the original ran out of time");
}
