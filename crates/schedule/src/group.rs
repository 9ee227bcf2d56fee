//! What is scheduled together: statements and the dependences among them.

use crate::Result;
use crate::affine::{PairForm, StmtRow};
use crate::farkas::{Cone, ConeCache};
use crate::relations::{RangeRoles, RangesId, Relation, Reused, Roles};
use farkas_deps::{Components, DepId, DependenceKind};
use farkas_poly::Map;
use farkas_scop::StmtId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The part of one or more dependences that outer bands leave unordered. Dependences between the same statements with
/// the same constraints are one.
#[derive(Clone, Debug)]
pub struct ActiveDep {
    /// The dependences; those that must be kept alone, where there are some; none for relations that are no dependences.
    pub ids: Vec<DepId>,
    /// What they are.
    pub kinds: Vec<DependenceKind>,
    /// What is used again along them.
    pub reused: Vec<Reused>,
    /// What they mean for the schedule.
    pub roles: Roles,
    /// What they have to do with live ranges.
    pub ranges: RangeRoles,
    /// Whether they must have distance zero in the band at hand, so that live ranges stay in one iteration.
    pub(crate) is_fixed: bool,
    /// The statement whose instance comes first.
    pub source: StmtId,
    /// The statement whose instance comes second.
    pub sink: StmtId,
    /// The pairs that no outer band carries; parameters are those of the scop.
    pub relation: Map,
    /// The forms that are not negative on them.
    pub cone: Rc<Cone>,
}

impl ActiveDep {
    /// Whether the pairs must stay in order.
    pub fn is_validity(&self) -> bool {
        self.roles.validity
    }

    /// Whether the pairs must have distance zero in a parallel loop.
    pub fn is_coincidence(&self) -> bool {
        self.roles.coincidence
    }

    /// Whether the pairs do nothing but keep live ranges apart.
    pub fn is_conditional(&self) -> bool {
        !self.ranges.apart.is_empty()
    }

    /// Whether some order of the pairs matters, in the band at hand or inside it.
    pub(crate) fn is_order(&self) -> bool {
        self.is_validity() || self.is_conditional()
    }

    /// Whether it says nothing but what is used again: any distance is allowed, and every other one than zero ends that.
    pub(crate) fn is_mere_reuse(&self) -> bool {
        !self.reused.is_empty() && self.kinds.is_empty() && !self.roles.validity
    }

    /// Whether it says nothing of the order of its pairs and of which loops are parallel, and is no reason to look for rows.
    pub(crate) fn is_no_order(&self) -> bool {
        let is_mere_range = !self.ranges.along.is_empty() && self.roles == Roles::default();
        self.is_mere_reuse() || is_mere_range && self.kinds.is_empty() && self.reused.is_empty()
    }

    /// Whether the pairs should be close for a strategy that looks at these kinds.
    pub fn is_any_of(&self, kinds: &[DependenceKind]) -> bool {
        self.roles.proximity || self.kinds.iter().any(|kind| kinds.contains(kind))
    }
}

/// What one row does to a dependence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// The distance is zero for all pairs.
    Zero,
    /// The distance is at least one for all pairs.
    Carried,
    /// Anything else that is not negative.
    Mixed,
}

impl ActiveDep {
    /// The distance under the rows of its two statements.
    pub(crate) fn distance(&self, row: &GroupRow<'_>) -> PairForm {
        PairForm::distance(row.of(self.source), row.of(self.sink))
    }

    /// What a row with this `distance` does, as far as the cone tells: `Mixed` may be weaker than the truth.
    pub(crate) fn effect(&self, distance: &PairForm) -> Effect {
        if self.cone.is_zero(distance) {
            Effect::Zero
        } else if self.cone.is_positive(distance) {
            Effect::Carried
        } else {
            Effect::Mixed
        }
    }

    /// The pairs of `relation` with zero distance.
    pub(crate) fn at_zero(relation: &Map, distance: &PairForm) -> Result<Map> {
        let pairs = relation.wrap()?;
        let zero = distance.to_aff(&pairs.space()?)?.zero_basic_set()?.to_set()?;
        Ok(pairs.intersect(&zero)?.unwrap()?)
    }
}

/// One row of each statement of a group.
pub(crate) struct GroupRow<'a> {
    pub(crate) stmts: &'a [StmtId],
    pub(crate) rows: &'a [StmtRow],
}

impl GroupRow<'_> {
    /// The row of `stmt`, which is one of the group.
    pub(crate) fn of(&self, stmt: StmtId) -> &StmtRow {
        let at = self.stmts.binary_search(&stmt).unwrap_or_default();
        &self.rows[at]
    }
}

