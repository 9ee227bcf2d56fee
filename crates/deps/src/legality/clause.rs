//! What the refinement rule asks of a program, clause by clause.

use std::fmt;

/// Declares [`Clause`] with what is said where one does not hold.
macro_rules! clauses {
    ($($(#[doc = $doc:literal])+ $clause:ident $text:literal,)*) => {
        /// A clause of the refinement rule that a program breaks.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Clause {
            $($(#[doc = $doc])+ $clause,)*
        }

        impl Clause {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$clause),*];

            /// What is wrong where it does not hold, said of a statement or an array.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$clause => $text,)*
                }
            }
        }
    };
}

impl Clause {
    /// Those that are asked of calls of routines alone ([`check_call`](super::check_call)).
    pub const OF_CALLS: &[Self] = &[
        Self::CallInstances,
        Self::CallStatements,
        Self::CallFactors,
        Self::CallProducts,
        Self::CallScaled,
        Self::CallBegins,
        Self::CallOperands,
        Self::CallAccesses,
    ];
}

clauses! {
    /// Parameters are the original's, and the context lies in the original's.
    Parameters "its parameters are others",
    /// Arrays of the original are in the program as they were.
    Arrays "it is not the original's array",
    /// A statement stands for one of the original's, or copies.
    Statements "the original has no such statement",
    /// A statement has the dimensions of the original's, behind others.
    Dimensions "its instances lack dimensions",
    /// The instances of the original run once each.
    EachOnce "its instances are not those of the original, each once",
    /// A statement that is left out would copy an element to itself.
    Missing "it is missing",
    /// What came from one statement, date, domain or name, fits the rest.
    Consistent "its statements contradict one another",
    /// Iterators have the values of the original's.
    Iterators "its iterators have other values than the original's",
    /// Where order is that of dates, they are the original's.
    Dates "it has other dates than the original",
    /// Bodies compute what the original's do.
    Body "its body is not that of the original",
    /// What is not of the original's arrays belongs to the program alone.
    Own "it is no array of the program's own",
    /// What holds values of an array has elements of its type.
    Elements "it has elements of another type",
    /// An access that goes elsewhere is part of one assignment.
    Assignment "it is not one assignment",
    /// A buffer is used where it is declared.
    Declared "it is used where it is not declared",
    /// Cells lie within extents.
    Extents "a cell lies outside",
    /// What fills a buffer only does that.
    Copy "it is no copy",
    /// No cell is filled twice.
    FilledTwice "a cell is filled twice in a session",
    /// No cell is filled by several statements.
    FilledByTwo "two statements fill a cell in one session",
    /// What is used is filled.
    Filled "a cell is used that was not filled",
    /// What is filled is used: nothing is read that the original does not.
    Used "a cell is filled that nothing uses",
    /// Cells are filled before they are used.
    FilledFirst "a cell is used before it is filled",
    /// A buffer that nothing writes needs no copy back.
    NotWritten "it is copied back though nothing writes it",
    /// What a buffer holds does not change meanwhile.
    Unchanged "what it holds is written while it is used",
    /// What is copied back was filled.
    BackFilled "a cell is copied back that was not filled",
    /// What is written is copied back.
    Back "a cell is written that is not copied back",
    /// Cells are copied back after the last write.
    BackLast "a cell is written after it was copied back",
    /// A buffer that is written holds elements.
    Holds "it is written, but does not hold elements of an array",
    /// Cells stand for elements of their own.
    OneElement "two cells stand for one element",
    /// While a buffer stands for elements, nothing else uses them.
    Beside "an element is used beside the buffer that stands for it",
    /// Cells are copied back to where they came from.
    BackHome "a cell is copied back to another element",
    /// One statement fills a buffer that is written.
    OneFill "several statements fill a buffer that is written",
    /// Iterations update copies of a buffer between its fill and its copy back.
    AroundCopies "it is filled or copied back where iterations update copies of it",
    /// Beyond its instances, a statement touches buffers alone.
    GhostBuffers "beyond its instances it may touch more than buffers",
    /// What is computed there is defined whatever buffers hold.
    GhostTraps "beyond its instances it may compute what is not defined",
    /// Cells that are touched there lie within extents.
    GhostCells "beyond its instances it leaves a buffer",
    /// What is written there no instance touches.
    Ghosts "beyond its instances it writes what an instance touches",
    /// An array that gathers partial results is begun with the neutral element, and nothing else happens to it.
    Neutral "it gathers partial results, but does not begin with the neutral element alone",
    /// Its cells are updated by one operator whose order is free.
    Gathers "it gathers partial results otherwise than by one operator whose order is free",
    /// Its cells are combined by the same operator.
    Combines "it does not combine a partial result by the operator that gathers it",
    /// Cells are begun once.
    BegunTwice "a partial result is begun twice",
    /// Cells are combined once: no contribution counts twice.
    CombinedTwice "a partial result is combined twice",
    /// One statement combines the cells of an array.
    CombinedByTwo "several statements combine its partial results",
    /// Cells that are used were begun.
    Begun "a partial result is used that was not begun",
    /// Cells that are updated are combined: no contribution is lost; and none is that nothing updates.
    Combined "a partial result is not combined, or nothing is gathered in one that is",
    /// Elements that updates may leave alone are combined with cells that were updated.
    CombinedWhereUpdated "an element may be combined with a partial result though nothing updates it",
    /// What data chooses among cells, it chooses among elements.
    Chosen "data chooses one partial result and another element",
    /// What a selection keeps lies in cells that are used as one.
    SelectsAsOne "it keeps what it selects in partial results that are not combined as one",
    /// Cells are begun before they are updated.
    BegunFirst "a partial result is updated before it is begun",
    /// Cells are combined after they are updated.
    CombinedLast "a partial result is combined before it is complete",
    /// Updates of a cell do not run at the same time.
    GatheredAtOnce "updates of one partial result may run at the same time",
    /// What else touches the element has its place in the original's order.
    CombinedInTime "it is combined at another time than the program needs it",
    /// Nothing touches an element at the same time.
    CombinedAtOnce "a partial result is combined while something touches the element",
    /// Where values come from is known.
    Known "where its values come from is not known",
    /// Each read gets its value from the write that the original's does.
    Values "it gets its values from elsewhere",
    /// Each instance of the statements that a call takes the place of belongs to one of the call's.
    CallInstances "its instances are not those that it takes the place of",
    /// These statements are sums of products.
    CallStatements "it is no sum of products that a call can take the place of",
    /// All that is added is multiplied by what the call says.
    CallFactors "it adds products by another factor than the call",
    /// The products are those of the routine's definition.
    CallProducts "it does not add the products that it takes the place of",
    /// What is updated is multiplied, set or divided as the routine does it, whole and once.
    CallScaled "it does not multiply what it updates as the statements do that it takes the place of",
    /// That happens at the right time.
    CallBegins "it changes elements at another time than the call does",
    /// Operands stay as they are, or are read when the routine reads them.
    CallOperands "an operand of the call is written before it is read, or afterwards",
    /// The accesses of a call are those of its definition.
    CallAccesses "its accesses are not those of the routine",
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
