//! Loops without gaps.

use crate::tree::{part, refuse_marked};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_poly::{DimType, PwAff, Set, UnionPwAff, UnionSet, Val};
use farkas_tree::{Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A loop that counts each so-many-th of its dates. Statements whose dates leave other residues follow one another inside.
///
/// **Rewrite**: `band [k f + r]` becomes `band [f]`, and `sequence` of what is inside by `r`, `0 <= r < k`, where statements have
/// different ones. Always legal: dates `k f + r` and pairs `(f, r)` are in the same order, and flags stay true. isl calls the first
/// part of it to scale down a band.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// The loop.
    #[serde(rename = "loop")]
    pub place: LoopAddress,
    /// What the dates of each statement are multiples of, but for a constant.
    pub by: i64,
}

impl Reorder for Scale {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.place)?;
        refuse_marked(tree, &at)?;
        if self.by < 2 {
            return Err(NotApplicable::BadNumber("a loop is scaled by at least 2").into());
        }
        let (band, child) = at.band_in(tree)?;
        let (outer, inner) = band.members.split_at(at.member);
        let Some((member, inner)) = inner.split_first() else {
            return Err(farkas_tree::Error::NoNode(at.band.clone()).into());
        };
        let (schedule, residues) = self.counted(tree, member)?;
        let mut members = outer.to_vec();
        members.push(Member { schedule, ..member.clone() });
        let inside = if residues.len() > 1 {
            let inside = part(inner, band.permutable, child);
            let mut children = Vec::new();
            for stmts in residues.into_values() {
                let stmts = UnionSet::union_all(stmts)?;
                children.push((stmts.clone(), inside.restricted_to(&stmts)?));
            }
            ScheduleTree::sequence(children)
        } else {
            members.extend(inner.iter().cloned());
            child
        };
        Ok(tree.replace(&at.band, part(&members, band.permutable, inside))?)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.place]
    }
}

impl Scale {
    /// What counts the dates of a member, and the statements by their residues.
    fn counted(
        &self,
        tree: &ScheduleTree,
        member: &Member,
    ) -> Result<(UnionPwAff, BTreeMap<i64, Vec<Set>>)> {
        let Node::Domain { domain, .. } = tree.node() else {
            return Err(NotApplicable::Uneven(self.by).into());
        };
        let by = Val::int(self.by)?;
        let (mut counts, mut residues) = (Vec::new(), BTreeMap::<i64, Vec<Set>>::new());
        for dates in member.schedule.pw_affs()? {
            let space = dates.domain_space()?;
            let residue = self.residue(&dates, &domain.extract_set(&space)?)?;
            let shift = PwAff::constant_on(&dates.domain()?, residue)?;
            counts.push(dates.sub(&shift)?.scale_down_val(&by)?.floor()?);
            residues.entry(residue).or_default().push(Set::universe(&space)?);
        }
        Ok((UnionPwAff::union_all(counts)?, residues))
    }

    /// The one residue that the dates of a statement leave.
    fn residue(&self, dates: &PwAff, instances: &Set) -> Result<i64> {
        let uneven = || NotApplicable::Uneven(self.by);
        let values = instances.apply(&dates.to_map()?)?;
        if values.is_empty()? {
            return Ok(0);
        }
        let some = values.sample_point()?.coordinates(DimType::SET)?;
        let residue = some.first().ok_or_else(uneven)?.rem_euclid(self.by);
        let grid = format!("{{ [x] : (x - {residue}) mod {} = 0 }}", self.by).parse()?;
        if values.is_subset(&grid)? { Ok(residue) } else { Err(uneven().into()) }
    }
}
