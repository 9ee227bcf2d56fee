//! A small deterministic generator of numbers (splitmix64).

/// The state of the generator.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % (bound.max(1) as u64)).unwrap_or(0)
    }

    /// Puts the items into another order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// The items of all parts in one random order that keeps the order within each part.
    pub(crate) fn interleave<T>(&mut self, parts: Vec<Vec<T>>) -> Vec<T> {
        let owners = parts.iter().enumerate().flat_map(|(i, p)| std::iter::repeat_n(i, p.len()));
        let mut owners: Vec<usize> = owners.collect();
        self.shuffle(&mut owners);
        let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
        owners.into_iter().filter_map(|owner| parts[owner].next()).collect()
    }
}
