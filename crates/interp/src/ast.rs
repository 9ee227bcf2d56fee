//! The order that a loop AST gives.

use crate::affine::{Function, Points};
use crate::order::{Copies, Role, arrays_named, names, undefined};
use crate::random::Random;
use crate::tree::Interleaving;
use crate::{Error, Instance, Order, Params, Result};
use farkas_astgen::{Ast, Cond, Expr, For, Node, User, UserKind};
use farkas_base::IdVec;
use farkas_scop::{Scop, StmtId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The instances of `scop` in the order of `ast`, loops run as their bounds and steps say. Where instances of parallel,
/// vector or coincident loops are interleaved, it is as in [`tree_order`](crate::tree_order).
///
/// What an AST runs beyond domains has a role that says so. The values that a statement's instance gives the user's iterators must be those of the scop.
///
/// # Errors
/// When a bound, guard or argument has no value, a value of a user's iterator is another one than the scop's, or more
/// instances or empty iterations are run than `params` allows.
pub fn ast_order(
    scop: &Scop,
    ast: &Ast,
    params: &Params,
    interleaving: Interleaving,
) -> Result<Order> {
    let (random, coincident) = interleaving.random();
    let code = Code::of(scop, params, params.max_instances().saturating_mul(16))?;
    let mut walk = Walk { code, copies: Copies::default(), random, coincident };
    let instances = walk.run(&ast.body)?;
    Ok(Order { instances, copies: walk.copies })
}

/// A walk through the code.
struct Walk<'a> {
    code: Code<'a>,
    copies: Copies,
    random: Option<Random>,
    coincident: bool,
}

impl Walk<'_> {
    /// The instances of nodes that run one after another.
    fn run(&mut self, nodes: &[Node]) -> Result<Vec<Instance>> {
        let mut instances = Vec::new();
        for node in nodes {
            match node {
                Node::For(node) => instances.extend(self.repeat(node)?),
                Node::If(node) => {
                    let holds = self.code.holds(&node.condition)?;
                    let branch = if holds { &node.then } else { &node.otherwise };
                    instances.extend(self.run(branch)?);
                }
                Node::Block(node) => {
                    let inside = self.run(&node.body)?;
                    self.copies.give(&node.buffers, &inside);
                    instances.extend(inside);
                }
                Node::User(user) => {
                    self.code.step()?;
                    instances.push(self.code.instance(user)?);
                }
            }
        }
        Ok(instances)
    }

    /// The instances of a loop.
    fn repeat(&mut self, node: &For) -> Result<Vec<Instance>> {
        let mut private = arrays_named(self.code.scop, &node.info.private)?;
        private.extend(&node.info.buffers);
        let outer = self.code.value_of(&node.iterator);
        let mut parts = Vec::new();
        for at in self.code.iterations(node)? {
            self.code.step()?;
            self.code.set(&node.iterator, Some(at));
            let iteration = self.run(&node.body)?;
            self.copies.give(&private, &iteration);
            parts.push(iteration);
        }
        self.code.set(&node.iterator, outer);
        let kind = node.info.kind;
        let marked = kind.is_parallel() || kind.is_vector() || node.info.divided.is_some();
        let concurrent = marked || (self.coincident && node.info.coincident);
        Ok(match self.random.as_mut().filter(|_| concurrent) {
            Some(random) => random.interleave(parts),
            None => parts.concat(),
        })
    }
}

/// What code says at fixed values of parameters and of the iterators around a place.
pub(crate) struct Code<'a> {
    pub(crate) scop: &'a Scop,
    names: IdVec<StmtId, Rc<str>>,
    params: &'a Params,
    /// The domains of statements that may run beyond them, as far as they were asked for.
    domains: BTreeMap<StmtId, Points>,
    iterators: IdVec<StmtId, Vec<Function>>,
    /// Parameters and surrounding iterators.
    values: BTreeMap<String, i64>,
    steps_left: usize,
}

