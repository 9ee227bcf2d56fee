//! Arrays and scalars (arrays of dimension zero).

use crate::Operator;
use farkas_base::Span;
use farkas_poly::PwAff;

/// What kind of number an element is; enough for an interpreter to compute as C does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ElementKind {
    /// A signed integer of this many bits.
    Signed(u8),
    /// An unsigned integer of this many bits.
    Unsigned(u8),
    /// IEEE half precision, `_Float16`.
    Half,
    /// The upper half of a `float`, `__bf16`.
    Bf16,
    /// IEEE single precision.
    Float,
    /// IEEE double precision.
    Double,
    /// C's `long double`.
    LongDouble,
    /// Anything else: a struct, a pointer, a complex number, a type that the source does not reveal.
    Other,
}

impl ElementKind {
    /// Whether compilers compute with several elements at once, as far as is known. Few processors compute with half precision, and fewer with
    /// `__bf16`, so that each element is converted; none has vectors of `long double`.
    pub fn has_vectors(self) -> bool {
        !self.is_short_floating() && self != Self::LongDouble
    }

    /// Bytes an element takes, where that is known.
    pub fn size_bytes(self) -> Option<u32> {
        match self {
            Self::Signed(bits) | Self::Unsigned(bits) => Some(u32::from(bits) / 8),
            Self::Half | Self::Bf16 => Some(2),
            Self::Float => Some(4),
            Self::Double => Some(8),
            Self::LongDouble => Some(16),
            Self::Other => None,
        }
    }
}

/// The type of an array's elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ElementType {
    /// As the source writes it, `DATA_TYPE` expanded: `double`, `unsigned char`.
    pub text: String,
    /// What it is.
    pub kind: ElementKind,
}

impl ElementType {
    /// The same without the words that say how a variable of it is used: `double` of `const double`.
    #[must_use]
    pub fn unqualified(&self) -> Self {
        let is_use = |word: &&str| matches!(*word, "const" | "volatile" | "register" | "restrict");
        let words: Vec<&str> = self.text.split_whitespace().filter(|word| !is_use(word)).collect();
        Self { text: words.join(" "), kind: self.kind }
    }

    /// Whether C stores zero or one alone.
    pub fn is_truth(&self) -> bool {
        matches!(self.unqualified().text.as_str(), "_Bool" | "bool")
    }
}

/// Where an array lives, seen from the region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArrayScope {
    /// Declared at file scope.
    Global,
    /// A parameter of the function.
    Parameter,
    /// Declared in the function, outside the region.
    Local,
    /// Declared inside the region; the generated code declares it.
    Region,
    /// Made by a transformation: a buffer that the generated code declares inside the innermost loops around all its uses.
    /// Its extents are numbers.
    Buffer,
    /// Made by a transformation: an array with a place for each value that the program keeps in one after another. The
    /// generated code allocates it around the region; its extents are functions of the parameters.
    Expanded,
}

impl ArrayScope {
    /// The word that text forms use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Parameter => "parameter",
            Self::Local => "local",
            Self::Region => "region",
            Self::Buffer => "buffer",
            Self::Expanded => "expanded",
        }
    }
}

/// An array, or a scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Unique among the arrays of the scop; the isl tuple name.
    pub name: String,
    /// The name in the source, which generated code prints with subscripts behind it, or for a member of the elements of an
    /// array of structs, `particles[].x`, in it ([`element_text`]); two arrays of the region may share it only when they are of
    /// scope [`ArrayScope::Region`], and then `name` is printed instead.
    pub source_name: String,
    /// Type of the elements.
    pub element: ElementType,
    /// Number of elements in each dimension as a function of the parameters, where the source says it; `[]` for scalars.
    pub extents: Vec<Option<PwAff>>,
    /// Where it lives.
    pub scope: ArrayScope,
    /// Whether code before the region may have set it.
    pub is_live_in: bool,
    /// Whether code after the region may read it.
    pub is_live_out: bool,
    /// For arrays of scope [`ArrayScope::Region`]: the declaration that the generated code prints, without initialiser,
    /// with `name` as the declared name and a final semicolon.
    pub declaration: Option<String>,
    /// The operator by which the user lets updates of its elements be combined in any order.
    pub reduction: Option<Operator>,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// An element as C writes it: each `[]` in `name` takes a subscript, and the others follow.
///
/// # Example
/// The element of `particles[].at` with subscripts `i` and `2` is `particles[i].at[2]`.
pub fn element_text(name: &str, subscripts: &[String]) -> String {
    let mut subscripts = subscripts.iter();
    let mut parts = name.split("[]");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let subscript = subscripts.next().map_or("", String::as_str);
        text.push_str(&format!("[{subscript}]{part}"));
    }
    subscripts.for_each(|subscript| text.push_str(&format!("[{subscript}]")));
    text
}

impl Array {
    /// Whether it is one member of each element of an array of structs.
    pub fn is_member_of_elements(&self) -> bool {
        self.source_name.contains("[]")
    }

