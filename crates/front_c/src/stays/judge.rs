//! Whether statements may touch the cells of a variable, or lead out of where they stand.
//!
//! All kinds of statements and expressions that may are listed here; anything else is refused, since nobody looked into it.

use super::Told;
use super::block::holds;
use super::calls::{is_harmless, is_of_numbers, is_plain_macro, is_stream};
use super::cells::{Cells, is_declared_object};
use crate::Options;
use crate::source::{
    FileFacts, Layer, MacroOrigin, Node, ScopeKind, Symbol, TranslationUnit, strip_parentheses,
};
use farkas_base::Span;
use std::collections::BTreeMap;
use std::ops::Range;

/// What stands in the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Obstacle {
    /// Where, in the file.
    pub(super) at: Span,
    /// A sentence without capital and full stop.
    pub(super) reason: String,
}

/// How many calls inside of one another are looked into.
pub(super) const MAX_CALLS: usize = 4;

/// Who judges statements for one variable.
pub(super) struct Judge<'s, 'u> {
    pub(super) facts: &'s FileFacts<'u>,
    pub(super) unit: &'u TranslationUnit,
    pub(super) options: &'s Options,
    /// None where nothing is known of the variable.
    pub(super) cells: Option<Cells<'u>>,
    pub(super) of: &'s BTreeMap<usize, &'s Told<'u, 's>>,
    /// How many calls lead here.
    pub(super) depth: usize,
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Within<'s> {
    /// The variables that the region around has on the device; none outside of such.
    arrays: &'s [&'s str],
    /// How many loops, and how many of these and `switch`es, are around it below the block that is looked at.
    loops: usize,
    breakable: usize,
}

/// Whether something is harmless.
pub(super) type Verdict = Result<(), Obstacle>;

impl<'s, 'u> Judge<'s, 'u> {
    /// Judges a statement of a block.
    pub(super) fn statement(&self, node: Node<'u>) -> Verdict {
        self.part(node, Within { arrays: &[], loops: 0, breakable: 0 })
    }

    /// Judges a region: what it reads on the host, and what it has on the device that it does not copy there.
    pub(super) fn region(&self, told: &Told<'u, 's>) -> Verdict {
        let within = Within { arrays: told.arrays, loops: 1, breakable: 1 };
        told.region.statements.iter().try_for_each(|node| self.part(*node, within))
    }

    /// Judges the text of some statements, regions on the device apart: it must be the same in every compilation.
    pub(super) fn text(&self, span: Span, range: Range<usize>) -> Verdict {
        let told = || self.of.values().map(|told| &told.region);
        let is_apart = |at: Span| told().all(|r| at.start < r.span.start || r.span.end < at.end);
        let mut directives = self.unit.directives_in(span);
        if let Some((name, at)) = directives.find(|(n, at)| *n != "pragma" && is_apart(*at)) {
            return refused(at, format!("`#{name}` may make other statements of them"));
        }
        let is_told = |at: Span| told().any(|r| r.dropped.iter().any(|pragma| pragma.span == at));
        let is_ours =
            |words: &str| matches!(words.split_whitespace().next(), Some("scop" | "endscop"));
        let mut pragmas = self.unit.pragmas().iter().filter(|p| range.contains(&p.at));
        let other = pragmas.find(|p| !is_ours(&p.words) && !is_told(p.span) && is_apart(p.span));
        if let Some(pragma) = other {
            return refused(
                pragma.span,
                format!("`#pragma {}` may have its own view of memory", pragma.words),
            );
        }
        self.macros(span, &is_apart, MAX_CALLS)
    }

    /// Judges the macros that some text is made of, and the text of functions that are looked into where they are called there.
    fn macros(&self, span: Span, is_apart: &dyn Fn(Span) -> bool, depth: usize) -> Verdict {
        let known = self.unit.macros_in(span);
        let is_plain = |name: &str| {
            known.iter().find(|m| m.name == name).is_some_and(|m| {
                m.origin == MacroOrigin::Compiler || is_plain_macro(name, &m.expansion)
            })
        };
        for call in self.unit.macro_calls_in(span).filter(|call| is_apart(call.span)) {
            let differs =
                || refused(call.span, format!("what `{}` stands for may differ", call.name));
            if !call.is_inlined {
                if !is_plain(&call.name) {
                    return differs();
                }
                continue;
            }
            let body = self.unit.function(&call.name).map(|function| self.unit.span(function));
            let Some(body) = body.filter(|_| depth > 0) else { return differs() };
            if self.unit.directives_in(body).next().is_some()
                || self.macros(body, &|_| true, depth - 1).is_err()
            {
                return differs();
            }
        }
        Ok(())
    }

