//! Schedule constraints in isl's form: orders that respect them.

use crate::live_ranges::range_roles;
use crate::refusal::{dropped, refusal};
use crate::scheduling::scheduling;
use crate::{Error, Options, Session, Strategy, effort, libisl};
use farkas_deps::{Dependences, Verdict, legality};
use farkas_front_isl::{Constraint, ConstraintKind};
use farkas_poly::UnionSet;
use farkas_schedule::{
    RangeRoles, Relation, Roles, ScheduleOptions, Scheduled, schedule_relations,
};
use farkas_scop::Scop;
use farkas_tree::{Node, ScheduleTree, original_tree};

/// An order that respects constraints.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// What the scheduler returned; none where the order of the text was asked for.
    pub scheduled: Option<Scheduled>,
    /// The order; it was checked against the constraints.
    pub tree: ScheduleTree,
    /// What it took, and what there is to tell.
    pub session: Session,
}

/// Orders the instances of `scop` under `constraints`, which are sorted by source and sink, and checks the result.
///
/// The order of the text, which is a scheduler's last resort, need not be one that the constraints allow. So where the
/// strategy does not find an order, isl's takes over: its loops may run downward, and it carries as much as it can where a
/// band would have no row.
///
/// Orders of conditional validity are live-range reordering's: the strategy keeps them where a condition that they are
/// adjacent to is not in one iteration of a band. Where the result breaks one under a condition that matters
/// ([`legality::check_conditional`]), it is asked again, with all of them as orders to keep.
///
/// # Errors
/// [`Error::Constraints`] when no order was found that respects the constraints; as other passes when isl or the
/// scheduler give up.
pub fn order(scop: &Scop, constraints: &[Constraint], options: &Options) -> Result<Ordered, Error> {
    effort::within(scop, options.effort, || order_within(scop, constraints, options))
}

/// [`order`] without a budget of its own.
fn order_within(
    scop: &Scop,
    constraints: &[Constraint],
    options: &Options,
) -> Result<Ordered, Error> {
    let mut session = Session::default();
    let mut choices = vec![relations(constraints)?];
    if constraints.iter().any(|c| c.kind == ConstraintKind::ConditionalValidity) {
        choices.push(unconditional(&choices[0]));
    }
    let options = &options.for_orders();
    let mut first = None;
    for strategy in attempts(&options.strategy) {
        let attempt = Options { strategy, ..options.clone() };
        for relations in &choices {
            let (tree, scheduled) = find(scop, relations, &attempt, &mut session)?;
            let tree = over_written_domain(scop, tree)?;
            match session.run("verify", || check(scop, &tree, constraints))? {
                Verdict::Legal => {
                    if attempt.strategy.name() != options.strategy.name() {
                        let (asked, other) = (options.strategy.name(), attempt.strategy.name());
                        let warning =
                            format!("strategy {asked} finds no order; {other} takes over");
                        session.warn(warning);
                    }
                    let deps = Dependences::default();
                    session.diagnostics = dropped(scheduled.as_ref(), scop, &deps, &attempt);
                    return Ok(Ordered { scheduled, tree, session });
                }
                Verdict::Illegal(counterexample) => drop(first.get_or_insert(counterexample)),
            }
        }
    }
    Err(match first {
        Some(counterexample) => {
            Error::Constraints { strategy: options.strategy.name().to_owned(), counterexample }
        }
        None => Error::Exhausted { name: scop.name().to_owned() },
    })
}

/// The strategies that are tried, one after another.
fn attempts(asked: &Strategy) -> Vec<Strategy> {
    match asked {
        Strategy::Original | Strategy::Isl | Strategy::Libisl => vec![asked.clone()],
        _ => vec![asked.clone(), Strategy::Isl],
    }
}

/// The tree of a strategy, or the order of the text.
fn find(
    scop: &Scop,
    relations: &[Relation],
    options: &Options,
    session: &mut Session,
) -> Result<(ScheduleTree, Option<Scheduled>), Error> {
    let Some(mut strategy) = scheduling(scop, options)? else {
        let tree = match options.strategy {
            Strategy::Libisl => {
                session.run("schedule", || libisl::order(scop, relations, options))?
            }
            _ => session.run("order", || original_tree(scop))?,
        };
        return Ok((tree, None));
    };
    let choice = ScheduleOptions { solver: options.solver, ..ScheduleOptions::default() };
    let scheduled = session
        .run("schedule", || schedule_relations(scop, relations, strategy.as_mut(), &choice))
        .map_err(|error| refusal(error, scop, &Dependences::default(), options))?;
    Ok((scheduled.tree.clone(), Some(scheduled)))
}

