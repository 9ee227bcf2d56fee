//! Integer expressions to quasi-affine functions and sets, with C's arithmetic.

use super::assume::{Required, fits, range, wrapped};
use super::form::Form;
use super::hir::{Expr, ExprKind, VarId};
use super::values::KnownValues;
use super::vars::Vars;
use farkas_base::Span;
use farkas_poly::{Aff, DimType, PwAff, Set, Space, Val};
use farkas_scop::{AssumptionKind, BinaryOp, ElementKind, UnaryOp};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Why an expression is not a quasi-affine function of iterators and parameters.
#[derive(Clone, Debug)]
pub(super) enum Obstacle {
    /// The expression in question.
    At {
        /// What it is.
        why: Why,
        /// Where.
        span: Span,
    },
    /// isl refused.
    Isl(farkas_poly::Error),
}

/// What an expression that is not affine is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// A product of two expressions that are not constant.
    Product {
        /// Whether both are made of parameters alone.
        of_parameters: bool,
    },
    /// A division by something that is not constant, or by zero.
    Divisor,
    /// An element of an array: data.
    Element(VarId),
    /// A scalar that the region writes.
    Written(VarId),
    /// A value of floating point, or of a type that the tool does not know.
    NotInteger,
    /// A call.
    Call(String),
    /// Bit arithmetic that no quasi-affine function expresses.
    Bits,
    /// An iterator outside its loop.
    Iterator(VarId),
    /// A conversion that may change the value.
    Conversion,
    /// A linearised subscript that may leave its row.
    RowUnknown,
}

impl From<farkas_poly::Error> for Obstacle {
    fn from(error: farkas_poly::Error) -> Self {
        Self::Isl(error)
    }
}

/// The result of turning an expression into a function.
pub(super) type Affine<T> = Result<T, Obstacle>;

/// How a loop's dimension gives the user's iterator.
#[derive(Clone, Debug)]
pub(super) enum LoopValue {
    /// The dimension is the iterator.
    Up,
    /// The dimension is the negated iterator.
    Down,
    /// The dimension counts the iterations.
    Strided {
        /// The first value.
        init: Expr,
        /// What an iteration adds.
        step: i64,
    },
}

/// A loop around the present place.
#[derive(Clone, Debug)]
pub(super) struct ActiveLoop {
    /// Its iterator.
    pub(super) var: VarId,
    /// The name of its dimension.
    pub(super) dim_name: String,
    /// What the iterator is.
    pub(super) value: LoopValue,
}

/// A set space with the values of everything that may occur in an affine expression.
pub(super) struct Frame<'a> {
    /// The space.
    pub(super) space: Space,
    /// The variables of the region.
    pub(super) vars: &'a Vars<'a>,
    /// The parameters in the order of the space.
    pub(super) params: &'a [VarId],
    /// Number of dimensions.
    pub(super) depth: usize,
    /// The iterators with their values.
    pub(super) iterators: Vec<(VarId, PwAff)>,
    /// The iterators with their values as linear forms, where they are linear.
    pub(super) forms: Vec<(VarId, Option<Form>)>,
    /// Values of iterators whose loops are over.
    known: Rc<BTreeMap<VarId, Expr>>,
    /// What must hold for the values that were asked for to be C's.
    pub(super) required: RefCell<Vec<Required>>,
    /// Whether values are reduced to their types as C does it, instead of being required to fit.
    pub(super) wraps: Cell<bool>,
    /// The values of expressions that were asked for already.
    pub(super) values: KnownValues,
    /// The frame of the parameters alone, once it was asked for.
    outside: OnceCell<Box<Frame<'a>>>,
}

