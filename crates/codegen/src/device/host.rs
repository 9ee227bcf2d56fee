//! What takes a region's place on the host.

use super::frame::Frame;
use super::kept::Kept;
use super::kernel::{printed_kernel, words};
use super::places::{Memory, Place, Places};
use super::short_floating::conversions;
use super::tensor;
use super::{Device, DeviceMemory, DeviceRegion, HostPlan, HostStep, Kernel, Language};
use crate::dialect::{Bounds, C};
use crate::guards::{cond_text, guard_texts};
use crate::limit::{limit_text, size_text};
use crate::options::{First, MacroGuard, Options};
use farkas_astgen::{
    Ast, Binding, Block, BlockKind, Cond, Dialect, Ends, Expr, For, Guard, If, Node, Shape, Value,
};
use farkas_scop::{Array, ArrayId, ArrayScope, Scop};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The host's code so far.
pub(super) struct Host<'a> {
    pub(super) scop: &'a Scop,
    pub(super) c: &'a C<'a>,
    pub(super) options: &'a Options,
    pub(super) device: Device<'a>,
    pub(super) places: &'a Places<'a>,
    /// The iterators of the loops around what comes next, which kernels are called with.
    pub(super) iterators: Vec<(String, &'static str)>,
    done: DeviceRegion,
    /// What runs between the copies, in whole lines.
    body: String,
    /// What was done on the host since the last loop or condition began.
    steps: Vec<HostStep>,
}

/// An array in the device's memory.
struct Copied {
    array: ArrayId,
    memory: Memory,
    extent: Extent,
}

/// What a range of an array's elements takes, in C.
struct Extent {
    /// The bytes of the memory that has all of them.
    bytes: String,
    /// The bytes before those that are touched, and of these.
    touched: (String, String),
}

impl<'a> Host<'a> {
    /// Nothing yet.
    pub(super) fn new(
        scop: &'a Scop,
        c: &'a C<'a>,
        options: &'a Options,
        device: Device<'a>,
        places: &'a Places<'a>,
    ) -> Self {
        let definitions = places.definitions.clone();
        let prefix = device.prefix.to_owned();
        let done = DeviceRegion { prefix, definitions, ..DeviceRegion::default() };
        let (iterators, body, steps) = (Vec::new(), String::new(), Vec::new());
        Self { scop, c, options, device, places, iterators, done, body, steps }
    }

    /// The whole region.
    pub(super) fn region(mut self, ast: &Ast, limits: &[String]) -> Result<DeviceRegion, String> {
        for First { declaration, value, when } in &self.options.first {
            let value = match when {
                Some(when) => {
                    format!("{} ? {value} : 0", cond_text(self.c, when).within(Binding::Or))
                }
                None => value.clone(),
            };
            self.done.plan.variables.push(format!("{declaration} = {value};"));
        }
        let copies = self.copies(ast)?;
        let mut conditions = limits.to_vec();
        conditions.extend(self.conditions(ast));
        self.done.plan.conditions = conditions;
        self.done.plan.apart = self.kept_apart(&copies);
        self.done.plan.memory = copies.iter().map(|copy| self.memory(copy)).collect();
        self.on_device(ast)?;
        self.done.plan.steps = std::mem::take(&mut self.steps);
        Ok(self.framed())
    }

    /// The arrays in the device's memory.
    fn copies(&self, ast: &Ast) -> Result<Vec<Copied>, String> {
        let mut copies = Vec::new();
        for (array, place) in &self.places.of {
            if let Place::Memory(memory) = place {
                let (array, memory) = (*array, memory.clone());
                copies.push(Copied { array, memory, extent: self.extent(ast, array)? });
            }
        }
        Ok(copies)
    }

