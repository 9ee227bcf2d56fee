//! Recipes that were found for one region, addressed to the statements and arrays of another.
//!
//! Statements of the two are paired so that the sum of their distances is least, and arrays so that as many accesses as can be agree. What
//! comes of it is only a proposal: steps may not apply, or be illegal.

use super::assign::assigned;
use super::key::{Described, KnownForm, described};
use super::recipes::Hit;
use super::replay::{foreign_strategy, machine, program};
use crate::analyze::analyze;
use crate::basis::Basis;
use crate::storage::asked_for;
use crate::threads::alone;
use crate::{Error, Options, Session, Strategy};
use farkas_base::{Diagnostic, SourceFile};
use farkas_config::{RecipeFile, RecipeOrder, RecipeStep, print_recipe};
use farkas_db::Entry;
use farkas_normalize::{Embedded, EmbeddedStmt, differences, distance};
use farkas_poly::with_budget;
use farkas_scop::{Region, Scop, Statement};
use farkas_steps::{ArrayAddress, Step};
use farkas_transform::Action;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// isl operations that an entry's program may take to be understood.
const MAX_OPERATIONS: u64 = 10_000_000;

/// How many differences of two nests are told.
const MOST_DIFFERENCES: usize = 3;

/// A recipe for a region, taken from another one.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    /// Where it is from, in words.
    pub(crate) name: String,
    /// Why it was taken, in words.
    pub(crate) reason: String,
    /// The recipe as it was for the other region: its strategy counts.
    pub(crate) recipe: RecipeFile,
    /// Steps that come before the order.
    pub(crate) storage: Vec<Proposed>,
    /// The others.
    pub(crate) steps: Vec<Proposed>,
    /// What is left out already, and why.
    pub(crate) told: Vec<String>,
}

impl Proposal {
    /// The recipe's file for the region. Steps that do not apply there are left out.
    ///
    /// # Errors
    /// When JSON cannot hold it.
    pub(crate) fn text(&self) -> serde_json::Result<String> {
        let storage: Vec<Step> = self.storage.iter().filter_map(Proposed::step).cloned().collect();
        let steps: Vec<Action> = self.steps.iter().map(|step| step.action.clone()).collect();
        let strategy = self.recipe.strategy().unwrap_or(Strategy::Original.name());
        let (fusion, is_normal) = (self.recipe.fusion(), self.recipe.is_normal());
        let order = RecipeOrder { strategy, fusion, is_normal };
        let text = print_recipe(&self.name, &storage, order, &steps, None)?;
        let mut file: Value = serde_json::from_str(&text)?;
        for step in file["recipe"]["steps"].as_array_mut().into_iter().flatten() {
            if step.get("step").is_some_and(|word| word != "schedule") {
                step["optional"] = true.into();
            }
        }
        Ok(file.to_string())
    }
}

/// A step of a proposal.
#[derive(Clone, Debug)]
pub(crate) struct Proposed {
    /// Its place in the list of the recipe's steps, from one on.
    pub(crate) number: usize,
    /// What it does.
    pub(crate) action: Action,
}

impl Proposed {
    /// The step; none where it is a planner.
    pub(crate) fn step(&self) -> Option<&Step> {
        match &self.action {
            Action::Step(step) => Some(step),
            Action::Plan(_) => None,
        }
    }
}

impl fmt::Display for Proposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} ({})", self.number, self.action.word())
    }
}

/// The recipe of an entry for another region, of which `stmts` says where its statements lie.
///
/// # Errors
/// What is wrong with the entry.
pub(crate) fn proposal(
    hit: &Hit,
    scop: &Scop,
    Embedded { whole, stmts }: &Embedded,
) -> Result<Proposal, Vec<Diagnostic>> {
    // On a thread of its own, so that what isl remembers of it changes nothing.
    let known = alone(|| Known::of(&hit.entry)).unwrap_or_else(|| Err(Vec::new()))?;
    let (name, reason) = match hit.nearness {
        None => (known.name.clone(), "its normal form is the same".to_owned()),
        Some(near) => {
            let name = format!("{} (distance {:.2})", known.name, near.distance);
            (name, nearness(hit, near.n_nests, whole))
        }
    };
    let pairs = pairs(&known, scop, stmts);
    let n_storage = known.storage.len();
    let n_before = n_storage + usize::from(known.recipe.strategy().is_some());
    let mut told = Vec::new();
    let mut address = |steps: &[Action], n_before: usize| {
        let mut proposed = Vec::new();
        for (at, action) in steps.iter().enumerate() {
            let number = n_before + at + 1;
            let step = Proposed { number, action: action.clone() };
            match pairs.addressed(action.clone()) {
                Ok(action) => proposed.push(Proposed { number, action }),
                Err(stmt) => told.push(format!("{step} is left out: no statement is like {stmt}")),
            }
        }
        proposed
    };
    let storage = address(&known.storage, 0);
    let steps = address(&known.steps, n_before);
    Ok(Proposal { name, reason, recipe: known.recipe, storage, steps, told })
}