impl<'a> Frame<'a> {
    /// The frame of `loops` in `space`, which has one dimension for each of them.
    pub(super) fn new(
        space: Space,
        vars: &'a Vars<'a>,
        params: &'a [VarId],
        loops: &[ActiveLoop],
        known: Rc<BTreeMap<VarId, Expr>>,
    ) -> Affine<Self> {
        let mut frame = Self {
            space,
            vars,
            params,
            depth: loops.len(),
            iterators: Vec::with_capacity(loops.len()),
            forms: Vec::with_capacity(loops.len()),
            known,
            required: RefCell::default(),
            wraps: Cell::new(false),
            values: KnownValues::default(),
            outside: OnceCell::new(),
        };
        for (position, active) in loops.iter().enumerate() {
            let form = frame.form_of_loop(position, &active.value);
            let value = match (&form, &active.value) {
                (Some(form), _) => frame.aff(form)?.to_pw_aff()?,
                (None, LoopValue::Strided { init, step }) => {
                    let position = u32::try_from(position).unwrap_or(u32::MAX);
                    let count =
                        Aff::var_on_domain(&frame.space, DimType::SET, position)?.to_pw_aff()?;
                    frame.value(init)?.add(&count.scale_val(&Val::int(*step)?)?)?
                }
                (None, _) => {
                    return Err(Obstacle::At { why: Why::Conversion, span: vars[active.var].span });
                }
            };
            frame.iterators.push((active.var, value));
            frame.forms.push((active.var, form));
            frame.values = KnownValues::default();
        }
        frame.required.borrow_mut().clear();
        Ok(frame)
    }

