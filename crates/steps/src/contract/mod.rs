//! Arrays that iterations of loops have to themselves: expanded ones, and temporaries of the function.
//!
//! A schedule may bring all uses of such an array into the same iterations of some loops. What an iteration uses is then a
//! part of the array that no other one uses: a buffer of the iteration's own takes its place, which stays in caches.
//!
//! **Paper** P. Feautrier and V. Lefebvre, *Automatic storage management for parallel programs*, Parallel Computing 1998:
//! expansion first, and contraction by what the schedule leaves of it. Ours drops dimensions that outer loops determine.

mod copies;
mod limits;

pub use copies::copies_back;
pub use limits::limits;

use crate::{ArrayAddress, LoopAddress, NotApplicable, Result, Rewrite, Subject};
use copies::Inside;
use farkas_base::NameGenerator;
use farkas_poly::{DimType, Map, PwAff, Set, UnionSet};
use farkas_scop::{Array, ArrayId, ArrayScope, Scop, StmtId};
use farkas_tree::{Member, Node, Program, ScheduleTree};
use limits::limited;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most bytes that an iteration has to itself: what threads' stacks hold beside the operands of register tiles.
const MAX_BYTES: i64 = 512 * 1024;

/// What the name of a buffer has behind that of the array in whose place it is.
pub(crate) const PART: &str = "_part";

/// A buffer for each iteration of the loops around, in the place of an array that `expand` made, or of a temporary of the function, of which each
/// of these iterations uses a part of its own. What is copied back from the array moves into the same loops.
///
/// It holds for parameters within [`limits`] alone, as far as the size of the buffer depends on them: the program's context has
/// them then.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// The array.
    pub array: ArrayAddress,
}

impl Rewrite for Contract {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program> {
        let array = self.array.find(subject.scop())?;
        if !subject.scop().arrays()[array].is_temporary() {
            return Err(self.whole("code before or after the region uses it, too").into());
        }
        let narrow = within_limits(subject.program)?;
        let contraction = Contraction::of(&narrow.scop, array);
        contraction.program(&narrow)?.map_err(|why| self.whole(why).into())
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        Vec::new()
    }

    fn arrays(&mut self) -> Vec<&mut ArrayAddress> {
        vec![&mut self.array]
    }
}

impl Contract {
    /// Why there is no buffer.
    fn whole(&self, why: &'static str) -> NotApplicable {
        NotApplicable::NotContractible { array: self.array.clone(), why }
    }
}

/// The program for parameters within its limits, for which it is known what expanded arrays take.
fn within_limits(program: &Program) -> Result<Program> {
    let scop = limited(&program.scop, &limits(&program.scop)?)?;
    let tree = match program.tree.node() {
        Node::Domain { domain, child } => {
            ScheduleTree::domain(domain.intersect_params(scop.context())?, child.clone())
        }
        _ => program.tree.clone(),
    };
    Ok(Program { scop, tree, ..program.clone() })
}

/// Why an array whose uses are in no common loop stays.
const NO_LOOP: &str =
    "no loop around all its uses has iterations that each use a part of their own";

/// An array and what uses it.
struct Contraction<'a> {
    scop: &'a Scop,
    array: ArrayId,
    /// The statements that use it, but for those that copy it back.
    users: Vec<StmtId>,
    copies: Vec<StmtId>,
}

impl<'a> Contraction<'a> {
    /// That of an array.
    fn of(scop: &'a Scop, array: ArrayId) -> Self {
        let back: BTreeSet<StmtId> = copies_back(scop).into_iter().collect();
        let uses = |stmt: &StmtId| scop.stmts()[*stmt].accesses.iter().any(|a| a.array == array);
        let (copies, users) = scop.stmts().ids().filter(uses).partition(|s| back.contains(s));
        Self { scop, array, users, copies }
    }

