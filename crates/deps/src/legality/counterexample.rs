//! What the check says against a tree, in words and as data.

use super::clause::Clause;
use crate::DependenceKind;
use farkas_base::{SourceFile, Span};
use farkas_scop::{AccessId, ArrayId, StmtId};
use farkas_tree::{Cursor, Mark};
use std::fmt;

/// A concrete example of what a tree does wrong, the smallest that was found: least parameters first, then the least
/// instances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// Values of the scop's parameters, in its order.
    pub params: Vec<(String, i64)>,
    /// What goes wrong for them.
    pub fault: Fault,
}

/// What goes wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The tree orders a statement that the scop does not have.
    UnknownStatement {
        /// Its name.
        name: String,
    },
    /// An instance does not run exactly once.
    Instance {
        /// The instance.
        instance: Instance,
        /// What happens to it.
        fault: InstanceFault,
        /// The node where that is decided.
        cursor: Cursor,
    },
    /// Two instances that touch the same element do not run in the original order.
    Order(Conflict),
    /// A write comes between another write and a read that needs its value.
    Cut(Cut),
    /// The iterations of a loop cannot have copies of an array.
    NotPrivate(NotPrivate),
    /// A pair of a relation that somebody gave is not respected.
    Required(Broken),
    /// A program has a statement or an array that is not as it must be.
    Program {
        /// Its name.
        name: String,
        /// What is wrong.
        clause: Clause,
    },
}

/// A live range that a write cuts, or may cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The array.
    pub array: ArrayId,
    /// The element, with the array's name in the source: `A[3][0]`.
    pub element: String,
    /// The instance that writes the value.
    pub write: Instance,
    /// The instance that needs it.
    pub read: Instance,
    /// The instance that overwrites it.
    pub other: Instance,
    /// Whether that one runs before the write in the original order; otherwise after the read.
    pub is_before: bool,
    /// Where the tree turns that order round.
    pub place: Place,
}

/// An array that is marked private where it is not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotPrivate {
    /// The array.
    pub array: ArrayId,
    /// Its name in the source.
    pub name: String,
    /// The band of the loop.
    pub cursor: Cursor,
    /// Why.
    pub why: WhyShared,
}

/// Why the iterations of a loop share an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WhyShared {
    /// It is live-out, too large or no variable of its own.
    Array,
    /// It is not known which write a read gets its value from.
    Unknown,
    /// Iterations do not only update it, by one operator whose order is free.
    Updates,
    /// Threads combine what they gather in the order in which they end, which shows in the result.
    Threads,
    /// A read gets a value from before the region.
    FromBefore {
        /// The instance that reads.
        read: Instance,
    },
    /// A value enters or leaves an iteration.
    Leaves {
        /// The instance that writes it.
        write: Instance,
        /// The instance that reads it.
        read: Instance,
    },
}

/// A pair of instances that a given relation holds and a tree does not respect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The first instance.
    pub source: Instance,
    /// The second instance.
    pub sink: Instance,
    /// What the tree does to them.
    pub how: How,
}

/// How a tree breaks a given relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// The first one does not run before the second.
    OutOfOrder(Place),
    /// A loop that is called coincident dates them differently.
    NotCoincident {
        /// The band.
        cursor: Cursor,
        /// The member.
        member: usize,
    },
}

/// What happens to an instance instead of running once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstanceFault {
    /// It does not run.
    NeverRuns,
    /// It runs at two places.
    RunsTwice,
    /// The scop does not have it.
    NotInScop,
}

/// Two instances that must stay in order and do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The dependence's kind.
    pub kind: DependenceKind,
    /// The instance that comes first in the original order.
    pub source: Instance,
    /// Its access.
    pub source_access: AccessId,
    /// Where that is written.
    pub source_span: Option<Span>,
    /// The instance that comes second.
    pub sink: Instance,
    /// Its access.
    pub sink_access: AccessId,
    /// Where that is written.
    pub sink_span: Option<Span>,
    /// The array that both touch.
    pub array: ArrayId,
    /// The element, with the array's name in the source: `A[3][0]`.
    pub element: String,
    /// Where the tree fails.
    pub place: Place,
}

