//! The floating-point numbers of 16 bits, of which Rust has no types yet: IEEE half precision, and `bfloat16`, the upper half of a `float`.

/// A format of floating-point numbers, of which each is a `float`.
struct Format {
    /// How many digits numbers have behind the first one.
    n_digits: i32,
    /// The exponent of the least number that has all of them.
    least: i32,
    /// The greatest number.
    greatest: f64,
}

/// Half precision.
const HALF: Format = Format { n_digits: 10, least: -14, greatest: 65504.0 };

/// `bfloat16`, whose exponents are those of `float`.
const BF16: Format = Format { n_digits: 7, least: -126, greatest: 3.3895313892515355e38 };

/// The number of half precision that is nearest to a `double`, the even one of two: infinite from 65520 on.
pub fn nearest_half(x: f64) -> f32 {
    HALF.nearest(x)
}

/// Whether a `double` lies in the middle of two numbers of half precision.
pub fn is_between_halves(x: f64) -> bool {
    HALF.is_between(x)
}

/// The `bfloat16` that is nearest to a `double`, the even one of two.
pub fn nearest_bf16(x: f64) -> f32 {
    BF16.nearest(x)
}

/// Whether a `double` lies in the middle of two numbers of `bfloat16`.
pub fn is_between_bf16s(x: f64) -> bool {
    BF16.is_between(x)
}

/// The `bfloat16` that is nearest to an integer. Where no `double` holds it, one stands for it that has the same neighbours: all
/// digits behind the first forty are one that is not zero.
pub fn whole_as_bf16(value: i128) -> f32 {
    let size = value.unsigned_abs();
    let n_lost = (128 - size.leading_zeros()).saturating_sub(40);
    let kept = size >> n_lost;
    let is_exact = kept << n_lost == size;
    let near = (kept | u128::from(!is_exact)) << n_lost;
    let near = nearest_bf16(near as f64);
    if value < 0 { -near } else { near }
}

impl Format {
    /// The number that is nearest to a `double`, the even one of two.
    fn nearest(&self, x: f64) -> f32 {
        if x == 0.0 || !x.is_finite() {
            return x as f32;
        }
        let last = self.last_place(x);
        let nearest = (x / last).round_ties_even() * last;
        match nearest.abs() > self.greatest {
            true => f32::INFINITY.copysign(nearest as f32),
            false => nearest as f32,
        }
    }

    /// Whether a `double` lies in the middle of two numbers.
    fn is_between(&self, x: f64) -> bool {
        x.is_finite() && (x / self.last_place(x)).fract().abs() == 0.5
    }

    /// By how much numbers are apart around a `double`: a power of two, so that dividing by it is exact.
    fn last_place(&self, x: f64) -> f64 {
        let exponent = i32::try_from((x.to_bits() >> 52) & 0x7ff).unwrap_or(0) - 1023;
        2f64.powi(exponent.max(self.least) - self.n_digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_is_its_own_nearest_and_ties_are_even() {
        let value = |bits: u16| {
            let (exponent, rest) = (i32::from(bits >> 10), f64::from(bits & 0x3ff));
            match exponent {
                0 => rest * 2f64.powi(-24),
                _ => (1.0 + rest / 1024.0) * 2f64.powi(exponent - 15),
            }
        };
        for bits in 0..0x7bff_u16 {
            let (one, next) = (value(bits), value(bits + 1));
            let middle = f64::midpoint(one, next);
            let even = if bits % 2 == 0 { one } else { next };
            assert_eq!(f64::from(nearest_half(one)), one);
            assert_eq!(f64::from(nearest_half(middle)), even, "{middle}");
            assert_eq!(f64::from(nearest_half(-middle.next_up())), -next, "{middle}");
            assert!(is_between_halves(middle) && !is_between_halves(middle.next_up()));
        }
    }

    #[test]
    fn what_is_too_large_is_infinite() {
        assert_eq!(nearest_half(65519.9), 65504.0);
        assert_eq!(nearest_half(-65520.0), f32::NEG_INFINITY);
        assert_eq!(nearest_half(1e300), f32::INFINITY);
        assert!(nearest_half(f64::NAN).is_nan());
        assert_eq!(nearest_half(-0.0).to_bits(), (-0f32).to_bits());
        assert_eq!(nearest_half(1e-300), 0.0);
    }

    #[test]
    fn every_bf16_is_its_own_nearest_and_ties_are_even() {
        let value = |bits: u16| f64::from(f32::from_bits(u32::from(bits) << 16));
        for bits in 0..0x7f7f_u16 {
            let (one, next) = (value(bits), value(bits + 1));
            let middle = f64::midpoint(one, next);
            let even = if bits % 2 == 0 { one } else { next };
            assert_eq!(f64::from(nearest_bf16(one)), one);
            assert_eq!(f64::from(nearest_bf16(middle)), even, "{middle}");
            // A `float` in between would round these to the middle first.
            assert_eq!(f64::from(nearest_bf16(-middle.next_up())), -next, "{middle}");
            assert_eq!(f64::from(nearest_bf16(middle.next_down())), one, "{middle}");
            assert!(is_between_bf16s(middle) && !is_between_bf16s(middle.next_up()));
        }
        assert_eq!(f64::from(nearest_bf16(BF16.greatest)), BF16.greatest);
        assert_eq!(nearest_bf16(3.4e38), f32::INFINITY);
        assert_eq!(nearest_bf16(-1e300), f32::NEG_INFINITY);
        assert!(nearest_bf16(f64::NAN).is_nan());
    }

    #[test]
    fn integers_round_once() {
        assert_eq!(whole_as_bf16(-257), -256.0);
        assert_eq!(whole_as_bf16(259), 260.0);
        // `float` has the first, and `double` the second, in the middle of two numbers.
        assert_eq!(whole_as_bf16((1 << 24) + (1 << 16) + 1), 16_908_288.0);
        assert_eq!(whole_as_bf16(-(1 << 62) - (1 << 54) - 1), -((1_u64 << 62) as f32) * 1.0078125);
        assert_eq!(whole_as_bf16((1 << 62) + (1 << 54)), (1_u64 << 62) as f32);
        assert_eq!(whole_as_bf16(u64::MAX.into()), 2f32.powi(64));
        assert_eq!(whole_as_bf16(0), 0.0);
    }
}
