//! A translation unit: the syntax tree of the user's file after preprocessing, each node with its place in the file.

use super::align::{self, Alignment, Directive, MacroCall, Place};
use super::lexer::{Lexer, TokenKind};
use super::macros::{self, Expander, MacroOrigin};
use super::preprocessed::{self, Origin, Preprocessed};
use super::symbols::for_each_node;
use super::typedefs::declared_names;
use super::types::children;
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{Node, Parser, Tree};

/// A C file after preprocessing: a syntax tree, the text it was parsed from, and the way back to the original.
///
/// The *text* holds the user's own file with all macros expanded, preceded and interspersed by the contents of the
/// user's own headers and by those type definitions of system headers that the file needs. Directives, pragmas and
/// comments are not in it. Node positions (`byte_range`) are positions in this text; [`span`](Self::span) turns them
/// into spans of the original file.
#[derive(Debug)]
pub struct TranslationUnit {
    source: Arc<SourceFile>,
    text: String,
    tree: Tree,
    tokens: Vec<MappedToken>,
    calls: Vec<MacroCall>,
    directives: Vec<Directive>,
    pragmas: Vec<Pragma>,
    included_at: Vec<(usize, Range<usize>)>,
    preprocessed_text: String,
    preprocessed: Preprocessed,
    own_types: BTreeSet<String>,
}

/// A token of the text with its place.
#[derive(Clone, Debug)]
struct MappedToken {
    range: Range<usize>,
    place: Place,
}

/// A `#pragma` of the user's file, or one of an included file that opens or closes a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// The words after `pragma`, for instance `scop` or `omp parallel for`.
    pub words: String,
    /// Its place in the text, between two tokens.
    pub at: usize,
    /// The whole directive (or `_Pragma` operator) in the original file; for an included file, the `#include`.
    pub span: Span,
    /// The included file and the line in it, when it does not stand in the user's own file.
    pub included: Option<(String, u32)>,
}

/// An object-like macro whose expansion was used, with what a guard in the output needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoldedMacro {
    /// The macro.
    pub name: String,
    /// Its full expansion where it was used.
    pub expansion: String,
    /// The value, when `#if NAME != value` can test it.
    pub value: Option<i128>,
    /// Who defines it.
    pub origin: MacroOrigin,
    /// Where it was used first, directly or through another macro.
    pub span: Span,
}

impl TranslationUnit {
    /// Parses `preprocessed`, which is what `cc -E -dD` printed for `source`.
    ///
    /// Syntax errors are no failure: what cannot be parsed matters only inside a region's function.
    ///
    /// # Errors
    /// `internal-error` when the parser itself refuses to work.
    pub fn parse(source: Arc<SourceFile>, preprocessed: String) -> Result<Self, Box<Diagnostic>> {
        let read = preprocessed::read(&preprocessed);
        let alignment = align::align(&source, &preprocessed, &read);
        let mut writer = Writer::new(&preprocessed, &read, &alignment);
        writer.write();
        let Writer { parsed, printed, tokens, pragma_at, included_at, own_types, .. } = writer;
        let tree = parse_tree(&parsed)?;
        let pragmas = place_pragmas(&source, &read, &alignment, &pragma_at);
        let Alignment { calls, directives, .. } = alignment;
        Ok(Self {
            source,
            text: printed,
            tree,
            tokens,
            calls,
            directives,
            pragmas,
            included_at,
            preprocessed_text: preprocessed,
            preprocessed: read,
            own_types,
        })
    }

    /// The file as the user wrote it.
    pub fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// The root of the syntax tree, of kind `translation_unit`.
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The preprocessed text of `node`.
    pub fn text(&self, node: Node<'_>) -> &str {
        self.text_of(node.byte_range())
    }

    /// The preprocessed text in `range`.
    pub fn text_of(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or("")
    }

    /// The whole preprocessed text.
    pub(super) fn whole_text(&self) -> &str {
        &self.text
    }

    /// Where the last token before byte `at` of the text was written.
    pub(super) fn span_before(&self, at: usize) -> Span {
        let next = self.tokens.partition_point(|t| t.range.end <= at);
        self.tokens.get(next.saturating_sub(1)).map_or(Span { start: 0, end: 0 }, |t| t.place.0)
    }

    /// Where `node` was written in the original file.
    pub fn span(&self, node: Node<'_>) -> Span {
        self.span_of(node.byte_range())
    }

