//! What the check says against a tree, in words and as data.

use super::refinement::Clause;
use super::walk::{Violation, depths};
use crate::DependenceKind;
use crate::Result;
use crate::analysis::Reference;
use farkas_base::{SourceFile, Span};
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{AccessId, ArrayId, Scop, StmtId};
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
    /// Nothing orders them.
    Unordered {
        /// The leaf that both reach.
        cursor: Cursor,
    },
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
            Self::Unordered { cursor } => write!(f, "nothing orders them (leaf {cursor})"),
        }
    }
}

/// The counterexample of a violated order.
pub(crate) fn conflict(
    scop: &Scop,
    kind: DependenceKind,
    source: &Reference,
    sink: &Reference,
    violation: Violation,
) -> Result<Counterexample> {
    let (n_source, n_sink) = depths(&violation.pairs)?;
    let point = smallest::point(scop, &violation.pairs.wrap()?, n_source + n_sink)?;
    let (first, second) = point.dims.split_at(n_source);
    let array = scop.stmts()[source.stmt].accesses[source.access].array;
    let element = element(scop, source, &point.params, first)?;
    let span = |r: &Reference| scop.stmts()[r.stmt].accesses[r.access].span;
    let fault = Fault::Order(Conflict {
        kind,
        source: smallest::at(scop, source.stmt, &point.params, first)?,
        source_access: source.access,
        source_span: span(source),
        sink: smallest::at(scop, sink.stmt, &point.params, second)?,
        sink_access: sink.access,
        sink_span: span(sink),
        array,
        element,
        place: violation.place,
    });
    Ok(Counterexample { params: smallest::named(scop, &point.params), fault })
}

/// The element that `reference` touches at `point`, as the source would write it.
fn element(scop: &Scop, reference: &Reference, params: &[i64], point: &[i64]) -> Result<String> {
    let array = scop.stmts()[reference.stmt].accesses[reference.access].array;
    let instance = smallest::fixed(&reference.elements.domain()?, params, point)?;
    let elements: Map = reference.elements.intersect_domain(&instance)?;
    let touched: Set = elements.range()?;
    let index = touched.sample_point()?.coordinates(DimType::SET)?;
    let mut text = scop.arrays()[array].source_name.clone();
    index.iter().for_each(|i| text.push_str(&format!("[{i}]")));
    Ok(text)
}

/// Live ranges that are cut.
pub(super) mod cut {
    use super::super::dataflow::Range;
    use super::smallest::{Point, at, fixed, named, point};
    use super::{Counterexample, Cut, Fault, Place, Violation, depths, element};
    use crate::Result;
    use crate::analysis::Reference;
    use farkas_poly::Map;
    use farkas_scop::Scop;

    /// `other`, which ran before the write of `range`, runs after it, at `place`, but not after the read; `late` are
    /// pairs of read and other write.
    pub(crate) fn by_earlier(
        scop: &Scop,
        range: &Range<'_>,
        other: &Reference,
        late: &Map,
        place: &Place,
    ) -> Result<Counterexample> {
        let (Point { params, .. }, [read, cutting]) = smallest_pair(scop, late)?;
        let reads = fixed(&range.pairs.range()?, &params, &read)?;
        let writes = range.pairs.intersect_range(&reads)?.domain()?;
        let write = point(scop, &writes, scop.stmts()[range.write.stmt].depth())?.dims;
        counterexample(scop, (range, other), &params, [write, read, cutting], (true, place))
    }

    /// `other`, which ran after the read of `range`, runs before it, as `reversed` says, but not before the write; `late`
    /// are pairs of other write and write.
    pub(crate) fn by_later(
        scop: &Scop,
        range: &Range<'_>,
        other: &Reference,
        late: &Map,
        reversed: &Violation,
    ) -> Result<Counterexample> {
        let (Point { params, .. }, [cutting, write]) = smallest_pair(scop, late)?;
        let writes = fixed(&range.pairs.domain()?, &params, &write)?;
        let others = fixed(&reversed.pairs.range()?, &params, &cutting)?;
        let reads = range.pairs.intersect_domain(&writes)?.range()?;
        let reads = reads.intersect(&reversed.pairs.intersect_range(&others)?.domain()?)?;
        let read = point(scop, &reads, scop.stmts()[range.read.stmt].depth())?.dims;
        let place = &reversed.place;
        counterexample(scop, (range, other), &params, [write, read, cutting], (false, place))
    }

