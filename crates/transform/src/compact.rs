//! Loops without gaps: dates that are multiples of a number are counted instead.

use crate::{Remark, Result, stmt_names};
use farkas_base::gcd;
use farkas_poly::{PwAff, Set, UnionPwAff, UnionSet, Val};
use farkas_scop::linear_part;
use farkas_tree::{Band, Member, Node, ScheduleTree};

/// Divides the dates of each band member by the greatest number that all of them are multiples of, but for a constant
/// offset.
///
/// **Rewrite**: a member `f` with `f = k g + r` on all instances becomes `g`. Where every statement of a loop runs in each
/// k-th iteration only, as statements on every second pixel do, the loop then has step one, tiles have as many points as
/// their size says, and subscripts lose their divisions. Legal because `g` orders instances as `f` does.
///
/// # Errors
/// When isl refuses.
pub fn compact(tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<ScheduleTree> {
    let Node::Domain { domain, .. } = tree.node() else { return Ok(tree.clone()) };
    compact_below(tree, domain, remarks)
}

/// As [`compact`], with all instances of the tree.
fn compact_below(
    tree: &ScheduleTree,
    domain: &UnionSet,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let children = tree
        .children()
        .iter()
        .map(|c| compact_below(c, domain, remarks))
        .collect::<Result<Vec<_>>>()?;
    let Node::Band { band, .. } = tree.node() else { return Ok(tree.with_children(children)) };
    let mut members = Vec::new();
    for (position, member) in band.members.iter().enumerate() {
        let Some((stride, schedule)) = counted(member, domain)? else {
            members.push(member.clone());
            continue;
        };
        let text = format!("loop {position} of the band counts each {stride}-th date");
        remarks.push(Remark { pass: "compact", stmts: stmt_names(&schedule.domain()?)?, text });
        members.push(Member { schedule, ..member.clone() });
    }
    let band = Band { members, permutable: band.permutable };
    let child = children.into_iter().next().unwrap_or_else(ScheduleTree::leaf);
    Ok(ScheduleTree::band(band, child))
}

/// The stride of a member's dates and what counts them; none where they have no stride in common.
fn counted(member: &Member, domain: &UnionSet) -> Result<Option<(i64, UnionPwAff)>> {
    let parts = member.schedule.pw_affs()?;
    let mut dates = Vec::new();
    let mut stride = 0;
    for part in &parts {
        let instances = domain.extract_set(&part.domain_space()?)?;
        if is_dense(part, &instances)? {
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
    let (offset, stride_val) = (offset.rem_euclid(stride), Val::int(stride)?);
    let grid: Set = format!("{{ [x] : (x - {offset}) mod {stride} = 0 }}").parse()?;
    for values in &dates {
        if !values.is_subset(&grid)? {
            return Ok(None);
        }
    }
    let mut counts = Vec::new();
    for part in parts {
        let shift = PwAff::constant_on(&part.domain()?, offset)?;
        counts.push(part.sub(&shift)?.scale_down_val(&stride_val)?.floor()?);
    }
    Ok(Some((stride, UnionPwAff::union_all(counts)?)))
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
