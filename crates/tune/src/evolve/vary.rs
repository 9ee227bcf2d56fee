//! How recipes have children: selection, crossover, mutation.

use crate::evolve::Genome;
use farkas_base::Random;
use serde_json::{Value, json};

/// What steps may name: the statements of a region, each with the number of loops around it in the program's own order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Nest {
    /// The statements.
    pub stmts: Vec<(String, usize)>,
}

/// How many of the population take part in a tournament.
const TOURNAMENT: usize = 3;

/// A parent out of `n` that are sorted, the fittest first: the fittest of a few at random.
pub fn tournament(random: &mut Random, n: usize) -> usize {
    (0..TOURNAMENT).map(|_| random.below(n)).min().unwrap_or(0)
}

/// A child of two: the head of the first, whose steps between two points are those between two points of the second.
pub fn crossed(random: &mut Random, one: &Genome, other: &Genome) -> Genome {
    let (from, to) = two_points(random, one.n_steps());
    let (begin, end) = two_points(random, other.n_steps());
    let mut child = one.clone().bred();
    child.steps.splice(from..to, other.steps[begin..end].iter().cloned());
    child
}

/// Two places in a list, in order; both ends are such.
fn two_points(random: &mut Random, n_steps: usize) -> (usize, usize) {
    let (a, b) = (random.below(n_steps + 1), random.below(n_steps + 1));
    (a.min(b), a.max(b))
}

/// The most changes of one mutation.
const MAX_CHANGES: usize = 3;

/// A recipe with one to three changes: a number, an address, a step more or less, the order of two, the strategy.
pub fn mutated(random: &mut Random, genome: &Genome, nest: &Nest) -> Genome {
    let mut child = genome.clone().bred();
    for _ in 0..=random.below(MAX_CHANGES) {
        // Numbers are what most depends on: they have half of the changes.
        match random.weighted(&[8, 2, 1, 1, 3, 1]) {
            0 => change_number(random, &mut child),
            1 => change_address(random, &mut child),
            2 => remove(random, &mut child),
            3 => swap(random, &mut child),
            4 => insert(random, &mut child, nest),
            _ => reorder(random, &mut child),
        }
    }
    child
}

/// Sizes that tiles have.
const SIZES: [i64; 14] = [2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024];

/// Changes one number of one step: to another size, or by a little; or a flag to its contrary.
fn change_number(random: &mut Random, genome: &mut Genome) {
    let with_values: Vec<usize> =
        (0..genome.steps.len()).filter(|&at| has_values(&genome.steps[at])).collect();
    if with_values.is_empty() {
        return;
    }
    let step = random.pick(&with_values);
    let mut values = Vec::new();
    collect(&mut genome.steps[step], &mut values);
    let at = random.below(values.len());
    let Some(value) = values.get_mut(at) else { return };
    if let Some(flag) = value.as_bool() {
        **value = json!(!flag);
    } else if let Some(number) = value.as_i64() {
        **value = json!(other_number(random, number));
    }
}

/// Another number in the place of one.
fn other_number(random: &mut Random, number: i64) -> i64 {
    match random.below(4) {
        0 => number.saturating_mul(2),
        1 => number / 2,
        2 => number.saturating_add(random.pick(&[-8, -4, -1, 1, 4, 8])),
        _ => random.pick(&SIZES),
    }
    .max(if number > 0 { 1 } else { -1 })
}

/// Whether a step has numbers or flags.
fn has_values(step: &Value) -> bool {
    match step {
        Value::Number(_) | Value::Bool(_) => true,
        Value::Array(items) => items.iter().any(has_values),
        Value::Object(entries) => {
            entries.iter().any(|(key, value)| is_varied(key) && has_values(value))
        }
        _ => false,
    }
}

/// The numbers and flags of a step.
fn collect<'v>(step: &'v mut Value, found: &mut Vec<&'v mut Value>) {
    match step {
        Value::Number(_) | Value::Bool(_) => found.push(step),
        Value::Array(items) => items.iter_mut().for_each(|item| collect(item, found)),
        Value::Object(entries) => {
            let varied = entries.iter_mut().filter(|(key, _)| is_varied(key));
            varied.for_each(|(_, value)| collect(value, found));
        }
        _ => {}
    }
}

