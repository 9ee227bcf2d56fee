//! What a macro call expands to.
//!
//! The preprocessor has expanded everything already. We expand once more, call by call, only to learn how many tokens of
//! the expanded text each call made (for the spans) and which macros took part (for the guards). Where the two do not
//! agree, the alignment goes on without us.
//!
//! **Paper**: the algorithm of Dave Prosser (X3J11/86-196, 1986), with hide sets as he defines them; `__VA_OPT__` is
//! not known.

use super::lexer::{Lexer, TokenKind};
use super::macros::{Definition, MacroTable};
use std::borrow::Cow;
use std::rc::Rc;

/// The macro names that a token must not be expanded as again.
type HideSet<'a> = Rc<[&'a str]>;

/// A token in the course of expansion.
#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    /// Its spelling; empty for a token whose spelling is known to the compiler alone (`__LINE__`).
    pub(super) text: Cow<'a, str>,
    /// What it is.
    pub(super) kind: TokenKind,
    spaced: bool,
    hidden: HideSet<'a>,
}

/// The tokens that follow a macro's name in the user's file, of which its argument list may take some.
#[derive(Debug)]
pub(super) struct Following<'s, 'a> {
    /// The tokens of the file.
    pub(super) tokens: &'s [(TokenKind, &'a str)],
    /// How many of them are used up.
    pub(super) taken: usize,
}

/// Expands calls with the definitions in effect at one place.
#[derive(Debug)]
pub(super) struct Expander<'a> {
    table: &'a MacroTable,
    text: &'a str,
    at: usize,
    steps_left: u32,
    /// The macros replaced so far, each once, in order.
    pub(super) replaced: Vec<&'a str>,
}

/// Calls nested deeper in arguments than this are left to the alignment.
const MAX_DEPTH: usize = 40;

/// Work for one call, in tokens looked at.
const MAX_STEPS: u32 = 20_000;

impl<'a> Expander<'a> {
    /// An expander with the definitions of `table` in effect at byte `at` of the preprocessed text `text`.
    pub(super) fn new(table: &'a MacroTable, text: &'a str, at: usize) -> Self {
        Self { table, text, at, steps_left: MAX_STEPS, replaced: Vec::new() }
    }

    /// Whether `name` followed by `next` is a macro call here.
    pub(super) fn is_call(&self, name: &str, next: Option<&str>) -> bool {
        match self.table.lookup(self.text, name, self.at) {
            Some(definition) => definition.parameters.is_none() || next == Some("("),
            None => is_dynamic(name) || (name == "_Pragma" && next == Some("(")),
        }
    }