    /// The program with buffers, or why that does not fit.
    fn program(&self, program: &Program) -> Result<std::result::Result<Program, &'static str>> {
        if self.users.is_empty() || !self.are_alone() {
            return Ok(Err("something else uses what it is copied back to"));
        }
        let uses = self.instances(&self.users)?;
        let around = loops_around(&program.tree, &uses)?;
        let Some(dates) = self.dates(&around)? else { return Ok(Err(NO_LOOP)) };
        let fixed = self.fixed(&dates)?;
        if fixed.is_empty() || !dates.is_single_valued()? {
            return Ok(Err(NO_LOOP));
        }
        let Some(buffer) = self.buffer(&fixed)? else {
            return Ok(Err("the part of an iteration is too large, or of unknown size"));
        };
        let tree = match self.copies.is_empty() {
            true => program.tree.clone(),
            false => match self.with_copies_inside(&program.tree, &around, &dates)? {
                Some(tree) => tree,
                None => return Ok(Err("an iteration copies back what several others compute")),
            },
        };
        let scop = self.rewritten(buffer, &fixed)?;
        Ok(Ok(Program { scop, tree, ..program.clone() }))
    }

    /// All instances of some statements.
    fn instances(&self, stmts: &[StmtId]) -> Result<UnionSet> {
        let sets: farkas_poly::Result<Vec<Set>> =
            stmts.iter().map(|stmt| self.scop.domain_of(*stmt)).collect();
        Ok(UnionSet::union_all(sets?)?)
    }

    /// From elements of the array to the dates of the loops in which they are used; `None` where there are no loops.
    fn dates(&self, around: &[Member]) -> Result<Option<Map>> {
        let mut all: Option<Map> = None;
        for &stmt in &self.users {
            let domain = self.scop.domain_of(stmt)?;
            let mut dates: Option<Map> = None;
            for member in around {
                let date = member.schedule.extract_pw_aff(&domain.space()?)?;
                let date = date.to_map()?.intersect_domain(&domain)?;
                dates = Some(match dates {
                    Some(dates) => dates.flat_range_product(&date)?,
                    None => date,
                });
            }
            let Some(dates) = dates else { return Ok(None) };
            for access in self.scop.stmts()[stmt].accesses.iter().filter(|a| a.array == self.array)
            {
                let of_elements = access.relation.reverse()?.apply_range(&dates)?;
                all = Some(match all {
                    Some(all) => all.union(&of_elements)?,
                    None => of_elements,
                });
            }
        }
        Ok(all)
    }

    /// The dimensions of the array that the dates determine.
    fn fixed(&self, dates: &Map) -> Result<Vec<usize>> {
        let rank = self.scop.arrays()[self.array].rank();
        let elements = dates.reverse()?;
        let mut fixed = Vec::new();
        for at in 0..rank {
            let (at32, n) = (to_u32(at), to_u32(rank));
            let one = elements.project_out(DimType::Out, at32 + 1, n - at32 - 1)?;
            if one.project_out(DimType::Out, 0, at32)?.is_single_valued()? {
                fixed.push(at);
            }
        }
        Ok(fixed)
    }

    /// A buffer with the other dimensions; `None` where its size is not known or too large.
    fn buffer(&self, fixed: &[usize]) -> Result<Option<Array>> {
        let of = &self.scop.arrays()[self.array];
        let mut extents = Vec::new();
        let Some(size) = of.element.kind.size_bytes() else { return Ok(None) };
        let mut bytes = i64::from(size);
        for (at, extent) in of.extents.iter().enumerate() {
            if fixed.contains(&at) {
                continue;
            }
            let Some(extent) = extent else { return Ok(None) };
            let Some(most) = greatest(extent, self.scop.context())? else { return Ok(None) };
            bytes = bytes.saturating_mul(most);
            extents.push(Some(format!("{{ [] -> [({most})] }}").parse::<PwAff>()?));
        }
        let name = NameGenerator::new(self.scop.names()).fresh(&buffer_name(&of.name));
        let (source_name, scope) = (name.clone(), ArrayScope::Buffer);
        let buffer = Array { name, source_name, extents, scope, ..of.clone() };
        Ok((bytes <= MAX_BYTES).then_some(buffer))
    }

    /// The scop with a buffer in the place of the array.
    fn rewritten(&self, buffer: Array, fixed: &[usize]) -> Result<Scop> {
        let mut builder = self.scop.to_builder();
        let name = buffer.name.clone();
        let new = builder.arrays.push(buffer);
        for stmt in builder.stmts.iter_mut() {
            for access in stmt.accesses.iter_mut().filter(|a| a.array == self.array) {
                for at in fixed.iter().rev() {
                    access.relation = access.relation.project_out(DimType::Out, to_u32(*at), 1)?;
                    if *at < access.subscripts.len() {
                        access.subscripts.remove(*at);
                    }
                }
                access.relation = access.relation.with_tuple_name(DimType::Out, &name)?;
                access.array = new;
            }
        }
        builder.build().map_err(crate::Error::Scop)
    }

    /// Whether nothing but the copies uses what they copy to: then it does not matter when they do.
    fn are_alone(&self) -> bool {
        let targets = |stmt: &StmtId| {
            let accesses = self.scop.stmts()[*stmt].accesses.iter();
            accesses.filter(|a| a.kind.is_write()).map(|a| a.array).collect::<Vec<_>>()
        };
        let targets: BTreeSet<ArrayId> = self.copies.iter().flat_map(targets).collect();
        let others = self.scop.stmts().iter_enumerated().filter(|(s, _)| !self.copies.contains(s));
        let mut accesses = others.flat_map(|(_, stmt)| stmt.accesses.iter());
        !accesses.any(|access| targets.contains(&access.array))
    }

    /// The tree with what is copied back after all uses of the same iteration; `None` where a copy's iteration is not one.
    fn with_copies_inside(
        &self,
        tree: &ScheduleTree,
        around: &[Member],
        dates: &Map,
    ) -> Result<Option<ScheduleTree>> {
        let Node::Domain { domain, .. } = tree.node() else { return Ok(None) };
        let copies = self.instances(&self.copies)?;
        let mut added = vec![Vec::new(); around.len()];
        for &copy in &self.copies {
            let own = self.scop.domain_of(copy)?;
            let accesses = self.scop.stmts()[copy].accesses.iter();
            let Some(read) = accesses.into_iter().find(|a| a.array == self.array) else {
                return Ok(None);
            };
            let dates = read.relation.intersect_domain(&own)?.apply_range(dates)?;
            if !dates.is_single_valued()? || !own.is_subset(&dates.domain()?)? {
                return Ok(None);
            }
            let dates = dates.to_pw_multi_aff()?;
            for (at, parts) in (0..).zip(&mut added) {
                parts.push(dates.at(at)?);
            }
        }
        let copied = tree.restricted_to(&copies)?;
        let Some(copied) = copied.children().first() else { return Ok(None) };
        let tree = tree.restricted_to(&domain.subtract(&copies)?)?;
        let Node::Domain { domain: rest, child } = tree.node() else { return Ok(None) };
        let mut inside = Inside { copies: &copies, copied, added: added.into() };
        let uses = self.instances(&self.users)?;
        let child = inside.below(child, &uses, rest)?;
        Ok(Some(ScheduleTree::domain(domain.clone(), child)))
    }
}

