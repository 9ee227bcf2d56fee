//! Loops in other orders.

use farkas_poly::{Set, UnionSet};
use farkas_scop::Scop;
use farkas_tree::{Band, Member, Node, ScheduleTree};

/// The order in which each statement has its loops to itself.
pub(crate) fn distributed(scop: &Scop, tree: &ScheduleTree) -> ScheduleTree {
    let nest = |stmt: &farkas_scop::Statement| {
        let space = stmt.domain.space().expect("a space");
        let instances =
            UnionSet::union_all([Set::universe(&space).expect("a set")]).expect("a set");
        let alone = tree.restricted_to(&instances).expect("a tree");
        (instances, alone.children()[0].clone())
    };
    let nests = scop.stmts().iter().map(nest).collect();
    tree.with_children(vec![ScheduleTree::sequence(nests)])
}

/// All orders of `members`, the original one first.
pub(crate) fn permutations(members: &[Member]) -> Vec<Vec<Member>> {
    if members.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..members.len() {
        let mut others = members.to_vec();
        let member = others.remove(first);
        for order in permutations(&others) {
            all.push([vec![member.clone()], order].concat());
        }
    }
    all
}

/// All trees in which the members of one chain of bands stand in another order.
pub(crate) fn each_order(tree: &ScheduleTree) -> Vec<ScheduleTree> {
    let mut members = Vec::new();
    let mut below = tree;
    while let Node::Band { band, child } = below.node() {
        members.extend(band.members.iter().cloned());
        below = child;
    }
    if members.is_empty() {
        let mut all = Vec::new();
        for (at, child) in tree.children().iter().enumerate() {
            for order in each_order(child) {
                let mut children = tree.children().to_vec();
                children[at] = order;
                all.push(tree.with_children(children));
            }
        }
        return all;
    }
    let around = |members: &[Member], inner: &ScheduleTree| {
        members.iter().rev().fold(inner.clone(), |child, member| {
            let band = Band { members: vec![member.clone()], permutable: false };
            ScheduleTree::band(band, child)
        })
    };
    let orders = permutations(&members);
    let own = orders.iter().skip(1).map(|order| around(order, below));
    let inner = each_order(below);
    own.chain(inner.iter().map(|inner| around(&members, inner))).collect()
}
