//! Which loops of a tree carry which dependences: what parallelism is decided from, and what `explain` shows.

use crate::conflicts::Conflicts;
use crate::difference::{Bound, Columns, Difference, Left};
use crate::form::Form;
use crate::legality::relations::{Order, related};
use crate::rows::{Row, System};
use crate::{DepId, Dependences, Result};
use farkas_poly::{DimType, Map, PwAff, UnionPwAff, UnionSet};
use farkas_scop::StmtId;
use farkas_tree::{Band, Cursor, Node, ScheduleTree};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// One loop of a tree and the dependences that its iterations order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberReport {
    /// The band.
    pub cursor: Cursor,
    /// The position of the loop in its band.
    pub member: usize,
    /// The dependences that stop this loop, where it stands, from being parallel: neither an outer node nor an earlier
    /// member of the band orders all of their pairs, and some of the rest lie in different iterations.
    pub blocked_by: Vec<DepId>,
    /// The same with the earlier members of the band left out of account: what stops the member from being coincident,
    /// wherever in the band it stands.
    pub blocked_in_band: Vec<DepId>,
    /// The dependences some of whose pairs, among those that outer nodes leave, the member dates backward: what stops its band
    /// from being permutable. Looked for by [`directions`] alone.
    pub reversed: Vec<DepId>,
}

impl MemberReport {
    /// Whether the loop, where it stands, may be parallel.
    pub fn is_parallel(&self) -> bool {
        self.blocked_by.is_empty()
    }

    /// Whether the member is coincident: it may be parallel wherever in its band it stands.
    pub fn is_coincident(&self) -> bool {
        self.blocked_in_band.is_empty()
    }
}

/// A report on each loop of `tree`, bands in the order of [`ScheduleTree::cursors`], outermost member first. Input
/// dependences order nothing and are left out.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn coincidence(deps: &Dependences, tree: &ScheduleTree) -> Result<Vec<MemberReport>> {
    let mut walk = Walk { wanted: Wanted::All, finds_reversed: false, reports: Vec::new() };
    walk.descend(tree, &Cursor::root(), Strand::all(deps, true)?)?;
    Ok(walk.reports)
}

/// The same of the loops at or below a node alone, with the dependences that each member dates backward.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn directions(
    deps: &Dependences,
    tree: &ScheduleTree,
    top: &Cursor,
) -> Result<Vec<MemberReport>> {
    let mut walk = Walk { wanted: Wanted::Below(top), finds_reversed: true, reports: Vec::new() };
    walk.descend(tree, &Cursor::root(), Strand::all(deps, true)?)?;
    Ok(walk.reports)
}

/// A report on each loop of `tree` as [`coincidence`] makes it, of the conflicts of the program whose order `tree` is:
/// of each it counts the pairs whose source `tree` runs first.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn conflicting(conflicts: &Conflicts, tree: &ScheduleTree) -> Result<Vec<MemberReport>> {
    let mut walk = Walk { wanted: Wanted::All, finds_reversed: false, reports: Vec::new() };
    walk.descend(tree, &Cursor::root(), Strand::all(conflicts.as_dependences(), false)?)?;
    Ok(walk.reports)
}

/// Whether the loop at position `member` of the band at `cursor`, where it stands, carries no dependence.
///
/// # Errors
/// When there is no such band, isl refuses or its budget is used up.
pub fn is_parallel(
    deps: &Dependences,
    tree: &ScheduleTree,
    cursor: &Cursor,
    member: usize,
) -> Result<bool> {
    Ok(report(deps, tree, cursor, member)?.is_parallel())
}

/// Whether the member at position `member` of the band at `cursor` is coincident.
///
/// # Errors
/// When there is no such band, isl refuses or its budget is used up.
pub fn is_coincident(
    deps: &Dependences,
    tree: &ScheduleTree,
    cursor: &Cursor,
    member: usize,
) -> Result<bool> {
    Ok(report(deps, tree, cursor, member)?.is_coincident())
}

