//! Loop nests as they would have been written, had nobody thought of the text or of a cache: planners of the normal form.

mod chain;
mod distance;
mod division;
mod fusion;
mod gaps;
mod sharing;
mod signs;
mod strides;

use crate::plan::{Draft, interchange_of};
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result};
pub use fusion::FuseProducers;
pub use gaps::without_gaps;
pub use sharing::ShareParallel;

use chain::Chain;
use division::division;
use farkas_analysis::StrideModel;
use farkas_deps::Dependences;
use farkas_normalize::text_at;
use farkas_scop::StmtId;
use farkas_steps::{Reverse, Step};
use farkas_tree::{Cursor, Node, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signs::{Order, Signs};
use strides::Strides;

/// Maximal loop fission: each loop is divided among the statements that no cycle of dependences ties together, from outside in, until no
/// loop can be divided. What was together in a loop for the sake of the text alone, or of a cache, is apart then.
///
/// **Paper**: *A priori loop nest normalization*, section 2.1. That the parts are the strongly connected components of the dependences
/// that no loop outside carries, is from R. Allen, K. Kennedy, *Automatic translation of Fortran programs to vector form*,
/// TOPLAS 9, 1987; statements in cycles of an outer loop may come apart in an inner one. Updates whose order is free keep nothing
/// together.
///
/// **Steps**: `distribute`, with the statements of each part; parts are in the order that dependences ask for, else in that of the text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fission {}

/// Stride minimization: loops right inside each other in the legal order, and each in the direction, in which accesses move the least in
/// memory from one iteration to the next: the least sum of strides of all accesses in the innermost loop, then in the one around it, and so on.
/// Where sizes are not known, each is taken for larger than any number, and one for as large as another. Of directions in which
/// accesses move as far, the one counts in which fewer move back.
///
/// **Paper**: *A priori loop nest normalization*, section 2.2. That the sums are compared from the innermost loop on is what the
/// paper's program does. Nests deeper than six loops are sorted in groups of six.
///
/// **Steps**: `reverse` and `interchange`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MinimizeStrides {}

/// The normal form of loop nests: maximal fission and minimal strides, a loop after another from outside in. A loop that does not come apart
/// gets its place by strides before the loops inside of it are divided, so that which of them stood outside does not matter to
/// what comes apart.
///
/// **Paper**: *A priori loop nest normalization*, section 2.
///
/// **Steps**: those of `fission` and `minimize-strides`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Normalize {}

impl Plans for Fission {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Walk { pass: "fission", divides: true, sorts: false }.plan(view, remarks)
    }
}

impl Plans for MinimizeStrides {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Walk { pass: "minimize-strides", divides: false, sorts: true }.plan(view, remarks)
    }
}

impl Plans for Normalize {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        Walk { pass: "normalize", divides: true, sorts: true }.plan(view, remarks)
    }
}

/// How often all loops are looked at.
const MAX_ROUNDS: usize = 4;

/// How many orders of the same strides are compared by what the text would be.
const MAX_ALIKE: usize = 24;

/// What is done to each loop, from outside in.
struct Walk {
    /// The planner.
    pass: &'static str,
    /// Whether loops are divided.
    divides: bool,
    /// Whether loops are brought into another order.
    sorts: bool,
}

