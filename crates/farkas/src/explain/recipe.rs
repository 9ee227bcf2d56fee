//! What each step of a recipe makes of the loops.

use crate::analyze::analyze;
use crate::basis::Basis;
use crate::decide::{Decided, decide};
use crate::form::generate;
use crate::recipe::{Reached, Recipe};
use crate::setting::setting;
use crate::storage::asked_for;
use crate::strategy::Strategy;
use crate::{Error, Options, Session, effort};
use farkas_deps::{Verdict, legality};
use farkas_scop::{Region, Scop};
use farkas_transform::Action;
use std::fmt::Write;

/// The loops of a region before and after each step of the recipe in `options`, as lines of text, and whether what they compute is
/// what the region does.
///
/// # Errors
/// [`Error::Refused`] when a step does not apply; when isl refuses or its budget is used up.
pub fn explain_recipe(region: &Region, options: &Options) -> Result<String, Error> {
    let options = &options.for_region(region);
    effort::within(&region.scop, options.effort, || explained(region, options))
}

/// The same without a limit of its own.
fn explained(region: &Region, options: &Options) -> Result<String, Error> {
    let Some(file) = &options.recipe else { return Ok(String::new()) };
    let mut session = Session::default();
    let deps = analyze(&region.scop, options, &mut session)?;
    let basis = asked_for(Basis::of(&region.scop, deps), options, &mut session)?;
    let Basis { scop, deps, .. } = &basis;
    let Decided { tree, reorders, .. } = decide(scop, deps, options, &mut session)?;
    let setting = setting(scop, deps, reorders, options);
    let (programs, remarks) = Recipe { file, setting, options }.reached(&tree)?;
    let mut text = format!("{}: recipe {}\n", scop.name(), file.name());
    if let Some(description) = file.description() {
        let _ = writeln!(text, "{description}");
    }
    for warning in &session.warnings {
        let _ = writeln!(text, "{warning}");
    }
    for step in &basis.steps {
        let _ = writeln!(text, "\n{}", json(&Action::Step(step.clone())));
    }
    let mut before = String::new();
    for (at, reached) in programs.iter().enumerate() {
        let (loops, words) = stage(region, scop, reached, &options.strategy, &mut session)?;
        let _ = writeln!(text, "\n{at}. {words}");
        text.push_str(if loops == before { "   the same loops\n" } else { &loops });
        before = loops;
    }
    for remark in &remarks {
        let _ = writeln!(text, "\n{}: {} ({})", remark.pass, remark.text, remark.stmts.join(", "));
    }
    Ok(text)
}

/// The loops of a program, with what they compute wrongly, and the words for the step that made it.
fn stage(
    region: &Region,
    scop: &Scop,
    (step, program): &Reached,
    strategy: &Strategy,
    session: &mut Session,
) -> Result<(String, String), Error> {
    let words = match step {
        None => format!("the order to begin with: {}", strategy.name()),
        Some(step) => json(&step.action),
    };
    let ast = generate(region, program, session)?;
    let mut loops = String::new();
    for line in ast.to_string().lines() {
        let _ = writeln!(loops, "   {line}");
    }
    if let Verdict::Illegal(found) = legality::check_program(scop, program)? {
        let _ = writeln!(loops, "   this computes something else: {found}");
    }
    Ok((loops, words))
}

/// A step as it stands in files.
fn json(action: &Action) -> String {
    serde_json::to_string(action).unwrap_or_default()
}
