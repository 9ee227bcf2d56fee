//! The legality check on trees that put the accesses of temporaries into another order, and private copies of them.

mod common;

use farkas_deps::legality::{Verdict, check, privatisations};
use farkas_deps::{DependenceOptions, Error, dependences};
use farkas_scop::Scop;
use farkas_tree::ScheduleTree;

/// Each iteration writes a scalar and reads it.
const TEMPORARY: &str = "
    params n : n >= 1
    local t
    S[i] : 0 <= i < n @ i, 0 : r A[i], w t[]
    T[i] : 0 <= i < n @ i, 1 : r t[], w B[i]";

/// The sum over `k` of a column, in a scalar, as symm has it.
const SYMM: &str = "
    params n : n >= 1
    local t
    Z[i, j] : 0 <= i < n and 0 <= j < n @ i, j, 0, 0 : w t[]
    S[i, j, k] : 0 <= i < n and 0 <= j < n and 0 <= k < n @ i, j, 1, k : r t[], r A[i, k], r B[k, j], w t[]
    T[i, j] : 0 <= i < n and 0 <= j < n @ i, j, 2, 0 : r t[], w C[i, j]";

/// A recurrence along each row whose last two values are kept in scalars, as deriche has it.
const DERICHE: &str = "
    params n : n >= 1
    local x, y
    Z[i] : 0 <= i < n @ i, 0, 0, 0 : w x[], w y[]
    S[i, j] : 0 <= i < n and 0 <= j < n @ i, 1, j, 0 : r A[i, j], r x[], r y[], w B[i, j]
    T[i, j] : 0 <= i < n and 0 <= j < n @ i, 1, j, 1 : r A[i, j], w x[]
    U[i, j] : 0 <= i < n and 0 <= j < n @ i, 1, j, 2 : r B[i, j], w y[]";

/// A row of sums in an array that each point of the outer two loops uses anew, as doitgen has it.
const DOITGEN: &str = "
    params n : n >= 1
    local s[10]
    Z[r, q, p] : 0 <= r < n and 0 <= q < n and 0 <= p < 10 @ r, q, 0, p, 0 : w s[p]
    S[r, q, p, k] : 0 <= r < n and 0 <= q < n and 0 <= p < 10 and 0 <= k < 10 @ r, q, 1, p, k : r s[p], r A[r, q, k], r C[k, p], w s[p]
    T[r, q, p] : 0 <= r < n and 0 <= q < n and 0 <= p < 10 @ r, q, 2, p, 0 : r s[p], w A[r, q, p]";

/// The tree of `schedule`, isl's YAML with apostrophes below a domain node that holds the instances of `scop`.
fn tree(scop: &Scop, schedule: &str) -> ScheduleTree {
    let text = format!("{{ domain: \"{}\", child: {schedule} }}", scop.domain().unwrap());
    text.replace('\'', "\"").parse().unwrap()
}

/// What the check says of the tree of `schedule`.
fn fault(scop: &str, schedule: &str) -> String {
    let scop = common::scop(scop);
    match check(&scop, &tree(&scop, schedule)).unwrap() {
        Verdict::Legal => "legal".into(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// `S` and `T` in one loop, or in loops of their own, whose dates are `row`.
fn temporary(marks: &[&str], row: &str) -> String {
    let band = format!(
        "{{ schedule: '[{{ S[i] -> [({row})]; T[i] -> [({row})] }}]',
            child: {{ sequence: [ {{ filter: '{{ S[i] }}' }}, {{ filter: '{{ T[i] }}' }} ] }} }}"
    );
    under(marks, band)
}

/// `tree` under marks, outermost first.
fn under(marks: &[&str], tree: String) -> String {
    marks.iter().rev().fold(tree, |tree, mark| format!("{{ mark: '{mark}', child: {tree} }}"))
}

#[test]
fn live_ranges_may_follow_one_another_in_any_order() {
    assert_eq!(fault(TEMPORARY, &temporary(&[], "-i")), "legal");
    assert_eq!(fault(TEMPORARY, &temporary(&[], "2*floor(i/2) - i mod 2")), "legal");
}

#[test]
fn live_ranges_are_not_interleaved() {
    let distributed = "{ sequence: [ { filter: '{ S[i] }', child: { schedule: '[{ S[i] -> [(i)] }]' } },
                                     { filter: '{ T[i] }', child: { schedule: '[{ T[i] -> [(i)] }]' } } ] }";
    assert_eq!(
        fault(TEMPORARY, distributed),
        "with n = 2, T(i = 0) needs the value of t that S(i = 0) writes; S(i = 1) overwrites it and must run \
         after T(i = 0), but the sequence at /0 has the first one in child 1 and the second in child 0"
    );
    let shifted = "{ schedule: '[{ S[i] -> [(i)]; T[i] -> [(i + 1)] }]',
        child: { sequence: [ { filter: '{ S[i] }' }, { filter: '{ T[i] }' } ] } }";
    assert!(fault(TEMPORARY, shifted).contains("must run after T(i = 0)"));
}

