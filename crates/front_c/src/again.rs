//! Lowering a region once more, on another thread, or parts of it: scops stay on the thread that made them, for each has an isl
//! context of its own; what threads share is the parsed text.

use crate::Options;
use crate::loops::{FileLoop, holds_loop};
use crate::lower::{self, Context};
use crate::source::{FileFacts, Node, Region, TranslationUnit, marked_regions};
use farkas_base::Span;
use std::ops::Range;

/// A parsed file that remembers where its regions are.
#[derive(Debug)]
pub struct Reading {
    pub(crate) unit: TranslationUnit,
    pub(crate) options: Options,
    pub(crate) places: Vec<Place>,
    pub(crate) loops: Vec<FileLoop>,
}

/// Where a region is, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// What its code replaces.
    span: Span,
    /// Its bytes in the unit's text.
    range: Range<usize>,
    /// Its number in its function.
    number: usize,
    /// Of a part, its number in what it is a part of, from 1, after the numbers of what is around that.
    part: Vec<usize>,
    /// Whether the user marked it.
    is_marked: bool,
}

impl Place {
    /// The place of a region.
    pub(crate) fn of(region: &Region<'_>) -> Self {
        let Region { span, number, part, marked, .. } = region;
        let range = region.text_range.clone();
        Self { span: *span, range, number: *number, part: part.clone(), is_marked: *marked }
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
        self.lowered(&FileFacts::new(&self.unit), &region)
    }

    /// Where the region is that replaces `span`; none where there is none.
    pub fn place_of(&self, span: Span) -> Option<&Place> {
        self.places.iter().find(|place| place.span == span)
    }

    /// Where the parts of what is at a place are: its statements that hold loops, one by one; of a single one, those inside of
    /// it. None of a region that the user marked, and of a loop that holds one loop after another alone.
    pub fn parts(&self, place: &Place) -> Vec<Place> {
        let Some(region) = self.region(place).filter(|region| !region.marked) else {
            return Vec::new();
        };
        let part = |(at, statement): (usize, Node<'_>)| {
            let found = Region::from_statements(&self.unit, &[statement]).ok()?;
            let part = place.part.iter().copied().chain([at + 1]).collect();
            Some(Place::of(&Region { number: place.number, part, ..found }))
        };
        self.parted(region.statements).into_iter().enumerate().filter_map(part).collect()
    }

    /// What is at those of the places that are static control, lowered.
    pub fn lower_all<'p>(&self, places: &'p [Place]) -> Vec<(&'p Place, farkas_scop::Region)> {
        let facts = FileFacts::new(&self.unit);
        let lower = |place| Some((place, self.lowered(&facts, &self.region(place)?)?));
        places.iter().filter_map(lower).collect()
    }

    /// Lowers a region of the file.
    fn lowered<'u>(
        &'u self,
        facts: &FileFacts<'u>,
        region: &Region<'u>,
    ) -> Option<farkas_scop::Region> {
        let context = self.options.context.as_deref().map(Context::parse).transpose().ok()?;
        lower::lower(facts, region, &self.options, &context.unwrap_or_default()).ok()
    }

    /// Those of `statements` that hold loops, or, while it is but one, those inside of it; nothing where that ends in one loop.
    fn parted<'u>(&self, statements: Vec<Node<'u>>) -> Vec<Node<'u>> {
        let holds = |node: &Node<'_>| holds_loop(&self.unit, *node);
        let mut parts: Vec<Node<'u>> = statements.into_iter().filter(holds).collect();
        while let [one] = parts.as_slice() {
            parts = self.inside(*one);
        }
        parts
    }

    /// The statements with loops of the blocks of a statement, or what it has in the place of blocks.
    fn inside<'u>(&self, statement: Node<'u>) -> Vec<Node<'u>> {
        let children: Vec<Node<'u>> = statement.named_children(&mut statement.walk()).collect();
        let with_loops = children.into_iter().filter(|child| holds_loop(&self.unit, *child));
        let is_between =
            |node: &Node<'_>| matches!(node.kind(), "compound_statement" | "else_clause");
        let open = |child: Node<'u>| match is_between(&child) && !is_between(&statement) {
            true => self.inside(child),
            false => vec![child],
        };
        with_loops.flat_map(open).collect()
    }

    /// The region at a place.
    pub(crate) fn region(&self, place: &Place) -> Option<Region<'_>> {
        if place.is_marked {
            let (regions, _) = marked_regions(&self.unit);
            return regions.into_iter().find(|region| Place::of(region) == *place);
        }
        let range = &place.range;
        let inner = self.unit.root().descendant_for_byte_range(range.start, range.end)?;
        let is_all = |n: &Node<'_>| n.byte_range() == *range;
        let all = std::iter::successors(Some(inner), Node::parent).take_while(is_all).last();
        let inside = |n: &Node<'_>| range.start <= n.start_byte() && n.end_byte() <= range.end;
        let statements = match all {
            Some(statement) => vec![statement],
            None => inner.named_children(&mut inner.walk()).filter(inside).collect(),
        };
        let region = Region::from_statements(&self.unit, &statements).ok()?;
        Some(Region { number: place.number, part: place.part.clone(), ..region })
    }
}
