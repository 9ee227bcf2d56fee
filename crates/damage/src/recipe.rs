//! Recipes of random steps.

use crate::Random;

/// What a part of a statement is called, once it is detached.
const PART: &str = "part";

/// The planners that come before the order to begin with.
const FIRST: [&str; 2] = ["divide", "expand"];

/// The statements that steps may name.
struct Names {
    n_stmts: usize,
    /// The statements that steps before would make: parts of others, and loads of buffers.
    made: Vec<String>,
}

impl Names {
    /// The name of a statement.
    fn stmt(&self, random: &mut Random) -> String {
        match !self.made.is_empty() && random.below(3) == 0 {
            true => self.made[random.below(self.made.len())].clone(),
            false => format!("S{}", random.below(self.n_stmts)),
        }
    }
}

/// An address of some loop around a statement, which need not be there.
fn address(random: &mut Random, names: &Names) -> String {
    let stmt = names.stmt(random);
    let part = ["", "", "", "#1", "#2"][random.below(5)];
    let role = ["", "", "", "tile.", "point."][random.below(5)];
    let position = [1, 1, 2, 2, 3, -1][random.below(6)];
    format!("\"{stmt}{part}.{role}{position}\"")
}

/// A step that may make no sense.
fn step(random: &mut Random, names: &mut Names) -> String {
    let n_stmts = names.n_stmts;
    let at = address(random, names);
    let other = address(random, names);
    let size = [1, 2, 3, 5][random.below(4)];
    let date = ["2", "n - 2", "-1", "n", "0"][random.below(5)];
    match random.below(22) {
        0 => {
            let dates = [
                format!("\"{date}\""),
                format!("[\"$1\", \"$1 + {size}\"]"),
                format!("[\"1\", \"{date}\"]"),
            ];
            let dates = &dates[random.below(3)];
            format!(r#"{{"step": "cut", "loop": {at}, "at": {dates}}}"#)
        }
        1 => {
            let groups = [
                String::new(),
                format!(r#", "groups": [["S{}"], ["S0"]]"#, random.below(n_stmts)),
                format!(r#", "groups": [["S0", "S{0}"], ["S{0}"]]"#, n_stmts.saturating_sub(1)),
            ];
            let groups = &groups[random.below(3)];
            format!(r#"{{"step": "distribute", "loop": {at}{groups}}}"#)
        }
        2 => format!(r#"{{"step": "fuse", "loops": [{at}, {other}]}}"#),
        3 => format!(r#"{{"step": "interchange", "loops": [{at}, {other}]}}"#),
        4 => {
            let kind = [
                "parallel",
                "vector",
                "unroll",
                "rare",
                "pieces",
                "ordered",
                "full-tiles-apart",
                "full-tiles-together",
                "sequential",
                "shaped",
            ][random.below(10)];
            format!(r#"{{"step": "mark", "loop": {at}, "as": "{kind}"}}"#)
        }
        10 => {
            let kind = ["parallel", "vector"][random.below(2)];
            let copies = ["private", "reduce"][random.below(2)];
            format!(
                r#"{{"step": "mark", "loop": {at}, "as": "{kind}", "{copies}": ["S0.written"]}}"#
            )
        }
        12 => {
            let past = ["", r#", "past": "sequential""#][random.below(2)];
            format!(r#"{{"step": "sink", "loop": {at}{past}}}"#)
        }
        11 => {
            let stmt = random.below(n_stmts);
            format!(r#"{{"step": "contract", "array": "S{stmt}.written"}}"#)
        }
        13 => {
            let used = names.stmt(random);
            let layout = match random.below(4) {
                0 => String::new(),
                1 => format!(r#", "others": ["{}"]"#, names.stmt(random)),
                2 => format!(r#", "layout": [{other}]"#),
                _ => format!(r#", "layout": [{other}, {}]"#, address(random, names)),
            };
            let array = ["A", "B", "S0.written"][random.below(3)];
            let buffers = ["", "", r#", "buffers": 2"#][random.below(3)];
            names.made.push(format!("{used}_load"));
            format!(
                r#"{{"step": "stage", "loop": {at}, "stmt": "{used}", "array": "{array}"{layout}{buffers}}}"#
            )
        }
        14 => {
            format!(r#"{{"step": "pad", "loop": {at}, "stmts": ["S{}"]}}"#, random.below(n_stmts))
        }
        15 => {
            let stmt = random.below(n_stmts);
            names.made.push(PART.to_owned());
            format!(r#"{{"step": "detach", "loop": {at}, "stmt": "S{stmt}", "name": "{PART}"}}"#)
        }
        16 => {
            let stmt = names.stmt(random);
            format!(r#"{{"step": "expand", "array": "{stmt}.written", "loop": {at}}}"#)
        }
        17 => {
            let sum = names.stmt(random);
            format!(
                r#"{{"step": "split-sums", "cuts": [{{"nest": {at}, "loop": {other}, "size": {size}, "sums": ["{sum}"]}}]}}"#
            )
        }
        18 => {
            let stmt = names.stmt(random);
            format!(r#"{{"step": "privatise", "loop": {at}, "stmt": "{stmt}"}}"#)
        }
        19 => format!(r#"{{"step": "cyclic", "loop": {at}, "parts": {size}, "block": 3}}"#),
        21 => {
            let (first, by) = (names.stmt(random), 1 + random.below(2));
            format!(r#"{{"step": "ahead", "loop": {at}, "stmts": ["{first}"], "by": {by}}}"#)
        }
        20 => {
            let count = 2 + random.below(2);
            format!(r#"{{"step": "coalesce", "loop": {at}, "count": {count}}}"#)
        }
        5 => format!(r#"{{"step": "reverse", "loop": {at}}}"#),
        6 => format!(r#"{{"step": "shift", "loop": {at}, "by": "{date}"}}"#),
        7 => format!(r#"{{"step": "scale", "loop": {at}, "by": {size}}}"#),
        8 => {
            let factor = [1, 2, -1][random.below(3)];
            format!(r#"{{"step": "skew", "loop": {at}, "by": {other}, "factor": {factor}}}"#)
        }
        _ => {
            let sizes = [format!("{size}"), format!("{size}, 4"), format!("{size}, 2, 3")];
            let sizes = &sizes[random.below(3)];
            format!(r#"{{"step": "tile", "loop": {at}, "sizes": [{sizes}]}}"#)
        }
    }
}

/// A planner of the kinds with these words, whatever was planned before it.
fn plan(random: &mut Random, words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().copied().filter(|word| !FIRST.contains(word)).collect();
    let word = random.pick(&words);
    let parameters = match word {
        "tiles" => [", \"sizes\": [4]", ", \"only_for_reuse\": true", ""][random.below(3)],
        "flatten" => [", \"outer_parallel\": true", ""][random.below(2)],
        "row-tiles" => [", \"sizes\": [4, 2]", ""][random.below(2)],
        "partials" => [", \"parts\": 3", ""][random.below(2)],
        "wanted-vectors" => ", \"loops\": [{\"stmt\": \"S0\", \"iterator\": 0}]",
        _ => "",
    };
    format!("{{\"plan\": \"{word}\"{parameters}}}")
}

/// A recipe of up to five steps and planners, of which some may be left out, for a program of `n_stmts` statements that is otherwise
/// unknown: what it names need not be there. `planners` are the words for kinds of planners, one at least.
pub fn random_recipe(random: &mut Random, n_stmts: usize, planners: &[&str]) -> String {
    let mut steps: Vec<String> = Vec::new();
    let mut names = Names { n_stmts, made: Vec::new() };
    let of_stmt = |random: &mut Random| format!("S{}.written", random.below(n_stmts));
    if random.below(6) == 0 {
        let (array, home) = (of_stmt(random), of_stmt(random));
        let into =
            if random.below(2) == 0 { format!(r#", "into": "{home}""#) } else { String::new() };
        steps.push(format!(r#"{{"optional": true, "step": "expand", "array": "{array}"{into}}}"#));
    }
    let divides = random.below(12);
    match divides {
        0 => steps.push(r#"{"plan": "divide"}"#.to_owned()),
        1 => steps.extend(FIRST.map(|word| format!(r#"{{"plan": "{word}"}}"#))),
        2 => {
            let stmt = random.below(n_stmts);
            steps.push(format!(r#"{{"optional": true, "step": "divide", "stmt": "S{stmt}"}}"#));
        }
        _ => {}
    }
    if let Some(strategy) = ["pluto", "isl", "feautrier"].get(random.below(6)) {
        steps.push(format!(r#"{{"step": "schedule", "strategy": "{strategy}"}}"#));
    }
    if divides == 0 {
        let size = [2, 3, 8][random.below(3)];
        steps.push(format!(r#"{{"plan": "part-strips", "size": {size}}}"#));
    }
    for _ in 0..=random.below(5) {
        if random.below(6) == 0 {
            steps.push(plan(random, planners));
            continue;
        }
        let step = step(random, &mut names);
        let is_optional = random.below(4) > 0;
        steps.push(step.replace("\"step\"", &format!("\"optional\": {is_optional}, \"step\"")));
    }
    format!(r#"{{"recipe": {{"steps": [{}]}}}}"#, steps.join(",\n"))
}
