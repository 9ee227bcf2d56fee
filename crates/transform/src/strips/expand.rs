//! Strips of loops whose iterations have copies of scalars: buffers with a cell for each iteration.

use super::lanes::with_mark;
use super::{Context, Nest};
use crate::view::Setting;
use crate::view::{Plans, Proposal, View};
use crate::{Error, Remark, Result};
use farkas_analysis::StrideModel;
use farkas_base::{NameGenerator, identifier};
use farkas_deps::Dependences;
use farkas_machine::Machine;
use farkas_poly::{DimType, Map, PwAff, Set, UnionPwAff, UnionSet};
use farkas_scop::{
    Array, ArrayId, ArrayScope, BinaryOp, Expr, Scop, ScopBuilder, Statement, StmtId,
};
use farkas_steps::{Lifted, only_lifted, redated, with_lifted};
use farkas_steps::{Past, sunk};
use farkas_tree::{Band, Mark, Member, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Strips of loops whose iterations have copies of temporaries: [`expand_private`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivateStrips {}

impl Plans for PrivateStrips {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Setting { scop, deps, machine, keeps_all, .. } = view.setting;
        if keeps_all {
            return Ok(Proposal::Nothing);
        }
        let program = expand_private(scop, deps, view.tree(), machine, remarks)?;
        Ok(Proposal::Program(Box::new(program)))
    }
}

/// The program in which recurrences run side by side where the parallel loop around them has private copies of scalars.
///
/// **Rewrite**: `mark parallel; mark private x; band [f]; ...`, as [`super::lay_side_by_side`] has it, but with the strips in
/// parallel, and `x_lanes[f - s floor(f / s)]` in the place of `x`: a buffer of `s` cells of each strip's own. Statements
/// get the number of the strip in front of their iterators.
///
/// Legal where the copies are, for each iteration has a cell of its own while its strip runs.
///
/// **Paper** P. Feautrier, *Array expansion*, ICS 1988; ours expands by one loop, within a strip.
///
/// # Errors
/// When isl refuses.
fn expand_private(
    scop: &Scop,
    deps: &Dependences,
    tree: &ScheduleTree,
    machine: &Machine,
    remarks: &mut Vec<Remark>,
) -> Result<Program> {
    let unchanged = Program::new(scop, tree.clone());
    let Node::Domain { domain, .. } = tree.node() else { return Ok(unchanged) };
    let strides = StrideModel::new(scop)?;
    let mut expansion = Expansion {
        context: Context { scop, deps, strides: &strides, machine },
        builder: scop.to_builder(),
        names: NameGenerator::new(scop.names()),
        outer: Vec::new(),
        remarks,
    };
    match expansion.below(tree, domain)? {
        None => Ok(unchanged),
        Some(Changed { tree, .. }) => {
            let scop = expansion.builder.build().map_err(Error::Scop)?;
            Ok(Program::new(&scop, tree))
        }
    }
}

/// A subtree in which statements got other instances.
struct Changed {
    tree: ScheduleTree,
    lifted: Vec<Lifted>,
}

/// The state of going through a tree.
struct Expansion<'a> {
    context: Context<'a>,
    builder: ScopBuilder,
    names: NameGenerator,
    /// The members around the place.
    outer: Vec<Member>,
    remarks: &'a mut Vec<Remark>,
}

/// A statement of a nest with the number of its strip.
struct Numbered {
    stmt: StmtId,
    lifted: Lifted,
    /// Which of its iterators the parallel loop is.
    iterator: usize,
}

