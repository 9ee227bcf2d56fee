//! How many bytes a tile touches.

use super::Context;
use crate::Result;
use farkas_analysis::{StmtRows, extent};
use farkas_poly::UnionSet;
use farkas_scop::{ArrayId, StmtId, Stride};
use farkas_tree::Member;
use std::collections::{BTreeMap, BTreeSet};

/// How large an array is taken to be whose extents are not known.
const ASSUMED_ARRAY_BYTES: f64 = 16.0 * 1024.0 * 1024.0;

/// What a tile of a band touches, as a function of the tile's sizes.
pub(crate) struct Footprint {
    stmts: BTreeSet<StmtId>,
    arrays: BTreeMap<ArrayId, Touched>,
    n_members: usize,
    /// The iterations of the innermost member.
    row_iters: f64,
}

/// The part of an array that a tile touches.
struct Touched {
    element_bytes: f64,
    /// For each dimension how far each member of the band moves in it, at most.
    dims: Vec<Vec<f64>>,
}

impl Footprint {
    /// The footprint of the last `n_members` of `loops`; `None` where rows do not line up ([`line_up`]), or
    /// what is written does not move as one ([`moves_as_one`]).
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn of(
        context: &Context<'_>,
        instances: &UnionSet,
        loops: &[Member],
        n_members: usize,
    ) -> Result<Option<Self>> {
        let Some(stmts) = context.strides.rows_of(loops)? else { return Ok(None) };
        let Some(row) = loops.last() else { return Ok(None) };
        if stmts.iter().any(|(_, rows)| rows.len() != loops.len()) || !line_up(context, &stmts) {
            return Ok(None);
        }
        let first = loops.len() - n_members;
        if !moves_as_one(context, &stmts, first) {
            return Ok(None);
        }
        let mut arrays = BTreeMap::new();
        for (stmt, rows) in &stmts {
            if touch(&mut arrays, context, *stmt, &rows[..], first).is_none() {
                return Ok(None);
            }
        }
        let rank = arrays.values().map(|array: &Touched| array.dims.len()).max();
        let row_iters = match extent(row, instances)? {
            Some(iters) => iters as f64,
            None => (ASSUMED_ARRAY_BYTES / 8.0).powf(1.0 / rank.unwrap_or(1).max(1) as f64),
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

    /// The bytes that a tile of these sizes touches, one a member of the band; with whole rows where there is none for the
    /// innermost.
    pub(crate) fn bytes(&self, sizes: &[f64]) -> f64 {
        let is_whole = sizes.len() < self.n_members;
        let extent = |dim: &Vec<f64>| match dim.last() {
            Some(step) if is_whole && *step > 0.0 => 1.0 + step * (self.row_iters - 1.0),
            _ => 1.0 + dim.iter().zip(sizes).map(|(step, size)| step * (size - 1.0)).sum::<f64>(),
        };
        let of_array =
            |array: &Touched| array.element_bytes * array.dims.iter().map(extent).product::<f64>();
        self.arrays.values().map(of_array).sum()
    }
}

/// The arrays that statements write.
fn written(context: &Context<'_>, stmts: &[StmtRows]) -> BTreeSet<ArrayId> {
    let accesses = stmts.iter().flat_map(|(stmt, _)| &context.scop.stmts()[*stmt].accesses);
    accesses.filter(|access| access.kind.is_write()).map(|access| access.array).collect()
}

/// Whether all accesses to an array that the statements write move alike along each loop from `first` on, as those of
/// stencils do: then tiles of the loops are tiles of the array. Those of a product of an array with itself do not.
fn moves_as_one(context: &Context<'_>, stmts: &[StmtRows], first: usize) -> bool {
    let written = written(context, stmts);
    let mut known: BTreeMap<(ArrayId, usize), Vec<i64>> = BTreeMap::new();
    for (stmt, rows) in stmts {
        for at in first..rows.len() {
            // A statement with fewer dimensions than loops goes nowhere along some of them.
            let Some(moves) = context.strides.moves(*stmt, rows, at) else { continue };
            let accesses = context.scop.stmts()[*stmt].accesses.iter().zip(moves);
            for (access, along) in accesses.filter(|(access, _)| written.contains(&access.array)) {
                let Some(along) = along else { return false };
                if *known.entry((access.array, at)).or_insert_with(|| along.clone()) != along {
                    return false;
                }
            }
        }
    }
    true
}

/// Whether the rows of all statements line up: every access to an array that one of them writes goes to the next element
/// as the innermost loop advances, and no other access jumps.
fn line_up(context: &Context<'_>, stmts: &[StmtRows]) -> bool {
    let accesses = |stmt: StmtId| context.scop.stmts()[stmt].accesses.iter();
    let written = written(context, stmts);
    stmts.iter().all(|(stmt, rows)| {
        let last = rows.len().checked_sub(1);
        let strides = last.and_then(|last| context.strides.strides(*stmt, rows, last));
        strides.is_some_and(|strides| {
            accesses(*stmt).zip(strides).all(|(access, stride)| match stride {
                Stride::Contiguous => true,
                Stride::Invariant => !written.contains(&access.array),
                Stride::Strided => false,
            })
        })
    })
}

/// Adds what `stmt` touches along its loops from `first` on; `None` where that cannot be told.
fn touch(
    arrays: &mut BTreeMap<ArrayId, Touched>,
    context: &Context<'_>,
    stmt: StmtId,
    rows: &[Vec<i64>],
    first: usize,
) -> Option<()> {
    for (member, at) in (first..rows.len()).enumerate() {
        // A statement with fewer dimensions than loops goes nowhere along some of them.
        let Some(moves) = context.strides.moves(stmt, rows, at) else { continue };
        for (access, along) in context.scop.stmts()[stmt].accesses.iter().zip(moves) {
            let array = &context.scop.arrays()[access.array];
            let touched = arrays.entry(access.array).or_insert_with(|| Touched {
                element_bytes: f64::from(array.element.kind.size_bytes().unwrap_or(8)),
                dims: vec![vec![0.0; rows.len() - first]; array.rank()],
            });
            for (dim, step) in touched.dims.iter_mut().zip(along?) {
                dim[member] = dim[member].max(step.unsigned_abs() as f64);
            }
        }
    }
    Some(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use farkas_base::Id;

    /// The footprint of `n_arrays` arrays of doubles with two dimensions under loops `t`, `s t + i` and `s t + j`.
    pub(in super::super) fn skewed(n_arrays: usize, s: f64, row_iters: f64) -> Footprint {
        let touched =
            || Touched { element_bytes: 8.0, dims: vec![vec![s, 1.0, 0.0], vec![s, 0.0, 1.0]] };
        let arrays = (0..n_arrays).map(|at| (ArrayId::from_index(at), touched()));
        Footprint { stmts: BTreeSet::new(), arrays: arrays.collect(), n_members: 3, row_iters }
    }

    #[test]
    fn a_skewed_tile_touches_a_slanted_band() {
        // 32 + 2 * 15 rows of 50 + 2 * 15 elements, then of all 100, twice.
        let bytes = |sizes: &[f64]| skewed(2, 2.0, 100.0).bytes(sizes);
        assert!((bytes(&[16.0, 32.0, 50.0]) - 2.0 * 8.0 * 62.0 * 80.0).abs() < 0.5);
        assert!((bytes(&[16.0, 32.0]) - 2.0 * 8.0 * 62.0 * 100.0).abs() < 0.5);
    }
}
