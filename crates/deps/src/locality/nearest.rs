//! Adjacent instances by isl: for any class, exact.

use super::class::{Class, Member};
use crate::Result;
use crate::analysis::{Prepared, Reference};
use crate::flow::{Candidate, Precedence, Rule, visible};
use farkas_poly::{BasicMap, Constraints, DimType, LinearRow, Map};
use farkas_scop::{AccessKind, StmtId};
use std::collections::BTreeMap;

/// The pairs of adjacent instances of the references of `class`, by statements, equalities explicit.
///
/// **Paper.** P. Feautrier, *Dataflow analysis of array and scalar references*, IJPP 1991; here every reference is a
/// source, and hides those before it.
pub(super) fn adjacent(
    prepared: &Prepared,
    class: &Class,
) -> Result<BTreeMap<(StmtId, StmtId), Map>> {
    let mut touches = Vec::new();
    for member in &class.members {
        touches.push(cells(prepared, member)?);
    }
    let rule = Rule { precedence: &|_, _| Precedence::Sometimes, hides_within: |_, _| false };
    let mut found: BTreeMap<(StmtId, StmtId), Map> = BTreeMap::new();
    for (sink, _) in touches.iter().zip(&class.members).filter(|(_, member)| class.is_sink(member))
    {
        let mut candidates = Vec::new();
        let n_cells = sink.elements.dim(DimType::Out)?;
        for source in &touches {
            if source.elements.dim(DimType::Out)? != n_cells {
                continue;
            }
            let pairs = source.elements.apply_range(&sink.elements.reverse()?)?;
            for piece in prepared.dates.split(source.stmt, sink.stmt, &pairs, None)? {
                candidates.push(Candidate { source, piece, hides: true });
            }
        }
        for (source, pieces) in visible(prepared, sink, candidates, &rule)? {
            let member = touches.iter().zip(&class.members).find(|(t, _)| std::ptr::eq(*t, source));
            if !member.is_some_and(|(_, member)| class.is_source(member)) {
                continue;
            }
            for piece in pieces {
                let pairs = match found.get(&(source.stmt, sink.stmt)) {
                    Some(others) => others.union(&piece.pairs)?,
                    None => piece.pairs,
                };
                found.insert((source.stmt, sink.stmt), pairs);
            }
        }
    }
    for pairs in found.values_mut() {
        *pairs = pairs.coalesce()?.detect_equalities()?;
    }
    Ok(found)
}

/// What a member touches: its `elements` are cells of the class, without a name.
fn cells(prepared: &Prepared, member: &Member) -> Result<Reference> {
    let domain = &prepared.domains[member.stmt];
    let place = &member.place;
    let depth = prepared.tables.depth(member.stmt);
    let n_cells = place.outer.len() + usize::from(place.divided.is_some());
    let row = |row: &[i64], sign: i64, cell: usize, size: i64, constant: i64| {
        let (dims, rest) = row.split_at(depth);
        let (own, params) = rest.split_last().map_or((0, rest), |(own, params)| (*own, params));
        let mut dims: Vec<i64> = dims.iter().map(|c| sign * c).collect();
        dims.extend((0..n_cells).map(|i| if i == cell { -sign * size } else { 0 }));
        let params = params.iter().map(|c| sign * c).collect();
        LinearRow { constant: sign * own + constant, params, dims, divs: Vec::new() }
    };
    let outer = place.outer.iter().enumerate();
    let equalities = outer.map(|(i, values)| row(values, 1, i, 1, 0)).collect();
    // 0 <= divided - line * cell <= line - 1.
    let divided = place.divided.iter();
    let inequalities = divided
        .flat_map(|(values, line)| {
            let cell = n_cells - 1;
            [row(values, 1, cell, *line, 0), row(values, -1, cell, *line, line - 1)]
        })
        .collect();
    let range = prepared.params.set_space("", u32::try_from(n_cells).unwrap_or(u32::MAX))?;
    let space = domain.space()?.map_from_domain_and_range(&range)?;
    let function = BasicMap::of_constraints(&space, &Constraints { equalities, inequalities })?;
    let elements = function.to_map()?.intersect_domain(domain)?;
    let (stmt, access, kind) = (member.stmt, member.access, AccessKind::MustWrite);
    Ok(Reference { stmt, access, kind, is_relaxed: false, like: access, elements })
}
