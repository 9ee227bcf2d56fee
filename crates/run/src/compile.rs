//! Compiling C to executables in temporary folders.

use crate::{Error, Running, TemporaryFolder, shell_words};
use farkas_base::encode;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

/// A compiler with the flags that are always passed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Compiler {
    /// The program: a name that is looked up in `PATH`, or a path.
    pub command: String,
    /// Flags that precede the input.
    pub flags: Vec<String>,
}

/// A C translation unit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// A text; it is written into the temporary folder.
    Text {
        /// The file name that messages show; a plain name such as `gemm.c`.
        name: String,
        /// The C text.
        text: String,
    },
}

/// What one executable is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Build {
    /// The translation units.
    pub inputs: Vec<Input>,
    /// Flags after those of the compiler: `-I`, `-D`, `-fopenmp`.
    pub flags: Vec<String>,
    /// Flags after the inputs: `-lm`.
    pub libraries: Vec<String>,
}

/// A compiled program. Its temporary folder goes with it.
#[derive(Debug)]
pub struct Executable {
    path: PathBuf,
    messages: String,
    _dir: TemporaryFolder,
}

impl FromStr for Compiler {
    type Err = Error;
    /// Reads a command line such as `gcc -O3 -march=native`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut words = shell_words(text)?.into_iter();
        let command = words.next().ok_or(Error::EmptyCommand)?;
        Ok(Self { command, flags: words.collect() })
    }
}

impl std::fmt::Display for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.command)?;
        self.flags.iter().try_for_each(|flag| write!(f, " {flag}"))
    }
}

impl Input {
    /// What messages call it.
    fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Text { name, .. } => name.clone(),
        }
    }

    /// The file to compile, written into `dir` when there is only a text.
    fn in_dir(&self, dir: &Path, position: usize) -> Result<PathBuf, Error> {
        match self {
            Self::File(path) => Ok(path.clone()),
            Self::Text { name, text } => {
                let folder = dir.join(position.to_string());
                std::fs::create_dir_all(&folder)?;
                let name = Path::new(name).file_name().unwrap_or("program.c".as_ref());
                let path = folder.join(name);
                std::fs::write(&path, encode(text))?;
                Ok(path)
            }
        }
    }
}

impl Build {
    /// One text called `name`, linked with the mathematics library.
    pub fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of(Input::Text { name: name.into(), text: text.into() })
    }

    /// One file, linked with the mathematics library.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(Input::File(path.into()))
    }

    /// The same with more flags.
    #[must_use]
    pub fn flags<S: Into<String>>(mut self, flags: impl IntoIterator<Item = S>) -> Self {
        self.flags.extend(flags.into_iter().map(Into::into));
        self
    }

    fn of(input: Input) -> Self {
        Self { inputs: vec![input], flags: Vec::new(), libraries: vec!["-lm".into()] }
    }
}

/// The programs that are looked for where no compiler is named, in this order.
const USUAL: [&str; 2] = ["gcc", "cc"];

impl Compiler {
    /// The compiler that is there, gcc or else cc, with these flags.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] where neither is in `PATH`.
    pub fn usual(flags: &[&str]) -> Result<Self, Error> {
        let command = first_in_path(&USUAL).ok_or(Error::NoCompiler)?;
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Ok(Self { command: command.into(), flags })
    }

    /// What the compiler calls itself: the first line that it prints for `--version`, where it prints one.
    pub fn version(&self) -> Option<String> {
        let mut command = Command::new(&self.command);
        command.args(&self.flags).arg("--version").env("LC_ALL", "C").stdin(Stdio::null());
        let output = Running::output(&mut command).ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        Some(first.to_owned())
    }

    /// Compiles and links `build`.
    ///
    /// # Errors
    /// [`Error::CompilerMissing`], or [`Error::CompilationFailed`] with the compiler's messages.
    ///
    /// # Example
    /// ```
    /// use farkas_run::{Build, Compiler, RunOptions};
    /// let compiler: Compiler = "gcc -O1".parse()?;
    /// let text = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n";
    /// let program = compiler.compile(&Build::text("hello.c", text))?;
    /// assert_eq!(program.run(&RunOptions::default())?.stdout, "hello\n");
    /// # Ok::<(), farkas_run::Error>(())
    /// ```
    pub fn compile(&self, build: &Build) -> Result<Executable, Error> {
        let dir = TemporaryFolder::new("farkas-")?;
        let path = dir.path().join("program");
        let mut command = Command::new(&self.command);
        command.args(&self.flags).args(&build.flags).stdin(Stdio::null()).arg("-o").arg(&path);
        for (position, input) in build.inputs.iter().enumerate() {
            command.arg(input.in_dir(dir.path(), position)?);
        }
        command.args(&build.libraries);
        let output = Running::output(&mut command).map_err(|error| Error::CompilerMissing {
            command: self.command.clone(),
            reason: error.to_string(),
        })?;
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(Executable { path, messages, _dir: dir });
        }
        let inputs: Vec<String> = build.inputs.iter().map(Input::name).collect();
        let words: Vec<&str> = self.flags.iter().chain(&build.flags).map(String::as_str).collect();
        Err(Error::CompilationFailed {
            command: format!("{} {}", self.command, words.join(" ")).trim_end().to_owned(),
            input: inputs.join(" "),
            message: if messages.is_empty() { output.status.to_string() } else { messages },
        })
    }
}

/// The first of these programs that is in a folder of `PATH`.
pub(crate) fn first_in_path<'a>(names: &[&'a str]) -> Option<&'a str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &str| std::env::split_paths(&path).any(|f| is_program(&f.join(name)));
    names.iter().copied().find(|name| is_there(name))
}

/// Whether a file is there that may be run.
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

impl Executable {
    /// The program file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the compiler wrote to its error stream: warnings.
    pub fn messages(&self) -> &str {
        &self.messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_carry_the_compilers_message() {
        let compiler: Compiler = "gcc -DX=1".parse().expect("a command");
        let error = compiler.compile(&Build::text("bad.c", "int main(void) { return y; }\n"));
        let Err(Error::CompilationFailed { command, input, message }) = error else {
            panic!("{error:?}")
        };
        assert_eq!((command.as_str(), input.as_str()), ("gcc -DX=1", "bad.c"));
        assert!(message.contains("bad.c:1") && message.contains('y'), "{message}");
    }

    #[test]
    fn the_usual_compiler_is_there_and_has_a_version() {
        let compiler = Compiler::usual(&["-O3"]).expect("a compiler");
        assert!(USUAL.contains(&compiler.command.as_str()), "{compiler}");
        assert_eq!(compiler.flags, ["-O3"]);
        let version = compiler.version().expect("a version");
        assert!(version.contains(|c: char| c.is_ascii_digit()), "{version}");
        assert!(!is_program(Path::new("/")) && !is_program(Path::new("/proc/self/status")));
    }

    #[test]
    fn missing_and_empty_compilers_are_named() {
        assert!(matches!("".parse::<Compiler>(), Err(Error::EmptyCommand)));
        let compiler: Compiler = "no-such-compiler -O2".parse().expect("a command");
        assert_eq!(compiler.to_string(), "no-such-compiler -O2");
        assert_eq!(compiler.version(), None);
        let error = compiler.compile(&Build::text("a.c", "")).expect_err("it is not there");
        assert!(error.to_string().contains("no-such-compiler"), "{error}");
    }
}
