//! `isl` keeps the parallelism that isl's own scheduler finds, on every program of `kernels/`.
//!
//! The measure is taken statement by statement: how many of the loops around it are coincident, and how many of these have no
//! other loop around them. A member of a band that a statement runs through at one iteration, or in step with loops outside of it,
//! is no loop of the statement's. There are no exceptions.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;

use common::repository;
use farkas::{Options, ReadOptions, Session, Strategy, analyze, decide, read};
use farkas_deps::{DependenceKind, Dependences, legality};
use farkas_poly::{DimType, PwAff, ScheduleConstraints, SchedulerOptions, UnionMap};
use farkas_schedule::{Isl, IslOptions, ScheduleOptions, Span, schedule};
use farkas_scop::{Scop, Statement, linear_part};
use farkas_tree::{Band, Node, ScheduleTree};
use std::path::{Path, PathBuf};

#[test]
fn isl_keeps_what_isls_scheduler_finds() {
    let kernels = kernels();
    assert!(kernels.len() >= 64, "{kernels:?}");
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = |first: usize| kernels.iter().skip(first).step_by(n_threads);
    let lost_by = |first: usize| share(first).flat_map(|path| losses(path)).collect::<Vec<_>>();
    let lost: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..n_threads).map(|first| scope.spawn(move || lost_by(first))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(lost.is_empty(), "\n{}", lost.join("\n"));
}

#[test]
fn fusion_at_any_price_would_lose_it() {
    // 3mm in one loop around all products, in which one of them sums; what sets its result to zero runs at one iteration.
    let scop = scop(&repository().join("kernels/3mm.c"));
    let deps = dependences(&scop);
    let [lost, kept] = [false, true].map(|maximize_coincidence| {
        let options = IslOptions { maximize_coincidence, ..IslOptions::default() };
        found(&scop, &ours(&scop, &deps, options))
    });
    assert!(kept.iter().all(|loops| *loops == Coincident { n_outer: 2, n: 2 }), "{kept:?}");
    assert_eq!(lost.iter().filter(|loops| loops.n_outer == 0).count(), 5, "{lost:?}");
}

/// The coincident loops around a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Coincident {
    /// Those inside of no other loop of the statement's that is not coincident.
    n_outer: usize,
    /// All of them.
    n: usize,
}

/// The programs of `kernels/`.
fn kernels() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository().join("kernels")).expect("the folder of kernels");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    paths.sort();
    paths
}

/// The statements of a kernel that have fewer coincident loops under our scheduler than under isl's: `isl` against `libisl` and
/// isl as it is, whose options do not ask for parallelism; and the same without live ranges, which isl is not told of.
fn losses(path: &Path) -> Vec<String> {
    let scop = scop(path);
    let deps = dependences(&scop);
    let [isl, libisl] = ["isl", "libisl"].map(|name| by_name(&scop, &deps, name));
    let unaware = IslOptions { maximize_coincidence: true, ..IslOptions::default() };
    let ours = [("isl", isl), ("isl without live ranges", ours(&scop, &deps, unaware))];
    let theirs = [("libisl", libisl), ("isl's defaults", theirs(&scop, &deps))];
    let [ours, theirs] =
        [ours, theirs].map(|both| both.map(|(name, tree)| (name, found(&scop, &tree))));
    let kernel = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut lost = Vec::new();
    for (our_name, ours) in &ours {
        for (their_name, theirs) in &theirs {
            for ((stmt, ours), theirs) in scop.stmts().iter().zip(ours).zip(theirs) {
                if ours.n < theirs.n || ours.n_outer < theirs.n_outer {
                    let name = &stmt.name;
                    lost.push(format!(
                        "{kernel}, {name}: {our_name} {ours:?}, {their_name} {theirs:?}"
                    ));
                }
            }
        }
    }
    lost
}

/// The region of a kernel.
fn scop(path: &Path) -> Scop {
    let mut input = read(path, &ReadOptions::default()).expect("a readable file");
    assert_eq!(input.regions.len(), 1, "{}", path.display());
    input.regions.remove(0).scop
}

