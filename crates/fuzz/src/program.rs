//! Random programs as data: what the generator builds, the shrinker edits and the printer writes.

use std::collections::BTreeMap;

/// A complete C program with regions between `#pragma scop` and `#pragma endscop`.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The seed it was made of.
    pub seed: u64,
    /// Integer arguments of the kernel, with the values that `main` passes.
    pub params: Vec<Param>,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// Scalars that live in the kernel.
    pub scalars: Vec<Scalar>,
    /// The regions, one after another.
    pub regions: Vec<Vec<Node>>,
}

/// An integer argument of the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// The value that `main` passes.
    pub value: i64,
}

/// An array; its extents follow from its subscripts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub ty: Type,
    /// Number of dimensions.
    pub rank: usize,
    /// How it reaches the kernel.
    pub storage: Storage,
    /// For each dimension the parameter, if any, that its extent is written with.
    pub extent_params: Vec<Option<usize>>,
    /// What it holds at first.
    pub fill: Fill,
}

/// What an array holds at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// All sorts of values of its type.
    Any,
    /// Small integers, whatever the type.
    Small,
    /// One and minus one.
    Signs,
    /// Numbers from zero to [`MAX_INDEX`], many of them several times.
    Indices,
}

/// The greatest number that an array of [`Fill::Indices`] holds.
pub const MAX_INDEX: i64 = 18;

/// How an array reaches the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// At file scope, with constant extents.
    Global,
    /// An argument, with extents of the parameters where the array says so.
    Argument,
    /// In the kernel, with constant extents; nothing reads it after the regions.
    Local,
}

/// A scalar of the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether its final value is printed; else it is a temporary.
    pub is_printed: bool,
}

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// `double`
    Double,
    /// `float`
    Float,
    /// `int`; expressions stay far from overflow.
    Int,
    /// `unsigned`; wraps.
    Unsigned,
    /// `long`; expressions stay far from overflow. This and the types after it are those of programs of reductions only.
    Long,
    /// `short`; what it does not hold wraps.
    Short,
    /// `unsigned char`; wraps.
    Byte,
    /// `_Bool`, which programs of narrow types have, too.
    Truth,
    /// `_Float16`, which these alone have.
    Half,
    /// `__bf16`, which some of these have in its place.
    Bf16,
}

/// A piece of a region.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// A loop.
    Loop(Loop),
    /// An affine guard.
    If {
        /// When it holds.
        condition: Condition,
        /// What then runs.
        then: Vec<Node>,
        /// What else runs.
        otherwise: Vec<Node>,
    },
    /// A statement.
    Stmt(Stmt),
}

/// A loop over `max(lower) <= iterator < min(upper)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Loop {
    /// Identifies the iterator; names are reused, numbers are not.
    pub id: usize,
    /// The iterator's name.
    pub name: String,
    /// Not empty.
    pub lower: Vec<Linear>,
    /// Not empty; exclusive.
    pub upper: Vec<Linear>,
    /// At least one.
    pub step: i64,
    /// Whether it counts down, from the last value.
    pub down: bool,
    /// How it is written.
    pub style: LoopStyle,
    /// What runs in each iteration.
    pub body: Vec<Node>,
}

/// How a loop is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopStyle {
    /// `for (int i = ..`, else the iterator is declared before the region.
    pub declares: bool,
    /// How the iterator is compared with its last value.
    pub comparison: Comparison,
    /// How several upper (or, counting down, lower) bounds are joined.
    pub join: Join,
}

/// How an iterator is compared with its last value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<`, or `>=` counting down.
    Usual,
    /// `<=`, or `>` counting down.
    Other,
    /// `!=`; only where the first value cannot lie beyond the last and steps are one.
    Unequal,
}

/// How several bounds are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Join {
    /// With the macros `min` and `max`.
    Macro,
    /// With a conditional expression.
    Ternary,
    /// As several comparisons with `&&`.
    Conjunction,
}

/// An integer variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Variable {
    /// The iterator of the loop with this id.
    Iterator(usize),
    /// The parameter at this position.
    Param(usize),
}

/// `constant + Σ factor · variable`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linear {
    /// The variables with their factors.
    pub terms: Vec<(i64, Variable)>,
    /// The constant.
    pub constant: i64,
}

