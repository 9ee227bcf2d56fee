//! The region as a typed tree with resolved names: between syntax and polyhedra.
//!
//! It mirrors the source: which assignments become one statement, which conditions bound a domain and which are data, is
//! decided later.

use farkas_base::Span;
use farkas_scop::{AssignOp, BinaryOp, ElementKind, ElementType, UnaryOp};
use std::collections::BTreeMap;

farkas_base::define_id!(
    /// A variable that the region mentions: scalar, array, iterator or parameter.
    pub(super) struct VarId("v")
);

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Expr {
    /// What it is.
    pub(super) kind: ExprKind,
    /// Its C type.
    pub(super) ty: ElementKind,
    /// Where it is written.
    pub(super) span: Span,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ExprKind {
    /// A constant of known value: a literal, an enumerator, a `sizeof`.
    Int {
        /// Its value.
        value: i64,
        /// Its text.
        text: String,
    },
    /// A floating-point literal.
    Float(String),
    /// What does not change in the region and is printed as it stands: whether a pointer is null.
    Verbatim(String),
    /// A scalar.
    Scalar(VarId),
    /// An element of an array, with as many subscripts as it has dimensions.
    Element(VarId, Vec<Expr>),
    /// A unary operation.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`.
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion.
    Cast(ElementType, Box<Expr>),
    /// A call of a pure function.
    Call {
        /// The function.
        name: String,
        /// The arguments.
        arguments: Vec<Expr>,
        /// For a function of the file that is one `return`: its value for these arguments.
        value: Option<Box<Expr>>,
    },
}

/// A statement or block.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A loop.
    Loop(Box<Loop>),
    /// A condition.
    If(Box<If>),
    /// An assignment.
    Assign(Box<Assign>),
    /// A declaration of one variable.
    Declare(Declare),
    /// A compound statement.
    Block(Vec<Node>),
    /// A loop that is no static control, which runs within one instance of a statement.
    Inner(Box<Inner>),
    /// Leaves the innermost loop.
    Break(Span),
    /// Goes on with the next iteration of the innermost loop.
    Continue(Span),
}

/// A loop whose iterations are not known before it starts.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    /// What runs once before it: the declaration of its iterator, or assignments.
    pub(super) first: Vec<Node>,
    /// The condition to go on.
    pub(super) condition: Option<Expr>,
    /// Whether the condition is asked after an iteration.
    pub(super) asks_last: bool,
    /// The assignments after each iteration.
    pub(super) step: Vec<Node>,
    /// The statements.
    pub(super) body: Vec<Node>,
    /// Its header.
    pub(super) span: Span,
}

/// A `for` loop.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// Its iterator.
    pub(super) var: VarId,
    /// The first value.
    pub(super) init: Expr,
    /// The condition to go on.
    pub(super) condition: Expr,
    /// What an iteration adds; not zero.
    pub(super) step: i64,
    /// Whether it begins with the value that its iterator has already, which is the first value, too.
    pub(super) continues: bool,
    /// Whether it stood under a condition on data, which stands at its statements now: the source may not reach its header.
    pub(super) is_guarded: bool,
    /// The statements.
    pub(super) body: Vec<Node>,
    /// Its header.
    pub(super) span: Span,
}

/// An `if`.
#[derive(Clone, Debug)]
pub(super) struct If {
    /// The condition.
    pub(super) condition: Expr,
    /// When it holds.
    pub(super) then: Vec<Node>,
    /// When it does not.
    pub(super) otherwise: Vec<Node>,
    /// The whole of it.
    pub(super) span: Span,
    /// Its C label.
    pub(super) label: Option<String>,
}

/// An assignment statement.
#[derive(Clone, Debug)]
pub(super) struct Assign {
    /// What is written, of kind [`ExprKind::Scalar`] or [`ExprKind::Element`].
    pub(super) target: Expr,
    /// Plain or compound.
    pub(super) op: AssignOp,
    /// The right-hand side.
    pub(super) value: Expr,
    /// The whole of it.
    pub(super) span: Span,
    /// Its C label.
    pub(super) label: Option<String>,
}

/// The declaration of a variable inside the region.
#[derive(Clone, Debug)]
pub(super) struct Declare {
    /// The variable.
    pub(super) var: VarId,
    /// Its initial value.
    pub(super) value: Option<Expr>,
    /// The declarator.
    pub(super) span: Span,
}

impl Expr {
    /// An integer constant of type `int`.
    pub(super) fn int(value: i64, span: Span) -> Self {
        Self {
            kind: ExprKind::Int { value, text: value.to_string() },
            ty: ElementKind::Signed(32),
            span,
        }
    }

