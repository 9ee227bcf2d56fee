//! Whether a file has loops at all: most of those of a project have none, and need not be looked at.

/// Whether the words `for` or `while` stand in a text of C outside of comments and literals.
pub(crate) fn has_loops(text: &str) -> bool {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '/' if rest.starts_with("/*") => {
                rest[2..].split_once("*/").map_or("", |(_, after)| after)
            }
            '/' if rest.starts_with("//") => after_line(rest),
            '"' | '\'' => after_literal(rest, first),
            _ if is_of_word(first) => {
                let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
                if matches!(&rest[..end], "for" | "while") {
                    return true;
                }
                &rest[end..]
            }
            _ => &rest[first.len_utf8()..],
        };
    }
    false
}

/// What names and numbers consist of.
fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// What follows a comment that ends with its line, which a backslash continues.
fn after_line(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        rest = after;
        if !line.trim_end_matches('\r').ends_with('\\') {
            return rest;
        }
    }
    ""
}

/// What follows a literal between two of `quote`, or its line where it has no end: an apostrophe in a text for no compiler.
fn after_literal(text: &str, quote: char) -> &str {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' if !is_escaped => return &text[at..],
            c if c == quote && !is_escaped => return &text[at + 1..],
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::has_loops;

    #[test]
    fn words_in_comments_and_literals_are_no_loops() {
        for text in [
            "/* thanks for\n all */ int x; // for\n",
            "// a while \\\n for ever\nint y;",
            "char c = '\"', *s = \"for \\\" while\", d = '\\'';",
            "int format, for_each; double x = 1e3f;",
            "#if 0\nit's for nobody\n#endif\n",
            "/* no end: for",
            "char *s = \"no end: for",
            "é /",
            "",
        ] {
            assert!(!has_loops(text), "{text}");
        }
        for text in [
            "for(;;);",
            "do x++; while (x);",
            "char c = '\"'; for (;;) { }",
            "#if 0\nit's\n#endif\nfor (;;);",
            "x = a / b; while (1) ;",
            "int a; /**/for(;;);",
            "// a \\ b\nfor (;;);",
        ] {
            assert!(has_loops(text), "{text}");
        }
    }
}