/// The report on the loop at position `member` of the band at `cursor`.
///
/// # Errors
/// When there is no such band, isl refuses or its budget is used up.
pub fn report(
    deps: &Dependences,
    tree: &ScheduleTree,
    cursor: &Cursor,
    member: usize,
) -> Result<MemberReport> {
    let mut walk =
        Walk { wanted: Wanted::One(cursor, member), finds_reversed: false, reports: Vec::new() };
    walk.descend(tree, &Cursor::root(), Strand::all(deps, true)?)?;
    walk.reports.pop().ok_or_else(|| farkas_tree::Error::NoNode(cursor.clone()).into())
}

/// The loops to report on.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    All,
    /// Those at or below a node.
    Below(&'a Cursor),
    /// A member of a band.
    One(&'a Cursor, usize),
}

impl Wanted<'_> {
    /// Whether the loop at `cursor`, or one below it, is wanted.
    fn leads_through(self, cursor: &Cursor) -> bool {
        match self {
            Self::All => true,
            Self::Below(top) => starts_with(top, cursor) || starts_with(cursor, top),
            Self::One(target, _) => starts_with(target, cursor),
        }
    }

    /// Whether a member of a band is wanted.
    fn has(self, cursor: &Cursor, member: usize) -> bool {
        match self {
            Self::All => true,
            Self::Below(top) => starts_with(cursor, top),
            Self::One(target, position) => (target, position) == (cursor, member),
        }
    }
}

/// Whether a node is another one or below it.
fn starts_with(cursor: &Cursor, above: &Cursor) -> bool {
    cursor.steps().starts_with(above.steps())
}

/// A descent into a tree.
struct Walk<'a> {
    wanted: Wanted<'a>,
    /// Whether the reports say what is dated backward.
    finds_reversed: bool,
    reports: Vec<MemberReport>,
}

/// The pairs of one convex piece of a dependence that reach a node.
#[derive(Clone)]
struct Strand {
    /// The dependences; several may have the same pairs.
    ids: BTreeSet<DepId>,
    /// The statements.
    ends: (StmtId, StmtId),
    /// The pairs, apart from what `open` says.
    pairs: Map,
    /// Dates that are equal besides.
    open: Vec<(PwAff, PwAff)>,
    /// Whether the source comes first in every pair that counts, wherever the dates are; else pairs count whose source has
    /// the earlier date.
    is_ordered: bool,
    /// Whether there surely are any.
    is_surely_some: bool,
    /// Whether the band has removed some.
    is_narrowed: bool,
    columns: Columns,
    /// The same pairs, or more, as rows.
    left: Left,
}

/// The dates of the statements in one loop.
struct Dates<'a> {
    schedule: &'a UnionPwAff,
    known: HashMap<StmtId, (PwAff, Option<Form>)>,
}

