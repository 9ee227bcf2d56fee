//! Which elements data chooses where a relation names several.

use crate::Result;
use farkas_poly::{DimType, Map};
use farkas_scop::{Access, AccessId, ArrayId, Expr, Statement};

/// The dimensions of an array in which data chooses the element that an update touches, with the subscripts that choose.
pub(super) struct Chosen(Vec<(usize, Expr)>);

impl Chosen {
    /// Those of the element of an array that a statement writes.
    pub(super) fn of(stmt: &Statement, array: ArrayId) -> Result<Self> {
        let mut chosen = Vec::new();
        for access in stmt.accesses.iter().filter(|a| a.array == array && a.kind.is_write()) {
            for (at, subscript) in subscripts(access)? {
                chosen.push((at, subscript.unwrap_or_else(|| Expr::Verbatim(String::new()))));
            }
        }
        Ok(Self(chosen))
    }

    /// Those of the element that a statement combines a cell of `cells` with: one that is chosen is chosen alike there. `None` where one is
    /// lost.
    pub(super) fn after(
        &self,
        combine: &Statement,
        cells: ArrayId,
        element: AccessId,
    ) -> Result<Option<Self>> {
        let element = &combine.accesses[element].relation;
        let Some(cell) = combine.accesses.iter().find(|access| access.array == cells) else {
            return Ok(None);
        };
        let mut there = Vec::new();
        for (of_cell, subscript) in &self.0 {
            let wanted = coordinate(&cell.relation, *of_cell)?;
            let mut found = None;
            for at in 0..element.dim(DimType::Out)? as usize {
                let own = coordinate(element, at)?;
                if found.is_none()
                    && own.is_single_valued()?
                    && own
                        .intersect_domain(&combine.domain)?
                        .is_equal(&wanted.intersect_domain(&combine.domain)?)?
                {
                    found = Some(at);
                }
            }
            let Some(at) = found else { return Ok(None) };
            there.push((at, subscript.clone()));
        }
        Ok(Some(Self(there)))
    }

    /// The subscripts of an element of an array of so many dimensions; none where data chooses nothing. What relations tell is zero.
    pub(super) fn subscripts(&self, rank: usize) -> Vec<Expr> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let of = |at: usize| self.0.iter().find(|(dim, _)| *dim == at);
        (0..rank).map(|at| of(at).map_or_else(|| Expr::int(0), |(_, e)| e.clone())).collect()
    }
}

/// The dimensions in which an access's relation names several elements, with the subscripts that choose, where subscripts are those of
/// dimensions.
pub(super) fn subscripts(access: &Access) -> Result<Vec<(usize, Option<Expr>)>> {
    let rank = access.relation.dim(DimType::Out)? as usize;
    let of = |at: usize| (access.subscripts.len() == rank).then(|| access.subscripts[at].clone());
    Ok(access.chosen_dims()?.into_iter().map(|at| (at, of(at))).collect())
}

/// One dimension of the elements of a relation.
fn coordinate(relation: &Map, at: usize) -> Result<Map> {
    let (rank, at) = (relation.dim(DimType::Out)?, u32::try_from(at).unwrap_or(u32::MAX));
    let behind = relation.project_out(DimType::Out, at + 1, rank - at - 1)?;
    Ok(behind.project_out(DimType::Out, 0, at)?)
}
