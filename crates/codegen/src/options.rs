//! What is printed beside the loops, and how.

use crate::device::Language;
use farkas_astgen::{Cond, Guard, Span, Work};
use farkas_base::SourceFile;
use farkas_scop::MemoryLimit;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The language of the output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Target {
    /// C99 without pragmas.
    C,
    /// C99 with OpenMP pragmas.
    #[default]
    OpenMp,
    /// C99 that starts kernels on a GPU.
    Device(Language),
}

/// A macro whose value was folded into the region.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MacroGuard {
    /// The macro.
    pub name: String,
    /// Its value when the region was transformed, as `#if` reads it.
    pub value: String,
}

/// Options of printing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The language.
    pub target: Target,
    /// Number of spaces of one level.
    pub indent: usize,
    /// What stands before every line: the indentation of the region in the file.
    pub margin: String,
    /// Lines of comment for each top-level node of the AST, above what the printer itself says of it.
    pub nest_comments: Vec<Vec<String>>,
    /// Macros to guard.
    pub macro_guards: Vec<MacroGuard>,
    /// Variables declared outside the region that nothing in the function may use any more, to be silenced.
    pub unused: Vec<String>,
    /// Variables declared outside the loops that keep their values: each thread has copies of those that it uses, since compilers keep in
    /// memory, throughout the function, what threads share (clang) or may change (gcc).
    pub kept: BTreeSet<String>,
    /// Statements after the loops.
    pub last: Vec<String>,
    /// What is computed first.
    pub first: Vec<First>,
    /// When the loops run.
    pub condition: Condition,
    /// The names of the user's file, macros' names among them.
    pub reserved: BTreeSet<String>,
    /// Bytes that buffers may take on the stack of a thread.
    pub stack_bytes: u32,
    /// Where compilers are told that lines come from.
    pub places: Option<Places>,
    /// Whether the loops stand between `#pragma scop` and `#pragma endscop`.
    pub is_marked: bool,
}

/// The places of the user's code: statements have the line of the user's, everything else has the region's first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The user's file.
    pub source: Arc<SourceFile>,
    /// The region's first line.
    pub first: u32,
}

impl Places {
    /// The directive that says which line of the file comes next.
    pub fn directive(source: &SourceFile, line: u32) -> String {
        format!("{LINE}{line} \"{}\"\n", source.name().replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// How such a directive begins.
pub(crate) const LINE: &str = "#line ";

/// A variable that is declared before the loops and what is tested in front of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct First {
    /// The declaration up to its `=`, in C: `const int grid_nx`.
    pub declaration: String,
    /// The value, in C.
    pub value: String,
    /// For which parameters it is computed; else the variable is 0. Always, where there is none.
    pub when: Option<Cond>,
}

/// When loops run: where what was taken for granted holds, there is memory for their expanded arrays, and some conditions hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Condition {
    /// What was taken for granted and is tested.
    pub guards: Vec<Guard>,
    /// Conditions on parameters, in C.
    pub limits: Vec<String>,
    /// Of which one has to hold, if there are any: that there is enough work for the loops to be faster than what runs else.
    pub works: Vec<Work>,
    /// Whether they gain by threads alone, so that they run only where there are several.
    pub needs_threads: bool,
    /// What expanded arrays may take, and what the region's own arrays do, where that is tested.
    pub memory: Option<(MemoryLimit, Vec<Span>)>,
    /// The greatest absolute value of wide parameters that they allow.
    pub most: Option<i64>,
    /// What runs else: whole lines, with the margin.
    pub otherwise: String,
}

impl Condition {
    /// Whether nothing is asked.
    pub(crate) fn is_always(&self) -> bool {
        let Self { guards, limits, works, needs_threads, .. } = self;
        guards.is_empty() && limits.is_empty() && works.is_empty() && !needs_threads
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            target: Target::OpenMp,
            indent: 2,
            margin: String::new(),
            nest_comments: Vec::new(),
            macro_guards: Vec::new(),
            unused: Vec::new(),
            kept: BTreeSet::new(),
            last: Vec::new(),
            first: Vec::new(),
            condition: Condition::default(),
            reserved: BTreeSet::new(),
            stack_bytes: 8 << 10,
            places: None,
            is_marked: false,
        }
    }
}
