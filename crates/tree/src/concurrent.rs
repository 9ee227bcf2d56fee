//! Trees with more members on threads.

use crate::{Band, Cursor, Error, Mark, Node, Result, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

impl ScheduleTree {
    /// The tree with these members, each by its band and its position there, marked parallel: bands come apart around them.
    ///
    /// # Errors
    /// [`Error::NoNode`] where a path leads to no band.
    pub fn with_parallel(&self, members: &BTreeSet<(Cursor, usize)>) -> Result<Self> {
        let mut bands: BTreeMap<&Cursor, Vec<usize>> = BTreeMap::new();
        for (cursor, member) in members {
            bands.entry(cursor).or_default().push(*member);
        }
        // Those inside first: what is done to them moves none of those around them.
        let mut cursors: Vec<&Cursor> = bands.keys().copied().collect();
        cursors.sort_by_key(|cursor| std::cmp::Reverse(cursor.steps().len()));
        let mut tree = self.clone();
        for cursor in cursors {
            let node = tree.at(cursor)?;
            let Node::Band { band, child } = node.node() else {
                return Err(Error::NoNode(cursor.clone()));
            };
            let new = apart(band, child, &bands[cursor]);
            tree = tree.replace(cursor, new)?;
        }
        Ok(tree)
    }
}

/// A band in parts, of which those at the positions `parallel` are marked.
fn apart(band: &Band, child: &ScheduleTree, parallel: &[usize]) -> ScheduleTree {
    let mut tree = child.clone();
    let mut members = band.members.iter().enumerate().rev().peekable();
    while let Some((at, member)) = members.next() {
        let mut own = vec![member.clone()];
        let is_parallel = parallel.contains(&at);
        while !is_parallel
            && let Some((_, member)) = members.next_if(|(at, _)| !parallel.contains(at))
        {
            own.insert(0, member.clone());
        }
        tree = ScheduleTree::band(Band { members: own, permutable: band.permutable }, tree);
        if is_parallel {
            tree = ScheduleTree::mark(Mark::Parallel, tree);
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Member;

    #[test]
    fn bands_come_apart_around_what_is_marked() {
        let member = |at: usize| {
            let text = format!("{{ S[i, j, k] -> [({})] }}", ["i", "j", "k"][at]);
            Member::new(text.parse().expect("isl notation"), true)
        };
        let band = Band { members: (0..3).map(member).collect(), permutable: true };
        let domain = "{ S[i, j, k] }".parse().expect("isl notation");
        let tree = ScheduleTree::domain(domain, ScheduleTree::band(band, ScheduleTree::leaf()));
        let cursor = Cursor::root().child(0);
        let of = |members: &[usize]| {
            let members = members.iter().map(|at| (cursor.clone(), *at)).collect();
            let tree = tree.with_parallel(&members).expect("a band");
            let kinds =
                tree.cursors().into_iter().filter_map(|at| match tree.at(&at).ok()?.node() {
                    Node::Band { band, .. } => Some(band.members.len().to_string()),
                    Node::Mark { .. } => Some("parallel".to_owned()),
                    _ => None,
                });
            kinds.collect::<Vec<String>>().join(" ")
        };
        assert_eq!(of(&[]), "3");
        assert_eq!(of(&[0]), "parallel 1 2");
        assert_eq!(of(&[1]), "1 parallel 1 1");
        assert_eq!(of(&[0, 1]), "parallel 1 parallel 1 1");
        assert_eq!(of(&[2]), "2 parallel 1");
        let none = BTreeSet::from([(Cursor::root(), 0)]);
        assert!(tree.with_parallel(&none).is_err());
    }
}
