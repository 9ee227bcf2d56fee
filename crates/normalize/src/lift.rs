//! A program's tree as statements in loops that are named by their depth, whose first iterations have the number zero.

use crate::Result;
use crate::affine::set;
use crate::body::Body;
use crate::label::Sheet;
use crate::layout::Layouts;
use crate::live::live;
use crate::names::Names;
use crate::term::{Part, Term};
use farkas_base::IdVec;
use farkas_deps::Dependences;
use farkas_poly::{
    Aff, DimType, Map, MultiUnionPwAff, PwAff, PwMultiAff, Set, Space, UnionMap, UnionPwAff,
    UnionSet,
};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Band, Cursor, Node, Program, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// What is lifted.
pub(crate) struct Lift<'a> {
    pub(crate) program: &'a Program,
    pub(crate) deps: &'a Dependences,
    /// Whether something comes of each statement; of others nothing is said.
    pub(crate) is_live: IdVec<StmtId, bool>,
    pub(crate) layouts: Layouts,
}

/// What is known at a place of a tree.
#[derive(Clone)]
pub(crate) struct Place {
    /// The loops around it, their first iterations at zero.
    pub(crate) dates: Vec<UnionPwAff>,
    /// The instances that reach it.
    pub(crate) instances: UnionSet,
}

impl<'a> Lift<'a> {
    /// What a program is lifted by.
    pub(crate) fn new(program: &'a Program, deps: &'a Dependences) -> Result<Self> {
        let is_live = live(&program.scop, deps);
        Ok(Self { program, deps, is_live, layouts: Layouts::of(program)? })
    }

    /// The text, still to be named, of what stands at a place of the program's tree.
    pub(crate) fn sheet(&self, at: &Cursor) -> Result<Sheet> {
        let place = self.place(at)?;
        let mut names = Names::new(&self.program.scop, &self.layouts);
        let body = self.part(self.program.tree.at(at)?, &place, &mut names)?;
        let declarations = names.declarations()?;
        Ok(Sheet { depth: place.dates.len(), body, declarations, names: names.named })
    }

