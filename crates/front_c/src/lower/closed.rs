//! Closed forms of the integer variables that a region sets.
//!
//! After `int m = n / 2;` the bound `i < m` is `i < n / 2`; in a loop over `i` that ends with `k += 2`, the subscript `x[k]` is
//! `x[k + 2 * i]`, with the `k` from before the loop; after `j = i + 1`, `x[j]` is `x[i + 1]`. Variables of which bounds, conditions
//! or subscripts are made are replaced by such values. Where all that the region reads of a variable is known and nobody
//! reads it later, its assignments disappear: what is left of it is the value from before the region, a parameter. Other
//! variables keep their assignments, and are replaced in bounds, conditions and subscripts alone.

use super::final_values::mentions;
use super::hir::{Assign, Declare, Expr, ExprKind, If, Loop, Node, VarId};
use super::induction;
use super::parse::Parser;
use super::pure::{Substitution, converted};
use super::vars::{Var, Vars};
use crate::source::Symbol;
use farkas_scop::{ArrayScope, AssignOp, Taken};
use std::collections::{BTreeMap, BTreeSet};

/// Larger values stay in their variables.
const MAX_SIZE: usize = 200;

impl Parser<'_, '_> {
    /// Replaces variables by closed forms in `nodes`.
    pub(super) fn closed(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        let candidates: BTreeSet<VarId> = used_as_index(&nodes)
            .into_iter()
            .chain(self.pointer_counters())
            .filter(|v| self.is_candidate(*v) && !is_set_in_inner_loops(&nodes, *v))
            .collect();
        if candidates.is_empty() {
            return nodes;
        }
        let ends = |v: &VarId| {
            let var = &self.vars[*v];
            var.scope == ArrayScope::Region || !self.table.is_live_after(&var.name)
        };
        let mut dropped: BTreeSet<VarId> = candidates.iter().copied().filter(ends).collect();
        let found = loop {
            let first: Substitution = candidates
                .iter()
                .filter_map(|v| Some((*v, self.value_before(*v, dropped.contains(v))?)))
                .collect();
            let mut closer = Closer::new(&self.vars, &candidates, &dropped, first);
            let found = closer.nodes(nodes.clone());
            if closer.unknown.is_empty() {
                break found;
            }
            dropped = &dropped - &closer.unknown;
        };
        for var in dropped {
            self.vars[var].writes.clear();
        }
        self.loops_begin_somewhere(&found);
        found
    }

    /// Refuses loops of which it is not known where they start.
    fn loops_begin_somewhere(&mut self, nodes: &[Node]) {
        let mut unknown = Vec::new();
        let mut look = |n: &Node| {
            if let Node::Loop(l) = n
                && mentions(&l.init, l.var)
            {
                unknown.push(l.span);
            }
        };
        nodes.iter().for_each(|node| node.walk(&mut look));
        unknown.into_iter().for_each(|header| self.no_first_value(header));
    }

    /// The value that a variable from outside has when the region begins: a number if the function shows one, what the variable
    /// is as a parameter if all its assignments are dropped, else what is read from it in front of the region.
    fn value_before(&mut self, var: VarId, is_dropped: bool) -> Option<Expr> {
        let v = &self.vars[var];
        if v.scope == ArrayScope::Region {
            return None;
        }
        let (ty, span, is_iterator) = (v.element.kind, v.span, v.is_iterator);
        let symbol = v.symbol.clone().filter(|symbol| {
            !symbol.storage.is_static
                && !self.runs_again_within(symbol)
                && self.is_unchanged_since(&symbol.name, symbol.identifier.end_byte())
        });
        let value = symbol.and_then(|symbol| symbol.initializer);
        let value = value.and_then(|value| self.expression_in(value, BTreeMap::new()));
        if let Some(number) = value.filter(|value| value.constant().is_some()) {
            return Some(converted(number, &self.vars[var].element));
        }
        // What the region leaves in it is what it finds there when it runs again.
        let is_left =
            |symbol: Option<Symbol<'_>>| symbol.is_some_and(|s| self.runs_again_within(&s));
        let of = match is_dropped && !is_iterator {
            true if is_left(self.vars[var].symbol.clone()) => return None,
            true => var,
            false => self.read_before(var)?,
        };
        Some(Expr { kind: ExprKind::Scalar(of), ty, span })
    }

