//! Reuse in small scops, one idea each, as people would write it down.

mod common;

use farkas_base::Id;
use farkas_deps::{
    DependenceOptions, Error, Locality, LocalityOptions, Reuse, ReuseRelation, dependences,
    locality,
};
use farkas_poly::Map;
use std::num::NonZeroU32;

/// C += A B, Fig. 1 of the paper.
const PRODUCT: &str = "
    params n : n >= 1
    S[i, j] : 0 <= i, j < n @ 0, i, j, 0 : w C[i, j]
    R[i, j, k] : 0 <= i, j, k < n @ 1, i, j, k : r C[i, j], r A[i, k], r B[k, j], w C[i, j]";

/// References to one array that differ in their rows, or in their iterators; Fig. 2 of the paper.
const ROWS: &str = "
    params n : n >= 2
    S[i, j] : 1 <= i < n and 0 <= j < n @ i, j, 0, 0 : r A[i, j], r B[i, j], r B[i - 1, j], w A[i, j]
    T[i, j, k] : 1 <= i < n and 0 <= j < n and 0 <= k < n @ i, j, 1, k : r C[i, j], r D[i, k], r D[i, j], w C[i, j]";

/// The locality of the scop of `text`.
fn of(text: &str, options: &LocalityOptions) -> Locality {
    let scop = common::scop(text);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    locality(&scop, &deps, options).unwrap()
}

/// The relations about `reuse` of the array with this number in the scop of `text` are `expected`, one a line in some equal
/// form.
fn check_with(
    text: &str,
    options: &LocalityOptions,
    (reuse, array): (Reuse, usize),
    expected: &str,
) {
    let scop = common::scop(text);
    let found = of(text, options);
    let head = text.trim().strip_prefix("params ").and_then(|t| t.split([':', '\n']).next());
    let head = head.map_or(String::new(), |names| format!("[{}] -> ", names.trim()));
    let lines: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let is_meant = |r: &&ReuseRelation| r.reuse == reuse && r.array.index() == array;
    let relations: Vec<_> = found.relations.iter().filter(is_meant).collect();
    assert_eq!(relations.len(), lines.len(), "found\n{found}");
    for (relation, line) in relations.into_iter().zip(lines) {
        let line = format!(
            "{} A{array} {}",
            reuse.name(),
            line.replacen(": {", &format!(": {head}{{"), 1)
        );
        let wanted: Locality = line.parse().unwrap();
        let pairs = wanted.relations[0].pairs.intersect_params(scop.context()).unwrap();
        assert!(relation.pairs.is_equal(&pairs).unwrap(), "wanted\n{line}\nfound\n{found}");
        let (pairs, hull) = (relation.pairs.clone(), relation.hull.clone());
        let wanted = ReuseRelation { pairs, hull, ..wanted.relations[0].clone() };
        assert_eq!(*relation, wanted, "wanted\n{line}");
    }
}

/// The same with the paper's options.
fn check(text: &str, about: (Reuse, usize), expected: &str) {
    check_with(text, &LocalityOptions::default(), about, expected);
}

/// What is left out: completion, or separation, too.
#[derive(PartialEq)]
enum Cut {
    Completion,
    Separation,
}

/// The paper's options, exactly, without one step.
fn without(cut: Cut) -> LocalityOptions {
    let separates = cut != Cut::Separation;
    LocalityOptions { separates, completes: false, exact: true, ..LocalityOptions::default() }
}

#[test]
fn lines_along_the_loop_of_the_last_subscript() {
    check(
        PRODUCT,
        (Reuse::Spatial, 1),
        "S1.a1 -> S1.a1: { R[i, j, k] -> R[i, j, k + 1] : 0 <= i, j < n and 0 <= k < n - 1 and (k + 1) mod 4 >= 1 }",
    );
    check(
        PRODUCT,
        (Reuse::Spatial, 0),
        "S0.a0 -> S0.a0: { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 and (j + 1) mod 4 >= 1 }
         S1.a0 -> S1.a0: { R[i, j, k] -> R[i, j + 1, k] : 0 <= i, k < n and 0 <= j < n - 1 and (j + 1) mod 4 >= 1 }",
    );
}

