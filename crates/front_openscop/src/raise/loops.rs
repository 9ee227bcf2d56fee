//! Names of dimensions, and notes on loops for CLooG.

use super::flatten::{Flat, Marked};
use crate::document::{Directive, Extension, LoopNote, OpenScop};
use farkas_base::NameGenerator;
use farkas_scop::Scop;
use farkas_tree::Mark;

/// The extensions that say something of the dates of `open`, whose meaning a new order changes: they are dropped.
const OF_DATES: [&str; 4] = ["scatnames", "scatinfos", "loop", "pluto_unroll"];

/// The variables of the bounds of a vector loop, which CLooG sets before it.
const VECTOR_BOUNDS: [&str; 2] = ["lbv", "ubv"];

/// The extensions of `open` for new dates: a name for each dimension, a note for each marked loop, and all of its own
/// that do not speak of dates.
pub(super) fn extensions(
    open: &OpenScop,
    scop: &Scop,
    flat: &Flat,
) -> farkas_poly::Result<Vec<Extension>> {
    let mut taken = NameGenerator::new(open.parameter_names().iter().cloned());
    open.array_names().iter().for_each(|(_, name)| taken.reserve(name));
    let names: Vec<String> =
        (0..flat.length).map(|at| taken.fresh(&format!("c{}", at + 1))).collect();
    let mut notes = Vec::new();
    for marked in &flat.marked {
        notes.extend(note(marked, flat, scop, &names)?);
    }
    let kept = open.extensions.iter().filter(|e| !OF_DATES.contains(&e.name())).cloned();
    let named = (!names.is_empty()).then_some(Extension::ScatNames(names));
    let noted = (!notes.is_empty()).then_some(Extension::Loops(notes));
    Ok(named.into_iter().chain(noted).chain(kept).collect())
}

/// Whether a loop never has more than one iteration, such as a tile loop over few points. CLooG generates none then,
/// and complains when it is told about one.
fn is_single(marked: &Marked) -> farkas_poly::Result<bool> {
    let mut value = None;
    for part in marked.schedule.pw_affs()? {
        let values = part.to_map()?.range()?;
        for end in [values.dim_min_val(0)?, values.dim_max_val(0)?] {
            if !end.is_int()? || !value.get_or_insert_with(|| end.clone()).eq_val(&end)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The note on a marked loop. Its threads have inner loops' variables of their own.
fn note(
    marked: &Marked,
    flat: &Flat,
    scop: &Scop,
    names: &[String],
) -> farkas_poly::Result<Option<LoopNote>> {
    let Some(iterator) = names.get(marked.dimension).cloned() else { return Ok(None) };
    if is_single(marked)? {
        return Ok(None);
    }
    let mut statements = Vec::new();
    for (number, statement) in (1..).zip(scop.stmts()) {
        let inside = marked.instances.extract_set(&statement.domain.space()?)?;
        if !inside.is_empty()? {
            statements.push(number);
        }
    }
    let (bits, private) = match marked.mark {
        Mark::Parallel => (Directive::PARALLEL, private(marked, flat, names)?),
        _ => (Directive::VECTOR, None),
    };
    Ok(Some(LoopNote { iterator, statements, private, directive: Directive { bits, user: None } }))
}

/// The variables of loops inside a parallel one, separated by commas.
fn private(marked: &Marked, flat: &Flat, names: &[String]) -> farkas_poly::Result<Option<String>> {
    let mut has_vector = false;
    for other in flat.marked.iter().filter(|m| m.mark == Mark::Vector) {
        let is_inside = marked.inner.contains(&other.dimension);
        has_vector |= is_inside && !marked.instances.intersect(&other.instances)?.is_empty()?;
    }
    let bounds = if has_vector { VECTOR_BOUNDS.as_slice() } else { &[] };
    let inner = marked.inner.iter().filter_map(|at| names.get(*at)).map(String::as_str);
    let all: Vec<&str> = bounds.iter().copied().chain(inner).collect();
    Ok((!all.is_empty()).then(|| all.join(",")))
}
