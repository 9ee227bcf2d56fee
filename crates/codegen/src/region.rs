//! A whole region.

mod lanes;
mod unswitch;

use crate::body::{BodyPrinter, Line, bare};
use crate::braces::{ends_in_else, needs_braces};
use crate::clauses::{copies_clause, has_buffer, is_for_lanes, private_clause};
use crate::comment::facts;
use crate::dialect::{Bounds, C, Misfits};
use crate::guards::{cond_text, guard_texts};
use crate::limit::{extent_text, limit_text, size_text};
use crate::memory::Memory;
use crate::options::{Condition, First, MacroGuard, Options, Places, Target};
use crate::ranges::Ranges;
use crate::reduction::{Declared, Held, Reduced, reduced};
use crate::threads::work_text;
use crate::types::{Width, width};
use crate::zero::from_zero;
use farkas_astgen::{Ast, Binding, Dialect, Expr, For, If, Node, Term, Text, User, Value};
use farkas_scop::{Array, ArrayId, ArrayScope, AssignOp, BodyStmt, ElementKind, Scop};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The text that takes the place of the region of `scop`, in whole lines.
///
/// It compiles without warnings of its own under `-Wall -Wextra` (with `-fopenmp` for [`Target::OpenMp`]) wherever the
/// original did.
pub fn print_region(scop: &Scop, ast: &Ast, options: &Options) -> String {
    settled(scop, ast, options, &Ranges::of(scop, options.condition.most)).0
}

/// The largest size of wide parameters, one of a few, for which no number in the code of `ast` is too large for any type; `None`
/// where there is no need for one.
pub fn largest_sizes(scop: &Scop, ast: &Ast) -> Option<SizeLimit> {
    let options = Options::default();
    let is_beyond = |ranges: &Ranges| settled(scop, ast, &options, ranges).1.is_beyond;
    let ranges = Ranges::of_limits(scop);
    let unlimited = ranges(None);
    if !unlimited.params.iter().any(|p| p.value.wide) || !is_beyond(&unlimited) {
        return None;
    }
    let sizes = [1 << 62, 1 << 60, 1 << 56, 1 << 48, 1 << 40, 1 << 32];
    let fits = |most: &i64| !is_beyond(&ranges(Some(*most)));
    Some(match sizes.into_iter().find(fits) {
        Some(most) => SizeLimit { most, conditions: unlimited.conditions(most) },
        // No size is known to fit, so that the loops never run.
        None => SizeLimit { most: 1 << 32, conditions: vec!["0".to_owned()] },
    })
}

/// A limit of what wide parameters may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SizeLimit {
    /// The greatest absolute value.
    pub most: i64,
    /// The conditions, in C, that keep the parameters within it.
    pub conditions: Vec<String>,
}

/// The text of a region with loop variables that are as wide as they must be, and what does not even fit the widest type.
fn settled(scop: &Scop, ast: &Ast, options: &Options, ranges: &Ranges) -> (String, Misfits) {
    let mut wide = BTreeSet::new();
    loop {
        let (text, misfits) =
            attempt(scop, ast, options, &C::new(ranges, &wide).avoiding(&options.reserved));
        let n_wide = wide.len();
        wide.extend(&misfits.narrow);
        if wide.len() == n_wide {
            return (text, misfits);
        }
    }
}

/// The text of a region with certain types of loop variables, and what does not fit them.
fn attempt(scop: &Scop, ast: &Ast, options: &Options, c: &C<'_>) -> (String, Misfits) {
    let mut printer = Printer {
        scop,
        c,
        options,
        memory: Memory::of(scop, ast, options.target, options.stack_bytes),
        fresh: BTreeSet::new(),
        held: Vec::new(),
        is_unswitched: false,
        at: options.places.as_ref().map_or(0, |places| places.first),
        text: String::new(),
    };
    let declarations = printer.declarations(ast);
    let allocations = printer.allocations(ast);
    let has_buffers = !ast.buffers.is_empty() || !allocations.is_empty();
    let in_block = has_buffers
        || !options.first.is_empty()
        || options.condition.needs_threads
        || !declarations.is_empty() && declarations.iter().all(|(_, live_out)| !live_out);
    let depth = usize::from(in_block);
    if in_block {
        printer.line(0, "{");
    }
    for (declaration, _) in &declarations {
        printer.line(depth, declaration);
    }
    for first in &options.first {
        printer.line(depth, &first_text(c, first));
    }
    if allocations.is_empty() && options.condition.is_always() {
        printer.body_of(ast, depth);
    } else {
        printer.on_condition(ast, &allocations, depth);
    }
    if in_block {
        printer.line(0, "}");
    }
    for name in &options.unused {
        printer.line(0, &format!("(void){name};"));
    }
    let (define, undefine) = c.helpers();
    let mut text = String::new();
    for MacroGuard { name, value } in &options.macro_guards {
        let _ = writeln!(text, "#if {name} != {value}");
        let _ = writeln!(text, "#error farkas: this region was transformed for {name} = {value}");
        let _ = writeln!(text, "#endif");
    }
    (text + &define + &printer.text + &undefine, c.misfits())
}