impl<'a> Code<'a> {
    /// The code of a scop, of which at most so many iterations and instances are run.
    pub(crate) fn of(scop: &'a Scop, params: &'a Params, max_steps: usize) -> Result<Self> {
        params.check(scop)?;
        let iterators = |stmt: &farkas_scop::Statement| -> Result<Vec<Function>> {
            stmt.iterators.iter().map(|i| Function::new(&i.value, params)).collect()
        };
        Ok(Self {
            scop,
            names: names(scop),
            params,
            domains: BTreeMap::new(),
            iterators: scop.stmts().iter().map(iterators).collect::<Result<_>>()?,
            values: params.iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            steps_left: max_steps,
        })
    }

    /// The value of an iterator around, or of a parameter.
    pub(crate) fn value_of(&self, name: &str) -> Option<i64> {
        self.values.get(name).copied()
    }

    /// Gives an iterator a value, or none.
    pub(crate) fn set(&mut self, iterator: &str, value: Option<i64>) {
        match (value, self.values.get_mut(iterator)) {
            (Some(value), Some(known)) => *known = value,
            (Some(value), None) => drop(self.values.insert(iterator.to_owned(), value)),
            (None, _) => drop(self.values.remove(iterator)),
        }
    }

    /// The values that a loop runs through.
    pub(crate) fn iterations(
        &self,
        node: &For,
    ) -> Result<impl std::iter::Iterator<Item = i64> + use<>> {
        if node.step == 0 {
            return Err(Error::Ast(format!("the step of {} is zero", node.iterator)));
        }
        let (first, end, step) = (self.value(&node.first)?, self.value(&node.end)?, node.step);
        let is_inside = move |at: &i64| if step > 0 { *at < end } else { *at > end };
        let next = move |at: &i64| at.checked_add(step).filter(is_inside);
        Ok(std::iter::successors(Some(first).filter(is_inside), next))
    }

    /// What a place of the code runs, at a point.
    fn role(&mut self, user: &User, at: &[i64]) -> Result<Role> {
        Ok(match user.kind {
            UserKind::Instance => Role::Instance,
            UserKind::Cleared => Role::Clear,
            UserKind::Padded => {
                if !self.domains.contains_key(&user.stmt) {
                    let domain = &self.scop.stmts()[user.stmt].domain;
                    self.domains.insert(user.stmt, Points::new(domain, self.params)?);
                }
                match self.domains[&user.stmt].contains(at)? {
                    true => Role::Instance,
                    false => Role::Ghost,
                }
            }
        })
    }

    /// The instance that a statement is here.
    pub(crate) fn instance(&mut self, user: &User) -> Result<Instance> {
        let name = self.names.get(user.stmt);
        let name = Rc::clone(name.ok_or_else(|| Error::NoStatement(user.stmt.to_string()))?);
        let all = |exprs: &[Expr]| -> Result<Vec<i64>> {
            exprs.iter().map(|expr| self.value(expr)).collect()
        };
        let (at, values) = (all(&user.args)?, all(&user.values)?);
        let role = self.role(user, &at)?;
        let instance = Instance { stmt: user.stmt, name, at, role };
        let functions = &self.iterators[user.stmt];
        if values.len() != functions.len() {
            return Err(Error::Ast(format!("{instance} has {} iterators", values.len())));
        }
        for (function, value) in functions.iter().zip(values) {
            let expected = function.value(&instance.at)?;
            if expected.ok_or_else(|| undefined("an iterator", &instance))? != value {
                let text = format!("an iterator of {instance} is {value} instead of {expected:?}");
                return Err(Error::Ast(text));
            }
        }
        Ok(instance)
    }

    /// The value of an expression.
    pub(crate) fn value(&self, expr: &Expr) -> Result<i64> {
        expr.eval(&|name| self.values.get(name).copied()).ok_or_else(|| self.unknown(expr))
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&self, condition: &Cond) -> Result<bool> {
        let value = condition.eval(&|name| self.values.get(name).copied());
        value.ok_or_else(|| self.unknown(condition))
    }

    /// The error that something has no value.
    fn unknown(&self, what: &impl std::fmt::Display) -> Error {
        Error::Ast(format!("`{what}` has no value"))
    }

    /// Counts an iteration or instance.
    pub(crate) fn step(&mut self) -> Result<()> {
        let left = self.steps_left.checked_sub(1);
        self.steps_left = left.ok_or(Error::TooManyInstances(self.params.max_instances()))?;
        Ok(())
    }
}
