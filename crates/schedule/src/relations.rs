//! What a schedule must respect and may wish for: dependences, or relations that somebody else computed.

use farkas_base::Id;
use farkas_deps::{
    DepId, Dependence, DependenceKind, Dependences, Hull, LiveRanges, Locality, RangeRole, Reuse,
};
use farkas_poly::Map;
use farkas_scop::{AccessId, ArrayId, Scop, StmtId};
use std::collections::BTreeSet;

/// What a relation between instances means for the schedule.
///
/// **Paper** the locality model, section 3.1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Roles {
    /// The source must come before the sink.
    pub validity: bool,
    /// A loop whose iterations divide source and sink is not parallel.
    pub coincidence: bool,
    /// Source and sink should be close, whatever the kinds of dependences that a strategy looks at.
    pub proximity: bool,
    /// Source and sink touch neighbouring elements, so that a loop that divides them should be an inner one. Their distance
    /// may be negative.
    pub spatial: bool,
}

impl Roles {
    /// The roles of both.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            validity: self.validity || other.validity,
            coincidence: self.coincidence || other.coincidence,
            proximity: self.proximity || other.proximity,
            spatial: self.spatial || other.spatial,
        }
    }
}

farkas_base::define_id!(
    /// A variable, or whatever else has live ranges that must not overlap: an array, where relations are dependences.
    pub struct RangesId("v")
);

/// What a relation has to do with live ranges.
///
/// **Paper** S. Verdoolaege and A. Cohen, *Live-Range Reordering*, IMPACT 2016.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RangeRoles {
    /// The variables whose live ranges it keeps apart, where it does nothing else: a band that has each of these ranges in
    /// one iteration may have the pairs in any order. Where there are none, it always matters.
    pub apart: BTreeSet<RangesId>,
    /// The variables along whose live ranges it leads.
    pub along: BTreeSet<RangesId>,
    /// Whether iterations of a loop may have copies of all variables that it keeps apart.
    pub may_be_private: bool,
}

impl RangeRoles {
    /// The roles of two relations with the same pairs, each of which orders them or does not: where one order matters
    /// always, so do both.
    pub(crate) fn merged(self, is_order: bool, other: Self, other_is_order: bool) -> Self {
        let along = &self.along | &other.along;
        match (is_order, other_is_order) {
            (true, false) => Self { along, ..self },
            (false, true) => Self { along, ..other },
            (false, false) => Self { along, ..Self::default() },
            (true, true) if self.apart.is_empty() || other.apart.is_empty() => {
                Self { along, ..Self::default() }
            }
            (true, true) => Self {
                apart: &self.apart | &other.apart,
                along,
                may_be_private: self.may_be_private && other.may_be_private,
            },
        }
    }
}

/// What two references use again along a relation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reused {
    /// The same elements or the same lines.
    pub reuse: Reuse,
    /// The reference of the source.
    pub source: (StmtId, AccessId),
    /// The reference of the sink.
    pub sink: (StmtId, AccessId),
}

/// A relation between the instances of two statements.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The statement of the sources.
    pub source: StmtId,
    /// The statement of the sinks.
    pub sink: StmtId,
    /// The pairs; every parameter of the scop is present, in the scop's order.
    pub pairs: Map,
    /// A hull of the pairs, where one is known.
    pub hull: Option<Hull>,
    /// What it means.
    pub roles: Roles,
    /// What it has to do with live ranges.
    pub ranges: RangeRoles,
    /// The dependence that it is, if it is one.
    pub dependence: Option<(DepId, DependenceKind)>,
    /// What is used again along it, where it speaks of that.
    pub reused: Option<Reused>,
}

impl Relation {
    /// Dependences: those that are not of kind input are kept and stop loops from being parallel.
    pub(crate) fn of_dependences(deps: &Dependences) -> Vec<Self> {
        let dependences = deps.deps.iter_enumerated();
        dependences.map(|(id, dep)| Self::of_dependence(id, dep, dep.relation.clone())).collect()
    }

    /// The same where false dependences only keep live ranges apart.
    pub(crate) fn of_ranges(scop: &Scop, deps: &Dependences, ranges: &LiveRanges) -> Vec<Self> {
        let variable = |array: ArrayId| BTreeSet::from([RangesId::from_index(array.index())]);
        let mut relations = Vec::new();
        for (id, dep) in deps.deps.iter_enumerated() {
            match ranges.roles.get(id).unwrap_or(&RangeRole::None) {
                RangeRole::None => {
                    relations.push(Self::of_dependence(id, dep, dep.relation.clone()));
                }
                RangeRole::Live(array) => {
                    let along = variable(*array);
                    let ranges = RangeRoles { along, ..RangeRoles::default() };
                    let flow = Self::of_dependence(id, dep, dep.relation.clone());
                    let roles = Roles { validity: true, ..flow.roles };
                    relations.push(Self { ranges, roles, ..flow });
                }
                RangeRole::Apart { array, conditional, forced } => {
                    let reads_own = ranges.arrays.get(array).copied().unwrap_or(false);
                    let ranges = RangeRoles {
                        apart: variable(*array),
                        along: BTreeSet::new(),
                        may_be_private: reads_own && scop.arrays()[*array].may_be_private(),
                    };
                    // A variable's values keep their order even where they are updates: they are in one loop, as a rule.
                    let in_order = |pairs: &Map| {
                        let of = Self::of_dependence(id, dep, pairs.clone());
                        let roles = Roles { validity: true, ..of.roles };
                        Self { roles, ..of }
                    };
                    relations.push(Self { ranges, ..in_order(conditional) });
                    relations.extend(forced.iter().map(in_order));
                }
            }
        }
        relations
    }

    /// Those of the pairs of a dependence that always matter.
    fn of_dependence(id: DepId, dep: &Dependence, pairs: Map) -> Self {
        let is_kept = dep.kind.is_validity();
        let is_order = dep.is_order();
        Self {
            source: dep.source,
            sink: dep.sink,
            pairs,
            hull: None,
            roles: Roles { validity: is_order, coincidence: is_kept, ..Roles::default() },
            ranges: RangeRoles::default(),
            dependence: Some((id, dep.kind)),
            reused: None,
        }
    }

    /// Adds what another relation of the same pairs means.
    pub fn merge(&mut self, roles: Roles, ranges: RangeRoles) {
        let own = std::mem::take(&mut self.ranges);
        self.ranges = own.merged(self.roles.validity, ranges, roles.validity);
        self.roles = self.roles.or(roles);
    }

    /// What is used again: the same elements bring their instances close, the same lines are told apart from them.
    pub(crate) fn of_locality(locality: &Locality) -> Vec<Self> {
        let relation = |reused: &farkas_deps::ReuseRelation| {
            let is_spatial = reused.reuse == Reuse::Spatial;
            let source = (reused.source, reused.source_access);
            let sink = (reused.sink, reused.sink_access);
            Self {
                source: reused.source,
                sink: reused.sink,
                pairs: reused.pairs.clone(),
                hull: reused.hull.clone(),
                roles: Roles { proximity: !is_spatial, spatial: is_spatial, ..Roles::default() },
                ranges: RangeRoles::default(),
                dependence: None,
                reused: Some(Reused { reuse: reused.reuse, source, sink }),
            }
        };
        locality.relations.iter().map(relation).collect()
    }
}
