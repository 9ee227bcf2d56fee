//! Sees without isl that a tree keeps conflicting pairs in order, for most pairs of most trees.
//!
//! A pair of accesses becomes a [`System`] over source instance, sink instance and parameters: both domains, equal
//! elements, source before sink. Going down the tree, each loop's difference of dates (sink minus source) is bounded
//! from below: a positive bound ends the descent, zero adds that the difference is zero, anything else gives up. All
//! is an over-approximation of the pairs, so that a success is a proof; a failure says nothing.

use super::plan::Plan;
use crate::Result;
use crate::analysis::{Prepared, Reference};
use crate::difference::{Bound, Columns, Left};
use crate::form::Form;
use crate::order::DateDim;
use crate::rows::{Row, System};
use farkas_base::IdVec;
use farkas_poly::LinearRow;
use farkas_scop::{AccessId, Scop, StmtId};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The most combinations of convex pieces of a pair that are worth a try.
const MAX_PIECES: usize = 8;

/// The rows of a scop.
pub(crate) struct Quick {
    /// The convex pieces of each domain.
    domains: IdVec<StmtId, Vec<Piece>>,
    /// The convex pieces of the relation of each access that is the first of its kind, over instance and element.
    accesses: HashMap<(StmtId, AccessId), Vec<Piece>>,
    /// The dates; `None` for a dimension without a form.
    dates: IdVec<StmtId, Vec<Option<Form>>>,
    depths: IdVec<StmtId, usize>,
    n_params: usize,
}

/// Equalities and inequalities of a convex set, without those that need divisions.
struct Piece {
    equalities: Vec<LinearRow>,
    inequalities: Vec<LinearRow>,
}

impl Quick {
    /// The rows of `scop`.
    pub(crate) fn of(scop: &Scop, prepared: &Prepared) -> Result<Self> {
        let mut domains = IdVec::new();
        let mut dates = IdVec::new();
        let mut accesses = HashMap::new();
        for (stmt, domain) in prepared.domains.iter_enumerated() {
            let mut pieces = Vec::new();
            for piece in domain.basic_sets()? {
                let rows = piece.constraints()?;
                let (equalities, inequalities) = (plain(rows.equalities), plain(rows.inequalities));
                pieces.push(Piece { equalities, inequalities });
            }
            domains.push(pieces);
            let n = scop.stmts()[stmt].depth() + scop.params().len() + 1;
            let forms: Result<Vec<Option<Form>>> =
                prepared.dates.dims(stmt).iter().map(|dim| form(prepared, dim, n)).collect();
            dates.push(forms?);
        }
        for reference in prepared.references.iter().flatten() {
            if reference.access == reference.like {
                let relation = &scop.stmts()[reference.stmt].accesses[reference.access].relation;
                let mut pieces = Vec::new();
                for piece in relation.align_params(&prepared.params)?.basic_maps()? {
                    let equalities = plain(piece.equalities()?);
                    pieces.push(Piece { equalities, inequalities: Vec::new() });
                }
                accesses.insert((reference.stmt, reference.access), pieces);
            }
        }
        let depths = scop.stmts().iter().map(farkas_scop::Statement::depth).collect();
        Ok(Self { domains, accesses, dates, depths, n_params: scop.params().len() })
    }

    /// Whether it can be seen that `plan` keeps all pairs of `source` and `sink` in order.
    pub(crate) fn proves(&self, plan: &Plan, source: &Reference, sink: &Reference) -> bool {
        let [from, to] = [source, sink].map(|r| &self.accesses[&(r.stmt, r.like)]);
        let (first, second) = (&self.domains[source.stmt], &self.domains[sink.stmt]);
        if from.len() * to.len() * first.len() * second.len() > MAX_PIECES {
            return false;
        }
        let elements = from.iter().flat_map(|a| to.iter().map(move |b| (a, b)));
        elements.into_iter().all(|(a, b)| {
            first.iter().all(|c| {
                second.iter().all(|d| {
                    let Some((columns, system)) = self.pairs(source, sink, [a, b, c, d]) else {
                        return false;
                    };
                    self.split_and_follow(plan, source.stmt, sink.stmt, columns, system)
                })
            })
        })
    }

