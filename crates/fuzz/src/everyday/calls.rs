//! Making everyday programs: calls with other sizes, and pointers that lie to each other in all ways that C allows.

use super::functions::Maker;
use super::kinds::Kind;
use super::model::{Argument, Array, Call, Element, Form, Function, Layout, MARGIN, POOL};

/// The sizes that are tried.
const SIZES: [i64; 7] = [0, 1, 2, 3, 7, 33, 65];
/// Where the first range begins.
const START: i64 = 64;

impl Maker {
    /// A few calls of each function.
    pub(super) fn calls(&mut self, functions: &[Function]) -> Vec<Call> {
        let mut calls = Vec::new();
        for (at, function) in functions.iter().enumerate() {
            for _ in 0..4 + self.random.below(3) {
                calls.push(self.call(at, function));
            }
        }
        calls
    }

    /// A call.
    fn call(&mut self, at: usize, function: &Function) -> Call {
        let layout = self.layout(function);
        let mut sizes: Vec<i64> = function.sizes.iter().map(|_| self.size()).collect();
        if layout == Layout::Null {
            sizes.fill(0);
        }
        let deep = depth(function) > 2;
        while deep && sizes.iter().any(|&size| size > 33) || total(function, &sizes) > POOL - 512 {
            sizes.iter_mut().for_each(|size| *size /= 2);
        }
        let first = self.first(sizes.iter().copied().max().unwrap_or(0));
        let arguments = self.arguments(function, &sizes, layout);
        Call { function: at, sizes, first, arguments, layout }
    }

    /// A size: zero is as likely as all others where calls without trips are a theme.
    fn size(&mut self) -> i64 {
        if self.likes(Kind::ZeroTrips) || self.likes(Kind::EmptyRows) {
            return self.random.pick(&[0, 0, 1, 2]);
        }
        self.random.pick(&SIZES)
    }

    /// Where loops begin that do not begin at zero.
    fn first(&mut self, size: i64) -> i64 {
        let end = i64::from(i32::MAX) - size.max(4);
        self.random.pick(&[0, end, end, end - 1, end - 31, i64::from(i32::MIN) + 8, -5])
    }

    /// How the pointers of a call lie to each other.
    fn layout(&mut self, function: &Function) -> Layout {
        if self.likes(Kind::NullPointers) && function.is_empty_at_zero() {
            return Layout::Null;
        }
        if function.promises() {
            return Layout::Distinct;
        }
        let wishes = [
            (Kind::EqualPointers, Layout::Equal),
            (Kind::OverlappingPointers, Layout::Shifted),
            (Kind::AdjacentRanges, Layout::Adjacent),
            (Kind::GlobalsAsArguments, Layout::Global),
        ];
        for (kind, layout) in wishes {
            if self.likes(kind) {
                return layout;
            }
        }
        self.random.pick(&[
            Layout::Distinct,
            Layout::Distinct,
            Layout::Equal,
            Layout::Shifted,
            Layout::Adjacent,
        ])
    }

    /// What the pointers point to.
    fn arguments(&mut self, function: &Function, sizes: &[i64], layout: Layout) -> Vec<Argument> {
        let mut offset = START;
        let mut arguments = Vec::new();
        for array in &function.arrays {
            let argument = match array.form {
                Form::Global => Argument::None,
                _ if layout == Layout::Null => Argument::Null,
                Form::PointerRows => self.table(offset, sizes),
                _ => Argument::Pool(array.element, offset),
            };
            arguments.push(argument);
            offset += match layout {
                Layout::Adjacent => exact(array, sizes),
                _ => reach(array, sizes) + 8,
            };
        }
        match layout {
            Layout::Equal => self.shift(function, sizes, &mut arguments, &[0]),
            Layout::Shifted => {
                let n = sizes.first().copied().unwrap_or(1);
                self.shift(function, sizes, &mut arguments, &[1, 1, -1, 2, n, n / 2, n - 1]);
            }
            Layout::Global => self.globals(function, &mut arguments),
            Layout::Distinct | Layout::Adjacent | Layout::Null => {}
        }
        arguments
    }

