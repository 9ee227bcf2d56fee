//! What a statement of a normal form does, read from its text: equal texts say the same.

use std::collections::BTreeMap;

/// A statement's accesses, operations and conditions.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Line {
    /// Its accesses, in the order of the text.
    pub(super) accesses: Vec<Access>,
    /// Additions and subtractions.
    pub(super) additions: u32,
    /// Multiplications.
    pub(super) multiplications: u32,
    /// Divisions, remainders and square roots.
    pub(super) divisions: u32,
    /// Calls of other functions.
    pub(super) calls: u32,
    /// Comparisons, choices and operations on bits.
    pub(super) others: u32,
    /// Bounds of loops in which other loops occur.
    pub(super) slanted: u32,
}

/// An access.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Access {
    /// The name of the array in the text.
    pub(super) array: String,
    /// Whether it is assigned to.
    pub(super) is_write: bool,
    /// For each subscript the loops in it, by depth.
    pub(super) subscripts: Vec<Subscript>,
    /// The bytes of an element, where they are known.
    pub(super) bytes: u32,
    /// Whether elements are floating-point numbers.
    pub(super) is_float: bool,
}

/// A subscript.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Subscript {
    /// The loops in it, by depth, each with whether one iteration moves it by one.
    pub(super) loops: BTreeMap<usize, bool>,
    /// Whether an element of another array is in it.
    pub(super) is_indirect: bool,
}

/// How far an access moves from one iteration of a loop to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stride {
    /// Not at all.
    Invariant,
    /// To the next element of the innermost dimension.
    Next,
    /// Farther.
    Far,
}

impl Access {
    /// How far it moves along the loop at a depth.
    pub(super) fn stride(&self, depth: usize) -> Stride {
        let Some((last, others)) = self.subscripts.split_last() else { return Stride::Invariant };
        let is_in_others = others.iter().any(|at| at.loops.contains_key(&depth));
        match last.loops.get(&depth) {
            Some(true) if !is_in_others && !last.is_indirect => Stride::Next,
            None if !is_in_others => Stride::Invariant,
            _ => Stride::Far,
        }
    }
}

/// Reads the text of a single statement: a line of it, then a line an array.
pub(super) fn read(text: &str) -> Line {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let (body, conditions) = first.split_once("  where ").unwrap_or((first, ""));
    let mut line = Line::default();
    line.add(&tokens(body));
    line.slanted = slanted(conditions);
    let types: BTreeMap<&str, &str> = lines.filter_map(|line| line.split_once(": ")).collect();
    for access in &mut line.accesses {
        let ty = types.get(access.array.as_str()).copied().unwrap_or_default();
        let ty = ty.split('[').next().unwrap_or_default();
        (access.bytes, access.is_float) = element(ty);
    }
    line
}

/// The bytes of an element of a type, and whether it is a floating-point number.
fn element(ty: &str) -> (u32, bool) {
    let bits = ty.strip_prefix("uint").or(ty.strip_prefix("int")).and_then(|n| n.parse().ok());
    match (ty, bits) {
        (_, Some(bits)) => (u32::div_ceil(bits, 8), false),
        ("half" | "bfloat16", _) => (2, true),
        ("float", _) => (4, true),
        ("double", _) => (8, true),
        ("long double", _) => (16, true),
        ("bool", _) => (1, false),
        _ => (0, false),
    }
}

/// How many of the conditions on iterations have several loops in them.
fn slanted(conditions: &str) -> u32 {
    let has_several = |condition: &str| {
        let tokens = tokens(condition);
        tokens.iter().filter_map(|token| number(token, 'i')).count() > 1
    };
    let parts = conditions.split(" or ").flat_map(|part| part.split(" and "));
    u32::try_from(parts.filter(|part| has_several(part)).count()).unwrap_or(u32::MAX)
}

