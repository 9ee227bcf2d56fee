//! Counters that statements move while they use them, and pointers that walk along arrays.
//!
//! `x[k++] = v;` is `x[k] = v; k += 1;` where the statement does not mention `k` elsewhere. A pointer that the region moves, as
//! in `*p++ = v;`, is an array and a counter of elements: `p[p_at] = v; p_at += 1;`, where `p_at` is 0 when the region begins or the
//! pointer is declared. Where such counters have no [closed forms](super::closed), the pointer is refused.

use super::expr::binary;
use super::hir::{Assign, Declare, Expr, ExprKind, Node, VarId};
use super::parse::{Parser, strip_parentheses};
use super::vars::Var;
use super::views::may_be_view;
use crate::source::{self, ScopeKind, Symbol, changed_place, for_each_node};
use farkas_base::{DiagnosticId, Span};
use farkas_scop::{AssignOp, BinaryOp, ElementKind, ElementType};
use std::collections::BTreeMap;

/// The pointers that a region moves.
#[derive(Default)]
pub(super) struct Walkers {
    /// Those from outside, by name, once asked for.
    outer: BTreeMap<String, Option<VarId>>,
    /// Those that the region declares, by the variables that carry their names.
    own: BTreeMap<VarId, VarId>,
    /// The counters with the names of the pointers, and the places where the pointers first move.
    counters: Vec<(VarId, String, Span)>,
}

/// A statement that is read, and what it moves.
#[derive(Default)]
pub(super) struct Updates<'u> {
    statement: Option<source::Node<'u>>,
    moved: Vec<Node>,
}

