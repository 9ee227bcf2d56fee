//! What planners return, and how it is done.
//!
//! A planner looks at a tree and returns steps; it changes nothing itself. What it decides beside them, why loops stay on one thread
//! above all, it notes in the tree that the steps are applied to.

use crate::{Error, Result};
use farkas_deps::Dependences;
use farkas_scop::Scop;
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
    /// The order after the steps, with the same loops as they leave, and what is noted of them then; `None` where nothing is.
    pub noted: Option<ScheduleTree>,
    /// The program after the steps, where they were done to plan them.
    pub program: Option<Program>,
}

impl Plan {
    /// No steps.
    pub(crate) fn none(tree: &ScheduleTree) -> Self {
        Self {
            tree: tree.clone(),
            steps: Vec::new(),
            is_decided: false,
            noted: None,
            program: None,
        }
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
        Ok(match self.noted {
            Some(tree) => Program { tree, ..program },
            None => program,
        })
    }
}

/// Steps that are done as they are planned, so that the next one is planned for what they leave.
#[derive(Clone)]
pub(crate) struct Draft<'a> {
    program: Program,
    steps: Vec<Step>,
    /// The dependences by which it is decided what bands say of them, where it is.
    deps: Option<&'a Dependences>,
}

impl<'a> Draft<'a> {
    /// No steps for a program.
    pub(crate) fn new(program: &Program, deps: Option<&'a Dependences>) -> Self {
        Self { program: program.clone(), steps: Vec::new(), deps }
    }

    /// The program after the steps.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// The order after the steps.
    pub(crate) fn tree(&self) -> &ScheduleTree {
        &self.program.tree
    }

    /// How many steps there are.
    pub(crate) fn n_steps(&self) -> usize {
        self.steps.len()
    }

    /// The statements after the steps.
    pub(crate) fn scop(&self) -> &Scop {
        &self.program.scop
    }

    /// Adds a step.
    pub(crate) fn apply(&mut self, step: Step) -> Result<()> {
        self.program = step.apply(&Subject { program: &self.program, deps: self.deps })?;
        self.steps.push(step);
        Ok(())
    }

    /// Adds the steps of `plan`, all of them or, where one does not apply, none; whether there are some then.
    pub(crate) fn attempt(&mut self, plan: impl FnOnce(&mut Self) -> Result<()>) -> Result<bool> {
        let (program, n_steps) = (self.program.clone(), self.steps.len());
        match plan(self) {
            Ok(()) => Ok(self.steps.len() > n_steps),
            Err(Error::Step(_)) => {
                self.program = program;
                self.steps.truncate(n_steps);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Notes something of the loops that the steps leave.
    pub(crate) fn note(&mut self, tree: ScheduleTree) {
        self.program.tree = tree;
    }

    /// The steps, for the program that there was in the beginning, of which this is the order.
    pub(crate) fn plan(self, tree: &ScheduleTree) -> Plan {
        let is_decided = self.deps.is_some();
        Plan { steps: self.steps, is_decided, program: Some(self.program), ..Plan::none(tree) }
    }

    /// The same, with what is noted of the loops then.
    pub(crate) fn plan_with_notes(self, tree: &ScheduleTree) -> Plan {
        let noted = Some(self.program.tree.clone());
        Plan { noted, ..self.plan(tree) }
    }
}

/// The step that brings the loops of a band into an order, as their positions; none where they are in it.
pub(crate) fn interchange(band: &Cursor, order: &[usize]) -> Option<Step> {
    let member = |member| LoopAddress::member(band.clone(), member);
    let loops: Vec<LoopAddress> = (0..order.len()).map(member).collect();
    interchange_of(&loops, order)
}

/// The step that brings loops into an order, as their positions; none where they are in it.
pub(crate) fn interchange_of(loops: &[LoopAddress], order: &[usize]) -> Option<Step> {
    let moved = order.iter().enumerate().filter(|(at, old)| at != *old).map(|(_, old)| *old);
    let loops: Vec<LoopAddress> = moved.map(|at| loops[at].clone()).collect();
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
