//! Recipe files: lists of steps.

mod read;
mod up_to;

pub(crate) use read::read_own;

use crate::names::{Name, Names};
use crate::report::Report;
use farkas_base::{Diagnostic, SourceFile, Span};
use farkas_schedule::FusionHeuristic;
use farkas_scop::{Scop, Statement};
use farkas_steps::Step;
use farkas_transform::{Action, Planner};
use serde_json::{Value, json};
use std::sync::Arc;
use up_to::{Sizes, UpTo};

/// A recipe file that was read: an order to begin with, and steps that are applied to it one after another. What it says of
/// statements waits for a scop.
///
/// # Example
/// ```
/// use farkas_base::{SourceFile, render};
/// use farkas_config::RecipeFile;
/// use std::sync::Arc;
///
/// let parse = |text: &str| RecipeFile::parse(Arc::new(SourceFile::new("mine.json", text)));
/// let file = parse(r#"{ "recipe": { "steps": [
///     { "step": "schedule", "strategy": "pluto" },
///     { "step": "tile", "loop": "S0.1", "sizes": [32, 32] } ] } }"#).unwrap();
/// assert_eq!(file.strategy(), Some("pluto"));
///
/// let errors = parse(r#"{ "recipe": { "steps": [{ "step": "tile", "loop": "S0" }] } }"#).unwrap_err();
/// assert!(render(&errors[0], false).contains("`S0` names no loop"));
/// ```
#[derive(Clone, Debug)]
pub struct RecipeFile {
    source: Arc<SourceFile>,
    name: String,
    description: Option<String>,
    /// What comes before the order.
    storage: Vec<RecipeStep>,
    order: Option<Order>,
    steps: Vec<RecipeStep>,
    original_up_to: Option<UpTo>,
}

/// The order that a recipe begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Order {
    strategy: String,
    fusion: Option<FusionHeuristic>,
    is_normal: bool,
    place: Span,
}

/// The order that a recipe begins with, as [`print_recipe`] writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecipeOrder<'a> {
    /// The strategy, named as `--strategy` takes it.
    pub strategy: &'a str,
    /// What it fuses; none where that is left to it.
    pub fusion: Option<FusionHeuristic>,
    /// Whether it decides on statements whose dimensions are in the order of the loops of the normal form.
    pub is_normal: bool,
}

/// A step or planner of a recipe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecipeStep {
    /// What to do.
    pub action: Action,
    /// Whether it is left out where it does not apply.
    pub is_optional: bool,
    /// Where it stands in the file.
    pub place: Span,
}

impl RecipeFile {
    /// Reads a recipe file.
    ///
    /// # Errors
    /// All that is wrong with it whatever the scop, in the order of the file, each with its place.
    pub fn parse(source: Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let root = crate::json::parse(&source).map_err(|diagnostic| vec![*diagnostic])?;
        let mut report = Report::new(&source);
        let file = read::read(&root, &source, &mut report);
        report.finish(file).map(|(file, _)| file)
    }

    /// The steps for one scop, whose statements they then name as it does. `lines` gives the source line of a statement, for names
    /// like `line:12`.
    ///
    /// # Errors
    /// All names that the scop does not have.
    pub fn resolve(
        &self,
        scop: &Scop,
        lines: impl Fn(&Statement) -> Option<u32>,
    ) -> Result<Vec<RecipeStep>, Vec<Diagnostic>> {
        self.resolved(&self.steps, scop, lines)
    }

    /// The steps that come before the order, with the names that the file has.
    pub fn storage(&self) -> &[RecipeStep] {
        &self.storage
    }

    /// How many steps come before the order: they give values other places, and statements their parts.
    pub fn n_storage(&self) -> usize {
        self.storage.len()
    }

    /// [`RecipeFile::resolve`] for one of the steps that come before the order, for the scop that those before it made.
    ///
    /// # Errors
    /// All names that the scop does not have.
    pub fn resolve_storage(
        &self,
        at: usize,
        scop: &Scop,
        lines: impl Fn(&Statement) -> Option<u32>,
    ) -> Result<Option<RecipeStep>, Vec<Diagnostic>> {
        let Some(step) = self.storage.get(at) else { return Ok(None) };
        Ok(self.resolved(std::slice::from_ref(step), scop, lines)?.pop())
    }

    /// Some of its steps for one scop.
    fn resolved(
        &self,
        steps: &[RecipeStep],
        scop: &Scop,
        lines: impl Fn(&Statement) -> Option<u32>,
    ) -> Result<Vec<RecipeStep>, Vec<Diagnostic>> {
        let mut report = Report::new(&self.source);
        let names = Names::new(scop, lines);
        let mut steps = steps.to_vec();
        let mut added: Vec<String> = Vec::new();
        for RecipeStep { action, place, .. } in &mut steps {
            let mut known = |text: &str| {
                if added.iter().any(|name| name == text) {
                    return Some(text.to_owned());
                }
                let name = Name { text: text.to_owned(), span: *place };
                names.stmt(&mut report, &name).map(|stmt| scop.stmts()[stmt].name.clone())
            };
            match action {
                Action::Step(step) => {
                    for at in step.loops() {
                        if let Some(stmt) = at.stmt().and_then(&mut known) {
                            *at = at.clone().with_stmt(stmt);
                        }
                    }
                    for array in step.arrays() {
                        if let Some(stmt) = array.stmt().and_then(&mut known) {
                            *array = array.clone().with_stmt(stmt);
                        }
                    }
                    for stmt in step.stmts() {
                        if let Some(name) = known(stmt) {
                            *stmt = name;
                        }
                    }
                    added.extend(step.new_stmts());
                }
                Action::Plan(planner) => {
                    for stmt in planner.stmts() {
                        if let Some(name) = known(stmt) {
                            *stmt = name;
                        }
                    }
                }
            }
        }
        report.finish(Some(steps)).map(|(steps, _)| steps)
    }