impl Expansion<'_> {
    /// The subtree, which these instances reach; `None` where nothing changes.
    fn below(&mut self, tree: &ScheduleTree, instances: &UnionSet) -> Result<Option<Changed>> {
        if let Some((names, band, child)) = private_loop(tree) {
            return self.nest(names, band, child, instances);
        }
        let n_outer = self.outer.len();
        let inside = match tree.node() {
            Node::Filter { filter, .. } => instances.intersect(filter)?,
            _ => instances.clone(),
        };
        if let Node::Band { band, .. } = tree.node() {
            self.outer.extend(band.members.iter().cloned());
        }
        let (mut children, mut lifted) = (Vec::new(), Vec::new());
        for child in tree.children() {
            match self.below(child, &inside)? {
                Some(changed) => {
                    children.push(changed.tree);
                    lifted.extend(changed.lifted);
                }
                None => children.push(child.clone()),
            }
        }
        self.outer.truncate(n_outer);
        if lifted.is_empty() {
            return Ok(None);
        }
        Ok(Some(Changed { tree: with_lifted(tree, children, &lifted)?, lifted }))
    }

    /// A loop with these copies in strips; `None` where that does not fit.
    fn nest(
        &mut self,
        private: &[String],
        band: &Band,
        child: &ScheduleTree,
        instances: &UnionSet,
    ) -> Result<Option<Changed>> {
        let Some(nest) = Nest::of(band, child, instances, &self.outer, &self.context)? else {
            return Ok(None);
        };
        let is_scalar = |array: &Array| array.rank() == 0 && private.contains(&array.name);
        let arrays = self.context.scop.arrays().iter_enumerated();
        let scalars: Vec<ArrayId> =
            arrays.filter(|(_, a)| is_scalar(a)).map(|(id, _)| id).collect();
        if scalars.len() != private.len() {
            return Ok(None);
        }
        for scalar in &scalars {
            if !self.is_declared_outside(*scalar, &nest.inside)? {
                return Ok(None);
            }
        }
        let Some(numbered) = self.numbered(&nest)? else { return Ok(None) };
        let mut buffers = BTreeMap::new();
        for scalar in scalars {
            buffers.insert(scalar, self.buffer(scalar, nest.size)?);
        }
        for one in &numbered {
            let new = self.statement(one, &buffers, nest.size)?;
            self.builder.stmts[one.stmt] = new;
        }
        self.remarks.push(nest.remark()?);
        let lifted: Vec<Lifted> = numbered.into_iter().map(|one| one.lifted).collect();
        let tree = in_strips(&nest, &lifted)?;
        Ok(Some(Changed { tree, lifted }))
    }

    /// Whether a buffer for a scalar is declared outside of the loops in `inside`: it is used in several parts of a sequence.
    fn is_declared_outside(&self, scalar: ArrayId, inside: &ScheduleTree) -> Result<bool> {
        let Node::Sequence(children) = inside.node() else { return Ok(false) };
        let mut n_users = 0;
        for child in children {
            let Node::Filter { filter, .. } = child.node() else { return Ok(false) };
            let uses = |set: &Set| {
                let stmt = self.context.scop.stmt_by_name(&set.tuple_name().unwrap_or_default());
                stmt.is_some_and(|stmt| {
                    let accesses = &self.context.scop.stmts()[stmt].accesses;
                    accesses.iter().any(|access| access.array == scalar)
                })
            };
            n_users += usize::from(filter.sets()?.iter().any(uses));
        }
        Ok(n_users >= 2)
    }

    /// The statements of a nest with the numbers of strips; `None` where one has instances elsewhere, or the loop is none of
    /// its iterators.
    fn numbered(&self, nest: &Nest<'_>) -> Result<Option<Vec<Numbered>>> {
        let scop = self.context.scop;
        let mut found = Vec::new();
        for set in nest.instances.sets()? {
            let name = set.tuple_name().unwrap_or_default();
            let Some(stmt) = scop.stmt_by_name(&name) else { return Ok(None) };
            let domain = scop.domain_of(stmt)?;
            let date = nest.lane.schedule.extract_pw_aff(&domain.space()?)?;
            let Some(iterator) = iterator(&scop.stmts()[stmt], &domain, &date)? else {
                return Ok(None);
            };
            if !domain.is_subset(&set)? {
                return Ok(None);
            }
            let lifted = Lifted::named(&name, &name, &with_strips(&domain, &date, nest.size)?, 1)?;
            found.push(Numbered { stmt, lifted, iterator });
        }
        Ok(Some(found))
    }

    /// A buffer with as many cells for a scalar.
    fn buffer(&mut self, scalar: ArrayId, n_cells: i64) -> Result<ArrayId> {
        let of = self.context.scop.arrays()[scalar].clone();
        let name = self.names.fresh(&format!("{}_lanes", identifier(&of.source_name)));
        Ok(self.builder.arrays.push(Array {
            name: name.clone(),
            source_name: name,
            element: of.element,
            extents: vec![Some(format!("{{ [] -> [({n_cells})] }}").parse::<PwAff>()?)],
            scope: ArrayScope::Buffer,
            is_live_in: false,
            is_live_out: false,
            declaration: None,
            span: None,
        }))
    }

    /// A statement with buffers in the place of scalars.
    fn statement(
        &self,
        one: &Numbered,
        buffers: &BTreeMap<ArrayId, ArrayId>,
        size: i64,
    ) -> Result<Statement> {
        let old = &self.context.scop.stmts()[one.stmt];
        let mut new = one.lifted.statement(old, Some(one.iterator), size)?;
        let at = u32::try_from(one.iterator + 1).unwrap_or(u32::MAX);
        let value = new.iterators.get(one.iterator + 1).map(|iterator| iterator.value.clone());
        let Some(value) = value else { return Ok(new) };
        let cell = value.sub(&one.lifted.strip(size)?)?;
        let cell_expr =
            Expr::Binary(BinaryOp::Sub, Box::new(Expr::Iterator(at)), Box::new(Expr::Iterator(0)));
        for access in new.accesses.iter_mut() {
            let Some(buffer) = buffers.get(&access.array) else { continue };
            let name = &self.builder.arrays[*buffer].name;
            access.array = *buffer;
            access.relation = cell.to_map()?.with_tuple_name(DimType::Out, name)?;
            access.subscripts = vec![cell_expr.clone()];
        }
        Ok(new)
    }
}

