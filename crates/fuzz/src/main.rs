//! Long runs: random programs through `farkas opt`, original and result compiled, run and compared.

mod everyday_runs;

use clap::Parser;
use farkas_fuzz::{
    Checker, ConfigTally, Flags, Program, Setup, Shape, Transformed, Verdict, check_case,
    compiler_of_bf16, generate, has_cells_for_lanes, has_free_order, has_parts, run_normalizer,
    run_tool, shrink,
};
use farkas_run::{Align, Compiler, Table};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Random static-control C programs through `farkas opt`: original and result must print the same bits.
///
/// Program number K is made of seed S + K alone, so that `--seed S+K --count 1` repeats it. Exit status 1 when the tool
/// crashed or a result was wrong.
#[derive(Parser, Debug)]
#[command(name = "farkas-fuzz", version)]
struct Cli {
    /// How many programs.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// The seed of the first program.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The program under test.
    #[arg(long, default_value = "target/release/farkas", value_name = "PATH")]
    farkas: PathBuf,
    /// Programs at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Where failing programs go: SEED.c as made, SEED.small.c as small as was found, SEED.txt with flags and message.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// How many programs with the same message are kept.
    #[arg(long, default_value_t = 2, value_name = "N")]
    keep_most: u64,
    /// Keep rejected programs, too.
    #[arg(long)]
    keep_rejected: bool,
    /// How many programs to try for making a failing one small.
    #[arg(long, default_value_t = 400, value_name = "N")]
    shrink: usize,
    /// Seconds that making one small may take.
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    shrink_time: u64,
    /// Make programs small, too, for which the tool runs out of time; use with a short limit.
    #[arg(long)]
    shrink_slow: bool,
    /// Flags of `farkas opt` after the random ones.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    flags: Option<String>,
    /// Have every program tiled in all ways: bands, rows over time, registers.
    #[arg(long)]
    tiled: bool,
    /// Shape every program by a random recipe, most of whose steps do not apply or are illegal.
    #[arg(long, conflicts_with_all = ["strategies", "everyday", "tiled"])]
    recipes: bool,
    /// Bring every program into its normal form, with `farkas normalize`, in the place of `farkas opt`.
    #[arg(long, conflicts_with_all = ["strategies", "everyday", "tiled", "recipes", "flags"])]
    normalize: bool,
    /// Seconds that one call of the tool may take.
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time_limit: u64,
    /// Print the program of the seed and its flags, and do nothing else.
    #[arg(long)]
    print: bool,
    /// Try random strategies and influence trees instead: in this process, without compiling anything.
    #[arg(long)]
    strategies: bool,
    /// Try everyday programs instead: unsigned and narrow types, sizes of zero, pointers that overlap, pragmas and odd
    /// places under `--auto`, names that collide. Under the sanitizers, with four threads; counted by kinds.
    #[arg(long, conflicts_with = "strategies")]
    everyday: bool,
    /// Try programs of reductions instead: updates by all operators, on all types, in all forms and orders. Their arithmetic is exact, so
    /// that any order of the updates prints the same bits. With three threads.
    #[arg(long, conflicts_with_all = ["strategies", "everyday", "tiled", "recipes"])]
    reductions: bool,
    /// Try programs of long loops around recurrences instead, in vector lanes. With three threads, under the sanitizers.
    #[arg(long, conflicts_with_all = ["strategies", "everyday", "tiled", "recipes", "reductions", "bodies", "opencl"])]
    lanes: bool,
    /// Try programs whose bodies set several elements by temporaries, and take these bodies apart.
    #[arg(long, conflicts_with_all = ["strategies", "everyday", "tiled", "recipes", "reductions"])]
    bodies: bool,
    /// Run every program as kernels of OpenCL, on whatever device there is (PoCL is one). A kernel that does not compile, or a region that stays
    /// on the host for no good reason, is a fault, too.
    #[arg(long, conflicts_with_all = ["strategies", "everyday", "tiled", "recipes", "normalize", "reductions"])]
    opencl: bool,
    /// Let many arrays and variables have half precision, in some programs `__bf16` where gcc or clang has it, or be truth values.
    #[arg(long, requires = "opencl")]
    narrow: bool,
}

