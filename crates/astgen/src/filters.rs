//! Filters that say no more than which statements they let through.
//!
//! Filters of schedule trees often repeat the domains of their statements, which are known from the root of the tree. isl
//! intersects and simplifies with each of them all the same.

use crate::Result;
use farkas_poly::{Set, UnionSet};
use farkas_tree::{Node, ScheduleTree};
use std::collections::BTreeMap;

/// The tree with filters that let whole statements through where all their instances pass.
pub(crate) fn plain(tree: &ScheduleTree) -> Result<ScheduleTree> {
    let Node::Domain { domain, .. } = tree.node() else { return Ok(tree.clone()) };
    let named = |set: Set| Some((set.tuple_name()?, set));
    let domains: BTreeMap<String, Set> = domain.sets()?.into_iter().filter_map(named).collect();
    below(tree, &domains)
}

/// The same of a subtree; `domains` are those of the statements, by name.
fn below(tree: &ScheduleTree, domains: &BTreeMap<String, Set>) -> Result<ScheduleTree> {
    let children = tree.children().iter().map(|child| below(child, domains));
    let children: Vec<ScheduleTree> = children.collect::<Result<_>>()?;
    match (tree.node(), children.as_slice()) {
        (Node::Filter { filter, .. }, [child]) => {
            let mut sets = Vec::new();
            for set in filter.sets()? {
                let domain = set.tuple_name().and_then(|name| domains.get(&name));
                let lets_all = match domain {
                    Some(domain) => domain.is_subset(&set)?,
                    None => false,
                };
                sets.push(if lets_all { Set::universe(&set.space()?)? } else { set });
            }
            Ok(ScheduleTree::filter(UnionSet::union_all(sets)?, child.clone()))
        }
        _ => Ok(tree.with_children(children)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_keep_what_they_say_beyond_domains() {
        let tree = |filters: [&str; 2]| {
            let [first, second] = filters;
            let text = format!(
                "domain: \"[n] -> {{ S[i] : 0 <= i < n; T[i] : 0 <= i < n; U[i] : 0 <= i < n }}\"\n\
                 child:\n  sequence:\n  - filter: \"[n] -> {{ {first} }}\"\n  - filter: \"[n] -> {{ {second} }}\"\n"
            );
            text.parse::<ScheduleTree>().expect("a tree")
        };
        let found = plain(&tree([
            "S[i] : 0 <= i < n; T[i] : 0 <= i < 5",
            "U[i] : i >= 0 and i < n; T[i] : i >= 5",
        ]));
        let expected = tree(["S[i]; T[i] : 0 <= i < 5", "U[i]; T[i] : i >= 5"]);
        let filters = |tree: &ScheduleTree| -> Vec<UnionSet> {
            let of = |child: &ScheduleTree| match child.node() {
                Node::Filter { filter, .. } => Some(filter.clone()),
                _ => None,
            };
            tree.children()[0].children().iter().filter_map(of).collect()
        };
        let (found, expected) = (filters(&found.expect("a tree")), filters(&expected));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found.is_equal(expected).expect("an answer"), "{found} is not {expected}");
        }
    }
}