    /// An array in the device's memory, for the plan.
    fn memory(&self, Copied { array, memory, extent }: &Copied) -> DeviceMemory {
        DeviceMemory {
            name: memory.pointer.clone(),
            array: self.scop.arrays()[*array].printed_name().to_owned(),
            element: self.scop.arrays()[*array].element.unqualified().text,
            bytes: extent.bytes.clone(),
            host: self.address(*array, &extent.touched.0),
            touched: extent.touched.clone(),
            copied_in: memory.copied_in,
            copied_out: memory.copied_out,
            is_written: !memory.is_constant,
            is_object: self.scop.arrays()[*array].is_always_there(),
        }
    }

    /// Ranges of memory that may have nothing in common: what is copied back of one array must have nothing of another one between its ends, as
    /// of columns of one matrix.
    fn kept_apart(&self, copies: &[Copied]) -> Vec<[(String, String); 2]> {
        let back: Vec<&Copied> = copies.iter().filter(|copy| copy.memory.copied_out).collect();
        let is_object = |copy: &Copied| self.scop.arrays()[copy.array].is_always_there();
        let range = |copy: &Copied| {
            let (at, n) = &copy.extent.touched;
            (self.address(copy.array, at), n.clone())
        };
        let mut all = Vec::new();
        for (at, one) in back.iter().enumerate() {
            for other in &back[at + 1..] {
                if !(is_object(one) && is_object(other)) {
                    all.push([range(one), range(other)]);
                }
            }
        }
        all
    }

    /// What runs where there is a device, between the copies.
    fn on_device(&mut self, ast: &Ast) -> Result<(), String> {
        for (at, node) in ast.body.iter().enumerate() {
            for (n, line) in self.options.nest_comments.get(at).into_iter().flatten().enumerate() {
                let open = if n == 0 { "farkas: " } else { "  " };
                self.line(2, &format!("/* {open}{} */", line.replace("*/", "* /")));
            }
            self.node(node, 2)?;
        }
        Ok(())
    }

    /// The region as it was.
    fn original(&self) -> String {
        let pad = 2 * self.options.indent;
        let mut original = String::new();
        for line in self.options.condition.otherwise.lines() {
            let pad = if line.is_empty() || line.starts_with('#') { 0 } else { pad };
            let _ = writeln!(original, "{:pad$}{line}", "");
        }
        original
    }

    /// The conditions under which kernels run, each as it stands beside the others.
    fn conditions(&self, ast: &Ast) -> Vec<String> {
        let condition = &self.options.condition;
        // Each array has memory of its own on the device, so that no two may be one.
        let guards: Vec<Guard> = condition.guards.iter().cloned().map(apart).collect();
        let guards = guard_texts(self.c, &guards);
        let mut all: Vec<String> = guards.iter().map(|text| text.within(Binding::And)).collect();
        let never = self.places.untouched.iter().chain(self.in_front());
        all.extend(never.map(|of| format!("!{}", cond_text(self.c, of).within(Binding::Unary))));
        all.extend(condition.limits.iter().cloned());
        all.extend(size_text(self.c, self.scop, (&ast.expanded, &|_| None)));
        if let Some((limit, own)) = &condition.memory {
            all.push(limit_text(self.c, self.scop, (&ast.expanded, &|_| None), *limit, own));
        }
        all
    }

    /// When what is touched begins in front of where a pointer points: memory on the device begins there.
    fn in_front(&self) -> impl Iterator<Item = &Cond> {
        let in_memory =
            self.places.of.iter().filter(|(_, place)| matches!(place, Place::Memory(_)));
        let ends = in_memory.filter_map(|(id, _)| self.places.shapes.get(id)?.touched.as_ref());
        ends.map(|ends| &ends.in_front).filter(|when| when.as_bool() != Some(false))
    }

