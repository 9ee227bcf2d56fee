//! Why each loop of the result is parallel or not, what shares loops and why, and what was done on the way.
//!
//! Which dependences stop a loop is computed by [`farkas_deps::carried`] from the emitted statements and their tree, not taken
//! from the scheduler. Reasons of its choices (fusion, fallbacks) are the scheduler's own words.

mod choices;
mod loops;
mod recipe;

pub use recipe::explain_recipe;

use crate::code::{Optimized, Stays};
use crate::words::Names;
use crate::{Error, Input, Options, Strategy, effort};
use farkas_astgen::{For, Node};
use farkas_deps::carried::{self, MemberReport};
use farkas_deps::{Conflicts, DepId, Dependences};
use farkas_scop::{Outcome, Region, Scop};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The explanation of what was done to a region, as lines of text. It may take as much effort again as what it explains.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn explain(
    input: &Input,
    region: &Region,
    options: &Options,
    optimized: &Optimized,
) -> Result<String, Error> {
    let carried = || Carried::of(region, optimized);
    let carried = effort::within(&optimized.scop, options.effort, carried)?;
    let names = Names::new(&input.source, optimized.basis(region));
    let mut text = head(input, region, options, optimized);
    text.push_str(&statements(&names));
    let _ = writeln!(text, "  loops of the result:");
    text.push_str(&loops::nest(&input.source, optimized, &carried));
    text.push_str(&choices::forms(optimized));
    text.push_str(&choices::influence(&names, optimized));
    text.push_str(&choices::fusion(&names, optimized));
    text.push_str(&choices::fallbacks(&names, optimized));
    text.push_str(&choices::remarks(optimized));
    text.push_str(&assumptions(region, optimized));
    Ok(text)
}

/// What the loops of an emitted program carry, by its own accesses.
pub struct Carried {
    /// What they may carry.
    pub deps: Dependences,
    /// Which of it each loop of the tree does.
    pub reports: Vec<MemberReport>,
}

impl Carried {
    /// That of a region's result: its dependences where statements and arrays are still those that these were found in, else
    /// the conflicts of its own statements through all arrays, buffers too.
    ///
    /// # Errors
    /// When isl refuses or its budget is used up.
    pub fn of(region: &Region, optimized: &Optimized) -> Result<Self, Error> {
        if optimized.scop == *optimized.basis(region) {
            let deps = optimized.deps.clone();
            let reports = carried::coincidence(&deps, &optimized.tree)?;
            return Ok(Self { deps, reports });
        }
        let conflicts = Conflicts::of(&optimized.scop)?;
        let reports = carried::conflicting(&conflicts, &optimized.tree)?;
        Ok(Self { deps: conflicts.as_dependences().clone(), reports })
    }

    /// What stops a loop of the result from being parallel; `None` where it is no loop of the schedule. What goes through
    /// arrays that each iteration has of its own, copies or buffers, does not.
    pub fn blockers(&self, emitted: &Scop, node: &For) -> Option<Vec<DepId>> {
        let (cursor, member) = node.info.member.as_ref()?;
        let report = self.reports.iter().find(|r| r.cursor == *cursor && r.member == *member)?;
        let mut own = Vec::new();
        Node::For(node.clone()).for_each_loop(&mut |inner| own.extend(&inner.info.buffers));
        let blocks = |id: &DepId| {
            let dep = &self.deps[*id];
            let array = emitted.stmts()[dep.source].accesses[dep.source_access].array;
            let name = &emitted.arrays()[array].name;
            let is_private = node.info.private.contains(name) || node.info.reduced.contains(name);
            let inside = |stmt| node.info.stmts.contains(stmt);
            inside(&dep.source) && inside(&dep.sink) && !is_private && !own.contains(&array)
        };
        Some(report.blocked_by.iter().copied().filter(blocks).collect())
    }
}

/// The first line.
fn head(input: &Input, region: &Region, options: &Options, optimized: &Optimized) -> String {
    let strategy = match &options.strategy {
        Strategy::Original => "in the program's own order".to_owned(),
        other => format!("strategy {}", other.name()),
    };
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    // Where there are loops in the text, what is told of these says it.
    let left = optimized.stays.filter(|stays| *stays == Stays::InCallee);
    let left = left.map_or_else(String::new, |stays| format!("  {}\n", stays.told()));
    format!(
        "{} (line {} of {}): {}, {}, {strategy}\n{left}",
        region.scop.name(),
        input.source.line(region.span),
        input.source.name(),
        plural(region.scop.stmts().len(), "statement"),
        plural(optimized.deps.deps.len(), "dependence"),
    )
}

/// The statements, each with its line and text; a declaration, which is known by its name alone, with its whole line.
fn statements(names: &Names<'_>) -> String {
    let mut text = String::from("  statements:\n");
    for stmt in names.scop.stmts() {
        let Some(span) = stmt.span else { continue };
        let line = names.source.line(span);
        let mut source = names.source.slice(span);
        if source.chars().all(|c| c.is_alphanumeric() || c == '_') {
            let range = names.source.line_range(line).unwrap_or(span.range());
            source = names.source.text().get(range).unwrap_or(source);
        }
        let words: Vec<&str> = source.split_whitespace().collect();
        let _ = writeln!(text, "    {} line {line}: {}", stmt.name, shortened(&words.join(" ")));
    }
    text
}

/// At most 90 characters of a text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(90) {
        Some((end, _)) => format!("{} ...", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// What was taken for granted. What is proved is counted alone: nobody has to act on it, and `--report` lists it.
fn assumptions(region: &Region, optimized: &Optimized) -> String {
    let untestable = region.host.macro_guards.iter().filter(|g| g.testable.is_none());
    let macros = untestable.map(|g| format!("the macro {} is {}", g.name, g.value));
    let all = region.scop.assumptions().iter().chain(&optimized.assumptions);
    let (proved, open): (Vec<_>, Vec<_>) =
        all.partition(|assumption| matches!(assumption.outcome, Outcome::Proved(_)));
    let kinds: BTreeSet<&str> = proved.iter().map(|assumption| assumption.kind.name()).collect();
    let kinds = Vec::from_iter(kinds).join(", ");
    let told = open.iter().map(ToString::to_string).chain(macros);
    let proved = match (open.len(), proved.len()) {
        (_, 0) => None,
        (0, n) => Some(format!("{n}, proved ({kinds}; `--report` lists all)")),
        (_, n) => Some(format!("{n} more, proved ({kinds}; `--report` lists all)")),
    };
    section("assumed", told.chain(proved))
}

/// A heading over lines; nothing where there are none.
fn section(heading: &str, lines: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for line in lines {
        if text.is_empty() {
            let _ = writeln!(text, "  {heading}:");
        }
        let _ = writeln!(text, "    {line}");
    }
    text
}
