//! Presolve: unknowns that the rows force to be equal become one, unknowns that they force to zero become none.
//!
//! In the scheduler's systems this is what makes one large component small. Where a parameter is unbounded, Farkas'
//! lemma gives rows like `d_target - d_source >= 0` for each dependence; around a cycle of dependences they make all
//! `d` equal, after which `c_target - c_source + d_target - d_source >= 0` does the same for all `c`, and so on.

use crate::number::{Number, Overflow};
use crate::scc::components;
use crate::{Row, RowKind};

/// Rounds of finding equal unknowns; the scheduler's systems take three or four.
const MAX_ROUNDS: usize = 12;

/// Which unknown of the engine stands for each unknown of the problem.
///
/// The engine's unknowns keep the order in which the first of those that each stands for comes, so the lexicographic
/// minimum of the one is that of the other: where unknowns are equal, the first decides every comparison.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    /// Per unknown of the problem, that of the engine; `None` where it is zero in every solution.
    targets: Vec<Option<usize>>,
    n_targets: usize,
}

/// How many unknowns there were on each side at some time.
pub(crate) type MergeMark = (usize, usize);

impl Merge {
    /// What `rows` over `n_vars` unknowns allow.
    pub(crate) fn of_rows<'a>(
        n_vars: usize,
        rows: impl Iterator<Item = (RowKind, &'a Row)>,
    ) -> Self {
        let mut finder = Finder::new(n_vars, rows);
        let _ = (0..MAX_ROUNDS).find(|_| !finder.round());
        finder.finish()
    }

    /// How many unknowns the engine has.
    pub(crate) fn n_targets(&self) -> usize {
        self.n_targets
    }

    /// The engine's unknown for `var`, `None` where it is zero.
    pub(crate) fn target(&self, var: usize) -> Option<usize> {
        self.targets[var]
    }

    /// One more unknown on both sides.
    pub(crate) fn add_var(&mut self) {
        self.targets.push(Some(self.n_targets));
        self.n_targets += 1;
    }

    /// The state for [`Merge::truncate`].
    pub(crate) fn mark(&self) -> MergeMark {
        (self.targets.len(), self.n_targets)
    }

    /// Forgets the unknowns added since `mark`.
    pub(crate) fn truncate(&mut self, mark: MergeMark) {
        self.targets.truncate(mark.0);
        self.n_targets = mark.1;
    }

    /// The terms of `row` over the engine's unknowns, by unknown, written into `terms`.
    pub(crate) fn translate<N: Number>(
        &self,
        row: &Row,
        terms: &mut Vec<(usize, N)>,
    ) -> Result<(), Overflow> {
        use farkas_base::Id;
        terms.clear();
        for &(var, coefficient) in row.terms() {
            if let Some(target) = self.targets[var.index()] {
                terms.push((target, N::from_i64(coefficient)));
            }
        }
        if !terms.is_sorted_by(|a, b| a.0 < b.0) {
            terms.sort_by_key(|term| term.0);
            sum_neighbours(terms)?;
        }
        Ok(())
    }
}

/// Sums the neighbouring terms of one unknown and drops those that cancel.
fn sum_neighbours<N: Number>(terms: &mut Vec<(usize, N)>) -> Result<(), Overflow> {
    let mut outcome = Ok(());
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            match kept.1.add(&next.1) {
                Ok(sum) => kept.1 = sum,
                Err(overflow) => outcome = Err(overflow),
            }
        }
        same
    });
    terms.retain(|term| !term.1.is_zero());
    outcome
}

/// A row in the finder: its terms lie in one long list.
#[derive(Clone, Copy, Debug)]
struct Span {
    kind: RowKind,
    start: usize,
    end: usize,
    constant: i64,
}

