//! Programs run by a command: jobs go to its standard input, answers come from its standard output.

use super::TuneError;
use super::protocol::{PROTOCOL, Reply, Request, line};
use super::setup::Setup;
use farkas_run::{Running, shell_words};
use farkas_tune::evolve::{Answer, Evaluator, Job};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// So many times in a row a command may end without an answer.
const MAX_ENDS: usize = 3;
/// How long it may take to end when there is nothing to do any more.
const GRACE: Duration = Duration::from_secs(2);
/// So many times a job may be answered by an error.
const MAX_ERRORS: usize = 3;

/// A command that evaluates. It is started when there is something to do, and again when it ends before it has answered.
pub(super) struct Remote<'a> {
    words: Vec<String>,
    setup: Setup,
    /// What is told to people: why it was started again.
    warn: &'a dyn Fn(&str),
    engine: Option<Engine>,
    /// How often it ended since the last answer.
    ends: usize,
    /// Jobs that were handed out: the next one's name.
    n_jobs: usize,
}

/// The command while it runs.
struct Engine {
    process: Running,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    slots: usize,
}

/// Jobs and who has them, each by its position.
struct Board {
    waiting: VecDeque<usize>,
    /// By name.
    out: BTreeMap<String, usize>,
    is_done: Vec<bool>,
    errors: Vec<usize>,
}

/// What became of a line.
enum Heard {
    /// It was an answer to a job.
    Answer(usize, Answer),
    /// There is nothing to do.
    Nothing,
    /// It is none of the protocol.
    Broken(String),
}

impl<'a> Remote<'a> {
    /// A command as a shell reads it; `warn` hears when it is started again.
    pub(super) fn new(
        command: &str,
        setup: &Setup,
        warn: &'a dyn Fn(&str),
    ) -> Result<Self, TuneError> {
        let words = shell_words(command)?;
        if words.is_empty() {
            return Err(TuneError::evaluator("the command of the evaluator is empty"));
        }
        Ok(Self { words, setup: setup.clone(), warn, engine: None, ends: 0, n_jobs: 0 })
    }

    /// Starts the command and says hello.
    fn start(&self) -> Result<Engine, String> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let cannot = |error| format!("`{}` cannot be started: {error}", self.words[0]);
        let mut process = Running::spawn(&mut command).map_err(cannot)?;
        let (sender, lines) = channel();
        if let Some(stdout) = process.stdout.take() {
            spawn(move || {
                // A stream that breaks off, or is no text, ends there: then the command counts as ended.
                let lines = BufReader::new(stdout).lines().map_while(Result::ok);
                lines.map(|line| sender.send(line)).find(Result::is_err)
            });
        }
        let mut engine = Engine { stdin: process.stdin.take(), process, lines, slots: 1 };
        engine.say(&Request::Hello { protocol: PROTOCOL });
        let first = engine.lines.recv().map_err(|_| "it ended before it was ready")?;
        match serde_json::from_str(&first) {
            Ok(Reply::Ready { protocol: PROTOCOL, slots: slots @ 1.. }) => {
                engine.slots = slots;
                Ok(engine)
            }
            Ok(Reply::Ready { protocol, .. }) if protocol != PROTOCOL => {
                Err(format!("it speaks protocol {protocol}, and not {PROTOCOL}"))
            }
            _ => Err(format!("its first line is no `ready`: {}", shortened(&first))),
        }
    }

    /// Sees to it that the command runs.
    fn ensure(&mut self) -> Result<(), TuneError> {
        while self.engine.is_none() {
            match self.start() {
                Ok(engine) => self.engine = Some(engine),
                Err(reason) => self.ended(&reason)?,
            }
        }
        Ok(())
    }

    /// Notes that the command ended, or must be ended; an error where that happens again and again.
    fn ended(&mut self, why: &str) -> Result<(), TuneError> {
        self.engine = None;
        self.ends += 1;
        if self.ends >= MAX_ENDS {
            let reason = format!("the evaluator failed {MAX_ENDS} times without an answer: {why}");
            return Err(TuneError::evaluator(reason));
        }
        (self.warn)(&format!("the evaluator is started again: {why}"));
        Ok(())
    }

    /// Hands jobs out as long as the command takes more.
    fn hand_out(&mut self, jobs: &[Job], board: &mut Board) {
        let Some(engine) = &mut self.engine else { return };
        while board.out.len() < engine.slots {
            let Some(at) = board.waiting.pop_front() else { return };
            self.n_jobs += 1;
            let id = self.n_jobs.to_string();
            engine.say(&Request::job(id.clone(), &self.setup, &jobs[at]));
            board.out.insert(id, at);
        }
    }

    /// What a line says.
    fn read(&self, text: &str, jobs: &[Job], board: &mut Board) -> Result<Heard, TuneError> {
        if text.trim().is_empty() {
            return Ok(Heard::Nothing);
        }
        let broken = |what: String| Ok(Heard::Broken(what));
        match serde_json::from_str(text) {
            Ok(Reply::Answer { id, machine, compiler, original_ns, candidates }) => {
                let Some(at) = board.out.remove(&id) else { return Ok(self.unknown(&id)) };
                let results = candidates.into_iter().map(Into::into).collect();
                let answer = Answer { machine, compiler, original_ns, results };
                if !answer.fits(&jobs[at]) {
                    board.waiting.push_front(at);
                    return broken(format!("the answer to job {id} does not fit it"));
                }
                board.is_done[at] = true;
                Ok(Heard::Answer(at, answer))
            }
            Ok(Reply::Error { id, text }) => {
                let Some(at) = board.out.remove(&id) else { return Ok(self.unknown(&id)) };
                board.errors[at] += 1;
                if board.errors[at] >= MAX_ERRORS {
                    return Err(TuneError::evaluator(format!(
                        "a job failed {MAX_ERRORS} times: {text}"
                    )));
                }
                (self.warn)(&format!("a job is handed out again: {text}"));
                board.waiting.push_back(at);
                Ok(Heard::Nothing)
            }
            Ok(Reply::Ready { .. }) => broken("it says twice that it is ready".into()),
            Err(error) => broken(format!("a line is no message ({error}): {}", shortened(text))),
        }
    }

    /// What is said of a job that nobody has: it was answered twice, or is none of ours.
    fn unknown(&self, id: &str) -> Heard {
        (self.warn)(&format!(
            "the evaluator answers job {}, which it does not have",
            shortened(id)
        ));
        Heard::Nothing
    }
}

