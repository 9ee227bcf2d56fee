//! What forms of a region are made of.

use crate::pipeline::analyze;
use crate::recipe::stored;
use crate::{Error, Options, Session};
use farkas_astgen::{Span, spans};
use farkas_deps::{Dependences, Verdict, legality};
use farkas_poly::with_budget;
use farkas_scop::Scop;
use farkas_steps::Expand;
use farkas_transform::{Expanded, Remark, expand_storage};

/// isl operations that other storage, and the proof that it makes no difference, may take each.
const MAX_OPERATIONS: u64 = 1_000_000;

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
    pub(crate) steps: Vec<Expand>,
    /// What is touched of the region's own arrays, where values live elsewhere.
    pub(crate) own: Vec<Span>,
}

impl Basis {
    /// A region's scop as it is.
    pub(crate) fn of(scop: &Scop, deps: Dependences) -> Self {
        Self { scop: scop.clone(), deps, remarks: Vec::new(), steps: Vec::new(), own: Vec::new() }
    }

    /// The scop with other storage where the user's recipe says so, or where the user asks for it and there is something to gain.
    ///
    /// # Errors
    /// [`Error::Refused`] with the place of a recipe's step that does not apply or is illegal; when isl refuses.
    pub(crate) fn asked_for(self, options: &Options, session: &mut Session) -> Result<Self, Error> {
        let recipe = options.recipe.as_deref().filter(|recipe| recipe.storage_place().is_some());
        if recipe.is_none() && !options.expand {
            return Ok(self);
        }
        if !options.may_expand() {
            session.warn("temporaries stay where they are: plain C allocates nothing");
            return Ok(self);
        }
        match recipe {
            Some(file) => stored(file, self, options, session),
            None => Ok(self.expanded(options, session)?.unwrap_or(self)),
        }
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
        step: Expand,
        scop: Scop,
        options: &Options,
        session: &mut Session,
    ) -> Result<Self, Error> {
        if !self.is_expanded() {
            self.own = within(session, || spans(&self.scop))?;
        }
        let text = match &step.into {
            Some(into) => format!("{} lives in {into}", step.array),
            None => format!("{} gets a place for each value", step.array),
        };
        self.remarks.push(Remark { pass: "expand", stmts: Vec::new(), text });
        self.steps.push(step);
        let deps = analyze(&scop, options, session)?;
        Ok(Self { scop, deps, ..self })
    }

    /// The scop with places of their own for the values of temporaries, proved to compute the same; `None` where there are no
    /// such temporaries, or it takes too much work.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn expanded(
        &self,
        options: &Options,
        session: &mut Session,
    ) -> Result<Option<Self>, Error> {
        match self.try_expanded(options, session) {
            Err(error) if error.is_out_of_budget() => Ok(None),
            result => result,
        }
    }

    /// The same, within budgets.
    fn try_expanded(
        &self,
        options: &Options,
        session: &mut Session,
    ) -> Result<Option<Self>, Error> {
        let mut remarks = Vec::new();
        let expand = || expand_storage(&self.scop, &self.deps, &mut remarks);
        let expanded = session.run("expand", || with_budget(MAX_OPERATIONS, expand))?;
        let Some(Expanded { scop, steps }) = expanded else { return Ok(None) };
        let check = || with_budget(MAX_OPERATIONS, || legality::check_storage(&self.scop, &scop));
        if let Verdict::Illegal(found) = session.run("verify", check)? {
            session.warn(format!("temporaries stay where they are: {found}"));
            return Ok(None);
        }
        let deps = analyze(&scop, options, session)?;
        let own = within(session, || spans(&self.scop))?;
        Ok(Some(Self { scop, deps, remarks, steps, own }))
    }
}

/// Runs what other storage needs to know, within a budget.
fn within<T, E>(session: &mut Session, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    session.run("expand", || with_budget(MAX_OPERATIONS, work))
}
