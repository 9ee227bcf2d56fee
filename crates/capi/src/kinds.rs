//! Kinds of dependences as bits.

use crate::abi;
use crate::error::{Error, Result};
use farkas_deps::DependenceKind;

/// The kinds with their bits.
const KINDS: [(DependenceKind, u32); 4] = [
    (DependenceKind::Flow, abi::FLOW),
    (DependenceKind::Anti, abi::ANTI),
    (DependenceKind::Output, abi::OUTPUT),
    (DependenceKind::Input, abi::INPUT),
];

/// The bits of some kinds.
pub(crate) fn bits(kinds: &[DependenceKind]) -> u32 {
    let of = KINDS.iter().filter(|(kind, _)| kinds.contains(kind));
    of.fold(0, |all, (_, bit)| all | bit)
}

/// The kinds of some bits; for none, those that order instances.
///
/// # Errors
/// When there are bits without a kind.
pub(crate) fn kinds(found: u32) -> Result<Vec<DependenceKind>> {
    let found = if found == 0 { abi::FLOW | abi::ANTI | abi::OUTPUT } else { found };
    let known = KINDS.iter().fold(0, |all, (_, bit)| all | bit);
    if found & !known != 0 {
        let what = "kinds of dependences for proximity";
        return Err(Error::UnknownNumber { what, found: i64::from(found) });
    }
    Ok(KINDS.iter().filter(|(_, bit)| found & bit != 0).map(|(kind, _)| *kind).collect())
}
