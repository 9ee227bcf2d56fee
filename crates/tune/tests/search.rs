//! The search on times that are made up: a pure function of the candidate.

use farkas_base::Id;
use farkas_run::bench::Outcome;
use farkas_schedule::FusionHeuristic;
use farkas_scop::StmtId;
use farkas_tune::{
    COSTS, CandidateId, Choice, Exploration, MODEL_STRATEGY, Measured, Phase, Point, Program,
    Progress, Report, Setting, Settings, Split, Subject, Workbench, render, search,
};
use std::cell::Cell;
use std::collections::BTreeMap;

/// What becomes of a candidate.
#[derive(Clone, Copy)]
enum Fate {
    /// It takes so many seconds; the original takes 8.
    Seconds(f64),
    /// It has no schedule.
    Infeasible,
    /// The compiler refuses it.
    Uncompiled,
    /// It prints something else.
    Wrong,
}

/// A workbench that runs nothing.
struct Fake {
    fate: fn(&Point) -> Fate,
    /// What becomes of `auto`.
    auto: Fate,
    /// What becomes of other strategies by name.
    named: Fate,
    /// The point that a point has the schedule of.
    twin: fn(&Point) -> Point,
    made: BTreeMap<String, Choice>,
    /// Runs of each candidate.
    runs: BTreeMap<String, usize>,
    /// How often the time is not over yet.
    patience: Cell<usize>,
    told: Vec<Progress>,
    /// The candidate whose first round is ten times too fast.
    luck: Option<&'static str>,
}

impl Fake {
    fn new(fate: fn(&Point) -> Fate) -> Self {
        let (made, runs) = (BTreeMap::new(), BTreeMap::new());
        let patience = Cell::new(usize::MAX);
        let (twin, told, named) = (Point::clone, Vec::new(), Fate::Seconds(7.5));
        Self { fate, auto: named, named, twin, made, runs, patience, told, luck: None }
    }

    fn search(&mut self, budget: usize) -> Exploration {
        let stmts = [0, 1].map(StmtId::from_index);
        let subject = Subject { n_stmts: 2, vector_loops: stmts.map(|stmt| (stmt, 1)).to_vec() };
        let Ok(exploration) = search(self, &subject, Settings { budget, rounds: 5 });
        exploration
    }

    fn fate(&self, choice: &Choice) -> Fate {
        match choice {
            Choice::Point(point) => (self.fate)(point),
            Choice::Named(MODEL_STRATEGY) => self.auto,
            Choice::Named(_) => self.named,
        }
    }

    /// The key of what a choice becomes, or that nothing does.
    fn made_of(&self, choice: &Choice, with_shape: bool) -> Result<String, String> {
        match (self.fate(choice), choice.point()) {
            (Fate::Infeasible, _) => Err("no row".into()),
            (_, None) => Ok(choice.label()),
            (_, Some(point)) => {
                let twin = (self.twin)(point);
                Ok(if with_shape { twin } else { twin.tiled_for_reuse() }.label())
            }
        }
    }
}

impl Workbench for Fake {
    type Built = String;
    type Error = std::convert::Infallible;

    fn schedule(&mut self, choice: &Choice) -> Result<String, String> {
        self.made_of(choice, false)
    }

    fn transform(&mut self, choice: &Choice) -> Result<Program, String> {
        self.made.insert(choice.label(), choice.clone());
        Ok(Program { key: self.made_of(choice, true)?, text: choice.label() })
    }

    fn build(&mut self, text: &str) -> Result<Result<String, Outcome>, Self::Error> {
        Ok(match self.fate(&self.made[text]) {
            Fate::Uncompiled => Err(Outcome::NotCompiled { reason: "bad.c:1: no".into() }),
            _ => Ok(text.to_owned()),
        })
    }

    fn measure(&mut self, programs: &[&String], rounds: usize) -> Result<Measured, Self::Error> {
        let mut outcomes = Vec::new();
        for &label in programs {
            let runs = self.runs.entry(label.clone()).or_default();
            let is_lucky = *runs == 0 && self.luck == Some(label.as_str());
            *runs += rounds;
            outcomes.push(match self.fate(&self.made[label]) {
                Fate::Seconds(seconds) if is_lucky => Ok(vec![seconds / 10.0; rounds]),
                Fate::Seconds(seconds) => Ok(vec![seconds; rounds]),
                _ => Err(Outcome::Wrong { reason: "line 1: 1 against 2".into() }),
            });
        }
        Ok(Measured { original: vec![8.0; rounds], programs: outcomes })
    }

