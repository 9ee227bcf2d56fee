//! The database of recipes: what was found for loop nests, and what it was measured to be worth.
//!
//! A [`Database`] is one SQLite file. Its [`Entry`]s are recipes, each for the [`Key`] of a nest (normal form, element types, sizes,
//! machine, compiler) and with the program that it was found for, all [`Measurement`]s of it, and what went wrong with it. What is
//! known only grows: to insert an entry again adds what is new of it, so that databases merge in any order, any number of
//! times, with the same result. [`Database::prune`] is the one way to forget.
//!
//! ```
//! use farkas_db::{Access, Compiler, Database, Date, Entry, Key, Measurement, Origin, Samples};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("recipes.db");
//! let key = Key {
//!     nest: "5f0c".into(),
//!     normal_form: 1,
//!     elements: "double".into(),
//!     size_class: "large".into(),
//!     machine: "amd-zen4".into(),
//!     compiler: Compiler { name: "gcc".into(), version: "14.2.0".into() },
//! };
//! let mut entry = Entry::new(key, "void f(void) { … }", r#"{ "recipe": { "steps": [] } }"#);
//! entry.origins.insert(Origin::Tune);
//! entry.measurements.insert(Measurement {
//!     at: Date::from_seconds(1_764_000_000)?,
//!     environment: "-O3 -march=native".into(),
//!     baseline: Samples { threads: 1, ns: vec![820, 800, 810] },
//!     recipe: Samples { threads: 1, ns: vec![400, 405, 410] },
//! });
//!
//! let mut database = Database::open(&path, Access::Write)?;
//! database.insert(&[entry.clone()])?;
//! database.insert(&[entry.clone()])?;
//!
//! let found = database.exact(&entry.key)?;
//! assert_eq!(found.items, [entry]);
//! assert_eq!(found.items[0].best_speedup().map(|best| best.ratio), Some(2.0));
//! # Ok(())
//! # }
//! ```
//!
//! Rows carry hashes of what they say. One that does not fit is [`Damage`], told and left out, never an entry. All the same a recipe is
//! text here: whoever takes one parses it, and proves what it makes of a program.
//!
//! What this crate does not do: it computes no normal form and no embedding, knows no step of a recipe, measures nothing, and looks at
//! no clock.

mod content;
mod damage;
mod database;
mod date;
mod entry;
mod error;
mod insert;
mod key;
mod lines;
mod load;
mod merge;
mod places;
mod prune;
mod schema;
mod speed;

pub use content::Id;
pub use damage::{Damage, Found};
pub use database::{Access, Database};
pub use date::Date;
pub use entry::{Embedding, Entry, Failure, FailureKind, Measurement, Origin, Samples, Standing};
pub use error::Error;
pub use insert::Inserted;
pub use key::{Compiler, Key};
pub use lines::{FORMAT, LineError, line_of, read_line};
pub use load::Nest;
pub use places::{PlaceRow, Places};
pub use prune::{Pruned, Rules};
pub use speed::Speedup;
