//! What the evolution needs of the compiler.

use crate::evolve::{Answer, Settings};
use serde::{Deserialize, Serialize};

/// A recipe to begin with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    /// The text of a recipe file.
    pub recipe: String,
    /// Where it is from, for people.
    pub origin: String,
}

/// A program that a recipe made, and that was proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The C text of the whole program.
    pub text: String,
}

/// What is to be beaten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rival {
    /// The program.
    pub made: Made,
    /// The recipe that gives exactly this program, where there is one.
    pub recipe: Option<String>,
    /// How it came about.
    pub origin: String,
}

/// The parts of a search, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The seeds of an epoch, from zero.
    Seeds(usize),
    /// An iteration of an epoch, both from zero.
    Iteration(usize, usize),
    /// The best against the rival.
    Contest,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Seeds(epoch) => write!(f, "epoch {}, seeds", epoch + 1),
            Self::Iteration(epoch, at) => write!(f, "epoch {}, iteration {}", epoch + 1, at + 1),
            Self::Contest => f.write_str("last runs"),
        }
    }
}

/// Where a search stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Candidates that were made.
    pub candidates: usize,
    /// Recipes that made none: a step does not apply, or the result is not legal.
    pub refused: usize,
    /// How far the search goes.
    pub settings: Settings,
    /// The best speed-up over the original so far.
    pub best: Option<f64>,
}

/// Makes programs of recipes.
pub trait Workshop {
    /// What ends a search.
    type Error;

    /// What strategy `auto` makes.
    ///
    /// # Errors
    /// What ends the search: there is nothing to compare with.
    fn rival(&mut self) -> Result<Rival, Self::Error>;

    /// Recipes for an epoch to begin with, the most promising first.
    ///
    /// # Errors
    /// What ends the search.
    fn seeds(&mut self, epoch: usize) -> Result<Vec<Seed>, Self::Error>;

    /// The program that a recipe makes, proved to compute what the original does.
    ///
    /// # Errors
    /// Why there is none.
    fn make(&mut self, recipe: &str) -> Result<Made, String>;

    /// Hears what came of the program of a recipe: its place among the programs of an answer.
    ///
    /// # Errors
    /// What ends the search.
    fn note(
        &mut self,
        recipe: &str,
        answer: &Answer,
        at: usize,
        when_s: u64,
    ) -> Result<(), Self::Error>;

    /// Hears how far the search is.
    fn tell(&mut self, progress: Progress);
}
