//! Directives: wishes for single loops, followed where that is legal.
//!
//! A loop to vectorize is kept out of all rows but the last, which it has for itself, behind a distribution that puts its
//! statement apart. A parallel loop is tried first in each row. What came out is checked; a directive that failed is
//! dropped, and the schedule made anew.

use crate::Result;
use crate::coefficient::Coefficient;
use crate::config::{Config, Directive, DirectiveKind};
use crate::constraint::{Constraint, Origin, Term};
use crate::cost::strides;
use crate::plan::State;
use crate::report::{RowReport, ScheduleReport, Warning};
use crate::span::Span;
use farkas_deps::DepId;
use farkas_scop::{Scop, StmtId, Stride};
use farkas_solve::RowKind;
use std::collections::BTreeMap;

/// One directive for one statement.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Wish {
    kind: DirectiveKind,
    stmt: StmtId,
    /// The iterators to try, the best first; those before `at` failed.
    iterators: Vec<usize>,
    at: usize,
    /// Which directive of the user's it is; none for a loop that was found by itself.
    directive: Option<usize>,
    /// A dependence that made it fail.
    obstacle: Option<DepId>,
}

impl Wish {
    /// The iterator that is tried now; `None` when all failed.
    fn iterator(&self) -> Option<usize> {
        self.iterators.get(self.at).copied()
    }
}

/// All wishes of a strategy.
#[derive(Clone, Debug)]
pub(crate) struct Directives {
    wishes: Vec<Wish>,
    directives: Vec<Directive>,
}

impl Directives {
    /// The directives of `config`, and for statements without a loop to vectorize the loops found, where it asks for that.
    pub(crate) fn new(config: &Config, scop: &Scop) -> Result<Self> {
        let mut wishes = Vec::new();
        for (number, directive) in config.directives.iter().enumerate() {
            for &stmt in &directive.stmts {
                wishes.push(Wish {
                    kind: directive.kind,
                    stmt,
                    iterators: vec![directive.iterator],
                    at: 0,
                    directive: Some(number),
                    obstacle: None,
                });
            }
        }
        if config.auto_vectorization {
            let is_taken = |stmt: StmtId| {
                wishes.iter().any(|w| w.stmt == stmt && w.kind == DirectiveKind::Vectorize)
            };
            let free: Vec<StmtId> = scop.stmts().ids().filter(|&stmt| !is_taken(stmt)).collect();
            for stmt in free {
                wishes.push(Wish {
                    kind: DirectiveKind::Vectorize,
                    stmt,
                    iterators: contiguous_iterators(scop, stmt)?,
                    at: 0,
                    directive: None,
                    obstacle: None,
                });
            }
        }
        Ok(Self { wishes, directives: config.directives.clone() })
    }

