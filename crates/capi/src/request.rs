//! What a library asks for in a plan: the callbacks, and the checks of each.

use crate::abi;
use crate::callback::{self, Buffer};
use crate::error::{Error, Result};
use crate::facts::Facts;
use crate::read;
use farkas_schedule::{Coefficient, ConfigTerm, CostChoice, Fallback, FusionHeuristic};
use farkas_scop::StmtId;
use farkas_solve::RowKind;
use std::ffi::{c_char, c_int};
use std::rc::Rc;

/// Terms that all constraints of a plan may have together.
const MAX_TERMS: usize = 100_000;
/// Constraints that a plan may have.
const MAX_CONSTRAINTS: usize = 10_000;
/// The largest magnitude of numbers in constraints. Sums of so many terms are far from the end of 64 bits.
const MAX_NUMBER: i64 = 1 << 30;

/// A constraint that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct RequestedConstraint {
    pub(crate) kind: RowKind,
    pub(crate) terms: Vec<(ConfigTerm, i64)>,
    pub(crate) constant: i64,
}

/// What `plan` is given.
#[repr(C)]
pub(crate) struct Request {
    raw: abi::Plan,
    facts: Rc<Facts>,
    /// The statements that are scheduled now.
    group: Vec<StmtId>,
    costs: Vec<CostChoice>,
    constraints: Vec<RequestedConstraint>,
    n_terms: usize,
    groups: Vec<Vec<StmtId>>,
    fallbacks: Option<Vec<Fallback>>,
    fault: Option<Error>,
    reason: Option<String>,
}

/// A plan that makes sense by itself.
#[derive(Clone, Debug)]
pub(crate) struct Requested {
    pub(crate) costs: Vec<CostChoice>,
    pub(crate) constraints: Vec<RequestedConstraint>,
    pub(crate) heuristic: FusionHeuristic,
    pub(crate) total_distribution: bool,
    pub(crate) groups: Vec<Vec<StmtId>>,
    /// `None` for the usual ones.
    pub(crate) fallbacks: Option<Vec<Fallback>>,
    pub(crate) parametric_shift: bool,
    pub(crate) negative_coefficients: bool,
    pub(crate) demands_parallel: bool,
    pub(crate) max_coefficient: Option<i64>,
    pub(crate) ends_band: bool,
    pub(crate) distributes: bool,
    pub(crate) recompute_last: bool,
}

// SAFETY: `repr(C)`, and `raw` is the first field.
unsafe impl Buffer for Request {
    type Raw = abi::Plan;

    fn fault(&mut self) -> &mut Option<Error> {
        &mut self.fault
    }

    fn reason(&mut self) -> &mut Option<String> {
        &mut self.reason
    }
}

impl Request {
    /// A plan in which nothing is asked for, for these statements.
    pub(crate) fn new(facts: Rc<Facts>, group: Vec<StmtId>) -> Self {
        let raw = abi::Plan {
            size: abi::size_of::<abi::Plan>(),
            abi_version: abi::VERSION,
            fusion: abi::FUSE_SMART,
            total_distribution: 0,
            parametric_shift: 0,
            negative_coefficients: 0,
            demands_parallel: 0,
            ends_band: 0,
            distributes: 0,
            recompute_last: 0,
            max_coefficient: 0,
            add_cost,
            add_constraint,
            add_group,
            set_fallbacks,
            fail: callback::fail::<Self>,
        };
        Self {
            raw,
            facts,
            group,
            costs: Vec::new(),
            constraints: Vec::new(),
            n_terms: 0,
            groups: Vec::new(),
            fallbacks: None,
            fault: None,
            reason: None,
        }
    }

    /// What was asked for.
    ///
    /// # Errors
    /// When numbers stand for nothing, or settings exclude each other.
    pub(crate) fn requested(self) -> Result<Requested> {
        let raw = &self.raw;
        let heuristic = match raw.fusion {
            abi::FUSE_SMART => FusionHeuristic::Smart,
            abi::FUSE_MAX => FusionHeuristic::Max,
            abi::FUSE_NO => FusionHeuristic::No,
            abi::FUSE_CLUSTER => FusionHeuristic::Cluster,
            other => {
                let what = "the fusion heuristic";
                return Err(Error::UnknownNumber { what, found: i64::from(other) });
            }
        };
        let bound = raw.max_coefficient;
        check_number("the largest coefficient", bound, 0)?;
        for (one, is_one, other, is_other) in [
            ("total distribution", raw.total_distribution != 0, "groups", !self.groups.is_empty()),
            (
                "the last row again",
                raw.recompute_last != 0,
                "the end of its band",
                raw.ends_band != 0,
            ),
            ("the last row again", raw.recompute_last != 0, "distribution", raw.distributes != 0),
        ] {
            if is_one && is_other {
                return Err(Error::Contradiction { one, other });
            }
        }
        Ok(Requested {
            heuristic,
            total_distribution: raw.total_distribution != 0,
            parametric_shift: raw.parametric_shift != 0,
            negative_coefficients: raw.negative_coefficients != 0,
            demands_parallel: raw.demands_parallel != 0,
            max_coefficient: (bound > 0).then_some(bound),
            ends_band: raw.ends_band != 0,
            distributes: raw.distributes != 0,
            recompute_last: raw.recompute_last != 0,
            costs: self.costs,
            constraints: self.constraints,
            groups: self.groups,
            fallbacks: self.fallbacks,
        })
    }

    /// One more cost function.
    fn add_cost(&mut self, name: String) -> Result<()> {
        let cost = self.facts.cost(&name)?;
        if self.costs.contains(&cost) {
            return Err(Error::Twice { what: "cost function", name });
        }
        self.costs.push(cost);
        Ok(())
    }

