//! The lexicographic dual tableau: the unknowns as affine forms of as many non-negative columns.

use crate::number::{Number, Overflow};

/// Where an unknown is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// It is the column itself: its value is zero at the current point.
    Column(usize),
    /// It is the affine form in this slot.
    Slot(usize),
}

/// What a column stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// The unknown at this position.
    Var(usize),
    /// The slack of the stored row at this position.
    Row(usize),
    /// The slack of a cut, which is dropped when it leaves the columns.
    Cut,
    /// The slack of an equality, always zero.
    Dead,
}

/// An affine form over the columns: `(coefficients . y + constant) / denominator`.
#[derive(Clone, Debug)]
pub(crate) struct Form<N> {
    /// One per column.
    pub(crate) coefficients: Vec<N>,
    /// The columns with a non-zero coefficient, ascending.
    pub(crate) support: Vec<usize>,
    pub(crate) constant: N,
    /// Positive.
    pub(crate) denominator: N,
}

impl<N: Number> Form<N> {
    /// The form zero over `n_columns`.
    pub(crate) fn zero(n_columns: usize) -> Self {
        Self {
            coefficients: vec![N::zero(); n_columns],
            support: Vec::new(),
            constant: N::zero(),
            denominator: N::one(),
        }
    }

    /// Lists the support anew.
    fn find_support(&mut self) {
        self.support.clear();
        let nonzero = self.coefficients.iter().enumerate().filter(|(_, c)| !c.is_zero());
        self.support.extend(nonzero.map(|(column, _)| column));
    }

    /// Turns the integer form `a.y + b` into its Chvatal-Gomory cut `ceil(a / l).y + floor(b / l)` with
    /// `l = numerator / denominator`, which every integer `y >= 0` with `a.y + b >= 0` satisfies.
    pub(crate) fn divide_up(&mut self, numerator: &N, denominator: &N) -> Result<(), Overflow> {
        for &column in &self.support {
            let scaled = self.coefficients[column].mul(denominator)?.neg()?;
            self.coefficients[column] = scaled.div_floor(numerator).neg()?;
        }
        self.constant = self.constant.mul(denominator)?.div_floor(numerator);
        self.find_support();
        Ok(())
    }

    /// Turns the form of an unknown that is not an integer into its Gomory cut, the form
    /// `(sum (a_k mod d) y_k - (-b mod d)) / d`, which is a non-negative integer for every integer solution.
    pub(crate) fn fractional_part(&mut self) -> Result<(), Overflow> {
        let denominator = &self.denominator;
        for &column in &self.support {
            self.coefficients[column] = rest(&self.coefficients[column], denominator)?;
        }
        self.constant = rest(&self.constant.neg()?, denominator)?.neg()?;
        self.find_support();
        Ok(())
    }

    /// The negated form.
    pub(crate) fn negate(&mut self) -> Result<(), Overflow> {
        for &column in &self.support {
            self.coefficients[column] = self.coefficients[column].neg()?;
        }
        self.constant = self.constant.neg()?;
        Ok(())
    }
}

/// `number` modulo the positive `divisor`, not negative.
fn rest<N: Number>(number: &N, divisor: &N) -> Result<N, Overflow> {
    number.sub_mul(&number.div_floor(divisor), divisor)
}

/// The unknowns `x` as affine forms `x = T y + t` of the columns `y >= 0`; the current point is `y = 0`.
///
/// Invariants: every live column of `T`, read from the first unknown down, is lexicographically positive, so that the
/// current point is the smallest one of `y >= 0`; the column of an unknown that is a column is a unit vector, which is
/// not stored; a dead column is zero; every denominator is positive and shares no factor with its whole row.
#[derive(Clone, Debug)]
pub(crate) struct Tableau<N> {
    /// Where each unknown is.
    places: Vec<Place>,
    /// What each column is.
    owners: Vec<Owner>,
    /// Per column, the first unknown in which it is not zero.
    leads: Vec<usize>,
    /// Row-major numerators: slot `s`, column `c` at `s * stride + c`.
    body: Vec<N>,
    stride: usize,
    /// Per slot.
    constants: Vec<N>,
    /// Per slot.
    denominators: Vec<N>,
    /// The unknown in each slot.
    slot_vars: Vec<usize>,
    /// Slots that hold no unknown; their body is zero.
    free_slots: Vec<usize>,
    /// The unknowns whose value the last pivot changed.
    changed: Vec<usize>,
}

