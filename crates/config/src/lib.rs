//! Strategy, influence, recipe, machine and project files: JSON text in, [`farkas_schedule::Config`], [`farkas_schedule::InfluenceTree`]
//! and [`farkas_machine::Machine`] out.
//!
//! Reading has two steps. [`StrategyFile::parse`] and [`InfluenceFile::parse`] do what needs no scop; `resolve` finds
//! the statements, iterators and parameters of one. Every message has line and column of the file, a reason, and where
//! a word nearly fits, a suggestion; all errors are collected, not only the first. [`print_strategy`] and
//! [`print_machine`] go the other way. Machines need no scop, nor do GPUs: [`GpuFile`].
//!
//! The formats are described by JSON Schemas, [`strategy_schema`], [`influence_schema`], [`recipe_schema`], [`machine_schema`] and
//! [`project_schema`], from which editors complete. The parsers accept what the schemas accept, but for what schemas cannot say: the grammar of constraints,
//! and entries that contradict each other.
//!
//! What this crate does not do: it opens no file, schedules nothing, and transforms nothing. [`Shape`] holds what a
//! file asks for after scheduling.

mod constraint;
mod gpu;
mod influence;
mod json;
mod machine;
mod names;
mod project;
mod read;
mod recipe;
mod report;
mod schema;
mod shape;
mod strategy;
mod words;

pub use gpu::{GpuFile, gpu_schema, print_gpu};
pub use influence::{Influence, InfluenceFile, TileRequest};
pub use machine::{MachineFile, print_machine};
pub use project::ProjectFile;
pub use recipe::{RecipeFile, RecipeOrder, RecipeStep, print_recipe, recipe_schema};
pub use schema::{influence_schema, machine_schema, project_schema, strategy_schema};
pub use shape::{BlockSizes, PointLoopOrder, Shape, Tiling};
pub use strategy::{StrategyFile, print_shipped, print_strategy, print_strategy_with};
