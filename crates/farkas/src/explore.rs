//! The fastest strategy for one program: what `farkas explore` searches for.

use crate::analyze::analyze;
use crate::bench::compile_flags;
use crate::decide::decide;
use crate::pieces::{Piece, leave_out, pieces};
use crate::{Input, Options, ReadOptions, Session, Strategy, read, splice};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_codegen::Target;
use farkas_deps::Dependences;
use farkas_machine::Machine;
use farkas_run::bench::Outcome;
use farkas_run::{
    Build, Compiler, Error as RunError, Executable, Exit, Failure, Measure, RunOptions, Tolerance,
};
use farkas_scop::Region;
use farkas_tune::{
    Choice, Exploration, Measured, Program, Progress, Setting, Settings, Subject, Workbench, search,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a program is explored.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// What compiles original and candidates; candidates with `-fopenmp` added where they have OpenMP pragmas.
    pub compiler: Compiler,
    /// What code the candidates are.
    pub target: Target,
    /// The machine that sizes are chosen for.
    pub machine: Machine,
    /// Candidates and rounds.
    pub settings: Settings,
    /// How programs are run; the time limit is that of the original, candidates may have a shorter one.
    pub run: RunOptions,
    /// Threads of the candidates.
    pub threads: usize,
    /// How far outputs may be from the original's.
    pub tolerance: Tolerance,
    /// Whether a program that prints nothing is explored, too.
    pub allows_no_output: bool,
    /// No candidate is begun after this time.
    pub time: Duration,
}

/// What came of an exploration.
#[derive(Clone, Debug)]
pub struct Explored {
    /// Everything that was measured.
    pub exploration: Exploration,
    /// What was measured how.
    pub setting: Setting,
    /// The text of the strategy's file; none where no strategy that can be a file gives a right result.
    pub strategy: Option<String>,
    /// What the front end has to say.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why there is no exploration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The program cannot be read or transformed; located in its file.
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
}

impl From<farkas_schedule::Error> for ExploreError {
    fn from(error: farkas_schedule::Error) -> Self {
        Self::Refused(vec![crate::Error::from(error).to_diagnostic()])
    }
}

/// Searches for the strategy that makes the program at `path` fastest: one for all its regions. `tell` hears how far
/// the search is. The strategy's file, read again, gives the code that was measured.
///
/// # Errors
/// [`ExploreError`]; a candidate that fails is no error.
pub fn explore(
    path: &Path,
    read_options: &ReadOptions,
    options: &ExploreOptions,
    tell: &mut dyn FnMut(Progress),
) -> Result<Explored, ExploreError> {
    let input = read(path, read_options).map_err(|d| ExploreError::Refused(vec![*d]))?;
    if input.has_errors() {
        return Err(ExploreError::Refused(input.diagnostics));
    }
    if input.regions.is_empty() {
        return Err(ExploreError::Refused(vec![no_region(&input, read_options.front.auto)]));
    }
    let scops: Vec<_> = input.regions.iter().map(|region| &region.scop).collect();
    let subject = Subject::of(&scops)?;
    let setting = setting(path, read_options, options);
    let mut bench = Bench::new(path, &input, read_options, options, &setting, tell)?;
    let exploration = search(&mut bench, &subject, options.settings)?;
    let strategy = exploration.strategy_text(&setting);
    if let (Some(text), Some(winner)) = (&strategy, exploration.winner()) {
        bench.check(text, &winner.text)?;
    }
    drop(bench);
    Ok(Explored { exploration, setting, strategy, diagnostics: input.diagnostics })
}

/// The message on a file without regions.
fn no_region(input: &Input, auto: bool) -> Diagnostic {
    let message = format!("`{}` has no region", input.source.name());
    let help = "put `#pragma scop` before the loops to transform and `#pragma endscop` behind them";
    let or_auto = if auto { "" } else { ", or use --auto" };
    Diagnostic::new(DiagnosticId::NoRegion, message).help(format!("{help}{or_auto}"))
}

