//! Extensions: what a file says beyond relations.

/// Something between `<name>` and `</name>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Extension {
    /// `<strings>`: words, for instance the names of parameters.
    Strings(Vec<String>),
    /// `<body>`: the statement's text.
    Body(Body),
    /// `<extbody>`: the statement's text and where its accesses stand in it.
    ExtBody(ExtBody),
    /// `<scatnames>`: a name for each dimension of the dates.
    ScatNames(Vec<String>),
    /// `<arrays>`: names of arrays by their number.
    Arrays(Vec<(i64, String)>),
    /// `<coordinates>`: where the scop was found.
    Coordinates(Coordinates),
    /// `<loop>`: how loops of the generated code are to run.
    Loops(Vec<LoopNote>),
    /// Any other, kept as it stands.
    Other {
        /// The name of the tag.
        name: String,
        /// Everything between the tags, to the byte.
        text: String,
    },
}

/// The text of a statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Body {
    /// The names of the iterators in the text, one an output dimension of the domain.
    pub iterators: Vec<String>,
    /// One line of C.
    pub text: String,
}

/// A body that knows its accesses.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ExtBody {
    /// For each access of the statement, the first byte and the number of bytes of its text in the body; negative where
    /// it has none.
    pub places: Vec<(i64, i64)>,
    /// The body.
    pub body: Body,
}

/// Where a scop was found.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Coordinates {
    /// The name of the file.
    pub file: String,
    /// Line and column of its start.
    pub start: (i64, i64),
    /// Line and column of its end.
    pub end: (i64, i64),
    /// How many columns it is indented.
    pub indent: i64,
}

/// How a loop of the generated code is to run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LoopNote {
    /// The loop: a name of `<scatnames>`.
    pub iterator: String,
    /// The statements in it, counted from 1.
    pub statements: Vec<i64>,
    /// Variables of which each thread has its own, separated by commas.
    pub private: Option<String>,
    /// What to do.
    pub directive: Directive,
}

/// Bits that say how a loop runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Directive {
    /// The sum of [`Directive::PARALLEL`], [`Directive::MPI`], [`Directive::VECTOR`] and [`Directive::USER`].
    pub bits: i64,
    /// For [`Directive::USER`], the line that the user wants before the loop.
    pub user: Option<String>,
}

impl Directive {
    /// Iterations run on several threads.
    pub const PARALLEL: i64 = 1;
    /// Iterations run on several processes.
    pub const MPI: i64 = 2;
    /// Iterations run in vector lanes.
    pub const VECTOR: i64 = 4;
    /// The user's own line.
    pub const USER: i64 = 8;
}

impl Extension {
    /// The name of its tag.
    pub fn name(&self) -> &str {
        match self {
            Self::Strings(_) => "strings",
            Self::Body(_) => "body",
            Self::ExtBody(_) => "extbody",
            Self::ScatNames(_) => "scatnames",
            Self::Arrays(_) => "arrays",
            Self::Coordinates(_) => "coordinates",
            Self::Loops(_) => "loop",
            Self::Other { name, .. } => name,
        }
    }
}
