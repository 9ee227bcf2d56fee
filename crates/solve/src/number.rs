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
    /// What an operation costs next to one on 64 bits, roughly.
    const WORK: u64;
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

    /// The greatest common divisor of the positive `start` and all of `row`.
    fn gcd_of_row(start: &Self, row: &[Self]) -> Self {
        let mut common = start.clone();
        for entry in row.iter().filter(|entry| !entry.is_zero()) {
            if common.is_one() {
                break;
            }
            common = common.gcd(entry);
        }
        common
    }

    /// Divides all of `row` by the positive `divisor`, which leaves no rest.
    fn divide_row(row: &mut [Self], divisor: &Self) {
        for entry in row.iter_mut().filter(|entry| !entry.is_zero()) {
            *entry = entry.div_exact(divisor);
        }
    }
}

macro_rules! machine_number {
    ($int:ty, $work:expr, $gcd:ident, $cmp:expr, { $($more:item)* }) => {
        impl Number for $int {
            const WORK: u64 = $work;
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
            $($more)*
        }
    };
}

machine_number!(i64, 1, gcd_i64, cmp_products_i64, {
    fn gcd_of_row(start: &i64, row: &[i64]) -> i64 {
        let mut divisor = Divisor::new(*start);
        for entry in row {
            if !divisor.divides(*entry) {
                divisor = Divisor::new(gcd_i64(divisor.value.unsigned_abs(), entry.unsigned_abs()));
                if divisor.value == 1 {
                    break;
                }
            }
        }
        divisor.value
    }

    fn divide_row(row: &mut [i64], divisor: &i64) {
        let divisor = Divisor::new(*divisor);
        for entry in row {
            *entry = divisor.quotient(*entry);
        }
    }
});
machine_number!(i128, 4, gcd_i128, cmp_products_i128, {});

/// A positive divisor `2^shift * odd`, prepared for many exact divisions: modulo 2^64, dividing by an odd number is
/// multiplying by its inverse.
///
/// **Paper** T. Granlund and P. Montgomery, *Division by invariant integers using multiplication*, PLDI 1994,
/// section 9.
struct Divisor {
    value: i64,
    shift: u32,
    /// The inverse of the odd part.
    inverse: i64,
    /// The largest size that a quotient by the odd part can have.
    max_quotient: u64,
}

impl Divisor {
    fn new(value: i64) -> Self {
        let shift = value.trailing_zeros();
        let odd = value >> shift;
        // Correct in three bits; each step doubles them.
        let inverse =
            (0..5).fold(odd, |x, _| x.wrapping_mul(2i64.wrapping_sub(odd.wrapping_mul(x))));
        Self { value, shift, inverse, max_quotient: i64::MAX.unsigned_abs() / odd.unsigned_abs() }
    }

    /// Whether `number` is a multiple.
    #[inline]
    fn divides(&self, number: i64) -> bool {
        let low_bits = number & ((1i64 << self.shift) - 1);
        low_bits == 0 && number.wrapping_mul(self.inverse).unsigned_abs() <= self.max_quotient
    }

    /// `multiple / value`.
    #[inline]
    fn quotient(&self, multiple: i64) -> i64 {
        (multiple >> self.shift).wrapping_mul(self.inverse)
    }
}

/// Compares the products in twice the width.
fn cmp_products_i64(a: i64, b: i64, c: i64, d: i64) -> Result<Ordering, Overflow> {
    Ok((i128::from(a) * i128::from(b)).cmp(&(i128::from(c) * i128::from(d))))
}

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
    const WORK: u64 = 16;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prepared_division_equals_division() {
        let numbers = [
            0,
            1,
            -1,
            2,
            -6,
            7,
            12,
            -35,
            48,
            1 << 40,
            -(3 << 33),
            i64::MAX,
            i64::MIN + 1,
            i64::MAX - 1,
        ];
        for value in [1, 2, 3, 4, 5, 6, 7, 12, 48, 1 << 33, 3 << 20, i64::MAX, 1 << 62] {
            let divisor = Divisor::new(value);
            for number in numbers {
                assert_eq!(divisor.divides(number), number % value == 0, "{number} by {value}");
                if number % value == 0 {
                    assert_eq!(divisor.quotient(number), number / value, "{number} by {value}");
                }
            }
        }
    }

    #[test]
    fn the_gcd_of_a_row() {
        assert_eq!(i64::gcd_of_row(&12, &[0, -18, 24, 0]), 6);
        assert_eq!(i64::gcd_of_row(&12, &[0, 8, 7]), 1);
        assert_eq!(i64::gcd_of_row(&12, &[]), 12);
        assert_eq!(i128::gcd_of_row(&12, &[0, -18, 24, 0]), 6);
    }
}
