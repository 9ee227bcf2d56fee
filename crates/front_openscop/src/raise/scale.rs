//! Dates without common factors.

use farkas_poly::{Aff, DimType, PwAff, Result, UnionPwAff, Val};
use num_integer::gcd;

/// `schedule` divided by the greatest number that divides all its values for the plain reason that it divides all its
/// coefficients and constants. The order stays, and a tile loop `32 * floor(i / 32)` counts tiles: other tools do not
/// find the stride.
pub(super) fn without_common_factor(schedule: &UnionPwAff) -> Result<UnionPwAff> {
    let mut factor = 0;
    for part in schedule.pw_affs()? {
        for (_, aff) in part.pieces()? {
            factor = gcd(factor, factor_of(&aff)?);
        }
    }
    if factor <= 1 {
        return Ok(schedule.clone());
    }
    let Ok(factor) = i64::try_from(factor) else { return Ok(schedule.clone()) };
    let divisor = Val::int(factor)?;
    let parts = schedule.pw_affs()?;
    let parts: Vec<PwAff> =
        parts.iter().map(|part| part.scale_down_val(&divisor)).collect::<Result<_>>()?;
    UnionPwAff::union_all(parts)
}

/// The greatest common divisor of all coefficients and the constant of an expression; 1 where one is no integer.
fn factor_of(aff: &Aff) -> Result<u64> {
    let mut factor = 0;
    let mut take = |value: Val| -> Result<()> {
        factor = gcd(factor, if value.is_int()? { value.to_i64()?.unsigned_abs() } else { 1 });
        Ok(())
    };
    take(aff.constant_val()?)?;
    for kind in [DimType::Param, DimType::In, DimType::Div] {
        for at in 0..aff.dim(kind)? {
            take(aff.coefficient_val(kind, i32::try_from(at).unwrap_or(i32::MAX))?)?;
        }
    }
    Ok(factor)
}
