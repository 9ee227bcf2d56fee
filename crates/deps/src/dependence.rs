//! What a dependence is, and its text form.

use crate::Error;
use crate::analysis::Prepared;
use farkas_base::{Id, IdVec};
use farkas_poly::Map;
use farkas_scop::{AccessId, Scop, StmtId};
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

farkas_base::define_id!(
    /// A dependence of a [`Dependences`].
    pub struct DepId("d")
);

/// What the two accesses of a dependence do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DependenceKind {
    /// Write, then read.
    Flow,
    /// Read, then write.
    Anti,
    /// Write, then write.
    Output,
    /// Read, then read: not a constraint on the order, but a wish for proximity.
    Input,
}

impl DependenceKind {
    /// The word that text forms use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flow => "flow",
            Self::Anti => "anti",
            Self::Output => "output",
            Self::Input => "input",
        }
    }

    /// Whether the two instances must stay in order.
    pub fn is_validity(self) -> bool {
        self != Self::Input
    }
}

/// What the order of two updates of one element is free for: a reduction dependence is between such.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relaxed {
    /// Any order, one after the other.
    Any,
    /// Any order inside of a loop that computes partial results in the unsigned type.
    InUnsigned,
}

/// Ordered pairs of instances that touch the same element through one pair of accesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependence {
    /// What the accesses do.
    pub kind: DependenceKind,
    /// Whether both instances update the element by one operator, and may do so in other orders.
    pub relaxed: Option<Relaxed>,
    /// The statement whose instance comes first.
    pub source: StmtId,
    /// The statement whose instance comes second.
    pub sink: StmtId,
    /// The access of the source.
    pub source_access: AccessId,
    /// The access of the sink.
    pub sink_access: AccessId,
    /// The pairs `{ S[i] -> T[j] }`, source before sink in the original order, restricted to domains and context. Never
    /// empty; implicit equalities are explicit; every parameter of the scop is present, in the scop's order.
    pub relation: Map,
    /// The loops around both statements (counted from 0, outermost first) that carry some of the pairs: the outermost
    /// loop whose iterations differ between source and sink. Ascending.
    pub carried: Vec<u32>,
    /// Whether some pairs are carried by no loop: both instances lie in the same iteration of every common loop.
    pub is_loop_independent: bool,
    /// Sink minus source in each common loop, in iterations, where every pair has the same.
    pub distance: Option<Vec<i64>>,
}

impl Dependence {
    /// Whether the pairs must stay in order.
    pub fn is_order(&self) -> bool {
        self.kind.is_validity() && self.relaxed != Some(Relaxed::Any)
    }

    /// The outermost loop that carries some of the pairs; `None` when all are loop independent.
    pub fn level(&self) -> Option<u32> {
        self.carried.first().copied()
    }
}

/// The dependences of a scop, ordered by statements and accesses of source and sink.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dependences {
    /// The dependences. No two have the same kind and accesses.
    pub deps: IdVec<DepId, Dependence>,
    /// What was prepared to find them.
    foundations: Foundations,
}

/// A scop prepared for analysis, for what goes on from its dependences. It says nothing of its own: all are equal.
#[derive(Clone, Default)]
struct Foundations(Option<Rc<Prepared>>);

impl PartialEq for Foundations {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Foundations {}

impl fmt::Debug for Foundations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl From<IdVec<DepId, Dependence>> for Dependences {
    fn from(deps: IdVec<DepId, Dependence>) -> Self {
        Self { deps, foundations: Foundations::default() }
    }
}

impl Dependences {
    /// Those that were found in a prepared scop.
    pub(crate) fn of_prepared(deps: IdVec<DepId, Dependence>, prepared: Prepared) -> Self {
        Self { deps, foundations: Foundations(Some(Rc::new(prepared))) }
    }

    /// `scop`, whose dependences these are, prepared: as it was when they were found, if that is known.
    pub(crate) fn prepared(&self, scop: &Scop) -> crate::Result<Rc<Prepared>> {
        match &self.foundations.0 {
            Some(prepared) if prepared.scop.is_same(scop) => Ok(Rc::clone(prepared)),
            _ => Ok(Rc::new(Prepared::of(scop)?)),
        }
    }

    /// Those that constrain the order, with their ids.
    pub fn validity(&self) -> impl Iterator<Item = (DepId, &Dependence)> {
        self.deps.iter_enumerated().filter(|(_, d)| d.is_order())
    }

