//! Numbers of types that devices need not have, in those that all of them have.
//!
//! - `_Float16` and `__bf16` are 16 bits in memory, and else a `float` that they hold. Each operation is computed in `float` and its result rounded, which is
//!   the number nearest to the exact result: `float` has more than twice the digits. (The least numbers of `__bf16` are those of `float`, and compilers
//!   compute with it in `float`, too.)
//! - `_Bool` is a byte. What is stored there is compared with zero first.
//!
//! Statements are rewritten with calls of the functions in [`short_floating`](super::short_floating), of which the printer of bodies knows nothing.

use super::Language;
use super::short_floating::Format;
use farkas_scop::{
    AccessId, AssignOp, BinaryOp, BodyStmt, ElementKind, ElementType, Expr, InnerLoop, Scop,
    Statement, UnaryOp,
};
use std::borrow::Cow;

/// The type of truth values.
pub(super) const TRUTH: &str = "unsigned char";

/// A statement as kernels compute it.
///
/// # Errors
/// What it computes with that has no such form, to stand behind the statement's name.
pub(super) fn narrowed<'a>(scop: &Scop, stmt: &'a Statement) -> Result<Cow<'a, Statement>, String> {
    let mut rewriting = Rewriting { scop, stmt, locals: Vec::new(), refused: None };
    if !rewriting.is_needed() {
        return Ok(Cow::Borrowed(stmt));
    }
    let mut new = stmt.clone();
    new.body = rewriting.parts(&stmt.body);
    for access in new.accesses.iter_mut() {
        access.subscripts.iter_mut().for_each(|e| *e = rewriting.value(e).expr);
    }
    rewriting.refused.map_or(Ok(Cow::Owned(new)), Err)
}

/// A rewritten expression.
struct Number {
    expr: Expr,
    /// Its kind in C; where that has 16 bits, it is a `float` in kernels.
    kind: ElementKind,
    /// Whether it is zero or one.
    is_truth: bool,
    /// If it is an integer that is known to be small, how large at most.
    most: u64,
}

impl Number {
    fn of(kind: ElementKind, expr: Expr) -> Self {
        let most = match kind {
            ElementKind::Signed(8) => 128,
            ElementKind::Unsigned(8) => 255,
            _ => u64::MAX,
        };
        Self { expr, kind, is_truth: false, most }
    }

    /// One that is zero or one.
    fn truth(kind: ElementKind, expr: Expr) -> Self {
        Self { expr, kind, is_truth: true, most: 1 }
    }
}

/// C's `int`.
const INT: ElementKind = ElementKind::Signed(32);

/// A walk through a statement.
struct Rewriting<'a> {
    scop: &'a Scop,
    stmt: &'a Statement,
    /// The variables in scope, with their types in the source.
    locals: Vec<(&'a str, &'a ElementType)>,
    /// What has no form.
    refused: Option<String>,
}

impl<'a> Rewriting<'a> {
    /// Whether the statement has numbers of such types.
    fn is_needed(&self) -> bool {
        let is_narrow = |ty: &ElementType| ty.kind.is_short_floating() || ty.is_truth();
        let arrays = self.scop.arrays();
        let in_memory = |stmt: &Statement| {
            stmt.accesses.iter().any(|access| is_narrow(&arrays[access.array].element))
        };
        let mut found = in_memory(self.stmt);
        let mut look = |e: &Expr| {
            found |= match e {
                Expr::Cast(ty, _) => is_narrow(ty),
                Expr::Float(text) => ElementKind::of_floating_literal(text).is_short_floating(),
                _ => false,
            };
        };
        for_each_expr(&self.stmt.body, &mut look);
        self.stmt.accesses.iter().flat_map(|a| &a.subscripts).for_each(|e| e.walk(&mut look));
        found || declares(&self.stmt.body, &is_narrow)
    }

    /// Several parts of a body, in a scope of their own.
    fn parts(&mut self, parts: &'a [BodyStmt]) -> Vec<BodyStmt> {
        let n_outside = self.locals.len();
        let new = parts.iter().map(|part| self.part(part)).collect();
        self.locals.truncate(n_outside);
        new
    }