    /// The wishes that are alive for statements of the group: their number, the statement's position, the iterator.
    fn alive<'a>(
        &'a self,
        state: &'a State<'_>,
        kind: DirectiveKind,
    ) -> impl Iterator<Item = (usize, usize, usize)> {
        let of_kind = self.wishes.iter().enumerate().filter(move |(_, wish)| wish.kind == kind);
        of_kind.filter_map(|(number, wish)| {
            let at = state.group.stmts.binary_search(&wish.stmt).ok()?;
            Some((number, at, wish.iterator()?))
        })
    }

    /// Vector loops that are still to come: the statement's position, the iterator, and whether its turn is now.
    fn vector_loops<'a>(
        &'a self,
        state: &'a State<'_>,
    ) -> impl Iterator<Item = (usize, usize, usize, bool)> + 'a {
        self.alive(state, DirectiveKind::Vectorize).filter_map(|(number, at, iterator)| {
            let span = &state.spans[at];
            let is_open = !span.contains(&unit(span.n_dims(), iterator));
            is_open.then(|| (number, at, iterator, span.n_dims() - span.rank() == 1))
        })
    }

    /// Keeps loops to vectorize out of the row, or alone in it where their turn is now.
    pub(crate) fn constraints(&self, state: &State<'_>) -> Vec<Constraint> {
        let mut constraints = Vec::new();
        for (number, at, iterator, is_now) in self.vector_loops(state) {
            let n = state.spans[at].n_dims();
            let fixed = (0..n).filter(|&i| (i == iterator) != is_now);
            let stmt = state.group.stmts[at];
            constraints.extend(fixed.map(|i| zero(stmt, i, number)));
        }
        constraints
    }

    /// Statements whose vector loop comes now: they share it with nobody.
    pub(crate) fn unfused(&self, state: &State<'_>) -> Vec<StmtId> {
        let now = self.vector_loops(state).filter(|(.., is_now)| *is_now);
        now.map(|(_, at, ..)| state.group.stmts[at]).collect()
    }

    /// Whether a vector loop comes now, which is no member of the band so far.
    pub(crate) fn ends_band(&self, state: &State<'_>) -> bool {
        self.vector_loops(state).any(|(.., is_now)| is_now)
    }

    /// What makes the row that of the parallel loops of the group's statements: for each the first that is left.
    pub(crate) fn parallel_row(&self, state: &State<'_>) -> Vec<Constraint> {
        let mut first: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (number, at, iterator) in self.alive(state, DirectiveKind::Parallel) {
            let span = &state.spans[at];
            if !span.contains(&unit(span.n_dims(), iterator)) {
                first.entry(at).or_insert((number, iterator));
            }
        }
        let mut constraints = Vec::new();
        for (at, (number, iterator)) in first {
            let stmt = state.group.stmts[at];
            for i in 0..state.spans[at].n_dims() {
                if i == iterator {
                    constraints.push(at_least_one(stmt, i, number));
                } else {
                    constraints.push(zero(stmt, i, number));
                }
            }
        }
        constraints
    }

    /// Drops what did not come true: the last directive of the user's, else all loops that were found by themselves.
    /// Says whether there was one, which makes another run worth while.
    pub(crate) fn check(&mut self, report: &ScheduleReport) -> bool {
        let failed: Vec<(usize, Option<DepId>)> = (0..self.wishes.len())
            .filter_map(|number| Some((number, self.obstacle(number, report)?)))
            .collect();
        let users = |&(number, _): &(usize, Option<DepId>)| self.wishes[number].directive.is_some();
        match failed.iter().rev().copied().find(users) {
            Some((number, obstacle)) => self.fail(number, obstacle),
            None => {
                failed.iter().for_each(|&(number, obstacle)| {
                    self.fail(number, obstacle);
                });
                !failed.is_empty()
            }
        }
    }

    /// What keeps a wish from coming true, where it did not.
    fn obstacle(&self, number: usize, report: &ScheduleReport) -> Option<Option<DepId>> {
        let wish = &self.wishes[number];
        let iterator = wish.iterator()?;
        let outcome = match wish.kind {
            DirectiveKind::Vectorize => innermost_is(report, wish.stmt, iterator),
            DirectiveKind::Parallel => has_parallel(report, wish.stmt, iterator),
            DirectiveKind::Sequential => Ok(()),
        };
        outcome.err()
    }

    /// Gives up what wish `number` tries now.
    pub(crate) fn fail(&mut self, number: usize, obstacle: Option<DepId>) -> bool {
        let Some(wish) = self.wishes.get_mut(number) else { return false };
        wish.at += 1;
        wish.obstacle = obstacle;
        true
    }

    /// Gives up every wish that restricts rows.
    pub(crate) fn abandon(&mut self) {
        let restricts = |wish: &&mut Wish| wish.kind != DirectiveKind::Sequential;
        self.wishes.iter_mut().filter(restricts).for_each(|wish| wish.at = wish.iterators.len());
    }

    /// The directives of the user's that were dropped.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let failed = self.wishes.iter().filter(|wish| wish.iterator().is_none());
        let of = |wish: &Wish| {
            let directive = &self.directives[wish.directive?];
            Some(Warning::DirectiveDropped {
                stmts: vec![wish.stmt],
                kind: directive.kind,
                iterator: directive.iterator,
                origin: directive.origin,
                dep: wish.obstacle,
            })
        };
        failed.filter_map(of).collect()
    }
}

