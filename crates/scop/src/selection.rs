//! Selections: statements that keep the first of the greatest values, or of the least, and what came with it: `if (e > m) { m = e; at = i; }`.
//!
//! They are not free in their order, for the first of equal values is kept. But they may run in parts, one after another as before in each,
//! whose results are selected from in the order of the parts: what is selected is the same then, bit for bit.

use crate::reduction::{Reader, turned};
use crate::{AccessId, Array, ArrayId, AssignOp, BinaryOp, BodyStmt, Expr, Freedom, Statement};
use farkas_base::IdVec;

/// A selection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection<'a> {
    /// The comparison, with the new value on its left: `e > m`. Where both are equal, integers alone may take the new value.
    pub op: BinaryOp,
    /// What is asked before values are compared: `c && e > m`.
    pub asked_first: Option<&'a Expr>,
    /// The value that is compared.
    pub key: Kept<'a>,
    /// What comes with it.
    pub others: Vec<Kept<'a>>,
}

/// An element that a selection keeps a value in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept<'a> {
    /// The element, written.
    pub target: AccessId,
    /// The element, read.
    pub reads: Vec<AccessId>,
    /// The value that is taken where the comparison holds.
    pub value: &'a Expr,
}

impl<'a> Selection<'a> {
    /// All that is kept, the value that is compared first.
    pub fn kept(&self) -> impl Iterator<Item = &Kept<'a>> {
        std::iter::once(&self.key).chain(&self.others)
    }

    /// Whether of equal values the first is kept: where nothing was selected, what is below all values is not taken for one.
    pub fn is_strict(&self) -> bool {
        matches!(self.op, BinaryOp::Lt | BinaryOp::Gt)
    }

    /// Whether what comes with a value may be computed where the original does not take it, as in parts: it reads nothing and cannot
    /// overflow.
    pub fn is_harmless(&self) -> bool {
        self.others.iter().all(|kept| is_harmless(kept.value))
    }
}

impl Kept<'_> {
    /// Whether an access is one to the element.
    pub fn has(&self, access: AccessId) -> bool {
        self.target == access || self.reads.contains(&access)
    }
}

