//! Project files.

use crate::common::messages;
use crate::schema::pair;
use farkas_base::{Diagnostic, SourceFile};
use farkas_config::{ProjectFile, project_schema};
use farkas_damage::{Random, damage_text, damage_value};
use serde_json::Value;
use std::sync::Arc;

/// A project file with all keys.
const ALL: &str = r#"{ "$schema": "project.json", "project": { "db": "recipes.db" } }"#;

/// Reads a project file.
fn project_file(text: &str) -> Result<ProjectFile, Vec<Diagnostic>> {
    ProjectFile::parse(&Arc::new(SourceFile::new("farkas.json", text)))
}

#[test]
fn the_schema_and_the_parser_agree() {
    let projects = pair(project_schema(), |text| project_file(text).err().unwrap_or_default());
    for (text, is_one) in [
        (ALL, true),
        (r#"{ "project": {} }"#, true),
        (r#"{ "project": { "db": "seed" } }"#, true),
        ("{}", false),
        ("[]", false),
        (r#"{ "project": [] }"#, false),
        (r#"{ "project": { "db": 1 } }"#, false),
        (r#"{ "project": { "base": "recipes.db" } }"#, false),
        (r#"{ "project": {}, "db": "recipes.db" }"#, false),
        (r#"{ "$schema": 1, "project": {} }"#, false),
    ] {
        assert_eq!(projects.check(text), Some(is_one), "{text}");
        assert_eq!(project_file(text).is_ok(), is_one, "{text}");
    }
    let value: Value = serde_json::from_str(ALL).expect("JSON");
    let mut random = Random::new(5);
    for _ in 0..500 {
        let mut damaged = value.clone();
        damage_value(&mut damaged, &mut random);
        projects.check(&damaged.to_string());
        if let Err(errors) = project_file(&damage_text(ALL, 4, &mut random)) {
            assert!(!messages(&errors).is_empty());
        }
    }
}
