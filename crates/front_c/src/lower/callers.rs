//! What the callers of a function show of its pointer parameters: where every call of a static function is in the file, and
//! gives two parameters different objects, they do not overlap.

use super::parse::{Parser, named_children, strip_parentheses};
use crate::source::{
    Layer, Node, ScopeKind, TranslationUnit, declared_symbols, for_each_node, parameters,
};
use std::cell::OnceCell;

/// Functions whose results are memory of their own.
const ALLOCATORS: [&str; 3] = ["malloc", "calloc", "aligned_alloc"];

/// Functions that call one another are looked into so deep.
const MAX_DEPTH: usize = 4;

/// The arguments of the calls of a function.
#[derive(Default)]
pub(super) struct Callers {
    calls: OnceCell<Option<Vec<Call>>>,
}

/// A call: the object that each argument leads into, where it is known.
type Call = Vec<Option<Object>>;

/// An object of the function that calls: an array, or memory that one of its pointers alone was set to.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Object {
    name: String,
    /// Where the function that declares it begins; nothing for globals.
    function: Option<usize>,
}

impl Parser<'_, '_> {
    /// Whether all calls of the region's function give two of its parameters different objects.
    pub(super) fn callers_keep_apart(&self, a: &str, b: &str) -> bool {
        let (Some(a), Some(b)) = (self.parameter(a), self.parameter(b)) else { return false };
        let calls = self.callers.calls.get_or_init(|| calls(self.unit, self.region_function()));
        let apart = |call: &Call| match (call.get(a), call.get(b)) {
            (Some(Some(x)), Some(Some(y))) => x != y,
            _ => false,
        };
        calls.as_ref().is_some_and(|calls| !calls.is_empty() && calls.iter().all(apart))
    }

    /// The position of a parameter of the region's function.
    fn parameter(&self, name: &str) -> Option<usize> {
        let symbols = parameters(self.region_function()).into_iter().map(|parameter| {
            declared_symbols(self.unit, parameter, ScopeKind::Parameter).into_iter().next()
        });
        symbols.into_iter().position(|symbol| symbol.is_some_and(|s| s.name == name))
    }
}

/// The calls of `function`; nothing where others may exist: it is not static, or used otherwise than in calls.
fn calls(unit: &TranslationUnit, function: Node<'_>) -> Option<Vec<Call>> {
    let symbols = declared_symbols(unit, function, ScopeKind::Global);
    let symbol = symbols.into_iter().find(|s| s.declaration == function)?;
    if !symbol.storage.is_static || unit.is_inlined(&symbol.name) {
        return None;
    }
    let (mut found, mut known) = (Vec::new(), true);
    for (_, caller) in unit.functions() {
        for_each_node(caller, &mut |node| {
            if node.kind() == "identifier" && unit.text(node) == symbol.name {
                match node.parent().filter(|p| p.kind() == "call_expression") {
                    Some(call) if call.child_by_field_name("function") == Some(node) => {
                        let arguments = call.child_by_field_name("arguments");
                        let arguments = arguments.map_or_else(Vec::new, named_children);
                        let object = |argument: Node<'_>| object(unit, caller, argument);
                        found.push(arguments.into_iter().map(object).collect());
                    }
                    _ => known &= node.parent().is_some_and(|p| p.kind() == "function_declarator"),
                }
            }
        });
    }
    let outside = names_outside_functions(unit, &symbol.name);
    (known && !outside).then_some(found)
}

/// Whether a table or another declaration outside of functions mentions a function other than to declare it.
fn names_outside_functions(unit: &TranslationUnit, name: &str) -> bool {
    let mut found = false;
    for node in named_children(unit.root()) {
        if node.kind() == "function_definition" {
            continue;
        }
        for_each_node(node, &mut |n| {
            found |= n.kind() == "identifier"
                && unit.text(n) == name
                && n.parent().is_none_or(|p| p.kind() != "function_declarator");
        });
    }
    found
}

/// The object into which a pointer expression of `function` leads, where that is plain.
fn object(unit: &TranslationUnit, function: Node<'_>, node: Node<'_>) -> Option<Object> {
    let mut node = strip_parentheses(node);
    loop {
        let inner = match node.kind() {
            "binary_expression" => node.child_by_field_name("left"),
            "cast_expression" => node.child_by_field_name("value"),
            "pointer_expression" if unit.text(node.child_by_field_name("operator")?) == "&" => {
                let argument = strip_parentheses(node.child_by_field_name("argument")?);
                if argument.kind() == "subscript_expression" {
                    argument.child_by_field_name("argument")
                } else {
                    return None;
                }
            }
            _ => break,
        };
        node = strip_parentheses(inner?);
    }
    let name = (node.kind() == "identifier").then(|| unit.text(node))?;
    let of = |function: Option<Node<'_>>| Object {
        name: name.to_owned(),
        function: function.map(|f| f.start_byte()),
    };
    match declarations(unit, function, name).as_slice() {
        [] => is_global_array(unit, name).then(|| of(None)),
        [Declared::Array] => Some(of(Some(function))),
        [Declared::Pointer(values)] => {
            let values =
                assigned(unit, function, name).map(|set| [values.as_slice(), &set].concat())?;
            let own = !values.is_empty()
                && values.iter().all(|value| is_allocation(unit, *value, MAX_DEPTH));
            own.then(|| of(Some(function)))
        }
        _ => None,
    }
}

