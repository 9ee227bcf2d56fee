//! What is known of parameters and loop variables at a place of the code: systems of rows without solutions.

use crate::system::System;
use farkas_astgen::{Cond, Division, Expr, Term};
use farkas_poly::{Constraints, DimType, Result, Set, with_budget};
use farkas_solve::RowKind;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// isl operations that the range of a parameter may take.
const MAX_OPERATIONS: u64 = 50_000;

/// The solver's units of work that one question may take.
const MAX_WORK: u64 = 100_000;

/// The solver's units of work that all questions for one region may take. Beyond, nothing is known.
const MAX_WORK_IN_ALL: u64 = 50_000_000;

/// How many cases one place may be split into.
const MAX_CASES: usize = 4;

/// How many sums without `min` and `max` one expression may be split into.
const MAX_SUMS: usize = 16;

/// A question: the conditions at a place, and an expression that is to be greater than, or less than, a number there.
type Question = (Vec<Cond>, Expr, bool, i128);

/// The values that a region's parameters may have, and what was asked of them so far.
pub(crate) struct Known {
    /// The parameters' names, in the order in which sets number them.
    names: Vec<String>,
    /// Their values, with names of our own: those of C may be words of isl's.
    values: Set,
    /// The range of each parameter.
    ranges: Vec<(i128, i128)>,
    /// What else is known of them: they satisfy one of these.
    pieces: Vec<Constraints>,
    /// Which parameters the constraints number, in their order.
    numbered: Vec<String>,
    answers: RefCell<BTreeMap<Question, bool>>,
    /// Units of work that are left for questions.
    left: Cell<u64>,
}

/// The loops and guards around a place, outermost first.
#[derive(Default)]
pub(crate) struct Place {
    /// The iterators of the loops.
    iterators: Vec<String>,
    /// What loops and guards say of parameters and loop variables, these with the names that [`counter`] gives them.
    conditions: Vec<Cond>,
}

/// What a parameter is called in sets.
fn param(at: usize) -> String {
    format!("farkas_p{at}")
}

/// What the variable of the loop at a depth is called in conditions: no name in C, whatever the loops are called.
fn counter(at: usize) -> String {
    format!("#{at}")
}

