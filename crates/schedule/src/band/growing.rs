//! A band while it grows.

use crate::affine::{PairForm, StmtRow};
use crate::coalescing::LoopSizes;
use crate::constraint::{Constraint, broken};
use crate::driver::Driver;
use crate::fusion::BandWorth;
use crate::group::{ActiveDep, Group};
use crate::ilp::{Ilp, Solution};
use crate::node::{Node, NodeIdx, NodeMember};
use crate::plan::Plan;
use crate::progression::Progression;
use crate::relations::Reused;
use crate::report::{RowReport, Warning};
use crate::span::Span;
use farkas_base::{Id, IdVec};
use farkas_poly::Map;
use farkas_scop::{ParamId, StmtId};
use std::rc::Rc;

/// A dependence while a band grows.
#[derive(Clone)]
pub(super) struct Progress {
    /// The pairs with zero distance in all rows so far.
    pub(super) left: Map,
    pub(super) is_narrowed: bool,
    /// The sum of the distances, where a row was not zero.
    pub(super) sum: Option<PairForm>,
    pub(super) is_carried: bool,
    /// What is used again along it, as far as no row gave that up.
    pub(super) reused: Vec<Reused>,
}

/// The state of a band before one of its rows.
#[derive(Clone)]
pub(super) struct Before {
    spans: Vec<Span>,
    node_spans: Vec<Span>,
    progress: Vec<Rc<Progress>>,
}

/// A band while it grows.
pub(crate) struct Growing {
    pub(crate) group: Group,
    pub(crate) dimension: usize,
    /// What has rows of its own: the statements of the group, or clusters that they make up.
    pub(super) nodes: Rc<[Node]>,
    /// For each node what its rows span in its space.
    pub(super) node_spans: Vec<Span>,
    /// At most so many rows; `None` for as many as there are.
    pub(super) max_rows: Option<usize>,
    pub(super) non_negative: IdVec<ParamId, bool>,
    pub(super) ilp: Option<(Plan, Ilp)>,
    pub(crate) stmt_rows: Vec<Vec<StmtRow>>,
    /// The state before each row, for a row that is to be found again; it shares what the row did not change.
    pub(super) before: Vec<Before>,
    /// For each statement what its rows span.
    pub(crate) spans: Vec<Span>,
    pub(super) progress: Vec<Rc<Progress>>,
    pub(crate) rows: Vec<RowReport>,
    pub(super) warnings: Vec<Warning>,
    pub(super) was_recomputed: bool,
    /// How often a row was taken back at the strategy's wish.
    pub(super) n_recomputed: usize,
    /// The dependences as they are, where some of them are out of sight.
    pub(super) given: Option<Rc<[ActiveDep]>>,
}

/// A copy without the integer program, which is made anew where it is needed.
impl Clone for Growing {
    fn clone(&self) -> Self {
        Self {
            group: self.group.clone(),
            dimension: self.dimension,
            nodes: Rc::clone(&self.nodes),
            node_spans: self.node_spans.clone(),
            max_rows: self.max_rows,
            non_negative: self.non_negative.clone(),
            ilp: None,
            stmt_rows: self.stmt_rows.clone(),
            before: self.before.clone(),
            spans: self.spans.clone(),
            progress: self.progress.clone(),
            rows: self.rows.clone(),
            warnings: self.warnings.clone(),
            was_recomputed: self.was_recomputed,
            n_recomputed: self.n_recomputed,
            given: self.given.clone(),
        }
    }
}

impl Growing {
    /// A band without rows.
    pub(crate) fn new(driver: &Driver<'_>, group: Group, dimension: usize) -> Self {
        let stmts = group.stmts.iter().map(|&stmt| &driver.stmts[stmt]);
        let spans = stmts.clone().map(|stmt| stmt.span.clone()).collect();
        let stmt_rows = stmts.map(|stmt| stmt.rows.clone()).collect();
        Self::after(driver, group, dimension, spans, stmt_rows)
    }

