//! Writing the text that is parsed.

use super::align::{Alignment, Place};
use super::lexer::TokenKind;
use super::preprocessed::{Origin, Preprocessed};
use super::typedefs::declared_names;
use farkas_base::Span;
use std::collections::BTreeSet;
use std::ops::Range;

/// A token of the text with its place.
#[derive(Clone, Debug)]
pub(super) struct MappedToken {
    pub(super) range: Range<usize>,
    pub(super) place: Place,
}

/// The text to parse and, byte for byte as long, the text to print.
///
/// They differ where a type name in parentheses stands before an expression: tree-sitter keeps no table of type names
/// and takes `(size_t)(x)` for a call. The text to parse says `(const size_t)(x)`, the text to print has blanks there.
/// Likewise a function without a return type (`main() {`) gets its `int`, `_Atomic(int)` is read as
/// `_Atomic int`, `_Thread_local` as `__thread`, and a type that is given to a function of the compiler's, as by `va_arg`, as its size.
#[derive(Debug)]
pub(super) struct Written {
    /// The text to parse.
    pub(super) parsed: String,
    /// The text to print.
    pub(super) printed: String,
    /// The tokens of both, in order.
    pub(super) tokens: Vec<MappedToken>,
    /// The place of each pragma.
    pub(super) pragma_at: Vec<usize>,
    /// The parts that come from included files, by the position of the inclusion.
    pub(super) included_at: Vec<(usize, Range<usize>)>,
    /// The type names that the user's file and headers define.
    pub(super) own_types: BTreeSet<String>,
}

/// `_Thread_local` as tree-sitter knows it, with blanks up to the length of that.
const THREAD_LOCAL: &str = "__thread     ";

/// The functions of the compiler that take types, and which of their arguments are such.
const TAKING_TYPES: [(&str, &[usize]); 3] = [
    ("__builtin_va_arg", &[1]),
    ("__builtin_offsetof", &[0]),
    ("__builtin_types_compatible_p", &[0, 1]),
];

/// Writes the tokens of `read`, whose text is `text`, at the places of `alignment`.
pub(super) fn write(text: &str, read: &Preprocessed, alignment: &Alignment) -> Written {
    let out = Written {
        parsed: String::with_capacity(read.tokens.len() * 4),
        printed: String::with_capacity(read.tokens.len() * 4),
        tokens: Vec::with_capacity(read.tokens.len()),
        pragma_at: Vec::new(),
        included_at: Vec::new(),
        own_types: own_types(text, read),
    };
    let mut writer = Writer {
        text,
        read,
        alignment,
        out,
        depth: 0,
        atomic_end: None,
        value_ends: BTreeSet::new(),
        type_starts: BTreeSet::new(),
    };
    writer.write();
    writer.out
}

/// The state of writing.
struct Writer<'a> {
    text: &'a str,
    read: &'a Preprocessed,
    alignment: &'a Alignment,
    out: Written,
    /// How many braces and parentheses are open.
    depth: usize,
    /// The parenthesis that closes the last `_Atomic(TYPE)`.
    atomic_end: Option<usize>,
    /// The parentheses that close values around which further ones were put.
    value_ends: BTreeSet<usize>,
    /// The first tokens of types that are arguments.
    type_starts: BTreeSet<usize>,
}