/// Finds equal and zero unknowns, round by round, on rows that shrink as unknowns merge.
#[derive(Debug)]
struct Finder {
    /// Per unknown, the first one known to be equal.
    heads: Vec<usize>,
    /// Per unknown, whether it is known to be zero; meant for heads.
    zero: Vec<bool>,
    terms: Vec<(usize, i64)>,
    spans: Vec<Span>,
    /// Room for one row's sums: zero outside a call.
    sums: Vec<i64>,
}

impl Finder {
    /// The start: nothing merged.
    fn new<'a>(n_vars: usize, rows: impl Iterator<Item = (RowKind, &'a Row)>) -> Self {
        use farkas_base::Id;
        let (mut terms, mut spans) = (Vec::new(), Vec::new());
        for (kind, row) in rows {
            let start = terms.len();
            terms.extend(row.terms().iter().map(|term| (term.0.index(), term.1)));
            spans.push(Span { kind, start, end: terms.len(), constant: row.constant() });
        }
        Self {
            heads: (0..n_vars).collect(),
            zero: vec![false; n_vars],
            terms,
            spans,
            sums: vec![0; n_vars],
        }
    }

    /// One round; says whether it found anything.
    fn round(&mut self) -> bool {
        let mut edges = Vec::new();
        let mut found = false;
        for span in &self.spans {
            let terms = &self.terms[span.start..span.end];
            found |= zeros(terms, span.constant, 1, &mut self.zero);
            orders(terms, span.constant, 1, &mut edges);
            if span.kind == RowKind::Equality {
                found |= zeros(terms, span.constant, -1, &mut self.zero);
                orders(terms, span.constant, -1, &mut edges);
            }
        }
        found |= self.unite(&edges);
        if found {
            self.rewrite();
        }
        found
    }

    /// Makes the unknowns of each cycle of `edges` one; says whether there was a cycle.
    fn unite(&mut self, edges: &[(usize, usize)]) -> bool {
        if edges.is_empty() {
            return false;
        }
        let firsts = components(self.heads.len(), edges);
        let mut found = false;
        for var in 0..self.heads.len() {
            let head = firsts[self.heads[var]];
            found |= head != self.heads[var];
            if self.zero[self.heads[var]] {
                self.zero[head] = true;
            }
            self.heads[var] = head;
        }
        found
    }

    /// Writes all rows in terms of the heads. A row whose sums overflow is left out, which only finds less.
    fn rewrite(&mut self) {
        let (mut spans, mut terms) = (Vec::new(), Vec::new());
        for span in std::mem::take(&mut self.spans) {
            let start = terms.len();
            if self.rewrite_row(span, &mut terms).is_some() {
                spans.push(Span { start, end: terms.len(), ..span });
            } else {
                terms.truncate(start);
            }
        }
        (self.spans, self.terms) = (spans, terms);
    }

    /// Appends the row of `span` in terms of the heads; `None` when nothing is left of it or it overflows.
    fn rewrite_row(&mut self, span: Span, out: &mut Vec<(usize, i64)>) -> Option<()> {
        let first = out.len();
        let mut fits = true;
        for &(var, coefficient) in &self.terms[span.start..span.end] {
            let head = self.heads[var];
            if self.zero[head] {
                continue;
            }
            if self.sums[head] == 0 {
                out.push((head, 0));
            }
            match self.sums[head].checked_add(coefficient) {
                Some(sum) => self.sums[head] = sum,
                None => fits = false,
            }
        }
        for term in &mut out[first..] {
            term.1 = std::mem::take(&mut self.sums[term.0]);
        }
        let mut kept = first;
        for at in first..out.len() {
            if out[at].1 != 0 {
                out[kept] = out[at];
                kept += 1;
            }
        }
        out.truncate(kept);
        (fits && kept > first).then_some(())
    }

    /// The engine's unknowns: the heads that are not zero, in order.
    fn finish(self) -> Merge {
        let mut n_targets = 0;
        let mut targets: Vec<Option<usize>> = Vec::with_capacity(self.heads.len());
        for (var, &head) in self.heads.iter().enumerate() {
            targets.push(match () {
                () if self.zero[head] => None,
                () if head < var => targets[head],
                () => {
                    n_targets += 1;
                    Some(n_targets - 1)
                }
            });
        }
        Merge { targets, n_targets }
    }
}

