//! Bodies with buffers looked through are the original ones.

use super::super::counterexample::Counterexample;
use super::buffers::{Buffer, Judge};
use super::fault;
use super::unbuffered::Origin;
use crate::Result;
use farkas_poly::Map;
use farkas_scop::{AccessId, ArrayId, BodyStmt, Expr, StmtId};
use std::collections::BTreeMap;

/// The bodies of a statement in the program and in the original.
pub(super) struct Bodies<'a> {
    pub(super) judge: &'a Judge<'a>,
    pub(super) buffers: &'a BTreeMap<ArrayId, Buffer<'a>>,
    pub(super) origin: &'a Origin,
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
    /// Whether both compute the same from the same.
    pub(super) fn are_same(&self) -> Result<std::result::Result<(), Counterexample>> {
        let (old, new) = (
            &self.judge.original.stmts()[self.origin.stmt],
            &self.judge.scop.stmts()[self.origin.now],
        );
        if self.origin.n_added == 0 && old.body == new.body && old.accesses == new.accesses {
            return Ok(Ok(()));
        }
        let here = Place { stmt: self.origin.now, from: None, n_added: Some(self.origin.n_added) };
        if self.are_same_parts(&here, &new.body, &old.body)? {
            return Ok(Ok(()));
        }
        Ok(Err(fault(&old.name, "its body is not that of the original")))
    }

    /// Whether bodies, the new one at `place`, do the same one after another.
    fn are_same_parts(&self, place: &Place, new: &[BodyStmt], old: &[BodyStmt]) -> Result<bool> {
        let mut are_same = new.len() == old.len();
        for (new, old) in new.iter().zip(old) {
            are_same = are_same && self.is_same_part(place, new, old)?;
        }
        Ok(are_same)
    }

    /// Whether parts of bodies do the same. What came as text is the same nowhere: nothing is known of it.
    fn is_same_part(&self, place: &Place, new: &BodyStmt, old: &BodyStmt) -> Result<bool> {
        use BodyStmt::{Assign, AssignLocal, Block, If, Local};
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
            _ => false,
        })
    }

    /// Whether `new`, at `place`, computes what `old` computes in the original.
    fn is_same(&self, place: &Place, new: &Expr, old: &Expr) -> Result<bool> {
        Ok(match (new, old) {
            (Expr::Access(new), old) => {
                let array = self.judge.scop.stmts()[place.stmt].accesses[*new].array;
                match (self.buffers.get(&array), old) {
                    (Some(buffer), old) => self.is_filled_with(place, buffer, *new, old)?,
                    (None, Expr::Access(old)) => self.is_same_access(place, *new, *old)?,
                    (None, _) => false,
                }
            }
            (Expr::Iterator(new), Expr::Iterator(old)) => {
                place.n_added.is_some_and(|n| *new as usize == *old as usize + n)
                    && self.is_same_value(*new as usize, *old as usize)?
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

    /// Whether an iterator has the value of one of the original's.
    fn is_same_value(&self, new: usize, old: usize) -> Result<bool> {
        let old = self.judge.original.stmts()[self.origin.stmt].iterators.get(old);
        let new = self.judge.scop.stmts()[self.origin.now].iterators.get(new);
        let Some((new, old)) = new.zip(old) else { return Ok(false) };
        let expected = self.origin.to_original.apply_range(&old.value.to_map()?)?;
        let domain = &self.judge.prepared.domains[self.origin.now];
        Ok(new.value.to_map()?.intersect_domain(domain)?.is_equal(&expected)?)
    }

    /// Whether the cell of a buffer that an access reads is filled with `old`.
    fn is_filled_with(
        &self,
        place: &Place,
        buffer: &Buffer<'_>,
        access: AccessId,
        old: &Expr,
    ) -> Result<bool> {
        if place.from.is_some() {
            return Ok(false);
        }
        for (fill, from) in buffer.sources(self.judge, place.stmt, access)? {
            let [BodyStmt::Assign { value, .. }] = self.judge.scop.stmts()[fill].body.as_slice()
            else {
                return Ok(false);
            };
            let there = Place { stmt: fill, from: Some(from), n_added: None };
            if !self.is_same(&there, value, old)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an access at `place` is the original's `old`: to the same elements of the same array, or to a buffer that they
    /// were copied to.
    fn is_same_access(&self, place: &Place, new: AccessId, old: AccessId) -> Result<bool> {
        let access = &self.judge.scop.stmts()[place.stmt].accesses[new];
        if let Some(buffer) = self.buffers.get(&access.array) {
            return self.is_filled_with(place, buffer, new, &Expr::Access(old));
        }
        let old = &self.judge.original.stmts()[self.origin.stmt].accesses[old];
        let name = &self.judge.scop.arrays()[access.array].name;
        if *name != self.judge.original.arrays()[old.array].name {
            return Ok(false);
        }
        let expected = self.origin.to_original.apply_range(&old.relation)?;
        let domain = &self.judge.prepared.domains[place.stmt];
        let relation = access.relation.intersect_domain(domain)?;
        Ok(match &place.from {
            Some(from) => from.apply_range(&relation)?.is_subset(&expected)?,
            None => relation.is_equal(&expected)?,
        })
    }
}
