//! Steps: transformations of a program as values, each with its parameters and the loops that it is for.
//!
//! A [`Step`] names loops by [`LoopAddress`], a pattern such as `S0.2` or `S0.point.1`, never by a place in one tree, so that the
//! same step applies to a program with other sizes. Applying it to a [`Subject`] has three outcomes: another program; a
//! [`NotApplicable`] with the reason as data; or isl's refusal. A step that applies may still be illegal: like a scheduler's tree,
//! what comes out goes through the legality check of `farkas-deps`.
//!
//! Each step is a file of its own; [`Step`] lists them. Adding one is that file and a line there.

mod address;
mod affine;
mod ahead;
mod array;
mod buffer;
mod coalesce;
mod contract;
mod cut;
mod cyclic;
mod detach;
mod distribute;
mod divide;
mod expand;
mod flags;
mod fuse;
mod gpu;
mod interchange;
mod join_kernels;
mod lift;
mod mark;
mod moved;
mod numbered;
mod pad;
mod privatise;
mod refusal;
mod reverse;
mod role;
mod scale;
mod shift;
mod sink;
mod skew;
mod split;
mod spread;
mod stage;
mod step;
mod tile;
mod tree;

pub use address::{AddressError, LoopAddress};
pub use ahead::Ahead;
pub use array::ArrayAddress;
pub use coalesce::Coalesce;
pub use contract::{Contract, buffer_name, copies_back, limits};
pub use cut::{Cut, Dates};
pub use cyclic::Cyclic;
pub use detach::Detach;
pub use distribute::Distribute;
pub use divide::Divide;
pub use expand::{Expand, Expansion, Home};
pub use flags::{decided, reaching};
pub use fuse::Fuse;
pub use gpu::{Axis, Barrier, Kernel, MAX_ALONG_Z, MAX_THREADS, Map, MappedTo};
pub use interchange::Interchange;
pub use join_kernels::JoinKernels;
pub use lift::{Lifted, all_lifted, only_lifted, redated, with_lifted};
pub use mark::{LoopKind, Mark};
pub use moved::moved;
pub use pad::Pad;
pub use privatise::Privatise;
pub use refusal::{Error, NotApplicable, Result};
pub use reverse::Reverse;
pub use scale::Scale;
pub use shift::Shift;
pub use sink::{Past, Sink, sunk};
pub use skew::Skew;
pub use split::{Far, Order, Place, SplitSums, StripCut, SumCut, summed};
pub use stage::{MAX_BUFFERS, Stage, operand_type};
pub use step::{ReadError, Reorder, Rewrite, Step, Subject, read, schema};
pub use tile::{Tile, tile_member};
pub use tree::{dates_around, loops_around};
