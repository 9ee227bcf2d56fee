//! The strategy that a [`Config`] describes.

use crate::config::{
    Config, ConfigConstraint, ConfigTerm, CostChoice, Degree, Dimension, DirectiveKind, FusionRule,
    UserVariable,
};
use crate::constraint::Demand;
use crate::constraint::{Constraint, Origin, Term};
use crate::cost::{CostFunction, CostList, CostMenu, Feautrier, UserCost, ZeroDistance};
use crate::directives::Directives;
use crate::fallback::Fallback;
use crate::fusion::FusionControl;
use crate::group::ActiveDep;
use crate::isl::is_carrying;
use crate::plan::{Plan, State, Strategy};
use crate::pressure::Pressure;
use crate::{Error, Result, Scheduled, StmtRow, Warning};
use farkas_deps::LocalityOptions;
use farkas_scop::{Scop, StmtId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A strategy from data.
///
/// **Paper** PolyTOPS, section III. Ours differs: statements that no constraint, variable or group ties together are
/// scheduled apart once they are distributed; and where parallel or vectorize directives cannot be followed, the
/// schedule is made anew without the one that failed.
pub struct Configured {
    config: Config,
    /// The costs of each entry, in the order of [`Config::costs`]; the variables that an entry does not minimise follow.
    costs: Vec<CostList>,
    /// Where no entry fits.
    default_costs: CostList,
    zero: Rc<dyn CostFunction>,
    /// For rows that carry what they can.
    carrying: CostList,
    /// The same within statements.
    carrying_within: CostList,
    pressure: Pressure,
    directives: Directives,
}

/// What a row is looked for under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The row that a directive wants to be parallel.
    Directed,
    /// Distance zero for all that keeps the row from being parallel, then the costs.
    Parallel,
    /// The costs alone.
    Free,
    /// Feautrier's cost within statements.
    CarryingWithin,
    /// Feautrier's cost.
    Carrying,
}

impl Configured {
    /// The strategy for one scop.
    ///
    /// # Errors
    /// When isl refuses to tell of the scop's accesses and domains.
    pub fn new(config: Config, scop: &Scop) -> Result<Self> {
        let mut menu = CostMenu::new(config.variables.clone(), config.proximity_kinds.clone());
        let lists = config.costs.iter().map(|(_, choices)| menu.list(scop, choices));
        let costs = lists.collect::<Result<_>>()?;
        let default_costs = menu.list(scop, &[CostChoice::Proximity])?;
        let carrying = menu.list(scop, &[CostChoice::Feautrier])?;
        let directives = Directives::new(&config, scop)?;
        let mut carrying_within = carrying.clone();
        if let Some(first) = carrying_within.functions.first_mut() {
            *first = Rc::new(Feautrier::Within);
        }
        Ok(Self {
            config,
            costs,
            default_costs,
            zero: Rc::new(ZeroDistance),
            carrying,
            carrying_within,
            pressure: Pressure::of(scop)?,
            directives,
        })
    }

    /// The costs of a dimension.
    fn costs(&self, state: &State<'_>) -> &CostList {
        let entry = |wanted| self.config.costs.iter().position(|(at, _)| *at == wanted);
        let last = state.is_last().then_some(Dimension::Last);
        let at = entry(Dimension::At(state.dimension))
            .or_else(|| entry(last?))
            .or_else(|| entry(Dimension::Default));
        at.map_or(&self.default_costs, |at| &self.costs[at])
    }

    /// The stages for the row, in the order in which they are tried.
    fn stages(&self, state: &State<'_>) -> Vec<Stage> {
        let mut stages = Vec::new();
        if !self.directives.parallel_row(state).is_empty() {
            stages.push(Stage::Directed);
        }
        let Some(parallelism) = self.config.parallelism else {
            stages.push(Stage::Free);
            return stages;
        };
        let is_first = state.n_members == 0;
        let is_wanted = match parallelism.degree {
            Degree::All => true,
            Degree::Single => state.has_parallel.contains(&false),
        };
        if is_wanted && (is_first || state.last.is_some_and(|row| row.coincident)) {
            stages.push(Stage::Parallel);
        }
        let pays = !parallelism.avoids_inner || state.loops_left() > 2;
        let presses = parallelism
            .max_pressure
            .is_some_and(|max| self.pressure.of_stmts(&state.group.stmts) > max);
        if !(is_wanted && is_first && pays && presses) {
            stages.push(Stage::Free);
            return stages;
        }
        let is_within = |dep: &ActiveDep| dep.is_validity() && dep.source == dep.sink;
        stages.extend(state.group.deps.iter().any(is_within).then_some(Stage::CarryingWithin));
        stages.push(Stage::Carrying);
        stages
    }

