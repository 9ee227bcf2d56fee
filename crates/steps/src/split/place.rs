//! Where loops are cut into strips, and how the instances of a strip are divided.

use super::SumCut;
use super::division::Division;
use super::order::{Order, coalesced};
use super::strips::{chain, dates, domain};
use crate::lift::only_lifted;
use crate::{Lifted, LoopAddress, Result};
use farkas_poly::{DimType, Map, PwAff, Set, UnionMap, UnionPwAff, UnionSet};
use farkas_scop::{Scop, Statement, linear_part};
use farkas_tree::{Member, ScheduleTree};

/// A loop that is cut into strips. All instances have the number of their strip in front.
pub struct Cut {
    /// The loop that is cut.
    pub member: Member,
    /// Its position among the loops one inside the other.
    pub position: usize,
    /// How many iterations a strip has.
    pub size: i64,
    /// Whether the strips may run in any order.
    pub is_coincident: bool,
    /// The sums that were to be far.
    pub sums: Vec<String>,
    /// Those that are.
    pub far: Vec<Far>,
    /// What must stay in order within a strip.
    pub(super) order: Order,
    pub(super) before: UnionSet,
    pub(super) after: UnionSet,
}

/// Sums of a statement whose operands are computed before.
pub struct Far {
    /// Their instances.
    pub instances: Set,
    /// In how many directions they extend.
    pub degree: u32,
    /// For each loop around them, whether its iterations may run in any order.
    pub(super) coincident: Vec<bool>,
    /// Whether these loops may be in any order.
    pub(super) is_permutable: bool,
}

impl Cut {
    /// The position of the iterator of a statement that is cut.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn iterator_of(&self, stmt: &Statement) -> Result<Option<usize>> {
        let date = self.member.schedule.extract_pw_aff(&stmt.domain.space()?)?;
        let coefficients = linear_part(&date)?.unwrap_or_default();
        Ok(coefficients.iter().position(|c| *c != 0))
    }
}

/// Sums that may run in any order with one another are in so many loop nests at most.
const MAX_PIECES: usize = 4;

impl Far {
    /// Their instances in convex pieces that nothing keeps in order, so that loops of each have simple bounds; as they are where there are no
    /// such, or many.
    pub(super) fn pieces(&self, order: &Order) -> Result<Vec<Set>> {
        let whole = self.instances.coalesce()?;
        let mut pieces = Vec::new();
        for piece in whole.make_disjoint()?.basic_sets()? {
            pieces.push(piece.to_set()?);
        }
        if pieces.len() > MAX_PIECES {
            return Ok(vec![whole]);
        }
        for (at, piece) in pieces.iter().enumerate() {
            for other in &pieces[..at] {
                if !order.leaves_apart(piece, other)? {
                    return Ok(vec![whole]);
                }
            }
        }
        Ok(pieces)
    }
}

/// A band that may be cut, with what stands around it.
pub struct Place<'a> {
    /// The statements as they are there.
    pub scop: &'a Scop,
    /// The band with what is in it.
    pub tree: &'a ScheduleTree,
    /// The instances that reach it.
    pub instances: &'a UnionSet,
    /// What must stay in order in one iteration of the loops around, maybe among more instances: what others use comes before, too, so that
    /// all strips are divided alike.
    pub order: &'a Order,
    /// The members around it.
    pub outer: &'a [Member],
    /// The size of the strips around it.
    pub strip: Option<i64>,
}