    fn is_over(&self) -> bool {
        let left = self.patience.get();
        self.patience.set(left.saturating_sub(1));
        left == 0
    }

    fn tell(&mut self, progress: Progress) {
        self.told.push(progress);
    }
}

/// Seconds that are least for one point far from the generic ones.
fn valley(point: &Point) -> Fate {
    let factors = [
        (point.costs == COSTS[1], 0.5),
        (point.heuristic == FusionHeuristic::Max, 0.8),
        (point.vector_loops == [(StmtId::from_index(1), 1)], 0.8),
        (point.shape.tiling == Point::new(COSTS[0]).tiled(&[&[64]]).shape.tiling, 0.9),
        (point.shape.tiling == Point::new(COSTS[0]).tiled(&[]).shape.tiling, 1.5),
        (point.shape.wavefront == Some(false), 0.95),
        (!point.skewing, 1.1),
    ];
    let product = factors.iter().filter(|(holds, _)| *holds).map(|(_, factor)| factor);
    Fate::Seconds(4.0 * product.product::<f64>())
}

/// The point at its bottom.
const BOTTOM: &str = "contiguity, proximity; fuse max; vector S1.1; tiles 64; no wavefront";

fn winner(exploration: &Exploration) -> String {
    exploration.winner().map(|candidate| candidate.label()).unwrap_or_default()
}

fn setting() -> Setting {
    Setting {
        program: "kernels/gemm.c".into(),
        name: "gemm".into(),
        compiler: "gcc -O3".into(),
        flags: vec!["-DNI=9".into()],
        arguments: vec!["9".into(), "7".into()],
        threads: 2,
        tolerance: 1e-9,
    }
}

#[test]
fn the_best_is_found() {
    let mut fake = Fake::new(valley);
    let exploration = fake.search(200);
    assert_eq!(winner(&exploration), BOTTOM);
    assert!(exploration.verdict.is_special && !exploration.is_cut);
    // What is far slower is run once, what is good in every lap.
    assert_eq!(fake.runs["feautrier; no tiles"], 1);
    assert!(fake.runs[BOTTOM] > 7);
    let phases: Vec<Phase> = fake.told.iter().map(|progress| progress.phase).collect();
    assert!(phases.is_sorted() && phases.contains(&Phase::Confirmation), "{phases:?}");
    assert_eq!(fake.search(200), exploration, "two searches differ");
}

#[test]
fn the_strategy_and_the_table() {
    let exploration = Fake::new(valley).search(200);
    let text = exploration.strategy_text(&setting()).expect("a winner");
    insta::assert_snapshot!("strategy", text);
    insta::assert_snapshot!("table", render(&exploration, &setting()));
    let report = Report::of(&exploration, &setting());
    let read: Report = serde_json::from_str(&report.to_json()).expect("its own format");
    let labels = |report: &Report| -> Vec<String> {
        report.candidates.iter().map(|c| c.label.clone()).collect()
    };
    assert_eq!((read.winner, labels(&read)), (report.winner, labels(&report)));
}

#[test]
fn equal_schedules_are_built_once() {
    let mut fake = Fake::new(valley);
    // Fusion, signs and vectors make no difference.
    fake.twin = |point| Point { shape: point.shape.clone(), ..Point::new(point.costs) };
    let exploration = fake.search(200);
    let plain: Vec<&String> = fake.runs.keys().filter(|l| !l.contains("tile")).collect();
    assert!(fake.runs.contains_key("pluto; no tiles"), "{plain:?}");
    assert!(!plain.iter().any(|label| label.contains("fuse")), "{plain:?}");
    assert!(exploration.pruned.equal_schedules > 50, "{:?}", exploration.pruned);
    let mut keys: Vec<String> = exploration
        .candidates
        .iter()
        .map(|c| fake.made_of(&c.choice, true).expect("it was built"))
        .collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), exploration.candidates.len());
}

#[test]
fn a_strategy_that_is_no_file_is_found_in_the_space() {
    let mut fake = Fake::new(valley);
    fake.twin = |point| match point.split {
        // Its key becomes that of `isl` by name.
        Some(Split::Total) if point.costs == COSTS[3] => {
            let mut costs = COSTS[0];
            costs.label = "isl";
            Point { shape: point.shape.clone(), ..Point::new(costs) }
        }
        _ => point.clone(),
    };
    let exploration = fake.search(200);
    let isl = exploration.candidates.iter().find(|c| c.generic == Some("isl")).expect("isl");
    assert_eq!(isl.choice.label(), "feautrier outside, pluto; distributed");
}

