//! Loops that isl generated before.

use crate::Result;
use farkas_poly::{AstBuild, AstNode, AstOptions, IslSchedule, Set};
use std::collections::BTreeMap;

/// What isl's iterators are called, before their depth; no C identifier starts like this.
pub(crate) const PREFIX: &str = "@";

/// The loops of trees, and of nests in them, that were generated before. Forms of one program have many nests in common, for
/// which isl need not be asked again.
#[derive(Default)]
pub struct Memory {
    /// By the texts of what isl was asked.
    known: BTreeMap<(String, String, AstOptions), AstNode>,
}

impl Memory {
    /// isl's loops of a schedule, where the parameters lie in `context`.
    pub(crate) fn node(
        &mut self,
        schedule: &IslSchedule,
        context: &Set,
        options: AstOptions,
    ) -> Result<AstNode> {
        let asked = (schedule.to_string(), context.to_string(), options);
        if let Some(node) = self.known.get(&asked) {
            return Ok(node.clone());
        }
        let build = AstBuild::from_context(context)?;
        let node = build.node_from_schedule(schedule, PREFIX, options)?;
        self.known.insert(asked, node.clone());
        Ok(node)
    }
}
