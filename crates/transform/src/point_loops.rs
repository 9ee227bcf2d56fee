//! The order of loops inside tiles alone, for caches and vector lanes.

use crate::stride::StrideModel;
use crate::{Remark, Result, stmt_names};
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

/// Moves in each band of point loops the one that serves locality best to the innermost place; tile loops keep their order.
///
/// **Paper** the locality model, eq. (2), which is Pluto's. Ours differs: ties leave the scheduler's order as it is.
///
/// **Formulation** loop `j` with the greatest `n (sum over accesses of (2 s + 4 l - 16 o) + 8 v)`, where `n` counts the
/// statements that run through `j`; for each access `s` is 1 where it moves by one to four elements along `j`, `l` where it
/// stays, `o` where neither; `v` is 1 where no access has `o`.
///
/// Legal because any order of the members of a permutable band is, and tiles are left as they are.
///
/// # Errors
/// When isl refuses.
pub fn order_within_tiles(
    tree: &ScheduleTree,
    strides: &StrideModel,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    order_below(tree, &mut Vec::new(), strides, remarks)
}

/// As [`order_within_tiles`]; `outer` holds the members around `tree`, tile loops left out.
fn order_below(
    tree: &ScheduleTree,
    outer: &mut Vec<Member>,
    strides: &StrideModel,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let depth = outer.len();
    let mut here = tree.clone();
    match tree.node() {
        Node::Mark { mark: Mark::Shaped, .. } => return Ok(here),
        Node::Mark { mark: Mark::Tile(_), child } => {
            let Node::Band { band, child: points } = child.node() else { return Ok(here) };
            let points = order_below(points, outer, strides, remarks)?;
            let tiles = ScheduleTree::band(band.clone(), points);
            return Ok(tree.with_children(vec![tiles]));
        }
        Node::Mark { mark: Mark::Point, child } => {
            if let Node::Band { band, child: body } = child.node()
                && !body.contains_band()
            {
                let band = order_band(band, outer, strides, remarks)?;
                here = tree.with_children(vec![ScheduleTree::band(band, body.clone())]);
            }
        }
        Node::Band { band, .. } => outer.extend(band.members.iter().cloned()),
        _ => {}
    }
    let children = here.children().iter().map(|c| order_below(c, outer, strides, remarks));
    let children = children.collect::<Result<_>>()?;
    outer.truncate(depth);
    Ok(here.with_children(children))
}

/// The band with its best member innermost.
fn order_band(
    band: &Band,
    outer: &[Member],
    strides: &StrideModel,
    remarks: &mut Vec<Remark>,
) -> Result<Band> {
    if !band.permutable || band.members.len() < 2 {
        return Ok(band.clone());
    }
    let mut best: Option<(i64, usize)> = None;
    for position in (0..band.members.len()).rev() {
        let worth = worth(band, outer, position, strides)?;
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, position));
        }
    }
    let Some((_, position)) = best.filter(|(_, at)| at + 1 < band.members.len()) else {
        return Ok(band.clone());
    };
    let mut members = band.members.clone();
    let innermost = members.remove(position);
    let stmts = stmt_names(&innermost.schedule.domain()?)?;
    let text = format!("point loop {position} moves innermost: lines are used best along it");
    remarks.push(Remark { pass: "point-order", stmts, text });
    members.push(innermost);
    Ok(Band { members, permutable: band.permutable })
}

/// What a member is worth as the innermost loop.
fn worth(band: &Band, outer: &[Member], position: usize, strides: &StrideModel) -> Result<i64> {
    let mut loops: Vec<Member> = outer.iter().chain(&band.members).cloned().collect();
    let at = outer.len() + position;
    // The statements are those of the innermost loop.
    let member = loops.remove(at);
    loops.push(member);
    let Some(stmts) = strides.rows_of(&loops)? else { return Ok(i64::MIN) };
    let (mut n_stmts, mut sum, mut is_smooth) = (0_i64, 0_i64, true);
    for (stmt, rows) in stmts {
        let Some(last) = rows.len().checked_sub(1) else { continue };
        if rows[last].iter().all(|&c| c == 0) {
            continue;
        }
        n_stmts += 1;
        for step in strides.steps(stmt, &rows, last) {
            sum += match step.map(i64::unsigned_abs) {
                Some(0) => 4,
                Some(1..=4) => 2,
                Some(_) | None => {
                    is_smooth = false;
                    -16
                }
            };
        }
    }
    Ok(n_stmts * (sum + if is_smooth { 8 } else { 0 }))
}
