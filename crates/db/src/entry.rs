//! What is known of a recipe for a nest.

use crate::date::Date;
use crate::error::Unfit;
use crate::key::Key;
use std::collections::BTreeSet;

/// A recipe for a nest, with the program that it was found for and all that was seen of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// What it is looked up by.
    pub key: Key,
    /// The program that the recipe speaks of: C text without directives for the preprocessor, one function with one region between
    /// `#pragma scop` and `#pragma endscop`. What is granted to the region is in it as `#pragma farkas`.
    pub program: String,
    /// The recipe, as the JSON text of a recipe file. It may be anybody's: it counts for nothing before it is parsed, and what it
    /// makes of a program before that is proved.
    pub recipe: String,
    /// Who found it: several, where several did.
    pub origins: BTreeSet<Origin>,
    /// How long it took.
    pub measurements: BTreeSet<Measurement>,
    /// What went wrong with it.
    pub failures: BTreeSet<Failure>,
    /// The embedding of the nest, the same for all entries of a key.
    pub embedding: Option<Embedding>,
}

/// Who found a recipe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// Strategy `auto`.
    Auto,
    /// A person.
    Hand,
    /// It was taken from another nest.
    Transfer,
    /// The search.
    Tune,
}

/// One comparison of a recipe's code with the original, both run in turns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Measurement {
    /// When.
    pub at: Date,
    /// What else there is to say of how it was made: flags of the compiler, settings of the machine. May be empty.
    pub environment: String,
    /// The original.
    pub baseline: Samples,
    /// The recipe's code.
    pub recipe: Samples,
}

/// Times of one program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Samples {
    /// On so many threads, one at least.
    pub threads: u32,
    /// Each in nanoseconds, above zero, in the order in which they were taken; one at least.
    pub ns: Vec<u64>,
}

/// Something that went wrong with a recipe on the machine of its key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Failure {
    /// When.
    pub at: Date,
    /// What.
    pub kind: FailureKind,
    /// On so many threads; zero where nothing ran.
    pub threads: u32,
    /// In words.
    pub text: String,
}

/// What can go wrong with a recipe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// The legality check refused what it makes.
    Illegal,
    /// The code printed something else than the original.
    WrongOutput,
    /// The code crashed.
    Crash,
    /// The code ran out of time.
    TimeOut,
    /// A step does not apply, or a compiler refused the code.
    Refused,
}

/// Where a nest lies among others: numbers whose meaning has a version.
#[derive(Clone, PartialEq, Debug)]
pub struct Embedding {
    /// The version.
    pub version: u32,
    /// The numbers, all finite.
    pub values: Vec<f32>,
}

/// How much is known of a recipe on the machine of its key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Standing {
    /// It was measured there.
    Measured,
    /// It never ran there, and is only expected to be good.
    Predicted,
    /// It was tried there and failed.
    Failed,
}

/// An enum whose variants have words.
macro_rules! words {
    ($name:ident: $($variant:ident = $word:literal),+) => {
        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = Unfit;

            fn from_str(word: &str) -> Result<Self, Unfit> {
                let words = [$($word),+].join(", ");
                let known = Self::ALL.iter().copied().find(|known| known.word() == word);
                known.ok_or_else(|| Unfit::new(format!("expected one of {words}")))
            }
        }
    };
}

words!(Origin: Auto = "auto", Hand = "hand", Transfer = "transfer", Tune = "tune");
words!(FailureKind: Illegal = "illegal", WrongOutput = "wrong-output", Crash = "crash", TimeOut = "time-out", Refused = "refused");
words!(Standing: Measured = "measured", Predicted = "predicted", Failed = "failed");

/// The most bytes of a program, of a recipe and of other texts.
const MAX_TEXT: usize = 4 << 20;

/// The most samples of one program in a measurement, and numbers of an embedding.
const MAX_NUMBERS: usize = 100_000;

impl Entry {
    /// An entry of which nothing was seen yet.
    pub fn new(key: Key, program: impl Into<String>, recipe: impl Into<String>) -> Self {
        Self {
            key,
            program: program.into(),
            recipe: recipe.into(),
            origins: BTreeSet::new(),
            measurements: BTreeSet::new(),
            failures: BTreeSet::new(),
            embedding: None,
        }
    }

    /// How much is known of it: measurements count more than failures, which may be of other numbers of threads.
    pub fn standing(&self) -> Standing {
        match (self.measurements.is_empty(), self.failures.is_empty()) {
            (false, _) => Standing::Measured,
            (true, true) => Standing::Predicted,
            (true, false) => Standing::Failed,
        }
    }

    /// How many samples there are of its own code.
    pub fn n_samples(&self) -> usize {
        self.measurements.iter().map(|m| m.recipe.ns.len()).sum()
    }

    /// Checks that a database can hold it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), Unfit> {
        self.key.check()?;
        check_text("the program", &self.program)?;
        check_text("the recipe", &self.recipe)?;
        if self.program.is_empty() || self.recipe.is_empty() {
            return Err(Unfit::new("the program or the recipe is empty"));
        }
        for measurement in &self.measurements {
            check_text("the environment of a measurement", &measurement.environment)?;
            check_samples("the original", &measurement.baseline)?;
            check_samples("the recipe's code", &measurement.recipe)?;
        }
        for failure in &self.failures {
            check_text("the text of a failure", &failure.text)?;
        }
        self.embedding.as_ref().map_or(Ok(()), Embedding::check)
    }
}

impl Embedding {
    /// Checks that its numbers are such.
    fn check(&self) -> Result<(), Unfit> {
        if self.values.len() > MAX_NUMBERS || !self.values.iter().all(|value| value.is_finite()) {
            return Err(Unfit::new("the embedding has numbers that are not finite, or too many"));
        }
        Ok(())
    }

    /// As the column of a table has it: four bytes a number, the lowest first.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// The embedding that a row has.
    pub(crate) fn from_bytes(version: u32, bytes: &[u8]) -> Result<Self, Unfit> {
        let (numbers, []) = bytes.as_chunks::<4>() else {
            return Err(Unfit::new("the embedding is no list of numbers"));
        };
        let values = numbers.iter().map(|&number| f32::from_le_bytes(number)).collect();
        let embedding = Self { version, values };
        embedding.check().map(|()| embedding)
    }

    /// Whether it takes the place of `other` where both are known of a nest: the newer version does; two of one version, which
    /// ought to be equal, have an order all the same, so that the order of insertions makes no difference.
    pub(crate) fn replaces(&self, other: &Self) -> bool {
        (self.version, self.to_bytes()) > (other.version, other.to_bytes())
    }
}

/// Checks a text.
fn check_text(what: &str, text: &str) -> Result<(), Unfit> {
    if text.len() > MAX_TEXT || text.contains('\0') {
        return Err(Unfit::new(format!("{what} is longer than 4 MiB, or no text")));
    }
    Ok(())
}

/// Checks the times of one program.
fn check_samples(whose: &str, samples: &Samples) -> Result<(), Unfit> {
    if samples.threads == 0 || samples.ns.is_empty() || samples.ns.len() > MAX_NUMBERS {
        return Err(Unfit::new(format!("{whose} has no samples, no threads, or too many samples")));
    }
    if samples.ns.iter().any(|&ns| ns == 0 || i64::try_from(ns).is_err()) {
        return Err(Unfit::new(format!("a sample of {whose} is no time")));
    }
    Ok(())
}
