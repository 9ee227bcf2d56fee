//! Products that a warp computes at once, by the tensor cores of a GPU.
//!
//! PTX's `mma.sync.m16n8k16` adds the product of 16 by 16 and 16 by 8 numbers of 16 bits to 16 by 8 sums of type `float`. Its 32 threads have a part of each: the one
//! with number `4 g + t` has the sums of rows `g` and `g + 8` in columns `2 t` and `2 t + 1`, the elements of the first operand in these rows, in columns `2 t`,
//! `2 t + 1`, `2 t + 8` and `2 t + 9`, and those of the second one in column `g` and these rows.
//!
//! A warp here is 4 threads along x by 8 along y, so that `t` and `g` are their numbers. Each has a tile of sums of its own, an even number of rows and columns
//! of these. Which row of a tile is which of the instruction is free, as long as both operands and the sums agree: rows `i` and `i + 1` of thread `g` are
//! its rows `g` and `g + 8`, columns `j` and `j + 1` of thread `t` its columns `2 t` and `2 t + 1`. So each thread finds rows of the first operand among its own, and
//! of the second one those of thread `g / 2` in column `j + g mod 2`.
//!
//! A thread then reads elements that the loop has others read. All threads with one `g` read one element of the first operand in the loop, and all with one `t` one of
//! the second: at most one of them wrote it, the others wait for that at a barrier, where all do. So whatever is right for the loop is right for a warp.
//!
//! **Source** NVIDIA, *PTX ISA*, "Matrix fragments for mma.m16n8k16 with floating point type".

use super::Language;
use super::host::{entered, header};
use super::kernel::{Printer, plus, times, words};
use super::own::{is_multiple, multiple_of, step_of};
use super::places::Place;
use crate::body::BodyPrinter;
use farkas_astgen::{
    Cond, Dialect, Divided, Division, Expr, For, If, LoopKind, Node, User, UserKind, affine,
};
use farkas_scop::{AccessId, ArrayScope, ElementKind, Expr as Body, HalfProduct, Scop};
use farkas_tree::GpuAxis;

/// The threads of a warp along x and y.
const WARP: [i64; 2] = [4, 8];

/// The rows and columns of sums of a thread, and the steps of a sum, that one instruction has.
const STEPS: i64 = 16;
const SIDE: i64 = 2;

/// The names of what a thread holds for an instruction.
pub(super) struct FragmentNames {
    /// The tile whose columns it reads.
    pub(super) tile: String,
    /// The elements of the operand of rows.
    pub(super) rows: String,
    /// Those of the operand of columns.
    pub(super) columns: String,
}

/// The definition of a function that computes products, or makes their operands.
pub(super) fn helper(name: &str) -> Option<String> {
    let kind = match name {
        PAIR => {
            return Some(format!(
                "static __device__ unsigned int {PAIR}(unsigned short low, unsigned short high) {{ return low | (unsigned int)high << 16; }}"
            ));
        }
        WORD => {
            return Some(format!(
                "static __device__ unsigned int {WORD}(const unsigned short *at) {{ unsigned int word; memcpy(&word, __builtin_assume_aligned(at, 4), 4); return word; }}"
            ));
        }
        MMA_HALF => "f16",
        MMA_BF16 => "bf16",
        _ => return None,
    };
    let sums = "{%0, %1, %2, %3}";
    Some(format!(
        "static __device__ void {name}(float &c0, float &c1, float &c2, float &c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {{ asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.{kind}.{kind}.f32 {sums}, {{%4, %5, %6, %7}}, {{%8, %9}}, {sums};\" : \"+f\"(c0), \"+f\"(c1), \"+f\"(c2), \"+f\"(c3) : \"r\"(a0), \"r\"(a1), \"r\"(a2), \"r\"(a3), \"r\"(b0), \"r\"(b1)); }}"
    ))
}

/// The functions: two numbers in one register, from anywhere or from one word, and products of both kinds.
const PAIR: &str = "farkas_pair";
const WORD: &str = "farkas_word";
const MMA_HALF: &str = "farkas_mma_half";
const MMA_BF16: &str = "farkas_mma_bf16";

