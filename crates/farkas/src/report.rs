//! What was done to a region, for people.

use farkas_base::SourceFile;
use farkas_deps::Dependences;
use farkas_front_isl::Constraint;
use farkas_schedule::Scheduled;
use farkas_scop::{Assumption, Region, Scop};
use farkas_transform::Remark;
use std::fmt::Write;

/// What was found, assumed, decided and done in a region, as lines of text; `basis` is the scop that was scheduled, and `more` what
/// its result takes for granted beside the region's scop.
pub fn region_report(
    source: &SourceFile,
    region: &Region,
    (basis, deps): (&Scop, &Dependences),
    scheduled: Option<&Scheduled>,
    (more, remarks): (&[Assumption], &[Remark]),
) -> String {
    let scop = &region.scop;
    let at = source.line(region.span);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} (line {at} of {}): {} statements, {} arrays, {} dependences",
        scop.name(),
        source.name(),
        scop.stmts().len(),
        scop.arrays().len(),
        deps.deps.len(),
    );
    for assumption in scop.assumptions().iter().chain(more) {
        let _ = writeln!(text, "  assumed: {assumption}");
    }
    for guard in region.host.macro_guards.iter().filter(|g| g.testable.is_none()) {
        let _ = writeln!(text, "  holds for the macro {} = {} alone", guard.name, guard.value);
    }
    if let Some(scheduled) = scheduled {
        write_decisions(&mut text, basis, scheduled);
    }
    for remark in remarks {
        let _ = writeln!(text, "  {}: {} ({})", remark.pass, remark.text, remark.stmts.join(", "));
    }
    let _ = writeln!(text, "  verified: every read gets the same value in the emitted order");
    text
}

/// What was found and decided for schedule constraints, as lines of text.
pub fn constraints_report(
    scop: &Scop,
    constraints: &[Constraint],
    scheduled: Option<&Scheduled>,
) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: {} statements, {} constraints",
        scop.name(),
        scop.stmts().len(),
        constraints.len()
    );
    if let Some(scheduled) = scheduled {
        write_decisions(&mut text, scop, scheduled);
    }
    let _ = writeln!(text, "  verified: every constraint is kept by the emitted order");
    text
}

/// What the scheduler decided, and the fallbacks that it took.
fn write_decisions(text: &mut String, scop: &Scop, scheduled: &Scheduled) {
    for decision in &scheduled.report.fusion {
        let names = |ids: &[farkas_scop::StmtId]| {
            ids.iter().map(|&s| scop.stmts()[s].name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let verb = if decision.fused { "fused with" } else { "apart from" };
        let _ = writeln!(
            text,
            "  {} {verb} {}: {}",
            names(&decision.stmts),
            names(&decision.with),
            decision.reason
        );
    }
    for warning in &scheduled.report.warnings {
        let _ = writeln!(text, "  warning: {warning}");
    }
}
