//! Partial tiles that compute whole tiles of buffers.

use crate::tree::{Loop, marks_above};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_analysis::stmt_names;
use farkas_base::IdVec;
use farkas_poly::{Aff, DimType, Map, PwAff, Set, Space, Val};
use farkas_scop::{
    Access, AccessKind, Array, ArrayId, ArrayScope, AssignOp, BinaryOp, BodyStmt, Expr, Scop,
    Statement, StmtId,
};
use farkas_tree::{Cursor, Mark as TreeMark, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Tiles that some statements run through as a whole, also where a tile is partial, so that loops in it have a known length.
///
/// What runs beyond the instances of a statement (a ghost) may only touch buffers. A statement that reads buffers alone runs there as it does
/// elsewhere; one that fills a buffer from elsewhere sets it to zero there. Full tiles must be apart. Legal where ghosts stay within the
/// extents of buffers and write no cell that instances touch.
///
/// **Paper** register tiles with a rim of zeros are those of Goto and van de Geijn, *Anatomy of high-performance matrix multiplication*,
/// TOMS 2008, whose packed panels are full.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pad {
    /// A loop over tiles; with it all of its band.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// The statements.
    pub stmts: Vec<String>,
}

impl Reorder for Pad {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let band = unpadded(subject, &self.at)?;
        let paths = paths(subject.tree())?;
        for stmt in &self.stmts {
            if let Some(why) = fault(subject, &paths, stmt, &band)? {
                return Err(NotApplicable::NotPadded { stmt: stmt.clone(), why }.into());
            }
        }
        padded(subject.tree(), &band, &self.stmts)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        self.stmts.iter_mut().collect()
    }
}

impl Pad {
    /// The step for those of some statements that may run through whole tiles of a loop, and the order after it; `None` where none may.
    ///
    /// # Errors
    /// When the loop's tiles cannot be padded; when isl refuses.
    pub fn chosen(
        subject: &Subject<'_>,
        at: LoopAddress,
        stmts: Vec<String>,
    ) -> Result<Option<(Self, ScheduleTree)>> {
        let band = unpadded(subject, &at)?;
        let paths = paths(subject.tree())?;
        let mut fitting = Vec::new();
        for stmt in stmts {
            if fault(subject, &paths, &stmt, &band)?.is_none() {
                fitting.push(stmt);
            }
        }
        if fitting.is_empty() {
            return Ok(None);
        }
        let tree = padded(subject.tree(), &band, &fitting)?;
        Ok(Some((Self { at, stmts: fitting }, tree)))
    }
}

/// The band of a loop over tiles whose full tiles are apart, and which are not padded yet.
fn unpadded(subject: &Subject<'_>, at: &LoopAddress) -> Result<Cursor> {
    let band = subject.find(at)?.band;
    let above = marks_above(subject.tree(), &band);
    if !above.contains(&&TreeMark::SeparateFullTiles) {
        return Err(NotApplicable::NotFullTilesApart.into());
    }
    match above.iter().find(|mark| matches!(mark, TreeMark::Padded(_))) {
        Some(known) => Err(NotApplicable::Marked((*known).clone()).into()),
        None => Ok(band),
    }
}

/// Why a statement cannot be padded in the tiles of a band.
fn fault(
    subject: &Subject<'_>,
    paths: &Paths,
    stmt: &str,
    band: &Cursor,
) -> Result<Option<&'static str>> {
    match Padding::of(subject, paths, stmt, band)? {
        Ok(padding) => padding.fault(),
        Err(why) => Ok(Some(why)),
    }
}

/// The tree with the mark above a band.
fn padded(tree: &ScheduleTree, band: &Cursor, stmts: &[String]) -> Result<ScheduleTree> {
    let mark = ScheduleTree::mark(TreeMark::Padded(stmts.to_vec()), tree.at(band)?.clone());
    Ok(tree.replace(band, mark)?)
}

