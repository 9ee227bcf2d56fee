//! One file through the facade: is it refused with a place, or followed by a legal schedule?

use super::case::{Case, Kind, Setup};
use super::promises::broken_promise;
use crate::agrees;
use farkas::{Decided, Error, Options, Session, Strategy, analyze, decide, optimize, verify};
use farkas_base::{Diagnostic, SourceFile, render};
use farkas_config::InfluenceFile;
use farkas_interp::Params;
use farkas_schedule::{InfluenceEvent, Scheduled, Warning};
use farkas_scop::Region;
use farkas_tree::Program;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// What happened, in the words of a table; each counts once.
    pub facts: Vec<String>,
    /// What is wrong with the tool.
    pub fault: Option<String>,
    /// How long scheduling took.
    pub schedule_time: Duration,
    /// Units of work that the solver took for the last schedule that was tried.
    pub solver_work: u64,
}

/// Reads the file of a case, schedules its region and checks the result. A panic is not caught.
pub fn check_case(setup: &Setup, case: &Case) -> Finding {
    let mut finding = Finding::default();
    let region = setup.region(case);
    let result = match options_of(case) {
        Err(errors) => Err(Error::Refused(errors)),
        Ok(options) => try_schedule(region, &options, case, &setup.params(), &mut finding),
    };
    let kind = case.kind.name();
    match result {
        Ok(()) => finding.facts.push(format!("{kind}: accepted")),
        Err(Error::Refused(diagnostics)) => {
            for diagnostic in &diagnostics {
                finding.facts.push(format!("{kind}: refused: {}", diagnostic.id));
                require_place(diagnostic, &mut finding);
            }
            let is_about_names = diagnostics.iter().any(|d| !may_refuse_valid(d));
            if diagnostics.is_empty() {
                finding.fail("refused without a message".to_owned());
            } else if is_about_names && !case.is_damaged {
                finding.fail(format!("a valid file is refused: {}", shown(&diagnostics)));
            }
        }
        Err(error) if error.is_out_of_budget() => finding.facts.push(format!("{kind}: {error}")),
        Err(error) => finding.fail(error.to_string()),
    }
    finding.facts.sort();
    finding.facts.dedup();
    finding
}

impl Finding {
    /// Notes a fault; the first one stays.
    fn fail(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }
}

/// The options with the file of the case.
fn options_of(case: &Case) -> Result<Options, Vec<Diagnostic>> {
    let source = Arc::new(SourceFile::new(format!("{}.json", case.seed), case.text.as_str()));
    let options = case.options.clone();
    Ok(match case.kind {
        Kind::Strategy => {
            let strategy = Strategy::from_source(source)?;
            let options = match &strategy {
                Strategy::File(file) => options.with_file(file),
                _ => options,
            };
            Options { strategy, ..options }
        }
        Kind::Tree | Kind::Akg => {
            Options { influence: Some(Arc::new(InfluenceFile::parse(source)?)), ..options }
        }
    })
}

/// Schedules the region, proves the result, and where the case wants it generates and executes the loops.
fn try_schedule(
    region: &Region,
    options: &Options,
    case: &Case,
    params: &Params,
    finding: &mut Finding,
) -> Result<(), Error> {
    let mut session = Session::default();
    let deps = analyze(&region.scop, options, &mut session)?;
    let start = Instant::now();
    let decided = decide(&region.scop, &deps, options, &mut session);
    finding.schedule_time = start.elapsed();
    let Decided { tree, scheduled, .. } = decided?;
    if let Some(scheduled) = &scheduled {
        note_schedule(scheduled, finding);
        if let Some(broken) = broken_promise(&region.scop, options, scheduled) {
            finding.fail(broken);
        }
    }
    verify(&region.scop, &Program::new(&region.scop, tree), &mut session)?;
    if !case.emits {
        return Ok(());
    }
    let optimized = optimize(region, options)?;
    finding.facts.push("emitted".to_owned());
    if let Some(bug) = optimized.session.noticed_bug() {
        finding.fail(bug.message.clone());
    }
    for diagnostic in &optimized.session.diagnostics {
        finding.facts.push(format!("message: {}", diagnostic.id));
        require_place(diagnostic, finding);
    }
    finding
        .facts
        .extend(optimized.session.warnings.iter().map(|w| format!("emitted {}", simpler_form(w))));
    if let Err(message) = agrees(region, &optimized, params, case.seed) {
        finding.fail(message);
    }
    Ok(())
}

/// Notes warnings, fallbacks and the way through an influence tree.
fn note_schedule(scheduled: &Scheduled, finding: &mut Finding) {
    finding.solver_work = scheduled.stats.solver_work;
    let report = &scheduled.report;
    let warning = |warning: &Warning| match warning {
        Warning::OriginalOrder { .. } => "original order",
        Warning::OutOfBudget { .. } => "out of budget",
        Warning::TooLarge { .. } => "too large",
        Warning::Unfusible { .. } => "unfusible",
        Warning::ConstraintsDropped { .. } => "constraints dropped",
        Warning::DirectiveDropped { .. } => "directive dropped",
        _ => "another",
    };
    let warnings = report.warnings.iter().map(|w| format!("warning: {}", warning(w)));
    let fallbacks = report.rows.iter().filter_map(|row| row.fallback);
    let fallbacks = fallbacks.map(|fallback| format!("row by fallback: {}", fallback.name()));
    let steps = report.influence.iter().filter_map(|step| match &step.event {
        InfluenceEvent::Fallback(fallback) => {
            Some(format!("walk by fallback: {}", fallback.name()))
        }
        _ => None,
    });
    let end = report.influence.last().map(|step| match &step.event {
        InfluenceEvent::GivenUp => "walk: given up".to_owned(),
        InfluenceEvent::Exhausted => "walk: exhausted".to_owned(),
        _ => "walk: followed".to_owned(),
    });
    finding.facts.extend(warnings.chain(fallbacks).chain(steps).chain(end));
}

/// The end of a warning on a simpler form, which says which one.
fn simpler_form(warning: &str) -> &str {
    warning.rsplit_once("; ").map_or(warning, |(_, form)| form)
}

/// Whether a file without mistakes may be refused in this way: its wishes may leave no schedule.
fn may_refuse_valid(diagnostic: &Diagnostic) -> bool {
    use farkas_base::DiagnosticId::{ConflictingConstraints, ImpossibleFusion, SplitRow};
    matches!(diagnostic.id, ConflictingConstraints | ImpossibleFusion | SplitRow)
}

/// Every message says where in the user's file, or in the program for one on what the program allows, and can be shown.
fn require_place(diagnostic: &Diagnostic, finding: &mut Finding) {
    let is_on_program = diagnostic.id == farkas_base::DiagnosticId::NoSchedule;
    let file = if is_on_program { ".c:" } else { ".json:" };
    let has_place = match (&diagnostic.source, &diagnostic.primary) {
        (Some(source), Some(label)) => {
            let range = label.span.range();
            range.start <= range.end && range.end <= source.text().len()
        }
        _ => false,
    };
    if !has_place || !render(diagnostic, false).contains(file) {
        finding.fail(format!("a message without a place: {}", render(diagnostic, false)));
    }
}

/// All messages as a terminal shows them.
fn shown(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| render(d, false)).collect()
}
