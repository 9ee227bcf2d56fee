//! Random numbers, random recipes, and random damage to texts and JSON values: for tests that nothing valid, invalid or in between makes
//! a reader of strategy and influence files panic. The same seed gives the same damage on every machine.

mod json;
mod recipe;

pub use farkas_base::Random;
pub use json::{damage_string, damage_text, damage_value};
pub use recipe::random_recipe;
