//! A tree resolved for each statement, and the check that every instance runs exactly once.

use super::counterexample::{Counterexample, Fault, InstanceFault};
use super::smallest;
use crate::analysis::Prepared;
use crate::form::Form;
use crate::{Error, Result};
use farkas_poly::{PwAff, Set, UnionSet};
use farkas_scop::{ArrayId, Scop, StmtId};
use farkas_tree::{Band, Cursor, Mark, Node, ScheduleTree};
use std::collections::HashMap;

/// A subtree, with what it says of each statement whose instances reach it.
pub(crate) enum Plan {
    /// Nothing more is ordered.
    Leaf { cursor: Cursor },
    /// Loops.
    Band {
        cursor: Cursor,
        /// What makes the iterations concurrent.
        concurrent: Option<Concurrent>,
        members: Vec<HashMap<StmtId, Date>>,
        child: Box<Self>,
    },
    /// A sequence or set node.
    Fork {
        cursor: Cursor,
        is_sequence: bool,
        /// The children that take instances of a statement, with the filter where it takes not all that come.
        of: HashMap<StmtId, Vec<(usize, Option<Set>)>>,
        children: Vec<Self>,
    },
}

impl Plan {
    /// Where the node is in the tree.
    pub(crate) fn cursor(&self) -> &Cursor {
        match self {
            Self::Leaf { cursor } | Self::Band { cursor, .. } | Self::Fork { cursor, .. } => cursor,
        }
    }
}

/// What is known of a band whose iterations are concurrent.
pub(crate) struct Concurrent {
    /// The mark that makes them so.
    pub(crate) mark: Mark,
    /// The arrays that each iteration has a copy of.
    pub(crate) private: Vec<ArrayId>,
    /// The arrays that each iteration updates copies of.
    pub(crate) reduced: Vec<ArrayId>,
    /// The instances that reach the band.
    pub(crate) active: Active,
}

/// The date of a statement's instances in one loop.
pub(crate) struct Date {
    pub(crate) function: PwAff,
    pub(crate) form: Option<Form>,
}

/// A plan, or what is wrong with the instances.
pub(crate) type Planned = std::result::Result<Plan, Counterexample>;

/// The instances of a statement that reach a node: some of the domain, or all (`None`).
pub(crate) type Active = Vec<(StmtId, Option<Set>)>;

/// The marks right above a node that hold for a band there.
#[derive(Clone, Default)]
struct Above {
    /// What makes its iterations concurrent.
    concurrent: Option<Mark>,
    /// The arrays that each iteration has a copy of.
    private: Vec<ArrayId>,
    /// The arrays that each iteration updates copies of.
    reduced: Vec<ArrayId>,
}

/// Resolves `tree`, provided that it runs every instance of `scop` exactly once.
pub(crate) fn plan(scop: &Scop, prepared: &Prepared, tree: &ScheduleTree) -> Result<Planned> {
    let root = Cursor::root();
    let Node::Domain { domain, child } = tree.node() else {
        return Err(unsupported(tree, &root, "the root of a whole tree is a domain node"));
    };
    let planner = Planner {
        scop,
        prepared,
        by_name: scop.stmts().iter_enumerated().map(|(id, s)| (s.name.as_str(), id)).collect(),
    };
    if let Some(found) = planner.check_domain(domain)? {
        return Ok(Err(found));
    }
    let active = scop.stmts().ids().map(|stmt| (stmt, None)).collect();
    planner.descend(child, root.child(0), active, Above::default())
}

/// What the children of a node so far have left of a statement's instances.
enum Rest {
    Nothing,
    Some(Set),
}

/// What resolving needs.
struct Planner<'a> {
    scop: &'a Scop,
    prepared: &'a Prepared,
    by_name: HashMap<&'a str, StmtId>,
}