    /// The variable that has, throughout the region, the value of `var` from before it.
    fn read_before(&mut self, var: VarId) -> Option<VarId> {
        let v = &self.vars[var];
        let (name, element, span) = (v.name.clone(), v.element.clone(), v.span);
        let home = format!("first {name}");
        if let Some(known) = self.outer.get(&home) {
            return *known;
        }
        let first = self.free_name(&format!("{name}_first"));
        self.taken.push(Taken {
            name: first.clone(),
            ty: format!("const {} ", element.text),
            home: name,
            within: None,
        });
        let made = Var { scope: ArrayScope::Local, ..Var::made(first, element, span) };
        let made = self.vars.push(made);
        self.outer.insert(home, Some(made));
        Some(made)
    }

    /// Whether a variable is an integer that the region alone changes.
    fn is_candidate(&self, var: VarId) -> bool {
        let v = &self.vars[var];
        let is_own = match v.scope {
            ArrayScope::Region => true,
            ArrayScope::Local | ArrayScope::Parameter => !self.table.is_address_taken(&v.name),
            _ => false,
        };
        let is_set = !v.writes.is_empty() || v.is_iterator;
        v.rank() == 0 && v.element.kind.is_integer() && is_own && !v.is_taken && is_set
    }
}

/// The scalars in bounds, conditions and subscripts, and those of which such scalars are made.
fn used_as_index(nodes: &[Node]) -> BTreeSet<VarId> {
    let mut used = BTreeSet::new();
    loop {
        let before = used.len();
        nodes.iter().for_each(|node| node.walk(&mut |n| used_by(n, &mut used)));
        if used.len() == before {
            return used;
        }
    }
}

/// Adds those of a node itself.
fn used_by(node: &Node, used: &mut BTreeSet<VarId>) {
    let all = |e: &Expr, used: &mut BTreeSet<VarId>| e.walk(&mut |e| used.extend(e.scalar()));
    match node {
        Node::Loop(l) => {
            all(&l.init, used);
            all(&l.condition, used);
        }
        Node::If(i) => all(&i.condition, used),
        Node::Assign(a) => {
            in_subscripts(&a.target, used);
            in_subscripts(&a.value, used);
            if a.target.scalar().is_some_and(|target| used.contains(&target)) {
                all(&a.value, used);
            }
        }
        Node::Declare(Declare { var, value: Some(value), .. }) => {
            in_subscripts(value, used);
            if used.contains(var) {
                all(value, used);
            }
        }
        Node::Inner(inner) => inner.condition.iter().for_each(|c| all(c, used)),
        Node::Declare(_) | Node::Block(_) | Node::Break(_) | Node::Continue(_) => {}
    }
}

fn in_subscripts(expr: &Expr, used: &mut BTreeSet<VarId>) {
    expr.walk(&mut |e| {
        if let ExprKind::Element(_, subscripts) = &e.kind {
            for subscript in subscripts {
                subscript.walk(&mut |s| used.extend(s.scalar()));
            }
        }
    });
}

/// Whether a loop that is no static control sets the variable.
fn is_set_in_inner_loops(nodes: &[Node], var: VarId) -> bool {
    let mut found = false;
    let mut look = |node: &Node| {
        if let Node::Inner(inner) = node {
            let all = inner.first.iter().chain(&inner.body).chain(&inner.step);
            found |= all.into_iter().any(|node| sets(node, var));
        }
    };
    nodes.iter().for_each(|node| node.walk(&mut look));
    found
}

/// Whether a node sets the variable, declares it or loops over it.
pub(super) fn sets(node: &Node, var: VarId) -> bool {
    let mut found = false;
    node.walk(&mut |n| {
        found |= match n {
            Node::Assign(a) => a.target.scalar() == Some(var),
            Node::Declare(d) => d.var == var,
            Node::Loop(l) => l.var == var,
            _ => false,
        }
    });
    found
}

/// The walk that keeps track of values.
pub(super) struct Closer<'a> {
    pub(super) vars: &'a Vars<'a>,
    candidates: &'a BTreeSet<VarId>,
    /// Those whose assignments disappear.
    dropped: &'a BTreeSet<VarId>,
    /// What is known at the present place.
    pub(super) values: Substitution,
    /// The iterators of the loops around it.
    pub(super) active: Vec<VarId>,
    /// Variables without assignments that are read where their values are not known.
    unknown: BTreeSet<VarId>,
}