/// Whether what stands under a key is varied. That a step may be left out says nothing of the program.
fn is_varied(key: &str) -> bool {
    key != "optional"
}

/// Lets a step name the loop inside or outside of the one that it names.
fn change_address(random: &mut Random, genome: &mut Genome) {
    let mut addresses = Vec::new();
    for step in &mut genome.steps {
        let Some(entries) = step.as_object_mut() else { continue };
        let named = entries.iter_mut().filter(|(key, _)| *key == "loop" || *key == "loops");
        named.for_each(|(_, value)| collect_texts(value, &mut addresses));
    }
    let at = random.below(addresses.len());
    let Some(address) = addresses.get_mut(at) else { return };
    let Some((stmt, position)) = address.rsplit_once('.') else { return };
    let Ok(position) = position.parse::<i64>() else { return };
    let moved = match position.saturating_add(random.pick(&[-1, 1])) {
        0 => position.saturating_mul(2),
        moved => moved,
    };
    **address = format!("{stmt}.{moved}");
}

/// The texts in a value.
fn collect_texts<'v>(value: &'v mut Value, found: &mut Vec<&'v mut String>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter_mut().for_each(|item| collect_texts(item, found)),
        _ => {}
    }
}

/// Removes a step.
fn remove(random: &mut Random, genome: &mut Genome) {
    if !genome.steps.is_empty() {
        genome.steps.remove(random.below(genome.steps.len()));
    }
}

/// Swaps two neighbours.
fn swap(random: &mut Random, genome: &mut Genome) {
    if let Some(last) = genome.steps.len().checked_sub(2) {
        let at = random.below(last + 1);
        genome.steps.swap(at, at + 1);
    }
}

/// Inserts a new step somewhere.
fn insert(random: &mut Random, genome: &mut Genome, nest: &Nest) {
    let at = random.below(genome.steps.len() + 1);
    genome.steps.insert(at, new_step(random, nest));
}

/// Planners that need no parameters.
const PLANNERS: [&str; 22] = [
    "contract",
    "fission",
    "flatten",
    "fuse-producers",
    "innermost",
    "innermost-points",
    "jam-in-tiles",
    "keep",
    "minimize-strides",
    "normalize",
    "parallel",
    "private-copies",
    "rare",
    "reductions",
    "register-tiles",
    "rotate",
    "row-tiles",
    "share-parallel",
    "split-tiles",
    "strips",
    "vectors",
    "wavefronts",
];

/// A step that may make no sense; one that does not apply is left out.
fn new_step(random: &mut Random, nest: &Nest) -> Value {
    let size = random.pick(&SIZES);
    let (at, other) = (address(random, nest), address(random, nest));
    match random.below(8) {
        0 | 1 => {
            let sizes: Vec<i64> = (0..=random.below(3)).map(|_| random.pick(&SIZES)).collect();
            json!({"step": "tile", "optional": true, "loop": at, "sizes": sizes})
        }
        2 => json!({"step": "interchange", "optional": true, "loops": [at, other]}),
        3 => {
            let kind = random.pick(&["parallel", "vector", "unroll", "rare"]);
            json!({"step": "mark", "optional": true, "loop": at, "as": kind})
        }
        4 => json!({"step": "distribute", "optional": true, "loop": at}),
        5 => json!({"step": "fuse", "optional": true, "loops": [at, other]}),
        6 => json!({"plan": "tiles", "sizes": [size], "only_for_reuse": random.chance(50)}),
        _ => json!({"plan": random.pick(&PLANNERS)}),
    }
}

/// The address of some loop around a statement, which need not be there.
fn address(random: &mut Random, nest: &Nest) -> String {
    let Some((stmt, n_loops)) = nest.stmts.get(random.below(nest.stmts.len())) else {
        return "S0.1".into();
    };
    let role = random.pick(&["", "", "", "tile.", "point."]);
    match random.chance(25) {
        true => format!("{stmt}.{role}-1"),
        false => format!("{stmt}.{role}{}", 1 + random.below(*n_loops)),
    }
}

