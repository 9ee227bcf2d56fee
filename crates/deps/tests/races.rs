//! Trees with kernels of a GPU: what threads and blocks may do at the same time, and what they may not.

mod common;

use farkas_deps::Error;
use farkas_deps::legality::{MissingBarriers, Verdict, check};
use farkas_tree::ScheduleTree;

/// Tiles of four elements: a value is computed, then its neighbour's is read.
const NEIGHBOURS: &str = "
    params n : n >= 1
    S[i] : 0 <= i < n @ 0, i : w A[i]
    T[i] : 0 <= i < n @ 1, i : r A[i - (i mod 4) + 3 - (i mod 4)], w B[i]";

/// What the check says of the instances of `scop` in the order of `schedule`.
fn said(scop: &str, schedule: &str) -> Result<String, Error> {
    let scop = common::scop(scop);
    let text = format!("{{ domain: \"{}\", child: {schedule} }}", scop.domain().unwrap());
    let tree: ScheduleTree = text.replace('\'', "\"").parse().unwrap();
    Ok(match check(&scop, &tree)? {
        Verdict::Legal => "legal".into(),
        Verdict::Illegal(found) => found.to_string(),
    })
}

/// A kernel whose blocks run tiles of four of both statements, and what the second begins with.
fn tiles(second: &str) -> String {
    format!(
        "{{ mark: 'kernel 4,1,1', child: {{ mark: 'blocks x', child: {{
          schedule: '[{{ S[i] -> [(floor(i/4))]; T[i] -> [(floor(i/4))] }}]', coincident: [1],
          child: {{ sequence: [
            {{ filter: '{{ S[i] }}', child: {{ mark: 'threads x', child: {{ schedule: '[{{ S[i] -> [(i)] }}]' }} }} }},
            {{ filter: '{{ T[i] }}', child: {second} }} ] }} }} }} }}"
    )
}

/// The loop of the second statement on threads.
const ON_THREADS: &str = "{ mark: 'threads x', child: { schedule: '[{ T[i] -> [(i)] }]' } }";

#[test]
fn threads_wait_at_a_barrier() {
    let with = format!("{{ mark: 'barrier', child: {ON_THREADS} }}");
    assert_eq!(said(NEIGHBOURS, &tiles(&with)).unwrap(), "legal");
    let without = said(NEIGHBOURS, &tiles(ON_THREADS)).unwrap();
    assert_eq!(
        without,
        "with n = 3, flow dependence: S(i = 1) writes A[1] before T(i = 2) reads it, \
         but different threads of a block run them, with no barrier between them (node /0/0/0/0)"
    );
}

#[test]
fn one_thread_waits_for_itself() {
    // The element that is read is the thread's own.
    let own = NEIGHBOURS.replace("r A[i - (i mod 4) + 3 - (i mod 4)]", "r A[i]");
    assert_eq!(said(&own, &tiles(ON_THREADS)).unwrap(), "legal");
    // A loop without threads runs on the first one.
    let first = "{ schedule: '[{ T[i] -> [(i)] }]' }";
    assert!(said(&own, &tiles(first)).unwrap().contains("no barrier between them"));
}

#[test]
fn blocks_never_wait() {
    let shifted = NEIGHBOURS.replace("r A[i - (i mod 4) + 3 - (i mod 4)]", "r A[i - 4]");
    let with = format!("{{ mark: 'barrier', child: {ON_THREADS} }}");
    let found = said(&shifted, &tiles(&with)).unwrap();
    assert!(found.contains("is marked blocks x and has them in different iterations"), "{found}");
    // Two loops over tiles in one launch.
    let apart = "{ mark: 'kernel 1,1,1', child: { sequence: [
        { filter: '{ S[i] }', child: { mark: 'blocks x', child: { schedule: '[{ S[i] -> [(i)] }]' } } },
        { filter: '{ T[i] }', child: { mark: 'blocks x', child: { schedule: '[{ T[i] -> [(i)] }]' } } } ] } }";
    let found = said(NEIGHBOURS, apart).unwrap();
    assert!(found.contains("different blocks of a kernel run them"), "{found}");
    // Two launches.
    let launches = "{ sequence: [
        { filter: '{ S[i] }', child: { mark: 'kernel 1,1,1', child: { mark: 'blocks x', child: { schedule: '[{ S[i] -> [(i)] }]' } } } },
        { filter: '{ T[i] }', child: { mark: 'kernel 1,1,1', child: { mark: 'blocks x', child: { schedule: '[{ T[i] -> [(i)] }]' } } } } ] }";
    assert_eq!(said(NEIGHBOURS, launches).unwrap(), "legal");
}

