//! Strides: whether the statements of common loops run in the same iterations of them.
//!
//! Where a row has a coefficient other than one, or a domain has holes, a statement runs in each k-th iteration only. A
//! loop that it shares with statements that run more often, or in other iterations, tests in each iteration which of
//! them it runs: such a loop cannot be put into vector lanes.

use crate::Result;
use crate::affine::StmtRow;
use crate::report::RowReport;
use farkas_poly::{BasicSet, Map, Set};
use farkas_scop::{Scop, StmtId};

/// The iterations of a band's loops in which a statement runs, bounds left out.
struct Lattice {
    /// The stride in each loop, where the loops around it stand still.
    strides: Vec<i64>,
    /// All iterations; none where every stride is one.
    points: Option<BasicSet>,
    /// Holes without a common stride: whatever loop the statement is in tests for them, shared or not.
    is_irregular: bool,
}

/// Whether no statement of the band with these `rows` skips iterations in which another one runs, bounds aside. Where one
/// has holes that need tests in any loop, the others may as well be in it.
///
/// # Errors
/// When isl refuses.
pub(crate) fn in_step(scop: &Scop, rows: &[RowReport]) -> Result<bool> {
    let Some(stmts) = rows.first().map(|row| row.stmts.as_slice()) else { return Ok(true) };
    let mut lattices = Vec::new();
    for (at, &stmt) in stmts.iter().enumerate() {
        let rows: Vec<&StmtRow> = rows.iter().filter_map(|row| row.rows.get(at)).collect();
        lattices.push(Lattice::of(scop, stmt, &rows)?);
    }
    let Some((first, others)) = lattices.split_first() else { return Ok(true) };
    if lattices.iter().any(|lattice| lattice.is_irregular) {
        return Ok(true);
    }
    for other in others {
        if !first.agrees(other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Lattice {
    /// The lattice of a statement under these rows.
    fn of(scop: &Scop, stmt: StmtId, rows: &[&StmtRow]) -> Result<Self> {
        let domain = &scop.stmts()[stmt].domain;
        if !domain.involves_locals()? && rows.iter().all(|row| is_unit(row)) {
            return Ok(Self { strides: vec![1; rows.len()], points: None, is_irregular: false });
        }
        let mut dates: Option<Map> = None;
        for row in rows {
            let date = row.to_pw_aff(&domain.space()?)?.to_map()?;
            dates = Some(match dates {
                Some(outer) => outer.flat_range_product(&date)?,
                None => date,
            });
        }
        let Some(dates) = dates else {
            return Ok(Self { strides: Vec::new(), points: None, is_irregular: false });
        };
        let dates: Set = domain.apply(&dates)?;
        let strides = (0..).zip(rows).map(|(at, _)| Ok(dates.stride(at)?.to_i64()?));
        let strides: Vec<i64> = strides.collect::<Result<_>>()?;
        let points = strides.iter().any(|&stride| stride > 1).then(|| dates.affine_hull());
        let is_irregular =
            points.is_none() && domain.involves_locals()? && domain.n_basic_set()? > 1;
        Ok(Self { strides, points: points.transpose()?, is_irregular })
    }

    /// Whether both are the same but for bounds: with equal strides, lattices that have a point in common are.
    fn agrees(&self, other: &Self) -> Result<bool> {
        if self.strides != other.strides {
            return Ok(false);
        }
        match (&self.points, &other.points) {
            (Some(a), Some(b)) => Ok(!a.intersect(b)?.is_empty()?),
            _ => Ok(true),
        }
    }
}

/// Whether the row is one iterator, up or down, or constant: a loop along it skips nothing.
fn is_unit(row: &StmtRow) -> bool {
    let used: Vec<i64> = row.iterators.iter().copied().filter(|&c| c != 0).collect();
    matches!(used.as_slice(), [] | [1 | -1])
}
