//! Functions of the file that are called between regions: their bodies are judged as the code is that calls them.

use super::judge::{Judge, MAX_CALLS, Verdict};
use crate::source::{Node, Region, SymbolTable, holds_kind};

impl<'s, 'u> Judge<'s, 'u> {
    /// Judges a function definition.
    pub(super) fn callee(&self, function: Node<'u>) -> Verdict {
        let told = self.of.values().next().map(|told| &told.region);
        let body = function.child_by_field_name("body");
        let (Some(told), Some(body), Some(cells)) = (told, body, &self.cells) else {
            return self.refused(function, "nothing is known".to_owned());
        };
        let is_plain = !function.has_error() && !holds_kind(function, &["goto_statement"]);
        let is_here = !self.unit.has_included_text(function.byte_range());
        // What calls itself is given up.
        if self.depth >= MAX_CALLS || told.function == function || !(is_plain && is_here) {
            return self.refused(function, "nobody looked into it".to_owned());
        }
        self.text(self.unit.span(function), function.byte_range())?;
        let end = body.end_byte();
        let place = Region {
            function,
            block: body,
            statements: Vec::new(),
            text_range: end..end,
            enclosing_loops: Vec::new(),
            ..told.clone()
        };
        let table = SymbolTable::within(self.facts, &place);
        let cells = Some(cells.seen_by(table));
        let Self { facts, unit, options, of, .. } = *self;
        Judge { facts, unit, options, cells, of, depth: self.depth + 1 }.statement(body)
    }
}
