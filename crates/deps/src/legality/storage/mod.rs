//! Scops with other storage: does a scop compute what the original does, although values live in other places?
//!
//! The instances and their order are the original's; some accesses go to other arrays, new or old. Checked:
//!
//! 1. But for the places of these accesses, statements are the original's ([`statements`]). One that is missing would copy an
//!    element to itself. A new one copies what an array holds to another.
//! 2. Every read gets its value from the write that the original's gets it from; through copies, where there are such.
//!    None that goes to another place finds what was there before the region ([`flow`]).
//! 3. Code after the region finds in each element what the original leaves there: a statement that reads all elements that
//!    are written, after everything else, stands for that code.
//! 4. Accesses to new arrays lie within their extents, and elements are of the same type as before.
//!
//! All that for the parameters that the changed scop's context has, which may be fewer than the original's.
//!
//! **Paper** P. Feautrier, *Array expansion*, ICS 1988, for what storage has to do with dataflow.

mod flow;
mod statements;

use super::Verdict;
use super::counterexample::{Counterexample, Fault};
use crate::Result;
use farkas_base::{IdVec, NameGenerator};
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{
    Access, AccessKind, ArrayId, ArrayScope, Iterator, Scop, ScopBuilder, Statement,
};
use flow::Flow;
use statements::Moved;
use std::collections::BTreeSet;

/// Judges whether `changed` computes in its original order what `original` does.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn check_storage(original: &Scop, changed: &Scop) -> Result<Verdict> {
    Ok(match first_fault(original, changed)? {
        None => Verdict::Legal,
        Some((name, reason)) => {
            let fault = Fault::Program { name, reason };
            Verdict::Illegal(Box::new(Counterexample { params: Vec::new(), fault }))
        }
    })
}

