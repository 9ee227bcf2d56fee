//! Loops whose iterations rarely change anything: a block of them is asked at once whether any does.
//!
//! Until one changes something, all iterations find what was there before the block. So where none would change anything then, none
//! does, and where one would, the block runs in order: results are the same bit for bit, whatever the values are.

use super::Printer;
use super::loops::{Setting, stands_for_wide};
use crate::dialect::Bounds;
use crate::options::Target;
use farkas_astgen::{ASKED_AT_ONCE, Dialect, For, User};
use farkas_scop::Decision;

impl Printer<'_> {
    /// A loop over blocks, each of which runs where one of its iterations changes something; what is left of the iterations runs in order.
    pub(super) fn rare_loop(
        &mut self,
        node: &For,
        decisions: &[(&User, Decision<'_>)],
        depth: usize,
        setting: Setting,
    ) {
        let [done, lane, any] =
            ["farkas_done", "farkas_lane", "farkas_any"].map(|name| self.c.name(name));
        let name = &node.iterator;
        let first = self.c.expr(&node.first);
        let (limit, bounds) = self.limit(node);
        let bounds = Bounds { first: first.value, ..bounds };
        let outside = self.c.depth();
        let ty = self.c.enter_loop(node, bounds, stands_for_wide(self.scop, node));
        let last = ASKED_AT_ONCE - 1;
        self.line(depth, "{");
        self.line(depth + 1, &format!("{ty} {done} = {};", first.text));
        self.line(
            depth + 1,
            &format!("for (; {done} + {last}L {limit}; {done} += {ASKED_AT_ONCE}) {{"),
        );
        self.line(depth + 2, &format!("int {any} = 0;"));
        if self.options.target == Target::OpenMp {
            self.line(depth + 2, &format!("#pragma omp simd reduction(|: {any})"));
        }
        self.line(
            depth + 2,
            &format!("for (int {lane} = 0; {lane} < {ASKED_AT_ONCE}; {lane}++) {{"),
        );
        self.line(depth + 3, &format!("{ty} {name} = {done} + {lane};"));
        for (user, decision) in decisions {
            let text = self.printer(user).condition(decision.condition);
            let text = if decision.changes_where { text } else { format!("!({text})") };
            self.line(depth + 3, &format!("{any} |= {text};"));
        }
        self.line(depth + 2, "}");
        self.line(depth + 2, &format!("if ({any})"));
        let block = format!("for ({ty} {name} = {done}; {name} <= {done} + {last}; {name}++)");
        self.loop_with(node, block, depth + 3, setting);
        self.line(depth + 1, "}");
        let rest = format!("for ({ty} {name} = {done}; {name} {limit}; {name}++)");
        self.loop_with(node, rest, depth + 1, setting);
        self.line(depth, "}");
        self.c.leave(&outside);
    }
}
