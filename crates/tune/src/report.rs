//! What a search found: as a versioned file format, as a table, as the sentence in the strategy's file.

use crate::ledger::{Candidate, CandidateId};
use crate::search::Exploration;
use crate::space::DEFAULT_STRATEGY;
use farkas_base::Id;
use farkas_run::bench::Outcome;
use farkas_run::{Align, Speedup, Summary, Table, time_words};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The version of [`Report`]'s JSON form.
pub const SCHEMA: u32 = 1;

/// What was measured how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Setting {
    /// The file as the user named it.
    pub program: String,
    /// Its name in the strategy's file: that of the file without folder and ending.
    pub name: String,
    /// How all versions were compiled: `gcc -O3 -march=native`.
    pub compiler: String,
    /// The preprocessor's flags: `-DN=100`.
    pub flags: Vec<String>,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// Threads of the transformed programs.
    pub threads: usize,
    /// The relative tolerance that outputs were compared with.
    pub tolerance: f64,
}

/// The results of one search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The version of this format: [`SCHEMA`].
    pub schema: u32,
    /// What was measured how.
    pub setting: Setting,
    /// Points whose schedule is that of another point.
    pub equal_schedules: usize,
    /// Points whose loops are those of a candidate.
    pub equal_programs: usize,
    /// Points that leave no schedule.
    pub infeasible: usize,
    /// The candidates, in the order in which they were found.
    pub candidates: Vec<CandidateReport>,
    /// Seconds of the original in the rounds of the finalists.
    pub original: Vec<f64>,
    /// The last runs, the fastest first.
    pub finalists: Vec<FinalistReport>,
    /// The position of the candidate that is written.
    pub winner: Option<usize>,
    /// Whether it beats the generic strategies by more than the spread.
    pub is_special: bool,
}

/// One candidate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CandidateReport {
    /// What it is.
    pub label: String,
    /// When it was found.
    pub phase: String,
    /// The text of the strategy file; none in reports of old, where some were no files.
    pub strategy: Option<String>,
    /// Seconds of the original in the candidate's rounds.
    pub original: Vec<f64>,
    /// Seconds of the candidate.
    pub seconds: Vec<f64>,
    /// The median speed-up over the original.
    pub speedup: Option<f64>,
    /// Why it is no score, where it is none.
    pub failure: Option<Outcome>,
}

/// A candidate in the last runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FinalistReport {
    /// Its position among the candidates.
    pub candidate: usize,
    /// Seconds, one a round.
    pub seconds: Vec<f64>,
    /// Against the original.
    pub speedup: Option<Speedup>,
    /// Against `pluto`.
    pub speedup_over_pluto: Option<Speedup>,
}

impl Report {
    /// The report of a search.
    pub fn of(exploration: &Exploration, setting: &Setting) -> Self {
        let contest = &exploration.contest;
        let pluto = exploration.generic(DEFAULT_STRATEGY);
        let finalist = |(id, seconds): &(CandidateId, Vec<f64>)| FinalistReport {
            candidate: id.index(),
            seconds: seconds.clone(),
            speedup: contest.speedup(*id),
            speedup_over_pluto: pluto.and_then(|pluto| contest.speedup_over(*id, pluto)),
        };
        let mut finalists: Vec<FinalistReport> = contest.times.iter().map(finalist).collect();
        let speed = |f: &FinalistReport| f.speedup.map_or(0.0, |s| s.median);
        finalists.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
        let candidate = |c: &Candidate| CandidateReport {
            label: c.label(),
            phase: c.phase.name().to_owned(),
            strategy: Some(c.choice.to_text(&setting.name, None)),
            original: c.original.clone(),
            seconds: c.seconds.clone(),
            speedup: c.speedup(),
            failure: c.failure.clone(),
        };
        Self {
            schema: SCHEMA,
            setting: setting.clone(),
            equal_schedules: exploration.pruned.equal_schedules,
            equal_programs: exploration.pruned.equal_programs,
            infeasible: exploration.pruned.infeasible,
            candidates: exploration.candidates.iter().map(candidate).collect(),
            original: contest.original.clone(),
            finalists,
            winner: exploration.verdict.winner.map(Id::index),
            is_special: exploration.verdict.is_special,
        }
    }