impl Walk<'_> {
    /// Reports on the loops of `tree`, which `strands` reach.
    fn descend(&mut self, tree: &ScheduleTree, here: &Cursor, strands: Vec<Strand>) -> Result<()> {
        if !self.wanted.leads_through(here) {
            return Ok(());
        }
        let strands = match tree.node() {
            Node::Band { band, .. } => self.band(band, here, strands)?,
            Node::Filter { filter, .. } => {
                let mut inside = Vec::new();
                for strand in strands {
                    inside.extend(strand.inside(filter)?);
                }
                inside
            }
            _ => strands,
        };
        let children = tree.children();
        for (i, child) in children.iter().enumerate() {
            self.descend(child, &here.child(i), strands.clone())?;
        }
        Ok(())
    }

    /// Reports on the members of a band; what they leave.
    fn band(
        &mut self,
        band: &Band,
        here: &Cursor,
        mut strands: Vec<Strand>,
    ) -> Result<Vec<Strand>> {
        let mut left: Vec<Option<Strand>> = strands.iter().cloned().map(Some).collect();
        for (member, m) in band.members.iter().enumerate() {
            let mut dates = Dates { schedule: &m.schedule, known: HashMap::new() };
            let is_wanted = self.wanted.has(here, member);
            let (mut blocked_by, mut blocked_in_band) = (BTreeSet::new(), BTreeSet::new());
            let mut reversed = BTreeSet::new();
            for (strand, whole) in left.iter_mut().zip(&mut strands) {
                let is_blocking = match strand {
                    Some(strand) if is_wanted && !strand.ids.is_subset(&blocked_by) => {
                        strand.is_distinguished(&mut dates)?
                    }
                    _ => false,
                };
                if is_blocking {
                    blocked_by.extend(&whole.ids);
                }
                // What earlier members have left as it was needs no second look.
                let is_same = strand.as_ref().is_some_and(|strand| !strand.is_narrowed);
                if is_wanted && !whole.ids.is_subset(&blocked_in_band) {
                    let is_blocking = whole.ids.is_subset(&blocked_by)
                        || !is_same && whole.is_distinguished(&mut dates)?;
                    if is_blocking {
                        blocked_in_band.extend(&whole.ids);
                    }
                }
                if self.finds_reversed
                    && is_wanted
                    && !whole.ids.is_subset(&reversed)
                    && whole.is_reversed(&mut dates)?
                {
                    reversed.extend(&whole.ids);
                }
                *strand = match strand.take() {
                    Some(strand) => strand.same(&mut dates)?,
                    None => None,
                };
            }
            if is_wanted {
                let [blocked_by, blocked_in_band, reversed] =
                    [blocked_by, blocked_in_band, reversed].map(|ids| ids.into_iter().collect());
                let cursor = here.clone();
                let report = MemberReport { cursor, member, blocked_by, blocked_in_band, reversed };
                self.reports.push(report);
            }
        }
        let settled = |strand: Strand| Strand { is_narrowed: false, ..strand };
        Ok(left.into_iter().flatten().map(settled).collect())
    }
}

/// The dates of both ends of a strand in one loop.
struct Dated {
    source: PwAff,
    sink: PwAff,
    difference: Option<Difference>,
    bound: Bound,
}

impl Strand {
    /// The convex pieces of those of `deps` that order instances; their sources come first where `is_ordered`.
    fn all(deps: &Dependences, is_ordered: bool) -> Result<Vec<Self>> {
        let mut strands: Vec<Self> = Vec::new();
        let mut known: HashMap<_, usize> = HashMap::new();
        for (id, dep) in deps.atomicity() {
            let [depth, other, params] = [DimType::In, DimType::Out, DimType::Param]
                .map(|kind| Ok::<_, crate::Error>(dep.relation.dim(kind)? as usize));
            let (depth, other, params) = (depth?, other?, params?);
            for piece in dep.relation.basic_maps()? {
                let rows = piece.constraints()?;
                let first = rows.equalities.first().or(rows.inequalities.first());
                let n_divs = first.map_or(0, |row| row.divs.len());
                let ends = (dep.source, dep.sink);
                let key = (ends, rows);
                if n_divs == 0
                    && let Some(&same) = known.get(&key)
                {
                    strands[same].ids.insert(id);
                    continue;
                }
                let columns = Columns::new(n_divs, depth, other, params);
                let mut system = System::default();
                key.1.equalities.iter().for_each(|row| system.add_equality(Row::of(row)));
                key.1.inequalities.iter().for_each(|row| system.add_inequality(Row::of(row)));
                known.insert(key, strands.len());
                strands.push(Self {
                    ids: BTreeSet::from([id]),
                    ends,
                    pairs: piece.to_map()?,
                    open: Vec::new(),
                    is_ordered,
                    is_surely_some: true,
                    is_narrowed: false,
                    columns,
                    left: Left::new(system),
                });
            }
        }
        Ok(strands)
    }

