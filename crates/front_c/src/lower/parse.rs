//! Syntax to [`hir`](super::hir): statements.

use super::callers::Callers;
use super::elements::TakenFrom;
use super::hir::{Assign, Declare, Expr, ExprKind, If, Node, VarId};
use super::pure::Purity;
use super::updates::{Updates, Walkers};
use super::vars::{Var, Vars, element_type};
use super::views::Views;
use super::within::Uncertain;
use crate::Options;
pub(super) use crate::source::strip_parentheses;
use crate::source::{
    self, FileFacts, Region, ScopeKind, Shape, SymbolTable, TranslationUnit, declared_symbols,
    for_each_node, holds_kind, runs_once,
};
use farkas_base::{Diagnostic, DiagnosticId, IdVec, Span};
use farkas_scop::{ArrayScope, AssignOp, BinaryOp, Taken};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Blocks and expressions nested deeper than this are refused.
pub(super) const MAX_DEPTH: usize = 1600;

/// What one level of nesting counts; a link in a chain of operators counts 1.
pub(super) const LEVEL: usize = 4;

/// The reader of one region.
pub(super) struct Parser<'u, 'o> {
    pub(super) unit: &'u TranslationUnit,
    pub(super) table: SymbolTable<'u>,
    pub(super) options: &'o Options,
    /// The variables met so far.
    pub(super) vars: Vars<'u>,
    /// What is wrong so far.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Variables from outside the region by name.
    pub(super) outer: BTreeMap<String, Option<VarId>>,
    /// Variables declared inside the region, by block.
    scopes: Vec<BTreeMap<String, VarId>>,
    /// Those of them whose declarations were refused.
    refused: BTreeSet<VarId>,
    /// Iterators of the loops around the present place.
    pub(super) active: Vec<(VarId, Span)>,
    /// Present depth of nesting.
    pub(super) depth: usize,
    /// What is known of the purity of functions.
    pub(super) purity: Purity,
    /// Whether the function may jump.
    pub(super) has_goto: bool,
    /// Where the jumps begin that are conditions on what they jump over.
    pub(super) understood: Vec<usize>,
    /// Pointers that are other names for parts of arrays.
    pub(super) views: Views,
    /// The calls of the region's function.
    pub(super) callers: Callers,
    /// What the region takes from members of structs.
    pub(super) taken: Vec<Taken>,
    /// Those of them, with their places, that may be read only where the region does.
    pub(super) uncertain: Vec<Uncertain>,
    /// What to say of those of them that are read through pointers that others may change, where the region may.
    pub(super) through_pointers: Vec<Diagnostic>,
    /// Those of them, pointers, that the region compares with the null pointer.
    pub(super) tested: Vec<VarId>,
    /// The arrays of which the region takes elements.
    pub(super) taken_from: Vec<TakenFrom>,
    /// All names that the file uses.
    pub(super) names: Rc<BTreeSet<String>>,
    /// Whether the reader stands in the header of a loop.
    pub(super) in_header: bool,
    /// How many subscripts the reader stands in.
    pub(super) n_subscripts: usize,
    /// The pointers that the region moves.
    pub(super) walkers: Walkers,
    /// What the present statement moves.
    pub(super) updates: Updates<'u>,
    region: Region<'u>,
}

impl<'u, 'o> Parser<'u, 'o> {
    /// A reader for `region`.
    pub(super) fn new(facts: &FileFacts<'u>, region: &Region<'u>, options: &'o Options) -> Self {
        let unit = facts.unit();
        Self {
            unit,
            table: SymbolTable::within(facts, region),
            options,
            vars: IdVec::new(),
            diagnostics: Vec::new(),
            outer: BTreeMap::new(),
            scopes: vec![BTreeMap::new()],
            refused: BTreeSet::new(),
            active: Vec::new(),
            depth: 0,
            purity: Purity::new(),
            has_goto: unit.text(region.function).contains("goto"),
            understood: Vec::new(),
            views: Views::default(),
            callers: Callers::default(),
            taken: Vec::new(),
            uncertain: Vec::new(),
            through_pointers: Vec::new(),
            tested: Vec::new(),
            taken_from: Vec::new(),
            names: facts.names(),
            in_header: false,
            n_subscripts: 0,
            walkers: Walkers::default(),
            updates: Updates::default(),
            region: region.clone(),
        }
    }

