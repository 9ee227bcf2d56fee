//! Evolutionary search over recipes for one region.
//!
//! A [`Genome`] is a recipe as lines of JSON. [`evolve`] keeps a population of them: the faster ones are parents, children have parts of
//! two ([`crossed`]) and changes of their own ([`mutated`]). Each is made and proved by a [`Workshop`] before an [`Evaluator`] runs
//! it in turns with the original; one that does not apply, is not legal, crashes, times out or prints something else has no score. At
//! last the best run against what strategy `auto` makes, in rounds of their own.
//!
//! **Paper** L. Trümper et al., *A Priori Loop Nest Normalization* (section 4): three epochs of three iterations, the first
//! seeded by another scheduler, the later ones by recipes of similar nests; run time is the fitness. Ours differs: `auto` is the other
//! scheduler, slow candidates are given up early (successive halving), and nothing runs that was not proved.
//!
//! What this module does not do: it starts no process and opens no file. With the same seed and the same times, the same recipes come in
//! the same order, so that a search that was cut off goes on from the answers in its [`Journal`].

mod evaluator;
mod genome;
mod journal;
mod search;
mod vary;
mod verdict;
mod workshop;

pub use evaluator::{Answer, Broke, Evaluator, Failed, Job};
pub use genome::{Genome, NotAGenome};
pub use journal::{Clock, Journal, Line};
pub use search::{Contest, Evolution, Individual, RIVAL, Settings, evolve};
pub use vary::{Nest, crossed, mutated, tournament};
pub use verdict::Verdict;
pub use workshop::{Made, Progress, Rival, Seed, Stage, Workshop};
