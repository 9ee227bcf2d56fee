//! Statements.

use crate::{Access, AccessId, BodyStmt};
use farkas_base::{IdVec, Span};
use farkas_poly::{Map, PwAff, Set};

/// One loop around a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iterator {
    /// The user's name for it.
    pub name: String,
    /// The user's type for it: `int`, `long`, `size_t`.
    pub ty: String,
    /// The user's value as a function of the instance, `{ S[x, y] -> [(n - 1 - x)] }`; a dimension itself where the
    /// loop runs upward by one.
    pub value: PwAff,
}

/// A statement of a scop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Unique name; the isl tuple name of its instances.
    pub name: String,
    /// The user's C label, if it has one.
    pub label: Option<String>,
    /// The instances, `[n] -> { S[i, j] : 0 <= i < n and ... }`; one dimension a surrounding loop, outermost first. The
    /// scop's context is not part of it.
    pub domain: Set,
    /// The surrounding loops, one a dimension of the domain.
    pub iterators: Vec<Iterator>,
    /// The date of each instance in the original program, in the scop's common unnamed space. Statements that a
    /// transformation adds have no place there; their dates are zero and mean nothing.
    pub date: Map,
    /// What it touches. Within an instance all reads of an assignment precede its write; accesses are listed in the
    /// order of the body.
    pub accesses: IdVec<AccessId, Access>,
    /// What it computes.
    pub body: Vec<BodyStmt>,
    /// Where it stands.
    pub span: Option<Span>,
}

impl Statement {
    /// Number of loops around it.
    pub fn depth(&self) -> usize {
        self.iterators.len()
    }
}
