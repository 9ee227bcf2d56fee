//! What rows leave of relations, remembered: while components are combined, the same rows are tried again and again.

use crate::Result;
use crate::affine::PairForm;
use crate::group::ActiveDep;
use crate::options::ScheduleOptions;
use farkas_poly::Map;
use std::collections::HashMap;

/// What is left of relations, by their addresses; the relations are kept, so that no other one gets the address.
#[derive(Default)]
pub(crate) struct Remains {
    /// The pairs with this distance zero.
    at_zero: HashMap<(usize, PairForm), (Map, Remainder)>,
    /// The same pairs in a simpler form.
    simplified: HashMap<usize, (Map, Map)>,
}

/// Some pairs of a relation.
#[derive(Clone)]
pub(crate) struct Remainder {
    pub(crate) pairs: Map,
    pub(crate) is_empty: bool,
}

impl Remains {
    /// The pairs of `relation` with zero distance; `None` where that took too much work.
    pub(crate) fn left_at_zero(
        &mut self,
        relation: &Map,
        distance: PairForm,
        options: &ScheduleOptions,
    ) -> Result<Option<Remainder>> {
        let key = (relation.address(), distance);
        if let Some((_, known)) = self.at_zero.get(&key) {
            return Ok(Some(known.clone()));
        }
        let found = options.within_isl_budget(|| {
            let pairs = ActiveDep::at_zero(relation, &key.1)?;
            Ok(Remainder { is_empty: pairs.is_empty()?, pairs })
        })?;
        if let Some(found) = &found {
            self.at_zero.insert(key, (relation.clone(), found.clone()));
        }
        Ok(found)
    }

    /// The pairs of `relation`, with as few pieces as isl finds and explicit equalities; unchanged where that took too much
    /// work.
    pub(crate) fn simplified(&mut self, relation: &Map, options: &ScheduleOptions) -> Result<Map> {
        if let Some((_, known)) = self.simplified.get(&relation.address()) {
            return Ok(known.clone());
        }
        let found =
            options.within_isl_budget(|| Ok(relation.coalesce()?.detect_equalities()?))?;
        let simplified = found.unwrap_or_else(|| relation.clone());
        let entry = (relation.clone(), simplified.clone());
        self.simplified.insert(relation.address(), entry);
        Ok(simplified)
    }
}
