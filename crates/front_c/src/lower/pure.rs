//! Functions that may be called in a region.

use farkas_scop::ElementKind;

/// Functions of C's mathematics library that depend on their arguments alone, in their `double` form.
const MATHEMATICS: [&str; 46] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
];

/// The result type of a function of the C library that is pure; rounding mode and `errno` are not looked at.
pub(super) fn library_function(name: &str) -> Option<ElementKind> {
    let known = |base: &str| MATHEMATICS.contains(&base) || base == "trunc";
    match name {
        "abs" | "ilogb" | "ilogbf" | "ilogbl" => return Some(ElementKind::Signed(32)),
        "labs" | "llabs" | "lround" | "llround" | "lrint" | "llrint" => {
            return Some(ElementKind::Signed(64));
        }
        _ if known(name) => return Some(ElementKind::Double),
        _ => {}
    }
    if let Some(base) = name.strip_suffix('f').filter(|b| known(b)) {
        return Some(ElementKind::Float).filter(|_| !base.is_empty());
    }
    name.strip_suffix('l').filter(|b| known(b)).map(|_| ElementKind::LongDouble)
}
