//! What is special in a program.

use super::model::{
    Array, CounterForm, Everyday, Form, Guard, IntType, Item, Layout, LoopForm, Placement,
    ScalarKind,
};
use std::collections::BTreeSet;

/// A way in which programs go beyond loops over distinct arrays in `int`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "`Kind::name` says what each is")]
pub enum Kind {
    EqualPointers,
    OverlappingPointers,
    AdjacentRanges,
    NullPointers,
    GlobalsAsArguments,
    Widths,
    BytesOverWords,
    Restrict,
    ArrayParameters,
    EmptyRows,
    PointerRows,
    SharedRows,
    LinearRows,
    UnsignedIterators,
    NarrowIterators,
    WideIterators,
    WrappingGuards,
    Down,
    DownUnsigned,
    Strides,
    Triangles,
    EndOfType,
    ZeroTrips,
    DataGuards,
    Pragmas,
    ParallelPragmas,
    UnbracedBodies,
    Labels,
    HalfLines,
    Macros,
    UserNames,
    ThreadLocals,
    SeveralFunctions,
    SeveralNests,
    Helpers,
    Counters,
    Walks,
    Elements,
    WhileLoops,
}

/// All kinds with their names.
const NAMES: [(Kind, &str); 39] = [
    (Kind::EqualPointers, "calls with equal pointers"),
    (Kind::OverlappingPointers, "calls with ranges that overlap in part"),
    (Kind::AdjacentRanges, "calls with ranges next to each other"),
    (Kind::NullPointers, "null pointers with zero trips"),
    (Kind::GlobalsAsArguments, "globals against pointers"),
    (Kind::Widths, "elements of several widths"),
    (Kind::BytesOverWords, "bytes over words"),
    (Kind::Restrict, "restrict"),
    (Kind::ArrayParameters, "array parameters A[m][n]"),
    (Kind::EmptyRows, "array parameters with extents of zero"),
    (Kind::PointerRows, "pointers to rows"),
    (Kind::SharedRows, "rows that overlap"),
    (Kind::LinearRows, "linearised rows A[i * n + j]"),
    (Kind::UnsignedIterators, "unsigned iterators"),
    (Kind::NarrowIterators, "narrow iterators or sizes"),
    (Kind::WideIterators, "long or size_t iterators"),
    (Kind::WrappingGuards, "conditions that may wrap"),
    (Kind::Down, "loops that count down"),
    (Kind::DownUnsigned, "unsigned loops that count down"),
    (Kind::Strides, "strides"),
    (Kind::Triangles, "triangles"),
    (Kind::EndOfType, "iterators near the end of int"),
    (Kind::ZeroTrips, "calls with a size of zero"),
    (Kind::DataGuards, "conditions on data"),
    (Kind::Pragmas, "unroll pragmas before loops"),
    (Kind::ParallelPragmas, "parallel, simd, ivdep pragmas before loops"),
    (Kind::UnbracedBodies, "unbraced bodies of if"),
    (Kind::Labels, "labels"),
    (Kind::HalfLines, "loops inside lines"),
    (Kind::Macros, "macros that expand to loops"),
    (Kind::UserNames, "user names that collide"),
    (Kind::ThreadLocals, "thread-local variables"),
    (Kind::SeveralFunctions, "several functions"),
    (Kind::SeveralNests, "several nests in a function"),
    (Kind::Helpers, "calls of functions through pointers"),
    (Kind::Counters, "variables that count along"),
    (Kind::Walks, "pointers that walk along"),
    (Kind::Elements, "bounds in elements of an array"),
    (Kind::WhileLoops, "while loops that count"),
];

impl Kind {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(kind, _)| *kind)
    }

    /// What it is.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

impl Everyday {
    /// What is special in it.
    pub fn kinds(&self) -> BTreeSet<Kind> {
        let mut kinds = BTreeSet::new();
        if self.functions.len() > 1 {
            kinds.insert(Kind::SeveralFunctions);
        }
        if !self.names.is_empty() {
            kinds.insert(Kind::UserNames);
        }
        self.kinds_of_functions(&mut kinds);
        self.kinds_of_calls(&mut kinds);
        kinds
    }