/// A statement that is to run through whole tiles.
struct Padding<'a> {
    scop: &'a Scop,
    tree: &'a ScheduleTree,
    id: StmtId,
    /// The loops around all statements, and around it; how many of these are around or in the band of the tiles.
    paths: &'a Paths,
    path: &'a [Loop],
    n_outer: usize,
    /// What its ghosts touch.
    touched: Vec<&'a Access>,
    params: Space,
}

impl<'a> Padding<'a> {
    /// That of a statement in the tiles of a band; why there is none.
    fn of(
        subject: &Subject<'a>,
        paths: &'a Paths,
        name: &str,
        band: &Cursor,
    ) -> Result<std::result::Result<Self, &'static str>> {
        let program: &'a Program = subject.program;
        let (scop, tree) = (&program.scop, &program.tree);
        let missing = || NotApplicable::NoStatement(name.to_owned());
        let id = scop.stmt_by_name(name).ok_or_else(missing)?;
        let Some(touched) = touched(&scop.stmts()[id], scop.arrays()) else {
            return Ok(Err("it does not only assign from elsewhere, or from buffers, to a buffer"));
        };
        let Some([path]) = paths.get(name).map(Vec::as_slice) else {
            return Ok(Err("it stands in several places"));
        };
        let n_outer = path.iter().filter(|l| l.band == *band || l.band.is_above(band)).count();
        if path[..n_outer].last().is_none_or(|l| l.band != *band) {
            return Ok(Err("it is not in the tiles"));
        }
        for inner in &path[n_outer..] {
            if inner.member_in(tree)?.schedule.pw_affs()?.len() > 1 {
                return Ok(Err("others share its loops within the tiles"));
            }
        }
        let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
        let params = Space::params_named(&names)?;
        Ok(Ok(Self { scop, tree, id, paths, path, n_outer, touched, params }))
    }

    /// Why the statement cannot be padded.
    fn fault(&self) -> Result<Option<&'static str>> {
        let domain = self.domain(self.id)?;
        let whole = self.whole(&domain)?;
        for access in &self.touched {
            if !is_inside(access, &whole, &self.scop.arrays()[access.array])? {
                return Ok(Some("ghosts would leave a buffer"));
            }
        }
        let ghosts = whole.subtract(&domain)?;
        for access in self.touched.iter().filter(|access| access.kind.is_write()) {
            if self.meets_instances(access, &ghosts)? {
                return Ok(Some("ghosts would write what instances touch"));
            }
        }
        Ok(None)
    }

    /// All that lies in the same tiles as instances of the statement: with other values of the dimensions that loops within the
    /// tiles run through.
    fn whole(&self, domain: &Set) -> Result<Set> {
        let space = domain.space()?;
        let mut ranges = Vec::new();
        let mut free = Vec::new();
        for inner in &self.path[self.n_outer..] {
            let row = self.date(inner, &space)?;
            for outer in &self.path[..self.n_outer] {
                let Some(size) = outer.size.filter(|_| self.is_apart(outer)) else { continue };
                let range = in_tile(&row, &self.date(outer, &space)?, size)?;
                if !domain.is_subset(&range)? {
                    continue;
                }
                ranges.push(range);
                for at in 0..space.dim(DimType::SET)? {
                    if row.involves_dims(DimType::In, at, 1)? && !free.contains(&at) {
                        free.push(at);
                    }
                }
            }
        }
        let mut whole = domain.clone();
        for at in free {
            whole = whole.project_out(DimType::SET, at, 1)?.insert_dims(DimType::SET, at, 1)?;
        }
        whole = whole.with_tuple_name(&domain.tuple_name().unwrap_or_default())?;
        for range in ranges {
            whole = whole.intersect(&range)?;
        }
        Ok(whole)
    }

    /// Whether full tiles of a loop are generated apart.
    fn is_apart(&self, outer: &Loop) -> bool {
        marks_above(self.tree, &outer.band).contains(&&TreeMark::SeparateFullTiles)
    }

    /// The dates of a loop on a statement's instances.
    fn date(&self, of: &Loop, space: &Space) -> Result<PwAff> {
        beyond(&of.member_in(self.tree)?.schedule.extract_pw_aff(space)?)
    }

    /// The instances of a statement, in a space with all parameters.
    fn domain(&self, stmt: StmtId) -> Result<Set> {
        Ok(self.scop.domain_of(stmt)?.align_params(&self.params)?)
    }

    /// Whether instances touch cells that an access has for ghosts, while the buffer is the same: in one iteration of the loops around all
    /// its uses.
    fn meets_instances(&self, access: &Access, ghosts: &Set) -> Result<bool> {
        let mut users = Vec::new();
        let mut around = self.path.to_vec();
        for (id, stmt) in self.scop.stmts().iter_enumerated() {
            let uses = stmt.accesses.iter().filter(|other| other.array == access.array);
            let mut uses: Vec<&Access> = uses.collect();
            uses.dedup_by(|a, b| a.relation == b.relation);
            if uses.is_empty() {
                continue;
            }
            for path in self.paths.get(&stmt.name).into_iter().flatten() {
                around.retain(|l| path.iter().any(|other| l.is_same(other)));
            }
            users.push((id, uses));
        }
        let cells = self.cells(&around, access, ghosts)?;
        for (id, uses) in users {
            let instances = self.domain(id)?;
            for other in uses {
                let touched = self.cells(&around, other, &instances)?;
                if !cells.apply_range(&touched.reverse()?)?.is_empty()? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// From some instances to the cells of an access, behind the dates of these loops.
    fn cells(&self, around: &[Loop], access: &Access, of: &Set) -> Result<Map> {
        let space = of.space()?;
        let n_dims = space.dim(DimType::SET)?;
        let all = Set::universe(&space)?;
        let mut cells: Map = all.identity()?.project_out(DimType::Out, 0, n_dims)?;
        for around in around {
            cells = cells.flat_range_product(&self.date(around, &space)?.to_map()?)?;
        }
        let relation = access.relation.align_params(&space)?;
        Ok(cells.flat_range_product(&relation)?.intersect_domain(of)?)
    }
}

/// The loops around each place where a statement may stand, outermost first, by its name.
type Paths = BTreeMap<String, Vec<Vec<Loop>>>;

/// Those of a tree, as filters name statements.
fn paths(tree: &ScheduleTree) -> Result<Paths> {
    let mut paths = Paths::new();
    let (names, loops) = (BTreeSet::new(), &mut Vec::new());
    descend(tree, &Cursor::root(), &names, &[], loops, &mut paths)?;
    Ok(paths)
}

/// The same below a node that these statements come to, inside of some loops; the next band has tiles of these sizes.
fn descend<'t>(
    tree: &'t ScheduleTree,
    here: &Cursor,
    names: &BTreeSet<String>,
    mut sizes: &'t [i64],
    loops: &mut Vec<Loop>,
    paths: &mut Paths,
) -> Result<()> {
    let n_loops = loops.len();
    let mut inside = None;
    match tree.node() {
        Node::Leaf => {
            for name in names {
                paths.entry(name.clone()).or_default().push(loops.clone());
            }
        }
        Node::Mark { mark: TreeMark::Tile(of), .. } => sizes = of,
        Node::Mark { mark: TreeMark::Point, .. } => sizes = &[],
        Node::Domain { domain, .. } => inside = Some(stmt_names(domain)?.into_iter().collect()),
        Node::Filter { filter, .. } => {
            let filtered = stmt_names(filter)?.into_iter();
            inside = Some(filtered.filter(|name| names.contains(name)).collect());
        }
        Node::Band { band, .. } => {
            for member in 0..band.members.len() {
                let (band, roles) = (here.clone(), Vec::new());
                loops.push(Loop { band, member, roles, size: sizes.get(member).copied() });
            }
            sizes = sizes.get(band.members.len()..).unwrap_or_default();
        }
        _ => {}
    }
    let names = inside.as_ref().unwrap_or(names);
    if !names.is_empty() {
        for (at, child) in tree.children().iter().enumerate() {
            descend(child, &here.child(at), names, sizes, loops, paths)?;
        }
    }
    loops.truncate(n_loops);
    Ok(())
}

/// What ghosts of a statement touch: all that it does where it computes with buffers, what it writes where it fills one; `None` where
/// it may have none.
fn touched<'s>(stmt: &'s Statement, arrays: &IdVec<ArrayId, Array>) -> Option<Vec<&'s Access>> {
    let [BodyStmt::Assign { target, op, value, .. }] = stmt.body.as_slice() else { return None };
    let is_buffer = |access: &&Access| arrays[access.array].scope == ArrayScope::Buffer;
    let written = stmt.accesses.get(*target).filter(is_buffer)?;
    let (writes, reads): (Vec<&Access>, Vec<&Access>) =
        stmt.accesses.iter().partition(|access| access.kind.is_write());
    let is_plain =
        |access: &&Access| matches!(access.kind, AccessKind::Read | AccessKind::MustWrite);
    if writes.len() != 1 || !stmt.accesses.iter().all(|access| is_plain(&access)) {
        return None;
    }
    if !reads.iter().any(is_buffer) {
        return Some(writes);
    }
    let computes = reads.iter().all(is_buffer) && !may_trap(*op, value, stmt, arrays);
    (computes && !reads.is_empty()).then(|| [vec![written], reads].concat())
}