    /// The statements of which something comes that a place of the program's tree runs.
    pub(crate) fn stmts(&self, at: &Cursor) -> Result<Vec<StmtId>> {
        let instances = self.place(at)?.instances;
        let mut found = Vec::new();
        for (id, stmt) in self.program.scop.stmts().iter_enumerated() {
            if self.is_live[id] && !instances.extract_set(&stmt.domain.space()?)?.is_empty()? {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// What is known at a place of the program's tree.
    fn place(&self, at: &Cursor) -> Result<Place> {
        let mut place = Place { dates: Vec::new(), instances: UnionSet::none()? };
        let mut here = Cursor::root();
        for step in at.steps() {
            match self.program.tree.at(&here)?.node() {
                Node::Domain { domain, .. } => place.instances = domain.clone(),
                Node::Filter { filter, .. } => place = place.of(filter)?,
                Node::Band { band, .. } => place = place.inside(band)?,
                _ => {}
            }
            here = here.child(*step);
        }
        Ok(place)
    }

    /// A part of the tree.
    fn part<'n>(
        &'n self,
        tree: &ScheduleTree,
        place: &Place,
        names: &mut Names<'n>,
    ) -> Result<Part> {
        match tree.node() {
            Node::Leaf => self.leaf(place, names),
            Node::Band { band, child } => {
                let inside = place.inside(band)?;
                let n_loops = inside.dates.len() - place.dates.len();
                let mut part = self.part(child, &inside, names)?;
                for _ in 0..n_loops {
                    part = Part::Loop(Box::new(part));
                }
                Ok(part)
            }
            Node::Filter { filter, child } => self.part(child, &place.of(filter)?, names),
            Node::Sequence(_) | Node::Set(_) => {
                let mut parts = Vec::new();
                in_sequence(tree, place, &mut parts)?;
                let before = self.before(&parts, place)?;
                let parts = parts
                    .iter()
                    .zip(before)
                    .map(|((part, place), before)| Ok((self.part(part, place, names)?, before)));
                Ok(Part::Sequence(parts.collect::<Result<_>>()?))
            }
            _ => {
                let children = tree.children().iter();
                let parts: Result<Vec<Part>> =
                    children.map(|child| self.part(child, place, names)).collect();
                let mut parts = parts?;
                Ok(match parts.len() {
                    1 => parts.remove(0),
                    _ => Part::Sequence(parts.into_iter().map(|p| (p, BTreeSet::new())).collect()),
                })
            }
        }
    }

    /// For each part of a sequence those that dependences within one iteration of the loops around want to run before it.
    fn before(
        &self,
        parts: &[(ScheduleTree, Place)],
        place: &Place,
    ) -> Result<Vec<BTreeSet<usize>>> {
        let together = place.together()?;
        let mut before = vec![BTreeSet::new(); parts.len()];
        for dep in self.deps.deps.iter().filter(|dep| dep.is_order()) {
            let mut pairs = dep.relation.to_union_map()?;
            if let Some(together) = &together {
                pairs = pairs.intersect(together)?;
            }
            for (first, (_, source)) in parts.iter().enumerate() {
                let own = pairs.intersect_domain(&source.instances)?;
                if own.is_empty()? {
                    continue;
                }
                for (second, (_, sink)) in parts.iter().enumerate().skip(first + 1) {
                    if !before[second].contains(&first)
                        && !own.intersect_range(&sink.instances)?.is_empty()?
                    {
                        before[second].insert(first);
                    }
                }
            }
        }
        Ok(before)
    }

    /// The statements at a leaf.
    fn leaf<'n>(&'n self, place: &Place, names: &mut Names<'n>) -> Result<Part> {
        let mut parts = Vec::new();
        for stmt in self.program.scop.stmts().ids() {
            let space = self.program.scop.stmts()[stmt].domain.space()?;
            let instances = place.instances.extract_set(&space)?;
            if self.is_live[stmt] && !instances.is_empty()? {
                parts.push((self.stmt(stmt, &instances, place, names)?, BTreeSet::new()));
            }
        }
        Ok(match parts.len() {
            1 => parts.remove(0).0,
            _ => Part::Sequence(parts),
        })
    }

    /// A statement: what it computes, and for which iterations.
    pub(crate) fn stmt<'n>(
        &'n self,
        stmt: StmtId,
        instances: &Set,
        place: &Place,
        names: &mut Names<'n>,
    ) -> Result<Part> {
        let scop: &'n Scop = &self.program.scop;
        let own = &scop.stmts()[stmt];
        // What holds of parameters anyway is not said of statements.
        let all = scop.domain_of(stmt)?;
        let instances = match all.is_subset(instances)? {
            true => own.domain.clone(),
            false => instances.gist_params(scop.context())?,
        };
        let dates = place.dates_of(&instances)?;
        let iterations = instances.apply(&dates)?;
        // Where iterations satisfy equalities, one value can be written in several ways: isl chooses by the domain.
        let is_written_once = dates.is_injective()? && !has_equalities(&iterations)?;
        let inverse = match is_written_once {
            true => dates.reverse()?,
            false => dates.intersect_domain(&instances)?.reverse()?.detect_equalities()?,
        };
        let domain = set(&iterations, names)?;
        let (values, variables) = (BTreeMap::new(), BTreeMap::new());
        let (instances, iterations) = (&inverse, &iterations);
        let mut body = Body { scop, stmt: own, instances, iterations, names, values, variables };
        let body = body.term()?;
        Ok(Part::Stmt(Term::row([body, Term::text("  where "), domain])))
    }
}

impl Place {
    /// The place of some of the instances.
    pub(crate) fn of(&self, filter: &UnionSet) -> Result<Self> {
        Ok(Self { dates: self.dates.clone(), instances: self.instances.intersect(filter)? })
    }

    /// What is inside the loops of a band. Those of one iteration are none.
    fn inside(&self, band: &Band) -> Result<Self> {
        let inside = |place: Self, dates: &UnionPwAff| match place.runs_once(dates)? {
            true => Ok(place),
            false => place.inside_loop(dates),
        };
        band.members.iter().try_fold(self.clone(), |place, member| inside(place, &member.schedule))
    }

