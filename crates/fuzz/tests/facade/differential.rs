//! A bounded run with fixed seeds: original and transformed programs print the same bits. `farkas-fuzz` is for long
//! runs.

use crate::transform::transform;
use farkas_fuzz::{Checker, Flags, Shape, Verdict, generate};

const SEEDS: std::ops::Range<u64> = 1..61;

#[test]
#[ignore = "long"]
fn original_and_result_print_the_same_bits() {
    let checker = Checker::new(&transform);
    let mut rejected = 0;
    for seed in SEEDS {
        let flags = Flags::of_seed(seed);
        let program = generate(seed, &Shape::small());
        let verdict = checker.check(&program, &flags);
        let told = verdict.message();
        match verdict {
            Verdict::Same => {}
            Verdict::Rejected(_) => rejected += 1,
            _ => panic!(
                "seed {seed} with {flags}: {}: {told}\n{}",
                verdict.kind(),
                program.text().unwrap_or_default()
            ),
        }
    }
    assert!(rejected <= 3, "{rejected} programs were refused");
}
