//! Flow by value: which writes may a read get its value from.

use crate::analysis::{Prepared, Reference};
use crate::order::Piece;
use crate::rows::System;
use crate::{Dependence, DependenceKind, Result};
use farkas_base::Id;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::AccessKind;

/// Instances of a source that touch the cell of a sink, all decided in the same dimension of the dates and with the same
/// constant there: later than those of any candidate further down the list.
#[derive(Clone)]
pub(crate) struct Candidate<'a> {
    pub(crate) source: &'a Reference,
    pub(crate) piece: Piece,
    /// Whether it hides what comes before it.
    pub(crate) hides: bool,
}

/// What is known of sources that touch the same cell.
pub(crate) struct Rule<'a> {
    /// How their instances follow one another.
    pub(crate) precedence: &'a dyn Fn(&Reference, &Reference) -> Precedence,
    /// Whether the second hides the first within one instance.
    pub(crate) hides_within: fn(&Reference, &Reference) -> bool,
}

/// The flow dependences into the read `sink` from those of `references` whose value it may read.
pub(crate) fn flow_by_value(
    prepared: &Prepared,
    references: &[Reference],
    sink: &Reference,
) -> Result<Vec<Dependence>> {
    let sources = references.iter().filter(|r| r.kind != AccessKind::Read);
    let make = |(source, pieces): (&Reference, Vec<Piece>)| {
        prepared.dependence(DependenceKind::Flow, source, sink, &pieces).transpose()
    };
    let found = last_writes(prepared, sources, sink)?.into_iter();
    found.filter(|(source, _)| source.kind != AccessKind::Kill).filter_map(make).collect()
}

/// The instances of `sources`, writes and kills, that the read `sink` may see, each with the read.
pub(crate) fn last_writes<'a>(
    prepared: &Prepared,
    sources: impl Iterator<Item = &'a Reference>,
    sink: &Reference,
) -> Result<Vec<(&'a Reference, Vec<Piece>)>> {
    let mut candidates = Vec::new();
    for source in sources {
        let hides = matches!(source.kind, AccessKind::MustWrite | AccessKind::Kill);
        let hides = hides && !source.is_relaxed;
        for piece in prepared.ordered(source, sink)?.iter() {
            candidates.push(Candidate { source, piece: piece.clone(), hides });
        }
    }
    let rule = Rule {
        precedence: &|first, second| precedence(prepared, first, second),
        hides_within: |first, second| first.access.index() < second.access.index(),
    };
    visible(prepared, sink, candidates, &rule)
}

/// What of `candidates` nothing hides from `sink`, equalities explicit.
pub(crate) fn visible<'a>(
    prepared: &Prepared,
    sink: &Reference,
    mut candidates: Vec<Candidate<'a>>,
    rule: &Rule<'_>,
) -> Result<Vec<(&'a Reference, Vec<Piece>)>> {
    candidates.sort_by_key(|c| std::cmp::Reverse((c.piece.dim, c.piece.constant)));
    let mut found: Vec<(&Reference, Vec<Piece>)> = Vec::new();
    let mut rest: Option<Set> = None;
    let mut groups = candidates.chunk_by(|a, b| key(a) == key(b)).peekable();
    while let Some(group) = groups.next() {
        let group = restricted(group, rest.as_ref())?;
        let last = last_of_hiding(prepared, &group)?;
        for (i, candidate) in group.iter().enumerate() {
            let pairs = visible_in_group(prepared, &group, &last, i, rule)?;
            if pairs.plain_is_empty()? {
                continue;
            }
            let piece = Piece { pairs, ..candidate.piece.clone() };
            match found.iter_mut().find(|(s, _)| std::ptr::eq(*s, candidate.source)) {
                Some((_, pieces)) => pieces.push(piece),
                None => found.push((candidate.source, vec![piece])),
            }
        }
        if groups.peek().is_some() {
            let left = without(rest.as_ref().unwrap_or(&prepared.domains[sink.stmt]), &last)?;
            if left.is_empty()? {
                break;
            }
            rest = Some(left);
        }
    }
    Ok(found)
}

/// What orders candidates that the dates of sink and source alone order.
fn key(candidate: &Candidate<'_>) -> (usize, Option<i64>) {
    (candidate.piece.dim, candidate.piece.constant)
}

/// The points of `sinks` that none of the sources `last` reaches.
fn without(sinks: &Set, last: &[Option<Map>]) -> Result<Set> {
    let mut left = sinks.clone();
    for pairs in last.iter().flatten() {
        left = left.subtract(&pairs.range()?)?;
    }
    Ok(left)
}

