//! The statements that begin partial results, gather in them, and combine them.

use super::Gathering;
use super::gathered::Gathered;
use super::neutral::neutral;
use crate::buffer::{Buffer, Part};
use crate::stage::statements::Writer;
use crate::{Error, Result};
use farkas_base::IdVec;
use farkas_scop::{
    Access, AccessId, AccessKind, AssignOp, BinaryOp, BodyStmt, ElementKind, ElementType, Expr,
    Operator, Selection, Statement, Update, UpdateForm,
};

/// Writes the statements.
pub(super) struct Statements<'a> {
    pub(super) gathering: &'a Gathering<'a>,
    pub(super) writer: Writer<'a>,
    /// The cells of each element.
    pub(super) cells: &'a [Buffer],
}

impl Statements<'_> {
    /// The statement that begins cells.
    pub(super) fn beginning(&self, part: &Part) -> Result<Statement> {
        let (mut accesses, mut body) = (IdVec::new(), Vec::new());
        for (cells, value) in self.cells.iter().zip(self.first_values()?) {
            let target = accesses.push(cells.access(part, AccessKind::MustWrite)?);
            body.push(BodyStmt::Assign { target, op: AssignOp::Set, read: None, value });
        }
        self.writer.statement(part, accesses, body)
    }

    /// The values that cells begin with.
    fn first_values(&self) -> Result<Vec<Expr>> {
        let operator = match &self.gathering.gathered {
            Gathered::Update(update) => Some(update.operator.clone()),
            Gathered::Selection(selection) => Operator::of_comparison(selection.op),
        };
        let kind = self.cell_kind();
        let neutral = operator.and_then(|operator| neutral(&operator, kind));
        let neutral = neutral.ok_or_else(|| {
            self.refused("its operator has no neutral element of the element's type")
        })?;
        // What comes with a value is taken with it alone.
        let others = self.cells.iter().skip(1).map(|_| Expr::int(0));
        Ok(std::iter::once(neutral).chain(others).collect())
    }

    /// The kind of the numbers in the cells of what is combined, or compared.
    fn cell_kind(&self) -> ElementKind {
        let unsigned = self.gathering.gathered.unsigned();
        unsigned.map_or(self.element().kind, |ty| ty.kind)
    }

    /// The type of the element that is combined, or compared.
    fn element(&self) -> &ElementType {
        let Gathering { numbered, stmt, gathered, .. } = self.gathering;
        &numbered.program.scop.arrays()[stmt.accesses[gathered.target()].array].element
    }

    /// Why there are none.
    fn refused(&self, why: &'static str) -> Error {
        self.gathering.step.refused(why)
    }

    /// The statement with its cells in the place of elements.
    pub(super) fn gathering(&self) -> Result<Statement> {
        let Gathering { numbered, spread, gathered, .. } = self.gathering;
        let mut stmt = numbered.program.scop.stmts()[numbered.stmt].clone();
        for (cells, element) in self.cells.iter().zip(gathered.elements()) {
            let cell = cells.access(&Part::whole(self.gathering.stmt), AccessKind::Read)?;
            let relation = spread.relation(&cell.relation)?;
            let subscripts: Vec<Expr> =
                cell.subscripts.iter().map(|e| spread.subscript(e)).collect();
            for access in element {
                let (relation, subscripts) = (relation.clone(), subscripts.clone());
                let kind = stmt.accesses[access].kind;
                stmt.accesses[access] = Access { kind, relation, subscripts, ..cell.clone() };
            }
        }
        if let (Gathered::Update(update), Some(ty)) = (gathered, gathered.unsigned()) {
            let is_cell = |e: &Expr| matches!(e, Expr::Access(at) if update.has(*at));
            stmt.body = stmt.body.iter().map(|part| converted(part, &ty, &is_cell)).collect();
        }
        Ok(stmt)
    }

    /// The statement that combines cells with elements.
    pub(super) fn combining(&self, part: &Part) -> Result<Statement> {
        let mut accesses = IdVec::new();
        let body = match &self.gathering.gathered {
            Gathered::Update(update) => self.combined(part, update, &mut accesses)?,
            Gathered::Selection(selection) => self.selected(part, selection, &mut accesses)?,
        };
        self.writer.statement(part, accesses, vec![body])
    }

    /// An access of the statement as one of `part`.
    fn own_access(&self, part: &Part, access: AccessId, kind: AccessKind) -> Result<Access> {
        let found = self.writer.own_access(part, access, kind)?;
        found.ok_or_else(|| self.refused("it depends on loops that are neither around nor inside"))
    }

    /// `if (cell > m) { m = cell; at = cell; }`
    fn selected(
        &self,
        part: &Part,
        selection: &Selection<'_>,
        accesses: &mut IdVec<AccessId, Access>,
    ) -> Result<BodyStmt> {
        let array = self.gathering.stmt.accesses[selection.key.target].array;
        let array = &self.gathering.numbered.program.scop.arrays()[array];
        if self.may_leave() && (!array.is_always_there() || !selection.is_strict()) {
            return Err(self.refused("nothing tells whether an element is there to be combined"));
        }
        let key = self.own_access(part, selection.key.target, AccessKind::Read)?;
        let key = Box::new(Expr::Access(accesses.push(key)));
        let (mut condition, mut then) = (None, Vec::new());
        for (cells, kept) in self.cells.iter().zip(selection.kept()) {
            let cell = Expr::Access(accesses.push(cells.access(part, AccessKind::Read)?));
            if condition.is_none() {
                let (cell, key) = (Box::new(cell.clone()), key.clone());
                condition = Some(Expr::Binary(selection.op, cell, key));
            }
            let target = self.own_access(part, kept.target, AccessKind::MayWrite)?;
            let target = accesses.push(target);
            then.push(BodyStmt::Assign { target, op: AssignOp::Set, read: None, value: cell });
        }
        let condition = condition.unwrap_or_else(|| Expr::int(0));
        Ok(BodyStmt::If { condition, then, otherwise: Vec::new() })
    }

    /// `x = x ⊛ cell`, where something was gathered.
    fn combined(
        &self,
        part: &Part,
        update: &Update<'_>,
        accesses: &mut IdVec<AccessId, Access>,
    ) -> Result<BodyStmt> {
        let is_conditional = self.is_conditional(update);
        let kind = if is_conditional { AccessKind::MayWrite } else { AccessKind::MustWrite };
        let old = accesses.push(self.own_access(part, update.target, AccessKind::Read)?);
        let cell = self.writer.buffer.access(part, AccessKind::Read)?;
        let cell = Expr::Access(accesses.push(cell));
        let target = accesses.push(self.own_access(part, update.target, kind)?);
        let (op, read, value) = self.with_cell(update, old, &cell);
        let body = BodyStmt::Assign { target, op, read, value };
        if !is_conditional {
            return Ok(body);
        }
        let condition = self.is_updated(&update.operator, &cell).ok_or_else(|| {
            self.refused("nothing tells whether an element is there to be combined")
        })?;
        Ok(BodyStmt::If { condition, then: vec![body], otherwise: Vec::new() })
    }

    /// Whether cells that nothing updated are not to be combined: the element is not there then, or nothing else may write it.
    fn is_conditional(&self, update: &Update<'_>) -> bool {
        let Gathering { numbered, stmt, .. } = self.gathering;
        let array = &numbered.program.scop.arrays()[stmt.accesses[update.target].array];
        self.may_leave() && update.operator.needs_update(array)
    }

    /// Whether the statement may leave elements alone that it has cells for.
    fn may_leave(&self) -> bool {
        let Gathering { gathered, spread, .. } = self.gathering;
        gathered.has_condition() || !spread.chosen.is_empty()
    }

    /// Whether something was gathered in a cell: it is not neutral any more. None where nothing tells.
    fn is_updated(&self, operator: &Operator, cell: &Expr) -> Option<Expr> {
        match operator {
            Operator::Fmin | Operator::Fmax => return None,
            // `x = x && 1` makes one of two.
            Operator::And | Operator::Or if !self.element().is_truth() => return None,
            // Zeros are equal, which a function may tell apart.
            Operator::Function(_) if self.element().kind.is_floating() => return None,
            _ => {}
        }
        let neutral =
            match (neutral(operator, self.cell_kind())?, self.gathering.gathered.unsigned()) {
                (minus @ Expr::Int { value: ..0, .. }, None) => {
                    Expr::Cast(self.element().clone(), Box::new(minus))
                }
                (neutral, _) => neutral,
            };
        Some(Expr::Binary(BinaryOp::Ne, Box::new(cell.clone()), Box::new(neutral)))
    }

    /// How an element, read by `old`, is combined with its cell: the operator of the assignment, its access to the element, and its value.
    fn with_cell(
        &self,
        update: &Update<'_>,
        old: AccessId,
        cell: &Expr,
    ) -> (AssignOp, Option<AccessId>, Expr) {
        let element = || Box::new(Expr::Access(old));
        let cell = || Box::new(cell.clone());
        let set = |value: Expr| (AssignOp::Set, None, value);
        match (&update.operator, &update.form, self.gathering.gathered.unsigned()) {
            (operator, _, Some(ty)) => {
                let op = if *operator == Operator::Product { BinaryOp::Mul } else { BinaryOp::Add };
                let sum = Expr::Binary(op, Box::new(Expr::Cast(ty, element())), cell());
                set(Expr::Cast(self.element().clone(), Box::new(sum)))
            }
            (_, UpdateForm::Selected { op, .. }, _) => {
                let condition = Expr::Binary(*op, cell(), element());
                set(Expr::Ternary(Box::new(condition), cell(), element()))
            }
            (_, UpdateForm::Called { function, .. }, _) => {
                set(Expr::Call((*function).to_owned(), vec![*element(), *cell()]))
            }
            // The cell first, so that both are evaluated.
            (Operator::And, ..) => set(Expr::Binary(BinaryOp::And, cell(), element())),
            (Operator::Or, ..) => set(Expr::Binary(BinaryOp::Or, cell(), element())),
            (operator, ..) => {
                let op = match operator {
                    Operator::Product => BinaryOp::Mul,
                    Operator::BitAnd => BinaryOp::BitAnd,
                    Operator::BitOr => BinaryOp::BitOr,
                    Operator::BitXor => BinaryOp::BitXor,
                    _ => BinaryOp::Add,
                };
                (AssignOp::Compound(op), Some(old), *cell())
            }
        }
    }
}

