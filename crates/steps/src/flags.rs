//! What bands say of their dependences, after a step that may have made it untrue.

use crate::Result;
use farkas_deps::{Dependences, carried};
use farkas_tree::{Band, Cursor, Node, ScheduleTree};

/// The tree with the flags of all bands at or below `top` decided anew by the dependences of the program.
pub(crate) fn decided(
    tree: &ScheduleTree,
    deps: Option<&Dependences>,
    top: &Cursor,
) -> Result<ScheduleTree> {
    let reports = deps.map(|deps| carried::directions(deps, tree)).transpose()?;
    let mut tree = tree.clone();
    for cursor in tree.cursors() {
        if cursor != *top && !top.is_above(&cursor) {
            continue;
        }
        let Node::Band { band, child } = tree.at(&cursor)?.node() else { continue };
        let mut band: Band = band.clone();
        let child = child.clone();
        let own = reports.iter().flatten().filter(|report| report.cursor == cursor);
        let own: Vec<_> = own.collect();
        for (at, member) in band.members.iter_mut().enumerate() {
            let report = own.iter().find(|report| report.member == at);
            member.coincident = report.is_some_and(|report| report.is_coincident());
            member.one_thread = None;
        }
        band.permutable = reports.is_some() && own.iter().all(|report| report.reversed.is_empty());
        tree = tree.replace(&cursor, ScheduleTree::band(band, child))?;
    }
    Ok(tree)
}
