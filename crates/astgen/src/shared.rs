//! Loops that threads share together with the parallel one around them.
//!
//! A parallel loop may have few iterations: a batch of one, three channels. Where the loop right inside of it may run on threads, too,
//! these share the iterations of both, which is OpenMP's `collapse`. To step from one to the next costs some more then, so that a whole row
//! must be left inside: a loop whose length is not known and that does not run in a window around the loops outside, as those of filters do.

use crate::ast::{For, LoopKind, Node};

impl For {
    /// The loops whose iterations threads share with those of this one, if it is parallel, from the outside in: each is all that the one
    /// before does, carries no dependence, has bounds that these do not change, and has a long loop inside.
    pub fn shared_inside(&self) -> Vec<&Self> {
        let (mut around, mut shared) = (vec![self], Vec::new());
        if self.info.kind != LoopKind::Parallel {
            return shared;
        }
        while let Some(last) = around.last()
            && last.is_plain()
            && let [Node::For(inner)] = last.body.as_slice()
            && inner.info.kind == LoopKind::Sequential
            && inner.info.coincident
            && inner.is_plain()
            && has_long_loop(&inner.body)
            && !around.iter().any(|outer| inner.has_bounds_of(&outer.iterator))
        {
            around.push(inner);
            shared.push(inner);
        }
        shared
    }

    /// Whether iterations have no copies of anything.
    fn is_plain(&self) -> bool {
        let info = &self.info;
        info.private.is_empty() && info.reduced.is_empty() && !info.wavefront
    }

    /// Whether an iterator changes the bounds.
    fn has_bounds_of(&self, iterator: &str) -> bool {
        self.first.mentions(iterator) || self.end.mentions(iterator)
    }
}

/// Whether there is a loop of unknown length that begins at the same value always.
fn has_long_loop(nodes: &[Node]) -> bool {
    let mut found = false;
    let mut look = |node: &For| {
        let mut is_window = false;
        node.first.for_each_name(&mut |_, is_iterator| is_window |= is_iterator);
        found |= !is_window && node.end.minus(&node.first).as_int().is_none();
    };
    nodes.iter().for_each(|node| node.for_each_loop(&mut look));
    found
}
