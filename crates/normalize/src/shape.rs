//! What a statement computes, with holes in the place of elements and of integers that depend on the instance.

use crate::Result;
use crate::integer::integer;
use farkas_poly::{Map, PwAff};
use farkas_scop::{
    AccessId, AccessKind, ArrayId, AssignOp, BinaryOp, BodyStmt, Expr, InnerLoop, Scop, Statement,
    TextPiece,
};

/// What stands in texts for what a statement names.
pub(crate) trait Words {
    /// For an array.
    fn array(&self, array: ArrayId) -> String;

    /// For a parameter.
    fn param(&self, name: &str) -> String;

    /// For a variable of an instance.
    fn local(&self, name: &str) -> String;

    /// What is said of a hole.
    fn hole(&self, hole: &Map) -> Result<String>;
}

/// The names that things have; nothing is said of holes.
pub(crate) struct OwnNames;

impl Words for OwnNames {
    fn array(&self, array: ArrayId) -> String {
        array.to_string()
    }

    fn param(&self, name: &str) -> String {
        name.to_owned()
    }

    fn local(&self, name: &str) -> String {
        name.to_owned()
    }

    fn hole(&self, _: &Map) -> Result<String> {
        Ok(String::new())
    }
}

/// A body as a text with holes. Statements of one text do the same, if what stands in the holes is the same.
#[derive(Clone, Default, Debug)]
pub(crate) struct Shape {
    pub(crate) text: String,
    /// From instances to what stands in the holes, in the order of the text: elements of arrays, and integers.
    pub(crate) holes: Vec<Map>,
}

impl Shape {
    /// That of a statement: of its body, and of the accesses of which this says nothing.
    pub(crate) fn of(scop: &Scop, stmt: &Statement, words: &dyn Words) -> Result<Self> {
        let writer = Writer { scop, stmt, words };
        let mut parts = vec![writer.all(&stmt.body)?];
        let is_text = stmt.body.iter().any(|part| matches!(part, BodyStmt::Text(_)));
        for (id, access) in stmt.accesses.iter_enumerated() {
            if is_text || access.kind == AccessKind::Kill {
                parts.push(writer.access(id)?);
            }
        }
        Ok(Self::list("", parts))
    }

    /// A text without holes.
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), holes: Vec::new() }
    }

    /// Several, in parentheses behind a word.
    fn list(word: &str, parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::text(format!("{word}("));
        for part in parts {
            all.text.push_str(&part.text);
            all.text.push(';');
            all.holes.extend(part.holes);
        }
        all.text.push(')');
        all
    }
}

/// Writes bodies of one statement.
struct Writer<'a> {
    scop: &'a Scop,
    stmt: &'a Statement,
    words: &'a dyn Words,
}