    /// Code on the host.
    fn node(&mut self, node: &Node, depth: usize) -> Result<(), String> {
        match node {
            Node::For(node) => self.loop_(node, depth),
            Node::If(node) => self.guard(node, depth),
            Node::Block(block @ Block { kind: BlockKind::Kernel(threads), .. }) => {
                self.launch(*threads, block, depth)
            }
            Node::Block(Block { kind: BlockKind::Barrier, .. }) => {
                Err("a barrier stands outside of a kernel".to_owned())
            }
            Node::User(user) => {
                let name = &self.scop.stmts()[user.stmt].name;
                Err(format!("`{name}` stands outside of kernels, where its data are on the device"))
            }
        }
    }

    /// A loop of the host.
    fn loop_(&mut self, node: &For, depth: usize) -> Result<(), String> {
        let outside = self.c.depth();
        let (first, end, ty) = entered(self.c, node);
        self.line(depth, &format!("{} {{", head(node, &first, &end, ty)));
        self.iterators.push((node.iterator.clone(), ty));
        let body = self.nodes(&node.body, depth + 1)?;
        self.iterators.pop();
        self.c.leave(&outside);
        self.line(depth, "}");
        let (iterator, step) = (node.iterator.clone(), node.step);
        self.steps.push(HostStep::For { iterator, first, end, step, body });
        Ok(())
    }

    /// Code in a loop or behind a condition; what it does.
    fn nodes(&mut self, nodes: &[Node], depth: usize) -> Result<Vec<HostStep>, String> {
        let around = std::mem::take(&mut self.steps);
        nodes.iter().try_for_each(|node| self.node(node, depth))?;
        Ok(std::mem::replace(&mut self.steps, around))
    }

    /// A guard on the host.
    fn guard(&mut self, node: &If, depth: usize) -> Result<(), String> {
        let outside = self.c.depth();
        let condition = self.c.cond(&node.condition).text;
        self.line(depth, &format!("if ({condition}) {{"));
        self.c.enter_guard(&node.condition);
        let then = self.nodes(&node.then, depth + 1)?;
        self.c.leave(&outside);
        let mut otherwise = Vec::new();
        if !node.otherwise.is_empty() {
            self.line(depth, "} else {");
            otherwise = self.nodes(&node.otherwise, depth + 1)?;
        }
        self.line(depth, "}");
        self.steps.push(HostStep::If { condition, then, otherwise });
        Ok(())
    }

    /// A launch of a kernel.
    fn launch(&mut self, threads: [i64; 3], block: &Block, depth: usize) -> Result<(), String> {
        let number = self.done.kernels.len();
        let name = format!("{}_{number}", self.device.prefix);
        let kernel: Kernel = printed_kernel(self, name, threads, block)?;
        let blocks: Vec<String> =
            block.grid().iter().map(|n| self.c.widely(true, || self.c.expr(n)).text).collect();
        let args: Vec<String> = kernel.arguments.iter().map(|arg| arg.value.address()).collect();
        let args = if args.is_empty() { "0".to_owned() } else { args.join(", ") };
        self.line(depth, "{");
        self.line(depth + 1, &format!("const long farkas_grid[] = {{{}}};", blocks.join(", ")));
        self.line(depth + 1, &format!("void *const farkas_args[] = {{{args}}};"));
        let which = format!("{} + {number}", self.device.prefix);
        self.line(depth + 1, &format!("farkas_run({which}, farkas_grid, farkas_args);"));
        self.line(depth, "}");
        self.done.kernels.push(kernel);
        self.steps.push(HostStep::Launch { kernel: number, blocks });
        Ok(())
    }