impl Place<'_> {
    /// The loops one inside the other.
    pub fn loops(&self) -> Vec<&Member> {
        chain(self.tree)
    }

    /// The addresses of the outermost loop, and of another one.
    pub(super) fn address(&self, position: usize) -> Result<[LoopAddress; 2]> {
        let first = self.instances.sets()?.first().and_then(Set::tuple_name);
        let stmt = first.unwrap_or_default();
        let n_outer = i64::try_from(self.outer.len()).unwrap_or(i64::MAX);
        let position = i64::try_from(position).unwrap_or(i64::MAX);
        Ok([0, position].map(|at| LoopAddress::new(&stmt, n_outer + at + 1)))
    }

    /// The position of the loop that a cut of this nest names; none where it is one of another nest.
    pub(super) fn position(&self, cut: &SumCut) -> Result<Option<usize>> {
        let (Some((nest, first)), Some((_, at))) = (cut.nest.plain(), cut.at.plain()) else {
            return Ok(None);
        };
        let sets = self.instances.sets()?;
        let is_inside = sets.iter().any(|set| set.tuple_name().as_deref() == Some(nest));
        let is_nest = usize::try_from(first) == Ok(self.outer.len() + 1);
        let position = usize::try_from(at - first).ok();
        Ok(position.filter(|_| is_inside && is_nest))
    }

    /// The instances divided by strips of a loop, where most of some sums are far.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn divided(&self, position: usize, size: i64, sums: &[String]) -> Result<Option<Cut>> {
        let loops = self.loops();
        let Some(member) = loops.get(position).copied() else { return Ok(None) };
        let instances = self.instances;
        let wanted = sums.to_vec();
        let (mut numbered, mut to_numbered) = (Vec::new(), Vec::new());
        for set in instances.sets()? {
            let new = self.numbered(&set, member, size)?;
            let all = Set::universe(&set.space()?)?;
            to_numbered.push(new.to_new(&self.numbered(&all, member, size)?.domain)?);
            numbered.push(new);
        }
        let order = self.order.moved(&UnionMap::union_all(to_numbered)?)?;
        let first = numbered.iter().map(|new| new.strip(1)).collect::<Result<Vec<_>>>()?;
        let strip = Member::new(UnionPwAff::union_all(first)?, false);
        let all = order;
        let order = all.within(&dates(std::slice::from_ref(&strip))?)?;
        let division = Division { place: self, numbered: &numbered, order: &order, size };
        let Some((before, sums)) = division.of(sums)? else { return Ok(None) };
        let is_coincident = all.among(&domain(&numbered)?)?.allows_any_order(&strip)?;
        let mut far = Vec::new();
        for (new, degree, instances) in sums {
            far.push(self.far(new, &order, instances, degree)?);
        }
        let sets = UnionSet::union_all(far.iter().map(|far| far.instances.clone()))?;
        let after = coalesced(&domain(&numbered)?.subtract(&before)?.subtract(&sets)?)?;
        let (member, sums) = (member.clone(), wanted);
        Ok(Some(Cut { member, position, size, is_coincident, sums, far, order, before, after }))
    }

    /// Instances with the number of their strip in front.
    fn numbered(&self, set: &Set, member: &Member, size: i64) -> Result<Lifted> {
        let name = set.tuple_name().unwrap_or_default();
        let inserted = set.insert_dims(DimType::SET, 0, 1)?.with_tuple_name(&name)?;
        let new = Lifted::named(&name, &name, &inserted, 1)?;
        let date = new.dates(&member.schedule)?;
        let offset = date.sub(&new.strip(size)?)?;
        let last = PwAff::constant_on(&Set::universe(&inserted.space()?)?, size - 1)?;
        let inside = offset.nonneg_set()?.intersect(&offset.le_set(&last)?)?;
        Ok(Lifted { domain: inserted.intersect(&inside)?, ..new })
    }

    /// From the instances of a statement to the iterations of the loops around, strips included.
    pub(super) fn groups(&self, new: &Lifted) -> Result<Map> {
        let mut groups = new.strip(1)?.to_map()?;
        for member in self.outer {
            let date = new.dates(&member.schedule)?;
            if date.n_piece()? > 0 {
                groups = groups.flat_range_product(&date.to_map()?)?;
            }
        }
        Ok(groups)
    }

    /// Far sums, with what their loops may do.
    fn far(&self, new: &Lifted, order: &Order, instances: Set, degree: u32) -> Result<Far> {
        let order = order.among(&instances.to_union_set()?)?;
        let own = only_lifted(self.tree, std::slice::from_ref(new))?;
        let (mut coincident, mut is_permutable) = (Vec::new(), true);
        for member in chain(&own) {
            let is_coincident = order.allows_any_order(member)?;
            is_permutable = is_permutable && (is_coincident || order.allows_outermost(member)?);
            coincident.push(is_coincident);
        }
        Ok(Far { instances, degree, coincident, is_permutable })
    }
}
