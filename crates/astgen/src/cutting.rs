//! The ways of cutting loops.

use crate::Result;
use farkas_poly::AstLoopType;
use farkas_tree::{Member, Node, ScheduleTree};

/// How loops are cut where the ranges of their statements differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cutting {
    /// The point loops of innermost permutable bands, and innermost loops, have a piece for each range in which the same
    /// statements run, without conditions inside; other loops are whole.
    Separate,
    /// Of each point loop that has statements running in a part of it in innermost loops, the range in which all of them
    /// run is apart, free of those conditions; what comes before and after has them inside.
    Core,
    /// All loops are whole, with conditions inside.
    Atomic,
    /// As [`Cutting::Atomic`], and where the tree asks for pieces, isl cuts as it likes: it keeps ranges apart that do not meet, but
    /// has no piece of its own for where some do.
    Apart,
    /// As [`Cutting::Atomic`], and where the tree asks for pieces, the outermost loop alone has them.
    Outermost,
    /// All loops are whole, also those for which the tree asks for pieces.
    Whole,
}

impl Cutting {
    /// The ways to try for a tree. Separation repeats each of `n` statements of an innermost band about `n` times a loop;
    /// pieces that the tree asks for in each of several loops inside each other multiply.
    pub(crate) fn worthwhile(tree: &ScheduleTree) -> Result<&'static [Self]> {
        const ALL: &[Cutting] = &[
            Cutting::Separate,
            Cutting::Core,
            Cutting::Atomic,
            Cutting::Apart,
            Cutting::Outermost,
            Cutting::Whole,
        ];
        let first = if widest_innermost(tree)? <= 3 { 0 } else { 1 };
        let end = if asks_for_pieces(tree) { ALL.len() } else { 3 };
        Ok(&ALL[first..end])
    }

    /// How the loop of a member is generated. Guards around whole loops cost nothing, so loops outside of the innermost
    /// nest stay whole.
    pub(crate) fn loop_type(self, shape: LoopShape) -> AstLoopType {
        match shape.asked {
            AstLoopType::Default => {}
            AstLoopType::Separate if self == Self::Whole => return AstLoopType::Atomic,
            AstLoopType::Separate if self == Self::Apart => return AstLoopType::Default,
            AstLoopType::Separate if self == Self::Outermost && shape.is_in_piece => {
                return AstLoopType::Atomic;
            }
            asked => return asked,
        }
        let inside = shape.is_innermost || shape.in_innermost_nest;
        if self == Self::Separate && !shape.is_tile && inside {
            AstLoopType::Separate
        } else {
            AstLoopType::Atomic
        }
    }
}

/// Where a member stands, for [`Cutting::loop_type`].
#[derive(Clone, Copy)]
pub(crate) struct LoopShape {
    /// What the tree asks for.
    pub(crate) asked: AstLoopType,
    /// A loop around it has pieces because the tree asks for them.
    pub(crate) is_in_piece: bool,
    /// It runs over tiles.
    pub(crate) is_tile: bool,
    /// No loop is inside it.
    pub(crate) is_innermost: bool,
    /// It belongs to a permutable band with no band inside.
    pub(crate) in_innermost_nest: bool,
}

/// The greatest number of statements in one innermost band.
fn widest_innermost(tree: &ScheduleTree) -> Result<usize> {
    let mut widest = 0;
    if let Node::Band { band, child } = tree.node()
        && !child.contains_band()
        && let Some(member) = band.members.first()
    {
        widest = member.schedule.pw_affs()?.len();
    }
    for child in tree.children() {
        widest = widest.max(widest_innermost(child)?);
    }
    Ok(widest)
}

/// Whether a loop is to have a piece for each range of its statements, whatever the way of cutting.
fn asks_for_pieces(tree: &ScheduleTree) -> bool {
    let own = match tree.node() {
        Node::Band { band, .. } => band.members.iter().any(Member::asks_for_pieces),
        _ => false,
    };
    own || tree.children().iter().any(asks_for_pieces)
}
