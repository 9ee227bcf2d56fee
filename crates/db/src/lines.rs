//! Entries as lines of JSON, which people keep under version control and send to one another.

use crate::date::Date;
use crate::entry::{Embedding, Entry, Failure, FailureKind, Measurement, Origin, Samples};
use crate::key::{Compiler, Key};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt::Display;
use std::str::FromStr;

/// The version of the form of lines.
pub const FORMAT: u32 = 1;

/// Why a line is no entry.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct LineError {
    /// What is wrong.
    pub reason: String,
    /// The byte of the line where it was noticed.
    pub offset: usize,
    /// What to do.
    pub help: &'static str,
}

/// A line that says which form it has.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

/// An entry as a line. Lists that are empty may be left out.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    format: u32,
    nest: String,
    normal_form: u32,
    elements: String,
    size_class: String,
    machine: String,
    compiler: Compiler,
    #[serde(default)]
    origins: Vec<AsText<Origin>>,
    #[serde(default)]
    measurements: Vec<LineMeasurement>,
    #[serde(default)]
    failures: Vec<LineFailure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    embedding: Option<LineEmbedding>,
    recipe: String,
    program: String,
}

/// [`Measurement`]
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineMeasurement {
    at: AsText<Date>,
    #[serde(default)]
    environment: String,
    baseline: LineSamples,
    recipe: LineSamples,
}

/// [`Samples`]
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineSamples {
    threads: u32,
    ns: Vec<u64>,
}

/// [`Failure`]
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineFailure {
    at: AsText<Date>,
    kind: AsText<FailureKind>,
    threads: u32,
    text: String,
}

/// [`Embedding`]
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineEmbedding {
    version: u32,
    values: Vec<f32>,
}

/// A value that is written as its text.
struct AsText<T>(T);

impl<T: Display> Serialize for AsText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for AsText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|error| de::Error::custom(format!("`{text}`: {error}")))
    }
}

/// The entry as a line, without what ends it. Equal entries are equal lines.
///
/// # Errors
/// None for an entry that a database can hold.
pub fn line_of(entry: &Entry) -> serde_json::Result<String> {
    let key = entry.key.clone();
    let samples =
        |samples: &Samples| LineSamples { threads: samples.threads, ns: samples.ns.clone() };
    let measurement = |m: &Measurement| LineMeasurement {
        at: AsText(m.at),
        environment: m.environment.clone(),
        baseline: samples(&m.baseline),
        recipe: samples(&m.recipe),
    };
    let failure = |f: &Failure| LineFailure {
        at: AsText(f.at),
        kind: AsText(f.kind),
        threads: f.threads,
        text: f.text.clone(),
    };
    let embedding = |e: &Embedding| LineEmbedding { version: e.version, values: e.values.clone() };
    serde_json::to_string(&Line {
        format: FORMAT,
        nest: key.nest,
        normal_form: key.normal_form,
        elements: key.elements,
        size_class: key.size_class,
        machine: key.machine,
        compiler: key.compiler,
        origins: entry.origins.iter().copied().map(AsText).collect(),
        measurements: entry.measurements.iter().map(measurement).collect(),
        failures: entry.failures.iter().map(failure).collect(),
        embedding: entry.embedding.as_ref().map(embedding),
        recipe: entry.recipe.clone(),
        program: entry.program.clone(),
    })
}

/// The entry that a line is.
///
/// # Errors
/// What is wrong with the line, and where.
pub fn read_line(text: &str) -> Result<Entry, LineError> {
    let refused = |error: serde_json::Error| refused(text, &error);
    let head: Head = serde_json::from_str(text).map_err(refused)?;
    if head.format != FORMAT {
        return Err(LineError {
            reason: format!("the line has format {}, and format {FORMAT} is known", head.format),
            offset: 0,
            help: "read it with the program that wrote it",
        });
    }
    let line: Line = serde_json::from_str(text).map_err(refused)?;
    let entry = line.into_entry();
    entry.check().map_err(|unfit| LineError {
        reason: unfit.to_string(),
        offset: 0,
        help: "write what `farkas db export` writes",
    })?;
    Ok(entry)
}

