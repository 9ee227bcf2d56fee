//! The transformed file: generated code in the place of each region, everything else byte for byte.

use farkas_base::{SourceFile, Span};
use std::io::Write;
use std::path::Path;

/// `source` with each span replaced by its text. Spans must not overlap; they may come in any order.
pub fn splice(source: &SourceFile, replacements: &[(Span, String)]) -> String {
    let mut ordered: Vec<&(Span, String)> = replacements.iter().collect();
    ordered.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(source.text().len());
    let mut at = 0;
    for (span, text) in ordered {
        let range = span.range();
        out.push_str(source.text().get(at..range.start).unwrap_or(""));
        out.push_str(text);
        at = range.end;
    }
    out.push_str(source.text().get(at..).unwrap_or(""));
    out
}

/// Writes `text` to `path` in one step: to a new file beside it, which then takes its place, so that an interrupted run
/// leaves either the old file or the new one.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_atomically(path: &Path, text: &str) -> std::io::Result<()> {
    let folder =
        path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".farkas-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_data()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_or(0o644, |m| m.permissions().mode());
        file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splicing_keeps_everything_else() {
        let source = SourceFile::new("a.c", "0123456789");
        let replaced =
            splice(&source, &[(Span::new(7..9), "B".into()), (Span::new(1..3), "AAA".into())]);
        assert_eq!(replaced, "0AAA3456B9");
        assert_eq!(splice(&source, &[]), "0123456789");
    }

    #[test]
    fn writing_replaces_the_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("out.c");
        write_atomically(&path, "one").expect("first write");
        write_atomically(&path, "two").expect("second write");
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), "two");
        assert!(write_atomically(&folder.path().join("no/such/folder.c"), "x").is_err());
    }
}
