//! First rows against brute force: of all rows with small coefficients of both signs that keep the dependences of a small
//! system and its random constraints, ours has the least cost; where there is none, ours says so.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;

use common::random::Random;
use farkas_base::Id;
use farkas_deps::{DependenceOptions, dependences};
use farkas_schedule::{
    Coefficient, Config, ConfigConstraint, ConfigTerm, Configured, CostChoice, Dimension, Error,
    FusionHeuristic, RankedIterators, ScheduleOptions, StmtRow, schedule,
};
use farkas_scop::{Scop, StmtId};
use farkas_solve::RowKind;

/// The largest magnitude of a coefficient.
const MOST: i64 = 2;

/// The largest magnitude of an offset.
const FAR: i64 = 2;

/// The largest shift of a statement that offsets in two loops can ask for.
const SHIFT: i64 = 2 * MOST * FAR;

/// Iterations of each loop where dependences are enumerated: so many that no shift makes up for a row that goes backward.
fn size(n_stmts: usize) -> i64 {
    if n_stmts == 1 { 3 * FAR } else { 3 * SHIFT }
}

/// A read of the array that a statement writes, at its own iteration plus an offset, its subscripts swapped or not.
#[derive(Clone, Debug)]
struct Read {
    writer: usize,
    offset: Vec<i64>,
    is_swapped: bool,
}

/// Statements in one nest, one after another in each iteration; each writes an array of its own at its iteration.
#[derive(Clone, Debug)]
struct System {
    n_dims: usize,
    /// The reads of each statement.
    reads: Vec<Vec<Read>>,
    constraints: Vec<ConfigConstraint>,
    cost: CostChoice,
}

impl System {
    fn random(n_stmts: usize, n_dims: usize, random: &mut Random) -> Self {
        let read = |random: &mut Random| Read {
            writer: below(random, n_stmts),
            offset: (0..n_dims).map(|_| small(random, FAR)).collect(),
            is_swapped: below(random, 6) == 0,
        };
        let reads = (0..n_stmts).map(|_| (0..=below(random, 2)).map(|_| read(random)).collect());
        let reads = reads.collect();
        let constraints =
            (0..below(random, 3)).map(|number| constraint(n_stmts, n_dims, number, random));
        let constraints = constraints.collect();
        let cost = [CostChoice::CoefficientSums, CostChoice::Contiguity][below(random, 2)];
        Self { n_dims, reads, constraints, cost }
    }

    /// The text of the scop.
    fn text(&self) -> String {
        let names = &["i", "j", "k"][..self.n_dims];
        let domain: Vec<String> = names.iter().map(|name| format!("0 <= {name} < n")).collect();
        let mut text = "params n : n >= 1\n".to_owned();
        for (stmt, reads) in self.reads.iter().enumerate() {
            let accesses: Vec<String> = reads
                .iter()
                .map(|read| {
                    let mut order: Vec<usize> = (0..self.n_dims).collect();
                    if read.is_swapped {
                        order.swap(0, 1);
                    }
                    let subscripts: Vec<String> = order
                        .iter()
                        .zip(&read.offset)
                        .map(|(&at, offset)| format!("{} + {offset}", names[at]))
                        .collect();
                    format!("r A{}[{}], ", read.writer, subscripts.join(", "))
                })
                .collect();
            let own = names.join(", ");
            text += &format!(
                "S{stmt}[{own}] : {} @ {own}, {stmt} : {}w A{stmt}[{own}]\n",
                domain.join(" and "),
                accesses.concat()
            );
        }
        text
    }

    /// All pairs of instances that must stay in order.
    fn pairs(&self) -> Vec<[(usize, Vec<i64>); 2]> {
        let size = size(self.reads.len());
        let mut pairs = Vec::new();
        for (reader, reads) in self.reads.iter().enumerate() {
            for read in reads {
                for at in points(self.n_dims, 0, size - 1) {
                    let mut element = at.clone();
                    if read.is_swapped {
                        element.swap(0, 1);
                    }
                    element.iter_mut().zip(&read.offset).for_each(|(e, offset)| *e += offset);
                    if element.iter().any(|e| !(0..size).contains(e)) {
                        continue;
                    }
                    let (write, read) = ((read.writer, element), (reader, at));
                    let date = |(stmt, at): &(usize, Vec<i64>)| (at.clone(), *stmt);
                    match date(&write).cmp(&date(&read)) {
                        std::cmp::Ordering::Less => pairs.push([write, read]),
                        std::cmp::Ordering::Greater => pairs.push([read, write]),
                        std::cmp::Ordering::Equal => {}
                    }
                }
            }
        }
        pairs
    }

