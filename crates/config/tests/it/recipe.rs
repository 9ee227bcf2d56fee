//! Recipe files.

use crate::common::{Program, messages};
use crate::schema::pair;
use farkas_base::{Diagnostic, SourceFile};
use farkas_config::{RecipeFile, RecipeStep, recipe_schema};
use farkas_damage::{Random, damage_string, damage_text, damage_value};
use farkas_steps::Step;
use farkas_transform::{Action, Planner};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// A file that has each step.
const EVERYTHING: &str = include_str!("../everything/recipe.json");

/// Reads a recipe file.
fn recipe_file(text: &str) -> Result<RecipeFile, Vec<Diagnostic>> {
    RecipeFile::parse(Arc::new(SourceFile::new("recipe.json", text)))
}

/// The steps of a file for the program of these tests, without those before its order, which fit, too.
fn resolved(text: &str) -> Result<Vec<RecipeStep>, Vec<Diagnostic>> {
    let program = Program::new();
    let file = recipe_file(text)?;
    for at in 0..file.n_storage() {
        file.resolve_storage(at, &program.scop, |stmt| program.line(stmt))?;
    }
    file.resolve(&program.scop, |stmt| program.line(stmt))
}

/// What is said of a recipe of these steps.
fn refusal(steps: &str) -> String {
    let text = format!("{{ \"recipe\": {{ \"steps\": [{steps}] }} }}");
    messages(&resolved(&text).expect_err("a refusal"))
}

#[test]
fn every_step_is_read() {
    let file = recipe_file(EVERYTHING).unwrap_or_else(|errors| panic!("{}", messages(&errors)));
    let mut steps = resolved(EVERYTHING).unwrap_or_else(|errors| panic!("{}", messages(&errors)));
    let program = Program::new();
    for at in 0..file.n_storage() {
        let first = file.resolve_storage(at, &program.scop, |stmt| program.line(stmt));
        steps.extend(first.expect("a step"));
    }
    let known = Step::WORDS.iter().map(|word| format!("step `{word}`"));
    let known: Vec<String> =
        known.chain(Planner::WORDS.iter().map(|word| format!("plan `{word}`"))).collect();
    // Some come before the order, which are read apart.
    steps.sort_by_key(|step| known.iter().position(|name| *name == step.action.name()));
    let names: Vec<String> = steps.iter().map(|step| step.action.name()).collect();
    assert_eq!(names, known);
    assert_eq!((file.name(), file.strategy()), ("everything", Some("pluto")));
    // What is printed reads back the same.
    for RecipeStep { action, .. } in steps {
        match action {
            Action::Step(step) => {
                let read = Step::read(step.word(), parameters(&step, "step"));
                assert_eq!(read.expect("a kind"), Ok(step));
            }
            Action::Plan(planner) => {
                let read = Planner::read(planner.word(), parameters(&planner, "plan"));
                assert_eq!(read.expect("a kind"), Ok(planner));
            }
        }
    }
}

#[test]
fn every_step_and_planner_is_documented() {
    let text = include_str!("../../../../docs/recipes.md");
    for word in Step::WORDS.iter().chain(Planner::WORDS) {
        assert!(text.contains(&format!("`{word}`")), "{word}");
    }
}

/// What is printed of a step or planner without the key that says which kind it is.
fn parameters(action: &impl Serialize, key: &str) -> Value {
    let mut value = serde_json::to_value(action).expect("JSON");
    value.as_object_mut().expect("an object").remove(key);
    value
}

#[test]
fn every_error_has_its_message() {
    insta::assert_snapshot!(
        [
            refusal(r#"{ "loop": "S1.1" }"#),
            refusal(r#"{ "step": "tyle", "loop": "S1.1" }"#),
            refusal(r#"{ "plan": "tyles" }"#),
            refusal(r#"{ "plan": "tiles", "sizes": ["x"] }"#),
            refusal(r#"{ "plan": "tiles", "size": [8] }"#),
            refusal(
                r#"{ "plan": "wanted-vectors", "loops": [{ "stmt": "S7", "iterator": 0 }] }"#
            ),
            refusal(r#"{ "step": "tile", "loop": "S1.1", "size": 8 }"#),
            refusal(r#"{ "step": "tile", "loop": "S1", "sizes": [8] }"#),
            refusal(r#"{ "step": "tile", "loop": "S1.1", "sizes": [8, "x"] }"#),
            refusal(r#"{ "step": "tile", "loop": "S1.1", "sizes": [99999999999999999999] }"#),
            refusal(r#"{ "step": "mark", "loop": "S1.1", "as": "fast" }"#),
            refusal(r#"{ "step": "reverse", "loop": "S1.1", "optional": 1 }"#),
            refusal(r#"{ "step": "fuse", "loops": ["S1.1", "S7.1"] }"#),
            refusal(
                r#"{ "step": "reverse", "loop": "S1.1" }, { "step": "schedule", "strategy": "pluto" }"#
            ),
            refusal(
                r#"{ "step": "schedule", "strategy": "pluto" }, { "step": "expand", "array": "t" }"#
            ),
            refusal(r#"{ "step": "expand", "array": "S7.written" }"#),
        ]
        .join("\n")
    );
    let up_to = |value: &str| {
        let text = format!("{{ \"recipe\": {{ \"original_up_to\": {value}, \"steps\": [] }} }}");
        let file = match recipe_file(&text) {
            Ok(file) => file,
            Err(errors) => return messages(&errors),
        };
        let sizes = file.original_up_to(&Program::new().scop);
        sizes.map_or_else(|errors| messages(&errors), |sizes| format!("{sizes:?}\n"))
    };
    insta::assert_snapshot!(
        "sizes",
        ["31", "-1", "\"n\"", "{ \"n\": 3, \"n\": 4 }", "{ \"n\": 3, \"q\": 4 }", "{ \"0\": 7 }"]
            .map(up_to)
            .concat()
    );
    let other = r#"{ "scheduling_strategy": {} }"#;
    assert!(messages(&recipe_file(other).expect_err("a refusal")).contains("--strategy"));
}

#[test]
fn the_schema_and_the_parser_agree() {
    let pair = pair(&recipe_schema(), |text| recipe_file(text).err().unwrap_or_default());
    assert_eq!(pair.check(EVERYTHING), Some(true));
    let value: Value = serde_json::from_str(EVERYTHING).expect("JSON");
    let mut random = Random::new(1);
    let mut accepted = 0;
    for _ in 0..3000 {
        let mut changed = value.clone();
        damage_value(&mut changed, &mut random);
        accepted += usize::from(pair.check(&changed.to_string()) == Some(true));
    }
    assert!((150..2850).contains(&accepted), "{accepted} of 3000 accepted");
}

#[test]
fn damaged_files_are_refused_at_a_place() {
    let mut random = Random::new(2);
    let mut good = 0;
    for round in 0..3000 {
        let text = match round % 2 {
            0 => damage_text(EVERYTHING, 3, &mut random),
            _ => damage_string(EVERYTHING, 3, &mut random),
        };
        match resolved(&text) {
            Ok(_) => good += 1,
            Err(errors) => {
                let is_placed = |error: &Diagnostic| error.primary.is_some();
                assert!(!errors.is_empty() && errors.iter().all(is_placed), "{errors:?}\n{text}");
            }
        }
    }
    assert!(good > 100, "{good} of 3000 accepted");
}
