//! IEEE half precision, of which Rust has no type yet.

/// The number of half precision that is nearest to a `double`, the even one of two: infinite from 65520 on.
pub fn nearest_half(x: f64) -> f32 {
    if x == 0.0 || !x.is_finite() {
        return x as f32;
    }
    let last = last_place(x);
    let nearest = (x / last).round_ties_even() * last;
    if nearest.abs() > 65504.0 { f32::INFINITY.copysign(nearest as f32) } else { nearest as f32 }
}

/// Whether a `double` lies in the middle of two numbers of half precision.
pub fn is_between_halves(x: f64) -> bool {
    x.is_finite() && (x / last_place(x)).fract().abs() == 0.5
}

/// By how much numbers of half precision are apart around a `double`: a power of two, so that dividing by it is exact.
fn last_place(x: f64) -> f64 {
    let exponent = i32::try_from((x.to_bits() >> 52) & 0x7ff).unwrap_or(0) - 1023;
    2f64.powi(exponent.max(-14) - 10)
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
}
