//! Whether the user's constraints hold of rows that are given: those of sequences, and those that came out.

use crate::coefficient::Coefficient;
use crate::config::Dimension;
use crate::constraint::{Constraint, Demand, Origin, Term};
use crate::options::ScheduleOptions;
use crate::plan::Strategy;
use crate::report::{ScheduleReport, Warning};
use crate::{Error, Result, Scheduled, StmtRow};
use farkas_base::{Budget, Id};
use farkas_scop::StmtId;
use farkas_solve::{Lexmin, Outcome, Row, RowKind, SolveError, Solver, VarIdx};
use std::collections::{BTreeMap, BTreeSet};

/// The origins of those of `constraints` that rows with these coefficients break: each that breaks by itself; where there
/// is none, an irreducible set that no values of the variables in them keep together.
///
/// # Errors
/// When numbers are too large.
pub(crate) fn unkept(
    constraints: &[&Constraint],
    value: &dyn Fn(StmtId, Coefficient) -> i64,
    budget: &Budget,
) -> Result<Vec<Origin>> {
    let mut columns: BTreeMap<(usize, usize), VarIdx> = BTreeMap::new();
    let mut rows: Vec<(Option<Origin>, RowKind, Row)> = Vec::new();
    for constraint in constraints {
        let row = row_of(constraint, value, &mut columns)?;
        rows.push((constraint.origin, constraint.kind, row));
    }
    let breaks = |(_, kind, row): &&(Option<Origin>, RowKind, Row)| {
        row.terms().is_empty()
            && match kind {
                RowKind::Equality => row.constant() != 0,
                RowKind::Inequality => row.constant() < 0,
            }
    };
    let alone: BTreeSet<Origin> = rows.iter().filter(breaks).filter_map(|row| row.0).collect();
    if !alone.is_empty() {
        return Ok(alone.into_iter().collect());
    }
    if has_point(&rows, columns.len(), budget)? {
        return Ok(Vec::new());
    }
    let mut at = 0;
    while at < rows.len() {
        let left_out = rows.remove(at);
        if has_point(&rows, columns.len(), budget)? {
            rows.insert(at, left_out);
            at += 1;
        }
    }
    let together: BTreeSet<Origin> = rows.iter().filter_map(|row| row.0).collect();
    Ok(together.into_iter().collect())
}

/// A constraint over the variables alone, its coefficients replaced by their values.
fn row_of(
    constraint: &Constraint,
    value: &dyn Fn(StmtId, Coefficient) -> i64,
    columns: &mut BTreeMap<(usize, usize), VarIdx>,
) -> Result<Row> {
    let mut row = Row::new();
    let mut constant = i128::from(constraint.constant);
    for &(ref term, factor) in &constraint.terms {
        match *term {
            Term::Coefficient(stmt, which) => {
                constant += i128::from(factor) * i128::from(value(stmt, which));
            }
            Term::Cost { function, variable } => {
                let next = VarIdx::from_index(columns.len());
                row.add(*columns.entry((function, variable)).or_insert(next), factor);
            }
        }
    }
    let constant = i64::try_from(constant).map_err(|_| SolveError::CoefficientOverflow)?;
    Ok(row.with_constant(constant))
}

/// Whether some values of the variables keep all rows; yes where the budget does not tell.
fn has_point(
    rows: &[(Option<Origin>, RowKind, Row)],
    n_vars: usize,
    budget: &Budget,
) -> Result<bool> {
    let mut solver = Lexmin::new(n_vars);
    for (_, kind, row) in rows {
        solver.add_row(*kind, row.clone())?;
    }
    Ok(!matches!(solver.minimize(budget)?, Outcome::Infeasible))
}

/// The schedule, held against the user's constraints. A row that a statement does not have counts as zero, that of a
/// sequence as the position; constraints of [`Dimension::Default`] speak of rows of bands alone. What does not hold is a
/// warning where the strategy drops constraints, or where the work ended before a row was found; else an error.
///
/// # Errors
/// [`Error::Unkept`], or when numbers are too large.
pub(crate) fn held_against_demands(
    mut scheduled: Scheduled,
    strategy: &dyn Strategy,
    options: &ScheduleOptions,
) -> Result<Scheduled> {
    let mut demands = strategy.demands();
    demands.retain(|demand| !stmts_of(demand).any(|stmt| options.last.contains(&stmt)));
    if demands.is_empty() {
        return Ok(scheduled);
    }
    let rows = Rows::of(&scheduled.report);
    let n_rows = demands.iter().filter_map(|demand| match demand.dimension {
        Dimension::At(at) => Some(at.saturating_add(1)),
        Dimension::Default | Dimension::Last => None,
    });
    let dimensions: BTreeSet<usize> =
        n_rows.map(|n| n - 1).chain(rows.of_bands.keys().map(|(_, at)| *at)).collect();
    let mut warnings = Vec::new();
    for dimension in dimensions {
        let here: Vec<&Demand> =
            demands.iter().filter(|demand| rows.concern(demand, dimension)).collect();
        let constraints: Vec<&Constraint> = here.iter().map(|demand| &demand.constraint).collect();
        let value = |stmt, which| rows.value(stmt, dimension, which);
        let mut broken = unkept(&constraints, &value, &Budget::new(options.max_row_work))?;
        broken.retain(|origin| !is_told(&scheduled.report, dimension, *origin));
        for origin in broken {
            let of = here.iter().filter(|demand| demand.constraint.origin == Some(origin));
            let stmts: BTreeSet<StmtId> = of.flat_map(|demand| stmts_of(demand)).collect();
            let stmts: Vec<StmtId> = stmts.into_iter().collect();
            let is_excused = strategy.drops_demands() || rows.are_cut(&stmts);
            let Origin::Constraint(number) = origin else { continue };
            if !is_excused {
                let is_missing = stmts.iter().any(|stmt| !rows.has(*stmt, dimension));
                return Err(Error::Unkept { stmts, dimension, origin, is_missing });
            }
            let origins = vec![number];
            warnings.push(Warning::ConstraintsDropped { stmts, dimension, origins });
        }
    }
    warnings.extend(rows.unknown(&demands, &scheduled.report));
    scheduled.report.warnings.extend(warnings);
    Ok(scheduled)
}

