//! What planners look at, and what they return.

use crate::{Plan, Remark, Result};
use farkas_analysis::StrideModel;
use farkas_deps::Dependences;
use farkas_machine::{Gpu, Machine};
use farkas_scop::Scop;
use farkas_steps::moved;
use farkas_tree::{Program, ScheduleTree};
use std::cell::OnceCell;

/// What programs are planned for.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The scop that the programs are made from.
    pub scop: &'a Scop,
    /// Its dependences.
    pub deps: &'a Dependences,
    /// Whether the order keeps all of them: not where live ranges may be in another one.
    pub keeps_all: bool,
    /// The machine that sizes are chosen for.
    pub machine: &'a Machine,
    /// The GPU that sizes of kernels are chosen for.
    pub gpu: &'a Gpu,
    /// Whether loops may run on threads.
    pub has_threads: bool,
    /// Whether loops may run in vector lanes.
    pub has_lanes: bool,
    /// Whether kernels have words for tensor cores.
    pub has_tensor_cores: bool,
}

impl<'a> Setting<'a> {
    /// The dependences, where the order keeps all of them.
    pub(crate) fn kept(&self) -> Option<&'a Dependences> {
        self.keeps_all.then_some(self.deps)
    }
}

/// What a planner looks at.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The program as it is.
    pub program: &'a Program,
    /// What it is planned for.
    pub setting: Setting<'a>,
    known: &'a Known,
}

/// What was asked of a program, which holds as long as its statements stay.
#[derive(Clone, Default, Debug)]
pub(crate) struct Known {
    /// How its accesses move.
    strides: OnceCell<StrideModel>,
    /// The dependences of its statements, where they are others than those of the scop that it was made from.
    moved: OnceCell<Option<Dependences>>,
}

impl Known {
    /// The dependences of a program's statements, by those of the scop that it was made from.
    pub(crate) fn deps<'a>(
        &'a self,
        deps: &'a Dependences,
        scop: &Scop,
        program: &Program,
    ) -> Result<&'a Dependences> {
        if self.moved.get().is_none() {
            let found = match program.scop == *scop {
                true => None,
                false => moved(deps, scop, program)?,
            };
            self.moved.get_or_init(|| found);
        }
        Ok(self.moved.get().and_then(Option::as_ref).unwrap_or(deps))
    }
}

impl<'a> View<'a> {
    /// A program with what is known of it.
    pub(crate) fn new(program: &'a Program, setting: Setting<'a>, known: &'a Known) -> Self {
        Self { program, setting, known }
    }

    /// The order of the program.
    pub(crate) fn tree(&self) -> &'a ScheduleTree {
        &self.program.tree
    }

    /// How the program's accesses move.
    pub(crate) fn strides(&self) -> Result<&'a StrideModel> {
        let strides = &self.known.strides;
        if let Some(known) = strides.get() {
            return Ok(known);
        }
        let found = StrideModel::new(&self.program.scop)?;
        Ok(strides.get_or_init(|| found))
    }

    /// The dependences of the program, whatever its order keeps of them.
    pub(crate) fn all_deps(&self) -> Result<&'a Dependences> {
        self.known.deps(self.setting.deps, self.setting.scop, self.program)
    }

    /// The dependences of the program, where its order keeps all of them.
    pub(crate) fn deps(&self) -> Result<Option<&'a Dependences>> {
        let Some(deps) = self.setting.kept() else { return Ok(None) };
        self.known.deps(deps, self.setting.scop, self.program).map(Some)
    }
}

/// What a planner wants.
#[derive(Clone, Debug)]
pub enum Proposal {
    /// Nothing.
    Nothing,
    /// Steps.
    Steps(Plan),
}

/// What looks at a program and says what to do to it.
pub trait Plans {
    /// What to do; why, and why not, it tells in `remarks`.
    ///
    /// # Errors
    /// When isl refuses.
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal>;
}
