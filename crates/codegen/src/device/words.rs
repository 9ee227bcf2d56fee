//! Names of the user's that are words of a language of kernels.

use super::Language;
use std::collections::BTreeSet;

/// Words of C++ that C has not, and kernels have no use for.
const OF_CUDA: [&str; 44] = [
    "alignas",
    "alignof",
    "catch",
    "class",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_assert",
    "static_cast",
    "template",
    "this",
    "thread_local",
    "throw",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "char8_t",
    "char16_t",
    "char32_t",
];

/// Operators of C++ that are written as words: no macro stands for them.
const OPERATORS: [&str; 11] =
    ["and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or", "or_eq", "xor", "xor_eq"];

/// Words of OpenCL C that C has not, and kernels have no use for.
const OF_OPENCL: [&str; 27] = [
    "constant",
    "event_t",
    "generic",
    "global",
    "half",
    "image1d_array_t",
    "image1d_buffer_t",
    "image1d_t",
    "image2d_array_t",
    "image2d_t",
    "image3d_t",
    "kernel",
    "local",
    "pipe",
    "private",
    "quad",
    "queue_t",
    "read_only",
    "read_write",
    "reserve_id_t",
    "sampler_t",
    "clk_event_t",
    "ndrange_t",
    "uniform",
    "vec_step",
    "write_only",
    "complex",
];

/// Lines that give other names to what kernels call by a word of their language.
pub(super) fn renamed(language: Language, texts: &[&str]) -> Vec<String> {
    let words: &[&str] = match language {
        Language::Cuda => &OF_CUDA,
        Language::OpenCl => &OF_OPENCL,
    };
    let used: BTreeSet<&str> = texts.iter().flat_map(|text| names(text)).collect();
    let other = |word: &str| {
        let mut other = format!("{word}_");
        while used.contains(other.as_str()) {
            other.push('_');
        }
        other
    };
    let taken = words.iter().filter(|word| used.contains(**word));
    taken.map(|word| format!("#define {word} {}", other(word))).collect()
}

/// The first name in a kernel that its language takes for an operator.
pub(super) fn operator(language: Language, text: &str) -> Option<&str> {
    let mut names = names(text).into_iter();
    names.find(|name| language == Language::Cuda && OPERATORS.contains(name))
}

/// The words of a text, without those of comments.
fn names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (n, is_name) = if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), false)
        } else if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), false)
        } else if is_word(next) {
            (rest.find(|c| !is_word(c)).unwrap_or(rest.len()), !next.is_numeric())
        } else {
            (next.len_utf8(), false)
        };
        let (word, behind) = rest.split_at(n);
        if is_name {
            found.push(word);
        }
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_language_get_other_names() {
        let text =
            "void f(double *half, int new) { /* the new half */ half[new] = half_ + 1half; }";
        assert_eq!(renamed(Language::OpenCl, &[text]), ["#define half half__"]);
        assert_eq!(renamed(Language::Cuda, &[text]), ["#define new new_"]);
        assert_eq!(renamed(Language::Cuda, &["int a; // class\nint b;"]), [""; 0]);
        assert_eq!(operator(Language::Cuda, "x[xor] = 1;"), Some("xor"));
        assert_eq!(operator(Language::OpenCl, "x[xor] = 1;"), None);
    }
}