impl Known {
    /// The parameters `names`, each between two numbers, under some conditions.
    pub(crate) fn new(
        names: &[&str],
        ranges: &[(i128, i128)],
        conditions: &[&Set],
    ) -> Result<Self> {
        let own: Vec<String> = (0..names.len()).map(param).collect();
        let header = own.join(", ");
        let limits = ranges.iter().zip(&own);
        let limits: Vec<String> =
            limits.map(|((least, most), name)| format!("{least} <= {name} <= {most}")).collect();
        let limits: Set = format!("[{header}] -> {{ : {} }}", limits.join(" and ")).parse()?;
        let mut told: Set = format!("[{header}] -> {{ : }}").parse()?;
        for condition in conditions {
            told = told.intersect(&renamed(condition, names)?)?;
        }
        let told = told.coalesce()?;
        let position = |at: &usize| told.find_param(&param(*at));
        let mut numbered: Vec<usize> =
            (0..names.len()).filter(|at| position(at).is_some()).collect();
        numbered.sort_by_key(position);
        let pieces: Result<Vec<_>> =
            told.basic_sets()?.iter().map(|piece| piece.constraints()).collect();
        Ok(Self {
            numbered: numbered.iter().map(|at| names[*at].to_owned()).collect(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            values: told.intersect(&limits)?.coalesce()?,
            ranges: ranges.to_vec(),
            // Numbers that are too large say nothing.
            pieces: pieces.unwrap_or_else(|_| vec![nothing()]),
            answers: RefCell::default(),
            left: Cell::new(MAX_WORK_IN_ALL),
        })
    }

    /// The least and the greatest value of a parameter, where isl says.
    pub(crate) fn range(&self, at: usize) -> (Option<i128>, Option<i128>) {
        let header = self.header();
        let read = || -> Result<Set> {
            let text = format!("{header} -> {{ [x] : x = {} }}", param(at));
            text.parse::<Set>()?.intersect_params(&self.values)
        };
        let Ok(set) = with_budget(MAX_OPERATIONS, read) else { return (None, None) };
        let number = |val: Result<farkas_poly::Val>| Some(i128::from(val.ok()?.to_i64().ok()?));
        (number(set.dim_min_val(0)), number(set.dim_max_val(0)))
    }

    /// Whether the value of `expr` at a place always lies between two numbers.
    pub(crate) fn is_within(&self, place: &Place, expr: &Expr, least: i128, most: i128) -> bool {
        let expr = place.renamed(expr);
        let is_never = |is_above: bool, bound: i128| {
            sums(&expr, is_above).into_iter().all(|e| self.never(place, e, is_above, bound))
        };
        is_never(true, most) && is_never(false, least)
    }

    /// Whether an expression is nowhere at a place greater than a number; where not `is_above`, less.
    fn never(&self, place: &Place, expr: Expr, is_above: bool, bound: i128) -> bool {
        let question = (place.conditions.clone(), expr, is_above, bound);
        if let Some(answer) = self.answers.borrow().get(&question) {
            return *answer;
        }
        let cases = cases(&question.0);
        let answer = self.pieces.iter().all(|piece| {
            cases.iter().all(|conditions| self.has_no_point(piece, conditions, &question))
        });
        self.answers.borrow_mut().insert(question, answer);
        answer
    }

    /// Whether an expression goes nowhere beyond its bound, for parameters in a piece and under some conditions.
    fn has_no_point(&self, piece: &Constraints, conditions: &[&Cond], question: &Question) -> bool {
        let (_, expr, is_above, bound) = question;
        let mut system = System::new();
        system.add_constraints(piece, &self.numbered);
        for (name, (least, most)) in self.names.iter().zip(&self.ranges) {
            add_bound(&mut system, &Expr::param(name), false, *most);
            add_bound(&mut system, &Expr::param(name), true, *least);
        }
        conditions.iter().for_each(|condition| system.add(condition));
        let beyond = if *is_above { bound.saturating_add(1) } else { bound.saturating_sub(1) };
        add_bound(&mut system, expr, *is_above, beyond);
        let (is_empty, taken) = system.is_empty(self.left.get().min(MAX_WORK));
        self.left.set(self.left.get().saturating_sub(taken));
        is_empty
    }

    /// The parameters as sets begin with them.
    fn header(&self) -> String {
        let names: Vec<String> = (0..self.names.len()).map(param).collect();
        format!("[{}]", names.join(", "))
    }
}

/// Constraints that say nothing.
fn nothing() -> Constraints {
    Constraints { equalities: Vec::new(), inequalities: Vec::new() }
}

/// Conditions without alternatives: wherever all of `conditions` hold, all of one case do.
fn cases(conditions: &[Cond]) -> Vec<Vec<&Cond>> {
    let mut cases = vec![Vec::new()];
    for condition in conditions {
        match condition {
            Cond::Any(parts) if parts.len() * cases.len() <= MAX_CASES => {
                let with = |case: &Vec<_>| {
                    let case = case.clone();
                    parts.iter().map(move |part| case.iter().copied().chain([part]).collect())
                };
                cases = cases.iter().flat_map(with).collect();
            }
            condition => cases.iter_mut().for_each(|case| case.push(condition)),
        }
    }
    cases
}

/// Adds that an expression is at least a number, or at most; nothing where the number is beyond 64 bits.
fn add_bound(system: &mut System, expr: &Expr, is_least: bool, bound: i128) {
    if is_least {
        if let Ok(number) = i64::try_from(-bound) {
            system.add_expr(RowKind::Inequality, expr, number);
        }
    } else if let Ok(number) = i64::try_from(bound) {
        system.add_expr(RowKind::Inequality, &expr.times(-1), number);
    }
}

/// Sums, one of which is not less than `expr` wherever it is computed; where not `greatest`, not greater. They are free of
/// `min`, `max` and choices that would bound `expr` only together.
fn sums(expr: &Expr, greatest: bool) -> Vec<Expr> {
    let mut sums = vec![expr.clone()];
    let mut done = 0;
    while let Some(sum) = sums.get(done) {
        let Some(split) = split(sum, greatest).filter(|s| s.len() + sums.len() <= MAX_SUMS) else {
            done += 1;
            continue;
        };
        sums.splice(done..=done, split);
    }
    sums
}

/// A sum with the options of one of its terms in the place of it.
fn split(sum: &Expr, greatest: bool) -> Option<Vec<Expr>> {
    let options = |(term, factor): &(Term, i64)| match term {
        Term::Max(options) if (*factor > 0) == greatest => Some(options.clone()),
        Term::Min(options) if (*factor < 0) == greatest => Some(options.clone()),
        Term::Select(_, a, b) => Some(vec![(**a).clone(), (**b).clone()]),
        _ => None,
    };
    let (at, options) =
        sum.terms().iter().enumerate().find_map(|(at, t)| Some((at, options(t)?)))?;
    let with = |option: &Expr| {
        sum.terms().iter().enumerate().fold(
            Expr::int(sum.constant()),
            |sum, (n, (term, factor))| {
                let value = if n == at { option.clone() } else { Expr::from_term(term.clone()) };
                sum.plus(&value.times(*factor))
            },
        )
    };
    Some(options.iter().map(with).collect())
}

/// A parameter set with our names.
fn renamed(set: &Set, names: &[&str]) -> Result<Set> {
    let mut renamed = set.clone();
    for (at, name) in names.iter().enumerate() {
        if let Some(position) = renamed.find_param(name) {
            renamed = renamed.with_dim_name(DimType::Param, position, &param(at))?;
        }
    }
    Ok(renamed)
}

impl Place {
    /// How deep the place is.
    pub(crate) fn depth(&self) -> (usize, usize) {
        (self.iterators.len(), self.conditions.len())
    }

    /// Goes out of everything that was entered since the place had this depth.
    pub(crate) fn leave(&mut self, (n_iterators, n_conditions): (usize, usize)) {
        self.iterators.truncate(n_iterators);
        self.conditions.truncate(n_conditions);
    }

