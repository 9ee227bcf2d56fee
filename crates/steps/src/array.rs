//! Arrays by name.

use crate::{NotApplicable, Result};
use farkas_scop::{AccessKind, Array, ArrayId, Scop, Statement};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// What ends the text of an array that a statement writes.
const WRITTEN: &str = ".written";

/// What comes before the number of the access, in the text of an array that a statement reads.
const READ: &str = ".read.";

/// An array: `t` by its name in the source, `S0.written`, what statement `S0` writes, or `S0.read.2`, what its second read is of, which
/// hold of programs with other names, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArrayAddress {
    /// By its name in the source.
    Name(String),
    /// The one that a statement writes.
    WrittenBy(String),
    /// The one that a statement reads, and by which of its reads, from one on in the order of its body.
    ReadBy(String, usize),
}

impl ArrayAddress {
    /// The address of an array: by a statement that writes it before any other, where there is one.
    pub fn of(scop: &Scop, array: ArrayId) -> Self {
        let writes = |stmt: &&Statement| {
            let mut writes = stmt.accesses.iter().filter(|access| access.kind.is_write());
            writes.next().is_some_and(|access| access.array == array)
        };
        match scop.stmts().iter().find(writes) {
            Some(stmt) => Self::WrittenBy(stmt.name.clone()),
            None => Self::Name(scop.arrays()[array].name.clone()),
        }
    }

    /// The same array by a statement that writes it, or else by one that reads it, where there is one: that holds of programs with other
    /// names, too.
    pub(crate) fn named(&self, scop: &Scop) -> Self {
        let Self::Name(_) = self else { return self.clone() };
        let Ok(array) = self.find(scop) else { return self.clone() };
        if let by @ Self::WrittenBy(_) = Self::of(scop, array) {
            return by;
        }
        let read = scop.stmts().iter().find_map(|stmt| {
            let at = reads(stmt).position(|of| of == array)?;
            Some(Self::ReadBy(stmt.name.clone(), at + 1))
        });
        read.unwrap_or_else(|| self.clone())
    }

    /// The statement as it is named, where it is.
    pub fn stmt(&self) -> Option<&str> {
        match self {
            Self::Name(_) => None,
            Self::WrittenBy(stmt) | Self::ReadBy(stmt, _) => Some(stmt),
        }
    }

    /// The same with a statement of another name, where it names one.
    #[must_use]
    pub fn with_stmt(self, stmt: impl Into<String>) -> Self {
        match self {
            Self::Name(_) => self,
            Self::WrittenBy(_) => Self::WrittenBy(stmt.into()),
            Self::ReadBy(_, at) => Self::ReadBy(stmt.into(), at),
        }
    }

    /// The array of a scop.
    ///
    /// # Errors
    /// [`NotApplicable`] when there is none.
    pub(crate) fn find(&self, scop: &Scop) -> Result<ArrayId> {
        let found = match self {
            Self::Name(name) => {
                let by = |is_it: fn(&Array, &str) -> bool| {
                    let mut arrays = scop.arrays().iter_enumerated();
                    arrays.find(|(_, array)| is_it(array, name)).map(|(id, _)| id)
                };
                by(|array, name| array.name == name).or(by(|array, name| array.source_name == name))
            }
            Self::WrittenBy(name) => {
                let mut accesses = stmt_of(scop, name)?.accesses.iter();
                accesses.find(|access| access.kind.is_write()).map(|access| access.array)
            }
            Self::ReadBy(name, at) => {
                let mut reads = reads(stmt_of(scop, name)?);
                at.checked_sub(1).and_then(|at| reads.nth(at))
            }
        };
        Ok(found.ok_or_else(|| NotApplicable::NoArray(self.clone()))?)
    }
}

/// The statement of a name.
fn stmt_of<'s>(scop: &'s Scop, name: &str) -> Result<&'s Statement> {
    let Some(stmt) = scop.stmt_by_name(name) else {
        return Err(NotApplicable::NoStatement(name.to_owned()).into());
    };
    Ok(&scop.stmts()[stmt])
}

/// The arrays that a statement's reads are of.
fn reads(stmt: &Statement) -> impl Iterator<Item = ArrayId> {
    let reads = stmt.accesses.iter().filter(|access| access.kind == AccessKind::Read);
    reads.map(|access| access.array)
}

impl fmt::Display for ArrayAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::WrittenBy(stmt) => write!(f, "{stmt}{WRITTEN}"),
            Self::ReadBy(stmt, at) => write!(f, "{stmt}{READ}{at}"),
        }
    }
}

impl From<&str> for ArrayAddress {
    fn from(text: &str) -> Self {
        if let Some(stmt) = text.strip_suffix(WRITTEN) {
            return Self::WrittenBy(stmt.to_owned());
        }
        let read = text.split_once(READ).and_then(|(stmt, at)| Some((stmt, at.parse().ok()?)));
        match read {
            Some((stmt, at)) => Self::ReadBy(stmt.to_owned(), at),
            None => Self::Name(text.to_owned()),
        }
    }
}

impl Serialize for ArrayAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ArrayAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Ok(String::deserialize(deserializer)?.as_str().into())
    }
}

impl JsonSchema for ArrayAddress {
    fn schema_name() -> Cow<'static, str> {
        "array".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "An array: by its name, as S0.written, the one that a statement writes, or as S0.read.2, the one that its second read is of. A statement is given by its name, its label, or its line as line:12."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in ["t", "S0.written", "line:12.written", "S0.read.2", "in.part", "in.read.x"] {
            assert_eq!(ArrayAddress::from(text).to_string(), text);
        }
        assert_eq!(ArrayAddress::from("line:12.written").stmt(), Some("line:12"));
        assert_eq!(ArrayAddress::from("line:12.read.1").stmt(), Some("line:12"));
    }
}