    /// Where the first step stands that gives values other places.
    pub fn storage_place(&self) -> Option<Span> {
        self.storage.first().map(|step| step.place)
    }

    /// Where the first step or planner stands that makes arrays of temporaries.
    pub fn expand_place(&self) -> Option<Span> {
        let mut steps = self.storage.iter();
        steps.find(|step| step.action.word() == "expand").map(|step| step.place)
    }

    /// Whether something is done to the order that it begins with.
    pub fn has_steps(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The sizes of one scop's parameters, by name, up to which the original runs; none where what the recipe makes runs always.
    ///
    /// # Errors
    /// All names that the scop does not have.
    pub fn original_up_to(
        &self,
        scop: &Scop,
    ) -> Result<Option<Vec<(String, i64)>>, Vec<Diagnostic>> {
        let Some(up_to) = &self.original_up_to else { return Ok(None) };
        let mut report = Report::new(&self.source);
        let names = Names::new(scop, |_| None);
        let sizes: Sizes = up_to.resolve(&names, scop, &mut report);
        report.finish(Some(sizes)).map(|(sizes, _)| Some(sizes))
    }

    /// Its name; that of its file where it gives itself none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it says of itself.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The strategy whose order it begins with; none where that is left open.
    pub fn strategy(&self) -> Option<&str> {
        self.order.as_ref().map(|order| order.strategy.as_str())
    }

    /// Where it names the strategy.
    pub fn strategy_place(&self) -> Option<Span> {
        self.order.as_ref().map(|order| order.place)
    }

    /// What its order fuses; none where that is left open.
    pub fn fusion(&self) -> Option<FusionHeuristic> {
        self.order.as_ref().and_then(|order| order.fusion)
    }

    /// Whether its order is decided on statements whose dimensions are in the order of the loops of the normal form.
    pub fn is_normal(&self) -> bool {
        self.order.as_ref().is_some_and(|order| order.is_normal)
    }

    /// The file.
    pub fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }
}

/// A recipe as a file: other places for values, the order of a strategy, and steps; with the sizes of a scop's parameters, by name, up to which
/// the original runs, where there are such.
///
/// # Errors
/// When a step names loops of one tree, which have no names in files.
pub fn print_recipe(
    name: &str,
    storage: &[Step],
    RecipeOrder { strategy, fusion, is_normal }: RecipeOrder<'_>,
    steps: &[Action],
    original_up_to: Option<(&[(String, i64)], &Scop)>,
) -> serde_json::Result<String> {
    let mut order = format!("{{\"step\":\"schedule\",\"strategy\":{}", json!(strategy));
    let word = |(_, known): &&(&str, FusionHeuristic)| Some(*known) == fusion;
    if let Some((word, _)) = crate::words::HEURISTICS.iter().find(word) {
        order.push_str(&format!(",\"fuse\":{}", json!(word)));
    }
    if is_normal {
        order.push_str(",\"normalize\":true");
    }
    order.push('}');
    let mut lines = Vec::new();
    for step in storage {
        lines.push(format!("    {}", serde_json::to_string(step)?));
    }
    lines.push(format!("    {order}"));
    for action in steps {
        lines.push(format!("    {}", serde_json::to_string(action)?));
    }
    let (name, steps) = (json!(name), lines.join(",\n"));
    let up_to = original_up_to.map_or_else(String::new, |(sizes, scop)| {
        format!("  \"{}\": {},\n", up_to::KEY, up_to::print(sizes, scop))
    });
    Ok(format!(
        "{{ \"recipe\": {{\n  \"name\": {name},\n{up_to}  \"steps\": [\n{steps}\n  ]\n}} }}\n"
    ))
}

/// The schemas of steps and planners.
fn kinds_of_steps() -> Vec<Value> {
    let mut kinds = Step::schemas();
    kinds.extend(Planner::schemas());
    kinds
}

/// The schema of a recipe within a strategy.
pub(crate) fn own_schema() -> Value {
    json!({
        "type": "array",
        "description": "What is done to the schedule, step by step, in the place of tiles and all else. `farkas schema recipe` has the same steps.",
        "items": { "oneOf": Value::Array(kinds_of_steps()) }
    })
}

/// The JSON Schema (draft 2020-12) of recipe files, made from the types of the steps.
pub fn recipe_schema() -> String {
    let fusion: Vec<&str> = crate::words::HEURISTICS.iter().map(|(word, _)| *word).collect();
    let order = json!({
        "type": "object",
        "description": "The order to begin with; nothing but `divide` and `expand` comes before. Without it the program's own, or that of --strategy.",
        "properties": {
            "step": { "const": "schedule" },
            "strategy": { "type": "string", "description": "The name of a strategy, as --strategy takes it." },
            "fuse": { "enum": fusion, "description": "What it fuses." },
            "normalize": { "type": "boolean", "description": "Whether the strategy sees the loops in the order of their normal form, so that what it chooses of equals does not depend on how they were written." }
        },
        "required": ["step", "strategy"],
        "additionalProperties": false
    });
    let mut kinds = vec![order];
    kinds.extend(kinds_of_steps());
    let recipe = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "description": { "type": "string" },
            "original_up_to": up_to::schema(),
            "steps": { "type": "array", "items": { "oneOf": Value::Array(kinds) } }
        },
        "required": ["steps"],
        "additionalProperties": false
    });
    let file = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A recipe of Farkas",
        "type": "object",
        "properties": { "$schema": { "type": "string" }, "recipe": recipe },
        "required": ["recipe"],
        "additionalProperties": false
    });
    format!("{file:#}\n")
}
