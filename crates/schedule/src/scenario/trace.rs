//! What happened on the way through an influence tree.

use crate::fallback::Fallback;
use farkas_deps::DepId;
use std::fmt;

/// What happened at a node.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InfluenceEvent {
    /// Its row was found.
    Row,
    /// There is no row.
    NoRow {
        /// An irreducible set of constraints that leave none, as their author wrote them; empty where that was not looked
        /// into or progression and dependences alone leave none.
        constraints: Vec<String>,
        /// An irreducible set of dependences with a part in it.
        deps: Vec<DepId>,
    },
    /// A fallback went on.
    Fallback(Fallback),
    /// No fallback is left: the plain schedule comes out.
    GivenUp,
    /// The budget of steps is used up: the plain schedule comes out.
    Exhausted,
}

/// An event and where it happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InfluenceStep {
    /// The position among its siblings of each node from the root's child on.
    pub path: Vec<usize>,
    /// What happened.
    pub event: InfluenceEvent,
}

/// `node 0.1: no row under S0_it_0 = 1 with d2`.
impl fmt::Display for InfluenceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Vec<String> = self.path.iter().map(usize::to_string).collect();
        write!(f, "node {}: ", path.join("."))?;
        match &self.event {
            InfluenceEvent::Row => f.write_str("row found"),
            InfluenceEvent::NoRow { constraints, deps } => {
                f.write_str("no row")?;
                if !constraints.is_empty() {
                    write!(f, " under {}", constraints.join(" and "))?;
                }
                if !deps.is_empty() {
                    let deps: Vec<String> = deps.iter().map(DepId::to_string).collect();
                    write!(f, " with {}", deps.join(", "))?;
                }
                Ok(())
            }
            InfluenceEvent::Fallback(fallback) => write!(f, "fallback {}", fallback.name()),
            InfluenceEvent::GivenUp => f.write_str("no scenario is left"),
            InfluenceEvent::Exhausted => f.write_str("the budget of steps is used up"),
        }
    }
}
