//! To and from isl's own schedule trees.

use crate::{Band, Mark, Member, Node, Result, ScheduleTree};
use farkas_poly::{AstLoopType, IslSchedule, IslScheduleNode, UnionSet};
use std::str::FromStr;

impl ScheduleTree {
    /// The tree as isl's.
    ///
    /// # Errors
    /// When isl refuses, for instance because the root is not a domain node or filters do not cover their domain.
    pub fn to_isl(&self) -> Result<IslSchedule> {
        let Node::Domain { domain, child } = self.node() else {
            return Err(crate::Error::WrongKind {
                cursor: crate::Cursor::root(),
                found: self.kind(),
                expected: "domain",
            });
        };
        let leaf = IslScheduleNode::from_domain(domain)?.child(0)?;
        Ok(insert(child, leaf)?.schedule()?)
    }

    /// The tree that isl's tree is. Options for AST generation are read for whole members; isolation is not kept, nor why
    /// members stay on one thread.
    ///
    /// # Errors
    /// When isl refuses or a mark is unknown.
    pub fn from_isl(schedule: &IslSchedule) -> Result<Self> {
        read(&schedule.root()?)
    }
}

impl FromStr for ScheduleTree {
    type Err = crate::Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::from_isl(&text.parse()?)
    }
}

/// Inserts `tree` at the leaf `at`; the result points at the same leaf's place, now the root of `tree`.
fn insert(tree: &ScheduleTree, at: IslScheduleNode) -> Result<IslScheduleNode> {
    let (node, child) = match tree.node() {
        Node::Leaf => return Ok(at),
        Node::Sequence(children) | Node::Set(children) => {
            return insert_children(tree, children, &at);
        }
        Node::Domain { domain, child } => (at.insert_filter(domain)?, child),
        Node::Context { context, child } => (at.insert_context(context)?, child),
        Node::Band { band, child } => (insert_band(band, &at)?, child),
        Node::Filter { filter, child } => (at.insert_filter(filter)?, child),
        Node::Mark { mark, child } => (at.insert_mark(&mark.to_string())?, child),
        Node::Guard { guard, child } => (at.insert_guard(guard)?, child),
        Node::Extension { .. } | Node::Expansion { .. } => {
            return Err(farkas_poly::Error::Isl {
                message: format!("an {} node cannot be inserted into an isl tree yet", tree.kind()),
                place: String::new(),
            }
            .into());
        }
    };
    Ok(insert(child, node.child(0)?)?.parent()?)
}

/// Inserts a sequence or set node and its filtered children.
fn insert_children(
    tree: &ScheduleTree,
    children: &[ScheduleTree],
    at: &IslScheduleNode,
) -> Result<IslScheduleNode> {
    let filters: Vec<UnionSet> = children
        .iter()
        .map(|child| match child.node() {
            Node::Filter { filter, .. } => Ok(filter.clone()),
            _ => Err(crate::Error::WrongKind {
                cursor: crate::Cursor::root(),
                found: child.kind(),
                expected: "filter",
            }),
        })
        .collect::<Result<_>>()?;
    let mut node = if matches!(tree.node(), Node::Sequence(_)) {
        at.insert_sequence(&filters)?
    } else {
        at.insert_set(&filters)?
    };
    for (i, child) in children.iter().enumerate() {
        let below = child.children().iter();
        for grandchild in below {
            let position = i32::try_from(i).unwrap_or(i32::MAX);
            let leaf = node.child(position)?.child(0)?;
            node = insert(grandchild, leaf)?.ancestor(2)?;
        }
    }
    Ok(node)
}

/// Inserts a band with its properties.
fn insert_band(band: &Band, at: &IslScheduleNode) -> Result<IslScheduleNode> {
    let mut node = at.insert_partial_schedule(&band.schedule()?)?;
    node = node.band_set_permutable(band.permutable.into())?;
    let mut options = Vec::new();
    for (i, member) in band.members.iter().enumerate() {
        let position = i32::try_from(i).unwrap_or(i32::MAX);
        node = node.band_member_set_coincident(position, member.coincident.into())?;
        if member.loop_type != AstLoopType::Default {
            options.push(format!("{}[{i}]", member.loop_type.name()));
        }
    }
    if !options.is_empty() {
        node =
            node.band_set_ast_build_options(&format!("{{ {} }}", options.join("; ")).parse()?)?;
    }
    Ok(node)
}

