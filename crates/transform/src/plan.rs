//! What planners return, and how it is done.
//!
//! A planner looks at a tree and returns steps; it changes nothing itself. What it decides beside them, why loops stay on one thread
//! above all, it notes in the tree that the steps are applied to.

use crate::Result;
use farkas_steps::{Interchange, LoopAddress, LoopKind, Mark, Step, Subject};
use farkas_tree::{Cursor, Program, ScheduleTree};

/// Steps for a program. Each names loops as the steps before it leave them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The order, with the same loops, and what is noted of them.
    pub tree: ScheduleTree,
    /// The steps.
    pub steps: Vec<Step>,
    /// Whether what bands say of their dependences is decided anew, by those of the program, where steps may have made it untrue.
    pub is_decided: bool,
}

impl Plan {
    /// No steps.
    pub(crate) fn none(tree: &ScheduleTree) -> Self {
        Self { tree: tree.clone(), steps: Vec::new(), is_decided: false }
    }

    /// The program after the steps.
    ///
    /// # Errors
    /// When a step does not apply, or isl refuses.
    pub fn done(self, program: &Program) -> Result<Program> {
        let mut program = Program { tree: self.tree, ..program.clone() };
        for step in self.steps {
            program = step.apply(&Subject { program: &program, deps: None })?;
        }
        Ok(program)
    }
}

/// The step that brings the loops of a band into an order, as their positions; none where they are in it.
pub(crate) fn interchange(band: &Cursor, order: &[usize]) -> Option<Step> {
    let moved = order.iter().enumerate().filter(|(at, old)| at != *old).map(|(_, old)| *old);
    let loops: Vec<LoopAddress> =
        moved.map(|member| LoopAddress::member(band.clone(), member)).collect();
    (!loops.is_empty()).then_some(Step::Interchange(Interchange { loops }))
}

/// The step that brings one loop of a band of `n` to the innermost place; none where it is there.
pub(crate) fn innermost(band: &Cursor, member: usize, n: usize) -> Option<Step> {
    let mut order: Vec<usize> = (0..n).filter(|at| *at != member).collect();
    order.push(member);
    interchange(band, &order)
}

/// The step that marks a loop of a band.
pub(crate) fn mark(band: &Cursor, member: usize, kind: LoopKind) -> Step {
    Step::Mark(Mark::new(LoopAddress::member(band.clone(), member), kind))
}
