//! C's integer types, as far as generated code meets them.

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

/// The least and the greatest value of type `ty`: of all that it may be where nothing is known of it.
pub(crate) fn range(ty: &str) -> (i128, i128) {
    let signed = |bits: u32| (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let unsigned = |bits: u32| (0, (1i128 << bits) - 1);
    match words(ty).as_slice() {
        [] | ["int" | "int32_t"] => signed(32),
        ["short" | "int16_t"] => signed(16),
        ["int8_t"] => signed(8),
        // Whether it has a sign is the compiler's choice.
        ["char"] => (-128, 255),
        ["_Bool" | "bool"] => (0, 1),
        ["uint8_t"] | ["char", "unsigned"] => unsigned(8),
        ["uint16_t"] | ["short", "unsigned"] => unsigned(16),
        ["uint32_t" | "unsigned"] => unsigned(32),
        ["long" | "int64_t" | "ptrdiff_t" | "ssize_t" | "intptr_t"] | ["long", "long"] => {
            signed(64)
        }
        ["size_t" | "uint64_t" | "uintptr_t"]
        | ["long", "unsigned"]
        | ["long", "long", "unsigned"] => unsigned(64),
        _ => (signed(64).0, unsigned(64).1),
    }
}

/// Whether values of type `ty` are converted to a signed type before they meet loop variables: `ty` is unsigned, or
/// nothing is known of it.
pub(crate) fn needs_cast(ty: &str) -> bool {
    width(ty) > Width::Int && (range(ty).1 > i128::from(i64::MAX) || range(ty).0 == 0)
}

/// Whether both texts are the same type but for qualifiers.
pub(crate) fn same_type(a: &str, b: &str) -> bool {
    words(a) == words(b)
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

    #[test]
    fn ranges() {
        assert_eq!(range("const unsigned short int"), (0, 65535));
        assert_eq!(range("unsigned int"), (0, 4_294_967_295));
        assert_eq!(range("long long int"), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(range("index_t"), (i64::MIN.into(), u64::MAX.into()));
    }
}
