//! Kernels that become one launch.

use crate::flags::reaching;
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::UnionSet;
use farkas_tree::{Cursor, Mark, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kernels that follow one another, as one launch: each block runs its part of the first one, then that of the next.
///
/// **Rewrite**: `sequence [A: kernel [a], B: kernel [b], C]` becomes `sequence [A + B: kernel [sequence [A: a, B: b]], C]`. In a launch no block waits for
/// another one, so that nothing may go from a block to another; where it goes from a thread to another one of its block, a
/// [`Barrier`](crate::Barrier) stands between.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinKernels {
    /// Statements of the kernels: all kernels that run some of them become one.
    pub stmts: Vec<String>,
}

/// Why kernels do not become one.
const NO_NEIGHBOURS: &str = "they do not follow one another right inside of the same loops";

impl Reorder for JoinKernels {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let refused = |why| NotApplicable::NotOneLaunch(why);
        let tree = subject.tree();
        let kernels = self.kernels(subject)?;
        if kernels.len() < 2 {
            return Err(refused("the statements run in fewer than two").into());
        }
        let mut places = Vec::new();
        for kernel in &kernels {
            places.push(place(tree, kernel)?.ok_or(refused(NO_NEIGHBOURS))?);
        }
        let (sequence, first) = places[0].clone();
        let is_next = |(at, (parent, position)): (usize, &(Cursor, usize))| {
            *parent == sequence && *position == first + at
        };
        if !places.iter().enumerate().all(is_next) {
            return Err(refused(NO_NEIGHBOURS).into());
        }
        let mut children = tree.at(&sequence)?.children().to_vec();
        let joined = joined(&children[first..first + kernels.len()])?;
        let joined = joined.ok_or(refused("their blocks have different threads"))?;
        children.splice(first..first + kernels.len(), [joined]);
        let new = match children.as_slice() {
            [only] => only.children().first().cloned().unwrap_or_else(ScheduleTree::leaf),
            _ => Node::Sequence(children).into(),
        };
        Ok(tree.replace(&sequence, new)?)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        Vec::new()
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        self.stmts.iter_mut().collect()
    }
}

impl JoinKernels {
    /// The kernels that run instances of the statements, in the order of the tree.
    fn kernels(&self, subject: &Subject<'_>) -> Result<Vec<Cursor>> {
        let (scop, tree) = (subject.scop(), subject.tree());
        let mut sets = Vec::new();
        for name in &self.stmts {
            let missing = || NotApplicable::NoStatement(name.clone());
            sets.push(scop.domain_of(scop.stmt_by_name(name).ok_or_else(missing)?)?);
        }
        let instances = UnionSet::union_all(sets)?;
        let mut found = Vec::new();
        for at in tree.cursors() {
            let is_kernel =
                matches!(tree.at(&at)?.node(), Node::Mark { mark: Mark::Kernel(_), .. });
            if is_kernel && !reaching(tree, &at)?.is_disjoint(&instances)? {
                found.push(at);
            }
        }
        Ok(found)
    }
}

/// The sequence that a kernel is a child of, and its position there; none where it stands elsewhere.
fn place(tree: &ScheduleTree, kernel: &Cursor) -> Result<Option<(Cursor, usize)>> {
    let Some(filter) = kernel.parent() else { return Ok(None) };
    let Some(sequence) = filter.parent() else { return Ok(None) };
    let is_child = matches!(tree.at(&filter)?.node(), Node::Filter { .. })
        && matches!(tree.at(&sequence)?.node(), Node::Sequence(_));
    let position = filter.steps().last().copied().filter(|_| is_child);
    Ok(position.map(|position| (sequence, position)))
}

/// One kernel of several children of a sequence, each of which is one, under the filter of all; none where their blocks differ. What is in a kernel that was joined
/// before goes on beside the rest.
fn joined(children: &[ScheduleTree]) -> Result<Option<ScheduleTree>> {
    let (mut all, mut parts, mut threads) = (UnionSet::none()?, Vec::new(), None);
    for child in children {
        let Node::Filter { filter, child: kernel } = child.node() else { return Ok(None) };
        let Node::Mark { mark: Mark::Kernel(own), child: inside } = kernel.node() else {
            return Ok(None);
        };
        if threads.is_some_and(|threads| threads != *own) {
            return Ok(None);
        }
        threads = Some(*own);
        all = all.union(filter)?;
        match inside.node() {
            Node::Sequence(inner) => parts.extend(inner.iter().cloned()),
            _ => parts.push(ScheduleTree::filter(filter.clone(), inside.clone())),
        }
    }
    let Some(threads) = threads else { return Ok(None) };
    let kernel = ScheduleTree::mark(Mark::Kernel(threads), Node::Sequence(parts).into());
    Ok(Some(ScheduleTree::filter(all, kernel)))
}
