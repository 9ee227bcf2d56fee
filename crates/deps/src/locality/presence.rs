//! Whether a statement has instances a known distance before those of another one, without isl.

use crate::tables::{Piece, Tables};
use farkas_poly::LinearRow;
use farkas_scop::StmtId;

/// Whether an instance of one statement exists for each of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Presence {
    /// For all, but for some near an end of a loop.
    Always,
    /// For none.
    Never,
    /// That cannot be seen.
    Unknown,
}

/// Whether there is an instance of `source` so many iterations before each of `sink`, in each loop, but for sinks within
/// `margin` iterations of an end of a loop: whether the bounds and strides of the source are those of the sink, moved. Where
/// there is none, nor is there one at a distance that differs by a combination of the vectors `free`.
pub(super) fn presence(
    tables: &Tables,
    (source, sink): (StmtId, StmtId),
    distance: &[i64],
    free: &[Vec<i64>],
    margin: i64,
) -> Presence {
    let (Some(from), Some(to)) = (tables.domain(source), tables.domain(sink)) else {
        return Presence::Unknown;
    };
    let strides: Vec<Presence> =
        from.congruences.iter().map(|row| stride(row, to, distance, free)).collect();
    if strides.contains(&Presence::Never) {
        return Presence::Never;
    }
    let is_there = strides.iter().all(|&presence| presence == Presence::Always)
        && from.equalities.iter().all(|row| is_kept(row, to, distance))
        && from.inequalities.iter().all(|row| is_bounded(row, to, distance, margin));
    if is_there { Presence::Always } else { Presence::Unknown }
}

/// Whether a multiple of the source is one for all instances of the sink.
fn stride(row: &LinearRow, sink: &Piece, distance: &[i64], free: &[Vec<i64>]) -> Presence {
    let modulus = |row: &LinearRow| row.divs.iter().find(|&&c| c != 0).map(|c| c.saturating_abs());
    let (Some(constant), Some(m)) = (moved(row, distance), modulus(row)) else {
        return Presence::Unknown;
    };
    let same = sink.congruences.iter().find_map(|other| {
        let sign = sign(row, other).filter(|_| modulus(other) == Some(m))?;
        Some(sign.checked_mul(other.constant)?.checked_sub(constant)?.rem_euclid(m) == 0)
    });
    let keeps = |vector: &Vec<i64>| {
        let along = moved(row, vector).and_then(|moved| moved.checked_sub(row.constant));
        along.is_some_and(|along| along.rem_euclid(m) == 0)
    };
    match same {
        Some(true) => Presence::Always,
        Some(false) if free.iter().all(keeps) => Presence::Never,
        _ => Presence::Unknown,
    }
}

/// Whether an equality of the source is one of the sink.
fn is_kept(row: &LinearRow, sink: &Piece, distance: &[i64]) -> bool {
    let moved = moved(row, distance);
    sink.equalities.iter().any(|other| {
        let constant = sign(row, other).and_then(|sign| other.constant.checked_mul(sign));
        moved.is_some() && moved == constant
    })
}

/// Whether a bound of the source is one of the sink, at most `margin` further in; one of the parameters, no further in.
fn is_bounded(row: &LinearRow, sink: &Piece, distance: &[i64], margin: i64) -> bool {
    let is_of_loop = row.dims.iter().any(|&c| c != 0);
    let most = if is_of_loop { margin } else { 0 };
    sink.inequalities.iter().filter(|other| sign(row, other) == Some(1)).any(|other| {
        let lost = moved(row, distance).and_then(|moved| other.constant.checked_sub(moved));
        lost.is_some_and(|lost| lost <= most)
    })
}

/// The constant of a row of the source, as a row of instances so many iterations after it.
fn moved(row: &LinearRow, distance: &[i64]) -> Option<i64> {
    row.dims
        .iter()
        .zip(distance)
        .try_fold(row.constant, |constant, (c, d)| constant.checked_sub(c.checked_mul(*d)?))
}

/// One or minus one, where the coefficients of one row are those of the other one times that.
fn sign(row: &LinearRow, other: &LinearRow) -> Option<i64> {
    let is_times = |sign: i64| {
        let columns =
            row.dims.iter().chain(&row.params).zip(other.dims.iter().chain(&other.params));
        columns.clone().all(|(a, b)| b.checked_mul(sign) == Some(*a))
    };
    [1, -1].into_iter().find(|&sign| is_times(sign))
}
