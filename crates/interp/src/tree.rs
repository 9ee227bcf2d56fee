//! The order that a schedule tree gives.

use crate::affine::{Function, Points, points};
use crate::order::{Copies, Role, arrays_named, names, undefined};
use crate::random::Random;
use crate::{Error, Instance, Order, Params, Result};
use farkas_base::IdVec;
use farkas_poly::{DimType, Set, UnionMap, UnionSet, Val};
use farkas_scop::{ArrayId, Scop, StmtId};
use farkas_tree::{Band, Cursor, Mark, Node, Program, ScheduleTree};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Which freedom of a tree is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Interleaving {
    /// None: loops run upward, the children of set nodes in order.
    #[default]
    Sequential,
    /// The iterations of loops marked parallel or vector run at the same time: their instances are interleaved at
    /// random, as the seed says.
    Parallel(u64),
    /// So are those of all coincident loops, the children of set nodes, and instances that no node orders.
    Coincident(u64),
}

impl Interleaving {
    /// What decides the order of concurrent instances, and whether coincident loops count as concurrent.
    pub(crate) fn random(self) -> (Option<Random>, bool) {
        match self {
            Self::Sequential => (None, false),
            Self::Parallel(seed) => (Some(Random::new(seed)), false),
            Self::Coincident(seed) => (Some(Random::new(seed)), true),
        }
    }
}

/// The instances of `scop` in the order of `tree`.
///
/// With an [`Interleaving`], instances of concurrent iterations are merged at random (each iteration keeps its own
/// order), so that an iteration that uses what another one writes is likely to be seen. An instance is never split. With
/// or without, iterations of loops with private arrays use copies of their own.
///
/// # Errors
/// When the tree names statements that `scop` does not have or gives no date to an instance, or as
/// [`original_order`](crate::original_order).
///
/// # Example
/// A band over `S[i]` with the member `-i` runs `S` downward; [`execute`](crate::execute) on this order and on the
/// original one gives equal memories if and only if the values are the same at these sizes.
pub fn tree_order(
    scop: &Scop,
    tree: &ScheduleTree,
    params: &Params,
    interleaving: Interleaving,
) -> Result<Order> {
    params.check(scop)?;
    let (random, coincident) = interleaving.random();
    let homes = Program::homes(scop, tree)?;
    let compiler = Compiler { scop, params, names: names(scop), homes };
    let step = compiler.compile(tree, &Cursor::root(), &Above::default())?;
    let copies = Copies::default();
    let mut walk = Walk { compiler, random, coincident, prefix: Vec::new(), copies };
    let instances = walk.run(&step, Vec::new())?;
    Ok(Order { instances, copies: walk.copies })
}

/// A node of the tree at fixed parameter values.
enum Step {
    /// The instances, and how they are ordered.
    Domain(Vec<Instance>, Box<Step>),
    /// The loops of a band, outermost first.
    Band(Vec<Loop>, Box<Step>),
    /// Children, and whether they are ordered.
    Children(Vec<Step>, bool),
    /// The instances that stay, a set a statement.
    Filter(IdVec<StmtId, Points>, Box<Step>),
    /// From outer dates to instances that are added, a set a statement over dates and instances.
    Extension(UnionMap, Box<Step>),
    /// From groups to members.
    Expansion(UnionMap, Box<Step>),
    /// A condition on outer dates.
    Guard(Points, Box<Step>),
    /// A condition on outer dates that must hold.
    Context(Points, String, Box<Step>),
    Leaf,
}

/// A member of a band.
struct Loop {
    dates: IdVec<StmtId, Function>,
    coincident: bool,
    marked: bool,
    /// The arrays that each iteration has a copy of.
    private: Vec<ArrayId>,
}

/// The marks above a node that hold for the first loop of a band there.
#[derive(Clone, Default)]
struct Above {
    concurrent: bool,
    private: Vec<ArrayId>,
}

/// Makes steps of nodes.
struct Compiler<'a> {
    scop: &'a Scop,
    params: &'a Params,
    names: IdVec<StmtId, Rc<str>>,
    /// The buffers: iterations of loops around these nodes have their own.
    homes: Vec<(ArrayId, Cursor)>,
}

