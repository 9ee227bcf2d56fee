//! What a library may name: statements, parameters, variables.

use crate::error::{Error, Result};
use farkas_base::Id;
use farkas_schedule::{Coefficient, CostChoice, UserVariable};
use farkas_scop::{ParamId, Scop, StmtId};
use std::num::NonZeroU32;

/// The things that a library may name, with their counts.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Name and depth of each statement.
    stmts: Vec<(String, usize)>,
    n_params: usize,
    /// The variables of the library's.
    pub(crate) variables: Vec<UserVariable>,
    /// How many elements count as one line, where the library looks at what is used again.
    pub(crate) line: Option<NonZeroU32>,
}

impl Facts {
    /// Those of `scop`, without variables.
    pub(crate) fn of(scop: &Scop) -> Self {
        let stmts = scop.stmts().iter().map(|stmt| (stmt.name.clone(), stmt.depth())).collect();
        Self { stmts, n_params: scop.params().len(), variables: Vec::new(), line: None }
    }

    /// How many statements there are.
    pub(crate) fn n_stmts(&self) -> usize {
        self.stmts.len()
    }

    /// The statement with this number.
    pub(crate) fn stmt(&self, index: u32) -> Result<StmtId> {
        position("statement".to_owned(), index, self.stmts.len()).map(StmtId::from_index)
    }

    /// Different statements with these numbers, ascending.
    pub(crate) fn stmts(&self, indices: &[u32]) -> Result<Vec<StmtId>> {
        let mut stmts = indices.iter().map(|&i| self.stmt(i)).collect::<Result<Vec<_>>>()?;
        stmts.sort_unstable();
        match stmts.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Error::Twice { what: "statement", name: self.name(pair[0]) }),
            None => Ok(stmts),
        }
    }

    /// The name of a statement.
    pub(crate) fn name(&self, stmt: StmtId) -> String {
        self.stmts.get(stmt.index()).map_or_else(|| stmt.to_string(), |(name, _)| name.clone())
    }

    /// The coefficient of a statement's iterator with this number.
    pub(crate) fn iterator(&self, stmt: StmtId, index: u32) -> Result<Coefficient> {
        let depth = self.stmts.get(stmt.index()).map_or(0, |(_, depth)| *depth);
        let what = format!("statement {}'s iterator", self.name(stmt));
        position(what, index, depth).map(Coefficient::Iterator)
    }

    /// The coefficient of the parameter with this number.
    pub(crate) fn param(&self, index: u32) -> Result<Coefficient> {
        let at = position("parameter".to_owned(), index, self.n_params)?;
        Ok(Coefficient::Param(ParamId::from_index(at)))
    }

    /// The variable with this number.
    pub(crate) fn variable(&self, index: u32) -> Result<usize> {
        position("variable".to_owned(), index, self.variables.len())
    }

    /// The cost function called `name`.
    pub(crate) fn cost(&self, name: &str) -> Result<CostChoice> {
        let named = CostChoice::NAMED.iter().find(|(other, _)| *other == name).map(|(_, c)| *c);
        if let Some(cost) = named.filter(|cost| cost.follows_reuse() && self.line.is_none()) {
            return Err(Error::NoLine { cost: cost_name(cost) });
        }
        let variable = || self.variables.iter().position(|variable| variable.name == name);
        named.or_else(|| variable().map(CostChoice::Variable)).ok_or_else(|| {
            let named = CostChoice::NAMED.iter().map(|(name, _)| (*name).to_owned());
            let variables = self.variables.iter().map(|variable| variable.name.clone());
            let expected = named.chain(variables).collect();
            Error::Unknown { what: "cost function", name: name.to_owned(), expected }
        })
    }
}

/// The name of a cost function that has one.
fn cost_name(cost: CostChoice) -> &'static str {
    CostChoice::NAMED.iter().find(|(_, named)| *named == cost).map_or("", |(name, _)| name)
}

/// `index` as a position in a list of `len` things, each a `what`.
fn position(what: String, index: u32, len: usize) -> Result<usize> {
    let at = usize::try_from(index).ok().filter(|&at| at < len);
    at.ok_or(Error::OutOfRange { what, index, len })
}