/// The names of the copies, the band and what is below it, where `tree` is a parallel loop with copies.
fn private_loop(tree: &ScheduleTree) -> Option<(&[String], &Band, &ScheduleTree)> {
    let Node::Mark { mark: Mark::Parallel, child } = tree.node() else { return None };
    let Node::Mark { mark: Mark::Private(names), child } = child.node() else { return None };
    let Node::Band { band, child } = child.node() else { return None };
    (band.members.len() == 1).then_some((names.as_slice(), band, child))
}

/// Which iterator of a statement has the values of a date.
fn iterator(stmt: &Statement, domain: &Set, date: &PwAff) -> Result<Option<usize>> {
    let dates: Map = date.to_map()?.intersect_domain(domain)?;
    for (at, iterator) in stmt.iterators.iter().enumerate() {
        if iterator.value.to_map()?.intersect_domain(domain)?.is_equal(&dates)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Instances with the number of the strip that their date is in, in front.
fn with_strips(domain: &Set, date: &PwAff, size: i64) -> Result<Set> {
    let name = domain.tuple_name().unwrap_or_default();
    let inserted = domain.insert_dims(DimType::SET, 0, 1)?.with_tuple_name(&name)?;
    let lifted = Lifted::named(&name, &name, &inserted, 1)?;
    let date = lifted.dates(&UnionPwAff::union_all([date.clone()])?)?;
    let offset = date.sub(&lifted.strip(size)?)?;
    let last = PwAff::constant_on(&Set::universe(&inserted.space()?)?, size - 1)?;
    let inside = offset.nonneg_set()?.intersect(&offset.le_set(&last)?)?;
    Ok(inserted.intersect(&inside)?)
}

/// The nest in strips, over new instances.
fn in_strips(nest: &Nest<'_>, lifted: &[Lifted]) -> Result<ScheduleTree> {
    let mut dates = Vec::new();
    for one in lifted {
        dates.push(one.strip(nest.size)?);
    }
    let instances = UnionSet::union_all(lifted.iter().map(|one| one.domain.clone()))?;
    let lane = redated(&nest.lane, lifted)?;
    let mark = if nest.jumps { Mark::Unroll } else { Mark::Vector };
    let points = sunk(&only_lifted(&nest.inside, lifted)?, &lane, &instances, Past::Sequential)?;
    let points = with_mark(&points, &mark)?;
    let members = vec![Member::new(UnionPwAff::union_all(dates)?, true)];
    let strips = Band { members, permutable: true };
    let strips = ScheduleTree::band(strips, ScheduleTree::mark(Mark::Point, points));
    let strips = ScheduleTree::mark(Mark::Parallel, strips);
    let strips = ScheduleTree::mark(Mark::Tile(vec![nest.size]), strips);
    Ok(ScheduleTree::mark(Mark::SeparateFullTiles, strips))
}
