//! Tests of the crate, in one program.

mod cases;
mod common;
mod order;
mod random;
