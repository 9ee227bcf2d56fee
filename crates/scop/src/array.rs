//! Arrays and scalars (arrays of dimension zero).

use farkas_base::Span;
use farkas_poly::PwAff;

/// What kind of number an element is; enough for an interpreter to compute as C does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ElementKind {
    /// A signed integer of this many bits.
    Signed(u8),
    /// An unsigned integer of this many bits.
    Unsigned(u8),
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
    /// Bytes an element takes, where that is known.
    pub fn size_bytes(self) -> Option<u32> {
        match self {
            Self::Signed(bits) | Self::Unsigned(bits) => Some(u32::from(bits) / 8),
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
}

/// An array, or a scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Unique among the arrays of the scop; the isl tuple name.
    pub name: String,
    /// The name in the source, which generated code prints; two arrays of the region may share it only when they are of
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
    /// Where it is declared.
    pub span: Option<Span>,
}

impl Array {
    /// Number of dimensions; zero for a scalar.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }
}
