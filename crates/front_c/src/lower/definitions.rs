//! What sizes are said to be: `int row = 3 * width;`, `int size = width / heads;`.
//!
//! That is a hint alone. Where subscripts have dimensions by it, a test in front of the region asks whether it holds: whether the
//! variables still have these values does not matter, nor whether a quotient has a rest.

use super::hir::{Expr, ExprKind, VarId};
use super::parse::Parser;
use farkas_scop::BinaryOp;
use std::collections::BTreeMap;

/// A parameter that is said to be a product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// The parameter.
    pub(super) whole: VarId,
    /// What the product of parameters is multiplied by; positive.
    pub(super) times: i64,
    /// The parameters, one at least.
    pub(super) parts: Vec<VarId>,
}

impl Parser<'_, '_> {
    /// What the declarations of parameters say of them, one by one.
    pub(super) fn definitions(&mut self, params: &[VarId]) -> Vec<Definition> {
        let named = |var: &VarId| Some((self.vars[*var].symbol.as_ref()?.name.clone(), *var));
        let scope: BTreeMap<String, VarId> = params.iter().filter_map(named).collect();
        let mut found: Vec<Definition> = Vec::new();
        for var in params {
            let symbol = self.vars[*var].symbol.as_ref();
            let Some(value) = symbol.and_then(|symbol| symbol.initializer) else { continue };
            let value = self.expression_in(value, scope.clone());
            let definition = value.and_then(|value| definition(*var, &value));
            found.extend(definition.filter(|new| found.iter().all(|old| old.whole != new.whole)));
        }
        found
    }
}

/// What a variable with a first value says: of itself where that is a product, of what is divided where it is a quotient.
fn definition(var: VarId, value: &Expr) -> Option<Definition> {
    let (whole, times, parts) = match &value.kind {
        ExprKind::Cast(_, value) if value.ty.is_integer() => return definition(var, value),
        ExprKind::Binary(BinaryOp::Div, a, b) => {
            let (times, mut parts) = product(b)?;
            parts.push(var);
            (a.scalar()?, times, parts)
        }
        _ => {
            let (times, parts) = product(value)?;
            (var, times, parts)
        }
    };
    let is_product = times > 0 && !parts.is_empty() && !parts.contains(&whole);
    is_product.then_some(Definition { whole, times, parts })
}

/// A number and variables that an expression is the product of.
fn product(expr: &Expr) -> Option<(i64, Vec<VarId>)> {
    match &expr.kind {
        ExprKind::Scalar(var) => Some((1, vec![*var])),
        ExprKind::Cast(_, a) if expr.ty.is_integer() && a.ty.is_integer() => product(a),
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let ((x, mut a), (y, b)) = (product(a)?, product(b)?);
            a.extend(b);
            Some((x.checked_mul(y)?, a))
        }
        _ => Some((expr.constant()?, Vec::new())),
    }
}
