//! Syntax to [`hir`](super::hir): expressions.

use super::hir::{Expr, ExprKind, VarId};
use super::parse::{LEVEL, MAX_DEPTH, Parser, strip_parentheses};
use super::vars::{Var, element_kind, element_type};
use super::views::Path;
use crate::source::{self, CType, ScopeKind, Shape, Symbol, integer_literal};
use farkas_base::{DiagnosticId, Span};
use farkas_scop::{ArrayScope, BinaryOp, ElementKind, UnaryOp};

impl<'u> Parser<'u, '_> {
    /// Reads an expression without side effects.
    pub(super) fn expression(&mut self, node: source::Node<'u>) -> Option<Expr> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep(node);
        }
        self.depth += LEVEL;
        let result = self.expression_kind(node);
        self.depth -= LEVEL;
        result
    }

    fn expression_kind(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let span = self.unit.span(node);
        match node.kind() {
            "parenthesized_expression" => match node.named_child(0) {
                Some(inner) => self.expression(inner),
                None => self.unsupported(node, "an empty expression"),
            },
            "number_literal" => self.number(node),
            "char_literal" => self.character(node),
            "true" => Some(constant(1, "1", ElementKind::Signed(32), span)),
            "false" => Some(constant(0, "0", ElementKind::Signed(32), span)),
            "identifier" | "subscript_expression" | "field_expression" => self.place(node),
            "pointer_expression" if self.operator(node) == "*" => self.place(node),
            "unary_expression" => self.unary(node),
            "binary_expression" => self.binary(node),
            "conditional_expression" => self.conditional(node),
            "cast_expression" => self.cast(node),
            "sizeof_expression" => self.sizeof(node),
            "call_expression" => self.call(node),
            "update_expression" if let Some(value) = self.moved_counter(node) => Some(value),
            "assignment_expression" | "update_expression" | "comma_expression" => {
                let error = self
                    .at(DiagnosticId::SideEffect, "a side effect inside an expression", span, "")
                    .note("only a whole statement may assign")
                    .help("write the assignment as a statement of its own");
                self.report(error);
                None
            }
            "gnu_asm_expression" => {
                let error = self
                    .at(DiagnosticId::InlineAssembly, "inline assembly in the region", span, "")
                    .help("end the region before it");
                self.report(error);
                None
            }
            "pointer_expression" => self.unsupported(node, "taking an address"),
            "string_literal" | "concatenated_string" => self.unsupported(node, "a string"),
            "compound_literal_expression" => self.unsupported(node, "a compound literal"),
            _ => self.unsupported(node, "this kind of expression"),
        }
    }

    /// Reports an expression that is nested too deeply.
    fn too_deep<T>(&mut self, node: source::Node<'u>) -> Option<T> {
        let span = self.unit.span(node);
        let message = "the expression is nested too deeply";
        let error = self.at(DiagnosticId::NestedTooDeeply, message, span, "");
        self.report(error);
        None
    }

    /// The operator of a unary, pointer or binary expression.
    pub(super) fn operator(&self, node: source::Node<'u>) -> &'u str {
        let unit = self.unit;
        node.child_by_field_name("operator").map_or("", |o| unit.text(o))
    }

    /// Reports an expression that the tool does not know.
    pub(super) fn unsupported(&mut self, node: source::Node<'u>, what: &str) -> Option<Expr> {
        let span = self.unit.span(node);
        let error = self
            .at(
                DiagnosticId::UnsupportedExpression,
                format!("{what} is not supported in a region"),
                span,
                "",
            )
            .help("compute the value before the region, or end the region before this statement");
        self.report(error);
        None
    }

    fn number(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let (text, span) = (self.unit.text(node), self.unit.span(node));
        if let Some(positive) = text.strip_prefix(['-', '+']) {
            let argument = self.number_text(node, positive.trim_start())?;
            let op = if text.starts_with('-') { UnaryOp::Minus } else { UnaryOp::Plus };
            return Some(Expr {
                ty: argument.ty.promoted(),
                kind: ExprKind::Unary(op, Box::new(argument)),
                span,
            });
        }
        self.number_text(node, text)
    }

    /// The literal `text`, which is `node` without its sign.
    fn number_text(&mut self, node: source::Node<'u>, text: &str) -> Option<Expr> {
        let span = self.unit.span(node);
        if is_floating(text) {
            let ty = ElementKind::of_floating_literal(text);
            return Some(Expr { kind: ExprKind::Float(text.to_owned()), ty, span });
        }
        match integer_literal(text).map(i64::try_from) {
            Some(Ok(value)) => {
                Some(constant(value, text, ElementKind::of_literal(value, text), span))
            }
            Some(Err(_)) => {
                let error = self.at(
                    DiagnosticId::LiteralTooLarge,
                    format!("the number `{text}` does not fit 64 bits with a sign"),
                    span,
                    "",
                );
                self.report(error);
                None
            }
            None => self.unsupported(node, &format!("the number `{text}`")),
        }
    }

    fn character(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let (text, span) = (self.unit.text(node), self.unit.span(node));
        match character_value(text) {
            Some(value) => Some(constant(value, text, ElementKind::Signed(32), span)),
            None => self.unsupported(node, &format!("the character `{text}`")),
        }
    }

    fn unary(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let op = match self.operator(node).trim() {
            // The text to parse may have a sign that the source has not.
            "" => return self.expression(node.child_by_field_name("argument")?),
            "-" => UnaryOp::Minus,
            "+" => UnaryOp::Plus,
            "!" => {
                let argument = self.condition(node.child_by_field_name("argument")?)?;
                let (ty, span) = (ElementKind::Signed(32), self.unit.span(node));
                return Some(Expr {
                    kind: ExprKind::Unary(UnaryOp::Not, Box::new(argument)),
                    ty,
                    span,
                });
            }
            "~" => UnaryOp::BitNot,
            other => return self.unsupported(node, &format!("the operator `{other}`")),
        };
        let argument = self.expression(node.child_by_field_name("argument")?)?;
        let ty = argument.ty.promoted();
        Some(Expr { kind: ExprKind::Unary(op, Box::new(argument)), ty, span: self.unit.span(node) })
    }

    /// An expression that counts as true or false; a pointer does, too.
    pub(super) fn condition(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let pointer = strip_parentheses(node);
        if !self.is_fixed_pointer(pointer) {
            return self.expression(node);
        }
        Some(self.compared_with_null(pointer, "!=", self.unit.span(node)))
    }

    /// The comparison of a pointer with the null pointer, if `node` is one.
    fn null_test(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let symbol = self.operator(node);
        if node.kind() != "binary_expression" || !matches!(symbol, "==" | "!=") {
            return None;
        }
        let [left, right] = ["left", "right"].map(|f| node.child_by_field_name(f));
        let (left, right) = (strip_parentheses(left?), strip_parentheses(right?));
        let pointer = match (self.is_null(left), self.is_null(right)) {
            (false, true) => left,
            (true, false) => right,
            _ => return None,
        };
        self.is_fixed_pointer(pointer)
            .then(|| self.compared_with_null(pointer, symbol, self.unit.span(node)))
    }

    /// A pointer compared with the null pointer, which the region prints as it stands.
    fn compared_with_null(&self, pointer: source::Node<'u>, symbol: &str, span: Span) -> Expr {
        let text = format!("({} {symbol} 0)", self.unit.text(pointer));
        Expr { kind: ExprKind::Verbatim(text), ty: ElementKind::Signed(32), span }
    }

    /// Whether `node` is a null pointer constant.
    fn is_null(&self, node: source::Node<'u>) -> bool {
        match node.kind() {
            "number_literal" => integer_literal(self.unit.text(node)) == Some(0),
            "null" => true,
            "cast_expression" => node
                .child_by_field_name("value")
                .is_some_and(|value| self.is_null(strip_parentheses(value))),
            _ => false,
        }
    }

    /// Whether `node` is a pointer that the function has to itself: what the region does not set stays what it is.
    fn is_fixed_pointer(&mut self, node: source::Node<'u>) -> bool {
        if node.kind() == "field_expression" {
            return self.is_fixed_member(node);
        }
        let name = self.unit.text(node);
        node.kind() == "identifier"
            && self.local(name).is_none()
            && !self.table.may_change_unseen(name)
            && self.table.get(name).is_some_and(|symbol| {
                let is_pointer = match symbol.ctype.layers.first() {
                    Some(source::Layer::Pointer(_)) => true,
                    Some(source::Layer::Array { .. }) => symbol.scope == ScopeKind::Parameter,
                    _ => false,
                };
                is_pointer && symbol.scope != ScopeKind::Global
            })
    }

    /// A binary expression; a chain of them to the left, such as a long sum, is no nesting.
    fn binary(&mut self, node: source::Node<'u>) -> Option<Expr> {
        if let Some(test) = self.null_test(node) {
            return Some(test);
        }
        let mut chain = vec![node];
        let mut first = node.child_by_field_name("left")?;
        while first.kind() == "binary_expression" && self.null_test(first).is_none() {
            if self.depth + chain.len() >= MAX_DEPTH {
                return self.too_deep(node);
            }
            chain.push(first);
            first = first.child_by_field_name("left")?;
        }
        let links = chain.len();
        self.depth += links;
        let is_logical = |parser: &Self, node| matches!(parser.operator(node), "&&" | "||");
        let mut value = match chain.last().is_some_and(|node| is_logical(self, *node)) {
            true => self.condition(first),
            false => self.expression(first),
        };
        self.depth -= links;
        while let Some(node) = chain.pop() {
            let right = node.child_by_field_name("right");
            let right = match is_logical(self, node) {
                true => right.and_then(|n| self.condition(n)),
                false => right.and_then(|n| self.expression(n)),
            };
            let symbol = self.operator(node);
            let Some(op) = binary_op(symbol) else {
                return self.unsupported(node, &format!("the operator `{symbol}`"));
            };
            let span = self.unit.span(node);
            value = value.zip(right).map(|(left, right)| binary(op, left, right, span));
            if self.in_header {
                value = value.map(|value| self.hoisted(node, value));
            }
        }
        value
    }

    fn conditional(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let condition = node.child_by_field_name("condition").and_then(|n| self.condition(n));
        let [then, otherwise] = ["consequence", "alternative"]
            .map(|field| node.child_by_field_name(field).and_then(|n| self.expression(n)));
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        let ty = then.ty.common(otherwise.ty);
        let kind = ExprKind::Ternary(Box::new(condition), Box::new(then), Box::new(otherwise));
        Some(Expr { kind, ty, span: self.unit.span(node) })
    }

    fn cast(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let descriptor = node.child_by_field_name("type")?;
        let ctype = CType::of_descriptor(self.unit, descriptor);
        if !ctype.layers.is_empty() {
            return self.unsupported(node, "a cast to a pointer");
        }
        if !self.unit.names_type(descriptor) {
            return self.unsupported(node, "a cast to an unknown type");
        }
        let value = self.expression(node.child_by_field_name("value")?)?;
        let element = element_type(&ctype);
        if element.kind != ElementKind::Other && value.ty == element.kind {
            return Some(value);
        }
        let (ty, span) = (element.kind, self.unit.span(node));
        Some(Expr { kind: ExprKind::Cast(element, Box::new(value)), ty, span })
    }

    fn sizeof(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let bytes = match (node.child_by_field_name("type"), node.child_by_field_name("value")) {
            (Some(descriptor), _) => {
                let ctype = CType::of_descriptor(self.unit, descriptor);
                match ctype.layers.first() {
                    None => element_kind(&ctype.base).size_bytes(),
                    Some(source::Layer::Pointer(_)) => Some(8),
                    Some(_) => None,
                }
            }
            (None, Some(value)) => self.size_of(value),
            (None, None) => None,
        };
        let Some(bytes) = bytes else { return self.unsupported(node, "this `sizeof`") };
        let text = self.unit.text(node).split_whitespace().collect::<Vec<_>>().join(" ");
        Some(constant(i64::from(bytes), &text, ElementKind::Unsigned(64), self.unit.span(node)))
    }

    /// The size of what an expression denotes, in bytes; of an array, where its extents are constants.
    fn size_of(&mut self, node: source::Node<'u>) -> Option<u32> {
        let node = strip_parentheses(node);
        let place =
            matches!(node.kind(), "identifier" | "subscript_expression" | "field_expression");
        if !place || self.named_constant(node).is_some() {
            return self.expression(node)?.ty.size_bytes();
        }
        let path = self.path(node)?;
        let var = &self.vars[path.var];
        if var.is_pointer && path.subscripts.is_empty() {
            return Some(8);
        }
        let extents = var.extents.get(path.subscripts.len()..)?;
        extents.iter().try_fold(var.element.kind.size_bytes()?, |bytes, extent| {
            let extent = u32::try_from(extent.as_ref()?.constant()?).ok()?;
            bytes.checked_mul(extent)
        })
    }

    /// A scalar, or an element of an array.
    fn place(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let span = self.unit.span(node);
        if let Some(value) = self.named_constant(node) {
            return Some(value);
        }
        let path = self.path(node)?;
        let var = &self.vars[path.var];
        let (rank, given, name) = (var.rank(), path.subscripts.len(), var.name.clone());
        let ty = var.element.kind;
        if rank == given {
            let kind = match rank {
                0 => ExprKind::Scalar(path.var),
                _ => ExprKind::Element(path.var, path.subscripts),
            };
            return Some(self.taken_element(node, Expr { kind, ty, span }));
        }
        let plural = |n: usize, word: &str| {
            if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
        };
        let (has, gets) = (plural(rank, "dimension"), plural(given, "subscript"));
        let message = match given {
            0 => format!("the array `{name}` is used as a pointer"),
            _ if rank == 0 => format!("`{name}` is no array, but it is given {gets}"),
            _ => format!("`{name}` has {has}, but it is given {gets}"),
        };
        let declared = self.vars[path.var].span;
        let error = self
            .at(DiagnosticId::PartialSubscript, message, span, "")
            .also(declared, "declared here")
            .note("the region may use elements of arrays, not pointers to them");
        self.report(error);
        None
    }

    /// Follows subscripts and dereferences down to the variable.
    pub(super) fn path(&mut self, node: source::Node<'u>) -> Option<Path> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep(node);
        }
        self.depth += LEVEL;
        let path = self.path_kind(node);
        self.depth -= LEVEL;
        path
    }

    fn path_kind(&mut self, node: source::Node<'u>) -> Option<Path> {
        match node.kind() {
            "parenthesized_expression" => self.path(node.named_child(0)?),
            "identifier" => {
                let var = self.variable(node)?;
                match self.view(var) {
                    Some((path, None)) => Some(path),
                    _ => Some(Path { var, subscripts: Vec::new() }),
                }
            }
            "field_expression" => self.member(node),
            "subscript_expression" => {
                self.n_subscripts += 1;
                let index = node.child_by_field_name("index").and_then(|n| self.expression(n));
                self.n_subscripts -= 1;
                let (mut path, offset) = self.pointer(node.child_by_field_name("argument")?)?;
                let subscript = sum(offset, BinaryOp::Add, index?);
                path.subscripts.push(said_in(subscript, self.unit.span(node)));
                Some(path)
            }
            "pointer_expression" if self.operator(node) == "*" => {
                let (mut path, offset) = self.pointer(node.child_by_field_name("argument")?)?;
                let span = self.unit.span(node);
                let subscript = offset.unwrap_or_else(|| Expr::int(0, span));
                path.subscripts.push(said_in(subscript, span));
                Some(path)
            }
            "update_expression" | "assignment_expression" => {
                let target =
                    node.child_by_field_name("argument").or(node.child_by_field_name("left"));
                if !target.is_some_and(|t| self.is_pointer_assigned(t)) {
                    self.expression(node);
                }
                None
            }
            _ => {
                self.unsupported(node, "access through a computed pointer");
                None
            }
        }
    }

    /// A pointer as a path and, for a sum, what is added to it.
    pub(super) fn pointer(&mut self, node: source::Node<'u>) -> Option<(Path, Option<Expr>)> {
        let node = strip_parentheses(node);
        match node.kind() {
            "binary_expression" => {}
            "identifier" => {
                let var = self.variable(node)?;
                let plain = Path { var, subscripts: Vec::new() };
                if let Some(view) = self.view(var) {
                    return Some(view);
                }
                return Some((plain, self.counter_of(node)));
            }
            "update_expression" if let Some((pointer, first)) = self.moved_pointer(node) => {
                let (path, offset) = self.pointer(pointer)?;
                return Some(match first {
                    Some((op, by)) => (path, Some(sum(offset, op, by))),
                    None => (path, offset),
                });
            }
            "pointer_expression" if self.operator(node) == "&" => return self.address(node),
            "cast_expression" => return self.cast_pointer(node),
            _ => return Some((self.path(node)?, None)),
        }
        let op = match self.operator(node) {
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            _ => {
                self.unsupported(node, "this pointer arithmetic");
                return None;
            }
        };
        let [left, right] = ["left", "right"].map(|f| node.child_by_field_name(f));
        let (left, right) = (left?, right?);
        let swapped = op == BinaryOp::Add && !self.is_pointer(left);
        let (base, offset) = if swapped { (right, left) } else { (left, right) };
        if self.depth >= MAX_DEPTH {
            return self.too_deep(node);
        }
        self.depth += LEVEL;
        let base = self.pointer(base);
        self.depth -= LEVEL;
        let offset = self.expression(offset)?;
        let (path, before) = base?;
        Some((path, Some(sum(before, op, offset))))
    }

    /// Whether `node` is a pointer: a variable of more dimensions than it gives subscripts, or a sum with one.
    fn is_pointer(&self, node: source::Node<'u>) -> bool {
        let mut node = strip_parentheses(node);
        let mut n_subscripts = 0i64;
        loop {
            let inner = match node.kind() {
                "pointer_expression" if self.operator(node) == "&" => {
                    n_subscripts -= 1;
                    node.child_by_field_name("argument")
                }
                "subscript_expression" | "pointer_expression" => {
                    n_subscripts += 1;
                    node.child_by_field_name("argument")
                }
                "cast_expression" => node.child_by_field_name("value"),
                "binary_expression" => {
                    let [left, right] = ["left", "right"].map(|f| node.child_by_field_name(f));
                    // One look at the left is enough: sums are read from the left.
                    left.filter(|l| l.kind() != "number_literal").or(right)
                }
                _ => None,
            };
            match inner {
                Some(inner) => node = strip_parentheses(inner),
                None => break,
            }
        }
        let name = self.unit.text(node);
        let var = self.local(name).or_else(|| self.outer.get(name).copied().flatten());
        let rank = match var {
            Some(var) => self.vars[var].rank(),
            None if node.kind() == "field_expression" => self.rank_of_member(node),
            None => self.table.get(name).map_or(0, |s| s.ctype.layers.len()),
        };
        i64::try_from(rank).unwrap_or(i64::MAX) > n_subscripts
    }

    /// The value of an enumeration constant, or of a `const` variable whose value the file gives.
    fn named_constant(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let name = self.unit.text(node);
        if node.kind() != "identifier" || self.local(name).is_some() {
            return None;
        }
        let symbol = self.table.get(name)?.clone();
        let element = element_type(&symbol.ctype);
        let is_fixed = match symbol.scope {
            ScopeKind::Enumerator => true,
            ScopeKind::Global | ScopeKind::Local => {
                let qualifiers = symbol.ctype.qualifiers;
                let plain = symbol.ctype.layers.is_empty() && element.kind.is_integer();
                plain
                    && qualifiers.is_const
                    && !qualifiers.is_volatile
                    && symbol.initializer.is_some()
            }
            ScopeKind::Parameter => false,
        };
        let base = match symbol.initializer.filter(|_| is_fixed) {
            Some(value) => {
                self.outside(value, |parser| parser.expression(value)).and_then(|v| v.constant())
            }
            None => is_fixed.then_some(0),
        };
        let value = base?.checked_add(symbol.enumerator_offset)?;
        let fits = match element.kind {
            ElementKind::Signed(bits @ 1..=63) => {
                (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&value)
            }
            ElementKind::Unsigned(bits @ 1..=62) => (0..1i64 << bits).contains(&value),
            ElementKind::Unsigned(_) => value >= 0,
            _ => true,
        };
        fits.then(|| constant(value, name, element.kind.promoted(), self.unit.span(node)))
    }

    /// The variable that an identifier means here.
    fn variable(&mut self, node: source::Node<'u>) -> Option<VarId> {
        let name = self.unit.text(node);
        if self.is_refused(name) {
            return None;
        }
        if let Some(var) = self.local(name) {
            return Some(var);
        }
        if let Some(known) = self.outer.get(name) {
            return *known;
        }
        let symbol = self.table.get(name).cloned();
        let var = match symbol {
            Some(symbol) => self.outer_view(&symbol).or_else(|| self.outer_variable(symbol, node)),
            None => {
                let span = self.unit.span(node);
                let error = self
                    .at(DiagnosticId::UndeclaredName, format!("`{name}` is not declared"), span, "")
                    .note("no declaration of it is visible in the file or in the headers that it includes");
                self.report(error);
                None
            }
        };
        self.outer.insert(name.to_owned(), var);
        var
    }

    /// Takes a variable from outside the region into the table.
    fn outer_variable(&mut self, symbol: Symbol<'u>, node: source::Node<'u>) -> Option<VarId> {
        let (name, span) = (symbol.name.clone(), self.unit.span(node));
        let refuse = |parser: &mut Self, id, message: String, help: &str| {
            let error =
                parser.at(id, message, span, "").also(symbol.span, "declared here").help(help);
            parser.report(error);
            None
        };
        let shape = symbol.shape();
        let holds_pointers = shape == Shape::Pointers;
        let (extents, is_pointer) = match shape {
            Shape::Scalar => (Vec::new(), false),
            Shape::Array { extents, is_pointer } => (extents, is_pointer),
            Shape::Pointers => (pointer_extents(&symbol.ctype), true),
            Shape::Function => {
                let message = format!("the function `{name}` is used as a value");
                return refuse(self, DiagnosticId::UnknownCall, message, "call it directly");
            }
        };
        if symbol.ctype.qualifiers.is_volatile || symbol.ctype.qualifiers.is_atomic {
            let message = format!(
                "`{name}` is volatile or atomic: each access to it is an effect of its own"
            );
            return refuse(
                self,
                DiagnosticId::VolatileAccess,
                message,
                "copy it into a plain variable before the region",
            );
        }
        let declared = symbol.identifier.start_byte();
        let extents =
            extents.into_iter().map(|e| e.and_then(|e| self.extent(e, declared))).collect();
        let is_restrict = is_restrict(&symbol.ctype);
        let scope = match symbol.scope {
            ScopeKind::Global => ArrayScope::Global,
            ScopeKind::Parameter => ArrayScope::Parameter,
            ScopeKind::Local | ScopeKind::Enumerator => ArrayScope::Local,
        };
        Some(self.vars.push(Var {
            name,
            element: element_type(&symbol.ctype),
            extents,
            extent_texts: Vec::new(),
            is_pointer,
            is_restrict,
            holds_pointers,
            is_taken: false,
            scope,
            span: symbol.span,
            symbol: Some(symbol),
            is_iterator: false,
            writes: Vec::new(),
            made_of: Vec::new(),
            flag_of: None,
        }))
    }

    /// The extent of an array declared at byte `declared` of the text; nothing where it is not understood, or where what it
    /// mentions may have changed since.
    pub(super) fn extent(&mut self, node: source::Node<'u>, declared: usize) -> Option<Expr> {
        let extent = self.outside(node, |parser| parser.expression(node));
        let extent = extent.filter(|e| e.ty.is_integer())?;
        let mut stable = true;
        extent.walk(&mut |e| {
            if let Some(var) = e.scalar() {
                stable &= self.is_unchanged_since(&self.vars[var].name, declared);
            }
        });
        stable.then_some(extent)
    }

    /// Whether the function, outside the region, leaves the variable `name` alone from byte `from` of the text on.
    pub(super) fn is_unchanged_since(&self, name: &str, from: usize) -> bool {
        let writes = |node: source::Node<'u>| {
            let Some(parent) = node.parent() else { return false };
            parent.kind() == "update_expression"
                || parent.kind() == "assignment_expression"
                    && parent.child_by_field_name("left") == Some(node)
        };
        let (start, end) = self.region_range();
        let inside = |node: source::Node<'u>| node.start_byte() >= start && node.end_byte() <= end;
        !self.table.may_change_unseen(name)
            && self
                .table
                .uses(name)
                .into_iter()
                .all(|u| u.start_byte() < from || inside(u) || !writes(u))
    }
}

