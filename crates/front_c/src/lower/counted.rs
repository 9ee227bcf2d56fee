//! Loops that count without saying so in a `for`: how often they run is known before they start.
//!
//! `while (i < n) { …; i++; }` and `for (; i < n; i++)` begin with the value that `i` has there. `while (n--)` and
//! `for (i = n; i-- > 0;)` run as often as what they test has left to count, and count at the begin of each iteration and once more
//! behind the last one; `for (i = n; i > 0 && i--;)` does not count there.

use super::expr::binary;
use super::hir::{Assign, Declare, Expr, ExprKind, Loop, Node};
use super::parse::{Parser, named_children, strip_parentheses};
use super::vars::Var;
use crate::source::{self, changed_place, declarator_name, for_each_node, holds_kind};
use farkas_base::Span;
use farkas_scop::{AssignOp, BinaryOp, ElementKind, ElementType};

/// A condition that counts down.
struct Countdown<'u> {
    /// The variable that counts.
    counter: source::Node<'u>,
    /// What it must exceed to go on, or differ from.
    least: Option<source::Node<'u>>,
    /// Whether it goes on below that, too.
    may_differ: bool,
    /// Whether it counts before it is asked.
    counts_first: bool,
    /// Whether it counts in each iteration alone, and not once more where there is none left.
    counts_within: bool,
}

