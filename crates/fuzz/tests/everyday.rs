//! Everyday programs are C without undefined behaviour, of every kind, and the shrinker keeps what fails.

use farkas_fuzz::{
    EverydayChecker, EverydayKind, Flags, Transformed, Verdict, generate_everyday, shrink_everyday,
};
use std::collections::BTreeSet;

#[test]
fn programs_run_clean_under_the_sanitizers() {
    let transform = |_: &str, _: &Flags| Transformed::TimedOut;
    let checker = EverydayChecker::new(&transform);
    for seed in 1000..1016 {
        let verdict = checker.check_original(&generate_everyday(seed));
        assert_eq!(verdict, Verdict::Same, "seed {seed}: {}", verdict.message());
    }
}

#[test]
fn every_kind_occurs() {
    let found: BTreeSet<EverydayKind> =
        (0..600).flat_map(|seed| generate_everyday(seed).kinds()).collect();
    let missing: Vec<&str> =
        EverydayKind::all().filter(|kind| !found.contains(kind)).map(EverydayKind::name).collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
}

#[test]
fn faults_have_their_verdicts() {
    let program = generate_everyday(3);
    let verdict = |transform: &dyn Fn(&str, &Flags) -> Transformed| {
        EverydayChecker::new(transform).check(&program, &Flags::of_seed(3))
    };
    let unchanged = verdict(&|text, _| Transformed::Text(text.to_owned()));
    assert_eq!(unchanged, (Verdict::Same, false));
    let replaced = |from: &'static str, to: &'static str| {
        move |text: &str, _: &Flags| Transformed::Text(text.replace(from, to))
    };
    let (other, changed) = verdict(&replaced("puts(\"\");", "puts(\".\");"));
    assert!(matches!(other, Verdict::Wrong(_)) && changed, "{other:?}");
    let (report, _) =
        verdict(&replaced("return 0;", "volatile int most = INT_MAX; most = most + 1; return 0;"));
    assert!(report.class().contains("signed integer overflow"), "{report:?}");
}

#[test]
fn what_matters_stays_when_programs_shrink() {
    let kind = EverydayKind::OverlappingPointers;
    let mut found = 0;
    for seed in 0..60 {
        let program = generate_everyday(seed);
        if !program.kinds().contains(&kind) {
            continue;
        }
        found += 1;
        let small = shrink_everyday(&program, 4000, &mut |p| p.kinds().contains(&kind));
        assert!(small.kinds().contains(&kind));
        let (before, after) = (program.text().len(), small.text().len());
        assert!(after < before, "seed {seed}: {before} to {after}");
        assert_eq!((small.functions.len(), small.calls.len()), (1, 1), "{}", small.text());
    }
    assert!(found > 5);
}
