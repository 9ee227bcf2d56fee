//! Steps that give a nest register tiles and packed operands.

use super::operands::Side;
use super::plan::Plan;
use farkas_analysis::Affine;
use farkas_base::NameGenerator;
use farkas_scop::{Scop, StmtId};
use farkas_steps::{
    ArrayAddress, Interchange, LoopAddress, LoopKind, Mark, Shift, Stage, Step, Tile,
};

/// A nest that gets register tiles.
pub(super) struct Packed<'a> {
    pub(super) scop: &'a Scop,
    pub(super) stmt: StmtId,
    pub(super) plan: &'a Plan,
    /// The rows of its loops, outermost first.
    pub(super) rows: &'a [Affine],
    /// How many loops are around it.
    pub(super) n_outer: usize,
    /// Whether one of its loops is to run on threads.
    pub(super) parallel: bool,
}

impl Packed<'_> {
    /// The steps: loops that are not tiled stay outermost; in them loops over blocks of columns, depth and rows, over register tiles, and
    /// within these. Operands are packed where their blocks begin, sums loaded and stored with each tile.
    ///
    /// **Paper** Goto and van de Geijn, *Anatomy of high-performance matrix multiplication*, fig. 4 to 6.
    ///
    /// None where the loops are not those of the plan.
    pub(super) fn steps(&self, names: &mut NameGenerator) -> Option<Vec<Step>> {
        let (loops, sizes) = (self.plan.loops, self.plan.sizes);
        let column = loops.column?;
        let mut steps = self.in_order(&[column, loops.depth, loops.row])?;
        let at = |position| self.tiled(position);
        let blocks = vec![sizes.column_block, sizes.depth_block, sizes.row_block];
        steps.push(Step::Tile(Tile { first: at(1), sizes: blocks }));
        steps.push(Step::Interchange(Interchange { loops: vec![at(6), at(5)] }));
        steps.push(Step::Tile(Tile { first: at(4), sizes: vec![sizes.columns, sizes.rows] }));
        steps.push(Step::Interchange(Interchange { loops: vec![at(8), at(7), at(6)] }));
        let outer_is_parallel = self.plan.others.first().is_some_and(|l| l.coincident);
        let parallel = self.parallel && !outer_is_parallel;
        let mut marks = Vec::new();
        self.pack(parallel, names, &mut steps, &mut marks);
        let name = &self.scop.stmts()[self.stmt].name;
        let (load, store) =
            (names.fresh(&format!("{name}_load")), names.fresh(&format!("{name}_store")));
        steps.push(Step::Stage(Stage {
            at: at(5),
            stmt: name.clone(),
            array: ArrayAddress::WrittenBy(name.clone()),
            layout: vec![at(7), at(8)],
            load: Some(load.clone()),
            store: Some(store.clone()),
        }));
        for stmt in [name, &load, &store] {
            marks.push((LoopAddress::new(stmt, -2), LoopKind::Unroll));
            marks.push((LoopAddress::new(stmt, -1), LoopKind::Vector));
        }
        marks.push((at(4), LoopKind::FullTilesApart));
        if parallel {
            marks.push((at(3), LoopKind::Parallel));
        }
        if self.parallel && outer_is_parallel {
            marks.push((self.own(1), LoopKind::Parallel));
        }
        marks.push((self.own(1), LoopKind::Shaped));
        steps.extend(marks.into_iter().map(|(at, kind)| Step::Mark(Mark::new(at, kind))));
        Some(steps)
    }

    /// The steps that pack operands, and what their loops are marked as.
    fn pack(
        &self,
        parallel: bool,
        names: &mut NameGenerator,
        steps: &mut Vec<Step>,
        marks: &mut Vec<(LoopAddress, LoopKind)>,
    ) {
        let at = |position| self.tiled(position);
        let name = &self.scop.stmts()[self.stmt].name;
        for operand in &self.plan.operands {
            let load = names.fresh(&format!("{name}_pack"));
            let panels = LoopAddress::new(&load, -3);
            let (place, layout) = match operand.side {
                Side::Rows => (at(3), vec![at(5), at(6), at(7)]),
                Side::Columns => (at(2), vec![at(4), at(6), at(8)]),
            };
            steps.push(Step::Stage(Stage {
                at: place,
                stmt: name.clone(),
                array: ArrayAddress::of(self.scop, operand.array),
                layout,
                load: Some(load),
                store: None,
            }));
            if parallel && operand.side == Side::Columns {
                marks.push((panels.clone(), LoopKind::Parallel));
            }
            marks.push((panels, LoopKind::FullTilesApart));
        }
    }

    /// A loop of the nest, from one.
    fn own(&self, position: usize) -> LoopAddress {
        let position = i64::try_from(self.n_outer + position).unwrap_or(i64::MAX);
        LoopAddress::new(&self.scop.stmts()[self.stmt].name, position)
    }

    /// A loop of the nest, from the first one that is tiled, from one.
    fn tiled(&self, position: usize) -> LoopAddress {
        self.own(self.plan.others.len() + position)
    }

    /// The steps that bring loops that run along these iterators behind the others, in this order, and their dates to the iterators' values.
    fn in_order(&self, inner: &[usize]) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let places: Option<Vec<usize>> =
            inner.iter().map(|at| self.rows.iter().position(|row| row.is_shifted(*at))).collect();
        let places = places?;
        for (place, at) in places.iter().zip(inner) {
            if !self.rows[*place].is_exactly(*at) {
                let by = negated(&self.rows[*place]);
                steps.push(Step::Shift(Shift { at: self.own(place + 1), by }));
            }
        }
        let mut order: Vec<usize> =
            (0..self.rows.len()).filter(|at| !places.contains(at)).collect();
        if order.len() != self.plan.others.len() {
            return None;
        }
        order.extend(&places);
        let moved = order.iter().enumerate().filter(|(at, old)| at != *old);
        let moved: Vec<LoopAddress> = moved.map(|(_, old)| self.own(old + 1)).collect();
        if !moved.is_empty() {
            steps.push(Step::Interchange(Interchange { loops: moved }));
        }
        Some(steps)
    }
}

/// What brings a loop's dates to the values of the iterator that it counts.
fn negated(row: &Affine) -> String {
    let params = row.params.iter().map(|(name, c)| format!(" - ({c})*{name}"));
    format!("-({}){}", row.constant, params.collect::<String>())
}
