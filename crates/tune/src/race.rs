//! Successive halving, for `explore` and for recipes that evolve: few rounds for all, more rounds for those that are not far slower.

use crate::ledger::CandidateId;
use crate::search::Search;
use crate::workbench::Workbench;

/// A lap of a race.
pub(crate) struct Lap {
    /// Rounds that each candidate is run.
    pub(crate) rounds: usize,
    /// Candidates this many times slower than the best that is left are given up afterwards.
    slack: f64,
    /// As many stay however slow they seem: a single round may mislead.
    least: usize,
}

/// The laps; rounds add up.
pub(crate) const LAPS: [Lap; 3] = [
    Lap { rounds: 1, slack: 2.0, least: 4 },
    Lap { rounds: 2, slack: 1.4, least: 2 },
    Lap { rounds: 4, slack: 1.2, least: 1 },
];

/// As many may stay in any case if they are within the slack.
const PLACES: usize = 4;

impl Lap {
    /// How many candidates stay, the fastest first, of those with these speed-ups, which are sorted; `leading` is the best speed-up that
    /// is known.
    pub(crate) fn n_staying(&self, speedups: &[f64], leading: f64) -> usize {
        let places = PLACES.max(speedups.len().div_ceil(2)).min(speedups.len());
        let floor = leading / self.slack;
        let is_far = |(place, &speedup): (usize, &f64)| place >= self.least && speedup < floor;
        speedups[..places].iter().enumerate().position(is_far).unwrap_or(places)
    }
}

impl<W: Workbench> Search<'_, W> {
    /// Measures these candidates as long as they are worth it. After each lap the slower half and what is far slower
    /// than the best is given up.
    ///
    /// **Paper** K. Jamieson, A. Talwalkar, *Non-stochastic Best Arm Identification and Hyperparameter Optimization*,
    /// AISTATS 2016 (successive halving). Ours differs: what is far slower goes at once, too.
    pub(crate) fn race(&mut self, entrants: &[CandidateId]) -> Result<(), W::Error> {
        let mut left = entrants.to_vec();
        for lap in &LAPS {
            self.run_lap(&mut left, lap.rounds)?;
            left.sort_by(|&a, &b| self.ledger.faster_first(a, b));
            let speedup = |id: &CandidateId| self.ledger.get(*id).speedup().unwrap_or(0.0);
            let speedups: Vec<f64> = left.iter().map(speedup).collect();
            let leading = self.ledger.leading_speedup().unwrap_or(0.0);
            for id in left.split_off(lap.n_staying(&speedups, leading)) {
                self.ledger.get_mut(id).is_dropped = true;
            }
            if self.bench.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// Runs the candidates for some rounds and notes their times; those that fail leave.
    fn run_lap(&mut self, left: &mut Vec<CandidateId>, rounds: usize) -> Result<(), W::Error> {
        left.retain(|&id| self.ledger.built(id).is_some());
        if left.is_empty() {
            return Ok(());
        }
        let programs: Vec<&W::Built> =
            left.iter().filter_map(|&id| self.ledger.built(id)).collect();
        let measured = self.bench.measure(&programs, rounds)?;
        for (&id, outcome) in left.iter().zip(measured.programs) {
            let candidate = self.ledger.get_mut(id);
            match outcome {
                Ok(seconds) => {
                    candidate.seconds.extend(seconds);
                    candidate.original.extend(&measured.original);
                }
                Err(failure) => candidate.failure = Some(failure),
            }
        }
        left.retain(|&id| self.ledger.get(id).failure.is_none());
        Ok(())
    }
}