impl Compiler<'_> {
    /// The step of a tree below marks.
    fn compile(&self, tree: &ScheduleTree, cursor: &Cursor, above: &Above) -> Result<Step> {
        let below = |child: &ScheduleTree| {
            self.compile(child, &cursor.child(0), &Above::default()).map(Box::new)
        };
        Ok(match tree.node() {
            Node::Domain { domain, child } => Step::Domain(self.instances(domain)?, below(child)?),
            Node::Context { context, child } => {
                Step::Context(self.condition(context)?, context.to_string(), below(child)?)
            }
            Node::Band { band, child } => {
                let mut loops = self.band(band, above)?;
                if let Some(last) = loops.last_mut() {
                    let own = self.homes.iter().filter(|(_, home)| cursor.is_above(home));
                    last.private.extend(own.map(|(array, _)| *array));
                }
                Step::Band(loops, below(child)?)
            }
            Node::Sequence(children) | Node::Set(children) => {
                let ordered = matches!(tree.node(), Node::Sequence(_));
                let children: Vec<Step> = children
                    .iter()
                    .enumerate()
                    .map(|(at, c)| self.compile(c, &cursor.child(at), &Above::default()))
                    .collect::<Result<_>>()?;
                Step::Children(children, ordered)
            }
            Node::Filter { filter, child } => Step::Filter(self.filter(filter)?, below(child)?),
            Node::Mark { mark, child } => {
                let mut above = above.clone();
                above.concurrent |= matches!(mark, Mark::Parallel | Mark::Vector);
                if let Mark::Private(names) = mark {
                    above.private.extend(arrays_named(self.scop, names)?);
                }
                self.compile(child, &cursor.child(0), &above)?
            }
            Node::Extension { extension, child } => {
                Step::Extension(extension.clone(), below(child)?)
            }
            Node::Expansion { expansion, child, .. } => {
                Step::Expansion(expansion.clone(), below(child)?)
            }
            Node::Guard { guard, child } => Step::Guard(self.condition(guard)?, below(child)?),
            Node::Leaf => Step::Leaf,
        })
    }

    /// The instances of `domain`.
    fn instances(&self, domain: &UnionSet) -> Result<Vec<Instance>> {
        let mut instances = Vec::new();
        for set in domain.sets()? {
            let left = self.params.max_instances().saturating_sub(instances.len());
            let points = points(&set, self.params, left)?;
            let stmt = self.statement(set.tuple_name())?;
            instances.extend(points.into_iter().map(|at| self.instance(stmt, at)));
        }
        instances.sort();
        Ok(instances)
    }

    /// The statement called `name`.
    fn statement(&self, name: Option<String>) -> Result<StmtId> {
        let name = name.unwrap_or_default();
        self.scop.stmt_by_name(&name).ok_or(Error::NoStatement(name))
    }

    /// An instance of a statement.
    fn instance(&self, stmt: StmtId, at: Vec<i64>) -> Instance {
        Instance { stmt, name: Rc::clone(&self.names[stmt]), at, role: Role::Instance }
    }

    /// The loops of a band.
    fn band(&self, band: &Band, above: &Above) -> Result<Vec<Loop>> {
        let date =
            |member: &farkas_tree::Member, stmt: &farkas_scop::Statement| -> Result<Function> {
                let space = stmt.domain.space()?;
                Function::new(&member.schedule.extract_pw_aff(&space)?, self.params)
            };
        let mut loops = Vec::new();
        for (position, member) in band.members.iter().enumerate() {
            let dates =
                self.scop.stmts().iter().map(|stmt| date(member, stmt)).collect::<Result<_>>()?;
            let above = if position == 0 { above.clone() } else { Above::default() };
            let Above { concurrent: marked, private } = above;
            loops.push(Loop { dates, coincident: member.coincident, marked, private });
        }
        Ok(loops)
    }

    /// The points of each statement that `filter` keeps.
    fn filter(&self, filter: &UnionSet) -> Result<IdVec<StmtId, Points>> {
        let kept = |stmt: &farkas_scop::Statement| -> Result<Points> {
            Points::new(&filter.extract_set(&stmt.domain.space()?)?, self.params)
        };
        self.scop.stmts().iter().map(kept).collect()
    }

    /// A condition on outer dates; a condition on parameters alone is one on no dates.
    fn condition(&self, set: &Set) -> Result<Points> {
        let set = if set.space()?.is_params()? { set.from_params()? } else { set.clone() };
        Points::new(&set, self.params)
    }
}

/// A walk through the steps.
struct Walk<'a> {
    compiler: Compiler<'a>,
    random: Option<Random>,
    coincident: bool,
    /// The dates of the surrounding loops.
    prefix: Vec<i64>,
    copies: Copies,
}

