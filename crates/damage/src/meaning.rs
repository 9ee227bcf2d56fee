//! Changes of C functions after which they mostly compute something else.

use crate::Random;
use std::ops::Range;

/// Which kind of change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// Another element of an array.
    Subscript,
    /// Another first or last iteration of a loop.
    Bound,
    /// Another operation.
    Operator,
    /// Another number.
    Constant,
    /// Another type of the elements of an array.
    Type,
    /// Loops, or statements beside one another, in the other order: the other end of a dependence runs first, if there is one.
    Direction,
}

/// All kinds.
const CHANGES: [Change; 6] = [
    Change::Subscript,
    Change::Bound,
    Change::Operator,
    Change::Constant,
    Change::Type,
    Change::Direction,
];

/// A piece of a text and what stands there instead.
type Edit = (Range<usize>, String);

/// One random change of a function: of its parameters or of what is in its braces, where no macros and no strings are. None where what was drawn
/// has no place in it. The text may be none of C afterwards.
pub fn change_meaning(random: &mut Random, function: &str) -> Option<(Change, String)> {
    let change = random.pick(&CHANGES);
    let text = Text::of(function);
    let mut edits = match change {
        Change::Subscript => text.subscript(random)?,
        Change::Bound => text.bound(random)?,
        Change::Operator => vec![text.operator(random)?],
        Change::Constant => vec![text.constant(random)?],
        Change::Type => vec![text.element_type(random)?],
        Change::Direction if random.chance(50) => text.reversed_loop(random)?,
        Change::Direction => text.swapped_stmts(random)?,
    };
    edits.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
    let mut changed = function.to_owned();
    for (at, new) in edits {
        changed.replace_range(at, &new);
    }
    (changed != function).then_some((change, changed))
}

/// A function as tokens: names and numbers, operators, brackets; comments are none.
struct Text<'a> {
    text: &'a str,
    tokens: Vec<Range<usize>>,
    /// The token at which the body begins.
    body: usize,
}

