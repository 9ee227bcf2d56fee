//! JSON to a recipe file.

use super::up_to::{self, UpTo};
use super::{Order, RecipeFile, RecipeStep};
use crate::json::{Node, Text, Value};
use crate::read::integer;
use crate::report::{Report, with_known};
use crate::words::{HEURISTICS, SCHEMA_KEY, is_other_kind};
use farkas_base::{DiagnosticId, SourceFile, Span};
use farkas_steps::{AddressError, ReadError, Step};
use farkas_transform::{Action, Planner};
use serde_json::Value as Json;
use std::path::Path;
use std::sync::Arc;

/// The key of the recipe itself.
const ROOT_KEY: &str = "recipe";

/// The word for the order to begin with.
const ORDER: &str = "schedule";

/// Reads a file; `None` only where something is wrong.
pub(super) fn read(
    root: &Node,
    source: &Arc<SourceFile>,
    report: &mut Report,
) -> Option<RecipeFile> {
    if is_other_kind(root, ROOT_KEY, "scheduling_strategy", "--strategy", report) {
        return None;
    }
    let file = report.object(root, "the file", &[ROOT_KEY, SCHEMA_KEY])?;
    if let Some(schema) = file.get(SCHEMA_KEY) {
        report.text(schema, SCHEMA_KEY);
    }
    let root = file.need(report, ROOT_KEY)?;
    let fields =
        report.object(root, "the recipe", &["name", "description", up_to::KEY, "steps"])?;
    let mut text = |key: &str| {
        let text = fields.get(key).and_then(|node| report.text(node, key));
        text.map(|text| text.text.clone())
    };
    let (name, description) = (text("name"), text("description"));
    let original_up_to = fields.get(up_to::KEY).and_then(|node| UpTo::read(node, report));
    let steps = fields.need(report, "steps")?;
    let mut recipe = RecipeFile {
        source: Arc::clone(source),
        name: name.unwrap_or_else(|| file_name(source)),
        description,
        storage: Vec::new(),
        order: None,
        steps: Vec::new(),
        original_up_to,
    };
    for node in report.list(steps, "steps")? {
        read_step(node, &mut recipe, report);
    }
    Some(recipe)
}

/// Reads the recipe in a strategy file, a list of steps; `None` only where something is wrong.
pub(crate) fn read_own(
    steps: &Node,
    source: &Arc<SourceFile>,
    name: &str,
    report: &mut Report,
) -> Option<RecipeFile> {
    let mut recipe = RecipeFile {
        source: Arc::clone(source),
        name: name.to_owned(),
        description: None,
        storage: Vec::new(),
        order: None,
        steps: Vec::new(),
        original_up_to: None,
    };
    for node in report.list(steps, ROOT_KEY)? {
        read_step(node, &mut recipe, report);
    }
    if let Some(order) = &recipe.order {
        let message = format!("step `{ORDER}` in a strategy file");
        let note = "the strategy is the order that its recipe begins with";
        report.error(DiagnosticId::ContradictoryEntries, order.place, message, note);
    }
    Some(recipe)
}