    /// The frame of the same parameters, outside of all loops.
    pub(super) fn outside(&self) -> Affine<&Frame<'a>> {
        if let Some(frame) = self.outside.get() {
            return Ok(frame);
        }
        let params = self.space.params()?;
        let frame = Frame::new(params, self.vars, self.params, &[], Rc::default())?;
        Ok(self.outside.get_or_init(|| Box::new(frame)))
    }

    /// The constant `value`.
    pub(super) fn constant(&self, value: i64) -> Affine<PwAff> {
        Ok(Aff::constant_on_domain(&self.space, value)?.to_pw_aff()?)
    }

    /// `value`, which is `expr` as a whole number, in the integer type `ty`: C's value, where what is required holds.
    pub(super) fn in_type(&self, expr: &Expr, value: PwAff, ty: ElementKind) -> Affine<PwAff> {
        if !may_leave(expr, ty) {
            return Ok(value);
        }
        let value = match ty {
            ElementKind::Unsigned(bits) if self.wraps.get() => wrapped(self, &value, bits)?,
            _ => value,
        };
        let (holds, kind) = (fits(self, &value, ty)?, AssumptionKind::NoWrap);
        self.required.borrow_mut().push(Required { holds, kind, span: expr.span });
        Ok(value)
    }

    /// The value of an operand that C converts to the type `ty` before it looks at it as a whole number.
    fn operand(&self, expr: &Expr, ty: ElementKind) -> Affine<PwAff> {
        let value = self.widened(expr, ty)?;
        match ty.promoted() {
            ElementKind::Unsigned(bits) => self.in_type(expr, value, ElementKind::Unsigned(bits)),
            _ => Ok(value),
        }
    }

    /// The value of an operand of an operation in the type `ty`: what is computed in a narrower unsigned type is reduced first.
    pub(super) fn widened(&self, expr: &Expr, ty: ElementKind) -> Affine<PwAff> {
        let value = self.value(expr)?;
        match expr.ty {
            ElementKind::Unsigned(_) if expr.ty != ty => self.in_type(expr, value, expr.ty),
            _ => Ok(value),
        }
    }

    /// The value of an integer expression.
    pub(super) fn value(&self, expr: &Expr) -> Affine<PwAff> {
        match self.form(expr) {
            Some(form) => Ok(self.aff(&form)?.to_pw_aff()?),
            None => self.once(expr, || self.evaluate(expr)),
        }
    }

    /// The value of an expression that is not linear, by isl's functions.
    fn evaluate(&self, expr: &Expr) -> Affine<PwAff> {
        let fail = |why| Err(Obstacle::At { why, span: expr.span });
        if let Some(value) = expr.constant() {
            return self.constant(value);
        }
        if !expr.ty.is_integer() {
            return match &expr.kind {
                ExprKind::Element(var, _) => fail(Why::Element(*var)),
                ExprKind::Call { name, .. } => fail(Why::Call(name.clone())),
                _ => fail(Why::NotInteger),
            };
        }
        match &expr.kind {
            ExprKind::Int { value, .. } => self.constant(*value),
            ExprKind::Float(_) => fail(Why::NotInteger),
            ExprKind::Verbatim(_) => fail(Why::NotInteger),
            ExprKind::Scalar(var) => self.scalar(*var, expr.span),
            ExprKind::Element(var, _) => fail(Why::Element(*var)),
            ExprKind::Unary(op, a) => match op {
                UnaryOp::Minus => Ok(self.value(a)?.neg()?),
                UnaryOp::Plus => self.value(a),
                UnaryOp::Not => Ok(self.condition(expr)?.indicator_function()?),
                UnaryOp::BitNot => Ok(self.value(a)?.neg()?.sub(&self.constant(1)?)?),
            },
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr),
            ExprKind::Ternary(condition, then, otherwise) => {
                let condition = self.condition(condition)?.indicator_function()?;
                Ok(condition.cond(&self.value(then)?, &self.value(otherwise)?)?)
            }
            ExprKind::Cast(_, a) => self.cast(expr, a),
            ExprKind::Call { value: Some(value), .. } => self.value(value),
            ExprKind::Call { name, .. } => fail(Why::Call(name.clone())),
        }
    }

    /// The value of a scalar.
    fn scalar(&self, var: VarId, span: Span) -> Affine<PwAff> {
        if let Some((_, value)) = self.iterators.iter().rev().find(|(v, _)| *v == var) {
            return Ok(value.clone());
        }
        if let Some(position) = self.params.iter().position(|p| *p == var) {
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            return Ok(Aff::var_on_domain(&self.space, DimType::Param, position)?.to_pw_aff()?);
        }
        if let Some(value) = self.known.get(&var) {
            return self.value(value);
        }
        let v = &self.vars[var];
        let why = if v.is_iterator { Why::Iterator(var) } else { Why::Written(var) };
        Err(Obstacle::At { why, span })
    }

    /// The value of a subscript. Addresses are computed modulo 2^64, so only narrower types are reduced before.
    pub(super) fn subscript(&self, expr: &Expr) -> Affine<PwAff> {
        let value = self.value(expr)?;
        if wraps_below_addresses(expr) { self.in_type(expr, value, expr.ty) } else { Ok(value) }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr, whole: &Expr) -> Affine<PwAff> {
        let fail = |why, span| Err(Obstacle::At { why, span });
        let power = |e: &Expr| {
            e.constant().and_then(|c| u32::try_from(c).ok()).filter(|c| *c < 62).map(|c| 1i64 << c)
        };
        if let Some((number, divisor)) = floored(op, a, b) {
            let value = self.operand(number, whole.ty)?;
            let divisor = Val::int(divisor)?;
            return Ok(match op {
                BinaryOp::Sub => value.scale_down_val(&divisor)?.floor()?,
                _ => value.mod_val(&divisor)?,
            });
        }
        match op {
            BinaryOp::Add => Ok(self.widened(a, whole.ty)?.add(&self.widened(b, whole.ty)?)?),
            BinaryOp::Sub => Ok(self.widened(a, whole.ty)?.sub(&self.widened(b, whole.ty)?)?),
            BinaryOp::Mul => match (self.widened(a, whole.ty)?, self.widened(b, whole.ty)?) {
                (x, y) if x.is_cst()? || y.is_cst()? => Ok(x.mul(&y)?),
                (x, y) => {
                    let depth = self.space.dim(DimType::SET)?;
                    let of_parameters = !x.involves_dims(DimType::In, 0, depth)?
                        && !y.involves_dims(DimType::In, 0, depth)?;
                    fail(Why::Product { of_parameters }, whole.span)
                }
            },
            BinaryOp::Div | BinaryOp::Rem => {
                let x = self.operand(a, whole.ty)?;
                let divisor = match b.constant() {
                    Some(0) => return fail(Why::Divisor, b.span),
                    Some(divisor) => self.constant(divisor)?,
                    None => {
                        let divisor = self.value(b)?;
                        if !divisor.is_cst()?
                            || divisor.n_piece()? != 1
                            || !divisor.zero_set()?.is_empty()?
                        {
                            return fail(Why::Divisor, b.span);
                        }
                        divisor
                    }
                };
                Ok(if op == BinaryOp::Div { x.tdiv_q(&divisor)? } else { x.tdiv_r(&divisor)? })
            }
            BinaryOp::Shl => match power(b) {
                Some(factor) => Ok(self.value(a)?.scale_val(&Val::int(factor)?)?),
                None => fail(Why::Bits, whole.span),
            },
            BinaryOp::Shr => match power(b) {
                Some(divisor) => {
                    Ok(self.operand(a, whole.ty)?.scale_down_val(&Val::int(divisor)?)?.floor()?)
                }
                None => fail(Why::Bits, whole.span),
            },
            BinaryOp::BitAnd => {
                let (x, mask) = if b.constant().is_some() { (a, b) } else { (b, a) };
                let modulus = mask
                    .constant()
                    .and_then(|m| m.checked_add(1))
                    .filter(|m| *m > 0 && m.count_ones() == 1);
                match modulus {
                    Some(modulus) => Ok(self.widened(x, whole.ty)?.mod_val(&Val::int(modulus)?)?),
                    None => fail(Why::Bits, whole.span),
                }
            }
            BinaryOp::BitOr | BinaryOp::BitXor => fail(Why::Bits, whole.span),
            _ => Ok(self.condition(whole)?.indicator_function()?),
        }
    }

    /// A conversion between integer types.
    fn cast(&self, whole: &Expr, inner: &Expr) -> Affine<PwAff> {
        let value = self.widened(inner, whole.ty)?;
        self.in_type(inner, value, whole.ty)
    }

    /// The points where a condition holds.
    pub(super) fn condition(&self, expr: &Expr) -> Affine<Set> {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, a) => Ok(self.condition(a)?.complement()?),
            ExprKind::Binary(BinaryOp::And, a, b) => {
                Ok(self.condition(a)?.intersect(&self.condition(b)?)?)
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                Ok(self.condition(a)?.union(&self.condition(b)?)?)
            }
            ExprKind::Binary(op, a, b) if is_comparison(*op) => self.comparison(*op, a, b),
            ExprKind::Ternary(c, then, otherwise) => {
                let c = self.condition(c)?;
                let then = c.intersect(&self.condition(then)?)?;
                Ok(then.union(&self.condition(otherwise)?.subtract(&c)?)?)
            }
            _ => Ok(self.value(expr)?.non_zero_set()?),
        }
    }

    fn comparison(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Affine<Set> {
        let ty = a.ty.common(b.ty);
        if !matches!(ty, ElementKind::Unsigned(_))
            && [a, b].into_iter().all(|e| e.ty == ty || !may_leave(e, e.ty))
            && let (Some(x), Some(y)) = (self.form(a), self.form(b))
            && let Some(set) = self.compare_forms(op, &x, &y)
        {
            return Ok(set?);
        }
        let (x, y) = (self.operand(a, ty)?, self.operand(b, ty)?);
        Ok(match op {
            BinaryOp::Lt => x.lt_set(&y)?,
            BinaryOp::Le => x.le_set(&y)?,
            BinaryOp::Gt => x.gt_set(&y)?,
            BinaryOp::Ge => x.ge_set(&y)?,
            BinaryOp::Eq => x.eq_set(&y)?,
            _ => x.ne_set(&y)?,
        })
    }
}