/// A quasi-affine expression: a linear one, its quotient or its remainder as C computes them, plus a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quasi {
    /// The linear part.
    pub linear: Linear,
    /// What is done to it.
    pub op: QuasiOp,
    /// What is added then.
    pub plus: i64,
}

/// What is done to the linear part of a quasi-affine expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuasiOp {
    /// Nothing.
    None,
    /// `/ k`
    Div(i64),
    /// `% k`
    Mod(i64),
}

/// An affine condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// `left comparison right`.
    Compare(Quasi, &'static str, Linear),
    /// All hold.
    And(Vec<Condition>),
    /// One holds.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// `target op value;`
    Assign {
        /// What is written.
        target: Place,
        /// `=`, `+=`, …
        op: &'static str,
        /// The right-hand side.
        value: Expr,
    },
    /// `type name = value;`
    Local {
        /// The variable's number; its name is made of it.
        id: usize,
        /// Its type.
        ty: Type,
        /// Its initial value.
        value: Expr,
    },
    /// A condition on data.
    If {
        /// The condition.
        condition: Expr,
        /// When it holds.
        then: Vec<Stmt>,
        /// When it does not.
        otherwise: Vec<Stmt>,
    },
}

/// Something that holds a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// An element of the array at this position.
    Element(usize, Vec<Quasi>),
    /// An element that data chooses.
    Chosen(Box<Chosen>),
    /// The scalar at this position.
    Scalar(usize),
    /// The local variable with this number.
    Local(usize),
}

/// An element that data chooses: `a[idx[i] & 7]`, `A[g[i] & 3][j]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// An element of the array, whose subscript in `dim` is added to what chooses.
    pub element: Place,
    /// The dimension that data chooses in.
    pub dim: usize,
    /// What chooses: an element of an array of [`Fill::Indices`].
    pub index: Place,
    /// What keeps the subscript small.
    pub cut: Cut,
}

/// What keeps a subscript small that data chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Nothing: the data is small.
    None,
    /// `& mask`
    And(i64),
    /// `% k`
    Mod(i64),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A constant as C writes it.
    Literal(String),
    /// A value.
    Read(Place),
    /// An integer expression of iterators and parameters.
    Index(Linear),
    /// A binary operation.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// A prefix: `-`, a cast.
    Prefix(&'static str, Box<Expr>),
    /// A call.
    Call(&'static str, Vec<Expr>),
    /// `condition ? then : otherwise`
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// The least and the greatest value that something may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

/// The ranges of the iterators around a place, and of the parameters.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// By the loops' ids.
    pub iterators: BTreeMap<usize, Range>,
    /// By position.
    pub params: Vec<i64>,
}

impl Type {
    /// C's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Float => "float",
            Self::Int => "int",
            Self::Unsigned => "unsigned",
            Self::Long => "long",
            Self::Short => "short",
            Self::Byte => "unsigned char",
            Self::Truth => "_Bool",
            Self::Half => "_Float16",
            Self::Bf16 => "__bf16",
        }
    }

    /// Its name as a part of another.
    pub fn word(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Truth => "truth",
            Self::Half => "half",
            Self::Bf16 => "bf16",
            _ => self.name(),
        }
    }

    /// Whether sums and products that it does not hold are defined.
    pub fn wraps(self) -> bool {
        matches!(self, Self::Unsigned | Self::Short | Self::Byte)
    }

    /// Whether it has fractions.
    pub fn is_floating(self) -> bool {
        matches!(self, Self::Double | Self::Float | Self::Half | Self::Bf16)
    }
}

impl Chosen {
    /// The values that the chosen subscript may have; none where it may be negative, or what chooses is no such data.
    pub fn range(&self, arrays: &[Array], ranges: &Ranges) -> Option<Range> {
        let Place::Element(_, subscripts) = &self.element else { return None };
        let Place::Element(index, _) = &self.index else { return None };
        let is_index = arrays.get(*index)?.fill == Fill::Indices;
        let more = subscripts.get(self.dim)?.range(ranges)?;
        let high = match self.cut {
            Cut::And(mask) => Some(mask),
            _ if more.low < 0 => None,
            Cut::Mod(k) => Some(k - 1),
            Cut::None => Some(more.high + MAX_INDEX),
        };
        high.filter(|_| is_index).map(|high| Range { low: 0, high })
    }
}

