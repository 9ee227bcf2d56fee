//! Classes of references between which reuse is sought.

use super::references::Function;
use farkas_scop::{AccessId, ArrayId, StmtId};

/// What two references share where there is reuse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cells {
    /// An element.
    Elements,
    /// A line.
    Lines,
}

/// References between which reuse is sought.
pub(crate) struct Class {
    pub(crate) array: ArrayId,
    pub(crate) cells: Cells,
    /// Whether the places of all are over as many iterators and differ in constants alone; those of lines, in that of what
    /// is divided.
    pub(crate) is_separated: bool,
    /// By statement and access.
    pub(crate) members: Vec<Member>,
}

/// The references of a statement that touch the same cells.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) stmt: StmtId,
    /// The first of them.
    pub(crate) access: AccessId,
    /// The first of them that reads.
    pub(crate) reader: Option<AccessId>,
    /// Whether one of them writes.
    pub(crate) is_write: bool,
    pub(crate) place: Place,
}

/// Which cell a reference touches; rows are over iterators, parameters, constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    /// Values that tell cells apart.
    pub(crate) outer: Vec<Vec<i64>>,
    /// Of lines, another one: this row divided by this many elements, rounded down.
    pub(crate) divided: Option<(Vec<i64>, i64)>,
}

impl Class {
    /// A class without members.
    pub(crate) fn new(array: ArrayId, cells: Cells, is_separated: bool) -> Self {
        Self { array, cells, is_separated, members: Vec::new() }
    }

    /// Adds a reference that touches the cell at `place`.
    pub(crate) fn add(&mut self, function: &Function, place: Place) {
        let (stmt, access) = (function.reference.stmt, function.reference.access);
        let is_write = function.kind.is_write();
        let reader = (!is_write).then_some(access);
        match self.members.iter_mut().rev().find(|m| m.stmt == stmt && m.place == place) {
            Some(member) => {
                member.is_write |= is_write;
                member.reader = member.reader.or(reader);
            }
            None => self.members.push(Member { stmt, access, reader, is_write, place }),
        }
    }

    /// For each of its statements, where there are several, the class of its references alone.
    pub(crate) fn by_statement(&self) -> Vec<Self> {
        let parts: Vec<&[Member]> = self.members.chunk_by(|a, b| a.stmt == b.stmt).collect();
        if parts.len() < 2 {
            return Vec::new();
        }
        let part = |members: &[Member]| Self {
            members: members.to_vec(),
            ..Self::new(self.array, self.cells, self.is_separated)
        };
        parts.into_iter().map(part).collect()
    }

    /// Whether instances of a member may come first in a pair. Reuse of elements is between reads: a value that is written
    /// flows.
    pub(crate) fn is_source(&self, member: &Member) -> bool {
        self.cells == Cells::Lines || member.reader.is_some() && !member.is_write
    }

    /// Whether instances of a member may come second in a pair.
    pub(crate) fn is_sink(&self, member: &Member) -> bool {
        self.cells == Cells::Lines || member.reader.is_some()
    }

    /// The access that stands for those of `stmt`: the first; of elements, the first that reads.
    pub(crate) fn representative(&self, stmt: StmtId) -> Option<AccessId> {
        let of_stmt = self.members.iter().filter(|m| m.stmt == stmt);
        match self.cells {
            Cells::Elements => of_stmt.filter_map(|m| m.reader).min(),
            Cells::Lines => of_stmt.map(|m| m.access).min(),
        }
    }
}
