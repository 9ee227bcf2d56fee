//! Loops over strips, with statements of their own for the parts of a strip.

use super::SumCut;
use super::order::Order;
use super::place::{Cut, Far, Place};
use crate::lift::{only_lifted, redated, with_lifted};
use crate::{Error, Lifted, LoopAddress, NotApplicable, Result};
use farkas_base::NameGenerator;
use farkas_deps::Dependences;
use farkas_poly::{MultiUnionPwAff, UnionPwAff, UnionSet};
use farkas_scop::{Scop, ScopBuilder};
use farkas_tree::{Band, Mark, Member, Node, Program, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// How a band is cut, where it is, with the names of the statements that this adds, as far as they are known.
pub(super) type Choice<'a, E> =
    dyn FnMut(&Place<'_>) -> std::result::Result<Option<(Cut, Vec<String>)>, E> + 'a;

/// A program with the bands cut for which `choose` says how, outer ones first, and these cuts; `None` where there are none.
pub(super) fn split<E: From<Error> + From<farkas_poly::Error>>(
    program: &Program,
    deps: &Dependences,
    choose: &mut Choice<'_, E>,
) -> std::result::Result<Option<(Program, Vec<SumCut>)>, E> {
    let Node::Domain { domain, .. } = program.tree.node() else { return Ok(None) };
    let scop = &program.scop;
    let mut splitting = Splitting {
        choose,
        names: NameGenerator::new(scop.names()),
        builder: scop.to_builder(),
        origins: program.origins.clone(),
        outer: Vec::new(),
        strip: None,
        cuts: Vec::new(),
    };
    let order = Order::of(scop, deps)?;
    let Some(Changed { tree, .. }) = splitting.below(&program.tree, domain, &order)? else {
        return Ok(None);
    };
    let scop = splitting.builder.build().map_err(Error::Scop)?;
    let origins = splitting.origins;
    Ok(Some((Program { scop, tree, origins, ..program.clone() }, splitting.cuts)))
}

/// A subtree in which statements got other instances.
struct Changed {
    tree: ScheduleTree,
    lifted: Vec<Lifted>,
}

/// The state of splitting a tree.
struct Splitting<'a, 'c, E> {
    choose: &'a mut Choice<'c, E>,
    names: NameGenerator,
    builder: ScopBuilder,
    origins: BTreeMap<String, String>,
    /// The members around the place.
    outer: Vec<Member>,
    /// The size of the strips around the place.
    strip: Option<i64>,
    /// What was cut.
    cuts: Vec<SumCut>,
}

impl<E: From<Error> + From<farkas_poly::Error>> Splitting<'_, '_, E> {
    /// The subtree, which these instances reach, with its sums split; `None` where there are none to split. `order` is that
    /// in one iteration of the loops around, among these instances and maybe others.
    fn below(
        &mut self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        order: &Order,
    ) -> std::result::Result<Option<Changed>, E> {
        if let Node::Band { .. } = tree.node() {
            let scop = self.builder.clone().build().map_err(Error::Scop)?;
            let (outer, strip) = (&self.outer, self.strip);
            let place = Place { scop: &scop, tree, instances, order, outer, strip };
            if let Some((cut, names)) = (self.choose)(&place)? {
                let address = place.address(cut.position)?;
                return Ok(Some(self.strips(&scop, tree, &cut, (address, names))?));
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
    fn strips(
        &mut self,
        scop: &Scop,
        tree: &ScheduleTree,
        cut: &Cut,
        (address, names): ([LoopAddress; 2], Vec<String>),
    ) -> std::result::Result<Changed, E> {
        let mut new = NewNames { used: BTreeSet::new(), known: names, added: Vec::new() };
        let mut part = |of: &UnionSet, what| self.part(scop, cut, of, what, &mut new);
        let before = part(&cut.before, "before")?;
        let (mut lifted, mut nests) = (before.clone(), Vec::new());
        for far in &cut.far {
            for piece in far.pieces(&cut.order)? {
                let part = part(&piece.to_union_set()?, "far")?;
                nests.push(far_nest(&only_lifted(tree, &part)?, far, &part)?);
                lifted.extend(part);
            }
        }
        let after = part(&cut.after, "after")?;
        if !after.is_empty() {
            nests.push(ScheduleTree::filter(domain(&after)?, only_lifted(tree, &after)?));
        }
        lifted.extend(after);
        let ([nest, at], sums) = (address, cut.sums.clone());
        self.cuts.push(SumCut { nest, at, size: cut.size, sums, parts: new.added });
        let first = lifted.iter().map(|new| new.strip(cut.size));
        let first = UnionPwAff::union_all(first.collect::<Result<Vec<_>>>()?)?;
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
        let band = Band { members: members.collect::<Result<_>>()?, ..band };
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
    ) -> std::result::Result<Option<Changed>, E> {
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
        new: &mut NewNames,
    ) -> Result<Vec<Lifted>> {
        let mut part = Vec::new();
        for set in instances.sets()? {
            let old = set.tuple_name().unwrap_or_default();
            let Some(id) = scop.stmt_by_name(&old) else { continue };
            let stmt = &scop.stmts()[id];
            let is_first = new.used.insert(old.clone());
            let name = match is_first {
                true => old.clone(),
                false => self.fresh(&format!("{old}_{what}"), new)?,
            };
            let lifted = Lifted::named(&old, &name, &set, 1)?;
            let statement = lifted.statement(stmt, cut.iterator_of(stmt)?, cut.size)?;
            if is_first {
                self.builder.stmts[id] = statement;
            } else {
                let origin = self.origins.get(&old).unwrap_or(&old).clone();
                self.origins.insert(name, origin);
                self.builder.stmts.push(statement);
            }
            part.push(lifted);
        }
        Ok(part)
    }

    /// The name of a new statement: the next one that is known, or else a fresh one.
    fn fresh(&mut self, wanted: &str, new: &mut NewNames) -> Result<String> {
        let name = match new.known.get(new.added.len()) {
            None => self.names.fresh(wanted),
            Some(known) => match self.names.fresh(known) {
                fresh if fresh == *known => fresh,
                _ => return Err(NotApplicable::NameTaken(known.clone()).into()),
            },
        };
        new.added.push(name.clone());
        Ok(name)
    }
}

/// The names of the statements of a cut's parts.
struct NewNames {
    /// Those that a part has already: the first part of a statement keeps its name.
    used: BTreeSet<String>,
    /// What new ones are to be called.
    known: Vec<String>,
    /// What they are called.
    added: Vec<String>,
}

/// The dates of some loops.
pub(super) fn dates(members: &[Member]) -> Result<MultiUnionPwAff> {
    let members: Vec<UnionPwAff> = members.iter().map(|m| m.schedule.clone()).collect();
    Ok(MultiUnionPwAff::from_members(&members)?)
}

/// The instances of some statements.
pub(super) fn domain(lifted: &[Lifted]) -> Result<UnionSet> {
    Ok(UnionSet::union_all(lifted.iter().map(|new| new.domain.clone()))?)
}

/// Loops over strips, in each of which filtered children run one after another.
fn strips_of(band: Band, children: Vec<ScheduleTree>, size: i64) -> ScheduleTree {
    let children = Node::Sequence(children).into();
    let strips = ScheduleTree::band(band, ScheduleTree::mark(Mark::Point, children));
    ScheduleTree::mark(Mark::Tile(vec![size]), strips)
}

/// The loops of far sums under their filter, what they use is there: one band where these loops may be in any order.
fn far_nest(tree: &ScheduleTree, far: &Far, part: &[Lifted]) -> Result<ScheduleTree> {
    let members = chain(tree).into_iter().zip(&far.coincident);
    let members: Vec<Member> =
        members.map(|(member, c)| Member { coincident: *c, ..member.clone() }).collect();
    let size = if far.is_permutable { members.len().max(1) } else { 1 };
    let nest = members.chunks(size).rev().fold(ScheduleTree::leaf(), |nest, members| {
        ScheduleTree::band(Band { members: members.to_vec(), permutable: true }, nest)
    });
    Ok(ScheduleTree::filter(domain(part)?, nest))
}

/// The members of the bands that stand one inside the other from `tree` on.
pub(super) fn chain(tree: &ScheduleTree) -> Vec<&Member> {
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
