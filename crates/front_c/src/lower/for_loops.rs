//! `for` loops: the iterator, where it starts, how it moves, and what else moves with it.

use super::hir::{Expr, ExprKind, Loop, Node, VarId};
use super::inner::{jumps, without_continue};
use super::parse::{Parser, operands_of_comma, strip_parentheses};
use crate::source::{self, changed_place};
use farkas_base::{DiagnosticId, Span};
use farkas_scop::{AssignOp, BinaryOp};

impl<'u> Parser<'u, '_> {
    /// Reads a `for` loop.
    pub(super) fn for_loop(&mut self, node: source::Node<'u>, out: &mut Vec<Node>) {
        self.within_scope(|parser| {
            if !parser.counted_down_for(node, out) {
                parser.plain_for_loop(node, out);
            }
        });
    }

    /// Reads a `for` loop with an iterator, in the block of its own.
    fn plain_for_loop(&mut self, node: source::Node<'u>, out: &mut Vec<Node>) {
        let header = self.header_span(node);
        let (update, others) = self.updates_of(node);
        self.in_header = true;
        let init = self.loop_init(node, header, out);
        let condition = match node.child_by_field_name("condition") {
            Some(condition) => self.expression(condition),
            None => {
                let error = self
                    .at(DiagnosticId::EndlessLoop, "the loop has no condition", header, "")
                    .help("give it an upper bound that is known before the loop starts");
                self.report(error);
                None
            }
        };
        let mut step = None;
        if let Some((var, _)) = &init {
            self.vars[*var].is_iterator = true;
            if self.check_iterator(*var, header) {
                step = self.loop_step(update, *var, header);
            }
        }
        self.in_header = false;
        let read = |parser: &mut Self| {
            let body = node.child_by_field_name("body");
            let body = body.map_or_else(Vec::new, |b| parser.scoped(b));
            parser.with_other_updates(&others, body)
        };
        let body = match &init {
            Some((var, _)) => self.body_of((*var, header), read),
            None => read(self),
        };
        if let (Some((var, init)), Some(condition), Some(step)) = (init, condition, step) {
            let continues = node.child_by_field_name("initializer").is_none();
            out.extend(self.without_jumps(Loop {
                var,
                init,
                condition,
                step,
                continues,
                is_guarded: false,
                body,
                span: header,
            }));
        }
    }

    /// A loop without `break` and `continue`: what those skip goes under conditions, or the loop is an inner one, if there is
    /// another around it.
    pub(super) fn without_jumps(&mut self, mut l: Loop) -> Option<Node> {
        let (ends, goes_on) = jumps(&l.body);
        let Some(jump) = ends.or(goes_on) else { return Some(Node::Loop(Box::new(l))) };
        if ends.is_none()
            && let Some(body) = without_continue(&l.body)
        {
            l.body = body;
            return Some(Node::Loop(Box::new(l)));
        }
        if !self.active.is_empty()
            && let Some(inner) = self.inner_loop(&l)
        {
            return Some(Node::Inner(Box::new(inner)));
        }
        if ends.is_none() {
            self.refuse_continue(jump);
            return None;
        }
        let error = self
            .at(DiagnosticId::Jump, "a `break` in the region", jump, "")
            .help("put the condition into the bounds of the loop");
        self.report(error);
        None
    }

    /// Refuses a `continue` that skips more than moving statements can tell.
    pub(super) fn refuse_continue(&mut self, jump: Span) {
        let error = self
            .at(DiagnosticId::Jump, "a `continue` in the region", jump, "")
            .help("put the rest of the body under an `if`");
        self.report(error);
    }

    /// From `for` to its closing parenthesis.
    pub(super) fn header_span(&self, node: source::Node<'u>) -> Span {
        let end = node.child_by_field_name("body").map_or(node.end_byte(), |b| b.start_byte());
        self.unit.span_of(node.start_byte()..end)
    }

    /// The iterator and its first value; further assignments of the initialiser go to `out`.
    fn loop_init(
        &mut self,
        node: source::Node<'u>,
        header: Span,
        out: &mut Vec<Node>,
    ) -> Option<(VarId, Expr)> {
        let mut assignments = Vec::new();
        match node.child_by_field_name("initializer") {
            Some(declaration) if declaration.kind() == "declaration" => {
                self.declaration(declaration, &mut assignments);
            }
            Some(expression) => self.effect(expression, None, &mut assignments),
            None => return self.continued(node, header),
        }
        let iterator = self.iterator_of(node, &assignments);
        let position = assignments.iter().position(|a| match a {
            Node::Assign(a) => a.op == AssignOp::Set && a.target.scalar() == iterator,
            Node::Declare(d) => d.value.is_some() && Some(d.var) == iterator,
            _ => false,
        });
        let Some(position) = position.filter(|_| iterator.is_some()) else {
            if !assignments.is_empty() {
                let error = self
                    .at(
                        DiagnosticId::LoopInitializer,
                        "the loop's initialiser does not set its iterator",
                        header,
                        "",
                    )
                    .help(
                        "the loop must begin by assigning the variable that its last part changes",
                    );
                self.report(error);
            }
            return None;
        };
        let chosen = assignments.remove(position);
        out.append(&mut assignments);
        match chosen {
            Node::Assign(a) => {
                let var = a.target.scalar()?;
                self.vars[var].writes.retain(|w| *w != a.span);
                Some((var, a.value))
            }
            Node::Declare(d) => {
                self.vars[d.var].writes.retain(|w| *w != d.span);
                Some((d.var, d.value?))
            }
            _ => None,
        }
    }

    /// The iterator of a loop that begins with the value that it has there.
    fn continued(&mut self, node: source::Node<'u>, header: Span) -> Option<(VarId, Expr)> {
        let update = self.updates_of(node).0;
        let target = update.and_then(|u| {
            u.child_by_field_name("argument").or_else(|| u.child_by_field_name("left"))
        });
        let value = target.filter(|t| t.kind() == "identifier").and_then(|t| self.expression(t));
        if let Some(value) = value
            && let Some(var) = value.scalar()
        {
            return Some((var, value));
        }
        self.no_first_value(header);
        None
    }

    /// Refuses a loop of which it is not known where it starts.
    pub(super) fn no_first_value(&mut self, header: Span) {
        let message = "the loop does not say where its iterator starts";
        let error = self
            .at(DiagnosticId::LoopInitializer, message, header, "")
            .help("write the first value into the loop: `for (i = 0; …`");
        self.report(error);
    }

    /// The variable that the loop runs over: the one that its update changes, else the first that its initialiser sets.
    fn iterator_of(&self, node: source::Node<'u>, assignments: &[Node]) -> Option<VarId> {
        let set = assignments.iter().find_map(|a| match a {
            Node::Assign(a) => a.target.scalar(),
            Node::Declare(d) => Some(d.var),
            _ => None,
        });
        let update = self.updates_of(node).0.map(strip_parentheses);
        let changed = update
            .and_then(|u| u.child_by_field_name("argument").or(u.child_by_field_name("left")));
        let name = changed.map(|c| self.unit.text(strip_parentheses(c)));
        let changed =
            name.and_then(|n| self.local(n).or_else(|| self.outer.get(n).copied().flatten()));
        match name.and_then(|n| self.table.get(n)) {
            Some(_) if changed.is_none() => None,
            _ => changed.or(set),
        }
    }

    /// Whether the iterator is an integer that no loop around has too; else that is an error.
    pub(super) fn check_iterator(&mut self, var: VarId, header: Span) -> bool {
        let v = &self.vars[var];
        let name = v.name.clone();
        let error = if !v.element.kind.is_integer() {
            let message = format!("the iterator `{name}` has type `{}`", v.element.text);
            self.at(DiagnosticId::LoopIterator, message, header, "").help("use an integer iterator")
        } else if let Some((_, outer)) = self.active.iter().find(|(active, _)| *active == var) {
            let message = format!("two nested loops share the iterator `{name}`");
            self.at(DiagnosticId::ModifiedIterator, message, header, "")
                .also(*outer, "the outer loop")
                .help("give the inner loop an iterator of its own")
        } else {
            return true;
        };
        self.report(error);
        false
    }

    /// What an iteration adds to the iterator.
    fn loop_step(
        &mut self,
        update: Option<source::Node<'u>>,
        var: VarId,
        header: Span,
    ) -> Option<i64> {
        let name = self.vars[var].name.clone();
        let Some(update) = update else {
            let error = self
                .at(
                    DiagnosticId::LoopStep,
                    format!("the loop does not say how `{name}` changes"),
                    header,
                    "",
                )
                .help("write the step into the loop: `i++` or `i += 2`");
            self.report(error);
            return None;
        };
        let span = self.unit.span(update);
        match self.step_value(update, var) {
            Some(step) if step != 0 => Some(step),
            _ => {
                let error = self
                    .at(DiagnosticId::LoopStep, format!("the step of the loop over `{name}` is not a constant"), span, "")
                    .note("accepted are `i++`, `i--`, `i += c`, `i -= c`, `i = i + c` and `i = i - c`, `c` a constant that is not 0");
                self.report(error);
                None
            }
        }
    }

    pub(super) fn step_value(&mut self, update: source::Node<'u>, var: VarId) -> Option<i64> {
        let mut effects = Vec::new();
        let n_writes = self.vars[var].writes.len();
        self.effect(update, None, &mut effects);
        self.vars[var].writes.truncate(n_writes);
        let [Node::Assign(assign)] = effects.as_slice() else { return None };
        if assign.target.scalar() != Some(var) {
            return None;
        }
        match (assign.op, &assign.value.kind) {
            (AssignOp::Compound(BinaryOp::Add), _) => assign.value.constant(),
            (AssignOp::Compound(BinaryOp::Sub), _) => assign.value.constant()?.checked_neg(),
            (AssignOp::Set, ExprKind::Binary(BinaryOp::Add, a, b)) if a.scalar() == Some(var) => {
                b.constant()
            }
            (AssignOp::Set, ExprKind::Binary(BinaryOp::Add, a, b)) if b.scalar() == Some(var) => {
                a.constant()
            }
            (AssignOp::Set, ExprKind::Binary(BinaryOp::Sub, a, b)) if a.scalar() == Some(var) => {
                b.constant()?.checked_neg()
            }
            _ => None,
        }
    }

    /// The updates of a `for` loop but that of its iterator, as the end of its body.
    pub(super) fn with_other_updates(
        &mut self,
        others: &[source::Node<'u>],
        mut body: Vec<Node>,
    ) -> Vec<Node> {
        if others.is_empty() {
            return body;
        }
        if let Some(jump) = jumps(&body).1 {
            let Some(plain) = without_continue(&body) else {
                self.refuse_continue(jump);
                return body;
            };
            body = plain;
        }
        for other in others {
            self.effect(*other, None, &mut body);
        }
        body
    }

    /// The update of a `for` loop's iterator and the others beside it.
    pub(super) fn updates_of(
        &self,
        node: source::Node<'u>,
    ) -> (Option<source::Node<'u>>, Vec<source::Node<'u>>) {
        let Some(update) = node.child_by_field_name("update") else { return (None, Vec::new()) };
        let mut all = operands_of_comma(strip_parentheses(update));
        let condition = node.child_by_field_name("condition");
        let is_tested = |update: &source::Node<'u>| {
            let name = changed_place(*update).map(|target| self.unit.text(target));
            condition
                .zip(name)
                .is_some_and(|(condition, name)| self.table.mentions(condition, name))
        };
        let at = all.iter().position(is_tested).unwrap_or(0);
        (Some(all.remove(at)), all)
    }
}
