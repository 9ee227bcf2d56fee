//! C's way of writing expressions of the AST, in types that hold them.
//!
//! Loop variables are `int` where that holds them and everything that is computed with them in it, else wide. Where parameters
//! alone leave `int`, an operand is converted: `2L * n`. Both is found out by printing: what does not fit is noted, and the region
//! is printed again with wider loop variables until all fits.

use crate::places::Place;
use crate::ranges::Ranges;
use crate::types::{needs_cast, range};
use farkas_astgen::{Binding, Cond, Dialect, Expr, For, Text, Value};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// What `int` holds.
const INT: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);

/// What `long` holds.
const LONG: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

/// C, with what the region's types demand; remembers which helper macros it used.
pub(crate) struct C<'a> {
    /// The parameters.
    pub(crate) ranges: &'a Ranges,
    /// The loops, by the order in which they are printed, whose variables are wide.
    wide: &'a BTreeSet<usize>,
    /// Where the text stands.
    scope: RefCell<Scope>,
    /// What did not fit.
    misfits: RefCell<Misfits>,
    /// Helper macros used so far.
    used: RefCell<BTreeSet<&'static str>>,
    /// Of these those that look at rows.
    used_rows: RefCell<BTreeSet<RowsHelper>>,
    /// What is not declared or defined.
    reserved: BTreeSet<String>,
    /// In the conditions in front of a region: whether parameters are converted to a type that sums of them fit.
    guard: Cell<Option<bool>>,
}

/// What was found not to fit its type.
#[derive(Clone, Default)]
pub(crate) struct Misfits {
    /// Loops whose variables are to be wide.
    pub(crate) narrow: BTreeSet<usize>,
    /// Something that not even the wide type holds.
    pub(crate) is_beyond: bool,
}

/// The loops and guards around the text.
#[derive(Default)]
struct Scope {
    place: Place,
    counters: Vec<Counter>,
    /// The number of loops that were printed so far.
    n_loops: usize,
}

/// The variable of a loop.
struct Counter {
    name: String,
    number: usize,
    value: Value,
}

/// The values of what a loop is bounded by.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// The first value of its variable.
    pub(crate) first: Value,
    /// The last value that it may have.
    pub(crate) last: Value,
    /// What it is compared with: C compares in the wider type, but OpenMP in the type of the variable.
    pub(crate) limit: Value,
}

/// A value that its type holds.
fn held(value: Value) -> Value {
    let (min, max) = if value.wide { LONG } else { INT };
    Value { least: value.least.clamp(min, max), greatest: value.greatest.clamp(min, max), ..value }
}

/// How deep a text stands, to come back to.
pub(crate) struct Depth {
    place: (usize, usize),
    n_counters: usize,
}

/// The helper macros: what the AST calls them, their C name, parameters and definition.
const HELPERS: [(&str, &str, &str, &str); 5] = [
    (
        "apart",
        "farkas_apart",
        "(a, b, c, d)",
        "((__UINTPTR_TYPE__)((b) + 1) <= (__UINTPTR_TYPE__)(c) || (__UINTPTR_TYPE__)((d) + 1) <= (__UINTPTR_TYPE__)(a))",
    ),
    ("floord", "farkas_floord", "(n, d)", "((n) / (d) - ((n) % (d) < 0))"),
    ("max", "farkas_max", "(a, b)", "((a) > (b) ? (a) : (b))"),
    ("min", "farkas_min", "(a, b)", "((a) < (b) ? (a) : (b))"),
    ("mod", "farkas_mod", "(n, d)", "(((n) % (d) + (d)) % (d))"),
];

/// How all names begin that the printer makes up itself.
const PREFIX: &str = "farkas_";

/// A helper macro that looks at all rows of an array of pointers, or of pages of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RowsHelper {
    /// The dimensions of the array.
    rank: usize,
    /// Whether each row is to be apart from a range of elements; else behind the row before it.
    is_apart: bool,
}