impl Walk {
    /// The steps for all loops of a program.
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let (deps, strides) = (view.all_deps()?, view.strides()?);
        let mut draft = Draft::new(view.program, Some(deps));
        // Which of several orders is the least text may depend on those of nests that come later.
        for _ in 0..MAX_ROUNDS {
            let n_steps = draft.n_steps();
            self.go_round(&mut draft, (deps, strides), remarks)?;
            if draft.n_steps() == n_steps {
                break;
            }
        }
        Ok(Proposal::Steps(draft.plan(view.tree())))
    }

    /// The steps for all loops once. Those that are done with come before the others in the tree.
    fn go_round(
        &self,
        draft: &mut Draft<'_>,
        (deps, strides): (&Dependences, &StrideModel),
        remarks: &mut Vec<Remark>,
    ) -> Result<()> {
        let mut n_done = 0;
        while let Some(at) = loop_at(draft.tree(), n_done)? {
            if self.divides {
                self.divide(draft, deps, &at, remarks)?;
            }
            if self.sorts
                && let Some(at) = loop_at(draft.tree(), n_done)?
                && begins_chain(draft.tree(), &at)?
            {
                self.sort(draft, (deps, strides), &at, remarks)?;
            }
            n_done += 1;
        }
        Ok(())
    }

    /// Divides a loop as far as dependences allow.
    fn divide(
        &self,
        draft: &mut Draft<'_>,
        deps: &Dependences,
        (band, member): &Place,
        remarks: &mut Vec<Remark>,
    ) -> Result<()> {
        let division = division((draft.scop(), draft.tree()), deps, (band, *member))?;
        let Some((step, groups)) = division else { return Ok(()) };
        if draft.attempt(|draft| draft.apply(step))? {
            let text = format!(
                "a loop becomes {}: no cycle of dependences ties its statements together",
                groups.len()
            );
            remarks.push(Remark { pass: self.pass, stmts: groups.concat(), text });
        }
        Ok(())
    }

    /// Brings the loops of a chain into the legal order of least strides.
    fn sort(
        &self,
        draft: &mut Draft<'_>,
        (deps, strides): (&Dependences, &StrideModel),
        (band, member): &Place,
        remarks: &mut Vec<Remark>,
    ) -> Result<()> {
        let chain = Chain::from(draft.scop(), draft.tree(), (band, *member))?;
        let signs = Signs::of(draft.tree(), deps, &chain)?;
        let orders = Strides::of(draft.scop(), strides, &chain)?.best(&signs);
        let Some(order) = &least(draft, deps, &chain, orders)? else { return Ok(()) };
        if draft.attempt(|draft| reorder(draft, &chain, order))? {
            let text = format!(
                "accesses move less in the order {} of the loops there were",
                order.iter().map(position).collect::<Vec<_>>().join(", ")
            );
            let name = |stmt: StmtId| draft.scop().stmts()[stmt].name.clone();
            let stmts = chain.stmts.iter().map(|(stmt, _)| name(*stmt)).collect();
            remarks.push(Remark { pass: self.pass, stmts, text });
        }
        Ok(())
    }
}

/// A band and one of its members.
type Place = (Cursor, usize);

/// A loop of a tree, by its position from outside in and from first to last.
fn loop_at(tree: &ScheduleTree, position: usize) -> Result<Option<Place>> {
    let mut left = position;
    for here in tree.cursors() {
        let Node::Band { band, .. } = tree.at(&here)?.node() else { continue };
        if left < band.members.len() {
            return Ok(Some((here, left)));
        }
        left -= band.members.len();
    }
    Ok(None)
}

/// Whether no loop stands right around a loop.
fn begins_chain(tree: &ScheduleTree, (band, member): &Place) -> Result<bool> {
    let Some(above) = band.parent() else { return Ok(*member == 0) };
    Ok(*member == 0 && !matches!(tree.at(&above)?.node(), Node::Band { .. }))
}

/// The order of a chain after which its text, whatever things are called, is the least.
fn least(
    draft: &Draft<'_>,
    deps: &Dependences,
    chain: &Chain,
    mut orders: Vec<Order>,
) -> Result<Option<Order>> {
    orders.truncate(MAX_ALIKE);
    if orders.len() < 2 {
        return Ok(orders.pop());
    }
    let Some((band, _)) = chain.places.first() else { return Ok(None) };
    let mut texts = Vec::new();
    for order in orders {
        let mut trial = Draft::new(draft.program(), Some(deps));
        let is_own = order.iter().enumerate().all(|(at, now)| *now == (at, false));
        if is_own || trial.attempt(|trial| reorder(trial, chain, &order))? {
            texts.push((text_at(trial.program(), deps, band)?, order));
        }
    }
    Ok(texts.into_iter().min_by(|a, b| a.0.cmp(&b.0)).map(|(_, order)| order))
}

/// The steps that bring the loops of a chain into an order.
fn reorder(draft: &mut Draft<'_>, chain: &Chain, order: &Order) -> Result<()> {
    let loops = chain.addresses();
    for (at, is_reversed) in order {
        if *is_reversed {
            draft.apply(Step::Reverse(Reverse { at: loops[*at].clone() }))?;
        }
    }
    let places: Vec<usize> = order.iter().map(|(at, _)| *at).collect();
    match interchange_of(&loops, &places) {
        Some(step) => draft.apply(step),
        None => Ok(()),
    }
}

/// A loop of an order as a remark names it: its position, from one, and a minus where it runs the other way.
fn position((at, is_reversed): &(usize, bool)) -> String {
    format!("{}{}", if *is_reversed { "-" } else { "" }, at + 1)
}
