//! Follows pairs of instances down a tree until something orders them.

use super::Place;
use super::relations::between;
use crate::{Error, Result};
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Band, Cursor, Mark, Node, ScheduleTree};

/// Pairs that a tree does not keep in order.
pub(crate) struct Violation {
    /// The pairs.
    pub(crate) pairs: Map,
    /// Where the tree fails.
    pub(crate) place: Place,
}

/// One descent: the spaces of the pair of statements.
struct Walk {
    source: farkas_poly::Space,
    sink: farkas_poly::Space,
}

/// Those of `pairs` that `tree` does not keep in order; all of them at one place of the tree.
pub(crate) fn violation(
    scop: &Scop,
    tree: &ScheduleTree,
    source: StmtId,
    sink: StmtId,
    pairs: &Map,
) -> Result<Option<Violation>> {
    let space = |s: StmtId| scop.stmts()[s].domain.space();
    let walk = Walk { source: space(source)?, sink: space(sink)? };
    walk.descend(tree, &Cursor::root(), pairs.clone(), None)
}

impl Walk {
    /// Judges `pairs`, all of whose instances reach `tree` at `here`, under a mark for the band right below.
    fn descend(
        &self,
        tree: &ScheduleTree,
        here: &Cursor,
        pairs: Map,
        mark: Option<&Mark>,
    ) -> Result<Option<Violation>> {
        if pairs.is_empty()? {
            return Ok(None);
        }
        let below = here.child(0);
        match tree.node() {
            Node::Domain { child, .. }
            | Node::Context { child, .. }
            | Node::Guard { child, .. }
            | Node::Filter { child, .. } => self.descend(child, &below, pairs, None),
            Node::Mark { mark: new, child } => {
                let concurrent = matches!(new, Mark::Parallel | Mark::Vector);
                self.descend(child, &below, pairs, if concurrent { Some(new) } else { mark })
            }
            Node::Band { band, child } => {
                let (found, left) = self.band(band, here, pairs, mark)?;
                match found {
                    Some(found) => Ok(Some(found)),
                    None => self.descend(child, &below, left, None),
                }
            }
            Node::Sequence(children) => self.children(children, here, &pairs, true),
            Node::Set(children) => self.children(children, here, &pairs, false),
            Node::Leaf => {
                let place = Place::Unordered { cursor: here.clone() };
                Ok(Some(Violation { pairs, place }))
            }
            Node::Extension { .. } | Node::Expansion { .. } => Err(Error::Unsupported {
                kind: tree.kind(),
                cursor: here.clone(),
                reason: "it changes the instances",
            }),
        }
    }

    /// The pairs that a band orders wrongly, else those that it leaves.
    fn band(
        &self,
        band: &Band,
        here: &Cursor,
        pairs: Map,
        mark: Option<&Mark>,
    ) -> Result<(Option<Violation>, Map)> {
        let mut left = pairs;
        for (member, m) in band.members.iter().enumerate() {
            let reversed = between(&left, &m.schedule, "{ [x] -> [y] : x > y }")?;
            if !reversed.is_empty()? {
                let place = Place::Loop { cursor: here.clone(), member };
                return Ok((Some(Violation { pairs: reversed, place }), left));
            }
            if let Some(mark) = mark {
                let raced = between(&left, &m.schedule, "{ [x] -> [y] : x < y }")?;
                if !raced.is_empty()? {
                    let place =
                        Place::Concurrent { cursor: here.clone(), member, mark: mark.clone() };
                    return Ok((Some(Violation { pairs: raced, place }), left));
                }
            }
            left = between(&left, &m.schedule, "{ [x] -> [x] }")?;
        }
        Ok((None, left))
    }

    /// Judges the pairs within and across the children of a sequence or set node.
    fn children(
        &self,
        children: &[ScheduleTree],
        here: &Cursor,
        pairs: &Map,
        is_sequence: bool,
    ) -> Result<Option<Violation>> {
        let filters: Vec<(Set, Set)> = children
            .iter()
            .map(|child| match child.node() {
                Node::Filter { filter, .. } => {
                    Ok((filter.extract_set(&self.source)?, filter.extract_set(&self.sink)?))
                }
                _ => Err(Error::Unsupported {
                    kind: child.kind(),
                    cursor: here.clone(),
                    reason: "the child of a sequence or set node is no filter",
                }),
            })
            .collect::<Result<_>>()?;
        for (i, (source, _)) in filters.iter().enumerate() {
            let from = pairs.intersect_domain(source)?;
            for (j, (_, sink)) in filters.iter().enumerate() {
                if is_sequence && i < j {
                    continue;
                }
                let crossing = from.intersect_range(sink)?;
                let found = if i == j {
                    self.descend(&children[i], &here.child(i), crossing, None)?
                } else if crossing.is_empty()? {
                    None
                } else {
                    let (cursor, source, sink) = (here.clone(), i, j);
                    let place = Place::Children { cursor, source, sink, is_sequence };
                    Some(Violation { pairs: crossing, place })
                };
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }
}

/// Number of instances' dimensions in source and sink.
pub(crate) fn depths(pairs: &Map) -> Result<(usize, usize)> {
    Ok((pairs.dim(DimType::In)? as usize, pairs.dim(DimType::Out)? as usize))
}
