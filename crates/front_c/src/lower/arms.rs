//! What is evaluated only under a condition on the iteration: `j > 0 ? in[i * cols + j - 1] : 0`.
//!
//! Such an access touches elements in the instances where the condition holds, and what its subscript must be, it must be there alone: no
//! row is left in the first column.

use super::affine::is_affine_shaped;
use super::assume::Required;
use super::body::Draft;
use super::build::{Builder, Step};
use super::hir::Expr;
use farkas_base::{Id, Span};
use farkas_poly::Set;
use farkas_scop::{AccessId, AssumptionKind};

impl<'a> Builder<'a> {
    /// The instances of a statement in which a condition holds and in which it does not, where that does not depend on data, and is
    /// certain in its domain without further assumptions.
    pub(super) fn arms(&self, condition: &Expr, domain: &Set) -> Option<[Set; 2]> {
        if condition.constant().is_some() || !is_affine_shaped(condition, self.vars) {
            return None;
        }
        // What the statement's own frame was asked once, it does not require again.
        let frame = self.frame(&self.next_name()).ok()?;
        let holds = frame.condition(condition).ok()?;
        let fails = holds.complement().ok()?;
        let domain = domain.intersect_params(&self.context).ok()?;
        let is_certain =
            |required: &Required| domain.is_subset(&required.holds).unwrap_or_default();
        frame.required.borrow().iter().all(is_certain).then_some([holds, fails])
    }

    /// What `lower` makes, of something that is evaluated in the instances `arm` alone, if these are known.
    pub(super) fn in_arm<T>(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        (arm, span): (Option<&Set>, Span),
        lower: impl FnOnce(&mut Self, &mut Draft<'_, 'a>) -> Step<T>,
    ) -> Step<T> {
        let (n_accesses, n_required) = (draft.accesses.len(), draft.frame.required.borrow().len());
        let made = lower(self, draft)?;
        if let Some(arm) = arm {
            let narrowed = narrow(draft, arm, (n_accesses, n_required));
            self.check(narrowed, Some(span))?;
        }
        Ok(made)
    }
}

/// Notes that the accesses from one on happen in the instances `arm` alone, and requires no more of rows from one requirement on.
fn narrow(
    draft: &mut Draft<'_, '_>,
    arm: &Set,
    (n_accesses, n_required): (usize, usize),
) -> Result<(), farkas_poly::Error> {
    for index in n_accesses..draft.accesses.len() {
        let access = AccessId::from_index(index);
        let narrower = match draft.arms.get(&access) {
            Some(known) => known.intersect(arm)?,
            None => arm.clone(),
        };
        draft.arms.insert(access, narrower);
    }
    let elsewhere = arm.complement()?;
    // Values that are asked for again are known by then: what they require, they require wherever they are asked for.
    let mut required = draft.frame.required.borrow_mut();
    for one in required.iter_mut().skip(n_required) {
        if one.kind == AssumptionKind::InRow {
            one.holds = one.holds.union(&elsewhere)?;
        }
    }
    Ok(())
}
