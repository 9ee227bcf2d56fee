//! Random numbers, random recipes, changes of what C functions compute, and random damage to texts and JSON values: for tests that nothing valid, invalid or in between makes
//! a reader of strategy and influence files panic. The same seed gives the same damage on every machine.

mod json;
mod meaning;
mod recipe;

pub use farkas_base::Random;
pub use json::{damage_string, damage_text, damage_value};
pub use meaning::{Change, change_meaning};
pub use recipe::random_recipe;
