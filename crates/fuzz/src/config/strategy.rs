//! Random strategies that a scop can resolve.

use super::constraint::constraint;
use super::names::Names;
use crate::Random;
use serde_json::{Map, Value, json};

/// The predefined cost functions.
const COSTS: &[&str] = &[
    "proximity",
    "flow-proximity",
    "memory-proximity",
    "feautrier",
    "contiguity",
    "bigLoopsFirst",
    "longStridesFirst",
    "temporal-spatial",
    "carry-spatial",
    "coefficient-sums",
];

/// The fallbacks.
pub(super) const FALLBACKS: &[&str] = &[
    "other-signs",
    "new-band",
    "separate-components",
    "defer-shallow",
    "parametric-shift",
    "drop-constraints",
    "replan",
    "drop-progression",
    "next-sibling",
    "ancestor-sibling",
];

/// A strategy for the statements of `names`: each key with a chance of its own.
pub(super) fn strategy(names: &Names, random: &mut Random) -> Value {
    let mut keys = Map::new();
    let variables = if random.chance(30) { variables(&mut keys, random) } else { Vec::new() };
    let mut put = |key: &str,
                   percent: usize,
                   random: &mut Random,
                   make: &mut dyn FnMut(&mut Random) -> Value| {
        if random.chance(percent) {
            keys.insert(key.to_owned(), make(random));
        }
    };
    put("name", 30, random, &mut |_| json!("random"));
    put("description", 10, random, &mut |_| json!("of a seed"));
    put("ILP_construction", 60, random, &mut |r| costs(&variables, r));
    put("custom_constraints", 45, random, &mut |r| constraints(names, &variables, r));
    put("fusion", 25, random, &mut |r| fusion(names, r));
    put("directives", 35, random, &mut |r| directives(names, r));
    for key in [
        "auto_vectorization",
        "negative_coefficients",
        "parametric_shift",
        "spatial_fusion",
        "typed_fusion",
        "live_range_reordering",
    ] {
        put(key, 25, random, &mut |r| json!(r.chance(75)));
    }
    put("parallelism", 25, random, &mut parallelism);
    put("cache_line", 15, random, &mut |r| json!(r.pick(&[1, 2, 4, 8, 1000, 1 << 30])));
    put("max_coefficient", 10, random, &mut |r| json!(r.pick(&[1, 2, 3, 4, 1000, 1 << 30])));
    put("fallback_order", 15, random, &mut |r| json!(some_of(FALLBACKS, r)));
    put("fusion_heuristic", 40, random, &mut |r| json!(r.pick(&["smart", "max", "no", "cluster"])));
    put("kept_parallelism", 15, random, &mut |r| json!(r.pick(&["none", "outermost", "all"])));
    put("proximity_dependences", 25, random, &mut |r| {
        json!(some_of(&["flow", "anti", "output", "input"], r))
    });
    put("tiling", 30, random, &mut tiling);
    put(
        "gpu",
        10,
        random,
        &mut |r| json!({ "block": [r.pick(&[1, 32, 4096])], "sums": [2, r.pick(&[1, 8])] }),
    );
    for key in ["wavefront", "expand", "split_index_sets", "split_tiles", "strips", "flatten"] {
        put(key, 15, random, &mut |r| json!(r.chance(50)));
    }
    put("point_loop_order", 15, random, &mut |r| json!(r.pick(&["scheduled", "bands", "points"])));
    json!({ "scheduling_strategy": keys })
}

/// How many parallel loops are looked for.
fn parallelism(random: &mut Random) -> Value {
    let mut fields = Map::new();
    if random.chance(60) {
        fields.insert("degree".to_owned(), json!(random.pick(&["all", "single"])));
    }
    if random.chance(50) {
        fields.insert("max_pressure".to_owned(), json!(random.pick(&[0, 5, 10, 30, 1 << 30])));
    }
    if random.chance(50) {
        fields.insert("avoid_inner".to_owned(), json!(random.chance(50)));
    }
    Value::Object(fields)
}

/// Declares one to three variables; their names.
pub(super) fn variables(keys: &mut Map<String, Value>, random: &mut Random) -> Vec<String> {
    let names: Vec<String> =
        ["x", "y", "weight"][..=random.below(3)].iter().map(|n| (*n).to_owned()).collect();
    let declared: Vec<Value> = names
        .iter()
        .map(|name| match random.below(3) {
            0 => json!({ "name": name, "signed": true }),
            1 => json!({ "name": name }),
            _ => json!(name),
        })
        .collect();
    keys.insert("new_variables".to_owned(), json!(declared));
    names
}

/// Some of the words, in any order.
pub(super) fn some_of<'w>(words: &[&'w str], random: &mut Random) -> Vec<&'w str> {
    let mut left = words.to_vec();
    let mut chosen = Vec::new();
    for _ in 0..random.below(words.len() + 1) {
        chosen.push(left.swap_remove(random.below(left.len())));
    }
    chosen
}

