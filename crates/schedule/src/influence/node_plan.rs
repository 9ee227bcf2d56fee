//! What a node of an influence tree adds to the plan of a row.

use super::partial::Partial;
use crate::constraint::{Constraint, Term};
use crate::cost::{CostFunction, UserCost, ZeroDistance};
use crate::driver::Driver;
use crate::plan::Plan;
use crate::scenario::{InfluenceConstraint, InfluenceNode, InfluenceTerm};
use std::collections::BTreeMap;
use std::rc::Rc;

impl Driver<'_> {
    /// The strategy's plan with what the node adds.
    pub(super) fn node_plan(&mut self, partial: &Partial, node: &InfluenceNode) -> Plan {
        let mut plan = self.plan_row(&partial.band, 0, None);
        let objectives: Vec<Rc<dyn CostFunction>> =
            node.objectives.iter().map(|&v| user_cost(node, v, true)).collect();
        let shift = objectives.len();
        for constraint in &mut plan.constraints {
            for (term, _) in &mut constraint.terms {
                if let Term::Cost { function, .. } = term {
                    *function += shift;
                }
            }
        }
        plan.costs.splice(0..0, objectives);
        let mut places: BTreeMap<usize, usize> =
            node.objectives.iter().enumerate().map(|(place, &v)| (v, place)).collect();
        for variable in 0..node.variables.len() {
            places.entry(variable).or_insert_with(|| {
                plan.costs.push(user_cost(node, variable, false));
                plan.costs.len() - 1
            });
        }
        if node.requires_parallel {
            plan.costs.push(Rc::new(ZeroDistance));
        }
        plan.constraints.extend(node_constraints(partial, node, &places));
        plan
    }
}

/// A variable of a node as a cost function.
fn user_cost(node: &InfluenceNode, variable: usize, is_minimized: bool) -> Rc<dyn CostFunction> {
    Rc::new(UserCost::new(node.variables[variable].clone(), is_minimized))
}

/// The node's constraints, those on rows further out with their values; `places` are those of its variables in the plan.
fn node_constraints(
    partial: &Partial,
    node: &InfluenceNode,
    places: &BTreeMap<usize, usize>,
) -> Vec<Constraint> {
    let depth = partial.rows.len();
    let constraint = |influence: &InfluenceConstraint| {
        let mut constant = influence.constant;
        let mut terms = Vec::new();
        for &(term, factor) in &influence.terms {
            match term {
                InfluenceTerm::Coefficient { stmt, depth: at, which } if at == depth => {
                    terms.push((Term::Coefficient(stmt, which), factor));
                }
                InfluenceTerm::Coefficient { stmt, depth: at, which } => {
                    let row = partial.rows.get(at).and_then(|rows| rows.get(&stmt));
                    let value = row.map_or(0, |row| row.coefficient(which));
                    constant = constant.saturating_add(value.saturating_mul(factor));
                }
                InfluenceTerm::Variable(number) => {
                    let function = places[&number];
                    let is_minimized = node.objectives.contains(&number);
                    let cost = UserCost::new(node.variables[number].clone(), is_minimized);
                    terms.extend(cost.terms().into_iter().map(|(variable, sign)| {
                        (Term::Cost { function, variable }, factor.saturating_mul(sign))
                    }));
                }
            }
        }
        Constraint { kind: influence.kind, terms, constant, origin: None, in_sequences: false }
    };
    node.constraints.iter().map(constraint).collect()
}
