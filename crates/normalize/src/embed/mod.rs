//! Where programs lie among others: numbers that are close for programs that are alike.
//!
//! All is computed from the normal form: equal texts have equal embeddings, whatever the programs were written like. Numbers are made
//! so that one is a difference worth speaking of: counts as logarithms of two, extents as logarithms of sixteen. The distance of
//! two embeddings is Euclid's; those of different [`EMBEDDING_VERSION`]s have nothing to do with one another.
//!
//! **A statement** has, for each of the [`SLOTS`] innermost loops around it, from inside out (zeros where there are fewer):
//!
//! | number | what |
//! | --- | --- |
//! | 1 | that there is a loop: 1 |
//! | 2 | its greatest extent at the sizes assumed, a logarithm of sixteen |
//! | 3 | 1 where no dependence is carried by it: it may run in parallel |
//! | 4 | 1 where all that it carries are updates in any order: a reduction |
//! | 5 | 1 where dependences of loops around it lead to earlier iterations of it |
//! | 6, 7, 8 | reads that move to the next element, that move farther, that stay: logarithms of how many |
//! | 9, 10, 11 | the same of writes |
//!
//! and then of all of it:
//!
//! | number | what |
//! | --- | --- |
//! | 1 | how many loops there are around it |
//! | 2–5 | reads of arrays with no, one, two, more dimensions (logarithms, as all that follow unless it says otherwise) |
//! | 6–9 | the same of writes |
//! | 10–14 | additions, multiplications, divisions, calls, comparisons and choices |
//! | 15 | bounds in which several loops occur: triangles and the like |
//! | 16 | accesses whose element is chosen by data |
//! | 17 | bytes of the elements on average |
//! | 18 | the part of its accesses that is to floating-point numbers (0 to 1) |
//! | 19 | the most distinct elements that one access touches, a logarithm of sixteen: what must be kept for reuse |
//! | 20 | all elements of all its accesses, a logarithm of sixteen |
//! | 21 | its iterations, a logarithm of sixteen |
//! | 22, 23 | statements whose values reach it through others, and those that its own reach |
//!
//! **A program** has the mean of its statements' numbers, each counted as often as it runs; then the mean where each counts once; the
//! logarithm of their number; and figures of the machine (logarithms): cores, bytes of a vector register, and of the innermost and
//! of the outermost cache as logarithms of sixteen.

mod line;
mod loops;
mod words;

use crate::Result;
use crate::lift::{Lift, Place};
use farkas_base::IdVec;
use farkas_deps::{DependenceKind, Dependences};
use farkas_machine::Machine;
use farkas_poly::UnionSet;
use farkas_scop::StmtId;
use farkas_tree::Program;
use line::{Access, Line, Stride};
use loops::{Found, Walk};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use words::{IN_LOOP, word};

/// The version of what the numbers mean.
pub const EMBEDDING_VERSION: u32 = 1;

/// The loops, from inside out, that have numbers of their own.
const SLOTS: usize = 5;

/// Where a program and its statements lie.
#[derive(Clone, PartialEq, Debug)]
pub struct Embedded {
    /// The program's numbers.
    pub whole: Vec<f32>,
    /// Its statements, of which something comes, in the order of the tree.
    pub stmts: Vec<EmbeddedStmt>,
}

/// Where a statement lies.
#[derive(Clone, PartialEq, Debug)]
pub struct EmbeddedStmt {
    /// Its name.
    pub name: String,
    /// Its text by itself, as the normal form has it.
    pub text: String,
    /// Its numbers.
    pub values: Vec<f32>,
}

