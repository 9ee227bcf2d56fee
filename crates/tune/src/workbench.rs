//! What the search needs of the world.

use crate::point::Point;
use farkas_config::print_shipped;
use farkas_run::bench::Outcome;

/// Who decides the order of a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A point of the space.
    Point(Box<Point>),
    /// A shipped strategy by its name: one that is in no space.
    Named(&'static str),
}

impl Choice {
    /// The point, where it is one.
    pub fn point(&self) -> Option<&Point> {
        match self {
            Self::Point(point) => Some(point),
            Self::Named(_) => None,
        }
    }

    /// The text of the strategy file, in which it has a name.
    pub fn to_text(&self, name: &str, description: Option<&str>) -> String {
        match self {
            Self::Point(point) => point.to_text(name, description),
            Self::Named(shipped) => print_shipped(shipped, name, description),
        }
    }

    /// What it is, for people.
    pub fn label(&self) -> String {
        match self {
            Self::Point(point) => point.label(),
            Self::Named(name) => (*name).to_owned(),
        }
    }
}

/// A transformed program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// A text that is equal where the loops are: the trees of the regions.
    pub key: String,
    /// The C text.
    pub text: String,
}

/// Times of one call of [`Workbench::measure`].
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// Seconds of the original program, one a round.
    pub original: Vec<f64>,
    /// For each program its seconds in the same rounds, or why it has none.
    pub programs: Vec<Result<Vec<f64>, Outcome>>,
}

/// Where the search stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Candidates that were built.
    pub built: usize,
    /// How many there may be.
    pub budget: usize,
    /// The best speed-up over the original so far.
    pub best: Option<f64>,
}

/// The parts of a search, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// Cost functions and fusion, with and without tiles.
    Schedules,
    /// What differs in one choice from the best.
    Neighbours,
    /// Tile sizes and post-processing of the best.
    Shapes,
    /// The best against the generic strategies.
    Confirmation,
}

impl Phase {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schedules => "schedules",
            Self::Neighbours => "neighbours",
            Self::Shapes => "shapes",
            Self::Confirmation => "confirmation",
        }
    }
}

/// Schedules, transforms, builds and measures one program for the search, which does nothing of this itself.
pub trait Workbench {
    /// A program that can be run.
    type Built;
    /// What ends a search: that a compiler is missing, that the original fails.
    type Error;

    /// The order that the scheduler gives to the regions, as a text that is equal where the orders are; for one that chooses between orders,
    /// a text of its own.
    ///
    /// # Errors
    /// Why the strategy has no schedule.
    fn schedule(&mut self, choice: &Choice) -> Result<String, String>;

    /// The program in the order of `choice`, verified.
    ///
    /// # Errors
    /// Why there is none.
    fn transform(&mut self, choice: &Choice) -> Result<Program, String>;

    /// Compiles a program; the inner error says that the compiler refuses it.
    ///
    /// # Errors
    /// What ends the search.
    fn build(&mut self, text: &str) -> Result<Result<Self::Built, Outcome>, Self::Error>;

    /// Runs the original and `programs` in interleaved rounds and compares their outputs.
    ///
    /// # Errors
    /// What ends the search.
    fn measure(
        &mut self,
        programs: &[&Self::Built],
        rounds: usize,
    ) -> Result<Measured, Self::Error>;

    /// Whether the time for the search is used up. What was begun is still brought to its end.
    fn is_over(&self) -> bool;

    /// Hears how far the search is.
    fn tell(&mut self, progress: Progress);
}