    /// A band without rows inside rows that are not yet the driver's, for each statement of the group.
    pub(crate) fn after(
        driver: &Driver<'_>,
        group: Group,
        dimension: usize,
        spans: Vec<Span>,
        stmt_rows: Vec<Vec<StmtRow>>,
    ) -> Self {
        let n_params = driver.scop.params().len();
        let stmts = group.stmts.iter().zip(&spans);
        let nodes: Rc<[Node]> = stmts
            .map(|(&stmt, span)| {
                Node::of_stmt(stmt, span.clone(), n_params, &driver.stmts[stmt].sizes)
            })
            .collect();
        let unchanged = |dep: &ActiveDep| {
            let (left, reused) = (dep.relation.clone(), dep.reused.clone());
            Rc::new(Progress { left, is_narrowed: false, sum: None, is_carried: false, reused })
        };
        Self {
            dimension,
            node_spans: nodes.iter().map(|node| node.span.clone()).collect(),
            nodes,
            max_rows: None,
            non_negative: non_negative(&group, n_params),
            ilp: None,
            stmt_rows,
            before: Vec::new(),
            spans,
            progress: group.deps.iter().map(unchanged).collect(),
            group,
            rows: Vec::new(),
            warnings: Vec::new(),
            was_recomputed: false,
            n_recomputed: 0,
            given: None,
        }
    }

    /// The band, without rows, as one of clusters that its statements make up, of at most `max_rows` rows.
    pub(crate) fn of_clusters(self, nodes: Vec<Node>, max_rows: usize) -> Self {
        Self {
            node_spans: nodes.iter().map(|node| node.span.clone()).collect(),
            nodes: nodes.into(),
            max_rows: Some(max_rows),
            ..self
        }
    }

    /// The node that its statements are when they move as a whole: a cluster.
    pub(crate) fn cluster(&self) -> Node {
        let member = |(at, &stmt): (usize, &StmtId)| NodeMember {
            stmt,
            n_iterators: self.spans[at].n_dims(),
            basis: self.rows.iter().map(|row| row.rows[at].clone()).collect(),
        };
        let n_dims = self.rows.len();
        Node {
            members: self.group.stmts.iter().enumerate().map(member).collect(),
            span: Span::new(n_dims),
            sizes: LoopSizes::unknown(n_dims),
        }
    }

    /// The band without what only the search for more rows needs.
    pub(crate) fn ended(self) -> Self {
        Self { ilp: None, before: Vec::new(), ..self }
    }

    /// What a fusion heuristic sees of it.
    pub(crate) fn worth(&self) -> BandWorth {
        BandWorth {
            n_members: self.rows.len(),
            n_coincident: self.rows.iter().take_while(|row| row.coincident).count(),
            can_be_shared: self.can_be_shared(),
        }
    }

    /// Whether it is a band, or the statements need none: rows that carry what no band is found for are no band.
    fn can_be_shared(&self) -> bool {
        if self.rows.is_empty() {
            return self.spans.iter().all(Span::is_full);
        }
        !self.rows.iter().any(|row| row.unmarked)
    }

    /// How many loops its statements still need; the largest number.
    pub(crate) fn n_loops_left(&self) -> usize {
        self.spans.iter().map(n_left).max().unwrap_or(0)
    }

    /// Whether its rows move clusters as wholes.
    pub(super) fn is_of_clusters(&self) -> bool {
        self.max_rows.is_some()
    }

    /// How many rows are still wanted.
    pub(super) fn n_rows_left(&self) -> usize {
        let most = self.node_spans.iter().map(n_left).max().unwrap_or(0);
        self.max_rows.map_or(most, |max| most.min(max.saturating_sub(self.rows.len())))
    }

    /// Whether outer bands have carried every dependence.
    pub(crate) fn is_free(&self) -> bool {
        !self.group.deps.iter().any(ActiveDep::is_validity)
    }