/// How near an entry is to a region that lies elsewhere, in words.
fn nearness(hit: &Hit, n_nests: usize, whole: &[f32]) -> String {
    let nearest = match n_nests {
        1 => "it is the only nest there".to_owned(),
        n => format!("it is among the nearest of {n} nests"),
    };
    let own = hit.entry.embedding.as_ref().map_or(&[][..], |embedding| &embedding.values);
    let most = differences(own, whole, MOST_DIFFERENCES);
    match most.is_empty() {
        true => nearest,
        false => format!("{nearest}, other in {}", most.join(", ")),
    }
}

/// What of an entry is needed for another region.
struct Known {
    name: String,
    stmts: Vec<EmbeddedStmt>,
    /// What each statement accesses, by its name.
    accesses: BTreeMap<String, Vec<Accessed>>,
    recipe: RecipeFile,
    storage: Vec<Action>,
    steps: Vec<Action>,
}

/// An access: what matters of it for pairs of arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Accessed {
    array: String,
    rank: usize,
    is_write: bool,
}

impl Known {
    /// What is known of an entry.
    fn of(entry: &Entry) -> Result<Self, Vec<Diagnostic>> {
        let input = program("program of a database", &entry.program)?;
        let recipe = SourceFile::new("recipe of a database", entry.recipe.as_str());
        let recipe = RecipeFile::parse(Arc::new(recipe))?;
        if let Some(refused) = foreign_strategy(&recipe) {
            return Err(vec![refused]);
        }
        let region = super::replay::only_region(&input)?;
        let options = Options { machine: machine(&entry.key.machine), ..Options::default() };
        let options = options.of_file(&input.source);
        let lines = |stmt: &Statement| crate::scheduling::lines(&options)(stmt);
        let of_recipe = Options { recipe: Some(Arc::new(recipe.clone())), ..options.clone() };
        let divided = with_budget(MAX_OPERATIONS, || in_parts(&of_recipe, region));
        let divided = divided.map_err(|error| vec![error.to_diagnostic()])?;
        let (storage, steps) = match divided {
            Some(Basis { scop, steps, .. }) => {
                let own = steps.into_iter().map(Action::Step);
                (own.collect(), recipe.resolve(&scop, lines)?)
            }
            None => {
                let own = (0..recipe.n_storage())
                    .map(|at| recipe.resolve_storage(at, &region.scop, lines))
                    .collect::<Result<Vec<_>, _>>()?;
                let own = own.into_iter().flatten().map(|step| step.action);
                (own.collect(), recipe.resolve(&region.scop, lines)?)
            }
        };
        let steps = steps.into_iter().map(|step| step.action).collect();
        let described = with_budget(MAX_OPERATIONS, || {
            described(region, KnownForm::default(), &options, &mut Session::default())
        });
        let Described { embedded, .. } = described.map_err(|error| vec![error.to_diagnostic()])?;
        Ok(Self {
            name: region.function.clone(),
            stmts: embedded.stmts,
            accesses: accesses(&region.scop),
            recipe,
            storage,
            steps,
        })
    }
}

/// A region after the steps of a recipe that come before its order, where these make parts of statements, which later steps speak of.
fn in_parts(options: &Options, region: &Region) -> Result<Option<Basis>, Error> {
    let divides = |step: &RecipeStep| step.action.word() == "divide";
    let recipe = options.recipe.as_ref();
    if !recipe.is_some_and(|recipe| recipe.storage().iter().any(divides)) {
        return Ok(None);
    }
    let mut session = Session::default();
    let deps = analyze(&region.scop, options, &mut session)?;
    asked_for(Basis::of(&region.scop, deps), options, &mut session).map(Some)
}

/// What the statements of a scop access, by their names.
fn accesses(scop: &Scop) -> BTreeMap<String, Vec<Accessed>> {
    let of = |stmt: &Statement| {
        let accesses = stmt.accesses.iter().map(|access| {
            let array = &scop.arrays()[access.array];
            let is_write = access.kind.is_write();
            Accessed { array: array.name.clone(), rank: array.rank(), is_write }
        });
        (stmt.name.clone(), accesses.collect())
    };
    scop.stmts().iter().map(of).collect()
}

/// What in one region stands for what in the other.
struct Pairs {
    /// Statements by name.
    stmts: BTreeMap<String, String>,
    /// Arrays by name.
    arrays: BTreeMap<String, String>,
    /// The statements of the first region that the recipe makes parts of.
    divided: BTreeSet<String>,
    /// The statements of the first region and what they access.
    accesses: BTreeMap<String, Vec<Accessed>>,
}

