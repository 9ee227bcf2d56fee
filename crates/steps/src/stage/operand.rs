//! What of a statement is staged.

use farkas_analysis::Affine;
use farkas_base::IdVec;
use farkas_scop::{
    AccessId, Array, ArrayId, BinaryOp, ElementKind, ElementType, Expr, Statement, UnaryOp,
};
use std::collections::BTreeSet;

/// The type of the elements of a buffer of `expr`, in which its values fit exactly as C computes them: that of its accesses, which is the same
/// floating-point type for all; any type for a single element, after C's promotions, so that integers are widened once.
pub fn operand_type(
    stmt: &Statement,
    arrays: &IdVec<ArrayId, Array>,
    expr: &Expr,
) -> Option<ElementType> {
    let of = |access: AccessId| &arrays[stmt.accesses[access].array].element;
    if let Expr::Access(access) = expr {
        let own = of(*access);
        let promoted = own.kind.promoted();
        let widened = ElementType { text: "int".to_owned(), kind: promoted };
        return Some(if own.kind == promoted { own.clone() } else { widened });
    }
    let mut types: Vec<&ElementType> = Vec::new();
    let mut has_double = false;
    expr.walk(&mut |e| match e {
        Expr::Access(access) => types.push(of(*access)),
        Expr::Float(text) => has_double |= !text.ends_with(['f', 'F']),
        _ => {}
    });
    let first = *types.first()?;
    let is_same = types.iter().all(|ty| ty.kind == first.kind);
    let fits = match first.kind {
        ElementKind::Double => true,
        ElementKind::Float => !has_double,
        _ => false,
    };
    (is_same && fits).then(|| first.clone())
}

/// The iterators that an expression depends on; none where it reads something else than elements at affine places, or computes something else
/// than sums and products.
fn operand_iterators(
    expr: &Expr,
    subscripts: &IdVec<AccessId, Option<Vec<Affine>>>,
) -> Option<BTreeSet<usize>> {
    let (mut used, mut is_other) = (BTreeSet::new(), false);
    expr.walk(&mut |e| match e {
        Expr::Access(access) => match &subscripts[*access] {
            Some(rows) => {
                for row in rows {
                    used.extend((0..row.dims.len()).filter(|at| row.involves(*at)));
                }
            }
            None => is_other = true,
        },
        Expr::Int { .. } | Expr::Float(_) | Expr::Param(_) => {}
        Expr::Unary(UnaryOp::Minus | UnaryOp::Plus, _) => {}
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, ..) => {}
        _ => is_other = true,
    });
    (!is_other).then_some(used)
}

/// The search for the part of an expression that is staged.
pub(super) struct Search<'a> {
    pub(super) stmt: &'a Statement,
    pub(super) arrays: &'a IdVec<ArrayId, Array>,
    pub(super) subscripts: &'a IdVec<AccessId, Option<Vec<Affine>>>,
    /// The array that it reads.
    pub(super) array: ArrayId,
    /// The iterators that it depends on.
    pub(super) along: &'a BTreeSet<usize>,
    /// Those that it may depend on beside them.
    pub(super) fixed: &'a BTreeSet<usize>,
    /// The accesses to what the statement writes.
    pub(super) written: &'a [AccessId],
    /// The arrays that are written while the buffer is there.
    pub(super) changing: &'a BTreeSet<ArrayId>,
}

impl Search<'_> {
    /// Whether an access is to an element of the array that depends on these iterators.
    pub(super) fn is_element(&self, access: AccessId) -> bool {
        let used = operand_iterators(&Expr::Access(access), self.subscripts);
        self.stmt.accesses[access].array == self.array && used.is_some_and(|used| self.fits(&used))
    }

    /// The first such access of a statement that assigns `value` to `target`.
    pub(super) fn element_of(&self, target: AccessId, value: &Expr) -> Option<AccessId> {
        let mut found = self.is_element(target).then_some(target);
        value.walk(&mut |e| {
            if let Expr::Access(access) = e
                && found.is_none()
                && self.is_element(*access)
            {
                found = Some(*access);
            }
        });
        found
    }

    /// Whether something that depends on these iterators is the same for all others inside the loop.
    fn fits(&self, used: &BTreeSet<usize>) -> bool {
        self.along.is_subset(used)
            && used.iter().all(|at| self.along.contains(at) || self.fixed.contains(at))
    }

    /// The largest part of `expr`, the first in its text, with the type of a buffer of it.
    pub(super) fn part<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, ElementType)> {
        if let Some(element) = self.element(expr) {
            return Some((expr, element));
        }
        match expr {
            Expr::Unary(_, a) | Expr::Cast(_, a) => self.part(a),
            Expr::Binary(_, a, b) => self.part(a).or_else(|| self.part(b)),
            Expr::Ternary(a, b, c) => {
                self.part(a).or_else(|| self.part(b)).or_else(|| self.part(c))
            }
            Expr::Call(_, arguments) => arguments.iter().find_map(|a| self.part(a)),
            _ => None,
        }
    }

    /// The type of a buffer of the whole of `expr`, where it can be staged.
    fn element(&self, expr: &Expr) -> Option<ElementType> {
        if !self.fits(&operand_iterators(expr, self.subscripts)?) {
            return None;
        }
        let (mut reads, mut is_written) = (false, false);
        expr.walk(&mut |e| {
            if let Expr::Access(access) = e {
                let of = self.stmt.accesses[*access].array;
                reads |= of == self.array;
                let is_other = of != self.array;
                is_written |=
                    self.written.contains(access) || is_other && self.changing.contains(&of);
            }
        });
        if !reads || is_written {
            return None;
        }
        operand_type(self.stmt, self.arrays, expr)
    }
}
