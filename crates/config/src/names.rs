//! What the names of a file stand for in a scop.

use crate::report::{Report, with_known};
use farkas_base::{DiagnosticId, Id, Span};
use farkas_scop::{ParamId, Scop, Statement, StmtId};

/// A name or number as it stands in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    /// The text; a number in decimal.
    pub(crate) text: String,
    /// Where.
    pub(crate) span: Span,
}

/// A scop seen by the names in it.
pub(crate) struct Names<'a> {
    /// The scop.
    pub(crate) scop: &'a Scop,
    /// The source line of each statement, where it is known.
    lines: Vec<Option<u32>>,
}

impl<'a> Names<'a> {
    /// The names of a scop.
    pub(crate) fn new(scop: &'a Scop, lines: impl Fn(&Statement) -> Option<u32>) -> Self {
        Self { scop, lines: scop.stmts().iter().map(lines).collect() }
    }

    /// The statements that a name stands for: a number in textual order, a name of the scop, a label, or `line:12`.
    /// Only the last two may stand for several.
    pub(crate) fn find_stmts(&self, name: &str) -> Vec<StmtId> {
        let scop = self.scop;
        if let Ok(number) = name.parse::<usize>() {
            return scop.stmts().ids().filter(|id| id.index() == number).collect();
        }
        if let Some(line) = name.strip_prefix("line:").and_then(|line| line.parse::<u32>().ok()) {
            let lines = scop.stmts().ids().zip(&self.lines);
            return lines.filter(|(_, l)| **l == Some(line)).map(|(id, _)| id).collect();
        }
        if let Some(id) = scop.stmt_by_name(name) {
            return vec![id];
        }
        let labelled = scop.stmts().iter_enumerated();
        labelled.filter(|(_, s)| s.label.as_deref() == Some(name)).map(|(id, _)| id).collect()
    }

    /// The statements of a name, with a message where there is none.
    pub(crate) fn stmts(&self, report: &mut Report, name: &Name) -> Vec<StmtId> {
        let found = self.find_stmts(&name.text);
        if found.is_empty() {
            self.unknown_stmt(report, name);
        }
        found
    }

    /// The statements of several names, ascending, each once.
    pub(crate) fn all_stmts(&self, report: &mut Report, names: &[Name]) -> Vec<StmtId> {
        let mut found: Vec<StmtId> = names.iter().flat_map(|n| self.stmts(report, n)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The only statement of a name, with a message where there is none or are several.
    pub(crate) fn stmt(&self, report: &mut Report, name: &Name) -> Option<StmtId> {
        let found = self.stmts(report, name);
        if let [first, second, ..] = found.as_slice() {
            let message = format!("`{}` stands for {} statements", name.text, found.len());
            let label = "one statement is needed here";
            let diagnostic = report.at(DiagnosticId::UnknownStatement, name.span, message, label);
            let names = (self.scop.stmts().get(*first), self.scop.stmts().get(*second));
            let help = match names {
                (Some(a), Some(b)) => format!("name one of them: {} or {}", a.name, b.name),
                _ => "name one of them".to_owned(),
            };
            report.push(diagnostic.help(help));
            return None;
        }
        found.first().copied()
    }

    /// The message on a name that is no statement's.
    fn unknown_stmt(&self, report: &mut Report, name: &Name) {
        let n = self.scop.stmts().len();
        let message = format!("`{}` has no statement `{}`", self.scop.name(), name.text);
        let diagnostic = report.at(DiagnosticId::UnknownStatement, name.span, message, "");
        if name.text.parse::<u64>().is_ok() {
            let note = match n {
                0 => "it has no statements".to_owned(),
                1 => "it has one statement: 0".to_owned(),
                _ => format!("it has {n} statements: 0 to {}", n - 1),
            };
            report.push(diagnostic.note(note));
            return;
        }
        let lines = self.lines.iter().flatten().map(|line| format!("line:{line}"));
        let lines: Vec<String> = lines.collect();
        let stmts = self.scop.stmts();
        let names = stmts.iter().map(|s| s.name.as_str());
        let labels = stmts.iter().filter_map(|s| s.label.as_deref());
        let mut known: Vec<&str> = names.chain(labels).collect();
        if name.text.starts_with("line") {
            known = lines.iter().map(String::as_str).collect();
            known.dedup();
        }
        report.push(with_known(diagnostic, &name.text, known));
    }

    /// The position of an iterator of a statement by name or number, if it has it.
    pub(crate) fn iterator(&self, stmt: StmtId, name: &str) -> Option<usize> {
        let stmt = self.scop.stmts().get(stmt)?;
        match name.parse::<usize>() {
            Ok(number) => (number < stmt.depth()).then_some(number),
            Err(_) => stmt.iterators.iter().position(|i| i.name == name),
        }
    }

    /// The message on an iterator that a statement has not.
    pub(crate) fn unknown_iterator(&self, report: &mut Report, stmt: StmtId, name: &Name) {
        let Some(statement) = self.scop.stmts().get(stmt) else { return };
        let message = format!("statement {} has no iterator `{}`", statement.name, name.text);
        let diagnostic = report.at(DiagnosticId::UnknownIterator, name.span, message, "");
        let known = statement.iterators.iter().map(|i| i.name.as_str());
        let diagnostic = with_known(diagnostic, &name.text, known);
        let depth = statement.depth();
        report.push(match (name.text.parse::<u64>().is_ok(), depth) {
            (true, 0) => diagnostic.note("it stands in no loop"),
            (true, 1) => diagnostic.note("its only iterator is number 0"),
            (true, _) => diagnostic.note(format!("its iterators are numbered 0 to {}", depth - 1)),
            (false, _) => diagnostic,
        });
    }

    /// A parameter by name or number, with a message where there is none.
    pub(crate) fn param(&self, report: &mut Report, name: &Name) -> Option<ParamId> {
        let params = self.scop.params();
        let found = match name.text.parse::<usize>() {
            Ok(number) => params.ids().find(|id| id.index() == number),
            Err(_) => params.iter_enumerated().find(|(_, p)| p.name == name.text).map(|(id, _)| id),
        };
        if found.is_none() {
            let message = format!("`{}` has no parameter `{}`", self.scop.name(), name.text);
            let diagnostic = report.at(DiagnosticId::UnknownParameter, name.span, message, "");
            let known = params.iter().map(|p| p.name.as_str());
            let diagnostic = with_known(diagnostic, &name.text, known);
            let note =
                if params.is_empty() { "it has no parameters" } else { "numbers start at 0" };
            report.push(diagnostic.note(note));
        }
        found
    }
}
