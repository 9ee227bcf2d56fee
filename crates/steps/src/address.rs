//! Loops by name.

use crate::role::Role;
use crate::tree::{Loop, path_to};
use crate::{Error, NotApplicable, Result};
use farkas_scop::Scop;
use farkas_tree::{Cursor, ScheduleTree};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A loop: by its place among the loops around a statement, or, as planners name it within one tree, by its band.
///
/// The first has a text, `STATEMENT[#PART].[ROLE.]POSITION`: `S0.1` is the outermost loop around `S0`, `S0.-1` the innermost, `S0.point.2` the
/// second of its loops within tiles, `S0#2.1` the outermost one around the second place at which instances of `S0` stand. The second is no part of a recipe:
/// [`Step::named`](crate::Step::named) turns it into the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopAddress(Form);

/// The two forms of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    /// Among the loops around a statement.
    Around(Pattern),
    /// A member of the band at a place in one tree, with the statement that is meant, where one is.
    Member(Cursor, usize, Option<String>),
}

/// A place among the loops around a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Pattern {
    stmt: String,
    /// From one.
    part: Option<usize>,
    role: Option<Role>,
    /// From one, the outermost, or from minus one, the innermost.
    position: i64,
}

/// A text that names no loop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` names no loop: expected a statement and the loop's place around it, as S0.1 for the outermost, S0.-1 for the innermost or S0.point.1"
)]
pub struct AddressError(pub String);

impl LoopAddress {
    /// The loop at `position`, from one, around the statement called `stmt`.
    pub fn new(stmt: impl Into<String>, position: i64) -> Self {
        Self(Form::Around(Pattern { stmt: stmt.into(), part: None, role: None, position }))
    }

    /// A member of the band at a place in one tree.
    pub fn member(band: Cursor, member: usize) -> Self {
        Self(Form::Member(band, member, None))
    }

    /// A member of the band at a place in one tree, of which it is for one statement.
    pub fn of_stmt(stmt: impl Into<String>, band: Cursor, member: usize) -> Self {
        Self(Form::Member(band, member, Some(stmt.into())))
    }

    /// The statement as it is named, where it is.
    pub fn stmt(&self) -> Option<&str> {
        match &self.0 {
            Form::Around(pattern) => Some(&pattern.stmt),
            Form::Member(_, _, stmt) => stmt.as_deref(),
        }
    }

    /// The statement and the position, where it says no more than these.
    pub(crate) fn plain(&self) -> Option<(&str, i64)> {
        match &self.0 {
            Form::Around(Pattern { stmt, part: None, role: None, position }) => {
                Some((stmt, *position))
            }
            _ => None,
        }
    }

    /// The same loop around a statement of another name.
    #[must_use]
    pub fn with_stmt(self, stmt: impl Into<String>) -> Self {
        match self.0 {
            Form::Around(pattern) => Self(Form::Around(Pattern { stmt: stmt.into(), ..pattern })),
            at @ Form::Member(..) => Self(at),
        }
    }

    /// What the loop is for, where the address says so.
    pub(crate) fn role(&self) -> Option<Role> {
        match &self.0 {
            Form::Around(pattern) => pattern.role,
            Form::Member(..) => None,
        }
    }

    /// The loop in a tree.
    ///
    /// # Errors
    /// [`NotApplicable`] when there is none, or several.
    pub(crate) fn find(&self, scop: &Scop, tree: &ScheduleTree) -> Result<Loop> {
        match &self.0 {
            Form::Around(pattern) => pattern.find(self, scop, tree),
            Form::Member(band, member, _) => {
                Ok(Loop { band: band.clone(), member: *member, roles: Vec::new(), size: None })
            }
        }
    }

    /// The loop of a tree by its place among the loops around a statement.
    ///
    /// # Errors
    /// When there is no such loop, or isl refuses.
    pub(crate) fn named(&self, scop: &Scop, tree: &ScheduleTree) -> Result<Self> {
        let Form::Member(band, member, of) = &self.0 else { return Ok(self.clone()) };
        let wanted = Loop { band: band.clone(), member: *member, roles: Vec::new(), size: None };
        for stmt in scop.stmts().iter().filter(|stmt| of.as_ref().is_none_or(|of| *of == stmt.name))
        {
            let paths = path_to(scop, tree, &stmt.name)?;
            let at = |path: &Vec<Loop>| path.iter().position(|other| other.is_same(&wanted));
            let found: Vec<Option<usize>> = paths.iter().map(at).collect();
            let Some(part) = found.iter().position(Option::is_some) else { continue };
            let position = found[part].map_or(1, |at| at + 1);
            // A number is needed where the loop is not around all parts.
            let part = found.iter().any(Option::is_none).then_some(part + 1);
            let position = i64::try_from(position).unwrap_or(i64::MAX);
            let stmt = stmt.name.clone();
            return Ok(Self(Form::Around(Pattern { stmt, part, role: None, position })));
        }
        Err(farkas_tree::Error::NoNode(band.clone()).into())
    }
}