/// What serde says of a line.
fn refused(text: &str, error: &serde_json::Error) -> LineError {
    let said = error.to_string();
    let reason = said.split(" at line ").next().unwrap_or_default().to_owned();
    let mut offset = error.column().saturating_sub(1).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let help = match error.classify() {
        serde_json::error::Category::Eof => "the line is not whole: export or copy it again",
        serde_json::error::Category::Syntax => "each line is one JSON object, as exports have them",
        _ => "write what `farkas db export` writes",
    };
    LineError { reason, offset, help }
}

impl Line {
    /// The entry.
    fn into_entry(self) -> Entry {
        let key = Key {
            nest: self.nest,
            normal_form: self.normal_form,
            elements: self.elements,
            size_class: self.size_class,
            machine: self.machine,
            compiler: self.compiler,
        };
        let samples = |samples: LineSamples| Samples { threads: samples.threads, ns: samples.ns };
        let measurement = |m: LineMeasurement| Measurement {
            at: m.at.0,
            environment: m.environment,
            baseline: samples(m.baseline),
            recipe: samples(m.recipe),
        };
        let failure = |f: LineFailure| Failure {
            at: f.at.0,
            kind: f.kind.0,
            threads: f.threads,
            text: f.text,
        };
        let embedding = |e: LineEmbedding| Embedding { version: e.version, values: e.values };
        Entry {
            origins: self.origins.into_iter().map(|origin| origin.0).collect(),
            measurements: self.measurements.into_iter().map(measurement).collect(),
            failures: self.failures.into_iter().map(failure).collect(),
            embedding: self.embedding.map(embedding),
            ..Entry::new(key, self.program, self.recipe)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"format":1,"nest":"5f0c","normal_form":1,"elements":"double","size_class":"large","machine":"amd-zen4","compiler":{"name":"gcc","version":"14.2.0"},"origins":["auto","tune"],"measurements":[{"at":"2026-11-27T18:55:50Z","environment":"-O3","baseline":{"threads":1,"ns":[9,8]},"recipe":{"threads":2,"ns":[4,5]}}],"failures":[{"at":"2026-11-27T18:55:51Z","kind":"time-out","threads":1,"text":"after 10 s"}],"embedding":{"version":3,"values":[0.1,-2.5e-9]},"recipe":"{}","program":"void f(void);\n"}"#;

    #[test]
    fn lines_are_read_and_written() {
        let entry = read_line(LINE).expect("an entry");
        assert_eq!(entry.measurements.len() + entry.failures.len() + entry.origins.len(), 4);
        assert_eq!(line_of(&entry).expect("a line"), LINE);
    }

    #[test]
    fn lists_that_are_empty_may_be_left_out() {
        let start = LINE.find(",\"origins\"").expect("the key");
        let end = LINE.find(",\"recipe\":\"").expect("the key");
        let short = format!("{}{}", &LINE[..start], &LINE[end..]);
        let entry = read_line(&short).expect("an entry");
        assert_eq!(entry.standing(), crate::Standing::Predicted);
    }

    #[test]
    fn bad_lines_are_refused_with_the_place() {
        let check = |old: &str, new: &str, reason: &str, before: &str| {
            let line = LINE.replacen(old, new, 1);
            assert_ne!(line, LINE);
            let error = read_line(&line).expect_err("no entry");
            assert!(error.reason.contains(reason), "{error}");
            let found = &line[..error.offset];
            assert!(found.ends_with(before) && found.is_empty() == before.is_empty(), "{found}");
        };
        check("\"format\":1", "\"format\":2", "format 2, and format 1 is known", "");
        check("\"nest\":", "\"nist\":", "unknown field `nist`", "nist");
        check("\"5f0c\"", "\"5F0C\"", "no number in hexadecimal digits", "");
        check("\"tune\"", "\"luck\"", "`luck`: expected one of", "luck\"");
        check("2026", "26", "no date between 1970 and 9999", "50Z");
        check("[9,8]", "[9,0]", "a sample of the original is no time", "");
        check("[9,8]", "[9,-1]", "invalid value", "-");
        check("\"program\"", "\"recipe\"", "duplicate field", "recipe");
        check("double", "", "nothing for the types of elements", "");
        for end in 0..LINE.len() {
            read_line(&LINE[..end]).expect_err("half a line");
        }
    }
}
