//! The text form of scops, for people and golden files.

use crate::element_text;
use crate::{Access, Array, AssignOp, BodyStmt, Expr, Scop, Statement, TextPiece};
use std::fmt::{self, Display, Formatter};

/// What stands for the leaves of an expression when it is printed.
pub trait Leaves {
    /// The text of a leaf and C's precedence of it: 16 for names and literals, 13 for casts and unary operators, that
    /// of [`BinaryOp`](crate::BinaryOp) for operations.
    fn leaf(&self, leaf: &Expr) -> (String, u8);
}

/// Precedence of names, literals, calls and subscripts.
pub const PRIMARY: u8 = 16;
/// Precedence of unary operators and casts.
pub const UNARY: u8 = 13;
/// Precedence of the conditional operator.
pub const TERNARY: u8 = 0;

/// `expr` as C with no more parentheses than C's precedence needs, and those that gcc's `-Wparentheses` asks for.
pub fn print_expr(expr: &Expr, leaves: &dyn Leaves) -> String {
    print_with_precedence(expr, leaves).0
}

/// The text and the precedence of its outermost operator.
fn print_with_precedence(expr: &Expr, leaves: &dyn Leaves) -> (String, u8) {
    match expr {
        Expr::Unary(op, a) => {
            let inner = operand(a, UNARY, leaves);
            // `- -x` must not become `--x`.
            let gap = if inner.starts_with(op.symbol()) { " " } else { "" };
            (format!("{}{gap}{inner}", op.symbol()), UNARY)
        }
        Expr::Cast(ty, a) => (format!("({}) {}", ty.text, operand(a, UNARY, leaves)), UNARY),
        Expr::Binary(op, a, b) => {
            let precedence = op.precedence();
            let side = |e: &Expr, least| match e {
                Expr::Binary(inner, ..) if needs_clarity(*op, *inner) => {
                    format!("({})", print_expr(e, leaves))
                }
                _ => operand(e, least, leaves),
            };
            (
                format!("{} {} {}", side(a, precedence), op.symbol(), side(b, precedence + 1)),
                precedence,
            )
        }
        Expr::Ternary(condition, then, otherwise) => {
            let condition = operand(condition, TERNARY + 1, leaves);
            let (then, otherwise) = (print_expr(then, leaves), operand(otherwise, TERNARY, leaves));
            (format!("{condition} ? {then} : {otherwise}"), TERNARY)
        }
        Expr::Call(name, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|a| print_expr(a, leaves)).collect();
            (format!("{name}({})", arguments.join(", ")), PRIMARY)
        }
        leaf => leaves.leaf(leaf),
    }
}

/// `expr` in parentheses where it binds looser than `least`.
fn operand(expr: &Expr, least: u8, leaves: &dyn Leaves) -> String {
    let (text, precedence) = print_with_precedence(expr, leaves);
    if precedence < least { format!("({text})") } else { text }
}

/// Whether compilers warn when `inner` stands bare under `outer` although C's precedence allows it.
fn needs_clarity(outer: crate::BinaryOp, inner: crate::BinaryOp) -> bool {
    use crate::BinaryOp::{
        Add, And, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Ne, Or, Shl, Shr, Sub,
    };
    match outer {
        Or => inner == And,
        BitAnd | BitXor | BitOr => inner != outer,
        Shl | Shr => matches!(inner, Add | Sub),
        Eq | Ne | Lt | Gt | Le | Ge => matches!(inner, Eq | Ne | Lt | Gt | Le | Ge),
        _ => false,
    }
}

/// Leaves of a statement as the source names them.
struct SourceLeaves<'a> {
    scop: &'a Scop,
    stmt: &'a Statement,
    /// Whether arrays have the name that code uses for them, not the one in the scop.
    as_code: bool,
}

/// The body of `stmt` as one line of C, in terms of the user's iterators; several statements come in braces.
pub fn body_text(scop: &Scop, stmt: &Statement) -> String {
    let leaves = SourceLeaves { scop, stmt, as_code: true };
    let lines: String = stmt.body.iter().map(|body| BodyLines(&leaves, body).to_string()).collect();
    let line = lines.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_block = matches!(stmt.body.as_slice(), [BodyStmt::Local { .. }] | [_, _, ..]);
    if is_block { format!("{{ {line} }}") } else { line }
}

/// One statement of a body in lines.
struct BodyLines<'a>(&'a SourceLeaves<'a>, &'a BodyStmt);

impl Display for BodyLines<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.body(self.1, 0, f)
    }
}

impl Leaves for SourceLeaves<'_> {
    fn leaf(&self, leaf: &Expr) -> (String, u8) {
        let text = match leaf {
            Expr::Int { text, .. }
            | Expr::Float(text)
            | Expr::Local(text)
            | Expr::Verbatim(text) => text.clone(),
            Expr::Iterator(i) => {
                self.stmt.iterators.get(*i as usize).map_or_else(|| "?".into(), |i| i.name.clone())
            }
            Expr::Param(p) => {
                self.scop.params().get(*p).map_or_else(|| "?".into(), |p| p.name.clone())
            }
            Expr::Access(a) => match self.stmt.accesses.get(*a) {
                Some(access) => self.access(access),
                None => "?".into(),
            },
            _ => "?".into(),
        };
        (text, PRIMARY)
    }
}