impl Pattern {
    /// The loop in a tree, of which `whole` is the address.
    fn find(&self, whole: &LoopAddress, scop: &Scop, tree: &ScheduleTree) -> Result<Loop> {
        let mut paths = path_to(scop, tree, &self.stmt)?;
        if let Some(part) = self.part {
            let found = paths.len();
            let no_part = || NotApplicable::NoPart { stmt: self.stmt.clone(), found };
            let wanted = part.checked_sub(1).and_then(|at| paths.get(at)).ok_or_else(no_part)?;
            paths = vec![wanted.clone()];
        }
        let found: Result<Vec<Loop>> = paths.iter().map(|path| self.among(whole, path)).collect();
        let found = found?;
        match found.split_first() {
            Some((first, rest)) if rest.iter().all(|other| other.is_same(first)) => {
                Ok(first.clone())
            }
            _ => Err(Error::from(NotApplicable::Ambiguous {
                stmt: self.stmt.clone(),
                found: found.len(),
            })),
        }
    }

    /// The loop on one path.
    fn among(&self, whole: &LoopAddress, path: &[Loop]) -> Result<Loop> {
        let fits = |at: &&Loop| self.role.is_none_or(|role| at.roles.contains(&role));
        let loops: Vec<&Loop> = path.iter().filter(fits).collect();
        let at = match usize::try_from(self.position) {
            Ok(position) => position.checked_sub(1),
            Err(_) => usize::try_from(self.position.unsigned_abs())
                .ok()
                .and_then(|back| loops.len().checked_sub(back)),
        };
        let found = at.and_then(|at| loops.get(at));
        let missing = || NotApplicable::NoLoop { address: whole.clone(), found: loops.len() };
        Ok(found.map(|at| (*at).clone()).ok_or_else(missing)?)
    }
}

impl fmt::Display for LoopAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = match &self.0 {
            Form::Around(pattern) => pattern,
            Form::Member(band, member, _) => {
                return write!(f, "loop {member} of the band at {band}");
            }
        };
        f.write_str(&pattern.stmt)?;
        if let Some(part) = pattern.part {
            write!(f, "#{part}")?;
        }
        if let Some(role) = pattern.role {
            write!(f, ".{role}")?;
        }
        write!(f, ".{}", pattern.position)
    }
}

impl FromStr for LoopAddress {
    type Err = AddressError;
    fn from_str(text: &str) -> std::result::Result<Self, AddressError> {
        let wrong = || AddressError(text.to_owned());
        let (rest, position) = text.rsplit_once('.').ok_or_else(wrong)?;
        let position: i64 = position.parse().map_err(|_| wrong())?;
        let role_of = |word: &str| Role::WORDS.iter().find(|(known, _)| *known == word);
        let (rest, role) = match rest.rsplit_once('.') {
            Some((stmt, word)) => (stmt, Some(role_of(word).ok_or_else(wrong)?.1)),
            None => (rest, None),
        };
        let (stmt, part) = match rest.split_once('#') {
            Some((stmt, part)) => (stmt, Some(part.parse().map_err(|_| wrong())?)),
            None => (rest, None),
        };
        if stmt.is_empty() || position == 0 || part == Some(0) {
            return Err(wrong());
        }
        let address = Self(Form::Around(Pattern { stmt: stmt.to_owned(), part, role, position }));
        // Names have no dots, numbers no signs or zeros in front: one text for each loop, as the schema has it.
        if stmt.contains('.') || address.to_string() != text {
            return Err(wrong());
        }
        Ok(address)
    }
}

impl Serialize for LoopAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Around(_) => serializer.collect_str(self),
            Form::Member(..) => Err(serde::ser::Error::custom("a loop of one tree has no text")),
        }
    }
}

impl<'de> Deserialize<'de> for LoopAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for LoopAddress {
    fn schema_name() -> Cow<'static, str> {
        "loop".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A loop around a statement: S0.1 is the outermost, S0.-1 the innermost, S0.tile.1, S0.point.2, S0.parallel.1 and S0.vector.1 count loops of that kind alone. Where parts of a statement stand in several places, S0#2.1 says in which. A statement is given by its name, its label, or its line as line:12.",
            "pattern": "^[^.#]+(#[1-9][0-9]*)?\\.((tile|point|parallel|vector)\\.)?-?[1-9][0-9]*$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in ["S0.1", "S0.-1", "line:12.3", "init#2.tile.1", "S0.point.2", "S1.vector.-1"] {
            assert_eq!(text.parse::<LoopAddress>().expect(text).to_string(), text);
        }
        for text in [
            "",
            "S0",
            "S0.",
            "S0.0",
            ".1",
            "S0.wave.1",
            "S0#0.1",
            "S0#x.1",
            "S0.1.2",
            "a.S0.tile.1",
            "S0.+1",
            "S0#01.1",
        ] {
            assert!(text.parse::<LoopAddress>().is_err(), "{text}");
        }
    }
}
