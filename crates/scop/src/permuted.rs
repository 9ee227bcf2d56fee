//! Statements whose dimensions are in another order, or run the other way.

use crate::{Access, Expr, Iterator, Statement};
use farkas_poly::{Aff, DimType, Map, Result, Set, Space};

/// A dimension of a statement, as a loop counts it or is to count it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim {
    /// Its position.
    pub at: usize,
    /// Whether the loop counts it downwards.
    pub falls: bool,
}

impl Dim {
    /// Dimensions as they are.
    pub fn as_they_are(n: usize) -> Vec<Self> {
        (0..n).map(|at| Self { at, falls: false }).collect()
    }
}

impl Dim {
    /// What the loop counts, as a function of the instances of a space.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn count(self, instances: &Space) -> Result<Aff> {
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        let own = Aff::var_on_domain(instances, DimType::SET, at)?;
        if self.falls { own.neg() } else { Ok(own) }
    }
}

impl Statement {
    /// The statement with its dimensions in another order: each instance is the same, and runs when it did.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn permuted(&self, order: &[Dim]) -> Result<Self> {
        let renamed = self.renaming(order)?;
        let back = renamed.reverse()?.to_pw_multi_aff()?;
        let place = |old: u32| {
            let new = order.iter().position(|dim| dim.at == old as usize);
            new.and_then(|new| u32::try_from(new).ok()).unwrap_or(old)
        };
        let mut iterators = Vec::new();
        for iterator in order.iter().filter_map(|dim| self.iterators.get(dim.at)) {
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
    fn renaming(&self, order: &[Dim]) -> Result<Map> {
        let all = Set::universe(&self.domain.space()?)?;
        let mut renamed = Map::from_domain_and_range(&all, &Set::unnamed_universe(0)?)?;
        for dim in order {
            let own = dim.count(&all.space()?)?;
            renamed = renamed.flat_range_product(&own.to_pw_aff()?.to_map()?)?;
        }
        renamed.with_tuple_name(DimType::Out, &self.name)
    }
}

/// Subscripts over iterators at other places.
fn written(subscripts: &[Expr], place: &dyn Fn(u32) -> u32) -> Vec<Expr> {
    subscripts.iter().map(|subscript| subscript.with_iterators(place)).collect()
}
