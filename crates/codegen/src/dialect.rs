//! C's way of writing expressions of the AST.

use crate::types::{Width, needs_cast, width};
use farkas_astgen::{Binding, Dialect, Text};
use farkas_scop::Scop;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// C, with what the region's types demand; remembers which helper macros it used.
pub(crate) struct C<'a> {
    /// The type of loop variables.
    pub(crate) iterator_type: &'a str,
    /// Parameters with their types.
    pub(crate) params: BTreeMap<&'a str, &'a str>,
    /// Helper macros used so far.
    used: RefCell<BTreeSet<&'static str>>,
    /// What is not declared or defined.
    reserved: BTreeSet<String>,
    /// Whether parameters stand for values of a type that sums of them fit; nothing for the type of loop variables.
    wide: Cell<Option<bool>>,
}

/// The helper macros: what the AST calls them, their C name, parameters and definition.
const HELPERS: [(&str, &str, &str, &str); 6] = [
    (
        "apart",
        "farkas_apart",
        "(a, b, c, d)",
        "((__UINTPTR_TYPE__)((b) + 1) <= (__UINTPTR_TYPE__)(c) || (__UINTPTR_TYPE__)((d) + 1) <= (__UINTPTR_TYPE__)(a))",
    ),
    ("floord", "farkas_floord", "(n, d)", "((n) < 0 ? -((-(n) + (d) - 1) / (d)) : (n) / (d))"),
    ("max", "farkas_max", "(a, b)", "((a) > (b) ? (a) : (b))"),
    ("min", "farkas_min", "(a, b)", "((a) < (b) ? (a) : (b))"),
    (
        "rows",
        "farkas_rows",
        "(p, r0, r1, c0, c1)",
        "__extension__ ({ int farkas_ok = 1; for (long farkas_r = (r0); farkas_ok && farkas_r < (r1); farkas_r++) farkas_ok = (__UINTPTR_TYPE__)(&(p)[farkas_r][c1] + 1) <= (__UINTPTR_TYPE__)&(p)[farkas_r + 1][c0]; farkas_ok; })",
    ),
    ("mod", "farkas_mod", "(n, d)", "(((n) % (d) + (d)) % (d))"),
];

/// How all names begin that the printer makes up itself.
const PREFIX: &str = "farkas_";

/// The variables in the helper macros.
const LOCALS: [&str; 2] = ["farkas_ok", "farkas_r"];

impl<'a> C<'a> {
    /// C for a scop.
    pub(crate) fn new(scop: &'a Scop, iterator_type: &'a str) -> Self {
        let params = scop.params().iter().map(|p| (p.name.as_str(), p.ty.as_str())).collect();
        Self {
            iterator_type,
            params,
            used: RefCell::default(),
            reserved: BTreeSet::new(),
            wide: Cell::new(None),
        }
    }

    /// C that leaves names to the user.
    pub(crate) fn avoiding(self, reserved: &BTreeSet<String>) -> Self {
        let ours = reserved.iter().filter(|name| name.starts_with(PREFIX));
        Self { reserved: ours.cloned().collect(), ..self }
    }

    /// The name of a helper: `plain`, which begins with [`PREFIX`], or where the user has that, one with a number.
    pub(crate) fn name(&self, plain: &str) -> String {
        let numbered = (1..).map(|n| format!("{plain}_{n}"));
        let mut names = std::iter::once(plain.to_owned()).chain(numbered);
        names.find(|name| !self.reserved.contains(name)).unwrap_or_default()
    }

    /// What `print` writes for the conditions in front of a region: with parameters in their own types, or in ones that sums
    /// of them fit.
    pub(crate) fn widely(&self, wide: bool, print: impl FnOnce() -> Text) -> Text {
        let before = self.wide.replace(Some(wide));
        let text = print();
        self.wide.set(before);
        text
    }

    /// The condition that two ranges of elements, each from its first to its last, share no memory.
    pub(crate) fn apart(&self, ends: &[String; 4]) -> String {
        self.used.borrow_mut().insert("farkas_apart");
        format!("{}({})", self.name("farkas_apart"), ends.join(", "))
    }

    /// The condition that the rows of an array of pointers lie one after another: the first row, the last, the first element
    /// of each that is touched, the last.
    pub(crate) fn rows(&self, name: &str, ends: &[String]) -> String {
        self.used.borrow_mut().insert("farkas_rows");
        format!("{}({name}, {})", self.name("farkas_rows"), ends.join(", "))
    }

    /// Definitions of the helper macros that were used, and how to take them back.
    pub(crate) fn helpers(&self) -> (String, String) {
        let used = self.used.borrow();
        let (mut define, mut undefine) = (String::new(), String::new());
        for (_, name, parameters, body) in HELPERS.iter().filter(|h| used.contains(h.1)) {
            let (name, mut body) = (self.name(name), (*body).to_owned());
            for local in LOCALS {
                body = body.replace(local, &self.name(local));
            }
            define.push_str(&format!("#define {name}{parameters} {body}\n"));
            undefine.push_str(&format!("#undef {name}\n"));
        }
        (define, undefine)
    }
}

impl Dialect for C<'_> {
    fn param(&self, name: &str) -> Text {
        if let Some(wide) = self.wide.get() {
            let ty = self.params.get(name).map_or(Width::LongLong, |ty| width(ty));
            return match (wide, ty) {
                (false, _) => Text::new(name, Binding::Primary),
                (true, Width::Int) => Text::new(format!("(long){name}"), Binding::Unary),
                (true, _) => Text::new(format!("(__int128){name}"), Binding::Unary),
            };
        }
        match self.params.get(name) {
            Some(ty) if needs_cast(ty) => {
                Text::new(format!("({}){name}", self.iterator_type), Binding::Unary)
            }
            _ => Text::new(name, Binding::Primary),
        }
    }

    fn call(&self, function: &str, left: &str, right: &str) -> Text {
        let helper = HELPERS.iter().find(|h| h.0 == function).map_or("farkas_unknown", |h| h.1);
        self.used.borrow_mut().insert(helper);
        Text::new(format!("{}({left}, {right})", self.name(helper)), Binding::Primary)
    }
}
