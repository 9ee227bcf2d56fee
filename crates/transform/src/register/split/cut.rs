//! Which loop is cut into strips, and how the instances of a strip are divided.

use super::super::operands::Loops;
use super::super::plan::{Nest, Plan};
use super::super::sizes::Registers;
use super::division::Division;
use super::order::{Order, coalesced};
use super::{chain, dates, domain};
use crate::{Remark, Result, stmt_names};
use farkas_analysis::Affine;
use farkas_poly::{DimType, Map, PwAff, Set, UnionMap, UnionPwAff, UnionSet};
use farkas_scop::{BodyStmt, Scop, Statement, StmtId, linear_part};
use farkas_steps::{Lifted, only_lifted};
use farkas_tree::{Member, ScheduleTree};

/// Each strip is so many times as wide as those inside it, where these are as wide as a register tile all the same;
const RATIO: i64 = 8;
/// and so many times at least.
const MIN_RATIO: i64 = 2;

/// A loop that is cut into strips. All instances have the number of their strip in front.
pub(super) struct Cut {
    /// The loop that is cut.
    member: Member,
    /// Its position among the loops one inside the other.
    pub(super) position: usize,
    pub(super) size: i64,
    pub(super) is_coincident: bool,
    /// What must stay in order within a strip.
    pub(super) order: Order,
    pub(super) before: UnionSet,
    pub(super) far: Vec<Far>,
    pub(super) after: UnionSet,
}

/// Sums of a statement whose operands are computed before.
pub(super) struct Far {
    pub(super) instances: Set,
    /// For each loop around them, whether its iterations may run in any order.
    pub(super) coincident: Vec<bool>,
    /// In how many directions they extend.
    degree: u32,
}

impl Cut {
    /// The position of the iterator of a statement that is cut.
    pub(super) fn iterator_of(&self, stmt: &Statement) -> Result<Option<usize>> {
        let date = self.member.schedule.extract_pw_aff(&stmt.domain.space()?)?;
        let coefficients = linear_part(&date)?.unwrap_or_default();
        Ok(coefficients.iter().position(|c| *c != 0))
    }

    /// What is done.
    pub(super) fn remark(&self, scop: &Scop) -> Result<Remark> {
        let sets = self.far.iter().map(|far| far.instances.clone());
        let stmts = stmt_names(&UnionSet::union_all(sets)?)?;
        let mut of = None;
        if let Some(id) = stmts.first().and_then(|name| scop.stmt_by_name(name)) {
            let stmt = &scop.stmts()[id];
            of = self.iterator_of(stmt)?.and_then(|at| stmt.iterators.get(at));
        }
        let of = of.map_or("iterations", |iterator| iterator.name.as_str());
        let text = format!(
            "strips of {} {of}: sums of what is computed by then have loops of their own",
            self.size
        );
        Ok(Remark { pass: "register", stmts, text })
    }

    /// What makes it better than another one: the sums and the directions that are far, and how few come before.
    fn merit(&self) -> (usize, u32) {
        (self.far.len(), self.far.iter().map(|far| far.degree).sum())
    }
}

/// Sums that strips set apart.
struct Sums {
    /// The size of the strips.
    size: i64,
    /// The names of the statements.
    names: Vec<String>,
    /// The loops of their register tiles.
    tiles: Vec<(StmtId, Loops)>,
}

/// The search for a cut.
pub(super) struct Cutting<'a> {
    pub(super) scop: &'a Scop,
    pub(super) registers: &'a Registers,
    /// The names of the statements that sum something up.
    pub(super) sums: &'a [String],
    /// The members around the place.
    pub(super) outer: &'a [Member],
    /// The size of the strips around the place.
    pub(super) strip: Option<i64>,
}

