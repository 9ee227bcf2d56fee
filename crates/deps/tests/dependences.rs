//! Dependences of small scops, one idea each, as people would write them down.

mod common;

use farkas_deps::{DependenceOptions, FlowBy, dependences};

/// The dependences of the scop of `text`, one a line, are `expected` in some equal form.
fn check_with(text: &str, options: DependenceOptions, expected: &str) {
    let scop = common::scop(text);
    let found = dependences(&scop, options).unwrap();
    let head = text.trim().strip_prefix("params ").and_then(|t| t.split([':', '\n']).next());
    let head = head.map_or(String::new(), |names| format!("[{}] -> ", names.trim()));
    let lines: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert_eq!(found.deps.len(), lines.len(), "found\n{found}");
    for (dep, line) in found.deps.iter().zip(lines) {
        let line = line.replacen(": {", &format!(": {head}{{"), 1);
        let wanted: farkas_deps::Dependence = line.parse().unwrap();
        let relation = wanted.relation.intersect_params(scop.context()).unwrap();
        assert!(dep.relation.is_equal(&relation).unwrap(), "wanted\n{line}\nfound\n{found}");
        let relation = dep.relation.clone();
        assert_eq!(*dep, farkas_deps::Dependence { relation, ..wanted }, "wanted\n{line}");
    }
}

/// The same with flow by value.
fn check(text: &str, expected: &str) {
    check_with(text, DependenceOptions::default(), expected);
}

#[test]
fn flow_from_the_previous_iteration() {
    check(
        "params n : n >= 1
         S[i] : 0 <= i < n @ i : r A[i], w A[i + 1]",
        "flow S0.a1 -> S0.a0 carried 0 distance (1): { S[i] -> S[i + 1] : 0 <= i < n - 1 }",
    );
}

#[test]
fn anti_to_the_next_iteration() {
    check(
        "params n : n >= 1
         S[i] : 0 <= i < n @ i : r A[i + 1], w A[i]",
        "anti S0.a0 -> S0.a1 carried 0 distance (1): { S[i] -> S[i + 1] : 0 <= i < n - 1 }",
    );
}

