//! Does a tree respect orders that matter only under conditions?

use super::counterexample::{Broken, Counterexample, Fault, How};
use super::plan::{Concurrent, Plan, plan};
use super::relations::{Order, related};
use super::smallest;
use super::walk::{depths, within};
use super::{DEFAULT_BUDGET, Place, Verdict};
use crate::Result;
use crate::analysis::Prepared;
use farkas_poly::{Map, Set, UnionMap};
use farkas_scop::{Scop, StmtId};
use farkas_tree::ScheduleTree;

/// A relation between the instances of two statements, with tags that tell apart what its pairs are about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tagged {
    /// The statement of the sources.
    pub source: StmtId,
    /// The statement of the sinks.
    pub sink: StmtId,
    /// The pairs without tags, all of them in the domains; parameters are those of the scop, in its order.
    pub pairs: Map,
    /// The pairs with their tags, `[S[i] -> a[]] -> [T[j] -> b[]]`, or as they are where there are none.
    pub tagged: Map,
}

/// Judges `tree` against orders that matter only under conditions, within [`DEFAULT_BUDGET`]: every instance of the scop's
/// domains runs exactly once, and no node of the tree reverses a pair of `orders`, or leaves it unordered, while it, or a node around it,
/// separates source and sink of an adjacent pair of `conditions`. Two pairs are adjacent where the sink of one is the source of the
/// other, tags included. Nodes inside that one look no more at pairs that it orders or reverses. A pair of `orders` that
/// no node orders is a fault, whatever its conditions.
///
/// What conditions are for: a condition is a live range, from a write to a read; an order keeps the next write to the same
/// memory behind the read. If each live range lies within one iteration, iterations may run in any order.
///
/// **Paper** S. Verdoolaege and A. Cohen, *Live-Range Reordering*, IMPACT 2016; isl's `condition` and
/// `conditional_validity`. Ours differs: a node is a band or sequence of the tree, looked at lexicographically.
///
/// # Errors
/// As for [`check`](super::check).
pub fn check_conditional(
    scop: &Scop,
    tree: &ScheduleTree,
    conditions: &[Tagged],
    orders: &[Tagged],
) -> Result<Verdict> {
    farkas_poly::with_budget(DEFAULT_BUDGET, || {
        let prepared = Prepared::of(scop)?;
        let plan = match plan(scop, &prepared, tree)? {
            Ok(plan) => plan,
            Err(found) => return Ok(Verdict::Illegal(Box::new(found))),
        };
        let conditions = conditions.iter().map(|c| (c, c.pairs.clone())).collect();
        let orders = orders.iter().map(|o| (o, o.pairs.clone())).collect();
        match follow(&plan, &[], conditions, orders)? {
            None => Ok(Verdict::Legal),
            Some((order, pairs, place)) => {
                let found = counterexample(scop, order, &pairs, place)?;
                Ok(Verdict::Illegal(Box::new(found)))
            }
        }
    })
}

/// Relations with those of their pairs that reach a node together.
type Live<'a> = Vec<(&'a Tagged, Map)>;

/// Pairs of an order that are reversed, and where.
type Reversed<'a> = (&'a Tagged, Map, Place);

/// What a node does to pairs.
#[derive(Default)]
struct Split<'a> {
    /// Conditions whose source and sink it separates.
    apart: Live<'a>,
    /// Orders that it reverses, or whose ends may run in any order.
    reversed: Vec<Reversed<'a>>,
    /// What reaches each of its children: conditions and orders.
    below: Vec<(Live<'a>, Live<'a>)>,
}

