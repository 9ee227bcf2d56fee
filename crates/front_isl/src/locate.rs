//! Where in a schedule's text something is wrong: isl's parser gives no position.

use farkas_base::Span;

/// The text with comments (`#` to the end of a line, outside quotes) turned into blanks; offsets stay.
pub(crate) fn without_comments(text: &str) -> String {
    let (mut quoted, mut comment) = (false, false);
    let blank = |c: char| " ".repeat(c.len_utf8());
    text.chars()
        .map(|c| {
            quoted ^= c == '"' && !comment;
            comment = (comment || c == '#' && !quoted) && c != '\n';
            if comment { blank(c) } else { c.to_string() }
        })
        .collect()
}

/// The first bracket or quote without its partner, and what is wrong with it.
pub(crate) fn unbalanced(text: &str) -> Option<(Span, String)> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quote = if quote.is_some() { None } else { Some(at) },
            '(' | '[' | '{' => open.push((c, at)),
            ')' | ']' | '}' => {
                let partner = match c {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                match open.pop() {
                    Some((other, _)) if other == partner => {}
                    Some((other, _)) => {
                        return Some((one(at), format!("`{c}` does not close `{other}`")));
                    }
                    None => return Some((one(at), format!("`{c}` closes nothing"))),
                }
            }
            _ => {}
        }
    }
    if let Some(at) = quote {
        return Some((one(at), "this quote is not closed".into()));
    }
    open.pop().map(|(c, at)| (one(at), format!("`{c}` is not closed")))
}

/// The span of the one-byte character at `at`.
fn one(at: usize) -> Span {
    Span::new(at..at + 1)
}

/// The pieces of a union map or set: what stands before its braces, and each part between semicolons with its place.
pub(crate) fn pieces(text: &str) -> Option<(&str, Vec<(Span, &str)>)> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    let body = text.get(start + 1..end)?;
    let mut parts = Vec::new();
    let mut from = start + 1;
    for part in body.split(';') {
        let trimmed = part.trim();
        if !trimmed.is_empty() {
            let at = from + part.len() - part.trim_start().len();
            parts.push((Span::new(at..at + trimmed.len()), trimmed));
        }
        from += part.len() + 1;
    }
    Some((text.get(..start)?, parts))
}

/// The quoted texts with their places, quotes apart, and the key before each.
pub(crate) fn values(text: &str) -> Vec<(&str, Span, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|t| t.find('"')).map(|n| at + n) {
        let Some(close) = text.get(open + 1..).and_then(|t| t.find('"')).map(|n| open + 1 + n)
        else {
            break;
        };
        let before = text.get(at..open).unwrap_or("").trim_end();
        let key = before.strip_suffix(':').unwrap_or("").trim_end();
        let start = key.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |n| n + 1);
        let value = text.get(open + 1..close).unwrap_or("");
        found.push((key.get(start..).unwrap_or(""), Span::new(open + 1..close), value));
        at = close + 1;
    }
    found
}

/// The keys outside quotes with their places.
pub(crate) fn keys(text: &str) -> Vec<(Span, &str)> {
    let mut found = Vec::new();
    let (mut quoted, mut start) = (false, None);
    for (at, c) in text.char_indices() {
        quoted ^= c == '"';
        match (start, c) {
            _ if quoted => start = None,
            (None, c) if c.is_ascii_alphabetic() => start = Some(at),
            (Some(from), ':') => {
                found.push((Span::new(from..at), text.get(from..at).unwrap_or("")));
                start = None;
            }
            (Some(_), c) if !c.is_ascii_alphanumeric() && c != '_' => start = None,
            _ => {}
        }
    }
    found
}

/// The first tuple called `name`.
pub(crate) fn tuple(text: &str, name: &str) -> Option<Span> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).find_map(|at| {
        let before = text.get(..at)?.chars().next_back();
        let after = text.get(at + name.len()..)?.trim_start();
        (!before.is_some_and(is_word) && after.starts_with('['))
            .then(|| Span::new(at..at + name.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_matched() {
        let wrong = |text| unbalanced(text).map(|(span, _)| span.start);
        assert_eq!(wrong("{ S[i] -> [(i)] }"), None);
        assert_eq!(wrong("{ S[i -> [i] }"), Some(13));
        assert_eq!(wrong("{ S[i] -> [i]"), Some(0));
        assert_eq!(wrong("S[i] }"), Some(5));
    }

    #[test]
    fn pieces_know_their_places() {
        let text = "[n] -> { S[i] -> [i]; T[i] -> [n] }";
        let (head, parts) = pieces(text).expect("braces");
        assert_eq!(head, "[n] -> ");
        let places: Vec<&str> =
            parts.iter().map(|(span, _)| text.get(span.range()).unwrap_or("")).collect();
        assert_eq!(places, ["S[i] -> [i]", "T[i] -> [n]"]);
        assert_eq!(tuple(text, "T").map(|s| s.start), Some(22));
        assert_eq!(tuple("{ ST[i] }", "T"), None);
    }

    #[test]
    fn values_have_keys() {
        let text = "domain: \"{ S[i] }\"\nchild:\n  schedul: \"[]\" # \"x\"";
        let clean = without_comments(text);
        assert_eq!(clean.len(), text.len());
        let found: Vec<(&str, &str)> = values(&clean).iter().map(|(k, _, v)| (*k, *v)).collect();
        assert_eq!(found, [("domain", "{ S[i] }"), ("schedul", "[]")]);
        let names: Vec<&str> = keys(&clean).iter().map(|(_, k)| *k).collect();
        assert_eq!(names, ["domain", "child", "schedul"]);
    }
}
