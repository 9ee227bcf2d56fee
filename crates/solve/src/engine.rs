//! The dual simplex loop: find a row that the current point violates, pivot it in, cut fractions away.

use farkas_base::Budget;

use crate::merge::{Merge, MergeMark};
use crate::number::{Number, Overflow};
use crate::store::{Normalized, RowStore};
use crate::tableau::{Form, Owner, Tableau};
use crate::watch::Watch;
use crate::{Row, RowKind};

/// Cuts that keep the tableau integral before pivots may make fractions, besides those for each unknown.
const MIN_INTEGER_CUTS: u64 = 32;

/// From which divisor on an integer cut is large: there a rational pivot would make large fractions, which soon outgrow
/// machine integers; below it, rational pivots reach values in the tens in fewer steps than unit ones.
const LARGE_DIVISOR: i64 = 16;

/// Why the loop stopped without a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A number outgrew the width.
    Overflow,
    /// The budget ran out.
    OutOfBudget,
}

impl From<Overflow> for Stop {
    fn from(Overflow: Overflow) -> Self {
        Stop::Overflow
    }
}

impl From<farkas_base::OutOfBudget> for Stop {
    fn from(_: farkas_base::OutOfBudget) -> Self {
        Stop::OutOfBudget
    }
}

/// What the loop found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The current point is the minimum.
    Optimal,
    /// There is no point.
    Infeasible,
}

/// How much work was done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Exchanges of a column against a row.
    pub n_pivots: u64,
    /// Gomory cuts added.
    pub n_cuts: u64,
    /// Times the numbers outgrew their width and the solve began again with a wider one.
    pub n_widenings: u64,
}

/// A pivot that is possible next: its form is the one at hand.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// What the current point violates.
    owner: Owner,
    /// Where it enters; `None` when no point satisfies it.
    column: Option<usize>,
    /// Whether the pivot keeps denominators as they are.
    is_unit: bool,
    /// Whether the form is an integer cut with a large divisor.
    is_large_cut: bool,
}

/// Where an engine came from, so that it can go back there.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint<N> {
    merge: MergeMark,
    tableau: Tableau<N>,
    n_rows: usize,
    n_equalities: usize,
    n_entered: usize,
    infeasible: bool,
}

/// Rows, tableau and loop in one width of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Engine<N> {
    /// From the problem's unknowns to those of everything below.
    merge: Merge,
    store: RowStore<N>,
    /// How many of the stored rows may no longer be replaced by tighter ones.
    n_fixed: usize,
    tableau: Tableau<N>,
    /// The stored rows that are equalities.
    equalities: Vec<usize>,
    /// How many of `equalities` are in the tableau.
    n_entered: usize,
    /// Whether the rows are known to have no solution.
    infeasible: bool,
    /// The violated rows.
    watch: Watch,
    /// Room for the row at hand.
    form: Form<N>,
    /// Room for the row that is added.
    terms: Vec<(usize, N)>,
    /// Integer cuts with a large divisor for each unknown and call.
    large_cuts_per_var: u64,
    /// How many more integer cuts with a small and with a large divisor there may be before pivots make fractions.
    small_cuts_left: u64,
    large_cuts_left: u64,
    pub(crate) stats: Stats,
}

impl<N: Number> Engine<N> {
    /// An engine without rows that takes rows over the unknowns that `merge` knows.
    pub(crate) fn new(merge: Merge, large_cuts_per_var: u64) -> Self {
        Self {
            store: RowStore::new(),
            n_fixed: 0,
            tableau: Tableau::new(merge.n_targets()),
            equalities: Vec::new(),
            n_entered: 0,
            infeasible: false,
            watch: Watch::default(),
            form: Form::zero(merge.n_targets()),
            terms: Vec::new(),
            stats: Stats::default(),
            large_cuts_per_var,
            small_cuts_left: MIN_INTEGER_CUTS,
            large_cuts_left: MIN_INTEGER_CUTS,
            merge,
        }
    }

    /// Adds an unknown of the problem.
    pub(crate) fn add_var(&mut self) {
        self.merge.add_var();
        self.tableau.add_var();
    }

    /// Adds a row over unknowns that exist.
    pub(crate) fn add_row(&mut self, kind: RowKind, row: &Row) -> Result<(), Overflow> {
        self.allow_cuts();
        self.merge.translate(row, &mut self.terms)?;
        let constant = N::from_i64(row.constant());
        match self.store.push_normalized(kind, &mut self.terms, constant, self.n_fixed)? {
            Normalized::Trivial => {}
            Normalized::Impossible => self.infeasible = true,
            Normalized::Kept if kind == RowKind::Equality => {
                self.equalities.push(self.store.len() - 1)
            }
            Normalized::Kept => {}
        }
        Ok(())
    }

    /// Lets the next solve begin with integer pivots.
    fn allow_cuts(&mut self) {
        let n_vars = self.tableau.n_vars() as u64;
        self.small_cuts_left = MIN_INTEGER_CUTS + n_vars / 4;
        self.large_cuts_left = MIN_INTEGER_CUTS + self.large_cuts_per_var * n_vars;
    }

