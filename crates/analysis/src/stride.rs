//! How far accesses move in memory from one iteration of a loop to the next.

use crate::Result;
use farkas_base::IdVec;
use farkas_poly::{DimType, Space, UnionSet};
use farkas_scop::{Scop, StmtId, Stride, linear_part, linear_subscripts, step};
use farkas_tree::Member;
use std::collections::BTreeMap;

/// A statement, and the linear parts of loops on it: a row a loop over the statement's dimensions.
pub type StmtRows = (StmtId, Vec<Vec<i64>>);

/// The linear parts of all accesses, computed once for a scop.
#[derive(Clone, Debug)]
pub struct StrideModel {
    spaces: IdVec<StmtId, Space>,
    by_name: BTreeMap<String, StmtId>,
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
        let (mut spaces, mut accesses) = (IdVec::new(), IdVec::new());
        for stmt in scop.stmts() {
            spaces.push(stmt.domain.space()?);
            let mut rows = Vec::new();
            for access in &stmt.accesses {
                rows.push(linear_subscripts(&access.relation)?);
            }
            accesses.push(rows);
        }
        let by_name = scop.stmts().iter_enumerated().map(|(id, stmt)| (stmt.name.clone(), id));
        Ok(Self { spaces, by_name: by_name.collect(), accesses })
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

    /// How many elements of the innermost dimension each access of `stmt` moves along the member at `position` of `loops`, as
    /// in [`StrideModel::strides`]; `None` where it moves in another dimension or that cannot be told.
    pub fn steps(&self, stmt: StmtId, loops: &[Vec<i64>], position: usize) -> Vec<Option<i64>> {
        let direction = direction(loops, position);
        let along = |rows: &Option<Vec<Vec<i64>>>| step(rows.as_ref()?, direction.as_ref()?);
        self.accesses[stmt].iter().map(along).collect()
    }

    /// How far each access of `stmt` moves in each dimension of its array along the member at `position` of `loops`, as in
    /// [`StrideModel::strides`]; `None` where the loops determine no direction, or a subscript is not affine.
    pub fn moves(
        &self,
        stmt: StmtId,
        loops: &[Vec<i64>],
        position: usize,
    ) -> Option<Vec<Option<Vec<i64>>>> {
        let direction = direction(loops, position)?;
        let along = |row: &Vec<i64>| row.iter().zip(&direction).map(|(a, d)| a * d).sum();
        let of_access = |rows: &Option<Vec<Vec<i64>>>| {
            rows.as_ref().map(|rows| rows.iter().map(along).collect())
        };
        Some(self.accesses[stmt].iter().map(of_access).collect())
    }

    /// The linear part of a member on a statement: a coefficient a domain dimension; `None` where the member is not
    /// affine on it or does not schedule it.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn member_row(&self, stmt: StmtId, member: &Member) -> Result<Option<Vec<i64>>> {
        linear_part(&member.schedule.extract_pw_aff(&self.spaces[stmt])?)
    }

    /// The statements that the innermost of `loops` schedules, each with the linear parts of those loops that have one on
    /// it, from the outermost to the innermost; `None` where one is no statement of the scop.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn rows_of(&self, loops: &[Member]) -> Result<Option<Vec<StmtRows>>> {
        let Some(innermost) = loops.last() else { return Ok(Some(Vec::new())) };
        let mut found = Vec::new();
        for part in innermost.schedule.pw_affs()? {
            let name = part.domain_space()?.tuple_name(DimType::SET);
            let Some(stmt) = name.and_then(|name| self.stmt(&name)) else { return Ok(None) };
            let mut rows = Vec::new();
            for member in loops {
                rows.extend(self.member_row(stmt, member)?);
            }
            found.push((stmt, rows));
        }
        Ok(Some(found))
    }

    /// Whether all of the instances are of statements that `scop` has, too: register tiles add others, of which its dependences
    /// know nothing.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn are_of(&self, scop: &Scop, instances: &UnionSet) -> Result<bool> {
        for set in instances.sets()? {
            let name = set.tuple_name().unwrap_or_default();
            let stmt = self.stmt(&name).and_then(|stmt| scop.stmts().get(stmt));
            let depth = set.dim(DimType::SET)? as usize;
            if stmt.is_none_or(|stmt| stmt.name != name || stmt.depth() != depth) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The statement called `name`.
    pub fn stmt(&self, name: &str) -> Option<StmtId> {
        self.by_name.get(name).copied()
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
pub(crate) fn eliminate(rows: &mut [Vec<i128>], pivot: usize, column: usize) -> Option<()> {
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
