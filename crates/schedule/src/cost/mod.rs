//! Cost functions: what a plan minimises.

mod feautrier;
mod menu;
mod proximity;
mod ranked;
mod sums;
mod variable;
mod zero;

pub use feautrier::Feautrier;
pub use menu::{CostList, CostMenu};
pub use proximity::Proximity;
pub use ranked::RankedIterators;
pub(crate) use ranked::strides;
pub use sums::CoefficientSums;
pub use variable::UserCost;
pub use zero::ZeroDistance;

use crate::group::Group;
use crate::layout::IlpLayout;
use farkas_base::IdVec;
use farkas_scop::{ParamId, Scop};
use farkas_solve::{Row, RowKind};

/// The names of a cost function's own variables, all of them non-negative integers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CostVariables {
    /// The cost itself, minimised in this order, after that of the cost functions before and before that of those after.
    pub leading: Vec<String>,
    /// Variables that are minimised after the cost of all functions.
    pub trailing: Vec<String>,
}

/// What a cost function may look at.
pub struct CostContext<'a> {
    /// The scop.
    pub scop: &'a Scop,
    /// The statements and the dependences that are to be kept in mind.
    pub group: &'a Group,
    /// For each parameter, whether it is known not to be negative.
    pub non_negative: &'a IdVec<ParamId, bool>,
    /// Whether the rows may use parameters.
    pub has_params: bool,
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
}
