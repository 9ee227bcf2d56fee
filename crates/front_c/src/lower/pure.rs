//! Functions that may be called in a region, and what they are worth.

use super::hir::{Expr, ExprKind, VarId};
use super::parse::{Parser, named_children, strip_parentheses};
use super::vars::{Var, element_kind, element_type};
use crate::source::{
    self, CType, Layer, ScopeKind, Shape, declared_symbols, for_each_node, parameters,
};
use farkas_base::{DiagnosticId, Span};
use farkas_scop::{BinaryOp, ElementKind, ElementType, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};

/// Functions of C's mathematics library that depend on their arguments alone, in their `double` form.
const MATHEMATICS: [&str; 48] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

/// Functions of the C library that change something besides their results, and that loops call often.
const EFFECTS: [&str; 44] = [
    "__builtin_va_arg",
    "__builtin_va_copy",
    "__builtin_va_end",
    "__builtin_va_start",
    "abort",
    "assert",
    "calloc",
    "clock",
    "exit",
    "fclose",
    "fflush",
    "fgets",
    "fopen",
    "fprintf",
    "fputc",
    "fputs",
    "fread",
    "free",
    "fscanf",
    "fwrite",
    "getc",
    "getchar",
    "gettimeofday",
    "malloc",
    "memcpy",
    "memmove",
    "memset",
    "perror",
    "printf",
    "putc",
    "putchar",
    "puts",
    "qsort",
    "rand",
    "rand_r",
    "random",
    "realloc",
    "scanf",
    "snprintf",
    "sprintf",
    "srand",
    "sscanf",
    "strcpy",
    "time",
];

/// The result type of a function of the C library that is pure; rounding mode and `errno` are not looked at.
pub(crate) fn library_function(name: &str) -> Option<ElementKind> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let known = |base: &str| MATHEMATICS.contains(&base);
    match name {
        "abs" | "ilogb" | "ilogbf" | "ilogbl" => Some(ElementKind::Signed(32)),
        "inf" | "huge_val" => Some(ElementKind::Double),
        "inff" | "huge_valf" => Some(ElementKind::Float),
        "labs" | "llabs" | "lround" | "llround" | "lrint" | "llrint" | "lroundf" | "llroundf"
        | "lrintf" | "llrintf" => Some(ElementKind::Signed(64)),
        _ if known(name) => Some(ElementKind::Double),
        _ if name.strip_suffix('f').is_some_and(known) => Some(ElementKind::Float),
        _ if name.strip_suffix('l').is_some_and(known) => Some(ElementKind::LongDouble),
        _ => None,
    }
}

