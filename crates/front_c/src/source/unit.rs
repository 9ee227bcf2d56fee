//! A translation unit: the syntax tree of the user's file after preprocessing, each node with its place in the file.

use super::align::{self, Alignment, Directive, MacroCall};
use super::attributes;
use super::constant::integer_value;
use super::directives::thread_private_names;
use super::expand::Expander;
use super::lexer::{Lexer, TokenKind};
use super::macros::MacroOrigin;
use super::nodes::{children, declarator_name};
use super::pragmas::{Pragma, place_pragmas};
use super::preprocessed::{self, Preprocessed};
use super::scopes::TypeScopes;
use super::setting;
use super::writer::{MappedToken, Written, write};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
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
    pub(super) text: String,
    /// The text that was parsed, byte for byte as long.
    pub(super) parsed: String,
    pub(super) tree: Tree,
    pub(super) tokens: Vec<MappedToken>,
    pub(super) calls: Vec<MacroCall>,
    directives: Vec<Directive>,
    pub(super) pragmas: Vec<Pragma>,
    pub(super) included_at: Vec<(usize, Range<usize>)>,
    /// Functions of which bodies stand in the place of calls.
    pub(super) inlined: BTreeSet<String>,
    preprocessed_text: String,
    preprocessed: Preprocessed,
    own_types: BTreeSet<String>,
    functions_of_teams: OnceLock<BTreeSet<String>>,
    functions: OnceLock<Vec<Defined>>,
    pub(super) type_scopes: OnceLock<TypeScopes>,
}

/// A function definition.
#[derive(Debug)]
struct Defined {
    name: String,
    /// Where it stands in the text.
    range: Range<usize>,
    /// Its position among the file's definitions and declarations.
    at: usize,
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
        let Written { parsed, printed, tokens, pragma_at, included_at, own_types } =
            write(&preprocessed, &read, &alignment);
        let parsed = attributes::without_attributes(parsed);
        let tree = parse_tree(&parsed)?;
        let pragmas = place_pragmas(&source, &read, &alignment, &pragma_at);
        let Alignment { calls, directives, .. } = alignment;
        Ok(Self {
            source,
            text: printed,
            parsed,
            inlined: BTreeSet::new(),
            tree,
            tokens,
            calls,
            directives,
            pragmas,
            included_at,
            preprocessed_text: preprocessed,
            preprocessed: read,
            own_types,
            functions_of_teams: OnceLock::new(),
            functions: OnceLock::new(),
            type_scopes: OnceLock::new(),
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

    /// Where the token before byte `at` of the text ends there, and where it was written.
    pub(super) fn token_before(&self, at: usize) -> Option<(usize, Span)> {
        let next = self.tokens.partition_point(|t| t.range.end <= at);
        let token = self.tokens.get(next.checked_sub(1)?)?;
        Some((token.range.end, token.place.0))
    }

    /// Where the first token from byte `at` of the text on begins there.
    pub(super) fn token_after(&self, at: usize) -> Option<usize> {
        let next = self.tokens.partition_point(|t| t.range.start < at);
        self.tokens.get(next).map(|t| t.range.start)
    }

    /// The functions of the file that run in parallel regions of OpenMP.
    pub(super) fn functions_of_teams(&self) -> &BTreeSet<String> {
        self.functions_of_teams.get_or_init(|| setting::functions_of_teams(self))
    }

    /// Whether `omp threadprivate` gives each thread a variable `name` of its own.
    pub fn is_thread_private(&self, name: &str) -> bool {
        self.pragmas.iter().any(|p| thread_private_names(&p.words).any(|n| n == name))
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
    pub(super) fn tokens_in(&self, range: Range<usize>) -> &[MappedToken] {
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

    /// The call of an inlined function of which `span` is the place.
    pub(crate) fn inlined_call(&self, span: Span) -> Option<&MacroCall> {
        self.calls.iter().find(|call| call.is_inlined && call.span == span)
    }

    /// Whether bodies of the function `name` stand in the place of calls.
    pub(crate) fn is_inlined(&self, name: &str) -> bool {
        self.inlined.contains(name)
    }

    /// The names of all macros.
    pub(super) fn macro_names(&self) -> BTreeSet<String> {
        self.preprocessed.macros.names().map(str::to_owned).collect()
    }

    /// Whether `char` is unsigned for the compiler, as it is on some processors, and with `-funsigned-char`.
    pub(super) fn is_char_unsigned(&self) -> bool {
        self.preprocessed.macros.contains("__CHAR_UNSIGNED__")
    }

    /// Whether the file declares a variable `name` outside of functions.
    pub(super) fn is_variable(&self, name: &str) -> bool {
        let declarations = children(self.root()).into_iter().filter(|n| n.kind() == "declaration");
        declarations.into_iter().any(|node| {
            node.children_by_field_name("declarator", &mut node.walk())
                .any(|declarator| declarator_name(declarator).is_some_and(|n| self.text(n) == name))
        })
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
                    value: integer_value(&words),
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

    /// The definition of function `name` in the file or a header of the user's.
    pub fn function(&self, name: &str) -> Option<Node<'_>> {
        let found = self.defined().iter().find(|function| function.name == name)?;
        self.root().child(found.at)
    }

    /// Whether a place in the text is in the definition of a function.
    pub fn is_in_function(&self, at: usize) -> bool {
        self.defined().iter().any(|function| function.range.contains(&at))
    }

    /// The function definitions, which are asked for again and again.
    fn defined(&self) -> &[Defined] {
        self.functions.get_or_init(|| {
            let nodes = children(self.root()).into_iter().zip(0..);
            let functions = nodes.filter(|(node, _)| node.kind() == "function_definition");
            let defined = functions.filter_map(|(node, at)| {
                let name = self.text(declarator_name(node.child_by_field_name("declarator")?)?);
                Some(Defined { name: name.to_owned(), range: node.byte_range(), at })
            });
            defined.collect()
        })
    }

    /// All function definitions of the file and the user's headers, with their names, in order.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Node<'_>)> {
        let root = self.root();
        let node = move |function: &Defined| root.child(function.at);
        let functions = self.defined().iter();
        functions.filter_map(move |function| Some((function.name.as_str(), node(function)?)))
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

/// Parses with tree-sitter.
pub(super) fn parse_tree(text: &str) -> Result<Tree, Box<Diagnostic>> {
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
