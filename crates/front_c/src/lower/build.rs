//! From [`hir`](super::hir) to the parts of a scop.

use super::affine::{ActiveLoop, Frame, LoopValue, Obstacle, is_affine_shaped};
use super::hir::{Assign, Declare, Expr, ExprKind, If, Loop, Node, VarId};
use super::vars::Vars;
use farkas_base::{Diagnostic, DiagnosticId, Id, IdVec, NameGenerator, SourceFile, Span};
use farkas_poly::{DimType, MultiPwAff, Set, Space};
use farkas_scop::{
    Access, AccessId, AccessKind, ArrayId, ArrayScope, AssignOp, BodyStmt, Iterator, ParamId,
    ScopBuilder, Statement, StmtId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The walk over the tree that makes statements.
pub(super) struct Builder<'a> {
    pub(super) source: &'a Arc<SourceFile>,
    pub(super) vars: &'a Vars<'a>,
    /// The variables that are parameters, in their order.
    pub(super) params: &'a [VarId],
    /// The parameter space.
    pub(super) param_space: Space,
    /// The arrays made so far.
    pub(super) array_of: BTreeMap<VarId, ArrayId>,
    /// Variables in the order of their [`ArrayId`]s.
    pub(super) arrays: Vec<VarId>,
    /// The isl name of each array.
    pub(super) array_names: BTreeMap<VarId, String>,
    pub(super) context: Set,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Static positions of each statement, outermost first.
    positions: Vec<Vec<u32>>,
    pub(super) stmts: IdVec<StmtId, Statement>,
    loops: Vec<ActiveLoop>,
    counters: Vec<u32>,
    dim_names: NameGenerator,
}

/// The statement under construction.
struct Draft<'f, 'a> {
    frame: &'f Frame<'a>,
    accesses: IdVec<AccessId, Access>,
    locals: BTreeSet<VarId>,
}

/// Nothing more can be built here; what is wrong was reported.
pub(super) struct Refused;

type Step<T> = Result<T, Refused>;

impl<'a> Builder<'a> {
    /// A builder for a region whose parameters are `params`.
    pub(super) fn new(
        source: &'a Arc<SourceFile>,
        vars: &'a Vars<'a>,
        params: &'a [VarId],
        array_names: BTreeMap<VarId, String>,
    ) -> Result<Self, farkas_poly::Error> {
        let names: Vec<&str> = params.iter().map(|p| vars[*p].name.as_str()).collect();
        let param_space = Space::params_named(&names)?;
        let context = Set::universe(&param_space)?;
        let dim_names = NameGenerator::new(names.into_iter().map(str::to_owned));
        Ok(Self {
            source,
            vars,
            params,
            param_space,
            array_of: BTreeMap::new(),
            arrays: Vec::new(),
            array_names,
            context,
            diagnostics: Vec::new(),
            positions: Vec::new(),
            stmts: IdVec::new(),
            loops: Vec::new(),
            counters: vec![0],
            dim_names,
        })
    }

    /// A diagnostic at `span`.
    pub(super) fn at(
        &self,
        id: DiagnosticId,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(id, message).at(self.source, span, label)
    }

    /// Records `diagnostic`, unless the same was said already.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Turns isl's refusal into a diagnostic.
    pub(super) fn check<T>(
        &mut self,
        result: Result<T, farkas_poly::Error>,
        span: Option<Span>,
    ) -> Step<T> {
        result.map_err(|error| {
            let mut diagnostic = Diagnostic::new(
                DiagnosticId::TooComplex,
                format!("this region is too complex: {error}"),
            );
            if let Some(span) = span {
                diagnostic = diagnostic.at(self.source, span, "");
            }
            self.report(diagnostic);
            Refused
        })
    }

    /// Builds all statements of the region.
    pub(super) fn region(&mut self, nodes: &[Node]) -> Step<()> {
        let everything = self.param_space.set_space("", 0).and_then(|s| Set::universe(&s));
        let everything = self.check(everything, None)?;
        self.sequence(nodes, &everything);
        Ok(())
    }