    /// Judges a statement or declaration.
    fn part(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let region = self.of.values().find(|told| holds(&told.region, node));
        let within = match region {
            Some(told) => Within { arrays: told.arrays, ..within },
            None => within,
        };
        let all = |within| {
            let children: Vec<Node<'u>> = node.named_children(&mut node.walk()).collect();
            children.into_iter().try_for_each(|child| self.part(child, within))
        };
        let (loops, breakable) = (within.loops, within.breakable + 1);
        match node.kind() {
            "compound_statement" | "expression_statement" | "if_statement" | "else_clause" => {
                all(within)
            }
            "for_statement" | "while_statement" | "do_statement" => {
                all(Within { loops: loops + 1, breakable, ..within })
            }
            "switch_statement" => all(Within { breakable, ..within }),
            "case_statement" => all(within),
            "break_statement" if within.breakable > 0 => Ok(()),
            "continue_statement" if loops > 0 => Ok(()),
            "return_statement" if self.depth > 0 => all(within),
            "break_statement" | "continue_statement" | "return_statement" | "goto_statement" => {
                let word = node.kind().trim_end_matches("_statement");
                self.refused(node, format!("`{word}` may leave before results are back"))
            }
            "declaration" => self.declaration(node, within),
            "comment" => Ok(()),
            _ => self.value(node, within),
        }
    }

    /// Judges what variables are declared with, and how large they are.
    fn declaration(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let declarators: Vec<Node<'u>> =
            node.children_by_field_name("declarator", &mut node.walk()).collect();
        declarators.into_iter().try_for_each(|declarator| self.declarator(declarator, within))
    }

    /// The same for one of them.
    fn declarator(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let part = |field| node.child_by_field_name(field);
        match node.kind() {
            "identifier" => Ok(()),
            "init_declarator" | "array_declarator" | "pointer_declarator" => {
                let inner =
                    part("declarator").map_or(Ok(()), |inner| self.declarator(inner, within));
                let mut values = [part("value"), part("size")].into_iter().flatten();
                inner.and_then(|()| values.try_for_each(|value| self.value(value, within)))
            }
            "parenthesized_declarator" => {
                node.named_child(0).map_or(Ok(()), |inner| self.declarator(inner, within))
            }
            _ => self.refused(node, "a declaration is not looked into".to_owned()),
        }
    }

