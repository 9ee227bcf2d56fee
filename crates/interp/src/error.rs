//! What can stop an execution.

use crate::Instance;

/// Why a program cannot be executed here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// A parameter of the scop has no value.
    #[error("parameter {0} has no value")]
    NoValue(String),
    /// The parameter values contradict the scop's context.
    #[error("the parameter values contradict the context {0}")]
    OutsideContext(String),
    /// There are more instances than this.
    #[error("there are more than {0} instances at these parameter values")]
    TooManyInstances(usize),
    /// A schedule or an AST names a statement that the scop does not have.
    #[error("there is no statement {0}")]
    NoStatement(String),
    /// A schedule or an AST names an array that the scop does not have.
    #[error("there is no array {0}")]
    NoArray(String),
    /// Two instances of the original program have the same date.
    #[error("{0} and {1} have the same date")]
    SameDate(Instance, Instance),
    /// A function of the instance is not defined there, or not an integer.
    #[error("{what} has no value at {instance}")]
    Undefined {
        /// Which function: a date, a subscript, an iterator.
        what: String,
        /// The instance.
        instance: Instance,
    },
    /// A construct that this interpreter does not execute.
    #[error("cannot execute {what} in {instance}")]
    Unsupported {
        /// The construct.
        what: String,
        /// The instance.
        instance: Instance,
    },
    /// An access outside the array's known extents.
    #[error("{instance} accesses {element}, outside {array}")]
    OutOfBounds {
        /// The element: `A[4]`.
        element: String,
        /// The array with its extents, empty where they are not known: `A[4][]`.
        array: String,
        /// The instance.
        instance: Instance,
    },
    /// The subscripts of an access have other values than its relation says.
    #[error("{instance}: the subscripts give {written}, the access relation {related}")]
    Subscripts {
        /// The element that the subscripts name.
        written: String,
        /// The element that the relation names; `others` when it names several.
        related: String,
        /// The instance.
        instance: Instance,
    },
    /// What lies beyond a statement's domain touches something else than a buffer.
    #[error("{instance} touches {array}, which is no buffer")]
    Ghost {
        /// The array.
        array: String,
        /// What runs there.
        instance: Instance,
    },
    /// Integer division by zero, or a shift by a negative or too large number.
    #[error("{what} in {instance}")]
    Arithmetic {
        /// What C leaves undefined.
        what: &'static str,
        /// The instance.
        instance: Instance,
    },
    /// A local variable is read before it has a value.
    #[error("{instance} reads {name} before it has a value")]
    Uninitialised {
        /// The variable.
        name: String,
        /// The instance.
        instance: Instance,
    },
    /// Two instances that run on different threads between barriers, or in different blocks of a launch, touch one element, and one of them
    /// writes it.
    #[error("{first} and {second} touch {element} at the same time")]
    Race {
        /// The element.
        element: String,
        /// The one that came first this time.
        first: Instance,
        /// The other one.
        second: Instance,
    },
    /// Threads of a block come to different barriers, or as often as others do not.
    #[error("not all threads of a block come to the same barriers")]
    Divergence,
    /// An element of a buffer is read that nothing wrote since the buffer was declared.
    #[error("{instance} reads {element}, which nothing wrote")]
    Unwritten {
        /// The element.
        element: String,
        /// The instance.
        instance: Instance,
    },
    /// A part of a loop AST whose value cannot be computed.
    #[error("the loop AST cannot be executed: {0}")]
    Ast(String),
}

/// The result of executing something.
pub type Result<T> = std::result::Result<T, Error>;
