//! Relations between instances by their dates and places.

use crate::Result;
use farkas_poly::{DimType, Map, PwAff, Set};

/// How the source's date lies to the sink's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Earlier.
    Before,
    /// Equal.
    Same,
    /// Later.
    After,
}

/// Those of `pairs` whose dates lie so.
pub(crate) fn related(pairs: &Map, source: &PwAff, sink: &PwAff, order: Order) -> Result<Map> {
    let (from, to) = (source.to_map()?, sink.to_map()?.reverse()?);
    let dates = match order {
        Order::Same => from.apply_range(&to)?,
        Order::Before | Order::After => {
            let all =
                Map::from_domain_and_range(&Set::unnamed_universe(1)?, &Set::unnamed_universe(1)?)?;
            let (a, b) = (DimType::In, DimType::Out);
            let compared = if order == Order::Before {
                all.order_lt(a, 0, b, 0)?
            } else {
                all.order_gt(a, 0, b, 0)?
            };
            from.apply_range(&compared)?.apply_range(&to)?
        }
    };
    Ok(pairs.intersect(&dates)?)
}