    /// Consecutive nodes, under the condition `domain`.
    fn sequence(&mut self, nodes: &[Node], domain: &Set) {
        let merged = nodes.iter().position(|n| matches!(n, Node::Declare(_))).filter(|&first| {
            let rest = &nodes[first..];
            !rest.iter().any(Node::has_loop) && self.declares_scalars_only(rest)
        });
        let (single, together) = nodes.split_at(merged.unwrap_or(nodes.len()));
        for node in single {
            // Errors are recorded; the rest is still looked at.
            let _ = self.node(node, domain);
        }
        if !together.is_empty() {
            let _ = self.statement(together, domain, None);
        }
    }

    /// Whether no array is declared directly among `nodes` or in blocks below.
    fn declares_scalars_only(&self, nodes: &[Node]) -> bool {
        let mut scalars = true;
        for node in nodes {
            node.walk(&mut |n| {
                if let Node::Declare(d) = n {
                    scalars &= self.vars[d.var].rank() == 0;
                }
            });
        }
        scalars
    }

    fn node(&mut self, node: &Node, domain: &Set) -> Step<()> {
        match node {
            Node::Loop(l) => self.loop_nest(l, domain),
            Node::If(i) => self.branch(i, node, domain),
            Node::Assign(a) => self.statement(std::slice::from_ref(node), domain, a.label.clone()),
            Node::Declare(Declare { value: Some(_), .. }) => {
                self.statement(std::slice::from_ref(node), domain, None)
            }
            Node::Declare(_) => Ok(()),
            Node::Block(nodes) => {
                self.sequence(nodes, domain);
                Ok(())
            }
        }
    }

