//! Copies of temporaries for the iterations of parallel loops.

use farkas_astgen::{Ast, For};
use farkas_scop::Scop;
use farkas_transform::Remark;

/// The name of the pass in remarks.
const PASS: &str = "private";

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

/// The arrays of which the iterations of a loop update copies, as the source calls them.
pub(crate) fn reduced_names(scop: &Scop, node: &For) -> Vec<String> {
    let own = scop.arrays().iter().filter(|array| node.info.reduced.contains(&array.name));
    own.map(|array| array.source_name.clone()).collect()
}

/// The arrays that the iterations of a loop have copies of, as the source calls them.
pub(crate) fn private_names(scop: &Scop, node: &For) -> Vec<String> {
    let own = scop.arrays().iter().filter(|array| node.info.private.contains(&array.name));
    own.map(|array| array.source_name.clone()).collect()
}