impl<N: Number> Tableau<N> {
    /// `n_vars` unknowns, each its own column.
    pub(crate) fn new(n_vars: usize) -> Self {
        Self {
            places: (0..n_vars).map(Place::Column).collect(),
            owners: (0..n_vars).map(Owner::Var).collect(),
            leads: (0..n_vars).collect(),
            body: Vec::new(),
            stride: n_vars,
            constants: Vec::new(),
            denominators: Vec::new(),
            slot_vars: Vec::new(),
            free_slots: Vec::new(),
            changed: Vec::new(),
        }
    }

    pub(crate) fn n_vars(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.owners.len()
    }

    /// One more unknown, its own column.
    pub(crate) fn add_var(&mut self) {
        if self.n_columns() == self.stride {
            self.widen_rows();
        }
        self.places.push(Place::Column(self.n_columns()));
        self.owners.push(Owner::Var(self.places.len() - 1));
        self.leads.push(self.places.len() - 1);
    }

    /// Doubles the room for columns.
    fn widen_rows(&mut self) {
        let stride = (2 * self.stride).max(8);
        let mut body = Vec::with_capacity(self.constants.len() * stride);
        for slot in 0..self.constants.len() {
            body.extend_from_slice(self.slot_row(slot));
            body.resize((slot + 1) * stride, N::zero());
        }
        (self.body, self.stride) = (body, stride);
    }

    /// The numerators of `slot`, over the live columns and the room behind them.
    fn slot_row(&self, slot: usize) -> &[N] {
        &self.body[slot * self.stride..(slot + 1) * self.stride]
    }

    /// The value of unknown `var` at the current point: numerator and denominator, `None` for zero.
    pub(crate) fn value(&self, var: usize) -> Option<(&N, &N)> {
        match self.places[var] {
            Place::Column(_) => None,
            Place::Slot(slot) => Some((&self.constants[slot], &self.denominators[slot])),
        }
    }

    /// The unknowns whose value the last pivot changed.
    pub(crate) fn changed(&self) -> &[usize] {
        &self.changed
    }

    /// The numerator of unknown `var` in column `column`; exact up to the positive factor that the row shares.
    fn entry(&self, var: usize, column: usize) -> Option<&N> {
        match self.places[var] {
            Place::Slot(slot) => Some(&self.body[slot * self.stride + column]),
            Place::Column(_) => None,
        }
    }

    /// Writes the form of the sum of `terms` and `constant` into `form`.
    pub(crate) fn form_of<'a>(
        &self,
        terms: impl Iterator<Item = (usize, &'a N)> + Clone,
        constant: &N,
        form: &mut Form<N>,
    ) -> Result<(), Overflow>
    where
        N: 'a,
    {
        form.coefficients.clear();
        form.coefficients.resize(self.n_columns(), N::zero());
        form.denominator = self.common_denominator(terms.clone())?;
        form.constant = constant.mul(&form.denominator)?;
        for (var, coefficient) in terms {
            match self.places[var] {
                Place::Column(column) => {
                    let sum = form.coefficients[column].add_mul(coefficient, &form.denominator)?;
                    form.coefficients[column] = sum;
                }
                Place::Slot(slot) => self.add_slot(slot, coefficient, form)?,
            }
        }
        form.find_support();
        Ok(())
    }

    /// The least common denominator of the unknowns in `terms`.
    fn common_denominator<'a>(
        &self,
        terms: impl Iterator<Item = (usize, &'a N)>,
    ) -> Result<N, Overflow>
    where
        N: 'a,
    {
        let mut common = N::one();
        for (var, _) in terms {
            if let Place::Slot(slot) = self.places[var] {
                let denominator = &self.denominators[slot];
                if !denominator.is_one() {
                    common = common.mul(&denominator.div_exact(&common.gcd(denominator)))?;
                }
            }
        }
        Ok(common)
    }

