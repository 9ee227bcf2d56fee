//! Project files: what the programs of a folder are transformed with where flags do not say it.

use crate::report::Report;
use crate::words::SCHEMA_KEY;
use farkas_base::{Diagnostic, SourceFile};
use std::sync::Arc;

/// A project file that was read; [`project_schema`](crate::project_schema) describes it.
///
/// # Example
/// ```
/// use farkas_base::SourceFile;
/// use farkas_config::ProjectFile;
/// use std::sync::Arc;
///
/// let text = r#"{ "project": { "db": "recipes.db" } }"#;
/// let file = ProjectFile::parse(&Arc::new(SourceFile::new("farkas.json", text))).unwrap();
/// assert_eq!(file.db.as_deref(), Some("recipes.db"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProjectFile {
    /// The database whose recipes strategy `auto` tries, by a path from the folder of the file.
    pub db: Option<String>,
}

impl ProjectFile {
    /// Reads a project file.
    ///
    /// # Errors
    /// All that is wrong with it, in the order of the file, each with its place.
    pub fn parse(source: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let root = crate::json::parse(source).map_err(|diagnostic| vec![*diagnostic])?;
        let mut report = Report::new(source);
        let read = |report: &mut Report| {
            let top = report.object(&root, "the file", &[SCHEMA_KEY, "project"])?;
            if let Some(schema) = top.get(SCHEMA_KEY) {
                report.text(schema, SCHEMA_KEY);
            }
            let project = top.need(report, "project")?;
            let keys = report.object(project, "project", &["db"])?;
            let db = match keys.get("db") {
                Some(node) => Some(report.text(node, "db")?.text.clone()),
                None => None,
            };
            Some(Self { db })
        };
        let file = read(&mut report);
        report.finish(file).map(|(file, _)| file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told() {
        let told = |text: &str| {
            let source = Arc::new(SourceFile::new("farkas.json", text));
            let found = ProjectFile::parse(&source).expect_err("it is wrong");
            found.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
        };
        assert_eq!(told("{}"), ["the file lacks the key `project`"]);
        assert_eq!(told(r#"{ "project": { "base": 1 } }"#).len(), 1);
        assert_eq!(told(r#"{ "project": { "db": 1 } }"#).len(), 1);
    }
}