impl RowsHelper {
    /// The name, before it is made another than the user's.
    fn name(self) -> String {
        let which = if self.is_apart { "farkas_rows_apart" } else { "farkas_rows" };
        if self.rank == 2 { which.to_owned() } else { format!("{which}_of_{}", self.rank) }
    }

    /// The parameters: the array; for each dimension the first and the last subscript; the range.
    fn parameters(self) -> String {
        let ends = (0..self.rank).map(|at| format!("a{at}, b{at}"));
        let ends = ends.collect::<Vec<_>>().join(", ");
        if self.is_apart { format!("(p, {ends}, a, b)") } else { format!("(p, {ends})") }
    }

    /// What it stands for; `name` makes names of variables.
    fn body(self, name: impl Fn(&str) -> String) -> String {
        let (ok, end) = (name("farkas_ok"), name("farkas_end"));
        let last = self.rank - 1;
        let counters: Vec<String> = (0..last).map(|at| name(&format!("farkas_r{at}"))).collect();
        let loops: String = counters
            .iter()
            .enumerate()
            .map(|(at, r)| format!("for (long {r} = (a{at}); {ok} && {r} <= (b{at}); {r}++) "))
            .collect();
        let row: String = counters.iter().map(|r| format!("[{r}]")).collect();
        let number = "(__UINTPTR_TYPE__)";
        let (from, to) = (format!("&(p){row}[a{last}]"), format!("&(p){row}[b{last}] + 1"));
        let (declared, step) = match self.is_apart {
            true => {
                let before = format!("{number}({to}) <= {number}(a)");
                let behind = format!("{number}((b) + 1) <= {number}{from}");
                (String::new(), format!("{ok} = {before} || {behind};"))
            }
            false => {
                let behind = format!("{ok} = {end} <= {number}{from};");
                let next = format!("{end} = {number}({to});");
                (format!(" __UINTPTR_TYPE__ {end} = 0;"), format!("{{ {behind} {next} }}"))
            }
        };
        format!("__extension__ ({{ int {ok} = 1;{declared} {loops}{step} {ok}; }})")
    }
}

impl<'a> C<'a> {
    /// C for a region with these parameters and wide loops.
    pub(crate) fn new(ranges: &'a Ranges, wide: &'a BTreeSet<usize>) -> Self {
        Self {
            ranges,
            wide,
            scope: RefCell::default(),
            misfits: RefCell::default(),
            used: RefCell::default(),
            used_rows: RefCell::default(),
            reserved: BTreeSet::new(),
            guard: Cell::new(None),
        }
    }

    /// What did not fit so far.
    pub(crate) fn misfits(&self) -> Misfits {
        self.misfits.borrow().clone()
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

    /// What `print` writes for the conditions in front of a region, where nothing is known of the parameters but their types:
    /// with parameters in their own types, or in ones that sums of them fit.
    pub(crate) fn widely(&self, wide: bool, print: impl FnOnce() -> Text) -> Text {
        let before = self.guard.replace(Some(wide));
        let text = print();
        self.guard.set(before);
        text
    }

    /// The condition that two ranges of elements, each from its first to its last, share no memory.
    pub(crate) fn apart(&self, ends: &[String; 4]) -> String {
        self.used.borrow_mut().insert("farkas_apart");
        format!("{}({})", self.name("farkas_apart"), ends.join(", "))
    }

    /// The condition that the rows of an array of pointers lie one after another: the first and the last subscript in each dimension.
    pub(crate) fn rows(&self, name: &str, ends: &[String]) -> String {
        let macro_name = self.rows_helper(RowsHelper { rank: ends.len() / 2, is_apart: false });
        format!("{macro_name}({name}, {})", ends.join(", "))
    }

    /// The condition that the rows of an array of pointers share no memory with a range of elements: the first and the last subscript in each
    /// dimension; the first and the last of the range.
    pub(crate) fn rows_apart(&self, name: &str, ends: &[String], range: &[String; 2]) -> String {
        let macro_name = self.rows_helper(RowsHelper { rank: ends.len() / 2, is_apart: true });
        format!("{macro_name}({name}, {}, {})", ends.join(", "), range.join(", "))
    }

    /// The name of a helper that is used now.
    fn rows_helper(&self, helper: RowsHelper) -> String {
        self.used_rows.borrow_mut().insert(helper);
        self.name(&helper.name())
    }

    /// Definitions of the helper macros that were used, and how to take them back.
    pub(crate) fn helpers(&self) -> (String, String) {
        let used = self.used.borrow();
        let (mut define, mut undefine) = (String::new(), String::new());
        for (_, name, parameters, body) in HELPERS.iter().filter(|h| used.contains(h.1)) {
            let name = self.name(name);
            define.push_str(&format!("#define {name}{parameters} {body}\n"));
            undefine.push_str(&format!("#undef {name}\n"));
        }
        for helper in self.used_rows.borrow().iter() {
            let (name, body) = (self.name(&helper.name()), helper.body(|local| self.name(local)));
            define.push_str(&format!("#define {name}{} {body}\n", helper.parameters()));
            undefine.push_str(&format!("#undef {name}\n"));
        }
        (define, undefine)
    }

    /// The type of a value.
    pub(crate) fn type_of(&self, value: Value) -> &'static str {
        if value.wide { self.ranges.wide } else { "int" }
    }