/// Marks what `sign * (terms + constant) >= 0` forces to zero: with no positive term, each `x` whose coefficient is
/// larger than the constant. Says whether anything is new.
fn zeros(terms: &[(usize, i64)], constant: i64, sign: i64, zero: &mut [bool]) -> bool {
    let (Some(constant), false) = (constant.checked_mul(sign), has_positive(terms, sign)) else {
        return false;
    };
    let mut found = false;
    for &(var, coefficient) in terms {
        if constant >= 0 && coefficient.unsigned_abs() > constant.unsigned_abs() && !zero[var] {
            zero[var] = true;
            found = true;
        }
    }
    found
}

/// Whether `sign * terms` has a positive coefficient.
fn has_positive(terms: &[(usize, i64)], sign: i64) -> bool {
    terms.iter().any(|term| term.1.signum() == sign)
}

/// Collects pairs `(a, b)` with `x_a >= x_b` from `sign * (terms + constant) >= 0`: where `k x_a` is the only positive
/// term and the constant is not positive, for each `-m x_b` with `m >= k`, because all unknowns are at least zero.
fn orders(terms: &[(usize, i64)], constant: i64, sign: i64, edges: &mut Vec<(usize, usize)>) {
    let mut positive = terms.iter().filter(|term| term.1.signum() == sign);
    let (Some(&(larger, k)), None) = (positive.next(), positive.next()) else { return };
    if constant.signum() == sign {
        return;
    }
    let smaller = terms
        .iter()
        .filter(|term| term.1.signum() == -sign && term.1.unsigned_abs() >= k.unsigned_abs());
    edges.extend(smaller.map(|term| (larger, term.0)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_base::Id;

    /// The targets for inequalities given as terms and constant.
    fn check(n_vars: usize, rows: &[(&[(usize, i64)], i64)], expect: &[Option<usize>]) {
        let rows: Vec<Row> = rows
            .iter()
            .map(|(terms, b)| {
                Row::from_terms(terms.iter().map(|t| (crate::VarIdx::from_index(t.0), t.1)), *b)
            })
            .collect();
        let merge = Merge::of_rows(n_vars, rows.iter().map(|row| (RowKind::Inequality, row)));
        assert_eq!(merge.targets, expect);
    }

    #[test]
    fn a_cycle_is_one_unknown() {
        let cycle: &[(&[(usize, i64)], i64)] =
            &[(&[(1, 1), (2, -1)], 0), (&[(2, 1), (3, -1)], 0), (&[(3, 1), (1, -1)], 0)];
        check(5, cycle, &[Some(0), Some(1), Some(1), Some(1), Some(2)]);
    }

    #[test]
    fn a_merge_reveals_the_next() {
        let rows: &[(&[(usize, i64)], i64)] = &[
            (&[(0, 1), (1, -1)], 0),
            (&[(1, 2), (0, -2)], 0),
            (&[(0, 1), (1, -1), (2, 1), (3, -1)], 0),
            (&[(0, -1), (1, 1), (2, -1), (3, 1)], 0),
        ];
        check(4, rows, &[Some(0), Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn zero_spreads() {
        check(3, &[(&[(0, -2)], 1), (&[(0, 1), (1, -1), (2, -1)], 0)], &[None, None, None]);
        check(2, &[(&[(0, -1), (1, -1)], 1)], &[Some(0), Some(1)]);
    }

    #[test]
    fn a_chain_stays() {
        check(3, &[(&[(0, 1), (1, -1)], 0), (&[(1, 1), (2, -1)], 0)], &[Some(0), Some(1), Some(2)]);
        check(2, &[(&[(0, 2), (1, -1)], 0), (&[(1, 2), (0, -1)], 0)], &[Some(0), Some(1)]);
    }
}
