//! The text form of locality.

use super::{Locality, PatternId, Reference, Reuse, ReuseRelation};
use crate::Error;
use crate::dependence::reference;
use farkas_base::Id;
use farkas_scop::ArrayId;
use std::fmt;
use std::str::FromStr;

/// `reference S0.a1 A0 P2: (1,0) (0,1)`: array, pattern, and the linear parts of the subscripts, where they are affine.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reference {}.{} {} {}", self.stmt, self.access, self.array, self.pattern)?;
        let Some(subscripts) = &self.subscripts else { return Ok(()) };
        f.write_str(":")?;
        for row in subscripts {
            let row: Vec<String> = row.iter().map(i64::to_string).collect();
            write!(f, " ({})", row.join(","))?;
        }
        Ok(())
    }
}

/// `spatial A0 S0.a1 -> S1.a0: { S[i] -> T[i + 1] : ... }`.
impl fmt::Display for ReuseRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}.{}", self.reuse.name(), self.array, self.source, self.source_access)?;
        write!(f, " -> {}.{}: {}", self.sink, self.sink_access, self.pairs)
    }
}

/// One reference a line, then one relation a line; at last, where some were skipped, `skipped 2`.
impl fmt::Display for Locality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.references.iter().try_for_each(|reference| writeln!(f, "{reference}"))?;
        self.relations.iter().try_for_each(|relation| writeln!(f, "{relation}"))?;
        match self.n_skipped {
            0 => Ok(()),
            n => writeln!(f, "skipped {n}"),
        }
    }
}

impl FromStr for Locality {
    type Err = Error;
    fn from_str(text: &str) -> crate::Result<Self> {
        let mut locality = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            read(line, &mut locality)
                .unwrap_or_else(|| Err(Error::Syntax { text: line.chars().take(120).collect() }))?;
        }
        Ok(locality)
    }
}

/// Adds what a line says; `None` where it has another form.
fn read(line: &str, locality: &mut Locality) -> Option<crate::Result<()>> {
    match line.split_once(' ')? {
        ("reference", rest) => locality.references.push(read_reference(rest)?),
        ("skipped", rest) => locality.n_skipped = rest.parse().ok()?,
        (word, rest) => {
            let reuse = [Reuse::Temporal, Reuse::Spatial].into_iter().find(|r| r.name() == word)?;
            let (head, pairs) = rest.split_once(": ")?;
            let mut words = head.split_whitespace();
            let array = id("A", words.next()?)?;
            let (source, source_access) = reference(words.next()?)?;
            let "->" = words.next()? else { return None };
            let (sink, sink_access) = reference(words.next()?)?;
            let pairs = match pairs.parse() {
                Ok(pairs) => pairs,
                Err(error) => return Some(Err(farkas_poly::Error::into(error))),
            };
            locality.relations.push(ReuseRelation {
                reuse,
                array,
                source,
                source_access,
                sink,
                sink_access,
                pairs,
                hull: None,
            });
        }
    }
    Some(Ok(()))
}

/// The reference of a line without its first word.
fn read_reference(text: &str) -> Option<Reference> {
    let (head, subscripts) = match text.split_once(':') {
        Some((head, subscripts)) => (head, Some(subscripts)),
        None => (text, None),
    };
    let mut words = head.split_whitespace();
    let (stmt, access) = reference(words.next()?)?;
    let array: ArrayId = id("A", words.next()?)?;
    let pattern: PatternId = id("P", words.next()?)?;
    let subscripts = match subscripts {
        Some(rows) => Some(rows.split_whitespace().map(row).collect::<Option<_>>()?),
        None => None,
    };
    Some(Reference { stmt, access, array, pattern, subscripts })
}

/// The id that `text` names.
fn id<I: Id>(prefix: &str, text: &str) -> Option<I> {
    Some(I::from_index(text.strip_prefix(prefix)?.parse().ok()?))
}

/// The numbers of `(1,0)`.
fn row(text: &str) -> Option<Vec<i64>> {
    let numbers = text.strip_prefix('(')?.strip_suffix(')')?;
    if numbers.is_empty() {
        return Some(Vec::new());
    }
    numbers.split(',').map(|number| number.parse().ok()).collect()
}
