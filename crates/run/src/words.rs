//! Splitting a command line into words.

use crate::Error;

/// The words of `text`, split as a POSIX shell does: blanks separate, single quotes keep everything, double quotes keep
/// all but `\"` and `\\`, a backslash keeps the next character. Nothing is expanded.
///
/// # Errors
/// [`Error::UnclosedQuote`] when a quote has no end.
pub fn shell_words(text: &str) -> Result<Vec<String>, Error> {
    let unclosed = || Error::UnclosedQuote { text: text.to_owned() };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(unclosed)? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(unclosed)? {
                        '"' => break,
                        '\\' => match chars.next().ok_or_else(unclosed)? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next().ok_or_else(unclosed)?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::shell_words;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(shell_words(text).ok(), Some(expect.iter().map(|&w| w.into()).collect()));
    }

    #[test]
    fn splits_as_a_shell() {
        check("gcc -O3  -march=native", &["gcc", "-O3", "-march=native"]);
        check("'/opt/my gcc' -DS=\"a b\" -Dx=\\ y ''", &["/opt/my gcc", "-DS=a b", "-Dx= y", ""]);
        check(r#"cc "-DT=\"t\n\"""#, &["cc", r#"-DT="t\n""#]);
        check(" ", &[]);
        assert!(shell_words("gcc 'x").is_err());
    }
}
