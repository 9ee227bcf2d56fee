//! Cost functions by name, each made once.

use super::{
    CarrySpatial, CoefficientSums, CostFunction, Feautrier, Proximity, RankedIterators,
    TemporalSpatial, UserCost,
};
use crate::Result;
use crate::config::{CostChoice, UserVariable};
use crate::constraint::Term;
use farkas_deps::DependenceKind;
use farkas_scop::Scop;
use std::collections::BTreeMap;
use std::rc::Rc;

impl CostChoice {
    /// The cost functions that have a name of their own, with it; others are the user's variables.
    pub const NAMED: [(&'static str, Self); 10] = [
        ("proximity", Self::Proximity),
        ("flow-proximity", Self::FlowProximity),
        ("memory-proximity", Self::MemoryProximity),
        ("feautrier", Self::Feautrier),
        ("contiguity", Self::Contiguity),
        ("bigLoopsFirst", Self::BigLoopsFirst),
        ("longStridesFirst", Self::LongStridesFirst),
        ("coefficient-sums", Self::CoefficientSums),
        ("temporal-spatial", Self::TemporalSpatial),
        ("carry-spatial", Self::CarrySpatial),
    ];
}

/// Makes the cost functions that a strategy may choose from, for one scop.
pub struct CostMenu {
    variables: Vec<UserVariable>,
    proximity_kinds: Vec<DependenceKind>,
    made: BTreeMap<(CostChoice, bool), Rc<dyn CostFunction>>,
}

/// The cost functions of a plan.
#[derive(Clone)]
pub struct CostList {
    /// What to minimise, in this order; variables of the user's that are not minimised come last.
    pub functions: Vec<Rc<dyn CostFunction>>,
    /// For each variable of the user's, the cost function that has it, and its columns there.
    pub(crate) variables: Vec<(usize, Vec<(usize, i64)>)>,
}

impl CostList {
    /// `factor` times a variable of the user's as terms of a plan with these costs; none for one that there is not.
    pub fn variable(&self, number: usize, factor: i64) -> impl Iterator<Item = (Term, i64)> {
        self.variables.get(number).into_iter().flat_map(move |(function, columns)| {
            columns.iter().map(move |&(variable, sign)| {
                (Term::Cost { function: *function, variable }, factor * sign)
            })
        })
    }
}

impl CostMenu {
    /// The menu with these variables of the user's; `proximity` bounds dependences of `proximity_kinds`.
    pub fn new(variables: Vec<UserVariable>, proximity_kinds: Vec<DependenceKind>) -> Self {
        Self { variables, proximity_kinds, made: BTreeMap::new() }
    }

    /// The list for these choices: sums of coefficients come last where they are not among them, then the variables that
    /// are not minimised. Variables are those of the menu, the scop is always the same.
    ///
    /// # Errors
    /// When isl refuses to tell of the scop's accesses and domains.
    pub fn list(&mut self, scop: &Scop, choices: &[CostChoice]) -> Result<CostList> {
        let mut all: Vec<(CostChoice, bool)> =
            choices.iter().map(|&choice| (choice, true)).collect();
        if !choices.contains(&CostChoice::CoefficientSums) {
            all.push((CostChoice::CoefficientSums, true));
        }
        let variables = (0..self.variables.len()).map(CostChoice::Variable);
        all.extend(variables.filter(|v| !choices.contains(v)).map(|v| (v, false)));
        let functions: Vec<Rc<dyn CostFunction>> = all
            .iter()
            .map(|&(choice, minimized)| self.make(scop, choice, minimized))
            .collect::<Result<_>>()?;
        let place = |number: usize| {
            let variable = self.variables[number].clone();
            let is = |&(choice, _): &(CostChoice, bool)| choice == CostChoice::Variable(number);
            let at = all.iter().position(is).unwrap_or_default();
            (at, UserCost::new(variable, all[at].1).terms())
        };
        let variables = (0..self.variables.len()).map(place).collect();
        Ok(CostList { functions, variables })
    }

    /// One cost function.
    fn make(
        &mut self,
        scop: &Scop,
        choice: CostChoice,
        is_minimized: bool,
    ) -> Result<Rc<dyn CostFunction>> {
        if let Some(made) = self.made.get(&(choice, is_minimized)) {
            return Ok(Rc::clone(made));
        }
        let made: Rc<dyn CostFunction> = match choice {
            CostChoice::Proximity => Rc::new(Proximity::new("proximity", &self.proximity_kinds)),
            CostChoice::FlowProximity => Rc::new(Proximity::of_flow()),
            CostChoice::MemoryProximity => Rc::new(Proximity::of_memory()),
            CostChoice::Feautrier => Rc::new(Feautrier::All),
            CostChoice::Contiguity => Rc::new(RankedIterators::contiguity(scop)?),
            CostChoice::BigLoopsFirst => Rc::new(RankedIterators::big_loops_first(scop)?),
            CostChoice::LongStridesFirst => Rc::new(RankedIterators::long_strides_first(scop)?),
            CostChoice::CoefficientSums => Rc::new(CoefficientSums),
            CostChoice::TemporalSpatial => Rc::new(TemporalSpatial::new(scop)?),
            CostChoice::CarrySpatial => Rc::new(CarrySpatial::new(scop)?),
            CostChoice::Variable(number) => {
                Rc::new(UserCost::new(self.variables[number].clone(), is_minimized))
            }
        };
        self.made.insert((choice, is_minimized), Rc::clone(&made));
        Ok(made)
    }
}
