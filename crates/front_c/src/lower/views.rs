//! Pointers that are other names for parts of arrays: after `const float *row = x + i * n;`, `row[j]` is `x[i * n + j]`.
//!
//! Such a pointer is a *view*. The region may declare it, in loops too; of those that the function declares before the
//! region, pointers into memory that the region also knows by another name are views. What a view is set to is put in its
//! place wherever it is used, so nothing that it is made of may change in between.

use super::bases;
use super::expr::sum;
use super::hir::{Declare, Expr, ExprKind, Node, VarId};
use super::parse::{Parser, strip_parentheses};
use super::vars::{Var, element_type};
use crate::source::{self, CType, Layer, ScopeKind, Shape, Symbol, for_each_node};
use farkas_base::{Diagnostic, DiagnosticId, Span};
use farkas_scop::{ArrayScope, BinaryOp, ElementKind, ElementType, Taken};
use std::collections::{BTreeMap, BTreeSet};

/// A place in memory that an expression leads to: a variable and the subscripts given so far.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// The variable.
    pub(super) var: VarId,
    /// Its first subscripts.
    pub(super) subscripts: Vec<Expr>,
}

/// What a view stands for.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The pointer or row of an array that it is set to.
    path: Path,
    /// What is added to that.
    offset: Option<Expr>,
    /// The iterators of the loops around its declaration.
    active: Vec<VarId>,
    /// Its declaration.
    span: Span,
}

/// The views of a region.
#[derive(Default)]
pub(super) struct Views {
    known: BTreeMap<VarId, View>,
    /// Pointers that the region casts, with their names, by the variables for them.
    retyped: BTreeMap<VarId, String>,
    /// Pointers of the function's that lead where another name of the region leads, once asked for.
    shared: Option<BTreeSet<String>>,
}

