//! Whether the search found something.

/// What is to be written, and what is to be said of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// The individual whose recipe is to be written; none where the rival is best and has no recipe.
    pub winner: Option<usize>,
    /// The fastest individual of the last runs that is not the rival.
    pub challenger: Option<usize>,
    /// Whether the winner beats the rival by more than the spread.
    pub is_better: bool,
}