    /// One more constraint.
    fn add_constraint(&mut self, kind: i32, terms: &[abi::Term], constant: i64) -> Result<()> {
        let kind = match kind {
            abi::ZERO => RowKind::Equality,
            abi::NOT_NEGATIVE => RowKind::Inequality,
            other => {
                let what = "the kind of a constraint";
                return Err(Error::UnknownNumber { what, found: i64::from(other) });
            }
        };
        if self.constraints.len() == MAX_CONSTRAINTS {
            let found = MAX_CONSTRAINTS + 1;
            return Err(Error::TooMany { what: "constraints", found, limit: MAX_CONSTRAINTS });
        }
        self.n_terms += terms.len();
        if self.n_terms > MAX_TERMS {
            let found = self.n_terms;
            return Err(Error::TooMany { what: "terms of constraints", found, limit: MAX_TERMS });
        }
        check_number("the constant of a constraint", constant, -MAX_NUMBER)?;
        let terms = terms.iter().map(|term| self.term(term)).collect::<Result<_>>()?;
        self.constraints.push(RequestedConstraint { kind, terms, constant });
        Ok(())
    }

    /// One term with its factor.
    fn term(&self, term: &abi::Term) -> Result<(ConfigTerm, i64)> {
        check_number("the factor of a term", term.factor, -MAX_NUMBER)?;
        if term.kind == abi::VARIABLE {
            return Ok((ConfigTerm::Variable(self.facts.variable(term.index)?), term.factor));
        }
        let stmt = self.facts.stmt(term.statement)?;
        let which = match term.kind {
            abi::ITERATOR => self.facts.iterator(stmt, term.index)?,
            abi::PARAM => self.facts.param(term.index)?,
            abi::CONSTANT => Coefficient::Constant,
            other => {
                let what = "the kind of a term";
                return Err(Error::UnknownNumber { what, found: i64::from(other) });
            }
        };
        if !self.group.contains(&stmt) {
            return Err(Error::NotInGroup { stmt: self.facts.name(stmt) });
        }
        Ok((ConfigTerm::Coefficient(stmt, which), term.factor))
    }

    /// One more group of statements that share their loops.
    fn add_group(&mut self, stmts: &[u32]) -> Result<()> {
        let stmts = self.facts.stmts(stmts)?;
        if stmts.is_empty() {
            return Ok(());
        }
        let taken = |stmt: &&StmtId| self.groups.iter().any(|group| group.contains(stmt));
        if let Some(&stmt) = stmts.iter().find(taken) {
            return Err(Error::Twice { what: "statement", name: self.facts.name(stmt) });
        }
        self.groups.push(stmts);
        Ok(())
    }

    /// What to do without a solution.
    fn set_fallbacks(&mut self, names: Vec<String>) -> Result<()> {
        let mut fallbacks = Vec::with_capacity(names.len());
        for name in names {
            let fallback = fallback(&name)?;
            if fallbacks.contains(&fallback) {
                return Err(Error::Twice { what: "fallback", name });
            }
            fallbacks.push(fallback);
        }
        self.fallbacks = Some(fallbacks);
        Ok(())
    }
}

/// The fallback called `name`; those of influence trees have nothing to do here.
fn fallback(name: &str) -> Result<Fallback> {
    let known = [Fallback::Replan].into_iter().chain(Fallback::USUAL);
    known.clone().find(|fallback| fallback.name() == name).ok_or_else(|| {
        let expected = known.map(|fallback| fallback.name().to_owned()).collect();
        Error::Unknown { what: "fallback", name: name.to_owned(), expected }
    })
}

/// Whether a number is one that the solver should see.
fn check_number(what: &'static str, found: i64, least: i64) -> Result<()> {
    if (least..=MAX_NUMBER).contains(&found) {
        return Ok(());
    }
    Err(Error::BadNumber { what, found, least, most: MAX_NUMBER })
}

/// `add_cost` of a plan.
unsafe extern "C" fn add_cost(raw: *mut abi::Plan, name: *const c_char) -> c_int {
    // SAFETY: the library passes its plan, and a string or null.
    unsafe {
        callback::run::<Request>(raw, |plan| {
            plan.add_cost(read::text("the name of a cost function", name)?)
        })
    }
}

/// `add_constraint` of a plan.
unsafe extern "C" fn add_constraint(
    raw: *mut abi::Plan,
    kind: i32,
    terms: *const abi::Term,
    n: usize,
    constant: i64,
) -> c_int {
    // SAFETY: the library passes its plan, and a list of terms.
    unsafe {
        callback::run::<Request>(raw, |plan| {
            let terms = read::list("terms of a constraint", terms, n, MAX_TERMS)?;
            plan.add_constraint(kind, terms, constant)
        })
    }
}

/// `add_group` of a plan.
unsafe extern "C" fn add_group(raw: *mut abi::Plan, stmts: *const u32, n: usize) -> c_int {
    // SAFETY: the library passes its plan, and a list of statements.
    unsafe {
        callback::run::<Request>(raw, |plan| {
            let limit = plan.facts.n_stmts();
            plan.add_group(read::list("statements of a group", stmts, n, limit)?)
        })
    }
}

/// `set_fallbacks` of a plan.
unsafe extern "C" fn set_fallbacks(
    raw: *mut abi::Plan,
    names: *const *const c_char,
    n: usize,
) -> c_int {
    // SAFETY: the library passes its plan, and a list of strings.
    unsafe {
        callback::run::<Request>(raw, |plan| {
            let names = read::list("names of fallbacks", names, n, Fallback::ALL.len())?;
            let names = names.iter().map(|&name| read::text("the name of a fallback", name));
            plan.set_fallbacks(names.collect::<Result<_>>()?)
        })
    }
}
