//! `locality-cpu` finds one schedule whatever the order of loops in the source: each kernel is written anew with the loops of
//! its perfect nests in every order that is legal, and again with a nest of its own for each statement, where that is.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;

use common::orders::{distributed, permutations};
use common::repository;
use farkas::{
    Input, Options, ReadOptions, Session, Strategy, analyze, decide, generate, read, splice,
};
use farkas_codegen::Target;
use farkas_deps::legality;
use farkas_poly::{DimType, PwAff};
use farkas_scop::{Scop, linear_part};
use farkas_tree::{Band, Node, Program, ScheduleTree, original_tree};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// More orders of one kernel are not looked at.
const MAX_ORDERS: usize = 400;

macro_rules! kernels {
    ($($test:ident: $name:literal, $orders:literal;)*) => {
        $(#[test] #[ignore = "long"] fn $test() { assert_eq!(check($name), $orders, "legal orders"); })*
    };
}

kernels! {
    gemm: "gemm", 14;
    two_mm: "2mm", 148;
    three_mm: "3mm", 408;
    gemver: "gemver", 10;
    mvt: "mvt", 4;
    jacobi_2d: "jacobi-2d", 4;
    heat_3d: "heat-3d", 36;
    fdtd_2d: "fdtd-2d", 8;
    tensor_contraction: "tensor-contraction", 202;
    syr2k: "syr2k", 14;
}

/// Schedules a kernel in all orders of its loops; returns how many orders are legal.
fn check(name: &str) -> usize {
    let input = read_file(&repository().join(format!("kernels/{name}.c")));
    let region = &input.regions[0];
    let tree = original_tree(&region.scop).expect("the original order");
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut n_legal = 0;
    let apart = distributed(&region.scop, &tree);
    let bases = if apart == tree { vec![tree] } else { vec![tree, apart] };
    for order in bases.iter().flat_map(orders) {
        let is_legal = legality::check(&region.scop, &order).expect("a verdict").is_legal();
        if !is_legal {
            continue;
        }
        n_legal += 1;
        let text = rewritten(&input, &order);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kernel.c");
        std::fs::write(&path, &text).expect("written");
        found.entry(schedule(&read_file(&path))).or_insert(text);
    }
    let schedules: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(schedules.len(), 1, "{name} has several schedules:\n{}", schedules.join("\n---\n"));
    n_legal
}

/// A C file, the kernels' headers at hand.
fn read_file(path: &Path) -> Input {
    let include = format!("-I{}", repository().join("kernels").display());
    let options = ReadOptions { cpp_args: vec![include], ..ReadOptions::default() };
    let input = read(path, &options).expect("readable");
    assert!(!input.has_errors(), "{:?}", input.diagnostics);
    input
}

/// The file with its region in another order.
fn rewritten(input: &Input, tree: &ScheduleTree) -> String {
    let region = &input.regions[0];
    let program = Program::new(&region.scop, tree.clone());
    let ast = generate(region, &program, &mut Session::default()).expect("loops");
    let options = farkas_codegen::Options { target: Target::C, ..Default::default() };
    let code = farkas_codegen::print_region(&region.scop, &ast, &options);
    splice(&input.source, &[(region.span, format!("#pragma scop\n{code}#pragma endscop\n"))])
}

/// What `locality-cpu` makes of a file, iterators by their names.
fn schedule(input: &Input) -> String {
    let scop = &input.regions[0].scop;
    let strategy = Strategy::from_name("locality-cpu").expect("a strategy");
    let options = Options { strategy, ..Options::default() };
    let mut session = Session::default();
    let deps = analyze(scop, &options, &mut session).expect("dependences");
    let tree = decide(scop, &deps, &options, &mut session).expect("a schedule").tree;
    let mut text = String::new();
    print(scop, &tree, 0, &mut text);
    text
}

/// All trees in which the members of each chain of bands stand in another order, the first `MAX_ORDERS`.
fn orders(tree: &ScheduleTree) -> Vec<ScheduleTree> {
    let mut members = Vec::new();
    let mut below = tree;
    while let Node::Band { band, child } = below.node() {
        members.extend(band.members.iter().cloned());
        below = child;
    }
    if members.is_empty() {
        let mut choices: Vec<Vec<ScheduleTree>> = vec![Vec::new()];
        for child in tree.children() {
            let of_child = orders(child);
            let longer = |so_far: &Vec<ScheduleTree>| {
                of_child
                    .iter()
                    .map(|c| [so_far.as_slice(), std::slice::from_ref(c)].concat())
                    .collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(longer).take(MAX_ORDERS).collect();
        }
        if tree.children().is_empty() {
            return vec![tree.clone()];
        }
        return choices.into_iter().map(|children| tree.with_children(children)).collect();
    }
    let inner = orders(below);
    let mut all = Vec::new();
    for order in permutations(&members) {
        for inner in &inner {
            let bands = order.iter().rev().fold(inner.clone(), |child, member| {
                let band = Band { members: vec![member.clone()], permutable: false };
                ScheduleTree::band(band, child)
            });
            all.push(bands);
        }
    }
    all.truncate(MAX_ORDERS);
    all
}

/// A tree in which nothing depends on the order of iterators in tuples.
fn print(scop: &Scop, tree: &ScheduleTree, depth: usize, out: &mut String) {
    let margin = "  ".repeat(depth);
    match tree.node() {
        Node::Band { band, .. } => {
            let _ = write!(out, "{margin}band permutable {}:", band.permutable);
            for member in &band.members {
                let mut parts: Vec<String> = member
                    .schedule
                    .pw_affs()
                    .expect("parts")
                    .iter()
                    .map(|p| row(scop, p))
                    .collect();
                parts.sort();
                let mark = if member.coincident { " parallel" } else { "" };
                let _ = write!(out, " [{}{mark}]", parts.join(", "));
            }
            out.push('\n');
        }
        Node::Filter { filter, .. } => {
            let names: BTreeSet<String> = filter
                .sets()
                .expect("sets")
                .iter()
                .filter_map(farkas_poly::Set::tuple_name)
                .collect();
            let names: Vec<String> = names.into_iter().collect();
            let _ = writeln!(out, "{margin}{}", names.join(" "));
        }
        Node::Leaf | Node::Domain { .. } => {}
        _ => {
            let _ = writeln!(out, "{margin}{}", tree.kind());
        }
    }
    for child in tree.children() {
        print(scop, child, depth + 1, out);
    }
}

/// `S1: 1 i + 1 k`, iterators sorted by name.
fn row(scop: &Scop, part: &PwAff) -> String {
    let name = part.domain_space().expect("a space").tuple_name(DimType::SET).expect("a name");
    let stmt = scop.stmts().iter().find(|stmt| stmt.name == name).expect("a statement");
    let row = linear_part(part).expect("linear").expect("affine");
    let iterators = stmt.iterators.iter().map(|iterator| iterator.name.as_str());
    let terms: BTreeMap<&str, i64> = iterators.zip(row).filter(|(_, c)| *c != 0).collect();
    let terms: Vec<String> = terms.iter().map(|(name, c)| format!("{c} {name}")).collect();
    format!("{name}: {}", terms.join(" + "))
}
