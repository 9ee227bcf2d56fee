//! The search: epochs of iterations, and the last runs.

use crate::evolve::vary::{Nest, crossed, mutated, tournament};
use crate::evolve::{
    Answer, Evaluator, Failed, Genome, Job, Journal, Progress, Stage, Verdict, Workshop,
};
use crate::race::LAPS;
use farkas_base::Random;
use farkas_run::{Speedup, is_faster};
use std::collections::BTreeSet;
use std::time::Duration;

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Epochs, each of which begins with seeds.
    pub epochs: usize,
    /// Iterations an epoch.
    pub iterations: usize,
    /// Individuals that live at a time, and children an iteration.
    pub population: usize,
    /// The most candidates that are run.
    pub candidates: usize,
    /// No candidate is begun after this time.
    pub time: Duration,
    /// Rounds of the last runs.
    pub rounds: usize,
    /// Of the random numbers.
    pub seed: u64,
}

/// A recipe whose program was proved, and how fast it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Individual {
    /// The recipe; none for a rival that no recipe gives.
    pub genome: Option<Genome>,
    /// Where it is from.
    pub origin: String,
    /// The program.
    pub text: String,
    /// Nanoseconds of the original in the rounds in which it ran.
    pub original_ns: Vec<u64>,
    /// Its own nanoseconds in these rounds.
    pub ns: Vec<u64>,
    /// Why it has no score, where it has none.
    pub failure: Option<Failed>,
    /// Whether it was given up because it is far slower than others.
    pub is_dropped: bool,
}

/// What came of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Evolution {
    /// All that ran, in the order in which they were found; the rival is the first.
    pub individuals: Vec<Individual>,
    /// Recipes that made no program.
    pub refused: usize,
    /// Recipes that made the program of another one.
    pub equal: usize,
    /// The last runs.
    pub contest: Contest,
    /// What is to be written.
    pub verdict: Verdict,
    /// Whether it ended because time or candidates were used up.
    pub is_cut: bool,
}

/// The last runs, in rounds of their own.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Contest {
    /// Seconds of the original, one a round.
    pub original_s: Vec<f64>,
    /// Seconds of individuals in the same rounds; those that failed are left out.
    pub times: Vec<(usize, Vec<f64>)>,
}

impl Contest {
    /// The seconds of an individual.
    pub fn seconds(&self, at: usize) -> Option<&[f64]> {
        self.times.iter().find(|(other, _)| *other == at).map(|(_, seconds)| seconds.as_slice())
    }
}

/// The rival's place among the individuals.
pub const RIVAL: usize = 0;

/// Individuals that the rival runs against at last.
const FINALISTS: usize = 3;

/// Recipes that are tried for each child that is wanted: most changes make no sense.
const TRIES: usize = 6;

impl Individual {
    /// The speed-up over the original: the median over the rounds, where it ran and was right in all of them.
    pub fn speedup(&self) -> Option<f64> {
        match self.failure {
            Some(_) => None,
            None => Some(Speedup::of(&seconds(&self.original_ns), &seconds(&self.ns))?.median),
        }
    }

    /// The text of its recipe's file.
    pub fn recipe(&self) -> Option<String> {
        self.genome.as_ref().map(Genome::text)
    }
}

/// Nanoseconds as seconds.
fn seconds(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 * 1e-9).collect()
}

/// A search under way.
struct Search<'s, 'j, W: Workshop, E: Evaluator<Error = W::Error>> {
    workshop: &'s mut W,
    journal: &'s mut Journal<'j, E>,
    nest: &'s Nest,
    settings: Settings,
    random: Random,
    individuals: Vec<Individual>,
    /// Texts of recipes that were tried.
    tried: BTreeSet<String>,
    refused: usize,
    equal: usize,
    stage: Stage,
}

/// Searches for the fastest recipe.
///
/// # Errors
/// What workshop or evaluator cannot go on after.
pub fn evolve<W: Workshop, E: Evaluator<Error = W::Error>>(
    workshop: &mut W,
    journal: &mut Journal<'_, E>,
    nest: &Nest,
    settings: Settings,
) -> Result<Evolution, W::Error> {
    let mut search = Search {
        workshop,
        journal,
        nest,
        settings,
        random: Random::new(settings.seed),
        individuals: Vec::new(),
        tried: BTreeSet::new(),
        refused: 0,
        equal: 0,
        stage: Stage::Seeds(0),
    };
    search.admit_rival()?;
    for epoch in 0..settings.epochs.max(1) {
        if search.is_spent() {
            break;
        }
        search.epoch(epoch)?;
    }
    let is_cut = search.is_spent();
    let contest = search.contest()?;
    let Search { individuals, refused, equal, .. } = search;
    let verdict = judge(&individuals, &contest.times);
    Ok(Evolution { individuals, refused, equal, contest, verdict, is_cut })
}

