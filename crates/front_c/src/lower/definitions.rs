//! What sizes are said to be: `int row = 3 * width;`, `int size = width / heads;`, `int rows = (h + 1) / 2;`.
//!
//! That is a hint alone. Where subscripts have dimensions by it, a test in front of the region asks whether it holds: whether the
//! variables still have these values does not matter, nor whether a quotient has a rest. And sizes for which a region is to be fast
//! are what variables that nothing changes are declared to be.

use super::hir::{Expr, ExprKind, VarId};
use super::parse::Parser;
use farkas_base::Id;
use farkas_scop::{BinaryOp, Expr as Value, ParamId};
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
        let scope = self.named(params.iter().copied());
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

    /// The value that each parameter is declared with, in other parameters, where none of these ever has another value.
    pub(super) fn stated(&mut self, params: &[VarId]) -> Vec<Option<Value>> {
        let is_set_once = |var: &VarId| {
            let symbol = self.vars[*var].symbol.as_ref();
            symbol.is_some_and(|symbol| self.table.is_set_once(symbol))
        };
        let kept: Vec<VarId> = params.iter().copied().filter(is_set_once).collect();
        let scope = self.named(kept.iter().copied());
        let value_of = |var: &VarId| {
            let symbol = self.vars[*var].symbol.as_ref().filter(|_| kept.contains(var))?;
            let value = self.expression_in(symbol.initializer?, scope.clone())?;
            value.constant().is_none().then(|| stated(&value, params))?
        };
        params.iter().map(value_of).collect()
    }

    /// Variables by their names in the function.
    fn named(&self, vars: impl Iterator<Item = VarId>) -> BTreeMap<String, VarId> {
        let named = |var: VarId| Some((self.vars[var].symbol.as_ref()?.name.clone(), var));
        vars.filter_map(named).collect()
    }
}

/// A value that is computed from parameters and numbers; none where anything else is in it.
fn stated(expr: &Expr, params: &[VarId]) -> Option<Value> {
    if let Some(value) = expr.constant() {
        return Some(Value::Int { value, text: value.to_string() });
    }
    match &expr.kind {
        ExprKind::Scalar(var) => {
            let at = params.iter().position(|param| param == var)?;
            Some(Value::Param(ParamId::from_index(at)))
        }
        ExprKind::Cast(ty, value) if ty.kind.is_integer() && value.ty.is_integer() => {
            stated(value, params)
        }
        ExprKind::Binary(op, a, b) => {
            Some(Value::Binary(*op, Box::new(stated(a, params)?), Box::new(stated(b, params)?)))
        }
        ExprKind::Ternary(condition, a, b) => Some(Value::Ternary(
            Box::new(stated(condition, params)?),
            Box::new(stated(a, params)?),
            Box::new(stated(b, params)?),
        )),
        _ => None,
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
