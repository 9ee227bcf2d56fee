//! The scop itself.

use crate::{
    Array, ArrayId, Assumption, Expr, ParamId, Reassociation, ScopBuilder, Statement, StmtId,
};
use farkas_base::IdVec;
use farkas_poly::{Map, Result, Set, UnionMap, UnionSet};
use std::rc::Rc;

/// A symbolic constant of a scop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name in the source.
    pub name: String,
    /// Its type as the source writes it.
    pub ty: String,
    /// What its declaration gives it, in other parameters, where nothing changes either: `const int half = n / 2`. A hint: sizes
    /// for which a scop is to be fast are such.
    pub stated: Option<Expr>,
}

impl Parameter {
    /// A parameter of which nothing is stated.
    pub fn new(name: impl Into<String>, ty: impl Into<String>) -> Self {
        Self { name: name.into(), ty: ty.into(), stated: None }
    }
}

/// A static control part. Immutable, clones share all; see the crate's documentation for what holds of it.
#[derive(Clone, Eq, Debug)]
pub struct Scop {
    parts: Rc<ScopBuilder>,
}

impl PartialEq for Scop {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.parts == other.parts
    }
}

impl Scop {
    /// The scop of verified parts; for [`ScopBuilder::build`] alone.
    pub(crate) fn from_verified(parts: ScopBuilder) -> Self {
        Self { parts: Rc::new(parts) }
    }

    /// Whether both are clones of one.
    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.parts, &other.parts)
    }

    /// The parts, to build a changed scop from.
    pub fn to_builder(&self) -> ScopBuilder {
        (*self.parts).clone()
    }

    /// Its name, unique in its file: the function, and `:N` for all but the first of the function.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// The parameters.
    pub fn params(&self) -> &IdVec<ParamId, Parameter> {
        &self.parts.params
    }

    /// What is known of the parameters, as a parameter set.
    pub fn context(&self) -> &Set {
        &self.parts.context
    }

    /// The parameters for which the original program evaluates nothing that its signed types do not hold, which would be
    /// undefined, as far as that is known: code for the scop need be right for no others. `None` where nothing is known.
    pub fn defined(&self) -> Option<&Set> {
        self.parts.defined.as_ref()
    }

    /// The arrays and scalars.
    pub fn arrays(&self) -> &IdVec<ArrayId, Array> {
        &self.parts.arrays
    }

    /// The statements in textual order.
    pub fn stmts(&self) -> &IdVec<StmtId, Statement> {
        &self.parts.stmts
    }

    /// What was taken for granted.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.parts.assumptions
    }

    /// Which updates may run in another order.
    pub fn reassociation(&self) -> Reassociation {
        self.parts.reassociation
    }

    /// The same scop with other updates that may run in another order.
    #[must_use]
    pub fn with_reassociation(&self, reassociation: Reassociation) -> Self {
        if self.parts.reassociation == reassociation {
            return self.clone();
        }
        let parts = ScopBuilder { reassociation, ..(*self.parts).clone() };
        Self { parts: Rc::new(parts) }
    }

    /// All names that occur: of arrays, parameters, statements and iterators.
    pub fn names(&self) -> Vec<String> {
        let arrays = self.arrays().iter().flat_map(|a| [a.name.clone(), a.source_name.clone()]);
        let params = self.params().iter().map(|p| p.name.clone());
        let stmts = self.stmts().iter().flat_map(|s| {
            std::iter::once(s.name.clone()).chain(s.iterators.iter().map(|i| i.name.clone()))
        });
        arrays.chain(params).chain(stmts).collect()
    }

    /// The statement called `name`.
    pub fn stmt_by_name(&self, name: &str) -> Option<StmtId> {
        self.parts.stmts.iter_enumerated().find(|(_, s)| s.name == name).map(|(id, _)| id)
    }

    /// The instances of `stmt` under the context.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn domain_of(&self, stmt: StmtId) -> Result<Set> {
        self.parts.stmts[stmt].domain.intersect_params(&self.parts.context)
    }

    /// All instances under the context.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn domain(&self) -> Result<UnionSet> {
        let domains: Vec<Set> =
            self.parts.stmts.ids().map(|s| self.domain_of(s)).collect::<Result<_>>()?;
        UnionSet::union_all(domains)
    }

    /// The original order: from instances to dates, restricted to the domains.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn order(&self) -> Result<UnionMap> {
        let dates: Vec<Map> = self
            .parts
            .stmts
            .iter_enumerated()
            .map(|(id, s)| s.date.intersect_domain(&self.domain_of(id)?))
            .collect::<Result<_>>()?;
        UnionMap::union_all(dates)
    }
}