#[test]
fn parallel_loops_need_copies() {
    assert!(fault(TEMPORARY, &temporary(&["parallel"], "i")).contains("is marked parallel"));
    assert_eq!(fault(TEMPORARY, &temporary(&["parallel", "private t"], "i")), "legal");
    assert_eq!(fault(TEMPORARY, &temporary(&["vector", "private t"], "-i")), "legal");
    let both = "{ mark: 'parallel', child: { mark: 'private t', child: { schedule: '[{ S[i] -> [(floor(i/8))]; T[i] -> [(floor(i/8))] }]', child: SECOND } } }";
    let inner = |marks: &[&str]| both.replace("SECOND", &temporary(marks, "i"));
    assert_eq!(fault(TEMPORARY, &inner(&[])), "legal");
    assert!(fault(TEMPORARY, &inner(&["vector"])).contains("is marked vector"));
    assert_eq!(fault(TEMPORARY, &inner(&["vector", "private t"])), "legal");
    // Copies of the inner loop's iterations are none of the outer loop's.
    let outer = inner(&["vector", "private t"]).replacen("mark: 'private t'", "mark: 'point'", 1);
    assert!(fault(TEMPORARY, &outer).contains("is marked parallel"));
}

#[test]
fn what_is_needed_elsewhere_is_not_private() {
    let private = temporary(&["parallel", "private t"], "i");
    let live_out = TEMPORARY.replace("local t\n", "");
    assert_eq!(
        fault(&live_out, &private),
        "t cannot be private to each iteration of the loop at /0/0/0: it is needed after the region, too large or no \
         variable of its own"
    );
    // A live-out scalar keeps its last write last.
    assert!(
        fault(&live_out, &temporary(&[], "-i"))
            .starts_with("with n = 2, output dependence: S(i = 0)")
    );
    let read_first = TEMPORARY.replace("S[i] : 0 <= i", "S[i] : 1 <= i");
    assert_eq!(
        fault(&read_first, &private),
        "with n = 1, t cannot be private to each iteration of the loop at /0/0/0: T(i = 0) reads what was there before \
         the region"
    );
    let carried = TEMPORARY.replace("r A[i], w t[]", "r t[], w t[]");
    assert!(fault(&carried, &private).contains("S(i = 0) reads what was there before the region"));
    let carried = format!("{}\n    Z[] : true @ -1, 0 : w t[]", carried);
    let after = private.replace("{ mark: 'parallel'", "{ sequence: [ { filter: '{ Z[] }' }, { filter: '{ S[i]; T[i] }', child: { mark: 'parallel'") + " } ] }";
    assert_eq!(
        fault(&carried, &after),
        "with n = 2, t cannot be private to each iteration of the loop at /0/1/0/0/0: S(i = 0) writes a value that S(i = 1) \
         reads outside of that iteration"
    );
    let unknown = TEMPORARY.replace("r A[i], w t[]", "r A[i], m t[]");
    assert!(fault(&unknown, &private).contains("it is not known where its values come from"));
    let scop = common::scop(TEMPORARY);
    let wrong = [temporary(&["parallel", "private u"], "i"), temporary(&["private t"], "i")];
    assert!(wrong.iter().all(|text| check(&scop, &tree(&scop, text)).is_err()));
}

#[test]
fn writes_that_nothing_reads_may_move_but_not_race() {
    let text = "params n : n >= 1
        local t
        S[i] : 0 <= i < n @ i : w t[]";
    let band = |marks: &[&str]| under(marks, "{ schedule: '[{ S[i] -> [(-i)] }]' }".into());
    assert_eq!(fault(text, &band(&[])), "legal");
    assert!(fault(text, &band(&["parallel"])).contains("output dependence"));
    assert_eq!(fault(text, &band(&["parallel", "private t"])), "legal");
}

/// The loops of [`SYMM`] with the column outside.
fn symm(marks: &[&str]) -> String {
    let band = |rows: [&str; 3], child: &str| {
        let [z, s, t] = rows;
        format!(
            "{{ schedule: '[{{ Z[i, j] -> [({z})]; S[i, j, k] -> [({s})]; T[i, j] -> [({t})] }}]', child: {child} }}"
        )
    };
    let body = "{ sequence: [ { filter: '{ Z[i, j] }' }, { filter: '{ S[i, j, k] }', child: { schedule: '[{ S[i, j, k] -> [(k)] }]' } }, { filter: '{ T[i, j] }' } ] }";
    under(marks, band(["j"; 3], &band(["i"; 3], body)))
}

#[test]
fn sums_in_a_scalar() {
    assert_eq!(fault(SYMM, &symm(&[])), "legal");
    assert!(fault(SYMM, &symm(&["parallel"])).contains("is marked parallel"));
    assert_eq!(fault(SYMM, &symm(&["parallel", "private t"])), "legal");
}