/// The statement or array where something is wrong, and what.
type Found = Option<(String, &'static str)>;

/// The first thing that is wrong.
fn first_fault(original: &Scop, changed: &Scop) -> Result<Found> {
    let moved = match Moved::of(original, changed)? {
        Err(found) => return Ok(Some(found)),
        Ok(moved) => moved,
    };
    for (id, array) in changed.arrays().iter_enumerated().skip(original.arrays().len()) {
        if array.scope != ArrayScope::Expanded || array.is_live_in || array.is_live_out {
            return Ok(Some((array.name.clone(), "it is no array of the region's own")));
        }
        if !is_within_extents(changed, id)? {
            return Ok(Some((array.name.clone(), "an element lies outside")));
        }
    }
    let mut builder = original.to_builder();
    builder.context = changed.context().clone();
    let Ok(original) = &builder.build() else {
        return Ok(Some((original.name().to_owned(), "its context does not fit")));
    };
    let arrays = moved.arrays(original);
    let left = Left::of(original, &moved.scop, &arrays)?;
    let flow = |scop: &Scop| match left.after(scop)? {
        Some(whole) => Flow::of(&whole, &arrays, original.stmts().len()),
        None => Ok(None),
    };
    match (flow(original)?, flow(&moved.scop)?) {
        (Some(before), Some(after)) => before.difference(&after, &moved.accesses),
        _ => Ok(Some((original.name().to_owned(), "where its values come from is not known"))),
    }
}

/// Whether all accesses to an array lie within its extents.
fn is_within_extents(scop: &Scop, array: ArrayId) -> Result<bool> {
    for (stmt, statement) in scop.stmts().iter_enumerated() {
        for access in statement.accesses.iter().filter(|access| access.array == array) {
            let elements = access.relation.intersect_domain(&scop.domain_of(stmt)?)?.range()?;
            if !is_inside(&elements, scop, array)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether these elements lie within the extents of their array.
fn is_inside(elements: &Set, scop: &Scop, array: ArrayId) -> Result<bool> {
    for (at, extent) in (0..).zip(&scop.arrays()[array].extents) {
        let Some(extent) = extent else { return Ok(false) };
        if !elements.is_subset(&elements.lower_bound_si(DimType::SET, at, 0)?)? {
            return Ok(false);
        }
        let last = elements.dim_max(i32::try_from(at).unwrap_or(i32::MAX))?;
        if !last.domain()?.is_subset(&last.lt_set(&extent.project_domain_on_params()?)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What code after the region may read.
struct Left {
    /// Each array with the elements that are written.
    arrays: Vec<(ArrayId, Set)>,
}

impl Left {
    /// What both scops may leave in some arrays.
    fn of(original: &Scop, changed: &Scop, arrays: &BTreeSet<ArrayId>) -> Result<Self> {
        let mut found = Vec::new();
        for &array in arrays {
            let is_read = original.arrays().get(array).is_some_and(|array| array.is_live_out);
            let mut written = Vec::new();
            for scop in [original, changed].iter().filter(|_| is_read) {
                for (stmt, statement) in scop.stmts().iter_enumerated() {
                    let writes = statement.accesses.iter();
                    for write in writes.filter(|a| a.array == array && a.kind.is_write()) {
                        let domain = scop.domain_of(stmt)?;
                        written.push(write.relation.intersect_domain(&domain)?.range()?);
                    }
                }
            }
            found.extend(Set::union_all(written)?.map(|elements| (array, elements)));
        }
        Ok(Self { arrays: found })
    }

    /// The scop with statements that read all this after everything else; `None` where they do not fit.
    fn after(&self, scop: &Scop) -> Result<Option<Scop>> {
        let mut builder = scop.to_builder();
        let n_dates = match builder.stmts.iter().next() {
            Some(first) => first.date.dim(DimType::Out)?,
            None => return Ok(Some(scop.clone())),
        };
        for stmt in builder.stmts.iter_mut() {
            stmt.date = in_front(&stmt.date, 0)?;
        }
        let mut names = NameGenerator::new(scop.stmts().iter().map(|stmt| stmt.name.clone()));
        for (array, elements) in &self.arrays {
            let name = names.fresh("left");
            let stmt = reader(&builder, *array, elements, &name, n_dates)?;
            builder.stmts.push(stmt);
        }
        Ok(builder.build().ok())
    }
}

/// A date with a constant in front.
fn in_front(date: &Map, constant: i32) -> Result<Map> {
    let inserted = date.insert_dims(DimType::Out, 0, 1)?;
    Ok(inserted.fix_si(DimType::Out, 0, constant)?)
}

/// A statement that reads these elements, with dates after all.
fn reader(
    builder: &ScopBuilder,
    array: ArrayId,
    elements: &Set,
    name: &str,
    n_dates: u32,
) -> Result<Statement> {
    let of = &builder.arrays[array];
    let domain = elements.with_tuple_name(name)?;
    let relation = Set::universe(&domain.space()?)?.identity()?;
    let rank = u32::try_from(of.rank()).unwrap_or(u32::MAX);
    let mut date = relation.project_out(DimType::Out, 0, rank)?.add_dims(DimType::Out, n_dates)?;
    for at in 0..n_dates {
        date = date.fix_si(DimType::Out, at, 0)?;
    }
    let mut iterators = Vec::new();
    let function = relation.to_pw_multi_aff()?;
    for at in 0..i32::try_from(rank).unwrap_or(i32::MAX) {
        let (name, ty) = (format!("x{at}"), "int".to_owned());
        iterators.push(Iterator { name, ty, value: function.at(at)? });
    }
    let relation = relation.with_tuple_name(DimType::Out, &of.name)?;
    let kind = AccessKind::Read;
    let mut accesses = IdVec::new();
    accesses.push(Access { array, kind, relation, subscripts: Vec::new(), span: None });
    Ok(Statement {
        name: name.to_owned(),
        label: None,
        domain,
        iterators,
        date: in_front(&date, 1)?,
        accesses,
        body: Vec::new(),
        span: None,
    })
}
