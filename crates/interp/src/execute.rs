//! Executing the bodies of instances.

use crate::affine::{Function, at_params};
use crate::math::call;
use crate::memory::{Cell, element_text};
use crate::order::undefined;
use crate::value::{INT, NumberType, Value, binary, binary_type, unary};
use crate::{Error, Instance, Memory, Order, Params, Result, Role};
use farkas_base::{IdVec, nearest_bf16, nearest_half};
use farkas_poly::{Map, PwAff};
use farkas_scop::{
    Access, AccessId, ArrayId, ArrayScope, AssignOp, BinaryOp, BodyStmt, ElementType, Expr,
    InnerLoop, Scop, Statement, StmtId,
};
use std::cell::RefCell;

/// The contents of all arrays after the instances of `order`, starting from data that depend on nothing but the arrays'
/// names.
///
/// Bodies are computed with C's types and conversions; signed integers wrap on overflow. Each access touches the
/// element that its relation names; where an access also has as many subscripts as the array has dimensions, they must
/// name the same element.
///
/// # Errors
/// An access out of known bounds, integer division by zero, subscripts that contradict the access relation, or a
/// construct that is not executed here (`long double`, structs, unknown functions).
///
/// # Example
/// ```
/// use farkas_interp::{Interleaving, Params, execute, original_order, tree_order};
/// # fn check(scop: &farkas_scop::Scop, tree: &farkas_tree::ScheduleTree) -> farkas_interp::Result<()> {
/// let params = Params::all(scop, 7);
/// let expected = execute(scop, &params, &original_order(scop, &params)?)?;
/// let order = tree_order(scop, tree, &params, Interleaving::Parallel(1))?;
/// assert_eq!(expected.first_mismatch(&execute(scop, &params, &order)?, true), None);
/// # Ok(())
/// # }
/// ```
pub fn execute(scop: &Scop, params: &Params, order: &Order) -> Result<Memory> {
    let mut executor = Executor::of(scop, params)?;
    for instance in &order.instances {
        executor.run(instance, &|array| order.copies.of(instance, array), None)?;
    }
    Ok(executor.memory)
}

/// An element that an instance touched, in the order in which it did.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub(crate) cell: Cell,
    pub(crate) is_write: bool,
}

/// What executes instances, one after another.
pub(crate) struct Executor<'a> {
    plans: IdVec<StmtId, Plan<'a>>,
    pub(crate) memory: Memory,
}

impl<'a> Executor<'a> {
    /// Nothing has run yet.
    pub(crate) fn of(scop: &'a Scop, params: &Params) -> Result<Self> {
        let plan = |stmt: &'a Statement| Plan::new(scop, stmt, params);
        let plans = scop.stmts().iter().map(plan).collect::<Result<_>>()?;
        Ok(Self { plans, memory: Memory::new(scop, params)? })
    }

    /// Executes an instance, which uses these copies of arrays; what it touches is added to `touched`, where somebody asks.
    pub(crate) fn run(
        &mut self,
        instance: &Instance,
        copies: &dyn Fn(ArrayId) -> Option<usize>,
        touched: Option<&RefCell<Vec<Touch>>>,
    ) -> Result<()> {
        let plan = self.plans.get(instance.stmt);
        let plan = plan.ok_or_else(|| Error::NoStatement(instance.name.to_string()))?;
        let (memory, locals) = (&mut self.memory, Vec::new());
        let mut run = Run { plan, memory, instance, copies, touched, locals };
        match instance.role {
            Role::Clear => run.clear(),
            Role::Instance | Role::Ghost => run.block(&plan.stmt.body).map(|_| ()),
        }
    }
}

/// What is known of a statement before any instance runs.
struct Plan<'a> {
    stmt: &'a Statement,
    accesses: IdVec<AccessId, Element<'a>>,
    iterators: Vec<(Function, NumberType)>,
    params: Vec<(String, Option<Value>)>,
}

/// How an access finds its element.
struct Element<'a> {
    access: &'a Access,
    array: ArrayId,
    name: &'a str,
    rank: usize,
    is_buffer: bool,
    /// The element as a function of the instance, when the relation names one element an instance.
    relation: Option<Vec<Function>>,
}

