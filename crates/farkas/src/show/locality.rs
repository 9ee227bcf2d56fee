//! Locality in the JSON that `farkas show` prints.

use super::json::{PlaceDoc, place};
use crate::Input;
use farkas_base::Id;
use farkas_deps::Locality;
use farkas_scop::{AccessId, Scop, StmtId};
use serde::Serialize;

/// What a schedule may use again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LocalityDoc {
    /// The accesses, by statement.
    pub references: Vec<ReferenceDoc>,
    /// The pairs of instances that use something again.
    pub relations: Vec<ReuseDoc>,
}

/// An access as locality sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReferenceDoc {
    /// The array's tuple name.
    pub array: String,
    /// The access.
    #[serde(flatten)]
    pub access: AccessPlaceDoc,
    /// A number that those accesses to an array share whose subscripts differ in constants alone.
    pub pattern: usize,
    /// A row a subscript, in it a coefficient an iterator; null where a subscript is not affine.
    pub subscripts: Option<Vec<Vec<i64>>>,
}

/// Pairs of instances that use an element or a line, one soon after the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReuseDoc {
    /// `temporal` or `spatial`.
    pub reuse: &'static str,
    /// The array's tuple name.
    pub array: String,
    /// The access of the instance that comes first; it stands for all of its statement with the same pattern.
    pub source: AccessPlaceDoc,
    /// The access of the instance that comes second.
    pub sink: AccessPlaceDoc,
    /// The pairs of instances.
    pub relation: String,
}

/// An access of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AccessPlaceDoc {
    /// The statement.
    pub statement: String,
    /// The position of the access.
    pub access: usize,
    /// Where it is written.
    pub place: Option<PlaceDoc>,
}

/// The document of `locality`.
pub(super) fn locality_doc(input: &Input, scop: &Scop, locality: &Locality) -> LocalityDoc {
    let access = |stmt: StmtId, access: AccessId| {
        let statement = &scop.stmts()[stmt];
        AccessPlaceDoc {
            statement: statement.name.clone(),
            access: access.index(),
            place: place(input, statement.accesses[access].span),
        }
    };
    let references = locality.references.iter().map(|r| ReferenceDoc {
        array: scop.arrays()[r.array].name.clone(),
        access: access(r.stmt, r.access),
        pattern: r.pattern.index(),
        subscripts: r.subscripts.clone(),
    });
    let relations = locality.relations.iter().map(|r| ReuseDoc {
        reuse: r.reuse.name(),
        array: scop.arrays()[r.array].name.clone(),
        source: access(r.source, r.source_access),
        sink: access(r.sink, r.sink_access),
        relation: r.pairs.to_string(),
    });
    LocalityDoc { references: references.collect(), relations: relations.collect() }
}
