//! What identifies a row: the hash of what it says.

use crate::entry::{Entry, Failure, Measurement, Samples};
use sha2::{Digest, Sha256};

/// The hash of an entry, a measurement or a failure: equal where, and only where, they say the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id([u8; 32]);

impl Id {
    /// The id that these bytes are.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes, as rows have them.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A hash of parts, each with its length in front, so that no two lists of parts are the same bytes.
struct Hasher(Sha256);

impl Hasher {
    /// The hash of something of a kind.
    fn of(kind: &str) -> Self {
        Self(Sha256::new()).text(kind)
    }

    /// With further bytes.
    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// With a text.
    fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// With a number.
    fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// With samples.
    fn samples(self, samples: &Samples) -> Self {
        let hasher = self.number(u64::from(samples.threads)).number(samples.ns.len() as u64);
        samples.ns.iter().fold(hasher, |hasher, &ns| hasher.number(ns))
    }

    /// The id.
    fn id(self) -> Id {
        Id(self.0.finalize().into())
    }
}

/// The id of a program.
pub(crate) fn program(text: &str) -> Id {
    Hasher::of("program").text(text).id()
}

impl Entry {
    /// What identifies it: the hash of its key, its program and its recipe.
    pub fn id(&self) -> Id {
        let key = &self.key;
        Hasher::of("entry")
            .text(&key.nest)
            .number(u64::from(key.normal_form))
            .text(&key.elements)
            .text(&key.size_class)
            .text(&key.machine)
            .text(&key.compiler.name)
            .text(&key.compiler.version)
            .text(&self.program)
            .text(&self.recipe)
            .id()
    }
}

impl Measurement {
    /// What identifies it as one of an entry.
    pub(crate) fn id(&self, entry: Id) -> Id {
        Hasher::of("measurement")
            .bytes(entry.as_bytes())
            .number(self.at.seconds())
            .text(&self.environment)
            .samples(&self.baseline)
            .samples(&self.recipe)
            .id()
    }
}

impl Failure {
    /// What identifies it as one of an entry.
    pub(crate) fn id(&self, entry: Id) -> Id {
        Hasher::of("failure")
            .bytes(entry.as_bytes())
            .number(self.at.seconds())
            .text(self.kind.word())
            .number(u64::from(self.threads))
            .text(&self.text)
            .id()
    }
}