/// The functions that kernels may need.
pub(super) const HELPERS: [&str; 4] = [PAIR, WORD, MMA_HALF, MMA_BF16];

/// Whether some loop in a kernel is marked: arrays that threads share begin at words then, two elements each.
pub(super) fn has_products(language: Language, body: &[Node]) -> bool {
    let mut is_marked = false;
    for node in body {
        node.for_each_loop(&mut |inner| is_marked |= inner.info.kind == LoopKind::Tensor);
    }
    is_marked && language == Language::Cuda
}

/// A nest that a warp computes at once.
pub(super) struct Product<'a> {
    /// The loops that are divided among threads, outermost first.
    threads: Vec<&'a For>,
    /// What holds of one whose tile is full, besides.
    is_full: Cond,
    /// What runs where not all tiles of a warp are full: it is right for those that are, too.
    otherwise: &'a [Node],
    /// The loop that sums up, those over the rows and columns of a thread's tile, and those over the tiles of these.
    depth: &'a For,
    points: [&'a For; 2],
    tiles: [&'a For; 2],
    user: &'a User,
    product: HalfProduct,
    /// The operands of rows and of columns.
    operands: [AccessId; 2],
}

impl<'a> Product<'a> {
    /// The nest in a loop, if it is one that is marked and that a warp may compute.
    fn of(scop: &Scop, node: &'a For) -> Option<Self> {
        let (threads, body) = threads_of(node)?;
        let (marked, is_full, otherwise): (_, _, &[Node]) = match body {
            [Node::If(If { condition, then, otherwise })] => {
                (then.as_slice(), condition.clone(), otherwise)
            }
            body => (body, Cond::constant(true), body),
        };
        let [Node::For(depth)] = marked else { return None };
        let [Node::For(one)] = depth.body.as_slice() else { return None };
        let [Node::For(other)] = one.body.as_slice() else { return None };
        let [Node::User(user)] = other.body.as_slice() else { return None };
        let product = scop.stmts()[user.stmt].half_product(scop).ok()?;
        let along = |axis| {
            let is_along = |node: &&&For| node.info.divided == Some(Divided::Threads(axis));
            threads.iter().find(is_along).copied()
        };
        let tiles = [along(GpuAxis::Y)?, along(GpuAxis::X)?];
        let points_of = |tile: &For| {
            let first = Expr::iterator(&tile.iterator);
            [one, other].into_iter().find(|node| node.first == first)
        };
        let points = [points_of(tiles[0])?, points_of(tiles[1])?];
        let operands = product.operands;
        let found =
            Self { threads, is_full, otherwise, depth, points, tiles, user, product, operands };
        let is_right = depth.info.kind == LoopKind::Tensor && user.kind == UserKind::Instance;
        (is_right && found.has_whole_steps()).then_some(found)?.by_sides(scop)
    }

    /// Whether its loops have as many iterations as instructions take, several times maybe.
    fn has_whole_steps(&self) -> bool {
        let is_whole = |node: &For, of: i64| {
            let n = node.end.minus(&node.first).as_int();
            let is_plain = node.step == 1 && node.info.divided.is_none();
            is_plain && node.info.buffers.is_empty() && n.is_some_and(|n| n > 0 && n % of == 0)
        };
        is_whole(self.depth, STEPS) && self.points.iter().all(|node| is_whole(node, SIDE))
    }

    /// The same with the operand of rows first, where each operand depends on one side alone, and sums on both, but on nothing that sums up.
    fn by_sides(self, scop: &Scop) -> Option<Self> {
        let [rows, columns] =
            [0, 1].map(|side| [self.points[side].iterator.as_str(), &self.tiles[side].iterator]);
        let involves = |access: AccessId, names: &[&str]| self.involves(scop, access, names);
        let [one, other] = self.operands;
        let is_of_rows = |access| involves(access, &columns) == Some(false);
        let is_of_columns = |access| involves(access, &rows) == Some(false);
        let operands = match is_of_rows(one) && is_of_columns(other) {
            true => [one, other],
            false if is_of_rows(other) && is_of_columns(one) => [other, one],
            false => return None,
        };
        let sum = &scop.stmts()[self.user.stmt].accesses[self.product.sum];
        let subscripts: Vec<Expr> =
            sum.subscripts.iter().filter_map(|e| affine(scop, self.user, e)).collect();
        let moves_with = |own: &str, other: &str| {
            subscripts
                .iter()
                .any(|e| e.split(own).is_some_and(|(factor, _)| factor != 0) && !e.mentions(other))
        };
        let is_apart = moves_with(rows[0], columns[0]) && moves_with(columns[0], rows[0]);
        let is_fixed = involves(self.product.sum, &[&self.depth.iterator]) == Some(false);
        (is_apart && is_fixed).then_some(Self { operands, ..self })
    }

    /// Whether the subscripts of an access depend on some iterators; none where that is not known.
    fn involves(&self, scop: &Scop, access: AccessId, names: &[&str]) -> Option<bool> {
        self.involve(&scop.stmts()[self.user.stmt].accesses[access].subscripts, names)
    }

    /// The same of some subscripts.
    fn involve(&self, subscripts: &[Body], names: &[&str]) -> Option<bool> {
        let mut found = Some(false);
        for subscript in subscripts {
            subscript.walk(&mut |e| match e {
                Body::Iterator(at) => {
                    let value = self.user.values.get(*at as usize);
                    let is_one = value.map(|value| names.iter().any(|name| value.mentions(name)));
                    found = found.and_then(|found| is_one.map(|is_one| found || is_one));
                }
                Body::Int { .. } | Body::Param(_) | Body::Unary(..) | Body::Binary(..) => {}
                _ => found = None,
            });
        }
        found
    }
}

/// The loops at and in one that are divided among threads, and what is in the innermost of them.
fn threads_of(node: &For) -> Option<(Vec<&For>, &[Node])> {
    let (mut loops, mut here) = (Vec::new(), node);
    loop {
        let is_of_threads = matches!(here.info.divided, Some(Divided::Threads(_)));
        if !is_of_threads || !here.info.buffers.is_empty() {
            return None;
        }
        loops.push(here);
        match here.body.as_slice() {
            [Node::For(next)] if next.info.divided.is_some() => here = next,
            body => return Some((loops, body)),
        }
    }
}

impl Printer<'_, '_> {
    /// Prints a loop as products that warps compute, where it is marked so and they can, else as it is; whether it did.
    pub(super) fn tensor(&mut self, node: &For, place: (usize, bool), left: &[Divided]) -> bool {
        if !self.has_products || self.threads[..2] != WARP {
            return false;
        }
        let Some(product) = Product::of(self.host.scop, node) else { return false };
        let is_of_loops = |divided: &Divided| {
            product.threads.iter().any(|node| node.info.divided == Some(*divided))
        };
        let axes: Vec<Divided> = self.several_threads();
        let is_all = left.iter().all(is_of_loops) && axes.iter().all(|axis| left.contains(axis));
        let are_seen =
            product.operands.iter().all(|operand| self.is_seen_by_all(&product, *operand));
        let Some(begun) = self.begun(&product).filter(|_| is_all && are_seen) else {
            return false;
        };
        self.product(&product, &begun, place);
        true
    }

    /// Whether all threads of a block see one element of the array of an access.
    fn is_seen_by_all(&self, product: &Product<'_>, access: AccessId) -> bool {
        let scop = self.host.scop;
        let id = scop.stmts()[product.user.stmt].accesses[access].array;
        match scop.arrays()[id].scope {
            ArrayScope::Buffer => self.is_shared(id),
            _ => matches!(self.host.places.of.get(&id), Some(Place::Memory(_))),
        }
    }

    /// Where the tiles of all threads begin, for each loop that is divided among them, of which each thread has one iteration at most.
    fn begun(&self, product: &Product<'_>) -> Option<Begun> {
        let mut known = self.tiles.clone();
        let (mut origins, mut runs) = (Vec::new(), Vec::new());
        for node in &product.threads {
            let Some(Divided::Threads(axis)) = node.info.divided else { return None };
            let size = step_of(node)?;
            let whole = size.checked_mul(self.threads[axis.index()])?;
            let starts = node.first.options(true);
            let origin = starts.iter().find(|first| is_multiple(first, whole, &known))?;
            let is_last = |end: &Expr| {
                end.minus(origin).as_int().is_some_and(|n| n > whole - size && n <= whole)
            };
            let ends = node.end.options(false);
            let last = ends.iter().find(|end| is_last(end))?;
            let own = Expr::iterator(&node.iterator);
            let least = starts.iter().filter(|first| *first != origin);
            runs.extend(least.map(|first| Cond::at_least(&own, first)));
            let others = ends.iter().filter(|end| *end != last);
            runs.extend(others.map(|end| Cond::at_most(&own.offset(1), end)));
            known.extend(multiple_of(node, &known));
            origins.push(origin.clone());
        }
        Some(Begun { origins, runs: Cond::all(runs) })
    }

    /// Prints products of warps: where the tiles of all threads of one are full; else each thread runs the loop as it is.
    fn product(
        &mut self,
        product: &Product<'_>,
        Begun { origins, runs }: &Begun,
        (depth, is_alone): (usize, bool),
    ) {
        let (outside, n_tiles) = (self.c().depth(), self.tiles.len());
        let inside = depth + usize::from(!is_alone);
        if !is_alone {
            self.line(depth, "{");
        }
        let mut declared = Vec::new();
        for (node, origin) in product.threads.iter().zip(origins) {
            let from = self.text.len();
            self.own_tile(node, origin, inside);
            declared.push((node.iterator.as_str(), from..self.text.len()));
        }
        let whole = Cond::all(vec![runs.clone(), product.is_full.clone()]);
        match whole.as_bool() {
            Some(true) => self.instructions(product, origins, inside),
            _ => {
                let condition = self.c().cond(&whole).text;
                self.line(inside, &format!("if (__all_sync(0xffffffffu, {condition})) {{"));
                self.instructions(product, origins, inside + 1);
                match runs.as_bool() {
                    Some(true) => self.line(inside, "} else {"),
                    _ => {
                        let is_there = self.c().cond(runs).text;
                        self.line(inside, &format!("}} else if ({is_there}) {{"));
                    }
                }
                self.nodes(product.otherwise, inside + 1, &[]);
                self.line(inside, "}");
            }
        }
        // What nothing mentions is not declared.
        for (name, line) in declared.into_iter().rev() {
            if !words(&self.text[line.end..]).contains(name) {
                self.text.replace_range(line, "");
            }
        }
        self.tiles.truncate(n_tiles);
        self.c().leave(&outside);
        if !is_alone {
            self.line(depth, "}");
        }
    }

    /// Declares a thread's own iteration of a loop.
    fn own_tile(&mut self, node: &For, origin: &Expr, depth: usize) {
        let Some(Divided::Threads(axis)) = node.info.divided else { return };
        let size = step_of(node).unwrap_or(1);
        let end = origin.offset(size * self.threads[axis.index()]);
        let all = For { first: origin.clone(), end, body: Vec::new(), ..node.clone() };
        let (start, _, ty) = entered(self.c(), &all);
        let value = plus(&start, &times(&self.names.of[&Divided::Threads(axis)], size));
        self.line(depth, &format!("const {ty} {} = {value};", node.iterator));
        self.tiles.extend(multiple_of(node, &self.tiles));
    }

    /// The instructions of a warp whose tiles are full.
    fn instructions(&mut self, product: &Product<'_>, origins: &[Expr], depth: usize) {
        let outside = self.c().depth();
        let [x, y] =
            [GpuAxis::X, GpuAxis::Y].map(|axis| self.names.of[&Divided::Threads(axis)].clone());
        for (name, n) in [(&x, WARP[0]), (&y, WARP[1])] {
            let all = For {
                iterator: name.clone(),
                first: Expr::int(0),
                end: Expr::int(n),
                body: Vec::new(),
                ..product.depth.clone()
            };
            entered(self.c(), &all);
        }
        let [thread, group] = [x, y].map(Expr::iterator);
        let columns = product.tiles[1];
        let at = product.threads.iter().position(|node| std::ptr::eq(*node, columns)).unwrap_or(0);
        let other = Other { group: &group, tile: self.names.fragments.tile.clone() };
        let of_other = group.quotient(SIDE, Division::Truncating).times(columns.step);
        let begin = self.c().expr(&origins[at].plus(&of_other)).text;
        let end = origins[at].offset(columns.step * WARP[0]);
        let all = For {
            iterator: other.tile.clone(),
            first: origins[at].clone(),
            end,
            body: Vec::new(),
            ..columns.clone()
        };
        let (_, _, ty) = entered(self.c(), &all);
        self.line(depth, &format!("const {ty} {} = {begin};", other.tile));
        let steps = For { step: STEPS, body: Vec::new(), ..product.depth.clone() };
        let (head, _) = header(self.c(), &steps);
        self.line(0, "#pragma unroll");
        self.line(depth, &format!("{head} {{"));
        self.columns(product, &other, &thread, depth + 1);
        self.rows(product, &thread, depth + 1);
        self.line(depth, "}");
        self.c().leave(&outside);
    }

    /// Loads the operand of columns for some steps of the sum: those of one column of each pair that the warp has.
    fn columns(&mut self, product: &Product<'_>, other: &Other<'_>, thread: &Expr, depth: usize) {
        let outside = self.c().depth();
        let name = self.names.fragments.columns.clone();
        let columns = product.points[1];
        let n = columns.end.minus(&columns.first).as_int().unwrap_or(SIDE);
        self.line(depth, &format!("unsigned int {name}[{}][2];", n / SIDE));
        let at = self.pairs(columns, n, depth);
        let column = Expr::iterator(&other.tile)
            .plus(&at)
            .plus(&other.group.remainder(SIDE, Division::Truncating));
        let (tile, iterator) = (&product.tiles[1].iterator, &columns.iterator);
        for (half, step) in [(0, 0), (1, 8)] {
            let by = |name: &str| match name {
                _ if name == tile => Some(Expr::iterator(&other.tile)),
                _ if name == iterator => Some(column.clone()),
                _ => None,
            };
            let pair = self.pair(product, product.operands[1], &by, (thread, step));
            let index = self.c().expr(&at.quotient(SIDE, Division::Exact)).text;
            self.line(depth + 1, &format!("{name}[{index}][{half}] = {pair};"));
        }
        self.line(depth, "}");
        self.c().leave(&outside);
    }

    /// Loads the operand of rows for some steps of the sum, two rows at a time, and computes their products with all columns.
    fn rows(&mut self, product: &Product<'_>, thread: &Expr, depth: usize) {
        let outside = self.c().depth();
        let [rows, columns] = product.points;
        let names = [&self.names.fragments.rows, &self.names.fragments.columns].map(String::clone);
        let [n_rows, n_columns] =
            [rows, columns].map(|node| node.end.minus(&node.first).as_int().unwrap_or(SIDE));
        let row = self.pairs(rows, n_rows, depth).plus(&rows.first);
        let row_at = |at: i64| row.offset(at);
        let mut own = Vec::new();
        for (step, at) in [(0, 0), (0, 1), (8, 0), (8, 1)] {
            let by = |name: &str| (name == rows.iterator).then(|| row_at(at));
            own.push(self.pair(product, product.operands[0], &by, (thread, step)));
        }
        self.line(depth + 1, &format!("const unsigned int {}[4] = {{", names[0]));
        for (at, pair) in own.iter().enumerate() {
            self.line(depth + 2, &format!("{pair}{}", if at < 3 { "," } else { "" }));
        }
        self.line(depth + 1, "};");
        let at = self.pairs(columns, n_columns, depth + 1);
        let column = at.plus(&columns.first);
        let sum = |row_by: i64, column_by: i64| {
            let by = |name: &str| match name {
                _ if name == rows.iterator => Some(row_at(row_by)),
                _ if name == columns.iterator => Some(column.offset(column_by)),
                _ => None,
            };
            self.element_of(product, product.product.sum, &by)
        };
        let sums = [sum(0, 0), sum(0, 1), sum(1, 0), sum(1, 1)].join(", ");
        let index = self.c().expr(&at.quotient(SIDE, Division::Exact)).text;
        let [a, b] = &names;
        let function = match product.product.kind {
            ElementKind::Bf16 => MMA_BF16,
            _ => MMA_HALF,
        };
        self.line(
            depth + 2,
            &format!("{function}({sums}, {a}[0], {a}[1], {a}[2], {a}[3], {b}[{index}][0], {b}[{index}][1]);"),
        );
        self.line(depth + 1, "}");
        self.line(depth, "}");
        self.c().leave(&outside);
    }

    /// The head of a loop over pairs of a tile's rows or columns, which is written out, and its iterator, which counts from zero.
    fn pairs(&mut self, node: &For, n: i64, depth: usize) -> Expr {
        let all = For {
            first: Expr::int(0),
            end: Expr::int(n),
            step: SIDE,
            body: Vec::new(),
            ..node.clone()
        };
        let (head, _) = header(self.c(), &all);
        self.line(0, "#pragma unroll");
        self.line(depth, &format!("{head} {{"));
        Expr::iterator(&node.iterator)
    }

    /// Two elements of an operand in one register: those of the thread's steps of the sum, from one on.
    fn pair(
        &self,
        product: &Product<'_>,
        access: AccessId,
        by: &dyn Fn(&str) -> Option<Expr>,
        (thread, step): (&Expr, i64),
    ) -> String {
        let own = Expr::iterator(&product.depth.iterator).plus(&thread.times(2));
        let at = |step: i64| {
            let by = |name: &str| {
                if name == product.depth.iterator { Some(own.offset(step)) } else { by(name) }
            };
            self.element_of(product, access, &by)
        };
        match self.is_word(product, access) {
            true => format!("{WORD}(&{})", at(step)),
            false => format!("{PAIR}({}, {})", at(step), at(step + 1)),
        }
    }

    /// Whether two elements of an operand that follow one another along the sum, the first of which has an even number, are one word of shared memory.
    fn is_word(&self, product: &Product<'_>, access: AccessId) -> bool {
        let scop = self.host.scop;
        let access = &scop.stmts()[product.user.stmt].accesses[access];
        let extents = scop.arrays()[access.array].constant_extents().unwrap_or_default();
        let (Some(last), Some(extent)) = (access.subscripts.last(), extents.last()) else {
            return false;
        };
        let last = affine(scop, product.user, last);
        let along = last.and_then(|last| last.split(&product.depth.iterator));
        let is_even = |rest: &Expr| is_multiple(rest, 2, &self.tiles);
        let begins_even = is_even(&product.depth.first);
        let is_next = along.is_some_and(|(factor, rest)| factor == 1 && is_even(&rest));
        let outer = &access.subscripts[..access.subscripts.len() - 1];
        let depth = [product.depth.iterator.as_str()];
        let is_fixed = product.involve(outer, &depth) == Some(false);
        self.is_shared(access.array) && extent % 2 == 0 && begins_even && is_next && is_fixed
    }

    /// The element of an access with other values of iterators.
    fn element_of(
        &self,
        product: &Product<'_>,
        access: AccessId,
        by: &dyn Fn(&str) -> Option<Expr>,
    ) -> String {
        let values = product.user.values.iter().map(|value| value.substitute(&by)).collect();
        let user = User { values, ..product.user.clone() };
        let scop = self.host.scop;
        let element = |array, subscripts: &[String]| self.element(array, subscripts);
        let printer = BodyPrinter {
            scop,
            stmt: &scop.stmts()[user.stmt],
            user: &user,
            c: self.c(),
            rows: &[],
            held: &[],
            is_unswitched: false,
            element: Some(&element),
        };
        printer.element(access)
    }
}

/// The iterations of loops that are divided among threads, of which each thread has one at most.
struct Begun {
    /// That of the first thread, for each loop.
    origins: Vec<Expr>,
    /// What holds of a thread that has one of each.
    runs: Cond,
}

/// Whose columns a thread reads.
struct Other<'a> {
    /// The thread's number along y.
    group: &'a Expr,
    /// The variable that has the first column of the tile.
    tile: String,
}
