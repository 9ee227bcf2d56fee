//! JSON to a strategy file.

use super::{DirectiveEntry, FusionEntry, StrategyFile};
use crate::constraint::{Scope, parse as parse_constraint};
use crate::json::{Node, Text, Value};
use crate::names::Name;
use crate::read::Fields;
use crate::recipe::read_own;
use crate::report::{Report, with_known};
use crate::shape::{SHAPE_KEYS, TEMPLATE_KEYS, read_shape};
use crate::words::{
    COST_FUNCTIONS, DEGREES, HEURISTICS, KEPT_PARALLELISM, SCHEMA_KEY, dependence_kinds,
    directives, fallbacks, is_other_kind, read_variables,
};
use farkas_base::{DiagnosticId, SourceFile, Span, nearest};
use farkas_schedule::{Config, CostChoice, Dimension, Parallelism, UserVariable};
use std::num::NonZeroU32;
use std::sync::Arc;

/// The key of the strategy itself.
const ROOT_KEY: &str = "scheduling_strategy";

/// The keys of a strategy, those of its shape apart.
const KEYS: [&str; 22] = [
    "name",
    "description",
    "shipped",
    "new_variables",
    "ILP_construction",
    "custom_constraints",
    "fusion",
    "directives",
    "auto_vectorization",
    "parallelism",
    "cache_line",
    "negative_coefficients",
    "parametric_shift",
    "max_coefficient",
    "fallback_order",
    "fusion_heuristic",
    "kept_parallelism",
    "spatial_fusion",
    "typed_fusion",
    "live_range_reordering",
    "proximity_dependences",
    "recipe",
];

/// The keys that a file may have that names a strategy that Farkas ships.
const BESIDE_SHIPPED: [&str; 3] = ["name", "description", "shipped"];

/// The words for rows; distribution happens nowhere but at the first of them and numbers.
const ROW_WORDS: [(&str, Dimension); 2] =
    [("default", Dimension::Default), ("last", Dimension::Last)];

/// Rows beyond this are no rows.
const MAX_DIMENSION: i64 = 1_000_000;

/// Coefficients beyond this are no coefficients, and lines of more elements no lines.
const MAX_COEFFICIENT: i64 = 1 << 30;

/// A pressure on registers beyond this is never reached.
const MAX_PRESSURE: i64 = 1 << 30;

/// Reads a file; `None` only where something is wrong.
pub(super) fn read(
    root: &Node,
    source: &Arc<SourceFile>,
    report: &mut Report,
) -> Option<StrategyFile> {
    if is_other_kind(root, ROOT_KEY, "influence_tree", "--influence", report) {
        return None;
    }
    let file = report.object(root, "the file", &[ROOT_KEY, SCHEMA_KEY])?;
    if let Some(schema) = file.get(SCHEMA_KEY) {
        report.text(schema, SCHEMA_KEY);
    }
    let keys = [&KEYS[..], &SHAPE_KEYS[..]].concat();
    let root = file.need(report, ROOT_KEY)?;
    let fields = report.object(root, "the strategy", &keys)?;
    let mut config = read_config(&fields, report);
    config.costs = match fields.get("ILP_construction") {
        Some(node) => read_costs(node, &config.variables, report),
        None => config.costs,
    };
    let description = fields.get("description").and_then(|node| report.text(node, "description"));
    let of = |key: &str| fields.get(key);
    let shipped = of("shipped").and_then(|node| report.text(node, "shipped"));
    if shipped.is_some() {
        refuse_others(&fields, &keys, report);
    }
    let recipe = of("recipe").and_then(|node| read_own(node, source, &config.name, report));
    for key in TEMPLATE_KEYS.iter().filter(|_| recipe.is_some()) {
        if let Some(node) = of(key) {
            let message = format!("`{key}` has no meaning beside `recipe`");
            let note = "the recipe says what is done to the schedule";
            report.error(DiagnosticId::ContradictoryEntries, node.place(), message, note);
        }
    }
    Some(StrategyFile {
        source: Arc::clone(source),
        description: description.map(|text| text.text.clone()),
        shipped: shipped.map(|text| (text.text.clone(), text.span)),
        constraints: of("custom_constraints")
            .map_or_else(Vec::new, |node| read_constraints(node, &config.variables, report)),
        fusion: of("fusion").map_or_else(Vec::new, |node| read_fusion(node, report)),
        directives: of("directives").map_or_else(Vec::new, |node| read_directives(node, report)),
        shape: read_shape(of, report),
        recipe: recipe.map(Arc::new),
        config,
    })
}

