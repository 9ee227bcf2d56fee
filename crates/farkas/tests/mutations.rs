//! Changes of what kernels compute change their normal forms: subscripts, bounds, operators, constants, types, the direction of dependences.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;

use common::alone::{Kernel, Read, with_names, words};
use common::normal::kernels;
use common::side_by_side;
use farkas_damage::{Change, Random, change_meaning};
use farkas_interp::{Memory, Params, execute, original_order};
use farkas_scop::Region;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Sizes for which programs are run, in turn for the parameters.
const SIZES: [[i64; 4]; 3] = [[6, 5, 7, 4], [8, 8, 8, 8], [4, 9, 5, 6]];

/// Kernels that are the same after more than two pairs of names are exchanged, or pairs that the changed lines do not mention: what is the same
/// is not found to be.
const SYMMETRIC: [&str; 2] = ["polymul", "two-layouts"];

/// How many pairs of names are exchanged after another.
const MAX_PAIRS: usize = 8;

/// What the interpreter makes of a region whose arrays have no ends; none where it cannot run it.
fn run(region: &Region, sizes: [i64; 4]) -> Option<Memory> {
    let mut parts = region.scop.to_builder();
    for array in parts.arrays.iter_mut() {
        array.extents = vec![None; array.extents.len()];
    }
    let scop = parts.build().ok()?;
    let mut names: Vec<&str> = region.scop.params().iter().map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    let params = Params::new(names.into_iter().zip(sizes.into_iter().cycle()));
    let order = original_order(&scop, &params).ok()?;
    execute(&scop, &params, &order).ok()
}

/// Whether two regions compute the same for all sizes for which the first runs; none where it runs for none.
fn are_equal(first: &Region, second: &Region) -> Option<bool> {
    let mut found = None;
    for sizes in SIZES {
        let Some(expected) = run(first, sizes) else { continue };
        let Some(memory) = run(second, sizes) else { return Some(false) };
        if expected.first_mismatch(&memory, true).is_some()
            || memory.first_mismatch(&expected, true).is_some()
        {
            return Some(false);
        }
        found = Some(true);
    }
    found
}

/// Whether two functions compute the same, up to the names of at most two pairs of arrays and parameters; none where that cannot be seen.
fn are_equal_but_names(kernel: &Kernel, first: &Read, second: &Read) -> Option<bool> {
    let mut found = are_equal(&first.region, &second.region)?;
    let scop = &first.region.scop;
    let arrays = scop.arrays().iter().map(|array| array.source_name.clone());
    let params = scop.params().iter().map(|param| param.name.clone());
    let lines = first.text.lines().zip(second.text.lines()).filter(|(a, b)| a != b);
    let mentioned: BTreeSet<&str> =
        lines.flat_map(|(a, b)| [words(a), words(b)].concat()).collect();
    let names = arrays.chain(params).filter(|name| mentioned.contains(name.as_str()));
    let pairs = pairs(&names.collect::<Vec<_>>());
    let renamed = |text: &str, (a, b): &(String, String)| {
        let names = [(a.clone(), b.clone()), (b.clone(), a.clone())];
        with_names(text, &BTreeMap::from(names))
    };
    for pair in pairs.iter().take(MAX_PAIRS) {
        if found {
            break;
        }
        let text = renamed(&second.text, pair);
        let more = pairs.iter().map(|other| renamed(&text, other));
        let is_same = |text: &String| {
            let read = kernel.read(text);
            read.and_then(|read| are_equal(&first.region, &read.region)) == Some(true)
        };
        found = is_same(&text) || more.take(MAX_PAIRS).any(|text| is_same(&text));
    }
    Some(found)
}

/// All pairs of names.
fn pairs(names: &[String]) -> Vec<(String, String)> {
    let behind = |at: usize| names[at + 1..].iter().map(move |b| (names[at].clone(), b.clone()));
    (0..names.len()).flat_map(behind).collect()
}

/// How many changes of each kind there were.
#[derive(Default, Debug)]
struct Counts {
    /// Those after which the normal form is another one.
    changed: BTreeMap<Change, usize>,
    /// Those after which the function computes what it did, as does its normal form.
    same: usize,
    /// What is wrong.
    faults: String,
}

impl Counts {
    /// Changes a kernel until `n` changes made another normal form.
    fn count(&mut self, name: &str, n: usize, seed: u64) {
        let kernel = Kernel::new(name);
        let original = kernel.read(&kernel.function).expect("a region");
        let mut texts = BTreeSet::from([original.text.clone()]);
        let mut seen = BTreeMap::from([(original.hash.clone(), original)]);
        let mut random = Random::new(seed);
        let mut n_left = n;
        for _ in 0..20 * n {
            if n_left == 0 {
                break;
            }
            let Some((change, text)) = change_meaning(&mut random, &kernel.function) else {
                continue;
            };
            if !texts.insert(text.clone()) {
                continue;
            }
            let Some(changed) = kernel.read(&text) else { continue };
            let Some(other) = seen.get(&changed.hash) else {
                *self.changed.entry(change).or_default() += 1;
                n_left -= 1;
                seen.insert(changed.hash.clone(), changed);
                continue;
            };
            match are_equal_but_names(&kernel, other, &changed) {
                Some(true) => self.same += 1,
                equal => {
                    let [a, b] = [&other.text, &changed.text];
                    let _ = writeln!(self.faults, "{name}, {change:?}, {equal:?}:\n{a}\n{b}");
                }
            }
        }
    }

    /// Adds what others counted.
    fn add(&mut self, other: Self) {
        for (change, n) in other.changed {
            *self.changed.entry(change).or_default() += n;
        }
        self.same += other.same;
        self.faults.push_str(&other.faults);
    }
}

/// Changes kernels, each so often.
fn change_kernels(kernels: &[(String, usize)]) -> Counts {
    let all = side_by_side(kernels, |at, (name, n)| {
        let mut counts = Counts::default();
        counts.count(name, *n, at as u64);
        counts
    });
    let mut sum = Counts::default();
    all.into_iter().for_each(|counts| sum.add(counts));
    sum
}

#[test]
fn changes_of_meaning_change_the_hash() {
    let names = ["gemm", "jacobi-1d", "trisolv", "gray", "mvt"];
    let counts = change_kernels(&names.map(|name| (name.to_owned(), 12)));
    assert_eq!(counts.faults, "");
    assert_eq!(counts.changed.values().sum::<usize>(), 60, "{counts:?}");
}

#[test]
#[ignore = "long"]
fn many_changes_of_meaning_change_the_hash() {
    let others = kernels().into_iter().filter(|name| !SYMMETRIC.contains(&name.as_str()));
    let kernels: Vec<(String, usize)> = others.map(|name| (name, 100)).collect();
    let counts = change_kernels(&kernels);
    assert_eq!(counts.faults, "");
    let n_all: usize = counts.changed.values().sum();
    assert!(n_all >= 5000, "{counts:?}");
}
