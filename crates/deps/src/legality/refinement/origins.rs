//! Which instance of the original scop each instance of a program is.

use super::fault;
use super::{Judged, sound};
use crate::Result;
use crate::legality::clause::Clause;
use farkas_base::IdVec;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{Access, Scop, Statement, StmtId, Violation};
use std::collections::BTreeMap;

/// The statements of a program that stand for statements of the original.
pub(super) struct Origins {
    /// By their names in the program.
    stmts: BTreeMap<String, Origin>,
    /// The statements of the original of which the program has no instance.
    pub(super) missing: Vec<StmtId>,
}

/// Which instances of the original a statement's are: its last dimensions.
pub(super) struct Origin {
    /// The statement of the original.
    pub(super) stmt: StmtId,
    /// The statement of the program.
    pub(super) now: StmtId,
    /// The number of dimensions in front of the original's.
    pub(super) n_added: usize,
    /// From instances of the program to those of the original.
    pub(super) to_original: Map,
}

impl Origin {
    /// That of statement `now` of `scop`, whose instances are to be some of `stmt` of the original.
    fn of(original: &Scop, stmt: StmtId, scop: &Scop, now: StmtId) -> Judged<Self> {
        let old = &original.stmts()[stmt];
        let Some(n_added) = scop.stmts()[now].depth().checked_sub(old.depth()) else {
            return Ok(Err(fault(&old.name, Clause::Dimensions)));
        };
        let added = u32::try_from(n_added).unwrap_or(u32::MAX);
        let identity = scop.domain_of(now)?.identity()?.project_out(DimType::Out, 0, added)?;
        let to_original = identity.with_tuple_name(DimType::Out, &old.name)?;
        Ok(Ok(Self { stmt, now, n_added, to_original }))
    }

    /// The original's statement over the instances of the program's.
    fn statement(&self, original: &Scop, scop: &Scop) -> Result<Statement> {
        let (old, new) = (&original.stmts()[self.stmt], &scop.stmts()[self.now]);
        let by = u32::try_from(self.n_added).unwrap_or(u32::MAX);
        // Whatever the domain, as the original's are.
        let all = Set::universe(&new.domain.space()?)?.identity()?;
        let to_original = all.project_out(DimType::Out, 0, by)?;
        let to_original = to_original.with_tuple_name(DimType::Out, &old.name)?;
        let mut accesses = IdVec::new();
        for access in &old.accesses {
            let relation = to_original.apply_range(&access.relation)?;
            let subscripts = access.subscripts.iter().map(|e| e.shifted(by)).collect();
            accesses.push(Access { relation, subscripts, ..access.clone() });
        }
        Ok(Statement {
            name: new.name.clone(),
            domain: new.domain.clone(),
            iterators: new.iterators.clone(),
            date: to_original.apply_range(&old.date)?,
            accesses,
            body: old.body.iter().map(|part| part.shifted(by)).collect(),
            ..old.clone()
        })
    }

    /// Whether the iterators have the values of the original's.
    fn has_same_iterators(&self, original: &Scop, scop: &Scop) -> Result<bool> {
        let (old, new) = (&original.stmts()[self.stmt], &scop.stmts()[self.now]);
        let domain = scop.domain_of(self.now)?;
        for (old, new) in old.iterators.iter().zip(new.iterators.iter().skip(self.n_added)) {
            let expected = self.to_original.apply_range(&old.value.to_map()?)?;
            if !new.value.to_map()?.intersect_domain(&domain)?.is_equal(&expected)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Origins {
    /// The origins of the statements of `scop`, by name or by what `names` say, made from `original`.
    pub(super) fn of(
        original: &Scop,
        scop: &Scop,
        names: &BTreeMap<String, String>,
    ) -> Judged<Self> {
        let mut stmts = BTreeMap::new();
        let mut left: IdVec<StmtId, Set> = IdVec::new();
        for stmt in original.stmts().ids() {
            left.push(original.domain_of(stmt)?);
        }
        for (now, new) in scop.stmts().iter_enumerated() {
            let name = names.get(&new.name).unwrap_or(&new.name);
            let Some(stmt) = original.stmt_by_name(name) else { continue };
            let origin = sound!(Origin::of(original, stmt, scop, now));
            let instances = origin.to_original.range()?;
            if !instances.is_subset(&left[stmt])? || !origin.to_original.is_injective()? {
                return Ok(Err(fault(name, Clause::EachOnce)));
            }
            if !origin.has_same_iterators(original, scop)? {
                return Ok(Err(fault(name, Clause::Iterators)));
            }
            left[stmt] = left[stmt].subtract(&instances)?;
            stmts.insert(new.name.clone(), origin);
        }
        let mut missing = Vec::new();
        for (stmt, left) in left.iter_enumerated() {
            if !stmts.values().any(|origin: &Origin| origin.stmt == stmt) {
                missing.push(stmt);
            } else if !left.is_empty()? {
                return Ok(Err(fault(&original.stmts()[stmt].name, Clause::EachOnce)));
            }
        }
        Ok(Ok(Self { stmts, missing }))
    }

    /// The origin of a statement of the program, by name; none for what copies.
    pub(super) fn get(&self, name: &str) -> Option<&Origin> {
        self.stmts.get(name)
    }

    /// All origins.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Origin> {
        self.stmts.values()
    }

    /// The original over the program's instances, of which each is one of its own, in their original order; and the statements
    /// that the program lacks.
    pub(super) fn scop(&self, original: &Scop, scop: &Scop) -> Judged<Scop> {
        let mut builder = original.to_builder();
        builder.stmts = IdVec::new();
        for origin in self.stmts.values() {
            builder.stmts.push(origin.statement(original, scop)?);
        }
        for stmt in &self.missing {
            builder.stmts.push(original.stmts()[*stmt].clone());
        }
        match builder.build() {
            Ok(scop) => Ok(Ok(scop)),
            Err(Violation::Inconsistent { place, .. }) => {
                Ok(Err(fault(&place, Clause::Consistent)))
            }
            Err(Violation::Poly(error)) => Err(error.into()),
            Err(_) => Ok(Err(fault(original.name(), Clause::Consistent))),
        }
    }
}
