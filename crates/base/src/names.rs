//! Fresh names that collide with nothing already in use.

use std::collections::BTreeSet;

/// A name as a part of identifiers: what they may not have, as in `s.x`, is `_`.
pub fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

/// Hands out identifiers that are not taken yet; deterministic.
#[derive(Clone, Debug, Default)]
pub struct NameGenerator {
    taken: BTreeSet<String>,
}

impl NameGenerator {
    /// A generator that avoids every name of `taken`.
    pub fn new(taken: impl IntoIterator<Item = String>) -> Self {
        Self { taken: taken.into_iter().collect() }
    }

    /// Marks `name` as taken.
    pub fn reserve(&mut self, name: impl Into<String>) {
        self.taken.insert(name.into());
    }

    /// `wanted` itself when it is free, else `wanted2`, `wanted3`, …; the result is taken from then on.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let candidates =
            std::iter::once(wanted.to_owned()).chain((2u32..).map(|n| format!("{wanted}{n}")));
        for name in candidates {
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        wanted.to_owned()
    }

    /// Gives `name` back, for instance when its scope ends.
    pub fn release(&mut self, name: &str) {
        self.taken.remove(name);
    }
}
