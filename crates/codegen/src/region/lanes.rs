//! Loops whose vector lanes have copies of elements that they update.

use super::Printer;
use super::loops::{Setting, distances, stands_for_wide};
use super::storage::ALIGNED;
use super::walks::{SIDE_BY_SIDE, Walks};
use crate::backward::runs_backward;
use crate::body::bare;
use crate::clauses::private_clause;
use crate::dialect::Bounds;
use crate::reduction::{Held, Reduced};
use farkas_astgen::{Binding, Dialect, For};
use farkas_scop::{ArrayId, Operator};

/// Iterations from which on copies of elements in vector lanes pay, and how many copies there are: four vectors of eight lanes. With fewer
/// iterations, it takes longer to begin and to combine them than to go through the iterations in order. Several vectors, since an
/// update waits for the last one of the same copy, which takes longer than to begin the next.
const LANES: i64 = 32;

/// How many copies there are of each of several elements, so that vector registers hold all of them.
const FEW_LANES: i64 = 16;

/// What keeps the order of what lanes gather: under `-ffast-math`, clang takes all of them for one sum, which it then finds step by step.
const IN_ORDER: [&str; 3] = ["#ifdef __clang__", "#pragma clang fp reassociate(off)", "#endif"];

/// Who needs lanes written out. gcc has one vector for a sum, each step of which waits for the last. Clang, told that an order is free, has
/// as many as it takes, and combines them in a tree; of lanes that are written out it makes variables, which it combines one after another.
const WRITTEN_OUT: Condition = Condition {
    holds: "#if !defined(__clang__) || !defined(_OPENMP)",
    fails: "#if defined(__clang__) && defined(_OPENMP)",
};

/// The same of least and greatest numbers: clang finds them in vectors where all are known to be numbers.
const WRITTEN_OUT_UNLESS_FAST: Condition = Condition {
    holds: "#if !defined(__clang__) || !defined(_OPENMP) || !defined(__FAST_MATH__)",
    fails: "#if defined(__clang__) && defined(_OPENMP) && defined(__FAST_MATH__)",
};

/// Where gcc has a vector for a sum, too. Lanes are combined before anything else goes on then, while such a sum, of few iterations, may wait
/// for its end as the next one begins.
const SUMS_IN_VECTORS: &str = "#if defined(__FAST_MATH__) && !defined(__clang__)";

/// What stands between blocks of iterations. gcc puts two blocks into the loop over lanes; of a reference that runs backward, what two blocks
/// need is in vectors that lie the other way round, and the copies stay in memory.
const BETWEEN: &str = "__asm__ volatile(\"\"); /* one block at a time */";

/// A condition for the preprocessor, and the line for where it does not hold.
#[derive(Clone, Copy)]
struct Condition {
    holds: &'static str,
    fails: &'static str,
}

/// The text of a loop with copies in lanes.
struct Lanes<'a> {
    /// How many there are.
    n: i64,
    /// The places that they walk through at once, where these are several.
    walks: Option<Walks>,
    /// The copies of each element.
    of: Vec<Copies<'a>>,
    /// The variable that counts the iterations that are done.
    done: String,
    /// The variable that counts lanes.
    lane: String,
}

/// The copies of an element.
struct Copies<'a> {
    one: &'a Reduced<'a>,
    /// The array of copies.
    array: String,
    /// What they are combined with.
    element: String,
    /// Their type, and that of the element where it is another one.
    ty: String,
    back: Option<String>,
}