impl<'a> Plan<'a> {
    /// The plan of a statement.
    fn new(scop: &'a Scop, stmt: &'a Statement, params: &Params) -> Result<Self> {
        let domain = at_params(&stmt.domain, params)?;
        let element = |access: &'a Access| -> Result<Element<'a>> {
            let array = &scop.arrays()[access.array];
            let relation = access.relation.intersect_domain(&domain)?;
            Ok(Element {
                access,
                array: access.array,
                name: &array.name,
                rank: array.rank(),
                is_buffer: array.scope == ArrayScope::Buffer,
                relation: if relation.is_single_valued()? {
                    Some(components(&relation, params)?)
                } else {
                    None
                },
            })
        };
        let iterator = |iterator: &farkas_scop::Iterator| -> Result<(Function, NumberType)> {
            let ty = NumberType::parse_int(&iterator.ty).unwrap_or(INT);
            Ok((Function::new(&iterator.value, params)?, ty))
        };
        let param = |param: &farkas_scop::Parameter| -> Result<(String, Option<Value>)> {
            let ty = NumberType::parse_int(&param.ty);
            let value = i128::from(params.value(&param.name)?);
            Ok((param.ty.clone(), ty.map(|ty| Value::integer(value, ty))))
        };
        Ok(Self {
            stmt,
            accesses: stmt.accesses.iter().map(element).collect::<Result<_>>()?,
            iterators: stmt.iterators.iter().map(iterator).collect::<Result<_>>()?,
            params: scop.params().iter().map(param).collect::<Result<_>>()?,
        })
    }
}

/// The components of a single-valued relation.
fn components(relation: &Map, params: &Params) -> Result<Vec<Function>> {
    let function = relation.to_pw_multi_aff()?;
    let n = relation.dim(farkas_poly::DimType::Out)?;
    let component =
        |at: u32| -> Result<PwAff> { Ok(function.at(i32::try_from(at).unwrap_or(i32::MAX))?) };
    (0..n).map(|at| Function::new(&component(at)?, params)).collect()
}

/// Iterations after which a loop within an instance is given up.
const MAX_ITERATIONS: usize = 1_000_000;

/// Where execution goes on after a statement.
#[derive(Clone, Copy)]
enum Flow {
    /// With the next statement.
    On,
    /// Behind the innermost loop.
    Break,
    /// With the next iteration of the innermost loop.
    Continue,
}

/// A local variable.
struct Local {
    name: String,
    ty: NumberType,
    value: Option<Value>,
}

/// One instance being executed.
struct Run<'a> {
    plan: &'a Plan<'a>,
    memory: &'a mut Memory,
    instance: &'a Instance,
    /// The copies of arrays that it uses.
    copies: &'a dyn Fn(ArrayId) -> Option<usize>,
    /// What it touches.
    touched: Option<&'a RefCell<Vec<Touch>>>,
    /// The variables in scope, innermost last.
    locals: Vec<Local>,
}