/// The candidates of `group` for the sinks in `rest`.
fn restricted<'a>(group: &[Candidate<'a>], rest: Option<&Set>) -> Result<Vec<Candidate<'a>>> {
    let mut kept = Vec::new();
    for candidate in group {
        let mut piece = candidate.piece.clone();
        if let Some(rest) = rest {
            piece.pairs = piece.pairs.intersect_range(rest)?.detect_equalities()?;
        }
        if !piece.pairs.plain_is_empty()? {
            kept.push(Candidate { piece, ..candidate.clone() });
        }
    }
    Ok(kept)
}

/// For each hiding candidate of `group`, its last instance before each sink; `None` for the others.
fn last_of_hiding(prepared: &Prepared, group: &[Candidate<'_>]) -> Result<Vec<Option<Map>>> {
    group.iter().map(|c| c.hides.then(|| last(prepared, c)).transpose()).collect()
}

/// The last source of each sink, equalities explicit.
fn last(prepared: &Prepared, candidate: &Candidate<'_>) -> Result<Map> {
    let (stmt, pairs) = (candidate.source.stmt, &candidate.piece.pairs);
    let depth = prepared.domains[stmt].dim(DimType::SET)? as usize;
    if is_obviously_injective(pairs, depth)? {
        return Ok(pairs.clone());
    }
    let by_sink = pairs.reverse()?;
    let last = if prepared.dates.is_lexicographic(stmt, depth) {
        by_sink.lexmax()?
    } else {
        let date = prepared.dates.date(stmt);
        let dated = by_sink.apply_range(date)?.lexmax()?;
        dated.apply_range(&date.reverse()?)?.intersect(&by_sink)?
    };
    Ok(last.reverse()?.detect_equalities()?)
}

/// Whether the equalities of the one piece of `pairs` make the source, of `depth` dimensions, a function of the sink.
fn is_obviously_injective(pairs: &Map, depth: usize) -> Result<bool> {
    let [piece] = &pairs.basic_maps()?[..] else { return Ok(false) };
    let equalities = piece.equalities()?;
    let n_divs = equalities.first().map_or(0, |row| row.divs.len());
    Ok(depth == 0 || System::of_equalities(&equalities).determines_first(n_divs + depth))
}

/// The pairs of candidate `i` that nothing in `group` hides, equalities explicit.
fn visible_in_group(
    prepared: &Prepared,
    group: &[Candidate<'_>],
    last: &[Option<Map>],
    i: usize,
    rule: &Rule<'_>,
) -> Result<Map> {
    let candidate = &group[i];
    let own = last[i].as_ref().unwrap_or(&candidate.piece.pairs);
    let mut pairs = own.clone();
    for (j, other) in group.iter().enumerate() {
        let Some(last) = &last[j] else { continue };
        if i == j || pairs.plain_is_empty()? {
            continue;
        }
        pairs = match (rule.precedence)(candidate.source, other.source) {
            Precedence::Never => continue,
            Precedence::Always => pairs.subtract_range(&last.range()?)?,
            Precedence::Sometimes => {
                let later = precedes(prepared, candidate.source, other.source, rule)?;
                pairs.subtract(&later.apply_range(last)?)?
            }
        };
    }
    if group.len() > 1 { Ok(pairs.detect_equalities()?) } else { Ok(pairs) }
}

/// How instances of two accesses that touch the same cell follow one another.
pub(crate) enum Precedence {
    /// The first surely never comes before the second.
    Never,
    /// The first surely comes before the second.
    Always,
    /// That depends.
    Sometimes,
}

/// What the rows say of the order of two writes.
fn precedence(prepared: &Prepared, first: &Reference, second: &Reference) -> Precedence {
    let never = |a: &Reference, b: &Reference| {
        prepared.tables.deciding(a, b).is_some_and(|dims| dims.is_empty())
    };
    if first.stmt == second.stmt {
        return Precedence::Sometimes;
    }
    if never(first, second) {
        Precedence::Never
    } else if never(second, first) {
        Precedence::Always
    } else {
        Precedence::Sometimes
    }
}

/// Pairs of instances of two sources of which the second comes later, and hides the first where they are the same.
fn precedes(
    prepared: &Prepared,
    first: &Reference,
    second: &Reference,
    rule: &Rule<'_>,
) -> Result<Map> {
    let before = prepared.before(first.stmt, second.stmt)?;
    if first.stmt == second.stmt && (rule.hides_within)(first, second) {
        let space = prepared.domains[first.stmt].space()?.map_from_set()?;
        return Ok(before.union_disjoint(&Map::identity(&space)?)?);
    }
    Ok(before)
}
