//! Running programs under a time limit.

use crate::{Error, Executable, Running};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How a program is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunOptions {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Environment variables set over those of this process, such as `OMP_NUM_THREADS`.
    pub environment: Vec<(String, String)>,
    /// The folder it runs in; that of this process when `None`.
    pub folder: Option<PathBuf>,
    /// It is killed when it takes longer.
    pub time_limit: Duration,
    /// Its output is cut off after this many bytes a stream, which ends a program that writes on.
    pub output_limit_bytes: u64,
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// It returned this status.
    Code(i32),
    /// A signal ended it: 11 for a bad memory access.
    Signal(i32),
    /// It was killed at the time limit.
    TimedOut,
}

/// What a program did.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output; bytes that are not UTF-8 are written as `\xff`.
    pub stdout: String,
    /// Its error stream, in the same way.
    pub stderr: String,
    /// The time from its start to its end.
    pub wall: Duration,
}

impl Default for RunOptions {
    /// No arguments, one minute, at most 256 MiB a stream.
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: None,
            time_limit: Duration::from_secs(60),
            output_limit_bytes: 256 << 20,
        }
    }
}

impl RunOptions {
    /// With OpenMP's threads bound to cores, unless the environment says what to do with them: left alone, two threads may
    /// share a core at first, and short loops then take many times as long in some runs.
    #[must_use]
    pub fn bound(mut self) -> Self {
        const BIND: &str = "OMP_PROC_BIND";
        let is_set = self.environment.iter().any(|(name, _)| name == BIND);
        if !is_set && std::env::var_os(BIND).is_none() {
            self.environment.push((BIND.into(), "true".into()));
        }
        self
    }

    /// With `OMP_NUM_THREADS` set to `threads`.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.environment.retain(|(name, _)| name != "OMP_NUM_THREADS");
        self.environment.push(("OMP_NUM_THREADS".into(), threads.to_string()));
        self
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit status {code}"),
            Self::Signal(8) => f.write_str("signal 8 (arithmetic exception)"),
            Self::Signal(11) => f.write_str("signal 11 (bad memory access)"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::TimedOut => f.write_str("time limit"),
        }
    }
}

impl Output {
    /// The seconds of the last line `time_s X` of the error stream, if the program times itself.
    pub fn reported_seconds(&self) -> Option<f64> {
        let times = self.stderr.lines().rev().filter_map(|line| line.strip_prefix("time_s "));
        times.filter_map(|rest| rest.trim().parse().ok()).next()
    }
}

impl Executable {
    /// Runs the program.
    ///
    /// # Errors
    /// [`Error::NotStarted`]; whatever happens after the start is an [`Exit`].
    pub fn run(&self, options: &RunOptions) -> Result<Output, Error> {
        let mut command = Command::new(self.path());
        command.args(&options.arguments);
        run_command(command, options)
    }
}

/// Runs `command` with the environment, folder and limits of `options`; its arguments are those it already has.
///
/// # Errors
/// [`Error::NotStarted`].
pub fn run_command(mut command: Command, options: &RunOptions) -> Result<Output, Error> {
    command.envs(options.environment.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = &options.folder {
        command.current_dir(folder);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = Running::spawn(&mut command).map_err(|error| Error::NotStarted {
        program: command.get_program().to_string_lossy().into_owned(),
        reason: error.to_string(),
    })?;
    let deadline = start + options.time_limit;
    let stdout = collect(child.stdout.take(), options.output_limit_bytes);
    let stderr = collect(child.stderr.take(), options.output_limit_bytes);
    let (stdout, stdout_ended) = received(&stdout, deadline);
    let (stderr, stderr_ended) = received(&stderr, deadline);
    let exit = match (stdout_ended && stderr_ended).then(|| wait_until(&mut child, deadline)) {
        Some(exit) => exit?,
        None => None,
    };
    let wall = start.elapsed();
    let exit = match exit {
        Some(exit) => exit,
        None => {
            child.end()?;
            Exit::TimedOut
        }
    };
    Ok(Output { exit, stdout, stderr, wall })
}

/// Reads a stream to its end on a thread of its own. What was read arrives in one piece.
fn collect(stream: Option<impl Read + Send + 'static>, limit_bytes: u64) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // A stream that breaks off counts as ended there.
            let _ = stream.take(limit_bytes).read_to_end(&mut bytes);
        }
        let _ = sender.send(text_of(&bytes));
    });
    receiver
}

/// Bytes as text, in which different bytes stay different.
fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text
}

/// The text of a stream, and whether it ended before `deadline`.
fn received(stream: &Receiver<String>, deadline: Instant) -> (String, bool) {
    match stream.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(text) => (text, true),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => (String::new(), false),
    }
}

/// How the child, whose streams have ended, ends; `None` when it does not before `deadline`. A program that closes its
/// streams is about to end, so the pauses start short.
fn wait_until(child: &mut Child, deadline: Instant) -> Result<Option<Exit>, Error> {
    use std::os::unix::process::ExitStatusExt;
    let mut pause = Duration::from_micros(20);
    loop {
        if let Some(status) = child.try_wait()? {
            let signal = Exit::Signal(status.signal().unwrap_or(0));
            return Ok(Some(status.code().map_or(signal, Exit::Code)));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, options: &RunOptions) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run_command(command, options).expect("a shell")
    }

    #[test]
    fn streams_status_and_environment() {
        let options = RunOptions::default().threads(3);
        let output = shell("echo out $OMP_NUM_THREADS; echo time_s 0.25 >&2; exit 4", &options);
        assert_eq!((output.exit, output.stdout.as_str()), (Exit::Code(4), "out 3\n"));
        assert_eq!(output.reported_seconds(), Some(0.25));
        assert_eq!(shell("kill -8 $$", &options).exit, Exit::Signal(8));
        let output = shell("printf 'a\\377\\376b'", &options);
        assert_eq!(output.stdout, "a\\xff\\xfeb");
    }

    #[test]
    fn threads_are_bound_where_nothing_else_is_asked_for() {
        let asked = vec![("OMP_PROC_BIND".to_owned(), "false".to_owned())];
        let options = RunOptions { environment: asked.clone(), ..RunOptions::default() };
        assert_eq!(options.bound().environment, asked);
        let output = shell("echo $OMP_PROC_BIND", &RunOptions::default().bound());
        let set = std::env::var("OMP_PROC_BIND").unwrap_or_else(|_| "true".into());
        assert_eq!(output.stdout.trim(), set);
    }

    #[test]
    fn the_limits_end_a_program() {
        let short = RunOptions { time_limit: Duration::from_millis(100), ..RunOptions::default() };
        let output = shell("exec sleep 20", &short);
        assert_eq!(output.exit, Exit::TimedOut);
        assert!(output.wall < Duration::from_secs(10));
        let small = RunOptions { output_limit_bytes: 10, ..RunOptions::default() };
        let output = shell("exec yes", &small);
        assert_eq!((output.exit, output.stdout.len()), (Exit::Signal(13), 10));
    }
}
