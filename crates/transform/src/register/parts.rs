//! The statements that a nest consists of after register tiling, and their instances.

use super::operands::Loops;
use super::plan::Plan;
use crate::Result;
use farkas_analysis::Affine;
use farkas_poly::{Aff, DimType, PwAff, Set, Space, Val};

/// A dimension in front of a statement's own: the number of a tile or block along one of the three loops.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Strip {
    /// A block of columns whose operand is packed together.
    ColumnBlock,
    /// A block of iterations that are summed up.
    DepthBlock,
    /// A block of rows whose operand is packed together.
    RowBlock,
    /// The columns of a register tile.
    Columns,
    /// The rows of a register tile.
    Rows,
}

impl Strip {
    /// All of them, in the order of dimensions.
    pub(super) const ALL: [Self; 5] =
        [Self::ColumnBlock, Self::DepthBlock, Self::RowBlock, Self::Columns, Self::Rows];

    /// What names of iterators end in.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ColumnBlock | Self::DepthBlock | Self::RowBlock => "block",
            Self::Columns | Self::Rows => "tile",
        }
    }

    /// The iterator that it divides.
    pub(super) fn iterator(self, loops: Loops) -> Option<usize> {
        match self {
            Self::ColumnBlock | Self::Columns => loops.column,
            Self::DepthBlock => Some(loops.depth),
            Self::RowBlock | Self::Rows => Some(loops.row),
        }
    }

    /// Its size in iterations.
    pub(super) fn size(self, plan: &Plan) -> i64 {
        match self {
            Self::ColumnBlock => plan.sizes.column_block,
            Self::DepthBlock => plan.sizes.depth_block,
            Self::RowBlock => plan.sizes.row_block,
            Self::Columns => plan.sizes.columns,
            Self::Rows => plan.sizes.rows,
        }
    }

    /// The block that it lies in, for tiles of registers.
    fn block(self) -> Option<Self> {
        match self {
            Self::Columns => Some(Self::ColumnBlock),
            Self::Rows => Some(Self::RowBlock),
            _ => None,
        }
    }
}

/// A coordinate of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coordinate {
    /// The number of a tile.
    Strip(Strip),
    /// One of the iterators of the statement that is tiled.
    Iterator(usize),
}

/// A statement of the nest: some of the coordinates of the tiled statement.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    /// The instances, under all that the original's domain says.
    pub(super) domain: Set,
    pub(super) coordinates: Vec<Coordinate>,
}

impl Part {
    /// The tiled statement itself: `domain` with numbers of tiles in front.
    pub(super) fn tiled(plan: &Plan, name: &str, domain: &Set) -> Result<Self> {
        let n = domain.dim(DimType::SET)? as usize;
        let strips = plan.strips;
        let tiles = strips.iter().copied().map(Coordinate::Strip);
        let coordinates: Vec<_> = tiles.chain((0..n).map(Coordinate::Iterator)).collect();
        let n_strips = u32::try_from(strips.len()).unwrap_or(u32::MAX);
        let inserted = domain.insert_dims(DimType::SET, 0, n_strips)?.with_tuple_name(name)?;
        let mut part = Self { name: name.to_owned(), domain: inserted, coordinates };
        for &tile in strips {
            let Some(at) = tile.iterator(plan.loops) else { continue };
            let at = part.value(Coordinate::Iterator(at))?;
            part.within(tile, &at, tile.size(plan))?;
            if let Some(block) = tile.block().filter(|block| strips.contains(block)) {
                let number = part.value(Coordinate::Strip(tile))?;
                part.within(block, &number, block.size(plan) / tile.size(plan))?;
            }
        }
        Ok(part)
    }

    /// Keeps the instances where `value` lies in the tile of this size.
    fn within(&mut self, tile: Strip, value: &PwAff, size: i64) -> Result<()> {
        let first = self.value(Coordinate::Strip(tile))?.scale_val(&Val::int(size)?)?;
        let offset = value.sub(&first)?;
        let last = PwAff::constant_on(&Set::universe(&self.domain.space()?)?, size - 1)?;
        let inside = offset.nonneg_set()?.intersect(&offset.le_set(&last)?)?;
        self.domain = self.domain.intersect(&inside)?;
        Ok(())
    }

    /// Another statement with an instance for each value that these coordinates have in this one.
    pub(super) fn projected(&self, name: &str, keeps: impl Fn(Coordinate) -> bool) -> Result<Self> {
        let mut domain = self.domain.clone();
        let dropped = self.coordinates.iter().enumerate().rev().filter(|(_, c)| !keeps(**c));
        for (at, _) in dropped {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            domain = domain.project_out(DimType::SET, at, 1)?;
        }
        let domain = domain.with_tuple_name(name)?.detect_equalities()?.coalesce()?;
        let coordinates = self.coordinates.iter().copied().filter(|c| keeps(*c)).collect();
        Ok(Self { name: name.to_owned(), domain, coordinates })
    }

    /// The set space of the instances.
    pub(super) fn space(&self) -> Result<Space> {
        Ok(self.domain.space()?)
    }

    /// The dimension of a coordinate.
    pub(super) fn place(&self, coordinate: Coordinate) -> Option<usize> {
        self.coordinates.iter().position(|c| *c == coordinate)
    }

    /// A coordinate as a function of the instance; zero where it has no such coordinate.
    pub(super) fn value(&self, coordinate: Coordinate) -> Result<PwAff> {
        let space = self.space()?;
        let aff = match self.place(coordinate) {
            Some(at) => {
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                Aff::var_on_domain(&space, DimType::SET, at)?
            }
            None => Aff::constant_on_domain(&space, 0)?,
        };
        Ok(aff.to_pw_aff()?)
    }

    /// A row over the iterators of the tiled statement, of which there are `n`, as a row of this statement; `None` where it
    /// has not all of them.
    pub(super) fn row(&self, row: &Affine, n: usize) -> Option<Affine> {
        let places: Vec<Option<usize>> =
            (0..n).map(|at| self.place(Coordinate::Iterator(at))).collect();
        row.moved(&places, self.coordinates.len())
    }
}