    /// Adds `coefficient` times the unknown in `slot` to `form`.
    fn add_slot(&self, slot: usize, coefficient: &N, form: &mut Form<N>) -> Result<(), Overflow> {
        let factor = coefficient.mul(&form.denominator.div_exact(&self.denominators[slot]))?;
        for (sum, entry) in form.coefficients.iter_mut().zip(self.slot_row(slot)) {
            if !entry.is_zero() {
                *sum = sum.add_mul(&factor, entry)?;
            }
        }
        form.constant = form.constant.add_mul(&factor, &self.constants[slot])?;
        Ok(())
    }

    /// The sign of the sum of `terms` and `constant` at the current point.
    pub(crate) fn sign_of<'a>(
        &self,
        terms: impl Iterator<Item = (usize, &'a N)>,
        constant: &N,
    ) -> Result<i32, Overflow>
    where
        N: 'a,
    {
        let (mut sum, mut common) = (constant.clone(), N::one());
        for (var, coefficient) in terms {
            let Some((numerator, denominator)) = self.value(var) else { continue };
            if *denominator == common {
                sum = sum.add_mul(coefficient, numerator)?;
                continue;
            }
            let scale = denominator.div_exact(&common.gcd(denominator));
            let factor = common.mul(&scale)?.div_exact(denominator);
            common = common.mul(&scale)?;
            sum = sum.mul(&scale)?.add_mul(&factor, &coefficient.mul(numerator)?)?;
        }
        Ok(sum.signum())
    }

    /// Among the columns with a positive coefficient in `form`, the one whose ratio `column / coefficient` is
    /// lexicographically smallest: entering there moves the point least and keeps the columns positive.
    pub(crate) fn entering_column(&self, form: &Form<N>) -> Result<Option<usize>, Overflow> {
        let mut best: Option<usize> = None;
        for &column in form.support.iter().filter(|&&c| form.coefficients[c].signum() > 0) {
            best = match best {
                Some(old) if !self.is_smaller(column, old, form)? => best,
                _ => Some(column),
            };
        }
        Ok(best)
    }

    /// For an integer form `a.y + b` with `b < 0`: the lexicographically smallest column `k` with `a_k > 0`, and the
    /// smallest `numerator / denominator = l` so that `k` is also the entering column of the form's Chvatal-Gomory cut
    /// with divisor `l`, and enters it with coefficient one.
    ///
    /// **Paper** R. E. Gomory, *An all-integer integer programming algorithm*, in Industrial Scheduling, 1963.
    ///
    /// **Formulation** with `m_j` the largest integer for which `m_j T_k` is not larger than `T_j`, `l` is the largest
    /// `a_j / m_j` over the columns with `a_j > 0`. A column that moves an earlier unknown than `k` has no largest `m_j`
    /// and does not count.
    pub(crate) fn cut_column(&self, form: &Form<N>) -> Result<Option<(usize, N, N)>, Overflow> {
        let positive =
            || form.support.iter().copied().filter(|&c| form.coefficients[c].signum() > 0);
        let Some(mut smallest) = positive().next() else { return Ok(None) };
        for column in positive().skip(1) {
            if self.is_at_most(&N::one(), column, smallest)? {
                smallest = column;
            }
        }
        let (mut numerator, mut denominator) = (N::one(), N::one());
        for column in positive().filter(|&c| self.leads[c] == self.leads[smallest]) {
            let multiple = self.multiple(smallest, column)?;
            let coefficient = &form.coefficients[column];
            if N::cmp_products(coefficient, &denominator, &numerator, &multiple)?.is_gt() {
                (numerator, denominator) = (coefficient.clone(), multiple);
            }
        }
        Ok(Some((smallest, numerator, denominator)))
    }

    /// The largest integer `m` for which `m` times column `small` is not larger than `large`, which has the same lead.
    fn multiple(&self, small: usize, large: usize) -> Result<N, Overflow> {
        let lead = self.leads[small];
        let quotient = self.cell(lead, large).div_floor(&self.cell(lead, small));
        if self.is_at_most(&quotient, small, large)? {
            Ok(quotient)
        } else {
            quotient.add(&N::one().neg()?)
        }
    }