/// A part of a body in which what is combined with a cell has the cell's type.
fn converted(part: &BodyStmt, ty: &ElementType, is_cell: &impl Fn(&Expr) -> bool) -> BodyStmt {
    let convert = |value: &Expr| Box::new(Expr::Cast(ty.clone(), Box::new(value.clone())));
    match part.clone() {
        BodyStmt::If { condition, then, otherwise } => {
            let then = then.iter().map(|part| converted(part, ty, is_cell)).collect();
            BodyStmt::If { condition, then, otherwise }
        }
        BodyStmt::Assign { target, op, read, value } => {
            let value = match op {
                AssignOp::Compound(_) => *convert(&value),
                AssignOp::Set => converted_value(&value, ty, is_cell),
            };
            BodyStmt::Assign { target, op, read, value }
        }
        other => other,
    }
}

/// What is assigned to a cell, where what is combined with it has the cell's type.
fn converted_value(value: &Expr, ty: &ElementType, is_cell: &impl Fn(&Expr) -> bool) -> Expr {
    let convert = |value: &Expr| Box::new(Expr::Cast(ty.clone(), Box::new(value.clone())));
    match value {
        Expr::Binary(op, left, right) if is_cell(left) => {
            Expr::Binary(*op, left.clone(), convert(right))
        }
        Expr::Binary(op, left, right) => Expr::Binary(*op, convert(left), right.clone()),
        Expr::Ternary(condition, new, old) => {
            let new = converted_value(new, ty, is_cell);
            Expr::Ternary(condition.clone(), Box::new(new), old.clone())
        }
        other => other.clone(),
    }
}
