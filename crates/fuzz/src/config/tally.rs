//! What came of many cases.

use super::check::Finding;
use farkas_run::{Align, Table};
use std::collections::BTreeMap;
use std::fmt;

/// Sums over cases.
#[derive(Clone, Debug, Default)]
pub struct ConfigTally {
    /// Cases that were tried.
    pub n_cases: u64,
    /// Programs that the front end refused.
    pub n_refused_programs: u64,
    /// How many cases each fact holds of.
    pub facts: BTreeMap<String, u64>,
    /// Seeds with what is wrong.
    pub faults: Vec<(u64, String)>,
    /// Seconds that scheduling took, with the seed.
    seconds: Vec<(f64, u64)>,
}

impl ConfigTally {
    /// Adds a case.
    pub fn add(&mut self, seed: u64, finding: Finding) {
        self.n_cases += 1;
        for fact in finding.facts {
            *self.facts.entry(fact).or_default() += 1;
        }
        self.seconds.push((finding.schedule_time.as_secs_f64(), seed));
        self.faults.extend(finding.fault.map(|fault| (seed, fault)));
    }

    /// How many cases a fact holds of, given how it begins.
    pub fn count(&self, prefix: &str) -> u64 {
        let matching = self.facts.iter().filter(|(fact, _)| fact.starts_with(prefix));
        matching.map(|(_, count)| count).sum()
    }
}

impl fmt::Display for ConfigTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(&[("fact", Align::Left), ("cases", Align::Right)]);
        for (fact, count) in &self.facts {
            table.row(vec![fact.clone(), count.to_string()]);
        }
        write!(f, "{table}")?;
        let sum: f64 = self.seconds.iter().map(|(seconds, _)| seconds).sum();
        let mut slowest = self.seconds.clone();
        slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
        let slowest = slowest.iter().take(8).map(|(s, seed)| format!("{seed} ({s:.2} s)"));
        let slowest = slowest.collect::<Vec<_>>().join(", ");
        writeln!(f, "\nscheduling {sum:.1} s, the slowest seeds: {slowest}")?;
        writeln!(f, "programs that the front end refused: {}", self.n_refused_programs)?;
        let mut faults: Vec<_> = self.faults.iter().collect();
        faults.sort();
        faults.iter().try_for_each(|(seed, fault)| writeln!(f, "seed {seed}: {fault}"))
    }
}
