//! References that walk through one array in the same way.

use super::zonotope::Zonotope;
use farkas_scop::ArrayId;
use std::collections::{BTreeMap, BTreeSet};

/// What the references of a group have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reference {
    /// The array.
    pub array: ArrayId,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Whether the subscripts are known.
    pub is_affine: bool,
    /// For each loop of the nest around the statement: the subscripts' steps, of which each takes that many iterations.
    pub moves: Vec<(usize, Vec<i64>, i64)>,
    /// The same for the loops around the nest.
    pub outer: Vec<(Vec<i64>, i64)>,
    /// What parameters contribute to each subscript.
    pub params: Vec<BTreeMap<String, i64>>,
}

/// References to one array with the same linear part: their elements are those of one of them, shifted.
///
/// The count is of the real shape for one reference whose steps are unimodular; for strides an upper bound from the
/// iterations and from the points between, for several references one from the sum of their elements and from the shape
/// stretched by their greatest shifts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The array.
    pub array: ArrayId,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// References with different elements.
    pub n_references: usize,
    /// Whether one of them writes.
    pub is_written: bool,
    /// Loops along which the elements change, each with the iterations that a step takes.
    moving: Vec<(usize, u64)>,
    /// Of these, those along which rows change, that is, other subscripts than the last.
    rows_moving: Vec<usize>,
    /// References in different rows.
    n_rows: u64,
    /// Greatest differences between the references' offsets, for each subscript that has one.
    spread: Vec<u64>,
    /// All subscripts: a segment a moving loop, and one for each spread. `None` where they are unknown.
    all: Option<Zonotope>,
    /// All subscripts but the last.
    rows: Option<Zonotope>,
}

/// What some iterations touch of one group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Elements.
    pub elements: u64,
    /// Rows: runs of neighbours in memory, more or less.
    pub rows: u64,
    /// Bytes of the cache lines that hold the elements, on average over where in a line a row begins.
    pub line_bytes: u64,
}

impl Group {
    /// The group of references with these offsets, of which some write.
    pub fn new(common: Reference, members: Vec<(Vec<i64>, bool)>) -> Self {
        let Reference { array, element_bytes, is_affine, moves, .. } = common;
        let is_written = members.iter().any(|(_, is_write)| *is_write);
        let offsets: BTreeSet<Vec<i64>> = members.into_iter().map(|(offset, _)| offset).collect();
        let dims = offsets.first().map_or(0, Vec::len);
        let of_rows: BTreeSet<&[i64]> =
            offsets.iter().map(|o| &o[..o.len().saturating_sub(1)]).collect();
        let n_rows = of_rows.len() as u64;
        let spread: Vec<u64> = (0..dims)
            .map(|dim| {
                let (least, most) =
                    offsets.iter().fold((i64::MAX, i64::MIN), |(least, most), o| {
                        (least.min(o[dim]), most.max(o[dim]))
                    });
                most.abs_diff(least)
            })
            .collect();
        let is_move =
            |(_, step, _): &&(usize, Vec<i64>, i64)| !is_affine || step.iter().any(|&s| s != 0);
        let moves: Vec<&(usize, Vec<i64>, i64)> = moves.iter().filter(is_move).collect();
        let moves_rows = |step: &[i64]| {
            step.split_last().is_some_and(|(_, outer)| outer.iter().any(|&s| s != 0))
        };
        let is_spread = |dim: &usize| spread[*dim] > 0;
        let unit = |dim: usize| (0..dims).map(|d| i64::from(d == dim)).collect();
        let units = (0..dims).filter(is_spread).map(unit);
        let segments: Vec<Vec<i64>> =
            moves.iter().map(|(_, step, _)| step.clone()).chain(units).collect();
        let without_last = |v: &Vec<i64>| v[..v.len().saturating_sub(1)].to_vec();
        let rows = segments.iter().map(without_last).collect();
        Self {
            array,
            element_bytes,
            n_references: offsets.len(),
            is_written,
            rows_moving: moves.iter().filter(|m| moves_rows(&m.1)).map(|m| m.0).collect(),
            moving: moves.iter().map(|m| (m.0, m.2.unsigned_abs().max(1))).collect(),
            n_rows,
            spread: spread.into_iter().filter(|&s| s > 0).collect(),
            all: is_affine.then(|| Zonotope::new(segments)),
            rows: is_affine.then(|| Zonotope::new(rows)),
        }
    }

    /// What iterations in a box touch, `sizes` of each loop of the nest, in lines of `line_bytes`.
    pub fn footprint(&self, sizes: &[u64], line_bytes: u32) -> Footprint {
        let bytes = u64::from(self.element_bytes);
        let line = u64::from(line_bytes).max(bytes);
        let product = |loops: &mut dyn Iterator<Item = usize>| {
            loops.fold(1_u64, |product, at| product.saturating_mul(sizes[at]))
        };
        let iterations = product(&mut self.moving.iter().map(|m| m.0));
        let (Some(all), Some(rows)) = (&self.all, &self.rows) else {
            let elements = iterations.saturating_mul(self.n_references as u64);
            return Footprint {
                elements,
                rows: elements,
                line_bytes: elements.saturating_mul(line),
            };
        };
        let lengths: Vec<u64> = self
            .moving
            .iter()
            .map(|(at, step)| sizes[*at].saturating_sub(1) / step)
            .chain(self.spread.iter().copied())
            .collect();
        let shape = all.points(&lengths);
        let elements = shape.min(iterations.saturating_mul(self.n_references as u64));
        let shape_rows = rows.points(&lengths);
        let rows = product(&mut self.rows_moving.iter().copied()).saturating_mul(self.n_rows);
        let rows = rows.min(shape_rows).max(1);
        // A row's run from its first to its last element, and the elements in it.
        let run = shape.div_ceil(shape_rows.max(1));
        let in_row = elements.div_ceil(rows);
        let of_run = run.saturating_mul(bytes).saturating_add(line - bytes);
        let of_row = of_run.min(in_row.saturating_mul(line));
        Footprint { elements, rows, line_bytes: rows.saturating_mul(of_row) }
    }

    /// The terms that one count adds up.
    pub(crate) fn work(&self) -> u64 {
        self.all.as_ref().map_or(1, Zonotope::work) + self.rows.as_ref().map_or(1, Zonotope::work)
    }
}