/// Whether what is assigned may be undefined for some values of what is read, or beyond the instances: it computes with integers from memory
/// that may overflow, it divides by what is not read and no number, or it calls something.
fn may_trap(op: AssignOp, value: &Expr, stmt: &Statement, arrays: &IdVec<ArrayId, Array>) -> bool {
    if stmt.wraps(arrays) {
        return false;
    }
    let is_floating = |access: &Access| arrays[access.array].element.kind.is_floating();
    let divides =
        |op: BinaryOp| matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr);
    let mut traps = !stmt.accesses.iter().all(is_floating);
    traps |= matches!(op, AssignOp::Compound(op) if divides(op)) && !reads(value);
    value.walk(&mut |e| {
        traps |= match e {
            Expr::Call(..) | Expr::Verbatim(_) => true,
            Expr::Binary(op, _, by) => {
                let is_small = matches!(**by, Expr::Int { value, .. } if (1..32).contains(&value));
                divides(*op) && !is_small && !reads(by)
            }
            _ => false,
        };
    });
    traps
}

/// Whether an expression reads an element.
fn reads(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |e| found |= matches!(e, Expr::Access(_)));
    found
}

/// A function of instances as it goes on beyond them; nowhere where it has several parts.
fn beyond(date: &PwAff) -> Result<PwAff> {
    match date.pieces()?.as_slice() {
        [(_, date)] => Ok(date.to_pw_aff()?),
        _ => Ok(date.intersect_domain(&Set::empty(&date.domain_space()?)?)?),
    }
}

