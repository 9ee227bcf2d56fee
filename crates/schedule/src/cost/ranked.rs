//! Costs that rank the iterators of each statement: the cheapest becomes the outermost loop.

use super::{CostContext, CostFunction, RowSink};
use crate::Result;
use crate::coefficient::Coefficient;
use crate::layout::{CostVariables, IlpLayout};
use farkas_base::{Id, IdVec};
use farkas_poly::{DimType, Set, Val};
use farkas_scop::{Access, Scop, StmtId, Stride, linear_subscripts};
use farkas_solve::{Row, RowKind};

/// What a parameter is taken to be where extents are compared, if the context allows it.
const TYPICAL_PARAM: i64 = 1000;

/// A price for each iterator of each statement.
///
/// **Paper** PolyTOPS eq. (5).
///
/// **Formulation** lexmin `sum over S, i of price_S,i |c_S,i|`. The prices of a statement are powers of ten: 1 for the
/// iterator that should be outermost, 10 for the next; equals have the same price.
///
/// **Shapes** one leading variable, called like the cost function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedIterators {
    name: &'static str,
    prices: IdVec<StmtId, Vec<i64>>,
}

impl RankedIterators {
    /// `contiguity`: iterators that move far in memory outermost. Each access to an array counts for the iterator two
    /// where it goes to a neighbouring element, one where it stays, else nothing; the highest count is innermost. For
    /// PolyTOPS' Fig. 1 the prices are (10, 1) and (1, 10).
    ///
    /// # Errors
    /// When isl refuses.
    pub fn contiguity(scop: &Scop) -> Result<Self> {
        Self::new("contiguity", scop, contiguous_accesses)
    }

    /// `bigLoopsFirst`: iterators with long ranges outermost. Parameters count as 1000 where the context allows that for
    /// each alone, after those before it; else as the least value that it allows. For PolyTOPS' Fig. 1 the prices are
    /// (1, 10) for both statements.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn big_loops_first(scop: &Scop) -> Result<Self> {
        let context = typical_params(scop)?;
        Self::new("bigLoopsFirst", scop, |scop, stmt| {
            let lengths = extents(&scop.domain_of(stmt)?.intersect_params(&context)?)?;
            Ok(lengths.into_iter().map(i64::saturating_neg).collect())
        })
    }

    /// `longStridesFirst`: iterators outermost along which accesses go farthest, whatever the order of the source's loops.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn long_strides_first(scop: &Scop) -> Result<Self> {
        Self::new("longStridesFirst", scop, long_strides)
    }

    /// Prices by the rank of what `value` gives for each iterator, the smallest outermost.
    fn new<V: Ord + Clone>(
        name: &'static str,
        scop: &Scop,
        value: impl Fn(&Scop, StmtId) -> Result<Vec<V>>,
    ) -> Result<Self> {
        let prices = scop.stmts().ids().map(|stmt| Ok(ranked(&value(scop, stmt)?)));
        Ok(Self { name, prices: prices.collect::<Result<Vec<_>>>()?.into_iter().collect() })
    }

    /// The price of each iterator of a statement, outermost first.
    pub fn prices(&self, stmt: StmtId) -> &[i64] {
        &self.prices[stmt]
    }
}

impl CostFunction for RankedIterators {
    fn name(&self) -> &str {
        self.name
    }

    fn variables(&self, _context: &CostContext<'_>) -> CostVariables {
        CostVariables { leading: vec![self.name.to_owned()], trailing: Vec::new() }
    }

    fn rows(
        &self,
        _context: &CostContext<'_>,
        layout: &IlpLayout,
        own: usize,
        sink: &mut RowSink<'_>,
    ) {
        let Some(&cost) = layout.own(own).first() else { return };
        let mut row = Row::new().with(cost, 1);
        for stmt in layout.stmts() {
            for (i, &price) in self.prices[stmt].iter().enumerate() {
                layout.add_magnitude(&mut row, stmt, Coefficient::Iterator(i), -price);
            }
        }
        sink(RowKind::Equality, row);
    }
}