    /// What an array takes of the device's memory, and which part of it is touched.
    fn extent(&self, ast: &Ast, id: ArrayId) -> Result<Extent, String> {
        let array = &self.scop.arrays()[id];
        let size = array.element.kind.size_bytes().unwrap_or(0);
        let whole = |extents: &[Expr]| {
            let bytes = product(extents.iter().map(|e| self.size(e)), size);
            Extent { touched: ("0".to_owned(), bytes.clone()), bytes }
        };
        if let Some((_, extents)) = ast.expanded.iter().find(|(expanded, _)| *expanded == id) {
            return Ok(whole(extents));
        }
        let shape = self.places.shapes.get(&id);
        let ends = shape.and_then(|shape| Some((shape, shape.touched.as_ref()?)));
        let known: Option<Vec<Expr>> = match array.constant_extents() {
            Some(extents) => Some(extents.into_iter().map(Expr::int).collect()),
            None => shape.and_then(|shape| shape.extents.iter().cloned().collect()),
        };
        match (ends, known) {
            (Some((shape, ends)), known)
                if array.scope != ArrayScope::Region || known.is_none() =>
            {
                Ok(self.touched(shape, ends, size))
            }
            (_, Some(extents)) => Ok(whole(&extents)),
            _ => Err(format!("the size of `{}` is not known", array.printed_name())),
        }
    }

    /// The rows of an array that are touched, or where rows are no types, the elements from the first to the last.
    fn touched(&self, shape: &Shape, ends: &Ends, size: u32) -> Extent {
        let inner: Vec<String> =
            shape.extents.iter().skip(1).flatten().map(|extent| self.size(extent)).collect();
        let row = product(inner.iter().cloned(), size);
        let at = |of: &[Expr]| -> String {
            let mut parts = of.iter().map(|e| self.size(e));
            let first = parts.next().unwrap_or_else(|| "0".to_owned());
            parts
                .zip(&inner)
                .fold(first, |sum, (next, extent)| format!("({sum}) * {extent} + {next}"))
        };
        let (from, bytes) = if shape.is_linear {
            (
                product([format!("({})", at(&ends.first))], size),
                product([format!("({} + 1)", at(&ends.last))], size),
            )
        } else {
            let row_of = |of: &[Expr], more: &str| {
                let first = of.first().map_or_else(|| "0".to_owned(), |e| self.size(e));
                format!("({first}{more}) * ({row})")
            };
            (row_of(&ends.first, ""), row_of(&ends.last, " + 1"))
        };
        let n = format!("({bytes}) - ({from})");
        let or_none = |text: String| match ends.untouched.as_bool() {
            Some(false) => text,
            _ => {
                let untouched = cond_text(self.c, &ends.untouched).within(Binding::Or);
                format!("{untouched} ? 0 : {text}")
            }
        };
        let is_zero = ends.first.iter().all(|e| e.as_int() == Some(0));
        let from = if is_zero { "0".to_owned() } else { or_none(from) };
        let n = if is_zero { bytes.clone() } else { n };
        Extent { bytes: or_none(bytes), touched: (from, or_none(n)) }
    }

    /// An expression as a size.
    fn size(&self, expr: &Expr) -> String {
        match expr.as_int() {
            Some(n) => n.to_string(),
            None => format!("(__SIZE_TYPE__)({})", self.c.widely(true, || self.c.expr(expr)).text),
        }
    }

    /// The host's address of an array, so many bytes behind its beginning.
    fn address(&self, id: ArrayId, bytes: &str) -> String {
        let array: &Array = &self.scop.arrays()[id];
        let name = array.printed_name();
        match (array.rank(), bytes) {
            (0, _) => format!("&{name}"),
            (_, "0") => name.to_owned(),
            _ => format!("(char *){name} + ({bytes})"),
        }
    }

    /// The region, with the macros that it needs around it and those that its kernels need.
    fn framed(mut self) -> DeviceRegion {
        let (define, undefine) = self.c.helpers();
        let mut before = String::new();
        for MacroGuard { name, value } in &self.options.macro_guards {
            let _ = writeln!(before, "#if {name} != {value}");
            let _ =
                writeln!(before, "#error farkas: this region was transformed for {name} = {value}");
            let _ = writeln!(before, "#endif");
        }
        let is_used = |line: &&str| {
            let name = line.trim_start_matches("#define ").split('(').next().unwrap_or("");
            self.done.kernels.iter().any(|kernel| kernel.text.contains(name))
        };
        let needed: Vec<String> = define.lines().filter(is_used).map(str::to_owned).collect();
        self.done.definitions.extend(needed);
        if self.device.language == Language::Cuda {
            self.define_products();
        }
        self.done.plan.definitions = on_host(&self.done.plan, &define);
        self.done.frame = Frame {
            before: before + &define,
            after: undefine,
            margin: self.options.margin.clone(),
            indent: self.options.indent,
            body: std::mem::take(&mut self.body),
            original: self.original(),
            last: self.options.last.clone(),
            unused: self.options.unused.clone(),
        };
        self.done.kept(Kept::default())
    }

