//! Bodies of statements, with the user's iterators replaced.

use crate::dialect::C;
use crate::reduction::Held;
use crate::region::rows::InRows;
use crate::types::{Width, needs_cast, same_type, width};
use farkas_astgen::{Binding, Dialect, Expr as Affine, Term, Text, User, UserKind, affine};
use farkas_scop::{
    AccessId, ArrayId, AssignOp, BinaryOp, BodyStmt, Expr, InnerLoop, Operator, Scop, Statement,
    TextPiece, UnaryOp, UpdateForm, element_text,
};

/// How tightly an operator binds: C's levels, with [`BinaryOp::precedence`] for binary operators.
type Level = u8;
const TERNARY: Level = 0;
const UNARY: Level = 11;
const PRIMARY: Level = 12;

/// A text with the level of its outermost operator.
struct Piece {
    text: String,
    level: Level,
}

impl Piece {
    /// A name, number, call or element.
    fn primary(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: PRIMARY }
    }

    /// The text where only `least` or tighter may stand.
    fn within(self, least: Level) -> String {
        if self.level < least { format!("({})", self.text) } else { self.text }
    }
}

impl From<Text> for Piece {
    fn from(text: Text) -> Self {
        let level = match text.binding {
            Binding::Ternary => TERNARY,
            Binding::Or => BinaryOp::Or.precedence(),
            Binding::And => BinaryOp::And.precedence(),
            Binding::Equality => BinaryOp::Eq.precedence(),
            Binding::Relation => BinaryOp::Lt.precedence(),
            Binding::Sum => BinaryOp::Add.precedence(),
            Binding::Product => BinaryOp::Mul.precedence(),
            Binding::Unary => UNARY,
            Binding::Primary => PRIMARY,
        };
        Self { text: text.text, level }
    }
}

/// Where an expression stands, which decides what has to be kept of the iterators' types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a subscript: only the number matters.
    Subscript,
    /// Under a conversion: only the number matters.
    Converted,
    /// Under a conversion to a floating-point number: only the number matters, but vectors of `int` are converted faster.
    Floating,
    /// Anywhere else: the iterator's type matters too.
    Value,
}

/// Prints the body of one instance.
pub(crate) struct BodyPrinter<'a> {
    pub(crate) scop: &'a Scop,
    pub(crate) stmt: &'a Statement,
    pub(crate) user: &'a User,
    pub(crate) c: &'a C<'a>,
    /// Variables that hold elements of arrays meanwhile.
    pub(crate) held: &'a [(ArrayId, Held)],
    /// Local arrays that stand for elements meanwhile.
    pub(crate) rows: &'a [InRows],
    /// Whether the condition around all of the body was asked before.
    pub(crate) is_unswitched: bool,
    /// How elements are written, where that is not as C does it.
    pub(crate) element: Option<&'a WriteElement<'a>>,
}

/// What writes the element of an array with some subscripts.
pub(crate) type WriteElement<'a> = dyn Fn(ArrayId, &[String]) -> String + 'a;

/// A line of a body with its depth inside the body.
pub(crate) struct Line {
    pub(crate) depth: usize,
    pub(crate) text: String,
}