    /// The state for [`Engine::restore`].
    pub(crate) fn checkpoint(&mut self) -> Checkpoint<N> {
        self.n_fixed = self.store.len();
        Checkpoint {
            merge: self.merge.mark(),
            tableau: self.tableau.clone(),
            n_rows: self.store.len(),
            n_equalities: self.equalities.len(),
            n_entered: self.n_entered,
            infeasible: self.infeasible,
        }
    }

    /// Goes back to `checkpoint`, which this engine made.
    pub(crate) fn restore(&mut self, checkpoint: Checkpoint<N>) {
        self.merge.truncate(checkpoint.merge);
        self.tableau = checkpoint.tableau;
        self.store.truncate(checkpoint.n_rows);
        self.n_fixed = checkpoint.n_rows;
        self.equalities.truncate(checkpoint.n_equalities);
        self.n_entered = checkpoint.n_entered;
        self.infeasible = checkpoint.infeasible;
        self.watch.reset();
        self.allow_cuts();
    }

    /// The problem's unknown `var` at the optimum, `None` where it does not fit.
    pub(crate) fn value(&self, var: usize) -> Option<i64> {
        let fraction = self.merge.target(var).and_then(|target| self.tableau.value(target));
        fraction
            .map_or(Some(0), |(numerator, denominator)| numerator.div_exact(denominator).to_i64())
    }

    /// Runs to a verdict. Whatever stops it, the state stays good and a later call goes on from it, except that after
    /// [`Stop::Overflow`] the engine is to be thrown away.
    pub(crate) fn minimize(&mut self, budget: &Budget) -> Result<Verdict, Stop> {
        self.n_fixed = self.store.len();
        while !self.infeasible {
            if let Some(&row) = self.equalities.get(self.n_entered) {
                self.enter_equality(row, budget)?;
                self.n_entered += 1;
                continue;
            }
            if let Some(step) = self.next_step(budget)? {
                self.take(step, budget)?;
            } else if let Some(var) = self.first_fractional() {
                let step = self.cut_fraction(var)?;
                self.take(step, budget)?;
            } else {
                return Ok(Verdict::Optimal);
            }
        }
        Ok(Verdict::Infeasible)
    }

    /// Makes the equality in `row` hold for good: its slack becomes a dead column.
    ///
    /// Both signs of the row keep the columns lexicographically positive, so the one is taken whose entering column
    /// has a unit coefficient, then the one that makes the earlier unknown dependent.
    fn enter_equality(&mut self, row: usize, budget: &Budget) -> Result<(), Stop> {
        self.load_row(row)?;
        if self.form.support.is_empty() {
            self.infeasible |= !self.form.constant.is_zero();
            return Ok(());
        }
        let positive = self.rated_column()?;
        self.form.negate()?;
        let negative = self.rated_column()?;
        let best = match (positive, negative) {
            (Some(positive), Some(negative)) if positive >= negative => Some(negative),
            (None, Some(negative)) => Some(negative),
            (positive, _) => {
                self.form.negate()?;
                positive
            }
        };
        best.map_or(Ok(()), |rating| self.exchange(rating.column, Owner::Dead, budget))
    }

    /// The entering column of the form at hand, rated for the choice between the two signs of an equality.
    fn rated_column(&self) -> Result<Option<Rating>, Overflow> {
        let column = self.tableau.entering_column(&self.form)?;
        Ok(column.map(|column| Rating {
            grows: !self.form.coefficients[column].is_one(),
            lead: self.tableau.lead(column),
            column,
        }))
    }

    /// What to pivot in next: an urgent violated row, else the most negative unknown.
    fn next_step(&mut self, budget: &Budget) -> Result<Option<Step>, Stop> {
        budget.spend(N::WORK * (self.watch.see_new(&self.store, &self.tableau)? + 1))?;
        if let Some(row) = self.watch.take(&self.store, &self.tableau)? {
            return Ok(Some(self.better_of_two(row)?));
        }
        match self.most_negative() {
            Some(var) => Ok(Some(self.step(Owner::Var(var))?)),
            None => Ok(None),
        }
    }

    /// The step for the most urgent row `first`, or for the next one if only that keeps denominators as they are.
    ///
    /// Measured on chains of statements this avoids most of the fractions; looking at more rows gains nothing.
    fn better_of_two(&mut self, first: usize) -> Result<Step, Overflow> {
        let step = self.step(Owner::Row(first))?;
        if step.is_unit {
            return Ok(step);
        }
        let Some(second) = self.watch.take(&self.store, &self.tableau)? else { return Ok(step) };
        let other = self.step(Owner::Row(second))?;
        if other.is_unit {
            self.watch.put_back(first, &self.store);
            return Ok(other);
        }
        self.watch.put_back(second, &self.store);
        self.step(Owner::Row(first))
    }

