//! The evolution on times that are made up, with an optimum that is known.

use farkas_tune::evolve::{
    Answer, Broke, Clock, Evaluator, Evolution, Failed, Job, Journal, Line, Made, Nest, Progress,
    Rival, Seed, Settings, Workshop, evolve,
};
use serde_json::{Value, json};
use std::time::Duration;

/// A program is a recipe's tile sizes. Sizes in a wrong order are illegal.
struct Toy {
    noted: usize,
    has_recipe: bool,
}

fn recipe(sizes: &[i64]) -> String {
    let mut steps = vec![json!({"step": "schedule", "strategy": "pluto"})];
    steps.extend(sizes.iter().map(|size| json!({"step": "tile", "loop": "S0.1", "sizes": [size]})));
    json!({"recipe": {"steps": steps}}).to_string()
}

impl Workshop for Toy {
    type Error = String;

    fn rival(&mut self) -> Result<Rival, String> {
        let recipe = recipe(&[32, 32]);
        let made = self.make(&recipe)?;
        let recipe = self.has_recipe.then_some(recipe);
        Ok(Rival { made, recipe, origin: "auto".into() })
    }

    fn seeds(&mut self, epoch: usize) -> Result<Vec<Seed>, String> {
        let seed = |sizes: &[i64]| Seed { recipe: recipe(sizes), origin: format!("epoch {epoch}") };
        Ok(match epoch {
            0 => vec![seed(&[16, 16]), seed(&[32, 32]), seed(&[8, 300])],
            _ => vec![seed(&[64]), Seed { recipe: "none".into(), origin: "database".into() }],
        })
    }

    fn make(&mut self, recipe: &str) -> Result<Made, String> {
        let file: Value = serde_json::from_str(recipe).map_err(|e| e.to_string())?;
        let steps = file["recipe"]["steps"].as_array().ok_or("no steps")?;
        let sizes: Vec<i64> = steps.iter().filter_map(|step| step["sizes"][0].as_i64()).collect();
        match sizes.len() {
            0..=4 if sizes.iter().all(|&size| size > 0) => Ok(Made { text: format!("{sizes:?}") }),
            _ => Err("it is not legal".into()),
        }
    }

    fn note(&mut self, _: &str, answer: &Answer, at: usize, _: u64) -> Result<(), String> {
        assert!(at < answer.results.len());
        self.noted += 1;
        Ok(())
    }

    fn tell(&mut self, progress: Progress) {
        assert!(progress.candidates <= progress.settings.candidates);
    }
}

/// Made-up times: the best are tiles of 96 and 12. It ends after a number of jobs.
struct Stopwatch {
    width: Option<usize>,
    jobs_left: usize,
    done: usize,
    /// How many times as fast as the rival the best may be.
    gain: u64,
}

impl Stopwatch {
    fn result(&self, text: &str, rounds: usize) -> Result<Vec<u64>, Failed> {
        let sizes: Vec<u64> = serde_json::from_str(text).expect("sizes");
        if sizes.contains(&300) {
            return Err(Failed { kind: Broke::Crash, text: "signal 11".into() });
        }
        let distance = |size: Option<&u64>, best: u64| size.map_or(400, |size| size.abs_diff(best));
        let distance = distance(sizes.first(), 96) + distance(sizes.get(1), 12);
        let ns = 1_000 + self.gain * distance;
        Ok((0..rounds as u64).map(|round| ns + round % 2).collect())
    }
}

impl Evaluator for Stopwatch {
    type Error = String;

    fn width(&self) -> Option<usize> {
        self.width
    }

    fn evaluate(
        &mut self,
        jobs: &[Job],
        heard: &mut dyn FnMut(usize, Answer) -> Result<(), String>,
    ) -> Result<(), String> {
        // Answers come in another order than jobs.
        for (at, job) in jobs.iter().enumerate().rev() {
            self.jobs_left = self.jobs_left.checked_sub(1).ok_or("cut off")?;
            self.done += 1;
            let results = job.texts.iter().map(|text| self.result(text, job.rounds)).collect();
            let original_ns = vec![5_000; job.rounds];
            let (machine, compiler) = ("toy".into(), "none 1".into());
            let answer = Answer { machine, compiler, original_ns, results };
            assert!(answer.fits(job));
            heard(at, answer)?;
        }
        Ok(())
    }
}

const SETTINGS: Settings = Settings {
    epochs: 3,
    iterations: 3,
    population: 12,
    candidates: 200,
    time: Duration::from_secs(60),
    rounds: 5,
    seed: 1,
};

