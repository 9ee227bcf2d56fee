//! Messages on strategies of the user's that leave no schedule, or that were not followed.

use crate::words::{Names, carried_lines};
use crate::{Error, Options, Strategy};
use farkas_base::{Diagnostic, DiagnosticId, Span};
use farkas_config::StrategyFile;
use farkas_deps::{DepId, Dependences};
use farkas_schedule::{InfluenceEvent, InfluenceStep, Origin, Scheduled, Warning};
use farkas_scop::{Scop, StmtId};

/// How many nodes of an influence tree a message names.
const MAX_TOLD_NODES: usize = 8;

/// An error of the scheduler as the user's, where a strategy of the user's is the reason.
pub(crate) fn refusal(
    error: farkas_schedule::Error,
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
) -> Error {
    let words = Words { scop, deps, options };
    let diagnostic = match &error {
        farkas_schedule::Error::Conflict { stmts, dimension, origins, deps } => {
            words.conflict(stmts, *dimension, origins, deps)
        }
        farkas_schedule::Error::Unkept { stmts, dimension, origin, is_missing } => {
            words.unkept(stmts, *dimension, *origin, *is_missing)
        }
        farkas_schedule::Error::ImpossibleFusion { stmts, together, dimension, deps } => {
            words.fusion(stmts, *together, *dimension, deps)
        }
        _ => return error.into(),
    };
    Error::Refused(vec![diagnostic])
}

/// The messages on constraints and directives that were dropped, and on statements that keep their original order.
pub(crate) fn dropped(
    scheduled: Option<&Scheduled>,
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
) -> Vec<Diagnostic> {
    let words = Words { scop, deps, options };
    let message = |warning: &Warning| match warning {
        Warning::ConstraintsDropped { stmts, dimension, origins } => {
            Some(words.broken(stmts, *dimension, origins))
        }
        Warning::DirectiveDropped { stmts, kind, iterator, origin, dep } => {
            let loops = &scop.stmts()[*stmts.first()?].iterators;
            let name =
                loops.get(*iterator).map_or_else(|| iterator.to_string(), |i| i.name.clone());
            let message = format!(
                "directive `{}` of loop `{name}` around {} is dropped: no legal schedule follows it",
                kind.name(),
                words.names(stmts)
            );
            let diagnostic = Diagnostic::new(DiagnosticId::DirectiveDropped, message);
            let place = words.file().and_then(|file| file.directive(*origin));
            let diagnostic = words.at(diagnostic, place, "not with the dependences");
            Some(words.with_deps(diagnostic, dep.as_slice()))
        }
        Warning::OriginalOrder { stmts } => {
            let is_cut = |other: &Warning| matches!(other, Warning::OutOfBudget { .. });
            let mut warnings = scheduled.iter().flat_map(|s| &s.report.warnings);
            let reason = match warnings.any(is_cut) {
                true => "the search takes too much work",
                false => "no row is legal",
            };
            Some(words.unscheduled(stmts, reason))
        }
        Warning::TooLarge { stmts, reason } => Some(words.unscheduled(stmts, reason)),
        _ => None,
    };
    let warnings = scheduled.iter().flat_map(|s| &s.report.warnings).filter_map(message);
    let influence = scheduled.filter(|s| follows_no_scenario(s)).and_then(|s| words.influence(s));
    warnings.chain(influence).collect()
}

/// Whether a walk through an influence tree ended without a scenario.
fn follows_no_scenario(scheduled: &Scheduled) -> bool {
    let last = scheduled.report.influence.last().map(|step| &step.event);
    matches!(last, Some(InfluenceEvent::GivenUp | InfluenceEvent::Exhausted))
}

/// Whether no scenario is followed on a walk so short that the reasons are worth the work that they take.
pub(crate) fn wants_reasons(scheduled: &Scheduled) -> bool {
    let is_failure = |step: &&InfluenceStep| matches!(step.event, InfluenceEvent::NoRow { .. });
    let n_failures = scheduled.report.influence.iter().filter(is_failure).count();
    follows_no_scenario(scheduled) && n_failures <= MAX_TOLD_NODES
}

