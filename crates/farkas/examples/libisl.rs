//! The strategy `isl` against isl's own scheduler, kernel by kernel:
//! `cargo run -p farkas --example libisl [-- [--fuse WORD] [--deps memory] FILE…]`; without a file the
//! programs of `kernels/`, with files the trees that differ are printed.
//!
//! A region is equal when isl's `plain_is_equal` says so once sequences and sets are left aside: the same statements share
//! the same bands of the same members with the same marks, whatever runs in which order between bands (isl before 0.26
//! makes no set nodes within what dependences join). Else it may be the sharing that is the same: which statements share
//! bands of how many members.
//!
//! 47 of the 64 kernels are equal, 54 with flow by memory (under `smart` 30 and 30). The others:
//!
//! - isl is not told of live ranges: `conv2d`, `deriche`, `doitgen`, `hmm-smoothing`, `symm` and `trinv`, where ours have more
//!   parallel loops, are equal without them.
//! - Of edges of equal weight and distance, isl takes the first that its hash tables have; so `attention`, `camera-pipe`,
//!   `correlation`, `covariance`, `gated-unit` and `thomas` combine other clusters first, which leaves other clusters to be
//!   combined.
//! - Of rows of equal cost, isl takes the first that its search comes to, which begins with the statement that its hash
//!   tables have first: `heat-ring`, `nussinov`, `sliding-dot`. In `variogram` the opposite row costs the same and runs upward,
//!   which ours prefers.
//! - isl takes an edge without pairs, which it does not see to have none, for a short one: `ludcmp`.
//!
//! That no statement has fewer parallel loops under `isl` is a test, `tests/parallelism.rs`.
#![allow(clippy::print_stdout, reason = "a table for people")]

use farkas::{Decided, Options, ReadOptions, Session, Strategy, analyze, decide, read};
use farkas_deps::FlowBy;
use farkas_poly::DimType;
use farkas_schedule::FusionHeuristic;
use farkas_tree::{Node, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options { strategy: Strategy::Isl, ..Options::default() };
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--fuse" => options.fusion = Some(fusion(&args.next().unwrap_or_default())?),
            "--deps" => {
                args.next();
                options.flow = FlowBy::Memory;
            }
            _ => paths.push(arg.into()),
        }
    }
    let is_shown = !paths.is_empty();
    if !is_shown {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
        let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
        paths = entries.into_iter().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "c"));
        paths.sort();
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let verdict = compare(path, &options, is_shown).unwrap_or_else(|error| error.to_string());
        println!("{name:<24} {verdict}");
        *counts.entry(verdict).or_default() += 1;
    }
    counts.iter().for_each(|(verdict, n)| println!("{n:3} {verdict}"));
    Ok(())
}

/// A heuristic by its name.
fn fusion(word: &str) -> Result<FusionHeuristic, String> {
    Ok(match word {
        "smart" => FusionHeuristic::Smart,
        "max" => FusionHeuristic::Max,
        "no" => FusionHeuristic::No,
        "cluster" => FusionHeuristic::Cluster,
        _ => return Err(format!("unknown heuristic {word}")),
    })
}

/// How the trees of all regions of a file compare.
fn compare(path: &Path, options: &Options, is_shown: bool) -> Result<String, Box<dyn Error>> {
    let input = read(path, &ReadOptions::default()).map_err(|_| "the file cannot be read")?;
    let mut verdict = "equal";
    for region in &input.regions {
        let options = options.clone().of_file(&input.source);
        let theirs = Options { strategy: Strategy::Libisl, fusion: None, ..options.clone() };
        let mut session = Session::default();
        let deps = analyze(&region.scop, &options, &mut session)?;
        let Decided { tree: ours, scheduled, .. } =
            decide(&region.scop, &deps, &options, &mut session)?;
        let theirs = decide(&region.scop, &deps, &theirs, &mut session)?.tree;
        let (a, b) = (bands(&ours)?, bands(&theirs)?);
        if a == b {
            continue;
        }
        let shared = |bands: &BTreeSet<Bands>| bands.iter().map(shares).collect::<BTreeSet<_>>();
        verdict = if shared(&a) == shared(&b) { "same sharing" } else { "differs" };
        if is_shown {
            let report = scheduled.map(|s| s.report.to_string()).unwrap_or_default();
            println!("ours:\n{ours}\n{report}isl's:\n{theirs}");
        }
    }
    Ok(verdict.to_owned())
}

/// A band with those inside it, or below a sequence or set.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Bands {
    /// For each statement its functions, one a member.
    functions: BTreeMap<String, Vec<String>>,
    coincident: Vec<bool>,
    permutable: bool,
    inner: BTreeSet<Bands>,
}

/// The outermost bands of a tree.
fn bands(tree: &ScheduleTree) -> Result<BTreeSet<Bands>, Box<dyn Error>> {
    let Node::Band { band, child } = tree.node() else {
        let mut all = BTreeSet::new();
        for child in tree.children() {
            all.append(&mut bands(child)?);
        }
        return Ok(all);
    };
    let mut functions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for member in &band.members {
        for part in member.schedule.pw_affs()? {
            let name = part.domain_space()?.tuple_name(DimType::SET).unwrap_or_default();
            functions.entry(name).or_default().push(part.to_string());
        }
    }
    let coincident = band.members.iter().map(|member| member.coincident).collect();
    let permutable = band.permutable;
    Ok(BTreeSet::from([Bands { functions, coincident, permutable, inner: bands(child)? }]))
}

/// Which statements share bands, and how many members those have.
fn shares(bands: &Bands) -> (BTreeSet<String>, usize, Vec<String>) {
    let inner = bands.inner.iter().map(|inner| format!("{:?}", shares(inner))).collect();
    (bands.functions.keys().cloned().collect(), bands.coincident.len(), inner)
}
