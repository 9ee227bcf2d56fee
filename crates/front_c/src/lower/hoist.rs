//! Bounds that do not change and are no affine function of the parameters: a product of two of them, a quotient, some bits.
//!
//! `for (i = 0; i < width * height; i++)` becomes `for (i = 0; i < width_height; i++)` after
//! `const int width_height = width * height;` before the region: what such a bound is, is one parameter more. Where the
//! header may not be reached, the value must not trap or overflow; so sums and products alone are taken then, and computed
//! as unsigned numbers, which wrap around: the value is the original's wherever the original has one.

use super::hir::{Expr, ExprKind, VarId};
use super::parse::{Parser, strip_parentheses};
use super::vars::Var;
use crate::source::Node;
use farkas_scop::{ArrayScope, BinaryOp, ElementKind, ElementType, Taken};

impl Parser<'_, '_> {
    /// The variable that has the value of the operation `node`, read as `value` in a header of a loop, if it is one of those.
    pub(super) fn hoisted(&mut self, node: Node<'_>, value: Expr) -> Expr {
        if !is_number(&value) || is_affine(&value) || !self.is_fixed(&value) {
            return value;
        }
        let surely = self.is_surely_reached(node);
        let is_uncertain = |part: &VarId| self.uncertain.iter().any(|one| one.var == *part);
        if !surely && self.parts(&value).iter().any(is_uncertain) {
            return value;
        }
        let text = match surely {
            true => Some(self.unit.text(node).split_whitespace().collect::<Vec<_>>().join(" ")),
            false => self.without_traps(node, &value),
        };
        let (Some(text), Some(ty)) = (text, type_name(value.ty)) else { return value };
        let home = format!("={text}");
        let var = match self.outer.get(&home) {
            Some(Some(known)) => *known,
            _ => {
                let name = self.free_name(&self.name_of(&value));
                self.taken.push(Taken {
                    name: name.clone(),
                    ty: format!("const {ty} "),
                    home: text,
                    within: None,
                });
                let element = ElementType { text: ty.to_owned(), kind: value.ty };
                let var = self.vars.push(Var {
                    is_taken: true,
                    scope: ArrayScope::Local,
                    made_of: self.parts(&value),
                    ..Var::made(name, element, value.span)
                });
                self.outer.insert(home, Some(var));
                var
            }
        };
        Expr { kind: ExprKind::Scalar(var), ..value }
    }

    /// Whether an expression is made of constants and of integers from outside that the region does not change.
    pub(super) fn is_fixed(&self, value: &Expr) -> bool {
        let mut fixed = true;
        value.walk(&mut |part| {
            fixed &= match &part.kind {
                ExprKind::Int { .. } | ExprKind::Cast(..) => part.ty.is_integer(),
                ExprKind::Scalar(var) => {
                    let var = &self.vars[*var];
                    let is_named = var.symbol.as_ref().is_some_and(|symbol| {
                        symbol.name == var.name
                            && self.local(&var.name).is_none()
                            && !self.is_set_in_region(&var.name)
                    });
                    part.ty.is_integer() && (is_named || var.is_taken)
                }
                ExprKind::Unary(..) => part.ty.is_integer(),
                ExprKind::Binary(op, ..) => is_arithmetic(*op) && part.ty.is_integer(),
                _ => false,
            };
        });
        fixed
    }

    /// Whether the header that `node` stands in is reached whenever the region runs.
    fn is_surely_reached(&self, node: Node<'_>) -> bool {
        let (start, end) = self.region_range();
        let mut header = true;
        let mut at = node;
        while let Some(parent) = at.parent() {
            let range = parent.byte_range();
            if range.start < start || range.end > end {
                return true;
            }
            match parent.kind() {
                "for_statement" if header && parent.child_by_field_name("body") != Some(at) => {
                    header = false;
                }
                "compound_statement" => {}
                "binary_expression" if matches!(self.operator(parent), "&&" | "||") => {
                    return false;
                }
                "conditional_expression" => return false,
                _ if header => {}
                _ => return false,
            }
            at = parent;
        }
        false
    }

    /// `node`, whose value is `value`, as a text that neither traps nor overflows; none where it might trap.
    fn without_traps(&self, node: Node<'_>, value: &Expr) -> Option<String> {
        let node = strip_parentheses(node);
        match &value.kind {
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), left, right) => {
                let left = self.without_traps(node.child_by_field_name("left")?, left)?;
                let right = self.without_traps(node.child_by_field_name("right")?, right)?;
                let (ty, wrapping) = (type_name(value.ty)?, unsigned_name(value.ty)?);
                let op = op.symbol();
                Some(format!("({ty})(({wrapping}){left} {op} ({wrapping}){right})"))
            }
            ExprKind::Int { .. } => Some(self.unit.text(node).to_owned()),
            ExprKind::Scalar(var) => {
                let name = &self.vars[*var].name;
                let taken = self.taken.iter().find(|taken| taken.name == *name);
                Some(taken.map_or_else(|| name.clone(), |taken| format!("({})", taken.home)))
            }
            ExprKind::Cast(element, inner) => {
                let inner = self.without_traps(node.child_by_field_name("value")?, inner)?;
                Some(format!("({}){inner}", element.text))
            }
            _ => None,
        }
    }

    /// The variables from outside that a value is made of.
    fn parts(&self, value: &Expr) -> Vec<VarId> {
        let mut parts = Vec::new();
        value.walk(&mut |part| match part.scalar() {
            Some(var) if self.vars[var].made_of.is_empty() => parts.push(var),
            Some(var) => parts.extend(&self.vars[var].made_of),
            None => {}
        });
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// A name that says of what a value is made: `width_height`.
    fn name_of(&self, value: &Expr) -> String {
        let mut names = Vec::new();
        value.walk(&mut |part| {
            if let Some(var) = part.scalar() {
                names.push(self.vars[var].name.clone());
            }
        });
        names.join("_")
    }
}

/// Whether a value is an integer that an operation computes.
fn is_number(value: &Expr) -> bool {
    value.ty.is_integer() && matches!(value.kind, ExprKind::Binary(op, ..) if is_arithmetic(op))
}

/// Whether the front end understands the value as it is.
fn is_affine(value: &Expr) -> bool {
    let constant = |e: &Expr| e.constant().is_some();
    match &value.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => is_affine(a) && is_affine(b),
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            constant(a) && is_affine(b) || constant(b) && is_affine(a)
        }
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr, a, b) => {
            constant(b) && is_affine(a)
        }
        ExprKind::Binary(..) => false,
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => is_affine(a),
        _ => true,
    }
}

/// Whether an operation computes a number from two.
fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr | BitAnd | BitOr | BitXor)
}

/// An integer type that C computes in.
fn type_name(ty: ElementKind) -> Option<&'static str> {
    Some(match ty {
        ElementKind::Signed(32) => "int",
        ElementKind::Signed(64) => "long",
        ElementKind::Unsigned(32) => "unsigned",
        ElementKind::Unsigned(64) => "unsigned long",
        _ => return None,
    })
}

/// The unsigned type as wide as an integer type.
fn unsigned_name(ty: ElementKind) -> Option<&'static str> {
    match ty {
        ElementKind::Signed(bits) => type_name(ElementKind::Unsigned(bits)),
        _ => type_name(ty),
    }
}
