//! What loops are for.

use std::fmt;

/// What a loop is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It runs over tiles.
    Tile,
    /// It runs within a tile.
    Point,
    /// Its iterations run on several threads.
    Parallel,
    /// Its iterations run in vector lanes.
    Vector,
}

impl Role {
    /// All of them by their words.
    pub(crate) const WORDS: [(&'static str, Self); 4] = [
        ("tile", Self::Tile),
        ("point", Self::Point),
        ("parallel", Self::Parallel),
        ("vector", Self::Vector),
    ];
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::WORDS.iter().find(|(_, role)| role == self).map_or("", |(word, _)| word);
        f.write_str(word)
    }
}
