//! The original instances of a program with buffers, and their order.

use super::super::counterexample::Counterexample;
use super::fault;
use crate::Result;
use farkas_base::IdVec;
use farkas_poly::{DimType, Map, Set, UnionPwAff, UnionSet};
use farkas_scop::{Access, Scop, Statement, StmtId, Violation};
use farkas_tree::{Band, Member, Node, Program, ScheduleTree};
use std::collections::BTreeMap;

/// Which instance of the original scop each instance of a program is.
pub(super) struct Origins {
    /// Of each statement of the program that is one of the original's.
    stmts: BTreeMap<String, Origin>,
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

/// What is wrong where instances are missing, are others, or run twice.
const NOT_EACH_ONCE: &str = "its instances are not those of the original, each once";

impl Origin {
    /// That of statement `now` of `scop`, whose instances are to be some of `stmt` of the original; or what is wrong with it.
    fn of(
        original: &Scop,
        stmt: StmtId,
        scop: &Scop,
        now: StmtId,
    ) -> Result<std::result::Result<Self, Counterexample>> {
        let old = &original.stmts()[stmt];
        let Some(n_added) = scop.stmts()[now].depth().checked_sub(old.depth()) else {
            return Ok(Err(fault(&old.name, "its instances lack dimensions")));
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
}

impl Origins {
    /// The origins of the statements of `program`, made from `original`; or what is wrong with them.
    ///
    /// What the program says of itself is not believed: the instances of the statements that it traces to one of the original's
    /// must be that one's, each once.
    pub(super) fn of(
        original: &Scop,
        program: &Program,
    ) -> Result<std::result::Result<Self, Counterexample>> {
        let mut stmts = BTreeMap::new();
        let mut left: IdVec<StmtId, Set> = IdVec::new();
        for stmt in original.stmts().ids() {
            left.push(original.domain_of(stmt)?);
        }
        for (now, new) in program.scop.stmts().iter_enumerated() {
            let is_split_off = program.origins.get(&new.name);
            let Some(stmt) = original.stmt_by_name(is_split_off.unwrap_or(&new.name)) else {
                if is_split_off.is_some() {
                    return Ok(Err(fault(&new.name, "the original has no such statement")));
                }
                continue;
            };
            let origin = match Origin::of(original, stmt, &program.scop, now)? {
                Err(found) => return Ok(Err(found)),
                Ok(origin) => origin,
            };
            let instances = origin.to_original.range()?;
            if !instances.is_subset(&left[stmt])? || !origin.to_original.is_injective()? {
                return Ok(Err(fault(&original.stmts()[stmt].name, NOT_EACH_ONCE)));
            }
            left[stmt] = left[stmt].subtract(&instances)?;
            stmts.insert(new.name.clone(), origin);
        }
        for (stmt, left) in left.iter_enumerated() {
            let name = &original.stmts()[stmt].name;
            if !stmts.values().any(|origin| origin.stmt == stmt) {
                return Ok(Err(fault(name, "the program lacks this statement")));
            }
            if !left.is_empty()? {
                return Ok(Err(fault(name, NOT_EACH_ONCE)));
            }
        }
        Ok(Ok(Self { stmts }))
    }

    /// The origin of a statement of the program, by name; none for what fills and empties buffers.
    pub(super) fn get(&self, name: &str) -> Option<&Origin> {
        self.stmts.get(name)
    }

    /// All origins.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Origin> {
        self.stmts.values()
    }

    /// The original over the program's instances, of which each is one of its own, in their original order.
    pub(super) fn scop(
        &self,
        original: &Scop,
        scop: &Scop,
    ) -> Result<std::result::Result<Scop, Counterexample>> {
        let mut builder = original.to_builder();
        builder.stmts = IdVec::new();
        for origin in self.stmts.values() {
            builder.stmts.push(origin.statement(original, scop)?);
        }
        match builder.build() {
            Ok(scop) => Ok(Ok(scop)),
            Err(Violation::Inconsistent { place, .. }) => {
                Ok(Err(fault(&place, "it is not over the instances of the original")))
            }
            Err(Violation::Poly(error)) => Err(error.into()),
            Err(_) => Ok(Err(fault(original.name(), "its statements contradict one another"))),
        }
    }

    /// The tree without what fills and empties buffers.
    pub(super) fn tree(&self, tree: &ScheduleTree) -> Result<ScheduleTree> {
        Ok(match tree.node() {
            Node::Domain { domain, child } => {
                ScheduleTree::domain(self.instances(domain)?, self.tree(child)?)
            }
            Node::Filter { filter, child } => {
                ScheduleTree::filter(self.instances(filter)?, self.tree(child)?)
            }
            Node::Band { band, child } => {
                let mut members = Vec::new();
                for member in &band.members {
                    let schedule = self.dates(&member.schedule)?;
                    members.push(Member { schedule, ..member.clone() });
                }
                let band = Band { members, permutable: band.permutable };
                ScheduleTree::band(band, self.tree(child)?)
            }
            Node::Sequence(children) | Node::Set(children) => {
                let mut kept = Vec::new();
                for child in children {
                    if let Node::Filter { filter, child } = child.node() {
                        let filter = self.instances(filter)?;
                        if !filter.is_empty()? {
                            kept.push((filter, self.tree(child)?));
                        }
                    }
                }
                match tree.node() {
                    Node::Set(_) => ScheduleTree::set(kept),
                    _ => ScheduleTree::sequence(kept),
                }
            }
            _ => {
                let children = tree.children().iter().map(|child| self.tree(child));
                tree.with_children(children.collect::<Result<_>>()?)
            }
        })
    }

    /// Those of some instances that are the original's.
    fn instances(&self, instances: &UnionSet) -> Result<UnionSet> {
        let is_own = |set: &Set| self.get(&set.tuple_name().unwrap_or_default()).is_some();
        Ok(UnionSet::union_all(instances.sets()?.into_iter().filter(is_own))?)
    }

    /// The dates of the original's instances.
    fn dates(&self, schedule: &UnionPwAff) -> Result<UnionPwAff> {
        let mut parts = Vec::new();
        for part in schedule.pw_affs()? {
            let name = part.domain_space()?.tuple_name(DimType::SET).unwrap_or_default();
            if self.get(&name).is_some() {
                parts.push(part);
            }
        }
        Ok(UnionPwAff::union_all(parts)?)
    }
}