impl Line {
    /// Adds what some of the tokens do.
    fn add(&mut self, tokens: &[&str]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let next = tokens.get(at + 1).copied().unwrap_or_default();
            at += 1;
            if number(token, 'a').is_some() {
                at = self.access(token, tokens, at);
                continue;
            }
            match *token {
                "+" => self.additions += 1,
                "*" => self.multiplications += 1,
                "/" | "%" => self.divisions += 1,
                "?" | "<" | "&" | "|" | "^" | "!" => self.others += 1,
                "=" if next == "=" => {
                    self.others += 1;
                    at += 1;
                }
                "sqrt" | "sqrtf" if next == "(" => self.divisions += 1,
                word if next == "(" && is_word(word) => self.calls += 1,
                _ => {}
            }
        }
    }

    /// Adds an access whose subscripts begin at a token, and those in its subscripts; the token behind it.
    fn access(&mut self, array: &str, tokens: &[&str], mut at: usize) -> usize {
        let place = self.accesses.len();
        self.accesses.push(Access {
            array: array.to_owned(),
            is_write: false,
            subscripts: Vec::new(),
            bytes: 0,
            is_float: false,
        });
        let mut subscripts = Vec::new();
        while tokens.get(at) == Some(&"[") {
            let end = closing(tokens, at);
            let inner = tokens.get(at + 1..end).unwrap_or_default();
            subscripts.push(subscript(inner));
            let mut within = Self::default();
            within.add(inner);
            self.accesses.append(&mut within.accesses);
            at = end + 1;
        }
        let behind = |ahead: usize| tokens.get(at + ahead).copied().unwrap_or_default();
        if let Some(access) = self.accesses.get_mut(place) {
            access.subscripts = subscripts;
            access.is_write = behind(0) == "=" && behind(1) != "=";
        }
        at
    }
}

/// What is in a subscript.
fn subscript(tokens: &[&str]) -> Subscript {
    let mut found = Subscript::default();
    let is_plain = !tokens.contains(&"floor") && !tokens.contains(&"{");
    for (at, token) in tokens.iter().enumerate() {
        found.is_indirect |= number(token, 'a').is_some();
        if let Some(depth) = number(token, 'i') {
            let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at).copied());
            let is_one = before(1) != Some("*") || before(2) == Some("1");
            found.loops.insert(depth, is_one && is_plain);
        }
    }
    found
}

/// The place of the bracket that closes the one at a place; the last place where none does.
fn closing(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "[" => depth += 1,
            "]" if depth <= 1 => return at,
            "]" => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The number of a name of a kind, as 2 of `a2`.
fn number(token: &str, kind: char) -> Option<usize> {
    token.strip_prefix(kind)?.parse().ok()
}

/// Whether a token is a name.
fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names and numbers, and all else one character at a time.
fn tokens(text: &str) -> Vec<&str> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match is_of_word(first) {
            true => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        found.push(token);
        rest = behind.trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Stride, read};

    #[test]
    fn a_product_is_read() {
        let line = read(
            "a0[i0][i2] = a0[i0][i2] + a1[i0][i1] * a2[i1 + 1][2*i2]  where i0 <= i1 and i2 < n0\na0: double[][n0]",
        );
        assert_eq!((line.additions, line.multiplications, line.slanted), (1, 1, 1));
        let writes: Vec<bool> = line.accesses.iter().map(|access| access.is_write).collect();
        assert_eq!(writes, [true, false, false, false]);
        assert_eq!((line.accesses[0].bytes, line.accesses[0].is_float), (8, true));
        let strides = |at: usize| [0, 1, 2].map(|depth| line.accesses[at].stride(depth));
        assert_eq!(strides(0), [Stride::Far, Stride::Invariant, Stride::Next]);
        assert_eq!(strides(3), [Stride::Invariant, Stride::Far, Stride::Far]);
    }

    #[test]
    fn what_data_chooses_is_read_too() {
        let line = read("a0[a1[i0]] = a0[a1[i0]] + 1  where always\na0: int32[]\na1: int32[]");
        assert_eq!(line.accesses.len(), 4);
        assert!(line.accesses[0].is_write && line.accesses[0].subscripts[0].is_indirect);
        assert_eq!(line.additions, 1);
        assert_eq!(read(""), super::Line::default());
    }
}