/// An instance of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The statement.
    pub stmt: StmtId,
    /// Its name.
    pub name: String,
    /// The point of the domain.
    pub point: Vec<i64>,
    /// The user's iterators and their values, outermost first.
    pub iterators: Vec<(String, i64)>,
    /// Where the statement stands.
    pub span: Option<Span>,
}

/// Where a tree fails to keep two instances in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A loop runs the second instance in an earlier iteration than the first.
    Loop {
        /// The band.
        cursor: Cursor,
        /// The member.
        member: usize,
    },
    /// A loop that runs in parallel or in vector lanes has them in different iterations.
    Concurrent {
        /// The band.
        cursor: Cursor,
        /// The member.
        member: usize,
        /// The mark that makes it concurrent.
        mark: Mark,
    },
    /// They lie in different children of a sequence, the second in an earlier one, or of a set node.
    Children {
        /// The sequence or set node.
        cursor: Cursor,
        /// The child that holds the first instance.
        source: usize,
        /// The child that holds the second instance.
        sink: usize,
        /// Whether the node is a sequence.
        is_sequence: bool,
    },
    /// They run on a GPU at the same time.
    Unsynchronised {
        /// The loop or sequence that has them apart.
        cursor: Cursor,
        /// The child of a sequence that has the second one.
        child: Option<usize>,
        /// What they run on.
        why: Unsynchronised,
    },
    /// Nothing orders them.
    Unordered {
        /// The leaf that both reach.
        cursor: Cursor,
    },
}

/// Why two instances in a kernel may run at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsynchronised {
    /// They run in different blocks, which never wait for one another.
    Blocks,
    /// They run on different threads of a block, and no barrier stands between them.
    Threads,
    /// They run on different threads of a block at the same time, which share a buffer.
    Shared,
}

impl Counterexample {
    /// In words, with lines of `source`, the file that the scop comes from.
    pub fn with_lines(&self, source: &SourceFile) -> String {
        self.text(Some(source))
    }

    /// What makes one counterexample smaller than another: the sum of its parameters, then of its instances'
    /// coordinates.
    pub(crate) fn size(&self) -> (u64, u64) {
        let sum =
            |values: &[i64]| values.iter().map(|v| v.unsigned_abs()).fold(0, u64::saturating_add);
        let params: Vec<i64> = self.params.iter().map(|(_, value)| *value).collect();
        let points = match &self.fault {
            Fault::Order(conflict) => {
                sum(&conflict.source.point).saturating_add(sum(&conflict.sink.point))
            }
            Fault::Instance { instance, .. } => sum(&instance.point),
            Fault::Cut(Cut { write, read, other, .. }) => [write, read, other]
                .iter()
                .map(|instance| sum(&instance.point))
                .fold(0, u64::saturating_add),
            Fault::NotPrivate(NotPrivate { why, .. }) => match why {
                WhyShared::Array | WhyShared::Unknown => 0,
                WhyShared::Updates | WhyShared::Threads => 0,
                WhyShared::FromBefore { read } => sum(&read.point),
                WhyShared::Leaves { write, read } => {
                    sum(&write.point).saturating_add(sum(&read.point))
                }
            },
            Fault::Required(broken) => {
                sum(&broken.source.point).saturating_add(sum(&broken.sink.point))
            }
            Fault::UnknownStatement { .. } | Fault::Program { .. } => 0,
        };
        (sum(&params), points)
    }

    /// In words.
    fn text(&self, source: Option<&SourceFile>) -> String {
        let params: Vec<String> = self.params.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let given =
            if params.is_empty() { String::new() } else { format!("with {}, ", params.join(", ")) };
        match &self.fault {
            Fault::UnknownStatement { name } => {
                format!("the tree runs statement {name}, which the scop does not have")
            }
            Fault::Instance { instance, fault, cursor } => {
                let what = match fault {
                    InstanceFault::NeverRuns => "never runs",
                    InstanceFault::RunsTwice => "runs twice",
                    InstanceFault::NotInScop => "runs but is no instance of the scop",
                };
                format!("{given}{} {what} (node {cursor})", instance.text(source))
            }
            Fault::Order(conflict) => format!("{given}{}", conflict.text(source)),
            Fault::Cut(cut) => format!("{given}{}", cut.text(source)),
            Fault::NotPrivate(shared) => format!("{given}{}", shared.text(source)),
            Fault::Required(broken) => format!("{given}{}", broken.text(source)),
            Fault::Program { name, clause } => format!("{name}: {clause}"),
        }
    }
}

