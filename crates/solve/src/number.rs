//! Exact integers of three widths behind one trait: the engine starts narrow and is rebuilt wider on overflow.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A result that the width at hand cannot hold: the engine is rebuilt with the next width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Overflow;

/// An exact integer of some width. Every operation either is exact or says [`Overflow`].
pub(crate) trait Number: Clone + PartialEq + std::fmt::Debug {
    fn zero() -> Self;
    fn one() -> Self;
    fn from_i64(value: i64) -> Self;
    fn to_i64(&self) -> Option<i64>;
    fn is_zero(&self) -> bool;
    fn is_one(&self) -> bool;
    /// -1, 0 or 1.
    fn signum(&self) -> i32;
    fn neg(&self) -> Result<Self, Overflow>;
    fn add(&self, other: &Self) -> Result<Self, Overflow>;
    fn mul(&self, other: &Self) -> Result<Self, Overflow>;
    /// `self + a * b`.
    fn add_mul(&self, a: &Self, b: &Self) -> Result<Self, Overflow>;
    /// `self - a * b`.
    fn sub_mul(&self, a: &Self, b: &Self) -> Result<Self, Overflow>;
    /// `self / divisor`, which leaves no rest.
    fn div_exact(&self, divisor: &Self) -> Self;
    /// `self / divisor` rounded down; the divisor is positive.
    fn div_floor(&self, divisor: &Self) -> Self;
    /// The non-negative greatest common divisor.
    fn gcd(&self, other: &Self) -> Self;
    /// `self < other`.
    fn is_less(&self, other: &Self) -> bool;
    /// Whether the positive `divisor` divides `self`.
    fn is_multiple_of(&self, divisor: &Self) -> bool;
    /// Some bits that equal numbers share.
    fn low_bits(&self) -> u64;
    /// Compares `a * b` with `c * d`.
    fn cmp_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Result<Ordering, Overflow>;
}

macro_rules! machine_number {
    ($int:ty, $gcd:ident, $cmp:expr) => {
        impl Number for $int {
            #[inline]
            fn zero() -> Self {
                0
            }
            #[inline]
            fn one() -> Self {
                1
            }
            #[inline]
            fn from_i64(value: i64) -> Self {
                Self::from(value)
            }
            #[inline]
            fn to_i64(&self) -> Option<i64> {
                i64::try_from(*self).ok()
            }
            #[inline]
            fn is_zero(&self) -> bool {
                *self == 0
            }
            #[inline]
            fn is_one(&self) -> bool {
                *self == 1
            }
            #[inline]
            fn signum(&self) -> i32 {
                i32::from(*self > 0) - i32::from(*self < 0)
            }
            #[inline]
            fn neg(&self) -> Result<Self, Overflow> {
                self.checked_neg().ok_or(Overflow)
            }
            #[inline]
            fn add(&self, other: &Self) -> Result<Self, Overflow> {
                self.checked_add(*other).ok_or(Overflow)
            }
            #[inline]
            fn mul(&self, other: &Self) -> Result<Self, Overflow> {
                self.checked_mul(*other).ok_or(Overflow)
            }
            #[inline]
            fn add_mul(&self, a: &Self, b: &Self) -> Result<Self, Overflow> {
                a.checked_mul(*b).and_then(|product| self.checked_add(product)).ok_or(Overflow)
            }
            #[inline]
            fn sub_mul(&self, a: &Self, b: &Self) -> Result<Self, Overflow> {
                a.checked_mul(*b).and_then(|product| self.checked_sub(product)).ok_or(Overflow)
            }
            #[inline]
            fn div_exact(&self, divisor: &Self) -> Self {
                self.wrapping_div(*divisor)
            }
            #[inline]
            fn div_floor(&self, divisor: &Self) -> Self {
                Integer::div_floor(self, divisor)
            }
            #[inline]
            fn gcd(&self, other: &Self) -> Self {
                $gcd(self.unsigned_abs(), other.unsigned_abs())
            }
            #[inline]
            fn low_bits(&self) -> u64 {
                u64::from_le_bytes((*self as i64).to_le_bytes())
            }
            #[inline]
            fn is_less(&self, other: &Self) -> bool {
                self < other
            }
            #[inline]
            fn is_multiple_of(&self, divisor: &Self) -> bool {
                *divisor == 1 || self % divisor == 0
            }
            #[inline]
            fn cmp_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Result<Ordering, Overflow> {
                $cmp(*a, *b, *c, *d)
            }
        }
    };
}

machine_number!(i64, gcd_i64, |a, b, c, d| Ok(
    (i128::from(a) * i128::from(b)).cmp(&(i128::from(c) * i128::from(d)))
));
machine_number!(i128, gcd_i128, cmp_products_i128);

/// The gcd of two sizes. A size of 2^63 (from `i64::MIN`) counts as 1, a common divisor like any other for the
/// reductions this is used for.
fn gcd_i64(a: u64, b: u64) -> i64 {
    i64::try_from(a.gcd(&b)).unwrap_or(1)
}

/// As [`gcd_i64`].
fn gcd_i128(a: u128, b: u128) -> i128 {
    i128::try_from(a.gcd(&b)).unwrap_or(1)
}

/// Compares the products where both fit.
fn cmp_products_i128(a: i128, b: i128, c: i128, d: i128) -> Result<Ordering, Overflow> {
    match (a.checked_mul(b), c.checked_mul(d)) {
        (Some(left), Some(right)) => Ok(left.cmp(&right)),
        _ => Err(Overflow),
    }
}

impl Number for BigInt {
    fn zero() -> Self {
        Zero::zero()
    }
    fn one() -> Self {
        One::one()
    }
    fn from_i64(value: i64) -> Self {
        value.into()
    }
    fn to_i64(&self) -> Option<i64> {
        ToPrimitive::to_i64(self)
    }
    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }
    fn is_one(&self) -> bool {
        One::is_one(self)
    }
    fn signum(&self) -> i32 {
        i32::from(Signed::is_positive(self)) - i32::from(Signed::is_negative(self))
    }
    fn neg(&self) -> Result<Self, Overflow> {
        Ok(-self)
    }
    fn add(&self, other: &Self) -> Result<Self, Overflow> {
        Ok(self + other)
    }
    fn mul(&self, other: &Self) -> Result<Self, Overflow> {
        Ok(self * other)
    }
    fn add_mul(&self, a: &Self, b: &Self) -> Result<Self, Overflow> {
        Ok(self + a * b)
    }
    fn sub_mul(&self, a: &Self, b: &Self) -> Result<Self, Overflow> {
        Ok(self - a * b)
    }
    fn div_exact(&self, divisor: &Self) -> Self {
        self / divisor
    }
    fn div_floor(&self, divisor: &Self) -> Self {
        Integer::div_floor(self, divisor)
    }
    fn gcd(&self, other: &Self) -> Self {
        Integer::gcd(self, other)
    }
    fn low_bits(&self) -> u64 {
        self.iter_u64_digits().next().unwrap_or(0)
    }
    fn is_less(&self, other: &Self) -> bool {
        self < other
    }
    fn is_multiple_of(&self, divisor: &Self) -> bool {
        Integer::is_multiple_of(self, divisor)
    }
    fn cmp_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Result<Ordering, Overflow> {
        Ok((a * b).cmp(&(c * d)))
    }
}