/// The extents of an array of pointers or a pointer to pointers, each layer a dimension.
fn pointer_extents<'u>(ctype: &CType<'u>) -> Vec<Option<source::Node<'u>>> {
    let extent = |layer: &source::Layer<'u>| match layer {
        source::Layer::Array { size, .. } => *size,
        source::Layer::Pointer(_) | source::Layer::Function => None,
    };
    ctype.layers.iter().map(extent).collect()
}

/// Whether a type is that of a `restrict` pointer.
fn is_restrict(ctype: &CType<'_>) -> bool {
    ctype.layers.first().is_some_and(|layer| match layer {
        source::Layer::Pointer(qualifiers) | source::Layer::Array { qualifiers, .. } => {
            qualifiers.is_restrict
        }
        source::Layer::Function => false,
    })
}

/// A constant.
fn constant(value: i64, text: &str, ty: ElementKind, span: Span) -> Expr {
    Expr { kind: ExprKind::Int { value, text: text.to_owned() }, ty, span }
}

/// `left op right` with its type.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or, Shl, Shr};
    let ty = match op {
        Lt | Gt | Le | Ge | Eq | Ne | And | Or => ElementKind::Signed(32),
        Shl | Shr => left.ty.promoted(),
        _ => left.ty.common(right.ty),
    };
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}

