//! The coefficients of rows.

use farkas_scop::ParamId;

/// A coefficient of one row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Coefficient {
    /// Of an iterator, counted from the outermost.
    Iterator(usize),
    /// Of a parameter.
    Param(ParamId),
    /// The constant.
    Constant,
}
