//! Building and verifying a scop.

use crate::{
    Array, ArrayId, Assumption, BodyStmt, Expr, ParamId, Parameter, Reassociation, Scop, Statement,
    StmtId, TextPiece,
};
use farkas_base::IdVec;
use farkas_poly::{DimType, Result, Set};

/// The parts of a scop before they are verified. Fields are documented at the getters of [`Scop`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "documented at the getters of Scop")]
pub struct ScopBuilder {
    pub name: String,
    pub params: IdVec<ParamId, Parameter>,
    pub context: Set,
    pub arrays: IdVec<ArrayId, Array>,
    pub stmts: IdVec<StmtId, Statement>,
    pub assumptions: Vec<Assumption>,
    pub defined: Option<Set>,
    pub reassociation: Reassociation,
}

/// An invariant of scops that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// The parts contradict one another.
    #[error("{place}: {reason}")]
    Inconsistent {
        /// The statement or array.
        place: String,
        /// What is wrong.
        reason: String,
    },
}

impl ScopBuilder {
    /// A scop called `name` without parameters, arrays and statements.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        Ok(Self {
            name: name.into(),
            params: IdVec::new(),
            context: "{ : }".parse()?,
            arrays: IdVec::new(),
            stmts: IdVec::new(),
            assumptions: Vec::new(),
            defined: None,
            reassociation: Reassociation::Kept,
        })
    }

    /// Verifies the parts. Checked: unique names; tuple names and dimensions of domains, dates and accesses; one common
    /// date space; ids in bodies; parameters of all sets are declared.
    ///
    /// # Errors
    /// The first [`Violation`].
    pub fn build(self) -> std::result::Result<Scop, Violation> {
        self.check_names()?;
        self.check_params(&self.context, "the context")?;
        if let Some(defined) = &self.defined {
            self.check_params(defined, "what is defined")?;
        }
        let mut date_dims = None;
        for stmt in &self.stmts {
            self.check_stmt(stmt)?;
            let dims = stmt.date.dim(DimType::Out)?;
            if *date_dims.get_or_insert(dims) != dims {
                return Err(inconsistent(
                    &stmt.name,
                    "its dates have another number of dimensions",
                ));
            }
        }
        Ok(Scop::from_verified(self))
    }

    /// Names are unique and not empty.
    fn check_names(&self) -> std::result::Result<(), Violation> {
        let groups: [Vec<&str>; 3] = [
            self.params.iter().map(|p| p.name.as_str()).collect(),
            self.arrays.iter().map(|a| a.name.as_str()).collect(),
            self.stmts.iter().map(|s| s.name.as_str()).collect(),
        ];
        for mut names in groups {
            names.sort_unstable();
            if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(inconsistent(pair[0], "the name is used twice"));
            }
            if names.first() == Some(&"") {
                return Err(inconsistent("", "a name is empty"));
            }
        }
        Ok(())
    }

    /// The parameters of `set` are declared.
    fn check_params(&self, set: &Set, place: &str) -> std::result::Result<(), Violation> {
        for name in set.space()?.param_names()? {
            if !self.params.iter().any(|p| p.name == name) {
                return Err(inconsistent(place, format!("parameter {name} is not declared")));
            }
        }
        Ok(())
    }

    /// Domain, date, accesses and body of one statement fit together.
    fn check_stmt(&self, stmt: &Statement) -> std::result::Result<(), Violation> {
        let fail = |reason: String| Err(inconsistent(&stmt.name, reason));
        self.check_params(&stmt.domain, &stmt.name)?;
        if stmt.domain.tuple_name().as_deref() != Some(&stmt.name) {
            return fail("the domain has another tuple name".into());
        }
        if stmt.domain.dim(DimType::SET)? as usize != stmt.depth() {
            return fail("the domain's dimensions are not its iterators".into());
        }
        if stmt.date.tuple_name(DimType::In).as_deref() != Some(&stmt.name) {
            return fail("the date has another domain".into());
        }
        for access in &stmt.accesses {
            let Some(array) = self.arrays.get(access.array) else {
                return fail(format!("access to unknown array {}", access.array));
            };
            if access.relation.tuple_name(DimType::In).as_deref() != Some(&stmt.name)
                || access.relation.tuple_name(DimType::Out).as_deref() != Some(&array.name)
                || access.relation.dim(DimType::Out)? as usize != array.rank()
            {
                return fail(format!(
                    "the access {} does not fit array {}",
                    access.relation, array.name
                ));
            }
            for subscript in &access.subscripts {
                self.check_expr(stmt, subscript)?;
            }
        }
        stmt.body.iter().try_for_each(|body| self.check_body(stmt, body))
    }

    /// Every id in the body exists.
    fn check_body(&self, stmt: &Statement, body: &BodyStmt) -> std::result::Result<(), Violation> {
        match body {
            BodyStmt::Assign { target, read, value, .. } => {
                for access in std::iter::once(target).chain(read) {
                    self.check_expr(stmt, &Expr::Access(*access))?;
                }
                self.check_expr(stmt, value)
            }
            BodyStmt::If { condition, then, otherwise } => {
                self.check_expr(stmt, condition)?;
                then.iter().chain(otherwise).try_for_each(|s| self.check_body(stmt, s))
            }
            BodyStmt::Local { value, .. } => {
                value.iter().try_for_each(|v| self.check_expr(stmt, v))
            }
            BodyStmt::AssignLocal { value, .. } => self.check_expr(stmt, value),
            BodyStmt::Block(stmts) => stmts.iter().try_for_each(|s| self.check_body(stmt, s)),
            BodyStmt::Loop(inner) => {
                let assigns = |s: &BodyStmt| {
                    matches!(s, BodyStmt::Assign { .. } | BodyStmt::AssignLocal { .. })
                };
                if !inner.step.iter().all(assigns) {
                    return Err(inconsistent(&stmt.name, "a loop's step is no assignment"));
                }
                inner.condition.iter().try_for_each(|c| self.check_expr(stmt, c))?;
                let parts = inner.first.iter().chain(&inner.step).chain(&inner.body);
                parts.into_iter().try_for_each(|s| self.check_body(stmt, s))
            }
            BodyStmt::Break | BodyStmt::Continue => Ok(()),
            BodyStmt::Text(pieces) => pieces.iter().try_for_each(|piece| match piece {
                TextPiece::Iterator(at) => self.check_expr(stmt, &Expr::Iterator(*at)),
                TextPiece::Text(_) => Ok(()),
            }),
        }
    }

    /// Every id in the expression exists.
    fn check_expr(&self, stmt: &Statement, expr: &Expr) -> std::result::Result<(), Violation> {
        let mut known = true;
        expr.walk(&mut |e| {
            known &= match e {
                Expr::Iterator(i) => (*i as usize) < stmt.depth(),
                Expr::Param(p) => self.params.get(*p).is_some(),
                Expr::Access(a) => stmt.accesses.get(*a).is_some(),
                _ => true,
            };
        });
        if known {
            Ok(())
        } else {
            Err(inconsistent(&stmt.name, format!("{expr:?} names something that is not there")))
        }
    }
}

/// The violation at `place`.
fn inconsistent(place: &str, reason: impl Into<String>) -> Violation {
    Violation::Inconsistent { place: place.to_owned(), reason: reason.into() }
}
