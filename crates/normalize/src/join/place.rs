//! Which instances of one statement those of another would be.

use crate::Result;
use crate::lift::{on, one_sum};
use crate::shape::Shape;
use farkas_poly::{Aff, DimType, Map, PwAff, Set, Val};
use farkas_scop::{Scop, StmtId};
use std::cmp::Ordering;

/// How many iterations in front of a loop, or behind it, are tried.
const MAX_AWAY: i64 = 3;

/// A statement that another may be a piece of.
pub(crate) struct Whole<'a> {
    pub(crate) scop: &'a Scop,
    pub(crate) stmt: StmtId,
    pub(crate) shape: &'a Shape,
    /// Its instances, and those that others were found to be.
    pub(crate) instances: Set,
}

impl Whole<'_> {
    /// From the instances of another statement of the same shape to those of this one that would do the same, each another one, and none that
    /// there is; none where there are no such instances.
    ///
    /// What elements an instance touches and the integers that it uses mostly say which it is. Of loops that neither depends on it has
    /// the iteration that is the same for both, where they share the loop, else one in front of all others or behind them.
    pub(crate) fn place_of(&self, other: StmtId, shape: &Shape) -> Result<Option<Map>> {
        let own = self.scop.domain_of(other)?;
        let space = self.scop.stmts()[self.stmt].domain.space()?;
        let mut places = Map::from_domain_and_range(&own, &Set::universe(&space)?)?;
        for (theirs, ours) in shape.holes.iter().zip(&self.shape.holes) {
            places = places.intersect(&theirs.apply_range(&ours.reverse()?)?)?;
            if places.is_empty()? {
                return Ok(None);
            }
        }
        if !own.is_subset(&places.domain()?)? {
            return Ok(None);
        }
        if places.is_single_valued()? {
            return self.free(places);
        }
        let (places, order) = self.in_shared_loops(other, &own, places)?;
        if places.is_single_valued()? {
            return self.free(places);
        }
        for away in 1..=MAX_AWAY {
            let places = self.beside(&own, places.clone(), order, away)?;
            if let Some(places) = places
                && let Some(places) = self.free(places)?
            {
                return Ok(Some(places));
            }
        }
        Ok(None)
    }

    /// Places, if each is another one and none is taken.
    fn free(&self, places: Map) -> Result<Option<Map>> {
        let is_free = places.is_single_valued()?
            && places.is_injective()?
            && places.range()?.is_disjoint(&self.instances)?;
        Ok(is_free.then_some(places))
    }

    /// Places in the same iterations of the loops that both statements stand in, and which of them comes first behind these.
    fn in_shared_loops(&self, other: StmtId, own: &Set, places: Map) -> Result<(Map, Ordering)> {
        let stmts = self.scop.stmts();
        let [theirs, ours] = [other, self.stmt].map(|stmt| stmts[stmt].date.to_pw_multi_aff());
        let (theirs, ours) = (theirs?, ours?);
        let mut places = places;
        for at in (0..).take(ours.dim(DimType::Out)? as usize) {
            let (theirs, ours) = (theirs.at(at)?, ours.at(at)?);
            if theirs.is_cst()? && ours.is_cst()? {
                match constant(&theirs)?.cmp(&constant(&ours)?) {
                    Ordering::Equal => continue,
                    order => return Ok((places, order)),
                }
            }
            let same = theirs.to_map()?.apply_range(&ours.to_map()?.reverse()?)?;
            let closer = places.intersect(&same)?;
            if own.is_subset(&closer.domain()?)? {
                places = closer;
            }
        }
        Ok((places, Ordering::Less))
    }

    /// Places so many iterations in front of all others, or behind them, in each loop on which the instance does not depend.
    fn beside(
        &self,
        own: &Set,
        mut places: Map,
        order: Ordering,
        away: i64,
    ) -> Result<Option<Map>> {
        let first = self.scop.domain_of(self.stmt)?;
        let rank = first.dim(DimType::SET)?;
        let space = first.space()?;
        let identity = Set::universe(&space)?.identity()?;
        for at in 0..rank {
            let behind = rank.saturating_sub(at + 1);
            let one = identity.project_out(DimType::Out, at + 1, behind)?;
            let one = one.project_out(DimType::Out, 0, at)?.reset_tuple_id(DimType::Out)?;
            if places.apply_range(&one)?.is_single_valued()? {
                continue;
            }
            let ends = first.apply(&one)?.coalesce()?;
            let (end, by) = match order {
                Ordering::Greater => (ends.lexmax()?, away),
                _ => (ends, -away),
            };
            // Where the loop has no iteration, it is the same sum.
            let Some(end) = one_sum(&end.lexmin_pw_multi_aff()?)? else { return Ok(None) };
            let own_dim = Aff::var_on_domain(&space, DimType::SET, at)?.to_pw_aff()?;
            let end = on(&space, &end.add_constant_val(&Val::int(by)?)?)?;
            places = places.intersect_range(&own_dim.eq_set(&end)?)?;
            if !own.is_subset(&places.domain()?)? {
                return Ok(None);
            }
        }
        Ok(Some(places))
    }
}

/// The number that a date is everywhere.
fn constant(date: &PwAff) -> Result<Option<i64>> {
    Ok(date.to_map()?.range()?.dim_min_val(0)?.to_small_int()?)
}