    /// Pairs that touch the same element, from the convex pieces of both relations and both domains.
    fn pairs(
        &self,
        source: &Reference,
        sink: &Reference,
        [from, to, first, second]: [&Piece; 4],
    ) -> Option<(Columns, System)> {
        let (depth, other) = (self.depths[source.stmt], self.depths[sink.stmt]);
        let rank = from.equalities.first().map_or(0, |row| row.dims.len().saturating_sub(depth));
        let columns = Columns::new(rank, depth, other, self.n_params);
        let element: Vec<usize> = (0..rank).collect();
        let here: Vec<usize> = (columns.source..columns.sink).collect();
        let there: Vec<usize> = (columns.sink..columns.params).collect();
        let mut system = System::default();
        for (piece, dims) in [
            (from, [&here[..], &element].concat()),
            (to, [&there[..], &element].concat()),
            (first, here.clone()),
            (second, there.clone()),
        ] {
            for row in &piece.equalities {
                system.add_equality(&columns.place(row, &dims)?);
            }
        }
        for (piece, dims) in [(first, &here), (second, &there)] {
            for row in &piece.inequalities {
                system.add_inequality(&columns.place(row, dims)?);
            }
        }
        Some((columns, system))
    }

    /// Follows those of the pairs whose source comes before the sink, apart by the dimension of the dates that decides.
    fn split_and_follow(
        &self,
        plan: &Plan,
        source: StmtId,
        sink: StmtId,
        columns: Columns,
        mut system: System,
    ) -> bool {
        for pair in self.dates[source].iter().zip(&self.dates[sink]) {
            let (Some(from), Some(to)) = pair else { return false };
            let Some(linear) = columns.linear_difference(from, to) else { return false };
            let Some(later) = linear.plus(-1) else { return false };
            let mut before = system.clone();
            before.add_inequality(&later);
            if !before.plain_is_empty() {
                let left = Left::new(before);
                if !follow(plan, source, sink, columns, left) {
                    return false;
                }
            }
            system.add_equality(&linear);
            if system.plain_is_empty() {
                break;
            }
        }
        true
    }
}

/// The rows without divisions.
fn plain(rows: Vec<LinearRow>) -> Vec<LinearRow> {
    rows.into_iter().filter(|row| row.divs.iter().all(|&c| c == 0)).collect()
}

/// The form of a date with `n` columns.
fn form(prepared: &Prepared, date: &DateDim, n: usize) -> Result<Option<Form>> {
    let linear = match date {
        DateDim::Constant(value) => Row::sparse(n, &[(n - 1, *value)]),
        DateDim::Iterator(i) => Row::sparse(n, &[(*i as usize, 1)]),
        DateDim::Other(date) => return Form::of(&date.align_params(&prepared.params)?),
    };
    Ok(Some(Form { linear: linear.0, floors: Vec::new() }))
}

/// Whether it can be seen that `plan`, which `left` reach, keeps them in order.
fn follow(plan: &Plan, source: StmtId, sink: StmtId, columns: Columns, mut left: Left) -> bool {
    match plan {
        Plan::Leaf { .. } => false,
        Plan::Band { concurrent, members, child, .. } => {
            for dates in members {
                let (Some(from), Some(to)) = (&dates[&source].form, &dates[&sink].form) else {
                    return false;
                };
                let Some(difference) = columns.difference(from, to) else { return false };
                match left.bound(columns, &difference) {
                    Bound::Zero => {}
                    Bound::AtLeast(1..) if concurrent.is_none() => return true,
                    Bound::AtLeast(0) if concurrent.is_none() => {
                        left.assume_zero(columns, &difference);
                        if left.plain_is_empty() {
                            return true;
                        }
                    }
                    Bound::AtLeast(_) | Bound::Unknown => return false,
                }
            }
            follow(child, source, sink, columns, left)
        }
        Plan::Fork { is_sequence, of, children, .. } => {
            let (Some([(i, None)]), Some([(j, None)])) =
                (of.get(&source).map(Vec::as_slice), of.get(&sink).map(Vec::as_slice))
            else {
                return false;
            };
            match i.cmp(j) {
                Ordering::Less => *is_sequence,
                Ordering::Equal => follow(&children[*i], source, sink, columns, left),
                Ordering::Greater => false,
            }
        }
    }
}
