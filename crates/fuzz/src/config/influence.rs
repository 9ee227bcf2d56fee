//! Random influence files that a scop can resolve: trees, and AKG's flat form.

use super::constraint::constraint;
use super::names::Names;
use super::strategy::{FALLBACKS, some_of, stmt_value, variables};
use crate::Random;
use serde_json::{Map, Value, json};

/// A tree for the statements of `names`.
pub(super) fn tree(names: &Names, random: &mut Random) -> Value {
    let mut keys = Map::new();
    if random.chance(30) {
        keys.insert("fallback_order".into(), json!(some_of(FALLBACKS, random)));
    }
    keys.insert("children".into(), children(names, 0, random));
    json!({ "influence_tree": keys })
}

/// Alternatives at a depth; fewer further down.
fn children(names: &Names, depth: usize, random: &mut Random) -> Value {
    let most = if depth >= 4 { 0 } else { 3 - depth.min(2) };
    let count = if depth == 0 { 1 + random.below(most) } else { random.below(most + 1) };
    (0..count).map(|_| node(names, depth, random)).collect()
}

/// A node at a depth.
fn node(names: &Names, depth: usize, random: &mut Random) -> Value {
    let mut keys = Map::new();
    let variables = if random.chance(20) { variables(&mut keys, random) } else { Vec::new() };
    if random.chance(75) {
        let count = random.pick(&[1, 1, 2, 3]);
        let texts: Vec<String> =
            (0..count).map(|_| constraint(names, &variables, Some(depth), random)).collect();
        keys.insert("constraints".into(), json!(texts));
    }
    for (key, percent) in [("parallel", 25), ("permutable", 20)] {
        if random.chance(percent) {
            keys.insert(key.into(), json!(random.chance(85)));
        }
    }
    if random.chance(15) {
        let stmts = names.some_stmts(random);
        let stmts: Value = stmts.into_iter().map(|stmt| stmt_value(names, stmt, random)).collect();
        keys.insert("unfused".into(), stmts);
    }
    if random.chance(60) {
        let words: Vec<&str> = variables.iter().map(String::as_str).collect();
        keys.insert("objectives".into(), json!(some_of(&words, random)));
    }
    if random.chance(70) {
        keys.insert("children".into(), children(names, depth + 1, random));
    }
    Value::Object(keys)
}

/// AKG's flat form: as many rows for each statement that it names, strip-mined alike.
pub(super) fn akg(names: &Names, random: &mut Random) -> Value {
    let n_params = names.params.len();
    // Parts of loops are read, and refused where they are to be followed.
    let has_parts = random.chance(15);
    let suffixes: Vec<&[&str]> = (0..=random.below(3))
        .map(|_| match has_parts {
            true => random.pick(&[&[""][..], &["(/4)", " (%4)"], &["(/8)", "(%8, /2)", "(%2)"]]),
            false => &[""],
        })
        .collect();
    let mut constraints = Vec::new();
    for stmt in names.some_stmts(random) {
        let depth = names.depth(stmt);
        let mut rows = Vec::new();
        for suffixes in &suffixes {
            let entries: Vec<String> =
                (0..depth + n_params + 1).map(|at| entry(at < depth, random)).collect();
            rows.extend(suffixes.iter().map(|s| format!("[{}] {s}", entries.join(", "))));
        }
        let name = if random.chance(50) { json!(format!("S_{stmt}")) } else { json!(stmt) };
        constraints
            .push(json!({ "statement": name, "meta": [depth, n_params], "coefficients": rows }));
    }
    json!({ "soft constraints": constraints })
}

/// An entry of a row: of an iterator, or of a parameter or the constant.
fn entry(is_iterator: bool, random: &mut Random) -> String {
    match random.below(10) {
        0 | 1 => "?".into(),
        2 => format!("?{}", random.below(3)),
        3 | 4 if is_iterator => "1".into(),
        5 if random.chance(30) => random.between(-1, 2).to_string(),
        _ => "0".into(),
    }
}
