//! Affine functions of a statement's instances as coefficients.

use crate::Result;
use farkas_poly::{Aff, DimType, Map, PwAff, Space};
use std::collections::BTreeMap;

/// An affine expression over the dimensions of a statement and the parameters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Affine {
    /// A coefficient a dimension.
    pub dims: Vec<i64>,
    /// The coefficients of parameters that are not zero.
    pub params: BTreeMap<String, i64>,
    /// The constant.
    pub constant: i64,
}

impl Affine {
    /// The expression that `value` is everywhere; `None` where it has several pieces, divisions or fractions.
    pub fn of(value: &PwAff) -> Result<Option<Self>> {
        let pieces = value.pieces()?;
        let [(_, aff)] = pieces.as_slice() else { return Ok(None) };
        if aff.dim(DimType::Div)? > 0 {
            return Ok(None);
        }
        let (Some(dims), Some(params)) = (row(aff, DimType::In)?, row(aff, DimType::Param)?) else {
            return Ok(None);
        };
        let Ok(constant) = aff.constant_val()?.to_i64() else { return Ok(None) };
        let names = aff.domain_space()?.param_names()?;
        let params = names.into_iter().zip(params).filter(|(_, c)| *c != 0).collect();
        Ok(Some(Self { dims, params, constant }))
    }

    /// The subscripts of an access relation; `None` where one is no such expression.
    pub fn of_relation(relation: &Map) -> Result<Option<Vec<Self>>> {
        if !relation.is_single_valued()? {
            return Ok(None);
        }
        let function = relation.to_pw_multi_aff()?;
        let n = i32::try_from(relation.dim(DimType::Out)?).unwrap_or(i32::MAX);
        let mut subscripts = Vec::new();
        for i in 0..n {
            match Self::of(&function.at(i)?)? {
                Some(subscript) => subscripts.push(subscript),
                None => return Ok(None),
            }
        }
        Ok(Some(subscripts))
    }

    /// The expression over dimensions behind `n` others.
    #[must_use]
    pub fn behind(&self, n: usize) -> Self {
        Self {
            dims: vec![0; n].into_iter().chain(self.dims.iter().copied()).collect(),
            ..self.clone()
        }
    }

    /// Whether dimension `at` occurs.
    pub fn involves(&self, at: usize) -> bool {
        self.dims.get(at).is_some_and(|c| *c != 0)
    }

    /// Whether it is dimension `at` plus what does not depend on the instance.
    pub fn is_shifted(&self, at: usize) -> bool {
        self.dims.iter().enumerate().all(|(i, c)| *c == i64::from(i == at))
    }

    /// Whether it is dimension `at` alone.
    pub fn is_exactly(&self, at: usize) -> bool {
        self.is_shifted(at) && self.constant == 0 && self.params.is_empty()
    }

    /// The expression over other dimensions, `n` of them: dimension `i` becomes `places[i]`. None where one that occurs has no
    /// place.
    pub fn moved(&self, places: &[Option<usize>], n: usize) -> Option<Self> {
        let mut dims = vec![0; n];
        for (c, place) in self.dims.iter().zip(places).filter(|(c, _)| **c != 0) {
            dims[(*place)?] = *c;
        }
        Some(Self { dims, ..self.clone() })
    }

    /// The function on `space`, which has all its parameters.
    pub fn to_aff(&self, space: &Space) -> Result<Aff> {
        let names = space.param_names()?;
        let params = names.iter().map(|name| self.params.get(name).copied().unwrap_or(0));
        Aff::linear(space, &self.dims, &params.collect::<Vec<_>>(), self.constant)
    }
}

/// The coefficients of one kind of dimension, where they are integers.
fn row(aff: &Aff, kind: DimType) -> Result<Option<Vec<i64>>> {
    let n = i32::try_from(aff.dim(kind)?).unwrap_or(i32::MAX);
    let row: farkas_poly::Result<Vec<i64>> =
        (0..n).map(|i| aff.coefficient_val(kind, i)?.to_i64()).collect();
    Ok(row.ok())
}
