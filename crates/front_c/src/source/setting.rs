//! Where a region stands: the pragmas before, in and around it, and what of the file's text goes when it is replaced.

use super::directives::{self, Role, directive_names, role};
use super::nodes::for_each_node;
use super::pragmas::Pragma;
use super::unit::TranslationUnit;
use farkas_base::{Diagnostic, DiagnosticId, Span};
use std::collections::BTreeSet;
use std::ops::Range;
use tree_sitter::Node;

/// What pragmas and directives mean for a region.
#[derive(Clone, Default, Debug)]
pub(super) struct Setting<'u> {
    /// The pragmas right before it that are about its first statement and go with it.
    pub(super) before: Vec<&'u Pragma>,
    /// The pragmas between its statements.
    pub(super) inside: Vec<&'u Pragma>,
    /// Why it must not start threads.
    pub(super) one_thread: Option<String>,
    /// Whether its own pragmas start threads, whatever its sizes.
    pub(super) starts_threads: bool,
}

/// The setting of the statements in `text_range`, whose first token is the region's first; `parent` is the node around them;
/// `marked` is the pragma that opens the region, if one does.
///
/// # Errors
/// `pragma-in-the-way` where the statements without a pragma do not compute what they compute with it.
pub(super) fn setting<'u>(
    unit: &'u TranslationUnit,
    parent: Node<'u>,
    text_range: Range<usize>,
    marked: Option<Span>,
) -> Result<Setting<'u>, Box<Diagnostic>> {
    let mut found = Setting {
        before: before(unit, text_range.start, marked)?,
        inside: inside(unit, text_range.clone()),
        one_thread: around(unit, parent, text_range.start)?,
        starts_threads: false,
    };
    let starts = found.owned().any(|pragma| starts_threads(&pragma.words));
    found.starts_threads = starts;
    let loops: Vec<Range<usize>> = found
        .owned()
        .filter(|p| role(&p.words) == Role::ParallelLoop)
        .filter_map(|p| Some(statement_after(unit, p)?.byte_range()))
        .collect();
    for pragma in &found.inside {
        let is_dropped = match role(&pragma.words) {
            Role::Own | Role::Wish | Role::Nest | Role::ParallelLoop => true,
            Role::Exclusive => loops.iter().any(|range| range.contains(&pragma.at)),
            Role::Standing | Role::Unknown => marked.is_some(),
            Role::Parallel | Role::Shared | Role::Alone | Role::Device => false,
        };
        if !is_dropped {
            return Err(in_the_way(unit, pragma, "inside the region"));
        }
    }
    Ok(found)
}

impl<'u> Setting<'u> {
    /// The pragmas that go with the region.
    pub(super) fn owned(&self) -> impl Iterator<Item = &'u Pragma> {
        self.before.iter().chain(&self.inside).copied()
    }
}

/// Whether a pragma starts threads without a condition.
fn starts_threads(words: &str) -> bool {
    role(words) == Role::ParallelLoop
        && directive_names(words).any(|word| word == "parallel")
        && directives::clauses(words, "if").is_empty()
}

/// The message on a pragma without which something else would be computed.
fn in_the_way(unit: &TranslationUnit, pragma: &Pragma, place: &str) -> Box<Diagnostic> {
    let why = match role(&pragma.words) {
        Role::Unknown => "what it says is not known",
        Role::Nest => "the loops inside belong to it",
        Role::Device => "it is about another processor, or about copies of the function",
        Role::Standing | Role::Wish => "it holds for the code behind it",
        _ => "without it, threads would compute something else",
    };
    let message = format!("`#pragma {}` stands {place}", pragma.words);
    let diagnostic = Diagnostic::new(DiagnosticId::PragmaInTheWay, message);
    Box::new(diagnostic.at(unit.source(), pragma.span, "").note(why))
}

/// The pragmas between the statement that begins at `start` and the token before it.
fn leading(unit: &TranslationUnit, start: usize) -> &[Pragma] {
    let from = unit.token_before(start).map_or(0, |(end, _)| end);
    let pragmas = unit.pragmas();
    let first = pragmas.partition_point(|p| p.at < from);
    let end = pragmas.partition_point(|p| p.at <= start);
    pragmas.get(first..end).unwrap_or_default()
}

