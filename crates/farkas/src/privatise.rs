//! Copies of temporaries for the iterations of parallel loops.

use crate::Error;
use farkas_astgen::{Ast, For};
use farkas_deps::Dependences;
use farkas_deps::legality::{Privatisation, privatisations};
use farkas_scop::{Scop, StmtId};
use farkas_transform::{LoopCopies, Remark, mark_private};
use farkas_tree::ScheduleTree;

/// The name of the pass in remarks.
const PASS: &str = "private";

/// The tree with copies of the temporaries whose dependences its concurrent loops carry, and without the marks of loops
/// for which there can be no copies; says whether there were such. Other loops that carry some are not called coincident.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub(crate) fn privatise(
    scop: &Scop,
    deps: &Dependences,
    tree: &ScheduleTree,
    remarks: &mut Vec<Remark>,
) -> Result<(ScheduleTree, bool), Error> {
    let (mut loops, mut lost) = (Vec::new(), false);
    for found in privatisations(scop, deps, tree)? {
        let Privatisation { cursor, member, is_marked, arrays, obstacles } = found;
        let names = arrays.iter().map(|array| scop.arrays()[*array].name.clone()).collect();
        for obstacle in &obstacles {
            let text = format!("a loop runs in order: {obstacle}");
            remarks.push(Remark { pass: PASS, stmts: stmts_below(scop, tree, &cursor), text });
        }
        lost |= is_marked && !obstacles.is_empty();
        let private = (is_marked && obstacles.is_empty()).then_some(names);
        // Those of a loop that nobody marked stop nothing that was decided.
        let obstacles = obstacles.iter().filter(|_| is_marked).map(ToString::to_string).collect();
        loops.push(LoopCopies { cursor, member, private, obstacles });
    }
    Ok((mark_private(tree, &loops)?, lost))
}

/// The statements that the band at `cursor` dates.
fn stmts_below(scop: &Scop, tree: &ScheduleTree, cursor: &farkas_tree::Cursor) -> Vec<String> {
    let farkas_tree::Node::Band { band, .. } = (match tree.at(cursor) {
        Ok(band) => band.node(),
        Err(_) => return Vec::new(),
    }) else {
        return Vec::new();
    };
    let dated = |stmt: StmtId| {
        let space = scop.stmts()[stmt].domain.space().ok()?;
        let date = band.members.first()?.schedule.extract_pw_aff(&space).ok()?;
        date.n_piece().ok().filter(|n| *n > 0)
    };
    let stmts = scop.stmts().ids().filter(|stmt| dated(*stmt).is_some());
    stmts.map(|stmt| scop.stmts()[stmt].name.clone()).collect()
}

/// What is private where in `ast`, one remark a loop.
pub(crate) fn told(scop: &Scop, ast: &Ast) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut tell = |node: &For| {
        let names = private_names(scop, node);
        if !names.is_empty() {
            let verb = if names.len() == 1 { "is" } else { "are" };
            let names = names.join(", ");
            let text = format!("{names} {verb} private to each iteration of {}", node.iterator);
            let stmts = node.info.stmts.iter().map(|stmt| scop.stmts()[*stmt].name.clone());
            let remark = Remark { pass: PASS, stmts: stmts.collect(), text };
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
        }
    };
    ast.body.iter().for_each(|node| node.for_each_loop(&mut tell));
    remarks
}

/// The arrays that the iterations of a loop have copies of, as the source calls them.
pub(crate) fn private_names(scop: &Scop, node: &For) -> Vec<String> {
    let own = scop.arrays().iter().filter(|array| node.info.private.contains(&array.name));
    own.map(|array| array.source_name.clone()).collect()
}
