//! Which loops may build a sum from several partial sums.

use crate::{Result, StmtRows, StrideModel};
use farkas_base::Id as _;
use farkas_scop::{AccessId, Scop, StmtId, Stride, Sum};
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

/// Splits off the innermost member of every innermost band and marks it [`Mark::PartialSums`] where one statement adds
/// neighbouring elements up into one element along it. The order of the sums is not kept then: only for users who say so.
///
/// The only dependences between iterations of such a loop are those of the sum, since its statement writes nothing else
/// and reads that element nowhere else.
///
/// # Errors
/// When isl refuses.
pub fn mark_partial_sums(
    scop: &Scop,
    tree: &ScheduleTree,
    strides: &StrideModel,
) -> Result<ScheduleTree> {
    Marker { scop, strides }.below(tree, &mut Vec::new())
}

/// A descent into a tree.
struct Marker<'a> {
    scop: &'a Scop,
    strides: &'a StrideModel,
}

impl Marker<'_> {
    /// As [`mark_partial_sums`]; `outer` holds the members around `tree`.
    fn below(&self, tree: &ScheduleTree, outer: &mut Vec<Member>) -> Result<ScheduleTree> {
        match tree.node() {
            Node::Mark { mark: Mark::Shaped | Mark::Vector, .. } => Ok(tree.clone()),
            Node::Band { band, child } => {
                let depth = outer.len();
                outer.extend(band.members.iter().cloned());
                let result = if child.contains_band() {
                    Ok(tree.with_children(vec![self.below(child, outer)?]))
                } else {
                    self.innermost(tree, band, child, outer)
                };
                outer.truncate(depth);
                result
            }
            _ => {
                let children = tree.children().iter().map(|c| self.below(c, outer));
                Ok(tree.with_children(children.collect::<Result<_>>()?))
            }
        }
    }

    /// An innermost band, whose members are the last ones of `outer`.
    fn innermost(
        &self,
        tree: &ScheduleTree,
        band: &Band,
        child: &ScheduleTree,
        outer: &[Member],
    ) -> Result<ScheduleTree> {
        let carries = band.members.last().is_some_and(|member| !member.coincident);
        if !carries || !matches!(child.node(), Node::Leaf) || !self.adds_up(outer)? {
            return Ok(tree.clone());
        }
        let mut members = band.members.clone();
        let last: Vec<Member> = members.pop().into_iter().collect();
        let sums = Band { members: last, permutable: band.permutable };
        let sums = ScheduleTree::mark(Mark::PartialSums, ScheduleTree::band(sums, child.clone()));
        Ok(match members.is_empty() {
            true => sums,
            false => ScheduleTree::band(Band { members, permutable: band.permutable }, sums),
        })
    }

    /// Whether the innermost of `loops` adds neighbouring elements up into one.
    fn adds_up(&self, loops: &[Member]) -> Result<bool> {
        let Some(stmts) = self.strides.rows_of(loops)? else { return Ok(false) };
        let [(stmt, rows)] = stmts.as_slice() else { return Ok(false) };
        let Some(sum) = self.scop.stmts()[*stmt].sum() else { return Ok(false) };
        Ok(self.is_smooth((*stmt, rows.clone()), sum) && self.is_alone(*stmt, sum)?)
    }

    /// Whether the sum stays at its element along the innermost of the loops and no other access jumps.
    fn is_smooth(&self, (stmt, rows): StmtRows, sum: Sum<'_>) -> bool {
        let innermost = rows.len().checked_sub(1);
        let along = innermost.and_then(|last| self.strides.strides(stmt, &rows, last));
        along.is_some_and(|strides| {
            let of = |at: AccessId| strides.get(at.index());
            of(sum.target) == Some(&Stride::Invariant) && !strides.contains(&Stride::Strided)
        })
    }

    /// Whether no other access of an instance is to the element that it adds to.
    fn is_alone(&self, stmt: StmtId, sum: Sum<'_>) -> Result<bool> {
        let stmt = &self.scop.stmts()[stmt];
        let target = &stmt.accesses[sum.target];
        for (at, access) in stmt.accesses.iter_enumerated() {
            if at == sum.target || at == sum.read || access.array != target.array {
                continue;
            }
            let both = access.relation.intersect(&target.relation)?;
            if !both.intersect_domain(&stmt.domain)?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
