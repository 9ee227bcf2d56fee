//! Reading the user's file and running the C preprocessor on it.

use crate::Running;
use crate::compile::first_in_path;
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span, decode};
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The largest source file that is read.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// The largest preprocessor output that is read.
const MAX_OUTPUT_BYTES: u64 = 256 << 20;

/// How much of the compiler's messages is kept.
const MAX_MESSAGE_BYTES: u64 = 1 << 20;

/// How many lines of the compiler's messages are shown.
const MAX_MESSAGE_LINES: usize = 12;

/// Reads a source file; bytes that are no UTF-8 become characters that give them back when the text is written ([`decode`]).
///
/// # Errors
/// `unreadable-file`, `file-too-large`, `empty-file` or `not-text`.
pub fn read_source(path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    read_source_within(path, MAX_SOURCE_BYTES)
}

/// [`read_source`] of a file that may have so many bytes.
///
/// # Errors
/// As [`read_source`].
pub fn read_source_within(path: &Path, max_bytes: u64) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let name = path.display().to_string();
    let refuse = |id, what: String| Box::new(Diagnostic::new(id, what));
    let unreadable =
        |why: String| refuse(DiagnosticId::UnreadableFile, format!("cannot read `{name}`: {why}"));
    let file = std::fs::File::open(path).map_err(|e| unreadable(reason(&e)))?;
    let metadata = file.metadata().map_err(|e| unreadable(reason(&e)))?;
    if metadata.is_dir() {
        return Err(unreadable("it is a folder".to_owned()));
    }
    text_of(name, file, max_bytes)
}

/// Reads standard input as a source file called `standard input`.
///
/// # Errors
/// As [`read_source`].
pub fn read_standard_input() -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    text_of("standard input".to_owned(), std::io::stdin().lock(), MAX_SOURCE_BYTES)
}

/// The text that `reader` has, as a source file called `name`, where it has at most so many bytes.
fn text_of(
    name: String,
    reader: impl Read,
    max_bytes: u64,
) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let refuse = |id, what: String| Box::new(Diagnostic::new(id, what));
    let mut bytes = Vec::new();
    reader.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|error| {
        refuse(DiagnosticId::UnreadableFile, format!("cannot read `{name}`: {}", reason(&error)))
    })?;
    if bytes.len() as u64 > max_bytes {
        let what = format!("`{name}` is larger than {} MiB", max_bytes >> 20);
        return Err(refuse(DiagnosticId::FileTooLarge, what));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(refuse(DiagnosticId::EmptyFile, format!("`{name}` is empty")));
    }
    if let Some(at) = bytes.iter().position(|&b| b == 0) {
        let what = format!("`{name}` is not text: byte {} is zero", at + 1);
        return Err(refuse(DiagnosticId::NotText, what));
    }
    Ok(Arc::new(SourceFile::new(name, decode(bytes))))
}

/// What the operating system says, without the error number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// The C preprocessor to call, with the user's options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preprocessor {
    /// The compiler and fixed arguments to it.
    pub(crate) command: Vec<OsString>,
    /// `-I`, `-D`, `-U`, `-include` as the user gave them, in order.
    pub(crate) args: Vec<OsString>,
}

impl Default for Preprocessor {
    /// The system's compiler, `cc`; `gcc` where there is none.
    fn default() -> Self {
        let command = first_in_path(&["cc", "gcc"]).unwrap_or("cc");
        Self { command: vec![command.into()], args: Vec::new() }
    }
}

impl Preprocessor {
    /// The compiler that `--cpp` names, else `FARKAS_CPP`, else `cc` or `gcc`; words after the first are arguments of it.
    pub fn from_option(cpp: Option<&str>) -> Self {
        let variable = std::env::var("FARKAS_CPP").ok();
        let words = cpp.or(variable.as_deref()).unwrap_or_default();
        let command: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
        if command.is_empty() { Self::default() } else { Self { command, args: Vec::new() } }
    }

    /// A compiler, with fixed arguments to it.
    pub fn new(command: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { command: command.into_iter().map(Into::into).collect(), args: Vec::new() }
    }

