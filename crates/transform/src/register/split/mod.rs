//! Sums whose operands other instances of the same loops compute.
//!
//! A factorisation such as LU sums products of what it has just computed: no block of it is a product of finished operands.
//! One of its loops cut into *strips* makes most of it such. In a strip, some instances come *before*, those that compute
//! what the strip computes with; all other sums, which are *far*, are products of finished operands, a nest of their own that
//! register tiles fit; the rest comes *after*. What comes before is cut into smaller strips in the same way. Sums of vectors, which
//! register tiles of rows fit, are cut so where they need others of the same statement, as in the solution of a triangular system.
//!
//! - `order`: what must come before what. `cut`: which loop is cut; `division`: how the instances of its strips are divided;
//!   `degree`: what is worth it.
//! - `lift`: the statements with the numbers of strips in front of their iterators, and their tree.

mod cut;
mod degree;
mod division;
mod order;

use super::plan::sums;
use super::sizes::Registers;
use crate::{Error, Remark, Result};
use cut::{Cut, Cutting, Far};
use farkas_base::NameGenerator;
use farkas_deps::Dependences;
use farkas_poly::{MultiUnionPwAff, UnionPwAff, UnionSet};
use farkas_scop::{BodyStmt, Scop, ScopBuilder};
use farkas_steps::{Lifted, only_lifted, redated, with_lifted};
use farkas_tree::{Band, Mark, Member, Node, Program, ScheduleTree};
use order::Order;
use std::collections::{BTreeMap, BTreeSet};

/// A program in which sums whose operands are ready stand in loops of their own.
///
/// **Rewrite**: `band d, ..` becomes `strips of d; sequence [before: band d, .. ; far: band d, .. of each sum; after: band d, ..]`.
/// Legal where `d` never runs backwards along dependences, because nothing far precedes what comes before, and nothing that comes
/// after precedes what is far: all that a far sum depends on, but for its own earlier terms, comes before, and so does, for
/// each instance there, all that it depends on.
///
/// # Errors
/// When isl refuses.
pub(super) fn split_sums(
    scop: &Scop,
    deps: &Dependences,
    tree: &ScheduleTree,
    registers: Registers,
    remarks: &mut Vec<Remark>,
) -> Result<Program> {
    let unchanged = || Program::new(scop, tree.clone());
    let Node::Domain { domain, .. } = tree.node() else { return Ok(unchanged()) };
    let mut accesses = BTreeMap::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        if let [BodyStmt::Assign { target, .. }] = stmt.body.as_slice()
            && let Some(sums) = sums(stmt, *target)?
        {
            accesses.insert(id, sums);
        }
    }
    if accesses.is_empty() {
        return Ok(unchanged());
    }
    let mut splitting = Splitting {
        registers,
        sums: accesses.keys().map(|id| scop.stmts()[*id].name.clone()).collect(),
        names: NameGenerator::new(scop.names()),
        builder: scop.to_builder(),
        origins: BTreeMap::new(),
        outer: Vec::new(),
        strip: None,
        remarks,
    };
    let order = Order::of(scop, deps, &accesses)?;
    let Some(Changed { tree, .. }) = splitting.below(tree, domain, &order)? else {
        return Ok(unchanged());
    };
    let scop = splitting.builder.build().map_err(Error::Scop)?;
    Ok(Program { origins: splitting.origins, ..Program::new(&scop, tree) })
}

/// A subtree in which statements got other instances.
struct Changed {
    tree: ScheduleTree,
    lifted: Vec<Lifted>,
}

/// The state of splitting a tree.
struct Splitting<'a> {
    registers: Registers,
    /// The names of the statements that sum something up, in the order of the program.
    sums: Vec<String>,
    names: NameGenerator,
    builder: ScopBuilder,
    origins: BTreeMap<String, String>,
    /// The members around the place.
    outer: Vec<Member>,
    /// The size of the strips around the place.
    strip: Option<i64>,
    remarks: &'a mut Vec<Remark>,
}

