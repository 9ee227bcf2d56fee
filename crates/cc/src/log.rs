//! What went wrong on our side, in a file that `farkas cc --log` prints: a line an event.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file, if there is a place for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    path: Option<PathBuf>,
}

impl Log {
    /// The log at `path`; none keeps nothing.
    pub fn new(path: Option<PathBuf>) -> Self {
        Self { path }
    }

    /// Adds an event to the end. Where that cannot be, nothing happens: the build goes on.
    pub fn add(&self, file: &Path, what: &str, reproducer: Option<&Path>) {
        let Some(path) = &self.path else { return };
        let now = humantime::format_rfc3339_seconds(SystemTime::now());
        let what = what.lines().next().unwrap_or_default();
        let mut line = format!("{now} {}: {what}", file.display());
        if let Some(reproducer) = reproducer {
            line.push_str(&format!("; reproducer: {}", reproducer.display()));
        }
        line.push('\n');
        if let Some(folder) = path.parent() {
            let _ = fs::create_dir_all(folder);
        }
        // One write at the end of the file: lines of several builds do not mix.
        let file = fs::File::options().create(true).append(true).open(path);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }

    /// Its text; empty where nothing happened yet.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text(&self) -> std::io::Result<String> {
        let Some(path) = &self.path else { return Ok(String::new()) };
        match fs::read(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = Log::new(Some(folder.path().join("state/cc.log")));
        assert_eq!(log.text().expect("readable"), "");
        log.add(Path::new("a.c"), "it crashed\nbadly", None);
        log.add(Path::new("b.c"), "again", Some(Path::new("/r")));
        let text = log.text().expect("readable");
        let lines: Vec<&str> = text.lines().map(|line| &line[21..]).collect();
        assert_eq!(lines, ["a.c: it crashed", "b.c: again; reproducer: /r"]);
    }
}
