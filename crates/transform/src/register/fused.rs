//! Strips of rows that several nests share, so that what they all read comes in once.

use super::jam::in_lanes;
use super::nest::{self, domain};
use super::parts::{Coordinate, Strip};
use super::plan::{Nest, Plan};
use super::sizes::STRIP_ROWS;
use super::{Changed, Replaced, Tiling};
use crate::{Remark, Result, stmt_names};
use farkas_analysis::Affine;
use farkas_poly::{MultiUnionPwAff, UnionPwAff, UnionSet, Val};
use farkas_scop::{ArrayId, StmtId};
use farkas_steps::tile_member;
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};
use std::collections::BTreeSet;

/// A statement inside the loop over rows.
struct Inner {
    stmt: StmtId,
    instances: UnionSet,
    /// The loops inside that over rows.
    members: Vec<Member>,
}

/// A nest of a strip.
struct Piece {
    instances: UnionSet,
    tree: ScheduleTree,
    /// The first row of the strip.
    strip: UnionPwAff,
}

impl Tiling<'_> {
    /// The loop over rows at `tree` in strips, in each of which the statements inside have nests of their own, one after another;
    /// `None` where that does not fit it.
    ///
    /// **Rewrite**: loop `i` around loops `j` around `t[i] += A[i][j] * x[j]` and `y[j] += A[i][j] * t[i]` becomes a loop over
    /// strips of `i`, in which first the rows of the strip are summed up, as a register tile of rows, and then added to `y`, as
    /// one of columns: the rows come from memory once. Legal where no statement of a strip needs what a later one computes in it.
    pub(super) fn fused(
        &mut self,
        tree: &ScheduleTree,
        instances: &UnionSet,
    ) -> Result<Option<Changed>> {
        let Node::Band { band, child } = tree.node() else { return Ok(None) };
        let Some((rows, rest)) = band.members.split_first() else { return Ok(None) };
        let mut inner = Vec::new();
        if !self.is_whole || !self.collect(child, instances, rest, &mut inner)? {
            return Ok(None);
        }
        if !self.shares_matrix(&inner) || !self.may_divide(rows, &inner)? {
            return Ok(None);
        }
        let before = self.builder.clone();
        let (mut pieces, mut replaced) = (Vec::new(), Vec::new());
        for inner in &inner {
            let piece = match self.rows_of_strip(rows, inner)? {
                Some((piece, new)) => {
                    replaced.push(new);
                    piece
                }
                None => match self.others_of_strip(rows, inner)? {
                    Some(piece) => piece,
                    None => {
                        self.builder = before;
                        return Ok(None);
                    }
                },
            };
            pieces.push(piece);
        }
        if replaced.is_empty() {
            self.builder = before;
            return Ok(None);
        }
        let stmts = stmt_names(instances)?;
        let text = format!("strips of {STRIP_ROWS} rows, in which one nest follows another");
        self.remarks.push(Remark { pass: "register", stmts, text });
        let strips = UnionPwAff::union_all(
            pieces
                .iter()
                .map(|piece| piece.strip.pw_affs())
                .collect::<farkas_poly::Result<Vec<_>>>()?
                .into_iter()
                .flatten(),
        )?;
        let children = pieces.into_iter().map(|piece| (piece.instances, piece.tree)).collect();
        let points = ScheduleTree::mark(Mark::Point, ScheduleTree::sequence(children));
        let members = vec![Member::new(strips, rows.coincident)];
        let mut tree = ScheduleTree::band(Band { members, permutable: true }, points);
        if rows.coincident && self.parallel && !self.outer.iter().any(|member| member.coincident) {
            tree = ScheduleTree::mark(Mark::Parallel, tree);
        }
        tree = ScheduleTree::mark(Mark::Tile(vec![STRIP_ROWS]), tree);
        tree = ScheduleTree::mark(Mark::SeparateFullTiles, tree);
        Ok(Some(Changed { tree: ScheduleTree::mark(Mark::Shaped, tree), replaced }))
    }

    /// Adds the statements below, in the order of the program; says whether all are whole, each in one place and in at most one
    /// loop.
    fn collect(
        &self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        members: &[Member],
        found: &mut Vec<Inner>,
    ) -> Result<bool> {
        let inside = match tree.node() {
            Node::Leaf => {
                for set in instances.sets()? {
                    let name = set.tuple_name().unwrap_or_default();
                    let Some(stmt) = self.scop.stmt_by_name(&name) else { return Ok(false) };
                    let is_known = found.iter().any(|inner| inner.stmt == stmt);
                    if is_known || !self.scop.domain_of(stmt)?.is_subset(&set)? {
                        return Ok(false);
                    }
                    let (instances, members) = (set.to_union_set()?, members.to_vec());
                    found.push(Inner { stmt, instances, members });
                }
                return Ok(members.len() <= 1);
            }
            Node::Band { band, child } => {
                let members: Vec<Member> = members.iter().chain(&band.members).cloned().collect();
                return self.collect(child, instances, &members, found);
            }
            Node::Filter { filter, .. } => instances.intersect(filter)?,
            Node::Mark { mark: Mark::Shaped, .. } => return Ok(false),
            Node::Mark { .. } | Node::Sequence(_) => instances.clone(),
            _ => return Ok(false),
        };
        for child in tree.children() {
            if !self.collect(child, &inside, members, found)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether two of the statements with a loop of their own use the same array of several dimensions.
    fn shares_matrix(&self, inner: &[Inner]) -> bool {
        let mut seen: BTreeSet<ArrayId> = BTreeSet::new();
        inner.iter().filter(|inner| !inner.members.is_empty()).any(|inner| {
            let accesses = self.scop.stmts()[inner.stmt].accesses.iter();
            let used: BTreeSet<ArrayId> = accesses.map(|access| access.array).collect();
            let mut matrices = used.iter().filter(|id| self.scop.arrays()[**id].rank() > 1);
            let is_shared = matrices.any(|id| seen.contains(id));
            seen.extend(used);
            is_shared
        })
    }

    /// Whether statements may follow one another in each strip.
    fn may_divide(&self, rows: &Member, inner: &[Inner]) -> Result<bool> {
        let place = |stmt| inner.iter().position(|inner| inner.stmt == stmt);
        let mut same: Vec<UnionPwAff> = self.outer.iter().map(|m| m.schedule.clone()).collect();
        same.push(tile_member(rows, STRIP_ROWS)?.schedule);
        let same = MultiUnionPwAff::from_members(&same)?;
        for (_, dep) in self.deps.validity() {
            let (Some(source), Some(sink)) = (place(dep.source), place(dep.sink)) else { continue };
            let pairs = || dep.relation.to_union_map()?.eq_at_multi_union_pw_aff(&same);
            if source > sink && !pairs()?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A statement of a strip as a register tile of rows, where it is a sum along each of them.
    fn rows_of_strip(&mut self, rows: &Member, inner: &Inner) -> Result<Option<(Piece, Replaced)>> {
        let mut members = vec![Member { coincident: true, ..rows.clone() }];
        members.extend(inner.members.iter().cloned());
        let nest = Nest {
            scop: self.scop,
            stmt: inner.stmt,
            instances: inner.instances.clone(),
            outer: &self.outer,
            members,
        };
        let Some(plan) = Plan::of_rows(&nest, &self.registers)? else { return Ok(None) };
        let space = self.scop.stmts()[inner.stmt].domain.space()?;
        let row = Affine::of(&rows.schedule.extract_pw_aff(&space)?)?;
        let is_row = row.is_some_and(|row| row.is_exactly(plan.loops.row));
        let is_strip = plan.strips.len() == 1 && plan.sizes.rows == STRIP_ROWS;
        if !is_row || !is_strip || !plan.others.is_empty() || !plan.is_free(&nest)? {
            return Ok(None);
        }
        let depth = self.scop.stmts()[inner.stmt].depth();
        let Some(parts) = self.parts(inner.stmt, &plan)? else { return Ok(None) };
        let loops = nest::Loops { plan: &plan, parts: &parts, depth, parallel: false };
        let all: Vec<_> = parts.all().cloned().collect();
        let size = Val::int(STRIP_ROWS)?;
        let strips = all.iter().map(|part| -> Result<_> {
            Ok(part.value(Coordinate::Strip(Strip::Rows))?.scale_val(&size)?)
        });
        let piece = Piece {
            instances: domain(&all.iter().collect::<Vec<_>>())?,
            tree: loops.tile()?,
            strip: UnionPwAff::union_all(strips.collect::<Result<Vec<_>>>()?)?,
        };
        Ok(Some((piece, Replaced { stmt: inner.stmt, parts: all })))
    }

    /// Any other statement of a strip: in vector lanes where it adds the rows up, as it is where it has no loop of its own; `None`
    /// where neither.
    fn others_of_strip(&self, rows: &Member, inner: &Inner) -> Result<Option<Piece>> {
        let space = self.scop.stmts()[inner.stmt].domain.space()?;
        let of = |member: &Member| -> Result<Member> {
            let schedule = member.schedule.extract_pw_aff(&space)?.to_union_pw_aff()?;
            Ok(Member { schedule, ..member.clone() })
        };
        let rows = of(rows)?;
        let strip = tile_member(&rows, STRIP_ROWS)?.schedule;
        let instances = inner.instances.clone();
        let [lanes] = &inner.members[..] else {
            let band = Band { members: vec![rows], permutable: false };
            let tree = ScheduleTree::band(band, ScheduleTree::leaf());
            return Ok(Some(Piece { instances, tree, strip }));
        };
        let lanes = of(lanes)?;
        let nest = Nest {
            scop: self.scop,
            stmt: inner.stmt,
            instances: instances.clone(),
            outer: &self.outer,
            members: Vec::new(),
        };
        if self.site().columns(&lanes, &rows, &instances)?.is_none()
            || !nest.is_free_along(&[&lanes])?
        {
            return Ok(None);
        }
        let tree = in_lanes(&lanes, &rows, ScheduleTree::leaf());
        Ok(Some(Piece { instances, tree, strip }))
    }
}
