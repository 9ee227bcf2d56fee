//! Statements with the number of a strip in front of their iterators.

use crate::Result;
use farkas_base::IdVec;
use farkas_poly::{Aff, DimType, Map, PwAff, PwMultiAff, Set, UnionPwAff, UnionSet, Val};
use farkas_scop::{Access, AccessId, Iterator, Statement};
use farkas_tree::{Band, Member, Node, ScheduleTree};

/// Instances of a statement as those of another one.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The statement that they were of.
    pub old: String,
    /// The new instances.
    pub domain: Set,
    /// Where they were.
    pub to_old: PwMultiAff,
}

impl Lifted {
    /// The instances in `numbered`, whose first `n` dimensions are new, as those of a statement of this name.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn named(old: &str, name: &str, numbered: &Set, n: u32) -> Result<Self> {
        let domain = numbered.with_tuple_name(name)?;
        let all = Set::universe(&domain.space()?)?.identity()?;
        let to_old = all.project_out(DimType::Out, 0, n)?;
        let to_old = to_old.with_tuple_name(DimType::Out, old)?.to_pw_multi_aff()?;
        Ok(Self { old: old.to_owned(), domain, to_old })
    }

    /// Some instances as they are.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn same(domain: &Set) -> Result<Self> {
        let to_old = Set::universe(&domain.space()?)?.identity()?.to_pw_multi_aff()?;
        Ok(Self { old: domain.tuple_name().unwrap_or_default(), domain: domain.clone(), to_old })
    }

    /// From old instances to new ones in `all`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn to_new(&self, all: &Set) -> Result<Map> {
        Ok(self.to_old.to_map()?.intersect_domain(all)?.reverse()?)
    }

    /// These instances, which `inner` made others of.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn then(&self, inner: &Self) -> Result<Self> {
        let to_old = self.to_old.pullback_pw_multi_aff(&inner.to_old)?;
        Ok(Self { old: self.old.clone(), domain: inner.domain.clone(), to_old })
    }

    /// The name of the new statement.
    pub fn name(&self) -> String {
        self.domain.tuple_name().unwrap_or_default()
    }

    /// Dates of the old instances as those of the new ones.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn dates(&self, schedule: &UnionPwAff) -> Result<PwAff> {
        let old = Set::universe(&self.to_old.to_map()?.range()?.space()?)?.space()?;
        Ok(schedule.extract_pw_aff(&old)?.pullback_pw_multi_aff(&self.to_old)?)
    }

    /// The first date of the strip that an instance is in.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn strip(&self, size: i64) -> Result<PwAff> {
        let number = Aff::var_on_domain(&self.domain.space()?, DimType::SET, 0)?;
        Ok(number.scale_val(&Val::int(size)?)?.to_pw_aff()?)
    }

    /// The new statement, which computes what `old` does; the strip divides its iterator at `divided`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn statement(
        &self,
        old: &Statement,
        divided: Option<usize>,
        size: i64,
    ) -> Result<Statement> {
        let of = divided.and_then(|at| old.iterators.get(at));
        let strip = Iterator {
            name: of.map_or_else(|| "strip".to_owned(), |of| format!("{}_strip", of.name)),
            ty: of.map_or_else(|| "int".to_owned(), |of| of.ty.clone()),
            value: self.strip(size)?,
        };
        self.with_iterators(old, vec![strip])
    }

    /// The new statement, which computes what `old` does, with these iterators in front of its own.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn with_iterators(
        &self,
        old: &Statement,
        mut iterators: Vec<Iterator>,
    ) -> Result<Statement> {
        let to_old = self.to_old.to_map()?;
        let n = u32::try_from(iterators.len()).unwrap_or(u32::MAX);
        let mut accesses: IdVec<AccessId, Access> = IdVec::new();
        for access in &old.accesses {
            accesses.push(Access {
                relation: to_old.apply_range(&access.relation)?,
                subscripts: access.subscripts.iter().map(|e| e.shifted(n)).collect(),
                ..access.clone()
            });
        }
        for iterator in &old.iterators {
            let value = iterator.value.pullback_pw_multi_aff(&self.to_old)?;
            iterators.push(Iterator { value, ..iterator.clone() });
        }
        Ok(Statement {
            name: self.name(),
            domain: self.domain.clone(),
            iterators,
            date: to_old.apply_range(&old.date)?,
            accesses,
            body: old.body.iter().map(|part| part.shifted(n)).collect(),
            ..old.clone()
        })
    }
}

