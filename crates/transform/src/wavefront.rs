//! Wavefronts: parallelism for tiled bands that have no parallel loop.

use crate::{Remark, Result, stmt_names};
use farkas_poly::Val;
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

/// Replaces the first tile loop by the sum of the first two in every tile band without a coincident member.
///
/// **Rewrite**: `mark tile s,t; band [f, g, ..]` becomes `mark tile s,t; mark wavefront; band [f/s + g/t, g/t, ..]`.
/// Inside one permutable band every dependence has non-negative components on all members, so it stays ordered by the
/// sum, and tiles of equal sum that differ in `g` do not depend on one another (Pluto, section 3.6 of Bondhugula et al.,
/// PLDI 2008). The second member is marked coincident for that reason; the legality check decides it again from the
/// dependences when the loop is marked parallel.
///
/// # Errors
/// When isl refuses.
pub fn form_wavefronts(tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<ScheduleTree> {
    if matches!(tree.node(), Node::Mark { mark: Mark::Shaped, .. }) {
        return Ok(tree.clone());
    }
    if let Node::Mark { mark: Mark::Tile(sizes), child } = tree.node()
        && let Node::Band { band, child: points } = child.node()
        && band.permutable
        && band.members.len() >= 2
        && band.members.iter().all(|m| !m.coincident)
    {
        let band = wavefront(band, sizes)?;
        if let Some(first) = band.members.get(1) {
            let stmts = stmt_names(&first.schedule.domain()?)?;
            let text =
                "no tile loop is parallel: tiles run in wavefronts of the first two".to_owned();
            remarks.push(Remark { pass: "wavefront", stmts, text });
        }
        let wave = ScheduleTree::mark(Mark::Wavefront, ScheduleTree::band(band, points.clone()));
        return Ok(ScheduleTree::mark(Mark::Tile(sizes.clone()), wave));
    }
    let children =
        tree.children().iter().map(|c| form_wavefronts(c, remarks)).collect::<Result<_>>()?;
    Ok(tree.with_children(children))
}

/// The members with the first replaced by the sum of the first two, both counted in tiles.
fn wavefront(band: &Band, sizes: &[i64]) -> Result<Band> {
    let mut members = band.members.clone();
    let in_tiles = |i: usize| -> Result<_> {
        let size = Val::int(sizes.get(i).copied().unwrap_or(1))?;
        Ok(band.members[i].schedule.scale_down_val(&size)?)
    };
    let (first, second) = (in_tiles(0)?, in_tiles(1)?);
    members[0] = Member::new(first.add(&second)?, false);
    members[1] = Member::new(second, true);
    Ok(Band { members, permutable: true })
}
