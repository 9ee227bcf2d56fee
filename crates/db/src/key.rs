//! What entries are looked up by.

use crate::error::Unfit;
use serde::{Deserialize, Serialize};

/// What must be the same for a recipe's measurements to say something of another program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The hash of the nest's normal form: hexadecimal digits, in lower case.
    pub nest: String,
    /// The version of the normal form: hashes of different versions have nothing to do with one another.
    pub normal_form: u32,
    /// The types of the elements of its arrays.
    pub elements: String,
    /// The class of its sizes.
    pub size_class: String,
    /// The name of the machine.
    pub machine: String,
    /// The compiler.
    pub compiler: Compiler,
}

/// A compiler.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compiler {
    /// Its name, as `gcc`.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl std::fmt::Display for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

impl Key {
    /// The digits of [`Key::nest`] that people see.
    pub fn short_nest(&self) -> &str {
        self.nest.get(..12).unwrap_or(&self.nest)
    }

    /// Whether this is a hash, or the beginning of one.
    pub fn is_prefix(text: &str) -> bool {
        let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        !text.is_empty() && text.len() <= Self::MAX_DIGITS && text.chars().all(is_digit)
    }

    /// The most digits of a hash.
    const MAX_DIGITS: usize = 128;

    /// The most bytes of a name.
    const MAX_NAME: usize = 1000;

    /// Checks that a database can hold it.
    pub(crate) fn check(&self) -> Result<(), Unfit> {
        if !Self::is_prefix(&self.nest) {
            return Err(Unfit::new("the hash of the nest is no number in hexadecimal digits"));
        }
        let names = [
            ("the types of elements", &self.elements),
            ("the class of sizes", &self.size_class),
            ("the name of the machine", &self.machine),
            ("the name of the compiler", &self.compiler.name),
            ("the version of the compiler", &self.compiler.version),
        ];
        for (what, name) in names {
            if name.is_empty() {
                return Err(Unfit::new(format!("there is nothing for {what}")));
            }
            if name.len() > Self::MAX_NAME || name.chars().any(char::is_control) {
                return Err(Unfit::new(format!("{what} is too long, or no line of text")));
            }
        }
        Ok(())
    }
}