/// The pairs of an entry's region and another.
fn pairs(known: &Known, scop: &Scop, stmts: &[EmbeddedStmt]) -> Pairs {
    let costs: Vec<Vec<f64>> = known
        .stmts
        .iter()
        .map(|own| {
            stmts
                .iter()
                .map(|other| distance(&own.values, &other.values).min(f64::from(u32::MAX)))
                .collect()
        })
        .collect();
    let mut paired = BTreeMap::new();
    for (own, other) in known.stmts.iter().zip(assigned(&costs)) {
        if let Some(other) = other.and_then(|at| stmts.get(at)) {
            paired.entry(own.name.clone()).or_insert_with(|| other.name.clone());
        }
    }
    let arrays = paired_arrays(&known.accesses, &accesses(scop), &paired);
    let divided = known.storage.iter().filter_map(|action| match action {
        Action::Step(Step::Divide(divide)) => Some(divide.stmt.clone()),
        _ => None,
    });
    Pairs { stmts: paired, arrays, divided: divided.collect(), accesses: known.accesses.clone() }
}

/// The pairs of arrays that agree in most accesses of paired statements: in the direction, in the rank, and in the place among those.
fn paired_arrays(
    own: &BTreeMap<String, Vec<Accessed>>,
    others: &BTreeMap<String, Vec<Accessed>>,
    stmts: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let names = |all: &BTreeMap<String, Vec<Accessed>>| {
        let mut names: Vec<String> = all.values().flatten().map(|a| a.array.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let (rows, columns) = (names(own), names(others));
    let mut costs = vec![vec![0.0; columns.len()]; rows.len()];
    for (stmt, other) in stmts {
        let (Some(first), Some(second)) = (own.get(stmt), others.get(other)) else { continue };
        for (a, b) in alike(first, second) {
            let place = (rows.binary_search(&a.array), columns.binary_search(&b.array));
            if let (Ok(row), Ok(column)) = place {
                costs[row][column] -= 1.0;
            }
        }
    }
    let assigned = assigned(&costs).into_iter().enumerate();
    let pairs = assigned.filter_map(|(row, column)| Some((row, column?)));
    // Arrays that have nothing in common are no pair.
    let pairs = pairs.filter(|&(row, column)| costs[row][column] < 0.0);
    pairs.map(|(row, column)| (rows[row].clone(), columns[column].clone())).collect()
}

/// The accesses of two statements that have one place among those of their direction and rank.
fn alike<'a>(first: &'a [Accessed], second: &'a [Accessed]) -> Vec<(&'a Accessed, &'a Accessed)> {
    let numbered = |all: &'a [Accessed]| {
        let mut counts: BTreeMap<(usize, bool), usize> = BTreeMap::new();
        all.iter().map(move |access| {
            let count = counts.entry((access.rank, access.is_write)).or_default();
            *count += 1;
            ((access.rank, access.is_write, *count), access)
        })
    };
    let second: BTreeMap<_, _> = numbered(second).collect();
    numbered(first).filter_map(|(place, a)| Some((a, *second.get(&place)?))).collect()
}

impl Pairs {
    /// A step for the other region.
    ///
    /// # Errors
    /// The name of a statement that has no partner.
    fn addressed(&self, mut action: Action) -> Result<Action, String> {
        match &mut action {
            Action::Plan(planner) => {
                for stmt in planner.stmts() {
                    *stmt = self.stmt(stmt)?;
                }
            }
            Action::Step(step) => {
                for at in step.loops() {
                    if let Some(stmt) = at.stmt() {
                        let stmt = self.stmt(stmt)?;
                        *at = at.clone().with_stmt(stmt);
                    }
                }
                for array in step.arrays() {
                    *array = self.array(array)?;
                }
                for stmt in step.stmts() {
                    *stmt = self.stmt(stmt)?;
                }
            }
        }
        Ok(action)
    }

    /// The partner of a statement; those that steps add keep their names, but for parts of statements, which are called after these.
    fn stmt(&self, name: &str) -> Result<String, String> {
        match (self.stmts.get(name), self.accesses.contains_key(name)) {
            (Some(partner), _) => Ok(partner.clone()),
            (None, true) => Err(name.to_owned()),
            (None, false) => Ok(self.part(name).unwrap_or_else(|| name.to_owned())),
        }
    }

    /// The name that a part of a statement has in the other region.
    fn part(&self, name: &str) -> Option<String> {
        let (whole, number) = name.rsplit_once('_')?;
        let partner = self.stmts.get(whole).filter(|_| self.divided.contains(whole))?;
        Some(format!("{partner}_{number}"))
    }

    /// The partner of an array.
    fn array(&self, array: &ArrayAddress) -> Result<ArrayAddress, String> {
        match array {
            ArrayAddress::Name(name) => {
                Ok(ArrayAddress::Name(self.arrays.get(name).unwrap_or(name).clone()))
            }
            ArrayAddress::WrittenBy(stmt) => Ok(ArrayAddress::WrittenBy(self.stmt(stmt)?)),
            ArrayAddress::ReadBy(stmt, at) => {
                let reads = self.accesses.get(stmt).into_iter().flatten().filter(|a| !a.is_write);
                let read = at.checked_sub(1).and_then(|at| reads.clone().nth(at));
                match read.and_then(|read| self.arrays.get(&read.array)) {
                    Some(partner) => Ok(ArrayAddress::Name(partner.clone())),
                    None => Ok(ArrayAddress::ReadBy(self.stmt(stmt)?, *at)),
                }
            }
        }
    }
}