/// The beginning of a text that others wrote.
fn shortened(text: &str) -> String {
    let printable = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().take(80).map(printable).collect()
}

impl Engine {
    /// Writes a message. That nobody reads it is noticed where nothing comes back.
    fn say(&mut self, message: &Request) {
        if let Some(stdin) = &mut self.stdin {
            let text = line(message);
            let _ = stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
        }
    }
}

impl Drop for Engine {
    /// A command that has nothing to do any more ends by itself, or else is ended with all that it started.
    fn drop(&mut self) {
        self.stdin = None;
        let last = Instant::now() + GRACE;
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < last {
            sleep(Duration::from_millis(10));
        }
        let _ = self.process.end();
    }
}

impl Board {
    /// All jobs wait.
    fn new(n_jobs: usize) -> Self {
        let (waiting, out) = ((0..n_jobs).collect(), BTreeMap::new());
        Self { waiting, out, is_done: vec![false; n_jobs], errors: vec![0; n_jobs] }
    }

    /// What was handed out waits again, in front of all else.
    fn take_back(&mut self) {
        let back: Vec<usize> = std::mem::take(&mut self.out).into_values().collect();
        back.into_iter().rev().for_each(|at| self.waiting.push_front(at));
    }

    fn is_done(&self) -> bool {
        self.is_done.iter().all(|done| *done)
    }
}

impl Evaluator for Remote<'_> {
    type Error = TuneError;

    /// Each program alone: several may run at a time, on several machines.
    fn width(&self) -> Option<usize> {
        Some(1)
    }

    fn evaluate(
        &mut self,
        jobs: &[Job],
        heard: &mut dyn FnMut(usize, Answer) -> Result<(), TuneError>,
    ) -> Result<(), TuneError> {
        let mut board = Board::new(jobs.len());
        while !board.is_done() {
            self.ensure()?;
            self.hand_out(jobs, &mut board);
            let said = self.engine.as_ref().map(|engine| engine.lines.recv());
            let trouble = match said {
                Some(Ok(text)) => match self.read(&text, jobs, &mut board)? {
                    Heard::Answer(at, answer) => {
                        self.ends = 0;
                        heard(at, answer)?;
                        continue;
                    }
                    Heard::Nothing => continue,
                    Heard::Broken(what) => what,
                },
                _ => "it ended before it had answered".to_owned(),
            };
            board.take_back();
            self.ended(&trouble)?;
        }
        Ok(())
    }
}