    /// The report as JSON, indented.
    pub fn to_json(&self) -> String {
        // Numbers and strings always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Exploration {
    /// The candidate to write.
    pub fn winner(&self) -> Option<&Candidate> {
        self.candidates.get(self.verdict.winner?.index())
    }

    /// The candidate that is the shipped strategy called `name`.
    fn generic(&self, name: &str) -> Option<CandidateId> {
        let at = self.candidates.iter().position(|c| c.generic == Some(name))?;
        Some(CandidateId::from_index(at))
    }

    /// The text of the strategy file to write, with what it was found on; `None` where nothing works.
    pub fn strategy_text(&self, setting: &Setting) -> Option<String> {
        let winner = self.winner()?;
        Some(winner.choice.to_text(&setting.name, Some(&self.description(setting))))
    }

    /// What a strategy file says of itself: what it is, what it was found on, how fast it is there.
    fn description(&self, setting: &Setting) -> String {
        let built = self.candidates.len();
        let label = self.winner().map(Candidate::label).unwrap_or_default();
        let mut text =
            format!("{label}: the best of {} for {}", plural(built, "candidate"), setting.name);
        if !setting.flags.is_empty() {
            let _ = write!(text, " with {}", setting.flags.join(" "));
        }
        if !setting.arguments.is_empty() {
            let _ = write!(text, " on `{}`", setting.arguments.join(" "));
        }
        let _ = write!(text, ", {}, {}", plural(setting.threads, "thread"), setting.compiler);
        if let Some(speedups) = self.verdict.winner.and_then(|winner| self.speedups(winner)) {
            let _ = write!(text, "; {speedups}");
        }
        text
    }

    /// `2.10x over the original, 1.20x over pluto`
    fn speedups(&self, id: CandidateId) -> Option<String> {
        let over_original = self.contest.speedup(id)?.median;
        let mut text = format!("{over_original:.2}x over the original");
        let pluto = self.generic(DEFAULT_STRATEGY).filter(|pluto| *pluto != id);
        if let Some(speedup) = pluto.and_then(|pluto| self.contest.speedup_over(id, pluto)) {
            let _ = write!(text, ", {:.2}x over pluto", speedup.median);
        }
        Some(text)
    }
}

/// `1 candidate`, `2 candidates`
fn plural(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// The results for people: what was looked at, the finalists, what failed and why, what is written.
pub fn render(exploration: &Exploration, setting: &Setting) -> String {
    let report = Report::of(exploration, setting);
    let mut text = counts(&report, exploration.is_cut);
    let mut table = Table::new(&[
        ("strategy", Align::Left),
        ("time", Align::Right),
        ("spread", Align::Right),
        ("over original", Align::Right),
        ("over pluto", Align::Right),
    ]);
    if let Some(summary) = Summary::of(&report.original) {
        table.row(vec!["original".into(), time_words(summary.median_s), spread(&summary)]);
    }
    let times = |speedup: Option<Speedup>| {
        speedup.map_or_else(String::new, |speedup| format!("{:.2}x", speedup.median))
    };
    for finalist in &report.finalists {
        let label = report.candidates.get(finalist.candidate).map(|c| c.label.clone());
        let Some(summary) = Summary::of(&finalist.seconds) else { continue };
        table.row(vec![
            label.unwrap_or_default(),
            time_words(summary.median_s),
            spread(&summary),
            times(finalist.speedup),
            times(finalist.speedup_over_pluto),
        ]);
    }
    let _ = write!(text, "\n{table}");
    let failures = failures(&report);
    if !failures.is_empty() {
        let _ = write!(text, "\n{failures}");
    }
    let _ = writeln!(text, "\n{}", verdict(exploration));
    text
}

/// How many points were looked at.
fn counts(report: &Report, is_cut: bool) -> String {
    let failed = report.candidates.iter().filter(|c| c.failure.is_some()).count();
    let mut text = format!(
        "{}: {} built, {failed} of them failed; pruned: {} of equal schedule, {} of equal loops, {} without a schedule\n",
        report.setting.program,
        plural(report.candidates.len(), "candidate"),
        report.equal_schedules,
        report.equal_programs,
        report.infeasible,
    );
    if is_cut {
        text.push_str("the budget of candidates is used up: a larger one looks further\n");
    }
    text
}

/// The longest distance of a time from another, in per cent.
fn spread(summary: &Summary) -> String {
    format!("{:.0}%", 100.0 * summary.spread())
}

/// One line for each candidate that has no score.
fn failures(report: &Report) -> String {
    let mut text = String::new();
    for candidate in &report.candidates {
        let Some(failure) = &candidate.failure else { continue };
        let reason = failure.reason().and_then(|reason| reason.lines().next()).unwrap_or("");
        let reason = reason.strip_prefix(failure.name()).unwrap_or(reason);
        let reason = reason.trim_start_matches(": ");
        let _ = writeln!(text, "{}: {}: {reason}", candidate.label, failure.name());
    }
    text
}

/// What is written, and why.
fn verdict(exploration: &Exploration) -> String {
    let verdict = &exploration.verdict;
    let label = |id: CandidateId| {
        exploration.candidates.get(id.index()).map(Candidate::label).unwrap_or_default()
    };
    let Some(winner) = verdict.winner else {
        return "no strategy gives a right result".into();
    };
    let mut text = format!("best: {}", label(winner));
    if let Some(speedups) = exploration.speedups(winner) {
        let _ = write!(text, ", {speedups}");
    }
    if verdict.rival == Some(winner) {
        text.push_str("; nothing beats it by more than the spread");
    }
    if exploration.contest.speedup(winner).is_some_and(|speedup| speedup.median < 1.0) {
        text.push_str("\nthe original is faster: --strategy original keeps its order");
    }
    text
}
