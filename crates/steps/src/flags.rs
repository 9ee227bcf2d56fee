//! What bands say of their dependences, after a step that may have made it untrue.

use crate::Result;
use farkas_deps::{Dependences, carried};
use farkas_tree::{Band, Cursor, Node, ScheduleTree};

/// The tree with the flags of all bands at or below `top` decided anew by the dependences of the program.
pub(crate) fn decided(
    tree: &ScheduleTree,
    deps: &Dependences,
    top: &Cursor,
) -> Result<ScheduleTree> {
    let reports = carried::directions(deps, tree)?;
    let mut tree = tree.clone();
    for cursor in tree.cursors() {
        if cursor != *top && !top.is_above(&cursor) {
            continue;
        }
        let Node::Band { band, child } = tree.at(&cursor)?.node() else { continue };
        let mut band: Band = band.clone();
        let child = child.clone();
        let own: Vec<_> = reports.iter().filter(|report| report.cursor == cursor).collect();
        for report in &own {
            if let Some(member) = band.members.get_mut(report.member) {
                member.coincident = report.is_coincident();
                member.one_thread = None;
            }
        }
        band.permutable = own.iter().all(|report| report.reversed.is_empty());
        tree = tree.replace(&cursor, ScheduleTree::band(band, child))?;
    }
    Ok(tree)
}