    /// Whether `factor` times column `a` is lexicographically not larger than column `b`; the factor is positive.
    fn is_at_most(&self, factor: &N, a: usize, b: usize) -> Result<bool, Overflow> {
        if self.leads[a] != self.leads[b] {
            return Ok(self.leads[a] > self.leads[b]);
        }
        for var in self.leads[a]..self.n_vars() {
            let (entry_a, entry_b) = (self.cell(var, a), self.cell(var, b));
            if entry_a.is_zero() && entry_b.is_zero() {
                continue;
            }
            let order = N::cmp_products(&entry_a, factor, &entry_b, &N::one())?;
            if order.is_ne() {
                return Ok(order.is_lt());
            }
        }
        Ok(true)
    }

    /// The numerator of unknown `var` in `column`.
    fn cell(&self, var: usize, column: usize) -> N {
        match self.places[var] {
            Place::Slot(slot) => self.body[slot * self.stride + column].clone(),
            Place::Column(own) if own == column => N::one(),
            Place::Column(_) => N::zero(),
        }
    }

    /// The first unknown that `column` moves.
    pub(crate) fn lead(&self, column: usize) -> usize {
        self.leads[column]
    }

    /// Whether the ratio of column `a` is lexicographically smaller than that of `b`.
    fn is_smaller(&self, a: usize, b: usize, form: &Form<N>) -> Result<bool, Overflow> {
        if self.leads[a] != self.leads[b] {
            return Ok(self.leads[a] > self.leads[b]);
        }
        for var in self.leads[a]..self.n_vars() {
            let (entry_a, entry_b) = match self.places[var] {
                Place::Column(column) if column == a => return Ok(false),
                Place::Column(column) if column == b => return Ok(true),
                Place::Column(_) => continue,
                Place::Slot(slot) => {
                    (&self.body[slot * self.stride + a], &self.body[slot * self.stride + b])
                }
            };
            if entry_a.is_zero() && entry_b.is_zero() {
                continue;
            }
            let order =
                N::cmp_products(entry_a, &form.coefficients[b], entry_b, &form.coefficients[a])?;
            if order.is_ne() {
                return Ok(order.is_lt());
            }
        }
        Ok(false)
    }

    /// Exchanges column `column` against `form`, which `owner` names, and returns how many entries it touched.
    ///
    /// With `s = (a.y + b) / d` the form and `p = a_j > 0` its coefficient in column `j`, the column becomes
    /// `y_j = (d s - sum a_k y_k - b) / p`; every unknown that contains `y_j` is rewritten.
    pub(crate) fn pivot(
        &mut self,
        form: &Form<N>,
        column: usize,
        owner: Owner,
    ) -> Result<u64, Overflow> {
        let left = self.owners[column];
        self.changed.clear();
        if let Owner::Var(var) = owner {
            self.free_slot_of(var);
            self.changed.push(var);
        }
        let mut touched = 0;
        for slot in 0..self.constants.len() {
            if !self.body[slot * self.stride + column].is_zero() {
                self.eliminate(slot, form, column)?;
                self.changed.push(self.slot_vars[slot]);
                touched += 1;
            }
        }
        if let Owner::Var(var) = left {
            self.define(var, form, column)?;
            self.changed.push(var);
        }
        if form.constant.is_zero() {
            self.changed.clear();
        }
        self.owners[column] = owner;
        if let Owner::Var(var) = owner {
            self.places[var] = Place::Column(column);
        }
        self.renew_leads(form, column);
        if owner == Owner::Dead {
            self.clear_column(column);
        }
        Ok((touched + 1) * (form.support.len() as u64 + 1))
    }

    /// Empties the slot of unknown `var`.
    fn free_slot_of(&mut self, var: usize) {
        if let Place::Slot(slot) = self.places[var] {
            self.body[slot * self.stride..(slot + 1) * self.stride].fill(N::zero());
            (self.constants[slot], self.denominators[slot]) = (N::zero(), N::one());
            self.free_slots.push(slot);
        }
    }

