//! Schedule constraints in isl's form: orders that respect them.

use crate::{Error, Options, PassTimes, Strategy};
use farkas_deps::{Verdict, legality};
use farkas_front_isl::{Constraint, ConstraintKind};
use farkas_poly::UnionSet;
use farkas_schedule::{Relation, Roles, ScheduleOptions, Scheduled, schedule_relations};
use farkas_scop::Scop;
use farkas_tree::{Node, ScheduleTree, original_tree};

/// An order that respects constraints.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// What the scheduler returned; none where the order of the text was asked for.
    pub scheduled: Option<Scheduled>,
    /// The order; it was checked against the constraints.
    pub tree: ScheduleTree,
    /// How long each pass took.
    pub times: PassTimes,
}

/// Orders the instances of `scop` under `constraints`, which are sorted by source and sink, and checks the result.
///
/// A pair of conditional validity counts as one of validity, whatever its conditions: such an order is among those that
/// isl allows, too, but may be one of fewer parallel loops.
///
/// # Errors
/// [`Error::Constraints`] when no order was found that respects the constraints; as other passes when isl or the
/// scheduler give up.
pub fn order(scop: &Scop, constraints: &[Constraint], options: &Options) -> Result<Ordered, Error> {
    let mut times = PassTimes::default();
    let (tree, scheduled) = find(scop, constraints, options, &mut times)?;
    let tree = over_written_domain(scop, tree)?;
    match times.run("verify", || legality::check_required(scop, &tree, &required(constraints)))? {
        Verdict::Legal => Ok(Ordered { scheduled, tree, times }),
        Verdict::Illegal(counterexample) => {
            Err(Error::Constraints { name: scop.name().to_owned(), counterexample })
        }
    }
}

/// The scheduler's tree, or the order of the text.
fn find(
    scop: &Scop,
    constraints: &[Constraint],
    options: &Options,
    times: &mut PassTimes,
) -> Result<(ScheduleTree, Option<Scheduled>), Error> {
    match options.strategy {
        Strategy::Original => Ok((times.run("order", || original_tree(scop))?, None)),
        Strategy::Pluto => {
            let relations = relations(constraints)?;
            let choice = ScheduleOptions { solver: options.solver, ..ScheduleOptions::default() };
            let mut strategy = farkas_schedule::Pluto::new(options.fusion);
            let scheduled = times
                .run("schedule", || schedule_relations(scop, &relations, &mut strategy, &choice))?;
            Ok((scheduled.tree.clone(), Some(scheduled)))
        }
    }
}

/// `tree` over the domain as it was written, without the context: as isl's scheduler does.
fn over_written_domain(scop: &Scop, tree: ScheduleTree) -> Result<ScheduleTree, Error> {
    let Node::Domain { child, .. } = tree.node() else { return Ok(tree) };
    let domain = UnionSet::union_all(scop.stmts().iter().map(|stmt| stmt.domain.clone()))?;
    Ok(ScheduleTree::domain(domain, child.clone()))
}

/// What the scheduler keeps and wishes for: constraints of several kinds with the same pairs become one relation.
///
/// # Errors
/// When isl refuses.
pub fn relations(constraints: &[Constraint]) -> Result<Vec<Relation>, Error> {
    let mut found: Vec<Relation> = Vec::new();
    for constraint in constraints {
        let Constraint { source, sink, pairs, .. } = constraint;
        let Some(roles) = roles(constraint.kind) else { continue };
        let mut same = None;
        for known in found.iter_mut().rev().take_while(|r| (r.source, r.sink) == (*source, *sink)) {
            if known.pairs.is_equal(pairs)? {
                same = Some(known);
            }
        }
        match same {
            Some(known) => {
                known.roles.validity |= roles.validity;
                known.roles.coincidence |= roles.coincidence;
                known.roles.proximity |= roles.proximity;
            }
            None => found.push(Relation {
                source: *source,
                sink: *sink,
                pairs: pairs.clone(),
                roles,
                dependence: None,
            }),
        }
    }
    Ok(found)
}

/// What a kind of constraints means for the scheduler; none for conditions, which constrain nothing by themselves.
fn roles(kind: ConstraintKind) -> Option<Roles> {
    let roles = Roles::default();
    match kind {
        ConstraintKind::Validity | ConstraintKind::ConditionalValidity => {
            Some(Roles { validity: true, ..roles })
        }
        ConstraintKind::Coincidence => Some(Roles { coincidence: true, ..roles }),
        ConstraintKind::Proximity => Some(Roles { proximity: true, ..roles }),
        ConstraintKind::Condition => None,
    }
}

/// What the result is checked against.
pub fn required(constraints: &[Constraint]) -> Vec<legality::Required> {
    let demand = |kind| match kind {
        ConstraintKind::Validity | ConstraintKind::ConditionalValidity => {
            Some(legality::Demand::Order)
        }
        ConstraintKind::Coincidence => Some(legality::Demand::Coincidence),
        ConstraintKind::Condition | ConstraintKind::Proximity => None,
    };
    let required = |c: &Constraint| {
        let (source, sink, pairs) = (c.source, c.sink, c.pairs.clone());
        Some(legality::Required { source, sink, pairs, demand: demand(c.kind)? })
    };
    constraints.iter().filter_map(required).collect()
}