    /// A diagnostic at `span`.
    pub(super) fn at(
        &self,
        id: DiagnosticId,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(id, message).at(self.unit.source(), span, label)
    }

    /// Records `diagnostic`, unless the same was said already.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reads the statements of the region.
    pub(super) fn read(&mut self) -> Vec<Node> {
        let nodes = self.statements(&self.region.statements.clone());
        let nodes = self.counters().into_iter().chain(nodes).collect();
        self.declared_and_used_later();
        self.whole_structs();
        self.views_are_fixed();
        self.taken_elements_are_fixed();
        nodes
    }

    /// The region's statements.
    pub(super) fn region_statements(&self) -> &[source::Node<'u>] {
        &self.region.statements
    }

    /// The function around the region.
    pub(super) fn region_function(&self) -> source::Node<'u> {
        self.region.function
    }

    /// The iterators of the loops around the present place.
    pub(super) fn active_iterators(&self) -> Vec<VarId> {
        self.active.iter().map(|(var, _)| *var).collect()
    }

    /// Start and end of the region's statements in the text.
    pub(super) fn region_range(&self) -> (usize, usize) {
        (self.region.text_range.start, self.region.text_range.end)
    }

    /// Whether the region runs again while the variable `symbol` lives.
    pub(super) fn runs_again_within(&self, symbol: &source::Symbol<'_>) -> bool {
        let declared = symbol.identifier.start_byte();
        self.has_goto
            || self.region.enclosing_loops.iter().any(|l| !l.byte_range().contains(&declared))
    }

    /// Refuses variables that the region declares for the code after it.
    fn declared_and_used_later(&mut self) {
        let (_, end) = self.region_range();
        let declared: BTreeMap<String, VarId> = self.scopes.first().cloned().unwrap_or_default();
        let mut later: BTreeMap<VarId, Span> = BTreeMap::new();
        for_each_node(self.region.block, &mut |n| {
            let name =
                (n.kind() == "identifier" && n.start_byte() >= end).then(|| self.unit.text(n));
            if let Some(var) = name.and_then(|n| declared.get(n)) {
                later.entry(*var).or_insert_with(|| self.unit.span(n));
            }
        });
        for (var, place) in later {
            let v = &self.vars[var];
            let message = format!("`{}` is declared inside the region and used after it", v.name);
            let error = self
                .at(DiagnosticId::DeclaredInRegion, message, v.span, "")
                .also(place, "used here")
                .help("move the declaration before the region");
            self.report(error);
        }
    }

    /// Reads the expression `node` where only the names of `scope` are visible; nothing where others occur.
    pub(super) fn expression_in(
        &mut self,
        node: source::Node<'u>,
        scope: BTreeMap<String, VarId>,
    ) -> Option<Expr> {
        let mut known = true;
        for_each_node(node, &mut |n| {
            if n.kind() == "identifier" {
                let name = self.unit.text(n);
                let called =
                    n.parent().is_some_and(|p| p.child_by_field_name("function") == Some(n));
                let enumerator =
                    self.table.get(name).is_some_and(|s| s.scope == ScopeKind::Enumerator);
                known &= called || enumerator || scope.contains_key(name);
            }
        });
        if !known {
            return None;
        }
        let scopes = std::mem::replace(&mut self.scopes, vec![scope]);
        let value = self.quietly(|parser| parser.expression(node));
        self.scopes = scopes;
        value
    }

    /// Reads something of which it is no error where it is not understood.
    pub(super) fn quietly<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let refused = |parser: &Self| {
            let names = parser.outer.iter().filter(|(_, var)| var.is_none());
            names.map(|(name, _)| name.clone()).collect::<BTreeSet<_>>()
        };
        let (before, n_diagnostics) = (refused(self), self.diagnostics.len());
        let found = read(self);
        // What was not told is still to be told where it is one.
        self.outer.retain(|name, var| var.is_some() || before.contains(name));
        self.diagnostics.truncate(n_diagnostics);
        found
    }

    /// Reads something outside of the region, of which `node` is all that is looked at: nothing where a name means another variable
    /// there than where the region begins. What is wrong with it is no error.
    pub(super) fn outside<T>(
        &mut self,
        node: source::Node<'u>,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let mut is_same = true;
        for_each_node(node, &mut |n| is_same &= n.kind() != "identifier" || self.table.sees(n));
        if !is_same {
            return None;
        }
        let scopes = std::mem::replace(&mut self.scopes, vec![BTreeMap::new()]);
        let found = self.quietly(read);
        self.scopes = scopes;
        found
    }

    /// Reads consecutive statements.
    pub(super) fn statements(&mut self, nodes: &[source::Node<'u>]) -> Vec<Node> {
        self.sequence(nodes, &[])
    }

    /// Reads one statement; it may become several, or none.
    pub(super) fn statement(
        &mut self,
        node: source::Node<'u>,
        label: Option<String>,
        out: &mut Vec<Node>,
    ) {
        if self.depth >= MAX_DEPTH {
            let span = self.unit.span(node);
            let error = self.at(
                DiagnosticId::NestedTooDeeply,
                "statements are nested too deeply",
                span,
                "",
            );
            return self.report(error);
        }
        self.depth += LEVEL;
        let before = out.len();
        self.statement_kind(node, label, out);
        self.depth -= LEVEL;
        // Whatever reads loops and assignments, none is lost.
        let is_told = self.diagnostics.iter().any(Diagnostic::is_error);
        if before == out.len() && does_something(node) && !is_told {
            self.unsupported_statement(node);
        }
    }

    fn statement_kind(
        &mut self,
        node: source::Node<'u>,
        label: Option<String>,
        out: &mut Vec<Node>,
    ) {
        match node.kind() {
            "compound_statement" => {
                self.scopes.push(BTreeMap::new());
                let nodes = self.statements(&named_children(node));
                self.scopes.pop();
                out.push(Node::Block(nodes));
            }
            "expression_statement" => {
                if let Some(expression) = node.named_child(0) {
                    self.effect(expression, label, out);
                }
            }
            "labeled_statement" => {
                let name = node.child_by_field_name("label").map(|l| self.unit.text(l).to_owned());
                // What is left of a label that is jumped to says nothing.
                let name = name.filter(|name| !self.jumped_to(node, name));
                let inner = named_children(node)
                    .into_iter()
                    .rev()
                    .find(|n| n.kind() != "statement_identifier");
                if let Some(inner) = inner {
                    self.statement(inner, name, out);
                }
            }
            "attributed_statement" => {
                for inner in
                    named_children(node).into_iter().filter(|n| n.kind() != "attribute_declaration")
                {
                    self.statement(inner, label.clone(), out);
                }
            }
            "declaration" => self.declaration(node, out),
            "for_statement" => self.for_loop(node, out),
            "do_statement"
                if runs_once(self.unit, node)
                    && !holds_kind(node, &["break_statement", "continue_statement"]) =>
            {
                let nodes = node.child_by_field_name("body").map(|body| self.scoped(body));
                out.extend(nodes.map(Node::Block));
            }
            "while_statement" if self.counted_while(node, out) => {}
            "while_statement" | "do_statement" if !self.active.is_empty() => {
                self.inner_while(node, out);
            }
            "break_statement" if !self.active.is_empty() => {
                out.push(Node::Break(self.unit.span(node.child(0).unwrap_or(node))));
            }
            "continue_statement" if !self.active.is_empty() => {
                out.push(Node::Continue(self.unit.span(node.child(0).unwrap_or(node))));
            }
            "if_statement" => self.if_statement(node, label, out),
            "comment" | ";" => {}
            _ => self.unsupported_statement(node),
        }
    }

    /// Whether a `goto` of the function names a label; where it is no condition on what it jumps over, that is an error.
    fn jumped_to(&mut self, node: source::Node<'u>, label: &str) -> bool {
        let (mut jumps, mut found) = (false, None);
        if !self.has_goto {
            return false;
        }
        for_each_node(self.region.function, &mut |n| {
            let target = n.child_by_field_name("label").filter(|_| n.kind() == "goto_statement");
            if target.is_some_and(|t| self.unit.text(t) == label) {
                jumps = true;
                found = found.or(Some(n).filter(|n| !self.understood.contains(&n.start_byte())));
            }
        });
        if let Some(jump) = found {
            let (span, jump) =
                (self.unit.span(node.child(0).unwrap_or(node)), self.unit.span(jump));
            let error = self
                .at(DiagnosticId::Jump, "a jump into the region", span, "to this label")
                .also(jump, "from here")
                .help("use `for` and `if` instead");
            self.report(error);
        }
        jumps
    }

    /// The statements in the scope of a loop or branch.
    pub(super) fn scoped(&mut self, node: source::Node<'u>) -> Vec<Node> {
        let mut out = Vec::new();
        self.scopes.push(BTreeMap::new());
        self.statement(node, None, &mut out);
        self.scopes.pop();
        match <[Node; 1]>::try_from(out) {
            Ok([Node::Block(nodes)]) => nodes,
            Ok(single) => single.into(),
            Err(nodes) => nodes,
        }
    }

    fn if_statement(&mut self, node: source::Node<'u>, label: Option<String>, out: &mut Vec<Node>) {
        let condition = node.child_by_field_name("condition").and_then(|c| self.condition(c));
        let then =
            node.child_by_field_name("consequence").map_or_else(Vec::new, |n| self.scoped(n));
        let otherwise = node.child_by_field_name("alternative").and_then(|e| match e.kind() {
            "else_clause" => named_children(e).into_iter().find(|n| n.kind() != "comment"),
            _ => Some(e),
        });
        let otherwise = otherwise.map_or_else(Vec::new, |n| self.scoped(n));
        if let Some(condition) = condition {
            let span = self.unit.span(node);
            out.push(Node::If(Box::new(If { condition, then, otherwise, span, label })));
        }
    }

    /// An expression statement.
    pub(super) fn effect(
        &mut self,
        node: source::Node<'u>,
        label: Option<String>,
        out: &mut Vec<Node>,
    ) {
        match node.kind() {
            "parenthesized_expression" if self.depth < MAX_DEPTH => {
                self.depth += LEVEL;
                if let Some(inner) = node.named_child(0) {
                    self.effect(inner, label, out);
                }
                self.depth -= LEVEL;
            }
            "comma_expression" => {
                for (i, part) in operands_of_comma(node).into_iter().enumerate() {
                    self.effect(part, label.clone().filter(|_| i == 0), out);
                }
            }
            "assignment_expression" => self.with_updates(node, out, |parser, out| {
                parser.assignment(node, label, out);
            }),
            "update_expression" => self.update(node, label, out),
            "call_expression" if let Some(copy) = self.memory_call(node) => out.push(copy),
            "cast_expression"
                if node
                    .child_by_field_name("type")
                    .is_some_and(|t| self.unit.text(t) == "void") =>
            {
                if let Some(value) = node.child_by_field_name("value") {
                    self.expression(value);
                }
            }
            _ => {
                let (message, help) =
                    ("this statement has no effect that can be seen", "remove it");
                if self.expression(node).is_some() {
                    let span = self.unit.span(node);
                    let error =
                        self.at(DiagnosticId::StatementWithoutEffect, message, span, "").help(help);
                    self.report(error);
                }
            }
        }
    }

    /// `target op= value`; returns the target.
    fn assignment(
        &mut self,
        node: source::Node<'u>,
        label: Option<String>,
        out: &mut Vec<Node>,
    ) -> Option<Expr> {
        let left = node.child_by_field_name("left")?;
        if self.counter_of(strip_parentheses(left)).is_some() {
            return self.pointer_moved(node, out);
        }
        if self.is_pointer_assigned(left) {
            return None;
        }
        let right = node.child_by_field_name("right").map(strip_parentheses)?;
        let first = out.len();
        let value = if right.kind() == "assignment_expression" && self.depth < MAX_DEPTH {
            self.depth += LEVEL;
            let inner = self.assignment(right, label.clone(), out);
            self.depth -= LEVEL;
            inner
        } else {
            self.expression(right)
        };
        let label = label.filter(|_| out.len() == first);
        let target = self.target(left);
        let symbol =
            node.child_by_field_name("operator").map_or("=", |o| self.unit.text(o)).to_owned();
        let Some(op) = assign_op(&symbol) else {
            let span = self.unit.span(node);
            let error = self.at(
                DiagnosticId::UnsupportedExpression,
                format!("the operator `{symbol}` is not known"),
                span,
                "",
            );
            self.report(error);
            return None;
        };
        let (target, value) = (target?, value?);
        let span = self.unit.span(node);
        self.written(&target, span);
        out.push(Node::Assign(Box::new(Assign { target: target.clone(), op, value, span, label })));
        Some(target)
    }

    /// `pointer += value`.
    fn pointer_moved(&mut self, node: source::Node<'u>, out: &mut Vec<Node>) -> Option<Expr> {
        let [pointer, value] = ["left", "right"].map(|f| node.child_by_field_name(f));
        let op = match self.operator(node) {
            "-=" => BinaryOp::Sub,
            _ => BinaryOp::Add,
        };
        let (value, span) = (self.expression(value?)?, self.unit.span(node));
        self.move_pointer(pointer?, (op, value, span), out);
        None
    }

    /// `target++` and its like.
    fn update(&mut self, node: source::Node<'u>, label: Option<String>, out: &mut Vec<Node>) {
        let Some(argument) = node.child_by_field_name("argument") else { return };
        let decreases =
            node.child_by_field_name("operator").is_some_and(|o| self.unit.text(o) == "--");
        let op = if decreases { BinaryOp::Sub } else { BinaryOp::Add };
        let span = self.unit.span(node);
        if self.move_pointer(argument, (op, Expr::int(1, span), span), out)
            || self.is_pointer_assigned(argument)
        {
            return;
        }
        let Some(target) = self.target(argument) else { return };
        let op = AssignOp::Compound(op);
        self.written(&target, span);
        out.push(Node::Assign(Box::new(Assign {
            target,
            op,
            value: Expr::int(1, span),
            span,
            label,
        })));
    }

    /// Whether `node`, which is assigned to, is a pointer, or was refused already; that is an error.
    pub(super) fn is_pointer_assigned(&mut self, node: source::Node<'u>) -> bool {
        let node = strip_parentheses(node);
        let name = self.unit.text(node);
        if node.kind() == "identifier" && self.is_refused(name) {
            return true;
        }
        let var = self.local(name).or_else(|| self.outer.get(name).copied().flatten());
        let rank = match var {
            Some(var) => self.vars[var].rank(),
            None => self.table.get(name).map_or(0, |s| s.ctype.layers.len()),
        };
        if node.kind() != "identifier" || rank == 0 {
            return false;
        }
        let error = self
            .at(
                DiagnosticId::PointerAssigned,
                format!("the pointer `{name}` is changed in the region"),
                self.unit.span(node),
                "",
            )
            .note("which memory its accesses mean would depend on when they run")
            .help("use subscripts that start from a fixed array");
        self.report(error);
        true
    }

    /// The written place that `node` denotes.
    fn target(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let target = self.expression(node)?;
        if matches!(target.kind, ExprKind::Scalar(_) | ExprKind::Element(..)) {
            return Some(target);
        }
        let error = self.at(
            DiagnosticId::UnsupportedExpression,
            "this cannot be assigned to",
            target.span,
            "",
        );
        self.report(error);
        None
    }

    /// Notes that the region writes `target`.
    pub(super) fn written(&mut self, target: &Expr, span: Span) {
        let (ExprKind::Scalar(var) | ExprKind::Element(var, _)) = target.kind else { return };
        self.vars[var].writes.push(span);
        if self.in_header {
            return;
        }
        let Some((_, header)) = self.active.iter().find(|(active, _)| *active == var) else {
            return;
        };
        let name = &self.vars[var].name;
        let error = self
            .at(
                DiagnosticId::ModifiedIterator,
                format!("the iterator `{name}` is modified in its loop"),
                span,
                "",
            )
            .also(*header, format!("the loop over `{name}`"))
            .note("how often a loop runs must be known before it starts")
            .help("use another variable, or express the skipped iterations as a condition");
        self.report(error);
    }

    /// A declaration inside the region.
    pub(super) fn declaration(&mut self, node: source::Node<'u>, out: &mut Vec<Node>) {
        for symbol in declared_symbols(self.unit, node, ScopeKind::Local) {
            if symbol.scope == ScopeKind::Enumerator {
                continue;
            }
            let span = symbol.span;
            if self.declared_view(&symbol, out) || !self.can_be_declared(&symbol) {
                continue;
            }
            let is_array = !symbol.ctype.layers.is_empty();
            let value = symbol.initializer.and_then(|v| self.initial_value(v, is_array));
            let failed = symbol.initializer.is_some() && value.is_none();
            let var = self.declare(symbol);
            if failed {
                continue;
            }
            if value.is_some() {
                self.vars[var].writes.push(span);
            }
            out.push(Node::Declare(Declare { var, value, span }));
        }
    }

    /// The first value of a variable that is declared inside the region.
    fn initial_value(&mut self, node: source::Node<'u>, is_array: bool) -> Option<Expr> {
        if node.kind() != "initializer_list" && !is_array {
            return self.expression(node);
        }
        let span = self.unit.span(node);
        let error = self
            .at(
                DiagnosticId::UnsupportedDeclaration,
                "initialiser lists are not supported inside a region",
                span,
                "",
            )
            .help("declare the array before the region, or assign its elements one by one");
        self.report(error);
        None
    }

    /// Whether a variable such as `symbol` may be declared inside the region; else that is an error.
    fn can_be_declared(&mut self, symbol: &source::Symbol<'u>) -> bool {
        let what = match symbol.ctype.shape(false) {
            _ if symbol.storage.is_static => "a static variable",
            _ if symbol.storage.is_extern => "an external variable",
            _ if symbol.storage.is_thread_local => "a thread-local variable",
            _ if symbol.ctype.qualifiers.is_volatile => "a volatile variable",
            _ if symbol.ctype.qualifiers.is_atomic => "an atomic variable",
            Shape::Pointers | Shape::Array { is_pointer: true, .. } => "a pointer",
            Shape::Function => "a function",
            Shape::Scalar | Shape::Array { .. } => return true,
        };
        let message = format!("{what} is declared inside the region");
        let error = self
            .at(DiagnosticId::UnsupportedDeclaration, message, symbol.span, "")
            .help("move the declaration before the region");
        self.report(error);
        self.declare_refused(symbol);
        false
    }

    /// Notes a declaration that was refused: of what uses it, nothing more is said.
    pub(super) fn declare_refused(&mut self, symbol: &source::Symbol<'u>) {
        let element = element_type(&symbol.ctype);
        let var = self.vars.push(Var::made(symbol.name.clone(), element, symbol.span));
        self.refused.insert(var);
        self.bring_into_scope(symbol.name.clone(), var);
    }

    /// Whether `name` means a variable here of which it was said already that the region cannot use it.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        match self.local(name) {
            Some(var) => self.refused.contains(&var),
            None => self.outer.get(name).is_some_and(Option::is_none),
        }
    }

    /// Makes `name` mean `var` in the present block.
    pub(super) fn bring_into_scope(&mut self, name: String, var: VarId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, var);
        }
    }

    /// Makes a variable of the region out of `symbol`.
    fn declare(&mut self, symbol: source::Symbol<'u>) -> VarId {
        let shape = symbol.ctype.shape(false);
        let sizes = match shape {
            Shape::Array { extents, .. } => extents,
            _ => Vec::new(),
        };
        let text = |e: &Option<source::Node<'u>>| e.map_or("", |e| self.unit.text(e)).to_owned();
        let extent_texts = sizes.iter().map(text).collect();
        let extents = sizes.into_iter().map(|e| e.and_then(|e| self.expression(e))).collect();
        let name = symbol.name.clone();
        let var = self.vars.push(Var {
            name: name.clone(),
            element: element_type(&symbol.ctype),
            extents,
            extent_texts,
            is_pointer: false,
            is_restrict: false,
            holds_pointers: false,
            is_taken: false,
            scope: ArrayScope::Region,
            span: symbol.span,
            symbol: None,
            is_iterator: false,
            writes: Vec::new(),
            made_of: Vec::new(),
            flag_of: None,
        });
        self.bring_into_scope(name, var);
        var
    }

    /// The variable declared inside the region that `name` means here.
    pub(super) fn local(&self, name: &str) -> Option<VarId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// Reads the body of a loop over `var`.
    pub(super) fn body_of(
        &mut self,
        (var, header): (VarId, Span),
        read: impl FnOnce(&mut Self) -> Vec<Node>,
    ) -> Vec<Node> {
        self.active.push((var, header));
        let body = read(self);
        self.active.pop();
        body
    }

    /// Reads statements as those of a block.
    pub(super) fn block_of(&mut self, statements: &[source::Node<'u>]) -> Vec<Node> {
        self.within_scope(|parser| parser.statements(statements))
    }

    /// Reads something in a block of its own.
    pub(super) fn within_scope<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(BTreeMap::new());
        let found = read(self);
        self.scopes.pop();
        found
    }

    fn unsupported_statement(&mut self, node: source::Node<'u>) {
        let first = node.child(0).map_or(node, |c| c);
        let span = self.unit.span(first);
        let (id, message, help) = match node.kind() {
            "while_statement" => (
                DiagnosticId::WhileLoop,
                "a `while` loop in the region",
                "write it as a `for` loop whose number of iterations is known before it starts, or end the region before it",
            ),
            "do_statement" => (
                DiagnosticId::WhileLoop,
                "a `do` loop in the region",
                "write it as a `for` loop whose number of iterations is known before it starts, or end the region before it",
            ),
            "goto_statement" => {
                (DiagnosticId::Jump, "a `goto` in the region", "use `for` and `if` instead")
            }
            "break_statement" => (
                DiagnosticId::Jump,
                "a `break` in the region",
                "put the condition into the bounds of the loop",
            ),
            "continue_statement" => (
                DiagnosticId::Jump,
                "a `continue` in the region",
                "put the rest of the body under an `if`",
            ),
            "return_statement" => {
                (DiagnosticId::Jump, "a `return` in the region", "end the region before it")
            }
            "switch_statement" => (
                DiagnosticId::SwitchStatement,
                "a `switch` in the region",
                "write it as a chain of `if`",
            ),
            "gnu_asm_expression" => (
                DiagnosticId::InlineAssembly,
                "inline assembly in the region",
                "end the region before it",
            ),
            _ => (
                DiagnosticId::UnsupportedStatement,
                "this kind of statement is not supported in a region",
                "end the region before it",
            ),
        };
        let error = self.at(id, message, span, "").help(help);
        self.report(error);
    }
}

