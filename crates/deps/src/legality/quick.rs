//! Sees without isl that a tree keeps conflicting pairs in order, for most pairs of most trees.
//!
//! A pair of accesses becomes a [`System`] over source instance, sink instance and parameters: both domains, equal
//! elements, source before sink. Going down the tree, each loop's difference of dates (sink minus source) is bounded
//! from below: a positive bound ends the descent, zero adds that the difference is zero, anything else gives up. All
//! is an over-approximation of the pairs, so that a success is a proof; a failure says nothing.

use super::plan::Plan;
use crate::Result;
use crate::analysis::{Prepared, Reference};
use crate::form::{Floor, Form};
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

/// The first columns of the parts of a pair's rows: element, source, sink, parameters, and their number.
#[derive(Clone, Copy)]
struct Columns {
    source: usize,
    sink: usize,
    params: usize,
    n: usize,
}

/// The difference of two dates, sink minus source.
struct Difference<'a> {
    linear: Row,
    floors: Vec<FloorPair<'a>>,
}

/// Rounded terms of sink and source with the same factor and denominator.
#[derive(Clone, Copy, PartialEq)]
struct FloorPair<'a> {
    source: &'a Floor,
    sink: &'a Floor,
}

/// The pairs that reach a node.
#[derive(Clone)]
struct Left<'a> {
    system: System,
    /// Rounded terms that are equal on all of them.
    equal: Vec<FloorPair<'a>>,
}

/// What a loop does to pairs.
enum Step {
    /// Orders all of them.
    Ordered,
    /// Orders some and leaves the rest.
    Passed,
    /// This cannot be seen.
    Unknown,
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
        let columns = Columns {
            source: rank,
            sink: rank + depth,
            params: rank + depth + other,
            n: rank + depth + other + self.n_params + 1,
        };
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
            let Some(Difference { linear, floors }) = columns.difference(from, to) else {
                return false;
            };
            if !floors.is_empty() {
                return false;
            }
            let Some(later) = linear.plus(-1) else { return false };
            let mut before = system.clone();
            before.add_inequality(&later);
            if !before.plain_is_empty() {
                let left = Left { system: before, equal: Vec::new() };
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
fn follow<'a>(
    plan: &'a Plan,
    source: StmtId,
    sink: StmtId,
    columns: Columns,
    mut left: Left<'a>,
) -> bool {
    match plan {
        Plan::Leaf { .. } => false,
        Plan::Band { concurrent, members, child, .. } => {
            for dates in members {
                let (Some(from), Some(to)) = (&dates[&source].form, &dates[&sink].form) else {
                    return false;
                };
                let Some(difference) = columns.difference(from, to) else { return false };
                match left.step(columns, difference, concurrent.is_some()) {
                    Step::Ordered => return true,
                    Step::Passed if left.system.plain_is_empty() => return true,
                    Step::Passed => {}
                    Step::Unknown => return false,
                }
            }
            follow(child, source, sink, columns, left)
        }
        Plan::Fork { is_sequence, of, children, .. } => {
            let ([(i, None)], [(j, None)]) = (&of[&source][..], &of[&sink][..]) else {
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

impl Columns {
    /// An isl row, its dimensions at the columns `dims`; `None` where they do not fit.
    fn place(self, row: &LinearRow, dims: &[usize]) -> Option<Row> {
        if row.dims.len() != dims.len() || self.params + row.params.len() + 1 != self.n {
            return None;
        }
        let mut placed = vec![0; self.n];
        dims.iter().zip(&row.dims).for_each(|(&column, &value)| placed[column] = value);
        placed[self.params..self.n - 1].copy_from_slice(&row.params);
        placed[self.n - 1] = row.constant;
        Some(Row(placed))
    }

    /// A row over an instance whose dimensions start at column `first`.
    fn instance(self, row: &[i64], first: usize) -> Row {
        let depth = row.len() - (self.n - self.params);
        let mut placed = vec![0; self.n];
        placed[first..first + depth].copy_from_slice(&row[..depth]);
        placed[self.params..].copy_from_slice(&row[depth..]);
        Row(placed)
    }

    /// The difference of a row over the sink and a row over the source.
    fn minus(self, sink: &[i64], source: &[i64]) -> Option<Row> {
        self.instance(sink, self.sink).minus(&self.instance(source, self.source))
    }

    /// The difference of two dates; `None` where their rounded terms do not match.
    fn difference<'a>(self, source: &'a Form, sink: &'a Form) -> Option<Difference<'a>> {
        let linear = self.minus(&sink.linear, &source.linear)?;
        let mut open: Vec<&Floor> = source.floors.iter().collect();
        let mut floors = Vec::new();
        for floor in &sink.floors {
            let like = |other: &&Floor| {
                other.factor == floor.factor && other.denominator == floor.denominator
            };
            let found = open.iter().position(like)?;
            floors.push(FloorPair { source: open.remove(found), sink: floor });
        }
        open.is_empty().then_some(Difference { linear, floors })
    }
}

impl<'a> Left<'a> {
    /// What a loop with these dates does, whose iterations run at the same time if `is_concurrent`.
    fn step(&mut self, columns: Columns, difference: Difference<'a>, is_concurrent: bool) -> Step {
        let Some(linear) = self.system.lower_bound(&difference.linear) else {
            return Step::Unknown;
        };
        let is_linear_zero = self.system.value(&difference.linear) == Some(0);
        let mut lower = linear;
        let mut rounded = Vec::new();
        for pair in difference.floors {
            match self.rounded(columns, pair) {
                Some(Rounded::Equal) => {}
                Some(Rounded::AtLeast(bound)) if pair.sink.factor > 0 => {
                    let Some(sum) = bound
                        .checked_mul(pair.sink.factor)
                        .and_then(|more| lower.checked_add(more))
                    else {
                        return Step::Unknown;
                    };
                    lower = sum;
                    rounded.push((pair, bound));
                }
                _ => return Step::Unknown,
            }
        }
        let is_zero = is_linear_zero && rounded.is_empty();
        match lower {
            _ if is_zero => Step::Passed,
            _ if is_concurrent || lower < 0 => Step::Unknown,
            0 => {
                // A sum of terms of which none is negative is zero only where each of them is.
                if linear >= 0 && rounded.iter().all(|(_, bound)| *bound >= 0) {
                    self.system.add_equality(&difference.linear);
                    self.equal.extend(rounded.into_iter().map(|(pair, _)| pair));
                }
                Step::Passed
            }
            _ => Step::Ordered,
        }
    }

    /// The difference of two rounded terms, without their factor.
    fn rounded(&self, columns: Columns, pair: FloorPair<'a>) -> Option<Rounded> {
        if self.equal.contains(&pair) {
            return Some(Rounded::Equal);
        }
        let difference = columns.minus(&pair.sink.numerator, &pair.source.numerator)?;
        if self.system.value(&difference) == Some(0) {
            return Some(Rounded::Equal);
        }
        let bound = self.system.lower_bound(&difference)?;
        Some(Rounded::AtLeast(bound.div_euclid(pair.sink.denominator)))
    }
}

/// The difference of two rounded terms.
enum Rounded {
    Equal,
    AtLeast(i64),
}
