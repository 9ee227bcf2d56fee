//! What random files may name in a scop.

use crate::Random;
use farkas_base::SourceFile;
use farkas_scop::Scop;

/// The statements and parameters of a scop, by the names that files may use.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) stmts: Vec<StmtNames>,
    pub(crate) params: Vec<String>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct StmtNames {
    name: String,
    /// Its source line, where no other statement stands on it.
    line: Option<u32>,
    pub(crate) iterators: Vec<String>,
}

impl Names {
    /// The names of a scop that was read from `source`.
    pub(crate) fn of(scop: &Scop, source: &SourceFile) -> Self {
        let lines: Vec<Option<u32>> =
            scop.stmts().iter().map(|stmt| Some(source.line(stmt.span?))).collect();
        let only =
            |line: Option<u32>| line.filter(|_| lines.iter().filter(|l| **l == line).count() == 1);
        let stmts = scop.stmts().iter().zip(&lines).map(|(stmt, &line)| StmtNames {
            name: stmt.name.clone(),
            line: only(line),
            iterators: stmt.iterators.iter().map(|i| i.name.clone()).collect(),
        });
        let stmts = stmts.collect();
        Self { stmts, params: scop.params().iter().map(|p| p.name.clone()).collect() }
    }

    /// Number of loops around a statement.
    pub(crate) fn depth(&self, stmt: usize) -> usize {
        self.stmts[stmt].iterators.len()
    }

    /// The number of a statement.
    pub(crate) fn any_stmt(&self, random: &mut Random) -> usize {
        random.below(self.stmts.len())
    }

    /// One of the ways to name a statement in a list of statements; with `bracket`, in a constraint.
    pub(crate) fn stmt(&self, stmt: usize, bracket: bool, random: &mut Random) -> String {
        let StmtNames { name, line, .. } = &self.stmts[stmt];
        let in_brackets = |text: String| if bracket { format!("[{text}]") } else { text };
        match (random.below(6), line) {
            (0, _) => in_brackets(name.clone()),
            (1, Some(line)) => in_brackets(format!("line:{line}")),
            _ => stmt.to_string(),
        }
    }

    /// One of the ways to name an iterator of a statement.
    pub(crate) fn iterator(&self, stmt: usize, iterator: usize, random: &mut Random) -> String {
        let name = &self.stmts[stmt].iterators[iterator];
        let is_first = self.stmts[stmt].iterators.iter().position(|i| i == name) == Some(iterator);
        if is_first && random.chance(25) { format!("[{name}]") } else { iterator.to_string() }
    }

    /// Some of the statements, ascending, at least one.
    pub(crate) fn some_stmts(&self, random: &mut Random) -> Vec<usize> {
        let percent = random.pick(&[10, 40, 100]);
        let mut chosen: Vec<usize> =
            (0..self.stmts.len()).filter(|_| random.chance(percent)).collect();
        if chosen.is_empty() {
            chosen.push(self.any_stmt(random));
        }
        chosen
    }
}
