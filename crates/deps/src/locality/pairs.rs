//! Relations of instances that are known distances apart.

use super::Hull;
use super::class::Class;
use super::distances::Adjacent;
use crate::Result;
use crate::analysis::Prepared;
use crate::difference::Columns;
use crate::rows::{Row, System};
use farkas_base::gcd;
use farkas_poly::{BasicMap, Constraints, LinearRow, Map};
use farkas_scop::StmtId;
use std::collections::BTreeMap;

/// Pairs that are known distances apart.
pub(super) struct Pairs {
    /// The pairs, equalities explicit.
    pub(super) relation: Map,
    /// Their hull, where no other instance must be absent.
    pub(super) hull: Option<Hull>,
    /// Whether nothing but the distance fixes a dimension of a piece.
    pub(super) is_free: bool,
}

impl Pairs {
    /// Both together.
    fn union(self, other: Self) -> Result<Self> {
        Ok(Self {
            relation: self.relation.union(&other.relation)?,
            hull: self.hull.zip(other.hull).map(|(hull, other)| hull.union(other)),
            is_free: self.is_free && other.is_free,
        })
    }
}

/// The pairs of all adjacent instances, by source and sink.
pub(super) fn by_statements(
    prepared: &Prepared,
    class: &Class,
    adjacent: &[Adjacent],
) -> Result<BTreeMap<(StmtId, StmtId), Pairs>> {
    let mut by_statements: BTreeMap<(StmtId, StmtId), Pairs> = BTreeMap::new();
    for adjacent in adjacent {
        let Some((source, _)) = adjacent.chain.last() else { continue };
        let Some(mut found) = pairs(prepared, class, adjacent)? else { continue };
        let key = (*source, adjacent.sink);
        if let Some(others) = by_statements.remove(&key) {
            found = others.union(found)?;
        }
        by_statements.insert(key, found);
    }
    Ok(by_statements)
}

/// The pairs of adjacent instances; `None` where there are none.
fn pairs(prepared: &Prepared, class: &Class, adjacent: &Adjacent) -> Result<Option<Pairs>> {
    let Some(((source, distance), later)) = adjacent.chain.split_last() else { return Ok(None) };
    let sink = adjacent.sink;
    let apart = |source, distance| Apart { prepared, source, sink, distance };
    let from = apart(*source, distance);
    let conditions = conditions(class, prepared.tables.depth(sink), &adjacent.positions);
    let mut relation: Option<Map> = None;
    for condition in &conditions {
        let here = from.pairs(&condition.rows)?;
        relation = Some(match relation {
            Some(pairs) => pairs.union_disjoint(&here)?,
            None => here,
        });
    }
    let Some(mut relation) = relation else { return Ok(None) };
    for (source, distance) in later {
        relation = relation.subtract_range(&apart(*source, distance).pairs(&[])?.range()?)?;
    }
    let system = from.system().filter(|_| later.is_empty());
    let margin = conditions.iter().try_fold(0, |most, condition| Some(condition.margin?.max(most)));
    let is_free = system.as_ref().zip(margin).is_some_and(|(s, margin)| from.has_room(s, margin));
    if !is_free {
        relation = relation.detect_equalities()?;
    }
    let is_exact = conditions.iter().all(|condition| condition.rows.is_empty());
    let hull = system.map(|system| from.hull(&system, is_exact));
    Ok((!relation.plain_is_empty()?).then_some(Pairs { relation, hull, is_free }))
}

/// The pairs of instances of one statement that are so far apart; `None` where there are none.
pub(super) fn apart(prepared: &Prepared, stmt: StmtId, distance: &[i64]) -> Result<Option<Pairs>> {
    let apart = Apart { prepared, source: stmt, sink: stmt, distance };
    let mut relation = apart.pairs(&[])?;
    let system = apart.system();
    let is_free = system.as_ref().is_some_and(|system| apart.has_room(system, 0));
    if !is_free {
        relation = relation.detect_equalities()?;
        if relation.is_empty()? {
            return Ok(None);
        }
    }
    let hull = system.map(|system| apart.hull(&system, true));
    Ok(Some(Pairs { relation, hull, is_free }))
}

