//! Calls in loops, with the body of the function in their place.
//!
//! A call is treated as a macro call that the tool expands: `axpy(row, x, n);` becomes
//! `{ double *y = row; double *x_axpy = x; int n_axpy = n; … }` in the text that is parsed, and every token of that was
//! written where the call stands. The file itself keeps the call. Names of the function that its caller uses, too, are
//! changed. Inlined are plain functions of the file that return at their end alone, and change something or look through
//! pointers: what computes with numbers alone stays a call.
//!
//! A function that does nothing but return a value, as `double get(const matrix *m, int i, int j) { return m->at[i * m->n + j]; }`, may be
//! called anywhere in an expression: `s += get(a, i, k) * x[k];` becomes `s += ((double)((a)->at[(int)(i) * (a)->n + (int)(k)])) * x[k];`.

use super::align::MacroCall;
use super::lexer::Lexer;
use super::nodes::{children, declarator_name, for_each_node};
use super::places::{Replaced, addressed, uses};
use super::symbols::{ScopeKind, Storage, declared_symbols, parameters};
use super::types::Layer;
use super::unit::TranslationUnit;
use super::writer::MappedToken;
use farkas_base::Diagnostic;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tree_sitter::Node;

/// Functions that call one another are put into one another so deep.
const MAX_ROUNDS: usize = 3;

/// The longest body, in bytes.
const MAX_BODY: usize = 4000;

/// What all bodies together may add to a file, in bytes.
const MAX_GROWTH: usize = 200_000;

/// A part of a text.
#[derive(Clone)]
enum Piece {
    /// Text that is new.
    New(String),
    /// What stands here already.
    Copy(Range<usize>),
}

/// A call with what comes in its place.
struct Edit {
    range: Range<usize>,
    pieces: Vec<Piece>,
    function: String,
    /// Macros that took part in the body, with a place where they are defined.
    macros: (Vec<String>, usize),
    /// The call that the statement is a part of the body of.
    within: Option<u32>,
}

/// A function that may be put in the place of its calls.
struct Callee<'u> {
    name: String,
    definition: Node<'u>,
    body: Node<'u>,
    parameters: Vec<Parameter<'u>>,
    /// What it returns at its end.
    result: Option<Node<'u>>,
    /// Whether it does nothing but that, and that changes nothing.
    is_value: bool,
    /// The names of its parameters and variables.
    own: BTreeSet<String>,
    /// The other names in it.
    others: BTreeSet<String>,
}

/// A parameter.
struct Parameter<'u> {
    declaration: Node<'u>,
    identifier: Node<'u>,
    /// The number of its dimensions, where it is written as an array.
    rank: usize,
}

impl TranslationUnit {
    /// The unit with bodies in the place of calls in `for` loops; functions in `kept` stay calls.
    ///
    /// # Errors
    /// `internal-error` when the parser itself refuses to work.
    pub(crate) fn with_calls_inlined(mut self, kept: &[String]) -> Result<Self, Box<Diagnostic>> {
        let mut left = MAX_GROWTH;
        for _ in 0..MAX_ROUNDS {
            let edits = edits(&self, kept, &mut left);
            if edits.is_empty() {
                break;
            }
            // Who runs in a team of threads is known by the calls.
            self.functions_of_teams();
            if !self.edited(edits)? {
                break;
            }
        }
        Ok(self)
    }

