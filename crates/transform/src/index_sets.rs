//! Index set splitting: loops whose iterations wait for a single one of them are cut there.

use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_analysis::Affine;
use farkas_deps::{Dependence, Dependences};
use farkas_poly::{LinearRow, Map, MultiUnionPwAff, PwAff, Set, Space, UnionPwAff, UnionSet, Val};
use farkas_steps::{Cut, LoopAddress, Step};
use farkas_tree::{Cursor, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops cut at an iteration that is all the others wait for: [`plan_cuts`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitIndexSets {}

impl Plans for SplitIndexSets {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Some(deps) = view.setting.kept() else { return Ok(Proposal::Nothing) };
        Ok(Proposal::Steps(plan_cuts(deps, view.tree(), remarks)?))
    }
}

/// Cuts loops in bands without coincident members before and after the iteration that is an end of each dependence they carry.
///
/// **Rewrite**: `band [i]` becomes `sequence` of `band [i]` for `i < f`, `i = f` and `i > f`, where `f` is an affine function of
/// the loops around and the parameters. The first and the last carry nothing. Always legal: the order of instances stays. In step
/// `k` of Floyd and Warshall's algorithm, row `k` and column `k` are all that others read.
///
/// **Paper** M. Griebl, P. Feautrier, C. Lengauer, *Index set splitting*, IJPP 2000, split statements before they are scheduled;
/// here the order is known, and the dependences that are in the way with it.
///
/// # Errors
/// When isl refuses.
fn plan_cuts(deps: &Dependences, tree: &ScheduleTree, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let Node::Domain { domain, child } = tree.node() else { return Ok(Plan::none(tree)) };
    let mut splitting =
        Splitting { dates: Dates { outer: Vec::new() }, n_cut: 0, steps: Vec::new(), remarks };
    let inside = Inside { instances: domain.clone(), pairs: pairs_of(deps)? };
    splitting.below(child, &Cursor::root().child(0), &inside)?;
    let steps = splitting.steps;
    Ok(Plan { is_decided: true, steps, ..Plan::none(tree) })
}

/// The pairs of instances that are to stay in order, in convex pieces.
fn pairs_of(deps: &Dependences) -> Result<Vec<Map>> {
    pieces_of(deps.validity().map(|(_, dep)| dep))
}

/// The pairs of some dependences, in convex pieces.
pub(crate) fn pieces_of<'d>(deps: impl Iterator<Item = &'d Dependence>) -> Result<Vec<Map>> {
    let mut pairs = Vec::new();
    for dep in deps {
        for piece in dep.relation.basic_maps()? {
            pairs.push(piece.to_map()?);
        }
    }
    Ok(pairs)
}

/// The most loops around one another that are cut: each makes three of all that is in it.
const MAX_CUT: usize = 2;

/// The state of splitting.
struct Splitting<'a> {
    dates: Dates,
    /// How many of these loops are cut.
    n_cut: usize,
    steps: Vec<Step>,
    remarks: &'a mut Vec<Remark>,
}

/// The loops of a band from one on, with what is inside, and where they stand once the steps so far are done.
#[derive(Clone, Copy)]
struct Loops<'t> {
    members: &'t [Member],
    child: &'t ScheduleTree,
    /// The band that the first of them is in then.
    band: &'t Cursor,
    /// Its place there.
    at: usize,
}

/// The instances that reach a place, and the pairs among them that the loops around it leave.
#[derive(Clone)]
struct Inside {
    instances: UnionSet,
    pairs: Vec<Map>,
}

impl Inside {
    /// Those of some instances.
    fn of(&self, instances: &UnionSet) -> Result<Self> {
        let pairs = inside(&self.pairs, instances)?;
        Ok(Self { instances: self.instances.intersect(instances)?, pairs })
    }

    /// Those in an iteration of a loop, and the pairs that the loop carries.
    fn divided(&self, by: &UnionPwAff) -> Result<(Self, Vec<Map>)> {
        let (pairs, carried) = divided(&self.pairs, by)?;
        Ok((Self { instances: self.instances.clone(), pairs }, carried))
    }
}

