//! Numbers of dimensions and parameters that must agree.

use super::refuse::{Lower, Place};
use crate::document::{BasicRelation, OpenScop, OpenStatement, Relation};
use farkas_base::NameGenerator;

/// The names of the parameters: those of the file, and `P1`, `P2` and so on where it has none.
pub(super) fn parameter_names(open: &OpenScop, place: Place<'_>) -> Lower<Vec<String>> {
    let [n_output, n_input, n_params] = shape_of(&open.context);
    if n_output + n_input > 0 {
        let message = "the context has output or input dimensions";
        return Err(place.refuse(message, "in this scop"));
    }
    let given = open.parameter_names();
    if given.len() > n_params {
        let message =
            format!("{} parameters are named, but the context has {n_params}", given.len());
        return Err(place.refuse(message, "in this scop"));
    }
    let is_identifier = |name: &str| {
        let mut chars = name.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut names = NameGenerator::default();
    for name in given {
        if !is_identifier(name) {
            let message = format!("the parameter `{name}` has no name of C");
            return Err(place.refuse(message, "in this scop"));
        }
        if names.fresh(name) != *name {
            let message = format!("two parameters are called `{name}`");
            return Err(place.refuse(message, "in this scop"));
        }
    }
    let unnamed = (given.len()..n_params).map(|at| names.fresh(&format!("P{}", at + 1)));
    Ok(given.iter().cloned().chain(unnamed).collect())
}

/// The domain of a statement, whose relations all fit it and the number of parameters.
pub(super) fn domain<'a>(
    open: &'a OpenStatement,
    n_params: usize,
    name: &str,
    place: Place<'_>,
) -> Lower<&'a Relation> {
    let Some(domain) = &open.domain else {
        let message = format!("statement {name} has no domain");
        return Err(place.refuse(message, "this statement"));
    };
    let [depth, n_input, _] = shape_of(domain);
    if n_input > 0 {
        let message = format!("the domain of {name} has input dimensions");
        return Err(place.refuse(message, "in this statement"));
    }
    for relation in [domain].into_iter().chain(&open.scattering).chain(&open.accesses) {
        let [_, inputs, params] = shape_of(relation);
        let what = relation.kind.name();
        if params != n_params {
            let message = format!(
                "a {what} relation of {name} has {params} parameters, the context {n_params}"
            );
            return Err(place.refuse(message, "in this statement"));
        }
        if inputs != depth && !std::ptr::eq(relation, domain) {
            let message = format!(
                "a {what} relation of {name} has {inputs} input dimensions, the domain {depth} dimensions"
            );
            return Err(place.refuse(message, "in this statement"));
        }
    }
    Ok(domain)
}

/// The dimensions of a relation: outputs, inputs, parameters.
pub(super) fn shape_of(relation: &Relation) -> [usize; 3] {
    relation.parts.first().map_or([0; 3], BasicRelation::shape)
}
