//! C's way of writing expressions of the AST.

use crate::types::needs_cast;
use farkas_astgen::{Binding, Dialect, Text};
use farkas_scop::Scop;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// C, with what the region's types demand; remembers which helper macros it used.
pub(crate) struct C<'a> {
    /// The type of loop variables.
    pub(crate) iterator_type: &'a str,
    /// Parameters with their types.
    pub(crate) params: BTreeMap<&'a str, &'a str>,
    /// Helper macros used so far.
    used: RefCell<BTreeSet<&'static str>>,
}

/// The helper macros: what the AST calls them, their C name, parameters and definition.
const HELPERS: [(&str, &str, &str, &str); 4] = [
    ("floord", "farkas_floord", "(n, d)", "((n) < 0 ? -((-(n) + (d) - 1) / (d)) : (n) / (d))"),
    ("max", "farkas_max", "(a, b)", "((a) > (b) ? (a) : (b))"),
    ("min", "farkas_min", "(a, b)", "((a) < (b) ? (a) : (b))"),
    ("mod", "farkas_mod", "(n, d)", "(((n) % (d) + (d)) % (d))"),
];

impl<'a> C<'a> {
    /// C for a scop.
    pub(crate) fn new(scop: &'a Scop, iterator_type: &'a str) -> Self {
        let params = scop.params().iter().map(|p| (p.name.as_str(), p.ty.as_str())).collect();
        Self { iterator_type, params, used: RefCell::default() }
    }

    /// Definitions of the helper macros that were used, and how to take them back.
    pub(crate) fn helpers(&self) -> (String, String) {
        let used = self.used.borrow();
        let (mut define, mut undefine) = (String::new(), String::new());
        for (_, name, parameters, body) in HELPERS.iter().filter(|h| used.contains(h.1)) {
            define.push_str(&format!("#define {name}{parameters} {body}\n"));
            undefine.push_str(&format!("#undef {name}\n"));
        }
        (define, undefine)
    }
}

impl Dialect for C<'_> {
    fn param(&self, name: &str) -> Text {
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
        Text::new(format!("{helper}({left}, {right})"), Binding::Primary)
    }
}