impl Walk<'_> {
    /// The instances `group` (and those that extensions add) in the order of `step`.
    fn run(&mut self, step: &Step, group: Vec<Instance>) -> Result<Vec<Instance>> {
        match step {
            Step::Domain(instances, child) => self.run(child, instances.clone()),
            Step::Band(loops, child) => self.band(loops, child, group),
            Step::Children(children, ordered) => {
                let concurrent = !ordered && self.coincident;
                let parts = children
                    .iter()
                    .map(|child| self.run(child, group.clone()))
                    .collect::<Result<_>>()?;
                Ok(self.join(parts, concurrent))
            }
            Step::Filter(kept, child) => {
                let mut inside = Vec::new();
                for instance in group {
                    if kept[instance.stmt].contains(&instance.at)? {
                        inside.push(instance);
                    }
                }
                if inside.is_empty() { Ok(inside) } else { self.run(child, inside) }
            }
            Step::Extension(extension, child) => {
                let mut group = group;
                group.extend(self.images(extension, None, &self.prefix)?);
                self.run(child, group)
            }
            Step::Expansion(expansion, child) => {
                let mut members = Vec::new();
                for instance in &group {
                    members.extend(self.images(expansion, Some(&instance.name), &instance.at)?);
                }
                self.run(child, members)
            }
            Step::Guard(condition, child) => {
                let holds = condition.contains(&self.prefix)?;
                if holds { self.run(child, group) } else { Ok(Vec::new()) }
            }
            Step::Context(condition, text, child) => {
                if !group.is_empty() && !condition.contains(&self.prefix)? {
                    return Err(Error::OutsideContext(text.clone()));
                }
                self.run(child, group)
            }
            Step::Leaf => Ok(self.leaf(group)),
        }
    }

    /// The iterations of the first loop one after another, or interleaved; in each the other loops.
    fn band(
        &mut self,
        loops: &[Loop],
        child: &Step,
        group: Vec<Instance>,
    ) -> Result<Vec<Instance>> {
        let Some((first, rest)) = loops.split_first() else { return self.run(child, group) };
        let mut iterations: BTreeMap<i64, Vec<Instance>> = BTreeMap::new();
        for instance in group {
            let date = first.dates[instance.stmt].value(&instance.at)?;
            let date = date.ok_or_else(|| undefined("a band", &instance))?;
            iterations.entry(date).or_default().push(instance);
        }
        let mut parts = Vec::new();
        for (date, iteration) in iterations {
            self.prefix.push(date);
            let part = self.band(rest, child, iteration);
            self.prefix.pop();
            let part = part?;
            self.copies.give(&first.private, &part);
            parts.push(part);
        }
        Ok(self.join(parts, first.marked || (first.coincident && self.coincident)))
    }

    /// The parts one after another, or interleaved where they are concurrent.
    fn join(&mut self, parts: Vec<Vec<Instance>>, concurrent: bool) -> Vec<Instance> {
        match self.random.as_mut().filter(|_| concurrent) {
            Some(random) => random.interleave(parts),
            None => parts.concat(),
        }
    }

    /// Instances that nothing orders.
    fn leaf(&mut self, mut group: Vec<Instance>) -> Vec<Instance> {
        match self.random.as_mut().filter(|_| self.coincident) {
            Some(random) => random.shuffle(&mut group),
            None => group.sort(),
        }
        group
    }

    /// The instances that `map` gives for the point `at` of the tuple `name`.
    fn images(&self, map: &UnionMap, name: Option<&str>, at: &[i64]) -> Result<Vec<Instance>> {
        let mut images = Vec::new();
        for part in map.maps()? {
            let dims = part.dim(DimType::In)? as usize;
            if part.tuple_name(DimType::In).as_deref() != name || dims != at.len() {
                continue;
            }
            let mut domain = Set::universe(&part.space()?.domain()?)?;
            for (position, &x) in (0..).zip(at) {
                domain = domain.fix_val(DimType::SET, position, &Val::int(x)?)?;
            }
            let range = part.intersect_domain(&domain)?.range()?;
            let stmt = self.compiler.statement(range.tuple_name())?;
            let left = self.compiler.params.max_instances();
            for at in points(&range, self.compiler.params, left)? {
                images.push(self.compiler.instance(stmt, at));
            }
        }
        images.sort();
        Ok(images)
    }
}