/// What is measured how.
fn setting(path: &Path, read_options: &ReadOptions, options: &ExploreOptions) -> Setting {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Setting {
        program: path.display().to_string(),
        name: stem.into_owned(),
        compiler: options.compiler.to_string(),
        flags: read_options.cpp_args.clone(),
        arguments: options.run.arguments.clone(),
        threads: options.threads,
        tolerance: options.tolerance.relative,
    }
}

/// Candidates may take this many times as long as the original, and some seconds more.
const PATIENCE: u32 = 10;
/// These seconds.
const GRACE: Duration = Duration::from_secs(5);

/// The pipeline, the compiler and the clock.
struct Bench<'a> {
    input: &'a Input,
    options: &'a ExploreOptions,
    name: &'a str,
    file: String,
    flags: Vec<String>,
    original: Executable,
    measure: Measure,
    /// Dependences of the regions, without and with those between reads.
    deps: BTreeMap<bool, Vec<Dependences>>,
    start: Instant,
    tell: &'a mut dyn FnMut(Progress),
}

impl<'a> Bench<'a> {
    /// Compiles the original and runs it once.
    fn new(
        path: &Path,
        input: &'a Input,
        read_options: &ReadOptions,
        options: &'a ExploreOptions,
        setting: &'a Setting,
        tell: &'a mut dyn FnMut(Progress),
    ) -> Result<Self, ExploreError> {
        let start = Instant::now();
        let flags = compile_flags(path, read_options);
        let original = options.compiler.compile(&Build::file(path).flags(flags.clone()))?;
        let run = options.run.clone().threads(options.threads);
        let first = original.run(&run)?;
        if first.exit != Exit::Code(0) {
            let said = first.stderr.lines().next().map_or_else(String::new, |l| format!(": {l}"));
            return Err(ExploreError::Original { reason: format!("{}{said}", first.exit) });
        }
        let patience = (first.wall * PATIENCE + GRACE).min(run.time_limit);
        let measure = Measure {
            rounds: 1,
            warmup: 0,
            options: RunOptions { time_limit: patience, ..run },
            tolerance: options.tolerance,
            allows_no_output: options.allows_no_output,
        };
        let file = path.display().to_string();
        let (name, deps) = (setting.name.as_str(), BTreeMap::new());
        Ok(Self { input, options, name, file, flags, original, measure, deps, start, tell })
    }

    /// How the regions are transformed for a choice.
    fn transformation(&self, choice: &Choice) -> Result<Options, String> {
        match choice {
            Choice::Named(name) => {
                let strategy = Strategy::from_name(name).ok_or("unknown strategy")?;
                Ok(self.with_strategy(strategy))
            }
            Choice::Point(point) => self.of_text(&point.to_text(self.name, None)),
        }
    }

    /// How the regions are transformed for a strategy file.
    fn of_text(&self, text: &str) -> Result<Options, String> {
        let source = Arc::new(SourceFile::new(format!("{}.json", self.name), text));
        let strategy = Strategy::from_source(source);
        Ok(self.with_strategy(strategy.map_err(|diagnostics| first_message(&diagnostics))?))
    }

    /// Everything but the strategy and what it says as it is by default.
    fn with_strategy(&self, strategy: Strategy) -> Options {
        let ExploreOptions { target, machine, .. } = self.options;
        let plain = Options { target: *target, machine: machine.clone(), ..Options::default() };
        let said = match &strategy {
            Strategy::File(file) => plain.with_file(file),
            _ => plain,
        };
        Options { strategy, ..said }.of_file(&self.input.source)
    }

    /// The dependences of all regions, computed once.
    fn dependences(&mut self, options: &Options) -> Result<&[Dependences], crate::Error> {
        let needs_input = options.strategy.needs_input();
        if !self.deps.contains_key(&needs_input) {
            let mut session = Session::default();
            let of = |region: &Region| analyze(&region.scop, options, &mut session);
            let deps = self.input.regions.iter().map(of).collect::<Result<_, _>>()?;
            self.deps.insert(needs_input, deps);
        }
        Ok(self.deps.get(&needs_input).map_or(&[], Vec::as_slice))
    }

