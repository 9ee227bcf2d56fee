//! Orders of statement instances.

use crate::affine::{Function, points};
use crate::{Error, Params, Result};
use farkas_base::IdVec;
use farkas_scop::{ArrayId, Scop, StmtId};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// What one execution of a statement is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Role {
    /// An instance.
    #[default]
    Instance,
    /// What would be one beyond the statement's domain: it touches buffers alone.
    Ghost,
    /// What the statement would write there, in a buffer, is set to zero.
    Clear,
}

/// One execution of a statement.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// The statement.
    pub stmt: StmtId,
    /// Its name.
    pub name: Rc<str>,
    /// The point of its domain.
    pub at: Vec<i64>,
    /// What it is.
    pub role: Role,
}

/// Instances in the order in which they are executed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Order {
    /// The instances.
    pub instances: Vec<Instance>,
    /// Who uses copies of arrays.
    pub copies: Copies,
}

/// The copies of private arrays that instances use; other arrays are shared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copies {
    used: BTreeMap<Instance, BTreeMap<ArrayId, usize>>,
    n_copies: usize,
}

impl Copies {
    /// The copy of `array` that `instance` uses, if it does.
    pub fn of(&self, instance: &Instance, array: ArrayId) -> Option<usize> {
        self.used.get(instance)?.get(&array).copied()
    }

    /// Gives `iteration` fresh copies of `arrays`, apart from instances inside that already have copies.
    pub(crate) fn give(&mut self, arrays: &[ArrayId], iteration: &[Instance]) {
        if arrays.is_empty() || iteration.is_empty() {
            return;
        }
        self.n_copies += 1;
        for instance in iteration {
            let used = self.used.entry(instance.clone()).or_default();
            for array in arrays {
                used.entry(*array).or_insert(self.n_copies);
            }
        }
    }
}

/// The arrays of these names.
pub(crate) fn arrays_named(scop: &Scop, names: &[String]) -> Result<Vec<ArrayId>> {
    let found = |name: &String| {
        let found = scop.arrays().iter_enumerated().find(|(_, array)| array.name == *name);
        found.map(|(id, _)| id).ok_or_else(|| Error::NoArray(name.clone()))
    };
    names.iter().map(found).collect()
}

/// How two orders disagree on what is executed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{instance} runs {expected} times in the first order and {found} times in the second")]
pub struct CountMismatch {
    /// The least instance that runs another number of times.
    pub instance: Instance,
    /// How often it runs in the first order.
    pub expected: usize,
    /// How often it runs in the second order.
    pub found: usize,
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at: Vec<String> = self.at.iter().map(i64::to_string).collect();
        let role = match self.role {
            Role::Instance => "",
            Role::Ghost => " beyond its domain",
            Role::Clear => " set to zero",
        };
        write!(f, "{}[{}]{role}", self.name, at.join(", "))
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Order {
    /// One instance a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.instances.iter().try_for_each(|instance| writeln!(f, "{instance}"))
    }
}

impl Order {
    /// Whether both orders execute the same instances, each as often; what is none of the domains' does not count.
    ///
    /// # Errors
    /// The least instance for which that is not so.
    pub fn check_same_instances(&self, other: &Self) -> std::result::Result<(), CountMismatch> {
        let mut counts: BTreeMap<&Instance, (usize, usize)> = BTreeMap::new();
        let real = |instance: &&Instance| instance.role == Role::Instance;
        for instance in self.instances.iter().filter(real) {
            counts.entry(instance).or_default().0 += 1;
        }
        for instance in other.instances.iter().filter(real) {
            counts.entry(instance).or_default().1 += 1;
        }
        match counts.into_iter().find(|(_, (a, b))| a != b) {
            None => Ok(()),
            Some((instance, (expected, found))) => {
                Err(CountMismatch { instance: instance.clone(), expected, found })
            }
        }
    }
}

/// The statements' names, shared by their instances.
pub(crate) fn names(scop: &Scop) -> IdVec<StmtId, Rc<str>> {
    scop.stmts().map(|stmt| Rc::from(stmt.name.as_str()))
}

/// The instances of `scop` in the order of the original program.
///
/// # Errors
/// When the parameter values lie outside the context, there are more instances than `params` allows, or two instances
/// share a date.
pub fn original_order(scop: &Scop, params: &Params) -> Result<Order> {
    params.check(scop)?;
    let names = names(scop);
    let mut dated: Vec<(Vec<i64>, Instance)> = Vec::new();
    for (stmt, statement) in scop.stmts().iter_enumerated() {
        let left = params.max_instances().saturating_sub(dated.len());
        let points = points(&statement.domain, params, left)?;
        let date = statement.date.to_pw_multi_aff()?;
        let n_dims = statement.date.dim(farkas_poly::DimType::Out)?;
        let dims: Vec<Function> = (0..n_dims)
            .map(|d| Function::new(&date.at(i32::try_from(d).unwrap_or(i32::MAX))?, params))
            .collect::<Result<_>>()?;
        for at in points {
            let instance =
                Instance { stmt, name: Rc::clone(&names[stmt]), at, role: Role::Instance };
            let date = dims
                .iter()
                .map(|dim| dim.value(&instance.at)?.ok_or_else(|| undefined("the date", &instance)))
                .collect::<Result<_>>()?;
            dated.push((date, instance));
        }
    }
    dated.sort();
    if let Some(pair) = dated.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(Error::SameDate(pair[0].1.clone(), pair[1].1.clone()));
    }
    let instances = dated.into_iter().map(|(_, instance)| instance).collect();
    Ok(Order { instances, copies: Copies::default() })
}

/// The error that `what` has no value at `instance`.
pub(crate) fn undefined(what: &str, instance: &Instance) -> Error {
    Error::Undefined { what: what.to_owned(), instance: instance.clone() }
}