/// `tree` over the domain as it was written, without the context: as isl's scheduler does.
///
/// # Errors
/// When isl refuses.
pub fn over_written_domain(scop: &Scop, tree: ScheduleTree) -> Result<ScheduleTree, Error> {
    let Node::Domain { child, .. } = tree.node() else { return Ok(tree) };
    let domain = UnionSet::union_all(scop.stmts().iter().map(|stmt| stmt.domain.clone()))?;
    Ok(ScheduleTree::domain(domain, child.clone()))
}

/// What the scheduler keeps and wishes for: constraints of several kinds with the same pairs become one relation. Conditions
/// are live ranges, and pairs of conditional validity keep them apart.
///
/// # Errors
/// When isl refuses.
pub fn relations(constraints: &[Constraint]) -> Result<Vec<Relation>, Error> {
    let mut found: Vec<Relation> = Vec::new();
    for (constraint, ranges) in constraints.iter().zip(range_roles(constraints)?) {
        let Constraint { source, sink, pairs, .. } = constraint;
        let roles = roles(constraint.kind);
        let mut same = None;
        for known in found.iter_mut().rev().take_while(|r| (r.source, r.sink) == (*source, *sink)) {
            if known.pairs.is_equal(pairs)? {
                same = Some(known);
            }
        }
        match same {
            Some(known) => known.merge(roles, ranges),
            None => found.push(Relation {
                source: *source,
                sink: *sink,
                pairs: pairs.clone(),
                roles,
                ranges,
                dependence: None,
                hull: None,
                reused: None,
            }),
        }
    }
    Ok(found)
}

/// The same where pairs of conditional validity always matter.
fn unconditional(relations: &[Relation]) -> Vec<Relation> {
    let plain =
        |relation: &Relation| Relation { ranges: RangeRoles::default(), ..relation.clone() };
    let all = relations.iter().filter(|relation| relation.roles != Roles::default());
    all.map(plain).collect()
}

/// What a kind of constraints means for the scheduler; conditions constrain nothing by themselves.
fn roles(kind: ConstraintKind) -> Roles {
    let roles = Roles::default();
    match kind {
        ConstraintKind::Validity | ConstraintKind::ConditionalValidity => {
            Roles { validity: true, ..roles }
        }
        ConstraintKind::Coincidence => Roles { coincidence: true, ..roles },
        ConstraintKind::Proximity => Roles { proximity: true, ..roles },
        ConstraintKind::Condition => roles,
    }
}

/// Judges `tree` against all constraints.
///
/// # Errors
/// When the check cannot decide.
pub fn check(
    scop: &Scop,
    tree: &ScheduleTree,
    constraints: &[Constraint],
) -> farkas_deps::Result<Verdict> {
    let demand = |kind| match kind {
        ConstraintKind::Validity => Some(legality::Demand::Order),
        ConstraintKind::Coincidence => Some(legality::Demand::Coincidence),
        _ => None,
    };
    let required = |c: &Constraint| {
        let (source, sink, pairs) = (c.source, c.sink, c.pairs.clone());
        Some(legality::Required { source, sink, pairs, demand: demand(c.kind)? })
    };
    let required: Vec<_> = constraints.iter().filter_map(required).collect();
    let verdict = legality::check_required(scop, tree, &required)?;
    let orders = tagged(constraints, ConstraintKind::ConditionalValidity);
    if !verdict.is_legal() || orders.is_empty() {
        return Ok(verdict);
    }
    legality::check_conditional(
        scop,
        tree,
        &tagged(constraints, ConstraintKind::Condition),
        &orders,
    )
}

/// The constraints of one kind with their tags.
fn tagged(constraints: &[Constraint], kind: ConstraintKind) -> Vec<legality::Tagged> {
    let tagged = |c: &Constraint| legality::Tagged {
        source: c.source,
        sink: c.sink,
        pairs: c.pairs.clone(),
        tagged: c.written.clone(),
    };
    constraints.iter().filter(|c| c.kind == kind).map(tagged).collect()
}