#[test]
fn a_sum_in_an_array_element() {
    check(
        "params n : n >= 1
         S[i] : 0 <= i < n @ i, 0, 0 : w A[i]
         T[i, j] : 0 <= i < n and 0 <= j < n @ i, 1, j : r A[i], w A[i]",
        "flow S0.a0 -> S1.a0 independent distance (0): { S[i] -> T[i, 0] : 0 <= i < n }
         output S0.a0 -> S1.a1 independent distance (0): { S[i] -> T[i, j] : 0 <= i < n and 0 <= j < n }
         anti S1.a0 -> S1.a1 carried 1: { T[i, j] -> T[i, k] : 0 <= i < n and 0 <= j < k < n }
         flow S1.a1 -> S1.a0 carried 1 distance (0,1): { T[i, j] -> T[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }
         output S1.a1 -> S1.a1 carried 1: { T[i, j] -> T[i, k] : 0 <= i < n and 0 <= j < k < n }",
    );
}

#[test]
fn flow_by_memory_keeps_every_earlier_write() {
    let text = "params n : n >= 1
         S[i] : 0 <= i < n @ 0, i : w t[]
         T[] : true @ 1, 0 : r t[]";
    check(
        text,
        "output S0.a0 -> S0.a0 carried 0: { S[i] -> S[j] : 0 <= i < j < n }
         flow S0.a0 -> S1.a0 independent distance (): { S[n - 1] -> T[] }",
    );
    check_with(
        text,
        DependenceOptions { flow: FlowBy::Memory, input: false },
        "output S0.a0 -> S0.a0 carried 0: { S[i] -> S[j] : 0 <= i < j < n }
         flow S0.a0 -> S1.a0 independent distance (): { S[i] -> T[] : 0 <= i < n }",
    );
}

#[test]
fn a_possible_write_hides_nothing() {
    check(
        "params n : n >= 1
         S[] : true @ 0, 0 : w t[]
         M[i] : 0 <= i < n @ 1, i : m t[]
         T[] : true @ 2, 0 : r t[]",
        "output S0.a0 -> S1.a0 independent distance (): { S[] -> M[i] : 0 <= i < n }
         flow S0.a0 -> S2.a0 independent distance (): { S[] -> T[] }
         output S1.a0 -> S1.a0 carried 0: { M[i] -> M[j] : 0 <= i < j < n }
         flow S1.a0 -> S2.a0 independent distance (): { M[i] -> T[] : 0 <= i < n }",
    );
}

#[test]
fn a_sure_write_hides_possible_writes_before_it_only() {
    check(
        "params n : n >= 1
         M[i] : 0 <= i < n @ i, 0 : m t[]
         S[i] : 0 <= i < n @ i, 1 : w t[]
         N[i] : 0 <= i < n @ i, 2 : m t[]
         T[] : true @ n, 0 : r t[]",
        "output S0.a0 -> S0.a0 carried 0: { M[i] -> M[j] : 0 <= i < j < n }
         output S0.a0 -> S1.a0 carried 0 independent: { M[i] -> S[j] : 0 <= i <= j < n }
         output S0.a0 -> S2.a0 carried 0 independent: { M[i] -> N[j] : 0 <= i <= j < n }
         output S1.a0 -> S0.a0 carried 0: { S[i] -> M[j] : 0 <= i < j < n }
         output S1.a0 -> S1.a0 carried 0: { S[i] -> S[j] : 0 <= i < j < n }
         output S1.a0 -> S2.a0 carried 0 independent: { S[i] -> N[j] : 0 <= i <= j < n }
         flow S1.a0 -> S3.a0 independent distance (): { S[n - 1] -> T[] }
         output S2.a0 -> S0.a0 carried 0: { N[i] -> M[j] : 0 <= i < j < n }
         output S2.a0 -> S1.a0 carried 0: { N[i] -> S[j] : 0 <= i < j < n }
         output S2.a0 -> S2.a0 carried 0: { N[i] -> N[j] : 0 <= i < j < n }
         flow S2.a0 -> S3.a0 independent distance (): { N[n - 1] -> T[] }",
    );
}

#[test]
fn a_kill_ends_the_life_of_a_value() {
    check(
        "params n : n >= 1
         S[] : true @ 0 : w A[0]
         K[] : true @ 1 : k A[0]
         T[] : true @ 2 : r A[0]",
        "",
    );
    check(
        "params n : n >= 1
         S[i] : 0 <= i < n @ i, 0 : k t[]
         M[i] : 0 <= i < n @ i, 1 : m t[]
         T[i] : 0 <= i < n @ i, 2 : r t[]",
        "output S1.a0 -> S1.a0 carried 0: { M[i] -> M[j] : 0 <= i < j < n }
         flow S1.a0 -> S2.a0 independent distance (0): { M[i] -> T[i] : 0 <= i < n }
         anti S2.a0 -> S1.a0 carried 0: { T[i] -> M[j] : 0 <= i < j < n }",
    );
}

#[test]
fn of_two_writes_of_one_instance_the_later_one_counts() {
    check(
        "params n : n >= 1
         S[] : true @ 0 : w A[0], w A[0]
         T[] : true @ 1 : r A[0]",
        "flow S0.a1 -> S1.a0 independent distance (): { S[] -> T[] }",
    );
}

#[test]
fn scalars_and_statements_without_loops() {
    check(
        "S[] : true @ 0 : w t[]
         T[] : true @ 1 : r t[], w u[]
         U[] : true @ 2 : w t[], r u[]",
        "flow S0.a0 -> S1.a0 independent distance (): { S[] -> T[] }
         output S0.a0 -> S2.a0 independent distance (): { S[] -> U[] }
         anti S1.a0 -> S2.a0 independent distance (): { T[] -> U[] }
         flow S1.a1 -> S2.a1 independent distance (): { T[] -> U[] }",
    );
}

#[test]
fn strides_are_exact() {
    check(
        "params n : n >= 2
         S[i] : 0 <= i < n @ 0, i : w A[2i]
         T[i] : 0 <= i < n @ 1, i : r A[2i + 1]",
        "",
    );
    check(
        "params n : n >= 2
         S[i] : 0 <= i < n @ 0, i : w A[2i]
         T[i] : 0 <= i < n @ 1, i : r A[3i]",
        "flow S0.a0 -> S1.a0 independent distance (): { S[i] -> T[j] : 2i = 3j and 0 <= i < n and 0 <= j }",
    );
}

#[test]
fn a_reversed_loop_is_modelled_upward() {
    check(
        "params n : n >= 1
         S[i] : 1 - n <= i <= 0 @ i : r A[1 - i], w A[-i]",
        "flow S0.a1 -> S0.a0 carried 0 distance (1): { S[i] -> S[i + 1] : -n < i < 0 }",
    );
}

#[test]
fn dates_that_are_no_iterators() {
    check(
        "params n : n >= 1
         S[i] : 0 <= i < n @ -i : r A[i + 1], w A[i]",
        "flow S0.a1 -> S0.a0 carried 0: { S[i] -> S[i - 1] : 0 < i < n }",
    );
}

#[test]
fn triangular_domains() {
    check(
        "params n : n >= 1
         S[i, j] : 0 <= i < n and 0 <= j < i @ i, j : r x[j], w x[i]",
        "flow S0.a1 -> S0.a0 carried 0: { S[i, j] -> S[k, i] : j = i - 1 and 0 < i < k < n }
         output S0.a1 -> S0.a1 carried 1: { S[i, j] -> S[i, k] : 0 <= j < k < i < n }",
    );
}

#[test]
fn pairs_of_reads_on_request() {
    check_with(
        "params n : n >= 1
         S[i] : 0 <= i < n @ i : r x[], w y[i]",
        DependenceOptions { flow: FlowBy::Value, input: true },
        "input S0.a0 -> S0.a0 carried 0: { S[i] -> S[j] : 0 <= i < j < n }",
    );
}

#[test]
fn the_context_decides() {
    check(
        "params n, m : m >= n
         S[i] : 0 <= i < n @ 0, i : w A[i]
         T[i] : 0 <= i < n @ 1, i : r A[i + m]",
        "",
    );
}

#[test]
fn what_is_no_dependence_is_not_read() {
    for text in ["", "flow", "flow S0.a0 -> S1 : { S[] -> T[] }", "flow S0.a0 -> S1.a0: { S["] {
        assert!(text.parse::<farkas_deps::Dependence>().is_err(), "{text}");
    }
}