    /// The step that repairs `owner`; its form becomes the one at hand.
    fn step(&mut self, owner: Owner) -> Result<Step, Overflow> {
        match owner {
            Owner::Row(row) => self.load_row(row)?,
            Owner::Var(var) => self.load_var(var)?,
            Owner::Cut | Owner::Dead => {}
        }
        match self.form.denominator.is_one() {
            true => self.integer_step(owner),
            false => self.rational_step(owner),
        }
    }

    /// The step that repairs `owner`, of which the form is at hand, by that form.
    fn rational_step(&self, owner: Owner) -> Result<Step, Overflow> {
        let column = self.tableau.entering_column(&self.form)?;
        let is_unit =
            column.is_none_or(|column| self.form.coefficients[column] == self.form.denominator);
        Ok(Step { owner, column, is_unit, is_large_cut: false })
    }

    /// The step that repairs `owner`, of which the integer form is at hand, without making a fraction: where the pivot
    /// would not be one, a cut takes the form's place.
    fn integer_step(&mut self, owner: Owner) -> Result<Step, Overflow> {
        let Some((column, numerator, denominator)) = self.tableau.cut_column(&self.form)? else {
            return Ok(Step { owner, column: None, is_unit: true, is_large_cut: false });
        };
        if numerator == denominator {
            return Ok(Step { owner, column: Some(column), is_unit: true, is_large_cut: false });
        }
        let is_large_cut = !numerator.is_less(&denominator.mul(&N::from_i64(LARGE_DIVISOR))?);
        let left = if is_large_cut { self.large_cuts_left } else { self.small_cuts_left };
        if left == 0 {
            return self.rational_step(owner);
        }
        self.form.divide_up(&numerator, &denominator)?;
        Ok(Step { owner: Owner::Cut, column: Some(column), is_unit: false, is_large_cut })
    }

    /// Pivots, or notes that there is no solution.
    fn take(&mut self, step: Step, budget: &Budget) -> Result<(), Stop> {
        self.count_cut(step);
        match step.column {
            Some(column) => self.exchange(column, step.owner, budget),
            None => {
                self.infeasible = true;
                Ok(())
            }
        }
    }

    /// Counts the cut that `step` may be.
    fn count_cut(&mut self, step: Step) {
        if step.owner == Owner::Cut {
            self.stats.n_cuts += 1;
            let left = if step.is_large_cut {
                &mut self.large_cuts_left
            } else {
                &mut self.small_cuts_left
            };
            *left = left.saturating_sub(1);
        }
    }

    /// Exchanges `column` against the form at hand.
    fn exchange(&mut self, column: usize, owner: Owner, budget: &Budget) -> Result<(), Stop> {
        let entries = self.tableau.pivot(&self.form, column, owner)?;
        let looked_at = self.watch.see_moved(&self.store, &self.tableau)?;
        self.stats.n_pivots += 1;
        Ok(budget.spend(N::WORK * (entries + looked_at))?)
    }

    /// Writes the stored row `row` as a form of the columns.
    fn load_row(&mut self, row: usize) -> Result<(), Overflow> {
        self.tableau.form_of(self.store.terms(row), self.store.constant(row), &mut self.form)
    }

    /// Writes the unknown `var` as a form of the columns.
    fn load_var(&mut self, var: usize) -> Result<(), Overflow> {
        let one = N::one();
        self.tableau.form_of(std::iter::once((var, &one)), &N::zero(), &mut self.form)
    }

    /// The unknown whose value, rounded down, is the least of the negative ones.
    fn most_negative(&self) -> Option<usize> {
        let mut worst: Option<(N, usize)> = None;
        for var in 0..self.tableau.n_vars() {
            if let Some((numerator, denominator)) =
                self.tableau.value(var).filter(|v| v.0.signum() < 0)
            {
                let value = numerator.div_floor(denominator);
                if worst.as_ref().is_none_or(|(old, _)| value.is_less(old)) {
                    worst = Some((value, var));
                }
            }
        }
        worst.map(|(_, var)| var)
    }

    /// The first unknown whose value is no integer.
    fn first_fractional(&self) -> Option<usize> {
        let is_fractional =
            |var: &usize| self.tableau.value(*var).is_some_and(|(n, d)| !n.is_multiple_of(d));
        (0..self.tableau.n_vars()).find(is_fractional)
    }

    /// The step for the Gomory cut of the fractional unknown `var`.
    ///
    /// **Paper** R. E. Gomory, *An algorithm for integer solutions to linear programs*, in Recent Advances in
    /// Mathematical Programming, 1963.
    fn cut_fraction(&mut self, var: usize) -> Result<Step, Overflow> {
        self.load_var(var)?;
        self.form.fractional_part()?;
        let column = self.tableau.entering_column(&self.form)?;
        Ok(Step { owner: Owner::Cut, column, is_unit: false, is_large_cut: false })
    }
}

/// How good a column is for an equality to enter in: smaller is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Rating {
    /// Whether the pivot makes denominators grow.
    grows: bool,
    /// The first unknown that the column moves.
    lead: usize,
    column: usize,
}
