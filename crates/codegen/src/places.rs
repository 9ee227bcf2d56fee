//! What is known of parameters and loop variables at a place of the code, as a set question.

use crate::tiles::options;
use farkas_astgen::{Binding, Cond, Dialect, Division, Expr, Term, Text};
use farkas_poly::{DimType, Result, Set, counted, with_budget};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// isl operations that one question may take.
const MAX_OPERATIONS: u64 = 50_000;

/// isl operations that all questions for one region may take. Beyond, nothing is known.
const MAX_OPERATIONS_IN_ALL: u64 = 2_000_000;

/// The values that a region's parameters may have, and what was asked of them so far.
pub(crate) struct Known {
    /// The parameters' names, in the order in which sets number them.
    names: Vec<String>,
    /// Their values, with names of our own: those of C may be words of isl's.
    values: Set,
    answers: RefCell<BTreeMap<String, bool>>,
    /// The values of parameters and loop variables under some conditions, one a line: sets that are larger than all conditions
    /// say where isl cannot read one of them.
    points: RefCell<BTreeMap<String, Set>>,
    /// isl operations that are left for questions.
    left: Cell<u64>,
}

/// The loops and guards around a place, outermost first.
#[derive(Default)]
pub(crate) struct Place {
    /// The iterators of the loops.
    iterators: Vec<String>,
    /// What loops and guards say: sets of parameters and loop variables, as texts.
    conditions: Vec<String>,
}

/// What a parameter is called in sets.
fn param(at: usize) -> String {
    format!("farkas_p{at}")
}

/// What a loop variable is called in sets.
fn counter(at: usize) -> String {
    format!("farkas_c{at}")
}

impl Known {
    /// The parameters `names`, each between two numbers, under some conditions.
    pub(crate) fn new(
        names: &[&str],
        ranges: &[(i128, i128)],
        conditions: &[&Set],
    ) -> Result<Self> {
        let own: Vec<String> = (0..names.len()).map(param).collect();
        let limits = ranges.iter().zip(&own);
        let limits: Vec<String> =
            limits.map(|((least, most), name)| format!("{least} <= {name} <= {most}")).collect();
        let mut values: Set =
            format!("[{}] -> {{ : {} }}", own.join(", "), limits.join(" and ")).parse()?;
        for condition in conditions {
            values = values.intersect(&renamed(condition, names)?)?;
        }
        let values = values.coalesce()?;
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Ok(Self {
            names,
            values,
            answers: RefCell::default(),
            points: RefCell::default(),
            left: Cell::new(MAX_OPERATIONS_IN_ALL),
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
        let value = Notation { known: self, place }.expr(expr).text;
        self.never(place, &format!("{value} > {most}"))
            && self.never(place, &format!("{value} < {least}"))
    }

    /// Whether a condition holds nowhere at a place.
    fn never(&self, place: &Place, condition: &str) -> bool {
        let beyond = self.set_of(place, condition);
        let question = format!("{}\n{beyond}", place.conditions.join("\n"));
        if let Some(answer) = self.answers.borrow().get(&question) {
            return *answer;
        }
        let points = self.points(&place.conditions);
        let is_never = || points.is_disjoint(&beyond.parse()?);
        let answer = self.ask(is_never).unwrap_or(false);
        self.answers.borrow_mut().insert(question, answer);
        answer
    }

    /// The values of parameters and loop variables for which conditions hold; what isl cannot read of these is left out. Each
    /// place has the conditions of the one around it, whose set is made once.
    fn points(&self, conditions: &[String]) -> Set {
        let Some((last, outer)) = conditions.split_last() else { return self.values.clone() };
        let place = conditions.join("\n");
        if let Some(points) = self.points.borrow().get(&place) {
            return points.clone();
        }
        let outer = self.points(outer);
        let narrowed = self.ask(|| outer.intersect(&last.parse()?));
        let points = narrowed.unwrap_or(outer);
        self.points.borrow_mut().insert(place, points.clone());
        points
    }

    /// What isl says within what one question may take.
    fn ask<T>(&self, question: impl FnOnce() -> Result<T>) -> Result<T> {
        let left = self.left.get();
        let (answer, taken) = counted(left.min(MAX_OPERATIONS), question);
        self.left.set(left.saturating_sub(taken));
        answer
    }

    /// The values of the parameters and the loop variables at a place for which a condition holds, as text. Loop variables count as
    /// parameters: sets at different depths meet without more ado.
    fn set_of(&self, place: &Place, condition: &str) -> String {
        let params = (0..self.names.len()).map(param);
        let names: Vec<String> = params.chain((0..place.iterators.len()).map(counter)).collect();
        format!("[{}] -> {{ : {} }}", names.join(", "), condition.replace("==", "="))
    }

    /// The parameters as sets begin with them.
    fn header(&self) -> String {
        let names: Vec<String> = (0..self.names.len()).map(param).collect();
        format!("[{}]", names.join(", "))
    }
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
    pub(crate) fn enter_guard(&mut self, known: &Known, condition: &Cond) {
        let text = Notation { known, place: self }.cond(condition);
        self.add(known, &text.within(Binding::Primary));
    }

    /// Goes into a loop from `first` to before `end` by `step`, downward where that is negative.
    pub(crate) fn enter_loop(
        &mut self,
        known: &Known,
        name: &str,
        range: (&Expr, &Expr),
        step: i64,
    ) {
        let notation = Notation { known, place: self };
        let is_upward = step > 0;
        let all = |bound, greatest| -> Vec<String> {
            options(bound, greatest).iter().map(|e| notation.expr(e).text).collect()
        };
        let (starts, ends) = (all(range.0, is_upward), all(range.1, !is_upward));
        let first = notation.expr(range.0).text;
        let name_in_sets = counter(self.iterators.len());
        self.iterators.push(name.to_owned());
        let (from, to) = if is_upward { (">=", "<") } else { ("<=", ">") };
        for start in starts {
            self.add(known, &format!("{name_in_sets} {from} {start}"));
        }
        for end in ends {
            self.add(known, &format!("{name_in_sets} {to} {end}"));
        }
        if step.abs() > 1 {
            self.add(known, &format!("({name_in_sets} - ({first})) mod {} = 0", step.abs()));
        }
    }

    /// Adds a condition.
    fn add(&mut self, known: &Known, condition: &str) {
        let condition = known.set_of(self, condition);
        self.conditions.push(condition);
    }
}

/// isl's notation.
struct Notation<'a> {
    known: &'a Known,
    place: &'a Place,
}

impl Dialect for Notation<'_> {
    fn param(&self, name: &str) -> Text {
        let at = self.known.names.iter().position(|n| n == name);
        // A name that the set does not have is refused when it is read.
        Text::new(at.map_or_else(|| "?".to_owned(), param), Binding::Primary)
    }

