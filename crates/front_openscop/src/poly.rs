//! Relations of a document as isl's sets and maps, and back.

use crate::document::{BasicRelation, Relation, RelationKind, Row, RowKind};
use farkas_poly::{Constraints, DimType, LinearRow, Map, Result, Set, Space};
use std::fmt::Write;

/// A relation without input dimensions as a set; its parameters are called `params`, which must be as many as it has.
pub(crate) fn set_of(relation: &Relation, params: &[String]) -> Result<Set> {
    let mut set: Set = text_of(relation, false).parse()?;
    for (at, name) in (0..).zip(params) {
        set = set.with_dim_name(DimType::Param, at, name)?;
    }
    Ok(set)
}

/// A relation without dimensions as a parameter set.
pub(crate) fn param_set_of(relation: &Relation, params: &[String]) -> Result<Set> {
    set_of(relation, params)?.params()
}

/// A relation as a map from its input to its output dimensions, with parameters called `params`.
pub(crate) fn map_of(relation: &Relation, params: &[String]) -> Result<Map> {
    let mut map: Map = text_of(relation, true).parse()?;
    for (at, name) in (0..).zip(params) {
        map = map.with_dim_name(DimType::Param, at, name)?;
    }
    Ok(map)
}

/// A relation in isl's notation. Parameters are called `farkas_p0` and so on: what the file calls them may mean
/// something else to isl's parser.
fn text_of(relation: &Relation, is_map: bool) -> String {
    let [n_output, n_input, n_params] = relation.parts.first().map_or([0; 3], BasicRelation::shape);
    let tuple = |prefix: &str, n: usize| {
        (0..n).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>().join(", ")
    };
    let parts: Vec<String> = relation.parts.iter().map(condition).collect();
    let mut text = format!("[{}] -> {{ ", tuple("farkas_p", n_params));
    if is_map {
        let _ = write!(text, "[{}] -> ", tuple("i", n_input));
    }
    text + &format!("[{}] : {} }}", tuple("o", n_output), parts.join(" or "))
}

/// The condition of a basic relation in parentheses.
fn condition(part: &BasicRelation) -> String {
    let rows: Vec<String> = part.rows.iter().map(|row| formula(row, part)).collect();
    let all = if rows.is_empty() { "0 = 0".to_owned() } else { rows.join(" and ") };
    if part.n_local == 0 {
        return format!("({all})");
    }
    let locals: Vec<String> = (0..part.n_local).map(|at| format!("l{at}")).collect();
    format!("(exists ({} : {all}))", locals.join(", "))
}

/// A row in isl's notation.
fn formula(row: &Row, part: &BasicRelation) -> String {
    let kinds = [
        ("o", part.n_output),
        ("i", part.n_input),
        ("l", part.n_local),
        ("farkas_p", part.n_params),
    ];
    let columns = kinds.into_iter().flat_map(|(prefix, n)| (0..n).map(move |at| (prefix, at)));
    let mut text = String::new();
    for (coefficient, (prefix, at)) in row.coefficients.iter().zip(columns) {
        if *coefficient != 0 {
            let _ = write!(text, "{coefficient} * {prefix}{at} + ");
        }
    }
    let constant = row.coefficients.last().copied().unwrap_or(0);
    let relation = if row.kind == RowKind::Equality { "=" } else { ">=" };
    format!("{text}{constant} {relation} 0")
}

/// A set as a relation with the parameters `params`, in this order.
pub(crate) fn relation_of_set(
    kind: RelationKind,
    set: &Set,
    params: &[String],
) -> Result<Relation> {
    let set = set.align_params(&Space::params_named(params)?)?;
    let n = set.dim(DimType::SET)? as usize;
    let mut parts = Vec::new();
    for piece in set.basic_sets()? {
        parts.push(part_of(&piece.constraints()?, 0, n, params.len()));
    }
    Ok(Relation { kind, parts: or_nothing(parts, 0, n, params.len()) })
}

/// A parameter set as a relation without dimensions.
pub(crate) fn relation_of_params(
    kind: RelationKind,
    set: &Set,
    params: &[String],
) -> Result<Relation> {
    relation_of_set(kind, &set.from_params()?, params)
}

/// A map as a relation with the parameters `params`, in this order.
pub(crate) fn relation_of_map(
    kind: RelationKind,
    map: &Map,
    params: &[String],
) -> Result<Relation> {
    let map = map.align_params(&Space::params_named(params)?)?;
    let (n_input, n_output) = (map.dim(DimType::In)? as usize, map.dim(DimType::Out)? as usize);
    let mut parts = Vec::new();
    for piece in map.basic_maps()? {
        parts.push(part_of(&piece.constraints()?, n_input, n_output, params.len()));
    }
    Ok(Relation { kind, parts: or_nothing(parts, n_input, n_output, params.len()) })
}

