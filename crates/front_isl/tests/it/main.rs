//! Tests of isl's text in and out.

mod cases;
mod common;
mod random;
mod scops;
