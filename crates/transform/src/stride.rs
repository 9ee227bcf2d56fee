//! How far accesses move in memory from one iteration of a loop to the next.

use crate::Result;
use farkas_base::IdVec;
use farkas_poly::DimType;
use farkas_scop::{Scop, StmtId, Stride, linear_part, linear_subscripts};
use farkas_tree::Member;

/// The linear parts of all accesses, computed once for a scop.
#[derive(Clone, Debug)]
pub struct StrideModel {
    names: IdVec<StmtId, String>,
    /// For each statement and access a row an array dimension over the statement's dimensions; `None` where a subscript
    /// is not affine.
    accesses: IdVec<StmtId, Vec<Option<Vec<Vec<i64>>>>>,
}

impl StrideModel {
    /// The linear parts of the accesses of `scop`; scalars count as invariant.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn new(scop: &Scop) -> Result<Self> {
        let mut accesses = IdVec::new();
        for stmt in scop.stmts() {
            let mut rows = Vec::new();
            for access in &stmt.accesses {
                rows.push(linear_subscripts(&access.relation)?);
            }
            accesses.push(rows);
        }
        Ok(Self { names: scop.stmts().map(|s| s.name.clone()), accesses })
    }

    /// The strides of all accesses of `stmt` along the member at `position` of `loops`, the members that schedule the
    /// statement from the outermost to the innermost; `None` where the loops do not determine a direction.
    ///
    /// The direction `d` in the iteration space solves `loops[position] d = 1`, `loops[k] d = 0` for all other `k`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn strides(
        &self,
        stmt: StmtId,
        loops: &[Vec<i64>],
        position: usize,
    ) -> Option<Vec<Stride>> {
        let direction = direction(loops, position)?;
        Some(
            self.accesses[stmt]
                .iter()
                .map(|rows| Stride::along(rows.as_deref(), &direction))
                .collect(),
        )
    }

    /// The linear part of a member on a statement: a coefficient a domain dimension; `None` where the member is not
    /// affine on it or does not schedule it.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn member_row(&self, scop_stmt: StmtId, member: &Member) -> Result<Option<Vec<i64>>> {
        for part in member.schedule.pw_affs()? {
            if part.domain_space()?.tuple_name(DimType::SET).as_deref()
                == Some(&self.names[scop_stmt])
            {
                return Ok(linear_part(&part)?);
            }
        }
        Ok(None)
    }

    /// The statement called `name`.
    pub fn stmt(&self, name: &str) -> Option<StmtId> {
        self.names.iter_enumerated().find(|(_, n)| *n == name).map(|(id, _)| id)
    }
}

/// The direction in which one loop advances by one and all others stand still, by Gaussian elimination over the
/// rationals; `None` when there is none or several, or it is not integer.
fn direction(loops: &[Vec<i64>], position: usize) -> Option<Vec<i64>> {
    let n = loops.first()?.len();
    // Rows `[coefficients | right-hand side]` over common integers.
    let mut rows: Vec<Vec<i128>> = loops
        .iter()
        .enumerate()
        .map(|(k, row)| {
            let rhs = i128::from(k == position);
            row.iter().map(|&c| i128::from(c)).chain([rhs]).collect()
        })
        .collect();
    let mut pivots = Vec::new();
    for column in 0..n {
        let at = (pivots.len()..rows.len()).find(|&r| rows[r][column] != 0)?;
        rows.swap(pivots.len(), at);
        eliminate(&mut rows, pivots.len(), column)?;
        pivots.push(column);
    }
    if rows[n..].iter().any(|row| row[n] != 0) {
        return None;
    }
    (0..n)
        .map(|i| {
            let (pivot, rhs) = (rows[i][i], rows[i][n]);
            (rhs % pivot == 0).then(|| i64::try_from(rhs / pivot).ok()).flatten()
        })
        .collect()
}

/// Clears `column` in all rows but the one at `pivot`; `None` on overflow.
fn eliminate(rows: &mut [Vec<i128>], pivot: usize, column: usize) -> Option<()> {
    let pivot_row = rows[pivot].clone();
    let p = pivot_row[column];
    for (r, row) in rows.iter_mut().enumerate() {
        let factor = row[column];
        if r == pivot || factor == 0 {
            continue;
        }
        for (x, y) in row.iter_mut().zip(&pivot_row) {
            *x = x.checked_mul(p)?.checked_sub(y.checked_mul(factor)?)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_of_a_skewed_loop() {
        // Loops t and t + i over (t, i): advancing the second alone moves i.
        assert_eq!(direction(&[vec![1, 0], vec![1, 1]], 1), Some(vec![0, 1]));
        // Advancing t alone keeps t + i, so i steps back.
        assert_eq!(direction(&[vec![1, 0], vec![1, 1]], 0), Some(vec![1, -1]));
        // Loops that leave a dimension free determine nothing.
        assert_eq!(direction(&[vec![1, 1]], 0), None);
        // An even loop advances by one nowhere.
        assert_eq!(direction(&[vec![2]], 0), None);
    }
}
