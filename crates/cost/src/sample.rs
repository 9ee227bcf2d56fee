//! How often loops run and how references move along them, learnt from random runs through the code.
//!
//! **Paper** D. E. Knuth, *Estimating the efficiency of backtrack programs*, Mathematics of Computation 29, 1975: a run takes one
//! iteration of each loop and counts it for all of them, which is right on average. Ours takes the iterations from a
//! sequence of low discrepancy, so that few runs do, and the same ones each time. Loops whose iterator is tested are gone through at
//! their ends more often, each time for less: a tile loop may do all its work in its first iteration.

use crate::Result;
use crate::counted::{Along, Counted, Extent, Leaf, Loop, Moves, N_PARTS, Part};
use farkas_astgen::{Ast, Cond, For, LoopKind, Node, User};
use farkas_base::IdVec;
use farkas_interp::{Function, Params};
use farkas_poly::{DimType, Map, Val};
use farkas_scop::{Access, AccessKind, Array, Scop, Statement, StmtId};
use std::collections::BTreeMap;

/// Runs through the code, from which averages are learnt.
pub(crate) const N_RUNS: u32 = 480;

/// The part of the runs in which a loop whose iterator is tested takes its first iteration, and as many take its last.
const AT_END: f64 = 0.25;

/// Compilers write out innermost loops, and loops around those that they wrote out, of so many iterations in all.
pub(crate) const MAX_PEELED: u64 = 16;

/// Runs in which a statement's references are looked at.
const N_LOOKS: u32 = 5;

/// Counts the loops of `ast` in so many runs where parameters have these values.
pub(crate) fn count(scop: &Scop, ast: &Ast, params: &Params, n_runs: u32) -> Result<Counted> {
    let mut n_loops = 0;
    let mut sites = sites(&ast.body, &mut n_loops);
    let subscripts = |stmt: &Statement| -> Result<Vec<Subscripts>> {
        stmt.accesses.iter().map(|access| Subscripts::of(access, params)).collect()
    };
    let mut runs = Runs {
        subscripts: scop.stmts().iter().map(subscripts).collect::<Result<_>>()?,
        params: params.iter().collect(),
        run: 0,
        path: Vec::new(),
    };
    for run in 0..n_runs {
        runs.run = run;
        runs.through(&mut sites, 1.0)?;
    }
    let mut trips = vec![0.0; n_loops];
    let body = parts(scop, &sites, f64::from(n_runs), &mut trips);
    let (mut works, mut along) = (vec![0.0; n_loops], vec![[0.0; N_PARTS]; n_loops]);
    list_works(&sites, &mut works, &mut along);
    let arrays = scop.arrays().iter().map(|array| extent(array, params)).collect::<Result<_>>()?;
    let is_original = ast.is_original;
    Ok(Counted { body, trips, works, along, arrays, is_original })
}

/// The size of an array where parameters have these values, if its extents are known.
fn extent(array: &Array, params: &Params) -> Result<Option<Extent>> {
    let mut bytes = u64::from(array.element.kind.size_bytes().unwrap_or(8));
    let mut dims = Vec::new();
    for extent in &array.extents {
        let Some(extent) = extent else { return Ok(None) };
        let Some(extent) = Function::new(extent, params)?.value(&[])? else { return Ok(None) };
        let extent = u64::try_from(extent).unwrap_or(0).max(1);
        bytes = bytes.saturating_mul(extent);
        dims.push(extent);
    }
    Ok(Some(Extent { bytes, dims }))
}

/// The subscripts of an access as functions of the statement's instance; `None` where it may touch several elements.
struct Subscripts(Option<Vec<Function>>);

impl Subscripts {
    /// Those of an access; kills touch nothing.
    fn of(access: &Access, params: &Params) -> Result<Self> {
        if access.kind == AccessKind::Kill {
            return Ok(Self(None));
        }
        let relation = at_params(&access.relation, params)?;
        if !relation.is_single_valued()? {
            return Ok(Self(None));
        }
        // Numbers that sizes make may not fit where sizes and factors do.
        let functions =
            functions(&relation, params).or_else(|_| functions(&access.relation, params))?;
        Ok(Self(Some(functions)))
    }