/// The declaration of a variable before the loops.
fn first_text(c: &C<'_>, first: &First) -> String {
    let First { declaration, value, when } = first;
    match when {
        None => format!("{declaration} = {value};"),
        Some(when) => {
            format!("{declaration} = {} ? {value} : 0;", cond_text(c, when).within(Binding::Or))
        }
    }
}

/// What surrounds a guard.
#[derive(Clone, Copy)]
struct Inside<'a> {
    /// A parallel loop.
    in_parallel: bool,
    /// The buffers that each arm declares.
    buffers: &'a [ArrayId],
}

/// What surrounds the body of a loop.
#[derive(Clone, Copy)]
struct Setting {
    /// A parallel loop.
    in_parallel: bool,
    /// Whether the loop is the one in which threads find their own memory.
    has_own: bool,
    /// How many of the loops inside threads share with it.
    n_shared: usize,
}

/// Memory that is allocated before the loops.
struct Allocation {
    /// What points to it; the block has the same name with an underscore.
    name: String,
    /// How many bytes, in C.
    bytes: String,
    /// The type of what is pointed to, and the pointer in its declaration.
    element: String,
    pointer: String,
}

impl Allocation {
    /// That of an array with some extents, in C.
    fn of(array: &Array, extents: &[String]) -> Self {
        let bracketed: Vec<String> = extents.iter().map(|e| format!("[{e}]")).collect();
        let (element, name) = (bare(&array.element.text), array.printed_name().to_owned());
        let bytes = format!("sizeof({element}{})", bracketed.concat());
        let pointer = pointer(&name, &bracketed.get(1..).unwrap_or_default().concat());
        Self { name, bytes, element: element.to_owned(), pointer }
    }
}

/// A pointer to rows with these extents, to what nothing else points to, in its declaration.
fn pointer(name: &str, inner: &str) -> String {
    if inner.is_empty() {
        format!("*restrict {name}")
    } else {
        format!("(*restrict {name}){inner}")
    }
}

/// Extents of an array in its declaration.
fn bracketed(extents: &[i64]) -> String {
    extents.iter().map(|e| format!("[{e}]")).collect()
}

/// The memory of all threads, and the type of what each has.
const OWN: &str = "farkas_own";

/// The memory of one thread.
const MINE: &str = "farkas_mine";

/// How many threads there may be.
const THREADS: &str = "farkas_threads";

/// What makes variables begin where lines of caches do.
const ALIGNED: &str = "__attribute__((aligned(64)))";

/// The text so far and what it depends on.
struct Printer<'a> {
    scop: &'a Scop,
    c: &'a C<'a>,
    options: &'a Options,
    /// What is allocated.
    memory: Memory,
    /// The variables that what comes next declares when it sets them.
    fresh: BTreeSet<ArrayId>,
    /// The variables that hold elements while loops update them.
    held: Vec<(ArrayId, Held)>,
    /// Whether the condition around what comes next was asked around its loop.
    is_unswitched: bool,
    /// The line of the user's file that what comes next is from.
    at: u32,
    text: String,
}