#[test]
fn budgets_are_kept() {
    for budget in [0, 1, 2, 3, 7, 20] {
        let exploration = Fake::new(valley).search(budget);
        assert!(exploration.candidates.len() <= budget.max(1), "{budget}");
        assert!(exploration.is_cut && exploration.winner().is_some(), "{budget}");
    }
    let mut hasty = Fake::new(valley);
    hasty.patience = Cell::new(0);
    let exploration = hasty.search(200);
    assert_eq!(exploration.candidates.len(), 1);
    assert_eq!(winner(&exploration), "auto");
}

/// Whatever else is found and however slow it seems, `auto` is in the last runs, and what is written is no slower there.
#[test]
fn nothing_ends_below_auto() {
    for auto in [0.5, 1.094, 1.0945, 1.2, 7.5, 70.0] {
        for budget in [1, 2, 5, 200] {
            let auto = Fate::Seconds(auto);
            let exploration = Fake { auto, ..Fake::new(valley) }.search(budget);
            let contest = &exploration.contest;
            let is_auto =
                |id: CandidateId| exploration.candidates[id.index()].generic == Some("auto");
            let last = contest.times.iter().find(|(id, _)| is_auto(*id)).expect("its last runs");
            let winner = exploration.verdict.winner.expect("a winner");
            let over_auto = contest.speedup_over(winner, last.0).expect("times");
            assert!(over_auto.median >= 1.0, "{budget}: {over_auto:?}");
        }
    }
    let fast = Fake { auto: Fate::Seconds(0.5), ..Fake::new(valley) }.search(200);
    let text = fast.strategy_text(&setting()).expect("a file");
    assert!(text.contains("\"shipped\": \"auto\"") && !text.contains("tiling"), "{text}");
}

#[test]
fn a_lucky_round_spoils_no_race() {
    let mut fake = Fake::new(valley);
    // The first round of one candidate seems far faster than it is.
    fake.luck = Some("pluto; no tiles");
    assert_eq!(winner(&fake.search(200)), BOTTOM);
}

#[test]
fn a_slow_result_is_called_so() {
    let slow = Fate::Seconds(9.0);
    let mut fake = Fake { auto: slow, named: slow, ..Fake::new(|_| Fate::Seconds(9.0)) };
    let exploration = fake.search(30);
    assert!(render(&exploration, &setting()).contains("the original is faster"));
}

#[test]
fn without_a_gain_a_generic_strategy_is_written() {
    let exploration = Fake::new(|_| Fate::Seconds(4.0)).search(60);
    assert_eq!(winner(&exploration), "pluto");
    assert!(!exploration.verdict.is_special);
    assert!(render(&exploration, &setting()).contains("nothing beats it"));
}

#[test]
fn failures_are_no_scores() {
    // Everything that would be fast is wrong, does not compile, or has no schedule.
    let treacherous = |point: &Point| match valley(point) {
        Fate::Seconds(s) if s < 1.7 && point.heuristic == FusionHeuristic::Max => Fate::Wrong,
        Fate::Seconds(s) if s < 1.7 => Fate::Uncompiled,
        _ if point.costs == COSTS[2] => Fate::Infeasible,
        fate => fate,
    };
    let exploration = Fake::new(treacherous).search(200);
    let label = winner(&exploration);
    assert!(label.starts_with("contiguity, proximity"), "{label}");
    assert!(exploration.pruned.infeasible > 0);
    let table = render(&exploration, &setting());
    assert!(table.contains("wrong output: line 1: 1 against 2"), "{table}");
    assert!(table.contains("not compiled: bad.c:1: no"), "{table}");
    for candidate in exploration.candidates.iter().filter(|c| c.failure.is_some()) {
        assert_eq!(candidate.speedup(), None);
    }

    let wrong = Fate::Wrong;
    let mut fake = Fake { auto: wrong, named: wrong, ..Fake::new(|_| Fate::Wrong) };
    let nothing = fake.search(30);
    assert_eq!((nothing.winner(), nothing.strategy_text(&setting())), (None, None));
    assert!(render(&nothing, &setting()).contains("no strategy gives a right result"));
}
