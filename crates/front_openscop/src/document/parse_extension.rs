//! Extensions from text.

use super::words::{Read, Words};
use super::{Body, Coordinates, Directive, ExtBody, Extension, LoopNote};
use farkas_base::Span;

/// All extensions up to the end of the part.
pub(super) fn extensions(words: &mut Words<'_>) -> Read<Vec<Extension>> {
    let mut found: Vec<Extension> = Vec::new();
    while !words.is_at_end() {
        let start = words.position();
        let next = extension(words)?;
        if found.iter().any(|e| e.name() == next.name()) {
            let message = format!("there are two extensions <{}>", next.name());
            let span = Span::new(start..start + next.name().len() + 2);
            return words.error(message, span, "the second one".to_owned());
        }
        found.push(next);
    }
    Ok(found)
}

/// One extension, tags included.
pub(super) fn extension(words: &mut Words<'_>) -> Read<Extension> {
    words.skip();
    let start = words.position();
    let name = tag(words)?;
    let opened = Span::new(start..words.position());
    let inside = words.position();
    let close = format!("</{name}>");
    let Some(length) = words.rest().find(&close) else {
        let message = format!("`<{name}>` is not closed");
        return words.error(message, opened, format!("`{close}` is expected behind it"));
    };
    let text = words.rest().get(..length).unwrap_or("");
    let mut content = words.part(inside..inside + length);
    words.seek(inside + length + close.len());
    let extension = match name.as_str() {
        "strings" => Extension::Strings(names(&mut content)),
        "scatnames" => Extension::ScatNames(names(&mut content)),
        "body" => Extension::Body(body(&mut content)?),
        "extbody" => Extension::ExtBody(ext_body(&mut content)?),
        "arrays" => Extension::Arrays(arrays(&mut content)?),
        "coordinates" => Extension::Coordinates(coordinates(&mut content)?),
        "loop" => Extension::Loops(loops(&mut content)?),
        _ => return Ok(Extension::Other { name, text: text.to_owned() }),
    };
    if !content.is_at_end() {
        let word = content.word("nothing")?;
        let message = format!("`{}` stands behind what <{name}> holds", word.text);
        return content.error(message, word.span, format!("`{close}` is expected here"));
    }
    Ok(extension)
}

/// An opening tag; its name.
fn tag(words: &mut Words<'_>) -> Read<String> {
    let start = words.position();
    let rest = words.rest();
    let name = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(name, _)| name);
    let is_name =
        |n: &&str| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    match name.filter(is_name) {
        Some(name) => {
            words.seek(start + name.len() + 2);
            Ok(name.to_owned())
        }
        None => {
            let word = words.word("an extension")?;
            let message = format!("`{}` is no tag", word.text);
            words.error(message, word.span, "a tag such as <body> is expected here".to_owned())
        }
    }
}

/// The words of one line.
fn names(words: &mut Words<'_>) -> Vec<String> {
    words.words().iter().map(|w| w.text.to_owned()).collect()
}

/// A body.
fn body(words: &mut Words<'_>) -> Read<Body> {
    let at = words.word("the number of iterators")?;
    let n = words.as_count(at, "the number of iterators")?;
    words.end_of_line("the number of iterators")?;
    let iterators = if n > 0 { names(words) } else { Vec::new() };
    if iterators.len() != n {
        let message = format!("{n} iterators are announced, {} have a name", iterators.len());
        return words.error(message, at.span, "this number".to_owned());
    }
    let text = words.line("the text of the body")?.text.to_owned();
    Ok(Body { iterators, text })
}

/// A body with the places of its accesses.
fn ext_body(words: &mut Words<'_>) -> Read<ExtBody> {
    let n = words.count("the number of accesses")?;
    let place = |words: &mut Words<'_>| -> Read<(i64, i64)> {
        Ok((words.number("the start of an access")?, words.number("the length of an access")?))
    };
    let mut places = Vec::new();
    for _ in 0..n {
        places.push(place(words)?);
    }
    Ok(ExtBody { places, body: body(words)? })
}

/// Names of arrays.
fn arrays(words: &mut Words<'_>) -> Read<Vec<(i64, String)>> {
    let n = words.count("the number of arrays")?;
    let mut named = Vec::new();
    for _ in 0..n {
        let id = words.number("the number of an array")?;
        named.push((id, words.word("the name of an array")?.text.to_owned()));
    }
    Ok(named)
}

/// Where the scop was found.
fn coordinates(words: &mut Words<'_>) -> Read<Coordinates> {
    let file = words.line("the name of the file")?.text.to_owned();
    let mut pair = |of: &str| -> Read<(i64, i64)> { Ok((words.number(of)?, words.number(of)?)) };
    let start = pair("line and column of the start")?;
    let end = pair("line and column of the end")?;
    Ok(Coordinates { file, start, end, indent: words.number("the indentation")? })
}

/// Notes on loops.
fn loops(words: &mut Words<'_>) -> Read<Vec<LoopNote>> {
    let n = words.count("the number of loops")?;
    let mut notes = Vec::new();
    for _ in 0..n {
        let iterator = words.word("the name of an iterator")?.text.to_owned();
        let mut statements = Vec::new();
        for _ in 0..words.count("the number of statements of a loop")? {
            statements.push(words.number("the number of a statement")?);
        }
        let private = optional(words.line("the private variables, or (null),")?.text);
        let bits = words.number("the directive of a loop")?;
        let mut user = None;
        if bits & Directive::USER != 0 {
            user = optional(words.line("the user's own directive, or (null),")?.text);
        }
        notes.push(LoopNote { iterator, statements, private, directive: Directive { bits, user } });
    }
    Ok(notes)
}

/// A text, or nothing where it is C's name for a null pointer.
fn optional(text: &str) -> Option<String> {
    (text != "(null)").then(|| text.to_owned())
}
