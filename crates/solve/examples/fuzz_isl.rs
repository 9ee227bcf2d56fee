//! Compares our solver with isl's on many random systems.
//!
//! `cargo run --release -p farkas-solve --example fuzz_isl [count] [seed]`

#[path = "../tests/common/mod.rs"]
mod common;

use std::io::Write;
use std::time::{Duration, Instant};

use farkas_base::Budget;
use farkas_solve::{IslLexmin, Lexmin, Outcome, Solver};

/// The most units of work for one system: beyond it, a system is counted as not compared.
const LIMIT: u64 = 200_000;

/// The same for isl, which needs more.
const ISL_LIMIT: u64 = 20_000_000;

/// How the comparison went.
#[derive(Default)]
struct Tally {
    agreed: u64,
    differ: u64,
    infeasible: u64,
    ours_out: u64,
    isl_out: u64,
    ours_time: Duration,
    isl_time: Duration,
}

/// Compares one system.
fn compare(
    random: &mut common::Random,
    tally: &mut Tally,
) -> Result<(), Box<dyn std::error::Error>> {
    let problem = common::system(random);
    let start = Instant::now();
    let ours = Lexmin::from(problem.clone()).minimize(&Budget::new(LIMIT))?;
    tally.ours_time += start.elapsed();
    let start = Instant::now();
    let isl = IslLexmin::from(problem.clone()).minimize(&Budget::new(ISL_LIMIT))?;
    tally.isl_time += start.elapsed();
    match (&ours, &isl) {
        (Outcome::OutOfBudget, _) => tally.ours_out += 1,
        (_, Outcome::OutOfBudget) => tally.isl_out += 1,
        _ if ours == isl => tally.agreed += 1,
        _ => {
            tally.differ += 1;
            writeln!(std::io::stdout(), "ours {ours:?}\nisl {isl:?}\n{problem}")?;
        }
    }
    tally.infeasible += u64::from(ours == Outcome::Infeasible);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments =
        std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let count = arguments.next().unwrap_or(100_000);
    let mut random = common::Random::new(arguments.next().unwrap_or(1));
    let mut tally = Tally::default();
    for _ in 0..count {
        compare(&mut random, &mut tally)?;
    }
    let mut out = std::io::stdout();
    writeln!(out, "{} agreed, {} differ", tally.agreed, tally.differ)?;
    writeln!(
        out,
        "{} infeasible; out of budget: ours {}, isl {}",
        tally.infeasible, tally.ours_out, tally.isl_out
    )?;
    writeln!(out, "ours {:?}, isl with parsing {:?}", tally.ours_time, tally.isl_time)?;
    Ok(())
}