impl Printer<'_> {
    /// A loop whose lanes have copies of elements, an array of them; what is left of its iterations, or all where there are few, runs in
    /// order. Integers in variables, whose order is free, compilers bring into lanes by themselves.
    ///
    /// What lanes gather is combined lane by lane: where they are written out, results do not depend on how wide a vector is.
    pub(super) fn partial_sums(
        &mut self,
        node: &For,
        all: &[Reduced<'_>],
        clause: &str,
        (depth, setting): (usize, Setting),
        is_block: bool,
    ) {
        let ends = node.end.options(false).iter();
        let most = ends.filter_map(|end| end.minus(&node.first).as_int()).min();
        let is_plain = |one: &Reduced<'_>| {
            self.scop.arrays()[one.array].element.kind.is_integer()
                && !matches!(one.operator, Operator::Function(_))
        };
        if all.iter().all(is_plain) {
            return self.bare_loop(node, depth, setting);
        }
        let has_cells = all.iter().any(|one| !one.cells.is_empty());
        if has_cells || node.step != 1 || most.is_some_and(|most| most < LANES) {
            let private = private_clause(self.scop, node);
            self.line(depth, &format!("#pragma omp simd{private}{clause}"));
            return self.bare_loop(node, depth, setting);
        }
        let lanes = self.lanes(node, all, most);
        let outside = depth;
        let depth = if is_block { depth } else { depth + 1 };
        if !is_block {
            self.line(outside, "{");
        }
        // The type of the iterator is known once the loop is entered.
        let declared = self.text.len();
        self.begun(&lanes, depth + 1);
        let ty = self.walked(node, &lanes, (depth + 1, setting));
        self.combined(&lanes, depth + 1);
        let gathered = self.text.split_off(declared);
        let first = self.c.expr(&node.first).text;
        self.line(depth, &format!("{ty} {} = {first};", lanes.done));
        let own = format!("#pragma omp simd{}{clause}", private_clause(self.scop, node));
        self.when_long(node, &lanes, (depth, &own), &gathered);
        self.rest(node, &lanes.done, (depth, setting));
        if !is_block {
            self.line(outside, "}");
        }
    }

    /// What lanes do where there are iterations for all of them, for compilers that need it: the others have vectors of their own.
    fn when_long(
        &mut self,
        node: &For,
        lanes: &Lanes<'_>,
        (depth, own): (usize, &str),
        gathered: &str,
    ) {
        let constant = node.end.minus(&node.first).as_int();
        let more = |printer: &Self, least: i64| printer.has_more(node, least - 1);
        let has = |printer: &Self, least: i64| match constant {
            Some(_) => "{".to_owned(),
            None => format!("if ({}) {{", more(printer, least)),
        };
        // Long loops have several walks whoever compiles them.
        let long = lanes.walks.as_ref().and_then(|walks| Some((walks.short, walks.least?)));
        let who = self.written_out(lanes).filter(|_| long.is_none() || constant.is_none());
        let is_sum = |copies: &Copies<'_>| matches!(copies.one.operator, Operator::Sum);
        let short = long.map(|(short, _)| short).filter(|short| *short > lanes.n);
        let short = short.filter(|_| lanes.of.iter().all(is_sum));
        match (who, short) {
            (Some(who), Some(short)) => {
                self.line(0, SUMS_IN_VECTORS);
                self.line(depth, &has(self, short));
                self.line(0, &who.holds.replacen("#if", "#elif", 1));
            }
            (Some(who), None) => self.line(0, who.holds),
            (None, _) => {}
        }
        self.line(depth, &has(self, lanes.n));
        if let (Some(_), Some((_, least))) = (who, long) {
            // Short loops wait for each instruction beside them, long ones for none: registers go to the short ones.
            self.line(0, "#else");
            self.line(depth, &format!("if (__builtin_expect({}, 0)) {{", more(self, least)));
            self.line(0, "#endif");
        }
        IN_ORDER.iter().for_each(|line| self.line(0, line));
        self.text.push_str(gathered);
        self.line(depth, "}");
        if let Some(who) = who {
            // Told so, clang begins vectors of loops of three iterations, too.
            let is_variable =
                |copies: &Copies<'_>| self.scop.arrays()[copies.one.array].rank() == 0;
            let is_found = lanes.of.iter().all(|copies| is_sum(copies) && is_variable(copies));
            let fails = match (long, is_found) {
                (None, _) => "#else".to_owned(),
                (Some(_), true) => format!("{} && !defined(__FAST_MATH__)", who.fails),
                (Some(_), false) => who.fails.to_owned(),
            };
            self.line(0, &fails);
            self.line(depth, own);
            self.line(0, "#endif");
        }
    }

    /// The iterations of all lanes, but for those that are left; the type of the loop's iterator.
    fn walked(
        &mut self,
        node: &For,
        lanes: &Lanes<'_>,
        (depth, setting): (usize, Setting),
    ) -> &'static str {
        let Lanes { n, done, .. } = lanes;
        let outside = self.c.depth();
        let (limit, bounds) = self.limit(node);
        let bounds = Bounds { first: self.c.expr(&node.first).value, ..bounds };
        let end = self.c.expr(&node.end).within(Binding::Sum);
        let ty = self.c.enter_loop(node, bounds, stands_for_wide(self.scop, node));
        let more = format!("{done} + {}L {limit}", n - 1);
        match &lanes.walks {
            None => {
                self.line(depth, &format!("for (; {more}; {done} += {n}) {{"));
                if runs_backward(self.scop, node) {
                    self.line(depth + 1, BETWEEN);
                }
                self.lane_loop(node, lanes, (depth + 1, setting), (ty, done));
                self.line(depth, "}");
            }
            Some(walks) => {
                let text = walks.text(node, (ty, done), (&end, &more));
                text.before.iter().for_each(|line| self.line(depth, line));
                self.line(depth + 1, &format!("#pragma GCC unroll {}", walks.n));
                self.line(depth + 1, &text.each);
                self.lane_loop(node, lanes, (depth + 2, setting), (ty, &text.from));
                text.after.iter().for_each(|line| self.line(depth, line));
            }
        }
        self.c.leave(&outside);
        ty
    }

    /// The condition under which lanes are written out, for compilers to see; `None` where they always are. What is combined by a function,
    /// `fmin` or one of the user's, no compiler brings into lanes.
    fn written_out(&self, lanes: &Lanes<'_>) -> Option<Condition> {
        let mut condition = WRITTEN_OUT;
        for Copies { one, .. } in &lanes.of {
            let is_integer = self.scop.arrays()[one.array].element.kind.is_integer();
            match one.operator {
                Operator::Function(_) | Operator::Fmin | Operator::Fmax => return None,
                Operator::Min | Operator::Max if !is_integer => condition = WRITTEN_OUT_UNLESS_FAST,
                _ => {}
            }
        }
        Some(condition)
    }

    /// The condition under which a loop has more than so many iterations, where each goes a step of one.
    pub(super) fn has_more(&self, node: &For, n: i64) -> String {
        let from_start = distances(self.scop, node).filter(|(start, _)| *start == node.first);
        if let Some((_, least)) = from_start {
            return format!("{n} < {}", self.c.expr(&least).within(Binding::Sum));
        }
        let first = self.c.expr(&node.first.offset(n * node.step)).within(Binding::Sum);
        format!("{first} {}", self.limit(node).0)
    }

    /// What copies of these elements are called.
    fn lanes<'a>(&self, node: &For, all: &'a [Reduced<'a>], most: Option<i64>) -> Lanes<'a> {
        let of = all.iter().enumerate().map(|(at, one)| {
            let array = &self.scop.arrays()[one.array];
            let plain =
                if at == 0 { "farkas_lanes".into() } else { format!("farkas_lanes{}", at + 1) };
            let around = self.held.iter().find(|(held, _)| *held == one.array);
            let (element, ty, back) = match around {
                Some((_, held)) => (held.name.clone(), held.ty.clone(), held.back.clone()),
                None => (array.printed_name().to_owned(), bare(&array.element.text), None),
            };
            Copies { one, array: self.c.name(&plain), element, ty, back }
        });
        let n = if all.len() > 1 { FEW_LANES } else { LANES };
        let [done, lane] = ["farkas_done", "farkas_lane"].map(|plain| self.c.name(plain));
        Lanes { n, walks: self.walks(node, all, (n, most)), of: of.collect(), done, lane }
    }

    /// The copies, which begin with what changes nothing.
    fn begun(&mut self, lanes: &Lanes<'_>, depth: usize) {
        for Copies { one, array, element, ty, .. } in &lanes.of {
            self.line(depth, &format!("{ty} {array}[{}] {ALIGNED};", lanes.n));
            let first = match &one.operator {
                Operator::Sum | Operator::BitOr | Operator::BitXor | Operator::Or => "0",
                Operator::Product | Operator::And => "1",
                Operator::BitAnd => "-1",
                Operator::Min | Operator::Max | Operator::Fmin | Operator::Fmax => element,
                Operator::Function(function) => &function.neutral,
            };
            self.line(depth, &lanes.head(lanes.n));
            self.line(depth + 1, &format!("{array}[{}] = {first};", lanes.lane));
        }
    }

    /// The iterations of the lanes that are side by side, the first of which has the iteration `from`.
    fn lane_loop(
        &mut self,
        node: &For,
        lanes: &Lanes<'_>,
        (depth, setting): (usize, Setting),
        (ty, from): (&str, &str),
    ) {
        self.lane_pragma(node, lanes, depth);
        let lane = &lanes.lane;
        let (n, copy) = match &lanes.walks {
            None => (lanes.n, lane.clone()),
            Some(walks) => (SIDE_BY_SIDE, format!("{SIDE_BY_SIDE} * {} + {lane}", walks.walk)),
        };
        self.line(depth, &format!("{} {{", lanes.head(n)));
        self.line(depth + 1, &format!("{ty} {} = {from} + {lane};", node.iterator));
        let in_lanes: Vec<(ArrayId, Held)> =
            lanes.of.iter().map(|copies| copies.held(&copy)).collect();
        let around = std::mem::replace(&mut self.held, in_lanes);
        let others = |(array, _): &&(ArrayId, Held)| {
            lanes.of.iter().all(|copies| copies.one.array != *array)
        };
        self.held.extend(around.iter().filter(others).cloned());
        self.buffers(&node.info.buffers, &node.body, depth + 1, setting.in_parallel);
        self.nodes(&node.body, depth + 1, setting.in_parallel, true);
        self.held = around;
        self.line(depth, "}");
    }

    /// What says that all lanes may run at once. Least and greatest values have no order that clang could be told to keep, so it is not to write
    /// the loop over lanes out, after which it would combine all of them in each step.
    fn lane_pragma(&mut self, node: &For, lanes: &Lanes<'_>, depth: usize) {
        let private = private_clause(self.scop, node);
        let pragma = format!("#pragma omp simd{private}");
        let is_ordered =
            |copies: &Copies<'_>| matches!(copies.one.operator, Operator::Sum | Operator::Product);
        if lanes.of.iter().all(is_ordered) {
            return self.line(depth, &pragma);
        }
        self.line(0, "#ifdef __clang__");
        self.line(0, "#pragma clang loop vectorize(assume_safety) unroll(disable)");
        self.line(0, "#else");
        self.line(depth, &pragma);
        self.line(0, "#endif");
    }

    /// Each copy combined with its element, in the order of lanes. Those of walks are combined with each other first, as vectors.
    fn combined(&mut self, lanes: &Lanes<'_>, depth: usize) {
        for Copies { one, array, element, .. } in &lanes.of {
            let mut n = lanes.n;
            if let Some(Walks { n: n_walks, walk, .. }) = &lanes.walks {
                let copy = format!("{array}[{SIDE_BY_SIDE} * {walk} + {}]", lanes.lane);
                let first = format!("{array}[{}]", lanes.lane);
                if *n_walks > 2 {
                    self.line(depth, &format!("#pragma GCC unroll {}", n_walks - 1));
                }
                self.line(depth, &format!("for (int {walk} = 1; {walk} < {n_walks}; {walk}++)"));
                self.line(depth + 1, &lanes.head(SIDE_BY_SIDE));
                self.line(depth + 2, &both(&one.operator, &first, &copy));
                n = SIDE_BY_SIDE;
            }
            let copy = format!("{array}[{}]", lanes.lane);
            self.line(depth, &lanes.head(n));
            self.line(depth + 1, &both(&one.operator, element, &copy));
        }
    }

    /// What is left of the iterations, in order.
    fn rest(&mut self, node: &For, done: &str, (depth, setting): (usize, Setting)) {
        let outside = self.c.depth();
        let (limit, bounds) = self.limit(node);
        let bounds = Bounds { first: self.c.expr(&node.first).value, ..bounds };
        let ty = self.c.enter_loop(node, bounds, stands_for_wide(self.scop, node));
        let name = &node.iterator;
        let header = format!("for ({ty} {name} = {done}; {name} {limit}; {name}++)");
        self.loop_with(node, header, depth, setting);
        self.c.leave(&outside);
    }
}

