//! A whole region.

mod conditions;
mod lanes;
mod loops;
mod rare;
mod reductions;
pub(crate) mod rows;
mod scalars;
mod storage;
mod unswitch;
mod walks;

use crate::body::{BodyPrinter, Line, bare};
use crate::braces::{ends_in_else, needs_braces};
use crate::comment::facts;
use crate::dialect::{C, Misfits};
use crate::guards::cond_text;
use crate::memory::Memory;
use crate::options::{First, MacroGuard, Options, Places};
use crate::ranges::Ranges;
use crate::reduction::Held;
use farkas_astgen::{Ast, Binding, Dialect, If, Node, User};
use farkas_scop::{ArrayId, Scop};
use rows::InRows;
use std::collections::BTreeSet;
use std::fmt::Write;
use storage::set_by;

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
        rows: Vec::new(),
        keeps: false,
        around: BTreeSet::new(),
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

/// How many threads there may be.
const THREADS: &str = "farkas_threads";

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
    /// What local arrays stand for while vector loops run.
    rows: Vec<InRows>,
    /// Whether variables are to hold elements that loops update which are written out.
    keeps: bool,
    /// What the loop around writes.
    around: BTreeSet<ArrayId>,
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

    /// Buffers and loops.
    fn body_of(&mut self, ast: &Ast, depth: usize) {
        self.buffers(&ast.buffers, &ast.body, depth, false);
        self.mark("scop");
        for (i, node) in ast.body.iter().enumerate() {
            self.comment(i, node, depth);
            self.node(node, depth, false);
        }
        self.mark("endscop");
        for statement in &self.options.last {
            self.line(depth, statement);
        }
    }

    /// The pragma before the loops, or after them, where they are to have it.
    fn mark(&mut self, word: &str) {
        if self.options.is_marked {
            self.line(0, &format!("#pragma {word}"));
        }
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
            rows: &self.rows,
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
