//! Copies of arrays for the iterations of concurrent loops.

use crate::planner::{Plans, Proposal, Setting, View};
use crate::{Remark, Result};
use farkas_deps::Dependences;
use farkas_deps::legality::{Privatisation, privatisations};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Cursor, Mark, Node, OneThread, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the pass in remarks.
const PASS: &str = "private";

/// Copies of temporaries for the iterations of parallel loops, where live ranges may be in another order: [`privatise`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivateCopies {}

impl Plans for PrivateCopies {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Setting { scop, deps, keeps_all, .. } = view.setting;
        if keeps_all {
            return Ok(Proposal::Nothing);
        }
        Ok(Proposal::Order(privatise(scop, deps, view.tree(), remarks)?))
    }
}

/// The tree with copies of the temporaries whose dependences its concurrent loops carry, and without the marks of loops
/// for which there can be no copies. Other loops that carry some are not called coincident.
///
/// # Errors
/// When isl refuses or its budget is used up.
fn privatise(
    scop: &Scop,
    deps: &Dependences,
    tree: &ScheduleTree,
    remarks: &mut Vec<Remark>,
) -> Result<ScheduleTree> {
    let mut loops = Vec::new();
    for found in privatisations(scop, deps, tree)? {
        let Privatisation { cursor, member, is_marked, arrays, obstacles } = found;
        let names = arrays.iter().map(|array| scop.arrays()[*array].name.clone()).collect();
        for obstacle in &obstacles {
            let text = format!("a loop runs in order: {obstacle}");
            remarks.push(Remark { pass: PASS, stmts: stmts_below(scop, tree, &cursor), text });
        }
        let private = (is_marked && obstacles.is_empty()).then_some(names);
        // Those of a loop that nobody marked stop nothing that was decided.
        let obstacles = obstacles.iter().filter(|_| is_marked).map(ToString::to_string).collect();
        loops.push(LoopCopies { cursor, member, private, obstacles });
    }
    mark_private(tree, &loops)
}

/// The statements that the band at `cursor` dates.
fn stmts_below(scop: &Scop, tree: &ScheduleTree, cursor: &Cursor) -> Vec<String> {
    let Node::Band { band, .. } = (match tree.at(cursor) {
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

/// What a loop that is called coincident gets.
#[derive(Clone, PartialEq, Eq, Debug)]
struct LoopCopies {
    /// Its band.
    cursor: Cursor,
    /// Its position in the band.
    member: usize,
    /// The arrays, by name, that its iterations get copies of; none where they get none although they need them.
    private: Option<Vec<String>>,
    /// Why a loop that was marked gets none.
    obstacles: Vec<String>,
}

/// Puts a [`Mark::Private`] above the bands of those `loops` that get copies. The others are not coincident any more, and
/// marks that make their iterations concurrent go away.
///
/// Legal where each iteration writes what it reads of these arrays, and nothing else reads it.
///
/// # Errors
/// When there is no such node.
fn mark_private(tree: &ScheduleTree, loops: &[LoopCopies]) -> Result<ScheduleTree> {
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
