//! What shares loops and why, which fallbacks fired, what transformations did.

use super::section;
use crate::code::Optimized;
use crate::words::{Names, carried_lines, stmt_list};
use farkas_astgen::Node;
use farkas_schedule::{Fallback, InfluenceEvent, InfluenceStep};
use farkas_scop::StmtId;

/// Which statements share loops in the result, and the decisions that led there.
pub(super) fn fusion(names: &Names<'_>, optimized: &Optimized) -> String {
    let mut sharing: Vec<(Vec<StmtId>, Vec<String>)> = Vec::new();
    shared(&optimized.ast.body, &mut sharing);
    let together = sharing.iter().map(|(stmts, loops)| {
        let (stmts, n) = (stmt_list(&optimized.scop, stmts), loops.len());
        format!("{stmts} share loop{} `{}`", if n == 1 { "" } else { "s" }, loops.join("`, `"))
    });
    let decisions = optimized.scheduled.iter().flat_map(|s| &s.report.fusion).map(|decision| {
        let verb = if decision.fused { "fused with" } else { "apart from" };
        format!(
            "{} {verb} {}: {}",
            stmt_list(names.scop, &decision.stmts),
            stmt_list(names.scop, &decision.with),
            decision.reason
        )
    });
    section("fusion", together.chain(decisions))
}

/// The forms between which strategy `auto` chose, with what each costs.
pub(super) fn forms(optimized: &Optimized) -> String {
    let text = optimized.ranking.as_ref().map(ToString::to_string).unwrap_or_default();
    let heading = "forms, and their cost by the machine model";
    section(heading, text.lines().map(str::to_owned))
}

/// The way through the influence tree.
pub(super) fn influence(names: &Names<'_>, optimized: &Optimized) -> String {
    let steps = optimized.scheduled.iter().flat_map(|s| &s.report.influence);
    section("influence", steps.flat_map(|step| told(names, optimized, step)))
}

/// What happened at a node, and below it the dependences that had a part in it.
fn told(names: &Names<'_>, optimized: &Optimized, step: &InfluenceStep) -> Vec<String> {
    let path: Vec<String> = step.path.iter().map(usize::to_string).collect();
    let node = format!("row {}, scenario {}", step.path.len() - 1, path.join("."));
    match &step.event {
        InfluenceEvent::NoRow { constraints, deps } => {
            let under = if constraints.is_empty() {
                "whatever its constraints".to_owned()
            } else {
                format!("under {}", constraints.join(" and "))
            };
            let lines = carried_lines(*names, &optimized.deps, deps);
            let lines = lines.into_iter().map(|line| format!("  because of {line}"));
            [format!("{node}: there is none {under}")].into_iter().chain(lines).collect()
        }
        InfluenceEvent::Row => vec![format!("{node}: found")],
        InfluenceEvent::Fallback(fallback) => vec![format!("{node}: {}", words(*fallback))],
        _ => vec![format!("{node}: no scenario is left, the plain schedule is taken")],
    }
}

/// What a fallback of influence did.
fn words(fallback: Fallback) -> &'static str {
    match fallback {
        Fallback::DropProgression => "a supplementary row that need not progress",
        Fallback::NextSibling => "the next sibling is tried",
        Fallback::NewBand => "tried again in a new band",
        Fallback::AncestorSibling => "gone back to this sibling of an ancestor",
        Fallback::SeparateComponents => "tried again with the components one after another",
        _ => found_by(fallback),
    }
}

/// How a fallback that leads to a row did so.
fn found_by(fallback: Fallback) -> &'static str {
    match fallback {
        Fallback::OtherSigns => "found with other signs of its coefficients",
        Fallback::ParametricShift => "found when it might use parameters",
        Fallback::DeferShallow => "found when only the deepest statements had to progress",
        Fallback::Replan => "found by another plan of the strategy",
        Fallback::DropConstraints => "found without the strategy's extra constraints",
        _ => "found by a fallback",
    }
}

/// Collects the statements that some loop has in common, with the names of such loops.
fn shared(nodes: &[Node], sharing: &mut Vec<(Vec<StmtId>, Vec<String>)>) {
    for node in nodes {
        node.for_each_loop(&mut |node| {
            let stmts = &node.info.stmts;
            if stmts.len() < 2 {
                return;
            }
            match sharing.iter_mut().find(|(other, _)| other == stmts) {
                Some((_, loops)) if loops.contains(&node.iterator) => {}
                Some((_, loops)) => loops.push(node.iterator.clone()),
                None => sharing.push((stmts.clone(), vec![node.iterator.clone()])),
            }
        });
    }
}

/// Fallbacks of the scheduler and of the pipeline.
pub(super) fn fallbacks(names: &Names<'_>, optimized: &Optimized) -> String {
    let rows = optimized.scheduled.iter().flat_map(|s| &s.report.rows).filter_map(|row| {
        let what = found_by(row.fallback?);
        Some(format!(
            "dimension {} of {}: {what}",
            row.dimension,
            stmt_list(names.scop, &row.stmts)
        ))
    });
    let warnings = optimized.scheduled.iter().flat_map(|s| &s.report.warnings);
    let warnings =
        warnings.map(ToString::to_string).chain(optimized.session.warnings.iter().cloned());
    section("fallbacks", rows.chain(warnings))
}

/// What the transformations did; the same once.
pub(super) fn remarks(optimized: &Optimized) -> String {
    let mut lines: Vec<String> = Vec::new();
    for remark in &optimized.remarks {
        let line = format!("{}: {} ({})", remark.pass, remark.text, remark.stmts.join(", "));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    section("transformations", lines)
}
