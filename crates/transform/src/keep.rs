//! Elements in variables while rows are written out.

use crate::plan::Draft;
use crate::view::{Plans, Proposal, View};
use crate::{Plan, Remark, Result, stmt_names};
use farkas_base::NameGenerator;
use farkas_poly::{MultiUnionPwAff, UnionMap, UnionPwAff, UnionSet};
use farkas_scop::{Access, AccessKind, ArrayId, ArrayScope, BodyStmt, Scop, Statement, StmtId};
use farkas_steps::{ArrayAddress, Detach, LoopAddress, Stage, Step};
use farkas_tree::{Cursor, Mark, Member, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Elements that stay where they are while the rows of a vector loop run, in variables: [`keep`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keep {}

impl Plans for Keep {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Ok(Proposal::Steps(keep(view, remarks)?))
    }
}

/// Loads what the rows in a vector loop use again and again once before them, and stores it once after them.
///
/// **Steps**: of `mark vector; band [j]; mark unroll; band [i]` around `A[i][j] -= R[k][j]; R[k + 1][j] += A[i][j]`, `R[k][j]` and
/// `R[k + 1][j]` are variables in each iteration of `j` (`stage`). A compiler loads an element again after each store to another array, unless
/// it can tell that they do not overlap. So this is left alone where nothing is stored that moves with the rows, and what moves with them
/// stays in memory. Legal where an array's elements that are kept are the same or different ones, whatever the iteration.
///
/// # Errors
/// When isl refuses.
fn keep(view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Plan> {
    let mut search = Search { outer: Vec::new(), found: Vec::new() };
    search.below(view.tree(), &Cursor::root(), &UnionSet::none()?)?;
    let mut draft = Draft::new(view.program, None);
    let mut names = NameGenerator::new(view.program.scop.names());
    // Last ones first: what is in one moves those behind it.
    for site in search.found.iter().rev() {
        let Some(kept) = site.kept(&view.program.scop)? else { continue };
        let (n_steps, mut own) = (draft.n_steps(), BTreeMap::new());
        for element in &kept {
            let mut with_others = own.clone();
            if draft.attempt(|draft| site.keep(element, &mut with_others, &mut names, draft))? {
                own = with_others;
            }
        }
        if draft.n_steps() > n_steps {
            let text = "elements that the rows in vector lanes share, in variables".to_owned();
            remarks.push(Remark { pass: "keep", stmts: site.stmts()?, text });
        }
    }
    Ok(draft.plan(view.tree()))
}

/// A vector loop around rows that are written out.
struct Site {
    /// The band of the vector loop.
    lanes: Cursor,
    /// The dates of the loops down to it.
    outer: Vec<UnionPwAff>,
    /// What runs in it.
    instances: UnionSet,
}

/// An element of an array in each iteration of a vector loop, with the statements that use it there.
struct Element {
    array: ArrayId,
    /// From dates to the element.
    at: UnionMap,
    /// The first one uses it in all iterations in which another one does.
    stmts: Vec<StmtId>,
    is_written: bool,
}

impl Element {
    /// Adds what uses it in some of the iterations.
    fn join(&mut self, part: &Self) {
        let new = part.stmts.iter().filter(|stmt| !self.stmts.contains(stmt)).copied();
        let new: Vec<StmtId> = new.collect();
        self.stmts.extend(new);
        self.is_written |= part.is_written;
    }
}

/// The search for vector loops around rows.
struct Search {
    /// The dates of the loops around.
    outer: Vec<UnionPwAff>,
    found: Vec<Site>,
}

impl Search {
    /// Finds those of a subtree, which these instances reach.
    fn below(&mut self, tree: &ScheduleTree, here: &Cursor, instances: &UnionSet) -> Result<()> {
        let depth = self.outer.len();
        let inside = match tree.node() {
            Node::Domain { domain, .. } => domain.clone(),
            Node::Filter { filter, .. } => instances.intersect(filter)?,
            _ => instances.clone(),
        };
        if let Some(lanes) = lanes_of_rows(tree) {
            let outer = self.outer.iter().chain([&lanes.schedule]).cloned().collect();
            self.found.push(Site { lanes: here.child(0), outer, instances: inside });
            return Ok(());
        }
        if let Node::Band { band, .. } = tree.node() {
            self.outer.extend(band.members.iter().map(|member| member.schedule.clone()));
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &here.child(at), &inside)?;
        }
        self.outer.truncate(depth);
        Ok(())
    }
}

/// The vector loop at the top of a tree, right inside of which is a loop over rows that are written out.
fn lanes_of_rows(tree: &ScheduleTree) -> Option<&Member> {
    let Node::Mark { mark: Mark::Vector, child } = tree.node() else { return None };
    let Node::Band { band: lanes, child } = child.node() else { return None };
    let Node::Mark { mark: Mark::Unroll, child } = child.node() else { return None };
    let Node::Band { band: rows, child } = child.node() else { return None };
    match (lanes.members.as_slice(), rows.members.as_slice()) {
        ([lanes], [_]) if !child.contains_band() => Some(lanes),
        _ => None,
    }
}

impl Site {
    /// The statements inside.
    fn stmts(&self) -> Result<Vec<String>> {
        Ok(stmt_names(&self.instances)?)
    }

    /// The elements to keep; `None` where a statement does more than assign, uses a buffer, or nothing is stored that moves with the rows.
    fn kept(&self, scop: &Scop) -> Result<Option<Vec<Element>>> {
        let dates = MultiUnionPwAff::from_members(&self.outer)?.to_union_map()?;
        let (mut elements, mut moves) = (BTreeMap::<ArrayId, Option<Vec<Element>>>::new(), false);
        for name in self.stmts()? {
            let Some(id) = scop.stmt_by_name(&name) else { return Ok(None) };
            let stmt = &scop.stmts()[id];
            if !is_plain(stmt, scop) {
                return Ok(None);
            }
            for access in stmt.accesses.iter().filter(|access| !access.subscripts.is_empty()) {
                let at = self.touched(scop, id, access, &dates)?;
                let all = elements.entry(access.array).or_insert_with(|| Some(Vec::new()));
                if !at.is_single_valued()? {
                    moves |= access.kind.is_write();
                    *all = None;
                }
                if let Some(elements) = all {
                    let (array, is_written) = (access.array, access.kind.is_write());
                    add(elements, Element { array, at, stmts: vec![id], is_written })?;
                }
            }
        }
        if !moves {
            return Ok(None);
        }
        let mut kept = Vec::new();
        for elements in elements.into_values().flatten() {
            if are_apart(&elements)? {
                kept.extend(elements);
            }
        }
        Ok(Some(kept))
    }

    /// What an access touches in an iteration of the vector loop, by its dates.
    fn touched(
        &self,
        scop: &Scop,
        stmt: StmtId,
        access: &Access,
        dates: &UnionMap,
    ) -> Result<UnionMap> {
        let relation = access.relation.intersect_domain(&scop.domain_of(stmt)?)?;
        let inside = relation.to_union_map()?.intersect_domain(&self.instances)?;
        Ok(inside.apply_domain(dates)?)
    }

    /// The steps that keep an element: statements that run elsewhere, too, are others here, the names of which are in `own` then.
    fn keep(
        &self,
        element: &Element,
        own: &mut BTreeMap<StmtId, String>,
        names: &mut NameGenerator,
        draft: &mut Draft<'_>,
    ) -> Result<()> {
        let at = LoopAddress::member(self.lanes.clone(), 0);
        let mut stmts = Vec::new();
        for id in &element.stmts {
            let stmt = draft.scop().stmts()[*id].name.clone();
            if !own.contains_key(id) {
                let name = match self.holds_all(draft.scop(), *id)? {
                    true => stmt,
                    false => {
                        let name = names.fresh(&format!("{stmt}_rows"));
                        let own_name = name.clone();
                        draft.apply(Step::Detach(Detach {
                            at: at.clone(),
                            stmt,
                            name: own_name,
                        }))?;
                        name
                    }
                };
                own.insert(*id, name);
            }
            stmts.extend(own.get(id).cloned());
        }
        let mut stmts = stmts.into_iter();
        let stmt = stmts.next().unwrap_or_default();
        let [load, store] = ["load", "store"].map(|what| names.fresh(&format!("{stmt}_{what}")));
        draft.apply(Step::Stage(Stage {
            at,
            stmt,
            array: ArrayAddress::of(draft.scop(), element.array),
            layout: Vec::new(),
            pad: Vec::new(),
            buffers: 1,
            others: stmts.collect(),
            load: Some(load),
            store: element.is_written.then_some(store),
        }))
    }

    /// Whether all instances of a statement run here.
    fn holds_all(&self, scop: &Scop, stmt: StmtId) -> Result<bool> {
        Ok(scop.domain_of(stmt)?.to_union_set()?.is_subset(&self.instances)?)
    }
}

/// Whether a statement assigns once, and touches no buffers.
fn is_plain(stmt: &Statement, scop: &Scop) -> bool {
    let is_known = |access: &Access| {
        matches!(access.kind, AccessKind::Read | AccessKind::MustWrite)
            && scop.arrays()[access.array].scope != ArrayScope::Buffer
    };
    matches!(stmt.body.as_slice(), [BodyStmt::Assign { .. }]) && stmt.accesses.iter().all(is_known)
}

/// Adds an element to those of its array.
fn add(elements: &mut Vec<Element>, mut new: Element) -> Result<()> {
    for known in elements.iter_mut() {
        if new.at.is_subset(&known.at)? {
            known.join(&new);
            return Ok(());
        }
        if known.at.is_subset(&new.at)? {
            new.join(known);
            *known = new;
            return Ok(());
        }
    }
    elements.push(new);
    Ok(())
}

/// Whether elements of one array are different ones, as far as it matters.
fn are_apart(elements: &[Element]) -> Result<bool> {
    if elements.iter().all(|element| !element.is_written) {
        return Ok(true);
    }
    for (at, a) in elements.iter().enumerate() {
        for b in &elements[..at] {
            if !a.at.intersect(&b.at)?.is_empty()? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
