//! What may stay on a device between the regions of a function: runs of statements in which the host touches nothing of an array.
//!
//! The regions are told, each with the variables that its kernels have in the device's memory. For each variable the search goes through the
//! function's blocks from outside in, and takes the longest runs of statements of a block in which two regions use it, or one in a loop, so
//! that
//!
//! - no statement outside of such regions may touch its cells, by whatever name or pointer ([`judge`], [`cells`], [`calls`], [`callee`]), and what the
//!   host reads for a region, sizes and numbers, is none of them either;
//! - nothing leaves the run but by its end: no `return`, no jump, no `break` of a loop around it;
//! - the text is what every compilation sees: no `#if`, no macro but for numbers, no pragma of others.
//!
//! Whatever is not known to be harmless ends a run; why, is kept ([`Hindrance`]). How regions in a run may share memory with one another is
//! not looked at: each has addresses that can be compared when the program runs.

mod block;
mod callee;
mod calls;
mod cells;
mod judge;

use crate::again::Reading;
use crate::source::{FileFacts, Layer, Node, Region, Symbol, SymbolTable};
use block::Search;
use farkas_base::Span;
use std::collections::BTreeMap;
use std::ops::Range;

/// A region whose kernels run on a device.
#[derive(Clone, Debug)]
pub struct OnDevice<'a> {
    /// What its code replaces.
    pub span: Span,
    /// The variables of the function that it has in the device's memory, which it copies there.
    pub arrays: Vec<&'a str>,
}

/// A run of statements in which nothing but regions touches the cells of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stay {
    /// The variable.
    pub array: String,
    /// The regions in the run, by their numbers among those that were told, in the order of the text.
    pub within: Vec<usize>,
    /// Those of them that use the variable.
    pub users: Vec<usize>,
    /// Where the function begins, in the unit's text.
    pub function: usize,
    /// The run, there.
    pub range: Range<usize>,
    /// Where the run begins.
    pub begins: Edge,
    /// Where it ends.
    pub ends: Edge,
    /// Whether code behind the run may read the cells.
    pub is_read_after: bool,
    /// Whether the variable is an object: no other one shares memory with it, but by a pointer.
    pub is_object: bool,
}

/// An end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edge {
    /// The region of this number.
    Region(usize),
    /// A statement, which begins or ends at this byte of the file, in a line with this indentation.
    Statement {
        /// The byte.
        at: u32,
        /// The blanks.
        indent: String,
    },
}

/// Why a variable does not stay on the device from one region to the next that uses it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hindrance {
    /// The variable.
    pub array: String,
    /// The first region, by its number among those that were told.
    pub from: usize,
    /// The next one.
    pub to: usize,
    /// What stands in the way; none where that is the whole function.
    pub at: Option<Span>,
    /// A sentence without capital and full stop.
    pub reason: String,
}

/// A region that was told, as the file has it.
struct Told<'u, 'a> {
    region: Region<'u>,
    arrays: &'a [&'a str],
}

/// A variable, and the regions that use it.
struct Used<'u> {
    symbol: Symbol<'u>,
    users: Vec<usize>,
}

impl Reading {
    /// Where variables may stay on the device, in the order of the text, and why not where two regions of a function use them.
    pub fn stays(&self, regions: &[OnDevice<'_>]) -> (Vec<Stay>, Vec<Hindrance>) {
        let facts = FileFacts::new(&self.unit);
        let found = |on: &OnDevice<'_>| self.region(self.place_of(on.span)?);
        let mut told: Vec<(usize, Told<'_, '_>)> = Vec::new();
        for (number, on) in regions.iter().enumerate() {
            told.extend(found(on).map(|region| (number, Told { region, arrays: &on.arrays })));
        }
        told.sort_by_key(|(_, told)| told.region.text_range.start);
        let (mut stays, mut hindrances) = (Vec::new(), Vec::new());
        for function in functions(&told) {
            let of: BTreeMap<usize, &Told<'_, '_>> = told
                .iter()
                .filter(|(_, told)| told.region.function == function)
                .map(|(number, told)| (*number, told))
                .collect();
            for used in variables(&facts, &of) {
                let mut search = Search::new(&facts, &self.options, &of, &used);
                search.function(function);
                stays.extend(search.stays);
                hindrances.extend(search.hindrances);
            }
        }
        (stays, hindrances)
    }
}

/// The functions that the regions are in, in the order of the text.
fn functions<'u>(told: &[(usize, Told<'u, '_>)]) -> Vec<Node<'u>> {
    let mut all: Vec<Node<'u>> = told.iter().map(|(_, told)| told.region.function).collect();
    all.dedup();
    all
}

/// The variables that regions of a function have on the device, in the order of their declarations.
fn variables<'u>(facts: &FileFacts<'u>, of: &BTreeMap<usize, &Told<'u, '_>>) -> Vec<Used<'u>> {
    let mut all: BTreeMap<(usize, String), Used<'u>> = BTreeMap::new();
    let mut in_order: Vec<(&usize, &&Told<'u, '_>)> = of.iter().collect();
    in_order.sort_by_key(|(_, told)| told.region.text_range.start);
    for (number, told) in in_order {
        let table = SymbolTable::within(facts, &told.region);
        for name in told.arrays {
            // Where pointers lead to that are elements, does not follow from where these are.
            let is_plain = |symbol: &&Symbol<'u>| {
                let is_array = |layer: &Layer<'_>| matches!(layer, Layer::Array { .. });
                symbol.ctype.layers.iter().skip(1).all(is_array)
            };
            let Some(symbol) = table.get(name).filter(is_plain) else { continue };
            let key = (symbol.identifier.start_byte(), symbol.name.clone());
            let new = || Used { symbol: symbol.clone(), users: Vec::new() };
            all.entry(key).or_insert_with(new).users.push(*number);
        }
    }
    all.into_values().collect()
}