/// A declaration in a function.
enum Declared<'u> {
    /// Of an array.
    Array,
    /// Of a pointer, with its first value.
    Pointer(Vec<Node<'u>>),
    /// Of anything else, a parameter too.
    Other,
}

/// The declarations of `name` in a function.
fn declarations<'u>(
    unit: &'u TranslationUnit,
    function: Node<'u>,
    name: &str,
) -> Vec<Declared<'u>> {
    let mut found = Vec::new();
    for_each_node(function, &mut |node| {
        if !matches!(node.kind(), "declaration" | "parameter_declaration") {
            return;
        }
        for symbol in declared_symbols(unit, node, ScopeKind::Local) {
            if symbol.name != name {
                continue;
            }
            let plain = node.kind() == "declaration" && !symbol.storage.is_extern;
            found.push(match symbol.ctype.layers.first() {
                Some(Layer::Array { .. }) if plain => Declared::Array,
                Some(Layer::Pointer(_)) if plain && !symbol.storage.is_static => {
                    Declared::Pointer(symbol.initializer.into_iter().collect())
                }
                _ => Declared::Other,
            });
        }
    });
    found
}

/// Whether `name` is an array that the file declares.
fn is_global_array(unit: &TranslationUnit, name: &str) -> bool {
    let declared = named_children(unit.root())
        .into_iter()
        .flat_map(|node| declared_symbols(unit, node, ScopeKind::Global))
        .filter(|symbol| symbol.name == name);
    let mut layers = declared.map(|s| matches!(s.ctype.layers.first(), Some(Layer::Array { .. })));
    layers.next().is_some_and(|first| first && layers.all(|other| other))
}

/// What a function sets `name` to by `=`; nothing where it is changed otherwise, or its address is taken.
fn assigned<'u>(
    unit: &'u TranslationUnit,
    function: Node<'u>,
    name: &str,
) -> Option<Vec<Node<'u>>> {
    let (mut values, mut plain) = (Vec::new(), true);
    for_each_node(function, &mut |node| {
        if node.kind() != "identifier" || unit.text(node) != name {
            return;
        }
        let Some(parent) = node.parent() else { return };
        match parent.kind() {
            "update_expression" => plain = false,
            "pointer_expression" => {
                let operator = parent.child_by_field_name("operator").map(|o| unit.text(o));
                plain &= operator != Some("&");
            }
            "assignment_expression" if parent.child_by_field_name("left") == Some(node) => {
                let operator = parent.child_by_field_name("operator").map(|o| unit.text(o));
                plain &= operator == Some("=");
                values.extend(parent.child_by_field_name("right"));
            }
            _ => {}
        }
    });
    plain.then_some(values)
}

/// Whether an expression is a call that returns memory of its own: of an allocator, or of a function of the file that returns
/// what an allocator gave it.
pub(super) fn is_allocation(unit: &TranslationUnit, node: Node<'_>, depth: usize) -> bool {
    let node = strip_parentheses(node);
    match node.kind() {
        "cast_expression" => {
            node.child_by_field_name("value").is_some_and(|v| is_allocation(unit, v, depth))
        }
        "call_expression" => node.child_by_field_name("function").is_some_and(|function| {
            let name = unit.text(function);
            match unit.function(name) {
                _ if ALLOCATORS.contains(&name) => true,
                Some(definition) if depth > 0 => returns_allocated(unit, definition, depth - 1),
                _ => false,
            }
        }),
        _ => false,
    }
}

/// Whether all that a function returns is memory that it allocated and kept to itself.
fn returns_allocated(unit: &TranslationUnit, function: Node<'_>, depth: usize) -> bool {
    let (mut n_returns, mut own) = (0, true);
    for_each_node(function, &mut |node| {
        if node.kind() == "return_statement" {
            n_returns += 1;
            own &= node.named_child(0).is_some_and(|value| {
                is_allocation(unit, value, depth) || is_kept_memory(unit, function, value, depth)
            });
        }
    });
    n_returns > 0 && own
}

/// Whether `value` is a variable of the function that is only ever set to memory of its own, and that nothing else learns of.
fn is_kept_memory(
    unit: &TranslationUnit,
    function: Node<'_>,
    value: Node<'_>,
    depth: usize,
) -> bool {
    let value = strip_parentheses(value);
    let name = unit.text(value);
    let declared = declarations(unit, function, name);
    let ([Declared::Pointer(first)], "identifier") = (declared.as_slice(), value.kind()) else {
        return false;
    };
    let Some(set) = assigned(unit, function, name) else { return false };
    let mut values = first.iter().chain(&set).peekable();
    values.peek().is_some()
        && values.all(|value| is_allocation(unit, *value, depth))
        && is_kept(unit, function, name)
}

/// Whether a function only compares, dereferences and returns the pointer `name`.
fn is_kept(unit: &TranslationUnit, function: Node<'_>, name: &str) -> bool {
    let mut kept = true;
    for_each_node(function, &mut |node| {
        if node.kind() != "identifier" || unit.text(node) != name {
            return;
        }
        let parent = std::iter::successors(node.parent(), |n| n.parent())
            .find(|n| n.kind() != "parenthesized_expression");
        kept &= parent.is_some_and(|parent| match parent.kind() {
            "binary_expression" => parent
                .child_by_field_name("operator")
                .is_some_and(|o| matches!(unit.text(o), "==" | "!=")),
            "assignment_expression" => parent.child_by_field_name("left") == Some(node),
            "return_statement" | "unary_expression" | "subscript_expression" | "if_statement" => {
                true
            }
            kind => kind.ends_with("declarator"),
        });
    });
    kept
}
