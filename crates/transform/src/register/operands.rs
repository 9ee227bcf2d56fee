//! Which parts of a statement's expression are packed.

use farkas_analysis::Affine;
use farkas_base::IdVec;
use farkas_scop::{
    AccessId, Array, ArrayId, BinaryOp, ElementKind, ElementType, Expr, Statement, UnaryOp,
};
use farkas_steps::operand_type;

/// Along which side of a register tile an operand is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Side {
    /// It is the same for all columns: each row has its own.
    Rows,
    /// It is the same for all rows.
    Columns,
}

/// A part of an expression that is computed once for each of its elements and packed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Operand {
    pub(super) side: Side,
    pub(super) expr: Expr,
    pub(super) element: ElementType,
    /// The array that the buffer is named after.
    pub(super) array: ArrayId,
    /// Whether it lies in memory along the loop that sums up.
    pub(super) is_along_depth: bool,
}

/// The loops of a register tile, as positions of a statement's iterators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Loops {
    /// Unrolled.
    pub(super) row: usize,
    /// In vector lanes; none where each row is a single sum.
    pub(super) column: Option<usize>,
    /// Summed up along.
    pub(super) depth: usize,
}

impl Loops {
    /// All of them.
    pub(super) fn all(self) -> impl std::iter::Iterator<Item = usize> {
        [Some(self.row), self.column, Some(self.depth)].into_iter().flatten()
    }
}

/// Finds operands.
pub(super) struct Finder<'a> {
    pub(super) stmt: &'a Statement,
    pub(super) arrays: &'a IdVec<ArrayId, Array>,
    /// The subscripts of each access; none where they are no rows.
    pub(super) subscripts: &'a IdVec<AccessId, Option<Vec<Affine>>>,
    /// The accesses to the sums.
    pub(super) sums: &'a [AccessId],
    pub(super) loops: Loops,
}

/// What an expression depends on.
#[derive(Clone, Copy, Default)]
struct Uses {
    row: bool,
    column: bool,
    depth: bool,
    /// It reads something else than elements at affine places, or computes something else than sums and products.
    is_other: bool,
}

impl Finder<'_> {
    /// The largest parts of `expr` that one side of the tile depends on alone, in the order of the text, without those that
    /// occurred before.
    pub(super) fn operands(&self, expr: &Expr) -> Vec<Operand> {
        let mut found = Vec::new();
        self.collect(expr, &mut found);
        found
    }

    /// Adds the operands of `expr` to those found.
    fn collect(&self, expr: &Expr, found: &mut Vec<Operand>) {
        if let Some(operand) = self.operand(expr) {
            if !found.contains(&operand) {
                found.push(operand);
            }
            return;
        }
        match expr {
            Expr::Unary(_, a) | Expr::Cast(_, a) => self.collect(a, found),
            Expr::Binary(_, a, b) => {
                self.collect(a, found);
                self.collect(b, found);
            }
            Expr::Ternary(a, b, c) => [a, b, c].iter().for_each(|part| self.collect(part, found)),
            Expr::Call(_, arguments) => arguments.iter().for_each(|a| self.collect(a, found)),
            _ => {}
        }
    }

    /// The expression as an operand, where it is one.
    fn operand(&self, expr: &Expr) -> Option<Operand> {
        let uses = self.uses(expr);
        let side = match (uses.row, uses.column) {
            (true, false) => Side::Rows,
            (false, true) => Side::Columns,
            _ => return None,
        };
        if uses.is_other || !uses.depth {
            return None;
        }
        let is_number = |ty: &ElementType| ty.kind != ElementKind::Other;
        let element = operand_type(self.stmt, self.arrays, expr).filter(is_number)?;
        let (mut array, mut is_along_depth): (Option<ArrayId>, bool) = (None, false);
        expr.walk(&mut |e| {
            if let Expr::Access(access) = e {
                let of = self.stmt.accesses[*access].array;
                if self.arrays[of].rank() > 0 && array.is_none() {
                    array = Some(of);
                    let last = self.subscripts[*access].as_ref().and_then(|rows| rows.last());
                    is_along_depth = last.is_some_and(|row| row.involves(self.loops.depth));
                }
            }
        });
        let expr = self.stmt.with_first_accesses(expr);
        Some(Operand { side, expr, element, array: array?, is_along_depth })
    }

    /// What `expr` depends on.
    fn uses(&self, expr: &Expr) -> Uses {
        let mut uses = Uses::default();
        expr.walk(&mut |e| match e {
            Expr::Access(access) => {
                uses.is_other |= self.sums.contains(access);
                let Some(rows) = &self.subscripts[*access] else {
                    uses.is_other = true;
                    return;
                };
                let involves = |at| rows.iter().any(|row| row.involves(at));
                uses.row |= involves(self.loops.row);
                uses.column |= self.loops.column.is_some_and(involves);
                uses.depth |= involves(self.loops.depth);
            }
            Expr::Int { .. } | Expr::Float(_) | Expr::Param(_) => {}
            Expr::Unary(UnaryOp::Minus | UnaryOp::Plus, _) => {}
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, ..) => {}
            _ => uses.is_other = true,
        });
        uses
    }
}
