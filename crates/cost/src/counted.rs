//! A loop AST with numbers: how often its loops run, and how its references move along them.

use farkas_scop::{AccessId, ArrayId, StmtId};

/// A loop AST, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    /// What runs, one after another.
    pub(crate) body: Vec<Part>,
    /// Iterations of each loop for one start, on average, by the loops' numbers.
    pub(crate) trips: Vec<f64>,
    /// Of each loop that starts threads where sizes say so: the sum that says it, on average over its starts.
    pub(crate) works: Vec<f64>,
    /// Instances that run in each of as many equal parts of a loop's iterations, over all its starts, by the loops' numbers.
    pub(crate) along: Vec<Along>,
    /// The size of each array, where its extents are known.
    pub(crate) arrays: Vec<Option<Extent>>,
    /// Whether it is the source's own code.
    pub(crate) is_original: bool,
}

/// Equal parts of a loop's iterations, of which most numbers of threads are divisors or near to one.
pub(crate) const N_PARTS: usize = 48;

/// Instances in each part of a loop's iterations.
pub(crate) type Along = [f64; N_PARTS];

/// The size of an array.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    /// All of it.
    pub(crate) bytes: u64,
    /// How many elements there are in each dimension, at least one.
    pub(crate) dims: Vec<u64>,
}

/// A piece of code.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A loop.
    Loop(Loop),
    /// An instance of a statement.
    Leaf(Leaf),
}

/// A loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Its number.
    pub(crate) id: usize,
    /// How often it starts, for each time that what is around it runs; guards count.
    pub(crate) rate: f64,
    /// Iterations of each start, where they are the same for all.
    pub(crate) constant_trips: Option<u64>,
    /// The part of the starts of which iterations run on several threads.
    pub(crate) on_threads: f64,
    /// Whether that is found out when the loop starts.
    pub(crate) asks_for_threads: bool,
    /// Iterations are independent of each other.
    pub(crate) is_independent: bool,
    /// Iterations add up into one element, in any order.
    pub(crate) is_sum: bool,
    /// Iterations are to run in vector lanes.
    pub(crate) is_vector: bool,
    /// Iterations are written out one after another.
    pub(crate) is_unrolled: bool,
    /// Of a block of iterations it is asked at once whether any changes something.
    pub(crate) is_rare: bool,
    /// Conditions that each iteration tests.
    pub(crate) n_guards: usize,
    /// How many of the loops inside threads share with it.
    pub(crate) n_shared: usize,
    /// Whether one of them depends on the iteration.
    pub(crate) is_guarded: bool,
    /// Whether guards anywhere inside depend on its iterator.
    pub(crate) is_tested: bool,
    /// What runs in each iteration.
    pub(crate) body: Vec<Part>,
}

impl Loop {
    /// The loop and those inside whose iterations threads share with it, from the outside in.
    pub(crate) fn shared(&self) -> Vec<&Self> {
        let mut shared = vec![self];
        while let Some(last) = shared.last()
            && shared.len() <= self.n_shared
            && let [Part::Loop(inner)] = last.body.as_slice()
        {
            shared.push(inner);
        }
        shared
    }
}

impl Counted {
    /// The iterations that threads share: those of a loop, with those of the loops inside that they share with it.
    pub(crate) fn shared_trips(&self, around: &Loop) -> f64 {
        let inner: f64 =
            around.shared().iter().skip(1).map(|inner| self.trips[inner.id].max(1.0)).product();
        self.trips[around.id] * inner
    }
}

/// An instance of a statement.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// The statement.
    pub(crate) stmt: StmtId,
    /// How often it runs, for each time that what is around it runs.
    pub(crate) rate: f64,
    /// What it touches.
    pub(crate) references: Vec<Moves>,
}

/// How a reference moves along the loops around it.
#[derive(Clone, Debug)]
pub(crate) struct Moves {
    /// Which of the statement's accesses it is.
    pub(crate) access: AccessId,
    /// The array.
    pub(crate) array: ArrayId,
    /// Bytes of an element.
    pub(crate) element_bytes: u32,
    /// Whether it writes.
    pub(crate) is_write: bool,
    /// What one more iteration of a loop adds to each subscript: loops that add something alone, outer ones first; `None` where
    /// subscripts are unknown.
    pub(crate) steps: Option<Vec<(usize, Vec<i64>)>>,
    /// The subscripts in one iteration, which is the same for all references in the same loops.
    pub(crate) at: Vec<i64>,
}

/// How a reference moves along one loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Motion {
    /// It stays.
    Still,
    /// To the next element of the same row, or the one before.
    Contiguous,
    /// Elsewhere.
    Far,
}

impl Moves {
    /// The motion along a loop.
    pub(crate) fn along(&self, id: usize) -> Motion {
        let Some(steps) = &self.steps else { return Motion::Far };
        let Some((_, step)) = steps.iter().find(|(at, _)| *at == id) else { return Motion::Still };
        match step.split_last() {
            Some((1 | -1, outer)) if outer.iter().all(|&s| s == 0) => Motion::Contiguous,
            _ => Motion::Far,
        }
    }

    /// After how many iterations of a loop it is where `other` is now, in the same array, if ever: zero where both stay in one
    /// place.
    pub(crate) fn reaches(&self, other: &Self, id: usize) -> Option<u64> {
        let (steps, others) = (self.steps.as_ref()?, other.steps.as_ref()?);
        if self.array != other.array || steps != others {
            return None;
        }
        let gap: Vec<i64> =
            other.at.iter().zip(&self.at).map(|(o, s)| o.wrapping_sub(*s)).collect();
        let still = vec![0; gap.len()];
        let step = steps.iter().find(|(at, _)| *at == id).map_or(&still, |(_, step)| step);
        let Some(at) = step.iter().position(|&s| s != 0) else {
            return gap.iter().all(|&g| g == 0).then_some(0);
        };
        let n = gap[at] / step[at];
        let is_there = n > 0 && step.iter().zip(&gap).all(|(s, g)| s.checked_mul(n) == Some(*g));
        is_there.then(|| n.unsigned_abs())
    }
}
