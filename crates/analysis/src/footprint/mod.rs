//! What the iterations of a tile touch, counted on the access relations.
//!
//! A [`Nest`] holds the loops of a band, the loops below it, and the references of their statements in [`Group`]s: same
//! array, same linear part, other constants. The elements that one reference touches in a box of iterations are the
//! integer points of a zonotope, which a formula counts; so a footprint for other sizes costs a few multiplications.

mod group;
mod matrix;
mod nest;
mod zonotope;

pub use group::{Footprint, Group, Reference};
pub use nest::{Nest, NestLoop};
