//! Bodies with copies looked through are the original ones, and where their accesses go then.

use super::copies::Copies;
use super::origins::Origin;
use super::{Judged, chosen, fault};
use crate::Result;
use crate::legality::clause::Clause;
use crate::legality::counterexample::Counterexample;
use farkas_poly::Map;
use farkas_scop::{AccessId, ArrayId, BodyStmt, Expr, Scop, StmtId};
use std::collections::BTreeMap;

/// The elements of the accesses that go elsewhere than in the original, by the original's accesses: arrays of the program, and
/// relations from the instances of its statement. All others go where the original has them.
pub(super) type Moved = BTreeMap<AccessId, (ArrayId, Map)>;

/// The accesses of a statement that go elsewhere, provided that it computes what the original's does.
pub(super) fn moved(original: &Scop, copies: &Copies<'_>, origin: &Origin) -> Judged<Moved> {
    let (old, new) = (&original.stmts()[origin.stmt], &copies.scop.stmts()[origin.now]);
    let is_plain = || old.accesses.iter().all(|a| copies.known(a.array) == Some(a.array));
    if origin.n_added == 0 && old.body == new.body && old.accesses == new.accesses && is_plain() {
        return Ok(Ok(Moved::new()));
    }
    let mut bodies = Bodies { original, copies, origin, moved: Moved::new(), fault: None };
    let here = Place { stmt: origin.now, from: None, n_added: Some(origin.n_added) };
    let is_same = bodies.are_same_parts(&here, &new.body, &old.body)?;
    Ok(match bodies.fault {
        Some(found) => Err(found),
        None if is_same => Ok(bodies.moved),
        None => Err(fault(&old.name, Clause::Body)),
    })
}

/// The bodies of a statement in the program and in the original.
struct Bodies<'a> {
    original: &'a Scop,
    copies: &'a Copies<'a>,
    origin: &'a Origin,
    /// What was found so far.
    moved: Moved,
    /// What is wrong with an array that they use.
    fault: Option<Counterexample>,
}

/// Where an expression stands: a statement whose instances are functions of those of the program's statement.
struct Place {
    stmt: StmtId,
    /// From the instances of the program's statement; none for itself.
    from: Option<Map>,
    /// The number of dimensions in front of the original's; none where they are others.
    n_added: Option<usize>,
}

