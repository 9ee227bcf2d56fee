//! Producers that share loops with the only reader of what they write.

use crate::plan::Draft;
use crate::updates::together;
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result};
use farkas_deps::{Dependence, DependenceKind, Dependences};
use farkas_poly::{DimType, MultiUnionPwAff, Set, UnionMap, UnionSet};
use farkas_scop::{Access, AccessKind, Scop, StmtId};
use farkas_steps::{Fuse, LoopAddress, Shift, Step, reaching};
use farkas_tree::{Cursor, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Neighbouring loops of which the second alone reads what the first writes, as one loop, where each iteration of the second may follow that
/// of the first: from outside in, until there are none. Values are used soon then, and small buffers may take the place of arrays.
///
/// **Paper**: *A priori loop nest normalization*, section 5.1: the fusion of one-to-one relations of producers and consumers behind the
/// normal form. That loops are shared by what they read, too, is not in it.
///
/// **Steps**: `shift` and `fuse`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FuseProducers {
    /// Whether loops are shared, too, that read the same elements a fixed number of iterations apart.
    #[serde(default)]
    pub shared_reads: bool,
}

impl Plans for FuseProducers {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let mut draft = Draft::new(view.program, Some(deps));
        // What was looked at comes before the rest of the tree, and stays as it is.
        let mut n_done = 0;
        while let Some(here) = draft.tree().cursors().get(n_done).cloned() {
            let (scop, tree) = (draft.scop(), draft.tree());
            let neighbours =
                Neighbours { scop, tree, deps, sequence: &here, shared_reads: self.shared_reads };
            let Some(Fusion { steps, stmts }) = neighbours.fusion()? else {
                n_done += 1;
                continue;
            };
            if draft.attempt(|draft| steps.into_iter().try_for_each(|step| draft.apply(step)))? {
                let text = "neighbours share a loop: values are used soon".to_owned();
                remarks.push(Remark { pass: "fuse-producers", stmts, text });
            } else {
                n_done += 1;
            }
        }
        Ok(Proposal::Steps(draft.plan(view.tree())))
    }
}

/// What makes one loop of two.
struct Fusion {
    steps: Vec<Step>,
    stmts: Vec<String>,
}

/// A loop of a sequence.
#[derive(Clone)]
pub(super) struct Part {
    /// Its band, whose first member it is.
    pub(super) at: Cursor,
    pub(super) member: Member,
    pub(super) instances: UnionSet,
    pub(super) stmts: BTreeSet<StmtId>,
}

impl Part {
    /// The loop that a child of a sequence is, if it is one.
    pub(super) fn of(scop: &Scop, tree: &ScheduleTree, child: &Cursor) -> Result<Option<Self>> {
        let Node::Filter { child: inside, .. } = tree.at(child)?.node() else {
            return Ok(None);
        };
        let Node::Band { band, .. } = inside.node() else { return Ok(None) };
        let Some(member) = band.members.first().cloned() else { return Ok(None) };
        // Filters may name statements that never run.
        let at = child.child(0);
        let instances = reaching(tree, &at)?;
        let mut stmts = BTreeSet::new();
        for (id, stmt) in scop.stmts().iter_enumerated() {
            if !instances.extract_set(&stmt.domain.space()?)?.is_empty()? {
                stmts.insert(id);
            }
        }
        Ok(Some(Self { at, member, instances, stmts }))
    }
}

/// The children of a sequence, if it is one.
pub(super) struct Neighbours<'a> {
    pub(super) scop: &'a Scop,
    pub(super) tree: &'a ScheduleTree,
    pub(super) deps: &'a Dependences,
    pub(super) sequence: &'a Cursor,
    pub(super) shared_reads: bool,
}

