//! From [`hir`](super::hir) to statements: the walk that keeps track of loops, conditions and order.

use super::affine::{ActiveLoop, Frame, Obstacle, is_affine_shaped};
use super::arrays::ArrayNames;
use super::hir::{Expr, ExprKind, If, Loop, Node, VarId};
use super::linear::Linear;
use super::vars::Vars;
use super::within::{Reads, may_leave};
use farkas_base::{Diagnostic, DiagnosticId, Id, IdVec, NameGenerator, SourceFile, Span};
use farkas_poly::{Aff, DimType, Map, MultiAff, Set, Space};
use farkas_scop::{ArrayId, ArrayScope, Assumption, BinaryOp, Grant, Statement, StmtId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// The walk over the tree that makes statements.
pub(super) struct Builder<'a> {
    /// The original file.
    pub(super) source: &'a Arc<SourceFile>,
    /// The variables of the region.
    pub(super) vars: &'a Vars<'a>,
    /// The variables that are parameters, in their order.
    pub(super) params: &'a [VarId],
    /// The parameter space.
    pub(super) param_space: Space,
    /// What is known of the parameters.
    pub(super) context: Set,
    /// What the declarations say of the parameters; the part of the context that domains are simplified with.
    pub(super) declared: Set,
    /// What the parameters may be, by their types and by all that is known and taken for granted.
    pub(super) ranges: Set,
    /// The parameters for which nothing overflows that the region evaluates, as far as was looked at.
    pub(super) defined: Set,
    /// What was taken for granted.
    pub(super) assumptions: Vec<Assumption>,
    /// What the user grants.
    pub(super) grants: &'a [Grant],
    /// The isl names of arrays.
    pub(super) array_names: ArrayNames,
    /// The variables that became arrays, in the order of their [`ArrayId`]s.
    pub(super) arrays: Vec<VarId>,
    /// One-dimensional arrays that hold several dimensions.
    pub(super) linear: Linear,
    /// The statements so far.
    pub(super) stmts: IdVec<StmtId, Statement>,
    /// What is wrong so far.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The arrays with subscripts of which not all is known.
    pub(super) approximated: BTreeSet<VarId>,
    /// Where numbers behind pointers are read.
    pub(super) reads: Reads,
    /// The loops around the present place.
    pub(super) loops: Vec<ActiveLoop>,
    /// The names of their dimensions.
    pub(super) dim_names: NameGenerator,
    /// Values of iterators whose loops are over.
    pub(super) known: Rc<BTreeMap<VarId, Expr>>,
    /// When iterators of loops inside of loops that are over were set, and to what value at last.
    pub(super) finals: BTreeMap<VarId, (Expr, Expr)>,
    /// Stands for a relation that is not known yet.
    pub(super) blank: Map,
    /// Static positions of each statement, outermost first.
    positions: Vec<Vec<u32>>,
    /// The next static position at each depth of the present place.
    counters: Vec<u32>,
}

/// Nothing more can be built here; what is wrong was reported.
#[derive(Debug)]
pub(super) struct Refused;

/// A step of the walk.
pub(super) type Step<T> = Result<T, Refused>;

