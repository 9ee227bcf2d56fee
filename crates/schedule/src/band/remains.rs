//! What rows leave of relations, remembered: while components are combined, the same rows are tried again and again.

use crate::Result;
use crate::affine::PairForm;
use crate::driver::Driver;
use crate::group::ActiveDep;
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
pub(super) struct Remainder {
    pub(super) pairs: Map,
    pub(super) is_empty: bool,
}

impl Driver<'_> {
    /// The pairs of `relation` with zero distance; `None` where that took too much work.
    pub(super) fn left_at_zero(
        &mut self,
        relation: &Map,
        distance: PairForm,
    ) -> Result<Option<Remainder>> {
        let key = (relation.address(), distance);
        if let Some((_, known)) = self.remains.at_zero.get(&key) {
            return Ok(Some(known.clone()));
        }
        let found = self.within_isl_budget(|| {
            let pairs = ActiveDep::at_zero(relation, &key.1)?;
            Ok(Remainder { is_empty: pairs.is_empty()?, pairs })
        })?;
        if let Some(found) = &found {
            self.remains.at_zero.insert(key, (relation.clone(), found.clone()));
        }
        Ok(found)
    }

    /// The pairs of `relation`, with as few pieces as isl finds and explicit equalities; unchanged where that took too much
    /// work.
    pub(super) fn simplified(&mut self, relation: &Map) -> Result<Map> {
        if let Some((_, known)) = self.remains.simplified.get(&relation.address()) {
            return Ok(known.clone());
        }
        let found = self.within_isl_budget(|| Ok(relation.coalesce()?.detect_equalities()?))?;
        let simplified = found.unwrap_or_else(|| relation.clone());
        let entry = (relation.clone(), simplified.clone());
        self.remains.simplified.insert(relation.address(), entry);
        Ok(simplified)
    }
}