#[test]
fn completion_keeps_iterations_of_other_loops_apart() {
    let b = (Reuse::Spatial, 2);
    let along = "(0 <= j < n - 1 and 0 <= i < n and o1 = j + 1 and o0 = i and (j + 1) mod 4 >= 1)";
    check(
        PRODUCT,
        b,
        &format!("S1.a2 -> S1.a2: {{ R[i, j, k] -> R[o0, o1, k] : 0 <= k < n and {along} }}"),
    );
    // From the end of a line to its begin in the next iteration of i.
    let next = "(0 <= i < n - 1 and o0 = i + 1 and (j + 1) mod 4 = 0 and o1 = j - 3 and 0 <= o1 and j < n)";
    check_with(
        PRODUCT,
        &without(Cut::Completion),
        b,
        &format!(
            "S1.a2 -> S1.a2: {{ R[i, j, k] -> R[o0, o1, k] : 0 <= k < n and ({along} or {next}) }}"
        ),
    );
}

#[test]
fn other_rows_are_other_patterns() {
    let along = "1 <= i < n and 0 <= j < n - 1 and (j + 1) mod 4 >= 1";
    let b = (Reuse::Spatial, 1);
    let expected =
        ["a1", "a2"].map(|a| format!("S0.{a} -> S0.{a}: {{ S[i, j] -> S[i, j + 1] : {along} }}"));
    check(ROWS, b, &expected.join("\n"));
    // B[i - 1][j] touches again what B[i][j] touched in the iteration of i before.
    let next =
        "o0 = i + 1 and 1 <= i < n - 1 and (j + 1) mod 4 = 0 and o1 = j - 3 and 0 <= o1 and j < n";
    check_with(
        ROWS,
        &without(Cut::Separation),
        b,
        &format!(
            "S0.a1 -> S0.a1: {{ S[i, j] -> S[o0, o1] : (o0 = i and o1 = j + 1 and {along}) or ({next}) }}"
        ),
    );
}

#[test]
fn other_iterators_are_other_patterns() {
    let d = (Reuse::Spatial, 3);
    check(
        ROWS,
        d,
        "S1.a1 -> S1.a1: { T[i, j, k] -> T[i, j, k + 1] : 1 <= i < n and 0 <= j < n and 0 <= k < n - 1 and (k + 1) mod 4 >= 1 }
         S1.a2 -> S1.a2: { T[i, j, k] -> T[i, j + 1, k] : 1 <= i < n and 0 <= k < n and 0 <= j < n - 1 and (j + 1) mod 4 >= 1 }",
    );
    // Within one iteration of j, D[i][j] touches its line in every iteration of k; D[i][k] comes by where k is near j.
    let before = of(ROWS, &without(Cut::Separation));
    let is_d = |r: &&ReuseRelation| r.reuse == Reuse::Spatial && r.array.index() == 3;
    let [before] = &before.relations.iter().filter(is_d).collect::<Vec<_>>()[..] else {
        panic!("one class: {before}")
    };
    let cross = "[n] -> { T[i, j, k] -> T[i, j, k + 1] : 1 <= i < n and 0 <= j < n and 0 <= k < n - 1 and (k + 1) mod 4 = 0 }";
    assert!(cross.parse::<Map>().unwrap().is_subset(&before.pairs).unwrap(), "{before}");
    let far: Map = "{ T[i, j, k] -> T[i, j + 1, k] : k - j >= 8 or j - k >= 8 }".parse().unwrap();
    assert!(before.pairs.is_disjoint(&far).unwrap(), "{before}");
}

