//! What forms of a region are made of.

use crate::pipeline::analyze;
use crate::{Error, Options, PassTimes};
use farkas_astgen::{Span, spans};
use farkas_deps::{Dependences, Verdict, legality};
use farkas_poly::with_budget;
use farkas_scop::Scop;
use farkas_transform::{Remark, expand_storage};

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
    /// What is touched of the region's own arrays, where values live elsewhere.
    pub(crate) own: Vec<Span>,
}

impl Basis {
    /// A region's scop as it is.
    pub(crate) fn of(scop: &Scop, deps: Dependences) -> Self {
        Self { scop: scop.clone(), deps, remarks: Vec::new(), own: Vec::new() }
    }

    /// The scop with other storage where the user asks for it and there is something to gain.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn asked_for(
        self,
        options: &Options,
        times: &mut PassTimes,
        warnings: &mut Vec<String>,
    ) -> Result<Self, Error> {
        if !options.expand {
            return Ok(self);
        }
        if !options.may_expand() {
            warnings.push("temporaries stay where they are: plain C allocates nothing".into());
            return Ok(self);
        }
        Ok(self.expanded(options, times, warnings)?.unwrap_or(self))
    }

    /// Whether values live elsewhere than in the region's scop.
    pub(crate) fn is_expanded(&self) -> bool {
        !self.remarks.is_empty()
    }

    /// The scop with places of their own for the values of temporaries, proved to compute the same; `None` where there are no
    /// such temporaries, or it takes too much work.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn expanded(
        &self,
        options: &Options,
        times: &mut PassTimes,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Self>, Error> {
        match self.try_expanded(options, times, warnings) {
            Err(error) if error.is_out_of_budget() => Ok(None),
            result => result,
        }
    }

    /// The same, within budgets.
    fn try_expanded(
        &self,
        options: &Options,
        times: &mut PassTimes,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Self>, Error> {
        let mut remarks = Vec::new();
        let expand = || expand_storage(&self.scop, &self.deps, &mut remarks);
        let Some(scop) = times.run("expand", || with_budget(MAX_OPERATIONS, expand))? else {
            return Ok(None);
        };
        let check = || with_budget(MAX_OPERATIONS, || legality::check_storage(&self.scop, &scop));
        if let Verdict::Illegal(found) = times.run("verify", check)? {
            warnings.push(format!("temporaries stay where they are: {found}"));
            return Ok(None);
        }
        let deps = analyze(&scop, options, times, warnings)?;
        let own = times.run("expand", || with_budget(MAX_OPERATIONS, || spans(&self.scop)))?;
        Ok(Some(Self { scop, deps, remarks, own }))
    }
}
