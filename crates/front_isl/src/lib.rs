//! isl's text formats: schedule constraints, schedules and schedule trees, and scops as sets and maps.
//!
//! - [`read_constraints`] makes a scop without accesses and the relations that its schedule must respect of schedule
//!   constraints, as isl's own tests write them; [`print_constraints`] makes text of both.
//! - [`read_scop`] makes a scop of sets and maps: domain, order, accesses; [`print_scop`] makes text of it.
//! - [`read_schedule`] makes a schedule tree of a union map or of a tree in isl's YAML. Trees print by themselves.
//!
//! What the texts mean is isl's affair: its own reader takes them in. Since it gives no places, what it refuses is found
//! again by a light scan of keys, brackets and the parts between semicolons.

mod constraints;
mod entries;
mod locate;
mod lower;
mod print;
mod refuse;
mod schedule;
mod scop;

pub use constraints::{Constraint, ConstraintKind, Lowered, read_constraints};
pub use print::print_constraints;
pub use schedule::{Schedule, read_schedule};
pub use scop::{ReadScop, is_scop, print_scop, read_scop};
