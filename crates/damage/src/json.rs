//! Changes of texts and of JSON values after which what was valid mostly is not any more.

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
    "S0",
    "S9",
    "S*",
    "Si",
    "S[",
    "_it_",
    "_par_",
    "_cst",
    "_i",
    "@",
    "@1",
    "@9",
    " >= ",
    " = ",
    "<",
    "*",
    "/",
    "(",
    ")",
    "?",
    "(/3)",
    "(/4)",
    "(%4)",
    "\\u00e9",
    "é",
    "\\",
    "\u{0}",
    "default",
    "proximity",
    "x",
    " ",
    "\n",
    "line:9",
    "no-skewing",
    "9223372036854775807",
    "-9223372036854775808",
];

/// Keys that such files have.
const KEYS: &[&str] =
    &["tiling", "sizes", "name", "children", "parallel", "soft constraints", "fusion", "stmts"];

/// The text with one to `most` changes of a few bytes: some are cut out, doubled, added, replaced by a piece of such
/// files, or the end is missing.
///
/// # Example
/// ```
/// use farkas_damage::{Random, damage_text};
/// let damaged = |seed| damage_text("{ \"name\": \"x\" }", 4, &mut Random::new(seed));
/// assert_eq!(damaged(7), damaged(7));
/// assert!((0..9).any(|seed| damaged(seed) != damaged(seed + 1)));
/// ```
pub fn damage_text(text: &str, most: usize, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(most) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(6)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.insert(at, u8::try_from(random.below(256)).unwrap_or(0)),
            3 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            _ => drop(bytes.splice(at..end, random.pick(PIECES).bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The JSON text with damage within one of its strings; of others, the text itself.
pub fn damage_string(text: &str, most: usize, random: &mut Random) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let mut strings = Vec::new();
    collect_strings(&mut value, &mut strings);
    if !strings.is_empty() {
        let position = random.below(strings.len());
        *strings[position] = damage_text(strings[position], most, random);
    }
    value.to_string()
}

/// The strings in a value, keys apart.
fn collect_strings<'v>(value: &'v mut Value, strings: &mut Vec<&'v mut String>) {
    match value {
        Value::String(text) => strings.push(text),
        Value::Array(items) => items.iter_mut().for_each(|item| collect_strings(item, strings)),
        Value::Object(map) => map.values_mut().for_each(|item| collect_strings(item, strings)),
        _ => {}
    }
}

/// Changes a key, type, word or number at one random place of the value, a step further down with a chance of six in
/// seven.
pub fn damage_value(value: &mut Value, random: &mut Random) {
    if random.below(7) == 0 {
        return change(value, random);
    }
    match value {
        Value::Object(map) if !map.is_empty() => {
            let position = random.below(map.len());
            if let Some(child) = map.values_mut().nth(position) {
                damage_value(child, random);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let position = random.below(items.len());
            damage_value(&mut items[position], random);
        }
        _ => change(value, random),
    }
}

/// Changes the value itself.
fn change(value: &mut Value, random: &mut Random) {
    match (random.below(4), value) {
        (0 | 1, Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(random.below(map.len())).cloned().unwrap_or_default();
            let child = map.remove(&key);
            if random.chance(30) {
                map.insert(damage_text(&key, 2, random), child.unwrap_or_default());
            }
        }
        (2, Value::Object(map)) => {
            map.insert(random.pick(KEYS).to_owned(), other(random));
        }
        (0, Value::Array(items)) if !items.is_empty() => {
            drop(items.remove(random.below(items.len())));
        }
        (1, Value::Array(items)) if !items.is_empty() => {
            let again = items[random.below(items.len())].clone();
            items.push(again);
        }
        (2, Value::Array(items)) => items.push(other(random)),
        (0..=2, Value::String(text)) => *text = damage_text(text, 2, random),
        (0..=2, value @ Value::Number(_)) => *value = near(value.as_i64().unwrap_or(0), random),
        (_, value) => *value = other(random),
    }
}

/// A number made of this one.
fn near(number: i64, random: &mut Random) -> Value {
    json!(random.pick(&[
        number.saturating_add(1),
        number.saturating_sub(1),
        number.saturating_neg(),
        number.saturating_mul(1000),
        i64::MAX,
    ]))
}

/// A value that such files may have somewhere.
fn other(random: &mut Random) -> Value {
    let others = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(7),
        json!(1.5),
        json!(2.0),
        json!(1_000_001),
        json!(5e9),
        json!("default"),
        json!("0"),
        json!("proximity"),
        json!("x"),
        json!("parallel"),
        json!("new-band"),
        json!([]),
        json!([32]),
        json!([[1], [2]]),
        json!({}),
        json!([{}]),
        json!({ "name": "z" }),
        json!(["flow", "flow"]),
        json!(["S0_it_0 = 1"]),
        json!("S0_it_0 >= 1 - x"),
        json!("S0_it_0*S0_it_1 = 0"),
    ];
    others[random.below(others.len())].clone()
}