/// The constraints over input and output dimensions as a basic relation; divisions become local dimensions.
fn part_of(
    constraints: &Constraints,
    n_input: usize,
    n_output: usize,
    n_params: usize,
) -> BasicRelation {
    let equalities = constraints.equalities.iter().map(|row| (RowKind::Equality, row));
    let inequalities = constraints.inequalities.iter().map(|row| (RowKind::Inequality, row));
    let n_local = equalities.clone().chain(inequalities.clone()).map(|(_, r)| r.divs.len()).max();
    let rows = equalities.chain(inequalities).map(|(kind, row)| row_of(kind, row, n_input));
    let mut rows: Vec<Row> = rows.collect();
    if n_input > 0 {
        // People read a function one output after another.
        rows.sort_by_key(|row| last_output(row, n_output));
    }
    BasicRelation { n_output, n_input, n_local: n_local.unwrap_or(0), n_params, rows }
}

/// The last output dimension in a row; the number of outputs where there is none.
fn last_output(row: &Row, n_output: usize) -> usize {
    let outputs = row.coefficients.get(..n_output).unwrap_or_default();
    outputs.iter().rposition(|coefficient| *coefficient != 0).unwrap_or(n_output)
}

/// A row of isl's with its columns in the order of a document. In equalities the first output dimension has a negative
/// coefficient, as everywhere in OpenSCoP.
fn row_of(kind: RowKind, row: &LinearRow, n_input: usize) -> Row {
    let (inputs, outputs) = row.dims.split_at(n_input.min(row.dims.len()));
    let columns = outputs.iter().chain(inputs).chain(&row.divs).chain(&row.params);
    let mut coefficients: Vec<i64> = columns.copied().chain([row.constant]).collect();
    let leading = coefficients.iter().find(|c| **c != 0).copied().unwrap_or(0);
    let negated: Option<Vec<i64>> = coefficients.iter().map(|c| c.checked_neg()).collect();
    if let Some(negated) = negated
        && kind == RowKind::Equality
        && leading > 0
        && n_input > 0
    {
        coefficients = negated;
    }
    Row { kind, coefficients }
}

/// The parts, or where there is none, one that nothing satisfies: OpenSCoP has no empty union.
fn or_nothing(
    parts: Vec<BasicRelation>,
    n_input: usize,
    n_output: usize,
    n_params: usize,
) -> Vec<BasicRelation> {
    if !parts.is_empty() {
        return parts;
    }
    let mut part = BasicRelation { n_output, n_input, n_local: 0, n_params, rows: Vec::new() };
    let mut coefficients = vec![0; part.n_coefficients()];
    if let Some(constant) = coefficients.last_mut() {
        *constant = -1;
    }
    part.rows.push(Row { kind: RowKind::Inequality, coefficients });
    vec![part]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A relation of two output, one input and up to `max_local` local dimensions, with one parameter.
    fn relation(max_local: usize) -> impl Strategy<Value = Relation> {
        let part = (0..=max_local).prop_flat_map(|n_local| {
            let kind = prop_oneof![Just(RowKind::Equality), Just(RowKind::Inequality)];
            let coefficients = prop::collection::vec(-3_i64..4, 5 + n_local);
            let row =
                (kind, coefficients).prop_map(|(kind, coefficients)| Row { kind, coefficients });
            prop::collection::vec(row, 0..5).prop_map(move |rows| BasicRelation {
                n_output: 2,
                n_input: 1,
                n_local,
                n_params: 1,
                rows,
            })
        });
        prop::collection::vec(part, 1..3)
            .prop_map(|parts| Relation { kind: RelationKind::Scattering, parts })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn relations_keep_their_meaning(relation in relation(2)) {
            let params = ["n".to_owned()];
            let map = map_of(&relation, &params).unwrap();
            let again = relation_of_map(relation.kind, &map, &params).unwrap();
            prop_assert!(map_of(&again, &params).unwrap().is_equal(&map).unwrap(), "{}", map);
            // The same constraints as those of a set of pairs.
            let set = map.wrap().and_then(|set| set.flatten()).unwrap();
            let flat = relation_of_set(RelationKind::Domain, &set, &params).unwrap();
            prop_assert!(set_of(&flat, &params).unwrap().is_equal(&set).unwrap(), "{}", set);
        }

        #[test]
        fn points_satisfy_the_rows(
            relation in relation(0),
            point in prop::array::uniform4(-4_i64..5),
        ) {
            let holds = |part: &BasicRelation| part.rows.iter().all(|row| {
                let sum: i64 = row.coefficients.iter().zip(point.iter().chain([&1])).map(|(c, x)| c * x).sum();
                if row.kind == RowKind::Equality { sum == 0 } else { sum >= 0 }
            });
            let [a, b, i, n] = point;
            let pair: Map = format!("[n] -> {{ [{i}] -> [{a}, {b}] : n = {n} }}").parse().unwrap();
            let map = map_of(&relation, &["n".to_owned()]).unwrap();
            prop_assert_eq!(pair.is_subset(&map).unwrap(), relation.parts.iter().any(holds));
        }
    }
}
