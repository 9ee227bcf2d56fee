//! Executes a scop in its original order, in the order of a schedule tree, or as a loop AST says, at small concrete
//! sizes: the second oracle of legality.
//!
//! An execution has two halves. An [`Order`] is the list of instances as they run: [`original_order`] sorts them by
//! their dates, [`tree_order`] walks a tree, [`ast_order`] runs the loops of an AST; the last two may interleave what is
//! concurrent, to expose races. An AST may run more than a scop has: what lies beyond domains ([`Role`]).
//! [`execute`] runs the bodies in an order, on deterministic initial data, with C's arithmetic, and gives the final [`Memory`]. Two orders
//! that give the same live-out memory, bit for bit, do the same at these sizes; that proves nothing for other sizes.
//!
//! [`run_grid`] runs the kernels of an AST as a GPU does, and looks at what blocks and threads touch at the same time.
//!
//! Nothing here is shared with the dependence analysis or with AST generation.

mod affine;
mod ast;
mod error;
mod execute;
mod grid;
mod math;
mod memory;
mod order;
mod params;
mod random;
mod tree;
mod value;

pub use affine::Function;
pub use ast::ast_order;
pub use error::{Error, Result};
pub use execute::execute;
pub use grid::{Ran, run_grid};
pub use memory::{Memory, Mismatch};
pub use order::{Copies, CountMismatch, Instance, Order, Role, original_order};
pub use params::Params;
pub use tree::{Interleaving, tree_order};
pub use value::{NumberType, Value};
