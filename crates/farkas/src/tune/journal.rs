//! The file in which a search keeps what was evaluated.

use super::TuneError;
use super::setup::Setup;
use farkas_tune::evolve::{Line, Seed};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The version of the file's form.
const FORMAT: u32 = 1;

/// The first line: what the answers after it are about, and what a database knew when the search began. It knows more since.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    farkas_tune: u32,
    setup: Setup,
    neighbours: Vec<Seed>,
}

/// What a journal knows.
pub(super) struct Known {
    /// What a database knew when the search began.
    pub(super) neighbours: Vec<Seed>,
    /// The answers.
    pub(super) lines: Vec<Line>,
}

/// A journal: each line is on the disk before the search goes on.
pub(super) struct JournalFile {
    path: PathBuf,
    file: File,
}

impl JournalFile {
    /// Opens the journal at `path`, which is made with these neighbours where there is none, and reads what is known. A last line that was
    /// cut off is removed.
    ///
    /// # Errors
    /// When the file cannot be read or written, is no journal, or is that of another program, or of one that is compiled or run otherwise.
    pub(super) fn open(
        path: &Path,
        setup: &Setup,
        neighbours: Vec<Seed>,
    ) -> Result<(Self, Known), TuneError> {
        let failed = |error: std::io::Error| TuneError::journal(path, error.to_string());
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut own = Self { path: path.to_owned(), file: file.map_err(failed)? };
        let mut text = Vec::new();
        own.file.read_to_end(&mut text).map_err(failed)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        own.file.set_len(whole as u64).map_err(failed)?;
        own.file.seek(SeekFrom::End(0)).map_err(failed)?;
        let text = String::from_utf8_lossy(&text[..whole]);
        let new = || Header { farkas_tune: FORMAT, setup: setup.clone(), neighbours };
        let mut lines = text.lines();
        let header = match lines.next() {
            None => {
                let header = new();
                own.write(&header)?;
                header
            }
            Some(first) => match serde_json::from_str::<Header>(first) {
                Ok(known) if known.farkas_tune == FORMAT && known.setup == *setup => known,
                Ok(_) => return Err(own.refused("it is of another program, compiler or input")),
                Err(_) => return Err(own.refused("it is no journal of this version")),
            },
        };
        let mut known = Vec::new();
        for (number, line) in lines.enumerate() {
            let line = serde_json::from_str(line);
            known.push(line.map_err(|e| own.refused(format!("line {}: {e}", number + 2)))?);
        }
        Ok((own, Known { neighbours: header.neighbours, lines: known }))
    }

    /// Adds an answer.
    pub(super) fn keep(&mut self, line: &Line) -> Result<(), TuneError> {
        self.write(line)
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), TuneError> {
        // Numbers and texts always have a JSON form.
        let line = serde_json::to_string(value).unwrap_or_default() + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| TuneError::journal(&self.path, error.to_string()))
    }

    fn refused(&self, reason: impl Into<String>) -> TuneError {
        TuneError::journal(&self.path, reason.into())
    }
}
