//! Where what is behind pointers may be read before the region: for the parameters for which the region reads it itself.
//!
//! A number in a bound, `for (i = 0; i < s->n; i++)`, is read whenever the header is reached; that is where the loops around
//! it have an iteration. What is no parameter is read where a statement reads it ([`Scop::reach`]).

use super::affine::is_affine_shaped;
use super::build::Builder;
use super::hir::{Expr, ExprKind, Node, VarId};
use super::parse::Parser;
use farkas_base::Diagnostic;
use farkas_poly::{DimType, Result, Set};
use farkas_scop::{BinaryOp, Scop, Taken};
use std::collections::BTreeMap;

/// What may be read before the region only where the region reads it.
#[derive(Clone, Debug)]
pub(super) struct Uncertain {
    /// The variable for it.
    pub(super) var: VarId,
    /// The pointer to the struct.
    pub(super) pointer: String,
    /// What to say where it may not.
    pub(super) refusal: Diagnostic,
}

/// Where parameters are read that are behind pointers, in the order of the region.
#[derive(Default)]
pub(super) struct Reads {
    /// Those that are asked for.
    pub(super) wanted: Vec<VarId>,
    /// For which parameters, and whether whatever the data are.
    found: BTreeMap<VarId, Vec<(Set, bool)>>,
}

impl Reads {
    /// Forgets what was found.
    pub(super) fn restart(&mut self) {
        self.found.clear();
    }

    /// What may be read before the region only where the region reads it, with that; or the message on the first of which
    /// the parameters do not tell.
    pub(super) fn taken_within(
        &self,
        parser: &Parser<'_, '_>,
        scop: &Scop,
    ) -> Result<std::result::Result<Vec<Taken>, Box<Diagnostic>>> {
        let mut all = parser.taken.clone();
        let touched = parser.uncertain.iter().map(|one| self.touched(one, parser, scop));
        let touched: Vec<(Vec<Set>, Set)> = touched.collect::<Result<_>>()?;
        for (at, one) in parser.uncertain.iter().enumerate() {
            let needed = touched[at].1.intersect_params(scop.context())?;
            // Where one member is read, there is a struct, so that all can be read.
            let same = parser
                .uncertain
                .iter()
                .zip(&touched)
                .filter(|(other, _)| other.pointer == one.pointer);
            let mut within = None;
            for set in same.flat_map(|(_, (surely, _))| surely) {
                if within.is_none()
                    && needed.is_subset(set)?
                    && is_known_before(set, at, parser, scop)?
                {
                    within = Some(set.clone());
                }
            }
            if within.is_none() {
                return Ok(Err(Box::new(one.refusal.clone())));
            }
            let name = &parser.vars[one.var].name;
            if let Some(taken) = all.iter_mut().find(|taken| taken.name == *name) {
                taken.within = within;
            }
        }
        // Numbers first: where pointers are read may depend on them.
        all.sort_by_key(|taken| !is_param(&taken.name, scop));
        Ok(Ok(all))
    }

    /// The parameters for which a member is read whatever the data are, one set for each place, and those for which it may be.
    fn touched(
        &self,
        one: &Uncertain,
        parser: &Parser<'_, '_>,
        scop: &Scop,
    ) -> Result<(Vec<Set>, Set)> {
        let name = &parser.vars[one.var].name;
        if !is_param(name, scop) {
            let reach = scop.reach(name)?;
            return Ok((vec![reach.surely], reach.maybe));
        }
        let found = self.found.get(&one.var).map_or(&[][..], Vec::as_slice);
        let surely = found.iter().filter(|(_, surely)| *surely).map(|(set, _)| set.clone());
        let maybe = Set::union_all(found.iter().map(|(set, _)| set.clone()).collect::<Vec<_>>())?;
        let none = Set::empty(&scop.context().space()?)?;
        Ok((surely.collect(), maybe.unwrap_or(none)))
    }
}

/// Whether a parameter is called `name`.
fn is_param(name: &str, scop: &Scop) -> bool {
    scop.params().iter().any(|param| param.name == name)
}

/// Whether a condition depends on no number that is itself read under one, and not before the `at`-th of them.
fn is_known_before(set: &Set, at: usize, parser: &Parser<'_, '_>, scop: &Scop) -> Result<bool> {
    let of_pointer =
        parser.uncertain.get(at).is_some_and(|one| !is_param(&parser.vars[one.var].name, scop));
    for (position, other) in parser.uncertain.iter().enumerate() {
        let dim = set.find_param(&parser.vars[other.var].name);
        if let Some(dim) = dim
            && !of_pointer
            && position >= at
            && set.involves_dims(DimType::Param, dim, 1)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Builder<'_> {
    /// Notes what a node reads by itself, apart from the nodes in it that have a place of their own, where `domain` holds; whether the node is
    /// reached for sure there.
    pub(super) fn note_reads(&mut self, node: &Node, domain: &Set, is_reached: bool) {
        if self.reads.wanted.is_empty() {
            return;
        }
        match node {
            Node::Loop(l) => {
                for expr in [&l.init, &l.condition] {
                    let surely = is_reached && !l.is_guarded && is_straight(expr);
                    self.note_read(expr, domain, surely);
                }
            }
            Node::If(i) if is_affine_shaped(&i.condition, self.vars) => {
                self.note_read(&i.condition, domain, false);
            }
            Node::Block(_) => {}
            Node::Assign(_) | Node::Declare(_) => {
                let all = expressions(node);
                let surely = is_reached && all.iter().all(|expr| is_straight(expr));
                all.iter().for_each(|expr| self.note_read(expr, domain, surely));
            }
            _ => node.walk(&mut |inner| {
                for expr in expressions(inner) {
                    self.note_read(expr, domain, false);
                }
            }),
        }
    }

    fn note_read(&mut self, expr: &Expr, domain: &Set, surely: bool) {
        expr.walk(&mut |part| {
            let wanted = part.scalar().filter(|var| self.reads.wanted.contains(var));
            if let Some(var) = wanted
                && let Ok(params) = domain.params()
            {
                self.reads.found.entry(var).or_default().push((params, surely));
            }
        });
    }
}

/// Whether what stands behind a node may not be reached.
pub(super) fn may_leave(node: &Node) -> bool {
    let mut may_leave = false;
    node.walk(&mut |inner| may_leave |= matches!(inner, Node::Break(_) | Node::Continue(_)));
    may_leave
}

/// Whether all parts of an expression are computed whenever it is.
fn is_straight(expr: &Expr) -> bool {
    let mut straight = true;
    expr.walk(&mut |part| {
        straight &= !matches!(
            part.kind,
            ExprKind::Ternary(..) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
        );
    });
    straight
}

/// The expressions of a node itself.
fn expressions(node: &Node) -> Vec<&Expr> {
    match node {
        Node::Loop(l) => vec![&l.init, &l.condition],
        Node::If(i) => vec![&i.condition],
        Node::Assign(a) => vec![&a.target, &a.value],
        Node::Declare(d) => d.value.iter().collect(),
        Node::Inner(inner) => inner.condition.iter().collect(),
        Node::Block(_) | Node::Break(_) | Node::Continue(_) => Vec::new(),
    }
}
