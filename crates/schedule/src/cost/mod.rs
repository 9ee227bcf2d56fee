//! Cost functions: what a plan minimises.

mod carry_spatial;
mod feautrier;
mod menu;
mod proximity;
mod ranked;
mod sums;
mod temporal_spatial;
mod variable;
mod zero;

pub use carry_spatial::CarrySpatial;
pub use feautrier::Feautrier;
pub use menu::{CostList, CostMenu};
pub use proximity::Proximity;
pub use ranked::RankedIterators;
pub(crate) use ranked::{long_strides, strides};
pub use sums::CoefficientSums;
pub use temporal_spatial::TemporalSpatial;
pub use variable::UserCost;
pub use zero::ZeroDistance;

use crate::group::Group;
use crate::layout::{CostVariables, IlpLayout};
use crate::relations::Reused;
use crate::span::Span;
use farkas_base::IdVec;
use farkas_deps::Reuse;
use farkas_scop::{ParamId, Scop};
use farkas_solve::{Row, RowKind};

/// Rows that a cost function would like to have, but can do without.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wish {
    /// Its name in reports, where it has the cost 0 if it was granted and else 1.
    pub name: String,
    /// What it consists of: all parts are granted, or none. A part of a wish that was not granted is no part of those after it.
    pub parts: Vec<WishPart>,
}

/// A part of a wish: that a relation have distance zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WishPart {
    /// The relation, by its position in the group.
    pub dep: usize,
    /// Why that is wished for.
    pub reuse: Reuse,
    /// The rows that say so.
    pub rows: Vec<(RowKind, Row)>,
}

/// What a cost function may look at.
pub struct CostContext<'a> {
    /// The scop.
    pub scop: &'a Scop,
    /// The statements and the dependences that are to be kept in mind.
    pub group: &'a Group,
    /// For each parameter, whether it is known not to be negative.
    pub non_negative: &'a IdVec<ParamId, bool>,
    /// The sizes that are known and count as parameters.
    pub sizes: &'a [i64],
    /// Whether the rows may use parameters.
    pub has_params: bool,
    /// What the rows so far of each statement of the group span.
    pub spans: &'a [Span],
    /// For each relation of the group, what is used again along it, as far as no earlier row gave that up.
    pub reused: &'a [&'a [Reused]],
}

/// Takes rows over the columns of a layout.
pub type RowSink<'a> = dyn FnMut(RowKind, Row) + 'a;

/// Something to minimise: own variables, and rows that tie them to the schedule's coefficients.
pub trait CostFunction {
    /// Its name in strategies and reports.
    fn name(&self) -> &str;

    /// Whether a better value is worth a search over the signs of coefficients, where those may be negative.
    fn decides(&self) -> bool {
        true
    }

    /// Its own variables for this group.
    fn variables(&self, context: &CostContext<'_>) -> CostVariables;

    /// Its rows. `own` is its position in the plan: [`IlpLayout::own`] gives its variables.
    fn rows(
        &self,
        context: &CostContext<'_>,
        layout: &IlpLayout,
        own: usize,
        sink: &mut RowSink<'_>,
    );

    /// Whether its rows look at [`CostContext::reused`].
    fn follows_reuse(&self) -> bool {
        false
    }

    /// What it would like, the most important first: each wish is granted where that is possible together with the wishes
    /// granted before it and with the least cost of the functions before this one in the plan. The cost of all that
    /// follows, its own included, is minimised under the wishes that are granted. Asked before each row.
    fn wishes(&self, _context: &CostContext<'_>, _layout: &IlpLayout) -> Vec<Wish> {
        Vec::new()
    }
}
