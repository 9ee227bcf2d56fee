//! Programs on their way through planners and steps.

use crate::planner::{Planner, Proposal, Setting, View};
use crate::{Action, Plan, Remark, Result};
use farkas_analysis::StrideModel;
use farkas_deps::Dependences;
use farkas_scop::Scop;
use farkas_steps::{Step, Subject};
use farkas_tree::{Program, ScheduleTree};
use std::cell::OnceCell;

/// A program on its way, with what was done to it.
#[derive(Clone, Debug)]
pub struct Shaping {
    program: Program,
    strides: OnceCell<StrideModel>,
    remarks: Vec<Remark>,
    /// What was done, where that is noted; loops have names that hold of other sizes, too.
    record: Option<Vec<Action>>,
}

impl Shaping {
    /// `scop` in the order of `tree`, of which nothing is said for whom its loops are.
    pub fn new(scop: &Scop, tree: &ScheduleTree) -> Self {
        let program = Program::new(scop, crate::without_threads(tree));
        Self { program, strides: OnceCell::new(), remarks: Vec::new(), record: None }
    }

    /// The same, with a record of what is done.
    #[must_use]
    pub fn recorded(self) -> Self {
        Self { record: Some(Vec::new()), ..self }
    }

    /// The program as it is.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Does what a planner says.
    ///
    /// # Errors
    /// When a step of it does not apply, or isl refuses.
    pub fn follow(&mut self, planner: &Planner, setting: Setting<'_>) -> Result<()> {
        let view = View::new(&self.program, setting, &self.strides);
        match planner.plan(&view, &mut self.remarks)? {
            Proposal::Nothing => {}
            // Steps are not done again where nobody notes them and their order is known.
            Proposal::Steps(Plan { steps, noted: Some(noted), .. })
                if self.record.is_none() && steps.iter().all(Step::is_reorder) =>
            {
                self.program.tree = noted;
            }
            Proposal::Steps(plan) => {
                let deps = setting.kept().filter(|_| plan.is_decided);
                self.program.tree = plan.tree;
                for step in plan.steps {
                    self.apply(step, deps)?;
                }
                if let Some(noted) = plan.noted {
                    self.program.tree = noted;
                }
            }
            Proposal::Program(program) => {
                self.note(planner, |before| *program != *before);
                self.program = *program;
                self.strides = OnceCell::new();
            }
        }
        Ok(())
    }

    /// Does a step, under the dependences of the program where they are known.
    ///
    /// # Errors
    /// When it does not apply, or isl refuses.
    pub fn apply(&mut self, step: Step, deps: Option<&Dependences>) -> Result<()> {
        let subject = Subject { program: &self.program, deps };
        let program = step.apply(&subject)?;
        if !step.is_reorder() {
            self.strides = OnceCell::new();
        }
        if let Some(record) = &mut self.record {
            record.push(Action::Step(step.named(&subject)?));
        }
        self.program = program;
        Ok(())
    }

    /// Notes a planner that changed the program by what are no steps, where it did and there is a record.
    fn note(&mut self, planner: &Planner, is_new: impl FnOnce(&Program) -> bool) {
        if let Some(record) = &mut self.record
            && is_new(&self.program)
        {
            record.push(Action::Plan(planner.clone()));
        }
    }

    /// Puts another order of the same statements in the place of the program's.
    pub fn reorder(&mut self, tree: ScheduleTree) {
        self.program.tree = tree;
    }

    /// Tells something of the program.
    pub fn tell(&mut self, remark: Remark) {
        self.remarks.push(remark);
    }

    /// The program, what was told of it, and what was done where that was noted.
    pub fn done(self) -> (Program, Vec<Remark>, Vec<Action>) {
        let mut record = self.record.unwrap_or_default();
        while record.last().is_some_and(Action::is_implied) {
            record.pop();
        }
        (self.program, self.remarks, record)
    }
}
