//! How many bytes a tile touches.

use super::RowTiles;
use crate::Result;
use crate::extent::extent;
use farkas_poly::UnionSet;
use farkas_scop::{ArrayId, StmtId, Stride};
use farkas_tree::Member;
use std::collections::{BTreeMap, BTreeSet};

/// How large an array is taken to be whose extents are not known.
const ASSUMED_ARRAY_BYTES: f64 = 16.0 * 1024.0 * 1024.0;

/// What a tile of a band touches, as a function of the tile's sizes.
pub(crate) struct Footprint {
    stmts: BTreeSet<StmtId>,
    /// For each array the bytes of an element, and for each dimension how far each member of the band moves in it.
    arrays: BTreeMap<ArrayId, (f64, Vec<Vec<f64>>)>,
    n_members: usize,
    /// The iterations of the innermost member.
    row_iters: f64,
}

impl Footprint {
    /// The footprint of the last `n_members` of `loops`; `None` where rows do not line up: where an access of a
    /// statement to an array that the band writes does not go to the next element as the innermost loop advances, or
    /// another access jumps.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn of(
        context: &RowTiles<'_>,
        instances: &UnionSet,
        loops: &[Member],
        n_members: usize,
    ) -> Result<Option<Self>> {
        let Some(stmts) = context.strides.rows_of(loops)? else { return Ok(None) };
        let written: BTreeSet<ArrayId> = stmts
            .iter()
            .flat_map(|(stmt, _)| &context.scop.stmts()[*stmt].accesses)
            .filter(|access| access.kind.is_write())
            .map(|access| access.array)
            .collect();
        let mut arrays: BTreeMap<ArrayId, (f64, Vec<Vec<f64>>)> = BTreeMap::new();
        for (stmt, rows) in &stmts {
            let Some(last) = rows.len().checked_sub(1).filter(|_| rows.len() == loops.len()) else {
                return Ok(None);
            };
            let Some(strides) = context.strides.strides(*stmt, rows, last) else { return Ok(None) };
            for (access, stride) in context.scop.stmts()[*stmt].accesses.iter().zip(strides) {
                let lines_up = stride == Stride::Contiguous
                    || stride == Stride::Invariant && !written.contains(&access.array);
                if !lines_up {
                    return Ok(None);
                }
            }
            let outer = loops.len() - n_members;
            // A statement with fewer dimensions than loops goes nowhere along some of them.
            let moves = (outer..loops.len()).map(|at| context.strides.moves(*stmt, rows, at));
            let moves: Vec<_> = moves.collect();
            for (at, access) in context.scop.stmts()[*stmt].accesses.iter().enumerate() {
                let array = &context.scop.arrays()[access.array];
                let bytes = f64::from(array.element.kind.size_bytes().unwrap_or(8));
                let (_, dims) = arrays
                    .entry(access.array)
                    .or_insert_with(|| (bytes, vec![vec![0.0; n_members]; array.rank()]));
                for (member, all) in moves.iter().enumerate() {
                    let Some(all) = all else { continue };
                    let Some(along) = &all[at] else { return Ok(None) };
                    for (dim, step) in dims.iter_mut().zip(along) {
                        dim[member] = dim[member].max(step.unsigned_abs() as f64);
                    }
                }
            }
        }
        let Some(row) = loops.last() else { return Ok(None) };
        let rank = arrays.values().map(|(_, dims)| dims.len()).max().unwrap_or(1).max(1);
        let row_iters = match extent(row, instances)? {
            Some(iters) => iters as f64,
            None => (ASSUMED_ARRAY_BYTES / 8.0).powf(1.0 / rank as f64),
        };
        let stmts = stmts.into_iter().map(|(stmt, _)| stmt).collect();
        Ok(Some(Self { stmts, arrays, n_members, row_iters }))
    }

    /// The statements, in the order of the scop.
    pub(crate) fn stmts(&self) -> Vec<StmtId> {
        self.stmts.iter().copied().collect()
    }

    /// The members of the band.
    pub(crate) fn n_members(&self) -> usize {
        self.n_members
    }

    /// The iterations of a row.
    pub(crate) fn row_iters(&self) -> f64 {
        self.row_iters
    }

    /// The bytes that a tile of these sizes touches, one a member of the band.
    pub(crate) fn bytes(&self, sizes: &[f64]) -> f64 {
        let extent = |dim: &Vec<f64>| {
            1.0 + dim.iter().zip(sizes).map(|(step, size)| step * (size - 1.0)).sum::<f64>()
        };
        let of_array = |(bytes, dims): &(f64, Vec<Vec<f64>>)| {
            bytes * dims.iter().map(extent).product::<f64>()
        };
        self.arrays.values().map(of_array).sum()
    }
}
