//! C types as far as a scop needs them: the element's kind and the layers of pointers, arrays and functions around it.

use super::nodes::{children, inner_declarator};
use super::unit::TranslationUnit;
use tree_sitter::Node;

/// The kind of an element, with typedefs looked through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BaseType {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// An integer of `bits` bits in the LP64 model; a `char` has the sign that the compiler says.
    Integer {
        /// 8, 16, 32, 64 or 128.
        bits: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// `_Float16`.
    Half,
    /// `__bf16`.
    Bf16,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `long double`.
    LongDouble,
    /// `struct NAME` or `union NAME`; the name is empty where it has none.
    Record(String),
    /// `enum NAME`.
    Enum(String),
    /// Anything else, by its text.
    Other(String),
}

/// `const`, `volatile`, `restrict` and `_Atomic`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Qualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `restrict` in any spelling.
    pub is_restrict: bool,
    /// `_Atomic`.
    pub is_atomic: bool,
}

/// One layer of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layer<'u> {
    /// A pointer, with its own qualifiers (`double *restrict`).
    Pointer(Qualifiers),
    /// An array.
    Array {
        /// Its extent; `None` for `[]` and `[*]`.
        size: Option<Node<'u>>,
        /// Whether the brackets say `static`.
        is_static: bool,
        /// The qualifiers in the brackets, which are those of the pointer that a parameter really is.
        qualifiers: Qualifiers,
    },
    /// A function.
    Function,
}

/// A type: layers from the outside in, around a base.
///
/// `double A[2][3]` is `[Array 2, Array 3]` of double; `double (*A)[3]` is `[Pointer, Array 3]` of double.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CType<'u> {
    /// The element's kind.
    pub base: BaseType,
    /// The element's type as the file writes it, without storage classes and qualifiers: `unsigned int`, `DATA_T`.
    pub base_text: String,
    /// Qualifiers of the element.
    pub qualifiers: Qualifiers,
    /// Layers from the outside in.
    pub layers: Vec<Layer<'u>>,
}

/// What a name is to a scop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape<'u> {
    /// One element.
    Scalar,
    /// An array, or a pointer used as one.
    Array {
        /// The extents from the outside in; `None` where the file does not say.
        extents: Vec<Option<Node<'u>>>,
        /// Whether it is a pointer really: a pointer, or a parameter of array type.
        is_pointer: bool,
    },
    /// A pointer to pointers, or an array of pointers: each layer is a place of its own in memory.
    Pointers,
    /// A function, or a pointer to one.
    Function,
}

/// Type definitions are followed to this depth.
const MAX_TYPEDEFS: usize = 16;

impl<'u> CType<'u> {
    /// The type that `declarator` gives its name under the specifiers of `declaration` (a `declaration`,
    /// `parameter_declaration`, `field_declaration` or `type_definition`).
    pub fn of_declarator(
        unit: &'u TranslationUnit,
        declaration: Node<'u>,
        declarator: Option<Node<'u>>,
    ) -> Self {
        Self::build(unit, declaration, declarator, 0)
    }

    /// The type that a `type_descriptor` (of a cast or `sizeof`) names.
    pub fn of_descriptor(unit: &'u TranslationUnit, descriptor: Node<'u>) -> Self {
        Self::build(unit, descriptor, descriptor.child_by_field_name("declarator"), 0)
    }

    fn build(
        unit: &'u TranslationUnit,
        declaration: Node<'u>,
        declarator: Option<Node<'u>>,
        depth: usize,
    ) -> Self {
        let mut result = Self::of_specifiers(unit, declaration, depth);
        let mut layers = declarator.map_or_else(Vec::new, |d| declarator_layers(unit, d));
        layers.append(&mut result.layers);
        result.layers = layers;
        result
    }

    /// The type that the specifiers of a declaration name.
    fn of_specifiers(unit: &'u TranslationUnit, declaration: Node<'u>, depth: usize) -> Self {
        let qualifiers = qualifiers_of(unit, declaration);
        let Some(specifier) = declaration.child_by_field_name("type") else {
            return Self::plain(BaseType::Other(String::new()), String::new(), qualifiers);
        };
        let text = normal_spaces(unit.text(specifier));
        if specifier.kind() == "type_identifier"
            && depth < MAX_TYPEDEFS
            && let Some((definition, declarator)) = unit.type_definition(&text, specifier)
        {
            let definition = Self::build(unit, definition, Some(declarator), depth + 1);
            return definition.named(text).qualified(qualifiers);
        }
        Self::plain(base_type(unit, specifier, &text), text, qualifiers)
    }

    fn plain(base: BaseType, base_text: String, qualifiers: Qualifiers) -> Self {
        Self { base, base_text, qualifiers, layers: Vec::new() }
    }

    /// The type under its defined name, as far as the name stands for the element alone.
    fn named(mut self, name: String) -> Self {
        if self.layers.is_empty() {
            self.base_text = name;
        }
        self
    }

    /// The type with further qualifiers: of its outermost pointer, else of its element.
    fn qualified(mut self, more: Qualifiers) -> Self {
        match self.layers.first_mut() {
            Some(Layer::Pointer(qualifiers)) => *qualifiers = qualifiers.union(more),
            _ => self.qualifiers = self.qualifiers.union(more),
        }
        self
    }

    /// What the type is to a scop; `parameter` says whether it is that of a function parameter.
    pub fn shape(&self, parameter: bool) -> Shape<'u> {
        let Some(first) = self.layers.first() else { return Shape::Scalar };
        if self.layers.iter().any(|l| matches!(l, Layer::Function)) {
            return Shape::Function;
        }
        if self.layers[1..].iter().any(|l| matches!(l, Layer::Pointer(_))) {
            return Shape::Pointers;
        }
        let extent = |layer: &Layer<'u>| match layer {
            Layer::Array { size, .. } => *size,
            Layer::Pointer(_) | Layer::Function => None,
        };
        let is_pointer = parameter || matches!(first, Layer::Pointer(_));
        Shape::Array { extents: self.layers.iter().map(extent).collect(), is_pointer }
    }
}

