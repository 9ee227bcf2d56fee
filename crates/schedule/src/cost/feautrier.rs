//! Feautrier's cost: carry as many dependences as possible.

use super::{CostContext, CostFunction, RowSink};
use crate::distance::distance_row;
use crate::group::ActiveDep;
use crate::layout::{CostVariables, IlpLayout};
use farkas_solve::{Row, RowKind};

/// The number of dependences that the row does not carry.
///
/// **Paper** P. Feautrier, *Some Efficient Solutions to the Affine Scheduling Problem, part II*, IJPP 21(6), 1992; encoded
/// as in the locality model, eq. (1).
///
/// **Formulation** for each dependence `k` a variable `f_k`, at most 1, with `phi_T(j) - phi_S(i) - 1 + f_k >= 0` on all
/// its pairs: it is 0 where the row carries every pair (`f_k` is `1 - e_k`); lexmin `sum of f_k`.
///
/// With [`Feautrier::Within`] those from a statement to itself alone count, and one of them must be carried (isl's
/// `schedule_carry_self_first`).
///
/// **Shapes** leading `uncarried`, the sum; trailing the `f_k`, in the order of the group's dependences.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Feautrier {
    /// All dependences count.
    #[default]
    All,
    /// Those within statements count.
    Within,
}

impl Feautrier {
    /// The dependences that count.
    fn counted<'a>(self, context: &'a CostContext<'_>) -> impl Iterator<Item = &'a ActiveDep> {
        let counts = move |dep: &&ActiveDep| match self {
            Self::All => dep.is_validity(),
            Self::Within => dep.is_validity() && dep.source == dep.sink,
        };
        context.group.deps.iter().filter(counts)
    }
}

impl CostFunction for Feautrier {
    fn name(&self) -> &str {
        "feautrier"
    }

    fn variables(&self, context: &CostContext<'_>) -> CostVariables {
        let name = |dep: &ActiveDep| {
            dep.ids.first().map_or_else(|| "f".to_owned(), |id| format!("f_{id}"))
        };
        let trailing: Vec<String> = self.counted(context).map(name).collect();
        let has_any = !trailing.is_empty();
        let leading = has_any.then(|| "uncarried".to_owned()).into_iter().collect();
        CostVariables { leading, trailing }
    }

    fn rows(
        &self,
        context: &CostContext<'_>,
        layout: &IlpLayout,
        own: usize,
        sink: &mut RowSink<'_>,
    ) {
        let Some((&sum, flags)) = layout.own(own).split_first() else { return };
        let negative = flags.iter().map(|&flag| (flag, -1));
        sink(RowKind::Equality, Row::from_terms(negative.chain([(sum, 1)]), 0));
        if *self == Self::Within {
            let most = i64::try_from(flags.len()).unwrap_or(i64::MAX) - 1;
            sink(RowKind::Inequality, Row::new().with(sum, -1).with_constant(most));
        }
        for (&flag, dep) in flags.iter().zip(self.counted(context)) {
            sink(RowKind::Inequality, Row::new().with(flag, -1).with_constant(1));
            for cone_row in &dep.cone.rows {
                let mut row = distance_row(layout, dep, cone_row, 1);
                row.add(flag, cone_row.constant);
                sink(cone_row.kind, row.with_constant(-cone_row.constant));
            }
        }
    }
}
