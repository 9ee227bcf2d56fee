//! The scatterings of a document as a schedule tree.

use super::Origin;
use crate::document::OpenScop;
use crate::poly::map_of;
use crate::{Error, Result};
use farkas_poly::{DimType, PwAff, UnionPwAff};
use farkas_scop::Scop;
use farkas_tree::{Band, Member, ScheduleTree};

/// The order that the scatterings of `open` give to the instances of `scop`: a band of one member for each dimension.
/// It lets the legality check judge just what a document says.
///
/// # Errors
/// [`Error::NoStatement`] when a statement has no scattering, or another number of dimensions than the others.
pub fn order_of(open: &OpenScop, scop: &Scop, origin: &Origin) -> Result<ScheduleTree> {
    let params: Vec<String> = scop.params().iter().map(|p| p.name.clone()).collect();
    let mut columns: Vec<Vec<PwAff>> = Vec::new();
    for ((statement, target), instances) in
        scop.stmts().iter().zip(&open.statements).zip(&origin.instances)
    {
        let missing = || Error::NoStatement(statement.name.clone());
        let scattering = target.scattering.as_ref().ok_or_else(missing)?;
        let date = map_of(scattering, &params)?.with_tuple_name(DimType::In, &statement.name)?;
        let domain = statement.domain.intersect_params(scop.context())?;
        let date = date.apply_domain(instances)?.intersect_domain(&domain)?.to_pw_multi_aff()?;
        let length = date.dim(DimType::Out)?;
        if columns.is_empty() {
            columns = vec![Vec::new(); length as usize];
        }
        if columns.len() != length as usize {
            return Err(missing());
        }
        for (at, column) in (0..).zip(&mut columns) {
            column.push(date.at(at)?);
        }
    }
    let mut child = ScheduleTree::leaf();
    for column in columns.into_iter().rev() {
        let members = vec![Member::new(UnionPwAff::union_all(column)?, false)];
        child = ScheduleTree::band(Band { members, permutable: false }, child);
    }
    Ok(ScheduleTree::domain(scop.domain()?, child))
}
