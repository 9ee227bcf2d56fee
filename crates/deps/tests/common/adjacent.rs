//! Adjacent accesses, spelt out on all instances for one choice of parameters.

use super::brute::{Instance, pairs};
use farkas_poly::{DimType, Map, Set, Val};
use farkas_scop::{AccessId, AccessKind, ArrayId, Scop, StmtId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What the references of a class have in common: the array, the number of iterators, coefficients of iterators and
/// parameters and, where they count, constants of the subscripts.
pub(crate) type Key = (ArrayId, usize, Vec<(Vec<i64>, Option<i64>)>);

/// Instances of two statements, the first before the second.
pub(crate) type Pairs = BTreeSet<(Instance, Instance)>;

/// Adjacent instances of a class.
#[derive(Default)]
pub(crate) struct Adjacent {
    /// Those with nothing in between.
    pub(crate) exact: Pairs,
    /// Those with nothing in between even if the loops had no bounds.
    pub(crate) unbounded: Pairs,
}

/// The points beyond the domains that are looked at, in each direction.
const REACH: i64 = 15;

/// An affine function: coefficients of iterators and parameters, and the constant.
type Function = (Vec<i64>, i64);

/// The affine functions that `relation` is, from its values, for `depth` iterators and `n_params` parameters.
fn functions(relation: &Map, depth: usize, n_params: usize) -> Option<Vec<Function>> {
    let zero = value(relation, &vec![0; depth], &vec![0; n_params])?;
    let unit = |n: usize, i: usize| (0..n).map(|j| i64::from(i == j)).collect::<Vec<_>>();
    let mut moved = Vec::new();
    for i in 0..depth {
        moved.push(value(relation, &unit(depth, i), &vec![0; n_params])?);
    }
    for i in 0..n_params {
        moved.push(value(relation, &vec![0; depth], &unit(n_params, i))?);
    }
    let row = |s: usize| (moved.iter().map(|m| m[s] - zero[s]).collect(), zero[s]);
    Some((0..zero.len()).map(row).collect())
}

/// The values of affine functions.
fn values(functions: &[Function], point: &[i64], params: &[i64]) -> Vec<i64> {
    let value = |(row, constant): &Function| {
        row.iter().zip(point.iter().chain(params)).map(|(a, b)| a * b).sum::<i64>() + constant
    };
    functions.iter().map(value).collect()
}

/// The subscripts of an access.
fn subscripts(scop: &Scop, stmt: StmtId, access: AccessId) -> Option<Vec<Function>> {
    let relation = &scop.stmts()[stmt].accesses[access].relation;
    functions(relation, scop.stmts()[stmt].depth(), scop.params().len())
}

/// All points with coordinates of at most [`REACH`].
fn grid(depth: usize) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for _ in 0..depth {
        let longer = |p: Vec<i64>| (-REACH..=REACH).map(move |c| [&p[..], &[c]].concat());
        points = points.into_iter().flat_map(longer).collect();
    }
    points
}

/// The element that an instance touches; `None` where it is not one.
fn value(relation: &Map, point: &[i64], params: &[i64]) -> Option<Vec<i64>> {
    let mut set = Set::universe(&relation.space().unwrap().domain().unwrap()).unwrap();
    for (kind, values) in [(DimType::Param, params), (DimType::SET, point)] {
        for (i, value) in values.iter().enumerate() {
            set = set.fix_val(kind, i as u32, &Val::int(*value).unwrap()).unwrap();
        }
    }
    let images = set.apply(relation).unwrap().points().unwrap();
    let [image] = &images[..] else { return None };
    Some(image.coordinates(DimType::SET).unwrap())
}

/// The key of an access: for elements without constants, for lines without that of the last subscript.
pub(crate) fn key(scop: &Scop, stmt: StmtId, access: AccessId, of_lines: bool) -> Option<Key> {
    let rows = subscripts(scop, stmt, access)?;
    let last = rows.len().checked_sub(1)?;
    let keep = |(i, (row, constant)): (usize, &(Vec<i64>, i64))| {
        (row.clone(), (of_lines && i < last).then_some(*constant))
    };
    let rows = rows.iter().enumerate().map(keep).collect();
    Some((scop.stmts()[stmt].accesses[access].array, scop.stmts()[stmt].depth(), rows))
}

/// Iterators that complete rows to full column rank, the innermost first.
fn completion(rows: &[Vec<i64>], depth: usize) -> Vec<usize> {
    let mut all = rows.to_vec();
    let mut chosen = Vec::new();
    for i in (0..depth).rev() {
        let mut more = all.clone();
        more.push((0..depth).map(|j| i64::from(i == j)).collect());
        if rank(&more) > rank(&all) {
            chosen.push(i);
            all = more;
        }
    }
    chosen
}

