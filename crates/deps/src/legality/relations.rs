//! Relations between instances by their dates and places.

use crate::Result;
use farkas_poly::{Map, UnionPwAff, UnionSet};

/// Those of `pairs` whose dates under `schedule` are related by `relation`.
pub(crate) fn between(pairs: &Map, schedule: &UnionPwAff, relation: &str) -> Result<Map> {
    let relation: Map = relation.parse()?;
    let space = pairs.space()?;
    let source = schedule.extract_pw_aff(&space.domain()?)?.to_map()?;
    let sink = schedule.extract_pw_aff(&space.range()?)?.to_map()?;
    let dates = source.apply_range(&relation)?.apply_range(&sink.reverse()?)?;
    Ok(pairs.intersect(&dates)?)
}

/// Those of `pairs` both of whose instances lie in `filter`.
pub(crate) fn restricted(pairs: &Map, filter: &UnionSet) -> Result<Map> {
    let space = pairs.space()?;
    let source = filter.extract_set(&space.domain()?)?;
    let sink = filter.extract_set(&space.range()?)?;
    Ok(pairs.intersect_domain(&source)?.intersect_range(&sink)?)
}
