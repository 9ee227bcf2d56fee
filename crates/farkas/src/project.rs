//! The project that a file belongs to: a folder with a file `farkas.json`.

use crate::database::is_seed;
use farkas_base::Diagnostic;
use farkas_config::ProjectFile;
use farkas_run::read_source;
use std::path::{Path, PathBuf};

/// The name of project files.
const NAME: &str = "farkas.json";

/// A project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Project {
    /// Its file.
    pub file: PathBuf,
    /// The database whose recipes strategy `auto` tries.
    pub db: Option<PathBuf>,
}

/// The project of the file at `path`: the project file in its folder or, where there is none, in the nearest folder around that.
///
/// # Errors
/// What is wrong with the project file.
pub fn project_of(path: &Path) -> Result<Option<Project>, Vec<Diagnostic>> {
    // A file that is not there is told by whoever reads it.
    let Ok(path) = path.canonicalize() else { return Ok(None) };
    let files = path.ancestors().skip(1).map(|folder| folder.join(NAME));
    let Some(file) = files.into_iter().find(|file| file.is_file()) else { return Ok(None) };
    let source = read_source(&file).map_err(|diagnostic| vec![*diagnostic])?;
    let read = ProjectFile::parse(&source)?;
    let beside = |db: PathBuf| if is_seed(&db) { db } else { file.with_file_name("").join(db) };
    let db = read.db.map(PathBuf::from).map(beside);
    Ok(Some(Project { file, db }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_project_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        let (inner, file) = (root.join("a/b"), root.join("a/b/main.c"));
        std::fs::create_dir_all(&inner).expect("folders");
        std::fs::write(&file, "").expect("a file");
        let write = |at: &Path, text: &str| std::fs::write(at.join(NAME), text).expect("a file");
        write(&root, r#"{ "project": { "db": "all.db" } }"#);
        let db = |path: &Path| project_of(path).expect("a project file").and_then(|found| found.db);
        assert_eq!(db(&file), Some(root.join("all.db")));
        write(&root.join("a"), r#"{ "project": {} }"#);
        assert_eq!(db(&file), None);
        write(&inner, "{");
        assert!(project_of(&file).is_err());
        assert_eq!(db(&root.join("missing.c")), None);
        write(&inner, r#"{ "project": { "db": "seed" } }"#);
        assert_eq!(db(&file), Some("seed".into()));
    }
}