    /// The rule of distribution of a dimension.
    fn rule(&self, dimension: usize) -> Option<&FusionRule> {
        let entry = |wanted| self.config.fusion.iter().find(|rule| rule.dimension == wanted);
        entry(Dimension::At(dimension)).or_else(|| entry(Dimension::Default))
    }

    /// The user's constraints on a row. One that names statements which are scheduled elsewhere says nothing here: what it
    /// ties together comes together, except while a fusion is tried.
    fn constraints(&self, state: &State<'_>, costs: &CostList) -> Vec<Constraint> {
        let is_here = |(term, _): &(ConfigTerm, i64)| match term {
            ConfigTerm::Coefficient(stmt, _) => state.group.stmts.binary_search(stmt).is_ok(),
            ConfigTerm::Variable(_) => true,
        };
        let holds = |c: &&ConfigConstraint| {
            let is_wanted = match c.dimension {
                Dimension::Default => true,
                Dimension::At(dimension) => dimension == state.dimension,
                Dimension::Last => state.is_last(),
            };
            is_wanted && c.terms.iter().all(is_here)
        };
        self.config.constraints.iter().filter(holds).map(|c| plan_constraint(c, costs)).collect()
    }

    /// What decides of fusion in a dimension.
    fn fusion(&self, state: &State<'_>) -> FusionControl {
        let apart = self.directives.unfused(state);
        let heuristic = self.config.heuristic;
        let plain = FusionControl {
            apart,
            kept_parallelism: self.config.kept_parallelism,
            is_typed: self.config.typed_fusion,
            keeps_depth: true,
            ..FusionControl::from(heuristic)
        };
        match self.rule(state.dimension) {
            Some(rule) if rule.total_distribution => {
                FusionControl { apart: state.group.stmts.clone(), ..plain }
            }
            Some(rule) => FusionControl { groups: rule.groups.clone(), ..plain },
            None => plain,
        }
    }

    /// Whether a rule distributes in this dimension, which is then no row of a band. A default rule distributes where a
    /// band would begin.
    fn distributes(&self, state: &State<'_>) -> bool {
        self.rule(state.dimension).is_some_and(|rule| rule.dimension != Dimension::Default)
    }
}

