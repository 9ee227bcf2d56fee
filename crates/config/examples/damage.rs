//! Reads many damaged strategy and influence files and says what came of it; a panic or a message without a place ends
//! it.
//!
//!     cargo run --release -p farkas-config --example damage -- COUNT [SEED]

#[path = "../tests/it/common.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod common;
#[path = "../tests/it/mutations.rs"]
mod mutations;

use std::io::Write;

fn main() {
    let number = |n: usize| std::env::args().nth(n).and_then(|text| text.parse::<u64>().ok());
    let count = usize::try_from(number(1).unwrap_or(10_000)).unwrap_or(usize::MAX);
    let tally = mutations::damage(count, number(2).unwrap_or(1));
    let (good, bad) = (tally.good, tally.bad);
    let _ = writeln!(std::io::stdout(), "{good} accepted, {bad} refused with located messages");
}
