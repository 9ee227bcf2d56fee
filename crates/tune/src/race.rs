//! Successive halving: few rounds for all, more rounds for those that are not far slower.

use crate::ledger::CandidateId;
use crate::search::Search;
use crate::workbench::Workbench;

/// A lap of a race.
struct Lap {
    /// Rounds that each candidate is run.
    rounds: usize,
    /// Candidates this many times slower than the best that is left are given up afterwards.
    slack: f64,
    /// As many stay however slow they seem: a single round may mislead.
    least: usize,
}

/// The laps; rounds add up.
const LAPS: [Lap; 3] = [
    Lap { rounds: 1, slack: 2.0, least: 4 },
    Lap { rounds: 2, slack: 1.4, least: 2 },
    Lap { rounds: 4, slack: 1.2, least: 1 },
];

/// As many may stay in any case if they are within the slack.
const PLACES: usize = 4;

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
            let places = PLACES.max(left.len().div_ceil(2));
            let floor = self.ledger.leading_speedup().unwrap_or(0.0) / lap.slack;
            left.sort_by(|&a, &b| self.ledger.faster_first(a, b));
            for (place, &id) in left.iter().enumerate() {
                let candidate = self.ledger.get_mut(id);
                let speedup = candidate.speedup().unwrap_or(0.0);
                candidate.is_dropped = place >= places || (place >= lap.least && speedup < floor);
            }
            left.retain(|&id| !self.ledger.get(id).is_dropped);
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