/// What came of all programs so far.
#[derive(Default)]
struct Tally {
    classes: BTreeMap<String, u64>,
    faults: Vec<(u64, &'static str, String)>,
    /// How many results have updates in another order than the program's.
    reordered: u64,
    /// How many results have partial results of parts or blocks.
    in_parts: u64,
    /// How many results have cells for lanes.
    in_lanes: u64,
    /// How long each program took, compiled and run, with its seed.
    seconds: Vec<(f64, u64)>,
}

/// What was done to the order of a program's updates.
#[derive(Clone, Copy, Default)]
struct Changed {
    is_reordered: bool,
    is_in_parts: bool,
    is_in_lanes: bool,
}

impl Changed {
    /// What a result shows.
    fn of(result: &Transformed) -> Self {
        match result {
            Transformed::Text(text) => Self {
                is_reordered: has_free_order(text),
                is_in_parts: has_parts(text),
                is_in_lanes: has_cells_for_lanes(text),
            },
            _ => Self::default(),
        }
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "farkas-fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs everything; whether there was no fault.
fn run(cli: &Cli) -> std::io::Result<bool> {
    if cli.strategies {
        return run_strategies(cli);
    }
    if cli.everyday {
        return everyday_runs::run(cli);
    }
    if cli.print {
        let bf16 = cli.narrow && compiler_of_bf16()?.is_some();
        let text = generate(cli.seed, &shape_of(cli, bf16)).text().unwrap_or_default();
        let (flags, mut out) = (flags_of(cli, cli.seed), std::io::stdout().lock());
        let recipe = flags.recipe.as_deref().unwrap_or("none");
        writeln!(out, "/* flags: {flags}\n   recipe: {recipe} */\n{text}")?;
        return Ok(true);
    }
    if let Some(folder) = &cli.keep {
        std::fs::create_dir_all(folder)?;
    }
    let (next, tally, start) = (AtomicU64::new(0), Mutex::new(Tally::default()), Instant::now());
    let bf16 = if cli.narrow { compiler_of_bf16()? } else { None };
    if cli.narrow && bf16.is_none() {
        let reason = "neither gcc nor clang computes with `__bf16` here: no program has it";
        writeln!(std::io::stderr(), "{reason}")?;
    }
    on_threads(cli.jobs, || work(cli, bf16.as_ref(), &next, &tally))?;
    let tally = tally.into_inner().unwrap_or_default();
    let mut out = std::io::stdout().lock();
    write!(out, "{}", summary(cli, &tally, start.elapsed()))?;
    Ok(tally.faults.is_empty())
}

/// The same work on `jobs` threads, one at least. A panic of one is a fault, too: it goes on here.
fn on_threads(jobs: usize, work: impl Fn() -> std::io::Result<()> + Sync) -> std::io::Result<()> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(&work)).collect();
        workers
            .into_iter()
            .try_for_each(|w| w.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
    })
}

/// Tries random strategies and influence trees; whether there was no fault.
fn run_strategies(cli: &Cli) -> std::io::Result<bool> {
    let last = cli.seed.saturating_add(cli.count);
    if cli.print {
        let Some(setup) = Setup::of_seed(cli.seed)? else { return Ok(true) };
        let case = setup.case(cli.seed);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}\n{}: {}\n{:?}", setup.text(), case.kind.name(), case.text, case.options)?;
        return Ok(true);
    }
    let (next, tally) = (AtomicU64::new(cli.seed), Mutex::new(ConfigTally::default()));
    let start = Instant::now();
    on_threads(cli.jobs, || work_on_strategies(&next, last, &tally))?;
    let tally = tally.into_inner().unwrap_or_default();
    let mut out = std::io::stdout().lock();
    let seconds = start.elapsed().as_secs_f64();
    writeln!(out, "{} cases from seed {} in {seconds:.0} s\n\n{tally}", tally.n_cases, cli.seed)?;
    Ok(tally.faults.is_empty())
}

