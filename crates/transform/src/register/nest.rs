//! The loops of a nest that gets register tiles, as steps name them.

use super::plan::Plan;
use farkas_analysis::Affine;
use farkas_base::NameGenerator;
use farkas_scop::{ElementKind, Scop, StmtId};
use farkas_steps::{ArrayAddress, Interchange, LoopAddress, LoopKind, Mark, Shift, Stage, Step};

/// A nest that gets register tiles.
pub(super) struct Tiled<'a> {
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

/// Steps in the making, with those that mark loops, which come last.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) steps: Vec<Step>,
    pub(super) marks: Vec<(LoopAddress, LoopKind)>,
    /// The loops whose lanes add to copies, once what is inside them is marked.
    pub(super) in_lanes: Vec<Mark>,
}

impl Steps {
    /// All of them.
    pub(super) fn all(self) -> Vec<Step> {
        let marks = self.marks.into_iter().map(|(at, kind)| Mark::new(at, kind));
        let marks = marks.chain(self.in_lanes).map(Step::Mark);
        self.steps.into_iter().chain(marks).collect()
    }
}

impl Tiled<'_> {
    /// The steps; none where the loops are not those of the plan.
    pub(super) fn steps(&self, names: &mut NameGenerator) -> Option<Vec<Step>> {
        let mut steps = match self.plan.loops.column {
            Some(column) => self.packed(column, names)?,
            None => self.rows_alone(names)?,
        };
        if self.parallel && self.outer_is_parallel() {
            steps.marks.push((self.own(1), LoopKind::Parallel));
        }
        steps.marks.push((self.own(1), LoopKind::Shaped));
        Some(steps.all())
    }

    /// The name of the statement.
    pub(super) fn name(&self) -> &str {
        &self.scop.stmts()[self.stmt].name
    }

    /// Whether the outermost loop that is not tiled may run on threads.
    pub(super) fn outer_is_parallel(&self) -> bool {
        self.plan.others.first() == Some(&true)
    }

    /// A loop of the nest, from one.
    pub(super) fn own(&self, position: usize) -> LoopAddress {
        let position = i64::try_from(self.n_outer + position).unwrap_or(i64::MAX);
        LoopAddress::new(self.name(), position)
    }

    /// A loop of the nest, from the first one that is tiled, from one.
    pub(super) fn tiled(&self, position: usize) -> LoopAddress {
        self.own(self.plan.others.len() + position)
    }

    /// How many loops are around those that are tiled.
    pub(super) fn n_before(&self) -> i64 {
        i64::try_from(self.n_outer + self.plan.others.len()).unwrap_or(i64::MAX)
    }

    /// Loads and stores the sums in each iteration of a loop: a buffer along these loops, the rows of which are written out, each in vector lanes where
    /// it has columns.
    pub(super) fn stage_sums(
        &self,
        at: LoopAddress,
        layout: Vec<LoopAddress>,
        names: &mut NameGenerator,
        steps: &mut Steps,
    ) {
        let name = self.name();
        let [load, store] = ["load", "store"].map(|what| names.fresh(&format!("{name}_{what}")));
        let innermost: &[(i64, LoopKind)] = match self.plan.loops.column {
            None => &[(-1, LoopKind::Unroll)],
            Some(_) => &[(-2, LoopKind::Unroll), (-1, LoopKind::Vector)],
        };
        for stmt in [name, &load, &store] {
            let marks = innermost.iter().map(|(at, kind)| (LoopAddress::new(stmt, *at), *kind));
            steps.marks.extend(marks);
        }
        steps.steps.push(Step::Stage(Stage {
            at,
            stmt: name.to_owned(),
            array: ArrayAddress::WrittenBy(name.to_owned()),
            layout,
            pad: Vec::new(),
            buffers: 1,
            others: Vec::new(),
            load: Some(load),
            store: Some(store),
        }));
    }

    /// The array of sums, to copies of which vector lanes of the loop that sums up may add: where their order is free. A signed integer may
    /// overflow in another order.
    pub(super) fn sums_in_lanes(&self) -> Option<ArrayAddress> {
        let (scop, stmt) = (self.scop, &self.scop.stmts()[self.stmt]);
        let update = stmt.update(scop.arrays())?;
        let kind = scop.arrays()[stmt.accesses[update.target].array].element.kind;
        let is_number = matches!(kind, ElementKind::Float | ElementKind::Double);
        let is_free = is_number && scop.reassociation().permits(update.freedom);
        is_free.then(|| ArrayAddress::WrittenBy(stmt.name.clone()))
    }

    /// The steps that bring loops that run along these iterators behind the others, in this order, and their dates to the iterators' values.
    pub(super) fn in_order(&self, inner: &[usize]) -> Option<Vec<Step>> {
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