    /// Those whose pairs may not run at the same time, with their ids: reduction dependences, too.
    pub fn atomicity(&self) -> impl Iterator<Item = (DepId, &Dependence)> {
        self.deps.iter_enumerated().filter(|(_, d)| d.kind.is_validity())
    }
}

impl std::ops::Index<DepId> for Dependences {
    type Output = Dependence;
    fn index(&self, id: DepId) -> &Dependence {
        &self.deps[id]
    }
}

/// `flow S0.a1 -> S1.a0 carried 0,1 independent distance (1,0): { S[i] -> T[i + 1] : ... }`; `reduction` or `unsigned-reduction`,
/// `carried`, `independent` and `distance` appear where they apply.
impl fmt::Display for Dependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |numbers: Vec<String>| numbers.join(",");
        write!(f, "{} {}.{}", self.kind.name(), self.source, self.source_access)?;
        write!(f, " -> {}.{}", self.sink, self.sink_access)?;
        match self.relaxed {
            Some(Relaxed::Any) => f.write_str(" reduction")?,
            Some(Relaxed::InUnsigned) => f.write_str(" unsigned-reduction")?,
            None => {}
        }
        if !self.carried.is_empty() {
            write!(f, " carried {}", list(self.carried.iter().map(u32::to_string).collect()))?;
        }
        if self.is_loop_independent {
            f.write_str(" independent")?;
        }
        if let Some(distance) = &self.distance {
            write!(f, " distance ({})", list(distance.iter().map(i64::to_string).collect()))?;
        }
        write!(f, ": {}", self.relation)
    }
}

/// One dependence a line.
impl fmt::Display for Dependences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deps.iter().try_for_each(|dep| writeln!(f, "{dep}"))
    }
}

impl FromStr for Dependences {
    type Err = Error;
    fn from_str(text: &str) -> crate::Result<Self> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let deps: IdVec<DepId, Dependence> = lines.map(str::parse).collect::<Result<_, _>>()?;
        Ok(deps.into())
    }
}

impl FromStr for Dependence {
    type Err = Error;
    fn from_str(text: &str) -> crate::Result<Self> {
        parse(text).unwrap_or_else(|| Err(Error::Syntax { text: text.chars().take(120).collect() }))
    }
}

/// The dependence of one line; `None` where the line has another form.
fn parse(text: &str) -> Option<crate::Result<Dependence>> {
    let (head, relation) = text.split_once(": ")?;
    let mut words = head.split_whitespace();
    let kind = kind_named(words.next()?)?;
    let (source, source_access) = reference(words.next()?)?;
    let "->" = words.next()? else { return None };
    let (sink, sink_access) = reference(words.next()?)?;
    let (mut carried, mut is_loop_independent, mut distance) = (Vec::new(), false, None);
    let mut relaxed = None;
    while let Some(word) = words.next() {
        match word {
            "reduction" => relaxed = Some(Relaxed::Any),
            "unsigned-reduction" => relaxed = Some(Relaxed::InUnsigned),
            "carried" => carried = numbers(words.next()?)?,
            "independent" => is_loop_independent = true,
            "distance" => {
                distance = Some(numbers(words.next()?.strip_prefix('(')?.strip_suffix(')')?)?);
            }
            _ => return None,
        }
    }
    Some(relation.parse().map_err(Error::from).map(|relation| Dependence {
        kind,
        relaxed,
        source,
        sink,
        source_access,
        sink_access,
        relation,
        carried,
        is_loop_independent,
        distance,
    }))
}

/// The kind called `name`.
fn kind_named(name: &str) -> Option<DependenceKind> {
    use DependenceKind::{Anti, Flow, Input, Output};
    [Flow, Anti, Output, Input].into_iter().find(|kind| kind.name() == name)
}

/// Statement and access of `S0.a1`.
pub(crate) fn reference(text: &str) -> Option<(StmtId, AccessId)> {
    let (stmt, access) = text.split_once('.')?;
    let stmt = stmt.strip_prefix('S')?.parse().ok()?;
    let access = access.strip_prefix('a')?.parse().ok()?;
    Some((StmtId::from_index(stmt), AccessId::from_index(access)))
}

/// The numbers of `1,0`; none for the empty text.
fn numbers<N: FromStr>(text: &str) -> Option<Vec<N>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(|number| number.parse().ok()).collect()
}