impl<'u> Parser<'u, '_> {
    /// What the view `var` stands for, if it is one.
    pub(super) fn view(&self, var: VarId) -> Option<(Path, Option<Expr>)> {
        self.views.known.get(&var).map(|view| (view.path.clone(), view.offset.clone()))
    }

    /// Declares `symbol` as a view, if it is a pointer with a first value; whether it is.
    ///
    /// What is wrong with it is reported.
    pub(super) fn declared_view(&mut self, symbol: &Symbol<'u>, out: &mut Vec<Node>) -> bool {
        let Some(value) = symbol.initializer.filter(|_| may_be_view(symbol)) else { return false };
        let Some(mut view) = self.view_of(symbol, value) else {
            self.declare_refused(symbol);
            return true;
        };
        let var = self.vars.push(placeholder(symbol, ArrayScope::Region));
        if let Some(counter) = self.own_walker(symbol, var) {
            let span = symbol.span;
            out.push(Node::Declare(Declare {
                var: counter,
                value: Some(Expr::int(0, span)),
                span,
            }));
            let moved = Expr { kind: ExprKind::Scalar(counter), ty: ElementKind::Signed(64), span };
            view.offset = Some(sum(view.offset, BinaryOp::Add, moved));
        }
        self.views.known.insert(var, view);
        self.bring_into_scope(symbol.name.clone(), var);
        true
    }

    /// The view that `symbol`, a pointer that the function declares outside the region, is: one that keeps its first value,
    /// and that leads where another name of the region leads.
    pub(super) fn outer_view(&mut self, symbol: &Symbol<'u>) -> Option<VarId> {
        let value = symbol.initializer.filter(|_| may_be_view(symbol))?;
        let keeps = symbol.scope == ScopeKind::Local
            && self.is_unchanged_since(&symbol.name, symbol.identifier.end_byte());
        if !keeps || !self.is_shared(&symbol.name) {
            return None;
        }
        let view = self.outside(value, |parser| parser.view_of(symbol, value));
        let view = view.filter(|view| {
            let declared = symbol.identifier.start_byte();
            let mut parts = vec![self.vars[view.path.var].name.clone()];
            view.each_scalar(&mut |var| parts.push(self.vars[var].name.clone()));
            parts.iter().all(|name| self.is_unchanged_since(name, declared))
        })?;
        let var = self.vars.push(placeholder(symbol, ArrayScope::Local));
        self.views.known.insert(var, view);
        Some(var)
    }

    /// Whether the pointer `name` leads where another name that the region mentions leads.
    fn is_shared(&mut self, name: &str) -> bool {
        if self.views.shared.is_none() {
            self.views.shared = Some(self.shared_pointers());
        }
        self.views.shared.as_ref().is_some_and(|shared| shared.contains(name))
    }

    /// The names in the region that lead to the same memory as another one.
    fn shared_pointers(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for statement in self.region_statements() {
            for_each_node(*statement, &mut |n| {
                let name = self.unit.text(n);
                let leads = n.kind() == "identifier"
                    && self.table.get(name).is_some_and(|s| !s.ctype.layers.is_empty());
                names.extend(leads.then_some(name));
            });
        }
        let bases: Vec<(&str, BTreeSet<bases::Home>)> =
            names.into_iter().map(|name| (name, bases::of_name(self, name))).collect();
        let meets = |name: &str, own: &BTreeSet<bases::Home>| {
            bases.iter().any(|(other, others)| *other != name && !others.is_disjoint(own))
        };
        let shared = bases.iter().filter(|(name, own)| meets(name, own));
        shared.map(|(name, _)| (*name).to_owned()).collect()
    }

    /// What the pointer `symbol` stands for when it is set to `value`.
    fn view_of(&mut self, symbol: &Symbol<'u>, value: source::Node<'u>) -> Option<View> {
        let (path, offset) = self.pointer(value)?;
        let var = &self.vars[path.var];
        let (rank, element) = (var.rank(), element_type(&symbol.ctype));
        if rank != path.subscripts.len() + 1 || var.element.kind != element.kind {
            let name = &var.name;
            let message = format!("`{}` leads to other elements than `{name}` has", symbol.name);
            let error = self
                .at(DiagnosticId::UnsupportedDeclaration, message, symbol.span, "")
                .help("move the declaration before the region");
            self.report(error);
            return None;
        }
        let active = self.active_iterators();
        Some(View { path, offset, active, span: symbol.span })
    }

    /// Refuses views that are made of what the region changes.
    pub(super) fn views_are_fixed(&mut self) {
        let mut changing: Vec<Diagnostic> = Vec::new();
        for (pointer, view) in &self.views.known {
            view.each_scalar(&mut |var| {
                let v = &self.vars[var];
                let is_declared = v.scope == ArrayScope::Region && v.writes == [v.span];
                let is_fixed = self.is_counter(var)
                    || match v.is_iterator {
                        true => view.active.contains(&var),
                        false => v.writes.is_empty() || is_declared && v.rank() == 0,
                    };
                if !is_fixed {
                    let (pointer, name) = (&self.vars[*pointer].name, &v.name);
                    let message = format!(
                        "where `{pointer}` points depends on `{name}`, which the region changes"
                    );
                    changing.push(
                        self.at(DiagnosticId::PointerAssigned, message, view.span, "")
                            .note("which memory its accesses mean would depend on when they run")
                            .help("use subscripts that start from a fixed array"),
                    );
                }
            });
        }
        changing.into_iter().for_each(|error| self.report(error));
    }

    /// `&x[i]` as the pointer to a row and the offset `i`.
    pub(super) fn address(&mut self, node: source::Node<'u>) -> Option<(Path, Option<Expr>)> {
        let argument = strip_parentheses(node.child_by_field_name("argument")?);
        if !matches!(argument.kind(), "subscript_expression" | "pointer_expression") {
            self.unsupported(node, "taking this address");
            return None;
        }
        let mut path = self.path(argument)?;
        let offset = path.subscripts.pop();
        Some((path, offset))
    }

    /// A pointer that is cast to a pointer to elements of the same type.
    pub(super) fn cast_pointer(&mut self, node: source::Node<'u>) -> Option<(Path, Option<Expr>)> {
        let ctype = CType::of_descriptor(self.unit, node.child_by_field_name("type")?);
        if let Some(var) = self.retyped_pointer(node, &ctype) {
            return Some((Path { var, subscripts: Vec::new() }, None));
        }
        let inner = self.pointer(node.child_by_field_name("value")?)?;
        let same = matches!(ctype.layers.as_slice(), [Layer::Pointer(_)])
            && element_type(&ctype).kind == self.vars[inner.0.var].element.kind;
        if !same {
            self.unsupported(node, "a cast to a pointer to other elements");
            return None;
        }
        Some(inner)
    }

    /// The variable for a pointer from outside that the region casts, and does not change: `(double *)c` of `void *c` is read once
    /// before the region.
    fn retyped_pointer(&mut self, node: source::Node<'u>, ctype: &CType<'u>) -> Option<VarId> {
        let pointer = strip_parentheses(node.child_by_field_name("value")?);
        let name = (pointer.kind() == "identifier").then(|| self.unit.text(pointer))?;
        let symbol = self.table.get(name).filter(|_| self.local(name).is_none())?.clone();
        let (from, element) = (element_type(&symbol.ctype), element_type(ctype));
        let is_plain = may_be_view(&symbol)
            && matches!(ctype.layers.as_slice(), [Layer::Pointer(_)])
            && !ctype.qualifiers.is_volatile
            && element.kind != ElementKind::Other
            && from.kind != element.kind;
        let is_fixed = symbol.scope != ScopeKind::Global
            && !self.table.may_change_unseen(name)
            && !self.is_set_in_region(name);
        if !is_plain || !is_fixed {
            return None;
        }
        let words = element.text.split(' ').filter(|word| *word != "const").collect::<Vec<_>>();
        let (plain, constant) = (words.join(" "), symbol.ctype.qualifiers.is_const);
        let constant = if constant { "const " } else { "" };
        let home = format!("({constant}{plain} *){name}");
        if let Some(known) = self.outer.get(&home) {
            return *known;
        }
        let taken = self.free_name(&format!("{name}_{}", words.join("_")));
        let ty = format!("{constant}{plain} *const ");
        let var = Var {
            element: ElementType { text: plain, kind: element.kind },
            is_taken: true,
            ..placeholder(&symbol, ArrayScope::Local)
        };
        let var = self.vars.push(Var { name: taken.clone(), ..var });
        self.taken.push(Taken { name: taken, ty, home: home.clone(), within: None });
        self.views.retyped.insert(var, name.to_owned());
        self.outer.insert(home, Some(var));
        Some(var)
    }

    /// The pointer that a variable for a cast one leads along.
    pub(super) fn retyped(&self, var: VarId) -> Option<&str> {
        self.views.retyped.get(&var).map(String::as_str)
    }
}