impl Splitting<'_> {
    /// The subtree, which these instances reach, with its sums split; `None` where there are none to split. `order` is that
    /// in one iteration of the loops around, among these instances and maybe others.
    fn below(
        &mut self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        order: &Order,
    ) -> Result<Option<Changed>> {
        if let Node::Band { .. } = tree.node() {
            let scop = self.builder.clone().build().map_err(Error::Scop)?;
            let cutting = Cutting {
                scop: &scop,
                registers: &self.registers,
                sums: &self.sums,
                outer: &self.outer,
                strip: self.strip,
            };
            if let Some(cut) = cutting.best(tree, instances, order)? {
                self.remarks.push(cut.remark(&scop)?);
                return Ok(Some(self.strips(&scop, tree, &cut)?));
            }
        }
        let (inside, order) = match tree.node() {
            Node::Filter { filter, .. } => (instances.intersect(filter)?, order.clone()),
            Node::Band { band, .. } => (instances.clone(), order.within(&dates(&band.members)?)?),
            _ => (instances.clone(), order.clone()),
        };
        let n_outer = self.outer.len();
        if let Node::Band { band, .. } = tree.node() {
            self.outer.extend(band.members.iter().cloned());
        }
        let (mut children, mut lifted) = (Vec::new(), Vec::new());
        for child in tree.children() {
            match self.below(child, &inside, &order)? {
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

    /// The loops over strips, with all that is in them.
    fn strips(&mut self, scop: &Scop, tree: &ScheduleTree, cut: &Cut) -> Result<Changed> {
        let mut used = BTreeSet::new();
        let mut part = |of: &UnionSet, what| self.part(scop, cut, of, what, &mut used);
        let before = part(&cut.before, "before")?;
        let (mut lifted, mut nests) = (before.clone(), Vec::new());
        for far in &cut.far {
            let part = part(&far.instances.to_union_set()?, "far")?;
            nests.push(far_nest(&only_lifted(tree, &part)?, far, &part)?);
            lifted.extend(part);
        }
        let after = part(&cut.after, "after")?;
        if !after.is_empty() {
            nests.push(ScheduleTree::filter(domain(&after)?, only_lifted(tree, &after)?));
        }
        lifted.extend(after);
        let first = lifted.iter().map(|new| new.strip(cut.size));
        let first = UnionPwAff::union_all(first.collect::<farkas_steps::Result<Vec<_>>>()?)?;
        let band = Band { members: vec![Member::new(first, cut.is_coincident)], permutable: true };
        if before.is_empty() {
            return Ok(Changed { tree: strips_of(band, nests, cut.size), lifted });
        }
        let filter = domain(&before)?;
        let inside = inwards(&only_lifted(tree, &before)?, cut.position);
        let inner = self.inside(&band, cut, &inside, &filter)?;
        let Some(inner) = inner else {
            nests.insert(0, ScheduleTree::filter(filter, inside));
            return Ok(Changed { tree: strips_of(band, nests, cut.size), lifted });
        };
        let filter = ScheduleTree::filter(filter, inside);
        nests.insert(0, with_lifted(&filter, vec![inner.tree], &inner.lifted)?);
        let members = band.members.iter().map(|member| redated(member, &inner.lifted));
        let band = Band { members: members.collect::<farkas_steps::Result<_>>()?, ..band };
        let lifted = composed(lifted, &inner.lifted)?;
        Ok(Changed { tree: strips_of(band, nests, cut.size), lifted })
    }

    /// What comes before in a strip, with its sums split.
    fn inside(
        &mut self,
        strips: &Band,
        cut: &Cut,
        tree: &ScheduleTree,
        instances: &UnionSet,
    ) -> Result<Option<Changed>> {
        let around = self.strip.replace(cut.size);
        let n_outer = self.outer.len();
        self.outer.extend(strips.members.iter().cloned());
        let changed = self.below(tree, instances, &cut.order)?;
        self.outer.truncate(n_outer);
        self.strip = around;
        Ok(changed)
    }

    /// The statements of a part of a strip's instances. The first part of a statement keeps its name.
    fn part(
        &mut self,
        scop: &Scop,
        cut: &Cut,
        instances: &UnionSet,
        what: &str,
        used: &mut BTreeSet<String>,
    ) -> Result<Vec<Lifted>> {
        let mut part = Vec::new();
        for set in instances.sets()? {
            let old = set.tuple_name().unwrap_or_default();
            let Some(id) = scop.stmt_by_name(&old) else { continue };
            let stmt = &scop.stmts()[id];
            let is_first = used.insert(old.clone());
            let name = match is_first {
                true => old.clone(),
                false => self.names.fresh(&format!("{old}_{what}")),
            };
            let new = Lifted::named(&old, &name, &set, 1)?;
            let statement = new.statement(stmt, cut.iterator_of(stmt)?, cut.size)?;
            if is_first {
                self.builder.stmts[id] = statement;
            } else {
                let origin = self.origins.get(&old).unwrap_or(&old).clone();
                self.origins.insert(name, origin);
                self.builder.stmts.push(statement);
            }
            part.push(new);
        }
        Ok(part)
    }
}

/// The dates of some loops.
fn dates(members: &[Member]) -> Result<MultiUnionPwAff> {
    let members: Vec<UnionPwAff> = members.iter().map(|m| m.schedule.clone()).collect();
    Ok(MultiUnionPwAff::from_members(&members)?)
}

/// The instances of some statements.
fn domain(lifted: &[Lifted]) -> Result<UnionSet> {
    Ok(UnionSet::union_all(lifted.iter().map(|new| new.domain.clone()))?)
}

/// Loops over strips, in each of which filtered children run one after another.
fn strips_of(band: Band, children: Vec<ScheduleTree>, size: i64) -> ScheduleTree {
    let children = Node::Sequence(children).into();
    let strips = ScheduleTree::band(band, ScheduleTree::mark(Mark::Point, children));
    ScheduleTree::mark(Mark::Tile(vec![size]), strips)
}

/// The loops of far sums under their filter, each a band of its own, since what they use is there.
fn far_nest(tree: &ScheduleTree, far: &Far, part: &[Lifted]) -> Result<ScheduleTree> {
    let mut nest = ScheduleTree::leaf();
    for (member, coincident) in chain(tree).into_iter().zip(&far.coincident).rev() {
        let member = Member { coincident: *coincident, ..member.clone() };
        nest = ScheduleTree::band(Band { members: vec![member], permutable: true }, nest);
    }
    Ok(ScheduleTree::filter(domain(part)?, nest))
}

/// The members of the bands that stand one inside the other from `tree` on.
fn chain(tree: &ScheduleTree) -> Vec<&Member> {
    match tree.node() {
        Node::Band { band, child } => band.members.iter().chain(chain(child)).collect(),
        Node::Mark { child, .. } => chain(child),
        _ => Vec::new(),
    }
}

/// The loops with the one at a position, which strips cut, right outside the innermost of its band: it is short.
fn inwards(tree: &ScheduleTree, position: usize) -> ScheduleTree {
    match tree.node() {
        Node::Band { band, child } if position >= band.members.len() => {
            tree.with_children(vec![inwards(child, position - band.members.len())])
        }
        Node::Band { band, child } if band.permutable && position + 2 < band.members.len() => {
            let mut members = band.members.clone();
            let at = members.len() - 2;
            members[position..=at].rotate_left(1);
            ScheduleTree::band(Band { members, ..band.clone() }, child.clone())
        }
        Node::Mark { child, .. } => tree.with_children(vec![inwards(child, position)]),
        _ => tree.clone(),
    }
}

/// New instances, of which some became others once more.
fn composed(lifted: Vec<Lifted>, inner: &[Lifted]) -> Result<Vec<Lifted>> {
    let mut all = Vec::new();
    for new in lifted {
        let name = new.name();
        let mut further = inner.iter().filter(|inner| inner.old == name).peekable();
        match further.peek() {
            Some(_) => {
                for inner in further {
                    all.push(new.then(inner)?);
                }
            }
            None => all.push(new),
        }
    }
    Ok(all)
}
