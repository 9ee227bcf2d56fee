//! Which statements share a loop over a row.

use super::Context;
use super::residual::Residual;
use crate::Result;
use farkas_poly::{MultiUnionPwAff, UnionPwAff, UnionSet};
use farkas_scop::{ArrayId, StmtId};
use farkas_tree::Member;
use std::collections::{BTreeMap, BTreeSet};

/// The statements of a band, whose members after all around them are `loops`, in groups that have a loop over the row each and may run
/// one after another.
///
/// A dependence from one place of a row to another keeps two statements apart: their loop would carry it. Others share a loop where
/// they run at the same dates, so that it needs no condition, and touch a common array: what one hands to the other then stays in a
/// register, and what both read is loaded once.
///
/// **Source** typed fusion: Kennedy and McKinley, "Typed Fusion with Applications to Parallel and Sequential Code Generation" (1993); a type
/// is a set of dates.
///
/// # Errors
/// When isl refuses.
pub(super) fn fused(
    context: &Context<'_>,
    instances: &UnionSet,
    loops: &[Member],
    residual: &Residual,
) -> Result<Vec<BTreeSet<StmtId>>> {
    let groups = residual.groups();
    let schedules: Vec<UnionPwAff> = loops.iter().map(|member| member.schedule.clone()).collect();
    let all_dates = MultiUnionPwAff::from_members(&schedules)?.to_union_map()?;
    let mut dates = BTreeMap::new();
    for stmt in groups.iter().flatten() {
        let run = instances.extract_set(&context.scop.stmts()[*stmt].domain.space()?)?;
        dates.insert(*stmt, run.to_union_set()?.apply(&all_dates)?);
    }
    let arrays: Vec<BTreeSet<ArrayId>> =
        groups.iter().map(|group| touched(context, group)).collect();
    let mut pairs = BTreeMap::new();
    for (b, other) in groups.iter().enumerate() {
        for (a, group) in groups.iter().enumerate().take(b) {
            let mut fits = !residual.moves_between(group, other);
            for (stmt, next) in group.iter().flat_map(|s| other.iter().map(move |o| (s, o))) {
                fits = fits && dates[stmt].is_equal(&dates[next])?;
            }
            pairs.insert((a, b), Pair { fits, shares: !arrays[a].is_disjoint(&arrays[b]) });
        }
    }
    let runs = in_runs(groups.len(), &pairs, &|a, b| residual.leads(&groups[a], &groups[b]));
    let join = |run: &Vec<usize>| run.iter().flat_map(|at| groups[*at].iter().copied()).collect();
    Ok(runs.iter().map(join).collect())
}

/// Two groups.
#[derive(Clone, Copy)]
struct Pair {
    /// They may be in one loop.
    fits: bool,
    /// They touch a common array.
    shares: bool,
}

/// The arrays that statements touch.
fn touched(context: &Context<'_>, group: &BTreeSet<StmtId>) -> BTreeSet<ArrayId> {
    let accesses = group.iter().flat_map(|stmt| &context.scop.stmts()[*stmt].accesses);
    accesses.map(|access| access.array).collect()
}

/// `n` groups in runs, each of which has a loop: as many as fit are in one, in an order that `leads`, from a group to one after it, asks
/// for. Groups that nothing fits go first, since others may wait for them.
fn in_runs(
    n: usize,
    pairs: &BTreeMap<(usize, usize), Pair>,
    leads: &dyn Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let pair = |a: usize, b: usize| pairs[&(a.min(b), a.max(b))];
    let mut left: Vec<usize> = (0..n).collect();
    let mut runs = Vec::new();
    while !left.is_empty() {
        let is_ready = |at: &usize| !left.iter().any(|other| other != at && leads(*other, *at));
        let is_alone = |at: &usize| {
            let joins = |other: &&usize| {
                *other != at && pair(*at, **other).fits && pair(*at, **other).shares
            };
            !left.iter().any(|other| joins(&other))
        };
        let ready: Vec<usize> = left.iter().copied().filter(is_ready).collect();
        let first = ready.iter().find(|at| is_alone(at)).or(ready.first()).or(left.first());
        let Some(first) = first.copied() else { break };
        let mut run = vec![first];
        left.retain(|at| *at != first);
        while let Some(next) = left.iter().copied().find(|at| {
            !left.iter().any(|other| other != at && leads(*other, *at))
                && run.iter().all(|inside| pair(*inside, *at).fits)
                && run.iter().any(|inside| pair(*inside, *at).shares)
        }) {
            run.push(next);
            left.retain(|at| *at != next);
        }
        runs.push(run);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runs of groups with these dependences, of which those of one kind fit and share, but for some pairs.
    fn runs(kinds: &[u8], leads: &[(usize, usize)], apart: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let n = kinds.len();
        let of = |a: usize, b: usize| {
            let fits = kinds[a] == kinds[b] && !apart.contains(&(a, b));
            Pair { fits, shares: true }
        };
        let pairs = (0..n).flat_map(|b| (0..b).map(move |a| (a, b)));
        let pairs = pairs.map(|(a, b)| ((a, b), of(a, b))).collect();
        in_runs(n, &pairs, &|a, b| leads.contains(&(a, b)))
    }

    #[test]
    fn what_fits_shares_a_loop() {
        assert_eq!(runs(&[0, 0, 0], &[(0, 1), (1, 2)], &[]), [vec![0, 1, 2]]);
    }

    #[test]
    fn what_moves_along_the_row_does_not() {
        assert_eq!(runs(&[0, 0, 0], &[(0, 1), (1, 2)], &[(0, 1)]), [vec![0], vec![1, 2]]);
        assert_eq!(runs(&[0, 0, 0], &[(0, 2), (1, 2)], &[(0, 2)]), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn what_others_wait_for_goes_first() {
        // Sums into what another kind of loop sets before.
        assert_eq!(runs(&[0, 1, 0], &[(0, 2), (1, 2)], &[]), [vec![1], vec![0, 2]]);
    }

    #[test]
    fn a_statement_between_two_others_parts_them() {
        assert_eq!(runs(&[0, 1, 0], &[(0, 1), (1, 2)], &[]), [vec![0], vec![1], vec![2]]);
    }
}