impl Cutting<'_> {
    /// The best way to cut the loops at `tree`; `None` where there is none, or no need. `order` may be that among more instances:
    /// what others use comes before, too, so that all strips are divided alike.
    pub(super) fn best(
        &self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        order: &Order,
    ) -> Result<Option<Cut>> {
        let packed = self.packed_sums(tree, instances)?;
        if packed.is_none() && self.strip.is_some() {
            return Ok(None);
        }
        let inside = order.among(instances)?;
        let found = match packed {
            None => self.recurrent_sums(tree, instances, &inside)?,
            packed => packed,
        };
        let Some(Sums { size, names: sums, tiles }) = found else { return Ok(None) };
        if !inside.entangles(&sums) {
            return Ok(None);
        }
        let most = self.most(tree, &sums)?;
        let mut best: Option<(Cut, bool)> = None;
        for (position, member) in chain(tree).into_iter().enumerate() {
            let is_best = |(cut, is_narrow): &(Cut, bool)| {
                most.is_some_and(|most| cut.merit() >= most) && (*is_narrow || !cut.is_coincident)
            };
            if best.as_ref().is_some_and(is_best) {
                break;
            }
            if !inside.allows_outermost(member)? {
                continue;
            }
            let divided = self.divided(tree, member, size, order, &sums, instances)?;
            let Some(cut) = divided.map(|cut| Cut { position, ..cut }) else { continue };
            let is_narrow = cut.is_coincident && !self.is_tiled(&cut, &tiles)?;
            let merit = (cut.merit(), is_narrow);
            if best.as_ref().is_none_or(|(best, is_narrow)| merit > (best.merit(), *is_narrow)) {
                best = Some((cut, is_narrow));
            }
        }
        match best {
            Some((cut, true)) => self.narrowed(cut, tree, (order, &sums), instances).map(Some),
            best => Ok(best.map(|(cut, _)| cut)),
        }
    }

    /// Whether a cut runs through a loop of register tiles of some sum.
    fn is_tiled(&self, cut: &Cut, tiles: &[(StmtId, Loops)]) -> Result<bool> {
        for (stmt, loops) in tiles {
            let iterator = cut.iterator_of(&self.scop.stmts()[*stmt])?;
            if loops.all().any(|at| Some(at) == iterator) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A cut whose strips may run in any order, in strips of one iteration: no sum runs through several, so that wide ones
    /// bring nothing, and caches keep what the parts of a narrow one hand to one another.
    fn narrowed(
        &self,
        cut: Cut,
        tree: &ScheduleTree,
        (order, sums): (&Order, &[String]),
        instances: &UnionSet,
    ) -> Result<Cut> {
        let narrow = self.divided(tree, &cut.member, 1, order, sums, instances)?;
        let narrow = narrow.filter(|narrow| narrow.is_coincident && narrow.merit() >= cut.merit());
        let position = cut.position;
        Ok(narrow.map_or(cut, |narrow| Cut { position, ..narrow }))
    }

    /// A merit that no cut of the loops at `tree` exceeds: all sums are far, in all directions but those that loops around fix,
    /// and one that is cut. `None` where that cannot be told.
    fn most(&self, tree: &ScheduleTree, sums: &[String]) -> Result<Option<(usize, u32)>> {
        let mut directions = 0;
        for name in sums {
            let Some(id) = self.scop.stmt_by_name(name) else { return Ok(None) };
            let stmt = &self.scop.stmts()[id];
            let space = stmt.domain.space()?;
            let row = |member: &Member| Affine::of(&member.schedule.extract_pw_aff(&space)?);
            let around = self.outer.iter().map(row).collect::<farkas_analysis::Result<Vec<_>>>()?;
            let is_fixed = |at: &usize| around.iter().flatten().any(|row| row.is_shifted(*at));
            let left: Vec<usize> = (0..stmt.depth()).filter(|at| !is_fixed(at)).collect();
            for member in chain(tree) {
                let moves = |row: Affine| left.iter().any(|at| row.involves(*at));
                if !row(member)?.is_some_and(moves) {
                    return Ok(None);
                }
            }
            directions += u32::try_from(left.len().saturating_sub(1)).unwrap_or(u32::MAX);
        }
        Ok(Some((sums.len(), directions)))
    }

    /// The sums among some instances that register tiles with packed operands fit.
    fn packed_sums(&self, tree: &ScheduleTree, instances: &UnionSet) -> Result<Option<Sums>> {
        self.sums(tree, instances, |_, nest| {
            let plan = Plan::packed(nest, self.registers)?;
            Ok(plan.and_then(|plan| {
                let unit = plan.sizes.tile_unit();
                let size = match self.strip {
                    None => plan.sizes.depth_block / 2,
                    Some(around) if around < MIN_RATIO * unit => return None,
                    Some(around) => around / RATIO,
                };
                Some((size.max(unit) / unit * unit, plan.loops))
            }))
        })
    }

    /// The sums among some instances that depend on others of the same statement, as in the solution of a triangular system, and that
    /// register tiles of rows alone fit. Strips of theirs stand in no others.
    fn recurrent_sums(
        &self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        order: &Order,
    ) -> Result<Option<Sums>> {
        self.sums(tree, instances, |name, nest| {
            if !order.is_recurrent(name) {
                return Ok(None);
            }
            let plan = Plan::of_rows(nest, self.registers)?;
            Ok(plan.map(|plan| (plan.sizes.depth_block, plan.loops)))
        })
    }

    /// The sums among some instances for which `strip` gives the size of strips that suits register tiles of theirs, and the tiles'
    /// loops; `None` where there are none, or strips cannot be cut.
    fn sums(
        &self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        strip: impl Fn(&str, &Nest<'_>) -> Result<Option<(i64, Loops)>>,
    ) -> Result<Option<Sums>> {
        let mut sums = Sums { size: i64::MAX, names: Vec::new(), tiles: Vec::new() };
        for set in instances.sets()? {
            let name = set.tuple_name().unwrap_or_default();
            let Some(id) = self.scop.stmt_by_name(&name) else { return Ok(None) };
            // The check knows nothing of text.
            let is_text = |part: &BodyStmt| matches!(part, BodyStmt::Text(_));
            let stmt = &self.scop.stmts()[id];
            if stmt.body.iter().any(is_text) || !self.scop.domain_of(id)?.is_subset(&set)? {
                return Ok(None);
            }
            if !self.sums.contains(&name) {
                continue;
            }
            let own = only_lifted(tree, &[Lifted::same(&set)?])?;
            let members = chain(&own).into_iter().map(|m| Member { coincident: true, ..m.clone() });
            let nest = Nest {
                scop: self.scop,
                stmt: id,
                instances: set.to_union_set()?,
                outer: self.outer,
                members: members.collect(),
            };
            if let Some((size, loops)) = strip(&name, &nest)? {
                sums.size = sums.size.min(size);
                sums.tiles.push((id, loops));
                sums.names.push(name);
            }
        }
        Ok((!sums.names.is_empty()).then_some(sums))
    }

    /// The instances divided by strips of a loop, where most of some sums are far.
    fn divided(
        &self,
        tree: &ScheduleTree,
        member: &Member,
        size: i64,
        order: &Order,
        sums: &[String],
        instances: &UnionSet,
    ) -> Result<Option<Cut>> {
        let (mut numbered, mut to_numbered) = (Vec::new(), Vec::new());
        for set in instances.sets()? {
            let new = self.numbered(&set, member, size)?;
            let all = Set::universe(&set.space()?)?;
            to_numbered.push(new.to_new(&self.numbered(&all, member, size)?.domain)?);
            numbered.push(new);
        }
        let order = order.moved(&UnionMap::union_all(to_numbered)?)?;
        let first =
            numbered.iter().map(|new| new.strip(1)).collect::<farkas_steps::Result<Vec<_>>>()?;
        let strip = Member::new(UnionPwAff::union_all(first)?, false);
        let all = order;
        let order = all.within(&dates(std::slice::from_ref(&strip))?)?;
        let division = Division { cutting: self, numbered: &numbered, order: &order, size };
        let Some((before, sums)) = division.of(sums)? else { return Ok(None) };
        let is_coincident = all.among(&domain(&numbered)?)?.allows_any_order(&strip)?;
        let mut far = Vec::new();
        for (new, degree, instances) in sums {
            let coincident = self.coincident(tree, new, &order, &instances)?;
            far.push(Far { instances, coincident, degree });
        }
        let sets = UnionSet::union_all(far.iter().map(|far| far.instances.clone()))?;
        let after = coalesced(&domain(&numbered)?.subtract(&before)?.subtract(&sets)?)?;
        let member = member.clone();
        Ok(Some(Cut { member, position: 0, size, is_coincident, order, before, far, after }))
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

    /// For each loop around some sums, whether its iterations may run in any order.
    fn coincident(
        &self,
        tree: &ScheduleTree,
        new: &Lifted,
        order: &Order,
        instances: &Set,
    ) -> Result<Vec<bool>> {
        let order = order.among(&instances.to_union_set()?)?;
        let own = only_lifted(tree, std::slice::from_ref(new))?;
        chain(&own).into_iter().map(|member| order.allows_any_order(member)).collect()
    }
}
