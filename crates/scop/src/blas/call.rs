//! A call in the place of statements.

use super::{Affine, Form};
use crate::{ArrayId, StmtId};
use farkas_poly::Map;

/// A part of an array that is a matrix or a vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The array.
    pub array: ArrayId,
    /// The subscripts of its first entry.
    pub corner: Vec<Affine>,
    /// The dimension of the array that counts rows, or the entries of a vector.
    pub row: usize,
    /// The one that counts columns, the array's last.
    pub col: Option<usize>,
}

/// A part of a product that is the same throughout a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Factor {
    /// A number or a parameter, as it is written.
    Text(String),
    /// An element: from the call's instances to it.
    Element(ArrayId, Map),
}

impl Factor {
    /// Whether both have the same value, in calls in which both are used.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn is_same(&self, other: &Self) -> farkas_poly::Result<bool> {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => Ok(a == b),
            (Self::Element(a, at), Self::Element(b, of)) => {
                Ok(a == b && at.union(of)?.is_single_valued()?)
            }
            _ => Ok(false),
        }
    }
}

/// A factor of a whole operand: a product, and its sign.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scaling {
    /// Whether it is negative.
    pub negative: bool,
    /// What it is the product of; of nothing, one.
    pub factors: Vec<Factor>,
}

impl Scaling {
    /// Whether it is one.
    pub fn is_one(&self) -> bool {
        !self.negative && self.factors.is_empty()
    }

    /// Whether both are products of the same factors.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn is_same(&self, other: &Self) -> farkas_poly::Result<bool> {
        let mut left: Vec<&Factor> = other.factors.iter().collect();
        for factor in &self.factors {
            let mut found = None;
            for (at, known) in left.iter().enumerate() {
                if factor.is_same(known)? {
                    found = Some(at);
                }
            }
            let Some(at) = found else { return Ok(false) };
            left.remove(at);
        }
        Ok(left.is_empty() && self.negative == other.negative)
    }
}

/// A statement whose instances a call takes the place of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The statement.
    pub stmt: StmtId,
    /// From its instances, all of them, to those of the call.
    pub instances: Map,
}

/// A call of a routine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The name of the statement that makes it.
    pub stmt: String,
    /// The routine and its flags.
    pub form: Form,
    /// What is updated, A (or x), and B (or y) where there is one that is not what is updated.
    pub operands: Vec<Operand>,
    /// The sizes, in the order in which the routine takes them.
    pub sizes: Vec<Affine>,
    /// What is multiplied to what is added; for triangular matrices, to what is updated.
    pub alpha: Scaling,
    /// What is multiplied to what is updated; none where that is set to zero.
    pub beta: Option<Scaling>,
    /// The instances of the call, a set of the parameters and of the loops around.
    pub instances: farkas_poly::Set,
    /// What it takes the place of.
    pub members: Vec<Member>,
}

impl Call {
    /// How many loops stand around it.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn n_around(&self) -> farkas_poly::Result<usize> {
        Ok(self.instances.dim(farkas_poly::DimType::SET)? as usize)
    }
}
