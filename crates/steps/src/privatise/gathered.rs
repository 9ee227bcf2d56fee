//! What statements gather in partial results.

use super::Privatise;
use crate::Result;
use crate::numbered::Numbered;
use farkas_scop::{
    AccessId, ElementKind, ElementType, Freedom, Kept, Reassociation, Scop, Selection, Statement,
    Update,
};

/// What a statement gathers.
pub(super) enum Gathered<'a> {
    /// What it contributes to an element.
    Update(Update<'a>),
    /// The first of the greatest values, or of the least, and what comes with it.
    Selection(Selection<'a>),
}

impl<'a> Gathered<'a> {
    /// That of the statement of a step.
    pub(super) fn of(step: &Privatise, numbered: &'a Numbered) -> Result<Self> {
        let scop = &numbered.program.scop;
        let stmt = &scop.stmts()[numbered.stmt];
        if let Some(update) = stmt.update(scop.arrays()) {
            return match scop.reassociation().permits(update.freedom) {
                true => Ok(Self::Update(update)),
                false => Err(step.refused(update.freedom.fixed_reason())),
            };
        }
        let Some(selection) = stmt.selection(scop.arrays()) else {
            return Err(step.refused("it updates no element by an associative operator"));
        };
        if scop.reassociation() == Reassociation::Kept {
            return Err(step.refused(Freedom::Free.fixed_reason()));
        }
        if !selection.is_harmless() {
            return Err(step.refused("what comes with a value is more than a number that is known"));
        }
        if !selection.kept().all(|kept| is_alike(scop, stmt, &selection.key, kept)) {
            return Err(step.refused("what it keeps has other subscripts than the value"));
        }
        Ok(Self::Selection(selection))
    }

    /// The access that writes the element, or the value that is compared.
    pub(super) fn target(&self) -> AccessId {
        match self {
            Self::Update(update) => update.target,
            Self::Selection(selection) => selection.key.target,
        }
    }

    /// The accesses to each element, first the one that writes it.
    pub(super) fn elements(&self) -> Vec<Vec<AccessId>> {
        let all = |target: AccessId, reads: &[AccessId]| [&[target], reads].concat();
        match self {
            Self::Update(update) => vec![all(update.target, &update.reads)],
            Self::Selection(selection) => {
                selection.kept().map(|kept| all(kept.target, &kept.reads)).collect()
            }
        }
    }

    /// Whether the statement may leave its element alone.
    pub(super) fn has_condition(&self) -> bool {
        match self {
            Self::Update(update) => update.condition.is_some(),
            Self::Selection(selection) => selection.asked_first.is_some(),
        }
    }

    /// The type of cells, where it is another one than the element's: of sums and products of signed integers, the unsigned one.
    pub(super) fn unsigned(&self) -> Option<ElementType> {
        let Self::Update(Update { freedom: Freedom::Unsigned(bits), .. }) = self else {
            return None;
        };
        let text = if *bits > 32 { "unsigned long" } else { "unsigned" };
        Some(ElementType { text: text.to_owned(), kind: ElementKind::Unsigned((*bits).max(32)) })
    }
}

/// Whether two elements that a statement keeps have the same subscripts.
fn is_alike(scop: &Scop, stmt: &Statement, key: &Kept<'_>, other: &Kept<'_>) -> bool {
    let [key, other] = [key, other].map(|kept| &stmt.accesses[kept.target]);
    let name = &scop.arrays()[key.array].name;
    let relation = other.relation.with_tuple_name(farkas_poly::DimType::Out, name);
    let is_same = relation.and_then(|relation| relation.is_equal(&key.relation));
    stmt.are_same_values(&key.subscripts, &other.subscripts) && is_same.unwrap_or(false)
}