impl Splitting<'_> {
    /// Cuts loops of the subtree, which stands at `here` once the steps so far are done. What has marks is as it is to be.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, reach: &Inside) -> Result<()> {
        if let Node::Mark { .. } = tree.node() {
            return Ok(());
        }
        if let Node::Band { band, child } = tree.node() {
            if !band.members.iter().any(|member| member.coincident) {
                return self
                    .loops(Loops { members: &band.members, child, band: here, at: 0 }, reach);
            }
            let mut same = reach.clone();
            for member in &band.members {
                same = same.divided(&member.schedule)?.0;
            }
            let depth = self.dates.outer.len();
            self.dates.outer.extend(band.members.iter().map(|member| member.schedule.clone()));
            self.below(child, &here.child(0), &same)?;
            self.dates.outer.truncate(depth);
            return Ok(());
        }
        let filtered = match tree.node() {
            Node::Filter { filter, .. } => Some(reach.of(filter)?),
            _ => None,
        };
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at), filtered.as_ref().unwrap_or(reach))?;
        }
        Ok(())
    }

    /// Cuts those loops that can be.
    fn loops(&mut self, loops: Loops<'_>, reach: &Inside) -> Result<()> {
        let Some((first, rest)) = loops.members.split_first() else {
            return self.below(loops.child, &loops.band.child(0), reach);
        };
        let (same, carried) = reach.divided(&first.schedule)?;
        if !carried.is_empty()
            && self.n_cut < MAX_CUT
            && let Some(at) = self.dates.only_iteration(&carried, &first.schedule)?
        {
            let parts = self.dates.parts(&first.schedule, &at)?;
            let mut reached = Vec::new();
            for part in parts {
                let part = same.of(&part)?;
                // The step leaves out where nothing runs.
                if !part.instances.is_empty()? {
                    reached.push(part);
                }
            }
            if reached.len() > 1 {
                return self.cut(first, Loops { members: rest, ..loops }, &reached, &at);
            }
        }
        self.dates.outer.push(first.schedule.clone());
        self.loops(Loops { members: rest, at: loops.at + 1, ..loops }, &same)?;
        self.dates.outer.pop();
        Ok(())
    }

    /// Cuts a loop, which stands at the place of `rest`, into what is before, at and after one of its iterations, and what is
    /// inside of each.
    fn cut(
        &mut self,
        first: &Member,
        rest: Loops<'_>,
        reached: &[Inside],
        at: &Affine,
    ) -> Result<()> {
        let stmts = stmt_names(&first.schedule.domain()?)?;
        let text = "a loop is split where one iteration is all that the others wait for";
        self.remarks.push(Remark { pass: "index-sets", stmts, text: text.to_owned() });
        self.steps.push(cut(LoopAddress::member(rest.band.clone(), rest.at), at));
        // Loops around it keep their band.
        let parts = if rest.at == 0 { rest.band.clone() } else { rest.band.child(0) };
        self.n_cut += 1;
        self.dates.outer.push(first.schedule.clone());
        for (number, reach) in reached.iter().enumerate() {
            let band = parts.child(number).child(0);
            let child = rest.child.pruned_to(&reach.instances)?;
            self.loops(Loops { band: &band, at: 1, child: &child, ..rest }, reach)?;
        }
        self.dates.outer.pop();
        self.n_cut -= 1;
        Ok(())
    }
}

/// The step that cuts a loop before and after one of its iterations.
pub(crate) fn cut(place: LoopAddress, at: &Affine) -> Step {
    let after = Affine { constant: at.constant + 1, ..at.clone() };
    Step::Cut(Cut { place, at: farkas_steps::Dates(vec![written(at), written(&after)]) })
}

/// A function of the dates around as steps have it.
pub(crate) fn written(date: &Affine) -> String {
    let around = date.dims.iter().enumerate().map(|(at, c)| (*c, format!("${}", at + 1)));
    let params = date.params.iter().map(|(name, c)| (*c, name.clone()));
    let mut text = String::new();
    for (c, name) in around.chain(params).filter(|(c, _)| *c != 0) {
        let sign = if c < 0 { "- " } else { "+ " };
        let factor = if c.abs() == 1 { String::new() } else { format!("{}*", c.abs()) };
        text.push_str(&format!("{sign}{factor}{name} "));
    }
    if date.constant != 0 || text.is_empty() {
        let sign = if date.constant < 0 { "- " } else { "+ " };
        text.push_str(&format!("{sign}{}", date.constant.unsigned_abs()));
    }
    let text = text.trim_end();
    match text.strip_prefix("+ ") {
        Some(rest) => rest.to_owned(),
        None => text.replacen("- ", "-", 1),
    }
}