/// The rank of a matrix.
pub(crate) fn rank(rows: &[Vec<i64>]) -> usize {
    let mut rows: Vec<Vec<i128>> =
        rows.iter().map(|row| row.iter().map(|&c| i128::from(c)).collect()).collect();
    let mut rank = 0;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let Some(pivot) = (rank..rows.len()).find(|&r| rows[r][column] != 0) else { continue };
        rows.swap(rank, pivot);
        for r in rank + 1..rows.len() {
            let (a, b) = (rows[rank][column], rows[r][column]);
            for c in 0..rows[r].len() {
                rows[r][c] = a * rows[r][c] - b * rows[rank][c];
            }
        }
        rank += 1;
    }
    rank
}

/// What an access does to a cell.
#[derive(Clone, Default)]
struct Touch {
    reads: bool,
    writes: bool,
}

/// A point of a statement, in its domain or not.
struct Place {
    date: Vec<i64>,
    instance: Instance,
    is_there: bool,
    cells: BTreeMap<Vec<i64>, Touch>,
}

/// The adjacent instances of each class, for lines of so many elements, or for reads of elements. Without `separates`, the
/// lines of an array are one class, and nothing is completed.
pub(crate) fn adjacent(
    scop: &Scop,
    params: &[i64],
    line: Option<i64>,
    separates: bool,
) -> BTreeMap<Key, Adjacent> {
    let mut places: BTreeMap<Key, Vec<Place>> = BTreeMap::new();
    for (stmt, s) in scop.stmts().iter_enumerated() {
        let mut keys: BTreeMap<Key, Vec<AccessId>> = BTreeMap::new();
        for (access, a) in s.accesses.iter_enumerated().filter(|(_, a)| a.kind != AccessKind::Kill)
        {
            if !scop.arrays()[a.array].extents.is_empty() {
                let key = match separates {
                    true => key(scop, stmt, access, line.is_some()).unwrap(),
                    false => (a.array, 0, Vec::new()),
                };
                keys.entry(key).or_default().push(access);
            }
        }
        let domain = scop.domain_of(stmt).unwrap();
        let inside: BTreeSet<Vec<i64>> = pairs(&domain.identity().unwrap(), params)
            .into_iter()
            .map(|(point, _)| point)
            .collect();
        let date = functions(&s.date, s.depth(), params.len()).unwrap();
        let grid = grid(s.depth());
        for (key, accesses) in keys {
            let rows: Vec<_> =
                accesses.iter().map(|&a| (a, subscripts(scop, stmt, a).unwrap())).collect();
            let linear: Vec<Vec<i64>> =
                key.2.iter().map(|(row, _)| row[..s.depth()].to_vec()).collect();
            let completed = match line {
                Some(_) if separates => completion(&linear, s.depth()),
                _ => Vec::new(),
            };
            for point in &grid {
                let mut cells: BTreeMap<Vec<i64>, Touch> = BTreeMap::new();
                for (access, rows) in &rows {
                    let mut cell: Vec<i64> = completed.iter().map(|&i| point[i]).collect();
                    cell.extend(values(rows, point, params));
                    if let (Some(line), Some(last)) = (line, cell.last_mut()) {
                        *last = last.div_euclid(line);
                    }
                    let is_write = s.accesses[*access].kind.is_write();
                    let touch = cells.entry(cell).or_default();
                    touch.writes |= is_write;
                    touch.reads |= !is_write;
                }
                let is_there = inside.contains(point);
                let (date, instance) = (values(&date, point, params), (stmt, point.clone()));
                let place = Place { date, instance, is_there, cells };
                places.entry(key.clone()).or_default().push(place);
            }
        }
    }
    places.into_iter().map(|(key, places)| (key, neighbours(places, line.is_none()))).collect()
}

/// The pairs without something in between.
fn neighbours(mut places: Vec<Place>, of_reads: bool) -> Adjacent {
    places.sort_by(|a, b| a.date.cmp(&b.date));
    let mut found = Adjacent::default();
    // What last touched a cell, and whether something outside of its domain has since.
    let mut last: HashMap<&[i64], (&Instance, &Touch, bool)> = HashMap::new();
    for place in &places {
        for (cell, touch) in &place.cells {
            if !place.is_there {
                last.get_mut(&cell[..]).into_iter().for_each(|known| known.2 = true);
                continue;
            }
            let known = last.insert(cell, (&place.instance, touch, false));
            let Some((source, before, is_hidden)) = known else { continue };
            if of_reads && (!touch.reads || !before.reads || before.writes) {
                continue;
            }
            let pair = (source.clone(), place.instance.clone());
            if !is_hidden {
                found.unbounded.insert(pair.clone());
            }
            found.exact.insert(pair);
        }
    }
    found
}
