//! What copies an expanded array's elements back, put into the loops around the array's uses.

use crate::Result;
use farkas_poly::{PwAff, UnionPwAff, UnionSet};
use farkas_scop::{Access, ArrayScope, AssignOp, BodyStmt, Expr, Scop, Statement, StmtId};
use farkas_tree::{Band, Member, Node, ScheduleTree};

/// The statements of a scop that copy back what expanded arrays hold: nothing uses what they write.
pub fn copies_back(scop: &Scop) -> Vec<StmtId> {
    let scope = |access: &Access| scop.arrays()[access.array].scope;
    let copies = |stmt: &Statement| {
        let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }] =
            stmt.body.as_slice()
        else {
            return false;
        };
        let reads = matches!(value, Expr::Access(read) if scope(&stmt.accesses[*read]) == ArrayScope::Expanded);
        // The user's own statements have places in the source.
        let is_own = |scope| matches!(scope, ArrayScope::Expanded | ArrayScope::Buffer);
        stmt.span.is_none() && reads && !is_own(scope(&stmt.accesses[*target]))
    };
    scop.stmts().iter_enumerated().filter(|(_, stmt)| copies(stmt)).map(|(id, _)| id).collect()
}

/// Putting copies into loops.
pub(super) struct Inside<'a> {
    pub(super) copies: &'a UnionSet,
    pub(super) copied: &'a ScheduleTree,
    /// The copies' dates in the loops that are still to come.
    pub(super) added: std::collections::VecDeque<Vec<PwAff>>,
}

impl Inside<'_> {
    /// The subtree, which these instances reach, with the copies after all uses.
    pub(super) fn below(
        &mut self,
        tree: &ScheduleTree,
        uses: &UnionSet,
        reach: &UnionSet,
    ) -> Result<ScheduleTree> {
        match tree.node() {
            Node::Sequence(children) if self.added.is_empty() => {
                let copies = ScheduleTree::filter(self.copies.clone(), self.copied.clone());
                Ok(tree.with_children(children.iter().cloned().chain([copies]).collect()))
            }
            Node::Mark { .. } => match tree.children() {
                [child] => Ok(tree.with_children(vec![self.below(child, uses, reach)?])),
                _ => Ok(tree.clone()),
            },
            _ if self.added.is_empty() => {
                let children = vec![(reach.clone(), tree.clone())];
                let copies = (self.copies.clone(), self.copied.clone());
                Ok(ScheduleTree::sequence(children.into_iter().chain([copies]).collect()))
            }
            Node::Band { band, child } => {
                let mut members = Vec::new();
                for member in &band.members {
                    let own = self.added.pop_front().unwrap_or_default();
                    let known = member.schedule.pw_affs()?;
                    let schedule = UnionPwAff::union_all(known.into_iter().chain(own))?;
                    members.push(Member { schedule, ..member.clone() });
                }
                let child = self.below(child, uses, reach)?;
                Ok(ScheduleTree::band(Band { members, ..band.clone() }, child))
            }
            Node::Sequence(children) | Node::Set(children) => {
                let mut new = Vec::new();
                for child in children {
                    new.push(match child.node() {
                        Node::Filter { filter, child } if uses.is_subset(filter)? => {
                            let inside = self.below(child, uses, &reach.intersect(filter)?)?;
                            ScheduleTree::filter(filter.union(self.copies)?, inside)
                        }
                        _ => child.clone(),
                    });
                }
                Ok(tree.with_children(new))
            }
            _ => match tree.children() {
                [child] => Ok(tree.with_children(vec![self.below(child, uses, reach)?])),
                _ => Ok(tree.clone()),
            },
        }
    }
}
