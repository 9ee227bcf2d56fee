//! Affine functions of parameters and of the iterations of the loops around a call.

use farkas_poly::{Aff, DimType, PwAff, Result};
use std::collections::BTreeMap;

/// What the names of parameters begin with that stand for loops around a call.
const AROUND: &str = "farkas_o";

/// A sum of multiples of parameters and loop iterations, and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Affine {
    /// Factors of the loops around, by their position; none for those that are not there.
    pub around: BTreeMap<usize, i64>,
    /// Factors of parameters, by name.
    pub params: BTreeMap<String, i64>,
    /// The constant.
    pub constant: i64,
}

impl Affine {
    /// A number.
    pub fn number(constant: i64) -> Self {
        Self { constant, ..Self::default() }
    }

    /// The name of a parameter that stands for the loop at a position.
    pub fn around_name(position: usize) -> String {
        format!("{AROUND}{position}")
    }

    /// A function of parameters, of which some stand for loops around; none where it has divisions, or no one of its pieces is all of it.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn of(value: &PwAff) -> Result<Option<Self>> {
        let domain = value.domain()?;
        for (_, aff) in value.pieces()? {
            let whole = aff.to_pw_aff()?.intersect_domain(&domain)?;
            if value.ne_set(&whole)?.is_empty()? {
                return Self::of_aff(&aff);
            }
        }
        Ok(None)
    }

    /// A function of one piece.
    fn of_aff(aff: &Aff) -> Result<Option<Self>> {
        if aff.dim(DimType::Div)? > 0 {
            return Ok(None);
        }
        let Some(constant) = aff.constant_val()?.to_small_int()? else { return Ok(None) };
        let mut sum = Self::number(constant);
        let space = aff.domain_space()?;
        for at in 0..aff.dim(DimType::Param)? {
            let position = i32::try_from(at).unwrap_or(i32::MAX);
            let factor = aff.coefficient_val(DimType::Param, position)?.to_small_int()?;
            let Some(factor) = factor else { return Ok(None) };
            let name = space.dim_name(DimType::Param, at).unwrap_or_default();
            match name.strip_prefix(AROUND).and_then(|at| at.parse().ok()) {
                _ if factor == 0 => {}
                Some(position) => {
                    sum.around.insert(position, factor);
                }
                None => {
                    sum.params.insert(name, factor);
                }
            }
        }
        Ok(Some(sum))
    }

    /// The sum of this and a multiple of another one.
    #[must_use]
    pub fn plus(&self, factor: i64, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant += factor * other.constant;
        for (position, of) in &other.around {
            *sum.around.entry(*position).or_default() += factor * of;
        }
        for (name, of) in &other.params {
            *sum.params.entry(name.clone()).or_default() += factor * of;
        }
        sum.around.retain(|_, factor| *factor != 0);
        sum.params.retain(|_, factor| *factor != 0);
        sum
    }

    /// The number that it is, if it is one.
    pub fn as_number(&self) -> Option<i64> {
        (self.around.is_empty() && self.params.is_empty()).then_some(self.constant)
    }

    /// Its text, in isl's notation and in C alike, where `around` names the loops.
    pub fn text(&self, around: &dyn Fn(usize) -> String) -> String {
        let mut text = String::new();
        let params = self.params.iter().map(|(name, factor)| (name.clone(), *factor));
        let around = self.around.iter().map(|(at, factor)| (around(*at), *factor));
        for (name, factor) in params.chain(around) {
            let sign = match (text.is_empty(), factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let times = match factor.unsigned_abs() {
                1 => String::new(),
                times => format!("{times}*"),
            };
            text.push_str(&format!("{sign}{times}{name}"));
        }
        match self.constant {
            constant if text.is_empty() => constant.to_string(),
            0 => text,
            constant if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
            constant => format!("{text} + {constant}"),
        }
    }

    /// Its text as a term of a sum or a factor.
    pub fn factor_text(&self, around: &dyn Fn(usize) -> String) -> String {
        let text = self.text(around);
        if text.contains([' ', '-', '*']) { format!("({text})") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_read_and_printed() {
        let value: PwAff =
            "[n, farkas_o0] -> { [(2n - farkas_o0 - 1)] : n > 3 }".parse().expect("a function");
        let read = Affine::of(&value).expect("isl answers").expect("affine");
        assert_eq!(read.text(&|at| format!("i{at}")), "2*n - i0 - 1");
        assert_eq!(read.factor_text(&|at| format!("i{at}")), "(2*n - i0 - 1)");
        assert_eq!(read.plus(-1, &read).as_number(), Some(0));
        let halves: PwAff = "[n] -> { [(floor(n / 2))] }".parse().expect("a function");
        assert_eq!(Affine::of(&halves).expect("isl answers"), None);
        let two: PwAff = "[n] -> { [(n)] : n > 3; [(4)] : n <= 3 }".parse().expect("a function");
        assert_eq!(Affine::of(&two).expect("isl answers"), None);
    }
}
