//! Macros: which definition is in effect where.

use std::collections::HashMap;
use std::ops::Range;

/// Who defines a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MacroOrigin {
    /// The compiler itself.
    Compiler,
    /// A `-D` option.
    CommandLine,
    /// An included file.
    Header,
    /// The user's file.
    OwnFile {
        /// The line of the definition, from 1.
        line: u32,
    },
}

/// A definition, or its end, in the preprocessed text.
#[derive(Clone, Debug)]
struct Entry {
    at: usize,
    range: Range<usize>,
    defined: bool,
    origin: MacroOrigin,
}

/// All definitions of all macros, by name, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct MacroTable {
    by_name: HashMap<String, Vec<Entry>>,
}

/// A definition in effect.
#[derive(Clone, Debug)]
pub(super) struct Definition<'a> {
    /// The parameters of a function-like macro.
    pub(super) parameters: Option<Vec<&'a str>>,
    /// Whether the last parameter takes all further arguments.
    pub(super) variadic: bool,
    /// What it is replaced by.
    pub(super) body: &'a str,
    /// Who defines it.
    pub(super) origin: MacroOrigin,
}

impl MacroTable {
    /// Records a definition, `text` being what follows `#define`, at byte `at` of the preprocessed text.
    pub(super) fn define(&mut self, at: usize, text: &str, origin: MacroOrigin) {
        self.add(
            leading_identifier(text),
            Entry { at, range: at..at + text.len(), defined: true, origin },
        );
    }

    /// Records that `name` is undefined from byte `at` on.
    pub(super) fn undefine(&mut self, at: usize, name: &str) {
        self.add(
            leading_identifier(name),
            Entry { at, range: 0..0, defined: false, origin: MacroOrigin::Compiler },
        );
    }

    fn add(&mut self, name: &str, entry: Entry) {
        match self.by_name.get_mut(name) {
            Some(entries) => entries.push(entry),
            None if !name.is_empty() => drop(self.by_name.insert(name.to_owned(), vec![entry])),
            None => {}
        }
    }

    /// The definition of `name` in effect at byte `at` of the preprocessed text `text`.
    pub(super) fn lookup<'a>(
        &self,
        text: &'a str,
        name: &str,
        at: usize,
    ) -> Option<Definition<'a>> {
        let entries = self.by_name.get(name)?;
        let entry = entries.get(entries.partition_point(|e| e.at <= at).checked_sub(1)?)?;
        if !entry.defined {
            return None;
        }
        parse_definition(text.get(entry.range.clone())?, entry.origin)
    }

    /// The table's own spelling of a name that it has.
    pub(super) fn spelling(&self, name: &str) -> Option<&str> {
        self.by_name.get_key_value(name).map(|(name, _)| name.as_str())
    }

    /// The names of all macros, in no particular order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Whether `name` is a macro anywhere in the file.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }
}

/// The identifier that `text` begins with, after blanks.
fn leading_identifier(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.bytes().position(|b| !super::lexer::is_identifier_byte(b)).unwrap_or(text.len());
    &text[..end]
}

/// Parses what follows `#define`.
fn parse_definition(text: &str, origin: MacroOrigin) -> Option<Definition<'_>> {
    let rest = &text[leading_identifier(text).len()..];
    let Some(list) = rest.strip_prefix('(') else {
        return Some(Definition { parameters: None, variadic: false, body: rest.trim(), origin });
    };
    let (list, body) = list.split_once(')')?;
    let mut parameters: Vec<&str> =
        list.split(',').map(str::trim).filter(|p| !p.is_empty()).collect();
    let mut variadic = false;
    if let Some(last) = parameters.last_mut()
        && let Some(name) = last.strip_suffix("...")
    {
        variadic = true;
        *last = if name.trim().is_empty() { "__VA_ARGS__" } else { name.trim() };
    }
    Some(Definition { parameters: Some(parameters), variadic, body: body.trim(), origin })
}