impl Writer<'_> {
    /// A hole for an integer.
    fn integer(&self, value: &PwAff, kind: &str) -> Result<Shape> {
        self.hole(kind, &value.to_map()?)
    }

    /// A hole.
    fn hole(&self, text: &str, hole: &Map) -> Result<Shape> {
        let text = format!("{text}{}", self.words.hole(hole)?);
        Ok(Shape { text, holes: vec![hole.clone()] })
    }

    /// Several statements.
    fn all(&self, parts: &[BodyStmt]) -> Result<Shape> {
        let parts: Result<Vec<Shape>> = parts.iter().map(|part| self.one(part)).collect();
        Ok(Shape::list("", parts?))
    }

    /// One statement.
    fn one(&self, part: &BodyStmt) -> Result<Shape> {
        Ok(match part {
            BodyStmt::Assign { target, op, read, value } => {
                let old = read.map(Expr::Access);
                Shape::list("=", [self.access(*target)?, self.assigned(*op, old, value)?])
            }
            BodyStmt::AssignLocal { name, op, value } => {
                let old = matches!(op, AssignOp::Compound(_)).then(|| Expr::Local(name.clone()));
                Shape::list(&self.words.local(name), [self.assigned(*op, old, value)?])
            }
            BodyStmt::Local { name, ty, value } => {
                let value = value.iter().map(|value| self.expr(value));
                let name = self.words.local(name);
                Shape::list(&format!("{} {name}", ty.text), value.collect::<Result<Vec<_>>>()?)
            }
            BodyStmt::If { condition, then, otherwise } => {
                let parts = [self.expr(condition)?, self.all(then)?, self.all(otherwise)?];
                Shape::list("if", parts)
            }
            BodyStmt::Block(parts) => Shape::list("block", [self.all(parts)?]),
            BodyStmt::Loop(inner) => self.inner_loop(inner)?,
            BodyStmt::Break => Shape::text("break"),
            BodyStmt::Continue => Shape::text("continue"),
            BodyStmt::Text(pieces) => {
                let pieces = pieces.iter().map(|piece| match piece {
                    TextPiece::Text(text) => Ok(Shape::text(text)),
                    TextPiece::Iterator(at) => self.expr(&Expr::Iterator(*at)),
                });
                Shape::list("text", pieces.collect::<Result<Vec<_>>>()?)
            }
        })
    }

    /// A loop within the instance.
    fn inner_loop(&self, inner: &InnerLoop) -> Result<Shape> {
        let condition = inner.condition.iter().map(|condition| self.expr(condition));
        let word = if inner.asks_last { "do" } else { "for" };
        let condition = Shape::list("while", condition.collect::<Result<Vec<_>>>()?);
        let parts = [self.all(&inner.first)?, condition, self.all(&inner.step)?];
        Ok(Shape::list(word, [Shape::list("", parts), self.all(&inner.body)?]))
    }

    /// What is assigned, whether it is written `x += e` or `x = x + e`.
    fn assigned(&self, op: AssignOp, old: Option<Expr>, value: &Expr) -> Result<Shape> {
        match (op, old) {
            (AssignOp::Compound(op), Some(old)) => {
                self.expr(&Expr::Binary(op, Box::new(old), Box::new(value.clone())))
            }
            (op, _) => Ok(Shape::list(&op.symbol(), [self.expr(value)?])),
        }
    }

    /// An expression.
    fn expr(&self, expr: &Expr) -> Result<Shape> {
        if let Some((value, kind)) = integer(self.scop, self.stmt, expr)? {
            return self.integer(&value, &format!("{kind:?}"));
        }
        Ok(match expr {
            Expr::Access(access) => self.access(*access)?,
            Expr::Unary(op, a) => Shape::list(op.symbol(), [self.expr(a)?]),
            Expr::Binary(op, a, b) => self.binary(*op, a, b)?,
            Expr::Ternary(a, b, c) => {
                Shape::list("?", [self.expr(a)?, self.expr(b)?, self.expr(c)?])
            }
            Expr::Cast(ty, a) => Shape::list(&format!("({})", ty.text), [self.expr(a)?]),
            Expr::Call(name, arguments) => Shape::list(name, self.exprs(arguments)?),
            Expr::Iterator(at) => match self.stmt.iterators.get(*at as usize) {
                Some(iterator) => self.integer(&iterator.value, &iterator.ty)?,
                None => Shape::text("?"),
            },
            Expr::Param(param) => match self.scop.params().get(*param) {
                Some(param) => Shape::text(self.words.param(&param.name)),
                None => Shape::text("?"),
            },
            Expr::Local(name) => Shape::text(self.words.local(name)),
            Expr::Int { text, .. } | Expr::Float(text) | Expr::Verbatim(text) => Shape::text(text),
        })
    }

    /// Several expressions.
    fn exprs(&self, exprs: &[Expr]) -> Result<Vec<Shape>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// An operation; of one that is the same from both sides the operand with the least text comes first.
    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Result<Shape> {
        let (op, a, b) = match op {
            BinaryOp::Gt => (BinaryOp::Lt, b, a),
            BinaryOp::Ge => (BinaryOp::Le, b, a),
            other => (other, a, b),
        };
        let mut operands = [self.expr(a)?, self.expr(b)?];
        let is_symmetric = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Mul
                | BinaryOp::BitAnd
                | BinaryOp::BitXor
                | BinaryOp::BitOr
                | BinaryOp::Eq
                | BinaryOp::Ne
        );
        if is_symmetric && operands[1].text < operands[0].text {
            operands.reverse();
        }
        Ok(Shape::list(op.symbol(), operands))
    }

    /// An element of an array; where data chooses it, what is written in its subscripts.
    fn access(&self, access: AccessId) -> Result<Shape> {
        let Some(access) = self.stmt.accesses.get(access) else { return Ok(Shape::text("?")) };
        let text = format!("{}:{:?}", self.words.array(access.array), access.kind);
        let element = self.hole(&text, &access.relation)?;
        if access.relation.is_single_valued()? {
            return Ok(element);
        }
        let subscripts = self.exprs(&access.subscripts)?;
        Ok(Shape::list("", [vec![element], subscripts].concat()))
    }
}
