//! A kernel, in whichever language.

use super::host::{Host, entered, header};
use super::narrow::narrowed;
use super::own::{Own, is_multiple, multiple_of, own_parts, step_of};
use super::places::{Memory, Place};
use super::tables::structure;
use super::tensor::{FragmentNames, has_products};
use super::words::operator;
use super::{Argument, ArgumentValue, Buffer, Kernel};
use crate::body::{BodyPrinter, bare};
use crate::dialect::C;
use crate::types::{Width, needs_cast, width};
use farkas_astgen::{
    Binding, Block, BlockKind, BlockLoop, Dialect, Divided, Expr, For, If, Node, User, block_loops,
};
use farkas_scop::{ArrayId, ElementType, element_text};
use farkas_tree::GpuAxis;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The text of a kernel with what the host calls it with, which knows of the loops around.
pub(super) fn printed_kernel(
    host: &Host<'_>,
    name: String,
    threads: [i64; 3],
    Block { buffers, body, .. }: &Block,
) -> Result<Kernel, String> {
    let names = Names::of(host, body);
    let mut printer = Printer {
        host,
        threads,
        names,
        own: own_parts(host.scop, threads, body),
        in_step: in_step(body),
        has_products: has_products(host.device.language, body),
        tiles: Vec::new(),
        shared: String::new(),
        buffers: [Vec::new(), Vec::new()],
        shared_bytes: 0,
        refused: None,
        text: String::new(),
    };
    let left = printer.divided(body);
    printer.buffers(buffers, body, 1, &left);
    printer.nodes(body, 1, &left);
    if let Some(reason) = printer.refused {
        return Err(reason);
    }
    if printer.shared_bytes > MAX_SHARED_BYTES {
        let n = printer.shared_bytes;
        return Err(format!(
            "a block of a kernel shares {n} bytes, and has at most {MAX_SHARED_BYTES}: smaller tiles need less"
        ));
    }
    let arguments = printer.arguments(body);
    let declared: Vec<&str> = arguments.iter().map(|a| a.declaration.as_str()).collect();
    let word = host.device.language.kernel();
    let mut text = format!("{word} {name}({})\n{{\n", declared.join(", "));
    let n_bands = bands(body).len();
    if n_bands > 1 {
        let pad = host.options.indent;
        let _ = writeln!(
            text,
            "{:pad$}/* {n_bands} bands of loops in one launch: nothing goes from one block to another. */",
            ""
        );
    }
    text.push_str(&printer.numbers());
    text.push_str(&printer.shared);
    text.push_str(&printer.text);
    text.push_str("}\n");
    if let Some(word) = operator(host.device.language, &text) {
        return Err(format!("`{word}` is an operator in CUDA C++"));
    }
    let tables = printer.tables(&arguments);
    let [shared, own] = printer.buffers;
    Ok(Kernel { name, text, threads, arguments, shared, own, tables })
}

/// The variables that say which block and thread this is.
pub(super) struct Names {
    pub(super) of: BTreeMap<Divided, String>,
    /// How many blocks there are along each axis.
    n_blocks: [String; 3],
    /// What threads hold for products of tensor cores.
    pub(super) fragments: FragmentNames,
}

impl Names {
    /// Names that nothing else has in a kernel.
    fn of(host: &Host<'_>, body: &[Node]) -> Self {
        let mut taken: BTreeSet<&str> = host.options.reserved.iter().map(String::as_str).collect();
        let iterators = host.iterators.iter().map(|(name, _)| name.as_str());
        taken.extend(iterators);
        for node in body {
            node.for_each_loop(&mut |inner| {
                taken.insert(&inner.iterator);
            });
        }
        let fresh = |plain: String| {
            let mut name = plain;
            while taken.contains(name.as_str()) {
                name.push('_');
            }
            name
        };
        let mut of = BTreeMap::new();
        for axis in GpuAxis::ALL {
            of.insert(Divided::Blocks(axis), fresh(format!("b{}", axis.letter())));
            of.insert(Divided::Threads(axis), fresh(format!("t{}", axis.letter())));
        }
        let n_blocks = GpuAxis::ALL.map(|axis| fresh(format!("n{}", axis.letter())));
        let [tile, rows, columns] =
            ["column_tile", "row_pairs", "column_pairs"].map(|plain| fresh(plain.to_owned()));
        Self { of, n_blocks, fragments: FragmentNames { tile, rows, columns } }
    }
}

