//! Why a database cannot be used, in words that say which file, what is wrong with it, and what to do.

use farkas_base::{Diagnostic, DiagnosticId};
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// A failure of a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no file.
    #[error("there is no database `{}`", .0.display())]
    Missing(PathBuf),
    /// The file was never written to.
    #[error("the database `{}` is empty", .0.display())]
    Empty(PathBuf),
    /// The file or its folder cannot be used.
    #[error("cannot open the database `{}`: {reason}", path.display())]
    Unopenable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file is none of SQLite's.
    #[error("`{}` is no database, or its beginning is damaged", .0.display())]
    NoDatabase(PathBuf),
    /// The file is another program's database.
    #[error("`{}` is a database of another program (its id is {application_id:#010x})", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it has in the place of our id.
        application_id: u32,
    },
    /// A newer program wrote the file.
    #[error("the database `{}` has version {version}, and this program knows versions up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The newest version that there is here.
        known: i64,
    },
    /// An older program wrote the file, which cannot be brought to this version where it is.
    #[error("the database `{}` has version {version}, and cannot be brought to version {known} where it is read-only", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The version that there is here.
        known: i64,
    },
    /// The file is cut off, or not what was written.
    #[error("the database `{}` is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// Others keep writing.
    #[error("the database `{}` is in use by other programs", .0.display())]
    Busy(PathBuf),
    /// The file cannot be written to.
    #[error("cannot write to the database `{}`: {reason}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Something that was to be written is nothing that a database can hold.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// Why a change of a database came to nothing.
#[derive(Debug)]
pub(crate) enum Fault {
    /// SQLite refused it.
    Here(rusqlite::Error),
    /// Another database failed.
    Elsewhere(Error),
}

impl Fault {
    /// The failure, where the database that was changed is the file at `path`.
    pub(crate) fn of(self, path: &Path) -> Error {
        match self {
            Self::Here(error) => Error::of(path, &error),
            Self::Elsewhere(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Here(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Elsewhere(error)
    }
}

/// Why something is nothing that a database can hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unfit(String);

impl Unfit {
    /// What is wrong.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl Error {
    /// What SQLite's error means for the file at `path`.
    pub(crate) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let Some(code) = error.sqlite_error_code() else {
            // A row of another form than the tables say.
            return Self::Damaged { path, what: error.to_string() };
        };
        match code {
            ErrorCode::NotADatabase => Self::NoDatabase(path),
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed => Self::Busy(path),
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                let reason = "it cannot be read, or its folder cannot be written to".into();
                Self::Unopenable { path, reason }
            }
            ErrorCode::ReadOnly => {
                Self::Unwritable { path, reason: "it is read-only, or its folder is".into() }
            }
            ErrorCode::DiskFull => Self::Unwritable { path, reason: "the disk is full".into() },
            ErrorCode::SystemIoFailure => {
                let reason = format!("reading or writing failed ({error})");
                Self::Unopenable { path, reason }
            }
            ErrorCode::DatabaseCorrupt => {
                let what = "pages are missing, or do not fit together".into();
                Self::Damaged { path, what }
            }
            _ => Self::Damaged { path, what: error.to_string() },
        }
    }

    /// The message to the user.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let id = match self {
            Self::Missing(_) | Self::Unopenable { .. } => DiagnosticId::UnreadableFile,
            Self::Unwritable { .. } => DiagnosticId::UnwritableOutput,
            Self::Busy(_) => DiagnosticId::DatabaseBusy,
            Self::Unfit(_) => DiagnosticId::BadEntry,
            Self::Empty(_)
            | Self::NoDatabase(_)
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::Older { .. }
            | Self::Damaged { .. } => DiagnosticId::BadDatabase,
        };
        let diagnostic = Diagnostic::new(id, self.to_string());
        match self.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    /// What to do.
    fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Missing(_) | Self::Empty(_) => {
                "`farkas db import` and `farkas db merge` make one; --db names another"
            }
            Self::NoDatabase(_) | Self::Foreign { .. } => {
                "name a database of recipes with --db, or move this file away"
            }
            Self::Newer { .. } => {
                "use the program that wrote it: its `farkas db export` writes what others read"
            }
            Self::Older { .. } => "copy it to where it can be written to",
            Self::Damaged { .. } => "move it away, and import an export of it or merge a copy",
            Self::Busy(_) => "try again when they have ended",
            Self::Unopenable { .. } | Self::Unwritable { .. } | Self::Unfit(_) => return None,
        })
    }
}
