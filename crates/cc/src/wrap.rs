//! A compiler's call on its way: its files of C are transformed, and the compiler gets the results in their place.

use crate::arguments::{Argument, CommandLine, Kind};
use crate::cache::{Cache, Entry};
use crate::call::{
    NotStarted, become_it, captured, code, looked, print, run as run_command, with_arguments,
};
use crate::job::{Job, hash};
use crate::log::Log;
use crate::loops::has_loops;
use crate::plan::{
    handed_on, has_fatal_warnings, has_strict_aliasing, is_of_dependencies, links, needs_check,
    of_check, of_reading, options_of_one,
};
use crate::response::expanded;
use crate::worker::ask;
use farkas::Growth;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_run::{Preprocessor, TemporaryFolder, read_source};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// How files are transformed on their way, and what there is beside the compiler.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine that the code is for, as `--machine` names it.
    pub machine: String,
    /// Whether threads are made, and linked, where the command line has no `-fopenmp` either.
    pub threads: bool,
    /// Whether results that the order shows in (`-ffast-math`) are to be the same in every run, whatever the number of threads.
    pub deterministic: bool,
    /// Whether each file's fate is told.
    pub is_verbose: bool,
    /// Whether a bug of ours is an error, and no reason to compile the file as it is.
    pub is_strict: bool,
    /// isl operations that a file may take.
    pub effort: u64,
    /// How much larger a file's code may become.
    pub growth: Growth,
    /// The database whose recipes are tried beside others, if any.
    pub db: Option<PathBuf>,
    /// What became of files before.
    pub cache: Cache,
    /// Where bugs are told.
    pub log: Log,
    /// The command of the process that transforms a file.
    pub worker: Vec<OsString>,
    /// What tells this program, and what it knows of the machine, from others, so that their results are not taken for its own:
    /// the word for a machine means another one elsewhere, and a file may change, as a database does ([`file_stamp`](crate::file_stamp)).
    pub program: String,
}

/// Runs the compiler that `words` are the call of; returns its exit status. Where nothing is transformed, this process becomes the
/// compiler.
///
/// # Errors
/// When there is no such compiler; under [`Settings::is_strict`], when a bug of ours was noticed.
pub fn run(settings: &Settings, words: &[OsString]) -> Result<u8, Box<Diagnostic>> {
    let written = settings.with_threads(words);
    let Some(line) = CommandLine::parse(&expanded(&written)) else {
        let message = "there is no compiler: expected one as in `farkas cc gcc -O2 -c main.c`";
        return Err(Box::new(Diagnostic::new(DiagnosticId::BadOption, message)));
    };
    if let Some(reason) = handed_on(&line) {
        settings.tell(None, &format!("compiled as it is: {reason}"));
        return become_it(&written);
    }
    let wrapped = Wrapped { settings, line, written };
    let placed = wrapped.placed()?;
    if placed.is_empty() { become_it(&wrapped.written) } else { wrapped.compile(placed) }
}

impl Settings {
    /// Tells what happens to a file, where that is asked for.
    fn tell(&self, file: Option<&Path>, what: &str) {
        if self.is_verbose {
            let file = file.map(|file| format!("{}: ", file.display())).unwrap_or_default();
            eprintln!("farkas cc: {file}{what}");
        }
    }

    /// The words with the option that makes and links threads, where that is asked for.
    fn with_threads(&self, words: &[OsString]) -> Vec<OsString> {
        let n_before = CommandLine::parse(words).map_or(0, |line| line.launchers.len() + 1);
        let mut words = words.to_vec();
        let option = OsString::from("-fopenmp");
        if self.threads && n_before > 0 && n_before < words.len() && !words.contains(&option) {
            words.insert(n_before, option);
        }
        words
    }
}

/// The file of a reproducer with the call.
const COMMAND: &str = "command";

/// Macros whose value would be that of the file with the result.
const OF_FILES: [&str; 2] = ["__TIMESTAMP__", "__BASE_FILE__"];

/// A source with what is compiled in its place.
struct Placed {
    /// The place of the source among the arguments.
    at: usize,
    entry: Entry,
    /// Whether the file asks for nothing of OpenMP itself.
    is_plain: bool,
}

