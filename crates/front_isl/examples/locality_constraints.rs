//! Prints the first region of a C file as schedule constraints with tagged proximity, as the published isl fork of the
//! locality model (Inria RR-9110) reads them; `--times` instead compares how long dependences and locality take:
//! `cargo run --release -p farkas-front-isl --example locality_constraints -- [--times] FILE.c...`
//!
//! - `proximity` and `spatial_proximity`: `[S[i] -> read_S0_a1[]] -> [T[j] -> must_write_S1_a0[]]`. A relation that
//!   stands for several accesses has the tags of those of its statements with the same subscripts as the one that it names.
//! - `counted_accesses`: `[S[i] -> read_S0_a1[]] -> A[i]`.
//! - `validity` and `coincidence`: flow by value, anti and output dependences.
#![allow(clippy::print_stdout, reason = "a developer's tool")]

use farkas::{ReadOptions, read};
use farkas_deps::{
    DependenceOptions, Dependences, Locality, LocalityOptions, Reuse, ReuseRelation, dependences,
    locality,
};
use farkas_poly::{Map, Set, UnionMap};
use farkas_scop::{AccessId, Scop, StmtId};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    for path in files {
        let input =
            read(Path::new(&path), &ReadOptions::default()).map_err(|d| d.message.clone())?;
        let Some(region) = input.regions.first() else { return Err("no region".into()) };
        let scop = &region.scop;
        let deps = dependences(scop, DependenceOptions::default())?;
        let found = locality(scop, &deps, &LocalityOptions::default())?;
        if flags.contains(&"--times".to_owned()) {
            print_times(scop, &deps, &found)?;
        } else {
            print_constraints(scop, &deps, &found)?;
        }
    }
    Ok(())
}

/// Prints the constraints.
fn print_constraints(
    scop: &Scop,
    deps: &Dependences,
    found: &Locality,
) -> Result<(), Box<dyn Error>> {
    let validity = UnionMap::union_all(deps.validity().map(|(_, dep)| dep.relation.clone()))?;
    let mut counted = Vec::new();
    for reference in &found.references {
        let (stmt, access) = (reference.stmt, reference.access);
        let relation = &scop.stmts()[stmt].accesses[access].relation;
        let touched = relation.intersect_domain(&scop.domain_of(stmt)?)?.reverse()?;
        let tags = Map::from_domain_and_range(&touched.domain()?, &tag(scop, stmt, access)?)?;
        counted.push(touched.range_product(&tags)?.reverse()?);
    }
    println!("domain: \"{}\"", scop.domain()?);
    println!("context: \"{}\"", scop.context());
    println!("validity: \"{validity}\"");
    println!("coincidence: \"{validity}\"");
    println!("proximity: \"{}\"", tagged(scop, found, Reuse::Temporal)?);
    println!("spatial_proximity: \"{}\"", tagged(scop, found, Reuse::Spatial)?);
    println!("counted_accesses: \"{}\"", UnionMap::union_all(counted)?);
    Ok(())
}

/// The relations about `reuse`, tagged.
fn tagged(scop: &Scop, found: &Locality, reuse: Reuse) -> Result<UnionMap, Box<dyn Error>> {
    let mut maps = Vec::new();
    for relation in found.relations.iter().filter(|r| r.reuse == reuse) {
        for source in alike(scop, relation, relation.source, relation.source_access) {
            for sink in alike(scop, relation, relation.sink, relation.sink_access) {
                let tags = [(relation.source, source), (relation.sink, sink)];
                let [from, to] = tags.map(|(stmt, access)| tag(scop, stmt, access));
                maps.push(relation.pairs.product(&Map::from_domain_and_range(&from?, &to?)?)?);
            }
        }
    }
    Ok(UnionMap::union_all(maps)?)
}

/// The accesses of `stmt` that `access` stands for in `relation`: those that touch the same elements, and of temporal reuse do
/// the same.
fn alike(scop: &Scop, relation: &ReuseRelation, stmt: StmtId, access: AccessId) -> Vec<AccessId> {
    let accesses = &scop.stmts()[stmt].accesses;
    let is_alike = |other: &AccessId| {
        let (a, b) = (&accesses[access], &accesses[*other]);
        let same = relation.reuse == Reuse::Spatial || a.kind == b.kind;
        access == *other || same && a.array == b.array && a.relation == b.relation
    };
    accesses.ids().filter(is_alike).collect()
}

/// The tag of an access.
fn tag(scop: &Scop, stmt: StmtId, access: AccessId) -> Result<Set, Box<dyn Error>> {
    let kind = scop.stmts()[stmt].accesses[access].kind.name().replace('-', "_");
    Ok(format!("{{ {kind}_{stmt}_{access}[] }}").parse()?)
}

/// Prints how long the analyses take.
fn print_times(scop: &Scop, deps: &Dependences, found: &Locality) -> Result<(), Box<dyn Error>> {
    let options = LocalityOptions::default();
    let first = best(|| dependences(scop, DependenceOptions::default()).map(drop))?;
    let second = best(|| locality(scop, deps, &options).map(drop))?;
    println!(
        "{:25} {:5} dependences {first:>10.2?} {:5} relations {second:>10.2?} {:5.2}",
        scop.name(),
        deps.deps.len(),
        found.relations.len(),
        second.as_secs_f64() / first.as_secs_f64()
    );
    Ok(())
}

/// The best of several runs.
fn best<E>(mut run: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut best = Duration::MAX;
    for _ in 0..10 {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}
