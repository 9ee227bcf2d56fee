//! Which rows of AKG's flat form are parts of one loop.
//!
//! Rows with the same coefficients share an affine row; what their suffixes take of it are ranges of digits, as it were:
//! `(/4)` those from 4 on, `(%4)` those below. The rows of one loop must take ranges that follow each other downward.

use super::akg::{SoftConstraint, SoftRow, Strip};
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
                let label = format!(
                    "{} goes here",
                    expected.map_or(String::new(), |low| format!("`%{low}`"))
                );
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
                digits.high = Some(digits.high.map_or(bound, |high| high.min(bound)))
            }
        }
    }
    if digits.high.is_some_and(|high| high <= digits.low) {
        let message = "nothing is left of the row";
        report.error(DiagnosticId::ContradictoryEntries, row.span, message, "it is always zero");
    }
    digits
}

/// The depth of each row among those that stay: parts of others go where those are. All statements must agree.
pub(super) fn depths(
    constraints: &[SoftConstraint],
    all: &[Vec<Strips>],
    report: &mut Report,
) -> Vec<usize> {
    let n_rows = all.iter().map(Vec::len).max().unwrap_or(0);
    let mut depths: Vec<usize> = Vec::new();
    let mut next = 0;
    for number in 0..n_rows {
        let mut parts = constraints.iter().zip(all).filter_map(|(constraint, strips)| {
            Some((constraint.rows.get(number)?, strips.get(number)?.part_of))
        });
        let first = parts.next();
        for (row, part_of) in parts {
            if first.is_some_and(|(_, other)| other != part_of) {
                let message = "the statements strip-mine different loops";
                let diagnostic =
                    report.at(DiagnosticId::ContradictoryEntries, row.span, message, "");
                let other = first.map(|(row, _)| row.span);
                report.push(
                    other.into_iter().fold(diagnostic, |d, span| d.also(span, "another one here")),
                );
            }
        }
        match first.and_then(|(_, part_of)| part_of).and_then(|whole| depths.get(whole)) {
            Some(depth) => depths.push(*depth),
            None => {
                depths.push(next);
                next += 1;
            }
        }
    }
    depths
}
