//! Random constraints that a scop can resolve.

use super::names::Names;
use crate::Random;

/// A term: the text, and whether each statement that it is meant for has such a coefficient.
struct Term {
    text: String,
    /// Whether it stands for something in every statement that the constraint is made for.
    is_everywhere: bool,
}

/// A constraint on rows of `names`, with these variables; within an influence tree at this depth.
pub(super) fn constraint(
    names: &Names,
    variables: &[String],
    depth: Option<usize>,
    random: &mut Random,
) -> String {
    if depth.is_none() && random.chance(10) {
        return "no-skewing".to_owned();
    }
    let n_terms = random.pick(&[1, 1, 1, 2, 2, 3]);
    let each = random.chance(20);
    let mut terms: Vec<Term> = Vec::new();
    for _ in 0..n_terms {
        let term = term(names, variables, depth, each, random);
        // What stands twice might cancel out, and no unknown be left.
        if terms.iter().all(|other| other.text != term.text) {
            terms.push(term);
        }
    }
    // Only where all factors are positive, terms cannot cancel out; then the constraint may exclude zero.
    let may_exclude_zero = terms.iter().all(|t| t.is_everywhere) && random.chance(60);
    let mut text = String::new();
    for (at, term) in terms.iter().enumerate() {
        let is_negative = !may_exclude_zero && random.chance(40);
        let factor = factor(random);
        let sign = match (is_negative, at) {
            (true, _) => "-",
            (false, 0) => "",
            (false, _) => "+",
        };
        let product =
            if factor == 1 { term.text.clone() } else { format!("{factor}*{}", term.text) };
        text.push_str(&format!("{sign}{}{product} ", if at > 0 { " " } else { "" }));
    }
    let (relation, constant) = if may_exclude_zero {
        (random.pick(&["=", ">=", "<=", ">", "=="]), random.between(0, 2))
    } else {
        (random.pick(&["<=", "<="]), random.between(0, 3))
    };
    let constant =
        if relation == "<=" && random.chance(3) { 1 << random.between(20, 40) } else { constant };
    format!("{text}{relation} {constant}")
}

/// A factor, mostly one.
fn factor(random: &mut Random) -> i64 {
    match random.below(40) {
        0 => 1 << random.between(4, 24),
        1..=6 => random.between(2, 4),
        _ => 1,
    }
}

/// A variable or a coefficient.
fn term(
    names: &Names,
    variables: &[String],
    depth: Option<usize>,
    each: bool,
    random: &mut Random,
) -> Term {
    if !variables.is_empty() && random.chance(25) {
        return Term {
            text: variables[random.below(variables.len())].clone(),
            is_everywhere: true,
        };
    }
    let row = match depth {
        Some(depth) if random.chance(30) => format!("@{}", random.below(depth + 1)),
        _ => String::new(),
    };
    let one = (!each && random.chance(75)).then(|| names.any_stmt(random));
    let stmt = match one {
        Some(stmt) => names.stmt(stmt, true, random),
        None if each => "*".to_owned(),
        None => "i".to_owned(),
    };
    let depths: Vec<usize> = match one {
        Some(stmt) => vec![names.depth(stmt)],
        None => (0..names.stmts.len()).map(|stmt| names.depth(stmt)).collect(),
    };
    let (least, most) =
        (depths.iter().min().copied().unwrap_or(0), depths.iter().max().copied().unwrap_or(0));
    let part = random.weighted(&[70, 15, 15]);
    let (part, index, is_everywhere) = match part {
        0 if most > 0 && random.chance(70) => {
            let iterator = random.below(most);
            let index = match one {
                Some(stmt) => names.iterator(stmt, iterator, random),
                None => iterator.to_string(),
            };
            ("it", format!("_{index}"), iterator < least || (!each && one.is_none()))
        }
        0 => ("it", "_i".to_owned(), least > 0 || (!each && most > 0)),
        1 if !names.params.is_empty() && random.chance(70) => {
            let param = random.below(names.params.len());
            let index = if random.chance(50) {
                param.to_string()
            } else {
                format!("[{}]", names.params[param])
            };
            ("par", format!("_{index}"), true)
        }
        1 => ("par", "_i".to_owned(), !names.params.is_empty()),
        _ => ("cst", String::new(), true),
    };
    Term { text: format!("S{stmt}_{part}{index}{row}"), is_everywhere }
}
