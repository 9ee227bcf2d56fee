//! Statements whose dimensions are in another order.

use crate::{Access, Expr, Iterator, Statement};
use farkas_poly::{DimType, Map, Result, Set};

impl Statement {
    /// The statement with its dimensions in another order, that of their positions in `order`: each instance is the same, and runs when it did.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn permuted(&self, order: &[usize]) -> Result<Self> {
        let renamed = self.renaming(order)?;
        let back = renamed.reverse()?.to_pw_multi_aff()?;
        let place = |old: u32| {
            let new = order.iter().position(|at| *at == old as usize);
            new.and_then(|new| u32::try_from(new).ok()).unwrap_or(old)
        };
        let mut iterators = Vec::new();
        for iterator in order.iter().filter_map(|at| self.iterators.get(*at)) {
            let value = iterator.value.pullback_pw_multi_aff(&back)?;
            iterators.push(Iterator { value, ..iterator.clone() });
        }
        let mut permuted = Self {
            domain: self.domain.apply(&renamed)?,
            iterators,
            date: self.date.apply_domain(&renamed)?,
            body: self.body.iter().map(|part| part.with_iterators(&place)).collect(),
            ..self.clone()
        };
        for access in permuted.accesses.iter_mut() {
            *access = Access {
                relation: access.relation.apply_domain(&renamed)?,
                subscripts: written(&access.subscripts, &place),
                ..access.clone()
            };
        }
        Ok(permuted)
    }

    /// From instances to what they are called when the dimensions are in another order.
    fn renaming(&self, order: &[usize]) -> Result<Map> {
        let all = Set::universe(&self.domain.space()?)?;
        let mut renamed = Map::from_domain_and_range(&all, &Set::unnamed_universe(0)?)?;
        let identity = all.identity()?;
        let rank = self.domain.dim(DimType::SET)?;
        for at in order.iter().filter_map(|at| u32::try_from(*at).ok()) {
            let behind = rank.saturating_sub(at + 1);
            let one = identity.project_out(DimType::Out, at + 1, behind)?;
            renamed = renamed.flat_range_product(&one.project_out(DimType::Out, 0, at)?)?;
        }
        renamed.with_tuple_name(DimType::Out, &self.name)
    }
}

/// Subscripts over iterators at other places.
fn written(subscripts: &[Expr], place: &dyn Fn(u32) -> u32) -> Vec<Expr> {
    subscripts.iter().map(|subscript| subscript.with_iterators(place)).collect()
}
