//! Loops that a strategy's directives want in vector lanes: marked where that is legal, with a message where it is not.

use crate::scheduling::lines;
use crate::{Error, Options, Strategy};
use farkas_analysis::StrideModel;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::Target;
use farkas_schedule::{Directive, DirectiveKind, Scheduled, Warning};
use farkas_scop::{Scop, StmtId};
use farkas_transform::{WantedLoop, WantedLoops, WantedVectors, without_vector_loop};
use farkas_tree::Program;

/// The directives for vector loops of a strategy's file.
fn directives(scop: &Scop, options: &Options) -> Result<Vec<Directive>, Error> {
    let Strategy::File(file) = &options.strategy else { return Ok(Vec::new()) };
    let config = file.resolve(scop, lines(options)).map_err(Error::Refused)?;
    let mut directives = config.directives;
    directives.retain(|directive| directive.kind == DirectiveKind::Vectorize);
    Ok(directives)
}

/// What the directives ask for, for the statements of `scop`.
fn wanted(directives: &[Directive]) -> WantedLoops {
    let mut wanted = WantedLoops::new();
    for directive in directives {
        for &stmt in &directive.stmts {
            wanted.entry(stmt).or_default().push(directive.iterator);
        }
    }
    wanted
}

/// The loops that the directives want in vector lanes, by statement; none where nobody asks for such.
///
/// # Errors
/// [`Error::Refused`] when the strategy's file names what the scop does not have.
pub(crate) fn wanted_loops(scop: &Scop, options: &Options) -> Result<Option<WantedVectors>, Error> {
    let mut loops = Vec::new();
    for Directive { stmts, iterator, .. } in directives(scop, options)? {
        let name = |stmt: &StmtId| scop.stmts()[*stmt].name.clone();
        loops.extend(stmts.iter().map(|stmt| WantedLoop { stmt: name(stmt), iterator }));
    }
    Ok((!loops.is_empty()).then_some(WantedVectors { loops }))
}

/// The messages on directives whose loops are in no vector lanes in the end, but those that the scheduler dropped.
///
/// # Errors
/// When isl refuses.
pub(crate) fn missing(
    scop: &Scop,
    program: &Program,
    scheduled: Option<&Scheduled>,
    options: &Options,
) -> Result<Vec<Diagnostic>, Error> {
    let mut directives = directives(scop, options)?;
    let dropped = |directive: &Directive, stmt| {
        scheduled.iter().flat_map(|s| &s.report.warnings).any(|warning| {
            matches!(warning, Warning::DirectiveDropped { stmts, origin, .. }
                if *origin == directive.origin && stmts.contains(&stmt))
        })
    };
    for directive in &mut directives {
        let kept = directive.stmts.iter().copied().filter(|&stmt| !dropped(directive, stmt));
        directive.stmts = kept.collect();
    }
    if scheduled.is_none() || program.scop != *scop {
        return Ok(Vec::new());
    }
    let left = without_vector_loop(&program.tree, &StrideModel::new(scop)?, &wanted(&directives))?;
    let mut messages = Vec::new();
    for directive in &directives {
        for stmt in directive.stmts.iter().filter(|stmt| left.contains_key(stmt)) {
            messages.push(message(directive, &scop.stmts()[*stmt], options));
        }
    }
    Ok(messages)
}

/// The message on one directive for one statement.
fn message(directive: &Directive, stmt: &farkas_scop::Statement, options: &Options) -> Diagnostic {
    let iterator = stmt.iterators.get(directive.iterator);
    let name = iterator.map_or_else(|| directive.iterator.to_string(), |i| i.name.clone());
    let (kind, around) = (directive.kind.name(), &stmt.name);
    let message =
        format!("directive `{kind}` of loop `{name}` around {around} makes no vector loop");
    let reason = match options.target {
        Target::OpenMp => "in the end that loop is not innermost, or other statements share it",
        Target::C => "plain C has no way to say so",
        Target::Device(_) => "kernels have no vector lanes",
    };
    let diagnostic = Diagnostic::new(DiagnosticId::DirectiveDropped, message);
    let place = match &options.strategy {
        Strategy::File(file) => file.directive(directive.origin).map(|span| (file.source(), span)),
        _ => None,
    };
    match place {
        Some((source, span)) => diagnostic.at(source, span, reason),
        None => diagnostic.note(reason),
    }
}