/// The pragmas before a region that are about its first statement, which begins at `start`. Those that hold further on stay.
fn before(
    unit: &TranslationUnit,
    start: usize,
    marked: Option<Span>,
) -> Result<Vec<&Pragma>, Box<Diagnostic>> {
    let mut owned: Vec<&Pragma> = Vec::new();
    for pragma in leading(unit, start) {
        match role(&pragma.words) {
            Role::Own => {}
            Role::Wish | Role::Nest | Role::ParallelLoop => owned.push(pragma),
            Role::Standing | Role::Alone if owned.is_empty() => {}
            _ => return Err(in_the_way(unit, pragma, "before the loop")),
        }
    }
    conditional_text(unit, start, &owned, marked)?;
    Ok(owned)
}

/// Refuses pragmas before a loop of which only some runs of the preprocessor know, or that macros make with other code.
fn conditional_text(
    unit: &TranslationUnit,
    start: usize,
    owned: &[&Pragma],
    marked: Option<Span>,
) -> Result<(), Box<Diagnostic>> {
    let own = marked.unwrap_or_else(|| unit.span_of(start..start + 1));
    let before = unit.token_before(start).map_or(0, |(_, span)| span.end).min(own.start);
    let refuse = |span: Span, message: &str| {
        let diagnostic = Diagnostic::new(DiagnosticId::PragmaInTheWay, message);
        Err(Box::new(diagnostic.at(unit.source(), span, "")))
    };
    let live = leading(unit, start);
    let from = owned.iter().map(|p| p.span.start).min();
    for (name, span) in unit.directives_in(Span { start: before, end: own.start }) {
        let is_live = name == "pragma" && live.iter().any(|p| p.span == span);
        if is_live || name != "pragma" && from.is_none_or(|from| span.start < from) {
            continue;
        }
        return refuse(
            span,
            "what stands before the loop depends on a condition of the preprocessor",
        );
    }
    match owned.iter().find(|p| p.span.start < before) {
        Some(pragma) => refuse(pragma.span, "a macro makes a pragma together with other code"),
        None => Ok(()),
    }
}

/// The pragmas inside of `range`.
fn inside(unit: &TranslationUnit, range: Range<usize>) -> Vec<&Pragma> {
    let pragmas = unit.pragmas();
    let first = pragmas.partition_point(|p| p.at <= range.start);
    let end = pragmas.partition_point(|p| p.at < range.end);
    let found = pragmas.get(first..end).unwrap_or_default();
    found.iter().filter(|p| role(&p.words) != Role::Own).collect()
}

/// Why a region whose first statement begins at `start` in `parent` must not start threads, if so.
fn around(
    unit: &TranslationUnit,
    parent: Node<'_>,
    start: usize,
) -> Result<Option<String>, Box<Diagnostic>> {
    let mut one_thread = None;
    let (mut below, mut n_loops) = (start, 0);
    for node in std::iter::successors(Some(parent), Node::parent) {
        if node.kind() == "function_definition" {
            return Ok(one_thread.or(of_function(unit, node)?));
        }
        n_loops += usize::from(node.kind() == "for_statement");
        if node.start_byte() == below {
            continue;
        }
        below = node.start_byte();
        for pragma in leading(unit, below) {
            let is_loop = node.kind() == "for_statement";
            let is_part = match role(&pragma.words) {
                Role::Nest | Role::Device | Role::Unknown => true,
                _ if directives::has_lanes(&pragma.words) => true,
                _ => is_loop && directives::n_loops(&pragma.words).is_none_or(|n| n_loops < n),
            };
            if is_part {
                return Err(in_the_way(unit, pragma, "around the loop"));
            }
            if matches!(
                role(&pragma.words),
                Role::ParallelLoop | Role::Parallel | Role::Shared | Role::Exclusive
            ) {
                one_thread = Some(format!("`#pragma {}` is around it", pragma.words));
            }
        }
    }
    Ok(one_thread)
}

