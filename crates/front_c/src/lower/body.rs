//! Statements: bodies and accesses.

use super::affine::{Frame, Obstacle, wraps_below_addresses};
use super::build::{Builder, Refused, Step};
use super::form::Form;
use super::hir::{Assign, Declare, Expr, ExprKind, Node, VarId};
use super::vars::Vars;
use farkas_base::{DiagnosticId, Id, IdVec, Span};
use farkas_poly::{Aff, DimType, Map, MultiAff, MultiPwAff, Set, Space};
use farkas_scop::{
    Access, AccessId, AccessKind, AssignOp, BinaryOp, BodyStmt, Expr as Out, InnerLoop, Iterator,
    ParamId, Statement,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The domain, or its convex pieces where isl cannot be trusted with their union.
fn trusted_pieces(domain: &Set) -> Result<Vec<Set>, farkas_poly::Error> {
    if let Some(joined) = domain.checked_coalesce()? {
        return Ok(vec![joined]);
    }
    let pieces = domain.make_disjoint()?.basic_sets()?;
    pieces.iter().map(farkas_poly::BasicSet::to_set).collect()
}

/// Whether some bound of `domain` is a number as large as the limits of types are.
fn has_limits(domain: &Set) -> Result<bool, farkas_poly::Error> {
    for piece in domain.basic_sets()? {
        let has_limit = match piece.constraints() {
            Ok(rows) => {
                rows.inequalities.iter().any(|row| row.constant.unsigned_abs() >= LEAST_LIMIT)
            }
            Err(farkas_poly::Error::Overflow { .. }) => true,
            Err(error) => return Err(error),
        };
        if has_limit {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Bounds from here on are limits of types, not sizes.
const LEAST_LIMIT: u64 = 1 << 30;

/// The statement under construction.
pub(super) struct Draft<'f, 'a> {
    /// Its instances' space.
    pub(super) frame: &'f Frame<'a>,
    /// Its instances.
    pub(super) domain: &'f Set,
    pub(super) accesses: IdVec<AccessId, Access>,
    /// The instances in which accesses happen, where these are known to be a part.
    pub(super) arms: BTreeMap<AccessId, Set>,
    /// The accesses whose relations hold more elements than those that are touched.
    approximate: BTreeSet<AccessId>,
    /// The variables that it declares.
    locals: BTreeSet<VarId>,
}

impl<'a> Builder<'a> {
    /// Makes a statement of `nodes`: several where the domain is one that isl cannot coalesce (see
    /// [`Set::checked_coalesce`]), since its own functions coalesce, too.
    pub(super) fn statement(
        &mut self,
        nodes: &[Node],
        domain: &Set,
        label: Option<String>,
    ) -> Step<()> {
        let span = nodes.iter().filter_map(Node::span).reduce(Span::cover);
        self.leaves_iterators(nodes)?;
        let pieces = self.check(trusted_pieces(domain), span)?;
        pieces.iter().try_for_each(|piece| self.one_statement(nodes, piece, label.clone()))
    }

    /// Refuses statements that set the iterator of a loop that is over: what the loop left in it is put where it is read,
    /// and would stand there after the statement, too.
    fn leaves_iterators(&mut self, nodes: &[Node]) -> Step<()> {
        let mut found = None;
        let mut look = |n: &Node| {
            let Node::Assign(a) = n else { return };
            let ended = |var: &VarId| self.known.contains_key(var) || self.finals.contains_key(var);
            if let Some(var) = a.target.scalar().filter(ended) {
                found = Some((var, a.span));
            }
        };
        nodes.iter().for_each(|node| node.walk(&mut look));
        let Some((var, span)) = found else { return Ok(()) };
        let name = &self.vars[var].name;
        let message = format!("the iterator `{name}` is set again after its loop");
        let error = self
            .at(DiagnosticId::ModifiedIterator, message, span, "")
            .help("use another variable, or declare the iterator inside the loop");
        self.report(error);
        Err(Refused)
    }

    /// The name of the statement that comes next.
    pub(super) fn next_name(&self) -> String {
        format!("S{}", self.stmts.len())
    }

    /// Makes one statement of `nodes`.
    fn one_statement(&mut self, nodes: &[Node], domain: &Set, label: Option<String>) -> Step<()> {
        let span = nodes.iter().filter_map(Node::span).reduce(Span::cover);
        let at = span.unwrap_or(Span { start: 0, end: 0 });
        let name = self.next_name();
        let frame = self.frame(&name);
        let frame =
            frame.map_err(|o| self.refuse(DiagnosticId::TooComplex, "this statement", at, o))?;
        let domain = domain.with_tuple_name(&name).and_then(|d| self.simplified(d));
        let domain = self.check(domain, span)?;
        let mut draft = Draft {
            frame: &frame,
            domain: &domain,
            accesses: IdVec::new(),
            arms: BTreeMap::new(),
            approximate: BTreeSet::new(),
            locals: BTreeSet::new(),
        };
        if !matches!(nodes, [Node::Declare(_)]) {
            draft.locals = declared(nodes, self.vars);
        }
        let mut body = self.body(&mut draft, nodes, false)?;
        if self.require(&frame, &domain)?.is_err() {
            frame.wraps.set(true);
            draft.accesses = IdVec::new();
            draft.arms.clear();
            draft.approximate.clear();
            body = self.body(&mut draft, nodes, false)?;
            self.require_or_refuse(&frame, &domain)?;
        }
        let Draft { mut accesses, arms, approximate, .. } = draft;
        for write in certain_writes(&body, &accesses).into_iter().flatten() {
            let kind = match approximate.contains(&write) {
                true => AccessKind::MayWrite,
                false => AccessKind::MustWrite,
            };
            accesses[write].kind = kind;
        }
        // Writes of which one happens in each arm count together, for all instances.
        for (access, arm) in arms {
            let Access { kind, relation, .. } = &accesses[access];
            if *kind != AccessKind::MustWrite {
                let relation = relation.intersect_domain(&arm);
                accesses[access].relation = self.check(relation, span)?;
            }
        }
        let iterators =
            self.loops.iter().zip(&frame.iterators).map(|(active, (_, value))| Iterator {
                name: self.vars[active.var].name.clone(),
                ty: self.vars[active.var].element.text.clone(),
                value: value.clone(),
            });
        let iterators = iterators.collect();
        let date = self.blank.clone();
        self.place();
        self.stmts.push(Statement { name, label, domain, iterators, date, accesses, body, span });
        Ok(())
    }

    /// A domain without what the declarations imply, and without limits that types imply: with `m` an `int`, no `j < m` is at
    /// most 4294967298. It is brought together with them first: isl 0.25 crashes on some strided sets where they are not
    /// (ARCHITECTURE.md, what isl gets wrong).
    fn simplified(&self, domain: Set) -> Result<Set, farkas_poly::Error> {
        let mut simple = domain;
        if !self.declared.plain_is_universe()? {
            simple = simple.intersect_params(&self.declared)?.gist_params(&self.declared)?;
        }
        if has_limits(&simple)? {
            let types = self.type_ranges()?;
            simple = simple.intersect_params(&types)?.gist_params(&types)?;
            simple = self.without_undefined_parts(&simple)?;
            simple = self.without_implied_limits(simple)?;
        }
        Ok(simple)
    }

    /// A domain without its convex parts for whose parameters signed arithmetic overflows: nothing is asked of code for them.
    fn without_undefined_parts(&self, domain: &Set) -> Result<Set, farkas_poly::Error> {
        let defined = self.defined.intersect(&self.type_ranges()?)?;
        let mut kept = domain.subtract(domain)?;
        for part in domain.basic_sets()? {
            let part = part.to_set()?;
            if !part.intersect_params(&defined)?.is_empty()? {
                kept = kept.union(&part)?;
            }
        }
        kept.coalesce()
    }

    /// A domain without conditions on parameters that hold wherever it has instances for parameters that code is made for: the
    /// limit of `int` on `m` in a loop over an `int j` to a `long m`. Loops that it shares with others would else run up to it.
    fn without_implied_limits(&self, domain: Set) -> Result<Set, farkas_poly::Error> {
        let meant = self.context.intersect(&self.defined)?.intersect(&self.type_ranges()?)?;
        let shorter = domain.gist_params(&meant.intersect(&domain.params()?)?)?;
        let (new, old) = (shorter.intersect_params(&meant)?, domain.intersect_params(&meant)?);
        Ok(if new.is_equal(&old)? { shorter } else { domain })
    }

    /// The statements of a body; `conditional` when they stand under a condition on data.
    fn body(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        nodes: &[Node],
        conditional: bool,
    ) -> Step<Vec<BodyStmt>> {
        let mut out = Vec::new();
        let mut refused = false;
        for node in nodes {
            match self.body_stmt(draft, node, conditional) {
                Ok(stmt) => out.extend(stmt),
                Err(Refused) => refused = true,
            }
        }
        if refused { Err(Refused) } else { Ok(out) }
    }

    /// One statement of a body; nothing for the declaration of something that lives outside the statement.
    fn body_stmt(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        node: &Node,
        conditional: bool,
    ) -> Step<Option<BodyStmt>> {
        Ok(Some(match node {
            Node::Assign(assign) => self.body_assign(draft, assign, conditional)?,
            Node::Declare(d) if draft.locals.contains(&d.var) => {
                let value = d.value.as_ref().map(|v| self.body_expr(draft, v)).transpose()?;
                let var = &self.vars[d.var];
                BodyStmt::Local { name: var.name.clone(), ty: var.element.clone(), value }
            }
            Node::Declare(Declare { value: None, .. }) => return Ok(None),
            Node::Declare(Declare { var, value: Some(value), span }) => {
                let value = self.body_expr(draft, value)?;
                let kind = if conditional { AccessKind::MayWrite } else { AccessKind::MustWrite };
                let target = self.access(draft, *var, &[], kind, *span)?;
                BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }
            }
            Node::If(branch) => {
                let arms = self.arms(&branch.condition, draft.domain);
                let [holds, fails] = [0, 1].map(|at| (arms.as_ref().map(|a| &a[at]), branch.span));
                let condition = self.body_expr(draft, &branch.condition);
                let then = self.in_arm(draft, holds, |b, d| b.body(d, &branch.then, true));
                let otherwise =
                    self.in_arm(draft, fails, |b, d| b.body(d, &branch.otherwise, true));
                BodyStmt::If { condition: condition?, then: then?, otherwise: otherwise? }
            }
            Node::Block(nodes) => BodyStmt::Block(self.body(draft, nodes, conditional)?),
            Node::Inner(inner) => {
                let first = self.body(draft, &inner.first, conditional);
                let condition = inner.condition.as_ref().map(|c| self.body_expr(draft, c));
                let body = self.body(draft, &inner.body, true);
                let step = self.body(draft, &inner.step, true);
                BodyStmt::Loop(Box::new(InnerLoop {
                    first: first?,
                    condition: condition.transpose()?,
                    asks_last: inner.asks_last,
                    step: step?,
                    body: body?,
                }))
            }
            Node::Break(_) => BodyStmt::Break,
            Node::Continue(_) => BodyStmt::Continue,
            Node::Loop(_) => return Err(Refused),
        }))
    }

    fn body_assign(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        assign: &Assign,
        conditional: bool,
    ) -> Step<BodyStmt> {
        let (var, subscripts) = match &assign.target.kind {
            ExprKind::Scalar(var) => (*var, &[][..]),
            ExprKind::Element(var, subscripts) => (*var, subscripts.as_slice()),
            _ => return Err(Refused),
        };
        if draft.locals.contains(&var) {
            let value = self.body_expr(draft, &assign.value)?;
            return Ok(BodyStmt::AssignLocal {
                name: self.vars[var].name.clone(),
                op: assign.op,
                value,
            });
        }
        let span = assign.target.span;
        let read = match assign.op {
            AssignOp::Set => None,
            AssignOp::Compound(_) => {
                Some(self.access(draft, var, subscripts, AccessKind::Read, span)?)
            }
        };
        let value = self.body_expr(draft, &assign.value);
        let kind = if conditional { AccessKind::MayWrite } else { AccessKind::MustWrite };
        let target = self.access(draft, var, subscripts, kind, span)?;
        Ok(BodyStmt::Assign { target, op: assign.op, read, value: value? })
    }

    /// Records an access of the statement.
    fn access(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        var: VarId,
        subscripts: &[Expr],
        kind: AccessKind,
        span: Span,
    ) -> Step<AccessId> {
        let name = self.array_names.of(var, &self.vars[var]);
        let mut is_approximate = false;
        let relation = match self.relation(draft, &name, var, subscripts) {
            Ok(relation) => Some(relation),
            Err(obstacle) if self.linear.collect(draft, var, subscripts, &obstacle) => None,
            Err(obstacle)
                if self.loops.is_empty() || subscripts.iter().any(|s| !s.ty.is_integer()) =>
            {
                let what = format!("this subscript of `{}`", self.vars[var].name);
                return Err(self.refuse(DiagnosticId::NonAffineSubscript, &what, span, obstacle));
            }
            Err(_) => {
                is_approximate = true;
                let relation = self.approximate_relation(draft, &name, var, subscripts);
                Some(self.check(relation, Some(span))?)
            }
        };
        let kind = match kind {
            AccessKind::MustWrite if is_approximate => AccessKind::MayWrite,
            kind => kind,
        };
        // A walk that only collects has no use for the relation.
        let relation = match relation {
            Some(relation) => relation,
            None => self.check(self.any_element(draft, &name), Some(span))?,
        };
        let printed: Vec<Step<Out>> = subscripts.iter().map(|s| self.body_expr(draft, s)).collect();
        let subscripts = printed.into_iter().collect::<Step<Vec<Out>>>()?;
        let array = self.array(var);
        let access = Access { array, kind, relation, subscripts, span: Some(span) };
        let access = draft.accesses.push(access);
        if is_approximate {
            draft.approximate.insert(access);
            self.approximated.insert(var);
        }
        Ok(access)
    }

    /// From instances to an array without dimensions.
    fn any_element(&self, draft: &Draft<'_, 'a>, name: &str) -> Result<Map, farkas_poly::Error> {
        let range = self.param_space.set_space(name, 0)?;
        Map::universe(&draft.frame.space.map_from_domain_and_range(&range)?)
    }

    /// From instances to all elements that subscripts of which some are data may mean: those with the values of the others,
    /// within the extents that are known.
    fn approximate_relation(
        &self,
        draft: &Draft<'_, 'a>,
        name: &str,
        var: VarId,
        subscripts: &[Expr],
    ) -> Result<Map, farkas_poly::Error> {
        let rank = self.linear.rank(var).unwrap_or(subscripts.len());
        let rank = u32::try_from(rank).unwrap_or(u32::MAX);
        let range = self.param_space.set_space(name, rank)?;
        let space = draft.frame.space.map_from_domain_and_range(&range)?;
        if rank as usize != subscripts.len() {
            return Map::universe(&space);
        }
        let (mut image, mut unknown) = (MultiPwAff::zero(&space)?, Vec::new());
        for (position, subscript) in (0i32..).zip(subscripts) {
            match draft.frame.subscript(subscript) {
                Ok(value) => image = image.set_at(position, &value)?,
                Err(_) => unknown.push(position.unsigned_abs()),
            }
        }
        let mut relation = image.to_map()?;
        for position in unknown {
            relation = relation.eliminate(DimType::Out, position, 1)?;
            if let Some(extent) = &self.vars[var].extents[position as usize] {
                relation = relation.intersect_range(&self.below(&range, position, extent)?)?;
            }
        }
        Ok(relation)
    }

    /// The elements of an array's space whose subscript at `position` is in an extent; all, where that is not affine.
    fn below(
        &self,
        space: &Space,
        position: u32,
        extent: &Expr,
    ) -> Result<Set, farkas_poly::Error> {
        let everything = Set::universe(space)?;
        let frame = Frame::new(space.clone(), self.vars, self.params, &[], Rc::default());
        let Ok(extent) = frame.and_then(|frame| frame.value(extent)) else { return Ok(everything) };
        let index = Aff::var_on_domain(space, DimType::SET, position)?.to_pw_aff()?;
        everything.lower_bound_si(DimType::SET, position, 0)?.intersect(&index.lt_set(&extent)?)
    }

    /// From instances to elements.
    fn relation(
        &self,
        draft: &Draft<'_, 'a>,
        name: &str,
        var: VarId,
        subscripts: &[Expr],
    ) -> Result<Map, Obstacle> {
        let split = self.linear.split(draft, var, subscripts);
        if split.is_none()
            && let Some(relation) = self.linear_relation(draft.frame, name, subscripts)
        {
            return Ok(relation?);
        }
        let values = match split {
            Some(values) => values?,
            None => {
                subscripts.iter().map(|s| draft.frame.subscript(s)).collect::<Result<_, _>>()?
            }
        };
        let rank = u32::try_from(values.len()).unwrap_or(u32::MAX);
        let range = self.param_space.set_space(name, rank)?;
        let space = draft.frame.space.map_from_domain_and_range(&range)?;
        let mut image = MultiPwAff::zero(&space)?;
        for (position, value) in (0i32..).zip(values) {
            // Pieces that no instance reaches only hide what the subscript is.
            let value =
                if value.n_piece()? > 1 { value.gist(&self.known_points(draft)?)? } else { value };
            image = image.set_at(position, &value)?;
        }
        Ok(image.to_map()?)
    }

    /// From instances to elements, where all subscripts are linear.
    fn linear_relation(
        &self,
        frame: &Frame<'a>,
        name: &str,
        subscripts: &[Expr],
    ) -> Option<Result<Map, farkas_poly::Error>> {
        if subscripts.iter().any(wraps_below_addresses) {
            return None;
        }
        let forms: Vec<Form> = subscripts.iter().map(|s| frame.form(s)).collect::<Option<_>>()?;
        let relation = || {
            let range =
                self.param_space.set_space(name, u32::try_from(forms.len()).unwrap_or(u32::MAX))?;
            let mut image = MultiAff::zero(&frame.space.map_from_domain_and_range(&range)?)?;
            for (position, form) in (0i32..).zip(&forms) {
                image = image.set_at(position, &frame.aff(form)?)?;
            }
            Map::from_multi_aff(&image)
        };
        Some(relation())
    }

    /// The instances of the statement under the context.
    fn known_points(&self, draft: &Draft<'_, 'a>) -> Result<Set, farkas_poly::Error> {
        draft.domain.intersect_params(&self.context)
    }

    /// An expression of a body, its accesses recorded.
    fn body_expr(&mut self, draft: &mut Draft<'_, 'a>, expr: &Expr) -> Step<Out> {
        Ok(match &expr.kind {
            ExprKind::Int { value, text } => Out::Int { value: *value, text: text.clone() },
            ExprKind::Float(text) => Out::Float(text.clone()),
            ExprKind::Verbatim(text) => Out::Verbatim(text.clone()),
            ExprKind::Scalar(var) => self.body_scalar(draft, *var, expr.span)?,
            ExprKind::Element(var, subscripts) => {
                Out::Access(self.access(draft, *var, subscripts, AccessKind::Read, expr.span)?)
            }
            ExprKind::Unary(op, a) => Out::Unary(*op, Box::new(self.body_expr(draft, a)?)),
            ExprKind::Cast(ty, a) => Out::Cast(ty.clone(), Box::new(self.body_expr(draft, a)?)),
            ExprKind::Binary(op, a, b) => {
                let arms = match op {
                    BinaryOp::And | BinaryOp::Or => self.arms(a, draft.domain),
                    _ => None,
                };
                let arm = arms.as_ref().map(|arms| &arms[usize::from(*op == BinaryOp::Or)]);
                let a = self.body_expr(draft, a);
                let b = self.in_arm(draft, (arm, b.span), |this, draft| this.body_expr(draft, b));
                Out::Binary(*op, Box::new(a?), Box::new(b?))
            }
            ExprKind::Ternary(a, b, c) => {
                let arms = self.arms(a, draft.domain);
                let [holds, fails] =
                    [(0, b), (1, c)].map(|(at, e)| (arms.as_ref().map(|arms| &arms[at]), e.span));
                let a = self.body_expr(draft, a);
                let b = self.in_arm(draft, holds, |this, draft| this.body_expr(draft, b));
                let c = self.in_arm(draft, fails, |this, draft| this.body_expr(draft, c));
                Out::Ternary(Box::new(a?), Box::new(b?), Box::new(c?))
            }
            ExprKind::Call { name, arguments, .. } => {
                let arguments: Vec<Step<Out>> =
                    arguments.iter().map(|a| self.body_expr(draft, a)).collect();
                Out::Call(name.clone(), arguments.into_iter().collect::<Step<_>>()?)
            }
        })
    }

    fn body_scalar(&mut self, draft: &mut Draft<'_, 'a>, var: VarId, span: Span) -> Step<Out> {
        if draft.locals.contains(&var) {
            return Ok(Out::Local(self.vars[var].name.clone()));
        }
        if let Some(position) = self.loops.iter().rposition(|l| l.var == var) {
            return Ok(Out::Iterator(u32::try_from(position).unwrap_or(u32::MAX)));
        }
        if let Some(position) = self.params.iter().position(|p| *p == var) {
            return Ok(Out::Param(ParamId::from_index(position)));
        }
        if let Some(value) = self.known.get(&var).cloned() {
            return self.body_expr(draft, &value);
        }
        if self.vars[var].is_iterator {
            let error = super::errors::iterator_value(self, var, span);
            self.report(error);
            return Err(Refused);
        }
        Ok(Out::Access(self.access(draft, var, &[], AccessKind::Read, span)?))
    }
}

/// The scalars that `nodes` declare.
fn declared(nodes: &[Node], vars: &Vars<'_>) -> BTreeSet<VarId> {
    let mut locals = BTreeSet::new();
    for node in nodes {
        node.walk(&mut |n| {
            if let Node::Declare(d) = n {
                locals.extend(Some(d.var).filter(|v| vars[*v].rank() == 0));
            }
        });
    }
    locals
}

/// The writes that happen whenever the body runs. Each entry is a group of writes to the same elements, of which one
/// happens: those in both branches of an `if` count together.
fn certain_writes(body: &[BodyStmt], accesses: &IdVec<AccessId, Access>) -> Vec<Vec<AccessId>> {
    let mut certain: Vec<Vec<AccessId>> = Vec::new();
    for stmt in body {
        match stmt {
            BodyStmt::Assign { target, .. } => certain.push(vec![*target]),
            BodyStmt::Block(stmts) => certain.extend(certain_writes(stmts, accesses)),
            BodyStmt::If { then, otherwise, .. } if !otherwise.is_empty() => {
                let other = certain_writes(otherwise, accesses);
                for mut group in certain_writes(then, accesses) {
                    let same = other
                        .iter()
                        .filter(|o| same_elements(&accesses[group[0]], &accesses[o[0]]));
                    let same: Vec<AccessId> = same.flatten().copied().collect();
                    if !same.is_empty() {
                        group.extend(same);
                        certain.push(group);
                    }
                }
            }
            BodyStmt::Loop(inner) => certain.extend(certain_writes(&inner.first, accesses)),
            BodyStmt::If { .. }
            | BodyStmt::Local { .. }
            | BodyStmt::AssignLocal { .. }
            | BodyStmt::Break
            | BodyStmt::Continue
            | BodyStmt::Text(_) => {}
        }
    }
    certain
}

/// Whether two accesses of one statement touch the same elements.
fn same_elements(a: &Access, b: &Access) -> bool {
    a.array == b.array && a.relation.is_equal(&b.relation).unwrap_or(false)
}
