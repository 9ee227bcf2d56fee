//! Ranges of what code computes.

/// What is known of the value of an expression, and the type that a language computes it in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// No value is less,
    pub least: i128,
    /// and none is greater.
    pub greatest: i128,
    /// Whether it is computed in the wide type.
    pub wide: bool,
}

impl Value {
    /// A value of which nothing is known.
    pub const UNKNOWN: Self =
        Self { least: i64::MIN as i128, greatest: i64::MAX as i128, wide: true };

    /// A number: in the narrow type where that holds it.
    pub fn number(value: i128) -> Self {
        Self { least: value, greatest: value, wide: i32::try_from(value).is_err() }
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            greatest: self.greatest.saturating_add(other.greatest),
            wide: self.wide || other.wide,
        }
    }

    /// The product with a number.
    #[must_use]
    pub fn times(self, factor: i128) -> Self {
        let (a, b) = (self.least.saturating_mul(factor), self.greatest.saturating_mul(factor));
        Self { least: a.min(b), greatest: a.max(b), ..self }
    }

    /// The quotient by a positive number, rounded down.
    #[must_use]
    pub fn divided(self, divisor: i128) -> Self {
        let by = divisor.max(1);
        Self { least: self.least.div_euclid(by), greatest: self.greatest.div_euclid(by), ..self }
    }

    /// The lesser of two values.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            greatest: self.greatest.min(other.greatest),
            wide: self.wide || other.wide,
        }
    }

    /// The greater of two values.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            least: self.least.max(other.least),
            greatest: self.greatest.max(other.greatest),
            wide: self.wide || other.wide,
        }
    }

    /// One of two values.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            wide: self.wide || other.wide,
        }
    }

    /// Whether all values lie between these two.
    pub fn is_within(self, least: i128, greatest: i128) -> bool {
        least <= self.least && self.greatest <= greatest
    }
}
