//! What is wrong with a library, as what it does: messages begin with its path.

use farkas_base::{Diagnostic, DiagnosticId};

/// What a library does wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system cannot load it.
    #[error("cannot be loaded as a strategy")]
    Unloadable {
        /// The system's words.
        reason: String,
    },
    /// It does not export the function that returns the table.
    #[error("has no symbol `{}`", crate::abi::SYMBOL)]
    NoSymbol,
    /// The function returned no table.
    #[error("returns no table of functions from `{}`", crate::abi::SYMBOL)]
    NoTable,
    /// It was made for another version of the interface.
    #[error(
        "is for version {found} of the interface for strategies, and this is version {}",
        crate::abi::VERSION
    )]
    Version {
        /// The version that it was made for.
        found: u32,
    },
    /// Its table is smaller than that of the version that it says it was made for.
    #[error(
        "says that its table has {found} bytes, fewer than the {expected} of version {}",
        crate::abi::VERSION
    )]
    Size {
        /// What it says.
        found: u32,
        /// What the version has.
        expected: usize,
    },
    /// Its table has no function `plan`.
    #[error("has no function `plan` in its table")]
    NoPlan,
    /// A function of the library failed.
    #[error("returns {code} from `{function}`{}", reason.as_ref().map_or(String::new(), |r| format!(": {r}")))]
    Failed {
        /// The function.
        function: &'static str,
        /// What it returned.
        code: i32,
        /// What it says of the reason, if anything.
        reason: Option<String>,
    },
    /// A pointer is null, or not aligned, where there must be something.
    #[error("gives a bad pointer for {what}")]
    BadPointer {
        /// What it should point to.
        what: &'static str,
    },
    /// A string is too long, or is not UTF-8.
    #[error("gives {what} that {problem}")]
    BadText {
        /// What the string should be.
        what: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A name with other characters than such names have.
    #[error("gives the name `{name}` to {what}: expected {expected}")]
    BadName {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
        /// What names look like.
        expected: &'static str,
    },
    /// Something is asked for by a name that nothing has.
    #[error("asks for the {what} `{name}`, which does not exist: expected one of {}", expected.join(", "))]
    Unknown {
        /// What kind of thing.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        expected: Vec<String>,
    },
    /// A number that stands for nothing.
    #[error("gives the number {found} for {what}")]
    UnknownNumber {
        /// What it should stand for.
        what: &'static str,
        /// The number.
        found: i64,
    },
    /// A position behind the end of a list.
    #[error("names {what} {index}, and there are {len}")]
    OutOfRange {
        /// What kind of thing.
        what: String,
        /// The position.
        index: u32,
        /// How many there are.
        len: usize,
    },
    /// A constraint on a statement that is not scheduled now.
    #[error(
        "has a constraint on statement {stmt}, which is not scheduled together with the others now"
    )]
    NotInGroup {
        /// The statement.
        stmt: String,
    },
    /// Too many of something.
    #[error("gives {found} {what}, more than {limit}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A number beyond what the solver should see.
    #[error("gives {found} as {what}: expected a number from {least} to {most}")]
    BadNumber {
        /// What the number is for.
        what: &'static str,
        /// The number.
        found: i64,
        /// The least that is allowed.
        least: i64,
        /// The most that is allowed.
        most: i64,
    },
    /// A cost function that looks at lines, of which nothing was said.
    #[error("asks for the cost function `{cost}`, but `create` did not call set_line")]
    NoLine {
        /// The cost function.
        cost: &'static str,
    },
    /// The same thing twice.
    #[error("names the {what} `{name}` twice")]
    Twice {
        /// What kind of thing.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Two settings that exclude each other.
    #[error("asks for {one} together with {other}")]
    Contradiction {
        /// One of them.
        one: &'static str,
        /// The other.
        other: &'static str,
    },
    /// No fault of the library's: isl cannot tell what it would need to know of the scop.
    #[error("cannot be told of the scop: {reason}")]
    Scop {
        /// isl's words.
        reason: String,
    },
}

impl Error {
    /// The message on a library that cannot be used at all.
    pub(crate) fn to_diagnostic(&self, path: &str) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.id(), format!("`{path}` {self}"));
        match self {
            Self::Unloadable { reason } => diagnostic.note(reason.clone()).help(
                "a strategy is a dynamic library, built with `cc -shared -fPIC`, or a JSON file",
            ),
            Self::NoSymbol | Self::NoTable | Self::Size { .. } | Self::NoPlan => {
                diagnostic.help("docs/strategies-in-c.md has a complete example")
            }
            Self::Version { .. } => {
                diagnostic.help("build it again with the header farkas_strategy.h of this version")
            }
            _ => diagnostic,
        }
    }

    /// The kind of diagnostic that it is.
    fn id(&self) -> DiagnosticId {
        match self {
            Self::Unloadable { .. }
            | Self::NoSymbol
            | Self::NoTable
            | Self::Version { .. }
            | Self::Size { .. }
            | Self::NoPlan => DiagnosticId::UnloadableStrategy,
            _ => DiagnosticId::FailedStrategy,
        }
    }
}

/// The result of looking at what a library gives.
pub type Result<T> = std::result::Result<T, Error>;
