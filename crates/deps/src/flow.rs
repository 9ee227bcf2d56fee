//! Flow by value: which writes may a read get its value from.

use crate::analysis::{Prepared, Reference};
use crate::order::Piece;
use crate::{Dependence, DependenceKind, Result};
use farkas_base::Id;
use farkas_poly::{DimType, Map, Set, Space};
use farkas_scop::AccessKind;

/// Writes to the element that `sink` reads, all decided in the same dimension of the dates and with the same constant
/// there: later than those of any candidate further down the list.
struct Candidate<'a> {
    source: &'a Reference,
    piece: Piece,
}

/// The flow dependences into the read `sink` from those of `references` whose value it may read.
pub(crate) fn flow_by_value(
    prepared: &Prepared,
    references: &[Reference],
    sink: &Reference,
) -> Result<Vec<Dependence>> {
    let mut candidates = Vec::new();
    for source in references.iter().filter(|r| r.kind != AccessKind::Read) {
        for piece in prepared.ordered(source, sink)? {
            candidates.push(Candidate { source, piece });
        }
    }
    candidates.sort_by_key(|c| std::cmp::Reverse((c.piece.dim, c.piece.constant)));
    let mut found: Vec<(&Reference, Vec<Piece>)> = Vec::new();
    let mut rest: Option<Set> = None;
    for group in candidates.chunk_by(|a, b| key(a) == key(b)) {
        let group = restricted(group, rest.as_ref())?;
        let last = last_sure_writes(prepared, &group)?;
        for (i, candidate) in group.iter().enumerate() {
            let pairs = visible(prepared, &group, &last, i)?;
            if candidate.source.kind == AccessKind::Kill || pairs.is_empty()? {
                continue;
            }
            let piece = Piece { pairs, ..candidate.piece.clone() };
            match found.iter_mut().find(|(s, _)| std::ptr::eq(*s, candidate.source)) {
                Some((_, pieces)) => pieces.push(piece),
                None => found.push((candidate.source, vec![piece])),
            }
        }
        for pairs in last.iter().flatten() {
            let left = match &rest {
                None => prepared.domains[sink.stmt].clone(),
                Some(left) => left.clone(),
            };
            rest = Some(left.subtract(&pairs.range()?)?);
        }
        if rest.as_ref().map_or(Ok(false), Set::is_empty)? {
            break;
        }
    }
    let make = |(source, pieces)| {
        prepared.dependence(DependenceKind::Flow, source, sink, pieces).transpose()
    };
    found.into_iter().filter_map(make).collect()
}

/// What orders candidates that the dates of sink and source alone order.
fn key(candidate: &Candidate<'_>) -> (usize, Option<i64>) {
    (candidate.piece.dim, candidate.piece.constant)
}

/// The candidates of `group` for the sinks in `rest`.
fn restricted<'a>(group: &[Candidate<'a>], rest: Option<&Set>) -> Result<Vec<Candidate<'a>>> {
    let mut kept = Vec::new();
    for candidate in group {
        let mut piece = candidate.piece.clone();
        if let Some(rest) = rest {
            piece.pairs = piece.pairs.intersect_range(rest)?;
        }
        if rest.is_none() || !piece.pairs.is_empty()? {
            kept.push(Candidate { source: candidate.source, piece });
        }
    }
    Ok(kept)
}

/// For each sure write or kill of `group`, its last instance before each sink; `None` for possible writes.
fn last_sure_writes(prepared: &Prepared, group: &[Candidate<'_>]) -> Result<Vec<Option<Map>>> {
    group
        .iter()
        .map(|c| match c.source.kind {
            AccessKind::MustWrite | AccessKind::Kill => last(prepared, c).map(Some),
            AccessKind::MayWrite | AccessKind::Read => Ok(None),
        })
        .collect()
}

/// The last source of each sink.
fn last(prepared: &Prepared, candidate: &Candidate<'_>) -> Result<Map> {
    let stmt = candidate.source.stmt;
    let by_sink = candidate.piece.pairs.reverse()?;
    let depth = prepared.domains[stmt].dim(DimType::SET)? as usize;
    if prepared.dates.is_lexicographic(stmt, depth) {
        return Ok(by_sink.lexmax()?.reverse()?);
    }
    let date = prepared.dates.date(stmt);
    let dated = by_sink.apply_range(date)?.lexmax()?;
    let last = dated.apply_range(&date.reverse()?)?.intersect(&by_sink)?;
    Ok(last.reverse()?)
}

/// The pairs of candidate `i` that no sure write of `group` hides.
fn visible(
    prepared: &Prepared,
    group: &[Candidate<'_>],
    last: &[Option<Map>],
    i: usize,
) -> Result<Map> {
    let candidate = &group[i];
    let mut pairs = match &last[i] {
        Some(last) => last.clone(),
        None => candidate.piece.pairs.clone(),
    };
    for (j, other) in group.iter().enumerate() {
        let Some(last) = &last[j] else { continue };
        if i == j {
            continue;
        }
        let hidden_by = precedes(prepared, candidate.source, other.source)?;
        pairs = pairs.subtract(&hidden_by.apply_range(last)?)?;
    }
    Ok(pairs)
}

/// Pairs of instances of two writes of which the second comes later; within one instance, the access that stands later.
fn precedes(prepared: &Prepared, first: &Reference, second: &Reference) -> Result<Map> {
    let (a, b) = (&prepared.domains[first.stmt], &prepared.domains[second.stmt]);
    let all = Map::from_domain_and_range(a, b)?;
    let before = prepared.dates.before(first.stmt, second.stmt, &all)?;
    if first.stmt == second.stmt && first.access.index() < second.access.index() {
        let space: Space = a.space()?.map_from_set()?;
        return Ok(before.union(&Map::identity(&space)?)?);
    }
    Ok(before)
}
