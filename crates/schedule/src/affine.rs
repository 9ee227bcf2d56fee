//! Schedule rows: one affine form for each statement.

use crate::coefficient::Coefficient;
use farkas_base::Id;
use farkas_poly::{Aff, PwAff, Space};
use std::fmt;

/// One dimension of a statement's schedule: `iterators . i + params . n + constant`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct StmtRow {
    /// A coefficient for each iterator, outermost first.
    pub iterators: Vec<i64>,
    /// A coefficient for each parameter of the scop.
    pub params: Vec<i64>,
    /// The constant.
    pub constant: i64,
}

impl StmtRow {
    /// One coefficient; zero for one that the row does not have.
    pub fn coefficient(&self, which: Coefficient) -> i64 {
        match which {
            Coefficient::Iterator(i) => self.iterators.get(i).copied().unwrap_or(0),
            Coefficient::Param(p) => self.params.get(p.index()).copied().unwrap_or(0),
            Coefficient::Constant => self.constant,
        }
    }

    /// All coefficients, the constant last.
    pub(crate) fn entries(&self) -> impl Iterator<Item = i64> {
        self.iterators.iter().chain(&self.params).copied().chain([self.constant])
    }

    /// Divides every coefficient by `divisor`.
    pub(crate) fn divide(&mut self, divisor: i64) {
        let all = self.iterators.iter_mut().chain(&mut self.params).chain([&mut self.constant]);
        all.for_each(|entry| *entry /= divisor);
    }

    /// As a function on the statement's instances; `space` is their set space with all parameters of the scop.
    pub(crate) fn to_pw_aff(&self, space: &Space) -> farkas_poly::Result<PwAff> {
        Aff::linear(space, &self.iterators, &self.params, self.constant)?.to_pw_aff()
    }
}

/// `(iterators | params | constant)`.
impl fmt::Display for StmtRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |entries: &[i64]| entries.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        write!(f, "({} | {} | {})", list(&self.iterators), list(&self.params), self.constant)
    }
}

/// The difference of two schedule rows over a pair of instances:
/// `constant + params . n + source . i + sink . j`, for the pair `i -> j`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PairForm {
    pub(crate) constant: i128,
    pub(crate) params: Vec<i128>,
    pub(crate) source: Vec<i128>,
    pub(crate) sink: Vec<i128>,
}

impl PairForm {
    /// The distance `sink(j) - source(i)`.
    pub(crate) fn distance(source: &StmtRow, sink: &StmtRow) -> Self {
        let wide = |entry: &i64| i128::from(*entry);
        let params = sink.params.iter().zip(&source.params);
        Self {
            constant: wide(&sink.constant) - wide(&source.constant),
            params: params.map(|(a, b)| wide(a) - wide(b)).collect(),
            source: source.iterators.iter().map(|c| -wide(c)).collect(),
            sink: sink.iterators.iter().map(wide).collect(),
        }
    }

    /// The sum of both.
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.constant += other.constant;
        let add = |a: &mut Vec<i128>, b: &[i128]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut self.params, &other.params);
        add(&mut self.source, &other.source);
        add(&mut self.sink, &other.sink);
        self
    }

    /// The form with the opposite sign.
    pub(crate) fn negated(&self) -> Self {
        let negate = |entries: &[i128]| entries.iter().map(|c| -c).collect();
        Self {
            constant: -self.constant,
            params: negate(&self.params),
            source: negate(&self.source),
            sink: negate(&self.sink),
        }
    }

    /// As a function on the wrapped pairs; `space` is their wrapped set space with all parameters of the scop.
    ///
    /// # Errors
    /// When isl refuses or a coefficient does not fit `i64`.
    pub(crate) fn to_aff(&self, space: &Space) -> farkas_poly::Result<Aff> {
        let dims = narrow_all(self.source.iter().chain(&self.sink))?;
        Aff::linear(space, &dims, &narrow_all(&self.params)?, narrow(self.constant)?)
    }
}

/// The values as `i64`.
fn narrow_all<'a>(values: impl IntoIterator<Item = &'a i128>) -> farkas_poly::Result<Vec<i64>> {
    values.into_iter().map(|value| narrow(*value)).collect()
}

/// The value as `i64`.
pub(crate) fn narrow(value: i128) -> farkas_poly::Result<i64> {
    i64::try_from(value).map_err(|_| farkas_poly::Error::Overflow { value: value.to_string() })
}