#[test]
fn what_a_budget_around_leaves_undecided_is_not_illegal() {
    let scop = common::scop(SYMM);
    let tree = tree(&scop, &symm(&["parallel", "private t"]));
    let (mut n_undecided, mut budget) = (0, 100);
    loop {
        match farkas_poly::with_budget(budget, || check(&scop, &tree)) {
            Err(Error::OutOfBudget) => n_undecided += 1,
            verdict => break assert_eq!(verdict, Ok(Verdict::Legal), "with {budget} operations"),
        }
        budget += budget / 20;
    }
    assert!(n_undecided > 10);
}

#[test]
fn recurrences_in_scalars() {
    let rows = |marks: &[&str], inner: &str| {
        let body = "{ sequence: [ { filter: '{ S[i, j] }' }, { filter: '{ T[i, j] }' }, { filter: '{ U[i, j] }' } ] }";
        let columns = format!(
            "{{ schedule: '[{{ S[i, j] -> [(j)]; T[i, j] -> [(j)]; U[i, j] -> [(j)] }}]', child: {body} }}"
        );
        let columns = under(&[inner], columns);
        let body = format!(
            "{{ sequence: [ {{ filter: '{{ Z[i] }}' }}, {{ filter: '{{ S[i, j]; T[i, j]; U[i, j] }}', child: {columns} }} ] }}"
        );
        let band = format!(
            "{{ schedule: '[{{ Z[i] -> [(-i)]; S[i, j] -> [(-i)]; T[i, j] -> [(-i)]; U[i, j] -> [(-i)] }}]', child: {body} }}"
        );
        under(marks, band)
    };
    assert_eq!(fault(DERICHE, &rows(&["parallel", "private x,y"], "point")), "legal");
    assert!(fault(DERICHE, &rows(&["parallel", "private x"], "point")).contains(" y "));
    // Along a row the scalars carry values.
    assert!(fault(DERICHE, &rows(&[], "vector")).contains("is marked vector"));
}

/// The loops of [`DOITGEN`] over tiles of the outer two, then their points.
fn doitgen(marks: &[&str], points: [&str; 2]) -> String {
    let band = |row: &str, child: &str| {
        format!(
            "{{ schedule: '[{{ Z[r, q, p] -> [({row})]; S[r, q, p, k] -> [({row})]; T[r, q, p] -> [({row})] }}]', child: {child} }}"
        )
    };
    let p = "{ sequence: [ { filter: '{ Z[r, q, p] }', child: { schedule: '[{ Z[r, q, p] -> [(p)] }]' } },
        { filter: '{ S[r, q, p, k] }', child: { schedule: '[{ S[r, q, p, k] -> [(p)] }, { S[r, q, p, k] -> [(k)] }]' } },
        { filter: '{ T[r, q, p] }', child: { schedule: '[{ T[r, q, p] -> [(p)] }]' } } ] }";
    let [first, second] = points;
    let tile = |x: &str| format!("floor({x}/4)");
    under(marks, band(&tile("r"), &band(&tile("q"), &band(first, &band(second, p)))))
}

#[test]
fn tiles_of_loops_that_reuse_an_array() {
    assert_eq!(fault(DOITGEN, &doitgen(&[], ["r", "q"])), "legal");
    assert_eq!(fault(DOITGEN, &doitgen(&[], ["q", "r"])), "legal");
    assert_eq!(fault(DOITGEN, &doitgen(&["parallel", "private s"], ["q", "r"])), "legal");
    assert!(fault(DOITGEN, &doitgen(&["parallel"], ["q", "r"])).contains("is marked parallel"));
    // Points of a tile that run together share the array.
    assert!(fault(DOITGEN, &doitgen(&[], ["q", "0"])) != "legal");
}

/// What the marked loops of a tree need: arrays, and why not.
fn needs(scop: &str, schedule: &str) -> Vec<String> {
    let scop = common::scop(scop);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let found = privatisations(&scop, &deps, &tree(&scop, schedule)).unwrap();
    let text = |p: &farkas_deps::legality::Privatisation| {
        let names: Vec<&str> = p.arrays.iter().map(|a| &scop.arrays()[*a].name[..]).collect();
        let why: Vec<String> = p.obstacles.iter().map(ToString::to_string).collect();
        format!("{}: {} {}", p.cursor, names.join(","), why.join("; "))
    };
    found.iter().filter(|p| p.is_marked).map(text).collect()
}

#[test]
fn what_parallel_loops_need() {
    assert_eq!(needs(SYMM, &symm(&["parallel"])), ["/0/0: t "]);
    assert!(needs(SYMM, &symm(&[])).is_empty());
    assert_eq!(needs(DOITGEN, &doitgen(&["parallel"], ["r", "q"])), ["/0/0: s "]);
    let carried = TEMPORARY.replace("r A[i], w t[]", "r t[], w t[]");
    assert_eq!(
        needs(&carried, &temporary(&["vector"], "i")),
        [
            "/0/0: t with n = 1, t cannot be private to each iteration of the loop at /0/0: S(i = 0) reads what was there before the region"
        ]
    );
}
