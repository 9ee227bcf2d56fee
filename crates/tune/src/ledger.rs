//! The candidates of a search and what is known of each.

use crate::workbench::{Choice, Phase};
use farkas_base::Id;
use farkas_run::Speedup;
use farkas_run::bench::Outcome;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

farkas_base::define_id!(
    /// A candidate.
    pub struct CandidateId("C")
);

/// A program that was made, and how fast it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// How its order was decided.
    pub choice: Choice,
    /// The shipped strategy that has the same order.
    pub generic: Option<&'static str>,
    /// When it was found.
    pub phase: Phase,
    /// The C text; empty where there is none.
    pub text: String,
    /// Seconds of the original, one a round in which the candidate ran.
    pub original: Vec<f64>,
    /// Seconds of the candidate in these rounds.
    pub seconds: Vec<f64>,
    /// Why it is no score, where it is none.
    pub failure: Option<Outcome>,
    /// Whether it was given up because it is far slower than others.
    pub is_dropped: bool,
}

impl Candidate {
    /// The speed-up over the original: the median over the rounds, where it ran and was right in all of them.
    pub fn speedup(&self) -> Option<f64> {
        match self.failure {
            Some(_) => None,
            None => Some(Speedup::of(&self.original, &self.seconds)?.median),
        }
    }

    /// What people call it.
    pub fn label(&self) -> String {
        match self.generic {
            Some(name) => name.to_owned(),
            None => self.choice.label(),
        }
    }
}

/// What became of the points that were looked at but are no candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pruned {
    /// Their schedule is that of another point.
    pub equal_schedules: usize,
    /// Their loops are those of a candidate.
    pub equal_programs: usize,
    /// They leave no schedule.
    pub infeasible: usize,
}

/// All candidates, and which schedules and programs are there.
#[derive(Debug)]
pub(crate) struct Ledger<B> {
    pub(crate) candidates: Vec<(Candidate, Option<B>)>,
    pub(crate) pruned: Pruned,
    schedules: BTreeSet<String>,
    programs: BTreeMap<String, CandidateId>,
}

impl<B> Ledger<B> {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            candidates: Vec::new(),
            pruned: Pruned::default(),
            schedules: BTreeSet::new(),
            programs: BTreeMap::new(),
        }
    }

    /// Remembers a schedule; whether it is new. One that is not counts as pruned.
    pub(crate) fn is_new_schedule(&mut self, key: &str) -> bool {
        let is_new = self.schedules.insert(key.to_owned());
        self.pruned.equal_schedules += usize::from(!is_new);
        is_new
    }

    /// The candidate whose loops have this key.
    pub(crate) fn with_program(&self, key: &str) -> Option<CandidateId> {
        self.programs.get(key).copied()
    }

    /// Adds a candidate; `key` is that of its loops, where there are any.
    pub(crate) fn push(
        &mut self,
        key: Option<String>,
        candidate: Candidate,
        built: Option<B>,
    ) -> CandidateId {
        let id = Id::from_index(self.candidates.len());
        self.programs.extend(key.map(|key| (key, id)));
        self.candidates.push((candidate, built));
        id
    }

    /// A candidate.
    pub(crate) fn get(&self, id: CandidateId) -> &Candidate {
        &self.candidates[id.index()].0
    }

    /// A candidate, to note something.
    pub(crate) fn get_mut(&mut self, id: CandidateId) -> &mut Candidate {
        &mut self.candidates[id.index()].0
    }

    /// The program of a candidate, where it was compiled.
    pub(crate) fn built(&self, id: CandidateId) -> Option<&B> {
        self.candidates.get(id.index())?.1.as_ref()
    }

    /// The ids, in the order in which candidates were found.
    pub(crate) fn ids(&self) -> impl Iterator<Item = CandidateId> + use<B> {
        (0..self.candidates.len()).map(Id::from_index)
    }

    /// The candidates with a score that `is_meant` picks, the fastest first; equals in the order in which they were
    /// found.
    pub(crate) fn fastest(&self, is_meant: impl Fn(&Candidate) -> bool) -> Vec<CandidateId> {
        let is_scored = |candidate: &Candidate| candidate.speedup().is_some();
        let meant = |&id: &CandidateId| is_scored(self.get(id)) && is_meant(self.get(id));
        let mut found: Vec<CandidateId> = self.ids().filter(meant).collect();
        found.sort_by(|&a, &b| self.faster_first(a, b));
        found
    }

    /// The same without those that were given up, whose scores rest on few rounds.
    pub(crate) fn best_of_race(&self, is_meant: impl Fn(&Candidate) -> bool) -> Vec<CandidateId> {
        self.fastest(|candidate| !candidate.is_dropped && is_meant(candidate))
    }

    /// The order of speed-ups, the largest first.
    pub(crate) fn faster_first(&self, a: CandidateId, b: CandidateId) -> Ordering {
        let speed = |id| self.get(id).speedup().unwrap_or(0.0);
        speed(b).total_cmp(&speed(a))
    }

    /// The largest speed-up of those that were not given up.
    pub(crate) fn leading_speedup(&self) -> Option<f64> {
        let left = self.candidates.iter().filter(|(candidate, _)| !candidate.is_dropped);
        left.filter_map(|(candidate, _)| candidate.speedup()).max_by(f64::total_cmp)
    }
}