/// The text of a kernel so far.
pub(super) struct Printer<'h, 'a> {
    pub(super) host: &'h Host<'a>,
    pub(super) threads: [i64; 3],
    pub(super) names: Names,
    /// The buffers of which each thread has its own part.
    own: Own,
    /// The axes of the grid along which numbers of blocks are counted from where a loop begins.
    in_step: BTreeSet<GpuAxis>,
    /// Whether tensor cores may compute products.
    pub(super) has_products: bool,
    /// The iterators around that run over multiples of a number.
    pub(super) tiles: Vec<(String, i64)>,
    /// The declarations of what threads of a block share.
    shared: String,
    /// The buffers of a block, and those of each thread.
    buffers: [Vec<Buffer>; 2],
    /// What that takes.
    shared_bytes: i64,
    /// Why it cannot be a kernel.
    refused: Option<String>,
    pub(super) text: String,
}

impl<'a> Printer<'_, 'a> {
    pub(super) fn c(&self) -> &'a C<'a> {
        self.host.c
    }

    /// Adds a line.
    pub(super) fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:pad$}{text}", "", pad = depth * self.host.options.indent);
    }

    /// What there is several of in a kernel with this body: threads, and blocks where loops are divided among these.
    fn divided(&self, body: &[Node]) -> Vec<Divided> {
        let mut found = self.divided_in(body);
        found.extend(self.several_threads());
        found.into_iter().collect()
    }

    /// What the loops among some nodes are divided among, where there are several.
    fn divided_in(&self, nodes: &[Node]) -> BTreeSet<Divided> {
        let mut found = BTreeSet::new();
        for node in nodes {
            node.for_each_loop(&mut |inner| found.extend(inner.info.divided));
        }
        found.retain(|divided| self.has_several(*divided));
        found
    }

    /// The axes of threads along which a block has several.
    pub(super) fn several_threads(&self) -> Vec<Divided> {
        let several = GpuAxis::ALL.into_iter().filter(|axis| self.threads[axis.index()] > 1);
        several.map(Divided::Threads).collect()
    }

    /// Whether the threads of a block share a buffer.
    pub(super) fn is_shared(&self, id: ArrayId) -> bool {
        self.buffers[0].iter().any(|buffer| buffer.array == id)
    }

    /// Whether there may be several of what loops are divided among.
    fn has_several(&self, divided: Divided) -> bool {
        match divided {
            Divided::Threads(axis) => self.threads[axis.index()] > 1,
            Divided::Blocks(_) => true,
        }
    }

    /// Several nodes; what no loop around or in them is divided among runs on the first of `left`.
    pub(super) fn nodes(&mut self, nodes: &[Node], depth: usize, left: &[Divided]) {
        let is_whole = |node: &&Node| left.is_empty() || is_divided(node);
        let mut at = 0;
        while at < nodes.len() {
            if is_whole(&&nodes[at]) {
                self.node(&nodes[at], (depth, nodes.len() == 1), left);
                at += 1;
                continue;
            }
            let n = nodes[at..].iter().take_while(|node| !is_whole(node)).count();
            let first: Vec<String> =
                left.iter().map(|divided| format!("{} == 0", self.names.of[divided])).collect();
            self.line(depth, &format!("if ({}) {{", first.join(" && ")));
            nodes[at..at + n].iter().for_each(|node| self.node(node, (depth + 1, n == 1), &[]));
            self.line(depth, "}");
            at += n;
        }
    }

    /// One node; whether no other one stands in its block of code.
    fn node(&mut self, node: &Node, (depth, is_alone): (usize, bool), left: &[Divided]) {
        match node {
            Node::For(node) => self.loop_(node, (depth, is_alone), left),
            Node::If(node) => self.guard(node, depth, left),
            Node::User(user) => self.user(user, depth),
            Node::Block(Block { kind, body, .. }) => {
                if *kind == BlockKind::Barrier {
                    self.line(depth, self.host.device.language.barrier());
                }
                self.nodes(body, depth, left);
            }
        }
    }

    /// A loop.
    fn loop_(&mut self, node: &For, (depth, is_alone): (usize, bool), left: &[Divided]) {
        if self.tensor(node, (depth, is_alone), left) {
            return;
        }
        let outside = self.c().depth();
        let n_tiles = self.tiles.len();
        let inside: Vec<Divided> =
            left.iter().copied().filter(|divided| Some(*divided) != node.info.divided).collect();
        let mut body = Cow::Borrowed(&node.body);
        let n_opened = match node.info.divided {
            Some(divided) if is_single(node) && self.has_several(divided) => {
                let is_its_own = self.is_its_own(node, divided);
                self.line(depth, &format!("if ({is_its_own}) {{"));
                1
            }
            Some(Divided::Threads(axis)) if self.threads[axis.index()] > 1 => {
                self.by_threads(node, axis, (depth, is_alone))
            }
            Some(Divided::Blocks(axis)) => self.by_blocks(node, axis, depth),
            _ => match WrittenOut::of(node, self.has_products)
                .filter(|_| self.n_copies(node) <= MOST_COPIES)
            {
                Some(few) => {
                    body = Cow::Owned(few.body(node));
                    self.written_out(node, &few, depth)
                }
                None => {
                    let (header, _) = header(self.c(), node);
                    self.line(depth, &format!("{header} {{"));
                    1
                }
            },
        };
        self.tiles.extend(multiple_of(node, &self.tiles));
        self.buffers(&node.info.buffers, &body, depth + n_opened, &inside);
        self.nodes(&body, depth + n_opened, &inside);
        self.tiles.truncate(n_tiles);
        self.c().leave(&outside);
        for at in (0..n_opened).rev() {
            self.line(depth + at, "}");
        }
    }

    /// The condition that a block or thread runs the only iteration of a loop.
    fn is_its_own(&self, node: &For, divided: Divided) -> String {
        let own = &self.names.of[&divided];
        let (n, size) = match divided {
            Divided::Blocks(axis) if self.in_step.contains(&axis) => return format!("{own} == 0"),
            Divided::Blocks(axis) => (self.names.n_blocks[axis.index()].clone(), node.step),
            Divided::Threads(axis) => {
                (self.threads[axis.index()].to_string(), step_of(node).unwrap_or(1))
            }
        };
        match node.first.as_int().map(|first| (first.div_euclid(size), n.parse())) {
            Some((number, Ok(n))) => format!("{own} == {}", number.rem_euclid(n)),
            Some((number, Err(_))) if number >= 0 => format!("{own} == {number} % {n}"),
            _ => {
                let first = self.c().expr(&node.first).within(Binding::Unary);
                let number = if size == 1 { first } else { format!("({first} / {size})") };
                format!("({number} % {n} + {n}) % {n} == {own}")
            }
        }
    }

    /// The head of a loop whose iterations are divided among the blocks along an axis: each runs every one that is as many further as there are
    /// blocks. Where loops begin with different values, equal values are those of one block all the same. How many braces it opens.
    fn by_blocks(&mut self, node: &For, axis: GpuAxis, depth: usize) -> usize {
        let (first, end, ty) = entered(self.c(), node);
        let (own, n) = (&self.names.of[&Divided::Blocks(axis)], &self.names.n_blocks[axis.index()]);
        let n_blocks = times(n, node.step);
        let number = match self.in_step.contains(&axis) {
            true => times(own, node.step),
            false => {
                let begun = match node.step {
                    1 => format!("({first})"),
                    step => format!("({first}) / {step}"),
                };
                times(&format!("((({own} - {begun}) % {n} + {n}) % {n})"), node.step)
            }
        };
        let first = plus(&first, &number);
        let name = &node.iterator;
        self.line(
            depth,
            &format!("for ({ty} {name} = {first}; {name} < {end}; {name} += {n_blocks}) {{"),
        );
        1
    }

    /// The head of a loop whose iterations are divided among the threads along an axis, by their values, or the numbers of tiles. How many
    /// braces it opens.
    fn by_threads(&mut self, node: &For, axis: GpuAxis, place: (usize, bool)) -> usize {
        let n = self.threads[axis.index()];
        let size = step_of(node).unwrap_or(0);
        let whole = size.saturating_mul(n);
        let is_origin = |e: &&Expr| size > 0 && is_multiple(e, whole, &self.tiles);
        let Some(origin) = node.first.options(true).iter().find(is_origin).cloned() else {
            return self.by_values(node, (axis, size), place.0);
        };
        let others: Vec<Expr> =
            node.first.options(true).iter().filter(|e| **e != origin).cloned().collect();
        // One iteration a thread, where it is one.
        let last = whole - size;
        let is_last =
            |end: &Expr| end.minus(&origin).as_int().is_some_and(|c| c > last && c <= whole);
        if let Some(end) = node.end.options(false).iter().find(|end| is_last(end)) {
            let ends = node.end.options(false).iter().filter(|e| *e != end).cloned().collect();
            return self.one_each(node, (axis, size), (&origin, others, ends), place);
        }
        if !others.is_empty() {
            return self.by_values(node, (axis, size), place.0);
        }
        let (first, end, ty) = entered(self.c(), node);
        let own = times(&self.names.of[&Divided::Threads(axis)], size);
        let (name, first) = (&node.iterator, plus(&first, &own));
        self.line(
            place.0,
            &format!("for ({ty} {name} = {first}; {name} < {end}; {name} += {whole}) {{"),
        );
        1
    }

    /// The head of a loop of which each thread runs one iteration at most, from an origin on.
    fn one_each(
        &mut self,
        node: &For,
        (axis, size): (GpuAxis, i64),
        (origin, least, ends): (&Expr, Vec<Expr>, Vec<Expr>),
        (depth, is_alone): (usize, bool),
    ) -> usize {
        let n = self.threads[axis.index()];
        let end = origin.offset(size * n);
        let all = For { first: origin.clone(), end, body: Vec::new(), ..node.clone() };
        let (start, _, ty) = entered(self.c(), &all);
        let name = &node.iterator;
        let value = plus(&start, &times(&self.names.of[&Divided::Threads(axis)], size));
        let conditions = self.conditions(name, &least, &ends);
        let (open, shift) = if is_alone { (0, 0) } else { (1, 1) };
        if !is_alone {
            self.line(depth, "{");
        }
        self.line(depth + shift, &format!("const {ty} {name} = {value};"));
        match conditions {
            Some(conditions) => {
                self.line(depth + shift, &format!("if ({conditions}) {{"));
                open + 1
            }
            None => open,
        }
    }

    /// The head of a loop of which each thread looks for its iterations by their values.
    fn by_values(&mut self, node: &For, (axis, size): (GpuAxis, i64), depth: usize) -> usize {
        let n = self.threads[axis.index()];
        let thread = self.names.of[&Divided::Threads(axis)].clone();
        let (first, end, ty) = entered(self.c(), node);
        let name = &node.iterator;
        if size == 1 {
            let to_own = format!("(({thread} - ({first})) % {n} + {n}) % {n}");
            self.line(
                depth,
                &format!(
                    "for ({ty} {name} = {first} + {to_own}; {name} < {end}; {name} += {n}) {{"
                ),
            );
            return 1;
        }
        let (relation, step) = (if node.step > 0 { "<" } else { ">" }, node.step);
        self.line(
            depth,
            &format!("for ({ty} {name} = {first}; {name} {relation} {end}; {name} += {step}) {{"),
        );
        let number = if size > 1 { format!("({name} / {size})") } else { name.clone() };
        self.line(depth + 1, &format!("if (({number} % {n} + {n}) % {n} == {thread}) {{"));
        2
    }

    /// The conditions that an iterator is at least, and less than, some numbers; none where there are none.
    fn conditions(&self, name: &str, least: &[Expr], ends: &[Expr]) -> Option<String> {
        let least = least.iter().map(|e| (">=", e));
        let all: Vec<String> = least
            .chain(ends.iter().map(|e| ("<", e)))
            .map(|(op, e)| format!("{name} {op} {}", self.c().expr(e).within(Binding::Sum)))
            .collect();
        (!all.is_empty()).then(|| all.join(" && "))
    }

    /// The head of a loop of few iterations, which compilers write out, each with its condition. How many braces it opens.
    fn written_out(&mut self, node: &For, few: &WrittenOut, depth: usize) -> usize {
        let (name, n) = (&node.iterator, few.n);
        let (first, end, body) = (Expr::int(0), Expr::int(n), Vec::new());
        let (_, _, ty) = entered(self.c(), &For { first, end, body, step: 1, ..node.clone() });
        self.line(0, "#pragma unroll");
        self.line(depth, &format!("for ({ty} {name} = 0; {name} < {n}; {name}++) {{"));
        let value = self.c().expr(&few.value(name)).within(Binding::Sum);
        match self.conditions(&value, &few.least, &few.ends) {
            Some(conditions) => {
                self.line(depth + 1, &format!("if ({conditions}) {{"));
                2
            }
            None => 1,
        }
    }

    /// How many copies of what is in a loop are written out, with those of the loops in it, of which threads may have one iteration each.
    fn n_copies(&self, node: &For) -> i64 {
        let mut most = 1;
        for inner in &node.body {
            inner.for_each_loop(&mut |inner| {
                let is_known =
                    WrittenOut::of(inner, self.has_products).is_some() || self.has_one_each(inner);
                most = most.max(if is_known { self.n_copies(inner) } else { MOST_COPIES + 1 });
            });
        }
        let own = match WrittenOut::of(node, self.has_products) {
            Some(few) => few.n,
            None if self.has_one_each(node) => 1,
            None => MOST_COPIES + 1,
        };
        most.saturating_mul(own)
    }

    /// Whether each of several threads runs one iteration of a loop at most, in a kernel whose loops around such ones are written out.
    fn has_one_each(&self, node: &For) -> bool {
        let Some(Divided::Threads(axis)) = node.info.divided else { return false };
        let n = self.threads[axis.index()];
        let whole = step_of(node).map_or(0, |step| step.saturating_mul(n));
        let (firsts, ends) = (node.first.options(true), node.end.options(false));
        let mut lengths =
            firsts.iter().flat_map(|first| ends.iter().map(|end| end.minus(first).as_int()));
        self.has_products
            && n > 1
            && lengths.any(|length| length.is_some_and(|length| length <= whole))
    }

    /// A guard.
    fn guard(&mut self, node: &If, depth: usize, left: &[Divided]) {
        let outside = self.c().depth();
        self.line(depth, &format!("if ({}) {{", self.c().cond(&node.condition).text));
        self.c().enter_guard(&node.condition);
        self.nodes(&node.then, depth + 1, left);
        self.c().leave(&outside);
        if !node.otherwise.is_empty() {
            self.line(depth, "} else {");
            self.nodes(&node.otherwise, depth + 1, left);
        }
        self.line(depth, "}");
    }

    /// A statement.
    fn user(&mut self, user: &User, depth: usize) {
        let scop = self.host.scop;
        let narrowed = match narrowed(scop, &scop.stmts()[user.stmt]) {
            Ok(narrowed) => narrowed,
            Err(reason) => return self.refused = Some(reason),
        };
        let element = |array: ArrayId, subscripts: &[String]| self.element(array, subscripts);
        let printer = BodyPrinter {
            scop,
            stmt: &narrowed,
            user,
            c: self.c(),
            rows: &[],
            held: &[],
            is_unswitched: false,
            element: Some(&element),
        };
        for line in printer.lines() {
            self.line(depth + line.depth, &line.text);
        }
    }

    /// An element of an array; rows whose length is no number are laid out by hand.
    pub(super) fn element(&self, id: ArrayId, subscripts: &[String]) -> String {
        let array = &self.host.scop.arrays()[id];
        let name = array.printed_name();
        if let Some(dims) = self.own.get(&id) {
            return element_text(name, &without(subscripts, dims));
        }
        if let Some(Place::Table(_)) = self.host.places.of.get(&id) {
            return element_text(&format!("{name}.at"), subscripts);
        }
        let is_memory = matches!(self.host.places.of.get(&id), Some(Place::Memory(_)));
        if array.rank() == 0 {
            return if is_memory { format!("{name}[0]") } else { name.to_owned() };
        }
        let inner = self.inner(id);
        let is_row = inner.iter().all(|extent| extent.as_int().is_some());
        let (Some((first, rest)), false) = (subscripts.split_first(), is_row || !is_memory) else {
            return element_text(name, subscripts);
        };
        if subscripts.len() < array.rank() {
            return element_text(name, subscripts);
        }
        let mut sum = format!("(long){}", in_parentheses(first));
        for (at, (next, extent)) in rest.iter().zip(&inner).enumerate() {
            let extent = self.c().widely(false, || self.c().expr(extent)).within(Binding::Unary);
            sum = if at == 0 { sum } else { format!("({sum})") };
            sum = format!("{sum} * {extent} + {next}");
        }
        element_text(name, &[sum])
    }

    /// The extents of an array but the first.
    fn inner(&self, id: ArrayId) -> Vec<Expr> {
        let array = &self.host.scop.arrays()[id];
        if let Some(extents) = array.constant_extents() {
            return extents.into_iter().skip(1).map(Expr::int).collect();
        }
        let shape = self.host.places.shapes.get(&id);
        shape.map_or_else(Vec::new, |s| s.extents.iter().skip(1).flatten().cloned().collect())
    }

    /// The declarations of buffers for a body: of each thread, where no loop in it is divided among threads, else shared by those of a block.
    fn buffers(&mut self, buffers: &[ArrayId], body: &[Node], depth: usize, left: &[Divided]) {
        let is_thread = |divided: &&Divided| matches!(divided, Divided::Threads(_));
        let has_several = self.divided_in(body).iter().filter(is_thread).any(|d| left.contains(d));
        let n_axes = self.threads.iter().filter(|n| **n > 1).count();
        let is_of_all = left.iter().filter(is_thread).count() == n_axes;
        for id in buffers {
            let array = &self.host.scop.arrays()[*id];
            let own = self.own.get(id);
            let all = array.constant_extents().unwrap_or_default();
            let extents = own.map_or_else(|| all.clone(), |dims| without(&all, dims));
            let is_shared = has_several && own.is_none();
            let size = array.element.kind.size_bytes().unwrap_or(8);
            let n = extents.iter().fold(u64::from(size), |n, e| n.saturating_mul(e.unsigned_abs()));
            self.buffers[usize::from(!is_shared)].push(Buffer { array: *id, bytes: n });
            let extents: String = extents.iter().map(|e| format!("[{e}]")).collect();
            // Names that the program gives types are unknown in kernels.
            let known = self.host.device.language.type_of(&array.element);
            let ty = known.map_or_else(|| bare(&array.element.text), str::to_owned);
            let declared = format!("{ty} {}{extents};", array.printed_name());
            if !is_shared {
                self.line(depth, &declared);
                continue;
            }
            if !is_of_all {
                let name = array.printed_name();
                self.refused = Some(format!(
                    "`{name}` is shared by some threads of a block alone, which kernels do not declare yet"
                ));
            }
            let bytes = array.element.kind.size_bytes().map_or(i64::MAX, i64::from);
            let bytes = all.iter().fold(bytes, |bytes, n| bytes.saturating_mul(*n));
            self.shared_bytes = self.shared_bytes.saturating_add(bytes);
            let (shared, pad) = (self.host.device.language.shared(), self.host.options.indent);
            let is_of_words = self.has_products && size == 2;
            let at_words = if is_of_words { "__align__(4) " } else { "" };
            let _ = writeln!(self.shared, "{:pad$}{shared}{at_words}{declared}", "");
        }
    }

    /// The variables that say which block and thread this is, those that the text uses.
    fn numbers(&self) -> String {
        let (mut text, pad) = (String::new(), self.host.options.indent);
        let words = words(&self.text);
        let mut declare = |name: &str, value: String| {
            if words.contains(name) {
                let _ = writeln!(text, "{:pad$}const int {name} = {value};", "");
            }
        };
        let language = self.host.device.language;
        for (divided, name) in &self.names.of {
            declare(name, language.number(*divided));
        }
        for (axis, name) in GpuAxis::ALL.into_iter().zip(&self.names.n_blocks) {
            declare(name, language.n_blocks(axis));
        }
        text
    }

    /// The arrays in constant memory, among the arguments.
    fn tables(&self, arguments: &[Argument]) -> Vec<ArrayId> {
        let is_table = |place: &Place| match place {
            Place::Table(_) => true,
            Place::Memory(memory) => memory.is_table,
            Place::Value | Place::Kernel => false,
        };
        let is_argument = |id: &ArrayId| {
            let name = self.host.scop.arrays()[*id].printed_name();
            arguments.iter().any(|argument| argument.name == name)
        };
        let all = self.host.places.of.iter().filter(|(_, place)| is_table(place));
        all.map(|(id, _)| *id).filter(is_argument).collect()
    }

    /// What the kernel is called with: memory that its statements use, then the scalars, parameters and iterators that its text mentions.
    fn arguments(&self, body: &[Node]) -> Vec<Argument> {
        let (host, language) = (self.host, self.host.device.language);
        let scop = host.scop;
        let mut used = BTreeSet::new();
        let mut look = |user: &User| {
            used.extend(scop.stmts()[user.stmt].accesses.iter().map(|access| access.array));
        };
        body.iter().for_each(|node| node.for_each_user(&mut look));
        let words = words(&self.text);
        let (mut arguments, mut values) = (Vec::new(), Vec::new());
        for id in used {
            let array = &scop.arrays()[id];
            let name = array.printed_name();
            if !words.contains(name) {
                continue;
            }
            let ty = language.type_of(&array.element).unwrap_or("int");
            let bytes = array.element.kind.size_bytes().unwrap_or(4);
            match host.places.of.get(&id) {
                Some(Place::Memory(memory)) => arguments.push(self.pointer(id, ty, memory)),
                Some(Place::Table(extents)) => values.push(Argument {
                    name: name.to_owned(),
                    declaration: format!("const {} {name}", structure(ty, extents)),
                    value: ArgumentValue::Bytes(name.to_owned()),
                    bytes: extents.iter().fold(bytes, |bytes, n| {
                        bytes.saturating_mul(u32::try_from(*n).unwrap_or(u32::MAX))
                    }),
                }),
                Some(Place::Value) => values.push(Argument {
                    name: name.to_owned(),
                    declaration: format!("const {ty} {name}"),
                    value: ArgumentValue::Variable(
                        name.to_owned(),
                        type_on_host(&array.element, ty),
                    ),
                    bytes,
                }),
                Some(Place::Kernel) | None => {}
            }
        }
        let number = |name: &str, is_wide: bool| {
            let (ty, bytes) = if is_wide { ("long", 8) } else { ("int", 4) };
            Argument {
                name: name.to_owned(),
                declaration: format!("const {ty} {name}"),
                value: ArgumentValue::Variable(name.to_owned(), ty.to_owned()),
                bytes,
            }
        };
        for param in scop.params().iter().filter(|param| words.contains(param.name.as_str())) {
            let is_wide = width(&param.ty) > Width::Int || needs_cast(&param.ty);
            values.push(number(&param.name, is_wide));
        }
        for (name, ty) in host.iterators.iter().filter(|(name, _)| words.contains(name.as_str())) {
            values.push(number(name, *ty != "int"));
        }
        arguments.extend(values);
        arguments
    }

    /// The argument that points to an array.
    fn pointer(&self, id: ArrayId, ty: &str, memory: &Memory) -> Argument {
        let (host, language) = (self.host, self.host.device.language);
        let name = host.scop.arrays()[id].printed_name().to_owned();
        let inner: Vec<Option<i64>> = self.inner(id).iter().map(Expr::as_int).collect();
        let rows: Option<String> = inner.iter().map(|n| n.map(|n| format!("[{n}]"))).collect();
        let shape = host.places.shapes.get(&id);
        let rows = rows.filter(|rows| !rows.is_empty() && !shape.is_some_and(|s| s.is_linear));
        let constant = if memory.is_constant { "const " } else { "" };
        let global = if memory.is_table { language.constant() } else { language.global() };
        let restrict = language.restrict();
        let declaration = match rows {
            Some(rows) => format!("{global}{constant}{ty} (*{restrict} {name}){rows}"),
            None => format!("{global}{constant}{ty} *{restrict} {name}"),
        };
        let value = ArgumentValue::Memory(memory.pointer.clone());
        Argument { name, declaration, value, bytes: 8 }
    }
}

