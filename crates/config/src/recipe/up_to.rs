//! Sizes up to which the original runs in the place of what a recipe makes.

use crate::json::{Node, Value};
use crate::names::{Name, Names};
use crate::report::Report;
use farkas_base::DiagnosticId;
use farkas_scop::Scop;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Sizes, as a file has them: the original runs where every parameter named is at most so large.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum UpTo {
    /// The same for all parameters.
    All(i64),
    /// By parameter: its name, or its number.
    Each(Vec<(Name, i64)>),
}

/// The key.
pub(super) const KEY: &str = "original_up_to";

impl UpTo {
    /// `31`, or `{ "n": 31, "1": 15 }`.
    pub(super) fn read(node: &Node, report: &mut Report) -> Option<Self> {
        let Value::Object(entries) = &node.value else {
            if let Value::Number(_) = &node.value {
                return Some(Self::All(report.integer(node, KEY, 0..=i64::MAX)?));
            }
            return report.wrong_type(node, KEY, "an integer, or an object of integers");
        };
        let keys: Vec<&str> = entries.iter().map(|(key, _)| key.text.as_str()).collect();
        report.object(node, KEY, &keys)?;
        let mut each = Vec::new();
        for (key, value) in entries {
            let most = report.integer(value, &key.text, 0..=i64::MAX)?;
            each.push((Name { text: key.text.clone(), span: key.span }, most));
        }
        Some(Self::Each(each))
    }

    /// The parameters of a scop with their sizes, by name.
    pub(super) fn resolve(&self, names: &Names<'_>, scop: &Scop, report: &mut Report) -> Sizes {
        let mut sizes = BTreeMap::new();
        match self {
            Self::All(most) => {
                sizes.extend(scop.params().iter().map(|param| (param.name.clone(), *most)));
            }
            Self::Each(each) => {
                for (name, most) in each {
                    let Some(param) = names.param(report, name) else { continue };
                    let param = scop.params()[param].name.clone();
                    if sizes.contains_key(&param) {
                        let message = format!("parameter `{param}` stands twice in `{KEY}`");
                        report.error(DiagnosticId::DuplicateKey, name.span, message, "again");
                    }
                    sizes.insert(param, *most);
                }
            }
        }
        sizes.into_iter().collect()
    }
}

/// Parameters, by name, with sizes.
pub(super) type Sizes = Vec<(String, i64)>;

/// Sizes as a file has them; parameters have numbers, which hold for programs with other names, too.
pub(super) fn print(sizes: &[(String, i64)], scop: &Scop) -> Json {
    if let Some((_, first)) = sizes.first()
        && sizes.len() == scop.params().len()
        && sizes.iter().all(|(_, most)| most == first)
    {
        return json!(first);
    }
    let number = |name: &str| scop.params().iter().position(|param| param.name == name);
    let each =
        sizes.iter().filter_map(|(name, most)| Some((number(name)?.to_string(), json!(most))));
    Json::Object(each.collect())
}

/// The schema of the value.
pub(super) fn schema() -> Json {
    let size = json!({ "type": "integer", "minimum": 0 });
    json!({
        "description": "Sizes up to which the original runs: of all parameters, or by the name or number of each.",
        "oneOf": [size.clone(), { "type": "object", "additionalProperties": size }]
    })
}
