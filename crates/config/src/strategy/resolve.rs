//! A strategy file on the statements of a scop.

use super::{DirectiveEntry, FusionEntry, StrategyFile};
use crate::constraint::{ResolvedTerm, resolve as resolve_constraint};
use crate::names::Names;
use crate::report::Report;
use farkas_base::{DiagnosticId, Span};
use farkas_schedule::{Config, ConfigConstraint, ConfigTerm, Directive, DirectiveKind, FusionRule};
use farkas_scop::StmtId;
use std::collections::BTreeMap;

/// The strategy, with messages where it does not fit.
pub(super) fn resolve(file: &StrategyFile, names: &Names<'_>, report: &mut Report) -> Config {
    Config {
        constraints: constraints(file, names, report),
        fusion: file.fusion.iter().map(|entry| fusion(entry, names, report)).collect(),
        directives: directives(&file.directives, names, report),
        ..file.config.clone()
    }
}

/// The constraints of all statements; those of one origin stand together.
fn constraints(
    file: &StrategyFile,
    names: &Names<'_>,
    report: &mut Report,
) -> Vec<ConfigConstraint> {
    let mut constraints = Vec::new();
    for (origin, (dimension, constraint)) in file.constraints.iter().enumerate() {
        for row in resolve_constraint(constraint, names, report) {
            let term = |(term, factor)| (config_term(term), factor);
            constraints.push(ConfigConstraint {
                dimension: *dimension,
                kind: row.kind,
                terms: row.terms.into_iter().map(term).collect(),
                constant: row.constant,
                origin,
            });
        }
    }
    constraints
}

/// The term; strategies name no rows.
fn config_term(term: ResolvedTerm) -> ConfigTerm {
    match term {
        ResolvedTerm::Coefficient(stmt, which, _) => ConfigTerm::Coefficient(stmt, which),
        ResolvedTerm::Variable(position) => ConfigTerm::Variable(position),
    }
}

/// The groups of one dimension; no statement is in two.
fn fusion(entry: &FusionEntry, names: &Names<'_>, report: &mut Report) -> FusionRule {
    let mut seen: BTreeMap<StmtId, (usize, Span)> = BTreeMap::new();
    let mut groups = Vec::new();
    for (number, group) in entry.groups.iter().enumerate() {
        for name in group {
            for stmt in names.stmts(report, name) {
                let first = *seen.entry(stmt).or_insert((number, name.span));
                if first.0 != number {
                    let message = format!("statement `{}` is in two groups", name.text);
                    let id = DiagnosticId::ContradictoryEntries;
                    let diagnostic = report.at(id, name.span, message, "again");
                    report.push(diagnostic.also(first.1, "first here"));
                }
            }
        }
        let in_group = seen.iter().filter(|(_, (of, _))| *of == number);
        groups.push(in_group.map(|(stmt, _)| *stmt).collect());
    }
    FusionRule { dimension: entry.dimension, total_distribution: entry.total_distribution, groups }
}

/// The directives in the order of the file. One whose iterator has different places in its statements becomes several.
fn directives(
    entries: &[DirectiveEntry],
    names: &Names<'_>,
    report: &mut Report,
) -> Vec<Directive> {
    let mut found: Vec<(Directive, Span)> = Vec::new();
    for (origin, entry) in entries.iter().enumerate() {
        let mut by_place: BTreeMap<usize, Vec<StmtId>> = BTreeMap::new();
        for stmt in names.all_stmts(report, &entry.stmts) {
            match names.iterator(stmt, &entry.iterator.text) {
                Some(place) => by_place.entry(place).or_default().push(stmt),
                None => names.unknown_iterator(report, stmt, &entry.iterator),
            }
        }
        for (iterator, stmts) in by_place {
            let directive = Directive { kind: entry.kind, stmts, iterator, origin };
            contradictions(&found, &directive, entry.place, names, report);
            found.push((directive, entry.place));
        }
    }
    found.into_iter().map(|(directive, _)| directive).collect()
}

/// Reports an earlier directive that cannot hold together with this one.
fn contradictions(
    earlier: &[(Directive, Span)],
    directive: &Directive,
    place: Span,
    names: &Names<'_>,
    report: &mut Report,
) {
    for (other, first) in earlier {
        let shared = other.stmts.iter().filter(|stmt| directive.stmts.contains(stmt));
        for stmt in shared {
            let Some(statement) = names.scop.stmts().get(*stmt) else { continue };
            let Some(reason) = contradiction(other, directive, statement.depth()) else { continue };
            let message =
                format!("two directives contradict each other for statement {}", statement.name);
            let id = DiagnosticId::ContradictoryEntries;
            let diagnostic = report.at(id, place, message, reason);
            report.push(diagnostic.also(*first, "the other one"));
            return;
        }
    }
}

/// Why two directives on one statement with `depth` loops cannot both hold.
fn contradiction(a: &Directive, b: &Directive, depth: usize) -> Option<&'static str> {
    use DirectiveKind::{Parallel, Sequential, Vectorize};
    let kinds = if a.kind <= b.kind { (a.kind, b.kind) } else { (b.kind, a.kind) };
    let same_loop = a.iterator == b.iterator;
    match kinds {
        (Parallel, Sequential) if same_loop => Some("a loop is parallel or sequential"),
        (Parallel, Vectorize) if same_loop && depth > 1 => {
            Some("a loop goes outermost to be parallel, innermost to be vectorized")
        }
        (Vectorize, Vectorize) if !same_loop => Some("only one loop is innermost"),
        _ => None,
    }
}
