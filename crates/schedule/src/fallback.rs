//! What is done where there is no row.

/// What the driver does where a plan's integer program has no solution. A plan lists them in the order in which they are
/// tried; when none helps, the statements keep their original order, with a warning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Fallback {
    /// Ask the strategy for another plan: [`State::attempt`](crate::State::attempt) tells it how often its plans for this row had no solution.
    Replan,
    /// Try the other signs of the progression constraints.
    OtherSigns,
    /// Demand progress only of the statements that need the most loops; the others wait.
    DeferShallow,
    /// Let the rows use parameters.
    ParametricShift,
    /// End the band, if it has a row, drop the dependences that it carries, and start another.
    NewBand,
    /// Order the strongly connected components one after another.
    SeparateComponents,
    /// Look for this row again, by the whole order, without the user's constraints ([`Origin::Constraint`](crate::Origin::Constraint)); those that the
    /// row breaks are in a [`Warning::ConstraintsDropped`](crate::Warning::ConstraintsDropped). Without effect at a node of an influence tree.
    DropConstraints,
    /// Where no dependence is left and influence asks for another row: do not demand progress.
    DropProgression,
    /// Go on with the next sibling of the influence node.
    NextSibling,
    /// Come back to the closest ancestor of the influence node that has another sibling, and withdraw the rows from there.
    AncestorSibling,
}

impl Fallback {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Replan,
        Self::OtherSigns,
        Self::DeferShallow,
        Self::ParametricShift,
        Self::NewBand,
        Self::SeparateComponents,
        Self::DropConstraints,
        Self::DropProgression,
        Self::NextSibling,
        Self::AncestorSibling,
    ];

    /// Those that most strategies want, in the order in which they want them.
    pub const USUAL: [Self; 5] = [
        Self::OtherSigns,
        Self::NewBand,
        Self::SeparateComponents,
        Self::DeferShallow,
        Self::ParametricShift,
    ];

    /// Its name in strategies and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replan => "replan",
            Self::OtherSigns => "other-signs",
            Self::DeferShallow => "defer-shallow",
            Self::ParametricShift => "parametric-shift",
            Self::NewBand => "new-band",
            Self::SeparateComponents => "separate-components",
            Self::DropConstraints => "drop-constraints",
            Self::DropProgression => "drop-progression",
            Self::NextSibling => "next-sibling",
            Self::AncestorSibling => "ancestor-sibling",
        }
    }
}
