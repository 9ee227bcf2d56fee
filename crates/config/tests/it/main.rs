//! Tests of strategy and influence files.

mod akg;
mod common;
mod gpu;
mod influence;
mod machine;
mod mutations;
mod project;
mod recipe;
mod reject;
mod schema;
mod shipped;
mod strategy;