impl<'a> Writer<'a> {
    /// The spelling of token `index`.
    fn word(&self, index: usize) -> &'a str {
        self.read.tokens.get(index).map_or("", |t| &self.text[t.range.clone()])
    }

    /// Appends to both texts.
    fn push(&mut self, text: &str) {
        self.out.parsed.push_str(text);
        self.out.printed.push_str(text);
    }

    /// Writes everything.
    fn write(&mut self) {
        let names = (0..self.read.tokens.len()).map(|i| self.word(i));
        for definition in self.read.typedefs.closure(names) {
            let start = self.out.parsed.len();
            self.push(definition);
            let (range, place) = (start..self.out.parsed.len(), (Span { start: 0, end: 0 }, None));
            self.out.tokens.push(MappedToken { range, place });
            self.push("\n");
        }
        let mut pragmas = self.read.pragmas.iter().peekable();
        for index in 0..self.read.tokens.len() {
            while pragmas.next_if(|p| p.before <= index).is_some() {
                self.pragma();
            }
            self.token(index);
        }
        for _ in pragmas {
            self.pragma();
        }
        self.push("\n");
    }

    /// Leaves a place for a pragma.
    fn pragma(&mut self) {
        self.push("\n ");
        self.out.pragma_at.push(self.out.parsed.len());
        self.push(" \n");
    }

    /// Writes token `index` with the blanks before it.
    fn token(&mut self, index: usize) {
        let token = &self.read.tokens[index];
        let before = index.checked_sub(1).map_or(0, |i| self.read.tokens[i].range.end);
        if token.opens_line {
            self.push("\n");
        } else if before < token.range.start {
            self.push(&self.text[before..token.range.start]);
        }
        let value_end = self.end_of_value_before_operator(index);
        self.value_ends.extend(value_end);
        self.note_type_arguments(index);
        let hidden = match () {
            () if self.value_ends.remove(&index) => ")",
            () if self.type_starts.remove(&index) => "sizeof(",
            () if value_end.is_some() => "(",
            () if self.is_cast_type(index) => "const ",
            () if self.is_implicit_int(index) => "int ",
            () => "",
        };
        self.out.parsed.push_str(hidden);
        self.out.printed.push_str(&" ".repeat(hidden.len()));
        let start = self.out.parsed.len();
        let word = self.word(index);
        let parsed = match word {
            "_Thread_local" => THREAD_LOCAL,
            _ if self.is_of_atomic(index) => " ",
            _ => word,
        };
        self.out.parsed.push_str(parsed);
        self.out.printed.push_str(word);
        let range = start..self.out.parsed.len();
        if let Origin::Included(include) = token.origin {
            match self.out.included_at.last_mut() {
                Some((last, whole)) if *last == include => whole.end = range.end,
                _ => self.out.included_at.push((include, range.clone())),
            }
        }
        self.out.tokens.push(MappedToken { range, place: self.alignment.places[index] });
    }

    /// Where token `index` calls a function that takes types, notes where these begin and what comes after them.
    fn note_type_arguments(&mut self, index: usize) {
        let found = TAKING_TYPES.iter().find(|(name, _)| *name == self.word(index));
        let Some((_, types)) = found.filter(|_| self.word(index + 1) == "(") else { return };
        let (mut depth, mut argument, mut start) = (0usize, 0, index + 2);
        for at in index + 1..self.read.tokens.len() {
            let (word, is_outer) = (self.word(at), depth == 1);
            match word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if is_outer && (word == "," || depth == 0) {
                if types.contains(&argument) && start < at {
                    self.type_starts.insert(start);
                    self.value_ends.insert(at);
                }
                (argument, start) = (argument + 1, at + 1);
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Whether token `index` is a parenthesis of `_Atomic(TYPE)`.
    fn is_of_atomic(&mut self, index: usize) -> bool {
        if self.word(index) != "(" || index == 0 || self.word(index - 1) != "_Atomic" {
            return self.atomic_end == Some(index);
        }
        let mut depth = 0usize;
        self.atomic_end = (index..self.read.tokens.len()).find(|at| {
            match self.word(*at) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        self.atomic_end.is_some()
    }

    /// Whether token `index` is the name of a function definition without a return type.
    fn is_implicit_int(&mut self, index: usize) -> bool {
        match self.word(index) {
            "{" | "(" => self.depth += 1,
            "}" | ")" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let opens = index == 0 || matches!(self.word(index - 1), ";" | "}");
        let name = self.read.tokens[index].kind == TokenKind::Identifier;
        let keyword = matches!(self.word(index), "for" | "while" | "if" | "switch");
        if self.depth > 0 || !opens || !name || keyword || self.word(index + 1) != "(" {
            return false;
        }
        let mut depth = 0usize;
        for at in index + 1..self.read.tokens.len() {
            match self.word(at) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.word(at + 1) == "{";
            }
        }
        false
    }

    /// Where token `index` begins a variable or an array element in parentheses before an operator that may also be a prefix, as
    /// in `b * (A[i]) + c` and `(sum) + c`, which tree-sitter may take for casts, the parenthesis that closes it. The text to parse
    /// says `b * ((A[i])) + c`.
    fn end_of_value_before_operator(&self, index: usize) -> Option<usize> {
        let is_name = self.read.tokens[index].kind == TokenKind::Identifier;
        if !is_name
            || !matches!(self.word(index + 1), "[" | ")")
            || !self.is_in_parentheses(index)
            || self.is_type(self.word(index))
            || is_word_of_type(self.word(index))
        {
            return None;
        }
        let mut depth = 1usize;
        for at in index + 1..self.read.tokens.len() {
            match self.word(at) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return matches!(self.word(at + 1), "+" | "-" | "*" | "&").then_some(at);
            }
        }
        None
    }

    /// Whether the parenthesis before token `index` begins an operand: it is neither a call's nor a header's of a statement.
    fn is_in_parentheses(&self, index: usize) -> bool {
        if index < 2 || self.word(index - 1) != "(" {
            return false;
        }
        match self.read.tokens[index - 2].kind {
            TokenKind::Punctuation => !matches!(self.word(index - 2), ")" | "]"),
            _ => matches!(self.word(index - 2), "return" | "case" | "else" | "do"),
        }
    }

    /// Whether a word is the name of a type.
    fn is_type(&self, name: &str) -> bool {
        self.out.own_types.contains(name)
            || self.read.typedefs.contains(name)
            || is_builtin_type(name)
    }

    /// Whether token `index` is a type name alone in the parentheses of a cast or `sizeof`.
    fn is_cast_type(&self, index: usize) -> bool {
        if index < 2 || self.word(index - 1) != "(" || self.word(index + 1) != ")" {
            return false;
        }
        let is_size = self.word(index - 2) == "sizeof";
        let operand = self.read.tokens.get(index + 2).is_some_and(|t| {
            t.kind != TokenKind::Punctuation
                || matches!(self.word(index + 2), "(" | "-" | "+" | "*" | "&" | "!" | "~")
        });
        self.is_type(self.word(index)) && (is_size || (operand && self.is_in_parentheses(index)))
    }
}

/// Whether a word of the language is a type, alone or with others.
fn is_word_of_type(word: &str) -> bool {
    let words = ["char", "short", "int", "long", "signed", "unsigned", "float", "double", "void"];
    words.contains(&word)
}

/// Whether the compiler itself defines the type `name`, in a spelling that tree-sitter takes for a plain name.
pub(super) fn is_builtin_type(name: &str) -> bool {
    matches!(
        name,
        "_Bool"
            | "__builtin_va_list"
            | "__int128"
            | "__int128_t"
            | "__uint128_t"
            | "_Float128"
            | "__float128"
            | "_Float16"
            | "_Float32"
            | "_Float64"
            | "_Float32x"
            | "_Float64x"
            | "_Decimal32"
            | "_Decimal64"
            | "_Decimal128"
            | "__bf16"
            | "__fp16"
    )
}

/// The type names that the user's file and headers define.
fn own_types(text: &str, read: &Preprocessed) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let words = read.tokens.iter().map(|t| (t.kind, &text[t.range.clone()]));
    let mut words = words.peekable();
    while let Some((_, word)) = words.next() {
        if word != "typedef" {
            continue;
        }
        let mut depth = 0usize;
        let statement = std::iter::from_fn(|| {
            words.next_if(|(_, word)| {
                match *word {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth > 0 || *word != ";"
            })
        });
        names.extend(declared_names(statement).into_iter().map(str::to_owned));
    }
    names
}