/// Whether [`dropped`] has a message for a warning of the scheduler's.
pub(crate) fn has_message(warning: &Warning) -> bool {
    matches!(
        warning,
        Warning::ConstraintsDropped { .. }
            | Warning::DirectiveDropped { .. }
            | Warning::OriginalOrder { .. }
            | Warning::TooLarge { .. }
    )
}

/// What messages are made of.
struct Words<'a> {
    scop: &'a Scop,
    deps: &'a Dependences,
    options: &'a Options,
}

impl Words<'_> {
    /// Names of statements.
    fn names(&self, stmts: &[StmtId]) -> String {
        let names: Vec<&str> =
            stmts.iter().map(|&stmt| self.scop.stmts()[stmt].name.as_str()).collect();
        names.join(", ")
    }

    /// Statements that keep their original order.
    fn unscheduled(&self, stmts: &[StmtId], reason: &str) -> Diagnostic {
        let names = self.names(stmts);
        let message = format!("no schedule found for {names}: the original order stays");
        let diagnostic = Diagnostic::new(DiagnosticId::NoSchedule, message);
        let span = stmts.iter().find_map(|&stmt| self.scop.stmts()[stmt].span);
        match (&self.options.source, span) {
            (Some(source), Some(span)) => diagnostic.at(source, span, reason),
            _ => diagnostic.note(reason),
        }
    }

    /// Constraints that leave no row.
    fn conflict(
        &self,
        stmts: &[StmtId],
        dimension: usize,
        origins: &[Origin],
        deps: &[DepId],
    ) -> Diagnostic {
        let plural =
            if origins.len() == 1 { "this constraint leaves" } else { "these constraints leave" };
        let message = format!("{plural} no row {dimension} for {}", self.names(stmts));
        let diagnostic = Diagnostic::new(DiagnosticId::ConflictingConstraints, message);
        let numbers = origins.iter().filter_map(|origin| match origin {
            Origin::Constraint(number) => Some(*number),
            Origin::Directive(_) => None,
        });
        let diagnostic = self.at_constraints(diagnostic, numbers);
        let diagnostic = self.with_deps(diagnostic, deps);
        if origins.len() > 1 {
            diagnostic.help("without any one of them there is a row")
        } else {
            diagnostic.help("without it there is a row")
        }
    }

    /// A constraint on a row that is not there, or is another.
    fn unkept(
        &self,
        stmts: &[StmtId],
        dimension: usize,
        origin: Origin,
        is_missing: bool,
    ) -> Diagnostic {
        let names = self.names(stmts);
        let (message, label) = if is_missing {
            (
                format!(
                    "this constraint is on row {dimension}, which the schedule of {names} lacks"
                ),
                "what is not there counts as zero",
            )
        } else {
            (
                format!("the schedule of {names} breaks this constraint on row {dimension}"),
                "the statements do not share their loops",
            )
        };
        let diagnostic = Diagnostic::new(DiagnosticId::ConflictingConstraints, message);
        let number = match origin {
            Origin::Constraint(number) => Some(number),
            Origin::Directive(_) => None,
        };
        let place = number.and_then(|number| self.file()?.constraint(number));
        self.at(diagnostic, place.map(|(_, span)| span), label)
            .help("name another row, or leave the constraint out")
    }

    /// An influence tree of which no scenario is followed, with what leaves its nodes without a row.
    fn influence(&self, scheduled: &Scheduled) -> Option<Diagnostic> {
        let file = self.options.influence.as_ref()?;
        let message = "no scenario of the influence tree is followed: the plain schedule is taken";
        let mut diagnostic = Diagnostic::new(DiagnosticId::InfluenceDropped, message).at(
            file.source(),
            file.place(),
            "no legal row on any way through it",
        );
        let mut told: Vec<(String, &[DepId])> = Vec::new();
        for step in &scheduled.report.influence {
            let InfluenceEvent::NoRow { constraints, deps } = &step.event else { continue };
            let path: Vec<String> = step.path.iter().map(usize::to_string).collect();
            let under = match (constraints.is_empty(), deps.is_empty()) {
                (true, true) => String::new(),
                (true, false) => " whatever its constraints".to_owned(),
                (false, _) => format!(" under {}", constraints.join(" and ")),
            };
            let line = format!("scenario {} has no row{under}", path.join("."));
            if !told.iter().any(|(known, _)| *known == line) {
                told.push((line, deps));
            }
        }
        for (line, deps) in told.into_iter().take(MAX_TOLD_NODES) {
            diagnostic = self.with_deps(diagnostic.note(line), deps);
        }
        Some(diagnostic)
    }

    /// Constraints that a row breaks.
    fn broken(&self, stmts: &[StmtId], dimension: usize, origins: &[usize]) -> Diagnostic {
        let (plural, it) =
            if origins.len() == 1 { ("constraint is", "it") } else { ("constraints are", "them") };
        let message = format!(
            "{plural} dropped at row {dimension} for {}: no legal row keeps {it}",
            self.names(stmts)
        );
        let diagnostic = Diagnostic::new(DiagnosticId::ConstraintDropped, message);
        self.at_constraints(diagnostic, origins.iter().copied())
    }

    /// The message at constraints of the strategy's file, by their numbers.
    fn at_constraints(
        &self,
        mut diagnostic: Diagnostic,
        numbers: impl Iterator<Item = usize>,
    ) -> Diagnostic {
        let Some(file) = self.file() else { return diagnostic };
        let places = numbers.filter_map(|number| file.constraint(number));
        for (at, (_, span)) in places.enumerate() {
            diagnostic = match at {
                0 => diagnostic.at(
                    file.source(),
                    span,
                    "not with the dependences and the rows so far",
                ),
                _ => diagnostic.also(span, "and this one"),
            };
        }
        diagnostic
    }

    /// Groups that cannot be.
    fn fusion(
        &self,
        stmts: &[StmtId],
        together: bool,
        dimension: usize,
        deps: &[DepId],
    ) -> Diagnostic {
        let names = self.names(stmts);
        let message = if together {
            format!(
                "{names} cannot share loops at row {dimension}: they have no legal row in common"
            )
        } else {
            format!(
                "{names} cannot be apart as the groups at row {dimension} want it: they depend on one another"
            )
        };
        let place = self.file().and_then(|file| file.fusion(dimension));
        let diagnostic = Diagnostic::new(DiagnosticId::ImpossibleFusion, message);
        self.with_deps(self.at(diagnostic, place, "asked for here"), deps)
    }

    /// The file of the strategy, if it has one.
    fn file(&self) -> Option<&StrategyFile> {
        match &self.options.strategy {
            Strategy::File(file) => Some(file),
            _ => None,
        }
    }

    /// The message at a place of the strategy's file.
    fn at(&self, diagnostic: Diagnostic, place: Option<Span>, label: &str) -> Diagnostic {
        match (self.file(), place) {
            (Some(file), Some(place)) => diagnostic.at(file.source(), place, label),
            _ => diagnostic,
        }
    }

    /// The message with the dependences that matter, in the user's terms where the file is known.
    fn with_deps(&self, mut diagnostic: Diagnostic, ids: &[DepId]) -> Diagnostic {
        let lines = match &self.options.source {
            Some(source) => carried_lines(Names::new(source, self.scop), self.deps, ids),
            None => ids.iter().map(|&id| self.deps[id].to_string()).collect(),
        };
        for line in lines {
            diagnostic = diagnostic.note(line);
        }
        diagnostic
    }
}