    /// The pairs both of whose instances lie in `filter`; `None` where there are none.
    fn inside(mut self, filter: &UnionSet) -> Result<Option<Self>> {
        let space = self.pairs.space()?;
        let source = filter.extract_set(&space.domain()?)?;
        let sink = filter.extract_set(&space.range()?)?;
        if source.plain_is_empty()? || sink.plain_is_empty()? {
            return Ok(None);
        }
        if source.plain_is_universe()? && sink.plain_is_universe()? {
            return Ok(Some(self));
        }
        self.settle()?;
        let inside = self.pairs.intersect_domain(&source)?.intersect_range(&sink)?;
        if inside.is_empty()? {
            return Ok(None);
        }
        Ok(Some(Self { pairs: inside, is_surely_some: true, ..self }))
    }

    /// The dates of both ends.
    fn date(&self, dates: &mut Dates<'_>) -> Result<Dated> {
        let space = self.pairs.space()?;
        for (stmt, end) in [(self.ends.0, space.domain()?), (self.ends.1, space.range()?)] {
            if let Entry::Vacant(entry) = dates.known.entry(stmt) {
                let function = dates.schedule.extract_pw_aff(&end)?.align_params(&space)?;
                let form = Form::of(&function)?;
                entry.insert((function, form));
            }
        }
        let ((source, from), (sink, to)) = (&dates.known[&self.ends.0], &dates.known[&self.ends.1]);
        let difference = match (from, to) {
            (Some(from), Some(to)) => self.columns.difference(from, to),
            _ => None,
        };
        let bound = match &difference {
            Some(difference) => self.left.bound(self.columns, difference),
            None => Bound::Unknown,
        };
        Ok(Dated { source: source.clone(), sink: sink.clone(), difference, bound })
    }

    /// Whether some of the pairs have different dates.
    fn is_distinguished(&mut self, dates: &mut Dates<'_>) -> Result<bool> {
        let dated = &self.date(dates)?;
        match dated.bound {
            Bound::Zero => Ok(false),
            Bound::AtLeast(1..) if self.is_surely_some => Ok(true),
            Bound::AtLeast(1..) => {
                self.settle()?;
                self.is_surely_some = !self.pairs.is_empty()?;
                Ok(self.is_surely_some)
            }
            Bound::AtLeast(0) => self.has(dated, Order::Before),
            Bound::AtLeast(_) | Bound::Unknown => Ok(self.has(dated, Order::Before)?
                || self.is_ordered && self.has(dated, Order::After)?),
        }
    }

    /// Whether some of the pairs are dated backward.
    fn is_reversed(&mut self, dates: &mut Dates<'_>) -> Result<bool> {
        let dated = &self.date(dates)?;
        match dated.bound {
            Bound::Zero | Bound::AtLeast(0..) => Ok(false),
            Bound::AtLeast(_) | Bound::Unknown => self.has(dated, Order::After),
        }
    }

    /// Whether the dates of some of the pairs lie so.
    fn has(&mut self, dated: &Dated, order: Order) -> Result<bool> {
        self.settle()?;
        Ok(!related(&self.pairs, &dated.source, &dated.sink, order)?.is_empty()?)
    }

    /// The pairs with equal dates, or more; `None` where there are none.
    fn same(mut self, dates: &mut Dates<'_>) -> Result<Option<Self>> {
        let dated = self.date(dates)?;
        match dated.bound {
            Bound::Zero => return Ok(Some(self)),
            Bound::AtLeast(1..) => return Ok(None),
            Bound::AtLeast(_) | Bound::Unknown => {}
        }
        if let Some(difference) = &dated.difference {
            self.left.assume_zero(self.columns, difference);
            if self.left.plain_is_empty() {
                return Ok(None);
            }
        }
        self.open.push((dated.source, dated.sink));
        self.is_surely_some = false;
        self.is_narrowed = true;
        Ok(Some(self))
    }

    /// Brings `pairs` up to date.
    fn settle(&mut self) -> Result<()> {
        for (source, sink) in std::mem::take(&mut self.open) {
            self.pairs = related(&self.pairs, &source, &sink, Order::Same)?;
        }
        Ok(())
    }
}