impl BodyPrinter<'_> {
    /// The lines of the body; a body with local variables comes in braces.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let body = match self.stmt.body.as_slice() {
            [BodyStmt::If { then, .. }] if self.is_unswitched => then,
            body => body,
        };
        if body.iter().any(|s| matches!(s, BodyStmt::Local { .. })) {
            self.block(body, 0, &mut lines);
        } else {
            self.stmts(body, 0, &mut lines);
        }
        if lines.is_empty() {
            lines.push(Line { depth: 0, text: ";".to_owned() });
        }
        if let Some(label) = &self.stmt.label
            && let Some(first) = lines.first_mut()
        {
            first.text = format!("/* {label}: */ {}", first.text);
        }
        lines
    }

    /// Several statements.
    fn stmts(&self, stmts: &[BodyStmt], depth: usize, lines: &mut Vec<Line>) {
        stmts.iter().for_each(|s| self.stmt(s, depth, lines));
    }

    /// Several statements in braces.
    fn block(&self, stmts: &[BodyStmt], depth: usize, lines: &mut Vec<Line>) {
        lines.push(Line { depth, text: "{".to_owned() });
        self.stmts(stmts, depth + 1, lines);
        lines.push(Line { depth, text: "}".to_owned() });
    }

    /// One statement.
    fn stmt(&self, stmt: &BodyStmt, depth: usize, lines: &mut Vec<Line>) {
        let mut line = |text: String| lines.push(Line { depth, text });
        match stmt {
            _ if self.in_lane().is_some() => line(self.in_lane().unwrap_or_default()),
            BodyStmt::Assign { target, .. } if self.user.kind == UserKind::Cleared => {
                line(format!("{} = 0;", self.access(*target)));
            }
            BodyStmt::Assign { target, .. } if self.in_other_type(*target).is_some() => {
                line(self.in_other_type(*target).unwrap_or_default());
            }
            BodyStmt::Assign { target, op: AssignOp::Set, value, .. } => {
                line(self.selected(&self.access(*target), value));
            }
            BodyStmt::Assign { target, op, value, .. } => {
                line(self.assign(&self.access(*target), *op, value));
            }
            BodyStmt::AssignLocal { name, op: AssignOp::Set, value } => {
                line(self.selected(name, value));
            }
            BodyStmt::AssignLocal { name, op, value } => line(self.assign(name, *op, value)),
            BodyStmt::Local { name, ty, value: None } => line(format!("{} {name};", ty.text)),
            BodyStmt::Local { name, ty, value: Some(value) } => {
                line(format!("{} {name} = {};", ty.text, self.expr(value, Place::Value).text));
            }
            BodyStmt::Block(stmts) => self.block(stmts, depth, lines),
            BodyStmt::Loop(inner) => self.inner_loop(inner, depth, lines),
            BodyStmt::Break => line("break;".to_owned()),
            BodyStmt::Continue => line("continue;".to_owned()),
            BodyStmt::Text(pieces) => line(self.text(pieces)),
            BodyStmt::If { condition, then, otherwise } => {
                line(format!("if ({}) {{", self.expr(condition, Place::Value).text));
                self.stmts(then, depth + 1, lines);
                if !otherwise.is_empty() {
                    lines.push(Line { depth, text: "} else {".to_owned() });
                    self.stmts(otherwise, depth + 1, lines);
                }
                lines.push(Line { depth, text: "}".to_owned() });
            }
        }
    }

    /// A loop within the instance.
    fn inner_loop(&self, inner: &InnerLoop, depth: usize, lines: &mut Vec<Line>) {
        let condition = inner.condition.as_ref().map(|c| self.expr(c, Place::Value).text);
        let Some(first) = self.in_header(&inner.first) else {
            // Not all of it fits a header: what comes first gets a block around the loop.
            lines.push(Line { depth, text: "{".to_owned() });
            self.stmts(&inner.first, depth + 1, lines);
            let rest = InnerLoop { first: Vec::new(), ..inner.clone() };
            self.inner_loop(&rest, depth + 1, lines);
            lines.push(Line { depth, text: "}".to_owned() });
            return;
        };
        let step = self.in_header(&inner.step).unwrap_or_default();
        let plain = first.is_empty() && step.is_empty();
        let (open, close) = match condition {
            Some(condition) if inner.asks_last && plain => {
                ("do {".to_owned(), format!("}} while ({condition});"))
            }
            Some(condition) if plain => (format!("while ({condition}) {{"), "}".to_owned()),
            condition => {
                let condition = condition.unwrap_or_default();
                (format!("for ({first}; {condition}; {step}) {{"), "}".to_owned())
            }
        };
        lines.push(Line { depth, text: open });
        self.stmts(&inner.body, depth + 1, lines);
        lines.push(Line { depth, text: close });
    }

    /// Statements as a part of a loop's header; nothing where they do not fit one.
    fn in_header(&self, stmts: &[BodyStmt]) -> Option<String> {
        let assigned = |stmt: &BodyStmt| match stmt {
            BodyStmt::Assign { target, op, value, .. } => {
                Some(self.assign(&self.access(*target), *op, value))
            }
            BodyStmt::AssignLocal { name, op, value } => Some(self.assign(name, *op, value)),
            _ => None,
        };
        let parts: Vec<String> = match stmts {
            [BodyStmt::Local { name, ty, value: Some(value) }] => {
                vec![format!("{} {name} = {}", ty.text, self.expr(value, Place::Value).text)]
            }
            _ => stmts.iter().map(assigned).collect::<Option<_>>()?,
        };
        let parts: Vec<&str> = parts.iter().map(|part| part.trim_end_matches(';')).collect();
        Some(parts.join(", "))
    }

    /// A body that came as text. What stands around an iterator in it is not known, so all but plain names and numbers
    /// come in parentheses, unless the iterator is a whole subscript.
    fn text(&self, pieces: &[TextPiece]) -> String {
        let plain = |at: Option<usize>| match at.and_then(|at| pieces.get(at)) {
            Some(TextPiece::Text(text)) => text.trim(),
            _ => "",
        };
        let mut line = String::new();
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                TextPiece::Text(text) => line.push_str(text),
                TextPiece::Iterator(iterator) => {
                    let is_subscript = plain(at.checked_sub(1)).ends_with('[')
                        && plain(at.checked_add(1)).starts_with(']');
                    let value = self.iterator(*iterator as usize, Place::Value);
                    line += &if is_subscript { value.text } else { value.within(PRIMARY) };
                }
            }
        }
        line
    }

    /// A condition of the body, as an operand of `&&`.
    pub(crate) fn condition(&self, condition: &Expr) -> String {
        self.expr(condition, Place::Value).within(BinaryOp::And.precedence())
    }

    /// The element of an access.
    pub(crate) fn element(&self, access: AccessId) -> String {
        self.access(access)
    }

    /// The variable that holds the element of an access.
    fn held(&self, access: AccessId) -> Option<&Held> {
        let array = self.stmt.accesses[access].array;
        let (_, held) = self.held.iter().find(|(held, _)| *held == array)?;
        // What else the statement reads of the array is another element.
        self.stmt.update(self.scop.arrays()).filter(|update| update.has(access)).map(|_| held)
    }

    /// The update of a lane's copy of an element by a comparison: a value that is assigned always, which compilers bring into lanes more
    /// readily than an assignment under a condition.
    fn in_lane(&self) -> Option<String> {
        let update = self.stmt.update(self.scop.arrays())?;
        let held = self.held(update.target).filter(|held| held.is_lane)?;
        let (UpdateForm::Selected { op, value }, None) = (update.form, update.condition) else {
            return None;
        };
        let name = &held.name;
        let value = self.expr(value, Place::Value).within(op.precedence() + 1);
        Some(format!("{name} = {value} {} {name} ? {value} : {name};", op.symbol()))
    }

    /// The update of an element that a variable of another type holds.
    fn in_other_type(&self, target: AccessId) -> Option<String> {
        let held = self.held(target).filter(|held| held.back.is_some())?;
        let update = self.stmt.update(self.scop.arrays())?;
        let UpdateForm::Combined { op, value } = update.form else { return None };
        let value = self.expr(value, Place::Value).within(UNARY);
        // Of a number of which no bit is in a byte, a truth value is set all the same.
        let is_set = self.scop.arrays()[self.stmt.accesses[target].array].element.is_truth()
            && update.operator == Operator::BitOr;
        let ty = held.back.as_ref().filter(|_| is_set).unwrap_or(&held.ty);
        let text = format!("{} {}= ({ty}){value};", held.name, op.symbol());
        // `x = c ? x + e : x`; of `if (c) x += e` the condition is printed already.
        Some(match (update.condition, self.stmt.body.as_slice()) {
            (Some(condition), [BodyStmt::Assign { .. }]) => {
                format!("if ({}) {text}", self.expr(condition, Place::Value).text)
            }
            _ => text,
        })
    }

    /// An assignment.
    fn assign(&self, target: &str, op: AssignOp, value: &Expr) -> String {
        format!("{target} {} {};", op.symbol(), self.expr(value, Place::Value).text)
    }

    /// `target = value`; `target = c ? value : target` is a value that a condition sets.
    fn selected(&self, target: &str, value: &Expr) -> String {
        if let Expr::Ternary(condition, new, old) = value
            && matches!(**old, Expr::Access(_) | Expr::Local(_))
            && self.expr(old, Place::Value).text == target
        {
            let condition = self.expr(condition, Place::Value).text;
            let assigned = match &**new {
                Expr::Binary(op, left, right)
                    if op.is_compound() && self.expr(left, Place::Value).text == target =>
                {
                    self.assign(target, AssignOp::Compound(*op), right)
                }
                new => self.assign(target, AssignOp::Set, new),
            };
            return format!("if ({condition}) {assigned}");
        }
        self.assign(target, AssignOp::Set, value)
    }

    /// An element of an array, or a scalar.
    fn access(&self, access: AccessId) -> String {
        if let Some(held) = self.held(access) {
            return held.name.clone();
        }
        if let Some(text) = InRows::text_of(self.rows, self.user.stmt, access) {
            return text.to_owned();
        }
        let access = &self.stmt.accesses[access];
        let subscript = |subscript: &Expr| {
            let place = if is_sum(subscript) { Place::Subscript } else { Place::Value };
            self.expr(subscript, place).text
        };
        let subscripts: Vec<String> = access.subscripts.iter().map(subscript).collect();
        match self.element {
            Some(element) => element(access.array, &subscripts),
            None => element_text(self.scop.arrays()[access.array].printed_name(), &subscripts),
        }
    }

    /// An expression.
    fn expr(&self, expr: &Expr, place: Place) -> Piece {
        if let Some(text) = self.simplified(expr, place) {
            return text.into();
        }
        match expr {
            Expr::Int { text, .. } | Expr::Float(text) => {
                let level = if text.starts_with('-') { UNARY } else { PRIMARY };
                Piece { text: text.clone(), level }
            }
            Expr::Iterator(at) => self.iterator(*at as usize, place),
            Expr::Param(param) => Piece::primary(&self.scop.params()[*param].name),
            Expr::Access(access) => Piece::primary(self.access(*access)),
            Expr::Local(name) => Piece::primary(name),
            Expr::Verbatim(text) => Piece::primary(text),
            Expr::Unary(op, a) => self.unary(*op, a, place),
            Expr::Binary(op, a, b) => self.binary(*op, a, b, place),
            Expr::Ternary(condition, then, otherwise) => {
                let condition =
                    self.expr(condition, Place::Value).within(BinaryOp::Or.precedence());
                let then = self.expr(then, place).within(BinaryOp::Or.precedence());
                let otherwise = self.expr(otherwise, place).text;
                Piece { text: format!("{condition} ? {then} : {otherwise}"), level: TERNARY }
            }
            Expr::Cast(ty, a) => {
                let place = if ty.kind.is_floating() { Place::Floating } else { Place::Converted };
                let inner = self.expr(a, place).within(UNARY);
                Piece { text: format!("({}){inner}", ty.text), level: UNARY }
            }
            Expr::Call(name, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|a| self.expr(a, Place::Value).text).collect();
                Piece::primary(format!("{name}({})", arguments.join(", ")))
            }
        }
    }

    /// A unary operation.
    fn unary(&self, op: UnaryOp, a: &Expr, place: Place) -> Piece {
        let inner = self.expr(a, inner_place(place)).within(UNARY);
        // `--x` and `++x` are other operators.
        let inner = if inner.starts_with(op.symbol()) && op != UnaryOp::Not {
            format!("({inner})")
        } else {
            inner
        };
        Piece { text: format!("{}{inner}", op.symbol()), level: UNARY }
    }

    /// A binary operation.
    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr, place: Place) -> Piece {
        let level = op.precedence();
        let (left, right) = (self.expr(a, inner_place(place)), self.expr(b, inner_place(place)));
        let left = left.guarded(op, level);
        let right = right.guarded(op, level + 1);
        Piece { text: format!("{left} {} {right}", op.symbol()), level }
    }

    /// The value of a user's iterator.
    fn iterator(&self, at: usize, place: Place) -> Piece {
        let Some(value) = self.user.values.get(at) else { return Piece::primary("0") };
        let text = self.c.expr(value);
        let ty = self.stmt.iterators.get(at).map_or("int", |i| i.ty.as_str());
        let is_kept = match place {
            Place::Subscript => text.value.wide || width(ty) == Width::Int,
            Place::Converted => true,
            Place::Floating => !text.value.wide || width(ty) > Width::Int,
            Place::Value => same_type(self.type_of(value, &text), ty),
        };
        let text: Piece = text.into();
        if is_kept {
            return text;
        }
        Piece { text: format!("({}){}", bare(ty), text.within(UNARY)), level: UNARY }
    }

    /// The C type of an expression of the AST.
    fn type_of(&self, value: &Affine, text: &Text) -> &str {
        let only = match value.terms() {
            [(Term::Param(name), 1)] if value.constant() == 0 => self.c.ranges.param(name),
            _ => None,
        };
        only.filter(|param| !needs_cast(&param.ty))
            .map_or_else(|| self.c.type_of(text.value), |param| param.ty.as_str())
    }

    /// The affine expression that `expr` becomes, where an iterator in it is no longer a plain name, and where adding up
    /// cannot change its meaning.
    fn simplified(&self, expr: &Expr, place: Place) -> Option<Text> {
        if !matches!(expr, Expr::Unary(..) | Expr::Binary(..)) {
            return None;
        }
        let (mut substituted, mut exact) = (false, true);
        expr.walk(&mut |e| match e {
            Expr::Iterator(at) => {
                let at = *at as usize;
                substituted |= self.user.values.get(at).is_some_and(|v| v.as_iterator().is_none());
                exact &= self.stmt.iterators.get(at).is_some_and(|i| same_type(&i.ty, "int"));
            }
            Expr::Param(p) => {
                let ty = &self.scop.params()[*p].ty;
                exact &= width(ty) == Width::Int && !needs_cast(ty);
            }
            Expr::Int { value, text } => exact &= value.to_string() == *text,
            _ => {}
        });
        let affine =
            (substituted && (exact || place == Place::Subscript)).then(|| self.affine(expr))??;
        let text = self.c.expr(&affine);
        (place == Place::Subscript || !text.value.wide).then_some(text)
    }

    /// A subtree as an affine expression.
    fn affine(&self, expr: &Expr) -> Option<Affine> {
        affine(self.scop, self.user, expr)
    }
}

