//! What is taken for granted.
//!
//! **Paper**: J. Doerfert, T. Grosser, S. Hack, "Optimistic Loop Optimization", CGO 2017. As there, an assumption is a value
//! that goes through all stages and ends as one test in front of the region. Ours may also be granted by the user, by name.

use crate::{ArrayId, MemoryLimit, ParamId};
use farkas_base::Span;
use farkas_poly::{PwAff, Set};
use std::fmt;
use std::str::FromStr;

/// What kind of thing is taken for granted; its name is what `--assume` takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AssumptionKind {
    /// Two objects share no memory.
    NoOverlap,
    /// The rows that an array of pointers leads to share no memory.
    SeparateRows,
    /// An expression stays in the range of its type: it does not wrap around, and a conversion keeps its value.
    NoWrap,
    /// An array has elements.
    PositiveExtents,
    /// A subscript stays inside of its row.
    InRow,
    /// What generated code computes fits the types that it has.
    IndexFits,
    /// There is memory for what generated code allocates.
    Memory,
    /// Code that cannot be seen does not read what an iterator is after its loop.
    UnreadIterators,
    /// The order in which a file lists statements is the one in which they run.
    FileOrder,
}

impl AssumptionKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [Self; 9] = [
        Self::NoOverlap,
        Self::SeparateRows,
        Self::NoWrap,
        Self::PositiveExtents,
        Self::InRow,
        Self::IndexFits,
        Self::Memory,
        Self::UnreadIterators,
        Self::FileOrder,
    ];

    /// Its name: `no-overlap`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoOverlap => "no-overlap",
            Self::SeparateRows => "separate-rows",
            Self::NoWrap => "no-wrap",
            Self::PositiveExtents => "positive-extents",
            Self::InRow => "in-row",
            Self::IndexFits => "index-fits",
            Self::Memory => "memory",
            Self::UnreadIterators => "unread-iterators",
            Self::FileOrder => "file-order",
        }
    }
}

/// What exactly has to hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// No byte that the region touches of one array is one that it touches of the other.
    Apart(ArrayId, ArrayId),
    /// No byte that the region touches of the rows that an array of pointers leads to, wherever each lies, is one that it touches of the other
    /// array.
    RowsApart(ArrayId, ArrayId),
    /// No byte of the parameter's variable is one that the region touches of the array.
    ApartFromParameter(ArrayId, ParamId),
    /// No byte of the pointer variable that leads to the second array is one that the region touches of the first.
    ApartFromPointer(ArrayId, ArrayId),
    /// The rows that an array of pointers leads to lie one after another in memory, in the order of the array, as far as the
    /// region touches them.
    RowsAscend(ArrayId),
    /// The parameters are in this set.
    Parameters(Set),
    /// A function of the parameters is a number times the product of others, which are positive.
    Product(PwAff, i64, Vec<PwAff>),
    /// The arrays that generated code allocates for the values of temporaries take no more than this.
    Memory(MemoryLimit),
    /// Something that no test can find out.
    Untestable,
}

/// How an assumption ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// It always holds, for the reason given.
    Proved(String),
    /// A condition in front of the region tests it; where it fails, the original runs.
    Tested,
    /// The user says so.
    Granted,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved(reason) => write!(f, "proved: {reason}"),
            Self::Tested => f.write_str("tested"),
            Self::Granted => f.write_str("granted"),
        }
    }
}

/// Something that is taken for granted (DESIGN.md, section 2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// What kind of thing.
    pub kind: AssumptionKind,
    /// What has to hold.
    pub claim: Claim,
    /// The same for people: `A and B do not overlap`.
    pub text: String,
    /// Who needs it: `dependences`, `loop bounds`.
    pub needed_by: &'static str,
    /// The names of the source by which the user may grant it.
    pub names: Vec<String>,
    /// Where it matters.
    pub span: Option<Span>,
    /// How it ended.
    pub outcome: Outcome,
}

impl fmt::Display for Assumption {
    /// `A and B do not overlap (no-overlap: tested)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}: {})", self.text, self.kind.name(), self.outcome)
    }
}

/// What the user grants: all assumptions of a kind, or those that are about some names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Grant {
    /// The kind.
    pub kind: AssumptionKind,
    /// Arrays or variables; none for all.
    pub names: Vec<String>,
}

impl Grant {
    /// Whether it is about an assumption of this kind on these names.
    pub fn covers(&self, kind: AssumptionKind, names: &[String]) -> bool {
        let has = |name: &str| self.names.iter().any(|known| known == name);
        let is_named = |name: &String| has(name) || has(Self::whole(name));
        self.kind == kind && (self.names.is_empty() || names.iter().any(is_named))
    }

    /// The variable that `name` is a member of, or `name` itself: `x` of `x[].r`. What is granted of it is granted of its members.
    pub fn whole(name: &str) -> &str {
        name.split(['[', '.']).next().unwrap_or(name)
    }
}

impl fmt::Display for Grant {
    /// As it is read: `no-overlap=a,b`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if self.names.is_empty() { Ok(()) } else { write!(f, "={}", self.names.join(",")) }
    }
}

/// A text that grants nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no kind of assumption; the kinds are {}", kinds())]
pub struct UnknownGrant {
    /// The text.
    pub text: String,
}

/// The names of all kinds.
fn kinds() -> String {
    AssumptionKind::ALL.map(AssumptionKind::name).join(", ")
}

impl FromStr for Grant {
    type Err = UnknownGrant;

    /// Reads `KIND` or `KIND=NAME,NAME`.
    fn from_str(text: &str) -> Result<Self, UnknownGrant> {
        let (kind, names) = text.split_once('=').unwrap_or((text, ""));
        let known = AssumptionKind::ALL.into_iter().find(|k| k.name() == kind.trim());
        let kind = known.ok_or_else(|| UnknownGrant { text: text.trim().to_owned() })?;
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        Ok(Self { kind, names: names.map(str::to_owned).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants() {
        let all: Grant = "no-overlap".parse().expect("a kind");
        assert!(all.covers(AssumptionKind::NoOverlap, &["A".into()]));
        assert!(!all.covers(AssumptionKind::NoWrap, &[]));
        let some: Grant = "no-overlap=A, B".parse().expect("a kind with names");
        assert!(some.covers(AssumptionKind::NoOverlap, &["C".into(), "B".into()]));
        assert!(!some.covers(AssumptionKind::NoOverlap, &["C".into()]));
        assert!(some.covers(AssumptionKind::NoOverlap, &["A[].re".into(), "C".into()]));
        let error = "overlap".parse::<Grant>().expect_err("no kind");
        assert!(error.to_string().contains("no-overlap, separate-rows"), "{error}");
    }
}