    /// Where the tokens in `range` of the text were written; for an empty range, the token that follows.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        let tokens = self.tokens_in(range.clone());
        let spans = tokens.iter().map(|t| t.place.0);
        spans.reduce(Span::cover).unwrap_or_else(|| {
            let next = self.tokens.partition_point(|t| t.range.end <= range.start);
            let near = self.tokens.get(next).or(self.tokens.last());
            near.map_or(Span { start: 0, end: 0 }, |t| t.place.0)
        })
    }

    /// The tokens that lie in `range`.
    fn tokens_in(&self, range: Range<usize>) -> &[MappedToken] {
        let first = self.tokens.partition_point(|t| t.range.end <= range.start);
        let last = self.tokens.partition_point(|t| t.range.start < range.end);
        self.tokens.get(first..last).unwrap_or(&[])
    }

    /// The macro call that made all of `node`.
    pub fn macro_call(&self, node: Node<'_>) -> Option<&MacroCall> {
        let tokens = self.tokens_in(node.byte_range());
        let call = tokens.first()?.place.1?;
        let same = tokens.iter().all(|t| t.place.1 == Some(call));
        self.calls.get(call as usize).filter(|_| same)
    }

    /// A macro call that makes tokens in `range` of the text and tokens next to it.
    pub(super) fn call_cut_by(&self, range: Range<usize>) -> Option<&MacroCall> {
        let first = self.tokens.partition_point(|t| t.range.end <= range.start);
        let end = self.tokens.partition_point(|t| t.range.start < range.end);
        let call = |i: usize| self.tokens.get(i).and_then(|t| t.place.1);
        let cut =
            [first, end].into_iter().filter(|&i| i > 0 && call(i - 1) == call(i)).find_map(call);
        cut.and_then(|index| self.calls.get(index as usize))
    }

    /// The macro calls in `span` of the original file, in order.
    pub fn macro_calls_in(&self, span: Span) -> impl Iterator<Item = &MacroCall> {
        self.calls
            .iter()
            .filter(move |call| call.span.start < span.end && span.start < call.span.end)
    }

    /// The object-like macros that the tokens in `span` of the original file came through, directly or through other
    /// macros, each once, in order of first use.
    pub fn macros_in(&self, span: Span) -> Vec<FoldedMacro> {
        let (table, text) = (&self.preprocessed.macros, self.preprocessed_text.as_str());
        let mut seen = BTreeSet::new();
        let mut folded = Vec::new();
        for call in self.macro_calls_in(span) {
            for name in &call.macros {
                let definition =
                    table.lookup(text, name, call.at).filter(|d| d.parameters.is_none());
                let Some(definition) = definition.filter(|_| seen.insert(name)) else { continue };
                let words = Expander::new(table, text, call.at)
                    .expand_text(definition.body)
                    .unwrap_or_default();
                folded.push(FoldedMacro {
                    name: name.clone(),
                    expansion: words.iter().map(|w| &*w.text).collect::<Vec<_>>().join(" "),
                    value: macros::integer_value(&words),
                    origin: definition.origin,
                    span: call.span,
                });
            }
        }
        folded
    }

    /// All pragmas, in order.
    pub fn pragmas(&self) -> &[Pragma] {
        &self.pragmas
    }

    /// The directives called `#name` (`if`, `else`, `include`, …) in `span` of the original file.
    pub fn directives_in(&self, span: Span) -> impl Iterator<Item = (&str, Span)> {
        let inside = move |d: &&Directive| span.start <= d.span.start && d.span.end <= span.end;
        self.directives.iter().filter(inside).map(|d| (d.name.as_str(), d.span))
    }

    /// Whether `range` of the text holds tokens of an included file.
    pub fn has_included_text(&self, range: Range<usize>) -> bool {
        self.included_at.iter().any(|(_, r)| r.start < range.end && range.start < r.end)
    }

    /// Whether `name` is a type by `typedef`, in the file or a header.
    pub fn is_type_name(&self, name: &str) -> bool {
        self.own_types.contains(name) || self.preprocessed.typedefs.contains(name)
    }

    /// The last `type_definition` at file scope that defines `name`, else one in a block, and the declarator that does.
    pub(super) fn type_definition(&self, name: &str) -> Option<(Node<'_>, Node<'_>)> {
        if !self.is_type_name(name) {
            return None;
        }
        let definitions =
            children(self.root()).into_iter().rev().filter(|n| n.kind() == "type_definition");
        definitions.into_iter().find_map(|n| self.definition_of(n, name)).or_else(|| {
            let mut found = None;
            for_each_node(self.root(), &mut |node| {
                if found.is_none() && node.kind() == "type_definition" {
                    found = self.definition_of(node, name);
                }
            });
            found
        })
    }

    /// The type definition `node` and its declarator of `name`, if it has one.
    fn definition_of<'u>(&'u self, node: Node<'u>, name: &str) -> Option<(Node<'u>, Node<'u>)> {
        let declarators: Vec<_> =
            node.children_by_field_name("declarator", &mut node.walk()).collect();
        let defines = |d: &Node<'u>| declarator_name(*d).is_some_and(|n| self.text(n) == name);
        declarators.into_iter().find(defines).map(|declarator| (node, declarator))
    }

    /// The definition of function `name` in the file or a header of the user's.
    pub fn function(&self, name: &str) -> Option<Node<'_>> {
        self.functions().find(|(n, _)| *n == name).map(|(_, node)| node)
    }

    /// All function definitions of the file and the user's headers, with their names, in order.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Node<'_>)> {
        let functions =
            children(self.root()).into_iter().filter(|n| n.kind() == "function_definition");
        functions.filter_map(|n| {
            Some((self.text(declarator_name(n.child_by_field_name("declarator")?)?), n))
        })
    }

    /// Every name that the file uses or its macros define: what a fresh name must avoid.
    pub fn names(&self) -> BTreeSet<String> {
        let words = |text| {
            Lexer::of_piece(text, 0)
                .filter(|t| t.kind == TokenKind::Identifier)
                .map(move |t| &text[t.range])
        };
        let own = words(self.source.text()).chain(words(&self.text));
        own.chain(self.preprocessed.macros.names()).map(str::to_owned).collect()
    }

    /// A diagnostic at `node`.
    pub fn diagnostic(
        &self,
        id: DiagnosticId,
        message: impl Into<String>,
        node: Node<'_>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(id, message).at(&self.source, self.span(node), label)
    }
}

