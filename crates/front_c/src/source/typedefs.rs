//! The type names that system headers define.

use super::lexer::{Lexer, Token, TokenKind};
use std::collections::HashMap;

/// Type names and the text of the `typedef` that makes each.
#[derive(Clone, Debug, Default)]
pub(super) struct TypedefTable {
    texts: Vec<String>,
    by_name: HashMap<String, usize>,
}

/// A type definition longer than this is not followed, so that a stray `typedef` cannot swallow a file.
const MAX_TYPEDEF_BYTES: usize = 1 << 16;

impl TypedefTable {
    /// Reads the type definitions that begin on the line at byte `at` of the preprocessed text.
    pub(super) fn read(&mut self, text: &str, at: usize) {
        let mut tokens = Vec::new();
        let mut depth = 0usize;
        for token in Lexer::of_file(text).starting_at(at) {
            let word = &text[token.range.clone()];
            let started = !tokens.is_empty();
            if (!started && token.line > 1) || token.range.end - at > MAX_TYPEDEF_BYTES {
                return;
            }
            match word {
                _ if token.kind == TokenKind::Directive => continue,
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => {
                    self.add(text, &tokens);
                    tokens.clear();
                }
                _ => {}
            }
            if word == "typedef" || (!tokens.is_empty() && (depth > 0 || word != ";")) {
                tokens.push(token);
            }
        }
    }

    /// Adds the definition made of `tokens`, from `typedef` to before the semicolon.
    fn add(&mut self, text: &str, tokens: &[Token]) {
        let mut statement = String::new();
        if tokens.is_empty() {
            return;
        }
        for token in tokens {
            statement.push_str(&text[token.range.clone()]);
            statement.push(' ');
        }
        statement.push(';');
        let index = self.texts.len();
        for name in declared_names(tokens.iter().map(|t| (t.kind, &text[t.range.clone()]))) {
            self.by_name.insert(name.to_owned(), index);
        }
        self.texts.push(statement);
    }

    /// Whether a system header defines the type `name`.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The definitions that `names` need, directly or through each other, in their order in the headers.
    pub(super) fn closure<'s>(&'s self, names: impl Iterator<Item = &'s str>) -> Vec<&'s str> {
        let mut needed = vec![false; self.texts.len()];
        let mut queue: Vec<usize> =
            names.filter_map(|name| self.by_name.get(name).copied()).collect();
        while let Some(index) = queue.pop() {
            if std::mem::replace(&mut needed[index], true) {
                continue;
            }
            let text = &self.texts[index];
            let words =
                Lexer::of_piece(text, 0).filter_map(|t| self.by_name.get(&text[t.range]).copied());
            queue.extend(words);
        }
        self.texts
            .iter()
            .zip(needed)
            .filter(|(_, needed)| *needed)
            .map(|(text, _)| text.as_str())
            .collect()
    }
}

/// The names that a declaration makes, `words` being its tokens without the semicolon: the last identifier of each
/// declarator, or the first after `(*`.
pub(super) fn declared_names<'a>(
    words: impl Iterator<Item = (TokenKind, &'a str)>,
) -> Vec<&'a str> {
    let mut names = Vec::new();
    // What stands in braces, members and enumerators, declares nothing here.
    let (mut depth, mut braces) = (0usize, 0usize);
    let (mut last, mut inner, mut previous) = (None, None, "");
    for (kind, word) in words {
        match word {
            "{" => braces += 1,
            "}" => braces = braces.saturating_sub(1),
            _ if braces > 0 => {}
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "," if depth == 0 => names.extend(inner.take().or(last.take())),
            _ if kind != TokenKind::Identifier || word.starts_with("__attribute") => {}
            _ if depth == 0 && word != "__extension__" => last = Some(word),
            _ if depth == 1 && previous == "*" && inner.is_none() => inner = Some(word),
            _ => {}
        }
        previous = word;
    }
    names.extend(inner.or(last));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let words = Lexer::of_piece(text, 0).map(|t| (t.kind, &text[t.range]));
        assert_eq!(declared_names(words), expect, "{text}");
    }

    #[test]
    fn names_of_type_definitions() {
        check("typedef unsigned long size_t", &["size_t"]);
        check("typedef struct { int a; } T, *P", &["T", "P"]);
        check("typedef struct { int *a, (*b)(int); } T", &["T"]);
        check("typedef int (*compare)(const void *, const void *)", &["compare"]);
        check("typedef double vec[4], mat[4][4]", &["vec", "mat"]);
        check("typedef int int32_t __attribute__ ((__mode__ (__SI__)))", &["int32_t"]);
    }

    #[test]
    fn definitions_pull_in_what_they_need() {
        let text = "typedef long a_t;\ntypedef a_t b_t;\ntypedef struct {\n int x;\n# 3 \"f.h\" 3\n} c_t;\n";
        let mut table = TypedefTable::default();
        let mut at = 0;
        while at < text.len() {
            table.read(text, at);
            at += text[at..].find('\n').map_or(text.len(), |n| n + 1);
        }
        assert_eq!(table.closure(["b_t"].into_iter()), ["typedef long a_t ;", "typedef a_t b_t ;"]);
        assert_eq!(table.closure(["c_t"].into_iter()), ["typedef struct { int x ; } c_t ;"]);
    }
}