    fn part(&mut self, part: &'a BodyStmt) -> BodyStmt {
        match part {
            BodyStmt::Assign { target, op, read, value } => {
                let old = Expr::Access(read.unwrap_or(*target));
                let element = self.element(*target).clone();
                let (op, value) = self.assigned(&element, old, *op, value, true);
                let read = read.filter(|_| op != AssignOp::Set);
                BodyStmt::Assign { target: *target, op, read, value }
            }
            BodyStmt::AssignLocal { name, op, value } => {
                let ty = self.local(name);
                let old = Expr::Local(name.clone());
                let (op, value) = self.assigned(&ty, old, *op, value, false);
                BodyStmt::AssignLocal { name: name.clone(), op, value }
            }
            BodyStmt::Local { name, ty, value } => {
                let value = value.as_ref().map(|value| {
                    let value = self.value(value);
                    Self::converted(ty, value)
                });
                self.locals.push((name, ty));
                BodyStmt::Local { name: name.clone(), ty: in_registers(ty), value }
            }
            BodyStmt::If { condition, then, otherwise } => BodyStmt::If {
                condition: self.value(condition).expr,
                then: self.parts(then),
                otherwise: self.parts(otherwise),
            },
            BodyStmt::Block(parts) => BodyStmt::Block(self.parts(parts)),
            BodyStmt::Loop(inner) => self.inner_loop(inner),
            BodyStmt::Break | BodyStmt::Continue | BodyStmt::Text(_) => part.clone(),
        }
    }

    /// A loop, in whose scope all of it is.
    fn inner_loop(&mut self, inner: &'a InnerLoop) -> BodyStmt {
        let n_outside = self.locals.len();
        let first = inner.first.iter().map(|part| self.part(part)).collect();
        let new = InnerLoop {
            first,
            condition: inner.condition.as_ref().map(|e| self.value(e).expr),
            asks_last: inner.asks_last,
            step: self.parts(&inner.step),
            body: self.parts(&inner.body),
        };
        self.locals.truncate(n_outside);
        BodyStmt::Loop(Box::new(new))
    }

    /// What is assigned to something of a type that has a value already, and how.
    fn assigned(
        &mut self,
        ty: &ElementType,
        old: Expr,
        op: AssignOp,
        value: &Expr,
        in_memory: bool,
    ) -> (AssignOp, Expr) {
        let AssignOp::Compound(op) = op else {
            return (AssignOp::Set, self.set(ty, value, in_memory));
        };
        let plain = self.value(value);
        let is_bitwise = matches!(op, BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr);
        let stays = match ty.is_truth() {
            true => is_bitwise && plain.is_truth,
            false => {
                let kinds = [ty.kind, ty.kind.common(plain.kind)];
                !kinds.iter().any(|kind| kind.is_short_floating())
            }
        };
        if stays {
            return (AssignOp::Compound(op), plain.expr);
        }
        let whole = Expr::Binary(op, Box::new(old), Box::new(value.clone()));
        (AssignOp::Set, self.set(ty, &whole, in_memory))
    }

    /// The value that is to be something of a type.
    fn set(&mut self, ty: &ElementType, value: &Expr, in_memory: bool) -> Expr {
        // `x = c ? value : x` is printed as `if (c) x = value`, which writes no more than that.
        if let Expr::Ternary(condition, new, old) = value
            && let Expr::Access(_) | Expr::Local(_) = **old
            && self.type_of(old) == *ty
        {
            let condition = Box::new(self.value(condition).expr);
            return Expr::Ternary(condition, Box::new(self.set(ty, new, in_memory)), old.clone());
        }
        let value = self.value(value);
        let value = Self::converted(ty, value);
        match Format::of(ty.kind).filter(|_| in_memory) {
            Some(format) => bits(format, value),
            None => value,
        }
    }

    /// A value as one of a type, which kernels have in registers.
    fn converted(ty: &ElementType, value: Number) -> Expr {
        match Format::of(ty.kind) {
            Some(format) => Self::rounded(format, value),
            None if ty.is_truth() => Self::is_true(value),
            None => value.expr,
        }
    }

    /// A value in a format of 16 bits. What is no number is refused by the name of its type, variable or function.
    fn rounded(format: &Format, value: Number) -> Expr {
        if value.kind == format.kind || value.most <= format.exact {
            return value.expr;
        }
        call(format.rounding(value.kind).to_float, value.expr)
    }

    /// A value as zero or one.
    fn is_true(value: Number) -> Expr {
        if value.is_truth {
            return value.expr;
        }
        Expr::Binary(BinaryOp::Ne, Box::new(value.expr), Box::new(Expr::int(0)))
    }

