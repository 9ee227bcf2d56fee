//! What a schedule may use again: temporal and spatial proximity.
//!
//! - `references`: subscripts as functions of the instance, and their patterns.
//! - `lines`: line-based accesses, separated by patterns; `completion` of those that touch a line in several iterations of a
//!   loop around them, by the `hermite` normal form.
//! - `temporal`: flow, and classes of references to the same elements.
//! - `class`: references between which reuse is sought. Adjacent instances are found by `distances`, integer arithmetic with
//!   the order of a `sequence`, and made relations by `pairs`; where that does not do, by `nearest`, which asks isl.
//! - `uniform`: what is kept of relations between instances of one statement.
//!
//! Nothing here constrains an order: these are wishes.

mod class;
mod completion;
mod directions;
mod distances;
mod hermite;
mod lattice;
mod lines;
mod nearest;
mod pairs;
mod presence;
mod references;
mod sequence;
mod temporal;
mod text;
mod uniform;

pub use references::{PatternId, Reference};

use crate::analysis::Prepared;
use crate::{Dependences, Error, Result};
use class::{Cells, Class};
use farkas_poly::{Constraints, Map, with_budget};
use farkas_scop::{AccessId, ArrayId, Scop, StmtId};
use pairs::Pairs;
use std::num::NonZeroU32;

/// What is used again along a relation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reuse {
    /// An element.
    Temporal,
    /// A line.
    Spatial,
}

impl Reuse {
    /// The word that text forms use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Temporal => "temporal",
            Self::Spatial => "spatial",
        }
    }
}

/// Pairs of instances of two statements that touch the same element or line, one soon after the other in the original
/// order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReuseRelation {
    /// What is used again.
    pub reuse: Reuse,
    /// The array.
    pub array: ArrayId,
    /// The statement whose instance comes first.
    pub source: StmtId,
    /// The access of the source: of flow the write; else the first that stands for all accesses of the statement with its
    /// pattern.
    pub source_access: AccessId,
    /// The statement whose instance comes second.
    pub sink: StmtId,
    /// The access of the sink, as that of the source.
    pub sink_access: AccessId,
    /// The pairs `{ S[i] -> T[j] }`, source before sink in the original order, restricted to domains and context. Never
    /// empty; implicit equalities are explicit; every parameter of the scop is present, in the scop's order.
    pub pairs: Map,
    /// A hull of them, where one is known without asking isl.
    pub hull: Option<Hull>,
}

/// Convex pieces that together hold all pairs of a relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hull {
    /// The rows of each piece, over source and sink; there are no divisions.
    pub pieces: Vec<Constraints>,
    /// Whether they hold nothing else.
    pub is_exact: bool,
}

impl Hull {
    /// The hull of both.
    fn union(self, other: Self) -> Self {
        let mut pieces = self.pieces;
        for piece in other.pieces {
            if !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        Self { pieces, is_exact: self.is_exact && other.is_exact }
    }
}

/// What [`locality`] looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalityOptions {
    /// Number of elements of a line; the paper's C.
    pub line_elems: NonZeroU32,
    /// Whether reads of the same element are temporal reuse; otherwise only flow is.
    pub input: bool,
    /// Whether spatial reuse is sought among references with the same pattern alone, not among all to an array.
    pub separates: bool,
    /// Whether references are completed, so that different iterations of loops that they do not depend on touch different
    /// lines.
    pub completes: bool,
    /// Whether pairs that are adjacent only because a loop ends nearby are sought too, which takes much longer.
    pub exact: bool,
    /// Whether a statement's own reuse is sought, too, where other statements or loops further in use the element or line in
    /// between. Then the relations, and with them a schedule, depend less on the order of loops and statements in the source.
    pub is_order_free: bool,
}

impl Default for LocalityOptions {
    /// Lines of four elements, and everything that the paper does.
    fn default() -> Self {
        let line_elems = NonZeroU32::MIN.saturating_add(3);
        Self {
            line_elems,
            input: true,
            separates: true,
            completes: true,
            exact: false,
            is_order_free: false,
        }
    }
}

/// The reuse of a scop.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Locality {
    /// All accesses but kills, by statement and access.
    pub references: Vec<Reference>,
    /// The relations, sorted by reuse, array, source, sink and accesses. No two agree in all of these.
    pub relations: Vec<ReuseRelation>,
    /// How many classes of references have no relations because they took too much work.
    pub n_skipped: usize,
}

