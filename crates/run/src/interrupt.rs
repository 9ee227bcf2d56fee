//! What a signal that ends the program leaves behind: nothing. Temporary folders and files and the processes that were started are
//! listed while they are there; before the program ends by the signal, these are ended and those removed.

use rustix::process::{
    Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::collections::BTreeSet;
use std::io::{Read, Result};
use std::ops::{Deref, DerefMut};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::{NamedTempFile, TempDir};

/// The signals by which people and systems end programs.
const SIGNALS: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// How long processes that are asked to end may take to clean up after themselves.
const GRACE: Duration = Duration::from_millis(500);

/// What is there now.
static LISTED: Mutex<Listed> =
    Mutex::new(Listed { paths: BTreeSet::new(), children: BTreeSet::new() });

struct Listed {
    /// Temporary folders and files.
    paths: BTreeSet<PathBuf>,
    children: BTreeSet<Started>,
}

/// A process that was started, and whether it leads a group of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Started {
    number: i32,
    leads: bool,
}

/// The list. A thread that panicked left it whole.
fn listed() -> MutexGuard<'static, Listed> {
    LISTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, a signal that asks the program to end removes what is listed, ends what was started, and then ends the program as it
/// would have done. Signals that are ignored stay ignored.
pub fn clean_up_on_signals() {
    let ignored = ignored_signals();
    let heard = SIGNALS.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without a thread for it signals do what they did, which is no reason to do nothing.
    let Ok(mut signals) = Signals::new(heard) else { return };
    let _ = thread::Builder::new().name("signals".into()).spawn(move || {
        let Some(signal) = signals.forever().next() else { return };
        // It is never given back: who lists something, or has something to take off the list, waits for the end.
        let mut listed = listed();
        listed.clear();
        let _ = emulate_default_handler(signal);
    });
}

/// Ends what was started and removes what is listed, for a program that ends on the spot: nothing can be started or made any more.
pub fn clean_up() {
    let mut listed = listed();
    listed.clear();
    std::mem::forget(listed);
}

/// Ends this process as soon as the one that started it ends, however that does, where the system can.
pub fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        // Where it cannot, the process ends when it has done its work.
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    }
}

/// A bit for each signal, the first for signal 1, that the program was started to ignore; none where the system does not tell.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

impl Listed {
    /// Ends the processes and removes the folders and files.
    fn clear(&mut self) {
        let children = std::mem::take(&mut self.children);
        children.iter().for_each(|child| child.send(Signal::TERM));
        let end = Instant::now() + GRACE;
        while children.iter().any(Started::is_there) && Instant::now() < end {
            thread::sleep(Duration::from_millis(5));
        }
        children.iter().for_each(|child| child.send(Signal::KILL));
        for path in std::mem::take(&mut self.paths) {
            // What is gone already, or cannot be removed, is nothing to wait for.
            let _ = match path.is_dir() {
                true => std::fs::remove_dir_all(&path),
                false => std::fs::remove_file(&path),
            };
        }
    }
}

impl Started {
    fn of(child: &Child, leads: bool) -> Option<Self> {
        Some(Self { number: i32::try_from(child.id()).ok()?, leads })
    }

    fn send(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.number) else { return };
        // It may have ended meanwhile.
        let _ = match self.leads {
            true => kill_process_group(pid, signal),
            false => kill_process(pid, signal),
        };
    }

    fn is_there(&self) -> bool {
        let Some(pid) = Pid::from_raw(self.number) else { return false };
        let tested = match self.leads {
            true => test_kill_process_group(pid),
            false => test_kill_process(pid),
        };
        tested.is_ok()
    }
}

/// A path that is on the list as long as the value is there.
#[derive(Debug)]
struct ListedPath(PathBuf);

impl Drop for ListedPath {
    fn drop(&mut self) {
        listed().paths.remove(&self.0);
    }
}

/// A folder that is removed with the value, or when a signal ends the program.
#[derive(Debug)]
pub struct TemporaryFolder {
    // It goes first: until then the path is listed.
    folder: TempDir,
    _listed: ListedPath,
}

