//! Dates that are multiples of a number plus a constant: loops without gaps.

use crate::{Remark, Result, stmt_names};
use farkas_base::gcd;
use farkas_poly::{Aff, DimType, PwAff, Set, UnionPwAff, UnionSet, Val};
use farkas_tree::{Band, Member, Node, ScheduleTree};
use std::collections::BTreeMap;

/// Divides the dates of bands of one member by the common divisor of their coefficients; statements whose constants leave
/// different residues follow one another inside.
///
/// **Rewrite**: `band [g f + r]` becomes `band [f]; sequence` of the statements by `r`, with `0 <= r < g`. Legal because
/// dates `g f + r` and pairs `(f, r)` are in the same order. Where Feautrier's cost lets every dependence pass one step,
/// this saves tests of the loop counter's residue in the loop's body.
///
/// # Errors
/// When isl refuses.
pub fn split_residues(tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<ScheduleTree> {
    let children: Vec<ScheduleTree> =
        tree.children().iter().map(|c| split_residues(c, remarks)).collect::<Result<_>>()?;
    if let Node::Band { band, .. } = tree.node()
        && let ([member], [child]) = (&band.members[..], &children[..])
        && let Some(dates) = linear_dates(&member.schedule)?
    {
        let divisor = dates.iter().fold(0, |divisor, date| gcd(divisor, date.divisor));
        if divisor > 1 {
            return divided(band, member, child, &dates, divisor, remarks);
        }
    }
    Ok(if children.is_empty() { tree.clone() } else { tree.with_children(children) })
}

/// The dates of one statement: an affine expression with integer coefficients.
struct Date {
    domain: Set,
    value: Aff,
    /// The greatest common divisor of the coefficients of dimensions and parameters.
    divisor: i64,
    constant: i64,
}

/// The dates of all statements; none where those of one are not linear.
fn linear_dates(schedule: &UnionPwAff) -> Result<Option<Vec<Date>>> {
    let mut dates = Vec::new();
    for part in schedule.pw_affs()? {
        match linear_date(&part)? {
            Some(date) => dates.push(date),
            None => return Ok(None),
        }
    }
    Ok(Some(dates))
}

/// The dates of one statement, where they are linear.
fn linear_date(part: &PwAff) -> Result<Option<Date>> {
    let pieces = part.pieces()?;
    let [(domain, value)] = &pieces[..] else { return Ok(None) };
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
    let constant = value.constant_val()?.to_i64()?;
    Ok(Some(Date { domain: domain.clone(), value: value.clone(), divisor, constant }))
}

/// The band with dates divided by `divisor`, and its child once for each residue.
fn divided(
    band: &Band,
    member: &Member,
    child: &ScheduleTree,
    dates: &[Date],
    divisor: i64,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let mut parts = Vec::new();
    let mut by_residue: BTreeMap<i64, Vec<Set>> = BTreeMap::new();
    for date in dates {
        let residue = date.constant.rem_euclid(divisor);
        let value = date.value.add_constant_val(&Val::int(-residue)?)?;
        let value = value.scale_down_val(&Val::int(divisor)?)?;
        parts.push(PwAff::on_set(&date.domain, &value)?);
        by_residue.entry(residue).or_default().push(Set::universe(&date.domain.space()?)?);
    }
    let schedule = UnionPwAff::union_all(parts)?;
    let text = format!("dates are divided by {divisor}, so that no iteration is empty");
    remarks.push(Remark { pass: "residue", stmts: stmt_names(&schedule.domain()?)?, text });
    let mut children = Vec::new();
    for stmts in by_residue.into_values() {
        let stmts = UnionSet::union_all(stmts)?;
        children.push((stmts.clone(), child.restricted_to(&stmts)?));
    }
    let members = vec![Member { schedule, ..member.clone() }];
    let band = Band { members, permutable: band.permutable };
    Ok(ScheduleTree::band(band, ScheduleTree::sequence(children)))
}
