//! Relations of instances that are known distances apart.

use super::class::Class;
use super::distances::Adjacent;
use crate::Result;
use crate::analysis::Prepared;
use farkas_poly::{BasicMap, Constraints, LinearRow, Map};
use farkas_scop::StmtId;

/// The pairs of adjacent instances, equalities explicit; `None` where there are none.
pub(super) fn pairs(
    prepared: &Prepared,
    class: &Class,
    adjacent: &Adjacent,
) -> Result<Option<Map>> {
    let Some(((source, distance), later)) = adjacent.chain.split_last() else { return Ok(None) };
    let sink = adjacent.sink;
    let apart = |source, distance| Apart { prepared, source, sink, distance };
    let mut pairs: Option<Map> = None;
    for condition in conditions(class, prepared.tables.depth(sink), &adjacent.positions) {
        let here = apart(*source, distance).pairs(&condition)?;
        pairs = Some(match pairs {
            Some(pairs) => pairs.union_disjoint(&here)?,
            None => here,
        });
    }
    let Some(mut pairs) = pairs else { return Ok(None) };
    for (source, distance) in later {
        pairs = pairs.subtract_range(&apart(*source, distance).pairs(&[])?.range()?)?;
    }
    let pairs = pairs.detect_equalities()?;
    Ok((!pairs.plain_is_empty()?).then_some(pairs))
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
        let mut rows = Constraints { equalities: Vec::new(), inequalities: Vec::new() };
        for (i, &distance) in self.distance.iter().enumerate() {
            let mut dims = vec![0; 2 * depth];
            (dims[i], dims[depth + i]) = (-1, 1);
            let (params, divs) = (Vec::new(), Vec::new());
            rows.equalities.push(LinearRow { constant: -distance, params, dims, divs });
        }
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
}

/// The row with so many more dimensions before and after its own.
fn widened(row: &LinearRow, [before, after]: [usize; 2]) -> LinearRow {
    let dims = [vec![0; before], row.dims.clone(), vec![0; after]].concat();
    LinearRow { dims, ..row.clone() }
}

/// The ways in which the divided row of a sink of `depth` dimensions, less its constant, is at one of `positions` of a
/// line: each rows that are not negative, with a division; no rows where all positions are meant, or elements.
fn conditions(class: &Class, depth: usize, positions: &[bool]) -> Vec<Vec<LinearRow>> {
    let divided = class.members.first().and_then(|member| member.place.divided.as_ref());
    let Some((divided, line)) = divided.filter(|_| positions.contains(&false)) else {
        return vec![Vec::new()];
    };
    let (dims, rest) = divided.split_at(depth);
    let params = rest.split_last().map_or(rest, |(_, params)| params);
    let row = |sign: i64, constant: i64| {
        let times = |row: &[i64]| row.iter().map(|c| sign * c).collect();
        let (dims, params) = (times(dims), times(params));
        LinearRow { constant, params, dims, divs: vec![-sign * line] }
    };
    // first <= divided - line * division <= first + n - 1.
    let condition = |(first, n): (i64, i64)| vec![row(1, -first), row(-1, first + n - 1)];
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