/// The type of the host whose numbers have the bytes that kernels are called with.
fn type_on_host(ty: &ElementType, in_kernels: &str) -> String {
    let is_other = ty.kind.is_short_floating() || ty.is_truth();
    if is_other { ty.unqualified().text } else { in_kernels.to_owned() }
}

/// The most bytes that the threads of a block share where a kernel declares them: of every device that runs CUDA, and more than OpenCL asks for.
const MAX_SHARED_BYTES: i64 = 48 << 10;

/// The most copies of a statement that compilers are to write out.
const MOST_COPIES: i64 = 64;

/// The most iterations of a loop that they are to write out.
const MOST_WRITTEN_OUT: i64 = 16;

/// A loop within a tile, or over the tiles of one, that has few iterations, counted from zero, so that compilers see how many whatever the type of where it begins is.
struct WrittenOut {
    /// Those of a whole tile.
    n: i64,
    /// Where these begin.
    first: Expr,
    /// What the loop's values are no less than, besides.
    least: Vec<Expr>,
    /// What they are less than.
    ends: Vec<Expr>,
    /// How far apart they are.
    step: i64,
}

impl WrittenOut {
    /// How a loop is written out, if it is; whether those over tiles are, too.
    fn of(node: &For, has_tiles: bool) -> Option<Self> {
        let (firsts, ends) = (node.first.options(true), node.end.options(false));
        let lengths =
            firsts.iter().flat_map(|first| ends.iter().map(|end| end.minus(first).as_int()));
        let length = lengths.flatten().filter(|n| *n > 0).min()?;
        let is_plain = node.info.tile.is_none() || has_tiles;
        let step = step_of(node).filter(|_| is_plain && node.info.divided.is_none())?;
        let n = (length + step - 1) / step;
        if !(2..=MOST_WRITTEN_OUT).contains(&n) {
            return None;
        }
        let fits = |first: &&Expr| ends.iter().any(|end| end.minus(first).as_int() == Some(length));
        let first = firsts.iter().find(fits)?.clone();
        let end = first.offset(length);
        let least = firsts.iter().filter(|e| **e != first).cloned().collect();
        let ends = ends.iter().filter(|e| **e != end).cloned().collect();
        Some(Self { n, first, least, ends, step })
    }

