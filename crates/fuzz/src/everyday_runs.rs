//! Long runs of everyday programs: verdicts and, for each kind, how many programs have it and what came of them.

use crate::{Cli, flags_of};
use farkas_fuzz::{
    Everyday, EverydayChecker, EverydayKind, Flags, Verdict, generate_everyday, run_tool,
    shrink_everyday,
};
use farkas_run::{Align, Table};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What came of the programs of one kind, or of all.
#[derive(Clone, Copy, Default)]
struct Count {
    programs: u64,
    calls: u64,
    changed: u64,
    refused: u64,
    faults: u64,
}

/// What came of all programs so far.
#[derive(Default)]
struct Tally {
    all: Count,
    kinds: BTreeMap<EverydayKind, Count>,
    classes: BTreeMap<String, u64>,
    faults: Vec<(u64, String)>,
    bad_programs: Vec<u64>,
}

impl Count {
    /// Counts a program.
    fn add(&mut self, program: &Everyday, verdict: &Verdict, changed: bool) {
        self.programs += 1;
        self.calls += program.calls.len() as u64;
        self.changed += u64::from(changed);
        self.refused += u64::from(matches!(verdict, Verdict::Rejected(_)));
        self.faults += u64::from(verdict.is_fault());
    }

    /// The cells of a row after its name.
    fn cells(&self) -> impl Iterator<Item = String> {
        let Self { programs, calls, changed, refused, faults } = self;
        [programs, calls, changed, refused, faults].map(ToString::to_string).into_iter()
    }
}

/// The flags of a seed; where regions are not marked, they are to be found.
fn flags(cli: &Cli, program: &Everyday) -> Flags {
    let mut flags = flags_of(cli, program.seed);
    if !program.marked {
        flags.more.insert(0, "--auto".into());
    }
    flags
}

/// Tries everyday programs; whether there was no fault.
pub(crate) fn run(cli: &Cli) -> std::io::Result<bool> {
    if cli.print {
        let program = generate_everyday(cli.seed);
        let mut out = std::io::stdout().lock();
        writeln!(out, "/* flags: {} */\n{}", flags(cli, &program), program.text())?;
        return Ok(true);
    }
    if let Some(folder) = &cli.keep {
        std::fs::create_dir_all(folder)?;
    }
    let (next, tally, start) = (AtomicU64::new(0), Mutex::new(Tally::default()), Instant::now());
    crate::on_threads(cli.jobs, || work(cli, &next, &tally))?;
    let tally = tally.into_inner().unwrap_or_default();
    let mut out = std::io::stdout().lock();
    let seconds = start.elapsed().as_secs_f64();
    writeln!(out, "{} programs from seed {} in {seconds:.0} s\n", tally.all.programs, cli.seed)?;
    write!(out, "{}", summary(&tally))?;
    Ok(tally.faults.is_empty() && tally.bad_programs.is_empty())
}

/// Takes one program after another.
fn work(cli: &Cli, next: &AtomicU64, tally: &Mutex<Tally>) -> std::io::Result<()> {
    let limit = Duration::from_secs(cli.time_limit);
    let transform = |text: &str, flags: &Flags| run_tool(&cli.farkas, text, flags, limit);
    let checker = EverydayChecker::new(&transform);
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= cli.count {
            return Ok(());
        }
        let program = generate_everyday(cli.seed.wrapping_add(number));
        let flags = flags(cli, &program);
        let (verdict, changed) = checker.check(&program, &flags);
        let seen = record(tally, &program, &verdict, changed);
        let is_kept = match &verdict {
            Verdict::Same => false,
            Verdict::Rejected(_) => cli.keep_rejected,
            _ => true,
        };
        if let Some(folder) = cli.keep.as_ref().filter(|_| is_kept && seen <= cli.keep_most) {
            keep(cli, folder, &checker, &program, &flags, &verdict)?;
        }
        if (number + 1).is_multiple_of(250) {
            let _ = writeln!(std::io::stderr(), "{} programs", number + 1);
        }
    }
}

/// Counts a verdict; how often one for the same reason was seen.
fn record(tally: &Mutex<Tally>, program: &Everyday, verdict: &Verdict, changed: bool) -> u64 {
    let Ok(mut tally) = tally.lock() else { return 0 };
    tally.all.add(program, verdict, changed);
    for kind in program.kinds() {
        tally.kinds.entry(kind).or_default().add(program, verdict, changed);
    }
    let first = verdict.message().lines().next().unwrap_or("");
    let told = format!("{}: {first}", verdict.kind());
    if matches!(verdict, Verdict::BadProgram(_)) {
        tally.bad_programs.push(program.seed);
    }
    if verdict.is_fault() {
        tally.faults.push((program.seed, told.clone()));
    }
    if verdict.is_fault() || matches!(verdict, Verdict::BadProgram(_)) {
        let _ = writeln!(std::io::stderr(), "seed {}: {told}", program.seed);
    }
    let count = tally.classes.entry(verdict.class()).or_default();
    *count += 1;
    *count
}

/// Writes a program, a smaller one with the same fault, and what is wrong.
fn keep(
    cli: &Cli,
    folder: &Path,
    checker: &EverydayChecker<'_>,
    program: &Everyday,
    flags: &Flags,
    verdict: &Verdict,
) -> std::io::Result<()> {
    let seed = program.seed;
    std::fs::write(folder.join(format!("{seed}.c")), program.text())?;
    let mut note =
        format!("farkas opt {seed}.c {flags}\n{}: {}\n", verdict.kind(), verdict.message());
    let is_slow = matches!(verdict, Verdict::TimedOut) && !cli.shrink_slow;
    if !is_slow && !matches!(verdict, Verdict::BadProgram(_)) {
        let deadline = Instant::now() + Duration::from_secs(cli.shrink_time);
        let small = shrink_everyday(program, cli.shrink, &mut |p| {
            Instant::now() < deadline && checker.check(p, flags).0.class() == verdict.class()
        });
        let kinds: Vec<&str> = small.kinds().iter().map(|kind| kind.name()).collect();
        let _ = write!(note, "\nkinds of the small one: {}\n", kinds.join(", "));
        std::fs::write(folder.join(format!("{seed}.small.c")), small.text())?;
    }
    std::fs::write(folder.join(format!("{seed}.txt")), note)
}

/// What came of the run.
fn summary(tally: &Tally) -> String {
    let mut outcomes = Table::new(&[("outcome", Align::Left), ("programs", Align::Right)]);
    for (class, count) in &tally.classes {
        outcomes.row(vec![class.clone(), count.to_string()]);
    }
    let mut kinds = Table::new(&[
        ("kind", Align::Left),
        ("programs", Align::Right),
        ("calls", Align::Right),
        ("changed", Align::Right),
        ("refused", Align::Right),
        ("faults", Align::Right),
    ]);
    let mut row = |name: &str, count: &Count| {
        kinds.row(std::iter::once(name.to_owned()).chain(count.cells()).collect());
    };
    row("all", &tally.all);
    for kind in EverydayKind::all() {
        row(kind.name(), &tally.kinds.get(&kind).copied().unwrap_or_default());
    }
    let mut text = format!("{outcomes}\n{kinds}");
    let mut faults = tally.faults.clone();
    faults.sort();
    for (seed, told) in faults {
        let _ = writeln!(text, "seed {seed}: {told}");
    }
    for seed in &tally.bad_programs {
        let _ = writeln!(text, "seed {seed}: bad program, a fault of the generator");
    }
    text
}