    /// Those that show in functions.
    fn kinds_of_functions(&self, kinds: &mut BTreeSet<Kind>) {
        for function in &self.functions {
            let mut add = |holds: bool, kind: Kind| {
                if holds {
                    kinds.insert(kind);
                }
            };
            add(function.nests.len() > 1, Kind::SeveralNests);
            add(function.has_ends, Kind::Elements);
            add(function.scalars.contains(&ScalarKind::ThreadLocal), Kind::ThreadLocals);
            add(function.sizes.iter().any(|size| size.ty.is_narrow()), Kind::NarrowIterators);
            let element = function.arrays.first().map(|array| array.element);
            add(function.arrays.iter().any(|a| Some(a.element) != element), Kind::Widths);
            let has = |form: &dyn Fn(&Array) -> bool| function.arrays.iter().any(form);
            add(has(&|a| a.form == Form::Restrict), Kind::Restrict);
            add(has(&|a| matches!(a.form, Form::Rows(..))), Kind::ArrayParameters);
            add(has(&|a| matches!(a.form, Form::Linear(_))), Kind::LinearRows);
            add(has(&|a| a.form == Form::PointerRows), Kind::PointerRows);
            for nest in &function.nests {
                guards(&nest.root.body, kinds);
            }
            for nest in &function.nests {
                let mut add = |holds: bool, kind: Kind| {
                    if holds {
                        kinds.insert(kind);
                    }
                };
                add(nest.promises(), Kind::ParallelPragmas);
                add(nest.pragma.is_some() && !nest.promises(), Kind::Pragmas);
                match nest.place {
                    Placement::Plain => {}
                    Placement::UnbracedIf | Placement::UnbracedElse => {
                        add(true, Kind::UnbracedBodies);
                    }
                    Placement::Label => add(true, Kind::Labels),
                    Placement::HalfLine => add(true, Kind::HalfLines),
                    Placement::Macro | Placement::HeadMacro => add(true, Kind::Macros),
                }
            }
            function.each_loop(&mut |node| {
                let mut add = |holds: bool, kind: Kind| {
                    if holds {
                        kinds.insert(kind);
                    }
                };
                let down = matches!(
                    node.form,
                    LoopForm::Down | LoopForm::DownTested | LoopForm::DownShifted
                );
                add(down, Kind::Down);
                add(down && node.ty.is_unsigned(), Kind::DownUnsigned);
                add(node.ty.is_unsigned(), Kind::UnsignedIterators);
                add(node.ty.is_narrow(), Kind::NarrowIterators);
                add(matches!(node.ty, IntType::Long | IntType::Size), Kind::WideIterators);
                match node.counter.map(|c| c.form) {
                    None => {}
                    Some(CounterForm::Pointer) => add(true, Kind::Walks),
                    Some(CounterForm::While) => add(true, Kind::WhileLoops),
                    Some(_) => add(true, Kind::Counters),
                }
                add(node.step != 1, Kind::Strides);
                add(node.from_first, Kind::EndOfType);
                add(matches!(node.end, super::model::End::Iterator(..)), Kind::Triangles);
            });
        }
    }

    /// Those that show in calls.
    fn kinds_of_calls(&self, kinds: &mut BTreeSet<Kind>) {
        use super::model::Argument;
        for call in &self.calls {
            kinds.extend(match call.layout {
                Layout::Distinct => None,
                Layout::Equal => Some(Kind::EqualPointers),
                Layout::Shifted => Some(Kind::OverlappingPointers),
                Layout::Adjacent => Some(Kind::AdjacentRanges),
                Layout::Null => Some(Kind::NullPointers),
                Layout::Global => Some(Kind::GlobalsAsArguments),
            });
            if call.sizes.contains(&0) {
                kinds.insert(Kind::ZeroTrips);
            }
            let Some(function) = self.functions.get(call.function) else { continue };
            for (array, argument) in function.arrays.iter().zip(&call.arguments) {
                match (array.form, argument) {
                    (Form::Rows(m, n), _) if call.sizes[m] == 0 || call.sizes[n] == 0 => {
                        kinds.insert(Kind::EmptyRows);
                    }
                    (_, Argument::Table(_, _, stride)) if *stride < call.sizes[0] => {
                        kinds.insert(Kind::SharedRows);
                    }
                    (_, Argument::Pool(element, _)) if *element != array.element => {
                        kinds.insert(Kind::BytesOverWords);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The kinds of conditions.
fn guards(items: &[Item], kinds: &mut BTreeSet<Kind>) {
    for item in items {
        match item {
            Item::Loop(inner) => guards(&inner.body, kinds),
            Item::If(guard, then) => {
                match guard {
                    Guard::Affine(_) => {}
                    Guard::Wrapping(_) => drop(kinds.insert(Kind::WrappingGuards)),
                    Guard::Data(_) => drop(kinds.insert(Kind::DataGuards)),
                }
                guards(then, kinds);
            }
            Item::Assign(assign) => {
                if assign.helper.is_some() {
                    kinds.insert(Kind::Helpers);
                }
            }
        }
    }
}
