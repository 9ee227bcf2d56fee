//! Everyday programs as data.

/// Elements of each piece of memory that pointers point into.
pub(super) const POOL: i64 = 32768;
/// Elements of each global array.
pub(super) const GLOBAL: i64 = 512;
/// Where subscripts of a global array begin.
pub(super) const MARGIN: i64 = 16;

/// A complete C program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Everyday {
    /// The seed it was made of.
    pub seed: u64,
    /// Whether regions are marked with `#pragma scop`; else they are to be found.
    pub marked: bool,
    /// Macros and variables of the user's with names that generated code likes.
    pub names: Vec<UserName>,
    /// The functions.
    pub functions: Vec<Function>,
    /// What `main` calls, in this order.
    pub calls: Vec<Call>,
}

/// A name of the user's at file scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UserName {
    /// The name.
    pub name: &'static str,
    /// What it is.
    pub what: NameKind,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameKind {
    /// A macro with two arguments, the sum of both.
    Function,
    /// A macro for a number.
    Number,
    /// A variable.
    Variable,
}

/// A type of iterators and sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntType {
    /// `int`
    Int,
    /// `unsigned`
    Unsigned,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `long`
    Long,
    /// `size_t`
    Size,
}

/// A type of elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Element {
    /// `double`
    Double,
    /// `float`
    Float,
    /// `int`
    Int,
    /// `unsigned`
    Unsigned,
    /// `short`
    Short,
    /// `unsigned char`
    Byte,
    /// `long long`
    Long,
}

/// A function with loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its sizes, never negative.
    pub sizes: Vec<Size>,
    /// Whether it has a parameter `first` where some loops begin, which may be near the end of `int`.
    pub has_first: bool,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// The type of scalars.
    pub main: Element,
    /// The scalars.
    pub scalars: Vec<ScalarKind>,
    /// Whether loops end at elements of an array with the sizes in it, where those are of type `int`.
    pub has_ends: bool,
    /// Whether all nests are one region, where regions are marked.
    pub joined: bool,
    /// The loop nests.
    pub nests: Vec<Nest>,
}

/// A size parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: IntType,
}

/// An array of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its name.
    pub name: &'static str,
    /// The type of its elements.
    pub element: Element,
    /// How it is declared.
    pub form: Form,
}

/// How an array is declared and subscripted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `T *x`
    Pointer,
    /// `T *restrict x`
    Restrict,
    /// `T A[m][n]`: the positions of both sizes.
    Rows(usize, usize),
    /// `T *A` as `A[i * n + j]`: the position of the size between rows.
    Linear(usize),
    /// `T **A`
    PointerRows,
    /// An array at file scope.
    Global,
}

/// Where a scalar lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarKind {
    /// In the function.
    Local,
    /// At file scope.
    Global,
    /// At file scope, one for each thread.
    ThreadLocal,
}

/// A loop nest and the place where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nest {
    /// The place.
    pub place: Placement,
    /// A pragma before it.
    pub pragma: Option<&'static str>,
    /// The outermost loop.
    pub root: Loop,
}

/// The place where a nest stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// On lines of its own.
    Plain,
    /// The body of an `if` without braces.
    UnbracedIf,
    /// The `else` branch without braces.
    UnbracedElse,
    /// After a label that is jumped to.
    Label,
    /// Between other statements of one line.
    HalfLine,
    /// Written as a macro.
    Macro,
    /// With a macro for the head of the outermost loop.
    HeadMacro,
}

/// Something in a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A loop.
    Loop(Loop),
    /// A condition as C text, and what runs when it holds.
    If(Guard, Vec<Item>),
    /// A statement.
    Assign(Assign),
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Of iterators and sizes.
    Affine(String),
    /// Of unsigned values, with differences that may wrap.
    Wrapping(String),
    /// Of an array's element.
    Data(Access),
}

/// A loop over `low <= iterator < size - less`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The iterator's name.
    pub name: String,
    /// Its type.
    pub ty: IntType,
    /// How it is written.
    pub form: LoopForm,
    /// What it ends at.
    pub end: End,
    /// The first value.
    pub low: i64,
    /// What is missing to the end.
    pub less: i64,
    /// The step.
    pub step: i64,
    /// Whether it counts from `first` on.
    pub from_first: bool,
    /// What stands for the iterator in subscripts.
    pub counter: Option<Counter>,
    /// What runs in each iteration.
    pub body: Vec<Item>,
}

/// A variable that moves along with a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// How it moves.
    pub form: CounterForm,
    /// Whether the function declares it at its begin, instead of right before the loop.
    pub is_outer: bool,
    /// Whether the function reads it at its end, which it does of outer ones alone.
    pub is_read_later: bool,
}

/// How a variable moves along with a loop over `i`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CounterForm {
    /// `c += step` at the end of the body.
    Added,
    /// `c = i + 1` at the begin of the body.
    Named,
    /// `c = i` at the end of the body.
    Left,
    /// The iterator itself, in a `while` loop.
    While,
    /// `*c` is `x[i]`, by `c += step` at the end of the body; `x` is the first pointer.
    Pointer,
}

/// What a loop ends at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A size's position.
    Size(usize),
    /// A number.
    Number(i64),
    /// The iterator of a loop around, and the size that it ends at.
    Iterator(String, usize),
}

/// How a loop is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopForm {
    /// `i = low; i < end; i += step`
    Up,
    /// `i = low; i <= end - 1; i += step`; signed.
    UpInclusive,
    /// `i = 0; i != end; i++`
    UpUnequal,
    /// `i = end - 1; i >= low; i -= step`; signed.
    Down,
    /// `i = end; i-- > low;`
    DownTested,
    /// `i = end; i > low; i--`, where the body means `i - 1`.
    DownShifted,
}

