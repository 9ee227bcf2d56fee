//! The fastest recipe for one region: what `farkas tune` searches for.

mod command;
mod entries;
mod journal;
mod local;
mod measured;
mod protocol;
mod report;
mod seeds;
mod serve;
mod setup;
mod workshop;

pub use measured::Trials;
pub use protocol::PROTOCOL;
pub use report::describe;
pub use serve::serve;
pub use setup::Setup;

use crate::bench::compile_flags;
use crate::database::Subject;
use crate::{Input, Options, ReadOptions, shares};
use command::Remote;
use entries::{Entries, untold};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::Target;
use farkas_db::Database;
use farkas_run::Error as RunError;
use farkas_run::bench::Outcome;
use farkas_scop::Region;
use farkas_tune::evolve::{
    Clock, Evaluator, Evolution, Journal, Line, Nest, Progress, Seed, Settings, evolve,
};
use journal::{JournalFile, Known};
use local::Local;
use seeds::neighbours;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use workshop::Bench;

/// How a search goes.
pub struct TuneOptions<'a> {
    /// How the region is transformed beside the recipe: for which machine, into what code.
    pub options: Options,
    /// How far the search goes.
    pub settings: Settings,
    /// How programs are compiled and run; [`setup`] makes it.
    pub setup: Setup,
    /// A command that evaluates in the place of this machine.
    pub evaluator: Option<String>,
    /// The file in which answers are kept, so that a search that was cut off goes on.
    pub journal: Option<PathBuf>,
    /// A database from which recipes are taken, and which is told what they are worth.
    pub database: Option<&'a mut Database>,
}

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// All that ran.
    pub evolution: Evolution,
    /// The text of the recipe's file; none where what `auto` makes is best, and no recipe gives it.
    pub recipe: Option<String>,
    /// Answers that were known from the journal.
    pub n_known: usize,
    /// What there is to tell.
    pub diagnostics: Vec<Diagnostic>,
}

/// Who hears of a search while it goes on.
pub struct Listener<'a> {
    /// How far it is.
    pub tell: &'a mut dyn FnMut(Progress),
    /// What went wrong with the evaluator, and was mended.
    pub warn: &'a dyn Fn(&str),
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The program cannot be transformed, or the database cannot be used.
    #[error("{}", .0.first().map_or("refused", |diagnostic| diagnostic.message.as_str()))]
    Refused(Vec<Diagnostic>),
    /// A compiler or program cannot be started, or the original does not compile.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What the original prints cannot be compared.
    #[error("{}", .0.reason().unwrap_or_default())]
    Uncomparable(Outcome),
    /// The original fails, so that nothing can be compared with it.
    #[error("the original program fails: {reason}")]
    Original {
        /// How.
        reason: String,
    },
    /// The command that evaluates does not.
    #[error("{reason}")]
    Evaluator {
        /// Why.
        reason: String,
    },
    /// The journal cannot be used.
    #[error("the journal `{}` cannot be used: {reason}", .path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl TuneError {
    fn evaluator(reason: impl Into<String>) -> Self {
        Self::Evaluator { reason: reason.into() }
    }

    fn journal(path: &Path, reason: String) -> Self {
        Self::Journal { path: path.to_owned(), reason }
    }
}

impl From<crate::Error> for TuneError {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Refused(diagnostics) => Self::Refused(diagnostics),
            error => Self::Refused(vec![error.to_diagnostic()]),
        }
    }
}

/// How the program of a file is compiled and run, candidates for a target.
pub fn setup(path: &Path, input: &Input, read_options: &ReadOptions, target: Target) -> Setup {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    // Evaluators may run elsewhere: on another machine that has the same files.
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let flags = compile_flags(&absolute.join("program.c"), read_options);
    let openmp = (target == Target::OpenMp).then(|| "-fopenmp".to_owned());
    Setup {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        original: input.source.text().to_owned(),
        compiler: String::new(),
        flags,
        candidate_flags: openmp.into_iter().collect(),
        arguments: String::new(),
        threads: 1,
        time_limit_ms: 0,
        tolerance: 0.0,
        allows_no_output: false,
    }
}

