//! Strategies and their plans: what to look for in the next dimension.

use crate::affine::StmtRow;
use crate::arrange::PartOrder;
use crate::constraint::{Constraint, Demand};
use crate::cost::CostFunction;
use crate::fallback::Fallback;
use crate::fusion::{Fusion, FusionControl};
use crate::group::{ActiveDep, Group};
use crate::report::{RowReport, Warning};
use crate::scenario::InfluenceTree;
use crate::span::Span;
use crate::{Result, Scheduled};
use farkas_deps::{DependenceKind, Dependences, LocalityOptions};
use farkas_scop::{Scop, StmtId};
use std::rc::Rc;

/// What to look for in the next dimension.
#[derive(Clone)]
pub struct Plan {
    /// What to minimise, in this order.
    pub costs: Vec<Rc<dyn CostFunction>>,
    /// Extra constraints.
    pub constraints: Vec<Constraint>,
    /// Which components share their loops.
    pub fusion: Rc<dyn Fusion>,
    /// The kinds of dependences that make components related in the eyes of the fusion heuristic.
    pub proximity_kinds: Vec<DependenceKind>,
    /// Whether rows may use parameters.
    pub parametric_shift: bool,
    /// Whether the coefficients of iterators may be negative.
    pub negative_coefficients: bool,
    /// Where they may be: whether of rows of equal cost those with non-negative coefficients are looked at first; else the
    /// first one counts that a search over signs comes to, as in isl.
    pub prefers_positive: bool,
    /// An upper bound on the coefficients of iterators and parameters; of clusters, on those of the members of their bands.
    pub max_coefficient: Option<i64>,
    /// An upper bound on the constants.
    pub max_constant: Option<i64>,
    /// Whether the coefficients of iterators are so small that no loops of known size are coalesced; in all cases where the
    /// strategy [avoids](Strategy::avoids_coalescing) that, else where plain bounds tell the size.
    pub bounded_by_sizes: bool,
    /// What to do without a solution.
    pub fallbacks: Vec<Fallback>,
    /// End the band, if it has a row, before this row.
    pub ends_band: bool,
    /// Make this dimension one of distribution: the band ends, and the parts that `fusion` makes run one after another.
    pub distributes: bool,
    /// Whether `fusion` is the user's own word on which parts there are: else they give way where their sequence breaks a
    /// constraint that a common row keeps.
    pub fusion_is_demanded: bool,
    /// Whether what touches the same lines is to be close for the fusion heuristic, too.
    pub spatial_fusion: bool,
    /// Give statements of smaller dimension slack: demand progress only of those that need a new direction in each row that
    /// is left (the locality model, section 3.3); the others progress where that costs nothing. Clusters always have it
    /// where they are scheduled relative to one another.
    pub defers_shallow: bool,
    /// Say neither that the band with this row is permutable nor that the row is coincident, as isl does not of rows that
    /// carry what it finds no band for.
    pub unmarked: bool,
    /// Look for a row even where every statement has full rank: one more member, without progression.
    pub extra_row: bool,
    /// Forget the last row of the band and look for it again under this plan. Without effect where the band has no row,
    /// and where that was asked for [`ScheduleOptions::max_trials`](crate::ScheduleOptions::max_trials) times in the band.
    pub recompute_last: bool,
}

impl Plan {
    /// A plan with these costs and this heuristic, without anything beyond them: non-negative coefficients, no constraints,
    /// every dependence a reason to be together, and the usual fallbacks.
    pub fn new(costs: Vec<Rc<dyn CostFunction>>, fusion: impl Into<FusionControl>) -> Self {
        use DependenceKind::{Anti, Flow, Output};
        Self {
            costs,
            constraints: Vec::new(),
            fusion: Rc::new(fusion.into()),
            proximity_kinds: vec![Flow, Anti, Output],
            parametric_shift: false,
            negative_coefficients: false,
            prefers_positive: true,
            max_coefficient: None,
            max_constant: None,
            bounded_by_sizes: false,
            fallbacks: Fallback::USUAL.to_vec(),
            ends_band: false,
            distributes: false,
            fusion_is_demanded: false,
            spatial_fusion: false,
            defers_shallow: false,
            unmarked: false,
            extra_row: false,
            recompute_last: false,
        }
    }

    /// Whether a relation is one of those that the fusion heuristic is to make short.
    pub(crate) fn brings_close(&self, dep: &ActiveDep) -> bool {
        (!dep.is_conditional() && dep.is_any_of(&self.proximity_kinds))
            || self.spatial_fusion && dep.roles.spatial
    }

    /// Takes the user's constraints out of the plan.
    pub(crate) fn take_user_constraints(&mut self) -> Vec<Constraint> {
        let constraints = std::mem::take(&mut self.constraints);
        let (users, others) = constraints.into_iter().partition(|c| c.user_number().is_some());
        self.constraints = others;
        users
    }