/// The node over other children, with new instances in the place of old ones.
///
/// # Errors
/// When isl refuses.
pub fn with_lifted(
    tree: &ScheduleTree,
    mut children: Vec<ScheduleTree>,
    lifted: &[Lifted],
) -> Result<ScheduleTree> {
    let child =
        |children: &mut Vec<ScheduleTree>| children.pop().unwrap_or_else(ScheduleTree::leaf);
    Ok(match tree.node() {
        Node::Domain { domain, .. } => {
            ScheduleTree::domain(exchanged(domain, lifted)?, child(&mut children))
        }
        Node::Filter { filter, .. } => {
            ScheduleTree::filter(exchanged(filter, lifted)?, child(&mut children))
        }
        Node::Band { band, .. } => {
            let mut members = Vec::new();
            for member in &band.members {
                members.push(redated(member, lifted)?);
            }
            ScheduleTree::band(Band { members, ..band.clone() }, child(&mut children))
        }
        _ => tree.with_children(children),
    })
}

/// The part of a tree that orders the old instances of `lifted`, as one of the new instances.
///
/// # Errors
/// When isl refuses.
pub fn only_lifted(tree: &ScheduleTree, lifted: &[Lifted]) -> Result<ScheduleTree> {
    let children = tree.children().iter();
    match tree.node() {
        Node::Sequence(_) | Node::Set(_) => {
            let mut kept = Vec::new();
            for child in children {
                if let Node::Filter { filter, child } = child.node() {
                    let filter = only(filter, lifted)?;
                    if !filter.is_empty()? {
                        kept.push((filter, only_lifted(child, lifted)?));
                    }
                }
            }
            Ok(ScheduleTree::sequence(kept))
        }
        Node::Band { band, child } => {
            let mut members = Vec::new();
            for member in &band.members {
                let schedule = lifted.iter().map(|new| new.dates(&member.schedule));
                let schedule = UnionPwAff::union_all(schedule.collect::<Result<Vec<_>>>()?)?;
                members.push(Member { schedule, ..member.clone() });
            }
            Ok(ScheduleTree::band(Band { members, ..band.clone() }, only_lifted(child, lifted)?))
        }
        _ => {
            let children = children.map(|child| only_lifted(child, lifted));
            with_lifted(tree, children.collect::<Result<_>>()?, lifted)
        }
    }
}

/// The new ones of some instances.
fn only(instances: &UnionSet, lifted: &[Lifted]) -> Result<UnionSet> {
    let mut sets = Vec::new();
    for set in instances.sets()? {
        let name = set.tuple_name().unwrap_or_default();
        for new in lifted.iter().filter(|new| new.old == name) {
            sets.push(new.domain.intersect(&set.preimage_pw_multi_aff(&new.to_old)?)?);
        }
    }
    Ok(UnionSet::union_all(sets)?)
}

/// The whole subtree with new instances in the place of old ones.
///
/// # Errors
/// When isl refuses.
pub fn all_lifted(tree: &ScheduleTree, lifted: &[Lifted]) -> Result<ScheduleTree> {
    let children = tree.children().iter().map(|child| all_lifted(child, lifted));
    with_lifted(tree, children.collect::<Result<_>>()?, lifted)
}

/// Some instances with new ones in the place of old ones.
fn exchanged(instances: &UnionSet, lifted: &[Lifted]) -> Result<UnionSet> {
    let is_old = |set: &Set| lifted.iter().any(|new| Some(&new.old) == set.tuple_name().as_ref());
    let kept = instances.sets()?.into_iter().filter(|set| !is_old(set));
    Ok(UnionSet::union_all(kept)?.union(&only(instances, lifted)?)?)
}

/// A loop with the dates of new instances in the place of those of old ones.
///
/// # Errors
/// When isl refuses.
pub fn redated(member: &Member, lifted: &[Lifted]) -> Result<Member> {
    let mut dates = Vec::new();
    for date in member.schedule.pw_affs()? {
        let name = date.domain_space()?.tuple_name(DimType::SET).unwrap_or_default();
        let mut new = lifted.iter().filter(|new| new.old == name).peekable();
        match new.peek() {
            Some(_) => {
                for new in new {
                    dates.push(new.dates(&member.schedule)?);
                }
            }
            None => dates.push(date),
        }
    }
    Ok(Member { schedule: UnionPwAff::union_all(dates)?, ..member.clone() })
}
