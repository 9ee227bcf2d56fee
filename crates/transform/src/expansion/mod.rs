//! Other storage: places of their own for the values of temporaries, and buffers in their place where iterations use parts of their own.

mod contract;
mod divide;
mod part_strips;

pub use contract::Contract;
pub use divide::{Divide, ExpandStorage};
pub use part_strips::PartStrips;

use crate::{Remark, Result};
use farkas_deps::{Dependences, Web};
use farkas_normalize::Kinds;
use farkas_scop::{Array, ArrayId, Scop, StmtId};
use farkas_steps::{Expand, Expansion};
use std::collections::BTreeSet;

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
    let mut kinds = Kinds::of(scop);
    for web in in_order(&mut kinds, expansion.webs(deps)?)? {
        let array = expansion.address(&web);
        let shared = match may_share(web.array) {
            true => {
                let homes = expansion.homes(&web)?;
                let homes = sorted_by(homes, |home| {
                    let text = text(&kinds, home.stmt, &web)?;
                    Ok((home.is_source, text))
                })?;
                expansion.into_elements(&web, &homes)?
            }
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

/// The webs by what their statements do: which of two gets the elements that both could live in does not depend on how the program is written.
fn in_order(kinds: &mut Kinds<'_>, webs: Vec<Web>) -> Result<Vec<Web>> {
    let key = |kinds: &Kinds<'_>, web: &Web| {
        let texts = web.stmts.iter().map(|stmt| text(kinds, *stmt, web));
        let mut texts = texts.collect::<farkas_normalize::Result<Vec<_>>>()?;
        texts.sort_unstable();
        Ok(texts)
    };
    while webs.len() > 1 {
        let keys = webs.iter().map(|web| key(kinds, web));
        let keys = keys.collect::<farkas_normalize::Result<BTreeSet<_>>>()?;
        if keys.len() == webs.len() || !kinds.refine()? {
            break;
        }
    }
    sorted_by(webs, |web| key(kinds, web))
}

/// What a statement does to a web's array.
fn text(kinds: &Kinds<'_>, stmt: StmtId, web: &Web) -> farkas_normalize::Result<String> {
    let dims: Vec<usize> = web.separating(stmt).iter().map(|dim| dim.at).collect();
    kinds.text(stmt, web.array, &dims)
}

/// Items by their keys; those of one key in the order that they have.
fn sorted_by<T, K: Ord>(
    items: Vec<T>,
    key: impl Fn(&T) -> farkas_normalize::Result<K>,
) -> Result<Vec<T>> {
    let mut keyed = Vec::new();
    for item in items {
        keyed.push((key(&item)?, item));
    }
    keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(keyed.into_iter().map(|(_, item)| item).collect())
}

/// The most dimensions of an expanded array: those of the largest array that there is.
fn most_dimensions(scop: &Scop) -> Option<usize> {
    scop.arrays().iter().map(Array::rank).max()
}
