//! Linear forms over the parameters and dimensions of a space, in machine integers: most expressions of most programs,
//! without a call of isl for each operator.

use super::affine::{Frame, LoopValue, may_leave};
use super::hir::{Expr, ExprKind};
use farkas_poly::{Aff, Set};
use farkas_scop::{BinaryOp, UnaryOp};

/// Coefficients of the parameters, then of the dimensions, then the constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form(Vec<i64>);

impl Form {
    /// The form that is zero in a space with `n` parameters and dimensions.
    fn zero(n: usize) -> Self {
        Self(vec![0; n + 1])
    }

    /// `self + factor * other`.
    pub(super) fn plus(mut self, factor: i64, other: &Self) -> Option<Self> {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a = a.checked_add(factor.checked_mul(*b)?)?;
        }
        Some(self)
    }

    /// With `value` added to the constant.
    pub(super) fn plus_constant(mut self, value: i64) -> Option<Self> {
        let constant = self.0.last_mut()?;
        *constant = constant.checked_add(value)?;
        Some(self)
    }

    /// The value, when it is a constant.
    fn constant(&self) -> Option<i64> {
        self.coefficients().iter().all(|c| *c == 0).then(|| self.offset())
    }

    /// The coefficients of the parameters, then of the dimensions.
    fn coefficients(&self) -> &[i64] {
        self.0.split_last().map_or(&[], |(_, coefficients)| coefficients)
    }

    /// The constant.
    fn offset(&self) -> i64 {
        self.0.last().copied().unwrap_or_default()
    }
}

impl Frame<'_> {
    /// Number of parameters and dimensions.
    fn n_columns(&self) -> usize {
        self.params.len() + self.depth
    }

    /// The form that is one parameter or dimension.
    fn column(&self, column: usize) -> Form {
        let mut form = Form::zero(self.n_columns());
        form.0[column] = 1;
        form
    }

    /// The form of the iterator whose loop has the dimension `position`.
    pub(super) fn form_of_loop(&self, position: usize, value: &LoopValue) -> Option<Form> {
        let dimension = self.column(self.params.len() + position);
        match value {
            LoopValue::Up => Some(dimension),
            LoopValue::Down => Form::zero(self.n_columns()).plus(-1, &dimension),
            LoopValue::Strided { init, step } => self.form(init)?.plus(*step, &dimension),
        }
    }

    /// The linear form of an integer expression, if it is one and C's arithmetic holds no trap in it.
    pub(super) fn form(&self, expr: &Expr) -> Option<Form> {
        if !expr.ty.is_integer() {
            return None;
        }
        if let ExprKind::Binary(_, a, b) = &expr.kind
            && [a, b].into_iter().any(|e| e.ty != expr.ty && may_leave(e, e.ty))
        {
            return None;
        }
        match &expr.kind {
            ExprKind::Int { value, .. } => Form::zero(self.n_columns()).plus_constant(*value),
            ExprKind::Scalar(var) => match self.forms.iter().rev().find(|(v, _)| v == var) {
                Some((_, form)) => form.clone(),
                None => self.params.iter().position(|p| p == var).map(|column| self.column(column)),
            },
            ExprKind::Unary(UnaryOp::Plus, a) => self.form(a),
            ExprKind::Unary(UnaryOp::Minus, a) => {
                Form::zero(self.n_columns()).plus(-1, &self.form(a)?)
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => self.form(a)?.plus(1, &self.form(b)?),
            ExprKind::Binary(BinaryOp::Sub, a, b) => self.form(a)?.plus(-1, &self.form(b)?),
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (self.form(a)?, self.form(b)?);
                let (factor, form) = match (a.constant(), b.constant()) {
                    (Some(factor), _) => (factor, b),
                    (_, Some(factor)) => (factor, a),
                    _ => return None,
                };
                Form::zero(self.n_columns()).plus(factor, &form)
            }
            _ => None,
        }
    }

    /// A form as isl's function.
    ///
    /// # Errors
    /// When isl refuses.
    pub(super) fn aff(&self, form: &Form) -> Result<Aff, farkas_poly::Error> {
        let (params, dims) = form.coefficients().split_at(self.params.len());
        Aff::linear(&self.space, dims, params, form.offset())
    }

    /// The points where a form is not negative.
    ///
    /// # Errors
    /// When isl refuses.
    pub(super) fn nonneg_set(&self, form: &Form) -> Result<Set, farkas_poly::Error> {
        self.aff(form)?.to_pw_aff()?.nonneg_set()
    }

    /// The points where `a op b`, both forms.
    pub(super) fn compare_forms(
        &self,
        op: BinaryOp,
        a: &Form,
        b: &Form,
    ) -> Option<Result<Set, farkas_poly::Error>> {
        let difference = |a: &Form, b: &Form, less: i64| a.clone().plus(-1, b)?.plus_constant(less);
        let form = match op {
            BinaryOp::Lt => difference(b, a, -1),
            BinaryOp::Le => difference(b, a, 0),
            BinaryOp::Gt => difference(a, b, -1),
            BinaryOp::Ge => difference(a, b, 0),
            _ => return None,
        };
        Some(self.nonneg_set(&form?))
    }
}
