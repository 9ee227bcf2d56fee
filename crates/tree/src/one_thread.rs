//! Why loops stay on one thread, as whoever decided that recorded it.

/// Why the iterations of a loop stay on one thread. It is recorded where loops are marked [`Parallel`](crate::Mark::Parallel), and
/// is no part of a tree's text: trees that were read have none.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OneThread {
    /// The member is not coincident, as far as the schedule knows.
    NotCoincident,
    /// Threads share the iterations of a loop around it.
    Outer,
    /// Threads share the iterations of a loop inside it.
    Inner,
    /// It has fewer iterations than this, and a loop right inside it was taken instead, which has as many.
    Short(i64),
    /// Loops in order are around it and no loop is inside: threads would start again and again for little work.
    Innermost,
    /// A loop that carries nothing was moved inside of it, to walk through the same data again in each of its iterations: threads
    /// that share it would take these data from one another.
    Streams,
    /// It is inside the one tile that all others wait for; threads share tiles.
    Waited,
    /// Its nest has the shape that register tiles or strips need, with whatever loops on threads belong to that.
    Shaped,
    /// No step of the recipe that shaped the program marks it.
    Unmarked,
    /// Its iterations share memory of which they would each need a copy, and cannot have one: why not.
    NoCopies(Vec<String>),
}

/// Why no loop of a program runs on threads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NoThreads {
    /// Code of this target starts none.
    Target,
    /// Whoever asked for the program wants none.
    Asked,
    /// The program keeps its own order, in which no loops are looked for.
    OwnOrder,
    /// The place of the region in its file forbids it: why.
    Region(String),
    /// The same loops on threads cost more by the machine model.
    Dear,
}
