//! What sizes are said to be: `int row = 3 * width;`, `int size = width / heads;`, `int rows = (h + 1) / 2;`, and of members
//! `image in = {w, h, p};`, `out.width = w;`. Two that are said to be the same are each other.
//!
//! That is a hint alone. Where subscripts have dimensions by it, a test in front of the region asks whether it holds: whether the
//! variables still have these values does not matter, nor whether a quotient has a rest. And sizes for which a region is to be fast
//! are what variables that nothing changes are declared to be.

use super::hir::{Expr, ExprKind, VarId};
use super::parse::{Parser, named_children, strip_parentheses};
use crate::source::{Node, declarator_name};
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

impl<'u> Parser<'u, '_> {
    /// What the function says of parameters, one by one.
    pub(super) fn definitions(&mut self, params: &[VarId]) -> Vec<Definition> {
        let scope = self.named(params.iter().copied());
        let mut found: Vec<Definition> = Vec::new();
        let mut said: BTreeMap<String, VarId> = BTreeMap::new();
        for var in params {
            let Some(node) = self.said(*var) else { continue };
            let value = self.expression_in(node, scope.clone());
            let of_others = value.and_then(|value| definition(*var, &value));
            let first = *said.entry(self.place_text(node)).or_insert(*var);
            let same = Definition { whole: *var, times: 1, parts: vec![first] };
            let definition = of_others.or((first != *var).then_some(same));
            found.extend(definition.filter(|new| found.iter().all(|old| old.whole != new.whole)));
        }
        found
    }

    /// What a variable is said to be: its first value, or else the only one that it is set to.
    fn said(&self, var: VarId) -> Option<Node<'u>> {
        let var = &self.vars[var];
        let symbol = var.symbol.as_ref()?;
        let members: Vec<&str> = var.name.split('.').skip(1).collect();
        let first = symbol.initializer.and_then(|value| match members.is_empty() {
            true => Some(value),
            false => self.first_value(value, symbol.declaration, &members),
        });
        first.or_else(|| self.only_assigned(&symbol.name, &var.name))
    }

    /// What the list `values` sets a member to, of a struct that is declared by `declaration`.
    fn first_value(
        &self,
        values: Node<'u>,
        declaration: Node<'u>,
        path: &[&str],
    ) -> Option<Node<'u>> {
        let (member, inner) = path.split_first()?;
        let body = self.struct_body(declaration).filter(|_| values.kind() == "initializer_list")?;
        let mut fields: Vec<(&str, Node<'u>)> = Vec::new();
        for field in named_children(body).into_iter().filter(|n| n.kind() == "field_declaration") {
            let declarators: Vec<Node<'u>> =
                field.children_by_field_name("declarator", &mut field.walk()).collect();
            let names = declarators.into_iter().filter_map(declarator_name);
            fields.extend(names.map(|name| (self.unit.text(name), field)));
        }
        let mut at = 0;
        for value in named_children(values) {
            let mut value = value;
            if value.kind() == "initializer_pair" {
                let designator = self.unit.text(value.child_by_field_name("designator")?);
                at = fields.iter().position(|(name, _)| designator == format!(".{name}"))?;
                value = value.child_by_field_name("value")?;
            }
            let (name, field) = fields.get(at)?;
            if name == member {
                return match inner.is_empty() {
                    true => Some(value),
                    false => self.first_value(value, *field, inner),
                };
            }
            at += 1;
        }
        None
    }

    /// What the place `name`, a variable or a member of it, is set to by the only assignment to it.
    fn only_assigned(&self, variable: &str, name: &str) -> Option<Node<'u>> {
        let assigned = |node: Node<'u>| {
            let mut place = node;
            while let Some(around) = place.parent().filter(|n| n.kind() == "field_expression") {
                place = around;
            }
            let around = place.parent().filter(|n| n.kind() == "assignment_expression")?;
            let is_set = around.child_by_field_name("left") == Some(place)
                && self.place_text(place) == name
                && self.operator(around) == "=";
            around.child_by_field_name("right").filter(|_| is_set).map(strip_parentheses)
        };
        let mut values = self.table.uses(variable).into_iter().filter_map(assigned);
        values.next().filter(|_| values.next().is_none())
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
