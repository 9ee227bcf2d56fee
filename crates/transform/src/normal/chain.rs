//! Loops right inside each other, and what is in them.

use crate::Result;
use farkas_scop::{Scop, StmtId};
use farkas_steps::{LoopAddress, dates_around, reaching};
use farkas_tree::{Cursor, Member, Node, ScheduleTree};

/// Loops right inside each other, from one of them on to the innermost that has no other statement or loop beside it.
pub(crate) struct Chain {
    /// The band and the member of each loop, outermost first.
    pub(crate) places: Vec<(Cursor, usize)>,
    /// The loops.
    pub(crate) loops: Vec<Member>,
    /// The statements in them, each with all loops around it, of which those of the chain begin at [`Chain::depth`].
    pub(crate) stmts: Vec<(StmtId, Vec<Member>)>,
    /// How many loops are around the chain.
    pub(crate) depth: usize,
}

impl Chain {
    /// The chain that begins with a member of a band.
    pub(crate) fn from(
        scop: &Scop,
        tree: &ScheduleTree,
        (band, member): (&Cursor, usize),
    ) -> Result<Self> {
        let (mut places, mut loops) = (Vec::new(), Vec::new());
        let (mut here, mut first) = (band.clone(), member);
        while let Node::Band { band, .. } = tree.at(&here)?.node() {
            for (at, member) in band.members.iter().enumerate().skip(first) {
                places.push((here.clone(), at));
                loops.push(member.clone());
            }
            (here, first) = (here.child(0), 0);
        }
        let outer = dates_around(tree, band, member)?.into_iter();
        let mut around: Vec<Member> = outer.map(|dates| Member::new(dates, false)).collect();
        let depth = around.len();
        around.extend(loops.iter().cloned());
        let mut stmts = Vec::new();
        collect(scop, tree, &here, around, &mut stmts)?;
        Ok(Self { places, loops, stmts, depth })
    }

    /// What steps call its loops.
    pub(crate) fn addresses(&self) -> Vec<LoopAddress> {
        let address = |(band, member): &(Cursor, usize)| LoopAddress::member(band.clone(), *member);
        self.places.iter().map(address).collect()
    }
}

/// The statements that end below a place, with the loops around them.
fn collect(
    scop: &Scop,
    tree: &ScheduleTree,
    here: &Cursor,
    mut around: Vec<Member>,
    stmts: &mut Vec<(StmtId, Vec<Member>)>,
) -> Result<()> {
    let node = tree.at(here)?;
    if let Node::Band { band, .. } = node.node() {
        around.extend(band.members.iter().cloned());
    }
    if matches!(node.node(), Node::Leaf) {
        let instances = reaching(tree, here)?;
        for (id, stmt) in scop.stmts().iter_enumerated() {
            if !instances.extract_set(&stmt.domain.space()?)?.is_empty()? {
                stmts.push((id, around.clone()));
            }
        }
    }
    for child in 0..node.children().len() {
        collect(scop, tree, &here.child(child), around.clone(), stmts)?;
    }
    Ok(())
}
