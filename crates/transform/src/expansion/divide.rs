//! Statements that become several before there is an order.

use crate::plan::Draft;
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result};
use farkas_base::Id;
use farkas_deps::{DependenceOptions, dependences};
use farkas_scop::{AccessKind, ArrayId, BodyStmt, Scop, Statement};
use farkas_steps::{self as steps, Expansion, Step};
use farkas_tree::Program;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The parts of statements as statements, where loops may come apart between them: of those that set several elements, by way of variables
/// that can have a place for each value (which `expand` gives them). A statement that sets one element stays: what is computed for it
/// alone would only come back to it.
///
/// **Paper**: *A priori loop nest normalization*, section 2.1: fission begins with that of scalars.
///
/// **Steps**: `divide`, before `schedule`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Divide {}

/// Places for the values of temporaries: what `--expand` does.
///
/// **Steps**: `expand`, before `schedule`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandStorage {}

/// The most parts that a statement is divided into: there may be as many dependences as pairs of them.
const MAX_PARTS: usize = 64;

impl Plans for Divide {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let scop = &view.program.scop;
        let is_worth = |stmt: &&Statement| stmt.depth() > 0 && n_effects(&stmt.body) > 1;
        let mut names: Vec<String> =
            scop.stmts().iter().filter(is_worth).map(|stmt| stmt.name.clone()).collect();
        // Those whose variables get no places stay whole, which may be what others wait for.
        loop {
            let (draft, parts) = divided(view.program, &names)?;
            let tied = tied(draft.scop(), &parts)?;
            names.retain(|name| parts.iter().any(|part| part.of == *name && !tied.contains(name)));
            if tied.is_empty() {
                for Division { of, stmts, .. } in parts {
                    let text = format!("{of} becomes {} statements", stmts.len());
                    remarks.push(Remark { pass: "divide", stmts, text });
                }
                return Ok(Proposal::Steps(draft.plan(view.tree())));
            }
            for of in tied {
                let text = "the statement stays whole: its variables get no places for each value";
                remarks.push(Remark { pass: "divide", stmts: vec![of], text: text.to_owned() });
            }
        }
    }
}

impl Plans for ExpandStorage {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let mut plan = crate::Plan::none(view.tree());
        let n_arrays = view.setting.scop.arrays().len();
        let may_share = |array: ArrayId| array.index() < n_arrays;
        let scop = &view.program.scop;
        if let Some(expanded) = super::expand_storage(scop, deps, may_share, remarks)? {
            plan.steps = expanded.steps.into_iter().map(Step::Expand).collect();
            plan.program = Some(Program::original(&expanded.scop)?);
        }
        Ok(Proposal::Steps(plan))
    }
}

/// A statement that was divided.
struct Division {
    of: String,
    /// What its parts are called.
    stmts: Vec<String>,
    /// The variables that they hand values to one another in.
    arrays: BTreeSet<ArrayId>,
}

/// The program with the parts of these statements in their place, as far as they have several, but not too many.
fn divided<'a>(program: &Program, names: &[String]) -> Result<(Draft<'a>, Vec<Division>)> {
    let mut draft = Draft::new(program, None);
    let mut parts = Vec::new();
    for name in names {
        let (n_stmts, n_arrays) = (draft.scop().stmts().len(), draft.scop().arrays().len());
        let step = Step::Divide(steps::Divide { stmt: name.clone() });
        let mut trial = draft.clone();
        let is_done = trial.attempt(|draft| draft.apply(step))?;
        if !is_done || trial.scop().stmts().len() - n_stmts >= MAX_PARTS {
            continue;
        }
        draft = trial;
        let origins = draft.program().origins.iter().filter(|(_, of)| *of == name);
        let stmts = origins.map(|(part, _)| part.clone()).collect();
        let arrays = draft.scop().arrays().ids().skip(n_arrays).collect();
        parts.push(Division { of: name.clone(), stmts, arrays });
    }
    Ok((draft, parts))
}

/// The divided statements some variable of which gets no place for each value, so that the parts stay together.
fn tied(scop: &Scop, parts: &[Division]) -> Result<BTreeSet<String>> {
    if parts.is_empty() {
        return Ok(BTreeSet::new());
    }
    let deps = dependences(scop, DependenceOptions::default())?;
    let mut expansion = Expansion::new(scop);
    let most = super::most_dimensions(scop);
    for web in expansion.webs(&deps)? {
        expansion.into_array(&web, most)?;
    }
    let Some(expanded) = expansion.done()? else {
        return Ok(parts.iter().map(|part| part.of.clone()).collect());
    };
    let accesses = expanded.stmts().iter().flat_map(|stmt| &stmt.accesses);
    let reads = accesses.filter(|access| access.kind == AccessKind::Read);
    let left: BTreeSet<ArrayId> = reads.map(|access| access.array).collect();
    let is_tied = |part: &&Division| !part.arrays.is_disjoint(&left);
    Ok(parts.iter().filter(is_tied).map(|part| part.of.clone()).collect())
}

/// How many elements a body sets, one or several by what is under one condition or in one loop.
fn n_effects(parts: &[BodyStmt]) -> usize {
    let n = |part: &BodyStmt| match part {
        BodyStmt::Assign { .. } => 1,
        BodyStmt::If { then, otherwise, .. } => n_effects(then).max(n_effects(otherwise)).min(1),
        BodyStmt::Loop(inner) => n_effects(&inner.body).min(1),
        BodyStmt::Block(parts) => n_effects(parts),
        _ => 0,
    };
    parts.iter().map(n).sum()
}
