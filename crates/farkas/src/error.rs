//! Why a region could not be transformed although the front end accepted it.

use farkas_base::{Diagnostic, DiagnosticId};
use farkas_deps::Counterexample;

/// A failure after the front end.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// A tree is malformed.
    #[error(transparent)]
    Tree(#[from] farkas_tree::Error),
    /// Dependence analysis or the legality check gave up.
    #[error(transparent)]
    Deps(#[from] farkas_deps::Error),
    /// The scheduler gave up.
    #[error(transparent)]
    Schedule(#[from] farkas_schedule::Error),
    /// A transformation gave up.
    #[error(transparent)]
    Transform(#[from] farkas_transform::Error),
    /// A step of a recipe gave up.
    #[error(transparent)]
    Step(#[from] farkas_steps::Error),
    /// The cost model gave up.
    #[error(transparent)]
    Cost(#[from] farkas_cost::Error),
    /// A normal form has no text.
    #[error(transparent)]
    Normal(#[from] farkas_normalize::Error),
    /// AST generation gave up.
    #[error(transparent)]
    Astgen(#[from] farkas_astgen::Error),
    /// A schedule could not be written into an OpenSCoP document.
    #[error(transparent)]
    OpenScop(#[from] farkas_front_openscop::Error),
    /// The user's strategy does not fit the scop, or leaves no schedule; located in the user's file.
    #[error("{}", .0.first().map_or("refused", |diagnostic| diagnostic.message.as_str()))]
    Refused(Vec<Diagnostic>),
    /// The legality check refused a tree of our own: a bug.
    #[error("the legality check refuses the new order of {name}: {counterexample}")]
    Illegal {
        /// The scop.
        name: String,
        /// Two instances that are out of order.
        counterexample: Box<Counterexample>,
    },
    /// No order was found that respects schedule constraints.
    #[error("strategy {strategy} finds no order that respects the constraints: {counterexample}")]
    Constraints {
        /// The strategy.
        strategy: String,
        /// Two instances that are out of order in the first order that was tried.
        counterexample: Box<Counterexample>,
    },
    /// Not even the original order fits the budgets.
    #[error("{name} is too large for the budgets in any form")]
    Exhausted {
        /// The scop.
        name: String,
    },
}

impl Error {
    /// Whether a simpler form may still succeed because only a budget was used up.
    pub fn is_out_of_budget(&self) -> bool {
        use farkas_deps::Error as Deps;
        use farkas_schedule::Error as Schedule;
        matches!(self.poly(), Some(farkas_poly::Error::OutOfBudget))
            || matches!(
                self,
                Self::Deps(Deps::OutOfBudget)
                    | Self::Transform(farkas_transform::Error::Deps(Deps::OutOfBudget))
                    | Self::Step(farkas_steps::Error::Deps(Deps::OutOfBudget))
                    | Self::Schedule(Schedule::Dependences(Deps::OutOfBudget))
                    | Self::Normal(farkas_normalize::Error::Deps(Deps::OutOfBudget))
            )
    }

    /// Whether all the work that a region may take is done, in every form.
    pub fn is_spent(&self) -> bool {
        self.is_out_of_budget() || matches!(self, Self::Exhausted { .. })
    }

    /// The error of isl below, if it is one.
    fn poly(&self) -> Option<&farkas_poly::Error> {
        use farkas_astgen::Error as Astgen;
        use farkas_cost::Error as Cost;
        use farkas_schedule::Error as Schedule;
        use farkas_transform::Error as Transform;
        use farkas_tree::Error as Tree;
        match self {
            Self::Poly(error)
            | Self::OpenScop(farkas_front_openscop::Error::Poly(error))
            | Self::Schedule(Schedule::Poly(error))
            | Self::Transform(
                Transform::Poly(error) | Transform::Deps(farkas_deps::Error::Poly(error)),
            )
            | Self::Step(
                farkas_steps::Error::Poly(error)
                | farkas_steps::Error::Deps(farkas_deps::Error::Poly(error))
                | farkas_steps::Error::Tree(Tree::Poly(error)),
            )
            | Self::Cost(Cost::Poly(error) | Cost::Value(farkas_interp::Error::Poly(error)))
            | Self::Astgen(Astgen::Poly(error))
            | Self::Tree(Tree::Poly(error))
            | Self::Normal(
                farkas_normalize::Error::Poly(error)
                | farkas_normalize::Error::Deps(farkas_deps::Error::Poly(error))
                | farkas_normalize::Error::Tree(Tree::Poly(error)),
            )
            | Self::Deps(farkas_deps::Error::Tree(Tree::Poly(error)))
            | Self::Schedule(Schedule::Tree(Tree::Poly(error)))
            | Self::Transform(Transform::Tree(Tree::Poly(error)))
            | Self::Astgen(Astgen::Tree(Tree::Poly(error))) => Some(error),
            _ => None,
        }
    }

    /// Whether a simpler form of the code may still be generated.
    pub fn has_simpler_form(&self) -> bool {
        use farkas_astgen::Error as Astgen;
        self.is_out_of_budget()
            || matches!(self, Self::Astgen(Astgen::Poly(_) | Astgen::Unexpected(_)))
    }

    /// Whether it is a bug of ours that was noticed in time: a form computes something else, or a planner wants a step that does not
    /// apply.
    pub fn is_bug(&self) -> bool {
        matches!(self, Self::Illegal { .. } | Self::Transform(farkas_transform::Error::Step(_)))
    }

    /// The error as a message to the user: a limit of ours on what may be asked, or a bug of ours.
    pub fn to_diagnostic(&self) -> Diagnostic {
        if self.is_spent() || self.is_overflow() {
            return Diagnostic::new(DiagnosticId::TooComplex, format!("too complex: {self}"))
                .note("nothing was written")
                .help("split the region, or keep its constants small");
        }
        if matches!(self, Self::Schedule(farkas_schedule::Error::Strategy { .. })) {
            return Diagnostic::new(DiagnosticId::FailedStrategy, self.to_string())
                .note("nothing was written");
        }
        if matches!(self, Self::Constraints { .. }) {
            return Diagnostic::new(DiagnosticId::UnsatisfiedConstraints, self.to_string())
                .note("nothing was written")
                .help("look for a cycle of constraints through these instances");
        }
        Diagnostic::new(DiagnosticId::InternalError, self.to_string())
            .note("nothing was written")
            .help("please report it with the input file; `--strategy original` keeps the program's own order")
    }

    /// Whether a number in the region's sets does not fit a machine word.
    fn is_overflow(&self) -> bool {
        let error = match self {
            Self::Poly(error)
            | Self::Deps(farkas_deps::Error::Poly(error))
            | Self::Tree(farkas_tree::Error::Poly(error))
            | Self::OpenScop(farkas_front_openscop::Error::Poly(error))
            | Self::Schedule(farkas_schedule::Error::Poly(error))
            | Self::Transform(
                farkas_transform::Error::Poly(error)
                | farkas_transform::Error::Deps(farkas_deps::Error::Poly(error)),
            )
            | Self::Step(
                farkas_steps::Error::Poly(error)
                | farkas_steps::Error::Deps(farkas_deps::Error::Poly(error)),
            )
            | Self::Astgen(farkas_astgen::Error::Poly(error)) => error,
            Self::Astgen(farkas_astgen::Error::Overflow(_)) => return true,
            _ => return false,
        };
        matches!(error, farkas_poly::Error::Overflow { .. })
    }
}
