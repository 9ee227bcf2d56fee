//! Bodies: text in which the iterators are found.

use crate::document::OpenStatement;
use farkas_poly::{DimType, Map, Result};
use farkas_scop::{BodyStmt, Iterator, TextPiece};

/// The iterators of a statement: the names that the body uses, and `i1`, `i2` and so on for those without one.
/// `instances` leads from the document's instances to the scop's.
pub(super) fn iterators(open: &OpenStatement, instances: &Map) -> Result<Vec<Iterator>> {
    let back = instances.reverse()?.to_pw_multi_aff()?;
    let n = i32::try_from(instances.dim(DimType::In)?).unwrap_or(i32::MAX);
    let names = names(open);
    (0..n)
        .zip(names)
        .map(|(at, name)| Ok(Iterator { name, ty: "int".into(), value: back.at(at)? }))
        .collect()
}

/// A name for each iterator.
fn names(open: &OpenStatement) -> Vec<String> {
    let given = open.body().map(|b| b.iterators.as_slice()).unwrap_or_default();
    (0..open.depth())
        .map(|at| given.get(at).cloned().unwrap_or_else(|| format!("i{}", at + 1)))
        .collect()
}

/// The body: the text of the document as one statement of C, and a call `S1(i, j);` where there is none.
pub(super) fn body(open: &OpenStatement, name: &str) -> Vec<BodyStmt> {
    let iterators = names(open);
    let text = match open.body() {
        Some(body) => body.text.trim().to_owned(),
        None => format!("{name}({})", iterators.join(", ")),
    };
    let is_closed = text.ends_with([';', '}']);
    let text = if is_closed { text } else { text + ";" };
    vec![BodyStmt::Text(pieces(&text, &iterators))]
}

/// The text cut at the iterators in it. Names of members (`s.i`, `p->i`) and what stands in literals are none.
fn pieces(text: &str, iterators: &[String]) -> Vec<TextPiece> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest, first);
        let (token, behind) = rest.split_at(length);
        let before = plain.trim_end();
        let is_member = before.ends_with("->") || before.ends_with('.');
        match iterators.iter().position(|name| name == token) {
            Some(at) if !is_member => {
                if !plain.is_empty() {
                    found.push(TextPiece::Text(std::mem::take(&mut plain)));
                }
                found.push(TextPiece::Iterator(u32::try_from(at).unwrap_or(u32::MAX)));
            }
            _ => plain.push_str(token),
        }
        rest = behind;
    }
    if !plain.is_empty() {
        found.push(TextPiece::Text(plain));
    }
    found
}

/// The bytes of the word, number, literal or other character that `text` begins with.
fn token_length(text: &str, first: char) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    match first {
        '"' | '\'' => {
            let mut is_escaped = false;
            let end = text.char_indices().skip(1).find(|&(_, c)| {
                let is_end = c == first && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            });
            end.map_or(text.len(), |(at, _)| at + 1)
        }
        c if is_part(c) => text.find(|c| !is_part(c)).unwrap_or(text.len()),
        c => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let iterators = ["i".to_owned(), "j".to_owned()];
        let shown: String = pieces(text, &iterators)
            .iter()
            .map(|piece| match piece {
                TextPiece::Text(text) => text.clone(),
                TextPiece::Iterator(at) => format!("<{at}>"),
            })
            .collect();
        assert_eq!(shown, expect);
    }

    #[test]
    fn iterators_are_found() {
        check("A[i][j+1] += ii*i;", "A[<0>][<1>+1] += ii*<0>;");
        check("s.i = p->j + i . x;", "s.i = p->j + <0> . x;");
        check("printf(\"i \\\" i\", 'i', i);", "printf(\"i \\\" i\", 'i', <0>);");
        check("x = 1.0 + 2i + i2;", "x = 1.0 + 2i + i2;");
        check("'unclosed i", "'unclosed i");
    }
}