impl Linear {
    /// A number.
    pub fn int(constant: i64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    /// A variable plus a number.
    pub fn variable(variable: Variable, constant: i64) -> Self {
        Self { terms: vec![(1, variable)], constant }
    }

    /// The values it may have; none when it mentions an iterator that is not in scope.
    pub fn range(&self, ranges: &Ranges) -> Option<Range> {
        let mut all = Range { low: self.constant, high: self.constant };
        for (factor, variable) in &self.terms {
            let one = match variable {
                Variable::Iterator(id) => *ranges.iterators.get(id)?,
                Variable::Param(at) => {
                    let value = *ranges.params.get(*at)?;
                    Range { low: value, high: value }
                }
            };
            let (a, b) = (factor * one.low, factor * one.high);
            all = Range { low: all.low + a.min(b), high: all.high + a.max(b) };
        }
        Some(all)
    }

    /// The same with an iterator replaced by a number.
    pub fn substitute(&mut self, id: usize, value: i64) {
        let terms = std::mem::take(&mut self.terms);
        for (factor, variable) in terms {
            if variable == Variable::Iterator(id) {
                self.constant += factor * value;
            } else {
                self.terms.push((factor, variable));
            }
        }
    }
}

impl Quasi {
    /// A linear expression as it stands.
    pub fn linear(linear: Linear) -> Self {
        Self { linear, op: QuasiOp::None, plus: 0 }
    }

    /// The values it may have.
    pub fn range(&self, ranges: &Ranges) -> Option<Range> {
        let inner = self.linear.range(ranges)?;
        let range = match self.op {
            QuasiOp::None => inner,
            QuasiOp::Div(k) => Range { low: inner.low / k, high: inner.high / k },
            QuasiOp::Mod(k) => Range {
                low: if inner.low < 0 { -(k - 1) } else { 0 },
                high: if inner.high < 0 { 0 } else { inner.high.min(k - 1) },
            },
        };
        Some(Range { low: range.low + self.plus, high: range.high + self.plus })
    }
}

impl Loop {
    /// The values that the iterator may have inside; one value when the loop cannot run.
    pub fn range(&self, ranges: &Ranges) -> Option<Range> {
        let lows: Vec<i64> =
            self.lower.iter().map(|l| Some(l.range(ranges)?.low)).collect::<Option<_>>()?;
        let highs: Vec<i64> =
            self.upper.iter().map(|u| Some(u.range(ranges)?.high - 1)).collect::<Option<_>>()?;
        let (low, high) = (*lows.iter().max()?, *highs.iter().min()?);
        if self.style.comparison == Comparison::Unequal && !self.ends_exactly(ranges)? {
            return None;
        }
        Some(Range { low, high: high.max(low) })
    }
}

impl Loop {
    /// Whether `!=` ends the loop.
    pub fn ends_exactly(&self, ranges: &Ranges) -> Option<bool> {
        let [lower] = self.lower.as_slice() else { return Some(false) };
        let [upper] = self.upper.as_slice() else { return Some(false) };
        Some(self.step == 1 && lower.range(ranges)?.high <= upper.range(ranges)?.low)
    }
}

impl Program {
    /// The parameters' values, no iterator in scope.
    pub fn ranges(&self) -> Ranges {
        Ranges { iterators: BTreeMap::new(), params: self.params.iter().map(|p| p.value).collect() }
    }

    /// Whether numbers are small integers whatever their type, so that sums are the same in any order.
    pub fn is_exact(&self) -> bool {
        self.arrays.iter().all(|array| array.fill != Fill::Any)
    }

    /// The least extents that hold every subscript of each array; `None` when a subscript may be negative, or a variable
    /// is used outside its scope, so that the program has no meaning.
    pub fn extents(&self) -> Option<Vec<Vec<i64>>> {
        let mut extents: Vec<Vec<i64>> =
            self.arrays.iter().map(|array| vec![1; array.rank]).collect();
        let ranges = self.ranges();
        for region in &self.regions {
            let mut scope =
                Scope { arrays: &self.arrays, ranges: ranges.clone(), locals: Vec::new() };
            node_extents(region, &mut scope, &mut extents)?;
        }
        Some(extents)
    }
}

/// What is in scope at a place.
struct Scope<'a> {
    arrays: &'a [Array],
    ranges: Ranges,
    /// The local variables.
    locals: Vec<usize>,
}

