//! Strips in which each statement has a loop of its own.

use crate::plan::Draft;
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result};
use farkas_deps::{DependenceKind, Dependences, carried};
use farkas_machine::Machine;
use farkas_scop::{Array, ArrayId, Scop, StmtId};
use farkas_steps::{ArrayAddress, Distribute, Expand, LoopAddress, Step, Tile, reaching};
use farkas_tree::{Cursor, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Innermost loops whose statements hand one another values in variables that each iteration sets, as `divide` leaves them, and that nothing
/// else keeps in order: strips of such a loop, in which the variables are buffers and each statement has a loop of its own. Compilers make
/// vectors of these loops one by one: what has none, as a function of the mathematics library, keeps others from it no longer.
///
/// **Paper**: *A priori loop nest normalization*, section 6, where CLOUDSC's nest gains by fission; ours has its temporaries in strips.
///
/// **Steps**: `tile`, `expand` for each variable, and `distribute`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartStrips {
    /// How many iterations a strip has; without it as many as the machine's nearest cache holds values of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
}

/// The fewest iterations of a strip whose size the machine decides, and the most.
const SIZES: (i64, i64) = (16, 128);

impl Plans for PartStrips {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let deps = view.all_deps()?;
        let mut draft = Draft::new(view.program, Some(deps));
        let mut n_done = 0;
        while let Some(band) = innermost(draft.tree(), n_done)? {
            n_done += 1;
            let Some(nest) = Nest::of(draft.scop(), draft.tree(), deps, &band)? else { continue };
            let size = match self.size {
                Some(size) => i64::from(size),
                None => nest.size(view.setting.machine),
            };
            if draft
                .attempt(|draft| nest.steps(size).into_iter().try_for_each(|s| draft.apply(s)))?
            {
                n_done += nest.stmts.len() - 1;
                let text =
                    format!("strips of {size} iterations, in which each statement has a loop");
                remarks.push(Remark { pass: "part-strips", stmts: nest.stmts, text });
            }
        }
        Ok(Proposal::Steps(draft.plan(view.tree())))
    }
}

/// The band of an innermost loop, by its position from first to last.
fn innermost(tree: &ScheduleTree, position: usize) -> Result<Option<Cursor>> {
    let mut left = position;
    for here in tree.cursors() {
        let node = tree.at(&here)?;
        let is_innermost =
            matches!(node.node(), Node::Band { .. }) && !node.children().iter().any(has_loop);
        if is_innermost && left == 0 {
            return Ok(Some(here));
        }
        left -= usize::from(is_innermost);
    }
    Ok(None)
}

/// Whether there is a loop in a tree.
fn has_loop(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Band { .. }) || tree.children().iter().any(has_loop)
}

/// An innermost loop with statements that hand one another values in variables of its iterations.
struct Nest {
    stmts: Vec<String>,
    /// The variables, and the bytes that each takes.
    variables: Vec<(String, u32)>,
}

impl Nest {
    /// That of a band's last loop; none where something else keeps its iterations in order, or one statement is all there is.
    fn of(
        scop: &Scop,
        tree: &ScheduleTree,
        deps: &Dependences,
        here: &Cursor,
    ) -> Result<Option<Self>> {
        let Node::Band { band, .. } = tree.at(here)?.node() else { return Ok(None) };
        let Some(member) = band.members.len().checked_sub(1) else { return Ok(None) };
        let instances = reaching(tree, here)?;
        let (mut stmts, mut others) = (Vec::new(), Vec::new());
        for (id, stmt) in scop.stmts().iter_enumerated() {
            let own = instances.extract_set(&stmt.domain.space()?)?;
            match own.is_empty()? {
                false => stmts.push(id),
                true => others.push(id),
            }
        }
        let variables = variables(scop, &stmts, &others);
        if stmts.len() < 2 || variables.is_empty() {
            return Ok(None);
        }
        for id in carried::report(deps, tree, here, member)?.blocked_by {
            let dep = &deps[id];
            let array = scop.stmts()[dep.source].accesses[dep.source_access].array;
            // Dependences of memory go with the places; values that an iteration has from another one would not.
            let is_free = variables.contains(&array) && dep.kind != DependenceKind::Flow;
            if dep.is_order() && !is_free {
                return Ok(None);
            }
        }
        let sized = |array: &ArrayId| {
            let array = &scop.arrays()[*array];
            (array.name.clone(), array.element.kind.size_bytes().unwrap_or(8))
        };
        let names = stmts.iter().map(|stmt| scop.stmts()[*stmt].name.clone());
        Ok(Some(Self { stmts: names.collect(), variables: variables.iter().map(sized).collect() }))
    }

    /// As many iterations as half of the nearest cache holds the variables of.
    fn size(&self, machine: &Machine) -> i64 {
        let bytes: u64 = self.variables.iter().map(|(_, bytes)| u64::from(*bytes)).sum();
        let cache = machine.caches.first().map_or(0, |cache| cache.size_bytes);
        let most = i64::try_from(cache / 2 / bytes.max(1)).unwrap_or(SIZES.1);
        let power = std::iter::successors(Some(SIZES.0), |size| Some(2 * size));
        power.take_while(|size| *size <= most.clamp(SIZES.0, SIZES.1)).last().unwrap_or(SIZES.0)
    }

    /// The steps for strips of so many iterations.
    fn steps(&self, size: i64) -> Vec<Step> {
        let first = self.stmts.first().cloned().unwrap_or_default();
        let innermost = LoopAddress::new(first, -1);
        let tile = Tile { first: innermost.clone(), sizes: vec![size] };
        let mut steps = vec![Step::Tile(tile)];
        for (name, _) in &self.variables {
            let array = ArrayAddress::Name(name.clone());
            let at = Some(innermost.clone());
            steps.push(Step::Expand(Expand { array, into: None, at }));
        }
        steps.push(Step::Distribute(Distribute { at: innermost, groups: Vec::new() }));
        steps
    }
}

/// The variables that these statements set, where no others use one that they do, and nothing else knows of them; none where they set
/// another variable, too.
fn variables(scop: &Scop, stmts: &[StmtId], others: &[StmtId]) -> Vec<ArrayId> {
    let accesses = |stmts: &[StmtId]| -> Vec<(ArrayId, bool)> {
        let all = stmts.iter().flat_map(|stmt| &scop.stmts()[*stmt].accesses);
        all.map(|access| (access.array, access.kind.is_write())).collect()
    };
    let elsewhere: BTreeSet<ArrayId> = accesses(others).into_iter().map(|(of, _)| of).collect();
    let set: BTreeSet<ArrayId> = accesses(stmts)
        .into_iter()
        .filter(|(of, is_write)| *is_write && scop.arrays()[*of].rank() == 0)
        .map(|(of, _)| of)
        .collect();
    let is_own = |of: &ArrayId| {
        let array: &Array = &scop.arrays()[*of];
        array.may_be_private() && !array.is_live_in && !elsewhere.contains(of)
    };
    if set.iter().all(is_own) { set.into_iter().collect() } else { Vec::new() }
}
