//! Conditions on parameters and loop variables as a system of integer rows, and whether it has a solution.

use farkas_astgen::{Cond, Division, Expr, Term};
use farkas_base::Budget;
use farkas_poly::{Constraints, LinearRow};
use farkas_solve::{Lexmin, Outcome, Row, RowKind, Solver, VarIdx};
use std::collections::BTreeMap;

/// Rows over the terms of expressions. What cannot be said by rows is left out: the system may have solutions that the
/// conditions do not have, never fewer.
///
/// The solver's unknowns are not negative. A term is one of them less the first, which is the same for all terms.
pub(crate) struct System {
    lexmin: Lexmin,
    unknowns: BTreeMap<Term, VarIdx>,
    /// What is subtracted from each unknown.
    shift: VarIdx,
}

impl System {
    /// The system without rows.
    pub(crate) fn new() -> Self {
        let mut lexmin = Lexmin::new(0);
        let shift = lexmin.add_var();
        Self { lexmin, unknowns: BTreeMap::new(), shift }
    }

    /// Whether the system is known to have no solution, and how much of `most` units of work it took to find out.
    pub(crate) fn is_empty(&mut self, most: u64) -> (bool, u64) {
        let budget = Budget::new(most);
        let outcome = self.lexmin.minimize(&budget);
        (matches!(outcome, Ok(Outcome::Infeasible)), budget.spent())
    }

    /// Adds what `constraints` say of the parameters called `names`.
    pub(crate) fn add_constraints(&mut self, constraints: &Constraints, names: &[String]) {
        let params: Vec<Term> = names.iter().map(|name| Term::Param(name.clone())).collect();
        let params: Vec<VarIdx> = params.iter().map(|param| self.unknown(param)).collect();
        let rows = constraints.equalities.iter().chain(&constraints.inequalities);
        let n_divs = rows.map(|row| row.divs.len()).max().unwrap_or(0);
        let divs: Vec<VarIdx> = (0..n_divs).map(|_| self.lexmin.add_var()).collect();
        let mut add = |kind, row: &LinearRow| {
            let params = params.iter().zip(&row.params);
            let divs = divs.iter().zip(&row.divs);
            let terms = params.chain(divs).map(|(var, factor)| (*var, *factor));
            self.add_row(kind, terms, row.constant);
        };
        constraints.equalities.iter().for_each(|row| add(RowKind::Equality, row));
        constraints.inequalities.iter().for_each(|row| add(RowKind::Inequality, row));
    }

    /// Adds a condition.
    pub(crate) fn add(&mut self, condition: &Cond) {
        match condition {
            Cond::Zero(e) => self.add_expr(RowKind::Equality, e, 0),
            Cond::NonNegative(e) => self.add_expr(RowKind::Inequality, e, 0),
            Cond::All(parts) => parts.iter().for_each(|part| self.add(part)),
            Cond::Any(_) => {}
        }
    }

    /// Adds that an expression and a number are zero, or not less.
    pub(crate) fn add_expr(&mut self, kind: RowKind, expr: &Expr, number: i64) {
        self.add_sum(kind, (1, expr), &[], number);
    }

    /// Adds that the sum of a multiple of an expression, multiples of unknowns and a number is zero, or not less. It is summed here
    /// because sums of expressions move what is added to a `min` or `max` into it, which would be another unknown then.
    fn add_sum(
        &mut self,
        kind: RowKind,
        (factor, expr): (i64, &Expr),
        unknowns: &[(VarIdx, i64)],
        number: i64,
    ) {
        let expr = without_remainders(expr);
        let product = |a: i64| a.checked_mul(factor).filter(|_| a != i64::MAX);
        let terms: Option<Vec<(VarIdx, i64)>> =
            expr.terms().iter().map(|(term, a)| Some((self.unknown(term), product(*a)?))).collect();
        let constant = product(expr.constant()).map(|c| i128::from(c) + i128::from(number));
        // A greater constant makes an inequality hold for more.
        let constant = constant.map(|c| match kind {
            RowKind::Inequality => c.max(i64::MIN.into()),
            RowKind::Equality => c,
        });
        let constant = constant.and_then(|c| i64::try_from(c).ok());
        if let (Some(terms), Some(constant)) = (terms, constant) {
            self.add_row(kind, terms.into_iter().chain(unknowns.iter().copied()), constant);
        }
    }

    /// Adds a row, unless it has numbers that are too large.
    fn add_row(
        &mut self,
        kind: RowKind,
        terms: impl IntoIterator<Item = (VarIdx, i64)>,
        constant: i64,
    ) {
        let mut row = Row::new().with_constant(constant);
        for (var, factor) in terms {
            row.add(var, factor);
            row.add_product(self.shift, -1, factor);
        }
        // The solver refuses what has overflowed.
        let _ = self.lexmin.add_row(kind, row);
    }

    /// The unknown for a term, with what is known of it.
    fn unknown(&mut self, term: &Term) -> VarIdx {
        if let Some(var) = self.unknowns.get(term) {
            return *var;
        }
        let var = self.lexmin.add_var();
        self.unknowns.insert(term.clone(), var);
        match term {
            Term::Div(numerator, divisor, Division::Exact) => {
                self.add_sum(RowKind::Equality, (1, numerator), &[(var, -divisor)], 0);
            }
            Term::Div(numerator, divisor, _) => {
                self.add_sum(RowKind::Inequality, (1, numerator), &[(var, -divisor)], 0);
                let rest = divisor - 1;
                self.add_sum(RowKind::Inequality, (-1, numerator), &[(var, *divisor)], rest);
            }
            Term::Max(options) => {
                for option in options {
                    self.add_sum(RowKind::Inequality, (-1, option), &[(var, 1)], 0);
                }
            }
            Term::Min(options) => {
                for option in options {
                    self.add_sum(RowKind::Inequality, (1, option), &[(var, -1)], 0);
                }
            }
            Term::Param(_) | Term::Iterator(_) | Term::Mod(..) | Term::Select(..) => {}
        }
        var
    }
}

/// A sum whose remainders are written as numerators less multiples of quotients.
fn without_remainders(expr: &Expr) -> Expr {
    let mut sum = Expr::int(expr.constant());
    for (term, factor) in expr.terms() {
        let value = match term {
            Term::Mod(numerator, divisor, _) => {
                let numerator = without_remainders(numerator);
                let quotient = Term::Div(Box::new(numerator.clone()), *divisor, Division::Floor);
                numerator.minus(&Expr::from_term(quotient).times(*divisor))
            }
            term => Expr::from_term(term.clone()),
        };
        sum = sum.plus(&value.times(*factor));
    }
    sum
}