/// The unit vector of an iterator.
fn unit(n_dims: usize, iterator: usize) -> Vec<i64> {
    (0..n_dims).map(|i| i64::from(i == iterator)).collect()
}

/// The coefficient of an iterator is zero, for the wish with this number.
fn zero(stmt: StmtId, iterator: usize, wish: usize) -> Constraint {
    constraint(stmt, iterator, RowKind::Equality, 0, wish)
}

/// The coefficient of an iterator is positive.
fn at_least_one(stmt: StmtId, iterator: usize, wish: usize) -> Constraint {
    constraint(stmt, iterator, RowKind::Inequality, -1, wish)
}

/// A constraint on the coefficient of an iterator.
fn constraint(
    stmt: StmtId,
    iterator: usize,
    kind: RowKind,
    constant: i64,
    wish: usize,
) -> Constraint {
    let term = Term::Coefficient(stmt, Coefficient::Iterator(iterator));
    let origin = Some(Origin::Directive(wish));
    Constraint { kind, terms: vec![(term, 1)], constant, origin, in_sequences: false }
}

/// The row of a statement in a report, if it has one there.
fn row_of(row: &RowReport, stmt: StmtId) -> Option<&[i64]> {
    row.row_of(stmt).map(|row| row.iterators.as_slice())
}

/// Whether the innermost loop of a statement is over `iterator` and free of dependences; else what is in the way.
fn innermost_is(
    report: &ScheduleReport,
    stmt: StmtId,
    iterator: usize,
) -> std::result::Result<(), Option<DepId>> {
    let mut innermost: Option<&RowReport> = None;
    let mut span: Option<Span> = None;
    for row in &report.rows {
        let Some(iterators) = row_of(row, stmt) else { continue };
        let span = span.get_or_insert_with(|| Span::new(iterators.len()));
        if span.insert(iterators) {
            innermost = Some(row);
        }
    }
    // A statement without rows is ordered in another way.
    let Some(row) = innermost else { return Err(None) };
    let is_over = row_of(row, stmt).is_some_and(|row| row.get(iterator).is_some_and(|&c| c != 0));
    if is_over && row.coincident { Ok(()) } else { Err(row.carrier) }
}

/// Whether a loop over `iterator` alone is parallel; else what is in the way.
fn has_parallel(
    report: &ScheduleReport,
    stmt: StmtId,
    iterator: usize,
) -> std::result::Result<(), Option<DepId>> {
    let mut obstacle = None;
    for row in &report.rows {
        let Some(iterators) = row_of(row, stmt) else { continue };
        let over = iterators.iter().enumerate().filter(|(_, c)| **c != 0).map(|(i, _)| i);
        let over: Vec<usize> = over.collect();
        if over == [iterator] && row.coincident {
            return Ok(());
        }
        if over.contains(&iterator) {
            obstacle = obstacle.or(row.carrier);
        }
    }
    Err(obstacle)
}

/// The iterators of a statement that some access moves through memory by single elements, the best first: those with more
/// such accesses, then with fewer that jump, then the inner ones.
pub fn contiguous_iterators(scop: &Scop, stmt: StmtId) -> Result<Vec<usize>> {
    let statement = &scop.stmts()[stmt];
    let depth = statement.depth();
    let mut counts = vec![(0_usize, 0_usize); depth];
    for access in &statement.accesses {
        for (count, stride) in counts.iter_mut().zip(strides(access, depth)?) {
            match stride {
                Stride::Contiguous => count.0 += 1,
                Stride::Strided => count.1 += 1,
                Stride::Invariant => {}
            }
        }
    }
    let mut iterators: Vec<usize> = (0..depth).filter(|&i| counts[i].0 > 0).collect();
    iterators.sort_by_key(|&i| (std::cmp::Reverse(counts[i].0), counts[i].1, std::cmp::Reverse(i)));
    Ok(iterators)
}
