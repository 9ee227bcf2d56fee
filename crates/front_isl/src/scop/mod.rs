//! A scop as sets and maps: a mapping of these keys, of which all but `domain` may be missing.
//!
//! | key | value | where it is missing |
//! | --- | --- | --- |
//! | `domain` | the instances, `[n] -> { S[i] : 0 <= i < n }` | |
//! | `context` | what is known of the parameters | nothing |
//! | `schedule` | the order: a union map to dates, or a schedule tree | as the domain names the statements |
//! | `reads`, `must_writes`, `may_writes`, `kills` | from instances to elements, `{ S[i] -> A[i + 1] }` | no such accesses |
//! | `extents` | the elements of arrays, `[n] -> { A[i] : 0 <= i < n }` | unknown |
//! | `elements` | a mapping from arrays to types, `A: double` | unknown |
//! | `live_in`, `live_out` | arrays set before, or read after the scop, `{ A[i]; x[] }` | all arrays |
//!
//! Each part between semicolons is an access of its own, and accesses stand in a statement in the order of the keys and
//! of the parts. Bodies are calls, `S(i);`, since the text says nothing of them.

mod accesses;
mod arrays;
mod order;
mod print;

use crate::constraints::MAX_OPERATIONS;
use crate::entries::Entry;
use crate::lower::{builder, date_textually, param_names, statements};
use crate::refuse::{Read, Text};
use accesses::{Parts, add_accesses, read_parts};
use arrays::add_arrays;
use farkas_base::{Diagnostic, SourceFile};
use farkas_poly::{Result, Set, Space, UnionMap, UnionSet, with_budget};
use farkas_scop::{AccessKind, BodyStmt, Scop, ScopBuilder, Statement, TextPiece};
use std::sync::Arc;

pub use print::print_scop;

/// The keys of accesses with their kinds.
const ACCESSES: [(&str, AccessKind); 4] = [
    ("reads", AccessKind::Read),
    ("must_writes", AccessKind::MustWrite),
    ("may_writes", AccessKind::MayWrite),
    ("kills", AccessKind::Kill),
];

/// The keys whose values are sets.
const SETS: [&str; 3] = ["extents", "live_in", "live_out"];

/// A scop that was read, with what had to be assumed or left out.
#[derive(Clone, Debug)]
pub struct ReadScop {
    /// The scop.
    pub scop: Scop,
    /// What had to be assumed or left out.
    pub warnings: Vec<Diagnostic>,
}

/// Whether a text is meant as a scop, not as schedule constraints: it has a key that only scops have.
pub fn is_scop(source: &SourceFile) -> bool {
    let clean = crate::locate::without_comments(source.text());
    let own = known().into_iter().filter(|key| !["domain", "context"].contains(key));
    let own: Vec<&str> = own.collect();
    crate::entries::entries(&clean).iter().any(|entry| own.contains(&entry.name.as_str()))
}

/// Every key.
fn known() -> Vec<&'static str> {
    let accesses = ACCESSES.map(|(key, _)| key);
    ["domain", "context", "schedule"]
        .into_iter()
        .chain(accesses)
        .chain(["elements"])
        .chain(SETS)
        .collect()
}

/// Reads a scop as sets and maps; it is called `name`.
///
/// # Errors
/// The diagnostic of a text that is not of this form, or of what makes no scop.
///
/// # Example
/// ```
/// # use farkas_base::SourceFile;
/// # use farkas_front_isl::read_scop;
/// let text = "\
/// domain: [n] -> { S[i] : 0 < i < n }
/// schedule: { S[i] -> [i] }
/// reads: { S[i] -> A[i - 1] }
/// must_writes: { S[i] -> A[i] }
/// ";
/// let read = read_scop(&SourceFile::new("sweep.isl", text).into(), "sweep").expect("a scop");
/// assert_eq!(read.scop.arrays().len(), 1);
/// ```
pub fn read_scop(
    source: &Arc<SourceFile>,
    name: &str,
) -> std::result::Result<ReadScop, Box<Diagnostic>> {
    with_budget(MAX_OPERATIONS, || lower(source, name))
}

