//! What the check says against a tree, in words and as data.

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
    /// A pair of a relation that somebody gave is not respected.
    Required(Broken),
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
            Fault::Required(broken) => {
                sum(&broken.source.point).saturating_add(sum(&broken.sink.point))
            }
            Fault::UnknownStatement { .. } => 0,
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
            Fault::Required(broken) => format!("{given}{}", broken.text(source)),
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
