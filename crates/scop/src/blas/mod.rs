//! What routines of the BLAS compute, as relations: which elements they read and write, and which products they add up.
//!
//! A [`Call`] says which routine runs on which parts of which arrays, and which statements' instances it takes the place of. Its
//! [`contract`](Call::contract) is made of the routine's definition alone ([`Form`]): whoever proposes a call and whoever judges it read
//! statements by [`Reading`] and hold them against it.
//!
//! **Source**: J. Dongarra et al., *A Set of Level 3 Basic Linear Algebra Subprograms*, TOMS 1990, and *An Extended Set of FORTRAN Basic Linear
//! Algebra Subprograms*, TOMS 1988, by rows as CBLAS has them.

mod affine;
mod call;
mod contract;
mod form;
mod reading;

pub use affine::Affine;
pub use call::{Call, Factor, Member, Operand, Scaling};
pub use contract::{Contract, InPlace};
pub use form::{Form, Routine};
pub use reading::{Reading, Start, Summand};
