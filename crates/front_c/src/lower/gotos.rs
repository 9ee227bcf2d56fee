//! Jumps ahead in a block: `if (c) goto next; …; next:` is a condition on what is between.
//!
//! `if (c) { A; goto one; } B; goto two; one: C; two:` is `if (c) { A; C } else { B }`. Other jumps are refused.

use super::hir::{If, Node};
use super::inner::turned;
use super::parse::{Parser, named_children};
use crate::source;

/// An `if` that ends in a jump.
struct Jump<'u> {
    condition: source::Node<'u>,
    /// What it does before.
    before: Vec<source::Node<'u>>,
    goto: source::Node<'u>,
}

impl<'u> Parser<'u, '_> {
    /// Reads consecutive statements, of which the last one goes on at one of the labels `ends`.
    pub(super) fn sequence(&mut self, nodes: &[source::Node<'u>], ends: &[&'u str]) -> Vec<Node> {
        let (mut out, mut at) = (Vec::new(), 0);
        while let Some(node) = nodes.get(at) {
            at = match self.jump_ahead(nodes, at, ends, &mut out) {
                Some(next) => next,
                None => {
                    self.statement(*node, None, &mut out);
                    at + 1
                }
            };
        }
        out
    }

    /// Reads a jump ahead, which stands at `at`, with what it jumps over; where the block goes on.
    fn jump_ahead(
        &mut self,
        nodes: &[source::Node<'u>],
        at: usize,
        ends: &[&'u str],
        out: &mut Vec<Node>,
    ) -> Option<usize> {
        if !self.has_goto {
            return None;
        }
        if let (Some(label), true) = (self.jumps_to(nodes[at]), at + 1 == nodes.len()) {
            return ends.contains(&label).then(|| {
                self.understood.push(nodes[at].start_byte());
                at + 1
            });
        }
        let jump = self.conditional_jump(nodes[at])?;
        let label = self.jumps_to(jump.goto)?;
        let end = match ends.contains(&label) {
            true => nodes.len(),
            false => self.labelled(nodes, at + 1, label)?,
        };
        let between = &nodes[at + 1..end];
        if between.iter().any(|node| node.kind() == "declaration") {
            return None;
        }
        self.understood.push(jump.goto.start_byte());
        let condition = self.condition(jump.condition);
        let mut then = self.block_of(&jump.before);
        let mut next = end;
        let otherwise = match self.over(nodes, (at + 1, end), ends) {
            Some((over, behind)) => {
                self.understood.push(nodes[end - 1].start_byte());
                let inner = self.in_block(&nodes[at + 1..end - 1], &[behind]);
                then.extend(self.in_block(&nodes[end..over], &[behind]));
                next = over;
                inner
            }
            None if ends.contains(&label) => self.in_block(between, ends),
            None => self.in_block(between, &[label]),
        };
        if let Some(condition) = condition {
            let (span, label) = (self.unit.span(nodes[at]), None);
            out.push(Node::If(Box::new(turned(If { condition, then, otherwise, span, label }))));
        }
        Some(next)
    }

    /// Where the last statement between two places jumps to, with the label, if that is over what the jump before them leads to.
    fn over(
        &self,
        nodes: &[source::Node<'u>],
        (first, end): (usize, usize),
        ends: &[&'u str],
    ) -> Option<(usize, &'u str)> {
        let label = self.jumps_to(*nodes[first..end].last()?)?;
        let over = match ends.contains(&label) {
            true => Some(nodes.len()),
            false => self.labelled(nodes, end, label),
        }?;
        let is_plain = nodes[end..over].iter().all(|node| node.kind() != "declaration");
        (over > end && is_plain).then_some((over, label))
    }

    /// The statements as those of a block, which goes on at one of the labels `ends`.
    fn in_block(&mut self, nodes: &[source::Node<'u>], ends: &[&'u str]) -> Vec<Node> {
        self.within_scope(|parser| parser.sequence(nodes, ends))
    }

    /// The first statement from `at` on that has the label.
    fn labelled(&self, nodes: &[source::Node<'u>], at: usize, label: &str) -> Option<usize> {
        let has_label = |node: &source::Node<'u>| {
            node.kind() == "labeled_statement"
                && node.child_by_field_name("label").is_some_and(|l| self.unit.text(l) == label)
        };
        Some(at + nodes.get(at..)?.iter().position(has_label)?)
    }

    /// The label that a `goto` names.
    fn jumps_to(&self, node: source::Node<'u>) -> Option<&'u str> {
        let label = node.child_by_field_name("label").filter(|_| node.kind() == "goto_statement");
        label.map(|label| self.unit.text(label))
    }

    /// An `if` without `else` whose last statement is a `goto`.
    fn conditional_jump(&self, node: source::Node<'u>) -> Option<Jump<'u>> {
        if node.kind() != "if_statement" || node.child_by_field_name("alternative").is_some() {
            return None;
        }
        let [condition, then] = ["condition", "consequence"].map(|f| node.child_by_field_name(f));
        let mut before = match then? {
            block if block.kind() == "compound_statement" => named_children(block),
            single => vec![single],
        };
        before.retain(|node| node.kind() != "comment");
        let goto = before.pop().filter(|last| last.kind() == "goto_statement")?;
        Some(Jump { condition: condition?, before, goto })
    }
}