/// Strategies that recipes may begin with.
const STRATEGIES: [&str; 7] =
    ["original", "pluto", "pluto-plus", "tensor", "feautrier", "locality-cpu", "isl"];

/// Lets another strategy decide the order, or what it fuses.
fn reorder(random: &mut Random, genome: &mut Genome) {
    let Some(order) = genome.head.last_mut().and_then(Value::as_object_mut) else { return };
    if random.chance(50) {
        order.insert("strategy".into(), json!(random.pick(&STRATEGIES)));
    } else {
        order.insert("fuse".into(), json!(random.pick(&["smart", "max", "no"])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn genome(strategy: &str, sizes: std::ops::Range<i64>) -> Genome {
        let steps: Vec<Value> =
            sizes.map(|n| json!({"step": "tile", "loop": "S0.2", "sizes": [n]})).collect();
        let order = json!({"step": "schedule", "strategy": strategy});
        let steps = [vec![order], steps].concat();
        Genome::read(&json!({"recipe": {"steps": steps}}).to_string()).expect("a recipe")
    }

    fn sizes(genome: &Genome) -> Vec<i64> {
        genome.steps.iter().filter_map(|step| step["sizes"][0].as_i64()).collect()
    }

    #[test]
    fn children_have_a_stretch_of_the_other_parent() {
        let (one, other) = (genome("pluto", 0..6), genome("isl", 100..104));
        let mut lengths = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let child = crossed(&mut Random::new(seed), &one, &other);
            assert_eq!(child.head, one.head);
            let sizes = sizes(&child);
            let of_other = sizes.iter().filter(|&&n| n >= 100).count();
            let first = sizes.iter().position(|&n| n >= 100).unwrap_or(0);
            let stretch = &sizes[first..first + of_other];
            assert!(stretch.windows(2).all(|pair| pair[1] == pair[0] + 1), "{sizes:?}");
            assert!(sizes.iter().filter(|&&n| n < 100).is_sorted(), "{sizes:?}");
            lengths.insert(of_other);
        }
        assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn mutations_change_something_of_each_kind() {
        let nest = Nest { stmts: vec![("S0".into(), 3)] };
        let parent = genome("pluto", 4..7);
        let (mut longer, mut shorter, mut numbers, mut addresses, mut heads, mut same) =
            (0, 0, 0, 0, 0, 0);
        for seed in 0..500 {
            let child = mutated(&mut Random::new(seed), &parent, &nest);
            assert_eq!(child, mutated(&mut Random::new(seed), &parent, &nest));
            assert!(Genome::read(&child.text()).is_ok());
            longer += usize::from(child.n_steps() > 3);
            shorter += usize::from(child.n_steps() < 3);
            numbers += usize::from(child.n_steps() == 3 && sizes(&child) != sizes(&parent));
            addresses +=
                usize::from(child.text().contains("\"S0.1\"") || child.text().contains("\"S0.3\""));
            heads += usize::from(child.head != parent.head);
            same += usize::from(child == parent.clone().bred());
        }
        assert!(longer > 50 && shorter > 20 && numbers > 100 && addresses > 50 && heads > 20);
        assert!(same < 50, "{same} of 500 are what they were");
    }

    #[test]
    fn nothing_is_no_trouble() {
        let empty = genome("pluto", 0..0);
        for seed in 0..100 {
            mutated(&mut Random::new(seed), &empty, &Nest::default());
            crossed(&mut Random::new(seed), &empty, &empty);
        }
    }

    #[test]
    fn the_fitter_are_parents_more_often() {
        let mut random = Random::new(7);
        let mut chosen = [0; 6];
        (0..600).for_each(|_| chosen[tournament(&mut random, 6)] += 1);
        assert!(chosen.is_sorted_by(|a, b| a > b), "{chosen:?}");
        assert_eq!(tournament(&mut random, 1), 0);
    }
}
