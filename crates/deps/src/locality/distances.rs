//! Adjacent instances by integer arithmetic alone: where the references of a class have the same subscripts up to
//! constants, instances that touch the same cell are fixed distances apart.

use super::class::{Class, Member};
use super::hermite::Hermite;
use super::lattice::Lattice;
use super::presence::{Presence, presence};
use super::sequence::Common;
use crate::analysis::Prepared;
use crate::order::Dates;
use farkas_scop::StmtId;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The most instances that one sink is compared with; the exact way is faster for more.
const MAX_CHAIN: usize = 16;
/// How near to an end of a loop instances may lack what hides others from the rest; at least a line.
const MARGIN: i64 = 16;
/// The most elements of a line; each has a case of its own.
const MAX_LINE: i64 = 256;

/// An instance: statement and distance before the sink, in each loop.
pub(super) type Before = (StmtId, Vec<i64>);

/// Pairs of adjacent instances that are the same distance apart.
pub(super) struct Adjacent {
    pub(super) sink: StmtId,
    /// The source, the last of the list; the pairs are those for which none of the others is there.
    pub(super) chain: Vec<Before>,
    /// The positions in a line, of the divided row of the sink without its constant, that have such pairs; of elements, one.
    pub(super) positions: Vec<bool>,
}

/// An instance that touches the cell of a sink.
struct Candidate {
    stmt: StmtId,
    distance: Vec<Option<i64>>,
    /// Whether pairs with it are sought, or it only hides what comes before it.
    is_source: bool,
}

/// The geometry of a class.
struct Tracks<'a> {
    prepared: &'a Prepared,
    class: &'a Class,
    depth: usize,
    /// The linear parts of the values that are the same for all that touch a cell.
    fixed: Hermite,
    /// Distances between instances with the same of these.
    kernel: Vec<Vec<i64>>,
    /// Of lines, the number of elements, and by how much the divided row grows along the kernel's vector.
    line: Option<Line>,
}

/// How lines lie along the kernel's vector.
#[derive(Clone, Copy)]
struct Line {
    n_elems: i64,
    stride: i64,
}

/// The adjacent instances of the references of `class`; `None` where arithmetic alone does not tell.
///
/// An instance hides those before it where it exists for all sinks, or for all but those near an end of a loop. So what is
/// left out are pairs that are adjacent only because a loop ends nearby.
pub(super) fn adjacent(prepared: &Prepared, class: &Class) -> Option<Vec<Adjacent>> {
    let tracks = Tracks::of(prepared, class)?;
    let n_positions = usize::try_from(tracks.line.map_or(1, |line| line.n_elems)).ok()?;
    let mut found: BTreeMap<(StmtId, Vec<Before>), Vec<bool>> = BTreeMap::new();
    for sink in class.members.iter().filter(|member| class.is_sink(member)) {
        for position in 0..n_positions {
            for chain in tracks.chains(sink, position)? {
                let positions =
                    found.entry((sink.stmt, chain)).or_insert_with(|| vec![false; n_positions]);
                positions[position] = true;
            }
        }
    }
    let found = found.into_iter();
    Some(found.map(|((sink, chain), positions)| Adjacent { sink, chain, positions }).collect())
}

impl<'a> Tracks<'a> {
    /// The geometry of a class whose places differ in constants alone.
    fn of(prepared: &'a Prepared, class: &'a Class) -> Option<Self> {
        let first = class.members.first().filter(|_| class.is_separated)?;
        let depth = prepared.tables.depth(first.stmt);
        let place = &first.place;
        let rows: Vec<Vec<i64>> = place.outer.iter().map(|row| row[..depth].to_vec()).collect();
        let fixed = Hermite::of(&rows, depth).ok()?;
        let kernel = fixed.kernel();
        let line = match (&place.divided, &kernel[..]) {
            (None, _) => None,
            (Some((_, n_elems)), []) => Some(Line { n_elems: *n_elems, stride: 0 }),
            (Some((row, n_elems)), [along]) => {
                let stride = dot(&row[..depth], along).filter(|&stride| stride != 0)?;
                Some(Line { n_elems: *n_elems, stride })
            }
            (Some(_), _) => return None,
        };
        if line.is_some_and(|line| line.n_elems > MAX_LINE) {
            return None;
        }
        Some(Self { prepared, class, depth, fixed, kernel, line })
    }

    /// The sources of the instances of `sink` whose divided row, without its constant, is at `position` of a line, each
    /// with the later candidates that must not be there.
    fn chains(&self, sink: &Member, position: usize) -> Option<Vec<Vec<Before>>> {
        let mut open = match self.line {
            None => self.on_element(sink)?,
            Some(line) => self.on_line(sink, i64::try_from(position).ok()?, line)?,
        };
        let mut chain: Vec<Before> = Vec::new();
        let mut chains = Vec::new();
        while !open.is_empty() {
            let latest = open.swap_remove(latest(&self.prepared.dates, &open)?);
            let distance: Vec<i64> = latest.distance.into_iter().collect::<Option<_>>()?;
            if distance.iter().any(|&d| i32::try_from(d).is_err()) {
                return None;
            }
            let presence = self.presence(latest.stmt, sink.stmt, &distance);
            if presence == Presence::Never {
                continue;
            }
            chain.push((latest.stmt, distance));
            if latest.is_source {
                chains.push(chain.clone());
            }
            if presence == Presence::Always {
                break;
            }
            // Farther instances of the same reference are not among the candidates.
            if !self.farther().is_empty() || chain.len() == MAX_CHAIN {
                return None;
            }
        }
        Some(chains)
    }

