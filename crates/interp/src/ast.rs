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
    params.check(scop)?;
    let iterators = |stmt: &farkas_scop::Statement| -> Result<Vec<Function>> {
        stmt.iterators.iter().map(|i| Function::new(&i.value, params)).collect()
    };
    let (random, coincident) = interleaving.random();
    let mut walk = Walk {
        scop,
        copies: Copies::default(),
        names: names(scop),
        params,
        domains: BTreeMap::new(),
        iterators: scop.stmts().iter().map(iterators).collect::<Result<_>>()?,
        values: params.iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        steps_left: params.max_instances().saturating_mul(16),
        max_instances: params.max_instances(),
        random,
        coincident,
    };
    let instances = walk.run(&ast.body)?;
    Ok(Order { instances, copies: walk.copies })
}

/// A walk through the code.
struct Walk<'a> {
    scop: &'a Scop,
    copies: Copies,
    names: IdVec<StmtId, Rc<str>>,
    params: &'a Params,
    /// The domains of statements that may run beyond them, as far as they were asked for.
    domains: BTreeMap<StmtId, Points>,
    iterators: IdVec<StmtId, Vec<Function>>,
    /// Parameters and surrounding iterators.
    values: BTreeMap<String, i64>,
    steps_left: usize,
    max_instances: usize,
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
                    let branch =
                        if self.holds(&node.condition)? { &node.then } else { &node.otherwise };
                    instances.extend(self.run(branch)?);
                }
                Node::Block(node) => instances.extend(self.run(&node.body)?),
                Node::User(user) => {
                    self.step()?;
                    instances.push(self.instance(user)?);
                }
            }
        }
        Ok(instances)
    }

    /// The instances of a loop.
    fn repeat(&mut self, node: &For) -> Result<Vec<Instance>> {
        if node.step == 0 {
            return Err(Error::Ast(format!("the step of {} is zero", node.iterator)));
        }
        let (mut at, end) = (self.value(&node.first)?, self.value(&node.end)?);
        let mut private = arrays_named(self.scop, &node.info.private)?;
        private.extend(&node.info.buffers);
        let outer = self.values.get(&node.iterator).copied();
        let mut parts = Vec::new();
        while if node.step > 0 { at < end } else { at > end } {
            self.step()?;
            self.values.insert(node.iterator.clone(), at);
            let iteration = self.run(&node.body)?;
            self.copies.give(&private, &iteration);
            parts.push(iteration);
            at = at.checked_add(node.step).ok_or_else(|| self.unknown(&node.end))?;
        }
        match outer {
            Some(value) => self.values.insert(node.iterator.clone(), value),
            None => self.values.remove(&node.iterator),
        };
        let kind = node.info.kind;
        let marked = kind.is_parallel() || kind.is_vector() || node.info.divided.is_some();
        let concurrent = marked || (self.coincident && node.info.coincident);
        Ok(match self.random.as_mut().filter(|_| concurrent) {
            Some(random) => random.interleave(parts),
            None => parts.concat(),
        })
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
    fn instance(&mut self, user: &User) -> Result<Instance> {
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
    fn value(&self, expr: &Expr) -> Result<i64> {
        expr.eval(&|name| self.values.get(name).copied()).ok_or_else(|| self.unknown(expr))
    }

    /// Whether a condition holds.
    fn holds(&self, condition: &Cond) -> Result<bool> {
        let value = condition.eval(&|name| self.values.get(name).copied());
        value.ok_or_else(|| self.unknown(condition))
    }

    /// The error that something has no value.
    fn unknown(&self, what: &impl std::fmt::Display) -> Error {
        Error::Ast(format!("`{what}` has no value"))
    }

    /// Counts an iteration or instance.
    fn step(&mut self) -> Result<()> {
        let left = self.steps_left.checked_sub(1);
        self.steps_left = left.ok_or(Error::TooManyInstances(self.max_instances))?;
        Ok(())
    }
}
