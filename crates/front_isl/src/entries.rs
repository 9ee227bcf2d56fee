//! The keys of a mapping in isl's YAML and their values, with places. A mapping is a block, each key at the start of a
//! line, all in one column, or stands in braces, with commas. Values are isl notation, in quotes or not.

use farkas_base::Span;
use std::ops::Range;

/// A key and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// The key without quotes.
    pub(crate) name: String,
    /// Where the key stands.
    pub(crate) key: Span,
    /// Where the value stands, its quotes left out.
    pub(crate) value: Span,
}

/// The entries of the mapping that `text` is, in its order; `text` has blanks in the place of comments.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    entries_within(text, 0..text.len())
}

/// The entries of the mapping that a part of `text` is, such as a value.
pub(crate) fn entries_within(text: &str, part: Range<usize>) -> Vec<Entry> {
    let body = flow_body(text, &part);
    let whole = body.clone().unwrap_or(part);
    let mut keys = keys(text, &whole);
    let first = keys.first().map(|key| column(text, key.start));
    let starts_line = |key: &Key| text[line_start(text, key.start)..key.start].trim().is_empty();
    if body.is_none() {
        keys.retain(|key| Some(column(text, key.start)) == first && starts_line(key));
    }
    let ends = keys.iter().skip(1).map(|key| key.start).chain([whole.end]);
    let entry = |(key, end): (&Key, usize)| {
        let value = trimmed(text, key.value, end, body.is_some());
        Entry { name: key.name.clone(), key: Span::new(key.start..key.end), value }
    };
    keys.iter().zip(ends).map(entry).collect()
}

/// A key before the column is looked at.
struct Key {
    name: String,
    start: usize,
    end: usize,
    /// Where the value begins.
    value: usize,
}

/// What stands between the braces of a mapping in braces: a word and a colon follow the first one.
fn flow_body(text: &str, part: &Range<usize>) -> Option<Range<usize>> {
    let whole = text.get(part.clone())?;
    let open = part.start + (whole.len() - whole.trim_start().len());
    let inside = text.get(open..part.end)?.strip_prefix('{')?;
    let start = open + 1 + (inside.len() - inside.trim_start().len());
    key_at(text, start)?;
    let close = part.start + whole.trim_end().len();
    let is_closed = text.get(..close)?.ends_with('}');
    Some(open + 1..if is_closed { close - 1 } else { close })
}

/// Every key of a part outside brackets and quoted values.
fn keys(text: &str, part: &Range<usize>) -> Vec<Key> {
    let (at, to) = (part.start, part.end);
    let (mut found, mut depth, mut at) = (Vec::new(), 0_usize, at);
    while let Some(c) = text.get(at..to).and_then(|rest| rest.chars().next()) {
        let is_start = depth == 0 && (c == '"' || is_word(c));
        if let Some(key) = is_start.then(|| key_at(text, at)).flatten() {
            at = key.value;
            found.push(key);
            continue;
        }
        match c {
            '"' => at = quote_end(text, at).unwrap_or(to),
            c if is_word(c) => at = word_end(text, at),
            c => {
                match c {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                at += c.len_utf8();
            }
        }
    }
    found
}

/// The key that starts at `at`: a word, in quotes or not, before a colon.
fn key_at(text: &str, at: usize) -> Option<Key> {
    let rest = text.get(at..)?;
    let (name, end) = if rest.starts_with('"') {
        let end = quote_end(text, at)?;
        (text.get(at + 1..end - 1)?, end)
    } else {
        let end = word_end(text, at);
        (text.get(at..end)?, end)
    };
    let behind = text.get(end..)?;
    let colon = end + (behind.len() - behind.trim_start().len());
    let is_key =
        !name.is_empty() && name.chars().all(is_word) && text.get(colon..)?.starts_with(':');
    is_key.then(|| Key { name: name.to_owned(), start: at, end, value: colon + 1 })
}

/// Where the word at `at` ends.
fn word_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    at + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

/// Where the quoted text at `at` ends, its last quote included.
fn quote_end(text: &str, at: usize) -> Option<usize> {
    Some(at + 2 + text.get(at + 1..)?.find('"')?)
}

/// Whether `c` stands in words.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where the line of `at` starts.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// The column of `at` in bytes.
fn column(text: &str, at: usize) -> usize {
    at - line_start(text, at)
}

/// The value from `from` to `to` without blanks around it, the comma behind it and quotes.
fn trimmed(text: &str, from: usize, to: usize, is_flow: bool) -> Span {
    let whole = text.get(from..to).unwrap_or("");
    let start = from + (whole.len() - whole.trim_start().len());
    let mut value = whole.trim();
    if is_flow {
        value = value.strip_suffix(',').unwrap_or(value).trim_end();
    }
    match value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => Span::new(start + 1..start + 1 + inner.len()),
        None => Span::new(start..start + value.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(String, String)> {
        let value = |entry: Entry| (entry.name, text[entry.value.range()].to_owned());
        entries(text).into_iter().map(value).collect()
    }

    #[test]
    fn keys_of_blocks_stand_in_one_column() {
        let text = "domain: { S[i] :\n  0 <= i < 9 }\nschedule:\n  domain: \"{ }\"\n  child: x\nreads: \"{ a : }\"\n";
        let expected = [
            ("domain", "{ S[i] :\n  0 <= i < 9 }"),
            ("schedule", "domain: \"{ }\"\n  child: x"),
            ("reads", "{ a : }"),
        ];
        let expected: Vec<_> = expected.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn keys_in_braces_have_commas() {
        let expected = vec![
            ("domain".to_owned(), "{ S[i] : i = 0 }".to_owned()),
            ("validity".to_owned(), "{ S[i] -> S[i + 1] }".to_owned()),
        ];
        assert_eq!(
            shown("{ domain: \"{ S[i] : i = 0 }\", \"validity\": { S[i] -> S[i + 1] } }"),
            expected
        );
        assert_eq!(shown("{ S[i] : i = 0 }"), []);
        assert_eq!(shown(""), []);
        let text = "elements:\n  A: double\n  B: long int\nx: 1";
        let value = entries(text)[0].value.range();
        let types: Vec<String> =
            entries_within(text, value).into_iter().map(|e| text[e.value.range()].into()).collect();
        assert_eq!(types, ["double", "long int"]);
        assert_eq!(shown("domain:"), [("domain".to_owned(), String::new())]);
    }
}