/// Takes the subscripts of `nodes` into account.
fn node_extents(nodes: &[Node], scope: &mut Scope<'_>, extents: &mut [Vec<i64>]) -> Option<()> {
    let outer = scope.locals.len();
    for node in nodes {
        match node {
            Node::Loop(node) => {
                let range = node.range(&scope.ranges)?;
                scope.ranges.iterators.insert(node.id, range);
                node_extents(&node.body, scope, extents)?;
                scope.ranges.iterators.remove(&node.id);
            }
            Node::If { condition, then, otherwise } => {
                check_condition(condition, &scope.ranges)?;
                node_extents(then, scope, extents)?;
                node_extents(otherwise, scope, extents)?;
            }
            Node::Stmt(stmt) => stmt_extents(stmt, scope, extents)?,
        }
    }
    scope.locals.truncate(outer);
    Some(())
}

/// The variables of a condition are in scope.
fn check_condition(condition: &Condition, ranges: &Ranges) -> Option<()> {
    match condition {
        Condition::Compare(left, _, right) => {
            left.range(ranges)?;
            right.range(ranges).map(|_| ())
        }
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().try_for_each(|part| check_condition(part, ranges))
        }
        Condition::Not(part) => check_condition(part, ranges),
    }
}

/// Takes the subscripts of a statement into account.
fn stmt_extents(stmt: &Stmt, scope: &mut Scope<'_>, extents: &mut [Vec<i64>]) -> Option<()> {
    match stmt {
        Stmt::Assign { target, value, .. } => {
            place_extents(target, scope, extents)?;
            expr_extents(value, scope, extents)
        }
        Stmt::Local { id, value, .. } => {
            expr_extents(value, scope, extents)?;
            scope.locals.push(*id);
            Some(())
        }
        Stmt::If { condition, then, otherwise } => {
            expr_extents(condition, scope, extents)?;
            for branch in [then, otherwise] {
                let outer = scope.locals.len();
                branch.iter().try_for_each(|s| stmt_extents(s, scope, extents))?;
                scope.locals.truncate(outer);
            }
            Some(())
        }
    }
}

/// Takes the subscripts of an expression into account.
fn expr_extents(expr: &Expr, scope: &Scope<'_>, extents: &mut [Vec<i64>]) -> Option<()> {
    match expr {
        Expr::Literal(_) => Some(()),
        Expr::Read(place) => place_extents(place, scope, extents),
        Expr::Index(linear) => linear.range(&scope.ranges).map(|_| ()),
        Expr::Prefix(_, a) => expr_extents(a, scope, extents),
        Expr::Binary(_, a, b) => {
            expr_extents(a, scope, extents)?;
            expr_extents(b, scope, extents)
        }
        Expr::Call(_, arguments) => {
            arguments.iter().try_for_each(|a| expr_extents(a, scope, extents))
        }
        Expr::Ternary(a, b, c) => {
            [a, b, c].into_iter().try_for_each(|e| expr_extents(e, scope, extents))
        }
    }
}

/// Takes the subscripts of an element into account.
fn place_extents(place: &Place, scope: &Scope<'_>, extents: &mut [Vec<i64>]) -> Option<()> {
    match place {
        Place::Scalar(_) => Some(()),
        Place::Local(id) => scope.locals.contains(id).then_some(()),
        Place::Element(array, subscripts) => {
            let ranges =
                subscripts.iter().map(|s| s.range(&scope.ranges)).collect::<Option<_>>()?;
            widen(&mut extents[*array], ranges)
        }
        Place::Chosen(chosen) => {
            let Place::Element(array, subscripts) = &chosen.element else { return None };
            let range = |(at, subscript): (usize, &Quasi)| match at == chosen.dim {
                true => chosen.range(scope.arrays, &scope.ranges),
                false => subscript.range(&scope.ranges),
            };
            let ranges = subscripts.iter().enumerate().map(range).collect::<Option<_>>()?;
            widen(&mut extents[*array], ranges)?;
            place_extents(&chosen.index, scope, extents)
        }
    }
}

/// Makes extents hold subscripts; none where one may be negative.
fn widen(extents: &mut [i64], ranges: Vec<Range>) -> Option<()> {
    for (extent, range) in extents.iter_mut().zip(ranges) {
        if range.low < 0 {
            return None;
        }
        *extent = (*extent).max(range.high + 1);
    }
    Some(())
}
