//! Where the rows lie that arrays of pointers lead to: `a[i][j]` of a `double **a`, or of pages of rows, `a[i][j][k]`.
//!
//! A test in front of a region looks at the rows from the first to the last. It reads the pointers to them, which are there for sure where the
//! region reads them whatever its data are: of a row that a condition on data skips, there may be none.

use super::assume::Taken;
use super::build::Builder;
use super::hir::VarId;
use farkas_poly::{DimType, Map, Result, Set};
use farkas_scop::{AccessKind, AssumptionKind, Claim};

impl Builder<'_> {
    /// An array of pointers is known by its rows, which must not overlap each other where they are written, nor the rows around them what else
    /// is used.
    pub(super) fn rows(&mut self, array: VarId) {
        if !self.vars[array].holds_pointers || self.has_rows_anywhere(array) {
            return;
        }
        let is_testable = self.has_testable_rows(array);
        let var = &self.vars[array];
        let text = format!("the rows of `{}` lie one after another", var.name);
        let (names, span) = (vec![var.name.clone()], Some(var.span));
        let claim = match is_testable {
            true => Claim::RowsAscend(self.array(array)),
            false => Claim::Untestable,
        };
        let (kind, needed_by) = (AssumptionKind::SeparateRows, "dependences");
        self.take(Taken { kind, claim, text, needed_by, names, span }, None);
    }

    /// Whether nothing depends on where the rows of an array of pointers lie, but that a test keeps each apart from what is written: they are
    /// only read.
    pub(super) fn has_rows_anywhere(&mut self, array: VarId) -> bool {
        let var = &self.vars[array];
        var.holds_pointers && var.writes.is_empty() && self.has_testable_rows(array)
    }

    /// Whether a test may look at the rows of an array of pointers.
    fn has_testable_rows(&mut self, array: VarId) -> bool {
        let has_rows = self.vars[array].rank() > 1 && self.is_bounded(array);
        has_rows && self.are_rows_there(array).unwrap_or(false)
    }

    /// Whether the region reads the pointers to all rows from the first to the last, whatever its data are, so that they are there. Between two
    /// pointers that are in memory there may be any that is not used.
    fn are_rows_there(&mut self, array: VarId) -> Result<bool> {
        let rank = self.vars[array].rank();
        let id = self.array(array);
        let (mut all, mut sure) = (Vec::new(), Vec::new());
        for stmt in &self.stmts {
            let surely = stmt.surely_touched();
            for (at, access) in stmt.accesses.iter_enumerated() {
                if access.array != id || access.kind == AccessKind::Kill {
                    continue;
                }
                let elements = stmt.domain.apply(&access.relation)?;
                let n = u32::try_from(rank).unwrap_or(u32::MAX);
                let rows = elements.project_out(DimType::SET, n.saturating_sub(1), 1)?;
                if surely.contains(&at) {
                    sure.push(rows.clone());
                }
                all.push(rows);
            }
        }
        let (Some(all), Some(sure)) = (Set::union_all(all)?, Set::union_all(sure)?) else {
            return Ok(false);
        };
        box_around(&all, rank - 1)?.is_subset(&between(&sure, rank - 1, rank - 2)?)
    }
}

/// The points from the first to the last of a set in each dimension.
fn box_around(set: &Set, n_dims: usize) -> Result<Set> {
    let dims: Vec<String> = (0..n_dims).map(|at| format!("d{at}")).collect();
    let mut whole = set.clone();
    for (at, dim) in dims.iter().enumerate() {
        let along: Map = format!("{{ [{}] -> [{dim}] }}", dims.join(", ")).parse()?;
        let range = between(&set.apply(&along)?, 1, 0)?.apply(&along.reverse()?)?;
        whole = if at == 0 { range } else { whole.intersect(&range)? };
    }
    Ok(whole)
}

/// The points between two of a set that differ in one dimension alone.
fn between(set: &Set, n_dims: usize, along: usize) -> Result<Set> {
    let dims: Vec<String> = (0..n_dims).map(|at| format!("d{at}")).collect();
    let mut other = dims.clone();
    other[along] = "to".to_owned();
    let step = |sign: &str| -> Result<Map> {
        let (from, to) = (dims.join(", "), other.join(", "));
        format!("{{ [{from}] -> [{to}] : {} {sign} to }}", dims[along]).parse()
    };
    set.apply(&step("<=")?)?.intersect(&set.apply(&step(">=")?)?)
}

#[cfg(test)]
mod tests {
    use super::{between, box_around};
    use farkas_poly::Set;

    #[test]
    fn boxes_of_rows() {
        let set: Set = "[n] -> { [i, j] : 0 <= i < n and 0 <= j <= i }".parse().expect("a set");
        let expected: Set = "[n] -> { [i, j] : 0 <= i < n and 0 <= j < n }".parse().expect("a set");
        assert!(box_around(&set, 2).expect("a set").is_equal(&expected).expect("sets"));
        let even: Set = "[n] -> { [i] : 0 <= i <= 2n and i % 2 = 0 }".parse().expect("a set");
        let all: Set = "[n] -> { [i] : 0 <= i <= 2n }".parse().expect("a set");
        assert!(between(&even, 1, 0).expect("a set").is_equal(&all).expect("sets"));
    }
}
