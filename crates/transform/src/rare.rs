//! Innermost loops whose iterations rarely change anything.

use crate::plan::mark;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::{StmtRows, StrideModel};
use farkas_base::Id;
use farkas_scop::{Scop, Stride};
use farkas_steps::{LoopKind, Step};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Innermost loops that carry something and whose statements rarely change anything, as `if (e > m) { m = e; at = i; }`: it is asked of a block
/// of iterations at once, in vector lanes, whether any does, and those of a block in which none does are skipped. Nothing changes its order,
/// so every bit stays as it is.
///
/// **Steps**: a `mark`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rare {}

impl Plans for Rare {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let scop = &view.program.scop;
        let has_decisions = scop.stmts().iter().any(|stmt| stmt.decision(scop.arrays()).is_some());
        if !view.setting.has_lanes || !has_decisions {
            return Ok(Proposal::Nothing);
        }
        let strides = view.strides()?;
        let mut planning =
            Planning { scop, strides, outer: Vec::new(), steps: Vec::new(), remarks };
        planning.below(view.tree(), &Cursor::root())?;
        // A mark leaves the places of those outside of it.
        planning.steps.reverse();
        Ok(Proposal::Steps(Plan { steps: planning.steps, ..Plan::none(view.tree()) }))
    }
}

/// A descent into a tree.
struct Planning<'a> {
    scop: &'a Scop,
    strides: &'a StrideModel,
    /// The members around the place.
    outer: Vec<Member>,
    steps: Vec<Step>,
    remarks: &'a mut Vec<Remark>,
}

impl Planning<'_> {
    /// Marks innermost loops below a node.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor) -> Result<()> {
        if matches!(
            tree.node(),
            Node::Mark { mark: Mark::Shaped | Mark::Vector | Mark::Unroll, .. }
        ) {
            return Ok(());
        }
        let depth = self.outer.len();
        if let Node::Band { band, child } = tree.node() {
            self.outer.extend(band.members.iter().cloned());
            if let Some(last) = band.members.last()
                && !last.coincident
                && !child.contains_band()
                && self.is_rare()?
            {
                let text =
                    "whether anything changes is asked of a block of iterations at once".to_owned();
                let stmts = stmt_names(&last.schedule.domain()?)?;
                self.remarks.push(Remark { pass: "rare", stmts, text });
                self.steps.push(mark(here, band.members.len() - 1, LoopKind::Rare));
            }
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at))?;
        }
        self.outer.truncate(depth);
        Ok(())
    }

    /// Whether iterations of the innermost loop around the place rarely change anything, and lanes can ask.
    fn is_rare(&self) -> Result<bool> {
        let Some(stmts) = self.strides.rows_of(&self.outer)? else { return Ok(false) };
        Ok(!stmts.is_empty() && stmts.iter().all(|stmt| self.asks_along(stmt)))
    }

    /// Whether a statement decides by what lies side by side along the innermost loop, or stays, and what it changes stays.
    fn asks_along(&self, (stmt, rows): &StmtRows) -> bool {
        let Some(last) = rows.len().checked_sub(1) else { return false };
        let Some(strides) = self.strides.strides(*stmt, rows, last) else { return false };
        let stmt = &self.scop.stmts()[*stmt];
        let stays = |access: &farkas_scop::AccessId| {
            strides.get(access.index()) == Some(&Stride::Invariant)
        };
        let has_vectors = |array| {
            let kind = self.scop.arrays()[array].element.kind;
            kind.has_vectors()
        };
        stmt.decision(self.scop.arrays()).is_some_and(|decision| decision.changed.iter().all(stays))
            && !strides.contains(&Stride::Strided)
            && stmt.accesses.iter().all(|access| has_vectors(access.array))
    }
}