impl Piece {
    /// The text as an operand of `op`, where only `least` or tighter may stand; with the parentheses that compilers ask
    /// for beyond the necessary ones.
    fn guarded(self, op: BinaryOp, least: Level) -> String {
        use BinaryOp::{BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Ne, Or, Shl, Shr};
        let asked = match op {
            Or => BinaryOp::And.precedence() + 1,
            BitAnd | BitXor | BitOr | Shl | Shr => UNARY,
            Eq | Ne | Lt | Gt | Le | Ge => BinaryOp::Shl.precedence(),
            _ => 0,
        };
        // A chain of the same operator needs none.
        let same_chain = self.level == op.precedence()
            && least == op.precedence()
            && !matches!(op, Eq | Ne | Lt | Gt | Le | Ge | Shl | Shr);
        if same_chain { self.text } else { self.within(least.max(asked)) }
    }
}

/// The condition around all that a statement does, if there is one.
pub(crate) fn condition_of(stmt: &Statement) -> Option<&Expr> {
    match stmt.body.as_slice() {
        [BodyStmt::If { condition, otherwise, .. }] if otherwise.is_empty() => Some(condition),
        _ => None,
    }
}

/// Whether an expression is made of iterators, parameters and numbers by sums, products and divisions alone: then its value does not
/// depend on the types in which it is computed, as long as they hold it.
fn is_sum(expr: &Expr) -> bool {
    let mut is_sum = true;
    expr.walk(&mut |e| {
        is_sum &= match e {
            Expr::Int { .. } | Expr::Iterator(_) | Expr::Param(_) => true,
            Expr::Unary(op, _) => matches!(op, UnaryOp::Plus | UnaryOp::Minus),
            Expr::Binary(op, ..) => {
                use BinaryOp::{Add, Div, Mul, Rem, Sub};
                matches!(op, Add | Sub | Mul | Div | Rem)
            }
            _ => false,
        };
    });
    is_sum
}

/// The place of an operand: what an operation computes depends on the types of its operands, except in subscripts.
fn inner_place(place: Place) -> Place {
    if place == Place::Subscript { place } else { Place::Value }
}

/// A type without qualifiers, for a cast.
pub(crate) fn bare(ty: &str) -> String {
    let words =
        ty.split_whitespace().filter(|w| !["const", "volatile", "register", "static"].contains(w));
    words.collect::<Vec<_>>().join(" ")
}
