//! What loops are told of the parameters.
//!
//! Types, declared sizes and what is tested put limits on parameters: `m <= 2147483646`. isl bounds a loop over several
//! statements by what holds for each of them; with such a limit, `n + 2147483646` bounds both `i < n` and `i < m`, and the
//! loop runs through thousands of millions of iterations that do nothing. Without it, the bound is the larger of the two.

use crate::Result;
use farkas_poly::{BasicMap, Constraints, Set, UnionSet};

/// Limits below this are not taken away: they make loops small enough to be cut or to vanish.
const LEAST: i64 = 64;

/// What is known of the parameters, and what isl is told of it.
pub(crate) struct Context {
    /// All that is known, where `told` is less.
    known: Option<Set>,
    /// What isl is told.
    pub(crate) told: Set,
}

impl Context {
    /// What isl is told of `known`.
    pub(crate) fn of(known: &Set) -> Result<Self> {
        let told = without_limits(known)?;
        let known = (!told.is_subset(known)?).then(|| known.clone());
        Ok(Self { known, told })
    }

    /// Instances of statements without the limits.
    pub(crate) fn instances(&self, instances: &UnionSet) -> Result<UnionSet> {
        match &self.known {
            Some(known) => Ok(instances.gist_params(known)?),
            None => Ok(instances.clone()),
        }
    }
}

/// `context` without the limits of parameters: a superset of it.
pub(crate) fn without_limits(context: &Set) -> Result<Set> {
    let space = context.from_params()?.space()?.map_from_set()?;
    let mut pieces = Vec::new();
    for piece in context.basic_sets()? {
        let Constraints { equalities, mut inequalities } = piece.constraints()?;
        if !inequalities.iter().any(|row| row.is_limit(LEAST)) {
            pieces.push(piece.to_set()?);
            continue;
        }
        inequalities.retain(|row| !row.is_limit(LEAST));
        let piece = BasicMap::of_constraints(&space, &Constraints { equalities, inequalities })?;
        pieces.push(piece.to_map()?.params()?);
    }
    Ok(Set::union_all(pieces)?.unwrap_or_else(|| context.clone()))
}