    /// Puts edits, in the order of the text, into it; whether they make no syntax errors, else nothing changes.
    fn edited(&mut self, edits: Vec<Edit>) -> Result<bool, Box<Diagnostic>> {
        let (mut parsed, mut printed) = (String::new(), String::new());
        let (mut tokens, mut calls) = (Vec::new(), self.calls.clone());
        let mut old = self.tokens.iter().peekable();
        let mut shifts: Vec<(usize, isize)> = Vec::new();
        let mut done = 0;
        let moved = |at: usize, by: isize| at.saturating_add_signed(by);
        for edit in &edits {
            let by = parsed.len() as isize - done as isize;
            while let Some(token) = old.next_if(|token| token.range.end <= edit.range.start) {
                let range = moved(token.range.start, by)..moved(token.range.end, by);
                tokens.push(MappedToken { range, place: token.place });
            }
            parsed.push_str(&self.parsed[done..edit.range.start]);
            printed.push_str(&self.text[done..edit.range.start]);
            let span = self.span_of(edit.range.clone());
            let call = match edit.within {
                Some(call) => call,
                None => {
                    let (name, at) = (edit.function.clone(), edit.macros.1);
                    calls.push(MacroCall { name, span, macros: Vec::new(), at, is_inlined: true });
                    u32::try_from(calls.len() - 1).unwrap_or(u32::MAX)
                }
            };
            if let Some(call) = calls.get_mut(call as usize) {
                call.macros.extend(edit.macros.0.iter().cloned());
            }
            let start = printed.len();
            for piece in &edit.pieces {
                match piece {
                    Piece::New(text) => {
                        parsed.push_str(text);
                        printed.push_str(text);
                    }
                    Piece::Copy(range) => {
                        parsed.push_str(&self.parsed[range.clone()]);
                        printed.push_str(&self.text[range.clone()]);
                    }
                }
            }
            for token in Lexer::of_piece(&printed[start..], 0) {
                let range = start + token.range.start..start + token.range.end;
                tokens.push(MappedToken { range, place: (span, Some(call)) });
            }
            while old.next_if(|token| token.range.start < edit.range.end).is_some() {}
            done = edit.range.end;
            shifts.push((done, printed.len() as isize - done as isize));
        }
        let by = parsed.len() as isize - done as isize;
        tokens.extend(old.map(|token| {
            let range = moved(token.range.start, by)..moved(token.range.end, by);
            MappedToken { range, place: token.place }
        }));
        parsed.push_str(&self.parsed[done..]);
        printed.push_str(&self.text[done..]);
        let tree = super::unit::parse_tree(&parsed)?;
        if n_errors(tree.root_node()) > n_errors(self.root()) {
            return Ok(false);
        }
        let shifted = |at: usize| {
            let last = shifts.partition_point(|(end, _)| *end <= at);
            moved(at, last.checked_sub(1).map_or(0, |last| shifts[last].1))
        };
        self.pragmas.iter_mut().for_each(|pragma| pragma.at = shifted(pragma.at));
        for (_, range) in &mut self.included_at {
            *range = shifted(range.start)..shifted(range.end);
        }
        self.inlined.extend(edits.into_iter().map(|edit| edit.function));
        (self.tree, self.tokens, self.calls) = (tree, tokens, calls);
        (self.parsed, self.text) = (parsed, printed);
        // What was found lay elsewhere.
        self.type_scopes.take();
        Ok(true)
    }

    /// The call in the inlined body of which all of a statement stands; nothing for one that stands in the file as it is.
    ///
    /// `Err` for a statement that a macro makes, or a part of it.
    fn stands_within(&self, range: Range<usize>) -> Result<Option<u32>, ()> {
        let tokens = self.tokens_in(range);
        let of = |token: Option<&MappedToken>| token.and_then(|token| token.place.1);
        match (of(tokens.first()), of(tokens.last())) {
            (None, None) => Ok(None),
            (Some(a), Some(b))
                if a == b && self.calls.get(a as usize).is_some_and(|c| c.is_inlined) =>
            {
                Ok(Some(a))
            }
            _ => Err(()),
        }
    }
}

/// The calls that can be replaced, in the order of the text.
fn edits(unit: &TranslationUnit, kept: &[String], left: &mut usize) -> Vec<Edit> {
    let mut callees: BTreeMap<String, Option<Callee<'_>>> = BTreeMap::new();
    let mut edits: Vec<Edit> = Vec::new();
    let reserved = OnceCell::new();
    for (_, caller) in unit.functions() {
        if caller.has_error() {
            continue;
        }
        let mut known = None;
        for (statement, call) in calls_in(caller) {
            let Some(function) = call.child_by_field_name("function") else { continue };
            let name = unit.text(function);
            if function.kind() != "identifier" || kept.iter().any(|k| k == name) {
                continue;
            }
            let callee = callees.entry(name.to_owned()).or_insert_with(|| callee(unit, name));
            let at = statement.unwrap_or(call);
            let Some(callee) = callee.as_ref().filter(|_| is_in_loop(at, caller)) else {
                continue;
            };
            let names = known.get_or_insert_with(|| Names::of(unit, caller));
            let edit = match statement {
                Some(statement) => edit(unit, (caller, names, &reserved), callee, statement, call),
                None => value_edit(unit, (caller, names), callee, call),
            };
            let Some(edit) = edit else { continue };
            let length = callee.body.byte_range().len();
            let is_apart = edits.iter().all(|other| {
                other.range.end <= edit.range.start || edit.range.end <= other.range.start
            });
            if length <= *left && is_apart {
                *left -= length;
                edits.push(edit);
            }
        }
    }
    edits.sort_by_key(|edit| edit.range.start);
    edits
}

