//! Does a tree keep the dataflow of an array? The second judgement, of arrays whose accesses a tree puts into another
//! order.
//!
//! Every read must get its value from the write that it gets it from in the original order, and code after the region must
//! find what the last write of each element left. With `F` the pairs of a write and a read that gets its value from it:
//!
//! 1. The write of each pair of `F` runs before the read.
//! 2. Another write to the element that came before the write of a pair of `F` still does, or runs after the read; one
//!    that came after the read still does, or runs before the write. In the original order there is none in between.
//! 3. Writes that came after a read that has no source, which may read what was there before the region, still do.
//! 4. Where the array is live-out, the last write to an element runs after all others.
//! 5. No two accesses of which one writes may run in either order.
//!
//! Only orders that the tree does not keep need a look: the reversed output and anti dependences. What "before" means is what
//! the tree orders; instances in different iterations of a loop with private copies of the array are no matter to each
//! other ([`private`](super::private) sees to it that such a loop keeps each pair of `F` in one iteration).
//!
//! Kills hide nothing here: what a read after a kill finds must stay the same, too. An array with writes that may not
//! happen, or accesses to several elements at once, is not judged this way.
//!
//! **Paper** S. Verdoolaege and A. Cohen, *Live-Range Reordering*, IMPACT 2016. Ours looks at the finished tree instead of a
//! band while it is made, and is exact for sure writes.

use super::counterexample::Counterexample;
use super::examples::{self, Range};
use super::plan::Plan;
use super::walk::{Excused, Violation, violation, violation_but};
use super::{MAX_COMPARED, conflict, placement::Placement, quick};
use crate::analysis::{Prepared, Reference};
use crate::flow::last_writes;
use crate::{DependenceKind, Result};
use farkas_poly::Set;
use farkas_scop::{AccessKind, ArrayId, Scop};

/// Who reads what of an array.
pub(super) struct Dataflow<'a> {
    pub(super) array: ArrayId,
    /// The accesses, one for each statement, kind and relation.
    accesses: Vec<&'a Reference>,
    /// Where values go.
    pub(super) ranges: Vec<Range<'a>>,
    /// The reads that get no value from the region.
    pub(super) from_before: Vec<(&'a Reference, Set)>,
}

impl<'a> Dataflow<'a> {
    /// The dataflow of `array`; `None` where it is not known which write a read gets its value from.
    pub(super) fn of(prepared: &'a Prepared, array: ArrayId) -> Result<Option<Self>> {
        let mut accesses: Vec<&Reference> = Vec::new();
        for r in prepared.references[array].iter().filter(|r| r.kind != AccessKind::Kill) {
            if r.kind == AccessKind::MayWrite || !r.elements.is_single_valued()? {
                return Ok(None);
            }
            if !accesses.iter().any(|known| known.kind == r.kind && is_like(known, r)) {
                accesses.push(r);
            }
        }
        let (mut ranges, mut from_before) = (Vec::new(), Vec::new());
        for &read in accesses.iter().filter(|r| r.kind == AccessKind::Read) {
            let mut rest = read.elements.domain()?;
            let writes = accesses.iter().copied().filter(|r| r.kind == AccessKind::MustWrite);
            for (write, pieces) in last_writes(prepared, writes, read)? {
                for piece in pieces {
                    rest = rest.subtract(&piece.pairs.range()?)?;
                    ranges.push(Range { write, read, pairs: piece.pairs });
                }
            }
            if !rest.is_empty()? {
                from_before.push((read, rest));
            }
        }
        Ok(Some(Self { array, accesses, ranges, from_before }))
    }

    /// The instances of `write` whose value nothing overwrites.
    fn last(&self, prepared: &Prepared, write: &Reference) -> Result<Set> {
        let mut last = write.elements.domain()?;
        for other in self.accesses.iter().filter(|r| r.kind == AccessKind::MustWrite) {
            for piece in prepared.ordered(write, other)?.iter() {
                last = last.subtract(&piece.pairs.domain()?)?;
            }
        }
        Ok(last)
    }
}

/// Whether both are accesses of one statement with one relation.
fn is_like(a: &Reference, b: &Reference) -> bool {
    (a.stmt, a.like) == (b.stmt, b.like)
}

/// A judgement.
struct Judge<'a> {
    scop: &'a Scop,
    prepared: &'a Prepared,
    plan: &'a Plan,
    flow: &'a Dataflow<'a>,
    found: Vec<Counterexample>,
}