    /// An expression.
    fn value(&mut self, expr: &Expr) -> Number {
        match expr {
            Expr::Int { value, text } => {
                let number = Number::of(ElementKind::of_literal(*value, text), expr.clone());
                Number { is_truth: matches!(value, 0 | 1), most: value.unsigned_abs(), ..number }
            }
            Expr::Float(text) => self.literal(text),
            Expr::Iterator(at) => {
                let ty = self.stmt.iterators.get(*at as usize).map_or("int", |i| i.ty.as_str());
                Number::of(integer(ty), expr.clone())
            }
            Expr::Param(at) => Number::of(integer(&self.scop.params()[*at].ty), expr.clone()),
            Expr::Access(access) => {
                let ty = self.element(*access);
                match Format::of(ty.kind) {
                    Some(format) => Number::of(ty.kind, call(format.from_bits, expr.clone())),
                    None => of_type(ty, expr.clone()),
                }
            }
            Expr::Local(name) => of_type(&self.local(name), expr.clone()),
            Expr::Unary(op, a) => self.unary(*op, a),
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Ternary(condition, then, otherwise) => {
                let condition = Box::new(self.value(condition).expr);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                let is_truth = then.is_truth && otherwise.is_truth;
                let (kind, then, otherwise) = self.alike(then, otherwise);
                let expr = Expr::Ternary(condition, Box::new(then), Box::new(otherwise));
                Number { is_truth, ..Number::of(kind, expr) }
            }
            Expr::Cast(ty, a) => self.cast(ty, a),
            Expr::Call(name, arguments) => {
                let new = arguments.iter().map(|a| self.value(a).expr).collect();
                Number::of(kind_of_call(name), Expr::Call(name.clone(), new))
            }
            Expr::Verbatim(_) => Number::of(ElementKind::Other, expr.clone()),
        }
    }

