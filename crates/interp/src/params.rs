//! Values of parameters.

use crate::affine::Points;
use crate::{Error, Result};
use farkas_scop::Scop;
use std::collections::BTreeMap;

/// Concrete values of a scop's parameters, and how large an execution may become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Params {
    values: BTreeMap<String, i64>,
    max_instances: usize,
}

impl Params {
    /// These values; at most a million instances.
    pub fn new<S: Into<String>>(values: impl IntoIterator<Item = (S, i64)>) -> Self {
        let values = values.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self { values, max_instances: 1_000_000 }
    }

    /// The same value for every parameter of `scop`.
    pub fn all(scop: &Scop, value: i64) -> Self {
        Self::new(scop.params().iter().map(|param| (param.name.as_str(), value)))
    }

    /// With another limit on the number of instances.
    #[must_use]
    pub fn with_max_instances(mut self, max_instances: usize) -> Self {
        self.max_instances = max_instances;
        self
    }

    /// How many instances an execution may have.
    pub fn max_instances(&self) -> usize {
        self.max_instances
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// [`Error::NoValue`].
    pub fn value(&self, name: &str) -> Result<i64> {
        self.values.get(name).copied().ok_or_else(|| Error::NoValue(name.to_owned()))
    }

    /// The values by name, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        self.values.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// Every parameter of `scop` has a value, and the values lie in its context.
    ///
    /// # Errors
    /// [`Error::NoValue`], [`Error::OutsideContext`].
    pub fn check(&self, scop: &Scop) -> Result<()> {
        scop.params().iter().try_for_each(|param| self.value(&param.name).map(|_| ()))?;
        let context = scop.context();
        if Points::new(&context.from_params()?, self)?.contains(&[])? {
            Ok(())
        } else {
            Err(Error::OutsideContext(context.to_string()))
        }
    }
}