impl Conflict {
    /// In words.
    fn text(&self, source: Option<&SourceFile>) -> String {
        let (first, second) = match self.kind {
            DependenceKind::Flow => ("writes", "reads"),
            DependenceKind::Anti => ("reads", "writes"),
            DependenceKind::Output => ("writes", "writes"),
            DependenceKind::Input => ("reads", "reads"),
        };
        format!(
            "{} dependence: {} {first} {} before {} {second} it, but {}",
            self.kind.name(),
            self.source.text(source),
            self.element,
            self.sink.text(source),
            self.place
        )
    }
}

impl Cut {
    /// In words.
    fn text(&self, source: Option<&SourceFile>) -> String {
        let [write, read, other] =
            [&self.write, &self.read, &self.other].map(|instance| instance.text(source));
        let (must, than) = if self.is_before { ("before", &write) } else { ("after", &read) };
        // The place speaks of the two in their original order.
        format!(
            "{read} needs the value of {} that {write} writes; {other} overwrites it and must run {must} {than}, but {}",
            self.element, self.place
        )
    }
}

impl NotPrivate {
    /// In words.
    fn text(&self, source: Option<&SourceFile>) -> String {
        let why = match &self.why {
            WhyShared::Array => {
                "it is needed after the region, too large or no variable of its own".to_owned()
            }
            WhyShared::Unknown => "it is not known where its values come from".to_owned(),
            WhyShared::Updates => {
                "its iterations do not only update it, by one operator whose order is free"
                    .to_owned()
            }
            WhyShared::Threads => {
                "the order in which threads end would show in the result (--reassociate permits it)"
                    .to_owned()
            }
            WhyShared::FromBefore { read } => {
                format!("{} reads what was there before the region", read.text(source))
            }
            WhyShared::Leaves { write, read } => format!(
                "{} writes a value that {} reads outside of that iteration",
                write.text(source),
                read.text(source)
            ),
        };
        format!(
            "{} cannot be private to each iteration of the loop at {}: {why}",
            self.name, self.cursor
        )
    }
}

impl Broken {
    /// In words.
    fn text(&self, source: Option<&SourceFile>) -> String {
        let (first, second) = (self.source.text(source), self.sink.text(source));
        match &self.how {
            How::OutOfOrder(place) => format!("{first} must run before {second}, but {place}"),
            How::NotCoincident { cursor, member } => format!(
                "loop {member} of the band at {cursor} is called coincident but has {first} and {second} in different iterations"
            ),
        }
    }
}

impl Instance {
    /// `S1(i = 2, j = 0)`, with its line where `source` is given.
    fn text(&self, source: Option<&SourceFile>) -> String {
        let values: Vec<String> =
            self.iterators.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let line = match (source, self.span) {
            (Some(source), Some(span)) => format!(" (line {})", source.line(span)),
            _ => String::new(),
        };
        format!("{}({}){line}", self.name, values.join(", "))
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(None))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loop { cursor, member } => {
                write!(f, "loop {member} of the band at {cursor} runs the second one earlier")
            }
            Self::Concurrent { cursor, member, mark } => write!(
                f,
                "loop {member} of the band at {cursor} is marked {mark} and has them in different iterations"
            ),
            Self::Children { cursor, source, sink, is_sequence: true } => write!(
                f,
                "the sequence at {cursor} has the first one in child {source} and the second in child {sink}"
            ),
            Self::Children { cursor, source, sink, is_sequence: false } => {
                write!(f, "the set at {cursor} does not order its children {source} and {sink}")
            }
            Self::Unsynchronised { cursor, why, .. } => {
                let why = match why {
                    Unsynchronised::Blocks => "different blocks of a kernel run them",
                    Unsynchronised::Threads => {
                        "different threads of a block run them, with no barrier between them"
                    }
                    Unsynchronised::Shared => "different threads that share it run them",
                };
                write!(f, "{why} (node {cursor})")
            }
            Self::Unordered { cursor } => write!(f, "nothing orders them (leaf {cursor})"),
        }
    }
}
