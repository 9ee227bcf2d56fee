//! The rows of a scop, and what they say of pairs of accesses without isl.

use crate::Result;
use crate::analysis::Reference;
use crate::difference::Columns;
use crate::form::Form;
use crate::order::{DateDim, Dates};
use crate::rows::{Row, System};
use farkas_base::IdVec;
use farkas_poly::{LinearRow, Set, Space};
use farkas_scop::{AccessId, Scop, StmtId};

/// The most combinations of convex pieces of a pair that are worth a try.
const MAX_PIECES: usize = 16;

/// The rows of a scop.
pub(crate) struct Tables {
    stmts: IdVec<StmtId, StmtRows>,
    n_params: usize,
}

/// The rows of a statement.
struct StmtRows {
    depth: usize,
    /// The convex pieces of the domain.
    domain: Vec<Piece>,
    /// The dates; `None` for a dimension without a form.
    dates: Vec<Option<Form>>,
    accesses: IdVec<AccessId, AccessRows>,
}

/// The rows of an access.
struct AccessRows {
    /// The first access of the statement that obviously has the same relation.
    like: AccessId,
    /// The convex pieces of the relation, over instance and element.
    pieces: Vec<Piece>,
}

/// A convex set.
#[derive(Clone, PartialEq)]
pub(crate) struct Piece {
    pub(crate) equalities: Vec<LinearRow>,
    pub(crate) inequalities: Vec<LinearRow>,
    /// Rows that are multiples: equalities with one division, which is in no other row.
    pub(crate) congruences: Vec<LinearRow>,
    /// Whether there are rows with divisions, which are in neither list above; the set is smaller than those say.
    is_larger: bool,
    /// Whether the congruences are all the rows with divisions.
    is_complete: bool,
}

/// Pairs of instances, or more than there are.
pub(crate) struct Pairs {
    pub(crate) columns: Columns,
    pub(crate) system: System,
}

impl Tables {
    /// The rows of `scop`, whose `domains` hold the context and all of `params`.
    pub(crate) fn of(
        scop: &Scop,
        params: &Space,
        domains: &IdVec<StmtId, Set>,
        dates: &Dates,
    ) -> Result<Self> {
        let mut stmts = IdVec::new();
        for (stmt, statement) in scop.stmts().iter_enumerated() {
            let (depth, n_params) = (statement.depth(), scop.params().len());
            let mut domain = Vec::new();
            for piece in domains[stmt].basic_sets()? {
                domain.push(Piece::of(piece.constraints()?));
            }
            let forms: Result<Vec<Option<Form>>> = dates
                .dims(stmt)
                .iter()
                .map(|dim| form(params, dim, depth + n_params + 1))
                .collect();
            let mut accesses: IdVec<AccessId, AccessRows> = IdVec::new();
            for (id, access) in statement.accesses.iter_enumerated() {
                let mut pieces = Vec::new();
                for piece in access.relation.align_params(params)?.basic_maps()? {
                    pieces.push(Piece::of(piece.constraints()?));
                }
                let same = accesses.iter_enumerated().find(|(other, rows)| {
                    statement.accesses[*other].array == access.array
                        && rows.pieces == pieces
                        && pieces.iter().all(|piece| !piece.is_larger)
                });
                let like = same.map_or(id, |(other, _)| other);
                accesses.push(AccessRows { like, pieces });
            }
            stmts.push(StmtRows { depth, domain, dates: forms?, accesses });
        }
        Ok(Self { stmts, n_params: scop.params().len() })
    }

    /// The first access of `stmt` that obviously has the same relation as `access`.
    pub(crate) fn like(&self, stmt: StmtId, access: AccessId) -> AccessId {
        self.stmts[stmt].accesses[access].like
    }

    /// Number of parameters.
    pub(crate) fn n_params(&self) -> usize {
        self.n_params
    }

    /// Number of iterators of `stmt`.
    pub(crate) fn depth(&self, stmt: StmtId) -> usize {
        self.stmts[stmt].depth
    }

    /// The rows of the domain of `stmt`; `None` where it has several pieces, or divisions other than those of congruences.
    pub(crate) fn domain(&self, stmt: StmtId) -> Option<&Piece> {
        match &self.stmts[stmt].domain[..] {
            [piece] if piece.is_complete => Some(piece),
            _ => None,
        }
    }

    /// The `rank` subscripts of an access, rows over iterators, parameters and constant; `None` where its relation is not
    /// obviously the graph of such rows.
    pub(crate) fn subscripts(
        &self,
        stmt: StmtId,
        access: AccessId,
        rank: usize,
    ) -> Option<Vec<Vec<i64>>> {
        let rows = &self.stmts[stmt];
        let [piece] = &rows.accesses[access].pieces[..] else { return None };
        if piece.is_larger || !piece.inequalities.is_empty() || piece.equalities.len() != rank {
            return None;
        }
        let mut subscripts = vec![None; rank];
        for row in &piece.equalities {
            let (instance, element) = row.dims.split_at_checked(rows.depth)?;
            let at = element.iter().position(|&c| c != 0)?;
            let sign = element[at].checked_neg().filter(|sign| sign.abs() == 1)?;
            if element[at + 1..].iter().any(|&c| c != 0) {
                return None;
            }
            let columns = instance.iter().chain(&row.params).chain([&row.constant]);
            let subscript: Option<Vec<i64>> = columns.map(|c| c.checked_mul(sign)).collect();
            *subscripts.get_mut(at)? = Some(subscript?);
        }
        subscripts.into_iter().collect()
    }

