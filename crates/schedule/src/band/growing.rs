//! A band while it grows.

use crate::affine::{PairForm, StmtRow};
use crate::driver::Driver;
use crate::group::{ActiveDep, Group};
use crate::ilp::{Ilp, Solution};
use crate::plan::{Constraint, Plan, broken};
use crate::progression::Progression;
use crate::report::{RowReport, Warning};
use crate::span::Span;
use farkas_base::{Id, IdVec};
use farkas_poly::Map;
use farkas_scop::{ParamId, StmtId};
use std::rc::Rc;

/// A dependence while a band grows.
#[derive(Clone)]
pub(super) struct Progress {
    /// The pairs with zero distance in all rows so far.
    pub(super) left: Map,
    pub(super) is_narrowed: bool,
    /// The sum of the distances, where a row was not zero.
    pub(super) sum: Option<PairForm>,
    pub(super) is_carried: bool,
}

/// A band while it grows.
pub(crate) struct Growing {
    pub(crate) group: Group,
    pub(crate) dimension: usize,
    pub(super) non_negative: IdVec<ParamId, bool>,
    pub(super) ilp: Option<(Plan, Ilp)>,
    pub(crate) stmt_rows: Vec<Vec<StmtRow>>,
    /// The state before each row, for a row that is to be found again; it shares what the row did not change.
    pub(super) before: Vec<(Vec<Span>, Vec<Rc<Progress>>)>,
    pub(crate) spans: Vec<Span>,
    pub(super) progress: Vec<Rc<Progress>>,
    pub(crate) rows: Vec<RowReport>,
    pub(super) warnings: Vec<Warning>,
    pub(super) was_recomputed: bool,
    /// How often a row was taken back at the strategy's wish.
    pub(super) n_recomputed: usize,
}

/// A copy without the integer program, which is made anew where it is needed.
impl Clone for Growing {
    fn clone(&self) -> Self {
        Self {
            group: self.group.clone(),
            dimension: self.dimension,
            non_negative: self.non_negative.clone(),
            ilp: None,
            stmt_rows: self.stmt_rows.clone(),
            before: self.before.clone(),
            spans: self.spans.clone(),
            progress: self.progress.clone(),
            rows: self.rows.clone(),
            warnings: self.warnings.clone(),
            was_recomputed: self.was_recomputed,
            n_recomputed: self.n_recomputed,
        }
    }
}

impl Growing {
    /// A band without rows.
    pub(crate) fn new(driver: &Driver<'_>, group: Group, dimension: usize) -> Self {
        let stmts = group.stmts.iter().map(|&stmt| &driver.stmts[stmt]);
        let spans = stmts.clone().map(|stmt| stmt.span.clone()).collect();
        let stmt_rows = stmts.map(|stmt| stmt.rows.clone()).collect();
        Self::after(driver, group, dimension, spans, stmt_rows)
    }

    /// A band without rows inside rows that are not yet the driver's, for each statement of the group.
    pub(crate) fn after(
        driver: &Driver<'_>,
        group: Group,
        dimension: usize,
        spans: Vec<Span>,
        stmt_rows: Vec<Vec<StmtRow>>,
    ) -> Self {
        let unchanged = |dep: &ActiveDep| {
            let left = dep.relation.clone();
            Rc::new(Progress { left, is_narrowed: false, sum: None, is_carried: false })
        };
        Self {
            dimension,
            non_negative: non_negative(&group, driver.scop.params().len()),
            ilp: None,
            stmt_rows,
            before: Vec::new(),
            spans,
            progress: group.deps.iter().map(unchanged).collect(),
            group,
            rows: Vec::new(),
            warnings: Vec::new(),
            was_recomputed: false,
            n_recomputed: 0,
        }
    }

    /// Whether outer bands have carried every dependence.
    pub(crate) fn is_free(&self) -> bool {
        !self.group.deps.iter().any(ActiveDep::is_validity)
    }

    /// Whether a row of the band carries something.
    pub(crate) fn has_carried(&self) -> bool {
        self.progress.iter().any(|progress| progress.is_carried || progress.is_narrowed)
    }

    /// Whether a statement of the group needs no more rows.
    pub(crate) fn is_complete(&self, stmt: StmtId) -> bool {
        self.group.stmts.binary_search(&stmt).is_ok_and(|at| self.spans[at].is_full())
    }

    /// Notes which of the user's constraints the next row breaks.
    pub(super) fn warn_of_broken(&mut self, dropped: &[Constraint], solution: &Solution) {
        let origins = broken(dropped, &self.group.stmts, &solution.rows);
        if !origins.is_empty() {
            let (stmts, dimension) = (self.group.stmts.clone(), self.dimension + self.rows.len());
            self.warnings.push(Warning::ConstraintsDropped { stmts, dimension, origins });
        }
    }

    /// Forgets a dependence.
    pub(crate) fn without_dep(&mut self, position: usize) {
        self.group.deps.remove(position);
        self.progress.remove(position);
        self.before.iter_mut().for_each(|(_, progress)| {
            progress.remove(position);
        });
        self.ilp = None;
    }

    /// What each statement without full rank must do.
    pub(crate) fn progression(&self) -> Vec<Progression> {
        let stmts = self.group.stmts.iter().zip(&self.spans).filter(|(_, span)| !span.is_full());
        stmts.map(|(&stmt, span)| Progression::new(stmt, &span.complement())).collect()
    }

    /// What only the statements that need the most loops must do; `None` where that is all of them.
    pub(super) fn progression_of_deepest(&self) -> Option<Vec<Progression>> {
        let left = |span: &Span| span.n_dims() - span.rank();
        let most = self.spans.iter().map(left).max()?;
        let stmts = self.group.stmts.iter().zip(&self.spans);
        let (deepest, shallow): (Vec<_>, Vec<_>) =
            stmts.filter(|(_, span)| !span.is_full()).partition(|(_, span)| left(span) == most);
        let progression =
            |(stmt, span): (&StmtId, &Span)| Progression::new(*stmt, &span.complement());
        (!shallow.is_empty()).then(|| deepest.into_iter().map(progression).collect())
    }

    /// Takes the last row back; says whether there was one.
    pub(crate) fn forget_last(&mut self) -> bool {
        let Some((spans, progress)) = self.before.pop() else { return false };
        (self.spans, self.progress) = (spans, progress);
        self.rows.pop();
        for rows in &mut self.stmt_rows {
            rows.pop();
        }
        true
    }
}

/// For each parameter, whether it is not negative wherever a dependence of the group holds.
fn non_negative(group: &Group, n_params: usize) -> IdVec<ParamId, bool> {
    let is_known = |p: usize| {
        let holds = |dep: &ActiveDep| {
            let mut params = vec![0_i128; n_params];
            params[p] = 1;
            let dims = |count: usize| vec![0; count];
            let first = dep.cone.rows.first();
            dep.cone.contains(&PairForm {
                constant: 0,
                params,
                source: dims(first.map_or(0, |row| row.source.len())),
                sink: dims(first.map_or(0, |row| row.sink.len())),
            })
        };
        group.deps.iter().all(holds)
    };
    (0..n_params).map(|p| is_known(ParamId::from_index(p).index())).collect()
}
