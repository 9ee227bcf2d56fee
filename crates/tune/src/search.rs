//! The search: which points are built, in which order.
//!
//! First the schedules: the generic strategies, then cost functions with fusion, each schedule once, with tiles and
//! without. Then, as long as that finds something faster, what differs in one choice from the best. Then tile sizes and
//! post-processing of the best. At last the best run against the generic strategies anew, so that luck in a race does
//! not count.

use crate::ledger::{Candidate, CandidateId, Ledger};
use crate::point::Point;
use crate::space::{
    COSTS, DEFAULT_STRATEGY, GENERIC_NAMES, MODEL_STRATEGY, Subject, finishes, generic_points,
    neighbours, seeds, tilings,
};
use crate::verdict::{Verdict, judge};
use crate::workbench::{Choice, Phase, Progress, Workbench};
use crate::{Contest, Pruned};
use farkas_run::bench::Outcome;
use std::collections::BTreeMap;

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The most candidates that are built; at least `auto` is.
    pub budget: usize,
    /// Rounds of the confirmation.
    pub rounds: usize,
}

/// What came of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Exploration {
    /// The candidates, in the order in which they were found.
    pub candidates: Vec<Candidate>,
    /// Points that were no candidates.
    pub pruned: Pruned,
    /// The last runs of the best candidates.
    pub contest: Contest,
    /// Which candidate is to be written.
    pub verdict: Verdict,
    /// Whether the budget of candidates was used up.
    pub is_cut: bool,
}

/// The best are refined, not the one that happens to lead.
const WIDTH: usize = 2;
/// Candidates of the space that the generic strategies are compared with at last.
const FINALISTS: usize = 3;
/// Generic strategies there.
const RIVALS: usize = 2;
/// Times that neighbours of the best are looked at.
const MAX_STEPS: usize = 3;

/// A search under way.
pub(crate) struct Search<'a, W: Workbench> {
    pub(crate) bench: &'a mut W,
    pub(crate) ledger: Ledger<W::Built>,
    subject: &'a Subject,
    settings: Settings,
}

/// A point that may become a candidate.
struct Entrant {
    choice: Choice,
    generic: Option<&'static str>,
    schedule: String,
}

/// Searches for the fastest strategy.
///
/// # Errors
/// What the workbench cannot go on after.
pub fn search<W: Workbench>(
    bench: &mut W,
    subject: &Subject,
    settings: Settings,
) -> Result<Exploration, W::Error> {
    let mut search = Search { bench, ledger: Ledger::new(), subject, settings };
    search.schedules()?;
    search.neighbours()?;
    search.shapes()?;
    let contest = search.confirm()?;
    let candidates: Vec<Candidate> =
        search.ledger.candidates.into_iter().map(|(candidate, _)| candidate).collect();
    let verdict = judge(&candidates, &contest);
    let is_cut = candidates.len() >= settings.budget;
    Ok(Exploration { verdict, contest, pruned: search.ledger.pruned, candidates, is_cut })
}