    fn keeps_constraints(&self, rows: &[Vec<i64>]) -> bool {
        self.constraints.iter().all(|constraint| {
            let value = |&(term, factor): &(ConfigTerm, i64)| match term {
                ConfigTerm::Coefficient(stmt, Coefficient::Iterator(i)) => {
                    factor * rows[stmt.index()][i]
                }
                _ => 0,
            };
            let sum = constraint.constant + constraint.terms.iter().map(value).sum::<i64>();
            if constraint.kind == RowKind::Equality { sum == 0 } else { sum >= 0 }
        })
    }

    /// The costs of rows, in their order.
    fn cost(&self, scop: &Scop, rows: &[Vec<i64>]) -> Vec<i64> {
        let sum: i64 = rows.iter().flatten().map(|c| c.abs()).sum();
        if self.cost == CostChoice::CoefficientSums {
            return vec![sum];
        }
        let prices = RankedIterators::contiguity(scop).unwrap();
        let of = |(stmt, row): (usize, &Vec<i64>)| -> i64 {
            let prices = prices.prices(StmtId::from_index(stmt));
            row.iter().zip(prices).map(|(c, price)| c.abs() * price).sum()
        };
        vec![rows.iter().enumerate().map(of).sum(), sum]
    }

    /// The least cost of all rows with small coefficients that progress, keep the constraints and the order of all pairs.
    fn least(&self, scop: &Scop) -> Option<Vec<i64>> {
        let pairs = self.pairs();
        let nonzero = |row: &Vec<i64>| row.iter().any(|&c| c != 0);
        let all: Vec<Vec<i64>> =
            points(self.n_dims, -MOST, MOST).into_iter().filter(nonzero).collect();
        let mut choices: Vec<Vec<Vec<i64>>> = vec![Vec::new()];
        for _ in &self.reads {
            let longer = choices.iter().flat_map(|rows| {
                all.iter().map(move |row| [rows.clone(), vec![row.clone()]].concat())
            });
            choices = longer.collect();
        }
        choices.retain(|rows| self.keeps_constraints(rows));
        let mut costs: Vec<(Vec<i64>, Vec<Vec<i64>>)> =
            choices.into_iter().map(|rows| (self.cost(scop, &rows), rows)).collect();
        costs.sort();
        costs.into_iter().find(|(_, rows)| has_shifts(rows, &pairs)).map(|(cost, _)| cost)
    }
}

/// Whether the statements can be shifted so that all pairs are in order: at most two statements.
fn has_shifts(rows: &[Vec<i64>], pairs: &[[(usize, Vec<i64>); 2]]) -> bool {
    let (mut least, mut most) = (-SHIFT, SHIFT);
    for [(from, x), (to, y)] in pairs {
        let distance = dot(&rows[*to], y) - dot(&rows[*from], x);
        match (from, to) {
            (0, 1) => least = least.max(-distance),
            (1, 0) => most = most.min(distance),
            _ if distance < 0 => return false,
            _ => {}
        }
    }
    least <= most
}

fn dot(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// All integer points of a cube.
fn points(n_dims: usize, least: i64, most: i64) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for _ in 0..n_dims {
        let longer = points
            .iter()
            .flat_map(|point: &Vec<i64>| (least..=most).map(move |c| [&point[..], &[c]].concat()));
        points = longer.collect();
    }
    points
}

/// A number below `n`.
fn below(random: &mut Random, n: usize) -> usize {
    usize::try_from(random.below(u64::try_from(n).unwrap())).unwrap()
}

/// A number from `-most` to `most`.
fn small(random: &mut Random, most: i64) -> i64 {
    let range = usize::try_from(2 * most + 1).unwrap();
    i64::try_from(below(random, range)).unwrap() - most
}

