//! Lanes that walk through several places of memory at once.
//!
//! Processors fetch ahead page by page. In a long loop that does nothing but read, some lanes begin at the first iteration, some at a quarter of
//! them, and so on, so that several pages come at a time. From memory a sum takes .75 to 1.03 of the time that one walk takes, less where memory is slow, and in caches as much.
//!
//! **Source** Blom, Rietveld and van Nieuwpoort, "Multi-Strided Access Patterns to Boost Hardware Prefetching" (ICPE 2025).

use super::Printer;
use crate::backward::runs_backward;
use crate::reduction::Reduced;
use farkas_astgen::{Dialect, For, User};
use farkas_scop::AccessKind;

/// How many lanes walk side by side: a cache line of doubles.
pub(super) const SIDE_BY_SIDE: i64 = 8;

/// How far a walk goes at least, in bytes: through several pages, or what is fetched ahead is where another walk has been.
const LEAST_BYTES: i64 = 1 << 14;

/// How much a loop reads at most so that a core has all of it in flight at once, in bytes: some hundred instructions.
const SHORT_BYTES: i64 = 1 << 12;

/// The walks of the lanes of a loop.
pub(super) struct Walks {
    /// How many there are.
    pub(super) n: i64,
    /// Iterations of the loop from which on they lie far apart; with fewer, they are side by side. `None` where there always are fewer.
    pub(super) least: Option<i64>,
    /// Iterations of the loop from which on a core has no more all of them in flight at once.
    pub(super) short: i64,
    /// The variable that counts walks.
    pub(super) walk: String,
    /// The variables that say how many iterations each lane has, how many iterations lie between two walks, how many a walk goes on at a
    /// time, and how many it has gone.
    per_lane: String,
    between: String,
    step: String,
    at: String,
}

/// The text of walks.
pub(super) struct Text {
    /// The lines in front of the loop over walks, the last of which is the head of the loop around it.
    pub(super) before: Vec<String>,
    /// The head of that loop.
    pub(super) each: String,
    /// The line behind them.
    pub(super) after: Option<String>,
    /// The iteration that is first among the lanes of a walk.
    pub(super) from: String,
}

impl Printer<'_> {
    /// The walks of so many lanes of a loop that has `most` iterations, reads memory and writes none but what its lanes gather; `None` for
    /// other loops.
    pub(super) fn walks(
        &self,
        node: &For,
        all: &[Reduced<'_>],
        (n_lanes, most): (i64, Option<i64>),
    ) -> Option<Walks> {
        let n = n_lanes / SIDE_BY_SIDE;
        let bytes = self.least_read(node, all)?;
        let (least, short) = (n * LEAST_BYTES / bytes, SHORT_BYTES / bytes);
        // Otherwise the type of the iterator may not hold how many iterations there are.
        let is_counted = self.c.expr(&node.first).value.least >= 0;
        if runs_backward(self.scop, node) {
            return None;
        }
        let least =
            Some(least).filter(|least| is_counted && most.is_none_or(|most| most >= *least));
        let [walk, per_lane, between, step, at] = ["walk", "each", "between", "step", "at"]
            .map(|plain| self.c.name(&format!("farkas_{plain}")));
        Some(Walks { n, least, short, walk, per_lane, between, step, at })
    }

    /// The bytes of the smallest elements that a loop reads; `None` where it writes others than those that its lanes have copies of.
    fn least_read(&self, node: &For, all: &[Reduced<'_>]) -> Option<i64> {
        let (mut least, mut writes) = (None, false);
        let mut look = |user: &User| {
            for access in &self.scop.stmts()[user.stmt].accesses {
                let array = &self.scop.arrays()[access.array];
                if array.rank() == 0 || all.iter().any(|one| one.array == access.array) {
                    continue;
                }
                writes |= access.kind.is_write();
                if access.kind == AccessKind::Read {
                    let bytes = array.element.kind.size_bytes().map(i64::from);
                    least = least.into_iter().chain(bytes).min();
                }
            }
        };
        node.body.iter().for_each(|inner| inner.for_each_user(&mut look));
        least.filter(|_| !writes)
    }
}

impl Walks {
    /// The text of the walks of a loop, of whose type `ty` its variables are; `done` counts its iterations up to `end`, and `more` holds
    /// while there are some for all lanes.
    pub(super) fn text(
        &self,
        node: &For,
        (ty, done): (&str, &str),
        (end, more): (&str, &str),
    ) -> Text {
        let Self { n, least, walk, per_lane, between, step, at, .. } = self;
        let n_lanes = n * SIDE_BY_SIDE;
        let each = format!("for (int {walk} = 0; {walk} < {n}; {walk}++)");
        let Some(least) = least else {
            let head = format!("for (; {more}; {done} += {n_lanes})");
            let from = format!("{done} + {SIDE_BY_SIDE} * {walk}");
            return Text { before: vec![head], each, after: None, from };
        };
        if let Some(all) = node.end.minus(&node.first).as_int() {
            let far = all / n_lanes * SIDE_BY_SIDE;
            let head = format!("for ({ty} {at} = 0; {at} < {far}; {at} += {SIDE_BY_SIDE})");
            let after = format!("{done} += {};", n * far);
            let from = format!("{done} + {walk} * {far} + {at}");
            return Text { before: vec![head], each, after: Some(after), from };
        }
        let is_short = format!("{per_lane} < {}", least / n_lanes);
        let before = vec![
            format!("{ty} {per_lane} = ({end} - {done}) / {n_lanes};"),
            format!("{ty} {between} = {is_short} ? {SIDE_BY_SIDE} : {SIDE_BY_SIDE} * {per_lane};"),
            format!("{ty} {step} = {is_short} ? {n_lanes} : {SIDE_BY_SIDE};"),
            format!("for ({ty} {at} = 0; {at} < {per_lane} * {step}; {at} += {step})"),
        ];
        let after = format!("{done} += {n_lanes} * {per_lane};");
        let from = format!("{done} + {walk} * {between} + {at}");
        Text { before, each, after: Some(after), from }
    }
}