/// An assignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assign {
    /// What is written.
    pub target: Access,
    /// `=`, `+=`.
    pub op: &'static str,
    /// What is added up.
    pub terms: Vec<Term>,
    /// The function of the file that does it, where it can.
    pub helper: Option<Helper>,
}

/// A function that sets or looks at elements through a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Helper {
    /// Sets one element, or adds to it.
    Put,
    /// Looks at one element, and returns a value.
    Seen,
    /// Adds to two elements in a loop.
    Run,
}

/// A term of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// An element or scalar, times one of a few small factors.
    Read(usize, Access),
    /// An iterator or a size, as it is.
    Index(String),
    /// A name of the user's, by position.
    Name(usize),
    /// A constant.
    One,
}

/// Something that holds a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// An element of an array.
    Element(usize, Vec<Subscript>),
    /// A scalar.
    Scalar(usize),
}

/// A subscript: factors of iterators, plus a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subscript {
    /// Iterators with their factors.
    pub terms: Vec<(i64, String)>,
    /// A size that is added: `n - 1 - i`.
    pub size: Option<usize>,
    /// The constant.
    pub constant: i64,
}

/// A call from `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function's position.
    pub function: usize,
    /// The values of its sizes.
    pub sizes: Vec<i64>,
    /// The value of `first`.
    pub first: i64,
    /// What its pointers point to, by arrays.
    pub arguments: Vec<Argument>,
    /// How these lie to each other.
    pub layout: Layout,
}

/// How the pointers of a call lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Apart.
    Distinct,
    /// Some are equal.
    Equal,
    /// Some ranges overlap in part.
    Shifted,
    /// Ranges lie next to each other.
    Adjacent,
    /// Null pointers, and loops that do not run.
    Null,
    /// Some point into an array that the function knows by name, or that other pointers share.
    Global,
}

/// What a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Nothing: the array is no parameter.
    None,
    /// A null pointer.
    Null,
    /// An element of the memory for a type.
    Pool(Element, i64),
    /// An element of the global array of a type.
    Global(Element, i64),
    /// A table of rows: the first element, how many rows there are, elements between them.
    Table(i64, i64, i64),
}

impl IntType {
    /// C's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Unsigned => "unsigned",
            Self::Short => "short",
            Self::UnsignedShort => "unsigned short",
            Self::SignedChar => "signed char",
            Self::UnsignedChar => "unsigned char",
            Self::Long => "long",
            Self::Size => "size_t",
        }
    }

    /// Whether it wraps.
    pub(super) fn is_unsigned(self) -> bool {
        matches!(self, Self::Unsigned | Self::UnsignedShort | Self::UnsignedChar | Self::Size)
    }

    /// Whether it is narrower than `int`.
    pub(super) fn is_narrow(self) -> bool {
        matches!(self, Self::Short | Self::UnsignedShort | Self::SignedChar | Self::UnsignedChar)
    }
}

impl Form {
    /// How many subscripts it takes.
    pub(super) fn rank(self) -> usize {
        match self {
            Self::Rows(..) | Self::Linear(_) | Self::PointerRows => 2,
            Self::Pointer | Self::Restrict | Self::Global => 1,
        }
    }
}

impl Element {
    /// C's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Float => "float",
            Self::Int => "int",
            Self::Unsigned => "unsigned",
            Self::Short => "short",
            Self::Byte => "unsigned char",
            Self::Long => "long long",
        }
    }

    /// A part of names of functions and variables.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Long => "long",
            other => other.name(),
        }
    }

    /// Whether it has fractions.
    pub(super) fn is_floating(self) -> bool {
        matches!(self, Self::Double | Self::Float)
    }
}

impl Array {
    /// Whether pointers may walk along it.
    pub(super) fn walks(self) -> bool {
        matches!(self.form, Form::Pointer | Form::Restrict)
    }
}

impl Function {
    /// Whether loops that end at a size ask an array for it.
    pub(super) fn ends_in_elements(&self, size: usize) -> bool {
        self.has_ends && self.sizes[size].ty == IntType::Int
    }

    /// Calls `f` on every loop, outer ones first.
    pub(super) fn each_loop(&self, f: &mut dyn FnMut(&Loop)) {
        fn walk(node: &Loop, f: &mut dyn FnMut(&Loop)) {
            f(node);
            items(&node.body, f);
        }
        fn items(all: &[Item], f: &mut dyn FnMut(&Loop)) {
            for item in all {
                match item {
                    Item::Loop(inner) => walk(inner, f),
                    Item::If(_, then) => items(then, f),
                    Item::Assign(_) => {}
                }
            }
        }
        self.nests.iter().for_each(|nest| walk(&nest.root, f));
    }

    /// Whether a pragma says that iterations of some loop may run in any order, or a pointer is alone.
    pub(super) fn promises(&self) -> bool {
        self.nests.iter().any(Nest::promises)
            || self.arrays.iter().any(|array| array.form == Form::Restrict)
    }

    /// Whether nothing runs when all sizes are zero.
    pub(super) fn is_empty_at_zero(&self) -> bool {
        self.nests.iter().all(|nest| matches!(nest.root.end, End::Size(_)))
    }
}

impl Nest {
    /// Whether its pragma says that iterations may run in any order.
    pub(super) fn promises(&self) -> bool {
        self.pragma.is_some_and(|pragma| pragma.starts_with("omp") || pragma == "GCC ivdep")
    }
}
