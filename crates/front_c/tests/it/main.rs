//! Tests of the front end on whole files.

mod cases;
mod common;
mod fuzz;
mod trace;
