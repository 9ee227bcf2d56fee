//! Memory that a function allocates for a region alone, and frees behind it.

use super::nodes::for_each_node;
use super::symbols::{ScopeKind, Symbol};
use super::table::SymbolTable;
use super::types::Layer;
use tree_sitter::Node;

/// Functions whose result is memory that nobody knows of, and that holds nothing.
const ALLOCATORS: [&str; 3] = ["malloc", "aligned_alloc", "__builtin_malloc"];

/// Functions that end it.
const ENDS: [&str; 2] = ["free", "__builtin_free"];

impl<'u> SymbolTable<'u> {
    /// Whether what the pointer `name` leads to is memory that holds nothing before the region, and that is freed behind it before anybody
    /// reads it: the function allocates it, maybe by another pointer that `name` is made of, and does nothing else with these pointers
    /// outside of the region than to test and to free them.
    pub fn is_own_memory(&self, name: &str) -> bool {
        let runs_once = self.region.enclosing_loops.is_empty() && !self.function.has_goto;
        let symbol = self.get(name).filter(|_| runs_once);
        symbol.is_some_and(|symbol| self.is_allocated(symbol, None))
    }

    /// Whether a pointer leads to such memory, of which another one may be made by this expression.
    fn is_allocated(&self, symbol: &Symbol<'u>, made: Option<Node<'u>>) -> bool {
        let name = symbol.name.as_str();
        let is_pointer = matches!(symbol.ctype.layers.first(), Some(Layer::Pointer(_)));
        let is_own = symbol.scope == ScopeKind::Local
            && !(symbol.storage.is_static || symbol.storage.is_extern)
            && !self.may_change_unseen(name);
        let mut is_set = false;
        for used in self.uses(name) {
            let is_allocation = self.is_set_to_allocation(used);
            is_set |= is_allocation;
            let is_part = made.is_some_and(|made| made.byte_range().contains(&used.start_byte()));
            let in_region = made.is_none() && self.is_element_in_region(used);
            if used != symbol.identifier
                && !(is_allocation
                    || is_part
                    || in_region
                    || self.is_freed(used)
                    || is_tested(used))
            {
                return false;
            }
        }
        let begins = match symbol.initializer {
            None => is_set,
            Some(value) if self.is_allocation(value) => true,
            Some(value) if self.unit.text(value) == "0" => is_set,
            Some(value) => made.is_none() && self.is_made_of_allocated(value),
        };
        is_pointer && is_own && begins
    }

    /// Whether a pointer's first value is made of one other pointer, which leads to such memory.
    fn is_made_of_allocated(&self, value: Node<'u>) -> bool {
        let mut names = Vec::new();
        for_each_node(value, &mut |node| {
            if node.kind() == "identifier" {
                names.push(node);
            }
        });
        let [other] = names.as_slice() else { return false };
        let other = self.get(self.unit.text(*other)).filter(|_| self.sees(*other));
        other.is_some_and(|other| self.is_allocated(other, Some(value)))
    }

    /// Whether a use stands for an element in the region.
    fn is_element_in_region(&self, used: Node<'u>) -> bool {
        let (start, end) = self.region_range();
        let array = used.parent().and_then(|p| p.child_by_field_name("argument"));
        let is_element = used.parent().is_some_and(|p| p.kind() == "subscript_expression");
        is_element && array == Some(used) && start <= used.start_byte() && used.end_byte() <= end
    }

    /// Whether a use is set to new memory.
    fn is_set_to_allocation(&self, used: Node<'u>) -> bool {
        used.parent().is_some_and(|parent| {
            parent.kind() == "assignment_expression"
                && parent.child_by_field_name("left") == Some(used)
                && parent
                    .child_by_field_name("right")
                    .is_some_and(|value| self.is_allocation(value))
        })
    }

    /// Whether a value is new memory, maybe converted.
    fn is_allocation(&self, value: Node<'u>) -> bool {
        match value.kind() {
            "cast_expression" => {
                value.child_by_field_name("value").is_some_and(|value| self.is_allocation(value))
            }
            "parenthesized_expression" => {
                value.named_child(0).is_some_and(|value| self.is_allocation(value))
            }
            "call_expression" => self.calls(value, &ALLOCATORS),
            "conditional_expression" => {
                let part = |field| value.child_by_field_name(field);
                let is_null = part("alternative").is_some_and(|value| self.unit.text(value) == "0");
                is_null && part("consequence").is_some_and(|value| self.is_allocation(value))
            }
            _ => false,
        }
    }

    /// Whether a use is an argument of a function that frees.
    fn is_freed(&self, used: Node<'u>) -> bool {
        let call = used.parent().filter(|list| list.kind() == "argument_list");
        call.and_then(|list| list.parent()).is_some_and(|call| self.calls(call, &ENDS))
    }

    /// Whether a call is one of these functions.
    fn calls(&self, call: Node<'u>, names: &[&str]) -> bool {
        let function = call.child_by_field_name("function");
        function.is_some_and(|function| names.contains(&self.unit.text(function)))
    }
}

/// Whether a use is all of the condition of an `if` or of `? :`.
fn is_tested(used: Node<'_>) -> bool {
    let is_condition = |parent: &Node<'_>| {
        parent.kind() == "conditional_expression"
            && parent.child_by_field_name("condition") == Some(used)
    };
    if used.parent().as_ref().is_some_and(is_condition) {
        return true;
    }
    let condition = used.parent().filter(|parent| parent.kind() == "parenthesized_expression");
    condition
        .and_then(|parent| parent.parent())
        .is_some_and(|parent| parent.kind() == "if_statement")
}