/// Instances of a source and a sink that are so far apart.
struct Apart<'a> {
    prepared: &'a Prepared,
    source: StmtId,
    sink: StmtId,
    distance: &'a [i64],
}

impl Apart<'_> {
    /// The pairs whose sink satisfies `condition`, rows over the sink that are not negative.
    fn pairs(&self, condition: &[LinearRow]) -> Result<Map> {
        let (domains, tables) = (&self.prepared.domains, &self.prepared.tables);
        let space = domains[self.source].space()?;
        let space = space.map_from_domain_and_range(&domains[self.sink].space()?)?;
        let depth = self.distance.len();
        let mut rows = Constraints { equalities: self.equalities(), inequalities: Vec::new() };
        // The first division is that of the condition.
        let mut n_divs = 1;
        for (stmt, place) in [(self.source, [0, depth]), (self.sink, [depth, 0])] {
            let Some(domain) = tables.domain(stmt) else { continue };
            rows.equalities.extend(domain.equalities.iter().map(|row| widened(row, place)));
            rows.inequalities.extend(domain.inequalities.iter().map(|row| widened(row, place)));
            for row in &domain.congruences {
                let mut divs = vec![0; n_divs];
                divs.extend(row.divs.iter().filter(|&&c| c != 0));
                n_divs = divs.len();
                rows.equalities.push(LinearRow { divs, ..widened(row, place) });
            }
        }
        rows.inequalities.extend(condition.iter().map(|row| widened(row, [depth, 0])));
        let mut pairs = BasicMap::of_constraints(&space, &rows)?.to_map()?;
        if tables.domain(self.source).is_none() {
            pairs = pairs.intersect_domain(&domains[self.source])?;
        }
        if tables.domain(self.sink).is_none() {
            pairs = pairs.intersect_range(&domains[self.sink])?;
        }
        Ok(pairs)
    }

    /// Sink minus source, less the distance.
    fn equalities(&self) -> Vec<LinearRow> {
        let depth = self.distance.len();
        let equality = |(i, &distance): (usize, &i64)| {
            let mut dims = vec![0; 2 * depth];
            (dims[i], dims[depth + i]) = (-1, 1);
            LinearRow { constant: -distance, params: Vec::new(), dims, divs: Vec::new() }
        };
        self.distance.iter().enumerate().map(equality).collect()
    }

    /// The pairs without strides: columns are the iterators of the source, then those of the sink, innermost first, and
    /// parameters. `None` where a domain is not convex.
    fn system(&self) -> Option<System> {
        let tables = &self.prepared.tables;
        let (depth, n_params) = (self.distance.len(), tables.n_params());
        let columns = Columns::new(0, depth, depth, n_params);
        let source: Vec<usize> = (0..depth).rev().collect();
        let sink: Vec<usize> = (depth..2 * depth).rev().collect();
        let mut system = System::default();
        for (i, &distance) in self.distance.iter().enumerate() {
            let ends = [(source[i], -1), (sink[i], 1), (2 * depth + n_params, -distance)];
            system.add_equality(Row::sparse(2 * depth + n_params + 1, &ends));
        }
        for (stmt, dims) in [(self.source, &source), (self.sink, &sink)] {
            let domain = tables.domain(stmt)?;
            for row in &domain.equalities {
                system.add_equality(columns.place(row, dims)?);
            }
            for row in &domain.inequalities {
                system.add_inequality(columns.place(row, dims)?);
            }
        }
        Some(system)
    }

    /// Whether some of the pairs of `system` have room for `margin` iterations around them, so that their dimensions are not
    /// fixed by anything but the distance.
    fn has_room(&self, system: &System, margin: i64) -> bool {
        let tables = &self.prepared.tables;
        let is_plain = |stmt| {
            tables
                .domain(stmt)
                .is_some_and(|domain| domain.equalities.is_empty() && domain.congruences.is_empty())
        };
        is_plain(self.source) && is_plain(self.sink) && system.has_room(margin.max(1))
    }

    /// The rows of `system` as a hull.
    fn hull(&self, system: &System, is_exact: bool) -> Hull {
        let depth = self.distance.len();
        let linear = |row: &[i64]| {
            let (dims, rest) = row.split_at(2 * depth);
            let (params, constant) = rest.split_at(rest.len() - 1);
            let (source, sink) = dims.split_at(depth);
            LinearRow {
                constant: constant[0],
                params: params.to_vec(),
                dims: source.iter().rev().chain(sink.iter().rev()).copied().collect(),
                divs: Vec::new(),
            }
        };
        let [equalities, inequalities] = system.rows().map(|rows| rows.map(linear).collect());
        let has_strides = [self.source, self.sink].into_iter().any(|stmt| {
            let domain = self.prepared.tables.domain(stmt);
            domain.is_none_or(|domain| !domain.congruences.is_empty())
        });
        let pieces = vec![Constraints { equalities, inequalities }];
        Hull { pieces, is_exact: is_exact && !has_strides }
    }
}