/// The subtree at an isl node.
fn read(node: &IslScheduleNode) -> Result<ScheduleTree> {
    let child = || -> Result<ScheduleTree> {
        if node.n_children()? == 0 { Ok(ScheduleTree::leaf()) } else { read(&node.child(0)?) }
    };
    let children = || -> Result<Vec<ScheduleTree>> {
        (0..node.n_children()?)
            .map(|i| read(&node.child(i32::try_from(i).unwrap_or(i32::MAX))?))
            .collect()
    };
    let tree = match node.kind()? {
        "domain" => Node::Domain { domain: node.domain_domain()?, child: child()? },
        "context" => Node::Context { context: node.context_context()?, child: child()? },
        "band" => Node::Band { band: read_band(node)?, child: child()? },
        "sequence" => Node::Sequence(children()?),
        "set" => Node::Set(children()?),
        "filter" => Node::Filter { filter: node.filter_filter()?, child: child()? },
        "mark" => Node::Mark { mark: node.mark_name()?.parse::<Mark>()?, child: child()? },
        "extension" => Node::Extension { extension: node.extension_extension()?, child: child()? },
        "expansion" => Node::Expansion {
            contraction: node.expansion_contraction()?,
            expansion: node.expansion_expansion()?,
            child: child()?,
        },
        "guard" => Node::Guard { guard: node.guard_guard()?, child: child()? },
        _ => Node::Leaf,
    };
    Ok(tree.into())
}

/// The band at an isl band node.
fn read_band(node: &IslScheduleNode) -> Result<Band> {
    let options = node.band_ast_build_options()?;
    let mut members = Vec::new();
    for (i, schedule) in node.band_partial_schedule()?.members()?.into_iter().enumerate() {
        let position = i32::try_from(i).unwrap_or(i32::MAX);
        let mut loop_type = AstLoopType::Default;
        for kind in [AstLoopType::Atomic, AstLoopType::Unroll, AstLoopType::Separate] {
            let option: UnionSet = format!("{{ {}[{i}] }}", kind.name()).parse()?;
            if option.is_subset(&options)? {
                loop_type = kind;
            }
        }
        members.push(Member {
            loop_type,
            ..Member::new(schedule, node.band_member_coincident(position)?)
        });
    }
    Ok(Band { members, permutable: node.band_permutable()? })
}

#[cfg(test)]
mod tests {
    use crate::{Node, ScheduleTree};
    use farkas_poly::UnionSet;

    /// A set of two statements that runs before a third, with a band in one of its children.
    const NESTED: &str = r#"{ domain: "{ A[i] : 0 <= i < 9; B[]; C[] }", child: { sequence: [
        { filter: "{ A[i]; B[] }", child: { set: [
            { filter: "{ B[] }" },
            { filter: "{ A[i] }", child: { schedule: "[{ A[i] -> [(i)] }]", coincident: [ 1 ] } } ] } },
        { filter: "{ C[] }" } ] } }"#;

    #[test]
    fn set_nodes_round_trip() {
        let tree: ScheduleTree = NESTED.parse().unwrap();
        let cursor = crate::Cursor::root().child(0).child(0).child(0);
        let Node::Set(children) = tree.at(&cursor).unwrap().node() else { panic!("{tree}") };
        assert_eq!(children.len(), 2);
        assert!(tree.to_string().contains("set:"), "{tree}");
        assert_eq!(tree.to_string().parse::<ScheduleTree>().unwrap(), tree);
        assert_eq!(ScheduleTree::from_isl(&tree.to_isl().unwrap()).unwrap(), tree);
    }

    #[test]
    fn sets_and_sequences_of_one_child_are_the_child() {
        let filter: UnionSet = "{ A[i] }".parse().unwrap();
        let one = || vec![(filter.clone(), ScheduleTree::leaf())];
        assert_eq!(ScheduleTree::set(one()), ScheduleTree::leaf());
        assert_eq!(ScheduleTree::sequence(one()), ScheduleTree::leaf());
        let two = [one(), one()].concat();
        assert_eq!(ScheduleTree::set(two.clone()).kind(), "set");
        assert_eq!(ScheduleTree::sequence(two).kind(), "sequence");
    }
}