impl SourceLeaves<'_> {
    /// An access with its subscripts as written.
    fn access(&self, access: &Access) -> String {
        let array = &self.scop.arrays()[access.array];
        let is_own = !self.as_code;
        let name = if is_own { &array.name } else { array.printed_name() };
        let subscripts: Vec<String> =
            access.subscripts.iter().map(|subscript| print_expr(subscript, self)).collect();
        element_text(name, &subscripts)
    }

    /// A part of a body that came as text.
    fn piece(&self, piece: &TextPiece) -> String {
        match piece {
            TextPiece::Text(text) => text.clone(),
            TextPiece::Iterator(at) => print_expr(&Expr::Iterator(*at), self),
        }
    }

    /// One statement of the body, indented by `depth` steps.
    fn body(&self, body: &BodyStmt, depth: usize, f: &mut Formatter<'_>) -> fmt::Result {
        let pad = "  ".repeat(depth);
        let block = |stmts: &[BodyStmt], f: &mut Formatter<'_>| {
            stmts.iter().try_for_each(|s| self.body(s, depth + 1, f))?;
            write!(f, "{pad}}}")
        };
        match body {
            BodyStmt::Assign { target, op, value, .. } => {
                let target = print_expr(&Expr::Access(*target), self);
                writeln!(f, "{pad}{target} {} {};", op.symbol(), print_expr(value, self))
            }
            BodyStmt::AssignLocal { name, op, value } => {
                writeln!(f, "{pad}{name} {} {};", op.symbol(), print_expr(value, self))
            }
            BodyStmt::Local { name, ty, value } => {
                let value = value
                    .as_ref()
                    .map(|v| format!(" {} {}", AssignOp::Set.symbol(), print_expr(v, self)));
                writeln!(f, "{pad}{} {name}{};", ty.text, value.unwrap_or_default())
            }
            BodyStmt::If { condition, then, otherwise } => {
                writeln!(f, "{pad}if ({}) {{", print_expr(condition, self))?;
                block(then, f)?;
                if !otherwise.is_empty() {
                    writeln!(f, " else {{")?;
                    block(otherwise, f)?;
                }
                writeln!(f)
            }
            BodyStmt::Block(stmts) => {
                writeln!(f, "{pad}{{")?;
                block(stmts, f)?;
                writeln!(f)
            }
            BodyStmt::Loop(inner) => {
                let condition = inner.condition.as_ref().map(|c| print_expr(c, self));
                let condition = condition.unwrap_or_default();
                writeln!(f, "{pad}loop {{")?;
                inner.first.iter().try_for_each(|s| self.body(s, depth + 1, f))?;
                let asked = if inner.asks_last { "do, then while" } else { "while" };
                writeln!(f, "{pad}}} {asked} ({condition}) {{")?;
                inner.body.iter().try_for_each(|s| self.body(s, depth + 1, f))?;
                if !inner.step.is_empty() {
                    writeln!(f, "{pad}}} step {{")?;
                    inner.step.iter().try_for_each(|s| self.body(s, depth + 1, f))?;
                }
                writeln!(f, "{pad}}}")
            }
            BodyStmt::Break => writeln!(f, "{pad}break;"),
            BodyStmt::Continue => writeln!(f, "{pad}continue;"),
            BodyStmt::Text(pieces) => {
                let text: String = pieces.iter().map(|piece| self.piece(piece)).collect();
                writeln!(f, "{pad}{text}")
            }
        }
    }
}

impl Display for Scop {
    /// The whole scop: parameters, context, arrays, then each statement with its domain, iterators that differ from the
    /// domain's dimensions, dates, accesses and body.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let params: Vec<&str> = self.params().iter().map(|p| p.name.as_str()).collect();
        writeln!(f, "scop {} [{}]", self.name(), params.join(", "))?;
        writeln!(f, "context {}", self.context())?;
        for assumption in self.assumptions() {
            writeln!(f, "assume {assumption}")?;
        }
        for array in self.arrays() {
            write_array(array, f)?;
        }
        self.stmts().iter().try_for_each(|stmt| write_stmt(self, stmt, f))
    }
}

/// One line an array.
fn write_array(array: &Array, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "array {}: {}", array.name, array.element.text)?;
    for extent in &array.extents {
        match extent {
            Some(extent) => write!(f, "[{extent}]")?,
            None => write!(f, "[]")?,
        }
    }
    let scope = array.scope.name();
    let flag = |set, text| if set { text } else { "" };
    writeln!(
        f,
        " {scope}{}{}",
        flag(array.is_live_in, " live-in"),
        flag(array.is_live_out, " live-out")
    )
}

/// A paragraph a statement.
fn write_stmt(scop: &Scop, stmt: &Statement, f: &mut Formatter<'_>) -> fmt::Result {
    let leaves = SourceLeaves { scop, stmt, as_code: false };
    write!(f, "\n{}", stmt.name)?;
    if let Some(label) = &stmt.label {
        write!(f, " (label {label})")?;
    }
    writeln!(f, "\n  domain {}", stmt.domain)?;
    for iterator in &stmt.iterators {
        writeln!(f, "  iterator {} {} = {}", iterator.ty, iterator.name, iterator.value)?;
    }
    writeln!(f, "  date {}", stmt.date)?;
    for access in &stmt.accesses {
        writeln!(f, "  {} {}", access.kind.name(), access.relation)?;
    }
    stmt.body.iter().try_for_each(|body| leaves.body(body, 1, f))
}