/// Searches with what a journal knows, up to a number of jobs: what came of it, all lines, and how many jobs were done.
fn searched(
    settings: Settings,
    watch: Stopwatch,
    known: &[Line],
) -> (Result<Evolution, String>, Vec<Line>, usize) {
    let mut lines = known.to_vec();
    let mut keep = |line: &Line| {
        lines.push(line.clone());
        Ok(())
    };
    let clock = || Clock { running: Duration::from_millis(5), at_s: 7 };
    let mut journal = Journal::new(watch, known.to_vec(), &mut keep, &clock);
    let nest = Nest { stmts: vec![("S0".into(), 2)] };
    let mut toy = Toy { noted: 0, has_recipe: true };
    let found = evolve(&mut toy, &mut journal, &nest, settings);
    drop(journal);
    let n_new = lines.len() - known.len();
    (found, lines, n_new)
}

fn watch(width: Option<usize>) -> Stopwatch {
    Stopwatch { width, jobs_left: usize::MAX, done: 0, gain: 10 }
}

#[test]
fn what_is_known_to_be_best_is_found() {
    let long = Settings { iterations: 8, population: 20, candidates: 500, ..SETTINGS };
    for seed in [1, 2, 3] {
        let (found, ..) = searched(Settings { seed, ..long }, watch(None), &[]);
        let found = found.expect("it ends");
        let winner = found.verdict.winner.expect("a winner");
        let best = &found.individuals[winner];
        assert!(found.verdict.is_better);
        let sizes: Vec<u64> = serde_json::from_str(&best.text).expect("sizes");
        assert_eq!(sizes[0], 96, "{}", best.text);
        assert!((8..=16).contains(&sizes[1]), "{}", best.text);
        assert!(best.recipe().expect("a recipe").contains("\"strategy tune\""));
    }
}

#[test]
fn failures_are_no_scores() {
    let (found, ..) = searched(SETTINGS, watch(None), &[]);
    let found = found.expect("it ends");
    let failed: Vec<_> = found.individuals.iter().filter(|one| one.failure.is_some()).collect();
    assert!(!failed.is_empty() && failed.iter().all(|one| one.speedup().is_none()));
    let in_contest = |at: usize| found.contest.seconds(at).is_some();
    assert!(
        (0..found.individuals.len())
            .all(|at| !in_contest(at) || found.individuals[at].failure.is_none())
    );
    assert!(found.refused > 0);
}

#[test]
fn what_does_not_beat_the_rival_is_not_written() {
    let even = || Stopwatch { gain: 0, ..watch(None) };
    let (found, ..) = searched(SETTINGS, even(), &[]);
    let found = found.expect("it ends");
    assert_eq!((found.verdict.winner, found.verdict.is_better), (Some(0), false));
}

#[test]
fn slow_candidates_cost_little() {
    let (found, ..) = searched(SETTINGS, watch(None), &[]);
    let found = found.expect("it ends");
    let rounds = |one: &farkas_tune::evolve::Individual| one.ns.len();
    let dropped: Vec<_> = found.individuals.iter().filter(|one| one.is_dropped).collect();
    assert!(dropped.len() * 3 > found.individuals.len());
    let once = dropped.iter().filter(|one| rounds(one) == 1).count();
    assert!(once * 2 > dropped.len(), "{once} of {}", dropped.len());
}

#[test]
fn one_job_for_each_program_gives_the_same() {
    let (together, ..) = searched(SETTINGS, watch(None), &[]);
    let (alone, ..) = searched(SETTINGS, watch(Some(1)), &[]);
    assert_eq!(together.expect("it ends"), alone.expect("it ends"));
}

#[test]
fn a_search_that_was_cut_off_goes_on_where_it_was() {
    let settings = Settings { candidates: 30, ..SETTINGS };
    for width in [None, Some(1)] {
        let (whole, lines, _) = searched(settings, watch(width), &[]);
        let whole = whole.expect("it ends");
        for cut in 0..=lines.len() {
            let (cut_off, kept, _) =
                searched(settings, Stopwatch { jobs_left: cut, ..watch(width) }, &[]);
            assert_eq!(cut_off.is_ok(), cut == lines.len());
            assert_eq!(kept, lines[..cut]);
            let (resumed, all, n_new) = searched(settings, watch(width), &kept);
            assert_eq!(
                (resumed.as_ref(), all.len(), n_new),
                (Ok(&whole), lines.len(), lines.len() - cut)
            );
        }
    }
}

#[test]
fn answers_to_other_jobs_are_not_believed() {
    let (_, lines, _) = searched(SETTINGS, watch(None), &[]);
    let mut wrong = lines[0].clone();
    wrong.answer.results.clear();
    let (found, ..) = searched(SETTINGS, watch(None), &[wrong]);
    assert!(found.is_ok());
    let none = Settings { candidates: 1, time: Duration::ZERO, ..SETTINGS };
    let (found, ..) = searched(none, watch(None), &[]);
    let found = found.expect("it ends");
    assert_eq!((found.individuals.len(), found.is_cut, found.verdict.winner), (1, true, Some(0)));
}