impl Printer<'_> {
    /// Adds a line.
    fn line(&mut self, depth: usize, text: &str) {
        self.place();
        let pad = depth * self.options.indent;
        let _ = writeln!(self.text, "{}{:pad$}{text}", self.options.margin, "");
    }

    /// Says where what comes next is from, where that is asked for.
    fn place(&mut self) {
        if let Some(places) = &self.options.places {
            self.text.push_str(&Places::directive(&places.source, self.at));
        }
    }

    /// Runs `print` for what comes from a statement.
    fn at_statement(&mut self, user: &User, print: impl FnOnce(&mut Self)) {
        let first = self.at;
        if let (Some(places), Some(span)) =
            (&self.options.places, self.scop.stmts()[user.stmt].span)
        {
            self.at = places.source.line(span);
        }
        print(self);
        self.at = first;
    }

    /// Declarations of the region's own variables that are used, with whether code after the region may read them.
    fn declarations(&self, ast: &Ast) -> Vec<(String, bool)> {
        let mut used: BTreeSet<ArrayId> = BTreeSet::new();
        ast.body.iter().for_each(|n| {
            n.for_each_user(&mut |user| {
                used.extend(self.scop.stmts()[user.stmt].accesses.iter().map(|a| a.array));
            });
        });
        let arrays = used.iter().map(|a| &self.scop.arrays()[*a]);
        arrays
            .filter(|a| a.scope == ArrayScope::Region)
            .filter_map(|a| Some((initialized(a)?, a.is_live_out)))
            .collect()
    }

    /// Buffers and loops.
    fn body_of(&mut self, ast: &Ast, depth: usize) {
        self.buffers(&ast.buffers, &ast.body, depth, false);
        for (i, node) in ast.body.iter().enumerate() {
            self.comment(i, node, depth);
            self.node(node, depth, false);
        }
        for statement in &self.options.last {
            self.line(depth, statement);
        }
    }

    /// The loops with the memory that they need, and what runs where there is none or other conditions do not hold.
    fn on_condition(&mut self, ast: &Ast, allocations: &[Allocation], depth: usize) {
        let conditions = self.conditions(ast);
        self.count_threads(depth);
        let mut before: Option<&str> = None;
        for Allocation { name, bytes, .. } in allocations {
            let block = format!("__builtin_malloc({bytes} + 63)");
            match before {
                Some(before) => {
                    self.line(depth, &format!("void *{name}_ = {before}_ ? {block} : 0;"));
                }
                None if conditions.is_empty() => {
                    self.line(depth, &format!("void *{name}_ = {block};"));
                }
                None => {
                    self.line(depth, &format!("void *{name}_ = 0;"));
                    self.if_all(&conditions, "", depth);
                    self.line(depth + 1, &format!("{name}_ = {block};"));
                }
            }
            before = Some(name);
        }
        match before {
            Some(last) => self.line(depth, &format!("if ({last}_) {{")),
            None => self.if_all(&conditions, " {", depth),
        }
        for Allocation { name, element, pointer, .. } in allocations {
            // Like the buffers on the stack, it begins where lines of caches do.
            let aligned = format!("(void *)(((__UINTPTR_TYPE__){name}_ + 63) & -64)");
            self.line(depth + 1, &format!("{element} {pointer} = {aligned};"));
        }
        self.body_of(ast, depth + 1);
        self.line(depth, "} else {");
        self.place();
        let pad = (depth + 1) * self.options.indent;
        for line in self.options.condition.otherwise.lines() {
            let pad = if line.is_empty() || line.starts_with('#') { 0 } else { pad };
            let _ = writeln!(self.text, "{:pad$}{line}", "");
        }
        self.line(depth, "}");
        for Allocation { name, .. } in allocations.iter().rev() {
            self.line(depth, &format!("__builtin_free({name}_);"));
        }
    }

    /// The conditions under which the loops run, each as it stands beside the others.
    fn conditions(&self, ast: &Ast) -> Vec<String> {
        let Condition { guards, limits, memory, .. } = &self.options.condition;
        let guards = guard_texts(self.c, guards);
        let mut others = limits.clone();
        others.extend(size_text(self.c, self.scop, &ast.expanded));
        if let Some((limit, own)) = memory {
            others.push(limit_text(self.c, self.scop, &ast.expanded, *limit, own));
        }
        if !self.memory.own.is_empty() && self.options.target == Target::OpenMp {
            others.push(format!("{THREADS} < __PTRDIFF_MAX__ / sizeof(struct {OWN})"));
        }
        // What is small asks nothing else.
        let several = Text::new(format!("{THREADS} > 1"), Binding::Relation);
        let several = Some(several).filter(|_| self.options.condition.needs_threads);
        let asked: Vec<Text> = self.enough().into_iter().chain(several).chain(guards).collect();
        let least = if asked.len() + others.len() == 1 { Binding::Ternary } else { Binding::And };
        asked.iter().map(|text| text.within(least)).chain(others).collect()
    }

    /// The condition that there is enough work, where that is asked.
    fn enough(&self) -> Option<Text> {
        let works = self.options.condition.works.iter().map(|work| work_text(self.c, work));
        let works: Vec<Text> = works.collect();
        match works.as_slice() {
            [] => None,
            [work] => Some(work.clone()),
            several => {
                let several: Vec<&str> = several.iter().map(|work| work.text.as_str()).collect();
                Some(Text::new(several.join(" || "), Binding::Or))
            }
        }
    }

    /// The header of an `if` that asks for all of some conditions, a line each.
    fn if_all(&mut self, conditions: &[String], end: &str, depth: usize) {
        for (i, condition) in conditions.iter().enumerate() {
            let open = if i == 0 { "if (" } else { "    && " };
            let close = if i + 1 == conditions.len() { format!("){end}") } else { String::new() };
            self.line(depth, &format!("{open}{condition}{close}"));
        }
    }

    /// What is allocated before the loops.
    fn allocations(&self, ast: &Ast) -> Vec<Allocation> {
        let mut found = Vec::new();
        for id in &self.memory.shared {
            let array = &self.scop.arrays()[*id];
            let extents: Vec<String> =
                array.constant_extents().unwrap_or_default().iter().map(i64::to_string).collect();
            found.push(Allocation::of(array, &extents));
        }
        for (id, extents) in &ast.expanded {
            let extents: Vec<String> = extents.iter().map(|e| extent_text(self.c, e)).collect();
            found.push(Allocation::of(&self.scop.arrays()[*id], &extents));
        }
        if !self.memory.own.is_empty() {
            let ty = format!("struct {OWN}");
            let number = match self.options.target {
                Target::OpenMp => format!("{THREADS} * "),
                Target::C | Target::Device(_) => String::new(),
            };
            found.push(Allocation {
                name: OWN.to_owned(),
                bytes: format!("{number}sizeof({ty})"),
                pointer: format!("*{OWN}"),
                element: ty,
            });
        }
        found
    }

    /// The type of what each thread has, and how many threads there may be. Programs are also compiled without OpenMP.
    fn count_threads(&mut self, depth: usize) {
        let is_needed = self.options.condition.needs_threads;
        if self.memory.own.is_empty() && !is_needed {
            return;
        }
        if !self.memory.own.is_empty() {
            self.line(depth, &format!("struct {OWN} {{"));
            for id in self.memory.own.clone() {
                let array = &self.scop.arrays()[id];
                let extents = array.constant_extents().unwrap_or_default();
                let (ty, name) = (bare(&array.element.text), array.printed_name());
                self.line(depth + 1, &format!("{ty} {name}{} {ALIGNED};", bracketed(&extents)));
            }
            self.line(depth, "};");
        }
        if self.options.target == Target::OpenMp {
            self.line(depth, &format!("__SIZE_TYPE__ {THREADS} = 1;"));
            self.text.push_str("#ifdef _OPENMP\n");
            let own = if self.memory.own.is_empty() { "" } else { ", omp_get_thread_num(void)" };
            self.line(depth, &format!("int omp_get_max_threads(void){own};"));
            // What is small takes hardly longer than to ask for it.
            let enough = self.enough().map(|enough| format!("if ({}) ", enough.text));
            let count = format!("{THREADS} = omp_get_max_threads();");
            self.line(depth, &format!("{}{count}", enough.unwrap_or_default()));
            self.text.push_str("#endif\n");
        }
    }

    /// The memory of the thread that runs an iteration of a parallel loop.
    fn own_memory(&mut self, depth: usize) {
        self.line(depth, &format!("struct {OWN} *{MINE} = {OWN};"));
        self.text.push_str("#ifdef _OPENMP\n");
        self.line(depth, &format!("{MINE} += omp_get_thread_num();"));
        self.text.push_str("#endif\n");
    }

    /// The comment above a nest.
    fn comment(&mut self, position: usize, node: &Node, depth: usize) {
        let mut lines = self.options.nest_comments.get(position).cloned().unwrap_or_default();
        lines.extend(facts(node));
        let n = lines.len();
        for (i, line) in lines.iter().enumerate() {
            let open = if i == 0 { "/* farkas: " } else { "   " };
            let close = if i + 1 == n { " */" } else { "" };
            self.line(depth, &format!("{open}{}{close}", line.replace("*/", "* /")));
        }
    }

    /// Several nodes, in braces where `braces` are written around them.
    fn nodes(&mut self, nodes: &[Node], depth: usize, in_parallel: bool, braces: bool) {
        if let ([Node::User(user)], true) = (nodes, braces) {
            // The braces of a body with local variables would be doubled.
            let lines = self.body(user);
            let is_block = lines.first().is_some_and(|l| l.text == "{");
            let (skip, shift) = if is_block { (1, 1) } else { (0, 0) };
            self.at_statement(user, |printer| {
                for line in &lines[skip..lines.len() - skip] {
                    printer.line(depth + line.depth - shift, &line.text);
                }
            });
            return;
        }
        nodes.iter().for_each(|n| self.node(n, depth, in_parallel));
    }

    /// One node.
    fn node(&mut self, node: &Node, depth: usize, in_parallel: bool) {
        match node {
            Node::For(node) => self.loop_(node, depth, in_parallel),
            Node::If(node) => self.guard(node, depth, Inside { in_parallel, buffers: &[] }),
            Node::User(user) => self.user(user, depth),
            // Other targets have no kernels.
            Node::Block(node) => self.nodes(&node.body, depth, in_parallel, true),
        }
    }

    /// A loop, with the condition around it that all its iterations share.
    fn loop_(&mut self, node: &For, depth: usize, in_parallel: bool) {
        let Some(condition) = self.unswitched(node) else {
            return self.plain_loop(node, depth, in_parallel);
        };
        self.line(depth, &format!("if ({condition}) {{"));
        self.is_unswitched = true;
        self.plain_loop(node, depth + 1, in_parallel);
        self.is_unswitched = false;
        self.line(depth, "}");
    }

    /// A loop by itself.
    fn plain_loop(&mut self, node: &For, depth: usize, in_parallel: bool) {
        let is_outermost = node.info.kind.is_parallel() && !in_parallel;
        if self.options.target == Target::OpenMp {
            let in_lanes = node.info.kind.is_vector()
                && is_for_lanes(self.scop, &node.body, &node.info.reduced);
            if !node.info.reduced.is_empty() && (is_outermost || in_lanes) {
                match reduced(self.scop, node, &self.held, |plain| self.c.name(plain)) {
                    Some(all) => return self.reduction(node, &all, depth, in_parallel),
                    // Nothing shows that iterations may run at the same time.
                    None => {
                        let setting = Setting { in_parallel, has_own: false, n_shared: 0 };
                        return self.bare_loop(node, depth, setting);
                    }
                }
            }
            if is_outermost {
                return self.parallel_loop(node, depth, ("", ""));
            }
            if in_lanes {
                let private = private_clause(self.scop, node);
                self.line(depth, &format!("#pragma omp simd{private}"));
            }
        }
        let in_parallel = in_parallel || is_outermost;
        self.bare_loop(node, depth, Setting { in_parallel, has_own: false, n_shared: 0 });
    }

    /// A loop whose iterations threads share.
    fn parallel_loop(&mut self, node: &For, depth: usize, (lanes, clause): (&str, &str)) {
        let threads = self.threads_clause(node);
        let start = self.text.len();
        let has_own = self.memory.has_own_in(node);
        let n_shared = node.shared_inside().len();
        self.bare_loop(node, depth, Setting { in_parallel: true, has_own, n_shared });
        let body = self.text.split_off(start);
        let private = private_clause(self.scop, node);
        let copies = copies_clause(self.kept_values(), &body);
        let collapse = match n_shared {
            0 => String::new(),
            n => format!(" collapse({})", n + 1),
        };
        let schedule = match node.info.turns {
            Some(turn) => format!(" schedule(static, {turn})"),
            None => String::new(),
        };
        let clauses = format!("{lanes}{collapse}{schedule}{private}{clause}{copies}{threads}");
        self.line(depth, &format!("#pragma omp parallel for{clauses}"));
        self.text.push_str(&body);
    }

    /// A loop without what is said of its iterations.
    fn bare_loop(&mut self, node: &For, depth: usize, setting: Setting) {
        if self.options.target == Target::OpenMp
            && let Some(n) = node.n_written_out()
        {
            self.line(depth, &format!("#pragma GCC unroll {n}"));
        }
        let rebased = node.n_written_out().map(|_| from_zero(node));
        let node = rebased.as_ref().unwrap_or(node);
        let outside = self.c.depth();
        let header = self.header(node);
        self.loop_with(node, header, depth, setting);
        self.c.leave(&outside);
    }

    /// The variables declared outside the loops that keep their values.
    fn kept_values(&self) -> impl Iterator<Item = &str> {
        let arrays = self.scop.arrays().iter_enumerated();
        let allocated = arrays
            .filter(|(id, a)| a.scope == ArrayScope::Expanded || self.memory.shared.contains(id))
            .map(|(_, array)| array.printed_name());
        self.options.kept.iter().map(String::as_str).chain(allocated).chain([OWN])
    }

    /// When a loop runs on several threads.
    fn threads_clause(&self, node: &For) -> String {
        let threads = node.info.threads.as_ref();
        let threads = threads.map(|work| format!(" if ({})", work_text(self.c, work).text));
        threads.unwrap_or_default()
    }

    /// A loop with its header.
    fn loop_with(&mut self, node: &For, header: String, depth: usize, setting: Setting) {
        let Setting { in_parallel, has_own, n_shared } = setting;
        if let ([Node::For(inner)], 1..) = (node.body.as_slice(), n_shared) {
            self.line(depth, &header);
            let setting = Setting { n_shared: n_shared - 1, ..setting };
            return self.bare_loop(inner, depth + 1, setting);
        }
        if let [Node::If(arms)] = node.body.as_slice()
            && !arms.otherwise.is_empty()
        {
            // Each arm has buffers of its own, so that those of full tiles stay in registers whatever the others do.
            let inside = Inside { in_parallel, buffers: &node.info.buffers };
            self.line(depth, &if has_own { header + " {" } else { header });
            if has_own {
                self.own_memory(depth + 1);
            }
            self.guard(arms, depth + 1, inside);
            if has_own {
                self.line(depth, "}");
            }
            return;
        }
        let has_variables = has_own || !node.info.buffers.is_empty();
        let braces = needs_braces(self.scop, &node.body) || has_variables;
        self.line(depth, &if braces { header + " {" } else { header });
        if has_own {
            self.own_memory(depth + 1);
        }
        self.buffers(&node.info.buffers, &node.body, depth + 1, in_parallel);
        self.nodes(&node.body, depth + 1, in_parallel, braces);
        if braces {
            self.line(depth, "}");
        }
    }

    /// The head of a loop, which is entered.
    fn header(&self, node: &For) -> String {
        let name = &node.iterator;
        let first = self.c.expr(&node.first);
        let (limit, bounds) = self.limit(node);
        let bounds = Bounds { first: first.value, ..bounds };
        let ty = self.c.enter_loop(node, bounds, stands_for_wide(self.scop, node));
        format!("for ({ty} {name} = {}; {name} {limit}; {})", first.text, step(name, node.step))
    }

    /// A loop whose iterations update copies of these elements. Where it has no iterations, nothing says that the elements are there.
    fn reduction(&mut self, node: &For, all: &[Reduced<'_>], depth: usize, in_parallel: bool) {
        let n_held = self.held.len();
        let mut stores = Vec::new();
        let mut inside = depth;
        if all.iter().any(|one| one.declared(self.scop).is_some()) {
            self.line(depth, "{");
            inside += 1;
            self.declared_reductions(all, inside);
        }
        let declared_at = inside;
        for one in all {
            let Some(held) = &one.held else { continue };
            if inside == declared_at {
                let is_some = self.has_more(node, 0);
                self.line(inside, &format!("if ({is_some}) {{"));
                inside += 1;
            }
            let element = self.printer(one.user).element(one.target);
            let Held { name, ty, back, .. } = held;
            let cast = |ty: Option<&String>| ty.map_or_else(String::new, |ty| format!("({ty})"));
            let to = cast(back.as_ref().map(|_| ty));
            self.line(inside, &format!("{ty} {name} = {to}{element};"));
            let store = format!("{element} = {}{name};", cast(back.as_ref()));
            stores.push(match one.selected_where(self.scop) {
                Some(op) => format!("if ({name} {} {element}) {store}", op.symbol()),
                None => store,
            });
        }
        let held = all.iter().filter_map(|one| Some((one.array, one.held.clone()?)));
        self.held.extend(held);
        let clause: String = all.iter().map(|one| self.reduction_clause(one)).collect();
        let in_lanes =
            node.info.kind.is_vector() && is_for_lanes(self.scop, &node.body, &node.info.reduced);
        if node.info.kind.is_parallel() && !in_parallel {
            let lanes = if in_lanes { " simd" } else { "" };
            self.parallel_loop(node, inside, (lanes, &clause));
        } else {
            let setting = Setting { in_parallel, has_own: false, n_shared: 0 };
            self.partial_sums(node, all, &clause, (inside, setting), inside > depth);
        }
        self.held.truncate(n_held);
        stores.iter().for_each(|store| self.line(inside, store));
        for at in (depth..inside).rev() {
            self.line(at, "}");
        }
    }

    /// The clause for an element that iterations update.
    fn reduction_clause(&self, one: &Reduced<'_>) -> String {
        let around = self.held.iter().find(|(array, _)| *array == one.array);
        let name = match around.map(|(_, held)| held) {
            Some(held) => held.name.as_str(),
            None => self.scop.arrays()[one.array].printed_name(),
        };
        let word = one.clause_word(self.scop);
        let word = if one.declared(self.scop).is_some() { self.c.name(&word) } else { word };
        format!(" reduction({word}: {name})")
    }

    /// The declarations of reductions that OpenMP does not have, one for each word.
    fn declared_reductions(&mut self, all: &[Reduced<'_>], depth: usize) {
        let mut by_word = BTreeMap::new();
        for one in all {
            if let Some(declared) = one.declared(self.scop) {
                by_word.insert(one.clause_word(self.scop), declared);
            }
        }
        for (word, Declared { types, function, neutral }) in by_word {
            let word = self.c.name(&word);
            let combined = format!("omp_out = {function}(omp_out, omp_in)");
            let begun = format!("initializer(omp_priv = {neutral})");
            let pragma = "#pragma omp declare reduction";
            self.line(depth, &format!("{pragma}({word}: {types}: {combined}) {begun}"));
        }
    }

    /// The declarations of buffers around `nodes` that are on the stack or one of a thread's own. They begin where lines of caches and vectors
    /// do. Variables are declared where they are set, if that stands right among `nodes`. What `nodes` do not use, as one arm of
    /// two may not, is not declared.
    fn buffers(&mut self, buffers: &[ArrayId], nodes: &[Node], depth: usize, in_parallel: bool) {
        for id in buffers.iter().filter(|id| n_uses(self.scop, nodes, **id) > 0) {
            let array = &self.scop.arrays()[*id];
            let extents = array.constant_extents().unwrap_or_default();
            let (ty, name) = (bare(&array.element.text), array.printed_name());
            let inner = bracketed(extents.get(1..).unwrap_or_default());
            let pointer = pointer(name, &inner);
            if array.rank() == 0 {
                match is_set_among(self.scop, nodes, *id) {
                    true => drop(self.fresh.insert(*id)),
                    false => self.line(depth, &format!("{ty} {name};")),
                }
                continue;
            }
            if self.memory.shared.contains(id) {
                continue;
            }
            if self.memory.own.contains(id) {
                // What is outside of parallel loops runs on one thread, whatever its number is.
                let is_numbered = in_parallel && self.options.target == Target::OpenMp;
                let own = if is_numbered { MINE } else { OWN };
                self.line(depth, &format!("{ty} {pointer} = {own}->{name};"));
                continue;
            }
            if extents.iter().product::<i64>() <= MAX_DIRECT {
                self.line(depth, &format!("{ty} {name}{} {ALIGNED};", bracketed(&extents)));
                continue;
            }
            self.line(depth, &format!("{ty} {name}_{} {ALIGNED};", bracketed(&extents)));
            self.line(depth, &format!("{ty} {pointer} = {name}_;"));
        }
    }

    /// The operator and bound of a loop's condition, strict or not, whichever has fewer constants, with what the bound says of the
    /// variable.
    fn limit(&self, node: &For) -> (String, Bounds) {
        let bounds = |limit: Value, by: i128| Bounds {
            first: limit,
            last: limit.plus(Value::number(by)),
            limit,
        };
        if let Some((start, least)) = distances(self.scop, node) {
            // How many iterations there are shows in the bound, so that compilers see that they stay in the tile.
            let bound = self.c.sum_of(&start, &least);
            return (format!("< {}", bound.text), bounds(bound.value, -1));
        }
        let (strict, weak, towards) = if node.step > 0 { ("<", "<=", -1) } else { (">", ">=", 1) };
        let reached = node.end.offset(towards);
        let is_number = node.end.as_int().is_some();
        let prefer_weak =
            if is_number { node.step < 0 } else { n_constants(&reached) < n_constants(&node.end) };
        if prefer_weak {
            let bound = self.c.expr(&reached);
            return (format!("{weak} {}", bound.within(Binding::Sum)), bounds(bound.value, 0));
        }
        let bound = self.c.expr(&node.end);
        let text = format!("{strict} {}", bound.within(Binding::Sum));
        (text, bounds(bound.value, towards.into()))
    }

    /// A guard.
    fn guard(&mut self, node: &If, depth: usize, inside: Inside<'_>) {
        let header = format!("if ({})", self.c.cond(&node.condition).text);
        self.arms(&header, node, depth, inside);
    }

    /// The arms of a guard; chains of `else if` stay flat.
    fn arms(&mut self, header: &str, node: &If, depth: usize, inside: Inside<'_>) {
        let in_parallel = inside.in_parallel;
        let braces = !inside.buffers.is_empty()
            || needs_braces(self.scop, &node.then)
            || !node.otherwise.is_empty() && !matches!(node.then.as_slice(), [Node::User(_)])
            || ends_in_else(self.scop, &node.then);
        self.line(depth, &if braces { format!("{header} {{") } else { header.to_owned() });
        self.buffers(inside.buffers, &node.then, depth + 1, in_parallel);
        let outside = self.c.depth();
        self.c.enter_guard(&node.condition);
        self.nodes(&node.then, depth + 1, in_parallel, braces);
        self.c.leave(&outside);
        let close = if braces { "} else" } else { "else" };
        match node.otherwise.as_slice() {
            [] if braces => self.line(depth, "}"),
            [] => {}
            [Node::If(inner)] => {
                let header = format!("{close} if ({})", self.c.cond(&inner.condition).text);
                self.arms(&header, inner, depth, inside);
            }
            _ => {
                self.line(depth, &format!("{close} {{"));
                self.buffers(inside.buffers, &node.otherwise, depth + 1, in_parallel);
                self.nodes(&node.otherwise, depth + 1, in_parallel, true);
                self.line(depth, "}");
            }
        }
    }

    /// A statement instance.
    fn user(&mut self, user: &User, depth: usize) {
        let lines = self.body(user);
        self.at_statement(user, |printer| {
            lines.iter().for_each(|line| printer.line(depth + line.depth, &line.text));
        });
    }

    /// What prints a statement instance.
    fn printer<'b>(&'b self, user: &'b User) -> BodyPrinter<'b> {
        let stmt = &self.scop.stmts()[user.stmt];
        BodyPrinter {
            scop: self.scop,
            stmt,
            user,
            c: self.c,
            held: &self.held,
            is_unswitched: self.is_unswitched,
            element: None,
        }
    }

    /// The lines of a statement instance, which declares the variable that it sets where nothing did so before.
    fn body(&mut self, user: &User) -> Vec<Line> {
        let mut lines = self.printer(user).lines();
        if let Some(target) = set_by(self.scop, user)
            && self.fresh.remove(&target)
            && let Some(first) = lines.first_mut()
        {
            let ty = bare(&self.scop.arrays()[target].element.text);
            first.text = format!("{ty} {}", first.text);
        }
        lines
    }
}

/// Whether the variable of a loop stands for an iterator of the user's that is wider than `int`, whose expressions are to stay
/// as wide.
fn stands_for_wide(scop: &Scop, node: &For) -> bool {
    let mut is_wide = false;
    node.body.iter().for_each(|inner| {
        inner.for_each_user(&mut |user| {
            let iterators = scop.stmts()[user.stmt].iterators.iter().zip(&user.values);
            let mut wide = iterators.filter(|(iterator, _)| width(&iterator.ty) > Width::Int);
            is_wide |= wide.any(|(_, value)| value.mentions(&node.iterator));
        });
    });
    is_wide
}

/// Where a loop over a partial tile in a buffer starts, or the tile does, and how many iterations there are at most from
/// there, as the least of several numbers; `None` for other loops.
fn distances(scop: &Scop, node: &For) -> Option<(Expr, Expr)> {
    let [(Term::Min(ends), 1)] = node.end.terms() else { return None };
    let starts = match node.first.terms() {
        [(Term::Max(starts), 1)] if node.first.constant() == 0 => starts.as_slice(),
        _ => std::slice::from_ref(&node.first),
    };
    let mut is_tile = node.step == 1 && node.end.constant() == 0 && !node.info.kind.is_parallel();
    let mut look = |user: &User| is_tile &= has_buffer(scop, user, 1);
    node.body.iter().for_each(|inner| inner.for_each_user(&mut look));
    let is_size = |start: &&Expr| ends.iter().any(|end| end.minus(start).as_int().is_some());
    let start = starts.iter().find(is_size).filter(|_| is_tile)?;
    Some((start.clone(), Expr::min(ends.iter().map(|end| end.minus(start)).collect())))
}

/// The most elements of a buffer that is used by its name. Larger ones are used through a pointer that says that nothing else
/// points to them: gcc does not look through local arrays for it, and reads sums from memory again after each use of one.
const MAX_DIRECT: i64 = 1024;

/// The declaration of a variable of the region. Scalars start at zero: in the new order compilers may not see that
/// they are always set before they are read, and would say so.
fn initialized(array: &Array) -> Option<String> {
    let declaration = array.declaration.clone()?;
    let is_number = array.element.kind != ElementKind::Other;
    match declaration.strip_suffix(';') {
        Some(declared) if array.rank() == 0 && is_number => Some(format!("{declared} = 0;")),
        _ => Some(declaration),
    }
}

/// The array that a statement sets an element of, where it does nothing else.
fn set_by(scop: &Scop, user: &User) -> Option<ArrayId> {
    let stmt = &scop.stmts()[user.stmt];
    match stmt.body.as_slice() {
        [BodyStmt::Assign { target, op: AssignOp::Set, .. }] => Some(stmt.accesses[*target].array),
        _ => None,
    }
}

/// Whether the first of some nodes that uses a variable is a statement that sets it.
fn is_set_among(scop: &Scop, nodes: &[Node], variable: ArrayId) -> bool {
    let uses = |node: &Node| n_uses(scop, std::slice::from_ref(node), variable);
    match nodes.iter().find(|node| uses(node) > 0) {
        Some(node @ Node::User(user)) => set_by(scop, user) == Some(variable) && uses(node) == 1,
        _ => false,
    }
}

/// How many accesses of the statements below some nodes are to an array.
fn n_uses(scop: &Scop, nodes: &[Node], array: ArrayId) -> usize {
    let mut n = 0;
    let mut look = |user: &User| {
        n += scop.stmts()[user.stmt].accesses.iter().filter(|access| access.array == array).count();
    };
    nodes.iter().for_each(|node| node.for_each_user(&mut look));
    n
}

/// The third part of a loop's header.
fn step(name: &str, step: i64) -> String {
    match step {
        1 => format!("{name}++"),
        -1 => format!("{name}--"),
        step if step > 0 => format!("{name} += {step}"),
        step => format!("{name} -= {}", step.unsigned_abs()),
    }
}

/// How many constants a reader of a bound sees.
fn n_constants(expr: &Expr) -> usize {
    let inner: usize = expr
        .terms()
        .iter()
        .map(|(term, _)| match term {
            Term::Min(es) | Term::Max(es) => es.iter().map(n_constants).sum(),
            Term::Div(e, ..) | Term::Mod(e, ..) => n_constants(e),
            Term::Select(_, a, b) => n_constants(a) + n_constants(b),
            Term::Param(_) | Term::Iterator(_) => 0,
        })
        .sum();
    inner + usize::from(expr.constant() != 0)
}