/// isl operations that the relations of one class of references may take.
const MAX_OPERATIONS: u64 = 200_000;

/// Temporal and spatial proximity in `scop`, whose dependences are `deps`, with flow by value.
///
/// Temporal: the flow dependences; and pairs of reads of the same element through references with the same pattern, if no instance in
/// between touches the element through such a reference. Spatial: pairs of instances that touch the same line through references with the
/// same pattern, read or written, if no instance in between touches the line through such a reference. Of relations between instances
/// of one statement, what is uniform: sink minus source is constant.
///
/// **Paper.** O. Zinenko, S. Verdoolaege, C. Reddy, J. Shirako, T. Grosser, V. Sarkar, A. Cohen, *Unified polyhedral
/// modeling of temporal and spatial locality*, Inria RR-9110, 2017, 4.1 to 4.3. Ours differs: adjacency does not ask which of the two
/// references write; a pair that is adjacent only because a loop ends nearby may be left out; reuse between reads
/// is separated by patterns, too.
///
/// **Formulation.** With `A'` the subscripts of a class, completed, the last one divided by the number of elements of a line
/// and rounded down: `{ S[x] -> T[y] : A'_S(x) = A'_T(y), x < y, and no U[z] of the class with A'_U(z) = A'_T(y) and x < z < y }`
/// in the original order.
///
/// # Errors
/// When isl refuses or its budget is used up.
///
/// # Example
/// For `R: C[i][j] += A[i][k] * B[k][j]` under loops `i, j, k`, the spatial reuse of `B` is
/// `{ R[i, j, k] -> R[i, 1 + j, k] : 4*floor((1 + j)/4) <= j }` within the loops.
pub fn locality(scop: &Scop, deps: &Dependences, options: &LocalityOptions) -> Result<Locality> {
    let prepared = &*deps.prepared(scop)?;
    let functions = references::functions(scop, prepared)?;
    let mut relations = temporal::flow(scop, prepared, deps)?;
    let mut classes = lines::classes(&functions, options);
    if options.input {
        classes.extend(temporal::classes(&functions));
    }
    let mut alone = Vec::new();
    if options.is_order_free {
        for class in classes.iter().filter(|class| class.cells == Cells::Elements) {
            relations.extend(directions::in_all_directions(prepared, class)?);
        }
        alone.extend(classes.iter().flat_map(Class::by_statement));
    }
    let mut n_skipped = 0;
    for class in classes.iter().chain(&alone) {
        match with_budget(MAX_OPERATIONS, || adjacent(prepared, class, options.exact)) {
            Ok(found) => relations.extend(found),
            Err(Error::OutOfBudget) => n_skipped += 1,
            Err(error) => return Err(error),
        }
    }
    relations.sort_by_key(|r| (r.reuse, r.array, r.source, r.sink, r.source_access, r.sink_access));
    let references = functions.into_iter().map(|function| function.reference).collect();
    Ok(Locality { references, relations, n_skipped })
}

/// The relations between adjacent instances of a class.
fn adjacent(prepared: &Prepared, class: &Class, exact: bool) -> Result<Vec<ReuseRelation>> {
    let known = if exact { None } else { distances::adjacent(prepared, class) };
    let by_statements = match known {
        Some(found) => pairs::by_statements(prepared, class, &found)?,
        None => {
            let pairs = |relation| Pairs { relation, hull: None, is_free: false };
            let found = nearest::adjacent(prepared, class)?.into_iter();
            found.map(|(stmts, relation)| (stmts, pairs(relation))).collect()
        }
    };
    let reuse = match class.cells {
        Cells::Elements => Reuse::Temporal,
        Cells::Lines => Reuse::Spatial,
    };
    let mut relations = Vec::new();
    for ((source, sink), found) in by_statements {
        let pairs = if source == sink && !found.is_free {
            uniform::uniform_part(&prepared.domains[source], &found.relation)?
        } else {
            Some(found.relation)
        };
        let accesses = class.representative(source).zip(class.representative(sink));
        if let (Some(pairs), Some((source_access, sink_access))) = (pairs, accesses) {
            let (array, hull) = (class.array, found.hull);
            relations.push(ReuseRelation {
                reuse,
                array,
                source,
                source_access,
                sink,
                sink_access,
                pairs,
                hull,
            });
        }
    }
    Ok(relations)
}
