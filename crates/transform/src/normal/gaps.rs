//! Loops of which only each so-many-th date is one.

use super::{Place, loop_at};
use crate::Result;
use crate::plan::Draft;
use farkas_poly::Set;
use farkas_steps::{LoopAddress, Scale, Step, reaching};
use farkas_tree::{Node, Program, ScheduleTree};

/// A program whose loops count their iterations where all their dates leave one residue by some number: in the same order, which may be shown.
///
/// # Errors
/// When isl refuses.
pub fn without_gaps(program: &Program) -> Result<Program> {
    let mut draft = Draft::new(program, None);
    let mut n_done = 0;
    while let Some(at) = loop_at(draft.tree(), n_done)? {
        if let Some(step) = counting(draft.tree(), &at)? {
            draft.attempt(|draft| draft.apply(step))?;
        }
        n_done += 1;
    }
    Ok(draft.program().clone())
}

/// The step that lets a loop count its iterations; none where its dates have no gaps.
fn counting(tree: &ScheduleTree, (band, member): &Place) -> Result<Option<Step>> {
    let Node::Band { band: loops, .. } = tree.at(band)?.node() else { return Ok(None) };
    let Some(own) = loops.members.get(*member) else { return Ok(None) };
    let inside = reaching(tree, band)?;
    let mut dates = Vec::new();
    for date in own.schedule.pw_affs()? {
        let instances = inside.extract_set(&date.domain_space()?)?;
        dates.push(instances.apply(&date.to_map()?)?.reset_tuple_id()?);
    }
    let Some(dates) = Set::union_all(dates)? else { return Ok(None) };
    let by = dates.coalesce()?.stride(0)?.to_small_int()?.filter(|by| *by > 1);
    let place = LoopAddress::member(band.clone(), *member);
    Ok(by.map(|by| Step::Scale(Scale { place, by })))
}
