//! The loops of a nest with register tiles.

use super::operands::Side;
use super::parts::{Coordinate, Part, Strip};
use super::plan::Plan;
use crate::Result;
use crate::index_sets::one;
use farkas_analysis::Affine;
use farkas_poly::{PwAff, UnionPwAff, UnionSet, Val};
use farkas_tree::{Band, Mark, Member, ScheduleTree};

/// The statements of a nest.
pub(super) struct Parts {
    /// The tiled statement.
    pub(super) tiled: Part,
    /// What fills the buffers of operands.
    pub(super) fills: Vec<(Side, Part)>,
    /// What fills the buffer of sums.
    pub(super) load: Part,
    /// What empties it.
    pub(super) store: Part,
}

impl Parts {
    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Part> {
        let fills = self.fills.iter().map(|(_, part)| part);
        std::iter::once(&self.tiled).chain(fills).chain([&self.load, &self.store])
    }

    /// What fills the buffers of one side.
    fn of_side(&self, side: Side) -> Vec<&Part> {
        self.fills.iter().filter(|(of, _)| *of == side).map(|(_, part)| part).collect()
    }
}

/// Builds the loops.
pub(super) struct Loops<'a> {
    pub(super) plan: &'a Plan,
    pub(super) parts: &'a Parts,
    /// The number of the original statement's iterators.
    pub(super) depth: usize,
    /// Whether some loop is to be marked parallel.
    pub(super) parallel: bool,
}

