//! What isl can answer instead of a result.

/// An isl operation failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operation quota set by [`with_budget`](crate::with_budget) was reached.
    #[error("isl: operation quota reached")]
    OutOfBudget,
    /// isl refused; the message is isl's own.
    #[error("isl: {message} ({place})")]
    Isl {
        /// isl's message.
        message: String,
        /// isl source file and line.
        place: String,
    },
    /// A text is not in isl notation.
    #[error("not in isl notation: {text}: {message}")]
    Parse {
        /// The text, shortened.
        text: String,
        /// isl's message.
        message: String,
    },
    /// A value does not fit the machine integer asked for.
    #[error("value {value} does not fit")]
    Overflow {
        /// The value in decimal.
        value: String,
    },
}