    /// The full expansion of `name` and, where it takes arguments, of tokens of `following`; `None` when it is too much
    /// work or no valid call.
    pub(super) fn expand_call(
        &mut self,
        name: &'a str,
        following: &mut Following<'_, 'a>,
    ) -> Option<Vec<Word<'a>>> {
        let hidden: HideSet<'a> = Rc::from([]);
        let word =
            Word { text: Cow::Borrowed(name), kind: TokenKind::Identifier, spaced: false, hidden };
        self.expand(vec![word], Some(following), 0)
    }

    /// The full expansion of `text`.
    pub(super) fn expand_text(&mut self, text: &'a str) -> Option<Vec<Word<'a>>> {
        let hidden: HideSet<'a> = Rc::from([]);
        let mut words = words_of(text, &hidden);
        words.reverse();
        self.expand(words, None, 0)
    }

    /// Expands the words of `stack`, the last of which comes first.
    fn expand(
        &mut self,
        mut stack: Vec<Word<'a>>,
        mut following: Option<&mut Following<'_, 'a>>,
        depth: usize,
    ) -> Option<Vec<Word<'a>>> {
        let mut out = Vec::new();
        if depth > MAX_DEPTH {
            return None;
        }
        while let Some(word) = stack.pop() {
            self.steps_left = self.steps_left.checked_sub(1)?;
            if word.kind != TokenKind::Identifier || word.hidden.iter().any(|h| *h == word.text) {
                out.push(word);
                continue;
            }
            let Some(definition) = self.table.lookup(self.text, &word.text, self.at) else {
                if word.text == "_Pragma" {
                    collect_arguments(&mut stack, following.as_deref_mut())?;
                } else {
                    let dynamic = is_dynamic(&word.text);
                    out.push(if dynamic { Word { text: Cow::Borrowed(""), ..word } } else { word });
                }
                continue;
            };
            let name = self.table.spelling(&word.text)?;
            let replacement = match &definition.parameters {
                None => {
                    let hidden = union(&word.hidden, name);
                    self.substitute(&definition, &[], &hidden, depth)?
                }
                Some(_) if !opens_arguments(&stack, following.as_deref()) => {
                    out.push(word);
                    continue;
                }
                Some(_) => {
                    let (arguments, closing) =
                        collect_arguments(&mut stack, following.as_deref_mut())?;
                    let common: Vec<&str> =
                        word.hidden.iter().filter(|h| closing.contains(h)).copied().collect();
                    self.substitute(&definition, &arguments, &union(&common, name), depth)?
                }
            };
            if !self.replaced.contains(&name) {
                self.replaced.push(name);
            }
            stack.extend(replacement.into_iter().rev());
        }
        Some(out)
    }

    /// The body of `definition` with the arguments put in, not yet expanded again.
    fn substitute(
        &mut self,
        definition: &Definition<'a>,
        arguments: &[Vec<Word<'a>>],
        hidden: &HideSet<'a>,
        depth: usize,
    ) -> Option<Vec<Word<'a>>> {
        let parameters = definition.parameters.as_deref().unwrap_or(&[]);
        let arguments = fit_arguments(arguments, parameters.len(), definition.variadic)?;
        let argument = |word: &Word<'a>| {
            let position = parameters.iter().position(|p| *p == word.text);
            position.filter(|_| word.kind == TokenKind::Identifier).map(|p| (p, &arguments[p]))
        };
        let body = words_of(definition.body, hidden);
        let mut out: Vec<Word<'a>> = Vec::new();
        let mut i = 0;
        while let Some(word) = body.get(i) {
            self.steps_left = self.steps_left.checked_sub(1)?;
            let next = body.get(i + 1);
            if word.text == "#"
                && definition.parameters.is_some()
                && let Some((_, tokens)) = next.and_then(argument)
            {
                out.push(stringize(tokens, hidden, word.spaced));
                i += 2;
                continue;
            }
            if word.text == "##" && next.is_some() && !out.is_empty() {
                let right = next.map(|n| {
                    argument(n).map_or_else(|| vec![n.clone()], |(_, tokens)| tokens.clone())
                })?;
                let last_parameter =
                    next.and_then(argument).is_some_and(|(p, _)| p + 1 == parameters.len());
                let after_comma = out.last().is_some_and(|l| l.text == ",");
                if definition.variadic && last_parameter && after_comma {
                    if right.is_empty() {
                        out.pop();
                    }
                    out.extend(right);
                } else {
                    paste(&mut out, right, hidden);
                }
                i += 2;
                continue;
            }
            match argument(word) {
                Some((_, tokens)) if next.is_some_and(|n| n.text == "##") => {
                    out.extend(tokens.iter().cloned());
                    if tokens.is_empty() {
                        out.push(Word {
                            text: Cow::Borrowed(""),
                            kind: TokenKind::Punctuation,
                            ..word.clone()
                        });
                    }
                }
                Some((_, tokens)) => {
                    let stack = tokens.iter().rev().cloned().collect();
                    let expanded = self.expand(stack, None, depth + 1)?;
                    out.extend(expanded.into_iter().map(|w| hide_more(w, hidden)));
                }
                None => out.push(word.clone()),
            }
            i += 1;
        }
        out.retain(|w| !(w.text.is_empty() && w.kind == TokenKind::Punctuation));
        Some(out)
    }
}

/// Whether the compiler alone knows what `name` stands for.
fn is_dynamic(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "__LINE__",
        "__FILE__",
        "__COUNTER__",
        "__DATE__",
        "__TIME__",
        "__BASE_FILE__",
        "__FILE_NAME__",
        "__INCLUDE_LEVEL__",
        "__TIMESTAMP__",
    ];
    NAMES.contains(&name)
}

/// The tokens of `text` with one hide set.
fn words_of<'a>(text: &'a str, hidden: &HideSet<'a>) -> Vec<Word<'a>> {
    Lexer::of_piece(text, 0)
        .map(|token| Word {
            text: Cow::Borrowed(&text[token.range]),
            kind: token.kind,
            spaced: token.spaced,
            hidden: Rc::clone(hidden),
        })
        .collect()
}

/// `set` and `name`.
fn union<'a>(set: &[&'a str], name: &'a str) -> HideSet<'a> {
    set.iter().copied().filter(|h| *h != name).chain(std::iter::once(name)).collect()
}

/// `word`, hidden also from the names of `more`.
fn hide_more<'a>(mut word: Word<'a>, more: &HideSet<'a>) -> Word<'a> {
    if word.kind == TokenKind::Identifier {
        let extra = more.iter().filter(|h| !word.hidden.contains(h));
        word.hidden = word.hidden.iter().chain(extra).copied().collect();
    }
    word
}