/// A call whose sources are looked at.
struct Wrapped<'a> {
    settings: &'a Settings,
    line: CommandLine,
    /// The call as it is written.
    written: Vec<OsString>,
}

impl Wrapped<'_> {
    /// The sources for which something else is compiled.
    fn placed(&self) -> Result<Vec<Placed>, Box<Diagnostic>> {
        let mut placed = Vec::new();
        for (at, argument) in self.line.arguments.iter().enumerate() {
            let Some(word) = argument.words.first().filter(|_| argument.kind == Kind::Source)
            else {
                continue;
            };
            let path = Path::new(word);
            let looked_at = self.look(path)?;
            match looked_at {
                Err(reason) => {
                    self.settings.tell(Some(path), &format!("compiled as it is: {reason}"))
                }
                Ok((entry, _)) if entry.path.is_none() => {
                    let reason = &entry.answer.summary;
                    self.settings.tell(Some(path), &format!("compiled as it is: {reason}"));
                }
                Ok((entry, is_plain)) => {
                    self.settings.tell(Some(path), &entry.answer.summary);
                    placed.push(Placed { at, entry, is_plain });
                }
            }
        }
        Ok(placed)
    }

    /// What becomes of a source, and whether it asks for nothing of OpenMP; or why it was not looked at.
    fn look(&self, path: &Path) -> Result<Result<(Entry, bool), String>, Box<Diagnostic>> {
        let settings = self.settings;
        let (Some(name), Some(file)) = (path.to_str(), path.file_name()) else {
            return Ok(Err("its name is not UTF-8".to_owned()));
        };
        let source = match read_source(path) {
            Ok(source) => source,
            Err(diagnostic) => return Ok(Err(diagnostic.message)),
        };
        if !has_loops(source.text()) {
            return Ok(Err("it has no loops".to_owned()));
        }
        if let Some(name) = OF_FILES.iter().find(|name| source.text().contains(**name)) {
            return Ok(Err(format!("it asks which file is compiled ({name})")));
        }
        let preprocessor = Preprocessor::new([&self.line.compiler]).args(of_reading(&self.line));
        let preprocessed = match preprocessor.run(path, &source) {
            Ok(text) => text,
            Err(diagnostic) => return Ok(Err(diagnostic.message)),
        };
        let is_plain = !preprocessed.contains("#pragma omp");
        let job = Job {
            name: name.to_owned(),
            text: source.text().to_owned(),
            preprocessed,
            machine: settings.machine.clone(),
            threads: self.has_threads(),
            deterministic: settings.deterministic,
            strict_aliasing: has_strict_aliasing(&self.line),
            effort: settings.effort,
            growth: settings.growth.to_string(),
            db: settings.db.clone(),
        };
        let key = job.key(&settings.program);
        if let Some(entry) = settings.cache.find(&key, file) {
            return Ok(Ok((entry, is_plain)));
        }
        let answer = match ask(&settings.worker, &job) {
            Ok(answer) => answer,
            Err(what) => {
                let message = format!("the process that transforms it failed: {what}");
                self.report(path, &message, Some(&job), None)?;
                return Ok(Err(message));
            }
        };
        if let Some(bug) = answer.bugs.first() {
            self.report(path, bug, Some(&job), None)?;
        }
        let kept = settings.cache.keep(&key, file, answer);
        if let (Ok(entry), Some(root)) = (&kept, settings.cache.root())
            && !entry.is_kept
        {
            let root = root.display();
            settings
                .tell(Some(path), &format!("the result is not kept: `{root}` cannot be written"));
        }
        Ok(kept.map(|entry| (entry, is_plain)).map_err(|error| error.to_string()))
    }

    /// Whether the command line asks for threads.
    fn has_threads(&self) -> bool {
        self.line.options().any(|(text, _)| text == "-fopenmp" || text.starts_with("-fopenmp="))
    }

    /// Compiles what takes the place of the sources; what it prints and leaves behind is that of the call as it is written.
    fn compile(&self, placed: Vec<Placed>) -> Result<u8, Box<Diagnostic>> {
        // What warnings are made errors is known only once the compiler has seen all of the sources.
        let is_compiled = has_fatal_warnings(&self.line);
        if is_compiled {
            let status = run_command(&self.written)?;
            if status != 0 {
                return Ok(status);
            }
        } else if needs_check(&self.line) {
            let line = with_arguments_of(&self.line, of_check(&self.line));
            let output = looked(&line, &self.line)?;
            if !output.status.success() {
                return run_command(&self.written);
            }
            print(&output);
        }
        let folder = TemporaryFolder::new("farkas-cc-");
        let (Ok(folder), true) = (folder, self.may_be_apart()) else {
            return if is_compiled { Ok(0) } else { run_command(&self.written) };
        };
        match self.results(&placed, folder.path())? {
            Ok(()) => Ok(0),
            Err(messages) => self.as_written(placed, &messages),
        }
    }

    /// Compiles as it is written what the compiler refuses else, where the results take no room any more.
    fn as_written(&self, placed: Vec<Placed>, messages: &str) -> Result<u8, Box<Diagnostic>> {
        let text = |placed: &Placed| std::fs::read(placed.entry.path.as_deref()?).ok();
        let refused: Vec<_> = placed.iter().map(|placed| (placed.at, text(placed))).collect();
        drop(placed);
        let status = run_command(&self.written)?;
        if status == 0 {
            let what = messages.lines().find(|line| line.contains("error")).unwrap_or(messages);
            for (at, text) in refused {
                let words = &self.line.arguments[at].words;
                let path = words.first().map(Path::new).unwrap_or(Path::new(""));
                let message = format!("the compiler refuses the result: {what}");
                self.report(path, &message, None, text.as_deref())?;
            }
        }
        Ok(status)
    }

    /// Compiles what takes the place of the sources; else what the compiler says.
    fn results(&self, placed: &[Placed], folder: &Path) -> Result<Result<(), String>, NotStarted> {
        for words in self.calls(placed, folder) {
            let output = captured(&words, folder)?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                return Ok(Err(format!("{said}\n(status {})", code(output.status))));
            }
            print(&output);
        }
        Ok(Ok(()))
    }

    /// Whether what takes the place of the sources can be compiled: where they are in several folders, each by itself.
    fn may_be_apart(&self) -> bool {
        self.has_one_folder()
            || !(self.line.has_prefix("-x") || self.line.has_prefix("-save-temps"))
    }

    /// Whether all sources are in one folder.
    fn has_one_folder(&self) -> bool {
        let folders: Vec<&Path> = self.line.sources().map(own_folder).collect();
        folders.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// The calls that compile what takes the place of the sources: one where all sources are in one folder, which is where their
    /// includes are looked for first, else one a source, and one that links.
    fn calls(&self, placed: &[Placed], folder: &Path) -> Vec<Vec<OsString>> {
        if self.has_one_folder() {
            let arguments = self.line.arguments.iter().enumerate().map(|(at, argument)| {
                let placed = placed.iter().find(|placed| placed.at == at);
                placed.map_or_else(|| argument.clone(), Placed::source)
            });
            let arguments = arguments.collect();
            let all: Vec<&Placed> = placed.iter().collect();
            return vec![self.call(&all, arguments)];
        }
        self.calls_apart(placed, folder)
    }

    /// One call a source, and one that links, if the command does.
    fn calls_apart(&self, placed: &[Placed], folder: &Path) -> Vec<Vec<OsString>> {
        let is_linking = links(&self.line);
        let common: Vec<Argument> = options_of_one(&self.line).cloned().collect();
        let (mut calls, mut linked) = (Vec::new(), self.line.arguments.clone());
        linked.retain(|argument| !is_of_dependencies(argument));
        let mut objects = Vec::new();
        for (at, argument) in self.line.arguments.iter().enumerate() {
            if argument.kind != Kind::Source {
                continue;
            }
            let found = placed.iter().find(|placed| placed.at == at);
            let mut arguments = common.clone();
            arguments.push(found.map_or_else(|| argument.clone(), Placed::source));
            if is_linking {
                let object = folder.join(format!("{at}.o")).into_os_string();
                arguments.push(Argument::option("-c"));
                arguments.push(Argument {
                    words: vec!["-o".into(), object.clone()],
                    kind: Kind::Option,
                });
                objects.push((
                    argument.clone(),
                    Argument { words: vec![object], kind: Kind::OtherInput },
                ));
            }
            calls.push(self.call(&Vec::from_iter(found), arguments));
        }
        if is_linking {
            for (source, object) in objects {
                if let Some(place) = linked.iter_mut().find(|argument| **argument == source) {
                    *place = object;
                }
            }
            calls.push(with_arguments(&self.line, &linked));
        }
        calls
    }

    /// A call that compiles some results among its arguments. They are in other folders than the sources: includes are looked for
    /// where these are, debuggers look there, too. What was said of the sources is not said again.
    fn call(&self, placed: &[&Placed], mut arguments: Vec<Argument>) -> Vec<OsString> {
        arguments.retain(|argument| !is_of_dependencies(argument));
        let mut first = Vec::new();
        if let Some(own) = placed.first().map(|placed| self.own_folder(placed)) {
            first.push(Argument { words: vec!["-iquote".into(), own.into()], kind: Kind::Option });
        }
        for placed in placed {
            if let Some(folder) = placed.entry.path.as_deref().and_then(Path::parent) {
                let mut map = OsString::from("-fdebug-prefix-map=");
                map.push(folder);
                map.push("/=");
                let own = self.own_folder(placed);
                if own != Path::new(".") {
                    map.push(own);
                    map.push("/");
                }
                first.push(Argument::option(map));
            }
        }
        if !placed.is_empty() {
            if needs_check(&self.line) {
                arguments.push(Argument::option("-w"));
            }
            if !self.has_threads() && placed.iter().all(|placed| placed.is_plain) {
                arguments.push(Argument::option("-fopenmp-simd"));
            }
        }
        first.extend(arguments);
        with_arguments(&self.line, &first)
    }

    /// The folder of the source that something stands for.
    fn own_folder(&self, placed: &Placed) -> &Path {
        let word = self.line.arguments[placed.at].words.first();
        own_folder(word.map_or(Path::new(""), Path::new))
    }

    /// Puts a bug of ours on record, with what is needed to see it again.
    fn report(
        &self,
        path: &Path,
        what: &str,
        job: Option<&Job>,
        result: Option<&[u8]>,
    ) -> Result<(), Box<Diagnostic>> {
        let settings = self.settings;
        let reproducer = self.reproducer(path, what, job, result);
        settings.log.add(path, what, reproducer.as_deref());
        settings.tell(Some(path), what);
        if !settings.is_strict {
            return Ok(());
        }
        let message = format!("`{}`: {what}", path.display());
        let mut diagnostic = Diagnostic::new(DiagnosticId::InternalError, message);
        if let Some(reproducer) = reproducer {
            diagnostic = diagnostic.note(format!("see {}", reproducer.display()));
        }
        Err(Box::new(diagnostic.help(
            "FARKAS_CC_STRICT=1 makes this an error: without it, the file is compiled as it is",
        )))
    }

    /// Keeps what is needed to see a bug again, once: the call, the job or what the compiler refused.
    fn reproducer(
        &self,
        path: &Path,
        what: &str,
        job: Option<&Job>,
        result: Option<&[u8]>,
    ) -> Option<PathBuf> {
        let root = self.settings.cache.reproducers()?;
        let name = path.file_name().unwrap_or(OsStr::new("file")).to_string_lossy();
        let code = hash(format!("{} {what}", path.display()).as_bytes());
        let folder = root.join(format!("{name}-{}", code.get(..12)?));
        if folder.join(COMMAND).exists() {
            return Some(folder);
        }
        std::fs::create_dir_all(&folder).ok()?;
        if let Some(job) = job {
            std::fs::write(folder.join("job.json"), serde_json::to_vec(job).ok()?).ok()?;
        }
        if let Some(result) = result {
            std::fs::write(folder.join("result.c"), result).ok()?;
        }
        let call: Vec<_> = self.written.iter().map(|word| word.to_string_lossy()).collect();
        std::fs::write(folder.join(COMMAND), call.join(" ") + "\n").ok()?;
        Some(folder)
    }
}

impl Placed {
    /// The file to compile as an argument.
    fn source(&self) -> Argument {
        let path = self.entry.path.clone().unwrap_or_default();
        Argument { words: vec![path.into_os_string()], kind: Kind::Source }
    }
}

/// A compiler's call with other words after it.
fn with_arguments_of(line: &CommandLine, words: Vec<OsString>) -> Vec<OsString> {
    [line.compiler.clone()].into_iter().chain(words).collect()
}

/// The folder of a file.
fn own_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