/// The first pairs of `orders` that `plan` reverses although it, or what is around it, which did that to `torn`, separates an
/// adjacent condition.
fn follow<'a>(
    plan: &Plan,
    torn: &[(&'a Tagged, Map)],
    conditions: Live<'a>,
    orders: Live<'a>,
) -> Result<Option<Reversed<'a>>> {
    let mut left = Vec::new();
    for (order, pairs) in orders {
        if !pairs.is_empty()? {
            left.push((order, pairs));
        }
    }
    let (split, children) = match plan {
        _ if left.is_empty() => return Ok(None),
        Plan::Leaf { cursor } => {
            let place = Place::Unordered { cursor: cursor.clone() };
            return Ok(left.pop().map(|(order, pairs)| (order, pairs, place)));
        }
        Plan::Band { child, .. } => (band(plan, conditions, left)?, std::slice::from_ref(&**child)),
        Plan::Fork { children, .. } => (fork(plan, conditions, left)?, children.as_slice()),
    };
    let torn = [torn, &split.apart].concat();
    for (order, pairs, place) in split.reversed {
        let blocked = adjacent(order, &pairs, &torn)?;
        if !blocked.is_empty()? {
            return Ok(Some((order, blocked, place)));
        }
    }
    for (child, (conditions, orders)) in children.iter().zip(split.below) {
        let found = follow(child, &torn, conditions, orders)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// What a band does: its members together are one date.
fn band<'a>(plan: &Plan, conditions: Live<'a>, orders: Live<'a>) -> Result<Split<'a>> {
    let mut split = Split::default();
    let Plan::Band { cursor, concurrent, members, .. } = plan else { return Ok(split) };
    let (mut kept, mut open) = (Vec::new(), Vec::new());
    for (condition, pairs) in conditions {
        let mut same = pairs.clone();
        for dates in members {
            let (from, to) = (&dates[&condition.source].function, &dates[&condition.sink].function);
            same = related(&same, from, to, Order::Same)?;
        }
        split.apart.push((condition, pairs.subtract(&same)?));
        kept.push((condition, same));
    }
    for (order, pairs) in orders {
        let mut left = pairs;
        for (member, dates) in members.iter().enumerate() {
            let (from, to) = (&dates[&order.source].function, &dates[&order.sink].function);
            let reversed = related(&left, from, to, Order::After)?;
            let place = Place::Loop { cursor: cursor.clone(), member };
            split.reversed.push((order, reversed, place));
            if let Some(Concurrent { mark, .. }) = concurrent {
                let raced = related(&left, from, to, Order::Before)?;
                let (cursor, mark) = (cursor.clone(), mark.clone());
                split.reversed.push((order, raced, Place::Concurrent { cursor, member, mark }));
            }
            left = related(&left, from, to, Order::Same)?;
        }
        open.push((order, left));
    }
    split.below = vec![(kept, open)];
    Ok(split)
}

/// What a sequence or set node does.
fn fork<'a>(plan: &Plan, conditions: Live<'a>, orders: Live<'a>) -> Result<Split<'a>> {
    let mut split = Split::default();
    let Plan::Fork { cursor, is_sequence, of, children } = plan else { return Ok(split) };
    split.below = children.iter().map(|_| (Vec::new(), Vec::new())).collect();
    let crossings = |relation: &Tagged, pairs: &Map| -> Result<Vec<(usize, usize, Map)>> {
        let mut found = Vec::new();
        for (i, first) in &of[&relation.source] {
            let from = within(pairs, first.as_ref(), Map::intersect_domain)?;
            for (j, second) in &of[&relation.sink] {
                found.push((*i, *j, within(&from, second.as_ref(), Map::intersect_range)?));
            }
        }
        Ok(found)
    };
    for (condition, pairs) in conditions {
        for (i, j, crossing) in crossings(condition, &pairs)? {
            if i == j {
                split.below[i].0.push((condition, crossing));
            } else {
                split.apart.push((condition, crossing));
            }
        }
    }
    for (order, pairs) in orders {
        for (source, sink, crossing) in crossings(order, &pairs)? {
            if source == sink {
                split.below[source].1.push((order, crossing));
            } else if !is_sequence || source > sink {
                let (cursor, is_sequence) = (cursor.clone(), *is_sequence);
                let place = Place::Children { cursor, source, sink, is_sequence };
                split.reversed.push((order, crossing, place));
            }
        }
    }
    Ok(split)
}

/// Those of `pairs`, which are some of `order`'s, that an adjacent pair of `apart` has.
fn adjacent(order: &Tagged, pairs: &Map, apart: &[(&Tagged, Map)]) -> Result<Map> {
    let mut found = Map::empty(&pairs.space()?)?;
    if pairs.is_empty()? {
        return Ok(found);
    }
    let own = with_tags(order, pairs)?;
    let (from, to) = untagging(&order.tagged)?;
    for (condition, crossing) in apart {
        let other = with_tags(condition, crossing)?;
        let behind = own.intersect_domain(&other.range()?)?;
        let before = own.intersect_range(&other.domain()?)?;
        let both = behind.union(&before)?.apply_domain(&from)?.apply_range(&to)?;
        found = found.union(&both.extract_map(&pairs.space()?)?)?;
    }
    Ok(found)
}

/// The tagged pairs that `pairs`, some of `relation`'s, stand for.
fn with_tags(relation: &Tagged, pairs: &Map) -> Result<UnionMap> {
    let (from, to) = untagging(&relation.tagged)?;
    let lifted = from.apply_range(&pairs.to_union_map()?)?.apply_range(&to.reverse()?)?;
    Ok(relation.tagged.to_union_map()?.intersect(&lifted)?)
}

/// `[S[i] -> a[]] -> S[i]` for both ends of a relation.
fn untagging(tagged: &Map) -> Result<(UnionMap, UnionMap)> {
    let of = |end: Set| -> Result<UnionMap> {
        let space = end.space()?;
        let all = Set::universe(&space)?;
        let map = if space.is_wrapping()? { all.unwrap()?.domain_map()? } else { all.identity()? };
        Ok(map.to_union_map()?)
    };
    Ok((of(tagged.domain()?)?, of(tagged.range()?)?))
}

/// The smallest of the pairs that are out of order.
fn counterexample(
    scop: &Scop,
    order: &Tagged,
    pairs: &Map,
    place: Place,
) -> Result<Counterexample> {
    let (n_source, n_sink) = depths(pairs)?;
    let point = smallest::point(scop, &pairs.wrap()?, n_source + n_sink)?;
    let (first, second) = point.dims.split_at(n_source);
    let source = smallest::at(scop, order.source, &point.params, first)?;
    let sink = smallest::at(scop, order.sink, &point.params, second)?;
    let fault = Fault::Required(Broken { source, sink, how: How::OutOfOrder(place) });
    Ok(Counterexample { params: smallest::named(scop, &point.params), fault })
}
