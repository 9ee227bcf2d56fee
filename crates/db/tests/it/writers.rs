//! Several processes that write one database, and are killed.

use crate::common::{PROGRAM, all, key, measured, recipe};
use farkas_damage::Random;
use farkas_db::{Access, Database, Entry};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The variable that makes this program a writer: the database.
const DATABASE: &str = "FARKAS_TEST_DATABASE";

/// The variable with the number of a writer.
const NUMBER: &str = "FARKAS_TEST_WRITER";

/// How many write at a time.
const N_WRITERS: usize = 10;

/// The entry of a number.
fn entry(number: usize) -> Entry {
    let mut entry = Entry::new(key("aa", "here"), PROGRAM, recipe(number));
    entry.measurements.insert(measured(1, 900, 800));
    entry
}

/// The file in which a writer says what it knows to be written.
fn acknowledged(database: &Path, writer: usize) -> std::path::PathBuf {
    database.with_file_name(format!("{writer}.txt"))
}

/// No test, but a writer that the test below starts: it inserts entries until it is killed, and takes note of each when the
/// database says that it is there.
#[test]
fn writer() {
    let (Some(path), Ok(number)) = (std::env::var_os(DATABASE), std::env::var(NUMBER)) else {
        return;
    };
    let (path, writer): (&Path, usize) = (path.as_ref(), number.parse().expect("a number"));
    let file = fs::File::options().append(true).create(true).open(acknowledged(path, writer));
    let mut file = file.expect("a file");
    for n in 0.. {
        let number = 1_000_000 * writer + n;
        let mut database = Database::open(path, Access::Write).expect("a database");
        for part in 0..3 {
            let number = 10 * number + part;
            database.insert(&[entry(number)]).expect("inserted");
            writeln!(file, "{number}").expect("written");
        }
    }
}

/// Starts a writer.
fn start(database: &Path, writer: usize) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "writers::writer", "--nocapture"])
        .env(DATABASE, database)
        .env(NUMBER, writer.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a writer")
}

/// Ends a writer at once, which must not have ended by itself; `SIGKILL` on Unix.
fn kill(mut child: Child) {
    assert!(child.try_wait().expect("a child").is_none(), "a writer failed");
    child.kill().expect("killed");
    child.wait().expect("ended");
}

/// Lets ten processes write and kills one after another, each replaced by a new one.
fn write_and_kill(time: Duration) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("recipes.db");
    let mut random = Random::new(3);
    let mut n_started = N_WRITERS;
    let mut writers: Vec<Child> = (0..N_WRITERS).map(|n| start(&path, n)).collect();
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::thread::sleep(Duration::from_millis(20 + random.below(60) as u64));
        kill(writers.swap_remove(random.below(N_WRITERS)));
        writers.push(start(&path, n_started));
        n_started += 1;
    }
    writers.into_iter().for_each(kill);
    let database = Database::open(&path, Access::Read).expect("a database");
    assert_eq!(database.faults().expect("readable"), Vec::<String>::new());
    let found: BTreeSet<_> = all(&database).iter().map(Entry::id).collect();
    let mut n_acknowledged = 0;
    for writer in 0..n_started {
        // One that was killed early has said nothing.
        let numbers = fs::read_to_string(acknowledged(&path, writer)).unwrap_or_default();
        for number in numbers.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let id = entry(number.parse().expect("a number")).id();
            assert!(found.contains(&id), "{number} was lost");
            n_acknowledged += 1;
        }
    }
    n_acknowledged
}

#[test]
fn what_was_acknowledged_is_there_whoever_is_killed() {
    assert!(write_and_kill(Duration::from_secs(3)) > 10);
}

#[test]
#[ignore = "long"]
fn what_was_acknowledged_is_there_however_many_are_killed() {
    assert!(write_and_kill(Duration::from_secs(15)) > 100);
}
