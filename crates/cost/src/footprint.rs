//! What pieces of code touch.

use crate::counted::{Counted, Extent, Leaf, Loop, Part};
use crate::walk::rows_in_a_run;
use farkas_analysis::{Footprint, Group, Reference};
use farkas_machine::Machine;
use farkas_scop::ArrayId;
use std::collections::BTreeMap;

/// What some code touches in all its iterations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Touched {
    /// Bytes of lines.
    pub(crate) bytes: f64,
    /// Bytes that move: once for what is read and twice for what is written.
    pub(crate) moved: f64,
    /// Runs of neighbours in memory.
    pub(crate) rows: f64,
    /// Pages.
    pub(crate) pages: f64,
}

/// References that move alike, in the loops inside of a piece of code: what groups have in common, and the innermost loop
/// around them.
type Key = (Option<usize>, Reference);

/// References of one key: their subscripts in one iteration and whether they write; the share of the iterations
/// around that they run in.
#[derive(Default)]
struct Members {
    offsets: Vec<(Vec<i64>, bool)>,
    share: f64,
}

/// What one loop of several touches in an array.
#[derive(Default)]
struct Beside {
    /// In iterations of the loops around in which it starts.
    whole: Touched,
    /// On average, over all their iterations.
    shared: Touched,
}

/// What loops beside each other touch in an array: mostly the same elements. Those that start in some iterations of the loops around alone, as the arms of
/// a condition on these do, touch others in each, but together no more than if one started in all.
fn of_all(loops: impl Iterator<Item = Beside>) -> Touched {
    let (mut most, mut sum) = (Touched::default(), Touched::default());
    for Beside { whole, shared } in loops {
        most = most.most(whole);
        sum.add(&shared);
    }
    if sum.moved < most.moved { sum } else { most }
}

/// What one run through `parts` touches, or all iterations of the loop `around` them.
pub(crate) fn touched(
    parts: &[Part],
    around: Option<&Loop>,
    counted: &Counted,
    machine: &Machine,
) -> Touched {
    let mut all = Touched::default();
    for touched in of_arrays(parts, around, counted, machine).into_values() {
        all.add(&touched);
    }
    all
}

/// The same, of each array.
pub(crate) fn of_arrays(
    parts: &[Part],
    around: Option<&Loop>,
    counted: &Counted,
    machine: &Machine,
) -> BTreeMap<ArrayId, Touched> {
    let mut groups = BTreeMap::new();
    let mut inside = Inside { around, loops: Vec::new(), trips: &counted.trips };
    inside.collect(parts, &mut groups);
    let sizes: Vec<u64> = counted.trips.iter().map(|t| (t.round() as u64).max(1)).collect();
    let mut arrays: BTreeMap<ArrayId, BTreeMap<Option<usize>, Beside>> = BTreeMap::new();
    for ((innermost, reference), members) in groups {
        let array = reference.array;
        let extent = counted.arrays[farkas_base::Id::index(array)].as_ref();
        let share = members.share;
        let whole = of_group(reference, members, &sizes, extent, machine);
        let own = arrays.entry(array).or_default().entry(innermost).or_default();
        own.whole.add(&whole);
        own.shared.add(&whole.times(share));
    }
    let within = |(array, loops): (ArrayId, BTreeMap<Option<usize>, Beside>)| {
        let touched = of_all(loops.into_values());
        let extent = counted.arrays[farkas_base::Id::index(array)].as_ref();
        (array, touched.within(extent.map(|extent| extent.bytes), machine))
    };
    arrays.into_iter().map(within).collect()
}

/// A place in the code whose references are collected.
struct Inside<'a> {
    /// The outermost loop of which all iterations count, if there is one.
    around: Option<&'a Loop>,
    /// The loops inside of that, outermost first.
    loops: Vec<&'a Loop>,
    /// Iterations of each loop by number.
    trips: &'a [f64],
}

impl<'a> Inside<'a> {
    /// Collects the references of some parts.
    fn collect(&mut self, parts: &'a [Part], into: &mut BTreeMap<Key, Members>) {
        for part in parts {
            match part {
                Part::Loop(inner) => {
                    self.loops.push(inner);
                    self.collect(&inner.body, into);
                    self.loops.pop();
                }
                Part::Leaf(leaf) => self.collect_leaf(leaf, into),
            }
        }
    }