/// Takes all cases of one program after another, up to the seed `last`.
fn work_on_strategies(
    next: &AtomicU64,
    last: u64,
    tally: &Mutex<ConfigTally>,
) -> std::io::Result<()> {
    loop {
        let mut seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= last {
            return Ok(());
        }
        let setup = Setup::of_seed(seed)?;
        let _told = SeedOfPanic(seed);
        let finding = setup.map(|setup| check_case(&setup, &setup.case(seed)));
        let Ok(mut tally) = tally.lock() else { return Ok(()) };
        match finding {
            None => tally.n_refused_programs += 1,
            Some(finding) => {
                if let Some(fault) = &finding.fault {
                    let _ = writeln!(std::io::stderr(), "seed {seed}: {fault}");
                }
                tally.add(seed, finding);
            }
        }
        seed = tally.n_cases;
        if seed.is_multiple_of(1000) {
            let _ = writeln!(std::io::stderr(), "{seed} cases");
        }
    }
}

/// Tells the seed when a panic unwinds through it.
struct SeedOfPanic(u64);

impl Drop for SeedOfPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "seed {}: panicked", self.0);
        }
    }
}

/// Takes one program after another.
fn work(
    cli: &Cli,
    bf16: Option<&Compiler>,
    next: &AtomicU64,
    tally: &Mutex<Tally>,
) -> std::io::Result<()> {
    let shape = shape_of(cli, bf16.is_some());
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= cli.count {
            return Ok(());
        }
        let seed = cli.seed.wrapping_add(number);
        let (program, flags) = (generate(seed, &shape), flags_of(cli, seed));
        let limit = Duration::from_secs(cli.time_limit);
        let changed = Cell::new(Changed::default());
        let transform = |text: &str, flags: &Flags| {
            let result = match cli.normalize {
                true => run_normalizer(&cli.farkas, text, limit),
                false => run_tool(&cli.farkas, text, flags, limit),
            };
            changed.set(Changed::of(&result));
            result
        };
        let checker = Checker::new(&transform).with_bf16(bf16.cloned());
        let checker = if cli.reductions || cli.lanes { checker.on_threads(3) } else { checker };
        let checker = if cli.lanes { checker.under_sanitizers() } else { checker };
        let checker = if cli.opencl { checker.with_kernels(limit) } else { checker };
        let start = Instant::now();
        let verdict = checker.check(&program, &flags);
        let seen = record(tally, seed, &verdict, start.elapsed(), changed.get());
        let keeps = match &verdict {
            Verdict::Same | Verdict::OnHost(_) | Verdict::OneDevice(_) => false,
            Verdict::Wrong(_)
            | Verdict::Reported(_)
            | Verdict::BadProgram(_)
            | Verdict::TimedOut => true,
            Verdict::Rejected(_) => cli.keep_rejected && seen <= cli.keep_most,
            Verdict::DoesNotCompile(_) | Verdict::Crashed(_) | Verdict::NotRun(_) => {
                seen <= cli.keep_most
            }
        };
        if let Some(folder) = cli.keep.as_ref().filter(|_| keeps) {
            keep(cli, folder, &checker, &program, &flags, &verdict)?;
        }
        if (number + 1).is_multiple_of(250) {
            let _ = writeln!(std::io::stderr(), "{} programs", number + 1);
        }
    }
}

/// What programs look like.
fn shape_of(cli: &Cli, bf16: bool) -> Shape {
    let shape = match cli {
        Cli { reductions: true, .. } => Shape::reductions(),
        Cli { lanes: true, .. } => Shape::lanes(),
        Cli { bodies: true, .. } => Shape::bodies(),
        _ => Shape::default(),
    };
    Shape { narrow: cli.narrow, bf16, ..shape }
}

/// The flags of a seed, and those of the command line.
fn flags_of(cli: &Cli, seed: u64) -> Flags {
    let more = cli.flags.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned);
    let chosen = Flags::of_seed(seed);
    let chosen = if cli.tiled { chosen.tiled() } else { chosen };
    let chosen = if cli.recipes { chosen.with_recipe_of_seed(seed) } else { chosen };
    let chosen = if cli.reductions { chosen.for_reductions_of_seed(seed) } else { chosen };
    let chosen = if cli.lanes { chosen.for_lanes_of_seed(seed) } else { chosen };
    let chosen = if cli.bodies { chosen.for_bodies_of_seed(seed) } else { chosen };
    let chosen = if cli.opencl { chosen.for_opencl_of_seed(seed) } else { chosen };
    Flags { more: more.collect(), ..chosen }
}