    /// A table of rows; rows may overlap.
    fn table(&mut self, offset: i64, sizes: &[i64]) -> Argument {
        let n = sizes.first().copied().unwrap_or(1);
        let stride =
            if self.likes(Kind::SharedRows) { self.random.pick(&[0, 1, n / 2]) } else { n + 1 };
        Argument::Table(offset, self.random.pick(&[1, 3, 8]), stride)
    }

    /// Lets all pointers begin where another one does, or some elements beside it, with room for the longest of them.
    fn shift(
        &mut self,
        function: &Function,
        sizes: &[i64],
        arguments: &mut [Argument],
        by: &[i64],
    ) {
        let base = self.random.below(arguments.len());
        let longest = function.arrays.iter().map(|array| reach(array, sizes)).max().unwrap_or(0);
        let (element, offset) = match arguments[base] {
            Argument::Pool(element, offset) => (element, offset.min(POOL - longest - 2 * START)),
            _ => return,
        };
        arguments[base] = Argument::Pool(element, offset);
        for (at, array) in function.arrays.iter().enumerate() {
            let bytes = array.element == Element::Byte && element == Element::Unsigned;
            let fits = array.element == element || bytes;
            if at != base && fits && matches!(arguments[at], Argument::Pool(..)) {
                let shift = self.random.pick(by);
                arguments[at] = Argument::Pool(element, offset + shift);
            }
        }
    }

    /// Lets pointers point into global arrays of the same type.
    fn globals(&mut self, function: &Function, arguments: &mut [Argument]) {
        for (array, argument) in function.arrays.iter().zip(arguments) {
            let is_flat = matches!(array.form, Form::Pointer);
            if is_flat && self.random.chance(75) {
                let shift = self.random.pick(&[0, 0, 1, -1, 2, 40]);
                *argument = Argument::Global(array.element, MARGIN + shift);
            }
        }
    }
}

/// Loops around each other, at most.
fn depth(function: &Function) -> usize {
    use super::model::{Item, Loop};
    fn items(all: &[Item]) -> usize {
        let of = |item: &Item| match item {
            Item::Loop(inner) => of_loop(inner),
            Item::If(_, then) => items(then),
            Item::Assign(_) => 0,
        };
        all.iter().map(of).max().unwrap_or(0)
    }
    fn of_loop(node: &Loop) -> usize {
        1 + items(&node.body)
    }
    function.nests.iter().map(|nest| of_loop(&nest.root)).max().unwrap_or(0)
}

/// Elements that an array may need, at most: subscripts are at most `3 * size + 8`.
fn reach(array: &Array, sizes: &[i64]) -> i64 {
    let most = 3 * sizes.iter().copied().max().unwrap_or(0).max(9) + 8;
    match array.form {
        Form::Pointer | Form::Restrict => most,
        Form::Rows(rows, columns) => sizes[rows] * sizes[columns],
        Form::Linear(size) => most * (sizes[size] + 1),
        Form::PointerRows => 8 * (sizes[0] + 1) + most,
        Form::Global => 0,
    }
}

/// Elements of an array where subscripts are iterators alone.
fn exact(array: &Array, sizes: &[i64]) -> i64 {
    match array.form {
        Form::Rows(rows, columns) => sizes[rows] * sizes[columns],
        Form::Linear(size) => sizes[size] * sizes[0],
        Form::Pointer | Form::Restrict => sizes[0],
        Form::PointerRows | Form::Global => reach(array, sizes),
    }
}

/// Elements that all arrays need where they lie apart.
fn total(function: &Function, sizes: &[i64]) -> i64 {
    function.arrays.iter().map(|array| reach(array, sizes) + 8).sum()
}
