//! What forms of a region are made of.

use crate::analyze::analyze;
use crate::{Error, Options, Session};
use farkas_astgen::{Span, spans};
use farkas_deps::Dependences;
use farkas_poly::with_budget;
use farkas_scop::{Array, Scop};
use farkas_steps::{Expand, Step};
use farkas_transform::Remark;
use std::rc::Rc;

/// isl operations that other storage, and the proof that it makes no difference, may take each.
pub(crate) const MAX_OPERATIONS: u64 = 1_000_000;

/// A region's scop, or one that computes the same with other storage, and its dependences.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// The scop.
    pub(crate) scop: Scop,
    /// Its dependences.
    pub(crate) deps: Dependences,
    /// What was done to the region's scop and why; nothing where it is the region's.
    pub(crate) remarks: Vec<Remark>,
    /// The steps that did it.
    pub(crate) steps: Vec<Step>,
    /// What is touched of the region's own arrays, where values live elsewhere.
    pub(crate) own: Vec<Span>,
}

impl Basis {
    /// A region's scop as it is.
    pub(crate) fn of(scop: &Scop, deps: Dependences) -> Self {
        Self { scop: scop.clone(), deps, remarks: Vec::new(), steps: Vec::new(), own: Vec::new() }
    }

    /// The same with what is touched of the region's own arrays, where a program made of it has others beside them.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn beside(
        self: &Rc<Self>,
        scop: &Scop,
        session: &mut Session,
    ) -> Result<Rc<Self>, Error> {
        let is_beside = scop.arrays().iter().any(Array::is_allocated);
        if !is_beside || !self.own.is_empty() {
            return Ok(Rc::clone(self));
        }
        let own = within(session, || spans(&self.scop))?;
        Ok(Rc::new(Self { own, ..(**self).clone() }))
    }

    /// Whether values live elsewhere than in the region's scop.
    pub(crate) fn is_expanded(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The same after one more step, which was proved.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn after(
        mut self,
        step: Step,
        scop: Scop,
        options: &Options,
        session: &mut Session,
    ) -> Result<Self, Error> {
        if !self.is_expanded() {
            self.own = within(session, || spans(&self.scop))?;
        }
        let text = match &step {
            Step::Expand(Expand { array, into: Some(into), .. }) => {
                format!("{array} lives in {into}")
            }
            Step::Expand(Expand { array, .. }) => format!("{array} gets a place for each value"),
            other => format!("step {} is done", other.word()),
        };
        self.remarks.push(Remark { pass: step.word(), stmts: Vec::new(), text });
        self.steps.push(step);
        let deps = analyze(&scop, options, session)?;
        Ok(Self { scop, deps, ..self })
    }
}

/// Runs what other storage needs to know, within a budget.
pub(crate) fn within<T, E>(
    session: &mut Session,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    session.run("expand", || with_budget(MAX_OPERATIONS, work))
}