/// Searches for the recipe that makes a region of a program fastest. The recipe's file, given to `opt` with the same options, gives exactly
/// the code that was measured.
///
/// # Errors
/// [`TuneError`]; a candidate that fails is no error.
pub fn tune(
    input: &Input,
    region: &Region,
    options: TuneOptions<'_>,
    listener: Listener<'_>,
) -> Result<Tuned, TuneError> {
    let TuneOptions { options: plain, settings, setup, evaluator, journal, database } = options;
    let subject = database.is_some().then(|| Subject::of(region, &plain)).transpose()?;
    let neighbours = database.as_deref().map(|database| neighbours(database, region, &plain));
    let neighbours = neighbours.transpose()?.unwrap_or_default();
    let (mut file, known) = begun(journal.as_deref(), &setup, neighbours)?;
    let Known { neighbours, lines: known } = known;
    let mut diagnostics = Vec::new();
    diagnostics.extend(subject.as_ref().and_then(untold));
    let entries = database.zip(subject.as_ref());
    let entries = entries.map(|(database, subject)| Entries {
        database,
        subject,
        environment: commands(&setup),
        threads: setup.threads,
    });
    let n_known = known.len();
    let effort = effort_of(input, region, &plain);
    let plain = Options { effort, ..plain }.of_file(&input.source);
    let tell = listener.tell;
    let mut bench = Bench { input, region, options: plain, neighbours, entries, tell };
    let mut keep = |line: &Line| file.as_mut().map_or(Ok(()), |file| file.keep(line));
    let nest = nest(region);
    let evolution = match evaluator {
        Some(command) => {
            let remote = Remote::new(&command, &setup, listener.warn)?;
            searched(&mut bench, remote, known, &mut keep, (&nest, settings))?
        }
        None => {
            let local = Local::new(&setup)?;
            searched(&mut bench, local, known, &mut keep, (&nest, settings))?
        }
    };
    let recipe = written(&bench, &evolution)?;
    Ok(Tuned { evolution, recipe, n_known, diagnostics })
}

/// Seconds since 1970.
fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// How candidates are compiled, on a line.
fn commands(setup: &Setup) -> String {
    let words = std::iter::once(&setup.compiler).chain(&setup.candidate_flags);
    words.cloned().collect::<Vec<String>>().join(" ")
}

/// The journal, where there is to be one, and what is known at the beginning: from it, or else these neighbours alone.
fn begun(
    journal: Option<&Path>,
    setup: &Setup,
    neighbours: Vec<Seed>,
) -> Result<(Option<JournalFile>, Known), TuneError> {
    match journal {
        Some(path) => {
            let (file, known) = JournalFile::open(path, setup, neighbours)?;
            Ok((Some(file), known))
        }
        None => Ok((None, Known { neighbours, lines: Vec::new() })),
    }
}

/// The share of the work that a region has where all of the file are transformed.
fn effort_of(input: &Input, region: &Region, options: &Options) -> u64 {
    let shares = shares(&input.regions, options.effort);
    let at = input.regions.iter().position(|other| other.span == region.span);
    at.and_then(|at| shares.get(at).copied()).unwrap_or(options.effort)
}

/// The search with an evaluator.
fn searched<E: Evaluator<Error = TuneError>>(
    bench: &mut Bench<'_>,
    evaluator: E,
    known: Vec<Line>,
    keep: &mut dyn FnMut(&Line) -> Result<(), TuneError>,
    (nest, settings): (&Nest, Settings),
) -> Result<Evolution, TuneError> {
    let start = Instant::now();
    let clock = || Clock { running: start.elapsed(), at_s: now_s() };
    let mut journal = Journal::new(evaluator, known, keep, &clock);
    evolve(bench, &mut journal, nest, settings)
}

/// What steps may name.
fn nest(region: &Region) -> Nest {
    let stmts = region.scop.stmts().iter();
    Nest { stmts: stmts.map(|stmt| (stmt.name.clone(), stmt.iterators.len())).collect() }
}

/// The winner's recipe, which is applied once more: it gives the code that was measured.
fn written(bench: &Bench<'_>, evolution: &Evolution) -> Result<Option<String>, TuneError> {
    let Some(winner) = evolution.verdict.winner.map(|at| &evolution.individuals[at]) else {
        return Ok(None);
    };
    let Some(recipe) = winner.recipe() else { return Ok(None) };
    let made = bench.program(&recipe);
    if made.is_ok_and(|text| text == winner.text) {
        return Ok(Some(recipe));
    }
    let message = "the recipe found does not give the code that was measured";
    let diagnostic = Diagnostic::new(DiagnosticId::InternalError, message);
    Err(TuneError::Refused(vec![diagnostic.note("nothing was written")]))
}
