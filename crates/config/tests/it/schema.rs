//! The schemas and the parsers agree.

use crate::common::{EVERYTHING, Program, influence_file, json_files, messages, strategy_file};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_config::{influence_schema, print_strategy, strategy_schema};
use farkas_damage::{Random, damage_value};
use farkas_schedule::Fallback;
use serde_json::Value;

/// A schema and the parser that it describes.
pub(crate) struct Pair {
    schema: jsonschema::Validator,
    parse: fn(&str) -> Vec<Diagnostic>,
}

/// Strategy files.
fn strategies() -> Pair {
    pair(&strategy_schema(), |text| strategy_file(text).err().unwrap_or_default())
}

/// Influence files.
fn influences() -> Pair {
    pair(influence_schema(), |text| influence_file(text).err().unwrap_or_default())
}

/// The schema as a checker; it must be one itself.
pub(crate) fn pair(schema: &str, parse: fn(&str) -> Vec<Diagnostic>) -> Pair {
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    assert!(jsonschema::meta::is_valid(&schema));
    Pair { schema: jsonschema::validator_for(&schema).expect("a schema"), parse }
}

impl Pair {
    /// What the schema refuses, the parser refuses. What the parser refuses for a key, type or word, the schema
    /// refuses; the rest no schema can say. Returns whether the schema accepts.
    pub(crate) fn check(&self, text: &str) -> Option<bool> {
        let errors = (self.parse)(text);
        // Not JSON, or numbers that JSON allows but no program can hold.
        let value: Value = serde_json::from_str(text).ok()?;
        let accepts = self.schema.is_valid(&value);
        assert!(accepts || !errors.is_empty(), "only the schema refuses {text}");
        let of_schema = [
            DiagnosticId::UnknownKey,
            DiagnosticId::MissingKey,
            DiagnosticId::WrongType,
            DiagnosticId::UnknownWord,
        ];
        let is_of_schema = |error: &Diagnostic| of_schema.contains(&error.id);
        // Of a key that is there twice, serde_json keeps the last, the parser the first.
        let is_twice = errors.iter().any(|e| e.id == DiagnosticId::DuplicateKey);
        if accepts && !is_twice && errors.iter().any(is_of_schema) {
            panic!("only the parser refuses {text}\n{}", messages(&errors));
        }
        Some(accepts)
    }
}

#[test]
fn the_corpus_of_errors() {
    let (strategies, influences) = (strategies(), influences());
    for (name, text) in json_files("tests/reject") {
        let pair = if name.starts_with("influence-") { &influences } else { &strategies };
        pair.check(&text);
        // A file of one kind is none of the other.
        let other = if name.starts_with("influence-") { &strategies } else { &influences };
        other.check(&text);
    }
}

#[test]
fn good_files() {
    let (strategies, influences) = (strategies(), influences());
    for (name, text) in json_files("../../strategies") {
        assert_eq!(strategies.check(&text), Some(true), "{name}");
    }
    let [strategy, tree, akg] = EVERYTHING;
    assert_eq!(strategies.check(strategy), Some(true));
    let file = strategy_file(strategy).expect("a strategy");
    let config = Program::new().strategy(strategy).expect("names of the scop");
    let printed = print_strategy(&config, file.description(), file.shape());
    assert_eq!(strategies.check(&printed), Some(true));
    assert_eq!(influences.check(tree), Some(true));
    assert_eq!(influences.check(akg), Some(true));
}

#[test]
fn changed_values() {
    let mut accepted = 0;
    let mut random = Random::new(1);
    for (number, text) in EVERYTHING.into_iter().enumerate() {
        let pair = if number == 0 { strategies() } else { influences() };
        let value: Value = serde_json::from_str(text).expect("JSON");
        for _ in 0..2000 {
            let mut changed = value.clone();
            damage_value(&mut changed, &mut random);
            accepted += usize::from(pair.check(&changed.to_string()) == Some(true));
        }
    }
    assert!((300..5700).contains(&accepted), "{accepted} of 6000 accepted");
}

#[test]
fn the_words_of_the_schemas_are_those_of_the_program() {
    let fallbacks: Vec<&str> = Fallback::ALL.iter().map(|f| f.name()).collect();
    for schema in [strategy_schema().as_str(), influence_schema()] {
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        assert_eq!(schema["$defs"]["fallback"]["enum"], serde_json::json!(fallbacks));
    }
}
