//! JSON to an influence file.

use super::akg_read::{AKG_KEYS, SOFT_KEY, read_akg};
use super::{Content, Node};
use crate::constraint::{Scope, parse as parse_constraint};
use crate::json;
use crate::report::{Report, with_known};
use crate::words::{SCHEMA_KEY, fallbacks, is_other_kind, read_variables};
use farkas_base::{DiagnosticId, Span};
use farkas_schedule::UserVariable;

/// The key of a tree.
const ROOT_KEY: &str = "influence_tree";

/// The keys of a node.
const NODE_KEYS: [&str; 7] =
    ["constraints", "parallel", "permutable", "unfused", "new_variables", "objectives", "children"];

/// Reads a file of either form; `None` only where something is wrong.
pub(super) fn read(root: &json::Node, report: &mut Report) -> Option<Content> {
    if is_other_kind(root, ROOT_KEY, "scheduling_strategy", "--strategy", report) {
        return None;
    }
    if let json::Value::Object(entries) = &root.value {
        let has = |key: &str| entries.iter().any(|(k, _)| k.text == key);
        let is_akg = AKG_KEYS.iter().any(|key| *key != SCHEMA_KEY && has(key));
        if is_akg && !has(ROOT_KEY) {
            return read_akg(root, report);
        }
        if has(ROOT_KEY) && has(SOFT_KEY) {
            let message = "a tree and soft constraints stand in one file";
            report.error(DiagnosticId::ContradictoryEntries, root.place(), message, "keep one");
            return None;
        }
    }
    let file = report.object(root, "the file", &[ROOT_KEY, SCHEMA_KEY])?;
    if let Some(schema) = file.get(SCHEMA_KEY) {
        report.text(schema, SCHEMA_KEY);
    }
    let node = file.need(report, ROOT_KEY)?;
    let fields = report.object(node, "the influence tree", &["fallback_order", "children"])?;
    let order = fields.get("fallback_order");
    let order = order.and_then(|node| report.words(node, "fallback_order", &fallbacks()));
    let children = read_children(fields.need(report, "children")?, 0, report);
    Some(Content::Tree { fallbacks: order, children })
}

/// Where the scenarios stand.
pub(super) fn place(root: &json::Node) -> Span {
    let json::Value::Object(entries) = &root.value else { return root.place() };
    let is_content = |text: &str| text == ROOT_KEY || text == SOFT_KEY;
    let key = entries.iter().find(|(key, _)| is_content(&key.text));
    key.map_or(root.place(), |(key, _)| key.span)
}

/// Alternatives at one depth.
fn read_children(node: &json::Node, depth: usize, report: &mut Report) -> Vec<Node> {
    let items = report.list(node, "children").unwrap_or_default();
    items.iter().filter_map(|item| read_node(item, depth, report)).collect()
}

/// A node.
fn read_node(node: &json::Node, depth: usize, report: &mut Report) -> Option<Node> {
    let fields = report.object(node, "a node", &NODE_KEYS)?;
    let variables = fields.get("new_variables").map(|node| read_variables(node, report));
    let variables = variables.unwrap_or_default();
    let names: Vec<String> = variables.iter().map(|v| v.name.clone()).collect();
    let scope = Scope { variables: &names, depth: Some(depth) };
    let mut constraints = Vec::new();
    let texts = fields.get("constraints").and_then(|node| report.list(node, "constraints"));
    for item in texts.unwrap_or_default() {
        let text = report.text(item, "a constraint");
        constraints.extend(text.and_then(|text| parse_constraint(text, &scope, report)));
    }
    let mut flag =
        |key: &str| fields.get(key).and_then(|node| report.boolean(node, key)).unwrap_or(false);
    let (parallel, permutable) = (flag("parallel"), flag("permutable"));
    let unfused = fields.get("unfused").and_then(|node| report.names(node, "unfused"));
    let objectives = fields.get("objectives").map(|node| read_objectives(node, &variables, report));
    let children = fields.get("children").map(|node| read_children(node, depth + 1, report));
    Some(Node {
        constraints,
        parallel,
        permutable,
        unfused: unfused.unwrap_or_default(),
        variables,
        objectives: objectives.unwrap_or_default(),
        children: children.unwrap_or_default(),
    })
}

/// Variables to minimise, by position.
fn read_objectives(
    node: &json::Node,
    variables: &[UserVariable],
    report: &mut Report,
) -> Vec<usize> {
    let items = report.list(node, "objectives").unwrap_or_default();
    let mut objectives = Vec::new();
    for item in items {
        let Some(text) = report.text(item, "an objective") else { continue };
        if let Some(position) = variables.iter().position(|v| v.name == text.text) {
            objectives.push(position);
            continue;
        }
        let message = format!("`{}` is no variable of this node", text.text);
        let diagnostic = report.at(DiagnosticId::UnknownVariable, text.span, message, "");
        let known = variables.iter().map(|v| v.name.as_str());
        report.push(with_known(diagnostic, &text.text, known));
    }
    report.no_text_twice(items, "objectives");
    objectives
}
