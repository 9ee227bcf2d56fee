//! Loops whose iterations update copies of elements.

use super::Printer;
use super::loops::Setting;
use crate::clauses::is_for_lanes;
use crate::reduction::{Declared, Held, Reduced};
use farkas_astgen::For;
use std::collections::BTreeMap;

impl Printer<'_> {
    /// A loop whose iterations update copies of these elements. Where it has no iterations, nothing says that the elements are there.
    pub(super) fn reduction(
        &mut self,
        node: &For,
        all: &[Reduced<'_>],
        depth: usize,
        in_parallel: bool,
    ) {
        let n_held = self.held.len();
        let mut stores = Vec::new();
        let mut inside = depth;
        if all.iter().any(|one| one.declared(self.scop).is_some()) {
            self.line(depth, "{");
            inside += 1;
            self.declared_reductions(all, inside);
        }
        let declared_at = inside;
        for one in all {
            let Some(held) = &one.held else { continue };
            if inside == declared_at {
                let is_some = self.has_more(node, 0);
                self.line(inside, &format!("if ({is_some}) {{"));
                inside += 1;
            }
            let element = self.printer(one.user).element(one.target);
            let Held { name, ty, back, .. } = held;
            let cast = |ty: Option<&String>| ty.map_or_else(String::new, |ty| format!("({ty})"));
            let to = cast(back.as_ref().map(|_| ty));
            self.line(inside, &format!("{ty} {name} = {to}{element};"));
            let store = format!("{element} = {}{name};", cast(back.as_ref()));
            stores.push(match one.selected_where(self.scop) {
                Some(op) => format!("if ({name} {} {element}) {store}", op.symbol()),
                None => store,
            });
        }
        let held = all.iter().filter_map(|one| Some((one.array, one.held.clone()?)));
        self.held.extend(held);
        let clause: String = all.iter().map(|one| self.reduction_clause(one)).collect();
        let in_lanes =
            node.info.kind.is_vector() && is_for_lanes(self.scop, &node.body, &node.info.reduced);
        if node.info.kind.is_parallel() && !in_parallel {
            let lanes = if in_lanes { " simd" } else { "" };
            self.parallel_loop(node, inside, (lanes, &clause));
        } else {
            let setting = Setting { in_parallel, has_own: false, n_shared: 0 };
            self.partial_sums(node, all, &clause, (inside, setting), inside > depth);
        }
        self.held.truncate(n_held);
        stores.iter().for_each(|store| self.line(inside, store));
        for at in (depth..inside).rev() {
            self.line(at, "}");
        }
    }

    /// The clause for an element that iterations update.
    pub(super) fn reduction_clause(&self, one: &Reduced<'_>) -> String {
        let around = self.held.iter().find(|(array, _)| *array == one.array);
        let name = match around.map(|(_, held)| held) {
            Some(held) => held.name.as_str(),
            None => self.scop.arrays()[one.array].printed_name(),
        };
        let word = one.clause_word(self.scop);
        let word = if one.declared(self.scop).is_some() { self.c.name(&word) } else { word };
        let cells: String = one.cells.iter().map(|n| format!("[:{n}]")).collect();
        format!(" reduction({word}: {name}{cells})")
    }

    /// The declarations of reductions that OpenMP does not have, one for each word.
    pub(super) fn declared_reductions(&mut self, all: &[Reduced<'_>], depth: usize) {
        let mut by_word = BTreeMap::new();
        for one in all {
            if let Some(declared) = one.declared(self.scop) {
                by_word.insert(one.clause_word(self.scop), declared);
            }
        }
        for (word, Declared { types, function, neutral }) in by_word {
            let word = self.c.name(&word);
            let combined = format!("omp_out = {function}(omp_out, omp_in)");
            let begun = format!("initializer(omp_priv = {neutral})");
            let pragma = "#pragma omp declare reduction";
            self.line(depth, &format!("{pragma}({word}: {types}: {combined}) {begun}"));
        }
    }
}
