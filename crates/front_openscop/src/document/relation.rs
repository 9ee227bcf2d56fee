//! Basic relations: systems of affine constraints.

/// What a relation says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RelationKind {
    /// Nothing in particular.
    Undefined,
    /// What is known of the parameters.
    Context,
    /// The instances of a statement.
    Domain,
    /// Their dates.
    Scattering,
    /// Elements that are read.
    Read,
    /// Elements that are written.
    Write,
    /// Elements that are written, or not.
    MayWrite,
    /// Elements that are read and then written; osl 0.9 does not read it.
    ReadWrite,
}

impl RelationKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Undefined,
        Self::Context,
        Self::Domain,
        Self::Scattering,
        Self::Read,
        Self::Write,
        Self::MayWrite,
        Self::ReadWrite,
    ];

    /// The word in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Undefined => "UNDEFINED",
            Self::Context => "CONTEXT",
            Self::Domain => "DOMAIN",
            Self::Scattering => "SCATTERING",
            Self::Read => "READ",
            Self::Write => "WRITE",
            Self::MayWrite => "MAY_WRITE",
            Self::ReadWrite => "RDWR",
        }
    }

    /// The kind that the file calls `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is one of the kinds of accesses.
    pub fn is_access(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::MayWrite | Self::ReadWrite)
    }
}

/// A conjunction of affine constraints over output, input and local dimensions and parameters. Local dimensions are
/// existentially quantified: a pair belongs to the relation when some integers for them satisfy all rows.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct BasicRelation {
    /// Number of output dimensions; of a set, all its dimensions.
    pub n_output: usize,
    /// Number of input dimensions.
    pub n_input: usize,
    /// Number of local dimensions.
    pub n_local: usize,
    /// Number of parameters.
    pub n_params: usize,
    /// The constraints.
    pub rows: Vec<Row>,
}

/// Whether a row is an equality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RowKind {
    /// `expression = 0`.
    Equality,
    /// `expression >= 0`.
    Inequality,
}

/// One constraint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Row {
    /// Equality or inequality.
    pub kind: RowKind,
    /// One coefficient a column: outputs, inputs, locals, parameters, and last the constant.
    pub coefficients: Vec<i64>,
}

impl BasicRelation {
    /// Number of coefficients of a row, the constant included.
    pub fn n_coefficients(&self) -> usize {
        self.n_output + self.n_input + self.n_local + self.n_params + 1
    }

    /// The four numbers of dimensions that all parts of a union share: all but the locals.
    pub fn shape(&self) -> [usize; 3] {
        [self.n_output, self.n_input, self.n_params]
    }
}