impl<'u> Parser<'u, '_> {
    /// Reads a `while` loop that counts; whether `node` is one.
    pub(super) fn counted_while(&mut self, node: source::Node<'u>, out: &mut Vec<Node>) -> bool {
        let parts = ["condition", "body"].map(|f| node.child_by_field_name(f));
        let [Some(condition), Some(body)] = parts else { return false };
        if node.kind() != "while_statement" {
            return false;
        }
        if let Some(countdown) = self.countdown(condition, body) {
            return self.counted_down(node, &countdown, body, out);
        }
        let Some((update, rest)) = self.last_update(condition, body) else { return false };
        self.counted_up(node, (condition, update), rest, out)
    }

    /// `while (i < n) { …; i++; }`, of which `rest` is the body without the update.
    fn counted_up(
        &mut self,
        node: source::Node<'u>,
        (condition, update): (source::Node<'u>, source::Node<'u>),
        rest: Vec<source::Node<'u>>,
        out: &mut Vec<Node>,
    ) -> bool {
        let header = self.header_span(node);
        let Some(counter) = changed_place(update).and_then(|target| self.expression(target)) else {
            return true;
        };
        let Some(var) = counter.scalar() else { return false };
        self.in_header = true;
        let step = self.step_value(update, var).filter(|step| *step != 0);
        self.in_header = false;
        // What is halved, or moves by what is not known, does not count.
        let Some(step) = step else { return false };
        self.in_header = true;
        let condition = self.expression(condition);
        self.vars[var].is_iterator = true;
        let is_iterator = self.check_iterator(var, header);
        self.in_header = false;
        let body = self.body_of((var, header), |parser| parser.block_of(&rest));
        if let (Some(condition), true) = (condition, is_iterator) {
            out.extend(self.without_jumps(Loop {
                var,
                init: counter,
                condition,
                step,
                continues: true,
                is_guarded: false,
                body,
                span: header,
            }));
        }
        true
    }

    /// The last statement of a loop's body, if that moves an integer of the condition and nothing else does, and what is before it.
    fn last_update(
        &self,
        condition: source::Node<'u>,
        body: source::Node<'u>,
    ) -> Option<(source::Node<'u>, Vec<source::Node<'u>>)> {
        let mut statements = match body.kind() {
            "compound_statement" => named_children(body),
            _ => vec![body],
        };
        statements.retain(|n| n.kind() != "comment");
        let last = statements.pop()?;
        let update = (last.kind() == "expression_statement").then(|| last.named_child(0))??;
        let target = changed_place(update)?;
        let name = self.unit.text(target);
        let is_counter = strip_parentheses(condition).kind() == "binary_expression"
            && self.is_integer_variable(target)
            && self.table.mentions(condition, name)
            && self.n_changes(body, name) == 1
            && !holds_kind(body, &["continue_statement"]);
        is_counter.then_some((update, statements))
    }

    /// The condition of a loop with `body`, if it counts a variable down that nothing else changes.
    fn countdown(
        &self,
        condition: source::Node<'u>,
        body: source::Node<'u>,
    ) -> Option<Countdown<'u>> {
        let mut test = strip_parentheses(condition);
        let sides = |test: source::Node<'u>| {
            let [left, right] = ["left", "right"].map(|f| test.child_by_field_name(f));
            Some((strip_parentheses(left?), strip_parentheses(right?)))
        };
        let is_binary = |test: source::Node<'u>| test.kind() == "binary_expression";
        let mut within = None;
        if is_binary(test) && self.operator(test) == "&&" {
            let (asked, counted) = sides(test)?;
            (test, within) = (asked, Some(counted));
        }
        let (asked, least) = match is_binary(test) && matches!(self.operator(test), ">" | "!=") {
            true => sides(test).map(|(left, right)| (left, Some(right)))?,
            false => (test, None),
        };
        let count = within.unwrap_or(asked);
        let operator = count.child_by_field_name("operator")?;
        let counter = strip_parentheses(count.child_by_field_name("argument")?);
        let is_countdown = count.kind() == "update_expression"
            && self.unit.text(operator) == "--"
            && counter.kind() == "identifier"
            && self.n_changes(body, self.unit.text(counter)) == 0
            && !holds_kind(body, &["break_statement"])
            && !least.is_some_and(|least| self.table.mentions(least, self.unit.text(counter)));
        let counts_first = operator.start_byte() < counter.start_byte();
        let may_differ = test == asked || self.operator(test) == "!=";
        // What is left after `i > 0` and before `i--` is not zero, so that the loop goes on.
        let is_asked_alone = within.is_none()
            || self.unit.text(asked) == self.unit.text(counter)
                && !counts_first
                && least.and_then(|least| source::integer_literal(self.unit.text(least)))
                    == Some(0);
        let counts_within = within.is_some();
        (is_countdown && is_asked_alone).then_some(Countdown {
            counter,
            least,
            may_differ,
            counts_first,
            counts_within,
        })
    }

    /// A `for` loop whose condition counts down, if `node` is one.
    pub(super) fn counted_down_for(&mut self, node: source::Node<'u>, out: &mut Vec<Node>) -> bool {
        let parts = ["condition", "body"].map(|f| node.child_by_field_name(f));
        let [Some(condition), Some(body)] = parts else { return false };
        let Some(countdown) = self.countdown(condition, body) else { return false };
        if node.child_by_field_name("update").is_some() {
            return false;
        }
        match node.child_by_field_name("initializer") {
            Some(first) if first.kind() == "declaration" => self.declaration(first, out),
            Some(first) => self.effect(first, None, out),
            None => {}
        }
        self.counted_down(node, &countdown, body, out)
    }

    /// A loop whose condition counts down.
    fn counted_down(
        &mut self,
        node: source::Node<'u>,
        countdown: &Countdown<'u>,
        body: source::Node<'u>,
        out: &mut Vec<Node>,
    ) -> bool {
        let Countdown { counter, least, may_differ, counts_first, counts_within } = countdown;
        let (header, span) = (self.header_span(node), self.unit.span(*counter));
        self.in_header = true;
        let least = match least {
            Some(least) => self.expression(*least),
            None => Some(Expr::int(0, span)),
        };
        self.in_header = false;
        let counter = self.expression(*counter);
        let (Some(counter), Some(least)) = (counter, least) else { return true };
        let is_unsigned = matches!(counter.ty, ElementKind::Unsigned(_));
        // What has no sign becomes the largest number below zero, and goes on from there.
        let wraps = is_unsigned && (*counts_first || *may_differ && least.constant() != Some(0));
        let is_compared_otherwise = is_unsigned
            && !matches!(least.ty, ElementKind::Unsigned(_))
            && least.constant().is_none_or(|least| least < 0);
        if counter.scalar().is_none() || !counter.ty.is_integer() || wraps || is_compared_otherwise
        {
            if let Some(test) = node.child_by_field_name("condition") {
                self.condition(test);
            }
            return true;
        }
        let long = ElementType { text: "long".to_owned(), kind: ElementKind::Signed(64) };
        let wide = |e: Expr| super::pure::converted(e, &long);
        let left = match (counts_first, least.constant()) {
            (false, Some(0)) => wide(counter.clone()),
            (false, _) => binary(BinaryOp::Sub, wide(counter.clone()), wide(least), span),
            (true, _) => {
                let last = binary(BinaryOp::Add, wide(least), Expr::int(1, span), span);
                binary(BinaryOp::Sub, wide(counter.clone()), last, span)
            }
        };
        let name = self.unit.text(countdown.counter);
        let [var, trips] = ["count", "trips"].map(|what| {
            let name = self.free_name(&format!("{name}_{what}"));
            self.vars.push(Var::made(name, long.clone(), header))
        });
        self.vars[var].is_iterator = true;
        self.vars[trips].writes.push(header);
        out.push(Node::Declare(Declare { var: trips, value: Some(left), span: header }));
        let scalar = |var| Expr { kind: ExprKind::Scalar(var), ty: ElementKind::Signed(64), span };
        let condition = binary(BinaryOp::Lt, scalar(var), scalar(trips), span);
        let count = self.counting(counter, span);
        let mut inner = self.body_of((var, header), |parser| parser.scoped(body));
        inner.insert(0, count.clone());
        out.extend(self.without_jumps(Loop {
            var,
            init: Expr { ty: ElementKind::Signed(64), ..Expr::int(0, span) },
            condition,
            step: 1,
            continues: false,
            is_guarded: false,
            body: inner,
            span: header,
        }));
        if !counts_within {
            out.push(count);
        }
        true
    }

    /// `counter -= 1`.
    fn counting(&mut self, counter: Expr, span: Span) -> Node {
        self.written(&counter, span);
        let (op, value) = (AssignOp::Compound(BinaryOp::Sub), Expr::int(1, span));
        Node::Assign(Box::new(Assign { target: counter, op, value, span, label: None }))
    }

    /// Whether a node is a variable of an integer type.
    fn is_integer_variable(&self, node: source::Node<'u>) -> bool {
        let name = self.unit.text(node);
        let kind = match self.local(name) {
            Some(var) if self.vars[var].rank() == 0 => Some(self.vars[var].element.kind),
            Some(_) => None,
            None => self
                .table
                .get(name)
                .filter(|symbol| symbol.ctype.layers.is_empty())
                .map(|symbol| super::vars::element_type(&symbol.ctype).kind),
        };
        node.kind() == "identifier" && kind.is_some_and(ElementKind::is_integer)
    }

    /// How many places in `body` change the variable `name`, take its address, or declare another one of the name.
    fn n_changes(&self, body: source::Node<'u>, name: &str) -> usize {
        let mut n = 0;
        for_each_node(body, &mut |node| {
            let is_address = node.kind() == "pointer_expression" && self.operator(node) == "&";
            let target = changed_place(node)
                .or_else(|| node.child_by_field_name("argument").filter(|_| is_address));
            let target = target.or_else(|| {
                let declarator = node.child_by_field_name("declarator");
                declarator
                    .filter(|_| node.kind() != "function_declarator")
                    .and_then(declarator_name)
            });
            n += usize::from(target.is_some_and(|target| self.unit.text(target) == name));
        });
        n
    }
}