/// Why regions of a function must not start threads.
fn of_function(
    unit: &TranslationUnit,
    function: Node<'_>,
) -> Result<Option<String>, Box<Diagnostic>> {
    let start = function.start_byte();
    let mut open: Vec<&Pragma> = Vec::new();
    for pragma in unit.pragmas().iter().take_while(|p| p.at <= start) {
        let names: Vec<&str> = directive_names(&pragma.words).collect();
        match names.as_slice() {
            ["omp", "end", "declare", ..] => drop(open.pop()),
            ["omp", "begin", "declare", ..] => open.push(pragma),
            ["omp", "declare", "target"] if !pragma.words.contains('(') => open.push(pragma),
            _ => {}
        }
    }
    let own = leading(unit, start).iter().filter(|p| role(&p.words) == Role::Device);
    if let Some(pragma) = own.chain(open).next() {
        return Err(in_the_way(unit, pragma, "before the function"));
    }
    let name = unit.functions().find(|(_, node)| *node == function).map(|(n, _)| n);
    let in_team = name.is_some_and(|name| unit.functions_of_teams().contains(name));
    Ok(in_team.then(|| "its function runs in a parallel region of the file".to_owned()))
}

/// The statement behind a pragma.
pub(super) fn statement_after<'u>(unit: &'u TranslationUnit, pragma: &Pragma) -> Option<Node<'u>> {
    let start = unit.token_after(pragma.at)?;
    let mut node = unit.root().descendant_for_byte_range(start, start + 1)?;
    while let Some(parent) = node.parent().filter(|p| p.start_byte() == start) {
        if matches!(parent.kind(), "translation_unit" | "compound_statement") {
            break;
        }
        node = parent;
    }
    Some(node)
}

/// The functions of the file that run in parallel regions: what calls lead to from there, and functions with directives that
/// have a meaning only there.
pub(super) fn functions_of_teams(unit: &TranslationUnit) -> BTreeSet<String> {
    let own = || unit.pragmas().iter().filter(|p| p.included.is_none());
    let starts = |p: &&Pragma| matches!(role(&p.words), Role::ParallelLoop | Role::Parallel);
    let teams: Vec<Range<usize>> =
        own().filter(starts).filter_map(|p| Some(statement_after(unit, p)?.byte_range())).collect();
    let orphan = |p: &&Pragma| {
        matches!(role(&p.words), Role::Shared | Role::Exclusive | Role::Alone)
            && !teams.iter().any(|range| range.contains(&p.at))
    };
    let orphans: Vec<usize> = own().filter(orphan).map(|p| p.at).collect();
    let mut found = BTreeSet::new();
    if teams.is_empty() && orphans.is_empty() {
        return found;
    }
    let mut calls: Vec<(&str, &str)> = Vec::new();
    for (name, function) in unit.functions() {
        if orphans.iter().any(|at| function.byte_range().contains(at)) {
            found.insert(name.to_owned());
        }
        for_each_node(function, &mut |node| {
            let callee = node
                .child_by_field_name("function")
                .filter(|f| node.kind() == "call_expression" && f.kind() == "identifier");
            let Some(callee) = callee.map(|f| unit.text(f)) else { return };
            calls.push((name, callee));
            if teams.iter().any(|range| range.contains(&node.start_byte())) {
                found.insert(callee.to_owned());
            }
        });
    }
    loop {
        let n_found = found.len();
        for (caller, callee) in &calls {
            if found.contains(*caller) {
                found.insert((*callee).to_owned());
            }
        }
        if found.len() == n_found {
            return found;
        }
    }
}

/// The variables of which `pragma`, if it shares out a loop, gives threads copies: those that it names, and the loop's own.
pub(super) fn private_variables<'u>(unit: &'u TranslationUnit, pragma: &'u Pragma) -> Vec<&'u str> {
    if role(&pragma.words) != Role::ParallelLoop {
        return Vec::new();
    }
    let iterator = statement_after(unit, pragma)
        .and_then(|node| node.child_by_field_name("initializer"))
        .and_then(|first| first.child_by_field_name("left"));
    directives::private_names(&pragma.words).chain(iterator.map(|n| unit.text(n))).collect()
}