impl Qualifiers {
    /// The qualifiers of either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }

    /// Adds the qualifier spelled `text`.
    fn add(&mut self, text: &str) {
        match text.trim_matches('_') {
            "const" => self.is_const = true,
            "volatile" => self.is_volatile = true,
            "restrict" => self.is_restrict = true,
            "Atomic" => self.is_atomic = true,
            _ => {}
        }
    }
}

impl BaseType {
    /// Whether it is a number of a type that is known.
    pub fn is_arithmetic(&self) -> bool {
        self.is_integer() || self.is_floating()
    }

    /// Whether it is an integer type, `_Bool` and enumerations included.
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Bool | Self::Integer { .. } | Self::Enum(_))
    }

    /// Whether it is a floating point type.
    pub fn is_floating(&self) -> bool {
        let is_short = matches!(self, Self::Half | Self::Bf16);
        is_short || matches!(self, Self::Float | Self::Double | Self::LongDouble)
    }
}

/// The layers of a declarator from the outside in.
fn declarator_layers<'u>(unit: &'u TranslationUnit, declarator: Node<'u>) -> Vec<Layer<'u>> {
    let mut layers = Vec::new();
    let mut next = Some(declarator);
    while let Some(node) = next {
        match node.kind() {
            "pointer_declarator" | "abstract_pointer_declarator" => {
                layers.push(Layer::Pointer(qualifiers_of(unit, node)));
            }
            "array_declarator" | "abstract_array_declarator" => {
                let size = node.child_by_field_name("size").filter(|s| s.is_named());
                let is_static = children(node).iter().any(|c| c.kind() == "static");
                layers.push(Layer::Array {
                    size,
                    is_static,
                    qualifiers: qualifiers_of(unit, node),
                });
            }
            "function_declarator" | "abstract_function_declarator" => layers.push(Layer::Function),
            _ => {}
        }
        next = inner_declarator(node);
    }
    layers.reverse();
    layers
}

/// The qualifiers that are direct children of `node`.
fn qualifiers_of(unit: &TranslationUnit, node: Node<'_>) -> Qualifiers {
    let mut qualifiers = Qualifiers::default();
    for child in children(node) {
        if matches!(child.kind(), "type_qualifier" | "ms_pointer_modifier") {
            qualifiers.add(unit.text(child));
        }
    }
    qualifiers
}

/// `text` with single blanks between its words.
fn normal_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The kind that a type specifier names, `text` being its text.
fn base_type(unit: &TranslationUnit, specifier: Node<'_>, text: &str) -> BaseType {
    let name = || {
        specifier.child_by_field_name("name").map_or_else(String::new, |n| unit.text(n).to_owned())
    };
    match specifier.kind() {
        "struct_specifier" | "union_specifier" => BaseType::Record(name()),
        "enum_specifier" => BaseType::Enum(name()),
        _ => match arithmetic_type(text) {
            Some(BaseType::Integer { bits: 8, .. }) if text == "char" => {
                BaseType::Integer { bits: 8, signed: !unit.is_char_unsigned() }
            }
            known => known.unwrap_or_else(|| BaseType::Other(text.to_owned())),
        },
    }
}

/// The arithmetic type that a list of specifier words means, in any order; `char` alone counts as signed.
fn arithmetic_type(text: &str) -> Option<BaseType> {
    let count = |word| text.split(' ').filter(|w| *w == word).count();
    let known = [
        "void",
        "_Bool",
        "bool",
        "char",
        "short",
        "int",
        "long",
        "signed",
        "__signed__",
        "unsigned",
        "float",
    ];
    let more = ["double", "__int128", "_Float16", "__bf16", "_Float32", "_Float64"];
    if !text.split_whitespace().all(|w| known.contains(&w) || more.contains(&w)) {
        return fixed_width_type(text);
    }
    let has = |word| count(word) > 0;
    let bits = match () {
        () if text.is_empty() => 32,
        () if has("void") => return Some(BaseType::Void),
        () if has("_Bool") || has("bool") => return Some(BaseType::Bool),
        () if has("_Float16") => return Some(BaseType::Half),
        () if has("__bf16") => return Some(BaseType::Bf16),
        () if has("float") || has("_Float32") => return Some(BaseType::Float),
        () if has("_Float64") => return Some(BaseType::Double),
        () if has("double") && has("long") => return Some(BaseType::LongDouble),
        () if has("double") => return Some(BaseType::Double),
        () if has("char") => 8,
        () if has("short") => 16,
        () if has("long") => 64,
        () if has("__int128") => 128,
        () => 32,
    };
    Some(BaseType::Integer { bits, signed: !has("unsigned") })
}

/// The types that headers give a width in their name, for files preprocessed without those headers.
fn fixed_width_type(name: &str) -> Option<BaseType> {
    let (signed, rest) = match name.strip_prefix('u') {
        Some(rest) => (false, rest),
        None => (true, name),
    };
    let bits = match rest {
        "int8_t" => 8,
        "int16_t" => 16,
        "int32_t" => 32,
        "int64_t" | "intptr_t" | "intmax_t" => 64,
        _ => match name {
            "size_t" => return Some(BaseType::Integer { bits: 64, signed: false }),
            "ssize_t" | "ptrdiff_t" => return Some(BaseType::Integer { bits: 64, signed: true }),
            _ => return None,
        },
    };
    Some(BaseType::Integer { bits, signed })
}
