//! Statements.

use crate::{Access, AccessId, BodyStmt, Expr, TextPiece};
use farkas_base::{IdVec, Span};
use farkas_poly::{Map, PwAff, Set};

/// What the names of all routines begin with that calls name.
pub(crate) const CALL: &str = "cblas_";

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

    /// A part of its body in which what reads an element of an array by the same subscripts reads it by the first such access: parts are
    /// equal then where they compute the same of the same elements, as `x[i] - c` twice in `(x[i] - c) * (x[i] - c)`.
    #[must_use]
    pub fn with_first_accesses(&self, part: &Expr) -> Expr {
        part.rewritten(&mut |e| match e {
            Expr::Access(access) => {
                let own = &self.accesses[*access];
                let is_same = |other: &&Access| {
                    (other.array, other.kind) == (own.array, own.kind)
                        && other.relation == own.relation
                        && other.subscripts == own.subscripts
                };
                let mut all = self.accesses.iter_enumerated();
                all.find(|(_, other)| is_same(other)).map(|(first, _)| Expr::Access(first))
            }
            _ => None,
        })
    }

    /// Whether it is a call in the place of other statements, by its body: C that nothing else is known of and that stands for whole
    /// operands ([`blas::Call`](crate::blas::Call)).
    pub fn is_call(&self) -> bool {
        let [BodyStmt::Text(pieces)] = self.body.as_slice() else { return false };
        matches!(pieces.first(), Some(TextPiece::Text(text)) if text.starts_with(CALL))
    }
}
