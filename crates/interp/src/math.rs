//! C's mathematics library.

use crate::value::{NumberType, Value};

/// The value of a call of a function of `math.h` or `stdlib.h`; `None` for functions that are not known here.
pub(crate) fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    match (name, arguments) {
        ("abs" | "labs" | "llabs", [x]) => {
            let bits = if name == "abs" { 32 } else { 64 };
            let ty = NumberType::Int { bits, is_signed: true };
            match x.convert(ty) {
                Value::Int { value, .. } => Some(Value::integer(value.abs(), ty)),
                _ => None,
            }
        }
        ("__builtin_inf", []) => Some(Value::Double(f64::INFINITY)),
        ("__builtin_inff", []) => Some(Value::Float(f32::INFINITY)),
        _ => floating(name, arguments),
    }
}

/// A function of `double`s, or of `float`s when its name ends with `f`.
fn floating(name: &str, arguments: &[Value]) -> Option<Value> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    if let Some(value) = double(name, arguments) {
        return Some(Value::Double(value));
    }
    single(name.strip_suffix('f')?, arguments).map(Value::Float)
}

/// Defines the functions of one precision.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident, $ty:ident, $convert:expr) => {
        $(#[$doc])*
        fn $name(name: &str, arguments: &[Value]) -> Option<$ty> {
            let convert: fn(&Value) -> Option<$ty> = $convert;
            let numbers: Vec<$ty> = arguments.iter().map(convert).collect::<Option<_>>()?;
            Some(match (name, numbers.as_slice()) {
                ("sqrt", [x]) => x.sqrt(),
                ("cbrt", [x]) => x.cbrt(),
                ("fabs", [x]) => x.abs(),
                ("exp", [x]) => x.exp(),
                ("exp2", [x]) => x.exp2(),
                ("expm1", [x]) => x.exp_m1(),
                ("log", [x]) => x.ln(),
                ("log2", [x]) => x.log2(),
                ("log10", [x]) => x.log10(),
                ("log1p", [x]) => x.ln_1p(),
                ("sin", [x]) => x.sin(),
                ("cos", [x]) => x.cos(),
                ("tan", [x]) => x.tan(),
                ("asin", [x]) => x.asin(),
                ("acos", [x]) => x.acos(),
                ("atan", [x]) => x.atan(),
                ("sinh", [x]) => x.sinh(),
                ("cosh", [x]) => x.cosh(),
                ("tanh", [x]) => x.tanh(),
                ("asinh", [x]) => x.asinh(),
                ("acosh", [x]) => x.acosh(),
                ("atanh", [x]) => x.atanh(),
                ("floor", [x]) => x.floor(),
                ("ceil", [x]) => x.ceil(),
                ("trunc", [x]) => x.trunc(),
                ("round", [x]) => x.round(),
                ("rint" | "nearbyint", [x]) => x.round_ties_even(),
                ("pow", [x, y]) => x.powf(*y),
                ("atan2", [x, y]) => x.atan2(*y),
                ("hypot", [x, y]) => x.hypot(*y),
                ("fmod", [x, y]) => x % y,
                ("fmin", [x, y]) => x.min(*y),
                ("fmax", [x, y]) => x.max(*y),
                ("copysign", [x, y]) => x.copysign(*y),
                ("fdim", [x, y]) => if x > y { x - y } else { 0.0 },
                ("fma", [x, y, z]) => x.mul_add(*y, *z),
                _ => return None,
            })
        }
    };
}

functions!(
    /// The functions of `double`s.
    double, f64, |x| Some(x.to_f64())
);
functions!(
    /// The functions of `float`s, without their final `f`.
    single, f32, |x| match x.convert(NumberType::Float) {
        Value::Float(x) => Some(x),
        _ => None,
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_decides_the_precision() {
        let two = Value::int(2);
        assert_eq!(call("sqrt", &[two]), Some(Value::Double(2f64.sqrt())));
        assert_eq!(call("sqrtf", &[two]), Some(Value::Float(2f32.sqrt())));
        assert_eq!(call("fmaxf", &[two, Value::Float(2.5)]), Some(Value::Float(2.5)));
        assert_eq!(call("pow", &[two, Value::int(10)]), Some(Value::Double(1024.0)));
        assert_eq!(call("abs", &[Value::int(-3)]), Some(Value::int(3)));
        assert_eq!(call("__builtin_inff", &[]), Some(Value::Float(f32::INFINITY)));
        assert_eq!(call("f", &[two]), None);
        assert_eq!(call("sqrt", &[two, two]), None);
    }
}