impl<'a> Text<'a> {
    /// The tokens of a text.
    fn of(text: &'a str) -> Self {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let length = if first.is_whitespace() {
                first.len_utf8()
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                let length = token(rest);
                tokens.push(at..at + length);
                length
            };
            at += length;
        }
        let is_open = |token: &Range<usize>| &text[token.clone()] == "{";
        let body = tokens.iter().position(is_open).unwrap_or(tokens.len());
        Self { text, tokens, body }
    }

    /// The text of a token.
    fn at(&self, token: usize) -> &'a str {
        self.tokens.get(token).map_or("", |range| &self.text[range.clone()])
    }

    /// The place of tokens, both ends included.
    fn place(&self, first: usize, last: usize) -> Range<usize> {
        self.tokens[first].start..self.tokens[last].end
    }

    /// What the place says.
    fn said(&self, place: &Range<usize>) -> &'a str {
        &self.text[place.clone()]
    }

    /// The tokens of the body.
    fn body(&self) -> Range<usize> {
        self.body..self.tokens.len()
    }

    /// The token that closes what one opens.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for token in open..self.tokens.len() {
            match self.at(token) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(token);
            }
        }
        None
    }

    /// A subscript that is one more or less, or that of the next dimension.
    fn subscript(&self, random: &mut Random) -> Option<Vec<Edit>> {
        let opens: Vec<usize> = self.body().filter(|token| self.at(*token) == "[").collect();
        let open = some(random, &opens)?;
        let close = self.closing(open)?;
        let own = self.place(open + 1, close - 1);
        if self.at(close + 1) == "[" && random.chance(25) {
            let next = self.place(close + 2, self.closing(close + 1)? - 1);
            let [a, b] = [self.said(&own).to_owned(), self.said(&next).to_owned()];
            return Some(vec![(own, b), (next, a)]);
        }
        let by = random.pick(&["+ 1", "- 1", "+ 2"]);
        let said = self.said(&own);
        Some(vec![(own, format!("{said} {by}"))])
    }

    /// The headers of loops: the tokens of the parenthesis and of both semicolons.
    fn headers(&self) -> Vec<[usize; 4]> {
        let header = |token: usize| {
            let close = self.closing(token + 1)?;
            let mut ends = (token..close).filter(|token| self.at(*token) == ";");
            Some([token + 1, ends.next()?, ends.next()?, close])
        };
        let body = self.body();
        body.filter(|token| self.at(*token) == "for").filter_map(header).collect()
    }

    /// A loop that begins or ends elsewhere.
    fn bound(&self, random: &mut Random) -> Option<Vec<Edit>> {
        let [open, first, second, _] = some(random, &self.headers())?;
        let mark = match random.chance(50) {
            true => (open..first).find(|token| self.at(*token) == "=")?,
            false => {
                let is_comparison = |t: &usize| ["<", "<=", ">", ">="].contains(&self.at(*t));
                (first..second).find(is_comparison)?
            }
        };
        let end = if mark < first { first } else { second };
        let place = self.place(mark + 1, end - 1);
        let by = random.pick(&["+ 1", "- 1"]);
        let said = self.said(&place);
        Some(vec![(place, format!("{said} {by}"))])
    }

    /// The tokens of statements that stand neither in subscripts nor in headers of loops.
    fn computing(&self) -> Vec<usize> {
        let headers = self.headers();
        let mut depth = 0_usize;
        let mut found = Vec::new();
        for token in self.body() {
            match self.at(token) {
                "[" => depth += 1,
                "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_header = headers.iter().any(|header| (header[0]..=header[3]).contains(&token));
            if depth == 0 && !is_header {
                found.push(token);
            }
        }
        found
    }

    /// Another operation in the place of one.
    fn operator(&self, random: &mut Random) -> Option<Edit> {
        let others = |token: &usize| -> Option<(usize, &'static [&'static str])> {
            let before = self.at(token.checked_sub(1)?);
            let is_binary = before.ends_with(|c: char| c.is_alphanumeric() || ")]_.".contains(c));
            let others: &[&str] = match self.at(*token) {
                "+=" => &["-=", "*="],
                "-=" => &["+=", "*="],
                "*=" => &["+=", "/="],
                "/=" => &["*=", "-="],
                _ if !is_binary => return None,
                "+" => &["-", "*"],
                "-" => &["+", "*"],
                "*" => &["+", "/"],
                "/" => &["*", "-"],
                "%" => &["/"],
                "<" => &["<=", ">", "=="],
                ">" => &[">=", "<"],
                "<=" => &["<", ">="],
                ">=" => &[">", "<="],
                "==" => &["!=", "<="],
                "&&" => &["||"],
                "||" => &["&&"],
                _ => return None,
            };
            Some((*token, others))
        };
        let found: Vec<(usize, &[&str])> = self.computing().iter().filter_map(others).collect();
        let (token, others) = some(random, &found)?;
        Some((self.tokens[token].clone(), random.pick(others).to_owned()))
    }

    /// Another number in the place of one.
    fn constant(&self, random: &mut Random) -> Option<Edit> {
        let is_number = |token: &usize| self.at(*token).starts_with(|c: char| c.is_ascii_digit());
        let numbers: Vec<usize> = self.computing().into_iter().filter(is_number).collect();
        let token = some(random, &numbers)?;
        let said = self.at(token);
        let digits = said.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let suffix = &said[digits.len()..];
        let new = match digits.parse::<i64>() {
            Ok(value) => format!("{}{suffix}", value + random.pick(&[1, 2, 7])),
            Err(_) => {
                let value: f64 = digits.parse().ok()?;
                format!("{:?}{suffix}", value + random.pick(&[0.25, 1.0, -0.5]))
            }
        };
        Some((self.tokens[token].clone(), new))
    }

    /// Another type of the elements of an array that is a parameter.
    fn element_type(&self, random: &mut Random) -> Option<Edit> {
        let is_array = |token: &usize| {
            let is_behind = matches!(self.at(token + 2), "[") || self.at(token + 1) == "*";
            is_behind && !others(self.at(*token)).is_empty()
        };
        let types: Vec<usize> = (0..self.body).filter(is_array).collect();
        let token = some(random, &types)?;
        Some((self.tokens[token].clone(), random.pick(others(self.at(token))).to_owned()))
    }

    /// A loop that runs the other way.
    fn reversed_loop(&self, random: &mut Random) -> Option<Vec<Edit>> {
        let [open, first, second, close] = some(random, &self.headers())?;
        let mark = (open..first).find(|token| self.at(*token) == "=")?;
        let compare = (first..second).find(|token| ["<", "<="].contains(&self.at(*token)))?;
        if self.at(close - 1) != "++" {
            return None;
        }
        let (from, to) = (self.place(mark + 1, first - 1), self.place(compare + 1, second - 1));
        let last = if self.at(compare) == "<" { " - 1" } else { "" };
        let [new_from, new_to] = [format!("{}{last}", self.said(&to)), self.said(&from).to_owned()];
        let [compare, step] = [compare, close - 1].map(|token| self.tokens[token].clone());
        Some(vec![(from, new_from), (compare, ">=".into()), (to, new_to), (step, "--".into())])
    }

    /// Statements, loops among them, that stand beside one another.
    fn neighbours(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let begins: Vec<usize> = self.body().filter(|token| self.at(*token) == "{").collect();
        let mut found = Vec::new();
        for begin in begins {
            let (mut at, mut before) = (begin + 1, None);
            while let Some(end) = self.stmt_end(at) {
                let own = self.place(at, end);
                if let Some(before) = before.replace(own.clone()) {
                    found.push((before, own));
                }
                at = end + 1;
            }
        }
        found
    }

    /// The last token of the statement that begins with a token; none where none does.
    fn stmt_end(&self, first: usize) -> Option<usize> {
        match self.at(first) {
            "" | "}" => None,
            "{" => self.closing(first),
            "for" | "while" => self.stmt_end(self.closing(first + 1)? + 1),
            "if" => {
                let then = self.stmt_end(self.closing(first + 1)? + 1)?;
                match self.at(then + 1) {
                    "else" => self.stmt_end(then + 2),
                    _ => Some(then),
                }
            }
            _ => {
                let mut token = first;
                while self.at(token) != ";" {
                    token = match self.at(token) {
                        "(" | "[" | "{" => self.closing(token)? + 1,
                        "" | "}" => return None,
                        _ => token + 1,
                    };
                }
                Some(token)
            }
        }
    }

    /// Neighbours in the other order.
    fn swapped_stmts(&self, random: &mut Random) -> Option<Vec<Edit>> {
        let neighbours = self.neighbours();
        let (first, second) = neighbours.get(random.below(neighbours.len()))?.clone();
        let [a, b] = [self.said(&first).to_owned(), self.said(&second).to_owned()];
        Some(vec![(first, b), (second, a)])
    }
}