impl Statement {
    /// The selection that the statement is, by what its text says; `None` for other statements, and for those that keep nothing but the value,
    /// which are [updates](Self::update).
    pub fn selection(&self, arrays: &IdVec<ArrayId, Array>) -> Option<Selection<'_>> {
        let (_, selection) = self.selected(arrays)?;
        let Selection { op, asked_first, ref key, .. } = selection;
        let reader = Reader { stmt: self, arrays, target: key.target };
        let kept: Vec<&Kept<'_>> = selection.kept().collect();
        let is_one = self.keeps(&reader, op, key.value, asked_first)
            && self.are_apart(&kept, asked_first)
            && !selection.others.is_empty();
        is_one.then_some(selection)
    }

    /// What is kept where a value compares so with what was kept before, whether or not that may be found in parts, and the condition as it is
    /// written.
    pub(crate) fn selected(
        &self,
        arrays: &IdVec<ArrayId, Array>,
    ) -> Option<(&Expr, Selection<'_>)> {
        let (condition, taken) = taken(&self.body)?;
        let (asked_first, comparison) = match condition {
            Expr::Binary(BinaryOp::And, first, comparison) => (Some(first.as_ref()), &**comparison),
            comparison => (None, comparison),
        };
        let Expr::Binary(op, left, right) = comparison else { return None };
        let reader = |target: AccessId| Reader { stmt: self, arrays, target };
        let is_key = |taken: &&Taken<'_>| {
            let is_it = |side: &Expr| reader(taken.target).element(side).is_some();
            is_it(left) != is_it(right)
        };
        let Taken { target, value, .. } = *taken.iter().find(is_key)?;
        let key = reader(target);
        let (compared, op) = match key.element(left) {
            None => (left, *op),
            Some(_) => (right, turned(*op)?),
        };
        let is_old = |taken: &Taken<'_>| {
            taken.old.is_none_or(|old| reader(taken.target).element(old).is_some())
        };
        if !self.is_same_value(compared, value) || !taken.iter().all(is_old) {
            return None;
        }
        let kept = taken.iter().map(|taken| {
            let reads = reader(taken.target).reads();
            Kept { target: taken.target, reads, value: taken.value }
        });
        let (keys, others): (Vec<_>, Vec<_>) = kept.partition(|k| k.target == target);
        let key = keys.into_iter().next()?;
        Some((condition, Selection { op, asked_first, key, others }))
    }

    /// Whether the first of the values that compare so is found in parts, too: nothing is converted; and a part in which none is taken keeps
    /// what never compares so.
    fn keeps(
        &self,
        key: &Reader<'_, '_>,
        op: BinaryOp,
        value: &Expr,
        asked_first: Option<&Expr>,
    ) -> bool {
        let is_strict = matches!(op, BinaryOp::Lt | BinaryOp::Gt);
        let is_comparison = is_strict || matches!(op, BinaryOp::Le | BinaryOp::Ge);
        is_comparison
            && match key.kind().is_floating() {
                true => is_strict && self.kind_of(key.arrays, value) == Some(key.kind()),
                false => {
                    key.comparison(value) == Some(Freedom::Free)
                        && (is_strict || asked_first.is_none())
                }
            }
    }

    /// Whether elements are of arrays of their own, to which no other access goes, and nothing that is taken, or asked first, depends on them.
    fn are_apart(&self, kept: &[&Kept<'_>], asked_first: Option<&Expr>) -> bool {
        let is_free = |e: &Expr| {
            let mut is_free = true;
            e.walk(&mut |e| {
                is_free &=
                    !matches!(e, Expr::Access(access) if kept.iter().any(|k| k.has(*access)));
            });
            is_free
        };
        let is_apart = |at: usize, one: &Kept<'_>| {
            let array = self.accesses[one.target].array;
            let mut own = self.accesses.iter_enumerated().filter(|(_, a)| a.array == array);
            let is_same = |other: &Kept<'_>| self.accesses[other.target].array == array;
            own.all(|(id, _)| one.has(id))
                && !kept[..at].iter().any(|other| is_same(other))
                && is_free(one.value)
        };
        kept.iter().enumerate().all(|(at, one)| is_apart(at, one))
            && asked_first.is_none_or(is_free)
    }
}

/// An assignment that a condition decides.
#[derive(Clone, Copy)]
struct Taken<'a> {
    target: AccessId,
    value: &'a Expr,
    /// What is assigned where the condition does not hold; none where nothing is.
    old: Option<&'a Expr>,
}

/// The condition of a body, and what is assigned where it holds: `if (c) { x = e; y = f; }`, or
/// `int condition = c; x = condition ? e : x; y = condition ? f : y;`.
fn taken(body: &[BodyStmt]) -> Option<(&Expr, Vec<Taken<'_>>)> {
    let assigned = |part| match part {
        &BodyStmt::Assign { target, op: AssignOp::Set, read: None, ref value } => {
            Some((target, value))
        }
        _ => None,
    };
    match body {
        [BodyStmt::If { condition, then, otherwise }] if otherwise.is_empty() => {
            let plain =
                |part| assigned(part).map(|(target, value)| Taken { target, value, old: None });
            Some((condition, then.iter().map(plain).collect::<Option<_>>()?))
        }
        [BodyStmt::Local { name, value: Some(condition), .. }, parts @ ..] => {
            let conditional = |part| match assigned(part)? {
                (target, Expr::Ternary(decides, value, old)) if matches!(&**decides, Expr::Local(local) if local == name) => {
                    Some(Taken { target, value, old: Some(old) })
                }
                _ => None,
            };
            Some((condition, parts.iter().map(conditional).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// Whether a value may be computed where the original does not: it reads nothing and cannot overflow.
fn is_harmless(value: &Expr) -> bool {
    match value {
        Expr::Int { .. } | Expr::Float(_) | Expr::Iterator(_) | Expr::Param(_) => true,
        Expr::Cast(_, inner) | Expr::Unary(_, inner) => is_harmless(inner),
        _ => false,
    }
}
