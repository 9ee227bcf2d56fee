//! `memset` to zero and `memcpy` of whole elements, as the loops that they are.
//!
//! `memset(row, 0, n * sizeof *row);` sets `n` elements to 0; `memcpy` copies elements of one type.

use super::expr::binary;
use super::hir::{Assign, Expr, ExprKind, Loop, Node, VarId};
use super::parse::{Parser, named_children};
use super::vars::Var;
use super::views::Path;
use crate::source;
use farkas_base::Span;
use farkas_scop::{AssignOp, BinaryOp, ElementKind, ElementType};

impl<'u> Parser<'u, '_> {
    /// The loop that a call of `memset` or `memcpy` is, if it sets or copies whole elements; nothing is said where it is none.
    pub(super) fn memory_call(&mut self, node: source::Node<'u>) -> Option<Node> {
        let name = self.unit.text(node.child_by_field_name("function")?);
        let is_library = self.unit.function(name).is_none() && self.local(name).is_none();
        let arguments = named_children(node.child_by_field_name("arguments")?);
        let ("memset" | "memcpy", true, &[to, from, size]) =
            (name, is_library, arguments.as_slice())
        else {
            return None;
        };
        let copies = name == "memcpy";
        let parts = self.quietly(|parser| {
            let parts = parser.parts_of_call(to, copies.then_some(from), size);
            let value = |parser: &mut Self| parser.expression(from).and_then(|v| v.constant());
            parts.filter(|_| copies || value(parser) == Some(0))
        });
        let (to, from, count) = parts?;
        Some(self.element_loop(to, from, count, self.unit.span(node)))
    }

    /// Where a call writes, what it reads, and how many elements that are.
    fn parts_of_call(
        &mut self,
        to: source::Node<'u>,
        from: Option<source::Node<'u>>,
        size: source::Node<'u>,
    ) -> Option<(Path, Option<Path>, Expr)> {
        let to = self.first_element(to)?;
        let kind = self.vars[to.var].element.kind;
        let from = match from {
            Some(from) => {
                let from = self.first_element(from)?;
                if self.vars[from.var].element.kind != kind {
                    return None;
                }
                Some(from)
            }
            None => None,
        };
        let size = self.expression(size)?;
        let count = count(&size, i64::from(kind.size_bytes()?))?;
        Some((to, from, count))
    }

    /// The element that a pointer to elements leads to.
    fn first_element(&mut self, node: source::Node<'u>) -> Option<Path> {
        let (mut path, offset) = self.pointer(node)?;
        let var = &self.vars[path.var];
        if path.subscripts.len() + 1 != var.rank() || var.element.kind == ElementKind::Other {
            return None;
        }
        path.subscripts.push(offset.unwrap_or_else(|| Expr::int(0, self.unit.span(node))));
        Some(path)
    }

    /// The loop over so many elements.
    fn element_loop(&mut self, to: Path, from: Option<Path>, count: Expr, span: Span) -> Node {
        let var = self.element_iterator(span);
        let iterator = Expr { kind: ExprKind::Scalar(var), ty: ElementKind::Signed(64), span };
        let element = |parser: &Self, path: Path| {
            let Path { var, mut subscripts } = path;
            if let Some(last) = subscripts.pop() {
                subscripts.push(match last.constant() {
                    Some(0) => iterator.clone(),
                    _ => binary(BinaryOp::Add, last, iterator.clone(), span),
                });
            }
            let ty = parser.vars[var].element.kind;
            Expr { kind: ExprKind::Element(var, subscripts), ty, span }
        };
        let value = match from {
            Some(from) => element(self, from),
            None => Expr::int(0, span),
        };
        let target = element(self, to);
        self.written(&target, span);
        let assign = Assign { target, op: AssignOp::Set, value, span, label: None };
        Node::Loop(Box::new(Loop {
            var,
            init: Expr::int(0, span),
            condition: binary(BinaryOp::Lt, iterator, count, span),
            step: 1,
            continues: false,
            is_guarded: false,
            body: vec![Node::Assign(Box::new(assign))],
            span,
        }))
    }

    /// An iterator that the source does not have.
    fn element_iterator(&mut self, span: Span) -> VarId {
        let name = self.free_name("at");
        let element = ElementType { text: "long".to_owned(), kind: ElementKind::Signed(64) };
        self.vars.push(Var { is_iterator: true, ..Var::made(name, element, span) })
    }
}

/// How many elements of so many bytes a size is: a number, or a product with the size of an element.
fn count(size: &Expr, bytes: i64) -> Option<Expr> {
    if let Some(all) = size.constant() {
        return (all % bytes == 0).then(|| Expr::int(all / bytes, size.span));
    }
    match &size.kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) if b.constant() == Some(bytes) => Some(uncast(a)),
        ExprKind::Binary(BinaryOp::Mul, a, b) if a.constant() == Some(bytes) => Some(uncast(b)),
        // `n * m * sizeof *x` and `n * sizeof *x * m`.
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let (left, right) = (count(a, bytes), uncast(b));
            left.map(|left| binary(BinaryOp::Mul, left, right, size.span))
        }
        _ => None,
    }
}

/// A value without a conversion to `size_t`, which a number of elements does not leave.
fn uncast(value: &Expr) -> Expr {
    match &value.kind {
        ExprKind::Cast(element, inner)
            if element.kind == ElementKind::Unsigned(64)
                && matches!(inner.ty, ElementKind::Signed(_)) =>
        {
            (**inner).clone()
        }
        _ => value.clone(),
    }
}
