//! Loops in several parts.

use crate::affine::halves;
use crate::flags::{decided, kept, reaching};
use crate::tree::{Loop, beneath, marks_above, members_around, part, refuse_marked, with_marks};
use crate::{LoopAddress, Reorder, Result, Subject};
use farkas_poly::{MultiUnionPwAff, UnionSet};
use farkas_tree::{Mark, ScheduleTree};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A loop as several: its iterations before a date, then those before the next one, and the others at last. The order stays.
///
/// **Rewrite**: `band [f]` becomes `sequence [{ f < at }: band [f], { f >= at }: band [f]]`. A part in which nothing runs is left out,
/// and so are bodies that do not run in a part. Parts of a loop over tiles are such loops, too: `mark tile s,t; band [f, g]`, cut
/// in `g`, becomes `mark tile s; band [f]; sequence` of `mark tile t; band [g]`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// The loop.
    #[serde(rename = "loop")]
    pub place: LoopAddress,
    /// The first dates of all parts but the first.
    pub at: Dates,
}

/// Dates in a loop, ascending: affine functions of the parameters and of the dates of the loops around it, `$1` that of the outermost:
/// `32`, `n - 1`, `$1 + 1`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dates(pub Vec<String>);

impl Reorder for Cut {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let at = subject.find(&self.place)?;
        refuse_marked(tree, &at)?;
        let (band, child) = at.band_in(tree)?;
        let marks = marks_above(tree, &at.band);
        let tiles: Vec<&Mark> =
            marks.iter().filter(|mark| at.member == 0 || is_tile(mark)).copied().collect();
        let mut parts = Vec::new();
        for instances in self.parts(subject, &at)? {
            let own = instances.intersect(&reaching(tree, &at.band)?)?;
            if own.is_empty()? {
                continue;
            }
            let loops = part(&band.members[at.member..], band.permutable, child.pruned_to(&own)?);
            parts.push((instances, with_marks(&tiles, at.member.., loops)));
        }
        let new = beneath(tree, &at, &marks, ScheduleTree::sequence(parts))?;
        let top = if at.member == 0 { at.band.ancestor(marks.len()) } else { at.band };
        match subject.deps {
            Some(deps) => decided(&new, Some(deps), &top),
            None => kept(&new, &top),
        }
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.place]
    }
}

impl Cut {
    /// The instances of each part.
    fn parts(&self, subject: &Subject<'_>, at: &Loop) -> Result<Vec<UnionSet>> {
        let mut dates = vec![at.member_in(subject.tree())?.schedule.clone()];
        dates.extend(members_around(subject.tree(), at)?);
        let n_around = dates.len() - 1;
        let mut rest = MultiUnionPwAff::from_members(&dates)?.to_union_map()?;
        let mut parts = Vec::new();
        for text in &self.at.0 {
            let (before, after) = halves(subject.scop(), text, n_around)?;
            parts.push(rest.intersect_range(&before.to_union_set()?)?.domain()?);
            rest = rest.intersect_range(&after.to_union_set()?)?;
        }
        parts.push(rest.domain()?);
        Ok(parts)
    }
}

/// Whether a mark says that loops run over tiles.
fn is_tile(mark: &Mark) -> bool {
    matches!(mark, Mark::Tile(_))
}

impl Serialize for Dates {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [date] => serializer.serialize_str(date),
            dates => dates.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Dates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(DatesVisitor)
    }
}

/// Reads one date or several.
struct DatesVisitor;

impl<'de> Visitor<'de> for DatesVisitor {
    type Value = Dates;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date, or a list of dates")
    }

    fn visit_str<E: serde::de::Error>(self, date: &str) -> std::result::Result<Dates, E> {
        Ok(Dates(vec![date.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Dates, A::Error> {
        let mut dates = Vec::new();
        while let Some(date) = list.next_element()? {
            dates.push(date);
        }
        match dates.is_empty() {
            true => Err(serde::de::Error::custom("a loop is cut at one date at least")),
            false => Ok(Dates(dates)),
        }
    }
}

impl JsonSchema for Dates {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "dates".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The first date of the second part, or of all parts but the first: affine functions of the parameters and, as $1 for the outermost, of the dates of the loops around.",
            "oneOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" }, "minItems": 1 }
            ]
        })
    }
}
