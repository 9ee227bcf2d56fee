//! Accesses of statements to arrays.

use crate::{ArrayId, Expr};
use farkas_base::Span;
use farkas_poly::{DimType, Map};

/// What an access does to the elements it touches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessKind {
    /// Reads them.
    Read,
    /// Writes them whenever the instance runs.
    MustWrite,
    /// Writes them, or not: the write stands under a condition on data, or its subscript is an over-approximation.
    MayWrite,
    /// Ends the life of their values; nothing is written.
    Kill,
}

impl AccessKind {
    /// Whether the access may change its elements.
    pub fn is_write(self) -> bool {
        matches!(self, Self::MustWrite | Self::MayWrite)
    }

    /// The word that text forms use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::MustWrite => "must-write",
            Self::MayWrite => "may-write",
            Self::Kill => "kill",
        }
    }
}

/// One reference to an array in a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The array.
    pub array: ArrayId,
    /// What it does.
    pub kind: AccessKind,
    /// From instances to elements, `{ S[i, j] -> A[i, j + 1] }`; the tuple names are those of statement and array.
    /// Not restricted to the domain. Zero-dimensional for scalars.
    pub relation: Map,
    /// The subscripts as the source writes them, over the statement's iterators and parameters. Their number may differ
    /// from the array's dimensions: `A[i * n + j]` may be an access to a two-dimensional array.
    pub subscripts: Vec<Expr>,
    /// Where it is written.
    pub span: Option<Span>,
}

impl Access {
    /// The dimensions in which the relation names several elements, of which the instance touches one: data or what is not affine chooses
    /// it, as in `count[x[i]]`, and the subscript says how.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn chosen_dims(&self) -> farkas_poly::Result<Vec<usize>> {
        let rank = self.relation.dim(DimType::Out)?;
        let mut chosen = Vec::new();
        if self.relation.is_single_valued()? {
            return Ok(chosen);
        }
        for at in 0..rank {
            let behind = self.relation.project_out(DimType::Out, at + 1, rank - at - 1)?;
            if !behind.project_out(DimType::Out, 0, at)?.is_single_valued()? {
                chosen.push(at as usize);
            }
        }
        Ok(chosen)
    }
}
