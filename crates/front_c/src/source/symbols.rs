//! Declarations: names with their types, storage and initializers.

use super::nodes::{children, declarator_name, inner_declarator};
use super::types::{BaseType, CType, Layer, Qualifiers, Shape};
use super::unit::TranslationUnit;
use farkas_base::Span;
use tree_sitter::Node;

/// Where a name is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeKind {
    /// At file scope.
    Global,
    /// As a parameter of the function.
    Parameter,
    /// In a block or `for` of the function.
    Local,
    /// As an enumeration constant.
    Enumerator,
}

/// The storage class words of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Storage {
    /// `static`.
    pub is_static: bool,
    /// `extern`.
    pub is_extern: bool,
    /// `register`.
    pub is_register: bool,
    /// `_Thread_local` or `__thread`.
    pub is_thread_local: bool,
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Symbol<'u> {
    /// The name.
    pub name: String,
    /// Its type.
    pub ctype: CType<'u>,
    /// Where it is declared.
    pub scope: ScopeKind,
    /// Its storage class.
    pub storage: Storage,
    /// The `declaration`, `parameter_declaration`, `function_definition` or `enumerator`.
    pub declaration: Node<'u>,
    /// The declared identifier.
    pub identifier: Node<'u>,
    /// The expression or initializer list it starts with; of an enumerator, the last value given explicitly.
    pub initializer: Option<Node<'u>>,
    /// For an enumerator: what is added to `initializer` (or to 0 where there is none).
    pub enumerator_offset: i64,
    /// Its identifier in the original file.
    pub span: Span,
}

impl<'u> Symbol<'u> {
    /// What it is to a scop.
    pub fn shape(&self) -> Shape<'u> {
        self.ctype.shape(self.scope == ScopeKind::Parameter)
    }

    /// Whether it is a variable that a function declares, and not one that is declared elsewhere, or a constant.
    pub fn is_own(&self) -> bool {
        matches!(self.scope, ScopeKind::Parameter | ScopeKind::Local) && !self.storage.is_extern
    }

    /// Whether it is a variable of a call of the function that is one number or pointer, and neither volatile nor atomic.
    pub fn is_automatic_value(&self) -> bool {
        let CType { base, qualifiers, layers, .. } = &self.ctype;
        let is_parameter = self.scope == ScopeKind::Parameter;
        let is_own = is_parameter
            || self.scope == ScopeKind::Local && !self.storage.is_static && !self.storage.is_extern;
        let is_plain = |q: &Qualifiers| !(q.is_volatile || q.is_atomic);
        let is_value = match layers.first() {
            None => is_plain(qualifiers) && base.is_arithmetic(),
            Some(Layer::Pointer(qualifiers)) => is_plain(qualifiers),
            Some(Layer::Array { qualifiers, .. }) => is_parameter && is_plain(qualifiers),
            Some(Layer::Function) => false,
        };
        is_own && is_value
    }

    /// Whether the cells that it reaches may outlive the function call or be known elsewhere: those of globals, statics and
    /// everything behind a pointer. Such a name is live-out of any region.
    pub fn outlives_function(&self) -> bool {
        match self.scope {
            ScopeKind::Global => true,
            ScopeKind::Parameter => !self.ctype.layers.is_empty(),
            ScopeKind::Local => {
                let is_pointer =
                    self.ctype.layers.iter().any(|l| !matches!(l, Layer::Array { .. }));
                self.storage.is_static || self.storage.is_extern || is_pointer
            }
            ScopeKind::Enumerator => false,
        }
    }
}

/// The names that `declaration` declares (a `declaration` or `parameter_declaration`; nothing for other nodes). A
/// declaration that also defines an enumeration declares its constants.
pub fn declared_symbols<'u>(
    unit: &'u TranslationUnit,
    declaration: Node<'u>,
    scope: ScopeKind,
) -> Vec<Symbol<'u>> {
    let mut symbols = enumerators(unit, declaration);
    if !matches!(
        declaration.kind(),
        "declaration" | "parameter_declaration" | "function_definition"
    ) {
        return symbols;
    }
    let storage = storage_of(unit, declaration);
    for declarator in declaration.children_by_field_name("declarator", &mut declaration.walk()) {
        let Some(identifier) = declarator_name(declarator) else { continue };
        let ctype = CType::of_declarator(unit, declaration, Some(declarator));
        symbols.push(Symbol {
            name: unit.text(identifier).to_owned(),
            ctype,
            scope,
            storage,
            declaration,
            identifier,
            initializer: declarator.child_by_field_name("value"),
            enumerator_offset: 0,
            span: unit.span(identifier),
        });
    }
    symbols
}

/// The constants of an enumeration that `declaration` defines.
fn enumerators<'u>(unit: &'u TranslationUnit, declaration: Node<'u>) -> Vec<Symbol<'u>> {
    let specifier = match declaration.kind() {
        "enum_specifier" => Some(declaration),
        _ => declaration.child_by_field_name("type").filter(|t| t.kind() == "enum_specifier"),
    };
    let Some(list) = specifier.and_then(|s| s.child_by_field_name("body")) else {
        return Vec::new();
    };
    let mut symbols = Vec::new();
    let (mut initializer, mut offset) = (None, 0);
    for node in children(list).into_iter().filter(|n| n.kind() == "enumerator") {
        let Some(identifier) = node.child_by_field_name("name") else { continue };
        if let Some(value) = node.child_by_field_name("value") {
            (initializer, offset) = (Some(value), 0);
        }
        let base = BaseType::Integer { bits: 32, signed: true };
        let ctype = CType {
            base,
            base_text: "int".to_owned(),
            qualifiers: Qualifiers::default(),
            layers: Vec::new(),
        };
        symbols.push(Symbol {
            name: unit.text(identifier).to_owned(),
            ctype,
            scope: ScopeKind::Enumerator,
            storage: Storage::default(),
            declaration: node,
            identifier,
            initializer,
            enumerator_offset: offset,
            span: unit.span(identifier),
        });
        offset += 1;
    }
    symbols
}

/// The storage class words of a declaration.
fn storage_of(unit: &TranslationUnit, declaration: Node<'_>) -> Storage {
    let mut storage = Storage::default();
    for child in children(declaration).into_iter().filter(|c| c.kind() == "storage_class_specifier")
    {
        match unit.text(child) {
            "static" => storage.is_static = true,
            "extern" => storage.is_extern = true,
            "register" => storage.is_register = true,
            "__thread" | "thread_local" => storage.is_thread_local = true,
            // The beginning of `_Thread_local`, which is parsed as `__thread`.
            text if text.starts_with("_Thread") => storage.is_thread_local = true,
            _ => {}
        }
    }
    storage
}

/// The parameter declarations of a function definition, those of the old style included.
pub fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    let mut declarator = function.child_by_field_name("declarator");
    let mut list = None;
    while let Some(node) = declarator {
        if node.kind() == "function_declarator" {
            list = node.child_by_field_name("parameters");
        }
        declarator = inner_declarator(node);
    }
    let old_style = children(function).into_iter().filter(|n| n.kind() == "declaration");
    let modern = list
        .map_or_else(Vec::new, children)
        .into_iter()
        .filter(|n| n.kind() == "parameter_declaration");
    modern.chain(old_style).collect()
}