impl Bodies<'_> {
    /// The program's scop.
    fn scop(&self) -> &Scop {
        self.copies.scop
    }

    /// Whether bodies, the new one at `place`, do the same one after another.
    fn are_same_parts(
        &mut self,
        place: &Place,
        new: &[BodyStmt],
        old: &[BodyStmt],
    ) -> Result<bool> {
        let mut are_same = new.len() == old.len();
        for (new, old) in new.iter().zip(old) {
            are_same = are_same && self.is_same_part(place, new, old)?;
        }
        Ok(are_same)
    }

    /// Whether parts of bodies do the same. What came as text is the same nowhere: nothing is known of it.
    fn is_same_part(&mut self, place: &Place, new: &BodyStmt, old: &BodyStmt) -> Result<bool> {
        use BodyStmt::{Assign, AssignLocal, Block, Break, Continue, If, Local, Loop};
        Ok(match (new, old) {
            (
                Assign { target, op, read, value },
                Assign { target: old_target, op: old_op, read: old_read, value: old_value },
            ) => {
                let reads = match (read, old_read) {
                    (None, None) => true,
                    (Some(read), Some(old)) => self.is_same_access(place, *read, *old)?,
                    _ => false,
                };
                reads
                    && op == old_op
                    && self.is_same_access(place, *target, *old_target)?
                    && self.is_same(place, value, old_value)?
            }
            (
                If { condition, then, otherwise },
                If { condition: old_condition, then: old_then, otherwise: old_otherwise },
            ) => {
                self.is_same(place, condition, old_condition)?
                    && self.are_same_parts(place, then, old_then)?
                    && self.are_same_parts(place, otherwise, old_otherwise)?
            }
            (Local { name, ty, value }, Local { name: old_name, ty: old_ty, value: old_value }) => {
                let values = match (value, old_value) {
                    (None, None) => true,
                    (Some(value), Some(old)) => self.is_same(place, value, old)?,
                    _ => false,
                };
                values && name == old_name && ty == old_ty
            }
            (
                AssignLocal { name, op, value },
                AssignLocal { name: old_name, op: old_op, value: old_value },
            ) => name == old_name && op == old_op && self.is_same(place, value, old_value)?,
            (Block(new), Block(old)) => self.are_same_parts(place, new, old)?,
            (Loop(new), Loop(old)) => {
                let conditions = match (&new.condition, &old.condition) {
                    (None, None) => true,
                    (Some(new), Some(old)) => self.is_same(place, new, old)?,
                    _ => false,
                };
                conditions
                    && new.asks_last == old.asks_last
                    && self.are_same_parts(place, &new.first, &old.first)?
                    && self.are_same_parts(place, &new.step, &old.step)?
                    && self.are_same_parts(place, &new.body, &old.body)?
            }
            (Break, Break) | (Continue, Continue) => true,
            _ => false,
        })
    }

    /// Whether `new`, at `place`, computes what `old` computes in the original.
    fn is_same(&mut self, place: &Place, new: &Expr, old: &Expr) -> Result<bool> {
        Ok(match (new, old) {
            (Expr::Access(new), old) => {
                let array = self.scop().stmts()[place.stmt].accesses[*new].array;
                match old {
                    _ if self.copies.is_copied(array) => self.is_filled_with(place, *new, old)?,
                    Expr::Access(old) => self.is_same_access(place, *new, *old)?,
                    _ => false,
                }
            }
            (Expr::Iterator(new), Expr::Iterator(old)) => {
                place.n_added.is_some_and(|n| *new as usize == *old as usize + n)
            }
            (Expr::Unary(op, a), Expr::Unary(old_op, old_a)) => {
                op == old_op && self.is_same(place, a, old_a)?
            }
            (Expr::Cast(ty, a), Expr::Cast(old_ty, old_a)) => {
                ty == old_ty && self.is_same(place, a, old_a)?
            }
            (Expr::Binary(op, a, b), Expr::Binary(old_op, old_a, old_b)) => {
                op == old_op && self.is_same(place, a, old_a)? && self.is_same(place, b, old_b)?
            }
            (Expr::Ternary(a, b, c), Expr::Ternary(old_a, old_b, old_c)) => {
                self.is_same(place, a, old_a)?
                    && self.is_same(place, b, old_b)?
                    && self.is_same(place, c, old_c)?
            }
            (Expr::Call(name, arguments), Expr::Call(old_name, old_arguments)) => {
                let mut is_same = name == old_name && arguments.len() == old_arguments.len();
                for (a, old_a) in arguments.iter().zip(old_arguments) {
                    is_same = is_same && self.is_same(place, a, old_a)?;
                }
                is_same
            }
            (new, old) => new == old,
        })
    }

    /// Whether the cell of a buffer that copies fill holds `old`, at every place that an access takes it from.
    fn is_filled_with(&mut self, place: &Place, access: AccessId, old: &Expr) -> Result<bool> {
        for (fill, cells) in self.copies.sources(place.stmt, access)? {
            let from = match &place.from {
                Some(from) => from.apply_range(&cells)?,
                None => cells,
            };
            if from.is_empty()? {
                continue;
            }
            let scop = self.copies.scop;
            let [BodyStmt::Assign { value, .. }] = scop.stmts()[fill].body.as_slice() else {
                return Ok(false);
            };
            let there = Place { stmt: fill, from: Some(from), n_added: None };
            if !self.is_same(&there, value, old)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an access at `place` is the original's `old`: to a buffer that it was copied to, or of the same kind. Where its
    /// elements are others, that is noted.
    fn is_same_access(&mut self, place: &Place, new: AccessId, old: AccessId) -> Result<bool> {
        let access = &self.copies.scop.stmts()[place.stmt].accesses[new];
        if self.copies.is_copied(access.array) {
            return self.is_filled_with(place, new, &Expr::Access(old));
        }
        let of_original = &self.original.stmts()[self.origin.stmt].accesses[old];
        if place.from.is_none() && access.kind != of_original.kind {
            return Ok(false);
        }
        if !self.are_chosen_alike(place, new, old)? {
            return Ok(false);
        }
        let elements = match self.copies.elements(place.stmt, new)? {
            Ok(elements) => elements,
            Err(found) => {
                self.fault = Some(found);
                return Ok(false);
            }
        };
        let elements = match &place.from {
            Some(from) => from.apply_range(&elements)?,
            None => elements,
        };
        if self.copies.known(access.array) == Some(of_original.array) {
            let expected = self.origin.to_original.apply_range(&of_original.relation)?;
            let is_same = match place.from {
                Some(_) => elements.is_subset(&expected)?,
                None => elements.is_equal(&expected)?,
            };
            if is_same && !self.moved.contains_key(&old) {
                return Ok(true);
            }
        }
        let (array, all) = match self.moved.remove(&old) {
            Some((array, _)) if array != access.array => return Ok(false),
            Some((array, known)) => (array, known.union(&elements)?),
            None => (access.array, elements),
        };
        self.moved.insert(old, (array, all));
        Ok(true)
    }

    /// Whether data chooses the element of an access as it does that of the original's `old`. Arrays of the program's own may have
    /// dimensions in front.
    fn are_chosen_alike(&mut self, place: &Place, new: AccessId, old: AccessId) -> Result<bool> {
        let old = &self.original.stmts()[self.origin.stmt].accesses[old];
        let (subscripts, chosen) = (old.subscripts.clone(), chosen::subscripts(old)?);
        let access = &self.scop().stmts()[place.stmt].accesses[new];
        let n_added = access.subscripts.len().checked_sub(subscripts.len());
        let there: Option<Vec<Expr>> = n_added.map(|n| access.subscripts[n..].to_vec());
        let are_rows = chosen.iter().all(|(_, subscript)| subscript.is_some());
        for (at, subscript) in subscripts.iter().enumerate() {
            let is_chosen = match are_rows {
                true => chosen.iter().any(|(dim, _)| *dim == at),
                false => true,
            };
            if !is_chosen {
                continue;
            }
            let Some(there) = &there else { return Ok(false) };
            if !self.is_same(place, &there[at], subscript)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