/// Whether a statement is a loop or an assignment.
fn does_something(node: source::Node<'_>) -> bool {
    let expression = node.named_child(0).filter(|_| node.kind() == "expression_statement");
    matches!(node.kind(), "for_statement" | "while_statement" | "do_statement")
        || expression
            .is_some_and(|e| matches!(e.kind(), "assignment_expression" | "update_expression"))
}

/// The operands of a comma expression, those of nested ones in their place.
pub(super) fn operands_of_comma(node: source::Node<'_>) -> Vec<source::Node<'_>> {
    let mut operands = Vec::new();
    let mut queue = vec![node];
    while let Some(node) = queue.pop() {
        if node.kind() == "comma_expression" {
            queue.extend(["right", "left"].iter().filter_map(|f| node.child_by_field_name(f)));
        } else {
            operands.push(node);
        }
    }
    operands
}

/// The named children of `node`.
pub(super) fn named_children(node: source::Node<'_>) -> Vec<source::Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// The assignment operator spelled `symbol`.
fn assign_op(symbol: &str) -> Option<AssignOp> {
    let binary = symbol.strip_suffix('=')?;
    if binary.is_empty() {
        return Some(AssignOp::Set);
    }
    super::expr::binary_op(binary).filter(|op| op.is_compound()).map(AssignOp::Compound)
}