impl TemporaryFolder {
    /// A folder where the system has such, whose name begins with `prefix`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(prefix: &str) -> Result<Self> {
        Self::made(|| tempfile::Builder::new().prefix(prefix).tempdir())
    }

    /// A folder in another one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn within(parent: &Path, prefix: &str) -> Result<Self> {
        Self::made(|| tempfile::Builder::new().prefix(prefix).tempdir_in(parent))
    }

    fn made(make: impl FnOnce() -> Result<TempDir>) -> Result<Self> {
        let mut listed = listed();
        let folder = make()?;
        listed.paths.insert(folder.path().to_owned());
        let path = ListedPath(folder.path().to_owned());
        Ok(Self { folder, _listed: path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves it where it is from now on.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

/// A new file in a folder, which is removed with the value unless it took the place of another one.
#[derive(Debug)]
pub struct TemporaryFile {
    file: NamedTempFile,
    _listed: ListedPath,
}

impl TemporaryFile {
    /// An empty file in `folder` whose name begins with `prefix`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn within(folder: &Path, prefix: &str) -> Result<Self> {
        let mut listed = listed();
        let file = tempfile::Builder::new().prefix(prefix).tempfile_in(folder)?;
        listed.paths.insert(file.path().to_owned());
        let path = ListedPath(file.path().to_owned());
        Ok(Self { file, _listed: path })
    }

    /// The open file.
    pub fn file(&mut self) -> &mut std::fs::File {
        self.file.as_file_mut()
    }

    /// Puts it in the place of the file at `path`.
    ///
    /// # Errors
    /// When it cannot be moved there.
    pub fn persist(self, path: &Path) -> Result<()> {
        self.file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// A process that is ended when a signal ends the program.
#[derive(Debug)]
pub struct Running {
    child: Child,
    started: Option<Started>,
}

impl Running {
    /// Starts a process in a group of its own, which is ended with all that it starts.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn spawn(command: &mut Command) -> Result<Self> {
        Self::listed(command.process_group(0), true)
    }

    /// Starts a process that stays with the terminal, as this program does.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn spawn_here(command: &mut Command) -> Result<Self> {
        Self::listed(command, false)
    }

    fn listed(command: &mut Command, leads: bool) -> Result<Self> {
        let mut listed = listed();
        let child = command.spawn()?;
        let started = Started::of(&child, leads);
        listed.children.extend(started);
        Ok(Self { child, started })
    }

    /// Ends the process with all that it started, at once.
    ///
    /// # Errors
    /// When the system does not say how it ended.
    pub fn end(&mut self) -> Result<ExitStatus> {
        self.started.iter().for_each(|started| started.send(Signal::KILL));
        self.child.wait()
    }

    /// Runs a process in a group of its own to its end, and gives what it writes.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn output(command: &mut Command) -> Result<Output> {
        Self::spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?.finished()
    }

    /// The same for a process that stays with the terminal.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn output_here(command: &mut Command) -> Result<Output> {
        Self::spawn_here(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?.finished()
    }

    /// What it writes until it ends.
    fn finished(mut self) -> Result<Output> {
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        let errors = thread::spawn(move || all_of(stderr));
        let stdout = all_of(stdout);
        let stderr = errors.join().unwrap_or_default();
        Ok(Output { status: self.wait()?, stdout, stderr })
    }
}

/// All that comes through a pipe; one that breaks off ends there.
fn all_of(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

impl Deref for Running {
    type Target = Child;
    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(started) = self.started {
            listed().children.remove(&started);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_listed_and_cleared() {
        let kept = TemporaryFolder::new("farkas-test-").expect("a folder").keep();
        let folder = TemporaryFolder::within(&kept, "inner-").expect("a folder");
        let mut file = TemporaryFile::within(&kept, ".new-").expect("a file");
        std::io::Write::write_all(file.file(), b"text").expect("room");
        let gone = TemporaryFolder::within(&kept, "gone-").expect("a folder");
        let paths = [folder.path().to_owned(), file.file.path().to_owned(), gone.path().to_owned()];
        drop(gone);
        let is_listed = |path: &PathBuf| listed().paths.contains(path);
        assert_eq!(paths.each_ref().map(is_listed), [true, true, false]);
        let mut own = Listed { paths: BTreeSet::from(paths.clone()), children: BTreeSet::new() };
        own.clear();
        assert!(!paths.iter().any(|path| path.exists()));
        std::fs::remove_dir(&kept).expect("it is empty");
    }

    #[test]
    fn processes_are_ended_with_all_that_they_started() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 60 & sleep 60"]).stdout(Stdio::piped());
        let mut running = Running::spawn(&mut shell).expect("a shell");
        let started = running.started.expect("a number");
        assert!(listed().children.contains(&started));
        let mut stdout = running.stdout.take();
        let mut own = Listed { paths: BTreeSet::new(), children: BTreeSet::from([started]) };
        // The pipe ends when nobody is left who holds it.
        thread::scope(|scope| {
            scope.spawn(|| own.clear());
            assert_eq!(all_of(stdout.take()), b"");
            assert!(!running.wait().expect("an end").success());
        });
        drop(running);
        assert!(!listed().children.contains(&started));
    }

    #[test]
    fn both_streams_are_given() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo out; echo err >&2; exit 3"]);
        let output = Running::output(&mut shell).expect("a shell");
        assert_eq!((output.stdout, output.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
        assert_eq!(output.status.code(), Some(3));
    }
}
