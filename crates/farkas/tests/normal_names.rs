//! Kernels have one normal form whatever things are called and in which order they are declared.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;

use common::alone::{Kernel, declared_by, split, with_names, words};
use common::normal::kernels;
use common::tries;
use farkas_damage::Random;
use std::collections::BTreeMap;

/// Types that declarations in the kernels begin with.
const TYPES: [&str; 7] = ["int", "double", "float", "char", "unsigned", "long", "short"];

/// A function with random names for its parameters and variables, its parameters in another order.
fn renamed(random: &mut Random, Kernel { name, function, head }: &Kernel) -> String {
    let (_, rest) = function.split_once(name.as_str()).expect("its name");
    let (parameters, body) = rest[1..].split_once(")\n{").expect("a body");
    let parameters = split(parameters);
    let mut names = BTreeMap::new();
    let all = words(rest);
    let declared = all.windows(2).filter(|pair| TYPES.contains(&pair[0])).map(|pair| pair[1]);
    let others = body.lines().filter(|line| declares(line)).flat_map(|line| words(line));
    let own = parameters.iter().map(|parameter| declared_by(parameter));
    for own in own.chain(declared).chain(others) {
        if !TYPES.contains(&own)
            && own.starts_with(|c: char| c.is_alphabetic())
            && is_plain(own, head, body)
        {
            let n = names.len();
            names.entry(own.to_owned()).or_insert_with(|| format!("x{}_{n}", random.below(1000)));
        }
    }
    let (mut sizes, mut arrays): (Vec<&str>, Vec<&str>) =
        parameters.iter().partition(|parameter| !parameter.contains(['[', '*']));
    for parameters in [&mut sizes, &mut arrays] {
        for at in (1..parameters.len()).rev() {
            parameters.swap(at, random.below(at + 1));
        }
    }
    let text = format!("({})\n{{{body}", [sizes, arrays].concat().join(", "));
    format!("static void {name}{}", with_names(&text, &names))
}

/// Whether a line declares variables without values.
fn declares(line: &str) -> bool {
    let words = words(line);
    words.first().is_some_and(|word| TYPES.contains(word))
        && line.ends_with(';')
        && !line.contains('=')
}

/// Whether a word names no function, and nothing for macros.
fn is_plain(word: &str, head: &str, body: &str) -> bool {
    let mut macros = head.lines().filter(|line| line.starts_with("#define"));
    !body.contains(&format!("{word}(")) && !macros.any(|line| words(line).contains(&word))
}

/// Renames kernels so often; the first text of each that has another normal form.
fn rename_kernels(kernels: &[String], n: usize) -> Vec<String> {
    let mut random = Random::new(7);
    let mut told = Vec::new();
    for name in kernels {
        let kernel = Kernel::new(name);
        let hash = kernel.read(&kernel.function).expect("a region").hash;
        let texts = (0..n).map(|_| renamed(&mut random, &kernel));
        let keeps = |text: &String| kernel.read(text).is_some_and(|again| again.hash == hash);
        told.extend(texts.filter(|text| !keeps(text)).take(1));
    }
    told
}

#[test]
fn names_and_the_order_of_declarations_do_not_matter() {
    assert_eq!(rename_kernels(&kernels(), 1), Vec::<String>::new());
}

#[test]
#[ignore = "long"]
fn no_names_matter() {
    assert_eq!(rename_kernels(&kernels(), tries(2, 10)), Vec::<String>::new());
}
