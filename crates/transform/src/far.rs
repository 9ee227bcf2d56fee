//! Loops whose statements run far apart.
//!
//! A loop over `i = first .. first + n` that shares its iterations with one over `j = 0 .. n` also runs through all that lies between,
//! for nothing: two milliards of iterations where `first` is near the greatest `int`. Such loops get a piece for each range. So do
//! loops of statements that run otherwise at sizes near the end of a type, where `i - n == 1` wraps: their ends for those sizes are
//! far from all others.

use crate::plan::mark;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result};
use farkas_analysis::Affine;
use farkas_poly::{AstLoopType, DimType, LinearRow, Set, UnionPwAff};
use farkas_scop::{Scop, StmtId};
use farkas_steps::LoopKind;
use farkas_tree::{Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parameters are multiples of this, so that instances between two whole ones are seen.
const SCALE: i64 = 1024;

/// Constants as large as this come from types and say nothing of sizes.
const LIMIT: i64 = 1 << 30;

/// Loops with a piece for each range of statements that run far apart: [`plan_pieces`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FarApart {}

impl Plans for FarApart {
    fn plan(&self, view: &View<'_>, _: &mut Vec<Remark>) -> Result<Proposal> {
        Ok(Proposal::Steps(plan_pieces(&view.program.scop, view.tree())?))
    }
}

/// Asks that loops have pieces of their own for statements that may run far apart however few iterations they have.
///
/// **Formulation** Along a direction in which parameters grow, a domain grows, or it moves as a whole: in its recession cone, which is
/// the domain without constants, there is then one point over the direction. Two statements in a loop run far apart if there is a
/// direction in which both domains move, and their dates in the loop differ. Pieces keep the order, so this is always legal.
///
/// # Errors
/// When isl refuses.
pub fn plan_pieces(scop: &Scop, tree: &ScheduleTree) -> Result<Plan> {
    let mut plan = Plan::none(tree);
    let mut cones = BTreeMap::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        cones.insert(id, Cone::of(scop, &stmt.domain)?);
    }
    if !cones.values().any(|cone| cone.has_moving_end || cone.has_extreme_part) {
        return Ok(plan);
    }
    let mut far = Far { scop, cones, moving: BTreeMap::new() };
    for cursor in tree.cursors() {
        let Node::Band { band, .. } = tree.at(&cursor)?.node() else { continue };
        for (at, member) in band.members.iter().enumerate() {
            if far.has_gaps(member)? {
                plan.steps.push(mark(&cursor, at, LoopKind::Pieces));
            }
        }
    }
    Ok(plan)
}

/// The recession cone of a domain: the constraints without their constants.
#[derive(Clone)]
struct Cone {
    depth: usize,
    /// For each convex piece its rows, without constants; parameters in the order of the scop.
    pieces: Vec<Vec<(LinearRow, bool)>>,
    /// Whether a lower end depends on a parameter, without which nothing moves.
    has_moving_end: bool,
    /// Whether a part of the domain is there for sizes alone that only types of C end, as `n = 4294967295`.
    has_extreme_part: bool,
}

/// What is known of a scop's statements.
struct Far<'a> {
    scop: &'a Scop,
    cones: BTreeMap<StmtId, Cone>,
    /// The directions in which a domain moves as a whole.
    moving: BTreeMap<StmtId, Set>,
}

impl Cone {
    /// That of a domain.
    fn of(scop: &Scop, domain: &Set) -> Result<Self> {
        let names = domain.space()?.param_names()?;
        let places: Vec<Option<usize>> = names
            .iter()
            .map(|name| scop.params().iter().position(|param| param.name == *name))
            .collect();
        let mut cone = Self {
            depth: domain.dim(DimType::SET)? as usize,
            pieces: Vec::new(),
            has_moving_end: false,
            has_extreme_part: false,
        };
        for piece in domain.basic_sets()? {
            let rows = piece.constraints()?;
            let equal = rows.equalities.iter().map(|row| (row, true));
            let mut own = Vec::new();
            for (row, is_equal) in equal.chain(rows.inequalities.iter().map(|row| (row, false))) {
                let says_nothing = row.dims.iter().all(|c| *c == 0)
                    || row.divs.iter().any(|c| *c != 0)
                    || row.constant.unsigned_abs() >= LIMIT.unsigned_abs();
                let is_lower = is_equal || row.constant < 0;
                cone.has_extreme_part |= is_lower
                    && row.constant.unsigned_abs() >= LIMIT.unsigned_abs()
                    && row.dims.iter().chain(&row.divs).all(|c| *c == 0);
                if says_nothing {
                    continue;
                }
                let mut params = vec![0; scop.params().len()];
                for (place, factor) in places.iter().zip(&row.params) {
                    if let Some(place) = place {
                        params[*place] = *factor;
                    }
                }
                cone.has_moving_end |=
                    params.iter().any(|c| *c != 0) && (is_equal || row.dims.iter().any(|c| *c > 0));
                own.push((LinearRow { constant: 0, params, ..row.clone() }, is_equal));
            }
            cone.pieces.push(own);
        }
        Ok(cone)
    }

    /// The condition that a point, its coordinates called by `name`, lies over a direction.
    fn contains(&self, name: &str) -> String {
        let row = |(row, is_equal): &(LinearRow, bool)| {
            let relation = if *is_equal { "=" } else { ">=" };
            format!("{} {relation} 0", sum(&row.params, &row.dims, name))
        };
        let piece = |rows: &Vec<(LinearRow, bool)>| {
            let rows: Vec<String> = rows.iter().map(row).collect();
            if rows.is_empty() { "0 = 0".to_owned() } else { rows.join(" and ") }
        };
        let pieces: Vec<String> =
            self.pieces.iter().map(|rows| format!("({})", piece(rows))).collect();
        if pieces.is_empty() { "1 = 0".to_owned() } else { format!("({})", pieces.join(" or ")) }
    }
}

