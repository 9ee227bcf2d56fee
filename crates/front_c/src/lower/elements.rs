//! Elements of arrays of which bounds and subscripts are made.
//!
//! `for (i = 1; i < size[0] - 1; i++)`, where the region does not write `size`: like a member of a struct, the element is *taken*,
//! read once before the region into a variable of the region's.

use super::hir::{Expr, ExprKind, VarId};
use super::parse::{Parser, strip_parentheses};
use super::vars::Var;
use super::within::Uncertain;
use crate::source::{Node, ScopeKind, for_each_node};
use farkas_base::{DiagnosticId, Span};
use farkas_scop::{ArrayScope, Taken};

/// An array of which the region takes an element.
#[derive(Clone, Debug)]
pub(super) struct TakenFrom {
    array: VarId,
    span: Span,
}

impl<'u> Parser<'u, '_> {
    /// The variable that has the value of `element`, which is written as `node` in a bound or subscript, if the region may read it
    /// before it begins; else the element itself.
    pub(super) fn taken_element(&mut self, node: Node<'u>, element: Expr) -> Expr {
        match self.variable_for_element(node, &element) {
            Some(var) => Expr { kind: ExprKind::Scalar(var), ..element },
            None => element,
        }
    }

    fn variable_for_element(&mut self, node: Node<'u>, element: &Expr) -> Option<VarId> {
        let ExprKind::Element(array, subscripts) = &element.kind else { return None };
        let is_bound = self.in_header;
        if !(is_bound || self.n_subscripts > 0) || !element.ty.is_integer() {
            return None;
        }
        let name = self.array_of(node)?;
        let fixed = subscripts.iter().all(|subscript| self.is_fixed(subscript));
        if !fixed || self.vars[*array].name != name || self.is_used_otherwise(name) {
            return None;
        }
        let home = self.unit.text(node).split_whitespace().collect::<String>();
        if let Some(known) = self.outer.get(&home) {
            return *known;
        }
        let var = &self.vars[*array];
        let is_certain = !var.is_pointer && is_within(subscripts, &var.extents);
        if !is_certain && !(is_bound && (!var.is_pointer || self.is_fixed_base(name))) {
            return None;
        }
        let (span, kind) = (element.span, var.element.clone());
        let known = std::iter::once(name.to_owned());
        let indices = subscripts.iter().map(|s| self.word_for(s));
        let name = self.free_name(&known.chain(indices).collect::<Vec<_>>().join("_"));
        let constant = if kind.text.split(' ').any(|word| word == "const") { "" } else { "const " };
        let ty = format!("{constant}{} ", kind.text);
        let var = self.vars.push(Var {
            is_taken: true,
            scope: ArrayScope::Local,
            ..Var::made(name.clone(), kind, span)
        });
        if !is_certain {
            let refusal = self.element_error(&home, span);
            self.uncertain.push(Uncertain { var, pointer: home.clone(), refusal });
        }
        self.taken.push(Taken { name, ty, home: home.clone(), within: None });
        self.taken_from.push(TakenFrom { array: *array, span });
        self.outer.insert(home, Some(var));
        Some(var)
    }

    /// The name of the array of which `node` is an element, if it is one from outside the region.
    fn array_of(&self, node: Node<'u>) -> Option<&'u str> {
        let mut node = strip_parentheses(node);
        while node.kind() == "subscript_expression" {
            node = strip_parentheses(node.child_by_field_name("argument")?);
        }
        let name = self.unit.text(node);
        (node.kind() == "identifier" && self.local(name).is_none()).then_some(name)
    }

    /// Whether the region uses the array `name` otherwise than to read its elements.
    fn is_used_otherwise(&self, name: &str) -> bool {
        let mut found = false;
        for statement in self.region_statements() {
            for_each_node(*statement, &mut |node| {
                if node.kind() == "identifier" && self.unit.text(node) == name {
                    found |= !is_read_by_element(node);
                }
            });
        }
        found
    }

    /// Whether the pointer `name` is one that only what the function says can change.
    fn is_fixed_base(&self, name: &str) -> bool {
        let is_own = self.table.get(name).is_some_and(|s| s.scope != ScopeKind::Global);
        is_own && !self.table.may_change_unseen(name)
    }

    /// A subscript as a part of a name.
    fn word_for(&self, subscript: &Expr) -> String {
        match (subscript.constant(), subscript.scalar()) {
            (Some(value), _) => value.to_string(),
            (None, Some(var)) => self.vars[var].name.clone(),
            (None, None) => "element".to_owned(),
        }
    }

    fn element_error(&self, home: &str, span: Span) -> farkas_base::Diagnostic {
        let message = format!("the region may not read `{home}` before it begins");
        self.at(DiagnosticId::NonAffineBound, message, span, "")
            .note("it is not certain that there is such an element whenever the region runs")
            .help("copy it into a variable before the region")
    }

    /// Refuses arrays that the region writes and of which it takes elements.
    pub(super) fn taken_elements_are_fixed(&mut self) {
        for TakenFrom { array, span } in self.taken_from.clone() {
            if let Some(write) = self.vars[array].writes.first() {
                let name = &self.vars[array].name;
                let message =
                    format!("a bound or subscript is read from `{name}`, which the region writes");
                let error = self
                    .at(DiagnosticId::NonAffineBound, message, span, "")
                    .also(*write, "written here")
                    .note("what is read at run time is not known to the tool");
                self.report(error);
            }
        }
    }
}

/// Whether an identifier stands where elements of what it names are read.
fn is_read_by_element(identifier: Node<'_>) -> bool {
    let mut node = identifier;
    let mut n_subscripts = 0;
    while let Some(parent) = node.parent() {
        let is_inner = parent.child_by_field_name("argument") == Some(node);
        match parent.kind() {
            "parenthesized_expression" => {}
            "subscript_expression" if is_inner => n_subscripts += 1,
            "update_expression" | "pointer_expression" | "field_expression" => return false,
            "assignment_expression" => {
                return n_subscripts > 0 && parent.child_by_field_name("left") != Some(node);
            }
            _ => return n_subscripts > 0,
        }
        node = parent;
    }
    false
}

/// Whether constant subscripts lie within constant extents.
fn is_within(subscripts: &[Expr], extents: &[Option<Expr>]) -> bool {
    subscripts.len() == extents.len()
        && subscripts.iter().zip(extents).all(|(subscript, extent)| {
            let extent = extent.as_ref().and_then(Expr::constant);
            matches!((subscript.constant(), extent), (Some(at), Some(n)) if (0..n).contains(&at))
        })
}
