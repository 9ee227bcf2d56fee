//! A region: a scop with its place in a file, and what of the file around it matters.

use crate::{Expr, Grant, Scop};
use farkas_base::Span;
use farkas_poly::Set;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a file that became a scop, in whatever language the file is.
#[derive(Clone, Debug)]
pub struct Region {
    /// The scop.
    pub scop: Scop,
    /// The bytes of the file that stand for it: in C, those that the generated code replaces.
    pub span: Span,
    /// The function that it lies in, or what else it is called.
    pub function: String,
    /// The code around it.
    pub host: Host,
}

impl Region {
    /// A scop that stands in a file by itself, without code around it.
    pub fn bare(scop: Scop, span: Span) -> Self {
        Self { scop, span, function: "scop".into(), host: Host::default() }
    }
}

/// The C code around a region, as far as what takes the region's place has to fit into it. Nothing by default: there is none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Host {
    /// What the source says in the region, without the pragmas: what runs where an assumption does not hold.
    pub original: String,
    /// The blanks that its first line begins with.
    pub indent: String,
    /// All names that the file uses: what generated code must not declare.
    pub reserved_names: BTreeSet<String>,
    /// What is computed before the region begins.
    pub taken: Vec<Taken>,
    /// Macros whose value went into the region.
    pub macro_guards: Vec<MacroGuard>,
    /// Iterators of the region that are declared outside of it.
    pub outer_iterators: Vec<OuterIterator>,
    /// Other local variables of the function that are used in the region's text alone, and not in its scop.
    pub dropped: Vec<String>,
    /// Variables of the function, numbers and pointers, that the region's text uses and does not change.
    pub kept: BTreeSet<String>,
    /// Whether what takes its place has to be one statement: it stands under a header or label.
    pub needs_braces: bool,
    /// Why it must not start threads, if so.
    pub one_thread: Option<String>,
    /// Whether its own pragmas start threads, whatever its sizes: who wrote them knows that there is work enough.
    pub starts_threads: bool,
    /// What the user grants it.
    pub grants: Vec<Grant>,
    /// The values of parameters for which the user wants it to be fast.
    pub sizes: BTreeMap<String, i64>,
}

/// An object-like macro whose value went into a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MacroGuard {
    /// Its name.
    pub name: String,
    /// What it stood for, as text.
    pub value: String,
    /// The value that `#if NAME != value` can test; none where it cannot.
    pub testable: Option<i128>,
}

/// An iterator that is declared outside the region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OuterIterator {
    /// Its name.
    pub name: String,
    /// Its type as the source writes it.
    pub ty: String,
    /// Whether the function mentions it outside the region, its declaration apart.
    pub is_used_elsewhere: bool,
    /// Where its value is read after the region: that value, an expression of the parameters.
    pub final_value: Option<Expr>,
}

/// A value that the region does not change and that is computed once, before the region: what a member of a struct holds, or a
/// bound that is no affine function of the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The name of the variable that has it in the region.
    pub name: String,
    /// The type of the variable, its qualifiers and stars before the name included: `const int `, `double *const `.
    pub ty: String,
    /// The value, in C: `grid->nx`.
    pub home: String,
    /// For which parameters it may be computed; always, where there is none.
    pub within: Option<Set>,
}