impl<W: Workshop, E: Evaluator<Error = W::Error>> Search<'_, '_, W, E> {
    /// What is to be beaten is the first individual, and a parent where it has a recipe.
    fn admit_rival(&mut self) -> Result<(), W::Error> {
        let rival = self.workshop.rival()?;
        let genome = rival.recipe.as_deref().and_then(|text| Genome::read(text).ok());
        self.tried.extend(genome.as_ref().map(Genome::text));
        self.push(genome, rival.origin, rival.made.text);
        self.race(&[RIVAL])
    }

    /// An epoch: seeds join those of the population that are best, then children take the place of the slower ones.
    fn epoch(&mut self, epoch: usize) -> Result<(), W::Error> {
        self.stage = Stage::Seeds(epoch);
        let mut seeds = Vec::new();
        for seed in self.workshop.seeds(epoch)? {
            if self.is_spent() {
                break;
            }
            // What is no recipe is as good as one that does not apply.
            match Genome::read(&seed.recipe) {
                Ok(genome) => seeds.extend(self.admit(genome, &seed.origin)),
                Err(_) => self.refused += 1,
            }
        }
        self.race(&seeds)?;
        for iteration in 0..self.settings.iterations {
            if self.is_spent() {
                break;
            }
            self.stage = Stage::Iteration(epoch, iteration);
            let children = self.children(&format!("epoch {}", epoch + 1));
            self.race(&children)?;
        }
        Ok(())
    }

    /// Children of the population: as many as it has places, where so many make sense.
    fn children(&mut self, origin: &str) -> Vec<usize> {
        let parents = self.population();
        let mut children = Vec::new();
        for _ in 0..TRIES * self.settings.population {
            if children.len() >= self.settings.population || parents.is_empty() || self.is_spent() {
                break;
            }
            let (one, other) = (self.parent(&parents), self.parent(&parents));
            let (Some(one), Some(other)) = (one, other) else { break };
            // Half of them have two parents; all but a few of these change, too.
            let is_cross = self.random.chance(50);
            let mut child = if is_cross { crossed(&mut self.random, &one, &other) } else { one };
            if !is_cross || self.random.chance(70) {
                child = mutated(&mut self.random, &child, self.nest);
            }
            children.extend(self.admit(child, origin));
        }
        children
    }

    /// A parent, the fitter the more often.
    fn parent(&mut self, population: &[usize]) -> Option<Genome> {
        let at = population.get(tournament(&mut self.random, population.len()))?;
        self.individuals[*at].genome.clone()
    }

    /// The fittest that have recipes, the fittest first. Those that were given up stand behind those that were not.
    fn population(&self) -> Vec<usize> {
        let mut ranked = self.ranked(|individual| individual.genome.is_some());
        ranked.truncate(self.settings.population.max(1));
        ranked
    }

    /// The individuals with a score that `is_meant` picks, the fittest first; equals in the order in which they were found.
    fn ranked(&self, is_meant: impl Fn(&Individual) -> bool) -> Vec<usize> {
        let scored = |(at, individual): (usize, &Individual)| {
            let speedup = individual.speedup().filter(|_| is_meant(individual))?;
            Some((individual.is_dropped, speedup, at))
        };
        let mut ranked: Vec<(bool, f64, usize)> =
            self.individuals.iter().enumerate().filter_map(scored).collect();
        ranked.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        ranked.into_iter().map(|(_, _, at)| at).collect()
    }

    /// Makes the program of a recipe that is new; its place where the program is new, too.
    fn admit(&mut self, genome: Genome, origin: &str) -> Option<usize> {
        let recipe = genome.text();
        if !self.tried.insert(recipe.clone()) {
            return None;
        }
        self.report();
        let Ok(made) = self.workshop.make(&recipe) else {
            self.refused += 1;
            return None;
        };
        if self.individuals.iter().any(|known| known.text == made.text) {
            self.equal += 1;
            return None;
        }
        Some(self.push(Some(genome), origin.to_owned(), made.text))
    }

    /// Adds an individual that has not run yet.
    fn push(&mut self, genome: Option<Genome>, origin: String, text: String) -> usize {
        self.individuals.push(Individual {
            genome,
            origin,
            text,
            original_ns: Vec::new(),
            ns: Vec::new(),
            failure: None,
            is_dropped: false,
        });
        self.individuals.len() - 1
    }