    /// Collects the references of a statement. Scalars are in registers.
    fn collect_leaf(&self, leaf: &Leaf, into: &mut BTreeMap<Key, Members>) {
        let ids: Vec<usize> = self.around.iter().chain(&self.loops).map(|l| l.id).collect();
        for moves in &leaf.references {
            let is_affine = moves.steps.is_some();
            if is_affine && moves.at.is_empty() {
                continue;
            }
            let steps: Vec<(usize, Vec<i64>, i64)> = match &moves.steps {
                Some(steps) => {
                    let inside = steps.iter().filter(|(id, _)| ids.contains(id));
                    inside.map(|(id, step)| (*id, step.clone(), 1)).collect()
                }
                None => ids.iter().map(|id| (*id, Vec::new(), 1)).collect(),
            };
            let share = self.share(leaf, |id| steps.iter().any(|(known, ..)| *known == id));
            let reference = Reference {
                array: moves.array,
                element_bytes: moves.element_bytes,
                is_affine,
                moves: steps,
                outer: Vec::new(),
                params: Vec::new(),
            };
            let members = into.entry((ids.last().copied(), reference)).or_default();
            members.offsets.push((moves.at.clone(), moves.is_write));
            members.share = members.share.max(share);
        }
    }

    /// The share of what a reference of a statement would touch if that always ran: guards leave some out. Where a loop with a guard
    /// goes on and the reference stays, what one iteration leaves out is touched in another.
    fn share(&self, leaf: &Leaf, moves_along: impl Fn(usize) -> bool) -> f64 {
        let along = |share: f64, around: &Loop| match around.is_tested && !moves_along(around.id) {
            true => (share * self.trips[around.id]).min(1.0),
            false => share,
        };
        let inside = self.loops.iter().rev();
        let share = inside
            .fold(leaf.rate.min(1.0), |share, inner| along(share, inner) * inner.rate.min(1.0));
        self.around.map_or(share, |around| along(share, around))
    }
}

/// What the references of a group touch in an array of some extent.
fn of_group(
    reference: Reference,
    members: Members,
    sizes: &[u64],
    extent: Option<&Extent>,
    machine: &Machine,
) -> Touched {
    let whole_rows = extent.map(|extent| WholeRows::of(&reference, sizes, extent));
    let group = Group::new(reference, members.offsets);
    let Footprint { elements, rows, line_bytes } = group.footprint(sizes, machine.line_bytes());
    let bytes = elements as f64 * f64::from(group.element_bytes);
    let of_pages = (bytes / f64::from(machine.page_bytes.max(1))).max(1.0);
    let whole_rows = whole_rows.filter(|whole| elements / rows.max(1) >= whole.elements);
    let rows = rows as f64;
    let (rows, pages, lines) = match whole_rows {
        Some(whole) => {
            (of_pages.max(rows / whole.in_a_run), of_pages, bytes + f64::from(machine.line_bytes()))
        }
        None => (rows, of_pages.max(rows), line_bytes as f64),
    };
    let moves = if group.is_written { 2.0 } else { 1.0 };
    Touched { bytes: lines, moved: lines * moves, rows, pages }
}

/// Rows that references go through in whole.
struct WholeRows {
    /// Elements of each.
    elements: u64,
    /// Rows, one behind the other in memory, until the next one is elsewhere.
    in_a_run: f64,
}

impl WholeRows {
    /// The rows of a reference if it goes through them in whole, in loops of these `sizes`.
    fn of(reference: &Reference, sizes: &[u64], extent: &Extent) -> Self {
        let moves = reference.moves.iter().filter(|(_, step, _)| step.len() == extent.dims.len());
        let moves: Vec<(&[i64], u64)> =
            moves.map(|(at, step, _)| (step.as_slice(), sizes[*at])).collect();
        let in_a_run = rows_in_a_run(&moves, &extent.dims) as f64;
        Self { elements: extent.dims.last().copied().unwrap_or(1), in_a_run }
    }
}

impl Touched {
    /// Whether some of it is written.
    pub(crate) fn is_written(&self) -> bool {
        self.moved > self.bytes
    }

    /// Adds what others touch.
    pub(crate) fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.moved += other.moved;
        self.rows += other.rows;
        self.pages += other.pages;
    }

    /// The larger of two.
    fn most(self, other: Self) -> Self {
        if other.moved > self.moved { other } else { self }
    }

    /// A share of it.
    fn times(self, by: f64) -> Self {
        Self {
            bytes: self.bytes * by,
            moved: self.moved * by,
            rows: self.rows * by,
            pages: self.pages * by,
        }
    }

    /// No more than the array has.
    fn within(self, whole: Option<u64>, machine: &Machine) -> Self {
        let Some(whole) = whole.map(|bytes| bytes as f64) else { return self };
        let whole = whole + f64::from(machine.line_bytes());
        let capped = if self.bytes > whole { self.times(whole / self.bytes) } else { self };
        let pages = (whole / f64::from(machine.page_bytes.max(1))).ceil();
        Self { pages: capped.pages.min(pages), ..capped }
    }
}