impl<W: Workbench> Search<'_, W> {
    /// Each schedule of the first points, with tiles and without.
    fn schedules(&mut self) -> Result<(), W::Error> {
        // A budget that does not suffice for all is shared with what comes later, which begins with a point: the second candidate.
        let budget = self.settings.budget;
        let share = budget.div_ceil(2).max(2).min(budget);
        let mut entered = Vec::new();
        for entrant in self.lineup() {
            if self.is_spent(share) {
                break;
            }
            self.ledger.is_new_schedule(&entrant.schedule);
            entered.extend(self.enter(
                entrant.choice.clone(),
                entrant.generic,
                Phase::Schedules,
                share,
            )?);
            if let Some(point) = entrant.choice.point() {
                let bare = Choice::Point(Box::new(point.clone().tiled(&[])));
                entered.extend(self.enter(bare, None, Phase::Schedules, share)?);
            }
        }
        self.race(&entered)
    }

    /// The generic strategies and the seeds, each schedule once, the generic ones first.
    fn lineup(&mut self) -> Vec<Entrant> {
        let mut lineup: Vec<Entrant> = Vec::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for (generic, choice) in first_choices() {
            self.report(Phase::Schedules);
            if self.bench.is_over() && !lineup.is_empty() {
                break;
            }
            let Ok(schedule) = self.bench.schedule(&choice) else {
                self.ledger.pruned.infeasible += 1;
                continue;
            };
            match known.get(&schedule) {
                // The point stands for the strategy that is no file.
                Some(&at) => {
                    self.ledger.pruned.equal_schedules += 1;
                    lineup[at].generic = lineup[at].generic.or(generic);
                }
                None => {
                    known.insert(schedule.clone(), lineup.len());
                    lineup.push(Entrant { choice, generic, schedule });
                }
            }
        }
        lineup.sort_by_key(|entrant| entrant.generic.is_none());
        lineup
    }

    /// Points that differ in one choice from the best, again and again while the best changes.
    fn neighbours(&mut self) -> Result<(), W::Error> {
        let share = (3 * self.settings.budget).div_ceil(4);
        let mut last = None;
        for _ in 0..MAX_STEPS {
            let ranked = self.ledger.best_of_race(|_| true);
            let best = self.best_points(&ranked, WIDTH);
            if best.first().map(|(id, _)| *id) == last || self.is_spent(share) {
                break;
            }
            last = best.first().map(|(id, _)| *id);
            let mut entered = Vec::new();
            for point in in_turns(best.iter().map(|(_, p)| neighbours(p, self.subject)).collect()) {
                let choice = Choice::Point(Box::new(point));
                self.report(Phase::Neighbours);
                if self.is_spent(share) || !self.has_new_schedule(&choice) {
                    continue;
                }
                entered.extend(self.enter(choice, None, Phase::Neighbours, share)?);
            }
            self.race(&entered)?;
        }
        Ok(())
    }

    /// Tile sizes of the best schedules, then what else may be done to the best point.
    fn shapes(&mut self) -> Result<(), W::Error> {
        // The default tiles may have been the reason why a schedule was given up.
        let ranked = self.ledger.fastest(|_| true);
        self.reshape(&ranked, WIDTH + 1, tilings)?;
        let ranked = self.ledger.best_of_race(|_| true);
        self.reshape(&ranked, 1, finishes)
    }

    /// Variants of the first points that have the same schedules.
    fn reshape(
        &mut self,
        ranked: &[CandidateId],
        width: usize,
        variants: impl Fn(&Point) -> Vec<Point>,
    ) -> Result<(), W::Error> {
        let best = self.best_points(ranked, width);
        let mut entered = Vec::new();
        for point in in_turns(best.iter().map(|(_, point)| variants(point)).collect()) {
            let choice = Choice::Point(Box::new(point));
            entered.extend(self.enter(choice, None, Phase::Shapes, self.settings.budget)?);
        }
        self.race(&entered)
    }

    /// The best candidates and generic strategies against each other.
    fn confirm(&mut self) -> Result<Contest, W::Error> {
        self.report(Phase::Confirmation);
        let mut finalists: Vec<CandidateId> = Vec::new();
        let mut add = |ids: Vec<CandidateId>, n: usize| {
            let new: Vec<_> =
                ids.into_iter().take(n).filter(|id| !finalists.contains(id)).collect();
            finalists.extend(new);
        };
        let is_generic = |candidate: &Candidate| candidate.generic.is_some();
        add(self.ledger.fastest(is_generic), RIVALS);
        add(self.ledger.fastest(|c| is_generic(c) && c.choice.point().is_some()), RIVALS);
        // What everyone compares with, and what nothing may end below, even if they were slow.
        for name in [DEFAULT_STRATEGY, MODEL_STRATEGY] {
            add(self.ledger.fastest(|c| c.generic == Some(name)), 1);
        }
        add(self.ledger.best_of_race(|c| !is_generic(c)), FINALISTS);
        finalists.retain(|&id| self.ledger.built(id).is_some());
        if finalists.is_empty() {
            return Ok(Contest::default());
        }
        let programs: Vec<&W::Built> =
            finalists.iter().filter_map(|&id| self.ledger.built(id)).collect();
        let measured = self.bench.measure(&programs, self.settings.rounds)?;
        let mut contest = Contest { original: measured.original, times: Vec::new() };
        for (&id, outcome) in finalists.iter().zip(measured.programs) {
            match outcome {
                Ok(seconds) => contest.times.push((id, seconds)),
                Err(failure) => self.ledger.get_mut(id).failure = Some(failure),
            }
        }
        Ok(contest)
    }

    /// Makes and builds a candidate where the budget `share` allows it and no other has the same loops.
    fn enter(
        &mut self,
        choice: Choice,
        generic: Option<&'static str>,
        phase: Phase,
        share: usize,
    ) -> Result<Option<CandidateId>, W::Error> {
        if self.is_spent(share) {
            return Ok(None);
        }
        let (program, failure) = match self.bench.transform(&choice) {
            Ok(program) => (Some(program), None),
            Err(reason) => (None, Some(Outcome::NotTransformed { reason })),
        };
        if let Some(twin) = program.as_ref().and_then(|p| self.ledger.with_program(&p.key)) {
            self.ledger.pruned.equal_programs += 1;
            let twin = self.ledger.get_mut(twin);
            twin.generic = twin.generic.or(generic);
            return Ok(None);
        }
        let (built, failure) = match &program {
            Some(program) => match self.bench.build(&program.text)? {
                Ok(built) => (Some(built), failure),
                Err(refusal) => (None, Some(refusal)),
            },
            None => (None, failure),
        };
        let (key, text) = program.map(|p| (p.key, p.text)).unzip();
        let candidate = Candidate {
            choice,
            generic,
            phase,
            text: text.unwrap_or_default(),
            original: Vec::new(),
            seconds: Vec::new(),
            failure,
            is_dropped: false,
        };
        let id = self.ledger.push(key, candidate, built);
        self.report(phase);
        Ok(Some(id))
    }

    /// Whether no candidate may be added: the budget is used up, or the time after the first one.
    fn is_spent(&self, share: usize) -> bool {
        let n = self.ledger.candidates.len();
        n > 0 && (n >= share || self.bench.is_over())
    }

    /// Whether a point has a schedule, and one that no other has.
    fn has_new_schedule(&mut self, choice: &Choice) -> bool {
        match self.bench.schedule(choice) {
            Ok(schedule) => self.ledger.is_new_schedule(&schedule),
            Err(_) => {
                self.ledger.pruned.infeasible += 1;
                false
            }
        }
    }

    /// The first `n` points of a ranking that differ in more than their tiles, with their candidates.
    fn best_points(&self, ranked: &[CandidateId], n: usize) -> Vec<(CandidateId, Point)> {
        let mut best: Vec<(CandidateId, Point)> = Vec::new();
        let tiled = |point: &Point| point.clone().tiled_for_reuse();
        for &id in ranked {
            let Some(point) = self.ledger.get(id).choice.point() else { continue };
            if best.len() < n && !best.iter().any(|(_, other)| tiled(other) == tiled(point)) {
                best.push((id, point.clone()));
            }
        }
        best
    }

    /// Says how far the search is.
    fn report(&mut self, phase: Phase) {
        let best = self.ledger.leading_speedup();
        let (built, budget) = (self.ledger.candidates.len(), self.settings.budget);
        self.bench.tell(Progress { phase, built, budget, best });
    }
}

/// The shipped strategies and the seeds. A strategy that is no point comes behind the points that may stand for it; none stands for the
/// first.
fn first_choices() -> Vec<(Option<&'static str>, Choice)> {
    let point = |point| Choice::Point(Box::new(point));
    let named = |name| (Some(name), Choice::Named(name));
    let mut all = vec![named(MODEL_STRATEGY)];
    all.extend([(None, point(Point::new(COSTS[0]))), named(DEFAULT_STRATEGY)]);
    all.extend(generic_points().into_iter().map(|(name, generic)| (Some(name), point(generic))));
    all.extend(seeds().into_iter().skip(1).map(|seed| (None, point(seed))));
    all.extend(GENERIC_NAMES.map(named));
    all
}

/// The first of each list, then the second of each, and so on.
fn in_turns<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}