/// The messages on what a file says beside the name of a strategy that Farkas ships.
fn refuse_others(fields: &Fields<'_>, keys: &[&str], report: &mut Report) {
    for key in keys.iter().filter(|key| !BESIDE_SHIPPED.contains(*key)) {
        if let Some(node) = fields.get(key) {
            let message = format!("`{key}` has no meaning beside `shipped`");
            let note = "a strategy that Farkas ships is taken as it is";
            report.error(DiagnosticId::ContradictoryEntries, node.place(), message, note);
        }
    }
}

/// The keys with plain values.
fn read_config(fields: &Fields<'_>, report: &mut Report) -> Config {
    let default = Config::default();
    let name = fields.get("name").and_then(|node| report.text(node, "name"));
    let name = name.map_or(default.name, |text| text.text.clone());
    let variables = fields.get("new_variables").map(|node| read_variables(node, report));
    let mut flag =
        |key: &str| fields.get(key).and_then(|node| report.boolean(node, key)).unwrap_or(false);
    let auto_vectorization = flag("auto_vectorization");
    let negative_coefficients = flag("negative_coefficients");
    let parametric_shift = flag("parametric_shift");
    let (spatial_fusion, typed_fusion) = (flag("spatial_fusion"), flag("typed_fusion"));
    let live_range_reordering = flag("live_range_reordering");
    let max_coefficient = fields
        .get("max_coefficient")
        .and_then(|node| report.integer(node, "max_coefficient", 1..=MAX_COEFFICIENT));
    let parallelism = fields.get("parallelism").and_then(|node| read_parallelism(node, report));
    let line = fields
        .get("cache_line")
        .and_then(|node| report.integer(node, "cache_line", 1..=MAX_COEFFICIENT));
    let line = line.and_then(|line| NonZeroU32::new(u32::try_from(line).ok()?));
    let fallbacks = fields
        .get("fallback_order")
        .and_then(|node| report.words(node, "fallback_order", &fallbacks()));
    let heuristic = fields
        .get("fusion_heuristic")
        .and_then(|node| report.word(node, "fusion_heuristic", &HEURISTICS));
    let kept_parallelism = fields
        .get("kept_parallelism")
        .and_then(|node| report.word(node, "kept_parallelism", &KEPT_PARALLELISM));
    let proximity_kinds = fields
        .get("proximity_dependences")
        .and_then(|node| report.words(node, "proximity_dependences", &dependence_kinds()));
    Config {
        name,
        variables: variables.unwrap_or_default(),
        auto_vectorization,
        parallelism,
        line: line.unwrap_or(default.line),
        spatial_fusion,
        typed_fusion,
        live_range_reordering,
        negative_coefficients,
        parametric_shift,
        max_coefficient,
        fallbacks: fallbacks.unwrap_or(default.fallbacks),
        heuristic: heuristic.unwrap_or(default.heuristic),
        kept_parallelism: kept_parallelism.unwrap_or(default.kept_parallelism),
        proximity_kinds: proximity_kinds.unwrap_or(default.proximity_kinds),
        costs: default.costs,
        constraints: Vec::new(),
        fusion: Vec::new(),
        directives: Vec::new(),
    }
}

/// `{"degree": "single", "max_pressure": 30, "avoid_inner": true}`
fn read_parallelism(node: &Node, report: &mut Report) -> Option<Parallelism> {
    let fields = report.object(node, "parallelism", &["degree", "max_pressure", "avoid_inner"])?;
    let degree = fields.get("degree").and_then(|node| report.word(node, "degree", &DEGREES));
    let max_pressure = fields
        .get("max_pressure")
        .and_then(|node| report.integer(node, "max_pressure", 0..=MAX_PRESSURE));
    let avoids_inner = fields.get("avoid_inner");
    let avoids_inner = avoids_inner.and_then(|node| report.boolean(node, "avoid_inner"));
    Some(Parallelism {
        degree: degree.unwrap_or_default(),
        max_pressure,
        avoids_inner: avoids_inner.unwrap_or(false),
    })
}

