//! Loops without gaps: dates that are multiples of a number are counted instead.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_base::gcd;
use farkas_poly::{PwAff, Set, UnionSet};
use farkas_scop::linear_part;
use farkas_steps::{LoopAddress, Scale, Step};
use farkas_tree::{Cursor, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops that count each so-many-th date alone: [`plan_compact`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gaps {}

impl Plans for Gaps {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Ok(Proposal::Steps(plan_compact(view.tree(), remarks)?))
    }
}

/// Divides the dates of each band member by the greatest number that all of them are multiples of, but for a constant
/// offset. Where every statement of a loop runs in each k-th iteration only, as statements on every second pixel do, the loop then
/// has step one, tiles have as many points as their size says, and subscripts lose their divisions.
///
/// # Errors
/// When isl refuses.
fn plan_compact(tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let mut plan = Plan::none(tree);
    if let Node::Domain { domain, .. } = tree.node() {
        plan_below(tree, &Cursor::root(), domain, &mut plan.steps, remarks)?;
    }
    Ok(plan)
}

/// As [`plan_compact`], for a part of the tree, with all instances of the whole.
fn plan_below(
    tree: &ScheduleTree,
    here: &Cursor,
    domain: &UnionSet,
    steps: &mut Vec<Step>,
    remarks: &mut Vec<Remark>,
) -> Result<()> {
    for (at, child) in tree.children().iter().enumerate() {
        plan_below(child, &here.child(at), domain, steps, remarks)?;
    }
    let Node::Band { band, .. } = tree.node() else { return Ok(()) };
    for (position, member) in band.members.iter().enumerate() {
        let Some(by) = stride(member, domain)? else { continue };
        let text = format!("loop {position} of the band counts each {by}-th date");
        let stmts = stmt_names(&member.schedule.domain()?)?;
        remarks.push(Remark { pass: "compact", stmts, text });
        let place = LoopAddress::member(here.clone(), position);
        steps.push(Step::Scale(Scale { place, by }));
    }
    Ok(())
}

/// The stride of a member's dates; none where they have no stride in common.
fn stride(member: &Member, domain: &UnionSet) -> Result<Option<i64>> {
    let mut dates = Vec::new();
    let mut stride = 0;
    for part in member.schedule.pw_affs()? {
        let instances = domain.extract_set(&part.domain_space()?)?;
        if is_dense(&part, &instances)? {
            return Ok(None);
        }
        let values = instances.apply(&part.to_map()?)?;
        stride = gcd(stride, values.stride(0)?.to_i64()?);
        dates.push(values);
    }
    let Some(offset) = dates.first().filter(|_| stride > 1).map(offset).transpose()?.flatten()
    else {
        return Ok(None);
    };
    let offset = offset.rem_euclid(stride);
    let grid: Set = format!("{{ [x] : (x - {offset}) mod {stride} = 0 }}").parse()?;
    for values in &dates {
        if !values.is_subset(&grid)? {
            return Ok(None);
        }
    }
    Ok(Some(stride))
}

/// Whether a look at coefficients and domain is enough to see that the dates of a statement have no stride.
fn is_dense(part: &PwAff, instances: &Set) -> Result<bool> {
    if instances.involves_locals()? {
        return Ok(false);
    }
    Ok(linear_part(part)?.is_some_and(|row| row.into_iter().fold(0, gcd) == 1))
}

/// One of the dates; none where there is none or it depends on parameters that isl gives no value to.
fn offset(dates: &Set) -> Result<Option<i64>> {
    if dates.is_empty()? {
        return Ok(None);
    }
    let values = dates.sample_point()?.coordinates(farkas_poly::DimType::SET)?;
    Ok(values.first().copied())
}
