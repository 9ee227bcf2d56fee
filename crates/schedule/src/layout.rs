//! The columns of the integer programs.

use crate::cost::CostVariables;
use farkas_base::{Id, IdVec};
use farkas_scop::{ParamId, StmtId};
use farkas_solve::{Row, VarIdx};

/// A coefficient of one statement's row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Coefficient {
    /// Of an iterator, counted from the outermost.
    Iterator(usize),
    /// Of a parameter.
    Param(ParamId),
    /// The constant.
    Constant,
}

/// What a column stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Column {
    /// A variable of a cost function.
    Cost {
        /// The cost function's position in the plan.
        function: usize,
        /// The variable's name within it.
        name: String,
    },
    /// A coefficient of a statement, or a part of it.
    Coefficient {
        /// The statement.
        stmt: StmtId,
        /// Which.
        which: Coefficient,
        /// Whether the column is what is subtracted: the coefficient is the difference of two columns.
        is_negative: bool,
    },
}

/// Which coefficients a plan allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Signs {
    /// Whether rows may use parameters.
    pub(crate) has_params: bool,
    /// Whether coefficients of iterators may be negative.
    pub(crate) is_signed: bool,
}

/// Which column is what. All columns are non-negative; a column further left is minimised first.
///
/// **Shapes** the leading variables of each cost function in the order of the plan; the trailing ones likewise; then for
/// each statement, ascending: the coefficients of the parameters (where the plan allows them), those of the iterators
/// from the innermost to the outermost (so that of two equal rows the one with the outer loop wins), the constant. Where
/// the plan allows negative coefficients, that of an iterator is the difference of two columns, the negative part first.
#[derive(Clone, Debug)]
pub struct IlpLayout {
    columns: IdVec<VarIdx, Column>,
    n_leading: usize,
    /// The first column of each statement; the statements ascend.
    stmts: Vec<(StmtId, usize)>,
    n_params: usize,
    has_params: bool,
    is_signed: bool,
    n_iterators: Vec<usize>,
    /// The own variables of each cost function: leading ones, then trailing ones.
    own: Vec<Vec<VarIdx>>,
}

impl IlpLayout {
    /// The layout for these statements with their numbers of iterators.
    pub(crate) fn new(
        costs: &[CostVariables],
        stmts: &[(StmtId, usize)],
        n_params: usize,
        Signs { has_params, is_signed }: Signs,
    ) -> Self {
        let mut columns = IdVec::new();
        let mut own = vec![Vec::new(); costs.len()];
        let mut push_own = |names: fn(&CostVariables) -> &Vec<String>| {
            for (function, cost) in costs.iter().enumerate() {
                for name in names(cost) {
                    let column = Column::Cost { function, name: name.clone() };
                    own[function].push(columns.push(column));
                }
            }
            columns.len()
        };
        let n_leading = push_own(|cost| &cost.leading);
        push_own(|cost| &cost.trailing);
        let mut first = Vec::with_capacity(stmts.len());
        for &(stmt, n_iterators) in stmts {
            first.push((stmt, columns.len()));
            let params = 0..if has_params { n_params } else { 0 };
            let params = params.map(|p| Coefficient::Param(ParamId::from_index(p)));
            let iterators = (0..n_iterators).rev().map(Coefficient::Iterator);
            for which in params.chain(iterators).chain([Coefficient::Constant]) {
                if is_signed && matches!(which, Coefficient::Iterator(_)) {
                    columns.push(Column::Coefficient { stmt, which, is_negative: true });
                }
                columns.push(Column::Coefficient { stmt, which, is_negative: false });
            }
        }
        let n_iterators = stmts.iter().map(|s| s.1).collect();
        Self { columns, n_leading, stmts: first, n_params, has_params, is_signed, n_iterators, own }
    }

    /// The columns.
    pub fn columns(&self) -> &IdVec<VarIdx, Column> {
        &self.columns
    }