    /// Whether a loop has one iteration in each of the loops around it.
    fn runs_once(&self, dates: &UnionPwAff) -> Result<bool> {
        for instances in self.instances.sets()? {
            let space = instances.space()?;
            let mut around = Map::from_domain_and_range(&instances, &Set::unnamed_universe(0)?)?;
            for date in &self.dates {
                let date = date.extract_pw_aff(&space)?.to_map()?;
                around = around.flat_range_product(&date)?;
            }
            let own = dates.extract_pw_aff(&space)?.to_map()?;
            if !around.reverse()?.apply_range(&own)?.is_single_valued()? {
                return Ok(false);
            }
        }
        let own = MultiUnionPwAff::from_members(std::slice::from_ref(dates))?.to_union_map()?;
        let own = own.intersect_domain(&self.instances)?;
        let pairs = match self.together()? {
            Some(together) => together,
            None => UnionMap::from_domain_and_range(&self.instances, &self.instances)?,
        };
        let apart = pairs.apply_domain(&own)?.apply_range(&own)?.deltas()?;
        for apart in apart.sets()? {
            let ends = [apart.dim_min_val(0)?, apart.dim_max_val(0)?];
            for end in ends {
                if !apart.is_empty()? && end.to_small_int()? != Some(0) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What is inside a loop.
    pub(crate) fn inside_loop(&self, dates: &UnionPwAff) -> Result<Self> {
        let mut inner = self.clone();
        inner.dates.push(from_zero(dates, &self.instances)?);
        Ok(inner)
    }

    /// The pairs of instances in one iteration of the loops around; none where there is no loop.
    pub(crate) fn together(&self) -> Result<Option<UnionMap>> {
        if self.dates.is_empty() {
            return Ok(None);
        }
        let dates = MultiUnionPwAff::from_members(&self.dates)?.to_union_map()?;
        let dates = dates.intersect_domain(&self.instances)?;
        Ok(Some(dates.apply_range(&dates.reverse()?)?))
    }

    /// From instances of one statement to the iterations of the loops around it, and where several are in one to their own dimensions.
    pub(crate) fn dates_of(&self, instances: &Set) -> Result<Map> {
        let space = instances.space()?;
        let all = Set::universe(&space)?;
        let mut dates = Map::from_domain_and_range(&all, &Set::unnamed_universe(0)?)?;
        for date in &self.dates {
            let date = date.extract_pw_aff(&space)?;
            dates = dates.flat_range_product(&date.to_map()?)?;
        }
        let dates_alone = dates.intersect_domain(instances)?;
        if dates_alone.is_injective()? {
            return Ok(dates);
        }
        let own = all.identity()?.reset_tuple_id(DimType::Out)?;
        Ok(dates.flat_range_product(&own)?)
    }
}

/// Whether the points of a set, or of a part of it, satisfy an equality.
fn has_equalities(set: &Set) -> Result<bool> {
    for piece in set.basic_sets()? {
        if !piece.detect_equalities()?.constraints()?.equalities.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The parts of a sequence, those of sequences in it one by one, each with what is known there.
fn in_sequence(
    tree: &ScheduleTree,
    place: &Place,
    parts: &mut Vec<(ScheduleTree, Place)>,
) -> Result<()> {
    match tree.node() {
        Node::Sequence(children) | Node::Set(children) => {
            children.iter().try_for_each(|child| in_sequence(child, place, parts))
        }
        Node::Filter { filter, child } => in_sequence(child, &place.of(filter)?, parts),
        _ => {
            parts.push((tree.clone(), place.clone()));
            Ok(())
        }
    }
}

/// A loop whose first iteration is zero, where one sum of parameters is the first of all, and whose next is one; else as it is.
fn from_zero(dates: &UnionPwAff, instances: &UnionSet) -> Result<UnionPwAff> {
    let parts = dates.pw_affs()?;
    let mut all = Vec::new();
    for part in &parts {
        let own = instances.extract_set(&part.domain_space()?)?;
        all.push(own.apply(&part.to_map()?)?.reset_tuple_id()?);
    }
    let Some(all) = Set::union_all(all)? else { return Ok(dates.clone()) };
    let Some(first) = one_sum(&all.coalesce()?.lexmin_pw_multi_aff()?)? else {
        return Ok(dates.clone());
    };
    let stride = all.stride(0)?;
    let mut shifted = Vec::new();
    for part in &parts {
        let from_first = part.sub(&on(&part.domain_space()?, &first)?)?;
        shifted.push(from_first.scale_down_val(&stride)?);
    }
    Ok(UnionPwAff::union_all(shifted)?)
}

/// The one sum of parameters that a value is, where it is one.
pub(crate) fn one_sum(value: &PwMultiAff) -> Result<Option<Aff>> {
    if value.n_piece()? != 1 {
        return Ok(None);
    }
    let mut pieces = value.at(0)?.pieces()?;
    let Some((_, sum)) = pieces.pop() else { return Ok(None) };
    Ok((sum.dim(DimType::Div)? == 0).then_some(sum))
}

/// A sum of parameters as a function of instances.
pub(crate) fn on(space: &Space, sum: &Aff) -> Result<PwAff> {
    let own = sum.domain_space()?;
    let space = space.align_params(&own)?;
    let mut all = Aff::constant_on_domain(&space, 0)?.set_constant_val(&sum.constant_val()?)?;
    for (at, name) in (0..).zip(space.param_names()?) {
        let n_own = i32::try_from(own.dim(DimType::Param)?).unwrap_or(i32::MAX);
        for other in (0..n_own).filter(|other| {
            own.dim_name(DimType::Param, other.unsigned_abs()).as_deref() == Some(&name)
        }) {
            let factor = sum.coefficient_val(DimType::Param, other)?;
            all = all.set_coefficient_val(DimType::Param, at, &factor)?;
        }
    }
    Ok(all.to_pw_aff()?)
}