    /// Runs these as long as they are worth it: few rounds for all, more for those that are not far slower.
    fn race(&mut self, entrants: &[usize]) -> Result<(), W::Error> {
        let mut left = entrants.to_vec();
        for lap in &LAPS {
            self.run(&left, lap.rounds)?;
            left.retain(|&at| self.individuals[at].failure.is_none());
            let speed = |at: usize| self.individuals[at].speedup().unwrap_or(0.0);
            left.sort_by(|&a, &b| speed(b).total_cmp(&speed(a)));
            let speedups: Vec<f64> = left.iter().map(|&at| speed(at)).collect();
            let n_staying = lap.n_staying(&speedups, self.leading().unwrap_or(0.0));
            for at in left.split_off(n_staying) {
                self.individuals[at].is_dropped = true;
            }
            self.report();
            if left.is_empty() || self.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// Runs these for some rounds and notes their times.
    fn run(&mut self, entrants: &[usize], rounds: usize) -> Result<(), W::Error> {
        let width = self.journal.width().unwrap_or(entrants.len()).max(1);
        let groups: Vec<&[usize]> = entrants.chunks(width).collect();
        let text = |&at: &usize| self.individuals[at].text.clone();
        let job = |group: &&[usize]| Job { texts: group.iter().map(text).collect(), rounds };
        let jobs: Vec<Job> = groups.iter().map(job).collect();
        let answers = self.journal.evaluate(&jobs)?;
        for (group, (answer, at_s)) in groups.iter().zip(answers) {
            self.tell_workshop(group, &answer, at_s)?;
            for (&at, result) in group.iter().zip(answer.results) {
                let individual = &mut self.individuals[at];
                match result {
                    Ok(ns) => {
                        individual.ns.extend(ns);
                        individual.original_ns.extend(&answer.original_ns);
                    }
                    Err(failed) => individual.failure = Some(failed),
                }
            }
        }
        Ok(())
    }

    /// Hands an answer on, for each recipe that it is about.
    fn tell_workshop(
        &mut self,
        group: &[usize],
        answer: &Answer,
        at_s: u64,
    ) -> Result<(), W::Error> {
        for (place, &at) in group.iter().enumerate() {
            if let Some(recipe) = self.individuals[at].recipe() {
                self.workshop.note(&recipe, answer, place, at_s)?;
            }
        }
        Ok(())
    }

    /// The best against the rival, in one job: what is compared ran on one machine, in turns.
    fn contest(&mut self) -> Result<Contest, W::Error> {
        self.stage = Stage::Contest;
        self.report();
        let mut finalists = vec![RIVAL];
        let ranked =
            self.ranked(|individual| !individual.is_dropped && individual.genome.is_some());
        finalists.extend(ranked.into_iter().filter(|&at| at != RIVAL).take(FINALISTS));
        finalists.retain(|&at| self.individuals[at].failure.is_none());
        let texts = finalists.iter().map(|&at| self.individuals[at].text.clone()).collect();
        let job = Job { texts, rounds: self.settings.rounds.max(1) };
        let Some((answer, at_s)) = self.journal.evaluate(&[job])?.pop() else {
            return Ok(Contest::default());
        };
        self.tell_workshop(&finalists, &answer, at_s)?;
        let mut times = Vec::new();
        for (&at, result) in finalists.iter().zip(answer.results) {
            match result {
                Ok(ns) => times.push((at, seconds(&ns))),
                Err(failed) => self.individuals[at].failure = Some(failed),
            }
        }
        Ok(Contest { original_s: seconds(&answer.original_ns), times })
    }

    /// The largest speed-up of those that were not given up.
    fn leading(&self) -> Option<f64> {
        let left = self.individuals.iter().filter(|individual| !individual.is_dropped);
        left.filter_map(Individual::speedup).max_by(f64::total_cmp)
    }

    /// Whether the time is used up.
    fn is_over(&self) -> bool {
        self.journal.elapsed() >= self.settings.time
    }

    /// Whether no candidate may be added.
    fn is_spent(&self) -> bool {
        self.individuals.len() >= self.settings.candidates.max(1) || self.is_over()
    }

    /// Says how far the search is.
    fn report(&mut self) {
        self.workshop.tell(Progress {
            stage: self.stage,
            candidates: self.individuals.len(),
            refused: self.refused,
            settings: self.settings,
            best: self.leading(),
        });
    }
}

/// The winner: the fastest of the last runs if it beats the rival by more than their spread, else the rival, where it has a recipe.
fn judge(individuals: &[Individual], contest: &[(usize, Vec<f64>)]) -> Verdict {
    let median = |times: &[f64]| farkas_run::Summary::of(times).map(|summary| summary.median_s);
    let rival = contest.iter().find(|(at, _)| *at == RIVAL);
    let others = contest.iter().filter(|(at, _)| *at != RIVAL);
    let challenger = others.min_by(|a, b| {
        let of = |times: &[f64]| median(times).unwrap_or(f64::INFINITY);
        of(&a.1).total_cmp(&of(&b.1))
    });
    let is_better = match (challenger, rival) {
        (Some((_, own)), Some((_, rival))) => is_faster(own, rival),
        (challenger, None) => challenger.is_some(),
        (None, Some(_)) => false,
    };
    let challenger = challenger.map(|(at, _)| *at);
    let has_recipe = individuals.get(RIVAL).is_some_and(|rival| rival.genome.is_some());
    let winner =
        if is_better { challenger } else { (rival.is_some() && has_recipe).then_some(RIVAL) };
    Verdict { winner, challenger, is_better }
}