/// Reads without a budget of its own.
fn lower(source: &Arc<SourceFile>, name: &str) -> Read<ReadScop> {
    let text = Text::new(source, "scop", &known())?;
    let domain = text.domain()?;
    let values = Values::read(&text, domain)?;
    let failed = |error| text.failed(domain.key, &error);
    let params = values.params().map_err(failed)?;
    let mut stmts = statements(&text, domain, &params)?;
    date_textually(&mut stmts).map_err(failed)?;
    for stmt in &mut stmts {
        stmt.body = vec![BodyStmt::Text(call(stmt))];
    }
    let mut scop = builder(name, &params, &values.context).map_err(failed)?;
    scop.stmts = stmts.into_iter().collect();
    let mut warnings = Vec::new();
    add_arrays(&text, &values, &params, &mut scop)?;
    add_accesses(&text, &values, &params, &mut scop, &mut warnings)?;
    let scop = built(&text, domain, scop)?;
    let scop = order::dated(&text, scop, &mut warnings)?;
    Ok(ReadScop { scop, warnings })
}

/// The scop of these parts.
fn built(text: &Text<'_>, domain: &Entry, builder: ScopBuilder) -> Read<Scop> {
    let unsupported =
        |v: farkas_scop::Violation| text.unsupported(v.to_string(), domain.key, "this domain");
    builder.build().map_err(unsupported)
}

/// The call that stands for what a statement computes.
fn call(stmt: &Statement) -> Vec<TextPiece> {
    let mut pieces = vec![TextPiece::Text(format!("{}(", stmt.name))];
    for at in 0..stmt.depth() {
        if at > 0 {
            pieces.push(TextPiece::Text(", ".into()));
        }
        pieces.push(TextPiece::Iterator(u32::try_from(at).unwrap_or(u32::MAX)));
    }
    pieces.push(TextPiece::Text(");".into()));
    pieces
}

/// The sets and maps of the text.
struct Values {
    domain: UnionSet,
    context: Set,
    /// The accesses of each kind, part by part.
    accesses: Vec<(AccessKind, Parts)>,
    /// The sets by their keys.
    sets: Vec<(&'static str, UnionSet)>,
    schedule_params: Option<Space>,
}

impl Values {
    /// Reads all but the order.
    fn read(text: &Text<'_>, domain: &Entry) -> Read<Self> {
        let universe = || Set::parse("{ : }").map_err(|error| text.failed(domain.key, &error));
        let context = match text.entry("context") {
            Some(entry) => text.read::<Set>(entry)?,
            None => universe()?,
        };
        let mut accesses = Vec::new();
        for (key, kind) in ACCESSES {
            if let Some(entry) = text.entry(key) {
                accesses.push((kind, read_parts(text, entry)?));
            }
        }
        let mut sets = Vec::new();
        for key in SETS {
            if let Some(entry) = text.entry(key) {
                sets.push((key, text.read::<UnionSet>(entry)?));
            }
        }
        let schedule = text.entry("schedule").and_then(|e| text.value(e).parse::<UnionMap>().ok());
        let schedule_params = schedule.and_then(|map| map.space().ok());
        Ok(Self { domain: text.read(domain)?, context, accesses, sets, schedule_params })
    }

    /// The names of all parameters, those of the domain first.
    fn params(&self) -> Result<Vec<String>> {
        let mut spaces = vec![self.domain.space()?, self.context.space()?];
        spaces.extend(self.schedule_params.clone());
        for (_, parts) in &self.accesses {
            for (_, map) in parts {
                spaces.push(map.space()?);
            }
        }
        for (_, set) in &self.sets {
            spaces.push(set.space()?);
        }
        param_names(spaces)
    }

    /// The set with the key `key`.
    fn set(&self, key: &str) -> Option<&UnionSet> {
        self.sets.iter().find(|(name, _)| *name == key).map(|(_, set)| set)
    }
}
