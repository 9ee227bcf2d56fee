//! Division: what a statement computes one after another, as statements.
//!
//! `{ double t = x[i]; y[i] = t * t; z[i] = t + 1; }` is one statement: what comes of `t` keeps together what loops could run apart. Divided, it is
//! `t = x[i]`, `y[i] = t * t` and `z[i] = t + 1`, with `t` a variable of the region, which [`expand`](crate::Expand) may give a place for each
//! value. What a condition guards, and a loop within an instance, stays one statement.
//!
//! Legal by construction: the parts run one right after the other, and do what the body said. That is what
//! [`check_division`](farkas_deps::legality::check_division) proves by putting them together again.
//!
//! **Paper** L. Trümper, T. Ben-Nun, P. Schaad, A. Calotoiu, T. Hoefler, *A priori loop nest normalization*, section 2.1: fission begins with
//! that of scalars.

mod flat;
mod part;
mod uses;

use crate::{LoopAddress, NotApplicable, Result, Rewrite, Subject};
use farkas_base::{IdVec, NameGenerator, identifier};
use farkas_scop::{
    Array, ArrayId, ArrayScope, BodyStmt, ElementType, Scop, ScopBuilder, Statement, StmtId,
};
use farkas_tree::{Program, original_tree};
use flat::{Flat, flat};
use part::{Parts, dated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a statement as statements, with variables of the region in the place of those that several of them use. A program in its
/// own order alone shows what these are, so that this comes before `schedule`; `expand` may come after it.
///
/// **Rewrite**: `S: { double t = e; a = f(t); b = g(t); }` becomes `S_0: t = e`, `S_1: a = f(t)`, `S_2: b = g(t)`. `if (c) t = e;` becomes
/// `t = c ? e : t`, so that the variable is always set. All else under a condition, and loops within an instance, stay one part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Divide {
    /// The statement.
    pub stmt: String,
}

impl Rewrite for Divide {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program> {
        let scop = subject.scop();
        if *subject.tree() != original_tree(scop)? {
            return Err(NotApplicable::NotOwnOrder.into());
        }
        let missing = || NotApplicable::NoStatement(self.stmt.clone());
        let stmt = scop.stmt_by_name(&self.stmt).ok_or_else(missing)?;
        let (scop, parts) = divided(scop, stmt)?;
        let mut program = Program::original(&scop)?;
        program.origins = parts.into_iter().map(|part| (part, self.stmt.clone())).collect();
        Ok(program)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        Vec::new()
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        vec![&mut self.stmt]
    }
}

/// The scop with the parts of a statement in its place, and what they are called.
fn divided(scop: &Scop, stmt: StmtId) -> Result<(Scop, Vec<String>)> {
    let of = &scop.stmts()[stmt];
    let flat = flat(of, scop.arrays());
    let refused = |why| NotApplicable::NotDivided { stmt: of.name.clone(), why };
    if flat.items.len() < 2 {
        return Err(refused("it is one part").into());
    }
    if flat.items.iter().any(|item| matches!(item, BodyStmt::Text(_))) {
        return Err(refused("what it computes is known as text alone").into());
    }
    let mut names = NameGenerator::new(scop.names());
    let mut builder = scop.to_builder();
    let (crossing, bodies) = crossing(flat.items.clone(), &flat);
    let mut arrays = BTreeMap::new();
    for (name, ty) in crossing {
        let ty = ty.unqualified();
        if ty.kind.size_bytes().is_none() {
            return Err(refused("several parts use a variable that is no number").into());
        }
        let own = names.fresh(&identifier(&name));
        let array = builder.arrays.push(variable(&own, ty, of));
        arrays.insert(name, (array, own));
    }
    let parts = Parts { of, accesses: &flat.accesses, arrays: &arrays };
    let mut made = Vec::new();
    for (body, place) in bodies.iter().zip(0..) {
        let name = names.fresh(&format!("{}_{place}", of.name));
        made.push(parts.statement(body, &name, place)?);
    }
    let n_accesses: usize = made.iter().map(|part| of_original(part, &arrays)).sum();
    if n_accesses != of.accesses.len() {
        return Err(refused("it accesses more than its body says").into());
    }
    let added = made.iter().map(|part| part.name.clone()).collect();
    in_place(&mut builder, stmt, made)?;
    Ok((builder.build().map_err(crate::Error::Scop)?, added))
}

/// The variables that several parts use, with their types, and the parts with declarations of all others.
fn crossing(items: Vec<BodyStmt>, flat: &Flat) -> (Vec<(String, ElementType)>, Vec<Vec<BodyStmt>>) {
    let used: Vec<BTreeSet<String>> =
        items.iter().map(|item| uses::variables(item, &flat.accesses)).collect();
    let mut bodies: Vec<Vec<BodyStmt>> = items.into_iter().map(|item| vec![item]).collect();
    let mut crossing = Vec::new();
    for (name, ty) in &flat.variables {
        let mut users = used.iter().zip(&mut bodies).filter(|(used, _)| used.contains(name));
        match (users.next(), users.next()) {
            (Some((_, only)), None) => {
                let (name, ty) = (name.clone(), ty.unqualified());
                only.insert(0, BodyStmt::Local { name, ty, value: None });
            }
            (Some(_), Some(_)) => crossing.push((name.clone(), ty.clone())),
            (None, _) => {}
        }
    }
    (crossing, bodies)
}

/// A variable of the region.
fn variable(name: &str, element: ElementType, of: &Statement) -> Array {
    Array {
        name: name.to_owned(),
        source_name: name.to_owned(),
        declaration: Some(format!("{} {name};", element.text)),
        element,
        extents: Vec::new(),
        scope: ArrayScope::Region,
        is_live_in: false,
        is_live_out: false,
        reduction: None,
        span: of.span,
    }
}

/// How many of the whole statement's accesses a part has.
fn of_original(part: &Statement, own: &BTreeMap<String, (ArrayId, String)>) -> usize {
    let is_own = |array: ArrayId| own.values().any(|(own, _)| *own == array);
    part.accesses.iter().filter(|access| !is_own(access.array)).count()
}

/// Puts parts in the place of a statement. All others come at the same dates, with a dimension behind them.
fn in_place(builder: &mut ScopBuilder, stmt: StmtId, parts: Vec<Statement>) -> Result<()> {
    let mut parts = Some(parts);
    let mut all = IdVec::new();
    for (id, old) in builder.stmts.iter_enumerated() {
        if id == stmt {
            for part in parts.take().into_iter().flatten() {
                all.push(part);
            }
            continue;
        }
        all.push(Statement { date: dated(&old.date, 0)?, ..old.clone() });
    }
    builder.stmts = all;
    Ok(())
}
