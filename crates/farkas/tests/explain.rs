//! What `explain` says of the loops of all kernels, against what their emitted programs do.

mod common;

use common::repository;
use farkas::explain::{Carried, explain};
use farkas::pipeline::{Optimized, optimize};
use farkas::{Input, Options, ReadOptions, Strategy, read};
use farkas_astgen::For;
use farkas_front_c::ScopRegion;

/// Every region of every kernel that `wanted` names under `pluto` with register tiles, with its explanation.
fn for_each_region(
    wanted: impl Fn(&str) -> bool,
    check: impl Fn(&str, &ScopRegion, &Optimized, &str),
) {
    let folder = repository().join("kernels");
    let entries = std::fs::read_dir(folder).expect("the kernels");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "c"));
    paths.sort();
    assert!(paths.len() >= 60);
    for path in paths {
        let input: Input = read(&path, &ReadOptions::default()).expect("a readable kernel");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !wanted(&name) {
            continue;
        }
        for region in &input.regions {
            let options =
                Options { strategy: Strategy::Pluto, register: true, ..Options::default() };
            let options = options.of_file(&input.source);
            let optimized = optimize(region, &options).expect("a result");
            let text = explain(&input, region, &options, &optimized).expect("an explanation");
            check(&name, region, &optimized, &text);
        }
    }
}

/// The loops of a result, in the order in which they are printed.
fn loops(optimized: &Optimized) -> Vec<For> {
    let mut found = Vec::new();
    let mut visit = |node: &For| found.push(node.clone());
    optimized.ast.body.iter().for_each(|node| node.for_each_loop(&mut visit));
    found
}

/// Loops over tiles of sums, and the sums themselves, carry what their buffers and stores do; loops on threads carry nothing,
/// as the comments of the emitted code say, too.
#[test]
fn every_sentence_is_true() {
    for_each_region(
        |_| true,
        |name, region, optimized, text| {
            assert!(!text.contains("()"), "{name}: an empty distance:\n{text}");
            assert!(!text.contains("too little work"), "{name}: nobody decided that:\n{text}");
            let carried = Carried::of(region, optimized).expect("what loops carry");
            let lines: Vec<&str> =
                text.lines().filter(|l| l.trim_start().starts_with("for `")).collect();
            let loops = loops(optimized);
            assert_eq!(lines.len(), loops.len(), "{name}:\n{text}");
            for (node, line) in loops.iter().zip(lines) {
                let blockers = carried.blockers(&optimized.scop, node).unwrap_or_default();
                assert_eq!(line.contains("not parallel"), !blockers.is_empty(), "{name}: {line}");
                assert_eq!(line.contains(": parallel"), node.info.parallel, "{name}: {line}");
                assert!(!node.info.parallel || blockers.is_empty(), "{name}: {line}");
            }
        },
    );
}

/// A sum whose operands are packed: what its loops over the summed dimension carry goes through the buffer of its results.
#[test]
fn sums_under_register_tiles_are_not_parallel() {
    for_each_region(
        |name| name == "gemm",
        |_, _, optimized, text| {
            let of = |loop_: &str| {
                let found =
                    text.lines().find(|l| l.trim_start().starts_with(&format!("for `{loop_}`")));
                found.expect("a loop").to_owned()
            };
            assert!(optimized.scop.stmts().len() > 2, "operands are packed");
            assert!(of("kt").contains("not parallel, it carries"), "{text}");
            assert!(of("j_block").contains("`jt` inside runs in parallel"), "{text}");
        },
    );
}