/// The dependences that both schedulers keep.
fn dependences(scop: &Scop) -> Dependences {
    analyze(scop, &Options::default(), &mut Session::default()).expect("dependences")
}

/// The schedule by a strategy's name.
fn by_name(scop: &Scop, deps: &Dependences, name: &str) -> ScheduleTree {
    let strategy = Strategy::from_name(name).expect("a strategy");
    let options = Options { strategy, ..Options::default() };
    decide(scop, deps, &options, &mut Session::default()).expect("a schedule").tree
}

/// Our schedule under isl's options.
fn ours(scop: &Scop, deps: &Dependences, options: IslOptions) -> ScheduleTree {
    schedule(scop, deps, &mut Isl::new(options), &ScheduleOptions::default())
        .expect("a schedule")
        .tree
}

/// isl's schedule with all its options as they are.
fn theirs(scop: &Scop, deps: &Dependences) -> ScheduleTree {
    let flow = deps.deps.iter().filter(|dep| dep.kind == DependenceKind::Flow);
    let find = || -> farkas_poly::Result<_> {
        let validity = UnionMap::union_all(deps.validity().map(|(_, dep)| dep.relation.clone()))?;
        let atomicity = deps.atomicity().map(|(_, dep)| dep.relation.clone());
        let atomicity = UnionMap::union_all(atomicity)?;
        let flow = UnionMap::union_all(flow.map(|dep| dep.relation.clone()))?;
        ScheduleConstraints::on_domain(&scop.domain()?)?
            .set_validity(&validity)?
            .set_coincidence(&atomicity)?
            .set_proximity(&flow)?
            .set_context(scop.context())?
            .compute_schedule(SchedulerOptions::default())
    };
    ScheduleTree::from_isl(&find().expect("a schedule")).expect("a tree")
}

/// The coincident loops of `tree`, which is legal, around each statement.
fn found(scop: &Scop, tree: &ScheduleTree) -> Vec<Coincident> {
    assert!(legality::check(scop, tree).expect("a verdict").is_legal(), "{tree}");
    let of_stmt = |stmt: &Statement| {
        let loops = loops_around(tree, &stmt.name, Span::new(stmt.iterators.len()));
        let n_outer = loops.iter().take_while(|is_coincident| **is_coincident).count();
        Coincident { n_outer, n: loops.iter().filter(|is_coincident| **is_coincident).count() }
    };
    scop.stmts().iter().map(of_stmt).collect()
}

/// Whether each of the loops of `tree` around a statement is coincident, inside loops whose rows span `outer`.
fn loops_around(tree: &ScheduleTree, stmt: &str, mut outer: Span) -> Vec<bool> {
    let mut loops = Vec::new();
    match tree.node() {
        Node::Band { band, .. } => loops = loops_of(band, stmt, &mut outer),
        Node::Filter { filter, .. } => {
            let sets = filter.sets().expect("sets");
            if !sets.iter().any(|set| set.tuple_name().as_deref() == Some(stmt)) {
                return loops;
            }
        }
        _ => {}
    }
    let inner = tree.children().iter().map(|child| loops_around(child, stmt, outer.clone()));
    loops.extend(inner.max_by_key(Vec::len).unwrap_or_default());
    loops
}

/// The same of one band.
fn loops_of(band: &Band, stmt: &str, outer: &mut Span) -> Vec<bool> {
    let mut loops = Vec::new();
    for member in &band.members {
        let parts = member.schedule.pw_affs().expect("parts");
        let is_of_stmt = |part: &&PwAff| {
            let space = part.domain_space().expect("a space");
            space.tuple_name(DimType::SET).as_deref() == Some(stmt)
        };
        let row = parts.iter().find(is_of_stmt).map(|part| {
            linear_part(part).expect("coefficients").expect("rows of bands are affine")
        });
        if row.is_some_and(|row| outer.insert(&row)) {
            loops.push(member.coincident);
        }
    }
    loops
}
