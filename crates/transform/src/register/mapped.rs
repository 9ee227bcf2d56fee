//! Steps that give a nest register tiles on a GPU: blocks of sums in the registers of threads, operands in shared memory.

use super::gpu_sizes::padding;
use super::nest::{Steps, Tiled};
use super::operands::{Operand, Side};
use farkas_base::NameGenerator;
use farkas_machine::Gpu;
use farkas_steps::{
    Ahead, ArrayAddress, Axis, Interchange, Kernel, LoopAddress, LoopKind, Map, MappedTo, Stage,
    Step, Tile,
};

impl Tiled<'_> {
    /// The steps: blocks of rows and columns run on blocks of the grid, with all of the depth; what of the sums a block has, its threads keep in
    /// registers from its beginning to its end, and with each few steps of the depth they bring its operands into shared memory, along
    /// lines; with several buffers for each, they do so some steps ahead. Full tiles have code of their own. The outermost loop around that carries nothing runs on blocks, too, and the kernel begins with it.
    ///
    /// **Paper** the hierarchy is that of V. Volkov and J. Demmel, *Benchmarking GPUs to tune dense linear algebra*, SC 2008.
    ///
    /// None where the loops are not those of the plan.
    pub(super) fn mapped(
        &self,
        column: usize,
        (gpu, buffers): (&Gpu, u16),
        names: &mut NameGenerator,
    ) -> Option<Steps> {
        let (loops, sizes) = (self.plan.loops, self.plan.sizes);
        let at = |position| self.tiled(position);
        let mut steps = Steps::default();
        let own = &mut steps.steps;
        own.extend(self.in_order(&[loops.row, column, loops.depth])?);
        let blocks = vec![sizes.row_block, sizes.column_block, sizes.depth_block];
        own.push(Step::Tile(Tile { first: at(1), sizes: blocks }));
        own.push(Step::Tile(Tile { first: at(4), sizes: vec![sizes.rows, sizes.columns] }));
        own.push(Step::Interchange(Interchange { loops: vec![at(8), at(6), at(7)] }));
        let [load, store] =
            ["load", "store"].map(|what| names.fresh(&format!("{}_{what}", self.name())));
        own.push(Step::Stage(Stage {
            at: at(2),
            stmt: self.name().to_owned(),
            array: ArrayAddress::WrittenBy(self.name().to_owned()),
            layout: vec![at(4), at(5), at(7), at(8)],
            pad: Vec::new(),
            buffers: 1,
            others: Vec::new(),
            load: Some(load.clone()),
            store: Some(store.clone()),
        }));
        let first = self.n_before();
        let mut brought = Vec::new();
        for operand in &self.plan.operands {
            let name = names.fresh(&format!("{}_share", self.name()));
            own.push(self.shared(operand, &name, (gpu, buffers)));
            let by_registers = buffers > 1 && self.is_of_threads(operand);
            let fetched = by_registers.then(|| names.fresh(&format!("{}_fetch", self.name())));
            if let Some(fetched) = &fetched {
                own.push(self.fetched(operand, &name, fetched));
            }
            brought.push(Brought { operand, name, fetched });
        }
        for stmt in [load, store] {
            own.push(on_threads(&stmt, first + 3, Axis::Y));
            own.push(on_threads(&stmt, first + 4, Axis::X));
        }
        for Brought { operand, name, fetched } in &brought {
            let [depth, tile] = axes(operand);
            for stmt in std::iter::once(name).chain(fetched) {
                own.push(on_threads(stmt, first + 4, depth));
                own.push(on_threads(stmt, first + 5, tile));
            }
        }
        let to = |to, first, axes| Step::Map(Map { first, to, axes });
        own.push(to(MappedTo::Threads, at(4), vec![Axis::Y, Axis::X]));
        own.push(to(MappedTo::Blocks, at(1), vec![Axis::Y, Axis::X]));
        let first_free = self.plan.others.iter().position(|is_coincident| *is_coincident);
        if let Some(free) = first_free {
            own.push(to(MappedTo::Blocks, self.own(free + 1), vec![Axis::Z]));
        }
        // All that waits for a sum is in its thread, so that the loops around the tiles may be in the kernel.
        let kernel = self.own(first_free.unwrap_or(0) + 1);
        let threads = [sizes.column_block / sizes.columns, sizes.row_block / sizes.rows, 1];
        own.push(Step::Kernel(Kernel { at: Some(kernel), stmts: Vec::new(), threads }));
        if buffers > 1 {
            let mut last: Vec<String> = Vec::new();
            let mut stmts = Vec::new();
            for Brought { name, fetched, .. } in brought {
                last.extend(fetched.is_some().then(|| name.clone()));
                stmts.extend(fetched.into_iter().chain([name]));
            }
            own.push(Step::Ahead(Ahead { at: at(3), stmts, by: buffers - 1, last }));
        }
        // Of full tiles, the innermost loops have no conditions and a length that compilers know.
        steps.marks.extend([3, 4].map(|tiles| (at(tiles), LoopKind::FullTilesApart)));
        Some(steps)
    }

    /// Whether each thread of a block brings one step of the sum for one register tile of an operand: what it brings is its own then, and fits registers.
    fn is_of_threads(&self, operand: &Operand) -> bool {
        let sizes = self.plan.sizes;
        let [x, y] = [sizes.column_block / sizes.columns, sizes.row_block / sizes.rows];
        let n_tiles = match operand.side {
            Side::Rows => y,
            Side::Columns => x,
        };
        let n_along = |axis| if axis == Axis::X { x } else { y };
        axes(operand).map(n_along) == [sizes.depth_block, n_tiles]
    }

    /// The step by which threads bring an operand into registers first, so that they need not wait for memory before they compute.
    fn fetched(&self, operand: &Operand, shared: &str, name: &str) -> Step {
        let first = self.n_before();
        let at = |position| LoopAddress::new(shared, position);
        Step::Stage(Stage {
            at: at(first + 3),
            stmt: shared.to_owned(),
            array: ArrayAddress::of(self.scop, operand.array),
            layout: vec![at(first + 4), at(first + 5), at(first + 6)],
            pad: Vec::new(),
            buffers: 1,
            others: Vec::new(),
            load: Some(name.to_owned()),
            store: None,
        })
    }

    /// The step that brings an operand into shared memory.
    fn shared(&self, operand: &Operand, name: &str, (gpu, buffers): (&Gpu, u16)) -> Step {
        let at = |position| self.tiled(position);
        let layout = match operand.side {
            Side::Rows => vec![at(6), at(4), at(7)],
            Side::Columns => vec![at(6), at(5), at(8)],
        };
        Step::Stage(Stage {
            at: at(3),
            stmt: self.name().to_owned(),
            array: ArrayAddress::of(self.scop, operand.array),
            layout,
            pad: padding(&self.plan.sizes, operand, gpu),
            buffers,
            others: Vec::new(),
            load: Some(name.to_owned()),
            store: None,
        })
    }
}

/// The axes whose threads bring the steps of the sum, and the register tiles, of an operand: along x they bring what lies along lines.
fn axes(operand: &Operand) -> [Axis; 2] {
    match operand.is_along_depth {
        true => [Axis::X, Axis::Y],
        false => [Axis::Y, Axis::X],
    }
}

/// An operand that threads bring into shared memory.
struct Brought<'a> {
    operand: &'a Operand,
    /// The statement that does.
    name: String,
    /// What brings it into registers before, if something does.
    fetched: Option<String>,
}

/// The step that divides a loop around a statement, from one, among the threads of a block.
fn on_threads(stmt: &str, position: i64, axis: Axis) -> Step {
    let first = LoopAddress::new(stmt, position);
    Step::Map(Map { first, to: MappedTo::Threads, axes: vec![axis] })
}
