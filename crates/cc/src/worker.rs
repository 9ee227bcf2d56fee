//! The process that transforms a file: whatever happens to it, the build goes on.

use crate::job::{Answer, Job};
use crate::work::work;
use farkas_run::Running;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::{Builder, spawn};
use std::time::Duration;

/// How long it may take. Work is counted, so that files usually take a small part of it.
const LIMIT: Duration = Duration::from_secs(60);

/// The stack for transforming a file, which is only touched as far as it is used: nests may be deep.
const STACK_BYTES: usize = 64 << 20;

/// Asks a process started by `command`; else what became of it.
///
/// # Errors
/// In words: it could not be started, crashed, took too long, or gave no answer.
pub(crate) fn ask(command: &[OsString], job: &Job) -> Result<Answer, String> {
    let (program, arguments) = command.split_first().ok_or("there is no program to ask")?;
    let mut command = Command::new(program);
    command.args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running::spawn_here(&mut command)
        .map_err(|error| format!("it could not be started: {error}"))?;
    let text = serde_json::to_vec(job).map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        // A process that ends early is told of below.
        let _ = stdin.write_all(&text);
    }
    let Some(printed) = everything(&mut child) else {
        let _ = child.end();
        return Err(format!("it took longer than {} seconds", LIMIT.as_secs()));
    };
    let status = child.wait().map_err(|error| error.to_string())?;
    if !status.success() {
        let said = String::from_utf8_lossy(&printed.1);
        let said =
            said.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing").to_owned();
        return Err(format!("it ended with {status}; it said: {said}"));
    }
    serde_json::from_slice(&printed.0).map_err(|error| format!("it gave no answer: {error}"))
}

/// What a process prints on both streams; nothing where it takes too long.
fn everything(child: &mut Child) -> Option<(Vec<u8>, Vec<u8>)> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (to_us, from_it) = channel();
    spawn(move || {
        let messages = spawn(move || all_of(stderr));
        let answer = all_of(stdout);
        // Nobody waits any more for one that took too long.
        let _ = to_us.send((answer, messages.join().unwrap_or_default()));
    });
    from_it.recv_timeout(LIMIT).ok()
}

/// All that comes through a pipe.
fn all_of(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

/// What such a process does: it reads a job and prints the answer.
///
/// # Errors
/// In words, what is wrong with the job or its streams.
pub fn answer(input: &mut impl Read, output: &mut impl Write) -> Result<(), String> {
    // Read first: text that comes piece by piece is parsed byte by byte.
    let mut text = Vec::new();
    input.read_to_end(&mut text).map_err(|error| error.to_string())?;
    let job: Job = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    let thread = Builder::new().stack_size(STACK_BYTES).spawn(move || work(&job));
    let done = thread.map_err(|error| error.to_string())?.join();
    let answer = done.map_err(|_| "the transformation panicked".to_owned())?;
    serde_json::to_writer(&mut *output, &answer).map_err(|error| error.to_string())?;
    output.flush().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(script: &str) -> Result<Answer, String> {
        let job = Job {
            name: "a.c".into(),
            text: "int x;".repeat(100_000),
            preprocessed: String::new(),
            machine: "host".into(),
            threads: false,
            deterministic: false,
            strict_aliasing: true,
            effort: 1,
            growth: "3x".into(),
            db: None,
        };
        let command = ["sh", "-c", script].map(OsString::from);
        ask(&command, &job)
    }

    #[test]
    fn whatever_happens_to_it_is_told() {
        assert!(asked("cat >/dev/null; kill -SEGV $$").is_err_and(|said| said.contains("signal")));
        assert!(asked("echo oh dear >&2; exit 1").is_err_and(|said| said.contains("oh dear")));
        assert!(asked("cat >/dev/null").is_err_and(|said| said.contains("no answer")));
        let answer = r#"{"text":null,"summary":"s","bugs":[]}"#;
        let given = asked(&format!("cat >/dev/null; echo '{answer}'"));
        assert_eq!(given.map(|answer| answer.summary), Ok("s".to_owned()));
    }

    #[test]
    fn a_job_is_answered() {
        let job = serde_json::json!({
            "name": "a.c", "text": "int x;", "preprocessed": "", "machine": "host", "threads": false, "deterministic": false, "strict_aliasing": true, "effort": 1
        });
        let (text, mut printed) = (job.to_string(), Vec::new());
        answer(&mut text.as_bytes(), &mut printed).expect("answered");
        let answer: Answer = serde_json::from_slice(&printed).expect("an answer");
        assert_eq!(answer.text, None);
        assert!(answer_of("{").is_err());
    }

    fn answer_of(text: &str) -> Result<(), String> {
        answer(&mut text.as_bytes(), &mut Vec::new())
    }
}
