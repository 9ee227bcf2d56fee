//! One integer program for each band: validity, the plan's constraints and costs; then progression row by row.

mod wishes;

use crate::Result;
use crate::affine::StmtRow;
use crate::coalescing::LoopSizes;
use crate::coefficient::Coefficient;
use crate::constraint::{Constraint, Term};
use crate::cost::{CostContext, Wish};
use crate::distance::distance_row;
use crate::layout::{Column, CostVariables, IlpLayout, Signs};
use crate::node::{Node, NodeIdx};
use crate::options::SolverChoice;
use crate::plan::Plan;
use crate::progression::Progression;
use farkas_base::{Budget, Id, gcd};
use farkas_deps::Reuse;
use farkas_scop::ParamId;
use farkas_solve::{IslLexmin, Lexmin, Outcome, Row, RowKind, Solver};
use std::collections::{BTreeSet, HashSet};
use wishes::Granted;

/// The rows found by one solution, and the cost vector with names.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// One for each statement of the layout.
    pub(crate) rows: Vec<StmtRow>,
    /// The coefficients of the dimensions of each node's space.
    pub(crate) node_rows: Vec<Vec<i64>>,
    pub(crate) cost: Vec<(String, i64)>,
    /// The values of the costs that are worth a search over signs.
    pub(crate) deciding: Vec<i64>,
    /// What was wished for and not granted: relations by their position, with the reason.
    pub(crate) given_up: BTreeSet<(usize, Reuse)>,
}

/// The chosen solver.
pub(crate) enum AnySolver {
    Ours(Box<Lexmin>),
    Isl(IslLexmin),
}

impl AnySolver {
    /// What all have in common.
    pub(crate) fn common(&mut self) -> &mut dyn Solver {
        match self {
            Self::Ours(solver) => solver.as_mut(),
            Self::Isl(solver) => solver,
        }
    }
}

/// An integer program under construction.
pub(crate) struct Ilp {
    pub(crate) layout: IlpLayout,
    pub(crate) solver: AnySolver,
    /// For each cost function of the plan, whether it is worth a search over signs.
    decides: Vec<bool>,
    /// The wishes for the row at hand, with the positions of the functions that have them, ascending.
    pub(crate) wishes: Vec<(usize, Wish)>,
    keeps_scale: bool,
    /// The progression rows on top of the base, to see whether the next ones imply them.
    pushed: Vec<Row>,
    is_pushed: bool,
}

/// What a solve came to.
pub(crate) enum Found {
    Row(Solution),
    Nothing,
    OutOfBudget,
}

impl Ilp {
    /// The program of a band: everything but progression.
    pub(crate) fn new(
        context: &CostContext<'_>,
        plan: &Plan,
        nodes: &[Node],
        choice: SolverChoice,
    ) -> Result<Self> {
        let variables: Vec<CostVariables> =
            plan.costs.iter().map(|cost| cost.variables(context)).collect();
        let n_params = context.scop.params().len();
        let signs = Signs { has_params: context.has_params, is_signed: plan.negative_coefficients };
        let layout = IlpLayout::new(&variables, nodes, n_params, signs);
        let decides = plan.costs.iter().map(|cost| cost.decides()).collect();
        let n_vars = layout.columns().len();
        let solver = match choice {
            SolverChoice::Ours => AnySolver::Ours(Box::new(Lexmin::new(n_vars))),
            SolverChoice::Isl => AnySolver::Isl(IslLexmin::new(n_vars)),
        };
        let keeps_scale = !plan.constraints.is_empty();
        let (pushed, is_pushed) = (Vec::new(), false);
        let wishes = Vec::new();
        let mut ilp = Self { layout, solver, decides, wishes, keeps_scale, pushed, is_pushed };
        ilp.add_base(context, plan, nodes)?;
        Ok(ilp)
    }

