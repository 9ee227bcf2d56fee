//! Damage to files: what was valid mostly is not any more.

use crate::Random;
use serde_json::{Value, json};

/// Pieces that such files consist of.
const PIECES: &[&str] = &[
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "-1",
    "7",
    "99999999999999999999",
    "1e9",
    "null",
    "true",
    "S9",
    "S*",
    "Si",
    "_it_",
    "_par_",
    "_cst",
    "@1",
    "@9",
    " >= ",
    "<",
    "*",
    "(",
    ")",
    "?",
    "(/3)",
    "(%4)",
    "é",
    "\\",
    "default",
    "proximity",
    "x",
    "\n",
    "line:9",
    "no-skewing",
    "_i",
    "9223372036854775807",
    "-9223372036854775808",
];

/// The file with one to three changes in its structure, its strings or its bytes.
pub(super) fn damaged(value: &Value, random: &mut Random) -> String {
    let mut value = value.clone();
    for _ in 0..=random.below(3) {
        descend(&mut value, random);
    }
    let text = value.to_string();
    if random.chance(25) { damaged_text(&text, random) } else { text }
}

/// Goes down to a random place and changes what is there.
fn descend(value: &mut Value, random: &mut Random) {
    if random.chance(12) {
        return change(value, random);
    }
    let at = |n: usize, random: &mut Random| random.below(n);
    match value {
        Value::Object(map) if !map.is_empty() => {
            let at = at(map.len(), random);
            if let Some(child) = map.values_mut().nth(at) {
                descend(child, random);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = at(items.len(), random);
            descend(&mut items[at], random);
        }
        _ => change(value, random),
    }
}

/// Changes the value itself.
fn change(value: &mut Value, random: &mut Random) {
    let others = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(9),
        json!(1.5),
        json!(1_000_001),
        json!(5e9),
        json!("default"),
        json!("x"),
        json!("proximity"),
        json!("parallel"),
        json!([]),
        json!([[1], [2]]),
        json!({}),
        json!([{}]),
        json!(["S0_it_0 = 1"]),
        json!("S0_it_0 >= 1 - x"),
        json!("S0_it_0*S0_it_1 = 0"),
    ];
    match (random.below(4), &mut *value) {
        (0 | 1, Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(random.below(map.len())).cloned().unwrap_or_default();
            let child = map.remove(&key);
            if random.chance(50) {
                map.insert(damaged_text(&key, random), child.unwrap_or_default());
            }
        }
        (2, Value::Object(map)) => {
            let key = random.pick(&[
                "tiling",
                "name",
                "children",
                "parallel",
                "soft constraints",
                "fusion",
                "stmts",
            ]);
            map.insert(key.to_owned(), others[random.below(others.len())].clone());
        }
        (0, Value::Array(items)) if !items.is_empty() => {
            drop(items.remove(random.below(items.len())))
        }
        (1, Value::Array(items)) if !items.is_empty() => {
            let again = items[random.below(items.len())].clone();
            items.push(again);
        }
        (0..=2, Value::String(text)) => *text = damaged_text(text, random),
        (0..=2, Value::Number(number)) => {
            let number = number.as_i64().unwrap_or(0);
            *value = json!(random.pick(&[
                number.saturating_add(1),
                number.saturating_sub(1),
                number.saturating_neg(),
                number.saturating_mul(1000),
                i64::MAX
            ]));
        }
        _ => *value = others[random.below(others.len())].clone(),
    }
}

/// The text with one or two changes of a few bytes.
fn damaged_text(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(4)).min(bytes.len());
        let piece = PIECES[random.below(PIECES.len())].bytes();
        match random.below(5) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            2 => bytes.truncate(at.max(1).min(bytes.len())),
            _ => drop(bytes.splice(at..end, piece)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