    /// Whether a row of the band carries something.
    pub(crate) fn has_carried(&self) -> bool {
        let deps = self.group.deps.iter().zip(&self.progress);
        let mut kept = deps.filter(|(dep, _)| !dep.is_no_order());
        kept.any(|(_, progress)| progress.is_carried || progress.is_narrowed)
    }

    /// Whether a statement of the group needs no more rows.
    pub(crate) fn is_complete(&self, stmt: StmtId) -> bool {
        self.group.stmts.binary_search(&stmt).is_ok_and(|at| self.spans[at].is_full())
    }

    /// Notes which of the user's constraints the next row breaks.
    pub(super) fn warn_of_broken(&mut self, dropped: &[Constraint], solution: &Solution) {
        let origins = broken(dropped, &self.group.stmts, &solution.rows);
        if !origins.is_empty() {
            let (stmts, dimension) = (self.group.stmts.clone(), self.dimension + self.rows.len());
            self.warnings.push(Warning::ConstraintsDropped { stmts, dimension, origins });
        }
    }

    /// Forgets the integer program where its rows depend on what is still used again.
    pub(super) fn forget_stale_ilp(&mut self) {
        let follows = |(plan, _): &(Plan, Ilp)| plan.costs.iter().any(|c| c.follows_reuse());
        if self.ilp.as_ref().is_some_and(follows) {
            self.ilp = None;
        }
    }

    /// Forgets a dependence.
    pub(crate) fn without_dep(&mut self, position: usize) {
        self.group.deps.remove(position);
        self.progress.remove(position);
        self.before.iter_mut().for_each(|before| {
            before.progress.remove(position);
        });
        self.ilp = None;
    }

    /// What each node without full rank must do.
    pub(crate) fn progression(&self) -> Vec<Progression> {
        self.progression_of(|span| !span.is_full())
    }

    /// The same with slack for nodes of smaller dimension: only those that need a new direction in each of the rows that
    /// are left must do anything.
    ///
    /// **Paper** the locality model, section 3.3.
    pub(super) fn progression_with_slack(&self) -> Vec<Progression> {
        let n_rows = self.n_rows_left();
        self.progression_of(|span| !span.is_full() && n_left(span) >= n_rows)
    }

    /// What the nodes must do whose spans are such.
    fn progression_of(&self, is_such: impl Fn(&Span) -> bool) -> Vec<Progression> {
        let such = self.node_spans.iter().enumerate().filter(|(_, span)| is_such(span));
        such.map(|(at, span)| Progression::new(NodeIdx::from_index(at), &span.complement()))
            .collect()
    }

    /// Notes the state before the next row.
    pub(super) fn remember(&mut self) {
        self.before.push(Before {
            spans: self.spans.clone(),
            node_spans: self.node_spans.clone(),
            progress: self.progress.clone(),
        });
    }

    /// Takes the last row back; says whether there was one.
    pub(crate) fn forget_last(&mut self) -> bool {
        let Some(before) = self.before.pop() else { return false };
        (self.spans, self.node_spans) = (before.spans, before.node_spans);
        self.progress = before.progress;
        self.rows.pop();
        for rows in &mut self.stmt_rows {
            rows.pop();
        }
        true
    }
}

/// How many directions a span lacks.
fn n_left(span: &Span) -> usize {
    span.n_dims() - span.rank()
}

/// For each parameter, whether it is not negative wherever a dependence of the group holds.
fn non_negative(group: &Group, n_params: usize) -> IdVec<ParamId, bool> {
    let is_known = |p: usize| {
        let holds = |dep: &ActiveDep| {
            let mut params = vec![0_i128; n_params];
            params[p] = 1;
            let dims = |count: usize| vec![0; count];
            let first = dep.cone.rows.first();
            dep.cone.contains(&PairForm {
                constant: 0,
                params,
                source: dims(first.map_or(0, |row| row.source.len())),
                sink: dims(first.map_or(0, |row| row.sink.len())),
            })
        };
        group.deps.iter().all(holds)
    };
    (0..n_params).map(|p| is_known(ParamId::from_index(p).index())).collect()
}