/// What `plan` does against the dataflow of `array`: nothing, or some of it; `None` where that cannot be judged.
pub(super) fn judge(
    scop: &Scop,
    prepared: &Prepared,
    plan: &Plan,
    array: ArrayId,
) -> Result<Option<Vec<Counterexample>>> {
    let Some(flow) = Dataflow::of(prepared, array)? else { return Ok(None) };
    let mut judge = Judge { scop, prepared, plan, flow: &flow, found: Vec::new() };
    for &source in &flow.accesses {
        for &sink in &flow.accesses {
            match conflict(source.kind, sink.kind) {
                Some(DependenceKind::Flow) => judge.values(source, sink)?,
                Some(kind) if !quick::proves(&prepared.tables, plan, source, sink) => {
                    judge.order(kind, source, sink)?;
                }
                _ => {}
            }
            if judge.found.len() >= MAX_COMPARED {
                return Ok(Some(judge.found));
            }
        }
    }
    Ok(Some(judge.found))
}

impl Judge<'_> {
    /// The values that go from `write` to `read` get there.
    fn values(&mut self, write: &Reference, read: &Reference) -> Result<()> {
        let flow = self.flow;
        for range in flow.ranges.iter().filter(|r| is_like(r.write, write) && is_like(r.read, read))
        {
            let ends = [write.stmt, read.stmt];
            let excused = self.excused(write, read);
            let late = violation_but(self.plan, ends, range.pairs.clone(), excused)?;
            if let Some(late) = late {
                self.conflict(DependenceKind::Flow, write, read, late)?;
            }
        }
        Ok(())
    }

    /// What need not be kept of the order of two accesses.
    fn excused(&self, source: &Reference, sink: &Reference) -> Excused {
        let accesses = [source, sink].map(|end| (end.stmt, end.access));
        match self.prepared.updates.relaxed(accesses) {
            Some(_) => Excused::Copies(self.flow.array),
            None => Excused::Nothing,
        }
    }

    /// The anti or output dependences from `source` to `sink` are kept where a value depends on it.
    fn order(&mut self, kind: DependenceKind, source: &Reference, sink: &Reference) -> Result<()> {
        for piece in self.prepared.ordered(source, sink)?.iter() {
            let (ends, pairs) = ([source.stmt, sink.stmt], piece.pairs.clone());
            let are_updates = matches!(self.excused(source, sink), Excused::Copies(_));
            let placed = Placement::of(self.plan, self.flow.array, ends, (pairs, are_updates))?;
            for raced in placed.unordered {
                self.conflict(kind, source, sink, raced)?;
            }
            for reversed in placed.reversed {
                if kind == DependenceKind::Output {
                    self.earlier_write(source, sink, reversed)?;
                } else {
                    self.later_write(source, sink, reversed)?;
                }
            }
        }
        Ok(())
    }

    /// `other` came before `write` and now runs after it: it must run after the reads, too.
    fn earlier_write(
        &mut self,
        other: &Reference,
        write: &Reference,
        reversed: Violation,
    ) -> Result<()> {
        let flow = self.flow;
        for range in flow.ranges.iter().filter(|range| is_like(range.write, write)) {
            let cutting = reversed.pairs.apply_range(&range.pairs)?.reverse()?;
            let late = violation(self.plan, range.read.stmt, other.stmt, cutting)?;
            if let Some(late) = late {
                let found = examples::cut_by_earlier(
                    self.scop,
                    range,
                    other,
                    &late.pairs,
                    &reversed.place,
                )?;
                self.found.push(found);
            }
        }
        if self.scop.arrays()[flow.array].is_live_out {
            let pairs = reversed.pairs.intersect_range(&flow.last(self.prepared, write)?)?;
            self.conflict(DependenceKind::Output, other, write, Violation { pairs, ..reversed })?;
        }
        Ok(())
    }

    /// `other` came after `read` and now runs before it: it must run before the write, too.
    fn later_write(
        &mut self,
        read: &Reference,
        other: &Reference,
        reversed: Violation,
    ) -> Result<()> {
        let flow = self.flow;
        for range in flow.ranges.iter().filter(|range| is_like(range.read, read)) {
            let cutting = range.pairs.apply_range(&reversed.pairs)?.reverse()?;
            let late = violation(self.plan, other.stmt, range.write.stmt, cutting)?;
            if let Some(late) = late {
                let found =
                    examples::cut_by_later(self.scop, range, other, &late.pairs, &reversed)?;
                self.found.push(found);
            }
        }
        for (_, reads) in flow.from_before.iter().filter(|(r, _)| is_like(r, read)) {
            let (pairs, place) = (reversed.pairs.intersect_domain(reads)?, reversed.place.clone());
            self.conflict(DependenceKind::Anti, read, other, Violation { pairs, place })?;
        }
        Ok(())
    }

    /// Adds a dependence that is not kept, if there is one.
    fn conflict(
        &mut self,
        kind: DependenceKind,
        source: &Reference,
        sink: &Reference,
        violation: Violation,
    ) -> Result<()> {
        if !violation.pairs.is_empty()? {
            let found = examples::conflict(self.scop, kind, source, sink, violation)?;
            self.found.push(found);
        }
        Ok(())
    }
}
