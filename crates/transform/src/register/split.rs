//! Which sums stand in loops of their own, so that register tiles fit them.
//!
//! Sums that register tiles with packed operands fit are set apart from what computes these (`SplitSums` of `farkas-steps`), in strips, and in what
//! comes before in these in narrower ones. Sums of vectors, which register tiles of rows fit, are cut so where they need
//! others of the same statement, as in the solution of a triangular system.

use super::operands::Loops;
use super::plan::{Nest, Plan};
use super::sizes::Registers;
use crate::view::{Plans, Proposal, Setting, View};
use crate::{Remark, Result, stmt_names};
use farkas_analysis::Affine;
use farkas_deps::Dependences;
use farkas_poly::UnionSet;
use farkas_scop::{BodyStmt, Scop, StmtId};
use farkas_steps::{Lifted, Order, Place, Step, StripCut, only_lifted, summed};
use farkas_tree::{Member, Program};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Each strip is so many times as wide as those inside it, where these are as wide as a register tile all the same;
const RATIO: i64 = 8;
/// and so many times at least.
const MIN_RATIO: i64 = 2;

/// Sums whose operands are ready in loops of their own, which register tiles fit: step `split-sums`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitSums {}

impl Plans for SplitSums {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Setting { scop, machine, .. } = view.setting;
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        if view.program.scop != *scop {
            return Ok(Proposal::Nothing);
        }
        let plan = split_sums(view.program, deps, Registers::of(machine), remarks)?;
        Ok(plan.map_or(Proposal::Nothing, Proposal::Steps))
    }
}

/// The plan that splits the sums of a program; `None` where there are none to split.
fn split_sums(
    program: &Program,
    deps: &Dependences,
    registers: Registers,
    remarks: &mut Vec<Remark>,
) -> Result<Option<crate::Plan>> {
    let mut sums = Vec::new();
    for stmt in program.scop.stmts() {
        if let [BodyStmt::Assign { target, .. }] = stmt.body.as_slice()
            && summed(stmt, *target)?.is_some()
        {
            sums.push(stmt.name.clone());
        }
    }
    if sums.is_empty() {
        return Ok(None);
    }
    let found = farkas_steps::SplitSums::chosen(program, deps, &mut |place| -> Result<_> {
        let best = Cutting { place, registers: &registers, sums: &sums }.best()?;
        if let Some(cut) = &best {
            remarks.push(remark(cut, place.scop)?);
        }
        Ok(best)
    })?;
    Ok(found.map(|(step, done)| crate::Plan {
        steps: vec![Step::SplitSums(step)],
        is_decided: true,
        program: Some(done),
        ..crate::Plan::none(&program.tree)
    }))
}

/// What is done.
fn remark(cut: &StripCut, scop: &Scop) -> Result<Remark> {
    let sets = cut.far.iter().map(|far| far.instances.clone());
    let stmts = stmt_names(&UnionSet::union_all(sets)?)?;
    let mut of = None;
    if let Some(id) = stmts.first().and_then(|name| scop.stmt_by_name(name)) {
        let stmt = &scop.stmts()[id];
        of = cut.iterator_of(stmt)?.and_then(|at| stmt.iterators.get(at));
    }
    let of = of.map_or("iterations", |iterator| iterator.name.as_str());
    let text = format!(
        "strips of {} {of}: sums of what is computed by then have loops of their own",
        cut.size
    );
    Ok(Remark { pass: "register", stmts, text })
}

/// What makes a cut better than another one: the sums and the directions that are far, and how few come before.
fn merit(cut: &StripCut) -> (usize, u32) {
    (cut.far.len(), cut.far.iter().map(|far| far.degree).sum())
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
struct Cutting<'a> {
    place: &'a Place<'a>,
    registers: &'a Registers,
    /// The names of the statements that sum something up, in the order of the program.
    sums: &'a [String],
}

