//! Loops that add up into one element.

use crate::tree::{Loop, members_around};
use crate::{NotApplicable, Result, Subject};
use farkas_poly::MultiUnionPwAff;
use farkas_scop::{Statement, Sum};
use farkas_tree::Node;

/// Refuses a loop unless the one statement in it adds to the same element in all of its iterations, and does nothing else with that
/// element. The only dependences between its iterations are then those of the sum, since the statement writes nothing else.
pub(crate) fn refuse_other_than_sum(
    subject: &Subject<'_>,
    at: &Loop,
    is_innermost: bool,
) -> Result<()> {
    let no_sum = |why| Err(NotApplicable::NoSum(why).into());
    let (band, child) = at.band_in(subject.tree())?;
    if !is_innermost {
        return Err(NotApplicable::NotInnermost.into());
    }
    let instances = band.members[at.member].schedule.domain()?.sets()?;
    let ([instances], Node::Leaf) = (&instances[..], child.node()) else {
        return no_sum("several statements are inside");
    };
    let name = instances.tuple_name().unwrap_or_default();
    let stmt = subject.scop().stmt_by_name(&name).map(|id| &subject.scop().stmts()[id]);
    let Some((stmt, sum)) = stmt.and_then(|stmt| Some((stmt, stmt.sum()?))) else {
        return no_sum("its statement adds to no element");
    };
    if !is_alone(stmt, sum)? {
        return no_sum("its statement uses the element in other ways, too");
    }
    let elements = stmt.accesses[sum.target].relation.intersect_domain(&stmt.domain)?;
    let elements = elements.to_union_map()?;
    let outer = members_around(subject.tree(), at)?;
    let elements = match outer.is_empty() {
        true => elements.range()?.sets()?.iter().try_fold(true, |one, set| {
            Ok::<bool, farkas_poly::Error>(one && set.is_singleton()?)
        })?,
        false => {
            let outer = MultiUnionPwAff::from_members(&outer)?.to_union_map()?;
            outer.reverse()?.apply_range(&elements)?.is_single_valued()?
        }
    };
    if elements { Ok(()) } else { no_sum("it adds to several elements") }
}

/// Whether no other access of an instance is to the element that it adds to.
fn is_alone(stmt: &Statement, sum: Sum<'_>) -> Result<bool> {
    let target = &stmt.accesses[sum.target];
    for (at, access) in stmt.accesses.iter_enumerated() {
        if at == sum.target || at == sum.read || access.array != target.array {
            continue;
        }
        let both = access.relation.intersect(&target.relation)?;
        if !both.intersect_domain(&stmt.domain)?.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}
