//! Strategies and their plans: what to look for in the next dimension.

use crate::affine::StmtRow;
use crate::arrange::PartOrder;
use crate::cost::CostFunction;
use crate::fusion::{Fusion, FusionControl};
use crate::group::{ActiveDep, Group};
use crate::influence::InfluenceTree;
use crate::kept::Demand;
use crate::layout::Coefficient;
use crate::report::{RowReport, Warning};
use crate::span::Span;
use crate::{Result, Scheduled};
use farkas_deps::{DependenceKind, Dependences, LocalityOptions};
use farkas_scop::{Scop, StmtId};
use farkas_solve::RowKind;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A term of a plan's constraint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A coefficient of a statement's row in this dimension. One that the plan fixes at zero counts as zero.
    Coefficient(StmtId, Coefficient),
    /// A variable of one of the plan's cost functions.
    Cost {
        /// The cost function's position in the plan.
        function: usize,
        /// The variable's position: leading ones, then trailing ones.
        variable: usize,
    },
}

/// What a constraint came from, for messages where it leaves no solution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// A constraint of the user's, by its number.
    Constraint(usize),
    /// A directive of the user's, by its number.
    Directive(usize),
}

/// An extra constraint: `sum of factor * term + constant`, zero or not negative.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    /// Zero, or not negative.
    pub kind: RowKind,
    /// The terms with their factors.
    pub terms: Vec<(Term, i64)>,
    /// The constant.
    pub constant: i64,
    /// What it came from. Where constraints with an origin leave no row, that is an error, unless the plan's fallbacks
    /// have [`Fallback::DropConstraints`] for those of the user's.
    pub origin: Option<Origin>,
    /// Whether the row must keep it also where it is that of a sequence: its constants are the positions of the parts, its
    /// other coefficients zero.
    pub in_sequences: bool,
}

impl Constraint {
    /// Whether it restricts a variable of a cost function.
    pub(crate) fn has_cost(&self) -> bool {
        self.terms.iter().any(|(term, _)| matches!(term, Term::Cost { .. }))
    }

    /// The number of the user's constraint that it came from.
    pub(crate) fn user_number(&self) -> Option<usize> {
        match self.origin {
            Some(Origin::Constraint(number)) => Some(number),
            Some(Origin::Directive(_)) | None => None,
        }
    }

    /// Whether the rows of `stmts` are known to keep it: of the values of costs' variables nothing is known.
    fn is_kept_by(&self, stmts: &[StmtId], rows: &[StmtRow]) -> bool {
        let value = |term: &Term| match term {
            Term::Coefficient(stmt, which) => {
                let at = stmts.binary_search(stmt).ok()?;
                rows.get(at).map(|row| i128::from(row.coefficient(*which)))
            }
            Term::Cost { .. } => None,
        };
        let parts: Option<Vec<i128>> = self
            .terms
            .iter()
            .map(|(term, factor)| value(term)?.checked_mul(i128::from(*factor)))
            .collect();
        let sum = parts.and_then(|parts| {
            parts.into_iter().try_fold(i128::from(self.constant), i128::checked_add)
        });
        sum.is_some_and(|sum| match self.kind {
            RowKind::Equality => sum == 0,
            RowKind::Inequality => sum >= 0,
        })
    }
}

/// The numbers of those of the user's constraints among `constraints` that the rows of `stmts` break, ascending.
pub(crate) fn broken(constraints: &[Constraint], stmts: &[StmtId], rows: &[StmtRow]) -> Vec<usize> {
    let broken = constraints.iter().filter(|c| !c.is_kept_by(stmts, rows));
    let numbers: BTreeSet<usize> = broken.filter_map(Constraint::user_number).collect();
    numbers.into_iter().collect()
}

/// What the driver does where a plan's integer program has no solution. A plan lists them in the order in which they are
/// tried; when none helps, the statements keep their original order, with a warning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Fallback {
    /// Ask the strategy for another plan: [`State::attempt`] tells it how often its plans for this row had no solution.
    Replan,
    /// Try the other signs of the progression constraints.
    OtherSigns,
    /// Demand progress only of the statements that need the most loops; the others wait.
    DeferShallow,
    /// Let the rows use parameters.
    ParametricShift,
    /// End the band, if it has a row, drop the dependences that it carries, and start another.
    NewBand,
    /// Order the strongly connected components one after another.
    SeparateComponents,
    /// Look for this row again, by the whole order, without the user's constraints ([`Origin::Constraint`]); those that the
    /// row breaks are in a [`Warning::ConstraintsDropped`]. Without effect at a node of an influence tree.
    DropConstraints,
    /// Where no dependence is left and influence asks for another row: do not demand progress.
    DropProgression,
    /// Go on with the next sibling of the influence node.
    NextSibling,
    /// Come back to the closest ancestor of the influence node that has another sibling, and withdraw the rows from there.
    AncestorSibling,
}

impl Fallback {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Replan,
        Self::OtherSigns,
        Self::DeferShallow,
        Self::ParametricShift,
        Self::NewBand,
        Self::SeparateComponents,
        Self::DropConstraints,
        Self::DropProgression,
        Self::NextSibling,
        Self::AncestorSibling,
    ];

    /// Those that most strategies want, in the order in which they want them.
    pub const USUAL: [Self; 5] = [
        Self::OtherSigns,
        Self::NewBand,
        Self::SeparateComponents,
        Self::DeferShallow,
        Self::ParametricShift,
    ];

    /// Its name in strategies and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replan => "replan",
            Self::OtherSigns => "other-signs",
            Self::DeferShallow => "defer-shallow",
            Self::ParametricShift => "parametric-shift",
            Self::NewBand => "new-band",
            Self::SeparateComponents => "separate-components",
            Self::DropConstraints => "drop-constraints",
            Self::DropProgression => "drop-progression",
            Self::NextSibling => "next-sibling",
            Self::AncestorSibling => "ancestor-sibling",
        }
    }
}

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

    /// Whether the outermost bands with parallel members are marked with the threads of a GPU that run them.
    fn maps_threads(&self) -> bool {
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
