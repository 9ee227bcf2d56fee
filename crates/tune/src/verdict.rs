//! Which candidate wins, and whether that is more than noise.

use crate::ledger::{Candidate, CandidateId};
use farkas_base::Id;
use farkas_run::{Speedup, is_faster};

/// The last runs, in rounds of their own.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Contest {
    /// Seconds of the original, one a round.
    pub original: Vec<f64>,
    /// Seconds of each finalist in the same rounds; those that failed are left out.
    pub times: Vec<(CandidateId, Vec<f64>)>,
}

impl Contest {
    /// The seconds of a finalist.
    pub fn seconds(&self, id: CandidateId) -> Option<&[f64]> {
        self.times.iter().find(|(other, _)| *other == id).map(|(_, seconds)| seconds.as_slice())
    }

    /// How many times faster a finalist is than the original.
    pub fn speedup(&self, id: CandidateId) -> Option<Speedup> {
        Speedup::of(&self.original, self.seconds(id)?)
    }

    /// How many times faster a finalist is than another.
    pub fn speedup_over(&self, id: CandidateId, other: CandidateId) -> Option<Speedup> {
        Speedup::of(self.seconds(other)?, self.seconds(id)?)
    }

    /// The finalist with the largest median speed-up; of equals the first.
    fn fastest(&self, is_meant: impl Fn(CandidateId) -> bool) -> Option<CandidateId> {
        let mut best: Option<(CandidateId, f64)> = None;
        for &(id, _) in &self.times {
            let Some(Speedup { median, .. }) = self.speedup(id) else { continue };
            if is_meant(id) && best.is_none_or(|(_, fastest)| median > fastest) {
                best = Some((id, median));
            }
        }
        best.map(|(id, _)| id)
    }
}

/// What is written, and what is to be said of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// The candidate to write; none where none works.
    pub winner: Option<CandidateId>,
    /// The fastest generic strategy.
    pub rival: Option<CandidateId>,
    /// Whether the winner beats the rival by more than the spread.
    pub is_special: bool,
}

/// The winner: the fastest point if it beats the fastest generic strategy by more than their spread, else that generic one. Where there
/// is none, the fastest point.
pub fn judge(candidates: &[Candidate], contest: &Contest) -> Verdict {
    let candidate = |id: CandidateId| candidates.get(id.index());
    let is_generic = |id| candidate(id).is_some_and(|c| c.generic.is_some());
    let rival = contest.fastest(is_generic);
    let champion = contest.fastest(|id| !is_generic(id));
    let is_special = match (champion, rival) {
        (Some(champion), Some(rival)) => beats(contest, champion, rival),
        (champion, _) => champion.is_some(),
    };
    Verdict { winner: if is_special { champion } else { rival }, rival, is_special }
}

/// Whether one finalist is faster than another beyond the spread.
fn beats(contest: &Contest, one: CandidateId, other: CandidateId) -> bool {
    match (contest.seconds(one), contest.seconds(other)) {
        (Some(one), Some(other)) => is_faster(one, other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::Point;
    use crate::space::COSTS;
    use crate::workbench::{Choice, Phase};

    fn candidate(generic: Option<&'static str>) -> Candidate {
        Candidate {
            choice: Choice::Point(Box::new(Point::new(COSTS[0]))),
            generic,
            phase: Phase::Schedules,
            text: String::new(),
            original: Vec::new(),
            seconds: Vec::new(),
            failure: None,
            is_dropped: false,
        }
    }

    /// The verdict on pluto, isl and a point with these times.
    fn verdict(pluto: [f64; 5], isl: Option<[f64; 5]>, own: [f64; 5]) -> (Option<usize>, bool) {
        let candidates = [Some("pluto"), Some("isl"), None].map(candidate);
        let id = CandidateId::from_index;
        let mut times = vec![(id(0), pluto.to_vec())];
        times.extend(isl.map(|isl| (id(1), isl.to_vec())));
        times.push((id(2), own.to_vec()));
        let verdict = judge(&candidates, &Contest { original: vec![1.0; 5], times });
        (verdict.winner.map(Id::index), verdict.is_special)
    }

    #[test]
    fn only_what_lies_apart_wins() {
        let pluto = [1.0, 1.1, 1.2, 1.1, 1.0];
        assert_eq!(verdict(pluto, None, [0.8; 5]), (Some(2), true));
        // One slow run is an accident, several are spread.
        assert_eq!(verdict(pluto, None, [0.8, 0.8, 9.0, 0.8, 0.8]), (Some(2), true));
        assert_eq!(verdict(pluto, None, [0.8, 1.05, 0.9, 1.3, 0.9]), (Some(0), false));
        assert_eq!(verdict(pluto, Some([0.5; 5]), [0.8; 5]), (Some(1), false));
    }

    #[test]
    fn no_times_no_winner() {
        assert_eq!(judge(&[], &Contest::default()), Verdict::default());
    }
}
