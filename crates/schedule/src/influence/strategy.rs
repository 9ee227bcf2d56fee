//! A strategy under influence.

use crate::constraint::Demand;
use crate::plan::{Plan, State, Strategy};
use crate::scenario::InfluenceTree;
use crate::{PartOrder, Result, Scheduled, StmtRow, Warning};
use farkas_scop::StmtId;

/// A strategy that follows an influence tree where one of its scenarios is feasible.
pub struct Influenced {
    strategy: Box<dyn Strategy>,
    tree: InfluenceTree,
}

impl Influenced {
    /// `strategy` under the influence of `tree`.
    pub fn new(strategy: Box<dyn Strategy>, tree: InfluenceTree) -> Self {
        Self { strategy, tree }
    }
}

impl Strategy for Influenced {
    fn name(&self) -> &str {
        self.strategy.name()
    }

    fn plan(&mut self, state: &State<'_>) -> Plan {
        self.strategy.plan(state)
    }

    fn links(&self) -> Vec<Vec<StmtId>> {
        self.strategy.links()
    }

    fn avoids_coalescing(&self) -> bool {
        self.strategy.avoids_coalescing()
    }

    fn counts_on_sizes(&self) -> bool {
        self.strategy.counts_on_sizes()
    }

    fn part_order(&self) -> PartOrder {
        self.strategy.part_order()
    }

    fn influence(&self) -> Option<InfluenceTree> {
        Some(self.tree.clone())
    }

    fn reorders_live_ranges(&self) -> bool {
        self.strategy.reorders_live_ranges()
    }

    fn demands(&self) -> Vec<Demand> {
        self.strategy.demands()
    }

    fn drops_demands(&self) -> bool {
        self.strategy.drops_demands()
    }

    fn may_be_parallel(&self, stmt: StmtId, row: &StmtRow) -> bool {
        self.strategy.may_be_parallel(stmt, row)
    }

    fn settle(&mut self) {
        self.strategy.settle();
    }

    fn revise(&mut self, outcome: &Result<Scheduled>) -> bool {
        self.strategy.revise(outcome)
    }

    fn failure(&self) -> Option<String> {
        self.strategy.failure()
    }

    fn warnings(&self) -> Vec<Warning> {
        self.strategy.warnings()
    }
}
