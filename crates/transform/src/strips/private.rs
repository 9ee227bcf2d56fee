//! Strips of parallel loops whose iterations have copies of scalars.

use super::{Context, Nest, in_strips};
use crate::plan::{Draft, mark};
use crate::view::{Plans, Proposal, Setting, View};
use crate::{Plan, Remark, Result};
use farkas_poly::{Set, UnionSet};
use farkas_scop::{Array, ArrayId};
use farkas_steps::LoopKind;
use farkas_tree::{Band, Cursor, Mark, Member, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Strips of loops whose iterations have copies of temporaries: [`lay_side_by_side`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivateStrips {}

impl Plans for PrivateStrips {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let Setting { scop, deps, machine, keeps_all, .. } = view.setting;
        if keeps_all || view.program.scop != *scop {
            return Ok(Proposal::Nothing);
        }
        let context = Context { scop, deps, strides: view.strides()?, machine };
        Ok(Proposal::Steps(lay_side_by_side(view.program, &context, remarks)?))
    }
}

/// Lays recurrences side by side where the parallel loop around them has private copies of scalars.
///
/// **Steps**: of `mark parallel; mark private x; band [f]; ...` the marks go (`mark`), `f` is cut into strips (`tile`), each iteration of a strip
/// gets a cell for `x` (`expand`), the loop over a strip goes inside (`sink`), and the strips are on threads (`mark`).
///
/// # Errors
/// When isl refuses.
fn lay_side_by_side(
    program: &Program,
    context: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<Plan> {
    let tree = &program.tree;
    let Node::Domain { domain, .. } = tree.node() else { return Ok(Plan::none(tree)) };
    let draft = Draft::new(program, None);
    let mut laying = Laying { context, draft, outer: Vec::new(), remarks };
    laying.below(tree, domain, &Cursor::root(), 0)?;
    Ok(laying.draft.plan(tree))
}

/// The state of going through a tree.
struct Laying<'a> {
    context: &'a Context<'a>,
    draft: Draft<'a>,
    /// The members around the place.
    outer: Vec<Member>,
    remarks: &'a mut Vec<Remark>,
}

impl Laying<'_> {
    /// The strips in a subtree, which these instances reach, and right above which there are `n_marks` marks.
    fn below(
        &mut self,
        tree: &ScheduleTree,
        instances: &UnionSet,
        here: &Cursor,
        n_marks: usize,
    ) -> Result<()> {
        if let Some((names, band, child)) = private_loop(tree) {
            return self.nest(names, (band, child), instances, (here, n_marks));
        }
        let depth = self.outer.len();
        let (inside, n_inside) = match tree.node() {
            Node::Mark { .. } => (instances.clone(), n_marks + 1),
            Node::Filter { filter, .. } => (instances.intersect(filter)?, 0),
            _ => (instances.clone(), 0),
        };
        if let Node::Band { band, .. } = tree.node() {
            self.outer.extend(band.members.iter().cloned());
        }
        for (at, child) in tree.children().iter().enumerate() {
            self.below(child, &inside, &here.child(at), n_inside)?;
        }
        self.outer.truncate(depth);
        Ok(())
    }

    /// A loop with these copies in strips, where that fits.
    fn nest(
        &mut self,
        private: &[String],
        (band, child): (&Band, &ScheduleTree),
        instances: &UnionSet,
        (here, n_marks): (&Cursor, usize),
    ) -> Result<()> {
        let Some(nest) = Nest::of(band, child, instances, &self.outer, self.context)? else {
            return Ok(());
        };
        let is_scalar = |array: &Array| array.rank() == 0 && private.contains(&array.name);
        let arrays = self.context.scop.arrays().iter_enumerated();
        let scalars: Vec<ArrayId> =
            arrays.filter(|(_, a)| is_scalar(a)).map(|(id, _)| id).collect();
        if scalars.len() != private.len() {
            return Ok(());
        }
        for scalar in &scalars {
            if !self.is_used_in_parts(*scalar, &nest.inside)? {
                return Ok(());
            }
        }
        let names = scalars.iter().map(|scalar| self.context.scop.arrays()[*scalar].name.clone());
        let names: Vec<String> = names.collect();
        let lanes_as = if nest.jumps { LoopKind::Unroll } else { LoopKind::Vector };
        let is_done = self.draft.attempt(|draft| {
            draft.apply(mark(&here.child(0).child(0), 0, LoopKind::Sequential))?;
            let strips = in_strips(draft, &nest, (here, n_marks), &names, Some(lanes_as))?;
            draft.apply(mark(&strips, 0, LoopKind::Parallel))?;
            draft.apply(mark(&strips.child(0), 0, LoopKind::FullTilesApart))
        })?;
        if is_done {
            self.remarks.push(nest.remark()?);
        }
        Ok(())
    }

    /// Whether several parts of a sequence use a scalar, so that its cells outlive loops.
    fn is_used_in_parts(&self, scalar: ArrayId, inside: &ScheduleTree) -> Result<bool> {
        let Node::Sequence(children) = inside.node() else { return Ok(false) };
        let mut n_users = 0;
        for child in children {
            let Node::Filter { filter, .. } = child.node() else { return Ok(false) };
            let uses = |set: &Set| {
                let stmt = self.context.scop.stmt_by_name(&set.tuple_name().unwrap_or_default());
                stmt.is_some_and(|stmt| {
                    let accesses = &self.context.scop.stmts()[stmt].accesses;
                    accesses.iter().any(|access| access.array == scalar)
                })
            };
            n_users += usize::from(filter.sets()?.iter().any(uses));
        }
        Ok(n_users >= 2)
    }
}

/// The names of the copies, the band and what is below it, where `tree` is a parallel loop with copies.
fn private_loop(tree: &ScheduleTree) -> Option<(&[String], &Band, &ScheduleTree)> {
    let Node::Mark { mark: Mark::Parallel, child } = tree.node() else { return None };
    let Node::Mark { mark: Mark::Private(names), child } = child.node() else { return None };
    let Node::Band { band, child } = child.node() else { return None };
    (band.members.len() == 1).then_some((names.as_slice(), band, child))
}
