//! Where the languages of kernels differ, in one table.

use super::Language;
use super::narrow::TRUTH;
use super::short_floating::{IN_MEMORY, helper};
use farkas_astgen::Divided;
use farkas_scop::{ElementKind, ElementType};
use farkas_tree::GpuAxis;

/// Functions of the mathematics library that both languages have, for `double`; their names for `float` end in `f`.
const FUNCTIONS: [&str; 36] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin",
    "fmod", "hypot", "log", "log10", "log1p", "log2", "pow", "rint", "round", "sin", "sqrt", "tan",
    "tanh",
];

impl Language {
    /// What stands before a kernel's name.
    pub(super) fn kernel(self) -> &'static str {
        match self {
            Self::Cuda => "extern \"C\" __global__ void",
            Self::OpenCl => "__kernel void",
        }
    }

    /// What stands before the type of what a pointer to the device's memory points to.
    pub(super) fn global(self) -> &'static str {
        match self {
            Self::Cuda => "",
            Self::OpenCl => "__global ",
        }
    }

    /// The same where it is memory that gives one value to all threads, and nothing writes it.
    pub(super) fn constant(self) -> &'static str {
        match self {
            Self::Cuda => "",
            Self::OpenCl => "__constant ",
        }
    }

    /// The word by which nothing else points to what a pointer does.
    pub(super) fn restrict(self) -> &'static str {
        match self {
            Self::Cuda => "__restrict__",
            Self::OpenCl => "restrict",
        }
    }

    /// What stands before an array that the threads of a block share.
    pub(super) fn shared(self) -> &'static str {
        match self {
            Self::Cuda => "__shared__ ",
            Self::OpenCl => "__local ",
        }
    }

    /// The statement at which all threads of a block wait for one another.
    pub(super) fn barrier(self) -> &'static str {
        match self {
            Self::Cuda => "__syncthreads();",
            Self::OpenCl => "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
        }
    }

    /// Which of the blocks or threads along an axis this one is.
    pub(super) fn number(self, divided: Divided) -> String {
        match (self, divided) {
            (Self::Cuda, Divided::Blocks(axis)) => format!("blockIdx.{}", axis.letter()),
            (Self::Cuda, Divided::Threads(axis)) => format!("threadIdx.{}", axis.letter()),
            (Self::OpenCl, Divided::Blocks(axis)) => format!("get_group_id({})", axis.index()),
            (Self::OpenCl, Divided::Threads(axis)) => format!("get_local_id({})", axis.index()),
        }
    }

    /// How many blocks there are along an axis.
    pub(super) fn n_blocks(self, axis: GpuAxis) -> String {
        match self {
            Self::Cuda => format!("gridDim.{}", axis.letter()),
            Self::OpenCl => format!("get_num_groups({})", axis.index()),
        }
    }

    /// The type in memory of numbers of a type; none where it has none.
    pub(super) fn type_of(self, ty: &ElementType) -> Option<&'static str> {
        if ty.is_truth() {
            return Some(TRUTH);
        }
        Some(match ty.kind {
            ElementKind::Signed(8) => "signed char",
            ElementKind::Signed(16) => "short",
            ElementKind::Signed(32) => "int",
            ElementKind::Signed(64) => "long",
            ElementKind::Unsigned(8) => "unsigned char",
            ElementKind::Unsigned(16) => "unsigned short",
            ElementKind::Unsigned(32) => "unsigned int",
            ElementKind::Unsigned(64) => "unsigned long",
            ElementKind::Half | ElementKind::Bf16 => IN_MEMORY,
            ElementKind::Float => "float",
            ElementKind::Double => "double",
            _ => return None,
        })
    }

    /// The definition that a function of C needs, if any; `None` where there is no such function.
    pub(super) fn function(self, name: &str) -> Option<Option<String>> {
        let for_double = name.strip_suffix('f').filter(|stem| FUNCTIONS.contains(stem));
        if let Some(definition) = helper(self, name) {
            return Some(Some(definition));
        }
        match (self, name) {
            // Their arguments become integers in C, whatever they are.
            (_, "abs") => Some(Some(self.absolute(name, "int"))),
            (_, "labs" | "llabs") => Some(Some(self.absolute(name, "long"))),
            // There one name serves all types; in C, it takes doubles.
            _ if FUNCTIONS.contains(&name) => Some(Some(self.converting(name, name, "double"))),
            (Self::Cuda, _) => for_double.map(|_| None),
            (Self::OpenCl, _) => for_double.map(|stem| Some(self.converting(name, stem, "float"))),
        }
    }

    /// The kind of number that a function of the mathematics library gives.
    pub(super) fn precision(name: &str) -> Option<ElementKind> {
        let stem = name.strip_suffix('f').filter(|stem| FUNCTIONS.contains(stem));
        let of_float = stem.map(|_| ElementKind::Float);
        if FUNCTIONS.contains(&name) { Some(ElementKind::Double) } else { of_float }
    }

    /// The lines in front of all kernels.
    pub(super) fn prologue(self, has_doubles: bool) -> Vec<&'static str> {
        let mut lines = Vec::new();
        if self == Self::OpenCl {
            if has_doubles {
                lines.push("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
            }
            lines.extend(["#if !FARKAS_FP_CONTRACT", "#pragma OPENCL FP_CONTRACT OFF", "#endif"]);
        }
        lines
    }

    /// The definition of the absolute value of an integer.
    fn absolute(self, name: &str, ty: &str) -> String {
        let before = self.own_function();
        let value = match self {
            Self::Cuda => "x < 0 ? -x : x".to_owned(),
            Self::OpenCl => format!("abs_diff(x, ({ty})0)"),
        };
        format!(
            "{before}{ty} farkas_{name}({ty} x) {{ return {value}; }}\n#undef {name}\n#define {name} farkas_{name}"
        )
    }

    /// What stands before the type of a function that kernels call.
    fn own_function(self) -> &'static str {
        if self == Self::Cuda { "static __device__ " } else { "" }
    }

    /// The definition of a function that converts its arguments before it calls another; the name may be a macro of the device's own.
    fn converting(self, name: &str, called: &str, ty: &str) -> String {
        let n = match called {
            "fma" => 3,
            "atan2" | "copysign" | "fdim" | "fmax" | "fmin" | "fmod" | "hypot" | "pow" => 2,
            _ => 1,
        };
        let names = ["x", "y", "z"].get(..n).unwrap_or_default();
        let params: Vec<String> = names.iter().map(|x| format!("{ty} {x}")).collect();
        let (params, names) = (params.join(", "), names.join(", "));
        let before = self.own_function();
        format!(
            "{before}{ty} farkas_{name}({params}) {{ return {called}({names}); }}\n#undef {name}\n#define {name} farkas_{name}"
        )
    }
}
