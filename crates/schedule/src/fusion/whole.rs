//! Everything at once.

use super::{Fusion, FusionDecision, FusionReason, Judge, Partition};
use crate::Result;
use farkas_deps::Components;

/// All components share a row if they can, also where no loop is left and the row only orders them; else each is alone.
///
/// **Paper** none; isl's `compute_schedule_wcc_feautrier` and the fallback of its `carry`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Whole;

impl Fusion for Whole {
    fn name(&self) -> &str {
        "whole"
    }

    fn partition(&self, components: &Components, judge: &mut dyn Judge) -> Result<Partition> {
        let all: Vec<usize> = (0..components.len()).collect();
        let fused = judge.band(&all)?.n_members > 0;
        let decision = FusionDecision {
            with: components.stmts(&all[..1]),
            stmts: components.stmts(&all[1..]),
            fused,
            reason: if fused { FusionReason::RowExists } else { FusionReason::NoCommonRow },
        };
        let parts = if fused { vec![all] } else { all.into_iter().map(|c| vec![c]).collect() };
        Ok(Partition { parts, decisions: vec![decision] })
    }
}