/// Where a program in normal form lies, by the dependences of its statements, for sizes of its parameters, by name, and a machine.
///
/// # Errors
/// When isl refuses.
pub fn embed(
    program: &Program,
    deps: &Dependences,
    sizes: &BTreeMap<String, i64>,
    machine: &Machine,
) -> Result<Embedded> {
    let lift = Lift::new(program, deps)?;
    let mut walk = Walk { lift: &lift, sizes, found: Vec::new() };
    let nowhere = Place { dates: Vec::new(), instances: UnionSet::none()? };
    walk.collect(&program.tree, &nowhere, &[])?;
    let reach = Reach::of(deps, &lift.is_live);
    let stmts: Vec<(f64, EmbeddedStmt)> = walk
        .found
        .into_iter()
        .map(|found| {
            let name = program.scop.stmts()[found.stmt].name.clone();
            let values = numbers(&found, &reach);
            (found.extents.iter().product(), EmbeddedStmt { name, text: found.text, values })
        })
        .collect();
    let whole = whole(&stmts, machine);
    Ok(Embedded { whole, stmts: stmts.into_iter().map(|(_, stmt)| stmt).collect() })
}

/// The distance of two embeddings; of different lengths, which are of different versions, infinitely far.
pub fn distance(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let squares = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
    squares.sum::<f64>().sqrt()
}

