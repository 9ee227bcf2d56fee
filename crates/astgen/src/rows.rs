//! How many rows buffers need, where small sizes need few.
//!
//! A buffer is as large as a block is at most. Memory of that size, in a large page for instance, costs time even where little of it is
//! used: what is allocated is what the sizes of the run need.

use crate::Result;
use crate::ast::Ast;
use crate::expr::Expr;
use crate::isl_expr::expr_of;
use farkas_poly::{AstBuild, DimType, Map, Set, Space};
use farkas_scop::{Array, ArrayId, ArrayScope, Scop, Statement};
use farkas_tree::{Mark, Node, ScheduleTree};

/// Numbers of rows that are in more pieces than so many are not worth their text.
const MOST_PIECES: u32 = 3;

impl Ast {
    /// The code of `scop` in the order of `tree`, with the rows that its buffers need.
    ///
    /// # Errors
    /// When isl refuses.
    ///
    /// # Example
    /// `x_panel[(jt - j_block) / 24][..][..]`, filled for columns `jt < m` of blocks of 384, has `min(16, (m + 23) / 24)` rows, or one.
    pub fn with_rows(mut self, scop: &Scop, tree: &ScheduleTree) -> Result<Self> {
        let has_rows = |array: &Array| {
            array.scope == ArrayScope::Buffer
                && array.constant_extents().is_some_and(|all| all.len() > 1 && all[0] > 1)
        };
        for (id, _) in scop.arrays().iter_enumerated().filter(|(_, array)| has_rows(array)) {
            self.rows.extend(rows(scop, tree, id)?.map(|rows| (id, rows)));
        }
        Ok(self)
    }
}

/// The rows of a buffer that are used, counted from the first; `None` where that is as hard to say as to have all.
fn rows(scop: &Scop, tree: &ScheduleTree, array: ArrayId) -> Result<Option<Expr>> {
    let (next, mut used): (Map, _) = ("{ [row] -> [row + 1] }".parse()?, vec!["{ [1] }".parse()?]);
    for stmt in scop.stmts() {
        for access in stmt.accesses.iter().filter(|access| access.array == array) {
            let dims = access.relation.dim(DimType::Out)?;
            let row = access.relation.project_out(DimType::Out, 1, dims.saturating_sub(1))?;
            let row = row.reset_tuple_id(DimType::Out)?;
            if grows_by_padding(stmt, &row, tree)? {
                return Ok(None);
            }
            used.push(stmt.domain.intersect_params(scop.context())?.apply(&row)?.apply(&next)?);
        }
    }
    let Some(used) = Set::union_all(used)? else { return Ok(None) };
    let rows = without_others(&used)?.coalesce()?.dim_max(0)?;
    if rows.n_piece()? > MOST_PIECES {
        return Ok(None);
    }
    let expr = AstBuild::from_context(scop.context())?.expr_from_pw_aff(&rows)?;
    Ok(Some(expr_of(&expr, &|name| Expr::param(name))?))
}

/// A superset of numbers of rows, for parameters on which the greatest depends: others only say whether anything runs at all.
fn without_others(used: &Set) -> Result<Set> {
    let values = used.dim_max(0)?.pieces()?;
    let mut used = used.clone();
    for param in (0..used.dim(DimType::Param)?).rev() {
        let mut counts = false;
        for (_, value) in &values {
            counts |= value.involves_dims(DimType::Param, param, 1)?;
        }
        if !counts {
            used = used.project_out(DimType::Param, param, 1)?;
        }
    }
    Ok(used)
}

/// Whether a statement may use other rows than those of its instances where it runs through whole tiles.
fn grows_by_padding(stmt: &Statement, row: &Map, tree: &ScheduleTree) -> Result<bool> {
    let mut padded = vec![false; stmt.depth()];
    look(stmt, &stmt.domain.space()?, tree, Within::NoTile, &mut padded)?;
    for dim in (0..).zip(padded).filter_map(|(dim, is_padded)| is_padded.then_some(dim)) {
        if row.involves_dims(DimType::In, dim, 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// In no tile that a statement fills.
    NoTile,
    /// Around the loops over such tiles.
    Tiles,
    /// In one of them.
    Tile,
}

/// Finds the dimensions of a statement that go beyond its instances: those that loops in padded tiles run through.
fn look(
    stmt: &Statement,
    space: &Space,
    tree: &ScheduleTree,
    within: Within,
    padded: &mut [bool],
) -> Result<()> {
    let inside = match tree.node() {
        Node::Mark { mark: Mark::Padded(names), .. } if names.contains(&stmt.name) => Within::Tiles,
        Node::Band { .. } if within == Within::Tiles => Within::Tile,
        Node::Band { band, .. } if within == Within::Tile => {
            for member in &band.members {
                let date = member.schedule.extract_pw_aff(space)?;
                for (dim, is_padded) in (0..).zip(&mut *padded) {
                    *is_padded |= date.involves_dims(DimType::In, dim, 1)?;
                }
            }
            within
        }
        _ => within,
    };
    tree.children().iter().try_for_each(|child| look(stmt, space, child, inside, padded))
}