    /// Their values for an instance, where they have some.
    fn at(&self, instance: &[i64]) -> Result<Option<Vec<i64>>> {
        let Some(functions) = &self.0 else { return Ok(None) };
        let mut found = Vec::with_capacity(functions.len());
        for function in functions {
            let Some(value) = function.value(instance)? else { return Ok(None) };
            found.push(value);
        }
        Ok(Some(found))
    }
}

/// The subscripts of a relation that names one element for each instance.
fn functions(relation: &Map, params: &Params) -> Result<Vec<Function>> {
    let function = relation.to_pw_multi_aff()?;
    let at = |i: u32| Function::new(&function.at(i32::try_from(i).unwrap_or(i32::MAX))?, params);
    (0..relation.dim(DimType::Out)?).map(|i| -> Result<Function> { Ok(at(i)?) }).collect()
}

/// A relation where parameters have these values: isl answers questions about numbers sooner.
fn at_params(relation: &Map, params: &Params) -> Result<Map> {
    let mut fixed = relation.clone();
    for (position, name) in (0..).zip(relation.space()?.param_names()?) {
        fixed = fixed.fix_val(DimType::Param, position, &Val::int(params.value(&name)?)?)?;
    }
    Ok(fixed)
}

/// A node of the AST with counts.
enum Site<'a> {
    Loop {
        node: &'a For,
        id: usize,
        starts: f64,
        iterations: f64,
        asked: Asked,
        /// Instances along the iterations.
        along: Box<Along>,
        /// Whether guards inside depend on its iterator.
        is_tested: bool,
        body: Vec<Site<'a>>,
    },
    Guard {
        condition: &'a Cond,
        then: Vec<Site<'a>>,
        otherwise: Vec<Site<'a>>,
    },
    Leaf {
        user: &'a User,
        runs: f64,
        looks: u32,
        seen: Vec<Seen>,
    },
}

/// What came of asking whether threads pay for a loop.
#[derive(Clone, Copy, Default)]
struct Asked {
    /// The starts for which they do.
    on_threads: f64,
    /// The sum that says so, over all starts.
    work: f64,
}

/// What was seen of a reference.
#[derive(Default)]
struct Seen {
    /// The subscripts in the first look.
    at: Option<Vec<i64>>,
    /// For each loop by number what one more iteration added to the subscripts, and how often it did.
    steps: BTreeMap<usize, BTreeMap<Vec<i64>, u32>>,
}

/// The sites of some nodes, loops numbered from `n_loops` on.
fn sites<'a>(nodes: &'a [Node], n_loops: &mut usize) -> Vec<Site<'a>> {
    let mut found = Vec::new();
    for node in nodes {
        found.extend(match node {
            Node::Block(node) => sites(&node.body, n_loops),
            _ => site(node, n_loops).into_iter().collect(),
        });
    }
    found
}

/// The site of a node that is a loop, a guard or a statement.
fn site<'a>(node: &'a Node, n_loops: &mut usize) -> Option<Site<'a>> {
    Some(match node {
        Node::For(node) => {
            let id = *n_loops;
            *n_loops += 1;
            let body = sites(&node.body, n_loops);
            let is_tested = tests(&node.body, &node.iterator);
            let (asked, along) = (Asked::default(), Box::new([0.0; N_PARTS]));
            Site::Loop { node, id, starts: 0.0, iterations: 0.0, asked, along, is_tested, body }
        }
        Node::If(node) => Site::Guard {
            condition: &node.condition,
            then: sites(&node.then, n_loops),
            otherwise: sites(&node.otherwise, n_loops),
        },
        Node::User(user) => Site::Leaf { user, runs: 0.0, looks: 0, seen: Vec::new() },
        Node::Block(_) => return None,
    })
}