impl View {
    /// Calls `visit` on what the view is made of: scalars, and arrays of which it reads elements.
    fn each_scalar(&self, visit: &mut impl FnMut(VarId)) {
        for expr in self.path.subscripts.iter().chain(&self.offset) {
            expr.walk(&mut |e| match &e.kind {
                ExprKind::Scalar(var) | ExprKind::Element(var, _) => visit(*var),
                _ => {}
            });
        }
    }
}

/// Whether a variable such as `symbol` may be a view: a plain pointer to elements.
pub(super) fn may_be_view(symbol: &Symbol<'_>) -> bool {
    let pointer = match symbol.ctype.layers.as_slice() {
        [Layer::Pointer(qualifiers)] => !qualifiers.is_volatile && !qualifiers.is_atomic,
        _ => false,
    };
    let (storage, qualifiers) = (symbol.storage, symbol.ctype.qualifiers);
    pointer
        && matches!(symbol.ctype.shape(false), Shape::Array { .. })
        && !(storage.is_static || storage.is_extern || storage.is_thread_local)
        && !(qualifiers.is_volatile || qualifiers.is_atomic)
}

/// The variable that carries the name of a view.
fn placeholder<'u>(symbol: &Symbol<'u>, scope: ArrayScope) -> Var<'u> {
    Var {
        name: symbol.name.clone(),
        element: element_type(&symbol.ctype),
        extents: vec![None],
        extent_texts: Vec::new(),
        is_pointer: true,
        is_restrict: false,
        holds_pointers: false,
        is_taken: false,
        scope,
        symbol: None,
        span: symbol.span,
        is_iterator: false,
        writes: Vec::new(),
        made_of: Vec::new(),
        flag_of: None,
    }
}
