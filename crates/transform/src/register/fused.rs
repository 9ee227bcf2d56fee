//! Strips of rows that several nests share, so that what they all read comes in once.

use super::Tiling;
use super::cells::cells;
use super::nest::{Steps, Tiled};
use super::plan::{Nest, Plan, member_rows};
use super::sizes::{MAX_SUMS, STRIP_ROWS, strip_rows};
use crate::partials::{Dealt, usual_parts};
use crate::plan::Draft;
use crate::updates::Updates;
use crate::view::View;
use crate::{Remark, Result, stmt_names};
use farkas_analysis::Affine;
use farkas_base::NameGenerator;
use farkas_poly::{MultiUnionPwAff, UnionPwAff, UnionSet};
use farkas_scop::{ArrayId, Scop, StmtId};
use farkas_steps::{
    Distribute, Interchange, LoopAddress, LoopKind, Mark as MarkStep, Step, Tile, tile_member,
};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use std::collections::BTreeSet;

/// The number of a loop, as addresses have it.
pub(super) fn position(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A statement inside the loop over rows.
struct Inner {
    stmt: StmtId,
    instances: UnionSet,
    /// The loops inside that over rows.
    members: Vec<Member>,
}

/// What becomes of a statement in a strip.
pub(super) enum Piece {
    /// A register tile of rows.
    Rows(Plan, Vec<Affine>),
    /// Columns in vector lanes, which add the rows up.
    Columns,
    /// It stays as it is.
    Single,
}

/// Statements that go through the rows of a strip together, in the order of the program.
pub(super) type Pass = Vec<(StmtId, Piece)>;

/// How many sums along rows there are in a pass.
fn n_sums(pass: &Pass) -> usize {
    pass.iter().filter(|(_, piece)| matches!(piece, Piece::Rows(..))).count()
}

/// A loop over rows in strips, through which the statements inside go in passes, one after another.
pub(super) struct Strips {
    pub(super) passes: Vec<Pass>,
    /// The rows of a strip.
    pub(super) rows: i64,
    /// What each row of a strip has a cell of.
    pub(super) variables: Vec<String>,
    /// How many loops are around.
    pub(super) n_outer: usize,
    pub(super) threads: Threads,
}

/// How strips run on threads.
pub(super) enum Threads {
    /// They do not.
    None,
    /// The loop over strips is parallel.
    Parallel,
    /// Strips are dealt out to parts, which gather what they add to the same elements in cells of their own.
    Dealt(Dealt),
}

impl Strips {
    /// The steps.
    ///
    /// **Steps**: loop `i` around loops `j` around `t[i] += A[i][j] * x[j]` and `y[j] += A[i][j] * t[i]` becomes a loop over
    /// strips of `i` (`tile`), in which each statement has loops of its own (`distribute`): first the rows of the strip are summed
    /// up, as a register tile of rows, and then added to `y`, as one of columns: the rows come from memory once. Legal where no
    /// statement of a strip needs what a later one computes in it. Statements that need nothing of each other share the loop `j`, and are
    /// apart inside it: the rows come from caches once, too. Variables that rows sum up in have a cell for each row of a strip (`expand`). Where the loop over rows carries nothing but updates whose order is free,
    /// strips are dealt out to threads (`cyclic`, `privatise`).
    pub(super) fn steps(
        &self,
        scop: &Scop,
        names: &mut NameGenerator,
        draft: &mut Draft<'_>,
    ) -> Result<()> {
        let name = |stmt: StmtId| &scop.stmts()[stmt].name;
        let Some((first, _)) = self.passes.iter().flatten().next() else { return Ok(()) };
        let rows = LoopAddress::new(name(*first), position(self.n_outer + 1));
        draft.apply(Step::Tile(Tile { first: rows.clone(), sizes: vec![self.rows] }))?;
        if let Threads::Dealt(dealt) = &self.threads {
            dealt.apply(draft, rows, self.rows)?;
        }
        let at = |stmt, position| self.at(name(stmt), position);
        cells(draft, &at(*first, 2), &self.variables)?;
        let together = |pass: &Pass| pass.iter().map(|(stmt, _)| name(*stmt).clone()).collect();
        let groups = self.passes.iter().map(together).collect();
        draft.apply(Step::Distribute(Distribute { at: at(*first, 2), groups }))?;
        for pass in &self.passes {
            self.of_pass(scop, pass, names).all().into_iter().try_for_each(|s| draft.apply(s))?;
        }
        let mut last = Steps::default();
        last.marks.push((at(*first, 1), LoopKind::FullTilesApart));
        if matches!(self.threads, Threads::Parallel) {
            last.marks.push((at(*first, 1), LoopKind::Parallel));
        }
        last.marks.push((at(*first, 1), LoopKind::Shaped));
        last.all().into_iter().try_for_each(|step| draft.apply(step))
    }

    /// The steps for statements, once they have loops of their own.
    fn of_pass(&self, scop: &Scop, pass: &Pass, names: &mut NameGenerator) -> Steps {
        let mut steps = Steps::default();
        let Some((first, piece)) = pass.first() else { return steps };
        if matches!(piece, Piece::Single) {
            return steps;
        }
        let at = |stmt: StmtId, position| self.at(&scop.stmts()[stmt].name, position);
        let exchanged = vec![at(*first, 3), at(*first, 2)];
        steps.steps.push(Step::Interchange(Interchange { loops: exchanged }));
        if pass.len() > 1 {
            let distribute = Distribute { at: at(*first, 3), groups: Vec::new() };
            steps.steps.push(Step::Distribute(distribute));
        }
        let mut sums = Vec::new();
        for (stmt, piece) in pass {
            match piece {
                Piece::Single => {}
                Piece::Columns => steps.marks.push((at(*stmt, 3), LoopKind::Unroll)),
                Piece::Rows(plan, rows) => {
                    let n_outer = self.n_around() + 1;
                    let tiled = Tiled { scop, stmt: *stmt, plan, rows, n_outer, parallel: false };
                    match self.has_cells(scop, *stmt) {
                        true => steps.marks.push((at(*stmt, 3), LoopKind::Unroll)),
                        false => {
                            tiled.stage_sums(at(*stmt, 1), vec![at(*stmt, 3)], names, &mut steps);
                        }
                    }
                    sums.extend(tiled.sums_in_lanes());
                }
            }
        }
        if pass.len() > 1 || matches!(piece, Piece::Columns) || !sums.is_empty() {
            let mark = MarkStep::new(at(*first, 2), LoopKind::Vector);
            steps.in_lanes.push(MarkStep { reduce: sums, ..mark });
        }
        steps
    }

    /// Whether each row of a strip has a cell of what a statement writes.
    fn has_cells(&self, scop: &Scop, stmt: StmtId) -> bool {
        let mut written = scop.stmts()[stmt].accesses.iter().filter(|a| a.kind.is_write());
        written.any(|access| self.variables.contains(&scop.arrays()[access.array].name))
    }

    /// How many loops are around that over strips: that over parts, too.
    fn n_around(&self) -> usize {
        match self.threads {
            Threads::Dealt(_) => self.n_outer + 1,
            _ => self.n_outer,
        }
    }

    /// A loop around a statement, from that over strips, from one.
    fn at(&self, stmt: &str, n: usize) -> LoopAddress {
        LoopAddress::new(stmt, position(self.n_around() + n))
    }

    /// What is done to these instances.
    pub(super) fn remark(&self, instances: &UnionSet) -> Result<Remark> {
        let rows = self.rows;
        let mut text = format!("strips of {rows} rows, in which one nest follows another");
        if let Threads::Dealt(dealt) = &self.threads {
            text.push_str("; rows ");
            text.push_str(&dealt.told());
        }
        Ok(Remark { pass: "register", stmts: stmt_names(instances)?, text })
    }
}

impl Tiling<'_> {
    /// The loop over rows at `tree` in strips; `None` where that does not fit it.
    pub(super) fn strips(
        &self,
        tree: &ScheduleTree,
        here: &Cursor,
        instances: &UnionSet,
    ) -> Result<Option<Strips>> {
        let Node::Band { band, child } = tree.node() else { return Ok(None) };
        let Some((rows, rest)) = band.members.split_first() else { return Ok(None) };
        if self.keeps_all
            && let Some((passes, rows_in_strip)) = self.in_passes((rows, rest), child, instances)?
        {
            let (threads, variables) = (self.threads(rows, here)?, Vec::new());
            let n_outer = self.outer.len();
            return Ok(Some(Strips { passes, rows: rows_in_strip, variables, n_outer, threads }));
        }
        self.strips_with_cells(here, instances)
    }

    /// What becomes of the statements in a loop over rows, and how many of these a strip has; `None` where strips do not fit them.
    pub(super) fn in_passes(
        &self,
        (rows, rest): (&Member, &[Member]),
        child: &ScheduleTree,
        instances: &UnionSet,
    ) -> Result<Option<(Vec<Pass>, i64)>> {
        let mut inner = Vec::new();
        if !self.collect(child, instances, rest, &mut inner)? || !self.may_divide(rows, &inner)? {
            return Ok(None);
        }
        let mut pieces = Vec::new();
        for inner in &inner {
            match self.piece(rows, inner)? {
                Some(piece) => pieces.push((inner.stmt, piece)),
                None => return Ok(None),
            }
        }
        let has_rows = pieces.iter().any(|(_, piece)| matches!(piece, Piece::Rows(..)));
        if !has_rows {
            return Ok(None);
        }
        let mut passes = self.passes(rows, &inner, pieces)?;
        let n_sums = passes.iter().map(n_sums).max().unwrap_or(1);
        let n_rows = strip_rows(n_sums);
        for (_, piece) in passes.iter_mut().flatten() {
            if let Piece::Rows(plan, _) = piece {
                plan.sizes.rows = n_rows;
            }
        }
        Ok(Some((passes, n_rows)))
    }

    /// How strips of a loop over rows may run on threads.
    fn threads(&self, rows: &Member, here: &Cursor) -> Result<Threads> {
        let View { program, setting, .. } = self.view;
        let parts = usual_parts(program.scop.reassociation(), setting.machine);
        if !self.is_outermost_parallel() {
            return Ok(Threads::None);
        }
        if rows.coincident {
            return Ok(Threads::Parallel);
        }
        if !self.outer.is_empty() || parts < 2 {
            return Ok(Threads::None);
        }
        let updates = Updates::of_view(self.view)?;
        let dealt = Dealt::of(&updates, setting.scop, here, parts)?;
        Ok(dealt.map_or(Threads::None, Threads::Dealt))
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

    /// Whether two of the statements with a loop of their own use the same array of so many dimensions at least.
    fn shares(&self, inner: &[Inner], rank: usize) -> bool {
        let mut seen: BTreeSet<ArrayId> = BTreeSet::new();
        inner.iter().filter(|inner| !inner.members.is_empty()).any(|inner| {
            let accesses = self.scop.stmts()[inner.stmt].accesses.iter();
            let used: BTreeSet<ArrayId> = accesses.map(|access| access.array).collect();
            let mut matrices = used.iter().filter(|id| self.scop.arrays()[**id].rank() >= rank);
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

    /// The pieces in passes: those that follow one another share one where they may.
    fn passes(
        &self,
        rows: &Member,
        inner: &[Inner],
        pieces: Vec<(StmtId, Piece)>,
    ) -> Result<Vec<Pass>> {
        let mut passes: Vec<Pass> = Vec::new();
        let mut first = 0;
        for (at, piece) in pieces.into_iter().enumerate() {
            match passes.last_mut() {
                Some(pass) if self.may_join(rows, &inner[first..=at], (pass, &piece))? => {
                    pass.push(piece);
                }
                _ => {
                    passes.push(vec![piece]);
                    first = at;
                }
            }
        }
        Ok(passes)
    }

    /// Whether a piece may go through the rows of a strip with those of a pass, `inner` with it: all in one loop, whose lanes add to copies of
    /// the sums of rows, of which there is one piece, for which there are registers. They use the same matrix, and nothing but what they
    /// computed in the same iteration of that loop.
    fn may_join(
        &self,
        rows: &Member,
        inner: &[Inner],
        (pass, piece): (&Pass, &(StmtId, Piece)),
    ) -> Result<bool> {
        let all = || pass.iter().chain(std::iter::once(piece));
        let mut sums = all().filter_map(|(stmt, piece)| match piece {
            Piece::Rows(plan, rows) => {
                let (scop, stmt) = (self.scop, *stmt);
                Some(Tiled { scop, stmt, plan, rows, n_outer: 0, parallel: false })
            }
            _ => None,
        });
        let n_sums = sums.clone().count();
        let has_sums =
            (1..=MAX_SUMS).contains(&n_sums) && sums.all(|s| s.sums_in_lanes().is_some());
        let [one, .., last] = inner else { return Ok(false) };
        if !has_sums
            || all().any(|(_, piece)| matches!(piece, Piece::Single))
            || one.members != last.members
            || !self.shares(inner, if n_sums > 1 { 1 } else { 2 })
        {
            return Ok(false);
        }
        let mut same: Vec<UnionPwAff> = self.outer.iter().map(|m| m.schedule.clone()).collect();
        same.push(tile_member(rows, STRIP_ROWS)?.schedule);
        let strip = MultiUnionPwAff::from_members(&same)?;
        same.extend(one.members.iter().map(|m| m.schedule.clone()));
        let iteration = MultiUnionPwAff::from_members(&same)?;
        let is_inside = |stmt| inner.iter().any(|inner| inner.stmt == stmt);
        for (_, dep) in self.deps.validity() {
            if dep.source == dep.sink || !is_inside(dep.source) || !is_inside(dep.sink) {
                continue;
            }
            let pairs = dep.relation.to_union_map()?.eq_at_multi_union_pw_aff(&strip)?;
            if !pairs.is_subset(&pairs.eq_at_multi_union_pw_aff(&iteration)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What becomes of a statement in a strip: a register tile of rows where it is a sum along each of them, vector lanes where it adds
    /// the rows up, nothing where it has no loop of its own; `None` where none of these.
    fn piece(&self, rows: &Member, inner: &Inner) -> Result<Option<Piece>> {
        if let Some((plan, rows)) = self.rows_of_strip(rows, inner)? {
            return Ok(Some(Piece::Rows(plan, rows)));
        }
        let [lanes] = &inner.members[..] else { return Ok(Some(Piece::Single)) };
        let space = self.scop.stmts()[inner.stmt].domain.space()?;
        let of = |member: &Member| -> Result<Member> {
            let schedule = member.schedule.extract_pw_aff(&space)?.to_union_pw_aff()?;
            Ok(Member { schedule, ..member.clone() })
        };
        let (rows, lanes) = (of(rows)?, of(lanes)?);
        let has_sizes = self.site().columns(&lanes, &rows, &inner.instances)?.is_some();
        let is_free = has_sizes && self.nest_of(inner, Vec::new()).is_free_along(&[&lanes])?;
        Ok(is_free.then_some(Piece::Columns))
    }

    /// The loops of a statement of a strip.
    fn nest_of(&self, inner: &Inner, members: Vec<Member>) -> Nest<'_> {
        let instances = inner.instances.clone();
        Nest { scop: self.scop, stmt: inner.stmt, instances, outer: &self.outer, members }
    }

    /// The plan of a register tile of rows of a statement of a strip, with the rows of its loops; `None` where it is no sum along each of them.
    fn rows_of_strip(&self, rows: &Member, inner: &Inner) -> Result<Option<(Plan, Vec<Affine>)>> {
        let mut members = vec![Member { coincident: true, ..rows.clone() }];
        members.extend(inner.members.iter().cloned());
        let nest = self.nest_of(inner, members);
        let Some(plan) = Plan::of_rows(&nest, &self.registers)? else { return Ok(None) };
        let Some(rows) = member_rows(&nest, &nest.members)? else { return Ok(None) };
        let is_strip = plan.has_one_length && plan.sizes.rows == STRIP_ROWS;
        let is_row = rows.first().is_some_and(|row| row.is_exactly(plan.loops.row));
        let fits = is_row && is_strip && plan.others.is_empty() && plan.is_free(&nest)?;
        Ok(fits.then_some((plan, rows)))
    }
}