/// `offset op by`, where there may be no offset yet.
pub(super) fn sum(offset: Option<Expr>, op: BinaryOp, by: Expr) -> Expr {
    let span = by.span;
    match offset {
        Some(offset) => {
            let span = offset.span.cover(span);
            binary(op, offset, by, span)
        }
        None if op == BinaryOp::Sub => {
            Expr { ty: by.ty.promoted(), kind: ExprKind::Unary(UnaryOp::Minus, Box::new(by)), span }
        }
        None => by,
    }
}

/// A subscript of the access at `span`: where a part of it is said elsewhere, in the declaration of the pointer, the access is its place.
fn said_in(subscript: Expr, span: Span) -> Expr {
    let is_here = span.start <= subscript.span.start && subscript.span.end <= span.end;
    Expr { span: if is_here { subscript.span } else { span }, ..subscript }
}

/// The binary operator spelled `symbol`.
pub(super) fn binary_op(symbol: &str) -> Option<BinaryOp> {
    Some(match symbol {
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "<" => BinaryOp::Lt,
        ">" => BinaryOp::Gt,
        "<=" => BinaryOp::Le,
        ">=" => BinaryOp::Ge,
        "==" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "&" => BinaryOp::BitAnd,
        "^" => BinaryOp::BitXor,
        "|" => BinaryOp::BitOr,
        "&&" => BinaryOp::And,
        "||" => BinaryOp::Or,
        _ => return None,
    })
}

/// Whether a number literal is one of floating point.
fn is_floating(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("0x") { lower.contains('p') } else { lower.contains(['.', 'e', 'f']) }
}

/// The value of a character literal without prefix.
fn character_value(text: &str) -> Option<i64> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut chars = inner.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    if first != '\\' {
        return (rest.is_empty() && first.is_ascii()).then_some(i64::from(u32::from(first)));
    }
    let escape = rest.chars().next()?;
    let simple = match escape {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        '\\' | '\'' | '"' | '?' => i64::from(u32::from(escape)),
        'x' => return i64::from_str_radix(&rest[1..], 16).ok().filter(|v| *v < 128),
        '0'..='7' => return i64::from_str_radix(rest, 8).ok().filter(|v| *v < 128),
        _ => return None,
    };
    (rest.len() == 1).then_some(simple)
}
