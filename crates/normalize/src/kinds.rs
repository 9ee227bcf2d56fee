//! An order of what works on an array, by what it does alone.

use crate::Result;
use crate::names::element;
use crate::shape::{Shape, Words};
use farkas_base::IdVec;
use farkas_poly::{DimType, Map};
use farkas_scop::{ArrayId, Scop, StmtId, linear_part};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Texts of statements that do not depend on names, on the order of statements, nor on loops: what they compute, from arrays that are told apart by
/// their types and by what statements do to them.
///
/// What such texts do not tell apart may still differ. (Colour refinement, as in [`normal_form`](crate::normal_form), of arrays alone.)
#[derive(Debug)]
pub struct Kinds<'a> {
    scop: &'a Scop,
    arrays: IdVec<ArrayId, String>,
}

impl<'a> Kinds<'a> {
    /// Those of a scop, with arrays that their types tell apart.
    pub fn of(scop: &'a Scop) -> Self {
        let arrays = scop.arrays().map(|array| {
            format!("{}{}{}{}", element(array), array.rank(), array.is_live_in, array.is_live_out)
        });
        Self { scop, arrays }
    }

    /// Tells arrays apart by the statements in which they stand, too, as far as these are told apart; whether that tells more apart.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn refine(&mut self) -> Result<bool> {
        let arrays = self.refined()?;
        let is_finer = count(&arrays) > count(&self.arrays);
        self.arrays = arrays;
        Ok(is_finer)
    }

    /// What a statement does to an array, of which some of the loops around it are in order for another reason than others.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn text(&self, stmt: StmtId, array: ArrayId, loops: &[usize]) -> Result<String> {
        let words = Around { arrays: &self.arrays, own: array, loops };
        Ok(Shape::of(self.scop, &self.scop.stmts()[stmt], &words)?.text)
    }

    /// A digest for each array of what is known of it and of the statements in which it stands.
    fn refined(&self) -> Result<IdVec<ArrayId, String>> {
        let mut refined = IdVec::new();
        for (array, known) in self.arrays.iter_enumerated() {
            let mut lines = Vec::new();
            for (id, stmt) in self.scop.stmts().iter_enumerated() {
                if stmt.accesses.iter().any(|access| access.array == array) {
                    lines.push(format!("{} {}", stmt.depth(), self.text(id, array, &[])?));
                }
            }
            lines.sort_unstable();
            let digest = Sha256::digest(format!("{known}\n{}", lines.join("\n")));
            refined.push(digest.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        Ok(refined)
    }
}

/// How many kinds there are.
fn count(arrays: &IdVec<ArrayId, String>) -> usize {
    arrays.iter().collect::<BTreeSet<_>>().len()
}

/// What stands for names in texts on one array.
struct Around<'k> {
    arrays: &'k IdVec<ArrayId, String>,
    own: ArrayId,
    loops: &'k [usize],
}

impl Words for Around<'_> {
    fn array(&self, array: ArrayId) -> String {
        if array == self.own { "own".to_owned() } else { self.arrays[array].clone() }
    }

    fn param(&self, _: &str) -> String {
        "param".to_owned()
    }

    fn local(&self, _: &str) -> String {
        "local".to_owned()
    }

    /// The factors of the two kinds of loops in each dimension.
    fn hole(&self, hole: &Map) -> Result<String> {
        if !hole.is_single_valued()? {
            return Ok("[?]".to_owned());
        }
        let elements = hole.to_pw_multi_aff()?;
        let mut text = String::new();
        for at in (0..).take(hole.dim(DimType::Out)? as usize) {
            let Some(row) = linear_part(&elements.at(at)?)? else {
                text.push_str("[?]");
                continue;
            };
            let factors = (0..).zip(row).filter(|(_, factor)| *factor != 0);
            let mut factors: Vec<(bool, i64)> =
                factors.map(|(dim, factor)| (self.loops.contains(&dim), factor)).collect();
            factors.sort_unstable();
            text.push_str(&format!("{factors:?}"));
        }
        Ok(text)
    }
}
