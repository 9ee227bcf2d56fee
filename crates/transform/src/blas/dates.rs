//! Scops whose own order is that of a tree.

use crate::Result;
use farkas_base::IdVec;
use farkas_poly::{DimType, Map, Set, UnionPwAff, UnionSet};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Node, ScheduleTree};

/// A date of a statement, dimension by dimension.
#[derive(Clone)]
enum Date {
    Constant(i32),
    Loop(UnionPwAff),
}

/// The scop with the dates that `tree` gives its instances; none where it puts instances of one statement in several places.
///
/// # Errors
/// When isl refuses.
pub fn in_order_of(scop: &Scop, tree: &ScheduleTree) -> Result<Option<Scop>> {
    let mut found: IdVec<StmtId, Option<Vec<Date>>> = scop.stmts().map(|_| None);
    if !collect(scop, tree, &scop.domain()?, Vec::new(), &mut found)? {
        return Ok(None);
    }
    let n_dims = found.iter().flatten().map(Vec::len).max().unwrap_or(0).max(1);
    let mut parts = scop.to_builder();
    for (stmt, dates) in parts.stmts.iter_mut().zip(found.iter()) {
        let Some(dates) = dates else { return Ok(None) };
        let universe = Set::universe(&stmt.domain.space()?)?;
        let mut date = Map::from_domain_and_range(&universe, &Set::unnamed_universe(0)?)?;
        for at in 0..n_dims {
            date = date.flat_range_product(&one_dim(&universe, dates.get(at))?)?;
        }
        stmt.date = date.reset_tuple_id(DimType::Out)?;
    }
    Ok(Some(parts.build().map_err(crate::Error::Scop)?))
}

/// One dimension of a date.
fn one_dim(instances: &Set, date: Option<&Date>) -> Result<Map> {
    Ok(match date {
        Some(Date::Loop(dates)) => dates.extract_pw_aff(&instances.space()?)?.to_map()?,
        other => {
            let constant = if let Some(Date::Constant(constant)) = other { *constant } else { 0 };
            let value = Set::unnamed_universe(1)?.fix_si(DimType::SET, 0, constant)?;
            Map::from_domain_and_range(instances, &value)?
        }
    })
}

/// Adds the dates of what reaches a node; whether each statement ends in one place.
fn collect(
    scop: &Scop,
    tree: &ScheduleTree,
    reaching: &UnionSet,
    dates: Vec<Date>,
    found: &mut IdVec<StmtId, Option<Vec<Date>>>,
) -> Result<bool> {
    match tree.node() {
        Node::Leaf => {
            for (id, stmt) in scop.stmts().iter_enumerated() {
                if !reaching.extract_set(&stmt.domain.space()?)?.is_empty()?
                    && found[id].replace(dates.clone()).is_some()
                {
                    return Ok(false);
                }
            }
            // Statements that never run have a date, too.
            Ok(true)
        }
        Node::Domain { child, .. } | Node::Mark { child, .. } | Node::Context { child, .. } => {
            collect(scop, child, reaching, dates, found)
        }
        Node::Filter { filter, child } => {
            collect(scop, child, &reaching.intersect(filter)?, dates, found)
        }
        Node::Band { band, child } => {
            let loops = band.members.iter().map(|member| Date::Loop(member.schedule.clone()));
            let dates = dates.into_iter().chain(loops).collect();
            collect(scop, child, reaching, dates, found)
        }
        Node::Sequence(children) | Node::Set(children) => {
            for (at, child) in (0..).zip(children) {
                let mut dates = dates.clone();
                dates.push(Date::Constant(at));
                if !collect(scop, child, reaching, dates, found)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}