/// The calls in a function, first those that are all that a statement does, each with the statement; then those in which no other call stands.
fn calls_in<'u>(function: Node<'u>) -> Vec<(Option<Node<'u>>, Node<'u>)> {
    let (mut of_statements, mut others) = (Vec::new(), Vec::new());
    for_each_node(function, &mut |node| match node.kind() {
        "expression_statement" | "declaration" => {
            of_statements.extend(call_of(node).map(|call| (Some(node), call)));
        }
        "call_expression" => others.push((None, node)),
        _ => {}
    });
    others.retain(|(_, call)| {
        let mut n_calls = 0;
        for_each_node(*call, &mut |node| n_calls += usize::from(node.kind() == "call_expression"));
        n_calls == 1
    });
    of_statements.extend(others);
    of_statements
}

/// The names of a function that calls.
struct Names {
    /// All identifiers.
    used: BTreeSet<String>,
    /// What it declares.
    declared: BTreeSet<String>,
}

impl Names {
    fn of(unit: &TranslationUnit, function: Node<'_>) -> Self {
        let (mut used, mut declared) = (BTreeSet::new(), BTreeSet::new());
        for_each_node(function, &mut |node| match node.kind() {
            "identifier" => {
                used.insert(unit.text(node).to_owned());
            }
            "declaration" | "parameter_declaration" => {
                let symbols = declared_symbols(unit, node, ScopeKind::Local);
                declared.extend(symbols.into_iter().map(|symbol| symbol.name));
            }
            _ => {}
        });
        Self { used, declared }
    }
}

/// The names of a file.
struct Reserved {
    /// All of them.
    all: BTreeSet<String>,
    /// Those of its macros.
    macros: BTreeSet<String>,
}

impl Reserved {
    fn of(unit: &TranslationUnit) -> Self {
        Self { all: unit.names(), macros: unit.macro_names() }
    }
}

/// Whether a `for` of the function stands around a statement, or has a call in its header.
fn is_in_loop(node: Node<'_>, function: Node<'_>) -> bool {
    std::iter::successors(node.parent(), |node| node.parent())
        .take_while(|around| around.id() != function.id())
        .any(|around| {
            let body = around.child_by_field_name("body");
            around.kind() == "for_statement"
                && (node.kind() == "call_expression"
                    || body.is_some_and(|body| body.byte_range().contains(&node.start_byte())))
        })
}