    /// Goes into a guard.
    pub(crate) fn enter_guard(&mut self, condition: &Cond) {
        let condition = condition.substitute(&|name| self.counter(name));
        self.conditions.push(condition);
    }

    /// Goes into a loop from `first` to before `end` by `step`, downward where that is negative.
    pub(crate) fn enter_loop(&mut self, name: &str, range: (&Expr, &Expr), step: i64) {
        let (first, end) = (self.renamed(range.0), self.renamed(range.1));
        let iterator = Expr::iterator(counter(self.iterators.len()));
        self.iterators.push(name.to_owned());
        let sign = step.signum();
        let after =
            |a: &Expr, b: &Expr, by: i64| Cond::NonNegative(a.minus(b).times(sign).offset(-by));
        for start in first.options(sign > 0) {
            self.conditions.push(after(&iterator, start, 0));
        }
        for end in end.options(sign < 0) {
            self.conditions.push(after(end, &iterator, 1));
        }
        if step.abs() > 1 {
            let rest = iterator.minus(&first).remainder(step.abs(), Division::Floor);
            self.conditions.push(Cond::Zero(rest));
        }
    }

    /// An expression with the names that conditions have.
    fn renamed(&self, expr: &Expr) -> Expr {
        expr.substitute(&|name| self.counter(name))
    }

    /// The variable of the innermost loop called `name`.
    fn counter(&self, name: &str) -> Option<Expr> {
        let at = self.iterators.iter().rposition(|n| n == name)?;
        Some(Expr::iterator(counter(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known of `n` and `m`, numbers of type `int`.
    fn known(conditions: &[&str]) -> Known {
        let int = (i32::MIN.into(), i32::MAX.into());
        let sets: Vec<Set> = conditions.iter().map(|c| c.parse().expect("a set")).collect();
        let sets: Vec<&Set> = sets.iter().collect();
        Known::new(&["n", "m"], &[int, int], &sets).expect("sets")
    }

    #[test]
    fn ranges_of_parameters() {
        let known = known(&["[m, n] -> { : n <= 5 and m = 2 n and n >= 0 }"]);
        assert_eq!(known.range(0), (Some(0), Some(5)));
        assert_eq!(known.range(1), (Some(0), Some(10)));
    }

    #[test]
    fn loops_and_guards_bound_expressions() {
        let known = known(&[]);
        let (n, m, i) = (Expr::param("n"), Expr::param("m"), Expr::iterator("i"));
        let mut place = Place::default();
        let last = n.minus(&i).offset(-1);
        let most = i128::from(i32::MAX);
        let is_within = |place: &Place, e: &Expr| known.is_within(place, e, 0, most);
        assert!(!known.is_within(&place, &n.plus(&m), i32::MIN.into(), most));
        place.enter_loop("i", (&Expr::int(0), &n), 1);
        assert!(is_within(&place, &last) && !is_within(&place, &last.offset(-1)));
        let outside = place.depth();
        place.enter_guard(&Cond::equal(&i.remainder(3, Division::Floor), &Expr::int(2)));
        assert!(is_within(&place, &i.offset(-2)));
        place.leave(outside);
        assert!(!is_within(&place, &i.offset(-2)));
        place.enter_loop("j", (&i, &Expr::max(vec![m.clone(), Expr::int(-7)])), -2);
        let j = Expr::iterator("j");
        assert!(known.is_within(&place, &j, -6, most - 1));
        assert!(!known.is_within(&place, &j, -5, most - 1));
        assert!(known.is_within(&place, &j.minus(&i).remainder(2, Division::Floor), 0, 0));
        let thirds = j.quotient(3, Division::Floor);
        assert!(known.is_within(&place, &thirds, -2, most / 3));
    }

    #[test]
    fn conditions_may_have_parameters_in_any_order() {
        let known = known(&["{ : }", "[m, n] -> { : 0 <= m <= n and n <= 5 }"]);
        let (n, m) = (Expr::param("n"), Expr::param("m"));
        assert!(known.is_within(&Place::default(), &n.minus(&m), 0, 5));
        assert!(!known.is_within(&Place::default(), &m.minus(&n), 0, 5));
    }

    #[test]
    fn the_greatest_of_several_is_within_what_all_are() {
        let known = known(&["[n, m] -> { : 3 <= n <= 5 and 0 <= m <= 7 }"]);
        let (n, m) = (Expr::param("n"), Expr::param("m"));
        let greatest = Expr::max(vec![n.clone(), m.clone()]);
        assert!(known.is_within(&Place::default(), &greatest, 3, 7));
        assert!(!known.is_within(&Place::default(), &greatest, 3, 6));
        let least = Expr::min(vec![n, m]).times(-2);
        assert!(known.is_within(&Place::default(), &least, -10, 0));
        assert!(!known.is_within(&Place::default(), &least, -9, 0));
    }

    #[test]
    fn what_has_no_name_is_not_known() {
        let known = known(&[]);
        assert!(!known.is_within(&Place::default(), &Expr::iterator("x"), i128::MIN, i128::MAX));
    }
}