impl<'u> Parser<'u, '_> {
    /// Reads a statement by `read`; what its expressions move, moves behind it.
    pub(super) fn with_updates(
        &mut self,
        statement: source::Node<'u>,
        out: &mut Vec<Node>,
        read: impl FnOnce(&mut Self, &mut Vec<Node>),
    ) {
        let around = std::mem::take(&mut self.updates);
        self.updates.statement = Some(statement);
        read(self, out);
        out.append(&mut self.updates.moved);
        self.updates = around;
    }

    /// The value of `k++` or `++k` inside of a statement, which moves `k` behind it; nothing where that may be something else.
    pub(super) fn moved_counter(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let argument = strip_parentheses(node.child_by_field_name("argument")?);
        if !self.moves_once(node, argument) {
            return None;
        }
        let counter = self.expression(argument)?;
        counter.scalar()?;
        Some(match self.moved(node, counter.clone()) {
            Some((op, by)) => binary(op, counter, by, self.unit.span(node)),
            None => counter,
        })
    }

    /// The pointer in `p++` or `++p` inside of a statement, which moves it, with what is added to it before.
    pub(super) fn moved_pointer(
        &mut self,
        node: source::Node<'u>,
    ) -> Option<(source::Node<'u>, Option<(BinaryOp, Expr)>)> {
        let argument = strip_parentheses(node.child_by_field_name("argument")?);
        if !self.moves_once(node, argument) {
            return None;
        }
        let counter = self.counter_of(argument)?;
        Some((argument, self.moved(node, counter)))
    }

    /// Whether a part of the present statement is evaluated once, and moves a variable that the rest does not mention.
    fn moves_once(&self, node: source::Node<'u>, argument: source::Node<'u>) -> bool {
        let Some(statement) = self.updates.statement else { return false };
        let name = self.unit.text(argument);
        let mut n_uses = 0;
        for_each_node(statement, &mut |n| {
            n_uses += usize::from(n.kind() == "identifier" && self.unit.text(n) == name);
        });
        let mut at = node;
        while at != statement {
            let Some(parent) = at.parent() else { return false };
            let decides = match parent.kind() {
                "conditional_expression" => parent.child_by_field_name("condition") != Some(at),
                "binary_expression" if matches!(self.operator(parent), "&&" | "||") => {
                    parent.child_by_field_name("right") == Some(at)
                }
                kind => kind == "sizeof_expression",
            };
            if decides {
                return false;
            }
            at = parent;
        }
        argument.kind() == "identifier" && n_uses == 1
    }

    /// Moves `counter` behind the present statement, as the update `node` says; by what it moves if the value of that is the new one.
    fn moved(&mut self, node: source::Node<'u>, counter: Expr) -> Option<(BinaryOp, Expr)> {
        let span = self.unit.span(node);
        let op = match self.unit.text(node).contains("--") {
            true => BinaryOp::Sub,
            false => BinaryOp::Add,
        };
        let by = Expr::int(1, span);
        let is_moved_first = node.child(0).is_some_and(|c| matches!(c.kind(), "++" | "--"));
        let update = self.update_of(counter, op, by.clone(), span);
        self.updates.moved.push(update);
        is_moved_first.then_some((op, by))
    }

    /// `counter op= by`.
    fn update_of(&mut self, counter: Expr, op: BinaryOp, value: Expr, span: Span) -> Node {
        self.written(&counter, span);
        let (op, label) = (AssignOp::Compound(op), None);
        Node::Assign(Box::new(Assign { target: counter, op, value, span, label }))
    }

    /// Moves the pointer `node` by so many elements, if it is one that the region moves; whether it is.
    pub(super) fn move_pointer(
        &mut self,
        node: source::Node<'u>,
        (op, by, span): (BinaryOp, Expr, Span),
        out: &mut Vec<Node>,
    ) -> bool {
        let Some(counter) = self.counter_of(strip_parentheses(node)) else { return false };
        let update = self.update_of(counter, op, by, span);
        out.push(update);
        true
    }

    /// How far the pointer `node` has moved, if it is one that the region moves.
    pub(super) fn counter_of(&mut self, node: source::Node<'u>) -> Option<Expr> {
        if node.kind() != "identifier" {
            return None;
        }
        let name = self.unit.text(node);
        let var = match self.local(name) {
            Some(local) => *self.walkers.own.get(&local)?,
            None => self.outer_walker(name)?,
        };
        let span = self.unit.span(node);
        Some(Expr { kind: ExprKind::Scalar(var), ty: ElementKind::Signed(64), span })
    }

    /// The counter of a pointer from outside that the region moves.
    fn outer_walker(&mut self, name: &str) -> Option<VarId> {
        if let Some(known) = self.walkers.outer.get(name) {
            return *known;
        }
        let symbol = self.table.get(name).cloned();
        let symbol = symbol.filter(|symbol| {
            may_be_view(symbol)
                && symbol.scope != ScopeKind::Global
                && !self.table.may_change_unseen(name)
        });
        let moved = symbol.zip(self.first_move(name));
        let counter = moved.map(|(symbol, span)| self.counter_for(&symbol, span));
        self.walkers.outer.insert(name.to_owned(), counter);
        counter
    }

    /// The counter of the pointer `symbol`, which the region declares as `var`, if it moves it.
    pub(super) fn own_walker(&mut self, symbol: &Symbol<'u>, var: VarId) -> Option<VarId> {
        let span = self.first_move(&symbol.name)?;
        let counter = self.counter_for(symbol, span);
        self.walkers.own.insert(var, counter);
        Some(counter)
    }

    fn counter_for(&mut self, symbol: &Symbol<'u>, span: Span) -> VarId {
        let name = self.free_name(&format!("{}_at", symbol.name));
        let element = ElementType { text: "long".to_owned(), kind: ElementKind::Signed(64) };
        let mut counter = Var::made(name, element, symbol.span);
        counter.writes.push(symbol.span);
        let counter = self.vars.push(counter);
        self.walkers.counters.push((counter, symbol.name.clone(), span));
        counter
    }

    /// Where the region first moves the pointer `name`; nothing where it sets it, too.
    fn first_move(&self, name: &str) -> Option<Span> {
        let (mut first, mut is_set) = (None, false);
        for statement in self.region_statements() {
            for_each_node(*statement, &mut |node| {
                let target = changed_place(node).filter(|target| target.kind() == "identifier");
                if target.is_none_or(|target| self.unit.text(target) != name) {
                    return;
                }
                let moves = ["++", "--", "+=", "-="].contains(&self.operator(node));
                is_set |= !moves;
                first = first.or(Some(self.unit.span(node)));
            });
        }
        first.filter(|_| !is_set)
    }

    /// The declarations of counters of pointers from outside.
    pub(super) fn counters(&self) -> Vec<Node> {
        let outer = self.walkers.outer.values().flatten();
        let zero = |var: &VarId| {
            let span = self.vars[*var].span;
            Node::Declare(Declare { var: *var, value: Some(Expr::int(0, span)), span })
        };
        outer.map(zero).collect()
    }

    /// The variables that say how far pointers have moved.
    pub(super) fn pointer_counters(&self) -> Vec<VarId> {
        self.walkers.counters.iter().map(|(counter, ..)| *counter).collect()
    }

    /// Whether the variable says how far a pointer has moved.
    pub(super) fn is_counter(&self, var: VarId) -> bool {
        self.walkers.counters.iter().any(|(counter, ..)| *counter == var)
    }

    /// Refuses pointers that move in ways that are not understood, or that are used later.
    pub(super) fn pointers_move_plainly(&mut self) {
        for (counter, name, span) in std::mem::take(&mut self.walkers.counters) {
            let is_outer = self.walkers.outer.get(&name).is_some_and(|c| *c == Some(counter));
            let is_used_later = is_outer
                && (self.table.is_pointer_used_after(&name)
                    || self.table.get(&name).is_none_or(|symbol| self.runs_again_within(symbol)));
            let message = format!("the pointer `{name}` is changed in the region");
            let error = self.at(DiagnosticId::PointerAssigned, message, span, "");
            if !self.vars[counter].writes.is_empty() {
                self.report(
                    error
                        .note("which memory its accesses mean would depend on when they run")
                        .help("use subscripts that start from a fixed array"),
                );
            } else if is_used_later {
                self.report(
                    error
                        .note("where it points afterwards matters to the code behind the region")
                        .help("use a pointer of the region's own: `double *q = p;`"),
                );
            }
        }
    }
}
