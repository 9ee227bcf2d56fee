//! Programs on their way through planners and steps.

use crate::followed::Followed;
use crate::planner::Planner;
use crate::view::{Known, Proposal, Setting, View};
use crate::{Plan, Remark, Result};
use farkas_deps::Dependences;
use farkas_scop::Scop;
use farkas_steps::{Step, Subject};
use farkas_tree::{Program, ScheduleTree};

/// A program on its way, with what was done to it.
#[derive(Clone, Debug)]
pub struct Shaping {
    /// What the program was made from.
    scop: Scop,
    program: Program,
    known: Known,
    remarks: Vec<Remark>,
    /// What was done, where that is noted; loops have names that hold of other sizes, too.
    record: Option<Vec<Step>>,
}

impl Shaping {
    /// `scop` in the order of `tree`.
    pub fn new(scop: &Scop, tree: &ScheduleTree) -> Self {
        let program = Program::new(scop, tree.clone());
        Self {
            scop: scop.clone(),
            program,
            known: Known::default(),
            remarks: Vec::new(),
            record: None,
        }
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

    /// Does what a planner says, as it was done before to an equal program where that is known.
    ///
    /// # Errors
    /// When a step of it does not apply, or isl refuses.
    pub fn follow_again(
        &mut self,
        planner: &Planner,
        setting: Setting<'_>,
        followed: &mut Followed,
    ) -> Result<()> {
        if let Some(after) = followed.find(&self.program, planner, setting) {
            self.go_on(after.clone());
            return Ok(());
        }
        let mut next = self.beginning();
        next.follow(planner, setting)?;
        followed.remember(self.program.clone(), planner, setting, next.clone());
        self.go_on(next);
        Ok(())
    }

    /// The program as it is, with nothing told or noted.
    fn beginning(&self) -> Self {
        let record = self.record.as_ref().map(|_| Vec::new());
        Self { remarks: Vec::new(), record, ..self.clone() }
    }

    /// Goes on with what became of the program, and with what was told and noted of that.
    fn go_on(&mut self, after: Self) {
        self.program = after.program;
        self.known = after.known;
        self.remarks.extend(after.remarks);
        if let Some(record) = &mut self.record {
            record.extend(after.record.into_iter().flatten());
        }
    }

    /// Does what a planner says.
    ///
    /// # Errors
    /// When a step of it does not apply, or isl refuses.
    pub fn follow(&mut self, planner: &Planner, setting: Setting<'_>) -> Result<()> {
        let view = View::new(&self.program, setting, &self.known);
        match planner.plan(&view, &mut self.remarks)? {
            Proposal::Nothing => {}
            // The way is only gone again for the record.
            Proposal::Steps(Plan { program: Some(program), noted, steps, .. })
                if self.record.is_none() =>
            {
                if steps.iter().any(|step| !step.is_reorder()) {
                    self.known = Known::default();
                }
                let tree = noted.unwrap_or_else(|| program.tree.clone());
                self.program = Program { tree, ..program };
            }
            Proposal::Steps(plan) => {
                let known = std::mem::take(&mut self.known);
                self.program.tree = plan.tree;
                let deps = match setting.kept().filter(|_| plan.is_decided) {
                    Some(deps) => Some(known.deps(deps, &self.scop, &self.program)?),
                    None => None,
                };
                let is_reorder = plan.steps.iter().all(Step::is_reorder);
                for step in plan.steps {
                    self.step(step, deps)?;
                }
                if is_reorder {
                    self.known = known;
                }
                if let Some(noted) = plan.noted {
                    self.program.tree = noted;
                }
            }
        }
        Ok(())
    }

    /// Does a step, under the dependences of the scop that the program was made from, where they are known.
    ///
    /// # Errors
    /// When it does not apply, or isl refuses.
    pub fn apply(&mut self, step: Step, deps: Option<&Dependences>) -> Result<()> {
        let known = std::mem::take(&mut self.known);
        let deps = match deps {
            Some(deps) => Some(known.deps(deps, &self.scop, &self.program)?),
            None => None,
        };
        let is_reorder = step.is_reorder();
        let done = self.step(step, deps);
        if is_reorder || done.is_err() {
            self.known = known;
        }
        done
    }

    /// Does a step, under the dependences of the program as it is, where they are known, and notes it.
    fn step(&mut self, step: Step, deps: Option<&Dependences>) -> Result<()> {
        let subject = Subject { program: &self.program, deps };
        let program = step.apply(&subject)?;
        if let Some(record) = &mut self.record {
            record.push(step.named(&subject)?);
        }
        self.program = program;
        Ok(())
    }

    /// Puts another order of the same statements in the place of the program's.
    pub fn reorder(&mut self, tree: ScheduleTree) {
        self.program.tree = tree;
    }

    /// Tells something of the program.
    pub fn tell(&mut self, remark: Remark) {
        self.remarks.push(remark);
    }

    /// The program, what was told of it, and the steps that were done where these were noted.
    pub fn done(self) -> (Program, Vec<Remark>, Vec<Step>) {
        (self.program, self.remarks, self.record.unwrap_or_default())
    }
}
