//! The floating-point types of 16 bits in kernels: bits in memory, and else a `float` that the type holds. Functions go from one to the other.

use super::Language;
use farkas_base::{is_between_bf16s, is_between_halves, nearest_bf16, nearest_half};
use farkas_scop::ElementKind;

/// The type of such numbers in memory.
pub(super) const IN_MEMORY: &str = "unsigned short";

/// Two functions that round a number of some type.
#[derive(Clone, Copy)]
pub(super) struct Rounding {
    /// To bits in memory.
    pub(super) to_bits: &'static str,
    /// To a `float` that is one.
    pub(super) to_float: &'static str,
}

/// A type, and the functions that stand for it.
pub(super) struct Format {
    /// Its kind.
    pub(super) kind: ElementKind,
    /// The value of bits in memory.
    pub(super) from_bits: &'static str,
    /// How a `float` is rounded, of which it holds all integers that have no functions of their own.
    of_float: Rounding,
    /// How a `double` is, which a `float` in between would round twice.
    of_double: Rounding,
    /// How integers with a sign are that `float` may not hold.
    of_signed: Rounding,
    /// How those without one are.
    of_unsigned: Rounding,
    /// Up to which size it holds all integers.
    pub(super) exact: u64,
    /// The nearest of its numbers.
    pub(super) nearest: fn(f64) -> f32,
    /// Whether a `double` lies in the middle of two.
    pub(super) is_between: fn(f64) -> bool,
}

/// How `_Float16` rounds a `float`.
const FLOAT_TO_HALF: Rounding = Rounding { to_bits: "farkas_to_half", to_float: "farkas_as_half" };

/// `_Float16`. Where `float` rounds an integer, half precision is infinite.
static HALF: Format = Format {
    kind: ElementKind::Half,
    from_bits: "farkas_from_half",
    of_float: FLOAT_TO_HALF,
    of_double: Rounding { to_bits: "farkas_double_to_half", to_float: "farkas_double_as_half" },
    of_signed: FLOAT_TO_HALF,
    of_unsigned: FLOAT_TO_HALF,
    exact: 2048,
    nearest: nearest_half,
    is_between: is_between_halves,
};

/// `__bf16`.
static BF16: Format = Format {
    kind: ElementKind::Bf16,
    from_bits: "farkas_from_bf16",
    of_float: Rounding { to_bits: "farkas_to_bf16", to_float: "farkas_as_bf16" },
    of_double: Rounding { to_bits: "farkas_double_to_bf16", to_float: "farkas_double_as_bf16" },
    of_signed: Rounding { to_bits: "farkas_long_to_bf16", to_float: "farkas_long_as_bf16" },
    of_unsigned: Rounding { to_bits: "farkas_ulong_to_bf16", to_float: "farkas_ulong_as_bf16" },
    exact: 256,
    nearest: nearest_bf16,
    is_between: is_between_bf16s,
};

impl Format {
    /// That of a kind of number; none where it is not held so.
    pub(super) fn of(kind: ElementKind) -> Option<&'static Self> {
        match kind {
            ElementKind::Half => Some(&HALF),
            ElementKind::Bf16 => Some(&BF16),
            _ => None,
        }
    }

    /// How numbers of a kind are rounded.
    pub(super) fn rounding(&self, kind: ElementKind) -> Rounding {
        match kind {
            ElementKind::Double => self.of_double,
            ElementKind::Signed(bits) if bits > 16 => self.of_signed,
            ElementKind::Unsigned(bits) if bits > 16 => self.of_unsigned,
            _ => self.of_float,
        }
    }

    /// Where a function rounds to a `float`, the one that rounds the same to bits in memory.
    pub(super) fn in_bits(&self, to_float: &str) -> Option<&'static str> {
        let all = [self.of_float, self.of_double, self.of_signed, self.of_unsigned];
        all.iter().find(|rounding| rounding.to_float == to_float).map(|rounding| rounding.to_bits)
    }
}

/// The functions that give the value of bits in memory.
pub(super) fn conversions() -> impl Iterator<Item = &'static str> {
    [HALF.from_bits, BF16.from_bits].into_iter()
}

