//! Other storage: places of their own for the values of temporaries, and buffers in their place where iterations use parts of their own.

mod contract;
mod divide;
mod part_strips;

pub use contract::Contract;
pub use divide::{Divide, ExpandStorage};
pub use part_strips::PartStrips;

use crate::{Remark, Result};
use farkas_deps::Dependences;
use farkas_scop::{Array, ArrayId, Scop};
use farkas_steps::{Expand, Expansion};

/// A scop with other storage, and the steps that lead to it.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The scop.
    pub scop: Scop,
    /// The steps, which name arrays of the scop before.
    pub steps: Vec<Expand>,
}

/// The scop with places of their own for values of temporaries, by the scop's dependences; `None` where nothing changes. Scalars live
/// in elements where their values end up, if they may and are among those that `may_share`; an expanded array has no more dimensions than the
/// largest array of the scop.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn expand_storage(
    scop: &Scop,
    deps: &Dependences,
    may_share: impl Fn(ArrayId) -> bool,
    remarks: &mut Vec<Remark>,
) -> Result<Option<Expanded>> {
    let mut expansion = Expansion::new(scop);
    let most = most_dimensions(scop);
    let mut steps = Vec::new();
    for web in expansion.webs(deps)? {
        let array = expansion.address(&web);
        let shared = match may_share(web.array) {
            true => expansion.into_elements(&web, |_| true)?,
            false => None,
        };
        let (text, step) = match shared {
            Some(done) => done,
            None => match expansion.into_array(&web, most)? {
                Some(text) => (text, Expand { array, into: None, at: None }),
                None => continue,
            },
        };
        let stmts = web.stmts.iter().map(|stmt| scop.stmts()[*stmt].name.clone()).collect();
        remarks.push(Remark { pass: "expand", stmts, text });
        steps.push(step);
    }
    Ok(expansion.done()?.map(|scop| Expanded { scop, steps }))
}

/// The most dimensions of an expanded array: those of the largest array that there is.
fn most_dimensions(scop: &Scop) -> Option<usize> {
    scop.arrays().iter().map(Array::rank).max()
}
