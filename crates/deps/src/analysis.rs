//! Dependence analysis.

use crate::flow::flow_by_value;
use crate::order::{Dates, Piece};
use crate::rows::{Equalities, Row, Shape};
use crate::{Dependence, DependenceKind, Dependences, Result};
use farkas_base::IdVec;
use farkas_poly::{DimType, Map, Set, Space};
use farkas_scop::{AccessId, AccessKind, ArrayId, Scop, StmtId};

/// Which writes a read depends on. Concerns flow alone: anti and output dependences are always those of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum FlowBy {
    /// Those whose value it may read: the last sure write before it, and every possible write since.
    #[default]
    Value,
    /// All earlier writes to the element.
    Memory,
}

/// What [`dependences`] looks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct DependenceOptions {
    /// Which writes a read depends on.
    pub flow: FlowBy,
    /// Whether pairs of reads are wanted too.
    pub input: bool,
}

/// One access with all that analysis asks of it.
pub(crate) struct Reference {
    pub(crate) stmt: StmtId,
    pub(crate) access: AccessId,
    pub(crate) kind: AccessKind,
    /// From instances of the domain to elements.
    pub(crate) elements: Map,
}

/// A scop with its domains, dates and accesses prepared.
pub(crate) struct Prepared {
    pub(crate) dates: Dates,
    /// Domains under the context; parameters are those of the scop, in its order.
    pub(crate) domains: IdVec<StmtId, Set>,
    /// The accesses to each array, by statement and access.
    pub(crate) references: IdVec<ArrayId, Vec<Reference>>,
}

/// The dependences of `scop`, exact. A dependence is one kind between one pair of accesses:
/// `{ S[i] -> T[j] : A(i) = B(j), i in D_S, j in D_T, date_S(i) < date_T(j) }`, where for flow by value no sure write
/// or kill of the element lies between `i` and `j`.
///
/// **Paper.** P. Feautrier, *Dataflow analysis of array and scalar references*, IJPP 1991: the last write is sought from
/// the innermost common dimension of the dates outward, and a sink that has found a sure write looks no further. Ours
/// adds possible writes and kills.
///
/// # Errors
/// When isl refuses or its budget is used up.
///
/// # Example
/// `for i: S: A[i + 1] = A[i]` has the flow dependence `[n] -> { S[i] -> S[1 + i] : 0 <= i <= -2 + n }`.
pub fn dependences(scop: &Scop, options: DependenceOptions) -> Result<Dependences> {
    let prepared = Prepared::of(scop)?;
    let mut found = Vec::new();
    for references in &prepared.references {
        if !options.input && !references.iter().any(|r| r.kind.is_write()) {
            continue;
        }
        for sink in references {
            if sink.kind == AccessKind::Read && options.flow == FlowBy::Value {
                found.extend(flow_by_value(&prepared, references, sink)?);
            }
            for source in references {
                let Some(kind) = kind_by_memory(source.kind, sink.kind, options) else { continue };
                let pieces = prepared.ordered(source, sink)?;
                found.extend(prepared.dependence(kind, source, sink, pieces)?);
            }
        }
    }
    found.sort_by_key(|d| (d.source, d.sink, d.source_access, d.sink_access, d.kind));
    Ok(Dependences { deps: found.into_iter().collect() })
}

/// The kind of memory dependence between such accesses that `options` ask for.
fn kind_by_memory(
    source: AccessKind,
    sink: AccessKind,
    options: DependenceOptions,
) -> Option<DependenceKind> {
    use AccessKind::Read;
    match (source, sink) {
        (Read, Read) => options.input.then_some(DependenceKind::Input),
        (Read, sink) if sink.is_write() => Some(DependenceKind::Anti),
        (source, Read) if source.is_write() => {
            (options.flow == FlowBy::Memory).then_some(DependenceKind::Flow)
        }
        (source, sink) if source.is_write() && sink.is_write() => Some(DependenceKind::Output),
        _ => None,
    }
}

impl Prepared {
    /// Prepares `scop`.
    pub(crate) fn of(scop: &Scop) -> Result<Self> {
        let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
        let params = Space::params_named(&names)?;
        let mut domains = IdVec::new();
        let mut references: IdVec<ArrayId, Vec<Reference>> = scop.arrays().map(|_| Vec::new());
        for (stmt, statement) in scop.stmts().iter_enumerated() {
            let domain = scop.domain_of(stmt)?.align_params(&params)?;
            for (access, a) in statement.accesses.iter_enumerated() {
                let elements = a.relation.intersect_domain(&domain)?;
                references[a.array].push(Reference { stmt, access, kind: a.kind, elements });
            }
            domains.push(domain);
        }
        Ok(Self { dates: Dates::of(scop)?, domains, references })
    }

    /// Pairs of instances that touch the same element, source before sink.
    pub(crate) fn ordered(&self, source: &Reference, sink: &Reference) -> Result<Vec<Piece>> {
        let pairs = source.elements.apply_range(&sink.elements.reverse()?)?;
        self.dates.split(source.stmt, sink.stmt, &pairs)
    }

    /// The dependence made of `pieces`; `None` where there are none.
    pub(crate) fn dependence(
        &self,
        kind: DependenceKind,
        source: &Reference,
        sink: &Reference,
        pieces: Vec<Piece>,
    ) -> Result<Option<Dependence>> {
        let mut carried: Vec<u32> = pieces.iter().filter_map(|p| p.level).collect();
        carried.sort_unstable();
        carried.dedup();
        let is_loop_independent = pieces.iter().any(|p| p.level.is_none());
        let mut relation: Option<Map> = None;
        for piece in pieces {
            relation = Some(match relation {
                None => piece.pairs,
                Some(relation) => relation.union(&piece.pairs)?,
            });
        }
        let Some(relation) = relation else { return Ok(None) };
        let relation = relation.coalesce()?.detect_equalities()?;
        let distance = self.distance(source.stmt, sink.stmt, &relation)?;
        Ok(Some(Dependence {
            kind,
            source: source.stmt,
            sink: sink.stmt,
            source_access: source.access,
            sink_access: sink.access,
            relation,
            carried,
            is_loop_independent,
            distance,
        }))
    }

    /// Sink minus source in each common loop, where the explicit equalities of each piece of `relation` say that it is
    /// the same everywhere.
    fn distance(&self, source: StmtId, sink: StmtId, relation: &Map) -> Result<Option<Vec<i64>>> {
        let loops: Option<Vec<_>> = self.dates.common_loops(source, sink).into_iter().collect();
        let Some(loops) = loops else { return Ok(None) };
        let depth = relation.dim(DimType::In)? as usize;
        let mut distance: Option<Vec<i64>> = None;
        for piece in relation.basic_maps()? {
            let constraints = piece.constraints()?;
            let shape = Shape::of(&constraints);
            let equalities = Equalities::of(&constraints);
            let here: Option<Vec<i64>> = loops
                .iter()
                .map(|&(a, b)| {
                    if shape.dims == 0 {
                        return None;
                    }
                    let row = Row::difference(shape, depth + b as usize, a as usize);
                    let (row, scale) = equalities.reduce(&row)?;
                    row.constant().map(|c| c / scale)
                })
                .collect();
            match (here, &distance) {
                (None, _) => return Ok(None),
                (Some(here), Some(other)) if here != *other => return Ok(None),
                (here, _) => distance = here,
            }
        }
        Ok(distance)
    }
}
