//! Groups of references: what a statement accesses by the same subscripts.

use crate::Result;
use crate::span::Span;
use farkas_base::IdVec;
use farkas_scop::{AccessId, AccessKind, ArrayId, Scop, StmtId, linear_subscripts};
use std::cmp::Reverse;

/// References of one statement to one array whose subscripts differ in constants alone.
///
/// **Paper** the locality model, section 4.5.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReferenceGroup {
    pub(crate) stmt: StmtId,
    array: ArrayId,
    /// The linear part of each subscript; `None` where one is not affine: such a reference is alone.
    rows: Option<Vec<Vec<i64>>>,
    n_subscripts: usize,
    /// The references, in the order of the statement.
    pub(crate) members: Vec<AccessId>,
    /// How it is called in reports.
    pub(crate) name: String,
}

/// The groups of all references of a scop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReferenceGroups {
    /// By statement and first access.
    pub(crate) groups: Vec<ReferenceGroup>,
    of: IdVec<StmtId, IdVec<AccessId, Option<usize>>>,
}

impl ReferenceGroups {
    /// The groups of `scop`; kills are no references.
    pub(crate) fn of(scop: &Scop) -> Result<Self> {
        let (mut groups, mut of) = (Vec::<ReferenceGroup>::new(), IdVec::new());
        for (stmt, statement) in scop.stmts().iter_enumerated() {
            let first = groups.len();
            let mut places = IdVec::new();
            for (access, reference) in statement.accesses.iter_enumerated() {
                if reference.kind == AccessKind::Kill {
                    places.push(None);
                    continue;
                }
                let rows = linear_subscripts(&reference.relation)?;
                let is_same = |group: &ReferenceGroup| {
                    group.array == reference.array && rows.is_some() && group.rows == rows
                };
                let at = match groups[first..].iter().position(is_same) {
                    Some(at) => first + at,
                    None => {
                        let array = &scop.arrays()[reference.array].name;
                        groups.push(ReferenceGroup {
                            stmt,
                            array: reference.array,
                            n_subscripts: reference.relation.dim(farkas_poly::DimType::Out)?
                                as usize,
                            rows,
                            members: Vec::new(),
                            name: format!("{}.{array}.{access}", statement.name),
                        });
                        groups.len() - 1
                    }
                };
                groups[at].members.push(access);
                places.push(Some(at));
            }
            of.push(places);
        }
        Ok(Self { groups, of })
    }

    /// The group of a reference.
    pub(crate) fn group_of(&self, (stmt, access): (StmtId, AccessId)) -> Option<usize> {
        *self.of.get(stmt)?.get(access)?
    }

    /// The groups of `stmts` (ascending, with what their rows span), those first that are to be kept from being torn longest:
    /// by descending rank, then multiplicity, then in the order of the text.
    ///
    /// **Paper** the locality model, section 4.5: access rank and multiplicity.
    pub(crate) fn ordered(&self, stmts: &[StmtId], spans: &[Span]) -> Vec<usize> {
        let mut found: Vec<(Reverse<usize>, Reverse<usize>, usize)> = Vec::new();
        for (at, group) in self.groups.iter().enumerate() {
            if let Ok(stmt) = stmts.binary_search(&group.stmt) {
                let rank = group.rank(&spans[stmt]);
                found.push((Reverse(rank), Reverse(group.members.len()), at));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, _, at)| at).collect()
    }
}

impl ReferenceGroup {
    /// How many of the subscripts rows that span `span` leave free.
    ///
    /// **Formulation** subscripts less the equations of `A . T^-1`: what the linear parts of the subscripts add to the span.
    fn rank(&self, span: &Span) -> usize {
        let Some(rows) = &self.rows else { return self.n_subscripts };
        let mut span = span.clone();
        rows.iter().filter(|row| span.insert(row)).count()
    }
}
