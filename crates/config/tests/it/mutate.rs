//! Random changes of texts and of JSON values, the same for the same seed.

use serde_json::{Value, json};

/// Numbers without pattern, enough for tests.
///
/// **Source** G. L. Steele, D. Lea, C. H. Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014.
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which is positive.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % (bound as u64)).unwrap_or(0)
    }

    /// One of these.
    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

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
    "99999999999999999999",
    "1e9",
    "null",
    "true",
    "S0",
    "S*",
    "Si",
    "_it_",
    "_par_",
    "_cst",
    "@",
    "@1",
    " >= ",
    " = ",
    "<",
    "*",
    "(",
    ")",
    "/",
    "?",
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
    "S[",
    "_i",
    "9223372036854775807",
];

/// The text with one to four changes: bytes, pieces, lengths.
pub(crate) fn mutate_text(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(6)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.insert(at, u8::try_from(random.below(256)).unwrap_or(0)),
            3 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            _ => drop(bytes.splice(at..end, random.one(PIECES).bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The JSON text with changes within one of its strings; of others, the text itself.
pub(crate) fn mutate_string(text: &str, random: &mut Random) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let mut strings = Vec::new();
    collect_strings(&mut value, &mut strings);
    if !strings.is_empty() {
        let position = random.below(strings.len());
        *strings[position] = mutate_text(strings[position], random);
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

/// The value with one change of a key, type, word or number somewhere in it.
pub(crate) fn mutate_json(value: &Value, random: &mut Random) -> Value {
    let mut changed = value.clone();
    descend(&mut changed, random);
    changed
}

/// Goes down to a random place, a step further with a chance of five in six, and changes what is there.
fn descend(value: &mut Value, random: &mut Random) {
    if random.below(6) == 0 {
        return change(value, random);
    }
    match value {
        Value::Object(map) if !map.is_empty() => {
            let position = random.below(map.len());
            let child = map.values_mut().nth(position).expect("a value");
            descend(child, random);
        }
        Value::Array(items) if !items.is_empty() => {
            let position = random.below(items.len());
            descend(&mut items[position], random);
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
        json!([]),
        json!([32]),
        json!([[1], [2]]),
        json!({}),
        json!([{}]),
        json!({ "name": "z" }),
        json!("new-band"),
        json!(["flow", "flow"]),
    ];
    match (random.below(3), &mut *value) {
        (0, Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(random.below(map.len())).expect("a key").clone();
            map.remove(&key);
        }
        (1, Value::Object(map)) => {
            let keys =
                ["tiling", "name", "children", "parallel", "soft constraints", "sizes", "fusion"];
            map.insert((*random.one(&keys)).to_owned(), random.one(&others).clone());
        }
        (0, Value::Array(items)) if !items.is_empty() => {
            drop(items.remove(random.below(items.len())))
        }
        (1, Value::Array(items)) => items.push(random.one(&others).clone()),
        _ => *value = random.one(&others).clone(),
    }
}
