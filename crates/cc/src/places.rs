//! Where things are kept.

use crate::job::hash;
use directories::ProjectDirs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The variable that names another folder for the cache.
const CACHE: &str = "FARKAS_CACHE_DIR";

/// The folder of the cache: `$FARKAS_CACHE_DIR`, else the user's folder for caches; none where there is no such folder.
pub fn cache_folder() -> Option<PathBuf> {
    named_folder().or_else(|| Some(project()?.cache_dir().join("cc")))
}

/// The log: in the folder that the variable names, if it is set, else in the user's folder for states of programs, or for data where
/// the system has none.
pub fn log_file() -> Option<PathBuf> {
    const NAME: &str = "cc.log";
    if let Some(folder) = named_folder() {
        return Some(folder.join(NAME));
    }
    let project = project()?;
    Some(project.state_dir().unwrap_or_else(|| project.data_local_dir()).join(NAME))
}

/// What tells this build of the program from every other: its version, and the size and time of its file.
pub fn program_stamp() -> String {
    let data = std::env::current_exe().and_then(std::fs::metadata);
    let stamp = data.ok().map(|data| {
        let time = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (data.len(), time.map_or(0, |time| time.as_nanos()))
    });
    format!("{} {stamp:?}", env!("CARGO_PKG_VERSION"))
}

/// What tells what a file holds from what it may hold later.
///
/// # Errors
/// When it cannot be read.
pub fn file_stamp(path: &Path) -> std::io::Result<String> {
    Ok(hash(&std::fs::read(path)?))
}

/// The folder that the variable names.
fn named_folder() -> Option<PathBuf> {
    std::env::var_os(CACHE).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folders of this program.
fn project() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "farkas")
}
