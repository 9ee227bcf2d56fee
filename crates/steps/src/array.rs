//! Arrays by name.

use crate::{NotApplicable, Result};
use farkas_scop::{Array, ArrayId, Scop, Statement};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// What ends the text of an array that a statement writes.
const WRITTEN: &str = ".written";

/// An array: `t` by its name in the source, or `S0.written`, what statement `S0` writes, which holds of programs with other names, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArrayAddress {
    /// By its name in the source.
    Name(String),
    /// The one that a statement writes.
    WrittenBy(String),
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

    /// The statement as it is named, where it is.
    pub fn stmt(&self) -> Option<&str> {
        match self {
            Self::Name(_) => None,
            Self::WrittenBy(stmt) => Some(stmt),
        }
    }

    /// The same with a statement of another name, where it names one.
    #[must_use]
    pub fn with_stmt(self, stmt: impl Into<String>) -> Self {
        match self {
            Self::Name(_) => self,
            Self::WrittenBy(_) => Self::WrittenBy(stmt.into()),
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
                let Some(stmt) = scop.stmt_by_name(name) else {
                    return Err(NotApplicable::NoStatement(name.clone()).into());
                };
                let mut writes = scop.stmts()[stmt].accesses.iter().filter(|a| a.kind.is_write());
                writes.next().map(|access| access.array)
            }
        };
        Ok(found.ok_or_else(|| NotApplicable::NoArray(self.clone()))?)
    }
}

impl fmt::Display for ArrayAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::WrittenBy(stmt) => write!(f, "{stmt}{WRITTEN}"),
        }
    }
}

impl From<&str> for ArrayAddress {
    fn from(text: &str) -> Self {
        match text.strip_suffix(WRITTEN) {
            Some(stmt) => Self::WrittenBy(stmt.to_owned()),
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
            "description": "An array: by its name, or as S0.written, the one that a statement writes. A statement is given by its name, its label, or its line as line:12."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in ["t", "S0.written", "line:12.written", "in.part"] {
            assert_eq!(ArrayAddress::from(text).to_string(), text);
        }
        assert_eq!(ArrayAddress::from("line:12.written").stmt(), Some("line:12"));
    }
}