impl<'u> Parser<'u, '_> {
    /// A call.
    pub(super) fn call(&mut self, node: source::Node<'u>) -> Option<Expr> {
        let span = self.unit.span(node);
        let function = strip_parentheses(node.child_by_field_name("function")?);
        let list = node.child_by_field_name("arguments").map_or_else(Vec::new, named_children);
        let name = self.unit.text(function).to_owned();
        let ty = self.callee(function, span);
        let arguments: Vec<Option<Expr>> = match ty {
            Some(_) => list.into_iter().map(|a| self.expression(a)).collect(),
            None => Vec::new(),
        };
        let (ty, arguments) = (ty?, arguments.into_iter().collect::<Option<Vec<Expr>>>()?);
        let value = self.value_of_call(&name, &arguments, span).map(Box::new);
        Some(Expr { kind: ExprKind::Call { name, arguments, value }, ty, span })
    }

    /// The type that a call of `function` has, if it may be called.
    fn callee(&mut self, function: source::Node<'u>, span: Span) -> Option<ElementKind> {
        let name = self.unit.text(function);
        if function.kind() != "identifier" || self.is_pointer_to_function(name) {
            let error = self
                .at(
                    DiagnosticId::UnknownCall,
                    format!("a call through the pointer `{name}`"),
                    span,
                    "",
                )
                .note("which function it calls, and what that does, is known at run time only")
                .help("call the function directly, or end the region before this statement");
            self.report(error);
            return None;
        }
        let definition = self.unit.function(name);
        if self.options.pure_functions.iter().any(|p| p == name) {
            return Some(definition.map_or(ElementKind::Other, |d| self.return_type(d)));
        }
        if let Some(definition) = definition {
            return self.defined_function(name, definition, span);
        }
        if let Some(ty) = library_function(name) {
            return Some(ty);
        }
        let message = format!("the call of `{name}` may have side effects");
        let error = self.at(DiagnosticId::UnknownCall, message, span, "");
        let error = match EFFECTS.contains(&name) {
            true => error
                .note("the C library says that it changes something besides its result")
                .help("give it loops of its own, or end the region before it"),
            false => error
                .note("its definition is not in the file, and it is no function of C's mathematics library")
                .help(format!("if its result depends on its arguments alone and it changes nothing, say `--pure {name}`")),
        };
        self.report(error);
        None
    }

    /// A function that the file defines: pure, or refused with the reason.
    fn defined_function(
        &mut self,
        name: &str,
        definition: source::Node<'u>,
        span: Span,
    ) -> Option<ElementKind> {
        let reason = match self.purity.get(name) {
            Some(known) => known.clone(),
            None => {
                let reason = self.impurity(definition, &mut BTreeSet::new());
                self.purity.insert(name.to_owned(), reason.clone());
                reason
            }
        };
        let Some((place, reason)) = reason else { return Some(self.return_type(definition)) };
        let error = self
            .at(DiagnosticId::ImpureCall, format!("the call of `{name}` may have side effects"), span, "")
            .also(place, reason)
            .help(format!("if its result depends on its arguments alone and it changes nothing, say `--pure {name}`"));
        self.report(error);
        None
    }

    /// Whether `name` is a variable that points to a function.
    fn is_pointer_to_function(&self, name: &str) -> bool {
        self.local(name).is_some()
            || self
                .table
                .get(name)
                .is_some_and(|s| !matches!(s.ctype.layers.first(), Some(Layer::Function)))
    }

    /// What a function returns.
    fn return_type(&self, definition: source::Node<'u>) -> ElementKind {
        let ctype = CType::of_declarator(
            self.unit,
            definition,
            definition.child_by_field_name("declarator"),
        );
        match ctype.layers.as_slice() {
            [Layer::Function] => element_kind(&ctype.base),
            _ => ElementKind::Other,
        }
    }

    /// The first thing in a function that keeps it from being pure, with its place: anything but computing with its own
    /// scalars and local arrays.
    fn impurity(
        &self,
        definition: source::Node<'u>,
        visiting: &mut BTreeSet<usize>,
    ) -> Option<(Span, String)> {
        if !visiting.insert(definition.id()) || visiting.len() > 32 {
            return Some((self.unit.span(definition.child(0)?), "it calls itself".to_owned()));
        }
        let mut own = BTreeSet::new();
        for parameter in parameters(definition) {
            for symbol in declared_symbols(self.unit, parameter, ScopeKind::Parameter) {
                if symbol.shape() != Shape::Scalar {
                    return Some((
                        symbol.span,
                        format!("`{}` leads to memory of the caller", symbol.name),
                    ));
                }
                own.insert(symbol.name);
            }
        }
        let body = definition.child_by_field_name("body")?;
        let mut found = None;
        for_each_node(body, &mut |node| {
            if node.kind() == "declaration" && found.is_none() {
                for symbol in declared_symbols(self.unit, node, ScopeKind::Local) {
                    let plain = matches!(
                        symbol.shape(),
                        Shape::Scalar | Shape::Array { is_pointer: false, .. }
                    );
                    let storage = symbol.storage;
                    if !plain
                        || storage.is_static
                        || storage.is_extern
                        || symbol.ctype.qualifiers.is_volatile
                    {
                        let what = format!("`{}` is not a plain local variable", symbol.name);
                        found = Some((symbol.span, what));
                    }
                    own.insert(symbol.name);
                }
            }
        });
        for_each_node(body, &mut |node| {
            if found.is_none() {
                found = self.impure_node(node, &own, visiting);
            }
        });
        found
    }

    /// Whether one node of a function keeps it from being pure; `own` are its variables.
    fn impure_node(
        &self,
        node: source::Node<'u>,
        own: &BTreeSet<String>,
        visiting: &mut BTreeSet<usize>,
    ) -> Option<(Span, String)> {
        let span = self.unit.span(node);
        let refuse = |what: &str| Some((span, what.to_owned()));
        match node.kind() {
            "pointer_expression" => refuse("it works with addresses"),
            "field_expression" => refuse("it uses a struct"),
            "gnu_asm_expression" => refuse("it holds assembly"),
            "goto_statement" => refuse("it jumps"),
            "string_literal" => refuse("it uses a string"),
            "compound_literal_expression" => refuse("it uses a compound literal"),
            "assignment_expression" | "update_expression" => {
                let target =
                    node.child_by_field_name("left").or(node.child_by_field_name("argument"));
                let mut base = strip_parentheses(target?);
                while base.kind() == "subscript_expression" {
                    base = strip_parentheses(base.child_by_field_name("argument")?);
                }
                let name = self.unit.text(base);
                if own.contains(name) { None } else { Some((span, format!("it changes `{name}`"))) }
            }
            "call_expression" => {
                let function = strip_parentheses(node.child_by_field_name("function")?);
                let name = self.unit.text(function);
                if self.options.pure_functions.iter().any(|p| p == name) {
                    return None;
                }
                match self.unit.function(name) {
                    Some(inner) => {
                        let reason = self.impurity(inner, visiting);
                        visiting.remove(&inner.id());
                        reason
                    }
                    None if library_function(name).is_some() => None,
                    None => Some((span, format!("it calls `{name}`"))),
                }
            }
            "identifier" => {
                let name = self.unit.text(node);
                let called = node.parent().is_some_and(|p| {
                    p.kind() == "call_expression" && p.child_by_field_name("function") == Some(node)
                });
                if called || own.contains(name) {
                    return None;
                }
                let constant = self.table.get(name).is_some_and(|s| {
                    let q = s.ctype.qualifiers;
                    s.scope == ScopeKind::Enumerator
                        || s.scope == ScopeKind::Global && q.is_const && !q.is_volatile
                });
                if constant { None } else { Some((span, format!("it reads `{name}`"))) }
            }
            _ => None,
        }
    }

    /// What a call is worth in terms of its arguments: for `abs`, and for functions of the file that are one `return` of an
    /// integer.
    fn value_of_call(&mut self, name: &str, arguments: &[Expr], span: Span) -> Option<Expr> {
        const MAX_SIZE: usize = 400;
        let small = arguments.iter().map(|a| a.size(MAX_SIZE)).sum::<usize>() <= MAX_SIZE;
        if !small || !arguments.iter().all(|a| a.ty.is_integer()) {
            return None;
        }
        if let ("abs" | "labs" | "llabs", [a]) = (name, arguments) {
            let negative = super::expr::binary(BinaryOp::Lt, a.clone(), Expr::int(0, span), span);
            let kind = ExprKind::Unary(UnaryOp::Minus, Box::new(a.clone()));
            let opposite = Expr { kind, ty: a.ty, span };
            let kind =
                ExprKind::Ternary(Box::new(negative), Box::new(opposite), Box::new(a.clone()));
            return Some(Expr { kind, ty: a.ty, span });
        }
        let definition = self.unit.function(name)?;
        let ty = self.return_type(definition);
        let value = returned_value(definition).filter(|_| ty.is_integer())?;
        let symbols: Vec<source::Symbol<'u>> = parameters(definition)
            .into_iter()
            .flat_map(|p| declared_symbols(self.unit, p, ScopeKind::Parameter))
            .collect();
        if symbols.len() != arguments.len() || self.depth > 256 {
            return None;
        }
        let mut scope = BTreeMap::new();
        let mut bound = BTreeMap::new();
        for (symbol, argument) in symbols.iter().zip(arguments) {
            let element = element_type(&symbol.ctype);
            if !element.kind.is_integer() {
                return None;
            }
            let var = self.vars.push(Var::made(String::new(), element.clone(), span));
            scope.insert(symbol.name.clone(), var);
            bound.insert(var, converted(argument.clone(), &element));
        }
        let value = self.expression_in(value, scope)?;
        let element = ElementType { text: "int".to_owned(), kind: ty };
        Some(converted(value.substituted(&bound), &element))
    }
}

/// The expression of a function whose body is one `return`.
fn returned_value(definition: source::Node<'_>) -> Option<source::Node<'_>> {
    let body = named_children(definition.child_by_field_name("body")?);
    let [only] = body.as_slice() else { return None };
    (only.kind() == "return_statement").then(|| only.named_child(0)).flatten()
}

/// `expr` as a value of the type `element`.
pub(super) fn converted(expr: Expr, element: &ElementType) -> Expr {
    if expr.ty == element.kind {
        return expr;
    }
    let span = expr.span;
    Expr { kind: ExprKind::Cast(element.clone(), Box::new(expr)), ty: element.kind, span }
}

/// Replacement of variables by expressions.
pub(super) type Substitution = BTreeMap<VarId, Expr>;

/// What is known of the purity of functions: nothing where pure, else a place and a reason.
pub(super) type Purity = BTreeMap<String, Option<(Span, String)>>;