/// A linear expression of a direction and of coordinates.
fn sum(params: &[i64], dims: &[i64], name: &str) -> String {
    let params = params
        .iter()
        .enumerate()
        .map(|(at, c)| format!("{} p{at}", i128::from(*c) * i128::from(SCALE)));
    let dims = dims.iter().enumerate().map(|(at, c)| format!("{c} {name}{at}"));
    let terms: Vec<String> = params.chain(dims).collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
}

impl Far<'_> {
    /// The directions for which there are such points.
    fn directions(&self, points: &[(&str, usize)], condition: &str) -> Result<Set> {
        let n = self.scop.params().len();
        let params: Vec<String> = (0..n).map(|at| format!("p{at}")).collect();
        let names = |(name, n): &(&str, usize)| (0..*n).map(|at| format!("{name}{at}")).collect();
        let points: Vec<Vec<String>> = points.iter().map(names).collect();
        let points = points.concat().join(", ");
        let condition = match points.is_empty() {
            true => condition.to_owned(),
            false => format!("exists ({points} : {condition})"),
        };
        Ok(format!("{{ [{}] : {condition} }}", params.join(", ")).parse()?)
    }

    /// The directions in which the domain of a statement moves as a whole.
    fn moving(&mut self, stmt: StmtId) -> Result<Set> {
        if let Some(known) = self.moving.get(&stmt) {
            return Ok(known.clone());
        }
        let cone = &self.cones[&stmt];
        let (own, other) = (cone.contains("i"), cone.contains("k"));
        let all = self.directions(&[("i", cone.depth)], &own)?;
        let differ: Vec<String> = (0..cone.depth).map(|at| format!("i{at} != k{at}")).collect();
        let moving = match differ.is_empty() {
            true => all,
            false => {
                let several = format!("{own} and {other} and ({})", differ.join(" or "));
                all.subtract(&self.directions(&[("i", cone.depth), ("k", cone.depth)], &several)?)?
            }
        };
        self.moving.insert(stmt, moving.clone());
        Ok(moving)
    }

    /// Whether statements of a loop may run far apart that has no pieces yet.
    fn has_gaps(&mut self, member: &Member) -> Result<bool> {
        if member.loop_type != AstLoopType::Default {
            return Ok(false);
        }
        let dates = dates(self.scop, &member.schedule)?;
        if dates.iter().any(|(stmt, _)| self.cones[stmt].has_extreme_part) {
            return Ok(true);
        }
        if !dates.iter().any(|(stmt, _)| self.cones[stmt].has_moving_end) {
            return Ok(false);
        }
        let kinds = self.kinds(&dates);
        for (at, first) in kinds.iter().enumerate() {
            for second in &kinds[at + 1..] {
                if self.are_far(first, second)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// One statement of each cone and date: the others run where it runs, but for constants.
    fn kinds<'d>(
        &self,
        dates: &'d [(StmtId, Option<Affine>)],
    ) -> Vec<&'d (StmtId, Option<Affine>)> {
        let mut kinds = BTreeMap::new();
        for dated in dates {
            let date = dated.1.as_ref().map(|date| (&date.params, &date.dims));
            kinds.entry((self.cones[&dated.0].contains("i"), date)).or_insert(dated);
        }
        kinds.into_values().collect()
    }

    /// Whether two statements with such dates may run far apart.
    fn are_far(
        &mut self,
        (first, date): &(StmtId, Option<Affine>),
        (second, other): &(StmtId, Option<Affine>),
    ) -> Result<bool> {
        let moving = self.moving(*first)?.intersect(&self.moving(*second)?)?;
        let (a, b) = (&self.cones[first], &self.cones[second]);
        let differ = match (date, other) {
            (Some(date), Some(other)) => {
                let text = |date: &Affine, name: &str| {
                    let params = self.scop.params().iter();
                    let params = params.map(|p| date.params.get(&p.name).copied().unwrap_or(0));
                    sum(&params.collect::<Vec<_>>(), &date.dims, name)
                };
                format!("{} != {}", text(date, "i"), text(other, "k"))
            }
            // Of loops over tiles and the like: where one of them moves otherwise than the other.
            _ if a.depth == b.depth && a.depth > 0 => {
                let parts: Vec<String> = (0..a.depth).map(|at| format!("i{at} != k{at}")).collect();
                format!("({})", parts.join(" or "))
            }
            _ => {
                let own = (0..a.depth).map(|at| format!("i{at} != 0"));
                let parts: Vec<String> =
                    own.chain((0..b.depth).map(|at| format!("k{at} != 0"))).collect();
                format!("({})", if parts.is_empty() { "1 = 0".into() } else { parts.join(" or ") })
            }
        };
        let condition = format!("{} and {} and {differ}", a.contains("i"), b.contains("k"));
        let far = self.directions(&[("i", a.depth), ("k", b.depth)], &condition)?;
        Ok(!far.intersect(&moving)?.is_empty()?)
    }
}

/// The statements of a loop with their dates, where these are affine.
fn dates(scop: &Scop, schedule: &UnionPwAff) -> Result<Vec<(StmtId, Option<Affine>)>> {
    let mut found = Vec::new();
    for part in schedule.pw_affs()? {
        let name = part.domain_space()?.tuple_name(DimType::SET);
        let Some(stmt) = name.and_then(|name| scop.stmt_by_name(&name)) else { continue };
        found.push((stmt, Affine::of(&part)?));
    }
    Ok(found)
}