impl<'a> Builder<'a> {
    /// A builder for a region whose parameters are `params`.
    ///
    /// # Errors
    /// When isl refuses.
    pub(super) fn new(
        source: &'a Arc<SourceFile>,
        vars: &'a Vars<'a>,
        params: &'a [VarId],
        array_names: ArrayNames,
        grants: &'a [Grant],
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
            declared: context.clone(),
            ranges: context.clone(),
            defined: context.clone(),
            context,
            assumptions: Vec::new(),
            grants,
            array_names,
            arrays: Vec::new(),
            linear: Linear::default(),
            stmts: IdVec::new(),
            diagnostics: Vec::new(),
            approximated: BTreeSet::new(),
            reads: Reads::default(),
            loops: Vec::new(),
            dim_names,
            known: Rc::default(),
            finals: BTreeMap::new(),
            blank: "{ [] -> [] }".parse()?,
            positions: Vec::new(),
            counters: vec![0],
        })
    }

    /// Forgets all statements, to walk again with what was learnt of the arrays.
    pub(super) fn restart(&mut self) {
        self.arrays.clear();
        self.approximated.clear();
        self.array_names.restart();
        self.stmts = IdVec::new();
        self.diagnostics.clear();
        self.positions.clear();
        self.counters = vec![0];
        self.known = Rc::default();
        self.finals.clear();
        self.reads.restart();
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
        result.map_err(|error| self.refuse_isl(&error, span))
    }

    /// Reports that isl refused.
    fn refuse_isl(&mut self, error: &farkas_poly::Error, span: Option<Span>) -> Refused {
        let mut diagnostic = Diagnostic::new(
            DiagnosticId::TooComplex,
            format!("the region is too complex: {error}"),
        );
        if let Some(span) = span {
            diagnostic = diagnostic.at(self.source, span, "");
        }
        self.report(diagnostic);
        Refused
    }

    /// Reports why something is not affine.
    pub(super) fn refuse(
        &mut self,
        id: DiagnosticId,
        what: &str,
        span: Span,
        obstacle: Obstacle,
    ) -> Refused {
        match obstacle {
            Obstacle::Isl(error) => self.refuse_isl(&error, Some(span)),
            Obstacle::At { why, span } => {
                let diagnostic = super::errors::explain(self, id, what, &why, span);
                self.report(diagnostic);
                Refused
            }
        }
    }

    /// Builds all statements of the region.
    pub(super) fn region(&mut self, nodes: &[Node]) -> Step<()> {
        let everything = self.param_space.set_space("", 0).and_then(|s| Set::universe(&s));
        let everything = self.check(everything, None)?;
        self.sequence(nodes, &everything);
        Ok(())
    }

    /// Consecutive nodes, under the condition `domain`.
    ///
    /// From the first declaration on, what holds no loop is one statement, to which its variables are private. Errors are
    /// recorded; the rest is still looked at.
    fn sequence(&mut self, nodes: &[Node], domain: &Set) {
        let first = nodes.iter().position(|n| matches!(n, Node::Declare(_)));
        let merged = first.filter(|&first| is_one_statement(&nodes[first..], self.vars));
        let (single, together) = nodes.split_at(merged.unwrap_or(nodes.len()));
        for node in single {
            let _ = self.node(node, domain);
        }
        if !together.is_empty() {
            let mut is_reached = true;
            for node in together {
                self.note_reads(node, domain, is_reached);
                is_reached &= !may_leave(node);
            }
            let _ = self.statement(together, domain, None);
        }
    }

    fn node(&mut self, node: &Node, domain: &Set) -> Step<()> {
        self.note_reads(node, domain, true);
        match node {
            Node::Loop(l) => self.loop_nest(l, domain),
            Node::If(i) => self.branch(i, node, domain),
            Node::Assign(a) => self.statement(std::slice::from_ref(node), domain, a.label.clone()),
            Node::Declare(d) if d.value.is_none() => Ok(()),
            Node::Declare(_) | Node::Inner(_) => {
                self.statement(std::slice::from_ref(node), domain, None)
            }
            Node::Break(_) | Node::Continue(_) => Err(Refused),
            Node::Block(nodes) => {
                self.sequence(nodes, domain);
                Ok(())
            }
        }
    }

    /// The frame of the present loops, in the space called `name`.
    ///
    /// # Errors
    /// When isl refuses.
    pub(super) fn frame(&self, name: &str) -> Result<Frame<'a>, Obstacle> {
        let depth = u32::try_from(self.loops.len()).unwrap_or(u32::MAX);
        let mut space = self.param_space.set_space(name, depth)?;
        for (position, active) in (0u32..).zip(&self.loops) {
            space = space.with_dim_name(DimType::SET, position, &active.dim_name)?;
        }
        Frame::new(space, self.vars, self.params, &self.loops, Rc::clone(&self.known))
    }

    /// An `if`: its condition bounds the domains of what it holds, or is data inside one statement.
    fn branch(&mut self, branch: &If, node: &Node, domain: &Set) -> Step<()> {
        if is_affine_shaped(&branch.condition, self.vars)
            && let Ok(frame) = self.frame("")
        {
            self.evaluates(&frame, &branch.condition, domain);
        }
        let (affine, data) = self.split_condition(branch);
        if let (Some(affine), Some(data)) = (affine, data) {
            let inner = If { condition: data, ..branch.clone() };
            let outer = If {
                condition: affine,
                then: vec![Node::If(Box::new(inner))],
                otherwise: Vec::new(),
                span: branch.span,
                label: None,
            };
            return self.affine_branch(&outer, node, domain);
        }
        if !is_affine_shaped(&branch.condition, self.vars) && !node.has_loop() {
            return self.statement(std::slice::from_ref(node), domain, branch.label.clone());
        }
        self.affine_branch(branch, node, domain)
    }

    /// The conjunction of the parts of a condition without `else` that have an affine form, and that of the others.
    fn split_condition(&self, branch: &If) -> (Option<Expr>, Option<Expr>) {
        if !branch.otherwise.is_empty() {
            return (None, None);
        }
        let mut conjuncts = Vec::new();
        flatten_and(&branch.condition, &mut conjuncts);
        let (affine, data): (Vec<Expr>, Vec<Expr>) =
            conjuncts.into_iter().cloned().partition(|c| is_affine_shaped(c, self.vars));
        let join = |parts: Vec<Expr>| {
            parts.into_iter().reduce(|a, b| {
                let span = a.span.cover(b.span);
                super::expr::binary(BinaryOp::And, a, b, span)
            })
        };
        (join(affine), join(data))
    }

    fn affine_branch(&mut self, branch: &If, node: &Node, domain: &Set) -> Step<()> {
        let condition = match self.condition_of(branch, domain)? {
            Ok(found) => found,
            Err(Obstacle::At { .. }) if !node.has_loop() => {
                return self.statement(std::slice::from_ref(node), domain, branch.label.clone());
            }
            Err(obstacle) => {
                let what = "the condition of an `if` that holds loops";
                return Err(self.refuse(
                    DiagnosticId::DataDependentBranch,
                    what,
                    branch.span,
                    obstacle,
                ));
            }
        };
        let holds = domain.intersect(&condition).and_then(|s| s.coalesce());
        let holds = self.check(holds, Some(branch.span))?;
        self.sequence(&branch.then, &holds);
        if !branch.otherwise.is_empty() {
            let fails = domain.subtract(&condition).and_then(|s| s.coalesce());
            let fails = self.check(fails, Some(branch.span))?;
            self.sequence(&branch.otherwise, &fails);
        }
        self.forget_iterators_of(&branch.then);
        self.forget_iterators_of(&branch.otherwise);
        Ok(())
    }

    /// The points of `domain` where the condition of an `if` holds, as C computes it; or why it is no condition on iterators
    /// and parameters.
    fn condition_of(&mut self, branch: &If, domain: &Set) -> Step<Result<Set, Obstacle>> {
        let found = self.frame("").and_then(|f| f.condition(&branch.condition).map(|c| (c, f)));
        let (condition, frame) = match found {
            Ok(found) => found,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        if self.require(&frame, domain)?.is_ok() {
            return Ok(Ok(condition));
        }
        frame.wraps.set(true);
        let condition = match frame.condition(&branch.condition) {
            Ok(condition) => condition,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        let at_points = domain.intersect(&condition);
        let at_points = self.check(at_points, Some(branch.span))?;
        self.require_or_refuse(&frame, domain)?;
        Ok(Ok(self.possible(&at_points, branch.span)?))
    }

    fn loop_nest(&mut self, l: &Loop, domain: &Set) -> Step<()> {
        self.forget_iterators_of(std::slice::from_ref(&Node::Loop(Box::new(l.clone()))));
        let inner = self.enter(l, domain)?;
        self.counters.push(0);
        self.sequence(&l.body, &inner);
        self.counters.pop();
        let finals = self.finals_after(l, &inner);
        self.leave();
        if let Some(counter) = self.counters.last_mut() {
            *counter += 1;
        }
        self.forget_iterators_of(&l.body);
        self.finals.extend(finals);
        if let Some(value) = self.value_after(l, domain) {
            Rc::make_mut(&mut self.known).insert(l.var, value);
        }
        Ok(())
    }

    /// Forgets the values of the iterators of loops in `nodes`.
    fn forget_iterators_of(&mut self, nodes: &[Node]) {
        if self.known.is_empty() && self.finals.is_empty() {
            return;
        }
        let known = Rc::make_mut(&mut self.known);
        for node in nodes {
            node.walk(&mut |n| {
                if let Node::Loop(l) = n {
                    known.remove(&l.var);
                    self.finals.remove(&l.var);
                }
            });
        }
    }

    /// Notes the position of a new statement and moves on.
    pub(super) fn place(&mut self) {
        self.positions.push(self.counters.clone());
        if let Some(counter) = self.counters.last_mut() {
            *counter += 1;
        }
    }

    /// The scop's id of a variable.
    pub(super) fn array(&mut self, var: VarId) -> ArrayId {
        let known = self.arrays.iter().position(|v| *v == var);
        ArrayId::from_index(known.unwrap_or_else(|| {
            self.arrays.push(var);
            self.arrays.len() - 1
        }))
    }

    /// Gives every statement its date, `[c0, i, c1, j, c2]` padded with zeros.
    ///
    /// # Errors
    /// When isl refuses.
    pub(super) fn dates(&mut self) -> Result<(), farkas_poly::Error> {
        let depth = self.positions.iter().map(Vec::len).max().unwrap_or(1);
        let range =
            self.param_space.set_space("", u32::try_from(2 * depth - 1).unwrap_or(u32::MAX))?;
        for (stmt, positions) in self.stmts.iter_mut().zip(&self.positions) {
            let domain = stmt.domain.space()?;
            let mut date = MultiAff::zero(&domain.map_from_domain_and_range(&range)?)?;
            for (i, position) in (0i32..).zip(positions) {
                let constant = Aff::constant_on_domain(&domain, i64::from(*position))?;
                date = date.set_at(2 * i, &constant)?;
                if let Some(dim) =
                    u32::try_from(i).ok().filter(|d| (*d as usize) < stmt.iterators.len())
                {
                    let iterator = Aff::var_on_domain(&domain, DimType::SET, dim)?;
                    date = date.set_at(2 * i + 1, &iterator)?;
                }
            }
            stmt.date = Map::from_multi_aff(&date)?;
        }
        Ok(())
    }

    /// Whether the variable is declared inside the region.
    pub(super) fn is_region_local(&self, var: VarId) -> bool {
        self.vars[var].scope == ArrayScope::Region
    }
}

/// Whether nodes with declarations become one statement: no loop, and no array declared among them.
fn is_one_statement(nodes: &[Node], vars: &Vars<'_>) -> bool {
    nodes.iter().all(|node| match node {
        Node::Declare(d) => vars[d.var].rank() == 0,
        Node::Loop(_) => false,
        Node::If(i) => is_one_statement(&i.then, vars) && is_one_statement(&i.otherwise, vars),
        Node::Block(nodes) => is_one_statement(nodes, vars),
        Node::Inner(inner) => is_one_statement(&inner.body, vars),
        Node::Assign(_) | Node::Break(_) | Node::Continue(_) => true,
    })
}

/// The parts of a conjunction.
pub(super) fn flatten_and<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            flatten_and(a, parts);
            flatten_and(b, parts);
        }
        _ => parts.push(expr),
    }
}