    /// The operands, in order.
    pub(super) fn operands(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Int { .. }
            | ExprKind::Float(_)
            | ExprKind::Verbatim(_)
            | ExprKind::Scalar(_) => Vec::new(),
            ExprKind::Element(_, parts) | ExprKind::Call { arguments: parts, .. } => {
                parts.iter().collect()
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Ternary(a, b, c) => vec![a, b, c],
        }
    }

    /// Calls `visit` on this expression and all its parts, outermost first.
    pub(super) fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        for operand in self.operands() {
            operand.walk(visit);
        }
    }

    /// Its value, when it is a plain constant.
    pub(super) fn constant(&self) -> Option<i64> {
        match &self.kind {
            ExprKind::Int { value, .. } => Some(*value),
            ExprKind::Unary(UnaryOp::Minus, a) => a.constant()?.checked_neg(),
            ExprKind::Unary(UnaryOp::Plus, a) => a.constant(),
            ExprKind::Cast(_, a) if self.ty.is_integer() && a.ty.is_integer() => a.constant(),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (a.constant()?, b.constant()?);
                match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Sub => a.checked_sub(b),
                    BinaryOp::Mul => a.checked_mul(b),
                    BinaryOp::Div => a.checked_div(b),
                    BinaryOp::Rem => a.checked_rem(b),
                    BinaryOp::Shl => u32::try_from(b)
                        .ok()
                        .filter(|b| *b < 31)
                        .and_then(|b| a.checked_mul(1 << b)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Number of nodes, or anything above `limit` where there are more.
    pub(super) fn size(&self, limit: usize) -> usize {
        let mut size = 1;
        let value = match &self.kind {
            ExprKind::Call { value, .. } => value.as_deref(),
            _ => None,
        };
        for operand in self.operands().into_iter().chain(value) {
            if size > limit {
                break;
            }
            size += operand.size(limit - size.min(limit));
        }
        size
    }

    /// The variable, when it is a plain scalar.
    pub(super) fn scalar(&self) -> Option<VarId> {
        match self.kind {
            ExprKind::Scalar(var) => Some(var),
            _ => None,
        }
    }
}

impl Node {
    /// Whether a loop stands in it that may be static control.
    pub(super) fn has_loop(&self) -> bool {
        match self {
            Self::Loop(_) => true,
            Self::If(i) => i.then.iter().chain(&i.otherwise).any(Self::has_loop),
            Self::Block(nodes) => nodes.iter().any(Self::has_loop),
            Self::Assign(_)
            | Self::Declare(_)
            | Self::Inner(_)
            | Self::Break(_)
            | Self::Continue(_) => false,
        }
    }

    /// Where it is written.
    pub(super) fn span(&self) -> Option<Span> {
        match self {
            Self::Loop(l) => Some(l.span),
            Self::If(i) => Some(i.span),
            Self::Assign(a) => Some(a.span),
            Self::Declare(d) => Some(d.span),
            Self::Inner(inner) => Some(inner.span),
            Self::Break(span) | Self::Continue(span) => Some(*span),
            Self::Block(nodes) => nodes.iter().filter_map(Self::span).reduce(Span::cover),
        }
    }

    /// Calls `visit` on this node and all nodes in it, outermost first.
    pub(super) fn walk<'n>(&'n self, visit: &mut impl FnMut(&'n Self)) {
        visit(self);
        match self {
            Self::Loop(l) => l.body.iter().for_each(|n| n.walk(visit)),
            Self::If(i) => i.then.iter().chain(&i.otherwise).for_each(|n| n.walk(visit)),
            Self::Block(nodes) => nodes.iter().for_each(|n| n.walk(visit)),
            Self::Inner(i) => {
                i.first.iter().chain(&i.body).chain(&i.step).for_each(|n| n.walk(visit));
            }
            Self::Assign(_) | Self::Declare(_) | Self::Break(_) | Self::Continue(_) => {}
        }
    }
}

impl Node {
    /// The node with variables replaced by scalars, wherever they are set, too.
    pub(super) fn substituted(&self, by: &BTreeMap<VarId, Expr>) -> Self {
        let all = |nodes: &[Self]| nodes.iter().map(|n| n.substituted(by)).collect::<Vec<_>>();
        let of = |var: VarId| by.get(&var).and_then(Expr::scalar).unwrap_or(var);
        match self.clone() {
            Self::Loop(l) => Self::Loop(Box::new(Loop {
                var: of(l.var),
                init: l.init.substituted(by),
                condition: l.condition.substituted(by),
                body: all(&l.body),
                ..*l
            })),
            Self::If(i) => Self::If(Box::new(If {
                condition: i.condition.substituted(by),
                then: all(&i.then),
                otherwise: all(&i.otherwise),
                ..*i
            })),
            Self::Assign(a) => Self::Assign(Box::new(Assign {
                target: a.target.substituted(by),
                value: a.value.substituted(by),
                ..*a
            })),
            Self::Declare(d) => {
                Self::Declare(Declare { value: d.value.as_ref().map(|v| v.substituted(by)), ..d })
            }
            Self::Block(nodes) => Self::Block(all(&nodes)),
            Self::Inner(i) => Self::Inner(Box::new(Inner {
                first: all(&i.first),
                condition: i.condition.as_ref().map(|c| c.substituted(by)),
                step: all(&i.step),
                body: all(&i.body),
                ..*i
            })),
            jump @ (Self::Break(_) | Self::Continue(_)) => jump,
        }
    }
}

impl Expr {
    /// The expression with variables replaced.
    pub(super) fn substituted(&self, by: &BTreeMap<VarId, Self>) -> Self {
        self.substituted_where(by, &|_| true)
    }

    /// The expression with variables replaced: in subscripts all, elsewhere those `in_data`.
    pub(super) fn substituted_where(
        &self,
        by: &BTreeMap<VarId, Self>,
        in_data: &dyn Fn(VarId) -> bool,
    ) -> Self {
        match &self.kind {
            ExprKind::Scalar(var) => match by.get(var).filter(|_| in_data(*var)) {
                Some(value) => Self { span: self.span, ..value.clone() },
                None => self.clone(),
            },
            ExprKind::Element(var, parts) => {
                let parts = parts.iter().map(|p| p.substituted(by)).collect();
                Self { kind: ExprKind::Element(*var, parts), ..*self }
            }
            _ => self.with_parts(&|part| part.substituted_where(by, in_data)),
        }
    }

    /// The expression where it is known that a condition holds: of what depends on just that, what is worth it then.
    pub(super) fn where_holds(&self, condition: &Self) -> Self {
        match &self.kind {
            ExprKind::Ternary(c, then, _) if c.is_same(condition) => then.where_holds(condition),
            _ => self.with_parts(&|part| part.where_holds(condition)),
        }
    }

    /// Whether both are the same, wherever they are written.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        self.walk(&mut |e| own.push(e));
        other.walk(&mut |e| others.push(e));
        own.len() == others.len()
            && own.into_iter().zip(others).all(|(a, b)| a.ty == b.ty && a.has_same_head(b))
    }

    /// Whether both are the same but for their operands.
    fn has_same_head(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (ExprKind::Int { value: a, .. }, ExprKind::Int { value: b, .. }) => a == b,
            (
                ExprKind::Float(a) | ExprKind::Verbatim(a),
                ExprKind::Float(b) | ExprKind::Verbatim(b),
            ) => a == b,
            (ExprKind::Scalar(a), ExprKind::Scalar(b)) => a == b,
            (ExprKind::Element(a, x), ExprKind::Element(b, y)) => a == b && x.len() == y.len(),
            (ExprKind::Unary(a, _), ExprKind::Unary(b, _)) => a == b,
            (ExprKind::Binary(a, ..), ExprKind::Binary(b, ..)) => a == b,
            (ExprKind::Ternary(..), ExprKind::Ternary(..)) => true,
            (ExprKind::Cast(a, _), ExprKind::Cast(b, _)) => a == b,
            (
                ExprKind::Call { name: a, arguments: x, .. },
                ExprKind::Call { name: b, arguments: y, .. },
            ) => a == b && x.len() == y.len(),
            _ => false,
        }
    }

    /// The expression with other operands.
    fn with_parts(&self, of: &dyn Fn(&Self) -> Self) -> Self {
        let one = |e: &Self| Box::new(of(e));
        let all = |parts: &[Self]| parts.iter().map(of).collect::<Vec<_>>();
        let kind = match &self.kind {
            ExprKind::Int { .. }
            | ExprKind::Float(_)
            | ExprKind::Verbatim(_)
            | ExprKind::Scalar(_) => self.kind.clone(),
            ExprKind::Element(var, parts) => ExprKind::Element(*var, all(parts)),
            ExprKind::Call { name, arguments, value } => ExprKind::Call {
                name: name.clone(),
                arguments: all(arguments),
                value: value.as_deref().map(one),
            },
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, one(a)),
            ExprKind::Cast(ty, a) => ExprKind::Cast(ty.clone(), one(a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, one(a), one(b)),
            ExprKind::Ternary(a, b, c) => ExprKind::Ternary(one(a), one(b), one(c)),
        };
        Self { kind, ty: self.ty, span: self.span }
    }
}
