//! What statements compute, as terms: variables of an instance have their values put in their place, and what C lets one write in two ways is
//! written in one.

use crate::Result;
use crate::affine::{value, values};
use crate::fixed::is_fixed;
use crate::integer::{integer, kind_of};
use crate::names::{Names, number};
use crate::term::{Marks, Term};
use farkas_poly::{Map, PwAff, Set};
use farkas_scop::{
    Access, AccessId, AssignOp, BinaryOp, BodyStmt, ElementKind, ElementType, Expr, InnerLoop,
    Scop, Statement, TextPiece, UnaryOp,
};
use std::collections::BTreeMap;

/// A statement whose iterations are named by the loops around it.
pub(crate) struct Body<'a, 'n> {
    pub(crate) scop: &'a Scop,
    pub(crate) stmt: &'a Statement,
    /// From the loops to the instances.
    pub(crate) instances: &'n Map,
    /// Those of the loops.
    pub(crate) iterations: &'n Set,
    pub(crate) names: &'n mut Names<'a>,
    /// The values of variables that have them put in their place.
    pub(crate) values: BTreeMap<String, Term>,
    /// The numbers of the other variables, by first occurrence.
    pub(crate) variables: BTreeMap<String, usize>,
}

/// What stands around several statements.
const BLOCK: Marks = Marks("{ ", "; ", " }");

impl Body<'_, '_> {
    /// The statements, one or several.
    pub(crate) fn term(&mut self) -> Result<Term> {
        let mut parts = self.all(&self.stmt.body)?;
        Ok(if parts.len() == 1 { parts.remove(0) } else { Term::List(BLOCK, parts) })
    }