/// Whether `op` compares.
pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
    )
}

/// What is divided by which number in the two ways in which C says what mathematics divides and leaves, where numbers may be negative:
/// `n / d - (n % d < 0)` and `(n % d + d) % d`.
fn floored<'e>(op: BinaryOp, a: &'e Expr, b: &Expr) -> Option<(&'e Expr, i64)> {
    let is_signed = |expr: &Expr| matches!(expr.ty, ElementKind::Signed(32 | 64));
    let by = |divisor: &Expr| divisor.constant().filter(|by| (1..=1 << 29).contains(by));
    let (number, divisor) = match (op, &a.kind, &b.kind) {
        (
            BinaryOp::Sub,
            ExprKind::Binary(BinaryOp::Div, number, divisor),
            ExprKind::Binary(BinaryOp::Lt, rest, zero),
        ) if zero.constant() == Some(0) && is_rest(rest, number, divisor) => (number, by(divisor)?),
        (BinaryOp::Rem, ExprKind::Binary(BinaryOp::Add, rest, divisor), _)
            if by(divisor) == by(b) =>
        {
            let ExprKind::Binary(BinaryOp::Rem, number, _) = &rest.kind else { return None };
            if !is_rest(rest, number, divisor) {
                return None;
            }
            (number, by(divisor)?)
        }
        _ => return None,
    };
    (is_signed(number) && is_signed(a)).then_some((number, divisor))
}

