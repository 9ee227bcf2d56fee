//! Updates: statements that combine an element's old value with something by an associative operator, `x = x ⊛ e`.
//!
//! Updates of one element by one operator may run in any order as far as the mathematics goes; [`Freedom`] says what C says.

use crate::{
    AccessId, AccessKind, Array, ArrayId, AssignOp, BinaryOp, BodyStmt, Combiner, ElementKind,
    Expr, Statement, UnaryOp,
};
use farkas_base::IdVec;
use std::fmt;
use std::rc::Rc;

/// An associative and commutative operator.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operator {
    /// `+`; what is taken away is added with the other sign.
    Sum,
    /// `*`
    Product,
    /// The least, by comparison.
    Min,
    /// The greatest, by comparison.
    Max,
    /// The least, by `fmin`, which prefers numbers to what is none.
    Fmin,
    /// The greatest, by `fmax`.
    Fmax,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&&`
    And,
    /// `||`
    Or,
    /// A function that the user says to be one.
    Function(Rc<Combiner>),
}

impl Operator {
    /// The word that text forms use.
    pub fn name(&self) -> &str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
            Self::Fmin => "fmin",
            Self::Fmax => "fmax",
            Self::BitAnd => "bitwise and",
            Self::BitOr => "bitwise or",
            Self::BitXor => "bitwise xor",
            Self::And => "and",
            Self::Or => "or",
            Self::Function(function) => &function.name,
        }
    }

    /// Whether code may read and write an element of an array only where it is updated: it may not be there else, as where a pointer leads; and
    /// a truth value that is combined becomes zero or one.
    pub fn needs_update(&self, array: &Array) -> bool {
        !array.is_always_there()
            || matches!(self, Self::And | Self::Or) && !array.element.is_truth()
    }

    /// What `e op x ? e : x` is; none where `op` does not order.
    pub fn of_comparison(op: BinaryOp) -> Option<Self> {
        match op {
            BinaryOp::Gt | BinaryOp::Ge => Some(Self::Max),
            BinaryOp::Lt | BinaryOp::Le => Some(Self::Min),
            _ => None,
        }
    }

    /// The operator of `x = x op e`; none where that depends on the order.
    fn of_binary(op: BinaryOp) -> Option<Self> {
        Some(match op {
            BinaryOp::Add | BinaryOp::Sub => Self::Sum,
            BinaryOp::Mul => Self::Product,
            BinaryOp::BitAnd => Self::BitAnd,
            BinaryOp::BitOr => Self::BitOr,
            BinaryOp::BitXor => Self::BitXor,
            BinaryOp::And => Self::And,
            BinaryOp::Or => Self::Or,
            _ => return None,
        })
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What C says of the order of updates of one element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Freedom {
    /// The result is the same in any order, and nothing is computed that is not defined.
    Free,
    /// The same, where it is computed in the unsigned type of this many bits: a sum of `int`s, none of whose partial sums overflows in the
    /// original's order, may have others that do.
    Unsigned(u8),
    /// The result is the same by value: which of two zeros it is, and which of what is no number, depends on the order.
    Value,
    /// The result depends on the order, as below, or nobody but the user knows whether it does, who says that it does not matter for this
    /// element.
    Granted,
    /// The result depends on the order: by rounding, or by what is no number.
    Rounded,
}

impl Freedom {
    /// Why the order is not free where nobody permits it, and who does.
    pub fn fixed_reason(self) -> &'static str {
        match self {
            Self::Rounded => {
                "floating-point results depend on it, even if little; --reassociate permits it"
            }
            Self::Free | Self::Unsigned(_) | Self::Value | Self::Granted => "nothing permits it",
        }
    }

    /// Why the order is free, or not.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Free => "the result is the same in any order",
            Self::Value => "the result is the same in any order, but for the sign of zeros",
            Self::Granted => "floating-point results depend on the order, which a pragma permits",
            Self::Unsigned(_) => {
                "the result is the same in any order where it is computed in the unsigned type"
            }
            Self::Rounded => "floating-point results depend on the order, even if little",
        }
    }
}

/// Which updates of one element may run in another order than the program's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Reassociation {
    /// None.
    #[default]
    Kept,
    /// Those that have the same result in any order, bit for bit.
    Exact,
    /// Those, and those of floating-point numbers in vector lanes: results do not depend on the number of threads.
    Lanes,
    /// Those, and those of floating-point numbers in a fixed order: results are the same in every run, whatever the number of threads.
    Fixed,
    /// Those, and those of floating-point numbers: the user does not mind how they are rounded.
    Rounded,
}

impl Reassociation {
    /// Whether updates with such a freedom may run in another order.
    pub fn permits(self, freedom: Freedom) -> bool {
        match self {
            Self::Kept => false,
            Self::Exact => freedom != Freedom::Rounded,
            Self::Lanes | Self::Fixed | Self::Rounded => true,
        }
    }

    /// Whether threads may combine what they gather in the order in which they end.
    pub fn permits_on_threads(self, freedom: Freedom) -> bool {
        let is_same_always = matches!(freedom, Freedom::Free | Freedom::Unsigned(_));
        self.permits(freedom) && (is_same_always || !self.is_same_on_all_threads())
    }

    /// Whether results must not depend on the number of threads.
    pub fn is_same_on_all_threads(self) -> bool {
        matches!(self, Self::Lanes | Self::Fixed)
    }
}

/// An update: what a statement does to one element, `x = x ⊛ e`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update<'a> {
    /// The element, written.
    pub target: AccessId,
    /// The element, read: once or, in a selection, twice.
    pub reads: Vec<AccessId>,
    /// The operator.
    pub operator: Operator,
    /// What the order is free for.
    pub freedom: Freedom,
    /// How it is written.
    pub form: UpdateForm<'a>,
    /// The condition under which the element is updated, which does not read it.
    pub condition: Option<&'a Expr>,
}

/// How an update is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UpdateForm<'a> {
    /// `x op= e`, `x = x op e` or `x = e op x`.
    Combined {
        /// The operator as it is written.
        op: BinaryOp,
        /// What is combined with the element.
        value: &'a Expr,
    },
    /// The element is one of several terms or factors: `x = a + x - b`.
    Among,
    /// `x = e > x ? e : x`, or `if (e > x) x = e;`.
    Selected {
        /// The comparison, with `e` on its left.
        op: BinaryOp,
        /// What may take the element's place.
        value: &'a Expr,
    },
    /// `x = fmax(x, e)`, or with another function.
    Called {
        /// The function.
        function: &'a str,
        /// What is compared with the element.
        value: &'a Expr,
    },
}

impl Update<'_> {
    /// Whether an access is one to the element that is updated.
    pub fn has(&self, access: AccessId) -> bool {
        self.target == access || self.reads.contains(&access)
    }

    /// The access whose value alone is combined with the element; none where more is computed.
    pub fn combined_access(&self) -> Option<AccessId> {
        match self.form {
            UpdateForm::Combined { value: Expr::Access(access), .. }
            | UpdateForm::Selected { value: Expr::Access(access), .. }
            | UpdateForm::Called { value: Expr::Access(access), .. } => Some(*access),
            _ => None,
        }
    }
}

impl Statement {
    /// The update that the statement is, by what its text says; `None` for other statements. What else the statement reads may be of the
    /// same array, but is not written as the same element.
    pub fn update(&self, arrays: &IdVec<ArrayId, Array>) -> Option<Update<'_>> {
        let update = self.written_update(arrays)?;
        let granted = arrays[self.accesses[update.target].array].reduction.as_ref();
        let freedom = match update.freedom {
            Freedom::Rounded if granted == Some(&update.operator) => Freedom::Granted,
            other => other,
        };
        Some(Update { freedom, ..update })
    }

    /// The same, whatever the user grants.
    fn written_update(&self, arrays: &IdVec<ArrayId, Array>) -> Option<Update<'_>> {
        let (condition, part) = match self.body.as_slice() {
            [BodyStmt::If { condition, then, otherwise }] if otherwise.is_empty() => {
                (Some(condition), then.as_slice())
            }
            parts => (None, parts),
        };
        let [BodyStmt::Assign { target, op, read, value }] = part else { return None };
        let reader = Reader { stmt: self, arrays, target: *target };
        let update = match (condition, op, read) {
            (_, AssignOp::Compound(op), Some(read)) => reader.combined(*op, *read, value, true),
            (Some(condition), AssignOp::Set, None) if !reader.is_free_of_it(condition) => {
                return reader.under_condition(condition, value);
            }
            (_, AssignOp::Set, None) => reader.assigned(value),
            _ => None,
        };
        let update = update.filter(|_| condition.is_none_or(|c| reader.is_free_of_it(c)))?;
        match (condition, update.condition) {
            (Some(_), Some(_)) => None,
            (condition, own) => Some(Update { condition: condition.or(own), ..update }),
        }
    }
}

/// Reads a statement as an update of an element.
pub(crate) struct Reader<'a, 'b> {
    pub(crate) stmt: &'a Statement,
    pub(crate) arrays: &'b IdVec<ArrayId, Array>,
    pub(crate) target: AccessId,
}

impl<'a> Reader<'a, '_> {
    /// The element's kind.
    pub(crate) fn kind(&self) -> ElementKind {
        self.stmt.element_kind(self.arrays, self.target)
    }

    /// Whether the element is a truth value, which C does not store as it stores other numbers.
    fn is_truth(&self) -> bool {
        self.arrays[self.stmt.accesses[self.target].array].element.is_truth()
    }

    /// Whether an access is written as the element, and to it.
    fn is_it(&self, access: AccessId) -> bool {
        self.stmt.accesses[access].kind == AccessKind::Read
            && self.stmt.is_same_place(self.target, access)
    }

    /// The accesses that read the element.
    pub(crate) fn reads(&self) -> Vec<AccessId> {
        self.stmt.accesses.ids().filter(|access| self.is_it(*access)).collect()
    }

    /// The access that an expression is, if that is the element.
    pub(crate) fn element(&self, expr: &Expr) -> Option<AccessId> {
        match expr {
            Expr::Access(access) if self.is_it(*access) => Some(*access),
            _ => None,
        }
    }

    /// Whether an expression does not read the element.
    fn is_free_of_it(&self, expr: &Expr) -> bool {
        let mut is_free = true;
        expr.walk(&mut |e| is_free &= self.element(e).is_none());
        is_free
    }

    /// The update of an assignment `x = value`.
    fn assigned(&self, value: &'a Expr) -> Option<Update<'a>> {
        match value {
            Expr::Binary(op, left, right) => {
                let sides = (self.element(left), self.element(right));
                match sides {
                    (Some(read), None) => self.combined(*op, read, right, true),
                    (None, Some(read)) if *op != BinaryOp::Sub => {
                        self.combined(*op, read, left, false)
                    }
                    (None, None) => self.among(value),
                    _ => None,
                }
            }
            Expr::Ternary(condition, new, old) => self
                .selection(condition, new, old)
                .or_else(|| self.where_it_holds(condition, new, old)),
            Expr::Call(function, arguments) => self.called(function, arguments),
            Expr::Cast(ty, inner) => self.in_unsigned(ty.kind, inner),
            _ => None,
        }
    }

    /// `x op= value`, or `x = value op x` where the element is not the first operand.
    fn combined(
        &self,
        op: BinaryOp,
        read: AccessId,
        value: &'a Expr,
        is_first: bool,
    ) -> Option<Update<'a>> {
        let operator = Operator::of_binary(op)?;
        if !self.is_free_of_it(value) {
            return None;
        }
        let freedom = match operator {
            Operator::Sum | Operator::Product => self.arithmetic(value)?,
            Operator::And | Operator::Or => self.logical(value, is_first)?,
            // `1 ^ 2` is 3, which is as true as 1.
            Operator::BitXor if self.is_truth() => return None,
            _ => self.bitwise(value)?,
        };
        let form = UpdateForm::Combined { op, value };
        Some(Update { reads: vec![read], ..self.update(operator, freedom, form) })
    }

    /// An update without a condition whose reads are not known yet.
    fn update(&self, operator: Operator, freedom: Freedom, form: UpdateForm<'a>) -> Update<'a> {
        let (target, reads, condition) = (self.target, Vec::new(), None);
        Update { target, reads, operator, freedom, form, condition }
    }

    /// The freedom of sums and products with `value`.
    fn arithmetic(&self, value: &Expr) -> Option<Freedom> {
        let kind = self.kind();
        if kind.is_floating() {
            return Some(Freedom::Rounded);
        }
        let computed = kind.common(self.stmt.kind_of(self.arrays, value)?);
        match computed {
            _ if !kind.is_integer() || self.is_truth() => None,
            ElementKind::Unsigned(_) => Some(Freedom::Free),
            ElementKind::Signed(bits) => Some(Freedom::Unsigned(bits)),
            _ => None,
        }
    }

    /// The freedom of bitwise operations with `value`.
    fn bitwise(&self, value: &Expr) -> Option<Freedom> {
        let kind = self.stmt.kind_of(self.arrays, value)?;
        (self.kind().is_integer() && kind.is_integer()).then_some(Freedom::Free)
    }

    /// The freedom of logical operations with `value`. In `x = x && e`, C evaluates `e` only where `x` is true, so what is evaluated
    /// depends on the order: it must not matter whether it is.
    fn logical(&self, value: &Expr, is_first: bool) -> Option<Freedom> {
        let is_number = self.kind().is_integer() || self.kind().is_floating();
        (is_number && (!is_first || is_harmless(value))).then_some(Freedom::Free)
    }

    /// `x = a + x - b`: the element is one of several terms, or factors.
    fn among(&self, value: &'a Expr) -> Option<Update<'a>> {
        let Expr::Binary(op, ..) = value else { return None };
        let operator = Operator::of_binary(*op)?;
        let is_chain =
            matches!(operator, Operator::Sum | Operator::Product) && self.kind().is_floating();
        let mut reads = Vec::new();
        if !is_chain || !self.is_once_among(&operator, value, &mut reads) || reads.len() != 1 {
            return None;
        }
        Some(Update { reads, ..self.update(operator, Freedom::Rounded, UpdateForm::Among) })
    }

    /// Whether an expression has the element only as a term with a positive sign, or a factor; the accesses to it.
    fn is_once_among(&self, operator: &Operator, expr: &Expr, reads: &mut Vec<AccessId>) -> bool {
        if let Some(read) = self.element(expr) {
            reads.push(read);
            return true;
        }
        match expr {
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Mul | BinaryOp::Sub), left, right)
                if Operator::of_binary(*op).as_ref() == Some(operator) =>
            {
                let is_first = self.is_once_among(operator, left, reads);
                let is_second = match op {
                    BinaryOp::Sub => self.is_free_of_it(right),
                    _ => self.is_once_among(operator, right, reads),
                };
                is_first && is_second
            }
            other => self.is_free_of_it(other),
        }
    }

    /// `x = c ? new : old`, which is `e > x ? e : x` in one of its forms.
    fn selection(&self, condition: &'a Expr, new: &'a Expr, old: &'a Expr) -> Option<Update<'a>> {
        let Expr::Binary(op, left, right) = condition else { return None };
        let (value, takes_value) = match (self.element(new), self.element(old)) {
            (None, Some(_)) => (new, true),
            (Some(_), None) => (old, false),
            _ => return None,
        };
        let other = self.element(new).or(self.element(old))?;
        let (compared, op, element) = match (self.element(left), self.element(right)) {
            (None, Some(element)) => (left.as_ref(), *op, element),
            (Some(element), None) => (right.as_ref(), turned(*op)?, element),
            _ => return None,
        };
        // Of `e > x ? x : e` the sense is that of `e <= x ? e : x`.
        let op = if takes_value { op } else { negated(op)? };
        if !self.stmt.is_same_value(compared, value) || !self.is_free_of_it(value) {
            return None;
        }
        let operator = Operator::of_comparison(op)?;
        let freedom = self.comparison(value)?;
        let form = UpdateForm::Selected { op, value };
        Some(Update { reads: vec![element, other], ..self.update(operator, freedom, form) })
    }

    /// `x = c ? x op e : x`, which is an update under a condition.
    fn where_it_holds(
        &self,
        condition: &'a Expr,
        new: &'a Expr,
        old: &'a Expr,
    ) -> Option<Update<'a>> {
        let old = self.element(old).filter(|_| self.is_free_of_it(condition))?;
        let update = self.assigned(new).filter(|update| update.condition.is_none())?;
        let reads = update.reads.iter().copied().chain([old]).collect();
        Some(Update { reads, condition: Some(condition), ..update })
    }

    /// `if (e > x) x = e;`.
    fn under_condition(&self, condition: &'a Expr, value: &'a Expr) -> Option<Update<'a>> {
        let Expr::Binary(op, left, right) = condition else { return None };
        let (compared, op, element) = match (self.element(left), self.element(right)) {
            (None, Some(element)) => (left.as_ref(), *op, element),
            (Some(element), None) => (right.as_ref(), turned(*op)?, element),
            _ => return None,
        };
        if !self.stmt.is_same_value(compared, value) || !self.is_free_of_it(value) {
            return None;
        }
        let (operator, freedom) = (Operator::of_comparison(op)?, self.comparison(value)?);
        let form = UpdateForm::Selected { op, value };
        Some(Update { reads: vec![element], ..self.update(operator, freedom, form) })
    }

    /// The freedom of least and greatest values that comparisons find. Where both sides are integers of one sign that the element holds,
    /// nothing is converted. What is no number compares as neither, and of two zeros the first is taken.
    pub(crate) fn comparison(&self, value: &Expr) -> Option<Freedom> {
        let kind = self.kind();
        if kind.is_floating() {
            return Some(Freedom::Rounded);
        }
        let of_value = self.stmt.kind_of(self.arrays, value)?;
        match (kind, of_value) {
            _ if self.is_truth() => None,
            (ElementKind::Signed(bits), ElementKind::Signed(other))
            | (ElementKind::Unsigned(bits), ElementKind::Unsigned(other))
                if other <= bits =>
            {
                Some(Freedom::Free)
            }
            // A small one is the same as an `int`.
            (ElementKind::Signed(bits), ElementKind::Unsigned(other)) if other < bits => {
                Some(Freedom::Free)
            }
            _ => None,
        }
    }

    /// `x = f(x, e)` or `x = f(e, x)`.
    fn called(&self, function: &'a str, arguments: &'a [Expr]) -> Option<Update<'a>> {
        let (operator, freedom) = match self.declared(function) {
            Some(operator) => (operator, Freedom::Granted),
            None => (self.greatest_or_least(function)?, Freedom::Value),
        };
        let [a, b] = arguments else { return None };
        let (read, value) = match (self.element(a), self.element(b)) {
            (Some(read), None) => (read, b),
            (None, Some(read)) => (read, a),
            _ => return None,
        };
        let form = UpdateForm::Called { function, value };
        let update = Update { reads: vec![read], ..self.update(operator, freedom, form) };
        self.is_free_of_it(value).then_some(update)
    }

    /// The operator that a function is because the user says so.
    fn declared(&self, function: &str) -> Option<Operator> {
        let granted = self.arrays[self.stmt.accesses[self.target].array].reduction.as_ref()?;
        let is_it = matches!(granted, Operator::Function(declared) if declared.name == function);
        is_it.then(|| granted.clone())
    }

    /// The operator that `fmax` or `fmin` is, which takes a number where there is one.
    fn greatest_or_least(&self, function: &str) -> Option<Operator> {
        let plain = function.strip_prefix("__builtin_").unwrap_or(function);
        let (operator, single) = match plain {
            "fmax" => (Operator::Fmax, false),
            "fmin" => (Operator::Fmin, false),
            "fmaxf" => (Operator::Fmax, true),
            "fminf" => (Operator::Fmin, true),
            _ => return None,
        };
        let fits = match self.kind() {
            ElementKind::Float => true,
            ElementKind::Double => !single,
            _ => false,
        };
        fits.then_some(operator)
    }

    /// `x = (int)((unsigned)x + e)`, where `e` is unsigned: a sum that was freed of its order. An unsigned `x` that is narrower than `int`
    /// is promoted to that, and freed in the same way.
    fn in_unsigned(&self, to: ElementKind, inner: &'a Expr) -> Option<Update<'a>> {
        let (ElementKind::Signed(bits) | ElementKind::Unsigned(bits)) = self.kind() else {
            return None;
        };
        let Expr::Binary(op, left, value) = inner else { return None };
        let Expr::Cast(ty, left) = left.as_ref() else { return None };
        let of_value = self.stmt.kind_of(self.arrays, value)?;
        let operator = Operator::of_binary(*op)?;
        let is_modular = matches!(operator, Operator::Sum | Operator::Product)
            && to == self.kind()
            && matches!(ty.kind, ElementKind::Unsigned(width) if width >= bits.max(32))
            && matches!(of_value, ElementKind::Unsigned(_))
            && self.is_free_of_it(value);
        let read = self.element(left).filter(|_| is_modular)?;
        let form = UpdateForm::Combined { op: *op, value };
        Some(Update { reads: vec![read], ..self.update(operator, Freedom::Free, form) })
    }
}

/// Whether it does not matter whether an expression is evaluated: it reads nothing that might not be there, and divides by nothing that might
/// be zero.
fn is_harmless(expr: &Expr) -> bool {
    let mut is_harmless = true;
    expr.walk(&mut |e| {
        is_harmless &= match e {
            Expr::Int { .. } | Expr::Float(_) | Expr::Iterator(_) | Expr::Param(_) => true,
            Expr::Local(_) | Expr::Ternary(..) => true,
            Expr::Unary(op, _) => matches!(op, UnaryOp::Not | UnaryOp::Plus),
            Expr::Binary(op, ..) => matches!(
                op,
                BinaryOp::Lt
                    | BinaryOp::Gt
                    | BinaryOp::Le
                    | BinaryOp::Ge
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::BitAnd
                    | BinaryOp::BitOr
                    | BinaryOp::BitXor
            ),
            Expr::Access(_) | Expr::Cast(..) | Expr::Call(..) | Expr::Verbatim(_) => false,
        };
    });
    is_harmless
}

/// The comparison with its sides exchanged.
pub(crate) fn turned(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}

/// The comparison that holds where another one does not, of numbers.
fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Ge => BinaryOp::Lt,
        _ => return None,
    })
}