    /// Whether instances of `source` are there, so far before those of `sink`.
    fn presence(&self, source: StmtId, sink: StmtId, distance: &[i64]) -> Presence {
        let margin = MARGIN.max(self.line.map_or(0, |line| line.n_elems));
        presence(&self.prepared.tables, (source, sink), distance, self.farther(), margin)
    }

    /// What leads from the candidates to others.
    fn farther(&self) -> &[Vec<i64>] {
        if self.line.is_none() { &self.kernel } else { &[] }
    }

    /// The last instances before `sink` that touch its cell, one for each reference, where nothing is divided.
    fn on_element(&self, sink: &Member) -> Option<Vec<Candidate>> {
        let mut candidates = Vec::new();
        for source in &self.class.members {
            let rows = source.place.outer.iter().zip(&sink.place.outer);
            let image: Option<Vec<i64>> =
                rows.map(|(a, b)| a.last()?.checked_sub(*b.last()?)).collect();
            let Some(distance) = self.fixed.solve(&image?).ok()? else { continue };
            let common = self.prepared.dates.common(source.stmt, sink.stmt)?;
            if let Some(distance) = self.nearest(&distance, &common)? {
                self.add(&mut candidates, source, distance);
            }
        }
        Some(candidates)
    }

    /// The instances before `sink` that touch its line.
    fn on_line(&self, sink: &Member, position: i64, line: Line) -> Option<Vec<Candidate>> {
        let mut candidates = Vec::new();
        let constant = |member: &Member| member.place.divided.as_ref()?.0.last().copied();
        let here = position.checked_add(constant(sink)?)?.rem_euclid(line.n_elems);
        let zero = vec![Some(0); self.depth];
        for source in &self.class.members {
            // The source's position, before it moves along the kernel.
            let there = here.checked_add(constant(source)?)?.checked_sub(constant(sink)?)?;
            for n in line.steps(there) {
                let along = match self.kernel.first() {
                    Some(along) => along.iter().map(|c| c.checked_mul(n).map(Some)).collect(),
                    None => Some(zero.clone()),
                };
                let distance: Vec<Option<i64>> = along?;
                let (source_here, sink_here) =
                    ((source.stmt, &distance[..]), (sink.stmt, &zero[..]));
                if self.prepared.dates.compare(source_here, sink_here)? == Ordering::Less {
                    self.add(&mut candidates, source, distance);
                }
            }
        }
        Some(candidates)
    }

    /// Adds what `source` does at this distance. An instance that writes the cell is no source where the class is about reads.
    fn add(&self, candidates: &mut Vec<Candidate>, source: &Member, distance: Vec<Option<i64>>) {
        let (stmt, is_source) = (source.stmt, self.class.is_source(source));
        match candidates.iter_mut().find(|c| c.stmt == stmt && c.distance == distance) {
            Some(known) => known.is_source &= is_source,
            None => candidates.push(Candidate { stmt, distance, is_source }),
        }
    }

    /// The least distance, in the order of the dates, from an instance of a source to the sink, among `distance` and what is
    /// a sum of kernel vectors apart from it; none where the source never comes first. Iterators that no
    /// date of both compares may have any distance.
    fn nearest(&self, distance: &[i64], common: &Common) -> Option<Option<Vec<Option<i64>>>> {
        let rest = (0..self.depth).filter(|i| !common.iterators.contains(i));
        let order: Vec<usize> = common.iterators.iter().copied().chain(rest).collect();
        let rows: Vec<Vec<i64>> =
            order.iter().map(|&i| self.kernel.iter().map(|v| v[i]).collect()).collect();
        let echelon: Vec<(usize, Vec<i64>)> =
            Hermite::of(&rows, self.kernel.len()).ok()?.echelon().collect();
        let permuted: Vec<i64> = order.iter().map(|&i| distance[i]).collect();
        let lattice =
            Lattice { n_compared: common.iterators.len(), is_tie_before: common.tie.is_lt() };
        let Some((nearest, free)) = lattice.least(permuted, &echelon)? else { return Some(None) };
        let mut known = vec![None; self.depth];
        for (at, (&i, &value)) in order.iter().zip(&nearest).enumerate() {
            let is_known = free.iter().all(|(_, column)| column[at] == 0);
            known[i] = is_known.then_some(value);
        }
        Some(Some(known))
    }
}

impl Line {
    /// The numbers of steps `n` back along the kernel that lead from `position` into the line.
    fn steps(self, position: i64) -> Vec<i64> {
        let is_within = |n: &i64| {
            let at = n.checked_mul(self.stride).and_then(|moved| position.checked_sub(moved));
            at.is_some_and(|at| (0..self.n_elems).contains(&at))
        };
        if self.stride == 0 {
            return Some(0).filter(is_within).into_iter().collect();
        }
        let (centre, reach) =
            (position / self.stride, self.n_elems / self.stride.saturating_abs() + 1);
        (centre.saturating_sub(reach)..=centre.saturating_add(reach)).filter(is_within).collect()
    }
}

/// The position of the latest candidate; `None` where that is not known.
fn latest(dates: &Dates, candidates: &[Candidate]) -> Option<usize> {
    let mut latest = 0;
    for (i, candidate) in candidates.iter().enumerate().skip(1) {
        let best = &candidates[latest];
        let order =
            dates.compare((candidate.stmt, &candidate.distance), (best.stmt, &best.distance))?;
        if order == Ordering::Greater {
            latest = i;
        }
    }
    Some(latest)
}

/// The product of two vectors; `None` on overflow.
fn dot(a: &[i64], b: &[i64]) -> Option<i64> {
    a.iter().zip(b).try_fold(0_i64, |sum, (x, y)| sum.checked_add(x.checked_mul(*y)?))
}
