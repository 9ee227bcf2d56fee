//! A whole OpenSCoP file as a value.
//!
//! Everything that has a meaning is kept, comments are not. Equality is that of the text without comments and blanks.

mod extension;
mod parse;
mod parse_extension;
mod print;
mod print_extension;
mod relation;
mod words;

pub use extension::{Body, Coordinates, Directive, ExtBody, Extension, LoopNote};
pub use parse::{Parsed, parse};
pub use relation::{BasicRelation, RelationKind, Row, RowKind};

/// An OpenSCoP file: scops one after another. What stands outside of them in the file is no part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Document {
    /// The scops, in the order of the file.
    pub scops: Vec<OpenScop>,
}

/// One scop between `<OpenScop>` and `</OpenScop>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OpenScop {
    /// The language of the bodies: `C`.
    pub language: String,
    /// What is known of the parameters; no output and no input dimensions.
    pub context: Relation,
    /// The parameters, where the file tells of them: as a rule [`Extension::Strings`] with a name for each.
    pub parameters: Option<Extension>,
    /// The statements in textual order.
    pub statements: Vec<OpenStatement>,
    /// What else is said of the whole.
    pub extensions: Vec<Extension>,
}

/// A statement of a scop.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct OpenStatement {
    /// The instances: output dimensions are the iterators.
    pub domain: Option<Relation>,
    /// From instances (input) to dates (output).
    pub scattering: Option<Relation>,
    /// From instances (input) to elements (output): the first output dimension is the number of the array, the others
    /// are the subscripts.
    pub accesses: Vec<Relation>,
    /// What else is said of it, as a rule its body.
    pub extensions: Vec<Extension>,
}

/// A union of basic relations, or of basic sets, which have no input dimensions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Relation {
    /// What it says.
    pub kind: RelationKind,
    /// The parts of the union, at least one.
    pub parts: Vec<BasicRelation>,
}

impl OpenScop {
    /// The names of the parameters, where the file gives them.
    pub fn parameter_names(&self) -> &[String] {
        match &self.parameters {
            Some(Extension::Strings(names)) => names,
            _ => &[],
        }
    }

    /// Names of arrays by their number.
    pub fn array_names(&self) -> &[(i64, String)] {
        let named = self.extensions.iter().find_map(|e| match e {
            Extension::Arrays(names) => Some(names.as_slice()),
            _ => None,
        });
        named.unwrap_or_default()
    }
}

impl OpenStatement {
    /// Its body: that of `<body>`, else the one inside `<extbody>`.
    pub fn body(&self) -> Option<&Body> {
        let plain = self.extensions.iter().find_map(|e| match e {
            Extension::Body(body) => Some(body),
            _ => None,
        });
        plain.or_else(|| {
            self.extensions.iter().find_map(|e| match e {
                Extension::ExtBody(extended) => Some(&extended.body),
                _ => None,
            })
        })
    }

    /// Number of iterators: output dimensions of the domain; none where it has no domain.
    pub fn depth(&self) -> usize {
        self.domain.as_ref().and_then(|d| d.parts.first()).map_or(0, |part| part.n_output)
    }
}