/// The types that may stand in the place of one.
fn others(ty: &str) -> &'static [&'static str] {
    match ty {
        "double" => &["float", "int"],
        "float" => &["double", "int"],
        "int" => &["unsigned", "short", "long"],
        "char" => &["short"],
        "unsigned" => &["int"],
        _ => &[],
    }
}

/// One of some, if there are any.
fn some<T: Copy>(random: &mut Random, all: &[T]) -> Option<T> {
    (!all.is_empty()).then(|| random.pick(all))
}

/// The length of the token that a text begins with.
fn token(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let length_of =
        |is_part: &dyn Fn(char) -> bool| text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        let length = length_of(&|c| is_word(c) || c == '.');
        let is_signed = text[..length].ends_with(['e', 'E']) && !text.starts_with("0x");
        let rest = text[length..].strip_prefix(['+', '-']);
        return match rest.filter(|_| is_signed) {
            Some(rest) => text.len() - rest.trim_start_matches(is_word).len(),
            None => length,
        };
    }
    if text.starts_with(is_word) {
        return length_of(&is_word);
    }
    let doubles = ["++", "--", "+=", "-=", "*=", "/=", "%=", "<=", ">=", "==", "!=", "&&", "||"];
    let others = ["<<", ">>", "->"];
    match doubles.iter().chain(&others).any(|mark| text.starts_with(mark)) {
        true => 2,
        false => text.chars().next().map_or(0, char::len_utf8),
    }
}

#[cfg(test)]
mod tests {
    use super::{CHANGES, Change, change_meaning};
    use crate::Random;
    use std::collections::{BTreeMap, BTreeSet};

    const FUNCTION: &str = "void f(int n, double A[n][n], double x[n])
{
    for (int i = 1; i < n; i++) {
        x[i] = 2.5e-1 * x[i - 1]; /* 1 + 2 */
        for (int j = 0; j <= i; j++)
            A[i][j] += x[j];
    }
}";

    #[test]
    fn each_kind_of_change_has_its_places() {
        let mut random = Random::new(1);
        let mut found: BTreeMap<Change, BTreeSet<String>> = BTreeMap::new();
        for _ in 0..2000 {
            if let Some((change, text)) = change_meaning(&mut random, FUNCTION) {
                assert_ne!(text, FUNCTION);
                found.entry(change).or_default().insert(text);
            }
        }
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), CHANGES);
        assert!(found.values().all(|texts| texts.len() > 2), "{found:#?}");
        assert!(found[&Change::Constant].iter().any(|text| text.contains("1.25 * x[i - 1]")));
        let reversed = "for (int j = i; j >= 0; j--)";
        assert!(found[&Change::Direction].iter().any(|text| text.contains(reversed)));
    }
}
