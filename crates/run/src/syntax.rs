//! Asking the C compiler whether it takes a text in the place of the user's file.

use crate::{Preprocessor, Running, TemporaryFolder};
use farkas_base::{Diagnostic, SourceFile, encode};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// A text in the place of the file at a path: whatever the file includes is found.
#[derive(Debug)]
pub struct Replacement {
    folder: TemporaryFolder,
    preprocessor: Preprocessor,
    source: Arc<SourceFile>,
}

impl Replacement {
    /// `text`, to be read as `preprocessor` reads the file at `path`.
    ///
    /// # Errors
    /// When there is no place for temporary files.
    pub fn new(preprocessor: &Preprocessor, path: &Path, text: &str) -> std::io::Result<Self> {
        let folder = TemporaryFolder::new("farkas-")?;
        let name = path.file_name().map_or_else(|| PathBuf::from("output.c"), PathBuf::from);
        let own = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = folder.path().join(name);
        std::fs::write(&file, encode(text))?;
        let preprocessor = preprocessor.clone().args(["-iquote".as_ref(), own.as_os_str()]);
        let source = Arc::new(SourceFile::new(file.display().to_string(), text));
        Ok(Self { folder, preprocessor, source })
    }

    /// Whether the compiler, told of OpenMP, finds no error in it; else what it says. Nothing is generated.
    pub fn compiles(&self) -> Result<(), String> {
        let mut words = self.preprocessor.command.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_else(|| "cc".into()));
        command
            .args(words)
            .args(["-fsyntax-only", "-w", "-fopenmp"])
            .args(&self.preprocessor.args)
            .args(["-x", "c"])
            .arg(self.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        let output = Running::output(&mut command).map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// The text after preprocessing, with what it was made from.
    ///
    /// # Errors
    /// As [`Preprocessor::run`].
    pub fn preprocessed(&self) -> Result<(Arc<SourceFile>, String), Box<Diagnostic>> {
        let text = self.preprocessor.run(&self.path(), &self.source)?;
        Ok((Arc::clone(&self.source), text))
    }

    /// Where it is.
    fn path(&self) -> PathBuf {
        let name = Path::new(self.source.name()).file_name().map(PathBuf::from);
        self.folder.path().join(name.unwrap_or_default())
    }
}
