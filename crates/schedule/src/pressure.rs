//! How hard the references of statements press on registers.

use crate::Result;
use crate::cost::long_strides;
use farkas_base::IdVec;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{AccessKind, Scop, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// The different access functions of each statement, each with the depth of its statement.
///
/// **Paper** the locality model, section 4.7, "Carrying Dependences to Avoid Fusion".
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pressure {
    /// Numbers of access functions with the depths; equal functions of any statement have one number.
    functions: IdVec<StmtId, BTreeSet<(usize, i64)>>,
}

impl Pressure {
    /// The access functions of `scop`, statements' names left out, and their iterators in the order of the strides along them,
    /// whatever their order in the source.
    pub(crate) fn of(scop: &Scop) -> Result<Self> {
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut functions = IdVec::new();
        for (stmt, statement) in scop.stmts().iter_enumerated() {
            let mut own = BTreeSet::new();
            let depth = i64::try_from(statement.depth()).unwrap_or(i64::MAX);
            let by_stride = by_stride(scop, stmt)?;
            for access in statement.accesses.iter().filter(|a| a.kind != AccessKind::Kill) {
                let unnamed =
                    by_stride.apply_range(&access.relation)?.reset_tuple_id(DimType::In)?;
                let next = numbers.len();
                own.insert((*numbers.entry(unnamed.to_string()).or_insert(next), depth));
            }
            functions.push(own);
        }
        Ok(Self { functions })
    }

    /// The pressure of `stmts` together: the sum over different access functions of the depth of their statements.
    pub(crate) fn of_stmts(&self, stmts: &[StmtId]) -> i64 {
        let all: BTreeSet<(usize, i64)> =
            stmts.iter().flat_map(|&stmt| self.functions[stmt].iter().copied()).collect();
        all.into_iter().map(|(_, depth)| depth).sum()
    }
}

/// From the iterators of a statement in the order of the strides along them to its instances.
fn by_stride(scop: &Scop, stmt: StmtId) -> Result<Map> {
    let space = scop.stmts()[stmt].domain.space()?;
    let strides = long_strides(scop, stmt)?;
    let mut order: Vec<usize> = (0..strides.len()).collect();
    order.sort_by(|&a, &b| strides[a].cmp(&strides[b]));
    let mut map = Map::from_domain_and_range(&Set::universe(&space)?, &Set::universe(&space)?)?;
    for (position, &iterator) in order.iter().enumerate() {
        let at = |position: usize| i32::try_from(position).unwrap_or(i32::MAX);
        map = map.equate(DimType::In, at(position), DimType::Out, at(iterator))?;
    }
    // Equal functions have equal texts, whatever the source calls its iterators.
    for position in 0..map.dim(DimType::In)? {
        map = map.with_dim_name(DimType::In, position, &format!("i{position}"))?;
    }
    Ok(map)
}
