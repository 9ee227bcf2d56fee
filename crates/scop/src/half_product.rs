//! Statements that add the product of two numbers of 16 bits to a `float`: what the tensor cores of a GPU compute.

use crate::{
    AccessId, Array, ArrayId, BinaryOp, BodyStmt, ElementKind, Expr, Freedom, Operator, Scop,
    Statement, UpdateForm,
};
use farkas_base::IdVec;

/// A statement that adds the product of two elements, both of half precision or both `__bf16`, to a `float`. The product is one of `float`, which holds it
/// exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HalfProduct {
    /// The sum, written.
    pub sum: AccessId,
    /// The operands, in the order of the text.
    pub operands: [AccessId; 2],
    /// What both are: [`ElementKind::Half`] or [`ElementKind::Bf16`].
    pub kind: ElementKind,
}

/// Why a statement is no sum of products that tensor cores compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoHalfProduct {
    /// It computes something else.
    #[error("more is computed than the product of two elements, which is added to a sum")]
    Other,
    /// The sum has another type.
    #[error("the sum is no `float`")]
    Sum,
    /// The operands have other types, or two different ones.
    #[error("the operands are not both `_Float16`, or both `__bf16`")]
    Operands,
    /// C rounds the product to 16 bits.
    #[error("each product is rounded to 16 bits: operands are to be converted to `float` before")]
    Rounded,
    /// Sums have to keep their order.
    #[error("the order of the sum is not free (--reassociate)")]
    InOrder,
}

impl Statement {
    /// The statement as a sum of products of numbers of 16 bits, in any order.
    ///
    /// # Errors
    /// Why it is none.
    pub fn half_product(&self, scop: &Scop) -> Result<HalfProduct, NoHalfProduct> {
        let arrays = scop.arrays();
        let update = self.update(arrays).ok_or(NoHalfProduct::Other)?;
        let is_sum = update.operator == Operator::Sum && update.condition.is_none();
        let UpdateForm::Combined { op: BinaryOp::Add, value } = update.form else {
            return Err(NoHalfProduct::Other);
        };
        let ([BodyStmt::Assign { .. }], true) = (self.body.as_slice(), is_sum) else {
            return Err(NoHalfProduct::Other);
        };
        let (kind, operands) = self.factors(arrays, value)?;
        if self.element_kind(arrays, update.target) != ElementKind::Float {
            return Err(NoHalfProduct::Sum);
        }
        if self.kind_of(arrays, without_casts(value, ElementKind::Float))
            != Some(ElementKind::Float)
        {
            return Err(NoHalfProduct::Rounded);
        }
        let is_free = |freedom: Freedom| scop.reassociation().permits(freedom);
        if !is_free(update.freedom) {
            return Err(NoHalfProduct::InOrder);
        }
        Ok(HalfProduct { sum: update.target, operands, kind })
    }

    /// The two elements that an expression is the product of, and their kind.
    fn factors(
        &self,
        arrays: &IdVec<ArrayId, Array>,
        value: &Expr,
    ) -> Result<(ElementKind, [AccessId; 2]), NoHalfProduct> {
        let Expr::Binary(BinaryOp::Mul, left, right) = without_casts(value, ElementKind::Float)
        else {
            return Err(NoHalfProduct::Other);
        };
        let [left, right] = [left, right].map(|factor| without_casts(factor, ElementKind::Float));
        let (Expr::Access(left), Expr::Access(right)) = (left, right) else {
            return Err(NoHalfProduct::Other);
        };
        let kinds = [*left, *right].map(|access| self.element_kind(arrays, access));
        match kinds {
            [ElementKind::Half | ElementKind::Bf16, other] if other == kinds[0] => {
                Ok((other, [*left, *right]))
            }
            _ => Err(NoHalfProduct::Operands),
        }
    }
}

/// An expression without conversions to a kind of number.
fn without_casts(mut expr: &Expr, kind: ElementKind) -> &Expr {
    while let Expr::Cast(ty, inner) = expr
        && ty.kind == kind
    {
        expr = inner;
    }
    expr
}