#[test]
fn lines_of_other_lengths_and_strides() {
    let text = "params n : n >= 1
         S[i] : 0 <= i < n @ i : r A[3i], w B[-i + 1]";
    check(
        text,
        (Reuse::Spatial, 0),
        "S0.a0 -> S0.a0: { S[i] -> S[i + 1] : 0 <= i < n - 1 and (3i) mod 4 = 0 }",
    );
    check(
        text,
        (Reuse::Spatial, 1),
        "S0.a1 -> S0.a1: { S[i] -> S[i + 1] : 0 <= i < n - 1 and (1 - i) mod 4 >= 1 }",
    );
    let long =
        LocalityOptions { line_elems: NonZeroU32::new(8).unwrap(), ..LocalityOptions::default() };
    check_with(
        text,
        &long,
        (Reuse::Spatial, 0),
        "S0.a0 -> S0.a0: { S[i] -> S[i + 1] : 0 <= i < n - 1 and (3i) mod 8 <= 4 }",
    );
    let short = LocalityOptions { line_elems: NonZeroU32::MIN, ..LocalityOptions::default() };
    check_with(text, &short, (Reuse::Spatial, 0), "");
    check("S[i] : 0 <= i < 9 @ i : r A[5i]", (Reuse::Spatial, 0), "");
}

#[test]
fn neighbours_in_one_line_through_several_references() {
    check(
        "params n : n >= 3
         S[i] : 1 <= i < n - 1 @ i : r A[i - 1], r A[i], r A[i + 1]",
        (Reuse::Spatial, 0),
        "S0.a0 -> S0.a0: { S[i] -> S[i + 1] : 1 <= i < n - 2 }",
    );
}

#[test]
fn the_last_of_one_statement_and_the_first_of_another() {
    check(
        "params n : n >= 9
         S[i] : 0 <= i < n @ 0, i : w A[i]
         T[i] : 0 <= i < n @ 1, i : r A[i]",
        (Reuse::Spatial, 0),
        "S0.a0 -> S0.a0: { S[i] -> S[i + 1] : 0 <= i < n - 1 and (i + 1) mod 4 >= 1 }
         S0.a0 -> S1.a0: { S[i] -> T[i - 3] : 0 <= i - 3 and i < n and (i + 1) mod 4 = 0 }
         S1.a0 -> S1.a0: { T[i] -> T[i + 1] : 0 <= i < n - 1 and (i + 1) mod 4 >= 1 }",
    );
}

#[test]
fn reads_of_an_element_are_reuse_until_it_is_written() {
    check(
        "params n : n >= 1
         S[i, j] : 0 <= i, j < n @ i, j : r A[j], r B[i], w B[i]",
        (Reuse::Temporal, 0),
        "S0.a0 -> S0.a0: { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }",
    );
    check(
        "params n : n >= 1
         S[i, j] : 0 <= i, j < n @ i, j : r A[j], r B[i], w B[i]",
        (Reuse::Temporal, 1),
        "S0.a2 -> S0.a1: { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }",
    );
    let flow = LocalityOptions { input: false, ..LocalityOptions::default() };
    check_with(PRODUCT, &flow, (Reuse::Temporal, 1), "");
}

#[test]
fn scalars_have_flow_alone() {
    let text = "params n : n >= 2
         S[i] : 0 <= i < n @ i, 0 : r x[], w t[]
         T[i] : 0 <= i < n @ i, 1 : r t[], r x[]";
    check(text, (Reuse::Temporal, 0), "");
    check(text, (Reuse::Temporal, 1), "S0.a1 -> S1.a0: { S[i] -> T[i] : 0 <= i < n }");
    assert!(
        of(text, &LocalityOptions::default()).relations.iter().all(|r| r.reuse == Reuse::Temporal)
    );
}

#[test]
fn flow_within_a_statement_is_kept_where_it_is_uniform() {
    // From the last sum of a row to all of the next row.
    check(
        "params n : n >= 2
         S[i, j] : 0 <= i, j < n @ i, j : r A[i, j], r A[i - 1, n - 1], w A[i, j + 1]",
        (Reuse::Temporal, 0),
        "S0.a1 -> S0.a1: { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }
         S0.a2 -> S0.a0: { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }",
    );
}