    fn iterator(&self, name: &str) -> Text {
        let at = self.place.iterators.iter().rposition(|n| n == name);
        Text::new(at.map_or_else(|| "?".to_owned(), counter), Binding::Primary)
    }

    fn call(&self, function: &str, left: &str, right: &str) -> Text {
        let text = match function {
            "floord" => format!("floor(({left})/{right})"),
            "mod" => format!("(({left}) mod {right})"),
            _ => format!("{function}({left}, {right})"),
        };
        Text::new(text, Binding::Primary)
    }

    fn term(&self, term: &Term) -> Text {
        match term {
            Term::Param(name) => self.param(name),
            Term::Iterator(name) => self.iterator(name),
            Term::Div(e, d, Division::Exact) => {
                Text::new(format!("(({})/{d})", self.expr(e).text), Binding::Primary)
            }
            Term::Div(e, d, _) => self.call("floord", &self.expr(e).text, &d.to_string()),
            Term::Mod(e, d, _) => self.remainder_of(e, *d),
            Term::Min(es) => self.choice("min", es),
            Term::Max(es) => self.choice("max", es),
            Term::Select(c, a, b) => {
                let (c, a, b) = (self.cond(c).text, self.expr(a).text, self.expr(b).text);
                Text::new(format!("({c} ? {a} : {b})"), Binding::Primary)
            }
        }
    }

    fn remainder(&self, of: &Expr, divisor: i64, _: Division, _: bool) -> Text {
        self.remainder_of(of, divisor)
    }
}

impl Notation<'_> {
    /// A remainder that is not negative.
    fn remainder_of(&self, of: &Expr, divisor: i64) -> Text {
        self.call("mod", &self.expr(of).text, &divisor.to_string())
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
        place.enter_loop(&known, "i", (&Expr::int(0), &n), 1);
        assert!(is_within(&place, &last) && !is_within(&place, &last.offset(-1)));
        let outside = place.depth();
        place.enter_guard(&known, &Cond::equal(&i.remainder(3, Division::Floor), &Expr::int(2)));
        assert!(is_within(&place, &i.offset(-2)));
        place.leave(outside);
        assert!(!is_within(&place, &i.offset(-2)));
        place.enter_loop(&known, "j", (&i, &Expr::max(vec![m.clone(), Expr::int(-7)])), -2);
        let j = Expr::iterator("j");
        assert!(known.is_within(&place, &j, -6, most - 1));
        assert!(!known.is_within(&place, &j, -5, most - 1));
        assert!(known.is_within(&place, &j.minus(&i).remainder(2, Division::Floor), 0, 0));
        let thirds = j.quotient(3, Division::Floor);
        assert!(known.is_within(&place, &thirds, -2, most / 3));
    }

    #[test]
    fn what_has_no_name_is_not_known() {
        let known = known(&[]);
        assert!(!known.is_within(&Place::default(), &Expr::iterator("x"), i128::MIN, i128::MAX));
    }
}