    /// The loop's own value, by the number of the iteration.
    fn value(&self, name: &str) -> Expr {
        self.first.plus(&Expr::iterator(name).times(self.step))
    }

    /// What is in the loop, by the number of the iteration.
    fn body(&self, node: &For) -> Vec<Node> {
        let name = node.iterator.as_str();
        let value = self.value(name);
        let by = |other: &str| (other == name).then(|| value.clone());
        node.body.iter().map(|inner| inner.substitute(&by)).collect()
    }
}

/// Whether a loop at or in a node is divided, or threads meet there.
fn is_divided(node: &Node) -> bool {
    match node {
        Node::For(node) => node.info.divided.is_some() || node.body.iter().any(is_divided),
        Node::If(node) => node.then.iter().chain(&node.otherwise).any(is_divided),
        Node::Block(_) => true,
        Node::User(_) => false,
    }
}

/// The bands of a kernel's outermost loops that are divided among blocks, by their places in the tree: those of loops that isl cut in pieces count once.
fn bands(nodes: &[Node]) -> BTreeSet<Option<Vec<usize>>> {
    let mut found = BTreeSet::new();
    for node in nodes {
        match node {
            Node::For(node) if matches!(node.info.divided, Some(Divided::Blocks(_))) => {
                found.insert(node.info.member.as_ref().map(|(at, _)| at.steps().to_vec()));
            }
            Node::For(node) => found.extend(bands(&node.body)),
            Node::If(node) => {
                found.extend(bands(&node.then));
                found.extend(bands(&node.otherwise));
            }
            Node::Block(node) => found.extend(bands(&node.body)),
            Node::User(_) => {}
        }
    }
    found
}

