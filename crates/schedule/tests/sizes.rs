//! Sizes that are known: rows are those for parameters in their place.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::kernels;
use farkas_schedule::{Isl, Pluto, ScheduleOptions, Scheduled, Strategy};
use support::{check, outline};

/// The schedule under a strategy; legality and all claims are checked.
fn scheduled(text: &str, strategy: &mut dyn Strategy) -> Scheduled {
    check(&common::scop(text), strategy, &ScheduleOptions::default())
}

/// The rows of the schedule under `pluto`, without coefficients of parameters.
fn rows(text: &str) -> Vec<String> {
    let report = scheduled(text, &mut Pluto::default()).report;
    let rows = report.rows.iter().flat_map(|row| &row.rows);
    rows.map(|row| format!("{:?} {}", row.iterators, row.constant)).collect()
}

/// A convolution over an image with channels last; `{}` are the numbers of columns, channels and points of the filter.
fn convolution([columns, channels, points]: [&str; 3]) -> String {
    let outer = format!("0 <= x < {columns} and 0 <= o < {channels}");
    let inner = format!("0 <= p, q < {points} and 0 <= c < {channels}");
    let accesses = "r out[x, o], r in[x + p, q, c], r f[p, q, c, o], w out[x, o]";
    format!(
        "S[x, o] : {outer} @ 0, x, o, 0, 0, 0 : w out[x, o]
         T[x, o, p, q, c] : {outer} and {inner} @ 1, x, o, p, q, c : {accesses}"
    )
}

#[test]
fn a_sum_over_loops_of_known_size() {
    let known = scheduled(&convolution(["56", "64", "3"]), &mut Pluto::default());
    insta::assert_snapshot!(outline(&known));
}

#[test]
fn known_sizes_change_no_row() {
    let params = "params n, m, k : n >= 1 and m >= 1 and k >= 1\n";
    let free = rows(&format!("{params}{}", convolution(["n", "m", "k"])));
    for sizes in [["56", "64", "3"], ["1000", "20", "16"], ["8", "64", "7"]] {
        assert_eq!(rows(&convolution(sizes)), free, "{sizes:?}");
    }
    for (name, text) in kernels::ALL {
        let known = text
            .lines()
            .map(|line| match line.trim().strip_prefix("params ").and_then(|l| l.split_once(':')) {
                Some((names, context)) => {
                    let sizes = names.split(',').zip(["= 1000", "= 1200", "= 640", "= 200"]);
                    let told = sizes.map(|(name, size)| format!(" and {name} {size}"));
                    format!("params {names}:{context}{}\n", told.collect::<String>())
                }
                None => format!("{line}\n"),
            })
            .collect::<String>();
        assert_eq!(rows(&known), rows(text), "{name}");
    }
}

#[test]
fn bounds_on_distances_are_over_sizes() {
    let text = "S[i, j] : 0 <= i < 100 and 0 <= j < 100 @ i, j : r A[j], r A[99 - j], w A[j]";
    let report = scheduled(text, &mut Pluto::default()).report;
    let names: Vec<&str> = report.rows[0].cost.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.starts_with(&["u_99", "w"]), "{names:?}");
}

#[test]
fn no_shift_as_long_as_a_loop() {
    // T reads backwards what S writes: fused, it would run behind all of S.
    let reversed = |n: &str, last: &str| {
        format!(
            "S[i] : 0 <= i < {n} @ 0, i : r B[i], w A[i]
             T[i] : 0 <= i < {n} @ 1, i : r A[{last} - i], w C[i]"
        )
    };
    let free = format!("params n : n >= 1\n{}", reversed("n", "n - 1"));
    assert_eq!(rows(&reversed("30", "29")), rows(&free));
}

#[test]
fn isl_counts_on_sizes() {
    let text = convolution(["56", "64", "3"]);
    let report = scheduled(&text, &mut Isl::default()).report;
    assert!(report.rows.iter().all(|row| row.cost.iter().all(|(name, _)| !name.contains("u_"))));
}