    /// Rewrites `slot`, whose entry in `column` is not zero, for the new column.
    fn eliminate(&mut self, slot: usize, form: &Form<N>, column: usize) -> Result<(), Overflow> {
        let row = &mut self.body[slot * self.stride..(slot + 1) * self.stride];
        let pivot = &form.coefficients[column];
        let common = pivot.gcd(&row[column]);
        let (scale, factor) = (pivot.div_exact(&common), row[column].div_exact(&common));
        row[column] = N::zero();
        if !scale.is_one() {
            for entry in row.iter_mut().filter(|entry| !entry.is_zero()) {
                *entry = entry.mul(&scale)?;
            }
            self.constants[slot] = self.constants[slot].mul(&scale)?;
            self.denominators[slot] = self.denominators[slot].mul(&scale)?;
        }
        for &k in form.support.iter().filter(|&&k| k != column) {
            row[k] = row[k].sub_mul(&factor, &form.coefficients[k])?;
        }
        row[column] = factor.mul(&form.denominator)?;
        self.constants[slot] = self.constants[slot].sub_mul(&factor, &form.constant)?;
        self.reduce(slot);
        Ok(())
    }

    /// Gives the unknown `var`, which was `column`, a slot.
    fn define(&mut self, var: usize, form: &Form<N>, column: usize) -> Result<(), Overflow> {
        let slot = self.free_slots.pop().unwrap_or_else(|| self.new_slot());
        let row = &mut self.body[slot * self.stride..(slot + 1) * self.stride];
        for &k in &form.support {
            row[k] = form.coefficients[k].neg()?;
        }
        row[column] = form.denominator.clone();
        self.constants[slot] = form.constant.neg()?;
        self.denominators[slot] = form.coefficients[column].clone();
        self.places[var] = Place::Slot(slot);
        self.slot_vars[slot] = var;
        self.reduce(slot);
        Ok(())
    }

    /// A slot at the end.
    fn new_slot(&mut self) -> usize {
        self.body.resize(self.body.len() + self.stride, N::zero());
        self.constants.push(N::zero());
        self.denominators.push(N::one());
        self.slot_vars.push(0);
        self.constants.len() - 1
    }

    /// Divides the row of `slot` by the common factor of its numerators and denominator.
    fn reduce(&mut self, slot: usize) {
        if self.denominators[slot].is_one() {
            return;
        }
        let row = &mut self.body[slot * self.stride..(slot + 1) * self.stride];
        let start = self.denominators[slot].gcd(&self.constants[slot]);
        if start.is_one() {
            return;
        }
        let common = N::gcd_of_row(&start, row);
        if common.is_one() {
            return;
        }
        N::divide_row(row, &common);
        self.constants[slot] = self.constants[slot].div_exact(&common);
        self.denominators[slot] = self.denominators[slot].div_exact(&common);
    }

    /// Finds the leads of the columns that a pivot on `form` and `column` changed.
    fn renew_leads(&mut self, form: &Form<N>, column: usize) {
        let lead = self.leads[column];
        for &k in form.support.iter().filter(|&&k| k != column) {
            if self.leads[k] > lead {
                self.leads[k] = lead;
            } else if self.leads[k] == lead {
                self.leads[k] = self.lead_from(k, lead);
            }
        }
    }

    /// The first unknown from `var` on that `column` moves.
    fn lead_from(&self, column: usize, var: usize) -> usize {
        let moves = |var: &usize| match self.places[*var] {
            Place::Column(other) => other == column,
            Place::Slot(_) => self.entry(*var, column).is_some_and(|entry| !entry.is_zero()),
        };
        (var..self.n_vars()).find(moves).unwrap_or(self.n_vars())
    }

    /// Sets `column` to zero in every slot.
    fn clear_column(&mut self, column: usize) {
        for slot in 0..self.constants.len() {
            let entry = &mut self.body[slot * self.stride + column];
            if !entry.is_zero() {
                *entry = N::zero();
                self.reduce(slot);
            }
        }
    }
}
