//! What a schedule must respect and may wish for: dependences, or relations that somebody else computed.

use farkas_deps::{DepId, DependenceKind, Dependences, Locality, Reuse};
use farkas_poly::Map;
use farkas_scop::{AccessId, StmtId};

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
    /// What it means.
    pub roles: Roles,
    /// The dependence that it is, if it is one.
    pub dependence: Option<(DepId, DependenceKind)>,
    /// What is used again along it, where it speaks of that.
    pub reused: Option<Reused>,
}

impl Relation {
    /// Dependences: those that are not of kind input are kept and stop loops from being parallel.
    pub(crate) fn of_dependences(deps: &Dependences) -> Vec<Self> {
        let relation = |(id, dep): (DepId, &farkas_deps::Dependence)| {
            let is_kept = dep.kind.is_validity();
            Self {
                source: dep.source,
                sink: dep.sink,
                pairs: dep.relation.clone(),
                roles: Roles { validity: is_kept, coincidence: is_kept, ..Roles::default() },
                dependence: Some((id, dep.kind)),
                reused: None,
            }
        };
        deps.deps.iter_enumerated().map(relation).collect()
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
                roles: Roles { proximity: !is_spatial, spatial: is_spatial, ..Roles::default() },
                dependence: None,
                reused: Some(Reused { reuse: reused.reuse, source, sink }),
            }
        };
        locality.relations.iter().map(relation).collect()
    }
}