    /// Whether it has constraints of the user's.
    pub(crate) fn has_user_constraints(&self) -> bool {
        self.constraints.iter().any(|c| c.user_number().is_some())
    }

    /// Whether both lead to the same integer program but for progression.
    pub(crate) fn has_same_ilp(&self, other: &Self) -> bool {
        self.constraints == other.constraints
            && self.parametric_shift == other.parametric_shift
            && self.negative_coefficients == other.negative_coefficients
            && self.max_coefficient == other.max_coefficient
            && self.max_constant == other.max_constant
            && self.bounded_by_sizes == other.bounded_by_sizes
            && self.unmarked == other.unmarked
            && self.costs.len() == other.costs.len()
            && self.costs.iter().zip(&other.costs).all(|(a, b)| Rc::ptr_eq(a, b))
    }
}

/// What a strategy may look at.
pub struct State<'a> {
    /// The scop.
    pub scop: &'a Scop,
    /// All dependences.
    pub deps: &'a Dependences,
    /// The statements to schedule now, and what is left unordered among them.
    pub group: &'a Group,
    /// The row to find: bands' members and sequences outside it, counted along the path from the root.
    pub dimension: usize,
    /// How many members the band at hand has so far.
    pub n_members: usize,
    /// How many plans for this row had no solution and asked for another.
    pub attempt: usize,
    /// Whether the last row was found again at the wish of the plan before.
    pub was_recomputed: bool,
    /// The last row found for these statements, with its properties.
    pub last: Option<&'a RowReport>,
    /// The rows found so far of each statement of the group, in its order.
    pub rows: &'a [Vec<StmtRow>],
    /// What the rows of each statement of the group span, with what its domain fixes: a full span needs no more rows.
    pub spans: &'a [Span],
    /// For each dependence of the group, whether the rows of the band so far carry it.
    pub carried: &'a [bool],
    /// For each statement of the group, whether one of its rows so far is coincident.
    pub has_parallel: &'a [bool],
}

impl State<'_> {
    /// The largest number of loops that a statement of the group still needs.
    pub fn loops_left(&self) -> usize {
        self.spans.iter().map(|span| span.n_dims() - span.rank()).max().unwrap_or(0)
    }

    /// Whether no statement of the group needs more loops than this row.
    pub fn is_last(&self) -> bool {
        self.loops_left() <= 1
    }
}

/// Decides how one schedule is built. The driver asks before each dimension.
pub trait Strategy {
    /// Its name.
    fn name(&self) -> &str;

    /// What to look for in the dimension that `state` describes.
    fn plan(&mut self, state: &State<'_>) -> Plan;

    /// What of the locality model its cost functions look at; none where they do not.
    fn locality(&self) -> Option<LocalityOptions> {
        None
    }

    /// Sets of statements whose rows are found together in every dimension, whether they share loops or not, since
    /// constraints or variables tie them together.
    fn links(&self) -> Vec<Vec<StmtId>> {
        Vec::new()
    }

    /// Whether rows must not coalesce loops of constant size, nor use iterators that the others determine.
    fn avoids_coalescing(&self) -> bool {
        false
    }

    /// Whether rows may rest on how large known sizes of loops are; else these count as parameters, and rows are the same
    /// whether a size is known or not.
    fn counts_on_sizes(&self) -> bool {
        false
    }

    /// How parts of a group that do not share their loops are ordered.
    fn part_order(&self) -> PartOrder {
        PartOrder::Sequence
    }

    /// Whether live ranges of a temporary may change their order: its false dependences are kept only where a live range does
    /// not lie in one iteration of a band, and do not stop a loop from being parallel whose iterations may have copies.
    fn reorders_live_ranges(&self) -> bool {
        false
    }

    /// Scenarios to follow where that is legal; what they leave open, and everything where none is feasible, is planned.
    fn influence(&self) -> Option<InfluenceTree> {
        None
    }

    /// The user's constraints, against which what comes out is held.
    fn demands(&self) -> Vec<Demand> {
        Vec::new()
    }

    /// Whether those that do not hold are warned of; else they are an error.
    fn drops_demands(&self) -> bool {
        false
    }

    /// Whether a loop that runs through `row` of a statement may be called parallel, if it is.
    fn may_be_parallel(&self, _stmt: StmtId, _row: &StmtRow) -> bool {
        true
    }

    /// Looks at what came out; true asks for another run, under other plans.
    fn revise(&mut self, _outcome: &Result<Scheduled>) -> bool {
        false
    }

    /// Why its plans are worth nothing, where the strategy itself failed; asked after each run.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Told before the run after which there is no other: wishes that may leave no schedule are to be dropped now.
    fn settle(&mut self) {}

    /// What the user should know of the plans.
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
}
