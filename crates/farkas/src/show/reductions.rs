//! Reductions in words and in JSON, as `farkas show` prints them.

use super::json::{PlaceDoc, place};
use crate::Input;
use farkas_base::SourceFile;
use farkas_deps::{Reduction, ReductionUpdate};
use farkas_scop::{Freedom, Operator, Scop};
use serde::Serialize;
use std::fmt::Write;

/// Updates of the same elements by one operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReductionDoc {
    /// The array's tuple name.
    pub array: String,
    /// `sum`, `product`, `min`, `max`, `and`, `or`, `bitwise and`, `bitwise or` or `bitwise xor`, or the name of a function.
    pub operator: String,
    /// Whether the updates may run in any order.
    pub free: bool,
    /// Why, or why not.
    pub reason: String,
    /// The statements.
    pub updates: Vec<UpdateDoc>,
}

/// A statement that updates elements.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UpdateDoc {
    /// Its name.
    pub statement: String,
    /// Where it is written.
    pub place: Option<PlaceDoc>,
    /// `all-reduce`, `x-reduce`, `y-reduce`, `interleaved` or `no reduction`.
    pub form: &'static str,
    /// Its iterators in the order of the memory that they go through.
    pub iterators: Vec<String>,
    /// A letter an iterator: `r` for one whose loop updates an element again, `p` for others.
    pub pattern: String,
    /// From instances to elements.
    pub elements: String,
}

/// The reductions as JSON.
pub(super) fn reduction_docs(input: &Input, scop: &Scop, found: &[Reduction]) -> Vec<ReductionDoc> {
    let update = |update: &ReductionUpdate| {
        let stmt = &scop.stmts()[update.stmt];
        UpdateDoc {
            statement: stmt.name.clone(),
            place: place(input, stmt.span),
            form: update.form().name(),
            iterators: iterators(scop, update),
            pattern: update.pattern(),
            elements: update.elements.to_string(),
        }
    };
    let doc = |reduction: &Reduction| ReductionDoc {
        array: scop.arrays()[reduction.array].name.clone(),
        operator: reduction.operator.name().to_owned(),
        free: reduction.is_free(scop.reassociation()),
        reason: reason(scop, reduction),
        updates: reduction.updates.iter().map(update).collect(),
    };
    found.iter().map(doc).collect()
}

/// The iterators of an update in the order of memory.
fn iterators(scop: &Scop, update: &ReductionUpdate) -> Vec<String> {
    let of = &scop.stmts()[update.stmt].iterators;
    update.loops.iter().map(|(_, at)| of[*at].name.clone()).collect()
}

/// Why the order is free, or not.
fn reason(scop: &Scop, reduction: &Reduction) -> String {
    let why = match &reduction.operator {
        Operator::Function(function) => &*format!(
            "a pragma says that `{}` is associative and commutative, with {} as its neutral element",
            function.name, function.neutral
        ),
        _ => reduction.freedom.reason(),
    };
    let readers: Vec<&str> =
        reduction.readers.iter().map(|(stmt, _)| scop.stmts()[*stmt].name.as_str()).collect();
    match (readers.as_slice(), reduction.freedom) {
        ([], Freedom::Rounded) if scop.reassociation().permits(reduction.freedom) => {
            format!("{why}, which --reassociate permits")
        }
        ([], Freedom::Rounded) => format!("{why}; --reassociate permits it"),
        ([], _) => why.to_owned(),
        (names, _) => format!("{} reads partial results", names.join(", ")),
    }
}

/// The reductions in words.
pub(super) fn text(source: &SourceFile, scop: &Scop, found: &[Reduction]) -> String {
    let mut text = String::new();
    for reduction in found {
        let array = &scop.arrays()[reduction.array];
        let is_free = reduction.is_free(scop.reassociation());
        let free = if is_free { "in any order" } else { "in the program's order" };
        let _ = writeln!(
            text,
            "{} into `{}`, {free}: {}",
            reduction.operator,
            array.source_name,
            reason(scop, reduction)
        );
        for update in &reduction.updates {
            let stmt = &scop.stmts()[update.stmt];
            let line =
                stmt.span.map_or_else(String::new, |s| format!(" (line {})", source.line(s)));
            let loops: Vec<String> = iterators(scop, update)
                .iter()
                .zip(update.pattern().chars())
                .map(|(name, letter)| format!("{name} {letter}"))
                .collect();
            let _ =
                writeln!(text, "  {}{line}: {}, {}", stmt.name, update.form(), loops.join(", "));
            let _ = writeln!(text, "    {}", update.elements);
        }
    }
    if found.is_empty() {
        text.push_str("no reduction\n");
    }
    text
}
