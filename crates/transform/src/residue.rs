//! Dates that are multiples of a number plus a constant: loops without gaps.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_base::gcd;
use farkas_poly::{DimType, PwAff, UnionPwAff};
use farkas_steps::{LoopAddress, Scale, Step};
use farkas_tree::{Cursor, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops whose dates have a divisor in common, but for a constant a statement: [`plan_residues`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Residues {}

impl Plans for Residues {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Ok(Proposal::Steps(plan_residues(view.tree(), remarks)?))
    }
}

/// Divides the dates of bands of one member by the common divisor of their coefficients; statements whose constants leave
/// different residues follow one another inside. Where Feautrier's cost lets every dependence pass one step, this saves tests of the
/// loop counter's residue in the loop's body.
///
/// # Errors
/// When isl refuses.
fn plan_residues(tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let mut plan = Plan::none(tree);
    plan_below(tree, &Cursor::root(), &mut plan.steps, remarks)?;
    Ok(plan)
}

/// The steps for inner bands first, so that outer ones are where they were.
fn plan_below(
    tree: &ScheduleTree,
    here: &Cursor,
    steps: &mut Vec<Step>,
    remarks: &mut Vec<Remark>,
) -> Result<()> {
    for (at, child) in tree.children().iter().enumerate() {
        plan_below(child, &here.child(at), steps, remarks)?;
    }
    if let Node::Band { band, .. } = tree.node()
        && let [member] = &band.members[..]
        && let Some(by) = divisor(&member.schedule)?.filter(|by| *by > 1)
    {
        let text = format!("dates are divided by {by}, so that no iteration is empty");
        let stmts = stmt_names(&member.schedule.domain()?)?;
        remarks.push(Remark { pass: "residue", stmts, text });
        let place = LoopAddress::member(here.clone(), 0);
        steps.push(Step::Scale(Scale { place, by }));
    }
    Ok(())
}

/// The greatest common divisor of the coefficients of all dates; none where those of one statement are not linear.
fn divisor(schedule: &UnionPwAff) -> Result<Option<i64>> {
    let mut divisor = 0;
    for part in schedule.pw_affs()? {
        match divisor_of(&part)? {
            Some(own) => divisor = gcd(divisor, own),
            None => return Ok(None),
        }
    }
    Ok(Some(divisor))
}

/// That of one statement's dates: of the coefficients of dimensions and parameters.
fn divisor_of(part: &PwAff) -> Result<Option<i64>> {
    let pieces = part.pieces()?;
    let [(_, value)] = &pieces[..] else { return Ok(None) };
    let is_fractional = value.denominator_val()?.to_i64()? != 1;
    if is_fractional || value.involves_dims(DimType::Div, 0, value.dim(DimType::Div)?)? {
        return Ok(None);
    }
    let mut divisor = 0;
    for kind in [DimType::In, DimType::Param] {
        for position in 0..value.dim(kind)? {
            let position = i32::try_from(position).unwrap_or(i32::MAX);
            divisor = gcd(divisor, value.coefficient_val(kind, position)?.to_i64()?);
        }
    }
    Ok(Some(divisor))
}