/// Tiles of four elements go through a buffer of a block, from which each thread reads its neighbour's.
const TURNED: &str = "
    params n : n >= 1
    buffer b[4]
    S[i] : 0 <= i < n @ 0, i : w b[i mod 4], r A[i]
    T[i] : 0 <= i < n @ 1, i : r b[3 - (i mod 4)], w B[i]";

#[test]
fn blocks_that_run_several_tiles_wait_before_they_fill_a_buffer_again() {
    let missing = |scop: &str, schedule: &str| {
        let scop = common::scop(scop);
        let text = format!("{{ domain: \"{}\", child: {schedule} }}", scop.domain().unwrap());
        let tree: ScheduleTree = text.replace('\'', "\"").parse().unwrap();
        let found = MissingBarriers::of(&scop).next(&tree).unwrap();
        found.map(|(at, child)| (at.to_string(), child))
    };
    let waiting = format!("{{ mark: 'barrier', child: {ON_THREADS} }}");
    // The innermost comes first: what reads waits for what fills, then one tile for the other.
    let inside = missing(TURNED, &tiles(ON_THREADS)).expect("a barrier");
    assert_eq!(inside, ("/0/0/0/0".to_owned(), Some(1)));
    let around = missing(TURNED, &tiles(&waiting)).expect("a barrier");
    assert_eq!(around, ("/0/0/0".to_owned(), None));
    let each = tiles(&waiting)
        .replace("child: { sequence", "child: { mark: 'barrier', child: { sequence")
        + "}";
    assert_eq!(missing(TURNED, &each), None);
    // What each thread has to itself needs none.
    let own = TURNED.replace("r b[3 - (i mod 4)]", "r b[i mod 4]");
    assert_eq!(missing(&own, &tiles(ON_THREADS)), None);
}

/// A sum of the elements of each row, in steps that all threads go through together.
const STEPS: &str = "
    params n : n >= 1
    S[k, i] : 0 <= k < n and 0 <= i < 4 @ k, i : r A[3 - i], w A[i]";

#[test]
fn iterations_wait_where_each_begins_with_a_barrier() {
    let with = |barrier: &str, end: &str| {
        format!(
            "{{ mark: 'kernel 4,1,1', child: {{ schedule: '[{{ S[k, i] -> [(k)] }}]', child: {barrier}
               {{ mark: 'threads x', child: {{ schedule: '[{{ S[k, i] -> [(i)] }}]' }} }} {end} }} }}"
        )
    };
    let own = STEPS.replace("A[3 - i]", "A[i]");
    assert_eq!(said(&own, &with("", "")).unwrap(), "legal");
    let found =
        said(&own.replace("w A[i]", "w A[i], w A[i + 1]"), &with("{ mark: 'barrier', child:", "}"));
    assert!(found.unwrap().contains("is marked threads x and has them in different iterations"));
    let ping = STEPS.replace("r A[3 - i], w A[i]", "r A[k mod 2, 3 - i], w A[1 - k mod 2, i]");
    assert!(said(&ping, &with("", "")).unwrap().contains("no barrier between them"));
    assert_eq!(said(&ping, &with("{ mark: 'barrier', child:", "}")).unwrap(), "legal");
}

#[test]
fn marks_stand_where_they_mean_something() {
    let one = "params n : n >= 1
        S[i, j] : 0 <= i < n and 0 <= j < n @ i, j : w A[i, j]";
    let band = |i: &str| format!("{{ schedule: '[{{ S[i, j] -> [({i})] }}]'");
    let cases = [
        (format!("{{ mark: 'threads x', child: {} }} }}", band("i")), "in a kernel"),
        (format!("{{ mark: 'barrier', child: {} }} }}", band("i")), "barrier"),
        (
            format!(
                "{{ mark: 'kernel 4,1,1', child: {{ mark: 'threads x', child: {}, child: {{ mark: 'threads x', child: {} }} }} }} }} }}",
                band("i"),
                band("j")
            ),
            "one of the loops",
        ),
        (
            format!(
                "{{ mark: 'kernel 4,1,1', child: {{ mark: 'threads x', child: {}, child: {{ mark: 'barrier', child: {} }} }} }} }} }}",
                band("i"),
                band("j")
            ),
            "barrier",
        ),
        (
            format!(
                "{{ mark: 'kernel 4,1,1', child: {{ mark: 'kernel 1,1,1', child: {} }} }} }}",
                band("i")
            ),
            "no other one",
        ),
    ];
    for (schedule, words) in cases {
        let error = said(one, &schedule).unwrap_err().to_string();
        assert!(error.contains(words), "{schedule}: {error}");
    }
}
