//! Exact rational values.

use crate::context::Context;
use crate::object::Object;
use crate::{Error, Result};
use farkas_isl_sys as sys;

isl_object!(
    /// An exact rational number, infinity, or not a number.
    Val, isl_val, isl_val_copy, isl_val_free, to_str isl_val_to_str, from_str isl_val_read_from_str
);

isl_methods! { Val {
    /// Sum.
    take add(other: &Val) -> Val = isl_val_add;
    /// Difference.
    take sub(other: &Val) -> Val = isl_val_sub;
    /// Product.
    take mul(other: &Val) -> Val = isl_val_mul;
    /// Negation.
    take neg() -> Val = isl_val_neg;
    /// Largest integer not above.
    take floor() -> Val = isl_val_floor;
    /// Whether the value is an integer.
    keep is_int() -> bool = isl_val_is_int;
    /// Whether the value is zero.
    keep is_zero() -> bool = isl_val_is_zero;
    /// Whether the value is negative.
    keep is_neg() -> bool = isl_val_is_neg;
    /// Whether the value is not a number.
    keep is_nan() -> bool = isl_val_is_nan;
    /// Whether the value is plus infinity.
    keep is_infty() -> bool = isl_val_is_infty;
    /// Whether the value is minus infinity.
    keep is_neginfty() -> bool = isl_val_is_neginfty;
    /// Whether both are the same number.
    keep eq_val(other: &Val) -> bool = isl_val_eq;
} }

impl Val {
    /// The integer `value`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn int(value: i64) -> Result<Self> {
        let context = Context::current();
        // SAFETY: plain allocation.
        let raw = unsafe { sys::isl_val_int_from_si(context.as_ptr(), value) };
        Self::give(&context, raw)
    }

    /// The value as a machine integer; none where it is infinite, a fraction, or does not fit.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn to_small_int(&self) -> Result<Option<i64>> {
        match self.to_i64() {
            Ok(value) => Ok(Some(value)),
            Err(Error::Overflow { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The value as a machine integer.
    ///
    /// # Errors
    /// [`Error::Overflow`] when it is not an integer or too large.
    pub fn to_i64(&self) -> Result<i64> {
        let overflow = || Error::Overflow { value: self.to_string() };
        if !self.is_int()? {
            return Err(overflow());
        }
        // SAFETY: `self` is live; the call only reads.
        let bits = unsafe {
            sys::isl_val_cmp_si(self.keep(), i64::MAX) <= 0
                && sys::isl_val_cmp_si(self.keep(), i64::MIN) >= 0
        };
        if !bits {
            return Err(overflow());
        }
        // SAFETY: as above; the range was checked.
        Ok(unsafe { sys::isl_val_get_num_si(self.keep()) })
    }
}
