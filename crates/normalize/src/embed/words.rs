//! What the numbers of a program are called.

use super::SLOTS;

/// The numbers of a loop around a statement.
pub(super) const IN_LOOP: [&str; 11] = [
    "the presence",
    "the extent",
    "the parallelism",
    "the reductions",
    "the directions of dependences",
    "the reads of next elements",
    "the reads farther away",
    "the reads of one element",
    "the writes to next elements",
    "the writes farther away",
    "the writes to one element",
];

/// The numbers of a statement as a whole.
pub(super) const OVERALL: [&str; 23] = [
    "the depth of loops",
    "the reads of scalars",
    "the reads of vectors",
    "the reads of matrices",
    "the reads of arrays of three and more dimensions",
    "the writes to scalars",
    "the writes to vectors",
    "the writes to matrices",
    "the writes to arrays of three and more dimensions",
    "the additions",
    "the multiplications",
    "the divisions",
    "the calls",
    "the comparisons",
    "the slanted bounds",
    "the elements that data chooses",
    "the size of elements",
    "the part of floating-point numbers",
    "the elements kept for reuse",
    "the elements touched",
    "the iterations",
    "the statements before",
    "the statements behind",
];

/// The numbers that follow those of statements.
const REST: [&str; 5] = [
    "the number of statements",
    "the cores",
    "the width of vector registers",
    "the innermost cache",
    "the outermost cache",
];

/// The loops from inside out.
const LOOPS: [&str; SLOTS] = [
    "the innermost loop",
    "the second innermost loop",
    "the third innermost loop",
    "the fourth innermost loop",
    "the fifth innermost loop",
];

/// What the number of a program at a place is called.
pub(super) fn word(at: usize) -> String {
    let n_in_loops = SLOTS * IN_LOOP.len();
    let n_stmt = n_in_loops + OVERALL.len();
    if let Some(word) = at.checked_sub(2 * n_stmt).and_then(|at| REST.get(at)) {
        return (*word).to_owned();
    }
    let of_stmt = at % n_stmt;
    match of_stmt.checked_sub(n_in_loops).and_then(|at| OVERALL.get(at)) {
        Some(word) => (*word).to_owned(),
        None => {
            let (slot, number) = (of_stmt / IN_LOOP.len(), of_stmt % IN_LOOP.len());
            let of = LOOPS.get(slot).copied().unwrap_or_default();
            format!("{} of {of}", IN_LOOP[number])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn numbers_have_names() {
        assert_eq!(word(0), "the presence of the innermost loop");
        assert_eq!(word(12), "the extent of the second innermost loop");
        assert_eq!(word(55), "the depth of loops");
        assert_eq!(word(78), word(0));
        assert_eq!(word(156), "the number of statements");
        assert_eq!(word(160), "the outermost cache");
    }
}