/// The loops around the lowest node that all these instances reach.
fn loops_around(tree: &ScheduleTree, uses: &UnionSet) -> Result<Vec<Member>> {
    let (mut here, mut members) = (tree, Vec::new());
    loop {
        let below = match here.node() {
            Node::Leaf => None,
            Node::Sequence(children) | Node::Set(children) => {
                let mut found = None;
                for child in children {
                    if let Node::Filter { filter, .. } = child.node()
                        && uses.is_subset(filter)?
                    {
                        found = Some(child);
                    }
                }
                found
            }
            Node::Band { band, child } => {
                members.extend(band.members.iter().cloned());
                Some(child)
            }
            _ => here.children().first(),
        };
        let Some(below) = below else { return Ok(members) };
        here = below;
    }
}

/// What the buffer in the place of an array is called, unless that name is taken.
pub fn buffer_name(array: &str) -> String {
    format!("{array}{PART}")
}

/// The greatest value of an extent within a context, where there is one.
fn greatest(extent: &PwAff, context: &Set) -> Result<Option<i64>> {
    // Extents as they are declared are functions of parameters alone.
    let extent = match extent.domain()?.space()?.is_params()? {
        true => extent.from_range()?,
        false => extent.clone(),
    };
    let values = extent.intersect_params(context)?.to_map()?.range()?;
    Ok(values.project_out_all_params()?.dim_max_val(0)?.to_small_int()?)
}

/// A position as isl has them.
fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