    /// Adds costs, validity and the plan's constraints, each row once.
    fn add_base(&mut self, context: &CostContext<'_>, plan: &Plan, nodes: &[Node]) -> Result<()> {
        let mut seen: HashSet<(RowKind, Row)> = HashSet::new();
        let mut rows: Vec<(RowKind, Row)> = Vec::new();
        let mut sink = |kind: RowKind, row: Row| {
            let says_nothing = row.terms().is_empty() && row.constant() == 0;
            if !says_nothing && seen.insert((kind, row.clone())) {
                rows.push((kind, row));
            }
        };
        for (own, cost) in plan.costs.iter().enumerate() {
            cost.rows(context, &self.layout, own, &mut sink);
        }
        for dep in context.group.deps.iter().filter(|dep| dep.is_validity()) {
            for cone_row in &dep.cone.rows {
                sink(cone_row.kind, distance_row(&self.layout, dep, cone_row, 1));
            }
        }
        for dep in context.group.deps.iter().filter(|dep| dep.is_fixed) {
            for cone_row in &dep.cone.rows {
                sink(RowKind::Equality, distance_row(&self.layout, dep, cone_row, 1));
            }
        }
        for constraint in &plan.constraints {
            sink(constraint.kind, self.constraint_row(constraint));
        }
        for (column, what) in self.layout.columns().iter_enumerated() {
            let Column::Coefficient { which, .. } = what else { continue };
            let bound = if *which == Coefficient::Constant {
                plan.max_constant
            } else {
                plan.max_coefficient
            };
            if let Some(bound) = bound {
                sink(RowKind::Inequality, Row::new().with(column, -1).with_constant(bound));
            }
        }
        for (at, node) in nodes.iter().enumerate() {
            let is_bounded = plan.bounded_by_sizes;
            self.add_sizes(NodeIdx::from_index(at), &node.sizes, is_bounded, &mut sink);
        }
        for (kind, row) in rows {
            self.solver.common().add_row(kind, row)?;
        }
        Ok(())
    }

    /// What sizes of loops ask of the coefficients of a node's iterators.
    fn add_sizes(
        &self,
        node: NodeIdx,
        sizes: &LoopSizes,
        is_bounded: bool,
        sink: &mut dyn FnMut(RowKind, Row),
    ) {
        for (i, (&is_fixed, &max)) in sizes.is_fixed.iter().zip(&sizes.max_coefficient).enumerate()
        {
            let bound = if is_fixed { Some(0) } else { max.filter(|_| is_bounded) };
            if let Some(bound) = bound {
                for &(column, _) in self.layout.node_terms(node, i) {
                    sink(RowKind::Inequality, Row::new().with(column, -1).with_constant(bound));
                }
            }
        }
    }

    /// A plan's constraint over this layout's columns.
    fn constraint_row(&self, constraint: &Constraint) -> Row {
        let mut row = Row::new().with_constant(constraint.constant);
        for (term, factor) in &constraint.terms {
            match term {
                Term::Coefficient(stmt, which) => self.layout.add(&mut row, *stmt, *which, *factor),
                Term::Cost { function, variable } => {
                    if let Some(&column) = self.layout.own(*function).get(*variable) {
                        row.add(column, *factor);
                    }
                }
            }
        }
        row
    }

    /// The lexicographically smallest row in which every statement progresses.
    pub(crate) fn solve(&mut self, progress: &[Progression], budget: &Budget) -> Result<Found> {
        let rows: Vec<Row> = progress
            .iter()
            .flat_map(|p| {
                p.alternatives[0].iter().map(|(h, bound)| self.independence(p, h, *bound))
            })
            .collect();
        // Rows of the dimensions before may stay, and with them the basis, where the new ones imply them.
        let is_implied = |old: &Row| rows.iter().any(|new| implies(new, old));
        if !self.pushed.iter().all(is_implied) {
            self.pop()?;
        }
        if !self.is_pushed {
            self.solver.common().push();
            self.is_pushed = true;
        }
        for row in &rows {
            if !self.pushed.contains(row) {
                self.solver.common().add_inequality(row.clone())?;
            }
        }
        self.pushed = rows;
        self.minimize(budget)
    }

    /// Takes the progression rows back.
    pub(crate) fn pop(&mut self) -> Result<()> {
        if !self.is_pushed {
            return Ok(());
        }
        self.solver.common().pop()?;
        self.is_pushed = false;
        self.pushed.clear();
        Ok(())
    }

    /// `h . c >= bound` for the iterator coefficients `c` of a node.
    pub(crate) fn independence(&self, progression: &Progression, h: &[i64], bound: i64) -> Row {
        let mut row = Row::new().with_constant(-bound);
        for (i, &factor) in h.iter().enumerate() {
            for &(column, sign) in self.layout.node_terms(progression.node, i) {
                row.add_product(column, sign, factor);
            }
        }
        row
    }

