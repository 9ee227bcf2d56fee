//! Dependence analysis.

use crate::flow::flow_by_value;
use crate::order::{Dates, Piece};
use crate::rows::{Row, System};
use crate::tables::Tables;
use crate::updates::Updates;
use crate::{Dependence, DependenceKind, Dependences, Result};
use farkas_base::IdVec;
use farkas_poly::{DimType, LinearRow, Map, Set, Space};
use farkas_scop::{AccessId, AccessKind, ArrayId, Scop, StmtId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

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
    /// Whether it is a write that updates what it reads, and that may run in another order than the other updates: it hides none of them.
    pub(crate) is_relaxed: bool,
    /// The first access of the statement with the same relation.
    pub(crate) like: AccessId,
    /// From instances of the domain to elements.
    pub(crate) elements: Map,
}

/// Statements and relations of two accesses: what their ordered pairs depend on.
type PairKey = (StmtId, AccessId, StmtId, AccessId);

/// A scop with its domains, dates and accesses prepared.
pub(crate) struct Prepared {
    /// The scop itself.
    pub(crate) scop: Scop,
    /// Its updates.
    pub(crate) updates: Updates,
    /// The scop's parameters, in its order.
    pub(crate) params: Space,
    pub(crate) dates: Dates,
    /// The rows of all this.
    pub(crate) tables: Tables,
    /// Domains under the context; parameters are those of the scop, in its order.
    pub(crate) domains: IdVec<StmtId, Set>,
    /// The accesses to each array, by statement and access.
    pub(crate) references: IdVec<ArrayId, Vec<Reference>>,
    /// What [`Prepared::ordered`] has found.
    ordered: RefCell<HashMap<PairKey, Rc<Vec<Piece>>>>,
    /// What the memory dependences of such a pair of accesses look like.
    bodies: RefCell<HashMap<PairKey, Option<Body>>>,
    /// What [`Prepared::before`] has found.
    befores: RefCell<HashMap<(StmtId, StmtId), Map>>,
}

