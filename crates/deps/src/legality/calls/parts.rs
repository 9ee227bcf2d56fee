//! The statements that a call takes the place of, read as sums of products.

use super::{Judged, fault};
use crate::Result;
use crate::legality::Clause;
use farkas_poly::{Map, Set};
use farkas_scop::blas::{Call, Factor, Reading, Scaling, Start};
use farkas_scop::{AccessId, AccessKind, ArrayId, Expr, ParamId, Scop, Statement};

/// A product that a statement adds: the same factor throughout the call, and the elements that move.
pub(super) struct Moving {
    /// What is the same.
    pub(super) scaling: Scaling,
    /// The arrays that move, with the elements as functions of the instances.
    pub(super) elements: Vec<(ArrayId, Map)>,
}

/// What a statement does to an element before it adds.
pub(super) enum Begun {
    /// Nothing.
    Kept,
    /// Sets it to zero.
    Zero,
    /// Multiplies it by the same factor throughout the call.
    Scaled(Scaling),
    /// Multiplies it by an element.
    ByElement(ArrayId, Map),
    /// Divides it by an element.
    Divided(ArrayId, Map),
}

/// One of the statements.
pub(super) struct Part<'a> {
    /// The statement.
    pub(super) stmt: &'a Statement,
    /// From its instances to the call's.
    pub(super) calls: &'a Map,
    /// From its instances to the element that it sets.
    pub(super) target: Map,
    /// What it does first.
    pub(super) begun: Begun,
    /// What it adds.
    pub(super) products: Vec<Moving>,
}

/// All of them.
pub(super) struct Parts<'a> {
    /// The scop.
    pub(super) scop: &'a Scop,
    /// The array that they set.
    pub(super) target: ArrayId,
    /// The statements.
    pub(super) all: Vec<Part<'a>>,
    /// From the call's instances to elements that are the same throughout each.
    pub(super) same: Vec<(ArrayId, Map)>,
}

impl<'a> Parts<'a> {
    /// The statements of a call.
    pub(super) fn of(scop: &'a Scop, call: &'a Call) -> Judged<Self> {
        let wrong = |clause| Ok(Err(fault(&call.stmt, clause)));
        let Some(target) = call.operands.first().map(|operand| operand.array) else {
            return wrong(Clause::CallStatements);
        };
        let mut parts = Self { scop, target, all: Vec::new(), same: Vec::new() };
        let mut reached: Option<Set> = None;
        for (at, member) in call.members.iter().enumerate() {
            let domain = scop.domain_of(member.stmt)?;
            let calls = &member.instances;
            let is_twice = call.members[..at].iter().any(|other| other.stmt == member.stmt);
            if is_twice || !calls.is_single_valued()? || !calls.domain()?.is_equal(&domain)? {
                return wrong(Clause::CallInstances);
            }
            let range = calls.range()?;
            reached = Some(match reached {
                Some(all) => all.union(&range)?,
                None => range,
            });
            let stmt = &scop.stmts()[member.stmt];
            match parts.part(stmt, &domain, calls)? {
                Some(part) => parts.all.push(part),
                None => return Ok(Err(fault(&stmt.name, Clause::CallStatements))),
            }
        }
        match reached {
            Some(all) if all.is_equal(&call.instances)? => Ok(Ok(parts)),
            _ => wrong(Clause::CallInstances),
        }
    }

    /// A statement; none where it is no such sum.
    fn part(
        &mut self,
        stmt: &'a Statement,
        domain: &Set,
        calls: &'a Map,
    ) -> Result<Option<Part<'a>>> {
        let Some(reading) = Reading::of(self.scop.arrays(), stmt) else { return Ok(None) };
        let is_plain = stmt.accesses.iter_enumerated().all(|(id, access)| match access.kind {
            AccessKind::Read => id != reading.target,
            kind => id == reading.target && kind == AccessKind::MustWrite,
        });
        if !is_plain || stmt.accesses[reading.target].array != self.target {
            return Ok(None);
        }
        let target = self.elements(stmt, reading.target, domain)?;
        if !target.is_single_valued()? {
            return Ok(None);
        }
        let read = Read { stmt, domain, calls };
        let mut products = Vec::new();
        for summand in &reading.summands {
            match self.moving(&read, &summand.factors, summand.negative)? {
                Some(moving) => products.push(moving),
                None => return Ok(None),
            }
        }
        let Some(begun) = self.begun(&read, &reading.start)? else { return Ok(None) };
        Ok(Some(Part { stmt, calls, target, begun, products }))
    }

    /// What a statement does first.
    fn begun(&mut self, read: &Read<'_>, start: &Start<'_>) -> Result<Option<Begun>> {
        Ok(Some(match start {
            Start::Kept => Begun::Kept,
            Start::Zero => Begun::Zero,
            Start::Scaled(factors, negative) => {
                let Some(mut moving) = self.moving(read, factors, *negative)? else {
                    return Ok(None);
                };
                match (moving.elements.pop(), moving.elements.is_empty()) {
                    (None, _) => Begun::Scaled(moving.scaling),
                    (Some((array, elements)), true) if moving.scaling.is_one() => {
                        Begun::ByElement(array, elements)
                    }
                    _ => return Ok(None),
                }
            }
            Start::Divided(divisor) => {
                let Expr::Access(access) = divisor else { return Ok(None) };
                let elements = self.elements(read.stmt, *access, read.domain)?;
                Begun::Divided(read.stmt.accesses[*access].array, elements)
            }
        }))
    }

    /// A product, by what moves in it.
    fn moving(
        &mut self,
        read: &Read<'_>,
        factors: &[&Expr],
        negative: bool,
    ) -> Result<Option<Moving>> {
        let mut moving =
            Moving { scaling: Scaling { negative, factors: Vec::new() }, elements: Vec::new() };
        for factor in factors {
            match factor {
                Expr::Access(access) => {
                    let array = read.stmt.accesses[*access].array;
                    let elements = self.elements(read.stmt, *access, read.domain)?;
                    if !elements.is_single_valued()? {
                        return Ok(None);
                    }
                    let of_call = elements.apply_domain(read.calls)?;
                    let kind = |array: ArrayId| self.scop.arrays()[array].element.kind;
                    if of_call.is_single_valued()? {
                        self.same.push((array, of_call.clone()));
                        moving.scaling.factors.push(Factor::Element(array, of_call));
                    } else if kind(array) != kind(self.target) {
                        return Ok(None);
                    } else {
                        moving.elements.push((array, elements));
                    }
                }
                Expr::Int { text, .. } | Expr::Float(text) => {
                    moving.scaling.factors.push(Factor::Text(text.clone()));
                }
                Expr::Param(param) => {
                    moving.scaling.factors.push(Factor::Text(self.param(*param)));
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(moving))
    }

    /// The name of a parameter.
    fn param(&self, param: ParamId) -> String {
        self.scop.params()[param].name.clone()
    }

    /// From instances to the elements of an access.
    fn elements(&self, stmt: &Statement, access: AccessId, domain: &Set) -> Result<Map> {
        Ok(stmt.accesses[access].relation.intersect_domain(domain)?)
    }
}

/// A statement that is read.
struct Read<'a> {
    stmt: &'a Statement,
    domain: &'a Set,
    calls: &'a Map,
}