/// The identifier that a declarator declares, through pointers, arrays, parameter lists and parentheses.
pub fn declarator_name(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut node = declarator;
    loop {
        match node.kind() {
            "identifier" | "type_identifier" | "field_identifier" => return Some(node),
            _ => node = inner_declarator(node)?,
        }
    }
}

/// The declarator inside `node`, one step further in.
pub(super) fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("declarator").or_else(|| {
        children(node)
            .into_iter()
            .find(|c| c.kind().ends_with("declarator") || c.kind().ends_with("identifier"))
    })
}

/// Parses with tree-sitter.
fn parse_tree(text: &str) -> Result<Tree, Box<Diagnostic>> {
    let mut parser = Parser::new();
    let failed = |what: String| {
        Box::new(Diagnostic::new(
            DiagnosticId::InternalError,
            format!("the C parser failed: {what}"),
        ))
    };
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).map_err(|e| failed(e.to_string()))?;
    parser.parse(text, None).ok_or_else(|| failed("it gave no tree".to_owned()))
}

/// Writes the text to parse and, byte for byte as long, the text to print.
///
/// They differ where a type name in parentheses stands before an expression: tree-sitter keeps no table of type names
/// and takes `(size_t)(x)` for a call. The text to parse says `(const size_t)(x)`, the text to print has blanks there.
/// Likewise a function without a return type (`main() {`) gets its `int`.
struct Writer<'a> {
    text: &'a str,
    read: &'a Preprocessed,
    alignment: &'a Alignment,
    parsed: String,
    printed: String,
    tokens: Vec<MappedToken>,
    pragma_at: Vec<usize>,
    included_at: Vec<(usize, Range<usize>)>,
    own_types: BTreeSet<String>,
    depth: usize,
}

impl<'a> Writer<'a> {
    fn new(text: &'a str, read: &'a Preprocessed, alignment: &'a Alignment) -> Self {
        Self {
            text,
            read,
            alignment,
            parsed: String::new(),
            printed: String::new(),
            tokens: Vec::with_capacity(read.tokens.len()),
            pragma_at: Vec::new(),
            included_at: Vec::new(),
            own_types: own_types(text, read),
            depth: 0,
        }
    }