/// The call that a statement consists of, sets something to, or declares a variable with.
fn call_of(statement: Node<'_>) -> Option<Node<'_>> {
    let value = match statement.kind() {
        "declaration" => {
            let mut declarators = statement
                .children_by_field_name("declarator", &mut statement.walk())
                .collect::<Vec<_>>();
            let declarator = declarators.pop().filter(|_| declarators.is_empty())?;
            let is_plain = declarator.kind() == "init_declarator"
                && declarator.child_by_field_name("declarator")?.kind() == "identifier";
            declarator.child_by_field_name("value").filter(|_| is_plain)?
        }
        _ => statement.named_child(0)?,
    };
    let value = match value.kind() {
        "assignment_expression" => {
            let mut plain = true;
            for_each_node(value.child_by_field_name("left")?, &mut |node| {
                plain &= !matches!(
                    node.kind(),
                    "call_expression" | "update_expression" | "assignment_expression"
                );
            });
            value.child_by_field_name("right").filter(|_| plain)?
        }
        _ => value,
    };
    (value.kind() == "call_expression").then_some(value)
}

/// The function `name`, if it may be put in the place of its calls.
fn callee<'u>(unit: &'u TranslationUnit, name: &str) -> Option<Callee<'u>> {
    let definition = unit.function(name)?;
    let body = definition.child_by_field_name("body")?;
    let declarator = definition.child_by_field_name("declarator")?;
    let range = definition.byte_range();
    let is_plain = declarator.kind() == "function_declarator"
        && !definition.has_error()
        && body.byte_range().len() <= MAX_BODY
        && !unit.text(definition).contains("weak")
        && !unit.pragmas().iter().any(|pragma| range.contains(&pragma.at))
        && !calls_itself(unit, name);
    if !is_plain {
        return None;
    }
    let all = parameters(definition).into_iter().filter_map(|node| parameter(unit, node));
    let parameters = all.collect::<Option<Vec<Parameter<'u>>>>()?;
    let result = returned(body)?;
    let returns_nothing = unit.text(definition.child_by_field_name("type")?) == "void";
    if returns_nothing != result.is_none() {
        return None;
    }
    let mut own: BTreeSet<String> =
        parameters.iter().map(|p| unit.text(p.identifier).to_owned()).collect();
    let (mut is_plain, mut others) = (true, BTreeSet::new());
    for_each_node(body, &mut |node| match node.kind() {
        "declaration" => {
            for symbol in declared_symbols(unit, node, ScopeKind::Local) {
                let Storage { is_static, is_extern, is_thread_local, .. } = symbol.storage;
                is_plain &= !(is_static || is_extern || is_thread_local);
                own.insert(symbol.name);
            }
        }
        "labeled_statement" | "goto_statement" | "gnu_asm_expression" | "type_definition" => {
            is_plain = false;
        }
        "struct_specifier" | "union_specifier" | "enum_specifier" => {
            is_plain &= node.child_by_field_name("body").is_none();
        }
        _ => {}
    });
    for_each_node(body, &mut |node| {
        if node.kind() == "identifier" && !own.contains(unit.text(node)) {
            others.insert(unit.text(node).to_owned());
        }
    });
    let looks_elsewhere = returns_nothing
        || parameters.iter().any(|p| p.identifier.parent() != Some(p.declaration))
        || others.iter().any(|name| unit.is_variable(name));
    let name = name.to_owned();
    let does_more =
        children(body).iter().filter(|n| n.is_named() && n.kind() != "comment").count() > 1;
    let is_value = result.is_some_and(is_without_effect) && !does_more;
    (is_plain && looks_elsewhere).then_some(Callee {
        name,
        definition,
        body,
        parameters,
        result,
        is_value,
        own,
        others,
    })
}

/// Whether an expression changes nothing by itself; it may call.
fn is_without_effect(expression: Node<'_>) -> bool {
    let mut is_without = true;
    for_each_node(expression, &mut |node| {
        is_without &= !matches!(
            node.kind(),
            "assignment_expression"
                | "update_expression"
                | "compound_statement"
                | "compound_literal_expression"
                | "comma_expression"
        );
    });
    is_without
}

/// A parameter; nothing for `void`, and nothing at all where it is of a kind that cannot be declared like it.
fn parameter<'u>(
    unit: &'u TranslationUnit,
    declaration: Node<'u>,
) -> Option<Option<Parameter<'u>>> {
    if declaration.kind() != "parameter_declaration" {
        return Some(None);
    }
    let Some(declarator) = declaration.child_by_field_name("declarator") else {
        return if unit.text(declaration) == "void" { None } else { Some(None) };
    };
    let symbol = declared_symbols(unit, declaration, ScopeKind::Parameter).pop();
    let layers = symbol.map_or_else(Vec::new, |symbol| symbol.ctype.layers);
    let is_simple = matches!(layers.as_slice(), [] | [Layer::Pointer(_)] | [Layer::Array { .. }])
        || layers.iter().all(|layer| matches!(layer, Layer::Array { .. }));
    let is_array = declarator.kind().starts_with("array");
    let rank = if is_array { layers.len() } else { 0 };
    Some(declarator_name(declarator).filter(|_| is_simple).map(|identifier| Parameter {
        declaration,
        identifier,
        rank,
    }))
}