/// A dependence without the accesses.
#[derive(Clone)]
struct Body {
    relation: Map,
    carried: Vec<u32>,
    is_loop_independent: bool,
    distance: Option<Vec<i64>>,
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
                found.extend(prepared.by_memory(kind, source, sink)?);
            }
        }
    }
    found.sort_by_key(|d| (d.source, d.sink, d.source_access, d.sink_access, d.kind));
    Ok(Dependences::of_prepared(found.into_iter().collect(), prepared))
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
        for stmt in scop.stmts().ids() {
            domains.push(scop.domain_of(stmt)?.align_params(&params)?);
        }
        let dates = Dates::of(scop)?;
        let tables = Tables::of(scop, &params, &domains, &dates)?;
        let updates = Updates::of(scop);
        let mut references: IdVec<ArrayId, Vec<Reference>> = scop.arrays().map(|_| Vec::new());
        for (stmt, statement) in scop.stmts().iter_enumerated() {
            let domain = &domains[stmt];
            for (access, a) in statement.accesses.iter_enumerated() {
                let like = tables.like(stmt, access);
                let known = references[a.array].iter().find(|r| r.stmt == stmt && r.access == like);
                let elements = match known {
                    Some(known) => known.elements.clone(),
                    None => a.relation.intersect_domain(domain)?,
                };
                let is_relaxed = a.kind.is_write() && updates.is_any((stmt, access));
                let kind = a.kind;
                references[a.array].push(Reference {
                    stmt,
                    access,
                    kind,
                    is_relaxed,
                    like,
                    elements,
                });
            }
        }
        let (ordered, bodies) = (RefCell::default(), RefCell::default());
        let befores = RefCell::default();
        let scop = scop.clone();
        Ok(Self {
            scop,
            updates,
            params,
            dates,
            domains,
            tables,
            references,
            ordered,
            bodies,
            befores,
        })
    }

    /// Pairs of instances that touch the same element, source before sink.
    pub(crate) fn ordered(&self, source: &Reference, sink: &Reference) -> Result<Rc<Vec<Piece>>> {
        let key = (source.stmt, source.like, sink.stmt, sink.like);
        if let Some(pieces) = self.ordered.borrow().get(&key) {
            return Ok(Rc::clone(pieces));
        }
        let pieces = Rc::new(self.pieces(source, sink, Dates::split)?);
        self.ordered.borrow_mut().insert(key, Rc::clone(&pieces));
        Ok(pieces)
    }

    /// [`Prepared::ordered`] for a single question: some pieces may be empty, and equalities are not looked for.
    pub(crate) fn ordered_roughly(
        &self,
        source: &Reference,
        sink: &Reference,
    ) -> Result<Vec<Piece>> {
        self.pieces(source, sink, Dates::split_roughly)
    }

    /// Pairs of instances that touch the same element, apart by the dimension that decides their order.
    fn pieces(
        &self,
        source: &Reference,
        sink: &Reference,
        split: impl Fn(&Dates, StmtId, StmtId, &Map, Option<&[usize]>) -> Result<Vec<Piece>>,
    ) -> Result<Vec<Piece>> {
        let deciding = self.tables.deciding(source, sink);
        if deciding.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let pairs = source.elements.apply_range(&sink.elements.reverse()?)?;
        split(&self.dates, source.stmt, sink.stmt, &pairs, deciding.as_deref())
    }

    /// Pairs of instances of which the first comes first in the original order, whatever the domains.
    pub(crate) fn before(&self, first: StmtId, second: StmtId) -> Result<Map> {
        if let Some(known) = self.befores.borrow().get(&(first, second)) {
            return Ok(known.clone());
        }
        let before =
            self.dates.before(first, second, [&self.domains[first], &self.domains[second]])?;
        self.befores.borrow_mut().insert((first, second), before.clone());
        Ok(before)
    }

    /// The dependence of all ordered pairs; `None` where there are none.
    fn by_memory(
        &self,
        kind: DependenceKind,
        source: &Reference,
        sink: &Reference,
    ) -> Result<Option<Dependence>> {
        let key = (source.stmt, source.like, sink.stmt, sink.like);
        let known = self.bodies.borrow().get(&key).cloned();
        let body = match known {
            Some(body) => body,
            None => {
                let pieces = self.ordered(source, sink)?;
                let body = self.body(source.stmt, sink.stmt, &pieces)?;
                self.bodies.borrow_mut().insert(key, body.clone());
                body
            }
        };
        Ok(body.map(|body| self.between(body, kind, source, sink)))
    }

    /// The dependence made of `pieces`; `None` where there are none.
    pub(crate) fn dependence(
        &self,
        kind: DependenceKind,
        source: &Reference,
        sink: &Reference,
        pieces: &[Piece],
    ) -> Result<Option<Dependence>> {
        let body = self.body(source.stmt, sink.stmt, pieces)?;
        Ok(body.map(|body| self.between(body, kind, source, sink)))
    }

    /// The dependence between these accesses.
    fn between(
        &self,
        body: Body,
        kind: DependenceKind,
        source: &Reference,
        sink: &Reference,
    ) -> Dependence {
        let ends = [(source.stmt, source.access), (sink.stmt, sink.access)];
        let relaxed = match kind {
            DependenceKind::Input => None,
            _ => self.updates.relaxed(ends),
        };
        Dependence {
            kind,
            relaxed,
            source: source.stmt,
            sink: sink.stmt,
            source_access: source.access,
            sink_access: sink.access,
            relation: body.relation,
            carried: body.carried,
            is_loop_independent: body.is_loop_independent,
            distance: body.distance,
        }
    }

    /// What a dependence made of `pieces` is; `None` where there are none.
    fn body(&self, source: StmtId, sink: StmtId, pieces: &[Piece]) -> Result<Option<Body>> {
        let mut carried: Vec<u32> = pieces.iter().filter_map(|p| p.level).collect();
        carried.sort_unstable();
        carried.dedup();
        let is_loop_independent = pieces.iter().any(|p| p.level.is_none());
        let Some((first, others)) = pieces.split_first() else { return Ok(None) };
        let mut relation = first.pairs.clone();
        for piece in others {
            relation = relation.union_disjoint(&piece.pairs)?;
        }
        let n_pieces = relation.n_basic_map()?;
        relation = relation.coalesce()?;
        if relation.n_basic_map()? != n_pieces {
            relation = relation.detect_equalities()?;
        }
        let distance = self.distance(source, sink, &relation)?;
        Ok(Some(Body { relation, carried, is_loop_independent, distance }))
    }

    /// Sink minus source in each common loop, where the explicit equalities of each piece of `relation` say that it is
    /// the same everywhere.
    fn distance(&self, source: StmtId, sink: StmtId, relation: &Map) -> Result<Option<Vec<i64>>> {
        let loops: Option<Vec<_>> = self.dates.common_loops(source, sink).into_iter().collect();
        let Some(loops) = loops else { return Ok(None) };
        let depth = relation.dim(DimType::In)? as usize;
        let mut distance: Option<Vec<i64>> = None;
        for piece in relation.basic_maps()? {
            let here = uniform(&loops, depth, &piece.equalities()?);
            match (here, &distance) {
                (None, _) => return Ok(None),
                (Some(here), Some(other)) if here != *other => return Ok(None),
                (here, _) => distance = here,
            }
        }
        Ok(distance)
    }
}

/// The differences that `equalities` fix between the iterators of each of `loops`; `depth` is that of the source.
fn uniform(loops: &[(u32, u32)], depth: usize, equalities: &[LinearRow]) -> Option<Vec<i64>> {
    if loops.is_empty() {
        return Some(Vec::new());
    }
    let first = equalities.first()?;
    let (n_divs, n_dims) = (first.divs.len(), first.dims.len());
    let n_columns = n_divs + n_dims + first.params.len() + 1;
    let system = System::of_equalities(equalities);
    let difference = |&(a, b): &(u32, u32)| {
        let (source, sink) = (n_divs + a as usize, n_divs + depth + b as usize);
        system.value(&Row::sparse(n_columns, &[(source, -1), (sink, 1)]))
    };
    loops.iter().map(difference).collect()
}
