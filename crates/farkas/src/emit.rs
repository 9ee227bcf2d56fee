//! The transformed file: generated code in the place of each region, everything else byte for byte.

use farkas_base::{SourceFile, Span, encode};
use farkas_codegen::Places;
use farkas_run::TemporaryFile;
use std::io::Write;
use std::path::Path;

/// `source` with each span replaced by its text. Spans must not overlap; they may come in any order. A text that ends its
/// last line adds no empty line where the span ends one. Texts are whole lines: where a span begins in the middle of one, or
/// of one that a backslash continues, a line ends before it. Their lines end as the one does in which the span begins.
pub fn splice(source: &SourceFile, replacements: &[(Span, String)]) -> String {
    let mut ordered: Vec<&(Span, String)> = replacements.iter().collect();
    ordered.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(source.text().len());
    let mut at = 0;
    for (span, text) in ordered {
        let range = span.range();
        let ending = source.line_ending(span.start);
        out.push_str(source.text().get(at..range.start).unwrap_or(""));
        if !at_line_start(&out) {
            out.push_str(ending);
        }
        let text =
            if ends_line(source, *span) { text.strip_suffix('\n').unwrap_or(text) } else { text };
        out.push_str(&with_endings(text, ending));
        at = range.end;
    }
    out.push_str(source.text().get(at..).unwrap_or(""));
    out
}

/// [`splice`] with directives that say which lines of `source` all lines come from: those of the texts that take the place of spans have
/// their own (`Options::keeps_lines`).
pub fn splice_with_lines(source: &SourceFile, replacements: &[(Span, String)]) -> String {
    let placed: Vec<(Span, String)> = replacements
        .iter()
        .map(|(span, text)| {
            let next = source.line_column(span.end).line + u32::from(ends_line(source, *span));
            (*span, format!("{text}{}", Places::directive(source, next)))
        })
        .collect();
    let first = with_endings(&Places::directive(source, 1), source.line_ending(0));
    let mark = source.byte_order_mark();
    let rest = splice(source, &placed);
    format!("{mark}{first}{}", rest.strip_prefix(mark).unwrap_or(&rest))
}

/// Whether a line ends where `span` does.
fn ends_line(source: &SourceFile, span: Span) -> bool {
    let rest = source.text().get(span.range().end..).unwrap_or("");
    rest.starts_with('\n') || rest.starts_with("\r\n")
}

/// `text` with lines that end in this way.
fn with_endings(text: &str, ending: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', ending)
}

/// Whether a line begins at the end of `text`.
fn at_line_start(text: &str) -> bool {
    let Some(before) = text.strip_suffix('\n') else { return text.is_empty() };
    !before.trim_end().ends_with('\\')
}

/// Writes `text` to `path`, as the bytes that it stands for ([`encode`]), in one step: to a new file beside it, which then takes
/// its place, so that an interrupted run leaves either the old file or the new one. A link stays, and its target is replaced; what
/// is no file, such as `/dev/null`, is written to as it is.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_atomically(path: &Path, text: &str) -> std::io::Result<()> {
    let bytes = encode(text);
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return std::fs::OpenOptions::new().write(true).open(path)?.write_all(&bytes);
    }
    let target = path.canonicalize();
    let path = target.as_deref().unwrap_or(path);
    let folder =
        path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let new = TemporaryFile::within(folder, ".farkas-");
    // Where it would have been says nothing to anybody.
    let mut new = new.map_err(|error| std::io::Error::from(error.kind()))?;
    new.file().write_all(&bytes)?;
    new.file().sync_data()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_or(0o644, |m| m.permissions().mode());
        new.file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    new.persist(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splicing_keeps_everything_else() {
        let source = SourceFile::new("a.c", "0123456789");
        let replaced =
            splice(&source, &[(Span::new(7..9), "B".into()), (Span::new(1..3), "AAA".into())]);
        assert_eq!(replaced, "0\nAAA3456\nB9");
        assert_eq!(splice(&source, &[]), "0123456789");
        let lines = SourceFile::new("b.c", "one\ntwo\nthree\n");
        assert_eq!(splice(&lines, &[(Span::new(4..7), "2\n".into())]), "one\n2\nthree\n");
    }

    #[test]
    fn line_endings_are_those_of_the_place() {
        let source = SourceFile::new("a.c", "one\r\ntwo\r\nthree\nfour\n");
        let replaced = splice(
            &source,
            &[(Span::new(5..8), "2\nx\r\ny\n".into()), (Span::new(12..15), "3\n4\n".into())],
        );
        assert_eq!(replaced, "one\r\n2\r\nx\r\ny\r\nth\n3\n4\nfour\n");
    }

    #[test]
    fn a_byte_order_mark_stays_in_front() {
        let source = SourceFile::new("a.c", "\u{feff}one\r\ntwo\r\n");
        let replaced = splice_with_lines(&source, &[(Span::new(8..11), "2\n".into())]);
        let expected = "\u{feff}#line 1 \"a.c\"\r\none\r\n2\r\n#line 3 \"a.c\"\r\n";
        assert_eq!(replaced, expected);
    }

    #[test]
    fn lines_are_told() {
        let source = SourceFile::new("d/a \"b\".c", "one\ntwo; three\nfour\nfive\n");
        let replaced = splice_with_lines(
            &source,
            &[(Span::new(4..8), "2\n".into()), (Span::new(15..19), "4\n".into())],
        );
        let name = r#""d/a \"b\".c""#;
        let expected =
            format!("#line 1 {name}\none\n2\n#line 2 {name}\n three\n4\n#line 4 {name}\nfive\n");
        assert_eq!(replaced, expected);
    }

    #[test]
    fn writing_replaces_the_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("out.c");
        write_atomically(&path, "one").expect("first write");
        write_atomically(&path, "two").expect("second write");
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), "two");
        assert!(write_atomically(&folder.path().join("no/such/folder.c"), "x").is_err());
        assert!(write_atomically(folder.path(), "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_what_is_no_file_stay() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, link) = (folder.path().join("file.c"), folder.path().join("link.c"));
        std::fs::write(&file, "old").expect("a file");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        write_atomically(&link, "new").expect("a write through the link");
        assert_eq!(std::fs::read_to_string(&file).expect("readable"), "new");
        assert!(std::fs::symlink_metadata(&link).expect("the link").is_symlink());
        // A socket stands for devices: a test that failed would replace them for the whole machine.
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        assert!(write_atomically(&socket, "x").is_err());
        assert!(!std::fs::metadata(&socket).expect("the socket").is_file());
    }
}