/// What a body returns at its end, if anything; nothing at all where it returns elsewhere.
fn returned(body: Node<'_>) -> Option<Option<Node<'_>>> {
    let mut returns = Vec::new();
    for_each_node(body, &mut |node| {
        if node.kind() == "return_statement" {
            returns.push(node);
        }
    });
    match returns.as_slice() {
        [] => Some(None),
        [one] => {
            let last =
                children(body).into_iter().rev().find(|n| n.is_named() && n.kind() != "comment");
            (last == Some(*one)).then(|| one.named_child(0))
        }
        _ => None,
    }
}

/// Whether a function calls itself, through others, too.
fn calls_itself(unit: &TranslationUnit, name: &str) -> bool {
    let (mut seen, mut queue) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(next) = queue.pop() {
        let Some(definition) = unit.function(&next) else { continue };
        let mut called = Vec::new();
        for_each_node(definition, &mut |node| {
            if node.kind() == "call_expression" {
                called
                    .extend(node.child_by_field_name("function").map(|f| unit.text(f).to_owned()));
            }
        });
        for inner in called {
            if inner == name {
                return true;
            }
            if seen.insert(inner.clone()) {
                queue.push(inner);
            }
        }
    }
    false
}

/// The number of syntax errors in a tree.
fn n_errors(root: Node<'_>) -> usize {
    let mut n = 0;
    if root.has_error() {
        for_each_node(root, &mut |node| n += usize::from(node.is_error() || node.is_missing()));
    }
    n
}

/// What comes in the place of a call, if it can.
fn edit<'u>(
    unit: &'u TranslationUnit,
    (caller, names, reserved): (Node<'u>, &Names, &OnceCell<Reserved>),
    callee: &Callee<'u>,
    statement: Node<'u>,
    call: Node<'u>,
) -> Option<Edit> {
    let arguments = arguments(call)?;
    let is_used = statement.kind() == "declaration" || statement.named_child(0)? != call;
    let range = statement.byte_range();
    let is_hidden = callee.others.iter().any(|name| names.declared.contains(name));
    let has_pragma = unit.pragmas().iter().any(|pragma| range.contains(&pragma.at));
    let is_in_header = statement.kind() == "declaration"
        && statement.parent().is_none_or(|parent| parent.kind() != "compound_statement");
    if arguments.len() != callee.parameters.len()
        || is_in_header
        || is_hidden
        || has_pragma
        || is_used && callee.result.is_none()
        || callee.definition.byte_range().contains(&range.start)
    {
        return None;
    }
    let within = unit.stands_within(range.clone()).ok()?;
    let mut renamed = renamed(names, reserved.get_or_init(|| Reserved::of(unit)), callee);
    let mut pieces = Vec::new();
    if statement.kind() == "declaration" {
        let declarator = statement.child_by_field_name("declarator")?;
        let identifier = declarator.child_by_field_name("declarator")?;
        pieces.push(Piece::Copy(range.start..identifier.end_byte()));
        pieces.push(Piece::New("; ".to_owned()));
        if unit.text(statement).contains("const") {
            return None;
        }
    }
    pieces.push(Piece::New("{ ".to_owned()));
    let mut replaced = Replaced::default();
    for (parameter, argument) in callee.parameters.iter().zip(&arguments) {
        let name = unit.text(parameter.identifier);
        let inner = renamed.get(name).cloned().unwrap_or_else(|| name.to_owned());
        let is_name = argument.kind() == "identifier" && !is_changed(unit, callee.body, name);
        if parameter.rank > 1 && !is_name {
            return None;
        }
        let is_elsewhere = callee.others.contains(unit.text(*argument));
        if parameter.rank > 1 || is_name && !is_elsewhere && points_to_struct(parameter) {
            renamed.insert(name.to_owned(), unit.text(*argument).to_owned());
            continue;
        }
        if let Some(all) = place_of(unit, callee.body, parameter, *argument, caller) {
            replaced.extend(all);
            continue;
        }
        let identifier = parameter.identifier.byte_range();
        let end = parameter.declaration.end_byte();
        pieces.push(Piece::Copy(parameter.declaration.start_byte()..identifier.start));
        match parameter.rank {
            1 => pieces.push(Piece::New(format!("*{inner}"))),
            _ => {
                pieces.push(Piece::New(inner));
                pieces.push(Piece::Copy(identifier.end..end));
            }
        }
        pieces.push(Piece::New(" = ".to_owned()));
        pieces.push(Piece::Copy(argument.byte_range()));
        pieces.push(Piece::New("; ".to_owned()));
    }
    let body = callee.body.start_byte() + 1..callee.body.end_byte().saturating_sub(1);
    let last = callee.result.and_then(|value| value.parent());
    let last =
        last.or_else(|| children(callee.body).into_iter().find(|n| n.kind() == "return_statement"));
    let end = last.map_or(body.end, |last| last.start_byte());
    let by = renamed.iter();
    let by = by.map(|(name, new)| (name.clone(), vec![Piece::New(new.clone())])).collect();
    let copy = |range, pieces: &mut Vec<Piece>| {
        copy_changed(unit, callee.body, range, (&by, &replaced), pieces);
    };
    copy(body.start..end, &mut pieces);
    if let Some(value) = callee.result.filter(|_| is_used) {
        let ty = unit.text(callee.definition.child_by_field_name("type")?);
        pieces.push(match statement.kind() {
            "declaration" => Piece::Copy(
                statement
                    .child_by_field_name("declarator")?
                    .child_by_field_name("declarator")?
                    .byte_range(),
            ),
            _ => Piece::Copy(statement.named_child(0)?.child_by_field_name("left")?.byte_range()),
        });
        let operator = match statement.kind() {
            "declaration" => "=",
            _ => unit.text(statement.named_child(0)?.child_by_field_name("operator")?),
        };
        let (before, after) = match is_of_type(unit, callee, value, ty) {
            true => (String::new(), "; "),
            false => (format!("{}(", cast(ty)), "); "),
        };
        pieces.push(Piece::New(format!(" {operator} {before}")));
        copy(value.byte_range(), &mut pieces);
        pieces.push(Piece::New(after.to_owned()));
    }
    pieces.push(Piece::New("}".to_owned()));
    let (function, macros) = (callee.name.clone(), macros_of(unit, callee));
    Some(Edit { range, pieces, function, macros, within })
}

/// What comes in the place of a call in an expression: the value that the function returns, with the arguments in the place of its parameters.
fn value_edit<'u>(
    unit: &'u TranslationUnit,
    (caller, names): (Node<'u>, &Names),
    callee: &Callee<'u>,
    call: Node<'u>,
) -> Option<Edit> {
    let range = call.byte_range();
    let arguments = arguments(call)?;
    let is_hidden = callee.others.iter().any(|name| names.declared.contains(name));
    if !callee.is_value
        || is_hidden
        || arguments.len() != callee.parameters.len()
        || !arguments.iter().all(|argument| is_without_effect(*argument))
        || callee.definition.byte_range().contains(&range.start)
    {
        return None;
    }
    let within = unit.stands_within(range.clone()).ok()?;
    let value = callee.result?;
    let mut by: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
    let mut replaced = Replaced::default();
    for (parameter, argument) in callee.parameters.iter().zip(&arguments) {
        if let Some(all) = place_of(unit, value, parameter, *argument, caller) {
            replaced.extend(all);
            continue;
        }
        let declared = parameter.declaration.child_by_field_name("declarator")?;
        let copy = Piece::Copy(argument.byte_range());
        let close = Piece::New(")".to_owned());
        // A pointer to another type would not have the members; a number is converted.
        let pieces = if declared.kind() == "identifier" {
            let ty = unit.text(parameter.declaration.child_by_field_name("type")?);
            vec![Piece::New(format!("{}(", cast(ty))), copy, close]
        } else {
            vec![Piece::New("(".to_owned()), copy, close]
        };
        by.insert(unit.text(parameter.identifier).to_owned(), pieces);
    }
    let ty = unit.text(callee.definition.child_by_field_name("type")?);
    let mut pieces = vec![Piece::New(format!("({}(", cast(ty)))];
    copy_changed(unit, value, value.byte_range(), (&by, &replaced), &mut pieces);
    pieces.push(Piece::New("))".to_owned()));
    let (function, macros) = (callee.name.clone(), macros_of(unit, callee));
    Some(Edit { range, pieces, function, macros, within })
}

/// A conversion to a type. Without a qualifier the name of a type in parentheses could be that of a function.
fn cast(ty: &str) -> String {
    let is_keyword =
        ty.contains(' ') || matches!(ty, "char" | "double" | "float" | "int" | "long" | "short");
    if is_keyword { format!("({ty})") } else { format!("(const {ty})") }
}

/// The arguments of a call.
fn arguments(call: Node<'_>) -> Option<Vec<Node<'_>>> {
    let all = children(call.child_by_field_name("arguments")?).into_iter();
    Some(all.filter(|n| n.is_named() && n.kind() != "comment").collect())
}

/// The macros that took part in a function, with a place where they are defined.
fn macros_of(unit: &TranslationUnit, callee: &Callee<'_>) -> (Vec<String>, usize) {
    let calls: Vec<&MacroCall> = unit.macro_calls_in(unit.span(callee.definition)).collect();
    let at = calls.first().map_or(0, |call| call.at);
    (calls.iter().flat_map(|call| call.macros.iter().cloned()).collect(), at)
}

/// Whether a value is a variable of the function that is declared with the type `ty`.
fn is_of_type(unit: &TranslationUnit, callee: &Callee<'_>, value: Node<'_>, ty: &str) -> bool {
    let mut declared = Vec::new();
    for_each_node(callee.body, &mut |node| {
        let of = node.child_by_field_name("type").is_some_and(|t| unit.text(t) == ty);
        let symbols = declared_symbols(unit, node, ScopeKind::Local).into_iter();
        let same = symbols.filter(|symbol| symbol.name == unit.text(value));
        declared.extend(same.map(|symbol| of && symbol.ctype.layers.is_empty()));
    });
    !declared.is_empty() && declared.iter().all(|of| *of)
}

/// New names for those of a function that its caller uses, too.
fn renamed(names: &Names, reserved: &Reserved, callee: &Callee<'_>) -> BTreeMap<String, String> {
    let is_used = |name: &&String| names.used.contains(*name) || reserved.macros.contains(*name);
    let clashing = callee.own.iter().filter(is_used);
    let fresh = |name: &String| {
        let first = format!("{name}_{}", callee.name);
        let numbered = (2..).map(|n: u64| format!("{first}{n}"));
        let mut candidates = std::iter::once(first.clone()).chain(numbered);
        candidates.find(|candidate| !reserved.all.contains(candidate)).unwrap_or(first)
    };
    clashing.map(|name| (name.clone(), fresh(name))).collect()
}

/// Whether a parameter is a pointer to what is no number by its words: members are found where its name is that of the argument.
fn points_to_struct(parameter: &Parameter<'_>) -> bool {
    let ty = parameter.declaration.child_by_field_name("type");
    let is_pointer =
        parameter.identifier.parent().is_some_and(|p| p.kind() == "pointer_declarator");
    is_pointer && ty.is_some_and(|ty| matches!(ty.kind(), "type_identifier" | "struct_specifier"))
}

/// Whether a body changes the variable `name` itself, or takes its address.
fn is_changed(unit: &TranslationUnit, body: Node<'_>, name: &str) -> bool {
    let mut changed = false;
    for_each_node(body, &mut |node| {
        if node.kind() == "identifier" && unit.text(node) == name {
            changed |= node.parent().is_some_and(|parent| match parent.kind() {
                "assignment_expression" => parent.child_by_field_name("left") == Some(node),
                "update_expression" | "pointer_expression" | "sizeof_expression" => true,
                _ => false,
            });
        }
    });
    changed
}

/// What comes in the place of a parameter whose argument is the address of a variable, if that can in all of a part of the function's body.
fn place_of<'u>(
    unit: &'u TranslationUnit,
    part: Node<'u>,
    parameter: &Parameter<'u>,
    argument: Node<'u>,
    caller: Node<'u>,
) -> Option<Replaced> {
    let (name, place) = (unit.text(parameter.identifier), addressed(unit, argument)?);
    uses(unit, part, (name, parameter.declaration), (place, caller))
}

/// Copies a part of a function with its names changed, and more where that is replaced.
fn copy_changed(
    unit: &TranslationUnit,
    body: Node<'_>,
    range: Range<usize>,
    (by, replaced): (&BTreeMap<String, Vec<Piece>>, &Replaced),
    pieces: &mut Vec<Piece>,
) {
    let mut done = range.start;
    for_each_node(body, &mut |node| {
        let at = node.byte_range();
        if at.start < done || at.start >= range.end {
            return;
        }
        let name = (node.kind() == "identifier").then(|| by.get(unit.text(node))).flatten();
        let place = replaced.at(at.start);
        let place = place.map(|(end, text)| (end, vec![Piece::New(text.to_owned())]));
        if let Some((end, new)) = place.or_else(|| Some((at.end, name?.clone()))) {
            pieces.push(Piece::Copy(done..at.start));
            pieces.extend(new);
            done = end;
        }
    });
    pieces.push(Piece::Copy(done..range.end));
}
