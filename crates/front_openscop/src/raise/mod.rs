//! From a scop and a schedule tree to a document.

mod document;
mod flatten;
mod loops;
mod order;
mod scale;
mod schedule;

use farkas_poly::Map;

pub use document::document_scop;
pub use order::order_of;
pub use schedule::reschedule;

/// How the instances of a scop correspond to those of a scop of a document.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// For each statement, from instances of the document to those of the scop: `{ S1[i, j] -> S1[-i, j] }`.
    pub instances: Vec<Map>,
}
