//! Which false dependences only keep live ranges apart.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use farkas_deps::{DependenceOptions, RangeRole, dependences, live_ranges};
use std::fmt::Write;

/// The dependences of `text`, where nothing outside the region sees `temporaries`, with their roles, one a line.
fn roles(text: &str, temporaries: &[&str]) -> String {
    let locals = if temporaries.is_empty() { "" } else { "local " };
    let scop = common::scop(&format!("{locals}{}\n{text}", temporaries.join(", ")));
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let found = live_ranges(&scop, &deps).unwrap();
    let mut lines = String::new();
    for (id, dep) in deps.deps.iter_enumerated() {
        let of = |array| &scop.arrays()[array].name;
        let role = match &found.roles[id] {
            RangeRole::None => "matters".to_owned(),
            RangeRole::Live(array) => format!("live {}", of(*array)),
            RangeRole::Apart { array, conditional, forced } => {
                assert!(forced.iter().all(|forced| forced.is_disjoint(conditional).unwrap()));
                let forced = if forced.is_some() { " in part" } else { "" };
                format!("apart {}{forced}", of(*array))
            }
        };
        let (source, sink) = (&scop.stmts()[dep.source].name, &scop.stmts()[dep.sink].name);
        writeln!(lines, "{} {source} -> {sink}: {role}", dep.kind.name()).unwrap();
    }
    for (array, reads_own) in &found.arrays {
        let seen = if *reads_own { "own values" } else { "older values, too" };
        writeln!(lines, "{}: {seen}", scop.arrays()[*array].name).unwrap();
    }
    lines
}

const COPY: &str = "
    params n : n >= 3
    S[i] : 0 <= i < n @ i, 0 : r A[i], w t[]
    T[i] : 0 <= i < n @ i, 1 : r t[], w B[i]";

#[test]
fn a_temporary() {
    let expected =
        "output S -> S: apart t\nflow S -> T: live t\nanti T -> S: apart t\nt: own values\n";
    assert_eq!(roles(COPY, &["t"]), expected);
}

/// All that comes before the last write of what is read later stays before it.
#[test]
fn a_live_out_temporary() {
    let expected = "output S -> S: apart t in part\nflow S -> T: live t\nanti T -> S: apart t in part\n\
                    t: own values\n";
    assert_eq!(roles(COPY, &[]), expected);
}

/// The first iteration reads what was there before.
#[test]
fn a_live_in_value() {
    let text = "
        params n : n >= 3
        S[i] : 0 <= i < n @ i, 0 : r t[], w B[i]
        T[i] : 0 <= i < n @ i, 1 : r A[i], w t[]";
    let expected = "anti S -> T: apart t in part\nflow T -> S: live t\noutput T -> T: apart t\n\
                    t: older values, too\n";
    assert_eq!(roles(text, &["t"]), expected);
}

/// Updates make one range of all writes to an element, and of an unsure write nobody knows whether it begins one.
#[test]
fn without_ranges() {
    let update = "
        params n : n >= 3
        S[i, j] : 0 <= i < n and 0 <= j < n @ i, j : r s[i], r A[i, j], w s[i]";
    assert!(!roles(update, &["s[9]"]).contains("apart"));
    assert!(!roles(&COPY.replace("w t[]", "m t[]"), &["t"]).contains("apart"));
}