    /// The frame of the present loops, in the space called `name`.
    pub(super) fn frame(&self, name: &str) -> Result<Frame<'a>, Obstacle> {
        let depth = u32::try_from(self.loops.len()).unwrap_or(u32::MAX);
        let mut space = self.param_space.set_space(name, depth)?;
        for (position, active) in (0u32..).zip(&self.loops) {
            space = space.with_dim_name(DimType::SET, position, &active.dim_name)?;
        }
        Frame::new(space, self.vars, self.params, &self.loops)
    }

    fn branch(&mut self, branch: &If, node: &Node, domain: &Set) -> Step<()> {
        if !is_affine_shaped(&branch.condition, self.vars) && !node.has_loop() {
            return self.statement(std::slice::from_ref(node), domain, branch.label.clone());
        }
        let condition = self.frame("").and_then(|f| f.condition(&branch.condition));
        match condition {
            Ok(condition) => {
                let holds = domain.intersect(&condition).and_then(|s| s.coalesce());
                let holds = self.check(holds, Some(branch.span))?;
                self.sequence(&branch.then, &holds);
                if !branch.otherwise.is_empty() {
                    let fails = domain.subtract(&condition).and_then(|s| s.coalesce());
                    let fails = self.check(fails, Some(branch.span))?;
                    self.sequence(&branch.otherwise, &fails);
                }
                Ok(())
            }
            Err(_) if !node.has_loop() => {
                self.statement(std::slice::from_ref(node), domain, branch.label.clone())
            }
            Err(obstacle) => Err(self.refuse(
                DiagnosticId::DataDependentBranch,
                "the condition of this `if` with loops inside",
                obstacle,
            )),
        }
    }

    /// Reports why something is not affine.
    pub(super) fn refuse(&mut self, id: DiagnosticId, what: &str, obstacle: Obstacle) -> Refused {
        let diagnostic = super::errors::explain(self, id, what, obstacle);
        self.report(diagnostic);
        Refused
    }

    fn loop_nest(&mut self, l: &Loop, domain: &Set) -> Step<()> {
        let inner = self.enter(l, domain)?;
        self.counters.push(0);
        self.sequence(&l.body, &inner);
        self.counters.pop();
        if let Some(active) = self.loops.pop() {
            self.dim_names.release(&active.dim_name);
        }
        if let Some(counter) = self.counters.last_mut() {
            *counter += 1;
        }
        Ok(())
    }

    /// Adds a loop to the present ones and returns the domain inside it.
    fn enter(&mut self, l: &Loop, domain: &Set) -> Step<Set> {
        let var = &self.vars[l.var];
        let (value, wanted) = match l.step {
            1 => (LoopValue::Up, var.name.clone()),
            -1 => (LoopValue::Down, format!("{}_neg", var.name)),
            step => {
                (LoopValue::Strided { init: l.init.clone(), step }, format!("{}_count", var.name))
            }
        };
        let outer = self.frame("");
        let start = outer.and_then(|f| f.value(&l.init).map(|_| ()));
        if let Err(obstacle) = start {
            return Err(self.refuse(
                DiagnosticId::NonAffineBound,
                &format!("the first value of `{}`", var.name),
                obstacle,
            ));
        }
        let dim_name = self.dim_names.fresh(&wanted);
        self.loops.push(ActiveLoop { var: l.var, dim_name, value, span: l.span });
        let inner = self.loop_domain(l, domain);
        inner.map_err(|obstacle| {
            let refused = self.refuse(
                DiagnosticId::NonAffineBound,
                &format!("the bound of `{}`", var.name),
                obstacle,
            );
            if let Some(active) = self.loops.pop() {
                self.dim_names.release(&active.dim_name);
            }
            refused
        })
    }

    /// The domain inside the innermost of the present loops, which is `l`.
    fn loop_domain(&self, l: &Loop, outer: &Set) -> Result<Set, Obstacle> {
        let frame = self.frame("")?;
        let depth = u32::try_from(self.loops.len()).unwrap_or(u32::MAX);
        let mut domain = outer.add_dims(DimType::SET, 1)?;
        for (position, active) in (0u32..).zip(&self.loops) {
            domain = domain.with_dim_name(DimType::SET, position, &active.dim_name)?;
        }
        let started = match l.step {
            1 | -1 => {
                let (_, iterator) = &frame.iterators[frame.iterators.len() - 1];
                let init = frame.value(&l.init)?;
                if l.step > 0 { iterator.ge_set(&init)? } else { iterator.le_set(&init)? }
            }
            _ => Set::universe(&frame.space)?.lower_bound_si(DimType::SET, depth - 1, 0)?,
        };
        let condition = frame.condition(&l.condition)?;
        Ok(domain.intersect(&started)?.intersect(&condition)?)
    }

    /// Makes one statement of `nodes`.
    fn statement(&mut self, nodes: &[Node], domain: &Set, label: Option<String>) -> Step<()> {
        let span = nodes.iter().filter_map(Node::span).reduce(Span::cover);
        let name = format!("S{}", self.stmts.len());
        let frame = self.frame(&name);
        let frame =
            frame.map_err(|o| self.refuse(DiagnosticId::TooComplex, "this statement", o))?;
        let mut draft = Draft { frame: &frame, accesses: IdVec::new(), locals: BTreeSet::new() };
        for node in nodes {
            node.walk(&mut |n| {
                if let Node::Declare(d) = n {
                    draft.locals.insert(d.var);
                }
            });
        }
        if let [Node::Declare(d)] = nodes {
            draft.locals.remove(&d.var);
        }
        let body = self.body(&mut draft, nodes, false)?;
        let iterators =
            self.loops.iter().zip(&frame.iterators).map(|(active, (_, value))| Iterator {
                name: self.vars[active.var].name.clone(),
                ty: self.vars[active.var].element.text.clone(),
                value: value.clone(),
            });
        let iterators = iterators.collect();
        let accesses = draft.accesses;
        let domain = domain.with_tuple_name(&name).and_then(|d| d.coalesce());
        let domain = self.check(domain, span)?;
        let mut positions = self.counters.clone();
        if let Some(counter) = self.counters.last_mut() {
            *counter += 1;
        }
        positions.shrink_to_fit();
        self.positions.push(positions);
        let date = self.check(domain.identity(), span)?;
        self.stmts.push(Statement { name, label, domain, iterators, date, accesses, body, span });
        Ok(())
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
                Ok(stmt) => out.push(stmt),
                Err(Refused) => refused = true,
            }
        }
        if refused { Err(Refused) } else { Ok(out) }
    }

    fn body_stmt(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        node: &Node,
        conditional: bool,
    ) -> Step<BodyStmt> {
        match node {
            Node::Assign(assign) => self.body_assign(draft, assign, conditional),
            Node::Declare(d) if draft.locals.contains(&d.var) => {
                let value = d.value.as_ref().map(|v| self.body_expr(draft, v)).transpose()?;
                let var = &self.vars[d.var];
                Ok(BodyStmt::Local { name: var.name.clone(), ty: var.element.clone(), value })
            }
            Node::Declare(d) => {
                let value = match &d.value {
                    Some(value) => self.body_expr(draft, value)?,
                    None => farkas_scop::Expr::int(0),
                };
                let target = self.access(draft, d.var, &[], AccessKind::MustWrite, d.span)?;
                Ok(BodyStmt::Assign { target, op: AssignOp::Set, read: None, value })
            }
            Node::If(branch) => {
                let condition = self.body_expr(draft, &branch.condition)?;
                let then = self.body(draft, &branch.then, true);
                let otherwise = self.body(draft, &branch.otherwise, true)?;
                Ok(BodyStmt::If { condition, then: then?, otherwise })
            }
            Node::Block(nodes) => Ok(BodyStmt::Block(self.body(draft, nodes, conditional)?)),
            Node::Loop(_) => Err(Refused),
        }
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

    /// The scop's id of a variable.
    fn array(&mut self, var: VarId) -> ArrayId {
        let next = ArrayId::from_index(self.arrays.len());
        *self.array_of.entry(var).or_insert_with(|| {
            self.arrays.push(var);
            next
        })
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
        let relation = self.relation(draft, var, subscripts);
        let relation = relation.map_err(|o| {
            let what = format!("this subscript of `{}`", self.vars[var].name);
            self.refuse(DiagnosticId::NonAffineSubscript, &what, o)
        })?;
        let printed: Step<Vec<farkas_scop::Expr>> =
            subscripts.iter().map(|s| self.body_expr(draft, s)).collect();
        let array = self.array(var);
        Ok(draft.accesses.push(Access {
            array,
            kind,
            relation,
            subscripts: printed?,
            span: Some(span),
        }))
    }

    fn relation(
        &self,
        draft: &Draft<'_, 'a>,
        var: VarId,
        subscripts: &[Expr],
    ) -> Result<farkas_poly::Map, Obstacle> {
        let name = self.array_names.get(&var).map_or("", String::as_str);
        let rank = u32::try_from(subscripts.len()).unwrap_or(u32::MAX);
        let range = self.param_space.set_space(name, rank)?;
        let space = draft.frame.space.map_from_domain_and_range(&range)?;
        let mut image = MultiPwAff::zero(&space)?;
        for (position, subscript) in (0i32..).zip(subscripts) {
            image = image.set_at(position, &draft.frame.value(subscript)?)?;
        }
        Ok(image.to_map()?)
    }

    /// An expression of a body, its accesses recorded.
    fn body_expr(&mut self, draft: &mut Draft<'_, 'a>, expr: &Expr) -> Step<farkas_scop::Expr> {
        use farkas_scop::Expr as Out;
        Ok(match &expr.kind {
            ExprKind::Int { value, text } => Out::Int { value: *value, text: text.clone() },
            ExprKind::Float(text) => Out::Float(text.clone()),
            ExprKind::Scalar(var) => self.body_scalar(draft, *var, expr.span)?,
            ExprKind::Element(var, subscripts) => {
                Out::Access(self.access(draft, *var, subscripts, AccessKind::Read, expr.span)?)
            }
            ExprKind::Unary(op, a) => Out::Unary(*op, Box::new(self.body_expr(draft, a)?)),
            ExprKind::Cast(ty, a) => Out::Cast(ty.clone(), Box::new(self.body_expr(draft, a)?)),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.body_expr(draft, a), self.body_expr(draft, b));
                Out::Binary(*op, Box::new(a?), Box::new(b?))
            }
            ExprKind::Ternary(a, b, c) => {
                let (a, b, c) =
                    (self.body_expr(draft, a), self.body_expr(draft, b), self.body_expr(draft, c));
                Out::Ternary(Box::new(a?), Box::new(b?), Box::new(c?))
            }
            ExprKind::Call { name, arguments, .. } => {
                let arguments: Vec<Step<Out>> =
                    arguments.iter().map(|a| self.body_expr(draft, a)).collect();
                Out::Call(name.clone(), arguments.into_iter().collect::<Step<_>>()?)
            }
        })
    }

    fn body_scalar(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        var: VarId,
        span: Span,
    ) -> Step<farkas_scop::Expr> {
        use farkas_scop::Expr as Out;
        if draft.locals.contains(&var) {
            return Ok(Out::Local(self.vars[var].name.clone()));
        }
        if let Some(position) = self.loops.iter().rposition(|l| l.var == var) {
            return Ok(Out::Iterator(u32::try_from(position).unwrap_or(u32::MAX)));
        }
        if let Some(position) = self.params.iter().position(|p| *p == var) {
            return Ok(Out::Param(ParamId::from_index(position)));
        }
        if self.vars[var].is_iterator {
            let name = &self.vars[var].name;
            let error = self
                .at(
                    DiagnosticId::IteratorValue,
                    format!("the iterator `{name}` is used outside its loop"),
                    span,
                    "",
                )
                .note("after the transformation the loop may run in another order")
                .help("compute the value from the bounds of the loop");
            self.report(error);
            return Err(Refused);
        }
        Ok(Out::Access(self.access(draft, var, &[], AccessKind::Read, span)?))
    }

    /// Gives every statement its date, `[c0, i, c1, j, c2]` padded with zeros.
    pub(super) fn dates(&mut self) -> Result<(), farkas_poly::Error> {
        let depth = self.positions.iter().map(Vec::len).max().unwrap_or(1);
        let dims = 2 * depth - 1;
        let range = self.param_space.set_space("", u32::try_from(dims).unwrap_or(u32::MAX))?;
        for (stmt, positions) in self.stmts.iter_mut().zip(&self.positions) {
            let domain = stmt.domain.space()?;
            let space = domain.map_from_domain_and_range(&range)?;
            let mut date = farkas_poly::MultiAff::zero(&space)?;
            for (i, position) in (0i32..).zip(positions) {
                let constant = farkas_poly::Aff::constant_on_domain(&domain, i64::from(*position))?;
                date = date.set_at(2 * i, &constant)?;
                if let Some(dim) =
                    u32::try_from(i).ok().filter(|d| (*d as usize) < stmt.iterators.len())
                {
                    date = date.set_at(
                        2 * i + 1,
                        &farkas_poly::Aff::var_on_domain(&domain, DimType::SET, dim)?,
                    )?;
                }
            }
            stmt.date = date.to_pw_multi_aff()?.to_map()?;
        }
        Ok(())
    }

    /// The parts made so far, put together.
    pub(super) fn finish(
        self,
        name: String,
        arrays: IdVec<ArrayId, farkas_scop::Array>,
    ) -> ScopBuilder {
        let params = self.params.iter().map(|p| farkas_scop::Parameter {
            name: self.vars[*p].name.clone(),
            ty: self.vars[*p].element.text.clone(),
        });
        ScopBuilder {
            name,
            params: params.collect(),
            context: self.context,
            arrays,
            stmts: self.stmts,
            assumptions: Vec::new(),
        }
    }

    /// Whether the array is declared inside the region.
    pub(super) fn is_region_local(&self, var: VarId) -> bool {
        self.vars[var].scope == ArrayScope::Region
    }
}