    /// Goes into a loop and returns the type of its variable; `has_wide_use` where it stands for an iterator of a wide type.
    pub(crate) fn enter_loop(
        &self,
        node: &For,
        bounds: Bounds,
        has_wide_use: bool,
    ) -> &'static str {
        let number = self.scope.borrow().n_loops;
        let fits = |(min, max): (i128, i128)| {
            let is_held =
                |value: Value, of: &Expr| value.is_within(min, max) || self.is_known(of, min, max);
            let last = if node.step > 0 { bounds.last.greatest } else { bounds.last.least };
            let next = last.saturating_add(node.step.into());
            is_held(bounds.first, &node.first)
                && is_held(bounds.limit, &node.end)
                && ((min..=max).contains(&next) || self.next_fits(node, min, max))
        };
        // Compilers count its iterations where nothing is cut off of where it begins.
        let length = || node.end.minus(&node.first).as_int();
        let is_counted = bounds.first.wide && length().is_some();
        let is_wide = has_wide_use || is_counted || self.wide.contains(&number) || !fits(INT);
        if is_wide && !fits(LONG) {
            self.misfits.borrow_mut().is_beyond = true;
        }
        let (least, greatest) = match node.step > 0 {
            true => (bounds.first.least, bounds.last.greatest),
            false => (bounds.last.least, bounds.first.greatest),
        };
        let value = held(Value { least, greatest, wide: is_wide });
        let mut scope = self.scope.borrow_mut();
        scope.n_loops += 1;
        scope.counters.push(Counter { name: node.iterator.clone(), number, value });
        scope.place.enter_loop(&node.iterator, (&node.first, &node.end), node.step);
        self.type_of(value)
    }

    /// Whether a type holds the value of a loop's variable after each of its iterations.
    fn next_fits(&self, node: &For, min: i128, max: i128) -> bool {
        let Some(known) = &self.ranges.known else { return false };
        let depth = self.depth();
        let mut scope = self.scope.borrow_mut();
        scope.place.enter_loop(&node.iterator, (&node.first, &node.end), node.step);
        let next = Expr::iterator(node.iterator.as_str()).offset(node.step);
        let fits = known.is_within(&scope.place, &next, min, max);
        scope.place.leave(depth.place);
        fits
    }

    /// Goes into a guard.
    pub(crate) fn enter_guard(&self, condition: &Cond) {
        self.scope.borrow_mut().place.enter_guard(condition);
    }

    /// How deep the text stands.
    pub(crate) fn depth(&self) -> Depth {
        let scope = self.scope.borrow();
        Depth { place: scope.place.depth(), n_counters: scope.counters.len() }
    }

    /// Goes out to this depth.
    pub(crate) fn leave(&self, depth: &Depth) {
        let mut scope = self.scope.borrow_mut();
        scope.place.leave(depth.place);
        scope.counters.truncate(depth.n_counters);
    }

    /// Whether an expression lies between two numbers wherever the text is reached.
    fn is_known(&self, expr: &Expr, least: i128, most: i128) -> bool {
        let scope = self.scope.borrow();
        self.ranges
            .known
            .as_ref()
            .is_some_and(|known| known.is_within(&scope.place, expr, least, most))
    }

    /// Notes that the loop variables in `expr` are to be wide, which they are from here on: there is no need to ask about what else
    /// is computed with them.
    fn widen(&self, expr: &Expr) {
        let mut scope = self.scope.borrow_mut();
        expr.for_each_name(&mut |name, is_iterator| {
            let counter = scope.counters.iter_mut().rev().find(|c| is_iterator && c.name == name);
            if let Some(counter) = counter.filter(|c| !c.value.wide) {
                counter.value.wide = true;
                self.misfits.borrow_mut().narrow.insert(counter.number);
            }
        });
    }
}

