//! Sequences: where parts run one after another, and what the user's constraints on that row have to say.

use crate::coefficient::Coefficient;
use crate::constraint::{Constraint, Origin};
use crate::driver::Driver;
use crate::fallback::Fallback;
use crate::group::Group;
use crate::kept::unkept;
use crate::parts::Part;
use crate::plan::Plan;
use crate::report::{RowReport, SequenceReport, Warning};
use crate::{Error, Result};
use farkas_base::Budget;
use std::collections::BTreeSet;

/// For each of some groups the parts that it is split into, and whether they are behind the row of a sequence.
pub(crate) struct Splits {
    pub(crate) parts: Vec<Vec<Part>>,
    pub(crate) is_scalar: bool,
}

impl Driver<'_> {
    /// The parts of each group that do not share their loops. Where the plan's fusion would put them into a sequence that
    /// breaks constraints on this row, each group is one part, if that keeps them.
    ///
    /// # Errors
    /// [`Error::Conflict`] where neither does, and the plan's fallbacks drop no constraints.
    pub(crate) fn splits(
        &mut self,
        groups: &[Group],
        plan: &Plan,
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<Splits> {
        let mut parts = Vec::with_capacity(groups.len());
        for group in groups {
            parts.push(self.split(group, plan, dimension, last)?);
        }
        let is_scalar = plan.distributes || parts.iter().any(|parts| parts.len() > 1);
        if !is_scalar {
            return Ok(Splits { parts, is_scalar });
        }
        let sequence = reported(dimension, &parts);
        let broken = self.broken_by(&sequence, plan)?;
        if !broken.is_empty() {
            if !(plan.distributes || plan.fusion_is_demanded)
                && let Some(parts) = self.wholes(groups, dimension, last)?
            {
                return Ok(Splits { parts, is_scalar: false });
            }
            self.refuse_sequence(groups, plan, broken, dimension)?;
        }
        self.report.sequences.push(sequence);
        Ok(Splits { parts, is_scalar })
    }

    /// The constraints that the row of a sequence breaks.
    pub(crate) fn broken_by(&self, sequence: &SequenceReport, plan: &Plan) -> Result<Vec<Origin>> {
        let constraints: Vec<&Constraint> =
            plan.constraints.iter().filter(|c| c.in_sequences).collect();
        if constraints.is_empty() {
            return Ok(Vec::new());
        }
        let value = |stmt, which| match which {
            Coefficient::Constant => sequence.position(stmt),
            Coefficient::Iterator(_) | Coefficient::Param(_) => 0,
        };
        unkept(&constraints, &value, &Budget::new(self.options.max_row_work))
    }

    /// Each group as one part, where all of them have a row that keeps the constraints.
    fn wholes(
        &mut self,
        groups: &[Group],
        dimension: usize,
        last: Option<&RowReport>,
    ) -> Result<Option<Vec<Vec<Part>>>> {
        let whole = |group: &Group| vec![Part { group: group.clone(), found: None }];
        let mut parts: Vec<Vec<Part>> = groups.iter().map(whole).collect();
        for linked in self.linked(&parts) {
            let together: Vec<Group> = linked.iter().map(|&(g, _)| groups[g].clone()).collect();
            let together = Group::merged(&together);
            if self.is_done(&together) {
                continue;
            }
            let found = self.find_band(together, dimension, last)?;
            let drops = |warning: &Warning| matches!(warning, Warning::ConstraintsDropped { dimension: at, .. } if *at == dimension);
            if found.rows.is_empty() || found.warnings.iter().any(drops) {
                return Ok(None);
            }
            if let &[(g, p)] = linked.as_slice() {
                parts[g][p].found = Some(found);
            }
        }
        Ok(Some(parts))
    }

    /// What it means that a sequence breaks constraints and no common row keeps them: a warning where the plan drops
    /// constraints, else the error that names them, with what leaves no common row.
    pub(crate) fn refuse_sequence(
        &mut self,
        groups: &[Group],
        plan: &Plan,
        broken: Vec<Origin>,
        dimension: usize,
    ) -> Result<()> {
        let merged = Group::merged(groups);
        let users: Vec<usize> = plan
            .constraints
            .iter()
            .filter(|c| c.origin.is_some_and(|origin| broken.contains(&origin)))
            .filter_map(Constraint::user_number)
            .collect::<BTreeSet<usize>>()
            .into_iter()
            .collect();
        if plan.fallbacks.contains(&Fallback::DropConstraints) {
            let stmts = merged.stmts;
            let warning = Warning::ConstraintsDropped { stmts, dimension, origins: users };
            self.report.warnings.push(warning);
            return Ok(());
        }
        let first = broken.first().copied();
        let is_demanded = plan.distributes || plan.fusion_is_demanded;
        if is_demanded {
            let (origins, deps) = (first.into_iter().collect(), Vec::new());
            return Err(Error::Conflict { stmts: merged.stmts, dimension, origins, deps });
        }
        Err(match self.conflict(&merged, dimension)? {
            Some(Error::Conflict { stmts, dimension, origins, deps }) => {
                let origins: BTreeSet<Origin> = origins.into_iter().chain(first).collect();
                let origins = origins.into_iter().collect();
                Error::Conflict { stmts, dimension, origins, deps }
            }
            Some(error) => error,
            None => {
                let deps = self.obstacles(&merged, dimension)?;
                let origins = first.into_iter().collect();
                Error::Conflict { stmts: merged.stmts, dimension, origins, deps }
            }
        })
    }

    /// The components of groups without a common row as parts of a sequence at `dimension`; those that constraints tie
    /// together stay tied.
    pub(crate) fn components_apart(
        &mut self,
        groups: &[Group],
        dimension: usize,
    ) -> Result<Vec<Vec<Part>>> {
        let apart = |group: &Group| {
            let members = group.components().members.into_iter();
            let parts = members.map(|stmts| Part { group: group.restricted(stmts), found: None });
            parts.collect::<Vec<Part>>()
        };
        let parts: Vec<Vec<Part>> = groups.iter().map(apart).collect();
        let sequence = reported(dimension, &parts);
        let plan = self.plan(&Group::merged(groups), dimension, None);
        let broken = self.broken_by(&sequence, &plan)?;
        if !broken.is_empty() {
            self.refuse_sequence(groups, &plan, broken, dimension)?;
        }
        self.report.sequences.push(sequence);
        Ok(parts)
    }
}

/// The sequence of these parts of each group.
fn reported(dimension: usize, groups: &[Vec<Part>]) -> SequenceReport {
    let stmts = |parts: &Vec<Part>| parts.iter().map(|part| part.group.stmts.clone()).collect();
    SequenceReport { dimension, groups: groups.iter().map(stmts).collect() }
}
