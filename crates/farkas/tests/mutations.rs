//! Changes of what kernels compute change their normal forms: subscripts, bounds, operators, constants, types, the direction of dependences.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;

use common::alone::{Kernel, Read, with_names};
use common::normal::kernels;
use common::{side_by_side, tries};
use farkas_damage::{Change, Random, change_meaning};
use farkas_interp::{Memory, Params, execute, original_order};
use farkas_scop::Region;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Sizes for which programs are run, in turn for the parameters.
const SIZES: [[i64; 4]; 3] = [[6, 5, 7, 4], [8, 8, 8, 8], [4, 9, 5, 6]];

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

/// Whether two functions with one normal form compute the same where what has one name in that has the same name; none where that cannot be
/// seen.
fn are_equal_but_names(kernel: &Kernel, first: &Read, second: &Read) -> Option<bool> {
    let own = second.own_names.iter();
    let pairs =
        own.filter_map(|(label, own)| Some((own.clone(), first.own_names.get(label)?.clone())));
    let renamed = with_names(&second.text, &exchanged(pairs.collect()));
    are_equal(&first.region, &kernel.read(&renamed)?.region)
}

/// New names for old ones, such that no two things have one name: what was called as others are now gets the names that are left.
fn exchanged(mut names: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let (old, new): (BTreeSet<String>, BTreeSet<String>) = names.clone().into_iter().unzip();
    let left = new.difference(&old).zip(old.difference(&new));
    names.extend(left.map(|(taken, free)| (taken.clone(), free.clone())));
    names
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
    let names = ["gemm", "jacobi-1d", "trisolv", "gray", "mvt", "two-layouts"];
    let counts = change_kernels(&names.map(|name| (name.to_owned(), 10)));
    assert_eq!(counts.faults, "");
    assert_eq!(counts.changed.values().sum::<usize>(), 60, "{counts:?}");
}

#[test]
#[ignore = "long"]
fn many_changes_of_meaning_change_the_hash() {
    let n = tries(10, 100);
    let kernels: Vec<(String, usize)> = kernels().into_iter().map(|name| (name, n)).collect();
    let counts = change_kernels(&kernels);
    assert_eq!(counts.faults, "");
    let n_all: usize = counts.changed.values().sum();
    assert!(n_all >= 50 * n, "{counts:?}");
}
