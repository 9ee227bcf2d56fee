//! What influence files mean.

use crate::common::{Program, messages};
use farkas_config::Influence;
use farkas_schedule::{Coefficient, Fallback, InfluenceNode, InfluenceTerm};
use std::fmt::Write;

/// A tree in lines that a person can read.
pub(crate) fn describe(influence: &Influence) -> String {
    let fallbacks: Vec<&str> = influence.tree.fallbacks.iter().map(|f| f.name()).collect();
    let mut text = format!("{}\n", fallbacks.join(", "));
    for node in &influence.tree.children {
        describe_node(node, 0, &mut text);
    }
    for tile in &influence.tiles {
        let _ = writeln!(text, "tile dimension {} by {}", tile.dimension, tile.size);
    }
    text
}

/// A node and what is below it, indented.
fn describe_node(node: &InfluenceNode, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let _ = write!(text, "{indent}node");
    if node.requires_parallel {
        let _ = write!(text, ", parallel");
    }
    if node.requires_permutable {
        let _ = write!(text, ", permutable");
    }
    if !node.unfused.is_empty() {
        let _ = write!(text, ", unfused {:?}", node.unfused);
    }
    if !node.variables.is_empty() {
        let _ = write!(text, ", variables {:?}, minimise {:?}", node.variables, node.objectives);
    }
    text.push('\n');
    for constraint in &node.constraints {
        let _ = write!(text, "{indent}  ");
        for (term, factor) in &constraint.terms {
            let name = match term {
                InfluenceTerm::Variable(position) => node.variables[*position].name.clone(),
                InfluenceTerm::Coefficient { stmt, depth, which } => {
                    let which = match which {
                        Coefficient::Iterator(i) => format!("it{i}"),
                        Coefficient::Param(p) => p.to_string(),
                        Coefficient::Constant => "cst".to_owned(),
                    };
                    format!("{stmt}.{which}@{depth}")
                }
            };
            let _ = write!(text, "{factor:+}{name} ");
        }
        let _ = writeln!(
            text,
            "{:+} {:?} from {}",
            constraint.constant, constraint.kind, constraint.text
        );
    }
    for child in &node.children {
        describe_node(child, depth + 1, text);
    }
}

/// An influence file that has everything: Fig. 3(b) of the paper, in words of the test program, and more.
const EVERYTHING: &str = include_str!("../everything/influence.json");

#[test]
fn a_tree_with_everything() {
    let influence = Program::new().influence(EVERYTHING);
    let influence = influence.unwrap_or_else(|errors| panic!("{}", messages(&errors)));
    insta::assert_snapshot!(describe(&influence));
}

#[test]
fn the_order_of_fallbacks_is_that_of_the_paper_by_default() {
    let text = r#"{ "influence_tree": { "children": [] } }"#;
    let influence = Program::new().influence(text).expect("an empty tree");
    let expected = [
        Fallback::DropProgression,
        Fallback::NextSibling,
        Fallback::NewBand,
        Fallback::AncestorSibling,
        Fallback::SeparateComponents,
    ];
    assert_eq!(influence.tree.fallbacks, expected);
}