impl Planner<'_> {
    /// The domain node holds just the instances of the scop.
    fn check_domain(&self, domain: &UnionSet) -> Result<Option<Counterexample>> {
        let mut unknown: Option<String> = None;
        let mut held: HashMap<StmtId, Set> = HashMap::new();
        domain.for_each_set(|set| {
            let name = set.tuple_name().unwrap_or_default();
            match self.by_name.get(name.as_str()) {
                Some(stmt) => drop(held.insert(*stmt, set)),
                None if set.intersect_params(self.scop.context())?.is_empty()? => {}
                None => {
                    let least = unknown.take().map_or(name.clone(), |other| other.min(name));
                    unknown = Some(least);
                }
            }
            Ok(())
        })?;
        if let Some(name) = unknown {
            let fault = Fault::UnknownStatement { name };
            return Ok(Some(Counterexample { params: Vec::new(), fault }));
        }
        for (stmt, own) in self.prepared.domains.iter_enumerated() {
            let held = match held.get(&stmt) {
                Some(held) => held.intersect_params(self.scop.context())?,
                None => Set::empty(&own.space()?)?,
            };
            if held.is_equal(own)? {
                continue;
            }
            let root = Cursor::root();
            let missing = own.subtract(&held)?;
            if let Some(found) = self.fault(stmt, &missing, &root, InstanceFault::NeverRuns)? {
                return Ok(Some(found));
            }
            let added = held.subtract(own)?;
            if let Some(found) = self.fault(stmt, &added, &root, InstanceFault::NotInScop)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The counterexample of `faulty` instances, if there are any.
    fn fault(
        &self,
        stmt: StmtId,
        faulty: &Set,
        cursor: &Cursor,
        fault: InstanceFault,
    ) -> Result<Option<Counterexample>> {
        if faulty.is_empty()? {
            return Ok(None);
        }
        smallest::instance(self.scop, stmt, faulty, cursor, fault).map(Some)
    }

    /// The instances that `some` are.
    fn instances<'b>(&'b self, stmt: StmtId, some: &'b Option<Set>) -> &'b Set {
        some.as_ref().unwrap_or(&self.prepared.domains[stmt])
    }

    /// Resolves `tree`, which just the instances `active` reach, under marks for a band right below.
    fn descend(
        &self,
        tree: &ScheduleTree,
        cursor: Cursor,
        active: Active,
        above: Above,
    ) -> Result<Planned> {
        let below = cursor.child(0);
        match tree.node() {
            Node::Leaf => Ok(Ok(Plan::Leaf { cursor })),
            Node::Mark { mark, child } => {
                let above = self.under(tree, mark, &cursor, above)?;
                self.descend(child, below, active, above)
            }
            Node::Band { band, child } => {
                let members = match self.members(band, &cursor, &active)? {
                    Ok(members) => members,
                    Err(found) => return Ok(Err(found)),
                };
                let Above { concurrent, private, reduced } = above;
                let has_copies = !private.is_empty() || !reduced.is_empty();
                if has_copies && (concurrent.is_none() || members.len() != 1) {
                    return Err(unsupported(
                        tree,
                        &cursor,
                        "private copies are for the one loop that a mark makes parallel",
                    ));
                }
                let concurrent = concurrent.map(|mark| {
                    let active = active.clone();
                    Concurrent { mark, private, reduced, active }
                });
                let child = self.descend(child, below, active, Above::default())?;
                Ok(child.map(|child| Plan::Band {
                    cursor,
                    concurrent,
                    members,
                    child: Box::new(child),
                }))
            }
            Node::Filter { filter, child } => {
                for (stmt, some) in &active {
                    let instances = self.instances(*stmt, some);
                    let kept = filter.extract_set(&instances.space()?)?;
                    if let Some(found) = self.lost(*stmt, instances, &kept, &cursor)? {
                        return Ok(Err(found));
                    }
                }
                self.descend(child, below, active, Above::default())
            }
            Node::Context { context: condition, child }
            | Node::Guard { guard: condition, child } => {
                if !condition.space()?.is_params()? {
                    return Err(unsupported(tree, &cursor, "it speaks of outer dates"));
                }
                for (stmt, some) in &active {
                    let instances = self.instances(*stmt, some);
                    let kept = instances.intersect_params(condition)?;
                    if let Some(found) = self.lost(*stmt, instances, &kept, &cursor)? {
                        return Ok(Err(found));
                    }
                }
                self.descend(child, below, active, Above::default())
            }
            Node::Sequence(children) => self.fork(children, cursor, active, true),
            Node::Set(children) => self.fork(children, cursor, active, false),
            Node::Domain { .. } | Node::Extension { .. } | Node::Expansion { .. } => {
                Err(unsupported(tree, &cursor, "it changes the instances"))
            }
        }
    }

    /// The marks for the band below `mark`, which stands below others.
    fn under(
        &self,
        tree: &ScheduleTree,
        mark: &Mark,
        cursor: &Cursor,
        above: Above,
    ) -> Result<Above> {
        match mark {
            // A loop may run on threads and in lanes.
            Mark::Vector if above.concurrent == Some(Mark::Parallel) => Ok(above),
            Mark::Parallel | Mark::Vector | Mark::Blocks(_) | Mark::Threads(_) => {
                Ok(Above { concurrent: Some(mark.clone()), ..above })
            }
            Mark::Private(names) => {
                let private = self.named(names, tree, cursor)?;
                Ok(Above { private: [above.private, private].concat(), ..above })
            }
            Mark::Reduce(names) => {
                let reduced = self.named(names, tree, cursor)?;
                Ok(Above { reduced: [above.reduced, reduced].concat(), ..above })
            }
            _ => Ok(above),
        }
    }

    /// The arrays that a mark names.
    fn named(
        &self,
        names: &[String],
        tree: &ScheduleTree,
        cursor: &Cursor,
    ) -> Result<Vec<ArrayId>> {
        let arrays = self.scop.arrays();
        let found = |name: &String| {
            arrays.iter_enumerated().find(|(_, a)| a.name == *name).map(|(id, _)| id)
        };
        let arrays: Option<Vec<ArrayId>> = names.iter().map(found).collect();
        arrays.ok_or_else(|| unsupported(tree, cursor, "it names an array that is not there"))
    }

    /// The counterexample when some of `instances` are not in `kept`.
    fn lost(
        &self,
        stmt: StmtId,
        instances: &Set,
        kept: &Set,
        cursor: &Cursor,
    ) -> Result<Option<Counterexample>> {
        if kept.plain_is_universe()? || instances.is_subset(kept)? {
            return Ok(None);
        }
        self.fault(stmt, &instances.subtract(kept)?, cursor, InstanceFault::NeverRuns)
    }

    /// The members of a band, which date all instances.
    fn members(
        &self,
        band: &Band,
        cursor: &Cursor,
        active: &Active,
    ) -> Result<std::result::Result<Vec<HashMap<StmtId, Date>>, Counterexample>> {
        let mut members = Vec::new();
        for member in &band.members {
            let mut dates = HashMap::new();
            for (stmt, some) in active {
                let instances = self.instances(*stmt, some);
                let function = member.schedule.extract_pw_aff(&instances.space()?)?;
                let function = function.align_params(&self.prepared.params)?;
                let dated = function.domain()?;
                if let Some(found) = self.lost(*stmt, instances, &dated, cursor)? {
                    return Ok(Err(found));
                }
                let form = Form::of(&function)?;
                dates.insert(*stmt, Date { function, form });
            }
            members.push(dates);
        }
        Ok(Ok(members))
    }

    /// A sequence or set node, whose children take each instance once.
    fn fork(
        &self,
        children: &[ScheduleTree],
        cursor: Cursor,
        active: Active,
        is_sequence: bool,
    ) -> Result<Planned> {
        let active: HashMap<StmtId, Option<Set>> = active.into_iter().collect();
        let mut left: HashMap<StmtId, Rest> = HashMap::new();
        let mut of: HashMap<StmtId, Vec<(usize, Option<Set>)>> = HashMap::new();
        let mut below: Vec<Active> = Vec::new();
        for (i, child) in children.iter().enumerate() {
            let here = cursor.child(i);
            let Node::Filter { filter, .. } = child.node() else {
                return Err(unsupported(child, &here, "it must be a filter here"));
            };
            let mut taken: Active = Vec::new();
            for (stmt, filter) in self.by_stmt(filter)? {
                let Some(some) = active.get(&stmt) else { continue };
                let instances = self.instances(stmt, some);
                let is_whole = filter.plain_is_universe()? || instances.is_subset(&filter)?;
                let part = if is_whole { None } else { Some(instances.intersect(&filter)?) };
                if part.as_ref().map_or(Ok(false), Set::is_empty)? {
                    continue;
                }
                if let Some(found) = self.take(stmt, instances, &part, &mut left, &here)? {
                    return Ok(Err(found));
                }
                of.entry(stmt).or_default().push((i, (!is_whole).then_some(filter)));
                taken.push((stmt, if is_whole { some.clone() } else { part }));
            }
            below.push(taken);
        }
        for stmt in self.scop.stmts().ids() {
            let Some(some) = active.get(&stmt) else { continue };
            let rest = match left.get(&stmt) {
                Some(Rest::Nothing) => continue,
                Some(Rest::Some(rest)) => rest,
                None => self.instances(stmt, some),
            };
            if let Some(found) = self.fault(stmt, rest, &cursor, InstanceFault::NeverRuns)? {
                return Ok(Err(found));
            }
        }
        let mut plans = Vec::new();
        for ((i, child), taken) in children.iter().enumerate().zip(below) {
            let Node::Filter { child, .. } = child.node() else { continue };
            match self.descend(child, cursor.child(i).child(0), taken, Above::default())? {
                Ok(plan) => plans.push(plan),
                Err(found) => return Ok(Err(found)),
            }
        }
        Ok(Ok(Plan::Fork { cursor, is_sequence, of, children: plans }))
    }

    /// Takes `part` of `instances` (all for `None`) from what is `left` of them; the counterexample when it was taken
    /// before.
    fn take(
        &self,
        stmt: StmtId,
        instances: &Set,
        part: &Option<Set>,
        left: &mut HashMap<StmtId, Rest>,
        here: &Cursor,
    ) -> Result<Option<Counterexample>> {
        let part = part.as_ref();
        let (again, rest) = match (left.get(&stmt), part) {
            (None, None) => (None, Rest::Nothing),
            (None, Some(part)) => (None, Rest::Some(instances.subtract(part)?)),
            (Some(Rest::Nothing), part) => (Some(part.unwrap_or(instances).clone()), Rest::Nothing),
            (Some(Rest::Some(rest)), part) => {
                let part = part.unwrap_or(instances);
                (Some(part.subtract(rest)?), Rest::Some(rest.subtract(part)?))
            }
        };
        left.insert(stmt, rest);
        match again {
            None => Ok(None),
            Some(again) => self.fault(stmt, &again, here, InstanceFault::RunsTwice),
        }
    }

    /// What `filter` keeps of each statement that it names, by statement.
    fn by_stmt(&self, filter: &UnionSet) -> Result<Vec<(StmtId, Set)>> {
        let mut sets = Vec::new();
        filter.for_each_set(|set| {
            let stmt = set.tuple_name().and_then(|name| self.by_name.get(name.as_str()).copied());
            sets.extend(stmt.map(|stmt| (stmt, set)));
            Ok(())
        })?;
        sets.sort_by_key(|(stmt, _)| *stmt);
        Ok(sets)
    }
}

/// The error that `tree` cannot be judged.
fn unsupported(tree: &ScheduleTree, cursor: &Cursor, reason: &'static str) -> Error {
    Error::Unsupported { kind: tree.kind(), cursor: cursor.clone(), reason }
}
