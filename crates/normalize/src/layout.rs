//! In which order the dimensions of arrays are named that nothing outside the region sees.

use crate::Result;
use crate::loops::{Standing, standing};
use farkas_scop::{Array, ArrayId, Scop, linear_subscripts};
use farkas_tree::Program;
use std::collections::{BTreeMap, BTreeSet};

/// The orders of dimensions of temporary arrays, whatever the loops were from which they have their dimensions: those of the loops around the
/// statement that uses most other arrays beside them, since other arrays decided the order of its loops; of several the first.
#[derive(Clone, Default, Debug)]
pub(crate) struct Layouts(BTreeMap<ArrayId, Layout>);

/// The order of an array's dimensions.
#[derive(Clone, Debug)]
struct Layout {
    dims: Vec<usize>,
    /// How many other arrays stand beside it.
    n_others: usize,
}

impl Layouts {
    /// Those of a program.
    pub(crate) fn of(program: &Program) -> Result<Self> {
        let mut layouts = Self::default();
        let scop = &program.scop;
        if scop.arrays().iter().any(Array::is_temporary) {
            standing(program)?.iter().try_for_each(|place| layouts.add(scop, place))?;
        }
        Ok(layouts)
    }

    /// The dimensions of an array in order.
    pub(crate) fn dims(&self, array: ArrayId, rank: usize) -> Vec<usize> {
        match self.0.get(&array) {
            Some(Layout { dims, .. }) if dims.len() == rank => dims.clone(),
            _ => (0..rank).collect(),
        }
    }

    /// Adds those of the arrays that a statement uses.
    fn add(&mut self, scop: &Scop, place: &Standing) -> Result<()> {
        let stmt = &scop.stmts()[place.stmt];
        let is_open = |array| scop.arrays()[array].is_temporary();
        let others = stmt.accesses.iter().filter(|other| !is_open(other.array));
        let n_others = others.map(|other| other.array).collect::<BTreeSet<_>>().len();
        for access in stmt.accesses.iter().filter(|access| is_open(access.array)) {
            let known = self.0.get(&access.array).map(|layout| layout.n_others);
            if known.is_none_or(|known| known < n_others)
                && let Some(subscripts) = linear_subscripts(&access.relation)?
            {
                let dims = sorted(&subscripts, &place.loops);
                self.0.insert(access.array, Layout { dims, n_others });
            }
        }
        Ok(())
    }
}

/// The positions of subscripts, each a row over the statement's dimensions, in the order of the innermost loop that moves them.
fn sorted(subscripts: &[Vec<i64>], loops: &[Option<Vec<i64>>]) -> Vec<usize> {
    let depth = |subscript: &Vec<i64>| {
        let moves = |row: &Option<Vec<i64>>| {
            row.iter().any(|row| row.iter().zip(subscript).any(|(a, b)| *a != 0 && *b != 0))
        };
        loops.iter().rposition(moves)
    };
    let mut dims: Vec<usize> = (0..subscripts.len()).collect();
    dims.sort_by_key(|at| depth(&subscripts[*at]));
    dims
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn dimensions_follow_the_loops() {
        let subscripts = [vec![0, 1], vec![1, 0]];
        let loops = [Some(vec![1, 0]), Some(vec![0, 1])];
        assert_eq!(sorted(&subscripts, &loops), [1, 0]);
    }
}
