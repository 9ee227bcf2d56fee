//! Sums whose operands other instances of the same loops compute.
//!
//! A factorisation such as LU sums products of what it has just computed: no block of it is a product of finished operands.
//! One of its loops cut into *strips* makes most of it such. In a strip, some instances come *before*, those that compute
//! what the strip computes with; all other sums, which are *far*, are products of finished operands, a nest of their own that
//! register tiles fit; the rest comes *after*. What comes before is cut into smaller strips in the same way.
//!
//! - `order`: what must come before what. `place`: where loops are cut; `division`: how the instances of strips are divided;
//!   `degree`: in how many directions sums extend.
//! - `strips`: the statements with the numbers of strips in front of their iterators, and their tree.

mod degree;
mod division;
mod order;
mod place;
mod strips;

pub use order::{Order, summed};
pub use place::{Cut as StripCut, Far, Place};

use crate::{Error, LoopAddress, NotApplicable, Result, Rewrite, Subject};
use farkas_deps::Dependences;
use farkas_tree::Program;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strips::split;

/// Sums whose operands are ready in loops of their own.
///
/// **Rewrite**: `band d, ..` becomes `strips of d; sequence [before: band d, .. ; far: band d, .. of each sum; after: band d, ..]`.
/// Legal where `d` never runs backwards along dependences, because nothing far precedes what comes before, and nothing that comes
/// after precedes what is far: all that a far sum depends on, but for its own earlier terms, comes before, and so does, for
/// each instance there, all that it depends on.
///
/// Coarse: what comes before, what is far and what comes after are sets of instances that dependences give, no halves of a loop at a
/// date, so that no `cut` says them; each part is a statement of its own, with the number of its strip as an iterator; and cuts
/// inside of what comes before go by what all of the strip needs, which no program in between tells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitSums {
    /// The loops that are cut, outer ones first; others may be inside of what comes before in the strips of those in front of them.
    pub cuts: Vec<SumCut>,
}

/// A loop that is cut into strips so that sums are far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SumCut {
    /// The outermost loop of the nest whose instances are divided.
    pub nest: LoopAddress,
    /// The loop that is cut, the same or one inside.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// How many iterations a strip has.
    pub size: i64,
    /// The statements that sum up what is to be far; those of which most cannot be stay with the others.
    pub sums: Vec<String>,
    /// The names of the new statements, which later steps may name: of the parts of a statement, the first keeps its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

impl Rewrite for SplitSums {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program> {
        let Some(deps) = subject.deps else {
            return Err(NotApplicable::NoSum("its dependences are not known").into());
        };
        let mut left = self.cuts.iter();
        let mut next = left.next();
        let done = split::<Error>(subject.program, deps, &mut |place| {
            let Some(cut) = next else { return Ok(None) };
            let Some(position) = place.position(cut)? else { return Ok(None) };
            next = left.next();
            Ok(Some((cut.divided(place, position)?, cut.parts.clone())))
        })?;
        match (next, done) {
            (None, Some((program, _))) => Ok(program),
            (cut, _) => Err(NotApplicable::NoNest(cut.map(|cut| cut.nest.clone())).into()),
        }
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        self.cuts.iter_mut().flat_map(|cut| [&mut cut.nest, &mut cut.at]).collect()
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        self.cuts.iter_mut().flat_map(|cut| &mut cut.sums).collect()
    }

    fn new_stmts(&self) -> Vec<String> {
        self.cuts.iter().flat_map(|cut| cut.parts.clone()).collect()
    }
}

impl SumCut {
    /// The instances of a place divided by its strips.
    fn divided(&self, place: &Place<'_>, position: usize) -> Result<StripCut> {
        let refused = |why| Err(NotApplicable::NoSum(why).into());
        if self.size < 1 {
            return Err(NotApplicable::BadNumber("strips have an iteration at least").into());
        }
        let inside = place.order.among(place.instances)?;
        let loops = place.loops();
        let Some(member) = loops.get(position) else {
            let (address, found) = (self.at.clone(), loops.len());
            return Err(NotApplicable::NoLoop { address, found }.into());
        };
        if !inside.allows_outermost(member)? {
            return refused("its loop runs backwards along dependences");
        }
        match place.divided(position, self.size, &self.sums)? {
            Some(cut) => Ok(cut),
            None => refused("most of it needs what its own strip computes"),
        }
    }
}

impl SplitSums {
    /// The step that cuts the bands of a program for which `choose` says how, outer ones first, and the program after it; none where there are none.
    ///
    /// # Errors
    /// Those of `choose`; when isl refuses.
    pub fn chosen<E: From<Error> + From<farkas_poly::Error>>(
        program: &Program,
        deps: &Dependences,
        choose: &mut dyn FnMut(&Place<'_>) -> std::result::Result<Option<StripCut>, E>,
    ) -> std::result::Result<Option<(Self, Program)>, E> {
        let found =
            split::<E>(
                program,
                deps,
                &mut |place| Ok(choose(place)?.map(|cut| (cut, Vec::new()))),
            )?;
        Ok(found.map(|(program, cuts)| (Self { cuts }, program)))
    }
}
