//! What can go wrong with compilers and processes.

/// A toolchain that could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A command line has a quote without end.
    #[error("a quote is not closed in `{text}`")]
    UnclosedQuote {
        /// The command line.
        text: String,
    },
    /// A command line has no word.
    #[error("the compiler command is empty")]
    EmptyCommand,
    /// None of the compilers is there that are looked for where none is named.
    #[error("there is no C compiler: neither `gcc` nor `cc` is in the folders of PATH")]
    NoCompiler,
    /// The compiler could not be started.
    #[error("the compiler `{command}` cannot be started: {reason}")]
    CompilerMissing {
        /// The program that was looked for.
        command: String,
        /// What the system says.
        reason: String,
    },
    /// The compiler refused its input.
    #[error("`{command}` does not compile {input}")]
    CompilationFailed {
        /// The whole command line.
        command: String,
        /// The file, or the name of the text.
        input: String,
        /// The compiler's own messages.
        message: String,
    },
    /// A program that was compiled could not be started.
    #[error("the program {program} cannot be started: {reason}")]
    NotStarted {
        /// Which program.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// A temporary file could not be made or written.
    #[error("temporary file: {0}")]
    Temporary(#[from] std::io::Error),
}

impl Error {
    /// The message of the tool that failed, for a note of its own.
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::CompilationFailed { message, .. } => Some(message),
            _ => None,
        }
    }

    /// What a user can do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::UnclosedQuote { .. } => Some("close the quote"),
            Self::EmptyCommand => Some("write the compiler and its flags: `gcc -O3 -march=native`"),
            Self::CompilerMissing { .. } | Self::NoCompiler => {
                Some("install the compiler, or name another one with its flags")
            }
            Self::CompilationFailed { .. } => {
                Some("pass the -I and -D flags that the file needs to be compiled")
            }
            Self::NotStarted { .. } | Self::Temporary(_) => None,
        }
    }
}
