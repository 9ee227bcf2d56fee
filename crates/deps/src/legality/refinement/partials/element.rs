//! An update of a cell, as one of the element that the cell is combined with.

use farkas_poly::Map;
use farkas_scop::{ArrayId, BodyStmt, ElementKind, Expr, Scop, Statement};

/// What a cell is combined with.
pub(super) struct Element {
    pub(super) array: ArrayId,
    /// From the instances that update the cell.
    pub(super) relation: Map,
    /// Those that data chooses, among others; none where it chooses nothing.
    pub(super) subscripts: Vec<Expr>,
}

/// A statement that gathers in `cells`, as `old` does, as one that uses the element: without conversions to the cell's type where that is the
/// element's unsigned one.
pub(super) fn at_element(
    scop: &Scop,
    (old, cells): (&Statement, ArrayId),
    stmt: &Statement,
    element: &Element,
) -> Option<Statement> {
    let of_cell = scop.arrays()[cells].element.kind;
    let of_element = scop.arrays()[element.array].element.kind;
    let mut new = stmt.clone();
    for (access, _) in old.accesses.iter_enumerated().filter(|(_, a)| a.array == cells) {
        let own = &mut new.accesses[access];
        own.array = element.array;
        own.relation = element.relation.clone();
        own.subscripts = element.subscripts.clone();
    }
    if of_cell == of_element {
        return Some(new);
    }
    let ElementKind::Unsigned(width) = of_cell else { return None };
    let (ElementKind::Signed(bits) | ElementKind::Unsigned(bits)) = of_element else { return None };
    // What is cut off in the end may as well be cut off later.
    if width < bits.max(32) {
        return None;
    }
    unconverted(&mut new.body, of_cell)?;
    Some(new)
}

/// Takes the conversion of what is combined out of a body.
pub(super) fn unconverted(body: &mut [BodyStmt], to: ElementKind) -> Option<()> {
    match body {
        [BodyStmt::If { then, .. }] => unconverted(then, to),
        [BodyStmt::Assign { value, .. }] => {
            *value = unconverted_value(value, to)?;
            Some(())
        }
        _ => None,
    }
}

/// A value without the conversion of what is combined.
pub(super) fn unconverted_value(value: &Expr, to: ElementKind) -> Option<Expr> {
    Some(match value {
        Expr::Cast(ty, inner) if ty.kind == to => (**inner).clone(),
        Expr::Binary(op, left, right) => {
            let strip = |side: &Expr| match side {
                Expr::Cast(ty, inner) if ty.kind == to => inner.clone(),
                other => Box::new(other.clone()),
            };
            Expr::Binary(*op, strip(left), strip(right))
        }
        Expr::Ternary(condition, new, old) => {
            let new = Box::new(unconverted_value(new, to)?);
            Expr::Ternary(condition.clone(), new, old.clone())
        }
        _ => return None,
    })
}