impl<'a> Closer<'a> {
    /// At the begin of the region, variables have the values `first`.
    fn new(
        vars: &'a Vars<'a>,
        candidates: &'a BTreeSet<VarId>,
        dropped: &'a BTreeSet<VarId>,
        values: Substitution,
    ) -> Self {
        Self { vars, candidates, dropped, values, active: Vec::new(), unknown: BTreeSet::new() }
    }

    fn nodes(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        nodes.into_iter().filter_map(|n| self.node(n)).collect()
    }

    fn node(&mut self, node: Node) -> Option<Node> {
        Some(match node {
            Node::Loop(l) => Node::Loop(Box::new(self.counted(*l))),
            Node::If(i) => Node::If(Box::new(self.branch(*i))),
            Node::Assign(a) => Node::Assign(Box::new(self.assigned(*a)?)),
            Node::Declare(d) => Node::Declare(self.declared(d)?),
            Node::Block(nodes) => Node::Block(self.nodes(nodes)),
            Node::Inner(mut inner) => {
                inner.first = self.nodes(inner.first);
                inner.condition = inner.condition.map(|c| self.index(&c));
                inner.step = self.nodes(inner.step);
                inner.body = self.nodes(inner.body);
                Node::Inner(inner)
            }
            jump @ (Node::Break(_) | Node::Continue(_)) => jump,
        })
    }

    fn branch(&mut self, mut i: If) -> If {
        i.condition = self.index(&i.condition);
        let before = self.values.clone();
        i.then = self.nodes(i.then);
        let mut then = std::mem::replace(&mut self.values, before);
        i.otherwise = self.nodes(i.otherwise);
        then.retain(|var, value| self.values.get(var).is_some_and(|other| other.is_same(value)));
        self.values = then;
        i
    }

    fn assigned(&mut self, a: Assign) -> Option<Assign> {
        let var = a.target.scalar().filter(|v| self.candidates.contains(v));
        let Some(var) = var else {
            return Some(Assign { target: self.data(&a.target), value: self.data(&a.value), ..a });
        };
        let value = match a.op {
            AssignOp::Set => a.value.clone(),
            AssignOp::Compound(op) => {
                super::expr::binary(op, a.target.clone(), a.value.clone(), a.span)
            }
        };
        let kept =
            (!self.dropped.contains(&var)).then(|| Assign { value: self.data(&a.value), ..a });
        self.set(var, &value);
        kept
    }

    fn declared(&mut self, d: Declare) -> Option<Declare> {
        let Declare { var, value, span } = d;
        let kept = (!self.dropped.contains(&var)).then(|| Declare {
            var,
            value: value.as_ref().map(|v| self.data(v)),
            span,
        });
        match value.filter(|_| self.candidates.contains(&var)) {
            Some(value) => self.set(var, &value),
            None => drop(self.values.remove(&var)),
        }
        kept
    }

    /// Notes that a variable has the value of an expression now.
    fn set(&mut self, var: VarId, value: &Expr) {
        let is_known = self.is_known(value);
        let value = value.substituted(&self.values);
        if is_known && self.is_fixed(&value) {
            self.values.insert(var, converted(value, &self.vars[var].element));
        } else {
            self.values.remove(&var);
        }
    }

    /// Whether the values of all variables without assignments in an expression are known here.
    pub(super) fn is_known(&self, expr: &Expr) -> bool {
        let mut known = true;
        expr.walk(&mut |e| known &= e.scalar().is_none_or(|var| !self.is_unknown(var)));
        known
    }

    /// Whether a variable has no assignments any more, and its value is not known here.
    fn is_unknown(&self, var: VarId) -> bool {
        self.dropped.contains(&var)
            && !self.values.contains_key(&var)
            && !self.active.contains(&var)
    }

    /// Whether a value is small, and made of constants, of iterators of the loops around and of what the region does not change.
    pub(super) fn is_fixed(&self, value: &Expr) -> bool {
        let mut fixed = value.size(MAX_SIZE) <= MAX_SIZE;
        value.walk(&mut |e| {
            fixed &= e.ty.is_integer()
                && match &e.kind {
                    ExprKind::Scalar(var) => self.is_fixed_scalar(*var),
                    ExprKind::Element(..) | ExprKind::Float(_) | ExprKind::Verbatim(_) => false,
                    ExprKind::Call { value, .. } => value.is_some(),
                    _ => true,
                };
        });
        fixed
    }