    /// Passes further arguments through.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Runs `CC -E -dD` on the file at `path`, which was read as `source`; gives back what it prints, with line markers
    /// and definitions. One process; the compiler's warnings are not asked for.
    ///
    /// # Errors
    /// `preprocessor-missing`, `preprocessing-failed` or `file-too-large`.
    pub fn run(&self, path: &Path, source: &Arc<SourceFile>) -> Result<String, Box<Diagnostic>> {
        let mut command = self.command(path);
        let program =
            self.command.first().map_or_else(String::new, |p| p.to_string_lossy().into_owned());
        let missing = |error: std::io::Error| {
            let message = format!("cannot run the C preprocessor `{program}`: {}", reason(&error));
            let help = "install a C compiler, or name one with --cpp or FARKAS_CPP";
            Box::new(Diagnostic::new(DiagnosticId::PreprocessorMissing, message).help(help))
        };
        let mut child = Running::spawn(&mut command).map_err(missing)?;
        let stderr = child.stderr.take();
        let messages = std::thread::spawn(move || {
            stderr.map_or_else(Vec::new, |pipe| read_some(pipe, MAX_MESSAGE_BYTES))
        });
        let output =
            child.stdout.take().map_or_else(Vec::new, |pipe| read_some(pipe, MAX_OUTPUT_BYTES + 1));
        let too_large = output.len() as u64 > MAX_OUTPUT_BYTES;
        if too_large {
            let _ = child.kill();
        }
        let status = child.wait().map_err(missing)?;
        let messages = messages.join().unwrap_or_default();
        if too_large {
            let message =
                format!("the preprocessed file is larger than {} MiB", MAX_OUTPUT_BYTES >> 20);
            return Err(Box::new(Diagnostic::new(DiagnosticId::FileTooLarge, message)));
        }
        if !status.success() {
            return Err(Box::new(self.failure(&String::from_utf8_lossy(&messages), path, source)));
        }
        let output = decode(output);
        if !output.starts_with("# ") && !output.contains("\n# ") {
            let message = format!("the C preprocessor `{program}` printed no line markers");
            let diagnostic = Diagnostic::new(DiagnosticId::PreprocessingFailed, message);
            return Err(Box::new(
                diagnostic.help("name a C compiler, without -P, with --cpp or FARKAS_CPP"),
            ));
        }
        Ok(output)
    }

    /// The call for the file at `path`.
    fn command(&self, path: &Path) -> Command {
        let path = if path.to_string_lossy().starts_with('-') {
            Path::new(".").join(path)
        } else {
            path.to_owned()
        };
        let (program, fixed) = self
            .command
            .split_first()
            .map_or(("cc".into(), &[][..]), |(p, f)| (PathBuf::from(p), f));
        let mut command = Command::new(program);
        command.args(fixed).args(["-E", "-dD", "-w"]).args(&self.args).args(["-x", "c"]).arg(path);
        command
            .env("LC_ALL", "C")
            // It is no part of a build: no list of what depends on what is told of it.
            .env_remove("DEPENDENCIES_OUTPUT")
            .env_remove("SUNPRO_DEPENDENCIES")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The compiler's own message, at its place in the file where it names one.
    fn failure(&self, messages: &str, path: &Path, source: &Arc<SourceFile>) -> Diagnostic {
        let first = messages.lines().find_map(Message::parse);
        let text = first.as_ref().map_or("it gives no reason", |m| m.text);
        let diagnostic = Diagnostic::new(
            DiagnosticId::PreprocessingFailed,
            format!("the C preprocessor failed: {text}"),
        );
        let name = path.to_string_lossy();
        let place = first.filter(|m| m.file == name || m.file.strip_prefix("./") == Some(&name));
        let mut diagnostic = match place.and_then(|m| token_span(source, m.line, m.column)) {
            Some(span) => diagnostic.at(source, span, ""),
            None => diagnostic,
        };
        for line in messages.lines().filter(|l| !l.trim().is_empty()).take(MAX_MESSAGE_LINES) {
            diagnostic = diagnostic.note(line);
        }
        let command = self.command(path);
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|w| w.to_string_lossy()).collect();
        let diagnostic = diagnostic.note(format!("the call was `{}`", words.join(" ")));
        if text.contains("No such file") || text.contains("file not found") {
            diagnostic.help("pass the folders of its includes with -I, as for the compiler")
        } else {
            diagnostic
        }
    }
}

/// Everything that comes through `pipe`, of which the first `limit` bytes are kept.
fn read_some(mut pipe: impl Read, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.by_ref().take(limit).read_to_end(&mut bytes);
    bytes
}

/// A message `FILE:LINE:COLUMN: [fatal ]error: TEXT`.
struct Message<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    text: &'a str,
}

impl<'a> Message<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (place, text) =
            line.split_once(" fatal error: ").or_else(|| line.split_once(" error: "))?;
        let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
        let (column, line, file) =
            (parts.next()?.parse().ok(), parts.next().and_then(|l| l.parse().ok()), parts.next());
        Some(Self {
            file: file.unwrap_or(""),
            line: line.unwrap_or(0),
            column: column.unwrap_or(1),
            text,
        })
    }
}

/// The word at `column` (in characters, as gcc counts them, from 1) of `line`.
fn token_span(source: &SourceFile, line: u32, column: u32) -> Option<Span> {
    let range = source.line_range(line)?;
    let text = source.text().get(range.clone())?;
    let before = text.chars().take((column as usize).saturating_sub(1)).map(char::len_utf8);
    let start = range.start + before.sum::<usize>();
    let rest = source.text().get(start..range.end)?;
    let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    Some(Span::new(start..start + end))
}
