//! Affine functions of a statement's instances as rows of integers.

use crate::Result;
use farkas_poly::{Aff, DimType, Map, PwAff, Space};

/// `dims . x + params . n + constant`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) dims: Vec<i64>,
    params: Vec<i64>,
    constant: i64,
}

impl Row {
    /// The function, where it is one affine expression with integer coefficients; its parameters must be those of the scop,
    /// in its order.
    pub(super) fn of(function: &PwAff) -> Result<Option<Self>> {
        let pieces = function.pieces()?;
        let [(_, aff)] = pieces.as_slice() else { return Ok(None) };
        if aff.dim(DimType::Div)? > 0 {
            return Ok(None);
        }
        let part = |kind| -> Result<Option<Vec<i64>>> {
            let n = i32::try_from(aff.dim(kind)?).unwrap_or(i32::MAX);
            let values = (0..n).map(|i| aff.coefficient_val(kind, i)?.to_i64());
            Ok(values.collect::<farkas_poly::Result<_>>().ok())
        };
        let (dims, params) = (part(DimType::In)?, part(DimType::Param)?);
        let constant = aff.constant_val()?.to_i64().ok();
        Ok(dims.zip(params).zip(constant).map(|((dims, params), constant)| Self {
            dims,
            params,
            constant,
        }))
    }

    /// The rows of an access relation, one for each subscript; none where one has no row.
    pub(super) fn of_relation(relation: &Map, params: &Space) -> Result<Option<Vec<Self>>> {
        let relation = relation.align_params(params)?;
        if !relation.is_single_valued()? {
            return Ok(None);
        }
        let function = relation.to_pw_multi_aff()?;
        let n = i32::try_from(relation.dim(DimType::Out)?).unwrap_or(i32::MAX);
        let mut rows = Vec::new();
        for i in 0..n {
            match Self::of(&function.at(i)?)? {
                Some(row) => rows.push(row),
                None => return Ok(None),
            }
        }
        Ok(Some(rows))
    }

    /// Whether dimension `at` occurs.
    pub(super) fn involves(&self, at: usize) -> bool {
        self.dims.get(at).is_some_and(|c| *c != 0)
    }

    /// Whether the row is dimension `at` plus what does not depend on the instance.
    pub(super) fn is_shifted(&self, at: usize) -> bool {
        self.dims.iter().enumerate().all(|(i, c)| *c == i64::from(i == at))
    }

    /// Whether the row is dimension `at` alone.
    pub(super) fn is_exactly(&self, at: usize) -> bool {
        self.is_shifted(at) && self.constant == 0 && self.params.iter().all(|c| *c == 0)
    }

    /// The row over other dimensions, `n` of them: dimension `i` becomes `places[i]`. None where one that occurs has no place.
    pub(super) fn moved(&self, places: &[Option<usize>], n: usize) -> Option<Self> {
        let mut dims = vec![0; n];
        for (c, place) in self.dims.iter().zip(places).filter(|(c, _)| **c != 0) {
            dims[(*place)?] = *c;
        }
        Some(Self { dims, ..self.clone() })
    }

    /// The function on `space`, which has the scop's parameters.
    pub(super) fn to_aff(&self, space: &Space) -> Result<Aff> {
        Ok(Aff::linear(space, &self.dims, &self.params, self.constant)?)
    }
}