impl Cutting<'_> {
    /// The best way to cut the loops; `None` where there is none, or no need.
    fn best(&self) -> Result<Option<StripCut>> {
        let packed = self.packed_sums()?;
        if packed.is_none() && self.place.strip.is_some() {
            return Ok(None);
        }
        let inside = self.place.order.among(self.place.instances)?;
        let found = match packed {
            None => self.recurrent_sums(&inside)?,
            packed => packed,
        };
        let Some(Sums { size, names: sums, tiles }) = found else { return Ok(None) };
        if !inside.entangles(&sums) {
            return Ok(None);
        }
        let most = self.most(&sums)?;
        let mut best: Option<(StripCut, bool)> = None;
        for (position, member) in self.place.loops().into_iter().enumerate() {
            let is_best = |(cut, is_narrow): &(StripCut, bool)| {
                most.is_some_and(|most| merit(cut) >= most) && (*is_narrow || !cut.is_coincident)
            };
            if best.as_ref().is_some_and(is_best) {
                break;
            }
            if !inside.allows_outermost(member)? {
                continue;
            }
            let Some(cut) = self.place.divided(position, size, &sums)? else { continue };
            let is_narrow = cut.is_coincident && !self.is_tiled(&cut, &tiles)?;
            let own = (merit(&cut), is_narrow);
            if best.as_ref().is_none_or(|(best, is_narrow)| own > (merit(best), *is_narrow)) {
                best = Some((cut, is_narrow));
            }
        }
        match best {
            Some((cut, true)) => self.narrowed(cut).map(Some),
            best => Ok(best.map(|(cut, _)| cut)),
        }
    }

    /// Whether a cut runs through a loop of register tiles of some sum.
    fn is_tiled(&self, cut: &StripCut, tiles: &[(StmtId, Loops)]) -> Result<bool> {
        for (stmt, loops) in tiles {
            let iterator = cut.iterator_of(&self.place.scop.stmts()[*stmt])?;
            if loops.all().any(|at| Some(at) == iterator) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A cut whose strips may run in any order, in strips of one iteration: no sum runs through several, so that wide ones
    /// bring nothing, and caches keep what the parts of a narrow one hand to one another.
    fn narrowed(&self, cut: StripCut) -> Result<StripCut> {
        let narrow = self.place.divided(cut.position, 1, &cut.sums)?;
        let narrow = narrow.filter(|narrow| narrow.is_coincident && merit(narrow) >= merit(&cut));
        Ok(narrow.unwrap_or(cut))
    }

    /// A merit that no cut of the loops exceeds: all sums are far, in all directions but those that loops around fix,
    /// and one that is cut. `None` where that cannot be told.
    fn most(&self, sums: &[String]) -> Result<Option<(usize, u32)>> {
        let mut directions = 0;
        for name in sums {
            let Some(id) = self.place.scop.stmt_by_name(name) else { return Ok(None) };
            let stmt = &self.place.scop.stmts()[id];
            let space = stmt.domain.space()?;
            let row = |member: &Member| Affine::of(&member.schedule.extract_pw_aff(&space)?);
            let around =
                self.place.outer.iter().map(row).collect::<farkas_analysis::Result<Vec<_>>>()?;
            let is_fixed = |at: &usize| around.iter().flatten().any(|row| row.is_shifted(*at));
            let left: Vec<usize> = (0..stmt.depth()).filter(|at| !is_fixed(at)).collect();
            for member in self.place.loops() {
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
    fn packed_sums(&self) -> Result<Option<Sums>> {
        self.sums_with(|_, nest| {
            let plan = Plan::packed(nest, self.registers)?;
            Ok(plan.and_then(|plan| {
                let unit = plan.sizes.tile_unit();
                let size = match self.place.strip {
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
    fn recurrent_sums(&self, order: &Order) -> Result<Option<Sums>> {
        self.sums_with(|name, nest| {
            if !order.is_recurrent(name) {
                return Ok(None);
            }
            let plan = Plan::of_rows(nest, self.registers)?;
            Ok(plan.map(|plan| (plan.sizes.depth_block, plan.loops)))
        })
    }

    /// The sums among some instances for which `strip` gives the size of strips that suits register tiles of theirs, and the tiles'
    /// loops; `None` where there are none, or strips cannot be cut.
    fn sums_with(
        &self,
        strip: impl Fn(&str, &Nest<'_>) -> Result<Option<(i64, Loops)>>,
    ) -> Result<Option<Sums>> {
        let mut sums = Sums { size: i64::MAX, names: Vec::new(), tiles: Vec::new() };
        for set in self.place.instances.sets()? {
            let name = set.tuple_name().unwrap_or_default();
            let Some(id) = self.place.scop.stmt_by_name(&name) else { return Ok(None) };
            // The check knows nothing of text.
            let is_text = |part: &BodyStmt| matches!(part, BodyStmt::Text(_));
            let stmt = &self.place.scop.stmts()[id];
            if stmt.body.iter().any(is_text) || !self.place.scop.domain_of(id)?.is_subset(&set)? {
                return Ok(None);
            }
            if !self.sums.contains(&name) {
                continue;
            }
            let own = only_lifted(self.place.tree, &[Lifted::same(&set)?])?;
            let own = Place { tree: &own, ..*self.place };
            let members = own.loops();
            let members = members.into_iter().map(|m| Member { coincident: true, ..m.clone() });
            let nest = Nest {
                scop: self.place.scop,
                stmt: id,
                instances: set.to_union_set()?,
                outer: self.place.outer,
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
}