/// Statements that are scheduled together, and the dependences among them.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The statements, ascending.
    pub stmts: Vec<StmtId>,
    /// What outer bands and sequences leave unordered among them.
    pub deps: Vec<ActiveDep>,
}

impl Group {
    /// The strongly connected components.
    pub(crate) fn components(&self) -> Components {
        let deps = self.deps.iter().filter(|dep| dep.is_order());
        Components::new(&self.stmts, deps.map(|dep| (dep.source, dep.sink)))
    }

    /// All statements with the relations between them, which come sorted by statements.
    pub(crate) fn of_all(
        stmts: impl Iterator<Item = StmtId>,
        relations: &[Relation],
        cones: &mut ConeCache,
    ) -> Result<Self> {
        let mut group = Self { stmts: stmts.collect(), deps: Vec::new() };
        for relation in relations {
            group.push(ActiveDep {
                ids: relation.dependence.iter().map(|(id, _)| *id).collect(),
                kinds: relation.dependence.iter().map(|(_, kind)| *kind).collect(),
                reused: relation.reused.into_iter().collect(),
                roles: relation.roles,
                ranges: relation.ranges.clone(),
                is_fixed: false,
                source: relation.source,
                sink: relation.sink,
                relation: relation.pairs.clone(),
                cone: cones.cone_within(&relation.pairs, relation.hull.as_ref())?,
            });
        }
        Ok(group)
    }

    /// Adds a dependence, or its ids to one with the same statements and constraints. Dependences come sorted by
    /// statements.
    pub(crate) fn push(&mut self, dep: ActiveDep) {
        let same = |other: &&mut ActiveDep| {
            Rc::ptr_eq(&other.cone, &dep.cone)
                && other.relation.plain_is_equal(&dep.relation).unwrap_or(false)
        };
        let between_same =
            |other: &&mut ActiveDep| (other.source, other.sink) == (dep.source, dep.sink);
        match self.deps.iter_mut().rev().take_while(between_same).find(same) {
            Some(other) => {
                let ranges = std::mem::take(&mut other.ranges);
                other.ranges =
                    ranges.merged(other.is_validity(), dep.ranges.clone(), dep.roles.validity);
                match (other.is_validity(), dep.is_validity()) {
                    (false, true) => other.ids = dep.ids,
                    (true, false) => {}
                    _ => other.ids.extend(dep.ids),
                }
                other.roles = other.roles.or(dep.roles);
                other.reused.extend(dep.reused);
                for kind in dep.kinds {
                    if !other.kinds.contains(&kind) {
                        other.kinds.push(kind);
                    }
                }
            }
            None => self.deps.push(dep),
        }
    }

    /// Groups that run one after another as one, without the dependences between them.
    pub(crate) fn merged(groups: &[Self]) -> Self {
        if let [group] = groups {
            return group.clone();
        }
        let mut stmts: Vec<StmtId> = groups.iter().flat_map(|g| g.stmts.iter().copied()).collect();
        stmts.sort_unstable();
        Self { stmts, deps: groups.iter().flat_map(|group| group.deps.iter().cloned()).collect() }
    }

    /// The part of the group on `stmts`, which ascend and run apart from the others.
    pub(crate) fn restricted(&self, stmts: Vec<StmtId>) -> Self {
        let inside = |stmt: &StmtId| stmts.binary_search(stmt).is_ok();
        let deps = self.deps.iter().filter(|d| inside(&d.source) && inside(&d.sink));
        let mut part = Self { deps: deps.cloned().collect(), stmts };
        if self.has_conditional() {
            part.keep_apart(&self.leaving(&part.stmts));
        }
        part
    }

    /// Whether some pairs do nothing but keep live ranges apart.
    pub(crate) fn has_conditional(&self) -> bool {
        self.deps.iter().any(ActiveDep::is_conditional)
    }

    /// The variables of whose live ranges one end is among `stmts`, which ascend, and the other is not.
    pub(crate) fn leaving(&self, stmts: &[StmtId]) -> BTreeSet<RangesId> {
        let inside = |stmt: &StmtId| stmts.binary_search(stmt).is_ok();
        let leaving = self.deps.iter().filter(|d| inside(&d.source) != inside(&d.sink));
        leaving.flat_map(|dep| dep.ranges.along.iter().copied()).collect()
    }

    /// Makes what keeps the live ranges of `variables` apart matter always: a live range that something outside tore is no
    /// longer whole anywhere inside.
    pub(crate) fn keep_apart(&mut self, variables: &BTreeSet<RangesId>) {
        for dep in self.deps.iter_mut().filter(|dep| !dep.ranges.apart.is_disjoint(variables)) {
            dep.ranges.apart.clear();
        }
    }
}