    /// Several statements, without variables that have their values put in their place.
    fn all(&mut self, parts: &[BodyStmt]) -> Result<Vec<Term>> {
        let mut terms = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match part {
                BodyStmt::Local { name, ty, value: Some(value) }
                    if is_fixed(self.stmt, name, value, &parts[at + 1..]) =>
                {
                    let value = self.converted(ty, value)?;
                    self.values.insert(name.clone(), value);
                }
                BodyStmt::Block(inner) => terms.extend(self.all(inner)?),
                other => terms.push(self.one(other)?),
            }
        }
        Ok(terms)
    }

    /// Several statements in braces.
    fn block(&mut self, parts: &[BodyStmt]) -> Result<Term> {
        Ok(Term::List(BLOCK, self.all(parts)?))
    }

    /// One statement.
    fn one(&mut self, part: &BodyStmt) -> Result<Term> {
        Ok(match part {
            BodyStmt::Assign { target, op, read, value } => {
                let old = read.map(Expr::Access);
                let target = self.access(*target)?;
                self.assignment(target, *op, old, value)?
            }
            BodyStmt::AssignLocal { name, op, value } => {
                let old = matches!(op, AssignOp::Compound(_)).then(|| Expr::Local(name.clone()));
                let target = self.variable(name);
                self.assignment(target, *op, old, value)?
            }
            BodyStmt::Local { name, ty, value } => {
                let head =
                    Term::row([Term::text(format!("{} ", type_name(ty))), self.variable(name)]);
                match value {
                    Some(value) => list(" = ", [head, self.expr(value)?]),
                    None => head,
                }
            }
            BodyStmt::If { condition, then, otherwise } => {
                if let ([BodyStmt::Assign { target, op: AssignOp::Set, value, .. }], []) =
                    (then.as_slice(), otherwise.as_slice())
                    && self
                        .stmt
                        .accesses
                        .get(*target)
                        .is_some_and(|access| !self.scop.arrays()[access.array].element.is_truth())
                {
                    return self.chosen(condition, *target, value);
                }
                let condition = self.expr(condition)?;
                let mut parts = vec![Term::text("if ("), condition, Term::text(") ")];
                parts.push(self.block(then)?);
                if !otherwise.is_empty() {
                    parts.push(Term::text(" else "));
                    parts.push(self.block(otherwise)?);
                }
                Term::row(parts)
            }
            BodyStmt::Block(parts) => self.block(parts)?,
            BodyStmt::Loop(inner) => self.inner_loop(inner)?,
            BodyStmt::Break => Term::text("break"),
            BodyStmt::Continue => Term::text("continue"),
            BodyStmt::Text(pieces) => {
                let pieces = pieces.iter().map(|piece| match piece {
                    TextPiece::Text(text) => Ok(Term::text(text)),
                    TextPiece::Iterator(at) => self.iterator(*at),
                });
                Term::row(pieces.collect::<Result<Vec<_>>>()?)
            }
        })
    }

    /// `if (condition) target = value`, as `target = condition ? value : target`.
    fn chosen(&mut self, condition: &Expr, target: AccessId, value: &Expr) -> Result<Term> {
        let [condition, value] = [Box::new(condition.clone()), Box::new(value.clone())];
        let chosen = Expr::Ternary(condition, value, Box::new(Expr::Access(target)));
        let target = self.access(target)?;
        self.assignment(target, AssignOp::Set, None, &chosen)
    }

    /// A loop within the instance.
    fn inner_loop(&mut self, inner: &InnerLoop) -> Result<Term> {
        let mut parts = vec![Term::text("for "), self.block(&inner.first)?];
        if let Some(condition) = &inner.condition {
            let word = if inner.asks_last { " until not " } else { " while " };
            parts.extend([Term::text(word), self.expr(condition)?]);
        }
        let body = self.block(&inner.body)?;
        parts.extend([Term::text(" step "), self.block(&inner.step)?, Term::text(" do "), body]);
        Ok(Term::row(parts))
    }

    /// `target = value`, whatever was written.
    fn assignment(
        &mut self,
        target: Term,
        op: AssignOp,
        old: Option<Expr>,
        value: &Expr,
    ) -> Result<Term> {
        let value = match (op, old) {
            (AssignOp::Compound(op), Some(old)) => {
                self.expr(&Expr::Binary(op, Box::new(old), Box::new(value.clone())))?
            }
            (AssignOp::Compound(op), None) => {
                list(op.symbol(), [target.clone(), self.expr(value)?])
            }
            (AssignOp::Set, _) => self.expr(value)?,
        };
        Ok(list(" = ", [target, value]))
    }

    /// An expression. Sums of iterators and parameters are written in one way.
    fn expr(&mut self, expr: &Expr) -> Result<Term> {
        if matches!(expr, Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(..))
            && let Some((value, kind)) = integer(self.scop, self.stmt, expr)?
        {
            let found = in_parentheses(self.of_instances(&value)?);
            let is_wide = kind != ElementKind::Signed(32) && has_wide_literal(expr);
            let mark = if is_wide { number(kind).unwrap_or_default() } else { String::new() };
            return Ok(Term::row([found, Term::text(mark)]));
        }
        Ok(match expr {
            Expr::Int { value, text } => Term::text(literal(*value, text)),
            Expr::Float(text) => Term::text(floating(text)),
            Expr::Iterator(at) => self.iterator(*at)?,
            Expr::Param(param) => match self.scop.params().get(*param) {
                Some(param) => self.names.param(&param.name),
                None => Term::text("?"),
            },
            Expr::Access(access) => self.access(*access)?,
            Expr::Local(name) => match self.values.get(name) {
                Some(value) => value.clone(),
                None => self.variable(name),
            },
            Expr::Unary(UnaryOp::Plus, a) if self.is_promoted(a) => self.expr(a)?,
            Expr::Unary(op, a) => Term::row([Term::text(op.symbol()), self.operand(a)?]),
            Expr::Binary(op, a, b) => self.binary(*op, a, b)?,
            Expr::Ternary(condition, then, otherwise) => {
                let parts = [condition, then, otherwise].map(|part| self.operand(part));
                let [condition, then, otherwise] = parts;
                let parts = [condition?, Term::text(" ? "), then?, Term::text(" : "), otherwise?];
                Term::List(Marks("(", "", ")"), parts.into())
            }
            Expr::Cast(ty, a) => self.converted(ty, a)?,
            Expr::Call(name, arguments) => {
                let arguments: Result<Vec<Term>> =
                    arguments.iter().map(|argument| self.expr(argument)).collect();
                let arguments = Term::List(Marks("(", ", ", ")"), arguments?);
                Term::row([Term::text(name), arguments])
            }
            Expr::Verbatim(text) => Term::text(text),
        })
    }

    /// An operation. Sums, products and what else is the same from both sides have their operands in any order; `a > b` is `b < a`; `a - b`
    /// is a sum of which one part is negative.
    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Result<Term> {
        let (op, a, b) = match op {
            BinaryOp::Gt => (BinaryOp::Lt, b, a),
            BinaryOp::Ge => (BinaryOp::Le, b, a),
            other => (other, a, b),
        };
        let operands = [self.converted_operand(a, b)?, self.converted_operand(b, a)?];
        let marks = Marks::between(mark(op));
        Ok(match op {
            BinaryOp::Add
            | BinaryOp::Mul
            | BinaryOp::BitAnd
            | BinaryOp::BitXor
            | BinaryOp::BitOr
            | BinaryOp::Eq
            | BinaryOp::Ne => Term::Bag(marks, operands.into()),
            BinaryOp::Sub => {
                let [a, b] = operands;
                Term::Bag(Marks::between(" + "), vec![a, Term::row([Term::text("-"), b])])
            }
            _ => Term::List(marks, operands.into()),
        })
    }

    /// An operand of an operation. That an iterator or a parameter becomes unsigned there, its text does not say by itself.
    fn converted_operand(&mut self, expr: &Expr, other: &Expr) -> Result<Term> {
        let operand = self.operand(expr)?;
        let kinds = [expr, other].map(|expr| kind_of(self.scop, self.stmt, expr));
        let [Some(own), Some(other)] = kinds else { return Ok(operand) };
        let common = own.common(other);
        let becomes_another = match expr {
            Expr::Iterator(_) | Expr::Param(_) => true,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(..) => own != common,
            _ => false,
        };
        let is_unsigned = matches!(common, ElementKind::Unsigned(_));
        let mark = if is_unsigned && becomes_another { number(common) } else { None };
        Ok(match mark {
            Some(mark) => Term::row([Term::text(format!("({mark}) ")), operand]),
            None => operand,
        })
    }

    /// An operand, in parentheses where it is an operation.
    fn operand(&mut self, expr: &Expr) -> Result<Term> {
        let term = self.expr(expr)?;
        let is_operation = match &term {
            Term::List(marks, _) | Term::Bag(marks, _) => marks.0.is_empty() && !marks.1.is_empty(),
            Term::Text(_) | Term::Name(_) => false,
        };
        Ok(if is_operation { Term::List(Marks("(", "", ")"), vec![term]) } else { term })
    }

    /// A value converted to a type: as it stands, where it is of that type.
    fn converted(&mut self, ty: &ElementType, value: &Expr) -> Result<Term> {
        let is_same = ty.kind != ElementKind::Other
            && !ty.is_truth()
            && self.stmt.kind_of(self.scop.arrays(), value) == Some(ty.kind);
        if is_same {
            return self.expr(value);
        }
        Ok(Term::row([Term::text(format!("({}) ", type_name(ty))), self.operand(value)?]))
    }

    /// Whether promotion changes nothing.
    fn is_promoted(&self, expr: &Expr) -> bool {
        let kind = self.stmt.kind_of(self.scop.arrays(), expr);
        kind.is_some_and(|kind| kind.promoted() == kind)
    }

    /// The value of the user's iterator.
    fn iterator(&mut self, at: u32) -> Result<Term> {
        let Some(iterator) = self.stmt.iterators.get(at as usize) else {
            return Ok(Term::text("?"));
        };
        Ok(in_parentheses(self.of_instances(&iterator.value)?))
    }

    /// A function of instances, by the loops.
    fn of_instances(&mut self, function: &PwAff) -> Result<Term> {
        let function = self.instances.apply_range(&function.to_map()?)?;
        let mut found = values(&function, self.iterations, self.names)?.unwrap_or_default();
        match found.pop() {
            Some(found) => Ok(found),
            None => value(&function.to_pw_multi_aff()?.at(0)?, self.names),
        }
    }

    /// A variable that has a number.
    fn variable(&mut self, name: &str) -> Term {
        let next = self.variables.len();
        let number = self.variables.entry(name.to_owned()).or_insert(next);
        Term::text(format!("v{number}"))
    }

    /// An element of an array.
    fn access(&mut self, access: AccessId) -> Result<Term> {
        let Some(access) = self.stmt.accesses.get(access) else { return Ok(Term::text("?")) };
        let mut parts = vec![self.names.array(access.array)];
        let elements = self.instances.apply_range(&access.relation)?;
        let subscripts = match values(&elements, self.iterations, self.names)? {
            Some(subscripts) => subscripts,
            None => self.written(access)?,
        };
        let subscripts = self.names.in_order(access.array, &subscripts).into_iter();
        let subscripts = subscripts.map(|at| Term::List(Marks("[", "", "]"), vec![at]));
        parts.extend(subscripts);
        Ok(Term::row(parts))
    }

    /// Subscripts as they are written, where data chooses the element.
    fn written(&mut self, access: &Access) -> Result<Vec<Term>> {
        access.subscripts.iter().map(|subscript| self.expr(subscript)).collect()
    }
}