impl Run<'_> {
    /// Sets to zero what the instance would write.
    fn clear(&mut self) -> Result<()> {
        let [BodyStmt::Assign { target, .. }] = self.plan.stmt.body.as_slice() else {
            return Err(self.unsupported("zeros for more than one assignment"));
        };
        let at = self.element(*target)?;
        let cell = self.cell(*target, at);
        self.write(cell, Value::int(0))
    }

    /// The statements of a block; its variables end with it.
    fn block(&mut self, stmts: &[BodyStmt]) -> Result<Flow> {
        let outer = self.locals.len();
        let mut flow = Ok(Flow::On);
        for stmt in stmts {
            flow = self.statement(stmt);
            if !matches!(flow, Ok(Flow::On)) {
                break;
            }
        }
        self.locals.truncate(outer);
        flow
    }

    /// One statement, and what it says of the loop around it.
    fn statement(&mut self, stmt: &BodyStmt) -> Result<Flow> {
        match stmt {
            BodyStmt::If { condition, then, otherwise } => {
                let branch = if self.value(condition)?.is_true() { then } else { otherwise };
                self.block(branch)
            }
            BodyStmt::Block(stmts) => self.block(stmts),
            BodyStmt::Loop(inner) => {
                let outer = self.locals.len();
                let result = self.inner_loop(inner);
                self.locals.truncate(outer);
                result.map(|()| Flow::On)
            }
            BodyStmt::Break => Ok(Flow::Break),
            BodyStmt::Continue => Ok(Flow::Continue),
            _ => self.simple(stmt).map(|()| Flow::On),
        }
    }

    /// A loop within the instance.
    fn inner_loop(&mut self, inner: &InnerLoop) -> Result<()> {
        // In the scope of the loop: its caller forgets what is declared.
        for stmt in &inner.first {
            self.simple(stmt)?;
        }
        for iteration in 0.. {
            if iteration == MAX_ITERATIONS {
                return Err(self.unsupported("a loop that goes on and on"));
            }
            let asked = iteration > 0 || !inner.asks_last;
            if let Some(condition) = inner.condition.as_ref().filter(|_| asked)
                && !self.value(condition)?.is_true()
            {
                break;
            }
            if let Flow::Break = self.block(&inner.body)? {
                break;
            }
            for stmt in &inner.step {
                self.simple(stmt)?;
            }
        }
        Ok(())
    }

    /// One statement without others in it.
    fn simple(&mut self, stmt: &BodyStmt) -> Result<()> {
        match stmt {
            BodyStmt::Assign { target, op, read, value } => {
                let value = match op {
                    AssignOp::Set => self.value(value)?,
                    AssignOp::Compound(op) => {
                        let old = self.access(read.unwrap_or(*target))?;
                        let right = self.value(value)?;
                        self.arithmetic(binary(*op, old, right))?
                    }
                };
                let at = self.element(*target)?;
                let cell = self.cell(*target, at);
                self.write(cell, value)
            }
            BodyStmt::Local { name, ty, value } => {
                let ty = self.number_type(ty)?;
                let value = match value {
                    Some(value) => Some(self.value(value)?.convert(ty)),
                    None => None,
                };
                self.locals.push(Local { name: name.clone(), ty, value });
                Ok(())
            }
            BodyStmt::AssignLocal { name, op, value } => {
                let value = match op {
                    AssignOp::Set => self.value(value)?,
                    AssignOp::Compound(op) => {
                        let old = self.local(name)?;
                        let right = self.value(value)?;
                        self.arithmetic(binary(*op, old, right))?
                    }
                };
                let at = self.find_local(name)?;
                let local = &mut self.locals[at];
                local.value = Some(value.convert(local.ty));
                Ok(())
            }
            BodyStmt::Text(_) => Err(self.unsupported("a body that is text")),
            BodyStmt::If { .. }
            | BodyStmt::Block(_)
            | BodyStmt::Loop(_)
            | BodyStmt::Break
            | BodyStmt::Continue => Err(self.unsupported("a statement with others in it")),
        }
    }

    /// The value of an expression.
    fn value(&self, expr: &Expr) -> Result<Value> {
        match expr {
            Expr::Int { value, text } => {
                Ok(Value::integer((*value).into(), int_type(*value, text)))
            }
            Expr::Float(text) => float(text).ok_or_else(|| self.unsupported(text)),
            Expr::Iterator(position) => {
                let (function, ty) = &self.plan.iterators[*position as usize];
                let value = function.value(&self.instance.at)?;
                let value = value.ok_or_else(|| undefined("an iterator", self.instance))?;
                Ok(Value::integer(value.into(), *ty))
            }
            Expr::Param(param) => {
                let (ty, value) = &self.plan.params[farkas_base::Id::index(*param)];
                value.ok_or_else(|| self.unsupported(&format!("a parameter of type {ty}")))
            }
            Expr::Access(access) => self.access(*access),
            Expr::Local(name) => self.local(name),
            Expr::Unary(op, operand) => self.arithmetic(unary(*op, self.value(operand)?)),
            Expr::Binary(BinaryOp::And, left, right) => {
                let both = self.value(left)?.is_true() && self.value(right)?.is_true();
                Ok(Value::int(both.into()))
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                let either = self.value(left)?.is_true() || self.value(right)?.is_true();
                Ok(Value::int(either.into()))
            }
            Expr::Binary(op, left, right) => {
                self.arithmetic(binary(*op, self.value(left)?, self.value(right)?))
            }
            Expr::Ternary(condition, then, otherwise) => {
                let ty = self.type_of(expr)?;
                let chosen = if self.value(condition)?.is_true() { then } else { otherwise };
                Ok(self.value(chosen)?.convert(ty))
            }
            Expr::Cast(ty, operand) => {
                let ty = self.number_type(ty)?;
                Ok(self.value(operand)?.convert(ty))
            }
            Expr::Call(name, arguments) => {
                let values: Vec<Value> =
                    arguments.iter().map(|a| self.value(a)).collect::<Result<_>>()?;
                call(name, &values).ok_or_else(|| self.unsupported(&format!("a call of {name}")))
            }
            Expr::Verbatim(text) => verbatim(text).ok_or_else(|| self.unsupported(text)),
        }
    }

    /// The type of an expression, which its value has.
    fn type_of(&self, expr: &Expr) -> Result<NumberType> {
        match expr {
            Expr::Access(access) => {
                self.memory.element_type(self.plan.accesses[*access].array, self.instance)
            }
            Expr::Local(name) => Ok(self.locals[self.find_local(name)?].ty),
            Expr::Unary(farkas_scop::UnaryOp::Not, _) => Ok(INT),
            Expr::Unary(_, operand) => Ok(self.type_of(operand)?.promoted()),
            Expr::Binary(op, left, right) => {
                Ok(binary_type(*op, self.type_of(left)?, self.type_of(right)?))
            }
            Expr::Ternary(_, then, otherwise) => {
                Ok(self.type_of(then)?.common(self.type_of(otherwise)?))
            }
            Expr::Cast(ty, _) => self.number_type(ty),
            Expr::Call(name, arguments) => {
                let zeros: Vec<Value> = arguments
                    .iter()
                    .map(|a| Ok(Value::integer(0, self.type_of(a)?)))
                    .collect::<Result<_>>()?;
                let result = call(name, &zeros);
                Ok(result.ok_or_else(|| self.unsupported(&format!("a call of {name}")))?.ty())
            }
            Expr::Int { .. }
            | Expr::Float(_)
            | Expr::Iterator(_)
            | Expr::Param(_)
            | Expr::Verbatim(_) => Ok(self.value(expr)?.ty()),
        }
    }

    /// The value that an access reads.
    fn access(&self, access: AccessId) -> Result<Value> {
        let at = self.element(access)?;
        let cell = self.cell(access, at);
        let value = self.memory.read(&cell, self.instance)?;
        self.touch(cell, false);
        Ok(value)
    }

    /// Sets an element.
    fn write(&mut self, cell: Cell, value: Value) -> Result<()> {
        self.memory.write(cell.clone(), value, self.instance)?;
        self.touch(cell, true);
        Ok(())
    }

    /// Notes that an element is touched.
    fn touch(&self, cell: Cell, is_write: bool) {
        if let Some(touched) = self.touched {
            touched.borrow_mut().push(Touch { cell, is_write });
        }
    }

    /// The memory that holds an element for this instance.
    fn cell(&self, access: AccessId, at: Vec<i64>) -> Cell {
        let array = self.plan.accesses[access].array;
        Cell { array, copy: (self.copies)(array), at }
    }

    /// The element that an access touches.
    fn element(&self, access: AccessId) -> Result<Vec<i64>> {
        let element = &self.plan.accesses[access];
        let written = if element.access.subscripts.len() == element.rank {
            Some(self.subscripts(element)?)
        } else {
            None
        };
        if self.instance.role != Role::Instance {
            // Relations say nothing beyond domains.
            return written.filter(|_| element.is_buffer).ok_or_else(|| Error::Ghost {
                array: element.name.to_owned(),
                instance: self.instance.clone(),
            });
        }
        let related = match &element.relation {
            Some(functions) => Some(self.related(functions)?),
            None => None,
        };
        match (written, related) {
            (Some(written), Some(related)) if written != related => Err(Error::Subscripts {
                written: element_text(element.name, &written),
                related: element_text(element.name, &related),
                instance: self.instance.clone(),
            }),
            (_, Some(related)) => Ok(related),
            (Some(written), None) => self.check_related(element, written),
            (None, None) => Err(self.unsupported(&format!("the access to {}", element.name))),
        }
    }

    /// The values of the subscripts.
    fn subscripts(&self, element: &Element<'_>) -> Result<Vec<i64>> {
        let value = |subscript: &Expr| -> Result<i64> {
            self.value(subscript)?.to_i64().ok_or_else(|| undefined("a subscript", self.instance))
        };
        element.access.subscripts.iter().map(value).collect()
    }

    /// The element that single-valued relation names.
    fn related(&self, functions: &[Function]) -> Result<Vec<i64>> {
        let value = |function: &Function| -> Result<i64> {
            let value = function.value(&self.instance.at)?;
            value.ok_or_else(|| undefined("an access relation", self.instance))
        };
        functions.iter().map(value).collect()
    }

    /// The element `written`, which must be one of those that the relation names.
    fn check_related(&self, element: &Element<'_>, written: Vec<i64>) -> Result<Vec<i64>> {
        let mut pair = element.access.relation.wrap()?;
        for (at, &x) in (0..).zip(self.instance.at.iter().chain(&written)) {
            let value = farkas_poly::Val::int(x)?;
            pair = pair.fix_val(farkas_poly::DimType::SET, at, &value)?;
        }
        if !pair.is_empty()? {
            return Ok(written);
        }
        Err(Error::Subscripts {
            written: element_text(element.name, &written),
            related: "others".into(),
            instance: self.instance.clone(),
        })
    }

    /// The value of a local variable.
    fn local(&self, name: &str) -> Result<Value> {
        self.locals[self.find_local(name)?].value.ok_or_else(|| self.uninitialised(name))
    }

    /// The position of the innermost local variable called `name`.
    fn find_local(&self, name: &str) -> Result<usize> {
        let found = self.locals.iter().rposition(|local| local.name == name);
        found.ok_or_else(|| self.uninitialised(name))
    }

    /// The number type that `ty` is.
    fn number_type(&self, ty: &ElementType) -> Result<NumberType> {
        NumberType::of_elements(ty)
            .ok_or_else(|| self.unsupported(&format!("the type {}", ty.text)))
    }

    /// The value, or the error that C leaves it undefined here.
    fn arithmetic(&self, value: std::result::Result<Value, &'static str>) -> Result<Value> {
        value.map_err(|what| Error::Arithmetic { what, instance: self.instance.clone() })
    }

    /// The error that `what` is not executed here.
    fn unsupported(&self, what: &str) -> Error {
        Error::Unsupported { what: what.to_owned(), instance: self.instance.clone() }
    }

    /// The error that a variable has no value.
    fn uninitialised(&self, name: &str) -> Error {
        Error::Uninitialised { name: name.to_owned(), instance: self.instance.clone() }
    }
}

