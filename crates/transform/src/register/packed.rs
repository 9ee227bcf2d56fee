//! Steps that give a nest register tiles and packed operands.

use super::nest::{Steps, Tiled};
use super::operands::Side;
use farkas_base::NameGenerator;
use farkas_steps::{ArrayAddress, Interchange, LoopAddress, LoopKind, Stage, Step, Tile};

impl Tiled<'_> {
    /// The steps: loops that are not tiled stay outermost; in them loops over blocks of columns, depth and rows, over register tiles, and
    /// within these. Operands are packed where their blocks begin, sums loaded and stored with each tile.
    ///
    /// **Paper** Goto and van de Geijn, *Anatomy of high-performance matrix multiplication*, fig. 4 to 6.
    ///
    /// None where the loops are not those of the plan.
    pub(super) fn packed(&self, column: usize, names: &mut NameGenerator) -> Option<Steps> {
        let (loops, sizes) = (self.plan.loops, self.plan.sizes);
        let at = |position| self.tiled(position);
        let mut steps = Steps::default();
        let own = &mut steps.steps;
        own.extend(self.in_order(&[column, loops.depth, loops.row])?);
        let blocks = vec![sizes.column_block, sizes.depth_block, sizes.row_block];
        own.push(Step::Tile(Tile { first: at(1), sizes: blocks }));
        own.push(Step::Interchange(Interchange { loops: vec![at(6), at(5)] }));
        own.push(Step::Tile(Tile { first: at(4), sizes: vec![sizes.columns, sizes.rows] }));
        own.push(Step::Interchange(Interchange { loops: vec![at(8), at(7), at(6)] }));
        let parallel = self.parallel && !self.outer_is_parallel();
        self.pack(parallel, names, &mut steps);
        self.stage_sums(at(5), vec![at(7), at(8)], names, &mut steps);
        steps.marks.push((at(4), LoopKind::FullTilesApart));
        if parallel {
            steps.marks.push((at(3), LoopKind::Parallel));
        }
        Some(steps)
    }

    /// The steps that pack operands, and what their loops are marked as.
    fn pack(&self, parallel: bool, names: &mut NameGenerator, steps: &mut Steps) {
        let at = |position| self.tiled(position);
        for operand in &self.plan.operands {
            let load = names.fresh(&format!("{}_pack", self.name()));
            let panels = LoopAddress::new(&load, -3);
            let (place, layout) = match operand.side {
                Side::Rows => (at(3), vec![at(5), at(6), at(7)]),
                Side::Columns => (at(2), vec![at(4), at(6), at(8)]),
            };
            steps.steps.push(Step::Stage(Stage {
                at: place,
                stmt: self.name().to_owned(),
                array: ArrayAddress::of(self.scop, operand.array),
                layout,
                pad: Vec::new(),
                buffers: 1,
                others: Vec::new(),
                load: Some(load),
                store: None,
            }));
            if parallel && operand.side == Side::Columns {
                steps.marks.push((panels.clone(), LoopKind::Parallel));
            }
            steps.marks.push((panels, LoopKind::FullTilesApart));
        }
    }
}