    /// Judges an expression.
    fn value(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            kind if is_constant(kind) => Ok(()),
            "comment" | "alignof_expression" => Ok(()),
            "parenthesized_expression"
            | "unary_expression"
            | "binary_expression"
            | "conditional_expression"
            | "comma_expression"
            | "assignment_expression"
            | "update_expression"
            | "initializer_list" => self.values(node, within),
            "cast_expression" => field("value").map_or(Ok(()), |value| self.value(value, within)),
            "identifier" => self.variable(node, within),
            "subscript_expression" | "field_expression" | "pointer_expression" => {
                self.place(node, within)
            }
            "call_expression" => self.call(node, within),
            _ => {
                let text = self.unit.text(node).lines().next().unwrap_or_default();
                self.refused(node, format!("`{text}` is not looked into"))
            }
        }
    }

    /// Judges all parts of an expression.
    fn values(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let parts: Vec<Node<'u>> = node.named_children(&mut node.walk()).collect();
        parts.into_iter().try_for_each(|part| self.value(part, within))
    }

    /// Judges a variable whose value is read or set.
    fn variable(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let name = self.unit.text(node);
        if within.arrays.contains(&name) || self.is_stream(node) {
            return Ok(());
        }
        let Some((cells, symbol)) = self.known(node) else {
            return self.refused(node, format!("nothing is known of `{name}`"));
        };
        if cells.is(&symbol) {
            return self.refused(node, format!("`{name}` is used on the host"));
        }
        let is_address = matches!(symbol.ctype.layers.first(), Some(Layer::Array { .. }))
            && is_declared_object(&symbol);
        let is_value = symbol.scope == ScopeKind::Enumerator
            || symbol.ctype.layers.first() == Some(&Layer::Function);
        match is_address || is_value || !cells.may_share(&symbol) {
            true => Ok(()),
            false => self.refused(node, self.shared(name)),
        }
    }

    /// Judges an element, a member, or what a pointer leads to; or the address of such.
    fn place(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let operator = node.child_by_field_name("operator").map(|o| self.unit.text(o));
        let argument = node.child_by_field_name("argument").map(strip_parentheses);
        if node.kind() == "pointer_expression" && operator == Some("&") {
            let Some(argument) = argument else { return Ok(()) };
            return match argument.kind() {
                "identifier" => self.address(argument, within),
                _ => self.value(argument, within),
            };
        }
        if let Some((object, subscripts)) = self.object(node) {
            subscripts.into_iter().try_for_each(|index| self.value(index, within))?;
            return self.element(object, within);
        }
        self.values_of_place(node, within)?;
        match self.cells.as_ref().is_some_and(|cells| cells.is_hidden) {
            true => Ok(()),
            false => self.refused(node, self.shared(self.unit.text(node))),
        }
    }

    /// Judges the values that an element is found by.
    fn values_of_place(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let parts = ["argument", "index"].map(|field| node.child_by_field_name(field));
        parts.into_iter().flatten().try_for_each(|part| self.value(part, within))
    }

    /// Judges a variable whose address alone is taken.
    fn address(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let name = self.unit.text(node);
        match self.known(node) {
            _ if within.arrays.contains(&name) => Ok(()),
            Some((cells, symbol)) if !cells.is(&symbol) => Ok(()),
            _ => self.refused(node, format!("`{name}` is used on the host")),
        }
    }

    /// Judges an access to a part of an object.
    fn element(&self, object: Node<'u>, within: Within<'s>) -> Verdict {
        let name = self.unit.text(object);
        if within.arrays.contains(&name) {
            return Ok(());
        }
        match self.known(object) {
            Some((cells, symbol)) if cells.is(&symbol) => {
                self.refused(object, format!("`{name}` is used on the host"))
            }
            Some((cells, symbol)) if !cells.may_share(&symbol) => Ok(()),
            Some(_) => self.refused(object, self.shared(name)),
            None => self.refused(object, format!("nothing is known of `{name}`")),
        }
    }

    /// The variable that a place is a part of, and the subscripts that lead there, unless a pointer does. What a region has on the device may
    /// be behind a pointer.
    fn object(&self, node: Node<'u>) -> Option<(Node<'u>, Vec<Node<'u>>)> {
        let (mut at, mut subscripts, mut has_member) = (node, Vec::new(), false);
        loop {
            let inner = || at.child_by_field_name("argument");
            at = match at.kind() {
                "identifier" => break,
                "parenthesized_expression" => at.named_child(0)?,
                "subscript_expression" => {
                    has_member = false;
                    subscripts.push(at.child_by_field_name("index")?);
                    inner()?
                }
                // What stands behind the point has dimensions of its own.
                "field_expression" if subscripts.is_empty() || has_member => {
                    let operator = at.child_by_field_name("operator")?;
                    has_member = true;
                    (self.unit.text(operator) == ".").then(inner)??
                }
                _ => return None,
            };
        }
        let (_, symbol) = self.known(at)?;
        let is_told = self
            .of
            .values()
            .any(|told| holds(&told.region, node) && told.arrays.contains(&self.unit.text(at)));
        let is_deep = subscripts.len() <= symbol.ctype.layers.len();
        (is_told || is_deep && is_declared_object(&symbol)).then_some((at, subscripts))
    }

    /// Judges a call.
    fn call(&self, node: Node<'u>, within: Within<'s>) -> Verdict {
        let field = |name: &str| node.child_by_field_name(name);
        let arguments = field("arguments")
            .map_or_else(Vec::new, |list| list.named_children(&mut list.walk()).collect());
        arguments.iter().try_for_each(|argument| self.value(*argument, within))?;
        let name = field("function").map(strip_parentheses).filter(|f| f.kind() == "identifier");
        let Some(name) = name else {
            return self.refused(node, "it is not known which function is called".to_owned());
        };
        let (is_function, text) = (self.is_function(name), self.unit.text(name));
        let is_hidden = self.cells.as_ref().is_some_and(|cells| cells.is_hidden);
        let is_libraries = is_function && self.unit.function(text).is_none();
        let is_pure = is_function && self.options.pure_functions.iter().any(|pure| pure == text);
        if is_hidden || is_pure || !within.arrays.is_empty() || is_libraries && is_of_numbers(text)
        {
            return Ok(());
        }
        if let Some(function) = self.unit.function(text).filter(|_| is_function) {
            return self.callee(function).map_err(|obstacle| Obstacle {
                at: self.unit.span(node),
                reason: format!("`{text}` is called, where {}", obstacle.reason),
            });
        }
        if !(is_libraries && is_harmless(text)) {
            return self.refused(node, format!("`{text}` is called, which may touch it"));
        }
        match arguments.iter().find(|argument| !self.is_safe_argument(**argument)) {
            Some(argument) => {
                self.refused(*argument, format!("`{text}` may touch what it is given"))
            }
            None => Ok(()),
        }
    }

    /// Whether a name means a function where it stands.
    fn is_function(&self, name: Node<'u>) -> bool {
        self.known(name)
            .is_none_or(|(_, symbol)| symbol.ctype.layers.first() == Some(&Layer::Function))
    }

    /// Whether a name means a stream of the C library.
    fn is_stream(&self, name: Node<'u>) -> bool {
        let is_own = |(_, symbol): (&Cells<'u>, Symbol<'u>)| symbol.scope != ScopeKind::Global;
        is_stream(self.unit.text(name)) && !self.known(name).is_some_and(is_own)
    }

    /// Whether an argument is a number, a text, a stream, or the address of an object that shares nothing.
    fn is_safe_argument(&self, node: Node<'u>) -> bool {
        let field = |name: &str| node.child_by_field_name(name);
        let all = |fields: &[&str]| {
            fields.iter().filter_map(|name| field(name)).all(|part| self.is_safe_argument(part))
        };
        match node.kind() {
            kind if is_constant(kind) => true,
            "parenthesized_expression" => {
                node.named_child(0).is_some_and(|inner| self.is_safe_argument(inner))
            }
            "unary_expression" | "update_expression" => all(&["argument"]),
            "binary_expression" => all(&["left", "right"]),
            "conditional_expression" => all(&["consequence", "alternative"]),
            "cast_expression" => all(&["value"]),
            "call_expression" => {
                field("function").is_some_and(|f| is_of_numbers(self.unit.text(f)))
            }
            "identifier" => {
                let number = |symbol: &Symbol<'u>| {
                    symbol.ctype.layers.is_empty() && symbol.ctype.base.is_arithmetic()
                };
                self.is_stream(node) || self.known(node).is_some_and(|(_, symbol)| number(&symbol))
            }
            "subscript_expression" => self.object(node).is_some_and(|(object, subscripts)| {
                self.known(object).is_some_and(|(_, symbol)| {
                    symbol.ctype.layers.len() == subscripts.len()
                        && symbol.ctype.base.is_arithmetic()
                })
            }),
            "pointer_expression" => {
                let argument = field("argument").map(strip_parentheses);
                let object = argument.filter(|of| of.kind() == "identifier");
                let is_address = field("operator").is_some_and(|o| self.unit.text(o) == "&");
                let known = object.and_then(|object| self.known(object));
                is_address
                    && known.is_some_and(|(cells, symbol)| {
                        is_declared_object(&symbol) && !cells.may_share(&symbol)
                    })
            }
            _ => false,
        }
    }

    /// The variable that a name means, beside what is known of the one that stays.
    fn known(&self, name: Node<'u>) -> Option<(&Cells<'u>, Symbol<'u>)> {
        let cells = self.cells.as_ref()?;
        Some((cells, cells.table.meant_by(name)?))
    }

    /// Why something else stands in the way.
    fn shared(&self, text: &str) -> String {
        let text = text.lines().next().unwrap_or_default();
        format!("`{text}` may be a part of it")
    }

    /// Refuses.
    pub(super) fn refused(&self, node: Node<'u>, reason: String) -> Verdict {
        refused(self.unit.span(node), reason)
    }
}

/// Whether expressions of a kind are numbers or texts that no variable decides.
fn is_constant(kind: &str) -> bool {
    let texts = ["char_literal", "string_literal", "concatenated_string"];
    let numbers = ["number_literal", "true", "false", "null", "sizeof_expression"];
    texts.contains(&kind) || numbers.contains(&kind)
}

/// Refuses.
fn refused(at: Span, reason: String) -> Verdict {
    Err(Obstacle { at, reason })
}
