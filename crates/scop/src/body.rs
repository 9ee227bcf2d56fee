//! What a statement computes, as a tree in C's terms.
//!
//! A body is printed with the user's iterators replaced by expressions of the generated loops, and executed by the
//! interpreter with C's arithmetic.

use crate::{AccessId, ParamId};

/// One statement of a body.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BodyStmt {
    /// `target op= value`.
    Assign {
        /// The written access.
        target: AccessId,
        /// Plain or compound.
        op: AssignOp,
        /// For compound operators, the access that stands for the implied read of the target.
        read: Option<AccessId>,
        /// The right-hand side.
        value: Expr,
    },
    /// A condition on data.
    If {
        /// The condition.
        condition: Expr,
        /// When it holds.
        then: Vec<BodyStmt>,
        /// When it does not.
        otherwise: Vec<BodyStmt>,
    },
    /// The declaration of a variable that lives in this instance alone.
    Local {
        /// Its name in the source.
        name: String,
        /// Its type as the source writes it, qualifiers included.
        ty: crate::ElementType,
        /// Its initial value.
        value: Option<Expr>,
    },
    /// `name op= value` for such a variable.
    AssignLocal {
        /// Its name.
        name: String,
        /// Plain or compound.
        op: AssignOp,
        /// The right-hand side.
        value: Expr,
    },
    /// A nested block with its own scope of local variables.
    Block(Vec<BodyStmt>),
    /// A loop that runs within one instance, because it is no static control.
    Loop(Box<InnerLoop>),
    /// Leaves the innermost such loop.
    Break,
    /// Goes on with the next iteration of the innermost such loop.
    Continue,
    /// One line of C that came as text, in which nothing but the iterators is known. It is printed, never executed.
    Text(Vec<TextPiece>),
}

/// A loop within one instance: `for (first; condition; step) { body }`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InnerLoop {
    /// What runs once before it: declarations of variables that live as long as the loop, and assignments.
    pub first: Vec<BodyStmt>,
    /// The condition to go on; none where the body ends the loop.
    pub condition: Option<Expr>,
    /// Whether the condition is asked after an iteration: `do { … } while (condition);`.
    pub asks_last: bool,
    /// The assignments after each iteration, [`BodyStmt::Assign`] or [`BodyStmt::AssignLocal`] alone.
    pub step: Vec<BodyStmt>,
    /// The statements.
    pub body: Vec<BodyStmt>,
}

/// A part of a body that came as text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TextPiece {
    /// Text that is printed as it stands.
    Text(String),
    /// The value of the user's iterator at this position of [`Statement::iterators`](crate::Statement::iterators).
    Iterator(u32),
}

