//! Running the built program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run came to.
#[allow(dead_code, reason = "each test uses its part")]
pub(crate) struct Run {
    /// The exit status.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

#[allow(dead_code, reason = "each test uses its part")]
impl Run {
    /// The status is `status` and nothing panicked; then the run itself.
    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }
}

/// The program with `args`, run in `folder`.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_farkas"));
    command.args(args).current_dir(folder).env_remove("FARKAS_CPP");
    command
}

/// Runs the program with `args` in `folder`.
#[allow(dead_code, reason = "each test uses its part")]
pub(crate) fn farkas_in(folder: &Path, args: &[&str]) -> Run {
    let Output { status, stdout, stderr } =
        command(folder, args).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Run { status: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
}

/// Runs the program with `input` as standard input.
#[allow(dead_code, reason = "each test uses its part")]
pub(crate) fn piped(folder: &Path, args: &[&str], input: &str) -> Run {
    let mut child = command(folder, args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("the program reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Run {
        status: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}