/// Whether the next token is an opening parenthesis.
fn opens_arguments(stack: &[Word<'_>], following: Option<&Following<'_, '_>>) -> bool {
    match stack.last() {
        Some(word) => word.text == "(",
        None => {
            following.is_some_and(|f| f.tokens.get(f.taken).is_some_and(|(_, text)| *text == "("))
        }
    }
}

/// Arguments of a call, and the hide set of its closing parenthesis.
type Arguments<'a> = (Vec<Vec<Word<'a>>>, HideSet<'a>);

/// Takes an argument list off `stack`, then off the tokens of the file; `None` where it does not end.
fn collect_arguments<'a>(
    stack: &mut Vec<Word<'a>>,
    mut following: Option<&mut Following<'_, 'a>>,
) -> Option<Arguments<'a>> {
    let mut arguments = vec![Vec::new()];
    let mut depth = 0usize;
    loop {
        let word = match stack.pop() {
            Some(word) => word,
            None => following.as_mut()?.next()?,
        };
        match &*word.text {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        match (&*word.text, depth) {
            ("(", 1) => {}
            (")", 0) => return Some((arguments, word.hidden)),
            (_, 0) => return None,
            (",", 1) => arguments.push(Vec::new()),
            _ => arguments.last_mut()?.push(word),
        }
    }
}

impl<'a> Following<'_, 'a> {
    /// Takes the next token.
    fn next(&mut self) -> Option<Word<'a>> {
        let (kind, text) = *self.tokens.get(self.taken)?;
        self.taken += 1;
        Some(Word { text: Cow::Borrowed(text), kind, spaced: true, hidden: Rc::from([]) })
    }
}

/// Arguments as many as there are parameters: the surplus of a variadic call joined, missing ones empty.
fn fit_arguments<'a>(
    given: &[Vec<Word<'a>>],
    wanted: usize,
    variadic: bool,
) -> Option<Vec<Vec<Word<'a>>>> {
    let mut arguments = given.to_vec();
    if wanted == 0 {
        return arguments.iter().all(Vec::is_empty).then(Vec::new);
    }
    if variadic && arguments.len() > wanted {
        let surplus = arguments.split_off(wanted);
        let last = arguments.last_mut()?;
        for argument in surplus {
            let hidden: HideSet<'a> = Rc::from([]);
            last.push(Word {
                text: Cow::Borrowed(","),
                kind: TokenKind::Punctuation,
                spaced: false,
                hidden,
            });
            last.extend(argument);
        }
    }
    if variadic && arguments.len() + 1 == wanted {
        arguments.push(Vec::new());
    }
    (arguments.len() == wanted).then_some(arguments)
}

/// The string literal that `#` makes of an argument.
fn stringize<'a>(tokens: &[Word<'a>], hidden: &HideSet<'a>, spaced: bool) -> Word<'a> {
    let mut text = String::from("\"");
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 && token.spaced {
            text.push(' ');
        }
        for c in token.text.chars() {
            if token.kind == TokenKind::Literal && matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    Word { text: Cow::Owned(text), kind: TokenKind::Literal, spaced, hidden: Rc::clone(hidden) }
}

/// Joins the last token of `out` with the first of `right`, and appends the others.
fn paste<'a>(out: &mut Vec<Word<'a>>, right: Vec<Word<'a>>, hidden: &HideSet<'a>) {
    let mut right = right.into_iter();
    let (Some(left), Some(first)) = (out.pop(), right.next()) else { return };
    let text = format!("{}{}", left.text, first.text);
    let kind = Lexer::of_piece(&text, 0).next().map_or(first.kind, |t| t.kind);
    out.push(Word { text: Cow::Owned(text), kind, spaced: left.spaced, hidden: Rc::clone(hidden) });
    out.extend(right);
}

#[cfg(test)]
mod tests {
    use super::super::macros::MacroOrigin;
    use super::*;

    #[test]
    fn work_is_bounded() {
        let mut text = String::from("#define a0 x x\n");
        for i in 1..40 {
            text += &format!("#define a{i} a{} a{}\n", i - 1, i - 1);
        }
        let mut table = MacroTable::default();
        for (at, _) in text.match_indices("#define ") {
            let line = text[at + 8..].lines().next().unwrap();
            table.define(at + 8, line, MacroOrigin::Header);
        }
        assert!(
            Expander::new(&table, &text, text.len())
                .expand_text("a3")
                .is_some_and(|words| words.len() == 16)
        );
        assert!(Expander::new(&table, &text, text.len()).expand_text("a39").is_none());
    }
}
