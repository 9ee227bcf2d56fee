//! Temporal reuse in all directions: what an order of loops hides.

use super::class::{Class, Member};
use super::hermite::Hermite;
use super::pairs::apart;
use super::{Reuse, ReuseRelation};
use crate::Result;
use crate::analysis::Prepared;

/// Pairs of instances of one statement that read the same element, one step apart in each direction in which a reference
/// stays where it is, where there are several directions: adjacent instances are those of the innermost loop alone, and say
/// nothing of the others.
///
/// **Paper.** None: RR-9110 has adjacent instances, so that what it finds depends on the order of the source's loops.
///
/// **Formulation.** For each vector `v` of a basis of the integer `v` with `A v = 0`, where `A` is the linear part of the
/// subscripts: `{ S[x] -> S[x + v] }` within the domain, `v` or `-v` such that its first entry is positive.
pub(super) fn in_all_directions(prepared: &Prepared, class: &Class) -> Result<Vec<ReuseRelation>> {
    let mut relations = Vec::new();
    for member in &class.members {
        let directions = directions(prepared, member);
        for direction in directions.iter().filter(|_| directions.len() > 1) {
            let Some(access) = member.reader else { continue };
            let Some(found) = apart(prepared, member.stmt, direction)? else { continue };
            relations.push(ReuseRelation {
                reuse: Reuse::Temporal,
                array: class.array,
                source: member.stmt,
                source_access: access,
                sink: member.stmt,
                sink_access: access,
                pairs: found.relation,
                hull: found.hull,
            });
        }
    }
    Ok(relations)
}

/// The directions in which a reference stays where it is; none where numbers do not fit.
fn directions(prepared: &Prepared, member: &Member) -> Vec<Vec<i64>> {
    let depth = prepared.tables.depth(member.stmt);
    let rows: Vec<Vec<i64>> = member.place.outer.iter().map(|row| row[..depth].to_vec()).collect();
    let Ok(hermite) = Hermite::of(&rows, depth) else { return Vec::new() };
    let forward = |mut direction: Vec<i64>| {
        if direction.iter().find(|&&d| d != 0).is_some_and(|&d| d < 0) {
            direction.iter_mut().for_each(|d| *d = -*d);
        }
        direction
    };
    hermite.kernel().into_iter().map(forward).collect()
}
