//! Kernels that need not be launches of their own.

use crate::plan::Draft;
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result, stmt_names};
use farkas_analysis::thread_registers;
use farkas_deps::legality::BlockRaces;
use farkas_machine::{BlockNeeds, Gpu};
use farkas_scop::{ArrayScope, Scop, StmtId};
use farkas_steps::{JoinKernels as Join, Step, reaching};
use farkas_tree::{Cursor, Mark, Node};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Kernels that follow one another as one launch, where no block of the second has to wait for another one of the first.
///
/// What a thread needs of another one of its block it gets behind a barrier, which [`Barriers`](crate::Barriers) puts there; what it needs of another block
/// it gets from another launch alone. So kernels are joined whose blocks have the same threads and between whose blocks the legality check finds no race.
///
/// **Cost** a launch is saved ([`Gpu::launch_ns`]), and the blocks of the second kernel begin while some of the first still run. It pays where the threads of both
/// leave as many warps a place as those of each did alone; kernels with buffers stay apart, for what they hold is the others' loss.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinKernels {}

impl Plans for JoinKernels {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let draft = Draft::new(view.program, None);
        let scop = &view.program.scop;
        let races = BlockRaces::of(scop);
        let mut joining = Joining { scop, gpu: view.setting.gpu, draft, races, remarks };
        // What is further down comes first: what is joined there moves nothing above.
        for at in view.tree().cursors().into_iter().rev() {
            if matches!(view.tree().at(&at)?.node(), Node::Sequence(_)) {
                joining.children_of(&at)?;
            }
        }
        Ok(Proposal::Steps(joining.draft.plan(view.tree())))
    }
}

/// Steps that join kernels.
struct Joining<'a> {
    scop: &'a Scop,
    gpu: &'a Gpu,
    draft: Draft<'a>,
    races: BlockRaces<'a>,
    remarks: &'a mut Vec<Remark>,
}

/// A kernel that is a child of a sequence.
struct Child {
    threads: [i64; 3],
    stmts: BTreeSet<StmtId>,
    /// A statement that runs nowhere else.
    name: String,
}

impl Joining<'_> {
    /// Joins kernels among the children of a sequence, each with those before it as far as that goes.
    fn children_of(&mut self, sequence: &Cursor) -> Result<()> {
        let mut at = 0;
        // A sequence whose children are one kernel is none any more.
        while matches!(self.draft.tree().at(sequence)?.node(), Node::Sequence(_)) {
            let n = self.draft.tree().at(sequence)?.children().len();
            if at + 1 >= n {
                break;
            }
            let pair = (self.child(sequence, at)?, self.child(sequence, at + 1)?);
            let (Some(first), Some(second)) = pair else {
                at += 1;
                continue;
            };
            if !self.join(&first, &second)? {
                at += 1;
            }
        }
        Ok(())
    }

    /// The kernel that a child of a sequence is, if it is one.
    fn child(&self, sequence: &Cursor, at: usize) -> Result<Option<Child>> {
        let kernel = sequence.child(at).child(0);
        let tree = self.draft.tree();
        let Node::Mark { mark: Mark::Kernel(threads), .. } = tree.at(&kernel)?.node() else {
            return Ok(None);
        };
        let instances = reaching(tree, &kernel)?;
        let (mut stmts, mut name) = (BTreeSet::new(), None);
        for stmt in stmt_names(&instances)?.iter().filter_map(|name| self.scop.stmt_by_name(name)) {
            stmts.insert(stmt);
            let own = self.scop.domain_of(stmt)?.to_union_set()?;
            if name.is_none() && !own.is_empty()? && own.is_subset(&instances)? {
                name = Some(self.scop.stmts()[stmt].name.clone());
            }
        }
        Ok(name.map(|name| Child { threads: *threads, stmts, name }))
    }

    /// Makes one launch of two kernels where that is right and pays; whether it does.
    fn join(&mut self, first: &Child, second: &Child) -> Result<bool> {
        if first.threads != second.threads || !self.pays(first, second) {
            return Ok(false);
        }
        let before = self.draft.clone();
        let stmts = vec![first.name.clone(), second.name.clone()];
        let step = Step::JoinKernels(Join { stmts });
        if !self.draft.attempt(|draft| draft.apply(step))? {
            return Ok(false);
        }
        if self.races.between(self.draft.tree(), [&first.stmts, &second.stmts])? {
            self.draft = before;
            return Ok(false);
        }
        let name = |stmt: &StmtId| self.scop.stmts()[*stmt].name.clone();
        let stmts = first.stmts.iter().chain(&second.stmts).map(name).collect();
        let text = format!(
            "one launch in the place of two, which saves {} ns: nothing goes from one block to another",
            self.gpu.launch_ns
        );
        self.remarks.push(Remark { pass: "join-kernels", stmts, text });
        Ok(true)
    }

    /// Whether as many warps run at a time as in each of two kernels by itself.
    fn pays(&self, first: &Child, second: &Child) -> bool {
        let has_buffers = |child: &Child| {
            child.stmts.iter().any(|stmt| {
                let accesses = self.scop.stmts()[*stmt].accesses.iter();
                let mut arrays = accesses.map(|access| &self.scop.arrays()[access.array]);
                arrays.any(|array| array.scope == ArrayScope::Buffer)
            })
        };
        if self.gpu.launch_ns == 0 || has_buffers(first) || has_buffers(second) {
            return false;
        }
        let n: i64 = first.threads.iter().product();
        let warps = |stmts: &mut dyn Iterator<Item = StmtId>| {
            let registers = thread_registers(self.scop, stmts, self.gpu);
            let threads = u32::try_from(n).unwrap_or(u32::MAX);
            self.gpu.occupancy(BlockNeeds { threads, registers, shared_bytes: 0 }).warps
        };
        let alone = [first, second].map(|child| warps(&mut child.stmts.iter().copied()));
        let both = warps(&mut first.stmts.iter().chain(&second.stmts).copied());
        alone.into_iter().all(|alone| both >= alone)
    }
}
