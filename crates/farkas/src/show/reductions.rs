//! Reductions in words and in JSON, as `farkas show` prints them.

use super::json::{PlaceDoc, place};
use crate::Input;
use farkas_base::SourceFile;
use farkas_deps::{Reduction, ReductionUpdate, Selected};
use farkas_scop::{ArrayId, Freedom, Operator, Scop};
use serde::Serialize;
use std::fmt::Write;

/// Updates of the same elements by one operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReductionDoc {
    /// The array's tuple name.
    pub array: String,
    /// `sum`, `product`, `min`, `max`, `and`, `or`, `bitwise and`, `bitwise or` or `bitwise xor`, or the name of a function; of selections,
    /// `first greatest`, `last greatest`, `first least` or `last least`.
    pub operator: String,
    /// The tuple names of the arrays of what comes with a selected value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
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

/// The reductions as JSON, and after them the selections.
pub(super) fn reduction_docs(
    input: &Input,
    scop: &Scop,
    (found, selected): (&[Reduction], &[Selected]),
) -> Vec<ReductionDoc> {
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
    let name = |array: ArrayId| scop.arrays()[array].name.clone();
    let reductions = found.iter().map(|reduction| ReductionDoc {
        array: name(reduction.array),
        operator: reduction.operator.name().to_owned(),
        with: Vec::new(),
        free: reduction.is_free(scop.reassociation()),
        reason: reason(scop, reduction),
        updates: reduction.updates.iter().map(update).collect(),
    });
    let selections = selected.iter().map(|one| ReductionDoc {
        array: name(one.array),
        operator: one.which.to_owned(),
        with: one.with.iter().map(|array| name(*array)).collect(),
        free: false,
        reason: in_parts(one).to_owned(),
        updates: vec![update(&one.update)],
    });
    reductions.chain(selections).collect()
}

/// Whether parts may select, and why.
fn in_parts(selected: &Selected) -> &'static str {
    match selected.in_parts {
        true => {
            "parts may select, and what they find is selected from in their order: the result is the same"
        }
        false => "what comes with a value may not be computed where it is not taken",
    }
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

/// The reductions in words, and after them the selections.
pub(super) fn text(
    source: &SourceFile,
    scop: &Scop,
    (found, selected): (&[Reduction], &[Selected]),
) -> String {
    let mut text = String::new();
    let name = |array: ArrayId| scop.arrays()[array].source_name.as_str();
    for reduction in found {
        let is_free = reduction.is_free(scop.reassociation());
        let free = if is_free { "in any order" } else { "in the program's order" };
        let (operator, why) = (&reduction.operator, reason(scop, reduction));
        let _ = writeln!(text, "{operator} into `{}`, {free}: {why}", name(reduction.array));
        for update in &reduction.updates {
            update_text(&mut text, source, scop, update);
        }
    }
    for one in selected {
        let with: Vec<String> =
            one.with.iter().map(|array| format!("`{}`", name(*array))).collect();
        let (array, with, why) = (name(one.array), with.join(", "), in_parts(one));
        let which = one.which;
        let _ =
            writeln!(text, "{which} into `{array}`, with {with}, in the program's order: {why}");
        update_text(&mut text, source, scop, &one.update);
    }
    if text.is_empty() {
        text.push_str("no reduction\n");
    }
    text
}

/// A statement that updates, in words.
fn update_text(text: &mut String, source: &SourceFile, scop: &Scop, update: &ReductionUpdate) {
    let stmt = &scop.stmts()[update.stmt];
    let line = stmt.span.map_or_else(String::new, |s| format!(" (line {})", source.line(s)));
    let loops: Vec<String> = iterators(scop, update)
        .iter()
        .zip(update.pattern().chars())
        .map(|(name, letter)| format!("{name} {letter}"))
        .collect();
    let _ = writeln!(text, "  {}{line}: {}, {}", stmt.name, update.form(), loops.join(", "));
    let _ = writeln!(text, "    {}", update.elements);
}