    /// The smallest of `pairs`, with its two ends.
    fn smallest_pair(scop: &Scop, pairs: &Map) -> Result<(Point, [Vec<i64>; 2])> {
        let (n_first, n_second) = depths(pairs)?;
        let mut point = point(scop, &pairs.wrap()?, n_first + n_second)?;
        let second = point.dims.split_off(n_first);
        let first = std::mem::take(&mut point.dims);
        Ok((point, [first, second]))
    }

    /// The counterexample of a write, a read and another write.
    fn counterexample(
        scop: &Scop,
        (range, other): (&Range<'_>, &Reference),
        params: &[i64],
        [write, read, cutting]: [Vec<i64>; 3],
        (is_before, place): (bool, &Place),
    ) -> Result<Counterexample> {
        let fault = Fault::Cut(Cut {
            array: scop.stmts()[other.stmt].accesses[other.access].array,
            element: element(scop, range.write, params, &write)?,
            write: at(scop, range.write.stmt, params, &write)?,
            read: at(scop, range.read.stmt, params, &read)?,
            other: at(scop, other.stmt, params, &cutting)?,
            is_before,
            place: place.clone(),
        });
        Ok(Counterexample { params: named(scop, params), fault })
    }
}

/// Finding small points.
pub(crate) mod smallest {
    use super::{Counterexample, Fault, Instance, InstanceFault};
    use crate::Result;
    use farkas_poly::{DimType, Set, Val};
    use farkas_scop::{Scop, StmtId};
    use farkas_tree::Cursor;

    /// A point with values for the scop's parameters.
    pub(crate) struct Point {
        pub(crate) params: Vec<i64>,
        pub(crate) dims: Vec<i64>,
    }

    /// A small point of `set`, which is not empty and has `n` dimensions: parameters first, then dimensions, each as
    /// close to zero as those before it allow, not negative where possible.
    pub(crate) fn point(scop: &Scop, set: &Set, n: usize) -> Result<Point> {
        let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
        let model = farkas_poly::Space::params_named(&names)?;
        let n_params = u32::try_from(names.len()).unwrap_or(u32::MAX);
        let mut left = set.align_params(&model)?.flatten()?.move_dims(
            DimType::SET,
            0,
            DimType::Param,
            0,
            n_params,
        )?;
        let mut values = Vec::new();
        for at in 0..names.len() + n {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let position = i32::try_from(at).unwrap_or(i32::MAX);
            let above = left.lower_bound_si(DimType::SET, at, 0)?;
            let value = if above.is_empty()? {
                left.dim_max_val(position)?
            } else {
                above.dim_min_val(position)?
            };
            left = left.fix_val(DimType::SET, at, &value)?;
            values.push(value.to_i64()?);
        }
        let dims = values.split_off(names.len());
        Ok(Point { params: values, dims })
    }

    /// The instance of `stmt` at `point`.
    pub(crate) fn at(scop: &Scop, stmt: StmtId, params: &[i64], point: &[i64]) -> Result<Instance> {
        let statement = &scop.stmts()[stmt];
        let here = fixed(&Set::universe(&statement.domain.space()?)?, params, point)?;
        let mut iterators = Vec::new();
        for iterator in &statement.iterators {
            let value = here.apply(&iterator.value.to_map()?)?.dim_min_val(0)?;
            iterators.push((iterator.name.clone(), value.to_i64()?));
        }
        Ok(Instance {
            stmt,
            name: statement.name.clone(),
            point: point.to_vec(),
            iterators,
            span: statement.span,
        })
    }

    /// The counterexample of a faulty instance.
    pub(crate) fn instance(
        scop: &Scop,
        stmt: StmtId,
        faulty: &Set,
        cursor: &Cursor,
        fault: InstanceFault,
    ) -> Result<Counterexample> {
        let point = point(scop, faulty, scop.stmts()[stmt].depth())?;
        let instance = at(scop, stmt, &point.params, &point.dims)?;
        Ok(Counterexample {
            params: named(scop, &point.params),
            fault: Fault::Instance { instance, fault, cursor: cursor.clone() },
        })
    }

    /// Parameters with their names.
    pub(crate) fn named(scop: &Scop, params: &[i64]) -> Vec<(String, i64)> {
        scop.params().iter().map(|p| p.name.clone()).zip(params.iter().copied()).collect()
    }

    /// The points of `set` with these parameters, in the scop's order, and coordinates.
    pub(crate) fn fixed(set: &Set, params: &[i64], point: &[i64]) -> Result<Set> {
        let mut set = set.clone();
        for (kind, values) in [(DimType::Param, params), (DimType::SET, point)] {
            for (i, value) in values.iter().enumerate() {
                let at = u32::try_from(i).unwrap_or(u32::MAX);
                set = set.fix_val(kind, at, &Val::int(*value)?)?;
            }
        }
        Ok(set)
    }
}