    /// Pairs that touch the same element, apart by the convex pieces of domains and relations; `None` where they are
    /// too many.
    pub(crate) fn pairs(&self, source: &Reference, sink: &Reference) -> Option<Vec<Pairs>> {
        let (first, second) = (&self.stmts[source.stmt], &self.stmts[sink.stmt]);
        let (from, to) =
            (&first.accesses[source.access].pieces, &second.accesses[sink.access].pieces);
        let n = from.len() * to.len() * first.domain.len() * second.domain.len();
        if n > MAX_PIECES {
            return None;
        }
        let mut all = Vec::new();
        for a in from {
            for b in to {
                for c in &first.domain {
                    for d in &second.domain {
                        all.push(self.conjunction([first.depth, second.depth], [a, b, c, d])?);
                    }
                }
            }
        }
        Some(all)
    }

    /// Pairs that touch the same element, from convex pieces of both relations and both domains.
    fn conjunction(
        &self,
        [depth, other]: [usize; 2],
        [from, to, first, second]: [&Piece; 4],
    ) -> Option<Pairs> {
        let rank = from.equalities.first().map_or(0, |row| row.dims.len().saturating_sub(depth));
        let columns = Columns::new(rank, depth, other, self.n_params);
        let element: Vec<usize> = (0..rank).collect();
        let here: Vec<usize> = (columns.source..columns.sink).collect();
        let there: Vec<usize> = (columns.sink..columns.params).collect();
        let (touched, touching) = ([&here[..], &element].concat(), [&there[..], &element].concat());
        let mut system = System::default();
        for (piece, dims) in [(from, &touched), (to, &touching), (first, &here), (second, &there)] {
            for row in &piece.equalities {
                system.add_equality(columns.place(row, dims)?);
            }
        }
        for (piece, dims) in [(first, &here), (second, &there)] {
            for row in &piece.inequalities {
                system.add_inequality(columns.place(row, dims)?);
            }
        }
        Some(Pairs { columns, system })
    }

    /// Those of `pairs` whose source comes before the sink, apart by the dimension of the dates that decides, without
    /// those that obviously are none; `None` where that cannot be seen.
    pub(crate) fn split(
        &self,
        source: StmtId,
        sink: StmtId,
        pairs: &Pairs,
    ) -> Option<Vec<(usize, System)>> {
        let mut split = Vec::new();
        let mut same = pairs.system.clone();
        let dates = self.stmts[source].dates.iter().zip(&self.stmts[sink].dates);
        for (dim, (from, to)) in dates.enumerate() {
            if same.plain_is_empty() {
                break;
            }
            let later = pairs.columns.linear_difference(from.as_ref()?, to.as_ref()?)?;
            let is_never = same.lower_bound(&later.negated()?).is_some_and(|bound| bound >= 0);
            if !is_never {
                let mut before = same.clone();
                before.add_inequality(later.plus(-1)?);
                if !before.plain_is_empty() {
                    split.push((dim, before));
                }
            }
            same.add_equality(later);
        }
        Some(split)
    }

    /// The dimensions of the dates that may decide that an instance of `source` comes before one of `sink` that
    /// touches the same element; `None` where that cannot be seen.
    pub(crate) fn deciding(&self, source: &Reference, sink: &Reference) -> Option<Vec<usize>> {
        let mut dims = Vec::new();
        for pairs in self.pairs(source, sink)? {
            let split = self.split(source.stmt, sink.stmt, &pairs)?;
            dims.extend(split.into_iter().map(|(dim, _)| dim));
        }
        Some(dims)
    }
}

impl Piece {
    /// The rows of isl, apart by their divisions.
    fn of(rows: farkas_poly::Constraints) -> Self {
        let is_plain = |row: &LinearRow| row.divs.iter().all(|&c| c == 0);
        let (equalities, rounded): (Vec<_>, Vec<_>) =
            rows.equalities.into_iter().partition(is_plain);
        let (inequalities, others): (Vec<_>, Vec<_>) =
            rows.inequalities.into_iter().partition(is_plain);
        let is_own = |div: usize| {
            rounded
                .iter()
                .chain(&others)
                .filter(|row| row.divs.get(div).is_some_and(|&c| c != 0))
                .count()
                == 1
        };
        let is_congruence = |row: &LinearRow| {
            let mut divs = (0..row.divs.len()).filter(|&div| row.divs[div] != 0);
            divs.next().is_some_and(is_own) && divs.next().is_none()
        };
        let n_rounded = rounded.len() + others.len();
        let congruences: Vec<LinearRow> =
            rounded.iter().filter(|row| is_congruence(row)).cloned().collect();
        let (is_larger, is_complete) = (n_rounded > 0, congruences.len() == n_rounded);
        Self { equalities, inequalities, congruences, is_larger, is_complete }
    }
}

/// The form of a date with `n` columns.
fn form(params: &Space, date: &DateDim, n: usize) -> Result<Option<Form>> {
    let linear = match date {
        DateDim::Constant(value) => Row::sparse(n, &[(n - 1, *value)]),
        DateDim::Iterator(i) => Row::sparse(n, &[(*i as usize, 1)]),
        DateDim::Varying(date) | DateDim::Fixed(date) => {
            return Form::of(&date.align_params(params)?);
        }
    };
    Ok(Some(Form { linear: linear.0, floors: Vec::new() }))
}