/// The name of a file without its folder and ending.
fn file_name(source: &SourceFile) -> String {
    let stem = Path::new(source.name()).file_stem();
    stem.map_or_else(|| ROOT_KEY.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// `{"step": "tile", "loop": "S0.1", "sizes": [32, 32]}`, or `{"plan": "tiles", "sizes": [32]}`
fn read_step(node: &Node, recipe: &mut RecipeFile, report: &mut Report) -> Option<()> {
    let Value::Object(entries) = &node.value else {
        return report.wrong_type(node, "a step", "an object");
    };
    let key = |text: &str| entries.iter().find(|(key, _)| key.text == text);
    if let Some((_, kind)) = key("plan") {
        let word = report.text(kind, "plan")?;
        let planner = read_kind(node, word, &PLANS, report, Planner::read)?;
        let is_first = planner.is_before_schedule();
        let (action, is_optional, place) = (Action::Plan(planner), false, node.span);
        let step = RecipeStep { action, is_optional, place };
        let what = is_first.then(|| format!("planner `{}`", word.text));
        recipe.add(step, what, node.place(), report);
        return Some(());
    }
    let Some((_, kind)) = key("step") else {
        let message = "a step lacks the key `step` or `plan`";
        report.error(DiagnosticId::MissingKey, node.place(), message, "");
        return None;
    };
    let word = report.text(kind, "step")?;
    if word.text == ORDER {
        if recipe.order.is_some() || recipe.has_steps() {
            let message = "the order to begin with comes after other steps";
            report.error(DiagnosticId::ContradictoryEntries, node.place(), message, "");
        }
        recipe.order = read_order(node, report);
        return Some(());
    }
    let step = read_kind(node, word, &STEPS, report, Step::read)?;
    let optional = key("optional").and_then(|(_, node)| report.boolean(node, "optional"));
    let (is_optional, place) = (optional.unwrap_or(false), node.span);
    let is_first = step.is_before_schedule();
    let step = RecipeStep { action: Action::Step(step), is_optional, place };
    let what = is_first.then(|| format!("step `{}`", word.text));
    recipe.add(step, what, node.place(), report);
    Some(())
}

impl RecipeFile {
    /// Adds a step to those that come before the order, where it has words for the message if it does not, or to the others.
    fn add(&mut self, step: RecipeStep, what: Option<String>, at: Span, report: &mut Report) {
        let Some(what) = what else {
            self.steps.push(step);
            return;
        };
        if self.order.is_some() || self.has_steps() {
            let message = format!("{what} comes after the order to begin with");
            let note = "it is for the program's own order";
            report.error(DiagnosticId::ContradictoryEntries, at, &message, note);
        }
        self.storage.push(step);
    }
}

/// The things that have kinds in recipes: steps or planners.
struct Kinds {
    /// The key that says which kind it is.
    key: &'static str,
    words: &'static [&'static str],
    schemas: fn() -> Vec<Json>,
}

/// The kinds of steps.
const STEPS: Kinds = Kinds { key: "step", words: Step::WORDS, schemas: Step::schemas };

/// The kinds of planners.
const PLANS: Kinds = Kinds { key: "plan", words: Planner::WORDS, schemas: Planner::schemas };

impl Kinds {
    /// The keys that a kind has; none where there is no such kind.
    fn keys(&self, word: &str) -> Option<Vec<String>> {
        let at = self.words.iter().position(|known| *known == word)?;
        let schema = (self.schemas)().into_iter().nth(at)?;
        let properties = schema.get("properties")?.as_object()?.keys().cloned();
        Some(properties.collect())
    }
}

/// A step or planner of the kind that a word says, with its parameters.
fn read_kind<T>(
    node: &Node,
    word: &Text,
    kinds: &Kinds,
    report: &mut Report,
    read: impl Fn(&str, Json) -> Option<Result<T, ReadError>>,
) -> Option<T> {
    let key = kinds.key;
    let Some(keys) = kinds.keys(&word.text) else {
        let message = format!("there is no {key} `{}`", word.text);
        let diagnostic = report.at(DiagnosticId::UnknownWord, word.span, message, "");
        let order = (key == STEPS.key).then_some(ORDER);
        let known = kinds.words.iter().copied().chain(order);
        report.push(with_known(diagnostic, &word.text, known));
        return None;
    };
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let what = format!("{key} `{}`", word.text);
    let fields = report.object(node, &what, &keys)?;
    let known = keys.iter().filter(|known| **known != key && **known != "optional");
    let parameters = known.filter_map(|key| Some((*key, fields.get(key)?)));
    let parameters = parameters.map(|(key, value)| (key.to_owned(), json(value))).collect();
    match read(&word.text, Json::Object(parameters))? {
        Ok(read) => Some(read),
        Err(error) => {
            refuse(node, &what, &error, report);
            None
        }
    }
}

/// `{"step": "schedule", "strategy": "pluto", "fuse": "max", "normalize": true}`
fn read_order(node: &Node, report: &mut Report) -> Option<Order> {
    let keys = ["step", "strategy", "fuse", "normalize"];
    let fields = report.object(node, "step `schedule`", &keys)?;
    let fusion = fields.get("fuse").and_then(|node| report.word(node, "fuse", &HEURISTICS));
    let normal = fields.get("normalize").and_then(|node| report.boolean(node, "normalize"));
    let is_normal = normal.unwrap_or(false);
    let name = fields.need(report, "strategy")?;
    let strategy = report.text(name, "strategy")?;
    Some(Order { strategy: strategy.text.clone(), fusion, is_normal, place: strategy.span })
}

/// The message on parameters that make no step.
fn refuse(step: &Node, what: &str, error: &ReadError, report: &mut Report) {
    let at = below(step, &error.path);
    if let Some(key) = error.message.strip_prefix("missing field ") {
        let message = format!("{what} lacks the key {key}");
        report.error(DiagnosticId::MissingKey, at.place(), message, "");
        return;
    }
    let id = match &at.value {
        Value::Text(text) if AddressError(text.text.clone()).to_string() == error.message => {
            DiagnosticId::MalformedLoop
        }
        // Whole, but too large for anything.
        Value::Number(text) if text.parse::<f64>().is_ok_and(|value| value.fract() == 0.0) => {
            DiagnosticId::ValueOutOfRange
        }
        Value::Text(_) if error.message.starts_with("unknown variant") => DiagnosticId::UnknownWord,
        _ => DiagnosticId::WrongType,
    };
    report.error(id, at.place(), format!("{what}: {}", error.message), "");
}

/// The value at a path, or the innermost one around it.
fn below<'n>(node: &'n Node, path: &[String]) -> &'n Node {
    let Some((first, rest)) = path.split_first() else { return node };
    let inner = match &node.value {
        Value::Object(entries) => {
            entries.iter().find(|(key, _)| key.text == *first).map(|(_, value)| value)
        }
        Value::List(items) => first.parse::<usize>().ok().and_then(|at| items.get(at)),
        _ => None,
    };
    inner.map_or(node, |inner| below(inner, rest))
}

/// The value without places.
fn json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Boolean(value) => Json::Bool(*value),
        Value::Number(text) => match integer(text) {
            Some(value) => Json::from(value),
            None => serde_json::from_str(text).unwrap_or(Json::Null),
        },
        Value::Text(text) => Json::String(text.text.clone()),
        Value::List(items) => Json::Array(items.iter().map(json).collect()),
        Value::Object(entries) => Json::Object(
            entries.iter().map(|(key, value)| (key.text.clone(), json(value))).collect(),
        ),
    }
}