/// An expression of a body.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// An integer literal (or character literal) with its text as written.
    Int {
        /// Its value.
        value: i64,
        /// Its text, suffix included.
        text: String,
    },
    /// A floating-point literal as written.
    Float(String),
    /// The value of the user's iterator at this position of [`Statement::iterators`](crate::Statement::iterators).
    Iterator(u32),
    /// The value of a parameter.
    Param(ParamId),
    /// The value read by an access.
    Access(AccessId),
    /// The value of a variable declared by [`BodyStmt::Local`].
    Local(String),
    /// A unary operation.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`.
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion.
    Cast(crate::ElementType, Box<Expr>),
    /// A call of a pure function.
    Call(String, Vec<Expr>),
    /// A constant expression that is printed as it stands, such as a string-free `sizeof` or an enumerator.
    Verbatim(String),
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Assignment operators; `++` and `--` are `+= 1` and `-= 1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `op=`
    Compound(BinaryOp),
}

impl BinaryOp {
    /// C's spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Lt => "<",
            Self::Gt => ">",
            Self::Le => "<=",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::BitAnd => "&",
            Self::BitXor => "^",
            Self::BitOr => "|",
            Self::And => "&&",
            Self::Or => "||",
        }
    }

    /// Whether C has an assignment operator for it: `+=`, but no `<=` that assigns.
    pub fn is_compound(self) -> bool {
        self.precedence() >= 8 || matches!(self, Self::BitAnd | Self::BitXor | Self::BitOr)
    }

    /// C's precedence: larger binds tighter.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Mul | Self::Div | Self::Rem => 10,
            Self::Add | Self::Sub => 9,
            Self::Shl | Self::Shr => 8,
            Self::Lt | Self::Gt | Self::Le | Self::Ge => 7,
            Self::Eq | Self::Ne => 6,
            Self::BitAnd => 5,
            Self::BitXor => 4,
            Self::BitOr => 3,
            Self::And => 2,
            Self::Or => 1,
        }
    }
}

impl UnaryOp {
    /// C's spelling.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Minus => "-",
            Self::Plus => "+",
            Self::Not => "!",
            Self::BitNot => "~",
        }
    }
}

impl AssignOp {
    /// C's spelling.
    pub fn symbol(self) -> String {
        match self {
            Self::Set => "=".to_owned(),
            Self::Compound(op) => format!("{}=", op.symbol()),
        }
    }
}

impl BodyStmt {
    /// The names of the variables that statements declare, as often as they do.
    pub fn declared(parts: &[Self]) -> Vec<&str> {
        let mut names = Vec::new();
        for part in parts {
            match part {
                Self::Local { name, .. } => names.push(name.as_str()),
                Self::Block(parts) => names.extend(Self::declared(parts)),
                Self::If { then, otherwise, .. } => {
                    names.extend([then, otherwise].into_iter().flat_map(|p| Self::declared(p)));
                }
                Self::Loop(inner) => {
                    let parts = [&inner.first, &inner.body].into_iter();
                    names.extend(parts.flat_map(|p| Self::declared(p)));
                }
                _ => {}
            }
        }
        names
    }

    /// Whether statements declare several variables of one name, so that the name alone does not say which is meant.
    pub fn declare_twice(parts: &[Self]) -> bool {
        let mut names = Self::declared(parts);
        names.sort_unstable();
        names.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The part of a body over iterators that stand `by` positions further back.
    #[must_use]
    pub fn shifted(&self, by: u32) -> Self {
        self.with_iterators(&|at| at.saturating_add(by))
    }

    /// The part of a body over iterators at other positions, `place` of those that there are.
    #[must_use]
    pub fn with_iterators(&self, place: &dyn Fn(u32) -> u32) -> Self {
        let all = |parts: &[Self]| parts.iter().map(|part| part.with_iterators(place)).collect();
        let moved = |value: Expr| value.with_iterators(place);
        match self.clone() {
            Self::Assign { target, op, read, value } => {
                Self::Assign { target, op, read, value: moved(value) }
            }
            Self::If { condition, then, otherwise } => Self::If {
                condition: moved(condition),
                then: all(&then),
                otherwise: all(&otherwise),
            },
            Self::Local { name, ty, value } => Self::Local { name, ty, value: value.map(moved) },
            Self::AssignLocal { name, op, value } => {
                Self::AssignLocal { name, op, value: moved(value) }
            }
            Self::Block(parts) => Self::Block(all(&parts)),
            Self::Loop(inner) => Self::Loop(Box::new(InnerLoop {
                first: all(&inner.first),
                condition: inner.condition.clone().map(moved),
                asks_last: inner.asks_last,
                step: all(&inner.step),
                body: all(&inner.body),
            })),
            jump @ (Self::Break | Self::Continue) => jump,
            Self::Text(pieces) => {
                let pieces = pieces.into_iter().map(|piece| match piece {
                    TextPiece::Iterator(at) => TextPiece::Iterator(place(at)),
                    text @ TextPiece::Text(_) => text,
                });
                Self::Text(pieces.collect())
            }
        }
    }
}

impl Expr {
    /// The expression over iterators that stand `by` positions further back.
    #[must_use]
    pub fn shifted(&self, by: u32) -> Self {
        self.with_iterators(&|at| at.saturating_add(by))
    }

    /// The expression over iterators at other positions, `place` of those that there are.
    #[must_use]
    pub fn with_iterators(&self, place: &dyn Fn(u32) -> u32) -> Self {
        self.rewritten(&mut |e| match e {
            Self::Iterator(at) => Some(Self::Iterator(place(*at))),
            _ => None,
        })
    }

    /// The integer `value` as a literal.
    pub fn int(value: i64) -> Self {
        Self::Int { value, text: value.to_string() }
    }

    /// Calls `visit` on this expression and all its parts, outermost first.
    pub fn walk(&self, visit: &mut impl FnMut(&Self)) {
        visit(self);
        match self {
            Self::Unary(_, a) | Self::Cast(_, a) => a.walk(visit),
            Self::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Self::Ternary(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|a| a.walk(visit)),
            Self::Int { .. }
            | Self::Float(_)
            | Self::Iterator(_)
            | Self::Param(_)
            | Self::Access(_)
            | Self::Local(_)
            | Self::Verbatim(_) => {}
        }
    }

    /// The expression with parts replaced: `by` is asked for each part, outermost first, and not for parts of what it replaces.
    #[must_use]
    pub fn rewritten(&self, by: &mut impl FnMut(&Self) -> Option<Self>) -> Self {
        if let Some(new) = by(self) {
            return new;
        }
        let mut part = |e: &Self| Box::new(e.rewritten(by));
        match self {
            Self::Unary(op, a) => Self::Unary(*op, part(a)),
            Self::Cast(ty, a) => Self::Cast(ty.clone(), part(a)),
            Self::Binary(op, a, b) => Self::Binary(*op, part(a), part(b)),
            Self::Ternary(a, b, c) => Self::Ternary(part(a), part(b), part(c)),
            Self::Call(name, arguments) => {
                Self::Call(name.clone(), arguments.iter().map(|a| *part(a)).collect())
            }
            leaf => leaf.clone(),
        }
    }
}
