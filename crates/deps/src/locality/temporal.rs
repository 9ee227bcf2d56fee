//! Temporal proximity: flow, and reads of the same element.

use super::class::{Cells, Class, Place};
use super::references::{Function, PatternId};
use super::uniform::uniform_part;
use super::{Reuse, ReuseRelation};
use crate::analysis::Prepared;
use crate::form::Form;
use crate::{DependenceKind, Dependences, Result};
use farkas_scop::Scop;
use std::collections::HashMap;

/// The flow dependences among `deps`; of those between instances of one statement, the uniform pieces.
pub(super) fn flow(
    scop: &Scop,
    prepared: &Prepared,
    deps: &Dependences,
) -> Result<Vec<ReuseRelation>> {
    let mut relations = Vec::new();
    for dep in deps.deps.iter().filter(|dep| dep.kind == DependenceKind::Flow) {
        let pairs = if dep.source == dep.sink {
            uniform_part(&prepared.domains[dep.source], &dep.relation)?
        } else {
            Some(dep.relation.clone())
        };
        relations.extend(pairs.map(|pairs| ReuseRelation {
            reuse: Reuse::Temporal,
            array: scop.stmts()[dep.source].accesses[dep.source_access].array,
            source: dep.source,
            source_access: dep.source_access,
            sink: dep.sink,
            sink_access: dep.sink_access,
            pairs,
            hull: None,
        }));
    }
    Ok(relations)
}

/// The classes of references to the elements of arrays: those with the same pattern. Scalars are in none: what is only
/// read stays in a register in any order, and the rest is flow. Of a rounded subscript it is what it rounds that tells elements
/// apart.
pub(super) fn classes(functions: &[Function]) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let mut known: HashMap<PatternId, usize> = HashMap::new();
    for function in functions {
        let Some(forms) = function.forms.as_ref().filter(|forms| !forms.is_empty()) else {
            continue;
        };
        let class = *known.entry(function.reference.pattern).or_insert_with(|| {
            classes.push(Class::new(function.reference.array, Cells::Elements, true));
            classes.len() - 1
        });
        let outer = forms.iter().flat_map(Form::rows).collect();
        classes[class].add(function, Place { outer, divided: None });
    }
    classes
}