#[test]
fn what_is_rounded_tells_lines_apart() {
    check(
        "params n : n >= 2
         S[t, i] : 0 <= t, i < n @ t, i : r A[t mod 2, floor(i/2)]",
        (Reuse::Spatial, 0),
        "S0.a0 -> S0.a0: { S[t, i] -> S[t, i + 1] : 0 <= t < n and 0 <= i < n - 1 and (i + 1) mod 8 >= 1 }",
    );
}

#[test]
fn references_that_are_no_functions_have_patterns_of_their_own_and_flow() {
    let text = "params n : n >= 2
         S[i] : 0 <= i < n @ 0, i : m A[o]
         T[i] : 0 <= i < n @ 1, i : r A[i], r A[o], r A[i + 1]";
    let found = of(text, &LocalityOptions::default());
    let patterns: Vec<usize> = found.references.iter().map(|r| r.pattern.index()).collect();
    assert_eq!(patterns, [0, 1, 2, 1]);
    assert!(found.references[0].subscripts.is_none() && found.references[1].subscripts.is_some());
    let between = |r: &&ReuseRelation| r.source != r.sink;
    assert_eq!(found.relations.iter().filter(between).count(), 3, "{found}");
}

#[test]
fn patterns_of_statements_are_by_position_and_depth() {
    let found = of(
        "params n : n >= 2
         S[i, j] : 0 <= i, j < n @ 0, i, j : r A[i, j + 3], r A[j, i], r A[i, j + n]
         T[j, i] : 0 <= i, j < n @ 1, j, i : r A[j, i]
         U[i] : 0 <= i < n @ 2, i, 0 : r A[i, 0], r A[i, i]",
        &LocalityOptions::default(),
    );
    let patterns: Vec<usize> = found.references.iter().map(|r| r.pattern.index()).collect();
    assert_eq!(patterns, [0, 1, 2, 0, 3, 4]);
}

#[test]
fn an_empty_scop_has_no_reuse() {
    let scop = farkas_scop::ScopBuilder::new("empty").unwrap().build().unwrap();
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let found = locality(&scop, &deps, &LocalityOptions::default()).unwrap();
    assert_eq!(found, Locality::default());
    assert!(
        of("S[i] : 0 <= i < 0 @ i : r A[i], w A[i + 1]", &LocalityOptions::default())
            .relations
            .is_empty()
    );
}

#[test]
fn numbers_that_do_not_fit_are_no_functions() {
    let found = of(
        "S[i] : 0 <= i < 9 @ i : r A[9223372036854775807i], w A[i + 4611686018427387904], w B[4000000000 i]",
        &LocalityOptions::default(),
    );
    assert!(found.references.iter().all(|r| r.subscripts.is_none()), "{found}");
}

#[test]
fn texts_are_read_again() {
    let found = of(PRODUCT, &LocalityOptions::default());
    let again: Locality = format!("{found}skipped 2\n").parse().unwrap();
    assert_eq!(again.n_skipped, 2);
    assert_eq!(again.references, found.references);
    for (read, relation) in again.relations.iter().zip(&found.relations) {
        assert!(read.pairs.is_equal(&relation.pairs).unwrap(), "{read}");
        let pairs = read.pairs.clone();
        assert_eq!(*read, ReuseRelation { pairs, hull: None, ..relation.clone() });
    }
}

#[test]
fn other_texts_are_errors() {
    for text in [
        "near A0 S0.a0 -> S0.a0: { }",
        "temporal A0 S0.a0 S0.a0: { }",
        "reference S0.a0 A0 P: (1)",
        "skipped x",
    ] {
        let error = text.parse::<Locality>().unwrap_err();
        assert_eq!(error, Error::Syntax { text: text.to_owned() });
        assert_eq!(error.to_string(), format!("not a dependence or a reuse relation: {text}"));
    }
    let bad = "spatial A0 S0.a0 -> S0.a0: { S[i -> }";
    assert!(matches!(bad.parse::<Locality>(), Err(Error::Poly(_))));
}