/// The dimension of an entry: a number, or one of `words`.
fn read_dimension(
    fields: &Fields<'_>,
    words: &[(&str, Dimension)],
    report: &mut Report,
) -> Option<(Dimension, Span)> {
    const KEY: &str = "scheduling_dimension";
    let node = fields.need(report, KEY)?;
    let quoted: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
    let expected = match quoted.as_slice() {
        [first, second] => format!("a number, {first} or {second}"),
        words => format!("a number or {}", words.join(" or ")),
    };
    let dimension = match &node.value {
        Value::Text(text) => match words.iter().find(|(word, _)| *word == text.text) {
            Some((_, dimension)) => *dimension,
            None => {
                let message = format!("`{KEY}` cannot be `{}`", text.text);
                let label = format!("{expected} goes here");
                let diagnostic = report.at(DiagnosticId::UnknownWord, text.span, message, label);
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                report.push(match nearest(&text.text, &known) {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None if text.text.parse::<u32>().is_ok() => {
                        diagnostic.help("write it without quotes")
                    }
                    None => diagnostic,
                });
                return None;
            }
        },
        Value::Number(_) => {
            let number = report.integer(node, KEY, 0..=MAX_DIMENSION)?;
            Dimension::At(usize::try_from(number).ok()?)
        }
        _ => return report.wrong_type(node, KEY, &expected),
    };
    Some((dimension, node.span))
}

/// Reports a second entry for one dimension.
struct Once {
    key: &'static str,
    seen: Vec<(Dimension, Span)>,
}

impl Once {
    /// Nothing seen yet.
    fn new(key: &'static str) -> Self {
        Self { key, seen: Vec::new() }
    }

    /// Takes note of an entry.
    fn see(&mut self, dimension: Dimension, span: Span, report: &mut Report) {
        let Some((_, first)) = self.seen.iter().find(|(d, _)| *d == dimension) else {
            self.seen.push((dimension, span));
            return;
        };
        let name = match dimension {
            Dimension::Default => "the default".to_owned(),
            Dimension::At(number) => format!("dimension {number}"),
            Dimension::Last => "the last dimension".to_owned(),
        };
        let message = format!("{} has two entries for {name}", self.key);
        let diagnostic = report.at(DiagnosticId::ContradictoryEntries, span, message, "again");
        report.push(diagnostic.also(*first, "first here").help("put both into one, or remove one"));
    }
}

/// `ILP_construction`
fn read_costs(
    node: &Node,
    variables: &[UserVariable],
    report: &mut Report,
) -> Vec<(Dimension, Vec<CostChoice>)> {
    let mut once = Once::new("ILP_construction");
    let mut costs = Vec::new();
    for item in report.list(node, "ILP_construction").unwrap_or_default() {
        let keys = ["scheduling_dimension", "cost_functions"];
        let Some(fields) = report.object(item, "an entry of ILP_construction", &keys) else {
            continue;
        };
        let dimension = read_dimension(&fields, &ROW_WORDS, report);
        let functions = fields.need(report, "cost_functions");
        let functions = functions.map(|node| read_cost_functions(node, variables, report));
        let (Some((dimension, span)), Some(functions)) = (dimension, functions) else { continue };
        once.see(dimension, span, report);
        costs.push((dimension, functions));
    }
    costs
}

/// A list of cost functions.
fn read_cost_functions(
    node: &Node,
    variables: &[UserVariable],
    report: &mut Report,
) -> Vec<CostChoice> {
    let items = report.list(node, "cost_functions").unwrap_or_default();
    let mut functions = Vec::new();
    for item in items {
        let Some(text) = report.text(item, "a cost function") else { continue };
        let predefined =
            COST_FUNCTIONS.iter().find(|(word, _)| *word == text.text).map(|(_, c)| *c);
        let variable =
            || variables.iter().position(|v| v.name == text.text).map(CostChoice::Variable);
        match predefined.or_else(variable) {
            Some(function) => functions.push(function),
            None => unknown_cost_function(text, variables, report),
        }
    }
    report.no_text_twice(items, "cost_functions");
    functions
}

