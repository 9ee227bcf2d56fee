//! The strategy of a library, as the scheduler sees it.

use crate::abi;
use crate::callback::call;
use crate::error::{Error, Result};
use crate::facts::Facts;
use crate::library::Loaded;
use crate::program::Program;
use crate::request::{Request, Requested};
use crate::setup::Setup;
use crate::shown::Shown;
use farkas_base::SourceFile;
use farkas_deps::LocalityOptions;
use farkas_schedule::{
    ConfigTerm, Constraint, CostChoice, CostFunction, CostList, CostMenu, FusionControl,
    FusionHeuristic, Plan, State, Strategy, Term, ZeroDistance,
};
use farkas_scop::{Scop, StmtId};
use farkas_solve::RowKind;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

/// A strategy that asks a library for its plans, for one scop.
///
/// When the library fails or asks for what makes no sense, it is not asked again, and [`Strategy::failure`] tells what it
/// did.
pub struct PluginStrategy {
    // Dropped in this order: the instance may look at the program until it is destroyed, by code of the library.
    instance: Instance,
    program: Program,
    library: Arc<Loaded>,
    facts: Rc<Facts>,
    links: Vec<Vec<StmtId>>,
    menu: CostMenu,
    /// The lists made so far: plans with equal costs have the same objects.
    lists: BTreeMap<Vec<CostChoice>, CostList>,
    zero: Rc<dyn CostFunction>,
    /// What decides of fusion instead of the library's heuristic.
    fusion: Option<FusionHeuristic>,
    failure: Option<Error>,
}

/// An instance with the function that frees it.
struct Instance {
    raw: *mut c_void,
    destroy: Option<abi::Destroy>,
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: `create` of the same library made the instance, or it is null; this is its only end.
            unsafe { destroy(self.raw) }
        }
    }
}

impl PluginStrategy {
    /// An instance for `scop`.
    pub(crate) fn new(
        library: Arc<Loaded>,
        scop: &Scop,
        source: Option<&SourceFile>,
    ) -> Result<Self> {
        let unknown = |error: farkas_poly::Error| Error::Scop { reason: error.to_string() };
        let program = Program::new(scop, source).map_err(unknown)?;
        let mut setup = Setup::new(Facts::of(scop));
        let mut instance = Instance { raw: null_mut(), destroy: None };
        if let Some(create) = library.create {
            call("create", &mut setup, |setup| {
                // SAFETY: program, setup and the place for the instance live during the call.
                let code = unsafe { create(program.as_ptr(), setup, &raw mut instance.raw) };
                // Where it says that there is an instance, it is destroyed whatever else is wrong.
                instance.destroy = library.destroy.filter(|_| code == abi::OK);
                code
            })?;
        }
        let (facts, links) = setup.declared();
        Ok(Self {
            instance,
            program,
            menu: CostMenu::new(facts.variables.clone(), library.proximity_kinds.clone()),
            library,
            facts: Rc::new(facts),
            links,
            lists: BTreeMap::new(),
            zero: Rc::new(ZeroDistance),
            fusion: None,
            failure: None,
        })
    }

    /// The strategy with another fusion heuristic than that of the library, where there is one.
    #[must_use]
    pub fn with_fusion(mut self, heuristic: Option<FusionHeuristic>) -> Self {
        self.fusion = heuristic;
        self
    }

    /// The library's plan.
    fn ask(&mut self, state: &State<'_>) -> Result<Plan> {
        let shown = Shown::new(state, &self.program);
        let mut request = Request::new(Rc::clone(&self.facts), state.group.stmts.clone());
        call("plan", &mut request, |plan| {
            // SAFETY: the instance is alive; state and plan live during the call.
            unsafe { (self.library.plan)(self.instance.raw, shown.as_ptr(), plan) }
        })?;
        let requested = request.requested()?;
        let list = self.costs(state.scop, &requested.costs)?;
        Ok(self.plan_of(requested, &list, state))
    }

    /// The cost functions of these choices, least distance where there is none.
    fn costs(&mut self, scop: &Scop, choices: &[CostChoice]) -> Result<CostList> {
        let choices = if choices.is_empty() { &[CostChoice::Proximity] } else { choices };
        if let Some(list) = self.lists.get(choices) {
            return Ok(list.clone());
        }
        let list = self.menu.list(scop, choices);
        let list = list.map_err(|error| Error::Scop { reason: error.to_string() })?;
        self.lists.insert(choices.to_vec(), list.clone());
        Ok(list)
    }

    /// A request as a plan of the scheduler.
    fn plan_of(&self, requested: Requested, list: &CostList, state: &State<'_>) -> Plan {
        let mut costs = list.functions.clone();
        if requested.demands_parallel {
            // Behind the others, whose positions constraints refer to.
            costs.push(Rc::clone(&self.zero));
        }
        let apart = if requested.total_distribution { state.group.stmts.clone() } else { vec![] };
        let heuristic = self.fusion.unwrap_or(requested.heuristic);
        let fusion =
            FusionControl { groups: requested.groups, apart, ..FusionControl::from(heuristic) };
        let constraint = |of: crate::request::RequestedConstraint| Constraint {
            kind: of.kind,
            terms: of.terms.into_iter().flat_map(|term| terms(term, list)).collect(),
            constant: of.constant,
            origin: None,
            in_sequences: false,
        };
        let usual = Plan::new(costs, fusion);
        let is_free = requested.constraints.is_empty();
        Plan {
            constraints: requested.constraints.into_iter().map(constraint).collect(),
            proximity_kinds: self.library.proximity_kinds.clone(),
            fallbacks: requested.fallbacks.unwrap_or_else(|| usual.fallbacks.clone()),
            parametric_shift: requested.parametric_shift,
            negative_coefficients: requested.negative_coefficients,
            max_coefficient: requested.max_coefficient,
            // Who asks for other coefficients gets them.
            bounded_by_sizes: is_free,
            ends_band: requested.ends_band,
            distributes: requested.distributes,
            recompute_last: requested.recompute_last,
            ..usual
        }
    }
}

/// A term of a request as terms of a plan with these costs.
fn terms((term, factor): (ConfigTerm, i64), list: &CostList) -> Vec<(Term, i64)> {
    match term {
        ConfigTerm::Coefficient(stmt, which) => vec![(Term::Coefficient(stmt, which), factor)],
        ConfigTerm::Variable(number) => list.variable(number, factor).collect(),
    }
}

/// A plan that nothing fulfils, so that a run whose result does not count ends soon.
fn idle() -> Plan {
    let never = Constraint {
        kind: RowKind::Inequality,
        terms: Vec::new(),
        constant: -1,
        origin: None,
        in_sequences: false,
    };
    Plan {
        constraints: vec![never],
        fallbacks: Vec::new(),
        ..Plan::new(Vec::new(), FusionHeuristic::No)
    }
}

impl Strategy for PluginStrategy {
    fn name(&self) -> &str {
        &self.library.name
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        if self.failure.is_some() {
            return idle();
        }
        self.ask(state).unwrap_or_else(|error| {
            self.failure = Some(error);
            idle()
        })
    }

    fn links(&self) -> Vec<Vec<StmtId>> {
        self.links.clone()
    }

    fn locality(&self) -> Option<LocalityOptions> {
        let line = self.facts.line?;
        Some(LocalityOptions {
            line_elems: line,
            is_order_free: true,
            ..LocalityOptions::default()
        })
    }

    fn failure(&self) -> Option<String> {
        let error = self.failure.as_ref()?;
        Some(format!("`{}` {error}", self.library.path))
    }
}