impl Dialect for C<'_> {
    fn computed(&self, value: Value, of: &dyn Fn() -> Expr) -> Value {
        if self.guard.get().is_some() {
            // Operands are in types that sums of them fit.
            return value;
        }
        let fits = |(min, max)| value.is_within(min, max) || self.is_known(&of(), min, max);
        if !value.wide {
            if fits(INT) {
                return held(value);
            }
            self.widen(&of());
        }
        if !fits(LONG) {
            self.misfits.borrow_mut().is_beyond = true;
        }
        held(Value { wide: true, ..value })
    }

    fn widened(&self, operand: Text) -> Text {
        if self.guard.get().is_some() {
            return operand;
        }
        let value = Value { wide: true, ..operand.value };
        if operand.text.bytes().all(|b| b.is_ascii_digit()) {
            return Text::new(format!("{}L", operand.text), Binding::Primary).of(value);
        }
        let text = format!("({}){}", self.ranges.wide, operand.within(Binding::Unary));
        Text::new(text, Binding::Unary).of(value)
    }

    fn is_not_negative(&self, numerator: &Expr, value: Value) -> bool {
        self.guard.get().is_none() && (value.least >= 0 || self.is_known(numerator, 0, LONG.1))
    }

    fn param(&self, name: &str) -> Text {
        let Some(param) = self.ranges.param(name) else { return Text::new(name, Binding::Primary) };
        match self.guard.get() {
            Some(false) => return Text::new(name, Binding::Primary).of(param.value),
            Some(true) => {
                let (least, most) = range(&param.ty);
                let is_short = least >= INT.0 && most <= i128::from(u32::MAX);
                let ty = if is_short { "long" } else { "__int128" };
                return Text::new(format!("({ty}){name}"), Binding::Unary).of(param.value);
            }
            None => {}
        }
        if !needs_cast(&param.ty) {
            return Text::new(name, Binding::Primary).of(param.value);
        }
        if param.value.greatest > LONG.1 {
            self.misfits.borrow_mut().is_beyond = true;
        }
        let value = Value { greatest: param.value.greatest.min(LONG.1), ..param.value };
        Text::new(format!("({}){name}", self.ranges.wide), Binding::Unary).of(value)
    }

    fn iterator(&self, name: &str) -> Text {
        let scope = self.scope.borrow();
        let counter = scope.counters.iter().rev().find(|c| c.name == name);
        Text::new(name, Binding::Primary).of(counter.map_or(Value::UNKNOWN, |c| c.value))
    }

    fn call(&self, function: &str, left: &str, right: &str) -> Text {
        let helper = HELPERS.iter().find(|h| h.0 == function).map_or("farkas_unknown", |h| h.1);
        self.used.borrow_mut().insert(helper);
        Text::new(format!("{}({left}, {right})", self.name(helper)), Binding::Primary)
    }
}
