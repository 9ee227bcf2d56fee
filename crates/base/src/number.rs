//! Numbers.

/// The greatest common divisor, not negative; one where it does not fit.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::gcd;

    #[test]
    fn of_every_sign() {
        assert_eq!([gcd(0, 0), gcd(0, -6), gcd(-4, 6), gcd(7, 5)], [0, 6, 2, 1]);
        assert_eq!(gcd(i64::MIN, 0), 1);
    }
}