/// Runs through the code.
struct Runs<'a> {
    subscripts: IdVec<StmtId, Vec<Subscripts>>,
    params: Vec<(&'a str, i64)>,
    /// The number of this run.
    run: u32,
    /// The loops around the place, with their numbers and which iteration it is.
    path: Vec<(&'a For, usize, i64)>,
}

impl<'a> Runs<'a> {
    /// One run through some sites, which stands for `weight` of them: the instances that it stands for.
    fn through(&mut self, sites: &mut [Site<'a>], weight: f64) -> Result<f64> {
        let mut instances = 0.0;
        for site in sites {
            match site {
                Site::Loop { node, id, starts, iterations, asked, along, is_tested, body } => {
                    *starts += weight;
                    self.ask(node, weight, asked);
                    let n = self.trips(node);
                    if n == 0 {
                        continue;
                    }
                    *iterations += weight * n as f64;
                    let (at, stands_for) = chosen(self.fraction(*id), n, *is_tested);
                    self.path.push((node, *id, at));
                    let inside = self.through(body, weight * stands_for)?;
                    self.path.pop();
                    share(at, n, inside, along);
                    instances += inside;
                }
                Site::Guard { condition, then, otherwise } => {
                    let values = self.values(None);
                    let taken = match condition.eval(&|name| value_of(&values, name)) {
                        Some(true) => then,
                        _ => otherwise,
                    };
                    instances += self.through(taken, weight)?;
                }
                Site::Leaf { user, runs, looks, seen } => {
                    *runs += weight;
                    instances += weight;
                    if *looks < N_LOOKS {
                        *looks += 1;
                        self.look(user, seen)?;
                    }
                }
            }
        }
        Ok(instances)
    }

    /// Asks whether threads pay for a loop here.
    fn ask(&self, node: &For, weight: f64, asked: &mut Asked) {
        let Some(work) = &node.info.threads else { return };
        let values = self.values(None);
        let Some(sum) = work.sum(&|name| value_of(&values, name)) else { return };
        asked.work += weight * sum;
        if sum > work.above as f64 {
            asked.on_threads += weight;
        }
    }

    /// How often a loop runs here.
    fn trips(&self, node: &For) -> i64 {
        let values = self.values(None);
        let value = |name: &str| value_of(&values, name);
        let (Some(first), Some(end)) = (node.first.eval(&value), node.end.eval(&value)) else {
            return 0;
        };
        let (distance, step) =
            if node.step > 0 { (end - first, node.step) } else { (first - end, -node.step) };
        (distance.max(0) + step - 1) / step
    }

    /// Where between the first and the last iteration of a loop this run goes on.
    fn fraction(&self, id: usize) -> f64 {
        // Square roots of primes are independent enough of each other.
        const PRIMES: [f64; 12] =
            [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0];
        let along = PRIMES[self.path.len() % PRIMES.len()].sqrt();
        (f64::from(self.run + 1) * along + id as f64 * 0.618_033_988_75).fract()
    }

    /// The values of parameters and of the iterators around the place, with one more iteration of the loop `moved`; inner loops
    /// stay in the same of their iterations.
    fn values(&self, moved: Option<usize>) -> Vec<(&'a str, i64)> {
        let mut values = self.params.clone();
        for (node, id, at) in &self.path {
            let at = at + i64::from(moved == Some(*id));
            let first = node.first.eval(&|name| value_of(&values, name)).unwrap_or(0);
            values.push((node.iterator.as_str(), first + node.step * at));
        }
        values
    }

    /// The instance of a statement here, or after one more iteration of a loop.
    fn instance(&self, user: &User, moved: Option<usize>) -> Option<Vec<i64>> {
        let values = self.values(moved);
        user.args.iter().map(|arg| arg.eval(&|name| value_of(&values, name))).collect()
    }

    /// Looks at the references of a statement.
    fn look(&self, user: &User, seen: &mut Vec<Seen>) -> Result<()> {
        let Some(here) = self.instance(user, None) else { return Ok(()) };
        let subscripts = &self.subscripts[user.stmt];
        seen.resize_with(subscripts.len(), Seen::default);
        let mut before = Vec::new();
        for (subscripts, seen) in subscripts.iter().zip(seen.iter_mut()) {
            let at = subscripts.at(&here)?;
            if seen.at.is_none() {
                seen.at.clone_from(&at);
            }
            before.push(at);
        }
        for (_, id, _) in &self.path {
            let Some(there) = self.instance(user, Some(*id)) else { continue };
            for ((subscripts, seen), before) in subscripts.iter().zip(seen.iter_mut()).zip(&before)
            {
                let (Some(before), Some(after)) = (before, subscripts.at(&there)?) else {
                    continue;
                };
                let step = after.iter().zip(before).map(|(a, b)| a - b).collect();
                *seen.steps.entry(*id).or_default().entry(step).or_default() += 1;
            }
        }
        Ok(())
    }
}

/// The iteration of `n` that a run takes which is at a fraction of all, and for how many it stands.
fn chosen(fraction: f64, n: i64, is_tested: bool) -> (i64, f64) {
    let among = |n: i64, fraction: f64| ((fraction * n as f64) as i64).clamp(0, n - 1);
    if !is_tested || n < 3 {
        return (among(n, fraction), n as f64);
    }
    let middle = 1.0 - 2.0 * AT_END;
    match fraction - AT_END {
        before if before < 0.0 => (0, 1.0 / AT_END),
        along if along < middle => (1 + among(n - 2, along / middle), (n - 2) as f64 / middle),
        _ => (n - 1, 1.0 / AT_END),
    }
}

/// Adds the instances of one iteration of `n` to the equal parts of all that it is in.
fn share(at: i64, n: i64, instances: f64, along: &mut Along) {
    let scale = N_PARTS as f64 / n as f64;
    let (first, end) = (scale * at as f64, scale * (at + 1) as f64);
    let parts = along.iter_mut().enumerate().skip(first as usize);
    for (part, sum) in parts.take_while(|(part, _)| (*part as f64) < end) {
        let inside = end.min(part as f64 + 1.0) - first.max(part as f64);
        *sum += instances * inside.max(0.0) / scale;
    }
}

/// The value of a name; inner ones hide outer ones.
fn value_of(values: &[(&str, i64)], name: &str) -> Option<i64> {
    values.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The code that was run at all, `runs` times.
fn parts(scop: &Scop, sites: &[Site<'_>], runs: f64, trips: &mut [f64]) -> Vec<Part> {
    let mut found = Vec::new();
    for site in sites {
        match site {
            Site::Loop { node, id, starts, iterations, asked, is_tested, body, .. }
                if *iterations > 0.0 =>
            {
                trips[*id] = iterations / starts;
                let body = parts(scop, body, *iterations, trips);
                let on_threads = asked.on_threads / starts;
                let rates = (starts / runs, on_threads);
                found.push(Part::Loop(counted_loop((scop, node), *id, rates, *is_tested, body)));
            }
            Site::Guard { then, otherwise, .. } => {
                found.extend(parts(scop, then, runs, trips));
                found.extend(parts(scop, otherwise, runs, trips));
            }
            Site::Leaf { user, runs: n, seen, .. } if *n > 0.0 => {
                let references = references(&scop.stmts()[user.stmt], scop, seen);
                found.push(Part::Leaf(Leaf { stmt: user.stmt, rate: n / runs, references }));
            }
            Site::Loop { .. } | Site::Leaf { .. } => {}
        }
    }
    found
}

/// The sums that say whether threads pay for loops, on average over their starts, and the instances along their iterations, by the loops' numbers.
fn list_works(sites: &[Site<'_>], works: &mut [f64], all_along: &mut [Along]) {
    for site in sites {
        match site {
            Site::Loop { id, starts, asked, along, body, .. } => {
                works[*id] = if *starts > 0.0 { asked.work / starts } else { 0.0 };
                all_along[*id] = **along;
                list_works(body, works, all_along);
            }
            Site::Guard { then, otherwise, .. } => {
                list_works(then, works, all_along);
                list_works(otherwise, works, all_along);
            }
            Site::Leaf { .. } => {}
        }
    }
}

/// The conditions in a body that is tested in each iteration.
fn guards<'a>(nodes: &'a [Node], into: &mut Vec<&'a Cond>) {
    for node in nodes {
        if let Node::If(node) = node {
            into.push(&node.condition);
            guards(&node.then, into);
            guards(&node.otherwise, into);
        }
    }
}

/// Whether guards among some nodes, or in loops there, depend on an iterator.
fn tests(nodes: &[Node], iterator: &str) -> bool {
    nodes.iter().any(|node| match node {
        Node::For(node) => tests(&node.body, iterator),
        Node::If(node) => {
            mentions(&node.condition, iterator)
                || tests(&node.then, iterator)
                || tests(&node.otherwise, iterator)
        }
        Node::User(_) => false,
        Node::Block(node) => tests(&node.body, iterator),
    })
}

/// Whether a condition depends on an iterator.
pub(crate) fn mentions(condition: &Cond, iterator: &str) -> bool {
    let mut found = false;
    condition.for_each_name(&mut |name, _| found |= name == iterator);
    found
}

/// How many copies of a body there are where its loop is written out, and those in it that are; `None` where others are in it.
fn written_out(constant_trips: Option<u64>, body: &[Part]) -> Option<u64> {
    let inside = body.iter().try_fold(1, |most: u64, part| match part {
        Part::Leaf(_) => Some(most),
        Part::Loop(inner) if inner.is_unrolled => {
            Some(most.max(written_out(inner.constant_trips, &inner.body)?))
        }
        Part::Loop(_) => None,
    });
    constant_trips?.checked_mul(inside?)
}

/// A loop that starts at this rate, a part of the times on threads if that is asked.
fn counted_loop(
    (scop, node): (&Scop, &For),
    id: usize,
    (rate, on_threads): (f64, f64),
    is_tested: bool,
    body: Vec<Part>,
) -> Loop {
    let kind = node.info.kind;
    let asks_for_threads = kind.is_parallel() && node.info.threads.is_some();
    let distance = node.end.minus(&node.first).as_int();
    let mut tested = Vec::new();
    guards(&node.body, &mut tested);
    let constant = distance.and_then(|d| u64::try_from(d * node.step.signum()).ok());
    let constant_trips = constant.map(|d| d.div_ceil(node.step.unsigned_abs()));
    let is_peeled = written_out(constant_trips, &body).is_some_and(|copies| copies <= MAX_PEELED);
    Loop {
        id,
        rate,
        constant_trips,
        on_threads: match asks_for_threads {
            true => on_threads,
            false => f64::from(kind.is_parallel()),
        },
        asks_for_threads,
        is_independent: node.info.coincident || kind.is_vector(),
        is_sum: kind.is_vector() && !node.info.reduced.is_empty(),
        is_vector: kind.is_vector(),
        is_unrolled: kind == LoopKind::Unrolled || is_peeled,
        is_rare: node.decisions(scop).is_some(),
        n_guards: tested.len(),
        n_shared: node.shared_inside().len(),
        is_tested,
        is_guarded: tested.iter().any(|condition| mentions(condition, &node.iterator)),
        body,
    }
}

/// The references of a statement as they were seen.
fn references(stmt: &Statement, scop: &Scop, seen: &[Seen]) -> Vec<Moves> {
    let mut found = Vec::new();
    for ((id, access), seen) in stmt.accesses.ids().zip(&stmt.accesses).zip(seen) {
        if access.kind == AccessKind::Kill {
            continue;
        }
        // What is seen most often is what holds away from the ends of loops.
        let usual = |(id, steps): (&usize, &BTreeMap<Vec<i64>, u32>)| {
            let (step, _) = steps.iter().max_by_key(|(_, n)| **n)?;
            step.iter().any(|&s| s != 0).then(|| (*id, step.clone()))
        };
        let array = &scop.arrays()[access.array];
        found.push(Moves {
            access: id,
            array: access.array,
            element_bytes: array.element.kind.size_bytes().unwrap_or(8),
            is_write: access.kind.is_write(),
            steps: seen.at.is_some().then(|| seen.steps.iter().filter_map(usual).collect()),
            at: seen.at.clone().unwrap_or_default(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::chosen;

    /// Runs that are spread evenly count each iteration of a loop once.
    #[test]
    fn iterations_count_alike() {
        const N: u32 = 100_000;
        for (n, is_tested) in [(1, true), (2, true), (3, true), (10, true), (10, false)] {
            let mut counts = vec![0.0; n as usize];
            for run in 0..N {
                let (at, stands_for) = chosen(f64::from(run) / f64::from(N), n, is_tested);
                counts[at as usize] += stands_for / f64::from(N);
            }
            assert!(counts.iter().all(|count| (count - 1.0_f64).abs() < 0.01), "{n} {counts:?}");
        }
    }
}