    /// The spelling of token `index`.
    fn word(&self, index: usize) -> &'a str {
        self.read.tokens.get(index).map_or("", |t| &self.text[t.range.clone()])
    }

    /// Appends to both texts.
    fn push(&mut self, text: &str) {
        self.parsed.push_str(text);
        self.printed.push_str(text);
    }

    /// Writes everything.
    fn write(&mut self) {
        let names = (0..self.read.tokens.len()).map(|i| self.word(i));
        for definition in self.read.typedefs.closure(names) {
            let start = self.parsed.len();
            self.push(definition);
            let (range, place) = (start..self.parsed.len(), (Span { start: 0, end: 0 }, None));
            self.tokens.push(MappedToken { range, place });
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
        self.pragma_at.push(self.parsed.len());
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
        let hidden = match () {
            () if self.is_cast_type(index) => "const ",
            () if self.is_implicit_int(index) => "int ",
            () => "",
        };
        self.parsed.push_str(hidden);
        self.printed.push_str(&" ".repeat(hidden.len()));
        let start = self.parsed.len();
        self.push(self.word(index));
        let range = start..self.parsed.len();
        if let Origin::Included(include) = token.origin {
            match self.included_at.last_mut() {
                Some((last, whole)) if *last == include => whole.end = range.end,
                _ => self.included_at.push((include, range.clone())),
            }
        }
        self.tokens.push(MappedToken { range, place: self.alignment.places[index] });
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
        if self.depth > 0 || !opens || !name || self.word(index + 1) != "(" {
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

    /// Whether token `index` is a type name alone in the parentheses of a cast or `sizeof`.
    fn is_cast_type(&self, index: usize) -> bool {
        if index < 2 || self.word(index - 1) != "(" || self.word(index + 1) != ")" {
            return false;
        }
        let name = self.word(index);
        let known = self.own_types.contains(name)
            || self.read.typedefs.contains(name)
            || is_builtin_type(name);
        let before = &self.read.tokens[index - 2];
        let operator = match before.kind {
            TokenKind::Punctuation => !matches!(self.word(index - 2), ")" | "]"),
            _ => matches!(self.word(index - 2), "return" | "sizeof" | "case" | "else" | "do"),
        };
        let operand = self.read.tokens.get(index + 2).is_some_and(|t| {
            t.kind != TokenKind::Punctuation
                || matches!(self.word(index + 2), "(" | "-" | "+" | "*" | "&" | "!" | "~")
        });
        known && operator && (operand || self.word(index - 2) == "sizeof")
    }
}

/// Whether the compiler itself defines the type `name`, in a spelling that tree-sitter takes for a plain name.
fn is_builtin_type(name: &str) -> bool {
    matches!(
        name,
        "_Bool"
            | "__int128"
            | "__int128_t"
            | "__uint128_t"
            | "_Float128"
            | "__float128"
            | "_Float16"
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

/// Finds each pragma in the original file.
fn place_pragmas(
    source: &SourceFile,
    read: &Preprocessed,
    alignment: &Alignment,
    at: &[usize],
) -> Vec<Pragma> {
    let mut taken = BTreeSet::new();
    let mut pragmas = Vec::new();
    for (pragma, &at) in read.pragmas.iter().zip(at) {
        let words = pragma.words.clone();
        let (span, included) = match pragma.origin {
            Origin::Own { line } => {
                (pragma_span(source, alignment, line, &words, &mut taken), None)
            }
            Origin::Included(index) => (
                align::include_span(read.includes.get(index), &alignment.directives),
                Some(pragma.place.clone()),
            ),
        };
        pragmas.push(Pragma { words, at, span, included });
    }
    pragmas
}

/// The directive, `_Pragma` operator or macro call on `line` that makes the pragma `words`; else the line.
fn pragma_span(
    source: &SourceFile,
    alignment: &Alignment,
    line: u32,
    words: &str,
    taken: &mut BTreeSet<Span>,
) -> Span {
    let directives = alignment
        .directives
        .iter()
        .filter(|d| d.name == "pragma" && d.lines.0 <= line && line <= d.lines.1);
    let whole = align::line_span(source, line);
    let operators = pragma_operators(source, whole, words);
    let calls = alignment.calls.iter().map(|c| c.span).filter(|s| source.line(*s) == line);
    let mut candidates = directives.map(|d| d.span).chain(operators).chain(calls);
    candidates.find(|span| taken.insert(*span)).unwrap_or(whole)
}

/// The `_Pragma` operators with the string `words` in `line`.
fn pragma_operators(source: &SourceFile, line: Span, words: &str) -> Vec<Span> {
    let text = source.slice(line);
    let tokens: Vec<_> = Lexer::of_piece(text, 0).map(|t| t.range).collect();
    let first = words.split_whitespace().next().unwrap_or("");
    let operator = |window: &[Range<usize>]| {
        let [name, _, string, close] = window else { return None };
        let found = text[name.clone()] == *"_Pragma"
            && text[string.clone()].trim_matches('"').trim().starts_with(first);
        let start = line.start as usize;
        found.then(|| Span::new(start + name.start..start + close.end))
    };
    tokens.windows(4).filter_map(operator).collect()
}