/// What of two programs is most different, in words, at most so many things.
pub fn differences(a: &[f32], b: &[f32], n: usize) -> Vec<String> {
    let of = |(at, (a, b)): (usize, (&f32, &f32))| (at, f64::from((a - b).abs()));
    let mut all: Vec<(usize, f64)> = a.iter().zip(b).enumerate().map(of).collect();
    all.retain(|(_, difference)| *difference >= WORTH_TELLING);
    all.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let mut found: Vec<String> = Vec::new();
    for (at, _) in all {
        let word = word(at);
        if found.len() < n && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Smaller differences are not told.
const WORTH_TELLING: f64 = 0.1;

/// How many statements' values reach each, through others, and how many its own reach.
struct Reach(IdVec<StmtId, BTreeSet<StmtId>>);

impl Reach {
    /// By the flow between statements of which something comes.
    fn of(deps: &Dependences, is_live: &IdVec<StmtId, bool>) -> Self {
        let mut reached: IdVec<StmtId, BTreeSet<StmtId>> = is_live.map(|_| BTreeSet::new());
        loop {
            let mut n_new = 0;
            for dep in deps.deps.iter().filter(|dep| dep.kind == DependenceKind::Flow) {
                if dep.source == dep.sink || !is_live[dep.source] || !is_live[dep.sink] {
                    continue;
                }
                let mut more = reached[dep.sink].clone();
                more.insert(dep.sink);
                let own = &mut reached[dep.source];
                let before = own.len();
                own.extend(more);
                n_new += own.len() - before;
            }
            if n_new == 0 {
                return Self(reached);
            }
        }
    }

    /// Those before and those behind a statement.
    fn around(&self, stmt: StmtId) -> [usize; 2] {
        let before = self.0.iter_enumerated();
        let before = before.filter(|(other, own)| *other != stmt && own.contains(&stmt)).count();
        let behind = self.0[stmt].iter().filter(|other| **other != stmt).count();
        [before, behind]
    }
}

/// The numbers of a statement.
fn numbers(found: &Found, reach: &Reach) -> Vec<f32> {
    let line = line::read(&found.text);
    let mut values = Vec::new();
    for slot in 0..SLOTS {
        match found.loops.len().checked_sub(slot + 1) {
            Some(depth) => in_loop(found, &line, depth, &mut values),
            None => values.extend([0.0; IN_LOOP.len()]),
        }
    }
    overall(found, &line, &mut values);
    values.extend(reach.around(found.stmt).map(|n| binary(n as f64)));
    values.into_iter().map(|value| value as f32).collect()
}

/// The numbers of a statement in one of the loops around it.
fn in_loop(found: &Found, line: &Line, depth: usize, values: &mut Vec<f64>) {
    let own = found.loops.get(depth).copied().unwrap_or_default();
    let extent = found.extents.get(depth).copied().unwrap_or_default();
    values.extend([
        1.0,
        hexadecimal(extent),
        flag(!own.is_carried && !own.is_reduced),
        flag(!own.is_carried && own.is_reduced),
        flag(own.turns_back),
    ]);
    for is_write in [false, true] {
        for stride in [Stride::Next, Stride::Far, Stride::Invariant] {
            let moves_so = |a: &&Access| a.is_write == is_write && a.stride(depth) == stride;
            values.push(binary(line.accesses.iter().filter(moves_so).count() as f64));
        }
    }
}

/// The numbers of a statement as a whole, but for those of its place among others.
fn overall(found: &Found, line: &Line, values: &mut Vec<f64>) {
    values.push(found.loops.len() as f64);
    for is_write in [false, true] {
        for rank in 0..4 {
            let is_so = |a: &&Access| a.is_write == is_write && a.subscripts.len().min(3) == rank;
            values.push(binary(line.accesses.iter().filter(is_so).count() as f64));
        }
    }
    let Line { additions, multiplications, divisions, calls, others, slanted, .. } = line;
    let counts = [additions, multiplications, divisions, calls, others, slanted];
    values.extend(counts.map(|count| binary(f64::from(*count))));
    let is_indirect = |a: &&Access| a.subscripts.iter().any(|at| at.is_indirect);
    values.push(binary(line.accesses.iter().filter(is_indirect).count() as f64));
    let n = line.accesses.len().max(1) as f64;
    let bytes = line.accesses.iter().map(|access| f64::from(access.bytes)).sum::<f64>() / n;
    let floats = line.accesses.iter().filter(|access| access.is_float).count() as f64 / n;
    values.extend([binary(bytes), floats]);
    let touched = line.accesses.iter().map(|access| touched(access, &found.extents));
    let (most, all) = touched.fold((0.0_f64, 0.0), |(most, all), n| (most.max(n), all + n));
    let iterations = found.extents.iter().product();
    values.extend([most, all, iterations].map(hexadecimal));
}

/// How many elements an access touches, had each iteration of the loops in its subscripts one of its own.
fn touched(access: &Access, extents: &[f64]) -> f64 {
    let loops = access.subscripts.iter().flat_map(|at| at.loops.keys().copied());
    let loops: BTreeSet<usize> = loops.collect();
    loops.into_iter().filter_map(|depth| extents.get(depth)).map(|extent| extent.max(1.0)).product()
}

/// The numbers of a program.
fn whole(stmts: &[(f64, EmbeddedStmt)], machine: &Machine) -> Vec<f32> {
    // Sums in floating point depend on the order, which is to be the same whatever stood first.
    let mut sorted: Vec<(f64, &[f32])> = stmts.iter().map(|(n, s)| (*n, &*s.values)).collect();
    sorted.sort_by(|(n, a), (m, b)| {
        let pairs = a.iter().zip(*b).map(|(a, b)| a.total_cmp(b));
        pairs.fold(Ordering::Equal, Ordering::then).then(n.total_cmp(m))
    });
    let n_values = sorted.first().map_or(0, |(_, values)| values.len());
    let mean = |weight: &dyn Fn(f64) -> f64| -> Vec<f32> {
        let all: f64 = sorted.iter().map(|(n, _)| weight(*n)).sum();
        let of = |at: usize| -> f64 {
            let value = |values: &[f32]| f64::from(values.get(at).copied().unwrap_or_default());
            sorted.iter().map(|(n, values)| weight(*n) * value(values)).sum()
        };
        (0..n_values).map(|at| (of(at) / all.max(1.0)) as f32).collect()
    };
    let mut values = mean(&|n| n.max(1.0));
    values.extend(mean(&|_| 1.0));
    values.push(binary(stmts.len() as f64) as f32);
    values.extend(device(machine).map(|value| value as f32));
    values
}

/// The numbers of a machine.
fn device(machine: &Machine) -> [f64; 4] {
    let bytes = |cache: Option<&farkas_machine::Cache>| cache.map_or(0.0, |c| c.size_bytes as f64);
    [
        binary(f64::from(machine.cores)),
        binary(f64::from(machine.vector.width_bytes)),
        hexadecimal(bytes(machine.caches.first())),
        hexadecimal(bytes(machine.caches.last())),
    ]
}

/// A count as a logarithm of two; zero of none.
fn binary(count: f64) -> f64 {
    (1.0 + count.max(0.0)).log2()
}

/// A size as a logarithm of sixteen; zero of none.
fn hexadecimal(size: f64) -> f64 {
    binary(size) / 4.0
}

/// One where something holds.
fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
