//! A bounded run of random strategies and influence trees with fixed seeds. `farkas-fuzz --strategies` is for long runs.

use farkas_fuzz::{ConfigTally, Setup, check_case};
use std::ops::Range;
use std::time::{Duration, Instant};

/// What no case comes near: work is bounded by counts, not by time.
const LIMIT: Duration = Duration::from_secs(60);

/// Tries the files of these seeds: each is refused with a place, or followed legally.
fn tried(seeds: Range<u64>) -> ConfigTally {
    let mut tally = ConfigTally::default();
    for seed in seeds {
        let Some(setup) = Setup::of_seed(seed).expect("a temporary folder") else { continue };
        let case = setup.case(seed);
        let start = Instant::now();
        let finding = check_case(&setup, &case);
        let told = format!("seed {seed}: {}\n{}\n{}", case.kind.name(), case.text, setup.text());
        assert_eq!(finding.fault, None, "{told}");
        assert!(start.elapsed() < LIMIT, "{told}");
        tally.add(seed, finding);
    }
    tally
}

#[test]
fn some_files_are_refused_with_a_place_or_followed_legally() {
    let tally = tried(1..61);
    assert!(tally.n_cases >= 40 && tally.count("emitted") >= 5, "{tally}");
}

#[test]
#[ignore = "long"]
fn files_are_refused_with_a_place_or_followed_legally() {
    let tally = tried(1..301);
    let count = |prefix: &str| tally.count(prefix);
    assert!(tally.n_cases >= 200 && count("emitted") >= 30, "{tally}");
    for (accepted, refused) in [
        ("strategy: accepted", "strategy: refused"),
        ("tree: accepted", "tree: refused"),
        ("flat form: accepted", "flat form: refused"),
    ] {
        assert!(count(accepted) >= 20 && count(refused) >= 5, "{tally}");
    }
    for fact in ["strategy: refused: conflicting-constraints", "walk: followed", "walk: given up"] {
        assert!(count(fact) >= 5, "{fact}: {tally}");
    }
}
