//! Lowering a region once more, on another thread: scops stay on the thread that made them, for each has an isl context of
//! its own; what threads share is the parsed text.

use crate::Options;
use crate::loops::FileLoop;
use crate::lower::{self, Context};
use crate::source::{FileFacts, Node, Region, TranslationUnit, marked_regions};
use std::ops::Range;

/// A parsed file that remembers where its regions are.
#[derive(Debug)]
pub struct Reading {
    pub(crate) unit: TranslationUnit,
    pub(crate) options: Options,
    pub(crate) places: Vec<Place>,
    pub(crate) loops: Vec<FileLoop>,
}

/// Where a region is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// Its bytes in the unit's text.
    range: Range<usize>,
    /// Its number in its function.
    number: usize,
    /// Whether the user marked it.
    is_marked: bool,
}

impl Place {
    /// The place of a region.
    pub(crate) fn of(region: &Region<'_>) -> Self {
        let range = region.text_range.clone();
        Self { range, number: region.number, is_marked: region.marked }
    }
}

impl Reading {
    /// Every loop of the file, in its order; none without [`Options::auto`].
    pub fn loops(&self) -> &[FileLoop] {
        &self.loops
    }

    /// The region with this number among those that were found, from 0, lowered again.
    pub fn lower(&self, at: usize) -> Option<farkas_scop::Region> {
        let region = self.region(self.places.get(at)?)?;
        let context = self.options.context.as_deref().map(Context::parse).transpose().ok()?;
        let facts = FileFacts::new(&self.unit);
        lower::lower(&facts, &region, &self.options, &context.unwrap_or_default()).ok()
    }

    /// The region at a place.
    fn region(&self, place: &Place) -> Option<Region<'_>> {
        if place.is_marked {
            let (regions, _) = marked_regions(&self.unit);
            return regions.into_iter().find(|region| Place::of(region) == *place);
        }
        let range = &place.range;
        let inner = self.unit.root().descendant_for_byte_range(range.start, range.end)?;
        let is_around = |n: &Node<'_>| n.kind() == "compound_statement" && n.byte_range() != *range;
        let block = std::iter::successors(Some(inner), Node::parent).find(is_around)?;
        let inside = |n: &Node<'_>| range.start <= n.start_byte() && n.end_byte() <= range.end;
        let statements: Vec<Node<'_>> =
            block.named_children(&mut block.walk()).filter(inside).collect();
        let region = Region::from_statements(&self.unit, &statements).ok()?;
        Some(Region { number: place.number, ..region })
    }
}
