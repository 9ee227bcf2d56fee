//! Every loop of a file, and what came of it: what `--auto` tells where people ask why.

use crate::source::{Node, TranslationUnit, for_each_node, runs_once};
use farkas_base::{Diagnostic, DiagnosticId, Span};

/// The longest header that is shown, in characters.
const MAX_HEADER: usize = 60;

/// A loop of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct FileLoop {
    /// The loop with its body.
    pub span: Span,
    /// How it begins, in one line: `for (int i = 0; i < n; i++)`.
    pub header: String,
    /// What came of it.
    pub outcome: LoopOutcome,
}

/// What came of a loop.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopOutcome {
    /// It is a part of the region of this name.
    InRegion(String),
    /// It is left alone for this reason, the first that was found.
    LeftAlone(Box<Diagnostic>),
}

impl FileLoop {
    /// A loop in a region.
    pub(crate) fn in_region(unit: &TranslationUnit, node: Node<'_>, name: &str) -> Self {
        Self::new(unit, node, LoopOutcome::InRegion(name.to_owned()))
    }

    /// A loop that is left alone because of what `obstacle` says of it or of something inside or around it.
    pub(crate) fn left_alone(
        unit: &TranslationUnit,
        node: Node<'_>,
        mut obstacle: Diagnostic,
    ) -> Self {
        let header = header(node);
        obstacle.id = DiagnosticId::LoopLeftAlone;
        obstacle.message = format!("a loop is left alone: {}", obstacle.message);
        let place = unit.span_of(header);
        let obstacle = match obstacle.primary {
            None => obstacle.at(unit.source(), place, ""),
            Some(ref label) if label.span == place => obstacle,
            Some(_) => obstacle.also(place, "the loop"),
        };
        Self::new(unit, node, LoopOutcome::LeftAlone(Box::new(obstacle)))
    }

    fn new(unit: &TranslationUnit, node: Node<'_>, outcome: LoopOutcome) -> Self {
        let words: Vec<&str> =
            unit.source().slice(unit.span_of(header(node))).split_whitespace().collect();
        let mut text = words.join(" ");
        if text.chars().count() > MAX_HEADER {
            text = text.chars().take(MAX_HEADER - 2).chain(" …".chars()).collect();
        }
        Self { span: unit.span(node), header: text, outcome }
    }
}

/// The bytes of a loop before its body; of a `do`, the word.
fn header(node: Node<'_>) -> std::ops::Range<usize> {
    let end = node.child_by_field_name("body").map_or(node.end_byte(), |body| {
        let before = body.prev_sibling().map_or(body.start_byte(), |last| last.end_byte());
        before.max(node.start_byte())
    });
    node.start_byte()..end
}

/// Whether a loop stands in `node`, or is it.
pub(crate) fn holds_loop(unit: &TranslationUnit, node: Node<'_>) -> bool {
    let mut holds = false;
    for_each_node(node, &mut |inner| holds |= is_loop(unit, inner));
    holds
}

/// The loops in `node` that the file itself holds, in its order.
pub(crate) fn loops_in<'u>(unit: &'u TranslationUnit, node: Node<'u>) -> Vec<Node<'u>> {
    let mut loops = Vec::new();
    for_each_node(node, &mut |node| {
        let is_inlined = || unit.macro_call(node).is_some_and(|call| call.is_inlined);
        if is_loop(unit, node) && !unit.has_included_text(node.byte_range()) && !is_inlined() {
            loops.push(node);
        }
    });
    loops
}

/// Whether a node is a loop.
pub(crate) fn is_loop(unit: &TranslationUnit, node: Node<'_>) -> bool {
    match node.kind() {
        "for_statement" | "while_statement" => true,
        "do_statement" => !runs_once(unit, node),
        _ => false,
    }
}
