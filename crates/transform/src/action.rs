//! What is done to a program at once: a step, or a planner's.

use crate::Planner;
use farkas_steps::Step;
use serde::Serialize;

/// What to do to a program: one entry of a recipe.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "there are few of them, and most are steps")]
pub enum Action {
    /// A step.
    Step(Step),
    /// Whatever a planner finds.
    Plan(Planner),
}

impl Action {
    /// Its word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Step(step) => step.word(),
            Self::Plan(planner) => planner.word(),
        }
    }

    /// Its word, with the key that it stands under in recipes.
    pub fn name(&self) -> String {
        match self {
            Self::Step(step) => format!("step `{}`", step.word()),
            Self::Plan(planner) => format!("plan `{}`", planner.word()),
        }
    }
}
