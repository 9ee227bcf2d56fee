//! The type of generated loop variables, and what C's types mean for them.

use farkas_astgen::{Ast, Cond, Expr, Node, Term};
use farkas_scop::Scop;

/// What a type of iterators and parameters asks of the generated code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Width {
    /// Becomes `int` in arithmetic.
    Int,
    /// Needs `long`.
    Long,
    /// Needs `long long`.
    LongLong,
}

/// The words of a type that matter, sorted: qualifiers and `int` beside other words are left out.
fn words(ty: &str) -> Vec<&str> {
    let ignored = ["const", "volatile", "register", "static", "restrict", "signed", "extern"];
    let mut words: Vec<&str> = ty.split_whitespace().filter(|w| !ignored.contains(w)).collect();
    if words.len() > 1 {
        words.retain(|w| *w != "int");
    }
    words.sort_unstable();
    words
}

/// What `ty` asks for; typedefs that are not C's own count as `long`.
pub(crate) fn width(ty: &str) -> Width {
    match words(ty).as_slice() {
        []
        | ["int" | "short" | "char" | "_Bool" | "bool"]
        | ["int8_t" | "int16_t" | "int32_t" | "uint8_t" | "uint16_t"]
        | ["short" | "char", "unsigned"] => Width::Int,
        ["long", "long", ..] => Width::LongLong,
        _ => Width::Long,
    }
}

/// Whether values of type `ty` are converted to a signed type before they meet loop variables: `ty` is unsigned, or
/// nothing is known of it.
pub(crate) fn needs_cast(ty: &str) -> bool {
    let known = [
        "int",
        "long",
        "short",
        "char",
        "_Bool",
        "bool",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "ptrdiff_t",
        "ssize_t",
        "intptr_t",
    ];
    let words = words(ty);
    width(ty) > Width::Int && !words.iter().all(|w| known.contains(w))
}

/// Whether both texts are the same type but for qualifiers.
pub(crate) fn same_type(a: &str, b: &str) -> bool {
    words(a) == words(b)
}

/// The type of loop variables in the code of `scop`.
pub fn iterator_type(scop: &Scop, ast: &Ast) -> &'static str {
    let params = scop.params().iter().map(|p| p.ty.as_str());
    let iterators = scop.stmts().iter().flat_map(|s| s.iterators.iter().map(|i| i.ty.as_str()));
    let mut widest = params.chain(iterators).map(width).max().unwrap_or(Width::Int);
    if widest == Width::Int && ast.body.iter().any(has_long) {
        widest = Width::Long;
    }
    match widest {
        Width::Int => "int",
        Width::Long => "long",
        Width::LongLong => "long long",
    }
}

/// Whether a number in the code is too large for `int`.
fn has_long(node: &Node) -> bool {
    match node {
        Node::For(node) => {
            i32::try_from(node.step).is_err()
                || is_long(&node.first)
                || is_long(&node.end)
                || node.body.iter().any(has_long)
        }
        Node::If(node) => {
            is_long_cond(&node.condition) || node.then.iter().chain(&node.otherwise).any(has_long)
        }
        Node::User(user) => user.values.iter().any(is_long),
    }
}

/// Whether a number in the condition is too large for `int`.
fn is_long_cond(cond: &Cond) -> bool {
    match cond {
        Cond::Zero(e) | Cond::NonNegative(e) => is_long(e),
        Cond::All(parts) | Cond::Any(parts) => parts.iter().any(is_long_cond),
    }
}

/// Whether a number in the expression is too large for `int`.
fn is_long(expr: &Expr) -> bool {
    let long = |n: i64| i32::try_from(n).is_err();
    long(expr.constant())
        || expr.terms().iter().any(|(term, factor)| {
            long(*factor)
                || match term {
                    Term::Param(_) | Term::Iterator(_) => false,
                    Term::Div(e, d, _) | Term::Mod(e, d, _) => long(*d) || is_long(e),
                    Term::Min(es) | Term::Max(es) => es.iter().any(is_long),
                    Term::Select(c, a, b) => is_long_cond(c) || is_long(a) || is_long(b),
                }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        for ty in ["int", "const int", "short", "unsigned char", "signed int", "int32_t"] {
            assert_eq!((width(ty), needs_cast(ty)), (Width::Int, false), "{ty}");
        }
        for ty in ["unsigned", "unsigned int", "size_t", "unsigned long", "index_t"] {
            assert_eq!((width(ty), needs_cast(ty)), (Width::Long, true), "{ty}");
        }
        for ty in ["long", "long int", "int64_t", "const ptrdiff_t"] {
            assert_eq!((width(ty), needs_cast(ty)), (Width::Long, false), "{ty}");
        }
        assert_eq!(width("unsigned long long"), Width::LongLong);
        assert!(same_type("long int", "const long") && !same_type("long", "int"));
    }
}