    /// The lexicographically smallest row under all that is pushed, with the wishes that can be granted.
    pub(crate) fn minimize(&mut self, budget: &Budget) -> Result<Found> {
        let point = match self.solver.common().minimize(budget)? {
            Outcome::Solution(point) => point,
            Outcome::Infeasible => return Ok(Found::Nothing),
            Outcome::OutOfBudget => return Ok(Found::OutOfBudget),
        };
        if self.wishes.is_empty() {
            return Ok(Found::Row(self.solution(&Granted { point, ..Granted::default() })?));
        }
        let granted = self.grant(point, budget)?;
        Ok(Found::Row(self.solution(&granted)?))
    }

    /// Reads rows and cost out of a point. A row is divided by the common factor of all statements, where no constraint of
    /// the plan asks for its scale.
    fn solution(&self, granted: &Granted) -> Result<Solution> {
        let (layout, point) = (&self.layout, &granted.point);
        let row = |stmt| -> Result<StmtRow> {
            let value = |which| layout.value(point, stmt, which);
            let iterators = (0..layout.n_iterators(stmt)).map(Coefficient::Iterator);
            let params = (0..layout.n_params()).map(ParamId::from_index).map(Coefficient::Param);
            Ok(StmtRow {
                iterators: iterators.map(value).collect::<Result<_>>()?,
                params: params.map(value).collect::<Result<_>>()?,
                constant: value(Coefficient::Constant)?,
            })
        };
        let mut rows = layout.stmts().map(row).collect::<Result<Vec<_>>>()?;
        let divisor = rows.iter().flat_map(StmtRow::entries).fold(0, gcd);
        if divisor > 1 && !self.keeps_scale {
            rows.iter_mut().for_each(|row| row.divide(divisor));
        }
        let (mut cost, mut deciding) = (Vec::new(), Vec::new());
        for (function, &decides) in self.decides.iter().enumerate() {
            let wishes = self.wishes.iter().zip(&granted.is_granted);
            let of_wishes = wishes
                .filter(|((of, _), _)| *of == function)
                .map(|((_, wish), &is_granted)| (wish.name.clone(), i64::from(!is_granted)));
            let leading = layout.leading_of(function);
            let of_columns = leading.map(|column| (layout.name(column), point[column]));
            let first = cost.len();
            cost.extend(of_wishes.chain(of_columns));
            if decides {
                deciding.extend(cost[first..].iter().map(|(_, value)| *value));
            }
        }
        let (node_rows, given_up) = (layout.node_rows(point), granted.given_up.clone());
        Ok(Solution { rows, node_rows, cost, deciding, given_up })
    }

    /// Numbers of columns and rows.
    pub(crate) fn size(&self) -> (usize, usize) {
        let problem = match &self.solver {
            AnySolver::Ours(solver) => solver.problem(),
            AnySolver::Isl(solver) => solver.problem(),
        };
        (problem.n_vars(), problem.n_rows())
    }

    /// Units of work that one row may take: `least`, or what a number of pivots on a dense tableau take. isl needs more of
    /// them, since it begins anew for each row and counts other operations, too.
    pub(crate) fn max_work(&self, least: u64) -> u64 {
        let n_pivots: u64 = match &self.solver {
            AnySolver::Ours(_) => 200,
            AnySolver::Isl(_) => 50_000,
        };
        let (n_columns, n_rows) = self.size();
        let n_entries = u64::try_from(n_columns.saturating_mul(n_rows)).unwrap_or(u64::MAX);
        least.max(n_entries.saturating_mul(n_pivots))
    }

    /// Pivots so far; zero for another solver than ours.
    pub(crate) fn n_pivots(&self) -> u64 {
        match &self.solver {
            AnySolver::Ours(solver) => solver.stats().n_pivots,
            AnySolver::Isl(_) => 0,
        }
    }
}

/// Whether `new >= 0` gives `old >= 0` for non-negative columns.
fn implies(new: &Row, old: &Row) -> bool {
    old.constant() >= new.constant()
        && old.terms().iter().all(|&(column, c)| c >= new.coefficient(column))
        && new.terms().iter().all(|&(column, c)| c <= old.coefficient(column))
}