impl Lanes<'_> {
    /// The head of a loop over so many lanes.
    fn head(&self, n: i64) -> String {
        let lane = &self.lane;
        format!("for (int {lane} = 0; {lane} < {n}; {lane}++)")
    }
}

impl Copies<'_> {
    /// The copy of the lane at a place, instead of the element.
    fn held(&self, at: &str) -> (ArrayId, Held) {
        let name = format!("{}[{at}]", self.array);
        let (ty, back) = (self.ty.clone(), self.back.clone());
        (self.one.array, Held { name, ty, back, is_lane: true })
    }
}

/// The statement that combines an element with another one.
fn both(operator: &Operator, element: &str, other: &str) -> String {
    match operator {
        Operator::Sum => format!("{element} += {other};"),
        Operator::Product => format!("{element} *= {other};"),
        Operator::BitAnd => format!("{element} &= {other};"),
        Operator::BitOr => format!("{element} |= {other};"),
        Operator::BitXor => format!("{element} ^= {other};"),
        Operator::And => format!("{element} = {element} && {other};"),
        Operator::Or => format!("{element} = {element} || {other};"),
        Operator::Min => format!("{element} = {other} < {element} ? {other} : {element};"),
        Operator::Max => format!("{element} = {other} > {element} ? {other} : {element};"),
        Operator::Fmin => format!("{element} = __builtin_fmin({element}, {other});"),
        Operator::Fmax => format!("{element} = __builtin_fmax({element}, {other});"),
        Operator::Function(function) => {
            format!("{element} = {}({element}, {other});", function.name)
        }
    }
}