/// A sum as an operand: a number as it is when it is written as one.
fn in_parentheses(sum: Term) -> Term {
    let parts = match &sum {
        Term::Bag(_, parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    match parts {
        [Term::Text(text)] if text.parse::<u64>().is_ok() => Term::text(text.clone()),
        _ => Term::List(Marks("(", "", ")"), vec![sum]),
    }
}

/// Whether a number in an expression is of another type than `int`.
fn has_wide_literal(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| {
        if let Expr::Int { value, text } = part {
            found |= ElementKind::of_literal(*value, text) != ElementKind::Signed(32);
        }
    });
    found
}

/// Parts with a mark between them.
fn list<const N: usize>(mark: &'static str, parts: [Term; N]) -> Term {
    Term::List(Marks::between(mark), parts.into())
}

/// An operator with space around it.
fn mark(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => " * ",
        BinaryOp::Div => " / ",
        BinaryOp::Rem => " % ",
        BinaryOp::Add => " + ",
        BinaryOp::Sub => " - ",
        BinaryOp::Shl => " << ",
        BinaryOp::Shr => " >> ",
        BinaryOp::Lt => " < ",
        BinaryOp::Gt => " > ",
        BinaryOp::Le => " <= ",
        BinaryOp::Ge => " >= ",
        BinaryOp::Eq => " == ",
        BinaryOp::Ne => " != ",
        BinaryOp::BitAnd => " & ",
        BinaryOp::BitXor => " ^ ",
        BinaryOp::BitOr => " | ",
        BinaryOp::And => " && ",
        BinaryOp::Or => " || ",
    }
}

/// A type as declarations name it.
fn type_name(ty: &ElementType) -> String {
    match ty.is_truth() {
        true => "bool".to_owned(),
        false => number(ty.kind).unwrap_or_else(|| ty.text.clone()),
    }
}

/// An integer literal with its type.
fn literal(value: i64, text: &str) -> String {
    match ElementKind::of_literal(value, text) {
        ElementKind::Signed(32) => value.to_string(),
        kind => format!("{value}:{}", number(kind).unwrap_or_default()),
    }
}

/// A floating-point literal by its value, with its type.
fn floating(text: &str) -> String {
    let kind = ElementKind::of_floating_literal(text);
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['f', 'l']);
    match (digits.parse::<f64>(), kind) {
        (Ok(value), ElementKind::Double) if !lower.starts_with("0x") => format!("{value:?}"),
        (Ok(value), ElementKind::Float) if !lower.starts_with("0x") => {
            format!("{value:?}:float")
        }
        _ => lower,
    }
}
