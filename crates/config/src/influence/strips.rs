//! Which rows of AKG's flat form are parts of one loop.
//!
//! Rows with the same coefficients share an affine row; what their suffixes take of it are ranges of digits, as it
//! were: `(/4)` those from 4 on, `(%4)` those below. The rows of one loop must take ranges that follow each other
//! downward.

use super::akg::{Entry, SoftConstraint, SoftRow, Strip};
use crate::report::Report;
use farkas_base::DiagnosticId;

/// What becomes of one row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Strips {
    /// For a row that is a part of an earlier one: the number of that one.
    pub(super) part_of: Option<usize>,
    /// Sizes of the tiles that its suffixes ask for, largest first.
    pub(super) sizes: Vec<i64>,
}

/// What a row takes of its loop: the iterations from `low` up to `high`, in units of one iteration.
#[derive(Clone, Copy)]
struct Digits {
    low: i64,
    /// `None`: without end.
    high: Option<i64>,
}

/// What becomes of each row of a statement, with messages on rows that take no range or not the next one.
pub(super) fn strips(rows: &[SoftRow], report: &mut Report) -> Vec<Strips> {
    let mut found: Vec<Strips> = Vec::new();
    let mut digits: Vec<Digits> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let own = digits_of(row, report);
        digits.push(own);
        let mut sizes: Vec<i64> = [own.high, Some(own.low)].into_iter().flatten().collect();
        sizes.retain(|size| *size > 1);
        let part_of = if own.high.is_some() { whole(rows, number, &found, report) } else { None };
        if let Some(before) = part_of.and_then(|whole| last_part(&found, whole)) {
            let expected = digits.get(before).map(|d| d.low);
            if own.high != expected {
                let message = "the row does not go on where the one before it ended";
                let label = match expected {
                    Some(low) if low > 1 => format!("`%{low}` goes here"),
                    _ => "nothing is left of its loop".to_owned(),
                };
                report.error(DiagnosticId::ContradictoryEntries, row.span, message, label);
            }
        }
        found.push(Strips { part_of, sizes });
    }
    found
}

/// The row that row `number`, a remainder, is a part of, with a message if there is none.
fn whole(rows: &[SoftRow], number: usize, found: &[Strips], report: &mut Report) -> Option<usize> {
    let row = rows.get(number)?;
    let is_whole = |at: &usize| found.get(*at).is_some_and(|strips| strips.part_of.is_none());
    let same = rows.iter().take(number).enumerate().filter(|(_, r)| r.entries == row.entries);
    let whole = same.map(|(at, _)| at).rfind(is_whole);
    if whole.is_none() {
        let message = "a remainder needs a row with the same coefficients before it";
        let diagnostic = report.at(DiagnosticId::MalformedConstraint, row.span, message, "");
        report.push(
            diagnostic.help("put the row with the quotient, `(/4)`, before the one with `(%4)`"),
        );
    }
    whole
}

/// The last row so far that belongs to the loop of row `whole`.
fn last_part(found: &[Strips], whole: usize) -> Option<usize> {
    found.iter().rposition(|strips| strips.part_of == Some(whole)).or(Some(whole))
}

/// The range that the suffixes of a row take; the whole loop where it has none.
fn digits_of(row: &SoftRow, report: &mut Report) -> Digits {
    let mut digits = Digits { low: 1, high: None };
    for strip in &row.strips {
        let (Strip::Quotient(size) | Strip::Remainder(size)) = *strip;
        let Some(bound) = digits.low.checked_mul(size) else {
            let message = "the sizes of a row are too large together";
            report.error(DiagnosticId::ValueOutOfRange, row.span, message, "");
            return digits;
        };
        match strip {
            Strip::Quotient(_) => digits.low = bound,
            Strip::Remainder(_) => {
                let smaller = digits.high.map_or(bound, |high| high.min(bound));
                divides(smaller, digits.high.unwrap_or(bound).max(bound), row, report);
                digits.high = Some(smaller);
            }
        }
    }
    divides(digits.low, digits.high.unwrap_or(digits.low), row, report);
    if digits.high.is_some_and(|high| high <= digits.low) {
        let message = "nothing is left of the row";
        report.error(DiagnosticId::ContradictoryEntries, row.span, message, "it is always zero");
    }
    digits
}

/// Reports sizes that do not divide each other: then a quotient of a remainder is no part of the loop's tiles.
fn divides(small: i64, large: i64, row: &SoftRow, report: &mut Report) {
    if large % small != 0 {
        let message = "a size of the row does not divide the next larger one";
        let label = format!("{large} is no multiple of {small}");
        report.error(DiagnosticId::ContradictoryEntries, row.span, message, label);
    }
}

/// Where a row goes in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The depth of its node.
    pub(super) depth: usize,
    /// Whether it is a part of a row further out, whose depth it has.
    pub(super) is_part: bool,
}

/// The place of the rows of each number. All statements must agree, but for rows that ask for nothing but zeros.
pub(super) fn places(
    constraints: &[SoftConstraint],
    all: &[Vec<Strips>],
    report: &mut Report,
) -> Vec<Place> {
    let n_rows = all.iter().map(Vec::len).max().unwrap_or(0);
    let mut places: Vec<Place> = Vec::new();
    for number in 0..n_rows {
        let part_of = leader(constraints, all, number, report);
        let next = places.iter().map(|place| place.depth + 1).max().unwrap_or(0);
        let whole = part_of.and_then(|whole| places.get(whole));
        let depth = whole.map_or(next, |place| place.depth);
        places.push(Place { depth, is_part: whole.is_some() });
    }
    places
}

/// What the rows of one number are a part of, with messages on those that differ from the first.
fn leader(
    constraints: &[SoftConstraint],
    all: &[Vec<Strips>],
    number: usize,
    report: &mut Report,
) -> Option<usize> {
    let rows = constraints.iter().zip(all).filter_map(|(constraint, strips)| {
        Some((constraint, constraint.rows.get(number)?, strips.get(number)?))
    });
    let mut rows = rows.filter(|(_, row, _)| !is_neutral(row)).peekable();
    let (_, first, strips) = *rows.peek()?;
    for (_, row, other) in rows {
        if other != strips {
            let message = "the statements strip-mine different loops";
            let diagnostic = report.at(DiagnosticId::ContradictoryEntries, row.span, message, "");
            report.push(diagnostic.also(first.span, "another one here"));
        }
    }
    let whole = strips.part_of?;
    for constraint in constraints {
        let rows = (constraint.rows.get(number), constraint.rows.get(whole));
        if let (Some(row), Some(before)) = rows
            && is_neutral(row)
            && !is_neutral(before)
        {
            let message = "the row has no part in a loop that others strip-mine";
            let diagnostic = report.at(DiagnosticId::ContradictoryEntries, row.span, message, "");
            report.push(diagnostic.also(first.span, "another one here"));
        }
    }
    Some(whole)
}

/// Whether a row imposes nothing but zeros, so that it fits any strip-mining of others.
fn is_neutral(row: &SoftRow) -> bool {
    let is_zero = |entry: &Entry| matches!(entry, Entry::Free | Entry::Imposed(0));
    row.strips.is_empty() && row.entries.iter().all(is_zero)
}
