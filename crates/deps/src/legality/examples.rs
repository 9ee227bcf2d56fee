//! Examples of what a tree breaks: the smallest instances that show it.

use super::counterexample::{Conflict, Counterexample, Cut, Fault, Place};
use super::smallest::{Point, at, fixed, named, point};
use super::walk::{Violation, depths};
use crate::analysis::Reference;
use crate::{DependenceKind, Result};
use farkas_poly::{DimType, Map, Set};
use farkas_scop::Scop;

/// The counterexample of a violated order.
pub(crate) fn conflict(
    scop: &Scop,
    kind: DependenceKind,
    source: &Reference,
    sink: &Reference,
    violation: Violation,
) -> Result<Counterexample> {
    let (n_source, n_sink) = depths(&violation.pairs)?;
    let point = point(scop, &violation.pairs.wrap()?, n_source + n_sink)?;
    let (first, second) = point.dims.split_at(n_source);
    let array = scop.stmts()[source.stmt].accesses[source.access].array;
    let element = element(scop, source, &point.params, first)?;
    let span = |r: &Reference| scop.stmts()[r.stmt].accesses[r.access].span;
    let fault = Fault::Order(Conflict {
        kind,
        source: at(scop, source.stmt, &point.params, first)?,
        source_access: source.access,
        source_span: span(source),
        sink: at(scop, sink.stmt, &point.params, second)?,
        sink_access: sink.access,
        sink_span: span(sink),
        array,
        element,
        place: violation.place,
    });
    Ok(Counterexample { params: named(scop, &point.params), fault })
}

/// The element that `reference` touches at `point`, as the source would write it.
fn element(scop: &Scop, reference: &Reference, params: &[i64], point: &[i64]) -> Result<String> {
    let array = scop.stmts()[reference.stmt].accesses[reference.access].array;
    let instance = fixed(&reference.elements.domain()?, params, point)?;
    let elements: Map = reference.elements.intersect_domain(&instance)?;
    let touched: Set = elements.range()?;
    let index = touched.sample_point()?.coordinates(DimType::SET)?;
    let mut text = scop.arrays()[array].source_name.clone();
    index.iter().for_each(|i| text.push_str(&format!("[{i}]")));
    Ok(text)
}

/// A write and the reads that get their value from it.
pub(super) struct Range<'a> {
    pub(super) write: &'a Reference,
    pub(super) read: &'a Reference,
    /// From writes to reads.
    pub(super) pairs: Map,
}

/// `other`, which ran before the write of `range`, runs after it, at `place`, but not after the read; `late` are
/// pairs of read and other write.
pub(crate) fn cut_by_earlier(
    scop: &Scop,
    range: &Range<'_>,
    other: &Reference,
    late: &Map,
    place: &Place,
) -> Result<Counterexample> {
    let (Point { params, .. }, [read, cutting]) = smallest_pair(scop, late)?;
    let reads = fixed(&range.pairs.range()?, &params, &read)?;
    let writes = range.pairs.intersect_range(&reads)?.domain()?;
    let write = point(scop, &writes, scop.stmts()[range.write.stmt].depth())?.dims;
    counterexample(scop, (range, other), &params, [write, read, cutting], (true, place))
}

/// `other`, which ran after the read of `range`, runs before it, as `reversed` says, but not before the write; `late`
/// are pairs of other write and write.
pub(crate) fn cut_by_later(
    scop: &Scop,
    range: &Range<'_>,
    other: &Reference,
    late: &Map,
    reversed: &Violation,
) -> Result<Counterexample> {
    let (Point { params, .. }, [cutting, write]) = smallest_pair(scop, late)?;
    let writes = fixed(&range.pairs.domain()?, &params, &write)?;
    let others = fixed(&reversed.pairs.range()?, &params, &cutting)?;
    let reads = range.pairs.intersect_domain(&writes)?.range()?;
    let reads = reads.intersect(&reversed.pairs.intersect_range(&others)?.domain()?)?;
    let read = point(scop, &reads, scop.stmts()[range.read.stmt].depth())?.dims;
    let place = &reversed.place;
    counterexample(scop, (range, other), &params, [write, read, cutting], (false, place))
}

/// The smallest of `pairs`, with its two ends.
fn smallest_pair(scop: &Scop, pairs: &Map) -> Result<(Point, [Vec<i64>; 2])> {
    let (n_first, n_second) = depths(pairs)?;
    let mut point = point(scop, &pairs.wrap()?, n_first + n_second)?;
    let second = point.dims.split_off(n_first);
    let first = std::mem::take(&mut point.dims);
    Ok((point, [first, second]))
}

/// The counterexample of a write, a read and another write.
fn counterexample(
    scop: &Scop,
    (range, other): (&Range<'_>, &Reference),
    params: &[i64],
    [write, read, cutting]: [Vec<i64>; 3],
    (is_before, place): (bool, &Place),
) -> Result<Counterexample> {
    let fault = Fault::Cut(Cut {
        array: scop.stmts()[other.stmt].accesses[other.access].array,
        element: element(scop, range.write, params, &write)?,
        write: at(scop, range.write.stmt, params, &write)?,
        read: at(scop, range.read.stmt, params, &read)?,
        other: at(scop, other.stmt, params, &cutting)?,
        is_before,
        place: place.clone(),
    });
    Ok(Counterexample { params: named(scop, params), fault })
}