/// The dates of the loops around a place.
pub(crate) struct Dates {
    pub(crate) outer: Vec<UnionPwAff>,
}

impl Dates {
    /// The instances of a loop before, at and after one of its iterations.
    pub(crate) fn parts(&self, schedule: &UnionPwAff, at: &Affine) -> Result<[UnionSet; 3]> {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        for date in schedule.pw_affs()? {
            let cut = self.value(at, &date.domain_space()?)?;
            let sets = [date.lt_set(&cut)?, date.eq_set(&cut)?, date.gt_set(&cut)?];
            for (part, set) in parts.iter_mut().zip(sets) {
                part.push(set);
            }
        }
        let [before, at, after] = parts;
        let union = UnionSet::union_all;
        Ok([union(before)?, union(at)?, union(after)?])
    }

    /// The iteration, as a function of the dates around, that is the source or the sink of all carried pairs; `None` where there
    /// is no such.
    pub(crate) fn only_iteration(
        &self,
        carried: &[Map],
        schedule: &UnionPwAff,
    ) -> Result<Option<Affine>> {
        let mut candidates: Option<Vec<Affine>> = None;
        for pairs in carried {
            let mut ends = Vec::new();
            for end in [pairs.domain()?, pairs.range()?] {
                ends.extend(self.date_of(&end, schedule)?);
            }
            let left = match candidates {
                None => ends,
                Some(known) => known.into_iter().filter(|at| ends.contains(at)).collect(),
            };
            if left.is_empty() {
                return Ok(None);
            }
            candidates = Some(left);
        }
        Ok(candidates.and_then(|all| all.into_iter().next()))
    }

    /// The date of all instances of a set as a function of the dates around them; `None` where there is none.
    fn date_of(&self, set: &Set, schedule: &UnionPwAff) -> Result<Option<Affine>> {
        let space = set.space()?;
        let mut members = self.outer.clone();
        members.push(schedule.clone());
        for member in &members {
            if member.extract_pw_aff(&space)?.n_piece()? == 0 {
                return Ok(None);
            }
        }
        let dates = MultiUnionPwAff::from_members(&members)?.to_union_map()?;
        let dates = dates.intersect_domain(&set.to_union_set()?)?.range()?;
        let [dates] = &dates.sets()?[..] else { return Ok(None) };
        let names = dates.space()?.param_names()?;
        let rows = dates.affine_hull()?.constraints()?.equalities;
        Ok(rows.iter().find_map(|row| solved(row, &names)))
    }

    /// The first date of some instances in a loop, as a function of the dates around; `None` where it is no such.
    pub(crate) fn first_of(
        &self,
        instances: &UnionSet,
        schedule: &UnionPwAff,
    ) -> Result<Option<Affine>> {
        let date = MultiUnionPwAff::from_members(std::slice::from_ref(schedule))?;
        let date = date.to_union_map()?.intersect_domain(instances)?;
        let (rows, names) = if self.outer.is_empty() {
            let [dates] = &date.range()?.sets()?[..] else { return Ok(None) };
            let hull = dates.lexmin()?.affine_hull()?.constraints()?;
            (hull.equalities, dates.space()?.param_names()?)
        } else {
            let around = MultiUnionPwAff::from_members(&self.outer)?.to_union_map()?;
            let dates = around.reverse()?.apply_range(&date)?;
            let [dates] = &dates.maps()?[..] else { return Ok(None) };
            let hull = dates.lexmin()?.affine_hull()?.constraints()?;
            (hull.equalities, dates.space()?.param_names()?)
        };
        Ok(rows.iter().find_map(|row| solved(row, &names)))
    }

