//! Which updates of one element may run in other orders than the program's, by what their statements say and the user permits.

use crate::Relaxed;
use farkas_base::IdVec;
use farkas_scop::{AccessId, ArrayId, Freedom, Operator, Scop, StmtId};

/// The updates of a scop.
pub(crate) struct Updates {
    of: IdVec<StmtId, Option<Known>>,
}

/// What is known of a statement that is an update whose order is free.
pub(crate) struct Known {
    pub(crate) array: ArrayId,
    pub(crate) operator: Operator,
    /// The accesses to the element.
    accesses: Vec<AccessId>,
    relaxed: Relaxed,
    /// Whether threads may combine what they gather in the order in which they end.
    pub(crate) on_threads: bool,
}

impl Known {
    /// Whether an access is one to the element.
    pub(crate) fn has(&self, access: AccessId) -> bool {
        self.accesses.contains(&access)
    }
}

impl Updates {
    /// Those of a scop.
    pub(crate) fn of(scop: &Scop) -> Self {
        let known = |stmt: &farkas_scop::Statement| {
            let update = stmt.update(scop.arrays())?;
            let relaxed = match update.freedom {
                Freedom::Unsigned(_) => Relaxed::InUnsigned,
                Freedom::Free | Freedom::Value | Freedom::Granted | Freedom::Rounded => {
                    Relaxed::Any
                }
            };
            let (array, operator) = (stmt.accesses[update.target].array, update.operator);
            let is_permitted = scop.reassociation().permits(update.freedom);
            let on_threads = scop.reassociation().permits_on_threads(update.freedom);
            let accesses = update.reads.into_iter().chain([update.target]).collect();
            is_permitted.then_some(Known { array, operator, accesses, relaxed, on_threads })
        };
        Self { of: scop.stmts().iter().map(known).collect() }
    }

    /// That of a statement.
    pub(crate) fn get(&self, stmt: StmtId) -> Option<&Known> {
        self.of.get(stmt)?.as_ref()
    }

    /// The update that an access belongs to.
    fn at(&self, (stmt, access): (StmtId, AccessId)) -> Option<&Known> {
        self.get(stmt).filter(|known| known.has(access))
    }

    /// Whether an access belongs to an update that may run in any order.
    pub(crate) fn is_any(&self, access: (StmtId, AccessId)) -> bool {
        self.at(access).is_some_and(|known| known.relaxed == Relaxed::Any)
    }

    /// What the order of two accesses to one element is free for; `None` where it matters.
    pub(crate) fn relaxed(&self, [source, sink]: [(StmtId, AccessId); 2]) -> Option<Relaxed> {
        let (source, sink) = (self.at(source)?, self.at(sink)?);
        (source.operator == sink.operator).then_some(source.relaxed.max(sink.relaxed))
    }
}
