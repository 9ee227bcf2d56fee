//! What is known of the loops around the statements of a normal form.

use crate::Result;
use crate::label::Sheet;
use crate::lift::{Lift, Place};
use crate::names::Names;
use farkas_poly::{DimType, MultiUnionPwAff, Set, UnionMap, UnionPwAff, Val};
use farkas_scop::StmtId;
use farkas_tree::{Node, ScheduleTree};
use std::collections::BTreeMap;

/// A loop around a statement.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Loop {
    /// Whether dependences that fix an order lead from iterations to later ones.
    pub(super) is_carried: bool,
    /// Whether dependences lead to later iterations whose order is free.
    pub(super) is_reduced: bool,
    /// Whether dependences that loops around it carry lead to earlier iterations of it.
    pub(super) turns_back: bool,
}

/// A statement with the loops around it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The statement.
    pub(super) stmt: StmtId,
    /// Its text by itself.
    pub(super) text: String,
    /// The loops around it, from outside in.
    pub(super) loops: Vec<Loop>,
    /// How many iterations each has at most, those of its own behind them.
    pub(super) extents: Vec<f64>,
}

/// Where sizes are not known, a loop has so many iterations.
const UNKNOWN: f64 = 1000.0;

/// No loop counts for more iterations, so that products stay finite.
const MOST: f64 = 1.0e9;

/// The statements of a program of which something comes, each as often as it stands somewhere.
pub(super) struct Walk<'a, 'p> {
    pub(super) lift: &'a Lift<'p>,
    /// What parameters are taken to be.
    pub(super) sizes: &'a BTreeMap<String, i64>,
    pub(super) found: Vec<Found>,
}

impl Walk<'_, '_> {
    /// Adds those of a tree, inside of some loops.
    pub(super) fn collect(
        &mut self,
        tree: &ScheduleTree,
        place: &Place,
        around: &[Loop],
    ) -> Result<()> {
        let mut place = place.clone();
        let mut loops = around.to_vec();
        match tree.node() {
            Node::Domain { domain, .. } => place.instances = domain.clone(),
            Node::Filter { filter, .. } => place = place.of(filter)?,
            Node::Leaf => return self.leaf(&place, &loops),
            Node::Band { band, .. } => {
                for member in &band.members {
                    loops.push(self.loop_of(&member.schedule, &place)?);
                    place = place.inside_loop(&member.schedule)?;
                }
            }
            _ => {}
        }
        tree.children().iter().try_for_each(|child| self.collect(child, &place, &loops))
    }

    /// Adds the statements of a leaf.
    fn leaf(&mut self, place: &Place, loops: &[Loop]) -> Result<()> {
        let scop = &self.lift.program.scop;
        for stmt in scop.stmts().ids() {
            let instances = place.instances.extract_set(&scop.stmts()[stmt].domain.space()?)?;
            if !self.lift.is_live[stmt] || instances.is_empty()? {
                continue;
            }
            let mut names = Names::new(scop, &self.lift.layouts);
            let body = self.lift.stmt(stmt, &instances, place, &mut names)?;
            let depth = place.dates.len();
            let declarations = names.declarations()?;
            let text = Sheet { depth, body, declarations, names: names.named }.labelled().text;
            let extents = self.extents(&instances, place)?;
            self.found.push(Found { stmt, text, loops: loops.to_vec(), extents });
        }
        Ok(())
    }

    /// How many iterations the loops around instances have at most.
    fn extents(&self, instances: &Set, place: &Place) -> Result<Vec<f64>> {
        let mut iterations = instances.apply(&place.dates_of(instances)?)?;
        for (name, value) in self.sizes {
            if let Some(at) = iterations.find_param(name) {
                iterations = iterations.fix_val(DimType::Param, at, &Val::int(*value)?)?;
            }
        }
        let rank = iterations.dim(DimType::SET)?;
        if iterations.is_empty()? {
            return Ok(vec![0.0; rank as usize]);
        }
        let extent = |at| -> Result<f64> {
            let ends = (iterations.dim_min_val(at)?, iterations.dim_max_val(at)?);
            Ok(match (ends.0.to_small_int()?, ends.1.to_small_int()?) {
                (Some(first), Some(last)) => (last as f64 - first as f64 + 1.0).clamp(0.0, MOST),
                _ => UNKNOWN,
            })
        };
        (0..i32::try_from(rank).unwrap_or(i32::MAX)).map(extent).collect()
    }

    /// What dependences say of a loop at a place.
    fn loop_of(&self, dates: &UnionPwAff, place: &Place) -> Result<Loop> {
        let dates = MultiUnionPwAff::from_members(std::slice::from_ref(dates))?.to_union_map()?;
        let dates = dates.intersect_domain(&place.instances)?;
        let together = place.together()?;
        let mut found = Loop::default();
        for dep in self.lift.deps.deps.iter().filter(|dep| dep.kind.is_validity()) {
            if !self.lift.is_live[dep.source] || !self.lift.is_live[dep.sink] {
                continue;
            }
            let pairs = dep.relation.to_union_map()?;
            let within = match &together {
                Some(together) => pairs.intersect(together)?,
                None => pairs.clone(),
            };
            let [forward, _] = directions(&within, &dates)?;
            if dep.is_order() && dep.relaxed.is_none() {
                found.is_carried |= forward;
                found.turns_back |= directions(&pairs, &dates)?[1];
            } else {
                found.is_reduced |= forward;
            }
        }
        Ok(found)
    }
}

/// Whether some pairs lead to later iterations, and whether some lead to earlier ones.
fn directions(pairs: &UnionMap, dates: &UnionMap) -> Result<[bool; 2]> {
    let moves = dates.reverse()?.apply_range(pairs)?.apply_range(dates)?;
    let mut found = [false; 2];
    for moved in moves.maps()? {
        let deltas = moved.deltas()?;
        if deltas.is_empty()? {
            continue;
        }
        let (least, most) = (deltas.dim_min_val(0)?, deltas.dim_max_val(0)?);
        // Where there is no end, there are such of either sign on its side.
        found[0] |= most.to_small_int()?.is_none_or(|most| most > 0);
        found[1] |= least.to_small_int()?.is_none_or(|least| least < 0);
    }
    Ok(found)
}