/// Counts a verdict; how often one for the same reason was seen.
fn record(
    tally: &Mutex<Tally>,
    seed: u64,
    verdict: &Verdict,
    elapsed: Duration,
    changed: Changed,
) -> u64 {
    let Ok(mut tally) = tally.lock() else { return 0 };
    tally.reordered += u64::from(changed.is_reordered);
    tally.in_parts += u64::from(changed.is_in_parts);
    tally.in_lanes += u64::from(changed.is_in_lanes);
    tally.seconds.push((elapsed.as_secs_f64(), seed));
    if verdict.is_fault() {
        let first = verdict.message().lines().next().unwrap_or("").to_owned();
        let _ = writeln!(std::io::stderr(), "seed {seed}: {}: {first}", verdict.kind());
        tally.faults.push((seed, verdict.kind(), first));
    } else if let Verdict::OneDevice(message) = verdict {
        let first = message.lines().next().unwrap_or("");
        let _ = writeln!(std::io::stderr(), "seed {seed}: {}: {first}", verdict.kind());
    }
    let count = tally.classes.entry(verdict.class()).or_default();
    *count += 1;
    *count
}

/// Writes a program, a smaller one with the same fault, and what is wrong.
fn keep(
    cli: &Cli,
    folder: &Path,
    checker: &Checker<'_>,
    program: &Program,
    flags: &Flags,
    verdict: &Verdict,
) -> std::io::Result<()> {
    let seed = program.seed;
    let text = program.text().unwrap_or_default();
    std::fs::write(folder.join(format!("{seed}.c")), text)?;
    if let Some(recipe) = &flags.recipe {
        std::fs::write(folder.join(format!("{seed}.json")), recipe)?;
    }
    let mut note =
        format!("farkas opt {seed}.c {flags}\n{}: {}\n", verdict.kind(), verdict.message());
    if matches!(verdict, Verdict::TimedOut) && !cli.shrink_slow {
        return std::fs::write(folder.join(format!("{seed}.txt")), note);
    }
    let deadline = Instant::now() + Duration::from_secs(cli.shrink_time);
    let small = shrink(program, cli.shrink, &mut |p| {
        Instant::now() < deadline && checker.check(p, flags).class() == verdict.class()
    });
    let small_verdict = checker.check(&small, flags);
    let _ = write!(note, "\nsmall: {}: {}\n", small_verdict.kind(), small_verdict.message());
    std::fs::write(folder.join(format!("{seed}.small.c")), small.text().unwrap_or_default())?;
    std::fs::write(folder.join(format!("{seed}.txt")), note)
}

/// What came of the run.
fn summary(cli: &Cli, tally: &Tally, elapsed: Duration) -> String {
    let mut text = String::new();
    let seconds = elapsed.as_secs_f64();
    let _ = writeln!(
        text,
        "{} programs from seed {} in {seconds:.0} s ({:.2} s each)\n",
        cli.count,
        cli.seed,
        seconds / cli.count.max(1) as f64
    );
    let mut table = Table::new(&[
        ("outcome", Align::Left),
        ("programs", Align::Right),
        ("share", Align::Right),
    ]);
    let share = |count: u64| format!("{:.1}%", 100.0 * count as f64 / cli.count.max(1) as f64);
    for (class, count) in &tally.classes {
        table.row(vec![class.clone(), count.to_string(), share(*count)]);
    }
    let _ = write!(text, "{table}");
    if cli.reductions {
        let (n, of_all) = (tally.reordered, share(tally.reordered));
        let _ = writeln!(text, "\nupdates in another order than the program's: {n} ({of_all})");
        let (n, of_all) = (tally.in_parts, share(tally.in_parts));
        let _ = writeln!(text, "partial results of parts or blocks: {n} ({of_all})");
    }
    if cli.lanes {
        let (n, of_all) = (tally.in_lanes, share(tally.in_lanes));
        let _ = writeln!(text, "\nloops in lanes: {n} ({of_all})");
    }
    let mut slowest = tally.seconds.clone();
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slowest = slowest.iter().take(8).map(|(s, seed)| format!("{seed} ({s:.1} s)"));
    let _ = writeln!(text, "\nslowest seeds: {}", slowest.collect::<Vec<_>>().join(", "));
    let mut faults = tally.faults.clone();
    faults.sort();
    for (seed, kind, message) in faults {
        let _ = writeln!(text, "seed {seed}: {kind}: {message}");
    }
    text
}