/// Whether an expression is what is left of a number by a divisor.
fn is_rest(rest: &Expr, number: &Expr, divisor: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Rem, own, by) = &rest.kind else { return false };
    own.is_same(number) && by.constant().is_some() && by.constant() == divisor.constant()
}

/// Whether the value of `expr`, seen as a whole number, may be negative, so that a conversion to an unsigned type would
/// change it.
fn may_be_negative(expr: &Expr) -> bool {
    if let Some(value) = expr.constant() {
        return value < 0;
    }
    let signed = !matches!(expr.ty, ElementKind::Unsigned(_));
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Sub, ..)
        | ExprKind::Unary(UnaryOp::Minus | UnaryOp::BitNot, _) => true,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Mul, a, b) => {
            may_be_negative(a) || may_be_negative(b)
        }
        ExprKind::Ternary(_, a, b) => may_be_negative(a) || may_be_negative(b),
        ExprKind::Binary(op, a, _) if is_comparison(*op) || a.ty != expr.ty => false,
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) | ExprKind::Unary(UnaryOp::Not, _) => {
            false
        }
        ExprKind::Cast(_, a) | ExprKind::Unary(UnaryOp::Plus, a) => may_be_negative(a),
        _ => signed,
    }
}

/// Whether the value of `expr`, seen as a whole number, may be outside of the range of `ty`.
pub(super) fn may_leave(expr: &Expr, ty: ElementKind) -> bool {
    let (Some((least, most)), Some((own_least, own_most))) = (range(ty), range(expr.ty)) else {
        return true;
    };
    let most = most.unwrap_or(i64::MAX);
    if let Some(value) = expr.constant() {
        return value < least || value > most && ty != ElementKind::Unsigned(64);
    }
    let is_wider = match own_most {
        Some(own) => own > most,
        None => ty != ElementKind::Unsigned(64),
    };
    is_wider || least > own_least && may_be_negative(expr) || is_unsigned(ty) && may_overflow(expr)
}

/// Whether a subscript may wrap around in a type that is narrower than addresses.
pub(super) fn wraps_below_addresses(expr: &Expr) -> bool {
    matches!(expr.ty, ElementKind::Unsigned(..=63)) && may_leave(expr, expr.ty)
}

/// Whether the type is unsigned.
fn is_unsigned(ty: ElementKind) -> bool {
    matches!(ty, ElementKind::Unsigned(_))
}

/// Whether an expression of unsigned type has arithmetic that may leave the range of the type, on either side.
fn may_overflow(expr: &Expr) -> bool {
    use BinaryOp::{Add, Mul, Shl, Sub};
    if !is_unsigned(expr.ty) || expr.constant().is_some() {
        return false;
    }
    match &expr.kind {
        ExprKind::Binary(Add | Sub | Mul | Shl, ..) => true,
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::BitNot, _) => true,
        ExprKind::Unary(UnaryOp::Plus, a) => may_overflow(a),
        ExprKind::Ternary(_, a, b) => may_overflow(a) || may_overflow(b),
        _ => false,
    }
}

/// Whether the expression has the form of an affine one: integers, scalars that may be parameters or iterators, and
/// arithmetic.
pub(super) fn is_affine_shaped(expr: &Expr, vars: &Vars<'_>) -> bool {
    let mut shaped = true;
    expr.walk(&mut |e| {
        shaped &= match &e.kind {
            ExprKind::Scalar(var) => vars[*var].is_iterator || vars[*var].can_be_parameter(),
            ExprKind::Element(..) | ExprKind::Float(_) | ExprKind::Verbatim(_) => false,
            ExprKind::Call { value, .. } => value.is_some(),
            _ => true,
        };
    });
    shaped
}