/// The message on something that is no cost function.
fn unknown_cost_function(text: &Text, variables: &[UserVariable], report: &mut Report) {
    let message = format!("`{}` is neither a cost function nor a variable", text.text);
    let diagnostic = report.at(DiagnosticId::UnknownCostFunction, text.span, message, "");
    let known = COST_FUNCTIONS.iter().map(|(word, _)| *word);
    let known = known.chain(variables.iter().map(|v| v.name.as_str()));
    report.push(with_known(diagnostic, &text.text, known));
}

/// `custom_constraints`
fn read_constraints(
    node: &Node,
    variables: &[UserVariable],
    report: &mut Report,
) -> Vec<(Dimension, crate::constraint::Constraint)> {
    let names: Vec<String> = variables.iter().map(|v| v.name.clone()).collect();
    let scope = Scope { variables: &names, depth: None };
    let mut constraints = Vec::new();
    for item in report.list(node, "custom_constraints").unwrap_or_default() {
        let keys = ["scheduling_dimension", "constraints"];
        let Some(fields) = report.object(item, "an entry of custom_constraints", &keys) else {
            continue;
        };
        let dimension = read_dimension(&fields, &ROW_WORDS, report);
        let texts = fields.need(report, "constraints");
        let texts = texts.and_then(|node| report.list(node, "constraints")).unwrap_or_default();
        for item in texts {
            let text = report.text(item, "a constraint");
            let constraint = text.and_then(|text| parse_constraint(text, &scope, report));
            if let (Some((dimension, _)), Some(constraint)) = (dimension, constraint) {
                constraints.push((dimension, constraint));
            }
        }
    }
    constraints
}

/// `fusion`
fn read_fusion(node: &Node, report: &mut Report) -> Vec<FusionEntry> {
    let mut once = Once::new("fusion");
    let mut entries = Vec::new();
    for item in report.list(node, "fusion").unwrap_or_default() {
        let keys = ["scheduling_dimension", "total_distribution", "stmts_fusion"];
        let Some(fields) = report.object(item, "an entry of fusion", &keys) else { continue };
        let dimension = read_dimension(&fields, &ROW_WORDS[..1], report);
        let total = fields.get("total_distribution");
        let total =
            total.and_then(|node| report.boolean(node, "total_distribution")).unwrap_or(false);
        let groups = fields.get("stmts_fusion").map(|node| read_groups(node, total, report));
        let Some((dimension, span)) = dimension else { continue };
        once.see(dimension, span, report);
        let groups = groups.unwrap_or_default();
        let place = fields.place();
        entries.push(FusionEntry { dimension, total_distribution: total, groups, place });
    }
    entries
}

/// `stmts_fusion`; with total distribution no group may have two statements.
fn read_groups(node: &Node, total: bool, report: &mut Report) -> Vec<Vec<Name>> {
    let mut groups = Vec::new();
    for item in report.list(node, "stmts_fusion").unwrap_or_default() {
        let Some(items) = report.list(item, "a group of stmts_fusion") else { continue };
        if total && items.len() > 1 {
            let message = "total_distribution leaves no group of several statements";
            let diagnostic = report.at(DiagnosticId::ContradictoryEntries, item.span, message, "");
            report.push(diagnostic.help("remove the group, or set `total_distribution` to false"));
        }
        groups.extend(report.names(item, "a group of stmts_fusion"));
    }
    groups
}

/// `directives`
fn read_directives(node: &Node, report: &mut Report) -> Vec<DirectiveEntry> {
    let words = directives();
    let mut entries = Vec::new();
    for item in report.list(node, "directives").unwrap_or_default() {
        let keys = ["type", "stmts", "iterator"];
        let Some(fields) = report.object(item, "a directive", &keys) else { continue };
        let kind = fields.need(report, "type").and_then(|node| report.word(node, "type", &words));
        let stmts = fields.need(report, "stmts").and_then(|node| report.names(node, "stmts"));
        let iterator =
            fields.need(report, "iterator").and_then(|node| report.name(node, "iterator"));
        let (Some(kind), Some(stmts), Some(iterator)) = (kind, stmts, iterator) else { continue };
        entries.push(DirectiveEntry { kind, stmts, iterator, place: fields.place() });
    }
    entries
}