/// Where a row lies in the tile of some size that begins at a date.
fn in_tile(row: &PwAff, begin: &PwAff, size: i64) -> Result<Set> {
    let end = begin.add(&constant(begin, size)?)?;
    Ok(row.ge_set(begin)?.intersect(&row.lt_set(&end)?)?)
}

/// A number as a function beside another.
fn constant(beside: &PwAff, number: i64) -> Result<PwAff> {
    let one = Aff::constant_on_domain(&beside.domain_space()?, 1)?.to_pw_aff()?;
    Ok(one.scale_val(&Val::int(number)?)?)
}

/// Whether the cells of an access for some instances lie within an array whose extents are numbers.
fn is_inside(access: &Access, of: &Set, array: &Array) -> Result<bool> {
    let Some(extents) = array.constant_extents() else { return Ok(false) };
    let cells = access.relation.align_params(&of.space()?)?.intersect_domain(of)?;
    if !of.is_subset(&cells.domain()?)? {
        return Ok(false);
    }
    for (at, extent) in (0..).zip(extents) {
        let Ok(end) = i32::try_from(extent) else { return Ok(false) };
        let beyond = cells.lower_bound_si(DimType::Out, at, end)?;
        if !beyond.is_empty()? || !cells.upper_bound_si(DimType::Out, at, -1)?.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}
