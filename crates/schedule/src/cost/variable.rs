//! Variables of the user's.

use super::{CostContext, CostFunction, RowSink};
use crate::config::UserVariable;
use crate::layout::{CostVariables, IlpLayout};
use farkas_solve::{Row, RowKind};

/// A variable of the user's, minimised or not.
///
/// **Shapes** leading, where it is minimised, the variable, or for a signed one its magnitude `|x|`; trailing what is left
/// of `x` itself: nothing, `x`, or its parts `x-` and `x+`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserCost {
    variable: UserVariable,
    is_minimized: bool,
}

impl UserCost {
    /// The variable, minimised or free.
    pub fn new(variable: UserVariable, is_minimized: bool) -> Self {
        Self { variable, is_minimized }
    }

    /// The columns of this cost function that make up the variable, by their position, with their signs.
    pub fn terms(&self) -> Vec<(usize, i64)> {
        match (self.variable.is_signed, self.is_minimized) {
            (false, _) => vec![(0, 1)],
            (true, false) => vec![(0, -1), (1, 1)],
            (true, true) => vec![(1, -1), (2, 1)],
        }
    }
}

impl CostFunction for UserCost {
    fn name(&self) -> &str {
        &self.variable.name
    }

    fn variables(&self, _context: &CostContext<'_>) -> CostVariables {
        let name = &self.variable.name;
        let parts = vec![format!("{name}-"), format!("{name}+")];
        let (leading, trailing) = match (self.variable.is_signed, self.is_minimized) {
            (false, true) => (vec![name.clone()], Vec::new()),
            (false, false) => (Vec::new(), vec![name.clone()]),
            (true, true) => (vec![format!("|{name}|")], parts),
            (true, false) => (Vec::new(), parts),
        };
        CostVariables { leading, trailing }
    }

    fn rows(
        &self,
        _context: &CostContext<'_>,
        layout: &IlpLayout,
        own: usize,
        sink: &mut RowSink<'_>,
    ) {
        if let &[magnitude, minus, plus] = layout.own(own) {
            let row = Row::new().with(magnitude, 1).with(minus, -1).with(plus, -1);
            sink(RowKind::Equality, row);
        }
    }
}
