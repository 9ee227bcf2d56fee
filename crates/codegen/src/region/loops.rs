//! Loops with their pragmas.

use super::rows::written;
use super::storage::OWN;
use super::{Inside, Printer};
use crate::braces::needs_braces;
use crate::clauses::{copies_clause, has_buffer, is_for_lanes, private_clause};
use crate::dialect::Bounds;
use crate::options::Target;
use crate::reduction::reduced;
use crate::threads::work_text;
use crate::types::{Width, width};
use crate::zero::from_zero;
use farkas_astgen::{Binding, Dialect, Expr, For, Node, Term, User, Value};
use farkas_scop::{ArrayScope, Scop};

/// What surrounds the body of a loop.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// A parallel loop.
    pub(super) in_parallel: bool,
    /// Whether the loop is the one in which threads find their own memory.
    pub(super) has_own: bool,
    /// How many of the loops inside threads share with it.
    pub(super) n_shared: usize,
}

impl Printer<'_> {
    /// A loop, with the condition around it that all its iterations share.
    pub(super) fn loop_(&mut self, node: &For, depth: usize, in_parallel: bool) {
        let Some(condition) = self.unswitched(node) else {
            return self.plain_loop(node, depth, in_parallel);
        };
        self.line(depth, &format!("if ({condition}) {{"));
        self.is_unswitched = true;
        self.plain_loop(node, depth + 1, in_parallel);
        self.is_unswitched = false;
        self.line(depth, "}");
    }

    /// A loop by itself, behind what it uses of the rows in it.
    pub(super) fn plain_loop(&mut self, node: &For, depth: usize, in_parallel: bool) {
        let is_in_lanes = self.options.target == Target::OpenMp
            && node.info.kind.is_vector()
            && (in_parallel || !node.info.kind.is_parallel());
        let n_rows = self.rows.len();
        let rows = if is_in_lanes { self.rows_to_keep(node) } else { None };
        let keeps = if is_in_lanes { rows.is_some() } else { self.keeps };
        let rows = rows.filter(|all| !all.is_empty());
        let has_rows = rows.is_some();
        if let Some(all) = rows {
            self.rows_before(node, all, depth);
        }
        let keeps_around = std::mem::replace(&mut self.keeps, keeps);
        let around = std::mem::replace(&mut self.around, written(self.scop, node));
        self.loop_alone(node, depth + usize::from(has_rows), in_parallel);
        (self.keeps, self.around) = (keeps_around, around);
        if has_rows {
            self.rows.truncate(n_rows);
            self.line(depth, "}");
        }
    }

    /// A loop by itself.
    fn loop_alone(&mut self, node: &For, depth: usize, in_parallel: bool) {
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
        let setting = Setting { in_parallel, has_own: false, n_shared: 0 };
        match node.decisions(self.scop) {
            Some(decisions) => self.rare_loop(node, &decisions, depth, setting),
            None => self.keeping_loop(node, depth, setting),
        }
    }

    /// A loop whose iterations threads share.
    pub(super) fn parallel_loop(
        &mut self,
        node: &For,
        depth: usize,
        (lanes, clause): (&str, &str),
    ) {
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
    pub(super) fn bare_loop(&mut self, node: &For, depth: usize, setting: Setting) {
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
    pub(super) fn kept_values(&self) -> impl Iterator<Item = &str> {
        let arrays = self.scop.arrays().iter_enumerated();
        let allocated = arrays
            .filter(|(id, a)| a.scope == ArrayScope::Expanded || self.memory.shared.contains(id))
            .map(|(_, array)| array.printed_name());
        self.options.kept.iter().map(String::as_str).chain(allocated).chain([OWN])
    }

    /// When a loop runs on several threads.
    pub(super) fn threads_clause(&self, node: &For) -> String {
        let threads = node.info.threads.as_ref();
        let threads = threads.map(|work| format!(" if ({})", work_text(self.c, work).text));
        threads.unwrap_or_default()
    }

    /// A loop with its header.
    pub(super) fn loop_with(&mut self, node: &For, header: String, depth: usize, setting: Setting) {
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
    pub(super) fn header(&self, node: &For) -> String {
        let name = &node.iterator;
        let first = self.c.expr(&node.first);
        let (limit, bounds) = self.limit(node);
        let bounds = Bounds { first: first.value, ..bounds };
        let ty = self.c.enter_loop(node, bounds, stands_for_wide(self.scop, node));
        format!("for ({ty} {name} = {}; {name} {limit}; {})", first.text, step(name, node.step))
    }

    /// The operator and bound of a loop's condition, strict or not, whichever has fewer constants, with what the bound says of the
    /// variable.
    pub(super) fn limit(&self, node: &For) -> (String, Bounds) {
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
}

/// Whether the variable of a loop stands for an iterator of the user's that is wider than `int`, whose expressions are to stay
/// as wide.
pub(super) fn stands_for_wide(scop: &Scop, node: &For) -> bool {
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
pub(super) fn distances(scop: &Scop, node: &For) -> Option<(Expr, Expr)> {
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

/// The third part of a loop's header.
pub(super) fn step(name: &str, step: i64) -> String {
    match step {
        1 => format!("{name}++"),
        -1 => format!("{name}--"),
        step if step > 0 => format!("{name} += {step}"),
        step => format!("{name} -= {}", step.unsigned_abs()),
    }
}

/// How many constants a reader of a bound sees.
pub(super) fn n_constants(expr: &Expr) -> usize {
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