/// Different dimensions, `"default"` among them.
fn dimensions(most: usize, random: &mut Random) -> Vec<Value> {
    let mut left =
        vec![json!("default"), json!("default"), json!(0), json!(1), json!(2), json!(3), json!(4)];
    let mut chosen: Vec<Value> = Vec::new();
    for _ in 0..=random.below(most) {
        let dimension = left.swap_remove(random.below(left.len()));
        if !chosen.contains(&dimension) {
            chosen.push(dimension);
        }
    }
    chosen
}

/// `ILP_construction`
fn costs(variables: &[String], random: &mut Random) -> Value {
    let words: Vec<&str> =
        COSTS.iter().copied().chain(variables.iter().map(String::as_str)).collect();
    let entry = |dimension: Value, random: &mut Random| {
        let mut functions = some_of(&words, random);
        functions.truncate(random.pick(&[1, 2, 2, 3, 8]));
        json!({ "scheduling_dimension": dimension, "cost_functions": functions })
    };
    let mut rows = dimensions(3, random);
    if random.chance(20) {
        rows.push(json!("last"));
    }
    rows.into_iter().map(|row| entry(row, random)).collect()
}

/// `custom_constraints`
fn constraints(names: &Names, variables: &[String], random: &mut Random) -> Value {
    let entry = |dimension: Value, random: &mut Random| {
        let count = random.pick(&[1, 1, 1, 2, 3]);
        let texts: Vec<String> =
            (0..count).map(|_| constraint(names, variables, None, random)).collect();
        json!({ "scheduling_dimension": dimension, "constraints": texts })
    };
    dimensions(2, random).into_iter().map(|d| entry(d, random)).collect()
}

/// `fusion`
fn fusion(names: &Names, random: &mut Random) -> Value {
    let entry = |dimension: Value, random: &mut Random| {
        if random.chance(25) {
            return json!({ "scheduling_dimension": dimension, "total_distribution": true });
        }
        let mut groups: Vec<Vec<Value>> = vec![Vec::new(); 1 + random.below(3)];
        for stmt in names.some_stmts(random) {
            let at = random.below(groups.len());
            groups[at].push(stmt_value(names, stmt, random));
        }
        groups.retain(|group| !group.is_empty());
        json!({ "scheduling_dimension": dimension, "stmts_fusion": groups })
    };
    dimensions(2, random).into_iter().map(|d| entry(d, random)).collect()
}

/// A statement as a string or a number.
pub(super) fn stmt_value(names: &Names, stmt: usize, random: &mut Random) -> Value {
    if random.chance(30) { json!(stmt) } else { json!(names.stmt(stmt, false, random)) }
}

/// `directives`: no two of them contradict each other.
fn directives(names: &Names, random: &mut Random) -> Value {
    let mut entries = Vec::new();
    let mut taken: Vec<(usize, usize, &str)> = Vec::new();
    for _ in 0..=random.below(4) {
        let kind = random.pick(&["parallel", "vectorize", "sequential"]);
        let iterator = random.below(3);
        let mut stmts = names.some_stmts(random);
        stmts.retain(|&stmt| {
            let is_free = |&(other, at, what): &(usize, usize, &str)| {
                other != stmt || (at != iterator && (what != "vectorize" || kind != "vectorize"))
            };
            iterator < names.depth(stmt) && taken.iter().all(is_free)
        });
        let Some(&first) = stmts.first() else { continue };
        taken.extend(stmts.iter().map(|&stmt| (stmt, iterator, kind)));
        let one = stmts.len() == 1 && random.chance(50);
        let by_name = one
            && names.stmts[first]
                .iterators
                .iter()
                .filter(|i| **i == names.stmts[first].iterators[iterator])
                .count()
                == 1;
        let stmts: Value = match one {
            true => stmt_value(names, first, random),
            false => stmts.iter().map(|&stmt| stmt_value(names, stmt, random)).collect(),
        };
        let iterator = match by_name {
            true => json!(names.stmts[first].iterators[iterator]),
            false => json!(iterator),
        };
        entries.push(json!({ "type": kind, "stmts": stmts, "iterator": iterator }));
    }
    json!(entries)
}

/// `tiling`, with small sizes.
fn tiling(random: &mut Random) -> Value {
    let level = |random: &mut Random| -> Vec<i64> {
        (0..=random.below(3)).map(|_| random.between(1, 6)).collect()
    };
    match random.below(5) {
        0 => json!({ "enabled": false }),
        1 => json!({}),
        2 => json!({ "sizes": [level(random), level(random)] }),
        _ => json!({ "enabled": true, "sizes": level(random) }),
    }
}