/// The type of an integer literal.
fn int_type(value: i64, text: &str) -> NumberType {
    let suffix = if text.starts_with('\'') { "" } else { text.trim_start_matches(is_digit) };
    let suffix = suffix.to_ascii_lowercase();
    let unsigned = suffix.contains('u');
    let is_decimal = !text.starts_with('0');
    let fits = |bits: u32| i128::from(value) < 1i128 << bits;
    let bits = match (unsigned, is_decimal) {
        _ if suffix.contains('l') => 64,
        (true, _) | (_, false) if fits(32) => 32,
        _ if fits(31) => 32,
        _ => 64,
    };
    let is_signed = !unsigned && (is_decimal || fits(u32::from(bits) - 1));
    NumberType::Int { bits, is_signed }
}

/// Whether the character belongs to the digits of an integer literal in any base.
fn is_digit(c: char) -> bool {
    c.is_ascii_hexdigit() || matches!(c, 'x' | 'X')
}

/// The value of a floating-point literal; none for `long double`.
fn float(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        let (mantissa, exponent) = hex.split_once('p')?;
        if let Some(exponent) = exponent.strip_suffix("bf16") {
            let value = hex_float(mantissa, exponent.parse().ok()?)?;
            return Some(Value::Bf16(nearest_bf16(value)));
        }
        if let Some(exponent) = exponent.strip_suffix("f16") {
            let value = hex_float(mantissa, exponent.parse().ok()?)?;
            return Some(Value::Half(nearest_half(value)));
        }
        let is_float = exponent.ends_with('f');
        let value = hex_float(mantissa, exponent.trim_end_matches('f').parse().ok()?)?;
        return Some(if is_float { Value::Float(value as f32) } else { Value::Double(value) });
    }
    if let Some(digits) = lower.strip_suffix("bf16") {
        return digits.parse().ok().map(|value| Value::Bf16(nearest_bf16(value)));
    }
    if let Some(digits) = lower.strip_suffix("f16") {
        return digits.parse().ok().map(|value| Value::Half(nearest_half(value)));
    }
    match lower.strip_suffix('f') {
        Some(digits) => digits.parse().ok().map(Value::Float),
        None => lower.parse().ok().map(Value::Double),
    }
}

/// The value of a hexadecimal mantissa times a power of two.
fn hex_float(mantissa: &str, exponent: i32) -> Option<f64> {
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    Some(value * 2f64.powi(exponent - 4 * i32::try_from(fraction.len()).ok()?))
}

/// The value of a constant expression that is a plain number.
fn verbatim(text: &str) -> Option<Value> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    match text.parse::<i64>() {
        Ok(value) => Some(Value::integer(value.into(), int_type(value, text))),
        Err(_) => float(text),
    }
}
