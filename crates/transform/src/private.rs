//! Copies of arrays for the iterations of concurrent loops.

use crate::Result;
use farkas_tree::{Cursor, Mark, Node, OneThread, ScheduleTree};

/// What a loop that is called coincident gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopCopies {
    /// Its band.
    pub cursor: Cursor,
    /// Its position in the band.
    pub member: usize,
    /// The arrays, by name, that its iterations get copies of; none where they get none although they need them.
    pub private: Option<Vec<String>>,
    /// Why a loop that was marked gets none.
    pub obstacles: Vec<String>,
}

/// Puts a [`Mark::Private`] above the bands of those `loops` that get copies. The others are not coincident any more, and
/// marks that make their iterations concurrent go away.
///
/// Legal where each iteration writes what it reads of these arrays, and nothing else reads it.
///
/// # Errors
/// When there is no such node.
pub fn mark_private(tree: &ScheduleTree, loops: &[LoopCopies]) -> Result<ScheduleTree> {
    let mut inner_first: Vec<&LoopCopies> = loops.iter().collect();
    inner_first.sort_by_key(|copies| std::cmp::Reverse(copies.cursor.steps().len()));
    let mut tree = tree.clone();
    for LoopCopies { cursor, member, private, obstacles } in inner_first {
        tree = match private {
            Some(names) => {
                let band = tree.at(cursor)?.clone();
                tree.replace(cursor, ScheduleTree::mark(Mark::Private(names.clone()), band))?
            }
            None => sequential(not_coincident(&tree, cursor, *member, obstacles)?, cursor)?,
        };
    }
    Ok(tree)
}

/// The tree with a member of the band at `cursor` that is not coincident, because of `obstacles` where it was marked.
fn not_coincident(
    tree: &ScheduleTree,
    cursor: &Cursor,
    member: usize,
    obstacles: &[String],
) -> Result<ScheduleTree> {
    let Node::Band { band, child } = tree.at(cursor)?.node() else { return Ok(tree.clone()) };
    let mut band = band.clone();
    if let Some(member) = band.members.get_mut(member) {
        member.coincident = false;
        if !obstacles.is_empty() {
            member.one_thread = Some(OneThread::NoCopies(obstacles.to_vec()));
        }
    }
    Ok(tree.replace(cursor, ScheduleTree::band(band, child.clone()))?)
}

/// The tree without the marks right above the band at `cursor` that make its iterations concurrent.
fn sequential(mut tree: ScheduleTree, cursor: &Cursor) -> Result<ScheduleTree> {
    let mut above = cursor.parent();
    while let Some(here) = above {
        let Node::Mark { mark, child } = tree.at(&here)?.node() else { break };
        if matches!(mark, Mark::Parallel | Mark::Vector | Mark::Private(_)) {
            let child = child.clone();
            tree = tree.replace(&here, child)?;
        }
        above = here.parent();
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marks and bands of a tree, outermost first.
    fn nodes(tree: &ScheduleTree) -> Vec<String> {
        let cursors = tree.cursors();
        let kinds = cursors.iter().map(|cursor| match tree.at(cursor).expect("a node").node() {
            Node::Mark { mark, .. } => mark.to_string(),
            _ => tree.at(cursor).expect("a node").kind().to_owned(),
        });
        kinds.filter(|kind| kind != "leaf").collect()
    }

    #[test]
    fn loops_get_copies_or_run_in_order() {
        let text = r#"{ domain: "{ S[i, j] : 0 <= i, j < 9 }", child: { mark: "parallel", child: {
            schedule: "[{ S[i, j] -> [(i)] }]", child: { mark: "point", child: { mark: "vector", child: {
            schedule: "[{ S[i, j] -> [(j)] }]" } } } } } }"#;
        let tree: ScheduleTree = text.parse().expect("a tree");
        let at = |steps: usize| (0..steps).fold(Cursor::root(), |cursor, _| cursor.child(0));
        let copies = |steps: usize, private: Option<Vec<String>>| {
            let obstacles = vec!["t is read".to_owned(); usize::from(private.is_none())];
            LoopCopies { cursor: at(steps), member: 0, private, obstacles }
        };
        let outer = copies(2, Some(vec!["t".into()]));
        let inner = copies(5, None);
        assert_eq!(
            nodes(&mark_private(&tree, &[outer.clone(), inner.clone()]).expect("a tree")),
            ["domain", "parallel", "private t", "band", "point", "band"]
        );
        let inner = copies(5, Some(vec!["t".into(), "u".into()]));
        let outer = copies(2, None);
        assert_eq!(
            nodes(&mark_private(&tree, &[outer, inner]).expect("a tree")),
            ["domain", "band", "point", "vector", "private t,u", "band"]
        );
    }
}