/// The statements that a constraint names.
fn stmts_of(demand: &Demand) -> impl Iterator<Item = StmtId> {
    demand.constraint.terms.iter().filter_map(|(term, _)| match term {
        Term::Coefficient(stmt, _) => Some(*stmt),
        Term::Cost { .. } => None,
    })
}

/// Whether a warning says already that the row breaks the constraint.
fn is_told(report: &ScheduleReport, at: usize, origin: Origin) -> bool {
    report.warnings.iter().any(|warning| match (warning, origin) {
        (Warning::ConstraintsDropped { dimension, origins, .. }, Origin::Constraint(number)) => {
            *dimension == at && origins.contains(&number)
        }
        _ => false,
    })
}

/// The rows of a schedule, by statement and dimension.
struct Rows<'r> {
    of_bands: BTreeMap<(StmtId, usize), &'r StmtRow>,
    positions: BTreeMap<(StmtId, usize), i64>,
    /// Statements with rows that nobody knows: they keep their original order, or the work ended early.
    cut: BTreeSet<StmtId>,
    /// Those of them that keep their original order.
    original: BTreeSet<StmtId>,
}

impl<'r> Rows<'r> {
    /// The rows that a report tells of.
    fn of(report: &'r ScheduleReport) -> Self {
        let mut rows = Self {
            of_bands: BTreeMap::new(),
            positions: BTreeMap::new(),
            cut: BTreeSet::new(),
            original: BTreeSet::new(),
        };
        for row in &report.rows {
            let pairs = row.stmts.iter().zip(&row.rows);
            rows.of_bands.extend(pairs.map(|(&stmt, of)| ((stmt, row.dimension), of)));
        }
        for sequence in &report.sequences {
            let positions = sequence.positions().map(|(stmt, at)| ((stmt, sequence.dimension), at));
            rows.positions.extend(positions);
        }
        for warning in &report.warnings {
            match warning {
                Warning::OriginalOrder { stmts } | Warning::TooLarge { stmts, .. } => {
                    rows.original.extend(stmts);
                    rows.cut.extend(stmts);
                }
                Warning::OutOfBudget { stmts } => rows.cut.extend(stmts),
                _ => {}
            }
        }
        rows
    }

    /// Whether a constraint speaks of the rows of this dimension.
    fn concern(&self, demand: &Demand, dimension: usize) -> bool {
        match demand.dimension {
            Dimension::At(at) => at == dimension,
            Dimension::Default => {
                let mut stmts = stmts_of(demand).peekable();
                stmts.peek().is_none()
                    || stmts.any(|stmt| self.of_bands.contains_key(&(stmt, dimension)))
            }
            Dimension::Last => false,
        }
    }

    /// A coefficient.
    fn value(&self, stmt: StmtId, dimension: usize, which: Coefficient) -> i64 {
        match (self.of_bands.get(&(stmt, dimension)), which) {
            (Some(row), _) => row.coefficient(which),
            (None, Coefficient::Constant) => {
                self.positions.get(&(stmt, dimension)).copied().unwrap_or(0)
            }
            (None, _) => 0,
        }
    }

    /// Whether a statement has a row of this dimension.
    fn has(&self, stmt: StmtId, dimension: usize) -> bool {
        let at = (stmt, dimension);
        self.of_bands.contains_key(&at) || self.positions.contains_key(&at)
    }

    /// Whether one of the statements has rows that nobody knows.
    fn are_cut(&self, stmts: &[StmtId]) -> bool {
        stmts.iter().any(|stmt| self.cut.contains(stmt))
    }

    /// Warnings of constraints on all rows of statements that keep their original order, but for those that `report` tells
    /// of: nobody looks whether they hold.
    fn unknown(&self, demands: &[Demand], report: &ScheduleReport) -> Vec<Warning> {
        let mut stmts_by_number: BTreeMap<usize, BTreeSet<StmtId>> = BTreeMap::new();
        for demand in demands.iter().filter(|demand| demand.dimension == Dimension::Default) {
            let is_known = !stmts_of(demand).any(|stmt| self.original.contains(&stmt));
            if let (false, Some(number)) = (is_known, demand.constraint.user_number()) {
                stmts_by_number.entry(number).or_default().extend(stmts_of(demand));
            }
        }
        let is_told = |number: &usize| {
            report.warnings.iter().any(|warning| {
                matches!(warning, Warning::ConstraintsDropped { origins, .. } if origins.contains(number))
            })
        };
        stmts_by_number.retain(|number, _| !is_told(number));
        let warning = |(number, stmts): (usize, BTreeSet<StmtId>)| {
            let first = stmts.iter().find(|stmt| self.original.contains(stmt));
            let dimension = first.and_then(|first| (0..).find(|&at| !self.has(*first, at)));
            Warning::ConstraintsDropped {
                stmts: stmts.into_iter().collect(),
                dimension: dimension.unwrap_or(0),
                origins: vec![number],
            }
        };
        stmts_by_number.into_iter().map(warning).collect()
    }
}
