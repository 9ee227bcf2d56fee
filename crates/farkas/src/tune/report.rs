//! What a search found, in words.

use super::Tuned;
use farkas_run::{Align, Speedup, Summary, Table, time_words};
use farkas_tune::evolve::{Evolution, RIVAL};
use std::fmt::Write;

/// The last runs as a table, and what is to be made of them.
pub fn describe(tuned: &Tuned) -> String {
    let Evolution { individuals, refused, equal, contest, verdict, is_cut } = &tuned.evolution;
    let n_failed = individuals.iter().filter(|one| one.failure.is_some()).count();
    let mut text = format!(
        "{} candidates, {n_failed} of which failed; {refused} recipes do not apply or are not legal, {equal} make what others make",
        individuals.len()
    );
    if tuned.n_known > 0 {
        let _ = write!(text, "; {} answers are from the journal", tuned.n_known);
    }
    text.push_str(if *is_cut { "; the budget is used up\n" } else { "\n" });
    let mut table = Table::new(&[
        ("last runs", Align::Left),
        ("time", Align::Right),
        ("speed-up", Align::Right),
        ("range", Align::Left),
    ]);
    for (at, times) in &contest.times {
        let (Some(summary), Some(speedup)) =
            (Summary::of(times), Speedup::of(&contest.original_s, times))
        else {
            continue;
        };
        table.row(vec![
            individuals[*at].origin.clone(),
            time_words(summary.median_s),
            format!("{:.2}x", speedup.median),
            format!("{:.2} to {:.2}", speedup.low, speedup.high),
        ]);
    }
    let _ = write!(text, "{table}");
    let own = verdict.challenger.and_then(|at| contest.seconds(at));
    let gain = own.zip(contest.seconds(RIVAL)).and_then(|(own, auto)| Speedup::of(auto, own));
    let _ = match (gain, verdict.is_better, &tuned.recipe) {
        (Some(gain), true, _) => {
            writeln!(text, "best: {:.2} times as fast as what auto makes", gain.median)
        }
        (None, true, _) => writeln!(text, "best: what auto makes fails"),
        (_, false, Some(_)) => writeln!(
            text,
            "best: nothing beats what auto makes beyond the spread; its recipe is written"
        ),
        (_, false, None) => writeln!(
            text,
            "best: nothing beats what auto makes beyond the spread, and no recipe gives exactly that: use `farkas opt` without one"
        ),
    };
    text
}
