//! One integer program for each band: validity, the plan's constraints and costs; then progression row by row.

use crate::Result;
use crate::affine::StmtRow;
use crate::coalescing::LoopSizes;
use crate::cost::{CostContext, CostVariables};
use crate::farkas::ConeRow;
use crate::group::ActiveDep;
use crate::layout::{Coefficient, Column, IlpLayout, Signs};
use crate::options::SolverChoice;
use crate::plan::{Constraint, Plan, Term};
use crate::progression::Progression;
use farkas_base::{Budget, Id, IdVec, gcd};
use farkas_scop::{ParamId, StmtId};
use farkas_solve::{IslLexmin, Lexmin, Outcome, Row, RowKind, Solver, VarIdx};
use std::collections::HashSet;

/// `sign` times the distance of `dep`, as `cone_row` of its cone sees it.
///
/// **Formulation** The cone's row is `a_0 c_0 + a_p.c_p + a_x.c_x + a_y.c_y >= 0` for the form
/// `c_0 + c_p n + c_x i + c_y j`. The distance `phi_T(j) - phi_S(i)` is that form with `c_0 = cst_T - cst_S`,
/// `c_p = d_T - d_S`, `c_x = -c_S`, `c_y = c_T`.
pub(crate) fn distance_row(
    layout: &IlpLayout,
    dep: &ActiveDep,
    cone_row: &ConeRow,
    sign: i64,
) -> Row {
    let mut terms: Vec<(VarIdx, i64)> = Vec::new();
    let mut add = |stmt: StmtId, which: Coefficient, factor: i64| {
        if factor != 0 {
            let columns = layout.terms(stmt, which);
            terms.extend(columns.map(|(column, part)| (column, part * sign * factor)));
        }
    };
    for (i, &factor) in cone_row.sink.iter().enumerate() {
        add(dep.sink, Coefficient::Iterator(i), factor);
    }
    for (i, &factor) in cone_row.source.iter().enumerate() {
        add(dep.source, Coefficient::Iterator(i), -factor);
    }
    if dep.source != dep.sink {
        for (p, &factor) in cone_row.params.iter().enumerate() {
            add(dep.sink, Coefficient::Param(ParamId::from_index(p)), factor);
            add(dep.source, Coefficient::Param(ParamId::from_index(p)), -factor);
        }
        add(dep.sink, Coefficient::Constant, cone_row.constant);
        add(dep.source, Coefficient::Constant, -cone_row.constant);
    }
    Row::from_terms(terms, 0)
}

/// The rows found by one solution, one for each statement of the layout, and the cost vector with names.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub(crate) rows: Vec<StmtRow>,
    pub(crate) cost: Vec<(String, i64)>,
    /// The values of the costs that are worth a search over signs.
    pub(crate) deciding: Vec<i64>,
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
    /// How many leading columns are worth a search over signs.
    n_deciding: usize,
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
        stmts: &[(StmtId, &LoopSizes)],
        choice: SolverChoice,
    ) -> Result<Self> {
        let variables: Vec<CostVariables> =
            plan.costs.iter().map(|cost| cost.variables(context)).collect();
        let n_params = context.scop.params().len();
        let signs = Signs { has_params: context.has_params, is_signed: plan.negative_coefficients };
        let n_iterators: Vec<(StmtId, usize)> =
            stmts.iter().map(|(stmt, sizes)| (*stmt, sizes.is_fixed.len())).collect();
        let layout = IlpLayout::new(&variables, &n_iterators, n_params, signs);
        let n_deciding = plan.costs.iter().zip(&variables).filter(|(cost, _)| cost.decides());
        let n_deciding = n_deciding.map(|(_, own)| own.leading.len()).sum();
        let n_vars = layout.columns().len();
        let solver = match choice {
            SolverChoice::Ours => AnySolver::Ours(Box::new(Lexmin::new(n_vars))),
            SolverChoice::Isl => AnySolver::Isl(IslLexmin::new(n_vars)),
        };
        let keeps_scale = !plan.constraints.is_empty();
        let (pushed, is_pushed) = (Vec::new(), false);
        let mut ilp = Self { layout, solver, n_deciding, keeps_scale, pushed, is_pushed };
        ilp.add_base(context, plan, stmts)?;
        Ok(ilp)
    }

    /// Adds costs, validity and the plan's constraints, each row once.
    fn add_base(
        &mut self,
        context: &CostContext<'_>,
        plan: &Plan,
        stmts: &[(StmtId, &LoopSizes)],
    ) -> Result<()> {
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
        for (stmt, sizes) in stmts {
            self.add_sizes(*stmt, sizes, plan.bounded_by_sizes, &mut sink);
        }
        for (kind, row) in rows {
            self.solver.common().add_row(kind, row)?;
        }
        Ok(())
    }

    /// What sizes of loops ask of the coefficients of a statement's iterators.
    fn add_sizes(
        &self,
        stmt: StmtId,
        sizes: &LoopSizes,
        is_bounded: bool,
        sink: &mut dyn FnMut(RowKind, Row),
    ) {
        for (i, (&is_fixed, &max)) in sizes.is_fixed.iter().zip(&sizes.max_coefficient).enumerate()
        {
            let columns = self.layout.terms(stmt, Coefficient::Iterator(i));
            let bound = if is_fixed { Some(0) } else { max.filter(|_| is_bounded) };
            if let Some(bound) = bound {
                for (column, _) in columns {
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

    /// `h . c >= bound` for the iterator coefficients `c` of a statement.
    pub(crate) fn independence(&self, progression: &Progression, h: &[i64], bound: i64) -> Row {
        let mut row = Row::new().with_constant(-bound);
        for (i, &factor) in h.iter().enumerate() {
            self.layout.add(&mut row, progression.stmt, Coefficient::Iterator(i), factor);
        }
        row
    }

    /// Runs the solver.
    pub(crate) fn minimize(&mut self, budget: &Budget) -> Result<Found> {
        Ok(match self.solver.common().minimize(budget)? {
            Outcome::Solution(point) => Found::Row(self.solution(&point)),
            Outcome::Infeasible => Found::Nothing,
            Outcome::OutOfBudget => Found::OutOfBudget,
        })
    }

    /// Reads rows and cost out of a point. A row is divided by the common factor of all statements, where no constraint of
    /// the plan asks for its scale.
    fn solution(&self, point: &IdVec<VarIdx, i64>) -> Solution {
        let layout = &self.layout;
        let value = |stmt, which| layout.value(point, stmt, which);
        let mut rows: Vec<StmtRow> = layout
            .stmts()
            .map(|stmt| StmtRow {
                iterators: (0..layout.n_iterators(stmt))
                    .map(|i| value(stmt, Coefficient::Iterator(i)))
                    .collect(),
                params: (0..layout.n_params())
                    .map(|p| value(stmt, Coefficient::Param(ParamId::from_index(p))))
                    .collect(),
                constant: value(stmt, Coefficient::Constant),
            })
            .collect();
        let divisor = rows.iter().flat_map(StmtRow::entries).fold(0, gcd);
        if divisor > 1 && !self.keeps_scale {
            rows.iter_mut().for_each(|row| row.divide(divisor));
        }
        let cost: Vec<(String, i64)> =
            layout.leading().map(|column| (layout.name(column), point[column])).collect();
        let deciding = cost.iter().take(self.n_deciding).map(|(_, value)| *value).collect();
        Solution { rows, cost, deciding }
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