    fn is_fixed_scalar(&self, var: VarId) -> bool {
        let v = &self.vars[var];
        match v.is_iterator {
            true => self.active.contains(&var),
            false => v.can_be_parameter() || self.dropped.contains(&var),
        }
    }

    /// A loop: in its body, what it sets has the values with which an iteration begins.
    fn counted(&mut self, mut l: Loop) -> Loop {
        l.init = self.index(&l.init);
        self.values.remove(&l.var);
        let set: Vec<VarId> = self
            .candidates
            .iter()
            .copied()
            .filter(|v| l.body.iter().any(|n| sets(n, *v)))
            .collect();
        let before = self.values.clone();
        // The condition is asked again and again, with what the body leaves.
        self.values.retain(|var, _| !set.contains(var));
        self.active.push(l.var);
        l.condition = self.index(&l.condition);
        self.active.pop();
        self.values.clone_from(&before);
        let steps = induction::steps(self, &l, &set);
        self.values.retain(|var, _| !set.contains(var));
        self.active.push(l.var);
        for (var, step) in &steps {
            let value = step.in_iteration(self, &l).filter(|value| self.is_fixed(value));
            self.values.extend(value.map(|value| (*var, value)));
        }
        induction::assume_iterations(&l, &mut self.values);
        let (at_begin, unknown) = (self.values.clone(), self.unknown.clone());
        let mut body = self.nodes(l.body.clone());
        let carried = self.carried(&l, &set, (&before, &at_begin));
        if self.unknown != unknown && !carried.is_empty() {
            self.values = at_begin;
            self.values.extend(carried);
            self.unknown = unknown;
            body = self.nodes(l.body.clone());
        }
        self.active.pop();
        self.leave(&l, &set, before, &steps);
        Loop { body, ..l }
    }

    /// The values with which iterations begin of variables that each iteration leaves to the next.
    fn carried(
        &self,
        l: &Loop,
        set: &[VarId],
        (before, at_begin): (&Substitution, &Substitution),
    ) -> Substitution {
        let carried = |var: &VarId| {
            let (first, last) = (before.get(var)?, self.values.get(var)?);
            let iterator = &self.vars[l.var].element;
            let value = induction::from_iteration_before(l, iterator, first, last)?;
            self.is_fixed(&value).then(|| (*var, converted(value, &self.vars[*var].element)))
        };
        set.iter().filter(|var| !at_begin.contains_key(*var)).filter_map(carried).collect()
    }

    /// Goes on behind a loop.
    fn leave(
        &mut self,
        l: &Loop,
        set: &[VarId],
        before: Substitution,
        steps: &[(VarId, induction::Step)],
    ) {
        let mut after = before.clone();
        after.remove(&l.var);
        let iterator =
            induction::iterator_after(self, l).filter(|_| self.candidates.contains(&l.var));
        after.extend(iterator.filter(|value| self.is_fixed(value)).map(|value| (l.var, value)));
        for var in set {
            let by_step = steps.iter().find(|(of, _)| of == var);
            let value = match by_step {
                Some((_, step)) => step.after(self, l),
                None => {
                    let values = before.get(var).zip(self.values.get(var));
                    values.and_then(|(first, last)| induction::from_last_iteration(l, first, last))
                }
            };
            after.remove(var);
            if let Some(value) = value.filter(|value| self.is_fixed(value)) {
                after.insert(*var, converted(value, &self.vars[*var].element));
            }
        }
        self.values = after;
    }

    /// A bound, condition or subscript.
    fn index(&mut self, expr: &Expr) -> Expr {
        self.note_unknown(expr);
        expr.substituted(&self.values)
    }

    /// An expression of data: in its subscripts all is replaced that is known, elsewhere what has no assignments left.
    fn data(&mut self, expr: &Expr) -> Expr {
        self.note_unknown(expr);
        expr.substituted_where(&self.values, &|var| self.dropped.contains(&var))
    }

    fn note_unknown(&mut self, expr: &Expr) {
        expr.walk(&mut |e| {
            if let Some(var) = e.scalar().filter(|var| self.is_unknown(*var)) {
                self.unknown.insert(var);
            }
        });
    }
}
