//! OpenSCoP: the exchange format of clan, candl, clay and CLooG (Bastoul, *OpenScop: A Specification and a Library for
//! Data Exchange in Polyhedral Compilation Tools*, 2011), as the library osl 0.9 reads and writes it.
//!
//! [`parse`] makes a [`Document`] of text and `Display` text of it; what is read, printed and read again is equal.
//! [`scop_of`] makes a [`Scop`](farkas_scop::Scop) of one scop of a document; [`reschedule`] puts a new order, given as
//! a schedule tree, into the document, and leaves everything else in it as it is. [`document_scop`] makes a scop of a
//! document from any [`Scop`](farkas_scop::Scop), for instance one that came from C.
//!
//! Bodies stay text: only their iterators are found in them.

mod document;
mod lower;
mod poly;
mod raise;

pub use document::{
    BasicRelation, Body, Coordinates, Directive, Document, ExtBody, Extension, LoopNote, OpenScop,
    OpenStatement, Parsed, Relation, RelationKind, Row, RowKind, parse,
};
pub use lower::{Lowered, scop_of};
pub use raise::{Origin, document_scop, order_of, reschedule};

/// Why a schedule cannot be written into a document.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// A tree with nodes that OpenSCoP has no means for.
    #[error("OpenSCoP has no means for {0} nodes")]
    NoMeansFor(&'static str),
    /// Scop and document do not belong together.
    #[error("statement {0} of the scop is not in the document")]
    NoStatement(String),
    /// A relation that changed its meaning on the way into the document: a bug.
    #[error("the scattering of {0} cannot be written exactly")]
    NotExact(String),
}

/// The result of writing into a document.
pub type Result<T> = std::result::Result<T, Error>;