/// The definition of a function that some format has.
pub(super) fn helper(language: Language, name: &str) -> Option<String> {
    if let Some((_, cuda, open_cl)) = HALVES.iter().find(|helper| helper.0 == name) {
        let text = match language {
            Language::Cuda => cuda,
            Language::OpenCl => open_cl,
        };
        return Some((*text).to_owned());
    }
    if name == BF16.from_bits {
        return Some(match language {
            Language::Cuda => format!(
                "static __device__ float {name}(unsigned short bits) {{ return __uint_as_float((unsigned int)bits << 16); }}"
            ),
            Language::OpenCl => {
                format!("float {name}(ushort bits) {{ return as_float((uint)bits << 16); }}")
            }
        });
    }
    let (sources, bf16) = (["float", "double", "long", "unsigned long"], &BF16);
    let all = [bf16.of_float, bf16.of_double, bf16.of_signed, bf16.of_unsigned];
    sources.iter().zip(all).find_map(|(source, rounding)| match name {
        _ if name == rounding.to_bits => Some(bf16_helper(language, name, source, true)),
        _ if name == rounding.to_float => Some(bf16_helper(language, name, source, false)),
        _ => None,
    })
}

/// The functions of half precision in CUDA C++, which needs no header for them, and in OpenCL C, whose `half` is a type that only pointers lead to:
/// bytes are what pointers of all types may lead to.
const HALVES: [(&str, &str, &str); 5] = [
    (
        "farkas_from_half",
        "static __device__ float farkas_from_half(unsigned short bits) { float x; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(bits)); return x; }",
        "float farkas_from_half(ushort bits) { uchar2 at = as_uchar2(bits); return vload_half(0, (const half *)&at); }",
    ),
    (
        "farkas_to_half",
        "static __device__ unsigned short farkas_to_half(float x) { unsigned short bits; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(x)); return bits; }",
        "ushort farkas_to_half(float x) { uchar2 at; vstore_half_rte(x, 0, (half *)&at); return as_ushort(at); }",
    ),
    (
        "farkas_as_half",
        "static __device__ float farkas_as_half(float x) { unsigned short bits; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(x)); asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(bits)); return x; }",
        "float farkas_as_half(float x) { uchar2 at; vstore_half_rte(x, 0, (half *)&at); return vload_half(0, (const half *)&at); }",
    ),
    (
        "farkas_double_to_half",
        "static __device__ unsigned short farkas_double_to_half(double x) { unsigned short bits; asm(\"cvt.rn.f16.f64 %0, %1;\" : \"=h\"(bits) : \"d\"(x)); return bits; }",
        "ushort farkas_double_to_half(double x) { uchar2 at; vstore_half_rte(x, 0, (half *)&at); return as_ushort(at); }",
    ),
    (
        "farkas_double_as_half",
        "static __device__ float farkas_double_as_half(double x) { unsigned short bits; float y; asm(\"cvt.rn.f16.f64 %0, %1;\" : \"=h\"(bits) : \"d\"(x)); asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(bits)); return y; }",
        "float farkas_double_as_half(double x) { uchar2 at; vstore_half_rte(x, 0, (half *)&at); return vload_half(0, (const half *)&at); }",
    ),
];

/// A function that rounds a number of a type to `__bf16`, by integers alone, for no device need have an instruction for it: half of the last place
/// is added to the bits of a `float`, or all but the least of that half where the last place is even; a NaN stays one. What is no `float` is cut off to one
/// first, whose last bit is set where that loses anything, which leaves it on the side of the middle where it is.
fn bf16_helper(language: Language, name: &str, source: &str, is_to_bits: bool) -> String {
    let [before, bits, uint, as_uint, as_float] = match language {
        Language::Cuda => {
            let (bits, as_float) = ("unsigned short", "__uint_as_float");
            ["static __device__ ", bits, "unsigned int", "__float_as_uint", as_float]
        }
        Language::OpenCl => ["", "ushort", "uint", "as_uint", "as_float"],
    };
    let cut_off = match (language, source) {
        (Language::OpenCl, _) => "convert_float_rtz",
        (Language::Cuda, "double") => "__double2float_rz",
        (Language::Cuda, "long") => "__ll2float_rz",
        (Language::Cuda, _) => "__ull2float_rz",
    };
    let begin = match source {
        "float" => format!("{uint} u = {as_uint}(x);"),
        _ => format!("float y = {cut_off}(x); {uint} u = {as_uint}(y) | (({source})y != x);"),
    };
    let round = "u = (u & 0x7fffffff) > 0x7f800000 ? u | 0x400000 : u + 0x7fff + ((u >> 16) & 1);";
    let (ty, result) = match is_to_bits {
        true => (bits, "u >> 16".to_owned()),
        false => ("float", format!("{as_float}(u & 0xffff0000)")),
    };
    format!("{before}{ty} {name}({source} x) {{ {begin} {round} return {result}; }}")
}
