//! What an estimate consists of.

use crate::memory::fed;

/// The estimated cycles of some loops, by what takes them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimate {
    /// Arithmetic, loads and stores of what is next to the core, and chains of results that wait for one another.
    pub core: f64,
    /// Starts, tests and remainders of loops.
    pub loops: f64,
    /// Lines that come into each cache, innermost cache first.
    pub caches: Vec<f64>,
    /// Pages that each level of address translation buffers does not know.
    pub pages: [f64; 2],
    /// Threads that start and wait for one another.
    pub threads: f64,
    /// Cycles that the arithmetic would take if all lanes of all cores were busy; no part of what the loops take.
    pub peak: f64,
}

impl Estimate {
    /// All cycles: what the core does hides a part of what it waits for.
    pub fn cycles(&self) -> f64 {
        let compute = self.core + self.loops;
        let memory = self.caches.iter().chain(&self.pages).sum::<f64>();
        compute.max(memory) + HIDDEN * compute.min(memory) + self.threads
    }

    /// The part of the machine's arithmetic that is in use, at most one.
    pub fn part_of_peak(&self) -> f64 {
        self.peak / self.cycles().max(self.peak).max(1.0)
    }

    /// The terms, with their names.
    pub fn terms(&self) -> Vec<(String, f64)> {
        let caches = self.caches.iter().enumerate();
        let caches = caches.map(|(level, cycles)| (format!("L{}", level + 1), *cycles));
        [("core".to_owned(), self.core), ("loops".to_owned(), self.loops)]
            .into_iter()
            .chain(caches)
            .chain([
                ("pages".to_owned(), self.pages.iter().sum()),
                ("threads".to_owned(), self.threads),
            ])
            .collect()
    }

    /// Nothing, on a machine with this many caches.
    pub(crate) fn none(n_caches: usize) -> Self {
        Self { caches: vec![0.0; n_caches], ..Self::default() }
    }

    /// Adds `factor` times another estimate.
    pub(crate) fn add(&mut self, other: &Self, factor: f64) {
        self.core += factor * other.core;
        self.loops += factor * other.loops;
        for (cache, more) in self.caches.iter_mut().zip(&other.caches) {
            *cache += factor * more;
        }
        for (pages, more) in self.pages.iter_mut().zip(&other.pages) {
            *pages += factor * more;
        }
        self.threads += factor * other.threads;
        self.peak += factor * other.peak;
    }

    /// The same on several threads, each with a part of the work; memory is shared by fewer.
    pub(crate) fn shared(&self, by: f64) -> Self {
        let mut shared = Self::none(self.caches.len());
        shared.add(self, 1.0 / by);
        shared.threads = self.threads;
        shared.peak = self.peak;
        if let (Some(memory), Some(whole)) = (shared.caches.last_mut(), self.caches.last()) {
            *memory = whole / fed(by);
        }
        shared
    }
}

/// The part of the smaller of computing and waiting that shows.
const HIDDEN: f64 = 0.4;