/// Ten to the number of different values below each.
fn ranked<V: Ord + Clone>(values: &[V]) -> Vec<i64> {
    let mut different = values.to_vec();
    different.sort_unstable();
    different.dedup();
    let rank = |value: &V| different.partition_point(|other| other < value);
    let price = |rank: usize| 10_i64.saturating_pow(u32::try_from(rank).unwrap_or(u32::MAX));
    // Sums of a few prices fit 64 bits.
    values.iter().map(|value| price(rank(value).min(12))).collect()
}

/// For each iterator of a statement, how well its accesses move through memory.
fn contiguous_accesses(scop: &Scop, stmt: StmtId) -> Result<Vec<i64>> {
    let statement = &scop.stmts()[stmt];
    let mut counts = vec![0; statement.depth()];
    for access in &statement.accesses {
        for (count, stride) in counts.iter_mut().zip(strides(access, statement.depth())?) {
            *count += match stride {
                Stride::Contiguous => 2,
                Stride::Invariant => 1,
                Stride::Strided => 0,
            };
        }
    }
    Ok(counts)
}

/// For each iterator of a statement, how often subscripts use it, by their distance from the last subscript of their array:
/// the more often in the farther ones, the smaller. Then how often the last ones do not.
pub(crate) fn long_strides(scop: &Scop, stmt: StmtId) -> Result<Vec<Vec<i64>>> {
    let statement = &scop.stmts()[stmt];
    let mut subscripts = Vec::new();
    for access in &statement.accesses {
        subscripts.extend(linear_subscripts(&access.relation)?);
    }
    let most = subscripts.iter().map(Vec::len).max().unwrap_or(0);
    let counts = |iterator: usize| {
        let mut counts = vec![0; most];
        for rows in &subscripts {
            for (from_last, row) in rows.iter().rev().enumerate() {
                let is_used = row.get(iterator).is_some_and(|&c| c != 0);
                // The farthest come first, the last subscript counts the other way round.
                counts[most - 1 - from_last] -= i64::from(is_used != (from_last == 0));
            }
        }
        counts
    };
    Ok((0..statement.depth()).map(counts).collect())
}

/// The stride of an access for each of the `depth` iterators.
pub(crate) fn strides(access: &Access, depth: usize) -> Result<Vec<Stride>> {
    let rows = linear_subscripts(&access.relation)?;
    let unit = |iterator: usize| (0..depth).map(|i| i64::from(i == iterator)).collect::<Vec<_>>();
    Ok((0..depth).map(|iterator| Stride::along(rows.as_deref(), &unit(iterator))).collect())
}

/// Typical values of the parameters: a set with one point.
fn typical_params(scop: &Scop) -> Result<Set> {
    let mut context = scop.context().clone();
    for (id, parameter) in scop.params().iter_enumerated() {
        let at = context.find_param(&parameter.name);
        let at = at.unwrap_or(u32::try_from(id.index()).unwrap_or(u32::MAX));
        let typical = context.fix_val(DimType::Param, at, &Val::int(TYPICAL_PARAM)?)?;
        context = if typical.is_empty()? { least_param(&context, at)? } else { typical };
    }
    Ok(context)
}

/// The context with a parameter at its least value; unchanged where there is none.
fn least_param(context: &Set, at: u32) -> Result<Set> {
    let as_dim = context.from_params()?.move_dims(DimType::SET, 0, DimType::Param, at, 1)?;
    let least = as_dim.dim_min_val(0)?;
    Ok(if least.is_int()? { context.fix_val(DimType::Param, at, &least)? } else { context.clone() })
}

/// How many values each dimension of a set without free parameters takes; the largest number where it is not bounded.
fn extents(set: &Set) -> Result<Vec<i64>> {
    let n = set.dim(DimType::SET)?;
    let of = |at: u32| {
        let at = i32::try_from(at).unwrap_or(i32::MAX);
        let (least, most) = (set.dim_min_val(at)?, set.dim_max_val(at)?);
        Ok(match (least.to_i64(), most.to_i64()) {
            (Ok(least), Ok(most)) => most.saturating_sub(least).saturating_add(1),
            _ => i64::MAX,
        })
    };
    (0..n).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::ranked;

    #[test]
    fn prices_are_dense_powers_of_ten() {
        assert_eq!(ranked(&[4, 0, 4, 7]), [10, 1, 10, 100]);
        assert_eq!(ranked(&[-100, -10]), [1, 10]);
        assert!(ranked::<i64>(&[]).is_empty());
    }
}
