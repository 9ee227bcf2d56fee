//! May each iteration of a loop have its own copy of an array?
//!
//! It may if nothing notices: the array is one that [may be private](farkas_scop::Array::may_be_private); every value of it
//! that is written or read in an iteration of the loop stays in this iteration; and no read there gets a value from before the
//! region.

use super::counterexample::{Counterexample, Fault, NotPrivate, WhyShared};
use super::dataflow::Dataflow;
use super::plan::{Active, Concurrent, Plan};
use super::smallest;
use super::walk::depths;
use crate::Result;
use crate::analysis::Prepared;
use farkas_poly::{Map, Set};
use farkas_scop::{ArrayId, Scop, StmtId};
use farkas_tree::Cursor;

/// What is wrong with private copies of `array` at the concurrent band at `cursor` in `root`.
pub(super) fn obstacle(
    scop: &Scop,
    prepared: &Prepared,
    root: &Plan,
    (cursor, concurrent): (&Cursor, &Concurrent),
    array: ArrayId,
) -> Result<Option<Counterexample>> {
    let found = |params, why| {
        let (cursor, name) = (cursor.clone(), scop.arrays()[array].source_name.clone());
        let fault = Fault::NotPrivate(NotPrivate { array, name, cursor, why });
        Ok(Some(Counterexample { params, fault }))
    };
    if !scop.arrays()[array].may_be_private() {
        return found(Vec::new(), WhyShared::Array);
    }
    let Some(flow) = Dataflow::of(prepared, array)? else {
        return found(Vec::new(), WhyShared::Unknown);
    };
    for (read, instances) in &flow.from_before {
        let Some(active) = active(prepared, &concurrent.active, read.stmt) else { continue };
        let inside = instances.intersect(active)?;
        if !inside.is_empty()? {
            let n = scop.stmts()[read.stmt].depth();
            let point = smallest::point(scop, &inside, n)?;
            let read = smallest::at(scop, read.stmt, &point.params, &point.dims)?;
            return found(smallest::named(scop, &point.params), WhyShared::FromBefore { read });
        }
    }
    for range in &flow.ranges {
        let ends = [range.write.stmt, range.read.stmt];
        let touching = touching(prepared, &concurrent.active, ends, &range.pairs)?;
        let crossing = touching.subtract(&root.together(cursor, ends, &touching)?)?;
        if !crossing.is_empty()? {
            let (n_write, n_read) = depths(&crossing)?;
            let point = smallest::point(scop, &crossing.wrap()?, n_write + n_read)?;
            let (first, second) = point.dims.split_at(n_write);
            let write = smallest::at(scop, ends[0], &point.params, first)?;
            let read = smallest::at(scop, ends[1], &point.params, second)?;
            let params = smallest::named(scop, &point.params);
            return found(params, WhyShared::Leaves { write, read });
        }
    }
    Ok(None)
}

/// The instances of `stmt` in `all`; `None` where there are none.
fn active<'a>(prepared: &'a Prepared, all: &'a Active, stmt: StmtId) -> Option<&'a Set> {
    let (_, some) = all.iter().find(|(active, _)| *active == stmt)?;
    Some(some.as_ref().unwrap_or(&prepared.domains[stmt]))
}

/// Those of `pairs` that have an end in `all`.
fn touching(
    prepared: &Prepared,
    all: &Active,
    [write, read]: [StmtId; 2],
    pairs: &Map,
) -> Result<Map> {
    let none = Map::empty(&pairs.space()?)?;
    let first = match active(prepared, all, write) {
        Some(writes) => pairs.intersect_domain(writes)?,
        None => none.clone(),
    };
    let second = match active(prepared, all, read) {
        Some(reads) => pairs.intersect_range(reads)?,
        None => none,
    };
    Ok(first.union(&second)?)
}

/// The first thing that is wrong with the private copies in `plan`, which is a part of `root`.
pub(super) fn first_obstacle(
    scop: &Scop,
    prepared: &Prepared,
    root: &Plan,
) -> Result<Option<Counterexample>> {
    for band in concurrent_bands(root) {
        for array in &band.1.private {
            let found = obstacle(scop, prepared, root, band, *array)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// The bands of `plan` whose iterations are concurrent.
pub(super) fn concurrent_bands(plan: &Plan) -> Vec<(&Cursor, &Concurrent)> {
    match plan {
        Plan::Leaf { .. } => Vec::new(),
        Plan::Band { cursor, concurrent, child, .. } => {
            let here = concurrent.as_ref().map(|concurrent| (cursor, concurrent));
            here.into_iter().chain(concurrent_bands(child)).collect()
        }
        Plan::Fork { children, .. } => children.iter().flat_map(concurrent_bands).collect(),
    }
}