    /// The whole program.
    fn program(&self, options: &Options) -> Result<Program, crate::Error> {
        let (mut key, mut replacements) = (String::new(), Vec::new());
        let of = |region| pieces(self.input.reading.as_ref(), region, options);
        let mut done: Vec<Piece> = self.input.regions.iter().flat_map(of).collect();
        leave_out(&mut done, options);
        for piece in done {
            if let Ok(optimized) = &piece.result {
                key.push_str(&format!("{}\n", optimized.tree));
            }
            replacements.extend(piece.replacement()?);
        }
        Ok(Program { key, text: splice(&self.input.source, &replacements) })
    }

    /// Sees to it that a strategy file gives the code that was measured.
    fn check(&self, strategy: &str, measured: &str) -> Result<(), ExploreError> {
        let made = self.of_text(strategy).map(|options| self.program(&options));
        match made {
            Ok(Ok(program)) if program.text == measured => Ok(()),
            _ => {
                let message = "the strategy found does not give the code that was measured";
                let diagnostic = Diagnostic::new(DiagnosticId::InternalError, message);
                Err(ExploreError::Refused(vec![diagnostic.note("nothing was written")]))
            }
        }
    }
}

/// The first of some messages.
fn first_message(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map_or_else(String::new, |diagnostic| diagnostic.message.clone())
}

impl Workbench for Bench<'_> {
    type Built = Executable;
    type Error = ExploreError;

    fn schedule(&mut self, choice: &Choice) -> Result<String, String> {
        let options = self.transformation(choice)?;
        if matches!(options.strategy, Strategy::Auto) {
            return Ok(choice.label());
        }
        let input = self.input;
        let deps = self.dependences(&options).map_err(|error| error.to_string())?;
        let mut key = String::new();
        for (region, deps) in input.regions.iter().zip(deps) {
            let decided = decide(&region.scop, deps, &options, &mut Session::default());
            let decided = decided.map_err(|error| error.to_string())?;
            key.push_str(&decided.tree.to_string());
            key.push('\n');
        }
        Ok(key)
    }

    fn transform(&mut self, choice: &Choice) -> Result<Program, String> {
        let options = self.transformation(choice)?;
        let program = self.program(&options).map_err(|error| error.to_string())?;
        // Which of its versions runs for which sizes is in the text alone.
        let is_auto = matches!(options.strategy, Strategy::Auto);
        let key = if is_auto { program.text.clone() } else { program.key };
        Ok(Program { key, text: program.text })
    }

    fn build(&mut self, text: &str) -> Result<Result<Executable, Outcome>, ExploreError> {
        let openmp = (self.options.target == Target::OpenMp).then(|| "-fopenmp".to_owned());
        let flags = self.flags.iter().cloned().chain(openmp);
        match self.options.compiler.compile(&Build::text(&self.file, text).flags(flags)) {
            Ok(executable) => Ok(Ok(executable)),
            Err(RunError::CompilationFailed { message, .. }) => {
                Ok(Err(Outcome::NotCompiled { reason: message }))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn measure(
        &mut self,
        programs: &[&Executable],
        rounds: usize,
    ) -> Result<Measured, ExploreError> {
        let versions: Vec<&Executable> =
            std::iter::once(&self.original).chain(programs.iter().copied()).collect();
        let measure = Measure { rounds, ..self.measure.clone() };
        let mut times = farkas_run::measure(&versions, &measure)?.into_iter();
        let original = match times.next() {
            Some(Ok(times)) => times.seconds,
            Some(Err(failure @ (Failure::Varies(_) | Failure::Silent))) => {
                return Err(ExploreError::Uncomparable(Outcome::of_failure(&failure)));
            }
            Some(Err(failure)) => {
                return Err(ExploreError::Original { reason: failure.to_string() });
            }
            None => Vec::new(),
        };
        let outcome = |result: Result<farkas_run::Times, Failure>| match result {
            Ok(times) => Ok(times.seconds),
            Err(failure) => Err(Outcome::of_failure(&failure)),
        };
        Ok(Measured { original, programs: times.map(outcome).collect() })
    }

    fn is_over(&self) -> bool {
        self.start.elapsed() >= self.options.time
    }

    fn tell(&mut self, progress: Progress) {
        (self.tell)(progress);
    }
}