impl Neighbours<'_> {
    /// The first two that may share a loop.
    fn fusion(&self) -> Result<Option<Fusion>> {
        let (Node::Sequence(children) | Node::Set(children)) = self.tree.at(self.sequence)?.node()
        else {
            return Ok(None);
        };
        let mut parts = Vec::new();
        for child in 0..children.len() {
            parts.push(Part::of(self.scop, self.tree, &self.sequence.child(child))?);
        }
        for pair in parts.windows(2) {
            if let [Some(first), Some(second)] = pair
                && let Some(fusion) = self.fused(first, second)?
            {
                return Ok(Some(fusion));
            }
        }
        Ok(None)
    }

    /// What makes one loop of two, where iterations of the second can follow those of the first that they wait for.
    fn fused(&self, first: &Part, second: &Part) -> Result<Option<Fusion>> {
        let is_only_reader = self.is_only_reader(first, second);
        let may_share = self.shared_reads && self.have_shared_reads(first, second);
        if !is_only_reader && !may_share {
            return Ok(None);
        }
        let together = together(self.tree, self.sequence, 0)?;
        let least = match self.least_distance(&together, first, second)? {
            Distance::Unlimited => return Ok(None),
            Distance::None => None,
            Distance::AtLeast(least) => Some(least),
        };
        let apart = match least {
            Some(least) if is_only_reader => Some(least),
            _ if self.shared_reads => self.reuse_distance(&together, first, second)?,
            _ => None,
        };
        let Some(apart) = apart.filter(|apart| least.is_none_or(|least| *apart <= least)) else {
            return Ok(None);
        };
        let name = |stmt: &StmtId| self.scop.stmts()[*stmt].name.clone();
        let mut steps = Vec::new();
        for stmt in second.stmts.iter().filter(|_| apart != 0) {
            let at = LoopAddress::of_stmt(name(stmt), second.at.clone(), 0);
            steps.push(Step::Shift(Shift { at, by: apart.saturating_neg().to_string() }));
        }
        let loops = [first, second].map(|part| LoopAddress::member(part.at.clone(), 0));
        steps.push(Step::Fuse(Fuse { loops: loops.into() }));
        let stmts = first.stmts.iter().chain(&second.stmts).map(name).collect();
        Ok(Some(Fusion { steps, stmts }))
    }

    /// Whether the second alone reads what the first writes, and does.
    fn is_only_reader(&self, first: &Part, second: &Part) -> bool {
        let leaves = |dep: &&Dependence| {
            dep.kind == DependenceKind::Flow
                && first.stmts.contains(&dep.source)
                && !first.stmts.contains(&dep.sink)
        };
        let mut readers = self.deps.deps.iter().filter(leaves).map(|dep| dep.sink).peekable();
        readers.peek().is_some() && readers.all(|reader| second.stmts.contains(&reader))
    }

    /// Whether each iteration of the second that must come after one of the first is the same one, within one iteration of the loops around.
    pub(super) fn keep_in_step(
        &self,
        together: &UnionMap,
        first: &Part,
        second: &Part,
    ) -> Result<bool> {
        for dep in self.deps.deps.iter().filter(|dep| dep.is_order()) {
            if !first.stmts.contains(&dep.source) || !second.stmts.contains(&dep.sink) {
                continue;
            }
            let pairs = together.intersect(&dep.relation.to_union_map()?)?;
            for distances in distances(&pairs, first, second)? {
                if !distances.is_subset(&distances.fix_si(DimType::SET, 0, 0)?)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// By how many iterations the second is at least behind the first where it must come later, within one iteration of the loops around.
    fn least_distance(&self, together: &UnionMap, first: &Part, second: &Part) -> Result<Distance> {
        let mut least = Distance::None;
        for dep in self.deps.deps.iter().filter(|dep| dep.is_order()) {
            if !first.stmts.contains(&dep.source) || !second.stmts.contains(&dep.sink) {
                continue;
            }
            let pairs = together.intersect(&dep.relation.to_union_map()?)?;
            for distances in distances(&pairs, first, second)? {
                let Some(own) = distances.dim_min_val(0)?.to_small_int()? else {
                    return Ok(Distance::Unlimited);
                };
                least = Distance::AtLeast(match least {
                    Distance::AtLeast(least) => least.min(own),
                    _ => own,
                });
            }
        }
        Ok(least)
    }

    /// By how many iterations the second is behind the first where it reads an element that the first reads, where that is always the
    /// same number for some reference.
    fn reuse_distance(
        &self,
        together: &UnionMap,
        first: &Part,
        second: &Part,
    ) -> Result<Option<i64>> {
        for (own, other) in self.shared(first, second) {
            let pairs = own.relation.apply_range(&other.relation.reverse()?)?.to_union_map()?;
            let pairs = pairs.intersect(together)?;
            let mut found = BTreeSet::new();
            for distances in distances(&pairs, first, second)? {
                let ends = [distances.dim_min_val(0)?, distances.dim_max_val(0)?];
                for end in ends {
                    found.insert(end.to_small_int()?);
                }
            }
            if let [Some(distance)] = found.into_iter().collect::<Vec<_>>()[..] {
                return Ok(Some(distance));
            }
        }
        Ok(None)
    }

    /// Whether two loops read one array.
    fn have_shared_reads(&self, first: &Part, second: &Part) -> bool {
        !self.shared(first, second).is_empty()
    }

    /// The reads of two loops of one array.
    fn shared(&self, first: &Part, second: &Part) -> Vec<(&Access, &Access)> {
        let reads = |part: &Part| {
            let stmts = part.stmts.iter().map(|stmt| &self.scop.stmts()[*stmt]);
            let accesses = stmts.flat_map(|stmt| stmt.accesses.iter());
            let is_read = |access: &&Access| {
                access.kind == AccessKind::Read && self.scop.arrays()[access.array].rank() > 0
            };
            accesses.filter(is_read).collect::<Vec<_>>()
        };
        let (own, others) = (reads(first), reads(second));
        let pairs = own.iter().flat_map(|own| others.iter().map(move |other| (*own, *other)));
        pairs.filter(|(own, other)| own.array == other.array).collect()
    }
}

/// How far one loop is behind another.
enum Distance {
    /// Nothing waits.
    None,
    /// By so many iterations, or more.
    AtLeast(i64),
    /// No number says how far it may be ahead.
    Unlimited,
}

/// The differences of the dates of pairs of two loops.
fn distances(pairs: &UnionMap, first: &Part, second: &Part) -> Result<Vec<Set>> {
    let pairs = pairs.apply_domain(&dates(first)?)?.apply_range(&dates(second)?)?;
    let mut found = Vec::new();
    for distances in pairs.deltas()?.sets()? {
        if !distances.is_empty()? {
            found.push(distances);
        }
    }
    Ok(found)
}

/// The dates of the instances of a loop.
fn dates(part: &Part) -> Result<UnionMap> {
    let dates = MultiUnionPwAff::from_members(std::slice::from_ref(&part.member.schedule))?;
    Ok(dates.to_union_map()?.intersect_domain(&part.instances)?)
}
