//! Scalar replacement: elements that loops which are written out update, in variables.
//!
//! **Paper** D. Callahan, S. Carr, K. Kennedy, *Improving register allocation for subscripted variables*, PLDI 1990.

use super::Printer;
use super::loops::Setting;
use super::rows::written;
use crate::body::bare;
use crate::options::Target;
use crate::reduction::{HELD, Held, Reduced, updated};
use farkas_astgen::{For, User};
use farkas_scop::{AccessKind, ArrayId, ArrayScope, Scop};

impl Printer<'_> {
    /// A loop without what is said of its iterations; where it is written out in a vector loop, variables hold the elements that all of its iterations
    /// update. A compiler stores such an element before each load from another array, unless it can tell that the two do not overlap.
    pub(super) fn keeping_loop(&mut self, node: &For, depth: usize, setting: Setting) {
        let kept = match self.options.target {
            Target::OpenMp if self.keeps && node.n_written_out().is_some() => self.kept(node),
            _ => Vec::new(),
        };
        if kept.is_empty() {
            return self.bare_loop(node, depth, setting);
        }
        self.line(depth, "{");
        let (n_held, mut stores) = (self.held.len(), Vec::new());
        for (one, held) in kept {
            let element = self.printer(one.user).element(one.target);
            self.line(depth + 1, &format!("{} {} = {element};", held.ty, held.name));
            stores.push(format!("{element} = {};", held.name));
            self.held.push((one.array, held));
        }
        self.bare_loop(node, depth + 1, setting);
        self.held.truncate(n_held);
        stores.iter().for_each(|store| self.line(depth + 1, store));
        self.line(depth, "}");
    }

    /// The elements that all iterations of a loop update, of arrays in memory of which they use nothing else, with their variables.
    fn kept<'a>(&self, node: &'a For) -> Vec<(Reduced<'a>, Held)>
    where
        Self: 'a,
    {
        let mut found = Vec::new();
        for array in written(self.scop, node) {
            let of = &self.scop.arrays()[array];
            if of.rank() == 0
                || of.scope == ArrayScope::Buffer
                || self.held.iter().any(|(held, _)| *held == array)
            {
                continue;
            }
            let Some(Some(one)) = updated(self.scop, node, array) else { continue };
            if !only_updates(self.scop, node, array) {
                continue;
            }
            let name = match self.held.len() + found.len() {
                0 => self.c.name(HELD),
                n => self.c.name(&format!("{HELD}{}", n + 1)),
            };
            let ty = bare(&of.element.text);
            found.push((one, Held { name, ty, back: None, is_lane: false }));
        }
        found
    }
}

/// Whether all that statements of a loop do with an array is to update elements, whatever data say.
fn only_updates(scop: &Scop, node: &For, array: ArrayId) -> bool {
    let mut only = true;
    let mut look = |user: &User| {
        let stmt = &scop.stmts()[user.stmt];
        let update = stmt.update(scop.arrays());
        for (id, access) in stmt.accesses.iter_enumerated().filter(|(_, a)| a.array == array) {
            only &= access.kind != AccessKind::MayWrite;
            only &=
                update.as_ref().is_some_and(|update| update.has(id) && update.condition.is_none());
        }
    };
    node.body.iter().for_each(|inner| inner.for_each_user(&mut look));
    only
}
