//! What `farkas check` does: a schedule that someone else made, judged against a region.

mod words;

pub use farkas_front_isl::{Schedule, read_schedule};

use crate::analyze::analyze;
use crate::words::{Names, carried_lines, not_parallel};
use crate::{Error, Input, Options, Session};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_deps::{Verdict, carried, legality};
use farkas_scop::Region;
use farkas_tree::{Cursor, Node, ScheduleTree};
use std::fmt::Write;

/// Judges `schedule`: what is parallel in it as lines of text when it is legal, else the counterexample.
///
/// # Errors
/// The diagnostic of an illegal schedule, or of one that could not be judged.
pub fn check(
    input: &Input,
    region: &Region,
    schedule: &Schedule,
) -> Result<String, Box<Diagnostic>> {
    let scop = &region.scop;
    match legality::check(scop, &schedule.tree) {
        Ok(Verdict::Legal) => {}
        Ok(Verdict::Illegal(found)) => {
            return Err(Box::new(words::illegal(input, scop, schedule, &found)));
        }
        Err(error) => return Err(Box::new(undecided(&error))),
    }
    loops(input, region, schedule).map_err(|error| Box::new(error.to_diagnostic()))
}

/// A schedule that could not be judged.
fn undecided(error: &farkas_deps::Error) -> Diagnostic {
    let id = match error {
        farkas_deps::Error::OutOfBudget => DiagnosticId::TooComplex,
        _ => DiagnosticId::BadSchedule,
    };
    Diagnostic::new(id, format!("the schedule cannot be judged: {error}"))
}

/// The verdict and what each loop carries.
fn loops(input: &Input, region: &Region, schedule: &Schedule) -> Result<String, Error> {
    let scop = &region.scop;
    let deps = analyze(scop, &Options::default(), &mut Session::default())?;
    let names = Names::new(&input.source, scop);
    let mut text = format!("{}: legal, every read gets the same value\n", scop.name());
    for report in carried::coincidence(&deps, &schedule.tree)? {
        let name = loop_name(schedule, &report.cursor, report.member);
        if report.is_parallel() {
            let _ = writeln!(text, "  {name}: may run in parallel");
            continue;
        }
        let _ = writeln!(text, "  {name}: {}", not_parallel(names, &deps, &report.blocked_by));
        for line in carried_lines(names, &deps, &report.blocked_by) {
            let _ = writeln!(text, "    - {line}");
        }
    }
    Ok(text)
}

/// `dimension 1`, or `loop 0 of the band at /0/1, { S0[i] -> [(i)] }`.
fn loop_name(schedule: &Schedule, cursor: &Cursor, member: usize) -> String {
    if schedule.is_map {
        return format!("dimension {}", cursor.steps().len().saturating_sub(1));
    }
    let mut name = format!("loop {member} of the band at {cursor}");
    if let Ok(Node::Band { band, .. }) = schedule.tree.at(cursor).map(ScheduleTree::node)
        && let Some(member) = band.members.get(member)
    {
        let text = member.schedule.to_string();
        // The parameters that isl declares in front say nothing here.
        let text = text.find('{').and_then(|at| text.get(at..)).unwrap_or(&text);
        let _ = write!(name, ", {text}");
    }
    name
}