/// Whether a loop has one iteration, and nothing in it asks which: isl leaves such loops out.
fn is_single(node: &For) -> bool {
    let n = node.end.minus(&node.first).as_int();
    n.is_some_and(|n| (1..=node.step).contains(&n))
        && node.body.iter().all(|inner| is_the_same_in(&node.iterator, inner))
}

/// Whether a node consists of statements and loops of a single iteration that do not mention an iterator.
fn is_the_same_in(iterator: &str, node: &Node) -> bool {
    match node {
        Node::User(user) => !user.args.iter().chain(&user.values).any(|e| e.mentions(iterator)),
        Node::For(node) => {
            is_single(node)
                && !node.first.mentions(iterator)
                && node.body.iter().all(|inner| is_the_same_in(iterator, inner))
        }
        Node::If(_) | Node::Block(_) => false,
    }
}

/// The axes of the grid along which all loops among some nodes that are divided begin with one value, for the same values along the others.
fn in_step(body: &[Node]) -> BTreeSet<GpuAxis> {
    let loops = block_loops(body);
    let begin_alike = |axis: &GpuAxis| {
        let own: Vec<&BlockLoop<'_>> = loops.iter().filter(|(of, ..)| of == axis).collect();
        match own.as_slice() {
            [] => false,
            [one] => {
                varying(one).all(|outer| matches!(outer.info.divided, Some(Divided::Blocks(_))))
            }
            [(_, first, _), ..] => {
                own.iter().all(|one| one.1.first == first.first && varying(one).next().is_none())
            }
        }
    };
    GpuAxis::ALL.into_iter().filter(begin_alike).collect()
}

/// The loops around one that its first value depends on.
fn varying<'l>((_, node, around): &'l BlockLoop<'_>) -> impl Iterator<Item = &'l For> {
    around.iter().copied().filter(|outer| node.first.mentions(&outer.iterator))
}

/// The items at all positions but some.
fn without<T: Clone>(items: &[T], positions: &[usize]) -> Vec<T> {
    let kept = items.iter().enumerate().filter(|(at, _)| !positions.contains(at));
    kept.map(|(_, item)| item.clone()).collect()
}

/// The words of a text.
pub(super) fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
}

/// A text in parentheses, but for a name or number.
fn in_parentheses(text: &str) -> String {
    let is_word = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word { text.to_owned() } else { format!("({text})") }
}

/// A number times a name.
pub(super) fn times(name: &str, factor: i64) -> String {
    if factor == 1 { name.to_owned() } else { format!("{factor} * {name}") }
}

/// A sum without zeros.
pub(super) fn plus(first: &str, second: &str) -> String {
    if first == "0" { second.to_owned() } else { format!("{first} + {second}") }
}