    /// Adds the functions of tensor cores that kernels call, and removes those that convert what only tensor cores use.
    fn define_products(&mut self) {
        let kernels = self.done.kernels.iter();
        let called: BTreeSet<&str> = kernels.flat_map(|kernel| words(&kernel.text)).collect();
        let of_products = tensor::HELPERS.into_iter().filter(|name| called.contains(name));
        let own: Vec<String> = of_products.filter_map(tensor::helper).collect();
        let unused: Vec<&str> = conversions().filter(|name| !called.contains(name)).collect();
        if own.is_empty() {
            return;
        }
        let is_of = |text: &str, name: &str| text.contains(&format!(" {name}("));
        self.done.definitions.retain(|text| !unused.iter().any(|name| is_of(text, name)));
        self.done.definitions.extend(own);
    }

    /// Adds a line.
    fn line(&mut self, depth: usize, text: &str) {
        let pad = depth * self.options.indent;
        let _ = writeln!(self.body, "{}{:pad$}{text}", self.options.margin, "");
    }
}

/// The definitions of macros, among some, that expressions of the host use.
fn on_host(plan: &HostPlan, define: &str) -> Vec<String> {
    let all = plan.expressions();
    let is_used = |line: &&str| {
        let name = line.trim_start_matches("#define ").split('(').next().unwrap_or("");
        all.iter().any(|expression| expression.contains(name))
    };
    define.lines().filter(is_used).map(str::to_owned).collect()
}

/// A product of sizes and a number of bytes.
fn product(sizes: impl IntoIterator<Item = String>, bytes: u32) -> String {
    sizes.into_iter().chain([bytes.to_string()]).collect::<Vec<_>>().join(" * ")
}

/// A guard by which two arrays share nothing.
fn apart(guard: Guard) -> Guard {
    match guard {
        Guard::Apart { untouched, touched, .. } => {
            Guard::Apart { untouched, touched, or_same: false }
        }
        other => other,
    }
}

/// The head of a loop, which is entered, and the type of its variable.
pub(super) fn header(c: &C<'_>, node: &For) -> (String, &'static str) {
    let (first, end, ty) = entered(c, node);
    (head(node, &first, &end, ty), ty)
}

/// The head of a loop with these values.
fn head(node: &For, first: &str, end: &str, ty: &str) -> String {
    let (name, step) = (&node.iterator, node.step);
    let relation = if step > 0 { '<' } else { '>' };
    let step = match step {
        1 => format!("{name}++"),
        -1 => format!("{name}--"),
        step if step > 0 => format!("{name} += {step}"),
        step => format!("{name} -= {}", step.unsigned_abs()),
    };
    format!("for ({ty} {name} = {first}; {name} {relation} {end}; {step})")
}

/// The first value and the end of a loop, which is entered, as operands of sums, and the type of its variable.
pub(super) fn entered(c: &C<'_>, node: &For) -> (String, String, &'static str) {
    let (first, end) = (c.expr(&node.first), c.expr(&node.end));
    let last = end.value.plus(Value::number(if node.step > 0 { -1 } else { 1 }));
    let bounds = Bounds { first: first.value, last, limit: end.value };
    let ty = c.enter_loop(node, bounds, false);
    (first.within(Binding::Sum), end.within(Binding::Sum), ty)
}