impl Strategy for Configured {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        let stages = self.stages(state);
        let stage = stages.get(state.attempt).copied().unwrap_or(Stage::Free);
        let costs = match stage {
            Stage::CarryingWithin => &self.carrying_within,
            Stage::Carrying => &self.carrying,
            Stage::Directed | Stage::Parallel | Stage::Free => self.costs(state),
        };
        let mut constraints = self.constraints(state, costs);
        let mut functions = costs.functions.clone();
        let mut fallbacks = self.config.fallbacks.clone();
        constraints.extend(self.directives.constraints(state));
        if stage == Stage::Directed {
            constraints.extend(self.directives.parallel_row(state));
        }
        if matches!(stage, Stage::Directed | Stage::Parallel) {
            // Behind the others, whose positions constraints refer to.
            functions.push(Rc::clone(&self.zero));
        }
        if state.attempt + 1 < stages.len() {
            fallbacks.insert(0, Fallback::Replan);
            let next = stages.get(state.attempt + 1);
            if matches!(next, Some(Stage::CarryingWithin | Stage::Carrying)) {
                // Components that are apart may have parallel rows.
                fallbacks.insert(0, Fallback::SeparateComponents);
            }
        }
        Plan {
            costs: functions,
            fusion: Rc::new(self.fusion(state)),
            proximity_kinds: self.config.proximity_kinds.clone(),
            parametric_shift: self.config.parametric_shift,
            negative_coefficients: self.config.negative_coefficients,
            prefers_positive: true,
            max_coefficient: self.config.max_coefficient,
            max_constant: None,
            // Constraints of the user's may ask for larger coefficients.
            bounded_by_sizes: self.config.constraints.is_empty(),
            constraints,
            fallbacks,
            ends_band: self.directives.ends_band(state)
                || is_feautrier(costs)
                || is_carrying(state),
            distributes: self.distributes(state),
            fusion_is_demanded: self.rule(state.dimension).is_some(),
            spatial_fusion: self.config.spatial_fusion,
            defers_shallow: false,
            unmarked: false,
            extra_row: false,
            recompute_last: false,
        }
    }

    fn locality(&self) -> Option<LocalityOptions> {
        let line_elems = self.config.line;
        let needs = self.config.needs_locality();
        needs.then(|| LocalityOptions {
            line_elems,
            is_order_free: true,
            ..LocalityOptions::default()
        })
    }

    fn reorders_live_ranges(&self) -> bool {
        self.config.live_range_reordering
    }

    fn links(&self) -> Vec<Vec<StmtId>> {
        links(&self.config)
    }

    fn demands(&self) -> Vec<Demand> {
        self.config.constraints.iter().map(|c| demand(c, &self.config.variables)).collect()
    }

    fn drops_demands(&self) -> bool {
        self.config.fallbacks.contains(&Fallback::DropConstraints)
    }

    fn may_be_parallel(&self, stmt: StmtId, row: &StmtRow) -> bool {
        let is_over = |iterator: usize| row.iterators.get(iterator).is_some_and(|&c| c != 0);
        !self.config.directives.iter().any(|d| {
            d.kind == DirectiveKind::Sequential && d.stmts.contains(&stmt) && is_over(d.iterator)
        })
    }

    fn revise(&mut self, outcome: &Result<Scheduled>) -> bool {
        match outcome {
            Ok(scheduled) => self.directives.check(&scheduled.report),
            Err(Error::Conflict { origins, deps, .. }) => {
                let failed = origins.iter().rev().find_map(|origin| match origin {
                    Origin::Directive(number) => Some(*number),
                    Origin::Constraint(_) => None,
                });
                failed.is_some_and(|number| self.directives.fail(number, deps.first().copied()))
            }
            Err(_) => false,
        }
    }

    fn settle(&mut self) {
        self.directives.abandon();
    }

    fn warnings(&self) -> Vec<Warning> {
        self.directives.warnings()
    }
}

/// Whether Feautrier's cost leads: its rows are bands of their own.
fn is_feautrier(costs: &CostList) -> bool {
    costs.functions.first().is_some_and(|function| function.name() == "feautrier")
}

/// A constraint of the user's as one of a plan with these costs.
fn plan_constraint(constraint: &ConfigConstraint, costs: &CostList) -> Constraint {
    let mut terms = Vec::new();
    for &(term, factor) in &constraint.terms {
        match term {
            ConfigTerm::Coefficient(stmt, which) => {
                terms.push((Term::Coefficient(stmt, which), factor));
            }
            ConfigTerm::Variable(number) => terms.extend(costs.variable(number, factor)),
        }
    }
    Constraint {
        kind: constraint.kind,
        terms,
        constant: constraint.constant,
        origin: Some(Origin::Constraint(constraint.origin)),
        in_sequences: matches!(constraint.dimension, Dimension::At(_)),
    }
}

/// A constraint of the user's for the check of what came out: variables by their number, as [`UserCost::terms`] has them.
fn demand(constraint: &ConfigConstraint, variables: &[UserVariable]) -> Demand {
    let functions = (0..variables.len()).map(|number| {
        let terms = UserCost::new(variables[number].clone(), false).terms();
        (number, terms)
    });
    let list = CostList { functions: Vec::new(), variables: functions.collect() };
    Demand { dimension: constraint.dimension, constraint: plan_constraint(constraint, &list) }
}

/// Statements that constraints name together, by themselves or through a variable.
fn links(config: &Config) -> Vec<Vec<StmtId>> {
    let mut links: Vec<BTreeSet<StmtId>> = Vec::new();
    let mut by_variable: BTreeMap<usize, BTreeSet<StmtId>> = BTreeMap::new();
    for constraint in &config.constraints {
        let stmts: BTreeSet<StmtId> = constraint
            .terms
            .iter()
            .filter_map(|(term, _)| match term {
                ConfigTerm::Coefficient(stmt, _) => Some(*stmt),
                ConfigTerm::Variable(_) => None,
            })
            .collect();
        for (term, _) in &constraint.terms {
            if let ConfigTerm::Variable(number) = term {
                by_variable.entry(*number).or_default().extend(&stmts);
            }
        }
        links.push(stmts);
    }
    links.extend(by_variable.into_values());
    let tied = links.into_iter().filter(|link| link.len() > 1);
    tied.map(|link| link.into_iter().collect()).collect()
}