    /// A function of the dates around as one of the instances in a space.
    fn value(&self, of: &Affine, space: &Space) -> Result<PwAff> {
        let names: Vec<&str> = of.params.keys().map(String::as_str).collect();
        let space = space.align_params(&Space::params_named(&names)?)?;
        let n_dims = space.dim(farkas_poly::DimType::SET)? as usize;
        let rest = Affine { dims: vec![0; n_dims], ..of.clone() };
        let mut value = rest.to_aff(&space)?.to_pw_aff()?;
        for (outer, factor) in self.outer.iter().zip(&of.dims).filter(|(_, c)| **c != 0) {
            let date = outer.extract_pw_aff(&space)?;
            value = value.add(&date.scale_val(&Val::int(*factor)?)?)?;
        }
        Ok(value)
    }
}

/// The pairs with equal dates, and those with others.
pub(crate) fn divided(pairs: &[Map], schedule: &UnionPwAff) -> Result<(Vec<Map>, Vec<Map>)> {
    let date = MultiUnionPwAff::from_members(std::slice::from_ref(schedule))?;
    let (mut same, mut others) = (Vec::new(), Vec::new());
    for pairs in pairs {
        let equal = pairs.to_union_map()?.eq_at_multi_union_pw_aff(&date)?;
        let equal = equal.extract_map(&pairs.space()?)?;
        let rest = pairs.subtract(&equal)?;
        same.extend(pieces(&equal)?);
        others.extend(pieces(&rest)?);
    }
    Ok((same, others))
}

/// The pairs both of whose instances lie in a set.
pub(crate) fn inside(pairs: &[Map], instances: &UnionSet) -> Result<Vec<Map>> {
    let mut all = Vec::new();
    for pairs in pairs {
        let space = pairs.space()?;
        let sources = instances.extract_set(&space.domain()?)?;
        let sinks = instances.extract_set(&space.range()?)?;
        all.extend(pieces(&pairs.intersect_domain(&sources)?.intersect_range(&sinks)?)?);
    }
    Ok(all)
}

/// The convex pieces of a relation that are not empty.
fn pieces(pairs: &Map) -> Result<Vec<Map>> {
    let mut all = Vec::new();
    for piece in pairs.basic_maps()? {
        let piece = piece.to_map()?;
        if !piece.is_empty()? {
            all.push(piece);
        }
    }
    Ok(all)
}

/// An equality solved for its last dimension; `None` where that has another coefficient than one, or there are divisions.
fn solved(row: &LinearRow, params: &[String]) -> Option<Affine> {
    let (last, dims) = row.dims.split_last()?;
    if last.abs() != 1 || row.divs.iter().any(|c| *c != 0) {
        return None;
    }
    let of = |c: &i64| -c * last;
    let params = params.iter().cloned().zip(row.params.iter().map(of));
    Some(Affine {
        dims: dims.iter().map(of).collect(),
        params: params.filter(|(_, c)| *c != 0).collect(),
        constant: of(&row.constant),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_for_steps() {
        let date = |dims: &[i64], n: i64, constant: i64| {
            let params = [("n".to_owned(), n)].into_iter().filter(|(_, c)| *c != 0).collect();
            written(&Affine { dims: dims.to_vec(), params, constant })
        };
        assert_eq!(date(&[1, 0], 0, 0), "$1");
        assert_eq!(date(&[0, -2], 1, -3), "-2*$2 + n - 3");
        assert_eq!(date(&[], 0, 0), "0");
        assert_eq!(date(&[], -1, 7), "-n + 7");
    }

    #[test]
    fn equalities_are_solved_for_the_last_date() {
        let row = |dims: &[i64]| LinearRow {
            constant: 3,
            params: vec![0, 2],
            dims: dims.to_vec(),
            divs: Vec::new(),
        };
        let names = ["n".to_owned(), "m".to_owned()];
        let at = solved(&row(&[4, -1]), &names).expect("an iteration");
        assert_eq!((at.dims, at.constant), (vec![4], 3));
        assert_eq!(at.params.into_iter().collect::<Vec<_>>(), [("m".to_owned(), 2)]);
        assert_eq!(solved(&row(&[1, 1]), &names).map(|at| at.dims), Some(vec![-1]));
        assert_eq!(solved(&row(&[1, 2]), &names), None);
        assert_eq!(solved(&row(&[1, 0]), &names), None);
    }
}