    /// Whether code may read and write its elements where the original does not: a variable or a declared array. Where a parameter or
    /// a pointer leads, there may be fewer elements.
    pub fn is_always_there(&self) -> bool {
        let is_declared = self.scope != ArrayScope::Parameter
            && self.extents.iter().all(Option::is_some)
            && !self.is_member_of_elements();
        self.rank() == 0 || is_declared
    }

    /// Number of dimensions; zero for a scalar.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// The name that generated code uses.
    pub fn printed_name(&self) -> &str {
        match self.scope {
            ArrayScope::Region | ArrayScope::Buffer | ArrayScope::Expanded => &self.name,
            _ => &self.source_name,
        }
    }

    /// The numbers of elements in each dimension, where all of them are numbers.
    pub fn constant_extents(&self) -> Option<Vec<i64>> {
        self.extents.iter().map(|extent| constant(extent.as_ref()?)).collect()
    }

    /// Whether a transformation made it and how large it is depends on parameters, or may be more than a stack holds: it is allocated before the
    /// loops.
    pub fn is_allocated(&self) -> bool {
        match self.scope {
            ArrayScope::Expanded => true,
            ArrayScope::Buffer => self.constant_extents().is_none(),
            _ => false,
        }
    }

    /// Whether nothing but the region itself knows of it: a transformation made it, or it is an array of the function that holds nothing
    /// before the region, and of which nothing is read after it. How its elements lie in memory is nobody else's affair then.
    pub fn is_temporary(&self) -> bool {
        let is_variable = matches!(self.scope, ArrayScope::Local | ArrayScope::Region)
            && !self.source_name.contains(['.', '['])
            && self.rank() > 0;
        match self.scope {
            ArrayScope::Expanded => true,
            _ => is_variable && !self.is_live_in && !self.is_live_out,
        }
    }

    /// Whether each iteration of a loop may have a copy of its own, as far as the array itself says: nothing reads it after the
    /// region, its elements are numbers, it is a variable and not a part of one or what a pointer points to, and its size
    /// is known and at most 16 KiB.
    pub fn may_be_private(&self) -> bool {
        let is_variable = !self.source_name.contains(['.', '['])
            && (self.rank() == 0 || self.scope != ArrayScope::Parameter);
        let size = self.element.kind.size_bytes().and_then(|size| {
            let extents = self.extents.iter().map(|e| constant(e.as_ref()?).filter(|e| *e > 0));
            extents.into_iter().try_fold(i64::from(size), |size, e| size.checked_mul(e?))
        });
        !self.is_live_out && is_variable && size.is_some_and(|size| size <= MAX_PRIVATE_BYTES)
    }
}

/// The most bytes of an array that each iteration of a loop may have a copy of.
const MAX_PRIVATE_BYTES: i64 = 16 * 1024;

/// The value of an extent that does not depend on parameters.
fn constant(extent: &PwAff) -> Option<i64> {
    let pieces = extent.pieces().ok()?;
    let [(_, value)] = pieces.as_slice() else { return None };
    if !value.is_cst().ok()? {
        return None;
    }
    value.constant_val().ok()?.to_i64().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A local array of doubles with these extents.
    fn local(extents: &[Option<&str>]) -> Array {
        let extent = |text: &Option<&str>| text.map(|text| text.parse().expect("an extent"));
        Array {
            name: "t".into(),
            source_name: "t".into(),
            element: ElementType { text: "double".into(), kind: ElementKind::Double },
            extents: extents.iter().map(extent).collect(),
            scope: ArrayScope::Local,
            is_live_in: false,
            is_live_out: false,
            declaration: None,
            reduction: None,
            span: None,
        }
    }

    #[test]
    fn subscripts_stand_behind_names_or_in_them() {
        let subscripts = ["i".to_owned(), "2".to_owned()];
        assert_eq!(element_text("a", &subscripts), "a[i][2]");
        assert_eq!(element_text("p[].at", &subscripts), "p[i].at[2]");
        assert_eq!(element_text("p[][].x", &subscripts), "p[i][2].x");
        assert_eq!(element_text("x", &[]), "x");
    }

    #[test]
    fn small_variables_that_nothing_reads_later_may_be_private() {
        let (ten, large) = ("{ [] -> [(10)] }", "{ [] -> [(2049)] }");
        assert!(local(&[]).may_be_private());
        assert!(local(&[Some(ten), Some(ten)]).may_be_private());
        assert!(!local(&[Some(large)]).may_be_private());
        assert!(!local(&[Some("[n] -> { [] -> [(n)] }")]).may_be_private());
        assert!(!local(&[None]).may_be_private());
        assert!(!Array { is_live_out: true, ..local(&[]) }.may_be_private());
        assert!(!Array { source_name: "s.t".into(), ..local(&[]) }.may_be_private());
        let parameter = Array { scope: ArrayScope::Parameter, ..local(&[Some(ten)]) };
        assert!(!parameter.may_be_private());
        let element = ElementType { text: "struct s".into(), kind: ElementKind::Other };
        assert!(!Array { element, ..local(&[]) }.may_be_private());
    }
}
