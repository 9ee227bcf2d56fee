//! In which orders and directions loops may run, by the signs of dependences along them.

use super::chain::Chain;
use crate::Result;
use crate::updates::together;
use farkas_deps::Dependences;
use farkas_poly::{DimType, MultiUnionPwAff, Set, UnionPwAff, Val};
use farkas_tree::ScheduleTree;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What dependences say of an order of loops right inside each other: for each way in which they lead from one iteration to a later one, the sign of the
/// difference in each loop.
pub(crate) struct Signs(BTreeSet<Vec<Ordering>>);

/// Loops in an order, outermost first: the position that each had, and whether it runs the other way.
pub(crate) type Order = Vec<(usize, bool)>;

impl Signs {
    /// Those of the dependences between instances that the loops around a chain leave in one iteration.
    pub(crate) fn of(tree: &ScheduleTree, deps: &Dependences, chain: &Chain) -> Result<Self> {
        let mut found = BTreeSet::new();
        let Some((band, member)) = chain.places.first() else { return Ok(Self(found)) };
        let together = together(tree, band, *member)?;
        let dates: Vec<UnionPwAff> =
            chain.loops.iter().map(|member| member.schedule.clone()).collect();
        let dates = MultiUnionPwAff::from_members(&dates)?.to_union_map()?;
        let is_inside = |stmt| chain.stmts.iter().any(|(inside, _)| *inside == stmt);
        for dep in &deps.deps {
            if !dep.is_order() || !is_inside(dep.source) || !is_inside(dep.sink) {
                continue;
            }
            let pairs = together.intersect(&dep.relation.to_union_map()?)?;
            for differences in pairs.apply_domain(&dates)?.apply_range(&dates)?.deltas()?.sets()? {
                divide(&differences, 0, &mut Vec::new(), &mut found)?;
            }
        }
        Ok(Self(found))
    }

    /// Whether a loop carries nothing wherever it stands: no difference is one in it.
    pub(crate) fn leave_free(&self, at: usize) -> bool {
        self.0.iter().all(|signs| signs[at] == Ordering::Equal)
    }

    /// Whether each difference is one to a later iteration in this order, or none.
    pub(crate) fn allow(&self, order: &Order) -> bool {
        let is_later = |signs: &Vec<Ordering>| {
            let along = order.iter().map(|&(at, is_reversed)| match is_reversed {
                true => signs[at].reverse(),
                false => signs[at],
            });
            along.fold(Ordering::Equal, Ordering::then) != Ordering::Less
        };
        self.0.iter().all(is_later)
    }
}

/// The signs that differences have in their dimensions from `at` on, behind those that they have before.
fn divide(
    differences: &Set,
    at: u32,
    before: &mut Vec<Ordering>,
    found: &mut BTreeSet<Vec<Ordering>>,
) -> Result<()> {
    if differences.is_empty()? {
        return Ok(());
    }
    if at == differences.dim(DimType::SET)? {
        found.insert(before.clone());
        return Ok(());
    }
    let parts = [
        (Ordering::Less, differences.upper_bound_val(DimType::SET, at, &Val::int(-1)?)?),
        (Ordering::Equal, differences.fix_val(DimType::SET, at, &Val::int(0)?)?),
        (Ordering::Greater, differences.lower_bound_val(DimType::SET, at, &Val::int(1)?)?),
    ];
    for (sign, part) in parts {
        before.push(sign);
        divide(&part, at + 1, before, found)?;
        before.pop();
    }
    Ok(())
}