impl Loops<'_> {
    /// The nest: loops that are not tiled, over blocks of columns and depth, whose operand is packed first; in them blocks of
    /// rows, with their operand; in them register tiles.
    ///
    /// **Paper** Goto and van de Geijn, *Anatomy of high-performance matrix multiplication*, fig. 4 to 6.
    pub(super) fn tree(&self) -> Result<ScheduleTree> {
        let all: Vec<&Part> = self.parts.all().collect();
        let outer_is_parallel = self.plan.others.first().is_some_and(|l| l.coincident);
        let parallel = self.parallel && !outer_is_parallel;
        let mut tree = match self.plan.loops.column {
            Some(column) => self.blocks(column, parallel)?,
            None => self.register_tiles(parallel)?,
        };
        for (at, other) in self.plan.others.iter().enumerate().rev() {
            let dates = all.iter().map(|part| self.row(part, &other.row));
            let schedule = UnionPwAff::union_all(dates.collect::<Result<Vec<_>>>()?)?;
            let member = Member::new(schedule, other.coincident);
            tree = one(member, tree);
            if at == 0 && self.parallel && outer_is_parallel {
                tree = ScheduleTree::mark(Mark::Parallel, tree);
            }
        }
        Ok(ScheduleTree::mark(Mark::Shaped, tree))
    }

    /// The loops over blocks of columns and depth.
    fn blocks(&self, column: usize, parallel: bool) -> Result<ScheduleTree> {
        let all: Vec<&Part> = self.parts.all().collect();
        let rows = self.row_blocks(parallel)?;
        let packed = self.fills(Side::Columns, column, parallel)?;
        let blocks = self.sequence(packed, rows, Side::Columns)?;
        self.tiles(&[Strip::ColumnBlock, Strip::DepthBlock], &all, None, blocks)
    }

    /// The loop over blocks of rows.
    fn row_blocks(&self, parallel: bool) -> Result<ScheduleTree> {
        let mut inside = self.inside(Side::Columns);
        let tiles = self.register_tiles(false)?;
        let packed = self.fills(Side::Rows, self.plan.loops.row, false)?;
        let block = self.sequence(packed, tiles, Side::Rows)?;
        inside.dedup_by(|a, b| a.name == b.name);
        self.tiles(&[Strip::RowBlock], &inside, parallel.then_some(Mark::Parallel), block)
    }

    /// The parts inside the loops after the fills of a side.
    fn inside(&self, side: Side) -> Vec<&Part> {
        let mut parts = vec![&self.parts.tiled, &self.parts.load, &self.parts.store];
        if side == Side::Columns {
            parts.extend(self.parts.of_side(Side::Rows));
        }
        parts
    }

    /// The sums of one register tile: loaded, summed up, and stored.
    pub(super) fn tile(&self) -> Result<ScheduleTree> {
        let (load, store, tiled) = (&self.parts.load, &self.parts.store, &self.parts.tiled);
        let depth = self.iterator(&[tiled], self.plan.loops.depth, false)?;
        let sum = ScheduleTree::band(depth, self.lanes(tiled)?);
        Ok(ScheduleTree::sequence(vec![
            (domain(&[load])?, self.lanes(load)?),
            (domain(&[tiled])?, sum),
            (domain(&[store])?, self.lanes(store)?),
        ]))
    }

    /// Register tiles: the sums are loaded, summed up, and stored. Without columns, their loop may be parallel.
    fn register_tiles(&self, parallel: bool) -> Result<ScheduleTree> {
        let (load, store, tiled) = (&self.parts.load, &self.parts.store, &self.parts.tiled);
        let child = self.tile()?;
        let parts = [tiled, load, store];
        if self.plan.loops.column.is_some() {
            let tree = self.tiles(&[Strip::Columns, Strip::Rows], &parts, None, child)?;
            return Ok(ScheduleTree::mark(Mark::SeparateFullTiles, tree));
        }
        let mut tree = child;
        for (at, strip) in self.plan.strips.iter().enumerate().rev() {
            let mark = (at == 0 && parallel).then_some(Mark::Parallel);
            let tiles = self.tiles(&[*strip], &parts, mark, tree)?;
            tree = ScheduleTree::mark(Mark::SeparateFullTiles, tiles);
        }
        Ok(tree)
    }

    /// The rows of a register tile, one after another, each in vector lanes where it has columns.
    fn lanes(&self, part: &Part) -> Result<ScheduleTree> {
        let mut lanes = ScheduleTree::leaf();
        if let Some(column) = self.plan.loops.column {
            let column = self.iterator(&[part], column, true)?;
            lanes = ScheduleTree::mark(Mark::Vector, ScheduleTree::band(column, lanes));
        }
        let row = self.iterator(&[part], self.plan.loops.row, true)?;
        Ok(ScheduleTree::mark(Mark::Unroll, ScheduleTree::band(row, lanes)))
    }

    /// What fills the buffers of a side, which lies along this loop, one after another, panel by panel.
    fn fills(
        &self,
        side: Side,
        along: usize,
        parallel: bool,
    ) -> Result<Vec<(UnionSet, ScheduleTree)>> {
        let tile = match side {
            Side::Rows => Strip::Rows,
            Side::Columns => Strip::Columns,
        };
        let mut fills = Vec::new();
        for part in self.parts.of_side(side) {
            let lanes = self.iterator(&[part], along, true)?;
            let depth = self.iterator(&[part], self.plan.loops.depth, true)?;
            let panel = ScheduleTree::band(depth, ScheduleTree::band(lanes, ScheduleTree::leaf()));
            let panels = self.tiles(&[tile], &[part], parallel.then_some(Mark::Parallel), panel)?;
            fills.push((domain(&[part])?, ScheduleTree::mark(Mark::SeparateFullTiles, panels)));
        }
        Ok(fills)
    }

    /// The fills of a side, then `rest`.
    fn sequence(
        &self,
        mut fills: Vec<(UnionSet, ScheduleTree)>,
        rest: ScheduleTree,
        side: Side,
    ) -> Result<ScheduleTree> {
        fills.push((domain(&self.inside(side))?, rest));
        Ok(ScheduleTree::sequence(fills))
    }

    /// Loops over tiles or blocks, with the points below.
    fn tiles(
        &self,
        tiles: &[Strip],
        parts: &[&Part],
        mark: Option<Mark>,
        points: ScheduleTree,
    ) -> Result<ScheduleTree> {
        let mut members = Vec::new();
        for &tile in tiles {
            let size = Val::int(tile.size(self.plan))?;
            let date = |part: &&Part| -> Result<PwAff> {
                Ok(part.value(Coordinate::Strip(tile))?.scale_val(&size)?)
            };
            let dates = parts.iter().map(date).collect::<Result<Vec<_>>>()?;
            members.push(Member::new(UnionPwAff::union_all(dates)?, tile != Strip::DepthBlock));
        }
        let sizes = tiles.iter().map(|tile| tile.size(self.plan)).collect();
        let points = ScheduleTree::mark(Mark::Point, points);
        let mut tree = ScheduleTree::band(Band { members, permutable: true }, points);
        if let Some(mark) = mark {
            tree = ScheduleTree::mark(mark, tree);
        }
        Ok(ScheduleTree::mark(Mark::Tile(sizes), tree))
    }

    /// A loop over an iterator of the original statement.
    fn iterator(&self, parts: &[&Part], at: usize, coincident: bool) -> Result<Band> {
        let dates = parts.iter().map(|part| part.value(Coordinate::Iterator(at)));
        let schedule = UnionPwAff::union_all(dates.collect::<Result<Vec<_>>>()?)?;
        Ok(Band { members: vec![Member::new(schedule, coincident)], permutable: false })
    }

    /// The dates of a part under a row of the original statement that depends on none of the tiled loops.
    fn row(&self, part: &Part, row: &Affine) -> Result<PwAff> {
        dated(part, row, self.depth)
    }
}

/// The dates of `part` under a row over the `n` iterators of the original statement, which all occur in it.
pub(super) fn dated(part: &Part, row: &Affine, n: usize) -> Result<PwAff> {
    let space = part.space()?;
    match part.row(row, n) {
        Some(row) => Ok(row.to_aff(&space)?.to_pw_aff()?),
        None => Ok(farkas_poly::Aff::constant_on_domain(&space, 0)?.to_pw_aff()?),
    }
}

/// The instances of some parts.
pub(super) fn domain(parts: &[&Part]) -> Result<UnionSet> {
    Ok(UnionSet::union_all(parts.iter().map(|part| part.domain.clone()))?)
}