/// One to three coefficients of any statements against a number.
fn constraint(
    n_stmts: usize,
    n_dims: usize,
    origin: usize,
    random: &mut Random,
) -> ConfigConstraint {
    let term = |random: &mut Random| {
        let stmt = StmtId::from_index(below(random, n_stmts));
        let which = Coefficient::Iterator(below(random, n_dims));
        (ConfigTerm::Coefficient(stmt, which), [-2, -1, 1, 1][below(random, 4)])
    };
    let terms = (0..=below(random, 2)).map(|_| term(random)).collect();
    let kind = [RowKind::Equality, RowKind::Inequality][below(random, 2)];
    let constant = small(random, 2);
    ConfigConstraint { dimension: Dimension::At(0), kind, terms, constant, origin }
}

/// Compares ours with brute force; says whether there was a row.
fn compare(system: &System) -> bool {
    let scop = common::scop(&system.text());
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let config = Config {
        costs: vec![(Dimension::Default, vec![system.cost])],
        constraints: system.constraints.clone(),
        heuristic: FusionHeuristic::Max,
        negative_coefficients: true,
        max_coefficient: Some(MOST),
        fallbacks: Vec::new(),
        ..Config::default()
    };
    let mut strategy = Configured::new(config, &scop).unwrap();
    let scheduled = schedule(&scop, &deps, &mut strategy, &ScheduleOptions::default());
    let least = system.least(&scop);
    let told = format!("{}{:?}\n{least:?} {scheduled:?}", system.text(), system.constraints);
    match scheduled {
        Err(Error::Conflict { dimension: 0, .. }) => {
            assert_eq!(least, None, "{told}");
            false
        }
        // Of inner rows nothing is said here.
        Err(Error::Conflict { .. } | Error::Unkept { .. }) => least.is_some(),
        Err(error) => panic!("{error}: {told}"),
        Ok(scheduled) => {
            let Some(first) = scheduled.report.rows.first() else { return false };
            if first.dimension > 0 || first.stmts.len() < system.reads.len() {
                return least.is_some();
            }
            let rows: Vec<Vec<i64>> =
                first.rows.iter().map(|row: &StmtRow| row.iterators.clone()).collect();
            let found: Vec<i64> = first.cost.iter().map(|(_, value)| *value).collect();
            assert_eq!(Some(&found), least.as_ref(), "{rows:?}: {told}");
            assert!(
                system.keeps_constraints(&rows) && has_shifts(&rows, &system.pairs()),
                "{told}"
            );
            true
        }
    }
}

/// Compares `n` random systems; some of them have rows, some have none.
fn compare_all(n: u64, n_stmts: usize, n_dims: usize) {
    let mut n_found = 0;
    for seed in 0..n {
        let mut random = Random::new(seed * 7 + 1);
        n_found += u64::from(compare(&System::random(n_stmts, n_dims, &mut random)));
    }
    assert!(n_found > n / 4 && n_found < n, "{n_found} of {n} have a row");
}

#[test]
fn one_statement_in_two_loops() {
    compare_all(1500, 1, 2);
}

#[test]
fn one_statement_in_three_loops() {
    compare_all(700, 1, 3);
}

#[test]
fn two_statements_in_two_loops() {
    compare_all(700, 2, 2);
}

/// `coefficient-sums` with a first coefficient of -1: the other one is zero.
#[test]
fn no_skew_comes_with_a_reversal() {
    let scop =
        common::scop("params n : n >= 1\nS[i, j] : 0 <= i < n and 0 <= j < n @ i, j : w A[i, j]");
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let term = (ConfigTerm::Coefficient(StmtId::from_index(0), Coefficient::Iterator(0)), 1);
    let reversed = ConfigConstraint {
        dimension: Dimension::At(0),
        kind: RowKind::Equality,
        terms: vec![term],
        constant: 1,
        origin: 0,
    };
    let config = Config {
        costs: vec![(Dimension::Default, vec![CostChoice::CoefficientSums])],
        constraints: vec![reversed],
        negative_coefficients: true,
        ..Config::default()
    };
    let mut strategy = Configured::new(config, &scop).unwrap();
    let scheduled = schedule(&scop, &deps, &mut strategy, &ScheduleOptions::default()).unwrap();
    assert_eq!(scheduled.report.rows[0].rows[0].iterators, [-1, 0]);
}