/// The row with so many more dimensions before and after its own.
fn widened(row: &LinearRow, [before, after]: [usize; 2]) -> LinearRow {
    let dims = [vec![0; before], row.dims.clone(), vec![0; after]].concat();
    LinearRow { dims, ..row.clone() }
}

/// One way in which the divided row of a sink is at the positions of a line that are meant.
struct Condition {
    /// Rows that are not negative, with a division; none where all positions are meant, or elements.
    rows: Vec<LinearRow>,
    /// How many iterations around some instances suffice so that the rows fix nothing; `None` where they may.
    margin: Option<i64>,
}

/// The ways in which the divided row of a sink of `depth` dimensions, less its constant, is at one of `positions` of a
/// line.
fn conditions(class: &Class, depth: usize, positions: &[bool]) -> Vec<Condition> {
    let divided = class.members.first().and_then(|member| member.place.divided.as_ref());
    let Some((divided, line)) = divided.filter(|_| positions.contains(&false)) else {
        return vec![Condition { rows: Vec::new(), margin: Some(0) }];
    };
    let (dims, rest) = divided.split_at(depth);
    let params = rest.split_last().map_or(rest, |(_, params)| params);
    let row = |sign: i64, constant: i64| {
        let times = |row: &[i64]| row.iter().map(|c| sign * c).collect();
        let (dims, params) = (times(dims), times(params));
        LinearRow { constant, params, dims, divs: vec![-sign * line] }
    };
    let takes_all_values = dims.iter().fold(0, |divisor, &c| gcd(divisor, c)) == 1;
    // first <= divided - line * division <= first + n - 1.
    let condition = |(first, n): (i64, i64)| Condition {
        rows: vec![row(1, -first), row(-1, first + n - 1)],
        margin: (n > 1 && takes_all_values).then_some(*line),
    };
    runs(positions).into_iter().map(condition).collect()
}

/// The runs of positions that are meant, each with its length; a run may go on from the end to the begin.
fn runs(positions: &[bool]) -> Vec<(i64, i64)> {
    let n = positions.len();
    let is_first = |&i: &usize| positions[i] && !positions[(i + n - 1) % n];
    let length = |first: usize| (0..n).take_while(|i| positions[(first + i) % n]).count();
    let run = |first: usize| Some((i64::try_from(first).ok()?, i64::try_from(length(first)).ok()?));
    (0..n).filter(is_first).filter_map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn runs_go_around() {
        assert_eq!(runs(&[true, false, true, true]), [(2, 3)]);
        assert_eq!(runs(&[false, true, false, true]), [(1, 1), (3, 1)]);
        assert_eq!(runs(&[false, false]), []);
    }
}
