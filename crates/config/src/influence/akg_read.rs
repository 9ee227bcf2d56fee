//! JSON to AKG's flat form.

use super::Content;
use super::akg::{SoftConstraint, SoftRow, parse_row};
use super::strips::{places, strips};
use crate::json::{Node, Value};
use crate::report::Report;
use crate::words::SCHEMA_KEY;
use farkas_base::{Diagnostic, DiagnosticId};

/// The key of the list.
pub(super) const SOFT_KEY: &str = "soft constraints";

/// The keys of AKG's files.
pub(super) const AKG_KEYS: [&str; 13] = [
    SOFT_KEY,
    "name",
    "operator",
    "pattern",
    "domain",
    "schedule",
    "tree",
    "gpu",
    "disable",
    "attrs",
    "check schedule",
    "verbosity",
    SCHEMA_KEY,
];

/// Iterators and parameters beyond this are no statement's.
const MAX_META: i64 = 1024;

/// A schedule with more rows is none; the nodes of the tree lie within each other.
const MAX_ROWS: usize = 256;

/// Reads a file of this form. Keys that tell AKG's back end what to do are ignored with a warning.
pub(super) fn read_akg(root: &Node, report: &mut Report) -> Option<Content> {
    let fields = report.object(root, "a file of soft constraints", &AKG_KEYS)?;
    for key in ["name", SCHEMA_KEY] {
        if let Some(node) = fields.get(key) {
            report.text(node, key);
        }
    }
    ignored(root, report);
    let items = fields.need(report, SOFT_KEY).and_then(|node| report.list(node, SOFT_KEY))?;
    let mut constraints: Vec<SoftConstraint> = Vec::new();
    for item in items {
        let Some(constraint) = read_soft(item, report) else { continue };
        match constraints.iter().find(|c| c.statement.text == constraint.statement.text) {
            Some(first) => {
                let diagnostic = twice(&constraint, first, report);
                report.push(diagnostic);
            }
            None => constraints.push(constraint),
        }
    }
    let strips: Vec<_> = constraints.iter().map(|c| strips(&c.rows, report)).collect();
    places(&constraints, &strips, report);
    Some(Content::Akg(constraints))
}

/// The message on a second entry for one statement.
pub(super) fn twice(
    second: &SoftConstraint,
    first: &SoftConstraint,
    report: &Report,
) -> Diagnostic {
    let message = format!("statement `{}` has two entries", second.statement.text);
    let id = DiagnosticId::ContradictoryEntries;
    report.at(id, second.statement.span, message, "again").also(first.statement.span, "first here")
}

/// Warns of keys that are read by AKG alone.
fn ignored(root: &Node, report: &mut Report) {
    let Value::Object(entries) = &root.value else { return };
    let used = [SOFT_KEY, "name", SCHEMA_KEY];
    for (key, _) in entries {
        if AKG_KEYS.contains(&key.text.as_str()) && !used.contains(&key.text.as_str()) {
            let message = format!("the key `{}` has no meaning here and is ignored", key.text);
            report.error(DiagnosticId::IgnoredKey, key.span, message, "for AKG alone");
        }
    }
}

/// An entry of the list.
fn read_soft(node: &Node, report: &mut Report) -> Option<SoftConstraint> {
    let keys = ["statement", "meta", "coefficients"];
    let fields = report.object(node, "a soft constraint", &keys)?;
    let statement = fields.need(report, "statement");
    let statement = statement.and_then(|node| report.name(node, "statement"));
    let meta_node = fields.need(report, "meta");
    let meta = meta_node.and_then(|node| read_meta(node, report));
    let rows = fields.need(report, "coefficients");
    let rows = rows.and_then(|node| report.list(node, "coefficients"));
    if let Some(row) = rows.and_then(|items| items.get(MAX_ROWS)) {
        let message = format!("a statement has more than {MAX_ROWS} rows");
        report.error(DiagnosticId::ValueOutOfRange, row.span, message, "one too many");
    }
    let rows = rows.map(|items| read_rows(items, meta, report));
    Some(SoftConstraint {
        statement: statement?,
        meta: meta?,
        meta_span: meta_node?.span,
        rows: rows?,
    })
}

/// `[n_iterators, n_parameters]`, numbers or strings of digits.
fn read_meta(node: &Node, report: &mut Report) -> Option<(usize, usize)> {
    let items = report.list(node, "meta")?;
    let [iterators, params] = items else {
        let message = format!("`meta` has not two entries but {}", items.len());
        let label = "the numbers of iterators and parameters go here";
        report.error(DiagnosticId::ValueOutOfRange, node.span, message, label);
        return None;
    };
    let mut number = |item: &Node| {
        let name = report.name(item, "an entry of meta")?;
        let value = name.text.parse().ok().filter(|value| (0..=MAX_META).contains(value));
        if value.is_none() {
            let message = format!("an entry of meta is out of range: {}", name.text);
            let label = format!("a number from 0 to {MAX_META} goes here");
            report.error(DiagnosticId::ValueOutOfRange, item.span, message, label);
        }
        value.and_then(|value| usize::try_from(value).ok())
    };
    let (iterators, params) = (number(iterators), number(params));
    Some((iterators?, params?))
}

/// The rows of one statement.
fn read_rows(items: &[Node], meta: Option<(usize, usize)>, report: &mut Report) -> Vec<SoftRow> {
    let mut rows = Vec::new();
    for item in items {
        let Some(text) = report.text(item, "a row of coefficients") else { continue };
        let row = match parse_row(text) {
            Ok(row) => row,
            Err(bad) => {
                let message = "this is not a row of coefficients";
                let span = text.part(bad.range);
                report.error(DiagnosticId::MalformedConstraint, span, message, bad.reason);
                continue;
            }
        };
        let expected = meta.map(|(iterators, params)| iterators + params + 1);
        if expected.is_some_and(|expected| expected != row.entries.len()) {
            let message = format!("the row has {} entries", row.entries.len());
            let label = format!("meta asks for {} and the constant", expected.map_or(0, |n| n - 1));
            report.error(DiagnosticId::MalformedConstraint, row.span, message, label);
        }
        rows.push(row);
    }
    rows
}
