//! Constraints on the coefficients of rows, and what they came from.

use crate::affine::StmtRow;
use crate::coefficient::Coefficient;
use crate::config::Dimension;
use farkas_scop::StmtId;
use farkas_solve::RowKind;
use std::collections::BTreeSet;

/// A term of a plan's constraint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A coefficient of a statement's row in this dimension. One that the plan fixes at zero counts as zero.
    Coefficient(StmtId, Coefficient),
    /// A variable of one of the plan's cost functions.
    Cost {
        /// The cost function's position in the plan.
        function: usize,
        /// The variable's position: leading ones, then trailing ones.
        variable: usize,
    },
}

/// What a constraint came from, for messages where it leaves no solution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// A constraint of the user's, by its number.
    Constraint(usize),
    /// A directive of the user's, by its number.
    Directive(usize),
}

/// An extra constraint: `sum of factor * term + constant`, zero or not negative.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    /// Zero, or not negative.
    pub kind: RowKind,
    /// The terms with their factors.
    pub terms: Vec<(Term, i64)>,
    /// The constant.
    pub constant: i64,
    /// What it came from. Where constraints with an origin leave no row, that is an error, unless the plan's fallbacks
    /// have [`Fallback::DropConstraints`](crate::Fallback::DropConstraints) for those of the user's.
    pub origin: Option<Origin>,
    /// Whether the row must keep it also where it is that of a sequence: its constants are the positions of the parts, its
    /// other coefficients zero.
    pub in_sequences: bool,
}

impl Constraint {
    /// Whether it restricts a variable of a cost function.
    pub(crate) fn has_cost(&self) -> bool {
        self.terms.iter().any(|(term, _)| matches!(term, Term::Cost { .. }))
    }

    /// The number of the user's constraint that it came from.
    pub(crate) fn user_number(&self) -> Option<usize> {
        match self.origin {
            Some(Origin::Constraint(number)) => Some(number),
            Some(Origin::Directive(_)) | None => None,
        }
    }

    /// Whether the rows of `stmts` are known to keep it: of the values of costs' variables nothing is known.
    fn is_kept_by(&self, stmts: &[StmtId], rows: &[StmtRow]) -> bool {
        let value = |term: &Term| match term {
            Term::Coefficient(stmt, which) => {
                let at = stmts.binary_search(stmt).ok()?;
                rows.get(at).map(|row| i128::from(row.coefficient(*which)))
            }
            Term::Cost { .. } => None,
        };
        let parts: Option<Vec<i128>> = self
            .terms
            .iter()
            .map(|(term, factor)| value(term)?.checked_mul(i128::from(*factor)))
            .collect();
        let sum = parts.and_then(|parts| {
            parts.into_iter().try_fold(i128::from(self.constant), i128::checked_add)
        });
        sum.is_some_and(|sum| match self.kind {
            RowKind::Equality => sum == 0,
            RowKind::Inequality => sum >= 0,
        })
    }
}

/// The numbers of those of the user's constraints among `constraints` that the rows of `stmts` break, ascending.
pub(crate) fn broken(constraints: &[Constraint], stmts: &[StmtId], rows: &[StmtRow]) -> Vec<usize> {
    let broken = constraints.iter().filter(|c| !c.is_kept_by(stmts, rows));
    let numbers: BTreeSet<usize> = broken.filter_map(Constraint::user_number).collect();
    numbers.into_iter().collect()
}

/// A constraint of the user's, and the rows that it is for. Its [`Term::Cost`]s are the user's variables by their number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demand {
    /// The rows.
    pub dimension: Dimension,
    /// The constraint.
    pub constraint: Constraint,
}
