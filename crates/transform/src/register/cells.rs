//! Strips of rows where each row sums up in variables: these have a cell for each row of a strip.

use super::Tiling;
use super::fused::{Strips, Threads, position};
use super::sizes::STRIP_ROWS;
use crate::plan::Draft;
use crate::values::finds_all_values;
use crate::view::{Known, View};
use crate::{Result, stmt_names};
use farkas_deps::{DependenceKind, carried};
use farkas_poly::UnionSet;
use farkas_scop::{Array, ArrayId};
use farkas_steps::{ArrayAddress, Expand, LoopAddress, Step, Tile};
use farkas_tree::{Band, Cursor, Node, Program, ScheduleTree};
use std::collections::BTreeSet;

/// Gives each iteration of a loop within strips a cell of some variables.
pub(super) fn cells(draft: &mut Draft<'_>, at: &LoopAddress, variables: &[String]) -> Result<()> {
    for array in variables {
        let array = ArrayAddress::Name(array.clone());
        draft.apply(Step::Expand(Expand { array, into: None, at: Some(at.clone()) }))?;
    }
    Ok(())
}

/// The bands that stand one inside the other with nothing but marks between them, and what is below each.
fn bands_from(tree: &ScheduleTree) -> Vec<(&Band, &ScheduleTree)> {
    let (mut here, mut found) = (tree, Vec::new());
    while let Node::Band { child, .. } | Node::Mark { child, .. } = here.node() {
        if let Node::Band { band, .. } = here.node() {
            found.push((band, child));
        }
        here = child;
    }
    found
}

impl Tiling<'_> {
    /// The loop over rows at `here` in strips in which variables have cells; `None` where that does not fit it.
    ///
    /// What fits is asked of the program that has them already: there the sums of rows are elements of arrays.
    pub(super) fn strips_with_cells(
        &self,
        here: &Cursor,
        instances: &UnionSet,
    ) -> Result<Option<Strips>> {
        let variables = self.variables(here, instances)?;
        let Some(first) = stmt_names(instances)?.first().cloned() else { return Ok(None) };
        let at = |n: usize| LoopAddress::new(&first, position(self.outer.len() + n));
        let mut draft = Draft::new(self.view.program, Some(self.deps));
        let has_cells = !variables.is_empty()
            && draft.attempt(|draft| {
                draft.apply(Step::Tile(Tile { first: at(1), sizes: vec![STRIP_ROWS] }))?;
                cells(draft, &at(2), &variables)
            })?;
        match has_cells {
            true => self.strips_in_cells(draft.program(), here, variables),
            false => Ok(None),
        }
    }

    /// The loop over rows at `here`, which stands in strips already, in each of which variables have cells.
    fn strips_in_cells(
        &self,
        program: &Program,
        here: &Cursor,
        variables: Vec<String>,
    ) -> Result<Option<Strips>> {
        let known = Known::default();
        let view = View::new(program, self.view.setting, &known);
        let mut remarks = Vec::new();
        let mut inside = Tiling::of(&view, view.all_deps()?, &mut remarks)?;
        let [(strip, _), (points, body), ..] = bands_from(program.tree.at(here)?)[..] else {
            return Ok(None);
        };
        let ([strip], [rows, rest @ ..]) = (&strip.members[..], &points.members[..]) else {
            return Ok(None);
        };
        inside.outer = self.outer.iter().chain([strip]).cloned().collect();
        let instances = rows.schedule.domain()?;
        let Some((passes, rows)) = inside.in_passes((rows, rest), body, &instances)? else {
            return Ok(None);
        };
        let threads = match self.is_outermost_parallel() && strip.coincident {
            true => Threads::Parallel,
            false => Threads::None,
        };
        Ok(Some(Strips { passes, rows, variables, n_outer: self.outer.len(), threads }))
    }

    /// The variables that each iteration of the loop at `here` sets before it uses them, which keep iterations in order by nothing but their places.
    fn variables(&self, here: &Cursor, instances: &UnionSet) -> Result<Vec<String>> {
        let arrays = self.scop.arrays();
        let is_variable = |array: &Array| array.rank() == 0 && array.may_be_private();
        if !arrays.iter().any(is_variable) {
            return Ok(Vec::new());
        }
        let tree = self.view.tree();
        let mut found: BTreeSet<ArrayId> = BTreeSet::new();
        for id in carried::report(self.deps, tree, here, 0)?.blocked_by {
            let dep = &self.deps[id];
            let array = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
            if is_variable(&arrays[array]) {
                if dep.kind == DependenceKind::Flow {
                    return Ok(Vec::new());
                }
                found.insert(array);
            }
        }
        let names = stmt_names(instances)?;
        let others = self.scop.stmts().iter().filter(|stmt| !names.contains(&stmt.name));
        if others.flat_map(|stmt| &stmt.accesses).any(|access| found.contains(&access.array)) {
            return Ok(Vec::new());
        }
        let mut variables = Vec::new();
        for array in found {
            if arrays[array].is_live_in && !finds_all_values(self.scop, self.deps, array)? {
                return Ok(Vec::new());
            }
            variables.push(arrays[array].name.clone());
        }
        Ok(variables)
    }
}
