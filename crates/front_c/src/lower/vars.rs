//! The variables of a region.

use super::hir::{Expr, VarId};
use crate::source::{BaseType, CType, Symbol};
use farkas_base::{IdVec, Span};
use farkas_scop::{ArrayScope, ElementKind, ElementType, Grant};

/// A scalar or array that the region mentions.
#[derive(Clone, Debug)]
pub(super) struct Var<'u> {
    /// Its name in the source; a path such as `s.x` for a member.
    pub(super) name: String,
    /// The type of its elements.
    pub(super) element: ElementType,
    /// Its extents, where the source says them; none for scalars.
    pub(super) extents: Vec<Option<Expr>>,
    /// The extents as text, for variables declared inside the region.
    pub(super) extent_texts: Vec<String>,
    /// Whether it is a pointer really, or a parameter of array type.
    pub(super) is_pointer: bool,
    /// Whether it is a `restrict` pointer.
    pub(super) is_restrict: bool,
    /// Whether it holds pointers to its rows.
    pub(super) holds_pointers: bool,
    /// Where it is declared.
    pub(super) scope: ArrayScope,
    /// Its declaration, for those that are not of scope [`ArrayScope::Region`].
    pub(super) symbol: Option<Symbol<'u>>,
    /// Where it is declared.
    pub(super) span: Span,
    /// Whether it has the value of a member of a struct, which lies elsewhere.
    pub(super) is_taken: bool,
    /// Whether a loop runs over it.
    pub(super) is_iterator: bool,
    /// The assignments to it, loop headers apart.
    pub(super) writes: Vec<Span>,
    /// The variables from outside that it is computed of before the region; else none.
    pub(super) made_of: Vec<VarId>,
    /// The variable of which it says whether that has some value, if that is all it is there for: it is 1 or 0.
    pub(super) flag_of: Option<VarId>,
}

/// All of them.
pub(super) type Vars<'u> = IdVec<VarId, Var<'u>>;

impl Var<'_> {
    /// A scalar that is declared in the region and has no declaration of the user's.
    pub(super) fn made(name: String, element: ElementType, span: Span) -> Self {
        Self {
            name,
            element,
            extents: Vec::new(),
            extent_texts: Vec::new(),
            is_pointer: false,
            is_restrict: false,
            holds_pointers: false,
            is_taken: false,
            scope: ArrayScope::Region,
            symbol: None,
            span,
            is_iterator: false,
            writes: Vec::new(),
            made_of: Vec::new(),
            flag_of: None,
        }
    }

    /// Whether both are members of the elements of one array of structs, and different ones.
    pub(super) fn is_other_member(&self, other: &Self) -> bool {
        let parts = |name: &str| name.rsplit_once("[].").map(|(a, b)| (a.to_owned(), b.to_owned()));
        match (parts(&self.name), parts(&other.name)) {
            (Some((one, x)), Some((same, y))) => {
                let within = |a: &str, b: &str| a == b || a.starts_with(&format!("{b}."));
                one == same && !within(&x, &y) && !within(&y, &x)
            }
            _ => false,
        }
    }

    /// The variable that it is a part of.
    pub(super) fn whole(&self) -> &str {
        Grant::whole(&self.name)
    }

    /// Number of dimensions.
    pub(super) fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Whether it can be a parameter of the scop: an integer scalar from outside that the region does not change.
    pub(super) fn can_be_parameter(&self) -> bool {
        self.rank() == 0
            && self.element.kind.is_integer()
            && self.scope != ArrayScope::Region
            && !self.is_iterator
            && self.writes.is_empty()
    }
}

/// The kind of element that `base` is.
pub(super) fn element_kind(base: &BaseType) -> ElementKind {
    match base {
        BaseType::Integer { bits, signed } => {
            let bits = u8::try_from(*bits).unwrap_or(u8::MAX);
            if *signed { ElementKind::Signed(bits) } else { ElementKind::Unsigned(bits) }
        }
        BaseType::Enum(_) => ElementKind::Signed(32),
        BaseType::Half => ElementKind::Half,
        BaseType::Bf16 => ElementKind::Bf16,
        BaseType::Float => ElementKind::Float,
        BaseType::Double => ElementKind::Double,
        BaseType::LongDouble => ElementKind::LongDouble,
        BaseType::Bool => ElementKind::Unsigned(8),
        BaseType::Void | BaseType::Record(_) | BaseType::Other(_) => ElementKind::Other,
    }
}

/// The type of the elements of `ctype`. Another name of `_Bool` is looked through, which is told from bytes by its name.
pub(super) fn element_type(ctype: &CType<'_>) -> ElementType {
    let text = match (&ctype.base, ctype.base_text.as_str()) {
        (BaseType::Bool, text) if text != "bool" => "_Bool".to_owned(),
        (_, text) => text.to_owned(),
    };
    ElementType { text, kind: element_kind(&ctype.base) }
}
