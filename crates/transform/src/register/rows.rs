//! Register tiles of rows alone: sums whose operands are read where they are.

use super::nest::{Steps, Tiled};
use super::operands::Loops;
use super::plan::{Directions, Plan, Search};
use super::sizes::{Registers, Sizes};
use crate::Result;
use farkas_analysis::Affine;
use farkas_base::NameGenerator;
use farkas_poly::{DimType, Set};
use farkas_scop::AccessId;
use farkas_steps::{Interchange, LoopKind, Mark, Step, Tile};

impl Tiled<'_> {
    /// The steps: loops that are not tiled stay outermost; in them a loop over strips of rows, in it, where rows are not of one length, one over
    /// blocks of the depth; in it that along the depth, and the rows of the strip, written out. Sums are loaded and stored with each
    /// strip or block.
    ///
    /// None where the loops are not those of the plan.
    pub(super) fn rows_alone(&self, names: &mut NameGenerator) -> Option<Steps> {
        let (loops, sizes) = (self.plan.loops, self.plan.sizes);
        let at = |position| self.tiled(position);
        let mut steps = Steps::default();
        let own = &mut steps.steps;
        own.extend(self.in_order(&[loops.row, loops.depth])?);
        own.push(Step::Tile(Tile { first: at(1), sizes: vec![sizes.rows] }));
        own.push(Step::Interchange(Interchange { loops: vec![at(3), at(2)] }));
        let n_tiled = if self.plan.has_one_length { 1 } else { 2 };
        if n_tiled == 2 {
            own.push(Step::Tile(Tile { first: at(2), sizes: vec![sizes.depth_block] }));
        }
        self.stage_sums(at(n_tiled), vec![at(n_tiled + 2)], names, &mut steps);
        if let Some(sums) = self.sums_in_lanes() {
            let mark = Mark::new(at(n_tiled + 1), LoopKind::Vector);
            steps.in_lanes.push(Mark { reduce: vec![sums], ..mark });
        }
        steps.marks.extend((1..=n_tiled).map(|tiles| (at(tiles), LoopKind::FullTilesApart)));
        if self.parallel && !self.outer_is_parallel() {
            steps.marks.push((at(1), LoopKind::Parallel));
        }
        Some(steps)
    }
}

impl Search<'_> {
    /// The plan of register tiles without columns; `None` where there is none.
    ///
    /// Where sums run along the order of memory, each waits for its last addition. Rows of a tile do not wait for one another,
    /// and keep the order of their additions. It takes a loop without dependences, along which the target moves, for the rows, and
    /// an operand of each row's own that is contiguous along the loop that sums up; but no loop in whose order all the
    /// memory lies: its iterations run in vector lanes where it is innermost.
    pub(super) fn row_tiles(&self, registers: &Registers) -> Result<Option<Plan>> {
        let Some(sizes) = Sizes::of_rows(registers, self.kind) else { return Ok(None) };
        let Some(Directions { moving, depth }) = self.directions() else { return Ok(None) };
        if moving.iter().any(|at| self.fits_lanes(*at)) {
            return Ok(None);
        }
        for &row in &moving {
            let loops = Loops { row, column: None, depth };
            let least = [(row, sizes.rows), (depth, sizes.rows)];
            let has_matrix = self.operands().any(|access| self.is_matrix(access, loops));
            if has_matrix && self.may_take(loops) && !self.is_too_short(&least)? {
                let has_one_length = self.has_one_length(loops)?;
                return Ok(Some(self.plan(loops, sizes, has_one_length, Vec::new())));
            }
        }
        Ok(None)
    }

    /// The accesses to something else than the sums.
    fn operands(&self) -> impl Iterator<Item = AccessId> {
        self.subscripts.iter_enumerated().map(|(id, _)| id).filter(|id| !self.sums.contains(id))
    }

    /// Whether all accesses stay or move to the next element along an iterator.
    fn fits_lanes(&self, at: usize) -> bool {
        let mut steps = self.subscripts.iter_enumerated().map(|(id, _)| self.step(id, at));
        steps.all(|step| matches!(step, Some(0 | 1)))
    }

    /// Whether each row has elements of its own, one after another along the depth.
    fn is_matrix(&self, access: AccessId, loops: Loops) -> bool {
        let is_own = |rows: &Vec<Affine>| rows.iter().any(|row| row.involves(loops.row));
        self.subscripts[access].as_ref().is_some_and(is_own)
            && self.step(access, loops.depth) == Some(1)
    }

    /// Whether the depth of a row does not depend on the row.
    fn has_one_length(&self, loops: Loops) -> Result<bool> {
        let space = self.nest.scop.stmts()[self.nest.stmt].domain.space()?;
        is_product(&self.nest.instances.extract_set(&space)?, loops.row, loops.depth)
    }
}

/// Whether the values of one dimension do not depend on those of another.
pub(super) fn is_product(set: &Set, one: usize, other: usize) -> Result<bool> {
    let product = any(set, one)?.intersect(&any(set, other)?)?;
    Ok(product.is_subset(set)?)
}

/// The set with any value in a dimension.
fn any(set: &Set, at: usize) -> Result<Set> {
    let name = set.tuple_name().unwrap_or_default();
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    let rest = set.project_out(DimType::SET, at, 1)?;
    Ok(rest.insert_dims(DimType::SET, at, 1)?.with_tuple_name(&name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_length() {
        let is_product = |set: &str| {
            let set: Set = set.parse().expect("a set");
            is_product(&set, 1, 2).expect("an answer")
        };
        assert!(is_product("[n, m] -> { S[t, i, j] : 0 <= i < n and t <= j < m }"));
        assert!(!is_product("[n] -> { S[t, i, j] : 0 <= i < n and 0 <= j <= i }"));
        assert!(!is_product("[n] -> { S[t, i, j] : 0 <= i, j < n and i + j >= t }"));
        assert!(is_product("{ S[t, i, j] : t <= i < t + 8 and 0 <= j < 64t }"));
    }
}