    /// The leading columns of the cost functions: the cost vector.
    pub fn leading(&self) -> impl Iterator<Item = VarIdx> + use<> {
        (0..self.n_leading).map(VarIdx::from_index)
    }

    /// The variables of a cost function: leading ones, then trailing ones, in its own order.
    pub fn own(&self, function: usize) -> &[VarIdx] {
        &self.own[function]
    }

    /// The statements, ascending.
    pub fn stmts(&self) -> impl ExactSizeIterator<Item = StmtId> {
        self.stmts.iter().map(|s| s.0)
    }

    /// Number of iterators of a statement; zero for one that is not in the problem.
    pub fn n_iterators(&self, stmt: StmtId) -> usize {
        self.position(stmt).map_or(0, |at| self.n_iterators[at])
    }

    /// Number of parameters of the scop.
    pub fn n_params(&self) -> usize {
        self.n_params
    }

    /// The columns that make up a coefficient, with their signs: none for one that the plan fixes at zero.
    pub fn terms(&self, stmt: StmtId, which: Coefficient) -> impl Iterator<Item = (VarIdx, i64)> {
        let plus = self.plus(stmt, which);
        let has_minus = self.is_signed && matches!(which, Coefficient::Iterator(_));
        let minus = plus.filter(|_| has_minus).map(|at| (VarIdx::from_index(at - 1), -1));
        minus.into_iter().chain(plus.map(|at| (VarIdx::from_index(at), 1)))
    }

    /// The position of the column that is added in a coefficient; `None` for one that the plan fixes at zero.
    fn plus(&self, stmt: StmtId, which: Coefficient) -> Option<usize> {
        let at = self.position(stmt)?;
        let (first, n_iterators) = (self.stmts[at].1, self.n_iterators[at]);
        let n_params = if self.has_params { self.n_params } else { 0 };
        let width = if self.is_signed { 2 } else { 1 };
        let offset = match which {
            Coefficient::Param(p) => (p.index() < n_params).then_some(p.index()),
            Coefficient::Iterator(i) => {
                (i < n_iterators).then(|| n_params + width * (n_iterators - i) - 1)
            }
            Coefficient::Constant => Some(n_params + width * n_iterators),
        };
        Some(first + offset?)
    }

    /// Adds `factor` times a coefficient to `row`.
    pub fn add(&self, row: &mut Row, stmt: StmtId, which: Coefficient, factor: i64) {
        self.terms(stmt, which).for_each(|(column, sign)| row.add(column, sign * factor));
    }

    /// Adds `factor` times the magnitude of a coefficient to `row`; more than that where both its parts are positive,
    /// which no minimum is.
    pub fn add_magnitude(&self, row: &mut Row, stmt: StmtId, which: Coefficient, factor: i64) {
        self.terms(stmt, which).for_each(|(column, _)| row.add(column, factor));
    }

    /// The value of a coefficient at a point.
    pub(crate) fn value(
        &self,
        point: &IdVec<VarIdx, i64>,
        stmt: StmtId,
        which: Coefficient,
    ) -> i64 {
        self.terms(stmt, which).map(|(column, sign)| sign * point[column]).sum()
    }

    /// Where a statement is among the problem's.
    fn position(&self, stmt: StmtId) -> Option<usize> {
        self.stmts.binary_search_by_key(&stmt, |s| s.0).ok()
    }

    /// A readable name for a column, for LP text and reports.
    pub fn name(&self, column: VarIdx) -> String {
        match &self.columns[column] {
            Column::Cost { name, .. } => name.clone(),
            Column::Coefficient { stmt, which, is_negative } => {
                let minus = if *is_negative { "-" } else { "" };
                match which {
                    Coefficient::Iterator(i) => format!("{stmt}_it{minus}_{i}"),
                    Coefficient::Param(p) => format!("{stmt}_par_{}", p.index()),
                    Coefficient::Constant => format!("{stmt}_cst"),
                }
            }
        }
    }
}
