//! The boxes that accesses run through in a call.

use super::group::Group;
use crate::Result;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::blas::{Affine, Operand};
use farkas_scop::{AccessId, ArrayId, Scop, StmtId};

/// The least box around what a call touches of an array, dimension by dimension.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) array: ArrayId,
    /// The least subscripts.
    first: Vec<Affine>,
    /// How many there are.
    sizes: Vec<Affine>,
}

impl Shape {
    /// The box of some accesses to one array; none where it has no affine bounds.
    pub(super) fn of(
        scop: &Scop,
        group: &Group,
        accesses: &[(StmtId, AccessId)],
    ) -> Result<Option<Self>> {
        let mut all: Option<Map> = None;
        let mut array = None;
        for (stmt, access) in accesses {
            let Some(member) = group.members.iter().find(|member| member.stmt == *stmt) else {
                return Ok(None);
            };
            let access = &scop.stmts()[*stmt].accesses[*access];
            if *array.get_or_insert(access.array) != access.array {
                return Ok(None);
            }
            let one = access.relation.intersect_domain(&scop.domain_of(*stmt)?)?;
            let one = one.apply_domain(&member.instances)?;
            all = Some(match all {
                Some(all) => all.union(&one)?,
                None => one,
            });
        }
        let (Some(all), Some(array)) = (all, array) else { return Ok(None) };
        let elements = around_as_params(&all)?;
        let (mut first, mut sizes) = (Vec::new(), Vec::new());
        for dim in 0..elements.dim(DimType::SET)? {
            let has_ends = elements.dim_has_lower_bound(DimType::SET, dim)?
                && elements.dim_has_upper_bound(DimType::SET, dim)?;
            if !has_ends {
                return Ok(None);
            }
            let dim = i32::try_from(dim).unwrap_or(i32::MAX);
            let least = Affine::of(&elements.dim_min(dim)?)?;
            let greatest = Affine::of(&elements.dim_max(dim)?)?;
            let (Some(least), Some(greatest)) = (least, greatest) else { return Ok(None) };
            sizes.push(greatest.plus(-1, &least).plus(1, &Affine::number(1)));
            first.push(least);
        }
        Ok(Some(Self { array, first, sizes }))
    }

    /// The dimensions in which it has several.
    fn wide(&self) -> Vec<usize> {
        let is_wide = |at: &usize| self.sizes[*at].as_number() != Some(1);
        (0..self.sizes.len()).filter(is_wide).collect()
    }

    /// The numbers of rows and columns, or of entries.
    pub(super) fn sizes(&self) -> Vec<Affine> {
        self.wide().into_iter().map(|at| self.sizes[at].clone()).collect()
    }

    /// The box as a matrix, where columns are next to each other in memory.
    pub(super) fn matrix(&self) -> Option<Operand> {
        let wide = self.wide();
        let [row, col] = wide.as_slice() else { return None };
        (col + 1 == self.sizes.len()).then(|| Operand {
            array: self.array,
            corner: self.first.clone(),
            row: *row,
            col: Some(*col),
        })
    }

    /// The box as a vector.
    pub(super) fn vector(&self) -> Option<Operand> {
        let wide = self.wide();
        let [row] = wide.as_slice() else { return None };
        let corner = self.first.clone();
        Some(Operand { array: self.array, corner, row: *row, col: None })
    }
}

/// The range of a relation, for what it is from as parameters.
fn around_as_params(elements: &Map) -> Result<Set> {
    let (n, at) = (elements.dim(DimType::In)?, elements.dim(DimType::Param)?);
    let mut moved = elements.move_dims(DimType::Param, at, DimType::In, 0, n)?;
    for position in 0..n {
        let name = Affine::around_name(position as usize);
        moved = moved.with_dim_name(DimType::Param, at + position, &name)?;
    }
    Ok(moved.range()?.coalesce()?)
}