    /// A floating-point number.
    fn literal(&mut self, text: &str) -> Number {
        let kind = ElementKind::of_floating_literal(text);
        let Some(format) = Format::of(kind) else {
            return Number::of(kind, Expr::Float(text.to_owned()));
        };
        // More digits than a `double` has may be beside the middle of two numbers, where the `double` is not.
        let digits = text.trim_end_matches(|c: char| c != 'f' && c != 'F');
        let digits = digits.trim_end_matches(['f', 'F', 'b', 'B']);
        let exact = digits.parse::<f64>().ok();
        let is_known = |x: &f64| digits.len() <= 17 || !(format.is_between)(*x);
        match exact.filter(is_known).map(format.nearest).filter(|x| x.is_finite()) {
            Some(value) => Number::of(kind, Expr::Float(format!("{value:?}f"))),
            None => {
                self.refuse(&format!("has `{text}`, a number that devices do not have"));
                Number::of(kind, Expr::Float(text.to_owned()))
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr) -> Number {
        let a = self.value(a);
        let (kind, most) = (a.kind.promoted(), a.most);
        let expr = Expr::Unary(op, Box::new(a.expr));
        match op {
            UnaryOp::Not => Number::truth(INT, expr),
            // The negative of an unsigned number is a large one.
            UnaryOp::Minus if matches!(kind, ElementKind::Unsigned(_)) => Number::of(kind, expr),
            UnaryOp::Plus | UnaryOp::Minus => Number { most, ..Number::of(kind, expr) },
            UnaryOp::BitNot => Number::of(kind, expr),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Number {
        use BinaryOp::{And, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Ne, Or, Shl, Shr};
        let (a, b) = (self.value(a), self.value(b));
        let is_truth = a.is_truth && b.is_truth;
        let joined = |a: Expr, b: Expr| Expr::Binary(op, Box::new(a), Box::new(b));
        match op {
            And | Or => Number::truth(INT, joined(a.expr, b.expr)),
            Shl | Shr => Number::of(a.kind.promoted(), joined(a.expr, b.expr)),
            Lt | Gt | Le | Ge | Eq | Ne => {
                let (_, a, b) = self.alike(a, b);
                Number::truth(INT, joined(a, b))
            }
            _ => {
                let (kind, a, b) = self.alike(a, b);
                let expr = joined(a, b);
                let is_truth = is_truth && matches!(op, BitAnd | BitOr | BitXor);
                match Format::of(kind) {
                    // It is computed in `float`.
                    Some(format) => {
                        let rounding = format.rounding(ElementKind::Float);
                        Number::of(kind, call(rounding.to_float, expr))
                    }
                    None => Number { is_truth, ..Number::of(kind, expr) },
                }
            }
        }
    }

    /// Two values as C brings them to one type, as far as kernels do not do that themselves, and its kind.
    fn alike(&mut self, a: Number, b: Number) -> (ElementKind, Expr, Expr) {
        let kind = a.kind.common(b.kind);
        if a.kind != b.kind && a.kind.is_short_floating() && b.kind.is_short_floating() {
            self.refuse("has an operation on `_Float16` and `__bf16`, which have no common type");
        }
        match Format::of(kind) {
            Some(format) => (kind, Self::rounded(format, a), Self::rounded(format, b)),
            None => (kind, a.expr, b.expr),
        }
    }

    fn cast(&mut self, ty: &ElementType, a: &Expr) -> Number {
        let value = self.value(a);
        if ty.is_truth() {
            return Number::truth(ty.kind, Self::is_true(value));
        }
        match Format::of(ty.kind) {
            Some(format) => Number::of(ty.kind, Self::rounded(format, value)),
            None => Number::of(ty.kind, Expr::Cast(ty.clone(), Box::new(value.expr))),
        }
    }

    /// The type of an access's elements.
    fn element(&self, access: AccessId) -> &'a ElementType {
        &self.scop.arrays()[self.stmt.accesses[access].array].element
    }

    /// The type of a variable of the body.
    fn local(&mut self, name: &str) -> ElementType {
        if let Some((_, ty)) = self.locals.iter().rev().find(|(local, _)| *local == name) {
            return (*ty).clone();
        }
        self.refuse(&format!("has `{name}`, whose type is not known there"));
        ElementType { text: "int".to_owned(), kind: INT }
    }

    /// The type of an access or a variable.
    fn type_of(&mut self, place: &Expr) -> ElementType {
        match place {
            Expr::Local(name) => self.local(name),
            Expr::Access(access) => self.element(*access).clone(),
            _ => ElementType { text: String::new(), kind: ElementKind::Other },
        }
    }

    /// Notes that something has no form.
    fn refuse(&mut self, reason: &str) {
        self.refused.get_or_insert_with(|| reason.to_owned());
    }
}

/// Something of a type that kernels have in registers.
fn of_type(ty: &ElementType, expr: Expr) -> Number {
    if ty.is_truth() { Number::truth(ty.kind, expr) } else { Number::of(ty.kind, expr) }
}

/// The kind of integer that a type is.
fn integer(ty: &str) -> ElementKind {
    ElementKind::of_integer_type(ty).unwrap_or(ElementKind::Signed(64))
}

/// The kind of number that a function of C gives.
fn kind_of_call(name: &str) -> ElementKind {
    match name {
        "abs" => INT,
        "labs" | "llabs" => ElementKind::Signed(64),
        _ => Language::precision(name).unwrap_or(ElementKind::Other),
    }
}

/// A type, for variables of kernels.
fn in_registers(ty: &ElementType) -> ElementType {
    let (text, kind) = match ty.kind {
        kind if kind.is_short_floating() => ("float", ElementKind::Float),
        kind if ty.is_truth() => (TRUTH, kind),
        _ => return ty.clone(),
    };
    let is_const = ty.text.split_whitespace().any(|word| word == "const");
    ElementType { text: format!("{}{text}", if is_const { "const " } else { "" }), kind }
}

/// A value in a format of 16 bits as it is in memory.
fn bits(format: &Format, value: Expr) -> Expr {
    let plain = format.rounding(ElementKind::Float).to_bits;
    match value {
        Expr::Int { value: 0, .. } => value,
        Expr::Call(name, mut arguments) if arguments.len() == 1 => {
            if name == format.from_bits {
                return arguments.swap_remove(0);
            }
            match format.in_bits(&name) {
                Some(stored) => Expr::Call(stored.to_owned(), arguments),
                None => call(plain, Expr::Call(name, arguments)),
            }
        }
        Expr::Ternary(condition, a, b) => {
            let [a, b] = [*a, *b].map(|value| Box::new(bits(format, value)));
            Expr::Ternary(condition, a, b)
        }
        value => call(plain, value),
    }
}

/// A call of a function with one argument.
fn call(name: &str, argument: Expr) -> Expr {
    Expr::Call(name.to_owned(), vec![argument])
}

/// Calls `look` on all expressions of some parts of a body.
fn for_each_expr(parts: &[BodyStmt], look: &mut impl FnMut(&Expr)) {
    for part in parts {
        match part {
            BodyStmt::Assign { value, .. } | BodyStmt::AssignLocal { value, .. } => {
                value.walk(look);
            }
            BodyStmt::Local { value, .. } => value.iter().for_each(|value| value.walk(look)),
            BodyStmt::If { condition, then, otherwise } => {
                condition.walk(look);
                for_each_expr(then, look);
                for_each_expr(otherwise, look);
            }
            BodyStmt::Block(parts) => for_each_expr(parts, look),
            BodyStmt::Loop(inner) => {
                inner.condition.iter().for_each(|e| e.walk(look));
                for parts in [&inner.first, &inner.step, &inner.body] {
                    for_each_expr(parts, look);
                }
            }
            BodyStmt::Break | BodyStmt::Continue | BodyStmt::Text(_) => {}
        }
    }
}

/// Whether parts of a body declare a variable of such a type.
fn declares(parts: &[BodyStmt], is_such: &impl Fn(&ElementType) -> bool) -> bool {
    parts.iter().any(|part| match part {
        BodyStmt::Local { ty, .. } => is_such(ty),
        BodyStmt::If { then, otherwise, .. } => {
            declares(then, is_such) || declares(otherwise, is_such)
        }
        BodyStmt::Block(parts) => declares(parts, is_such),
        BodyStmt::Loop(inner) => declares(&inner.first, is_such) || declares(&inner.body, is_such),
        _ => false,
    })
}
